"""Many independent runs of naive elimination on known means, scored against the success condition.

The mean of L normal observations is drawn as N(mu, sigma^2 / L), exact in distribution, from noise that all cones, L
and epsilon of one run share: comparisons within a run are on common random numbers. Run r draws from its own stream,
seeded by (seed, r), so the numbers do not depend on how runs are spread over processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Final

import numpy as np

from conewise.border import ROUNDING, Bools, Floats, as_count
from conewise.cone.cone import Cone
from conewise.order.dominance import pareto_mask
from conewise.order.gaps import cover_gaps, suboptimality_gaps

_RUNS_A_TASK: Final = 25

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Truth:
    """What scoring a run needs to know of the means under one cone, computed once."""

    cone: Cone
    front: Bools
    gaps: Floats
    covers: Floats
    """M(i, j) for i on the front (rows) and every design j."""
    slack: float

    @classmethod
    def of(cls, means: Floats, cone: Cone) -> Truth:
        """For at most a few thousand designs: `covers` has |P*| K entries."""
        front = pareto_mask(means, cone)
        covers = cover_gaps(means[front], cone, rivals=means)
        slack = ROUNDING * float(np.abs(cone.facet_values(means) / cone.widths).max())
        return cls(cone, front, suboptimality_gaps(means, cone), covers, slack)

    def score(self, returned: Bools, epsilons: Sequence[float]) -> Floats:
        """(len(epsilons), 4): success, NF1, NF2 and the share of the front that was missed (`verdict`, by table)."""
        missed = ~returned[self.front]
        reach = self.covers[np.ix_(missed, returned)].min(axis=1) if missed.any() else np.zeros(0)
        extra = self.gaps[returned & ~self.front]
        scores = np.empty((len(epsilons), 4))
        for row, epsilon in zip(scores, epsilons, strict=True):
            uncovered, too_far = (reach > epsilon + self.slack).sum(), (extra > epsilon + self.slack).sum()
            row[:] = (not uncovered and not too_far, uncovered, too_far, missed.mean())
        return scores


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of repeated runs: an array (cones, levels, epsilons, 4, runs) of success, NF1, NF2, missed share."""

    values: Floats

    @property
    def runs(self) -> int:
        """How many."""
        return int(self.values.shape[-1])

    @property
    def successes(self) -> np.ndarray:
        """(cones, levels, epsilons): number of successful runs."""
        return np.asarray(np.rint(self.values[:, :, :, 0].sum(axis=-1)), dtype=np.int64)

    @property
    def averages(self) -> Floats:
        """(cones, levels, epsilons, 4): means over the runs."""
        return np.asarray(self.values.mean(axis=-1))

    @property
    def spreads(self) -> Floats:
        """(cones, levels, epsilons, 4): standard deviations over the runs."""
        return np.asarray(self.values.std(axis=-1, ddof=1 if self.runs > 1 else 0))


def repeat_naive(
    means: Floats,
    cones: Sequence[Cone],
    levels: Sequence[int],
    epsilons: Sequence[float],
    *,
    runs: int,
    seed: int,
    sigma: float = 1.0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Scores:
    """Naive elimination with every L in `levels` under every cone, scored at every epsilon, `runs` times."""
    runs, jobs = as_count(runs, "runs"), as_count(jobs, "jobs")
    truths = [Truth.of(means, cone) for cone in cones]
    tasks = [range(start, min(start + _RUNS_A_TASK, runs)) for start in range(0, runs, _RUNS_A_TASK)]
    arguments = [(means, truths, tuple(levels), tuple(epsilons), sigma, seed, task) for task in tasks]
    parts: list[Floats] = []
    for part in _mapped(_some_runs, arguments, jobs):
        parts.append(part)
        if progress is not None:
            progress(sum(part.shape[-1] for part in parts), runs)
    return Scores(np.concatenate(parts, axis=-1))


def _mapped(work: Callable[..., Floats], arguments: Sequence[tuple[object, ...]], jobs: int) -> Iterator[Floats]:
    """In order, here or in processes: the results are the same."""
    if jobs == 1 or len(arguments) == 1:
        for argument in arguments:
            yield work(argument)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(work, arguments)


def _some_runs(
    argument: tuple[Floats, list[Truth], tuple[int, ...], tuple[float, ...], float, int, range],
) -> Floats:
    means, truths, levels, epsilons, sigma, seed, runs = argument
    values = np.empty((len(truths), len(levels), len(epsilons), 4, len(runs)))
    for position, run in enumerate(runs):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(run,)))
        noise = rng.standard_normal(means.shape) * sigma
        for level, count in enumerate(levels):
            observed = means + noise / np.sqrt(count)
            for row, truth in enumerate(truths):
                values[row, level, :, :, position] = truth.score(pareto_mask(observed, truth.cone), epsilons)
    return values
