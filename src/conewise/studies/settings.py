"""A box in a study: its settings as designs, its model as data, and the candidates that join as rows of a journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from conewise.border import Floats
from conewise.errors import InputError, shown
from conewise.models.features import Encoded
from conewise.models.priors import Prior, prior_of
from conewise.problems.box import Box
from conewise.question.question import Question
from conewise.studies.boxes import DISCREPANCIES, MOST_REFINEMENTS, SIZES, Meshing
from conewise.tables.designs import NAME_COLUMNS

_MODEL: Final = {"kind": "smooth", "discrepancies": list(DISCREPANCIES), "sizes": list(SIZES)}


def as_study_box(box: Box, objectives: Sequence[str]) -> Box:
    """A box whose parameters can be columns of a study's designs."""
    taken = next((p.name for p in box.each if p.name.lower() in NAME_COLUMNS or p.name in objectives), None)
    if taken is not None:
        what = "an objective" if taken in objectives else "the column that names a design"
        raise InputError(f"the parameter {shown(taken)} of the box is called like {what}; rename it.")
    return box


def rows_of(box: Box, places: Floats, known: int = 0) -> list[dict[str, Any]]:
    """Settings as rows of a study that has so many designs already: s0, s1 and so on."""
    return [{"name": f"s{known + k}", **setting} for k, setting in enumerate(box.designs(places))]


def first_stage(box: Box) -> int:
    """How often candidates have joined at the beginning: where all settings are candidates, as often as they can."""
    return MOST_REFINEMENTS if box.size is not None and box.size <= box.candidates else 0


def box_model(given: Any) -> dict[str, Any]:
    """The model of a box as data: a kind and its lists; its features are the parameters."""
    if given is None or isinstance(given, str):
        return dict(_MODEL) if given is None else {"kind": given}
    if isinstance(given, Prior) or not isinstance(given, Mapping) or not isinstance(given.get("kind"), str):
        raise InputError(
            'candidates of a box join while a study runs, so its model is a kind, {"kind": "smooth"}, whose features '
            f"are the parameters; got {shown(given)}."
        )
    odd = next((key for key in ("features", "price", "orders") if key in given), None)
    if odd is not None:
        raise InputError(
            f"the model of a box has no {odd!r}: its features are the parameters of the box; leave it out."
        )
    return {key: list(value) if isinstance(value, tuple) else value for key, value in given.items()}


def meshing_of(box: Box, question: Question, places: Floats, options: Mapping[str, Any], apart: bool) -> Meshing:
    """The rules on growing sets of candidates, for a question in the user's own directions."""
    data = {key: value for key, value in options["model"].items() if key != "kind"}

    def model(features: Encoded) -> Prior:
        return prior_of(options["model"]["kind"], features, **data)

    names = question.names or tuple(f"objective {d + 1}" for d in range(question.cone.dim))
    return Meshing(box.at(places, names), question.inside, {**options, "model": model}, apart)
