"""The contract of an identification algorithm: frozen configuration, state as a value, three verbs.

A loop needs an `Algorithm`. A `Planner` can also describe its own course. `FixedConfidence` is the shared part of rules
that stop by themselves. Loops, studies and reports use nothing else of an algorithm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from enum import StrEnum
from importlib import import_module
from typing import Any, ClassVar, Final, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from conewise.border import Bools, Floats, Indices, as_count, as_positive
from conewise.certificate.streams import Separately
from conewise.data.observations import Observations, Pulls, Statistics
from conewise.errors import InputError, counted, printable
from conewise.noise import Noise
from conewise.order.budgets import check_designs
from conewise.question.objectives import Objective, Objectives, as_objectives, units_remark
from conewise.question.question import (
    IF_NORMAL,
    Answering,
    Guarantee,
    Heuristic,
    Notion,
    Question,
    as_question,
    worth_of,
)
from conewise.rules.evidence import Evidence

_NAMED = 5  # designs in a line of text
_UNNAMED: Final = Objectives(())
_CHOOSE_UNITS: Final = "Choose steps by what they mean to you: a guarantee holds for units that no value has chosen."

INDEPENDENT: Final = "evaluations independent of each other, also between designs, without drift"
"""The assumption of every certificate on the way in which evaluations are made."""


class Status(StrEnum):
    """The status of a design in an answer, at the epsilon of the question.

    Only a beaten design is certainly not Pareto optimal: a covered design may be Pareto optimal itself.
    """

    KEPT = "kept"
    """Returned: no design beats it by more than epsilon."""
    COVERED = "covered"
    """Left out, although perhaps Pareto optimal: a kept design is as good within epsilon."""
    BEATEN = "beaten"
    """Left out: another design certainly dominates it under the cone."""
    MISSES = "misses a level"
    """Left out: certainly not acceptable in an objective that has a level."""
    UNDECIDED = "undecided"

    @property
    def key(self) -> str:
        """The status as a name of a field or of a JSON key."""
        return self.value.replace(" ", "_")


@dataclass(frozen=True, eq=False)
class Result:
    """An answer, and the guarantee that it carries."""

    pareto: Bools
    """(K,): the returned set."""
    status: NDArray[np.str_]
    """(K,): "kept", "covered", "beaten", "misses a level" or "undecided" (`Status`)."""
    evaluations: int
    guarantee: Guarantee | Heuristic
    certified_epsilon: float | None
    """The smallest epsilon that a proof gives for the returned set; None while there is none."""
    stopped_because: str
    means: Floats
    """(K, D): the averages in steps, larger is better in every column; NaN where nothing was observed."""
    counts: NDArray[np.int64]
    by: Indices = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    """(K,): the design that beats or covers a design by the data; -1 for the other designs, and where it is unknown.

    The guarantee is that such a design exists, not that it is this one."""
    certain: Bools = field(default_factory=lambda: np.empty(0, dtype=bool))
    """(K,): certainly Pareto optimal, that is kept at epsilon 0; False where there is no proof."""
    designs: Sequence[str] = ()
    """The names of the designs; may be empty."""
    meaning: Objectives = _UNNAMED
    """Names, directions and units of the objectives; empty where they have no names."""
    probability: Floats | None = None
    """(K,): probability of each design to be Pareto optimal, on average over the prior; None without a model."""
    certified: Mapping[str, float | None] = field(default_factory=dict)
    """With a model: the smallest epsilon for the returned set on average over the "prior", and for "every truth"."""
    remarks: tuple[str, ...] = ()
    """Reasons for a second look: objectives of very different spread are weighed in one measure."""

    def __post_init__(self) -> None:
        if not len(self.by):
            object.__setattr__(self, "by", np.full(len(self.pareto), -1, dtype=np.intp))
        if not len(self.certain):
            object.__setattr__(self, "certain", np.zeros_like(self.pareto))

    @classmethod
    def of(
        cls,
        seen: Averaged,
        returned: Bools,
        worth: Guarantee | Heuristic,
        why: str,
        *,
        kept: Bools,
        covered: Bools | bool = False,
        beaten: Bools | bool = False,
        misses: Bools | bool = False,
        epsilon: float | None = None,
        **more: Any,
    ) -> Result:
        """Return the answer of a rule from the returned set and the masks of each status.

        A design in no mask is undecided. `epsilon` is the one that a proof gives for the returned set. `more` are
        further fields: `by` counts for covered and beaten designs, `certain` for returned ones.
        """
        masks = {Status.MISSES: misses, Status.BEATEN: beaten, Status.COVERED: covered, Status.KEPT: kept}
        words = [word.value for word in masks]
        status = np.select(list(masks.values()), words, Status.UNDECIDED.value).astype("<U16")
        more["by"] = np.where(np.isin(status, words[1:3]), more.get("by", -1), -1)
        more["certain"] = more.get("certain", False) & returned
        return cls(
            pareto=returned,
            status=status,
            evaluations=seen.evaluations,
            guarantee=worth,
            certified_epsilon=epsilon,
            stopped_because=why,
            means=seen.means,
            counts=seen.counts,
            **more,
        )

    @property
    def columns(self) -> Objectives:
        """The objectives; where they have no names, "objective 1" and so on."""
        return self.meaning or as_objectives([f"objective {d + 1}" for d in range(self.means.shape[1])])

    @property
    def objectives(self) -> tuple[str, ...]:
        """The names of the objectives; may be empty."""
        return self.meaning.names

    @property
    def minimised(self) -> tuple[str, ...]:
        """The objectives where less is better: their averages are negated in `means`, and not in `averages`."""
        return self.meaning.minimised

    @property
    def units(self) -> tuple[float, ...]:
        """The size of one step of each objective, if units were given: `means` and epsilon count in steps."""
        return tuple(self.meaning.units.tolist()) if self.meaning.in_steps else ()

    @property
    def evidence(self) -> NDArray[np.str_]:
        """(K,): "measured" for a design with evaluations of every objective, "predicted" by a model for the others."""
        unseen = (self.counts == 0) | np.isnan(self.means).any(axis=1)
        return np.where(unseen, "predicted", "measured")

    @property
    def indices(self) -> list[int]:
        """The returned designs."""
        return [int(i) for i in np.flatnonzero(self.pareto)]

    def names(self, names: Sequence[str] | None = None) -> list[str]:
        """Return the names of the returned designs: their own, or those of `names` (one for each of all designs)."""
        known = self.designs if names is None else names
        return [known[i] if known else str(i) for i in self.indices]

    @property
    def averages(self) -> Floats:
        """(K, D): the averages as they were measured, each objective in its own direction and unit."""
        return self.meaning.own(self.means) if self.meaning else self.means

    @property
    def step(self) -> str:
        """Text to follow an epsilon: "; one step is price 500 EUR, power 10"; empty without units."""
        return f"; one step is {self.meaning.amounts(1)}" if self.meaning.in_steps else ""

    @property
    def condition(self) -> str:
        """The condition of the proof where normal noise was assumed and not stated; else empty."""
        return IF_NORMAL if self.guarantee.proof and not self.guarantee else ""

    def standing(self, design: int) -> str:
        """Return the status of a design in words: "kept", "beaten by B", "covered by C", "undecided"."""
        word, by = str(self.status[design]), int(self.by[design])
        return word if by < 0 else f"{word} by {self.designs[by] if self.designs else by}"

    def named(
        self, designs: Sequence[str], objectives: Sequence[str | Objective], minimised: Sequence[str] = ()
    ) -> Result:
        """Return the answer with names of its designs, and with names, directions and units of its objectives."""
        meaning = objectives if isinstance(objectives, Objectives) else as_objectives(objectives, minimised)
        return replace(self, designs=designs, meaning=meaning)

    def answering(self, question: Question, designs: Sequence[str], meaning: Objectives | None = None) -> Result:
        """Return the answer with names, and with a remark where the cone or an epsilon mixes units."""
        named = self.named(designs, question.columns if meaning is None else meaning)
        measured = [column[~np.isnan(column)] for column in named.averages.T]
        few = min(3, len(self.pareto))  # two designs of many may be alike in an objective by chance
        spreads = np.array([np.ptp(column) if len(column) >= few else np.nan for column in measured])
        epsilons = question.epsilon, self.certified_epsilon, *self.certified.values()
        epsilon = max(e for e in epsilons if e is not None and np.isfinite(e))
        remark = units_remark(named.columns, spreads, question.cone, epsilon)
        return replace(named, remarks=(f"{remark[0].upper()}{remark[1:]} {_CHOOSE_UNITS}",) if remark else ())

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a frame with one row a design: name, status, `by`, evaluations, and averages as they were measured.

        With a model there are also `probability` and `evidence`, and where the noise was not stated the `condition`.
        `backend` is "pandas", "polars" or "pyarrow"; by default the first that is installed (extra `frames`).
        """
        from conewise.tables.outputs import free_name
        from conewise.tables.selection import frame_of

        names, known = self.columns.names, list(self.designs) or [str(k) for k in range(len(self.pareto))]
        ours = {
            "design": known,
            "status": self.status.tolist(),
            "returned": self.pareto.tolist(),
            "by": [known[j] if j >= 0 else None for j in self.by.tolist()],
            "certainly_pareto": self.certain.tolist(),
            "evaluations": self.counts.tolist(),
        }
        if self.condition:
            ours["condition"] = [self.condition] * len(known)
        if self.probability is not None:
            ours |= {"probability": self.probability.tolist(), "evidence": self.evidence.tolist()}
        columns = {free_name(word, names): entries for word, entries in ours.items()}
        return frame_of(columns | dict(zip(names, self.averages.T.tolist(), strict=True)), backend)

    def plot(self, **options: Any) -> Any:
        """Draw a matplotlib figure of the averages by status (extra `plot`); options of `report.pictures.plot_result`.

        Two objectives give a plane, three a scatter matrix, more give parallel lines.
        """
        # Drawing lives in a later room, so the module is found by its name when it is needed.
        known: dict[str, Any] = {"names": self.designs or None, "objectives": self.objectives or None}
        known |= {"minimised": self.minimised, "units": self.units}
        return import_module("conewise.report.pictures").plot_result(self, **(known | options))

    def _repr_html_(self) -> str:
        """Return a table of the returned designs for notebooks."""
        return str(import_module("conewise.report.notebooks").result_html(self))

    def __repr__(self) -> str:
        share = f"{len(self.indices)} of {len(self.pareto)} design{'s' * (len(self.pareto) != 1)}"
        if self.designs and 0 < len(self.indices) <= _NAMED:
            share = f"{printable(', '.join(self.names()))}: {share}"
        spent = f"{self.evaluations} evaluation{'s' * (self.evaluations != 1)}"
        return f"Result({'; '.join((f'{share} after {spent}', f'{self.guarantee}{self.step}', *self.remarks))})"


