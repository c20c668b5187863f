"""Our rule with a model beside published ones on the same posterior, and beside VOPy's own.

    python -m benchmarks.rules [--runs 20] [--only TEXT] [--processes 2] [--write]

Standardised tables, sigma 0.1, epsilon 0.1, delta 0.05, componentwise order, nothing known of the kernels; every
evaluation counts, and every answer is checked against the truth. `--write` puts the table into SAMPLES.md. VOPy runs in
its own environment (`make bench-peers`); what takes longer than PATIENCE there, and everything where that environment
is absent, is replayed in closed form (`benchmarks.replay`) and marked.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import conewise as cw
from benchmarks.cases import SEED
from benchmarks.elsewhere import SCRIPTS
from benchmarks.measure import PEERS_PYTHON
from benchmarks.modelled import ModelCase, brake_features, cases, network_features
from benchmarks.replay import Replay

PAGE = Path(__file__).with_name("SAMPLES.md")
BEGIN, END = "<!-- rules with a model -->", "<!-- end of rules with a model -->"
PATIENCE = 600.0
"""CPU seconds of one run of VOPy."""
MOST = 1000
"""Evaluations after which an acquisition is stopped; nothing else is."""
MOST_REPLAYED = 40_000
TABLES = {"disc brake, 4 features": "DiscBrake", "SNW, 3 features": "SNW"}


@dataclass(frozen=True)
class Found:
    """One run."""

    evaluations: int
    ended: bool
    right: bool
    promised: bool
    seconds: float
    replayed: bool = False


def ours(algorithm: str, case: ModelCase, seed: int, **options: Any) -> Found:
    start = time.process_time()
    asked: dict[str, Any] = {"epsilon": case.epsilon, "delta": case.delta, "model": case.model, "seed": seed}
    result = cw.identify(case.problem, case.cone, algorithm=algorithm, rng=seed, **asked, **options)
    ended = "undecided" not in result.status.tolist()
    return _found(case, result.pareto, result.evaluations, ended, bool(result.guarantee), start)


def theirs(name: str, contraction: float | None, case: ModelCase, seed: int) -> Found:
    """VOPy itself where it is there, may be asked (a root instead of a contraction it does not know) and ends."""
    table = TABLES[case.name]
    if contraction is not None and PEERS_PYTHON.exists():
        command = [PEERS_PYTHON, SCRIPTS / "vopy_models.py", name, table, contraction, seed, PATIENCE]
        ran = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        if ran.returncode:
            raise RuntimeError(f"VOPy failed: {ran.stderr.strip().splitlines()[-1]}")
        said = json.loads(ran.stdout.splitlines()[-1])
        if said["ended"]:
            mask = np.isin(np.arange(case.problem.n_designs), said["returned"])
            right = bool(cw.verdict(mask, case.problem.means, case.cone, case.epsilon))
            return Found(said["evaluations"], True, right, False, said["seconds"])
    start = time.process_time()
    made = replay_of(table)
    if name == "VOGP":
        count, mask, ended = made.vogp(contraction or 1.0, seed, MOST_REPLAYED)
    else:
        count, mask, ended = made.paveba(contraction, seed, MOST_REPLAYED)
    return _found(case, mask, count, ended, False, start, replayed=True)


def _found(
    case: ModelCase,
    mask: np.ndarray,
    evaluations: int,
    ended: bool,
    promised: bool,
    start: float,
    *,
    replayed: bool = False,
) -> Found:
    right = ended and bool(cw.verdict(mask, case.problem.means, case.cone, case.epsilon))
    return Found(evaluations, ended, right, promised and ended, time.process_time() - start, replayed)


@cache
def replay_of(table: str) -> Replay:
    case = next(case for case in cases() if TABLES.get(case.name) == table)
    features = brake_features() if table == "DiscBrake" else network_features()
    scaled = (features - features.min(axis=0)) / np.ptp(features, axis=0)
    return Replay(np.asarray(case.problem.means), scaled, 0.1**2, case.epsilon, case.delta)


def _rule(algorithm: str, **options: Any) -> Callable[[ModelCase, int], Found]:
    return lambda case, seed: ours(algorithm, case, seed, **options)


def _vopy(name: str, contraction: float | None) -> Callable[[ModelCase, int], Found]:
    return lambda case, seed: theirs(name, contraction, case, seed)


ROWS: dict[str, Callable[[ModelCase, int], Found]] = {
    "**model**": _rule("model"),
    "VOGP, practical radius, batches of 2%": _rule("vogp", radius="practical", growth=0.02),
    "VOGP, proven radius, batches of 5%": _rule("vogp", radius="proven", growth=0.05),
    "epsilon-PAL, practical radius, batches of 2%": _rule("epal", radius="practical", growth=0.02),
    "epsilon-PAL, proven radius, batches of 5%": _rule("epal", radius="proven", growth=0.05),
    f"hypervolume improvement, at most {MOST}": _rule("ehvi", max_evaluations=MOST),
    f"frontier entropy, at most {MOST}": _rule("pfes", max_evaluations=MOST),
    "VOPy VOGP, default radius (beta^2 / 32)": _vopy("VOGP", 32),
    "VOPy VOGP, proven radius": _vopy("VOGP", 1),
    "VOPy PaVeBa-GP, default radius (alpha / 32)": _vopy("PaVeBaGP", 32),
    "VOPy PaVeBa-GP, proven radius (root of alpha)": _vopy("PaVeBaGP", None),
}


def one(name: str, place: int, seed: int) -> Found:
    """One run, in whatever process."""
    return ROWS[name](cases()[place], seed)


def measured(runs: int, only: str, processes: int) -> dict[tuple[str, str], list[Found]]:
    """By case and row; the two tables with features alone."""
    wanted = [
        (name, place, case.name)
        for place, case in enumerate(cases())
        if case.name in TABLES
        for name in ROWS
        if only in f"{case.name}, {name}"
    ]
    with ProcessPoolExecutor(processes) as pool:
        jobs = {
            (case, name): [pool.submit(one, name, place, SEED + seed) for seed in range(runs)]
            for name, place, case in wanted
        }
        return {key: [job.result() for job in some] for key, some in jobs.items()}


def table(found: dict[tuple[str, str], list[Found]]) -> Iterator[str]:
    """One block a case."""
    for case in dict.fromkeys(case for case, _ in found):
        yield f"### {case}\n"
        yield "| rule | evaluations (mean) | std. error | ended | right | promised | CPU s a run | |"
        yield "|---|--:|--:|--:|--:|--:|--:|---|"
        for (where, name), runs in found.items():
            if where == case:
                counts = np.array([run.evaluations for run in runs], dtype=float)
                error = f"{counts.std(ddof=1) / np.sqrt(len(counts)):.2g}" if len(counts) > 1 else ""
                ended, right, promised = (
                    f"{sum(getattr(run, what) for run in runs)}/{len(runs)}" for what in ("ended", "right", "promised")
                )
                seconds = np.mean([run.seconds for run in runs])
                mark = "replayed" if any(run.replayed for run in runs) else ""
                yield (
                    f"| {name} | {counts.mean():.4g} | {error} | {ended} | {right} | {promised} | {seconds:.1f} "
                    f"| {mark} |"
                )
        yield ""


def page(lines: list[str], runs: int) -> str:
    """SAMPLES.md with this section in its place, or at its end."""
    text = PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    tail = rest.partition(END)[2]
    intro = (
        f"## Rules with a model\n\nMade by `python -m benchmarks.rules --runs {runs} --write` on "
        f"{date.today():%d %B %Y}, seeds from {SEED} on. Standardised tables, sigma 0.1, epsilon 0.1, delta 0.05, "
        "componentwise; the model is `Smooth(features)`, a mixture, for which the theorems of VOGP and epsilon-PAL "
        "promise nothing. *right* counts answers that are finished and succeed; VOPy's own rules fit their kernels to "
        "the noise-free values of all designs. *replayed*: the rule as VOPy has it, from closed forms, where a run "
        "takes longer than ten minutes or VOPy was not there; PaVeBa-GP multiplies standard deviations by alpha where "
        "its proof has the root, and the root is not something that VOPy can be asked for."
    )
    return f"{head.rstrip()}\n\n{BEGIN}\n{intro}\n\n" + "\n".join(lines).rstrip() + f"\n{END}\n{tail.lstrip()}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--only", default="", help="part of a case and a rule, as in 'SNW, 3 features, **model**'")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", action="store_true", help=f"write the section in {PAGE.name}")
    options = parser.parse_args(arguments)
    if options.write and options.only:
        parser.error("--write takes all rows: leave out --only")
    lines = list(table(measured(options.runs, options.only, options.processes)))
    print("\n".join(lines))
    if options.write:
        PAGE.write_text(page(lines, options.runs), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
