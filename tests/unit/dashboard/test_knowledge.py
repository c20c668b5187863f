"""What a study knows of its designs: status, standard errors, probability; and the next batch with its command."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from shared.explorer import fixed
from shared.studies import make, values_of

from conewise.cli.main import commands
from conewise.dashboard.desk import Desk
from conewise.dashboard.knowledge import BATCH, Knowledge, of_study, upcoming
from conewise.dashboard.sources import Live
from conewise.errors import InputError


@pytest.fixture
def study(tmp_path):
    with make(tmp_path / "trial.db") as made:
        batch = made.ask(30)
        made.tell(batch, values_of(batch))
        yield made


def test_a_design_says_where_it_stands_and_how_well_it_is_known(study, tmp_path):
    result, guess = study.result(), study.guess()
    source = Live(str(tmp_path / "trial.db"), name=None, cone=None)
    desk = Desk(source)
    for index in range(study.n_designs):
        found = desk.design({"first": {"degrees": 90}, "index": index})["study"]
        assert found["status"] == result.status[index]
        assert found["evaluations"] == result.counts[index] == 2
        assert found["errors"] == guess.standard_errors[index].tolist()
        assert found["probability"] is None
        assert desk.confidence({})["designs"][index] == found
    source.close()
    likely = replace(result, probability=np.linspace(0, 1, study.n_designs))
    barely = Knowledge(likely, np.full((study.n_designs, 2), np.nan)).of(5)
    assert (barely["probability"], barely["errors"]) == (1.0, [None, None])


def test_the_next_batch_is_the_plan_and_its_command_hands_out_evaluations(study, tmp_path):
    found = upcoming(study, str(tmp_path / "trial.db"), None)
    plan = study.plan(BATCH)
    assert [(one["index"], one["times"]) for one in found["designs"]] == list(zip(*plan_lists(plan), strict=True))
    assert found["total"] == plan.total
    words = shlex.split(found["command"].removesuffix(" > todo.csv"))
    done = CliRunner().invoke(commands, [*words[1:], "--json"])
    assert done.exit_code == 0, done.output
    assert "DATABASE" in upcoming(study, "postgresql://me:secret@host/x", "other")["command"]
    assert "secret" not in upcoming(study, "postgresql://me:secret@host/x", "other")["command"]
    study.release([lease.evaluation for lease in study.leases()])
    while batch := study.ask(50):
        study.tell(batch, values_of(batch))
    assert upcoming(study, "trial.db", None)["designs"] == []


def plan_lists(plan):
    return plan.designs.tolist(), plan.counts.tolist()


def test_only_studies_know(study):
    desk = Desk(fixed([[1, 2], [2, 1]]))
    for question in (desk.confidence, desk.upcoming):
        with pytest.raises(InputError, match="for studies"):
            question({})


def test_the_command_of_a_report_takes_the_shortlist_that_was_saved(study, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    batch = study.ask(30)
    study.tell(batch, values_of(batch))
    source = Live(str(tmp_path / "trial.db"), name=None, cone=None)
    desk = Desk(source)
    csv = desk.shortlist({"first": {"degrees": 90}, "index": [2, 0]})["csv"]
    (tmp_path / "shortlist.csv").write_text(csv, encoding="utf-8")
    words = shlex.split(f"{desk.start({})['report']} --shortlist shortlist.csv")
    done = CliRunner().invoke(commands, [*words[1:], "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.output)["shortlist"] == [study.names[2], study.names[0]]
    source.close()
    assert of_study("postgresql://me:secret@host/x", "other", "report") == "conewise report DATABASE --name other"
