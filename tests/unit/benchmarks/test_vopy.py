"""What VOPy is asked, and what its answer is worth; a script of our own stands in for it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import elsewhere, vopy

ASKED = vopy.Asked(np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [1.0]]), 0.1, 0.5, 0.05)
STAND_IN = """
import numpy as np
from serve import serve

def answer(peer, question):
    points = np.load(question["points"])
    if question["rule"] == "broken":
        raise ValueError("out of order")
    best = [int(points.sum(axis=1).argmax())]
    return {"evaluations": question["seed"], "returned": best, "seconds": question["variance"],
            "ended": question["contraction"] == 32}

serve(lambda: None, answer)
"""


@pytest.fixture
def peer(monkeypatch, tmp_path):
    (tmp_path / "serve.py").write_bytes((elsewhere.SCRIPTS / "serve.py").read_bytes())
    (tmp_path / "vopy_runs.py").write_text(STAND_IN, encoding="utf-8")
    monkeypatch.setattr(elsewhere, "VOPY_PYTHON", Path(sys.executable))
    monkeypatch.setattr(elsewhere, "SCRIPTS", tmp_path)
    with elsewhere.Peer("VOPy", "vopy_runs.py") as process:
        monkeypatch.setattr(vopy, "peer", lambda: process)
        yield


@pytest.mark.usefixtures("peer")
def test_an_answer_is_right_where_it_ended_and_succeeds():
    answer = vopy.run("PaVeBa", ASKED, 32.0, 7, 1.0)
    assert (answer.evaluations, answer.ended, answer.seconds) == (7, True, pytest.approx(0.01))
    assert answer.returned.tolist() == [True, False]
    assert answer.right(ASKED)
    assert not vopy.run("PaVeBa", ASKED, 1.0, 7, 1.0).right(ASKED)


@pytest.mark.usefixtures("peer")
def test_trouble_with_vopy_is_said():
    with pytest.raises(RuntimeError, match="VOPy failed with ValueError"):
        vopy.run("broken", ASKED, 32.0, 7, 1.0)
