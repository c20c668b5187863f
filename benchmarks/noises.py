"""Noise by objective, measured: how often an answer is wrong, and what 0/1 outcomes cost beside known rates.

    python -m benchmarks.noises [--runs 1000] [--minutes 40] [--write]

*Failures*: four designs, two of them twins and one dominated by a little more than epsilon; kinds of noise are mixed.
An answer is wrong if the returned set fails at the epsilon stated for it. Null hypothesis of a cell: at most a share
DELTA of the answers is wrong; exact binomial test at LEVEL, fixed seeds. A control with all radii divided by CONTROL
must be rejected (at CONTROL_LEVEL). *Oracle*: pass rates under `Binary`, beside normal noise with the variances of the
true rates. Counts are kept in benchmarks/noises.jsonl (`benchmarks.batches`), so that a measurement may be stopped and
continued; `--write` makes docs/validation-noises.md of all that is there.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from scipy.stats import binom

import conewise as cw
from benchmarks import lines
from benchmarks.batches import Batch, Trial, counted, missing
from benchmarks.strides import ahead
from conewise.border import Bools, Floats
from conewise.certificate.certificate import Certificate
from conewise.certificate.streams import Separately, by_objective
from conewise.data.observations import Pulls, Statistics
from conewise.noise import Binary, Bounded, ByObjective, Gaussian, GaussianUnknown, Known, Noise
from conewise.problems.simulated import BernoulliNoise, GaussianNoise, NoiseByObjective, NoiseSource, NoNoise
from conewise.rules import SuccessiveElimination
from conewise.studies.loop import run

DELTA, LEVEL, SEED, EPSILON = 0.1, 1e-6, 20150801, 0.2
CONTROL, CONTROLS, CONTROL_LEVEL = {"cover": 32.0, "contain": 16.0, "one look": 8.0, "separate": 8.0}, 300, 0.01
"""By what controls divide all radii, chosen in trials of 30 runs; how many there are, and the level of their test."""
MEANS = np.array([[0.7, 0.6], [0.48, 0.38], [0.3, 0.85], [0.7, 0.6]])
"""The second is dominated by a little more than EPSILON, the fourth is a twin of the first."""
STRIDE = 2.0
"""Whoever is asked for on a schedule gets so many times what it has (`benchmarks.strides`)."""
ONCE = (20, 30, 40, 20)
"""Evaluations of each design, where they are looked at once."""
PAGE = Path(__file__).resolve().parent.parent / "docs" / "validation-noises.md"
KEPT = Path(__file__).with_name("noises.jsonl")

ORTHANT, WIDE = cw.Cone.orthant(2), cw.Cone.planar(120)


class Beta(NoiseSource):
    """Skewed values between 0 and 1 around the means of one objective."""

    def __init__(self, means: Floats) -> None:
        self._means = means
        self.assumption: Noise | None = Bounded(0, 1)

    def draw(self, designs: np.ndarray, dim: int, rng: np.random.Generator) -> Floats:
        means = self._means[designs]
        return np.asarray(rng.beta(0.5 * means, 0.5 * (1 - means)) - means)[:, None]

    def recorded(self, values: Floats, counts: np.ndarray) -> Floats:
        return np.clip(values, 0.0, 1.0)


def outcomes(column: int) -> NoiseSource:
    return BernoulliNoise(MEANS[:, [column]])


def normal() -> NoiseSource:
    return GaussianNoise(Gaussian(0.3))


@dataclass(frozen=True)
class Mixture:
    name: str
    cone: cw.Cone
    assumed: ByObjective
    sources: Callable[[], tuple[NoiseSource, NoiseSource]]


MIXTURES = (
    Mixture("normal, 0/1", ORTHANT, ByObjective([0.3, Binary()]), lambda: (normal(), outcomes(1))),
    Mixture("0/1, known", ORTHANT, ByObjective([Binary(), Known()]), lambda: (outcomes(0), NoNoise())),
    Mixture(
        "bounded, unknown",
        ORTHANT,
        ByObjective([Bounded(0, 1), GaussianUnknown()]),
        lambda: (Beta(MEANS[:, 0]), normal()),
    ),
    Mixture("0/1, unknown", WIDE, ByObjective([Binary(), GaussianUnknown()]), lambda: (outcomes(0), normal())),
)
WAYS = ("cover", "contain", "one look", "separate")
"""On a schedule, until everything is decided; one look at whole rows; one look at objectives measured separately."""


def judge(mixture: Mixture, way: str, scale: float) -> Callable[[int], bool]:
    """Whether a run states more than is true, at any look, with every radius multiplied by `scale`."""
    problem = cw.SimulatedBandit(MEANS, NoiseByObjective(mixture.sources()))
    notion = way if way in WAYS[:2] else "contain"
    question = cw.Question(mixture.cone, EPSILON, DELTA, mixture.assumed, notion)  # type: ignore[arg-type]
    name = zlib.crc32(f"{mixture.name} {way}".encode())
    rule = SuccessiveElimination(question, len(MEANS), radius_scale=scale)
    sample, apart = (Certificate(question, len(MEANS), once=True, apart=each, scale=scale) for each in (False, True))

    def fails(returned: Bools, stated: float | None) -> bool:
        if stated is None:
            return False
        found = cw.verdict(returned, MEANS, mixture.cone, stated)
        return not found or (notion == "contain" and len(found.missed) > 0)

    def wrong(place: int) -> bool:
        rng = np.random.default_rng([SEED, name, place])
        if way == "one look":
            told = problem.evaluate(Pulls(np.arange(len(MEANS)), ONCE), rng, one_by_one=True)
            return fails(*certified(sample, Statistics.empty(len(MEANS), 2).add(told)))
        if way == "separate":
            return fails(*certified(apart, measured(problem, rng)))
        state = rule.start()
        while (pulls := rule.ask(state)).total:
            state = rule.tell(state, problem.evaluate(ahead(rule, state, pulls, STRIDE), rng))
            result = rule.recommend(state)
            if fails(result.pareto, result.certified_epsilon):
                return True
        return False

    return wrong


def certified(sample: Certificate, seen: Statistics | Separately) -> tuple[Bools, float | None]:
    """Return the set that is certified, and its epsilon."""
    found = sample.certified_epsilon(sample.claims(seen))
    return (np.zeros(len(MEANS), dtype=bool), None) if found is None else (found.returned, found.epsilon)


def measured(problem: cw.SimulatedBandit, rng: np.random.Generator) -> Separately:
    """The second objective twice as often as the first, in rows of its own."""
    seen = Separately.empty(len(MEANS), 2)
    for d, times in enumerate((np.array(ONCE), 2 * np.array(ONCE))):
        told = problem.evaluate(Pulls(np.arange(len(MEANS)), times), rng, one_by_one=True)
        seen = seen.add(by_objective(told.designs, np.where(np.arange(2) == d, told.means, np.nan)))
    return seen


@dataclass(frozen=True)
class Failures:
    mixture: Mixture
    way: str
    runs: int
    wrong: int
    controls: int
    control: int

    @property
    def kept(self) -> bool:
        return float(binom.sf(self.wrong - 1, self.runs, DELTA)) > LEVEL

    @property
    def rejected(self) -> bool:
        return float(binom.sf(self.control - 1, self.controls, DELTA)) <= CONTROL_LEVEL


def trials(runs: int) -> list[Trial]:
    """All cells."""
    return [Trial(named(m, way), partial(_judged, m, way), runs, CONTROLS) for way in WAYS for m in MIXTURES]


def named(mixture: Mixture, way: str) -> str:
    return f"{mixture.name}; {way}"


def _judged(mixture: Mixture, way: str, control: bool) -> Callable[[int], bool]:
    return judge(mixture, way, 1 / CONTROL[way] if control else 1.0)


def failures(done: list[Batch]) -> list[Failures]:
    """Of all cells that have runs."""
    found = []
    for way in WAYS:
        for mixture in MIXTURES:
            (runs, wrong), (controls, control) = (counted(done, named(mixture, way), c) for c in (False, True))
            found += [Failures(mixture, way, runs, wrong, controls, control)] if runs else []
    return found


# -- the price of not knowing the rates ------------------------------------------------------------------------------

PRICED = 40
"""Runs a question."""
PASS_RATES = np.array([[0.99], [0.90], [0.88], [0.85]])
QUESTIONS = ((0.03, "cover"), (0.03, "contain"), (0.0, "contain"))


@dataclass(frozen=True)
class Price:
    epsilon: float
    notion: str
    runs: int
    binary: float
    oracle: float
    wrong: int


def price(epsilon: float, notion: str, runs: int) -> Price:
    """Mean evaluations under `Binary`, and under normal noise with the variances of the true rates; delta = 0.05."""
    line, problem = cw.Cone.orthant(1), cw.SimulatedBandit(PASS_RATES, Binary())
    spent, wrong = [], 0
    for noise in (Binary(), Gaussian(np.sqrt(PASS_RATES * (1 - PASS_RATES)))):
        question = cw.Question(line, epsilon, 0.05, noise, notion)  # type: ignore[arg-type]
        rule = cw.SuccessiveElimination(question, len(PASS_RATES), max_evaluations=None if epsilon else 10**6)
        found = [run(rule, problem, rng=np.random.default_rng([SEED, place])) for place in range(runs)]
        spent.append(float(np.mean([result.evaluations for result in found])))
        if isinstance(noise, Binary):
            wrong = sum(not cw.verdict(result.pareto, PASS_RATES, line, epsilon) for result in found)
    return Price(epsilon, notion, runs, spent[0], spent[1], wrong)


# -- the page --------------------------------------------------------------------------------------------------------


def page(cells: list[Failures], prices: list[Price]) -> str:
    text = [
        "# Noise by objective, measured",
        "",
        "Written by `python -m benchmarks.noises --write`, from the counts in benchmarks/noises.jsonl; the [adaptive "
        f"page, section 7](adaptive.md) has the proof. {lines.made_with(KEPT)}",
        "",
        f"Four designs, two of them twins and one dominated by little more than epsilon = {EPSILON:g}; delta "
        f"{DELTA:g}. Wrong is an answer that does not hold at the epsilon stated for it, at any look. In the control "
        f"all radii are divided by a number. Exact binomial tests at {LEVEL:g}, of controls at {CONTROL_LEVEL:g}. *One "
        "look* is at whole rows, *separate* at objectives with repetitions of their own, both for `contain`.",
        "",
        "| noise | cone | asked | runs | wrong | delta kept | radii divided by | control wrong | control rejected |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    text += [
        f"| {c.mixture.name} | {c.mixture.cone} | {c.way} | {c.runs} | {c.wrong} | {'yes' if c.kept else 'NO'} | "
        f"{CONTROL[c.way]:g} | {c.control} of {c.controls} | {'yes' if c.rejected else 'NO'} |"
        for c in cells
    ]
    rates = ", ".join(f"{rate:g}" for rate in PASS_RATES[:, 0])
    text += [
        "",
        "## 0/1 outcomes beside known rates",
        "",
        f"Pass rates of {rates}, delta 0.05. The oracle is the same rule with normal noise of the variances that the "
        "true rates have.",
        "",
        "| epsilon | asked | runs | evaluations, `Binary` | the oracle's | ratio | wrong |",
        "|---|---|---|---|---|---|---|",
    ]
    text += [
        f"| {p.epsilon:g} | {p.notion} | {p.runs} | {p.binary:.0f} | {p.oracle:.0f} | {p.binary / p.oracle:.2f} | "
        f"{p.wrong} |"
        for p in prices
    ]
    return "\n".join([*text, ""])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.noises", description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=40.0, help="of CPU time, after which it stops")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}, from what was measured")
    options = parser.parse_args()
    if options.minutes > 0:
        lines.fill(KEPT, missing(trials(options.runs), lines.read(KEPT, Batch)), options.minutes)
    if options.write:
        prices = [price(epsilon, notion, PRICED) for epsilon, notion in QUESTIONS]
        PAGE.write_text(page(failures(lines.read(KEPT, Batch)), prices), encoding="utf-8")


if __name__ == "__main__":
    main()
