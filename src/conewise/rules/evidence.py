"""How a certificate compares designs: what reports and pictures read beside the answer.

An answer says who is Pareto; its evidence says how far any design seems ahead of any other along each facet, and how
far that may be wrong. A report reads nothing else of an algorithm than this and the `Result`.
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
    """Comparisons of any designs, on demand; nothing is computed before it is asked for."""

    compare: Callable[[Indices], Contrasts]
    """Indices of designs in ascending order to their `Contrasts`: gains along the facets and their radii."""
    claims: Callable[[], Claims]
    """What the certificate claims at the epsilon that was asked for."""

    @classmethod
    def of(cls, certificate: Certificate, seen: Any) -> Evidence:
        """What a certificate says of what was observed, with the radii that its claims have in the end."""
        claims = cache(partial(certificate.claims, seen))
        return cls(lambda designs: certificate.compare(seen, designs, claims().pairs.standing), claims)
