"""Rubbish for every argument of every public function: an error of conewise's own, in one line, or an answer.

Arguments are replaced one at a time, the others stay good. Values that are no answer to look at (records that the
library hands out: `Result`, `Verdict`, ...) are not made by users and not here.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import conewise as cw
from conewise import Cone, noise, problems


class Labelled(np.ndarray):
    """A subclass of arrays, as units and tables make them."""


def read_only(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array


class Silent:
    """Something that is nothing the library knows."""

    def __repr__(self) -> str:
        return "<silent>"


RUBBISH: dict[str, Any] = {
    "None": None,
    "True": True,
    "text": "planar",
    "empty text": "",
    "bytes": b"1",
    "nan": math.nan,
    "inf": math.inf,
    "minus inf": -math.inf,
    "negative": -1,
    "zero": 0,
    "half": 0.5,
    "tiny": 5e-324,
    "huge float": 1.7e308,
    "integer of 400 digits": 10**400,
    "negative integer of 400 digits": -(10**400),
    "integer of 5000 digits": 10**5000,
    "complex": 1 + 2j,
    "decimal": Decimal("NaN"),
    "fraction": Fraction(10**400, 3),
    "object": Silent(),
    "class": Silent,
    "function": lambda: 1,
    "list": [],
    "nested lists": [[[]]],
    "unequal rows": [[1, 2], [3]],
    "dictionary": {"a": 1},
    "set": {1, "a"},
    "array of nothing": np.empty((0, 2)),
    "array without columns": np.empty((3, 0)),
    "single value": np.array(1.0),
    "single text": np.array("a"),
    "objects": np.array([[1, None], ["a", 2]], dtype=object),
    "huge integers": np.array([[10**400, 1], [1, 1]], dtype=object),
    "complex array": np.array([[1j, 1], [1, 1]]),
    "dates": np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]"),
    "record": np.zeros(2, dtype=[("a", float), ("b", int)]),
    "masked": np.ma.masked_invalid([[np.nan, 1.0], [1.0, 1.0]]),
    "subclass": np.array([[1.0, 2.0], [2.0, 1.0]]).view(Labelled),
    "huge values": np.full((3, 2), 1.7e308),
    "nans": np.full((3, 2), np.nan),
    "four dimensions": np.zeros((2, 2, 2, 2)),
    "bools": np.ones((3, 2), dtype=bool),
    "generator": (x for x in ()),
}

CONE = Cone([[2, 1], [1, 3]])
MEANS = np.array([[0.0, 3.0], [4.0, 0.5], [1.0, 1.0], [-1.0, 2.0]])
NOISE = noise.Gaussian(1)
QUESTION = cw.Question(CONE, 0.5, 0.1, NOISE)
BANDIT = cw.SimulatedBandit(MEANS, NOISE)
OBSERVED = cw.Observations(np.repeat(np.arange(4), 4), np.random.default_rng(0).normal(size=(16, 2)))


@dataclass(frozen=True)
class Call:
    function: Callable[..., Any]
    good: dict[str, Any]

    def __call__(self, **changes: Any) -> Any:
        return self.function(**(self.good | changes))


CALLS = {
    "Cone": Call(Cone, {"W": [[2, 1], [1, 2]]}),
    "Cone.orthant": Call(Cone.orthant, {"dim": 2}),
    "Cone.planar": Call(Cone.planar, {"degrees": 100}),
    "Cone.importance": Call(Cone.importance, {"share": 0.2, "dim": 2}),
    "Cone.ranked": Call(Cone.ranked, {"dim": 2}),
    "Cone.from_rays": Call(Cone.from_rays, {"V": [[2, 1], [1, 2]]}),
    "Cone.ice_cream": Call(Cone.ice_cream, {"degrees": 60, "facets": 5}),
    "Cone.exchange": Call(Cone.exchange, {"pi": [[1, 2], [2, 1]]}),
    "Cone.parse": Call(Cone.parse, {"text": "importance:0.2", "dim": 2}),
    "Cone.from_dict": Call(Cone.from_dict, {"data": {"rows": [[1, 2], [2, 1]]}}),
    "Cone.from_dict, rows": Call(lambda **data: Cone.from_dict(data), {"rows": [[1, 2], [2, 1]], "text": None}),
    "Cone.contains": Call(CONE.contains, {"x": [1, 1], "tolerance": 0.1}),
    "Cone.project": Call(CONE.project, {"x": [1, 1]}),
    "Cone.includes": Call(CONE.includes, {"other": CONE}),
    "weakly_dominates": Call(cw.weakly_dominates, {"better": [1, 1], "worse": MEANS, "cone": CONE}),
    "dominates": Call(cw.dominates, {"better": [1, 1], "worse": MEANS, "cone": CONE}),
    "strongly_dominates": Call(cw.strongly_dominates, {"better": [1, 1], "worse": MEANS, "cone": CONE}),
    "pareto_mask": Call(cw.pareto_mask, {"points": MEANS, "cone": CONE}),
    "lift_norm": Call(cw.lift_norm, {"b": MEANS, "cone": CONE}),
    "escape_gaps": Call(cw.escape_gaps, {"means": MEANS, "cone": CONE, "rivals": [0, 1]}),
    "cover_gaps": Call(cw.cover_gaps, {"means": MEANS, "cone": CONE, "rivals": [0, 1]}),
    "suboptimality_gaps": Call(cw.suboptimality_gaps, {"means": MEANS, "cone": CONE}),
    "separation_gaps": Call(cw.separation_gaps, {"means": MEANS, "cone": CONE}),
    "hardness": Call(cw.hardness, {"means": MEANS, "cone": CONE, "epsilon": 0.1}),
    "gap_dependent_bound": Call(cw.gap_dependent_bound, {"means": MEANS, "cone": CONE, "epsilon": 0.1, "delta": 0.1}),
    "worst_case_bound": Call(cw.worst_case_bound, {"cone": CONE, "n_designs": 5, "epsilon": 0.1, "delta": 0.1}),
    "naive_budget": Call(
        cw.naive_budget,
        {"cone": CONE, "noise": NOISE, "n_designs": 5, "epsilon": 0.1, "delta": 0.1, "bound": "gaussian", "c": 2.0},
    ),
    "naive_budget, paper": Call(
        cw.naive_budget,
        {"cone": CONE, "noise": NOISE, "n_designs": 5, "epsilon": 0.1, "delta": 0.1, "bound": "paper", "c": 2.0},
    ),
    "Box": Call(problems.Box, {"parameters": {"x": (0, 1)}, "evaluate": len, "candidates": 4, "seed": 0}),
    "verdict": Call(cw.verdict, {"returned": [0], "means": MEANS, "cone": CONE, "epsilon": 0.1}),
    "Question": Call(
        cw.Question,
        {
            "cone": CONE,
            "epsilon": 0.1,
            "delta": 0.1,
            "noise": NOISE,
            "success": "cover",
            "objectives": ["x", "y"],
        },
    ),
    "Gaussian": Call(noise.Gaussian, {"sigma": 1.0}),
    "Gaussian, cov": Call(noise.Gaussian, {"cov": np.eye(2)}),
    "GaussianUnknown": Call(noise.GaussianUnknown, {"resolution": None}),
    "SubGaussian": Call(noise.SubGaussian, {"sigma": 1.0}),
    "NormSubGaussian": Call(noise.NormSubGaussian, {"sigma": 1.0}),
    "Bounded": Call(noise.Bounded, {"low": 0, "high": 1}),
    "Pulls": Call(cw.Pulls, {"designs": [0, 1], "counts": [1, 2]}),
    "Observations": Call(
        cw.Observations, {"designs": [0, 1], "means": [[1, 2], [2, 1]], "counts": [1, 2], "scatters": None}
    ),
    "Statistics.empty": Call(cw.Statistics.empty, {"n_designs": 3, "dim": 2}),
    "NaiveElimination": Call(
        cw.NaiveElimination, {"question": QUESTION, "n_designs": 3, "bound": "auto", "evaluations_each": 5}
    ),
    "SuccessiveElimination": Call(
        cw.SuccessiveElimination,
        {"question": QUESTION, "n_designs": 3, "max_evaluations": None, "radius_scale": 1.0},
    ),
    "SimulatedBandit": Call(
        cw.SimulatedBandit,
        {"means": MEANS, "noise": NOISE, "names": list("abcd"), "objectives": ["x", "y"], "minimised": ["x"]},
    ),
    "identify": Call(
        cw.identify,
        {
            "problem": BANDIT,
            "cone": CONE,
            "epsilon": 1.0,
            "delta": 0.1,
            "algorithm": "auto",
            "noise": NOISE,
            "rng": 0,
            "batch": 10,
            "max_evaluations": 50,
        },
    ),
    "identify, published": Call(
        cw.identify,
        {
            "problem": BANDIT,
            "cone": CONE,
            "epsilon": 1.0,
            "delta": 0.1,
            "algorithm": "auer",
            "rng": 0,
            "growth": 0.5,
            "max_evaluations": 50,
        },
    ),
    "analyse": Call(
        cw.analyse,
        {
            "observations": OBSERVED,
            "cone": CONE,
            "delta": 0.1,
            "epsilon": 0.5,
            "noise": NOISE,
            "success": "contain",
            "max_evaluations": None,
            "names": list("abcd"),
        },
    ),
    "gap_dependent_instance": Call(problems.gap_dependent_instance, {"means": MEANS, "cone": CONE, "epsilon": 0.1}),
    "worst_case_instance": Call(problems.worst_case_instance, {"cone": CONE, "n_designs": 4, "epsilon": 0.1}),
    "load": Call(problems.load, {"name": "snw", "noise": NOISE}),
    "HeavyTailed": Call(problems.HeavyTailed, {"scale": 1.0, "freedom": 3.0}),
    "TwoPoint": Call(problems.TwoPoint, {"direction": [1.0, 1.0]}),
    "UniformNoise": Call(problems.UniformNoise, {"half_width": 1.0}),
    "GaussianNoise": Call(problems.GaussianNoise, {"noise": NOISE}),
    "front": Call(
        cw.front,
        {
            "table": {"name": ["a", "b"], "x": [1.0, 2.0], "y": [2.0, 1.0]},
            "cone": CONE,
            "objectives": ["x", "y"],
            "minimise": ["x"],
            "name": "name",
            "where": "x < 3",
            "units": "auto",
            "everyone": True,
            "keep_duplicates": False,
        },
    ),
    "front_of_shards": Call(cw.front_of_shards, {"shards": [MEANS, MEANS], "cone": CONE, "ahead": 1}),
    "Study.create": Call(
        lambda **given: cw.Study.create(given.pop("path"), **given),
        {
            "path": None,
            "designs": ["a", "b"],
            "objectives": ["x", "y"],
            "minimise": ["x"],
            "cone": CONE,
            "epsilon": 0.5,
            "delta": 0.1,
            "noise": NOISE,
            "algorithm": "auto",
            "seed": 1,
        },
    ),
}
CASES = [(name, argument) for name, call in CALLS.items() for argument in call.good if argument != "path"]


@pytest.mark.parametrize("name", CALLS)
def test_the_good_call_is_good(name, tmp_path):
    call = CALLS[name]
    call(**{"path": tmp_path / "study.db"} if "path" in call.good else {})


@pytest.mark.parametrize(("name", "argument"), CASES, ids=lambda value: str(value))
def test_rubbish_is_refused_in_one_line_or_answered(name, argument, tmp_path):
    call, wrong = CALLS[name], []
    for number, (kind, value) in enumerate(RUBBISH.items()):
        place = {"path": tmp_path / f"{number}.db"} if "path" in call.good else {}
        try:
            call(**{argument: value} | place)
        except cw.ConewiseError as error:
            if not str(error).isprintable() or len(str(error)) > 1000 or not str(error).endswith((".", "?")):
                wrong.append(f"{kind}: {error}")
        except Exception as error:
            wrong.append(f"{kind}: {type(error).__name__}: {str(error)[:80]}")
    assert not wrong, "\n".join(wrong)


def in_first_place(make):
    """Return an array of objects, or lists of these, with another first entry."""

    def changed(array):
        found = array.astype(object)
        found.flat[0] = make(array.flat[0])
        return found

    return changed


MISREAD: dict[str, Callable[[Any], Any]] = {
    "masked": lambda array: np.ma.array(array, mask=np.arange(array.size).reshape(array.shape) == 0),
    "rows that are masked": lambda array: [np.ma.array(row, mask=np.ones(np.shape(row))) for row in array],
    "a masked entry in lists": lambda array: in_first_place(lambda _: np.ma.masked)(array).tolist(),
    "complex": lambda array: array.astype(complex),
    "a complex entry": in_first_place(np.complex64),
    "times": lambda array: array.astype("int64").astype("timedelta64[s]"),
    "a time": in_first_place(lambda value: np.timedelta64(int(value), "s")),
    "dates": lambda array: array.astype("int64").astype("datetime64[s]"),
    "text": in_first_place(str),
    "text in lists": lambda array: in_first_place(str)(array).tolist(),
    "bytes": in_first_place(lambda value: str(value).encode()),
    "records": lambda array: np.zeros(len(array), dtype=[("x", float), ("y", float)]),
    "by number": lambda array: dict(enumerate(array.tolist())),
    "views of keys": lambda array: dict.fromkeys(range(len(array))).keys(),
}
ALIKE: dict[str, Callable[[Any], Any]] = {
    "lists": lambda array: array.tolist(),
    "objects": lambda array: array.astype(object),
    "a mask that hides nothing": lambda array: np.ma.array(array, mask=np.zeros(array.shape)),
    "columns in memory": np.asfortranarray,
    "other bytes": lambda array: array.astype(array.dtype.newbyteorder()),
    "a subclass": lambda array: array.view(Labelled),
    "read only": lambda array: read_only(array.copy()),
}


def holds_numbers(value: Any) -> bool:
    """Return True for an array, or lists that make one."""
    return isinstance(value, np.ndarray | list) and np.asarray(value).dtype.kind in "iuf"


ARRAYS = [(name, argument) for name, argument in CASES if holds_numbers(CALLS[name].good[argument])]


@pytest.mark.parametrize(("name", "argument"), ARRAYS, ids=lambda value: str(value))
def test_arrays_that_numpy_would_misread_are_refused(name, argument):
    given = np.array(CALLS[name].good[argument])
    for make in MISREAD.values():
        with pytest.raises(cw.InputError):
            CALLS[name](**{argument: make(given)})


@pytest.mark.parametrize(("name", "argument"), ARRAYS, ids=lambda value: str(value))
def test_arrays_of_the_same_numbers_have_the_same_answer(name, argument):
    given = np.array(CALLS[name].good[argument])
    expected = pickle.dumps(CALLS[name](**{argument: given}))
    for make in ALIKE.values():
        if given.dtype.kind == "f" or make is not ALIKE["objects"]:  # numbers of designs are whole numbers
            assert pickle.dumps(CALLS[name](**{argument: make(given)})) == expected


@pytest.mark.parametrize("argument", ["designs", "counts"])
def test_a_set_has_no_order_beside_other_values(argument):
    with pytest.raises(cw.InputError, match=f"{argument} must be a list of whole numbers"):
        cw.Pulls(**{"designs": [0, 1], "counts": [1, 2]} | {argument: {2, 1}})


def test_every_public_function_is_here():
    functions = {
        name
        for name in cw.__all__
        if callable(getattr(cw, name))
        and not isinstance(getattr(cw, name), type)
        and name not in ("analyze", "run_study")
    }
    assert functions <= set(CALLS)


@pytest.mark.parametrize("algorithm", ["auto", "elimination", "naive"])
@pytest.mark.parametrize("epsilon", [1e-9, 1e-90])
def test_an_accuracy_that_nobody_can_pay_for_is_refused_at_once(algorithm, epsilon):
    with pytest.raises(
        cw.InputError, match=r"more than can be counted; raise epsilon|the budget exceeds .* raise epsilon"
    ):
        cw.identify(BANDIT, CONE, epsilon=epsilon, delta=0.1, algorithm=algorithm, rng=0)


@pytest.mark.parametrize("algorithm", ["ape", "auer", "paveba", "psips"])
def test_growth_has_a_limit(algorithm):
    with pytest.raises(cw.InputError, match=r"growth must be at most 100, got 1e\+300"):
        cw.identify(BANDIT, CONE, epsilon=1.0, delta=0.1, algorithm=algorithm, rng=0, growth=1e300)
