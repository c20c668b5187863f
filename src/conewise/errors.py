"""Define the exceptions and the helpers that write messages: what was expected, what came, what to do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_LONGEST_QUOTE: Final = 60  # characters of a value quoted in a message
_ALIKE: Final = 0.6  # least similarity (difflib's ratio) of a name that is suggested
_CLEARLY: Final = 0.05  # suggest nothing if the next name is within this similarity: either could be meant


class ConewiseError(Exception):
    """Base class of all errors of conewise. Messages are always one line, whatever they quote."""

    def __str__(self) -> str:
        return printable(super().__str__())


class InputError(ConewiseError, ValueError):
    """Raised when an argument is not what the function needs; the message names it and says what to do."""


class ConeError(InputError):
    """Raised when rows or rays do not describe an ordering cone (closed, convex, pointed, with an interior)."""


def printable(text: str) -> str:
    """Return quoted text as one line, with control characters replaced so that it cannot steer a terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in text)


def shown(value: object) -> str:
    """Return a value as quoted in a message: cut to a fixed length, whatever the value's repr does."""
    try:
        text = repr(value)
    except Exception:  # the repr of a foreign class may raise anything
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}..."


def counted(number: int, what: str = "evaluation") -> str:
    """Return a number with its noun, in the plural unless the number is one.

    >>> counted(1), counted(1200, "design")
    ('1 evaluation', '1,200 designs')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def from_extra(extra: str) -> str:
    """Return how to install an extra. The package is on no index, so the command runs in a checkout."""
    return f"run pip install '.[{extra}]' in a checkout of conewise"


def closest(word: str, known: Iterable[str]) -> str | None:
    """Return the one known name that was probably meant, ignoring case, spaces and hyphens; None if that is unclear."""
    from difflib import SequenceMatcher

    names = list(known)
    wanted = _plain(word)
    same = [name for name in names if _plain(name) == wanted]
    if same:
        return same[0] if len(same) == 1 else None
    matcher = SequenceMatcher(b=wanted)
    likeness = []
    for name in names:
        matcher.set_seq1(_plain(name))
        if matcher.real_quick_ratio() >= _ALIKE and matcher.quick_ratio() >= _ALIKE:
            likeness.append((matcher.ratio(), name))
    likeness.sort(reverse=True)
    if not likeness or likeness[0][0] < _ALIKE:
        return None
    return None if len(likeness) > 1 and likeness[1][0] > likeness[0][0] - _CLEARLY else likeness[0][1]


def _plain(word: str) -> str:
    return " ".join(word.casefold().replace("_", " ").replace("-", " ").split())
