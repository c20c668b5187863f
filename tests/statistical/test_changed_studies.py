"""Studies that are changed because of their values keep delta, measured on users who do their worst.

Null hypothesis of each cell: any answer on the way is wrong with probability at most delta (the parts of all versions
together). Sequential test at level 1e-3 with fixed seeds (power against a rate of 0.5: 0.99). Negative controls:
designs that are dropped because of the values under the promise that they were not, and radii divided by five, must be
rejected at the same level.
"""

from __future__ import annotations

import numpy as np
from shared.binomial import rejected
from shared.memory import study_in_memory

import conewise as cw
from conewise.noise import Gaussian

LEVEL = 1e-3
DELTA = 0.1


# -- dropped because of the values ---------------------------------------------------------------------------------

CROWD, EACH = 40, 30


def the_two_that_differ_most(seed: int, unseen: bool) -> bool:
    """Of equal designs all are dropped but the luckiest and the unluckiest; whether one of these is then beaten."""
    rng = np.random.default_rng(seed)
    study = study_in_memory(
        designs=CROWD,
        cone=cw.Cone.planar(170),
        epsilon=1.0,
        delta=DELTA,
        noise=Gaussian(1.0),
        algorithm="elimination",
        options={"success": "contain"},
        reserve=0.5,
    )
    values = rng.standard_normal((CROWD, EACH, 2))
    study.record(np.repeat(np.arange(CROWD), EACH).tolist(), values.reshape(-1, 2))
    looks = (study.cone.facets @ values.mean(axis=1).T).sum(axis=0)
    extremes = {int(looks.argmin()), int(looks.argmax())}
    study.drop([k for k in range(CROWD) if k not in extremes], reason="these look alike", unseen=unseen)
    assert study.delta_spent <= DELTA
    return bool((study.result().status == "beaten").any())


def test_a_choice_of_designs_by_their_values_keeps_delta():
    assert not rejected(lambda seed: the_two_that_differ_most(seed, unseen=False), DELTA, LEVEL)


def test_the_same_choice_under_a_false_promise_does_not():
    """Negative control: the certificate of two designs does not know from how many they were chosen."""
    assert rejected(lambda seed: the_two_that_differ_most(seed, unseen=True), DELTA, LEVEL)


# -- epsilon after the values --------------------------------------------------------------------------------------

MEANS = np.array([[0.0, 0.0], [0.6, -0.6], [-0.45, -0.45], [0.1, -1.0]])


def evaluate(study, means, rng, each):
    for k, name in enumerate(study.all_names):
        if name in study.names:
            study.record([name] * each, means[k] + rng.standard_normal((each, 2)))


def is_wrong(study, means) -> bool:
    """Whether the answer of this moment fails at the epsilon that it says."""
    result = study.result()
    if result.certified_epsilon is None:
        return False
    place, _ = study.streams()
    compared = means[np.flatnonzero(place >= 0)]
    return not cw.verdict(result.pareto, compared, study.cone, max(result.certified_epsilon, 1e-9))


def epsilon_as_it_pleases(seed: int, scale: float) -> bool:
    """At each look epsilon becomes what is certified, so that the study is finished, and then half of it."""
    rng = np.random.default_rng(seed)
    study = study_in_memory(
        designs=4,
        cone=cw.Cone.orthant(2),
        epsilon=1.0,
        delta=DELTA,
        noise=Gaussian(1.0),
        algorithm="elimination",
        options={"radius_scale": scale},
        reserve=0.5,
    )
    for _ in range(3):
        evaluate(study, MEANS, rng, 20)
        certified = study.result().certified_epsilon
        if certified is not None and certified > 0:
            study.change(epsilon=certified)
            if is_wrong(study, MEANS):
                return True
            study.change(epsilon=certified / 2)
        if is_wrong(study, MEANS):
            return True
    return False


def test_an_epsilon_that_is_chosen_by_the_values_keeps_delta():
    assert not rejected(lambda seed: epsilon_as_it_pleases(seed, 1.0), DELTA, LEVEL)


