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
    "out_anchor": (SNW, EASY),
    "step": (SNW,),
    "lag": (SNW, EASY, EXACT),
    "pilot_part": (SNW, EXACT),
    "pilot_growth": (SNW, EXACT),
    "pilot_longest": (SNW,),
    "pilot_look": (SNW, EASY),
    "pilot_worth": (EASY,),
    "even": (SNW,),
    "even_facets": (SNW,),
    "even_rivals": (SNW,),
    "by_rank": (SNW,),
    "draws": (SNW,),
    "shortest": (SNW,),
    "shortest_ahead": (SNW, EXACT),
}
"""Each number with the instances on which it is changed. Switches, limits in designs and parts that belong together
(`contain_parts`, `fine_limits`) are the ablation's affair, or change nothing here."""


def changed(name: str, factor: float) -> Tuning:
    """With one number multiplied; of a ratio or a growth, its logarithm."""
    value = getattr(TUNING, name)
    if name in ("step", "pilot_growth"):
        return replace(TUNING, **{name: value**factor})
    if isinstance(value, tuple):
        return replace(TUNING, **{name: tuple(factor * each for each in value)})
    scaled = value * factor
    return replace(TUNING, **{name: max(1, round(scaled)) if isinstance(value, int) else scaled})


def _shown(value: float | tuple[float, ...]) -> str:
    return " / ".join(f"{each:.3g}" for each in (value if isinstance(value, tuple) else (value,)))


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
            yield f"| `{name}` | {_shown(getattr(TUNING, name))} | {case} | {halved} | {doubled} |"


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
            f"(standard errors in brackets). {RULE}, or {options.runs} of them are made. Of `step` and `pilot_growth` "
            f"the logarithm is halved or doubled. Any valid number keeps the proof. {commits.here()}"
        )
        write("sensitivity", ["## What halving or doubling a tuned number costs", "", intro, "", *lines])
    return 0


if __name__ == "__main__":
    sys.exit(main())
