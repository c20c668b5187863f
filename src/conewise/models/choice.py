"""Choose the set to return: the one that fails in as few draws as a short search can find.

A design inside costs the draws in which it is too far. A design outside costs those in which no design inside covers
it. Where there are levels, it may instead cost those in which it meets them, if these are fewer. The draws that choose
are never the draws that judge.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Final

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.cone.cone import Cone
from conewise.models.failures import ENTRIES, by_facet, covers, escapes, fronts, needed, needs, possibly_optimal, slices
from conewise.models.levels import Spare
from conewise.question.question import Notion

_HOPELESS: Final = 0.5  # too far in this share of the draws: never returned
_STEPS: Final = 50  # changes of the set, at most
_EARLY: Final = 0.5  # failing in this share of the draws: too early to search for the last improvement
_PAIRS: Final = 2**23  # entries of the table of which design covers which
_CLEARLY: Final = 4.0  # standard deviations below a level: more than draws have to be asked about


@dataclass(frozen=True, eq=False)
class Choice:
    """A set, and what the draws that chose it tell about it."""

    inside: Bools  # (A,)
    failing: float  # the share of these draws in which the set fails: an optimistic estimate, since they chose it
    probability: Floats  # (A,): how often each design is Pareto optimal
    missing: Bools | None = None  # (A,): the designs that are left out because they miss a level, where there is one


def choose(z: Floats, cone: Cone, epsilon: float, notion: Notion, spare: Spare | None = None) -> Choice:
    """Choose the set for draws given by facet values (B, A, N), and by how they meet the levels."""
    counting = z if spare is None else spare.of_those(z)
    some = possibly_optimal(z, None if spare is None else spare.acceptable)
    optimal = fronts(counting[:, some])
    if spare is not None:
        optimal &= spare.acceptable[:, some]
    probability = np.zeros(z.shape[1])
    probability[some] = optimal.mean(axis=0)
    possible = np.flatnonzero(probability > 0)
    # Only designs that are Pareto optimal in some draw have to be returned or covered, or can be the rival that counts.
    inside = np.zeros(z.shape[1], dtype=bool)
    if spare is None:
        far = escapes(z[:, possible], counting[:, possible], cone) > epsilon
    else:
        least = spare.least[:, possible]
        room = None if spare.keeps or notion == "cover" else least
        far = (escapes(z[:, possible], counting[:, possible], cone, room) > epsilon) | (-least > epsilon)
    if notion == "contain":
        missing = optimal[:, np.searchsorted(some, possible)]
        chosen = missing.sum(axis=0) > far.sum(axis=0)
        failing = float(np.where(chosen, far, missing).any(axis=1).mean())
    else:
        excused = None if spare is None else ~spare.acceptable[:, possible]
        chosen, failing = _search(z[:, possible], far, cone, epsilon, excused)
    inside[possible[chosen]] = True
    if spare is None:
        return Choice(inside, failing, probability)
    reasons = _missing(z, inside, cone, epsilon, notion, spare)
    failing = float((needed(z, inside, cone, notion, spare, reasons) > epsilon).mean())
    return Choice(inside, failing, probability, reasons)


def _missing(z: Floats, inside: Bools, cone: Cone, epsilon: float, notion: Notion, spare: Spare) -> Bools:
    """Return the designs outside for which "misses a level" is wrong in fewer draws than "covered", (A,).

    Where neither is ever wrong, return those far below a level.
    """
    result, others = np.zeros(len(inside), dtype=bool), np.flatnonzero(~inside)
    least = spare.least[:, others]
    far_below = least.mean(axis=0) + _CLEARLY * least.std(axis=0) < 0
    bare = np.ones((len(z), len(others)), dtype=bool)
    if notion == "contain":
        bare = needs(z, inside, cone, notion, spare, np.zeros_like(inside)).at[:, others] > epsilon
    elif inside.any():
        bare = covers(z, others, np.flatnonzero(inside), cone)[0] > epsilon
    wrong = spare.acceptable[:, others].sum(axis=0)
    result[others] = (wrong < bare.sum(axis=0)) | ((wrong == 0) & far_below)
    return result


def _search(z: Floats, far: Bools, cone: Cone, epsilon: float, excused: Bools | None) -> tuple[Bools, float]:
    """Search for the set; `excused` (B, A) marks draws in which a design misses a level and need not be covered."""
    count = z.shape[1]
    if not count:
        return np.zeros(0, dtype=bool), 0.0
    share = far.mean(axis=0)
    hope = np.flatnonzero(share < _HOPELESS)
    if not len(hope):
        hope = share.argmin(keepdims=True)
    some = slice(max(16, _PAIRS // max(1, count * len(hope))))
    close, far = _covering(z[some], hope, cone, epsilon), far[some, hope]
    inside = np.zeros(len(hope), dtype=bool)
    # Members that cover a design in a draw; a design that need not be covered has one from the beginning.
    times = np.zeros(close.shape[1:], dtype=np.float32) if excused is None else excused[some].T.astype(np.float32)
    own = np.zeros(len(far), dtype=np.int64)  # members that are too far

    def flip(which: int) -> None:
        sign = -1 if inside[which] else 1
        np.add(times, sign * close[which], out=times)
        np.add(own, sign * far[:, which], out=own)
        inside[which] = not inside[which]

    # Add the design that covers most of what is uncovered, less what it costs itself, while that is a gain.
    flat = close.reshape(len(close), -1)
    gains = flat @ (times == 0).ravel().astype(np.float32) - far.sum(axis=0)
    while gains[best := int(gains.argmax())] > 0:
        fresh = np.flatnonzero((times == 0) & (close[best] > 0))
        flip(best)
        gains = gains - flat[:, fresh].sum(axis=1)
        gains[best] = -1
    # Make the best single change while any makes the set better: fewer failing draws, then fewer violations.
    whole = times.size + far.size + 1.0
    for _ in range(_STEPS):
        bare = times == 0
        now = bare.sum(axis=0) + own
        if (now > 0).mean() > _EARLY:
            break
        # What a change uncovers or covers in each draw: of each member what it alone covers, of others what is bare.
        alone, covered = np.einsum("hab,cab->cbh", close, np.stack([times == 1, bare]).astype(np.float32))
        after = now[:, None] + np.where(inside, alone - far, far - covered)
        scores = (after > 0).sum(axis=0) * whole + after.sum(axis=0)
        if scores[best := int(scores.argmin())] >= (now > 0).sum() * whole + now.sum():
            break
        flip(best)
    chosen = np.zeros(count, dtype=bool)
    chosen[hope[inside]] = True
    return chosen, float(((times == 0).any(axis=0) | (own > 0)).mean())


def _covering(z: Floats, columns: Indices, cone: Cone, epsilon: float) -> Floats:
    """Return 1 where M(i, j) <= epsilon in a draw and 0 elsewhere, for the designs j in `columns`, (H, A, B)."""
    facets = by_facet(z)
    close = np.zeros((len(columns), *facets.shape[1:]), dtype=np.float32)  # counts stay exact, and products are fast
    low, high = facets.min(axis=2), facets.max(axis=2)
    for part in slices(len(columns), close[0].size, ENTRIES):
        found = []
        for k, j in enumerate(columns[part], start=part.start):
            some = np.flatnonzero((low - high[:, j, None] <= epsilon).all(axis=0))  # the others are near in no draw
            deficit = reduce(np.maximum, facets[:, some] - facets[:, j, None])
            near = deficit <= epsilon
            close[k, some] = near
            near &= deficit > 0
            i, draws = np.divmod(np.flatnonzero(near), len(z))
            found.append((np.full(len(i), k), some[i], draws))
        members, i, draws = (np.concatenate(each) for each in zip(*found, strict=True))
        gaps = np.maximum(facets[:, i, draws] - facets[:, columns[members], draws], 0.0)
        close[members, i, draws] = cone.lift_norms(gaps, non_negative=True) <= epsilon
    return close
