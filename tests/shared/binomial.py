"""The exact binomial test of a failure rate, without the runs that cannot change its verdict."""

from __future__ import annotations

from collections.abc import Callable

from scipy.stats import binom


def admitted(runs: int, delta: float, level: float) -> int:
    """The largest number of failures in so many runs that does not reject "fails with probability at most delta"."""
    return int(binom.isf(level, runs, delta))


def rejected(fails: Callable[[int], bool], runs: int, delta: float, level: float) -> bool:
    """Whether runs 0, 1, ... fail more often than the test admits; it ends when the rest cannot decide otherwise."""
    most, failures = admitted(runs, delta, level), 0
    for run in range(runs):
        failures += bool(fails(run))
        if failures > most:
            return True
        if failures + runs - (run + 1) <= most:
            break
    return False
