"""JSON and JSON lines: keys that only later records have, and bad files."""

from __future__ import annotations

import json

import pytest
from shared.tablefiles import read

import conewise as cw
from conewise.tables.designs import DesignTable


def test_a_key_that_only_later_records_have_is_a_column(tmp_path):
    records = [{"name": "a", "cost": 1}, {"name": "b", "cost": 2, "speed": 3}]
    for path, text in (
        (tmp_path / "t.json", json.dumps(records)),
        (tmp_path / "t.jsonl", "\n".join(map(json.dumps, records))),
    ):
        path.write_text(text, encoding="utf-8")
        assert DesignTable(path).objectives == ("cost", "speed")
        with pytest.raises(cw.InputError, match="record 1, column 'speed' is empty"):
            read(path)
        assert read(path, objectives=["cost"])[2].tolist() == [[1], [2]]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("t.json", "", "the file is not valid JSON"),
        ("t.json", "{", "the file is not valid JSON"),
        ("t.json", "[" * 100_000, "not valid JSON"),
        ("t.json", '{"cost": 1}', "must hold an array of objects"),
        ("t.json", "[1, 2]", "record 1 is not an object with named values"),
        ("t.json", "[]", "has no records"),
        ("t.json", r'[{"name": "a\ud800", "cost": 1}]', "the file has half a character in it"),
        ("t.jsonl", '{"cost": 1}\n' r'{"cost": 2, "name": "\uDC00"}', "line 2 has half a character in it"),
        ("t.json", '[{"cost": 1, "speed": null}]', "column 'speed' is empty"),
        ("t.json", '[{"cost": 1, "speed": 2}, {"cost": 1}]', "t.json, record 2, column 'speed' is empty"),
        ("t.json", '[{"cost": 1, "speed": true}]', "holds True, where a number was expected"),
        ("t.json", '[{"cost": 1, "speed": [2]}]', r"holds '\[2\]', where a number was expected"),
        ("t.json", '[{"cost": 1}, {"cost": 2, "speed": 3}]', "t.json, record 1, column 'speed' is empty"),
        ("t.jsonl", '{"cost": 1}\n{"cost": 2, "speed": 3}', "t.jsonl, record 1, column 'speed' is empty"),
        ("t.json", '[{"cost": 1, "speed": 2, "cost": 3}]', "t.json: the file has the key 'cost' twice in one object"),
        ("t.jsonl", '{"cost": 1}\n{"cost": 1, "cost": 2}', "t.jsonl: line 2 has the key 'cost' twice in one object"),
        ("t.json", '[{"cost": 9007199254740993}]', r"record 1, column 'cost' holds 9007199254740993, .* beyond 2\^53"),
        ("t.json", '[{"cost": 1, "speed": NaN}]', "holds nan, where a finite number"),
        ("t.json", '[{"cost": 1, "speed": 1e999}]', "holds inf, where a finite number"),
        ("t.jsonl", '{"cost": 1}\n{"cost": \n', "line 2 is not valid JSON"),
        ("t.jsonl", "", "has no records"),
        ("t.jsonl", "[1]", "record 1 is not an object"),
        ("t.parquet", "cost,speed", "t.parquet is not a Parquet file"),
        ("t.xlsx", "", r"the ending '.xlsx' is not known; use .csv, .tsv, .json, .jsonl or .parquet; save the sheet"),
        ("t.csv.gz", "", "t.csv.gz is compressed; unpack it first"),
    ],
)
def test_bad_files_of_other_formats_are_refused(tmp_path, name, text, words):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(cw.InputError, match=words) as caught:
        read(path)
    assert "\n" not in str(caught.value)
