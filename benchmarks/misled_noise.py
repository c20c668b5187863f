"""Count guarantees that are wrong because normal noise was assumed without being stated.

    python -m benchmarks.misled_noise [--runs 300]

Two designs have one objective: a steady one, and a flaky one which fails (value 0) now and then. The steady one is
better by 0.01, which no table of this size shows. A table in which the flaky design has not failed yet makes it look
better for certain, if its values are taken for normal. A run is wrong if the answer says `Guarantee` and the returned
set fails at the certified epsilon. The controls state normal noise, which is false here: they must be wrong too often.
With the true range stated (`ranged`), guarantees must hold.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.stats import binomtest

import conewise as cw
from conewise.noise import Bounded, GaussianUnknown, Noise
from conewise.problems import Recorded

DELTA = 0.05
RUNS = 300
SEED = 20261119
LINE = cw.Cone.orthant(1)
MEANS = np.array([[10.0], [9.99]])
RANGE = Bounded(0.0, 14.0)
Rng = np.random.Generator


def values_of(rng: Rng, each: int, failing: float) -> np.ndarray:
    """Return (2, each): values of the steady and of the flaky design."""
    lifted = MEANS[1, 0] * failing / (1 - failing)  # by which successes make up for failures
    steady, flaky = MEANS + [[0.0], [lifted]] + 0.1 * rng.normal(size=(2, each))
    return np.stack([steady, np.where(rng.random(each) < failing, 0.0, flaky)])


def is_wrong(result: cw.Result) -> bool:
    """True if the answer is called a guarantee, and the returned set fails at the certified epsilon."""
    return bool(result.guarantee) and not cw.verdict(result.pareto, MEANS, LINE, result.certified_epsilon)


def in_blocks(rng: Rng, noise: Noise | None = None, each: int = 20) -> bool:
    """Compare the designs on `each` shared blocks, a sample of an unlimited population."""
    values = values_of(rng, each, 0.05)
    table = {"design": ["steady"] * each + ["flaky"] * each, "value": values.ravel(), "block": [*range(each)] * 2}
    return is_wrong(cw.analyse(table, block="block", objectives=["value"], delta=DELTA, noise=noise).result)


def in_rows(rng: Rng, noise: Noise | None = None, each: int = 24) -> bool:
    """Judge a final table with `each` rows of both designs."""
    values = values_of(rng, each, 0.05)
    observations = cw.Observations.single(np.repeat([0, 1], each), values.reshape(-1, 1))
    return is_wrong(cw.analyse(observations, LINE, delta=DELTA, noise=noise, final=True).result)


def adaptively(rng: Rng, noise: Noise | None = None) -> bool:
    """Run an identification which reads recorded blocks one after the other; 10 % of the evaluations fail."""
    problem = Recorded(values_of(rng, 400, 0.1)[:, :, None], population=False, noise=noise)
    return is_wrong(cw.identify(problem, LINE, epsilon=0.0, delta=DELTA, rng=rng, max_evaluations=800))


CELLS: dict[str, Callable[..., bool]] = {"blocks": in_blocks, "rows": in_rows, "adaptive runs": adaptively}


def wrong_runs(cell: Callable[..., bool], runs: int, noise: Noise | None = None) -> int:
    """Return how many of these runs are wrong; the same streams for every noise."""
    return sum(partial(cell, noise=noise)(np.random.default_rng([SEED, run])) for run in range(runs))


def main() -> None:
    """Print wrong runs with exact 95 % intervals, not stated, stated as normal (control), and with the true range."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    runs = parser.parse_args().runs
    for name, cell in CELLS.items():
        for word, noise in (("not stated", None), ("normal (control)", GaussianUnknown()), ("ranged", RANGE)):
            wrong = wrong_runs(cell, runs, noise)
            low, high = binomtest(wrong, runs).proportion_ci(0.95, "exact")
            print(f"{name:14} {word:17} {wrong:4} of {runs}  [{low:.3f}, {high:.3f}]  {wrong / runs / DELTA:.1f} delta")


if __name__ == "__main__":
    main()
