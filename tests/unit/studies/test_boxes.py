"""Boxes: candidates join where they are missing, observations count on, and what is said of the mesh."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from shared.boxes import small_boxes

import conewise as cw
from conewise.models.certificate import level_of
from conewise.noise import Gaussian
from conewise.studies.boxes import MOST_REFINEMENTS, REFINEMENTS, Mesh, Meshing

SMALL = partial(cw.models.Smooth, kernels=("squared",), sizes=(10.0,), discrepancies=(0.01,), between=(0.3, 3.0))
SIGMA = 0.02


def smooth(design, seed):
    """Pareto optimal are the settings with y = 0.5: what one objective gains along x the other one loses."""
    off = (design["y"] - 0.5) ** 2
    return np.array([design["x"] - off, 1 - design["x"] - off]) + SIGMA * np.random.default_rng(seed).normal(size=2)


def box(**given):
    parameters = {"x": (0, 1), "y": (0, 1)}
    return cw.problems.Box(parameters, **({"evaluate": smooth, "noise": Gaussian(SIGMA), "candidates": 16} | given))


def answer(problem, **given):
    cone = cw.Cone.orthant(2)
    return cw.identify(problem, cone, **({"epsilon": 0.1, "delta": 0.1, "model": SMALL, "rng": 0} | given))


@pytest.fixture(autouse=True, scope="module")
def _fewer_points_and_draws():
    with small_boxes():
        yield


@pytest.fixture(scope="module")
def result():
    return answer(box())


def test_the_answer_is_about_candidates_and_says_so(result):
    assert result.guarantee
    assert f"for the {len(result.pareto)} candidates, on average over the prior" in str(result.guarantee)
    assert result.certified["prior"] <= 0.1
    assert result.certified["every truth"] is None
    assert result.evaluations == result.counts.sum()


def test_settings_that_spread_beyond_every_size_promise_nothing():
    noise = Gaussian(1e-9)
    steep = cw.problems.Box({"x": (0, 1)}, evaluate=lambda s: [s["x"], 1 - s["x"]], noise=noise, candidates=8)
    doubted = answer(steep, epsilon=1e-9, max_evaluations=30)
    assert isinstance(doubted.guarantee, cw.Heuristic)
    assert "its largest size is 1e-06 (1000 times epsilon)" in doubted.guarantee.reason


def test_the_answer_is_right_among_its_candidates(result):
    x, y = (np.array([setting[name] for setting in result.settings]) for name in "xy")
    means = np.column_stack([x - (y - 0.5) ** 2, 1 - x - (y - 0.5) ** 2])
    assert cw.verdict(result.pareto, means, cw.Cone.orthant(2), 0.1)


def test_returned_settings_are_dicts_with_names(result):
    assert result.parameters == [result.settings[k] for k in result.indices]
    assert all(set(setting) == {"x", "y"} for setting in result.parameters)
    assert result.names()[0].startswith("x=0.")
    assert len(result.designs) == len(result.settings) == len(result.pareto)


def test_candidates_join_near_the_front(result):
    joined = result.settings[16:]
    assert joined
    assert np.mean([abs(setting["y"] - 0.5) for setting in joined]) < 0.15  # anywhere it would be 0.25


def test_the_mesh_s_slack_stands_beside_the_guarantee(result):
    assert result.mesh.candidates == len(result.settings)
    assert result.mesh.finer > 100
    assert result.mesh.epsilon >= result.mesh.slack >= 0
    assert "part of no guarantee" in str(result.mesh)


@pytest.mark.parametrize(
    ("slack", "most", "joins"),
    [
        (0.1, None, REFINEMENTS),  # no larger than epsilon: as fine as was asked for
        (0.11, None, MOST_REFINEMENTS),  # the proof pays for no more looks
        (0.11, 3, REFINEMENTS),  # nothing may be evaluated any more
    ],
)
def test_candidates_join_until_the_mesh_is_as_fine_as_epsilon(monkeypatch, slack, most, joins):
    joined = []
    monkeypatch.setattr(Meshing, "mesh", lambda self, *given: Mesh(16, 128, 0.1 + slack, slack))
    monkeypatch.setattr(Meshing, "joining", lambda self, places, *given: (joined.append(1), places[:0])[1])
    answer(box(), max_evaluations=most)
    assert len(joined) == joins


def test_ten_repeated_looks_are_paid_for_by_those_that_judge_nothing():
    spared = sum(level_of(evaluations, 1.0) for evaluations in range(2))
    assert MOST_REFINEMENTS * level_of(2, 1.0) <= spared


def test_the_same_seeds_give_the_same_answer(result):
    first, again, other = (answer(box(seed=seed), max_evaluations=5) for seed in (0, 0, 1))
    assert first.settings == again.settings != other.settings
    assert np.array_equal(first.pareto, again.pareto)
    assert first.settings[:16] == result.settings[:16]


def test_observations_of_earlier_candidates_count():
    calls = []

    def counted(design):
        calls.append(design)
        return smooth(design, len(calls))

    result = answer(box(evaluate=counted), max_evaluations=9)
    assert len(calls) == result.evaluations <= 9
    assert result.counts[:16].sum() >= 5


def test_a_box_of_few_settings_is_its_candidates():
    few = cw.problems.Box({"x": [0.0, 0.5, 1.0], "y": [0.0, 0.5]}, evaluate=smooth, noise=Gaussian(SIGMA))
    result = answer(few, epsilon=0.2)
    assert len(result.settings) == 6
    assert (result.mesh.finer, result.mesh.slack) == (0, 0.0)
    assert str(result.mesh) == "all 6 settings are candidates"


def test_categories_and_whole_numbers_join_as_themselves():
    parameters = {"x": (0, 1), "n": range(1, 20), "kind": ["a", "b"]}
    problem = cw.problems.Box(
        parameters,
        evaluate=lambda d, seed: smooth({"x": d["x"], "y": d["n"] / 20 + (d["kind"] == "b")}, seed),
        noise=Gaussian(SIGMA),
        candidates=16,
    )
    result = answer(problem, max_evaluations=12)
    assert len(result.settings) > 16
    assert {type(setting["n"]) for setting in result.settings} == {int}
    assert {setting["kind"] for setting in result.settings} == {"a", "b"}
    assert len({tuple(setting.values()) for setting in result.settings}) == len(result.settings)


def test_objectives_speak_their_own_units_and_directions():
    def priced(design, seed):
        gain, loss = smooth(design, seed)
        return {"price": 100 * (1 - gain), "speed": loss}

    objectives = [
        cw.Objective("price", "min", unit=100, noise=Gaussian(100 * SIGMA)),
        cw.Objective("speed", noise=Gaussian(SIGMA)),
    ]
    result = answer(box(evaluate=priced, noise=None), objectives=objectives, max_evaluations=8)
    seen = result.averages[result.counts > 0]
    assert seen[:, 0].max() > 10
    assert result.objectives == ("price", "speed")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"model": cw.models.Independent()}, "pass model=models.Smooth"),
        ({"model": "smoth"}, "model must be"),
        ({"model": 3}, "pass model=models.Smooth"),
        ({"model": cw.models.Independent}, "of which models.Independent makes nothing: leave the model out"),
        ({"begin": [3]}, "leave begin out"),
        ({"model": lambda features: 3}, "must give a prior such as models.Smooth, got 3"),
        ({"algorithm": "naive"}, "leave the algorithm out"),
        ({"prices": [1.0] * 16}, "leave prices out"),
        ({"growth": 2}, "has no option 'growth'"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"max_evaluations": 0}, "max_evaluations must be at least 1"),
        ({"objectives": ["one"]}, "the cone orders 2 objectives"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(given, said):
    with pytest.raises(cw.InputError) as refused:
        answer(box(), **given)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_box_without_noise_says_what_to_do():
    with pytest.raises(cw.InputError, match="pass noise="):
        answer(box(noise=None))


def test_rules_of_different_sets_of_candidates_draw_differently():
    question = cw.Question(cw.Cone.orthant(2), 0.1, 0.1, Gaussian(SIGMA))
    candidates = box().at(box().first(), ["a", "b"])
    meshing = Meshing(candidates, question, {"model": SMALL})
    rules = [meshing.rule(candidates.places, stage) for stage in range(REFINEMENTS + 1)]
    assert len({rule.seed for rule in rules}) == len(rules)
    assert [rule.max_evaluations for rule in rules] == [20, 40, 80, None]


@pytest.fixture(scope="module")
def apart():
    return answer(cw.problems.OneByOne(box()), objectives=[cw.Objective("one", price=5), "two"])


def test_a_box_may_be_measured_one_objective_at_a_time(apart):
    assert apart.guarantee
    assert "objectives measured separately" in str(apart.guarantee)
    assert f"for the {len(apart.settings)} candidates, on average over the prior" in str(apart.guarantee)
    assert apart.certified["prior"] <= 0.1
    assert len(apart.settings) > 16
    assert (np.isfinite(apart.means).sum(axis=1) == 1).any()  # of some settings one objective alone
    assert apart.evaluations == apart.counts.sum()
    assert apart.mesh.candidates == len(apart.settings)
    x, y = (np.array([setting[name] for setting in apart.settings]) for name in "xy")
    means = np.column_stack([x - (y - 0.5) ** 2, 1 - x - (y - 0.5) ** 2])
    assert cw.verdict(apart.pareto, means, cw.Cone.orthant(2), 0.1)


def test_measurements_of_earlier_candidates_count_whatever_joins(apart):
    """Cells keep their numbers: those of the first candidates have the means that the function gave there."""
    told = np.isfinite(apart.means[:16])
    x, y = (np.array([setting[name] for setting in apart.settings[:16]]) for name in "xy")
    truth = np.column_stack([x - (y - 0.5) ** 2, 1 - x - (y - 0.5) ** 2])
    assert told.any(axis=0).all()
    np.testing.assert_allclose(apart.means[:16][told], truth[told], atol=5 * SIGMA)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"algorithm": "model"}, "have a rule of their own, got 'model'"),
        ({"algorithm": "naive"}, "a box is answered with a model"),
        ({"growth": 2}, "has no option 'growth'"),
        ({"prices": [1.0] * 16}, "leave prices out"),
        ({"noise": Gaussian(cov=[[1, 0.5], [0.5, 1]])}, "needs noise that is independent between them"),
    ],
)
def test_of_a_box_measured_one_by_one_bad_input_is_refused_in_one_sentence(given, said):
    with pytest.raises(cw.InputError) as refused:
        answer(cw.problems.OneByOne(box()), **given)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_mesh_says_what_it_is():
    assert str(Mesh(16, 2000, 0.125, 0.025)) == (
        "2,000 settings between the 16 candidates raise epsilon by 0.025 to 0.125 in draws, which is an estimate and "
        "part of no guarantee"
    )


def test_a_box_with_levels_returns_acceptable_settings():
    result = answer(box(), objectives=[cw.Objective("one", level=0.6), "two"])
    assert result.guarantee
    assert all(setting["x"] > 0.45 for setting in result.parameters)
    assert (result.status == "misses a level").any()
    joined = [setting["x"] for setting in result.settings[16:]]
    assert joined
    assert np.mean(np.array(joined) > 0.45) > 0.7
    nobody = answer(box(), objectives=[cw.Objective("one", level=9.0), "two"])
    assert nobody.parameters == []
    assert nobody.mesh.epsilon == 0


def test_noise_by_design_is_refused_since_candidates_join():
    box = cw.problems.Box({"x": (0, 1)}, evaluate=lambda design: [design["x"], 0.0], candidates=4)
    noise = cw.noise.Gaussian(np.full((4, 2), 0.1))
    with pytest.raises(cw.InputError, match="the noise is given design by design, and the candidates of a box join"):
        cw.identify(box, cw.Cone.orthant(2), epsilon=1, delta=0.1, noise=noise, rng=0)
