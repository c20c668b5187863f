"""Questions about preferences: what one more ray leaves, few that suffice, and an end."""

from __future__ import annotations

import time

import numpy as np
import pytest

import conewise as cw
from benchmarks.deciders import CASES, HEADING, PAGE, decided, statements
from conewise.preferences.questions import remaining


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


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_three_questions_leave_few_designs_and_the_best_one(case):
    found = [decided(case, number) for number in range(100)]
    assert np.mean([each.before for each in found]) > 20
    assert np.mean([each.left for each in found]) <= case.at_most
    assert all(each.kept for each in found)


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


def test_two_hundred_statements_in_five_objectives_make_one_cone_in_under_a_second():
    start = time.process_time()
    cone = statements()
    assert time.process_time() - start < 1
    assert len(cone.said) == 200
    assert cone.includes(cw.Cone.orthant(5))


def test_more_statements_than_a_cone_can_hold_are_refused_as_statements():
    around = np.random.default_rng(8).normal(size=(200, 5))
    around -= around.mean(axis=1, keepdims=True)
    said = cw.Preferences(list("abcde"))
    for ray in around / np.linalg.norm(around, axis=1, keepdims=True) + 0.1:
        said = said.prefers(ray, over=np.zeros(5))
    with pytest.raises(cw.ConeError, match=r"200 statements .* up to 1000 facets, .* take some of them back\.$"):
        _ = said.cone


def test_the_page_shows_the_deciders_that_were_asked_for():
    page = PAGE.read_text(encoding="utf-8")
    section = page.split(HEADING)[1].split("\n## ")[0]
    for case in CASES:
        (line,) = (line for line in section.splitlines() if line.startswith(f"| {case.name} |"))
        left, most, kept, least = (cell.strip() for cell in line.strip("|").split("|")[3:])
        assert float(left) <= case.at_most == float(most)
        count, runs = map(int, kept.split(" (")[0].split(" of "))
        assert runs == 200
        assert count >= runs * float(least.removesuffix(" %")) / 100
