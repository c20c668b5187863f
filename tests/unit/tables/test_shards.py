"""One table in many files and pieces: the same rows, front and sentences as when it is read from the beginning."""

from __future__ import annotations

import errno
import io
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

import conewise as cw
from conewise import limits
from conewise.order.dominance import pareto_mask_by_definition
from conewise.tables import names as naming
from conewise.tables import readers, shards
from conewise.tables.selection import all_columns
from conewise.tables.shards import ShardedTable, front_of_table

ORTHANT = cw.Cone.orthant(2)


@pytest.fixture(params=["pyarrow", "core alone"])
def engine(request, monkeypatch):
    if request.param == "core alone":
        monkeypatch.setattr(readers, "has_arrow", lambda: False)


@pytest.fixture
def small(monkeypatch):
    """Tables of a few rows are cut as large ones are."""
    monkeypatch.setattr(limits, "PIECE_BYTES", 100)
    monkeypatch.setattr(limits, "PIECE_ROWS", 40)
    monkeypatch.setattr(limits, "RANGE_BYTES", 64)
    monkeypatch.setattr(limits, "CHUNK_ROWS", 11)


def tied(k: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 30, size=(k, 2)) / 8
    points[::4, 1] = 4 - points[::4, 0]
    return points


def write(path: Path, points, names=None) -> Path:
    header = ["name", "a", "b"] if names is not None else ["a", "b"]
    rows = [[*([names[k]] if names is not None else []), *map(float, p)] for k, p in enumerate(points)]
    if path.suffix == ".parquet":
        table = pyarrow.table({c: [row[k] for row in rows] for k, c in enumerate(header)})
        pyarrow.parquet.write_table(table, path, row_group_size=17)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(dict(zip(header, row, strict=True))) + "\n" for row in rows), "utf-8")
    else:
        lines = [",".join(map(str, row)) for row in [header, *rows]]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def fronts_of(paths, cone=ORTHANT, **options):
    """Without workers, with one and with two."""
    keep = options.pop("keep_duplicates", True)
    found = []
    for workers in (0, 1, 2):
        with ThreadPoolExecutor(workers) if workers else nullcontext() as pool:
            table = ShardedTable(paths, **options)
            found.append(front_of_table(table, cone, keep_duplicates=keep, executor=pool))
    return found


def refusals(paths, **options):
    words = set()
    for workers in (0, 2):
        with ThreadPoolExecutor(workers) if workers else nullcontext() as pool, pytest.raises(cw.InputError) as caught:
            front_of_table(ShardedTable(paths, **options), ORTHANT, executor=pool)
        words.add(str(caught.value))
    assert len(words) == 1, words
    return words.pop()


# -- the same front ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("ending", [".csv", ".parquet", ".jsonl"])
def test_pieces_have_the_front_by_definition(tmp_path, engine, small, ending, named, keep):
    points = tied(400)
    names = [f"d{k}" for k in range(400)] if named else None
    path = write(tmp_path / f"t{ending}", points, names)
    expected = np.flatnonzero(pareto_mask_by_definition(points, ORTHANT, keep_duplicates=keep))
    if ending != ".jsonl":
        assert len(list(ShardedTable(path).shards())) > 5
    for found in fronts_of(path, keep_duplicates=keep):
        assert found.indices.tolist() == expected.tolist()
        assert found.rows == 400
        np.testing.assert_array_equal(found.points, points[expected])
        labels = None if found.labels is None else found.labels.tolist()
        assert labels == ([f"d{k}" for k in expected] if named else None)


def test_up_to_two_thousand_rows_with_ties_under_a_cone_and_minimised(tmp_path, small):
    points = tied(2000, seed=5)
    path = write(tmp_path / "t.parquet", points)
    cone = cw.Cone.planar(135)
    expected = np.flatnonzero(pareto_mask_by_definition(points * [1, -1], cone)).tolist()
    for found in fronts_of(path, cone, minimise=["b"]):
        assert found.indices.tolist() == expected


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_a_worker_reads_the_file_that_is_meant_here_and_not_one_of_its_own_folder(tmp_path, monkeypatch, small, ending):
    for folder, points in (("here", tied(50)), ("there", tied(50) + 1)):
        (tmp_path / folder).mkdir()
        write(tmp_path / folder / f"designs{ending}", points)
    monkeypatch.chdir(tmp_path / "here")
    table = ShardedTable(f"designs{ending}")
    monkeypatch.chdir(tmp_path / "there")
    with ThreadPoolExecutor(1) as worker:
        found = front_of_table(table, ORTHANT, executor=worker)
    np.testing.assert_array_equal(found.points, tied(50)[cw.pareto_mask(tied(50), ORTHANT)])


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, small):
    path = write(tmp_path / "designs.csv", tied(50))
    table = ShardedTable(path)
    found = front_of_table(table, ORTHANT)
    write(path, [[0.0, 0.0], *tied(50)])
    for act in (lambda: front_of_table(table, ORTHANT), lambda: all_columns(table, found.indices, found.points)):
        with pytest.raises(cw.InputError, match=r"designs\.csv changed while it was read; read it when nobody writes"):
            act()


