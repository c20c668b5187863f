"""Check every array and number that a user passes in. Code behind these checks relies on them.

Comparisons between designs never use a tolerance (see `order`). The tolerances below concern the cone only. Its rows
are unit vectors, so the tolerances are plain distances or angles.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conewise.errors import InputError, counted, shown
from conewise.limits import MOST_EVALUATIONS, SMALLEST_EPSILON

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Indices = NDArray[np.intp]
AnyArray = TypeVar("AnyArray", bound=NDArray[Any])

SAME_DIRECTION: Final = 1e-12
"""Two unit vectors closer than this are one direction: about a thousand roundings."""

REDUNDANT: Final = 1e-10
"""A row this close to the cone that the other rows generate is redundant."""

DEGENERATE: Final = 1e-6
"""A cone nearer than this to a flat one (no interior), or to one that contains a line, is refused.

Lengths and angles of a cone that is t away from it lose a share of about 2e-16 / t; down to this limit every quantity
is right to 1e-6, by a margin of ten and more (tests/property/test_conditioning.py, against 100 digits).
"""

BARELY_NEEDED: Final = 1e-7
"""A row (or ray) that is not redundant is at least this far from the cone that the others generate."""

INCIDENT: Final = 1e-9
"""A unit ray and a unit row whose product is below this meet (Qhull's own precision, with a margin)."""

OPTIMAL: Final = 1e-12
"""A solver's answer that misses its optimality conditions by more than this is checked by a second solver."""

ROUNDING: Final = 16 * float(np.finfo(np.float64).eps)
"""Relative slack when a computed gap is compared with epsilon: what rounding of the means can cause."""

LARGEST_MEASURED: Final = 2.0**900
"""Facet values beyond this are refused where gaps are measured, so that no difference and no length can overflow."""

NO_REAL_NUMBERS: Final = (bytes, complex, np.complexfloating, np.datetime64, np.timedelta64, type(np.ma.masked))
"""Types that float() accepts although it would drop a part, a unit or a mask."""

_EXACT_INTEGERS: Final = 2**53
_COMMA: Final = re.compile(r"\s*([+-]?[0-9]{1,20}),([0-9]{1,20})\s*")
_MOST_NESTED: Final = 4  # depth of nested lists that are searched for masked entries
_MOST_DIGITS: Final = 25  # digits of a number in an error message


def read_only(values: AnyArray) -> AnyArray:
    """Return the array itself with its write flag cleared, so that it can be shared."""
    values.setflags(write=False)
    return values


def as_floats(values: ArrayLike, name: str) -> Floats:
    """Return `values` as a float64 array, without a copy if it is one already. NaN and infinity are accepted."""
    if type(values) is np.ndarray and values.dtype == np.float64:
        return values
    check_unmasked(values, name)
    try:
        array = np.asarray(values)
        if not isinstance(values, np.ndarray) and array.dtype.kind == "f" and (np.abs(array) >= _EXACT_INTEGERS).any():
            array = np.asarray(values, dtype=object)  # numpy may have rounded a whole number in a list
        if array.dtype.kind in "iuO" and array.size and not _exactly_representable(array):
            raise InputError(
                f"{name} holds integers beyond 2^53, which float64 cannot tell apart; subtract an offset first."
            )
        if array.dtype.kind not in "biuf":
            if array.dtype.kind != "O" or any(isinstance(entry, (str, *NO_REAL_NUMBERS)) for entry in array.flat):
                raise TypeError("no real numbers")
            array = array.astype(np.float64)
        return np.asarray(array, dtype=np.float64)
    except InputError:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(
            f"{name} must be a rectangular array of real numbers, got {_describe(values)}; "
            "check for text, complex numbers, dates or rows of unequal length."
        ) from error


def check_unmasked(values: Any, name: str, place: tuple[int, ...] = ()) -> None:
    """Refuse masked entries, also in arrays inside lists: numpy would use the numbers under the mask."""
    if isinstance(values, list | tuple) and len(place) < _MOST_NESTED:
        if any(issubclass(kind, list | tuple | np.ma.MaskedArray) for kind in set(map(type, values))):
            for k, entry in enumerate(values):
                check_unmasked(entry, name, (*place, k))
    elif isinstance(values, np.ma.MaskedArray) and len(found := np.argwhere(np.ma.getmaskarray(values))):
        where = [*place, *found[0].tolist()]
        raise InputError(f"{name} has masked entries, first at {where} (counted from 0); fill them in or drop them.")


def as_points(values: ArrayLike, name: str, dim: int | None = None) -> Floats:
    """Return `values` as a finite (K, D) array with K >= 1, one design a row; an error names the first bad row."""
    points = as_floats(values, name)
    check_shape(points, name, dim)
    check_finite(points, name)
    return points


def check_shape(points: Floats, name: str, dim: int | None) -> None:
    """Refuse points that are not K >= 1 rows of `dim` objectives."""
    if points.ndim and points.shape[0] == 0:
        raise InputError(f"{name} is empty: at least one design (row) is needed.")
    if points.ndim != 2:
        hint = ""
        if points.ndim == 1:
            hint = f"; one design of {points.size} objectives is {name}.reshape(1, -1)"
        raise InputError(f"{name} must have shape (K, D), one row a design, got {_shape_words(points)}{hint}.")
    if dim is not None and points.shape[1] != dim:
        raise InputError(
            f"{name} has {points.shape[1]} objectives (columns) but the cone orders {dim}; "
            "pass the matching columns or a cone of that dimension."
        )


def check_finite(points: Floats, name: str, first_row: int = 0) -> None:
    """Refuse NaN and infinity; the message names the row and the column."""
    finite = np.isfinite(points)
    if not finite.all():
        row, column = np.argwhere(~finite.reshape(len(points), -1))[0]
        value = points.reshape(len(points), -1)[row, column]
        raise InputError(
            f"{name} has {value} in row {first_row + row}, column {column} (counted from 0); "
            "every objective must be a finite number: drop or repair that row."
        )


def check_sums(sums: Floats, name: str, largest: float = np.finfo(np.float64).max) -> None:
    """Refuse weighted sums of objectives that overflowed or exceed `largest`."""
    if sums.size and not (sums.max() <= largest and sums.min() >= -largest):  # in this form a NaN is refused as well
        raise InputError(f"{name} has numbers too large to add up and compare; divide every entry by one constant.")


def as_vectors(values: ArrayLike, name: str, dim: int) -> Floats:
    """Return `values` as a finite (..., dim) array; a single vector is accepted."""
    vectors = as_floats(values, name)
    if vectors.ndim == 0 or vectors.shape[-1] != dim:
        raise InputError(
            f"{name} must have {dim} numbers along its last axis, as the cone does, got {_shape_words(vectors)}."
        )
    flat = vectors.reshape(-1, dim)
    check_finite(flat, name)
    return vectors


def as_selection(chosen: ArrayLike, n_designs: int, name: str) -> Bools:
    """Return a mask over the designs from a mask, a sequence of indices or a set of indices."""
    array = as_choice(chosen, name)
    if array.ndim != 1:
        raise InputError(f"{name} must be a mask or a list of indices, got {_shape_words(array)}.")
    if array.dtype == np.bool_:
        if len(array) != n_designs:
            raise InputError(f"{name} is a mask of {len(array)} entries for {n_designs} designs.")
        return array
    mask = np.zeros(n_designs, dtype=bool)
    if array.size == 0:
        return mask
    if array.dtype.kind not in "iu":
        raise InputError(f"{name} must be a boolean mask or integer indices, got {array.dtype}.")
    outside = (array < 0) | (array >= n_designs)
    if outside.any():
        raise InputError(f"{name} names design {array[outside][0]}, but designs are numbered 0 to {n_designs - 1}.")
    mask[array] = True
    return mask


def as_choice(chosen: ArrayLike, name: str) -> NDArray[Any]:
    """Return a mask, indices, a set of indices or points as an array, without checking its entries."""
    check_unmasked(chosen, name)
    try:
        return np.asarray(sorted(chosen) if isinstance(chosen, set | frozenset) else chosen)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{name} must be a mask or a list of indices, got {_describe(chosen)} that makes no array; "
            "check for rows of unequal length or entries that are not whole numbers."
        ) from error


