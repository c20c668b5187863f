"""Blocks measured: how many calls a simulated evaluation matrix needs, and how often an answer is wrong.

    python -m benchmarks.blocks [--runs 1000] [--matrices 3] [--write]

*Calls*: models with abilities and questions with difficulties (a two-parameter item response model), answers 0 or 1 in
two or three objectives; the share of all calls that paired elimination makes until everything is decided.
*Failures*: small instances with near-ties; an answer is wrong if the returned set fails at the epsilon stated for it.
Null hypothesis of a cell: at most a share DELTA of the answers is wrong; exact binomial test at LEVEL, fixed seeds.
A control with all radii divided by CONTROL must be rejected. `--write` makes docs/validation-blocks.md.
"""

from __future__ import annotations

import argparse
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import binom

import conewise as cw
from conewise._arrays import Floats
from conewise.analysis.analyse import analyse
from conewise.feedback import Observations
from conewise.noise import Bounded, GaussianUnknown, Noise
from conewise.problems import Recorded

DELTA, LEVEL, SEED = 0.1, 1e-6, 20150801
CONTROL, CONTROLS = 4.0, 200
PAGE = Path(__file__).resolve().parent.parent / "docs" / "validation-blocks.md"
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
class Calls:
    shape: Shape
    epsilon: float
    spread: float
    traded: bool
    shares: tuple[float, ...]
    right: int
    left: int


def call_rows(matrices: int) -> Iterator[Calls]:
    for shape, spread, traded in MATRICES:
        for epsilon in EPSILONS:
            found = []
            left = 0
            for run in range(matrices):
                values = matrix(shape, np.random.default_rng([SEED, *shape, run]), spread=spread, traded=traded)
                found.append(calls(values, epsilon, run))
                left += unpaired_undecided(values, epsilon)
            right = sum(r for _, r in found)
            yield Calls(shape, epsilon, spread, traded, tuple(s for s, _ in found), right, left)


def uncorrelated(matrices: int, epsilon: float) -> tuple[float, float]:
    """Mean shares of all calls on answers without correlation: paired, and with an order of its own for each model."""
    shares = []
    for run in range(matrices):
        rng = np.random.default_rng([SEED, 7, run])
        values = matrix((50, 800, 2), rng, shared=False)
        shares.append((calls(values, epsilon, run)[0], calls(apart(values, rng), epsilon, run)[0]))
    paired, alone = np.mean(shares, axis=0)
    return float(paired), float(alone)


# -- failures --------------------------------------------------------------------------------------------------------

RATES = np.array([[0.6, 0.5], [0.52, 0.42], [0.45, 0.62], [0.6, 0.5]])
"""The second is dominated by a little more than EPSILON, the fourth is a twin of the first."""
EPSILON, BLOCKS = 0.06, 60
KINDS = ("0/1", "bounded", "normal")
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
    if kind == "0/1":
        return np.asarray((uniform < RATES[:, None, :]).astype(np.float64))
    return np.asarray(uniform ** (1 / RATES[:, None, :] - 1))  # a skewed law on [0, 1] with these means


NOISES: dict[str, Noise] = {"0/1": Bounded(0, 1), "bounded": Bounded(0, 1), "normal": GaussianUnknown()}


def wrong(kind: str, population: str, rng: Rng, scale: float = 1.0) -> bool:
    """Whether one run states more than is true; a run that states nothing is not wrong."""
    blocks = BLOCKS * (3 if population == POPULATIONS[1] else 1)
    values = drawn(kind, blocks, rng)
    truth = RATES if population == POPULATIONS[2] else values.mean(axis=1)
    of: bool | int = population != POPULATIONS[2] and (population == POPULATIONS[0] or blocks)
    seen = values[:, rng.permutation(blocks)[:BLOCKS]]
    success = "contain" if rng.random() < 0.5 else "cover"
    result = cw.identify(
        Recorded(seen, of),
        cw.Cone.orthant(2),
        epsilon=EPSILON,
        delta=DELTA,
        noise=NOISES[kind],
        rng=rng,
        success=success,
        radius_scale=scale,
    )
    stated = result.certified_epsilon
    if stated is None:
        return False
    found = cw.verdict(result.pareto, truth, cw.Cone.orthant(2), stated)
    return not found or (success == "contain" and len(found.missed) > 0)


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


def cell(kind: str, population: str, runs: int, *, control: bool = True) -> Failures:
    def count(scale: float, runs: int) -> int:
        return sum(map(judge(kind, population, scale), range(runs)))

    few = min(runs, CONTROLS) if control else 0
    return Failures(kind, population, runs, count(1.0, runs), few, count(1 / CONTROL, few))


# -- the page --------------------------------------------------------------------------------------------------------


def page(rows: list[Calls], flat: list[tuple[float, float, float]], cells: list[Failures], matrices: int) -> str:
    lines = [
        "# Blocks, measured",
        "",
        "Written by `python -m benchmarks.blocks --write`; [blocks](blocks.md) says what is measured.",
        "",
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
    for row in rows:
        k, q, d = row.shape
        abilities = f"{row.spread:g}{', traded off' if row.traded else ''}"
        lines.append(
            f"| {k} | {q} | {d} | {abilities} | {row.epsilon:g} | {np.mean(row.shares):.1%} | {max(row.shares):.1%} "
            f"| {row.right} of {len(row.shares)} | {row.left / len(row.shares):.0f} |"
        )
    lines += ["", "Answers that are not correlated, 50 models on 800 questions, two objectives:", ""]
    lines += ["| epsilon | paired | an order of its own for each model | ratio |", "|---|---|---|---|"]
    lines += [f"| {e:g} | {paired:.1%} | {alone:.1%} | {paired / alone:.3f} |" for e, paired, alone in flat]
    lines += [
        "",
        "## Failures",
        "",
        f"Four designs, two of them twins and one dominated by little more than epsilon = {EPSILON:g}; {BLOCKS} "
        f"blocks, delta {DELTA:g}, values that share the difficulty of their block. Wrong is an answer that does not "
        f"hold at the epsilon stated for it. In the control all radii are divided by {CONTROL:g}. Exact binomial tests "
        f"at {LEVEL:g}.",
        "",
        "| noise | averages over | runs | wrong | delta kept | control wrong | control rejected |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {c.kind} | {c.population} | {c.runs} | {c.wrong} | {'yes' if c.kept else 'NO'} | "
        f"{c.control} of {c.controls} | {'yes' if c.rejected else 'NO'} |"
        for c in cells
    ]
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.blocks", description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--matrices", type=int, default=3)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    began = time.monotonic()
    flat = []
    for epsilon in EPSILONS[::2]:
        flat.append((epsilon, *uncorrelated(options.matrices, epsilon)))
        print("uncorrelated", flat[-1], flush=True)
    rows = []
    for row in call_rows(options.matrices):
        rows.append(row)
        print(row, f"{np.mean(row.shares):.3f}", f"{time.monotonic() - began:.0f} s", flush=True)
    cells = []
    for kind in KINDS:
        for population in POPULATIONS:
            cells.append(found := cell(kind, population, options.runs))
            print(found, found.kept, found.rejected, f"{time.monotonic() - began:.0f} s", flush=True)
    if options.write:
        PAGE.write_text(page(rows, flat, cells, options.matrices), encoding="utf-8")


if __name__ == "__main__":
    main()
