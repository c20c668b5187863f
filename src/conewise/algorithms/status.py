"""Where a design stands in an answer: five words, the same in tables, JSON, reports and pages."""

from __future__ import annotations

import warnings
from enum import EnumType, StrEnum
from typing import Any, Final

from conewise._moved import UNTIL
from conewise.errors import InputError

_DIVIDED: Final = (
    'the status "eliminated" was divided in 0.2: compare with "covered" (Status.COVERED: a kept design is as good '
    'within epsilon) and "beaten" (Status.BEATEN)'
)


class _WithOldNames(EnumType):
    """`Status.PARETO` and `Status.ELIMINATED`, as they were written before 0.2."""

    def __getattr__(cls, name: str) -> object:
        if name == "PARETO":
            return _once_pareto(stacklevel=3)
        raise AttributeError(_DIVIDED if name == "ELIMINATED" else f"{cls.__name__} has no member {name!r}")

    def __getitem__(cls, name: str) -> Any:
        if name == "PARETO":
            return _once_pareto(stacklevel=3)
        if name == "ELIMINATED":
            raise KeyError(_DIVIDED)
        return super().__getitem__(name)


class Status(StrEnum, metaclass=_WithOldNames):
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

    @classmethod
    def _missing_(cls, value: object) -> Status | None:
        if value == "eliminated":
            raise InputError(_DIVIDED)
        return _once_pareto(stacklevel=5) if value == "pareto" else None  # beyond the frames of enum


def _once_pareto(*, stacklevel: int) -> Status:
    message = f'the status "pareto" is "kept" (Status.KEPT) now; the old name goes with {UNTIL}'
    warnings.warn(message, DeprecationWarning, stacklevel)
    return Status.KEPT