def test_files_of_all_kinds_are_one_table(tmp_path, engine, small):
    points = tied(300)
    names = [f"d{k}" for k in range(300)]
    cuts = {"1.csv": (0, 90), "2.parquet": (90, 91), "3.jsonl": (91, 200), "4.csv": (200, 300)}
    paths = [write(tmp_path / file, points[a:b], names[a:b]) for file, (a, b) in cuts.items()]
    expected = np.flatnonzero(cw.pareto_mask(points, ORTHANT)).tolist()
    for found in [*fronts_of(paths), *fronts_of(tmp_path)]:
        assert found.indices.tolist() == expected
        assert found.labels.tolist() == [f"d{k}" for k in expected]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 30, 31, 32, 33, 64, 1000])
@pytest.mark.parametrize("text", ["\n", "\r\n", "blank", "no end", "bom", "semicolons"])
def test_a_csv_file_may_be_cut_anywhere(tmp_path, engine, small, monkeypatch, size, text):
    monkeypatch.setattr(limits, "PIECE_BYTES", size)
    points = tied(25)
    lines = ["name;a;b" if text == "semicolons" else "name,a,b"]
    lines += [(";" if text == "semicolons" else ",").join(map(str, [f"ä{k}", *p])) for k, p in enumerate(points)]
    joined = {"\r\n": "\r\n", "blank": "\n\n"}.get(text, "\n").join(lines) + ("" if text == "no end" else "\n")
    path = tmp_path / "t.csv"
    path.write_text(("\ufeff" if text == "bom" else "") + joined, encoding="utf-8", newline="")
    table = ShardedTable(path)
    parts = [chunk for shard in table.shards() for chunk in shard.chunks()]
    assert [name for part in parts for name in part.names] == [f"ä{k}" for k in range(25)]
    np.testing.assert_array_equal(np.vstack([part.values for part in parts]), points)


@pytest.mark.parametrize(
    "text", ['name,a,b\n"one\ntwo",1,2\nx,0,0\n', 'name,a,b\nx,0,0\n5" pipe,1,2\n', "a,b\r1,2\r0,0\r"]
)
def test_what_cannot_be_cut_is_read_from_the_beginning(tmp_path, engine, small, monkeypatch, text):
    monkeypatch.setattr(limits, "PIECE_BYTES", 8)
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8", newline="")
    plain, *others = fronts_of(path)
    assert plain.points.tolist() == [[1, 2]]
    for found in others:
        assert found.indices.tolist() == plain.indices.tolist()
        assert found.rows == plain.rows == 2


@pytest.mark.parametrize("ends", ["\r", "\r\n", "\n", "\r\n\r\n", "mixed", "first"])
@pytest.mark.parametrize(("size", "block"), [(1, 7), (5, 1), (16, 64), (17, 7), (64, 64)])
def test_pieces_end_where_rows_do(tmp_path, engine, small, monkeypatch, ends, size, block):
    """Also where a line ends with a carriage return alone: no row is lost, none comes twice."""
    monkeypatch.setattr(limits, "PIECE_BYTES", size)
    monkeypatch.setattr(limits, "RANGE_BYTES", block)
    rng = np.random.default_rng(3)
    points = tied(40)
    kinds = {"mixed": ["\r", "\n", "\r\n"], "first": ["\n"]}.get(ends, [ends])
    lines = ["a,b" + ("\r" if ends == "first" else kinds[0]), *(f"{a},{b}" + rng.choice(kinds) for a, b in points)]
    path = tmp_path / "t.csv"
    path.write_text("".join(lines), encoding="utf-8", newline="")
    table = ShardedTable(path)
    assert len(list(table.shards())) > 3
    parts = [chunk for shard in table.shards() for chunk in shard.chunks()]
    np.testing.assert_array_equal(np.vstack([part.values for part in parts]), points)
    plain, *others = fronts_of(path)
    assert [found.rows for found in (plain, *others)] == [40] * (1 + len(others))
    assert all(found.indices.tolist() == plain.indices.tolist() for found in others)


