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
    """Return the sum of the rows of each group. The order of the rows does not matter.

    Values are cut into slices of so few bits that sums of slices have no rounding error (Rump, Ogita and Oishi 2008,
    Accurate floating-point summation I). Only the addition of a few slices, highest first, is rounded.
    """
    shape = n_groups, *values[0].shape[1:]
    total: Pair = np.zeros(shape), np.zeros(shape)
    if np.bincount(groups, minlength=1).max() <= 1:  # nothing to add
        total[0][groups], total[1][groups] = values
        return total
    for part in values:
        rest = part.reshape(len(groups), -1).T.copy()
        while (largest := float(np.abs(rest).max(initial=0.0))) > 0:
            top = math.ldexp(1.5, math.frexp(largest)[1] + len(groups).bit_length())
            piece = (rest + top) - top
            rest -= piece
            sums = [np.bincount(groups, each, n_groups) for each in piece]
            total = add(total, (np.stack(sums, axis=-1).reshape(shape), np.zeros(shape)))
    return total


def _fast_two_sum(a: Floats, b: Floats) -> Pair:
    total = a + b
    return total, b - (total - a)
