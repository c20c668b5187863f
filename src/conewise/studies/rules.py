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
from conewise.errors import InputError
from conewise.goals import Notion, Question, notion_of

_PUBLISHED_OPTIONS = frozenset({"radius_scale", "max_evaluations", "growth"})
_CERTIFIED_OPTIONS = frozenset({"success", "max_evaluations", "radius_scale"})
_RULES: dict[str, tuple[Any, frozenset[str]]] = {
    "naive": (NaiveElimination, frozenset({"bound", "evaluations_each", "c"})),
    "elimination": (SuccessiveElimination, _CERTIFIED_OPTIONS),
    "proportions": (OptimalProportions, _CERTIFIED_OPTIONS),
    "ape": (LeaderChallenger, _PUBLISHED_OPTIONS),
    "auer": (AuerElimination, _PUBLISHED_OPTIONS),
    "paveba": (PaVeBa, _PUBLISHED_OPTIONS),
    "psips": (PosteriorSampling, _PUBLISHED_OPTIONS | {"seed"}),
}
"""Rules by name, with their options; each is built from a question and the number of designs."""


def resolved(name: str, options: Mapping[str, Any]) -> str:
    """The name of a rule; "auto" is proportions unless an option of the naive one is given."""
    as_option(name, "algorithm", ("auto", *_RULES))
    if name == "auto":
        name = "naive" if options.keys() & _RULES["naive"][1] else "proportions"
    return name


def success_asked(name: str, epsilon: float, options: Mapping[str, Any]) -> Notion:
    """What a question has to ask of the rule of that name: its option, or what the rule answers at this epsilon."""
    if "success" in _RULES[resolved(name, options)][1]:
        return notion_of(options.get("success", "cover"))
    return "cover" if epsilon > 0 else "contain"


def build(name: str, question: Question, n_designs: int, options: Mapping[str, Any]) -> Algorithm[Any]:
    """The algorithm of that name, configured; an unknown name or option is refused."""
    name = resolved(name, options)
    check_options(name, options)
    made: Algorithm[Any] = _RULES[name][0](question, n_designs, **{k: v for k, v in options.items() if k != "success"})
    return made


def check_options(name: str, options: Mapping[str, Any]) -> None:
    """Refuse options that the rule of that name does not have."""
    name = resolved(name, options)
    known = _RULES[name][1]
    unknown = sorted(options.keys() - known)
    if unknown:
        raise InputError(f"{name} has no option {unknown[0]!r}; it has {', '.join(sorted(known))}.")
