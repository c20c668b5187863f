"""Levels inside the certificate, measured: how often an answer is wrong, and what one stage saves against two.

    python -m benchmarks.levels [--runs 1000] [--instances 50] [--minutes 60] [--write]

*Failures.* Cells on a level and around it, with nobody or nearly nobody feasible, and with a design that only an
infeasible one dominates; for both notions of success, cones that keep the levels and one that does not, and every kind
of noise. Null hypothesis of a cell: an answer is wrong with probability at most DELTA, in the sense of docs/adaptive,
9.1, worked out here pair by pair. Exact binomial tests at LEVEL, fixed seeds. Each cell has a control with all radii
divided by 8; where the radii matter it must be rejected.

*Evaluations.* The same question to several rules: `benchmarks.feasibility`. Everything is kept (`benchmarks.batches`),
so that a measurement may be stopped and continued; `--write` makes docs/validation-levels.md of all that is there.
"""

from __future__ import annotations

import argparse
import datetime
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np
from scipy.stats import binom

import conewise as cw
from benchmarks import feasibility, lines
from benchmarks.batches import Batch, Trial, counted, missing
from benchmarks.feasibility import SEED, Truth, question
from benchmarks.strides import ahead
from conewise.data.observations import Observations, Pulls
from conewise.noise import Bounded, Gaussian, GaussianUnknown, Noise
from conewise.question.question import Notion
from conewise.rules import SuccessiveElimination

LEVEL, DELTA = 1e-6, 0.1
STRIDE = 8.0
PAGE = Path(__file__).resolve().parent.parent / "docs" / "validation-levels.md"
KEPT = Path(__file__).with_name("levels.jsonl")
FLAT, NARROW, WIDE = cw.Cone.orthant(2), cw.Cone.planar(60), cw.Cone.planar(135)
SIGMA = 0.5
NORMAL, UNKNOWN, RANGE = Gaussian(SIGMA), GaussianUnknown(), Bounded(-2, 3)


# -- failures ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    """One question, asked again and again."""

    name: str
    means: tuple[tuple[float, float], ...]
    levels: tuple[float, float]
    cone: cw.Cone = FLAT
    success: Notion = "cover"
    noise: Noise = NORMAL
    epsilon: float = 0.3
    shrunk: float = 8.0
    """By what the control divides all radii."""

    @cached_property
    def asked(self) -> cw.Question:
        return question(self.cone, self.epsilon, DELTA, self.noise, self.success, np.array(self.levels))

    def rule(self, scale: float) -> SuccessiveElimination:
        most = None if self.epsilon > 0 else 20_000
        return SuccessiveElimination(self.asked, len(self.means), radius_scale=scale, max_evaluations=most)

    def rng(self, number: int) -> np.random.Generator:
        return np.random.default_rng([SEED, zlib.crc32(self.name.encode()), number])

    @cached_property
    def truth(self) -> Truth:
        return Truth.of(np.array(self.means), np.array(self.levels), self.asked)

    def judge(self, scale: float = 1.0) -> Callable[[int], bool]:
        """Says for the number of a run whether its answer is wrong at the epsilon that it states, at any look.

        Whoever is asked for gets STRIDE times what it has (`benchmarks.strides`).
        """
        rule = self.rule(scale)

        def wrong(number: int) -> bool:
            rng, state = self.rng(number), rule.start()
            while (pulls := rule.ask(state)).total:
                state = rule.tell(state, self._evaluated(ahead(rule, state, pulls, STRIDE), rng))
                result = rule.recommend(state)
                epsilon = result.certified_epsilon
                if epsilon is not None and not self.truth.succeeds(result.pareto, epsilon):
                    return True
            return False

        return wrong

    def _evaluated(self, pulls: Pulls, rng: np.random.Generator) -> Observations:
        if not isinstance(self.noise, Bounded):
            return cw.SimulatedBandit(self.means, Gaussian(SIGMA)).evaluate(pulls, rng)
        designs, (low, high) = np.repeat(pulls.designs, pulls.counts), (self.noise.low, self.noise.high)
        share = (np.array(self.means)[designs] - low) / (high - low)
        return Observations.single(designs, np.where(rng.random(share.shape) < share, high, low))


ON = ((0.0, 1.0), (1.0, 0.0), (0.0, 0.0), (-0.1, 2.0), (0.6, 0.6))
"""On the level of the first objective, or 0.1 below it and better than all others in the second."""
NOBODY = ((-0.05, 1.0), (1.0, -0.05), (-0.4, -0.4), (-0.05, -0.05))
ONLY = ((2.0, -0.45), (0.0, 0.0), (-0.2, 0.1), (-1.0, -1.0))
"""Under the wide cone the first dominates all others, and misses the level -0.4 of the second objective."""
SPARE = ((2.0, -0.39), (0.0, 0.0), (-0.2, 0.1), (1.0, -0.2))
"""The same with a first design that just meets it."""
TWINS = ((0.0, 0.5), (0.0, 0.5), (0.0, 0.5), (-0.01, 0.5))