def test_progress_counts_rows(tmp_path, small):
    path = write(tmp_path / "t.parquet", tied(100))
    for workers in (0, 2):
        seen: list[int] = []
        with ThreadPoolExecutor(workers) if workers else nullcontext() as pool:
            front_of_table(ShardedTable(path), ORTHANT, executor=pool, progress=lambda done, _: seen.append(done))  # noqa: B023
        assert seen == sorted(seen)
        assert seen[-1] == 100
        assert len(seen) >= 3


# -- what is wrong ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
@pytest.mark.parametrize(("row", "value"), [(0, "x"), (57, "inf"), (99, "")])
def test_a_bad_value_is_named_by_its_row_wherever_it_stands(tmp_path, engine, small, ending, row, value):
    points = tied(100)
    path = write(tmp_path / f"t{ending}", points)
    if ending == ".csv":
        lines = path.read_text().splitlines()
        lines[row + 1] = f"1.0,{value}"
        path.write_text("\n".join(lines) + "\n")
    else:
        lines = path.read_text().splitlines()
        lines[row] = json.dumps({"a": 1.0, "b": value})
        path.write_text("\n".join(lines) + "\n")
    where = f"row {row + 1} (below the header)" if ending == ".csv" else f"record {row + 1}"
    assert refusals(path).startswith(f"t{ending}, {where}, column 'b'")


def test_a_bad_value_in_a_row_group(tmp_path, small):
    points = tied(100)
    points[83, 1] = np.nan
    path = write(tmp_path / "t.parquet", points)
    assert "row 84 (below the header), column 'b' holds nan" in refusals(path)
    good = write(tmp_path / "good.csv", tied(30))
    assert refusals([good, path]).startswith("t.parquet, row 84 ")


def test_of_two_mistakes_the_first_is_named(tmp_path, engine, small):
    path = write(tmp_path / "t.csv", tied(100))
    lines = path.read_text().splitlines()
    lines[31], lines[91] = "1.0,oops,7", "1.0,x"
    path.write_text("\n".join(lines) + "\n")
    assert "row 31 (below the header) has 3 entries for 2 columns" in refusals(path)


def test_files_must_have_the_columns(tmp_path):
    first, second = write(tmp_path / "1.csv", tied(5)), tmp_path / "2.csv"
    second.write_text("a,c\n1,2\n")
    assert "2.csv has no column 'b'; it has a, c" in refusals([first, second])
    named = write(tmp_path / "3.csv", tied(2), ["x", "y"])
    assert "3.csv names designs in its column 'name'" in refusals([first, named])
    assert "3.csv" not in refusals([named, first])
    empty = tmp_path / "0.csv"
    empty.write_text("a,b\n")
    assert "0.csv has no rows below its header" in refusals([first, empty])
    hollow = tmp_path / "0.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"a": [], "b": []}), hollow)
    assert "0.parquet has no rows" in refusals([first, hollow], objectives=["a", "b"])


def test_a_cone_of_another_dimension(tmp_path):
    table = ShardedTable(write(tmp_path / "t.csv", tied(5)))
    with pytest.raises(cw.InputError, match="orders 3 objectives, but there are 2: a, b"):
        front_of_table(table, cw.Cone.orthant(3))


# -- names -----------------------------------------------------------------------------------------------------------


def test_a_line_too_long_to_find_its_end_is_not_cut(tmp_path, engine, small, monkeypatch):
    """Both halves of such a number could pass for numbers."""
    monkeypatch.setattr(limits, "LONGEST_LINE", 40)
    path = tmp_path / "t.csv"
    path.write_text("a\n" + "".join(f"{k:090}\n" for k in range(1, 9)), encoding="utf-8")
    table = ShardedTable(path)
    with ThreadPoolExecutor(2) as pool:
        found = front_of_table(table, cw.Cone.orthant(1), executor=pool)
    assert (found.rows, found.points.tolist()) == (8, [[8.0]])


def test_a_long_file_of_empty_lines_has_no_rows(tmp_path, engine, small):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "\n" * 500, encoding="utf-8")
    assert refusals(path) == "t.csv has no rows below its header."


@pytest.mark.parametrize("held", [10, 10**6], ids=["on disk", "in memory"])
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_name_that_stands_twice_is_refused_in_one_file_and_across_two(tmp_path, small, monkeypatch, held, ending):
    monkeypatch.setattr(naming, "HELD", held)
    names = [f"d{k}" for k in range(100)]
    assert all(found.rows == 100 for found in fronts_of(write(tmp_path / f"good{ending}", tied(100), names)))
    twice = write(tmp_path / f"t{ending}", tied(100), [*names[:80], "d3", *names[81:]])
    assert f"t{ending} has two designs called 'd3'; a name is a design's identity" in refusals(twice)
    other = write(tmp_path / f"u{ending}", tied(2), ["e", "d5"])
    words = refusals([tmp_path / f"good{ending}", other])
    assert words.startswith(f"good{ending}, u{ending} has two designs called 'd5'")


