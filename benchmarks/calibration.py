"""The promise on average over the prior, measured: truths are drawn from it, and runs peek after every evaluation.

    python -m benchmarks.calibration [--runs 500] [--minutes 40] [--only TEXT] [--write]

*Failures.* Each family draws its truths from the prior that it declares; a run stops at the first look that certifies
its answer, and is wrong if that answer fails. Null hypothesis of a family: wrong with probability at most DELTA; exact
binomial test at LEVEL, fixed seeds. A certificate that is never wrong wastes evaluations: at least DELTA / 10 is asked.

*The check.* Truths of the controls vary four times as fast as the declared prior has it. Such a prior must fail (more
often than DELTA, at LEVEL) where nobody looks at the check, and be withdrawn in 95 % of runs; the right prior may be
withdrawn at some look in 5 % of runs.

Every run is a line of benchmarks/calibration.jsonl and is never made twice, so that a measurement may be stopped and
continued. `--write` makes docs/validation-models.md of all that is there.
"""

from __future__ import annotations

import argparse
import datetime
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

import numpy as np
from scipy.stats import binom

import conewise as cw
from benchmarks import lines, modelled
from conewise.border import Floats
from conewise.models import Independent, Linear, Prior, Smooth
from conewise.models.axes import axes_of
from conewise.models.certificate import ALARM, PosteriorCertificate
from conewise.models.posterior import posterior_of
from conewise.models.priors import Components
from conewise.noise import Gaussian, GaussianUnknown, Noise
from conewise.rules import ModelGuided

DELTA, EPSILON, SIGMA, SEED, LEVEL = 0.1, 0.5, 0.4, 20190226, 1e-3
RUNS, MOST = 500, 2000
"""Runs a family that are asked for, and evaluations after which a run gives up."""
TOO_SMOOTH = 4.0
PAGE = Path(__file__).resolve().parent.parent / "docs" / "validation-models.md"
KEPT = Path(__file__).with_name("calibration.jsonl")


DECISIONS = """## The time of a decision

One `ask` after 500 evaluations of random designs, with 32 kernels in two features (`python -m benchmarks.modelled \
--decide`); the median of five, on the machine that wrote this page.
"""


class OneKernel(Smooth):
    """A Gaussian process that is known but for its values: the first kernel of the list, alone."""

    @cached_property
    def components(self) -> Components:
        size = np.array(self.sizes[:1])
        return Components(np.zeros(1, dtype=np.intp), size, size * self.discrepancies[0], np.zeros(1))


def one_kernel(features: Floats, length: float, size: float = 3.0) -> OneKernel:
    return OneKernel(features, kernels=("matern52",), sizes=(size,), discrepancies=(0.1,), between=(length, 2 * length))


