"""Tables of designs from files: every format alike, names as they stand, and the row and column of what is wrong."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

import conewise as cw
from conewise import _limits as limits
from conewise.dashboard.sources import from_table
from conewise.tables import readers
from conewise.tables.designs import DesignTable
from conewise.tables.shards import ShardedTable, front_of_table

HEADER = ["name", "cost", "speed"]
ROWS = [["a", 1.0, 2.5], ["b", -3.0, 1e-7], ["c, d", 0.1, 4.0], ['the "e"', 2.0, 5e8]]


def quoted(value: object, delimiter: str = ",") -> str:
    text = repr(value) if isinstance(value, float) else str(value)
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in (delimiter, '"', "\n")) else text


def csv_text(header=HEADER, rows=ROWS, delimiter=",", end="\n") -> str:
    return "".join(delimiter.join(quoted(cell, delimiter) for cell in row) + end for row in [header, *rows])


def write(path, header=HEADER, rows=ROWS):
    """The same table in the format of the path's ending."""
    ending = path.suffix
    records = [dict(zip(header, row, strict=True)) for row in rows]
    if ending in (".csv", ".tsv"):
        path.write_text(csv_text(header, rows, "\t" if ending == ".tsv" else ","), encoding="utf-8")
    elif ending == ".json":
        path.write_text(json.dumps(records), encoding="utf-8")
    elif ending in (".jsonl", ".ndjson"):
        path.write_text("".join(json.dumps(record) + "\n\n" for record in records), encoding="utf-8")
    else:
        pyarrow.parquet.write_table(pyarrow.table({c: [r[k] for r in rows] for k, c in enumerate(header)}), path)
    return path


def read(path, **options) -> tuple[DesignTable, list[str], np.ndarray]:
    table = DesignTable(path, **options)
    chunks = list(table.chunks())
    return table, [name for chunk in chunks for name in chunk.names], np.vstack([chunk.values for chunk in chunks])


@pytest.fixture(params=["pyarrow", "core alone"])
def reader(request, monkeypatch):
    """CSV both through pyarrow and with nothing but the core."""
    if request.param == "core alone":
        monkeypatch.setattr(readers, "_has_arrow", lambda: False)
    return request.param


# -- formats -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".pq"])
def test_every_format_reads_the_same(tmp_path, reader, ending):
    table, names, values = read(write(tmp_path / f"designs{ending}"))
    assert names == [row[0] for row in ROWS]
    np.testing.assert_array_equal(values, [row[1:] for row in ROWS])
    assert (table.name, table.objectives, table.dim) == ("name", ("cost", "speed"), 2)


@pytest.mark.parametrize(
    "text",
    [
        csv_text(),
        csv_text(end="\r\n"),
        csv_text(delimiter=";"),
        csv_text(delimiter="\t"),
        "\ufeff" + csv_text(),
        "\ufeff" + csv_text(delimiter=";", end="\r\n"),
        csv_text().rstrip("\n"),
        csv_text().replace("\n", "\n\n"),
        csv_text(["name", " cost ", "speed "]),
        csv_text().replace("1.0", " 1.0 ").replace("4.0", "+4.0"),
        csv_text([*HEADER, "note"], [[*row, "x, y"] for row in ROWS]),
    ],
    ids=[
        "plain",
        "crlf",
        "semicolons",
        "tabs",
        "bom",
        "bom, semicolons, crlf",
        "no last newline",
        "blank lines",
        "spaces in header",
        "spaces and signs",
        "another column",
    ],
)
def test_dialects_of_csv(tmp_path, reader, text):
    path = tmp_path / "designs.csv"
    path.write_text(text, encoding="utf-8", newline="")
    _, names, values = read(path, objectives=["cost", "speed"])
    assert names == [row[0] for row in ROWS]
    np.testing.assert_array_equal(values, [row[1:] for row in ROWS])


@pytest.mark.parametrize(
    "name", ["007", "1e3", "true", "NA", "2024-01-01", "1.50", "null", " padded ", "", "ä€𝛽", "two\nlines"]
)
def test_names_are_kept_as_they_stand(tmp_path, reader, name):
    path = tmp_path / "designs.csv"
    path.write_text(csv_text(rows=[[name, 1.0, 2.0]]), encoding="utf-8", newline="")
    assert read(path)[1] == [name]


def test_names_that_only_look_alike_are_different(tmp_path, reader):
    path = write(tmp_path / "designs.csv", rows=[["1", 1.0, 2.0], ["01", 1.0, 2.0], ["1.0", 1.0, 2.0]])
    assert read(path)[1] == ["1", "01", "1.0"]
    assert from_table(DesignTable(path), cw.Cone.orthant(2)).designs().names == ["1", "01", "1.0"]