def test_a_coincidence_of_hashes_is_no_repetition(tmp_path, monkeypatch):
    monkeypatch.setattr(naming, "SUSPECTS", 2)
    same = {"d1": 7, "d2": 7, "d3": 8, "d4": 8, "d5": 9, "d6": 9}
    monkeypatch.setattr(
        shards, "hashes_of", lambda names: np.array([same.get(n, hash(n) % 2**60) for n in names], dtype=np.uint64)
    )
    names = [f"d{k}" for k in range(20)]
    assert front_of_table(ShardedTable(write(tmp_path / "t.csv", tied(20), names)), ORTHANT).rows == 20
    path = write(tmp_path / "u.csv", tied(21), [*names, "d6"])  # among the last suspects
    with pytest.raises(cw.InputError, match="two designs called 'd6'"):
        front_of_table(ShardedTable(path), ORTHANT)


@pytest.mark.parametrize("opened", [0, 3, 64], ids=["no folder", "too many files", "a full disk"])
def test_a_disk_that_takes_no_more_hashes_is_one_sentence_and_leaves_nothing(tmp_path, monkeypatch, opened):
    class Full(io.BytesIO):
        def write(self, _):
            raise OSError(errno.ENOSPC, "No space left on device")

        def close(self):
            super().close()
            raise OSError(errno.ENOSPC, "No space left on device")  # as a file with something unwritten does

    made: list[Full] = []

    def temporary() -> Full:
        if len(made) == opened:
            raise OSError(errno.EMFILE, "Too many open files")
        made.append(Full())
        return made[-1]

    monkeypatch.setattr(naming, "HELD", 10)
    monkeypatch.setattr(naming.tempfile, "TemporaryFile", temporary)
    path = write(tmp_path / "t.csv", tied(50), [f"d{k}" for k in range(50)])
    with pytest.raises(cw.ConewiseError, match=r"temporary files.*cannot be written .*; set TMPDIR"):
        front_of_table(ShardedTable(path), ORTHANT)
    assert len(made) == opened
    assert all(file.closed for file in made)


def test_temporary_files_have_no_name_and_live_where_the_system_says(tmp_path, monkeypatch):
    """Also after an error: what has no name in a folder cannot be left there."""
    monkeypatch.setattr(naming, "HELD", 10)
    monkeypatch.setattr(naming.tempfile, "tempdir", str(tmp_path / "temporary"))
    names = [f"d{k}" for k in range(50)]
    path = write(tmp_path / "t.csv", tied(50), names)
    with pytest.raises(cw.ConewiseError, match="temporary files"):  # the folder is not there
        front_of_table(ShardedTable(path), ORTHANT)
    (tmp_path / "temporary").mkdir()
    assert front_of_table(ShardedTable(path), ORTHANT).rows == 50
    with pytest.raises(cw.InputError, match="two designs called 'd0'"):
        front_of_table(ShardedTable(write(path, tied(51), [*names, "d0"])), ORTHANT)
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize("line", ["", " ", "   ", "\t", "\t\t", ",", ",,", " , ", "\u00a0", '""'])
def test_a_line_of_white_space_is_read_alike_in_one_piece_and_in_ranges(tmp_path, engine, small, monkeypatch, line):
    """Also where it fills a whole range, or is all that there is."""
    monkeypatch.setattr(limits, "PIECE_BYTES", 2)
    monkeypatch.setattr(limits, "RANGE_BYTES", 2)
    path = tmp_path / "t.csv"
    with ThreadPoolExecutor(1) as pool:
        for header in ("a,b", "name,a,b", "a", "a\tb", "name\ta\tb"):
            comma = "\t" if "\t" in header else ","
            columns = header.split(comma)
            cone = cw.Cone.orthant(len(columns) - ("name" in columns))
            rows = [comma.join([f"d{k}", str(k), str(-k)][-len(columns) :]) for k in range(6)]
            for some in ([line] * 3 + rows, [*rows[:4], *[line] * 3, *rows[4:]], rows + [line] * 3, [line] * 3):
                path.write_text("\n".join([header, *some]) + "\n", encoding="utf-8")
                alone, apart = (outcome(path, cone, executor) for executor in (None, pool))
                assert alone == apart, (header, some)
                assert isinstance(alone, str) == (line != "" or some == [line] * 3)


def outcome(path, cone, executor):
    try:
        found = front_of_table(ShardedTable(path), cone, executor=executor)
    except cw.InputError as error:
        return str(error)
    return found.rows, found.indices.tolist()
