"""What is asked of an answer, and whether a returned set delivers it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from conewise._arrays import ROUNDING, Indices, as_non_negative, as_positive, as_probability, as_selection
from conewise._rivals import covers, escapes
from conewise.cones import Cone
from conewise.gaps import _space_and_front

_DIGITS: Final = 6  # of a probability in a sentence
_TINY: Final = Decimal("1e-8")  # 1 - delta has more digits than that


@dataclass(frozen=True)
class Goal:
    """An (epsilon, delta)-PAC Pareto set: within epsilon with probability 1 - delta.

    Reference: Ararat & Tekin 2023, Definition 4.6.
    """

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", as_positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "delta", as_probability(self.delta, "delta"))


@dataclass(frozen=True)
class Guarantee:
    """A proof covers exactly the configuration that ran: with probability 1 - delta the answer succeeds at epsilon."""

    epsilon: float
    delta: float
    theorem: str
    assumption: str
    """What the proof takes for granted of the noise, in words."""

    def __bool__(self) -> bool:
        return True

    def __str__(self) -> str:
        return (
            f"guaranteed: within epsilon = {self.epsilon:g} with probability at least {certainty(self.delta)} "
            f"({self.theorem}), assuming {self.assumption}"
        )


def certainty(delta: float) -> str:
    """1 - delta for a sentence, and never more than that: "95 %", or "1 - 1e-09" where percent would take many digits.

    >>> certainty(0.05), certainty(1e-9)
    ('95 %', '1 - 1e-09')
    """
    exact = Decimal(repr(float(delta)))
    if exact > _TINY:
        percent = (100 * (1 - exact)).normalize()
        if len(percent.as_tuple().digits) <= _DIGITS:
            return f"{percent:f} %"
    return f"1 - {float(Context(_DIGITS, ROUND_CEILING).create_decimal(exact)):g}"


@dataclass(frozen=True)
class Heuristic:
    """No proof covers what ran; the reason says what is missing."""

    reason: str

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return f"not guaranteed: {self.reason}"


@dataclass(frozen=True, eq=False)
class Verdict:
    """Whether a returned set P succeeds at epsilon, and the designs that fail each part of the condition."""

    success: bool
    uncovered: Indices
    """Pareto designs that no member of P covers within epsilon: part (i) fails; their number is the paper's NF1."""
    too_far: Indices
    """Members of P outside the Pareto set with Delta* > epsilon: part (ii) fails; the paper's NF2."""
    missed: Indices
    """Pareto designs that were not returned, covered or not; the paper's PM is their share."""

    def __bool__(self) -> bool:
        return self.success

    def __repr__(self) -> str:
        word = "success" if self.success else "failure"
        return (
            f"Verdict({word}: {len(self.uncovered)} uncovered, {len(self.too_far)} too far, "
            f"{len(self.missed)} of the Pareto set not returned)"
        )


def verdict(returned: ArrayLike, means: ArrayLike, cone: Cone, epsilon: float) -> Verdict:
    """Check the success condition for a returned set (mask or indices) against the true means.

    (i) every Pareto design i has a j in P with M(i, j) <= epsilon; (ii) every i in P outside the Pareto set has
    Delta*_i <= epsilon. Gaps within a few roundings of epsilon > 0 count as equal to it. epsilon = 0 asks that P covers
    the front exactly and holds no strongly dominated design. No K x K array is made.

    >>> verdict([1], [[0, 0], [2, 1]], Cone.orthant(2), epsilon=0.1)
    Verdict(success: 0 uncovered, 0 too far, 0 of the Pareto set not returned)
    >>> verdict([0], [[0, 0], [2, 1]], Cone.orthant(2), epsilon=0.1)
    Verdict(failure: 1 uncovered, 1 too far, 1 of the Pareto set not returned)

    Reference: Ararat & Tekin 2023, Definition 4.6 and Remark 4.7.
    """
    epsilon = as_non_negative(epsilon, "epsilon")
    space, front = _space_and_front(means, cone)
    chosen = as_selection(returned, len(front), "returned")
    missed, extra = np.flatnonzero(front & ~chosen), np.flatnonzero(chosen & ~front)
    largest = float((np.abs(space.columns) * space.per_width[:, None]).max())
    reach = epsilon + ROUNDING * largest if epsilon > 0 else 0.0
    uncovered = missed[covers(space, cone, missed, np.flatnonzero(chosen), enough=reach) > reach]
    too_far = extra[escapes(space, extra, np.flatnonzero(front)) > reach]
    return Verdict(not len(uncovered) and not len(too_far), uncovered, too_far, missed)
