"""Is delta kept? Every rule, every notion of success it claims, instances that are easy to fail on.

    python -m benchmarks.validate [--runs 1000] [--write]

Null hypothesis of each cell: the failure probability is at most DELTA. Test: exact binomial at LEVEL with fixed seeds.
A negative control, every radius divided by 8, must be rejected on the near-ties. `--write` makes docs/validation.md.
The test suite runs the same matrix with fewer runs (tests/statistical/test_certificate.py and test_unknown_noise.py).
"""

from __future__ import annotations

import argparse
import datetime
import sys
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binom

import conewise as cw
from benchmarks import commits
from conewise.data.observations import Observations, Pulls, Statistics
from conewise.noise import Bounded, Gaussian, GaussianUnknown
from conewise.problems import GaussianNoise, NoiseSource, SimulatedBandit, UniformNoise
from conewise.question.question import notion_of
from conewise.rules import (
    AuerElimination,
    LeaderChallenger,
    NaiveElimination,
    PaVeBa,
    Result,
    SuccessiveElimination,
)
from conewise.rules.adaptive.fixed import FixedSample
from conewise.studies.loop import run

DELTA = 0.1
LEVEL = 1e-6
SEED = 20230425
EPSILON = 1.0
JUST = 1.02 * EPSILON  # a gap a little beyond epsilon: as easy to fail on as can be
GROWTH = 0.25  # batches of the published rules, as a share of what there is
PAGE = Path(__file__).resolve().parent.parent / "docs" / "validation.md"
EXACT_PAGE = PAGE.with_name("validation-exact.md")
MOST = 6000  # evaluations where ties would never end


# -- instances -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Instance:
    name: str
    cone: cw.Cone
    problem: SimulatedBandit
    each: int = 0
    """Evaluations of each design for a sample that is looked at once: about what epsilon asks for."""

    def succeeds(self, returned: np.ndarray, notion: str, epsilon: float = EPSILON) -> bool:
        """(i) and (ii) of docs/theory, section 5; `contain` asks for the whole Pareto set instead of (i)."""
        verdict = cw.verdict(returned, self.problem.means, self.cone, 0.0 if notion == "exact" else epsilon)
        return verdict.success if notion == "cover" else not len(verdict.missed) and not len(verdict.too_far)


def behind(cone: cw.Cone, steps: list[float]) -> np.ndarray:
    """Designs behind the first by so many times a gap just beyond epsilon, along the centre of the cone."""
    gain = cone.centre * JUST / (cone.facets @ cone.centre / cone.widths).min()
    return -np.outer(steps, gain)


def fan(cone: cw.Cone, n_designs: int) -> np.ndarray:
    """Incomparable designs in a row, each just not covered by its neighbours: a long front."""
    across = np.zeros(cone.dim)
    across[:2] = 1.0, -1.0
    reach = float(cw.cover_gaps(np.zeros((1, cone.dim)), cone, rivals=across[None])[0, 0])
    return np.arange(n_designs)[:, None] * across * JUST / reach


def near_ties(cone: cw.Cone) -> np.ndarray:
    """A front of two that do not cover each other, and three designs just too far from it to be returned."""
    front = fan(cone, 2)
    return np.vstack([front, front[:1] + behind(cone, [1.0, 1.0]), front[1:] + behind(cone, [1.0])])


def instances() -> list[Instance]:
    """Eight of which a scale of the noise is known beforehand, as every rule needs."""
    flat, narrow, acute = cw.Cone.orthant(2), cw.Cone.planar(45), cw.Cone([[1, -2, 4], [4, 1, -2], [-2, 4, 1]])
    by_design = np.geomspace(0.2, 1.2, 10).reshape(5, 2)[[0, 4, 1, 3, 2]]
    one = cw.Cone.orthant(1)
    made: list[tuple[str, cw.Cone, np.ndarray, Any, int]] = [
        ("near-ties", flat, near_ties(flat), Gaussian(0.8), 30),
        ("all identical", flat, np.zeros((5, 2)), Gaussian(0.6), 10),
        ("long staircase front", flat, fan(flat, 8), Gaussian(0.7), 12),
        ("one objective", one, behind(one, [0, 1, 1, 1, 1]), Gaussian(0.8), 20),
        ("narrow cone, 3 objectives", acute, np.vstack([fan(acute, 2), behind(acute, [1, 2])]), Gaussian(0.5), 8),
        ("correlated noise", narrow, near_ties(narrow), Gaussian(cov=np.array([[0.25, -0.2], [-0.2, 0.25]])), 30),
        ("variances by design", flat, near_ties(flat), Gaussian(by_design), 30),
        ("bounded noise", flat, near_ties(flat), _uniform_in_a_box(near_ties(flat)), 40),
    ]
    return [Instance(name, cone, SimulatedBandit(means, noise), each) for name, cone, means, noise, each in made]


