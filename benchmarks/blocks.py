"""Blocks measured: how many calls a simulated evaluation matrix needs, and how often an answer is wrong.

    python -m benchmarks.blocks [--runs 1000] [--matrices 3] [--minutes 60] [--write]

*Calls*: models with abilities and questions with difficulties (a two-parameter item response model), answers 0 or 1 in
two or three objectives; the share of all calls that paired elimination makes until everything is decided.
*Failures*: small instances with near-ties; an answer is wrong if the returned set fails at the epsilon stated for it.
Null hypothesis of a cell: at most a share DELTA of the answers is wrong; exact binomial test at LEVEL, fixed seeds.
A control with all radii divided (`divisor`) must be rejected. Calls and failures are kept as lines, so that a
measurement may be stopped and continued; `--write` makes docs/validation-blocks.md of all that is there.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from scipy.stats import binom

import conewise as cw
from benchmarks import lines
from benchmarks.batches import Batch, Trial, counted, missing
from benchmarks.feasibility import Truth, question
from conewise.analysis.analyse import analyse
from conewise.border import Floats
from conewise.data.observations import Observations
from conewise.noise import Binary, Bounded, ByObjective, GaussianUnknown, Known, Noise
from conewise.problems import Recorded
from conewise.question.question import Notion
from conewise.studies.loop import run
from conewise.studies.rules import build

DELTA, LEVEL, SEED = 0.1, 1e-6, 20150801
CONTROL, MIXED_CONTROL, CONTROLS = 4.0, 32.0, 200
PAGE = Path(__file__).resolve().parent.parent / "docs" / "validation-blocks.md"
KEPT, CALLS = (Path(__file__).with_name(name) for name in ("blocks.jsonl", "blockcalls.jsonl"))
Rng = np.random.Generator

# -- calls -----------------------------------------------------------------------------------------------------------

Shape = tuple[int, int, int]
MATRICES: tuple[tuple[Shape, float, bool], ...] = (
    ((40, 500, 2), 1.0, False),
    ((50, 800, 2), 1.0, False),
    ((60, 1000, 2), 1.0, False),
    ((50, 800, 3), 1.0, False),
    ((50, 800, 2), 0.5, False),
    ((50, 800, 2), 0.5, True),
    ((50, 800, 3), 0.5, True),
)
"""Models, questions and objectives; the spread of abilities, and whether objectives are traded off: hard cases last."""
EPSILONS = (0.1, 0.05, 0.02, 0.0)


def matrix(shape: Shape, rng: Rng, *, shared: bool = True, spread: float = 1.0, traded: bool = False) -> Floats:
    """Answers (K, Q, D) by an item response model: P(right) = 1 / (1 + exp(-a_q (ability - difficulty_q))).

    Abilities have standard deviation `spread` in every objective and correlation 1/3 between objectives; with `traded`
    they are independent, less half of their average, so that who is good at one is worse at another. `shared=False`
    gives every model its own accuracy on all questions, so that answers are not correlated.
    """
    k, q, d = shape
    ability = spread * (np.sqrt(1 / 3) * rng.normal(size=(k, 1)) + np.sqrt(2 / 3) * rng.normal(size=(k, d)))
    if traded:
        ability = spread * rng.normal(size=(k, d))
        ability -= ability.mean(axis=1, keepdims=True) / 2
    difficulty = 1.5 * rng.normal(size=(q, 1)) + 0.5 * rng.normal(size=(q, d))
    slope = np.exp(0.4 + 0.3 * rng.normal(size=(q, d)))
    right = 1 / (1 + np.exp(-slope * (ability[:, None, :] - difficulty)))
    if not shared:
        right = np.broadcast_to(right.mean(axis=1, keepdims=True), right.shape)
    return np.asarray(rng.random(right.shape) < right, dtype=np.float64)


def apart(values: Floats, rng: Rng) -> Floats:
    """The same answers, every model's in an order of its own: nothing is paired any more."""
    return np.stack([own[rng.permutation(len(own))] for own in values])


