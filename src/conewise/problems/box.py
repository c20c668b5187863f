"""Designs that are points of a box: parameters to set, of which candidates are evaluated."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, Final

import numpy as np

from conewise._arrays import Floats, Indices, as_count, read_only
from conewise.errors import InputError, shown
from conewise.feedback import Observations, Pulls
from conewise.noise import Noise
from conewise.problems.evaluators import EvaluationFailed, LocalFunction
from conewise.problems.parameters import Parameter, as_parameters
from conewise.problems.simulated import Seed, as_generator

CANDIDATES: Final = 256
"""Points to begin with."""
MOST_CANDIDATES: Final = 10_000
_LARGEST_SEED: Final = 2**63 - 1
_EDGE: Final = 1 / 32  # of a range, at both ends, whose points lie on the ends themselves: optima often do
_CORNERS: Final = 1 / 8  # of the candidates, at most
_DIGITS: Final = 4  # of a number in the name of a design


@dataclass(frozen=True, eq=False)
class Box:
    """Parameters to set, and a function that evaluates a setting once: `identify` finds out which settings are best.

    Without the function it is a box for a study, which hands its settings out (`Study.create(designs=Box(...))`).

    `parameters` is a dict: `(20, 90)` is a number between 20 and 90, `(1e-4, 1e-1, "log")` one for which ratios matter,
    `range(1, 9)` a whole number from 1 to 8, `[8, 16, 32]` one of these numbers, `["oil", "water"]` one of these words.
    `evaluate(design)` gets such a setting as a dict (or `evaluate(design, seed)`, a whole number for its randomness as
    well), and returns one number for each objective: a list, or a dict by the objectives' names.

    Infinitely many settings cannot be told apart, so there are `candidates`: that many points of a scrambled Sobol'
    sequence (of this `seed`) to begin with, and more where the best ones seem to be. All settings are candidates where
    there are no more than that. `noise` is what may be assumed of an evaluation.

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
        if self.noise is not None and not isinstance(self.noise, Noise):
            raise InputError(f"noise must be an assumption such as Gaussian(sigma), got {shown(self.noise)}.")
        _ = self._arguments

    each: tuple[Parameter, ...] = field(init=False)
    """The parameters, in their order."""

    @cached_property
    def _arguments(self) -> int:
        """How many arguments `evaluate` takes: a design, or a design and a seed; 0 where there is none."""
        if self.evaluate is None:
            return 0
        if not callable(self.evaluate):
            raise InputError(f"evaluate must be a function of a design (a dict), got {shown(self.evaluate)}.")
        try:
            takes = inspect.signature(self.evaluate)
        except (TypeError, ValueError):
            return 1  # some functions written in C do not say what they take
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
        """How many different settings there are; None for infinitely many."""
        counts = [len(parameter.values) for parameter in self.each]
        return math.prod(counts) if all(counts) else None

    def first(self) -> Floats:
        """(n, P): the candidates to begin with, as places between 0 and 1: all settings, where they are few."""
        if self.size is not None and self.size <= self.candidates:
            shares = [(np.arange(len(p.values)) + 0.5) / len(p.values) for p in self.each]
            return np.array(list(product(*shares)))
        corners = self.corners
        return self.distinct(np.vstack([corners, self.points(0, self.candidates - len(corners))]))

    @cached_property
    def corners(self) -> Floats:
        """(n, P): the corners, which are the first candidates where they are few: there a model has to extrapolate."""
        if 2 ** len(self.each) > self.candidates * _CORNERS or (self.size is not None and self.size <= self.candidates):
            return np.empty((0, len(self.each)))
        return self.distinct(self.snapped(np.array(list(product((0.0, 1.0), repeat=len(self.each))))))

    def points(self, start: int, count: int) -> Floats:
        """(count, P): points of the scrambled Sobol' sequence from one on, some on the ends of ranges."""
        from scipy.stats import qmc

        sequence = qmc.Sobol(len(self.each), scramble=True, seed=np.random.default_rng(self.seed))
        # Powers of 2 alone are balanced; any part of them is a set of candidates.
        inside = sequence.random_base2((start + count - 1).bit_length())[start : start + count]
        return self.snapped((inside - _EDGE) / (1 - 2 * _EDGE))  # what goes beyond an end is moved to that end

    def snapped(self, places: Floats) -> Floats:
        """Places moved to those of the settings that they stand for."""
        return np.column_stack([p.snapped(places[:, k]) for k, p in enumerate(self.each)])

    def distinct(self, places: Floats, known: Floats | None = None) -> Floats:
        """Each setting once, in this order, without those that are known already."""
        before = 0 if known is None else len(known)
        whole = places if known is None else np.vstack([known, places])
        _, first = np.unique(whole, axis=0, return_index=True)
        return np.asarray(whole[np.sort(first[first >= before])])

    def designs(self, places: Floats) -> list[dict[str, Any]]:
        """The settings as dicts."""
        columns = [p.at(places[:, k]) for k, p in enumerate(self.each)]
        return [dict(zip((p.name for p in self.each), row, strict=True)) for row in zip(*columns, strict=True)]

    def placed(self, designs: Sequence[Mapping[str, Any]]) -> Floats:
        """(n, P): where settings lie; what else a design has does not matter."""
        return np.column_stack([p.placed([design[p.name] for design in designs]) for p in self.each])

    def to_dict(self) -> dict[str, Any]:
        """All but the function and the noise, as a journal can hold it; `Box(**data)` reads it back."""
        return {
            "parameters": {p.name: p.written() for p in self.each},
            "candidates": self.candidates,
            "seed": self.seed,
        }

    def features(self, places: Floats) -> tuple[Floats, Indices]:
        """(n, H) and (H,): what a model sees of settings, and the parameter of each column.

        They are scaled by the box, not by the candidates: a prior stays what it was when candidates join.
        """
        owner = np.repeat(np.arange(len(self.each)), [p.width for p in self.each])
        return np.hstack([p.features(places[:, k]) for k, p in enumerate(self.each)]), owner

    def at(self, places: Floats, objectives: Sequence[str]) -> Candidates:
        """A problem whose designs are these settings."""
        return Candidates(self, read_only(np.array(places)), tuple(objectives))


@dataclass(frozen=True, eq=False)
class Candidates:
    """Some settings of a box as the designs of a problem."""

    box: Box
    places: Floats
    objectives: tuple[str, ...]

    @cached_property
    def designs(self) -> list[dict[str, Any]]:
        """(K,): the settings."""
        return self.box.designs(self.places)

    @property
    def names(self) -> tuple[str, ...]:
        """(K,): the settings in words."""
        return tuple(", ".join(f"{name}={_short(value)}" for name, value in one.items()) for one in self.designs)

    def joined(self, places: Floats) -> Candidates:
        """These and others: earlier ones keep their numbers."""
        return self.box.at(np.vstack([self.places, places]), self.objectives)

    @property
    def n_designs(self) -> int:
        """The number of candidates K."""
        return len(self.places)

    @property
    def dim(self) -> int:
        """The number of objectives D."""
        return len(self.objectives)

    @property
    def assumption(self) -> Noise | None:
        """What may be taken for granted of the noise."""
        return self.box.noise

    def evaluate(self, pulls: Pulls, rng: Seed) -> Observations:
        """One call of the function an evaluation."""
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
