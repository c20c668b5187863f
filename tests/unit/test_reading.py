"""Inputs without an end are refused with a sentence, and long ones are not read in silence."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from shared.commandline import refused, run
from shared.sentences import refused as refuses

import conewise as cw
from conewise import limits, readers
from conewise.reading import pieces, text_of

ENDLESS = Path("/dev/zero")
endless = pytest.mark.skipif(not ENDLESS.exists(), reason="a file without an end is a device")


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_text("name,a,b\nx,1,2\ny,2,1\n")


@endless
@pytest.mark.parametrize(
    "arguments",
    [
        ("front", "table.csv", "--said", ENDLESS),
        ("analyse", "table.csv", "--objectives", "a,b", "--said", ENDLESS),
        ("study", "create", ENDLESS),
        ("front", ENDLESS),
        ("prefer", ENDLESS),
    ],
    ids=lambda words: " ".join(map(str, words)),
)
def test_a_device_is_refused(capsys, monkeypatch, arguments):
    monkeypatch.setattr(limits, "LARGEST_JSON", 2**20)
    said = refused(capsys, *map(str, arguments))
    words = ("too large to read whole (the limit is 1 MiB)", "is a pipe or a device", "holds nothing that was said")
    assert any(sentence in said for sentence in words)


class Endless(io.RawIOBase):
    """What `yes` prints."""

    def read(self, size: int = -1) -> bytes:
        return b"y\n" * (size // 2)


@pytest.fixture
def yes(monkeypatch):
    monkeypatch.setattr(limits, "LARGEST_PIPE", 2**20)
    monkeypatch.setattr(limits, "LARGEST_JSON", 2**20)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=Endless(), readline=lambda *_: "y\n"))


@pytest.mark.parametrize("command", ["front", "analyse"])
def test_standard_input_without_an_end_is_refused(capsys, yes, command):
    said = refused(capsys, command, "-", "--objectives", "a,b")
    assert said == (
        "conewise: standard input is too large to read whole (the limit is 1 MiB); save it to a file and name that.\n"
    )


def test_results_without_an_end_are_refused(capsys, yes):
    asked = {"designs": ["x", "y"], "cone": cw.Cone.orthant(2), "epsilon": 0.1, "delta": 0.05}
    cw.Study.create("s.db", **asked, noise=cw.noise.Gaussian(1.0)).close()
    assert "standard input is too large to read whole" in refused(capsys, "study", "tell", "s.db", "--file", "-")


def test_answers_without_an_end_are_refused(capsys, yes):
    code, _, err = run(capsys, "prefer", "table.csv", "--objectives", "a,b")
    assert code == 2
    assert err.endswith("no answer among 100 lines; answer 1, 2, s, u or q.\n")


def test_a_pipe_that_is_silent_is_named_after_some_seconds():
    """A pipe that ends is read as before."""
    script = "from conewise import limits; limits.PATIENCE = 0.1; from conewise.cli import main; main()"
    command = [sys.executable, "-c", script, "front", "-", "--objectives", "a,b"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr.readline() == b"conewise: still reading standard input, 0 bytes so far.\n"
        out, _ = process.communicate(Path("table.csv").read_bytes(), timeout=30)
    assert (process.returncode, out.split()) == (0, [b"name,a,b", b"x,1,2", b"y,2,1"])


def test_a_named_pipe_is_read_whole(capsys):
    """The shell's <(...) is one."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("there are no named pipes")
    text = '{"objectives": ["a", "b"], "statements": ["accept: 1 a for 1 b"]}'
    os.mkfifo("said")
    writer = threading.Thread(target=lambda: Path("said").write_text(text))
    writer.start()
    code, _, err = run(capsys, "front", "table.csv", "--objectives", "a,b", "--said", "said")
    writer.join(10)
    assert code == 0
    assert "1 a for 1 b is worth it" in err


def test_quick_reading_says_nothing(capsys, monkeypatch):
    monkeypatch.setattr(limits, "PATIENCE", 0.05)
    assert b"".join(pieces(io.BytesIO(b"abc"), "it", 3, "stop")) == b"abc"
    time.sleep(0.1)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("size", [10, 100_000])
def test_text_is_the_same_however_it_is_read(size):
    Path("text").write_bytes(b"\xef\xbb\xbf" + "ä".encode() * size)
    assert text_of(Path("text")) == "ä" * size
    Path("text").write_bytes("ä".encode("latin-1") * size)
    refuses(lambda: text_of(Path("text")), r"text is not text in UTF-8 \(it holds '.xe4.*; save it as UTF-8")


def test_what_is_read_by_lines_has_no_limit(monkeypatch):
    monkeypatch.setattr(limits, "LARGEST_JSON", 1000)
    lines = [f'{{"doc_id": {k}, "metrics": ["acc"], "acc": 1.0}}\n' for k in range(200)]
    Path("samples_t_1.jsonl").write_text("".join(lines))
    assert len(readers.lm_eval("samples_t_1.jsonl").columns["acc"]) == 200
    refuses(lambda: readers.inspect(Path("table.csv").rename("log.json")), "is not valid JSON")
    Path("log.json").write_text("[" + "0," * 100_000 + "0]")
    refuses(lambda: readers.inspect("log.json"), "log.json is too large to read whole")
