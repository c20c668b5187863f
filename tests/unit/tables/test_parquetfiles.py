"""Parquet: damaged files, headers that claim too much, texts that are numbers, and the extra."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from shared.tablefiles import read

import conewise as cw
from conewise.tables.designs import DesignTable
from conewise.tables.shards import ShardedTable, front_of_table


def test_the_index_of_a_frame_in_parquet_is_no_objective(tmp_path):
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"cost": [1, 2], "speed": [2, 1], "__index_level_0__": [0, 1]}), path)
    assert read(path)[0].objectives == ("cost", "speed")


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"cost": [1.0, None], "speed": [1.0, 2.0]}, "row 2 .*column 'cost' is empty"),
        ({"cost": [1.0, float("nan")], "speed": [1.0, 2.0]}, "row 2 .*column 'cost' holds nan"),
        ({"cost": ["x", "y"], "speed": [1.0, 2.0]}, "row 1 .*column 'cost' holds 'x', where a number"),
        ({"cost": [True, False], "speed": [1.0, 2.0]}, "row 1 .*column 'cost' holds True"),
        ({"cost": [], "speed": []}, "has no rows"),
        ({"cost": [1, 2**53 + 1]}, r"row 2 .*column 'cost' holds 9007199254740993, a whole number beyond 2\^53"),
        ({"cost": [None, -(2**62)]}, "row 1 .*column 'cost' is empty"),
        ({"cost": [2, -(2**62)], "speed": [None, 1]}, r"row 2 .*column 'cost' holds -4611686018427387904, a whole"),
    ],
)
def test_bad_parquet_is_refused_with_its_place(tmp_path, columns, words):
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    with pytest.raises(cw.InputError, match=words):
        read(path)


def test_damaged_parquet_is_one_sentence(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "t.parquet"
    columns = {"name": [f"d{k}" for k in range(5000)], "cost": rng.random(5000)}
    pyarrow.parquet.write_table(pyarrow.table(columns), path, compression="none")
    data = bytearray(path.read_bytes())
    data[30_000:30_040] = b"\xff" * 40
    path.write_bytes(data)
    with pytest.raises(cw.InputError, match=r"t\.parquet is damaged"):
        read(path)


def zigzag(number: int) -> bytes:
    """A whole number as Thrift writes it into the header of a Parquet file."""
    number, parts = 2 * number, []
    while True:
        number, part = number >> 7, number & 127
        parts.append(part | 128 if number else part)
        if not number:
            return bytes(parts)


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        (10**12, r"t\.parquet says that it has 1000000000000 rows, where at most 10000000000 are accepted"),
        (9 * 10**9, r"t\.parquet is damaged \(8999922223 of the rows that its header claims are not there\)"),
    ],
)
def test_a_parquet_header_that_claims_more_rows_than_there_are(tmp_path, claim, words):
    path, rows = tmp_path / "t.parquet", 77_777
    pyarrow.parquet.write_table(pyarrow.table({"a": np.ones(rows), "b": np.ones(rows)}), path, compression="none")
    data = path.read_bytes()
    size = int.from_bytes(data[-8:-4], "little")
    header = data[-8 - size : -8].replace(zigzag(rows), zigzag(claim))
    path.write_bytes(data[: -8 - size] + header + len(header).to_bytes(4, "little") + b"PAR1")
    with pytest.raises(cw.InputError, match=words):
        front_of_table(ShardedTable(path), cw.Cone.orthant(2))
    with ThreadPoolExecutor(2) as pool, pytest.raises(cw.InputError, match=words):
        front_of_table(ShardedTable(path), cw.Cone.orthant(2), executor=pool)


def test_numbers_in_text_columns_of_parquet_are_numbers(tmp_path):
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"id": [7, 8], "cost": [1, 2], "speed": ["1.5", "2"]}), path)
    _, names, values = read(path)
    assert names == ["7", "8"]
    assert values.tolist() == [[1, 1.5], [2, 2]]


def test_parquet_without_its_extra_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    (tmp_path / "t.parquet").touch()
    with pytest.raises(cw.ConewiseError, match=r"run pip install '\.\[tables\]' in a checkout"):
        DesignTable(tmp_path / "t.parquet")
