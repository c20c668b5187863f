"""Read and write assumptions about the noise as text ("gaussian:0.1") and as dictionaries for JSON and TOML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from conewise.border import as_decimal, refuse_comma
from conewise.errors import InputError, shown
from conewise.noise.kinds import Binary, Bounded, Gaussian, GaussianUnknown, Known, Noise, NormSubGaussian, SubGaussian
from conewise.noise.mixed import ByObjective

_KINDS: Final[dict[str, tuple[type[Noise], tuple[str, ...]]]] = {
    "gaussian": (Gaussian, ("sigma", "cov")),
    "subgaussian": (SubGaussian, ("sigma",)),
    "norm_subgaussian": (NormSubGaussian, ("sigma",)),
    "bounded": (Bounded, ("low", "high")),
    "gaussian_unknown": (GaussianUnknown, ("resolution", "stated")),
    "binary": (Binary, ()),
    "known": (Known, ()),
}
_FORMS: Final = "unknown, unknown:STEP, binary, known, gaussian:SIGMA, subgaussian:SIGMA or bounded:LOW:HIGH"
_PARTS: Final = {"unknown": 1, "binary": 0, "known": 0, "gaussian": 1, "subgaussian": 1, "bounded": 2}


def noise_to_dict(noise: Noise) -> dict[str, Any]:
    """Return an assumption as plain text and numbers, for JSON or TOML.

    >>> noise_to_dict(Gaussian([0.1, 0.2]))
    {'kind': 'gaussian', 'sigma': [0.1, 0.2]}
    """
    if type(noise) is ByObjective:
        return {"kind": "by_objective", "each": [noise_to_dict(each) for each in noise.each]}
    for kind, (cls, parts) in _KINDS.items():
        if type(noise) is cls:
            given = {part: value for part in parts if (value := getattr(noise, part)) is not None and value is not True}
            return {"kind": kind, **{part: np.asarray(value).tolist() for part, value in given.items()}}
    raise InputError(f"noise {type(noise).__name__} cannot be stored in a study; use one of {', '.join(_KINDS)}.")


def noise_from_dict(data: Mapping[str, Any]) -> Noise:
    """Return the assumption that `noise_to_dict` wrote.

    >>> noise_from_dict({"kind": "bounded", "low": 0, "high": 1})
    Bounded(0.0, 1.0)
    """
    kind = data.get("kind") if isinstance(data, Mapping) else None
    if kind == "by_objective" and isinstance(data.get("each"), list) and len(data) == 2:
        return ByObjective([noise_from_dict(each) for each in data["each"]])
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


def as_noise(noise: object, what: str = "noise") -> Noise:
    """Return an assumption from itself, its text form or its dictionary.

    >>> as_noise("gaussian:0.1")
    Gaussian(0.1)
    """
    if isinstance(noise, str):
        return parse_noise(noise, what)
    if isinstance(noise, Mapping):
        return noise_from_dict(noise)
    if not isinstance(noise, Noise):
        raise InputError(
            f"{what} must be an assumption such as noise.Gaussian(0.1) or noise.GaussianUnknown(), its text or its "
            f"dictionary, got {shown(noise)}."
        )
    return noise


def parse_noise(text: str, what: str = "noise") -> Noise:
    """Return an assumption from its text form.

    >>> parse_noise("unknown"), parse_noise("bounded:0:5"), parse_noise("binary")
    (GaussianUnknown(), Bounded(0.0, 5.0), Binary())
    """
    kind, *parts = text.strip().split(":")
    if text.strip() == "unknown":
        return GaussianUnknown()
    if len(parts) != _PARTS.get(kind):
        raise InputError(f"{what} must be {_FORMS}, got {text[:60]!r}.")
    for part in parts:
        refuse_comma(part)
    if kind == "unknown":
        steps = [None if word.strip() == "seen" else _numbers(word, text, what)[0] for word in parts[0].split(",")]
        return GaussianUnknown(tuple(steps) if len(steps) > 1 else steps[0])
    given = [values if len(values) > 1 else values[0] for values in (_numbers(part, text, what) for part in parts)]
    if kind == "subgaussian" and isinstance(given[0], list):
        raise InputError("subgaussian noise has one SIGMA for all directions; give the largest.")
    return _KINDS[kind][0](*given)


def _numbers(part: str, text: str, what: str) -> list[float]:
    try:
        return [as_decimal(word) for word in part.split(",")]
    except ValueError:
        raise InputError(f"{what} {text[:60]!r}: {part[:40]!r} is not a number.") from None
