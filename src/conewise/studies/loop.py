"""The one loop: ask, evaluate, tell, until nothing is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol

from conewise._arrays import as_count
from conewise.algorithms import Algorithm, NaiveElimination, Result
from conewise.cones import Cone
from conewise.errors import InputError
from conewise.feedback import Observations, Pulls
from conewise.goals import Goal
from conewise.noise import Noise
from conewise.problems.simulated import Seed, as_generator

Progress = Callable[[int, int | None], None]
"""Called after every batch with the evaluations so far and the total, where it is known."""


class Problem(Protocol):
    """Anything with K designs of D objectives that can be evaluated."""

    @property
    def n_designs(self) -> int:
        """The number of designs K."""
        ...

    @property
    def dim(self) -> int:
        """The number of objectives D."""
        ...

    @property
    def assumption(self) -> Noise | None:
        """What may be taken for granted of the noise."""
        ...

    def evaluate(self, pulls: Pulls, rng: Seed) -> Observations:
        """The observations of these pulls."""
        ...


def run(
    algorithm: Algorithm, problem: Problem, *, rng: Seed, batch: int | None = None, progress: Progress | None = None
) -> Result:
    """Fold `tell` over what the algorithm asks for, `batch` evaluations at a time (all that it wants, by default)."""
    generator = as_generator(rng)
    state = algorithm.start()
    total = getattr(algorithm, "total", None)
    while (pulls := algorithm.ask(state, batch)).total:
        state = algorithm.tell(state, problem.evaluate(pulls, generator))
        if progress is not None:
            progress(state.evaluations, total)
    return algorithm.recommend(state)


def identify(
    problem: Problem,
    cone: Cone,
    *,
    epsilon: float,
    delta: float,
    algorithm: Literal["auto", "naive"] = "auto",
    noise: Noise | None = None,
    rng: Seed,
    batch: int | None = None,
    progress: Progress | bool = False,
    **options: Any,
) -> Result:
    """The Pareto set of a problem under a cone, within epsilon with probability 1 - delta, and what that is worth.

    `noise` is what is assumed of an evaluation; by default what the problem says of itself. `options` go to the
    algorithm: for naive elimination `bound="auto" | "paper" | "gaussian" | "subgaussian"`, or `evaluations_each=1000`.
    `progress=True` draws a bar on a terminal; a function is called with (done, total) after every batch.

    >>> from conewise import problems
    >>> result = identify(problems.load("imrt"), Cone.planar(135), epsilon=0.1, delta=0.05, rng=0)
    >>> result.indices, result.evaluations
    ([0, 1], 5572)
    """
    if cone.dim != problem.dim:
        raise InputError(f"the cone orders {cone.dim} objectives, but the problem has {problem.dim}.")
    if algorithm not in ("auto", "naive"):
        raise InputError(f'algorithm must be "auto" or "naive", got {algorithm!r}.')
    unknown = options.keys() - {"bound", "evaluations_each", "c"}
    if unknown:
        raise InputError(
            f"naive elimination has no option {sorted(unknown)[0]!r}; it has bound, evaluations_each and c."
        )
    assumed = noise if noise is not None else problem.assumption
    if assumed is not None:
        assumed.check_dim(problem.dim, problem.n_designs)
    chosen = NaiveElimination(cone, Goal(epsilon, delta), problem.n_designs, assumed, **options)
    if batch is not None:
        batch = as_count(batch, "batch")
    if progress is True:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("evaluations"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Bar(*columns, transient=True) as bar:
            task = bar.add_task("", total=chosen.total)
            watch: Progress = lambda done, total: bar.update(task, completed=done)  # noqa: E731
            # a bar needs more than one step; a hundredth of the work is fine enough
            return run(chosen, problem, rng=rng, batch=batch or max(1, chosen.total // 100), progress=watch)
    return run(chosen, problem, rng=rng, batch=batch, progress=progress or None)
