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

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from conewise._memory import Memory
from conewise.border import Indices
from conewise.certificate.asked import Asked, check_shape
from conewise.certificate.boundaries import Comparisons, Filled, Looks, OneLook
from conewise.certificate.claims import FEW, Claims, Struck, Worked
from conewise.certificate.crowds import Crowd, clearly_beaten
from conewise.certificate.history import Checkpoints
from conewise.certificate.pairs import PairTable, View
from conewise.certificate.pilots import Pilot, Task
from conewise.certificate.radii import radii_for_one_look
from conewise.certificate.radius import AtOnce
from conewise.certificate.requirements import Bounds
from conewise.certificate.schedule import Scheduled
from conewise.certificate.weights import Standing
from conewise.data.observations import Statistics


@dataclass(frozen=True, eq=False)
class Sample(Asked[Statistics]):
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

    def bounds(self, seen: Statistics) -> Bounds | None:
        """What is known of the levels of every design; None where there are none."""
        check_shape((seen.n_designs, seen.dim), self)
        return None if self.requirements is None else self.requirements.at_once(seen, self.rounding(seen))

    def boundaries(self, seen: Statistics) -> OneLook:
        """Every design at its own count."""
        return OneLook(self.radii, self.spending(self.even), 1.0)

    def table(self, seen: Statistics, designs: Indices) -> PairTable:
        """The sample means, at one level."""
        part = seen.of(designs)
        counts = part.counts.astype(np.float64)
        enough = counts >= (2 if self.radii.estimates else 1)
        scatters = part.scatters if self.radii.estimates else None
        values, variances, spreads = self.lens.seen(designs, part.means, scatters, counts)
        values[~enough] = np.nan
        reached = np.where(enough, 0, -1)
        table = PairTable(designs, reached, 0, counts[None], values.T[:, None], variances.T[:, None])
        rounding = self.rounding(seen)
        return table if rounding is None else table.rounded(rounding, self.radii.parts, spreads[None])


@dataclass(frozen=True, eq=False)
class _Last:
    """What a certificate has worked out last."""

    state: Checkpoints
    epsilon: float | None
    looks: Looks
    claims: Claims
    worked: Worked
    views: list[View]
    crowd: Crowd | None


@dataclass(frozen=True, eq=False)
class Certificate(Scheduled[Checkpoints]):
    """Claims from checkpoints; frozen configuration, no state (docs/adaptive, 4)."""

    @cached_property
    def pilot(self) -> Pilot | None:
        """A pilot that says how delta is shared, before any observation; None where little is planned."""
        if not self.weighted:
            return None
        first = 2 if self.radii.estimates else 1  # one observation says nothing of its noise
        most = max(first, int(min(self.levels.counts[-1], self.each) / 20))
        look, covering = self.tuning.pilot_look, self.success == "cover"
        estimates = self.radii.typical, self._beaten_by
        task = Task(self.cone, self.epsilon, covering, self.cover_factor, *estimates, look, first, most)
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

    def boundaries(self, seen: Checkpoints) -> Looks:
        """The radii in force: by the weights of the pilot, or even ones."""
        last = _MEMORY.last(self)  # whatever epsilon it was for
        if last is None or last.state is not seen:
            last = self._worked_out(seen, None, last)
        return last.looks

    def claims(self, seen: Checkpoints, epsilon: float | None = None) -> Claims:
        """What the observations certify; a function of the checkpoints alone, valid for every epsilon at once.

        (With more than FEW designs there is one exception: `clearly_beaten`.)
        """
        last = _MEMORY.last(self)
        if last is None or last.state is not seen or last.epsilon != epsilon:
            last = self._worked_out(seen, epsilon, last)
            _MEMORY.keep(self, last)
        return last.claims

    def _worked_out(self, seen: Checkpoints, epsilon: float | None, last: _Last | None) -> _Last:
        """Who is out from the start, and claims among the rest (docs/adaptive, 3); `last` saves time."""
        views, bounds, by = self._views(seen, last), self._bounds(seen, last), seen.struck_by
        looks = last.looks if last is not None and last.state.weights is seen.weights else self._looks(seen)
        out = by >= 0 if bounds is None else bounds.misses | (by >= 0)
        crowd = None if last is None else last.crowd
        if self.n_designs > FEW:
            rounding, strikers = self.rounding(seen.statistics), None if bounds is None else bounds.strikers
            crowd = clearly_beaten(views, seen.reached, looks, rounding, FEW, crowd, out, strikers)
            out, by = out | crowd.beaten, crowd.by
        table = self._table(seen, np.flatnonzero(~out), views)
        start = Struck(out, by, Comparisons(table, looks, Standing(~out, np.zeros_like(out))))
        # Other weights are other radii: nothing can be taken over.
        before = last.worked if last is not None and last.state.weights is seen.weights else Worked()
        claims, worked = self.judged(start, self.question.epsilon if epsilon is None else epsilon, before, bounds)
        return _Last(seen, epsilon, looks, claims, worked, views, crowd)

    def _looks(self, seen: Checkpoints) -> Looks:
        weights = seen.weights or self.even
        return Looks(self.radii, self.spending(weights), self.scale, self.tables)

    def bounds(self, seen: Checkpoints) -> Bounds | None:
        """What is known of the levels of every design (docs/adaptive, 9); None where there are none."""
        return self._bounds(seen, _MEMORY.last(self))

    def _bounds(self, state: Checkpoints, last: _Last | None) -> Bounds | None:
        if self.requirements is None:
            return None
        before = None if last is None else last.claims.bounds
        looks = state.snapshots, self._counts, self.level_boundary
        return self.requirements.at_looks(*looks, self.rounding(state.statistics), self.scale, before)

    def table(self, seen: Checkpoints, designs: Indices) -> PairTable:
        """The means at the levels that any of them has reached."""
        return self._table(seen, designs, self._views(seen, _MEMORY.last(self)))

    def _views(self, state: Checkpoints, last: _Last | None) -> list[View]:
        return self.lens.views(state.snapshots, self._counts, [] if last is None else last.views)

    def _table(self, state: Checkpoints, designs: Indices, views: list[View]) -> PairTable:
        table, spreads = PairTable.of_views(views, self._counts, state.reached, designs, self.radii.alike)
        rounding = self.rounding(state.statistics) if spreads.size else None
        return table if rounding is None else table.rounded(rounding, self.radii.parts, spreads)

    def compare(self, seen: Checkpoints, designs: Indices, standing: Standing | None = None) -> Comparisons:
        """As any certificate; of whoever the first look at the pilots has struck, with what that look says."""
        found, pilot = super().compare(seen, designs, standing), seen.pilot
        if pilot is None or pilot.first is None or not (seen.struck_by[designs] >= 0).any():
            return found
        earlier = self._first_look.compare(pilot.first, designs)
        return Filled(found.table, found.boundaries, found.standing, earlier)


_MEMORY: Memory[Certificate, _Last] = Memory()
