"""A study that is open: what it asks is read from its journal, and names say which designs are meant."""

from __future__ import annotations

import pytest
from shared.studies import BASICS, make

import conewise as cw
from conewise.studies.reader import JournalReader


@pytest.fixture
def study(tmp_path):
    with make(tmp_path / "trial.db") as made:
        yield made


def test_the_columns_of_many_designs_take_one_look_at_a_fresh_journal(tmp_path, monkeypatch):
    """A study of which nothing is known yet is read again at every question: one question, not one for each design."""
    with make(tmp_path / "wide.db", designs=[{"name": f"d{k}", "x": k} for k in range(50)]) as study:
        looks = []
        read = JournalReader.catch_up
        monkeypatch.setattr(JournalReader, "catch_up", lambda reader: looks.append(reader) or read(reader))
        assert [row["x"] for row in study.rows] == list(range(50))
    assert len(looks) <= 1


def test_what_is_asked_is_the_same_for_whoever_opens_the_study(study, tmp_path):
    with cw.Study.open(tmp_path / "trial.db", read_only=True) as other:
        for opened in (study, other):
            assert str(opened.noise) == str(BASICS["noise"])
            assert opened.names == opened.all_names == tuple(BASICS["designs"])
            assert (opened.objectives, opened.minimised, opened.epsilon) == (("gain", "cost"), ("cost",), 0.3)
            assert (opened.n_designs, opened.dim, opened.seed, opened.separate, opened.blocks) == (6, 2, 7, False, None)
            assert (opened.name, opened.place) == (study.name, study.place)


def test_a_change_made_elsewhere_is_seen_with_the_next_answer(study, tmp_path):
    with cw.Study.open(tmp_path / "trial.db") as other:
        other.drop(["f"], reason="broken")
    _ = study.status()
    assert study.names == ("a", "b", "c", "d", "e")
    assert study.dropped == ("f",)
    assert study.all_names[-1] == study.name_of(5) == "f"


@pytest.mark.parametrize(
    ("designs", "words"),
    [
        ("a", "a list of names or indices, not one text"),
        (["aa"], "no design called 'aa' in this study; did you mean 'a'"),
        ([6], "design 6 does not exist: they are numbered 0 to 5"),
    ],
)
def test_a_design_that_is_not_there_is_refused_with_the_one_that_was_meant(study, designs, words):
    with pytest.raises(cw.InputError, match=words):
        study.record(designs, [[0.0, 0.0]])


def test_a_study_that_was_closed_twice_is_closed(study):
    study.close()
    study.close()
    with pytest.raises(cw.ConewiseError):
        study.status()
