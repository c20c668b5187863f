"""Sentences around an answer: what was not needed."""

from __future__ import annotations

from conewise.analysis.explanations import unused


def test_a_finished_study_says_what_it_did_not_need():
    assert unused(300, 300, finished=True) == ""
    assert unused(310, 300, finished=True) == (
        "The answer rests on 300 of the 310 told evaluations; 10 were handed out ahead of need, and the answer did not "
        "need them."
    )
    assert unused(301, 300, finished=True).endswith("; 1 was not needed.")
    assert "; 1 waits for an earlier evaluation" in unused(301, 300, finished=False)
