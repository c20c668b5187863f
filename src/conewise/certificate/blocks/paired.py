"""Certify designs that met the same blocks, by their paired differences (docs/blocks).

Blocks come in one order, drawn at random before any look. Each design has read a prefix of it. Two designs are compared
by their differences on the blocks that both have read. The values of different designs on one block may depend on each
other in any way.

Three numbers of a pair (i, j) are enough, and none of them depends on epsilon: whether j beats i; the epsilon from
which i is fine against j; and the epsilon from which j covers i.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from conewise.border import Bools, Floats, Indices, as_count, read_only
from conewise.certificate.blocks.differences import Differences
from conewise.certificate.blocks.kinds import Kinds
from conewise.certificate.blocks.levels import BELOW, BlockLevels
from conewise.certificate.blocks.mixed import MixedBounds
from conewise.certificate.blocks.tabled import TIE, Tabled
from conewise.certificate.blocks.wagers import HAIR, Wagers, chunks, lower_bounds, stakes_for
from conewise.certificate.claims import Certified, Claims, certified, judge
from conewise.certificate.fit import check_exact, check_range
from conewise.certificate.pilots import Pilot, Task
from conewise.certificate.rounding import Rounding
from conewise.certificate.thresholds import Bounds
from conewise.certificate.tuning import TUNING
from conewise.certificate.weights import Spending, Standing, Weights
from conewise.data.observations import Counts, Observations, Statistics
from conewise.errors import InputError
from conewise.limits import MOST_EVALUATIONS
from conewise.noise import Bounded
from conewise.order.directions import cover_at
from conewise.question.question import Answering, Question

_SHARES: Final = (1.0, 0.924, 0.707, 0.383, 0.0)  # of epsilon, at which bets stand: points of a quarter circle
_MOST_NUMBERS: Final = 2**27  # in memory, a gigabyte: every value, and the bets of every pair
_PILOT_WORTH: Final = 200  # observations of a design that bets may take, below which no pilot is read
_MOST_PAIRS: Final = 2**18  # of ordered pairs and facets, for which bets of independent designs are kept
_GROWTH: Final = 1.08  # from one look to the next; a bet may be looked at always
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
    """(2, K, K, N): lower bounds of gains in the bounded objectives, for "fine" and for the other claims.

    They hold at the last look that both designs have reached; None unless kinds of noise differ.
    """

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
        k, bets = self.n_designs, self._thresholds.size * len(self._stakes) if self.bets else 1
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

    @cached_property
    def mixed(self) -> MixedBounds | None:
        """Bounds where objectives differ in their kind of noise; None where they do not."""
        if not self.kinds.several:
            return None
        asked = self.cone.facets, self.kinds, self._stakes, self.population
        return MixedBounds(*asked, self._looks, self.radius_scale)

    @property
    def _noisy(self) -> int:
        """Number of facets that have noise."""
        return len(self.cone.facets) if self.mixed is None else int(self.mixed.noisy.sum())

    @property
    def whole(self) -> bool:
        """True if all blocks of the population can be read."""
        return self.population == self.blocks

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """The prefixes at which designs are compared; the last one holds all blocks."""
        if self.once and not self.bets:
            return (self.blocks,)
        found, growth = [_FIRST if self.bets else _T_FIRST], _GROWTH if self.bets else _T_GROWTH
        if self.kinds.several:
            growth = _MIXED_GROWTH
        while found[-1] < self.blocks:
            found.append(max(found[-1] + 1, int(found[-1] * growth)))
        return (*(level for level in found if level < self.blocks), self.blocks)

    @cached_property
    def even(self) -> Weights:
        """Even shares of delta (docs/blocks, section 3)."""
        return Weights.even(self.n_designs, self._noisy, TUNING.contain_parts)

    @cached_property
    def pilot(self) -> Pilot | None:
        """A pilot that decides how delta is shared, before any observation; None where it would not pay."""
        covering = self.success == "cover"
        if not self.independent or self.n_designs < TUNING.pilots_from[not covering] or self.blocks < _PILOT_WORTH:
            return None
        factor = float(self.cone.lift_norms(np.ones((len(self.cone.facets), 1)), non_negative=True)[0])
        nobody = np.full(self.n_designs, -1, dtype=np.intp)
        each = self.blocks if self.planned is None else min(self.blocks, self.planned // self.n_designs)
        most = max(2, each // 20)
        task = Task(self.cone, self.epsilon, covering, factor, _covariance, lambda _: nobody, 0.0, 2, most)
        return Pilot.begun(task, self.n_designs)

    @property
    def stepwise(self) -> bool:
        """True if designs that are decided leave their shares to the others; not at one look, nor for several kinds."""
        return self.success == "contain" and not self.once and self.mixed is None

    def shares(self, standing: Standing, weights: Weights | None = None) -> tuple[Floats, Floats]:
        """Return the probabilities of a wrong claim that j is no worse than i, and that j puts i out.

        They are (K, K), i a row, or single numbers if all are equal. Covering by bets or sums errs along any facet,
        other claims along one.
        """
        spending, everyone = Spending(self._for_pairs, self.stepwise, weights or self.even), np.arange(self.n_designs)
        fine, out = spending.log_fine(everyone, standing)[0].T, spending.log_out(everyone, everyone, standing)[0]
        facets = self._noisy if self.success == "cover" and (self.bets or self.mixed is not None) else 1
        if out.size == 1:
            return np.exp(fine).reshape(()), np.exp(out).reshape(()) / facets
        return np.exp(np.broadcast_to(fine, out.shape)), np.exp(out) / facets

    @cached_property
    def _first_shares(self) -> tuple[float, float]:
        fine, out = self.shares(Standing.at_first(self.n_designs))
        return float(fine), float(out)

    @property
    def _for_pairs(self) -> float:
        """The part of delta for claims about pairs: all of it, or what levels leave of it (docs/blocks, section 7)."""
        return self.question.delta * (1 - BlockLevels.part(self.question))

    @cached_property
    def required(self) -> BlockLevels | None:
        """The levels that designs have to meet; None where there are none."""
        if not self.question.columns.levels:
            return None
        asked = self.question, self.n_designs, self.population
        return BlockLevels(*asked, self.levels, self._looks, self._stakes, self.kinds, self.radius_scale)

    def _needed(self, shares: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        """Return the logarithms of the wealth for "no worse", and for "dominated" and "covered"."""
        with np.errstate(divide="ignore"):
            fine, out = (-(self.radius_scale**2) * np.log(share) for share in shares)
        return fine, out

    def deviations(self, state: Prefixes, left: Indices) -> tuple[Floats, Floats]:
        """Return approximately how many standard errors decide a difference, for "no worse" and for the other claims.

        Use it for forecasts only. The result is (L, L), or single numbers if all are equal.
        """
        from scipy.special import ndtri

        if state.weights is not None:
            fine, out = self._needed(self.shares(Standing.at_first(self.n_designs), state.weights))
            here, more = np.ix_(left, left), np.log(len(self._stakes))
            return np.sqrt(2 * (fine[here].T + more)), np.sqrt(2 * (out[here] + more))

        if self.bets or self.mixed is not None:
            # the logarithm of a wealth grows by half the squared distance at best, shared by the stakes
            needed = self._needed(self.shares(Standing.at_first(self.n_designs)))
            fine, out = (np.sqrt(2 * (each + np.log(len(self._stakes)))) for each in needed)
            return fine, out
        fine, out = (-np.asarray(ndtri(share / self._looks)) for share in self._first_shares)
        return self.radius_scale * fine, self.radius_scale * out

    @property
    def _looks(self) -> int:
        """Number of looks at normal differences that share a probability: all but the last at a whole population."""
        return max(1, len(self.levels) - (1 if self.whole else 0))

    @cached_property
    def _stakes(self) -> Floats:
        return stakes_for(self.blocks)

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

    # -- the state ----------------------------------------------------------------------------------------------

    def start(self) -> Prefixes:
        """Return a state in which nothing is read."""
        k, dim = self.n_designs, self.cone.dim
        values, reach = np.empty((k, 0, dim)), np.zeros(k, dtype=np.int64)
        wagers = peaks = lows = None
        if self.mixed is not None:
            lows = read_only(np.full((2, k, k, len(self.cone.facets)), -np.inf))
        if self.bets:
            _, facets, thresholds = self._thresholds.shape
            wagers = Wagers.fresh(k * k, facets, thresholds, len(self._stakes))
            peaks = np.zeros((k * k, facets, thresholds))
        nothing = Statistics.empty(k, dim), read_only(values), read_only(reach)
        return Prefixes(*nothing, wagers, peaks, self.pilot, lows=lows)

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
        if not self.independent:
            self._check_range(values, before.reach.min())
        wagers, peaks, old, new = before.wagers, before.peaks, self.level(before.reach), self.level(reach)
        if wagers is not None and peaks is not None and (new > old).any():
            wagers, peaks = self._bet(wagers, peaks, values, old, new)
        after = replace(
            before, statistics=statistics, values=read_only(values), reach=read_only(reach), wagers=wagers, peaks=peaks
        )
        return after if before.lows is None else replace(after, lows=read_only(self._lows(after, before)))

    def _check_range(self, values: Floats, start: int) -> None:
        outside = self.kinds.misfit(values[:, start:])
        if outside.any():
            design, _, objective = np.argwhere(outside)[0]
            raise InputError(
                f"a value of design {design} in objective {objective} is outside the range that the noise assumes; no "
                "claim would hold with it: give the true range."
            )

    def level(self, reach: Counts) -> Indices:
        """Return the last look that each design has reached, (K,); -1 before the first."""
        return np.asarray(np.searchsorted(np.array(self.levels), reach, side="right") - 1)

    def _lows(self, state: Prefixes, before: Prefixes) -> Floats:
        """Return lower bounds of gains in the bounded objectives, at the last look that both designs have reached."""
        assert self.mixed is not None
        assert before.lows is not None
        lows, shares = before.lows.copy(), self._first_shares
        old, new = self.level(before.reach), self.level(state.reach)
        for look, members, met in self._met(new):
            due = met & (np.minimum(old[members][:, None], old[members][None, :]) < look)
            if due.any():
                found = self.mixed.bounded(state.values[members, : self.levels[look]], shares)
                for side, part in zip(lows, found, strict=True):
                    side[np.ix_(members, members)] = np.where(due[:, :, None], part, side[np.ix_(members, members)])
        return lows

    def _met(self, level: Indices) -> Iterator[tuple[int, Indices, Bools]]:
        """Yield for each look the designs that have reached it, and which pairs of them have met there last."""
        for look in np.unique(level[level >= 0]):
            members = np.flatnonzero(level >= look)
            yield int(look), members, np.minimum(level[members][:, None], level[members][None, :]) == look

    def _sums(self, state: Prefixes) -> Floats:
        """Return lower bounds of gains where kinds of noise differ: (2, K, K, N)."""
        assert self.mixed is not None
        assert state.lows is not None
        total, steps, shares = state.lows.copy(), self._steps(state), self._first_shares
        for look, members, met in self._met(self.level(state.reach)):
            found = self.mixed.others(state.values[members, : self.levels[look]], steps, shares)
            for side, part in zip(total, found, strict=True):
                side[np.ix_(members, members)] += np.where(met[:, :, None], part, 0.0)
        return total

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
            start, stop = (self.levels[level - 1] if level else 0), self.levels[level]
            facets = self._scaled(values[:, start:stop])
            for part in chunks(len(first), logs[0].size + facets[0].size):
                i, j = first[part], second[part]
                pairs = i * self.n_designs + j
                bets = Wagers(logs[pairs], sums[pairs], seen[pairs])
                bets = bets.after(facets[j] - facets[i], self._thresholds, self._stakes, self.population)
                logs[pairs], sums[pairs], seen[pairs] = bets.logs, bets.sums, bets.seen
                peaks[pairs] = np.maximum(peaks[pairs], bets.wealth)
        return Wagers(logs, sums, seen), peaks

    def _scaled(self, values: Floats) -> Floats:
        """Return facet values such that differences lie in [-1, 1]: (K, T, N)."""
        return np.asarray(self.cone.facet_values(values) / self.reaches)

    # -- claims -------------------------------------------------------------------------------------------------

    def claims(self, state: Prefixes, *, sharp: bool = False) -> Claims:
        """Return what the blocks certify at the epsilon of the question.

        `sharp` looks for bets that are won at any epsilon, not only at fixed shares of epsilon. Use it for an answer in
        which something is undecided. The event of an error is the same for both (docs/blocks, section 4).
        """
        sharp = sharp and (self.bets or self.mixed is not None)
        bounds = self._bounds(state, sharp=sharp)
        out = np.zeros(self.n_designs, dtype=bool) if bounds is None else bounds.misses
        left = ~out
        first = Standing(left, np.zeros_like(left))
        pairs = Tabled(lambda standing: self._tables(state, standing, sharp), np.flatnonzero(left), first)
        nobody = np.full(self.n_designs, -1, dtype=np.intp)
        covering = self.success == "cover"
        return judge(pairs, nobody, bounds, self.epsilon, covering=covering, stepwise=self.stepwise)

    def certified_epsilon(self, claims: Claims) -> Certified | None:
        """Return the smallest epsilon that is certified, with the set to return for it (docs/blocks, section 3)."""
        found = certified(claims, self.success == "cover")
        # no design that is returned for a tie is further than 0
        return found if found is None or found.epsilon > TIE else replace(found, epsilon=0.0)

    def _tables(self, state: Prefixes, standing: Standing, sharp: bool) -> tuple[Bools, Floats, Floats]:
        """Return `dominated`, `no_worse_at` and `covered_at` of all pairs."""
        shares = self.shares(standing, state.weights)
        tables = self._of_pairs(state, shares)
        return self._sharper(state, shares, tables, standing.left) if sharp and self.mixed is None else tables

    def _bounds(self, state: Prefixes, *, sharp: bool) -> Bounds | None:
        if self.required is None:
            return None
        level, steps = self.level(state.reach), self._steps(state)
        return self.required.bounds(state.values, level, state.statistics, steps, sharp=sharp)

    def _steps(self, state: Prefixes) -> Floats:
        """Return the steps in which values were recorded, where they may hide a spread: (D,)."""
        return Rounding.of(self.kinds.noise, state.statistics).steps

    def _of_pairs(self, state: Prefixes, shares: tuple[Floats, Floats]) -> tuple[Bools, Floats, Floats]:
        k, facets = self.n_designs, len(self.cone.facets)
        if state.peaks is not None:
            m = self._thresholds * self.reaches[None, :, None]
            fine, out = (
                np.where(state.peaks >= needed.reshape(-1, 1, 1), m, -np.inf).max(axis=2).reshape(k, k, facets)
                for needed in self._needed(shares)
            )
            return self._with_exact(state, self._of_bounds(fine, out))
        if state.lows is not None:
            return self._with_exact(state, self._of_bounds(*self._sums(state)))
        return self._with_exact(state, self._of_differences(state, shares))

    def _of_bounds(self, fine: Floats, out: Floats) -> tuple[Bools, Floats, Floats]:
        """Return the tables from lower bounds of gains, for "fine" and other claims (docs/blocks, section 2)."""
        tie: Floats | float = BELOW
        if self.mixed is not None:  # exact gains may tie, which is not fine at epsilon 0
            tie = np.where(self.mixed.noisy, BELOW, 0.0 if self.question.epsilon > 0 else TIE)
        at = np.where(fine == 0, tie, -fine / self.cone.widths).min(axis=2).T
        cover = np.full(at.shape, np.inf)
        met = np.isfinite(out).all(axis=2)
        if self.question.success == "cover" and met.any():
            cover[met] = self.cone.lift_norms(np.maximum(-out[met], 0.0).T, non_negative=True)
        return np.asarray((out >= 0).all(axis=2)), at, cover

    def _of_differences(self, state: Prefixes, shares: tuple[Floats, Floats]) -> tuple[Bools, Floats, Floats]:
        """Return the tables for normal differences, by Student's t at the last common look (docs/blocks, section 5)."""
        shape = (self.n_designs,) * 2
        found = np.zeros(shape, dtype=bool), np.full(shape, np.inf), np.full(shape, np.inf)
        level = self.level(state.reach)
        steps = self._steps(state)
        for look, members, new in self._met(level):
            here = np.ix_(members, members)
            seen = Differences.of(state.values[members, : self.levels[look]], self.cone.facets, steps, self.population)
            fine, _ = seen.radii(float(shares[0]) / self._looks, self.radius_scale)
            out, widest = seen.radii(float(shares[1]) / self._looks, self.radius_scale)
            gains = seen.gains
            beats = (gains >= out).all(axis=2) & (gains > 0).any(axis=2)
            at = ((gains + fine) / self.cone.widths).min(axis=2)
            cover = np.full(at.shape, np.inf)
            met = np.isfinite(out).all(axis=2) & np.isfinite(widest)
            if self.question.success == "cover" and met.any():
                cover[met] = cover_at(self.cone, gains[met].T, out[met].T, widest[met])
            for whole, part in zip(found, (beats, at, cover), strict=True):
                whole[here] = np.where(new, part, whole[here])
        return found

    def _with_exact(self, state: Prefixes, tables: tuple[Bools, Floats, Floats]) -> tuple[Bools, Floats, Floats]:
        """Return the tables, exact for designs that have read the whole population (docs/blocks, section 3).

        A design is never compared with itself.
        """
        beats, at, cover = tables[0].copy(), tables[1].copy(), tables[2].copy()
        known = np.flatnonzero(state.counts == self.population) if self.population is not None else np.empty(0, np.intp)
        if len(known):
            here = np.ix_(known, known)
            values = self.cone.facet_values(self.kinds.averages(state.values, state.statistics)[known])
            gains = values[None, :, :] - values[:, None, :]
            beats[here] = (gains >= 0).all(axis=2) & (gains > 0).any(axis=2)
            least = (gains / self.cone.widths).min(axis=2)
            at[here] = np.where(beats[here], least, np.minimum(least, BELOW))
            deficits = np.maximum(-gains, 0.0).reshape(-1, gains.shape[2]).T
            cover[here] = self.cone.lift_norms(deficits, non_negative=True).reshape(len(known), -1)
        each = np.arange(len(at))
        beats[each, each], at[each, each], cover[each, each] = False, -np.inf, np.inf
        return beats, at, cover

    def _sharper(
        self, state: Prefixes, shares: tuple[Floats, Floats], tables: tuple[Bools, Floats, Floats], among: Bools
    ) -> tuple[Bools, Floats, Floats]:
        """Return the tables with bets won at any epsilon, not only at fixed shares of it, for the designs left.

        Wealth falls as m rises, so the event of an error is the same (docs/blocks, section 4). A bound that is
        certain without a bet may be a tie: it beats no design, and leaves no design certain.
        """
        k, facets = self.n_designs, len(self.cone.facets)
        fine, out = np.full((2, k, k, facets), -np.inf)
        needed = np.stack([np.broadcast_to(each, (k, k)) for each in self._needed(shares)], axis=2)
        for look, members, met in self._met(np.where(among, self.level(state.reach), -1)):
            first, second = (members[side] for side in np.nonzero(met & ~np.eye(len(members), dtype=bool)))
            scaled = self._scaled(state.values[:, : self.levels[look]])
            for part in chunks(len(first), scaled[0].size):
                i, j = first[part], second[part]
                differences = scaled[j] - scaled[i]
                found = lower_bounds(differences, needed[i, j][:, None, :], self._stakes, self.population)
                found -= np.where((np.abs(found) < HAIR) | [False, True], HAIR, 0.0)
                found *= self.reaches[None, :, None]
                fine[i, j], out[i, j] = found[..., 0], found[..., 1]
        beats, at, cover = self._of_bounds(fine, out)
        better = tables[0] | beats, np.minimum(tables[1], at), np.minimum(tables[2], cover)
        return self._with_exact(state, better)


def _covariance(pilots: Statistics) -> Floats:
    """Return an approximate covariance of one observation; a default for 0/1 values that did not vary yet."""
    freedom = max(int(np.maximum(pilots.counts - 1, 0).sum()), 1)
    return np.asarray((pilots.scatters.sum(axis=0) + 0.25 * np.eye(pilots.dim)) / (freedom + 1))
