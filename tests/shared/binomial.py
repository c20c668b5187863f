"""Exact tests of a failure rate: a sequential one, which runs no more than it needs, and one of so many runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import log

from scipy.stats import binom

HALF = 0.5
"""The failure rate against which the sequential test has its power, unless another is given."""
MISSED = 0.01
"""How often that rate is missed, at most."""


def rejected(fails: Callable[[int], bool], delta: float, level: float, against: float = HALF) -> bool:
    """Whether runs 0, 1, ... reject "a run fails with probability at most delta": Wald's sequential test.

    The likelihood ratio of `against` to delta has a mean of at most 1 under the null hypothesis, after every run. So it
    ever reaches 1 / level with probability at most level, however many runs there are (Ville's inequality); and, seen
    from the other side, runs that fail at the rate `against` or more often are given up, at MISSED, with probability at
    most MISSED. At delta = 0.1, level 1e-4 and one half, eight runs without a failure accept and six failures in a row
    reject; power against a rate of 0.3: 0.50, of 0.4: 0.93, of 0.5: 0.99 (`power`). The test that makes forty runs
    whatever comes, and rejects from 13 failures on, has 0.42, 0.87 and 0.99.
    """
    steps, ratio, run = _steps(delta, against), 0.0, 0  # the ratio's logarithm
    while log(MISSED) < ratio < log(1 / level):
        ratio += steps[bool(fails(run))]
        run += 1
    return ratio > 0


def power(rate: float, delta: float, level: float, against: float = HALF, runs: int = 200) -> float:
    """How often at most so many runs that fail at a rate reject, exactly; at rate delta, the true level."""
    steps, found = _steps(delta, against), 0.0
    undecided = {0: 1.0}  # with how many failures, and how probably
    for run in range(1, runs + 1):
        then: dict[int, float] = {}
        for failed, chance in _one_more(undecided, rate):
            ratio = failed * steps[True] + (run - failed) * steps[False]
            if ratio >= log(1 / level):
                found += chance
            elif ratio > log(MISSED):
                then[failed] = then.get(failed, 0.0) + chance
        undecided = then
    return found


def admitted(runs: int, delta: float, level: float) -> int:
    """The largest number of failures in so many runs that does not reject "fails with probability at most delta"."""
    return int(binom.isf(level, runs, delta))


def _steps(delta: float, against: float) -> dict[bool, float]:
    """By how much a failure and a success move the logarithm of the likelihood ratio."""
    return {True: log(against / delta), False: log((1 - against) / (1 - delta))}


def _one_more(chances: dict[int, float], rate: float) -> Iterator[tuple[int, float]]:
    """What may have been seen after another run."""
    for failed, chance in chances.items():
        yield failed, chance * (1 - rate)
        yield failed + 1, chance * rate
