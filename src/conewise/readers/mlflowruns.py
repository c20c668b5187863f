"""Runs of MLflow, from its SQLite file or folder, as objects or as a frame: equal parameters are one design."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import unquote

from conewise.errors import InputError, shown
from conewise.question.objectives import Objective
from conewise.readers.imported import Imported, as_place, as_value, beside, check_told_apart, chosen, named_by
from conewise.reading import text_of
from conewise.tables.frames import is_frame, records_of

_FINISHED: Final = ("3", "FINISHED")  # as files have it, and as all else does
_METRIC: Final = "metrics."  # what columns of `mlflow.search_runs()` begin with
_PARAMETER: Final = "params."

Place = TypeVar("Place")


@dataclass(frozen=True)
class _Run:
    began: int
    finished: bool
    parameters: dict[str, str]
    metrics: dict[str, float]


def mlflow(
    runs: Any,
    *,
    experiment: str | None = None,
    objectives: Sequence[str | Objective] = (),
    minimise: Sequence[str] = (),
) -> Imported:
    """The finished runs of an experiment; a metric that was logged several times counts with its last value.

    `runs` is the file of MLflow's SQLite store (mlflow.db, or its sqlite:/// address), or its folder mlruns, where
    `experiment` says which one of several is meant, by name; or what `mlflow.search_runs(...)` gives, a frame, or with
    `output_format="list"` objects. By default all metrics that every run has are objectives; MLflow knows no
    directions, so say with `minimise` which of them should be small.
    """
    found = list(_runs(runs, experiment))
    done = sorted((run for run in found if run.finished), key=lambda run: run.began)
    if not done:
        raise InputError("there are no finished runs.")
    common = [metric for metric in done[0].metrics if all(metric in run.metrics for run in done)]
    wanted = chosen(common, objectives, "all of the runs")
    check_told_apart([run.parameters for run in done])
    rows = []
    for run in done:
        row = beside({"design": named_by(run.parameters)}, run.metrics)
        rows.append(row | {key: value for key, value in run.parameters.items() if key not in row})
    return Imported(rows, wanted, minimise=minimise, left_out=len(found) - len(done))


def _runs(given: Any, experiment: str | None) -> Iterable[_Run]:
    if not isinstance(given, str | Path):
        if experiment is not None:
            raise InputError("`experiment` names one of several in a store of MLflow; of runs leave it out.")
        return _from_frame(given) if is_frame(given) else _from_objects(given)
    path = Path(str(given).removeprefix("sqlite:///"))
    if path.is_dir():
        return _from_files(path, experiment)
    if path.is_file():
        return _from_database(path, experiment)
    raise InputError(
        f"there is no file or folder {as_place(path)}; MLflow keeps its runs in a file called mlflow.db, or in a "
        "folder called mlruns."
    )


def _the_one(experiments: Mapping[str, Place], experiment: str | None, where: Path) -> Place:
    """The experiment that is meant, of those that have runs."""
    if not experiments:
        raise InputError(f"{where} has no experiment with runs: there is nothing to read.")
    names = ", ".join(experiments)[:200]
    if experiment is None and len(experiments) != 1:
        raise InputError(
            f"{where} holds {len(experiments)} experiments with runs ({names}); name one with `experiment`."
        )
    if experiment is not None and experiment not in experiments:
        raise InputError(f"{where} has no experiment {experiment!r:.60}; it has {names}.")
    return experiments[experiment] if experiment is not None else next(iter(experiments.values()))


def _from_frame(frame: Any) -> Iterable[_Run]:
    """One row a run, with columns such as metrics.cost and params.depth; the latest run comes first."""
    rows = records_of(frame)
    if not rows or "status" not in rows[0] or not any(str(key).startswith(_METRIC) for key in rows[0]):
        raise InputError(
            "a frame of runs has a column status and columns such as metrics.NAME, as mlflow.search_runs() returns it; "
            f"got {', '.join(map(str, rows[0]))[:200] if rows else 'no rows'}."
        )
    for place, row in enumerate(rows):
        metrics = {key: as_value(value, f"metrics.{key}") for key, value in _under(_METRIC, row).items()}
        parameters = {key: str(value) for key, value in sorted(_under(_PARAMETER, row).items())}
        yield _Run(-place, str(row["status"]) in _FINISHED, parameters, metrics)


def _under(heading: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """The entries of a row whose columns begin so, called by the rest of their names."""
    return {
        key.removeprefix(heading): value for key, value in row.items() if key.startswith(heading) and value is not None
    }


def _from_database(path: Path, experiment: str | None) -> list[_Run]:
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as file:
            return _read(file, path, experiment)
    except sqlite3.Error as error:
        raise InputError(f"{path.name} is not a store of MLflow ({str(error)[:80]}).") from None
    except (OverflowError, TypeError, UnicodeError) as error:
        raise InputError(f"{path.name} is not as MLflow writes it ({str(error)[:80]}).") from None


def _read(file: sqlite3.Connection, path: Path, experiment: str | None) -> list[_Run]:
    of = "FROM runs r WHERE r.lifecycle_stage = 'active'"
    experiments = dict(
        file.execute(f"SELECT name, experiment_id FROM experiments WHERE experiment_id IN (SELECT experiment_id {of})")
    )
    which = (_the_one(experiments, experiment, path),)
    parameters: dict[str, dict[str, str]] = {}
    for run, key, value in file.execute(
        "SELECT p.run_uuid, p.key, p.value FROM params p JOIN runs r ON r.run_uuid = p.run_uuid "
        "WHERE r.experiment_id = ? ORDER BY p.key",
        which,
    ):
        parameters.setdefault(run, {})[key] = value
    metrics: dict[str, dict[str, float]] = {}
    for run, key, value, is_nan in file.execute(
        "SELECT m.run_uuid, m.key, m.value, m.is_nan FROM latest_metrics m JOIN runs r ON r.run_uuid = m.run_uuid "
        "WHERE r.experiment_id = ? ORDER BY m.key",
        which,
    ):
        metrics.setdefault(run, {})[key] = math.nan if is_nan else as_value(value, f"the metric {key!r:.60}")
    rows = file.execute(f"SELECT r.run_uuid, r.start_time, r.status {of} AND r.experiment_id = ?", which)
    return [
        _Run(_moment(began), status in _FINISHED, parameters.get(run, {}), metrics.get(run, {}))
        for run, began, status in rows
    ]


def _from_objects(runs: Any) -> Iterable[_Run]:
    try:
        listed = list(runs)
    except TypeError:
        raise InputError(f"runs of MLflow or a folder of them was expected, got {shown(runs)}.") from None
    for run in listed:
        if not hasattr(run, "data") or not hasattr(run, "info"):
            raise InputError(f"a run of MLflow has data and info, got {shown(run)}.")
        try:
            given, about = dict(run.data.metrics), run.info
            parameters = dict(sorted((str(key), str(value)) for key, value in dict(run.data.params).items()))
            began, finished = _moment(about.start_time), str(about.status) in _FINISHED
        except (AttributeError, TypeError, ValueError):
            raise InputError(f"a run of MLflow has metrics, params, status and start_time, got {shown(run)}.") from None
        yield _Run(
            began, finished, parameters, {str(key): as_value(v, f"the metric {key!r:.60}") for key, v in given.items()}
        )


def _from_files(folder: Path, experiment: str | None) -> Iterable[_Run]:
    experiments = {_meta(file).get("name", ""): file.parent for file in sorted(folder.glob("*/meta.yaml"))}
    experiments = {name: where for name, where in experiments.items() if any(where.glob("*/metrics"))}
    where = _the_one(experiments, experiment, folder)
    for file in sorted(where.glob("*/meta.yaml")):
        about = _meta(file)
        if about.get("lifecycle_stage", "active") == "active":
            began = _moment(about.get("start_time"))
            yield _Run(began, about.get("status") in _FINISHED, _parameters(file.parent), _metrics(file.parent))


def _meta(file: Path) -> dict[str, str]:
    """The lines `key: value` of a file; nothing else of YAML is needed."""
    lines = (line.partition(":") for line in text_of(file).splitlines() if line[:1].strip())
    return {key.strip(): value.strip().strip("'\"") for key, _, value in lines}


def _parameters(run: Path) -> dict[str, str]:
    files = sorted(path for path in (run / "params").rglob("*") if path.is_file())
    return {_key(path, run / "params"): text_of(path) for path in files}


def _metrics(run: Path) -> dict[str, float]:
    """The value of the last step of each: a line is a moment, a value and a step."""
    found: dict[str, float] = {}
    for path in sorted(path for path in (run / "metrics").rglob("*") if path.is_file()):
        lines = [line.split() for line in text_of(path).split("\n") if line.strip()]
        try:
            logged = [(int([*words[2:], "0"][0]), int(words[0]), float(words[1])) for words in lines]
            found[_key(path, run / "metrics")] = max(logged)[-1]  # as MLflow itself says which one is the latest
        except (IndexError, ValueError):
            raise InputError(
                f"the metric {path.name!r:.60} of the run {run.name} is not as MLflow writes it."
            ) from None
    return found


def _moment(began: Any) -> int:
    """When a run began, in milliseconds."""
    try:
        return int(began or 0)
    except (OverflowError, TypeError, ValueError):
        raise InputError(f"a run of MLflow begins at a time in milliseconds, got {shown(began)}.") from None


def _key(path: Path, folder: Path) -> str:
    return unquote(path.relative_to(folder).as_posix())