def calls(values: Floats, epsilon: float, seed: int) -> tuple[float, bool]:
    """The share of all calls that were made, and whether the answer is right."""
    problem, cone = Recorded(values), cw.Cone.orthant(values.shape[2])
    result = cw.identify(problem, cone, epsilon=epsilon, delta=0.05, rng=seed)
    right = bool(cw.verdict(result.pareto, problem.means, cone, result.certified_epsilon or 0.0))
    return result.evaluations / (values.shape[0] * values.shape[1]), right and bool(result.guarantee)


def unpaired_undecided(values: Floats, epsilon: float) -> int:
    """How many models the unpaired certificate leaves undecided after all calls."""
    k, q, d = values.shape
    observations = Observations.single(np.repeat(np.arange(k), q), values.reshape(-1, d))
    success = "cover" if epsilon > 0 else "contain"
    options = {"delta": 0.05, "epsilon": epsilon, "noise": Bounded(0, 1), "final": True, "success": success}
    found = analyse(observations, cw.Cone.orthant(d), **options)  # type: ignore[arg-type]
    return int((found.result.status == "undecided").sum())


@dataclass(frozen=True)
class Call:
    """One matrix, one epsilon."""

    place: int
    """Of the row in MATRICES."""
    epsilon: float
    matrix: int
    share: float
    right: bool
    left: int
    """Undecided without pairs, after all calls."""


def call(place: int, epsilon: float, number: int) -> Call:
    shape, spread, traded = MATRICES[place]
    values = matrix(shape, np.random.default_rng([SEED, *shape, number]), spread=spread, traded=traded)
    return Call(place, epsilon, number, *calls(values, epsilon, number), unpaired_undecided(values, epsilon))


def missing_calls(matrices: int, done: list[Call]) -> Iterator[Callable[[], Call]]:
    known = {(call.place, call.epsilon, call.matrix) for call in done}
    for number in range(matrices):
        for place in range(len(MATRICES)):
            for epsilon in EPSILONS:
                if (place, epsilon, number) not in known:
                    yield partial(call, place, epsilon, number)


def uncorrelated(matrices: int, epsilon: float) -> tuple[float, float]:
    """Mean shares of all calls on answers without correlation: paired, and with an order of its own for each model."""
    shares = []
    for number in range(matrices):
        rng = np.random.default_rng([SEED, 7, number])
        values = matrix((50, 800, 2), rng, shared=False)
        shares.append((calls(values, epsilon, number)[0], calls(apart(values, rng), epsilon, number)[0]))
    paired, alone = np.mean(shares, axis=0)
    return float(paired), float(alone)


# -- failures --------------------------------------------------------------------------------------------------------

RATES = np.array([[0.6, 0.5], [0.52, 0.42], [0.45, 0.62], [0.6, 0.5]])
"""The second is dominated by a little more than EPSILON, the fourth is a twin of the first."""
EPSILON, BLOCKS = 0.06, 60
KINDS = ("0/1", "bounded", "normal", "0/1, a level", "normal, a level", "mixed", "mixed, wide cone", "mixed, a level")
POPULATIONS = ("the recorded blocks", "three times as many", "unlimited")


def drawn(kind: str, blocks: int, rng: Rng) -> Floats:
    """(4, blocks, 2): answers that share the difficulty of their block."""
    hard = rng.normal(size=(1, blocks, 1))
    own = rng.normal(size=(len(RATES), blocks, 2))
    common = np.sqrt(0.5) * hard + np.sqrt(0.5) * own  # standard normal, correlated within a block
    if kind == "normal":
        return np.asarray(RATES[:, None, :] + 0.3 * common)
    from scipy.special import ndtr

    uniform = ndtr(common)
    if kind.startswith("mixed"):
        right = (uniform[:, :, 0] < RATES[:, :1]).astype(np.float64)
        return np.stack([right, RATES[:, 1:] + 0.3 * common[:, :, 1], np.broadcast_to(PRICES, right.shape)], axis=2)
    if kind == "0/1":
        return np.asarray((uniform < RATES[:, None, :]).astype(np.float64))
    return np.asarray(uniform ** (1 / RATES[:, None, :] - 1))  # a skewed law on [0, 1] with these means


