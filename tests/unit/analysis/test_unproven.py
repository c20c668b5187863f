"""What is left of an answer that no proof covers."""

from __future__ import annotations

import conewise as cw
from conewise.analysis.unproven import shared_by, where_shared, without_proof
from conewise.readers import Imported

ROWS = [{"design": name, "x": x + 0.01 * k} for name, x in (("a", 0.0), ("b", 9.0)) for k in range(9)]


def test_without_a_proof_nothing_is_certified_and_the_answer_stays():
    found = cw.analyse(ROWS, objectives=["x"], delta=0.1).result
    assert found.guarantee
    left = without_proof(found, "nobody has proved it")
    assert str(left.guarantee) == "not guaranteed: nobody has proved it"
    assert left.certified_epsilon is None
    assert not left.certain.any()
    assert (left.status == found.status).all()


def test_a_table_says_what_its_designs_share():
    found = cw.analyse(ROWS, objectives=["x"], delta=0.1).result
    alone, shared = (Imported(ROWS, ["x"], shared=what) for what in ("", "samples"))
    assert (shared_by(alone), shared_by(shared)) == ("", "samples")
    assert where_shared(found, alone) is found
    assert "on the same samples" in str(where_shared(found, shared).guarantee)
