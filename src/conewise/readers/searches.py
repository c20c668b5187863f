"""`cv_results_` of a search of scikit-learn: one design a setting, one evaluation a fold."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import product
from numbers import Real
from pathlib import Path
from typing import Any, Final

from conewise.errors import InputError, shown
from conewise.question.objectives import Objective
from conewise.readers.imported import Imported, as_value, beside, chosen, named_by
from conewise.reading import text_of

_SPLIT: Final = re.compile(r"split([0-9]+)_test_(.+)")


def cv_results(results: Any, *, objectives: Sequence[str | Objective] = ()) -> Imported:
    """The folds of every setting that a search of scikit-learn has tried, under every score.

    `results` is `search.cv_results_`, the fitted search itself, or a JSON file of it. Scores of scikit-learn are larger
    where they are better (neg_log_loss). All settings meet the same folds, so that their evaluations are not
    independent: compare them fold by fold, `analyse(table, block="fold", population="all", ...)`; otherwise the answer
    is a guess.
    """
    data = _data(results)
    found: dict[str, dict[int, Any]] = {}
    for key, entries in data.items():
        match = _SPLIT.fullmatch(str(key))
        if match:
            found.setdefault(match[2], {})[int(match[1])] = entries
    if "params" not in data or not found:
        raise InputError(
            "cv_results_ of scikit-learn has params and split0_test_..., got "
            f"{', '.join(map(str, list(data)[:6])) or 'nothing'}."
        )
    wanted = chosen(list(found), objectives, "cv_results_")
    folds = sorted(next(iter(found.values())))
    _check_whole(data["params"], found)
    _check_one_size(data)
    rows = []
    for place, parameters in enumerate(data["params"]):
        name = named_by(dict(parameters))
        for fold in folds:
            scores = {
                metric: as_value(found[metric][fold][place], f"split{fold}_test_{metric} of {name!r:.60}")
                for metric in found
            }
            rows.append(beside({"design": name, "fold": fold}, scores))
    return Imported(rows, wanted, shared="folds", block="fold")


def _check_whole(settings: Any, found: Mapping[str, Mapping[int, Any]]) -> None:
    """Refuse a file that somebody has cut: a score of every setting in every fold, for every metric."""
    if not _is_list(settings) or not all(isinstance(setting, Mapping) for setting in settings):
        raise InputError(f"params in cv_results_ must list the parameters of every setting, got {shown(settings)}.")
    folds = sorted({fold for scores in found.values() for fold in scores})
    for metric, fold in product(found, folds):
        entries = found[metric].get(fold)
        where = f"split{fold}_test_{metric} in cv_results_ must have a number for each of the {len(settings)} settings"
        if entries is None or not _is_list(entries):
            raise InputError(f"{where} in params, got {shown(entries)}.")
        if len(entries) != len(settings):
            raise InputError(f"{where} in params, got {len(entries)}.")
        strays = [score for score in entries if not isinstance(score, Real)]
        if strays:
            raise InputError(f"{where}, got {shown(strays[0])}.")


def _check_one_size(data: Mapping[str, Any]) -> None:
    """Refuse a search by halving: its scores of one setting are of several sizes, and are no repetitions."""
    sizes = data.get("n_resources", ())
    found = list(dict.fromkeys(map(str, sizes))) if _is_list(sizes) else []
    if len(found) > 1:
        raise InputError(
            f"these are the scores of a search by halving, with n_resources {', '.join(found)[:60]}, which are no "
            "repetitions of each other; keep the entries of one iteration (`iter`)."
        )


def _is_list(entries: Any) -> bool:
    return hasattr(entries, "__len__") and not isinstance(entries, str | bytes | Mapping)


def _data(results: Any) -> Mapping[str, Any]:
    if isinstance(results, str | Path):
        path = Path(results)
        if not path.is_file():
            raise InputError(f"there is no file {path}.")
        try:
            results = json.loads(text_of(path))
        except (ValueError, RecursionError):
            raise InputError(f"{path.name} is not valid JSON; a file of cv_results_ was expected.") from None
    if isinstance(results, Mapping) and "cv_results_" in results:
        results = results["cv_results_"]
    results = getattr(results, "cv_results_", results)
    if not isinstance(results, Mapping):
        raise InputError(f"cv_results_ of a search, or the search itself, was expected, got {shown(results)}.")
    return results
