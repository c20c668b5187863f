"""What is asked, and the success condition of a returned set, part by part."""

from __future__ import annotations

import numpy as np
import pytest
from shared.cones import named_cones
from shared.twins import verdict_by_definition

import conewise as cw
from conewise import Cone, InputError
from conewise.question.question import certainty

MEANS = [[0, 3], [4, 0], [0, 0], [-1, 1], [3.9, 0]]  # front: 0 and 1; design 4 is dominated along the boundary only


def names(verdict: cw.Verdict) -> tuple[list[int], list[int], list[int]]:
    return verdict.uncovered.tolist(), verdict.too_far.tolist(), verdict.missed.tolist()


def test_the_pareto_set_succeeds_at_every_epsilon():
    for cone in named_cones():
        means = np.random.default_rng(0).random((50, cone.dim))
        front = cw.pareto_mask(means, cone)
        for epsilon in (0, 1e-12, 0.1, 10):
            verdict = cw.verdict(front, means, cone, epsilon)
            assert verdict
            assert verdict.success
            assert names(verdict) == ([], [], [])


@pytest.mark.parametrize(
    ("returned", "epsilon", "expected"),
    [
        ([0, 1], 0, ([], [], [])),
        ([0, 1, 2], 0, ([], [], [])),  # dominated along the boundary only: Delta* = 0
        ([0, 4], 0.05, ([1], [], [1])),
        ([0, 4], 0.2, ([], [], [1])),  # M(1, 4) = 0.1
        ([0, 1, 3], 0.5, ([], [3], [])),  # Delta* of 3 is 1
        ([0, 1, 3], 1.0, ([], [], [])),
        ([1], 3, ([], [], [0])),  # M(0, 1) = 3
        ([1], 2.9, ([0], [], [0])),
        ([], 100, ([0, 1], [], [0, 1])),  # nobody covers anybody
        ([3], 0.1, ([0, 1], [3], [0, 1])),
        ([0, 1, 2, 3, 4], 1.0, ([], [], [])),
    ],
)
def test_failures_are_named_part_by_part(returned, epsilon, expected):
    verdict = cw.verdict(returned, MEANS, Cone.orthant(2), epsilon)
    assert names(verdict) == expected
    assert verdict.success == bool(verdict) == (expected[:2] == ([], []))


def test_all_ways_to_say_what_was_returned():
    mask = np.array([True, False, False, False, True])
    for returned in (
        mask,
        mask.tolist(),
        [0, 4],
        (4, 0),
        {0, 4},
        frozenset({4, 0}),
        np.array([0, 4, 4]),
        range(0, 5, 4),
    ):
        assert names(cw.verdict(returned, MEANS, Cone.orthant(2), 0.05)) == ([1], [], [1])
    for nothing in ([], (), set(), np.array([]), np.zeros(5, dtype=bool)):
        assert names(cw.verdict(nothing, MEANS, Cone.orthant(2), 0.05)) == ([0, 1], [], [0, 1])


@pytest.mark.parametrize("cone", named_cones(), ids=str)
def test_against_the_definition_on_random_sets(cone):
    rng = np.random.default_rng(4)
    means = rng.integers(0, 5, size=(40, cone.dim)) / 4
    m, M, front = cw.escape_gaps(means, cone), cw.cover_gaps(means, cone), cw.pareto_mask(means, cone)
    for _ in range(30):
        chosen = rng.random(40) < rng.random()
        epsilon = rng.choice([0.0, 0.11, 0.37, 0.83])
        verdict = cw.verdict(chosen, means, cone, epsilon)
        expected = verdict_by_definition(chosen, front, m, M, epsilon)
        assert tuple(set(part) for part in names(verdict)) == expected
        assert verdict.success == (not expected[0] and not expected[1])


