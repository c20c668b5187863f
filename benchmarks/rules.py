"""Our rule with a model beside published ones on the same posterior, and beside VOPy's own.

    python -m benchmarks.rules [--runs 20] [--only TEXT] [--minutes 40] [--patience 600] [--replay] [--write]

Standardised tables, sigma 0.1, epsilon 0.1, delta 0.05, componentwise order, nothing known of the kernels; every
evaluation counts, and every answer is checked against the truth. Every run is a line of benchmarks/rules.jsonl and is
never made twice; `--write` puts the table of them into SAMPLES.md. VOPy runs in its own environment (`make
bench-peers`). A rule that it does not end within `--patience` CPU seconds, and everything with `--replay` or where that
environment is absent, is replayed in closed form (`benchmarks.replay`) and marked.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import conewise as cw
from benchmarks import lines, vopy
from benchmarks.cases import SEED
from benchmarks.measure import VOPY_PYTHON
from benchmarks.modelled import ModelCase, brake_features, cases, network_features
from benchmarks.replay import Replay
from benchmarks.sections import PAGE, write

KEPT = Path(__file__).with_name("rules.jsonl")
MOST = 1000
"""Evaluations after which an acquisition is stopped; nothing else is."""
MOST_REPLAYED = 40_000
FEATURES = {"disc brake, 4 features": brake_features, "SNW, 3 features": network_features}
SIGMA = 0.1


@dataclass(frozen=True)
class Found:
    """One run."""

    evaluations: int
    ended: bool
    right: bool
    promised: bool
    seconds: float
    replayed: bool = False
    each: float = 0.0
    """CPU seconds that VOPy itself took an evaluation, whether it ended or not; 0 where it was not asked."""


@dataclass(frozen=True, kw_only=True)
class Run(Found):
    """A line of the file."""

    case: str
    rule: str
    seed: int


def ours(algorithm: str, case: ModelCase, seed: int, **options: Any) -> Found:
    start = time.process_time()
    asked: dict[str, Any] = {"epsilon": case.epsilon, "delta": case.delta, "model": case.model, "seed": seed}
    result = cw.identify(case.problem, case.cone, algorithm=algorithm, rng=seed, **asked, **options)
    ended = "undecided" not in result.status.tolist()
    return _found(case, result.pareto, result.evaluations, ended, bool(result.guarantee), start)


def theirs(name: str, contraction: float | None, case: ModelCase, seed: int, patience: float) -> Found:
    """VOPy itself where it is there, may be asked (a root instead of a contraction it does not know) and ends."""
    each = 0.0
    if contraction is not None and patience > 0 and VOPY_PYTHON.exists():
        said = vopy.run(name, asked(case), contraction, seed, patience)
        each = said.seconds / said.evaluations
        if said.ended:
            return Found(said.evaluations, True, said.right(asked(case)), False, said.seconds, each=each)
    start = time.process_time()
    made = replay_of(case)
    if name == "VOGP":
        count, mask, ended = made.vogp(contraction or 1.0, seed, MOST_REPLAYED)
    else:
        count, mask, ended = made.paveba(contraction, seed, MOST_REPLAYED)
    return replace(_found(case, mask, count, ended, False, start, replayed=True), each=each)


def asked(case: ModelCase) -> vopy.Asked:
    return vopy.Asked(np.asarray(case.problem.means), FEATURES[case.name](), SIGMA, case.epsilon, case.delta)


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


def replay_of(case: ModelCase) -> Replay:
    return _replay(case.name)


@cache
def _replay(name: str) -> Replay:
    """Made once: kernels are fitted for it."""
    told = asked(next(case for case in cases() if case.name == name))
    scaled = (told.features - told.features.min(axis=0)) / np.ptp(told.features, axis=0)
    return Replay(told.means, scaled, told.sigma**2, told.epsilon, told.delta)


Make = Callable[[ModelCase, int, float], Found]
"""From a case, a seed and the patience with VOPy."""


def _rule(algorithm: str, **options: Any) -> Make:
    return lambda case, seed, patience: ours(algorithm, case, seed, **options)


def of_vopy(name: str, contraction: float | None) -> Make:
    return partial(theirs, name, contraction)


ROWS: dict[str, Make] = {
    "**model**": _rule("model"),
    "VOGP, practical radius, batches of 2%": _rule("vogp", radius="practical", growth=0.02),
    "VOGP, proven radius, batches of 5%": _rule("vogp", radius="proven", growth=0.05),
    "epsilon-PAL, practical radius, batches of 2%": _rule("epal", radius="practical", growth=0.02),
    "epsilon-PAL, proven radius, batches of 5%": _rule("epal", radius="proven", growth=0.05),
    f"hypervolume improvement, at most {MOST}": _rule("ehvi", max_evaluations=MOST),
    f"frontier entropy, at most {MOST}": _rule("pfes", max_evaluations=MOST),
    "VOPy VOGP, default radius (beta^2 / 32)": of_vopy("VOGP", 32),
    "VOPy VOGP, proven radius": of_vopy("VOGP", 1),
    "VOPy PaVeBa-GP, default radius (alpha / 32)": of_vopy("PaVeBaGP", 32),
    "VOPy PaVeBa-GP, proven radius (root of alpha)": of_vopy("PaVeBaGP", None),
}


def missing(runs: int, only: str, patience: float) -> Iterator[Callable[[], Run]]:
    """Row after row for each seed, the two tables with features alone; a rule that VOPy did not end is replayed."""
    for seed in range(SEED, SEED + runs):
        for case in cases():
            for rule in ROWS if case.name in FEATURES else ():
                done = [run for run in lines.read(KEPT, Run) if (run.case, run.rule) == (case.name, rule)]
                if only in f"{case.name}, {rule}" and seed not in {run.seed for run in done}:
                    slow = any(run.replayed and run.each for run in done)
                    yield partial(one, rule, case, seed, 0.0 if slow else patience)


def one(rule: str, case: ModelCase, seed: int, patience: float) -> Run:
    return Run(case=case.name, rule=rule, seed=seed, **asdict(ROWS[rule](case, seed, patience)))


def table(done: list[Run]) -> Iterator[str]:
    """One block a case."""
    for case in FEATURES:
        yield f"### {case}\n"
        yield "| rule | runs | evaluations (mean) | std. error | ended | right | promised | CPU ms an evaluation | |"
        yield "|---|--:|--:|--:|--:|--:|--:|--:|---|"
        for rule in ROWS:
            if runs := [run for run in done if (run.case, run.rule) == (case, rule)]:
                yield row(rule, runs)
        yield ""


def row(rule: str, runs: list[Run]) -> str:
    """Our time an evaluation, or VOPy's: that of a replay says nothing about anybody."""
    counts = np.array([run.evaluations for run in runs], dtype=float)
    error = f"{counts.std(ddof=1) / np.sqrt(len(counts)):.2g}" if len(counts) > 1 else ""
    ended, right, promised = (
        f"{sum(getattr(run, what) for run in runs)}/{len(runs)}" for what in ("ended", "right", "promised")
    )
    each = [run.each or run.seconds / run.evaluations for run in runs if run.each or not run.replayed]
    shown = f"{1000 * np.mean(each):.0f}" if each else ""
    replayed, mark = sum(run.replayed for run in runs), ""
    if replayed:
        mark = "replayed" if replayed == len(runs) else f"{replayed} of {len(runs)} replayed"
        if each:
            mark += f"; VOPy takes about {np.mean(each) * counts.mean() / 60:.0f} min a run"
    return (
        f"| {rule} | {len(runs)} | {counts.mean():.4g} | {error} | {ended} | {right} | {promised} | {shown} | {mark} |"
    )


