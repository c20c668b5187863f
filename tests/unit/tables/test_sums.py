"""A final table summed up in pieces gives the analysis of the table read from its beginning, bit for bit."""

from __future__ import annotations

import csv
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

import conewise as cw
from conewise import limits
from conewise.analysis.analyse import analyse
from conewise.noise import Bounded
from conewise.tables import readers
from conewise.tables.measurements import LongTable, open_measurements
from conewise.tables.sums import sum_up

ORTHANT = cw.Cone.orthant(2)


@pytest.fixture(params=["pyarrow", "core alone"])
def engine(request, monkeypatch):
    if request.param == "core alone":
        monkeypatch.setattr(readers, "has_arrow", lambda: False)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(limits, "PIECE_BYTES", 3000)
    monkeypatch.setattr(limits, "PIECE_ROWS", 300)
    monkeypatch.setattr(limits, "RANGE_BYTES", 1000)
    monkeypatch.setattr(limits, "CHUNK_ROWS", 41)


def measured(k=2000, designs=37, seed=0):
    rng = np.random.default_rng(seed)
    which = rng.integers(0, designs, k)
    values = np.round(rng.normal(size=(k, 2)) + np.column_stack([np.sin(which), np.cos(which)]), 2) + 1000
    return [[f"d{w}", *map(float, v)] for w, v in zip(which, values, strict=True)]


def write(path: Path, rows) -> Path:
    if path.suffix == ".parquet":
        columns = {c: [row[k] for row in rows] for k, c in enumerate(("design", "a", "b"))}
        pyarrow.parquet.write_table(pyarrow.table(columns), path, row_group_size=130)
    else:
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([("design", "a", "b"), *rows])
    return path


def same(first, second):
    assert first.names == second.names
    assert first.explanations == second.explanations
    assert first.result.status.tolist() == second.result.status.tolist()
    assert first.result.certified_epsilon == second.result.certified_epsilon
    np.testing.assert_array_equal(first.result.means, second.result.means)
    np.testing.assert_array_equal(first.result.counts, second.result.counts)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_the_analysis_is_the_same_for_any_number_of_workers(tmp_path, engine, ending):
    rows = measured()
    path = write(tmp_path / f"t{ending}", rows)
    options = {"delta": 0.05, "final": True}
    plain = analyse(LongTable(path, objectives=["a", "b"]), ORTHANT, **options)
    names = list(dict.fromkeys(row[0] for row in rows))
    at_hand = cw.Observations.single([names.index(row[0]) for row in rows], [row[1:] for row in rows])
    known = analyse(at_hand, ORTHANT, names=names, **options)
    np.testing.assert_array_equal(known.result.means, plain.result.means)
    assert known.result.status.tolist() == plain.result.status.tolist()
    for workers in (1, 2):
        with ThreadPoolExecutor(workers) as pool:
            table = LongTable(path, objectives=["a", "b"])
            same(analyse(table, ORTHANT, executor=pool, **options), plain)
            assert table.rows.tolist() == LongTable(path, objectives=["a", "b"]).rows.tolist()


def test_statistics_are_those_of_the_stream(tmp_path):
    rows = measured(k=1500)
    rows[7][2] = rows[900][1] = None
    path = write(tmp_path / "t.parquet", rows)
    table = LongTable(path, objectives=["a", "b"], minimise=["b"], incomplete="skip")
    streamed = cw.Statistics.empty(len(table.names), 2)
    for observations in table:
        streamed = streamed.add(observations)
    with ThreadPoolExecutor(2) as pool:
        found = sum_up(LongTable(path, objectives=["a", "b"], minimise=["b"], incomplete="skip"), pool)
    assert found is not None
    assert found.names == table.names
    np.testing.assert_array_equal(found.rows, table.rows)
    assert found.statistics.evaluations == 1498
    for part in ("counts", "means", "scatters"):
        np.testing.assert_array_equal(getattr(found.statistics, part), getattr(streamed, part))
    assert found.few == (None, None)


def test_several_files_are_read_one_after_the_other(tmp_path, engine):
    rows = measured(k=900)
    whole = LongTable(write(tmp_path / "whole.csv", rows), objectives=["a", "b"])
    folder = tmp_path / "parts"
    folder.mkdir()
    write(folder / "part.2.csv", rows[:400])
    write(folder / "part.10.parquet", rows[400:])
    for final in (True, False):
        expected = analyse(whole, ORTHANT, delta=0.05, final=final)
        same(analyse(open_measurements(folder, objectives=["a", "b"]), ORTHANT, delta=0.05, final=final), expected)
    with ThreadPoolExecutor(2) as pool:
        table = open_measurements([folder / "part.2.csv", folder / "part.10.parquet"], objectives=["a", "b"])
        same(
            analyse(table, ORTHANT, delta=0.05, final=True, executor=pool),
            analyse(whole, ORTHANT, delta=0.05, final=True),
        )
    with pytest.raises(cw.InputError, match="a table of means is one file"):
        open_measurements([folder / "part.2.csv", folder / "part.10.parquet"], means=["a"], counts="b")


