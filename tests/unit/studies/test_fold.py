"""The fold over a journal: made again when interrupted, replayed as it was told."""

from __future__ import annotations

import pytest
from shared.studies import Clock, digest, finish, make, reference, same, values_of

import conewise as cw
from conewise.studies.ledger import FURTHEST, Ledger


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def study(tmp_path, clock):
    with make(tmp_path / "trial.db", clock=clock, lease=60) as made:
        yield made


def again(study, clock):
    """A fresh look at the same file."""
    return cw.Study.open(study.place, clock=clock)


def test_far_numbers_replay_as_they_were_told(study, clock):
    for number in range(1, 6):
        study.tell([f"0-{number * FURTHEST}"], [[1, number]])
    with again(study, clock) as other:
        assert digest(other) == digest(study)


def test_an_interrupted_fold_is_made_again(study, monkeypatch):
    """Ctrl-C in the middle of a fold must not leave half of it."""
    batch = study.ask(12)
    values = values_of(batch)
    absorb = Ledger.absorb

    def interrupted(ledger, block):
        absorb(ledger, block)
        ledger.seq -= len(block)
        raise KeyboardInterrupt

    monkeypatch.setattr(Ledger, "absorb", interrupted)
    with pytest.raises(KeyboardInterrupt):
        study.tell(batch, values)
    monkeypatch.undo()
    assert study.status().evaluations == 12  # written before the interruption, and read back whole
    monkeypatch.setattr(type(study.rule()), "tell", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    other = study.ask(3)
    study.tell(other, values_of(other))
    with pytest.raises(KeyboardInterrupt):
        study.result()
    monkeypatch.undo()
    finish(study)
    assert same(study.result(), reference(study))
