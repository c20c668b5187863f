"""From claims to an answer: which set is returned, where every design stands, and what that is worth.

The set that is returned, its epsilon and its covers belong together: they come from one `Certified`. While something is
open at the epsilon that was asked for, that is a larger epsilon; once nothing is, a smaller one, with a smaller set.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from conewise._arrays import Bools
from conewise.algorithms.contract import INDEPENDENT, Averaged, Result
from conewise.certificate.claims import Certified, Claims
from conewise.goals import Guarantee, Heuristic, Question


def certified_answer(
    claims: Claims, found: Certified, statistics: Averaged, worth: Guarantee | Heuristic, why: str
) -> Result:
    """What is certified for a set: kept, covered and beaten at the epsilon of the claims where nothing is open there.

    Else the set is returned for a larger epsilon. Then statuses are those at the epsilon of the claims, and what is
    covered there, but returned for the larger one, counts as undecided.
    """
    open_ = ~(claims.out | found.returned)
    if claims.done:
        kept, covered, by = found.returned, open_, np.where(open_, found.covered_by, claims.by)
    else:
        kept, covered, by = claims.accepted, claims.covered & open_, claims.by
    return _result(claims, statistics, found.returned, kept, covered, worth, why, found.epsilon, by)


def final_answer(
    claims: Claims, found: Certified, statistics: Averaged, question: Question, theorem: str, assumed: str
) -> Result:
    """What one look at a finished sample certifies, and on what that rests."""
    why = "the sample is final"
    if not claims.done:
        why += f": {int(claims.undecided.sum())} designs are undecided at epsilon = {question.epsilon:g}"
    worth = Guarantee(
        max(found.epsilon, question.epsilon),
        question.delta,
        f'{theorem}, success "{question.success}", docs/adaptive',
        f"{INDEPENDENT}, as many as were decided beforehand{assumed}",
    )
    return certified_answer(claims, found, statistics, worth, why)


def nothing_certified(claims: Claims, statistics: Averaged, why: str, returned: Bools | None = None) -> Result:
    """While no epsilon is certified: nothing is returned, or a guess."""
    guess = np.zeros_like(claims.beaten) if returned is None else returned
    result = _result(claims, statistics, guess, claims.accepted, claims.covered, Heuristic(why), why, None, claims.by)
    return replace(result, certain=np.zeros_like(claims.beaten))


def _result(
    claims: Claims,
    statistics: Averaged,
    returned: Bools,
    kept: Bools,
    covered: Bools,
    worth: Guarantee | Heuristic,
    why: str,
    epsilon: float | None,
    by: np.ndarray,
) -> Result:
    return Result.of(
        statistics,
        returned,
        worth,
        why,
        kept=kept,
        covered=covered,
        beaten=claims.beaten,
        misses=claims.misses,
        by=by,
        certain=claims.certain,
        epsilon=epsilon,
    )
