"""A study that is open: what it asks, as its journal says, and which designs and evaluations are meant by a name."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from numbers import Real
from types import TracebackType
from typing import Any, Final, Self

from conewise._arrays import as_count
from conewise.errors import InputError, closest, shown
from conewise.goals import AnsweringInWords, Question
from conewise.noise import Noise
from conewise.studies.blocks import StudyBlocks
from conewise.studies.identity import Identity
from conewise.studies.reader import Clock, JournalReader
from conewise.studies.results import as_rows, design_in
from conewise.studies.spec import Row, Specification
from conewise.studies.storage.journal import PATIENCE, Journal
from conewise.studies.versions import Version

_NAMES_SEARCHED: Final = 10_000  # for the one that was meant
_UNSAID: Final = (None, "")


class OpenedStudy(AnsweringInWords):
    """What a study asks; it reads its journal once, and what is new in it when an answer is wanted."""

    def __init__(
        self,
        journal: Journal,
        clock: Clock = time.time,
        specification: Specification | None = None,
        patience: float = PATIENCE,
    ) -> None:
        self._reader = JournalReader(journal, clock, specification, patience)

    # -- what is asked ---------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The study's name."""
        return self._reader.journal.name

    @property
    def place(self) -> str:
        """Where the study is kept, without any password."""
        return self._reader.journal.place

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the designs that are compared."""
        return self._version.names

    def name_of(self, design: int) -> str:
        """The name of a design by the number that stands in its evaluations' ids."""
        return self.all_names[design]

    @property
    def all_names(self) -> tuple[str, ...]:
        """The names of all designs that there ever were, by the numbers in their evaluations' ids."""
        self._look()
        return self._reader.names

    @property
    def dropped(self) -> tuple[str, ...]:
        """The designs that were dropped."""
        return tuple(self.name_of(k) for k in self._version.dropped)

    @property
    def beaten_before(self) -> tuple[str, ...]:
        """The designs that were beaten when others were added, and are not compared any more."""
        return tuple(self.name_of(k) for k in self._version.beaten)

    @property
    def delta_spent(self) -> float:
        """How often any answer may be wrong, those before the last change among them, back to the last unseen one."""
        return self._version.spent

    @property
    def max_evaluations(self) -> int | None:
        """Where the study ends at the latest; None where nobody has said so."""
        limit = self._version.limit
        return self._reader.specification.options.get("max_evaluations") if limit is None else limit

    @property
    def _version(self) -> Version:
        self._look()
        return self._reader.version

    def _look(self) -> None:
        """What is asked stands in the journal as well as in its header: nothing is said before it was read once."""
        with self._reader.guard:
            if self._reader.ledger.seq == 0 and not self._reader.closed:
                self._reader.catch_up()

    @property
    def rows(self) -> list[Row]:
        """The columns of the designs that are compared."""
        version = self._version
        return [dict(version.specification.rows[k]) for k in version.designs]

    @property
    def question(self) -> Question:  # type: ignore[override]  # it changes with the study
        """What is asked, in the directions of whoever asks."""
        return self._version.specification.question

    @property
    def noise(self) -> Noise | None:
        """What is assumed of one evaluation, in the user's own sign."""
        return self.question.noise

    @property
    def algorithm(self) -> str:
        """The algorithm's name."""
        return self._reader.specification.algorithm

    def rule(self) -> Any:
        """The algorithm itself, made anew: `start`, `tell` and `recommend` replay what the study knows."""
        return self._version.algorithm

    @property
    def options(self) -> dict[str, Any]:
        """The algorithm's options."""
        return dict(self._reader.specification.options)

    @property
    def blocks(self) -> StudyBlocks | None:
        """What the designs meet, in the order of their evaluations' numbers; None where each has evaluations alone."""
        return self._reader.specification.blocks

    @property
    def separate(self) -> bool:
        """Whether objectives are measured separately: an evaluation then has one of them."""
        return self._reader.specification.separate

    @property
    def seed(self) -> int:
        """From which the seeds of all evaluations follow."""
        return self._reader.specification.seed

    @property
    def lease(self) -> float:
        """Seconds after which what was handed out and not told is open again."""
        return self._reader.specification.lease

    @property
    def n_designs(self) -> int:
        """The number of designs K that are compared."""
        return len(self._version.designs)

    @property
    def dim(self) -> int:
        """The number of objectives D."""
        return self._version.specification.dim

    # -- names ------------------------------------------------------------------------------------------------------

    def _as_designs(self, designs: Sequence[str | int]) -> list[int]:
        if isinstance(designs, str):
            raise InputError("designs is a list of names or indices, not one text.")
        names = self.all_names
        index = {name: i for i, name in enumerate(names)}
        chosen = []
        for design in designs:
            if isinstance(design, str):
                if design not in index:
                    near = closest(design[:60], index) if len(index) <= _NAMES_SEARCHED else None
                    hint = f"; did you mean {near!r:.60}?" if near is not None else "."
                    raise InputError(f"there is no design called {design!r:.60} in this study{hint}")
                chosen.append(index[design])
            else:
                chosen.append(as_count(design, "a design", minimum=0))
                if chosen[-1] >= len(names):
                    raise InputError(f"design {design} does not exist: they are numbered 0 to {len(names) - 1}.")
        return chosen

    def ids_of(self, designs: Sequence[str | int], blocks: Sequence[Any]) -> list[str]:
        """The ids of evaluations by their designs and blocks, where designs share blocks."""
        if self.blocks is None:
            raise InputError("designs share no blocks in this study; an evaluation is known by its id.")
        chosen = self._as_designs(designs)
        if isinstance(blocks, str) or len(blocks) != len(chosen):
            raise InputError(f"one {self.blocks.column} for each of {len(chosen)} designs was expected, in a list.")
        pairs = zip(chosen, blocks, strict=True)
        return [str(Identity(design, self.blocks.number(block))) for design, block in pairs]

    def _named(self, identity: Identity) -> str:
        """An evaluation for a sentence: by its id, and by design and block or objective where it has one."""
        if identity.objective is not None:
            return f"{identity} ({self._reader.names[identity.design]!r:.60}, {self.objectives[identity.objective]})"
        if self.blocks is None or identity.number >= self.blocks.n_blocks:
            return str(identity)
        block = self.blocks.names[identity.number]
        return f"{identity} ({self._reader.names[identity.design]!r:.60} on {self.blocks.column} {block!r:.60})"

    # -- the end ---------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Let go of the file or database; closing twice is harmless."""
        self._reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Study({self.name!r} in {self.place}: {self.n_designs} designs, {self.dim} objectives)"


