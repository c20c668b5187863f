"""How often data of a kind that is easily misread lead to a wrong answer, before and after the mending.

    python -m benchmarks.misled [--runs 300] [--write]
    PYTHONPATH=<source of another version> python -m benchmarks.misled --column before --write

A cell draws a table from a random stream and says whether the answer was wrong. Its negative control asks the same in a
way that must be wrong often, so that the cell is known to notice errors. To add a cell, write a function of a random
stream and add a `Cell` to CELLS. `--write` keeps the counts in misled.json and makes MISLED.md from all counts there.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import os
import platform
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy.stats import binomtest

import conewise as cw
from benchmarks import commits
from conewise.certificate.tuning import CONTAIN_PARTS
from conewise.noise import Bounded, Gaussian, GaussianUnknown, Noise
from conewise.problems import Recorded

SEED, RUNS, DELTA = 20261119, 300, 0.05
COLUMNS = ("before", "after")
FOUND = Path(__file__).with_name("misled.json")
PAGE = FOUND.with_name("MISLED.md")
Rng = np.random.Generator
Wrong = Callable[[Rng], bool]
EXACT = GaussianUnknown(resolution=0)
"""Normal noise of values that are declared to be recorded with all digits: false of all tables here."""


@dataclass(frozen=True)
class Cell:
    """Some kind of data: `wrong` draws a table and judges the answer; `control` must be wrong often."""

    name: str
    wrong: Wrong
    control: Wrong
    as_control: str
    delta: float = DELTA

    def judge(self, control: bool = False) -> Callable[[int], bool]:
        """Return a function that says whether a run of the cell, or of its control, goes wrong."""
        wrong, name = self.control if control else self.wrong, zlib.crc32(self.name.encode())
        return lambda run: wrong(np.random.default_rng([SEED, name, run]))

    def count(self, runs: int, control: bool = False) -> int:
        """Return how many of so many runs go wrong."""
        return sum(map(self.judge(control), range(runs)))


def told_apart(values: np.ndarray, noise: Noise, block: str | None = None) -> bool:
    """Return whether a final table of (designs, repetitions) values calls any design beaten: all are equal."""
    k, each = values.shape
    table = {"design": np.repeat([f"d{i}" for i in range(k)], each), "x": values.ravel()}
    table |= {} if block is None else {block: np.tile(np.arange(each), k)}
    once: dict[str, Any] = {"block": block} if block else {"final": True}
    found = cw.analyse(table, objectives=["x"], delta=DELTA, noise=noise, **once)
    return bool((found.result.status == "beaten").any())


# -- values that were rounded, but not all alike ---------------------------------------------------------------------


def rounded(rng: Rng, step: float, designs: int = 10) -> np.ndarray:
    """Two values of each of some equal designs, rounded to a step in standard deviations."""
    return np.asarray(np.round((rng.normal(size=(designs, 2)) + rng.random() * step) / step) * step)


def of_two_precisions(noise: Noise, step: float) -> Wrong:
    """Half of the rounded values, drawn at random, were recorded in single precision."""

    def wrong(rng: Rng) -> bool:
        values = rounded(rng, step)
        single = rng.random(values.shape) < 0.5
        return told_apart(np.where(single, values.astype(np.float32), values), noise)

    return wrong


def of_more_digits(noise: Noise, step: float) -> Wrong:
    """One of the rounded values has four more digits."""

    def wrong(rng: Rng) -> bool:
        values = rounded(rng, step)
        values[rng.integers(len(values)), rng.integers(2)] += step * 1e-4 * rng.choice([-3, -2, -1, 1, 2, 3])
        return told_apart(values, noise)

    return wrong


def of_many_digits(noise: Noise, share: float) -> Wrong:
    """A share of the rounded values has four more digits."""

    def wrong(rng: Rng) -> bool:
        values = rounded(rng, 1.4)
        more = 1.4e-4 * rng.choice([-3, -2, -1, 1, 2, 3], size=values.shape)
        return told_apart(values + more * (rng.random(values.shape) < share), noise)

    return wrong


def of_two_steps(noise: Noise) -> Wrong:
    """Half of ten equal designs, with ten values each, are rounded to 6 standard deviations, the others exact."""

    def wrong(rng: Rng) -> bool:
        values = rng.normal(size=(10, 10)) + rng.random() * 6
        values[:5] = np.round(values[:5] / 6) * 6
        return told_apart(values, noise)

    return wrong


# -- values that never vary ------------------------------------------------------------------------------------------

GOOD = np.array([10.0, 10.1, 10.2, 10.3])
FAILS = 1 - 9.8 / GOOD


def rare_failures(noise: Noise, each: int, block: str | None = None) -> Wrong:
    """Four designs with equal averages; one with good values fails (0) more often, in 2 to 5 % of its evaluations."""

    def wrong(rng: Rng) -> bool:
        failed = rng.random((4, each)) < FAILS[:, None]
        return told_apart(np.where(failed, 0.0, GOOD[:, None]), noise, block)

    return wrong


# -- noise that nobody stated ----------------------------------------------------------------------------------------

LINE = cw.Cone.orthant(1)
STEADY = np.array([[10.0], [9.99]])


def with_a_flaky(rng: Rng, each: int, failing: float) -> np.ndarray:
    """Values (2, each): a steady design, and one that fails (0) now and then and is worse by 0.01 on average."""
    lifted = STEADY[1, 0] * failing / (1 - failing)  # by which successes make up for failures
    steady, flaky = STEADY + [[0.0], [lifted]] + 0.1 * rng.normal(size=(2, each))
    return np.stack([steady, np.where(rng.random(each) < failing, 0.0, flaky)])


def guaranteed_wrongly(result: cw.Result, means: np.ndarray, cone: cw.Cone) -> bool:
    """Return whether the answer is called a guarantee, and fails at the epsilon that is certified."""
    return bool(result.guarantee) and not cw.verdict(result.pareto, means, cone, result.certified_epsilon)


def flaky_in_blocks(noise: Noise | None) -> Wrong:
    """Both designs met 20 blocks, a sample of an unlimited population; 5 % of the evaluations of one fail."""

    def wrong(rng: Rng) -> bool:
        values = with_a_flaky(rng, 20, 0.05)
        table = {"design": ["steady"] * 20 + ["flaky"] * 20, "value": values.ravel(), "block": [*range(20)] * 2}
        found = cw.analyse(table, block="block", objectives=["value"], delta=DELTA, noise=noise)
        return guaranteed_wrongly(found.result, STEADY, LINE)

    return wrong


def flaky_in_rows(noise: Noise | None) -> Wrong:
    """A final table with 24 rows of both designs; 5 % of the evaluations of one fail."""

    def wrong(rng: Rng) -> bool:
        values = with_a_flaky(rng, 24, 0.05)
        observations = cw.Observations.single(np.repeat([0, 1], 24), values.reshape(-1, 1))
        found = cw.analyse(observations, LINE, delta=DELTA, noise=noise, final=True)
        return guaranteed_wrongly(found.result, STEADY, LINE)

    return wrong


def flaky_in_runs(noise: Noise | None) -> Wrong:
    """An identification reads recorded blocks one after the other; 10 % of the evaluations of one design fail."""

    def wrong(rng: Rng) -> bool:
        problem = Recorded(with_a_flaky(rng, 400, 0.1)[:, :, None], population=False, noise=noise)
        found = cw.identify(problem, LINE, epsilon=0.0, delta=DELTA, rng=rng, max_evaluations=800)
        return guaranteed_wrongly(found, STEADY, LINE)

    return wrong


# -- a study's own export --------------------------------------------------------------------------------------------


def told_back(as_new: bool) -> Wrong:
    """A study of 5 designs with 3 evaluations each is told its export 5 times; `as_new` drops the numbers."""

    def wrong(rng: Rng) -> bool:
        means, cone = rng.normal(size=(5, 2)), cw.Cone.orthant(2)
        options: dict[str, Any] = {"objectives": ["x", "y"], "epsilon": 0.3, "delta": DELTA, "noise": Gaussian(1.0)}
        with (
            TemporaryDirectory() as folder,
            cw.Study.create(Path(folder) / "s.db", designs=list("abcde"), cone=cone, **options) as study,
        ):
            study.record([k % 5 for k in range(15)], np.tile(means, (3, 1)) + rng.normal(size=(15, 2)))
            for _ in range(5):
                told = study.evaluations()
                if as_new:
                    study.record(told.design, told.values)
                else:
                    study.tell(told.to_frame("pyarrow").to_pylist())
            return guaranteed_wrongly(study.result(), means, cone)

    return wrong


CELLS = [
    *(
        Cell(
            f"rounded to {step:g} sigma, half of the values in single precision, 10 equal designs, 2 values each",
            of_two_precisions(GaussianUnknown(), step),
            of_two_precisions(EXACT, step),
            "rounded values declared exact",
        )
        for step in (0.7, 1.4)
    ),
    *(
        Cell(
            f"rounded to {step:g} sigma, one value with four more digits, 10 equal designs, 2 values each",
            of_more_digits(GaussianUnknown(), step),
            of_more_digits(EXACT, step),
            "rounded values declared exact",
        )
        for step in (1.4, 2.1)
    ),
    *(
        Cell(
            f"rounded to 1.4 sigma, {share:.0%} of the values with four more digits, 10 equal designs, 2 values each",
            of_many_digits(GaussianUnknown(), share),
            of_many_digits(EXACT, share),
            "rounded values declared exact",
        )
        for share in (0.3, 0.6)
    ),
    Cell(
        "5 of 10 equal designs rounded to 6 sigma, the others exact, 10 values each",
        of_two_steps(GaussianUnknown()),
        of_two_steps(EXACT),
        "rounded values declared exact",
    ),
    Cell(
        "rare failures: 4 designs with equal averages, 4 evaluations each",
        rare_failures(GaussianUnknown(), 4),
        rare_failures(EXACT, 4),
        "equal values declared exact",
    ),
    Cell(
        "rare failures: 4 designs with equal averages on 10 blocks",
        rare_failures(GaussianUnknown(), 10, "block"),
        rare_failures(EXACT, 10, "block"),
        "equal values declared exact",
    ),
    *(
        Cell(
            f"a flaky design beside a steady one, {where}: {given}",
            wrong(noise),
            wrong(GaussianUnknown()),
            "stated as normal, which is false",
        )
        for where, wrong in (
            ("20 shared blocks", flaky_in_blocks),
            ("24 rows each", flaky_in_rows),
            ("adaptive runs", flaky_in_runs),
        )
        for given, noise in (("noise not stated", None), ("its range stated", Bounded(0.0, 14.0)))
    ),
    Cell(
        "a study of 5 designs, 3 evaluations each, is told its own export 5 times",
        told_back(as_new=False),
        told_back(as_new=True),
        "told as new measurements",
    ),
]


# -- what is spent ---------------------------------------------------------------------------------------------------


def spent(dim: int) -> float:
    """The part of its share that a claim spends in one look at bounded objectives measured separately: at most 1.

    Three designs without any spread certify an epsilon that is the radius z u + z^2 / (6 n). At four values each the
    bound u of the standard deviation of a difference is its largest, sqrt(1 / (2 n)), which gives z. At 4,000 it is
    sqrt(2 log(1/p) / (n (n - 1))), which gives p. Each of three designs has an even share for every objective.
    """

    def certified(times: int) -> float:
        table = {"design": np.repeat(list("abc"), times), **{f"f{d}": np.full(3 * times, 0.5) for d in range(dim)}}
        asked: dict[str, Any] = {"objectives": [f"f{d}" for d in range(dim)], "final": True, "separate": True}
        epsilon = cw.analyse(table, delta=DELTA, noise=Bounded(0, 1), **asked).result.certified_epsilon
        assert epsilon is not None
        return epsilon

    few, many = 4, 4000
    a, b = 1 / (6 * few), math.sqrt(0.5 / few)
    z = (math.sqrt(b**2 + 4 * a * certified(few)) - b) / (2 * a)
    u = (certified(many) - z**2 / (6 * many)) / z
    each = math.exp(-(z**2) / 2) + math.exp(-(u**2) * many * (many - 1) / 2)
    return 3 * dim * each / (CONTAIN_PARTS[0] * DELTA)


# -- the page --------------------------------------------------------------------------------------------------------


def rate(wrong: int, runs: int) -> str:
    """A count with its exact 95 % interval (Clopper and Pearson)."""
    low, high = binomtest(wrong, runs).proportion_ci(0.95, "exact")
    return f"{wrong} of {runs} ({100 * low:.1f} to {100 * high:.1f} %)"


def page(found: dict[str, Any]) -> str:
    """The page from all counts that are kept."""
    kept = [column for column in COLUMNS if column in found]
    lines = [
        "# How often data that are easily misread lead to a wrong answer",
        "",
        f"Wrong answers with their exact 95 % intervals, at delta = {DELTA:g}. A negative control asks in a way that "
        "must be wrong often. Made by `python -m benchmarks.misled --write`; *before* is version 0.2.0.",
        "",
        *(
            f"* {column}: {found[column]['date']}, {found[column]['machine']}. {found[column]['code']}"
            for column in kept
        ),
        "",
        "| data | " + " | ".join(kept) + " | negative control | wrong |",
        "|---|" + "--:|" * len(kept) + "---|--:|",
    ]
    for cell in CELLS:
        counts = [found[column]["cells"].get(cell.name) for column in kept]
        shown = ["–" if count is None else rate(count["wrong"], count["runs"]) for count in counts]
        last = next((count for count in reversed(counts) if count is not None), None)
        control = "–" if last is None else rate(last["control"], last["runs"])
        lines.append(f"| {cell.name} | {' | '.join(shown)} | {cell.as_control} | {control} |")
    lines += [
        "",
        "What one look at bounded objectives that were measured separately spends, in delta (`misled.spent`):",
        "",
        "| objectives | " + " | ".join(kept) + " |",
        "|--:|" + "--:|" * len(kept),
        *(
            f"| {dim} | " + " | ".join(f"{found[column]['spent'][dim]:.3f}" for column in kept) + " |"
            for dim in found[kept[0]]["spent"]
        ),
    ]
    return "\n".join([*lines, ""])


def measured(runs: int, cells: Sequence[Cell]) -> dict[str, Any]:
    """Counts of all cells and their controls, with the day, the machine and the version of the library."""
    return {
        "date": datetime.date.today().isoformat(),
        "machine": f"{os.cpu_count()} cores, Python {platform.python_version()}, numpy {np.__version__}",
        "code": commits.said([commits.commit(Path(cw.__file__).parents[2])]),
        "cells": {
            cell.name: {"wrong": cell.count(runs), "control": cell.count(runs, True), "runs": runs} for cell in cells
        },
        "spent": {str(dim): spent(dim) for dim in (2, 3, 4)},
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--column", choices=COLUMNS, default="after")
    parser.add_argument("--only", default="", metavar="TEXT", help="cells whose name holds this text")
    parser.add_argument("--write", action="store_true", help="keep the counts, and make MISLED.md")
    options = parser.parse_args(arguments)
    found: dict[str, Any] = json.loads(FOUND.read_text("utf-8")) if FOUND.exists() else {}
    fresh = measured(options.runs, [cell for cell in CELLS if options.only in cell.name])
    cells = found.get(options.column, {"cells": {}})["cells"] | fresh["cells"]
    found[options.column] = {**fresh, "cells": cells}
    print(page(found))
    if options.write:
        FOUND.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
        PAGE.write_text(page(found), "utf-8")


if __name__ == "__main__":
    main()
