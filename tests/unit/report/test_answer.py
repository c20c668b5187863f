"""The numbers of a report: true to the answer, bounded for any number of designs, harmless whatever texts they hold."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from shared import studies
from shared.answers import NASTY, measured

import conewise as cw
from conewise.cli.main import commands
from conewise.question.question import Guarantee, Heuristic
from conewise.report.answer import answer, chosen_designs
from conewise.report.markdown import markdown_page
from conewise.report.page import html_page
from conewise.report.subject import of_analysis, of_result, of_saved, of_state, of_study, of_table
from conewise.rules import Result, SuccessiveElimination
from conewise.rules.evidence import Evidence
from conewise.tables.measurements import open_measurements


def bare(means, status, *, pareto=None, cone=None):
    """A Result made by hand."""
    means, status = np.asarray(means, dtype=float), np.asarray(status)
    pareto = status == "kept" if pareto is None else pareto
    result = Result(pareto, status, 10 * len(means), Heuristic("made up"), None, "x", means, np.full(len(means), 10))
    return of_result(result, cw.Question(cone or cw.Cone.orthant(means.shape[1]), epsilon=0.1, delta=0.05))


# -- what stands there -----------------------------------------------------------------------------------------------


def test_the_numbers_are_those_of_the_answer(told, numbers):
    result = told.result()
    rows = {row["id"]: row for row in numbers["rows"]}
    assert sorted(rows) == list(range(6))
    assert [rows[k]["evaluations"] for k in range(6)] == result.counts.tolist()
    assert np.allclose([rows[k]["means"] for k in range(6)], result.means * [1, -1], rtol=1e-6)  # costs as measured
    assert [rows[k]["returned"] for k in range(6)] == result.pareto.tolist()
    assert numbers["counts"]["kept"] == int((result.status == "kept").sum())
    assert numbers["certificate"]["guaranteed"] is isinstance(result.guarantee, Guarantee) is True
    assert [o["direction"] for o in numbers["objectives"]] == ["larger", "smaller"]
    json.dumps(numbers, allow_nan=False)


def test_whoever_is_out_has_a_rival_that_puts_it_out(numbers):
    for row in numbers["rows"]:
        first = row["rivals"][0]
        assert row["id"] not in [rival["id"] for rival in row["rivals"]]
        if row["status"] in ("beaten", "covered"):
            assert first["relation"] in ("better", "covers it within epsilon")
            assert first["epsilon"] <= numbers["epsilon"]
            if first["relation"] == "better":
                assert all(g >= r for g, r in zip(first["gains"], first["radii"], strict=True))
        else:
            assert first["epsilon"] == max(rival["epsilon"] for rival in row["rivals"])


def test_accepted_designs_are_fine_against_all_that_are_left(numbers):
    left = {row["id"] for row in numbers["rows"] if row["status"] != "beaten"}
    for row in numbers["rows"]:
        if row["status"] == "kept":
            against = [rival["epsilon"] for rival in row["rivals"] if rival["id"] in left]
            assert all(epsilon <= numbers["epsilon"] for epsilon in against)


@pytest.mark.parametrize("seed", range(3))
def test_an_exact_answer_shows_what_settled_it(seed):
    """A report shows the radii with which claims were made: they depend on who is sure."""
    rng = np.random.default_rng(seed)
    angles = np.linspace(0.2, 1.3, 4)
    front = np.column_stack([np.cos(angles), np.sin(angles)])
    means = np.vstack([front, front - 0.2, front - rng.uniform(0.2, 1, size=(4, 2))])
    rule = SuccessiveElimination(
        cw.Question(cw.Cone.orthant(2), 0.0, 0.1, cw.noise.Gaussian(0.3), success="contain"), 12, max_evaluations=20_000
    )
    state, bandit = rule.start(), cw.SimulatedBandit(means, cw.noise.Gaussian(0.3))
    while (pulls := rule.ask(state)).total:
        state = rule.tell(state, bandit.evaluate(pulls, rng))
    numbers = answer(of_state(rule, state, rule.question))
    assert numbers["counts"]["undecided"] == 0
    claims = rule.certificate.claims(state)
    left = claims.left
    for row in numbers["rows"]:
        if row["status"] == "beaten":
            assert row["rivals"][0]["relation"] == "better", row
        else:
            against = {rival["relation"] for rival in row["rivals"] if rival["id"] in left}
            assert against <= {"not better by more than epsilon"}, row
    everyone = np.arange(len(left))
    shown = Evidence.of(rule.certificate, state).compare(left).fine(everyone, everyone)
    with np.errstate(invalid="ignore"):
        fine = ((shown.gains + shown.radii) <= 0).any(axis=2)
    np.fill_diagonal(fine, True)
    assert fine.all()


def test_half_widths_shrink_with_evaluations(numbers):
    for first in numbers["rows"]:
        for second in numbers["rows"]:
            if first["evaluations"] > 2 * second["evaluations"]:
                assert max(first["half_widths"]) < min(second["half_widths"])
    assert all(width > 0 for row in numbers["rows"] for width in row["half_widths"])


def test_a_history_ends_at_the_answer_and_its_statuses_add_up(told, numbers):
    history = numbers["history"]
    assert len(history) > 5
    assert [m["evaluations"] for m in history] == sorted({m["evaluations"] for m in history})
    assert {m["kept"] + m["covered"] + m["beaten"] + m["undecided"] for m in history} == {6}
    assert history[-1]["evaluations"] == told.result().evaluations
    assert history[-1]["undecided"] == 0 < history[0]["undecided"]


def test_told_out_of_order_the_history_is_the_same(told, numbers, tmp_path):
    """Values belong to their numbers; a replay must not take them in the order of their arrival."""
    with studies.make(tmp_path / "late.db", designs=[NASTY, *"bcdef"]) as study:
        while batch := study.ask(20):
            for evaluation in reversed(list(batch)):
                study.tell(evaluation, [studies.value_of(evaluation.design, evaluation.seed)])
        late = answer(of_study(study))
    assert late["rows"] == numbers["rows"]
    assert late["history"][-1] == numbers["history"][-1]


def test_the_gap_is_the_suboptimality_of_the_averages():
    means = np.random.default_rng(0).normal(size=(40, 2))
    cone = cw.Cone.planar(110)
    front = cw.pareto_mask(means, cone)
    numbers = answer(bare(means, np.where(front, "kept", "beaten"), cone=cone))
    by_id = sorted(numbers["rows"], key=lambda row: row["id"])
    assert np.allclose([row["gap"] for row in by_id], cw.suboptimality_gaps(means, cone), atol=1e-6)


def test_a_result_alone_is_compared_by_its_averages():
    numbers = answer(bare([[0, 0], [1, 2], [2, 1]], ["beaten", "kept", "kept"]))
    out = next(row for row in numbers["rows"] if row["id"] == 0)
    assert out["half_widths"] is None
    assert {rival["relation"] for rival in out["rivals"]} == {"better on average"}
    assert out["rivals"][0]["radii"] is None


def test_what_was_never_observed_is_said_to_be_unknown():
    numbers = answer(bare([[np.nan, np.nan], [1, 2]], ["undecided", "undecided"], pareto=np.zeros(2, dtype=bool)))
    row = next(row for row in numbers["rows"] if row["id"] == 0)
    assert row["means"] == [None, None]
    assert row["gap"] is None
    assert row["rivals"] == []
    json.dumps(numbers, allow_nan=False)


def test_one_design_has_a_report_as_well(tmp_path):
    table = open_measurements(measured(tmp_path / "one.csv", [[1.0, 2.0]]), objectives=["gain", "cost"])
    numbers = answer(of_table(table, cw.Cone.orthant(2), "one", delta=0.05))
    assert [row["status"] for row in numbers["rows"]] == ["kept"]
    assert "Nothing more" in numbers["next_words"]


# -- many designs ------------------------------------------------------------------------------------------------------


def test_a_hundred_thousand_designs_stay_small():
    rng = np.random.default_rng(1)
    means = rng.normal(size=(100_000, 3))
    front = cw.pareto_mask(means, cw.Cone.orthant(3))
    subject = bare(means, np.where(front, "kept", "beaten"))
    text = html_page(subject)
    assert len(text.encode()) < 1e6
    numbers = answer(subject)
    listed = [row["id"] for row in numbers["rows"]]
    assert len(listed) == len(set(listed)) <= 2000
    assert set(np.flatnonzero(front).tolist()) <= set(listed)
    assert f"all {front.sum():,} that are returned or undecided" in numbers["listed"]
    assert len(markdown_page(subject)) < 100_000


def test_with_too_many_open_the_front_of_the_averages_comes_first():
    means = np.random.default_rng(2).normal(size=(9000, 2))
    subject = bare(means, np.full(9000, "undecided"))
    chosen = chosen_designs(subject.result, subject.cone, 400)
    assert len(chosen) == 400
    assert set(np.flatnonzero(cw.pareto_mask(means, subject.cone)).tolist()) <= set(chosen.tolist())
    assert "400 of the 9,000 that are returned or undecided." in answer(subject, most=400)["listed"]


# -- texts of users ----------------------------------------------------------------------------------------------------


# -- pictures of cones -------------------------------------------------------------------------------------------------


# -- saved answers and mistakes ----------------------------------------------------------------------------------------


# -- words that are true -----------------------------------------------------------------------------------------------


def test_a_guarantee_that_rules_nothing_out_says_so():
    subject = bare(np.eye(3), ["undecided"] * 3, pareto=np.ones(3, dtype=bool))
    empty = replace(subject, result=replace(subject.result, guarantee=Guarantee(9.0, 0.05, "t", "a")))
    assert answer(empty)["certificate"]["sentence"].endswith(
        "at epsilon = 9 (asked for: 0.1). That rules no design out: all of them are returned."
    )


@pytest.mark.parametrize("n", [1, 30])
def test_the_word_before_what_remains_is_the_same_everywhere(tmp_path, n):
    path = measured(tmp_path / "few.csv", [[0, 1], [0.05, 0.98], [0.1, 0.9]], n=n)
    table = open_measurements(path, objectives=["gain", "cost"], minimise=[])
    subject = of_table(table, cw.Cone.orthant(2), "few", delta=0.05)
    word = "at least" if n == 1 else "about"
    found = re.search(r"(at least|about) ([\d,]+) more evaluations", subject.sentences[-1])
    assert found[1] == word
    assert f"takes {found[0]}, judged" in answer(subject)["next_words"]
    saved = CliRunner().invoke(commands, ["analyse", str(path), "--objectives", "gain,cost", "--json"])
    (tmp_path / "saved.json").write_text(saved.stdout)
    assert f"takes {found[0]}, judged" in answer(of_saved(tmp_path / "saved.json"))["next_words"]


def test_with_very_many_objectives_the_tables_are_cut_and_say_so():
    subject = bare(np.random.default_rng(0).normal(size=(1800, 200)), ["kept"] * 1800)
    data = answer(subject)
    assert len(data["rows"]) <= 10**6 // 600
    assert "The table has the first 30 of 200 objectives." in data["listed"]
    text = markdown_page(subject)
    assert "and 188 more objectives" in text
    assert max(map(len, text.splitlines())) < 2000
    assert "12 of 200 weightings, 12 of 200 objectives" in html_page(subject)


def test_a_design_that_misses_a_level_is_put_out_by_nobody(csv_file):
    """Whoever is acceptable may be far from it; where none is, no design answers, and nothing else is claimed."""
    for level, some in ((0.0, True), (-100.0, False)):
        meaning = [cw.Objective("gain"), cw.Objective("cost", goal="min", level=level)]
        found = cw.analyse(csv_file, cw.Cone.orthant(2), objectives=meaning, delta=0.05, epsilon=0.2)
        numbers = answer(of_analysis(found))
        missing = [row for row in numbers["rows"] if row["status"] == "misses a level"]
        assert missing
        assert all(row["rivals"] == [] and row["half_widths"] for row in missing)
        assert bool(numbers["counts"]["returned"]) == some
        said = (
            "If the noise is normal, with probability at least 95 % no design is acceptable. That is no guarantee: "
            "the noise was not stated; if it is normal, say --noise unknown (in Python noise=GaussianUnknown())."
        )
        assert (numbers["certificate"]["sentence"] == said) != some
        assert "rivals" in html_page(of_analysis(found))


def test_a_single_design_is_spoken_of_in_the_singular(tmp_path):
    table = measured(tmp_path / "one.csv", [[1.0, 2.0]])
    page = markdown_page(of_table(open_measurements(table, objectives=["gain"]), cw.Cone.orthant(1), "one", delta=0.1))
    assert "Which of 1 design is Pareto optimal in gain" in page


def test_nothing_more_is_needed_only_where_the_question_is_answered(tmp_path):
    """Five evaluations of each were chosen by hand, and prove less than was asked for."""
    by_hand = {"algorithm": "naive", "options": {"evaluations_each": 5}}
    for options, said in ((by_hand, "Nothing more is asked for."), ({}, "Nothing more needs to be evaluated.")):
        with studies.make(tmp_path / f"{len(options)}.db", **options) as study:
            while batch := study.ask(20):
                study.tell(batch, [studies.value_of(e.design, e.seed) for e in batch])
            numbers = answer(of_study(study))
        assert (numbers["next_words"], bool(options)) == (said, not numbers["certificate"]["answered"])
