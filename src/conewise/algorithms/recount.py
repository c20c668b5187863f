"""Exact identification: how many claims can still be wrong, counted from what the data show already.

A union bound pays for every claim that could be wrong, however far it is from being made. With epsilon = 0 it need not.
A design that is dominated by far will hardly ever be called fine, and one that leads by far will hardly ever be beaten,
so that neither needs a share of delta; and that it is far, the data show. Three such counts (docs/adaptive, 3.3):

* `won`: claims "fine at 0" of i against j are shared among the designs that are neither sure nor beaten *on evidence
  that is independent of how i and j differ*: beaten by a third design, or by the average of i and j;
* and among the directions in which i and j are not clearly apart, where errors along different facets are independent;
* `sure_boundary`: claims "beaten by a sure design" are shared among the pairs of designs that are left, each counted as
  little as its lead allows.

This holds for normal noise of one known covariance, not only bounded by it; elsewhere the certificate counts as before.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from conewise._arrays import Bools, Floats, Indices
from conewise.algorithms.checkpoints import Snapshot
from conewise.algorithms.looks import NARROWING, narrowing, spending
from conewise.noise import Gaussian

if TYPE_CHECKING:
    from conewise.algorithms.certificate import Certificate
    from conewise.algorithms.meetings import Meetings

MOST_DESIGNS: Final = 500
"""With more designs all pairs are too many to be looked at anew in every round."""
APART: Final = 2.0
"""From so many standard deviations on two designs are clearly apart along a facet (tuned; any is valid)."""
REMOVAL: Final = 0.1
"""How much larger the probability of a wrong "fine" may become by designs that are left out by bad luck (tuned)."""

_ENTRIES: Final = 2**20  # pairs times beaten designs at once
_DRIFTS: Final = np.linspace(0.0, 8.0, 321)  # cells on which that probability is bounded; the last one has no end


@dataclass(frozen=True, eq=False)
class Recount:
    """Boundaries by the number of claims that can be wrong, and that number; tables are worked out once."""

    certificate: Certificate

    @staticmethod
    def suits(certificate: Certificate) -> bool:
        """Whether the proof covers the question."""
        if certificate.notion != "contain" or certificate.epsilon > 0 or certificate.n_designs > MOST_DESIGNS:
            return False
        common = certificate.radii.common if isinstance(certificate.noise, Gaussian) else None
        return common is not None and bool((common > 0).all())

    # -- tables ---------------------------------------------------------------------------------------------

    @cached_property
    def _counts(self) -> Floats:
        return np.array(self.certificate.levels.counts, dtype=np.float64)

    @property
    def _facets(self) -> int:
        return len(self.certificate.cone.facets)

    @cached_property
    def _variances(self) -> Floats:
        """(N,): of one observation along the facets."""
        common = self.certificate.radii.common
        assert common is not None  # see `suits`
        return common

    @cached_property
    def separate(self) -> bool:
        """Whether errors along different facets are independent (and there is more than one)."""
        noise, cone = self.certificate.noise, self.certificate.cone
        assert isinstance(noise, Gaussian)
        covariance = cone.facets @ noise.covariance(cone.dim) @ cone.facets.T
        apart = np.abs(covariance - np.diag(np.diag(covariance)))
        return self._facets > 1 and bool(apart.max() <= 1e-12 * np.diag(covariance).min())

    @cached_property
    def _unclear(self) -> Floats:
        """By drift: the probability that two designs are not clearly apart along a facet; 1 where nobody asks."""
        from scipy.special import ndtr

        if not self.separate:
            return np.ones_like(_DRIFTS)
        return np.asarray(ndtr(APART - _DRIFTS) - ndtr(-APART - _DRIFTS))

    @cached_property
    def fine_sizes(self) -> Floats:
        """Numbers of claims for which `fine` is tabulated."""
        return _sizes(self.certificate.n_designs * self._facets)

    @cached_property
    def fine(self) -> Floats:
        """(sizes, L): z by level for "fine at 0" while that many such claims can be wrong."""
        c = self.certificate
        alpha = c.spending.shares["exact"] * c.spending.delta / (1 + REMOVAL) * self._unclear[0]
        return np.asarray(c.scale * narrowing(c.levels, c.anchors[0], alpha, tuple(self.fine_sizes)))

    @cached_property
    def sure_sizes(self) -> Floats:
        """Numbers of pairs for which `sure` is tabulated."""
        k = self.certificate.n_designs
        return _sizes(k * (k - 1))

    @cached_property
    def sure(self) -> Floats:
        """(sizes, L): z by level for "beaten by a sure design", at equal counts, while that many pairs matter."""
        c = self.certificate
        alpha = c.spending.shares["sure"] * c.spending.delta * c.leads[1.0]
        return np.asarray(c.scale * narrowing(c.levels, c.anchors[1], alpha, tuple(self.sure_sizes)))

    @cached_property
    def _wide(self) -> Floats:
        """(numbers of designs, L): what no lead of one Pareto design over another is overestimated by, ever."""
        c = self.certificate
        sizes = np.array(c.spending.sizes)
        alphas = c.spending.shares["wide"] * c.spending.delta / (self._facets * sizes * np.maximum(sizes - 1, 1.0))
        return np.asarray(c.scale * c.radii.boundary(c.levels, c.anchors[1], tuple(alphas), 0))

    def wide(self, remaining: int) -> Floats:
        """(L,): the same, by level, while so many designs are not beaten."""
        return np.asarray(self._wide[self.certificate._row(remaining)])

    @cached_property
    def removal(self) -> Floats:
        """(L,): z by level beyond which a beaten design is left out of the count.

        At the smallest z for which designs that are left out by luck add no more than REMOVAL: a design that i's own
        rivals dominate by y standard deviations is called fine exp(-z y - y^2 / 2) times as often as one that they
        do not dominate at all, but struck the more often.
        """
        from scipy.special import log_ndtr

        c = self.certificate
        k, shares = c.n_designs, spending(c.levels, c.anchors[1])
        strikers = 2 * (k - 1)  # the others, and averages of two
        least = float(self.fine[0].min()) / c.scale
        left, right = _DRIFTS, np.append(_DRIFTS[1:], np.inf)
        open_ = np.append(self._unclear[1:], 0.0)
        with np.errstate(divide="ignore"):
            several = np.minimum(self._facets if self.separate else 1.0, 1 / open_)
        still_fine = np.exp(-least * left - left**2 / 2) * several
        alpha = REMOVAL / (k * strikers)
        while True:
            z = c.radii.boundary(c.levels, c.anchors[1], (alpha,), 0)[0]
            more = np.exp(log_ndtr(right[:, None] - z[None, :]) - log_ndtr(-z)[None, :])
            struck = np.where(right < z.min(), strikers * alpha * (shares * more).sum(axis=1), 1.0)
            loss = k * float((still_fine * struck).max())
            if loss <= REMOVAL:
                return np.asarray(c.scale * z)
            alpha *= 0.9 * REMOVAL / loss

    @cached_property
    def _counts_from(self) -> Indices:
        """(L,): the level from which a design that was beaten at this level may be left out.

        Where facets differ in how clear they are (width over noise), one is beaten along the clearest and called fine
        along the others, which takes as many times more observations.
        """
        clear = self.certificate.cone.widths / np.sqrt(self._variances)
        skew = float((clear.max() / clear.min()) ** 2) * (1 - 1e-12)
        return np.searchsorted(self._counts, self._counts * skew)

    @cached_property
    def back(self) -> int:
        """Levels before the present one at which it matters which facets were clear."""
        return math.ceil(math.log(self._facets) / math.log(NARROWING)) if self.separate else 0

    # -- claims "fine" --------------------------------------------------------------------------------------

    def won(self, table: Meetings, fine_at: Floats, beaten: Bools) -> Bools:
        """(L, L): i is certainly not dominated by j, where `fine_at` does not say so already."""
        result = np.zeros(fine_at.shape, dtype=bool)
        first, second = np.nonzero(fine_at >= 0)
        level = np.minimum(table.reached[first], table.reached[second])
        met = level >= table.first
        first, second, level = first[met], second[met], level[met]
        leads = self._leads(table, first, second, level)
        hope = leads.max(axis=1, initial=-np.inf) > self._fine_z(self._others(table, first, second), level)
        if not hope.any():
            return result
        first, second = first[hope], second[hope]
        wins = (leads[hope] > self.fine_boundary(table, beaten, first, second)).any(axis=1)
        result[first[wins], second[wins]] = True
        return result

    def fine_boundary(self, table: Meetings, beaten: Bools, first: Indices, second: Indices) -> Floats:
        """(P, N): the z in force for "i is fine at 0 against j" along each facet, for pairs that have met."""
        level = np.minimum(table.reached[first], table.reached[second])
        z = np.empty((len(first), self._facets))
        step = max(1, _ENTRIES // max(1, int(beaten.sum())))
        for start in range(0, len(first), step):
            part = slice(start, start + step)
            size = self._fine_sizes(table, beaten, first[part], second[part], level[part])
            z[part] = self._fine_z(size, level[part, None])
        return z

    def _fine_z(self, size: Floats, level: Indices) -> Floats:
        return np.asarray(self.fine[_row(self.fine_sizes, size), level])

    def _leads(self, table: Meetings, first: Indices, second: Indices, level: Indices) -> Floats:
        """(P, N): by how many standard deviations i leads, -infinity where they have not met at this level."""
        place = level - table.first
        inside = np.maximum(place, 0)
        gains = table.values[:, inside, first] - table.values[:, inside, second]
        leads = gains / np.sqrt(2 * table.shares[:, inside, 0])
        return np.where((place >= 0) & ~np.isnan(leads), leads, -np.inf).T

    def _others(self, table: Meetings, first: Indices, second: Indices) -> Floats:
        """(P,): i itself, and who else is neither sure nor beaten; j is not counted."""
        unsure = (~table.sure).astype(np.float64)
        return np.asarray(1 + unsure.sum() - unsure[first] - unsure[second])

    def _fine_sizes(self, table: Meetings, beaten: Bools, first: Indices, second: Indices, level: Indices) -> Floats:
        """(P, N): how many claims "fine" can be wrong, for i against j along each facet.

        A number may fall by one step of the table from level to level, no faster.
        """
        left_out_at = self._left_out(table, beaten, first, second)
        others = self._others(table, first, second) + float(beaten.sum())
        unclear = np.full((len(first), self._facets), self._facets)
        size = np.ones((len(first), self._facets))
        for ago in range(math.ceil(math.log(self.fine_sizes[-1]) / math.log(NARROWING)) + 1):
            past = level - ago
            if (past < 0).all():
                break
            if self.separate:
                open_ = self._unclear_at(table, first, second, past) if ago <= self.back else np.ones_like(unclear)
                unclear = 1 + open_.sum(axis=1)[:, None] - open_
            designs = others - (left_out_at <= past[:, None]).sum(axis=1)
            designs[past < 0] = 0
            np.maximum(size, designs[:, None] * unclear * NARROWING**-ago, out=size)
        return size

    def _unclear_at(self, table: Meetings, first: Indices, second: Indices, level: Indices) -> Indices:
        """(P, N): 1 where the two are not clearly apart at this level, 0 where they are."""
        leads = self._leads(table, first, second, level)
        return 1 - (np.isfinite(leads) & (np.abs(leads) >= APART)).astype(np.int64)

    def _left_out(self, table: Meetings, beaten: Bools, first: Indices, second: Indices) -> Indices:
        """(P, beaten): the level from which each beaten design need not be counted for the pair; L where it must be."""
        out = np.flatnonzero(beaten)
        found = np.full((len(first), len(out)), len(self._counts))
        reached = table.all_reached[out]
        for level in np.unique(reached[reached >= 0]):
            snapshot = table.snapshots[level]
            here, rows = snapshot.find(out[reached == level])
            if len(here):
                struck = self._struck(snapshot, int(level), rows, table.designs[first], table.designs[second])
                columns = np.flatnonzero(reached == level)[here]
                found[:, columns] = np.where(struck, self._counts_from[level], len(self._counts))
        return found

    def _struck(self, snapshot: Snapshot, level: int, rows: Indices, i: Indices, j: Indices) -> Bools:
        """(P, rows): beaten at this level by somebody else than i and j, or by the average of the two."""
        c = self.certificate
        values = np.ascontiguousarray(c.cone._order_columns(snapshot.means) / c.cone._lengths[:, None])  # (N, m)
        radius = self.removal[level] * np.sqrt(2 * self._variances / self._counts[level])
        by = np.ones((len(snapshot.designs), len(rows)), dtype=bool)
        for value, most in zip(values, radius, strict=True):
            by &= value[:, None] - value[rows][None, :] >= most
        struck = np.broadcast_to(by.sum(axis=0), (len(i), len(rows))).copy()
        places = []
        for designs in (i, j):
            here, there = snapshot.find(designs)
            struck[here] -= by[there]
            places.append(np.full(len(i), -1))
            places[-1][here] = there
        result = struck > 0
        both = np.flatnonzero((places[0] >= 0) & (places[1] >= 0) & ~result.all(axis=1))
        average = np.ones((len(both), len(rows)), dtype=bool)
        for value, most in zip(values, radius, strict=True):
            middle = (value[places[0][both]] + value[places[1][both]]) / 2
            average &= middle[:, None] - value[rows][None, :] >= most
        result[both] |= average
        return result

    # -- claims "beaten by a sure design" -------------------------------------------------------------------

    def sure_boundary(self, table: Meetings, *, everywhere: bool = False) -> Floats:
        """(L,): z by level of the design that is beaten, for a sure rival at the same level.

        Below the lowest level of the table only where it is wanted `everywhere`; elsewhere at its largest.
        """
        pairs = self._pairs(table, everywhere)
        return np.asarray(self.sure[_row(self.sure_sizes, pairs), np.arange(len(pairs))])

    def _pairs(self, table: Meetings, everywhere: bool = False) -> Floats:
        """(L,): how many pairs matter, by level; those that are led by far count for less than one."""
        many = len(table.designs)
        everybody = float(max(many * (many - 1), 1))
        pairs = np.full(len(self._counts), everybody)
        if many < 2 or (table.reached < 0).any():
            return pairs
        each = np.arange(many)
        first, second = (grid.ravel() for grid in np.meshgrid(each, each, indexing="ij"))
        first, second = first[first != second], second[first != second]
        met = np.minimum(table.reached[first], table.reached[second])
        margin = self._leads(table, first, second, met).max(axis=1) - self.wide(many)[met]
        ahead = margin > 0
        margin = margin[ahead] / np.sqrt(self._counts[met[ahead]])
        low, high = 0 if everywhere else int(table.reached.min()), int(table.reached.max())
        start = max(0, low - math.ceil(math.log(everybody) / math.log(NARROWING)))
        before = everybody
        for level in range(start, high + 1):
            drift = margin * math.sqrt(self._counts[level])
            weights = np.exp(-self.sure[0, level] * drift - drift**2 / 2)
            pairs[level] = before = max(everybody - len(drift) + float(weights.sum()), before / NARROWING)
        pairs[:low] = everybody
        return pairs

    def in_sight(self, table: Meetings, unsure: int) -> tuple[Floats, Floats]:
        """The z by level that claims "fine" and "beaten" are likely to meet next, with so many designs not sure."""
        size = max(1.0, unsure / 2) * (1 if self.separate else self._facets)
        pairs = self._pairs(table)[table.reached.max(initial=0)]
        rows = _row(self.fine_sizes, np.array(size)), _row(self.sure_sizes, np.array(pairs))
        return np.asarray(self.fine[rows[0]]), np.asarray(self.sure[rows[1]])


def _sizes(most: int) -> Floats:
    """From 1 to at least so many."""
    return np.asarray(NARROWING ** np.arange(math.ceil(math.log(most) / math.log(NARROWING)) + 1.0))


def _row(sizes: Floats, size: Floats) -> Indices:
    """Where that many stand in a table: at the next larger number."""
    return np.minimum(np.searchsorted(sizes, size * (1 - 1e-12)), len(sizes) - 1)
