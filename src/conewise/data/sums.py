"""Add numbers in double-double arithmetic, so that the order in which data arrive does not matter.

A sum is a pair (high, low) of float64 arrays whose unevaluated total carries about 106 bits (Dekker 1971; Knuth, The
Art of Computer Programming 4.2.2). Batches, splits and merges of one set of observations then give the same averages.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from conewise.border import Floats, Indices

Pair = tuple[Floats, Floats] | Floats  # an array holds the two parts along its first axis

_SPLITTER: Final = float(2**27 + 1)
_BITS: Final = 52  # of whole numbers that add up without rounding
_SMALLEST: Final = -1074  # exponent of the smallest number
_AT_ONCE: Final = 2**20  # numbers of a pass over some columns


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
    """Return the sums (n_groups, C) of the rows (n, C) of each group, the same in any order of the rows.

    The numbers of a column are cut into slices of so few bits that the slices of all rows add up without rounding.
    """
    rows, columns = values[0].shape
    result = np.zeros((2, n_groups, columns))
    if np.bincount(groups, minlength=1).max() <= 1:
        result[:, groups] = two_sum(values[0], values[1])
        return result
    bits, step = _BITS - rows.bit_length(), max(1, _AT_ONCE // max(1, rows))
    for start in range(0, columns, step):
        parts = [np.array(part[:, start : start + step].T) for part in values]
        places = (groups + n_groups * np.arange(len(parts[0]))[:, None]).ravel()
        total: Pair = np.zeros((2, len(parts[0]) * n_groups))
        for left in parts:
            while (largest := np.abs(left).max(axis=1, initial=0.0, keepdims=True)).any():
                unit = np.ldexp(1.0, np.maximum(np.frexp(largest)[1] - bits, _SMALLEST))
                slices = np.rint(left / unit) * unit
                left -= slices
                sums = np.bincount(places, slices.ravel(), total[0].size).astype(np.float64)  # integers if empty
                total = add(total, (sums, np.zeros_like(sums)))
        result[:, :, start : start + step] = np.reshape(total, (2, -1, n_groups)).swapaxes(1, 2)
    return result


def _fast_two_sum(a: Floats, b: Floats) -> Pair:
    total = a + b
    return total, b - (total - a)
