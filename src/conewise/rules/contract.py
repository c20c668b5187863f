"""The contract of an identification algorithm: frozen configuration, state as a value, three verbs.

`Algorithm` is all that a loop needs; a `Planner` also says what it knows of its own course, and `FixedConfidence` is
what rules that stop by themselves have in common. Loops, studies and reports use nothing else of an algorithm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from html import escape
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
from conewise.rules.status import Status

_ROWS = 20  # designs in a notebook
_NAMED = 5  # designs in a line of text
_UNNAMED: Final = Objectives(())
_CHOOSE_UNITS: Final = "Choose steps by what they mean to you: a guarantee holds for units that no value has chosen."

INDEPENDENT: Final = "evaluations independent of each other, also between designs, without drift"
"""What every certificate takes for granted of the way in which evaluations are made."""


@dataclass(frozen=True, eq=False)
class Result:
    """An answer and what it is worth."""

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
    """(K,): the design that beats or covers a design by the data; -1 for the others, and where it was not worked out.

    What is guaranteed is that such a design exists, not that it is this one."""
    certain: Bools = field(default_factory=lambda: np.empty(0, dtype=bool))
    """(K,): certainly Pareto optimal, that is kept at epsilon 0; nobody where no proof says so."""
    designs: Sequence[str] = ()
    """The names of the designs, where they have some."""
    meaning: Objectives = _UNNAMED
    """Names, directions and units of the objectives; empty where they have no names."""
    probability: Floats | None = None
    """(K,): how probably each design is Pareto optimal, on average over the prior; None without a model."""
    certified: Mapping[str, float | None] = field(default_factory=dict)
    """With a model: the smallest epsilon for the returned set on average over the "prior", and for "every truth"."""
    remarks: tuple[str, ...] = ()
    """What makes the answer worth a second look: objectives of very different spread are weighed in one measure."""

    def __post_init__(self) -> None:
        k = len(self.pareto)
        if not len(self.by):
            object.__setattr__(self, "by", np.full(k, -1, dtype=np.intp))
        if not len(self.certain):
            object.__setattr__(self, "certain", np.zeros(k, dtype=bool))

    @classmethod
    def of(
        cls,
        seen: Averaged,
        returned: Bools,
        worth: Guarantee | Heuristic,
        why: str,
        *,
        kept: Bools,
        covered: Bools | None = None,
        beaten: Bools | None = None,
        misses: Bools | None = None,
        by: Indices | None = None,
        certain: Bools | None = None,
        epsilon: float | None = None,
        probability: Floats | None = None,
        certified: Mapping[str, float | None] | None = None,
    ) -> Result:
        """The answer of a rule that has seen so much: who is returned, and the masks of where everyone stands.

        Whoever is in no mask is undecided. `by` counts for covered and beaten designs, `certain` for returned ones;
        `epsilon` is the one that a proof gives for the returned set. `probability` and `certified` are for models.
        """
        status = np.full(len(returned), Status.UNDECIDED.value, dtype="<U16")
        masks = kept, covered, beaten, misses
        for word, mask in zip((Status.KEPT, Status.COVERED, Status.BEATEN, Status.MISSES), masks, strict=True):
            if mask is not None:
                status[mask] = word.value
        out = np.isin(status, (Status.COVERED.value, Status.BEATEN.value))
        return cls(
            returned,
            status,
            seen.evaluations,
            worth,
            epsilon,
            why,
            seen.means,
            seen.counts,
            np.full(len(returned), -1, dtype=np.intp) if by is None else np.where(out, by, -1),
            np.zeros(len(returned), dtype=bool) if certain is None else certain & returned,
            probability=probability,
            certified=certified or {},
        )

    @property
    def objectives(self) -> tuple[str, ...]:
        """The names of the objectives, where they have some."""
        return self.meaning.names

    @property
    def minimised(self) -> tuple[str, ...]:
        """The objectives of which less is better: their averages are negated in `means`, and not in `averages`."""
        return self.meaning.minimised

    @property
    def units(self) -> tuple[float, ...]:
        """How much of each objective is one step, where that was said: `means` and epsilon count in steps."""
        return tuple(self.meaning.units.tolist()) if self.meaning.in_steps else ()

    @property
    def evidence(self) -> NDArray[np.str_]:
        """(K,): "measured" for designs that were evaluated, "predicted" for those of which only a model speaks.

        Where objectives are measured one by one, a design is measured when every objective of it was.
        """
        unseen = (self.counts == 0) | np.isnan(self.means).any(axis=1)
        return np.where(unseen, "predicted", "measured")

    @property
    def indices(self) -> list[int]:
        """The returned designs."""
        return [int(i) for i in np.flatnonzero(self.pareto)]

    def names(self, names: Sequence[str] | None = None) -> list[str]:
        """The returned designs by name: their own, or one of these for each of all designs."""
        known = self.designs if names is None else names
        return [known[i] if known else str(i) for i in self.indices]

    @property
    def averages(self) -> Floats:
        """(K, D): the averages as they were measured, each objective in its own direction and unit."""
        return self.meaning.own(self.means) if self.meaning else self.means

    @property
    def step(self) -> str:
        """What one step is, to go behind an epsilon: "; one step is price 500 EUR, power 10"; nothing without units."""
        return f"; one step is {self.meaning.amounts(1)}" if self.meaning.in_steps else ""

    @property
    def condition(self) -> str:
        """The condition under which the answer is proven, where normal noise was not stated; empty elsewhere."""
        return IF_NORMAL if self.guarantee.proof and not self.guarantee else ""

    def standing(self, design: int) -> str:
        """Where a design stands, in words: "kept", "beaten by B", "covered by C", "undecided"."""
        word, by = str(self.status[design]), int(self.by[design])
        return word if by < 0 else f"{word} by {self.designs[by] if self.designs else by}"

    def named(
        self, designs: Sequence[str], objectives: Sequence[str | Objective], minimised: Sequence[str] = ()
    ) -> Result:
        """The same answer, with the names of its designs, and the names, directions and units of its objectives."""
        meaning = objectives if isinstance(objectives, Objectives) else as_objectives(objectives, minimised)
        return replace(self, designs=designs, meaning=meaning)

    def answering(self, question: Question, designs: Sequence[str], meaning: Objectives | None = None) -> Result:
        """Return the answer with names, and with a remark where the cone or an epsilon mixes units; all answers do."""
        columns = question.columns if meaning is None else meaning
        known = columns or as_objectives([f"objective {d + 1}" for d in range(question.cone.dim)])
        measured = [column[~np.isnan(column)] for column in known.own(self.means).T]
        few = min(3, len(self.pareto))  # two designs of many may be alike in an objective by chance
        spreads = np.array([np.ptp(column) if len(column) >= few else np.nan for column in measured])
        epsilons = question.epsilon, self.certified_epsilon, *self.certified.values()
        epsilon = max(e for e in epsilons if e is not None and np.isfinite(e))
        remark = units_remark(known, spreads, question.cone, epsilon)
        said = () if remark is None else (f"{remark[0].upper()}{remark[1:]} {_CHOOSE_UNITS}",)
        return replace(self.named(designs, columns), remarks=said)

    def to_frame(self, backend: str | None = None) -> Any:
        """One row a design: its name, status, who beats or covers it, evaluations, and averages as they were measured.

        With a model also the probability of being Pareto optimal, and whether it was measured or predicted; where the
        noise was not stated, the `condition` of all that.

        A frame of "pandas", "polars" or "pyarrow" (`backend`; the first that is installed), through the extra `frames`.
        """
        from conewise.tables.outputs import free_name
        from conewise.tables.selection import frame_of

        dim = self.means.shape[1]
        names = self.objectives or tuple(f"objective {d + 1}" for d in range(dim))
        known = list(self.designs) if len(self.designs) else [str(k) for k in range(len(self.pareto))]
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
        """A matplotlib figure of the averages by status (extra `plot`); options as in `report.pictures.plot_result`.

        Two objectives give a plane, three a scatter matrix, more give parallel lines.
        """
        # Drawing lives in a later room: it is found by its name, and only when somebody wants to see something.
        known: dict[str, Any] = {"names": self.designs or None, "objectives": self.objectives or None}
        known["minimised"], known["units"] = self.minimised, self.units
        return import_module("conewise.report.pictures").plot_result(self, **(known | options))

    def _repr_html_(self) -> str:
        """For notebooks: what is returned, with averages and evaluations."""
        shown, averages = self.indices[:_ROWS], self.averages
        parts = [in_status(status, n) for status in Status if (n := int((self.status == status.value).sum()))]
        objectives = self.objectives or tuple(f"objective {d + 1}" for d in range(self.means.shape[1]))
        less = ["smaller" if name in self.minimised else "larger" for name in objectives]
        heads = "".join(
            f"<th>{escape(printable(name))}<br><small>{way} is better</small></th>"
            for name, way in zip(objectives, less, strict=True)
        )
        rows = "".join(
            f"<tr><th>{escape(printable(name))}</th><td>{self.status[k]}</td><td>{self.counts[k]:,}</td>"
            + "".join(f"<td>{value:.5g}</td>" for value in averages[k])
            + "</tr>"
            for k, name in zip(shown, self.names(), strict=False)
        )
        more = f"<p>… and {len(self.indices) - _ROWS:,} more.</p>" if len(self.indices) > _ROWS else ""
        worth = escape("; ".join((f"{self.guarantee}{self.step}", *self.remarks)))
        return (
            f"<div><p><b>{len(self.indices):,} of {counted(len(self.pareto), 'design')}</b> after "
            f"{counted(self.evaluations)} ({', '.join(parts)}); {worth}.</p><table><thead><tr><th>design</th>"
            f"<th>status</th><th>evaluations</th>{heads}</tr></thead><tbody>{rows}</tbody></table>{more}</div>"
        )

    def __repr__(self) -> str:
        share = f"{len(self.indices)} of {len(self.pareto)} design{'s' * (len(self.pareto) != 1)}"
        if self.designs and 0 < len(self.indices) <= _NAMED:
            share = f"{printable(', '.join(self.names()))}: {share}"
        spent = f"{self.evaluations} evaluation{'s' * (self.evaluations != 1)}"
        return f"Result({'; '.join((f'{share} after {spent}', f'{self.guarantee}{self.step}', *self.remarks))})"


class Seen(Protocol):
    """What every state knows."""

    @property
    def counts(self) -> NDArray[np.int64]:
        """Evaluations of each design."""
        ...

    @property
    def evaluations(self) -> int:
        """How many evaluations in all."""
        ...


class Averaged(Seen, Protocol):
    """What an answer is made from: `Statistics`, or whatever knows as much."""

    @property
    def means(self) -> Floats:
        """(K, D): the averages."""
        ...


State = TypeVar("State", bound=Seen)


class Algorithm(Protocol[State]):
    """What to evaluate next, and what the observations so far say.

    Implementations are frozen; the state is a value (`Statistics`, or a class of the algorithm's own). A run is a fold
    of `tell` over the observations: the same observations in the same order give the same state in any batches.
    """

    def start(self) -> State:
        """The state before any observation."""
        ...

    def ask(self, state: State, most: int | None = None) -> Pulls:
        """The next evaluations, at most `most` of them; empty when the algorithm has seen enough."""
        ...

    def tell(self, state: State, observations: Observations) -> State:
        """A new state; what does not fit is refused and the old state stays as it is.

        The values of one design must be told in the order in which its evaluations were begun: for a rule that looks
        more than once that order is the stream which it judges, and a choice of what is told first (good news before
        bad) is a choice among the values, for which no guarantee holds. Different designs may come in any order.
        """
        ...

    def recommend(self, state: State) -> Result:
        """The answer so far, at any moment."""
        ...


@dataclass(frozen=True, eq=False)
class Plan:
    """What is worth evaluating next, and about how many evaluations remain."""

    pulls: Pulls
    remaining: int
    at_least: bool = False
    """Whether these only bring every design so far that it can be compared: what remains after that is not known."""


class Planner:
    """What an algorithm knows of its own course, beyond the three verbs; the defaults admit that it knows nothing."""

    @property
    def total(self) -> int | None:
        """Evaluations of a whole run, where their number is fixed beforehand."""
        return None

    @property
    def most_each(self) -> int | None:
        """The most evaluations of one design that will ever count, where there is such a number."""
        return None

    @property
    def may_run_ahead(self) -> bool:
        """Whether evaluations may be made before they are asked for, at the risk that nobody needs them."""
        return True

    @property
    def in_bulk(self) -> bool:
        """Whether very many evaluations are told and judged at once about as fast as a few: runs may be replayed."""
        return False

    @property
    def parts(self) -> int:
        """M: of each design so many things are asked for by themselves, and k M + m is the number of one of them."""
        return 1

    def plan(self, state: Any) -> Plan | None:
        """What is worth evaluating from here on, judged by the averages as they are; None where nobody can say."""
        return None

    def seen(self, state: Any) -> Statistics | Separately | None:
        """All that was observed, in sums; None where a state keeps something else."""
        return state if isinstance(state, Statistics) else None

    def evidence(self, state: Any) -> Evidence | None:
        """How any designs compare, and how far that may be wrong; None where no certificate says it."""
        return None


def planner_of(algorithm: Algorithm[Any]) -> Planner:
    """The algorithm where it is a planner; else one that knows nothing."""
    return algorithm if isinstance(algorithm, Planner) else Planner()


@dataclass(frozen=True, eq=False)
class FixedConfidence(Answering, Planner):
    """A rule that goes on until its question is answered with the confidence that was asked for."""

    question: Question
    """As given, and then `Question.inside`: a rule sees larger as better."""
    n_designs: int
    _: KW_ONLY
    max_evaluations: int | None = None
    radius_scale: float = 1.0
    """Multiplies every radius; anything but 1 makes the answer heuristic."""

    answers: ClassVar[tuple[Notion, ...]] = ("cover", "contain")
    """The notions of success that a finished answer meets; a set that contains what is asked for also covers it."""
    exact: ClassVar[bool] = True
    """Whether epsilon = 0 means something to the rule."""
    knows_levels: ClassVar[bool] = False
    """Whether objectives may have levels."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_designs", check_designs(self.n_designs))
        question = as_question(self.question, self.n_designs, levels=self.knows_levels)
        object.__setattr__(self, "question", question)
        _ = self.noise  # refused where nothing is assumed
        if not self.exact:
            as_positive(self.epsilon, "epsilon")
        as_answered(self.success, self.answers, type(self).__name__)
        object.__setattr__(self, "radius_scale", as_positive(self.radius_scale, "radius_scale"))
        if self.max_evaluations is not None:
            object.__setattr__(self, "max_evaluations", as_count(self.max_evaluations, "max_evaluations"))
        elif self.epsilon == 0 and not self.ends_on_ties:
            raise InputError("epsilon = 0 never ends on ties: give max_evaluations.")

    @property
    def ends_on_ties(self) -> bool:
        """Whether epsilon = 0 needs no max_evaluations."""
        return False

    @property
    def dim(self) -> int:
        """The number of objectives D."""
        return self.cone.dim

    @property
    def noise(self) -> Noise:
        """What is assumed of an evaluation."""
        return self.question.assumed

    def allowed(self, state: Seen, most: int | None) -> int | None:
        """How many evaluations may be asked for: `most`, and what max_evaluations leaves; None for any number."""
        limit = None if most is None else as_count(most, "most")
        if self.max_evaluations is None:
            return limit
        left = max(0, self.max_evaluations - state.evaluations)
        return left if limit is None else min(limit, left)

    @property
    def may_run_ahead(self) -> bool:
        """Not where the number of evaluations is limited: the limit is what the user wants to pay."""
        return self.max_evaluations is None

    def unfinished(self, evaluations: int, undecided: int) -> str:
        """Why a run has stopped, or goes on, with so many designs undecided."""
        spent = self.max_evaluations is not None and evaluations >= self.max_evaluations
        early = "max_evaluations reached" if spent else "not finished"
        return f"{early}: {undecided_words(undecided)} at epsilon = {self.epsilon:g}"

    def proven(self, epsilon: float, theorem: str, assumption: str | None = None) -> Guarantee | Heuristic:
        """What a set is worth for which a theorem gives this epsilon; no proof covers radii that were scaled."""
        if self.radius_scale != 1.0:
            return Heuristic(f"every radius was multiplied by {self.radius_scale:g}, which no proof covers")
        proof = Guarantee(epsilon, self.delta, theorem, assumption or f"{INDEPENDENT}; {self.noise.words}")
        return worth_of(proof, self.noise)


def in_status(status: Status, number: int) -> str:
    """How many designs have a status.

    >>> in_status(Status.KEPT, 3), in_status(Status.MISSES, 1), in_status(Status.MISSES, 2)
    ('3 kept', '1 misses a level', '2 miss a level')
    """
    return f"{number:,} {'miss a level' if status is Status.MISSES and number != 1 else status.value}"


def undecided_words(number: int) -> str:
    """How many designs are open.

    >>> undecided_words(1), undecided_words(2)
    ('1 design is undecided', '2 designs are undecided')
    """
    return f"{counted(number, 'design')} {'is' if number == 1 else 'are'} undecided"


def as_answered(success: Notion, answers: Sequence[Notion], rule: str) -> None:
    """Refuse a notion of success that a rule does not answer."""
    if success not in answers:
        raise InputError(f'{rule} answers success "{answers[0]}" alone, got "{success}"; use SuccessiveElimination.')
