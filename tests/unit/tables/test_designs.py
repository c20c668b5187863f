"""Tables of designs from files: every format alike, names as they stand, and the row and column of what is wrong."""

from __future__ import annotations

import numpy as np
import pytest
from shared.tablefiles import HEADER, ROWS, csv_text, read, write

import conewise as cw
from conewise import limits
from conewise.dashboard.sources import from_table
from conewise.tables.designs import DesignTable
from conewise.tables.shards import ShardedTable, front_of_table

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
        (
            "cost,speed\n1,fast\n",
            "column 'speed' holds 'fast', where a number was expected; if it is no objective, name the objectives "
            "without it",
        ),
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
def test_bad_csv_is_refused_with_its_place(tmp_path, reader, text, words):
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


def test_a_name_that_stands_twice_is_refused(tmp_path, reader):
    table = DesignTable(write(tmp_path / "t.csv", rows=[["a", 1.0, 2.0], ["b", 1.0, 2.0], ["a", 3.0, 4.0]]))
    with pytest.raises(cw.InputError, match=r"t\.csv has two designs called 'a'; .* repeated measurements are for"):
        from_table(table, cw.Cone.orthant(2))


def test_missing_files_and_folders_are_named(tmp_path):
    with pytest.raises(cw.InputError, match="there is no file"):
        DesignTable(tmp_path / "none.csv")
    write(tmp_path / "cars.csv", rows=[["a", 1.0, 2.0]])
    with pytest.raises(cw.InputError, match=r"there is no file .*car\.csv; perhaps .*cars\.csv is meant\."):
        DesignTable(tmp_path / "car.csv")
    (tmp_path / "trial.db").touch()
    with pytest.raises(cw.InputError, match=r"the ending '\.db' is not known; .* `conewise study export` writes"):
        DesignTable(tmp_path / "trial.db")
    with pytest.raises(cw.InputError, match="is a folder; name a table in it"):
        DesignTable(tmp_path)


@pytest.mark.parametrize("ending", [".csv", ".json", ".jsonl", ".parquet"])
def test_a_missing_name_is_empty_in_every_format(tmp_path, ending):
    path = write(tmp_path / f"t{ending}", rows=[["a", 1.0, 2.0], [None if ending != ".csv" else "", 3.0, 4.0]])
    assert read(path)[1] == ["a", ""]
    found = front_of_table(ShardedTable(path), cw.Cone.orthant(2))
    assert found.labels.tolist() == [""]
