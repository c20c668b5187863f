"""Where a design stands in an answer: five words, the same in tables, JSON, reports and pages."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """Where a design stands in an answer, at the epsilon that was asked for.

    "Not Pareto optimal" is said of beaten designs alone: a covered one may be Pareto optimal itself.
    """

    KEPT = "kept"
    """Returned: nothing beats it by more than epsilon."""
    COVERED = "covered"
    """Left out, although perhaps Pareto optimal: a kept design is as good within epsilon."""
    BEATEN = "beaten"
    """Left out: another design is certainly at least as good in every respect that the cone knows."""
    MISSES = "misses a level"
    """Left out: certainly not acceptable in an objective that has a level."""
    UNDECIDED = "undecided"

    @property
    def key(self) -> str:
        """The same as a name of a field, of data and of JSON."""
        return self.value.replace(" ", "_")
