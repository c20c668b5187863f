"""Answer from a finished sample with the certificate of one look; every design has its own count."""

from __future__ import annotations

from dataclasses import dataclass

from conewise.certificate.certificate import Certificate
from conewise.data.observations import Statistics
from conewise.rules.adaptive.answers import final_answer, nothing_certified
from conewise.rules.contract import Result


@dataclass(frozen=True, eq=False)
class FixedSample(Certificate):
    """Claims and an answer from the statistics of a sample whose size did not depend on what was seen."""

    once: bool = True

    def recommend(self, statistics: Statistics) -> Result:
        """Return the answer for epsilon if the sample is large enough, else for the smallest certified epsilon."""
        claims = self.claims(statistics)
        found = self.certified_epsilon(claims)
        if found is None:
            return nothing_certified(claims, statistics, "some designs have too few evaluations to be compared")
        theorem = f"certificate of one look{self.with_levels}"
        return final_answer(claims, found, statistics, self.question, theorem, f"; {self.noise.words}")
