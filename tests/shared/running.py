"""Studies that runs evaluate: how they are made, and when two of them agree."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from pathlib import Path

import numpy as np

from conewise import Cone
from conewise.noise import Gaussian
from conewise.studies.study import Study
from shared import simulators

NAIVE = {"algorithm": "naive", "options": {"evaluations_each": 4}}
SETTINGS = {
    "cone": Cone.planar(100),
    "epsilon": 0.05,
    "delta": 0.05,
    "noise": Gaussian(simulators.SIGMA),
    "algorithm": "elimination",
    "seed": 5,
}


def designs(folder: Path, n: int = 5) -> list[dict]:
    return [{"name": f"d{k}", "x": k / n, "folder": str(folder)} for k in range(n)]


def make(folder: Path, name: str = "trial", **changes) -> Study:
    settings = SETTINGS | {"objectives": ["gain", "cost"], "minimise": ["cost"]} | changes
    return Study.create(folder / f"{name}.db", designs=settings.pop("designs", designs(folder)), **settings)


def values(study: Study) -> dict[str, tuple[float, ...]]:
    told = study.evaluations()
    return dict(zip(told.ids, map(tuple, told.values.tolist()), strict=True))


def same_answer(study: Study, reference: Study) -> None:
    """The same decisions from the same values; evaluations ahead of the last round may differ in number only."""
    assert study.finished
    assert reference.finished
    ours, theirs = study.result(), reference.result()
    for part in ("pareto", "status", "counts", "means"):
        np.testing.assert_array_equal(getattr(ours, part), getattr(theirs, part))
    assert ours.certified_epsilon == theirs.certified_epsilon
    first, second = values(study), values(reference)
    assert {key: first[key] for key in first.keys() & second.keys()} == {
        key: second[key] for key in first.keys() & second.keys()
    }


def nothing_in_flight(study: Study) -> None:
    assert study.leases() == []


class Broken(Executor):
    """Loses every worker, or everything else that an executor may do."""

    _max_workers = 2

    def __init__(self, error):
        self.error = error

    def __repr__(self):
        return "broken"

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        future.set_exception(self.error)
        return future
