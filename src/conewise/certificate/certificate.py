"""When to stop and what may be claimed, for any sampling rule: beaten, fine, covered.

Two designs are compared on the means of their first g observations each, at the highest level that both have reached.
With D^ = mu^_j - mu^_i, radii r_n and epsilon:

* i is *beaten* by j when w_n.D^ - r_n >= 0 for all n: j weakly dominates it;
* i is *fine against* j when w_n.D^ + r_n <= epsilon alpha_n for some n: m(i, j) <= epsilon;
* i is *covered by* j when `directions.cover_at` <= epsilon: M(i, j) <= epsilon.

Where the errors can come from, and so where delta is spent (docs/adaptive, 3): a wrong "fine" that matters concerns a
design outside the Pareto set and the one rival that attains its gap, in N directions; a wrong "beaten" or "covered"
concerns a Pareto design, K - 1 rivals, and the one direction that carries M(i, j). A pilot may say how that is weighed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, Final

import numpy as np

from conewise._arrays import Floats, Indices, as_count
from conewise._limits import MOST_EVALUATIONS
from conewise._memory import Memory
from conewise.budgets import check_designs
from conewise.certificate.boundaries import Comparisons, Filled, Looks, OneLook, Tables
from conewise.certificate.claims import FEW, Certified, Claims, Struck, Worked, certified, judge
from conewise.certificate.crowds import Crowd, clearly_beaten
from conewise.certificate.history import Checkpoints
from conewise.certificate.looks import Levels
from conewise.certificate.near import Near, overestimated
from conewise.certificate.pairs import Lens, PairTable, View
from conewise.certificate.pilots import Pilot, Task, least_weights
from conewise.certificate.radii import radii_for, radii_for_one_look
from conewise.certificate.radius import AtOnce, Radii
from conewise.certificate.requirements import REACH, Bounds, Requirements
from conewise.certificate.rounding import Estimated, Rounding
from conewise.certificate.tuning import TUNING, Tuning
from conewise.certificate.weights import Spending, Standing, Weights
from conewise.directions import cover_at
from conewise.errors import InputError
from conewise.feedback import Statistics
from conewise.goals import Answering, Question, as_question
from conewise.noise import Gaussian, Noise

MOST: Final = 10**9
"""Largest number of observations of one design that will ever be looked at, where nothing else limits it."""

_ROOM: Final = 16  # schedules may reach this many times further than their first guess


@dataclass(frozen=True, eq=False)
class Asked(Answering):
    """What both certificates share: the question, the radii that its noise allows, and what claims may spend."""

    question: Question
    n_designs: int

    once: ClassVar[bool] = False
    """Whether the observations are looked at a single time."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_designs", check_designs(self.n_designs))
        object.__setattr__(self, "question", as_question(self.question, self.n_designs, levels=True))
        _ = self.noise  # without an assumption nothing can be certified

    @property
    def noise(self) -> Noise:
        """What is assumed of an evaluation."""
        return self.question.assumed

    @property
    def tuning(self) -> Tuning:
        """Tuned numbers."""
        return TUNING

    @cached_property
    def radii(self) -> Radii:
        """How far a difference of means may err."""
        joint = self.success == "cover"
        return radii_for(self.cone.facets, self.noise, self.n_designs, self.for_pairs, joint=joint)

    @cached_property
    def requirements(self) -> Requirements | None:
        """The levels that designs have to meet (docs/adaptive, 9); None where there are none."""
        return Requirements.of(self.question, self.n_designs, self.delta * self.tuning.level_part, once=self.once)

    @property
    def with_levels(self) -> str:
        """For the name of a theorem."""
        if self.requirements is None:
            return ""
        return f", levels met within epsilon{' (of rivals with more to spare)' if self.requirements.spared else ''}"

    @cached_property
    def for_pairs(self) -> float:
        """What claims about pairs may spend: all of delta, or what levels leave of it (docs/adaptive, 9.2)."""
        return self.delta if self.requirements is None else self.delta * (1 - self.tuning.level_part)

    @cached_property
    def stepwise(self) -> bool:
        """Whether what is known already narrows the radii of the rest (docs/adaptive, 3.2)."""
        return self.success == "contain" and self.tuning.steps

    @cached_property
    def directions(self) -> bool:
        """Whether covering goes along directions (docs/adaptive, 3.4)."""
        return self.success == "cover" and self.radii.any_direction and self.tuning.directions

    @cached_property
    def even(self) -> Weights:
        """The same share for all."""
        return Weights.even(self.n_designs, len(self.cone.facets), self.parts)

    @property
    def parts(self) -> tuple[float, float, float]:
        """Of delta, for `contain`: "fine", "beaten" by anybody, and "beaten" by a sure design (docs/adaptive, 3.2)."""
        return self.tuning.contain_parts

    def spending(self, weights: Weights) -> Spending:
        """What claims may spend if delta is shared by these weights (docs/adaptive, 3)."""
        return Spending(self.for_pairs * self.radii.claim_share, self.stepwise, weights)

    def rounding(self, statistics: Statistics) -> Rounding | None:
        """How finely the observations were recorded, where that may hide the noise (docs/adaptive, 7)."""
        return Rounding.of(self.noise, statistics) if self._estimated else None

    @cached_property
    def _estimated(self) -> bool:
        return Estimated.of(self.noise, self.cone.dim).any

    @cached_property
    def lens(self) -> Lens:
        """How means are seen in facet space."""
        return Lens(self.question.cone, self.radii, self.directions)

    def judged(
        self, start: Struck, epsilon: float | None, before: Worked, bounds: Bounds | None
    ) -> tuple[Claims, Worked]:
        """Claims at an epsilon, by default at that of the question, and what they were read off (docs/adaptive, 1)."""
        asked = self.question
        at, covering = asked.epsilon if epsilon is None else epsilon, asked.success == "cover"
        return judge(start, asked.cone, at, covering=covering, stepwise=self.stepwise, before=before, bounds=bounds)

    def certified_epsilon(self, claims: Claims) -> Certified | None:
        """The smallest epsilon that is certified, with the set to return for it (docs/adaptive, 4)."""
        return certified(claims, self.cone, self.success == "cover")