@dataclass(frozen=True, eq=False)
class Family:
    """What is declared, and what is true."""

    name: str
    declared: Prior
    n_designs: int
    dim: int = 2
    noise: Noise = field(default_factory=lambda: Gaussian(SIGMA))
    true: Prior | None = None
    """What truths are drawn from, where it is not what was declared: a control."""
    share: float = 1.0
    """Of the runs that are asked for, these are made."""
    least: tuple[float, ...] = ()
    """What is acceptable of the first objectives."""

    @property
    def question(self) -> cw.Question:
        """What is asked of every truth."""
        meaning = [cw.Objective(f"f{d + 1}", level=level) for d, level in enumerate(self.levels)] if self.least else []
        return cw.Question(cw.Cone.orthant(self.dim), EPSILON, DELTA, self.noise, objectives=meaning)

    @property
    def levels(self) -> list[float | None]:
        """The level of each objective."""
        return [*self.least, *[None] * (self.dim - len(self.least))]

    def truth(self, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Values of the designs, and the standard deviations of the noise."""
        everyone, empty = np.arange(self.n_designs), cw.Statistics.empty(self.n_designs, self.dim)
        prior = self.declared if self.true is None else self.true
        if isinstance(self.noise, Gaussian):
            axes = PosteriorCertificate(self.question, self.n_designs, prior).axes
            posterior = posterior_of(prior, axes, empty, EPSILON, -1.0)
            return posterior.draws(everyone, 1, rng)[0], np.full(self.dim, SIGMA)
        # Unknown: an inverse gamma variance worth one evaluation, and values in units of it.
        sigma = EPSILON * np.sqrt(0.5 / rng.standard_gamma(0.5, self.dim))
        posterior = posterior_of(prior, axes_of(Gaussian(1.0), self.dim, 1.0), empty, 1.0, -1.0)
        return posterior.draws(everyone, 1, rng)[0] * sigma, sigma


def families() -> tuple[Family, ...]:
    x = np.random.default_rng(11).random((10, 2))
    line = np.linspace(0.0, 1.0, 40)[:, None]
    short, long = one_kernel(line, 0.05, 6.0), one_kernel(line, 0.05 * TOO_SMOOTH, 6.0)
    wide = Smooth(x, kernels=("matern52",), between=(0.2, 1.0), sizes=(3.0,), discrepancies=(0.1,))
    return (
        Family("known kernel", one_kernel(x, 0.5), 10),
        Family("unknown kernel", wide, 10),
        Family("unknown noise", Independent(sizes=(1.0, 4.0)), 8, noise=GaussianUnknown()),
        Family("no features", Independent(sizes=(1.0, 4.0)), 8),
        Family("linear", Linear(x, sizes=(3.0,), discrepancies=(0.3,)), 10),
        Family("three objectives", Independent(sizes=(2.0,)), 8, dim=3),
        Family("levels", Independent(sizes=(1.0, 4.0)), 8, least=(1.0, -2.0)),
        Family("right, 40 designs on a line", short, 40, share=0.2),
        Family("four times too smooth", long, 40, true=short, share=0.2),
    )


@dataclass(frozen=True)
class Run:
    family: str
    seed: int
    evaluations: int
    finished: bool
    wrong: bool
    withdrawn: bool
    """At the end: what a user would read."""
    ever: bool
    """At some look."""


def made(family: Family, seed: int) -> Run:
    """One run; the check withdraws nothing here, so that both can be counted."""
    rng = np.random.default_rng([SEED, zlib.crc32(family.name.encode()), seed])
    means, sigma = family.truth(rng)
    problem, question = cw.SimulatedBandit(means, Gaussian(sigma)), family.question
    rule = ModelGuided(question, family.n_designs, model=family.declared, seed=seed, max_evaluations=MOST)
    state, ever, doubted = rule.start(), False, False
    while (pulls := rule.ask(state, 1)).total:
        state = rule.tell(state, problem.evaluate(pulls, rng))
        doubted = rule.certificate.belief(state.everything).doubt >= 1 / ALARM
        ever |= doubted
    result = rule.recommend(state)
    finished = not result.stopped_because.startswith("max_evaluations")
    least = np.array([-np.inf if level is None else level for level in family.levels])
    acceptable = (means >= least).all(axis=1)
    wrong = finished and not cw.verdict(result.pareto, means, question.cone, EPSILON, levels=least)
    wrong |= bool((acceptable & (result.status == "misses a level")).any())
    return Run(family.name, seed, result.evaluations, finished, wrong, doubted, ever)


def missing(some: tuple[Family, ...], runs: int, done: list[Run]) -> Iterator[Callable[[], Run]]:
    """Family after family for each seed, so that all are equally far wherever it is stopped."""
    known = {(run.family, run.seed) for run in done}
    for seed in range(runs):
        for family in some:
            if seed < family.share * runs and (family.name, seed) not in known:
                yield partial(made, family, seed)


# -- the page --------------------------------------------------------------------------------------------------------


def bound(runs: int, rate: float = DELTA) -> int:
    """The most failures that do not contradict the rate."""
    return int(binom.isf(LEVEL, runs, rate))


def page(some: tuple[Family, ...], done: list[Run], today: Callable[[], datetime.date] = datetime.date.today) -> str:
    text = [
        "# Validation: models",
        "",
        "How often an answer of the [posterior certificate](posterior.md) is wrong when truths are drawn from a prior: "
        f"epsilon {EPSILON:g}, noise {SIGMA:g}, delta {DELTA:g}, a look after every evaluation, stopping at the first "
        f"that certifies. A family passes if it is wrong no more often than the exact binomial bound at {LEVEL:g} "
        f"admits; a share of {DELTA / 10:g} or more says that the certificate wastes little. *Withdrawn* by the "
        f"[check](posterior.md#6-a-check-of-the-prior-and-a-way-on) at the end, and at any look.",
        "",
        f"Made by `python -m benchmarks.calibration --write` on {today()}, from the runs in "
        f"benchmarks/calibration.jsonl. {lines.made_with(KEPT)}",
        "",
        "| truths | designs | runs | evaluations | unfinished | wrong | share | bound | withdrawn | at any look |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for family in some:
        runs = [run for run in done if run.family == family.name]
        if not runs:
            continue
        count, spent = len(runs), np.mean([run.evaluations for run in runs])
        unfinished, wrong = sum(not run.finished for run in runs), sum(run.wrong for run in runs)
        last, ever = (sum(getattr(run, which) for run in runs) / count for which in ("withdrawn", "ever"))
        text.append(
            f"| {family.name} | {family.n_designs} | {count} | {spent:.1f} | {unfinished} | {wrong} "
            f"| {wrong / count:.3f} | {bound(count)} | {last:.3f} | {ever:.3f} |"
        )
    return "\n".join([*text, ""])


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibration", description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--minutes", type=float, default=40.0, help="of CPU time, after which it stops")
    parser.add_argument("--only", default="", help="families whose name contains this")
    parser.add_argument("--write", action="store_true", help="the page, from what was measured")
    options = parser.parse_args(arguments)
    everyone = families()
    if options.minutes > 0:
        some = tuple(family for family in everyone if options.only in family.name)
        lines.fill(KEPT, missing(some, options.runs, lines.read(KEPT, Run)), options.minutes)
    if options.write:
        evaluations, timed = modelled.section(lines.read(modelled.KEPT, modelled.Run)), list[str]()
        modelled.decisions(timed.append)
        text = "\n".join([page(everyone, lines.read(KEPT, Run)), evaluations, DECISIONS, *timed, ""])
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
