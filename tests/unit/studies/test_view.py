"""What a study answers on the way: from all it has, in the user's own sign, and what is worth most."""

from __future__ import annotations

import numpy as np
import pytest
from shared.studies import Clock, finish, make, same, values_of

import conewise as cw
from conewise.noise import Bounded, Gaussian


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def study(tmp_path, clock):
    with make(tmp_path / "trial.db", clock=clock, lease=60) as made:
        yield made


@pytest.mark.parametrize("algorithm", ["elimination", "naive"])
def test_a_guarantee_is_in_the_users_own_sign(tmp_path, algorithm):
    """Inside, the cost that is minimised lies between -1 and 0; whoever gave the range reads what was given."""
    noise, truth = Bounded(0, 1), {"a": [0.9, 0.2], "b": [0.2, 0.9]}
    given = {"designs": list(truth), "noise": noise, "epsilon": 0.5, "delta": 0.1, "algorithm": algorithm}
    with make(tmp_path / "a.db", **given) as study:
        while batch := study.ask(100):
            study.tell(batch, [truth[evaluation.name] for evaluation in batch])
        answer = study.result()
    assert answer.indices == [0]
    assert answer.guarantee.assumption.endswith(noise.words)


def test_minimised_objectives_are_turned_once(tmp_path):
    """The same study told with both signs, its noise given in each sign: one answer."""
    cov = np.array([[0.25, 0.1], [0.1, 0.3]])
    turn = np.diag([1.0, -1.0])
    results = []
    for minimise, noise, sign in (((), cov, 1), (("cost",), turn @ cov @ turn, -1)):
        with make(
            tmp_path / f"{sign}.db", minimise=minimise, noise=Gaussian(cov=noise), cone=cw.Cone.planar(60)
        ) as study:
            while batch := study.ask(20):
                study.tell(batch, values_of(batch) * [1, -sign])
            results.append(study.result())
            assert study.noise.cov.tolist() == noise.tolist()  # as it was given
    assert same(*results)


def test_an_unfinished_study_answers_from_all_it_has(study):
    batch = study.ask(12)[:9]
    study.tell(batch, values_of(batch))
    result = study.result()
    assert result.evaluations == 9  # the round of six is over, and three of the next are there
    assert result.counts.tolist() == [2, 2, 2, 1, 1, 1]
    assert study.status().waiting == 3
    assert not study.status().finished
    assert study.status().remaining > 0


def test_a_plan_is_what_is_worth_most(study):
    assert study.plan(4).total == 4
    finish(study, 5)
    assert study.plan().total == 0
    with pytest.raises(cw.InputError, match="at least 1"):
        study.plan(0)


def test_what_is_told_of_a_dropped_design_is_set_aside_and_waits_for_nothing(study):
    """Also what was out when it was dropped, and what came beyond a gap."""
    batch = study.ask(12)
    late = [e for e in batch if e.design == 0]
    rest = [e for e in batch if e.design != 0]
    study.tell(rest, values_of(rest))
    study.tell(late[1:], values_of(late[1:]))  # d0n0 is still out
    study.drop([late[0].name], reason="not made any more", unseen=True)
    study.tell(late[:1], values_of(late[:1]))
    study.record([late[0].name], [[0.5, 0.5]])
    status = study.status()
    assert (status.aside, status.evaluations - status.aside) == (len(late) + 1, len(rest))
    assert status.waiting == 0


def test_what_was_out_when_designs_were_added_is_set_aside(study):
    batch = study.ask(12)
    study.tell(batch[:6], values_of(batch[:6]))
    study.add_designs(["new"], reason="a better idea")
    study.tell(batch[6:], values_of(batch[6:]))
    assert (study.status().aside, study.status().waiting) == (12, 0)
