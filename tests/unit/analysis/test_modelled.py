"""A table read with a model: two promises side by side, predicted designs, and what is refused."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

import conewise as cw
from conewise.data.observations import Observations
from conewise.errors import InputError
from conewise.noise import Bounded, Gaussian

HEAT = np.linspace(20, 90, 8)
MEANS = np.column_stack([HEAT / 70 + 0.03 * np.cos(9 * HEAT), 1 - HEAT / 100])
NAMES = [f"d{k}" for k in range(8)]
DESIGNS = [{"name": name, "temp": heat} for name, heat in zip(NAMES, HEAT.tolist(), strict=True)]
LINEAR = {"features": ["temp"], "model": "linear"}


def rows(measured=range(8), times=6, noise=0.03):
    rng = np.random.default_rng(0)
    return [
        DESIGNS[k] | {"strength": MEANS[k, 0] + noise * rng.normal(), "speed": MEANS[k, 1] + noise * rng.normal()}
        for _ in range(times)
        for k in measured
    ]


def answer(table=None, **options):
    asked = {"objectives": ["strength", "speed"], "delta": 0.05, "epsilon": 0.15, "noise": Gaussian(0.03)} | LINEAR
    return cw.analyse(rows() if table is None else table, **(asked | options))


@cache
def found():
    return answer()


def test_both_promises_are_read_off_the_same_observations():
    result = found().result
    assert "on average over the prior" in result.guarantee.theorem
    assert 0 < result.certified["prior"] < result.certified["every truth"] < 0.5
    assert result.certified["prior"] == result.certified_epsilon
    assert cw.verdict(result.pareto, MEANS, cw.Cone.orthant(2), result.certified["every truth"])
    assert ((result.probability >= 0) & (result.probability <= 1)).all()
    assert set(result.evidence) == {"measured"}
    assert found().success == "cover"


def test_the_sentences_say_both_and_that_features_stay():
    text = "\n".join(found().explanations)
    assert "all of that is right, on average over the prior." in text
    assert "On average over the prior: the data certify epsilon = " in text
    assert "For every truth the same set is certified for epsilon = " in text
    assert "the features, the model and its seed, the cone, epsilon" in text


def test_no_promise_is_said_to_be_smaller_than_it_is():
    for delta in (0.05, 0.06, 0.07, 0.08):
        some = answer(delta=delta)
        said = re.findall(r"epsilon = ([\d.]*\d)", some.explanations[1])
        for words, kind in zip(said, ("prior", "every truth"), strict=True):
            assert 0 <= float(words) - some.result.certified[kind] <= 1e-3


def test_the_answer_is_that_of_the_rule_on_the_same_statistics():
    table = rows()
    question = cw.Question(cw.Cone.orthant(2), 0.15, 0.05, Gaussian(0.03))
    model = cw.models.Linear({"temp": HEAT.tolist()})
    rule = cw.rules.ModelGuided(question, 8, model=model)
    told = Observations.single(
        [NAMES.index(row["name"]) for row in table], [[row["strength"], row["speed"]] for row in table]
    )
    alone = rule.recommend(rule.tell(rule.start(), told))
    assert alone.certified["prior"] == found().result.certified["prior"]
    assert alone.pareto.tolist() == found().result.pareto.tolist()
    assert alone.probability.tolist() == found().result.probability.tolist()
    direct = cw.analyse(told, delta=0.05, epsilon=0.15, noise=Gaussian(0.03), model=model)
    assert direct.result.pareto.tolist() == alone.pareto.tolist()


def test_the_order_of_designs_among_the_rows_does_not_matter():
    by_design = sorted(rows(), key=lambda row: row["name"])
    assert answer(by_design).result.certified == found().result.certified


def test_designs_that_were_never_evaluated_are_predicted():
    few = answer(rows(measured=(0, 2, 5, 7)), designs=DESIGNS, confirm=True)
    result = few.result
    assert result.designs == tuple(NAMES)
    assert result.evidence.tolist() == ["measured" if k in (0, 2, 5, 7) else "predicted" for k in range(8)]
    assert result.certified["every truth"] is None
    assert "4 of 8 designs were never evaluated." in few.explanations
    assert 0 < few.next(3).total <= 3


def test_observations_with_a_model_have_as_many_designs_as_it_describes():
    told = Observations.single([0, 3], MEANS[[0, 3]])
    direct = cw.analyse(told, delta=0.05, epsilon=0.15, noise=Gaussian(0.03), model=cw.models.Linear(HEAT))
    assert len(direct.result.pareto) == 8
    assert direct.result.designs == tuple(map(str, range(8)))


def test_a_table_of_means_is_final_and_says_so():
    means = [
        {"name": name, "temp": heat, "a_mean": a, "b_mean": b, "a_se": 0.01, "b_se": 0.01, "n": 5}
        for name, heat, (a, b) in zip(NAMES, HEAT.tolist(), MEANS.tolist(), strict=True)
    ]
    one = cw.analyse(means, cw.Cone.planar(60), objectives=["a", "b"], delta=0.05, epsilon=0.15, final=True, **LINEAR)
    assert not one.result.guarantee
    assert "on average over the prior" in one.result.guarantee.proof.theorem
    assert one.result.certified["prior"] is not None
    assert any("declared final: what holds for every truth is lost" in line for line in one.explanations)
    assert "normal noise of unknown size, one for all designs" in one.result.guarantee.proof.assumption


def test_a_withdrawn_promise_leaves_what_holds_for_every_truth():
    bent = [row | {"strength": 40 * abs(row["temp"] - 55) / 35} for row in rows()]
    assert "on average over a richer prior" in str(answer(bent).result.guarantee)
    doubted = answer(bent, robust=True)
    assert not doubted.result.guarantee
    assert doubted.result.certified["prior"] is None
    assert doubted.result.certified["every truth"] is not None
    assert "Nothing is certified with the model: the observations contradict the prior" in doubted.explanations[1]
    assert "For every truth the same set is certified" in doubted.explanations[1]


def test_levels_are_part_of_the_answer_and_of_the_sentences():
    some = answer(levels={"strength": 0.6})
    assert set(some.result.status) == {"kept", "covered", "misses a level"}
    assert (MEANS[some.result.status == "misses a level", 0] < 0.6).all()
    text = "\n".join(some.explanations)
    assert "Acceptable is strength >= 0.6" in text
    assert "Certainly not acceptable: d0" in text
    assert "the cone, the levels, epsilon, delta" in text
    nobody = answer(levels={"strength": 9.0})
    assert not nobody.result.pareto.any()
    assert nobody.explanations[1].startswith("On average over the prior: the data certify that nothing is acceptable")
    assert nobody.explanations[1].endswith("The same is certified for every truth.")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"epsilon": 0.0}, "with a model epsilon = 0 never ends: give an epsilon above 0"),
        ({"features": []}, "features is empty"),
        ({"features": "temp"}, "features must be a list of names, got 'temp'"),
        ({"features": ["speed"]}, "'speed' is an objective"),
        ({"features": ["pressure"]}, "has no column 'pressure'"),
        ({"features": None}, "the model 'linear' needs features"),
        ({"features": None, "model": None, "robust": True}, "`robust` belongs to a model"),
        ({"features": None, "model": None, "designs": DESIGNS}, "`designs` belongs to a model"),
        ({"model": cw.models.Linear(HEAT)}, "the model brings its own features"),
        ({"features": None, "model": cw.models.Linear(HEAT[:5])}, "features describe 5 designs, but there are 8"),
        ({"features": None, "model": 7}, "model must be a prior such as"),
        ({"model": "cubic"}, "model must be .smooth., .linear. or .independent."),
        ({"units": "auto"}, "in units that they did not choose"),
        ({"separate": True, "final": True}, "leave `separate` or the model out"),
        ({"block": "temp"}, "leave `block` or the model out"),
        ({"noise": Bounded(0, 1)}, "a model needs normal noise"),
        ({"epsilon": "much"}, "epsilon must be"),
    ],
)
def test_what_is_refused(options, sentence):
    with pytest.raises(InputError, match=sentence):
        answer(**options)


@pytest.mark.parametrize(
    ("count", "feature", "sentence"),
    [(1, [1.0], "features describe 1 design"), (2, [3.0, 3.0], "every feature is the same for all designs")],
)
def test_features_that_say_nothing_are_refused(count, feature, sentence):
    few = [row | {"temp": feature[int(row["name"][1:])]} for row in rows(measured=range(count))]
    with pytest.raises(InputError, match=sentence):
        answer(few)


def test_two_designs_are_enough():
    assert answer(rows(measured=(0, 7))).result.pareto.tolist() == [True, True]


def test_what_is_evaluated_next_is_worth_its_price():
    few = rows(measured=(0, 7), times=1)
    asked = {"designs": [row | {"hours": 1.0, "who": "ann"} for row in DESIGNS], "epsilon": 0.02, "price": "hours"}
    (first,) = answer(few, **asked).next(1).designs
    asked["designs"][first]["hours"] = 1000.0
    assert first not in answer(few, **asked).next(3).designs
    with pytest.raises(InputError, match="'who' must hold the price of every design, got 'ann'"):
        answer(few, **(asked | {"price": "who"}))
    with pytest.raises(InputError, match="`price` belongs to a model"):
        answer(few, features=None, model=None, price="hours")


def test_a_promise_for_every_component_says_so():
    robust = answer(robust=True, features=None, model=cw.models.Independent(sizes=(3.0,)))
    assert "For every component of the prior: the data certify" in robust.explanations[1]


def test_a_frame_has_what_the_model_says():
    frame = found().to_frame("pyarrow")
    assert frame["probability"].to_pylist() == found().result.probability.tolist()
    assert set(frame["evidence"].to_pylist()) == {"measured"}
