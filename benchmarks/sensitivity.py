"""What halving or doubling each tuned number of the certificate costs: whether any of them hangs by a thread.

Every number is changed alone, on an instance on which it does something; runs are paired by their seeds, which come
from SEED on, so that a ratio has a standard error of its own.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from benchmarks.ablation import SEED, Instance, instances
from benchmarks.sections import PAGE, write
from conewise.algorithms import SuccessiveElimination
from conewise.certificate.tuning import TUNING, Tuning
from conewise.studies.loop import run

SNW, EASY, EXACT = "SNW, 90 degrees, eps 0.1", "standardised SNW, 90 degrees, eps 0.1", "random 20x4, exact"
CHECKED: dict[str, tuple[str, ...]] = {
    "out_anchor": (SNW, EASY),
    "spending_power": (SNW, EASY),
    "step": (SNW,),
    "near_fine": (EXACT,),
    "near_leads": (EXACT,),
    "pilot_part": (SNW,),
    "pilot_growth": (SNW,),
    "pilot_longest": (SNW,),
    "pilot_look": (SNW, EASY),
    "pilot_worth": (EASY,),
    "even": (SNW,),
    "even_facets": (SNW,),
    "even_rivals": (SNW,),
    "by_rank": (SNW,),
    "draws": (SNW,),
    "shortest": (SNW,),
    "shortest_ahead": (SNW,),
}
"""Each number with the instances on which it is changed. Switches, limits in designs and parts that belong together
(`contain_parts`, `fine_limits`) are the ablation's affair, or change nothing here."""


def changed(name: str, factor: float) -> Tuning:
    """With one number multiplied; of a ratio or a growth, its logarithm."""
    value = getattr(TUNING, name)
    if name in ("step", "pilot_growth"):
        return replace(TUNING, **{name: value**factor})
    scaled = value * factor
    return replace(TUNING, **{name: max(1, round(scaled)) if isinstance(value, int) else scaled})


def evaluations(instance: Instance, tuning: Tuning, runs: int) -> np.ndarray:
    """(runs,): of runs that end with their answer certified."""
    question, problem = instance.question, instance.problem
    most = 10**8 if question.epsilon == 0 else None
    rule = SuccessiveElimination(question, problem.n_designs, max_evaluations=most, tuning=tuning)
    found = [run(rule, problem, rng=np.random.default_rng([SEED, number])).evaluations for number in range(runs)]
    return np.array(found, dtype=float)


def ratio(ours: np.ndarray, base: np.ndarray) -> str:
    """Of the means, with the standard error of paired runs."""
    value = ours.mean() / base.mean()
    error = (ours - value * base).std(ddof=1) / base.mean() / len(base) ** 0.5
    return f"{value:.3f} ({error:.3f})"


def table(runs: int) -> Iterator[str]:
    """One line a number and instance."""
    by_name = {each.name: each for each in instances()}
    base = {name: evaluations(by_name[name], TUNING, runs) for name in (SNW, EASY, EXACT)}
    yield "| number | is | instance | halved | doubled |"
    yield "|---|--:|---|--:|--:|"
    for name, cases in CHECKED.items():
        for case in cases:
            cells = [ratio(evaluations(by_name[case], changed(name, factor), runs), base[case]) for factor in (0.5, 2)]
            yield f"| `{name}` | {getattr(TUNING, name):.3g} | {case} | {' | '.join(cells)} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--write", action="store_true", help=f"write the section in {PAGE.name}")
    options = parser.parse_args()
    lines = []
    for line in table(options.runs):
        print(line, flush=True)
        lines.append(line)
    if options.write:
        intro = (
            f"Made by `python -m benchmarks.sensitivity --runs {options.runs} --write`, with seeds from {SEED} on, of "
            "which none was used to choose a number. Evaluations as a multiple of those with the numbers as they are "
            "(standard errors of paired runs); of `step` and `pilot_growth` the logarithm is halved or doubled. Any "
            "valid number keeps the proof."
        )
        write("sensitivity", ["## What halving or doubling a tuned number costs", "", intro, "", *lines])
    return 0


if __name__ == "__main__":
    sys.exit(main())
