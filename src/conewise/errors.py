"""What can go wrong, said in one sentence each: what was expected, what came, what to do."""

from __future__ import annotations


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


def from_extra(extra: str) -> str:
    """How to get what only an extra brings. The name is on no index of ours, so a checkout is where it comes from."""
    return f"run pip install '.[{extra}]' in a checkout of conewise"
