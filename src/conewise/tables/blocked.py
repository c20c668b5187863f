"""A long table whose rows also name a block: designs x blocks x objectives (docs/blocks)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from conewise.border import Bools, Floats, Indices, read_only
from conewise.data.observations import Counts, Observations
from conewise.errors import InputError
from conewise.question.objectives import Objectives
from conewise.tables.columns import row_words
from conewise.tables.designcolumns import coded
from conewise.tables.designs import check_columns
from conewise.tables.measurements import LongTable
from conewise.tables.readers import distinct_columns
from conewise.tables.shards import Piece

_MOST: Final = 2**28  # numbers of a matrix of designs x blocks x objectives in memory


@dataclass(frozen=True, eq=False)
class Blocked:
    """Values of designs on blocks, in steps and larger is better; repetitions inside a block are averaged."""

    names: tuple[str, ...]
    blocks: tuple[str, ...]
    column: str
    """What names the blocks."""
    meaning: Objectives
    values: Floats
    """(K, Q, D): NaN where a design has not met a block."""
    rows: Counts
    """(K,): rows of each design, whether complete or not."""
    repeated: int
    """Rows beyond the first of their design and block."""
    skipped: int
    """Rows without all their objectives."""
    binary: tuple[str, ...] = ()
    """The objectives that are 0 or 1 in every row."""

    summarised = False
    has_scatter = True

    @property
    def objectives(self) -> tuple[str, ...]:
        """What was measured."""
        return self.meaning.names

    @property
    def minimised(self) -> tuple[str, ...]:
        """Those of them that should be small."""
        return self.meaning.minimised

    def __iter__(self) -> Iterator[Observations]:
        """The values, block by block."""
        blocks, designs = np.nonzero(self.met.T)
        yield Observations.single(designs, self.values[designs, blocks])

    @cached_property
    def met(self) -> Bools:
        """(K, Q): who has met which block."""
        return read_only(np.asarray(~np.isnan(self.values).any(axis=2)))


def read_blocked(table: LongTable, block: str, *, repetitions: bool = False) -> Blocked:
    """Read a table whole, by its design and block columns.

    A block that stands twice for one design is refused, unless `repetitions` says that this is how it was measured:
    then they are averaged, since the block is the unit.
    """
    if block == table.design or block in table.objectives:
        what = "names the designs" if block == table.design else "is an objective"
        raise InputError(f"the column {block!r} {what} and cannot name the blocks as well.")
    for file in table.files:
        check_columns((block,), distinct_columns(file.reader, file.path), file.path)
    known: dict[str, int] = {}
    parts = [_read(table, file, block, known) for file in range(len(table.files))]
    table.check_unchanged()
    designs, blocks, values = (np.concatenate(side) for side in zip(*parts, strict=True))
    if len(table.names) * len(known) * values.shape[1] > _MOST:
        raise InputError(
            f"{len(table.names):,} designs on {len(known):,} blocks are more than fits; is {block!r} the column that "
            "designs share?"
        )
    complete = np.flatnonzero(~np.isnan(values).any(axis=1))
    times = np.zeros((len(table.names), len(known)), dtype=np.int64)
    np.add.at(times, (designs[complete], blocks[complete]), 1)
    if (times > 1).any() and not repetitions:
        design, place = np.argwhere(times > 1)[0]
        raise InputError(
            f"{table.names[design]!r} has {times[design, place]} rows for {block} {list(known)[place]!r}; if these are "
            "repetitions, to be averaged, say so with `repetitions=True`; else leave one."
        )
    sums = np.zeros((*times.shape, values.shape[1]))
    np.add.at(sums, (designs[complete], blocks[complete]), values[complete])
    with np.errstate(invalid="ignore"):
        averages = sums / np.where(times > 0, times, np.nan)[:, :, None]
    seen = np.flatnonzero(times.any(axis=0))
    return Blocked(
        table.names,
        tuple(np.array(list(known), dtype=object)[seen].tolist()),
        block,
        table.meaning,
        read_only(averages[:, seen]),
        table.rows,
        int(np.maximum(times - 1, 0).sum()),
        len(values) - len(complete),
        _binary(table.meaning, values[complete]),
    )


def _binary(meaning: Objectives, values: Floats) -> tuple[str, ...]:
    """The objectives that are 0 or 1 in every row."""
    own = meaning.own(values)
    return tuple(name for d, name in enumerate(meaning.names) if np.isin(own[:, d], (0.0, 1.0)).all())


def _read(table: LongTable, which: int, block: str, known: dict[str, int]) -> tuple[Indices, Indices, Floats]:
    """The rows of one file: numbers of designs, numbers of blocks, values; NaN where one is missing."""
    file = table.files[which]
    number = {name: k for k, name in enumerate(table.names)}
    designs = np.concatenate(
        [np.array([number[word] for word in words], dtype=np.intp)[codes] for codes, words in file.names()]
    )
    blocks: list[Indices] = []
    values: list[Floats] = []
    done = 0
    for row, columns in Piece(file.reader).blocks(file.objectives, block):
        try:
            codes, words = coded(columns[block], file.path, block, row)
        except InputError:
            raise InputError(f"{row_words(file.path, row)} or later, column {block!r} is empty; which block?") from None
        blocks.append(np.array([known.setdefault(word, len(known)) for word in words], dtype=np.intp)[codes])
        some = np.column_stack([file._column(columns[o.name], o, row) for o in file.meaning])
        if file.given is not None:  # what is known of a design stands in one of its rows at least
            some = file.given.filled(some, designs[done : done + len(some)], list(table.names))
        done += len(some)
        file._complete(some, row)  # refused where rows have to be complete
        values.append(file.meaning.steps(some))
    return designs, np.concatenate(blocks), np.concatenate(values)