@dataclass(frozen=True, eq=False)
class Sample(Asked):
    """Claims from a sample whose size did not depend on what was seen: one look (docs/adaptive, 8).

    Nothing is paid for looking again, so radii are narrower than those of a schedule, and the claims hold once:
    whoever adds observations after having looked needs the other certificate.
    """

    once: ClassVar[bool] = True

    @cached_property
    def radii(self) -> AtOnce:
        """How far a difference of means may err."""
        joint = self.success == "cover"
        return radii_for_one_look(self.cone.facets, self.noise, self.n_designs, self.for_pairs, joint=joint)

    def claims(self, statistics: Statistics, epsilon: float | None = None) -> Claims:
        """What the sample certifies; valid for every epsilon at once."""
        expected, came = (self.n_designs, self.cone.dim), (statistics.n_designs, statistics.dim)
        if came != expected:
            raise InputError(
                f"the sample has {came[0]} designs and {came[1]} objectives, but {expected[0]} and {expected[1]} were "
                "announced: make the certificate for the sample."
            )
        required = self.requirements
        bounds = None if required is None else required.at_once(statistics, self.rounding(statistics))
        out = np.zeros(self.n_designs, dtype=bool) if bounds is None else bounds.misses
        compared = self.compare(statistics, np.flatnonzero(~out), Standing(~out, np.zeros_like(out)))
        start = Struck(out, np.full(self.n_designs, -1, dtype=np.intp), compared)
        return self.judged(start, epsilon, Worked(), bounds)[0]

    def compare(self, statistics: Statistics, designs: Indices, standing: Standing | None = None) -> Comparisons:
        """How the sample compares any designs, ascending."""
        part = statistics.of(designs)
        counts = part.counts.astype(np.float64)
        seen = counts >= (2 if self.radii.estimates else 1)
        scatters = part.scatters if self.radii.estimates else None
        values, variances, spreads = self.lens.seen(designs, part.means, scatters, counts)
        values[~seen] = np.nan
        reached = np.where(seen, 0, -1)
        table = PairTable(designs, reached, 0, counts[None], values.T[:, None], variances.T[:, None])
        if (rounding := self.rounding(statistics)) is not None:
            table = table.rounded(rounding, self.radii.parts, spreads[None])
        boundaries = OneLook(self.radii, self.spending(self.even), 1.0)
        return Comparisons(table, boundaries, Standing.at_first(self.n_designs) if standing is None else standing)


@dataclass(frozen=True, eq=False)
class _Last:
    """What a certificate has worked out last."""

    state: Checkpoints
    epsilon: float | None
    claims: Claims
    worked: Worked
    views: list[View]
    crowd: Crowd | None


