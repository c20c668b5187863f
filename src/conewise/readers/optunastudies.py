"""A study of Optuna, as an object or from its SQLite file; Optuna itself is not needed for either."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from conewise.errors import InputError, counted, shown
from conewise.question.objectives import Objective
from conewise.readers.imported import Imported, as_place, beside, check_told_apart, chosen, named_by
from conewise.tables.designcolumns import called

_COMPLETE: Final = "COMPLETE"
_PRUNED: Final = "PRUNED"
_SEARCHED: Final = "that no value had a part in which designs the search tried"
_CONSTRAINTS: Final = "constraints"  # what its samplers call them among a trial's own attributes
_NOT_AS_WRITTEN: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What reading a damaged study raises, wherever it is damaged."""


@dataclass(frozen=True)
class _Trial:
    number: int
    state: str
    parameters: dict[str, Any]
    values: list[float | None]
    allowed: bool
    """Whether it keeps every constraint of the study."""


@dataclass(frozen=True)
class _Study:
    name: str
    minimised: list[bool]
    metrics: list[str] | None
    trials: list[_Trial]


def optuna(study: Any, *, name: str | None = None, objectives: Sequence[str | Objective] = ()) -> Imported:
    """The completed trials of a study: trials with equal parameters are evaluations of one design.

    `study` is an `optuna.Study`, or the path (or sqlite:/// address) of its storage, where `name` says which study of
    several is meant. Directions are the study's; objectives are called by its metric names where it has some, else
    "value", or "value 1", "value 2". `objectives` are some of them, names or records with units.
    """
    if name is not None and not isinstance(study, str | Path):
        raise InputError("`name` says which study of a storage is meant; of a study itself leave it out.")
    found = _from_file(study, name) if isinstance(study, str | Path) else _from_object(study)
    dim = len(found.minimised)
    metrics = found.metrics or (["value"] if dim == 1 else [f"value {d + 1}" for d in range(dim)])
    _check_allowed(found)
    check_told_apart([trial.parameters for trial in found.trials if trial.state == _COMPLETE])
    rows, left_out = [], 0
    for trial in found.trials:
        if trial.state != _COMPLETE:
            left_out += 1
            continue
        if len(trial.values) != dim or None in trial.values:
            raise InputError(f"trial {trial.number} of {found.name!r:.60} is complete and has no finite values.")
        values = dict(zip(metrics, trial.values, strict=True))
        row = beside({"design": named_by(trial.parameters), "trial": trial.number}, values)
        rows.append(row | {key: value for key, value in trial.parameters.items() if key not in row})
    if not rows:
        raise InputError(f"the study {found.name!r:.60} has no completed trials.")
    wanted = chosen(metrics, objectives, f"the study {found.name!r:.60}")
    small = [name for name, less in zip(metrics, found.minimised, strict=True) if less and name in called(wanted)]
    designs = {row["design"] for row in rows}
    pruned = sum(trial.state == _PRUNED and named_by(trial.parameters) in designs for trial in found.trials)
    return Imported(rows, wanted, minimise=small, left_out=left_out, pruned=pruned, assumed=_SEARCHED)


def _check_allowed(study: _Study) -> None:
    """Refuse trials that a constraint of the study rules out: Optuna returns none of them."""
    out = [trial.number for trial in study.trials if trial.state == _COMPLETE and not trial.allowed]
    if out:
        raise InputError(
            f"{counted(len(out), 'completed trial')} of {study.name!r:.60} ({', '.join(map(str, out))[:60]}) "
            f"{'breaks' if len(out) == 1 else 'break'} a constraint, and Optuna would return none of them; make a "
            "study of those that may count (study.add_trials), and read that one."
        )


def _keeps(attributes: Mapping[str, Any]) -> bool:
    """Whether no constraint is above 0: a list called "constraints", or "constraints:NAME" each."""
    listed = [value for key, value in attributes.items() if key == _CONSTRAINTS for value in value or ()]
    named = [value for key, value in attributes.items() if str(key).startswith(f"{_CONSTRAINTS}:")]
    return all(value <= 0 for value in (*listed, *named))


def _from_object(study: Any) -> _Study:
    """By duck typing: `trials` with number, state, params and values, and `directions`."""
    if not hasattr(study, "trials") or not hasattr(study, "directions"):
        raise InputError(f"an optuna.Study or the path of its SQLite storage was expected, got {shown(study)}.")
    try:
        trials = [
            _Trial(
                int(t.number),
                t.state.name,
                dict(sorted(t.params.items())),
                [float(v) for v in t.values or ()],
                _keeps(getattr(t, "system_attrs", {})),
            )
            for t in study.trials
        ]
        metrics = getattr(study, "metric_names", None)
        small = [direction.name == "MINIMIZE" for direction in study.directions]
        return _Study(str(study.study_name), small, None if metrics is None else list(metrics), trials)
    except _NOT_AS_WRITTEN:
        raise InputError(
            "an optuna.Study has a study_name, directions, and trials with number, state, params and values, got "
            f"{shown(study)}."
        ) from None


