"""Successive elimination on the certificate: advance only designs on which an open question depends."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from conewise._arrays import Bools, Floats, as_count, as_positive
from conewise.algorithms.base import Result, Status
from conewise.algorithms.certificate import Certificate, Claims, Notion
from conewise.algorithms.checkpoints import Checkpoints
from conewise.cones import Cone
from conewise.feedback import Observations, Pulls
from conewise.goals import Guarantee, Heuristic
from conewise.noise import Noise

_AHEAD = 8  # looks: the boundary a question will meet is read off this far ahead


@dataclass(frozen=True, eq=False)
class Plan:
    """What is worth evaluating next, and roughly how many evaluations remain."""

    pulls: Pulls
    remaining: int


@dataclass(frozen=True, eq=False)
class SuccessiveElimination:
    """Evaluate in rounds whatever is still open, from one level of the schedule to the next.

    An undecided design has two ways to be settled: to be out (beaten, or covered by a returned design), which asks for
    itself and its best rival, or to be in (fine against everyone left), which asks for itself and every rival against
    which it is not. The cheaper one, judged by the estimates, decides whom to evaluate; designs that run ahead wait for
    the others, since two designs are compared at their common level. The guarantee is the certificate's and
    does not depend on this rule.
    """

    cone: Cone
    epsilon: float
    delta: float
    n_designs: int
    noise: Noise
    success: Notion = "cover"
    max_evaluations: int | None = None
    radius_scale: float = 1.0
    """Anything but 1 makes the answer heuristic."""

    def __post_init__(self) -> None:
        as_positive(self.radius_scale, "radius_scale")
        if self.max_evaluations is not None:
            object.__setattr__(self, "max_evaluations", as_count(self.max_evaluations, "max_evaluations"))
        _ = self.certificate.levels  # refuses bad configurations now, not at the first look

    @cached_property
    def certificate(self) -> Certificate:
        """When to stop and what to claim."""
        most = None
        if self.epsilon == 0 and self.max_evaluations is not None:
            most = max(2, self.max_evaluations // 2)
        return Certificate(
            self.cone, self.noise, self.n_designs, self.epsilon, self.delta, self.success, most, self.radius_scale
        )

    @property
    def most_evaluations(self) -> int:
        """An upper bound on the evaluations of a run, which follows from epsilon (or max_evaluations)."""
        bound = self.n_designs * self.certificate.levels.counts[-1]
        return bound if self.max_evaluations is None else min(bound, self.max_evaluations)

    def start(self) -> Checkpoints:
        """Nothing observed."""
        return Checkpoints.empty(self.certificate.levels, self.n_designs, self.cone.dim)

    def tell(self, state: Checkpoints, observations: Observations) -> Checkpoints:
        """The state with these observations."""
        return state.add(observations)

    def ask(self, state: Checkpoints, most: int | None = None) -> Pulls:
        """What brings the open questions to their next level, in the order of the designs."""
        limit = None if most is None else as_count(most, "most")
        if self.max_evaluations is not None:
            left = self.max_evaluations - state.evaluations
            limit = left if limit is None else min(limit, left)
            if limit <= 0:
                return Pulls([], [])
        counts = np.array(self.certificate.levels.counts)
        if (state.reached < 0).any():
            advance = state.reached < 0
        else:
            claims = self.certificate.claims(state)
            if claims.done:
                return Pulls([], [])
            advance = self.needed(claims)
            below = state.reached + 1 < len(counts)
            if not (advance & below).any():  # what looked cheapest is at its end: whatever else is open
                advance = ~claims.beaten
            advance &= below
            if advance.any():
                advance &= state.reached == state.reached[advance].min()
        designs = np.flatnonzero(advance)
        times = counts[state.reached[designs] + 1] - state.counts[designs]
        if limit is not None and times.sum() > limit:
            before = np.concatenate([[0], np.cumsum(times)[:-1]])
            times = np.minimum(times, np.maximum(limit - before, 0))
            designs, times = designs[times > 0], times[times > 0]
        return Pulls(designs, times)

    def needed(self, claims: Claims) -> Bools:
        """Designs on which an open question depends."""
        return self._targets(claims) > 0

    def plan(self, state: Checkpoints) -> Plan:
        """What is worth evaluating, roughly how often, judged by the estimates as they are."""
        if (state.reached < 0).any():
            first = np.array(self.certificate.levels.counts)[0]
            targets = np.where(state.reached < 0, first, 0)
        else:
            targets = self._targets(self.certificate.claims(state))
        missing = np.maximum(np.ceil(targets) - state.counts, 0).astype(np.int64)
        designs = np.flatnonzero(missing)
        return Plan(Pulls(designs, missing[designs]), int(missing.sum()))

    def _targets(self, claims: Claims) -> Floats:
        """Observations of each design after which its open questions should be settled; 0 where there are none."""
        targets = np.zeros(self.n_designs)
        if claims.pairs is None or claims.fine is None:
            targets[claims.undecided] = self.certificate.levels.counts[-1]
            return targets
        certificate, pairs = self.certificate, claims.pairs
        open_rows = np.flatnonzero(claims.undecided[pairs.designs])
        last = len(certificate.levels.counts) - 1
        ahead = np.minimum(pairs.levels[open_rows] + _AHEAD, last)
        counts = np.array(certificate.levels.counts)[pairs.levels[open_rows]]
        one = pairs.spreads[open_rows] * np.sqrt(counts)[:, :, None]  # for one observation of each
        one = np.maximum(one, 1e-100)  # along a direction without noise nothing is left to pay
        gains = pairs.gains[open_rows]
        # in: the hardest rival's cost in observations; out: the easiest rival's, within epsilon where covering counts
        slack = ((self.epsilon * self.cone.widths - gains) / one).max(axis=2)
        fine_cost = (certificate._fine_boundary[ahead] / np.maximum(slack, 1e-100)) ** 2
        fine_cost[claims.fine[open_rows]] = 0.0
        bonus = self.epsilon / certificate._lift_of_ones if self.success == "cover" else 0.0
        margin = ((gains + bonus) / one).min(axis=2)
        margin[np.arange(len(open_rows)), open_rows] = -np.inf
        best = margin.argmax(axis=1)
        rows = np.arange(len(open_rows))
        z_out = certificate.out_boundary(len(pairs.designs))[ahead[rows, best]]
        out_cost = np.where(margin[rows, best] > 0, (z_out / np.maximum(margin[rows, best], 1e-100)) ** 2, np.inf)
        # At least the next level, at most the last one: estimates are rough at first.
        least = np.array(certificate.levels.counts)[np.minimum(pairs.levels[open_rows] + 1, last)]
        fine_cost = np.where(fine_cost > 0, np.clip(fine_cost, least, certificate.levels.counts[-1]), 0.0)
        out_cost = np.clip(out_cost, least[rows, best], np.inf)
        for row, i in enumerate(open_rows):
            if out_cost[row] < fine_cost[row].max():
                involved, cost = [pairs.designs[i], pairs.designs[best[row]]], np.full(2, out_cost[row])
            else:
                rivals = np.flatnonzero(fine_cost[row])
                involved = [pairs.designs[i], *pairs.designs[rivals]]
                cost = np.concatenate([[fine_cost[row].max()], fine_cost[row][rivals]])
            np.maximum.at(targets, involved, cost)
        return targets

    def recommend(self, state: Checkpoints) -> Result:
        """The answer so far: what is certified, for epsilon when finished and for a larger one before."""
        means, k = state.statistics.means, self.n_designs
        if (state.reached < 0).any():
            nothing = np.zeros(k, dtype=bool)
            status = np.full(k, Status.UNDECIDED.value)
            why = "not every design has been evaluated yet"
            return Result(nothing, status, state.evaluations, Heuristic(why), None, why, means, state.counts)
        claims = self.certificate.claims(state)
        status = np.full(k, Status.UNDECIDED.value, dtype="<U10")
        status[claims.accepted] = Status.PARETO.value
        status[claims.beaten | claims.covered] = Status.ELIMINATED.value
        found = self.certificate.certified_epsilon(claims)
        reached = None if found is None else found[0]
        if claims.done and reached is not None:
            reached = min(reached, self.epsilon)
        epsilon: float | None
        if claims.done:
            pareto, why, epsilon = claims.accepted, "every design is certified", self.epsilon
        else:
            spent = self.max_evaluations is not None and state.evaluations >= self.max_evaluations
            why = "max_evaluations reached" if spent else "not finished"
            why += f": {int(claims.undecided.sum())} designs are undecided at epsilon = {self.epsilon:g}"
            pareto, epsilon = (claims.accepted | claims.undecided, None) if found is None else (found[1], found[0])
            status[pareto & claims.covered] = Status.UNDECIDED.value  # returned for the larger epsilon
        worth: Guarantee | Heuristic
        if self.radius_scale != 1.0:
            worth = Heuristic(f"every radius was multiplied by {self.radius_scale:g}, which no proof covers")
        elif epsilon is None:
            worth = Heuristic("too early: nothing is certified yet")
        else:
            word = "cover" if self.success == "cover" else "contain"
            worth = Guarantee(
                float(epsilon),
                self.delta,
                f'certificate of looks, success "{word}", docs/adaptive',
                f"independent evaluations with noise {self.noise!r}",
            )
        return Result(pareto, status, state.evaluations, worth, reached, why, means, state.counts)
