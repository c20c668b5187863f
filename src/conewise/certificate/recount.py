"""Exact identification: how many claims can still be wrong, counted from what the data show already.

A union bound pays for every claim that could be wrong, however far it is from being made. With epsilon = 0 it need not.
A design that is dominated by far will hardly ever be called fine, and one that leads by far will hardly ever be beaten,
so that neither needs a share of delta; and that it is far, the data show. Three such counts (docs/adaptive, 3.3):

* `won`: claims "fine at 0" of i against j are shared among the designs that are neither sure nor clearly dominated *on
  evidence that is independent of how i and j differ*: by a third design, or by what is known of j without it;
* and among the directions in which i and j are not clearly apart, where errors along different facets are independent;
* `sure_boundary`: claims "beaten by a sure design" are shared among the pairs of designs that are left, each counted as
  little as its lead allows.

And with many designs there is a fourth kind of claim, "beaten by a favourite" (`favourites`): there the rivals of a
design share what it may spend by an order, not evenly.

This holds for normal noise of one known covariance, not only bounded by it; elsewhere the certificate counts as before.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from conewise._arrays import Bools, Floats, Indices
from conewise.certificate import favourites
from conewise.certificate.favourites import MOST_FAVOURITES, PILOT, Favourites
from conewise.certificate.looks import NARROWING, narrowing, spending
from conewise.noise import Gaussian

if TYPE_CHECKING:
    from conewise.certificate.certificate import Certificate
    from conewise.certificate.history import Snapshot
    from conewise.certificate.pairs import Meetings

MOST_DESIGNS: Final = 500
"""With more designs all pairs are too many to be looked at anew in every round."""
APART: Final = 2.0
"""From so many standard deviations on two designs are clearly apart along a facet (tuned; any is valid)."""
REMOVAL: Final = {"low": 0.1, "high": 0.05}
"""How much larger the probability of a wrong "fine" may become by designs that are left out by bad luck: because they
look worse than they are, and because others look better (tuned)."""

_ENTRIES: Final = 2**20  # pairs times facets times designs at once
_DRIFTS: Final = np.linspace(0.0, 8.0, 161)  # cells on which that probability is bounded
_SIGHT: Final = 0.3  # part of many pairs that is likely to be left when a design is beaten (tuned)
_FEW_PAIRS: Final = 10.0  # ... which says nothing where there are few


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

    def _spread(self, level: Indices) -> Floats:
        """(N, levels): the standard deviation of one design's mean."""
        return np.asarray(np.sqrt(self._variances[:, None] / self._counts[level]))

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
        alpha = c.spending.shares["exact"] * c.spending.delta / (1 + sum(REMOVAL.values())) * self._unclear[0]
        return np.asarray(c.scale * narrowing(c.levels, c.anchors[0], alpha, tuple(self.fine_sizes)))

    @cached_property
    def sure_sizes(self) -> Floats:
        """Numbers of pairs for which `sure` is tabulated."""
        k = self.certificate.n_designs
        return _sizes(k * (k - 1))

    @cached_property
    def sure(self) -> Floats:
        """(leads, sizes, L): z by level for "beaten by a sure design" while that many pairs matter."""
        c, sizes = self.certificate, tuple(self.sure_sizes)
        total = c.spending.shares["sure"] * c.spending.delta
        lists = zip(c.leads.values(), c.offsets, strict=True)
        return c.scale * np.array(
            [narrowing(c.levels, c.anchors[1], part * total, sizes, ahead) for part, ahead in lists]
        )

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
    def pilot(self) -> int | None:
        """The level whose observations say who the favourites are; None where claims by them are not made."""
        level = int(np.searchsorted(self._counts, PILOT))
        here = level < len(self._counts) and self._counts[level] == PILOT
        return level if here and self.certificate.spending.shares["favoured"] > 0 else None

    @cached_property
    def favoured_offsets(self) -> tuple[int, ...]:
        """In levels: how far a favourite is ahead of the design that it beats."""
        growth = math.log(self.certificate.radii.growth)
        return tuple(round(math.log(lead) / growth) for lead in favourites.LEADS)

    @cached_property
    def favoured_sizes(self) -> Floats:
        """Numbers of designs over a favourite's share, for which `favoured` is tabulated."""
        return _sizes(self.certificate.n_designs * MOST_FAVOURITES * (MOST_FAVOURITES + 1))

    @cached_property
    def favoured(self) -> Floats:
        """(leads, sizes, L): z by level of the design that is beaten, for "beaten by a favourite"."""
        c, sizes = self.certificate, tuple(self.favoured_sizes)
        total = c.spending.shares["favoured"] * c.spending.delta
        lists = zip(favourites.LEADS.values(), self.favoured_offsets, strict=True)
        return c.scale * np.array(
            [
                narrowing(c.levels, c.anchors[1], part * total, sizes, ahead, PILOT, falling=False)
                for part, ahead in lists
            ]
        )

    def favourites(self, snapshots: tuple[Snapshot, ...]) -> Favourites | None:
        """From the pilots, once every design has had one."""
        if self.pilot is None or len(snapshots) <= self.pilot:
            return None
        pilots = snapshots[self.pilot]
        if len(pilots.designs) < self.certificate.n_designs:
            return None
        found: Favourites | None = pilots.known.get((self, "favourites"))
        if found is None:
            values = self.certificate.cone.facet_values(pilots.means).T
            found = Favourites.of(values, np.sqrt(self._variances / PILOT))
            pilots.known[self, "favourites"] = found
        return found

    def favoured_rows(self, remaining: int, weights: Floats) -> Indices:
        """Where favourites with these shares stand in the table, while so many designs are not beaten."""
        c = self.certificate
        with np.errstate(divide="ignore"):
            return _row(self.favoured_sizes, c.spending.sizes[c._row(remaining)] / weights)

    @cached_property
    def high(self) -> Floats:
        """(L,): standard deviations of a mean by which no design ever looks better than it is, but for REMOVAL."""
        c, k, facets = self.certificate, self.certificate.n_designs, self._facets
        alpha = REMOVAL["high"] / (k * facets * (k + facets))
        return np.asarray(c.scale * c.radii.boundary(c.levels, c.anchors[1], (alpha,), 0)[0])

    @cached_property
    def low(self) -> Floats:
        """(L,): by how many a design has to look worse than it is to be left out by luck.

        The smallest for which that adds no more than REMOVAL: a design that its own rival dominates by y standard
        deviations is called fine exp(-z y - y^2 / 2) times as often as one that is not dominated at all, but left out
        the more often. It is enough that the first falls faster than the chance not to be left out, up to some y;
        all designs beyond it are counted together.
        """
        from scipy.special import log_ndtr

        c, facets = self.certificate, self._facets
        shares = spending(c.levels, c.anchors[1])
        ratio = np.sqrt(self._skew * self._counts[None, :] / self._counts[:, None])  # (L, L'): of drifts, seen there
        shares = np.where(ratio <= 1, shares[None, :], 0.0)
        least = float(self.fine[0].min()) / c.scale
        with np.errstate(divide="ignore"):
            several = np.minimum(facets if self.separate else 1.0, 1 / self._unclear)
        still_fine = np.exp(-least * _DRIFTS - _DRIFTS**2 / 2) * several * self._unclear[0]
        cells = int(np.searchsorted(-still_fine * c.n_designs, -REMOVAL["low"] / 100))
        alpha = 0.5
        while True:
            z = c.radii.boundary(c.levels, c.anchors[1], (alpha,), 0)[0]
            worst, loss = np.zeros(len(z)), np.full(len(z), np.inf)
            for cell in range(cells):
                more = np.exp(log_ndtr(math.sqrt(2) * _DRIFTS[cell + 1] * ratio - z) - log_ndtr(-z))
                out = alpha * (shares * more).sum(axis=1)
                kept = np.maximum(1 - out, 0.0) ** facets if self.separate else np.maximum(1 - facets * out, 0.0)
                with np.errstate(divide="ignore"):
                    worst = np.maximum(worst, still_fine[cell] / kept)
                loss = np.minimum(loss, worst + c.n_designs * still_fine[cell + 1])
                if loss.max() <= 1 + REMOVAL["low"]:
                    return np.asarray(c.scale * z)
                if (worst > 1 + REMOVAL["low"])[loss > 1 + REMOVAL["low"]].any():
                    break  # what is too much already becomes no less
            alpha *= 0.8

    @cached_property
    def _skew(self) -> float:
        """How many times more observations it may take along one facet than along another."""
        clear = self.certificate.cone.widths / np.sqrt(self._variances)
        return float((clear.max() / clear.min()) ** 2) * (1 - 1e-12)

    @cached_property
    def _counts_from(self) -> Indices:
        """(L,): the level from which a design that was dominated at this level may be left out.

        Where facets differ in how clear they are (width over noise), one is dominated along the clearest and called
        fine along the others, which takes as many times more observations.
        """
        return np.searchsorted(self._counts, self._counts * self._skew)

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
        hope = leads.max(axis=1, initial=-np.inf) > self.fine[0, level]
        first, second, level, leads = first[hope], second[hope], level[hope], leads[hope]
        if not len(first):
            return result
        known = self._left_out(table, beaten)
        most = _row(self.fine_sizes, np.array((1.0 + len(known.designs)) * self._facets))
        wins = leads.max(axis=1) > self.fine[most, level]
        if not wins.all():  # numbers are worked out only where they matter
            fewest = self._fewest(known, first, second, level, leads)
            z = self.fine[_row(self.fine_sizes, fewest), level[:, None]]
            near = np.flatnonzero(~wins & (leads > z).any(axis=1))
            z = self._fine_boundary(known, first[near], second[near], level[near])
            wins[near] = (leads[near] > z).any(axis=1)
        result[first[wins], second[wins]] = True
        return result

    def fine_boundary(self, table: Meetings, beaten: Bools, first: Indices, second: Indices) -> Floats:
        """(P, N): the z in force for "i is fine at 0 against j" along each facet, for pairs that have met."""
        level = np.minimum(table.reached[first], table.reached[second])
        return self._fine_boundary(self._left_out(table, beaten), first, second, level)

    def _fine_boundary(self, known: LeftOut, first: Indices, second: Indices, level: Indices) -> Floats:
        z = np.empty((len(first), self._facets))
        step = max(1, _ENTRIES // max(1, z.shape[1] * len(known.designs)))
        for start in range(0, len(first), step):
            part = slice(start, start + step)
            size = self._fine_sizes(known, first[part], second[part], level[part])
            z[part] = self.fine[_row(self.fine_sizes, size), level[part, None]]
        return z

    def _left_out(self, table: Meetings, beaten: Bools) -> LeftOut:
        """Among all designs that are not sure."""
        counted = beaten.copy()
        counted[table.designs[~table.sure]] = True
        return LeftOut.of(self, table, np.flatnonzero(counted))

    def _leads(self, table: Meetings, first: Indices, second: Indices, level: Indices) -> Floats:
        """(P, N): by how many standard deviations i leads, -infinity where they have not met at this level."""
        place = level - table.first
        inside = np.maximum(place, 0)
        gains = table.values[:, inside, first] - table.values[:, inside, second]
        leads = gains / np.sqrt(2 * table.shares[:, inside, 0])
        return np.where((place >= 0) & ~np.isnan(leads), leads, -np.inf).T

    def _fewest(self, known: LeftOut, first: Indices, second: Indices, level: Indices, leads: Floats) -> Floats:
        """(P, N): no more than `_fine_sizes`, which takes many times longer: what j alone allows, at this level."""
        designs = len(known.designs) - 1.0 - known.most(first, second, level)[second]
        if not self.separate:
            return np.asarray(designs * self._facets)
        open_ = _unclear(leads)
        return np.asarray(designs * (1 + open_.sum(axis=1)[:, None] - open_))

    def _fine_sizes(self, known: LeftOut, first: Indices, second: Indices, level: Indices) -> Floats:
        """(P, N): how many claims "fine" can be wrong, for i against j along each facet.

        A number may fall by one step of the table from level to level, no faster.
        """
        table = known.table
        left_out, since = known.of_pairs(first, second, level), np.unique(known.since)
        # By the level from which they are left out, and all up to it; nobody before the first of these levels.
        by_level = (known.since[:, None] == since).astype(np.float32)
        out = np.zeros((*left_out.shape[:2], len(since) + 1))
        np.cumsum(left_out.astype(np.float32) @ by_level, axis=2, out=out[:, :, 1:])
        others, each = known.others(first, second), np.arange(len(first))
        unclear = np.full((len(first), self._facets), self._facets)
        size = np.ones((len(first), self._facets))
        for ago in range(math.ceil(math.log(self.fine_sizes[-1]) / math.log(NARROWING)) + 1):
            past = level - ago
            if (past < 0).all():
                break
            if self.separate:
                open_ = self._unclear_at(table, first, second, past) if ago <= self.back else np.ones_like(unclear)
                unclear = 1 + open_.sum(axis=1)[:, None] - open_
            designs = others[:, None] - out[each, :, np.searchsorted(since, past, side="right")]
            designs[past < 0] = 0
            np.maximum(size, designs * unclear * NARROWING**-ago, out=size)
        return size

    def _unclear_at(self, table: Meetings, first: Indices, second: Indices, level: Indices) -> Indices:
        """(P, N): 1 where the two are not clearly apart at this level, 0 where they are."""
        return _unclear(self._leads(table, first, second, level))

    # -- claims "beaten by a sure design" -------------------------------------------------------------------

    def sure_boundary(self, table: Meetings, *, everywhere: bool = False) -> Floats:
        """(leads, L): z by level of the design that is beaten, for a sure rival.

        Below the lowest level of the table only where it is wanted `everywhere`; elsewhere at its largest.
        """
        pairs = self._pairs(table, everywhere)
        return np.asarray(self.sure[:, _row(self.sure_sizes, pairs), np.arange(len(pairs))])

    def _pairs(self, table: Meetings, everywhere: bool = False) -> Floats:
        """(L,): how many pairs matter, by level; those that are led by far count for less than one."""
        many = len(table.designs)
        everybody = float(max(many * (many - 1), 1))
        pairs = np.full(len(self._counts), everybody)
        if many < 2 or (table.reached < 0).any():
            return pairs
        first, second = np.triu_indices(many, 1)
        met = np.minimum(table.reached[first], table.reached[second])
        leads = self._leads(table, first, second, met)
        unmet = np.isneginf(leads)
        margin = np.concatenate([leads.max(axis=1), np.where(unmet, -np.inf, -leads).max(axis=1)])
        margin -= np.tile(self.wide(many)[met], 2)
        ahead = margin > 0
        margin = margin[ahead] / np.sqrt(np.tile(self._counts[met], 2)[ahead])

        def counted(level: int) -> float:
            drift = margin * math.sqrt(self._counts[level])
            weights = np.exp(-self.sure[:, 0, level].min() * drift - drift**2 / 2)
            return everybody - len(drift) + float(weights.sum())

        low, high = 0 if everywhere else int(table.reached.min()), int(table.reached.max())
        fewer = everybody / max(counted(low), 1.0)  # before that, whatever the number was has no say any more
        start, before = max(0, low - math.ceil(math.log(fewer) / math.log(NARROWING))), everybody
        for level in range(start, high + 1):
            pairs[level] = before = max(counted(level), before / NARROWING)
        pairs[:low] = everybody
        return pairs

    def in_sight(self, table: Meetings, unsure: int) -> tuple[Floats, Floats]:
        """The z by level that claims "fine" and "beaten" are likely to meet next, with so many designs not sure."""
        size = max(1.0, unsure / 2) * (1 if self.separate else self._facets)
        pairs = float(self._pairs(table)[table.reached.max(initial=0)])
        pairs = max(min(pairs, _FEW_PAIRS), _SIGHT * pairs)
        rows = _row(self.fine_sizes, np.array(size)), _row(self.sure_sizes, np.array(pairs))
        return np.asarray(self.fine[rows[0]]), np.asarray(self.sure[0, rows[1]])


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Who dominates whom even if the one looks better than it is and the other worse: each at its own last level."""

    recount: Recount
    table: Meetings
    designs: Indices
    """(H,): those that may be left out, all that are not sure."""
    since: Indices
    """(H,): the level from which evidence against them counts."""
    edge: Floats
    """(N, H): what somebody has to be sure to reach along each facet to dominate one of them."""
    over: Bools
    """(N, K, H): whether a design does, facet by facet."""

    @classmethod
    def of(cls, recount: Recount, table: Meetings, designs: Indices) -> LeftOut:
        """Against these designs, by all."""
        cone, reached = recount.certificate.cone, table.all_reached
        last = np.full((len(cone.facets), len(reached)), np.nan)
        for level in np.unique(reached[reached >= 0]):
            here = np.flatnonzero(reached == level)
            snapshot = table.snapshots[level]
            mine, rows = snapshot.find(here)
            last[:, here[mine]] = cone.facet_values(snapshot.means[rows]).T
        spread = recount._spread(reached)
        edge = (last + recount.low[reached] * spread)[:, designs]
        over = (last - recount.high[reached] * spread)[:, :, None] >= edge[:, None, :]
        return cls(recount, table, designs, recount._counts_from[reached[designs]], edge, over)

    def others(self, first: Indices, second: Indices) -> Floats:
        """(P,): how many there are besides j, for i against j; i itself is counted."""
        here = np.isin(self.table.designs, self.designs)
        return np.asarray(1.0 + len(self.designs) - here[first] - here[second])

    def of_pairs(self, first: Indices, second: Indices, level: Indices) -> Bools:
        """(P, N, H): who need not be counted for i against j along n, who have met at `level`.

        Neither i nor j counts as evidence, but j does so without how it differs from i: along n, or along all facets if
        their errors depend on each other, the average of the two stands for it.
        """
        i, j = self.table.designs[first], self.table.designs[second]
        by: Bools = np.all(self.over, axis=0)
        thirds = by.sum(axis=0) - by[i] - by[j] > 0
        average = self._averages(first, second, level)
        facets = range(len(average))
        middle = [average[n][:, None] >= self.edge[n] for n in facets]
        itself = (self.designs == i[:, None]) | (self.designs == j[:, None])
        result = np.empty((len(i), len(average), len(self.designs)), dtype=bool)
        for n in facets:
            blind = [middle[m] if m == n or not self.recount.separate else self.over[m][j] for m in facets]
            result[:, n] = (np.logical_and.reduce(blind) | thirds) & ~itself
        return result

    def most(self, first: Indices, second: Indices, level: Indices) -> Floats:
        """(L, N): how many of those need not be counted at most, by j: whoever i is, of these pairs."""
        best = np.full((len(self.edge), len(self.table.designs)), -np.inf)
        for n, average in enumerate(self._averages(first, second, level)):
            np.maximum.at(best[n], second, average)
        middle = best[:, :, None] >= self.edge[:, None, :]
        over = self.over[:, self.table.designs]
        by_anybody = np.all(self.over, axis=0).any(axis=0)
        result = np.empty(best.T.shape)
        for n in range(len(best)):
            blind = [middle[m] if m == n or not self.recount.separate else over[m] for m in range(len(best))]
            result[:, n] = (np.logical_and.reduce(blind) | by_anybody).sum(axis=1)
        return result

    def _averages(self, first: Indices, second: Indices, level: Indices) -> Floats:
        """(N, P): of i and j where they have met, as low as it may be."""
        place = level - self.table.first
        average = (self.table.values[:, place, first] + self.table.values[:, place, second]) / 2
        return np.asarray(average - self.recount.high[level] * self.recount._spread(level) / math.sqrt(2))


def _unclear(leads: Floats) -> Indices:
    """1 where two designs are not clearly apart, 0 where they are."""
    return 1 - (np.isfinite(leads) & (np.abs(leads) >= APART)).astype(np.int64)


def _sizes(most: int) -> Floats:
    """From 1 to at least so many."""
    return np.asarray(NARROWING ** np.arange(math.ceil(math.log(most) / math.log(NARROWING)) + 1.0))


def _row(sizes: Floats, size: Floats) -> Indices:
    """Where that many stand in a table: at the next larger number."""
    return np.minimum(np.searchsorted(sizes, size * (1 - 1e-12)), len(sizes) - 1)