@pytest.mark.parametrize("shift", [0.0, 0.1, 1e3])
def test_a_gap_of_epsilon_counts_as_reached(shift):
    """0.3 - 0.2 is not 0.1 in floating point: a gap within rounding of epsilon is equal to it."""
    means = np.array([[0.3, 0.0], [0.2, 1.0], [0.1, 0.9]]) + shift
    assert cw.verdict([1], means, Cone.orthant(2), 0.1)
    assert cw.verdict([0, 1, 2], means, Cone.orthant(2), 0.1)
    assert not cw.verdict([1], means, Cone.orthant(2), 0.0999)
    assert not cw.verdict([0, 1, 2], means, Cone.orthant(2), 0.0999)


def test_epsilon_zero_is_exact():
    above = np.nextafter(1.0, 2.0)
    means = [[1.0, 1.0], [above, above], [above, 1.0]]
    assert cw.verdict([1], means, Cone.orthant(2), 0)
    assert names(cw.verdict([0], means, Cone.orthant(2), 0)) == ([1], [0], [1])
    assert cw.verdict([1, 2], means, Cone.orthant(2), 0)


def test_twins_stand_in_for_each_other():
    verdict = cw.verdict([1], [[1, 2], [1, 2]], Cone.orthant(2), 0)
    assert verdict.success
    assert verdict.missed.tolist() == [0]


def test_one_design_and_one_objective():
    assert cw.verdict([0], [[1.0]], Cone.orthant(1), 0.1)
    assert names(cw.verdict([], [[1.0]], Cone.orthant(1), 0.1)) == ([0], [], [0])
    assert cw.verdict([1], [[1.0], [0.95]], Cone.orthant(1), 0.1)
    assert names(cw.verdict([1], [[1.0], [0.5]], Cone.orthant(1), 0.1)) == ([0], [1], [0])


def test_repr_is_a_sentence():
    text = repr(cw.verdict([3], MEANS, Cone.orthant(2), 0.1))
    assert text == "Verdict(failure: 2 uncovered, 1 too far, 2 of the Pareto set not returned)"


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        ([5], "returned names design 5, but designs are numbered 0 to 4"),
        ([-1], "returned names design -1"),
        ([True, False], "returned is a mask of 2 entries for 5 designs"),
        ([0.0, 1.0], "returned must be a boolean mask or integer indices"),
        (["a"], "returned must be a boolean mask or integer indices"),
        (None, "returned must be a mask or a list of indices"),
        (3, "returned must be a mask or a list of indices"),
        ([[0, 1]], "returned must be a mask or a list of indices"),
        ([[0], [0, 1]], "returned must be a mask or a list of indices.*unequal length"),
        ({1, "a"}, "returned must be a mask or a list of indices"),
    ],
)
def test_bad_returned_sets_are_refused(returned, words):
    with pytest.raises(InputError, match=words) as caught:
        cw.verdict(returned, MEANS, Cone.orthant(2), 0.1)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("means", "epsilon", "words"),
    [
        (MEANS, -1, "epsilon must be 0 or more"),
        (MEANS, float("nan"), "epsilon must be finite"),
        (MEANS, None, "epsilon must be a number"),
        (MEANS, [0.1], "epsilon must be a number"),
        ([], 0.1, "means is empty"),
        ([[0, 1], [np.nan, 1]], 0.1, "means has nan in row 1, column 0"),
    ],
)
def test_bad_means_and_epsilon_are_refused(means, epsilon, words):
    with pytest.raises(InputError, match=words):
        cw.verdict([0], means, Cone.orthant(2), epsilon)


@pytest.mark.parametrize(
    ("delta", "words"),
    [
        (0.05, "95 %"),
        (0.5, "50 %"),
        (0.999, "0.1 %"),
        (0.001, "99.9 %"),
        (1e-6, "99.9999 %"),
        (1e-9, "1 - 1e-09"),
        (5e-324, "1 - 4.94066e-324"),
        (0.05 / 3, "1 - 0.0166667"),
        (1 / 3, "1 - 0.333334"),
    ],
)
def test_a_certainty_is_never_more_than_it_is(delta, words):
    said = certainty(delta)
    assert said == words
    if said.startswith("1 - "):
        assert delta <= float(said[4:]) or delta < 1e-300
    else:
        assert float(said[:-2]) / 100 <= 1 - delta + 1e-16


