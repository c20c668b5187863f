"""CSV through the standard library, through pyarrow and in pieces: the same rows, or the same refusal."""

from __future__ import annotations

import random

import pytest

from conewise import limits
from conewise.errors import InputError
from conewise.tables.csvfiles import CsvReader, FastCsvReader, UnsplittableError
from conewise.tables.designs import numbers
from conewise.tables.shards import Piece, pieces_of

TEXTS = ["x", "yy", "", '"q"', '"a\nb"', '"a\r\nb"', '"a\rb"', '"a,b"', '"a""b"', '5" p', 'a"b"', '"x"y', '"open']
NUMBERS = ["1", "2.5", "-3e2", " 4 ", '"5"', "", "9007199254740993", "1_0", "x"]
HEADERS = [["a", "name"], ["name", "a"], ["name", "a", "z"], ["a", "name", "z"], ["", "a", "name", ""]]


def table(rng: random.Random) -> str:
    """Return a table with any line ends, lines of nothing or of spaces, odd quotes, and numbers good and bad."""
    columns, common = rng.choice(HEADERS), rng.choice(["\n", "\r", "\r\n"])

    def end() -> str:
        return rng.choice(["\n", "\r", "\r\n"]) if rng.random() < 0.3 else common

    def cell(column: str) -> str:
        odd = rng.random() < 0.2
        if column == "a":
            return rng.choice(NUMBERS if odd else NUMBERS[:2])
        return rng.choice(TEXTS if odd else TEXTS[:2])

    text = ",".join(columns) + end()
    for _ in range(rng.randrange(1, 10)):
        text += ",".join(map(cell, columns)) + end() * rng.choice([1, 1, 1, 2])
        if rng.random() < 0.05:
            text += rng.choice([" ", "\t", " \t ", ",", ", ", "\u00a0"]) + end()
    return text


def read(path, reader, cut=False):
    names: list[str] = []
    values: list[float] = []
    try:
        for piece in pieces_of(path, reader) if cut else [Piece(reader)]:
            for row, columns in piece.blocks(["a"], "name"):
                names += ["" if entry is None else entry for entry in columns["name"]]
                values += numbers(columns["a"], path, "a", row).tolist()
    except InputError as error:
        return str(error)
    return names, values


@pytest.mark.parametrize("seed", range(8))
def test_all_readers_have_the_same_rows(tmp_path, monkeypatch, seed):
    rng = random.Random(seed)
    path = tmp_path / "t.csv"
    read_rows = refused = cut = 0
    for _ in range(150):
        text = table(rng)
        path.write_text(text, encoding="utf-8", newline="")
        monkeypatch.setattr(limits, "PIECE_BYTES", rng.randrange(1, 30))
        monkeypatch.setattr(limits, "RANGE_BYTES", rng.randrange(1, 30))
        expected = read(path, CsvReader(path))
        assert read(path, FastCsvReader(path)) == expected, text
        read_rows, refused = read_rows + isinstance(expected, tuple), refused + isinstance(expected, str)
        for reader in (CsvReader(path), FastCsvReader(path)):
            try:
                found = read(path, reader, cut=True)
            except UnsplittableError:
                continue
            cut += 1
            if isinstance(expected, tuple):
                assert found == expected, text
            else:
                assert isinstance(found, str), text
    assert min(read_rows, refused, cut) > 20
