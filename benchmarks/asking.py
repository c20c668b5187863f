"""Ask or evaluate: how often the design that is taken is good enough, and what it took, by the price of a question.

    python -m benchmarks.asking [--runs 30]

Values are drawn from the prior that the rule declares, weightings evenly, and answers are right with probability TRUST.
A run follows `Doubts.next` until the doubt is at most DELTA; it is wrong if the design that it takes is then more than
EPSILON behind the person's own best. The other rules have the same doubt and stop as it does, but ask first as long as
any question helps, or evaluate first until values leave less than preferences do.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
from scipy.stats import beta

import conewise as cw
from conewise.algorithms import ModelGuided
from conewise.doubts import Doubts, doubts

DELTA, EPSILON, SIGMA, TRUST, SIZE = 0.1, 0.3, 0.5, 0.9, 1.0
K, DIM, SEED = 20, 3, 20190226
MOST = 400
"""Steps after which a run gives up."""
PRICES = (0.2, 5.0)
"""Of a question, in evaluations."""
RULES = ("by price", "ask first", "evaluate first")


@dataclass(frozen=True)
class Run:
    """What became of one person and one set of designs."""

    wrong: bool
    evaluations: int
    questions: int
    finished: bool

    def cost(self, price: float) -> float:
        """In evaluations."""
        return self.evaluations + price * self.questions


def made(seed: int, price: float, rule: str = RULES[0], n_designs: int = K, right: float = TRUST) -> Run:
    """One run, to its end; answers are right with probability `right`."""
    rng = np.random.default_rng([SEED, seed])
    truth = SIZE * rng.normal(size=(n_designs, DIM))
    weighting = rng.dirichlet(np.ones(DIM))
    question = cw.Question(cw.Cone.orthant(DIM), EPSILON, DELTA, cw.noise.Gaussian(SIGMA))
    guided = ModelGuided(question, n_designs, model=cw.models.Independent(sizes=(SIZE / EPSILON,)))
    said = cw.Preferences([f"f{d}" for d in range(DIM)], trust=TRUST)

    def measured(designs: list[int]) -> cw.Observations:
        return cw.Observations.single(designs, truth[designs] + SIGMA * rng.normal(size=(len(designs), DIM)))

    statistics = cw.Statistics.empty(n_designs, DIM).add(measured(list(range(n_designs))))
    evaluations, questions = n_designs, 0
    while evaluations + questions < MOST:
        found = doubts(said, guided, statistics, question_price=price)
        if found.next is None:
            break
        if found.question is not None and _asks(found, rule):
            first, second = found.question.designs
            if (weighting @ (found.values[first] - found.values[second]) < 0) == (rng.random() < right):
                first, second = second, first
            said = said.prefers(found.values[first], over=found.values[second])
            questions += 1
        else:
            statistics = statistics.add(measured([found.evaluation.designs[0]]))
            evaluations += 1
    worth = truth @ weighting
    return Run(bool(worth[found.best] < worth.max() - EPSILON), evaluations, questions, found.next is None)


def _asks(found: Doubts, rule: str) -> bool:
    if rule == "by price":
        return found.next == "ask"
    return rule == "ask first" or found.of_preference > 0.5


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=30)
    runs = parser.parse_args().runs
    print("| price of a question | rule | wrong (95 % interval) | evaluations | questions | cost |")
    print("|---|---|---|---|---|---|")
    for price in PRICES:
        for rule in RULES:
            found = [made(seed, price, rule) for seed in range(runs)]
            wrong = sum(run.wrong for run in found)
            low, high = beta.ppf(0.025, wrong, runs - wrong + 1), beta.ppf(0.975, wrong + 1, runs - wrong)
            mean = [
                np.mean(each)
                for each in zip(*((r.evaluations, r.questions, r.cost(price)) for r in found), strict=True)
            ]
            interval = f"{wrong} of {runs} ({max(0.0, np.nan_to_num(low)):.0%} to {high:.0%})"
            print(f"| {price:g} | {rule} | {interval} | {' | '.join(f'{value:.1f}' for value in mean)} |", flush=True)


if __name__ == "__main__":
    main()
