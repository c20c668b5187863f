"""Define the question that is asked, and judge whether a returned set answers it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from typing import Any, Final, Literal, TypedDict, Unpack, cast

import numpy as np
from numpy.typing import ArrayLike

from conewise.border import (
    ROUNDING,
    Floats,
    Indices,
    as_epsilon,
    as_non_negative,
    as_option,
    as_probability,
    as_selection,
)
from conewise.cone.cone import Cone, ConeLike, as_cone
from conewise.digits import rounded_up
from conewise.errors import InputError, counted, printable, shown
from conewise.limits import SMALLEST_DELTA
from conewise.noise import ByObjective, Noise
from conewise.noise.text import as_noise
from conewise.order.budgets import check_designs
from conewise.order.dominance import pareto_mask
from conewise.order.gaps import covers, escapes, space_and_front
from conewise.question.objectives import (
    Level,
    Objective,
    Objectives,
    as_objectives,
    check_said_of,
)

_DIGITS: Final = 6  # of a probability and of an epsilon in a sentence
_TINY: Final = Decimal("1e-8")  # 1 - delta has more digits than that
IF_NORMAL: Final = "if the noise is normal"
"""The condition of an answer whose noise was not stated."""


Notion = Literal["cover", "contain"]
"""cover: the paper's (epsilon, delta)-PAC set; contain: P* inside the returned set, Delta* <= epsilon (Auer's SC1)."""


class Words(TypedDict, total=False):
    """Words of a task that may be left out everywhere; None is the same as leaving a word out."""

    cone: Any
    delta: float
    success: str | None
    objectives: Iterable[str | Objective | Mapping[str, Any]] | None
    minimise: Iterable[str]
    units: Mapping[str, float] | None
    levels: Mapping[str, Level] | None


class Stated(Words, total=False):
    """All words that `Question.stated` understands."""

    epsilon: float
    noise: Noise | Mapping[str, Any] | str | None


@dataclass(frozen=True)
class Question:
    """A question: which designs are Pareto optimal under a cone, within epsilon with probability 1 - delta?

    `cone` is a `Cone`, its text form ("planar:135"), `Preferences` or rows. `noise` is the assumption about an
    evaluation, or its text form ("gaussian:0.1"). None assumes nothing. `success` is the task of a returned set:
    "cover" every Pareto design within epsilon (by default), or "contain" all of them, the only task for epsilon = 0.
    `objectives` are records or names of the columns. Without them larger is better in every column. Noise and
    objectives are in the user's units and directions. Epsilon counts in steps of the objectives' units. Algorithms are
    given `inside`.

    >>> print(Question(Cone.orthant(2), epsilon=0.1, delta=0.05, objectives=[Objective("price", "min"), "speed"]))
    Which designs cover every Pareto design within epsilon = 0.1, none of them further than that from Pareto optimal, \
