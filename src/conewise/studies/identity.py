"""Which evaluation: one type for the ledger, the storages, the fold, the runner and the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from conewise.errors import InputError

MOST_NUMBERS: Final = 2**40
"""Numbers of a design's stream stay below this."""

_WHOLE: Final = "(0|[1-9][0-9]{0,17})"
_ID: Final = re.compile(f"[dD]{_WHOLE}[nN]{_WHOLE}")
_OLDER: Final = re.compile(f"{_WHOLE}-{_WHOLE}")  # until a spreadsheet made a date of 1-1


class Identity(NamedTuple):
    """An evaluation by its design and its number within the design's stream.

    As text it is what no spreadsheet takes for a date, a number or a formula:

    >>> str(Identity(3, 12))
    'd3n12'
    >>> Identity.parse("d3n12") == Identity.parse("3-12") == Identity(3, 12)
    True
    """

    design: int
    number: int

    def __str__(self) -> str:
        return f"d{self.design}n{self.number}"

    @classmethod
    def parse(cls, text: Any) -> Identity:
        """From its text; that of older tables, such as "3-12", is read as well."""
        match = (_ID.fullmatch(text) or _OLDER.fullmatch(text)) if isinstance(text, str) else None
        if match is None:
            raise InputError(f'an evaluation\'s id looks like "d3n0" (design 3, number 0), got {text!r:.60}.')
        return cls(int(match[1]), int(match[2]))

    def of_study(self, n_designs: int) -> Identity:
        """Itself; refused where a study of so many designs cannot have it."""
        if self.design >= n_designs:
            raise InputError(
                f"evaluation {self} is of design {self.design}, but designs are numbered 0 to {n_designs - 1}; "
                "is it an evaluation of another study?"
            )
        return self


def as_stored(identities: Iterable[Identity]) -> str:
    """How a journal writes them: "3-0,4-0"."""
    return ",".join(f"{design}-{number}" for design, number in identities)
