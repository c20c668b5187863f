"""The commands as their users run them.

In a process of its own, `python -m conewise ...`, wherever that can matter: pipes, colours, full disks, memory, hash
seeds, the first import. What a command computes from its arguments is asked for inside this process.

What is checked of every command: its help has an example, `--json` is JSON with the keys that scripts rely on, a pipe
gets plain text without a bar, and a mistake is one line on stderr with exit code 2.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

import conewise as cw
from conewise.cli.main import main

COMMANDS = ["reproduce", "cone", "front", "analyse", "budget", "study"]
GROUPS = {"study"}  # commands of commands: those have --json, and tests of their own
COLOUR_SWITCHES = {"FORCE_COLOR", "CLICOLOR_FORCE", "NO_COLOR", "COLUMNS", "TTY_COMPATIBLE", "TTY_INTERACTIVE"}
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in COLOUR_SWITCHES} | {
    "TERM": "xterm-256color",
    "PYTHONWARNINGS": "error",
}
ROWS = [
    ("plain", 1.0, 5.0),
    ("007", 2.0, 4.0),
    ("with, comma", 3.0, 4.5),
    ('with "quotes"', 4.0, 1.0),
    ("Größe ≥ 2", 2.5, 2.5),
    ("beaten", 0.5, 0.5),
]
FRONT = ["plain", "with, comma", 'with "quotes"']


def inside(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The command in this process, into a pipe of its own."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    words = list(map(str, arguments))
    with chdir(cwd or Path.cwd()), redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as end:
        main(words)
    for stream in (out, err):
        stream.flush()
    return subprocess.CompletedProcess(
        words, end.value.code or 0, *(stream.buffer.getvalue().decode() for stream in (out, err))
    )


def conewise(*arguments: str, cwd: Path | None = None, **options) -> subprocess.CompletedProcess[str]:
    environment = ENVIRONMENT | options.pop("env", {})
    command = [sys.executable, "-m", "conewise", *map(str, arguments)]
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=120, **options
    )


def succeeds(*arguments: str, by=conewise, **options) -> subprocess.CompletedProcess[str]:
    done = by(*arguments, **options)
    assert done.returncode == 0, done.stderr
    return done


def refused(*arguments: str, by=conewise, **options) -> str:
    """One line on stderr, exit code 2, no traceback, nothing on stdout."""
    done = by(*arguments, **options)
    assert done.returncode == 2, done
    assert "Traceback" not in done.stderr
    assert re.fullmatch(r"conewise: [^\n]+\n", done.stderr), done.stderr
    return done.stderr


def plain(text: str) -> None:
    """No codes for colours or cursors, nothing overwritten."""
    assert "\x1b" not in text
    assert "\r" not in text
    assert not re.search("[━╸╺█]", text)  # what bars are drawn with


def write_table(path: Path, rows=ROWS, header=("name", "cost", "speed")) -> Path:
    records = [dict(zip(header, row, strict=True)) for row in rows]
    if path.suffix == ".json":
        path.write_text(json.dumps(records), encoding="utf-8")
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    elif path.suffix == ".parquet":
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(records), path)
    else:
        delimiter = {".tsv": "\t", ".txt": ";"}.get(path.suffix, ",")
        with path.open("w", encoding="utf-8-sig" if path.suffix == ".txt" else "utf-8", newline="") as file:
            csv.writer(file, delimiter=delimiter).writerows([header, *rows])
    return path


# -- every command -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def helps() -> dict[str, str]:
    return {name: succeeds(*([name] if name else []), "--help", by=inside).stdout for name in ["", *COMMANDS]}


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_has_an_example_and_says_what_the_command_is_for(helps, name):
    text = helps[name]
    assert text.startswith(f"Usage: {' '.join(['conewise', name]).strip()} ")
    assert "Example: conewise " in text
    plain(text)
    if name:
        assert name in GROUPS or re.search(r"--json\s+Print JSON\.", text)
        assert name in helps[""]


def test_the_examples_of_the_help_run(helps, tmp_path):
    write_table(tmp_path / "designs.csv")
    for name in ("cone", "front", "budget"):
        example = re.search(r"Example: conewise (.*?)\n\n", helps[name], re.DOTALL)[1]
        succeeds(*example.split(), cwd=tmp_path, by=inside)
    succeeds("cone", "planar:60", "--plot", "cone.png", cwd=tmp_path, by=inside)
    assert (tmp_path / "cone.png").stat().st_size > 1000


def test_help_in_a_process_is_the_same_text(helps):
    assert succeeds("front", "--help").stdout == helps["front"]


def test_the_version_is_the_packages():
    assert succeeds("--version").stdout.strip() == f"conewise, version {cw.__version__}"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["bogus"], "No such command 'bogus'"),
        (["cone"], "a cone was expected, such as planar:135, or objectives and what is worth it"),
        (["cone", "planar:200"], "200"),
        (["front", "none.csv"], "there is no file none.csv"),
        (["budget", "--designs", "1", "--epsilon", "0.1", "--delta", "0.1"], "at least 2"),
        (["budget", "--designs", "5", "--epsilon", "1e-300", "--delta", "0.1"], "exceeds"),
        (["reproduce", "--runs", "0"], "not in the range"),
    ],
    ids=" ".join,
)
def test_a_mistake_is_one_line_with_exit_code_2(arguments, words, tmp_path):
    assert words in refused(*arguments, cwd=tmp_path, by=conewise if arguments == ["bogus"] else inside)


# -- cone and budget -----------------------------------------------------------------------------------------------


def test_cone_says_everything_in_json():
    data = json.loads(succeeds("cone", "planar:45", "--json", by=inside).stdout)
    assert list(data) == [
        "schema",
        *("cone", "dim", "facets", "removed", "rays", "dual", "alpha", "beta1", "beta2", "beta", "exact", "bracket"),
        *("widest_pair", "widest_degrees", "words", "said"),
    ]
    assert data["said"] == []
    assert data["beta"] == pytest.approx(2**0.5)
    assert data["widest_degrees"] == pytest.approx(135)
    np.testing.assert_allclose(data["dual"]["rays"], data["facets"], atol=1e-12)
    assert (data["cone"], data["dim"], data["exact"]) == ("planar:45", 2, True)


def test_cone_in_a_pipe_is_plain_text():
    done = succeeds("cone", "[[2,1],[1,2],[1,1]]", "--details", by=inside)
    plain(done.stdout)
    assert done.stderr == ""
    assert "redundant rows left out: 2" in done.stdout
    assert "ordering complexity: beta = 1 " in done.stdout
    assert "witness: the weightings" in done.stdout


def test_a_cone_is_drawn_the_same_in_every_process(tmp_path):
    for seed in ("1", "2"):
        succeeds("cone", "planar:60", "--plot", f"cone{seed}.svg", cwd=tmp_path, env={"PYTHONHASHSEED": seed})
    first, second = ((tmp_path / f"cone{seed}.svg").read_bytes() for seed in "12")
    assert first == second
    assert first.startswith(b"<?xml")


def test_budget_gives_the_papers_number_and_ours():
    arguments = ("budget", "--cone", "planar:90", "--designs", "206", "--epsilon", "0.1", "--delta", "0.01")
    data = json.loads(succeeds(*arguments, "--json", by=inside).stdout)
    assert list(data) == ["schema", "cone", "said", "beta", "noise", "n_designs", "epsilon", "delta", "budgets"]
    assert {row["bound"]: row["each"] for row in data["budgets"]} | {"subgaussian": 0} == {
        "paper": 38_800,
        "gaussian": 5_074,
        "subgaussian": 0,
    }
    assert all(list(row) == ["bound", "theorem", "each", "total", "proven"] for row in data["budgets"])
    assert all(row["total"] == 206 * row["each"] and row["proven"] for row in data["budgets"])
    text = succeeds(*arguments, by=inside).stdout
    plain(text)
    assert "38,800" in text
    assert "5,074" in text


# -- front ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["csv", "tsv", "txt", "json", "jsonl", "parquet"])
def test_front_reads_every_format_alike(tmp_path, ending):
    """txt: a byte order mark and semicolons. The answer has the names as they stand, quotes and zeros included."""
    path = write_table(tmp_path / f"designs.{ending}")
    data = json.loads(succeeds("front", path, "--json", by=inside).stdout)
    assert data == {
        "schema": 2,
        "cone": "orthant:2",
        "said": [],
        "rows": 6,
        "compared_rows": 6,
        "where": None,
        "n_pareto": 3,
        "misses_a_level": 0,
        "compared": [{"name": name, "direction": "larger", "unit": 1.0, "level": None} for name in ("cost", "speed")],
        "objectives": ["cost", "speed"],
        "minimised": [],
        "units": {},
        "remarks": [],
        "designs": [
            {"row": k, "name": name, "values": {"cost": cost, "speed": speed}, "others": {}}
            for k, (name, cost, speed) in enumerate(ROWS, start=1)
            if name in FRONT
        ],
    }


def test_front_in_a_pipe_is_csv_that_can_be_read_again(tmp_path):
    done = succeeds("front", write_table(tmp_path / "designs.csv"), "--minimise", "cost", "--cone", "planar:135")
    plain(done.stdout)
    plain(done.stderr)
    compared = r"compared: cost \(smaller is better\), speed \(larger is better\)"
    assert re.fullmatch(rf"\d of 6 designs (is|are) Pareto under planar:135; {compared}\n", done.stderr)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    means = np.array([[-cost, speed] for _, cost, speed in ROWS])
    expected = [row for row, kept in zip(ROWS, cw.pareto_mask(means, cw.Cone.planar(135)), strict=True) if kept]
    assert [(row["name"], float(row["cost"]), float(row["speed"])) for row in rows] == expected


def test_front_of_the_front_is_the_front(tmp_path):
    first = succeeds("front", write_table(tmp_path / "designs.csv"), by=inside).stdout
    (tmp_path / "again.csv").write_text(first, encoding="utf-8")
    assert succeeds("front", "again.csv", cwd=tmp_path, by=inside).stdout == first


def test_front_agrees_with_the_library_on_the_papers_data(tmp_path):
    snw = cw.problems.load("snw")
    rows = [(name, -area, speed) for name, (area, speed) in zip(snw.names, snw.means.tolist(), strict=True)]
    path = write_table(tmp_path / "snw.parquet", rows, ("name", "log2 area", "log2 throughput"))
    for angle, size in ((45, 53), (90, 26), (135, 10)):
        done = succeeds("front", path, "--minimise", "log2 area", "--cone", f"planar:{angle}", "--json", by=inside)
        designs = json.loads(done.stdout)["designs"]
        assert len(designs) == size
        expected = np.flatnonzero(cw.pareto_mask(snw.means, cw.Cone.planar(angle)))
        assert [row["row"] - 1 for row in designs] == expected.tolist()


def test_equal_designs_are_all_kept_unless_told_otherwise(tmp_path):
    path = write_table(tmp_path / "designs.csv", [("a", 1, 1), ("b", 1, 1), ("c", 0, 0)])
    assert [row["name"] for row in json.loads(succeeds("front", path, "--json", by=inside).stdout)["designs"]] == [
        "a",
        "b",
    ]
    once = json.loads(succeeds("front", path, "--json", "--first-of-equals", by=inside).stdout)
    assert [row["name"] for row in once["designs"]] == ["a"]


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        (b"", [], "is empty"),
        (b"name,cost,speed\n", [], "no rows below its header"),
        (b"name,cost,speed\na,1,\n", [], "row 1 (below the header), column 'speed' is empty"),
        (b"name,cost,speed\na,1,fast\n", [], "holds 'fast', where a number was expected"),
        (b"name,cost,speed\na,1,2\na,2,3\n", [], "two designs called 'a'"),
        (b"name,cost,cost\na,1,2\n", [], "two columns called 'cost'"),
        (b"name,cost,speed\na,1,2\n", ["--objectives", "mass"], "no column 'mass'; it has name, cost, speed"),
        (b"name,cost,speed\n\xe4,1,2\n", [], "not text in UTF-8"),
        (bytes(range(256)) * 40, [], "not text in UTF-8"),
        (None, [], "is a folder"),
    ],
    ids=["empty", "header", "missing", "text", "names", "columns", "unknown", "latin-1", "binary", "folder"],
)
def test_bad_tables_are_one_line(tmp_path, content, options, words):
    path = tmp_path / "designs.csv"
    path.mkdir() if content is None else path.write_bytes(content)
    assert words in refused("front", path, *options, by=inside)


def test_a_table_is_read_twice_so_a_pipe_is_refused_and_a_file_as_input_is_fine(tmp_path):
    assert "save it to a file first" in refused("front", "/dev/stdin", input="cost,speed\n1,2\n")
    with write_table(tmp_path / "designs.csv").open() as file:
        assert json.loads(succeeds("front", "/dev/stdin", "--json", stdin=file).stdout)["n_pareto"] == 3


# -- where the answer goes -----------------------------------------------------------------------------------------


def test_out_writes_the_file_and_says_so(tmp_path):
    path = write_table(tmp_path / "designs.csv")
    done = succeeds("front", path, "--out", tmp_path / "front.csv", by=inside)
    assert done.stdout == ""
    assert done.stderr.endswith(f"written to {tmp_path / 'front.csv'}\n")
    assert (tmp_path / "front.csv").read_text(encoding="utf-8") == succeeds("front", path, by=inside).stdout
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["designs.csv", "front.csv"]


def test_a_full_disk_leaves_the_old_file_as_it_was(tmp_path):
    """Files may not grow beyond 1 kB in that process: writing fails half way, as on a full disk."""
    rows = [(f"design {k}", k, -k) for k in range(2000)]
    path, out = write_table(tmp_path / "designs.csv", rows), tmp_path / "front.csv"
    out.write_text("what was there\n", encoding="utf-8")
    limited = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)); "
        "from conewise.cli import main; main(sys.argv[1:])"
    )
    command = [sys.executable, "-B", "-c", limited, "front", str(path), "--force", "--out", str(out)]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert re.fullmatch(r"conewise: \S+front\.csv cannot be written: File too large; nothing [^\n]*\n", done.stderr)
    assert out.read_text(encoding="utf-8") == "what was there\n"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["designs.csv", "front.csv"]
    succeeds("front", path, "--out", out, "--force", by=inside)
    assert len(out.read_text(encoding="utf-8").splitlines()) == 2001


needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is always full")


@needs_full
def test_out_to_a_device_that_is_full(tmp_path):
    path = write_table(tmp_path / "designs.csv")
    assert "No space left on device" in refused("front", path, "--out", "/dev/full", by=inside)
    assert Path("/dev/full").is_char_device()


@needs_full
def test_standard_output_that_is_full(tmp_path):
    write_table(tmp_path / "designs.csv")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "conewise", "front", "designs.csv"],
            cwd=tmp_path,
            env=ENVIRONMENT,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    assert done.returncode == 2
    assert done.stderr == "conewise: No space left on device.\n"


def test_a_reader_that_goes_away_is_no_error(tmp_path):
    path = write_table(tmp_path / "designs.csv", [(f"d{k}", k, -k) for k in range(50_000)])
    command = [sys.executable, "-m", "conewise", "front", str(path)]
    with subprocess.Popen(
        command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "name,cost,speed\n"
        process.stdout.close()
        complaint = process.stderr.read()
        assert process.wait(timeout=60) in (0, -signal.SIGPIPE)
    assert "Traceback" not in complaint
    assert "BrokenPipe" not in complaint


# -- reproduce -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reproduced(tmp_path_factory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    out = tmp_path_factory.mktemp("reproduce") / "results"
    return out, succeeds("reproduce", "--runs", "30", "--jobs", "1", "--beyond", "--out", out)


def test_reproduce_gives_the_same_numbers_in_any_number_of_processes(reproduced):
    data = json.loads(succeeds("reproduce", "--runs", "30", "--jobs", "2", "--json").stdout)
    written = json.loads((reproduced[0] / "results.json").read_text(encoding="utf-8"))  # that was one process
    assert data == {"schema": 2} | written
    assert list(written) == [
        *("paper", "runs", "seed", "test", "reproduced", "verdict", "notes", "pareto_sets", "cells"),
    ]
    assert (data["runs"], data["seed"], data["reproduced"]) == (30, 0, True)
    assert [len(front) for front in data["pareto_sets"].values()] == [53, 26, 10]
    assert len(data["cells"]) == 177
    assert list(data["cells"][0]) == ["table", "row", "column", "paper", "ours", "low", "high", "inside"]


def test_reproduce_prints_every_table_beside_the_papers_and_a_verdict(reproduced):
    out, done = reproduced
    plain(done.stdout)
    # no bar without a terminal, but a word for each of the two parts that took more than 5 s
    assert all(line.startswith("conewise: still at work, ") for line in done.stderr.splitlines())
    assert len(done.stderr.splitlines()) <= 2
    for words in (
        "Table 1: ours / paper (difference)",
        "Table 2: ours / paper (difference)",
        "Supplementary table, success rate in %",
        "Theoretical L (206 designs",
        "38,800",
        "Beyond: the angle of the cone",
        "Beyond: three objectives",
        "How conservative are the budgets?",
        "Test: rates: exact binomial",
        "L = 10000, epsilon = 0.01: 45 and 90 degrees are level in the paper (22 and 24 %",
        "REPRODUCED: ",
    ):
        assert words in done.stdout, words
    assert done.stdout.rstrip().endswith(f"open {out / 'report.md'}, {out / 'figure1.png'} and {out / 'figure2.png'}.")


def test_reproduce_writes_all_its_files(reproduced):
    out, _ = reproduced
    assert sorted(path.name for path in out.iterdir()) == sorted(
        [
            *("report.md", "numbers.csv", "results.json"),
            *(f"table{number}.csv" for number in range(1, 11)),
            *(f"{name}.{ending}" for name in ("figure1", "figure2", "angles") for ending in ("png", "svg")),
        ]
    )
    report = (out / "report.md").read_text(encoding="utf-8")
    for picture in re.findall(r"!\[[^]]*\]\(([^)]+)\)", report):
        assert (out / picture).read_bytes().startswith(b"\x89PNG")
    assert report.startswith("# Ararat & Tekin (2023), reproduced\n\nREPRODUCED")
    numbers = list(csv.DictReader(io.StringIO((out / "numbers.csv").read_text(encoding="utf-8"))))
    assert len(numbers) == 177
    assert {row["inside"] for row in numbers} <= {"yes", "NO"}
    for path in out.glob("*.svg"):
        assert path.read_bytes().startswith(b"<?xml")
        assert b"<dc:date>" not in path.read_bytes()


# -- long tables ---------------------------------------------------------------------------------------------------

LONG = 10**6
CORE_MEMORY, ARROW_MEMORY = 320, 2048  # MiB of address space; pyarrow reserves 1.5 GiB of it before it reads a byte
LIMITED = """
import resource, sys
megabytes, core = int(sys.argv[1]), sys.argv[2] == "core"
if core:
    sys.modules["pyarrow"] = None  # as if the extra were not installed
resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
"""
FRONT_OF = LIMITED + "from conewise.cli import main; main(['front', sys.argv[3], '--json'])"
ALL_ROWS = LIMITED + "import csv; rows = list(csv.reader(open(sys.argv[3]))); print(len(rows))"


@pytest.fixture(scope="module")
def long_table(tmp_path_factory) -> tuple[Path, list[int]]:
    """A million named rows of three objectives, 30 MB, and the rows that are Pareto."""
    rng = np.random.default_rng(0)
    texts = [[f"{value:.6f}" for value in column] for column in rng.normal(size=(3, 9973))]
    path = tmp_path_factory.mktemp("long") / "designs.csv"
    places = [(np.arange(LONG) * step) % 9973 for step in (1, 7, 31)]
    with path.open("w", encoding="utf-8") as file:
        file.write("name,a,b,c\n")
        a, b, c = (np.array(column)[place].tolist() for column, place in zip(texts, places, strict=True))
        file.writelines(f"d{k},{x},{y},{z}\n" for k, (x, y, z) in enumerate(zip(a, b, c, strict=True)))
    points = np.column_stack(
        [np.array(column, dtype=float)[place] for column, place in zip(texts, places, strict=True)]
    )
    return path, np.flatnonzero(cw.pareto_mask(points, cw.Cone.orthant(3))).tolist()


def limited(code: str, megabytes: int, reader: str, path: Path) -> subprocess.CompletedProcess[str]:
    environment = ENVIRONMENT | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "ARROW_IO_THREADS": "1"}
    command = [sys.executable, "-c", code, str(megabytes), reader, str(path)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)


@pytest.mark.skipif(sys.platform != "linux", reason="the limit on address space is Linux's")
@pytest.mark.parametrize(("reader", "megabytes"), [("core", CORE_MEMORY), ("pyarrow", ARROW_MEMORY)])
def test_a_million_rows_stream_through_little_memory(long_table, reader, megabytes):
    path, expected = long_table
    done = limited(FRONT_OF, megabytes, reader, path)
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["rows"] == LONG
    assert [row["row"] - 1 for row in data["designs"]] == expected
    assert all(row["name"] == f"d{row['row'] - 1}" for row in data["designs"])


@pytest.mark.skipif(sys.platform != "linux", reason="the limit on address space is Linux's")
def test_keeping_the_rows_does_not_fit_into_that_memory(long_table):
    """The limit bites: without streaming the same file runs out of it."""
    done = limited(ALL_ROWS, CORE_MEMORY, "core", long_table[0])
    assert done.returncode != 0
    assert "MemoryError" in done.stderr
