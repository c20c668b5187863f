"""What algorithms share: how an answer is put together, and what a planner knows."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.rules.contract import Planner, planner_of

MASKS = np.eye(4, dtype=bool)
NOISE = cw.noise.Gaussian(0.5)
QUESTION = cw.Question(cw.Cone.orthant(2), 0.5, 0.1, NOISE)


def state():
    seen = cw.Observations.single([0, 1, 2, 3, 3], [[1, 1], [2, 2], [3, 3], [4, 4], [6, 6]])
    return cw.Statistics.empty(4, 2).add(seen)


def test_an_answer_is_made_of_masks_and_whoever_is_in_none_is_undecided():
    kept, covered, beaten, _ = MASKS
    result = cw.Result.of(
        state(),
        kept,
        cw.Heuristic("a trial"),
        "done",
        kept=kept,
        covered=covered,
        beaten=beaten,
        by=np.array([1, 0, 0, 0]),
        certain=np.ones(4, dtype=bool),
    )
    assert result.status.tolist() == ["kept", "covered", "beaten", "undecided"]
    assert result.by.tolist() == [-1, 0, 0, -1]
    assert result.certain.tolist() == kept.tolist()
    assert (result.evaluations, result.counts.tolist(), result.certified_epsilon) == (5, [1, 1, 1, 2], None)
    np.testing.assert_array_equal(result.means[3], [5, 5])


def test_of_nobody_more_is_said_than_was_given():
    result = cw.Result.of(state(), MASKS[0], cw.Heuristic("a trial"), "done", kept=MASKS[0])
    assert result.status.tolist() == ["kept", *["undecided"] * 3]
    assert result.by.tolist() == [-1] * 4
    assert not result.certain.any()


def test_a_result_has_the_names_directions_and_units_of_what_its_objectives_mean():
    plain = cw.Result.of(state(), MASKS[0], cw.Heuristic("a trial"), "done", kept=MASKS[0])
    assert (plain.objectives, plain.minimised, plain.units, plain.step) == ((), (), (), "")
    assert plain.averages is plain.means
    named = plain.named("abcd", [cw.Objective("price", "min", unit=500), "power"])
    assert (named.objectives, named.minimised, named.units) == (("price", "power"), ("price",), (500.0, 1.0))
    assert named.averages[3].tolist() == [-2500.0, 5.0]
    assert named.step == "; one step is price 500, power 1"
    turned = named.named("abcd", ["price", "power"], ["power"])
    assert (turned.minimised, turned.units, turned.averages[3].tolist()) == (("power",), (), [5.0, -5.0])


class Verbs:
    """The three verbs, and nothing else."""

    def start(self):
        return cw.Statistics.empty(2, 2)

    def ask(self, state, most=None):
        return cw.Pulls([], [])

    def tell(self, state, observations):
        return state.add(observations)

    def recommend(self, state):
        raise NotImplementedError


def test_an_algorithm_that_plans_nothing_is_taken_to_know_nothing():
    known = planner_of(Verbs())
    assert (known.total, known.most_each, known.may_run_ahead, known.plan(None)) == (None, None, True, None)


@pytest.mark.parametrize(
    ("algorithm", "total", "most_each", "ahead"),
    [
        (cw.NaiveElimination(QUESTION, 3, evaluations_each=7), 21, 7, True),
        (cw.rules.SequentialHalving(QUESTION.cone, 100, 4, NOISE), 100, None, False),
        (cw.rules.PaVeBa(QUESTION, 3), None, None, True),
        (cw.rules.PaVeBa(QUESTION, 3, max_evaluations=50), None, None, False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_rules_know_of_their_own_course(algorithm, total, most_each, ahead):
    known = planner_of(algorithm)
    assert known is algorithm
    assert isinstance(known, Planner)
    assert (known.total, known.most_each, known.may_run_ahead) == (total, most_each, ahead)


def test_naive_elimination_plans_what_is_missing():
    algorithm = cw.NaiveElimination(QUESTION, 4, evaluations_each=2)
    plan = algorithm.plan(state())
    assert (plan.pulls.designs.tolist(), plan.remaining, plan.at_least) == ([0, 1, 2], 3, False)


def test_a_scaled_radius_is_worth_no_proof():
    honest, narrow = (cw.SuccessiveElimination(QUESTION, 3, radius_scale=scale) for scale in (1.0, 0.5))
    assert honest.proven(0.5, "a theorem").theorem == "a theorem"
    assert "every radius was multiplied by 0.5" in str(narrow.proven(0.5, "a theorem"))
    assert honest.unfinished(10, 2) == "not finished: 2 designs are undecided at epsilon = 0.5"
    assert honest.unfinished(10, 1) == "not finished: 1 design is undecided at epsilon = 0.5"


def test_a_planner_says_what_was_observed_where_its_state_keeps_sums():
    assert Planner().seen(known := state()) is known
    assert Planner().seen({"whatever": 1}) is None
    blocks = cw.rules.PairedElimination(QUESTION, 4, blocks=20, population=None)
    assert blocks.seen(begun := blocks.start()) is begun.statistics
    cells = cw.rules.SeparateElimination(QUESTION, 4)
    told = cells.tell(cells.start(), cw.Observations.single([0, 1, 1], [[3.0], [1.0], [2.0]]))
    assert cells.seen(told).repetitions.tolist() == [[1, 2], [0, 0], [0, 0], [0, 0]]


def test_five_words_for_a_design_and_their_keys():
    words = [status.value for status in cw.rules.Status]
    assert words == ["kept", "covered", "beaten", "misses a level", "undecided"]
    assert cw.rules.Status("misses a level").key == "misses_a_level"


def test_a_part_that_no_answer_has_is_refused():
    with pytest.raises(TypeError, match="unexpected keyword argument 'cover'"):
        cw.Result.of(state(), MASKS[0], cw.Heuristic("a trial"), "done", kept=MASKS[0], cover=MASKS[1])
