"""Identify the Pareto set of a problem: state the question, choose a rule and run it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, cast

from conewise.border import as_count
from conewise.cone.cone import ConeLike, as_cone
from conewise.data.observations import Observations, Pulls, check_returned
from conewise.errors import InputError, shown
from conewise.models import Prior
from conewise.noise import Noise
from conewise.problems.box import Box
from conewise.problems.called import Called
from conewise.problems.onebyone import OneByOne
from conewise.problems.recorded import Recorded
from conewise.problems.simulated import Seed, as_generator
from conewise.question.objectives import (
    Level,
    Objective,
    Objectives,
    as_objectives,
)
from conewise.question.question import Question
from conewise.rules.contract import Algorithm, Result, planner_of
from conewise.studies.asking import Problem, Progress, run
from conewise.studies.boxes import Meshing, Model, as_model, first_candidates, run_box
from conewise.studies.rules import build, check_options
from conewise.studies.spec import checked_designs, with_columns

__all__ = ["Problem", "Progress", "identify", "run"]

Function = Callable[[dict[str, Any], int], Any]
"""Of a design, a dict of its columns, and a seed."""


def identify(
    problem: Problem | Box | Function,
    cone: ConeLike | None = None,
    *,
    epsilon: float,
    delta: float = 0.05,
    algorithm: str = "auto",
    noise: Noise | str | None = None,
    designs: Any = None,
    objectives: Sequence[str | Objective] | None = None,
    levels: Mapping[str, Level] | None = None,
    model: Prior | Model | str | None = None,
    rng: Seed = 0,
    batch: int | None = None,
    progress: Progress | bool = False,
    **options: Any,
) -> Result:
    """Return the Pareto set of a problem under a cone, within epsilon with probability 1 - delta, and its worth.

    `noise` is the assumption about an evaluation, by default that of the problem. `objectives` are names or `Objective`
    records. With units, epsilon and certified epsilons count in steps; problem and noise are in the user's units.
    `levels` are acceptable values, `{"accuracy": 0.8, "latency": ("<=", 200)}`. The answer is then the Pareto set of
    the acceptable designs (docs/objectives).

    `algorithm` is "elimination" (adaptive; options `success="cover" | "contain"`, `max_evaluations`), a published rule
    ("ape", "auer", "paveba", "psips"; options `max_evaluations`, `growth`), or "naive". Options of "naive" are
    `bound="auto" | "paper" | "gaussian" | "subgaussian"`, or `evaluations_each=1000`. "auto" is elimination unless an
    option of the naive rule is given. It is "paired" for recorded blocks (`problems.Recorded`), and "separate" if
    objectives are measured one by one (`problems.OneByOne`; evaluations are then measurements of one objective).

    With a `model` of the designs (`models.Smooth(features)`) far fewer evaluations are enough. The promise then holds
    on average over that prior (docs/features). Options are `success`, `max_evaluations`, `robust`,
    `confirm=True | "all"`, `prices` and `seed`. "vogp", "epal", "ehvi" and "pfes" are published rules with a model. The
    model of a `problems.Box` is `models.Smooth` by default, another class, its text ("linear"), or a function of
    features.

    A plain function of a design (a dict) and a seed is a problem too. Its `designs` are names, rows, a frame, or a
    number of them. `progress=True` draws a bar on a terminal. A function is called with (done, total) after every
    batch.

    >>> from conewise import noise, problems
    >>> treatments = problems.load("imrt", noise.Gaussian(0.1))
    >>> result = identify(treatments, "planar:135", epsilon=0.02, delta=0.05, rng=0)
    >>> result.indices
    [0, 1]
    """
    _check_progress(progress)
    apart, candidates = isinstance(problem, OneByOne), None
    is_function = callable(problem) and not hasattr(problem, "evaluate")
    while isinstance(problem, OneByOne):  # what there is to know of a problem does not depend on how it is measured
        problem = cast(Problem | Box, problem.problem)
        if isinstance(problem, Recorded):
            raise InputError(
                "designs share their recorded blocks, which answer with all objectives at once; ask without OneByOne."
            )
    if not is_function and not isinstance(problem, Box):
        _check_problem(problem)
    if not is_function and designs is not None:
        raise InputError("designs are listed for a plain function; any other problem brings its own.")
    dim = getattr(problem, "dim", None if objectives is None else len(as_objectives(objectives)))
    cone = as_cone("orthant" if cone is None else cone, dim)
    if not isinstance(problem, Box) and dim not in (None, cone.dim):
        raise InputError(f"the cone orders {cone.dim} objectives, but the problem has {dim}.")
    if noise is None:
        noise = problem.noise if isinstance(problem, Box) else getattr(problem, "assumption", None)
    words: dict[str, Any] = {"cone": cone, "epsilon": epsilon, "delta": delta, "noise": noise, "levels": levels}
    question = Question.stated(objectives=objectives, success=options.get("success"), **words)
    if is_function:
        question = with_columns(question)
        problem = _called(cast(Function, problem), designs, question.names)
    if isinstance(problem, Box):
        problem = candidates = first_candidates(problem, question, algorithm, options)
        model = as_model(model)
    if model is not None:
        options["model"] = model
    problem = cast(Problem, problem)
    meaning = question.columns if question.names else None
    if meaning is not None:
        question = replace(question, objectives=_as_evaluated(meaning, problem))
    names = () if meaning is None else _labels(problem, "names", problem.n_designs)
    blocks = problem if isinstance(problem, Recorded) else None
    check_options(algorithm, options, blocks, apart=apart)
    meshing = None if candidates is None else Meshing(candidates, question.inside, options, apart)
    chosen: Algorithm[Any]
    if meshing is not None:
        chosen = meshing.first
    else:
        chosen = build(algorithm, question, problem.n_designs, options, blocks, apart=apart)
    generator = as_generator(rng)
    source = problem if blocks is None else blocks.reading(generator)

    def asked(source: Problem) -> Problem:
        seen = source if question.inside is question else _InSteps(source, question.columns)
        return OneByOne(seen) if apart else seen

    if batch is not None:
        batch = as_count(batch, "batch")
    with _watching(progress, chosen) as watch:
        if progress is True and batch is None and (total := planner_of(chosen).total) is not None:
            batch = max(1, total // 100)  # a bar needs more than one step
        if meshing is None:
            objectives = _labels(problem, "objectives", problem.dim) if meaning is None else meaning.names
            result = run(chosen, asked(source), rng=generator, batch=batch, progress=watch, objectives=objectives)
        else:
            result = run_box(meshing, asked, rng=generator, batch=batch, progress=watch)
    return result.answering(question, result.designs or names, meaning)


def _called(function: Function, designs: Any, objectives: Sequence[str]) -> Called:
    if designs is None:
        raise InputError(
            "a function evaluates one design at a time: list them with `designs`, as names, rows, a frame or a number."
        )
    return Called(function, *checked_designs(designs), tuple(objectives))


def _as_evaluated(meaning: Objectives, problem: Any) -> Objectives:
    """The objectives in the directions in which the problem evaluates them: what it says it has negated is large."""
    own = _labels(problem, "objectives", len(meaning))
    negated = _labels(problem, "minimised")
    numbered = own == tuple(f"objective {d}" for d in range(len(own))) and not negated  # names by default
    for place, name in enumerate(meaning.names):
        if name in own and own[place] != name and not numbered:
            raise InputError(
                f"objectives names {shown(name)} in place {place + 1}, where the problem has {shown(own[place])}; name "
                f"them in the order of the problem: {', '.join(own)}."
            )
    return Objectives(tuple(_negated(o) if o.name in negated else o for o in meaning.each))


def _labels(problem: Any, what: str, number: int | None = None) -> tuple[str, ...]:
    """Return the labels of the designs or objectives of a problem; empty if it has none."""
    said = getattr(problem, what, ())
    try:
        labels = tuple(map(str, said))
    except TypeError:
        raise InputError(f"problem.{what} must be a list of names, got {shown(said)}.") from None
    if labels and number is not None and len(labels) != number:
        raise InputError(f"problem.{what} must have {number} entries, got {len(labels)}.")
    return labels


def _check_progress(progress: Any) -> None:
    try:
        if not isinstance(progress, bool | None):
            inspect.signature(progress).bind(0, None)
    except TypeError:
        raise InputError(
            f"progress must be True, False or a function of the evaluations done and the total, got {shown(progress)}."
        ) from None
    except ValueError:
        pass  # some functions written in C do not say what they take


def _negated(objective: Objective) -> Objective:
    level = objective.level
    return replace(objective, goal="max", level=-level if level is not None and objective.minimised else level)


@dataclass(frozen=True, eq=False)
class _InSteps:
    """A problem whose evaluations come in the user's units and directions, as an algorithm sees it."""

    problem: Problem
    columns: Objectives

    @property
    def n_designs(self) -> int:
        return self.problem.n_designs

    @property
    def dim(self) -> int:
        return self.problem.dim

    @property
    def assumption(self) -> Noise | None:
        return self.problem.assumption

    def evaluate(self, pulls: Pulls, rng: Seed) -> Observations:
        told = check_returned(pulls, self.problem.evaluate(pulls, rng), self.dim)
        factors = self.columns.signs[:, None] * self.columns.signs
        scatters = told.scatters * factors / self.columns.units[:, None] / self.columns.units
        return Observations(told.designs, self.columns.steps(told.means), told.counts, scatters)


