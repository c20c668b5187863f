"""What the software says around an answer, measured: the epsilon it states, rounded values, epsilons chosen by looking.

    python -m benchmarks.promises [--runs 500] [--write]

`benchmarks.validate` holds rules to delta on finished runs. Here are the other ways in which an answer could say more
than its proof, each with a control that does what was once done, or what nobody should do, and must be rejected. Null
hypothesis of a cell: it goes wrong with probability at most its delta. Test: exact binomial at LEVEL, fixed seeds.
`--write` makes docs/validation-promises.md; the suite runs the cells with fewer runs (tests/statistical/).
"""

from __future__ import annotations

import argparse
import datetime
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import binom

import conewise as cw
from benchmarks import commits
from conewise.analysis.analyse import analyse
from conewise.certificate.radii import kind_for
from conewise.data.observations import Observations, Statistics
from conewise.noise import Bounded, Gaussian, GaussianUnknown, Noise, SubGaussian
from conewise.question.question import Notion
from conewise.rules import SuccessiveElimination
from conewise.rules.adaptive.fixed import FixedSample
from conewise.studies.running.runner import run_study

LEVEL = 1e-6
SEED = 20230425
RUNS = 500
PAGE = Path(__file__).resolve().parent.parent / "docs" / "validation-promises.md"
FLAT, LINE = cw.Cone.orthant(2), cw.Cone.orthant(1)
Rng = np.random.Generator


@dataclass(frozen=True)
class Cell:
    """One promise: `wrong` says for one random stream whether it was broken; the control must break it too often."""

    name: str
    delta: float
    wrong: Callable[[Rng], bool]
    control: Callable[[Rng], bool] | None
    as_control: str

    def rng(self, run: int) -> Rng:
        return np.random.default_rng([SEED, zlib.crc32(self.name.encode()), run])


# -- the epsilon belongs to the set ----------------------------------------------------------------------------------

THREE = np.array([[0.0, 0.0], [-0.35, -0.35], [3.0, -3.0]])


def _three(rng: Rng, each: int = 30) -> Observations:
    designs = np.repeat(np.arange(3), each)
    return Observations.single(designs, THREE[designs] + 0.5 * rng.normal(size=(3 * each, 2)))


def stated_once(rng: Rng, epsilon: float = 1.0) -> bool:
    result = FixedSample(cw.Question(FLAT, epsilon, 0.05, Gaussian(0.5)), 3).recommend(
        Statistics.empty(3, 2).add(_three(rng))
    )
    return not cw.verdict(result.pareto, THREE, FLAT, result.certified_epsilon)


def stated_before_the_end(rng: Rng) -> bool:
    return stated_once(rng, epsilon=0.05)


def stated_at_every_look(rng: Rng) -> bool:
    rule = SuccessiveElimination(cw.Question(FLAT, 1.0, 0.05, Gaussian(0.5)), 3)
    state, data = rule.start(), _three(rng)
    for start in range(0, 30, 5):
        some = np.concatenate([30 * k + np.arange(start, start + 5) for k in range(3)])
        state = rule.tell(state, Observations.single(data.designs[some], data.means[some]))
        result = rule.recommend(state)
        epsilon = result.certified_epsilon
        if epsilon is not None and not cw.verdict(result.pareto, THREE, FLAT, epsilon):
            return True
    return False


def epsilon_of_a_smaller_set(rng: Rng) -> bool:
    sample = FixedSample(cw.Question(FLAT, 1.0, 0.05, Gaussian(0.5)), 3)
    claims = sample.claims(Statistics.empty(3, 2).add(_three(rng)))
    found = sample.certified_epsilon(claims)
    return found is not None and not cw.verdict(claims.accepted, THREE, FLAT, found.epsilon)


# -- values that were rounded ----------------------------------------------------------------------------------------


def rounded(step: float, each: int, noise: Noise, final: bool = True) -> Callable[[Rng], bool]:
    """Ten equal designs: whoever is beaten is beaten wrongly."""

    def wrong(rng: Rng) -> bool:
        values = np.round(rng.normal(size=(10 * each, 1)) / step) * step
        data = Observations.single(np.repeat(np.arange(10), each), values)
        return bool((analyse(data, LINE, delta=0.05, noise=noise, final=final).result.status == "beaten").any())

    return wrong


RATES = np.array([[0.99], [0.90], [0.88], [0.85]])


def pass_rates(noise: Noise) -> Callable[[Rng], bool]:
    """Passes and failures of four designs, looked at whenever all have one more: the stated epsilon is to hold.

    Without pilots, which would put the first values aside, where equal ones are most likely.
    """

    def wrong(rng: Rng) -> bool:
        rule = SuccessiveElimination(cw.Question(LINE, 0.03, 0.05, noise), 4, pilots=False)
        state = rule.start()
        for _ in range(40):
            values = (rng.random((4, 1)) < RATES).astype(float)
            state = rule.tell(state, Observations.single(np.arange(4), values))
            result = rule.recommend(state)
            if result.guarantee and not cw.verdict(result.pareto, RATES, LINE, result.certified_epsilon):
                return True
        return False

    return wrong


