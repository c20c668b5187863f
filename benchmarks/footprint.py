"""What an import and a million designs cost: stated figures. As a script: the peak memory of one function.

python -m benchmarks.footprint pareto_mask Gaussian
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import conewise as cw
from benchmarks import data
from benchmarks.measure import Row, share, stated

STATUS = Path("/proc/self/status")
"""Where Linux keeps a process's peak memory; elsewhere the memory rows are left out."""

FUNCTIONS = {
    "pareto_mask": cw.pareto_mask,
    "suboptimality_gaps": cw.suboptimality_gaps,
    "separation_gaps": cw.separation_gaps,
    "hardness": lambda points, cone: cw.hardness(points, cone, 0.05),
    "verdict": lambda points, cone: cw.verdict(np.arange(0, len(points), 2), points, cone, 0.05),
}


def rows() -> Iterator[Row]:
    yield from _imports()
    for kind in ("Gaussian", "nested"):
        for name in FUNCTIONS if STATUS.exists() else ():
            peak = in_a_process("-m", "benchmarks.footprint", name, kind)
            yield stated(f"peak memory of the process, {name}, K = 10^6, {kind}, orthant:3", peak, "MiB", below=1024)


def _imports(repeats: int = 7) -> Iterator[Row]:
    """A fresh process each time; what the interpreter itself needs is on neither side."""
    code = "import time; start = time.process_time(); import {}; print(time.process_time() - start)"
    pairs = [[in_a_process("-c", code.format(name)) for name in ("conewise", "numpy")] for _ in range(repeats)]
    ours, numpy = np.min(pairs, axis=0)
    yield share("import conewise", (ours, numpy), "numpy")
    yield stated("import conewise", ours, "s", below=0.3)


def in_a_process(*arguments: str) -> float:
    command = [sys.executable, *arguments]
    root = Path(__file__).parents[1]
    return float(subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout)


def peak_mebibytes() -> float:
    """The kernel's own high-water mark; ru_maxrss would carry over that of the process which started this one."""
    fields = dict(line.split(":", 1) for line in STATUS.read_text().splitlines())
    return int(fields["VmHWM"].split()[0]) / 1024


if __name__ == "__main__":
    FUNCTIONS[sys.argv[1]](data.cloud(sys.argv[2], 10**6, 3), data.ORTHANT)
    print(peak_mebibytes())