with probability at least 95 %? Better is smaller price and larger speed, by the cone orthant:2; nothing is assumed of \
the noise.

    Reference: Ararat & Tekin 2023, Definition 4.6, for "cover"; Auer et al. 2016, for "contain".
    """

    cone: Cone
    epsilon: float = 0.0
    delta: float = 0.05
    noise: Noise | None = None
    success: Notion = None  # type: ignore[assignment]  # the default depends on epsilon
    objectives: Sequence[Objective | str] = ()

    @classmethod
    def stated(cls, n_objectives: int | None = None, **words: Unpack[Stated]) -> Question:
        """Return a question in a user's words, all of which may be left out if the number of objectives is known.

        The defaults are those of every public function: the orthant, epsilon 0, delta 0.05, and success "contain" for
        epsilon 0 and "cover" otherwise. Objectives with a noise of their own keep it; `noise` is that of the others.

        >>> Question.stated(cone="planar:135", noise="gaussian:0.1", epsilon=0.2).success
        'cover'
        >>> Question.stated(objectives=["price", "speed"], minimise=["price"], levels={"price": 90}).columns.levels
        ('price <= 90',)
        """
        if stray := next((word for word in words if word not in Stated.__annotations__), None):
            raise TypeError(f"stated() got an unexpected keyword argument {stray!r}")
        given = {word: value for word, value in words.items() if value is not None}
        columns = as_objectives(given.get("objectives", ()), given.get("minimise", ()))  # type: ignore[arg-type]
        for word in ("unit", "level"):
            columns = columns.having(word, given.get(f"{word}s", {}))  # type: ignore[arg-type]
        cone = as_cone(given.get("cone", "orthant"), n_objectives or len(columns) or None)
        if n_objectives not in (None, cone.dim):
            which = f": {', '.join(columns.names)}; choose the objectives to match" if columns else ""
            raise InputError(f"the cone {cone} orders {cone.dim} objectives, but there are {n_objectives}{which}.")
        if "objectives" in given and not columns:
            raise InputError(f"the cone orders {counted(cone.dim, 'objective')}, but 0 are named.")
        check_said_of(cone, columns)
        noise = as_noise(given["noise"]) if "noise" in given else None
        asked = {word: given[word] for word in ("epsilon", "delta", "success") if word in given}
        return cls(cone, noise=columns.noise(noise) or noise, objectives=columns, **asked)  # type: ignore[arg-type]

    def __post_init__(self) -> None:
        object.__setattr__(self, "objectives", as_objectives(self.objectives))
        object.__setattr__(self, "cone", as_cone(self.cone, len(self.objectives) or None))
        dim = self.cone.dim
        object.__setattr__(self, "epsilon", as_epsilon(self.epsilon))
        object.__setattr__(self, "delta", as_probability(self.delta, "delta"))
        if self.delta < SMALLEST_DELTA:
            raise InputError(f"delta must be at least {SMALLEST_DELTA:g}, got {self.delta:g}.")
        if len(self.objectives) not in (0, dim):
            are = f"{'is' if len(self.objectives) == 1 else 'are'} named: {', '.join(self.names)}"
            raise InputError(f"the cone orders {counted(dim, 'objective')}, but {len(self.objectives)} {are}.")
        if self.noise is None:
            object.__setattr__(self, "noise", self.columns.noise() if self.names else None)
        if self.noise is not None:
            object.__setattr__(self, "noise", as_noise(self.noise))
            if self.noise.noiseless:
                raise InputError("without noise nothing has to be estimated: compare the values with `front`.")
            self.noise.check_dim(dim)
            if isinstance(self.noise, ByObjective) and self.names:
                object.__setattr__(self, "noise", self.noise.named(self.names))
        success = ("cover" if self.epsilon > 0 else "contain") if self.success is None else self.success
        object.__setattr__(self, "success", notion_of(success))
        if self.success == "cover" and self.epsilon == 0:
            raise InputError(
                'epsilon = 0 asks for the exact Pareto set: ask for success "contain", or an epsilon above 0.'
            )

    @property
    def columns(self) -> Objectives:
        """Records of the objectives; empty if none were given."""
        return cast(Objectives, self.objectives)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the objectives; empty if none were given."""
        return self.columns.names

    @property
    def minimised(self) -> tuple[str, ...]:
        """Names of the objectives that should be small."""
        return self.columns.minimised

    @property
    def signs(self) -> Floats:
        """(D,): -1 for minimised objectives."""
        return self.columns.signs if self.names else np.ones(self.cone.dim)

    @property
    def assumed(self) -> Noise:
        """The assumption about the noise; refused if there is none."""
        if self.noise is None:
            raise InputError(
                "nothing is known of this noise, so nothing can be certified; pass noise=... (an assumption), "
                'or algorithm="naive" with evaluations_each=... for a heuristic answer.'
            )
        return self.noise

    @cached_property
    def keeps_levels(self) -> bool:
        """True if no direction of improvement trades away an objective that has a level (docs/adaptive, 9.1)."""
        columns = [d for d, objective in enumerate(self.columns.each) if objective.level is not None]
        return not columns or bool((self.cone.rays[:, columns] >= -ROUNDING).all())

    @cached_property
    def inside(self) -> Question:
        """Question as algorithms see it: in steps of the units, larger is better in every objective."""
        if not self.minimised and not self.columns.in_steps:
            return self
        noise = None if self.noise is None else self.noise.turned(self.columns.signs, self.columns.units)
        return replace(self, noise=noise, objectives=self.columns.required)

    def __str__(self) -> str:
        near = f"within epsilon = {self.epsilon:g}, none of them further than that from Pareto optimal"
        wanted = f"cover every Pareto design {near}"
        if self.success == "contain":
            near = f"none further than epsilon = {self.epsilon:g} from Pareto optimal"
            exact = "none that another one surpasses in every respect"
            wanted = f"contain every Pareto design, and {near if self.epsilon else exact}"
        words = [f"{'smaller' if each.minimised else 'larger'} {printable(each.name)}" for each in self.columns.each]
        better = " and ".join(words) if words else f"larger in {self.cone.dim} objectives"
        if self.columns.levels:
            better += f", acceptable is {' and '.join(map(printable, self.columns.levels))}"
        known = "nothing is assumed of the noise" if self.noise is None else f"assumed is {self.noise.words}"
        return (
            f"Which designs {wanted}, with probability at least {certainty(self.delta)}? "
            f"Better is {better}, by the cone {self.cone}; {known}."
        )


