"""What a returned set would need in each draw of the values: the smallest epsilon, and who is in the way.

Draws are given by facet values z = W mu of shape (B, A, N): B draws of A designs along N facets. In a draw the set P
succeeds at epsilon iff every design outside is covered by one inside, min_j M(i, j) <= epsilon, and every design inside
is within epsilon, max_j m(i, j) <= epsilon. Designs that are not Pareto optimal may be asked to be covered as well:
whatever covers a design covers what it dominates. For "contain" no design outside may be Pareto optimal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from conewise._arrays import Bools, Floats, Indices
from conewise.cones import Cone
from conewise.goals import Notion

_ENTRIES: Final = 2**19  # numbers in the largest temporary array


@dataclass(frozen=True, eq=False)
class Needs:
    """For each draw and design: the smallest epsilon at which it is no reason to fail, and whom it is judged by."""

    at: Floats
    """(B, A)"""
    by: Indices
    """(B, A): positions among the A designs; of the rival for a design inside, of the cover for one outside."""

    @property
    def largest(self) -> Floats:
        """(B,): the epsilon at which the set succeeds in each draw."""
        return np.asarray(self.at.max(axis=1))


def needs(z: Floats, inside: Bools, cone: Cone, notion: Notion) -> Needs:
    """What a set needs in each draw."""
    at, by = np.zeros(z.shape[:2]), np.zeros(z.shape[:2], dtype=np.intp)
    chosen, others = np.flatnonzero(inside), np.flatnonzero(~inside)
    if not len(chosen):
        at[:] = np.inf
        return Needs(at, by)
    at[:, others], by[:, others] = covers(z, others, chosen, cone)
    # A design that a chosen one dominates is no rival that counts: m(., i) <= m(., chosen one).
    open_ = others[(at[:, others] > 0).any(axis=0)]
    rivals = np.sort(np.concatenate([chosen, open_]))
    part = z[:, rivals]
    at[:, chosen], rival = escapes(part, np.searchsorted(rivals, chosen), cone)
    by[:, chosen] = rivals[rival]
    if notion == "contain":
        optimal, rival = pareto(z, others)  # of all of them: one that equals a chosen design is missing all the same
        at[:, others], by[:, others] = np.where(optimal, np.inf, 0.0), rival
    return Needs(at, by)


def escapes(z: Floats, rows: Indices, cone: Cone) -> tuple[Floats, Indices]:
    """(B, R) twice: Delta* = max_j m(i, j) of some designs in each draw, and the rival that attains it."""
    found, rival = np.zeros((len(z), len(rows))), np.zeros((len(z), len(rows)), dtype=np.intp)
    scaled = z / cone.widths
    for part, some in _blocks(len(z), rows, z.shape[1]):
        gain = np.full((part.stop - part.start, len(rows[some]), z.shape[1]), np.inf)
        for n in range(z.shape[2]):
            here = scaled[part, :, n]
            np.minimum(gain, here[:, None, :] - here[:, rows[some]][:, :, None], out=gain)
        best = gain.argmax(axis=2)
        rival[part, some] = best
        found[part, some] = np.maximum(np.take_along_axis(gain, best[:, :, None], axis=2)[:, :, 0], 0.0)
    return found, rival


def pareto(z: Floats, rows: Indices) -> tuple[Bools, Indices]:
    """(B, R) twice: whether some designs are Pareto optimal in each draw, and one that dominates each of the others."""
    optimal, rival = np.ones((len(z), len(rows)), dtype=bool), np.zeros((len(z), len(rows)), dtype=np.intp)
    for part, some in _blocks(len(z), rows, z.shape[1]):
        above = np.ones((part.stop - part.start, len(rows[some]), z.shape[1]), dtype=bool)
        strictly = np.zeros_like(above)
        for n in range(z.shape[2]):
            mine, all_ = z[part, rows[some], n][:, :, None], z[part, :, n][:, None, :]
            above &= all_ >= mine
            strictly |= all_ > mine
        above &= strictly
        rival[part, some] = above.argmax(axis=2)
        optimal[part, some] = ~above.any(axis=2)
    return optimal, rival


def possibly_optimal(z: Floats) -> Indices:
    """Designs that may be Pareto optimal in some draw: all that the front of the average draw does not rule out."""
    front = np.flatnonzero(pareto(z.mean(axis=0)[None], np.arange(z.shape[1]))[0][0])
    others = np.setdiff1d(np.arange(z.shape[1]), front)
    survivors = np.zeros((len(z), len(others)), dtype=bool)
    for part, some in _blocks(len(z), others, len(front)):
        above = np.ones((part.stop - part.start, len(others[some]), len(front)), dtype=bool)
        for n in range(z.shape[2]):
            above &= z[part][:, front, n][:, None, :] > z[part][:, others[some], n][:, :, None]
        survivors[part, some] = ~above.any(axis=2)
    return np.sort(np.concatenate([front, others[survivors.any(axis=0)]]))


def covers(z: Floats, rows: Indices, columns: Indices, cone: Cone) -> tuple[Floats, Indices]:
    """(B, R) twice: min over j in `columns` of M(i, j) in each draw, and the j that attains it."""
    found, by = np.zeros((len(z), len(rows))), np.zeros((len(z), len(rows)), dtype=np.intp)
    for part, some in _blocks(len(z), rows, len(columns)):
        missing = np.zeros((part.stop - part.start, len(rows[some]), len(columns)))
        for n in range(z.shape[2]):
            np.maximum(missing, z[part, rows[some], n][:, :, None] - z[part, columns, n][:, None, :], out=missing)
        nearest = missing.argmin(axis=2)
        least = np.take_along_axis(missing, nearest[:, :, None], axis=2)[:, :, 0]
        draw, row = np.nonzero(least > 0)  # the others are dominated by a member: M = 0
        if len(draw):
            gaps = z[part][draw, rows[some][row]][:, None, :] - z[part][draw][:, columns]
            deficits = np.maximum(gaps, 0.0).reshape(-1, z.shape[2]).T
            lengths = cone.lift_norms(np.ascontiguousarray(deficits), non_negative=True).reshape(len(draw), -1)
            nearest[draw, row] = lengths.argmin(axis=1)
            least[draw, row] = lengths.min(axis=1)
        found[part, some], by[part, some] = least, columns[nearest]
    return found, by


def _blocks(draws: int, rows: Indices, columns: int) -> Iterator[tuple[slice, slice]]:
    """Draws and rows of which pairs with all columns fit into memory, bit by bit."""
    width = max(1, min(len(rows), _ENTRIES // max(1, columns)))
    height = max(1, _ENTRIES // max(1, columns * width))
    for start in range(0, len(rows), width):
        for first in range(0, draws, height):
            yield slice(first, min(draws, first + height)), slice(start, min(len(rows), start + width))
