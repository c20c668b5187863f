"""The whole reproduction of the paper against one run of one cell elsewhere, per cell and run."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import conewise as cw
from benchmarks.measure import PEERS_PYTHON, Row, cpu_seconds, speed_up
from conewise.experiments.papers import ararat_tekin_2023 as paper
from conewise.experiments.papers.ararat_tekin_2023_tables import ANGLES, EPSILONS, LEVELS
from conewise.studies import identify

RUNS = 100
LEVEL = 1000


def rows() -> Iterator[Row]:
    cells = len(ANGLES) * len(LEVELS) * len(EPSILONS)
    ours = min(cpu_seconds(lambda: paper.reproduce(runs=RUNS)) for _ in range(3)) / (RUNS * cells)
    case = f"reproduce, {RUNS} runs of {cells} cells, a cell-run"
    if PEERS_PYTHON.exists():
        script = Path(__file__).parent / "peers" / "vopy_naive.py"
        answers = [
            subprocess.run([PEERS_PYTHON, script, "90", str(LEVEL)], check=True, capture_output=True, text=True).stdout
            for _ in range(3)
        ]
        theirs = min(float(answer.split()[0]) for answer in answers)
        yield speed_up(case, (ours, theirs), f"VOPy NaiveElimination, L = {LEVEL}", at_least=10_000)
        return
    problem, cone = cw.problems.load("snw"), cw.Cone.planar(90)
    theirs = cpu_seconds(
        lambda: identify(problem, cone, epsilon=0.1, delta=0.01, algorithm="naive", evaluations_each=LEVEL, rng=0)
    )
    yield speed_up(case, (ours, theirs), "VOPy absent (make bench-peers); our own identify", at_least=None)