def as_number(value: Any, name: str) -> float:
    """Return a finite float; refuse booleans, text and arrays."""
    try:
        if isinstance(value, (bool, np.bool_, str, *NO_REAL_NUMBERS)) or np.ndim(value) != 0:
            raise TypeError("not a number")
        number = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{name} must be a number, got {shown(value)}.") from error
    if not math.isfinite(number):
        raise InputError(f"{name} must be finite, got {number}.")
    return number


def as_decimal(text: str) -> float:
    """Return the number that a text spells; raise ValueError if it spells none.

    Tables, cones and commands share this rule: ASCII digits only, without underscores. Python's float() accepts more.

    >>> as_decimal(" -1.5e3 ")
    -1500.0
    """
    text = text.strip()
    if "_" in text or not text.isascii():
        raise ValueError(f"{text!r:.60} is not a number")
    return float(text)


@contextmanager
def advisory() -> Iterator[None]:
    """Suppress arithmetic errors while an optional remark is computed; the remark is then left out."""
    with suppress(ArithmeticError, ValueError), np.errstate(over="raise", divide="raise", invalid="raise"):
        yield


def unit_interval(numbers: Floats) -> Floats:
    """Return numbers, not all equal, shifted and scaled to [0, 1]. Halving avoids overflow."""
    halves = numbers / 2 if numbers.max() > 1 else numbers
    return np.asarray((halves - halves.min()) / np.ptp(halves))


