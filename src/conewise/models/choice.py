"""Which set to return: the one that fails in as few draws as a short search can find.

A design inside costs the draws in which it is too far; a design outside, those in which nobody inside covers it. The
draws that choose are never the draws that judge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from conewise._arrays import Bools, Floats, Indices
from conewise.cones import Cone
from conewise.goals import Notion
from conewise.models.failures import escapes, fronts, possibly_optimal

_HOPELESS: Final = 0.5  # too far in this share of the draws: never returned
_STEPS: Final = 50  # changes of the set, at most
_EARLY: Final = 0.5  # failing in this share of the draws: too early to search for the last improvement
_PAIRS: Final = 2**23  # entries of the table of who covers whom


@dataclass(frozen=True, eq=False)
class Choice:
    """A set, and what the draws that chose it say."""

    inside: Bools
    """(A,)"""
    failing: float
    """The share of these draws in which it fails: an optimistic estimate, since they chose it."""
    probability: Floats
    """(A,): how often each design is Pareto optimal."""


def choose(z: Floats, cone: Cone, epsilon: float, notion: Notion) -> Choice:
    """The set for draws given by facet values (B, A, N)."""
    some = possibly_optimal(z)
    optimal = fronts(z[:, some])
    probability = np.zeros(z.shape[1])
    probability[some] = optimal.mean(axis=0)
    possible = np.flatnonzero(probability > 0)
    # Only designs that are Pareto optimal in some draw have to be returned or covered, or can be the rival that counts.
    inside = np.zeros(z.shape[1], dtype=bool)
    z = z[:, possible]
    far = escapes(z, np.arange(len(possible)), cone)[0] > epsilon
    if notion == "contain":
        missing = optimal[:, np.searchsorted(some, possible)]
        chosen = missing.sum(axis=0) > far.sum(axis=0)
        failing = np.where(chosen, far, missing).any(axis=1).mean()
    else:
        chosen, failing = _search(z, far, cone, epsilon)
    inside[possible[chosen]] = True
    return Choice(inside, float(failing), probability)


def _search(z: Floats, far: Bools, cone: Cone, epsilon: float) -> tuple[Bools, float]:
    count = z.shape[1]
    hope = np.flatnonzero(far.mean(axis=0) < _HOPELESS)
    if not len(hope):
        hope = np.array([int(far.mean(axis=0).argmin())])
    most = max(16, _PAIRS // max(1, count * len(hope)))
    z, far = z[:most], far[:most]
    close = _covering(z, hope, cone, epsilon)
    state = _Set(close, far[:, hope])
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
    for b, draw in enumerate(np.ascontiguousarray(z.transpose(0, 2, 1))):
        deficit = np.zeros(close.shape[1:])
        for facet in draw:
            np.maximum(deficit, facet[:, None] - facet[columns], out=deficit)
        np.less_equal(deficit, epsilon, out=close[b])
        np.logical_and(close[b], deficit > 0, out=open_[b])
    draws, i, j = np.nonzero(open_)
    if len(draws):
        gaps = np.maximum(z[draws, i] - z[draws, columns[j]], 0.0)
        close[draws, i, j] = cone.lift_norms(np.ascontiguousarray(gaps.T), non_negative=True) <= epsilon
    return close


class _Set:
    """A set that is being changed one design at a time: fewer failing draws, then fewer violations."""

    def __init__(self, close: Bools, far: Bools) -> None:
        self._close, self._far = close, far
        self._flat = close.reshape(-1, close.shape[2]).astype(np.float32)  # counts stay exact, and products are fast
        self._cost = far.sum(axis=0)
        self.inside = np.zeros(close.shape[2], dtype=bool)
        self._times = np.zeros(close.shape[:2], dtype=np.int32)  # members that cover i in a draw
        self._own = np.zeros(far.shape[0], dtype=np.int64)  # members that are too far
        while (step := self._greedy()) is not None:
            self._flip(step)

    @property
    def failing(self) -> float:
        return float(((self._times == 0).any(axis=1) | (self._own > 0)).mean())

    def _greedy(self) -> int | None:
        """The design that covers the most of what is uncovered, less what it costs itself."""
        bare = (self._times == 0).ravel().astype(np.float32)
        gain = (bare @ self._flat).astype(np.int64) - self._cost
        gain[self.inside] = -1
        best = int(gain.argmax())
        return best if gain[best] > 0 else None

    def _flip(self, which: int) -> None:
        sign = -1 if self.inside[which] else 1
        self._times += sign * self._close[:, :, which]
        self._own += sign * self._far[:, which]
        self.inside[which] = not self.inside[which]

    def _score(self, which: int) -> tuple[int, int]:
        """Failing draws and violations after a change."""
        sign = -1 if self.inside[which] else 1
        bare = (self._times + sign * self._close[:, :, which]) == 0
        violations = bare.sum(axis=1) + self._own + sign * self._far[:, which]
        return int((violations > 0).sum()), int(violations.sum())

    def improve(self) -> bool:
        """The best single change, if any makes it better."""
        now = ((self._times == 0).sum(axis=1) + self._own).astype(np.int64)
        current = int((now > 0).sum()), int(now.sum())
        scores = [self._score(h) for h in range(len(self.inside))]
        best = min(range(len(scores)), key=scores.__getitem__)
        if scores[best] >= current:
            return False
        self._flip(best)
        return True
