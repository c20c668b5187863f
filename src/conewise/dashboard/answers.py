"""The numbers on the page: the Pareto set under a cone, what it costs, and who enters or leaves."""

from __future__ import annotations

import csv
import io
import math
import shlex
from typing import Any, Final

import numpy as np

from conewise.cone.cone import Cone
from conewise.dashboard.levels import as_options, missed
from conewise.dashboard.sources import Designs, not_out
from conewise.dashboard.views import views
from conewise.errors import ConewiseError, InputError, printable
from conewise.noise import Gaussian, Noise
from conewise.order.budgets import naive_budget
from conewise.order.complexity import hardness
from conewise.order.dominance import dominates, pareto_mask
from conewise.report.words import describe
from conewise.rules import Status
from conewise.tables.spreadsheets import guarded

DRAWN: Final = 1500
"""Designs of each kind in a picture: more cannot be told apart, and a browser must stay quick."""
WHOLE: Final = 200_000
"""Designs with two objectives that a page holds itself."""
LISTED: Final = 200
"""Names in a list."""
_RIVALS: Final = 10
_MOVED: Final = 12  # names of those that entered or left since the last cone
_MOST_PAIRS: Final = 10**8  # comparisons after which the hardness is not worth waiting for


def backdrop(designs: Designs) -> dict[str, Any]:
    """The designs to draw behind the front: all, or an even sample that is the same in every answer."""
    known = designs.known
    if len(known) > DRAWN:
        known = np.sort(np.random.default_rng(0).choice(known, DRAWN, replace=False))
    there = designs.values[designs.known]
    return {
        "version": designs.version,
        "designs": len(designs.names),
        "unknown": len(designs.names) - len(designs.known),
        "objectives": [printable(name) for name in designs.objectives],
        "minimised": [printable(name) for name in designs.minimised],
        "units": designs.meaning.units.tolist(),
        "ranges": np.column_stack([there.min(axis=0), there.max(axis=0)]).tolist() if len(there) else [],
        "drawn": _points(designs, known),
        "probability": None if designs.probability is None else designs.probability.tolist(),
    }


def front(designs: Designs, cone: Cone) -> np.ndarray:
    """Places of the Pareto designs among all designs."""
    if not len(designs.known):
        return designs.known
    return np.asarray(designs.known[pareto_mask(designs.means, cone)])


def facts(designs: Designs, cone: Cone) -> dict[str, Any]:
    """What a preference means, which does not depend on the designs' values."""
    complexity = cone.complexity
    return {
        "cone": str(cone),
        "option": " ".join(filter(None, [f"--cone {shlex.quote(str(cone))}", as_options(designs)])),
        "beta": complexity.beta,
        "exact": complexity.exact,
        "words": describe(cone, designs.meaning.names, designs.meaning.minimised, designs.meaning.units),
        "rays": cone.rays.tolist() if cone.dim == 2 else None,
        "views": views(cone),
    }


def in_steps(designs: Designs) -> tuple[list[str], list[str]]:
    """The names of the objectives, and of those that should be small, with the unit in which the cone counts them."""
    each = designs.meaning.each
    names = {o.name: f"{o.name} / {o.unit:.6g}" if o.unit != 1 else o.name for o in each}
    return list(names.values()), [names[o.name] for o in each if o.minimised]


def gives(designs: Designs, pareto: np.ndarray) -> dict[str, Any]:
    """How many designs are Pareto, and those to draw: all, or an even choice along the list."""
    shown = pareto
    if len(pareto) > DRAWN:
        shown = pareto[np.linspace(0, len(pareto) - 1, DRAWN).round().astype(int)]
    return {"pareto": len(pareto), "points": _points(designs, shown), "study": None}


def by_study(designs: Designs, status: np.ndarray, front: np.ndarray) -> dict[str, Any]:
    """Return what a study says under its own cone; the front of the averages is its guess while some are undecided."""
    counts, open_ = {word.key: int((status == word.value).sum()) for word in Status}, not_out(status)
    shown = gives(designs, open_[np.isfinite(designs.values[open_]).all(axis=1)])
    guess = _named(designs, front, _MOVED) if counts["undecided"] else None
    study = {"counts": counts, "letters": "".join(word[0] for word in status), "guess": guess}
    return {**shown, "pareto": counts["kept"], "study": study}


def cost(designs: Designs, cone: Cone, noise: Noise, epsilon: float, delta: float) -> dict[str, Any]:
    """Evaluations that naive elimination needs: a guarantee before any data, whatever the true means are."""
    if len(designs.names) == 1:
        raise ConewiseError("A single design is the Pareto set, with no evaluation at all.")
    bound: Any = "gaussian" if isinstance(noise, Gaussian) else "subgaussian"
    each = naive_budget(cone, noise, len(designs.names), epsilon, delta, bound=bound)
    return {"each": each, "total": each * len(designs.names), "bound": bound}