def exact_instances() -> list[Instance]:
    """For exact identification, where a pilot shares out delta and claims are made step by step."""
    flat, narrow, solid = cw.Cone.orthant(2), cw.Cone.planar(45), cw.Cone.orthant(3)
    chain = np.vstack([fan(flat, 4), fan(flat, 4) - 0.3, [[-4.0, -9.0], [-9.0, -4.0]]])
    hidden = behind(solid, [0, 0.3, 0.6, 1, 3, 4, 5, 6])
    cov = np.array([[0.25, -0.2], [-0.2, 0.25]])
    crowd = behind(flat, [0] + [1] * 44)
    quiet = Gaussian(np.vstack([[0.05, 0.05], np.full((9, 2), 0.5)]))
    made: list[tuple[str, cw.Cone, np.ndarray, Any]] = [
        ("near-ties, exactly", flat, near_ties(flat), Gaussian(1.5)),
        ("all identical, exactly", flat, np.zeros((5, 2)), Gaussian(0.6)),
        ("staircase before its shadow, exactly", flat, chain, Gaussian(0.7)),
        ("3 objectives, some hardly behind, exactly", solid, hidden, Gaussian(0.6)),
        ("noise of different sizes, exactly", flat, near_ties(flat), Gaussian([0.6, 2.0])),
        ("correlated noise, narrow cone, exactly", narrow, near_ties(narrow), Gaussian(cov=cov)),
        ("a leader and 44 followers, exactly", flat, crowd, Gaussian(0.8)),
        ("a quiet leader, followers hardly behind, exactly", flat, behind(flat, [0] + [0.2] * 9), quiet),
    ]
    return [Instance(name, cone, SimulatedBandit(means, noise)) for name, cone, means, noise in made]


def further_instances() -> list[Instance]:
    """For the rules of this library: noise to be estimated, and many designs."""
    flat, narrow, one = cw.Cone.orthant(2), cw.Cone.planar(45), cw.Cone.orthant(1)
    turns, sizes = np.array([0.9, -0.8, 0.5, -0.95, 0.0]), np.array([0.4, 2.0, 2.4, 0.6, 2.0])
    by_design = sizes[:, None, None] ** 2 * np.array([[[1.0, turn], [turn, 1.0]] for turn in turns])
    ties = near_ties(flat)
    crowd = behind(flat, [0] + [1] * 44)
    shadow = np.vstack([fan(flat, 4), fan(flat, 4) + behind(flat, [1.0]), fan(flat, 4) + behind(flat, [9.0])])
    made: list[tuple[str, cw.Cone, np.ndarray, Any, int]] = [
        ("a leader and 44 followers", flat, crowd, Gaussian(0.8), 35),
        ("a staircase, its shadow, and four that fall at the first look", flat, shadow, Gaussian(1.2), 80),
        ("noise unknown, near-ties", flat, ties, _unknown(Gaussian(2.0)), 150),
        ("noise unknown, one objective", one, behind(one, [0, 1, 1, 1, 1]), _unknown(Gaussian(1.6)), 80),
        ("noise unknown, covariances by design", narrow, near_ties(narrow), _unknown(Gaussian(cov=by_design)), 200),
        ("bounded, skewed", flat, ties, Jumps(ties, 8.0, 0.2, [1] * 5), 800),
        ("bounded, rare jumps by design", flat, ties, Jumps(ties, 3.0, 0.05, [1, 1, -1, -1, -1]), 200),
    ]
    return [Instance(name, cone, SimulatedBandit(means, noise), each) for name, cone, means, noise, each in made]


def _uniform_in_a_box(means: np.ndarray, half_width: float = 0.4) -> UniformNoise:
    """Uniform noise of which only a box is known that holds every observation of every design."""
    noise = UniformNoise(half_width)
    noise.assumption = Bounded(means.min(axis=0) - half_width, means.max(axis=0) + half_width)
    return noise


def _unknown(noise: Gaussian) -> GaussianNoise:
    """Normal noise of which nothing but that is known."""
    source = GaussianNoise(noise)
    source.assumption = GaussianUnknown()
    return source


