"""What can go wrong, said in one sentence each: what was expected, what came, what to do."""

from __future__ import annotations


class ConewiseError(Exception):
    """Anything conewise refuses to do; catch this one to catch them all."""


class InputError(ConewiseError, ValueError):
    """An argument is not what the function needs; the sentence names it and says what to do."""


class ConeError(InputError):
    """The rows or rays do not describe an ordering cone (closed, convex, pointed, with an interior)."""
