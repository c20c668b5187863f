"""Claims at scale: an identification from end to end, the simulator included, by the clock on the wall and in memory.

The instance is `data.mostly_beaten`: three objectives, all but 1000 designs clearly beaten after a few looks. The run
has a process of its own, both cores and a limited address space; the answer is checked against the true means. As a
script: one run, python -m benchmarks.large 100000.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import conewise as cw
from benchmarks import data
from benchmarks.footprint import STATUS, peak_mebibytes
from benchmarks.measure import Row, alone, duration, stated

CONTENDERS = 1000
MOST_MEMORY = 16 * 2**30
"""Of addresses, so that a run that went wrong ends by itself; the claim is about memory that is really used."""


@dataclass(frozen=True)
class Claim:
    """So many designs in so many seconds by the clock on the wall, mebibytes, and seconds of CPU time."""

    designs: int
    seconds: float
    mebibytes: float = 2048
    cpu: float | None = None
    """None where nothing is claimed of it."""


CLAIMS = (Claim(10**5, 20), Claim(10**6, 300, cpu=30))
PATIENCE = 5
"""A run is given up after so many times its claim; it has missed it long before."""


def rows(claims: tuple[Claim, ...] = CLAIMS) -> Iterator[Row]:
    for claim in claims:
        case = f"identify, K = {claim.designs}, D = 3, all but {CONTENDERS} clearly beaten, epsilon = {data.EPSILON:g}"
        found = in_a_process(claim.designs, patience=PATIENCE * claim.seconds)
        if isinstance(found, str):
            yield Row(case, found, "", "", f"< {claim.seconds:g} s", False)
            continue
        told = f"{found['evaluations']} evaluations in {found['rounds']} rounds, {found['returned']} returned"
        if not found["success"]:
            yield Row(f"{case} ({told})", "wrong answer", "", "", f"< {claim.seconds:g} s", False)
            continue
        wall = stated(f"{case}, wall ({told})", found["wall"], "s", below=claim.seconds)
        yield wall
        cpu = alone(f"{case}, CPU", found["cpu"], f"{duration(found['simulating'])} of the wall in the simulator")
        if claim.cpu is not None:
            cpu = replace(cpu, target=f"< {claim.cpu:g} s", met=found["cpu"] < claim.cpu)
        yield cpu
        if found["mebibytes"] is not None:
            yield stated(f"{case}, peak memory", found["mebibytes"], "MiB", below=claim.mebibytes)


def in_a_process(designs: int, *, patience: float) -> dict[str, Any] | str:
    """What one run took, or why there is nothing to tell."""
    command = [sys.executable, "-m", "benchmarks.large", str(designs)]
    both_cores = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    try:
        ran = subprocess.run(
            command,
            cwd=Path(__file__).parents[1],
            env=both_cores,
            capture_output=True,
            text=True,
            timeout=patience,
        )
    except subprocess.TimeoutExpired:
        return f"not ended after {patience:g} s"
    if ran.returncode:
        return (ran.stderr.strip().splitlines() or ["nothing said"])[-1]
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


class _Watched:
    """A problem that counts the rounds and the seconds spent in it."""

    def __init__(self, problem: cw.SimulatedBandit) -> None:
        self.problem, self.rounds, self.seconds = problem, 0, 0.0
        self.n_designs, self.dim, self.assumption = problem.n_designs, problem.dim, problem.assumption

    def evaluate(self, pulls: Any, rng: Any) -> Any:
        start = time.monotonic()
        observations = self.problem.evaluate(pulls, rng)
        self.rounds, self.seconds = self.rounds + 1, self.seconds + time.monotonic() - start
        return observations


def identified(designs: int, contenders: int = CONTENDERS) -> dict[str, Any]:
    """One run: wall and CPU seconds from the problem to the answer, peak memory, and whether the answer is right."""
    problem = _Watched(data.mostly_beaten(designs, contenders))
    start, cpu = time.monotonic(), time.process_time()
    result = cw.identify(problem, data.ORTHANT, epsilon=data.EPSILON, delta=data.DELTA, rng=0)
    found = {
        "wall": time.monotonic() - start,
        "cpu": time.process_time() - cpu,
        "mebibytes": peak_mebibytes() if STATUS.exists() else None,
        "simulating": problem.seconds,
        "rounds": problem.rounds,
        "evaluations": result.evaluations,
        "returned": len(result.indices),
    }
    verdict = cw.verdict(result.pareto, problem.problem.means, data.ORTHANT, data.EPSILON)
    return {**found, "success": bool(verdict) and bool(result.guarantee)}


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    print(json.dumps(identified(int(sys.argv[1]))))
