"""Certify designs that were evaluated independently of each other, for any sampling rule (docs/adaptive).

Delta is spent where errors can come from (docs/adaptive, 3). A wrong "no worse" that matters concerns a design outside
the Pareto set and the one rival that attains its gap, in N directions. A wrong "dominated" or "covered" concerns a
Pareto design, K - 1 rivals, and the one direction that carries M(i, j).

At which counts a certificate looks, and how far comparisons may err there, follows from the question alone, before any
observation (docs/adaptive, 2 and 6).
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Final, TypeAlias, TypeVar

import numpy as np

from conewise._memory import Memory
from conewise.border import Bools, Floats, Indices, as_count
from conewise.certificate.claims import FEW, Certified, Claims, Memo, certified, judge, rivals_of
from conewise.certificate.contrasts import NOWHERE, Contrasts, Ruler, Shown, Stream, Table, Tables, places
from conewise.certificate.history import Checkpoints, Snapshot
from conewise.certificate.looks import Levels
from conewise.certificate.mixed import Radii
from conewise.certificate.pilots import FINE_LIMITS, Pilot, Task, least_weights
from conewise.certificate.rounding import Estimated, Rounding
from conewise.certificate.streams import Separately, taken_apart
from conewise.certificate.thresholds import REACH, Bounds, Thresholds
from conewise.certificate.tuning import LEVEL_PART, TUNING, Tuning
from conewise.certificate.weights import Spending, Standing, Weights
from conewise.data.observations import Statistics
from conewise.errors import InputError
from conewise.limits import MOST_EVALUATIONS
from conewise.noise import Noise
from conewise.order.budgets import check_designs
from conewise.order.directions import cover_at
from conewise.order.dominance import maximal_columns
from conewise.question.question import Answering, Question, as_question

MOST: Final = 10**9
"""Largest number of observations of one design that will ever be looked at, where nothing else limits it."""
STEP: Final = 2.0**0.125
"""Ratio of the probabilities for which boundaries are tabulated; shares are rounded down to them."""
PILOT_DESIGNS: Final = 1000
"""No pilot with more designs, because it needs weights of all pairs."""

_OUT_ANCHOR: Final = 0.3  # where "beaten" and "covered" spend most, over the count at which the last of them is due
_SHARE: Final = 8.0  # evaluations of a design that is hard to decide, over the average of all designs
_ROOM: Final = 16  # schedules may reach this many times further than their first guess
_AT_ONCE: Final = 2**17  # designs of one table, where very many are compared with a front

Told: TypeAlias = Checkpoints | Statistics | Separately
State = TypeVar("State", bound=Checkpoints | Separately)


@dataclass(frozen=True, eq=False)
class _Last:
    """Results of the last call, kept to save time."""

    state: Told
    epsilon: float | None
    ruler: Ruler
    claims: Claims
    memo: Memo
    steps: bytes
    """Key of the steps of recorded values."""


@dataclass(frozen=True, eq=False)
class Certificate(Answering):
    """Claims from observations of independent designs; frozen configuration, no state (docs/adaptive, 4).

    On a schedule claims hold at any moment. Observations are then `Checkpoints`, or those of each objective where
    objectives are measured separately. With `once` claims hold for one look at a sample whose size did not depend on
    what was seen. Observations are then `Statistics`, of rows or of each objective. Radii are narrower, but no
    observations may be added after the look.
    """

    question: Question
    n_designs: int
    most: int | None = None
    """Largest number of observations of one design that will ever be looked at; from epsilon by default."""
    any_epsilon: bool = False
    """True if epsilon may be chosen anew at every look; then nothing that is fixed beforehand may use it."""
    scale: float = 1.0
    """Factor of every radius. Anything but 1 voids the proof (for negative controls)."""
    pilots: bool = True
    """True if pilots may be asked for, to share delta; False for observations that are there already."""
    planned: int | None = None
    """Limit on the evaluations of a run, if it was known before the first one."""
    _: KW_ONLY
    tuning: Tuning = TUNING
    once: bool = False
    """True if the observations are looked at a single time."""
    apart: bool = False
    """True if each objective is measured by itself."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_designs", check_designs(self.n_designs))
        object.__setattr__(self, "question", as_question(self.question, self.n_designs, levels=True))
        _ = self.noise  # without an assumption nothing can be certified
        if self.any_epsilon and self.most is None:
            object.__setattr__(self, "most", MOST)
        if self.most is not None:
            as_count(self.most, "most", 2)

    @cached_property
    def noise(self) -> Noise:
        """The assumption about an evaluation; about each objective if objectives are measured separately."""
        assumed = self.question.assumed
        return taken_apart(assumed, self.cone.dim) if self.apart else assumed

    @cached_property
    def radii(self) -> Radii:
        """The radii for differences of means."""
        return Radii.of(self.cone.facets, self.noise, joint=self.success == "cover", once=self.once)

    @cached_property
    def requirements(self) -> Thresholds | None:
        """The levels that designs have to meet (docs/adaptive, 9); None without levels."""
        axes = Radii.of(np.eye(self.cone.dim), self.noise, joint=False, once=self.once)
        return Thresholds.of(self.question, axes, self.delta * LEVEL_PART / self.n_designs)

    @property
    def with_levels(self) -> str:
        """Words about levels for the name of a theorem."""
        if self.requirements is None:
            return ""
        return f", levels met within epsilon{' (of rivals with more to spare)' if self.requirements.spared else ''}"

    @cached_property
    def for_pairs(self) -> float:
        """The part of delta for claims about pairs: all of it, or what levels leave of it (docs/adaptive, 9.2)."""
        return self.delta * (1 - LEVEL_PART) if self.question.columns.levels else self.delta

    @cached_property
    def stepwise(self) -> bool:
        """True if the designs that are decided leave their shares of delta to the others (docs/adaptive, 3.2)."""
        return self.success == "contain" and self.tuning.steps

    @cached_property
    def directions(self) -> bool:
        """True if "covered" is tested along directions (docs/adaptive, 3.4)."""
        return self.success == "cover" and self.radii.any_direction and self.tuning.directions

    @cached_property
    def even(self) -> Weights:
        """Even shares of delta."""
        return Weights.even(self.n_designs, len(self.cone.facets))

    def spending(self, weights: Weights) -> Spending:
        """Return what claims may spend if delta is shared by these weights (docs/adaptive, 3)."""
        return Spending(self.for_pairs, self.stepwise, weights)

    # -- the schedule (docs/adaptive, 2 and 6) -----------------------------------------------------------------

    @cached_property
    def weighted(self) -> bool:
        """True if delta is shared by weights of a pilot (docs/adaptive, 3.3)."""
        least = max(2, self.tuning.pilots_from[self.stepwise])
        return (
            (self.pilots and self.tuning.pilots and not (self.any_epsilon or self.once or self.apart))
            and (self.stepwise or self.success == "cover")  # a pilot's weights for `contain` are for steps
            and least <= self.n_designs <= PILOT_DESIGNS
            and min(self._due[0], self.each) >= self.tuning.pilot_worth
        )

    @property
    def each(self) -> float:
        """Largest number of observations of a design, on average over all designs."""
        limits = math.inf if self.most is None else 2 * self.most, math.inf if self.planned is None else self.planned
        return min(limits) / self.n_designs  # the schedule is for two designs at least

    @cached_property
    def _due(self) -> tuple[float, float]:
        """Counts at which the last claims "fine" and "out" about a near-tie of size epsilon are due."""
        worst = self.radii.worst
        if self.epsilon == 0 or self.any_epsilon or worst is None:
            return math.inf, math.inf  # no scale is known beforehand
        widest = 2 * float((self.radii.planned(worst) / self.cone.widths**2).max()) / self.epsilon**2
        fine, out = (widest * (REACH * self.noise.deviation(alpha)) ** 2 for alpha in self._alphas)
        return fine, out

    @property
    def _alphas(self) -> tuple[float, float]:
        """The least probabilities of claims "fine" and "out", for even weights."""
        spending, standing = self.spending(self.even), Standing.at_first(self.n_designs)
        fine, out = spending.log_fine(NOWHERE, standing), spending.log_out(NOWHERE, NOWHERE, standing)
        return math.exp(fine.item()), math.exp(out.item())

    @cached_property
    def least(self) -> tuple[float, float]:
        """Least probability of any claim "fine" and "out", whatever a pilot says (docs/adaptive, 6)."""
        if not self.weighted:
            return self._alphas
        fine, out = least_weights(self.n_designs, len(self.cone.facets))
        low, high = FINE_LIMITS if self.stepwise else (1.0, 0.0)
        return self.for_pairs * fine * low, self.for_pairs * out * (1 - high)

    @cached_property
    def anchors(self) -> tuple[float, float]:
        """Counts towards which the two kinds of claims spend delta: designs are mostly out before they are fine."""
        fine, out = self._due
        if self.radii.estimates:
            return math.inf, math.inf  # how noisy it really is, the data will tell
        if math.isfinite(fine):  # a hard design has a few times the average: later looks come after the end of the run
            fine, out = min(fine, _SHARE * self.each), min(out, _SHARE * self.each)
        return fine, _OUT_ANCHOR * out * self.cover_factor**2

    @cached_property
    def cover_factor(self) -> float:
        """Ratio of the radius of "covered" and that of one facet (at least 1), for planning."""
        ones = np.ones((len(self.cone.facets), 1))
        return float(cover_at(self.cone, 0 * ones, ones, np.ones(1) if self.directions else None)[0])

    @cached_property
    def levels(self) -> Levels:
        """Levels up to the count that decides every pair whatever its means, or `most` (docs/adaptive, 6)."""
        fine, out = self._due
        growth = self.radii.growth
        if self.most is not None or math.isinf(fine):
            return self._until(MOST if self.most is None else self.most, due=0.0)
        # Not fine: all gains exceed epsilon alpha - r_fine; beaten once that is r_out or more.
        most = (math.sqrt(fine) + math.sqrt(out)) ** 2
        if most * self.n_designs > MOST_EVALUATIONS / _ROOM:
            raise InputError(
                f"epsilon = {self.epsilon:g} may take {most:.0e} evaluations of a design, more than can be counted; "
                "raise epsilon or lower sigma, or ask for epsilon = 0 with max_evaluations."
            )
        levels = self._until(most, due=fine)
        while (need := self._need(levels)) > 1:  # radii fall about as the root of the count, which says how far it is
            most *= max(growth, need**2)
            levels = self._until(most, due=fine)
        return levels

    def _until(self, most: float, due: float) -> Levels:
        return replace(self.radii.schedule(most, due=due), timed=self.tuning.timing)

    def _need(self, levels: Levels) -> float:
        """Return by which factor radii at the last level are too wide to settle every pair (docs/adaptive, 6)."""
        found = zip((False, True), self.anchors, self.least, strict=True)
        each = [self.radii.boundaries(levels, anchor, (alpha,), out)[:, 0, -1] for out, anchor, alpha in found]
        total = sum(self.radii.largest(z, levels.counts[-1], designs=2) for z in each)
        need = float((total / (self.epsilon * self.cone.widths)).max())
        return need if self.requirements is None else max(need, self.requirements.need(levels, self.epsilon))

    @cached_property
    def tables(self) -> Tables:
        """Boundaries by level and by what a claim may spend (docs/adaptive, 2)."""
        most = (self.for_pairs,) * 2 if self.stepwise or self.weighted else self.least
        return Tables.of(self.radii, self.levels, self.anchors, self.least, most, STEP)

    @cached_property
    def level_boundary(self) -> Floats:
        """Standard deviations of an average by part and level, (2, P, L), for "meets" and "misses" a level."""
        assert self.requirements is not None
        return self.requirements.boundary(self.levels, 0.0 if self.any_epsilon else self.epsilon)

    @cached_property
    def pilot(self) -> Pilot | None:
        """A pilot that decides how delta is shared, before any observation; None where little is planned."""
        if not self.weighted:
            return None
        first = 2 if self.radii.estimates else 1  # one observation does not show its noise
        most = max(first, int(min(self.levels.counts[-1], self.each) / 20))
        factor, covering = self.cover_factor, self.success == "cover"
        task = Task(self.cone, self.epsilon, covering, factor, self.radii.typical, first, most)
        return Pilot.begun(task, self.n_designs)

    # -- claims (docs/adaptive, 1 and 4) ---------------------------------------------------------------------

    def claims(self, seen: Told, epsilon: float | None = None) -> Claims:
        """Return what the observations certify; a function of the observations alone, valid for every epsilon at once.

        (With more than FEW designs there is one exception: designs that were beaten at an earlier look stay beaten.)
        """
        last = _MEMORY.last(self)
        if last is None or last.state is not seen or last.epsilon != epsilon:
            last = self._worked_out(seen, epsilon, last)
            _MEMORY.keep(self, last)
        return last.claims

    def certified_epsilon(self, claims: Claims) -> Certified | None:
        """Return the smallest epsilon that is certified, with the set to return for it (docs/adaptive, 4)."""
        return certified(claims, self.success == "cover")

    def _worked_out(self, seen: Told, epsilon: float | None, last: _Last | None) -> _Last:
        """Return the claims (docs/adaptive, 3); `last` saves time."""
        ruler, shown = self._ruler(seen, last), self._shown(seen)
        bounds, memo = self._bounds(shown), Memo() if last is None or last.ruler is not ruler else last.memo
        by, out = np.full(self.n_designs, -1, dtype=np.intp), np.zeros(self.n_designs, dtype=bool)
        if bounds is not None:
            out |= bounds.misses
        if self.n_designs > FEW and isinstance(seen, Checkpoints):
            if last is not None and _continues(last, shown[0]):
                by = np.where(last.claims.beaten, last.claims.by, -1)
            by = self._struck(shown, ruler, bounds, by, out)
            out |= by >= 0
        pairs = self._contrasts(shown, np.flatnonzero(~out), ruler, Standing(~out, np.zeros_like(out)))
        asked, covering = self.question.epsilon if epsilon is None else epsilon, self.success == "cover"
        claims = judge(pairs, by, bounds, asked, covering=covering, stepwise=self.stepwise, memo=memo)
        return _Last(seen, epsilon, ruler, claims, memo, pairs.steps)

    def _struck(
        self, shown: tuple[Shown, ...], ruler: Ruler, bounds: Bounds | None, by: Indices, out: Bools
    ) -> Indices:
        """Return which design beats each of very many, -1 for none, at the last checkpoint of each (section 3.2).

        The designs on the empirical front of a checkpoint are tried. At equal variances nothing is missed there.
        """
        strikers = np.ones_like(out) if bounds is None or bounds.strikers is None else bounds.strikers
        while (left := (by < 0) & ~out).sum() > FEW:
            standing, by = Standing(left, np.zeros_like(left)), by.copy()
            for level, view in enumerate(shown[0].views(self.streams[0])):
                mine, may = np.flatnonzero(left & (shown[0].reached == level)), np.flatnonzero(strikers[view.designs])
                front = may[maximal_columns(view.values[may].T)] if len(mine) else NOWHERE
                rivals = view.designs[front[np.argsort(-view.values[front].min(axis=1), kind="stable")]]
                for start in range(0, len(mine), _AT_ONCE):
                    rows, among = mine[start : start + _AT_ONCE], np.zeros_like(left)
                    among[rows] = among[rivals] = True
                    designs = np.flatnonzero(among)
                    pairs = self._contrasts(shown, designs, ruler, standing)
                    found = rivals_of(pairs, np.searchsorted(designs, rows), np.searchsorted(designs, rivals))
                    by[rows] = np.where(found < 0, -1, designs[found])
            if not self.stepwise or (left == ((by < 0) & ~out)).all():
                break
        return by

    def compare(self, seen: Told, designs: Indices, standing: Standing | None = None) -> Contrasts:
        """Return how the observations compare any designs, ascending, with the radii of a standing."""
        standing = Standing.at_first(self.n_designs) if standing is None else standing
        return self._contrasts(self._shown(seen), designs, self.ruler(seen), standing)

    def _contrasts(self, shown: tuple[Shown, ...], designs: Indices, ruler: Ruler, standing: Standing) -> Contrasts:
        each = zip(self.streams, shown, strict=True)
        tables = tuple(Table.of(stream, own, designs, once=self.once) for stream, own in each)
        return Contrasts(ruler, tables, designs, standing, b"".join(own.steps for own in shown))

    # -- the radii in force ------------------------------------------------------------------------------------

    def ruler(self, seen: Told) -> Ruler:
        """Return the radii in force: by the weights of the pilot, or even ones."""
        last = _MEMORY.last(self)
        return last.ruler if last is not None and last.state is seen else self._ruler(seen, last)

    def _ruler(self, seen: Told, last: _Last | None) -> Ruler:
        weights = (seen.weights if isinstance(seen, Checkpoints) else None) or self.even
        if last is not None and not self.once and last.ruler.spending.weights is weights:
            return last.ruler
        tables = None if self.once else self.tables
        counts = _distinct_counts(seen) if tables is None else tables.counts
        return Ruler(self.cone, self.radii, self.spending(weights), self.directions, counts, tables, self.scale)

    # -- streams -----------------------------------------------------------------------------------------------

    @cached_property
    def streams(self) -> tuple[Stream, ...]:
        """Rows, or each objective by itself."""
        return Stream.of(self.cone, self.noise, self.radii, directions=self.directions, apart=self.apart)

    def _shown(self, seen: Told) -> tuple[Shown, ...]:
        """Return what each stream shows at its checkpoints; one look is a single one (docs/adaptive, 8)."""
        found = []
        statistics = [own.statistics if isinstance(own, Checkpoints) else own for own in _each(seen)]
        came = statistics[0].n_designs, sum(own.dim for own in statistics)
        if came != (expected := (self.n_designs, self.cone.dim)):
            raise InputError(
                f"the sample has {came[0]} designs and {came[1]} objectives, but {expected[0]} and {expected[1]} were "
                "announced: make the certificate for the sample."
            )
        for stream, own, total in zip(self.streams, _each(seen), statistics, strict=True):
            rounding = None  # how finely a stream was recorded, where that may hide the noise (docs/adaptive, 7)
            if stream.radii is not None and Estimated.of(stream.noise, total.dim).any:
                rounding = Rounding.of(stream.noise, total)
            if isinstance(own, Checkpoints):
                counts = [
                    np.full(len(s.designs), float(g)) for s, g in zip(own.snapshots, own.levels.counts, strict=False)
                ]
                found.append(Shown(own.reached, own.snapshots, tuple(counts), rounding))
                continue
            some = np.flatnonzero(own.counts >= (2 if stream.radii is not None and stream.radii.estimates else 1))
            part, reached = own.of(some), np.full(self.n_designs, -1)
            reached[some] = np.searchsorted(_distinct_counts(seen), part.counts)
            snapshot = Snapshot(some, part.means, part.scatters)
            found.append(Shown(reached, (snapshot,), (part.counts.astype(np.float64),), rounding))
        if self.once:  # a design is compared once all of it was measured
            whole = np.min([own.reached for own in found], axis=0) >= 0
            found = [replace(own, reached=np.where(whole, own.reached, -1)) for own in found]
        return tuple(found)

    def _bounds(self, shown: tuple[Shown, ...]) -> Bounds | None:
        """Return what is known of the levels of every design (docs/adaptive, 9); None without levels."""
        if (required := self.requirements) is None:
            return None
        found = []
        for place, own in ((place, own) for place, own in enumerate(shown) if own.snapshots):
            objectives = np.array([place]) if self.apart else np.arange(self.cone.dim)
            last, counts = own.latest()
            times, level = np.unique(counts, return_inverse=True)
            if self.once:
                z = required.boundary(Levels(tuple(times.astype(int).tolist()), once=True), 0.0)
            else:
                z, level = self.level_boundary, np.searchsorted(self.levels.counts, counts)
            weighs = (required.radii.weights[:, objectives] != 0).any(axis=1)
            found.append((objectives, last, counts, z[:, weighs][:, :, level], own.rounding))
        return required.bounds(self.n_designs, found, self.scale)


def _each(seen: Told) -> tuple[Checkpoints | Statistics, ...]:
    """Return the observations of each stream."""
    return seen.each if isinstance(seen, Separately) else (seen,)


def _distinct_counts(seen: Told) -> Floats:
    """Return all different counts of designs at one look, ascending."""
    return np.unique(np.concatenate([np.maximum(own.counts, 1.0) for own in _each(seen)]))


def _continues(last: _Last, now: Shown) -> bool:
    """Return whether a stream holds all means of the last one, recorded in the same steps: the run has gone on."""
    assert isinstance(last.state, Checkpoints)
    before = last.state.snapshots
    if len(before) > len(now.snapshots) or now.steps != last.steps:
        return False
    for old, new in zip(before, now.snapshots, strict=False):
        if new is not old:
            here = places(new.designs, old.designs)[1]
            if not np.array_equal(new.designs[here], old.designs) or (new.means[here] != old.means).any():
                return False
    return True


_MEMORY: Memory[Certificate, _Last] = Memory()