def hardness_of(
    designs: Designs, cone: Cone, pareto: np.ndarray, sigma: float, epsilon: float, delta: float
) -> dict[str, Any]:
    """sigma^2 H log(1/delta), the rate below which no correct rule can stay if these values were the true means.

    Ararat & Tekin 2023, Theorem 5.1, for noise of scale sigma; the constant in front is not known.
    """
    if len(pareto) * len(designs.known) > _MOST_PAIRS:
        raise ConewiseError("too many designs are Pareto to measure every gap while you wait.")
    if designs.nobody is not None:
        raise ConewiseError(f"{designs.nobody}.")
    rate = sigma**2 * hardness(designs.means, cone, epsilon) * math.log(1 / delta)
    if not math.isfinite(rate):
        raise ConewiseError("the evaluations for this noise and accuracy are beyond counting.")
    return {"rate": rate}


def difference(designs: Designs, first: np.ndarray, second: np.ndarray) -> dict[str, Any]:
    """Who is Pareto under one cone only."""
    only_first, only_second = _apart(first, second)
    return {
        "both": len(first) - len(only_first),
        "only_first": _named(designs, only_first),
        "only_second": _named(designs, only_second),
    }


def moved(designs: Designs, before: Cone, old: np.ndarray, new: np.ndarray) -> dict[str, Any]:
    """Who has entered and who has left since another cone."""
    entered, left = _apart(new, old)
    return {
        "before": str(before),
        "entered": _named(designs, entered, _MOVED),
        "left": _named(designs, left, _MOVED),
    }


def design(designs: Designs, index: int, cone: Cone, pareto: np.ndarray) -> dict[str, Any]:
    """One design: its values, whether it is Pareto, and which Pareto designs beat it, the clearest first."""
    about = {**named(designs, index), "misses": missed(designs, index)}
    if about["values"] is None or about["misses"]:
        return {**about, "pareto": False, "rivals": [], "beaten_by": 0}
    means, mine = designs.means, designs.means[designs.known == index][0]
    better = means[np.searchsorted(designs.known, pareto)]
    beating = dominates(better, mine, cone)
    clearest = np.argsort(-cone.facet_values(better[beating] - mine).min(axis=1), kind="stable")
    rivals = pareto[beating][clearest]
    return {
        **about,
        "pareto": not len(rivals),
        "beaten_by": len(rivals),
        "rivals": [
            {**named(designs, k), "ahead": (designs.values[k] - designs.values[index]).tolist()}
            for k in rivals[:_RIVALS].tolist()
        ],
    }


def named(designs: Designs, index: int) -> dict[str, Any]:
    """One design by name, with its values."""
    values = designs.values[index]
    there = bool(np.isfinite(values).all())
    return {"index": index, "name": designs.shown([index])[0], "values": values.tolist() if there else None}


def everyone(designs: Designs) -> dict[str, Any]:
    """All designs that have values."""
    return _points(designs, designs.known)


def places_in(asked: object, total: int) -> list[int]:
    """Numbers of designs, as a request lists them."""
    if not isinstance(asked, list) or len(asked) > LISTED or not all(type(k) is int and 0 <= k < total for k in asked):
        raise InputError(f"designs are named by up to {LISTED} numbers from 0 to {total - 1}.")
    return asked


def as_csv(designs: Designs, places: list[int], pareto: np.ndarray) -> str:
    """Names, values and who remains; a name that a spreadsheet would compute is guarded."""
    text = io.StringIO(newline="")
    write = csv.writer(text)
    front = set(pareto.tolist())
    verdict = "pareto by the averages" if designs.averages else "pareto"
    write.writerow([guarded(str(word)) for word in ("design", *designs.objectives, verdict)])
    for k in places:
        row = ["" if np.isnan(value) else repr(value) for value in designs.values[k].tolist()]
        stands = "yes" if k in front else "misses a level" if missed(designs, k) else "no"
        write.writerow([guarded(str(designs.names[k])), *row, stands])
    return text.getvalue()


def _apart(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What stands in one of two sorted lists of distinct places only."""
    return (
        np.setdiff1d(first, second, assume_unique=True),
        np.setdiff1d(second, first, assume_unique=True),
    )


def _points(designs: Designs, places: np.ndarray) -> dict[str, Any]:
    return {
        "index": places.tolist(),
        "names": designs.shown(places.tolist()),
        "values": [column.tolist() for column in designs.values[places].T],
    }


def _named(designs: Designs, places: np.ndarray, most: int = LISTED) -> dict[str, Any]:
    shown = places[:most].tolist()
    return {"count": len(places), "index": shown, "names": designs.shown(shown)}