class Answering:
    """Properties of the question, for a class that answers one."""

    question: Question

    @property
    def cone(self) -> Cone:
        """Cone that says which design is better."""
        return self.question.cone

    @property
    def epsilon(self) -> float:
        """Largest distance of a returned design from Pareto optimality."""
        return self.question.epsilon

    @property
    def delta(self) -> float:
        """Largest probability of a wrong answer."""
        return self.question.delta

    @property
    def success(self) -> Notion:
        """Task of the returned set: "cover" or "contain" the Pareto set."""
        return self.question.success


class AnsweringInWords(Answering):
    """Properties of the question in the user's names and directions, for a class that answers one."""

    @property
    def objectives(self) -> tuple[str, ...]:
        """Names of the objectives."""
        return self.question.names

    @property
    def minimised(self) -> tuple[str, ...]:
        """Names of the objectives that should be small."""
        return self.question.minimised


def notion_of(success: str) -> Notion:
    """Return one of the two tasks of a returned set; refuse any other text."""
    return cast(Notion, as_option(success, "success", ("cover", "contain")))


def as_question(question: object, n_designs: int, *, levels: bool = False) -> Question:
    """Return a question about `n_designs` designs as an algorithm sees it; refuse one that it cannot answer.

    `levels` is True for an algorithm that takes the levels of objectives into account.
    """
    if not isinstance(question, Question):
        raise InputError(f"question must be a Question(cone, epsilon, delta, noise), got {shown(question)}.")
    if not levels:
        question.columns.check_no_levels("this algorithm")
    if question.noise is not None:
        question.noise.check_dim(question.cone.dim, check_designs(n_designs))
    return question.inside


@dataclass(frozen=True)
class Guarantee:
    """A proof that exactly this configuration succeeds at epsilon with probability 1 - delta."""

    epsilon: float
    delta: float
    theorem: str
    assumption: str
    """Assumption of the proof about the noise, in words."""

    def __bool__(self) -> Literal[True]:
        return True

    @property
    def proof(self) -> Guarantee:
        """The guarantee itself; `Heuristic.proof` is a guarantee that holds under a condition, or None."""
        return self

    def __str__(self) -> str:
        return (
            f"guaranteed: within epsilon = {rounded_up(self.epsilon, _DIGITS):g} with probability at least "
            f"{certainty(self.delta)} ({self.theorem}), assuming {self.assumption}"
        )


def certainty(delta: float) -> str:
    """Return 1 - delta in words, rounded down: "95 %", or "1 - 1e-09" if percent would take many digits.

    >>> certainty(0.05), certainty(1e-9)
    ('95 %', '1 - 1e-09')
    """
    exact = Decimal(repr(float(delta)))
    if exact > _TINY:
        percent = (100 * (1 - exact)).normalize()
        if len(percent.as_tuple().digits) <= _DIGITS:
            return f"{percent:f} %"
    return f"1 - {rounded_up(delta, _DIGITS):g}"


@dataclass(frozen=True)
class Heuristic:
    """An answer without a guarantee; the reason names what is missing."""

    reason: str
    proof: Guarantee | None = None
    """Guarantee that holds if the noise is normal, when that was not stated; None if nothing is proven."""

    def __bool__(self) -> Literal[False]:
        return False

    def __str__(self) -> str:
        held = "" if self.proof is None else str(self.proof).replace("guaranteed", IF_NORMAL, 1) + "; "
        return f"{held}not guaranteed: {self.reason}"


def worth_of(proof: Guarantee, noise: Noise) -> Guarantee | Heuristic:
    """Return the guarantee, or a heuristic that carries it where normal noise was assumed and not stated."""
    return Heuristic(noise.presumed, proof) if noise.presumed else proof