PRICES = np.array([[0.3], [0.2], [0.3], [0.3]])
"""Where kinds are mixed: a third objective, without noise, in which the second design is behind as well."""
MIXED = ByObjective([Binary(), GaussianUnknown(), Known()])
NOISES: dict[str, Noise] = {
    "0/1": Bounded(0, 1),
    "bounded": Bounded(0, 1),
    "normal": GaussianUnknown(),
    "mixed": MIXED,
    "mixed, wide cone": MIXED,
}
WIDE = cw.Cone([[1.0, 0.2, 0.1], [0.2, 1.0, 0.1], [0.1, 0.2, 1.0]])
"""Every facet weighs all kinds."""

LEVEL_OF_THE_FIRST = 0.52
"""Where there is a level: on the boundary lies the second design, and the third, which misses it, beats nobody."""
WITH_A_LEVEL = ", a level"


def wrong(kind: str, population: str, rng: Rng, scale: float = 1.0) -> bool:
    """Whether one run states more than is true; a run that states nothing is not wrong."""
    values_kind = kind.removesuffix(WITH_A_LEVEL)
    blocks = BLOCKS * (3 if population == POPULATIONS[1] else 1)
    values = drawn(values_kind, blocks, rng)
    expected = np.hstack([RATES, PRICES]) if values_kind.startswith("mixed") else RATES
    truth = expected if population == POPULATIONS[2] else values.mean(axis=1)
    of: bool | int = population != POPULATIONS[2] and (population == POPULATIONS[0] or blocks)
    seen = values[:, rng.permutation(blocks)[:BLOCKS]]
    success: Notion = "contain" if rng.random() < 0.5 else "cover"
    levels = np.full(values.shape[2], -np.inf)
    if kind != values_kind:
        levels[0] = LEVEL_OF_THE_FIRST
    noise, cone = NOISES[values_kind], WIDE if kind.endswith("wide cone") else cw.Cone.orthant(values.shape[2])
    asked = question(cone, EPSILON, DELTA, noise, success, levels)
    recorded = Recorded(seen, of, noise=noise)
    rule = build("paired", asked, len(RATES), {"radius_scale": scale}, recorded)
    result = run(rule, recorded.reading(rng), rng=rng)
    stated = result.certified_epsilon
    return stated is not None and not Truth.of(truth, levels, asked).succeeds(result.pareto, stated)


@dataclass(frozen=True)
class Failures:
    kind: str
    population: str
    runs: int
    wrong: int
    controls: int
    control: int

    @property
    def kept(self) -> bool:
        return float(binom.sf(self.wrong - 1, self.runs, DELTA)) > LEVEL

    @property
    def rejected(self) -> bool:
        return float(binom.sf(self.control - 1, self.controls, DELTA)) <= LEVEL


def judge(kind: str, population: str, scale: float) -> Callable[[int], bool]:
    """Whether a run is wrong, with every radius multiplied by `scale`."""
    name = zlib.crc32(f"{kind} {population}".encode())
    return lambda run: wrong(kind, population, np.random.default_rng([SEED, name, run]), scale)


def named(kind: str, population: str) -> str:
    return f"{kind}; {population}"


def _judged(kind: str, population: str, control: bool) -> Callable[[int], bool]:
    return judge(kind, population, 1 / divisor(kind) if control else 1.0)


def divisor(kind: str) -> float:
    """By what the control divides all radii."""
    return MIXED_CONTROL if kind.startswith("mixed") else CONTROL


def trials(runs: int) -> list[Trial]:
    """All cells."""
    return [Trial(named(k, p), partial(_judged, k, p), runs, CONTROLS) for k in KINDS for p in POPULATIONS]


def failures(done: list[Batch]) -> list[Failures]:
    """Of all cells that have runs."""
    found = []
    for kind in KINDS:
        for population in POPULATIONS:
            (runs, bad), (few, control) = (counted(done, named(kind, population), c) for c in (False, True))
            found += [Failures(kind, population, runs, bad, few, control)] if runs else []
    return found


# -- the page --------------------------------------------------------------------------------------------------------


def page(calls: str, cells: list[Failures]) -> str:
    head = [
        "# Blocks, measured",
        "",
        "Written by `python -m benchmarks.blocks --write`, from the lines in benchmarks/blocks.jsonl and "
        f"benchmarks/blockcalls.jsonl; [blocks](blocks.md) says what is measured. Of failures: {lines.made_with(KEPT)}",
        "",
    ]
    return "\n".join([*head, calls.strip(), "", *_failure_lines(cells), ""])


