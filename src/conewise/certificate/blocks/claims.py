"""Claims about designs that share blocks: who is beaten, accepted and covered, from numbers of pairs (docs/blocks)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.certificate.claims import Certified
from conewise.certificate.requirements import Bounds
from conewise.question.question import Notion

TIE: Final = 5e-324
"""Above 0, by however little: two designs that are equal along a facet without noise, and 0 is asked for."""


@dataclass(frozen=True, eq=False)
class Numbers:
    """Of every pair (i, j), i a row: all that claims are made from."""

    beats: Bools
    """(K, K): j beats i."""
    fine_at: Floats
    """(K, K): the epsilon from which i is fine against j; infinite where nothing is known."""
    cover_at: Floats
    """(K, K): the epsilon from which j covers i."""
    bounds: Bounds | None = None
    """What is known of the designs' levels, where there are any."""


@dataclass(frozen=True, eq=False)
class PairedClaims:
    """Where every design stands at some epsilon."""

    beaten: Bools
    covered: Bools
    accepted: Bools
    by: Indices
    """(K,): who beats or covers a design; -1 for others."""
    accept_at: Floats
    """(K,): the epsilon from which a design that is not beaten is fine against all others that are not."""
    fine: Bools
    """(K, K): i is fine against j, or j is out."""
    misses: Bools
    """(K,): certainly misses a level."""

    @property
    def out(self) -> Bools:
        """(K,): beaten, or misses a level."""
        return self.beaten | self.misses

    @property
    def undecided(self) -> Bools:
        """(K,): neither."""
        return ~(self.out | self.covered | self.accepted)

    @property
    def done(self) -> bool:
        """Whether everybody is decided."""
        return not self.undecided.any()

    @property
    def certain(self) -> Bools:
        """(K,): known to be Pareto optimal: fine against everybody at an epsilon below 0."""
        return np.asarray(self.accept_at < 0)


def judged(numbers: Numbers, epsilon: float, success: Notion) -> PairedClaims:
    """Strike who is beaten, in passes; then see who is fine against all others, and who is covered by one of those.

    (docs/blocks, section 2.)

    Where there are levels, whoever misses one is out from the start, and who is accepted meets them within epsilon.
    """
    k, bounds = len(numbers.beats), numbers.bounds
    beaten, by = np.zeros(k, dtype=bool), np.full(k, -1, dtype=np.intp)
    beats, fine_at, misses = numbers.beats, numbers.fine_at, np.zeros(k, dtype=bool)
    if bounds is not None:
        misses, fine_at = bounds.misses, bounds.counting(fine_at, np.arange(k))
        beats = beats if bounds.strikers is None else beats & bounds.strikers[None, :]
    while True:
        out = beaten | misses
        blows = beats & ~out[None, :] & ~out[:, None]
        struck = blows.any(axis=1)
        if not struck.any() or (struck | out).all():  # data that contradict themselves strike nobody
            break
        by[struck] = blows[struck].argmax(axis=1)
        beaten |= struck
    accept_at = np.where(out[None, :], -np.inf, fine_at).max(axis=1)
    if bounds is not None:
        accept_at = np.maximum(accept_at, bounds.meet_at)
    accept_at[out] = np.inf
    accepted = accept_at <= epsilon
    covers = (numbers.cover_at <= epsilon) & accepted[None, :]
    covered = ~(out | accepted) & covers.any(axis=1) if success == "cover" else np.zeros(k, dtype=bool)
    by[covered] = covers[covered].argmax(axis=1)
    fine = (fine_at <= epsilon) | out[None, :]
    return PairedClaims(beaten, covered, accepted, by, accept_at, fine, misses)


def certified(numbers: Numbers, success: Notion) -> Certified | None:
    """The smallest epsilon at which everybody is decided, with the set to return for it; None if there is none.

    It is a maximum of numbers, not a search (docs/blocks, section 3).
    """
    claims = judged(numbers, np.inf, success)
    settled = claims.accept_at
    if success == "cover":
        settled = np.minimum(settled, np.maximum(claims.accept_at[None, :], numbers.cover_at).min(axis=1))
    epsilon = float(settled[~claims.out].max(initial=0.0))
    if not np.isfinite(epsilon):
        return None
    at = judged(numbers, epsilon, success)
    # no design that is returned for a tie is further than 0
    return Certified(epsilon if epsilon > TIE else 0.0, at.accepted, np.where(at.covered, at.by, -1))
