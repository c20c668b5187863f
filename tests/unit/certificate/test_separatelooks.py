"""Looks at objectives with levels of their own: against whole rows, against sums by hand, and in any order."""

from __future__ import annotations

import numpy as np
import pytest
from conewise.certificate.separatelooks import SeparateLooks, Streams

import conewise as cw
from conewise.certificate.certificate import Certificate
from conewise.certificate.history import Checkpoints
from conewise.data.observations import Observations
from conewise.noise import Bounded, ByObjective, Gaussian, GaussianUnknown, Known, Noise

ORTHANT, WIDE = cw.Cone.orthant(2), cw.Cone.planar(120)
MEANS = np.array([[0.9, 0.2], [0.2, 0.9], [0.1, 0.1], [0.5, 0.45], [0.9, 0.2]])
NOISES: dict[str, Noise] = {
    "normal": ByObjective([0.3, 0.4], apart=True),
    "unknown": ByObjective([GaussianUnknown(0.0), GaussianUnknown(0.0)], apart=True),
    "bounded, normal": ByObjective([Bounded(-3, 4), 0.4], apart=True),
    "rounded, known": ByObjective([GaussianUnknown(), Known()], apart=True),
}


def question(noise: Noise, cone: cw.Cone = ORTHANT, success="contain", level: float | None = None) -> cw.Question:
    names = [cw.Objective("first", level=level), cw.Objective("second")]
    return cw.Question(cone, 0.5, 0.1, noise, success, names)


def rows(noise: str, count: int, seed: int = 0) -> np.ndarray:
    """(count, K, 2)"""
    values = MEANS + 0.3 * np.random.default_rng(seed).normal(size=(count, *MEANS.shape))
    if noise == "rounded, known":
        values[..., 0] = np.round(values[..., 0], 1)
        values[..., 1] = MEANS[:, 1]
    return values


def told(certificate: SeparateLooks, values: np.ndarray, measured: np.ndarray) -> Streams:
    """Rows in turn, of which stream (k, d) has measured[k, d]."""
    kept = np.where(np.arange(len(values))[:, None, None] < measured, values, np.nan)
    return certificate.start().add(np.tile(np.arange(len(MEANS)), len(values)), kept.reshape(-1, 2))


def whole(asked: cw.Question, values: np.ndarray) -> tuple[Certificate, Checkpoints]:
    """The certificate of looks at whole rows, with the same noise."""
    certificate = Certificate(asked, len(MEANS), pilots=False)
    radii = certificate.radii
    state = Checkpoints.empty(certificate.levels, len(MEANS), 2, radii.estimates, None, radii.centre)
    designs = np.tile(np.arange(len(MEANS)), len(values))
    return certificate, state.add(Observations.single(designs, values.reshape(-1, 2)))


@pytest.mark.parametrize(("success", "level"), [("cover", None), ("contain", 0.15)])
@pytest.mark.parametrize("cone", [ORTHANT, WIDE], ids=str)
@pytest.mark.parametrize("noise", NOISES)
def test_with_equal_counts_it_is_the_certificate_of_whole_rows(noise, cone, success, level):
    """Also under the wide cone, with coarsely recorded values, and with a level on the first objective."""
    asked, values = question(NOISES[noise], cone, success, level), rows(noise, 60)
    certificate, state = whole(asked, values)
    apart = SeparateLooks(asked, len(MEANS))
    seen = told(apart, values, np.full(MEANS.shape, 60))
    assert apart.levels == certificate.levels
    mine, theirs = apart.claims(seen), certificate.claims(state)
    for name in ("beaten", "accepted", "covered", "misses"):
        assert getattr(mine, name).tolist() == getattr(theirs, name).tolist()
    np.testing.assert_allclose(mine.accept_at, theirs.accept_at)
    found, expected = apart.certified_epsilon(mine), certificate.certified_epsilon(theirs)
    assert found.epsilon == pytest.approx(expected.epsilon)
    everyone = np.arange(len(MEANS))
    for pair in zip(
        apart.compare(seen, everyone).out(everyone, everyone, covering=True),
        certificate.compare(state, everyone).out(everyone, everyone, covering=True),
        strict=True,
    ):
        np.testing.assert_allclose(pair[0].gains, pair[1].gains, atol=1e-12)
        np.testing.assert_allclose(pair[0].radii, pair[1].radii)


