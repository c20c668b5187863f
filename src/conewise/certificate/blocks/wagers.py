"""Bet on paired differences of bounded observations: lower bounds that hold at every prefix at once.

For a pair of designs and a facet, Z_1, Z_2, ... are the differences on the blocks in their order, scaled into [-1, 1].
A bet against the mean m stakes a share of its wealth, block after block, on a difference larger than expected:

    wealth(m) = average over stakes s of the product over t of (1 + min(s, LIMIT / (1 + e_t)) (Z_t - e_t))

For blocks from an unlimited population, e_t = m. For Q blocks in random order and a mean of m, e_t is the mean of the
blocks that are left: e_t = (Q m - Z_1 - ... - Z_{t-1}) / (Q - t + 1). At the true mean the wealth is a non-negative
martingale that begins at 1. So it ever reaches 1 / a with probability at most a. The wealth falls as m rises, so the
mean is above every m whose wealth has reached 1 / a. This is one event for all m and all prefixes (docs/blocks, section
4).

Reference: Waudby-Smith & Ramdas 2020 (without replacement), 2024 (betting).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from conewise.border import Bools, Floats, Indices

LARGEST_STAKE: Final = 0.8
"""Largest stake, as a part of what a bet against mean 0 could lose."""
LIMIT: Final = 0.95
"""The share of the wealth that a single difference can take."""

HAIR: Final = 1e-9
"""Part of a range that is taken off a bound that a mean may equal, so that the mean is above it."""
STEPS: Final = 16
"""Factors, each at least 1 - LIMIT, that are multiplied before a logarithm is taken."""

_USUAL: Final = 32.0  # a stake s serves best about 2 v log(1/a) / (v s)^2 = 32 / s^2 blocks: log(1/a) 10, v 0.6
_FEW_KINDS: Final = 9  # different differences: the factors of so few are counted, not multiplied one by one
_NUMBERS: Final = 2**19  # in a temporary array
_SLACK: Final = 1e-9  # of "impossible", for rounding of sums
_HALVINGS: Final = 11  # of the range in which a bound is looked for


def stakes_for(blocks: int) -> Floats:
    """Return the stakes that pay within so many blocks: halves of the largest one.

    >>> stakes_for(800).tolist()
    [0.8, 0.4, 0.2]
    """
    least = np.sqrt(_USUAL / blocks)
    stakes = [LARGEST_STAKE]
    while stakes[-1] / 2 >= least:
        stakes.append(stakes[-1] / 2)
    return np.array(stakes)


@dataclass(frozen=True, eq=False)
class Wagers:
    """Bets against several m for each of P pairs and N facets, on the differences that are known so far."""

    logs: Floats
    """(P, N, G, S): logarithms of the wealth, one for each stake."""
    sums: Floats
    """(P, N): sums of the differences."""
    seen: Indices
    """(P,): numbers of the differences."""

    @classmethod
    def fresh(cls, pairs: int, facets: int, thresholds: int, stakes: int) -> Wagers:
        """Return bets before any difference, each with wealth 1."""
        logs = np.zeros((pairs, facets, thresholds, stakes))
        return cls(logs, np.zeros((pairs, facets)), np.zeros(pairs, dtype=np.intp))

    @property
    def wealth(self) -> Floats:
        """(P, N, G): the logarithm of the average over the stakes."""
        top = self.logs.max(axis=-1)
        with np.errstate(invalid="ignore"):
            rest = np.log(np.exp(self.logs - top[..., None]).mean(axis=-1))
        return np.asarray(np.where(np.isinf(top), top, top + rest))

    def after(self, differences: Floats, thresholds: Floats, stakes: Floats, population: int | None) -> Wagers:
        """Return the bets after T more differences (P, T, N) in [-1, 1], NaN where a pair has not met on a block.

        `thresholds` are the m, (P or 1, N, G); `population` is Q, None for an unlimited one (docs/blocks,
        section 4). O(P T N G S).
        """
        met = np.asarray(~np.isnan(differences).any(axis=2))
        z = np.where(met[:, :, None], differences, 0.0)
        sums, seen = self.sums + z.sum(axis=1), self.seen + met.sum(axis=1)
        if population is None:
            return Wagers(self.logs + _growth(z, met, thresholds[:, None], stakes), sums, seen)
        before = self.sums[:, None, :] + np.cumsum(z, axis=1) - z
        left = np.maximum(population - self.seen[:, None] - np.cumsum(met, axis=1) + met, 1)
        expected = (population * thresholds[:, None] - before[..., None]) / left[:, :, None, None]
        logs = self.logs + _growth(z, met, expected, stakes)
        # Where what is left cannot be so small, the mean is above m.
        unread = (population - seen)[:, None, None]
        logs[population * thresholds - sums[:, :, None] < -unread - _SLACK * population] = np.inf
        return Wagers(logs, sums, seen)


def _growth(z: Floats, met: Bools, expected: Floats, stakes: Floats) -> Floats:
    """Return what differences z (P, T, N) add to logarithms of the wealth, (P, N, G, S) (docs/blocks, section 4).

    `expected` are the e_t, (P or 1, T or 1, N, G). Equal differences are counted where e_t is the same for all blocks.
    """
    room = np.minimum(stakes, (LIMIT / np.maximum(expected + 1, _SLACK))[..., None])
    if expected.shape[1] == 1:
        kinds = np.unique(z[:8, :64])
        times = [((z == kind) & met[:, :, None]).sum(axis=1) for kind in kinds[:_FEW_KINDS]]
        if len(kinds) <= _FEW_KINDS and sum(each.sum() for each in times) == met.sum() * z.shape[2]:
            logs = (np.log1p(room[:, 0] * (kind - expected[:, 0])[..., None]) for kind in kinds)
            return np.asarray(sum(n[..., None, None] * log for n, log in zip(times, logs, strict=True)))
    total: Floats = np.zeros((len(z), *expected.shape[2:], len(stakes)))
    for start in range(0, z.shape[1], STEPS):
        part = slice(start, start + STEPS) if expected.shape[1] > 1 else slice(None)
        some = z[:, start : start + STEPS, :, None] - expected[:, part]
        some = np.where(met[:, start : start + STEPS, None, None], some, 0.0)
        total += np.log((1 + room[:, part] * some[..., None]).prod(axis=1))
    return total


def lower_bounds(differences: Floats, levels: Floats, stakes: Floats, population: int | None) -> Floats:
    """Return numbers that the means are not below, (P, N, A), by halving (docs/blocks, section 4).

    There is one for each of A logarithms log(1/a), which broadcast to (P, N, A).

    `differences` are (P, T, N) in [-1, 1]. The search begins at the mean for which all unknown differences are -1. The
    mean may equal that number, so where a tie matters a `HAIR` has to be taken off.
    """
    pairs, _, facets = differences.shape
    least = np.full((pairs, facets), -1.0)
    if population is not None:
        unknown = population - (~np.isnan(differences).any(axis=2)).sum(axis=1)
        least = (np.nansum(differences, axis=1) - unknown[:, None]) / population
    levels = np.broadcast_to(levels, (pairs, facets, levels.shape[-1]))
    low = np.repeat(least[:, :, None], levels.shape[-1], axis=2)
    high = np.ones_like(low)
    for part in chunks(pairs, facets * (levels.shape[-1] * len(stakes) * STEPS + differences.shape[1])):
        start = Wagers.fresh(len(low[part]), facets, levels.shape[-1], len(stakes))
        for _ in range(_HALVINGS):
            middle = (low[part] + high[part]) / 2
            above = start.after(differences[part], middle, stakes, population).wealth >= levels[part]
            low[part] = np.where(above, middle, low[part])
            high[part] = np.where(above, high[part], middle)
    return low


def chunks(pairs: int, numbers: int) -> Iterator[slice]:
    """Yield all pairs in pieces, for so many numbers a pair."""
    step = max(1, _NUMBERS // max(1, numbers))
    for start in range(0, pairs, step):
        yield slice(start, start + step)
