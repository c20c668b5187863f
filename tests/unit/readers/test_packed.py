"""Logs that are packed: what can be unpacked, and what is said of the rest."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

import pytest
from shared.sentences import refused

from conewise import readers
from conewise.readers import packed

DATA = Path(__file__).parents[2] / "data" / "readers" / "inspect_packed" / "good.eval"


def test_the_files_that_are_wanted_come_in_order():
    found = dict(packed.unpacked(DATA, lambda name: name.startswith("samples/")))
    assert list(found) == [f"samples/q{k}_epoch_1.json" for k in range(6)]
    assert [json.loads(text)["id"] for text in found.values()] == [f"q{k}" for k in range(6)]


def test_an_archive_with_an_older_compression_needs_nothing(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with zipfile.ZipFile(tmp_path / "a.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({"status": "success", "eval": {"model": "m", "task": "t"}}))
        archive.writestr("samples/1.json", json.dumps({"id": 1, "epoch": 1, "scores": {"s": {"value": "C"}}}))
    assert readers.inspect(tmp_path / "a.eval").columns["s"] == [1.0]


def test_without_pyarrow_the_remedy_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    refused(lambda: readers.inspect(DATA), "is packed with Zstandard.*tables.*inspect log convert")


@pytest.mark.parametrize("content", [b"PK", b"", DATA.read_bytes()[:4000]])
def test_what_cannot_be_unpacked_is_one_sentence(tmp_path, content):
    (tmp_path / "a.eval").write_bytes(content)
    refused(lambda: readers.inspect(tmp_path / "a.eval"), "cannot be unpacked.*inspect log convert")


def test_a_damaged_file_in_an_archive_is_one_sentence(tmp_path):
    with zipfile.ZipFile(DATA) as archive:
        place = archive.getinfo("samples/q3_epoch_1.json").header_offset + 200
    content = bytearray(DATA.read_bytes())
    content[place : place + 40] = bytes(40)
    (tmp_path / "a.eval").write_bytes(content)
    refused(lambda: readers.inspect(tmp_path / "a.eval"), "cannot be unpacked|is not valid JSON")


def test_a_file_that_unpacks_to_more_than_can_be_read_is_refused(monkeypatch):
    monkeypatch.setattr(packed, "_LARGEST", 1000)
    refused(lambda: readers.inspect(DATA), "takes more than a gigabyte")
