"""Levels inside the certificate, measured: how often an answer is wrong, and what one stage saves against two.

    python -m benchmarks.levels [--runs 1000] [--instances 50] [--write]

*Failures.* Cells on a level and around it, with nobody or nearly nobody feasible, and with a design that only an
infeasible one dominates; for both notions of success, cones that keep the levels and one that does not, and every kind
of noise. Null hypothesis of a cell: an answer is wrong with probability at most DELTA, in the sense of docs/adaptive,
9.1, worked out here pair by pair. Exact binomial tests at LEVEL, fixed seeds. Each cell has a control with all radii
divided by 8; where the radii matter it must be rejected.

*Evaluations.* The same question to the rule with levels, and to *feasibility first*: settle for every design whether it
misses a level or meets its levels within epsilon, then identify among those that do not miss one, with the same
observations and the same parts of delta. Both meet the same noise.
"""

from __future__ import annotations

import argparse
import datetime
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binom

import conewise as cw
from conewise._arrays import Bools, Floats
from conewise.algorithms import SuccessiveElimination
from conewise.algorithms.contract import Result
from conewise.certificate.tuning import TUNING
from conewise.feedback import Observations, Pulls
from conewise.goals import Notion
from conewise.noise import Bounded, Gaussian, GaussianUnknown, Noise

LEVEL, SEED, DELTA, SLACK = 1e-6, 20230425, 0.1, 1e-12
STRIDE = 8.0
PAGE = Path(__file__).resolve().parent.parent / "docs" / "validation-levels.md"
FLAT, NARROW, WIDE = cw.Cone.orthant(2), cw.Cone.planar(60), cw.Cone.planar(135)
NORMAL, UNKNOWN, RANGE = Gaussian(0.5), GaussianUnknown(), Bounded(-2, 3)


def question(
    cone: cw.Cone, epsilon: float, delta: float, noise: Noise, success: Notion, levels: Floats | None
) -> cw.Question:
    """With the least acceptable values of the objectives; None for no levels."""
    names = [f"objective {d + 1}" for d in range(cone.dim)]
    least = [None] * cone.dim if levels is None else [float(b) if np.isfinite(b) else None for b in levels]
    columns = [cw.Objective(name, level=b) for name, b in zip(names, least, strict=True)]
    return cw.Question(cone, epsilon, delta, noise, success, columns)