def test_a_guarantee_of_a_tiny_delta_says_so():
    words = str(cw.Guarantee(0.1, 1e-9, "a theorem", "nothing"))
    assert words.startswith("guaranteed: within epsilon = 0.1 with probability at least 1 - 1e-09 (")


def test_a_guarantee_never_names_less_than_what_is_certified():
    assert "within epsilon = 0.745602 with" in str(cw.Guarantee(0.745601051520221, 0.05, "a theorem", "nothing"))


# -- what is asked -------------------------------------------------------------------------------------------------

NORMAL = cw.noise.Gaussian(0.5)


def question(**given) -> cw.Question:
    return cw.Question(**({"cone": cw.Cone.orthant(2), "epsilon": 0.1, "delta": 0.05} | given))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "Which designs cover every Pareto design within epsilon = 0.1, none of them further"),
        ({"success": "contain"}, "Which designs contain every Pareto design, and none further than epsilon = 0.1"),
        ({"success": "contain", "epsilon": 0}, "and none that another one surpasses in every respect, with"),
        ({"delta": 1e-9}, "with probability at least 1 - 1e-09?"),
        ({}, "Better is larger in 2 objectives, by the cone orthant:2; nothing is assumed of the noise."),
        ({"objectives": [cw.Objective("price", "min"), "speed"]}, "Better is smaller price and larger speed, by"),
        ({"noise": NORMAL}, f"assumed is {NORMAL.words}."),
    ],
    ids=str,
)
def test_a_question_reads_as_a_sentence(given, words):
    said = str(question(**given))
    assert words in said
    assert said.isprintable()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"cone": 135}, "cone must be a Cone"),
        ({"epsilon": -1}, "epsilon must be 0 or more"),
        ({"epsilon": 0, "success": "cover"}, 'epsilon = 0 asks for the exact Pareto set: ask for success "contain"'),
        ({"delta": 0}, "delta must lie strictly between 0 and 1"),
        ({"delta": 1e-300}, "delta must be at least 1e-200"),
        ({"success": "find"}, 'success must be "cover" or "contain"'),
        ({"noise": 0.5}, "noise must be an assumption such as noise.Gaussian"),
        ({"noise": cw.noise.Gaussian([1, 2, 3])}, "given for 3 objectives, but there are 2"),
        ({"objectives": ["x"]}, "the cone orders 2 objectives, but 1 is named"),
        ({"objectives": ["x", "x"]}, "the objectives must be distinct"),
        ({"objectives": [1, 2]}, "objectives must be a list of names"),
    ],
    ids=str,
)
def test_a_question_that_cannot_be_asked_is_refused_where_it_is_made(given, words):
    with pytest.raises(cw.InputError, match=words):
        question(**given)


def test_a_question_is_stated_in_words_with_one_set_of_defaults():
    plain = cw.Question.stated(2)
    assert (plain.cone, plain.epsilon, plain.delta, plain.success) == (cw.Cone.orthant(2), 0, 0.05, "contain")
    assert plain == cw.Question(cw.Cone.orthant(2)) == cw.Question.stated(cone="orthant:2")
    said = cw.Preferences(["price", "speed"], minimise=["price"]).ranked("speed", "price")
    words = {"objectives": ["price", "speed"], "minimise": ["price"], "units": {"price": 500}, "epsilon": 1}
    asked = cw.Question.stated(cone="planar:135", noise="gaussian:3", levels={"price": ("<=", 2000)}, **words)
    record = cw.Objective("price", "min", unit=500, level=2000)
    assert asked.objectives.each == (record, cw.Objective("speed"))
    assert (asked.success, repr(asked.noise), asked.cone) == ("cover", "Gaussian(3)", cw.Cone.planar(135))
    mixed = cw.Question.stated(objectives=[record, cw.Objective("speed", noise=0.5)], noise="binary")
    assert [repr(noise) for noise in mixed.noise.each] == ["Binary()", "Gaussian(0.5)"]
    assert cw.Question.stated(cone=said, objectives=said.objectives).cone == said.cone


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        ({}, "the cone 'orthant' does not have the form"),
        ({"n_objectives": 3, "cone": "planar:135"}, "orders 2 objectives, but there are 3"),
        ({"n_objectives": 2, "noise": "gauss:1"}, "noise must be unknown, unknown:STEP"),
        ({"n_objectives": 2, "noise": 0.5}, "noise must be an assumption such as noise.Gaussian"),
        ({"objectives": ["a", "b"], "units": {"c": 1}}, "a unit is given for 'c', which is not among a, b"),
        ({"objectives": ["a", "b"], "levels": [1, 2]}, "a level is given by name"),
        ({"objectives": ["a", "b"], "minimise": ["c"]}, "minimise names 'c'"),
        (
            {"objectives": ["b", "a"], "cone": cw.Preferences(["a", "b"]).ranked("a", "b")},
            "state it with the objectives that are used here",
        ),
    ],
    ids=str,
)
def test_words_that_make_no_question_are_refused(words, refusal):
    with pytest.raises(cw.InputError, match=refusal):
        cw.Question.stated(**words)
    with pytest.raises(TypeError, match="unexpected keyword argument 'sigma'"):
        cw.Question.stated(2, sigma=1)


