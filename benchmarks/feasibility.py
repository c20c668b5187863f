"""What one stage saves where designs have levels: the same question to several rules, which meet the same noise.

*One stage* is the rule with levels. *Feasibility first* settles for every design whether it misses a level or meets its
levels within epsilon, and then identifies among those that do not miss one, with the same observations and the same
parts of delta. *Leader and challenger* is `LevelChallenger`, ours in the manner of APE (not the published e-cAPE), with
batches that grow by 5 %. `benchmarks.levels` makes the page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import conewise as cw
from conewise.border import Bools, Floats
from conewise.certificate.tuning import LEVEL_PART
from conewise.data.observations import Observations, Pulls
from conewise.noise import Gaussian, Noise
from conewise.question.question import Notion
from conewise.rules import LevelChallenger, SuccessiveElimination
from conewise.rules.contract import Result

SEED, SLACK = 20230425, 1e-12
KEPT = Path(__file__).with_name("feasibility.jsonl")


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


# -- instances ---------------------------------------------------------------------------------------------------------


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
    return Instance(np.vstack([clear, crowd]), levels, cw.Cone.orthant(2), "cover" if seed % 2 else "contain")


KINDS: dict[str, Callable[[int], Instance]] = {"random": random_instance, "crowded": crowded_instance}


# -- rules -------------------------------------------------------------------------------------------------------------


def answered(rule: SuccessiveElimination | LevelChallenger, streams: Streams) -> Result:
    """A run on these streams."""
    state: Any = rule.start()
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
        bounds = certificate.claims(state).bounds
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
        second = SuccessiveElimination(instance.asked(False, 1 - LEVEL_PART), len(left))
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


def leader_and_challenger(instance: Instance, seed: int) -> tuple[int, bool]:
    """In the manner of APE; its proven radii are those of the paper, with a growth that costs at most 5 %."""
    rule = LevelChallenger(instance.asked(True), len(instance.means), growth=0.05)
    result = answered(rule, instance.streams(seed))
    return result.evaluations, instance.is_right(result.pareto)


RULES: dict[str, Callable[[Instance, int], tuple[int, bool]]] = {
    "one stage": one_stage,
    "feasibility first": feasibility_first,
    "leader and challenger": leader_and_challenger,
}


# -- runs --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """One rule on one instance."""

    kind: str
    rule: str
    seed: int
    evaluations: int
    right: bool


def made(kind: str, rule: str, seed: int) -> Run:
    return Run(kind, rule, seed, *RULES[rule](KINDS[kind](seed), seed))


def missing(instances: int, done: Iterable[Run]) -> Iterator[Callable[[], Run]]:
    """Seed after seed, so that all rules are equally far wherever it is stopped."""
    known = {(run.kind, run.rule, run.seed) for run in done}
    for seed in range(instances):
        for kind in KINDS:
            for rule in RULES:
                if (kind, rule, seed) not in known:
                    yield partial(made, kind, rule, seed)


SECTION = """## One stage against feasibility first

*Feasibility first* settles for every design whether it misses a level or meets its levels within epsilon, and then \
identifies among those that are left, with the same parts of delta, the same observations and the same noise; its \
second stage shares delta among the designs that are left alone, which flatters it. Epsilon 0.2, sigma 1, delta 0.05, \
thirty designs, `cover` and `contain`, two and three objectives. *Random*: normal means, about half of the designs \
feasible. *Crowded*: 26 lie within half of epsilon of the level. *Leader and challenger* is `LevelChallenger`: ours, \
in the manner of APE (Kone, Kaufmann and Richert 2023), with levels and with proven radii; it is not the published \
e-cAPE of 2025, whose statement was not at hand.

| instances | number | rule | evaluations over one stage: least | median | most | right |
|---|--:|---|--:|--:|--:|--:|
"""


def section(done: list[Run]) -> str:
    """How many evaluations each rule took, as multiples of one stage, on instances that both have."""
    first = next(iter(RULES))
    rows = []
    for kind in KINDS:
        ours = {run.seed: run.evaluations for run in done if (run.kind, run.rule) == (kind, first)}
        for rule in RULES:
            mine = [run for run in done if (run.kind, run.rule) == (kind, rule) and run.seed in ours]
            if mine:
                ratios = np.array([run.evaluations / ours[run.seed] for run in mine])
                rows.append(
                    f"| {kind} | {len(mine)} | {rule} | {ratios.min():.2f} | {np.median(ratios):.2f} | "
                    f"{ratios.max():.2f} | {sum(run.right for run in mine)} |"
                )
    return SECTION + "\n".join(rows) + "\n"