def amended(worth: Guarantee | Heuristic, **changes: Any) -> Guarantee | Heuristic:
    """Return a guarantee or heuristic whose proof has these fields replaced; one without a proof stays unchanged."""
    if worth.proof is None:
        return worth
    proof = replace(worth.proof, **changes)
    return proof if worth else replace(worth, proof=proof)


@dataclass(frozen=True, eq=False)
class Verdict:
    """Verdict on a returned set P: true if it succeeds at epsilon, with the designs that fail each part."""

    success: bool
    uncovered: Indices
    """Pareto designs that no member of P covers within epsilon: part (i) fails; their number is the paper's NF1."""
    too_far: Indices
    """Members of P outside the Pareto set with Delta* > epsilon: part (ii) fails; the paper's NF2."""
    missed: Indices
    """Pareto designs that were not returned, covered or not; the paper's PM is their share."""
    unacceptable: Indices = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    """Members of P that miss a level by more than epsilon, where there are levels."""

    def __bool__(self) -> bool:
        return self.success

    def __repr__(self) -> str:
        word = "success" if self.success else "failure"
        missing = f", {len(self.unacceptable)} missing a level" if len(self.unacceptable) else ""
        return (
            f"Verdict({word}: {len(self.uncovered)} uncovered, {len(self.too_far)} too far, "
            f"{len(self.missed)} of the Pareto set not returned{missing})"
        )


def verdict(
    returned: ArrayLike, means: ArrayLike, cone: ConeLike, epsilon: float, *, levels: ArrayLike | None = None
) -> Verdict:
    """Check the success condition for a returned set (mask or indices) against the true means.

    (i) Every Pareto design i has a j in P with M(i, j) <= epsilon. (ii) Every i in P outside the Pareto set has
    Delta*_i <= epsilon. Gaps within a few roundings of epsilon > 0 count as equal to it. epsilon = 0 asks that P covers
    the front exactly and holds no strongly dominated design. No K x K array is made.

    `levels` are the least acceptable values of the objectives (minus infinity for any). The Pareto set is then that of
    the acceptable designs, and no member of P may miss a level by more than epsilon.

    >>> verdict([1], [[0, 0], [2, 1]], Cone.orthant(2), epsilon=0.1)
    Verdict(success: 0 uncovered, 0 too far, 0 of the Pareto set not returned)
    >>> verdict([0], [[0, 0], [2, 1]], Cone.orthant(2), epsilon=0.1)
    Verdict(failure: 1 uncovered, 1 too far, 1 of the Pareto set not returned)

    Reference: Ararat & Tekin 2023, Definition 4.6 and Remark 4.7.
    """
    epsilon = as_non_negative(epsilon, "epsilon")
    space, front = space_and_front(means, cone)
    chosen = as_selection(returned, len(front), "returned")
    unacceptable = np.empty(0, dtype=np.intp)
    if levels is not None:
        short = _shortfall(means, levels)
        front = np.zeros_like(front)
        if (acceptable := np.flatnonzero(short <= 0)).size:
            front[acceptable] = pareto_mask(np.asarray(means, dtype=np.float64)[acceptable], space.cone)
        unacceptable = np.flatnonzero(chosen & (short > epsilon + (ROUNDING * np.abs(short).max() if epsilon else 0.0)))
    missed, extra = np.flatnonzero(front & ~chosen), np.flatnonzero(chosen & ~front)
    largest = float((np.abs(space.columns) * space.per_width[:, None]).max())
    reach = epsilon + ROUNDING * largest if epsilon > 0 else 0.0
    succeeds = not len(unacceptable)
    if not front.any():
        none = np.empty(0, dtype=np.intp)
        return Verdict(succeeds, none, none, none, unacceptable)
    uncovered = missed[covers(space, missed, np.flatnonzero(chosen), enough=reach) > reach]
    too_far = extra[escapes(space, extra, np.flatnonzero(front)) > reach]
    succeeds &= not len(uncovered) and not len(too_far)
    return Verdict(succeeds, uncovered, too_far, missed, unacceptable)


def _shortfall(means: ArrayLike, levels: ArrayLike) -> Floats:
    """Return (K,): by how much each design misses its worst level; negative for designs that miss none."""
    values, least = np.asarray(means, dtype=np.float64), np.asarray(levels, dtype=np.float64)
    if least.shape != (values.shape[1],) or np.isnan(least).any():
        raise InputError(f"levels must be one number an objective (-inf for any value is fine), got {shown(levels)}.")
    return np.asarray((least - values).max(axis=1))
