"""Forecast what would settle the open questions, from the present averages; rules choose by it, no claim does.

Take a pair of designs and a facet with gain d, and let s be the standard deviation of the difference of two single
observations. A radius of z standard errors is narrow enough after m observations of both, where d = z s sqrt(1/m - 1/Q)
with a population of Q blocks: 1 / m = (d / (z s))^2 + 1 / Q. Without blocks Q is infinite.

A design has one *part*, or one for each objective where objectives are measured one by one. A facet needs the parts
that it weighs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, cast

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.certificate.blocks.differences import Differences
from conewise.certificate.blocks.paired import Paired, Prefixes
from conewise.certificate.certificate import Certificate
from conewise.certificate.claims import Claims
from conewise.certificate.contrasts import Contrasts
from conewise.certificate.radii import sample_variances
from conewise.certificate.rounding import never_varied
from conewise.certificate.streams import Separately
from conewise.certificate.thresholds import levels_of
from conewise.data.observations import Statistics
from conewise.question.question import Question

_AHEAD: Final = 1.85  # guessed ratio of the count that settles a question to the present one; selects a boundary
_TINY: Final = 1e-100
_PAIRS_AT_ONCE: Final = 2**16  # what a core's cache holds


@dataclass(frozen=True, eq=False)
class Outlook:
    """The L designs that are left, P parts of each and N facets, as a forecast reads them; layouts differ in it."""

    seen: Floats
    """(P, L): observations on which comparisons rest."""
    counts: Floats
    """(C,): the checkpoints."""
    cover_factor: float
    """Ratio of the radius of "covered" and that of one facet."""
    difference: Callable[[Indices, Indices, int], tuple[Floats, Floats]]
    """Maps designs i and j and a facet to gains of j, and to standard deviations of differences of observations."""
    z: Callable[[Indices, Indices, int, bool], Floats]
    """Maps designs i and j, a facet and `out` to the standard errors that decide whether i is no worse, or out."""
    levels: tuple[Indices, Floats, Floats, tuple[Floats, Floats]] | None
    """The objectives that have levels, (R,); averages less the levels, and standard deviations, (L, R); the standard
    errors that decide whether a level is met, and missed. None without levels."""
    weighed: Bools
    """(N, P): the parts that a facet needs."""
    prices: Floats
    """(P,): the price of an observation of each part."""
    most: float
    """Largest number of observations that can be asked for."""
    population: float = np.inf
    bets: bool = False

    def distance(self, gap: Floats, spread: Floats, error: Floats | None = None) -> Floats:
        """Return a gap in standard deviations; above 0 its error is added.

        The gain of a bet depends on the mean square, which includes the squared distance.
        """
        ahead = gap / np.maximum(spread, _TINY)
        ahead = ahead if error is None else np.where(ahead > 0, np.hypot(ahead, error), ahead)
        return ahead / np.hypot(1, ahead) if self.bets else ahead

    def until(self, ahead: Floats) -> Floats:
        """Return the observations of both that settle a distance, given in standard errors that decide."""
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(1.0 / (np.maximum(ahead, 0.0) ** 2 + 1.0 / self.population))

    @cached_property
    def least(self) -> Floats:
        """(P, L): the next checkpoint of each part of each design."""
        place = np.searchsorted(self.counts, self.seen, side="right")
        return np.asarray(self.counts[np.minimum(place, len(self.counts) - 1)])

    @cached_property
    def errors(self) -> Floats:
        """(N, L): standard errors of averages along the facets, where a difference has a standard deviation of 1."""
        few = np.array([self.seen[parts].min(axis=0) for parts in self.weighed])
        return np.asarray(np.sqrt(np.maximum(0.5 / np.maximum(few, 1) - 0.5 / self.population, 0.0)))


@dataclass(frozen=True, eq=False)
class Needs:
    """Observations that settle the open questions, by part: O open designs, L designs which are left.

    Each open design goes the cheapest of three ways. It is *out* by its best rival. It is *in*: no worse than all other
    designs. Or it is *gone*, because it misses a level.
    """

    left: Indices
    """(L,): the designs which are not out."""
    rows: Indices
    """(O,): positions in `left` of the undecided designs."""
    best: Indices
    """(O,): positions in `left` of the rival that would put each design out soonest."""
    own: Floats
    """(P, O): observations of the design itself."""
    others: Floats
    """(P, O, L): observations of the others."""

    @property
    def targets(self) -> Floats:
        """(P, L): observations that should settle all open questions: the most that any of them asks for."""
        found = self.others.max(axis=1, initial=0.0)
        found[:, self.rows] = np.maximum(found[:, self.rows], self.own)
        return np.asarray(found)


def open_needs(look: Outlook, claims: Claims, question: Question, epsilon: float, *, waiting: bool) -> Needs:
    """Return what the open questions need, each by its cheapest way.

    A design may have had enough observations to be put out once others are decided. It asks for one more checkpoint,
    unless it is `waiting` for the others. Otherwise errors are added to gaps: of many gaps some look far too small.
    """
    assert claims.no_worse_at is not None
    cone, left = question.cone, claims.left
    rows, everyone, (many, parts) = np.flatnonzero(claims.undecided[left]), np.arange(len(left)), look.weighed.shape
    # out: beaten, or covered within epsilon where success is "cover"
    bonus = epsilon / look.cover_factor if question.success == "cover" else 0.0
    least, root = look.least, np.sqrt(look.weighed @ look.prices) if parts > 1 else np.ones(many)
    meet, gone, aside, clear = _level_costs(look, claims, epsilon)
    fine, own = np.empty((parts, len(rows), len(left))), np.empty((parts, len(rows)))  # until it is in
    best, top = np.empty(len(rows), dtype=np.intp), np.empty(len(rows))

    def priced(asked: Floats) -> Floats:
        return np.asarray(asked[0] if parts == 1 else np.tensordot(look.prices, asked, 1))

    def error(i: Indices, j: Indices, n: int) -> Floats | None:
        return None if waiting else np.maximum(look.errors[n, i], look.errors[n, j])

    step = max(1, _PAIRS_AT_ONCE // max(1, len(left)))
    for start in range(0, len(rows), step):
        here = slice(start, start + step)
        some, each = rows[here], np.arange(len(rows[here]))
        i, j, facet = some[:, None], everyone[None, :], np.zeros((len(some), len(left)), dtype=np.intp)
        near, margin = np.full(facet.shape, -np.inf), np.full(facet.shape, np.inf)
        for n, width in enumerate(cone.widths):
            gains, spread = look.difference(i, j, n)
            ahead = look.distance(epsilon * width - gains, spread, error(i, j, n))
            if parts > 1:
                ahead /= look.z(i, j, n, False) * root[n]
                facet[ahead > near] = n
            np.maximum(near, ahead, out=near)
            np.minimum(margin, (gains + bonus) / spread, out=margin)
        near = near if parts > 1 else near / look.z(i, j, 0, False)
        asked = np.minimum(look.until(near * root[facet]), look.most)
        open_ = claims.no_worse_at[some] > epsilon
        for part in range(parts):
            needed = open_ & (look.weighed[facet, part] if parts > 1 else True)
            following = np.minimum(least[part][i], least[part][j])
            fine[part, here] = np.where(needed, np.minimum(np.maximum(asked, following), look.most), 0.0)
        via = priced(fine[:, here]) > priced(aside)
        own[:, here] = np.maximum(np.where(via, 0.0, fine[:, here]).max(axis=2, initial=0.0), meet[:, some])
        fine[:, here] = np.where(via, aside[:, None], fine[:, here])
        margin[:, np.isinf(clear).any(axis=0)] = -np.inf
        margin[each, some] = -np.inf
        best[here] = margin.argmax(axis=1)
        top[here] = margin[each, best[here]]
    out = np.zeros((parts, len(rows)))
    for n in range(many):
        gains, spread = look.difference(rows, best, n)
        ahead = look.distance(gains + bonus, spread, error(rows, best, n))
        asked = np.where(np.isfinite(top), look.until(ahead / look.z(rows, best, n, True)), np.inf)
        out[look.weighed[n]] = np.maximum(out[look.weighed[n]], asked)
    out = out if waiting else np.maximum(out, np.minimum(least[:, rows], least[:, best]))
    clear, gone = np.maximum(out, clear[:, best]), gone[:, rows]
    inward, outward, going = np.maximum(priced(own), priced(fine).max(axis=1)), priced(clear), priced(gone)
    leaving = outward < np.minimum(inward, going)
    missing = ~leaving & np.isfinite(going) & (going <= inward)
    fine[:, leaving | missing] = 0.0
    fine[:, leaving, best[leaving]] = clear[:, leaving]
    return Needs(left, rows, best, np.where(leaving, out, np.where(missing, gone, own)), fine)


def _level_costs(look: Outlook, claims: Claims, epsilon: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the observations of each part of each design that settle its levels, four times (P, L).

    The first last until it meets all levels within epsilon, the second until it misses a level. The third last until it
    is no longer a rival: it misses a level or has at most epsilon to spare. With the fourth it may put others out.
    """
    shape, bounds, levels = look.seen.shape, claims.bounds, look.levels
    never, now = np.full(shape, np.inf), np.zeros(shape)
    if bounds is None or levels is None:
        return now, never, never, now
    left, (columns, off, spreads, (own, miss)) = claims.left, levels
    spreads = np.maximum(spreads, _TINY)  # an objective may never vary
    part_of = columns if shape[0] > 1 else np.zeros_like(columns)

    def by_part(ahead: Floats, z: Floats, *, any_one: bool = False) -> Floats:
        asked = np.maximum(look.until(look.distance(ahead, spreads) / z), look.least[part_of].T)
        if any_one:  # the level that is settled first
            asked = np.where(asked == asked.min(axis=1, keepdims=True), asked, 0.0)
        return np.array([asked[:, part_of == part].max(axis=1, initial=0.0) for part in range(shape[0])])

    def unless(settled: Bools, asked: Floats) -> Floats:
        return np.where(settled, 0.0, asked)

    meet = unless(bounds.meet_at[left] <= epsilon, np.minimum(by_part(off + epsilon, own), look.most))
    gone = aside = by_part(-off, miss, any_one=True)
    clear = now
    if bounds.spared:
        aside = unless(bounds.room_at[left] <= epsilon, by_part(epsilon - off, miss, any_one=True))
    if bounds.strikers is not None:
        slack = 0.0 if bounds.spared else epsilon  # an accepted design covers, whether or not it may strike
        clear = unless(bounds.strikers[left], by_part(off + slack, own))
    return meet, gone, aside, clear


