"""Which set to return: the one that fails in as few draws as a short search can find.

A design inside costs the draws in which it is too far; a design outside, those in which nobody inside covers it, or,
where there are levels, those in which it meets them, whichever is less. The draws that choose are never the draws that
judge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.cone.cone import Cone
from conewise.models.failures import AT_HAND, covers, escapes, fronts, needed, needs, possibly_optimal, slices
from conewise.models.levels import Spare
from conewise.question.question import Notion

_HOPELESS: Final = 0.5  # too far in this share of the draws: never returned
_STEPS: Final = 50  # changes of the set, at most
_EARLY: Final = 0.5  # failing in this share of the draws: too early to search for the last improvement
_PAIRS: Final = 2**23  # entries of the table of who covers whom
_CLEARLY: Final = 4.0  # standard deviations below a level: more than draws have to be asked about


@dataclass(frozen=True, eq=False)
class Choice:
    """A set, and what the draws that chose it say."""

    inside: Bools
    """(A,)"""
    failing: float
    """The share of these draws in which it fails: an optimistic estimate, since they chose it."""
    probability: Floats
    """(A,): how often each design is Pareto optimal."""
    missing: Bools | None = None
    """(A,): those that are left out because they miss a level; None where there is none."""


def choose(z: Floats, cone: Cone, epsilon: float, notion: Notion, spare: Spare | None = None) -> Choice:
    """The set for draws given by facet values (B, A, N), and by what they have to spare of levels."""
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
    far = _too_far(z, counting, possible, cone, epsilon, notion, spare)
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


def _too_far(
    z: Floats, counting: Floats, rows: Indices, cone: Cone, epsilon: float, notion: Notion, spare: Spare | None
) -> Bools:
    """(B, R): in which draws some designs must not be returned."""
    if spare is None:
        return np.asarray(escapes(z[:, rows], counting[:, rows], cone) > epsilon)
    least = spare.least[:, rows]
    room = None if spare.keeps or notion == "cover" else least
    return np.asarray((escapes(z[:, rows], counting[:, rows], cone, room) > epsilon) | (-least > epsilon))


def _missing(z: Floats, inside: Bools, cone: Cone, epsilon: float, notion: Notion, spare: Spare) -> Bools:
    """(A,): designs outside for which "misses a level" is wrong in fewer draws than "covered".

    Where neither is ever wrong, those far below a level.
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
    uncovered = bare.sum(axis=0)
    result[others] = (wrong < uncovered) | ((wrong == 0) & far_below)
    return result


def _search(z: Floats, far: Bools, cone: Cone, epsilon: float, excused: Bools | None = None) -> tuple[Bools, float]:
    """`excused` (B, A) says in which draws a design need not be covered: where it misses a level."""
    count = z.shape[1]
    if not count:
        return np.zeros(0, dtype=bool), 0.0
    hope = np.flatnonzero(far.mean(axis=0) < _HOPELESS)
    if not len(hope):
        hope = np.array([int(far.mean(axis=0).argmin())])
    most = max(16, _PAIRS // max(1, count * len(hope)))
    z, far = z[:most], far[:most]
    close = _covering(z, hope, cone, epsilon)
    state = _Set(close, far[:, hope], None if excused is None else excused[:most])
    for _ in range(_STEPS):
        if state.failing > _EARLY or not state.improve():
            break
    chosen = np.zeros(count, dtype=bool)
    chosen[hope[state.inside]] = True
    return chosen, state.failing


def _covering(z: Floats, columns: Indices, cone: Cone, epsilon: float) -> Bools:
    """(B, A, H): whether M(i, j) <= epsilon in each draw."""
    close = np.empty((len(z), z.shape[1], len(columns)), dtype=bool)
    open_ = np.empty_like(close)
    facets = np.ascontiguousarray(z.transpose(2, 0, 1))
    for part in slices(len(z), z.shape[1] * len(columns), AT_HAND):
        deficit = np.zeros(close[part].shape)
        for facet in facets[:, part]:
            np.maximum(deficit, facet[:, :, None] - facet[:, None, columns], out=deficit)
        np.less_equal(deficit, epsilon, out=close[part])
        np.logical_and(close[part], deficit > 0, out=open_[part])
    draws, i, j = np.nonzero(open_)
    if len(draws):
        gaps = np.maximum(z[draws, i] - z[draws, columns[j]], 0.0)
        close[draws, i, j] = cone.lift_norms(np.ascontiguousarray(gaps.T), non_negative=True) <= epsilon
    return close


class _Set:
    """A set that is changed one design at a time: fewer failing draws, then fewer violations."""

    def __init__(self, close: Bools, far: Bools, excused: Bools | None) -> None:
        self._close, self._far = close.astype(np.float32), far  # counts stay exact, and products are fast
        self.inside = np.zeros(close.shape[2], dtype=bool)
        # Members that cover a design in a draw; a design that need not be covered has one from the beginning.
        self._times = np.zeros(close.shape[:2], dtype=np.int32) if excused is None else excused.astype(np.int32)
        self._own = np.zeros(far.shape[0], dtype=np.int64)  # members that are too far
        self._begin()

    @property
    def failing(self) -> float:
        """Share of the draws in which the set fails."""
        return float(((self._times == 0).any(axis=1) | (self._own > 0)).mean())

    def _begin(self) -> None:
        """Add the design that covers most of what is uncovered, less what it costs itself, while that is a gain."""
        gains = np.einsum("bi,bih->h", (self._times == 0).astype(np.float32), self._close) - self._far.sum(axis=0)
        while gains[best := int(gains.argmax())] > 0:
            bare = self._times == 0
            self._flip(best)
            gains = gains - self._close[bare & (self._times > 0)].sum(axis=0)
            gains[best] = -1

    def _flip(self, which: int) -> None:
        sign = -1 if self.inside[which] else 1
        self._times += sign * self._close[:, :, which].astype(np.int32)
        self._own += sign * self._far[:, which]
        self.inside[which] = not self.inside[which]

    def improve(self) -> bool:
        """Make the best single change; return whether any makes the set better."""
        bare = self._times == 0
        now = bare.sum(axis=1) + self._own
        # What a change uncovers or covers in each draw: of each member what it alone covers, of others what is bare.
        alone, covered = np.moveaxis(np.stack([self._times == 1, bare], axis=1).astype(np.float32) @ self._close, 1, 0)
        after = now[:, None] + np.where(self.inside, alone - self._far, self._far - covered)
        # Failing draws count first; their violations decide among equals.
        scores = (after > 0).sum(axis=0) * (self._times.size + self._far.size + 1.0) + after.sum(axis=0)
        best = int(scores.argmin())
        if scores[best] >= (now > 0).sum() * (self._times.size + self._far.size + 1.0) + now.sum():
            return False
        self._flip(best)
        return True
