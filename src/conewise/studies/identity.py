"""Which evaluation: one type for the ledger, the storages, the fold, the runner and the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from conewise.errors import InputError

MOST_NUMBERS: Final = 2**40
"""Numbers of a design's stream stay below this."""
NEXT: Final = -1
"""In place of a number: the next one of the stream, given when the values are stored."""

_WHOLE: Final = "(0|[1-9][0-9]{0,17})"
_ID: Final = re.compile(f"[dD]{_WHOLE}(?:[oO]{_WHOLE})?[nN]{_WHOLE}")
_STORED: Final = re.compile(f"{_WHOLE}(?:[.]{_WHOLE})?-{_WHOLE}")  # also ids, until a spreadsheet made a date of 1-1


class Identity(NamedTuple):
    """An evaluation by its design and its number within the design's stream.

    Where objectives are measured separately, every objective of a design has a stream of its own, and is named too.

    As text it is what no spreadsheet takes for a date, a number or a formula:

    >>> str(Identity(3, 12)), str(Identity(3, 12, objective=0))
    ('d3n12', 'd3o0n12')
    >>> Identity.parse("d3n12") == Identity.parse("3-12") == Identity(3, 12)
    True
    """

    design: int
    number: int
    objective: int | None = None
    """Which one was measured, counted from 0; None where an evaluation has all of them."""

    def __str__(self) -> str:
        return f"d{self.design}{'' if self.objective is None else f'o{self.objective}'}n{self.number}"

    @classmethod
    def parse(cls, text: Any) -> Identity:
        """From its text; that of journals and older tables, such as "3-12", is read as well."""
        match = (_ID.fullmatch(text) or _STORED.fullmatch(text)) if isinstance(text, str) else None
        if match is None:
            raise InputError(f'an evaluation\'s id looks like "d3n0" (design 3, number 0), got {text!r:.60}.')
        return cls(int(match[1]), int(match[3]), None if match[2] is None else int(match[2]))

    def of_study(self, n_designs: int, objectives: int | None = None) -> Identity:
        """Itself; refused where a study of so many designs cannot have it.

        `objectives` is how many there are, where these are measured separately.
        """
        if self.design >= n_designs:
            raise InputError(
                f"evaluation {self} is of design {self.design}, but designs are numbered 0 to {n_designs - 1}; "
                "is it an evaluation of another study?"
            )
        if objectives is None and self.objective is not None:
            raise InputError(
                f"evaluation {self} is of one objective, but an evaluation of this study has all of them; is it one "
                "of another study?"
            )
        if objectives is not None and self.objective is None:
            raise InputError(
                f"evaluation {self} names no objective, but in this study each is measured by itself: an id looks like "
                f'"{self._replace(objective=0)}", for the first one.'
            )
        if objectives is not None and self.objective is not None and self.objective >= objectives:
            raise InputError(
                f"evaluation {self} is of objective {self.objective}, but these are numbered 0 to {objectives - 1}; "
                "is it an evaluation of another study?"
            )
        return self


def as_stored(identities: Iterable[Identity]) -> str:
    """How a journal writes them: "3-0,4-0", and "3.1-0" where objectives are measured separately."""
    return ",".join(
        f"{design}-{number}" if objective is None else f"{design}.{objective}-{number}"
        for design, number, objective in identities
    )
