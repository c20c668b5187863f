"""Which designs rows are about: the column that names them, and names in the order of their first rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow
import pytest

import conewise as cw
from conewise.errors import InputError
from conewise.tables.designcolumns import called, coded, design_column, texts
from conewise.tables.names import ArrowTexts

PATH = Path("table.csv")
ENTRIES = ["b", "a", "b", "007", "a"]


def test_objectives_have_their_names_however_they_are_given():
    assert called(["cost", cw.Objective("speed", unit=10)]) == ("cost", "speed")


def test_the_column_of_designs_is_the_one_said_or_usually_called_so():
    assert design_column(["cost", "label"], "label", PATH) == "label"
    assert design_column(["cost", "design"], None, PATH) == "design"
    with pytest.raises(InputError, match=r"names the design with `design`; table\.csv has cost, label"):
        design_column(["cost", "label"], None, PATH)
    with pytest.raises(InputError, match="'lable'"):
        design_column(["cost", "label"], "lable", PATH)


@pytest.mark.parametrize(
    "column", [ENTRIES, np.array(ENTRIES), ArrowTexts(pyarrow.array(ENTRIES))], ids=["list", "array", "arrow"]
)
def test_names_are_numbered_in_the_order_of_their_first_rows(column):
    codes, words = coded(column, PATH, "design", 1)
    assert words == ["b", "a", "007"]
    assert codes.tolist() == [0, 1, 0, 2, 1]
    assert texts(column, PATH, "design", 1) == ENTRIES


def test_a_row_without_a_name_is_named():
    with pytest.raises(InputError, match=r"row 13.*column 'design' is empty; which design was it"):
        coded(["a", "b", ""], PATH, "design", 10)  # ten rows came before