def of_streams(
    certificate: Certificate, state: Any, seen: Statistics | Separately, claims: Claims, prices: Floats
) -> Outlook:
    """Return the outlook on designs that are evaluated independently, in whole rows or objective by objective."""
    left, cone, radii, required = claims.left, certificate.cone, certificate.radii, certificate.requirements
    counts, last = np.array(certificate.levels.counts, dtype=np.float64), len(certificate.levels.counts) - 1
    each = [part.of(left) for part in (seen.each if isinstance(seen, Separately) else (seen,))]
    exact = [stream.radii is None for stream in certificate.streams]
    own = np.where(exact, counts[-1], np.column_stack([part.counts for part in each])).T  # without noise one is all
    few, means = own.min(axis=0), np.hstack([part.means for part in each])
    weighed, scatters = np.ones((len(cone.facets), 1), dtype=bool), each[0].scatters if radii.estimates else np.empty(0)
    if len(each) > 1:
        weighed, scatters = cone.facets != 0, np.zeros((len(left), cone.dim, cone.dim))
        for d, part in enumerate(each):
            scatters[:, d, d] = part.scatters[:, 0, 0] * np.maximum(few - 1, 0) / np.maximum(part.counts - 1, 1)
    values = np.ascontiguousarray(cone.facet_values(means).T)
    variances = np.ascontiguousarray(radii.planned(radii.variances(left, scatters, few)).T)
    coming = np.minimum(np.searchsorted(counts, [own[parts].min(axis=0) * _AHEAD for parts in weighed]), last)
    rows, levels = left[claims.undecided[left]], None
    standing = cast(Contrasts, claims.pairs).standing
    sight = certificate.ruler(state).in_sight(rows if len(rows) else left, standing)
    if required is not None:
        spreads = np.sqrt(required.radii.planned(required.radii.variances(left, scatters, few)))[:, required.columns]
        place = np.minimum(np.searchsorted(counts, own[required.columns % len(own)] * _AHEAD), last).T
        z = certificate.level_boundary.max(axis=1)
        levels = required.columns, means[:, required.columns] - required.least, spreads, (z[0][place], z[1][place])

    def difference(i: Indices, j: Indices, n: int) -> tuple[Floats, Floats]:
        spread = 2 * variances[n, :1] if radii.alike else variances[n, i] + variances[n, j]
        return values[n, j] - values[n, i], np.maximum(np.sqrt(spread), _TINY)

    def z_of(i: Indices, j: Indices, n: int, out: bool) -> Floats:
        return np.asarray(sight[out][np.minimum(coming[n, i], coming[n, j])])

    asked = own, counts, certificate.cover_factor, difference, z_of, levels
    return Outlook(*asked, weighed, prices, counts[-1])


