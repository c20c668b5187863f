"""Simulated deciders: how many designs a few questions leave, and how often a person's own best one is among them.

    python -m benchmarks.deciders [--runs 200] [--write]

A decider has a weighting, drawn evenly, and prefers the design that is better under it. Designs are drawn anew for
every decider, but for the sorting networks, which are what they are. Seeds start at SEED, and chose nothing. `--write`
puts the table into docs/preferences.md. A section of `python -m benchmarks` has what statements and questions take.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import beta

import conewise as cw
from benchmarks import commits
from benchmarks.measure import Row, cpu_seconds, stated
from benchmarks.sections import write
from conewise.problems import load

PAGE = Path(__file__).resolve().parent.parent / "docs" / "preferences.md"
HEADING = "## How much questions leave, measured"
SEED = 20190226


@dataclass(frozen=True)
class Case:
    """One kind of designs and answers."""

    name: str
    questions: int
    at_most: float
    """How many designs may be left, on average."""
    networks: bool = False
    n_designs: int = 500


@dataclass(frozen=True)
class Decider:
    """What became of one person's answers."""

    before: int
    left: int
    kept: bool
    """Whether the person's own best design remains."""


CASES = (
    Case("500 random designs, 3 objectives", 3, 5),
    Case("206 sorting networks (SNW), 2 objectives", 3, 2, networks=True),
)


def decided(case: Case, number: int) -> Decider:
    """The decider of that number, asked to the end."""
    rng = np.random.default_rng([SEED, CASES.index(case) if case in CASES else len(CASES), number])
    means = load("snw").means if case.networks else rng.normal(size=(case.n_designs, 3))
    weights = rng.dirichlet(np.ones(means.shape[1]))
    said = nothing = cw.Preferences([f"f{d}" for d in range(means.shape[1])])
    for _ in range(case.questions):
        if (pair := said.ask(means)) is None:
            break
        i, j = pair if ((means[pair[0]] - means[pair[1]]) @ weights >= 0) else pair[::-1]
        said = said.prefers(means[i], over=means[j])
    remains = said.remaining(means)
    before = int(nothing.remaining(means).sum())
    return Decider(before, int(remains.sum()), bool(remains[(means @ weights).argmax()]))


def statements(number: int = 200, dim: int = 5) -> cw.Cone:
    """The cone of so many choices of one person in so many objectives."""
    rng = np.random.default_rng(SEED)
    weights, said = rng.dirichlet(np.ones(dim)), cw.Preferences([f"f{d}" for d in range(dim)])
    for one, other in rng.normal(size=(number, 2, dim)):
        better, worse = (one, other) if weights @ one > weights @ other else (other, one)
        said = said.prefers(better, over=worse)
    return said.cone


def rows() -> Iterator[Row]:
    """What statements and questions take."""
    statements(3)
    yield stated("200 choices in 5 objectives, said and made a cone", _least(statements), "s", below=1)
    means = np.random.default_rng(SEED).normal(size=(500, 3))
    said = cw.Preferences(["a", "b", "c"])
    said.ask(means)
    yield stated("the first question, 500 designs, 3 objectives", _least(lambda: said.ask(means)), "s", below=1)


def _least(work: Callable[[], object]) -> float:
    return min(cpu_seconds(work) for _ in range(3))


def table(runs: int) -> list[str]:
    """A line for each case, with exact 95 % intervals of how often the best design was kept."""
    lines = [
        "| designs and answers | questions | Pareto optimal before | left | at most | own best kept | at least |",
        "|---|--:|--:|--:|--:|---|--:|",
    ]
    for case in CASES:
        found = [decided(case, number) for number in range(runs)]
        kept = sum(each.kept for each in found)
        low = beta.ppf(0.025, kept, runs - kept + 1) if kept else 0.0
        high = beta.ppf(0.975, kept + 1, runs - kept) if kept < runs else 1.0
        lines.append(
            f"| {case.name} | {case.questions} | {np.mean([e.before for e in found]):.1f} "
            f"| {np.mean([e.left for e in found]):.1f} | {case.at_most:g} "
            f"| {kept} of {runs} ({low:.1%} to {high:.1%}) | 100% |"
        )
    return [line.replace("%", " %") for line in lines]


def main(arguments: list[str] | None = None, say: Callable[[str], None] = print) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    chosen = parser.parse_args(arguments)
    found = table(chosen.runs)
    say("\n".join(found))
    if chosen.write:
        how = (
            f"Made by `python -m benchmarks.deciders --runs {chosen.runs} --write`: simulated deciders, each with a "
            f"weighting of its own, drawn evenly, asked as `ask` proposes; seeds from {SEED} on. Intervals are exact, "
            f"95 %. {commits.here()}"
        )
        write("deciders", [HEADING, "", how, "", *found], PAGE)


if __name__ == "__main__":
    main()