def earlier_calls(text: str) -> str:
    """The section about calls of a page that was written before."""
    return text[text.index("## Calls") : text.index("## Failures")]


def calls_section(done: list[Call], flat: list[tuple[float, float, float]], matrices: int) -> str:
    text = [
        "## Calls",
        "",
        f"Simulated evaluation matrices, {matrices} a row: an item response model with abilities of the standard "
        "deviation given (*traded off*: less half of their average over the objectives: more are rivals) "
        "and difficulties of 1.6, answers 0 or 1, orthant, delta 0.05. The share of all calls until "
        'every model is decided ("cover"; at epsilon 0 the exact Pareto set), and how many models the unpaired '
        "certificate leaves undecided, on average, after *all* calls.",
        "",
        "| models | questions | columns | abilities | epsilon | share of calls | most | right | unpaired: undecided |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for (k, q, d), spread, traded in MATRICES:
        for epsilon in EPSILONS:
            place = MATRICES.index(((k, q, d), spread, traded))
            row = [call for call in done if (call.place, call.epsilon) == (place, epsilon)]
            shares, abilities = [call.share for call in row], f"{spread:g}{', traded off' if traded else ''}"
            if row:
                text.append(
                    f"| {k} | {q} | {d} | {abilities} | {epsilon:g} | {np.mean(shares):.1%} | {max(shares):.1%} | "
                    f"{sum(call.right for call in row)} of {len(row)} | {np.mean([call.left for call in row]):.0f} |"
                )
    text += ["", "Answers that are not correlated, 50 models on 800 questions, two objectives:", ""]
    text += ["| epsilon | paired | an order of its own for each model | ratio |", "|---|---|---|---|"]
    text += [f"| {e:g} | {paired:.1%} | {alone:.1%} | {paired / alone:.3f} |" for e, paired, alone in flat]
    return "\n".join(text)


def _failure_lines(cells: list[Failures]) -> list[str]:
    text = [
        "## Failures",
        "",
        f"Four designs, two of them twins and one dominated by little more than epsilon = {EPSILON:g}; {BLOCKS} "
        f"blocks, delta {DELTA:g}, values that share the difficulty of their block. Wrong is an answer that does not "
        f"hold at the epsilon stated for it. *A level*: at least {LEVEL_OF_THE_FIRST:g} in the first objective, where "
        "one design is exactly on it and one misses it. *Mixed*: the first objective 0 or 1, the second normal, and a "
        "third one known; the facets of the *wide cone* weigh all three. In the control all radii are divided by "
        f"{CONTROL:g}, where kinds are mixed by {MIXED_CONTROL:g}. Exact binomial tests at {LEVEL:g}.",
        "",
        "| noise | averages over | runs | wrong | delta kept | control wrong | control rejected |",
        "|---|---|---|---|---|---|---|",
    ]
    text += [
        f"| {c.kind} | {c.population} | {c.runs} | {c.wrong} | {'yes' if c.kept else 'NO'} | "
        f"{c.control} of {c.controls} | {'yes' if c.rejected else 'NO'} |"
        for c in cells
    ]
    return text


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.blocks", description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--matrices", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=60.0, help="of CPU time for each part, after which it stops")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}, from what was measured")
    options = parser.parse_args()
    if options.minutes > 0:
        lines.fill(KEPT, missing(trials(options.runs), lines.read(KEPT, Batch)), options.minutes)
        lines.fill(CALLS, missing_calls(options.matrices, lines.read(CALLS, Call)), options.minutes)
    if options.write:
        calls = earlier_calls(PAGE.read_text(encoding="utf-8"))
        if done := lines.read(CALLS, Call):
            flat = [(epsilon, *uncorrelated(options.matrices, epsilon)) for epsilon in EPSILONS[::2]]
            calls = calls_section(done, flat, options.matrices)
        PAGE.write_text(page(calls, failures(lines.read(KEPT, Batch))), encoding="utf-8")


if __name__ == "__main__":
    main()
