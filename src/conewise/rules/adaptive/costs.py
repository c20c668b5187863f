"""Forecast the costs of the open questions from the present averages; sampling rules choose by these costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, cast

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.certificate.certificate import Certificate
from conewise.certificate.claims import Claims
from conewise.certificate.contrasts import Contrasts
from conewise.certificate.history import Checkpoints

_AHEAD: Final = 1.85  # guessed ratio of the count that settles a question to the present one; selects a boundary
_TINY: Final = 1e-100
_PAIRS_AT_ONCE: Final = 2**16  # what a core's cache holds


@dataclass(frozen=True, eq=False)
class Costs:
    """Costs of the open questions, forecast from the present averages: O open designs, L designs which are left."""

    left: Indices
    """(L,): the designs which are not beaten."""
    rows: Indices
    """(O,): positions in `left` of the undecided designs."""
    fine: Floats
    """(O, L): observations of both until i is fine against j; 0 where it is."""
    best: Indices
    """(O,): positions in `left` of the rival that would put i out soonest."""
    out: Floats
    """(O,): observations of both until that rival puts i out; infinite where none would."""

    levels: LevelCosts | None = None
    """Costs of the open levels; None for a question without levels."""

    def ways(self) -> tuple[Bools, Floats]:
        """Return which designs are cheaper to put out, (O,), and how many observations the other designs ask for, (L,).

        Rivals which have to meet their levels before they may put others out are among the second.
        """
        outward, inward = self.out, self.fine.max(axis=1, initial=0.0)
        targets, levels = np.zeros(len(self.left)), self.levels
        if levels is None:
            leaving = outward < inward
            own, staying = inward, ~leaving
        else:
            gone, meet = levels.gone[self.rows], levels.meet[self.rows]
            outward, inward = np.maximum(outward, levels.clear[self.best]), np.maximum(inward, meet)
            leaving, staying = outward < np.minimum(inward, gone), (inward < gone) & (inward <= outward)
            missing = ~leaving & ~staying
            targets[self.rows[missing]] = gone[missing]
            np.maximum.at(targets, self.best[leaving], levels.clear[self.best[leaving]])
            # If a rival leaves by its own levels, only the rival has to be known better, not the design.
            own = np.maximum(np.where(self.fine < levels.aside, self.fine, 0.0).max(axis=1, initial=0.0), meet)
        np.maximum.at(targets, self.rows[staying], own[staying])
        np.maximum(targets, self.fine[staying].max(axis=0, initial=0.0), out=targets)
        return leaving, targets


@dataclass(frozen=True, eq=False)
class LevelCosts:
    """Observations of each design which is left until its levels are settled; 0 where they are."""

    meet: Floats
    """(L,): until it meets all levels within epsilon, if it seems to; otherwise the last checkpoint."""
    gone: Floats
    """(L,): until it misses a level, if it seems to; otherwise infinite."""
    aside: Floats
    """(L,): until it is no longer a rival: it misses a level, or has at most epsilon to spare."""
    clear: Floats
    """(L,): until it may put other designs out; infinite where it seems that it never may."""


def open_costs(certificate: Certificate, state: Checkpoints, claims: Claims, waiting: bool) -> Costs | None:
    """Return the costs of the open questions; None when too many designs are left to look at every pair.

    A design may have had enough observations to be put out once others are decided. It asks for one more checkpoint,
    unless it is `waiting` for the others.
    """
    if claims.no_worse_at is None or not claims.no_worse_at.size:
        return None
    left, question = claims.left, certificate.question
    epsilon, cone = question.epsilon, question.cone
    rows = np.flatnonzero(claims.undecided[left])
    seen = state.statistics.counts[left]
    values = cone.facet_values(state.statistics.means_of(left)).T
    scatters = state.statistics.of(left).scatters if certificate.radii.estimates else None
    variances = certificate.radii.planned(certificate.radii.variances(left, scatters, seen.astype(np.float64))).T
    counts = np.array(certificate.levels.counts, dtype=np.float64)
    last = len(counts) - 1
    # `coming` and `least` increase with the smaller of two counts, so they are computed for each design alone.
    coming = np.minimum(np.searchsorted(counts, seen * _AHEAD), last)
    least = counts[np.minimum(np.searchsorted(counts, seen, side="right"), last)]
    compared, of = cast(Contrasts, claims.pairs), left[rows] if len(rows) else left
    boundary, out = certificate.ruler(state).in_sight(of, compared.standing)
    # out: beaten, or covered within epsilon where success is "cover"
    bonus = epsilon / certificate.cover_factor if question.success == "cover" else 0.0
    slacks = epsilon * cone.widths
    # A rival with few evaluations gets an allowance for its error. Otherwise it would never be evaluated.
    error = np.sqrt(0.5 / np.maximum(seen, 1))  # of the mean of a design, where differences have a spread of 1
    hope = error if waiting and question.success == "contain" else np.zeros_like(error)
    levels = None if claims.bounds is None else _level_costs(certificate, state, claims, coming, least)
    spreads = np.sqrt(2 * variances[:, 0]) if certificate.radii.alike else None
    fine = np.empty((len(rows), len(left)))
    best, top = np.empty(len(rows), dtype=np.intp), np.empty(len(rows))
    step = max(1, _PAIRS_AT_ONCE // max(1, len(left)))
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        slack, margin = np.full((len(some), len(left)), -np.inf), np.full((len(some), len(left)), np.inf)
        unseen = None  # where two designs never varied, and show nothing of each other
        if compared.streams[0].still is not None:
            unseen = np.isinf(compared.fine(some, np.arange(len(left))).radii)
        for n, (value, variance) in enumerate(zip(values, variances, strict=True)):
            if spreads is not None:  # the same for all pairs: divided by before, not pair by pair
                spread: Floats = np.maximum(spreads[n], _TINY)
                gains = (value / spread)[None, :] - (value / spread)[some][:, None]
            else:
                spread = np.sqrt(np.maximum(variance[None, :] + variance[some][:, None], _TINY**2))
                gains = (value[None, :] - value[some][:, None]) / spread
            np.maximum(slack, slacks[n] / spread - gains, out=slack, where=unseen is None or ~unseen[:, :, n])
            gains += bonus / spread
            np.minimum(margin, gains, out=margin)
        if unseen is not None:
            margin[unseen.any(axis=2)] = -np.inf
        z = boundary[np.minimum(coming[some][:, None], coming[None, :])]
        if not waiting:  # a forecast allows for errors: of many gaps some look far smaller than they are
            slack = np.where(slack > 0, np.hypot(slack, np.maximum(error[some][:, None], error[None, :])), 0.0)
        asked = (z / np.maximum(slack, _TINY)) ** 2
        np.maximum(asked, np.minimum(least[some][:, None], least[None, :]), out=asked)
        np.minimum(asked, counts[-1], out=asked)
        if levels is not None:
            np.minimum(asked, levels.aside[None, :], out=asked)
            margin[:, np.isinf(levels.clear)] = -np.inf
        asked[claims.no_worse_at[some] <= epsilon] = 0.0
        fine[start : start + step] = asked
        each = np.arange(len(some))
        margin[each, some] = -np.inf
        margin += hope[None, :]
        rival = margin.argmax(axis=1)
        best[start : start + step], top[start : start + step] = rival, margin[each, rival]
    z = out[np.minimum(coming[rows], coming[best])]
    if not waiting:
        top = np.where(top > 0, np.hypot(top, np.maximum(error[rows], error[best])), top)
    with np.errstate(over="ignore"):
        total = np.where(top > 0, (z / np.maximum(top, _TINY)) ** 2, np.inf)
    if not waiting:
        total = np.maximum(total, np.minimum(least[rows], least[best]))
    return Costs(left, rows, fine, best, total, levels)


def _level_costs(
    certificate: Certificate, state: Checkpoints, claims: Claims, coming: Indices, least: Floats
) -> LevelCosts:
    """Forecast the costs of the open levels from the present averages; `coming` and `least` as in `open_costs`."""
    bounds, left = claims.bounds, claims.left
    required, epsilon = certificate.requirements, certificate.epsilon
    assert required is not None
    assert bounds is not None
    seen = state.statistics.counts[left].astype(np.float64)
    scatters = state.statistics.of(left).scatters if required.radii.estimates else None
    variances = required.radii.planned(required.radii.variances(left, scatters, seen))[:, required.columns]
    off = state.statistics.means_of(left)[:, required.columns] - required.least
    z = certificate.level_boundary.max(axis=1)[:, coming, None]

    def until(ahead: Floats, z: Floats) -> Floats:
        with np.errstate(over="ignore", divide="ignore"):
            found = np.where(ahead > 0, variances * (z / np.maximum(ahead, _TINY)) ** 2, np.inf)
        return np.maximum(found, least[:, None])

    last = float(certificate.levels.counts[-1])
    meet = np.where(bounds.meet_at[left] <= epsilon, 0.0, np.minimum(until(off + epsilon, z[0]).max(axis=1), last))
    gone = until(-off, z[1]).min(axis=1)
    aside, clear = gone, np.zeros(len(left))
    if bounds.spared:
        aside = np.where(bounds.room_at[left] <= epsilon, 0.0, until(epsilon - off, z[1]).min(axis=1))
    if bounds.strikers is not None:
        slack = 0.0 if bounds.spared else epsilon  # an accepted design covers, whether or not it may strike
        clear = np.where(bounds.strikers[left], 0.0, until(off + slack, z[0]).max(axis=1))
    return LevelCosts(meet, gone, aside, clear)