@dataclass(frozen=True, eq=False)
class Truth:
    """What docs/adaptive, 9.1, asks of an answer, pair by pair."""

    asked: cw.Question
    spare: Floats
    """(K,): by how much a design meets its worst level."""
    front: Bools
    """(K,): the Pareto set of the feasible designs."""
    cover: Floats
    escape: Floats

    @classmethod
    def of(cls, means: Floats, levels: Floats, asked: cw.Question) -> Truth:
        spare = (means - levels).min(axis=1)
        feasible, front = np.flatnonzero(spare >= 0), np.zeros(len(means), dtype=bool)
        if len(feasible):
            front[feasible] = cw.pareto_mask(means[feasible], asked.cone)
        return cls(asked, spare, front, cw.cover_gaps(means, asked.cone), cw.escape_gaps(means, asked.cone))

    def succeeds(self, returned: Bools, epsilon: float) -> bool:
        """Both parts of the condition."""
        chosen, contain = np.flatnonzero(returned), self.asked.success == "contain"
        for i in np.flatnonzero(self.front & ~returned):
            if contain or not len(chosen) or self.cover[i, chosen].min() > epsilon + SLACK:
                return False
        rivals = np.flatnonzero(self.front)
        if contain and not self.asked.keeps_levels:
            rivals = rivals[self.spare[rivals] > epsilon]
        worst = self.escape[np.ix_(chosen, rivals)].max(initial=0.0)
        return bool(worst <= epsilon + SLACK and (self.spare[chosen] >= -epsilon - SLACK).all())


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

        Whoever is asked for gets STRIDE times what it has: fewer looks at the same boundaries.
        """
        rule, means = self.rule(scale), np.array(self.means)

        def wrong(number: int) -> bool:
            rng, state = self.rng(number), rule.start()
            while (pulls := rule.ask(state)).total:
                seen = state.counts[pulls.designs]
                more = np.maximum(pulls.counts, ((STRIDE - 1) * seen).astype(np.int64))
                more = np.minimum(more, np.maximum(rule.most_each - seen, pulls.counts))
                state = rule.tell(state, self._evaluated(Pulls(pulls.designs, more), means, rng))
                result = rule.recommend(state)
                epsilon = result.certified_epsilon
                if epsilon is not None and not self.truth.succeeds(result.pareto, epsilon):
                    return True
            return False

        return wrong

    def _evaluated(self, pulls: Pulls, means: Floats, rng: np.random.Generator) -> Observations:
        designs = np.repeat(pulls.designs, pulls.counts)
        if isinstance(self.noise, Bounded):
            low, high = np.ravel(self.noise.low)[0], np.ravel(self.noise.high)[0]
            share = (means[designs] - low) / (high - low)
            return Observations.single(designs, np.where(rng.random(share.shape) < share, high, low))
        return Observations.single(designs, means[designs] + 0.5 * rng.normal(size=(len(designs), 2)))


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


def failures(cell: Cell, runs: int, scale: float = 1.0) -> int:
    """Of so many runs."""
    wrong = cell.judge(scale)
    return sum(wrong(number) for number in range(runs))


# -- evaluations -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Instance:
    """Means, and the least acceptable values."""

    means: Floats
    levels: Floats
    cone: cw.Cone
    success: Notion
    epsilon: float = 0.2
    sigma: float = 1.0

    def asked(self, levels: bool, part: float = 1.0) -> cw.Question:
        least = self.levels if levels else None
        return question(self.cone, self.epsilon, 0.05 * part, Gaussian(self.sigma), self.success, least)

    def is_right(self, returned: Bools) -> bool:
        return Truth.of(self.means, self.levels, self.asked(True)).succeeds(returned, self.epsilon)

    def streams(self, seed: int) -> Streams:
        return Streams(self.means, self.sigma, [np.random.default_rng([SEED, seed, k]) for k in range(len(self.means))])


@dataclass(frozen=True, eq=False)
class Streams:
    """The n-th evaluation of a design is the same whoever asks for it, and whenever: so that rules meet equal noise."""

    means: Floats
    sigma: float
    sources: list[np.random.Generator]

    def evaluate(self, pulls: Pulls) -> Observations:
        parts = [
            self.means[k] + self.sigma * self.sources[k].normal(size=(n, self.means.shape[1]))
            for k, n in zip(pulls.designs.tolist(), pulls.counts.tolist(), strict=True)
        ]
        return Observations.single(np.repeat(pulls.designs, pulls.counts), np.vstack(parts))


def random_instance(seed: int) -> Instance:
    """Thirty designs from a normal distribution, about half of them feasible."""
    rng = np.random.default_rng([SEED, 1, seed])
    dim = 2 + seed % 2
    cone = cw.Cone.orthant(dim) if seed % 4 < 3 else cw.Cone.planar(60)
    means, levels = rng.normal(size=(30, cone.dim)), np.full(cone.dim, -np.inf)
    levels[0] = rng.uniform(-0.3, 0.3)
    return Instance(means, levels, cone, "cover" if seed % 3 else "contain")


def crowded_instance(seed: int) -> Instance:
    """Four designs that are clear of the level, and 26 that crowd it, within half of epsilon; most are beaten."""
    rng = np.random.default_rng([SEED, 2, seed])
    clear = np.column_stack([rng.uniform(1.0, 2.0, 4), np.sort(rng.uniform(1.0, 3.0, 4))])
    crowd = np.column_stack([rng.uniform(-0.1, 0.1, 26), rng.normal(-1.0, 1.0, 26)])
    levels = np.array([0.0, -np.inf])
    return Instance(np.vstack([clear, crowd]), levels, FLAT, "cover" if seed % 2 else "contain")


def answered(rule: SuccessiveElimination, streams: Streams) -> Result:
    """A run on these streams."""
    state = rule.start()
    while (pulls := rule.ask(state)).total:
        state = rule.tell(state, streams.evaluate(pulls))
    return rule.recommend(state)


def one_stage(instance: Instance, seed: int) -> tuple[int, bool]:
    """Evaluations of the rule with levels, and whether its answer is right."""
    rule = SuccessiveElimination(instance.asked(True), len(instance.means))
    result = answered(rule, instance.streams(seed))
    return result.evaluations, instance.is_right(result.pareto)


def feasibility_first(instance: Instance, seed: int) -> tuple[int, bool]:
    """The same in two stages: the twin, with the same parts of delta; the second goes on with what the first has told.

    The second stage shares delta among the designs that are left alone, which no proof allows: that flatters the twin.
    """
    k, streams, told = len(instance.means), instance.streams(seed), []
    rule = SuccessiveElimination(instance.asked(True), k, pilots=False)
    certificate, state = rule.certificate, rule.start()
    counts = np.array(certificate.levels.counts)
    while True:
        bounds = certificate.bounds(state)
        assert bounds is not None
        open_ = np.flatnonzero(~bounds.misses & (bounds.meet_at > instance.epsilon))
        if not len(open_):
            break
        lowest = state.reached[open_].min()
        climbing = open_[state.reached[open_] == lowest]
        told.append(streams.evaluate(Pulls(climbing, counts[lowest + 1] - state.statistics.counts[climbing])))
        state = rule.tell(state, told[-1])
    left, returned = np.flatnonzero(~bounds.misses), np.zeros(k, dtype=bool)
    returned[left] = True
    spent = state.evaluations
    if len(left) > 1:
        second = SuccessiveElimination(instance.asked(False, 1 - TUNING.level_part), len(left))
        after, place = second.start(), np.full(k, -1)
        place[left] = np.arange(len(left))
        for part in told:
            mine = np.flatnonzero(place[part.designs] >= 0)
            after = second.tell(after, part.chosen(mine, place[part.designs[mine]]))
        while (pulls := second.ask(after)).total:
            more = streams.evaluate(Pulls(left[pulls.designs], pulls.counts))
            after = second.tell(after, Observations.single(place[more.designs], more.means))
            spent += pulls.total
        returned[left] = second.recommend(after).pareto
    return spent, instance.is_right(returned)


# -- the page ----------------------------------------------------------------------------------------------------------

KINDS = {"random": random_instance, "crowded": crowded_instance}


def compared(kind: str, instances: int) -> list[tuple[int, int, bool, bool]]:
    """Evaluations in one stage and in two, and whether the answers are right."""
    found = []
    for seed in range(instances):
        instance = KINDS[kind](seed)
        (ours, right), (first, right_first) = one_stage(instance, seed), feasibility_first(instance, seed)
        found.append((ours, first, right, right_first))
    return found


def page(counted: dict[str, tuple[int, int]], runs: int, controls: int, pairs: dict[str, Any]) -> str:
    instances = max(map(len, pairs.values()))
    command = f"python -m benchmarks.levels --runs {runs} --controls {controls} --instances {instances} --write"
    lines = [
        "# Validation: levels",
        "",
        "How often an answer with [levels](objectives.md#levels) is wrong, in the sense of [adaptive, 9.1]"
        f"(adaptive.md#9-levels), at delta = {DELTA:g}; an answer counts as wrong if it was at any look, at the "
        f"epsilon that it stated then. {runs:,} runs a cell with fixed seeds; a cell passes if it is wrong no more "
        f"often than {allowed(runs)} times, the exact binomial bound at level {LEVEL:g}. Each control divides all "
        f"radii, in {controls} runs, and must be beyond its bound of {allowed(controls)}.",
        "",
        f"Made by `{command}` on {datetime.date.today().isoformat()}.",
        "",
        "| cell | success | cone | wrong | rate | radii divided by | wrong | rate |",
        "|---|---|---|--:|--:|--:|--:|--:|",
    ]
    for cell in CELLS:
        if cell.name in counted:
            bad, control = counted[cell.name]
            lines.append(
                f"| {cell.name} | {cell.success} | {cell.cone} | {bad} | {bad / runs:.3f} | {cell.shrunk:g} | "
                f"{control} | {control / controls:.3f} |"
            )
    lines += [
        "",
        "## One stage against feasibility first",
        "",
        "*Feasibility first* settles for every design whether it misses a level or meets its levels within epsilon, "
        "and then identifies among those that are left, with the same parts of delta, the same observations and the "
        "same noise; its second stage shares delta among the designs that are left alone, which flatters it. Epsilon "
        "0.2, sigma 1, delta 0.05, thirty designs, `cover` and `contain`, two and three objectives. *Random*: normal "
        "means, about half of the designs feasible. *Crowded*: 26 lie within half of epsilon of the level.",
        "",
        "| instances | number | evaluations of two stages over one: least | median | most | right, one stage | two |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for kind, found in pairs.items():
        ratios = np.array([first / ours for ours, first, _, _ in found])
        right = [sum(entry[place] for entry in found) for place in (2, 3)]
        lines.append(
            f"| {kind} | {len(found)} | {ratios.min():.2f} | {np.median(ratios):.2f} | {ratios.max():.2f} | "
            f"{right[0]} | {right[1]} |"
        )
    return "\n".join([*lines, ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--controls", type=int, default=200)
    parser.add_argument("--instances", type=int, default=50)
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    options = parser.parse_args()
    counted, wrong = {}, []
    for cell in CELLS:
        counted[cell.name] = failures(cell, options.runs), failures(cell, options.controls, 1 / cell.shrunk)
        kept = counted[cell.name][0] <= allowed(options.runs) and counted[cell.name][1] > allowed(options.controls)
        wrong += [] if kept else [cell.name]
    text = page(counted, options.runs, options.controls, {kind: compared(kind, options.instances) for kind in KINDS})
    print(text)
    for name in wrong:
        print(f"answers are wrong too often, or the control passes: {name}", file=sys.stderr)
    if options.write and not wrong:
        PAGE.write_text(text, encoding="utf-8")
        print(f"wrote {PAGE}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
