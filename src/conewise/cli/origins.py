"""Tables for a command from what other programs have written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from conewise.errors import InputError
from conewise.readers import Imported, cv_results, inspect, lm_eval, melted, mlflow, optuna

ORIGINS: Final = ("inspect", "lm-eval", "melted", "mlflow", "optuna", "sklearn")
_SEVERAL: Final = ("mlflow", "optuna")  # whose storage may hold several studies or experiments
_MELTED: Final = ("metric", "value")  # columns of a melted table, unless others are named


@dataclass(frozen=True)
class Origin:
    """Who wrote a file, and what of it is meant."""

    kind: str | None
    study: str | None = None
    columns: Sequence[str] = ()
    """Of a melted table: metric, value, and perhaps what was measured together."""

    def __post_init__(self) -> None:
        if self.study is not None and self.kind not in _SEVERAL:
            raise InputError(
                "--study names one of several studies or experiments: it goes with --from optuna or mlflow."
            )
        if self.columns and self.kind != "melted":
            raise InputError("--melted names columns of a melted table: it goes with --from melted.")
        if len(self.columns) not in (0, 2, 3):
            raise InputError(
                "--melted names two or three columns: that of metrics, that of values, and perhaps that of what was "
                f"measured together; got {len(self.columns)}."
            )

    def check_alone(self, **options: Any) -> None:
        """Refuse options that describe a table of one's own: `incomplete="skip"` is --incomplete, and so on."""
        given = next((name for name, value in options.items() if value and value != "refuse"), None)
        if self.kind is not None and given is not None and (self.kind, given) != ("melted", "design"):
            raise InputError(f"--{given} describes a table of your own; with --from {self.kind} leave it out.")

    def read(
        self,
        files: Sequence[Path],
        objectives: Sequence[str],
        minimise: Sequence[str],
        design: str | None,
        separate: bool = False,
    ) -> Imported:
        """The evaluations that a program has written; where several studies are there, `--study` names one."""
        try:
            return self._read(files, objectives, minimise, design, separate)
        except InputError as error:
            raise InputError(re.sub("`(experiment|name)`", "--study", str(error))) from None

    def _read(
        self,
        files: Sequence[Path],
        objectives: Sequence[str],
        minimise: Sequence[str],
        design: str | None,
        separate: bool,
    ) -> Imported:
        """The evaluations that a program has written, read by the one that knows it."""
        wanted: dict[str, Any] = {"objectives": objectives, "minimise": minimise}
        if self.kind == "inspect":
            return inspect(list(files), **wanted)
        if self.kind == "lm-eval":
            return lm_eval(list(files), **wanted)
        if len(files) > 1:
            raise InputError(f"--from {self.kind} reads one file or folder, got {len(files)}.")
        if self.kind == "mlflow":
            return mlflow(files[0], experiment=self.study, **wanted)
        if self.kind == "melted":
            metric, value, *run = self.columns or _MELTED
            wanted |= {"metric": metric, "value": value, "run": run[0] if run else None}
            return melted(files[0], design=design or "design", separate=separate, **wanted)
        if minimise:
            raise InputError(f"{self.kind} says itself which objectives should be small; leave --minimise out.")
        if self.kind == "optuna":
            return optuna(files[0], name=self.study, objectives=objectives)
        return cv_results(files[0], objectives=objectives)
