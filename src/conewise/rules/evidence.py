"""Comparisons of designs by a certificate, for reports and pictures.

A report reads an algorithm through its `Result` and this evidence. The evidence gives the estimated lead of any design
over any other along each facet, and the radius of that estimate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from conewise.border import Indices
from conewise.certificate.certificate import Certificate
from conewise.certificate.claims import Claims
from conewise.certificate.contrasts import Contrasts


@dataclass(frozen=True, eq=False)
class Evidence:
    """Comparisons of any designs; computed only on demand."""

    compare: Callable[[Indices], Contrasts]
    """Maps indices of designs in ascending order to their `Contrasts`: gains along the facets and their radii."""
    claims: Callable[[], Claims]
    """Returns the claims of the certificate at the epsilon of the question."""

    @classmethod
    def of(cls, certificate: Certificate, seen: Any) -> Evidence:
        """Return the evidence of a certificate for these observations, with the final radii of its claims."""
        claims = cache(partial(certificate.claims, seen))
        return cls(lambda designs: certificate.compare(seen, designs, claims().pairs.standing), claims)
