"""When to stop and what may be claimed, for any sampling rule: beaten, fine, covered.

Two designs are compared on the means of their first g observations each, at the highest level that both have reached,
or with one of them a fixed number of levels ahead of the other. With D^ = mu^_j - mu^_i, radii r_n and epsilon:

* i is *beaten* by j when w_n.D^ - r_n >= 0 for all n: j weakly dominates it;
* i is *fine against* j when w_n.D^ + r_n <= epsilon alpha_n for some n: m(i, j) <= epsilon;
* i is *covered by* j when `directions.cover_at` <= epsilon: M(i, j) <= epsilon.

Where the errors can come from, and so where delta is spent (docs/adaptive): a wrong "fine" that matters concerns a
design outside the Pareto set and the one rival that attains its gap, in N directions; a wrong "beaten" or "covered"
concerns a Pareto design, K - 1 rivals, and the one direction that carries M(i, j). The two kinds belong to different
designs, so for `cover` each may spend delta / K a design. For `contain` claims are made step by step, and both kinds
share delta among the designs that can still be wrong (Holm 1979): those not beaten, and those not *sure*, that is not
yet known to be Pareto optimal. A design that a sure one beats has only p - 1 rivals to be paid for. For exact
identification (epsilon = 0) that is counted anew: `recount`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from conewise._arrays import Bools, Floats, Indices, as_count
from conewise._limits import MOST_EVALUATIONS
from conewise.budgets import check_designs
from conewise.certificate.claims import FEW, Certified, Claims, Comparisons, Struck, certified, judge
from conewise.certificate.history import Checkpoints
from conewise.certificate.looks import Levels
from conewise.certificate.pairs import FacetView, Meetings
from conewise.certificate.pilots import (
    LONGEST,
    MOST_DESIGNS,
    WORTH_FROM,
    Pilot,
    Task,
    Weights,
    probabilities,
)
from conewise.certificate.radii import Radii, radii_for
from conewise.certificate.recount import Recount
from conewise.certificate.rounding import Rounding
from conewise.cones import Cone
from conewise.directions import cover_at
from conewise.errors import InputError
from conewise.goals import Notion, Question, as_question
from conewise.noise import GaussianUnknown, Noise
from conewise.order import maximal_columns

OUT_ANCHOR: Final = 0.3
"""Where claims "beaten" and "covered" spend most, as a share of where the last of them is due (tuned; any is valid)."""
SHARES: Final = {"fine": 0.4, "any": 0.2, "sure": 0.4}
"""Parts of delta for `contain`: claims "fine", "beaten" by anybody, and "beaten" by a sure design (tuned; any with a
total of 1 is valid)."""
EXACT_SHARES: Final = {"fine": 0.08, "exact": 0.32, "any": 0.1, "sure": 0.45, "wide": 0.05, "favoured": 0.0}
"""The same where claims are counted anew: "exact" is for "fine" at epsilon = 0, "fine" for it at all others, "wide" for
overestimated leads, "favoured" for "beaten" by a favourite (tuned, as above)."""
CROWD_SHARES: Final = {"fine": 0.08, "exact": 0.24, "any": 0.02, "sure": 0.42, "wide": 0.05, "favoured": 0.19}
"""The same from LEADS_FROM designs on."""
LEADS: Final[dict[str, dict[float, float]]] = {
    "cover": {1.0: 0.6, 4.0: 0.4},
    "contain": {1.0: 0.85, 4.0: 0.15},
    "exact": {1.0: 0.65, 4.0: 0.35},
}
"""How many times the observations of i those of j may be where j beats or covers i, and what part of a claim's
probability is spent on looks at that ratio (tuned; any list with a total of 1 is valid). For "contain" where claims are
counted anew: "exact"."""
LEADS_FROM: Final = 40
"""With fewer designs no leader has enough followers to make another ratio than 1 worth its price (tuned)."""
MOST: Final = 10**9
"""Largest number of observations of one design that will ever be looked at, where nothing else limits it."""

_ROOM: Final = 16  # schedules may reach this many times further than their first guess
_HOLM_STEPS: Final = 2.0**0.25  # ratio of the numbers of designs for which boundaries are tabulated
_PAIRS_AT_ONCE: Final = 2**18


@dataclass(frozen=True)
class Spending:
    """What a claim may spend (docs/adaptive, section 3)."""

    n_designs: int
    facets: int
    delta: float
    notion: Notion
    exact: bool = False
    """Whether claims at epsilon = 0 are counted anew (`Recount`)."""

    @property
    def shares(self) -> dict[str, float]:
        """Parts of delta for `contain`."""
        if not self.exact:
            return SHARES
        return EXACT_SHARES if self.n_designs < LEADS_FROM else CROWD_SHARES

    @property
    def stepwise(self) -> bool:
        """Whether what is known already narrows the radii of the rest."""
        return self.notion == "contain"

    def fine(self, doubtful: float) -> float:
        """For one claim "fine" while that many designs are not sure."""
        if self.stepwise:
            return self.shares["fine"] * self.delta / (max(doubtful, 1.0) * self.facets)
        return self.delta / (self.n_designs * self.facets)

    def out(self, remaining: float) -> float:
        """For one claim "beaten" or "covered" while that many designs are not beaten."""
        if self.stepwise:
            return self.shares["any"] * self.delta / ((self.n_designs - 1) * remaining)
        return self.delta / (self.n_designs * (self.n_designs - 1))

    def out_by_sure(self, remaining: float) -> float:
        """For one claim "beaten" by a design that is sure."""
        return self.shares["sure"] * self.delta / (remaining * max(remaining - 1, 1.0))

    @cached_property
    def sizes(self) -> tuple[float, ...]:
        """Numbers of designs, ascending, for which boundaries are tabulated."""
        sizes = [float(self.n_designs)]
        while self.stepwise and sizes[-1] > 1:
            sizes.append(max(1.0, math.floor(sizes[-1] / _HOLM_STEPS)))
        return tuple(sizes[::-1])


@dataclass(frozen=True, eq=False)
class Certificate:
    """Claims from checkpoints; frozen configuration, no state."""

    question: Question
    n_designs: int
    most: int | None = None
    """Largest number of observations of one design that will ever be looked at; from epsilon by default."""
    any_epsilon: bool = False
    """Whether epsilon may be chosen anew at every look: then nothing that is fixed beforehand knows it."""
    scale: float = field(default=1.0)
    """Multiplies every radius: anything but 1 voids the proof (for negative controls)."""
    pilots: bool = True
    """Whether pilots may be asked for, to share out delta; not for observations that are there already."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_designs", check_designs(self.n_designs))
        object.__setattr__(self, "question", as_question(self.question, self.n_designs))
        _ = self.noise  # without an assumption nothing can be certified
        if self.any_epsilon and self.most is None:
            object.__setattr__(self, "most", MOST)
        if self.most is not None:
            as_count(self.most, "most", 2)

    @property
    def cone(self) -> Cone:
        """What "better" means."""
        return self.question.cone

    @property
    def noise(self) -> Noise:
        """What is assumed of an evaluation."""
        return self.question.assumed

    @property
    def epsilon(self) -> float:
        """How far from Pareto optimal a returned design may be."""
        return self.question.epsilon

    @property
    def delta(self) -> float:
        """How likely a wrong claim may be."""
        return self.question.delta

    @property
    def notion(self) -> Notion:
        """What a returned set has to do."""
        return self.question.success

    # -- the schedule ---------------------------------------------------------------------------------------

    @cached_property
    def radii(self) -> Radii:
        """How far a difference of means may err."""
        return radii_for(self.cone, self.noise, self.n_designs, self.delta)

    @cached_property
    def spending(self) -> Spending:
        """What a claim may spend."""
        left = self.delta * self.radii.claim_share
        exact = not self.any_epsilon and Recount.suits(self)
        return Spending(self.n_designs, len(self.cone.facets), left, self.notion, exact)

    @cached_property
    def pilot(self) -> Pilot | None:
        """A pilot that says how delta is shared, before any observation; None where little is planned."""
        if not self.weighted:
            return None
        most = max(1, self.levels.counts[-1] // LONGEST)
        task = Task(self.cone, self.epsilon, self.cover_factor, self.radii.typical, most)
        return Pilot.begun(task, self.n_designs)

    @cached_property
    def weighted(self) -> bool:
        """Whether delta is shared by weights of a pilot."""
        suits = self.pilots and self.notion == "cover" and not self.any_epsilon and self.n_designs <= MOST_DESIGNS
        return suits and self.radii.worst is not None and self._due[0] >= WORTH_FROM

    @cached_property
    def _shares(self) -> Floats:
        """(A,): parts of delta for which boundaries by weight are tabulated."""
        return probabilities(min(Weights.least(self.n_designs, len(self.cone.facets))))

    @cached_property
    def fine_by_weight(self) -> Floats:
        """(A, L): the boundary of "fine" by a claim's weight."""
        alphas = tuple(self.spending.delta * self._shares)
        return np.asarray(self.scale * self.radii.boundary(self.levels, self.anchors[0], alphas, 0))

    @cached_property
    def out_by_weight(self) -> Floats:
        """(leads, A, L): the same of "beaten" and "covered"."""
        tables = []
        for share, offset in zip(self.leads.values(), self.offsets, strict=True):
            alphas = tuple(share * self.spending.delta * self._shares)
            tables.append(self.radii.boundary(self.levels, self.anchors[1], alphas, offset))
        return self.scale * np.array(tables)

    @cached_property
    def recount(self) -> Recount | None:
        """Sharper counts of what can still be wrong, where the question allows them."""
        return Recount(self) if self.spending.exact else None

    @cached_property
    def _due(self) -> tuple[float, float]:
        """Counts at which the last claims "fine" and "out" of an epsilon-sized near-tie are due."""
        worst = self.radii.worst
        if self.epsilon == 0 or self.any_epsilon or worst is None:
            return math.inf, math.inf  # no scale is known beforehand
        reach = 1.15  # looks make boundaries about this much wider than single tests
        widest = 2 * float((worst / self.cone.widths**2).max()) / self.epsilon**2
        everyone = self.n_designs
        fine, out = (self.noise.deviation(d) for d in (self.spending.fine(everyone), self.spending.out(everyone)))
        return widest * (reach * fine) ** 2, widest * (reach * out) ** 2

    @cached_property
    def anchors(self) -> tuple[float, float]:
        """Counts towards which the two kinds of claims spend delta: designs are mostly out before they are fine."""
        fine, out = self._due
        if self.radii.estimates:
            return math.inf, math.inf  # how noisy it really is, the data will tell
        return fine, OUT_ANCHOR * out * self.cover_factor**2

    @cached_property
    def cover_factor(self) -> float:
        """How much more covering costs than one facet's radius (at least 1): for planning."""
        ones = np.ones((len(self.cone.facets), 1))
        return float(cover_at(self.cone, 0 * ones, ones, np.ones(1) if self.covers_along_directions else None)[0])

    @cached_property
    def covers_along_directions(self) -> bool:
        """Whether a radius is known along every direction, and of use."""
        return self.notion == "cover" and self.radii.any_direction

    @cached_property
    def variances_alike(self) -> Floats | None:
        """(N or N + 1,): of one observation along the facets, and the largest, where all designs have the same."""
        common = self.radii.common
        if common is None or not self.covers_along_directions:
            return common
        return np.append(common, self.radii.widest(np.zeros(1, dtype=np.intp), None, np.ones(1)))

    @cached_property
    def levels(self) -> Levels:
        """Up to the count that decides every pair whatever its means, or `most`."""
        fine, out = self._due
        growth, first = self.radii.growth, 3 if self.radii.estimates else 1
        if self.most is not None or math.isinf(fine):
            return Levels.up_to(MOST if self.most is None else self.most, due=0.0, growth=growth, least=first)
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
            levels = Levels.up_to(most * growth**steps, due=fine, growth=growth, least=first)
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
        """At most 1 if these levels leave no pair open (docs/adaptive, section 6); else how many times too wide."""
        worst, count = self.radii.worst, np.array(float(levels.counts[-1]))
        assert worst is not None
        total = np.zeros(len(self.cone.facets))
        fine, out = self.spending.fine(self.n_designs), self.spending.out(self.n_designs)
        if self.weighted:  # whatever the pilot says
            least = min(Weights.least(self.n_designs, len(self.cone.facets)))
            fine = out = self.spending.delta * float(probabilities(least)[-1])
        for anchor, alpha in ((self.anchors[0], fine), (self.anchors[1], out * self.leads[1.0])):
            z = self.radii.boundary(levels, anchor, (alpha,), 0)[0, -1]
            total = total + z * np.sqrt(2 * worst / count).reshape(-1, len(total)).max(axis=0)
            shift = self.radii.shifts(z, count)
            total = total if shift is None else total + shift
        return float((total / (self.epsilon * self.cone.widths)).max())

    @property
    def leads(self) -> dict[float, float]:
        """Ratios of counts at which designs are compared, and what part is spent on each."""
        if self.n_designs < LEADS_FROM:
            return {1.0: 1.0}
        return LEADS["exact" if self.spending.exact else self.notion]

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """The same in levels."""
        return tuple(round(math.log(lead) / math.log(self.radii.growth)) for lead in self.leads)

    @property
    def lead(self) -> int:
        """The largest of the offsets."""
        return max(self.offsets)

    @property
    def depth(self) -> int:
        """How many levels below that of the least evaluated design comparisons go back."""
        return max(self.lead, 0 if self.recount is None else self.recount.back)

    @cached_property
    def _fine(self) -> Floats:
        """(sizes, L): the boundary of "fine" by the number of designs that are not sure."""
        alphas = tuple(self.spending.fine(m) for m in self.spending.sizes)
        return np.asarray(self.scale * self.radii.boundary(self.levels, self.anchors[0], alphas, 0))

    @cached_property
    def _out(self) -> Floats:
        """(leads, sizes, L): the boundary of "beaten" and "covered" by the number of designs that are not beaten."""
        return self._led(self.spending.out)

    @cached_property
    def _out_by_sure(self) -> Floats:
        """The same for a rival that is sure."""
        return self._led(self.spending.out_by_sure)

    def _led(self, spend: Callable[[float], float]) -> Floats:
        tables = []
        for share, offset in zip(self.leads.values(), self.offsets, strict=True):
            alphas = tuple(share * spend(m) for m in self.spending.sizes)
            tables.append(self.radii.boundary(self.levels, self.anchors[1], alphas, offset))
        return self.scale * np.array(tables)

    def _row(self, designs: int) -> int:
        """Where that many designs stand in the tables: at the next larger number."""
        return int(np.searchsorted(self.spending.sizes, designs, side="left"))

    def fine_boundary(self, doubtful: int) -> Floats:
        """The z by level for "fine" while that many designs are not sure."""
        return np.asarray(self._fine[self._row(doubtful)])

    def out_boundary(self, remaining: int, which: int = 0, *, by_sure: bool = False) -> Floats:
        """The z by level (of the design that is beaten) for "beaten" and "covered" while so many are not beaten.

        `which` counts the ratios of `leads`.
        """
        return np.asarray((self._out_by_sure if by_sure else self._out)[which, self._row(remaining)])

    @property
    def as_stated(self) -> str:
        """What a guarantee adds to the words of the noise: counts anew need more than an upper bound (3.3)."""
        return "" if self.recount is None else ", exactly so for every design"

    def in_sight(self, claims: Claims) -> tuple[Floats, Floats]:
        """The z by level that claims "fine" and "beaten" are likely to meet next: for planning, not for claims."""
        unsure, left = int((claims.accept_at >= 0).sum()), claims.comparisons
        if self.recount is not None and isinstance(left, Meetings):
            return self.recount.in_sight(left, unsure)
        if isinstance(left, Meetings) and left.weights is not None:
            open_ = claims.undecided if claims.undecided.any() else ~claims.beaten
            fine, out = (rows[open_].min(axis=1) for rows in (left.weights.fine_rows, left.weights.out_rows))
            return self.fine_by_weight[int(np.median(fine))], self.out_by_weight[0, int(np.median(out))]
        # By the time that somebody is put out, the rival will be sure where that matters.
        doubtful = self.n_designs - (len(claims.accept_at) - unsure)
        return self.fine_boundary(doubtful), self.out_boundary(len(left.designs), by_sure=self.spending.stepwise)

    @cached_property
    def first_level(self) -> int:
        """The level to which every design has to come before anything else is worth asking."""
        return 0 if self.recount is None or self.recount.pilot is None else self.recount.pilot

    def shifts(self, z: Floats) -> Floats | None:
        """(L, N): the second term of the radii of a boundary; the scale multiplies it once."""
        counts = np.array(self.levels.counts, dtype=np.float64)
        shift = self.radii.shifts(z / self.scale, counts)
        return None if shift is None else self.scale * shift

    def shift_along(self, facet: int, z: Floats, level: Indices) -> Floats:
        """(rows, columns): the same along a facet, for boundaries of single pairs at these levels."""
        shift = self.radii.shifts(z / self.scale, np.array(self.levels.counts, dtype=np.float64)[level])
        return np.zeros_like(z) if shift is None else np.asarray(self.scale * shift[..., facet])

    # -- claims -------------------------------------------------------------------------------------------------

    def claims(self, state: Checkpoints, epsilon: float | None = None) -> Claims:
        """What the observations certify; a function of the checkpoints alone, valid for every epsilon at once."""
        epsilon = self.epsilon if epsilon is None else epsilon
        last = state.known.get((self, "claims", epsilon))
        if last is not None and last[0] is state.statistics:
            return last[1]  # type: ignore[no-any-return]
        beaten, by = self._clearly_beaten(state)
        start = Struck.among(Meetings.of(self, state, np.flatnonzero(~beaten)), beaten, by)
        before = None if last is None else last[1]
        claims = judge(start, self.cone, epsilon, self.notion == "cover", before)
        state.known[self, "claims", epsilon] = (state.statistics, claims)
        if self.n_designs > FEW:
            # Who is sure now may be so no more after the next look: what was beaten for that reason is not taken over.
            state.known[self, "beaten"] = (state.reached, claims.struck.beaten, claims.struck.by)
        return claims

    def rounding(self, state: Checkpoints) -> Rounding | None:
        """How finely the observations were recorded, where that may hide the noise."""
        if not isinstance(self.noise, GaussianUnknown):
            return None
        last = state.known.get((self, "rounding"))
        if last is None or last[0] is not state.statistics:
            last = state.known[self, "rounding"] = state.statistics, Rounding.of(self.noise, state.statistics)
        found: Rounding = last[1]
        return found

    def compare(self, state: Checkpoints, designs: Indices) -> Comparisons:
        """How the observations compare any designs, ascending."""
        return Meetings.of(self, state, designs)

    def certified_epsilon(self, claims: Claims) -> Certified | None:
        """The smallest epsilon that the data certify already, with the set to return for it; None if there is none."""
        return certified(claims, self.cone, self.notion == "cover")

    def _clearly_beaten(self, state: Checkpoints) -> tuple[Bools, Indices]:
        """Who is beaten by an empirical front design at its own last level, and by which: costs K times the fronts.

        At a common level a design on the front is at least as far ahead as any it dominates, so with equal variances
        nothing is missed; what unequal ones hide is found among the pairs. Who was beaten before stays so until one of
        these designs is evaluated anew: with so many, that is worth more than claims which do not depend at all on when
        anybody looked. (No claim is wrong for it: docs/adaptive, 3.2.)
        """
        beaten, by = np.zeros(self.n_designs, dtype=bool), np.full(self.n_designs, -1, dtype=np.intp)
        if (before := state.known.get((self, "beaten"))) is not None:
            reached, taken_over, rivals = before
            if not (taken_over & (reached != state.reached)).any():
                beaten, by = taken_over.copy(), rivals.copy()
        left = int((~beaten).sum())
        while left > FEW:  # else all pairs are looked at anyway
            for which, offset in enumerate(self.offsets):
                z = self.out_boundary(left, which)
                for level in range(len(state.snapshots) - offset):
                    lost, rivals = self._beaten_at(state, level, offset, z, beaten)
                    beaten[lost], by[lost] = True, rivals
            before_left, left = left, int((~beaten).sum())
            if self.same_boundary(before_left, left):
                break
        return beaten, by

    def _beaten_at(
        self, state: Checkpoints, level: int, offset: int, z: Floats, beaten: Bools
    ) -> tuple[Indices, Indices]:
        """Of designs at their last level: who is beaten by a front design `offset` levels ahead, and by which."""
        snapshot, ahead = state.snapshots[level], state.snapshots[level + offset]
        rows = np.flatnonzero((state.reached[snapshot.designs] == level) & ~beaten[snapshot.designs])
        if not len(rows) or not len(ahead.designs):
            return rows[:0], rows[:0]
        here, there = FacetView.of(self, snapshot, level), FacetView.of(self, ahead, level + offset)
        rivals = np.flatnonzero(maximal_columns(there.values.T))
        rounding = self.rounding(state)
        if rounding is not None and here.spreads is not None and there.spreads is not None:
            # Whoever's noise may be hidden is left to the pairs.
            rows = rows[~rounding.hides(here.spreads[rows]).any(axis=1)]
            rivals = rivals[~rounding.hides(there.spreads[rivals]).any(axis=1)]
            if not len(rows) or not len(rivals):
                return rows[:0], rows[:0]
        shifts, rival = self.shifts(z), np.full(len(rows), -1)
        step = max(1, _PAIRS_AT_ONCE // len(rivals))
        for start in range(0, len(rows), step):
            part = rows[start : start + step]
            lost, won = np.ones((len(part), len(rivals)), dtype=bool), np.zeros((len(part), len(rivals)), dtype=bool)
            for n in range(here.values.shape[1]):
                spread = np.sqrt(here.shares[part, n][:, None] + there.shares[rivals, n][None, :])
                radius = z[level] * spread + (0.0 if shifts is None else shifts[level, n])
                gains = there.values[rivals, n][None, :] - here.values[part, n][:, None]
                lost &= gains >= radius
                won |= gains > 0
            lost &= won & (snapshot.designs[part][:, None] != ahead.designs[rivals][None, :])
            rival[start : start + step] = np.where(lost.any(axis=1), rivals[lost.argmax(axis=1)], -1)
        found = rival >= 0
        return snapshot.designs[rows[found]], ahead.designs[rival[found]]

    def same_boundary(self, before: int, after: int) -> bool:
        """Whether so many fewer remaining designs change nothing."""
        return self._row(before) == self._row(after)