@pytest.mark.parametrize("bad", [["d1", 1.0, "x"], ["", 1.0, 2.0], ["d1", "", 2.0]], ids=["text", "nobody", "missing"])
def test_a_bad_row_is_named_as_by_the_plain_reading(tmp_path, engine, bad):
    rows = measured(k=600)
    rows[444] = bad
    table = [LongTable(write(tmp_path / "t.csv", rows), objectives=["a", "b"]) for _ in range(2)]
    with pytest.raises(cw.InputError, match=r"row 445 \(below the header\)") as plain:
        analyse(table[0], ORTHANT, delta=0.05, final=True)
    with ThreadPoolExecutor(2) as pool, pytest.raises(cw.InputError) as elsewhere:
        analyse(table[1], ORTHANT, delta=0.05, final=True, executor=pool)
    assert str(elsewhere.value) == str(plain.value)


def test_two_values_and_ranges_are_seen_in_pieces_too(tmp_path):
    rng = np.random.default_rng(0)
    rows = [[f"d{k % 3}", float(rng.random() < 0.5), float(rng.random())] for k in range(900)]
    path = write(tmp_path / "t.parquet", rows)
    for noise in (None, Bounded(0.0, 1.0), Bounded([0.0, 0.0], [1.0, 1.0])):
        plain = analyse(LongTable(path, objectives=["a", "b"]), ORTHANT, delta=0.05, final=True, noise=noise)
        with ThreadPoolExecutor(2) as pool:
            table = LongTable(path, objectives=["a", "b"])
            same(analyse(table, ORTHANT, delta=0.05, final=True, noise=noise, executor=pool), plain)
    words = []
    for workers in (None, 2):
        table, narrow = LongTable(path, objectives=["a", "b"]), Bounded(0.0, 0.9)
        with (
            ThreadPoolExecutor(workers) if workers else nullcontext() as pool,
            pytest.raises(cw.InputError, match="outside the range") as caught,
        ):
            analyse(table, ORTHANT, delta=0.05, final=True, noise=narrow, executor=pool)
        words.append(str(caught.value))
    assert words[0] == words[1]


def test_a_table_that_may_grow_is_read_in_its_order(tmp_path):
    table = LongTable(write(tmp_path / "t.csv", measured(k=50)), objectives=["a", "b"])
    with ThreadPoolExecutor(1) as pool, pytest.raises(cw.InputError, match="the order of its rows counts"):
        analyse(table, ORTHANT, delta=0.05, executor=pool)


@pytest.mark.parametrize("rest", ["", "\n" * 9000], ids=["header alone", "empty lines"])
def test_a_file_without_rows_is_refused_whoever_reads(tmp_path, engine, rest):
    empty = tmp_path / "empty.csv"
    empty.write_text("design,a,b\n" + rest, encoding="utf-8")
    full = write(tmp_path / "full.csv", measured(k=50))
    for paths in ([empty], [full, empty]) if not rest else ([empty],):
        for workers in (0, 2):
            table = LongTable(paths, objectives=["a", "b"])
            with (
                ThreadPoolExecutor(workers) if workers else nullcontext() as pool,
                pytest.raises(cw.InputError, match=r"empty\.csv has no rows below its header"),
            ):
                analyse(table, ORTHANT, delta=0.05, final=True, executor=pool)


def test_what_does_not_fit_is_refused_before_anything_is_read(tmp_path):
    class Reading(ThreadPoolExecutor):
        def submit(self, *_, **__):
            raise AssertionError("the table was read")

    table = LongTable(write(tmp_path / "t.csv", measured(k=50)), objectives=["a", "b"])
    for change in ({"cone": cw.Cone.orthant(3)}, {"delta": 2.0}, {"epsilon": -1.0}, {"success": "maybe"}):
        asked = {"cone": ORTHANT, "delta": 0.05, "final": True} | change
        with Reading(1) as pool, pytest.raises(cw.InputError):
            analyse(table, asked.pop("cone"), executor=pool, **asked)


def test_a_single_design_is_not_read_a_second_time(tmp_path, monkeypatch):
    table = LongTable(write(tmp_path / "t.csv", [["d", float(k), 2.0] for k in range(50)]), objectives=["a", "b"])
    monkeypatch.setattr(LongTable, "__iter__", lambda _: pytest.fail("it was read again"))
    with ThreadPoolExecutor(1) as pool:
        found = analyse(table, ORTHANT, delta=0.05, final=True, executor=pool)
    assert found.means.tolist() == [[24.5, 2.0]]
    assert found.result.evaluations == 50
