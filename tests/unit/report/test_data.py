"""Tables of a report: as Markdown, as CSV, and every number of the paper beside ours."""

from __future__ import annotations

import csv
import io

import pytest

from conewise.experiments.beyond import BudgetRow, ConeRow
from conewise.experiments.papers.ararat_tekin_2023 import Reproduction, reproduce
from conewise.report.data import Table, budget_table, cone_table, difference_table, reproduction_tables

TABLE = Table("A | title", ("name", "x|y"), (("a, b", "1"), ('say "c"', "2|3")), "A note.")


def test_a_table_as_markdown():
    assert TABLE.markdown().splitlines() == [
        "## A | title",
        "",
        "| name | x\\|y |",
        "| --- | --: |",
        "| a, b | 1 |",
        '| say "c" | 2\\|3 |',
        "",
        "A note.",
    ]


def test_a_table_as_csv_reads_back():
    assert list(csv.reader(io.StringIO(TABLE.csv()))) == [["name", "x|y"], ["a, b", "1"], ['say "c"', "2|3"]]


@pytest.fixture(scope="module")
def result() -> Reproduction:
    return reproduce(runs=20, seed=3)


def test_every_number_of_the_paper_stands_beside_ours(result):
    tables = {table.title.partition(":")[0]: table for table in reproduction_tables(result)}
    assert list(tables) == [
        "Table 1",
        "Table 2",
        "Supplementary table, success rate in %",
        "Supplementary table, Pareto designs left uncovered",
        "Supplementary table, returned designs that are too far",
        "Supplementary table, share of the Pareto set missed in %",
    ]
    assert tables["Table 1"].rows[0][1:] == ("153 / 153 (+0)", "180 / 180 (+0)", "196 / 196 (+0)")
    assert tables["Table 1"].rows[1][1].startswith("0.666 / 0.666 (")
    assert all(len(table.rows) == 12 for title, table in tables.items() if title.startswith("Supplementary"))
    assert sum(len(table.rows) * (len(table.header) - 1) for table in tables.values()) == len(result.cells)
    marked = sum("(!)" in cell for table in tables.values() for row in table.rows for cell in row)
    assert marked == len(result.outside)


def test_the_table_of_differences_has_a_row_for_every_number(result):
    table = difference_table(result)
    assert len(table.rows) == len(result.cells) == 177
    for row, cell in zip(table.rows, result.cells, strict=True):
        assert row[:3] == (cell.table, cell.row, cell.column)
        assert float(row[5]) == pytest.approx(float(row[4]) - float(row[3]), abs=2e-4)
        assert (row[-1] == "yes") == (float(row[6]) - 1e-4 <= float(row[3]) <= float(row[7]) + 1e-4)


def test_tables_beyond_the_paper():
    rows = [ConeRow("planar:45", 2**0.5, 53, 1000, 100, 7, 10)]
    assert cone_table("T", rows, "note").rows == (("planar:45", "1.4142", "53", "1000", "100", "70.0"),)
    small = [BudgetRow("ties", "paper", 100, 0.1, 3, 2000)]
    assert budget_table(small).rows == (("ties", "paper", "100", "10", "0.15", "3", "2000"),)