class Jumps(NoiseSource):
    """A jump of `size` with probability `seldom`, a little the other way else; upwards or downwards by design.

    The means are made by what is seldom seen. Only a box is known that holds every observation of every design.
    """

    def __init__(self, means: np.ndarray, size: float, seldom: float, signs: list[int]) -> None:
        self.seldom, self.signs = seldom, np.array(signs)[:, None]
        self.values = np.array([-size * seldom / (1 - seldom), size])
        ends = means[:, None, :] + (self.signs * self.values)[:, :, None]
        self.assumption = Bounded(ends.min(axis=(0, 1)), ends.max(axis=(0, 1)))

    def draw(self, designs: np.ndarray, dim: int, rng: np.random.Generator) -> np.ndarray:
        return self.values[(rng.random((len(designs), dim)) < self.seldom).astype(int)] * self.signs[designs]


# -- rules ---------------------------------------------------------------------------------------------------------

Factory = Callable[[Instance, str, float], Any]
"""From an instance, a notion of success and a factor for every radius to an algorithm."""


def _naive(instance: Instance, notion: str, scale: float) -> NaiveElimination:
    whole = NaiveElimination(
        cw.Question(instance.cone, EPSILON, DELTA, instance.problem.assumption), instance.problem.n_designs
    )
    if scale == 1.0:
        return whole
    fewer = max(1, round(whole.evaluations_each * scale**2))  # a radius divided by 8 is 64 times fewer evaluations
    return NaiveElimination(whole.question, whole.n_designs, evaluations_each=fewer)


def _ours(rule: Any) -> Factory:
    """A rule of ours, on the certificate that claims both notions."""

    def make(instance: Instance, notion: str, scale: float) -> Any:
        problem = instance.problem
        if notion == "exact":
            exact = cw.Question(instance.cone, 0.0, DELTA, problem.assumption, success="contain")
            return rule(exact, problem.n_designs, radius_scale=scale, max_evaluations=MOST)
        question = cw.Question(instance.cone, EPSILON, DELTA, problem.assumption, notion_of(notion))
        return rule(question, problem.n_designs, radius_scale=scale)

    return make


def _published(rule: Any) -> Factory:
    """A rule as published, with its proven radius, in growing batches: every radius holds at all times."""

    def make(instance: Instance, notion: str, scale: float) -> Any:
        problem = instance.problem
        question = cw.Question(instance.cone, EPSILON, DELTA, problem.assumption, notion_of(notion))
        return rule(question, problem.n_designs, radius_scale=scale, growth=GROWTH)

    return make


@dataclass(frozen=True)
class OneLook:
    """Everyone so many times, then the certificate of a finished sample."""

    certificate: FixedSample
    each: int

    def start(self) -> Statistics:
        return Statistics.empty(self.certificate.n_designs, self.certificate.cone.dim)

    def ask(self, state: Statistics, most: int | None = None) -> Pulls:
        missing = np.maximum(self.each - state.counts, 0)
        return Pulls(np.flatnonzero(missing), missing[missing > 0])

    def tell(self, state: Statistics, observations: Observations) -> Statistics:
        return state.add(observations)

    def recommend(self, state: Statistics) -> Result:
        return self.certificate.recommend(state)


def _one_look(instance: Instance, notion: str, scale: float) -> OneLook:
    problem = instance.problem
    certificate = FixedSample(
        cw.Question(instance.cone, EPSILON, DELTA, problem.assumption, notion_of(notion)), problem.n_designs
    )
    return OneLook(certificate, instance.each)


@dataclass(frozen=True)
class Rule:
    name: str
    notions: tuple[str, ...]
    """The notions of success that it claims."""
    make: Factory
    ours: bool = False
    """Takes every assumption about the noise."""
    once: bool = False
    """Answers for the epsilon that the sample certifies, which may be larger; has no radius to scale."""


BOTH = ("cover", "contain")
RULES = [
    Rule("successive elimination", BOTH, _ours(SuccessiveElimination), ours=True),
    Rule("one look", BOTH, _one_look, ours=True, once=True),
    Rule("APE", ("contain",), _published(LeaderChallenger)),
    Rule("Auer", ("contain",), _published(AuerElimination)),
    Rule("PaVeBa", ("cover",), _published(PaVeBa)),
    Rule("naive elimination", ("cover",), _naive),
]
"""A new rule joins with one line."""


# -- measuring -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    rule: str
    notion: str
    instance: str
    scale: float = 1.0

    @property
    def seed(self) -> int:
        return zlib.crc32(f"{self.rule}|{self.notion}|{self.instance}|{self.scale}".encode())

    @property
    def may_stay_open(self) -> bool:
        """Exact ties are never told apart, and a sample that is looked at once may be too small."""
        once = next(rule for rule in RULES if rule.name == self.rule).once
        return once or (self.notion == "exact" and "identical" in self.instance)


