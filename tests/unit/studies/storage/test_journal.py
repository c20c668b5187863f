"""Journals: entries that name evaluations, addresses without secrets, studies by name, and attempts with pauses."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from conewise.errors import ConewiseError
from conewise.studies.identity import Identity
from conewise.studies.storage.journal import Entry, attempts, choose, redact


def test_an_entry_names_its_evaluations():
    entry = Entry(1, 0.0, "tell", "", "3-0,4-12", "1,2,3,4", "")
    assert entry.identities == (Identity(3, 0), Identity(4, 12))
    assert entry._replace(evaluations="").identities == ()


@pytest.mark.parametrize(
    ("where", "shown"),
    [
        ("trial.db", "trial.db"),
        (Path("a@b/trial.db"), "a@b/trial.db"),
        ("postgresql://db/lab", "postgresql://db/lab"),
        ("postgresql://me:se@cr/e?t@db:5433/lab?sslpassword=also#x", "postgresql://db:5433/lab"),
    ],
)
def test_an_address_is_shown_without_its_secrets(where, shown):
    assert redact(where) == shown


def test_the_only_study_needs_no_name():
    assert choose(None, ["a"], "lab.db") == "a"
    assert choose("b", ["a", "b"], "lab.db") == "b"


@pytest.mark.parametrize(
    ("name", "names", "words"),
    [
        (None, ["a", "b"], "lab.db holds 2 studies; say which by name: a, b."),
        ("c", ["a", "b"], "lab.db has no study called 'c'; it holds a, b."),
        (None, [], "lab.db has no study; it holds none."),
    ],
)
def test_a_study_that_is_not_named_well_is_one_sentence(name, names, words):
    with pytest.raises(ConewiseError) as caught:
        choose(name, names, "lab.db")
    assert str(caught.value) == words


def test_pauses_grow_to_a_limit_and_only_the_last_attempt_is_the_last(monkeypatch):
    now, pauses = [100.0], []
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "sleep", lambda seconds: (pauses.append(seconds), now.__setitem__(0, now[0] + seconds)))
    found = list(attempts(30.0))
    assert found == [False] * (len(found) - 1) + [True]
    assert len(found) > 5
    assert pauses[:-1] == sorted(pauses[:-1])  # the last one ends with the time
    assert max(pauses) <= 5.0
    assert 30.0 <= now[0] - 100.0 <= 36.0
    assert list(attempts(0.0))[-1] is True
