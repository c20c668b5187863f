"""Tables larger than the memory they are given, worker processes, and a Dask cluster: always the same answer."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

import conewise as cw
from conewise import limits
from conewise.cli.main import main
from conewise.tables.shards import ShardedTable, front_of_table

linux = pytest.mark.skipif(sys.platform != "linux", reason="the limit on address space is Linux's")

ROWS = 10**7
EVALUATIONS = 10**6
SPARE = 96  # MiB that may be added to what the program and its libraries take before they read a byte

LIMITED = """
import resource, sys
import pyarrow, pyarrow.parquet
from conewise.cli.main import main
import conewise.tables.shards, conewise.analysis.analyse, scipy.special, moocore
pyarrow.parquet.read_table(sys.argv[2])  # everything is loaded, and the threads are there
fields = dict(line.split(":", 1) for line in open("/proc/self/status"))
limit = (int(fields["VmSize"].split()[0]) >> 10) + int(sys.argv[1]) << 20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
"""


def limited(code: str, megabytes: int, small: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", LIMITED + code, str(megabytes), str(small), *map(str, arguments)]
    threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "ARROW_IO_THREADS": "1"}
    # Other pools, and arenas of threads, take addresses long before they need them.
    threads |= {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "1"}
    return subprocess.run(command, env={"PATH": "", **threads}, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def large(tmp_path_factory) -> tuple[Path, Path, list[int]]:
    """A table of 160 MB in one row group, a small one, and the rows of the large one that are Pareto."""
    folder = tmp_path_factory.mktemp("large")
    rng = np.random.default_rng(0)
    points = rng.random((ROWS, 2))
    table = pyarrow.table({"a": points[:, 0], "b": points[:, 1]})
    pyarrow.parquet.write_table(table, folder / "large.parquet", row_group_size=ROWS, use_dictionary=False)
    pyarrow.parquet.write_table(table.slice(0, 1000), folder / "small.parquet")
    expected = np.flatnonzero(cw.pareto_mask(points, cw.Cone.orthant(2))).tolist()
    return folder / "large.parquet", folder / "small.parquet", expected


@linux
def test_front_takes_less_memory_than_the_table(large):
    path, small, expected = large
    done = limited("main(sys.argv[3:])", SPARE, small, "front", path, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["rows"] == ROWS
    assert [design["row"] - 1 for design in found["designs"]] == expected


@linux
def test_the_table_does_not_fit_into_that_memory(large):
    """The limit bites: reading the same file whole runs out of it."""
    path, small, _ = large
    done = limited("pyarrow.parquet.read_table(sys.argv[3])", SPARE, small, path)
    assert done.returncode != 0
    assert "MemoryError" in done.stderr


@pytest.fixture(scope="module")
def long(tmp_path_factory) -> tuple[Path, np.ndarray, np.ndarray]:
    """A million evaluations of four designs, who was evaluated, and the values."""
    path = tmp_path_factory.mktemp("long") / "long.parquet"
    rng = np.random.default_rng(1)
    which = rng.integers(0, 4, EVALUATIONS)
    names = pyarrow.array([f"d{k}" for k in range(4)]).take(pyarrow.array(which))
    values = rng.normal(size=(EVALUATIONS, 2)) + np.array([[0, 3], [3, 0], [-1, -1], [-2, 1]])[which]
    table = pyarrow.table({"design": names, "a": values[:, 0], "b": values[:, 1]})
    pyarrow.parquet.write_table(table, path, row_group_size=EVALUATIONS)
    return path, which, values


@linux
@pytest.mark.parametrize("final", [[], ["--final"]], ids=["growing", "final"])
def test_analyse_takes_memory_for_the_designs_not_for_the_rows(large, long, final):
    path, which, values = long
    done = limited(
        "main(sys.argv[3:])",
        SPARE,
        large[1],
        "analyse",
        path,
        "--objectives",
        "a,b",
        "--noise",
        "gaussian:1",
        "--json",
        *final,
    )
    assert done.returncode == 0, done.stderr
    found = {design["name"]: design for design in json.loads(done.stdout)["designs"]}
    status = {name: design["status"] for name, design in found.items()}
    assert status == {"d0": "kept", "d1": "kept", "d2": "beaten", "d3": "beaten"}
    for k in range(4):
        assert found[f"d{k}"]["evaluations"] == np.count_nonzero(which == k)
        mean = values[which == k].mean(axis=0)
        np.testing.assert_allclose(list(found[f"d{k}"]["means"].values()), mean, rtol=0, atol=1e-12)


@linux
def test_the_evaluations_do_not_fit_into_that_memory(large, long):
    code = """