# -- columns -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("column", ["name", "Design", "ID"])
def test_a_column_called_name_design_or_id_names_the_designs(tmp_path, column):
    table, names, _ = read(write(tmp_path / "t.csv", header=[column, "cost", "speed"]))
    assert (table.name, names[0], table.objectives) == (column, "a", ("cost", "speed"))


def test_without_one_rows_are_counted_from_one(tmp_path):
    table, names, values = read(write(tmp_path / "t.csv", header=["cost", "speed"], rows=[row[1:] for row in ROWS]))
    assert table.name is None
    assert names == ["1", "2", "3", "4"]
    assert values.shape == (4, 2)


PANDAS = ",cost,speed\n0,1,2\n1,2,1\n2,0,0\n"


@pytest.mark.parametrize("column", ["", "Unnamed: 0", '""', " "])
def test_a_column_without_a_name_is_no_objective_by_default(tmp_path, reader, column):
    """pandas writes its index like this; the largest row number would be Pareto optimal, whatever the rest says."""
    path = tmp_path / "t.csv"
    path.write_text(column + PANDAS, encoding="utf-8")
    table, names, values = read(path)
    assert (table.objectives, table.name, table.unnamed) == (("cost", "speed"), None, 1)
    assert names == ["1", "2", "3"]
    assert values.tolist() == [[1, 2], [2, 1], [0, 0]]
    found = front_of_table(ShardedTable(path), cw.Cone.orthant(2))
    assert found.indices.tolist() == [0, 1]


def test_the_index_of_a_frame_in_parquet_is_no_objective(tmp_path):
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"cost": [1, 2], "speed": [2, 1], "__index_level_0__": [0, 1]}), path)
    assert read(path)[0].objectives == ("cost", "speed")


def test_several_columns_without_a_name_do_no_harm(tmp_path, reader):
    path = tmp_path / "t.csv"
    path.write_text(",cost,,speed,\n0,1,,2,\n1,2,,1,\n", encoding="utf-8")
    table, _, values = read(path)
    assert (table.objectives, table.unnamed) == (("cost", "speed"), 3)
    assert values.tolist() == [[1, 2], [2, 1]]
    for choice in ({"objectives": ["cost", ""]}, {"name": ""}):
        with pytest.raises(cw.InputError, match="a column without a name cannot be chosen; give it one in the header"):
            DesignTable(path, **choice)


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


def test_whole_numbers_that_float64_holds_and_large_ones_with_a_point_are_read(tmp_path, reader):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n9007199254740992,1e300\n-9007199254740992,9007199254740993.0\n", encoding="utf-8")
    assert read(path)[2].tolist() == [[2.0**53, 1e300], [-(2.0**53), 2.0**53]]


def test_names_may_hold_the_separator_of_other_files(tmp_path, reader):
    path = tmp_path / "t.csv"
    path.write_text('"cost, in EUR, net";speed\n1;2\n', encoding="utf-8")
    assert read(path)[0].objectives == ("cost, in EUR, net", "speed")


