"""The border: every array and number a user hands over is checked here, once, and trusted afterwards.

Comparisons between designs never use a tolerance (see `order`). The tolerances below concern the
*cone* alone, whose rows are unit vectors, so that they are plain distances or angles.
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

from conewise._limits import MOST_EVALUATIONS, SMALLEST_EPSILON
from conewise.errors import InputError, counted, shown

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Indices = NDArray[np.intp]
AnyArray = TypeVar("AnyArray", bound=NDArray[Any])

SAME_DIRECTION: Final = 1e-12
"""Two unit vectors closer than this are one direction: about a thousand roundings."""

REDUNDANT: Final = 1e-10
"""A row this close to the cone that the other rows generate says nothing new."""

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
"""A solver's answer that misses its optimality conditions by more than this is not believed."""

ROUNDING: Final = 16 * float(np.finfo(np.float64).eps)
"""Relative slack when a computed gap is compared with epsilon: what rounding of the means can cause."""

LARGEST_MEASURED: Final = 2.0**900
"""Facet values beyond this are refused where gaps are measured, so that no difference and no length can overflow."""

NO_REAL_NUMBERS: Final = (bytes, complex, np.complexfloating, np.datetime64, np.timedelta64, type(np.ma.masked))
"""Kinds of values that float() takes, and of which it loses a part, a unit or a mask."""

_EXACT_INTEGERS: Final = 2**53
_COMMA: Final = re.compile(r"\s*([+-]?[0-9]{1,20}),([0-9]{1,20})\s*")
_MOST_NESTED: Final = 4  # lists in lists, of which masked entries are looked for
_MOST_DIGITS: Final = 25  # of a number in a sentence


def read_only(values: AnyArray) -> AnyArray:
    """The same array with its write flag cleared, for values that are shared."""
    values.setflags(write=False)
    return values


def as_floats(values: ArrayLike, name: str) -> Floats:
    """An array of float64, not copied when it is one already; finite or not is not looked at here."""
    if type(values) is np.ndarray and values.dtype == np.float64:
        return values
    check_unmasked(values, name)
    try:
        array = np.asarray(values)
        if not isinstance(values, np.ndarray) and array.dtype.kind == "f" and (np.abs(array) >= _EXACT_INTEGERS).any():
            array = np.asarray(values, dtype=object)  # a whole number in a list may have been rounded
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
    """Refuse masked entries, also those of arrays in a list: numpy would use the numbers under the mask."""
    if isinstance(values, list | tuple) and len(place) < _MOST_NESTED:
        if any(issubclass(kind, list | tuple | np.ma.MaskedArray) for kind in set(map(type, values))):
            for k, entry in enumerate(values):
                check_unmasked(entry, name, (*place, k))
    elif isinstance(values, np.ma.MaskedArray) and len(found := np.argwhere(np.ma.getmaskarray(values))):
        where = [*place, *found[0].tolist()]
        raise InputError(f"{name} has masked entries, first at {where} (counted from 0); fill them in or drop them.")


def as_points(values: ArrayLike, name: str, dim: int | None = None) -> Floats:
    """A finite (K, D) array with K >= 1: one row a design; an error names the first bad row."""
    points = as_floats(values, name)
    check_shape(points, name, dim)
    check_finite(points, name)
    return points


def check_shape(points: Floats, name: str, dim: int | None) -> None:
    """K >= 1 rows of `dim` objectives, or a sentence that says what came instead."""
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
    """No NaN, no infinity; the sentence names the row and the column."""
    finite = np.isfinite(points)
    if not finite.all():
        row, column = np.argwhere(~finite.reshape(len(points), -1))[0]
        value = points.reshape(len(points), -1)[row, column]
        raise InputError(
            f"{name} has {value} in row {first_row + row}, column {column} (counted from 0); "
            "every objective must be a finite number: drop or repair that row."
        )


def check_sums(sums: Floats, name: str, largest: float = np.finfo(np.float64).max) -> None:
    """Weighted sums of the objectives of finite points: none may have overflowed, or exceed `largest`."""
    if sums.size and not (sums.max() <= largest and sums.min() >= -largest):  # in this form a NaN is refused as well
        raise InputError(f"{name} has numbers too large to add up and compare; divide every entry by one constant.")


def as_vectors(values: ArrayLike, name: str, dim: int) -> Floats:
    """A finite (..., dim) array; a single vector is fine."""
    vectors = as_floats(values, name)
    if vectors.ndim == 0 or vectors.shape[-1] != dim:
        raise InputError(
            f"{name} must have {dim} numbers along its last axis, as the cone does, got {_shape_words(vectors)}."
        )
    flat = vectors.reshape(-1, dim)
    check_finite(flat, name)
    return vectors


