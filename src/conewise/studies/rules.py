"""Algorithms by name: which there are, what options they take, and how one is built."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol

from conewise.border import as_option
from conewise.certificate.blocks.paired import Paired
from conewise.errors import InputError, shown
from conewise.question.question import Question, as_question
from conewise.rules import (
    VOGP,
    Algorithm,
    AuerElimination,
    EpsilonPAL,
    FrontierEntropy,
    HypervolumeImprovement,
    LeaderChallenger,
    ModelGuided,
    NaiveElimination,
    PairedElimination,
    PaVeBa,
    PosteriorSampling,
    SeparateElimination,
    SeparateModelGuided,
    SuccessiveElimination,
)

PAIRED: Final = "paired"
"""The rule for blocks that the designs share, and for nothing else."""

SEPARATE: Final = "separate"
"""The rule for objectives that are measured one by one, and for nothing else."""

MODEL: Final = "model"
"""The rule for designs of which something is believed beforehand."""

POSTERIOR: Final = frozenset({MODEL, "ehvi", "pfes"})
"""Rules that stop by the posterior certificate, for which any moment to stop is as good as another."""


class Shared(Protocol):
    """Blocks that all designs meet in one order: recorded ones, or those of a study."""

    @property
    def n_blocks(self) -> int:
        """Number of blocks to read."""
        ...

    @property
    def population(self) -> int | None:
        """Number of blocks that the averages are over; None for an unlimited population."""
        ...


_PUBLISHED_OPTIONS = frozenset({"radius_scale", "max_evaluations", "growth"})
_CERTIFIED_OPTIONS = frozenset({"success", "max_evaluations", "radius_scale"})
_DRAWING_OPTIONS = frozenset({"model", "robust", "looks", "seed"})
_MODEL_OPTIONS = _DRAWING_OPTIONS | {"success", "max_evaluations", "confirm", "batch", "prices", "begin"}
_RECTANGLE_OPTIONS = _PUBLISHED_OPTIONS | {"model", "radius", "seed"}
_RULES: dict[str, tuple[Any, frozenset[str]]] = {
    "naive": (NaiveElimination, frozenset({"bound", "evaluations_each", "c"})),
    "elimination": (SuccessiveElimination, _CERTIFIED_OPTIONS | {"planned"}),
    "ape": (LeaderChallenger, _PUBLISHED_OPTIONS),
    "auer": (AuerElimination, _PUBLISHED_OPTIONS),
    "paveba": (PaVeBa, _PUBLISHED_OPTIONS),
    "psips": (PosteriorSampling, _PUBLISHED_OPTIONS | {"seed"}),
    MODEL: (ModelGuided, _MODEL_OPTIONS),
    "ehvi": (HypervolumeImprovement, _MODEL_OPTIONS),
    "pfes": (FrontierEntropy, _MODEL_OPTIONS),
    "epal": (EpsilonPAL, _RECTANGLE_OPTIONS),
    "vogp": (VOGP, _RECTANGLE_OPTIONS),
    PAIRED: (PairedElimination, _CERTIFIED_OPTIONS),
    SEPARATE: (SeparateElimination, _CERTIFIED_OPTIONS),
}
"""Rules by name, with their options; each is built from a question and the number of designs."""
_CHOICES: Final = ("auto", *(name for name in _RULES if name not in (PAIRED, SEPARATE)))
_FORMERLY = {"proportions": "elimination"}
"""What studies may have been created with, and what answers them now: their evaluations count as they are."""


def resolved(name: str, options: Mapping[str, Any], blocks: Shared | None = None, *, apart: bool = False) -> str:
    """Return the name of a rule; "auto" is elimination unless a model or an option of the naive rule is given.

    Blocks have a rule of their own, and so have objectives that are measured one by one (`apart`).
    """
    if apart:
        if name not in ("auto", SEPARATE):
            raise InputError(
                f"objectives that are measured one by one have a rule of their own, got {shown(name)}; leave the "
                f'algorithm out, or name "{SEPARATE}".'
            )
        return SEPARATE
    if blocks is not None:
        if name not in ("auto", PAIRED):  # designs that read the same blocks are not independent
            raise InputError(
                f"blocks are shared by the designs, which {shown(name)} takes to be independent; leave the "
                'algorithm out, or name "paired".'
            )
        return PAIRED
    name = _FORMERLY.get(name, name) if isinstance(name, str) else name
    as_option(name, "algorithm", _CHOICES)
    if name == "auto" and "model" in options:
        return MODEL
    if name == "auto":
        name = "naive" if options.keys() & _RULES["naive"][1] else "elimination"
    return name


def build(
    name: str,
    question: Question,
    n_designs: int,
    options: Mapping[str, Any],
    blocks: Shared | None = None,
    *,
    apart: bool = False,
    any_epsilon: bool = False,
) -> Algorithm[Any]:
    """Return the algorithm of that name, configured; refuse an unknown name or option.

    With `apart` evaluations are of cells. With `any_epsilon` epsilon may be changed: looks and spending do not know
    epsilon, and no pilot is taken.
    """
    name = resolved(name, options, blocks, apart=apart)
    check_options(name, options, blocks, apart=apart)
    given = {key: value for key, value in options.items() if key != "success"}
    if any_epsilon:
        given["pilots"] = False
    if blocks is not None:
        given |= {"blocks": blocks.n_blocks, "population": blocks.population}
    elif any_epsilon:
        given["any_epsilon"] = True
    elif name == "elimination" and Paired.pays(inside := as_question(question, n_designs, levels=True), n_designs):
        horizon = Paired.horizon(inside, n_designs, given.get("max_evaluations"))  # by bets, whose stakes know epsilon
        given |= {"blocks": horizon, "population": None, "independent": True}
        name = PAIRED
    made: Algorithm[Any] = _rule(name, options)[0](question, n_designs, **given)
    return made


def judges_by_draws(name: str) -> bool:
    """Return True if the rule of that name has the posterior certificate, whose draws are paid for look by look."""
    return name in _RULES and _RULES[name][1] >= _DRAWING_OPTIONS


def check_options(name: str, options: Mapping[str, Any], blocks: Shared | None = None, *, apart: bool = False) -> None:
    """Refuse options that the rule of that name does not have."""
    name = resolved(name, options, blocks, apart=apart)
    known = _rule(name, options)[1]
    unknown = sorted(options.keys() - known)
    if unknown:
        lacking = " without a model" if apart and unknown[0] in _MODEL_OPTIONS else ""
        raise InputError(f"{name} has no option {unknown[0]!r}{lacking}; it has {', '.join(sorted(known))}.")
    if "model" in known and "model" not in options:
        kinds = "models.Smooth(features) or models.Independent()"
        raise InputError(f'algorithm "{name}" needs a model: model={kinds}.')


def _rule(name: str, options: Mapping[str, Any]) -> tuple[Any, frozenset[str]]:
    """Return the class of a rule and its options; objectives measured one by one have two rules under one name."""
    return (SeparateModelGuided, _MODEL_OPTIONS) if name == SEPARATE and "model" in options else _RULES[name]
