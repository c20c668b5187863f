"""The rule with draws of a model: right answers by good draws, never a promise, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.algorithms import DrawGuided
from conewise.noise import Gaussian, GaussianUnknown

ORTHANT = cw.Cone.orthant(2)
X = np.linspace(0, 1, 12)
MEANS = np.column_stack([X, 1 - X**2]) - 0.3 * (np.arange(12) % 2)[:, None]
PROBLEM = cw.SimulatedBandit(MEANS, Gaussian(0.05))
COVARIANCE = np.exp(-((X[:, None] - X) ** 2) / 0.5) + 0.1 * np.eye(12)


def normal(designs, size, rng):
    """A Gaussian process with a remainder: what the truth could be a draw of."""
    factor = np.linalg.cholesky(COVARIANCE[np.ix_(designs, designs)])
    return (factor @ rng.standard_normal((2, len(designs), size))).transpose(2, 1, 0)


MODEL = cw.models.Draws(normal)


def answer(**given):
    return cw.identify(PROBLEM, ORTHANT, **({"epsilon": 0.2, "delta": 0.1, "model": MODEL, "rng": 0} | given))


def test_the_answer_is_right_and_a_heuristic():
    result = answer()
    assert not result.guarantee
    assert "draws of a model, fitted elsewhere" in str(result.guarantee)
    assert cw.verdict(result.pareto, MEANS, ORTHANT, 0.2)
    assert result.certified_epsilon is None
    assert result.certified == {"prior": None, "every truth": None}
    assert "undecided" not in result.status
    assert result.evaluations < 100


def test_probability_and_evidence_are_there():
    result = answer()
    assert result.probability.shape == (12,)
    assert ((result.probability >= 0) & (result.probability <= 1)).all()
    assert set(result.evidence) <= {"measured", "predicted"}
    assert np.array_equal(result.evidence == "measured", result.counts > 0)
    assert result.probability[result.pareto].min() > result.probability[~result.pareto].min()


def test_who_covers_is_returned():
    result = answer()
    covered = np.flatnonzero(result.status == "covered")
    assert len(covered)
    assert result.pareto[result.by[covered]].all()


def test_returned_designs_are_confirmed_where_asked():
    result = answer(confirm=True)
    assert (result.counts[result.pareto] > 0).all()


def test_a_limit_is_kept_and_said():
    result = answer(max_evaluations=3)
    assert result.evaluations <= 3
    assert result.stopped_because.startswith("not finished: the answer fails in")


def test_the_function_is_called_once():
    calls = []

    def counted(designs, size, rng):
        calls.append(size)
        return normal(designs, size, rng)

    answer(model=cw.models.Draws(counted))
    assert len(calls) == 1


def test_the_order_of_tells_does_not_matter():
    rule = DrawGuided(cw.Question(ORTHANT, 0.2, 0.1, Gaussian(0.05)), 12, model=MODEL)
    parts = [cw.Observations.single([k], MEANS[[k]]) for k in (0, 3, 7)]
    forth, back = rule.start(), rule.start()
    for part in parts:
        forth = rule.tell(forth, part)
    for part in reversed(parts):
        back = rule.tell(back, part)
    assert np.array_equal(rule.recommend(forth).pareto, rule.recommend(back).pareto)
    assert rule.ask(forth).designs.tolist() == rule.ask(back).designs.tolist()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"noise": GaussianUnknown()}, "needs a known noise"),
        ({"robust": True}, "draws has no option 'robust'"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"model": cw.models.Draws(lambda designs, size, rng: np.zeros((size, 3)))}, "have the shape"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(given, said):
    with pytest.raises(cw.InputError, match=said):
        answer(**given)


def test_too_many_designs_and_other_models_are_refused():
    question = cw.Question(ORTHANT, 0.2, 0.1, Gaussian(0.05))
    with pytest.raises(cw.InputError, match="at most 2000 designs"):
        DrawGuided(question, 2001, model=MODEL)
    with pytest.raises(cw.InputError, match="such as models"):
        DrawGuided(question, 3, model=cw.models.Independent())


def test_draws_are_no_model_of_a_box():
    box = cw.problems.Box({"x": (0, 1)}, evaluate=lambda design: [1.0, 2.0], noise=Gaussian(0.1))
    with pytest.raises(cw.InputError, match="pass model=models"):
        cw.identify(box, ORTHANT, epsilon=0.1, delta=0.1, model=MODEL, rng=0)
