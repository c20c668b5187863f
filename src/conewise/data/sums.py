"""Add numbers in double-double arithmetic, so that the order in which data arrive does not matter.

A sum is a pair (high, low) of float64 arrays whose unevaluated total carries about 106 bits (Dekker 1971; Knuth, The
Art of Computer Programming 4.2.2). Batches, splits and merges of one set of observations then give the same averages.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from conewise.border import Floats, Indices

Pair = tuple[Floats, Floats] | Floats  # an array holds the two parts along its first axis

_SPLITTER: Final = float(2**27 + 1)
_BITS: Final = 52  # of whole numbers that add up without rounding
_SMALLEST: Final = -1074  # exponent of the smallest number


def two_sum(a: Floats, b: Floats) -> Pair:
    """Return the rounded sum a + b and its rounding error."""
    total = a + b
    shadow = total - a
    return total, (a - (total - shadow)) + (b - shadow)


def two_product(a: Floats, b: Floats) -> Pair:
    """Return the rounded product a * b and its rounding error, for values below 1e290 in size."""
    product = a * b
    a_high, b_high = a * _SPLITTER, b * _SPLITTER
    a_high, b_high = a_high - (a_high - a), b_high - (b_high - b)
    a_low, b_low = a - a_high, b - b_high
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def add(first: Pair, second: Pair) -> Pair:
    """Return the sum of two pairs."""
    high, low = two_sum(first[0], second[0])
    more, less = two_sum(first[1], second[1])
    high, low = _fast_two_sum(high, low + more)
    return _fast_two_sum(high, low + less)


def product(first: Pair, second: Pair) -> Pair:
    """Return the product of two pairs, which broadcast against each other."""
    high, low = two_product(*np.broadcast_arrays(first[0], second[0]))
    return two_sum(high, low + (first[0] * second[1] + first[1] * second[0]))


def over(pair: Pair, divisor: Floats) -> Pair:
    """Return a pair divided by plain numbers."""
    first = pair[0] / divisor
    high, low = two_product(first, divisor)
    rest = ((pair[0] - high) - low) + pair[1]
    return _fast_two_sum(first, rest / divisor)


def sum_by_group(values: Pair, groups: Indices, n_groups: int) -> Pair:
    """Return the sum of the rows of each group, in any order of the rows.

    The numbers are cut into slices of so few bits that the slices of all rows add up without rounding.
    """
    order = np.argsort(groups, kind="stable")
    present, starts = np.unique(groups[order], return_index=True)
    bits = _BITS - len(order).bit_length()
    total: Pair = np.zeros((2, len(present), *values[0].shape[1:]))
    for part in values:
        left = part[order]
        while (largest := float(np.abs(left).max(initial=0.0))) > 0:
            unit = math.ldexp(1.0, max(math.frexp(largest)[1] - bits, _SMALLEST))
            slices = np.rint(left / unit) * unit
            left = left - slices
            sums = np.add.reduceat(slices, starts, axis=0)
            total = add(total, (sums, np.zeros_like(sums)))
    result = np.zeros((2, n_groups, *values[0].shape[1:]))
    result[:, present] = total
    return result


def _fast_two_sum(a: Floats, b: Floats) -> Pair:
    total = a + b
    return total, b - (total - a)
