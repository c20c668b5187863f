"""Answer from a finished sample with the certificate of one look; every design has its own count."""

from __future__ import annotations

from dataclasses import dataclass

from conewise.certificate.certificate import Certificate
from conewise.certificate.streams import Separately
from conewise.data.observations import Statistics
from conewise.question.question import Guarantee, Heuristic, worth_of
from conewise.rules.adaptive.answers import answered
from conewise.rules.contract import INDEPENDENT, Result, undecided_words


@dataclass(frozen=True, eq=False)
class FixedSample(Certificate):
    """Claims and an answer from a sample whose size did not depend on what was seen.

    With `apart` objectives were measured one by one.
    """

    once: bool = True

    def recommend(self, seen: Statistics | Separately) -> Result:
        """Return the answer for epsilon if the sample is large enough, else for the smallest certified epsilon."""
        claims = self.claims(seen)
        found = self.certified_epsilon(claims)
        if found is None:
            lack = (
                "lack an objective, or have too few measurements of one" if self.apart else "have too few evaluations"
            )
            few = f"some designs {lack} to be compared"
            return answered(claims, seen, self.question, Heuristic(few), few)
        why = "the sample is final"
        if not claims.done:
            why += f": {undecided_words(int(claims.undecided.sum()))} at epsilon = {self.epsilon:g}"
        looks, apart = (" at each objective", ", objectives measured separately") if self.apart else ("", "")
        proof = Guarantee(
            max(found.epsilon, self.epsilon),
            self.delta,
            f'certificate of one look{looks}{self.with_levels}, success "{self.success}", docs/adaptive',
            f"{INDEPENDENT}, as many as were decided beforehand{apart}; {self.question.assumed.words}",
        )
        return answered(claims, seen, self.question, worth_of(proof, self.question.assumed), why, found)
