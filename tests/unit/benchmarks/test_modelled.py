"""The benchmark of models: its tables have the features they claim, and a row is what a run says."""

from __future__ import annotations

import numpy as np

import conewise as cw
from benchmarks import modelled


def test_features_belong_to_their_designs():
    for case in modelled.cases():
        case.model.check(case.problem.n_designs)
    # The mass of a disc brake grows with its outer radius and with its surfaces.
    mass, features = -modelled.disc_brake()[:, 0], modelled.brake_features()
    assert np.corrcoef(mass, features[:, 1])[0, 1] > 0.5
    assert np.corrcoef(mass, features[:, 3])[0, 1] > 0.3
    assert modelled.network_features().shape == (206, 3)


def test_bent_tables_are_what_their_names_say():
    tables = {case.name: case for case in modelled.bent()}
    for case in tables.values():
        case.model.check(case.problem.n_designs)
    orthant = cw.Cone.orthant(2)
    spike, dip = (tables[name].problem.means for name in ("a lone spike", "a lone dip of a Pareto design, confirm"))
    assert cw.pareto_mask(spike, orthant)[int((spike - dip).sum(axis=1).argmax())]
    assert tables["a lone dip of a Pareto design, confirm"].confirm is True
    assert tables["a lone spike, confirm all"].confirm == "all"
    assert tables["... and without features"].model.independent
    np.testing.assert_array_equal(
        tables["features are noise"].problem.means, tables["... and without features"].problem.means
    )


def test_a_decision_is_timed_with_what_it_dealt_with():
    found = modelled.decision(30, evaluations=40, times=2)
    assert found["components"] == 32 + 7
    assert 0 < found["seen"] <= 30
    assert found["asked"] >= 1
    said: list[str] = []
    modelled.decisions(said.append, sizes=(20,))
    assert said[-1].startswith("| 20 |")