def refuse_comma(text: str, before: str = "") -> None:
    """Refuse "0,5", which could be one number or two. The message repeats the text `before` it."""
    if found := _COMMA.fullmatch(text):
        one = f"{before}{found[1]}.{found[2]}" + f" or {found[1]}{found[2]}" * (len(found[2]) == 3)
        two = f"{before}{found[1]}.0,{found[2]}"
        raise InputError(f"'{before}{text.strip()}' could mean one number or two; write {one}, or {two} for two.")


def as_positive(value: Any, name: str) -> float:
    """Return a finite number above zero."""
    number = as_number(value, name)
    if number <= 0:
        raise InputError(f"{name} must be above 0, got {number:g}.")
    return number


def as_non_negative(value: Any, name: str) -> float:
    """Return a finite number that is zero or more."""
    number = as_number(value, name)
    if number < 0:
        raise InputError(f"{name} must be 0 or more, got {number:g}.")
    return number


def as_probability(value: Any, name: str) -> float:
    """Return a number strictly between 0 and 1."""
    number = as_number(value, name)
    if not 0 < number < 1:
        raise InputError(f"{name} must lie strictly between 0 and 1, got {number:g}.")
    return number


def as_epsilon(value: Any, name: str = "epsilon", *, exact: bool = True) -> float:
    """Return an accuracy whose square is a float as well. Zero is allowed if `exact` answers make sense."""
    number = as_non_negative(value, name) if exact else as_positive(value, name)
    if number and not SMALLEST_EPSILON <= number <= 1 / SMALLEST_EPSILON:
        between = f"between {SMALLEST_EPSILON:g} and {1 / SMALLEST_EPSILON:g}"
        raise InputError(f"{name} must {'be 0 or ' if exact else ''}lie {between}, got {number:g}; change the units.")
    return number


def as_count(value: Any, name: str, minimum: int = 1, maximum: int = MOST_EVALUATIONS) -> int:
    """Return a whole number from `minimum` to `maximum`; refuse 10.5 instead of rounding it."""
    if isinstance(value, bool | np.bool_):
        raise InputError(f"{name} must be a whole number, got {value}.")
    try:
        number = operator.index(value)
    except TypeError:
        whole = as_number(value, name)
        if whole != math.floor(whole):
            raise InputError(f"{name} must be a whole number, got {whole:g}.") from None
        number = int(whole)
    if number < minimum:
        raise InputError(f"{name} must be at least {minimum}, got {_written(number)}.")
    if number > maximum:
        raise InputError(f"{name} must be at most {maximum}, got {_written(number)}.")
    return number


def as_option(value: Any, name: str, options: Sequence[str]) -> str:
    """Return `value` if it is one of the options; otherwise list all options in the error."""
    if not isinstance(value, str) or value not in options:
        words = ", ".join(f'"{word}"' for word in options[:-1])
        raise InputError(f'{name} must be {words} or "{options[-1]}", got {shown(value)}.')
    return value


def as_flag(value: Any, name: str) -> bool:
    """Return True or False; refuse values such as "no", which Python would take as True."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} must be True or False, got {shown(value)}.")
    return bool(value)


def as_words(values: Any, name: str) -> tuple[str, ...]:
    """Return a list of texts as a tuple; refuse a single text, which would be split into letters."""
    try:
        words = () if isinstance(values, str | bytes) else tuple(values)
        listed = not isinstance(values, str | bytes) and all(isinstance(word, str) for word in words)
    except (TypeError, ValueError):
        listed = False
    if not listed:
        raise InputError(f"{name} must be a list of names, got {shown(values)}.")
    return words


def check_names(names: Sequence[str], n_designs: int) -> None:
    """Refuse a list of names whose length is not the number of designs."""
    if len(names) != n_designs:
        raise InputError(f"names must name each of {counted(n_designs, 'design')}, got {counted(len(names), 'name')}.")


def _written(number: int) -> str:
    """Return a whole number as text, or its number of digits if it is too long to write out."""
    digits = int(max(0, abs(number).bit_length() - 1) * math.log10(2)) + 1
    return str(number) if digits <= _MOST_DIGITS else f"a number of about {digits} digits"


def _exactly_representable(array: NDArray[Any]) -> bool:
    entries = array.flat if array.dtype.kind == "O" else (array.max(), array.min())
    return all(abs(int(entry)) <= _EXACT_INTEGERS for entry in entries if isinstance(entry, int | np.integer))


def _shape_words(array: NDArray[Any]) -> str:
    return f"shape {array.shape}" if array.ndim else f"the single value {shown(array.item())}"


def _describe(values: object) -> str:
    shape = getattr(values, "shape", None)
    kind = getattr(values, "dtype", None) or type(values).__name__
    return f"{kind} of shape {shape}" if shape is not None else f"a {kind}"