def _check_problem(problem: Any) -> None:
    """Refuse what is no problem, with the way from what it probably is to one."""
    if isinstance(problem, str):
        raise InputError(
            f"problem must be a function or an object that evaluates, got the text {shown(problem)}; pass the function "
            "itself, and let a study run a command (Study.create and run_study)."
        )
    lacking = [name for name in ("n_designs", "dim", "evaluate") if not hasattr(problem, name)]
    if lacking or isinstance(problem, type):
        got = f"the class {problem.__name__}" if isinstance(problem, type) else type(problem).__name__
        raise InputError(
            "problem must say how many designs and objectives it has (n_designs, dim) and evaluate them "
            f"(evaluate(pulls, rng)), got {got}; known means are simulated by SimulatedBandit(means, noise), and a "
            "table of measurements is read by analyse."
        )
    as_count(problem.n_designs, "problem.n_designs")
    as_count(problem.dim, "problem.dim")
    try:
        inspect.signature(problem.evaluate).bind(Pulls([0]), 0)
    except TypeError as error:
        raise InputError(f"problem.evaluate is called with pulls and rng, which it does not take: {error}.") from None
    except ValueError:
        pass  # some functions written in C do not say what they take


@contextmanager
def _watching(progress: Progress | bool, algorithm: Algorithm[Any]) -> Iterator[Progress | None]:
    """The caller's function, a bar on a terminal, or nothing."""
    if not isinstance(progress, bool):
        yield progress
        return
    if not progress:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    total = planner_of(algorithm).total
    with Bar(TextColumn("evaluations"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda done, _: bar.update(task, completed=done)
