"""The model of a study: as data in its header, and as a prior over its designs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conewise.border import as_words
from conewise.errors import InputError, shown
from conewise.models import Prior
from conewise.models.priors import prior_from_dict, prior_of, prior_to_dict
from conewise.tables.columns import listed_columns
from conewise.tables.featured import features_of_rows


def model_to_dict(model: Any) -> dict[str, Any]:
    """What the header of a study says of a model: a prior with its features, or a kind with columns of the designs."""
    if isinstance(model, Prior):
        return prior_to_dict(model)
    if not isinstance(model, Mapping) or not isinstance(model.get("kind"), str):
        raise InputError(
            'model must be a prior such as models.Smooth(features), or {"kind": "smooth", "features": [columns of the '
            f"designs]}}, got {shown(model)}."
        )
    return {key: list(value) if isinstance(value, tuple) else value for key, value in model.items()}


def prices_for(data: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> list[float] | None:
    """What an evaluation of each design costs, by the column that the header names; None where it names none."""
    column = data.get("price")
    if column is None:
        return None
    if not isinstance(column, str):
        raise InputError(f"the price of a model names a column of the designs, got {shown(column)}.")
    _check_columns([column], rows)
    odd = next((row[column] for row in rows if not _is_number(row.get(column))), None)
    if odd is not None or any(row.get(column) is None for row in rows):
        raise InputError(f"the column {column!r:.60} must hold the price of every design, got {shown(odd)}.")
    return [float(row[column]) for row in rows]


def _is_number(entry: Any) -> bool:
    return isinstance(entry, int | float) and not isinstance(entry, bool)


def _check_columns(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    there = list(dict.fromkeys(column for row in rows for column in row))
    stray = next((column for column in columns if column not in there), None)
    if stray is not None:
        raise InputError(f"the designs have no column {stray!r:.60}; they have {listed_columns(there)}.")


def prior_for(data: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Prior:
    """The prior that the header speaks of, for these designs."""
    data = {key: value for key, value in data.items() if key != "price"}
    if "encoded" in data or "features" not in data:
        prior = prior_from_dict(data)
        prior.check(len(rows))
        return prior
    columns = as_words(data["features"], "the features of the model")
    if not columns:
        raise InputError("the features of the model are empty: name columns of the designs.")
    _check_columns(columns, rows)
    options = {key: value for key, value in data.items() if key not in ("kind", "features")}
    return prior_of(data["kind"], features_of_rows(rows, columns), **options)