@dataclass(frozen=True)
class Measured:
    cell: Cell
    runs: int
    failures: int
    unfinished: int  # ended by themselves without an answer at epsilon
    evaluations: float  # their mean
    seconds: float

    @property
    def kept(self) -> bool:
        return self.failures <= allowed(self.runs)

    @property
    def ended(self) -> bool:
        return self.cell.may_stay_open or not self.unfinished


def allowed(runs: int) -> int:
    """The largest number of failures that the exact test does not reject."""
    return int(binom.isf(LEVEL, runs, DELTA))


def cells() -> list[Cell]:
    """Every rule on the eight instances."""
    names = [instance.name for instance in instances()]
    return [Cell(rule.name, notion, name) for rule in RULES for notion in rule.notions for name in names]


def further_cells() -> list[Cell]:
    """Our rules on the further instances."""
    names = [instance.name for instance in further_instances()]
    ours = [rule for rule in RULES if rule.ours]
    return [Cell(rule.name, notion, name) for rule in ours for notion in rule.notions for name in names]


def exact_cells(scale: float = 1.0) -> list[Cell]:
    """Our adaptive rules on the instances of exact identification."""
    ours = [rule for rule in RULES if rule.ours and not rule.once]
    return [Cell(rule.name, "exact", one.name, scale) for rule in ours for one in exact_instances()]


def controls() -> list[Cell]:
    """Every radius divided by 8, where near-ties abound."""
    scaled = [rule for rule in RULES if not rule.once]
    return [Cell(rule.name, notion, "near-ties", 1 / 8) for rule in scaled for notion in rule.notions]


def further_controls() -> list[Cell]:
    """The same where the noise has to be estimated, and with many designs.

    Without two instances: one objective is easier than two, and of observations with rare jumps so little is known
    that an eighth of their radius is still wide.
    """
    names = [one.name for one in further_instances() if "one objective" not in one.name and "rare" not in one.name]
    scaled = [rule for rule in RULES if rule.ours and not rule.once]
    return [Cell(rule.name, notion, name, 1 / 8) for rule in scaled for notion in rule.notions for name in names]


def _everything() -> list[Instance]:
    return [*instances(), *further_instances(), *exact_instances()]


def judge(cell: Cell) -> Callable[[int], tuple[bool, bool, int]]:
    """By the number of a run: whether it fails, whether it ended undecided, and its evaluations."""
    instance = next(one for one in _everything() if one.name == cell.instance)
    rule = next(rule for rule in RULES if rule.name == cell.rule)
    algorithm = rule.make(instance, cell.notion, cell.scale)

    def attempt(number: int) -> tuple[bool, bool, int]:
        result = run(algorithm, instance.problem, rng=np.random.default_rng([SEED, cell.seed, number]))
        # Finished or not, an answer is held to the epsilon that it states, which is never above the one asked for.
        stated = result.certified_epsilon
        epsilon = EPSILON if stated is None else stated if rule.once else min(stated, EPSILON)
        failed = not instance.succeeds(result.pareto, cell.notion, epsilon)
        return failed, bool((result.status == "undecided").any()), result.evaluations

    return attempt


def measure(cell: Cell, runs: int) -> Measured:
    began = time.perf_counter()
    failures, undecided, evaluations = map(sum, zip(*map(judge(cell), range(runs)), strict=True))
    return Measured(cell, runs, failures, undecided, evaluations / runs, time.perf_counter() - began)


# -- reporting -----------------------------------------------------------------------------------------------------


