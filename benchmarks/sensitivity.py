"""What halving or doubling each tuned number of the certificate costs: whether any of them hangs by a thread.

Every number is changed alone, on an instance on which it does something; runs are paired by common random numbers
(`benchmarks.paired`), with seeds from SEED on, and a ratio has as many as it needs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from benchmarks import commits
from benchmarks.ablation import SEED, instances, measured
from benchmarks.paired import RULE, Ratio
from benchmarks.sections import PAGE, write
from conewise.certificate.tuning import TUNING, Tuning

SNW, EASY, EXACT = "SNW, 90 degrees, eps 0.1", "standardised SNW, 90 degrees, eps 0.1", "random 20x4, exact"
CHECKED: dict[str, tuple[str, ...]] = {
    "lag": (SNW, EASY, EXACT),
    "pilot_worth": (EASY,),
}
"""Each number with the instances on which it is changed."""


def changed(name: str, factor: float) -> Tuning:
    """Return the tuning with one number multiplied."""
    value = getattr(TUNING, name)
    return replace(TUNING, **{name: value * factor})


@cache
def evaluations(case: str, tuning: Tuning, number: int) -> int:
    """Of one run on an instance."""
    instance = next(each for each in instances() if each.name == case)
    return measured(instance, tuning, number)[0]


def ratio(case: str, tuning: Tuning, runs: int) -> Ratio:
    """To the numbers as they are, from pairs of runs until it is settled, or from so many."""
    pairs: list[tuple[int, int]] = []
    for number in range(runs):
        pairs.append((evaluations(case, tuning, number), evaluations(case, TUNING, number)))
        found = Ratio.of(*zip(*pairs, strict=True))
        if found.settled:
            break
    return found


def table(runs: int) -> Iterator[str]:
    """One line a number and instance."""
    yield "| number | is | instance | halved | doubled |"
    yield "|---|--:|---|--:|--:|"
    for name, cases in CHECKED.items():
        for case in cases:
            halved, doubled = (ratio(case, changed(name, factor), runs) for factor in (0.5, 2))
            yield f"| `{name}` | {getattr(TUNING, name):.3g} | {case} | {halved} | {doubled} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=40, help="at most, of a ratio")
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
            f"(standard errors in brackets). {RULE}, or {options.runs} of them are made. Any valid number "
            f"keeps the proof. {commits.here()}"
        )
        write("sensitivity", ["## What halving or doubling a tuned number costs", "", intro, "", *lines])
    return 0


if __name__ == "__main__":
    sys.exit(main())
