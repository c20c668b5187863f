"""Changes of what a study asks, as values and as journal entries: designs, epsilon, the most evaluations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

from conewise._arrays import as_count, as_epsilon
from conewise.errors import ConewiseError, InputError, shown
from conewise.studies.spec import Row, checked_designs
from conewise.studies.storage.journal import CHANGES, Entry

Kind = Literal["add", "drop", "change"]

_KEYS: Final[dict[str, frozenset[str]]] = {
    "add": frozenset({"designs", "rows", "unseen", "reason"}),
    "drop": frozenset({"dropped", "unseen", "reason"}),
    "change": frozenset({"epsilon", "max_evaluations", "reason"}),
}


@dataclass(frozen=True)
class Change:
    """One change; what does not belong to its kind is empty."""

    kind: Kind
    designs: tuple[str, ...] = ()
    """The names of the designs that are added."""
    rows: tuple[Row, ...] = ()
    dropped: tuple[int, ...] = ()
    """The designs that are dropped, by the numbers in their evaluations' ids."""
    epsilon: float | None = None
    max_evaluations: int | None = None
    unseen: bool = False
    """Whether it was decided without regard to any value of the study."""
    reason: str = ""

    def to_note(self) -> str:
        """The text that stands in the journal."""
        data = {key: value for key in sorted(_KEYS[self.kind]) if (value := getattr(self, key)) not in (None, (), "")}
        return json.dumps(data, allow_nan=False, ensure_ascii=False)

    @classmethod
    def of(cls, entry: Entry) -> Change:
        """What an entry says; ValueError where it says nothing that `to_note` could have written."""
        if entry.kind not in CHANGES:
            raise ValueError(f"the kind {entry.kind!r:.20} is no change")
        try:
            data = json.loads(entry.note)
            if not isinstance(data, dict) or not data.keys() <= _KEYS[entry.kind]:
                raise ValueError("unknown keys")
            data["designs"], data["rows"] = _designs(data.get("designs", []), data.get("rows"))
            data["dropped"] = tuple(as_count(k, "a design", minimum=0) for k in data.get("dropped", []))
            if data.get("epsilon") is not None:
                data["epsilon"] = as_epsilon(data["epsilon"])
            if data.get("max_evaluations") is not None:
                data["max_evaluations"] = as_count(data["max_evaluations"], "max_evaluations")
            return cls(cast(Kind, entry.kind), **data)
        except (ConewiseError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise ValueError(f"a change cannot be read ({str(error)[:60]})") from None


def _designs(names: Any, rows: Any) -> tuple[tuple[str, ...], tuple[Row, ...]]:
    if not names:
        return (), ()
    plain = [{"name": name} for name in names]
    return checked_designs(plain if rows is None else rows, names, least=1)


def added(designs: Any, known: Sequence[str], unseen: bool, reason: str) -> Change:
    """Designs to add, as `Study.create` takes them, none of which a study has or had."""
    if isinstance(designs, str | bytes | int):
        raise InputError(f"designs to add are a list of names or rows, or a frame, got {shown(designs)}.")
    names, rows = checked_designs(designs, least=1, known=known)
    return Change("add", names, rows, unseen=unseen, reason=reason)
