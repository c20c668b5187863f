"""Values that a declared noise rules out are refused by name, and outcomes in words are read as numbers."""

from __future__ import annotations

import pytest

import conewise as cw
from conewise.errors import InputError
from conewise.noise import Binary, Bounded

ROWS = [{"model": name, "correct": right} for name, right in (("a", "yes"), ("a", "no"), ("b", "no"), ("b", "no"))]


def analysed(rows: list[dict], noise: cw.noise.Noise, **options) -> cw.Analysis:
    return cw.analyse(rows, design="model", objectives=["correct"], noise=noise, epsilon=0.1, delta=0.1, **options)


def test_outcomes_in_words_are_read_as_0_and_1():
    assert analysed(ROWS, Binary()).result.means.ravel().tolist() == [0.5, 0.0]


@pytest.mark.parametrize("separate", [False, True])
def test_a_value_between_two_outcomes_is_refused_by_row(separate):
    with pytest.raises(InputError, match=r"row 5 .*column 'correct' holds '0\.3', where 0 or 1 was expected"):
        analysed([*ROWS, {"model": "b", "correct": 0.3}], Binary(), final=separate, separate=separate)


@pytest.mark.parametrize("separate", [False, True])
def test_a_value_outside_the_range_is_refused_by_name(separate):
    rows = [{"model": name, "correct": value} for name, value in (("a", 0.1), ("a", 0.2), ("b", 1.5), ("b", 0.5))]
    with pytest.raises(InputError, match=r"'correct' of 'b' is 1\.5.*give the true range"):
        analysed(rows, Bounded(0, 1), final=separate, separate=separate)
