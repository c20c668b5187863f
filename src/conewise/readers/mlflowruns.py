"""Runs of MLflow, from the files of a tracking folder or as objects: runs with equal parameters are one design."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from conewise.errors import InputError, shown
from conewise.objectives import Objective
from conewise.readers.imported import Imported, chosen, named_by

_FINISHED: Final = ("3", "FINISHED")  # as files have it, and as objects do


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

    `runs` are `mlflow.entities.Run` objects (`mlflow.search_runs(output_format="list")`), or a folder `mlruns` of
    files, where `experiment` says which one of several is meant, by name. By default all metrics that every run has are
    objectives; MLflow knows no directions, so say with `minimise` which of them should be small.
    """
    found = list(_from_files(Path(runs), experiment) if isinstance(runs, str | Path) else _from_objects(runs))
    done = sorted((run for run in found if run.finished), key=lambda run: run.began)
    if not done:
        raise InputError("there are no finished runs.")
    common = [metric for metric in done[0].metrics if all(metric in run.metrics for run in done)]
    wanted = chosen(common, objectives, "every run")
    rows = []
    for run in done:
        row: dict[str, Any] = {"design": named_by(run.parameters)}
        row |= {key: value for key, value in run.parameters.items() if key != "design" and key not in run.metrics}
        rows.append(row | run.metrics)
    return Imported(rows, wanted, minimise=minimise, left_out=len(found) - len(done))


def _from_objects(runs: Any) -> Iterable[_Run]:
    try:
        listed = list(runs)
    except TypeError:
        raise InputError(f"runs of MLflow or a folder of them was expected, got {shown(runs)}.") from None
    for run in listed:
        if not hasattr(run, "data") or not hasattr(run, "info"):
            raise InputError(f"a run of MLflow has data and info, got {shown(run)}.")
        metrics = {str(key): float(value) for key, value in run.data.metrics.items()}
        parameters = dict(sorted((str(key), str(value)) for key, value in run.data.params.items()))
        yield _Run(int(run.info.start_time), str(run.info.status) in _FINISHED, parameters, metrics)


def _from_files(folder: Path, experiment: str | None) -> Iterable[_Run]:
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}; MLflow keeps its files in one called mlruns.")
    experiments = {_meta(file).get("name", ""): file.parent for file in sorted(folder.glob("*/meta.yaml"))}
    experiments = {name: where for name, where in experiments.items() if any(where.glob("*/metrics"))}
    if experiment is None and len(experiments) != 1:
        names = ", ".join(experiments)[:200] or "none"
        raise InputError(f"{folder} holds {len(experiments)} experiments with runs ({names}); name one `experiment`.")
    if experiment is not None and experiment not in experiments:
        raise InputError(f"{folder} has no experiment {experiment!r:.60}; it has {', '.join(experiments)[:200]}.")
    where = experiments[experiment] if experiment is not None else next(iter(experiments.values()))
    for file in sorted(where.glob("*/meta.yaml")):
        about = _meta(file)
        if about.get("lifecycle_stage", "active") == "active":
            began = int(about.get("start_time") or 0)
            yield _Run(began, about.get("status") in _FINISHED, _parameters(file.parent), _metrics(file.parent))


def _meta(file: Path) -> dict[str, str]:
    """The lines `key: value` of a file; nothing else of YAML is needed."""
    lines = (line.partition(":") for line in file.read_text(encoding="utf-8").splitlines() if line[:1].strip())
    return {key.strip(): value.strip().strip("'\"") for key, _, value in lines}


def _parameters(run: Path) -> dict[str, str]:
    files = sorted(path for path in (run / "params").rglob("*") if path.is_file())
    return {_key(path, run / "params"): path.read_text(encoding="utf-8") for path in files}


def _metrics(run: Path) -> dict[str, float]:
    """The last line of each: a moment, a value, a step."""
    found: dict[str, float] = {}
    for path in sorted(path for path in (run / "metrics").rglob("*") if path.is_file()):
        lines = path.read_text(encoding="utf-8").split("\n")
        words = next((line.split() for line in reversed(lines) if line.strip()), [])
        try:
            found[_key(path, run / "metrics")] = float(words[1])
        except (IndexError, ValueError):
            raise InputError(
                f"the metric {path.name!r:.60} of the run {run.name} is not as MLflow writes it."
            ) from None
    return found


def _key(path: Path, folder: Path) -> str:
    return unquote(path.relative_to(folder).as_posix())
