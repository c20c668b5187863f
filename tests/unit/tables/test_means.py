"""Tables of means: one row a design, with counts and standard errors."""

from __future__ import annotations

import numpy as np
import pytest
from shared.longtables import write

import conewise as cw
from conewise.tables.means import WideTable
from conewise.tables.measurements import open_measurements

WIDE = ["design", "a_mean", "a_se", "b_mean", "b_se", "n"]


@pytest.mark.parametrize("ending", [".csv", ".json", ".parquet"])
def test_a_wide_table_has_the_statistics_of_its_evaluations(tmp_path, reader, ending):
    rng = np.random.default_rng(3)
    samples = [rng.normal(size=(n, 2)) for n in (2, 5, 40)]
    rows = []
    for k, x in enumerate(samples):
        se = x.std(axis=0, ddof=1) / np.sqrt(len(x))
        rows.append([f"d{k}", *np.ravel(np.column_stack([x.mean(axis=0), se])).tolist(), len(x)])
    table = open_measurements(write(tmp_path / f"t{ending}", WIDE, rows), minimise=["b"])
    assert isinstance(table, WideTable)
    (found,) = table
    assert (table.objectives, table.names, table.rows.tolist()) == (("a", "b"), ("d0", "d1", "d2"), [2, 5, 40])
    for k, x in enumerate(samples):
        np.testing.assert_allclose(found.means[k], x.mean(axis=0) * [1, -1], rtol=1e-12)
        centred = x - x.mean(axis=0)
        np.testing.assert_allclose(np.diag(found.scatters[k]), (centred**2).sum(axis=0), rtol=1e-12)
        assert found.scatters[k][0, 1] == 0  # unknown, and not ours to guess: `analyse` takes the worst case


def test_columns_of_a_wide_table_may_have_any_name(tmp_path):
    path = write(tmp_path / "t.csv", ["who", "x", "sx", "times"], [["a", 1.0, 0.1, 4], ["b", 2.0, 0.2, 9]])
    table = open_measurements(path, design="who", means=["x"], errors=["sx"], counts="times", minimise=["x"])
    assert isinstance(table, WideTable)
    assert (table.objectives, table.minimised) == (("x",), ("x",))
    np.testing.assert_allclose(next(iter(table)).scatters.ravel(), [0.01 * 4 * 3, 0.04 * 9 * 8])


def test_standard_errors_may_be_absent_but_not_in_part(tmp_path):
    path = write(tmp_path / "t.csv", ["design", "a_mean", "n"], [["x", 1.0, 3]])
    assert not open_measurements(path).has_scatter
    path = write(tmp_path / "t.csv", ["design", "a_mean", "b_mean", "a_se", "n"], [["x", 1.0, 1.0, 0.1, 3]])
    with pytest.raises(cw.InputError, match="no column 'b_se'"):
        open_measurements(path)


def test_one_evaluation_has_no_standard_error(tmp_path):
    path = write(tmp_path / "t.csv", ["design", "a_mean", "a_se", "n"], [["x", 1.0, None, 1], ["y", 2.0, 0.0, 1]])
    assert not next(iter(open_measurements(path))).scatters.any()


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (["x", 1.0, 0.1, 0], "'n' holds 0, where a number of evaluations"),
        (["x", 1.0, 0.1, 2.5], "'n' holds 2.5"),
        (["x", 1.0, 0.1, None], "'n' is empty"),
        (["x", 1.0, -0.1, 3], "'a_se' holds -0.1, where a standard error"),
        (["x", 1.0, None, 3], "'a_se' is empty"),
        (["x", 1.0, 0.1, 1], "one evaluation shows none"),
        (["x", None, 0.1, 3], "'a_mean' is empty"),
        (["ok", 1.0, 0.1, 3], "two rows for 'ok'"),
    ],
)
def test_wide_tables_that_cannot_be(tmp_path, row, words):
    path = write(tmp_path / "t.csv", ["design", "a_mean", "a_se", "n"], [["ok", 1.0, 0.1, 3], row])
    with pytest.raises(cw.InputError, match=words):
        list(open_measurements(path))
