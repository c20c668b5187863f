"""What a table of designs on shared blocks certifies: one look at paired differences (docs/blocks)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from conewise.analysis.explanations import HOPELESS, Findings, more_evaluations
from conewise.analysis.fitting import told_apart
from conewise.analysis.guesses import Guess, Price, block_prices, price_words
from conewise.analysis.oddities import NO_FORECAST, Values, joined, undeclared_words
from conewise.analysis.units import were_chosen, with_chosen_units
from conewise.analysis.unproven import FOLDS, shared_by, without_proof
from conewise.border import Indices, as_count
from conewise.data.observations import Pulls, Statistics
from conewise.errors import InputError, counted, printable, shown
from conewise.noise import Noise
from conewise.problems.recorded import as_population, by_values
from conewise.question.question import Guarantee, Question
from conewise.rules import PairedElimination, Plan, Result, Status
from conewise.tables.blocked import Blocked, read_blocked
from conewise.tables.measurements import LongTable, Source

ALL = "all"
"""The population is the blocks of the table."""
_TRAINED = (
    "the folds of one cross-validation share training data, and no proof covers averages over more folds than these "
    "(of these alone: --population all, in Python population='all')"
)
_ADAPTIVE = (
    "a study wrote this table, and which blocks a design has met there depends on the values; the study's own answer "
    "covers that"
)


@dataclass(frozen=True, eq=False)
class BlockAnswer:
    """What an analysis is made from."""

    result: Result
    plan: Plan
    sentences: tuple[str, ...]
    question: Question
    open: tuple[Pulls, ...]
    guess: Guess | None = None
    """What the averages say by themselves; their standard errors are those of a design alone."""


@dataclass(frozen=True)
class Blocks:
    """How the rows of a table belong together: which column names the block, and what averages are over."""

    column: str | None
    population: int | str | None = None
    repetitions: bool = False
    seed: int = 0

    def check(self, source: Source, max_evaluations: int | None, executor: Any) -> None:
        """Refuse what does not go together."""
        if self.column is None:
            raise InputError("`population` and `repetitions` belong to blocks: name their column with `block`.")
        if max_evaluations is not None or executor is not None or not isinstance(source, LongTable):
            raise InputError(
                "`block` is a column of a table with one row an evaluation, which is read here and looked at once; "
                "leave out `max_evaluations`, workers, and columns of means."
            )

    def answer(self, source: Source, question: Question, noise: Noise | None) -> BlockAnswer:
        """One look at all blocks of a table; of the objectives that declare no noise, `noise` is assumed.

        Where that is None, what is assumed of them shows in their values: the question is asked with it.
        """
        assert isinstance(source, LongTable)
        assert self.column is not None
        meaning, stated = question.columns, question.noise
        written = meaning if stated is None else told_apart(source, meaning, stated)
        table = replace(read_blocked(source, self.column, repetitions=self.repetitions), meaning=written)
        if noise is None:
            others = by_values([name in table.binary for name in table.objectives])
            stated = meaning.noise(others) or others
        question = replace(question, noise=stated, objectives=table.meaning)
        population = population_of(self.population, len(table.blocks))
        if len(table.names) == 1:
            meaning.check_no_levels("the analysis of a single design", "compare its averages with it")
            return _alone(table, question)
        doubt = _ADAPTIVE if source.exported else _TRAINED if shared_by(source) == FOLDS else None
        return _of_many(table, question, population, as_count(self.seed, "seed", minimum=0), were_chosen(source), doubt)


def population_of(given: Any, blocks: int) -> int | None:
    """The blocks that averages are over: "all" that the table has, a number, or None for an unlimited population.

    >>> population_of("all", 797), population_of(1000, 797), population_of(None, 797)
    (797, 1000, None)
    """
    if given is None:
        return None
    if isinstance(given, str) and given == ALL:
        return blocks
    if isinstance(given, bool) or not isinstance(given, int | np.integer):
        raise InputError(f'population must be "all" or a number of blocks, got {shown(given)}.')
    return as_population(int(given), blocks)


def _of_many(
    table: Blocked, question: Question, population: int | None, seed: int, chosen: bool, doubt: str | None
) -> BlockAnswer:
    blocks = len(table.blocks)
    rule = PairedElimination(question, len(table.names), blocks=blocks, population=population, once=True)
    order = np.random.default_rng(seed).permutation(blocks)
    state = rule.certificate.tell_table(table.values[:, order])
    result = rule.recommend(state).answering(question, table.names)
    exact = population is not None and bool((state.counts == population).all())
    result = with_chosen_units(result, question) if chosen and not exact else result
    doubt = None if exact else doubt
    if doubt is not None:
        result = without_proof(result, doubt)
    missing = np.zeros(len(table.names), dtype=np.int64)
    if (result.status == Status.UNDECIDED.value).any():
        needed = rule.needed(rule.certificate.claims(state))
        missing[needed] = blocks if population is None else population - state.counts[needed]
    pulls = Pulls.each(missing)
    plan = Plan(pulls, pulls.total, at_least=population is None and pulls.total > 0)
    priced = block_prices(rule, state, first=True) if pulls.total else ()
    guess = Guess.of(question, state.statistics, priced[1:], population)
    doubts: dict[str, Any] = {"units_chosen": chosen, "guess": guess, "doubtful": doubt is not None}
    findings = _BlockFindings(table, state.statistics, result, plan, question, True, 0, **doubts)
    values = Values(len(table.objectives), len(table.names))
    for observations in table:
        values.see(observations)
    ranges = values.ranges(question, state.statistics).values()
    odd = [] if exact else [*_not_normal(table, rule.certificate.kinds.normal), *ranges]
    undeclared = [] if exact else undeclared_words(rule.certificate.kinds.noise, state.statistics, table.objectives)
    sentences = (
        *findings.answer(),
        *odd,
        *undeclared,
        *_remarks(table, population, seed, exact),
        *([NO_FORECAST] if undeclared and plan.remaining else _next(population, plan, priced, question)),
    )
    together = (pulls,) if pulls.total else ()  # one design alone on a new block is compared with nobody
    return BlockAnswer(result, plan, sentences, question, together, guess)


def _alone(table: Blocked, question: Question) -> BlockAnswer:
    """A single design is the Pareto set."""
    statistics = Statistics.empty(1, len(table.objectives))
    for observations in table:
        statistics = statistics.add(observations)
    worth = Guarantee(0.0, question.delta, "a single design is the Pareto set", "nothing")
    it, plan = np.ones(1, dtype=bool), Plan(Pulls([], []), 0)
    result = Result.of(statistics, it, worth, "there is only one design", kept=it, certain=it, epsilon=0.0)
    result = result.answering(question, table.names)
    findings = _BlockFindings(table, statistics, result, plan, question, True, 0)
    return BlockAnswer(result, plan, tuple(findings.answer()[:2]), question, ())


class _BlockFindings(Findings):
    """The sentences about the answer itself, which are those of every analysis."""

    _sampled = "blocks in random order, and any dependence between designs on one block"

    def answer(self) -> list[str]:
        """What was found, and on what it rests."""
        answer = [self._outcome(), self._certified(), *self._certain(), *self._guessed(), self._assumption()]
        return [*answer, *self._units()]

    def _why_nothing(self) -> str:
        return "some designs that are not beaten have too few blocks in common to be compared"


def _not_normal(table: Blocked, normal: Indices) -> list[str]:
    """Zeros and ones that are taken to have normal differences."""
    found = [table.objectives[d] for d in normal if table.objectives[d] in table.binary]
    if not found:
        return []
    names = joined([printable(name) for name in found])
    return [
        f"{names} {'is' if len(found) == 1 else 'are'} 0 or 1 in every row, which no normal difference is, so "
        "that little can be said there; say that it is binary, or leave its noise out."
    ]


def _remarks(table: Blocked, population: int | None, seed: int, exact: bool) -> list[str]:
    """What was done with the blocks."""
    q, column = len(table.blocks), printable(table.column)
    lines = [f"Designs are compared on the blocks ({column}) that they share; there are {q:,}."]
    if population is None:
        lines[0] += " Averages are over an unlimited population of blocks, of which these are a sample."
    elif population == q:
        lines[0] += " Averages are over these blocks, so that designs that have met all of them are known exactly."
    else:
        lines[0] += f" Averages are over a population of {population:,} blocks, of which these are a sample."
    if table.repeated:
        lines.append(
            f"{table.repeated:,} {'row repeats' if table.repeated == 1 else 'rows repeat'} a design on a block; "
            "repetitions were averaged first: the block is the unit."
        )
    lacking = int((~table.met).sum())
    if lacking:
        designs = int((~table.met).any(axis=1).sum())
        lines.append(
            f"{designs:,} {'design lacks' if designs == 1 else 'designs lack'} {lacking:,} "
            f"{'block' if lacking == 1 else 'blocks'} and {'is' if designs == 1 else 'are'} compared on common ones; "
            "that is sound only if a value does not decide whether it is missing."
        )
        lines += _strangers(table)
    if not exact:
        lines.append(
            f"The order of the blocks was shuffled with seed {seed}: whatever order the table has, bounds are for "
            "a random one. The table is looked at once; if blocks are added because of what was seen, or another seed "
            "is tried, what is certified is lost."
        )
    return lines


def _strangers(table: Blocked) -> list[str]:
    """Two designs without a common block."""
    there = table.met.astype(np.float64)
    apart = np.argwhere(there @ there.T == 0)
    if not len(apart):
        return []
    pairs = len(apart) // 2 if len(apart) > 1 else 1
    first, second = (printable(table.names[k]) for k in apart[0])
    more = f", and {pairs - 1:,} more pairs have" if pairs > 1 else " have"
    return [f"{first} and {second}{more} no block in common and cannot be compared."]


def _next(population: int | None, plan: Plan, priced: tuple[Price, ...], question: Question) -> list[str]:
    """What deciding the rest would take, for the epsilon asked for and for others."""
    if not plan.remaining:
        return []
    others = price_words(priced[1:], question, HOPELESS)
    if population is not None:
        decide = "decides" if plan.remaining == 1 else "decide"
        most = f"At most {counted(plan.remaining, 'more evaluation')} {decide} the rest: the blocks that are not in "
        most += "the table yet."
        about = (
            "" if not priced else f" Judged by the averages it takes {more_evaluations(priced[0].remaining, False)}."
        )
        return [f"{most}{about}{others}"]
    if not priced or not priced[0].remaining:  # nothing to forecast by where values never differ
        return ["Deciding the rest takes more blocks of the designs that are undecided and of their rivals."]
    if priced[0].remaining >= HOPELESS:
        return [f"Some of what is undecided looks like a tie, which no reasonable number of blocks decides.{others}"]
    about = more_evaluations(priced[0].remaining, False)
    return [f"Deciding the rest takes {about}, on further blocks, judged by the averages so far.{others}"]
