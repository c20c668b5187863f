"""What each mechanism of the certificate saves: evaluations with it alone, and with all others but it.

A cell is one variant on one instance: every mechanism (*all*), none, one alone, or all without one. Runs are paired by
common random numbers (`benchmarks.paired`), with seeds from SEED on, and a cell has as many as its ratio needs. What
has been measured is kept in ablation.jsonl, one line a run, and never measured twice. Cheap instances come first.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

import conewise as cw
from benchmarks import commits
from benchmarks.cases import disc_brake, random_family, two_leaders
from benchmarks.lines import CODE, made_with
from benchmarks.paired import RULE, Ratio, paired
from benchmarks.sections import PAGE, write
from conewise.certificate.tuning import TUNING, Tuning
from conewise.noise import Bounded, Gaussian, GaussianUnknown, Noise
from conewise.problems.simulated import UniformNoise
from conewise.rules import SuccessiveElimination
from conewise.studies.loop import run

SEED = 90_000
MOST = 10**8
KEPT = Path(__file__).with_name("ablation.jsonl")


@dataclass(frozen=True)
class Instance:
    """A question on a problem, with the noise that a rule is told of."""

    name: str
    problem: cw.SimulatedBandit
    question: cw.Question

    @property
    def covers(self) -> bool:
        """Whether Pareto designs are to be covered; returned otherwise."""
        return self.question.success == "cover"

    def told(self, kind: type[Noise]) -> bool:
        """Whether that is what a rule knows of the noise."""
        return isinstance(self.question.noise, kind)

    @property
    def mechanisms(self) -> list[str]:
        """Those that can make a difference here."""
        return [name for name, mechanism in OFF.items() if mechanism.works(self)]

    @property
    def variants(self) -> list[str]:
        """By name."""
        each = [f"{kind} {name}" for name in self.mechanisms for kind in ("only", "without")]
        return ["all", "none", *each]


@dataclass(frozen=True)
class Mechanism:
    """What switches it off, and on which instances it can make a difference."""

    changes: dict[str, object]
    works: Callable[[Instance], bool] = lambda instance: True


OFF: dict[str, Mechanism] = {
    "directions": Mechanism({"directions": False}, lambda case: case.covers and not case.told(Bounded)),
    "pilot weights": Mechanism({"pilots": False}),
    "timing": Mechanism({"timing": False}),
    "stepwise sure": Mechanism({"steps": False}, lambda case: not case.covers),
}
"""Every mechanism, by name; nothing else here knows them."""


def base_of(variant: str) -> str:
    """With what a variant is compared: a mechanism alone with none, all else with all."""
    return "none" if variant.startswith("only ") else "all"


@cache
def instances() -> tuple[Instance, ...]:
    """The cheap ones first."""
    found: list[Instance] = []

    def add(
        name: str, problem: cw.SimulatedBandit, cone: cw.Cone, epsilon: float, delta: float, noise: Noise | None = None
    ) -> None:
        success = "contain" if epsilon == 0 else "cover"
        assumed = problem.assumption if noise is None else noise
        found.append(Instance(name, problem, cw.Question(cone, epsilon, delta, assumed, success)))

    brakes, snw = disc_brake(), cw.problems.load("snw")
    easy = cw.SimulatedBandit((brakes - brakes.mean(axis=0)) / brakes.std(axis=0), Gaussian(0.1))
    flat = cw.Cone.orthant(2)
    add("disc brake, 90 degrees, eps 0.1", easy, flat, 0.1, 0.05)
    star = cw.SimulatedBandit(np.vstack([np.zeros(2), np.full((60, 2), -0.9)]), Gaussian(1.0))
    add("one leader of 60, eps 0.05", star, flat, 0.05, 0.1)
    small = cw.SimulatedBandit((snw.means - snw.means.mean(axis=0)) / snw.means.std(axis=0), Gaussian(0.1))
    for angle in (135, 90, 45):
        add(f"standardised SNW, {angle} degrees, eps 0.1", small, cw.Cone.planar(angle), 0.1, 0.05)
    for k, dim in ((20, 2), (20, 4), (50, 3), (100, 2)):
        add(f"random {k}x{dim}, exact", random_family(k, dim, SEED + k + dim), cw.Cone.orthant(dim), 0.0, 0.01)
    add("two leaders, exact", two_leaders(SEED), cw.Cone.orthant(3), 0.0, 0.01)
    add("random 20x2, exact, noise unknown", random_family(20, 2, SEED + 22), flat, 0.0, 0.01, GaussianUnknown())
    means = 0.3 * np.random.default_rng(SEED).normal(size=(20, 2))
    boxed = cw.SimulatedBandit(means, UniformNoise(0.4))
    box = Bounded(means.min(axis=0) - 0.4, means.max(axis=0) + 0.4)
    add("20 designs in a box, eps 0.1, bounded noise", boxed, flat, 0.1, 0.05, box)
    for angle in (135, 90, 45):
        add(f"SNW, {angle} degrees, eps 0.1", snw, cw.Cone.planar(angle), 0.1, 0.01)
    add("SNW, 90 degrees, eps 0.1, noise unknown", snw, flat, 0.1, 0.01, GaussianUnknown())
    add("random 200x3, exact", random_family(200, 3, SEED + 203), cw.Cone.orthant(3), 0.0, 0.01)
    return tuple(found)


def tuning_of(variant: str) -> Tuning:
    """With what a variant names switched off, or all else."""
    kind, _, name = variant.partition(" ")
    off = {"all": [], "none": list(OFF), "without": [name], "only": [each for each in OFF if each != name]}[kind]
    changes: dict[str, object] = {}
    for each in off:
        changes |= OFF[each].changes
    return replace(TUNING, **changes)  # type: ignore[arg-type]


def measured(instance: Instance, tuning: Tuning, number: int) -> tuple[int, bool]:
    """Evaluations of one run, and whether its answer is finished and right."""
    question, problem = instance.question, paired(instance.problem, SEED, number)
    most = MOST if question.epsilon == 0 else None
    rule = SuccessiveElimination(question, problem.n_designs, max_evaluations=most, tuning=tuning)
    result = run(rule, problem, rng=number)  # from which nothing is drawn: designs have generators of their own
    verdict = cw.verdict(result.pareto, problem.means, question.cone, question.epsilon)
    right = verdict.success and (question.success == "cover" or not len(verdict.missed))
    return result.evaluations, right and "undecided" not in result.status.tolist()


Kept = dict[tuple[str, str, int], tuple[int, bool]]


def read(path: Path = KEPT) -> Kept:
    """What has been measured."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    rows = [json.loads(line) for line in lines if line]
    return {(row["case"], row["variant"], row["run"]): (row["evaluations"], row["right"]) for row in rows}


