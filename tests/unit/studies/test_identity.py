"""An evaluation's identity: one type, two texts that are read, one that is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import conewise as cw
from conewise.studies.identity import MOST_NUMBERS, Identity, as_stored


@given(st.integers(0, 10**6), st.integers(0, MOST_NUMBERS - 1))
def test_its_text_reads_back(design, number):
    identity = Identity(design, number)
    assert Identity.parse(str(identity)) == Identity.parse(as_stored([identity])) == identity


def test_a_journal_writes_them_in_order_with_commas():
    assert as_stored([Identity(3, 0), Identity(14, 2)]) == "3-0,14-2"


def test_they_are_sorted_by_design_and_then_by_number():
    assert sorted([Identity(10, 0), Identity(9, 11), Identity(9, 2)]) == [
        Identity(9, 2),
        Identity(9, 11),
        Identity(10, 0),
    ]


@pytest.mark.parametrize("text", ["", "d3", "n3", "d-1n0", "d03n1", "d1n1 ", "1-1-1", "d1n", None, 7, 1.5, ("d1n1",)])
def test_any_other_text_is_refused_with_an_example(text):
    with pytest.raises(cw.InputError, match='looks like "d3n0"'):
        Identity.parse(text)


def test_a_design_that_the_study_has_not_is_named():
    assert Identity(2, 5).of_study(3) == Identity(2, 5)
    with pytest.raises(cw.InputError, match="evaluation d3n5 is of design 3, but designs are numbered 0 to 2"):
        Identity(3, 5).of_study(3)
