"""What an analysis found, on what it rests and what to do next, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from conewise.analysis.guesses import Guess, front_words, price_words
from conewise.analysis.oddities import NO_FORECAST, Far, Oddities, joined, listed
from conewise.analysis.units import CHOSEN, units_words
from conewise.analysis.unproven import left_out_words
from conewise.border import advisory
from conewise.certificate.fit import needs_scatters
from conewise.certificate.rounding import Estimated, never_varied
from conewise.data.observations import Statistics
from conewise.errors import counted, printable
from conewise.question.question import IF_NORMAL, Question, certainty
from conewise.rules import Plan, Result, Status
from conewise.rules.contract import INDEPENDENT, in_status
from conewise.tables.measurements import Source

_NAMED = 5  # designs listed by name before "and n more"
HOPELESS = 10**8
"""More evaluations than this to go: what is left is as good as a tie."""


@dataclass(frozen=True, eq=False)
class Findings:
    """What the sentences are made from."""

    source: Source
    statistics: Statistics
    result: Result
    plan: Plan
    question: Question
    """In the directions of the source."""
    final: bool
    first_look: int
    """Evaluations of a design before anything is said of it."""
    summed: bool = False
    """Whether an entry stood for several evaluations."""
    ranges: Mapping[int, str] = field(default_factory=dict)
    """Sentences that ask for the range of an objective."""
    two_valued: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    """Objectives that took two values only, and these (larger is better)."""
    exported: bool = False
    """Whether a study wrote the table."""
    far: Sequence[Far] = ()
    """Values far from all others of their design."""
    shared: str = ""
    """What all designs were evaluated on, so that no proof covers the answer: folds, samples."""
    guess: Guess | None = None
    """What the averages say by themselves."""
    units_chosen: bool = False
    """Whether the values have chosen the units."""
    doubtful: bool = False
    """Whether no proof covers what was evaluated: values decided what of it counts, or folds share training data."""

    _sampled = INDEPENDENT  # how evaluations are made, for answers without a proof that says it

    def sentences(self) -> tuple[str, ...]:
        """In the order in which a reader wants them."""
        answer = [self._outcome(), self._certified(), *self._acceptable(), *self._certain(), *self._guessed()]
        assumed = [self._assumption()] if len(self.result.status) > 1 else []
        lines = [*answer, *assumed, *self._remarks(), *self._validity()]
        return (*lines, *self._next())

    # -- the answer -----------------------------------------------------------------------------------------

    def _outcome(self) -> str:
        status = self.result.status
        k = len(status)
        if k == 1:
            return f"There is only one design, {self._name(0)}, so nothing can be better: it is Pareto optimal."
        counted = {s: int((status == s.value).sum()) for s in Status}
        if counted[Status.UNDECIDED] == k:
            return f"{self._first()}Of {k} designs none is decided at {self._at(self.question.epsilon)}."
        parts = [_counted(s, n) for s, n in counted.items() if n]
        if not counted[Status.KEPT]:
            parts[0] = f"none is kept, {parts[0]}"
        sure = "that is a guess, not a guarantee" if self._doubted else self._sure()
        return f"{self._first()}Of {k} designs, at {self._at(self.question.epsilon)}, {joined(parts)}; {sure}."

    def _sure(self) -> str:
        return f"with probability at least {certainty(self.question.delta)} all of that is right{self._if}"

    @property
    def _if(self) -> str:
        """The condition under which the answer holds, where its noise was not stated."""
        return f" {IF_NORMAL}" if self.question.assumed.presumed and not self.result.guarantee else ""

    def _first(self) -> str:
        """The returned designs, before anything is said of them."""
        returned = np.flatnonzero(self.result.pareto)
        return f"Returned{self._if}: {self._names(returned)}. " if len(returned) else ""

    def _certain(self) -> list[str]:
        certain = np.flatnonzero(self.result.certain)
        if not len(certain) or len(self.result.status) == 1:
            return []
        return [f"Certainly Pareto optimal: {self._names(certain)}."]

    def _guessed(self) -> list[str]:
        """The averages alone, where something is open."""
        open_ = (self.result.status == Status.UNDECIDED.value).any()
        return [] if self.guess is None or not open_ else front_words(self.guess, self.source.names)

    def _certified(self) -> str:
        if len(self.result.status) == 1:
            return "Nothing has to be assumed for that."
        worth = self.result.guarantee
        if not worth and self._doubted:
            granted = ", as the bounds take for granted" if self.shared else ""
            return f"Nothing is certified: {worth.reason}{granted}."
        if not worth.proof or self.result.certified_epsilon is None:
            return f"No epsilon is certified yet: {self._why_nothing()}."
        n, epsilon = int(self.result.pareto.sum()), self.result.certified_epsilon
        if not n:
            held = f"nothing is acceptable: every design misses a level ({self._level_words()})"
            return f"The data certify{self._if} that {held}."
        returned = np.flatnonzero(self.result.pareto)
        who = self._names(returned) if n <= _NAMED + 1 else f"the {n} returned designs"
        place = "within that of" if self.question.success == "cover" else "among" if n > 1 else "no other than"
        held, far = f"every Pareto design is {place} {who}", "further than that from being Pareto optimal"
        if epsilon == 0:
            held = f"every Pareto design is among {who}" if n > 1 else f"{who} is the only Pareto design"
            far = "surpassed in every respect"
        holds = self.question.columns.within(epsilon)
        return f"The data certify epsilon = {holds}{self._if}: {held}, and nothing returned is {far}."

    def _level_words(self) -> str:
        return joined([printable(level) for level in self.question.columns.levels])

    def _acceptable(self) -> list[str]:
        """What levels ask for, and who misses one."""
        if not self.question.columns.levels:
            return []
        words = f"Acceptable is {self._level_words()}: Pareto optimal is said among the acceptable designs"
        epsilon = self.result.certified_epsilon
        if epsilon and self.result.pareto.any():
            words += f", and{self._if} nothing returned misses {self._slack(epsilon)}"
            if self.question.success == "contain" and not self.question.keeps_levels:
                words += "; a rival counts only if it has more than that to spare in every level"
        missing = np.flatnonzero(self.result.status == Status.MISSES.value) if not self._doubted else ()
        out = f"Certainly not acceptable{self._if}: {self._names(missing)}." if len(missing) else ""
        return [f"{words}.", *([out] if out else [])]

    def _slack(self, epsilon: float) -> str:
        """Say by how much a returned design may miss a level: not at all where its values are known exactly."""
        dim, columns, noise = self.question.cone.dim, self.question.columns.each, self.question.assumed
        seen = (self.statistics.counts[self.result.pareto] > 0).all()  # of a prediction nothing is known exactly
        levelled = [(o, seen and noise.of_one(d, dim).noiseless) for d, o in enumerate(columns) if o.level is not None]
        noisy, exact = [o for o, sure in levelled if not sure], [o.name for o, sure in levelled if sure]
        if not noisy:
            return "a level at all"
        slack = f"a level by more than {joined([o.amount(epsilon, up=True) for o in noisy])}"
        return f"{slack}, nor that of {joined([printable(name) for name in exact])} at all" if exact else slack

    def _why_nothing(self) -> str:
        early = int((self.statistics.counts < self.first_look).sum())
        if early:
            many = "a design has" if early == 1 else f"{early} designs have"
            return f"{many} too few evaluations to be compared, and could be better than all others"
        if self.summed and not self.final:
            return "some designs have not met at any look"
        return "the data are too few"

    def _assumption(self) -> str:
        proof = self.result.guarantee.proof
        words = proof.assumption if proof else f"{self._sampled}; {self.question.assumed.words}"
        return f"Assumed: {words}." + (f" That is no guarantee: {self.question.assumed.presumed}." if self._if else "")

    # -- the data -------------------------------------------------------------------------------------------

    def _remarks(self) -> list[str]:
        lines: list[str] = []
        about_values = (self._too_few, self._units, self._odd, self._ties, self._summed, self._summaries)
        for remark in (self._skipped, *about_values):
            with advisory():
                lines += remark()
        return lines

    def _odd(self) -> list[str]:
        odd = self._oddities
        constants = odd.constants() if self.source.has_scatter else []
        ranges = [line for d, line in self.ranges.items() if d not in self.two_valued]
        return [*constants, *odd.outliers(), *self._pairs(), *ranges]

    def _pairs(self) -> list[str]:
        return [] if self.source.summarised else self._oddities.pairs()

    @property
    def _oddities(self) -> Oddities:
        assumed = self.question.inside.assumed
        return Oddities(self.source.names, self.question.columns, assumed, self.statistics, self.two_valued, self.far)

    def _skipped(self) -> list[str]:
        rows, counts = self.source.rows, self.statistics.counts
        left_out = int((rows - counts).sum())
        if not left_out:
            return left_out_words(self.source)
        lines = [
            f"{left_out} of {int(rows.sum())} rows had no value for some objective and "
            f"{'were' if left_out > 1 else 'was'} left out; that is sound only if a value does not decide whether it "
            "is missing."
        ]
        empty = np.flatnonzero(counts == 0)
        if len(empty):
            lines.append(f"Nothing is left of {self._names(empty)}.")
        return lines

    def _too_few(self) -> list[str]:
        counts = self.statistics.counts
        if len(counts) == 1:
            return []
        lines = []
        unknown = Estimated.of(self.question.assumed, self.question.cone.dim).any
        if unknown and (counts <= 1).all():
            return [
                "No design was evaluated twice, so nothing shows how large the noise is: repeat evaluations, or say "
                "how large it is. Where the values are known and no measurements, `front` has their Pareto set."
            ]
        single = np.flatnonzero(counts == 1)
        if unknown and len(single):
            verb = "was evaluated once" if len(single) == 1 else "were evaluated once each"
            lines.append(
                f"{self._names(single)} {verb}: one value does not show how large the noise is, so nothing can be said "
                f"of {'it' if len(single) == 1 else 'them'} yet."
            )
        few = np.flatnonzero((counts > (1 if unknown else 0)) & (counts < self.first_look))
        if len(few):
            lines.append(
                f"{self._names(few)} {'has' if len(few) == 1 else 'have'} fewer than {self.first_look} evaluations, "
                "the number at which designs are first compared."
            )
        return lines

    def _ties(self) -> list[str]:
        undecided = np.flatnonzero(self.result.status == Status.UNDECIDED.value)
        if len(undecided) < 2:
            return []
        means = self.statistics.means[undecided]
        _, group, size = np.unique(means, axis=0, return_inverse=True, return_counts=True)
        equal = undecided[(size[group.ravel()] > 1) & ~np.isnan(means).any(axis=1)]
        lines = []
        if len(equal):
            lines.append(f"{self._names(equal)} share all their averages with another design.")
        if self.question.epsilon == 0:
            lines.append(
                "Designs that are truly equal stay undecided at epsilon = 0 however often they are evaluated; an "
                "epsilon above 0, the difference that does not matter, settles them."
            )
        return lines

    def _summed(self) -> list[str]:
        if not self.summed or self.final:
            return []
        return [
            "Some entries stand for several evaluations. Designs are compared at certain numbers of evaluations only, "
            "and an entry that leaps over such a number misses it: give single evaluations, or declare the sample "
            "final."
        ]

    def _summaries(self) -> list[str]:
        if not self.source.summarised or len(self.source.objectives) == 1:
            return []
        if not needs_scatters(self.question.assumed):
            return []
        return [
            "Means and standard errors do not show how the objectives of one evaluation vary together, so the least "
            "favourable way was taken wherever the cone weighs several of them."
        ]

    # -- how long it holds, and what is next ------------------------------------------------------------------

    def _validity(self) -> list[str]:
        if len(self.result.status) == 1 or self._doubted:
            return []
        if self.final:
            return [
                "The table was declared final: if you look again after adding data what is certified is lost, as it is "
                "if what was seen decided when to stop."
            ]
        return [
            "You may add rows of these designs, look again and ask for another epsilon, as often as you like; the "
            "cone, delta, the success asked for and the noise assumed stay as at the first look. The order of a "
            "design's rows counts and must not depend on their values: keep it as measured, with new rows below.",
            *self._exported(),
        ]

    def _exported(self) -> list[str]:
        if not self.exported:
            return []
        return [
            "This table was exported from a study. The study looks at moments made for its own epsilon and success, "
            "so what it certifies may differ; what the study says is its answer."
        ]

    def _next(self) -> list[str]:
        wanted, remaining = self.plan.pulls, self.plan.remaining
        if not (self.result.status == Status.UNDECIDED.value).any() or not wanted.total:
            return []
        if self._pairs():
            return ["What deciding the rest takes is not forecast, since two values are not normal noise."]
        if never_varied(self.question.inside.assumed, self.statistics).any():
            return [NO_FORECAST]
        if remaining >= HOPELESS:
            tie = "Some of what is undecided looks like a tie, which no reasonable number of evaluations decides."
            return [f"{tie}{self._prices()}"]
        about = f"{more_evaluations(remaining, self.plan.at_least)} of {counted(len(wanted.designs), 'design')}"
        if self.final:
            words = f"Deciding the rest would take {about}, in a table that is not declared final before."
        else:
            words = f"Deciding the rest takes {about}, judged by the averages so far."
        return [f"{words}{self._prices()}"]

    def _prices(self) -> str:
        return "" if self.guess is None else price_words(self.guess.prices, self.question, HOPELESS)

    @property
    def _doubted(self) -> bool:
        """Whether no proof covers the answer, for another reason than too few data."""
        worth = self.result.guarantee
        return bool(self.shared) or self.doubtful or (self.units_chosen and not worth and worth.reason == CHOSEN)

    def _units(self) -> list[str]:
        return units_words(self.question, self.result, self.units_chosen)

    # -- words ------------------------------------------------------------------------------------------------

    def _at(self, epsilon: float) -> str:
        return self.question.columns.at(epsilon)

    def _name(self, design: int) -> str:
        return printable(self.source.names[design])

    def _names(self, designs: Iterable[int]) -> str:
        return listed([self._name(int(k)) for k in designs])


def more_evaluations(remaining: int, at_least: bool) -> str:
    """How many evaluations remain, with the word that is true of the number.

    >>> more_evaluations(1, True), more_evaluations(20, False)
    ('at least 1 more evaluation', 'about 20 more evaluations')
    """
    return f"{'at least' if at_least else 'about'} {counted(remaining, 'more evaluation')}"


def ended(result: Result) -> str:
    """Say why a study asks for nothing more: it has its answer, a limit came first, or nothing would help."""
    if result.stopped_because.startswith("not finished: "):
        return f"cannot end: {result.stopped_because.removeprefix('not finished: ')}"
    open_ = int((result.status == Status.UNDECIDED.value).sum())
    if not open_:
        return "has all that it asked for"
    return f"has reached its limit, with {counted(open_, 'design')} undecided"


def unused(told: int, used: int, finished: bool) -> str:
    """Why an answer rests on fewer evaluations than were told; nothing where it rests on all."""
    if told <= used:
        return ""
    n = told - used
    if finished:
        why = "were handed out ahead of need, and the answer did not need them" if n > 1 else "was not needed"
        return f"The answer rests on {used:,} of the {told:,} told evaluations; {n:,} {why}."
    wait = "waits" if n == 1 else "wait"
    return (
        f"The answer rests on {used:,} of the {told:,} told evaluations; {n:,} {wait} for an earlier evaluation of the "
        "same design that is not told yet, since a design's evaluations count in the order of their numbers."
    )


def _counted(status: Status, number: int) -> str:
    """A part of a sentence: "3 are kept", "1 misses a level"."""
    if status is Status.MISSES:
        return in_status(status, number)
    return f"{number:,} {'is' if number == 1 else 'are'} {status.value}"
