"""Encode features of designs as columns of numbers: scaling, categories, orders and refusals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import numpy as np

from conewise.border import Floats, Indices, as_floats, check_unmasked, read_only, unit_interval
from conewise.errors import InputError, shown
from conewise.tables.frames import as_column, check_rows, columns_of, in_memory, is_frame, is_records, listed

_MOST_CATEGORIES: Final = 64  # more than that are names, not categories
_NOTHING: Final = ("NAType", "NaTType")  # what pandas has for a cell without a value
_APART: Final = np.sqrt(0.5)  # of an indicator: two different categories are a distance of 1 apart


@dataclass(frozen=True, eq=False)
class Encoded:
    """Features as numbers between 0 and 1: K designs, H columns of F features."""

    values: Floats
    """(K, H)"""
    owner: Indices
    """(H,): the feature of each column, 0 to F - 1; the indicators of one category share a length scale."""
    names: tuple[str, ...]
    """(F,): the features that vary."""
    constant: tuple[str, ...]
    """Features that are the same for all designs, and say nothing."""

    @property
    def n_designs(self) -> int:
        """The number of designs K."""
        return len(self.values)

    @property
    def n_features(self) -> int:
        """The number of features F that vary."""
        return len(self.names)


def encoded(features: Any, orders: Mapping[str, Sequence[Any]] | None = None) -> Encoded:
    """Encode features of K designs: an array (K, F), a list of dicts, a frame or a dict of columns.

    Numbers are scaled to [0, 1] by their range. Texts are categories: any two differ by as much as the ends of a
    number's range. `orders` names categories that have an order, from first to last; they become equally spaced
    numbers. Features that are constant are left out. NaN and infinity are refused.

    >>> encoded([{"heat": 20, "oil": "a"}, {"heat": 60, "oil": "b"}, {"heat": 40, "oil": "a"}]).values.round(2).tolist()
    [[0.0, 0.71, 0.0], [1.0, 0.0, 0.71], [0.5, 0.71, 0.0]]
    """
    columns = _columns(features)
    lengths = {len(column) for column in columns.values()}
    if len(lengths) > 1:
        raise InputError(f"the columns of features must be equally long, got {sorted(lengths)} rows.")
    if not columns or lengths == {0}:
        raise InputError("features are empty: give one row a design and at least one column.")
    if not isinstance(orders or {}, Mapping):
        raise InputError(f'orders must be a dict such as {{"size": ["S", "M", "L"]}}, got {shown(orders)}.')
    known = dict(orders or {})
    strangers = [name for name in known if name not in columns]
    if strangers:
        raise InputError(f"orders names {shown(strangers[0])}, which is no feature; there are {', '.join(columns)}.")
    if lengths == {1}:
        raise InputError("features describe 1 design: there is nothing to compare it with.")
    blocks = {name: _encode(name, column, name in known, known.get(name)) for name, column in columns.items()}
    varying = {name: block for name, block in blocks.items() if block is not None}
    if not varying:
        raise InputError(
            "every feature is the same for all designs, so features say nothing; use models.Independent()."
        )
    values = read_only(np.ascontiguousarray(np.hstack([*varying.values()])))
    owner = np.repeat(np.arange(len(varying), dtype=np.intp), [block.shape[1] for block in varying.values()])
    return Encoded(values, read_only(owner), tuple(varying), tuple(name for name in blocks if name not in varying))


def _columns(features: Any) -> dict[str, list[Any]]:
    """Return the columns by name; columns of an array are called by their number."""
    for number, row in enumerate(features if is_records(features) else ()):
        if set(row) != set(features[0]):
            odd = sorted(map(str, set(row) ^ set(features[0])))[0]
            raise InputError(f"design {number} and design 0 do not have the same features: {shown(odd)} differs.")
    if is_frame(features):
        columns = columns_of(in_memory(features))
        return {str(name): listed(as_column(column, name)) for name, column in columns.items()}
    check_unmasked(features, "features")
    if isinstance(features, list | tuple):
        check_rows(features)
    try:
        table = np.asarray(features)
        table = np.asarray(features, dtype=object) if table.dtype.kind in "US" else table  # numbers stay numbers
    except ValueError as error:
        raise InputError("features must be a table with one row a design; rows of unequal length came.") from error
    if table.ndim == 1 and table.dtype.kind in "biuf":
        table = table[:, None]
    if table.ndim != 2:
        raise InputError(
            f"features must be an array (K, F), a list of dicts or a frame, one row a design, got shape {table.shape}."
        )
    return {str(number): listed(table[:, number]) for number in range(table.shape[1])}


def _encode(name: str, column: list[Any], ordered: bool, order: Any) -> Floats | None:
    """(K, 1) for a number or an ordered category, (K, C) for a category, None for a constant."""
    if ordered:
        places = _places(name, order)
        missing = next((value for value in column if value not in places), None)
        if missing is not None:
            raise InputError(
                f"the order of feature {shown(name)} lacks {shown(missing)}; list each value once, from first to last."
            )
        column = [places[value] for value in column]
    _check_known(name, column)
    words = [isinstance(value, str | bytes) for value in column]
    if any(words):
        if not all(words):
            other = column[words.index(False)]
            raise InputError(f"feature {shown(name)} mixes texts and {shown(other)}; make it one kind.")
        return _indicators(name, column)
    try:
        numbers = as_floats(column, f"feature {shown(name)}")
    except InputError:
        numbers = np.empty((0, 0))
    if numbers.ndim != 1:
        raise InputError(
            f"feature {shown(name)} must be numbers or texts, one a design, got {shown(column[0])}; turn dates and the "
            "like into numbers."
        )
    return None if numbers.min() == numbers.max() else unit_interval(numbers)[:, None]


def _places(name: str, order: Any) -> dict[Any, int]:
    """Return the place of each value of an order, counted from 0."""
    try:
        if isinstance(order, str | bytes):
            raise TypeError("it would be taken letter by letter")
        values = list(order)
        places = {value: place for place, value in enumerate(values)}
    except TypeError:
        raise InputError(
            f"the order of feature {shown(name)} must be a list of its values, from first to last, got {shown(order)}."
        ) from None
    if len(places) < len(values):
        raise InputError(
            f"the order of feature {shown(name)} names a value twice; list each value once, from first to last."
        )
    return places


def _check_known(name: str, column: list[Any]) -> None:
    """Refuse what is missing, in whatever way a table says so, and what is infinite."""
    for row, value in enumerate(column):
        nothing = value is None or type(value).__name__ in _NOTHING
        infinite = isinstance(value, float | np.floating) and not math.isfinite(value)
        if nothing or infinite or (isinstance(value, Decimal) and not value.is_finite()):
            what = "nothing" if nothing else value
            raise InputError(
                f"feature {shown(name)} has {what} for design {row} (counted from 0); every feature must be known: "
                "fill it in, or leave that feature or design out."
            )


def _indicators(name: str, column: list[str]) -> Floats | None:
    values = sorted(set(column))
    if len(values) == 1:
        return None
    if len(values) > _MOST_CATEGORIES:
        raise InputError(
            f"feature {shown(name)} has {len(values)} different texts; at most {_MOST_CATEGORIES} are categories: "
            "leave names out, and turn texts that are numbers into numbers."
        )
    return np.asarray([[_APART * (value == entry) for value in values] for entry in column])