@dataclass(frozen=True, eq=False)
class Certificate(Asked):
    """Claims from checkpoints; frozen configuration, no state (docs/adaptive, 4)."""

    most: int | None = None
    """Largest number of observations of one design that will ever be looked at; from epsilon by default."""
    any_epsilon: bool = False
    """Whether epsilon may be chosen anew at every look: then nothing that is fixed beforehand knows it."""
    scale: float = field(default=1.0)
    """Multiplies every radius: anything but 1 voids the proof (for negative controls)."""
    pilots: bool = True
    """Whether pilots may be asked for, to share out delta; not for observations that are there already."""
    tuned: Tuning = TUNING

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.any_epsilon and self.most is None:
            object.__setattr__(self, "most", MOST)
        if self.most is not None:
            as_count(self.most, "most", 2)

    @property
    def tuning(self) -> Tuning:
        """Tuned numbers."""
        return self.tuned

    # -- the schedule (docs/adaptive, 2 and 6) ---------------------------------------------------------------

    @cached_property
    def near(self) -> bool:
        """Whether pairs count for "beaten" by their leads (docs/adaptive, 3.5)."""
        exact = self.stepwise and self.epsilon == 0 and not self.any_epsilon and self.requirements is None
        few = self.n_designs <= min(self.tuning.near_designs, FEW)
        normal = isinstance(self.noise, Gaussian) and self.radii.alike and self.radii.worst is not None
        return self.tuning.near and exact and few and normal and bool(np.all(np.asarray(self.radii.worst) > 0))

    @property
    def as_stated(self) -> str:
        """What a guarantee adds to the words of the noise: near pairs need more than an upper bound (3.5)."""
        return ", exactly so for every design" if self.near else ""

    @property
    def parts(self) -> tuple[float, float, float]:
        """Where pairs count by their leads, sure designs need no part of their own (docs/adaptive, 3.5)."""
        fine = self.tuning.near_fine
        return (fine, 1 - fine, 0.0) if self.near else super().parts

    @cached_property
    def weighted(self) -> bool:
        """Whether delta is shared by weights of a pilot (docs/adaptive, 3.3)."""
        suits = self.pilots and self.tuning.pilots and not self.any_epsilon and not self.near
        suits = suits and (self.stepwise or self.success == "cover")  # a pilot's weights for `contain` are for steps
        least = max(2, self.tuning.pilots_from[self.stepwise])
        suits = suits and least <= self.n_designs <= min(self.tuning.pilot_designs, FEW)
        return suits and self._due[0] >= self.tuning.pilot_worth

    @cached_property
    def _due(self) -> tuple[float, float]:
        """Counts at which the last claims "fine" and "out" of an epsilon-sized near-tie are due."""
        worst = self.radii.worst
        if self.epsilon == 0 or self.any_epsilon or worst is None:
            return math.inf, math.inf  # no scale is known beforehand
        widest = 2 * float((self.radii.planned(worst) / self.cone.widths**2).max()) / self.epsilon**2
        fine, out = (widest * (REACH * self.noise.deviation(alpha)) ** 2 for alpha in self._alphas(self.even))
        return fine, out

    def _alphas(self, weights: Weights) -> tuple[float, float]:
        """The least probabilities of claims "fine" and "out", for even weights."""
        spending, standing = self.spending(weights), Standing.at_first(self.n_designs)
        nobody = np.zeros(0, dtype=np.intp)
        out = spending.log_out(nobody, nobody, standing).item()
        if spending.by_sure:
            out = min(out, spending.log_by_sure(nobody, nobody, standing).item())
        return math.exp(spending.log_fine(nobody, standing).item()), math.exp(out)

    @cached_property
    def least(self) -> tuple[float, float]:
        """The least probability of any claim "fine" and "out", whatever a pilot says (docs/adaptive, 6)."""
        if self.near:
            (fine, out), spending, part = self._alphas(self.even), self.spending(self.even), self.tuning.near_leads
            return fine, min((1 - part) * out, overestimated(spending, len(self.cone.facets), part))
        if not self.weighted:
            return self._alphas(self.even)
        fine, out = least_weights(self.n_designs, len(self.cone.facets), self.tuning)
        left = self.for_pairs * self.radii.claim_share
        if not self.stepwise:
            return left * fine, left * out
        low, high = self.tuning.fine_limits
        return left * fine * low, left * out * (1 - high)

    @cached_property
    def anchors(self) -> tuple[float, float]:
        """Counts towards which the two kinds of claims spend delta: designs are mostly out before they are fine."""
        fine, out = self._due
        if self.radii.estimates:
            return math.inf, math.inf  # how noisy it really is, the data will tell
        return fine, self.tuning.out_anchor * out * self.cover_factor**2

    @cached_property
    def cover_factor(self) -> float:
        """How much more covering costs than one facet's radius (at least 1): for planning."""
        ones = np.ones((len(self.cone.facets), 1))
        return float(cover_at(self.cone, 0 * ones, ones, np.ones(1) if self.directions else None)[0])

    @cached_property
    def levels(self) -> Levels:
        """Up to the count that decides every pair whatever its means, or `most` (docs/adaptive, 6)."""
        fine, out = self._due
        growth = self.radii.growth
        if self.most is not None or math.isinf(fine):
            found = self.radii.schedule(MOST if self.most is None else self.most, due=0.0)
            return replace(found, power=self.tuning.spending_power)
        # Not fine: all gains exceed epsilon alpha - r_fine; beaten once that is r_out or more.
        most = (math.sqrt(fine) + math.sqrt(out)) ** 2
        if most * self.n_designs > MOST_EVALUATIONS / _ROOM:
            raise InputError(
                f"epsilon = {self.epsilon:g} may take {most:.0e} evaluations of a design, more than can be counted; "
                "raise epsilon or lower sigma, or ask for epsilon = 0 with max_evaluations."
            )
        # More levels change the boundaries a little, so the first number of steps that is enough is searched for; radii
        # fall about as the root of the count, which says how far it may be.
        short, enough, steps = -1, None, 0
        while enough is None or enough - short > 1:
            levels = self.radii.schedule(most * growth**steps, due=fine)
            levels = replace(levels, power=self.tuning.spending_power)
            need = self._need(levels)
            missing = 2 * math.log(need) / math.log(growth)
            if need <= 1:
                enough, found = steps, levels
                steps = max(short + 1, steps - max(1, math.floor(-missing)))
            else:
                short = steps
                steps += max(1, math.ceil(missing))
                steps = steps if enough is None else min(steps, enough - 1)
        return found

    def _need(self, levels: Levels) -> float:
        """At most 1 if these levels leave no pair open (docs/adaptive, 6); else how many times too wide."""
        worst, count = self.radii.at_last(levels), np.array(float(levels.counts[-1]))
        total, parts = np.zeros(len(self.cone.facets)), len(self.radii.parts.weights)
        for out, anchor, alpha in zip((False, True), self.anchors, self.least, strict=True):
            z = np.broadcast_to(self.radii.boundaries(levels, anchor, (alpha,), out)[:parts, 0, -1], (parts,))
            each = z * np.sqrt(2 * worst / count).reshape(-1, parts).max(axis=0)
            each += [float(self.radii.shift(part, z[part], count)) for part in range(parts)]
            total = total + self.radii.combined(each)
        need = float((total / (self.epsilon * self.cone.widths)).max())
        return need if self.requirements is None else max(need, self.requirements.need(levels, self.epsilon))

    @cached_property
    def tables(self) -> Tables:
        """Boundaries by level and by what a claim may spend (docs/adaptive, 2)."""
        whole = self.for_pairs * self.radii.claim_share
        most = (whole, whole) if self.stepwise or self.weighted else self.least
        step, near = self.tuning.step, self.near
        return Tables.of(self.radii, self.levels, self.anchors, self.least, most, step, near=near)

    @cached_property
    def pilot(self) -> Pilot | None:
        """A pilot that says how delta is shared, before any observation; None where little is planned."""
        if not self.weighted:
            return None
        most = max(1, self.levels.counts[-1] // self.tuning.pilot_longest)
        covering, typical, tuning = self.success == "cover", self.radii.typical, self.tuning
        if math.isinf(self._due[0]) or self.radii.estimates:
            tuning = replace(tuning, pilot_first=tuning.pilot_blind)
        task = Task(self.cone, self.epsilon, covering, self.cover_factor, typical, self._beaten_by, most, tuning)
        return Pilot.begun(task, self.n_designs)

    @cached_property
    def _first_look(self) -> Sample:
        """The certificate of the first observations of all pilots (docs/adaptive, 3.3)."""
        part = self.tuning.pilot_look * self.for_pairs * self.radii.claim_share
        return Sample(replace(self.question, delta=part), self.n_designs)

    def _beaten_by(self, first: Statistics) -> Indices:
        """(K,): a design that beats each there; -1 for none."""
        claims = self._first_look.claims(first)
        return np.where(claims.beaten, claims.by, -1)

    # -- claims (docs/adaptive, 1 and 4) ---------------------------------------------------------------------

    def boundaries(self, state: Checkpoints) -> Looks:
        """The radii in force: by the weights of the pilot, or even ones; or by who is near whom."""
        last = _MEMORY.last(self)  # whatever epsilon it was for
        claims = last.claims if last is not None and last.state is state else self.claims(state)
        found = claims.comparisons.boundaries
        assert isinstance(found, Looks)
        return found

    def claims(self, state: Checkpoints, epsilon: float | None = None) -> Claims:
        """What the observations certify; a function of the checkpoints alone, valid for every epsilon at once.

        (With more than FEW designs there is one exception: `clearly_beaten`.)
        """
        last = _MEMORY.last(self)
        if last is not None and last.state is state and last.epsilon == epsilon:
            return last.claims
        boundaries = Looks(self.radii, self.spending(state.weights or self.even), self.scale, self.tables)
        views, bounds = self._views(state, last), self.bounds(state, last)
        by = state.struck_by
        out = by >= 0 if bounds is None else bounds.misses | (by >= 0)
        crowd = None if last is None else last.crowd
        if self.n_designs > FEW:
            rounding, strikers = self.rounding(state.statistics), None if bounds is None else bounds.strikers
            crowd = clearly_beaten(views, state.reached, boundaries, rounding, FEW, crowd, out, strikers)
            out, by = out | crowd.beaten, crowd.by
        table = self._table(state, np.flatnonzero(~out), views)
        if self.near:  # few designs, and nobody misses a level: a table of all
            boundaries = Near.of(boundaries, self.tuning.near_leads, table)
        start = Struck(out, by, Comparisons(table, boundaries, Standing(~out, np.zeros_like(out))))
        # Other weights are other radii: nothing can be taken over.
        before = last.worked if last is not None and last.state.weights is state.weights else Worked()
        claims, worked = self.judged(start, epsilon, before, bounds)
        _MEMORY.keep(self, _Last(state, epsilon, claims, worked, views, crowd))
        return claims

    def bounds(self, state: Checkpoints, last: _Last | None = None) -> Bounds | None:
        """What is known of the levels of every design (docs/adaptive, 9); None where there are none."""
        if self.requirements is None:
            return None
        rounding = self.rounding(state.statistics)
        before = None if last is None else last.claims.bounds
        looks = state.snapshots, self._counts, self.level_boundary
        return self.requirements.at_looks(*looks, rounding, self.scale, before)

    @cached_property
    def level_boundary(self) -> Floats:
        """(2, P or 1, L): standard deviations of an average by part and level, for "meets" and "misses" a level."""
        assert self.requirements is not None
        return self.requirements.boundary(self.levels, 0.0 if self.any_epsilon else self.epsilon)

    def _views(self, state: Checkpoints, last: _Last | None) -> list[View]:
        return self.lens.views(state.snapshots, self._counts, [] if last is None else last.views)

    def _table(self, state: Checkpoints, designs: Indices, views: list[View]) -> PairTable:
        table, spreads = PairTable.of_views(views, self._counts, state.reached, designs, self.radii.alike)
        rounding = self.rounding(state.statistics) if spreads.size else None
        return table if rounding is None else table.rounded(rounding, self.radii.parts, spreads)

    @cached_property
    def _counts(self) -> Floats:
        return np.array(self.levels.counts, dtype=np.float64)

    def compare(self, state: Checkpoints, designs: Indices, standing: Standing | None = None) -> Comparisons:
        """How the observations compare any designs, ascending, with the radii of a standing (by default the first)."""
        table = self._table(state, designs, self._views(state, _MEMORY.last(self)))
        standing = Standing.at_first(self.n_designs) if standing is None else standing
        parts = table, self.boundaries(state), standing
        if state.pilot is None or state.pilot.first is None or not (state.struck_by[designs] >= 0).any():
            return Comparisons(*parts)
        return Filled(*parts, self._first_look.compare(state.pilot.first, designs))


_MEMORY: Memory[Certificate, _Last] = Memory()
