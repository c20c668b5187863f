"""Is a printed number inside the sampling error of the runs behind it? Two tests, both stated.

Rates: the paper's count of successes out of 100 is *inside* when it lies in the central exact binomial interval of
level LEVEL for some success probability in our own exact (Clopper-Pearson) interval of the same level. Means: the
paper's mean is inside when it differs from ours by at most QUANTILE standard errors of the difference (both samples),
plus one event in its 100 runs, plus the rounding of the printed number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

LEVEL: Final = 0.999
QUANTILE: Final = 3.2905
"""The two-sided normal quantile of LEVEL."""


@dataclass(frozen=True)
class Cell:
    """One printed number beside ours."""

    table: str
    row: str
    column: str
    paper: float
    ours: float
    low: float
    """The interval of values the paper could have printed, given ours."""
    high: float
    digits: int

    @property
    def inside(self) -> bool:
        """Whether the paper's number is inside the sampling error."""
        return bool(self.low <= self.paper <= self.high)

    @property
    def difference(self) -> float:
        """Ours minus the paper's."""
        return self.ours - self.paper


def rate_interval(successes: int, runs: int, level: float) -> tuple[float, float]:
    """The exact interval of this level for a success probability (Clopper & Pearson 1934).

    >>> [round(end, 3) for end in rate_interval(10, 10, 0.95)]
    [0.692, 1.0]
    """
    from scipy.stats import beta

    tail = (1 - level) / 2
    lowest = float(beta.ppf(tail, successes, runs - successes + 1)) if successes else 0.0
    highest = float(beta.isf(tail, successes + 1, runs - successes)) if successes < runs else 1.0
    return lowest, highest


def rate_cell(
    table: str, row: str, column: str, paper_percent: float, paper_runs: int, successes: int, runs: int
) -> Cell:
    """A success rate in per cent."""
    from scipy.stats import binom

    tail = (1 - LEVEL) / 2
    lowest, highest = rate_interval(successes, runs, LEVEL)
    low = float(binom.ppf(tail, paper_runs, lowest)) if lowest > 0 else 0.0
    high = float(binom.isf(tail, paper_runs, highest)) if highest < 1 else float(paper_runs)
    percent = 100 / paper_runs
    return Cell(table, row, column, paper_percent, 100 * successes / runs, low * percent, high * percent, 1)


def mean_cell(
    table: str,
    row: str,
    column: str,
    paper: float,
    paper_runs: int,
    mean: float,
    spread: float,
    runs: int,
    *,
    one_event: float,
    digits: int,
) -> Cell:
    """A mean over runs; `one_event` is what a single event in one run adds to a run's value."""
    # Few events make a sample's own spread useless (none: zero); events that come singly have at least this variance.
    pooled = (paper * paper_runs + mean * runs) / (paper_runs + runs)
    variance = max(spread**2, one_event * pooled)
    error = math.sqrt(variance * (1 / paper_runs + 1 / runs))
    reach = QUANTILE * error + one_event / paper_runs + 0.5 * 10.0**-digits
    return Cell(table, row, column, paper, mean, mean - reach, mean + reach, digits)


def exact_cell(table: str, row: str, column: str, paper: float, ours: float, digits: int) -> Cell:
    """A number without sampling error: equal to the last printed digit."""
    rounding = 0.5 * 10.0**-digits * (1 + 1e-9)
    return Cell(table, row, column, paper, ours, ours - rounding, ours + rounding, digits)
