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
        """How many there are to read."""
        ...

    @property
    def population(self) -> int | None:
        """How many the averages are over; None for an unlimited population."""
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
}
"""Rules by name, with their options; each is built from a question and the number of designs."""
_FORMERLY = {"proportions": "elimination"}
"""What studies may have been created with, and what answers them now: their evaluations count as they are."""


def build_separate(name: str, question: Question, n_designs: int, options: Mapping[str, Any]) -> Algorithm[Any]:
    """The rule for objectives that are measured one by one, whose evaluations are of cells; with a model its own."""
    check_separate_options(name, options)
    rule: Any = SeparateModelGuided if "model" in options else SeparateElimination
    given = {key: value for key, value in options.items() if key != "success"}
    made: Algorithm[Any] = rule(question, n_designs, **given)
    return made


def check_separate_options(name: str, options: Mapping[str, Any]) -> None:
    """Refuse another rule, and options that the rule for objectives which are measured one by one does not have."""
    known = _MODEL_OPTIONS if "model" in options else _CERTIFIED_OPTIONS
    if name not in ("auto", SEPARATE):
        raise InputError(
            f"objectives that are measured one by one have a rule of their own, got {shown(name)}; leave the algorithm "
            f'out, or name "{SEPARATE}".'
        )
    unknown = sorted(options.keys() - known)
    if unknown:
        lacking = "" if "model" in options or unknown[0] not in _MODEL_OPTIONS else " without a model"
        raise InputError(f"{SEPARATE} has no option {unknown[0]!r}{lacking}; it has {', '.join(sorted(known))}.")


def resolved(name: str, options: Mapping[str, Any], blocks: Shared | None = None) -> str:
    """The name of a rule; "auto" is elimination unless a model, blocks or an option of the naive rule say otherwise."""
    if blocks is not None:
        if name not in ("auto", PAIRED):  # designs that read the same blocks are not independent
            raise InputError(
                f"blocks are shared by the designs, which {shown(name)} takes to be independent; leave the "
                'algorithm out, or name "paired".'
            )
        return PAIRED
    name = _FORMERLY.get(name, name) if isinstance(name, str) else name
    as_option(name, "algorithm", ("auto", *_RULES))
    if name == "auto" and "model" in options:
        return MODEL
    if name == "auto":
        name = "naive" if options.keys() & _RULES["naive"][1] else "elimination"
    return name


def build(
    name: str, question: Question, n_designs: int, options: Mapping[str, Any], blocks: Shared | None = None
) -> Algorithm[Any]:
    """The algorithm of that name, configured; an unknown name or option is refused."""
    name = resolved(name, options, blocks)
    check_options(name, options, blocks)
    given = {k: v for k, v in options.items() if k != "success"}
    if blocks is not None:
        return PairedElimination(question, n_designs, blocks=blocks.n_blocks, population=blocks.population, **given)
    if name == "elimination" and by_bets(question, n_designs):
        inside = as_question(question, n_designs, levels=True)
        horizon = Paired.horizon(inside, n_designs, given.get("max_evaluations"))
        return PairedElimination(question, n_designs, blocks=horizon, population=None, independent=True, **given)
    made: Algorithm[Any] = _RULES[name][0](question, n_designs, **given)
    return made


def by_bets(question: Question, n_designs: int) -> bool:
    """Return True if elimination compares designs by bets on single values: bounded ones, of not too many designs.

    Stakes and pilots of these bets know epsilon, so a question whose epsilon was changed is not answered by them.
    """
    return Paired.pays(as_question(question, n_designs, levels=True), n_designs)


def build_for_any_epsilon(
    name: str, question: Question, n_designs: int, options: Mapping[str, Any], blocks: Shared | None = None
) -> Algorithm[Any]:
    """The same, of a rule on the certificate, whose looks and spending do not know epsilon and take no pilot."""
    given = {key: value for key, value in options.items() if key != "success"}
    if blocks is not None:
        shared: dict[str, Any] = {"blocks": blocks.n_blocks, "population": blocks.population, "pilots": False}
        return PairedElimination(question, n_designs, **shared, **given)
    made: Algorithm[Any] = _RULES[name][0](question, n_designs, **given, any_epsilon=True, pilots=False)
    return made


def judges_by_draws(name: str) -> bool:
    """Whether the rule of that name has the posterior certificate, whose draws are paid for look by look."""
    return name in _RULES and _RULES[name][1] >= _DRAWING_OPTIONS


def check_options(name: str, options: Mapping[str, Any], blocks: Shared | None = None) -> None:
    """Refuse options that the rule of that name does not have."""
    name = resolved(name, options, blocks)
    known = _CERTIFIED_OPTIONS if name == PAIRED else _RULES[name][1]
    unknown = sorted(options.keys() - known)
    if unknown:
        raise InputError(f"{name} has no option {unknown[0]!r}; it has {', '.join(sorted(known))}.")
    if "model" in known and "model" not in options:
        kinds = "models.Smooth(features) or models.Independent()"
        raise InputError(f'algorithm "{name}" needs a model: model={kinds}.')
