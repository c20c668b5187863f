"""Tuned numbers, halved and doubled one at a time."""

from __future__ import annotations

from dataclasses import fields

import pytest

from benchmarks import sensitivity
from benchmarks.paired import LEAST
from conewise.certificate.tuning import TUNING


@pytest.mark.parametrize("name", sensitivity.CHECKED)
def test_one_number_changes_and_the_tuning_stays_valid(name):
    for factor in (0.5, 2):
        tuning = sensitivity.changed(name, factor)
        assert [
            field.name for field in fields(tuning) if getattr(tuning, field.name) != getattr(TUNING, field.name)
        ] == [name]


def test_every_instance_is_one_of_the_ablation():
    known = {each.name for each in sensitivity.instances()}
    assert {case for cases in sensitivity.CHECKED.values() for case in cases} <= known


def test_a_ratio_has_runs_until_it_is_settled_and_no_more_than_it_may(monkeypatch):
    halved, doubled = sensitivity.changed("lag", 0.5), sensitivity.changed("lag", 2)
    each = {TUNING: lambda number: 100, halved: lambda number: 150, doubled: lambda number: 100 * (1 + number % 2)}
    monkeypatch.setattr(sensitivity, "evaluations", lambda case, tuning, number: each[tuning](number))
    assert sensitivity.ratio("case", halved, 40) == sensitivity.Ratio(1.5, 0.0, LEAST)
    assert sensitivity.ratio("case", doubled, 40).runs == 40
