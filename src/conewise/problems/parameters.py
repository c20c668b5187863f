"""Define parameters of a design: ranges of numbers, whole numbers and lists, each mapped to places between 0 and 1.

(20, 90)               a number between 20 and 90
(1e-4, 1e-1, "log")    a number on a logarithmic scale: ratios matter, not differences
range(1, 9)            a whole number from 1 to 8, as Python has it
[8, 16, 32]            one of these numbers
["oil", "water"]       one of these words, all equally far from each other

TOML and JSON have no tuples; write {"from": 20, "to": 90}, with "scale": "log" or "whole": true.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Final

import numpy as np

from conewise.border import Floats, Indices, unit_interval
from conewise.errors import InputError, shown

MOST_CATEGORIES: Final = 64
"""Largest number of words in a list. More are names, from which a model cannot learn."""
MOST_VALUES: Final = 10_000
"""Largest number of numbers in a list. For more, use a range."""
_APART: Final = math.sqrt(0.5)  # entry of an indicator: two different words are a distance of 1 apart
_KEYS: Final = ("from", "to", "scale", "whole")
_FORMS: Final = '(20, 90), (1e-4, 1e-1, "log"), range(1, 9), [8, 16, 32] or ["oil", "water"]'


@dataclass(frozen=True)
class Parameter:
    """One parameter: its choices, and the place of each choice between 0 and 1."""

    name: str
    low: float = 0.0
    high: float = 1.0
    logarithmic: bool = False
    values: tuple[Any, ...] = ()
    """The choices of a list; empty for a range of numbers."""

    @property
    def words(self) -> bool:
        """True if the choices are words, which have no order."""
        return any(isinstance(value, str) for value in self.values)

    @property
    def width(self) -> int:
        """Number of feature columns: one, or an indicator for each word."""
        return len(self.values) if self.words else 1

    def at(self, places: Floats) -> list[Any]:
        """Return the choices at places between 0 and 1; each entry of a list has an equal share.

        >>> Parameter("size", values=(8, 16)).at(np.array([0.2, 0.7]))
        [8, 16]
        """
        if self.values:
            return [self.values[k] for k in self._chosen(places)]
        low, high = (math.log(self.low), math.log(self.high)) if self.logarithmic else (self.low, self.high)
        found = low + (high - low) * places
        return [float(x) for x in np.clip(np.exp(found) if self.logarithmic else found, self.low, self.high)]

    def placed(self, choices: Sequence[Any]) -> Floats:
        """Return the places of choices; `at` inverts this.

        >>> Parameter("heat", 20, 90).placed([20, 55, 90]).tolist()
        [0.0, 0.5, 1.0]
        """
        if self.values:
            order = {value: k for k, value in enumerate(self.values)}
            return (np.array([order[choice] for choice in choices], dtype=np.float64) + 0.5) / len(self.values)
        found, low, high = np.array(choices, dtype=np.float64), self.low, self.high
        if self.logarithmic:
            found, low, high = np.log(found), math.log(low), math.log(high)
        return np.clip((found - low) / (high - low), 0.0, 1.0)

    def written(self) -> dict[str, Any] | list[Any]:
        """Return the parameter as plain data for text files; `as_parameters` reads it back."""
        if self.values:
            return list(self.values)
        return {"from": self.low, "to": self.high, **({"scale": "log"} if self.logarithmic else {})}

    def snapped(self, places: Floats) -> Floats:
        """Return places at which equal choices have equal places: the middles of the shares of a list."""
        clipped = np.clip(places, 0.0, 1.0)
        return np.asarray((self._chosen(clipped) + 0.5) / len(self.values) if self.values else clipped)

    def features(self, places: Floats) -> Floats:
        """Return features for a model, (n, width), between 0 and 1 and independent of the candidates."""
        if not self.values:
            return np.asarray(places)[:, None]
        chosen = self._chosen(places)
        if self.words:
            return np.asarray(_APART * np.eye(len(self.values))[chosen])
        numbers = np.array(self.values, dtype=np.float64)
        return unit_interval(numbers)[chosen][:, None]

    def _chosen(self, places: Floats) -> Indices:
        return np.minimum((np.asarray(places) * len(self.values)).astype(np.intp), len(self.values) - 1)


def as_parameters(given: Any) -> tuple[Parameter, ...]:
    """Return the parameters of a dict of ranges and lists.

    >>> [p.name for p in as_parameters({"temp": (20, 90), "layers": range(1, 4)})]
    ['temp', 'layers']
    """
    if not isinstance(given, Mapping):
        raise InputError(f'a box is a dict such as {{"temp": (20, 90)}}, got {shown(given)}.')
    if not given:
        raise InputError('the box is empty: name at least one parameter, such as {"temp": (20, 90)}.')
    stranger = next((name for name in given if not isinstance(name, str) or not name), None)
    if stranger is not None:
        raise InputError(f"parameters have texts for names, got {shown(stranger)}.")
    return tuple(_parameter(name, choice) for name, choice in given.items())


def _parameter(name: str, given: Any) -> Parameter:
    if isinstance(given, range | list):
        try:
            count = len(given)
        except OverflowError:  # a range that is longer than any list
            count = MOST_VALUES + 1
        if count > MOST_VALUES:
            raise InputError(f"the parameter {shown(name)} lists more than {MOST_VALUES} numbers: write (first, last).")
        return Parameter(name, values=_several(name, tuple(given)))
    if isinstance(given, Mapping):
        return _parameter(name, _stated(name, given))
    if isinstance(given, tuple) and len(given) in (2, 3):
        return _range(name, given)
    raise InputError(f"the parameter {shown(name)} must be {_FORMS}, got {shown(given)}.")


def _stated(name: str, given: Mapping[str, Any]) -> tuple[Any, ...] | range:
    """Return the range of a mapping with from, to, and optionally scale or whole."""
    stranger = next((key for key in given if key not in _KEYS), None)
    if stranger is not None or not {"from", "to"} <= given.keys():
        what = "lacks from or to" if stranger is None else f"has {shown(stranger)}"
        raise InputError(
            f"the parameter {shown(name)} {what}; write from = 20, to = 90, and scale or whole if need be."
        )
    low, high = given["from"], given["to"]
    if not given.get("whole", False):
        return (low, high, given["scale"]) if "scale" in given else (low, high)
    if given["whole"] is not True or "scale" in given or not all(type(end) is int for end in (low, high)):
        raise InputError(
            f"the parameter {shown(name)} has whole = {shown(given['whole'])}, which is true beside two whole numbers "
            "from and to, and without a scale."
        )
    return range(low, high + 1)


def _range(name: str, given: tuple[Any, ...]) -> Parameter:
    low, high = (_number(entry) for entry in given[:2])
    if low is None or high is None:
        raise InputError(
            f"the parameter {shown(name)} must run from one finite number to another, got {shown(given)}; "
            "write what is to be chosen from as a list."
        )
    logarithmic = len(given) == 3
    if logarithmic and given[2] != "log":
        raise InputError(f'the scale of the parameter {shown(name)} may be "log" or left out, got {shown(given[2])}.')
    if low >= high:
        raise InputError(
            f"the parameter {shown(name)} must run from a smaller to a larger number, got {low:g} to {high:g}."
        )
    if logarithmic and low <= 0:
        raise InputError(f"the parameter {shown(name)} has a logarithmic scale, so it must begin above 0, not {low:g}.")
    if not math.isfinite(high - low):
        raise InputError(f"the parameter {shown(name)} runs too far, from {low:g} to {high:g}; use another unit.")
    return Parameter(name, low, high, logarithmic)


def _several(name: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the choices of a list: at least two different values, all numbers or all words."""
    numbers = [_number(value) for value in values]
    if not (all(isinstance(v, str) for v in values) or all(n is not None for n in numbers)):
        odd = next(v for v, n in zip(values, numbers, strict=True) if n is None)
        raise InputError(f"the parameter {shown(name)} must be a list of numbers or one of words; {shown(odd)} came.")
    if len(values) < 2:
        raise InputError(
            f"the parameter {shown(name)} leaves {len(values)} to choose from; list at least two, or leave it out."
        )
    if len(set(values)) < len(values):
        twice = next(v for k, v in enumerate(values) if v in values[:k])
        raise InputError(f"the parameter {shown(name)} lists {shown(twice)} twice.")
    if isinstance(values[0], str) and len(values) > MOST_CATEGORIES:
        raise InputError(f"the parameter {shown(name)} lists {len(values)} words; at most {MOST_CATEGORIES} can be.")
    return values


def _number(value: Any) -> float | None:
    """Return a finite number as float, or None if the value is no number; True and False are none."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
