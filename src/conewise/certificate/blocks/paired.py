"""Certify designs that met the same blocks, by their paired differences (docs/blocks).

Blocks come in one order, drawn at random before any look. Each design has read a prefix of it. Two designs are compared
by their differences on the blocks that both have read. The values of different designs on one block may depend on each
other in any way.

All claims follow from lower bounds of gains along the facets: one for "no worse", one for "dominated" and "covered".
None of them depends on epsilon.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from conewise.border import ROUNDING, Bools, Floats, Indices, as_count, read_only
from conewise.certificate.blocks.differences import Differences
from conewise.certificate.blocks.kinds import Kinds, Rows
from conewise.certificate.blocks.tabled import Tabled
from conewise.certificate.blocks.wagers import STEPS, Wagers, chunks
from conewise.certificate.claims import Certified, Claims, certified, judge
from conewise.certificate.fit import check_exact, check_range
from conewise.certificate.pilots import Margins, Pilot, Task
from conewise.certificate.rounding import Rounding
from conewise.certificate.thresholds import Bounds, levels_of
from conewise.certificate.tuning import LEVEL_PART, TUNING
from conewise.certificate.weights import Spending, Standing, Weights
from conewise.data.observations import Counts, Observations, Statistics
from conewise.errors import InputError
from conewise.limits import MOST_EVALUATIONS
from conewise.noise import Bounded
from conewise.order.directions import cover_at, not_settled_by_ties
from conewise.question.question import Answering, Question

ABOVE: Final = 1e-300
"""A number just above 0: a mean that is above 0 for certain has this bound; its negative is fine at epsilon = 0."""
ASIDE: Final = 8
"""Number of blocks of a population that all designs read first, to decide how delta is shared."""
KNOWN_PART: Final = 0.05
"""Part of delta for averages that are compared with those of designs which have read the whole population."""

_SHARES: Final = (1.0, 0.924, 0.707, 0.383, 0.0)  # of epsilon, at which bets stand: points of a quarter circle
_MOST_NUMBERS: Final = 2**27  # in memory, a gigabyte: every value, and the bets of every pair
_PILOT_WORTH: Final = 200  # observations of a design that bets may take, below which no pilot is read
_HORIZON: Final = 16  # the horizon of independent designs, over the observations that bets usually take
_MOST_PAIRS: Final = 2**18  # of ordered pairs and facets, for which bets of independent designs are kept
_GROWTH: Final = 1.04  # from one look to the next; a bet may be looked at always
_FIRST: Final = 4
_T_GROWTH: Final = 1.5  # ... where every look has to be paid for
_T_FIRST: Final = 6
_MIXED_GROWTH: Final = 1.2  # ... where bounds are found by halving, which takes long, and few looks are cheap


@dataclass(frozen=True, eq=False)
class Prefixes:
    """The prefix that each design has read, its values, and the bets on them; a value, never changed in place."""

    statistics: Statistics
    values: Floats
    """(K, T, D): values in block order, up to the last block that any design has read; NaN where one is missing."""
    reach: Counts
    """(K,): blocks that each design has come past."""
    wagers: Wagers | None
    """Bets for the K K ordered pairs, at the last look that both designs have reached; None for normal noise."""
    peaks: Floats | None
    """(K K, N, G): the largest wealth at a look."""
    pilot: Pilot | None = None
    """Observations that are put aside to decide how delta is shared; no bet counts them (docs/adaptive, 3.3)."""
    weights: Weights | None = None
    """Shares of delta from the pilots; None without pilots, and before they are complete."""
    lows: Floats | None = None
    """(K, K, N, 2): what bounded objectives add to gains, for "no worse" and for other claims; None for one kind."""
    alone: Floats | None = None
    """(K, 2 R): what bounded objectives add to averages of single designs, along the rows of `_alone`."""

    @property
    def counts(self) -> Counts:
        """Evaluations of each design."""
        return self.statistics.counts

    @property
    def evaluations(self) -> int:
        """Number of all evaluations."""
        return self.statistics.evaluations


@dataclass(frozen=True)
class Paired(Answering):
    """The certificate for one question, of K designs on at most so many blocks.

    `population` is the number of blocks that the averages are over, None for an unlimited one. With `once` the blocks
    are looked at a single time, when all are read.
    """

    question: Question
    n_designs: int
    blocks: int
    population: int | None
    once: bool = False
    radius_scale: float = 1.0
    independent: bool = False
    """True if the n-th observations of different designs share nothing but their number (docs/adaptive, 7)."""
    planned: int | None = None
    """Evaluations that a run may take in all, as far as that was known before the first one."""
    pilots: bool = True
    """True if the first observations may decide how delta is shared; they know epsilon."""

    @classmethod
    def pays(cls, question: Question, n_designs: int) -> bool:
        """Return True if independent designs should be compared by bets: bounded values, and not too many pairs."""
        noise, k = question.assumed, n_designs
        return k * k * len(question.cone.facets) <= _MOST_PAIRS and isinstance(noise, Bounded)

    @classmethod
    def horizon(cls, question: Question, n_designs: int, most: int | None) -> int:
        """Return a number of observations of a design after which bets decide every pair, whatever the means.

        It is far more than needed: about four times Hoeffding's count.
        """
        if question.epsilon == 0:
            return max(2, (most or MOST_EVALUATIONS) // 2)
        log = math.log(n_designs**2 * len(question.cone.facets) / question.delta) + 3
        reach = 2 * question.assumed.scales(question.cone.facets) / question.cone.widths
        return max(2, math.ceil(min(32 * log * float((reach.max() / question.epsilon) ** 2), 1e9)))

    def __post_init__(self) -> None:
        as_count(self.blocks, "blocks")
        k, bets = self.n_designs, self._thresholds.size * len(self._pairs.stakes) if self.bets else 1
        if k * self.blocks * self.cone.dim * (not self.independent) + k * k * bets > _MOST_NUMBERS:
            raise InputError(
                f"every pair of designs is compared on every block, which takes too much memory for {k:,} designs on "
                f"{self.blocks:,} blocks; leave out designs, or read fewer blocks."
            )

    @cached_property
    def kinds(self) -> Kinds:
        """The assumption about each objective."""
        return Kinds.of(self.question.assumed, self.cone.dim)

    @property
    def bets(self) -> bool:
        """True if all observations are bounded, so that bounds come from bets."""
        return len(self.kinds.bounded) == self.cone.dim

    @property
    def whole(self) -> bool:
        """True if all blocks of the population can be read."""
        return self.population == self.blocks

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """The prefixes at which designs are compared; the last one holds all blocks."""
        if self.once and not self.bets:
            return (self.blocks,)
        found, growth = [self.aside + (_FIRST if self.bets else _T_FIRST)], _GROWTH if self.bets else _T_GROWTH
        if self.kinds.several:
            growth = _MIXED_GROWTH
        while found[-1] < self.blocks:
            found.append(max(found[-1] + 1, int(found[-1] * growth)))
        return (*(level for level in found if level < self.blocks), self.blocks)

    @property
    def _looks(self) -> int:
        """Number of looks at normal differences that share a probability: all but the last at a whole population."""
        return max(1, len(self.levels) - (1 if self.whole else 0))

    # -- what claims may spend ----------------------------------------------------------------------------------

    @cached_property
    def required(self) -> Indices | None:
        """The objectives that have a level, (R,); None where there are none."""
        columns = levels_of(self.question)[0]
        return columns if len(columns) else None

    @property
    def _parts(self) -> tuple[float, float]:
        """The parts of delta for levels, and for averages that are compared with known ones (sections 3 and 7)."""
        levels = 0.0 if self.required is None else LEVEL_PART
        return levels, KNOWN_PART * (1 - levels) * (self.whole and self.bets)

    @cached_property
    def even(self) -> Weights:
        """Even shares of delta (docs/blocks, section 3)."""
        return Weights.even(self.n_designs, max(1, int((self._pairs.noisy > 0).sum())))

    @property
    def stepwise(self) -> bool:
        """True if designs that are decided leave their shares to the others; not at one look, nor for several kinds."""
        return self.success == "contain" and not self.once and not self.kinds.several

    def shares(self, standing: Standing, weights: Weights | None = None) -> tuple[Floats, Floats]:
        """Return the probabilities of a wrong claim that j is no worse than i, and that j puts i out.

        They broadcast to (K, K), i a row. Covering by bets or sums errs along any facet, other claims along one.
        """
        delta = self.question.delta * (1 - sum(self._parts))
        spending, everyone = Spending(delta, self.stepwise, weights or self.even), np.arange(self.n_designs)
        fine, out = spending.log_fine(everyone, standing)[0].T, spending.log_out(everyone, everyone, standing)[0]
        noisy = self.bets or self.kinds.several
        return np.exp(fine), np.exp(out) / (self.even.facets if self.success == "cover" and noisy else 1)

    def deviations(self, state: Prefixes, left: Indices) -> tuple[Floats, Floats]:
        """Return approximately how many standard errors decide a difference, for "no worse" and for the other claims.

        Use it for forecasts only. The result broadcasts to (L, L).
        """
        from scipy.special import ndtri

        fine, out = self.shares(Standing.at_first(self.n_designs), state.weights)
        fine, out = (np.broadcast_to(each, (self.n_designs,) * 2)[np.ix_(left, left)] for each in (fine.T, out))
        if self.bets or self.kinds.several:
            # The logarithm of a wealth grows by half the squared distance at best, shared by the stakes.
            with np.errstate(divide="ignore"):
                more = math.log(len(self._pairs.stakes))
                fine, out = (np.sqrt(2 * (more - self.radius_scale**2 * np.log(each))) for each in (fine, out))
            return fine, out
        return tuple(-self.radius_scale * ndtri(each / self._looks) for each in (fine, out))

    # -- directions along which means are bounded ---------------------------------------------------------------

    @property
    def _common(self) -> tuple[Kinds, int, int | None, int, float, int]:
        expected = max(2, self.blocks // _HORIZON) if self.independent else self.blocks
        return self.kinds, expected, self.population, self._looks, self.radius_scale, self.aside

    @cached_property
    def _pairs(self) -> Rows:
        """The facets, along which pairs are compared."""
        return Rows(self.cone.facets, *self._common)

    @cached_property
    def _alone(self) -> Rows | None:
        """The axes of levels, then the facets, then the negatives of these: for averages of single designs."""
        axes = np.eye(self.cone.dim)[[] if self.required is None else self.required]
        rows = np.concatenate([axes, self.cone.facets[: len(self.cone.facets) * (self._parts[1] > 0)]])
        return Rows(np.concatenate([rows, -rows]), *self._common) if len(rows) else None

    @cached_property
    def _shares_alone(self) -> Floats:
        """(2 R, 1): probabilities of a wrong bound of an average, along each row of `_alone` (sections 3 and 7)."""
        assert self._alone is not None
        levels, known = (part * self.question.delta / self.n_designs for part in self._parts)
        axes, half = 0 if self.required is None else len(self.required), len(self._alone.weights) // 2
        facets = np.full(half - axes, known / max(1, 2 * (half - axes)))
        return np.concatenate([np.full(axes, levels), facets, np.full(axes, levels / max(1, axes)), facets])[:, None]

    @cached_property
    def reaches(self) -> Floats:
        """(N,): the largest difference along a facet."""
        return np.asarray(2 * self.question.assumed.scales(self.cone.facets))

    @cached_property
    def _thresholds(self) -> Floats:
        """(1, N, G): the m of the bets, ascending, for differences scaled into [-1, 1]."""
        epsilon, success = self.question.epsilon, self.question.success
        shares = np.array(_SHARES if success == "cover" else _SHARES[:: len(_SHARES) - 1]) if epsilon > 0 else [0.0]
        return np.asarray(-(epsilon * self.cone.widths / self.reaches)[None, :, None] * np.asarray(shares))

    @property
    def _piloted(self) -> bool:
        """True if the first observations decide how delta is shared."""
        enough = self.n_designs >= TUNING.pilots_from[self.success != "cover"] and self.blocks >= _PILOT_WORTH
        return self.pilots and enough and self.bets and not self.once

    @cached_property
    def aside(self) -> int:
        """Number of first blocks of a population that are read by all designs, and on which nothing is bet."""
        return ASIDE * (self._piloted and self.whole)

    def _task(self, most: int, covariance: Callable[[Statistics], Floats], flat: float = 0.0) -> Task:
        factor = float(self.cone.lift_norms(np.ones((len(self.cone.facets), 1)), non_negative=True)[0])
        return Task(self.cone, self.epsilon, self.success == "cover", factor, covariance, 2, most, flat)

    @cached_property
    def pilot(self) -> Pilot | None:
        """A pilot of independent designs, before any observation; None where it would not pay."""
        if not (self.independent and self._piloted):
            return None
        each = self.blocks if self.planned is None else min(self.blocks, self.planned // self.n_designs)
        return Pilot.begun(self._task(max(2, each // 20), _covariance), self.n_designs)

    def _weights(self, values: Floats) -> Weights:
        """Return shares of delta by the blocks that all designs read first (docs/blocks, section 9)."""
        rest = values - values.mean(axis=0)  # what blocks have in common drops out of differences
        rest = (rest - rest.mean(axis=1, keepdims=True)).reshape(-1, values.shape[2])
        covariance = (rest.T @ rest + 0.25 * np.eye(rest.shape[1])) / len(rest)
        statistics = Statistics.empty(self.n_designs, self.cone.dim)
        designs = np.arange(self.n_designs).repeat(values.shape[1])
        statistics = statistics.add(Observations.single(designs, values.reshape(-1, values.shape[2])))
        flat = 4 * math.log(self.n_designs / self.question.delta) / self.blocks
        task = self._task(self.blocks, lambda _: covariance, flat)
        return Margins.of(statistics, task).weights()

    # -- the state ----------------------------------------------------------------------------------------------

    def start(self) -> Prefixes:
        """Return a state in which nothing is read."""
        k, dim, facets = self.n_designs, self.cone.dim, len(self.cone.facets)
        wagers = peaks = lows = alone = None
        if self.kinds.several:
            lows = read_only(np.full((k, k, facets, 2), -np.inf))
        if self.bets:
            thresholds = self._thresholds.shape[2]
            wagers = Wagers.fresh(k * k, facets, thresholds, len(self._pairs.stakes))
            peaks = np.zeros((k * k, facets, thresholds))
        if self._alone is not None:
            alone = read_only(np.full((k, len(self._alone.weights)), -np.inf))
        values, reach = read_only(np.empty((k, 0, dim))), read_only(np.zeros(k, dtype=np.int64))
        return Prefixes(Statistics.empty(k, dim), values, reach, wagers, peaks, self.pilot, lows=lows, alone=alone)

    def tell(self, state: Prefixes, observations: Observations) -> Prefixes:
        """Return the state with the next blocks of some designs, in their order; an entry is one value."""
        if not len(observations):
            return state
        if (observations.counts > 1).any():
            remedy = "; tell each value, or use SuccessiveElimination, which takes sums." if self.independent else "."
            raise InputError(
                f"values that are compared one by one are told one by one: an entry that sums up several has lost its "
                f"partners{remedy}"
            )
        if self.independent:
            check_range(observations, self.kinds.noise)
        check_exact(observations, self.kinds.noise, lambda: state.statistics)
        statistics = state.statistics.add(observations)
        if state.pilot is not None and state.weights is None:
            pilot = state.pilot.add(observations)
            aside = pilot if pilot.weights is None else replace(pilot, later=None)
            state = replace(state, statistics=statistics, pilot=aside, weights=pilot.weights)
            if pilot.weights is None or pilot.later is None:
                return state
            observations = pilot.later
        reach = state.reach + np.bincount(observations.designs, minlength=self.n_designs)
        if (reach > self.blocks).any():
            raise InputError(
                f"design {int(reach.argmax())} was told {reach.max():,} blocks, but there are {self.blocks:,}."
            )
        order = np.argsort(observations.designs, kind="stable")
        designs = observations.designs[order]
        rank = np.arange(len(order)) - np.searchsorted(designs, designs)
        new = int(reach.max()) - state.values.shape[1]
        values = np.concatenate([state.values, np.full((self.n_designs, max(new, 0), self.cone.dim), np.nan)], axis=1)
        values[designs, state.reach[designs] + rank] = observations.means[order]
        return self._read(state, statistics, values, reach)

    def tell_table(self, values: Floats) -> Prefixes:
        """Return the state for all blocks at once, (K, blocks, D) in random order; NaN where a design lacks a block."""
        state = self.start()
        missing = np.asarray(np.isnan(values).any(axis=2))
        table = np.where(missing[:, :, None], np.nan, values)
        designs, _ = present = np.nonzero(~missing)
        observations = Observations.single(designs, table[present])
        check_exact(observations, self.kinds.noise, lambda: state.statistics)
        statistics = state.statistics.add(observations)
        return self._read(state, statistics, table, np.full(self.n_designs, self.blocks, dtype=np.int64))

    def _read(self, before: Prefixes, statistics: Statistics, values: Floats, reach: Counts) -> Prefixes:
        outside = self.kinds.misfit(values[:, before.reach.min() :])
        if outside.any() and not self.independent:
            design, _, objective = np.argwhere(outside)[0]
            raise InputError(
                f"a value of design {design} in objective {objective} is outside the range that the noise assumes; no "
                "claim would hold with it: give the true range."
            )
        after = replace(before, statistics=statistics, values=read_only(values), reach=read_only(reach))
        old, new = self._level(before), self._level(after)
        if self.aside and before.weights is None and reach.min() >= self.aside:
            after = replace(after, weights=self._weights(values[:, : self.aside]))
            new = self._level(after)
        if not (new > old).any():
            return after
        if before.wagers is not None and before.peaks is not None:
            wagers, peaks = self._bet(before.wagers, before.peaks, values, old, new)
            after = replace(after, wagers=wagers, peaks=peaks)
        if before.lows is not None:
            shares = np.stack(self.shares(Standing.at_first(self.n_designs)), axis=-1)[:, :, None, :]
            lows, due = before.lows.copy(), np.minimum(old[:, None], old) < np.minimum(new[:, None], new)
            for first, second, found in self._halved(values, new, due, shares):
                lows[first, second] = found - self._pairs.hair[:, None]
            after = replace(after, lows=read_only(lows))
        if before.alone is not None and self._alone is not None:
            alone = before.alone.copy()
            for look, members in _grouped(new, new > old):
                seen = values[members, : self.levels[look]]
                alone[members] = self._alone.by_bets(seen, self._shares_alone, alone=True)[..., 0] - self._alone.hair
            after = replace(after, alone=read_only(alone))
        return after

    def _level(self, state: Prefixes) -> Indices:
        """Return the last look that each design has reached, (K,); -1 before the first, and before shares are known."""
        found = np.searchsorted(np.array(self.levels), state.reach, side="right") - 1
        return np.full_like(found, -1) if self.aside and state.weights is None else np.asarray(found)

    def _halved(
        self, values: Floats, level: Indices, due: Bools, shares: Floats
    ) -> Iterator[tuple[Indices, Indices, Floats]]:
        """Yield designs i, designs j and the bounds from bets of the gains of j over i, (P, N, A).

        They are for the pairs that are `due`, at the last look that both designs have reached.
        """
        met, shares = np.minimum(level[:, None], level), np.broadcast_to(shares, (*due.shape, 1, shares.shape[-1]))
        for look in np.unique(met[due & (met >= 0)]):
            first, second = np.nonzero(due & (met == look) & ~np.eye(len(met), dtype=bool))
            seen = values[:, : self.levels[look]]
            for part in chunks(len(first), seen[0].size):
                i, j = first[part], second[part]
                yield i, j, self._pairs.by_bets(seen[j] - seen[i], shares[i, j])

    def _bet(
        self, wagers: Wagers, peaks: Floats, values: Floats, before: Indices, after: Indices
    ) -> tuple[Wagers, Floats]:
        """Continue the bets of every pair to its last common look, look by look (docs/blocks, section 4)."""
        last = len(self.levels) - 1
        logs, sums, seen, peaks = wagers.logs.copy(), wagers.sums.copy(), wagers.seen.copy(), peaks.copy()
        moved = before[after > before]
        for level in range(int(moved.min(initial=last)) + 1, int(after.max()) + 1):
            members = np.flatnonzero(after >= level)
            if level == last and self.whole and not np.isnan(values[members]).any():
                break  # all of the population: nothing is left to bet on
            first, second = (members[side.ravel()] for side in np.indices((len(members),) * 2))
            new = (first != second) & (np.minimum(before[first], before[second]) < level)
            first, second = first[new], second[new]
            start, stop = (self.levels[level - 1] if level else self.aside), self.levels[level]
            scaled = self.cone.facet_values(values[:, start:stop]) / self.reaches
            known = self.cone.facet_values(values[:, : self.aside]).sum(axis=1) / self.reaches
            for part in chunks(len(first), logs[0].size * min(stop - start, STEPS) + scaled[0].size):
                i, j = first[part], second[part]
                pairs = i * self.n_designs + j
                bets = Wagers(logs[pairs], sums[pairs], seen[pairs])
                m = self._thresholds
                if self.population is not None:  # the mean of all blocks is m if that of the rest is
                    m = (self.population * m - (known[j] - known[i])[:, :, None]) / (self.population - self.aside)
                bets = bets.after(scaled[j] - scaled[i], m, self._pairs.stakes, self._pairs.rest)
                logs[pairs], sums[pairs], seen[pairs] = bets.logs, bets.sums, bets.seen
                peaks[pairs] = np.maximum(peaks[pairs], bets.wealth)
        return Wagers(logs, sums, seen), peaks

    # -- claims -------------------------------------------------------------------------------------------------

    def claims(self, state: Prefixes, epsilon: float | None = None, *, sharp: bool = False) -> Claims:
        """Return what the blocks certify, at the epsilon of the question by default.

        `sharp` looks for bets that are won at any epsilon, not only at fixed shares of epsilon. Use it for an answer in
        which something is undecided. The event of an error is the same for both (docs/blocks, section 4).
        """
        alone = self._bounds_alone(state)
        bounds = None if self.required is None or alone is None else self._levels(state, *alone)
        left = np.ones(self.n_designs, dtype=bool) if bounds is None else ~bounds.misses
        first = Standing(left, np.zeros_like(left))
        pairs = Tabled(lambda standing: self._tables(state, standing, alone, sharp), np.flatnonzero(left), first)
        nobody = np.full(self.n_designs, -1, dtype=np.intp)
        covering = self.success == "cover"
        asked = self.epsilon if epsilon is None else epsilon
        return judge(pairs, nobody, bounds, asked, covering=covering, stepwise=self.stepwise)

    def certified_epsilon(self, claims: Claims) -> Certified | None:
        """Return the smallest epsilon that is certified, with the set to return for it (docs/blocks, section 3)."""
        return certified(claims, self.success == "cover")

    def _steps(self, state: Prefixes) -> Floats:
        """Return the steps in which values were recorded, where they may hide a spread: (D,)."""
        return Rounding.of(self.kinds.noise, state.statistics).steps

    def _bounds_alone(self, state: Prefixes) -> tuple[Floats, Floats] | None:
        """Return lower and upper bounds of averages along the first half of `_alone`, (K, R); exact where known.

        (docs/blocks, sections 3 and 7)
        """
        if self._alone is None or state.alone is None:
            return None
        total, half, level = state.alone.copy(), len(self._alone.weights) // 2, self._level(state)
        if not self.bets:
            for look, members in _grouped(level, level >= 0):
                seen = state.values[members, : self.levels[look]]
                total[members] += self._alone.others_alone(seen, self._steps(state), self._shares_alone)[..., 0]
        lower, upper = total[:, :half], -total[:, half:]
        rows = self._alone.weights[:half]
        exact = self.kinds.averages(state.values, state.statistics) @ rows.T
        told = (state.counts > 0)[:, None] & (self._alone.noisy[:half] == 0)
        told |= (state.counts == self.population)[:, None]
        return np.where(told, exact, lower), np.where(told, exact, upper)

    def _levels(self, state: Prefixes, lower: Floats, upper: Floats) -> Bounds:
        """Return the bounds relative to the levels (docs/blocks, section 7)."""
        columns, least, upward, spared = levels_of(self.question)
        below, above = lower[:, : len(columns)] - least, upper[:, : len(columns)] - least
        same = (below == above) & (np.abs(below) <= ROUNDING * np.abs(least))  # an average that equals the level
        return Bounds(np.where(same, 0.0, below), np.where(same, 0.0, above), upward, spared)

    def _tables(
        self, state: Prefixes, standing: Standing, alone: tuple[Floats, Floats] | None, sharp: bool
    ) -> tuple[Bools, Floats, Floats]:
        """Return `dominated`, `no_worse_at` and `covered_at` of all pairs (docs/blocks, section 2)."""
        shares, steps = self.shares(standing, state.weights), self._steps(state)
        cover = np.full((self.n_designs,) * 2, np.inf)
        if state.peaks is not None:
            fine, out = self._by_bets(state, shares, standing.left if sharp else np.zeros_like(standing.left))
        else:
            fine, out = np.full((2, *cover.shape, len(self.cone.facets)), -np.inf)
            for look, members, met in self._met(self._level(state)):
                here, seen = np.ix_(members, members), state.values[members, : self.levels[look]]
                if state.lows is not None:
                    both = self._pairs.others(seen, steps, np.stack(shares, axis=-1)[:, :, None, :])
                    both += state.lows[here]
                    new = both[..., 0], both[..., 1]
                else:
                    new, covered = self._by_differences(seen, steps, shares)
                    cover[here] = np.where(met, covered, cover[here])
                for side, part in zip((fine, out), new, strict=True):
                    side[here] = np.where(met[:, :, None], part, side[here])
        fine, out = self._with_known(state, fine, out, alone)
        dominated = np.asarray((out >= 0).all(axis=2) & (out > 0).any(axis=2))
        upper = np.moveaxis(-fine, 0, 1)
        upper = not_settled_by_ties(upper, self._pairs.noisy == 0)
        no_worse_at = (upper / self.cone.widths).min(axis=2)
        no_worse_at[(upper == 0).all(axis=2)] = -ABOVE  # equal for certain
        seen = np.asarray(np.isfinite(out).all(axis=2))
        if self.success == "cover" and seen.any():
            by_facets = self.cone.lift_norms(np.maximum(-out[seen], 0.0).T, non_negative=True)
            cover[seen] = np.minimum(cover[seen], by_facets)
        each = np.arange(self.n_designs)
        dominated[each, each], no_worse_at[each, each], cover[each, each] = False, -np.inf, np.inf
        return dominated, no_worse_at, cover

    def _met(self, level: Indices) -> Iterator[tuple[int, Indices, Bools]]:
        """Yield for each look the designs that have reached it, and which pairs of them have met there last."""
        for look in np.unique(level[level >= 0]):
            members = np.flatnonzero(level >= look)
            yield int(look), members, np.minimum(level[members][:, None], level[members][None, :]) == look

    def _by_bets(self, state: Prefixes, shares: tuple[Floats, Floats], among: Bools) -> tuple[Floats, Floats]:
        """Return lower bounds of gains for "no worse" and for other claims, (K, K, N), from the bets that are won.

        Among some designs also from bets that would be won at any epsilon. Wealth falls as m rises, so the event of an
        error is the same (docs/blocks, section 4). A bound that is certain without a bet may be a tie.
        """
        assert state.peaks is not None
        k, hair, found = self.n_designs, self._pairs.hair, []
        m = np.where(self._thresholds == 0, ABOVE, self._thresholds * self.reaches[:, None])
        for share in shares:
            needed = np.broadcast_to(self._pairs.needed(share), (k, k)).reshape(-1, 1, 1)
            found.append(np.where(state.peaks >= needed, m, -np.inf).max(axis=2).reshape(k, k, -1))
        due, both = among[:, None] & among, np.stack(np.broadcast_arrays(*shares), axis=-1)[:, :, None, :]
        for i, j, low in self._halved(state.values, self._level(state), due, both):
            fine = low[..., 0] - np.where(np.abs(low[..., 0]) < hair, hair, 0.0)
            found[0][i, j] = np.maximum(found[0][i, j], fine)
            found[1][i, j] = np.maximum(found[1][i, j], low[..., 1] - hair)
        return found[0], found[1]

    def _by_differences(
        self, values: Floats, steps: Floats, shares: tuple[Floats, Floats]
    ) -> tuple[tuple[Floats, Floats], Floats]:
        """Return lower bounds of normal gains, and covers, by Student's t (docs/blocks, section 5)."""
        seen = Differences.of(values, self.cone.facets, steps, self.population)
        fine, out = (seen.radii(float(share.item()) / self._looks, self.radius_scale) for share in shares)
        cover, met = np.full(seen.counts.shape, np.inf), np.isfinite(out[0]).all(axis=2) & np.isfinite(out[1])
        if self.success == "cover" and met.any():
            cover[met] = cover_at(self.cone, seen.gains[met].T, out[0][met].T, out[1][met])
        lows = seen.gains - fine[0], seen.gains - out[0]
        return lows, cover

    def _with_known(
        self, state: Prefixes, fine: Floats, out: Floats, alone: tuple[Floats, Floats] | None
    ) -> tuple[Floats, Floats]:
        """Return the bounds with those of designs that have read the whole population (docs/blocks, section 3).

        Their averages are the truth. Others are compared with them by their own averages, where that is narrower.
        """
        if self.population is None or not (known := state.counts == self.population).any():
            return fine, out
        lower = upper = self.cone.facet_values(self.kinds.averages(state.values, state.statistics))
        narrower = np.zeros((len(known),) * 2, dtype=bool)
        if alone is not None and self._parts[1]:
            lower, upper = (side[:, -len(self.cone.facets) :] for side in alone)
            narrower = known[:, None] | known
        gains, both = lower[None, :, :] - upper[:, None, :], (known[:, None] & known)[:, :, None]
        fine, out = (
            np.where(both, gains, np.where(narrower[:, :, None], np.fmax(side, gains), side)) for side in (fine, out)
        )
        return fine, out


def _grouped(level: Indices, which: Bools) -> Iterator[tuple[int, Indices]]:
    """Yield the looks of some designs, with the designs whose last look it is."""
    for look in np.unique(level[which & (level >= 0)]):
        yield int(look), np.flatnonzero(which & (level == look))


def _covariance(pilots: Statistics) -> Floats:
    """Return an approximate covariance of one observation; a default for 0/1 values that did not vary yet."""
    freedom = max(int(np.maximum(pilots.counts - 1, 0).sum()), 1)
    return np.asarray((pilots.scatters.sum(axis=0) + 0.25 * np.eye(pilots.dim)) / (freedom + 1))