CELLS = [
    Cell("on the level, cover", ON, (0.0, -9.0)),
    Cell("on the level, contain", ON, (0.0, -9.0), success="contain"),
    Cell("on both levels, narrow cone", ON, (0.0, 0.0), NARROW, "contain"),
    Cell("on the level, unknown noise", ON, (0.0, -9.0), success="contain", noise=UNKNOWN, shrunk=16.0),
    Cell("on the level, zeros and ones", ON, (0.0, -9.0), noise=RANGE, epsilon=0.6),
    Cell(
        "around the level, exactly",
        ((0.15, 1.0), (1.0, 0.2), (-0.15, 2.0)),
        (0.0, -9.0),
        epsilon=0.0,
        success="contain",
    ),
    Cell("twins on the level", TWINS, (0.0, 0.0), success="contain"),
    Cell("nobody is feasible, cover", NOBODY, (0.0, 0.0), epsilon=0.15),
    Cell("nobody is feasible, contain", NOBODY, (0.0, 0.0), success="contain", epsilon=0.15),
    Cell("nobody is feasible, unknown noise", NOBODY, (0.0, 0.0), noise=UNKNOWN, epsilon=0.15, shrunk=16.0),
    Cell("the only dominator is infeasible, cover", ONLY, (-9.0, -0.4), WIDE, epsilon=0.2),
    Cell("the only dominator is infeasible, contain", ONLY, (-9.0, -0.4), WIDE, "contain", epsilon=0.2),
    Cell("the only dominator is infeasible, unknown noise", ONLY, (-9.0, -0.4), WIDE, "contain", UNKNOWN, 0.2, 16.0),
    Cell("the dominator has hardly anything to spare, cover", SPARE, (-9.0, -0.4), WIDE, epsilon=0.2),
    Cell("the dominator has hardly anything to spare, contain", SPARE, (-9.0, -0.4), WIDE, "contain", epsilon=0.2),
]


def allowed(runs: int) -> int:
    """The largest number of failures that the exact test does not reject."""
    return int(binom.isf(LEVEL, runs, DELTA))


def trials(runs: int, controls: int) -> list[Trial]:
    """All cells."""
    return [Trial(cell.name, partial(_judged, cell), runs, controls) for cell in CELLS]


def _judged(cell: Cell, control: bool) -> Callable[[int], bool]:
    return cell.judge(1 / cell.shrunk if control else 1.0)


# -- the page ----------------------------------------------------------------------------------------------------------


def page(done: list[Batch], compared: list[feasibility.Run], runs: int) -> str:
    cells = [cell for cell in CELLS if counted(done, cell.name, False)[0]]
    controls = max((counted(done, cell.name, True)[0] for cell in cells), default=0)
    text = [
        "# Validation: levels",
        "",
        "How often an answer with [levels](objectives.md#levels) is wrong, in the sense of [adaptive, 9.1]"
        f"(adaptive.md#9-levels), at delta = {DELTA:g}; an answer counts as wrong if it was at any look, at the "
        f"epsilon that it stated then. {runs:,} runs a cell with fixed seeds; a cell passes if it is wrong no more "
        f"often than {allowed(runs)} times, the exact binomial bound at level {LEVEL:g}. Each control divides all "
        f"radii, in {controls} runs, and must be beyond its bound of {allowed(controls)}.",
        "",
        "Made by `python -m benchmarks.levels --write`, from the counts in benchmarks/levels.jsonl and the runs in "
        f"benchmarks/feasibility.jsonl, on {datetime.date.today().isoformat()}. "
        f"{lines.made_with(KEPT, feasibility.KEPT)}",
        "",
        "| cell | success | cone | runs | wrong | rate | radii divided by | wrong | rate |",
        "|---|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for cell in cells:
        (made, bad), (few, control) = (counted(done, cell.name, which) for which in (False, True))
        text.append(
            f"| {cell.name} | {cell.success} | {cell.cone} | {made} | {bad} | {bad / made:.3f} | {cell.shrunk:g} | "
            f"{control} | {control / max(few, 1):.3f} |"
        )
    return "\n".join([*text, "", feasibility.section(compared)])


def contradicted(done: list[Batch]) -> list[str]:
    """Cells that are wrong too often, or whose control passes."""
    found = []
    for cell in CELLS:
        (made, bad), (few, control) = (counted(done, cell.name, which) for which in (False, True))
        found += [cell.name] if bad > allowed(made) or (few and control <= allowed(few)) else []
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--controls", type=int, default=200)
    parser.add_argument("--instances", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=60.0, help="of CPU time for each part, after which it stops")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}, from what was measured")
    options = parser.parse_args()
    if options.minutes > 0:
        wanted = trials(options.runs, options.controls)
        lines.fill(KEPT, missing(wanted, lines.read(KEPT, Batch)), options.minutes)
        further = feasibility.missing(options.instances, lines.read(feasibility.KEPT, feasibility.Run))
        lines.fill(feasibility.KEPT, further, options.minutes)
    done = lines.read(KEPT, Batch)
    wrong = contradicted(done)
    for name in wrong:
        print(f"answers are wrong too often, or the control passes: {name}", file=sys.stderr)
    if options.write and not wrong:
        compared = lines.read(feasibility.KEPT, feasibility.Run)
        PAGE.write_text(page(done, compared, options.runs), encoding="utf-8")
        print(f"wrote {PAGE}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
