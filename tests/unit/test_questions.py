"""Questions about preferences: what one more ray leaves, few that suffice, and an end."""

from __future__ import annotations

import numpy as np

import conewise as cw
from conewise._questions import remaining
from conewise.problems import load


def deciding(means, weights, said, questions, wrong=None):
    """The preferences of a simulated person after so many answers; `wrong` says which answers are."""
    for q in range(questions):
        pair = said.ask(means)
        if pair is None:
            break
        i, j = pair if (means[pair[0]] - means[pair[1]]) @ weights >= 0 else pair[::-1]
        if wrong is not None and wrong[q]:
            i, j = j, i
        said = said.prefers(means[i], over=means[j])
    return said


def test_the_count_under_one_more_ray_is_that_of_the_cone_with_it():
    rng = np.random.default_rng(4)
    for dim in (2, 3, 4):
        designs, cone = rng.normal(size=(30, dim)), cw.Cone.importance(0.1, dim=dim)
        rays = rng.normal(size=(6, dim)) + 0.5
        slow = [
            int(cw.pareto_mask(designs, cw.Cone.from_rays(np.vstack([cone.rays, ray])), keep_duplicates=True).sum())
            for ray in rays
            if not cone.contains(ray) and not (cone.facets @ ray <= 0).all()
        ]
        some = [ray for ray in rays if not cone.contains(ray) and not (cone.facets @ ray <= 0).all()]
        assert remaining(designs, cone.facets, np.array(some)).tolist() == slow


def test_three_questions_leave_few_designs_and_the_best_one():
    rng, left, before = np.random.default_rng(5), [], []
    for _ in range(100):
        means, weights = rng.normal(size=(500, 3)), rng.dirichlet(np.ones(3))
        nothing = cw.Preferences(["a", "b", "c"])
        said = deciding(means, weights, nothing, 3)
        kept = said.remaining(means)
        assert kept[(means @ weights).argmax()]
        left.append(int(kept.sum()))
        before.append(int(nothing.remaining(means).sum()))
    assert np.mean(before) > 20
    assert np.mean(left) <= 5


def test_three_questions_leave_two_sorting_networks():
    means, rng = load("snw").means, np.random.default_rng(6)
    left = []
    for _ in range(100):
        weights = rng.dirichlet(np.ones(2))
        kept = deciding(means, weights, cw.Preferences(["area", "throughput"]), 3).remaining(means)
        assert kept[(means @ weights).argmax()]
        left.append(int(kept.sum()))
    assert np.mean(left) <= 2


def test_questions_end_and_what_cannot_be_said_is_not_asked_again():
    means = np.array([[0.0, 3.0], [1.0, 2.0], [2.0, 0.5]])
    said, asked = cw.Preferences(["a", "b"]), []
    while (pair := said.ask(means)) is not None:
        assert frozenset(pair) not in asked
        asked.append(frozenset(pair))
        said = said.cannot_say(*means[list(pair)])
    assert len(asked) == 3
    assert said.remaining(means).all()
    assert cw.Preferences(["a", "b"]).ask(means[:1]) is None


def test_wrong_answers_rarely_strike_the_best_design():
    rng, kept, left = np.random.default_rng(7), 0, []
    runs = 60
    for _ in range(runs):
        means, weights = rng.normal(size=(200, 3)), rng.dirichlet(np.ones(3))
        wrong = rng.random(6) < 0.1
        said = deciding(means, weights, cw.Preferences(["a", "b", "c"], trust=0.9), 6, wrong)
        mask = said.remaining(means)
        kept += int(mask[(means @ weights).argmax()])
        left.append(mask.sum() / cw.Preferences(["a", "b", "c"]).remaining(means).sum())
    assert kept >= 0.95 * runs
    assert np.mean(left) < 0.6
