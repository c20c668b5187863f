"""Successive elimination on the certificate: advance only designs on which an open question depends.

A rule that inherits from it only overrides `targets`: how many observations of each design would settle the open
questions. It inherits the state, stopping, the answer and the plan. The certificate alone gives the guarantee.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from conewise.border import Floats, Indices
from conewise.certificate.certificate import Certificate
from conewise.certificate.claims import Claims
from conewise.certificate.fit import check_exact, check_fit
from conewise.certificate.history import Checkpoints
from conewise.certificate.tuning import TUNING, Tuning
from conewise.data.observations import Observations, Pulls, Statistics
from conewise.rules.adaptive.answers import CertifiedRule
from conewise.rules.adaptive.costs import Costs, open_costs
from conewise.rules.contract import INDEPENDENT, Plan


@dataclass(frozen=True, eq=False)
class SuccessiveElimination(CertifiedRule[Checkpoints]):
    """Evaluate the open designs in rounds, all at the same checkpoint.

    An undecided design can be settled in two ways. To be out (beaten, or covered by a returned design) takes
    evaluations of the design and of its best rival. To be in (fine against every design left) takes evaluations of the
    design and of every rival against which it is not fine yet. The rule evaluates for the way that looks cheaper.
    Designs that run ahead wait for the others. An open design with less than half the evaluations of another one does
    not wait, whatever its forecast.
    """

    theorem: ClassVar[str] = "certificate of looks"
    early: ClassVar[str] = "not every design has been evaluated often enough yet"

    _: KW_ONLY
    pilots: bool = True
    """True if a few evaluations of each design may be spent on deciding how to share delta, where that pays."""
    tuning: Tuning = TUNING
    """Constants that change the cost of a run, never its guarantee."""

    def targets(self, costs: Costs) -> Floats:
        """Return how many observations of each design left should settle the open questions, (L,); 0 for enough.

        Each design gets the largest number that any open question asks for.
        """
        leaving, targets = costs.ways()
        np.maximum.at(targets, costs.rows[leaving], costs.out[leaving])
        np.maximum.at(targets, costs.best[leaving], costs.out[leaving])
        return targets

    @cached_property
    def certificate(self) -> Certificate:
        """The certificate, which decides when to stop and what to claim."""
        settings = self.most_looked_at, self.any_epsilon, self.radius_scale, self.pilots
        return Certificate(self.question, self.n_designs, *settings, tuning=self.tuning, planned=self.planned)

    @property
    def most_evaluations(self) -> int:
        """An upper bound on the evaluations of a run, which follows from epsilon (or max_evaluations)."""
        pilot = self.certificate.pilot
        longest = 0 if pilot is None else pilot.task.most
        bound = self.n_designs * (longest + self.certificate.levels.counts[-1])
        return bound if self.max_evaluations is None else min(bound, self.max_evaluations)

    @property
    def most_each(self) -> int:
        """The count of the last checkpoint."""
        return int(self.certificate.levels.counts[-1])

    def begun(self, state: Checkpoints) -> bool:
        """Return whether every design that its pilot leaves has reached its first checkpoint."""
        return state.begun

    def seen(self, state: Checkpoints) -> Statistics:
        """Return the statistics of all observations, with those of the pilots."""
        return state.everything

    def assumed(self, state: Checkpoints) -> str:
        """Return what is taken for granted of the evaluations."""
        return f"{INDEPENDENT}; {self.noise.words}"

    def start(self) -> Checkpoints:
        """Return the state before any observation."""
        certificate = self.certificate
        shape = self.n_designs, self.cone.dim
        return Checkpoints.empty(certificate.levels, *shape, certificate.radii.estimates, certificate.pilot)

    def tell(self, state: Checkpoints, observations: Observations) -> Checkpoints:
        """Return the state with these observations; refuse observations with which no claim would hold."""
        check_fit(observations, self.noise)
        check_exact(observations, self.noise, lambda: state.everything)
        return state.add(observations)

    def ask(self, state: Checkpoints, most: int | None = None) -> Pulls:
        """Return the evaluations up to the next checkpoint of the open questions, in the order of the designs."""
        limit = self.allowed(state, most)
        if limit == 0:
            return Pulls([], [])
        if state.pilot is not None and state.weights is None:
            return Pulls.each(state.pilot.missing, limit)
        designs, wanted = self._climbing(state), np.zeros(self.n_designs, dtype=np.int64)
        counts = np.array(self.certificate.levels.counts)
        wanted[designs] = counts[state.reached[designs] + 1] - state.statistics.counts[designs]
        return Pulls.each(wanted, limit)

    def _climbing(self, state: Checkpoints) -> Indices:
        """Return the designs that go on to their next checkpoint, ascending.

        Of all designs on which an open question depends, these are at the lowest checkpoint.
        """
        if not state.begun:
            return np.flatnonzero(state.reached < 0)  # all designs alike
        claims = self.certificate.claims(state)
        left, reached = claims.left, state.reached[claims.left]
        if not claims.undecided.any():
            return left[:0]
        last = len(self.certificate.levels.counts) - 1
        below = reached < last
        if (costs := self.costs(state, claims, waiting=True)) is None:  # too many are left to compare every pair
            chosen = claims.undecided[left]
        else:
            seen = state.statistics.counts[left]
            chosen = self.targets(costs) > seen
            # A forecast that was too low must not leave a design behind while near-ties take all evaluations. Once all
            # designs have as many observations as were forecast, every open design goes on.
            most = seen[costs.rows].max() / self.tuning.lag if (chosen & below).any() else np.inf
            behind = seen[costs.rows] < most
            chosen[costs.rows[behind]] = chosen[costs.best[behind]] = True
        # If the cheapest way is at its last checkpoint, take whatever else is open.
        chosen = chosen & below if (chosen & below).any() else below
        return np.asarray(left[chosen & (reached == reached[chosen].min(initial=last))])

    def plan(self, state: Checkpoints) -> Plan:
        """Return which designs are worth evaluating and roughly how often, judged by the present estimates."""
        targets = np.zeros(self.n_designs)
        if early := not state.begun:
            targets[state.reached < 0] = self.certificate.levels.counts[0]
        else:
            claims = self.certificate.claims(state)
            if (costs := self.costs(state, claims)) is None:
                targets[claims.undecided] = self.certificate.levels.counts[-1]
            else:
                targets[costs.left] = self.targets(costs)
        missing = np.maximum(np.ceil(targets) - state.statistics.counts, 0).astype(np.int64)
        if state.pilot is not None:
            missing += state.pilot.missing
        return Plan(Pulls.each(missing), int(missing.sum()), early)

    def costs(self, state: Checkpoints, claims: Claims, *, waiting: bool = False) -> Costs | None:
        """Return the costs of the open questions; None when too many designs are left to look at every pair."""
        return open_costs(self.certificate, state, claims, waiting)
