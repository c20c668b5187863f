"""Assumptions about the noise as plain text and numbers, for JSON and TOML."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from conewise import noise as noises
from conewise.border import Floats, as_decimal, refuse_comma
from conewise.errors import InputError, shown

_KINDS: Final[dict[str, tuple[type[noises.Noise], tuple[str, ...]]]] = {
    "gaussian": (noises.Gaussian, ("sigma", "cov")),
    "subgaussian": (noises.SubGaussian, ("sigma",)),
    "norm_subgaussian": (noises.NormSubGaussian, ("sigma",)),
    "bounded": (noises.Bounded, ("low", "high")),
    "gaussian_unknown": (noises.GaussianUnknown, ("resolution", "stated")),
    "binary": (noises.Binary, ()),
    "known": (noises.Known, ()),
}
_FORMS: Final = "unknown, unknown:STEP, binary, known, gaussian:SIGMA, subgaussian:SIGMA or bounded:LOW:HIGH"
_TEXTS: Final[dict[str, tuple[Callable[..., noises.Noise], tuple[int, ...]]]] = {
    "unknown": (noises.GaussianUnknown, (0, 1)),
    "binary": (noises.Binary, (0,)),
    "known": (noises.Known, (0,)),
    "gaussian": (noises.Gaussian, (1,)),
    "subgaussian": (noises.SubGaussian, (1,)),
    "bounded": (noises.Bounded, (2,)),
}


def noise_to_dict(noise: noises.Noise) -> dict[str, Any]:
    """An assumption as plain text and numbers, for JSON or TOML.

    >>> noise_to_dict(noises.Gaussian([0.1, 0.2]))
    {'kind': 'gaussian', 'sigma': [0.1, 0.2]}
    """
    if type(noise) is noises.ByObjective:
        return {"kind": "by_objective", "each": [noise_to_dict(each) for each in noise.each]}
    for kind, (cls, parts) in _KINDS.items():
        if type(noise) is cls:
            given = {part: value for part in parts if (value := getattr(noise, part)) is not None and value is not True}
            return {"kind": kind, **{part: np.asarray(value).tolist() for part, value in given.items()}}
    raise InputError(f"noise {type(noise).__name__} cannot be stored in a study; use one of {', '.join(_KINDS)}.")


def noise_from_dict(data: Mapping[str, Any]) -> noises.Noise:
    """The assumption that `noise_to_dict` wrote.

    >>> noise_from_dict({"kind": "bounded", "low": 0, "high": 1})
    Bounded(0.0, 1.0)
    """
    kind = data.get("kind") if isinstance(data, Mapping) else None
    if kind == "by_objective" and isinstance(data.get("each"), list) and len(data) == 2:
        return noises.ByObjective([noise_from_dict(each) for each in data["each"]])
    if not isinstance(kind, str) or kind not in _KINDS:
        raise InputError(f"the kind of the noise must be one of {', '.join(_KINDS)}, got {kind!r:.60}.")
    cls, parts = _KINDS[kind]
    given = {key: value for key, value in data.items() if key != "kind"}
    stray = next((key for key in given if key not in parts), None)
    if stray is not None:
        takes = f"it takes {' or '.join(parts)}" if parts else "it takes nothing"
        raise InputError(f"noise of the kind {kind!r} has no {stray!r}; {takes}.")
    try:
        return cls(**given)
    except TypeError:
        raise InputError(f"noise of the kind {kind!r} needs {' and '.join(parts)}.") from None


def no_assumption(given: object) -> InputError:
    """The refusal of what says nothing about noise."""
    return InputError(
        "noise must be an assumption such as noise.Gaussian(0.1) or noise.GaussianUnknown(), or its dictionary, got "
        f"{shown(given)}."
    )


def parse_noise(text: str, what: str = "noise") -> noises.Noise:
    """An assumption from its text form.

    >>> parse_noise("unknown"), parse_noise("bounded:0:5"), parse_noise("binary")
    (GaussianUnknown(), Bounded(0.0, 5.0), Binary())
    """
    kind, *parts = text.strip().split(":")
    if kind not in _TEXTS or len(parts) not in _TEXTS[kind][1]:
        raise InputError(f"{what} must be {_FORMS}, got {text[:60]!r}.")
    for part in parts:
        refuse_comma(part)
    if kind == "unknown" and parts:
        steps = [None if word.strip() == "seen" else _numbers(word, text, what)[0] for word in parts[0].split(",")]
        return noises.GaussianUnknown(tuple(steps) if len(steps) > 1 else steps[0])
    given = [values if len(values) > 1 else values[0] for values in (_numbers(part, text, what) for part in parts)]
    if kind == "subgaussian" and isinstance(given[0], list):
        raise InputError("subgaussian noise has one SIGMA for all directions; give the largest.")
    return _TEXTS[kind][0](*given)


def _numbers(part: str, text: str, what: str) -> list[float]:
    try:
        return [as_decimal(word) for word in part.split(",")]
    except ValueError:
        raise InputError(f"{what} {text[:60]!r}: {part[:40]!r} is not a number.") from None


def turned(noise: noises.Noise, signs: Floats, units: Floats | None = None) -> noises.Noise:
    """The same noise in steps of which more is better, still described in the user's own signs and units.

    `signs` (D,) are -1 where less is better; `units` (D,) are what one step is. Noise that is equally large in all
    directions keeps one parameter, that of the objective with the smallest unit: at least as large in every direction.
    """
    if isinstance(noise, noises.ByObjective):
        return _TurnedKinds(noise, signs, np.ones(len(signs)) if units is None else units)
    if units is None or (units == 1).all():
        return _mirrored(noise, signs)
    if isinstance(noise, noises.Gaussian):
        return _ScaledGaussian(noise, signs, units)
    if isinstance(noise, noises.Bounded):
        return _TurnedRange(noise, signs, units)
    if isinstance(noise, noises.GaussianUnknown):
        if noise.resolution is None:
            return noise
        steps = noise.steps(len(units)) / units
        return replace(noise, resolution=tuple(None if np.isnan(step) else float(step) for step in steps))
    if noise.noiseless:
        return noise
    for kind in (noises.SubGaussian, noises.NormSubGaussian):
        if type(noise) is kind:
            return kind(noise.sigma / float(units.min()))
    raise InputError(
        f"noise of the class {type(noise).__name__} cannot be converted to units other than 1: divide your values by "
        "the units, and describe the noise of the quotients."
    )


def _mirrored(noise: noises.Noise, signs: Floats) -> noises.Noise:
    if isinstance(noise, noises.Gaussian) and noise.cov is not None:
        return noises.Gaussian(cov=noise.cov * signs[:, None] * signs[None, :])
    if isinstance(noise, noises.Bounded) and (signs < 0).any():
        return _TurnedRange(noise, signs, np.ones(len(signs)))
    return noise


class _AsGiven:
    """Noise as algorithms see it, in the words of whoever gave it."""

    given: noises.Noise

    @property
    def words(self) -> str:
        return self.given.words

    def __repr__(self) -> str:
        return repr(self.given)


class _ScaledGaussian(_AsGiven, noises.Gaussian):
    """Normal noise in steps."""

    def __init__(self, given: noises.Gaussian, signs: Floats, units: Floats) -> None:
        if given.cov is not None:
            factors = signs / units
            super().__init__(cov=given.cov * factors[:, None] * factors[None, :])
        else:
            super().__init__(np.asarray(given.sigma) / units)
        self.given = given


class _TurnedRange(_AsGiven, noises.Bounded):
    """A range in steps and the algorithm's sign."""

    def __init__(self, given: noises.Bounded, signs: Floats, units: Floats) -> None:
        low, high = given.low * signs / units + 0.0, given.high * signs / units + 0.0
        super().__init__(np.minimum(low, high), np.maximum(low, high), two_valued=given.two_valued)
        self.given = given


class _TurnedKinds(_AsGiven, noises.ByObjective):
    """Noise by objective in steps and the algorithm's sign."""

    def __init__(self, given: noises.ByObjective, signs: Floats, units: Floats) -> None:
        super().__init__(turned(noise, signs[d : d + 1], units[d : d + 1]) for d, noise in enumerate(given.each))
        self.given, self._names = given, given._names
