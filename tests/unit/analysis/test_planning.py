"""Which evaluations to pay for next: the cheapest question first, no more than it needs, nothing beyond the budget."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import conewise as cw
from conewise import noise
from conewise.analysis.analyse import analyse
from conewise.analysis.planning import shared

ORTHANT = cw.Cone.orthant(2)


def sample(means, each=9, seed=2):
    rng = np.random.default_rng(seed)
    designs = np.tile(np.arange(len(means)), each)
    return designs, np.array(means)[designs] + 0.5 * rng.normal(size=(len(designs), 2))


@pytest.mark.parametrize("final", [False, True])
def test_the_plan_settles_the_cheapest_question_first(final):
    means = [[0.0, 4.0], [4.0, 0.0], [-0.4, 3.6], [3.9, -0.1]]
    found = analyse(cw.Observations.single(*sample(means)), ORTHANT, delta=0.05, noise=noise.Gaussian(0.5), final=final)
    assert (found.result.status == "undecided").sum() > 1
    pulls = found.next(found.cheapest)
    assert pulls.total == found.cheapest < found.plan.pulls.total
    few = found.next(7)
    assert few.total == 7
    assert set(few.designs.tolist()) <= set(pulls.designs.tolist())
    everything = found.next(10**12)
    assert everything.designs.tolist()[: len(pulls.designs)] == pulls.designs.tolist()
    assert dict(zip(everything.designs, everything.counts, strict=True)) == dict(
        zip(found.plan.pulls.designs, found.plan.pulls.counts, strict=True)
    )


def test_evaluating_what_is_planned_settles_the_question():
    means = [[0.0, 4.0], [4.0, 0.0], [-0.4, 3.6]]
    designs, values = sample(means)
    assumed = noise.Gaussian(0.5)
    rng = np.random.default_rng(8)
    asked = 0
    for _ in range(30):
        found = analyse(cw.Observations.single(designs, values), ORTHANT, delta=0.05, noise=assumed)
        pulls = found.next(50)
        if not pulls.total:
            break
        asked += pulls.total
        more = np.repeat(pulls.designs, pulls.counts)
        designs = np.concatenate([designs, more])
        values = np.vstack([values, np.array(means)[more] + 0.5 * rng.normal(size=(len(more), 2))])
    assert found.result.status.tolist() == ["kept", "kept", "beaten"]
    assert asked < 400


def test_a_tie_is_not_worth_a_plan_of_a_thousand_million():
    designs, values = sample([[0.0, 0.0], [0.0, 0.0]])
    values[designs == 1] = values[designs == 0]
    found = analyse(cw.Observations.single(designs, values), ORTHANT, delta=0.05)
    assert "looks like a tie, which no reasonable number of evaluations decides" in found.explanations[-1]
    assert found.next(20).total == 20
    assert sorted(found.next(20).counts.tolist()) == [10, 10]


@given(
    counts=st.lists(st.integers(0, 12), min_size=1, max_size=5),
    wanted=st.lists(st.integers(0, 9), min_size=5, max_size=5),
    most=st.integers(1, 40),
)
def test_a_short_budget_is_shared_one_by_one_with_those_furthest_behind(counts, wanted, most):
    need = dict(enumerate(wanted[: len(counts)]))
    given_ = shared(dict(need), np.array(counts), {}, most)
    have, left = list(counts), min(most, sum(need.values()))
    assert sum(given_.values()) == left
    while left:
        k = min((k for k in need if have[k] < counts[k] + need[k]), key=lambda k: (have[k], k))
        have[k] += 1
        left -= 1
    assert sorted(have) == sorted(counts[k] + given_.get(k, 0) for k in need)