def of_blocks(certificate: Paired, state: Prefixes, claims: Claims) -> Outlook:
    """Return the outlook on designs that are compared by their values on the same blocks, or with the same numbers."""
    left, cone, kinds, population = claims.left, certificate.cone, certificate.kinds, certificate.population
    part, reach = state.statistics.of(left), state.reach[left].astype(np.float64)
    times = np.maximum(part.counts, 1).astype(np.float64)

    def spreads_along(rows: Floats) -> Floats:
        """Return variances; a design whose bounded values are all alike may still vary: one value as far as can be."""
        far = 2 * kinds.noise.scales(rows) if certificate.bets else np.zeros(len(rows))
        return np.asarray(sample_variances(rows, part.scatters, times) + far**2 / times[:, None] ** 2)

    if certificate.independent:
        values, variances = cone.facet_values(part.means).T, spreads_along(cone.facets).T

        def difference(i: Indices, j: Indices, n: int) -> tuple[Floats, Floats]:
            return values[n, j] - values[n, i], np.sqrt(variances[n, i] + variances[n, j])
    else:
        never = np.where(never_varied(kinds.noise, state.statistics), np.inf, 0.0)
        seen = Differences.of(state.values[left], cone.facets, never, population)

        def difference(i: Indices, j: Indices, n: int) -> tuple[Floats, Floats]:
            return seen.gains[i, j, n], np.maximum(seen.spreads[i, j, n], _TINY)

    z = [np.broadcast_to(each, (len(left),) * 2) for each in certificate.deviations(state, left)]
    columns, least, _, _ = levels_of(certificate.question)
    levels = None
    if len(columns):
        spreads = np.sqrt(spreads_along(np.eye(cone.dim)))[:, columns]
        levels = columns, part.means[:, columns] - least, spreads, (z[0].max(), z[1].max())
    factor = float(cone.lift_norms(np.ones((len(cone.facets), 1)), non_negative=True)[0])
    counts, weighed = np.array(certificate.levels, dtype=np.float64), np.ones((len(cone.facets), 1), dtype=bool)
    asked = reach[None], counts, factor, difference, lambda i, j, n, out: z[out][i, j], levels
    most = np.inf if certificate.once else counts[-1]
    return Outlook(*asked, weighed, np.ones(1), most, population or np.inf, certificate.bets)
