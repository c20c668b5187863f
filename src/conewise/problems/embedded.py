"""Load the examples of the paper, which are shipped with the package."""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import Final

import numpy as np

from conewise.errors import InputError, shown
from conewise.noise import Gaussian
from conewise.problems.simulated import NoiseSource, SimulatedBandit


def load(name: str, noise: Gaussian | NoiseSource | None = None) -> SimulatedBandit:
    """Return an example: "snw" (206 sorting networks) or "imrt" (4 radiation treatments), both with 2 objectives.

    Unless given, noise is independent and normal with sigma = 1, as in the paper's experiments.

    >>> load("snw").means.shape
    (206, 2)
    """
    if not isinstance(name, str) or name not in _EXAMPLES:
        raise InputError(f"no embedded problem is called {shown(name)}; choose one of {', '.join(_EXAMPLES)}.")
    return _EXAMPLES[name](noise if noise is not None else Gaussian(1.0))


def _snw(noise: Gaussian | NoiseSource) -> SimulatedBandit:
    """Return the data of Ararat & Tekin 2023, section 7, raw: log2 values, area negated, not standardised."""
    text = files("conewise.problems").joinpath("data/snw.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    means = np.array([[-float(row["log2_area"]), float(row["log2_throughput"])] for row in rows])
    names = tuple("/".join(f"{float(row[f'feature_{k}']):g}" for k in (1, 2, 3)) for row in rows)
    return SimulatedBandit(
        means + 0.0,
        noise,
        names=_unique(names),
        objectives=("log2 area", "log2 throughput"),
        minimised={"log2 area"},
        about="SNW: sorting networks on an FPGA. Zuluaga, Milder & Pueschel (2012); Zuluaga, Krause & Pueschel (2016).",
    )


def _imrt(noise: Gaussian | NoiseSource) -> SimulatedBandit:
    """Return Ararat & Tekin 2023, section 1.1: effect on the tumour against damage to healthy tissue."""
    means = np.array([[0.8, -0.3], [0.9, -0.5], [0.0, 0.0], [1.0, -1.0]])
    return SimulatedBandit(
        means,
        noise,
        names=("treatment 1", "treatment 2", "treatment 3", "treatment 4"),
        objectives=("effect on tumour", "damage to tissue"),
        minimised={"damage to tissue"},
        about="IMRT: four radiation treatments. Ararat & Tekin (2023), section 1.1.",
    )


def _unique(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names with a number appended where they repeat, because a name identifies a design."""
    seen: dict[str, int] = {}
    result = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return tuple(result)


_EXAMPLES: Final = {"snw": _snw, "imrt": _imrt}
