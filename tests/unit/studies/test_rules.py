"""Rules by their names: each gives what its plain loop gives."""

from __future__ import annotations

import pytest
from shared.studies import Clock, digest, finish, make, reference, same

import conewise as cw


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def study(tmp_path, clock):
    with make(tmp_path / "trial.db", clock=clock, lease=60) as made:
        yield made


@pytest.mark.parametrize("algorithm", ["vogp", "epal", "ehvi", "pfes"])
def test_rules_with_a_model_go_by_their_names_too(tmp_path, algorithm):
    designs = [{"name": name, "size": size} for name, size in zip("abcdef", range(6), strict=True)]
    model = {"kind": "smooth", "features": ["size"], "kernels": ["squared"], "sizes": [1.0]}
    asked = {"designs": designs, "algorithm": algorithm, "epsilon": 1.0, "model": model}
    with make(tmp_path / "a.db", **asked, options={"max_evaluations": 12}) as study:
        finish(study, 1)
        assert same(study.result(), reference(study))
        with cw.Study.open(study.place) as other:
            assert digest(other) == digest(study)
            assert other.algorithm == algorithm


@pytest.mark.parametrize("algorithm", ["elimination", "ape", "auer", "paveba", "psips"])
def test_every_rule_gives_what_its_plain_loop_gives(tmp_path, algorithm):
    options = {} if algorithm == "elimination" else {"growth": 0.5}
    with make(tmp_path / "a.db", algorithm=algorithm, epsilon=1.0, options=options) as study:
        finish(study, 10)
        assert same(study.result(), reference(study))
        assert study.plan(3).total == 0
        with cw.Study.open(study.place) as other:
            assert digest(other) == digest(study)
            assert other.algorithm == algorithm
            assert other.options == options


def test_a_study_made_with_the_former_name_of_the_rule_goes_on(tmp_path):
    with make(tmp_path / "a.db", algorithm="proportions", epsilon=1.0) as study:
        finish(study, 10)
        assert study.algorithm == "elimination"
        assert same(study.result(), reference(study))
