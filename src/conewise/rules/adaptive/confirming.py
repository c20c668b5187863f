"""Evaluations that a model does not need, and that somebody wants all the same: to see that it is right.

What a model misses is a design that behaves unlike its neighbours. One that is worse than predicted is found where
every returned design is evaluated; one that is better, a lone spike among those that are left out, where every one is.
"""

from __future__ import annotations

from typing import Final, Literal, cast

import numpy as np
from numpy.typing import NDArray

from conewise.border import Indices
from conewise.errors import InputError, shown

Confirm = bool | Literal["all"]
"""Whether every returned design is evaluated at least once (True), every design ("all"), or nobody for that alone."""

_WORDS: Final = "confirm must be True (every returned design is evaluated), False or 'all' (every design is)"


def as_confirm(given: object) -> Confirm:
    """One of the three."""
    if isinstance(given, bool | np.bool_):
        return bool(given)
    if given != "all":
        raise InputError(f"{_WORDS}, got {shown(given)}.")
    return cast(Confirm, given)


def unconfirmed(confirm: Confirm, returned: Indices, counts: NDArray[np.int64]) -> Indices:
    """The designs that have still to be evaluated, the returned ones before all others."""
    unseen = np.flatnonzero(counts == 0)
    first = np.intersect1d(unseen, returned) if confirm else unseen[:0]
    return np.concatenate([first, np.setdiff1d(unseen, first)]) if confirm == "all" else first
