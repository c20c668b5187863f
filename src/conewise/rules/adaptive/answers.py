"""Turn claims into an answer: the returned set, the status of every design, and the guarantee.

The returned set, its epsilon and its covers belong together: they come from one `Certified`. While a design is
undecided at the epsilon of the question, the epsilon of the answer is larger. Once none is, that epsilon may be
smaller, and the set smaller too.
"""

from __future__ import annotations

import numpy as np

from conewise.border import Bools
from conewise.certificate.claims import Certified, Claims, contradicting_least
from conewise.question.question import Guarantee, Heuristic, Question
from conewise.rules.contract import Averaged, Result


def answered(
    claims: Claims,
    seen: Averaged,
    question: Question,
    worth: Guarantee | Heuristic,
    why: str,
    found: Certified | None = None,
    guess: Bools | None = None,
) -> Result:
    """Return the answer with a set that is certified at the epsilon of `found`, and with the status of every design.

    For "cover" it is the certified set that contradicts the averages least. If no design is undecided, the statuses
    follow from that set. Otherwise the set is returned for a larger epsilon, and the statuses are those at the epsilon
    of the claims. A design that has one status at this epsilon and another one in the set counts as undecided. If no
    epsilon is certified yet, the set is the guess, or empty.
    """
    kept, covered, by = claims.accepted, claims.covered, claims.by
    returned = np.zeros_like(kept) if guess is None else guess
    if found is not None:
        if question.success == "cover":
            values = question.cone.facet_values(seen.means) / question.cone.widths
            found = contradicting_least(found, claims, values)
        returned = found.returned
        open_ = ~(claims.out | returned)
        kept, covered = kept & returned, covered & open_ & returned[by]
        if claims.done:
            kept, covered, by = returned, open_, np.where(open_, found.covered_by, by)
    return Result.of(
        seen,
        returned,
        worth,
        why,
        kept=kept,
        covered=covered,
        beaten=claims.beaten,
        misses=claims.misses,
        by=by,
        certain=claims.certain & bool(worth),
        epsilon=None if found is None else found.epsilon,
    )
