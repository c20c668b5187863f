"""Tuned numbers, halved and doubled one at a time."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from benchmarks import sensitivity
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


def test_a_ratio_is_of_means_and_has_the_error_of_pairs():
    base = np.array([100.0, 200.0, 300.0])
    assert sensitivity.ratio(1.5 * base, base) == "1.500 (0.000)"
    assert sensitivity.ratio(base + np.array([30.0, -30.0, 0.0]), base) == "1.000 (0.087)"
