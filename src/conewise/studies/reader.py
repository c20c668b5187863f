"""A journal as far as it has been read: the ledger of its evaluations, and the algorithm's state folded over them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TypeVar

from conewise.border import as_number
from conewise.errors import ConewiseError
from conewise.studies.fold import Fold
from conewise.studies.ledger import LATEST, Ledger, Mark
from conewise.studies.spec import Row, Specification
from conewise.studies.storage.journal import PATIENCE, Entry, Journal, Unreachable, attempts
from conewise.studies.versions import Version

Clock = Callable[[], float]
"""UTC seconds."""
Answer = TypeVar("Answer")


class JournalReader:
    """Reads on when told to; whoever uses it holds `guard` meanwhile."""

    def __init__(
        self,
        journal: Journal,
        clock: Clock = time.time,
        specification: Specification | None = None,
        patience: float = PATIENCE,
    ) -> None:
        self.journal, self._clock, self._patience = journal, clock, patience
        self.guard = threading.RLock()
        self.repeated = 0
        """Tells of what was stored already."""
        self.closed = False
        self.specification = Specification.from_json(journal.header) if specification is None else specification
        self._begin()

    def _begin(self) -> None:
        """Before the first entry."""
        spec = self.specification
        self.ledger = Ledger(spec.n_designs, spec.dim, spec.separate)
        self._known: tuple[tuple[str, ...], tuple[Row, ...]] | None = None
        self._version: tuple[tuple[int, int], Version] | None = None
        self._built: Fold | None = None
        self._torn = False

    @property
    def names(self) -> tuple[str, ...]:
        """Of all designs that there ever were, as far as was read."""
        return self._designs()[0]

    @property
    def rows(self) -> tuple[Row, ...]:
        """The columns of all designs that there ever were, as far as was read."""
        return self._designs()[1]

    def _designs(self) -> tuple[tuple[str, ...], tuple[Row, ...]]:
        if self._known is None or len(self._known[0]) != self.ledger.n_designs:
            changes = [mark.change for mark in self.ledger.marks]
            names = (*self.specification.names, *(name for change in changes for name in change.designs))
            rows = (*self.specification.rows, *(row for change in changes for row in change.rows))
            self._known = names, rows
        return self._known

    @property
    def version(self) -> Version:
        """What is asked now, after all changes that were read."""
        ledger = self.ledger
        # Who was beaten when designs were added follows from values that may have been corrected since.
        data = len(ledger.marks), len(ledger.changes) if ledger.start.any() else 0
        if self._version is None or self._version[0] != data:
            self._version = data, self._replayed()
        return self._version[1]

    def _replayed(self) -> Version:
        version = Version.first(self.specification)
        for mark in self.ledger.marks:
            version = self.after(version, mark)
        return version

    def after(self, version: Version, mark: Mark) -> Version:
        """The version of the question that a change leads to."""

        def beaten() -> list[int]:
            fold = Fold(version, self.ledger, mark)
            fold.advance()
            return fold.beaten()

        return version.after(mark, beaten)

    @property
    def fold(self) -> Fold:
        """Made when it is first needed: an algorithm may take seconds to build, and telling needs none."""
        version = self.version
        if self._built is None or self._built.version is not version:
            self._built = Fold(version, self.ledger)
        return self._built

    def now(self) -> float:
        """UTC seconds by the clock, which must show a time."""
        now = as_number(self._clock(), "the clock")
        if not 0 <= now <= LATEST:
            raise ConewiseError(f"the clock says {now:g} seconds since 1970, which no date can express.")
        return now

    # -- reading on ------------------------------------------------------------------------------------------------

    def catch_up(self) -> None:
        """Read what is new, outside of any transaction."""
        self.patiently(self.read_on)

    def read_on(self) -> None:
        """Read what is new."""
        if self._torn:
            self._begin()
        with closing(self.journal.read(self.ledger.seq)) as blocks:
            for block in blocks:
                self.absorb(block)

    def absorb(self, block: Sequence[Entry]) -> None:
        """Take in the next entries."""
        with self.folding():
            self.ledger.absorb(block)

    def up_to_date(self) -> None:
        """Read what is new, and judge every round that is complete."""
        self.catch_up()
        self.advance()

    def advance(self) -> None:
        """Judge every round that is complete."""
        with self.folding():
            self.fold.advance()

    @contextmanager
    def folding(self) -> Iterator[None]:
        """What is folded is folded whole: after an interruption in the middle it is made again from the journal."""
        self._torn = True
        yield
        self._torn = False

    def patiently(self, act: Callable[[], Answer]) -> Answer:
        """What an act gives; a storage that has gone away for a moment is waited for."""
        for last in attempts(self._patience):
            try:
                return act()
            except Unreachable:
                if last:
                    raise
        raise AssertionError  # the last attempt returns or raises

    # -- the end ---------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Let go of the file or database; closing twice is harmless."""
        with self.guard:
            self.closed = True
            self.journal.close()

    def __del__(self) -> None:
        journal = getattr(self, "journal", None)
        if journal is not None:
            journal.close()
