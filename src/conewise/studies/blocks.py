"""The blocks that the designs of a study meet: one order for all, drawn at random before anybody looks.

The n-th evaluation of every design is its value on the n-th block of that order. So an evaluation's identity names its
block, and a design that has told its first n evaluations has read a prefix (docs/blocks).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from conewise.analysis.blocks import ALL, population_of
from conewise.border import as_count
from conewise.errors import InputError, closest, shown
from conewise.limits import MOST_DESIGNS
from conewise.problems.recorded import as_population
from conewise.studies.texts import as_label
from conewise.tables.names import first_repeated

_NAMES_SEARCHED: Final = 10_000  # for the one that was meant
_STREAM: Final = 0xB10C  # the order has random numbers of its own, apart from those of the evaluations' seeds


@dataclass(frozen=True)
class StudyBlocks:
    """What a block is called, the blocks in the order in which every design meets them, and what averages are over."""

    column: str
    names: tuple[str, ...]
    population: int | None
    """How many blocks the averages are over; None for an unlimited population."""

    @property
    def n_blocks(self) -> int:
        """How many there are to meet."""
        return len(self.names)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    def number(self, name: Any) -> int:
        """The place of a block in the order."""
        text = str(name)
        if text not in self._numbers:
            near = closest(text[:60], self._numbers) if self.n_blocks <= _NAMES_SEARCHED else None
            hint = f"; did you mean {near!r:.60}?" if near is not None else "."
            raise InputError(f"there is no {self.column} called {text!r:.60} in this study{hint}")
        return self._numbers[text]

    def to_dict(self) -> dict[str, Any]:
        """Plain text and numbers, the order among them."""
        return {"column": self.column, "names": list(self.names), "population": self.population}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> StudyBlocks:
        """What `to_dict` wrote."""
        names = checked_blocks(data["names"])
        population = data["population"]
        return cls(
            as_label(data["column"], "block"),
            names,
            None if population is None else as_population(as_count(population, "population"), len(names)),
        )


def drawn_blocks(block: Any, blocks: Any, population: Any, seed: int, taken: Iterable[str]) -> StudyBlocks | None:
    """Blocks from a user's arguments, in an order that the seed draws; None where the study has none.

    `blocks` are names, or how many there are; left out, they are as many as the population. `taken` are names of
    columns that are something else.
    """
    if block is None:
        if blocks is not None or population is not None:
            raise InputError('`blocks` and `population` belong to blocks: say what one is, as in `block="question"`.')
        return None
    column = as_label(block, "block")
    if column.lower() in {name.lower() for name in taken}:
        raise InputError(f"block is called {column!r}, which is another column of the study's tables; rename it.")
    if blocks is None and (population is None or population == ALL):
        raise InputError(
            f"say which blocks there are, or how many: blocks=[...] or blocks=500 (the {column}s that designs meet)."
        )
    names = checked_blocks(population if blocks is None else blocks)
    order = np.random.default_rng([seed, _STREAM]).permutation(len(names))
    return StudyBlocks(column, tuple(names[k] for k in order), population_of(population, len(names)))


def checked_blocks(blocks: Any) -> tuple[str, ...]:
    """Distinct names; "1", "2", ... where a number says how many."""
    if isinstance(blocks, int | np.integer) and not isinstance(blocks, bool):
        return tuple(str(q + 1) for q in range(as_count(blocks, "blocks", maximum=MOST_DESIGNS)))
    if isinstance(blocks, str | bytes | Mapping) or not (isinstance(blocks, Sequence) or np.ndim(blocks) == 1):
        raise InputError(f"blocks must be names, or how many there are, got {shown(blocks)}.")
    names = tuple(as_label(str(name) if isinstance(name, int | np.integer) else name, "a block") for name in blocks)
    if not names:
        raise InputError("blocks must be at least 1, got none.")
    if (twice := first_repeated(list(names))) is not None:
        raise InputError(f"two blocks are called {twice!r:.60}; a name is a block's identity.")
    return names
