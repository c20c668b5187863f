"""What is left of an answer that no proof covers."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.analysis.unproven import as_imported, pruned_in, shared_by, without_proof
from conewise.readers import Imported

NORMAL = cw.noise.GaussianUnknown()
ROWS = [{"design": name, "x": x + 0.01 * k} for name, x in (("a", 0.0), ("b", 9.0)) for k in range(9)]


def test_without_a_proof_nothing_is_certified_and_the_answer_stays():
    found = cw.analyse(ROWS, objectives=["x"], delta=0.1, noise=NORMAL).result
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
    assert as_imported(found, alone) is found
    assert "on the same samples" in str(as_imported(found, shared).guarantee)


def test_what_was_pruned_or_has_failed_is_said_and_values_that_decided_what_counts_leave_no_guarantee():
    failed = cw.analyse(Imported(ROWS, ["x"], left_out=2), delta=0.1, noise=NORMAL)
    assert failed.result.guarantee
    assert any(line.startswith("2 evaluations without values (failed, pruned or") for line in failed.explanations)
    table = Imported(ROWS, ["x"], left_out=2, pruned=1)
    assert pruned_in(table) == 1
    for separate in (False, True):
        found = cw.analyse(table, delta=0.1, epsilon=1, separate=separate)
        assert "1 evaluation of these designs was pruned for how it went" in str(found.result.guarantee)
        assert found.result.certified_epsilon is None
        assert "guess, not a guarantee" in found.explanations[0]
        assert any(line.startswith("2 evaluations without values") for line in found.explanations)


@pytest.mark.parametrize("separate", [False, True])
def test_one_look_at_what_a_study_wrote_is_none_at_a_sample_of_a_size_decided_beforehand(separate):
    told = {"design": ["a", "b"] * 30, "number": [n for n in range(30) for _ in "ab"], "worker": "", "told_at": 0}
    rng = np.random.default_rng(0)
    table = told | {"x": rng.normal(size=60) + np.tile([0.0, 3.0], 30), "worker": [""] * 60, "told_at": [""] * 60}
    asked = {"objectives": ["x"], "delta": 0.1, "separate": separate, "noise": NORMAL}
    found = cw.analyse(table, final=True, **asked)
    assert "may depend on the values" in found.result.guarantee.reason
    assert found.result.certified_epsilon is None
    assert found.evidence is None
    assert not found.result.certain.any()
    assert any(line.startswith("Nothing is certified: a study wrote this table") for line in found.explanations)
    assert "that is a guess, not a guarantee" in found.explanations[0]
    growing = cw.analyse(table, **asked).result.guarantee
    assert growing
    assert "changed, withdrawn or corrected in the study that wrote this table" in growing.assumption
    del table["number"]
    assert cw.analyse(table, final=True, **asked).result.guarantee
