"""Ararat & Tekin 2023, section 7 and the supplementary table, regenerated beside the paper's own numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from conewise.border import Floats, as_count
from conewise.cone.cone import Cone
from conewise.experiments.compare import LEVEL, Cell, exact_cell, mean_cell, rate_cell
from conewise.experiments.papers import ararat_tekin_2023_tables as printed
from conewise.experiments.repeat import Scores, repeat_naive
from conewise.limits import LARGEST_SEED
from conewise.noise import Gaussian
from conewise.order.budgets import naive_budget
from conewise.order.dominance import pareto_mask
from conewise.order.gaps import suboptimality_gaps
from conewise.problems import SimulatedBandit, load

DELTA = 0.01
TEST = (
    f"rates: exact binomial, level {LEVEL:.1%} (the paper's count of 100 against our Clopper-Pearson interval); "
    f"means: {LEVEL:.1%} normal interval of the difference of both samples, plus one event in 100 runs and rounding"
)


@dataclass(frozen=True, eq=False)
class Reproduction:
    """Every printed number of the experiments beside ours, and the data of the two figures."""

    problem: SimulatedBandit
    cones: tuple[Cone, ...]
    fronts: tuple[np.ndarray, ...]
    cells: tuple[Cell, ...]
    scores: Scores
    runs: int
    seed: int

    @property
    def outside(self) -> tuple[Cell, ...]:
        """Numbers outside the sampling error."""
        return tuple(cell for cell in self.cells if not cell.inside)

    @property
    def disagreements(self) -> frozenset[str]:
        """Settings (an L and an angle) with a number outside: all numbers of one setting come from the same runs."""
        found = (f"{cell.row.partition(',')[0]}, {cell.column.split()[-1]}" for cell in self.outside)
        return frozenset(found)

    @property
    def allowed(self) -> int:
        """How many settings may disagree by chance: exceeded with probability below 1e-3 if all were fine."""
        from scipy.stats import binom

        settings = len(printed.LEVELS) * len(printed.ANGLES)
        numbers = 3 * len(printed.EPSILONS) + 1  # SR, NF1 and NF2 for every epsilon, PM once
        return int(binom.isf(1e-3, settings, numbers * (1 - LEVEL)))

    @property
    def reproduced(self) -> bool:
        """Exact numbers equal, and no more settings outside the sampling error than chance allows."""
        exact = all(cell.inside for cell in self.cells if cell.table == "Table 1")
        return exact and len(self.disagreements) <= self.allowed

    @property
    def verdict(self) -> str:
        """The overall verdict, as a sentence."""
        word = "REPRODUCED" if self.reproduced else "NOT REPRODUCED"
        agree = f"{len(self.cells) - len(self.outside)} of {len(self.cells)} printed numbers agree"
        differ = f"{len(self.disagreements)} of 12 settings differ; {self.allowed} may by chance"
        return f"{word}: {agree} with {self.runs} run{'s' * (self.runs != 1)} of ours ({differ})"

    @property
    def notes(self) -> tuple[str, ...]:
        """Where the paper's own table does not show the success rate rising with the angle, as section 7 says."""
        found = []
        for (count, epsilon), (theirs, *_) in printed.TABLE_3.items():
            level, row = printed.LEVELS.index(count), printed.EPSILONS.index(epsilon)
            ours = 100 * self.scores.successes[:, level, row] / self.runs
            for first, second in ((0, 1), (1, 2)):
                low, high = theirs[first], theirs[second]
                error = np.sqrt((low * (100 - low) + high * (100 - high)) / printed.RUNS)
                settled = {low, high} <= {0} or {low, high} <= {100} or (low, high) == (99, 100)
                if high - low <= 2 * error and not settled:
                    found.append(
                        f"L = {count}, epsilon = {epsilon:g}: {printed.ANGLES[first]} and {printed.ANGLES[second]} "
                        f"degrees are level in the paper ({low} and {high} %; "
                        f"ours {ours[first]:.1f} and {ours[second]:.1f} %)"
                    )
        return tuple(found)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; the same for the same seed and runs."""
        return {
            "paper": "Ararat & Tekin (2023), Vector Optimization with Stochastic Bandit Feedback",
            "runs": self.runs,
            "seed": self.seed,
            "test": TEST,
            "reproduced": self.reproduced,
            "verdict": self.verdict,
            "notes": list(self.notes),
            "pareto_sets": {
                str(cone): np.flatnonzero(front).tolist() for cone, front in zip(self.cones, self.fronts, strict=True)
            },
            "cells": [
                {
                    "table": c.table,
                    "row": c.row,
                    "column": c.column,
                    "paper": c.paper,
                    "ours": round(c.ours, 6),
                    "low": round(c.low, 6),
                    "high": round(c.high, 6),
                    "inside": c.inside,
                }
                for c in self.cells
            ],
        }


def reproduce(
    *, runs: int = 100, seed: int = 0, jobs: int = 1, progress: Callable[[int, int], None] | None = None
) -> Reproduction:
    """Tables 1 and 2, the supplementary table and the data of Figures 1 and 2, from `runs` runs of every cell."""
    runs, seed = as_count(runs, "runs"), as_count(seed, "seed", minimum=0, maximum=LARGEST_SEED)
    problem = load("snw")
    cones = tuple(Cone.planar(angle) for angle in printed.ANGLES)
    scores = repeat_naive(
        problem.means, cones, printed.LEVELS, printed.EPSILONS, runs=runs, seed=seed, jobs=jobs, progress=progress
    )
    fronts = tuple(pareto_mask(problem.means, cone) for cone in cones)
    cells = [*_table_1(problem.means, cones), *_table_2(scores), *_table_3(scores)]
    return Reproduction(problem, cones, fronts, tuple(cells), scores, runs, seed)


def theoretical_budgets() -> list[tuple[str, float, int, int]]:
    """(cone, epsilon, the paper's L, the L of exact normal tails) for the settings of section 7."""
    noise = Gaussian(1.0)
    return [
        (
            str(cone),
            epsilon,
            naive_budget(cone, noise, 206, epsilon, DELTA),
            naive_budget(cone, noise, 206, epsilon, DELTA, bound="gaussian"),
        )
        for cone in map(Cone.planar, printed.ANGLES)
        for epsilon in (0.1, 0.01)
    ]


def _column(name: str, angle: int) -> str:
    return f"{name} {angle}°"


def _table_1(means: Floats, cones: tuple[Cone, ...]) -> list[Cell]:
    cells = []
    for position, (cone, angle) in enumerate(zip(cones, printed.ANGLES, strict=True)):
        gaps = suboptimality_gaps(means, cone)[~pareto_mask(means, cone)]
        ours = {"count": len(gaps), "mean": gaps.mean(), "std": gaps.std(ddof=1), "min": gaps.min(), "max": gaps.max()}
        for row, paper in printed.TABLE_1.items():
            digits = 0 if row == "count" else 3
            cells.append(exact_cell("Table 1", row, _column("Δ*", angle), paper[position], float(ours[row]), digits))
    return sorted(cells, key=lambda cell: list(printed.TABLE_1).index(cell.row))


def _label(count: int, epsilon: float) -> str:
    return f"L={count}, ε={epsilon:g}"


def _table_2(scores: Scores) -> list[Cell]:
    return [
        rate_cell(
            "Table 2",
            _label(count, epsilon),
            _column("SR", angle),
            paper[position],
            printed.RUNS,
            int(scores.successes[position, printed.LEVELS.index(count), printed.EPSILONS.index(epsilon)]),
            scores.runs,
        )
        for (count, epsilon), paper in printed.TABLE_2.items()
        for position, angle in enumerate(printed.ANGLES)
    ]


def _table_3(scores: Scores) -> list[Cell]:
    cells = []
    for (count, epsilon), columns in printed.TABLE_3.items():
        level, row = printed.LEVELS.index(count), printed.EPSILONS.index(epsilon)
        for measure, name in enumerate(("SR", "NF1", "NF2", "PM")):
            for position, angle in enumerate(printed.ANGLES):
                where = (
                    "Supplementary table",
                    _label(count, epsilon),
                    _column(name, angle),
                    columns[measure][position],
                )
                if name == "SR":
                    cells.append(
                        rate_cell(*where, printed.RUNS, int(scores.successes[position, level, row]), scores.runs)
                    )
                    continue
                scale = 100.0 if name == "PM" else 1.0
                front = printed.FRONTS[position]
                cells.append(
                    mean_cell(
                        *where,
                        printed.RUNS,
                        scale * scores.averages[position, level, row, measure],
                        scale * scores.spreads[position, level, row, measure],
                        scores.runs,
                        one_event=scale / front if name == "PM" else 1.0,
                        digits=1 if name == "PM" else 2,
                    )
                )
    return cells
