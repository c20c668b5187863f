"""Write and read priors: by the name of their kind, and as data that a journal or a file can hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

import numpy as np

from conewise.border import as_floats, as_option, read_only
from conewise.errors import InputError, shown
from conewise.models.features import Encoded
from conewise.models.priors import Independent, Linear, Prior, Smooth

KINDS: Final[dict[str, Any]] = {"smooth": Smooth, "linear": Linear, "independent": Independent}
"""The priors that have a name."""
_OF_FEATURES: Final = ("values", "owner", "names", "constant")


def prior_of(kind: str, features: Any = None, **options: Any) -> Prior:
    """Return the prior of that kind; `features` are given as to `Smooth`, and left out for independent designs.

    >>> prior_of("independent").words
    'independent normal designs of 7 sizes'
    """
    chosen = KINDS[as_option(kind, "model", tuple(KINDS))]
    own = {field.name for field in fields(chosen)} - {"features"}
    stranger = next((key for key in options if key not in own), None)
    if stranger is not None:
        raise InputError(f"the model {kind!r} has no {shown(stranger)}; it has {', '.join(sorted(own))}.")
    if chosen is Independent:
        if features is not None:
            raise InputError("independent designs have no features: leave them out, or take the model 'smooth'.")
        return Independent(**options)
    if features is None:
        raise InputError(f"the model {kind!r} needs features of the designs: name their columns.")
    made: Prior = chosen(features, **options)
    return made


def prior_to_dict(prior: Prior) -> dict[str, Any]:
    """Return a prior with its encoded features; `prior_from_dict` reads it back to the same numbers, bit by bit."""
    kind = next((kind for kind, chosen in KINDS.items() if type(prior) is chosen), None)
    if kind is None:
        known = ", ".join(chosen.__name__ for chosen in KINDS.values())
        raise InputError(f"a model that is written down is one of {known}, got {type(prior).__name__}.")
    data: dict[str, Any] = {"kind": kind}
    for field in fields(prior):  # type: ignore[arg-type]
        value = getattr(prior, field.name)
        if isinstance(value, Encoded):
            data["encoded"] = {
                "values": value.values.tolist(),
                "owner": value.owner.tolist(),
                "names": list(value.names),
                "constant": list(value.constant),
            }
        elif isinstance(value, tuple):
            data[field.name] = list(value)
    return data


def prior_from_dict(data: Mapping[str, Any]) -> Prior:
    """Read what `prior_to_dict` wrote; the constructors check everything in it."""
    options = {key: value for key, value in data.items() if key not in ("kind", "encoded")}
    features = None if "encoded" not in data else _encoded(data["encoded"])
    return prior_of(data["kind"], features, **options)


def _encoded(data: Mapping[str, Any]) -> Encoded:
    values, owner, names, constant = (data[key] for key in _OF_FEATURES)
    table, places = as_floats(values, "features"), np.asarray(owner, dtype=np.intp)
    fits = table.ndim == 2 and places.shape == (table.shape[1],) and np.isfinite(table).all()
    if not fits or not len(table) or set(places.tolist()) != set(range(len(names))):
        raise InputError("the features of the model are damaged.")
    return Encoded(read_only(table), read_only(places), tuple(map(str, names)), tuple(map(str, constant)))
