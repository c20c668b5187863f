"""kill -9 while telling: what was acknowledged is there, once, and the study ends as if nothing had happened."""

from __future__ import annotations

import sqlite3

from shared.studies import make, reference, run_script, same

import conewise as cw
from conewise.noise import GaussianUnknown


def test_twenty_kills_while_telling_lose_and_double_nothing(tmp_path):
    path = tmp_path / "trial.db"
    make(path, epsilon=0.17).close()  # long enough: however slow the machine, it is not over after twenty kills
    told = run_script("kill", path, 20, 20260)
    assert told.get("kills") == 20, told  # each found every acknowledged evaluation exactly once
    assert told["same"], "the finished study differs from an uninterrupted one"
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    seqs = [seq for (seq,) in connection.execute("SELECT seq FROM journal ORDER BY seq")]
    connection.close()
    assert seqs == list(range(1, len(seqs) + 1))


def test_designs_that_share_blocks_survive_kills_and_several_hands(tmp_path):
    """Each evaluation stays on its block, whoever was killed with it in hand; then two processes go on at once."""
    blocks = {"block": "plate", "blocks": 60, "population": "all", "noise": GaussianUnknown()}
    long = blocks | {"blocks": 150}  # however quick the machine, it is not over after twelve kills
    make(tmp_path / "a.db", **long, epsilon=0.05).close()
    told = run_script("kill", tmp_path / "a.db", 12, 20262)
    assert told.get("kills") == 12, told
    assert told["same"], "the finished study differs from an uninterrupted one"
    make(tmp_path / "b.db", **blocks, epsilon=0.05).close()
    (stored, seen), (more, too) = run_script("crowd", tmp_path / "b.db", 2, 5)
    assert seen == too
    with cw.Study.open(tmp_path / "b.db") as study:
        assert stored + more == len(study.evaluations()) == len(set(study.evaluations().ids))
        assert same(study.result(), reference(study))


def test_objectives_that_are_measured_separately_survive_kills_and_several_hands(tmp_path):
    """Each value stays with its objective, whoever was killed with it in hand."""
    make(tmp_path / "a.db", separate=True, epsilon=0.35).close()
    told = run_script("kill", tmp_path / "a.db", 12, 20263)
    assert told.get("kills") == 12, told
    assert told["same"], "the finished study differs from an uninterrupted one"
    make(tmp_path / "b.db", separate=True, epsilon=0.6).close()
    (stored, seen), (more, too) = run_script("crowd", tmp_path / "b.db", 2, 5)
    assert seen == too
    with cw.Study.open(tmp_path / "b.db") as study:
        assert stored + more == len(study.evaluations()) == len(set(study.evaluations().ids))
        assert same(study.result(), reference(study))


def test_kills_while_a_study_is_made(tmp_path):
    """Either it is there, whole, or it can be made anew; each is carried through to its end."""
    assert run_script("birth", tmp_path, 20, 20261) == 20
