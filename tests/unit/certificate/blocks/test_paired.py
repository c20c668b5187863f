"""The certificate of paired differences: missing blocks, complete tables, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from shared.passes import FLAT, RATES, answers

import conewise as cw
from conewise.certificate.blocks.paired import Paired
from conewise.errors import InputError
from conewise.noise import Bounded, GaussianUnknown
from conewise.question.question import Question
from conewise.rules import PairedElimination


def told(values, population, noise=None, epsilon=0.05, delta=0.05):
    question = Question(FLAT, epsilon, delta, noise or Bounded(0, 1))
    rule = PairedElimination(question, len(values), blocks=values.shape[1], population=population, once=True)
    return rule.recommend(rule.certificate.tell_table(values))


def test_a_missing_question_leaves_the_pair_on_common_ones():
    values = answers(RATES, 300, seed=10)
    values[1, 7] = np.nan
    result = told(values, 300)
    assert result.counts.tolist() == [300, 299, 300, 300, 300]
    assert result.guarantee
    means = np.nanmean(values, axis=1)
    assert cw.verdict(result.pareto, means, FLAT, result.certified_epsilon)


@pytest.mark.parametrize("noise", [Bounded(0, 1), GaussianUnknown()], ids=["bets", "normal"])
@pytest.mark.parametrize("population", [200, 500, None])
def test_two_designs_with_disjoint_blocks_stay_open(noise, population):
    values = np.random.default_rng(11).beta(2, 2, size=(3, 200, 2))
    values[2] = values[2] * 0.1
    values[0, :100] = np.nan
    values[1, 100:] = np.nan
    result = told(values, population, noise)
    assert result.status[0] == result.status[1] == "undecided"
    assert result.status[2] == "beaten"
    if isinstance(noise, Bounded):
        assert result.certified_epsilon == 1.0  # the range alone says that
    else:
        assert result.certified_epsilon is None
        assert not result.guarantee


def test_complete_tables_are_exact():
    values = answers(RATES, 50, seed=12)
    result = told(values, 50, epsilon=0.01)
    assert (result.pareto == cw.pareto_mask(values.mean(axis=1), FLAT)).all() or result.certified_epsilon == 0.0
    assert "undecided" not in result.status


def test_noise_without_a_bound_is_refused():
    with pytest.raises(InputError, match="block by block"):
        Paired(Question(FLAT, 0.1, 0.1, cw.noise.SubGaussian(1)), 2, 5, 5)
