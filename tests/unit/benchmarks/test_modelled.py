"""The benchmark of models: its tables have the features they claim, and a row is what a run says."""

from __future__ import annotations

import numpy as np

import conewise as cw
from benchmarks import modelled
from conewise.noise import Gaussian


def test_features_belong_to_their_designs():
    for case in modelled.cases():
        case.model.check(case.problem.n_designs)
    # The mass of a disc brake grows with its outer radius and with its surfaces.
    mass, features = -modelled.disc_brake()[:, 0], modelled.brake_features()
    assert np.corrcoef(mass, features[:, 1])[0, 1] > 0.5
    assert np.corrcoef(mass, features[:, 3])[0, 1] > 0.3
    assert modelled.network_features().shape == (206, 3)


def test_a_row_counts_runs_and_right_answers(monkeypatch):
    easy = cw.SimulatedBandit([[0.0, 0.0], [3.0, 3.0], [1.0, 1.0]], Gaussian(0.1))
    case = modelled.ModelCase("easy", easy, cw.Cone.orthant(2), 0.5, 0.1, cw.models.Independent(), 10)
    monkeypatch.setattr(modelled, "cases", lambda: [case])
    said: list[str] = []
    modelled.main(["--runs", "2"], said.append)
    name, _, _, figure, right, _ = said[-1].strip("| ").split(" | ")
    assert (name, figure, right) == ("easy", "10", "2/2")


def test_a_decision_is_timed_with_what_it_dealt_with():
    found = modelled.decision(30, evaluations=40, times=2)
    assert found["components"] == 32 + 7
    assert 0 < found["seen"] <= 30
    assert found["asked"] >= 1
    said: list[str] = []
    modelled.decisions(said.append, sizes=(20,))
    assert said[-1].startswith("| 20 |")
