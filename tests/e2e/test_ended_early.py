"""Where a limit comes before the answer, every command says so; and other slips of a first day, each one sentence."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from shared.laboratory import conewise, succeeds

import conewise as cw
from conewise import cli
from conewise.report.answer import answer
from conewise.report.headline import headline
from conewise.report.subject import of_saved, of_study


def limited(place: str = "limited.db") -> cw.Study:
    """Four designs, one evaluation allowed and told."""
    facts = {"designs": list("abcd"), "objectives": ["gain"], "cone": cw.Cone.orthant(1)}
    study = cw.Study.create(place, **facts, epsilon=0.1, delta=0.05, noise=cw.noise.Gaussian(1.0))
    study.change(max_evaluations=1)
    study.tell(study.ask(1), [[0.5]])
    return study


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_study_at_its_limit_does_not_say_that_it_has_its_answer(here, capsys):
    limited().close()
    wanted = "has reached its limit, with 4 designs undecided"
    assert wanted in conewise(capsys, "ask", "limited.db")[2]
    assert wanted in succeeds(capsys, "status", "limited.db")


def test_a_run_of_a_study_at_its_limit_says_so(here):
    with limited() as study:
        report = cw.run_study(study, lambda design, seed: [0.0], jobs=0)
    assert report.stopped_because == "the study has reached its limit, with 4 designs undecided"


def test_the_report_of_a_study_at_its_limit_does_not_say_that_nothing_is_needed(here):
    with limited() as study:
        subject = of_study(study)
    assert "has reached its limit, with 4 designs undecided" in subject.sentences[0]
    words = answer(subject)["next_words"]
    assert words == "4 designs are undecided. No more evaluations are asked for: a limit is reached."


def test_the_headline_of_a_young_study_does_not_speak_of_known_values(here):
    with limited() as study:
        assert "--known" not in headline(of_study(study))["take"]


def test_standard_errors_are_those_of_the_averages_beside_them(here):
    draw = random.Random(5)
    facts = {"designs": ["good", "bad"], "objectives": ["gain"], "cone": cw.Cone.orthant(1)}
    with cw.Study.create("t.db", **facts, epsilon=0.1, delta=0.05, noise=cw.noise.Gaussian(0.4)) as study:
        batch = study.ask(30)  # more than it needs, asked for ahead
        values = [draw.gauss(9.0 if one.name == "good" else 0.0, 0.4) for one in batch]
        study.tell(batch, [[value] for value in values])
        assert study.finished
        result = study.result()
        assert len(batch) > result.evaluations, "nothing was told ahead: the test shows nothing"
        errors = study.standard_errors()[:, 0]
    told = {name: [v for one, v in zip(batch, values, strict=True) if one.name == name] for name in facts["designs"]}
    for name, error, count in zip(facts["designs"], errors, result.counts, strict=True):
        own = told[name][:count]
        assert error == pytest.approx(np.std(own, ddof=1) / np.sqrt(count)) if count > 1 else np.isnan(error)


def test_a_saved_answer_of_a_newer_form_is_refused(here):
    (here / "saved.json").write_text(json.dumps({"schema": 99}), encoding="utf-8")
    with pytest.raises(cw.InputError, match="schema 99, and this version reads up to 2"):
        of_saved(here / "saved.json")


def test_noise_that_is_no_assumption_is_refused_for_a_table():
    table = {"d": ["a", "a", "b", "b"], "x": [1.0, 2.0, 3.0, 4.0]}
    for noise in (5, cw.noise.GaussianUnknown):
        with pytest.raises(cw.InputError, match="noise must be an assumption"):
            cw.analyse(table, delta=0.1, design="d", objectives=["x"], noise=noise)


@pytest.mark.parametrize("cone", ["planar:90", "orthant:2", "[[1,0],[0,1]]"])
def test_a_cone_of_another_dimension_than_was_said_is_refused(capsys, cone):
    with pytest.raises(SystemExit) as ended:
        cli.main(["cone", cone, "--dim", "3"])
    assert ended.value.code == 2
    assert "--dim says 3 objectives" in capsys.readouterr().err
