"""The large run checks what it stored: the smallest one passes, and one with other values or too few does not."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import conewise as cw
from benchmarks import outgrown

DESIGNS, EACH = 20, 3


@pytest.fixture
def finished(tmp_path):
    """A study of the smallest size, told by a function of the test's choice; the address."""

    def run(evaluate):
        facts = {"cone": cw.Cone.orthant(2), "epsilon": 0.5, "delta": 0.05, "noise": cw.noise.Gaussian(0.3)}
        rule = {"algorithm": "naive", "options": {"evaluations_each": EACH}, "seed": outgrown.SEED}
        path = str(tmp_path / "small.db")
        with cw.Study.create(path, name=outgrown.NAME, designs=DESIGNS, **facts, **rule) as study:
            assert cw.run_study(study, evaluate, jobs=0).finished
        return path

    return run


def asked(each=EACH):
    return SimpleNamespace(designs=DESIGNS, each=each, workers=1)


def test_a_whole_run_is_reported(finished):
    said = outgrown.report(finished(outgrown.evaluate), asked(), 1.0, {"deaths": {"workers": 1}})
    assert said["evaluations"] == DESIGNS * EACH
    assert 0 < said["returned"] <= DESIGNS


def test_a_lost_evaluation_is_noticed(finished):
    with pytest.raises(SystemExit, match="not as many evaluations"):
        outgrown.report(finished(outgrown.evaluate), asked(EACH + 1), 1.0, {})


def test_a_wrong_value_is_noticed(finished):
    path = finished(lambda design, seed: [value + 1e-3 for value in outgrown.evaluate(design, seed)])
    with pytest.raises(SystemExit, match="was expected"):
        outgrown.report(path, asked(), 1.0, {})
