"""How a study stands: told and used evaluations add up."""

from __future__ import annotations

import numpy as np
import pytest
from shared import studies

import conewise as cw
from conewise.cli.standing import as_rows, in_a_row, in_hand, in_one_line, reached, status_counts
from conewise.report.subject import of_study
from conewise.studies.evaluations import Lease


def test_an_epsilon_is_said_in_the_units_of_whoever_asks(tmp_path):
    asked = [cw.Objective("price (EUR)", "min", unit=500, level=9000), cw.Objective("power", unit=10)]
    options = {"cone": cw.Cone.orthant(2), "epsilon": 1, "delta": 0.1, "noise": cw.noise.Gaussian([5.0, 0.1])}
    with cw.Study.create(tmp_path / "cars.db", designs=["a", "b"], objectives=asked, **options) as study:
        words = "asked for: 1 step (price 500 EUR, power 10)"
        assert dict(as_rows(study, study.status()))["certified epsilon"] == f"none yet; {words}"
        study.tell(
            [{"design": "a", "price (EUR)": 8000, "power": 70}, {"design": "b", "price (EUR)": 7000, "power": 50}]
        )
        rows = dict(as_rows(study, study.status()))
        assert rows["certified epsilon"] == f"0; {words}"
        assert rows["acceptable"] == "price (EUR) <= 9000"
        assert rows["worth"].endswith("; one step is price 500 EUR, power 10")
        assert words in in_one_line(study, study.status())


@pytest.mark.parametrize(
    ("epsilon", "words"),
    [(0.745601051520221, "0.7457"), (0.1, "0.1"), (0.0, "0"), (None, "none yet"), (np.inf, "none yet")],
)
def test_what_is_certified_is_never_said_to_be_less(epsilon, words):
    assert reached(epsilon) == words


def test_statuses_that_are_counted_read_as_sentences_do():
    counts = {"kept": 1, "covered": 0, "beaten": 2, "misses_a_level": 2, "undecided": 0}
    assert status_counts(counts) == "1 kept, 0 covered, 2 beaten, 2 miss a level, 0 undecided"
    assert "1 misses a level" in status_counts(counts | {"misses_a_level": 1})


def test_a_limit_before_the_answer_stands_beside_what_is_still_to_do(tmp_path):
    with studies.make(tmp_path / "t.db") as study:
        batch = study.ask(12)
        study.tell(batch, studies.values_of(batch))
        assert " in all" not in dict(as_rows(study, study.status()))["still to do"]
        study.change(max_evaluations=13)
        assert study.status().remaining > 1
        assert dict(as_rows(study, study.status()))["still to do"].endswith(
            " evaluations to decide all; the study ends after 13 evaluations in all"
        )


def test_a_lease_that_was_given_for_ever_is_shown(tmp_path):
    """Earlier versions took any number of seconds."""
    assert in_hand("Ann", [Lease("d0n0", "Ann", 1e300)]).startswith("Ann: d0n0 until 9892-")


def test_names_that_hold_commas_are_told_apart():
    assert in_a_row(["a", "b"]) == "a, b"
    assert in_a_row(["a, 1", "b, 2"]) == "a, 1; b, 2"
    assert in_a_row([str(k) for k in range(23)]).endswith("18, 19 and 3 more")


def test_what_is_withdrawn_is_no_longer_counted_as_set_aside(tmp_path):
    with studies.make(tmp_path / "t.db", reserve=0.5) as study:
        batch = study.ask(6)
        study.tell(batch, studies.values_of(batch))
        study.add_designs(["late"])
        assert (study.status().evaluations, study.status().aside) == (6, 6)
        study.withdraw(batch.ids[0], reason="a slip")
        assert (study.status().evaluations, study.status().aside) == (5, 5)


def test_told_and_used_evaluations_add_up_or_the_report_says_why(tmp_path):
    with studies.make(tmp_path / "gap.db") as study:
        batch = study.ask(30)
        study.tell(batch, studies.values_of(batch))
        handed = study.ask(90)
        missing = list({e.design: e for e in reversed(handed)}.values())  # the first of each design
        later = [e for e in handed if e not in missing]
        study.tell(later, studies.values_of(later))
        status = study.status()
        assert status.evaluations - status.result.evaluations == len(later) > 1
        used, wait = len(batch), len(later)
        expected = (
            f"The answer rests on {used} of the {used + wait} told evaluations; {wait} wait for an earlier evaluation "
            "of the same design that is not told yet, since a design's evaluations count in the order of their numbers."
        )
        assert expected in of_study(study).sentences
        assert expected in dict(as_rows(study, status)).values()
        study.tell(missing, studies.values_of(missing))
        assert not [line for line in of_study(study).sentences if "rests on" in line]


def test_a_box_says_what_may_lie_between_its_candidates(tmp_path):
    box = cw.problems.Box({"x": [0.0, 0.5, 1.0]})
    asked = {"cone": cw.Cone.orthant(2), "epsilon": 0.5, "delta": 0.1, "noise": cw.noise.Gaussian(0.01)}
    model = {"kind": "linear", "sizes": [3.0], "discrepancies": [0.1]}
    with cw.Study.create(tmp_path / "box.db", designs=box, model=model, **asked) as study:
        assert "finer mesh" not in dict(as_rows(study, study.status()))
        while batch := study.ask(3):
            study.tell(batch, [[one.row["x"], -one.row["x"]] for one in batch])
        assert dict(as_rows(study, study.status()))["finer mesh"] == "all 3 settings are candidates"


def test_what_lies_beyond_a_limit_was_not_handed_out_ahead_of_need(tmp_path):
    with studies.make(tmp_path / "t.db") as study:
        batch = study.ask(8)
        study.change(max_evaluations=6)
        study.tell(batch, studies.values_of(batch))
        status = study.status()
        assert status.finished
        rest = "The answer rests on 6 of the 8 told evaluations; 2 lie beyond the limit."
        assert dict(as_rows(study, status))["of these used"] == rest
