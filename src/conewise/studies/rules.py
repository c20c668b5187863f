"""Algorithms by name: which there are, what options they take, and how one is built."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conewise._arrays import as_option
from conewise.algorithms import (
    Algorithm,
    AuerElimination,
    LeaderChallenger,
    NaiveElimination,
    OptimalProportions,
    PaVeBa,
    PosteriorSampling,
    SuccessiveElimination,
)
from conewise.cones import Cone
from conewise.errors import InputError
from conewise.goals import Goal
from conewise.noise import Noise

_PUBLISHED_OPTIONS = frozenset({"radius_scale", "max_evaluations", "growth"})
_CERTIFIED_OPTIONS = frozenset({"success", "max_evaluations", "radius_scale"})
_NAIVE_OPTIONS = frozenset({"bound", "evaluations_each", "c"})
_RULES: dict[str, tuple[Any, frozenset[str]]] = {
    "elimination": (SuccessiveElimination, _CERTIFIED_OPTIONS),
    "proportions": (OptimalProportions, _CERTIFIED_OPTIONS),
    "ape": (LeaderChallenger, _PUBLISHED_OPTIONS),
    "auer": (AuerElimination, _PUBLISHED_OPTIONS),
    "paveba": (PaVeBa, _PUBLISHED_OPTIONS),
    "psips": (PosteriorSampling, _PUBLISHED_OPTIONS | {"seed"}),
}
"""Adaptive rules by name, with their options; each is built from cone, epsilon, delta, n_designs and noise."""


def resolved(name: str, options: Mapping[str, Any]) -> str:
    """The name of a rule; "auto" is proportions unless an option of the naive one is given."""
    as_option(name, "algorithm", ("auto", "naive", *_RULES))
    if name == "auto":
        name = "naive" if options.keys() & _NAIVE_OPTIONS else "proportions"
    return name


def build(
    name: str, cone: Cone, epsilon: float, delta: float, n_designs: int, noise: Noise | None, options: Mapping[str, Any]
) -> Algorithm[Any]:
    """The algorithm of that name, configured; an unknown name or option is refused."""
    name = resolved(name, options)
    known = _NAIVE_OPTIONS if name == "naive" else _RULES[name][1]
    unknown = sorted(options.keys() - known)
    if unknown:
        raise InputError(f"{name} has no option {unknown[0]!r}; it has {', '.join(sorted(known))}.")
    if name == "naive":
        return NaiveElimination(cone, Goal(epsilon, delta), n_designs, noise, **options)
    if noise is None:
        raise InputError(
            "nothing is known of this noise, so nothing can be certified; pass noise=... (an assumption), "
            'or algorithm="naive" with evaluations_each=... for a heuristic answer.'
        )
    rule: Algorithm[Any] = _RULES[name][0](cone, epsilon, delta, n_designs, noise, **options)
    return rule
