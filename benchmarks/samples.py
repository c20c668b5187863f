"""`python -m benchmarks.samples [--runs N] [--write]`: how many evaluations each rule needs, beside the lower bound.

Seeds are fixed; every run's answer is checked against the truth. Deciding time is reported a round. Naive elimination
needs no run: its number of evaluations is fixed in advance.
"""

from __future__ import annotations

import argparse
import datetime
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import conewise as cw
from conewise import algorithms
from conewise.noise import Gaussian

RESULTS = Path(__file__).parent / "SAMPLES.md"
OURS = "successive elimination"


@dataclass(frozen=True)
class Case:
    name: str
    problem: cw.SimulatedBandit
    cone: cw.Cone
    epsilon: float
    delta: float
    success: str = "cover"
    at_most: float | None = None
    aim: float | None = None

    @property
    def lower_bound(self) -> float:
        """H log(1/delta) sigma^2, a rate (docs/theory, section 6)."""
        scale = float(self.problem.assumption.largest_scale(self.problem.dim)) ** 2
        return scale * cw.hardness(self.problem.means, self.cone, self.epsilon) * np.log(1 / self.delta)


@dataclass(frozen=True)
class Row:
    case: str
    rule: str
    evaluations: float
    successes: int
    runs: int
    milliseconds: float
    lower_bound: float
    at_most: float | None
    aim: float | None


def cases() -> list[Case]:
    snw = cw.problems.load("snw")
    figures = {
        (45, 0.1): (6.0e5, 4.0e5),
        (90, 0.1): (2.2e5, 1.4e5),
        (135, 0.1): (7.0e4, 5.0e4),
        (90, 0.01): (5.0e6, 3.5e6),
    }
    found = [
        Case(
            f"SNW, planar:{angle}, eps {epsilon:g}, sigma 1, delta 0.01",
            snw,
            cw.Cone.planar(angle),
            epsilon,
            0.01,
            "cover",
            *figures[angle, epsilon],
        )
        for angle, epsilon in figures
    ]
    standard = (snw.means - snw.means.mean(axis=0)) / snw.means.std(axis=0)
    easy = cw.SimulatedBandit(standard, Gaussian(0.1))
    peers = {45: 214_976, 90: 90_263, 135: 45_420}  # VOPy's PaVeBa with its proven radius
    found += [
        Case(
            f"standardised SNW, planar:{angle}, eps 0.1, sigma 0.1, delta 0.05",
            easy,
            cw.Cone.planar(angle),
            0.1,
            0.05,
            "cover",
            theirs / 20,
            None,
        )
        for angle, theirs in peers.items()
    ]
    found.append(
        Case("20 designs, 2 Pareto, smallest gap 0.07, eps 0", two_leaders(), cw.Cone.orthant(3), 0.0, 0.01, "contain")
    )
    for k, dim in ((20, 2), (50, 3)):
        means = np.random.default_rng([k, dim]).normal(size=(k, dim))
        found.append(
            Case(
                f"random normal, K {k}, D {dim}, eps 0.2",
                cw.SimulatedBandit(means, Gaussian(1.0)),
                cw.Cone.orthant(dim),
                0.2,
                0.01,
                "contain",
            )
        )
    return found


def two_leaders() -> cw.SimulatedBandit:
    """Twenty designs with three objectives: two Pareto designs, the others behind one of them by 0.07 to 1.6 sd."""
    rng = np.random.default_rng(20)
    leaders = np.array([[0.0, 0.9, 0.4], [0.8, 0.0, 0.6]])
    gaps = np.geomspace(0.07, 1.6, 18)
    behind = leaders[np.arange(18) % 2] - gaps[:, None] * (1 + rng.exponential(1.0, size=(18, 3)))
    behind[np.arange(18), rng.integers(0, 3, 18)] = (leaders[np.arange(18) % 2] - gaps[:, None])[np.arange(18), 0]
    behind = np.minimum(behind, leaders[np.arange(18) % 2] - gaps[:, None])
    cov = np.array([[1.0, 0.5, 0.3], [0.5, 1.0, 0.4], [0.3, 0.4, 1.0]])
    return cw.SimulatedBandit(np.vstack([leaders, behind]), Gaussian(cov=cov), about="two leaders and 18 behind them")


