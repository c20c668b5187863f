"""Digits of numbers in sentences."""

from __future__ import annotations

import pytest

from conewise.digits import readable, rounded_unit, rounded_up


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (0.745601051520221, 4, 0.7457),
        (0.745601051520221, 6, 0.745602),
        (0.30004999, 4, 0.3001),
        (0.1, 4, 0.1),
        (0.3, 1, 0.3),
        (123456.5, 4, 123500.0),
        (0.0, 4, 0.0),
        (float("inf"), 4, float("inf")),
        (5e-324, 4, 5e-324),
        (2.2250738585072014e-308, 4, 2.226e-308),
    ],
)
def test_what_is_certified_is_rounded_up_and_left_alone_where_its_digits_suffice(value, digits, shown):
    assert rounded_up(value, digits) == shown >= value


@pytest.mark.parametrize(
    ("value", "digits", "said"),
    [(3.5e6, 6, "3500000"), (0.25, 6, "0.25"), (-1234567, 3, "-1230000"), (2e20, 6, "2e+20"), (1e-7, 6, "1e-07")],
)
def test_large_numbers_have_no_exponent_until_they_are_too_long_to_read(value, digits, said):
    assert readable(value, digits) == said


@pytest.mark.parametrize(
    ("spread", "unit"), [(100, 10), (1000, 100), (30, 2), (33, 5), (60, 5), (80, 10), (0.0021, 2e-4)]
)
def test_a_proposal_is_a_tenth_rounded_to_one_two_or_five(spread, unit):
    assert rounded_unit(spread) == pytest.approx(unit, rel=1e-12)


@pytest.mark.parametrize("spread", [0.0, float("nan"), float("inf"), -1.0])
def test_no_spread_proposes_nothing(spread):
    assert rounded_unit(spread) == 1
