"""Elimination if objectives are measured separately: choose which objective of which design to measure next.

A *cell* is one objective of one design. Cells are numbered design after design: with D objectives, the cell of design k
and objective d has the number k * D + d. The rule asks for cells, and each value is of one objective. The guarantee
does not depend on the choice of cells (docs/adaptive, 8.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final, cast

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.certificate.certificate import Certificate
from conewise.certificate.claims import Claims
from conewise.certificate.contrasts import Contrasts
from conewise.certificate.history import Checkpoints
from conewise.certificate.looks import Levels
from conewise.certificate.streams import Separately, check_parts
from conewise.data.observations import Observations, Pulls
from conewise.errors import InputError
from conewise.noise import ByObjective
from conewise.rules.adaptive.answers import CertifiedRule
from conewise.rules.contract import INDEPENDENT

_TINY: Final = 1e-100


@dataclass(frozen=True, eq=False)
class SeparateElimination(CertifiedRule[Separately]):
    """Measure only the cells on which an open question depends.

    To be fine against a rival, a design needs one facet, and so only the objectives that this facet weighs. To be
    beaten, it needs all objectives. Every open design goes the way that looks shorter, along the cheapest facet. Of the
    wanted cells, those with the fewest measurements for their price come first.

    >>> from conewise import Cone, Question
    >>> from conewise.noise import Gaussian
    >>> rule = SeparateElimination(Question(Cone.orthant(2), 0.5, 0.05, Gaussian(1)), n_designs=3)
    >>> rule.ask(rule.start())
    Pulls(6 evaluations of 6 designs)
    """

    theorem: ClassVar[str] = "certificate of looks at each objective"
    early: ClassVar[str] = "not every objective of every design has been measured often enough"

    @cached_property
    def certificate(self) -> Certificate:
        """The certificate, which decides when to stop and what to claim."""
        settings = self.most_looked_at, self.any_epsilon, self.radius_scale
        return Certificate(self.question, self.n_designs, *settings, pilots=False, apart=True)

    @property
    def _apart(self) -> ByObjective:
        """The noise of each objective by itself."""
        return cast(ByObjective, self.certificate.noise)

    @cached_property
    def _last(self) -> Indices:
        """(D,): index of the last checkpoint of each objective; one value is enough for an objective without noise."""
        last = len(self.certificate.levels.counts) - 1
        return np.where(self._apart.exact, 0, last)

    @property
    def parts(self) -> int:
        """The number of objectives: each is measured by itself."""
        return self.dim

    def begun(self, state: Separately) -> bool:
        """Return whether every objective of every design has reached its first checkpoint."""
        return not (state.reached < 0).any()

    def seen(self, state: Separately) -> Separately:
        """Return the statistics of each objective by itself."""
        return state.seen

    def assumed(self, state: Separately) -> str:
        """Return what is taken for granted of the measurements."""
        return f"{INDEPENDENT}, objectives measured separately; {self.noise.words}"

    def start(self) -> Separately:
        """Return the state before any measurement."""
        made, levels = [], self.certificate.levels
        for stream in self.certificate.streams:
            radii = stream.radii
            known = Levels((1,)) if radii is None else levels  # one value is enough without noise
            made.append(Checkpoints.empty(known, self.n_designs, 1, radii is not None and radii.estimates))
        return Separately(tuple(made))

    def tell(self, state: Separately, observations: Observations) -> Separately:
        """Return the state with values (m, 1) of these cells."""
        cells, values = observations.designs, observations.means
        if values.shape[1] != 1:
            raise InputError(
                f"a cell is one objective of one design and has one value, got {values.shape[1]} for each."
            )
        if len(cells) and cells.max() >= self.n_designs * self.dim:
            raise InputError(
                f"cell {cells.max()} does not exist: {self.n_designs} designs with {self.dim} objectives have the "
                f"cells 0 to {self.n_designs * self.dim - 1}."
            )
        of = [np.flatnonzero(cells % self.dim == d) for d in range(self.dim)]
        return self.told(state, [observations.chosen(entries, cells[entries] // self.dim) for entries in of])

    def told(self, state: Separately, parts: Sequence[Observations]) -> Separately:
        """Return the state with these observations of each objective; refuse those with which no claim would hold."""
        check_parts(self._apart, state.seen.each, parts)
        return state.add(parts)

    # -- what to measure -----------------------------------------------------------------------------------------

    def ask(self, state: Separately, most: int | None = None) -> Pulls:
        """Return the measurements that bring the wanted cells to their next checkpoint."""
        limit = self.allowed(state, most)
        if limit == 0:
            return Pulls([], [])
        wanted = self._wanted(state)
        counts, repetitions = np.array(self.certificate.levels.counts), state.seen.repetitions
        ends = np.where(self._apart.exact, 1, counts[np.minimum(state.reached + 1, len(counts) - 1)])
        cells = np.flatnonzero(wanted)
        return Pulls(cells, (ends - repetitions).ravel()[cells]).first(limit)

    def _wanted(self, state: Separately) -> Bools:
        """Return which cells go on to their next checkpoint, (K, D)."""
        reached = state.reached
        if (reached < 0).any():
            return np.asarray(reached < 0)  # all alike
        claims = self.certificate.claims(state)
        below = reached < self._last
        below[claims.out] = False
        if claims.done:
            return np.zeros_like(below)
        wanted = self._asked_for(claims) & below
        if not wanted.any():  # the cheapest way is at its last checkpoint: take whatever else is open
            wanted = below
        cost = np.where(wanted, state.seen.repetitions * self.prices, np.inf)
        return np.asarray(cost <= cost.min())

    @cached_property
    def prices(self) -> Floats:
        """(D,): the price of measuring each objective."""
        return np.array([own.price for own in self.question.columns.each]) if self.question.names else np.ones(self.dim)

    def _asked_for(self, claims: Claims) -> Bools:
        """Return the cells on which the open designs depend, by the way that looks shorter for each, (K, D)."""
        left, epsilon, cone = claims.left, self.epsilon, self.cone
        wanted = np.zeros((self.n_designs, self.dim), dtype=bool)
        weighed = cone.facets != 0
        rows, columns = np.flatnonzero(claims.undecided[left]), np.arange(len(left))
        if not len(rows):
            return wanted
        compared = cast(Contrasts, claims.pairs)
        fine, out = compared.fine(rows, columns), compared.out(rows, columns)
        # The cost until a radius is narrow enough, in units of the cost so far, grows with the square of their ratio.
        # To be fine takes the cheapest facet, to be out takes all facets.
        prices = weighed @ self.prices
        excess = prices * (fine.radii / np.maximum(epsilon * cone.widths - fine.gains, _TINY)) ** 2
        facet, inward = excess.argmin(axis=2), excess.min(axis=2)
        settled = np.asarray((fine.gains + fine.radii <= epsilon * cone.widths).any(axis=2))
        settled[np.arange(len(rows)), rows] = True
        inward[settled] = 0.0
        bonus = epsilon * cone.widths if self.success == "cover" else 0.0
        outward = (prices * (out.radii / np.maximum(out.gains + bonus, _TINY)) ** 2).max(axis=2)
        outward[np.arange(len(rows)), rows] = np.inf
        rival = outward.argmin(axis=1)
        leaving = outward[np.arange(len(rows)), rival] < inward.max(axis=1)
        for place, row in enumerate(rows):
            if leaving[place]:
                j = rival[place]
                needed = weighed[out.gains[place, j] < out.radii[place, j]].any(axis=0)
                wanted[left[[row, j]]] |= needed
                continue
            for j in np.flatnonzero(~settled[place]):
                unseen = np.isinf(fine.radii[place, j])  # neither has varied there yet: more values may vary
                wanted[left[[row, j]]] |= weighed[facet[place, j]] | weighed[unseen].any(axis=0)
        self._levels_asked_for(claims, wanted)
        return wanted

    def _levels_asked_for(self, claims: Claims, wanted: Bools) -> None:
        """Add to `wanted` the objectives whose levels an open design is not known to meet within epsilon."""
        bounds, required = claims.bounds, self.certificate.requirements
        if bounds is None or required is None:
            return
        open_ = claims.undecided[:, None] & (bounds.lower < -self.epsilon)
        wanted[:, required.columns] |= open_
        if bounds.strikers is not None:  # also rivals that may put others out once they meet their levels
            wanted[:, required.columns] |= ~claims.out[:, None] & (bounds.lower < 0) & (bounds.upper > 0)