def test_more_objectives_or_columns_than_there_may_be(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MOST_OBJECTIVES", 3)
    monkeypatch.setattr(limits, "MOST_COLUMNS", 5)
    four = write(tmp_path / "t.csv", header=["a", "b", "c", "d"], rows=[[1.0, 2.0, 3.0, 4.0]])
    with pytest.raises(cw.InputError, match="there are 4 objectives, where at most 3 are compared; choose some"):
        DesignTable(four)
    assert DesignTable(four, objectives=["a", "d"]).dim == 2
    for ending in ("csv", "json", "parquet"):
        six = write(tmp_path / f"t.{ending}", header=list("abcdef"), rows=[[1.0] * 6])
        with pytest.raises(cw.InputError, match=r"6 columns, where at most 5 are accepted|more than 5 different keys"):
            DesignTable(six, objectives=["a"])


def test_many_columns_take_no_time(tmp_path, reader):
    """Linear in them: looking each of 50 000 up in a list would take minutes."""
    header = [f"c{k}" for k in range(50_000)]
    path = write(tmp_path / "t.csv", header=header, rows=[list(range(50_000))])
    assert read(path, objectives=["c7", "c49999"], minimise=["c7"])[2].tolist() == [[7, 49_999]]
    with pytest.raises(cw.InputError, match="there are 50000 objectives, where at most 255 are compared"):
        DesignTable(path)
    with pytest.raises(cw.InputError, match=r"has no column 'x'; it has c0, .*c29 and 49970 more"):
        DesignTable(path, objectives=["x"])


def test_columns_are_chosen_ordered_and_turned(tmp_path):
    table, _, values = read(write(tmp_path / "t.csv"), objectives=["speed", "cost"], minimise=["cost"])
    np.testing.assert_array_equal(values[0], [2.5, 1.0])
    np.testing.assert_array_equal(table.meaning.signs, [1, -1])
    assert table.minimised == ("cost",)
    assert read(write(tmp_path / "t.csv"), objectives=["speed"], name="cost")[1] == ["1.0", "-3.0", "0.1", "2.0"]


def test_a_column_may_both_name_and_count(tmp_path, reader):
    _, names, values = read(write(tmp_path / "t.csv"), objectives=["cost", "speed"], name="cost")
    assert names == ["1.0", "-3.0", "0.1", "2.0"]
    assert values[:, 0].tolist() == [1.0, -3.0, 0.1, 2.0]


# -- chunks --------------------------------------------------------------------------------------------------------


def test_long_tables_come_in_chunks_without_loss(tmp_path, reader, monkeypatch):
    monkeypatch.setattr(limits, "CHUNK_ROWS", 7)
    rows = [[f"d{k}", float(k), float(-k)] for k in range(50)]
    for ending in (".csv", ".jsonl", ".json", ".parquet"):
        _, names, values = read(write(tmp_path / f"t{ending}", rows=rows))
        assert names == [row[0] for row in rows]
        np.testing.assert_array_equal(values[:, 0], np.arange(50))


def test_blank_lines_never_end_a_table(tmp_path, reader, monkeypatch):
    monkeypatch.setattr(limits, "CHUNK_ROWS", 3)
    path = tmp_path / "t.csv"
    path.write_text("name,cost,speed\na,1,2\n" + "\n" * 20 + "b,3,4\n", encoding="utf-8")
    assert read(path)[1] == ["a", "b"]


def test_the_plain_reader_takes_over_where_pyarrow_gives_up(tmp_path):
    """A number behind a no-break space, beyond the first block: pyarrow gives up; no row comes twice, none is lost."""
    rows, filler, space = 120_000, "x" * 90, "\u00a0"
    path = tmp_path / "t.csv"
    with path.open("w", encoding="utf-8") as file:
        file.write("name,cost,speed,note\n")
        file.writelines(
            f"d{k},{space if k == 110_000 else ''}{k},0,{filler}\n" + ("\n" if k % 1000 == 0 else "")
            for k in range(rows)
        )
    assert path.stat().st_size > 8 * 2**20
    _, names, values = read(path, objectives=["cost", "speed"])
    assert names == [f"d{k}" for k in range(rows)]
    np.testing.assert_array_equal(values[:, 0], np.arange(rows))


def test_an_error_far_down_names_its_row(tmp_path, reader):
    rows = 60_000
    path = tmp_path / "t.csv"
    path.write_text("cost,speed\n" + "1,2\n" * rows + "1,fast\n", encoding="utf-8")
    with pytest.raises(cw.InputError, match=rf"row {rows + 1} \(below the header\), column 'speed' holds 'fast'"):
        read(path)


# -- refusals ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", r"t.csv is empty; a header row with column names was expected"),
        ("cost,speed\n", "t.csv has no rows below its header"),
        ("cost,speed\n1,\n", r"row 1 \(below the header\), column 'speed' is empty; every design needs all"),
        ("cost,speed\n1,2\n1,   \n", "row 2 .* is empty"),
        ("cost,speed\n1,fast\n", "column 'speed' holds 'fast', where a number was expected"),
        ("cost,speed\n1,nan\n", "column 'speed' holds nan, where a finite number was expected"),
        ("cost,speed\n-inf,1\n", "column 'cost' holds -inf, where a finite number was expected"),
        ("cost,speed\n1,NA\n", "holds 'NA', where a number was expected"),
        ("cost,speed\n1,true\n", "holds 'true', where a number was expected"),
        ("cost,speed\n1,0x10\n", "holds '0x10', where a number was expected"),
        ("cost;speed\n1,5;2\n", "holds '1,5', where a number was expected; write decimals with a point"),
        ("cost;speed\n1.234,5;2\n", "holds '1.234,5', .*; write decimals with a point and thousands without"),
        ('cost,speed\n"1,234.5",2\n', "holds '1,234.5', .*; write thousands without a separator"),
        ('cost,speed\n"12,345,678",2\n', "holds '12,345,678', .*; write thousands without a separator"),
        ("cost,speed\n1 234,2\n", "holds '1 234', .*; write thousands without a separator"),
        ("cost,speed\n1_000,2\n", "holds '1_000', .*; write thousands without a separator"),
        ("cost,speed\n1_0,2\n", "holds '1_0', where a number was expected; write it with the digits 0 to 9"),
        ("cost,speed\n\uff11,2\n", "where a number was expected; write it with the digits 0 to 9"),
        ("cost,speed\n\u0661\u0662,2\n", "where a number was expected; write it with the digits 0 to 9"),
        ("cost,speed\n9007199254740993,2\n", r"holds 9007199254740993, a whole number beyond 2\^53 = 9007199254740992"),
        ("cost,speed\n1,-9007199254740993\n", r"row 1 .*column 'speed' holds -9007199254740993, a whole number beyond"),
        ('name,cost\na,1\n"b,2\nc,3\n', "t.csv, line 3: a quote is opened in this row and never closed"),
        ('cost,name\n1,"a\n2,b\n', "t.csv, line 2: a quote is opened in this row and never closed"),
        ("cost,speed\n1,2,3\n", "row 1 .* has 3 entries for 2 columns"),
        ("cost,speed\n1,2\n1\n", "row 2 .* has 1 entries for 2 columns"),
        ("cost,cost\n1,2\n", "two columns called 'cost'; rename one of them"),
    ],
)
def test_bad_csv(tmp_path, reader, text, words):
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(cw.InputError, match=words) as caught:
        read(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("suffix", ["csv", "json", "jsonl"])
def test_which_file_is_not_text(tmp_path, suffix):
    path = tmp_path / f"latin.{suffix}"
    row = '{"name": "\xe4", "cost": 1}\n'
    path.write_bytes({"csv": "name,cost\n\xe4,1\n", "json": f"[{row}]", "jsonl": row}[suffix].encode("latin-1"))
    with pytest.raises(cw.InputError, match=rf"latin.{suffix} is not text in UTF-8 \(it holds '\\xe4'\); save it as"):
        read(path)


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
def test_bad_files_of_other_formats(tmp_path, name, text, words):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(cw.InputError, match=words) as caught:
        read(path)
    assert "\n" not in str(caught.value)


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
def test_bad_parquet(tmp_path, columns, words):
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    with pytest.raises(cw.InputError, match=words):
        read(path)


def test_damaged_parquet(tmp_path):
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


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"objectives": ["cost", "mass"]}, "t.csv has no column 'mass'; it has name, cost, speed"),
        ({"minimise": ["mass"]}, "has no column 'mass'"),
        ({"name": "label"}, "has no column 'label'"),
        ({"objectives": ["cost"], "minimise": ["speed"]}, "names 'speed', which is not among the objectives cost"),
        ({"objectives": ["cost", "cost"]}, "the objectives must be distinct columns"),
    ],
)
def test_bad_choices_of_columns(tmp_path, options, words):
    with pytest.raises(cw.InputError, match=words):
        DesignTable(write(tmp_path / "t.csv"), **options)


