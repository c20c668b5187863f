"""What choosing better could still save: the default rule beside one that knows the true means when it chooses.

    python -m benchmarks.clairvoyant [--instances 8] [--runs 2]

Exact identification with 20 designs, seeds for tuning. Both stop by the same certificate and see the same noise; only
what the open questions seem to cost, and so whom they evaluate, goes by the averages in one and by the truth in the
other. A ratio near 1 says that evaluations are spent on proving, not on finding out whom to evaluate.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

import conewise as cw
from benchmarks.families import DELTA, FAMILIES, MOST
from conewise.certificate.claims import Claims
from conewise.certificate.history import Checkpoints
from conewise.rules import SuccessiveElimination
from conewise.rules.adaptive.outlook import Needs
from conewise.studies.loop import run

CHOSEN = [name for name in FAMILIES if ", 20 designs" in name]


class Seeing:
    """Anything, but for what is given to stand in its place."""

    def __init__(self, what: Any, **instead: Any) -> None:
        self._what = what
        self.__dict__.update(instead)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._what, name)


@dataclass(frozen=True, eq=False)
class Clairvoyant(SuccessiveElimination):
    """Chooses by the true means; claims and stops as ever."""

    _: KW_ONLY
    truth: Any = None

    def needs(
        self, state: Checkpoints, claims: Claims, epsilon: float | None = None, *, waiting: bool = False
    ) -> Needs | None:
        """What the open questions would cost, if averages were what they estimate."""
        statistics = Seeing(state.statistics, of=lambda left: Seeing(state.statistics.of(left), means=self.truth[left]))
        seeing: Any = Seeing(state, statistics=statistics)
        return super().needs(seeing, claims, epsilon, waiting=waiting)


def evaluations(cell: tuple[str, int, int]) -> tuple[int, int]:
    """Of the default rule and of the one that knows, on the same instance and noise."""
    family, seed, again = cell
    problem = FAMILIES[family](seed)
    question = cw.Question(cw.Cone.orthant(problem.dim), 0.0, DELTA, problem.assumption, success="contain")
    asked = question, problem.n_designs
    rules = (
        SuccessiveElimination(*asked, max_evaluations=MOST),
        Clairvoyant(*asked, max_evaluations=MOST, truth=problem.means),
    )
    ours, theirs = (run(rule, problem, rng=np.random.default_rng([seed, again])).evaluations for rule in rules)
    return ours, theirs


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", type=int, default=8)
    parser.add_argument("--runs", type=int, default=2)
    options = parser.parse_args(arguments)
    with ProcessPoolExecutor(2) as pool:
        for family in CHOSEN:
            cells = [(family, seed, again) for seed in range(options.instances) for again in range(options.runs)]
            found = np.array(list(pool.map(evaluations, cells)), dtype=float)
            means = found.reshape(options.instances, options.runs, 2).mean(axis=1)
            ratios = means[:, 1] / means[:, 0]
            error = ratios.std(ddof=1) / np.sqrt(len(ratios)) if len(ratios) > 1 else np.nan
            print(f"{family}: {ratios.mean():.3f} ({error:.3f})", flush=True)


if __name__ == "__main__":
    main()
