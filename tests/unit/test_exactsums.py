"""Sums in double-double arithmetic against exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from conewise.data import sums as exact

RNG = np.random.default_rng(5)
FIRST, SECOND = (RNG.normal(size=200) * 10.0 ** RNG.integers(-12, 13, size=200) for _ in range(2))


def total(pair, at=()) -> Fraction:
    return Fraction(float(pair[0][at])) + Fraction(float(pair[1][at]))


@pytest.mark.parametrize(
    ("operation", "truth"),
    [(exact.two_sum, lambda a, b: a + b), (exact.two_product, lambda a, b: a * b)],
    ids=["sum", "product"],
)
def test_a_sum_and_a_product_lose_nothing(operation, truth):
    pair = operation(FIRST, SECOND)
    for k, (a, b) in enumerate(zip(FIRST, SECOND, strict=True)):
        assert total(pair, k) == truth(Fraction(float(a)), Fraction(float(b)))


def test_pairs_are_added_multiplied_and_divided_to_a_hundred_bits():
    one, two = exact.two_sum(FIRST, SECOND), exact.two_product(FIRST, SECOND)
    tenth = np.full(200, 0.1)
    for pair, truth in (
        (exact.add(one, two), lambda k: total(one, k) + total(two, k)),
        (exact.product(one, (tenth, 0 * tenth)), lambda k: total(one, k) * Fraction(0.1)),
        (exact.over(one, tenth), lambda k: total(one, k) / Fraction(0.1)),
    ):
        for k in range(200):
            size = abs(total(one, k)) + abs(total(two, k))
            assert abs(total(pair, k) - truth(k)) <= size * 20 * Fraction(1, 2**100)


def test_groups_are_summed_to_the_last_bit_in_any_order():
    values = np.concatenate([np.full(2000, 0.1), [1e16, 1.0, -1e16], RNG.normal(size=997)])[:, None]
    groups = RNG.integers(0, 4, size=len(values))
    order = RNG.permutation(len(values))
    found = exact.sum_by_group((values, np.zeros_like(values)), groups, 5)
    again = exact.sum_by_group((values[order], np.zeros_like(values)), groups[order], 5)
    for group in range(5):
        truth = sum((Fraction(float(value)) for value in values[groups == group, 0]), Fraction(0))
        assert found[0][group, 0] == again[0][group, 0] == float(truth)