class Seen(Protocol):
    """The part of a state that loops read."""

    @property
    def counts(self) -> NDArray[np.int64]:
        """Number of evaluations of each design."""

    @property
    def evaluations(self) -> int:
        """Number of evaluations in all."""


Averaged = Statistics | Separately
"""The part of a state that an answer is made from."""

State = TypeVar("State", bound=Seen)


class Algorithm(Protocol[State]):
    """A rule that chooses what to evaluate next, and answers from the observations so far.

    Implementations are frozen; the state is a value (`Statistics`, or a class of the algorithm's own). A run is a fold
    of `tell` over the observations: the same observations in the same order give the same state in any batches.
    """

    def start(self) -> State:
        """Return the state before any observation."""

    def ask(self, state: State, most: int | None = None) -> Pulls:
        """Return the next evaluations, at most `most` of them; empty when the algorithm has seen enough."""

    def tell(self, state: State, observations: Observations) -> State:
        """Return a new state with the observations; refuse observations that do not fit, and keep the old state.

        The values of one design must be told in the order in which its evaluations were begun. That order is the stream
        which a rule judges. To tell good news before bad is a choice among the values, for which no guarantee holds.
        Different designs may come in any order.
        """

    def recommend(self, state: State) -> Result:
        """Return the answer so far; any moment is allowed."""


