"""How a certificate compares designs: what reports and pictures read beside the answer.

An answer says who is Pareto; its evidence says how far any design seems ahead of any other along each facet, and how
far that may be wrong. A report reads nothing else of an algorithm than this and the `Result`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

from conewise._arrays import Indices
from conewise.certificate.boundaries import Comparisons
from conewise.certificate.certificate import Certificate, Sample
from conewise.certificate.claims import Claims
from conewise.certificate.history import Checkpoints
from conewise.feedback import Statistics


@dataclass(frozen=True, eq=False)
class Evidence:
    """Comparisons of any designs, on demand; nothing is computed before it is asked for."""

    compare: Callable[[Indices], Comparisons]
    """Indices of designs in ascending order to their `Comparisons`: gains along the facets and their radii."""
    claims: Callable[[], Claims]
    """What the certificate claims at the epsilon that was asked for."""

    @classmethod
    def of_looks(cls, certificate: Certificate, state: Checkpoints) -> Evidence:
        """Of the certificate that looks again and again."""
        claims = cache(partial(certificate.claims, state))
        return cls(lambda designs: certificate.compare(state, designs, claims().comparisons.standing), claims)

    @classmethod
    def of_sample(cls, sample: Sample, statistics: Statistics) -> Evidence:
        """Of the certificate of one look at a finished sample."""
        claims = cache(partial(sample.claims, statistics))
        return cls(lambda designs: sample.compare(statistics, designs, claims().comparisons.standing), claims)
