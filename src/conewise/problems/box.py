"""Define problems whose designs are points of a box of parameters, of which candidates are evaluated."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, Final

import numpy as np

from conewise.border import Floats, Indices, as_count, read_only
from conewise.data.observations import Observations, Pulls
from conewise.errors import InputError, shown
from conewise.noise import Noise
from conewise.noise.text import as_noise
from conewise.problems.evaluators import EvaluationFailed, LocalFunction
from conewise.problems.parameters import Parameter, as_parameters
from conewise.problems.simulated import Seed, as_generator

CANDIDATES: Final = 256
"""Default number of candidates to begin with."""
MOST_CANDIDATES: Final = 10_000
_LARGEST_SEED: Final = 2**63 - 1
_EDGE: Final = 1 / 32  # share of a range at each end that is moved to the end itself, where optima often are
_CORNERS: Final = 1 / 8  # largest share of the candidates that are corners
_DIGITS: Final = 4  # digits of a number in the name of a design


@dataclass(frozen=True, eq=False)
class Box:
    """Parameters and a function that evaluates a setting once; `identify` finds out which settings are best.

    Without the function, a box is for a study, which hands out settings (`Study.create(designs=Box(...))`).

    `parameters` is a dict. `(20, 90)` is a number between 20 and 90, and `(1e-4, 1e-1, "log")` a number for which
    ratios matter. `range(1, 9)` is a whole number from 1 to 8, and `[8, 16, 32]` one of these numbers.
    `["oil", "water"]` is one of these words. `evaluate(design)` gets a setting as a dict and returns one number for
    each objective: a list, or a dict by the objectives' names. `evaluate(design, seed)` also gets a seed.

    Infinitely many settings cannot be compared, so there are `candidates`. At first this is that many points of a
    scrambled Sobol' sequence (with this `seed`). More points are added near the best ones. If there are no more
    settings than that, all are candidates. `noise` is the assumption about the noise of an evaluation.

    >>> box = Box({"temp": (20, 90), "oil": ["a", "b"]}, evaluate=lambda design: [design["temp"], 1.0], candidates=4)
    >>> [design["oil"] for design in box.designs(box.first())]
    ['b', 'a', 'b', 'a']

    Reference: docs/features.
    """

    parameters: Mapping[str, Any]
    evaluate: Callable[..., Any] | None = field(default=None, kw_only=True)
    noise: Noise | None = field(default=None, kw_only=True)
    candidates: int = field(default=CANDIDATES, kw_only=True)
    seed: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "each", as_parameters(self.parameters))
        object.__setattr__(self, "candidates", as_count(self.candidates, "candidates", 2, MOST_CANDIDATES))
        object.__setattr__(self, "seed", as_count(self.seed, "seed", 0, _LARGEST_SEED))
        object.__setattr__(self, "noise", None if self.noise is None else as_noise(self.noise))
        _ = self._arguments

    each: tuple[Parameter, ...] = field(init=False)
    """The parameters, in the order of the dict."""

    @cached_property
    def _arguments(self) -> int:
        """Number of arguments of `evaluate`: 1 for a design, 2 for a design and a seed, 0 without a function."""
        if self.evaluate is None:
            return 0
        if not callable(self.evaluate):
            raise InputError(f"evaluate must be a function of a design (a dict), got {shown(self.evaluate)}.")
        try:
            takes = inspect.signature(self.evaluate)
        except (TypeError, ValueError):
            return 1  # some functions written in C have no signature
        arguments: tuple[Any, ...]
        for arguments in (({},), ({}, 0)):
            try:
                takes.bind(*arguments)
            except TypeError:
                continue
            return len(arguments)
        raise InputError(f"evaluate must take a design (a dict), or a design and a seed; it takes {takes}.")

    @cached_property
    def size(self) -> int | None:
        """Number of different settings; None for infinitely many."""
        counts = [len(parameter.values) for parameter in self.each]
        return math.prod(counts) if all(counts) else None

    def first(self) -> Floats:
        """Return the first candidates as places between 0 and 1, (n, P): all settings if they are few."""
        if self.size is not None and self.size <= self.candidates:
            shares = [(np.arange(len(p.values)) + 0.5) / len(p.values) for p in self.each]
            return np.array(list(product(*shares)))
        corners = self.corners
        return self.distinct(np.vstack([corners, self.points(0, self.candidates - len(corners))]))

    @cached_property
    def corners(self) -> Floats:
        """Corners of the box that are among the first candidates, (n, P); none if there are too many.

        At the corners a model would have to extrapolate.
        """
        if 2 ** len(self.each) > self.candidates * _CORNERS or (self.size is not None and self.size <= self.candidates):
            return np.empty((0, len(self.each)))
        return self.distinct(self.snapped(np.array(list(product((0.0, 1.0), repeat=len(self.each))))))

    def points(self, start: int, count: int) -> Floats:
        """Return points of the scrambled Sobol' sequence from index `start` on, (count, P), some moved to the ends."""
        from scipy.stats import qmc

        sequence = qmc.Sobol(len(self.each), scramble=True, seed=np.random.default_rng(self.seed))
        # Only 2^m points are balanced; any part of them may serve as candidates.
        inside = sequence.random_base2((start + count - 1).bit_length())[start : start + count]
        return self.snapped((inside - _EDGE) / (1 - 2 * _EDGE))  # points beyond an end are moved to that end

    def snapped(self, places: Floats) -> Floats:
        """Return places moved to the places of the settings that they stand for."""
        return np.column_stack([p.snapped(places[:, k]) for k, p in enumerate(self.each)])

    def distinct(self, places: Floats, known: Floats | None = None) -> Floats:
        """Return each setting once, in order, without settings that are in `known`."""
        before = 0 if known is None else len(known)
        whole = places if known is None else np.vstack([known, places])
        _, first = np.unique(whole, axis=0, return_index=True)
        return np.asarray(whole[np.sort(first[first >= before])])

    def designs(self, places: Floats) -> list[dict[str, Any]]:
        """Return the settings as dicts."""
        columns = [p.at(places[:, k]) for k, p in enumerate(self.each)]
        return [dict(zip((p.name for p in self.each), row, strict=True)) for row in zip(*columns, strict=True)]

    def placed(self, designs: Sequence[Mapping[str, Any]]) -> Floats:
        """Return the places of settings, (n, P); other entries of a design are ignored."""
        return np.column_stack([p.placed([design[p.name] for design in designs]) for p in self.each])

    def to_dict(self) -> dict[str, Any]:
        """Return all but the function and the noise, for a journal; `Box(**data)` reads it back."""
        return {
            "parameters": {p.name: p.written() for p in self.each},
            "candidates": self.candidates,
            "seed": self.seed,
        }

    def features(self, places: Floats) -> tuple[Floats, Indices]:
        """Return the features of settings for a model, (n, H), and the parameter of each feature, (H,).

        Features are scaled by the box, not by the candidates, so a prior stays unchanged when candidates are added.
        """
        owner = np.repeat(np.arange(len(self.each)), [p.width for p in self.each])
        return np.hstack([p.features(places[:, k]) for k, p in enumerate(self.each)]), owner

    def at(self, places: Floats, objectives: Sequence[str]) -> Candidates:
        """Return a problem whose designs are these settings."""
        return Candidates(self, read_only(np.array(places)), tuple(objectives))


