"""Where everyone stands: status, rank, gap, and who beats it, by definition."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from shared.records import CARS

import conewise as cw
from conewise.question.objectives import as_objectives
from conewise.tables.standings import standings

CHOICE = {"objectives": ["price", "power"], "minimise": ["price"]}


def test_everyone_has_a_status_a_rank_a_gap_and_who_beats_it():
    found = cw.front(CARS, everyone=True, **CHOICE)
    assert [row["status"] for row in found] == ["kept", "kept", "beaten", "kept"]
    assert [row["rank"] for row in found] == [1, 1, 2, 1]
    assert [row["gap"] for row in found] == [0, 0, 10, 0]
    assert [row["by"] for row in found] == [None, None, "a", None]


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([cw.Cone.orthant(2), cw.Cone.planar(60), cw.Cone.planar(135)]),
    st.booleans(),
)
def test_standings_are_those_of_the_definitions(seed, cone, tied):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 5, size=(30, 2)).astype(float) if tied else rng.normal(size=(30, 2))
    meaning = as_objectives([cw.Objective("x", unit=0.5), cw.Objective("y", "min")])
    found = standings(values, meaning, cone)
    steps = meaning.steps(values)
    front = cw.pareto_mask(steps, cone)
    assert np.array_equal(found.status == "kept", front)
    np.testing.assert_allclose(found.gap, cw.suboptimality_gaps(steps, cone), atol=1e-12)
    for i in np.flatnonzero(~front):
        assert cw.dominates(steps[found.by[i]], steps[i], cone)
        assert front[found.by[i]]
    left, rank = np.arange(30), 0
    while len(left):
        rank += 1
        mask = cw.pareto_mask(steps[left], cone)
        assert set(found.rank[left[mask]]) == {rank}
        left = left[~mask]
