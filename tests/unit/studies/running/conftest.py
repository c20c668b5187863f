"""The study that every run must agree with."""

from __future__ import annotations

import pytest
from shared import simulators
from shared.running import make

from conewise.studies.running.runner import run_study


@pytest.fixture(scope="session")
def reference(tmp_path_factory):
    """One evaluation after the other, without workers."""
    study = make(tmp_path_factory.mktemp("reference"))
    report = run_study(study, simulators.trade_off, jobs=0, batch=1)
    assert report.finished
    assert report.told == study.status().evaluations
    assert 40 < report.told < 150
    return study
