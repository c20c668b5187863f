"""0/1 outcomes as people write them, and known objectives that stand in one row of their design."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import conewise as cw
from conewise.tables.measurements import LongTable, open_measurements
from conewise.tables.outcomes import outcomes

ROWS = {
    "design": ["a", "a", "b", "b", "b"],
    "correct": ["yes", "No", "TRUE", "0", "1.0"],
    "price": [3.0, None, None, 9.0, 9.0],
}
MEANT = [cw.Objective("correct", noise="binary"), cw.Objective("price", "min", noise="known")]


def test_outcomes_are_read_as_zeros_and_ones():
    for column in (
        ROWS["correct"],
        np.array([True, False, True, False, True]),
        np.array([1.0, 0, 1, 0, 1]),
        [1, 0, 1, 0, 1],
    ):
        assert outcomes(column, Path("t.csv"), "correct", 0).tolist() == [1, 0, 1, 0, 1]
    assert np.isnan(outcomes(["", None, " ", np.nan], Path("t.csv"), "correct", 0)).all()


@pytest.mark.parametrize("entry", ["0.3", "maybe", 2, -1, "1,0", 0.5])
def test_anything_else_is_refused_with_its_row(entry):
    with pytest.raises(cw.InputError, match=r"row 5 .*column 'correct' holds .*, where 0 or 1 was expected"):
        outcomes(["yes", entry], Path("t.csv"), "correct", 3)


def test_a_known_value_may_stand_in_one_row_of_its_design():
    table = open_measurements(ROWS, objectives=MEANT)
    assert isinstance(table, LongTable)
    table.fill_known()
    (observations,) = list(table)
    assert observations.means.tolist() == [[1, -3], [0, -3], [1, -9], [0, -9], [1, -9]]


@pytest.mark.parametrize(
    ("price", "words"),
    [
        ([3.0, 4.0, 9.0, 9.0, 9.0], r"row 2.*: 'price' of 'a' is 4, and 3 before, although it is declared to be known"),
        ([3.0, None, None, None, None], "no row of 'b' has a value of 'price', which is known"),
    ],
)
def test_a_known_value_that_varies_or_lacks_is_refused(price, words):
    with pytest.raises(cw.InputError, match=words):
        cw.analyse({**ROWS, "price": price}, objectives=MEANT, delta=0.1, final=True)


def test_means_of_outcomes_need_no_standard_errors():
    table = {"design": ["a", "b"], "correct_mean": [0.9, 0.2], "n": [400, 300], "price_mean": [1.0, 2.0]}
    found = cw.analyse(
        open_measurements(table, objectives=[cw.Objective("correct"), cw.Objective("price", "min")]),
        noise=cw.noise.ByObjective([cw.noise.Binary(), cw.noise.Known()]),
        delta=0.05,
        final=True,
    )
    assert found.result.status.tolist() == ["kept", "beaten"]
    long = {
        "design": ["a"] * 400 + ["b"] * 300,
        "correct": [1] * 360 + [0] * 40 + [1] * 60 + [0] * 240,
        "price": [1.0] * 400 + [2.0] * 300,
    }
    same = cw.analyse(long, objectives=MEANT, delta=0.05, final=True)
    assert same.result.certified_epsilon == pytest.approx(found.result.certified_epsilon)
    with pytest.raises(cw.InputError, match="standard errors are needed"):
        cw.analyse(open_measurements(table), delta=0.05, final=True)