# -- looking ---------------------------------------------------------------------------------------------------------

EPSILONS = np.geomspace(0.05, 3.0, 14)
BEHIND = np.array([[0.0, 0.0], [-0.5, -0.5], [-0.51, -0.51]])


def any_epsilon(scale: float) -> Callable[[Rng], bool]:
    """A growing table, at every look an epsilon out of 14: the one whose answer is worst."""

    def wrong(rng: Rng) -> bool:
        question = cw.Question(FLAT, 0.5, 0.1, Gaussian(1.0), success="contain")
        rule = SuccessiveElimination(question, 3, any_epsilon=True, radius_scale=scale)
        state = rule.start()
        for _ in range(12):
            values = np.repeat(BEHIND, 10, axis=0) + rng.normal(size=(30, 2))
            state = rule.tell(state, Observations.single(np.repeat(np.arange(3), 10), values))
            for epsilon in EPSILONS:
                claims = rule.certificate.claims(state, float(epsilon))
                if claims.beaten[0] or (claims.done and not cw.verdict(claims.accepted, BEHIND, FLAT, epsilon)):
                    return True
        return False

    return wrong


# -- the least favourable means and rule -------------------------------------------------------------------------------

FOLLOWERS = 6


def frozen(notion: Notion, scale: float) -> Callable[[Rng], bool]:
    """A leader that is known well, and followers just too far behind it, in every respect alike.

    All of them are looked at at every level, and the first that looks fine is frozen there: that is as often as a claim
    can go wrong, and nearly all of what is paid for.
    """
    means = np.vstack([np.zeros((1, 2)), np.full((FOLLOWERS, 2), -1.000001)])
    sigma = np.vstack([np.full((1, 2), 1e-6), np.full((FOLLOWERS, 2), 1.0)])
    question = cw.Question(FLAT, 1.0, 0.1, Gaussian(sigma), success=notion)
    rule = SuccessiveElimination(question, FOLLOWERS + 1, radius_scale=scale, pilots=False)
    steps = np.diff(rule.certificate.levels.counts, prepend=0)

    def wrong(rng: Rng) -> bool:
        state = rule.start()
        for times in steps:
            drawn = means + sigma * rng.normal(size=means.shape) / np.sqrt(times)
            counts = np.full(len(means), times)
            state = rule.tell(state, Observations(np.arange(len(means)), drawn, counts))
            claims = rule.certificate.claims(state)
            if claims.accepted[1:].any():
                return True
        return False

    return wrong


# -- a noise of one's own --------------------------------------------------------------------------------------------


class Laplace(Noise):
    """Tails that no normal variable has."""

    def scales(self, directions: np.ndarray) -> np.ndarray:
        return np.asarray(np.linalg.norm(np.asarray(directions, dtype=float), axis=-1))

    def largest_scale(self, dim: int) -> float:
        return 1.0

    def log_tail(self, deviations: np.ndarray) -> np.ndarray:
        return -np.sqrt(2) * np.asarray(deviations, dtype=float) - np.log(2)

    def deviation(self, delta: float) -> float:
        return max(0.0, -float(np.log(2 * delta)) / np.sqrt(2))

    def norm_subgaussian(self, dim: int) -> float:
        return 10.0

    words = "Laplace noise"


SHARE, PAIRS = 1e-5, 20_000


def own_noise(noise: Noise) -> Callable[[Rng], bool]:
    """Twenty thousand pairs, one evaluation each, at a share of 1e-5: is any radius exceeded? At most one time in 5."""

    def wrong(rng: Rng) -> bool:
        kind = kind_for(LINE.facets, noise, once=True)
        radius = float(kind.quantiles(np.ones(1), np.log([SHARE]))[0]) * np.sqrt(2)
        errors = rng.laplace(scale=np.sqrt(0.5), size=(PAIRS, 2)) @ [1, -1]
        return bool((errors >= radius).any())

    return wrong


# -- attempts that fail ------------------------------------------------------------------------------------------------


def out_of_range(redrawn: bool) -> Callable[[Rng], bool]:
    """One design is better on average, by rare large values outside of the range that was declared."""

    def wrong(rng: Rng) -> bool:
        def evaluate(design: dict[str, object], seed: int) -> list[float]:
            draw = np.random.default_rng(seed)
            value = float(draw.random() * 0.5 + (0.0 if design["name"] == "rare" else 0.25))
            while design["name"] == "rare" and draw.random() < 0.3:
                if not redrawn:
                    return [3.0]
                value = float(draw.random() * 0.5)
            return [value]

        facts = {"designs": ["rare", "steady"], "objectives": ["x"], "cone": LINE, "epsilon": 0.1, "delta": 0.05}
        with tempfile.TemporaryDirectory() as folder:
            seed = int(rng.integers(2**31))
            with cw.Study.create(Path(folder) / "s.db", **facts, noise=Bounded(0, 1), seed=seed) as study:
                with suppress(cw.ConewiseError):
                    run_study(study, evaluate, jobs=0, retries=100)
                result = study.result()
        return bool(result.guarantee) and not result.pareto[0]

    return wrong