def test_each_objective_is_compared_at_the_level_that_both_designs_have_reached_in_it():
    asked, values = question(Gaussian([0.3, 0.4]), WIDE, "contain"), rows("normal", 120)
    apart = SeparateLooks(asked, len(MEANS))
    times = np.array([[100, 12], [30, 110], [50, 50], [9, 120], [40, 40]])
    state = told(apart, values, times)
    counts = np.array(apart.levels.counts)
    found = apart.compare(state, np.arange(5)).fine(np.array([0]), np.array([1]))
    common = counts[np.searchsorted(counts, times[[0, 1]].min(axis=0), side="right") - 1]
    ahead = np.array([values[:g, 1, d].mean() - values[:g, 0, d].mean() for d, g in enumerate(common)])
    np.testing.assert_allclose(found.gains[0, 0], WIDE.facet_values(ahead))
    whole_radii = []
    for d, g in enumerate(common):
        equal = told(apart, values[:g], np.full((5, 2), g))
        part = apart.compare(equal, np.arange(5))
        alone = part.table.meeting(np.array([0]), np.array([1]), 4)
        logs = part.boundaries.spending.log_fine(np.array([0]), part.standing)
        z = part.boundaries._z(part.table, np.array([0]), np.array([1]), alone.level, logs, False)
        mine = np.flatnonzero(apart.objective[:4] == d)
        whole_radii.append(z[mine, 0, 0] * alone.spreads[mine, 0, 0])
    np.testing.assert_allclose(found.radii[0, 0], np.sum(whole_radii, axis=0))


def test_an_objective_that_lags_behind_leaves_pairs_open_and_the_others_decide():
    """Under the orthant a design is fine by one objective, but beaten in both only."""
    asked = question(Gaussian([0.1, 0.1]))
    apart, values = SeparateLooks(asked, 5), rows("normal", 60)
    nothing = apart.claims(told(apart, values, np.array([[60, 0]] * 5)))
    assert nothing.undecided.all()
    few = apart.claims(told(apart, values, np.array([[60, apart.levels.counts[0]]] * 5)))
    assert few.accepted[0]
    assert few.comparisons.table.reached[0].tolist() == [
        apart.claims(told(apart, values, np.full((5, 2), 60))).comparisons.table.reached[0, 0],
        0,
    ]


def test_one_value_of_an_objective_without_noise_is_enough():
    asked = question(NOISES["rounded, known"])
    apart, values = SeparateLooks(asked, 5), rows("rounded, known", 60)
    once = np.array([[60, 1]] * 5)
    np.testing.assert_array_equal(
        apart.claims(told(apart, values, once)).beaten,
        apart.claims(told(apart, values, np.full((5, 2), 60))).beaten,
    )


def test_batches_and_the_order_of_objectives_change_nothing():
    asked, values = question(ByObjective([GaussianUnknown(), 0.4])), rows("normal", 50)
    apart = SeparateLooks(asked, 5)
    one = told(apart, values, np.full((5, 2), 50))
    designs = np.tile(np.arange(5), 50)
    flat = values.reshape(-1, 2)
    other = apart.start()
    for d in (1, 0):
        other = other.add(designs, np.where(np.arange(2) == d, flat, np.nan))
    assert apart.claims(one).accept_at.tolist() == apart.claims(other).accept_at.tolist()


def test_radii_that_are_scaled_are_scaled():
    asked, values = question(Gaussian([0.3, 0.4]), level=0.15), rows("normal", 30)
    wide, narrow = SeparateLooks(asked, 5), SeparateLooks(asked, 5, scale=0.25)
    seen = told(wide, values, np.full((5, 2), 30))
    everyone = np.arange(5)
    radii = [each.compare(seen, everyone).fine(everyone, everyone).radii for each in (wide, narrow)]
    np.testing.assert_allclose(radii[1], radii[0] / 4)
    assert (narrow.bounds(seen).lower >= wide.bounds(seen).lower).all()