@dataclass(frozen=True, eq=False)
class Plan:
    """Evaluations to make next, and about how many evaluations remain."""

    pulls: Pulls
    remaining: int
    at_least: bool = False
    """True if these only make every design comparable: the number of evaluations after that is unknown."""


class Planner:
    """A description of an algorithm's own course, beyond the three verbs. By default nothing is known."""

    @property
    def total(self) -> int | None:
        """Number of evaluations of a whole run, if it is fixed beforehand."""
        return None

    @property
    def most_each(self) -> int | None:
        """The most evaluations of one design that can ever count, if there is such a number."""
        return None

    @property
    def may_run_ahead(self) -> bool:
        """True if evaluations may be made before they are asked for, at the risk that they are not needed."""
        return True

    @property
    def parts(self) -> int:
        """M: the number of parts of a design that are asked for by themselves. Part m of design k is k M + m."""
        return 1

    def plan(self, state: Any) -> Plan | None:
        """Return the evaluations to make from here on, judged by the present averages; None if that is unknown."""
        return None

    def seen(self, state: Any) -> Averaged | None:
        """Return all observations in sums; None if the state keeps something else."""
        return state if isinstance(state, Statistics) else None

    def evidence(self, state: Any) -> Evidence | None:
        """Return the comparisons of designs with their radii; None without a certificate."""
        return None


