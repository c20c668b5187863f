"""Readers of a journal: they see what others did, and notice an older copy."""

from __future__ import annotations

import sqlite3

import pytest
from shared.studies import digest, finish, make, reference, same

import conewise as cw


@pytest.fixture
def path(tmp_path):
    """A study with some evaluations, closed."""
    with make(tmp_path / "trial.db") as study:
        study.record(["a", "b", "c"] * 50, [[0.5, -0.5]] * 150)
    return tmp_path / "trial.db"


def test_an_older_copy_put_back_under_an_open_study_is_noticed(path):
    """What was read is not there any more: nothing is told into such a journal."""
    with cw.Study.open(path) as study:
        study.record(["a"], [[1, 2]])
    with cw.Study.open(path, read_only=True) as reader:
        assert reader.status().evaluations == 151
        with sqlite3.connect(path) as other:
            other.execute("DELETE FROM journal WHERE seq = 2")
            other.execute("UPDATE tails SET seq = 1, checksum = (SELECT checksum FROM journal WHERE seq = 1)")
        other.close()
        with pytest.raises(cw.ConewiseError, match="its journal ends at entry 1, and was read up to entry 2 before"):
            reader.status()


def test_an_object_that_sleeps_sees_what_others_did(path):
    with cw.Study.open(path) as sleeper, make(path.parent / "plain.db") as plain:
        assert sleeper.status().evaluations == 150
        with cw.Study.open(path) as busy:
            finish(busy)
            assert digest(sleeper) == digest(busy)
        finish(plain)
        assert same(plain.result(), reference(plain))
