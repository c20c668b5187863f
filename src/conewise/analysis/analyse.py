"""What existing measurements certify: the certificate on a table instead of on a run.

A table that may grow is judged by the certificate of looks, whose schedule does not depend on the table, so that one
may look as often as one likes; a table that is declared final, by one look at each design's whole sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from conewise.analysis.blocks import Blocks
from conewise.analysis.explanations import Findings
from conewise.analysis.fitting import told_apart
from conewise.analysis.gathering import (
    Progress,
    as_source,
    check_limit,
    check_summaries,
    statistics_of,
    summed_elsewhere,
    watched,
)
from conewise.analysis.guesses import Guess, Price, prices
from conewise.analysis.modelled import ByModel, ModelFindings, Modelled
from conewise.analysis.oddities import Values
from conewise.analysis.planning import by_size, open_questions, shared
from conewise.analysis.separate import measured_separately
from conewise.analysis.units import take_units, were_chosen, with_chosen_units
from conewise.analysis.unproven import (
    STOPPED,
    as_imported,
    pruned_in,
    shared_by,
    was_exported,
    where_exported,
    where_searched,
)
from conewise.border import Floats, as_count, as_flag
from conewise.certificate.history import Checkpoints
from conewise.cone.cone import ConeLike
from conewise.data.observations import Observations, Pulls, Statistics
from conewise.errors import InputError
from conewise.models import Prior
from conewise.noise import GaussianUnknown, Noise
from conewise.noise.text import as_noise
from conewise.question.objectives import Level, Objective
from conewise.question.question import AnsweringInWords, Guarantee, Question
from conewise.rules import Claims, Plan, Result, Status, SuccessiveElimination
from conewise.rules.adaptive.fixed import FixedSample
from conewise.rules.evidence import Evidence
from conewise.rules.modelled import Confirm
from conewise.tables.measurements import Source, meaning_of


@dataclass(frozen=True, eq=False)
class Analysis(AnsweringInWords):
    """What the measurements say, what that is worth, and what to evaluate next."""

    result: Result
    plan: Plan
    """Everything that would settle what is open, judged by the averages as they are."""
    explanations: tuple[str, ...]
    """The findings, their assumptions and what is odd about the data, in sentences."""
    question: Question
    """What was asked, in the directions of the table."""
    _open: tuple[Pulls, ...]
    """What would settle one open question each, the cheapest first."""
    evidence: Evidence | None = None
    """How the certificate compares any designs; None for a single one, and where no proof covers the table."""
    guess: Guess | None = None
    """What the averages say by themselves, without a guarantee, and what other epsilons would cost."""
    units_chosen: bool = False
    """Whether the values have chosen the units (`units="auto"`)."""
    _asking: Callable[[int], Pulls] | None = None
    """With a model: what its rule would ask for, at most so many."""
    _cells: Callable[[int], Pulls] | None = None
    """Where objectives are measured separately in a table that grows: what its rule would ask for, at most so many."""

    @property
    def names(self) -> tuple[str, ...]:
        """The designs."""
        return tuple(self.result.designs)

    @property
    def means(self) -> Floats:
        """(K, D): averages as they were measured, minimised objectives with their own sign; NaN without evaluations."""
        return self.result.averages

    @property
    def cheapest(self) -> int | None:
        """Evaluations that would settle the cheapest open question; None where nothing is open."""
        return self._open[0].total if self._open else None

    def next(self, evaluations: int) -> Pulls:
        """The most valuable evaluations, at most so many: open questions are settled from the cheapest on."""
        left = as_count(evaluations, "evaluations")
        if self._asking is not None:
            return self._asking(left)
        if self._cells is not None:
            cells = self._cells(left)
            return Pulls.each(np.bincount(cells.designs // len(self.objectives), cells.counts).astype(np.int64))
        given: dict[int, int] = {}
        for question in self._open:
            wanted = {
                int(k): int(n) - given.get(int(k), 0) for k, n in zip(question.designs, question.counts, strict=True)
            }
            for design, times in shared(wanted, self.result.counts, given, left).items():
                given[design] = given.get(design, 0) + times
                left -= times
            if not left:
                break
        return Pulls(np.array(list(given), dtype=np.int64), np.array(list(given.values()), dtype=np.int64))

    @property
    def has_cells(self) -> bool:
        """Whether `cells` says what to measure next: objectives are measured separately, in a table that grows."""
        return self._cells is not None

    def cells(self, evaluations: int) -> Pulls:
        """What to measure next where objectives are measured separately in a table that grows, at most so many.

        A cell is the number of a design times the number of objectives, plus the number of an objective.
        """
        if self._cells is None:
            raise InputError(
                "cells are planned where objectives are measured separately (`separate=True`), in a table that is not "
                "final; elsewhere `next` says which designs to evaluate."
            )
        return self._cells(as_count(evaluations, "evaluations"))

    def to_frame(self, backend: str | None = None) -> Any:
        """The answer with one row a design, as `Result.to_frame` gives it."""
        return self.result.to_frame(backend)

    def plot(self, **options: Any) -> Any:
        """A matplotlib figure of the averages by status (extra `plot`), with names and in their own signs.

        Options as in `report.pictures.plot_result`.
        """
        return self.result.plot(**options)

    def _repr_html_(self) -> str:
        """For notebooks: what is returned, by name, and the findings."""
        # Rendering lives in a later room: it is found by its name, and only in a notebook.
        html: str = import_module("conewise.report.notebooks").analysis_html(self)
        return html

    def __repr__(self) -> str:
        return f"Analysis({self.result!r})"


def analyse(
    observations: Any,
    cone: ConeLike | None = None,
    *,
    delta: float = 0.05,
    epsilon: float = 0.0,
    noise: Noise | str | None = None,
    final: bool = False,
    success: str | None = None,
    max_evaluations: int | None = None,
    names: Sequence[str] | None = None,
    design: str | None = None,
    objectives: Sequence[str | Objective] = (),
    minimise: Sequence[str] = (),
    levels: Mapping[str, Level] | None = None,
    block: str | None = None,
    population: int | str | None = None,
    repetitions: bool = False,
    separate: bool = False,
    features: Sequence[str] | None = None,
    model: Prior | str | None = None,
    designs: Any = None,
    price: str | None = None,
    robust: bool = False,
    confirm: Confirm = False,
    seed: int = 0,
    units: str | None = None,
    progress: Progress | None = None,
    executor: Any = None,
) -> Analysis:
    """Which designs are kept, beaten and undecided, and the epsilon that the data certify for those that are returned.

    `observations` are values at hand (`Observations`, with `names` for the designs) or a table: the path of a file or
    several, a mapping of columns, a list of dictionaries, a frame of pandas, polars or pyarrow, or what
    `tables.measurements` opens. Of a table, `design` is the column that names the designs (one called name, design or
    id by default), `objectives` are those that were measured; larger is better, unless `minimise` says otherwise. The
    orthant is the default cone. Objectives may be `Objective` records with units: then cone and epsilon count in steps.
    `units="auto"` takes a tenth of each spread, rounded to 1-2-5, for one step of the others; that is a question which
    the values chose, so that nothing is guaranteed but what holds for all units (the orthant at epsilon = 0).
    `levels` say what is acceptable, `{"yield": 0.8, "toxicity": ("<=", 3)}`, as records may: then the answer is the
    Pareto set of the acceptable designs (docs/objectives).

    `noise` is what is assumed of an evaluation, in the units and signs of the table. Without it, normal noise of
    unknown covariance is assumed, and nothing is guaranteed: `result.guarantee.proof` holds if the noise is normal.
    Observations of one design must come in the order in which they were made. With `final=True` each design's whole
    sample is looked at once, which says more, but only for a table that was not stopped because of what it showed and
    is not looked at again.
    `max_evaluations`, if it was fixed before the first one that there would never be more, sharpens epsilon = 0.
    With an `executor` (of `concurrent.futures`, or a Dask client) the pieces of a final table are summed up there.

    With `separate=True`, objectives were measured separately, each with its own number of repetitions: a row may lack
    some of them. Each counts as often as it was measured, and nothing is assumed of how objectives depend on each
    other. Such a table may grow and be looked at again, or be `final`; a table of means with a count for each objective
    is. (Without `separate` a missing value is refused: it may have been forgotten.)

    With `block`, a column that names what the designs share (a question, a seed, a fold), they are compared block by
    block (docs/blocks): `population` says what the averages are over, "all" the blocks of the table, a number of
    blocks, or by default an unlimited population; blocks are shuffled by `seed`, and `repetitions=True` averages
    several rows of a design on a block. Zeros and ones are then taken to lie between 0 and 1, other values to have
    normal differences (no guarantee, as above), unless `noise` says otherwise. Such a table is looked at once.

    With `features`, columns that describe the designs (of the table, or of `designs`, a table that also lists designs
    which were never evaluated), a `model` of the designs reads the table: "smooth" by default, "linear", or a prior of
    `models`. The answer then holds on average over that prior, `result.certified` says what holds for every truth
    beside it, and designs may be returned by prediction alone (docs/features). `success` is "cover" there by default,
    "contain" elsewhere; `price` is a column with what an evaluation of each design costs, of which `next` makes the
    most; `robust`, `confirm` and `seed` as for `identify`.

    >>> from conewise import problems
    >>> rng = np.random.default_rng(0)
    >>> designs = np.repeat([0, 1, 2], 40)
    >>> values = np.array([[0.0, 2.0], [2.0, 0.0], [-1.0, -1.0]])[designs] + rng.normal(size=(120, 2))
    >>> found = analyse(Observations.single(designs, values), "orthant")
    >>> found.result.status.tolist()
    ['kept', 'kept', 'beaten']
    """
    for word, flag in (("final", final), ("separate", separate), ("repetitions", repetitions)):
        as_flag(flag, word)
    if block is not None and separate:
        raise InputError("objectives that were measured separately share no blocks: leave `separate` out, or `block`.")
    modelled = Modelled.asked(features, model, designs, price, robust=robust, confirm=confirm, seed=seed)
    if modelled is not None:
        modelled.check(block, separate, executor, units)
        names = modelled.numbered(observations) if names is None else names
    source = as_source(observations, names, design, objectives, minimise)
    source = source if modelled is None else modelled.listed(source)
    if success is None and modelled is None:
        success = "contain"
    dim = len(source.objectives)
    if units is not None:
        take_units(source, units, separate)
    stated = None if noise is None else as_noise(noise)
    others = GaussianUnknown(stated=False) if stated is None else stated
    words: dict[str, Any] = {"cone": cone, "epsilon": epsilon, "delta": delta, "success": success, "levels": levels}
    question = Question.stated(dim, noise=others, objectives=meaning_of(source), **words)
    cone, assumed = question.cone, question.assumed
    if block is not None or population is not None or repetitions:
        shared_blocks = Blocks(block, population, repetitions, seed)
        shared_blocks.check(source, max_evaluations, executor)
        found = shared_blocks.answer(source, question, stated)
        said, asked_for = found.sentences, found.question
        return Analysis(found.result, found.plan, said, asked_for, found.open, None, found.guess, were_chosen(source))
    question = replace(question, objectives=told_apart(source, question.columns, assumed))
    meaning = question.columns
    if separate:
        if executor is not None:
            raise InputError("objectives that were measured separately are read in one piece: leave `executor` out.")
        alone = measured_separately(source, question, final, max_evaluations)
        said, plan = alone.sentences, alone.plan
        return Analysis(
            alone.result,
            plan,
            said,
            alone.question,
            (),
            alone.evidence,
            alone.guess,
            were_chosen(source),
            None,
            alone.cells,
        )
    summed = None if executor is None else summed_elsewhere(source, final, executor, progress)
    k = len(source.names)  # from here on the table is read
    assumed.check_dim(dim, k)
    check_summaries(source, assumed, final)
    guided = None if modelled is None else modelled.rule(source, question, max_evaluations)
    inside = question.inside.assumed
    values = Values(dim, k)
    stream = watched(source, cone, inside, values, progress)
    if k == 1:
        meaning.check_no_levels("the analysis of a single design", "compare its averages with it")
        statistics = statistics_of(source, stream, inside, values, summed)
        return _alone(source, statistics, question, final)
    asked = _Asked(question, k, max_evaluations)
    final_statistics = statistics_of(source, stream, inside, values, summed) if final else None
    if guided is not None:
        read = (
            ByModel.of_growing(guided, asked.rule, stream)
            if final_statistics is None
            else ByModel.of_final(guided, question, source, final_statistics)
        )
        judged = _Judged(read.statistics, read.result, read.plan, (), 1, None, (), read.next)
    else:
        judged = asked.of_growing(stream) if final_statistics is None else asked.of_final(final_statistics)
    check_limit(judged.result.evaluations, max_evaluations)
    proven = where_exported(as_imported(judged.result, source), source, final)
    proven = with_chosen_units(proven, question) if were_chosen(source) else proven
    evidence = None if judged.result.guarantee.proof and not proven.guarantee.proof else judged.evidence
    answer = where_searched(proven, source).answering(question, source.names)
    judged = replace(judged, result=answer, evidence=evidence)
    guess = Guess.of(question, judged.statistics, judged.prices)
    findings = (Findings if guided is None else ModelFindings)(
        source,
        judged.statistics,
        judged.result,
        judged.plan,
        question,
        final,
        judged.first_look,
        values.summed,
        values.ranges(question, judged.statistics),
        values.pairs(),
        was_exported(source),
        values.far(judged.statistics),
        shared_by(source),
        guess,
        were_chosen(source),
        bool(pruned_in(source)) or (not proven.guarantee and proven.guarantee.reason == STOPPED),
    )
    return Analysis(
        answer,
        judged.plan,
        findings.sentences(),
        question,
        judged.questions,
        judged.evidence,
        guess,
        were_chosen(source),
        judged.asking,
    )


analyze = analyse
"""The same, as it is spelt elsewhere."""


# -- judging ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Judged:
    statistics: Statistics
    result: Result
    plan: Plan
    questions: tuple[Pulls, ...]
    first_look: int
    evidence: Evidence | None
    prices: tuple[Price, ...] = ()
    asking: Callable[[int], Pulls] | None = None


@dataclass(frozen=True, eq=False)
class _Asked:
    """What is asked of the data, and the two ways to an answer."""

    question: Question
    n_designs: int
    most: int | None

    @cached_property
    def rule(self) -> SuccessiveElimination:
        """The rule whose looks depend neither on how long the table is nor on epsilon.

        Without pilots: in a table that is sorted by designs they would be complete at its end only.
        """
        options: dict[str, Any] = {"any_epsilon": True, "pilots": False}
        return SuccessiveElimination(self.question, self.n_designs, max_evaluations=self.most, **options)

    def of_growing(self, stream: Iterator[Observations]) -> _Judged:
        """The observations told in their order to the certificate of looks."""
        rule = self.rule
        state = rule.start()
        for observations in stream:
            state = rule.tell(state, observations)
        certificate = rule.certificate
        evidence = rule.evidence(state)
        result = rule.recommend(state)
        return self._planned(state, result, certificate.claims(state), certificate.levels.counts[0], evidence, False)

    def of_final(self, statistics: Statistics) -> _Judged:
        """One look at the whole samples; what is left open is planned for a table that grows."""
        sample = FixedSample(self.question, self.n_designs)
        result = sample.recommend(statistics)
        least = 2 if sample.radii.estimates else 1
        evidence = Evidence.of(sample, statistics)
        if not (result.status == Status.UNDECIDED.value).any():
            return _Judged(statistics, result, Plan(Pulls([], []), 0), (), least, evidence)
        state = replace(self.rule.start(), statistics=statistics)
        return self._planned(state, result, sample.claims(statistics), least, evidence, True)

    def _planned(
        self, state: Checkpoints, result: Result, claims: Claims, first_look: int, evidence: Evidence, final: bool
    ) -> _Judged:
        """With what would settle the open questions: first of all, enough evaluations of everyone to be compared."""
        early = np.flatnonzero(state.counts < first_look)
        needs = None if len(early) else self.rule.needs(state, claims)
        targets = np.zeros(self.n_designs)
        if len(early):
            targets[early] = self.rule.certificate.levels.counts[0]
        elif needs is None:  # too many designs are left to ask who depends on whom: the next look
            levels = np.array(self.rule.certificate.levels.counts)
            ahead = levels[np.minimum(np.searchsorted(levels, state.counts, side="right"), len(levels) - 1)]
            targets = np.where(claims.undecided, ahead, 0)
        else:
            targets[needs.left] = needs.targets[0]
        missing = np.maximum(np.ceil(targets) - state.counts, 0).astype(np.int64)
        plan = Plan(Pulls.each(missing), int(missing.sum()), at_least=needs is None)
        questions = (
            by_size(plan.pulls.designs, plan.pulls.counts) if needs is None else open_questions(needs, state.counts)
        )
        priced = prices(self.question, state, self.most, final) if claims.undecided.any() and not len(early) else ()
        return _Judged(state.statistics, result, plan, questions, first_look, evidence, priced)


def _alone(source: Source, statistics: Statistics, question: Question, final: bool) -> Analysis:
    """A single design is the Pareto set."""
    worth = Guarantee(0.0, question.delta, "a single design is the Pareto set", "nothing")
    it, why = np.ones(1, dtype=bool), "there is only one design"
    result = Result.of(statistics, it, worth, why, kept=it, certain=it, epsilon=0.0)
    result = result.answering(question, source.names)
    plan = Plan(Pulls([], []), 0)
    findings = Findings(source, statistics, result, plan, question, final, 0)
    return Analysis(result, plan, findings.sentences(), question, ())