def test_a_table_of_nothing_but_names_has_no_objectives(tmp_path):
    with pytest.raises(cw.InputError, match="at least one"):
        DesignTable(write(tmp_path / "t.csv", header=["name"], rows=[["a"]]))


def test_a_name_that_stands_twice_is_refused(tmp_path, reader):
    table = DesignTable(write(tmp_path / "t.csv", rows=[["a", 1.0, 2.0], ["b", 1.0, 2.0], ["a", 3.0, 4.0]]))
    with pytest.raises(cw.InputError, match=r"t\.csv has two designs called 'a'; a name is a design's identity"):
        from_table(table, cw.Cone.orthant(2))


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(cw.InputError, match="there is no file"):
        DesignTable(tmp_path / "none.csv")
    with pytest.raises(cw.InputError, match="is a folder; name a table in it"):
        DesignTable(tmp_path)


def test_parquet_without_its_extra_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    (tmp_path / "t.parquet").touch()
    with pytest.raises(cw.ConewiseError, match=r"run pip install '\.\[tables\]' in a checkout"):
        DesignTable(tmp_path / "t.parquet")


@pytest.mark.parametrize("ending", [".csv", ".json", ".jsonl", ".parquet"])
def test_a_missing_name_is_empty_in_every_format(tmp_path, ending):
    path = write(tmp_path / f"t{ending}", rows=[["a", 1.0, 2.0], [None if ending != ".csv" else "", 3.0, 4.0]])
    assert read(path)[1] == ["a", ""]
    found = front_of_table(ShardedTable(path), cw.Cone.orthant(2))
    assert found.labels.tolist() == [""]
