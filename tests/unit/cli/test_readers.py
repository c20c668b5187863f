"""Who reads a table for a command: standard input as a file, and workers."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from shared.sentences import refused

from conewise.cli.readers import crew, spooled


@pytest.mark.parametrize(
    ("content", "ending"),
    [
        (b"name,a\nx,1\n", ""),
        (b'\xef\xbb\xbf [{"a": 1}]', ".json"),
        (b'{"a": 1}\n{"a": 2}\n', ".jsonl"),
        (b"PAR1...", ".parquet"),
        (b"", ""),
    ],
)
def test_standard_input_is_a_file_for_a_while_called_by_what_it_holds(monkeypatch, content, ending):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    with spooled([Path("-")]) as (path,):
        assert (path.suffix, path.read_bytes()) == (ending, content)
    assert not path.exists()


def test_standard_input_is_a_table_by_itself():
    with spooled([Path("a.csv"), Path("b.csv")]) as paths:
        assert paths == (Path("a.csv"), Path("b.csv"))
    refused(lambda: spooled([Path("-"), Path("b.csv")]).__enter__(), "standard input .* is one table by itself")


def test_one_worker_is_this_process_and_two_kinds_of_workers_are_refused():
    with crew(1, None) as executor:
        assert executor is None
    refused(lambda: crew(2, "tcp://somewhere:1").__enter__(), "--workers are processes here, and --dask is elsewhere")
