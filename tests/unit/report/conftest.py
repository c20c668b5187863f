"""A study that is finished and a table, made once for all reports."""

from __future__ import annotations

import pytest
from shared import studies
from shared.answers import NASTY, measured

from conewise.report.answer import answer
from conewise.report.subject import of_study
from conewise.tables.measurements import open_measurements


@pytest.fixture(scope="session")
def told(tmp_path_factory):
    """A study that is finished."""
    with studies.make(tmp_path_factory.mktemp("study") / "trial.db", designs=[NASTY, *"bcdef"]) as study:
        while batch := study.ask(20):
            study.tell(batch, [studies.value_of(e.design, e.seed) for e in batch])
        yield study


@pytest.fixture(scope="session")
def numbers(told):
    return answer(of_study(told))


@pytest.fixture(scope="session")
def csv_file(tmp_path_factory):
    return measured(tmp_path_factory.mktemp("table") / "trial.csv", studies.MEANS)


@pytest.fixture(scope="session")
def table(csv_file):
    return open_measurements(csv_file, objectives=["gain", "cost"], minimise=[])


@pytest.fixture(scope="session")
def subject(tmp_path_factory):
    with studies.make(tmp_path_factory.mktemp("study") / "trial.db") as study:
        while batch := study.ask(20):
            study.tell(batch, [studies.value_of(e.design, e.seed) for e in batch])
        return of_study(study)
