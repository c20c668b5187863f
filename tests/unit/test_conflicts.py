"""Statements that contradict each other: the smallest such set, and what to take back."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw


def test_contradictions_are_smallest_and_say_what_to_take_back():
    rng = np.random.default_rng(3)
    for dim in (2, 3, 4):
        for _ in range(20):
            weights = rng.dirichlet(np.ones(dim))
            said = cw.Preferences([f"o{d}" for d in range(dim)])
            for _ in range(12):
                a, b = rng.normal(size=(2, dim))
                better, worse = (a, b) if weights @ a > weights @ b else (b, a)
                said = said.prefers(better, over=worse)
            assert not said.conflicts()
            a, b = rng.normal(size=(2, dim))
            better, worse = (a, b) if weights @ a > weights @ b else (b, a)
            wrong = said.prefers(worse, over=better)
            found = wrong.conflicts()
            if not found:
                continue
            for statement in found:
                fewer = cw.Preferences(wrong.objectives)
                for other in found:
                    fewer = fewer if other is statement else fewer.said(other.text)
                assert not fewer.conflicts()
            for statement in found.take_back:
                assert not wrong.without(statement).conflicts()
            with pytest.raises(cw.ConeError, match=r"contradict|getting worse"):
                _ = wrong.cone


def test_what_is_never_given_contradicts_an_exchange_of_it():
    said = cw.Preferences(["tox", "price", "speed"], minimise=["tox", "price"]).never("tox")
    assert said.cone == cw.Cone.orthant(3)
    assert not said.accepts(give={"price": 3}, get={"tox": 1}).conflicts()
    found = said.accepts(give={"price": 3}, get={"speed": 1}).accepts(give={"tox": 1}, get={"price": 50}).conflicts()
    assert [str(statement) for statement in found] == [
        "1 tox for 50 price is worth it",
        "never worse in tox, at any price",
    ]
    narrow = cw.Preferences(["tox", "price", "speed"]).never("tox", get=["price"])
    assert not narrow.accepts(give={"tox": 1}, get={"speed": 2}).conflicts()
    both = narrow.accepts(give={"tox": 1}, get={"speed": 2}).accepts(give={"speed": 2}, get={"price": 9})
    assert len(both.conflicts()) == 3  # only together do they give tox for price


def test_a_design_that_is_worse_in_everything_is_not_preferred():
    found = cw.Preferences(["a", "b"]).prefers([0, 0], over=[1, 1]).conflicts()
    assert "getting worse is getting better" in str(found)


def _something(said, rng):
    """One more statement of any kind."""
    first, second, third, _ = names = rng.permutation(list(said.objectives.names)).tolist()
    amounts = rng.uniform(0.1, 5, size=2).tolist()
    return [
        lambda: said.accepts(give={first: amounts[0]}, get={second: amounts[1]}),
        lambda: said.ranked(first, second, third),
        lambda: said.important({first: amounts[0] / 12, second: amounts[1] / 12}),
        lambda: said.never(first, get=names[1:2] if rng.random() < 0.5 else ()),
        lambda: said.prefers(*rng.normal(size=(2, 4))),
        lambda: said.better_under(cw.Cone.importance(amounts[0] / 25, dim=4)),
    ][rng.integers(6)]()


def test_contradictions_between_statements_of_all_kinds_are_smallest():
    rng = np.random.default_rng(11)
    found = 0
    for _ in range(120):
        said = cw.Preferences(list("abcd"))
        for _ in range(rng.integers(2, 7)):
            said = _something(said, rng)
        conflict = said.conflicts()
        if not conflict:
            assert said.cone.includes(cw.Cone.orthant(4))
            continue
        found += 1
        assert _only(said, conflict.statements).conflicts()
        for statement in conflict:
            assert not _only(said, [other for other in conflict if other is not statement]).conflicts()
        remedies = {id(s) for s in said.statements if not said.without(s).conflicts()}
        assert {id(s) for s in conflict.take_back} == remedies
    assert found > 30


def _only(said, statements):
    kept = {id(statement) for statement in statements}
    for statement in said.statements:
        said = said if id(statement) in kept else said.without(statement)
    return said