def test_with_radii_divided_by_five_it_does_not():
    """Negative control: the cell above can fail."""
    assert rejected(lambda seed: epsilon_as_it_pleases(seed, 0.2), DELTA, LEVEL)


# -- added because of the values -----------------------------------------------------------------------------------


def a_rival_for_the_luckiest(seed: int, scale: float) -> bool:
    """Twice a design is added that truly beats, by hardly more than epsilon, the design that looks best just then."""
    rng = np.random.default_rng(seed)
    means, epsilon = np.zeros((5, 2)), 0.8
    study = study_in_memory(
        designs=5,
        cone=cw.Cone.orthant(2),
        epsilon=epsilon,
        delta=DELTA,
        noise=Gaussian(1.0),
        algorithm="elimination",
        options={"radius_scale": scale},
        reserve=0.5,
    )
    for step in range(3):
        for _ in range(3):
            evaluate(study, means, rng, 12)
            if is_wrong(study, means):
                return True
        if step == 2:
            return False
        result = study.result()
        place, _ = study.streams()
        luckiest = int(np.flatnonzero(place >= 0)[result.means.sum(axis=1).argmax()])
        means = np.vstack([means, means[luckiest] + 1.05 * epsilon])
        study.add_designs([f"rival {step}"])
        assert study.delta_spent <= DELTA
    return False


def test_designs_that_are_added_because_of_the_values_keep_delta():
    assert not rejected(lambda seed: a_rival_for_the_luckiest(seed, 1.0), DELTA, LEVEL)


def test_with_radii_divided_by_five_they_do_not():
    """Negative control: the cell above can fail."""
    assert rejected(lambda seed: a_rival_for_the_luckiest(seed, 0.2), DELTA, LEVEL)


# -- an objective added because of the values --------------------------------------------------------------------------

MANY, ALIKE, SEEN = 14, 3, 8


def the_direction_that_shows_most(seed: int, unseen: bool) -> bool:
    """Of equal designs, an objective and a narrow bundle of weightings are chosen in which two look most different."""
    rng = np.random.default_rng(seed)
    study = study_in_memory(
        designs=ALIKE,
        cone=cw.Cone.orthant(MANY - 1),
        epsilon=1.0,
        delta=DELTA,
        noise=Gaussian(1.0),
        algorithm="elimination",
        options={"success": "contain"},
        reserve=0.5,
    )
    values = rng.standard_normal((ALIKE, SEEN, MANY))
    told = study.record(np.repeat(np.arange(ALIKE), SEEN).tolist(), values[:, :, :-1].reshape(-1, MANY - 1))
    means = values.mean(axis=1)
    i, j = max(
        ((i, j) for i in range(ALIKE) for j in range(i)), key=lambda p: np.linalg.norm(means[p[0]] - means[p[1]])
    )
    shown = (means[i] - means[j]) / np.linalg.norm(means[i] - means[j])
    bundle = cw.Cone(shown + 0.01 * np.eye(MANY))
    earlier = dict(zip(told.evaluations, values[:, :, -1].ravel().tolist(), strict=True)) if unseen else None
    study.add_objective("the last", cone=bundle, noise=Gaussian(1.0), values=earlier, unseen=unseen)
    assert study.delta_spent <= DELTA
    if not unseen:
        study.record(
            np.repeat(np.arange(ALIKE), SEEN).tolist(), rng.standard_normal((ALIKE, SEEN, MANY)).reshape(-1, MANY)
        )
    return bool((study.result().status == "beaten").any())


def test_an_objective_chosen_by_the_values_keeps_delta():
    assert not rejected(lambda seed: the_direction_that_shows_most(seed, unseen=False), DELTA, LEVEL)


def test_the_same_objective_under_a_false_promise_does_not():
    """Negative control: the certificate of one cone does not know from how many directions it was chosen."""
    assert rejected(lambda seed: the_direction_that_shows_most(seed, unseen=True), DELTA, LEVEL)
