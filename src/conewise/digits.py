"""Round numbers for sentences and tables, always to the side on which the statement stays true."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Context, Decimal
from typing import Final

_READABLE: Final = 1e12  # from here on numbers have exponents


def readable(value: float, digits: int = 6) -> str:
    """Return a number as text with `digits` digits, without an exponent below 1e12.

    >>> readable(3500000.0), readable(0.25), readable(1234567, 3), readable(2e20)
    ('3500000', '0.25', '1230000', '2e+20')
    """
    text = f"{value:.{digits}g}"
    return f"{float(text):.0f}" if "e+" in text and abs(value) < _READABLE else text


def rounded_up(value: float, digits: int, *, times: float = 1.0) -> float:
    """Return the smallest number with `digits` digits that is at least `value * times`, so that bounds stay valid.

    >>> rounded_up(0.745601051520221, 4), rounded_up(0.3, 4), rounded_up(0.1, 4, times=3)
    (0.7457, 0.3, 0.3)
    """
    return float(Context(digits, ROUND_CEILING).multiply(Decimal(repr(float(value))), Decimal(repr(float(times)))))


def rounded_unit(spread: float) -> float:
    """Return about a tenth of a spread, rounded to 1, 2 or 5 times a power of ten; 1 if the spread is 0.

    >>> [rounded_unit(spread) for spread in (48_000.0, 0.9, 17.0, 0.0)]
    [5000.0, 0.1, 2.0, 1.0]
    """
    tenth = spread / 10
    if not (math.isfinite(tenth) and tenth > 0):
        return 1.0
    exponent = math.floor(math.log10(tenth))
    choices = [float(f"{digit}e{exponent}") for digit in (1, 2, 5, 10)]
    return min(choices, key=lambda choice: abs(math.log(choice / tenth)))