@dataclass(frozen=True, eq=False)
class Candidates:
    """Some settings of a box as the designs of a problem."""

    box: Box
    places: Floats
    objectives: tuple[str, ...]

    @cached_property
    def designs(self) -> list[dict[str, Any]]:
        """Settings as dicts, (K,)."""
        return self.box.designs(self.places)

    @property
    def names(self) -> tuple[str, ...]:
        """Settings in words, (K,)."""
        return tuple(", ".join(f"{name}={_short(value)}" for name, value in one.items()) for one in self.designs)

    def joined(self, places: Floats) -> Candidates:
        """Return a problem with more settings; earlier settings keep their numbers."""
        return self.box.at(np.vstack([self.places, places]), self.objectives)

    @property
    def n_designs(self) -> int:
        """Number of candidates K."""
        return len(self.places)

    @property
    def dim(self) -> int:
        """Number of objectives D."""
        return len(self.objectives)

    @property
    def assumption(self) -> Noise | None:
        """Assumption about the noise."""
        return self.box.noise

    def evaluate(self, pulls: Pulls, rng: Seed) -> Observations:
        """Call the function once for each evaluation."""
        generator = as_generator(rng)
        order = np.repeat(pulls.designs, pulls.counts)
        return Observations.single(order, np.array([self._values(int(k), generator) for k in order]))

    def _values(self, which: int, rng: np.random.Generator) -> list[float]:
        if self.box.evaluate is None:
            raise InputError("this box has no function that evaluates a setting: pass evaluate=... to it.")
        design = dict(self.designs[which])
        evaluate, takes_seed = self.box.evaluate, self.box._arguments == 2
        seed = int(rng.integers(2**63)) if takes_seed else 0
        call = LocalFunction(evaluate if takes_seed else lambda design, _: evaluate(design))
        try:
            return call.evaluate(design, seed, self.objectives)
        except EvaluationFailed as failed:
            raise InputError(f"evaluate failed at {self.names[which]}: {str(failed).rstrip('.')}.") from failed


def _short(value: Any) -> str:
    return f"{value:.{_DIGITS}g}" if isinstance(value, float) else str(value)
