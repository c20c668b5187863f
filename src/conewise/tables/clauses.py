"""Short conditions in text, read without evaluating anything: `price < 1000 and fuel == diesel`, `toxicity<=3`.

A clause is a column, an operator and a value. A column or a value that holds an operator, a quote or the word "and"
stands in double quotes, where two of them are one: `"a<b" >= 3`.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from conewise.border import Bools, as_decimal, refuse_comma
from conewise.errors import InputError, shown
from conewise.tables.columns import row_words

_COMPARISONS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "=": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
}
_AND: Final = re.compile(r"\s+and\s+", re.IGNORECASE)
_LONGEST: Final = 10_000  # characters of a condition


@dataclass(frozen=True)
class Clause:
    """A column, an operator and a value, which is a number where its text is one and not quoted."""

    column: str
    sign: str
    value: float | str

    def __str__(self) -> str:
        value = f"{self.value:.12g}" if isinstance(self.value, float) else self.value
        return f"{self.column} {self.sign} {value}"


@dataclass(frozen=True)
class Where:
    """Clauses that a row has to meet, all of them."""

    clauses: tuple[Clause, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that they read, each once."""
        return tuple(dict.fromkeys(clause.column for clause in self.clauses))

    def accepts(self, columns: Mapping[str, Sequence[Any]], path: Path, first_row: int) -> Bools:
        """(n,): which rows meet every clause; an empty entry meets none."""
        rows = len(next(iter(columns.values())))
        mask = np.ones(rows, dtype=bool)
        for clause in self.clauses:
            compare = _COMPARISONS[clause.sign]
            for row, entry in enumerate(columns[clause.column]):
                if mask[row]:
                    mask[row] = _met(compare, entry, clause, path, first_row + row)
        return mask

    def __str__(self) -> str:
        return " and ".join(map(str, self.clauses))


def parse_where(text: str) -> Where:
    """The clauses of a condition.

    >>> str(parse_where('price (EUR) < 1000 and "a, b" == "x and y"'))
    'price (EUR) < 1000 and a, b == x and y'
    """
    if not isinstance(text, str) or not text.strip() or len(text) > _LONGEST:
        raise InputError(f"a condition such as 'price < 1000' was expected, got {shown(text)}.")
    return Where(tuple(parse_clause(part, tuple(_COMPARISONS), "condition") for part in _parts(text)))


def parse_clause(text: str, signs: Sequence[str], what: str) -> Clause:
    """One clause, with one of these operators.

    >>> parse_clause("price (EUR)=500", ("=",), "unit")
    Clause(column='price (EUR)', sign='=', value=500.0)
    """
    shown, quotes = _quotes_hidden(text)
    found = re.search("|".join(sorted(map(re.escape, _COMPARISONS), key=len, reverse=True)), shown)
    example = f"'price {signs[0]} 500'"
    if found is not None and found[0] not in signs:
        raise InputError(
            f"a {what} has {' or '.join(signs)}, such as {example}, got {found[0]} in {text.strip()[:60]!r}."
        )
    if found is None or not shown[: found.start()].strip() or not shown[found.end() :].strip():
        raise InputError(
            f"a {what} is written {example}, a name that holds an operator in double quotes; got {text.strip()[:60]!r}."
        )
    column, value = (part.strip() for part in (shown[: found.start()], shown[found.end() :]))
    rest = re.search("|".join(map(re.escape, _COMPARISONS)), value)
    if rest is not None:
        raise InputError(f"a {what} has one operator, got {text.strip()[:60]!r}; put names that hold one in quotes.")
    name = str(_restored(column, quotes))
    return Clause(name, found[0], _value(value, quotes, f"{what} of {name[:60]!r}"))


def _parts(text: str) -> list[str]:
    """The clauses between the words "and" outside of quotes."""
    shown, quotes = _quotes_hidden(text)
    return [_with_quotes(part, quotes) for part in _AND.split(shown)]


def _quotes_hidden(text: str) -> tuple[str, list[str]]:
    """The text with a mark in the place of each quoted part, and these parts."""
    quotes: list[str] = []

    def hide(match: re.Match[str]) -> str:
        quotes.append(match[1].replace('""', '"'))
        return f"\0{len(quotes) - 1}\0"

    if "\0" in text:
        raise InputError("a condition holds a character that is no text.")
    shown = re.sub(r'"((?:[^"]|"")*)"', hide, text)
    if '"' in shown:
        raise InputError(f"a quote is opened and never closed in {text.strip()[:60]!r}; close it.")
    return shown, quotes


def _restored(text: str, quotes: Sequence[str]) -> str:
    return re.sub("\0([0-9]+)\0", lambda match: quotes[int(match[1])], text)


def _with_quotes(text: str, quotes: Sequence[str]) -> str:
    return re.sub("\0([0-9]+)\0", lambda match: '"' + quotes[int(match[1])].replace('"', '""') + '"', text)


def _value(text: str, quotes: Sequence[str], what: str) -> float | str:
    if "\0" in text:
        return _restored(text, quotes)
    try:
        number = as_decimal(text)
    except ValueError:
        refuse_comma(text)
        return text
    if not math.isfinite(number):
        raise InputError(f"the {what} must be finite, got {text[:60]!r}.")
    return number


def _met(compare: Callable[[Any, Any], bool], entry: Any, clause: Clause, path: Path, row: int) -> bool:
    if entry is None or (isinstance(entry, str) and not entry.strip()) or entry != entry:  # NaN differs from itself
        return False
    if isinstance(clause.value, str):
        return _text_met(compare, entry, clause)
    try:
        number = as_decimal(entry) if isinstance(entry, str) else float(entry)
    except (TypeError, ValueError):
        if clause.sign in ("==", "=", "!="):
            return clause.sign == "!="
        raise InputError(
            f"{row_words(path, row)}, column {clause.column!r} holds {str(entry)[:40]!r}, which cannot be compared "
            f"with the number {clause.value:.12g}."
        ) from None
    return bool(compare(number, clause.value))


def _text_met(compare: Callable[[Any, Any], bool], entry: Any, clause: Clause) -> bool:
    if clause.sign not in ("==", "=", "!="):
        raise InputError(f"{clause.column!r} is compared with the text {clause.value!r:.60}; only == and != do that.")
    return bool(compare(str(entry).strip(), clause.value))