CELLS = [
    Cell("stated epsilon, one look, finished", 0.05, stated_once, epsilon_of_a_smaller_set, "epsilon of a smaller set"),
    Cell("stated epsilon, one look, unfinished", 0.05, stated_before_the_end, None, ""),
    Cell("stated epsilon at every look", 0.05, stated_at_every_look, None, ""),
    *(
        Cell(
            f"rounded to {step:g} sigma, {each} values each",
            0.05,
            rounded(step, each, GaussianUnknown()),
            rounded(step, each, GaussianUnknown(resolution=0)) if step == 0.5 else None,
            "equal values taken for exact",
        )
        for step, each in ((0.25, 2), (0.5, 2), (1.0, 3), (2.0, 5))
    ),
    Cell(
        "rounded to 0.5 sigma, 20 values each, growing",
        0.05,
        rounded(0.5, 20, GaussianUnknown(), final=False),
        None,
        "",
    ),
    Cell(
        "pass rates under normal noise",
        0.05,
        pass_rates(GaussianUnknown()),
        pass_rates(GaussianUnknown(resolution=0)),
        "equal values taken for exact",
    ),
    Cell("a lucky follower frozen, cover", 0.1, frozen("cover", 1.0), frozen("cover", 1 / 2), "radii divided by 2"),
    Cell(
        "a lucky follower frozen, contain", 0.1, frozen("contain", 1.0), frozen("contain", 1 / 2), "radii divided by 2"
    ),
    Cell("any epsilon at any look", 0.1, any_epsilon(1.0), any_epsilon(1 / 8), "radii divided by 8"),
    Cell(
        "a noise of one's own",
        PAIRS * SHARE,
        own_noise(Laplace()),
        own_noise(SubGaussian(1.0)),
        "taken for subgaussian",
    ),
    Cell("values out of range", 0.05, out_of_range(False), out_of_range(True), "drawn again until in range"),
]


def allowed(runs: int, delta: float) -> int:
    """The largest number of failures that the exact test does not reject."""
    return int(binom.isf(LEVEL, runs, delta))


def judge(place: int, control: bool) -> Callable[[int], bool]:
    """Whether a run of a cell, or of its control, goes wrong."""
    cell = CELLS[place]
    wrong = cell.control if control else cell.wrong
    assert wrong is not None
    return lambda run: wrong(cell.rng(run))


def failures(place: int, control: bool, runs: int) -> int:
    """How often a cell, or its control, goes wrong."""
    return sum(map(judge(place, control), range(runs)))


def counts(place: int) -> list[tuple[int, bool]]:
    """What is counted of a cell: itself, and its control if it has one."""
    return [(place, False)] if CELLS[place].control is None else [(place, False), (place, True)]


def row(place: int, found: dict[tuple[int, bool], int], runs: int) -> str:
    """A line of the table."""
    cell, broken, bad = CELLS[place], found[place, False], found.get((place, True))
    control = "| – | | |" if bad is None else f"| {cell.as_control} | {bad} | {bad / runs:.3f} |"
    return f"| {cell.name} | {cell.delta:g} | {broken} | {broken / runs:.3f} | {allowed(runs, cell.delta)} {control}"


def page(found: dict[tuple[int, bool], int], runs: int, seconds: float) -> str:
    lines = [
        "# Validation: what is said around an answer",
        "",
        "Rules are held to delta on the pages [validation](validation.md) and [exact identification]"
        "(validation-exact.md). Here are the other promises of an answer, each beside a control that does what must "
        f"not be done: {runs} runs each, with fixed seeds. A promise passes if it is broken no more often than the "
        f"exact binomial bound at level {LEVEL:g} admits; a control must be beyond it.",
        "",
        f"Made by `python -m benchmarks.promises --runs {runs} --write` on {datetime.date.today().isoformat()}, in "
        f"{seconds / 60:.0f} minutes. {commits.here()}",
        "",
        "| promise | delta | broken | rate | at most | control | broken | rate |",
        "|---|--:|--:|--:|--:|---|--:|--:|",
    ]
    lines += [row(place, found, runs) for place in range(len(CELLS))]
    return "\n".join([*lines, ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    options = parser.parse_args()
    began = time.perf_counter()
    work = [each for place in range(len(CELLS)) for each in counts(place)]
    with ProcessPoolExecutor(options.processes) as pool:
        counted = pool.map(failures, *zip(*work, strict=True), [options.runs] * len(work))
        found = dict(zip(work, counted, strict=True))
    text = page(found, options.runs, time.perf_counter() - began)
    print(text)
    wrong = [
        CELLS[place].name
        for (place, control), broken in found.items()
        if (broken > allowed(options.runs, CELLS[place].delta)) != control
    ]
    for name in wrong:
        print(f"the promise is broken, or its control passes: {name}", file=sys.stderr)
    if options.write and not wrong:
        PAGE.write_text(text, encoding="utf-8")
        print(f"wrote {PAGE}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
