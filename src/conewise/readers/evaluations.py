"""Logs of evaluations of language models: inspect-ai and lm-eval. Designs are models, blocks are samples."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from conewise.errors import InputError, shown
from conewise.question.objectives import Objective
from conewise.readers.imported import Imported, as_value, beside, chosen
from conewise.readers.packed import ENDING, unpacked
from conewise.reading import lines_of, text_of
from conewise.tables.designcolumns import called
from conewise.tables.files import check_each_once, copies_among
from conewise.tables.names import first_repeated

_GRADES: Final = {
    "C": 1.0,
    "I": 0.0,
    "P": 0.5,
    "N": 0.0,
}  # correct, incorrect, partial, no answer, as inspect-ai has it


def inspect(
    logs: Any, *, objectives: Sequence[str | Objective] = (), minimise: Sequence[str] = (), design: str = "model"
) -> Imported:
    """The samples of logs of inspect-ai, one evaluation a sample and epoch, one objective a scorer.

    `logs` are log files (.eval or .json), a folder of them, or `EvalLog` objects with samples. Grades count 1 (C), 0.5
    (P) and 0 (I, N). `design` is what is compared: "model", or "task". All models meet the same samples, so that their
    evaluations are not independent: compare them sample by sample, `analyse(table, block="sample", population="all",
    repetitions=True, ...)` where there are several epochs; otherwise the answer is a guess.
    """
    if design not in ("model", "task"):
        raise InputError(f'design must be "model" or "task", got {shown(design)}.')
    rows: list[dict[str, Any]] = []
    for where, log in _logs(logs):
        about = log.get("eval") or {}
        _check_log(about, log.get("samples"), where)
        if log.get("status") != "success" or not log.get("samples"):
            raise InputError(f"{where} is the log of an evaluation that did not succeed, or has no samples.")
        for sample in log["samples"]:
            scores = {name: _grade(score, name, where) for name, score in (sample.get("scores") or {}).items()}
            sample_id = f"{about.get('task')}/{sample.get('id')}"
            of = {"design": str(about.get(design)), "sample": sample_id, "epoch": sample.get("epoch")}
            rows.append(beside(of, scores))
    return _compared(rows, objectives, minimise, "the logs")


def lm_eval(
    files: Any,
    *,
    objectives: Sequence[str | Objective] = (),
    minimise: Sequence[str] = (),
    filter: str | None = None,
) -> Imported:
    """The samples that lm-eval logs (`--log_samples`): samples_TASK_TIME.jsonl in a folder for each model.

    `files` are such files or folders that hold them; the folder's name is the model's. One evaluation a document, one
    objective a metric. All models meet the same documents: compare them document by document, as with `inspect`.

    Where a task has several filters, such as "strict-match" and "flexible-extract", lm-eval writes a line for each of
    them, of one and the same answer: `filter` says which one counts.
    """
    rows: list[dict[str, Any]] = []
    for path in _files(files, "**/samples_*.jsonl"):
        task = path.name.removeprefix("samples_").rpartition("_")[0]
        here = []
        for number, line in lines_of(path):
            record = _loaded(line, f"{path.name}, line {number}")
            metrics = record.get("metrics") if isinstance(record, dict) else None
            if not isinstance(metrics, list) or not all(isinstance(m, str) for m in metrics) or "doc_id" not in record:
                raise InputError(f"{path.name}, line {number} is no sample of lm-eval: it lacks metrics or doc_id.")
            scores = {metric: _number(record.get(metric), metric, path.name) for metric in metrics}
            model, sample = path.resolve().parent.name, f"{task}/{record['doc_id']}"
            here.append(beside({"design": model, "sample": sample, "filter": str(record.get("filter"))}, scores))
        rows += _of_filter(here, filter, path.name)
    return _compared(rows, objectives, minimise, "the samples")


def _of_filter(rows: list[dict[str, Any]], wanted: str | None, where: str) -> list[dict[str, Any]]:
    """The lines of one filter of a task, in which every document stands once."""
    filters = list(dict.fromkeys(row["filter"] for row in rows))
    if len(filters) > 1 and wanted not in filters:
        raise InputError(
            f"{where} has a line for each of the filters {', '.join(filters)[:200]}, of the same answers; say which "
            f"one counts with `filter` in Python, got {shown(wanted)}, or keep the lines of one."
        )
    kept = [row for row in rows if len(filters) == 1 or row["filter"] == wanted]
    twice = first_repeated([row["sample"] for row in kept])
    if twice is not None:
        raise InputError(f"{where} has two lines for the sample {twice!r:.60}; keep one of them.")
    return kept


def _check_log(about: Any, samples: Any, where: str) -> None:
    """Refuse what is not as inspect-ai writes it: a file may hold anything."""
    good = isinstance(about, Mapping) and isinstance(samples, list | tuple | None)
    for sample in (samples or ()) if good else ():
        good = isinstance(sample, Mapping) and isinstance(sample.get("scores") or {}, Mapping)
        if not good:
            break
    if not good:
        raise InputError(f"{where} is not as inspect-ai writes a log: eval, status, and samples that have scores.")


def _compared(
    rows: list[dict[str, Any]], objectives: Sequence[str | Objective], minimise: Sequence[str], what: str
) -> Imported:
    about = ("design", "sample", "epoch", "filter")
    found = [key for key in dict.fromkeys(key for row in rows for key in row) if key not in about]
    wanted = chosen(found, objectives, what)
    for row in rows:
        lacking = next((name for name in called(wanted) if name not in row), None)
        if lacking is not None:
            raise InputError(
                f"the sample {row['sample']!r:.60} of {row['design']!r:.60} has no {lacking!r:.60}, which others have; "
                "choose objectives that every sample has, or leave that sample out for all models alike."
            )
    return Imported(rows, wanted, minimise=minimise, shared="samples", block="sample")


def _logs(given: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(given, str | Path) or _are_paths(given):
        for path in _files(given, "**/*.json", f"**/*{ENDING}"):
            if path.suffix == ENDING:
                yield path.name, _from_packed(path)
                continue
            found = _loaded(text_of(path), path.name)
            if not isinstance(found, Mapping):
                raise InputError(f"{path.name} is no log of inspect-ai: it holds {shown(found)}.")
            yield path.name, found
        return
    for log in given if isinstance(given, Iterable) and not isinstance(given, Mapping) else [given]:
        plain = log.model_dump() if hasattr(log, "model_dump") else log
        if not isinstance(plain, Mapping):
            raise InputError(f"a log of inspect-ai was expected, got {shown(log)}.")
        yield "a log", plain


def _from_packed(path: Path) -> dict[str, Any]:
    """The parts of a packed log as one: its header, and a file for each sample and epoch."""
    header: dict[str, Any] = {}
    samples = []
    for name, data in unpacked(path, lambda name: name == "header.json" or name.startswith("samples/")):
        part = _loaded(data.decode("utf-8", "replace"), f"{path.name}, {name}")
        if not isinstance(part, dict):
            raise InputError(f"{path.name}, {name} is not as inspect-ai writes it.")
        if name == "header.json":
            header = part
        else:
            samples.append({key: part[key] for key in ("id", "epoch", "scores") if key in part})
    return {**header, "samples": samples}


def _are_paths(given: Any) -> bool:
    return isinstance(given, list | tuple) and bool(given) and all(isinstance(path, str | Path) for path in given)


def _files(given: Any, *patterns: str) -> list[Path]:
    if not isinstance(given, str | Path) and not _are_paths(given):
        raise InputError(f"a file, a folder, or a list of them was expected, got {shown(given)}.")
    paths = [Path(path) for path in ([given] if isinstance(given, str | Path) else given)]
    found: list[Path] = []
    for path in paths:
        found += sorted(file for pattern in patterns for file in path.glob(pattern)) if path.is_dir() else [path]
    missing = next((path for path in found if not path.is_file()), None)
    if missing is not None or not found:
        like = f"like {' or '.join(patterns)} in {paths[0]}"
        raise InputError(f"there is no file {missing or like}.")
    check_each_once(found)
    for first, second in copies_among(found):
        raise InputError(f"{first} and {second} hold the same bytes, and would count twice; leave one of them out.")
    return found


def _loaded(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"{what} is not valid JSON.") from None


def _grade(score: Any, name: str, where: str) -> float:
    value = score.get("value") if isinstance(score, Mapping) else score
    return _GRADES[value] if isinstance(value, str) and value in _GRADES else _number(value, name, where)


def _number(value: Any, name: str, where: str) -> float:
    if isinstance(value, bool | int | float):
        return as_value(value, f"{where}: {name!r:.60}")
    raise InputError(f"{where}: {name!r:.60} is {shown(value)}, where a number or a grade (C, P, I, N) was expected.")
