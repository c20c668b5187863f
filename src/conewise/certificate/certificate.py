"""Certify designs that were evaluated independently of each other, for any sampling rule (docs/adaptive).

Delta is spent where errors can come from (docs/adaptive, 3). A wrong "no worse" that matters concerns a design outside
the Pareto set and the one rival that attains its gap, in N directions. A wrong "dominated" or "covered" concerns a
Pareto design, K - 1 rivals, and the one direction that carries M(i, j).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from conewise._memory import Memory
from conewise.border import Bools, Floats, Indices
from conewise.certificate.claims import FEW, Certified, Claims, Memo, certified, judge, rivals_of
from conewise.certificate.contrasts import NOWHERE, Contrasts, Ruler, Stream, Table, View, places
from conewise.certificate.history import Checkpoints
from conewise.certificate.pilots import Pilot, Task
from conewise.certificate.rounding import Estimated, Rounding
from conewise.certificate.schedule import Scheduled
from conewise.certificate.thresholds import Bounds, Look
from conewise.certificate.weights import Standing
from conewise.data.observations import Statistics
from conewise.errors import InputError
from conewise.order.dominance import maximal_columns

_AT_ONCE: Final = 2**17
"""Designs of one table, where very many are compared with a front."""


@dataclass(frozen=True, eq=False)
class _Last:
    """Results of the last call, kept to save time."""

    state: Any
    epsilon: float | None
    ruler: Ruler
    claims: Claims
    memo: Memo


@dataclass(frozen=True, eq=False)
class Certificate(Scheduled):
    """Claims from observations of independent designs; frozen configuration, no state (docs/adaptive, 4).

    On a schedule claims hold at any moment. Observations are then `Checkpoints` or, where objectives are measured
    separately, `Streams`. With `once` claims hold for one look at a sample whose size did not depend on what was seen.
    Observations are then `Statistics` or `Separately`. Radii are narrower, but no observations may be added after the
    look.
    """

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

    def claims(self, seen: Any, epsilon: float | None = None) -> Claims:
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

    def _worked_out(self, seen: Any, epsilon: float | None, last: _Last | None) -> _Last:
        """Return the claims (docs/adaptive, 3); `last` saves time."""
        each = self._each(seen)
        ruler, bounds = self._ruler(seen, last), self.bounds(seen)
        by, out = np.full(self.n_designs, -1, dtype=np.intp), np.zeros(self.n_designs, dtype=bool)
        if bounds is not None:
            out |= bounds.misses
        if self.n_designs > FEW and not self.once and len(each) == 1:
            if last is not None and self._continues(last, each[0]):
                by = np.where(last.claims.beaten, last.claims.by, -1)
            by = self._struck(each[0], ruler, bounds, by, out)
            out |= by >= 0
        memo = Memo() if last is None or last.ruler is not ruler else last.memo
        pairs = self._contrasts(seen, np.flatnonzero(~out), ruler, Standing(~out, np.zeros_like(out)))
        asked, covering = self.question.epsilon if epsilon is None else epsilon, self.success == "cover"
        claims = judge(pairs, by, bounds, asked, covering=covering, stepwise=self.stepwise, memo=memo)
        return _Last(seen, epsilon, ruler, claims, memo)

    def _continues(self, last: _Last, now: Checkpoints) -> bool:
        """Return whether a state holds all means of the last one, recorded in the same steps: the run has gone on."""
        before, rounding = last.state.snapshots, self._rounding(0, now)
        if len(before) > len(now.snapshots) or (b"" if rounding is None else rounding.key) != last.claims.pairs.steps:
            return False
        for old, new in zip(before, now.snapshots, strict=False):
            if new is not old:
                here = places(new.designs, old.designs)[1]
                if not np.array_equal(new.designs[here], old.designs) or (new.means[here] != old.means).any():
                    return False
        return True

    def _struck(self, seen: Checkpoints, ruler: Ruler, bounds: Bounds | None, by: Indices, out: Bools) -> Indices:
        """Return which design beats each of very many, -1 for none, at the last checkpoint of each (section 3.2).

        The designs on the empirical front of a checkpoint are tried. At equal variances nothing is missed there.
        """
        strikers = np.ones_like(out) if bounds is None or bounds.strikers is None else bounds.strikers
        while (left := (by < 0) & ~out).sum() > FEW:
            standing, by = Standing(left, np.zeros_like(left)), by.copy()
            for level, view in enumerate(self._views(0, seen)):
                mine, may = np.flatnonzero(left & (seen.reached == level)), np.flatnonzero(strikers[view.designs])
                front = may[maximal_columns(view.values[may].T)] if len(mine) else NOWHERE
                rivals = view.designs[front[np.argsort(-view.values[front].min(axis=1), kind="stable")]]
                for start in range(0, len(mine), _AT_ONCE):
                    rows, among = mine[start : start + _AT_ONCE], np.zeros_like(left)
                    among[rows] = among[rivals] = True
                    designs = np.flatnonzero(among)
                    pairs = self._contrasts(seen, designs, ruler, standing)
                    found = rivals_of(pairs, np.searchsorted(designs, rows), np.searchsorted(designs, rivals))
                    by[rows] = np.where(found < 0, -1, designs[found])
            if not self.stepwise or (left == ((by < 0) & ~out)).all():
                break
        return by

    def compare(self, seen: Any, designs: Indices, standing: Standing | None = None) -> Contrasts:
        """Return how the observations compare any designs, ascending, with the radii of a standing."""
        standing = Standing.at_first(self.n_designs) if standing is None else standing
        return self._contrasts(seen, designs, self.ruler(seen), standing)

    def _contrasts(self, seen: Any, designs: Indices, ruler: Ruler, standing: Standing) -> Contrasts:
        tables, steps = [], []
        for place, (stream, own) in enumerate(zip(self.streams, self._each(seen), strict=True)):
            rounding = self._rounding(place, own)
            reached = own.reached if not self.once else self._ranks(place, own, ruler.counts)
            counts = self._counts_of(own)[None] if self.once else ruler.counts
            tables.append(Table.of(stream, self._views(place, own), counts, reached, designs, rounding))
            steps.append(b"" if rounding is None else rounding.key)
        if self.once:  # a design is compared once all of it was measured
            whole = np.min([table.reached for table in tables], axis=0) >= 0
            tables = [replace(table, reached=np.where(whole, table.reached, -1)) for table in tables]
        return Contrasts(ruler, tuple(tables), designs, standing, b"".join(steps))

    # -- the radii in force ------------------------------------------------------------------------------------

    def ruler(self, seen: Any) -> Ruler:
        """Return the radii in force: by the weights of the pilot, or even ones."""
        last = _MEMORY.last(self)
        return last.ruler if last is not None and last.state is seen else self._ruler(seen, last)

    def _ruler(self, seen: Any, last: _Last | None) -> Ruler:
        weights = getattr(seen, "weights", None) or self.even
        if last is not None and not self.once and last.ruler.spending.weights is weights:
            return last.ruler
        spending, common = self.spending(weights), (self.cone, self.radii)
        if not self.once:
            tables = self.tables
            return Ruler(*common, spending, self.directions, tables.counts, tables, self.scale)
        counts = np.unique(np.concatenate([np.maximum(self._counts_of(own), 1.0) for own in self._each(seen)]))
        return Ruler(*common, spending, self.directions, counts, scale=self.scale)

    # -- streams -----------------------------------------------------------------------------------------------

    @cached_property
    def streams(self) -> tuple[Stream, ...]:
        """Rows, or each objective by itself."""
        return Stream.of(self.cone, self.noise, self.radii, directions=self.directions, apart=self.apart)

    @staticmethod
    def _each(seen: Any) -> tuple[Any, ...]:
        """Return the observations of each stream."""
        return getattr(seen, "each", (seen,))

    @staticmethod
    def _counts_of(own: Statistics) -> Floats:
        return own.counts.astype(np.float64)

    def _ranks(self, place: int, own: Statistics, counts: Floats) -> Indices:
        """Return the place of each design's count; -1 where it has too few observations to be compared."""
        radii = self.streams[place].radii
        enough = own.counts >= (2 if radii is not None and radii.estimates else 1)
        return np.where(enough, np.searchsorted(counts, own.counts), -1)

    def _views(self, place: int, own: Any) -> list[View]:
        stream = self.streams[place]
        if not self.once:
            return [stream.at(each, count) for each, count in zip(own.snapshots, own.levels.counts, strict=False)]
        designs = np.arange(own.n_designs)
        scatters = None if stream.radii is None or not stream.radii.estimates else own.scatters
        return [stream.view(designs, own.means, scatters, self._counts_of(own))]

    def _rounding(self, place: int, own: Any) -> Rounding | None:
        """Return how finely a stream was recorded, where that may hide the noise (docs/adaptive, 7)."""
        statistics, noise = own if self.once else own.statistics, self.streams[place].noise
        if self.streams[place].radii is None or not Estimated.of(noise, statistics.dim).any:
            return None
        return Rounding.of(noise, statistics)

    def bounds(self, seen: Any) -> Bounds | None:
        """Return what is known of the levels of every design (docs/adaptive, 9); None without levels."""
        each, required = self._each(seen), self.requirements
        self._check_shape(each)
        if required is None:
            return None
        dim, found = self.cone.dim, []
        for place, own in enumerate(each):
            objectives = np.arange(dim) if not self.apart else np.array([place])
            radii = self._level_radii(place)
            found.append((objectives, radii, self._rounding(place, own), self._looks(place, own, radii)))
        return required.bounds(found, self.scale)

    def _level_radii(self, place: int) -> Any:
        """Return the radii of a stream along the axes of its objectives; None without noise."""
        assert self.requirements is not None
        if not self.apart:
            return self.requirements.radii
        members: Any = self.requirements.radii
        return next((each.radii for each in members.members if each.columns[0] == place), None)

    def _looks(self, place: int, own: Any, radii: Any) -> Iterator[Look]:
        """Yield the averages of a stream at each checkpoint, with the boundaries for levels (docs/adaptive, 9.2)."""
        assert self.requirements is not None
        if self.once:
            designs = np.flatnonzero(own.counts >= (2 if radii is not None and radii.estimates else 1))
            part = own.of(designs)
            counts = self._counts_of(part)
            z = np.zeros((2, 1, 1))
            if radii is not None:
                many = len(radii.parts.weights)
                z = np.array([radii.at_once(counts, np.log(a), False)[:many] for a in self._alphas_of(place)])
            yield Look(designs, part.means, part.scatters, counts, z)
            return
        z = self.level_boundary
        if self.apart and len(z[0]) > 1:
            at = np.flatnonzero(self.requirements.radii.facet_of[: len(z[0])] == place)
            z = z[:, at[:1]] if len(at) else z[:, :1]
        for level, each in enumerate(own.snapshots):
            counts = np.full(len(each.designs), float(own.levels.counts[level]))
            if len(counts):
                yield Look(each.designs, each.means, each.scatters, counts, z[:, :, level, None])

    def _alphas_of(self, place: int) -> tuple[float, float]:
        assert self.requirements is not None
        return self.requirements.alphas

    def _check_shape(self, each: tuple[Any, ...]) -> None:
        """Refuse a sample of other designs or objectives than the certificate is for."""
        samples = [own if self.once else own.statistics for own in each]
        came = samples[0].n_designs, sum(own.dim for own in samples)
        if came != (expected := (self.n_designs, self.cone.dim)):
            raise InputError(
                f"the sample has {came[0]} designs and {came[1]} objectives, but {expected[0]} and {expected[1]} were "
                "announced: make the certificate for the sample."
            )


_MEMORY: Memory[Certificate, _Last] = Memory()
