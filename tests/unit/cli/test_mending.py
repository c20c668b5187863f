"""`conewise study fail` and `withdraw`: what was wrong is open again."""

from __future__ import annotations

import json

from shared.laboratory import data, refused, succeeds


def test_a_failure_is_recorded_and_the_evaluation_is_open_again(begun, capsys):
    succeeds(capsys, "ask", begun, "-n", "2")
    assert "d2n0 was never handed out" in refused(capsys, "fail", begun, "d2n0", "--reason", "none")
    assert succeeds(capsys, "fail", begun, "d0n0", "--reason", "the pump broke") == (
        "1 evaluation failed (1 in all), open again.\n"
    )
    succeeds(capsys, "tell", begun, "d1n0", "1", "2")
    said = json.loads(succeeds(capsys, "fail", begun, "d1n0", "--reason", "too late", "--json"))
    assert (said["failed"], said["reason"], said["failures"]) == (0, "too late", 1)
    assert said["ids"] == ["d1n0"]
    handed = json.loads(succeeds(capsys, "ask", begun, "-n", "9", "--json"))["handed_out"]
    assert [(e["id"], e["attempt"]) for e in handed if e["design"] == 0][:1] == [("d0n0", 1)]


def test_an_id_that_is_named_twice_counts_once(begun, capsys):
    succeeds(capsys, "ask", begun, "-n", "2")
    said = succeeds(capsys, "fail", begun, "d0n0", "d0n0", "--reason", "the pump broke")
    assert said == "1 evaluation failed (1 in all), open again.\n"
    succeeds(capsys, "tell", begun, "d1n0", "1", "2")
    said = succeeds(capsys, "withdraw", begun, "d1n0", "d1n0", "--reason", "mislabelled")
    assert said.startswith("The value of d1n0 does not count any more (1 withdrawn in all)")


def test_a_value_is_withdrawn(trial, capsys):
    for word in ("d0n0", "1-0", "D2N0"):  # as it is written now, as it was written once, as a spreadsheet may write it
        succeeds(capsys, "tell", trial, word, "1", "2")
    said = succeeds(capsys, "withdraw", trial, "d0n0", "--reason", "the sample was mislabelled")
    assert said == ("The value of d0n0 does not count any more (1 withdrawn in all); the evaluation is open again.\n")
    again = succeeds(capsys, "tell", trial, "d0n0", "1", "2")
    assert "0 evaluations stored" in again
    assert again.endswith(
        ", 1 withdrawn with the same values before, which still does not count "
        "(of a new measurement, `ask` for the id again, or give --design in its place).\n"
    )
    assert data(capsys, "tell", trial, "d0n0", "1", "2")["withdrawn"] == 1
    found = data(capsys, "withdraw", trial, "d1n0", "d2n0", "--reason", "wrong day")
    assert found == {"ids": ["d1n0", "d2n0"], "reason": "wrong day", "withdrawn": 3}
    state = data(capsys, "status", trial)
    assert (state["evaluations"], state["withdrawn"]) == (0, 3)
    assert "evaluations told   0, 3 withdrawn" in succeeds(capsys, "status", trial)
