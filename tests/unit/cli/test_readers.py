"""Who reads a table for a command: standard input as a file, and workers."""

from __future__ import annotations

import io
import json
import sys
from codecs import BOM_UTF8
from pathlib import Path
from types import SimpleNamespace

import pytest
from shared.sentences import refused

from conewise.cli.readers import crew, spooled
from conewise.tables.readers import read_rows


@pytest.mark.parametrize(
    ("content", "ending"),
    [
        (b"name,a\nx,1\n", ""),
        (b'\xef\xbb\xbf [{"a": 1}]', ".json"),
        (b'{"a": 1}\n{"a": 2}\n', ".jsonl"),
        (b"PAR1...", ".parquet"),
        (b'{"a": 1} ', ".jsonl"),
        (b"", ""),
    ],
)
def test_standard_input_is_a_file_for_a_while_called_by_what_it_holds(monkeypatch, content, ending):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    with spooled([Path("-")]) as (path,):
        assert (path.suffix, path.read_bytes()) == (ending, content.removeprefix(BOM_UTF8))
    assert not path.exists()


def test_standard_input_is_a_table_by_itself():
    with spooled([Path("a.csv"), Path("b.csv")]) as paths:
        assert paths == (Path("a.csv"), Path("b.csv"))
    refused(lambda: spooled([Path("-"), Path("b.csv")]).__enter__(), "standard input .* is one table by itself")


def test_one_worker_is_this_process_and_two_kinds_of_workers_are_refused():
    with crew(1, None) as executor:
        assert executor is None
    refused(lambda: crew(2, "tcp://somewhere:1").__enter__(), "--workers are processes here, and --dask is elsewhere")


@pytest.mark.parametrize(
    "text",
    ['[{"a": 1}, {"b": 2}]', '{"a": 1}\n{"b": 2}\n', '\ufeff[{"a": 1},\n {"b": 2}]', '{"a": 1}\n\n {"b": 2} '],
)
def test_json_from_a_pipe(monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
    with spooled([Path("-")]) as (path,):
        assert read_rows(path) == [{"a": 1, "b": None}, {"a": None, "b": 2}]


@pytest.mark.parametrize("mark", [b"", BOM_UTF8])
@pytest.mark.parametrize("size", [1, 100_000])
def test_one_object_is_a_table_in_one_line_or_in_several(monkeypatch, mark, size):
    for indent in (None, 2):
        text = json.dumps({"a": 1, "b": "x" * size}, indent=indent)
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(mark + text.encode())))
        with spooled([Path("-")]) as (path,):
            assert read_rows(path) == [{"a": 1, "b": "x" * size}]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "standard input is empty; a header row"),
        ('a,b\n1,"2\n', "standard input, line 2: a quote is opened in this row and never closed"),
        ("a,a\n1,2\n", "standard input has two columns called 'a'"),
        ("a,b\n1,2\n1,2,3\n", r"standard input, row 2 \(below the header\) has 3 entries for 2 columns"),
        ('{"a": 1, "a": 2}', "standard input.jsonl: line 1 has the key 'a' twice in one object"),
        ('{"a": 1}\n{"b": 2, "b": 3}', "standard input.jsonl: line 2 has the key 'b' twice in one object"),
        ("[1]", "standard input.json, record 1 is not an object"),
        ('{"a": ', "standard input.jsonl: line 1 is not valid JSON"),
    ],
)
def test_texts_that_are_refused(monkeypatch, text, words):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
    with spooled([Path("-")]) as (path,):
        refused(lambda: read_rows(path), words)
