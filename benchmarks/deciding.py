"""What deciding costs: CPU time of ask and tell, a round and an evaluation, for every sampling rule, K = 10^2..10^6.

The simulator's own time is left out. The instance is `data.mostly_beaten`: all but a tenth of the designs (1000 at
most) are beaten after a look or two. A run is cut after so many rounds or seconds; each runs in a process of its own
with limited memory, and a rule goes on to ten times the designs only if it stayed within its time. As a script: one
run, python -m benchmarks.deciding elimination 1000.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.measure import Row, alone, duration
from conewise.question.question import Question
from conewise.rules import SequentialHalving, SequentialRejects
from conewise.studies.rules import build

SIZES = tuple(10**power for power in range(2, 7))
PAIRWISE_SIZES = (100, 1000, 3000)
"""Of the rules that keep every pair of designs: beyond 3000 they refuse and name the rule to take instead."""
FIXED_BUDGET: dict[str, Callable[..., Any]] = {"EGE-SR": SequentialRejects, "EGE-SH": SequentialHalving}
RULES: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(("elimination", "naive"), SIZES),
    **dict.fromkeys(("ape", "auer", "paveba", "psips", *FIXED_BUDGET), (*PAIRWISE_SIZES, 10**4)),
}
EVALUATIONS_EACH = 100
"""Of the naive rule, and on average of the rules with a fixed budget."""
ROUNDS = 40
SECONDS = 3.0
"""CPU seconds, the simulator's included, after which a run is cut between two rounds."""
PATIENCE = 20.0
"""Seconds by the clock after which a run is ended within a round."""
MOST_MEMORY = 6 * 2**30


def rows(rules: Mapping[str, Sequence[int]] = RULES) -> Iterator[Row]:
    for rule, sizes in rules.items():
        for size in sizes:
            case = f"{rule}, K = {size}"
            found = _in_a_process(rule, size)
            if isinstance(found, str):
                yield alone(case, "not measured", found)
                break
            yield row_of(case, found)


def row_of(case: str, found: dict[str, Any]) -> Row:
    each = found["deciding"] / found["rounds"]
    how = "to the end" if found["finished"] else "cut"
    plural = "" if found["rounds"] == 1 else "s"
    case += f", {found['rounds']} round{plural} ({how}), {found['evaluations']} evaluations"
    slowest = f"slowest {duration(found['slowest'])}"
    an_evaluation = f"{duration(found['deciding'] / found['evaluations'])} an evaluation"
    return Row(case, f"{duration(each)} a round", slowest, an_evaluation, "", None)


def _in_a_process(rule: str, size: int) -> dict[str, Any] | str:
    command = [sys.executable, "-m", "benchmarks.deciding", rule, str(size)]
    try:
        ran = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return f"stops here: not through the first rounds after {PATIENCE:g} s, simulator included"
    if ran.returncode:
        last = (ran.stderr.strip().splitlines() or ["nothing said"])[-1]
        if "MemoryError" in last:
            return f"stops here: more than {MOST_MEMORY >> 30} GiB"
        return f"stops here: {last.split(': ', 1)[-1].rstrip('.')}"
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def algorithm(rule: str, size: int, noise: Any) -> Any:
    """The rule for the common question; those with a fixed budget get as much as the naive one evaluates."""
    if rule in FIXED_BUDGET:
        return FIXED_BUDGET[rule](data.ORTHANT, EVALUATIONS_EACH * size, size, noise)
    options = {"evaluations_each": EVALUATIONS_EACH} if rule == "naive" else {}
    return build(rule, Question(data.ORTHANT, data.EPSILON, data.DELTA, noise), size, options)


def measured(rule: str, size: int, *, rounds: int = ROUNDS, seconds: float = SECONDS) -> dict[str, Any]:
    """So many rounds of a run: CPU seconds of ask and tell, evaluations, and whether it finished by itself."""
    problem = data.mostly_beaten(size, max(1, min(1000, size // 10)))
    chosen, rng = algorithm(rule, size, problem.assumption), np.random.default_rng(0)
    began, state, evaluations = time.process_time(), chosen.start(), 0
    times: list[float] = []
    finished = False
    while len(times) < rounds and time.process_time() - began < seconds:
        start = time.process_time()
        pulls = chosen.ask(state)
        asked = time.process_time() - start
        if not pulls.total:
            finished = True
            break
        observations = problem.evaluate(pulls, rng)
        start = time.process_time()
        state = chosen.tell(state, observations)
        times.append(asked + time.process_time() - start)
        evaluations += pulls.total
    return {
        "rounds": len(times),
        "evaluations": evaluations,
        "deciding": sum(times),
        "slowest": max(times),
        "finished": finished,
    }


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    print(json.dumps(measured(sys.argv[1], int(sys.argv[2]))))