Rule = Callable[[Case], object]


def rules(case: Case) -> Iterator[tuple[str, object]]:
    """The rules whose guarantee is the case's notion of success, with their proven constants."""
    k, noise = case.problem.n_designs, case.problem.assumption
    limit = 10**8 if case.epsilon == 0 else None
    settings = (case.cone, case.epsilon, case.delta, k, noise)
    yield OURS, cw.SuccessiveElimination(*settings, success=case.success, max_evaluations=limit)
    if case.success == "cover":
        yield "PaVeBa, proven radius, batches of 10 %", algorithms.PaVeBa(*settings, growth=0.1, max_evaluations=limit)
        return
    yield (
        "APE, proven radius, batches of 2 %",
        algorithms.LeaderChallenger(*settings, growth=0.02, max_evaluations=limit),
    )
    yield (
        "Auer, proven radius, batches of 10 %",
        algorithms.AuerElimination(*settings, growth=0.1, max_evaluations=limit),
    )


def measure(case: Case, rule: str, algorithm: object, runs: int) -> Row:
    targets = (case.at_most, case.aim) if rule == OURS else (None, None)
    totals, successes, spent, rounds = [], 0, 0.0, 0
    for seed in range(runs):
        rng = np.random.default_rng([1, seed])
        state = algorithm.start()
        while True:
            start = time.perf_counter()
            pulls = algorithm.ask(state)
            spent, rounds = spent + time.perf_counter() - start, rounds + 1
            if not pulls.total:
                break
            state = algorithm.tell(state, case.problem.evaluate(pulls, rng))
        result = algorithm.recommend(state)
        front = cw.pareto_mask(case.problem.means, case.cone)
        right = bool(cw.verdict(result.pareto, case.problem.means, case.cone, case.epsilon))
        successes += right and (case.success == "cover" or bool(result.pareto[front].all()))
        totals.append(result.evaluations)
    return Row(
        case.name, rule, float(np.mean(totals)), successes, runs, 1000 * spent / rounds, case.lower_bound, *targets
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.samples", description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--only", default="", help="part of a case's name")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows: list[Row] = []
    for case in cases():
        if options.only not in case.name:
            continue
        k, noise = case.problem.n_designs, case.problem.assumption
        if case.epsilon > 0 and case.success == "cover":
            for bound in ("paper", "gaussian"):
                total = k * cw.naive_budget(case.cone, noise, k, case.epsilon, case.delta, bound=bound)
                rows.append(Row(case.name, f"naive, {bound} bound", total, 0, 0, 0.0, case.lower_bound, None, None))
                print(_line(rows[-1]), flush=True)
        for name, algorithm in rules(case):
            rows.append(measure(case, name, algorithm, options.runs))
            print(_line(rows[-1]), flush=True)
    if options.write:
        RESULTS.write_text(_page(rows), encoding="utf-8")


def _cells(row: Row) -> tuple[str, ...]:
    measured = row.runs > 0
    return (
        row.case,
        row.rule,
        f"{row.evaluations:.4g}",
        f"{row.evaluations / row.lower_bound:.1f}" if np.isfinite(row.lower_bound) else "",
        f"{row.successes}/{row.runs}" if measured else "not run",
        f"{row.milliseconds:.1f}" if measured else "",
        f"{row.at_most:.3g}" if row.at_most else "",
        f"{row.aim:.3g}" if row.aim else "",
        ("met" if row.evaluations <= row.at_most else "missed") if row.at_most else "",
    )


HEADER = ("case", "rule", "evaluations (mean)", "over H log(1/delta)", "right", "ms a round", "at most", "aim", "")


def _line(row: Row) -> str:
    case, rule, *rest = _cells(row)
    return f"{case:<62} {rule:<32} " + " ".join(f"{cell:>10}" for cell in rest)


def _page(rows: list[Row]) -> str:
    lines = [
        "# Evaluations needed",
        "",
        f"Written by `python -m benchmarks.samples --write` on {datetime.date.today():%d %B %Y}: means over fixed "
        "seeds; every answer is checked against the truth; deciding time on one core of 2, shared.",
        "",
        "| " + " | ".join(HEADER) + " |",
        "|---|---|--:|--:|--:|--:|--:|--:|---|",
        *("| " + " | ".join(_cells(row)) + " |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