def as_selection(chosen: ArrayLike, n_designs: int, name: str) -> Bools:
    """A mask over the designs from a mask or from indices (a sequence or a set of them)."""
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
    """Whatever array a mask, indices, a set of indices or points make; what it holds is not looked at here."""
    check_unmasked(chosen, name)
    try:
        return np.asarray(sorted(chosen) if isinstance(chosen, set | frozenset) else chosen)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{name} must be a mask or a list of indices, got {_describe(chosen)} that makes no array; "
            "check for rows of unequal length or entries that are not whole numbers."
        ) from error


def as_number(value: Any, name: str) -> float:
    """A finite float; booleans, text and arrays are refused."""
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
    """The number that a text says; ValueError where it is none.

    One rule for tables, cones and commands: ASCII digits with nothing between them, although float() takes 1_000 and
    the digits of every script.

    >>> as_decimal(" -1.5e3 ")
    -1500.0
    """
    text = text.strip()
    if "_" in text or not text.isascii():
        raise ValueError(f"{text!r:.60} is not a number")
    return float(text)


@contextmanager
def advisory() -> Iterator[None]:
    """Leave out a remark, or return None from the function that makes it, where its arithmetic fails."""
    with suppress(ArithmeticError, ValueError), np.errstate(over="raise", divide="raise", invalid="raise"):
        yield


def unit_interval(numbers: Floats) -> Floats:
    """Return numbers that are not all equal, moved and scaled to [0, 1]; halves of large ones cannot overflow."""
    halves = numbers / 2 if numbers.max() > 1 else numbers
    return np.asarray((halves - halves.min()) / np.ptp(halves))


def refuse_comma(text: str, before: str = "") -> None:
    """Refuse "0,5", which could be one number or two whole ones; the sentence repeats what stands `before` it."""
    if found := _COMMA.fullmatch(text):
        one = f"{before}{found[1]}.{found[2]}" + f" or {found[1]}{found[2]}" * (len(found[2]) == 3)
        two = f"{before}{found[1]}.0,{found[2]}"
        raise InputError(f"'{before}{text.strip()}' could mean one number or two; write {one}, or {two} for two.")


def as_positive(value: Any, name: str) -> float:
    """A finite number above zero."""
    number = as_number(value, name)
    if number <= 0:
        raise InputError(f"{name} must be above 0, got {number:g}.")
    return number


def as_non_negative(value: Any, name: str) -> float:
    """A finite number, zero allowed."""
    number = as_number(value, name)
    if number < 0:
        raise InputError(f"{name} must be 0 or more, got {number:g}.")
    return number


def as_probability(value: Any, name: str) -> float:
    """A number strictly between 0 and 1."""
    number = as_number(value, name)
    if not 0 < number < 1:
        raise InputError(f"{name} must lie strictly between 0 and 1, got {number:g}.")
    return number


def as_epsilon(value: Any, name: str = "epsilon", *, exact: bool = True) -> float:
    """An accuracy: a number whose square is one as well, or 0 where `exact` answers have a meaning."""
    number = as_non_negative(value, name) if exact else as_positive(value, name)
    if number and not SMALLEST_EPSILON <= number <= 1 / SMALLEST_EPSILON:
        between = f"between {SMALLEST_EPSILON:g} and {1 / SMALLEST_EPSILON:g}"
        raise InputError(f"{name} must {'be 0 or ' if exact else ''}lie {between}, got {number:g}; change the units.")
    return number


def as_count(value: Any, name: str, minimum: int = 1, maximum: int = MOST_EVALUATIONS) -> int:
    """A whole number from `minimum` to `maximum`; 10.5 is refused, not rounded."""
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
    """One of the words; anything else is refused with all of them."""
    if not isinstance(value, str) or value not in options:
        words = ", ".join(f'"{word}"' for word in options[:-1])
        raise InputError(f'{name} must be {words} or "{options[-1]}", got {shown(value)}.')
    return value


def as_flag(value: Any, name: str) -> bool:
    """True or False, and nothing that merely counts as one of them: "no" would count as True."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} must be True or False, got {shown(value)}.")
    return bool(value)


def as_words(values: Any, name: str) -> tuple[str, ...]:
    """A list of texts; one text alone is refused, since it would be taken letter by letter."""
    try:
        words = () if isinstance(values, str | bytes) else tuple(values)
        listed = not isinstance(values, str | bytes) and all(isinstance(word, str) for word in words)
    except (TypeError, ValueError):
        listed = False
    if not listed:
        raise InputError(f"{name} must be a list of names, got {shown(values)}.")
    return words


def check_names(names: Sequence[str], n_designs: int) -> None:
    """Refuse names that are too few or too many for the designs."""
    if len(names) != n_designs:
        raise InputError(f"names must name each of {counted(n_designs, 'design')}, got {counted(len(names), 'name')}.")


def _written(number: int) -> str:
    """A whole number, or how long it is; Python refuses to write out thousands of digits."""
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
