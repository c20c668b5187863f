"""Logs that are packed: what can be unpacked, and what is said of the rest."""

from __future__ import annotations

import json
import sys
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from shared.sentences import refused

from conewise import limits, readers
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


def write_log(path, samples: int, size: int) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({"status": "success", "eval": {"model": "m", "task": "t"}}))
        for k in range(samples):
            sample = {"id": k, "epoch": 1, "scores": {"s": {"value": "C"}}, "messages": [0] * size}
            archive.writestr(f"samples/{k}.json", json.dumps(sample))


@pytest.mark.parametrize(("samples", "size"), [(1, 100_000), (40, 20_000)], ids=["one", "sum"])
def test_a_log_that_unpacks_to_more_than_can_be_read_is_refused(tmp_path, monkeypatch, samples, size):
    monkeypatch.setattr(limits, "LARGEST_JSON", 2**18)
    write_log(tmp_path / "a.eval", samples, size)
    refused(
        lambda: readers.inspect(tmp_path / "a.eval"),
        "a.eval unpacks to [0-9]+ MiB.* hand over the log that inspect_ai reads",
    )


def test_what_a_log_holds_beside_its_scores_takes_no_memory(tmp_path):
    write_log(tmp_path / "a.eval", samples=40, size=20_000)
    tracemalloc.start()
    assert len(readers.inspect(tmp_path / "a.eval").columns["s"]) == 40
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2e6  # all samples together take 6.4 MB as lists