def table(found: list[Measured]) -> list[str]:
    lines = [
        "| rule | success | instance | runs | failures | rate | evaluations (mean) |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in found:
        cell = one.cell
        once = next(rule for rule in RULES if rule.name == cell.rule).once
        note = f", {one.unfinished} {'at a larger epsilon' if once else 'unfinished'}" if one.unfinished else ""
        lines.append(
            f"| {cell.rule} | {cell.notion} | {cell.instance} | {one.runs} | {one.failures}{note} | "
            f"{one.failures / one.runs:.3f} | {one.evaluations:.0f} |"
        )
    return lines


def page(found: list[Measured], further: list[Measured], control: list[Measured], runs: int, seconds: float) -> str:
    return "\n".join(
        [
            "# Validation: is delta kept?",
            "",
            f"Every rule, every notion of success that it claims, eight instances, {runs} runs each with fixed seeds, "
            f"delta = {DELTA:g}. A cell passes if its failures do not exceed {allowed(runs)}, the exact binomial bound "
            f"at level {LEVEL:g}. The instances have gaps just beyond epsilon, so that one design too many or too few "
            "is a failure. Proofs are on the pages [adaptive](adaptive.md) and [theory](theory.md); a proof by union "
            "bounds leaves something to spare, so rates lie below delta. Published rules run with their proven radii, "
            f"in batches of {GROWTH:.0%} of what there is. *One look* is a sample of a size fixed beforehand. If that "
            "is not enough, it is answered for a larger epsilon. Every answer is held to the epsilon that it states.",
            "",
            f"Made by `python -m benchmarks.validate --runs {runs} --write` on {datetime.date.today().isoformat()}, in "
            f"{seconds / 60:.0f} minutes. {commits.here()}",
            "",
            *table(found),
            "",
            "## Noise to be estimated, and many designs",
            "",
            "Rules of this library only: the published ones need a scale of the noise. "
            "*Noise unknown*: normal, and nothing else is taken for granted; by design, standard "
            "deviations from 0.4 to 2.4 and correlations from -0.95 to 0.9. *Bounded*: only a box that holds every "
            "observation; skewed, a jump of 8 once in five times; rare jumps, of 3 once in twenty times, upwards for "
            "the Pareto designs and downwards for the others, so that most small samples mislead.",
            "",
            *table(further),
            "",
            "## Negative control",
            "",
            "Every radius divided by 8 (for naive elimination 64 times fewer evaluations). These cells must fail, or "
            "the tables above would show nothing.",
            "",
            *table(control),
            "",
        ]
    )


def exact_page(found: list[Measured], control: list[Measured], runs: int, seconds: float) -> str:
    return "\n".join(
        [
            "# Validation: exact identification",
            "",
            f"Our adaptive rules with epsilon = 0, where a pilot shares out delta and claims are made step by step "
            f"([adaptive](adaptive.md), 3.2 and 3.3): {runs} runs a cell with fixed seeds, delta = {DELTA:g}. A run "
            f"fails if its answer is not the Pareto set; a cell passes with at most {allowed(runs)} failures, the "
            f"exact binomial bound at level {LEVEL:g}. Identical designs never end and are stopped after {MOST} "
            "evaluations; there a run fails if one of them is not returned. Real gaps are mistaken at the first looks "
            "or not at all, so rates lie far below delta; the suite counts wrong claims at every look where "
            "there is hardly any gap.",
            "",
            f"Made by `python -m benchmarks.validate --exact --runs {runs} --write` on "
            f"{datetime.date.today().isoformat()}, in {seconds / 60:.0f} minutes. {commits.here()}",
            "",
            *table(found),
            "",
            "## Negative control",
            "",
            "Every radius divided by 8. These cells must fail. The leader and its followers are left out: too seldom "
            "do they fail even so.",
            "",
            *table(control),
            "",
        ]
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    parser.add_argument("--exact", action="store_true", help="exact identification only")
    options = parser.parse_args()
    parts = [cells(), further_cells(), [*controls(), *further_controls()]]
    if options.exact:
        # A leader alone goes wrong too seldom even so.
        scaled = [cell for cell in exact_cells(1 / 8) if "leader" not in cell.instance]
        parts = [exact_cells(), [], scaled]
    work = [cell for part in parts for cell in part]
    began = time.perf_counter()
    with ProcessPoolExecutor(options.processes) as pool:
        found = iter(list(pool.map(measure, work, [options.runs] * len(work))))
    plain, further, control = ([next(found) for _ in part] for part in parts)
    print("\n".join([*table(plain), "", *table(further), "", "Radii divided by 8:", *table(control)]))
    print(f"{time.perf_counter() - began:.0f} s")
    broken = [one.cell for one in [*plain, *further] if not one.kept or not one.ended]
    blind = [one.cell for one in control if one.kept]
    for cell in broken:
        print(f"delta is not kept, or runs do not end: {cell}", file=sys.stderr)
    for cell in blind:
        print(f"the control passed: {cell}", file=sys.stderr)
    if options.write and not broken and not blind:
        seconds, target = time.perf_counter() - began, EXACT_PAGE if options.exact else PAGE
        text = exact_page(plain, control, options.runs, seconds) if options.exact else None
        target.write_text(text or page(plain, further, control, options.runs, seconds), encoding="utf-8")
        print(f"wrote {target}")
    return 1 if broken or blind else 0


if __name__ == "__main__":
    sys.exit(main())
