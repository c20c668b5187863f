"""Evaluations with an identity: design and number within the design's stream; what is handed out and what was told."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from conewise.border import Bools, Floats
from conewise.errors import InputError
from conewise.studies.blocks import StudyBlocks
from conewise.studies.identity import Identity
from conewise.studies.spec import Row

Integers = NDArray[np.int64]


class AlreadyTold(InputError):  # noqa: N818 - read as a sentence: the evaluation is already told
    """An evaluation is stored with other values; nothing was written."""

    def __init__(self, message: str, row: int | None = None) -> None:
        super().__init__(message)
        self.row = row
        """Which of the evaluations that were told, counted from 0."""


@dataclass(frozen=True)
class Evaluation:
    """One evaluation to make: which design, the how-manieth of it, and the seed that goes with it."""

    identity: Identity
    name: str
    row: Row
    seed: int
    """The same on every machine and after every restart; another one after a recorded failure or a withdrawal."""
    attempt: int
    """How often it failed, or its value was withdrawn, before."""
    expires: float
    """UTC seconds until which nobody else is handed this evaluation."""
    block: str | None = None
    """What the design meets in it, where designs share blocks: the same for all designs at the same number."""
    objective: str | None = None
    """What is to be measured, where objectives are measured separately; None for all of them."""

    @property
    def id(self) -> str:
        """Its identity as text, "d3n0": design 3, its first evaluation; the same whenever it is handed out again.

        Where objectives are measured separately "d3o1n0": the first evaluation of its second objective.
        """
        return str(self.identity)

    @property
    def design(self) -> int:
        """The design, by its place among all designs."""
        return self.identity.design

    @property
    def number(self) -> int:
        """The how-manieth evaluation of its design (and objective) it is, counted from 0."""
        return self.identity.number


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
    ignored: tuple[str, ...] = ()
    """What records had beside their ids, designs and objectives that the study knows nothing of."""
    withdrawn: int = 0
    """How many of those that were there already had been withdrawn with these very values, and still do not count."""


@dataclass(frozen=True)
class Lease:
    """An evaluation in someone's hands."""

    evaluation: str
    worker: str
    expires: float


@dataclass(frozen=True, eq=False)
class Evaluations:
    """Every told evaluation, sorted by design (then objective) and number: columns of equal length."""

    design: Integers
    number: Integers
    values: Floats
    """(n, D), as the user told them, corrections included; NaN where an objective was not measured."""
    told_at: Floats
    """UTC seconds."""
    corrected: Bools
    name: list[str]
    worker: list[str]
    objectives: tuple[str, ...] = ()
    blocks: StudyBlocks | None = None
    which: Integers | None = None
    """(n,): the place of the objective that was measured, where these are measured separately."""

    @property
    def objective(self) -> list[str] | None:
        """The objective of each evaluation, where these are measured separately."""
        return None if self.which is None else [self.objectives[d] for d in self.which.tolist()]

    @property
    def block(self) -> list[str] | None:
        """The block of each evaluation, where designs share blocks."""
        return None if self.blocks is None else [self.blocks.names[n] for n in self.number.tolist()]

    def to_frame(self, backend: str | None = None) -> Any:
        """One row an evaluation, as an export has them; a frame of "pandas", "polars" or "pyarrow" (extra `frames`)."""
        from conewise.tables.selection import frame_of

        names = self.objectives or tuple(f"f{d + 1}" for d in range(self.values.shape[1]))
        moments = [datetime.fromtimestamp(seconds, UTC) for seconds in self.told_at.tolist()]
        columns: dict[str, list[Any]] = {"design": self.name, "number": self.number.tolist()}
        if self.blocks is not None:
            columns[self.blocks.column] = self.block or []
        columns |= dict(zip(names, self.values.T.tolist(), strict=True))
        return frame_of(columns | {"worker": self.worker, "told_at": moments}, backend)

    def __len__(self) -> int:
        return len(self.design)

    @property
    def ids(self) -> list[str]:
        """The identities."""
        which = [None] * len(self) if self.which is None else self.which.tolist()
        return [str(Identity(*one)) for one in zip(self.design.tolist(), self.number.tolist(), which, strict=True)]


def is_same(told: Floats, stored: Floats) -> bool:
    """Check whether values are those stored, or these as a spreadsheet saves them: rounded to 6 or more digits.

    >>> stored = np.array([2 / 3])
    >>> is_same(np.array([0.666667]), stored), is_same(np.array([0.66667]), stored)
    (True, False)
    """

    def rounded(mine: float, known: float) -> bool:
        return math.isclose(mine, known, rel_tol=1e-14) or any(mine == float(f"{known:.{k}g}") for k in range(6, 16))

    if told.shape != stored.shape:
        return False
    off = ~((told == stored) | (np.isnan(told) & np.isnan(stored)))
    return all(map(rounded, told[off].tolist(), stored[off].tolist()))


def as_identities(batch: Any) -> tuple[list[Identity], list[Evaluation | None]]:
    """The identity of every member of a batch, a list of evaluations or their ids, and the evaluations if any."""
    members: Iterable[Any] = [batch] if isinstance(batch, str | Evaluation | Identity) else batch
    try:
        members = list(members)
    except TypeError:
        raise InputError(f"a batch or a list of evaluation ids was expected, got {type(batch).__name__}.") from None
    known = [member if isinstance(member, Evaluation) else None for member in members]
    return [_identity(member) for member in members], known


def _identity(member: Any) -> Identity:
    if isinstance(member, Evaluation):
        return member.identity
    return member if isinstance(member, Identity) else Identity.parse(member)


def seed_of(study_seed: int, design: int, number: int, attempt: int, objective: int | None = None) -> int:
    """63 bits that depend on these whole numbers alone, on every machine."""
    entropy = [study_seed, design, number, attempt, *(() if objective is None else (objective + 1,))]
    words = np.random.SeedSequence(entropy).generate_state(1, np.uint64)
    return int(words[0] >> np.uint64(1))
