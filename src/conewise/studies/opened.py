"""A study that is open: what it asks, as its journal says, and which designs and evaluations are meant by a name."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from types import TracebackType
from typing import Any, Final, Self

from conewise.border import as_count
from conewise.errors import InputError, closest, shown
from conewise.noise import Noise
from conewise.question.question import AnsweringInWords, Question
from conewise.studies.blocks import StudyBlocks
from conewise.studies.cells import CELL_COLUMNS, cells_of, named_cells
from conewise.studies.identity import NEXT, Identity
from conewise.studies.reader import Clock, JournalReader
from conewise.studies.results import Records, design_in, in_numbers, meaningless, number_in, outcomes_of
from conewise.studies.spec import Row, Specification
from conewise.studies.storage.journal import PATIENCE, Journal
from conewise.studies.versions import Version
from conewise.tables.designs import MISSING
from conewise.tables.spreadsheets import EXPORT_COLUMNS

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
    def journal(self) -> Journal:
        """The journal in which the study is kept."""
        return self._reader.journal

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
        """Return an evaluation for a sentence: its id, its design, and its block or objective where it has one."""
        design = f"{self._reader.names[identity.design]!r:.60}"
        if identity.objective is not None:
            return f"{identity} ({design}, {self.objectives[identity.objective]})"
        if self.blocks is None or identity.number >= self.blocks.n_blocks:
            return f"{identity} ({design})"
        return f"{identity} ({design} on {self.blocks.column} {self.blocks.names[identity.number]!r:.60})"

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


def read_records(
    study: OpenedStudy,
    rows: Sequence[Mapping[str, Any]],
    where: Callable[[int], str],
    as_value: Callable[[Any, str, str], Any],
) -> Records:
    """Read rows with an id, or with a design, and every objective; or some, where these are measured separately.

    An evaluation is known by its id, by design and block, or by design and number; a design alone has a new one. Each
    row is named by `where`; `as_value` makes a number of an entry, given its objective and its row.
    """
    names, separate, blocks = study.objectives, study.separate, study.blocks
    block = None if blocks is None else blocks.column
    outcomes, own = outcomes_of(study.noise, names), {column for row in study.rows for column in row}
    known = {*names, *own, *(CELL_COLUMNS if separate else ()), *(() if block is None else (block,))}
    found = Records(ignored=meaningless((key for row in rows for key in row), known))
    found.by_id = any(row.get("id") not in _UNSAID for row in rows)
    designs: list[Any] = []
    for place, given in enumerate(rows):
        here, one = where(place), None
        number = None if found.by_id else number_in(given, own, here)
        empty = float("nan") if number is not None and not separate else None
        row = {key: empty if key in names and _is_empty(entry, number) else entry for key, entry in given.items()}
        said: dict[Any, Any] = {name: row.get(name) for name in names}
        if separate:
            said = cells_of(row, names, here)
        if all(_is_empty(entry, number) for entry in said.values()):
            found.skipped += 1
            continue
        design = design_in(row)
        if row.get("id") not in _UNSAID:
            one = check_said(study, row["id"], design, None if block is None else row.get(block), here)
        elif design is None:
            raise InputError(f"{here} has neither an id nor a design; it has {', '.join(map(str, row))}.")
        elif found.by_id:
            raise InputError(f"{here} has no id, and other rows have: tell the two kinds one after the other.")
        if one is None and blocks is not None:
            if row.get(blocks.column) in _UNSAID:
                raise InputError(f"{here} names no {block}; it has {', '.join(map(str, row))}.")
            met = blocks.number(row[blocks.column])
            if number not in (None, met):
                raise InputError(f"{here} has the number {number}, but its {block} has the number {met}.")
            number = met
        told_at = row.get(EXPORT_COLUMNS[-1])
        if one is None and number is None and str(told_at).strip().lower() not in {*MISSING, "<na>", "nat"}:
            raise InputError(
                f"{here} has a time at which it was told ({shown(told_at)}) and no number, by which it is known: put "
                "the number back that the export gave it; of a new measurement leave told_at empty."
            )
        cells = named_cells(said, row, one, names, here) if separate else said
        found.rows += [here] * (len(cells) if separate else 1)
        values = []
        for name, entry in cells.items():
            if _is_empty(entry, None):
                raise InputError(f"{here} has no value for {name!r}, but values for other objectives.")
            entry = in_numbers(entry, name in outcomes)
            values.append(entry if _is_empty(entry, number) else as_value(entry, name, here))
        found.values += [[value] for value in values] if separate else [values]
        for objective in map(names.index, cells) if separate else (None,):
            found.places.append(one or Identity(0, NEXT if number is None else number, objective))
            designs.append(design)
    if not found.by_id:
        chosen = study._as_designs(designs)
        found.places = [one._replace(design=k) for one, k in zip(found.places, chosen, strict=True)]
    return found


def _is_empty(entry: Any, number: int | None) -> bool:
    """Check whether an entry says nothing; NaN does where there is a number, since an export has gaps."""
    gap = number is not None and isinstance(entry, float) and entry != entry
    return entry is None or (isinstance(entry, str) and not entry) or gap


def check_said(study: OpenedStudy, identity: Any, design: Any, block: Any, where: str) -> Identity:
    """Return the evaluation of an id; refuse an id beside another design or block than its own.

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
    return one
