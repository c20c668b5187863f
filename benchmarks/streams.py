"""Tables that are never in memory as a whole: `front` and `analyse` on files, in processes with 2 GiB of addresses.

python -m benchmarks.streams --full    10^8 rows: 4 GB of temporary files, and a quarter of an hour
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.csv
import pyarrow.parquet

from benchmarks.measure import Row, alone, speed_up, stated

STEP = 10**6
"""Rows of a row group."""
DESIGNS = 1000
LIMIT = 2
"""GiB of address space; pyarrow takes 1.5 of them before it reads a byte."""

COMMAND = """
import resource, sys
limit = int(sys.argv[1]) << 30
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
import json, os, time
from pathlib import Path
from conewise.cli.main import main
began = time.monotonic()
sys.stdout = sys.stderr = open(os.devnull, "w")
try:
    main(sys.argv[2:])
except SystemExit as ended:
    failed = ended.code
seconds = time.monotonic() - began
peak = 0
if Path("/proc/self/status").exists():  # ru_maxrss would carry over that of the process which started this one
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    peak = int(fields["VmHWM"].split()[0])
largest = max(peak, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
print(json.dumps([failed, seconds, largest / 1024]), file=sys.__stdout__)
"""

WHOLE = """
import resource, sys, time
import pyarrow.parquet, numpy as np, conewise as cw
began = time.monotonic()
table = pyarrow.parquet.read_table(sys.argv[1])
cw.pareto_mask(np.column_stack([table.column(name).to_numpy() for name in ("a", "b")]), cw.Cone.orthant(2))
print(time.monotonic() - began)
"""


def rows(full: bool = False) -> Iterator[Row]:
    large, words = (10**8, "10^8") if full else (10**7, "10^7")
    with tempfile.TemporaryDirectory() as folder:
        path = _table(Path(folder) / "normal.parquet", "normal", large)
        case = f"front, {words} rows x 2, Parquet"
        whole = min(float(_run("-c", WHOLE, path)) for _ in range(2))
        one, two = (_command("front", path, "--workers", workers) for workers in (1, 2))
        yield speed_up(f"{case}, one process", (one[0], whole), "whole in memory")
        yield speed_up(f"{case}, two processes", (two[0], whole), "whole in memory")
        yield stated(f"{case}, peak memory of a process", max(one[1], two[1]), "MiB", below=256)
        path.unlink()
        path = _table(Path(folder) / "short.csv", "short", large)
        for workers in (1, 2):
            yield from _figures(f"front, {words} rows x 2, CSV, --workers {workers}", "front", path, workers)
        path.unlink()
        path = _table(Path(folder) / "named.parquet", "named", 10**7 if full else 10**6)
        yield from _figures(f"front, {'10^7' if full else '10^6'} named rows x 2, Parquet", "front", path, 1)
        path.unlink()
        path = _table(Path(folder) / "all.parquet", "everyone", 10**7 if full else 10**6)
        case = f"front, {'10^7' if full else '10^6'} rows x 2, all of them Pareto"
        yield from _figures(case, "front", path, 1, gibibytes=6 if full else 4)
        path.unlink()
        path = _table(Path(folder) / "long.parquet", "long", 10**8 if full else 10**6)
        for workers in (1, 2):
            case = f"analyse --final, {'10^8' if full else '10^6'} rows x 2, {DESIGNS} designs, --workers {workers}"
            yield from _figures(case, "analyse", path, workers, "--objectives", "a,b", "--final")


def _figures(
    case: str, command: str, path: Path, workers: int, *options: object, gibibytes: int = LIMIT
) -> Iterator[Row]:
    seconds, peak = _command(command, path, "--workers", workers, *options, gibibytes=gibibytes)
    yield alone(case, seconds, f"{peak:.0f} MiB" if peak else "")


def _command(*arguments: object, gibibytes: int = LIMIT) -> tuple[float, float]:
    """Seconds by the clock on the wall, since processes and the disk take part, and MiB of the largest process."""
    failed, seconds, peak = json.loads(_run("-c", COMMAND, gibibytes, *arguments))
    if failed:
        raise RuntimeError(f"conewise {' '.join(map(str, arguments))} ended with {failed}.")
    return seconds, peak


def _run(*arguments: object) -> str:
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _table(path: Path, kind: str, n: int) -> Path:
    """Written a million rows at a time, so that making it takes no more memory than reading it."""
    rng = np.random.default_rng(0)
    writer = None
    for start in range(0, n, STEP):
        part = pyarrow.table(_columns(kind, start, min(STEP, n - start), rng))
        if writer is None and path.suffix == ".csv":
            plain = pyarrow.csv.WriteOptions(quoting_style="none")
            writer = pyarrow.csv.CSVWriter(path, part.schema, write_options=plain)
        elif writer is None:
            writer = pyarrow.parquet.ParquetWriter(path, part.schema)
        writer.write_table(part)
    writer.close()
    return path


def _columns(kind: str, start: int, n: int, rng: np.random.Generator) -> dict[str, object]:
    if kind == "everyone":
        first = rng.random(n)
        return {"a": first, "b": 1 - first}
    values = rng.normal(size=(n, 2))
    if kind == "normal":
        return {"a": values[:, 0], "b": values[:, 1]}
    if kind == "long":
        which = rng.integers(0, DESIGNS, n)
        values = np.round(values + np.column_stack([np.sin(which), np.cos(which)]), 3)
        names = pyarrow.array([f"d{k}" for k in range(DESIGNS)]).take(pyarrow.array(which))
        return {"design": names, "a": values[:, 0], "b": values[:, 1]}
    values = np.round(values, 3)
    names = {"name": [f"d{k}" for k in range(start, start + n)]} if kind == "named" else {}
    return {**names, "a": values[:, 0], "b": values[:, 1]}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streams")
    parser.add_argument("--full", action="store_true", help="10^8 rows")
    for row in rows(parser.parse_args().full):
        print(
            f"{row.case:<70} {row.ours:>9}  {row.peer:<24} {row.ratio:>15}  {row.target:<10} {row.verdict}", flush=True
        )
