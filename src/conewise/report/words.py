"""What a cone means, in words, with the names of the objectives where they are known."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import Final

import numpy as np

from conewise.analysis.oddities import joined
from conewise.border import Floats
from conewise.cone.cone import Cone
from conewise.errors import InputError, printable
from conewise.tables.designs import signs

_LISTED: Final = 4  # objectives called by name in one sentence, terms written of one weighting
_RANGES: Final = 12  # objectives whose share of the weight is said
_LITTLE: Final = 1e-5  # a share of the weight that nobody states
_NOTHING: Final = 1e-12  # a part of a unit vector that is rounding
_DIGITS: Final = 4  # of a rate
_ROUNDED: Final = 1e-6  # of a rate: more than the room for rounding that stated directions are given


def describe(
    cone: Cone,
    objectives: Sequence[str] | None = None,
    minimised: Sequence[str] = (),
    units: Floats | Sequence[float] | None = None,
) -> list[str]:
    r"""A few plain sentences: when one design is better than another, and what that costs.

    With the names of the objectives the sentences use them, and say of a minimised one that it falls where it gains;
    with how much of each is one step, exchanges are amounts.

    >>> print(*describe(Cone([[1, 1], [1, 9]]), ["strength", "price"], ["price"])[:3], sep="\n")
    A design is better when it is at least as good under each of 2 weightings of strength and price.
    Wider than the componentwise order: a large enough gain in one objective pays for a loss in another.
    A rise of 1 in price is accepted for a rise of at least 9 in strength.
    """
    named = None if objectives is None else _Named(cone, objectives, minimised, units)
    if cone.dim == 1:
        return [_one(cone, named)]
    lines = [_comparison(cone, named), _width(cone)]
    if cone.dim == 2:
        lines += _exchange(cone, named)
    if (cone.facets >= 0).all():
        shares = cone.facets / cone.facets.sum(axis=1, keepdims=True)
        ranges = ", ".join(
            f"{named.names[d] if named else f'objective {d + 1}'} between {_percent(low)} and {_percent(high)}"
            for d, (low, high) in enumerate(zip(shares.min(axis=0), shares.max(axis=0), strict=True))
            if d < _RANGES
        )
        if cone.dim > _RANGES:
            ranges += f" and so on for {cone.dim - _RANGES:,} more"
        counted = ", counted in steps" if named and (named.units != 1).any() else ""
        lines.append(f"The weightings it respects give {ranges} of the weight{counted}.")
    beta = cone.complexity.beta
    more, squared = (f"up to {beta**2:.3g} times ", "beta^2, ") if beta > 1 + 1e-12 else ("", "")
    lines.append(
        f"With noise, {more}as many evaluations as under the componentwise order are enough for all means "
        f"({squared}beta = {beta:.6g})."
    )
    if cone != Cone.orthant(cone.dim):
        lines.append("Your designs may need more or fewer, since other designs are compared than under that order.")
    if named and (named.signs < 0).any():
        turned = [name for name, sign in zip(named.names, named.signs, strict=True) if sign < 0]
        lines.append(f"For {joined(turned)} less is better, so a gain there is a decrease.")
    return lines


def _percent(share: float) -> str:
    """A share of the weight; one that only makes room for rounding is none."""
    return f"{100 * share if share > _LITTLE else 0:.3g} %"


def weightings(cone: Cone, objectives: Sequence[str], minimised: Sequence[str] = ()) -> list[str]:
    """What is added up under each weighting (row of unit length), of the objectives as they are measured.

    >>> weightings(Cone([[1, 0], [3, 4]]), ["strength", "price"], ["price"])
    ['strength', '0.6 strength − 0.8 price']
    """
    named = _Named(cone, objectives, minimised)
    return [_sum(row * named.signs, named.names) for row in cone.facets]


class _Named:
    """Objectives that have names: as one can print them, with their signs."""

    def __init__(
        self,
        cone: Cone,
        objectives: Sequence[str],
        minimised: Sequence[str],
        units: Floats | Sequence[float] | None = None,
    ) -> None:
        if len(objectives) != cone.dim:
            raise InputError(f"the cone orders {cone.dim} objectives, but there are {len(objectives)} names for them.")
        self.names = [printable(name) for name in objectives]
        self.signs = signs(tuple(objectives), tuple(minimised))
        self.units = np.ones(cone.dim) if units is None else np.asarray(units, dtype=np.float64)

    def move(self, d: int, gain: bool) -> str:
        """What a gain or a loss looks like."""
        return "rise" if gain == (self.signs[d] > 0) else "fall"


def _one(cone: Cone, named: _Named | None) -> str:
    larger = cone.facets[0, 0] > 0
    if named is None:
        return "Larger is better." if larger else "Smaller is better."
    return f"{'Larger' if larger == (named.signs[0] > 0) else 'Smaller'} is better in {named.names[0]}."


def _comparison(cone: Cone, named: _Named | None) -> str:
    of = joined(named.names) if named and cone.dim <= _LISTED else f"the {cone.dim} objectives"
    return f"A design is better when it is at least as good under each of {len(cone.facets)} weightings of {of}."


def _width(cone: Cone) -> str:
    orthant = Cone.orthant(cone.dim)
    if cone == orthant:
        return "No objective may get worse: the classical componentwise order, with no exchange between objectives."
    if cone.includes(orthant):
        return "Wider than the componentwise order: a large enough gain in one objective pays for a loss in another."
    if orthant.includes(cone):
        return "Narrower than the componentwise order: gaining everywhere is not enough if the gain is too one-sided."
    return "Neither wider nor narrower than the componentwise order."


def _exchange(cone: Cone, named: _Named | None) -> list[str]:
    """For two objectives: the exchange rates at the two edges."""
    lines = []
    for ray, other in zip(cone.rays, cone.rays[::-1], strict=True):
        gain, loss = int(np.argmax(ray)), int(np.argmin(ray))
        if not (ray[loss] < -_NOTHING and ray[gain] > 0):
            continue
        # The rate grows from this edge into the cone, unless the cone lies on the side of losses.
        least = ray[gain] * other[loss] > ray[loss] * other[gain]
        given, got = (1.0, 1.0) if named is None else (named.units[loss], named.units[gain])
        rate = _rate(got * ray[gain] / -ray[loss], least)
        if named is None:
            lost, won, worse, better = f"objective {loss + 1}", f"objective {gain + 1}", "loss", "gain"
        else:
            lost, won, worse, better = (
                *(named.names[d] for d in (loss, gain)),
                *(named.move(d, d == gain) for d in (loss, gain)),
            )
        lines.append(f"A {worse} of {given:.6g} in {lost} is accepted for a {better} of {rate} in {won}.")
    return lines


def _rate(amount: float, least: bool) -> str:
    """Rounded to the side on which the exchange holds; a rate that was stated stays what it was."""
    room = _ROUNDED if least else -_ROUNDED
    shown = Context(_DIGITS, ROUND_CEILING if least else ROUND_FLOOR).create_decimal(repr(float(amount * (1 - room))))
    return f"{'at least' if least else 'at most'} {float(shown):.{_DIGITS}g}"


def _sum(weights: Floats, names: Sequence[str]) -> str:
    """The largest terms, in the order of the objectives."""
    there = np.flatnonzero(np.abs(weights) > _NOTHING)
    shown = np.sort(there[np.argsort(-np.abs(weights[there]), kind="stable")][:_LISTED])
    text = ""
    for d in shown.tolist():
        size = f"{abs(weights[d]):.3g}"
        term = names[d] if size == "1" else f"{size} {names[d]}"
        text += (" − " if weights[d] < 0 else " + ") + term if text else ("−" if weights[d] < 0 else "") + term
    return text if len(shown) == len(there) else f"{text} and {len(there) - len(shown)} smaller terms"