def planner_of(algorithm: Algorithm[Any]) -> Planner:
    """Return the algorithm if it is a planner; else a planner that knows nothing."""
    return algorithm if isinstance(algorithm, Planner) else Planner()


@dataclass(frozen=True, eq=False)
class FixedConfidence(Answering, Planner):
    """A rule that continues until its question is answered with the required confidence."""

    question: Question
    """The question, turned by `Question.inside`: larger is better in a rule."""
    n_designs: int
    _: KW_ONLY
    max_evaluations: int | None = None
    radius_scale: float = 1.0
    """Factor of every radius; a value other than 1 makes the answer heuristic."""

    answers: ClassVar[tuple[Notion, ...]] = ("cover", "contain")
    """The notions of success that the rule answers; a set that contains the Pareto set also covers it."""
    knows_levels: ClassVar[bool] = False
    """True if objectives may have levels."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_designs", check_designs(self.n_designs))
        question = as_question(self.question, self.n_designs, levels=self.knows_levels)
        object.__setattr__(self, "question", question)
        _ = self.noise  # refused where nothing is assumed
        as_answered(question, self.answers, type(self).__name__)
        object.__setattr__(self, "radius_scale", as_positive(self.radius_scale, "radius_scale"))
        if self.max_evaluations is not None:
            object.__setattr__(self, "max_evaluations", as_count(self.max_evaluations, "max_evaluations"))
        elif self.epsilon == 0 and not self.ends_on_ties:
            raise InputError("epsilon = 0 never ends on ties: give max_evaluations.")

    @property
    def ends_on_ties(self) -> bool:
        """True if epsilon = 0 needs no max_evaluations."""
        return False

    @property
    def dim(self) -> int:
        """Number of objectives D."""
        return self.cone.dim

    @property
    def noise(self) -> Noise:
        """The assumption on the noise of an evaluation."""
        return self.question.assumed

    def allowed(self, state: Seen, most: int | None) -> int | None:
        """Return how many evaluations may be asked for, by `most` and max_evaluations; None for any number."""
        limits = [] if most is None else [as_count(most, "most")]
        if self.max_evaluations is not None:
            limits.append(max(0, self.max_evaluations - state.evaluations))
        return min(limits, default=None)

    @property
    def may_run_ahead(self) -> bool:
        """False if the number of evaluations is limited: the limit is the budget of the user."""
        return self.max_evaluations is None

    def unfinished(self, evaluations: int, undecided: int) -> str:
        """Return the reason why a run has stopped, or continues, with this number of undecided designs."""
        spent = self.max_evaluations is not None and evaluations >= self.max_evaluations
        early = "max_evaluations reached" if spent else "not finished"
        return f"{early}: {undecided_words(undecided)} at epsilon = {self.epsilon:g}"

    def proven(self, epsilon: float, theorem: str, assumption: str | None = None) -> Guarantee | Heuristic:
        """Return a guarantee by a theorem for this epsilon, or a heuristic if the radii were scaled."""
        if self.radius_scale != 1.0:
            return Heuristic(f"every radius was multiplied by {self.radius_scale:g}, which no proof covers")
        proof = Guarantee(epsilon, self.delta, theorem, assumption or f"{INDEPENDENT}; {self.noise.words}")
        return worth_of(proof, self.noise)


def in_status(status: Status, number: int) -> str:
    """Return the number of designs with a status, in words.

    >>> in_status(Status.KEPT, 3), in_status(Status.MISSES, 1), in_status(Status.MISSES, 2)
    ('3 kept', '1 misses a level', '2 miss a level')
    """
    return f"{number:,} {'miss a level' if status is Status.MISSES and number != 1 else status.value}"


def undecided_words(number: int) -> str:
    """Return the number of open designs, in words.

    >>> undecided_words(1), undecided_words(2)
    ('1 design is undecided', '2 designs are undecided')
    """
    return f"{counted(number, 'design')} {'is' if number == 1 else 'are'} undecided"


def as_answered(question: Question, answers: Sequence[Notion], rule: str) -> None:
    """Refuse a notion of success that a rule does not answer; epsilon = 0 asks to contain."""
    if "contain" not in answers:
        as_positive(question.epsilon, "epsilon")
    if question.success not in answers:
        raise InputError(
            f'{rule} answers success "{answers[0]}" alone, got "{question.success}"; use SuccessiveElimination.'
        )