def intro() -> list[str]:
    """What stands above the tables."""
    said = (
        f"Made by `python -m benchmarks.rules --write` on {date.today():%d %B %Y} from the "
        f"runs in benchmarks/rules.jsonl, seeds from {SEED} on; VOPy {vopy.VERSION}. Standardised tables, sigma 0.1, "
        "epsilon 0.1, delta 0.05, componentwise; the model is `Smooth(features)`, a mixture, for which the theorems of "
        "VOGP and epsilon-PAL promise nothing. *right* counts answers that are finished and succeed; VOPy's own rules "
        "fit their kernels to the noise-free values of all designs, and the value with which they start is counted. "
        "*CPU ms* are of the whole run, in one thread; VOPy's, where it did not end, of as far as it came. *replayed*: "
        "the rule as VOPy has it, from closed forms, where VOPy takes minutes or hours a run (its time a run is then "
        "its time an evaluation, where it was asked, times the evaluations replayed); PaVeBa-GP multiplies standard "
        "deviations by alpha where its proof has the root, and VOPy cannot be asked for the root. "
        f"{lines.made_with(KEPT)}"
    )
    return ["## Rules with a model", "", said, ""]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--only", default="", help="part of a case and a rule, as in 'SNW, 3 features, **model**'")
    parser.add_argument("--minutes", type=float, default=40.0, help="of CPU time of our own, after which it stops")
    parser.add_argument("--patience", type=float, default=600.0, help="CPU seconds of one run of VOPy")
    parser.add_argument("--replay", action="store_true", help="do not ask VOPy")
    parser.add_argument("--write", action="store_true", help=f"write the section in {PAGE.name}")
    options = parser.parse_args(arguments)
    patience = 0.0 if options.replay else options.patience
    lines.fill(KEPT, missing(options.runs, options.only, patience), options.minutes)
    rows = list(table(lines.read(KEPT, Run)))
    print("\n".join(rows))
    if options.write:
        write("rules with a model", [*intro(), *rows], PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
