"""A preference as the page states it, turned into a cone: an angle, least shares, a ranking, or a text form."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from conewise.cone.cone import Cone
from conewise.cone.text import split_cone_text
from conewise.errors import InputError

_FORMS: Final = '{"text": "planar:135"}, {"degrees": 135}, {"shares": [30, 20]} (in %) or {"ranking": [1, 0]}'

_LONGEST_TEXT: Final = 20_000
_MOST_FACETS: Final = 100


def cone_of(preference: object, dim: int) -> Cone:
    """The cone of one preference on `dim` objectives; anything else is refused in one sentence.

    >>> str(cone_of({"shares": [20, 30]}, 2))
    '[[70,30],[20,80]]'
    >>> str(cone_of({"ranking": [1, 0]}, 2))
    '[[0,1],[1,1]]'
    """
    if not isinstance(preference, dict) or len(preference) != 1:
        raise InputError(f"a preference is one of {_FORMS}.")
    ((kind, value),) = preference.items()
    if kind == "text" and isinstance(value, str):
        _refuse_large(value, dim)
        cone = Cone.parse(value, dim=dim)
    elif kind == "degrees" and is_number(value):
        cone = Cone.planar(value)
    elif kind == "shares" and isinstance(value, list) and value and all(map(is_number, value)):
        cone = least_shares(value)
    elif kind == "ranking" and isinstance(value, list) and all(type(place) is int for place in value):
        cone = ranking(value)
    else:
        raise InputError(f"a preference is one of {_FORMS}.")
    if cone.dim != dim:
        raise InputError(f"this cone orders {cone.dim} objectives, but there are {dim}; choose one for {dim}.")
    return cone


def _refuse_large(text: str, dim: int) -> None:
    """A slip such as ranked:200000 must not fill the memory before it is refused, and a page must answer at once."""
    if len(text) > _LONGEST_TEXT:
        raise InputError(f"a cone on this page may have {_LONGEST_TEXT} characters, got {len(text)}.")
    kind, arguments = split_cone_text(text)
    named = {"orthant": arguments[:1], "ranked": arguments[:1], "importance": arguments[1:2]}.get(kind, ())
    if named and named[0] != dim:
        raise InputError(f"this cone orders {named[0]} objectives, but there are {dim}; choose one for {dim}.")
    if kind == "ice_cream" and len(arguments) > 1 and arguments[1] > _MOST_FACETS:
        raise InputError(f"a cone on this page may have {_MOST_FACETS} facets, got {arguments[1]}.")


def least_shares(percent: list[float]) -> Cone:
    """Objective d weighs at least percent[d] of the total; the rows are the extreme weightings that respect it.

    With the least shares s they are s + (1 - sum s) e_d, so equal shares give `Cone.importance` (Ararat & Tekin 2023,
    equation (2)). Percentages keep the rows whole numbers, and their text form short.
    """
    rest = 100 - sum(percent)
    if min(percent) < 0 or rest <= 0:
        raise InputError(f"least shares are at least 0 % and below 100 % in all, got {sum(percent):g} %; lower one.")
    if not any(percent):
        return Cone.orthant(len(percent))  # the same cone under its better known name
    if len(set(percent)) == 1 and len(percent) > 1:
        return Cone.importance(percent[0] / 100, dim=len(percent))
    return Cone(np.array(percent, dtype=float) + rest * np.eye(len(percent)))


def ranking(order: list[int]) -> Cone:
    """The most important objective first: every weighting that does not increase along the order must agree."""
    if sorted(order) != list(range(len(order))) or not order:
        raise InputError(f"a ranking names every objective once, by its number from 0, got {order!r:.80}.")
    if order == list(range(len(order))):
        return Cone.ranked(len(order))
    rows = np.zeros((len(order), len(order)))
    rows[:, order] = np.tri(len(order))
    return Cone(rows)


def is_number(value: object) -> bool:
    """Finite, and no truth value."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond all floats
        return False


def number_in(data: dict[str, Any], key: str, default: float) -> float:
    """A number of a request, or the one that holds when it says nothing."""
    value = data.get(key, default)
    if not is_number(value):
        raise InputError(f"{key} must be a number, got {value!r:.40}.")
    return float(value)
