"""Tables for a command from what other programs have written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from conewise.errors import InputError
from conewise.readers import Imported, cv_results, inspect, lm_eval, melted, mlflow, optuna

ORIGINS: Final = ("inspect", "lm-eval", "melted", "mlflow", "optuna", "sklearn")


def from_origin(
    origin: str,
    files: Sequence[Path],
    objectives: Sequence[str],
    minimise: Sequence[str],
    design: str | None,
    separate: bool = False,
) -> Imported:
    """The evaluations that a program has written, read by the one that knows it."""
    if origin == "inspect":
        return inspect(list(files), objectives=objectives, minimise=minimise)
    if origin == "lm-eval":
        return lm_eval(list(files), objectives=objectives, minimise=minimise)
    if len(files) > 1:
        raise InputError(f"--from {origin} reads one file or folder, got {len(files)}.")
    if origin == "mlflow":
        return mlflow(files[0], objectives=objectives, minimise=minimise)
    if origin == "melted":
        columns: dict[str, Any] = {"metric": "metric", "value": "value", "design": design or "design"}
        return melted(files[0], objectives=objectives, minimise=minimise, separate=separate, **columns)
    if minimise:
        raise InputError(f"{origin} says itself which objectives should be small; leave --minimise out.")
    return (
        optuna(files[0], objectives=objectives) if origin == "optuna" else cv_results(files[0], objectives=objectives)
    )
