"""Beyond the paper's tables: the cone's angle, three objectives, and how conservative each budget is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from conewise.border import Floats
from conewise.cone.cone import Cone
from conewise.experiments.repeat import repeat_naive
from conewise.noise import Gaussian
from conewise.order.budgets import naive_budget
from conewise.order.dominance import pareto_mask
from conewise.problems import load

ANGLES: Final = tuple(range(10, 180, 10))
EPSILON: Final = 0.1
DELTA: Final = 0.01
LEVEL: Final = 1000
"""Evaluations of each design at which success rates are compared."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class ConeRow:
    """One cone on one problem."""

    cone: str
    beta: float
    pareto: int
    paper_budget: int
    gaussian_budget: int
    successes: int
    runs: int


@dataclass(frozen=True)
class BudgetRow:
    """One small instance: how often naive elimination fails at each budget, against the delta it promises."""

    instance: str
    bound: str
    budget: int
    delta: float
    failures: int
    runs: int


def angles(*, runs: int, seed: int, jobs: int = 1, progress: Progress | None = None) -> list[ConeRow]:
    """SNW under C_theta for theta from 10 to 170 degrees, on common random numbers."""
    return _cones(load("snw").means, [Cone.planar(angle) for angle in ANGLES], runs, seed, jobs, progress)


def three_objectives(*, runs: int, seed: int, jobs: int = 1, progress: Progress | None = None) -> list[ConeRow]:
    """200 normal designs with three objectives, under cones from narrow to wide."""
    means = np.random.default_rng(np.random.SeedSequence(2023)).normal(size=(200, 3))
    cones = [
        Cone.ice_cream(45, facets=8),
        Cone([[1, -2, 4], [4, 1, -2], [-2, 4, 1]]),
        Cone.orthant(3),
        Cone.ice_cream(120, facets=8),
        Cone.importance(0.15, dim=3),
        Cone([[1, 0.4, 1.6], [1.6, 1, 0.4], [0.4, 1.6, 1]]),
        Cone.ranked(3),
    ]
    return _cones(means, cones, runs, seed, jobs, progress)


def small_instances() -> list[tuple[str, Floats, Cone]]:
    """Instances built to be hard at epsilon = 0.1: near-ties a little beyond it, in one to three objectives."""
    just = 1.001 * EPSILON
    narrow, right, wide = Cone.planar(45), Cone.planar(90), Cone.planar(135)
    acute = Cone([[1, -2, 4], [4, 1, -2], [-2, 4, 1]])
    return [
        ("2 designs, D = 1", np.array([[0.0], [just]]), Cone.orthant(1)),
        ("5 near-ties, D = 1", np.array([[just], [0.0], [0.0], [0.0], [0.0]]), Cone.orthant(1)),
        ("6 near-ties, 45 degrees", _staircase(narrow, 6, just), narrow),
        ("6 near-ties, 90 degrees", _staircase(right, 6, just), right),
        ("6 near-ties, 135 degrees", _staircase(wide, 6, just), wide),
        ("5 near-ties, narrow cone, D = 3", _staircase(acute, 5, just), acute),
    ]


def conservatism(*, runs: int, seed: int, delta: float = 0.1, jobs: int = 1) -> list[BudgetRow]:
    """Measured failure rates at the budgets of both bounds on the small instances."""
    rows = []
    for name, means, cone in small_instances():
        budgets = [
            (bound, naive_budget(cone, Gaussian(1.0), len(means), EPSILON, delta, bound=bound))
            for bound in ("paper", "gaussian")
        ]
        scores = repeat_naive(means, [cone], [each for _, each in budgets], [EPSILON], runs=runs, seed=seed, jobs=jobs)
        for position, (bound, each) in enumerate(budgets):
            failures = runs - int(scores.successes[0, position, 0])
            rows.append(BudgetRow(name, bound, each, delta, failures, runs))
    return rows


def _staircase(cone: Cone, n_designs: int, step: float) -> Floats:
    """Designs one after the other along the centre, each `step` beyond the one before: all but the last too far."""
    return np.arange(n_designs)[:, None] * step * _unit_escape(cone)


def _unit_escape(cone: Cone) -> Floats:
    """A multiple of the centre with m = 1."""
    centre = cone.centre
    return np.asarray(centre / (cone.facets @ centre / cone.widths).min())


def _cones(
    means: Floats, cones: Sequence[Cone], runs: int, seed: int, jobs: int, progress: Progress | None
) -> list[ConeRow]:
    scores = repeat_naive(means, cones, [LEVEL], [EPSILON], runs=runs, seed=seed, jobs=jobs, progress=progress)
    noise = Gaussian(1.0)
    return [
        ConeRow(
            str(cone),
            cone.complexity.beta,
            int(pareto_mask(means, cone).sum()),
            naive_budget(cone, noise, len(means), EPSILON, DELTA),
            naive_budget(cone, noise, len(means), EPSILON, DELTA, bound="gaussian"),
            int(scores.successes[position, 0, 0]),
            runs,
        )
        for position, cone in enumerate(cones)
    ]
