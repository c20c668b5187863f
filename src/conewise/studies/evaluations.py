"""Evaluations with an identity: design and number within the design's stream; what is handed out and what was told."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, overload

import numpy as np
from numpy.typing import NDArray

from conewise._arrays import Bools, Floats
from conewise.errors import InputError
from conewise.studies.spec import Row

Integers = NDArray[np.int64]

_WHOLE: Final = "(0|[1-9][0-9]{0,17})"
_ID: Final = re.compile(f"[dD]{_WHOLE}[nN]{_WHOLE}")
_OLDER: Final = re.compile(f"{_WHOLE}-{_WHOLE}")  # until a spreadsheet made a date of 1-1
_NUMBER_BITS: Final = 40
MOST_NUMBERS: Final = 2**_NUMBER_BITS
"""Numbers of a design's stream stay below this, so that design and number fit into one integer."""


class AlreadyTold(InputError):  # noqa: N818 - read as a sentence: the evaluation is already told
    """An evaluation is stored with other values; nothing was written."""


@dataclass(frozen=True)
class Evaluation:
    """One evaluation to make: which design, the how-manieth of it, and the seed that goes with it."""

    id: str
    """"d3n0": design 3, its first evaluation; the same whenever it is handed out again."""
    design: int
    number: int
    name: str
    row: Row
    seed: int
    """The same on every machine and after every restart; another one after a recorded failure or a withdrawal."""
    attempt: int
    """How often it failed, or its value was withdrawn, before."""
    expires: float
    """UTC seconds until which nobody else is handed this evaluation."""


@dataclass(frozen=True)
class Batch(Sequence[Evaluation]):
    """Evaluations handed out together; `finished` says that the study wants no more, ever, as its data are now."""

    evaluations: tuple[Evaluation, ...]
    worker: str = ""
    finished: bool = False

    @overload
    def __getitem__(self, index: int) -> Evaluation: ...

    @overload
    def __getitem__(self, index: slice) -> Batch: ...

    def __getitem__(self, index: int | slice) -> Evaluation | Batch:
        if isinstance(index, slice):
            return Batch(self.evaluations[index], self.worker, self.finished)
        return self.evaluations[index]

    def __len__(self) -> int:
        return len(self.evaluations)

    @property
    def ids(self) -> tuple[str, ...]:
        """The identities, for whoever tells later without this object."""
        return tuple(evaluation.id for evaluation in self.evaluations)

    def __repr__(self) -> str:
        return f"Batch({', '.join(self.ids[:8])}{', ...' if len(self) > 8 else ''})"


@dataclass(frozen=True)
class Told:
    """What telling did: identities in the order given, how many are new in the journal, how many were there already."""

    evaluations: tuple[str, ...]
    stored: int
    repeated: int


@dataclass(frozen=True)
class Lease:
    """An evaluation in someone's hands."""

    evaluation: str
    worker: str
    expires: float


@dataclass(frozen=True, eq=False)
class Evaluations:
    """Every told evaluation, sorted by design and number: columns of equal length."""

    design: Integers
    number: Integers
    values: Floats
    """(n, D), as the user told them, corrections included."""
    told_at: Floats
    """UTC seconds."""
    corrected: Bools
    name: list[str]
    worker: list[str]

    def __len__(self) -> int:
        return len(self.design)

    @property
    def ids(self) -> list[str]:
        """The identities."""
        return [identity(d, n) for d, n in zip(self.design.tolist(), self.number.tolist(), strict=True)]


def identity(design: int, number: int) -> str:
    """The id of an evaluation: text that no spreadsheet takes for a date, a number or a formula.

    >>> identity(3, 12)
    'd3n12'
    """
    return f"d{design}n{number}"


def key_of(design: int, number: int) -> int:
    """Design and number in one integer."""
    return design << _NUMBER_BITS | number


def from_key(key: int) -> tuple[int, int]:
    """(design, number) of a key."""
    return key >> _NUMBER_BITS, key & (MOST_NUMBERS - 1)


def keys_of(designs: Integers, numbers: Integers) -> list[int]:
    """Many keys at once."""
    keys: list[int] = (designs << _NUMBER_BITS | numbers).tolist()
    return keys


def as_identities(batch: Any, n_designs: int) -> tuple[list[tuple[int, int]], list[Evaluation | None]]:
    """(design, number) of every member of a batch, a list of evaluations or their ids, and the evaluations if any.

    Ids of older studies' tables, such as "3-12", are read as well.
    """
    members: Iterable[Any] = [batch] if isinstance(batch, str | Evaluation) else batch
    places: list[tuple[int, int]] = []
    known: list[Evaluation | None] = []
    try:
        members = list(members)
    except TypeError:
        raise InputError(f"a batch or a list of evaluation ids was expected, got {type(batch).__name__}.") from None
    for member in members:
        text = member.id if isinstance(member, Evaluation) else member
        match = (_ID.fullmatch(text) or _OLDER.fullmatch(text)) if isinstance(text, str) else None
        if match is None:
            raise InputError(f'an evaluation\'s id looks like "d3n0" (design 3, number 0), got {text!r:.60}.')
        design, number = int(match[1]), int(match[2])
        if design >= n_designs:
            raise InputError(
                f"evaluation {text} is of design {design}, but designs are numbered 0 to {n_designs - 1}; "
                "is it an evaluation of another study?"
            )
        places.append((design, number))
        known.append(member if isinstance(member, Evaluation) else None)
    return places, known


def seed_of(study_seed: int, design: int, number: int, attempt: int) -> int:
    """63 bits that depend on these four whole numbers alone, on every machine."""
    words = np.random.SeedSequence([study_seed, design, number, attempt]).generate_state(1, np.uint64)
    return int(words[0] >> np.uint64(1))