def measure(chosen: list[Instance], runs: int, path: Path = KEPT) -> Kept:
    """Cells of these instances until their ratios are settled, with at most so many runs; each is kept as it ends."""
    found = read(path)
    for instance in chosen:
        for number in range(runs):
            unsettled = [each for each in instance.variants[1:] if not settled(found, instance.name, each)]
            if not unsettled:
                break
            wanted = {*unsettled, *map(base_of, unsettled)}
            for variant in instance.variants:
                key = instance.name, variant, number
                if variant not in wanted or key in found:
                    continue
                evaluations, right = found[key] = measured(instance, tuning_of(variant), number)
                line = {"case": key[0], "variant": variant, "run": number, "evaluations": evaluations, "right": right}
                line |= {CODE: commits.commit()}
                with path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
    return found


def settled(found: Kept, case: str, variant: str) -> bool:
    """Whether a cell needs no more runs."""
    value = ratio(found, case, variant)
    return value is not None and value.settled


def ratio(found: Kept, case: str, variant: str) -> Ratio | None:
    """Of a variant and what it is compared with; None where nothing is measured."""
    base = base_of(variant)
    numbers = [n for name, v, n in found if name == case and v == variant and (case, base, n) in found]
    if not numbers:
        return None
    return Ratio.of(*([found[case, each, n][0] for n in numbers] for each in (variant, base)))


def table(found: Kept, chosen: list[Instance]) -> Iterator[str]:
    """Lines of the table: what removing a mechanism costs, and what it saves alone."""
    yield (
        "| instance | runs | right | all (mean) | none / all | " + " | ".join(f"without {name}" for name in OFF) + " | "
    )
    yield "|---|--:|--:|--:|--:|" + "--:|" * len(OFF)
    summary: dict[str, list[float]] = {name: [] for name in OFF}
    alone: list[str] = []
    for instance in chosen:
        case = instance.name
        whole = [value for (name, variant, _), value in found.items() if name == case and variant == "all"]
        if not whole:
            continue
        right = [value[1] for (name, _, _), value in found.items() if name == case]
        cells, single = [], []
        for name in OFF:
            without, only = ratio(found, case, f"without {name}"), ratio(found, case, f"only {name}")
            cells.append(_shown(without))
            single.append(_shown(only))
            if without is not None:
                summary[name].append(without.value)
        mean = np.mean([value[0] for value in whole])
        nothing = _shown(ratio(found, case, "none"))
        yield f"| {case} | {len(whole)} | {sum(right)}/{len(right)} | {mean:.4g} | {nothing} | {' | '.join(cells)} |"
        alone.append(f"| {case} | {' | '.join(single)} |")
    means = [f"{np.exp(np.mean(np.log(values))):.3f}" if values else "" for values in summary.values()]
    yield f"| **geometric mean** | | | | | {' | '.join(means)} |"
    yield ""
    yield "Each mechanism alone, over none:"
    yield ""
    yield "| instance | " + " | ".join(OFF) + " |"
    yield "|---|" + "--:|" * len(OFF)
    yield from alone


def _shown(value: Ratio | None) -> str:
    return "" if value is None else str(value)


def intro(runs: int) -> list[str]:
    """What stands above the tables."""
    said = (
        f"Made by `python -m benchmarks.ablation --runs {runs} --write`, with the default rule and seeds from {SEED} "
        "on. Evaluations as a multiple of those with every mechanism (standard errors in brackets); empty where a "
        f"mechanism has nothing to do. {RULE}, or {runs} of them are made; *runs* are those with every mechanism. "
        f"{made_with(KEPT)}"
    )
    return ["## What each mechanism saves", "", said, ""]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100, help="at most, of a cell")
    parser.add_argument("--only", default="", help="part of an instance's name")
    parser.add_argument("--write", action="store_true", help=f"write the section in {PAGE.name}")
    options = parser.parse_args()
    chosen = [each for each in instances() if options.only in each.name]
    lines = list(table(measure(chosen, options.runs), chosen))
    print("\n".join(lines))
    if options.write:
        write("ablation", [*intro(options.runs), *lines])
    return 0


if __name__ == "__main__":
    sys.exit(main())
