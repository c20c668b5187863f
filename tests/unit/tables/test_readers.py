"""Whole rows of small tables: one reader for designs, results and exports, whatever the format."""

from __future__ import annotations

import json

import pyarrow
import pyarrow.parquet
import pytest

from conewise.tables.designrows import read_designs
from conewise.tables.readers import read_rows
from conewise.tables.spreadsheets import guarded


def written(path, text):
    path.write_text(text, encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("cell", ["two\nlines", "two\r\nlines", "a\x0bb\x0cc\x1cd\x85e\u2028f", 'say "x", then y'])
def test_a_cell_keeps_its_line_breaks(tmp_path, end, cell):
    """What separates lines elsewhere, such as U+2028, is text here."""
    quoted = '"' + cell.replace('"', '""') + '"'
    text = f"name,note,x{end}a,{quoted},1{end}b,,2{end}"
    expected = [{"name": "a", "note": cell, "x": "1"}, {"name": "b", "note": None, "x": "2"}]
    assert read_rows(written(tmp_path / "t.csv", text)) == expected
    designs = read_designs(tmp_path / "t.csv")
    assert [design["note"] for design in designs] == [cell, None]


def test_every_format_has_the_same_rows(tmp_path):
    records = [{"name": "a", "x": 1.5, "note": None}, {"name": "b", "x": 2.5, "note": "n"}]
    (tmp_path / "t.json").write_text(json.dumps(records), encoding="utf-8")
    sparse = [{k: v for k, v in record.items() if v is not None} for record in records]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, sparse)), encoding="utf-8")
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(records), tmp_path / "t.parquet")
    for ending in ("json", "jsonl", "parquet"):
        assert read_rows(tmp_path / f"t.{ending}") == records
    text = "\ufeffname;x;note\na;1.5;\n;;\n\nb;2.5; n \n"
    assert read_rows(written(tmp_path / "t.csv", text)) == [r | {"x": str(r["x"])} for r in records]


def test_columns_without_a_name_are_left_out_and_guards_taken_away(tmp_path):
    assert read_rows(written(tmp_path / "t.csv", ",name,,x\n0,a,,1\n")) == [{"name": "a", "x": "1"}]
    cells = [guarded(cell) for cell in ("=1+1", "a;=b")]
    text = f"id,design,seed,{guarded('=x')}\n1,{cells[0]},7,2\n2,{cells[1]},8,3\n"
    assert read_rows(written(tmp_path / "t.csv", text)) == [
        {"id": "1", "design": "=1+1", "seed": "7", "=x": "2"},
        {"id": "2", "design": "a;=b", "seed": "8", "=x": "3"},
    ]
