"""What can go wrong, said in one sentence each: what was expected, what came, what to do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_LONGEST_QUOTE: Final = 60  # characters of a value in a sentence
_ALIKE: Final = 0.6  # the least likeness (difflib's ratio) of a name that is worth suggesting
_CLEARLY: Final = 0.05  # by how much the next one must be less alike: which of two it was is not for us to say


class ConewiseError(Exception):
    """Anything conewise refuses to do; catch this one to catch them all. It reads as one line, whatever it quotes."""

    def __str__(self) -> str:
        return printable(super().__str__())


class InputError(ConewiseError, ValueError):
    """An argument is not what the function needs; the sentence names it and says what to do."""


class ConeError(InputError):
    """The rows or rays do not describe an ordering cone (closed, convex, pointed, with an interior)."""


def printable(text: str) -> str:
    """Text that was quoted from somebody's file, as one line that can neither break a line nor steer a terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in text)


def shown(value: object) -> str:
    """A value as a sentence quotes it: short, and safe whatever it is (Python writes out no number of 5000 digits)."""
    try:
        text = repr(value)
    except Exception:  # whatever a stranger's value does when it is asked what it is
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}..."


def counted(number: int, what: str = "evaluation") -> str:
    """The number, and what it counts, in the plural unless it is one.

    >>> counted(1), counted(1200, "design")
    ('1 evaluation', '1,200 designs')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def from_extra(extra: str) -> str:
    """How to get what only an extra brings. The name is on no index of ours, so a checkout is where it comes from."""
    return f"run pip install '.[{extra}]' in a checkout of conewise"


def closest(word: str, known: Iterable[str]) -> str | None:
    """The one name that was probably meant: equal but for its case and spaces, or more alike than all others."""
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
