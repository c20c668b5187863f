"""The hard instances of the lower-bound proofs, with what the proofs claim of them."""

from __future__ import annotations

import numpy as np
import pytest
from shared.cones import named_cones, random_cone

import conewise as cw
from conewise import Cone, problems

CONES = [*named_cones(), *(random_cone(np.random.default_rng([9, dim]), dim, 7) for dim in (2, 3, 4, 5))]
SEVERAL = pytest.mark.parametrize("cone", CONES, ids=lambda cone: repr(cone)[:40])
PLANES = pytest.mark.parametrize("cone", [c for c in CONES if c.dim > 1], ids=lambda cone: repr(cone)[:40])


def successful_sets(instance: problems.HardInstance, seed: int) -> list[np.ndarray]:
    """The front, the largest successful set, and random sets in between that succeed on the original means."""
    rng, size = np.random.default_rng(seed), len(instance.means)
    front = cw.pareto_mask(instance.means, instance.cone)
    fine = front | (cw.suboptimality_gaps(instance.means, instance.cone) <= instance.epsilon)
    tried = [front, fine, *(fine & (rng.random(size) < share) for share in (0.4, 0.7, 0.9) for _ in range(2))]
    return [P for P in tried if cw.verdict(P, instance.means, instance.cone, instance.epsilon)]


def check_moves(instance: problems.HardInstance, seed: int) -> set[tuple[bool, bool]]:
    """The claim of both proofs for every design and several successful sets; which of the four cases were met.

    Covering is monotone in the returned set, so if all designs but one do not cover that one, no set without it
    succeeds; and a member that is too far fails every set that holds it.
    """
    means, cone, epsilon = instance.means, instance.cone, instance.epsilon
    front = cw.pareto_mask(means, cone)
    met = set()
    for returned in successful_sets(instance, seed):
        for design in range(len(means)):
            if front[design] and returned[design] and front.sum() == 1:
                continue  # a lone Pareto design has an infinite gap and counts nothing in the bound
            moved = instance.moved(design, returned)
            others = np.arange(len(means)) != design
            np.testing.assert_array_equal(moved[others], means[others])
            assert not cw.verdict(returned, moved, cone, epsilon)
            if returned[design]:  # it must leave: strongly dominated by more than epsilon
                assert not cw.pareto_mask(moved, cone)[design]
                assert design in cw.verdict([design], moved, cone, epsilon).too_far
                assert cw.suboptimality_gaps(moved, cone)[design] >= 2 * epsilon * (1 - 1e-9)
            else:  # it must enter: Pareto optimal, and covered by no other design
                assert cw.pareto_mask(moved, cone)[design]
                assert design in cw.verdict(others, moved, cone, epsilon).uncovered
            met.add((bool(front[design]), bool(returned[design])))
    return met


@SEVERAL
@pytest.mark.parametrize("epsilon", [0.02, 0.2])
def test_gap_dependent_instance_forces_a_change_of_mind(cone, epsilon):
    """Ararat & Tekin 2023, proof of Theorem 5.1, cases 1 to 4; means with and without ties."""
    rng = np.random.default_rng(0)
    for means in (rng.uniform(0.25, 0.75, size=(7, cone.dim)), rng.integers(0, 3, size=(7, cone.dim)) / 4):
        instance = problems.gap_dependent_instance(means, cone, epsilon)
        np.testing.assert_array_equal(instance.means, means)
        check_moves(instance, seed=1)


def test_all_four_cases_of_the_proof_are_met():
    met = set()
    for cone in (Cone.planar(45), Cone.planar(135), Cone.ranked(3), Cone.ice_cream(60, facets=5)):
        means = np.random.default_rng(2).uniform(0.25, 0.75, size=(12, cone.dim))
        met |= check_moves(problems.gap_dependent_instance(means, cone, 0.1), seed=2)
    assert met == {(True, True), (True, False), (False, True), (False, False)}


@PLANES
@pytest.mark.parametrize("epsilon", [0.01, 1.0])
def test_worst_case_instance_forces_a_change_of_mind(cone, epsilon):
    """Ararat & Tekin 2023, proof of Theorem 5.3, for the designs it moves and for the other two as well."""
    met = check_moves(problems.worst_case_instance(cone, 6, epsilon), seed=3)
    assert met >= {(True, True), (True, False)}


@PLANES
def test_worst_case_instance_is_that_of_the_proof(cone):
    instance = problems.worst_case_instance(cone, 7, 0.1)
    first, second, *others = instance.means
    np.testing.assert_array_equal(first, 0)
    assert cone.contains(second, interior=True)
    np.testing.assert_array_equal(others, np.tile(others[0], (5, 1)))
    v = second - others[0]
    assert not cone.contains(v)
    assert not cone.contains(-v)
    assert cw.cover_gaps([others[0]], cone, rivals=[second]).item() == pytest.approx(0.1, rel=1e-10)
    # The proof claims P* = all but the first; that needs epsilon to be small beside mu.
    assert cw.pareto_mask(instance.means, cone)[1:].all()
    bound = cw.worst_case_bound(cone, 7, 0.1, 0.1)
    np.testing.assert_allclose(instance.noise, bound.direction / 4, rtol=1e-12)


@SEVERAL
def test_gap_dependent_noise_has_length_one_quarter_along_z(cone):
    means = np.full((2, cone.dim), 0.5)
    instance = problems.gap_dependent_instance(means, cone, 0.1)
    assert np.linalg.norm(instance.noise) == pytest.approx(0.25, rel=1e-12)
    z = cw.gap_dependent_bound(means, cone, 0.1, 0.1).direction
    np.testing.assert_allclose(instance.noise * 4 * np.linalg.norm(z), z, rtol=1e-12)


@SEVERAL
def test_moves_have_the_lengths_of_remark_5_2(cone):
    """2, 3, 2 and 2 (plus a little) times the gap times z*, up when the design must enter, down when it must leave."""
    rng = np.random.default_rng(4)
    instance = problems.gap_dependent_instance(rng.random((8, cone.dim)), cone, 0.05)
    z = cw.gap_dependent_bound(instance.means, cone, 0.05, 0.1).direction
    front = cw.pareto_mask(instance.means, cone)
    gaps = np.where(front, cw.separation_gaps(instance.means, cone), cw.suboptimality_gaps(instance.means, cone))
    for design in np.flatnonzero(np.isfinite(gaps)):
        gap = max(gaps[design], 0.05)
        without, alone = np.arange(8) != design, [design]
        up = (instance.moved(design, without) - instance.means)[design] @ z / (z @ z) / gap
        down = (instance.moved(design, alone) - instance.means)[design] @ z / (z @ z) / gap
        assert up == pytest.approx(2 if front[design] else 2 + 1 / np.linalg.norm(z), rel=1e-10)
        assert down == pytest.approx(-3 if front[design] else -2, rel=1e-10)


def test_instances_do_not_change_and_do_not_follow_their_input():
    means = np.array([[0.3, 0.6], [0.6, 0.3]])
    instance = problems.gap_dependent_instance(means, Cone.orthant(2), 0.1)
    means[0] = 9
    moved = instance.moved(0, [0, 1])
    assert instance.means.tolist() == [[0.3, 0.6], [0.6, 0.3]]
    assert not instance.means.flags.writeable
    assert not moved.flags.writeable
