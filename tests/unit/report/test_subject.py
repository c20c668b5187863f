"""What a report is about: results, tables, studies and saved answers."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from shared.memory import study_in_memory

import conewise as cw
from conewise.cli.main import commands
from conewise.errors import InputError
from conewise.report.answer import answer
from conewise.report.page import html_page
from conewise.report.subject import of_analysis, of_result, of_saved, of_state, of_study, of_table

GOAL = {"epsilon": 0.2, "delta": 0.1}


@pytest.mark.parametrize("final", [False, True])
def test_a_table_is_judged_as_analyse_judges_it(table, final):
    found = cw.analyse(table, cw.Cone.orthant(2), delta=0.05, epsilon=0.2, final=final)
    numbers = answer(of_table(table, cw.Cone.orthant(2), "trial", delta=0.05, epsilon=0.2, final=final))
    rows = sorted(numbers["rows"], key=lambda row: row["id"])
    words = {word: word for word in ("kept", "covered", "beaten", "undecided")}
    assert [row["status"] for row in rows] == [words[status] for status in found.result.status.tolist()]
    assert numbers["sentences"] == list(found.explanations)
    assert numbers["has_radii"]
    beaten = [row for row in rows if row["status"] == "beaten"]
    assert beaten
    assert all(row["rivals"][0]["relation"] == "better" for row in beaten)


@pytest.mark.parametrize("stated", [True, False])
def test_a_saved_answer_gives_the_same_rows(table, csv_file, tmp_path, stated):
    cone = cw.Cone.orthant(2)
    noise = cw.noise.GaussianUnknown() if stated else None
    found = cw.analyse(table, cone, delta=0.05, epsilon=0.2, noise=noise)
    path = tmp_path / "answer.json"
    words = ("--objectives", "gain,cost", "--epsilon", "0.2", "--delta", "0.05", "--plan", "5", "--json")
    words += ("--noise", "unknown") if stated else ()
    printed = CliRunner().invoke(commands, ["analyse", str(csv_file), *words])
    assert printed.exit_code == 0
    path.write_text(printed.stdout)
    saved = answer(of_saved(path))
    assert saved["title"] == "trial.csv"
    data = json.loads(printed.stdout)
    path.write_text(json.dumps(data | {"file": ["a/first.csv", "b.csv", "c.csv"]}))
    assert of_saved(path).title == "first.csv and 2 more"
    wrong = [{"returned": []}, {"returned": "yes"}, {"evaluations": [3]}, {"evaluations": -1}, {"status": "fine"}]
    wrong += [{"by": "nobody"}, {"certainly_pareto": 1}, {"standard_errors": {"gain": -1.0, "cost": 0.1}}]
    key = "guarantee" if stated else "guarantee_if_normal"
    claims = [{key: data[key] | claim} for claim in ({"delta": 1.5}, {"epsilon": -1}, {"delta": None})]
    odd = [{"remaining": float("inf")}, {"evaluations": -1}, {"designs": []}, {"epsilon": float("nan")}, *claims]
    for change in [*odd, *({"designs": [d | w for d in data["designs"]]} for w in wrong)]:
        path.write_text(json.dumps(data | change))
        with pytest.raises(InputError, match="is not what `conewise analyse --json` prints"):
            of_saved(path)
    path.write_text(printed.stdout)
    direct = answer(of_table(table, cone, "trial.csv", delta=0.05, epsilon=0.2, noise=noise))
    assert saved["certificate"]["guaranteed"] == direct["certificate"]["guaranteed"] == stated
    for part in ("counts", "sentences", "cone", "objectives", "epsilon", "delta", "noise", "method", "price_words"):
        assert saved[part] == direct[part], part
    assert saved["certificate"]["sentence"] == direct["certificate"]["sentence"]
    assert any(row["why"] for row in direct["rows"])
    plain = ("id", "name", "status", "standing", "why", "certain", "evaluations", "means", "standard_errors", "gap")
    assert [[row[p] for p in plain] for row in saved["rows"]] == [[row[p] for p in plain] for row in direct["rows"]]
    assert [entry["id"] for entry in saved["next"]] == found.next(5).designs.tolist()
    sure = [d | {"certainly_pareto": d["returned"]} for d in data["designs"]]
    path.write_text(json.dumps(data | {"designs": sure}))
    assert of_saved(path).result.certain.tolist() == found.result.pareto.tolist()


@pytest.mark.parametrize("text", ["{", "{}", '{"objectives": 3}', "[" * 5000, '{"objectives": ["a"], "minimised": []}'])
def test_what_is_no_saved_answer_is_refused_in_a_sentence(text, tmp_path):
    path = tmp_path / "answer.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"answer\.json is not what `conewise analyse --json` prints") as caught:
        of_saved(path)
    assert ("it lacks 'objectives'" in str(caught.value)) == (text == "{}")


def test_what_a_report_is_not_about_is_refused_by_name(table, tmp_path):
    result = cw.identify(cw.SimulatedBandit([[1.0], [0.0]], cw.noise.Gaussian(0.1)), cw.Cone.orthant(1), rng=0, **GOAL)
    question = cw.Question(cw.Cone.orthant(1), **GOAL, noise=cw.noise.Gaussian(0.1))
    (tmp_path / "latin.json").write_bytes(b'{"title": "\xe9"}')
    for asked, words in (
        (lambda: answer(result), "subject must be a Subject, .*, got Result"),
        (lambda: html_page(None), "subject must be a Subject, .*, got NoneType"),
        (lambda: of_study("trial.db"), "study must be an open study, .*, got str"),
        (lambda: of_analysis(result), "found must be the Analysis .*, got Result"),
        (lambda: of_result(None, question), "result must be a Result, .*, got NoneType"),
        (lambda: of_result(result, None), "question must be the Question .*, got NoneType"),
        (lambda: of_result(result, question, names=["a"]), "names must name each of 2 designs, got 1 name"),
        (lambda: of_result(result, question, names=[1, 2]), "names must be a list of names"),
        (lambda: of_result(result, question).with_shortlist("0"), "shortlist must be a list of names"),
        (lambda: of_saved(str(tmp_path / "missing.json")), "there is no file .*missing.json"),
        (lambda: of_saved(tmp_path / "latin.json"), "latin.json is not text in UTF-8"),
    ):
        with pytest.raises(InputError, match=words):
            asked()


def test_a_loop_over_single_objectives_is_shown_by_design():
    """What is asked for are cells, numbered design after design; a report speaks of designs."""
    rule = cw.rules.SeparateElimination(cw.Question(cw.Cone.orthant(2), 0.5, 0.1, cw.noise.Gaussian(0.5)), 4)
    state, rng = rule.start(), np.random.default_rng(0)
    for _ in range(2):
        pulls = rule.ask(state)
        cells = np.repeat(pulls.designs, pulls.counts)
        state = rule.tell(state, cw.Observations.single(cells, rng.normal(size=(len(cells), 1))))
    shown = of_state(rule, state, rule.question, names=list("abcd"))
    assert {design for design, _ in shown.next} <= set(range(4))
    assert sum(times for _, times in shown.next) == rule.ask(state).total
    assert shown.standard_errors.shape == (4, 2)
    assert [row["name"] for row in answer(shown)["rows"]]


def test_a_study_that_promises_nothing_shows_no_confidence():
    """Radii are those of a sample: nothing is left of them where values were withdrawn for what they are."""
    asked = {"designs": ["a", "b"], "objectives": ["x"], "cone": cw.Cone.orthant(1), "epsilon": 0.5, "delta": 0.1}
    study = study_in_memory(**asked, noise=cw.noise.Gaussian(0.5))
    rng = np.random.default_rng(0)
    while batch := study.ask(10):
        study.tell(batch, [[e.design + 0.5 * rng.normal()] for e in batch])
    assert of_study(study).evidence is not None
    study.withdraw("d0n0", reason="too good", for_its_value=True)
    study.tell(["d0n0"], [[0.0]])
    assert not study.result().guarantee
    assert of_study(study).evidence is None
