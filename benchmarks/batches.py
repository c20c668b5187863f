"""How often answers are wrong, counted in batches of runs: a batch is a line of a file, and none is made twice.

So that a measurement of a thousand runs a cell may be stopped and continued; whoever changes what is measured deletes
the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

SIZE = 50
"""Runs of a batch."""


@dataclass(frozen=True)
class Batch:
    cell: str
    control: bool
    first: int
    runs: int
    wrong: int


@dataclass(frozen=True)
class Trial:
    """One cell, and how many runs of it and of its control are asked for."""

    cell: str
    judge: Callable[[bool], Callable[[int], bool]]
    """Says, for the control or not, whether the run of a number is wrong."""
    runs: int
    controls: int

    def batch(self, control: bool, first: int, runs: int) -> Batch:
        wrong = sum(map(self.judge(control), range(first, first + runs)))
        return Batch(self.cell, control, first, runs, wrong)


def missing(trials: Sequence[Trial], done: Iterable[Batch]) -> Iterator[Callable[[], Batch]]:
    """Trial after trial for each batch, so that all are equally far wherever it is stopped."""
    known = {(batch.cell, batch.control, batch.first) for batch in done}
    most = max((max(trial.runs, trial.controls) for trial in trials), default=0)
    for first in range(0, most, SIZE):
        for trial in trials:
            for control, runs in ((False, trial.runs), (True, trial.controls)):
                if first < runs and (trial.cell, control, first) not in known:
                    yield partial(trial.batch, control, first, min(SIZE, runs - first))


def counted(done: Iterable[Batch], cell: str, control: bool) -> tuple[int, int]:
    """Runs of a cell or of its control, and how many of them were wrong."""
    mine = [batch for batch in done if (batch.cell, batch.control) == (cell, control)]
    return sum(batch.runs for batch in mine), sum(batch.wrong for batch in mine)
