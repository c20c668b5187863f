"""Tables whose rows name a block: designs x blocks x objectives, holes, repetitions, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from conewise.errors import InputError
from conewise.tables.blocked import read_blocked
from conewise.tables.measurements import open_measurements

HEADER = "model,question,right,cost\n"
ROWS = ["a,q1,1,2.5", "b,q1,0,1.5", "b,q2,1,3.0", "a,q2,1,2.0", "b,q3,0,4.0"]


@pytest.fixture
def opened(tmp_path):
    def write(rows, **options):
        path = tmp_path / "answers.csv"
        path.write_text(HEADER + "\n".join(rows) + "\n", encoding="utf-8")
        settings = {"design": "model", "objectives": ["right", "cost"], "minimise": ["cost"]} | options
        return open_measurements(path, **settings)

    return write


def test_values_stand_by_design_block_and_objective(opened):
    found = read_blocked(opened(ROWS), "question")
    assert (found.names, found.blocks, found.column) == (("a", "b"), ("q1", "q2", "q3"), "question")
    assert (found.objectives, found.minimised, found.binary) == (("right", "cost"), ("cost",), ("right",))
    nan = np.nan
    np.testing.assert_array_equal(found.values, [[[1, -2.5], [1, -2], [nan, nan]], [[0, -1.5], [1, -3], [0, -4]]])
    assert found.met.tolist() == [[True, True, False], [True, True, True]]
    assert (found.repeated, found.skipped) == (0, 0)
    (observations,) = found
    assert observations.designs.tolist() == [0, 1, 0, 1, 1]  # block by block


def test_repetitions_are_averaged_only_when_told(opened):
    rows = [*ROWS, "a,q1,0,3.5"]
    with pytest.raises(InputError, match="'a' has 2 rows for question 'q1'"):
        read_blocked(opened(rows), "question")
    found = read_blocked(opened(rows), "question", repetitions=True)
    assert found.repeated == 1
    assert found.values[0, 0].tolist() == [0.5, -3.0]


def test_incomplete_rows_are_left_out_when_told_to(opened):
    found = read_blocked(opened([*ROWS, "a,q3,,1.0"], incomplete="skip"), "question")
    assert found.skipped == 1
    assert not found.met[0, 2]


@pytest.mark.parametrize(
    ("rows", "block", "words"),
    [
        (ROWS, "model", "names the designs and cannot name the blocks as well"),
        (ROWS, "cost", "is an objective and cannot name the blocks as well"),
        (ROWS, "questoin", "questoin"),
        ([*ROWS, "a,,1,1.0"], "question", "column 'question' is empty; which block?"),
    ],
)
def test_what_names_no_block_is_one_sentence(opened, rows, block, words):
    with pytest.raises(InputError, match=words) as caught:
        read_blocked(opened(rows), block)
    assert "\n" not in str(caught.value)
