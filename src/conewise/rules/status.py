"""The status of a design in an answer: five words for tables, JSON, reports and pages."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """The status of a design in an answer, at the epsilon of the question.

    Only a beaten design is certainly not Pareto optimal: a covered design may be Pareto optimal itself.
    """

    KEPT = "kept"
    """Returned: no design beats it by more than epsilon."""
    COVERED = "covered"
    """Left out, although perhaps Pareto optimal: a kept design is as good within epsilon."""
    BEATEN = "beaten"
    """Left out: another design certainly dominates it under the cone."""
    MISSES = "misses a level"
    """Left out: certainly not acceptable in an objective that has a level."""
    UNDECIDED = "undecided"

    @property
    def key(self) -> str:
        """The status as a name of a field or of a JSON key."""
        return self.value.replace(" ", "_")
