"""`conewise study prefer`: questions as long as they are worth their price, one probability, and what is next."""

from __future__ import annotations

import json
import shlex

import numpy as np
import pytest
from click.testing import CliRunner
from shared.studies import make

import conewise as cw
from conewise import doubts
from conewise.cli.main import commands


@pytest.fixture
def trial(tmp_path, monkeypatch):
    """A study with a model, whose values are all but known: A is fast, C loses nothing, B is between, D hopeless."""
    monkeypatch.setattr(doubts, "DRAWS", 200)
    place = tmp_path / "trial.db"
    with cw.Study.create(
        place,
        designs=list("ABCD"),
        cone=cw.Cone.orthant(2),
        epsilon=0.5,
        delta=0.05,
        noise=cw.noise.Gaussian(0.1),
        objectives=[cw.Objective("loss", "min"), "speed"],
        model=cw.models.Independent(),
    ) as study:
        values = np.array([[9.0, 9.0], [4.0, 6.0], [0.0, 0.0], [8.0, 1.0]])
        study.record([name for name in "ABCD" for _ in range(3)], np.repeat(values, 3, axis=0))
    return place


def told(place, *words, answers=""):
    return CliRunner().invoke(commands, ["study", "prefer", str(place), *words], input=answers)


def test_it_asks_until_the_doubt_is_small_and_prints_what_was_said(trial):
    done = told(trial, "--trust", "1", answers="1\n1\n1\n1\n1\n1\n")
    assert done.exit_code == 0
    assert "of doubt. Which is better?" in done.stderr
    assert "That is enough for delta = 0.05." in done.stdout
    assert "An estimate, not a guarantee: " in done.stdout
    _, option = shlex.split(next(line for line in done.stdout.splitlines() if "--prefer" in line).partition(": ")[2])
    again = told(trial, "--trust", "1", "--prefer", option, "--questions", "0", "--json")
    found = json.loads(again.stdout)
    assert found["preferences"]["statements"] == [f"prefer: {option}"]
    assert set(found["probability"]) == set("ABCD")


def test_options_for_the_next_time_are_as_a_shell_takes_them(tmp_path, monkeypatch):
    monkeypatch.setattr(doubts, "DRAWS", 50)
    with cw.Study.create(
        tmp_path / "trial.db",
        designs=["A", "B", "C"],
        cone=cw.Cone.orthant(2),
        epsilon=0.5,
        delta=0.05,
        noise=cw.noise.Gaussian(0.1),
        objectives=[cw.Objective('price ($HOME) for "x"', "min"), "it's `speed`"],
        model=cw.models.Independent(),
    ) as study:
        study.record(list("ABC"), np.array([[9.0, 9.0], [4.0, 6.0], [0.0, 0.0]]))
    done = told(tmp_path / "trial.db", "--question-price", "0.1", answers="1\ns\nq\n")
    said = [line.partition(": ")[2] for line in done.stdout.splitlines() if "for the next time: " in line]
    again = told(tmp_path / "trial.db", "--questions", "0", *shlex.split(said[0]))
    assert again.exit_code == 0
    assert said[0] in again.stdout
    assert said[1].startswith("undecided: ")
    assert said[1].endswith(" (by --said, with what --json prints)")


def test_a_dear_question_is_not_asked(trial):
    done = told(trial, "--question-price", "1e9", "--json")
    assert done.exit_code == 0
    assert done.stderr == ""
    found = json.loads(done.stdout)
    assert (found["next"], found["evaluation"]["price"]) == ("evaluate", 1)
    plain = told(trial, "--question-price", "1e9").stdout
    assert f"Next, by price: evaluate {found['evaluation']['designs'][0]}." in plain
    assert "for 1, asking " in plain


def test_designs_are_named_and_a_cheap_question_would_be_next(trial):
    found = json.loads(told(trial, "--prefer", "B > A", "--questions", "0", "--json").stdout)
    assert found["next"] == "ask"
    assert len(found["question"]["designs"]) == 2
    stopped = told(trial, answers="q\n")
    assert "Next, by price: ask." in stopped.stdout


def test_without_a_model_it_says_what_to_do(tmp_path):
    make(tmp_path / "plain.db").close()
    done = told(tmp_path / "plain.db")
    assert done.exit_code != 0
    assert "needs a model of the designs" in str(done.exception)
    assert "conewise prefer" in str(done.exception)


def test_levels_are_refused_with_the_remedy(tmp_path):
    cw.Study.create(
        tmp_path / "levels.db",
        designs=["A", "B"],
        cone=cw.Cone.orthant(2),
        epsilon=0.5,
        delta=0.05,
        noise=cw.noise.Gaussian(0.1),
        objectives=[cw.Objective("loss", "min", level=3), "speed"],
        model=cw.models.Independent(),
    ).close()
    assert "does not know levels (" in str(told(tmp_path / "levels.db").exception)
