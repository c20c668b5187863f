"""The whole reproduction of the paper against one run of one cell elsewhere, per cell and run."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import conewise as cw
from benchmarks.measure import VOPY_PYTHON, Row, cpu_seconds, speed_up
from conewise.experiments.papers import ararat_tekin_2023 as paper
from conewise.experiments.papers.ararat_tekin_2023_tables import ANGLES, EPSILONS, LEVELS
from conewise.studies import identify

RUNS = 100
LEVEL = 1000
TURNS = 3


def rows() -> Iterator[Row]:
    cells = len(ANGLES) * len(LEVELS) * len(EPSILONS)
    ours: list[float] = []
    theirs: list[float] = []
    for turn in range(TURNS):
        ours.append(cpu_seconds(lambda: paper.reproduce(runs=RUNS)) / (RUNS * cells))
        if turn == 0 or theirs:
            theirs += _vopy()
    case = f"reproduce, {RUNS} runs of {cells} cells, a cell-run"
    if theirs:
        yield speed_up(case, (min(ours), min(theirs)), f"VOPy NaiveElimination, L = {LEVEL}", at_least=10_000)
        return
    problem, cone = cw.problems.load("snw"), cw.Cone.planar(90)
    own = cpu_seconds(
        lambda: identify(problem, cone, epsilon=0.1, delta=0.01, algorithm="naive", evaluations_each=LEVEL, rng=0)
    )
    yield speed_up(case, (min(ours), own), "VOPy absent (make bench-peers); our own identify")


def _vopy() -> list[float]:
    """CPU seconds of one run; nothing where VOPy is not installed."""
    if not VOPY_PYTHON.exists():
        return []
    script = Path(__file__).parent / "peers" / "vopy_naive.py"
    ran = subprocess.run([VOPY_PYTHON, script, "90", str(LEVEL)], capture_output=True, text=True)
    return [] if ran.returncode else [float(ran.stdout.split()[0])]