def _from_file(where: str | Path, name: str | None) -> _Study:
    path = Path(str(where).removeprefix("sqlite:///"))
    if "://" in str(path) or not path.is_file():
        raise InputError(
            f"there is no SQLite file {as_place(path)}; give the path of one; of another storage give the "
            "study itself (optuna.load_study(...))."
        )
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as file:
            return _read(file, path, name)
    except sqlite3.Error as error:
        raise InputError(f"{path.name} is not a storage of Optuna ({str(error)[:80]}).") from None
    except InputError:
        raise
    except _NOT_AS_WRITTEN as error:
        raise InputError(f"{path.name} is not as Optuna writes it ({str(error)[:80]}).") from None


def _read(file: sqlite3.Connection, path: Path, name: str | None) -> _Study:
    studies = dict(file.execute("SELECT study_name, study_id FROM studies ORDER BY study_id").fetchall())
    if not studies:
        raise InputError(f"{path.name} is a storage of Optuna without any study: there is nothing to read.")
    if name is None and len(studies) != 1:
        raise InputError(f"{path.name} holds {len(studies)} studies; name one with `name`: {', '.join(studies)[:200]}.")
    if name is not None and name not in studies:
        raise InputError(f"{path.name} has no study {name!r:.60}; it has {', '.join(studies)[:200]}.")
    label = name if name is not None else next(iter(studies))
    study = studies[label]
    small = [
        direction == "MINIMIZE"
        for (direction,) in file.execute(
            "SELECT direction FROM study_directions WHERE study_id = ? ORDER BY objective", (study,)
        )
    ]
    metrics = file.execute(
        "SELECT value_json FROM study_system_attributes WHERE study_id = ? AND key = 'study:metric_names'", (study,)
    ).fetchone()
    trials = list(_trials(file, study, len(small)))
    names = None if metrics is None else list(json.loads(metrics[0]))
    if names is not None and (len(names) != len(small) or not all(isinstance(name, str) for name in names)):
        raise InputError(f"{path.name} is not as Optuna writes it: a metric has a name, got {shown(names)}.")
    return _Study(label, small, names, trials)


def _trials(file: sqlite3.Connection, study: int, dim: int) -> Iterator[_Trial]:
    parameters: dict[int, dict[str, Any]] = {}
    for trial, name, value, text in file.execute(
        "SELECT p.trial_id, p.param_name, p.param_value, p.distribution_json FROM trial_params p "
        "JOIN trials t ON t.trial_id = p.trial_id WHERE t.study_id = ? ORDER BY p.param_name",
        (study,),
    ):
        parameters.setdefault(trial, {})[name] = _parameter(value, json.loads(text))
    values: dict[int, list[float | None]] = {}
    for trial, objective, value, kind in file.execute(
        "SELECT v.trial_id, v.objective, v.value, v.value_type FROM trial_values v "
        "JOIN trials t ON t.trial_id = v.trial_id WHERE t.study_id = ?",
        (study,),
    ):
        values.setdefault(trial, [None] * dim)[objective] = value if kind == "FINITE" else None
    attributes: dict[int, dict[str, Any]] = {}
    for trial, key, text in file.execute(
        "SELECT a.trial_id, a.key, a.value_json FROM trial_system_attributes a "
        f"JOIN trials t ON t.trial_id = a.trial_id WHERE t.study_id = ? AND a.key LIKE '{_CONSTRAINTS}%'",
        (study,),
    ):
        attributes.setdefault(trial, {})[key] = json.loads(text)
    for trial, number, state in file.execute(
        "SELECT trial_id, number, state FROM trials WHERE study_id = ? ORDER BY number", (study,)
    ):
        allowed = _keeps(attributes.get(trial, {}))
        yield _Trial(number, state, parameters.get(trial, {}), values.get(trial, []), allowed)


def _parameter(value: float, distribution: dict[str, Any]) -> Any:
    """As the objective saw it: Optuna stores the number of a choice, and whole numbers as floats."""
    if distribution["name"] == "CategoricalDistribution":
        return distribution["attributes"]["choices"][int(value)]
    return int(value) if distribution["name"].startswith("Int") else value
