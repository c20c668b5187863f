"""Read statements in text form: "accept: 100 price for 1000 speed", "prefer: A > B", "ranked: speed, price".

Objectives are recognised by their own names, the longest first, so a name may contain spaces, commas and signs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from conewise.border import as_decimal, refuse_comma
from conewise.errors import InputError, shown
from conewise.preferences.statements import Speaker, Statement

_NUMBER: Final = re.compile(r"\s*([+-]?(?:[0-9]+(?:\.[0-9]*|,[0-9]+(?=[\s%,]|$))?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*")
_NEXT: Final = re.compile(r"\s*(?:,|\band\b)\s*")
_KINDS: Final = ("accept", "prefer", "importance", "ranked", "never", "undecided")
_FORMS: Final = (
    '"accept: 100 price for 1000 speed", "prefer: A > B", "importance: price=20%, speed=30%", "ranked: speed, price", '
    '"never: toxicity" or "undecided: A ? B"'
)


def read(speaker: Speaker, text: str, designs: Mapping[str, Any]) -> Statement:
    """Return the statement that a text spells. Designs are looked up by name or given by their values."""
    kind, colon, rest = text.partition(":")
    kind, rest = kind.strip().lower(), rest.strip()
    if not colon or kind not in _KINDS or not rest:
        raise InputError(f"a statement was expected, such as {_FORMS}, got {shown(text)}.")
    if kind == "accept":
        give, left = _amounts(speaker, rest)
        word = re.match(r"\s*for\b\s*", left)
        get, left = _amounts(speaker, left[word.end() :]) if word else ({}, left)
        if left.strip() or not get:
            raise InputError(
                f'an exchange is written "100 price for 1000 speed" with the names {", ".join(speaker.names)[:120]}, '
                f"got {shown(rest)}."
            )
        return speaker.exchange(give, get)
    if kind == "importance":
        shares, left = _pairs(speaker, rest)
        if left.strip():
            named = ", ".join(speaker.names)[:120]
            raise InputError(f'shares are written "price=20%, speed=30%" with the names {named}, got {shown(rest)}.')
        return speaker.importance(shares)
    if kind == "ranked":
        return speaker.ranked(_names(speaker, rest)[0])
    if kind == "never":
        give_names, left = _names(speaker, rest, strict=False)
        word = re.match(r"\s*for\b\s*", left)
        get_names, left = _names(speaker, left[word.end() :], strict=False) if word else ([], left)
        if left.strip() or (word and not get_names):
            raise InputError(f'what is never given is written "never: toxicity", got {shown(rest)}.')
        return speaker.never(give_names, get_names)
    one, two, names = _designs(speaker, rest, ">" if kind == "prefer" else ("?" if " ? " in rest else ","), designs)
    return speaker.choice(one, two, names) if kind == "prefer" else speaker.undecided(one, two, names)


def _designs(
    speaker: Speaker, text: str, mark: str, designs: Mapping[str, Any]
) -> tuple[Any, Any, tuple[str, str] | None]:
    """Return two designs with a mark between them, split at the first mark with a known design on each side."""
    at = [k for k in range(len(text)) if text.startswith(mark, k)]
    for k in at:
        one, two = text[:k].strip(), text[k + len(mark) :].strip()
        if one in designs and two in designs:
            return designs[one], designs[two], (one, two)
    for k in at:
        one, two = text[:k].strip(), text[k + len(mark) :].strip()
        first, left = _pairs(speaker, one, number=True)
        second, rest = _pairs(speaker, two, number=True)
        if first and second and not left.strip() and not rest.strip():
            return first, second, None
    if not at:
        raise InputError(f'a choice is written "A > B", got {shown(text)}.')
    spelled = f'"{speaker.names[0]}=1, ... {mark} {speaker.names[0]}=2, ..."'
    if not designs:
        raise InputError(f"values of designs are not known here: spell both out, as in {spelled}, got {shown(text)}.")
    words = [part.strip() for part in text.split(mark, 1)]
    unknown = next((part for part in words if part not in designs), words[0])
    raise InputError(
        f"no design is called {shown(unknown)}; name two designs of the table, or their values as in {spelled}."
    )


def _name_at(speaker: Speaker, text: str) -> tuple[str, str] | None:
    """Return the longest objective name at the start of a text, bare or quoted, and the rest of the text."""
    for name in sorted(speaker.names, key=len, reverse=True):
        for form in (f'"{name}"', name):
            rest = text[len(form) :]
            if text.startswith(form) and (not rest or not (rest[0].isalnum() or rest[0] == "_")):
                return name, rest
    return None


def _amounts(speaker: Speaker, text: str) -> tuple[dict[str, float], str]:
    """Return amounts such as "100 price, 2 weight", and the rest of the text."""

    def one(text: str) -> tuple[str, float, str] | None:
        number = _NUMBER.match(text)
        named = _name_at(speaker, text[number.end() :]) if number else None
        if number is None or named is None:
            return None
        refuse_comma(number[1])
        return named[0], as_decimal(number[1]), named[1]

    return _series(text, one)


def _pairs(speaker: Speaker, text: str, *, number: bool = False) -> tuple[dict[str, float], str]:
    """Return shares such as "price=20%, speed=30%" and the rest of the text. `number=True` reads plain values."""

    def one(text: str) -> tuple[str, float, str] | None:
        named = _name_at(speaker, text.lstrip())
        equals = re.match(r"\s*=", named[1]) if named else None
        value = _NUMBER.match(named[1][equals.end() :]) if named and equals else None
        if named is None or equals is None or value is None:
            return None
        refuse_comma(value[1])
        rest = named[1][equals.end() + value.end() :]
        percent = rest.startswith("%") and not number
        return named[0], as_decimal(value[1]) / (100 if percent else 1), rest[1:] if percent else rest

    return _series(text, one, ends_at_repeated=number)


def _series(
    text: str, one: Callable[[str], tuple[str, float, str] | None], *, ends_at_repeated: bool = False
) -> tuple[dict[str, float], str]:
    """Return what `one` reads, as often as it reads something, and the rest of the text."""
    found: dict[str, float] = {}
    while (read := one(text)) is not None:
        name, value, rest = read
        if name in found and ends_at_repeated:  # where the second design begins
            break
        if name in found:
            raise InputError(f"a statement names an objective once, got {shown(name)} twice; leave one out.")
        found[name], text = value, rest
        if (again := _NEXT.match(text)) is None:
            break
        text = text[again.end() :]
    return found, text


def _names(speaker: Speaker, text: str, *, strict: bool = True) -> tuple[list[str], str]:
    """Return names such as "speed, price", and the rest of the text."""
    found: list[str] = []
    while True:
        named = _name_at(speaker, text.lstrip())
        if named is None:
            if strict or not found:
                speaker.place(text.split(",")[0].strip())
            return found, text
        found.append(named[0])
        text = named[1]
        again = _NEXT.match(text)
        if again is None:
            if strict and text.strip():
                raise InputError(f"names are separated by commas, got {shown(text)} after {found[-1]}.")
            return found, text
        text = text[again.end() :]