import numpy as np, conewise as cw
table = pyarrow.parquet.read_table(sys.argv[3])
values = np.column_stack([table.column(name).to_numpy() for name in ("a", "b")])
designs = np.array([int(name[1:]) for name in table.column("design").to_pylist()])
cw.analyse(cw.Observations.single(designs, values), cw.Cone.orthant(2), delta=0.05, final=True)
"""
    done = limited(code, SPARE, large[1], long[0])
    assert done.returncode != 0
    assert "MemoryError" in done.stderr


# -- workers ---------------------------------------------------------------------------------------------------------


def run(capsys, *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return int(caught.value.code or 0), out, err


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """No word about how long it takes, which depends on what else the machine does."""
    monkeypatch.setattr(limits, "PATIENCE", 1e6)


@pytest.fixture
def tables(tmp_path) -> list[Path]:
    """A table with ties and names in three files."""
    rng = np.random.default_rng(2)
    points = rng.integers(0, 40, size=(3000, 2)) / 8
    paths = []
    for k, part in enumerate(np.array_split(np.arange(3000), 3)):
        paths.append(tmp_path / f"part.{k}.parquet")
        named = {"name": [f"d{row}" for row in part], "a": points[part, 0], "b": points[part, 1]}
        pyarrow.parquet.write_table(pyarrow.table(named), paths[-1], row_group_size=100)
    return paths


def test_front_with_one_and_two_processes(tables, tmp_path, capsys):
    one = run(capsys, "front", *tables, "--minimise", "b")
    two = run(capsys, "front", tmp_path, "--minimise", "b", "--workers", 2)
    assert one == two
    assert one[0] == 0
    assert re.search("of 3000 designs (is|are) Pareto", one[2])
    code, out, err = run(capsys, "front", *tables, "--workers", 2, "--dask", "tcp://127.0.0.1:1")
    assert (code, out) == (2, "")
    assert err == "conewise: --workers are processes here, and --dask is elsewhere; leave one of them out.\n"


def test_a_mistake_found_by_a_process_is_one_line(tables, tmp_path, capsys):
    table = pyarrow.table({"name": ["x", "y"], "a": [1.0, float("nan")], "b": [1.0, 2.0]})
    pyarrow.parquet.write_table(table, tmp_path / "part.1.parquet")
    code, out, err = run(capsys, "front", tmp_path, "--workers", 2)
    assert (code, out) == (2, "")
    assert err.startswith("conewise: part.1.parquet, row 2 (below the header), column 'a' holds nan")
    assert err.count("\n") == 1


def test_analyse_with_one_and_two_processes(tmp_path, capsys):
    rng = np.random.default_rng(3)
    lines = [f"d{k % 5},{x},{y}" for k, (x, y) in enumerate(rng.normal(size=(400, 2)).round(3).tolist())]
    path = tmp_path / "long.csv"
    path.write_text("\n".join(["design,a,b", *lines]) + "\n")
    options = ("analyse", path, "--objectives", "a,b", "--json")
    one = run(capsys, *options, "--final")
    assert one[0] == 0
    assert run(capsys, *options, "--final", "--workers", 2) == one
    code, _, err = run(capsys, *options, "--workers", 2)
    assert code == 2
    assert "the order of its rows counts" in err


# -- Dask ------------------------------------------------------------------------------------------------------------


def piece(path: str, start: int) -> np.ndarray:
    """What a worker of a cluster reads for itself."""
    table = pyarrow.parquet.read_table(path, columns=["a", "b"]).slice(start, 100)
    return np.column_stack([table.column("a").to_numpy(), table.column("b").to_numpy()])


def test_a_dask_cluster_gives_the_same_answer(tables, tmp_path, capsys):
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    table = ShardedTable(tables)
    expected = front_of_table(table, cw.Cone.planar(120))
    with (
        distributed.LocalCluster(**options, silence_logs=50) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        client.wait_for_workers(2, timeout=60)
        for executor in (client, client.get_executor(), client.get_executor(pure=False)):
            found = front_of_table(table, cw.Cone.planar(120), executor=executor)
            assert found.indices.tolist() == expected.indices.tolist()
            assert found.labels.tolist() == expected.labels.tolist()
        shards = [partial(piece, str(path), start) for path in tables for start in range(0, 1000, 100)]
        found = cw.front_of_shards(shards, cw.Cone.planar(120), executor=client)
        assert found.indices.tolist() == expected.indices.tolist()
        np.testing.assert_array_equal(found.points, expected.points)
        address = cluster.scheduler_address
        elsewhere = run(capsys, "front", tmp_path, "--cone", "planar:120", "--dask", address)
        assert elsewhere == run(capsys, "front", tmp_path, "--cone", "planar:120")
        table_values = np.random.default_rng(4).normal(size=(2, 600))
        long = pyarrow.table({"design": [f"d{k % 3}" for k in range(600)], "a": table_values[0], "b": table_values[1]})
        (tmp_path / "long").mkdir()
        pyarrow.parquet.write_table(long, tmp_path / "long" / "long.parquet", row_group_size=100)
        analysis = ("analyse", tmp_path / "long", "--objectives", "a,b", "--final", "--json")
        assert run(capsys, *analysis, "--dask", address) == run(capsys, *analysis)
        pyarrow.parquet.write_table(pyarrow.table({"name": ["d7"], "a": [1.0], "b": [2.0]}), tmp_path / "x.parquet")
        code, _, err = run(capsys, "front", *tables, tmp_path / "x.parquet", "--dask", address)
        assert code == 2
        assert "has two designs called 'd7'" in err
