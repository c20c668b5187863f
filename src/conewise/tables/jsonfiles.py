"""JSON by columns, some records at a time: an array of objects, or one object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Final

from conewise import limits
from conewise.errors import InputError
from conewise.reading import lines_of, text_of
from conewise.tables.columns import wanted_columns


class JsonReader:
    """An array of objects, or one object a line; a column is any key of any record."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines = path.suffix.lower() in (".jsonl", ".ndjson")

    def columns(self) -> list[str]:
        """Their names, in the order in which they first come; all records are read for them."""
        return list(self._columns)

    @cached_property
    def _columns(self) -> dict[str, None]:
        found: dict[str, None] = {}
        records = 0
        for record in self._records():
            records += 1
            if not record.keys() <= found.keys():
                found |= dict.fromkeys(record)
                if len(found) > limits.MOST_COLUMNS:
                    raise InputError(f"{self._path.name} has more than {limits.MOST_COLUMNS} different keys.")
        if not records:
            raise InputError(f"{self._path.name} has no records.")
        return found

    def chunks(self, numbers: Sequence[str], name: str | None) -> Iterator[dict[str, Sequence[Any]]]:
        """The rows in order, some at a time; None where a record lacks a key."""
        records = self._records()
        while block := list(islice(records, limits.CHUNK_ROWS)):
            yield {column: [record.get(column) for record in block] for column in wanted_columns(numbers, name)}

    def _records(self) -> Iterator[dict[str, Any]]:
        for number, record in enumerate(self._parsed(), start=1):
            if not isinstance(record, dict):
                raise InputError(f"{self._path.name}, record {number} is not an object with named values.")
            yield record

    def _parsed(self) -> Iterator[Any]:
        if self._lines:
            yield from (loaded(line, f"{self._path.name}: line {n}") for n, line in lines_of(self._path))
            return
        text = text_of(self._path, remedy="write JSON lines (.jsonl) instead")
        data = loaded(text, f"{self._path.name}: the file")
        if not isinstance(data, list):
            raise InputError(f"{self._path.name} must hold an array of objects, one a design.")
        yield from data


def loaded(text: str, what: str) -> Any:
    """What a JSON text says; a key that stands twice in an object is refused, as one of the values would be lost."""
    try:
        found = _DECODER.decode(text)
        if "\\ud" in text or "\\uD" in text:  # half of a surrogate pair is no text, and nobody could print it
            json.dumps(found, ensure_ascii=False).encode()
    except _TwiceError as error:
        raise InputError(f"{what} has the key {error.args[0]!r:.60} twice in one object; rename one of them.") from None
    except UnicodeEncodeError:
        raise InputError(f"{what} has half a character in it (\\ud... alone).") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{what} is not valid JSON ({str(error)[:80]}).") from None
    return found


class _TwiceError(Exception):
    pass


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _TwiceError(next(key for place, key in enumerate(keys) if key in keys[:place]))
    return found


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object)  # once: making one takes longer than reading a line