def test_inside_more_is_better_and_a_step_is_one():
    price, speed = cw.Objective("price", "min", unit=500), cw.Objective("speed")
    covariance = np.array([[250_000.0, 250.0], [250.0, 1.0]])
    asked = question(noise=cw.noise.Gaussian(cov=covariance), objectives=[price, speed])
    assert (asked.names, asked.minimised, asked.signs.tolist()) == (("price", "speed"), ("price",), [-1, 1])
    inside = asked.inside
    np.testing.assert_allclose(inside.noise.covariance(2), [[1.0, -0.5], [-0.5, 1.0]])
    assert (inside.names, inside.signs.tolist(), inside.epsilon) == ((), [1, 1], asked.epsilon)
    assert inside.inside is inside
    assert question(noise=NORMAL).inside.noise is NORMAL
    assert cw.SuccessiveElimination(asked, 3).noise.words == asked.noise.words


def test_objectives_may_declare_the_noise():
    asked = question(objectives=[cw.Objective("x", noise=0.5), cw.Objective("y", noise=2.0)])
    np.testing.assert_array_equal(asked.noise.sigma, [0.5, 2.0])


def test_nothing_is_certified_without_an_assumption_or_with_a_level():
    with pytest.raises(cw.InputError, match="nothing is known of this noise"):
        _ = question().assumed
    with pytest.raises(cw.InputError, match=r"does not know levels \(x >= 1\)"):
        cw.NaiveElimination(question(noise=NORMAL, objectives=[cw.Objective("x", level=1), "y"]), 3)
    with pytest.raises(cw.InputError, match="question must be a Question"):
        cw.SuccessiveElimination(cw.Cone.orthant(2), 3)


def test_equal_rows_are_two_designs():
    """A design is its index: what is said of one twin is not said of the other."""
    means = [[1.0, 2.0], [1.0, 2.0], [0.0, 0.0]]
    verdict = cw.verdict([1], means, Cone.orthant(2), 0.1)
    assert verdict.missed.tolist() == [0]
    assert cw.separation_gaps(means, Cone.orthant(2)).tolist() == [0, 0, np.inf]
    names = cw.problems.load("snw").names
    assert len(set(names)) == len(names) == 206


def test_the_price_of_an_objective_survives_its_unit_and_direction():
    priced = [cw.Objective("cost", "min", unit=10, price=5), "speed"]
    asked = cw.Question(Cone.orthant(2), 0.1, 0.05, objectives=priced)
    assert [own.price for own in asked.inside.columns.each] == [5, 1]
    assert [own.goal for own in asked.inside.columns.each] == ["max", "max"]
    plain = cw.Question(Cone.orthant(2), 0.1, 0.05, objectives=[cw.Objective("cost", "min"), "speed"])
    assert not plain.inside.names