def checked_rows(study: OpenedStudy, given: Any) -> Sequence[Mapping[str, Any]]:
    """Records as a list, in which no id stands beside what it is not."""
    rows = as_rows(given, study.objectives)
    for place, row in enumerate(rows):
        if row.get("id") not in _UNSAID:
            block = None if study.blocks is None else row.get(study.blocks.column)
            check_said(study, row["id"], design_in(row), block, f"record {place}")
    return rows


def check_said(study: OpenedStudy, identity: Any, design: Any, block: Any, where: str) -> None:
    """Refuse an id beside another design or block than its own: a line was mixed up, and nobody knows which is right.

    A design is named, or given by the number in its ids; None and the empty text say nothing.
    """
    names = study.all_names
    try:
        one = Identity.parse(identity).of_study(len(names), study.dim if study.separate else None)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    own = names[one.design]
    if design not in _UNSAID and design == design and str(design) != own:  # NaN is a frame's way to say nothing
        by_number = isinstance(design, Real) and design == one.design and str(design) not in names
        if not by_number:
            raise InputError(f"{where}: {identity} is an evaluation of {own!r:.60}, not of {shown(design)}.")
    if (
        study.blocks is not None
        and block not in _UNSAID
        and block == block
        and study.blocks.number(block) != one.number
    ):
        raise InputError(f"{where}: {identity} is not an evaluation on {study.blocks.column} {str(block)!r:.60}.")
