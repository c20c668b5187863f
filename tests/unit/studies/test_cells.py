"""Studies whose objectives are measured separately: an evaluation is of one objective, and has one value."""

from __future__ import annotations

import json
import math
import sys

import numpy as np
import pytest
from shared.studies import digest, finish, make, reference, same, values_of

import conewise as cw
from conewise.noise import Binary, Bounded, ByObjective, Gaussian, Known
from conewise.studies.cells import as_objective, as_told, cell_values
from conewise.studies.identity import Identity
from conewise.studies.ledger import Ledger
from conewise.studies.storage.journal import Entry

PRICED = [cw.Objective("gain"), cw.Objective("cost", "min", price=5)]
FEATURES = [{"name": name, "x": x} for name, x in zip("abcdef", (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), strict=True)]
MODEL = {"kind": "smooth", "features": ["x"]}


def separate(where, **changes):
    return make(where, **({"separate": True, "epsilon": 0.9} | changes))


@pytest.fixture
def study(tmp_path):
    with separate(tmp_path / "trial.db") as made:
        yield made


# -- asking and telling ------------------------------------------------------------------------------------------------


def test_what_is_handed_out_names_its_objective(study):
    batch = study.ask(3)
    assert [(e.id, e.name, e.design, e.number, e.objective) for e in batch] == [
        ("d0o0n0", "a", 0, 0, "gain"),
        ("d0o1n0", "a", 0, 0, "cost"),
        ("d1o0n0", "b", 1, 0, "gain"),
    ]
    assert len({e.seed for e in batch}) == 3  # two objectives of a design are two measurements
    assert study.separate
    assert study.algorithm == "separate"


def test_one_value_is_told_in_any_form(study):
    batch = study.ask(6)
    assert study.tell(batch[:2], [1.0, 2.0]).stored == 2
    assert study.tell(batch[2:3], [[3.0]]).stored == 1
    assert study.tell(batch[3], 4.0).stored == 1
    assert study.tell(batch[4:5], [{batch[4].objective: 5.0}]).stored == 1
    assert study.tell({"id": batch[5].id, "cost": 6.0, "remark": "ignored"}).stored == 1
    assert study.tell({"id": batch[5].id, "objective": "cost", "value": 6.0}).repeated == 1
    told = study.evaluations()
    nan = math.nan
    expected = [[1, nan], [nan, 2], [3, nan], [nan, 4], [5, nan], [nan, 6]]
    assert np.array_equal(told.values, expected, equal_nan=True)
    assert told.objective == ["gain", "cost"] * 3
    assert told.ids == ["d0o0n0", "d0o1n0", "d1o0n0", "d1o1n0", "d2o0n0", "d2o1n0"]


def test_values_that_nobody_asked_for_name_their_objective(study):
    assert study.record(["a", "a"], [1.0, 2.0], objective="cost").evaluations == ("d0o1n0", "d0o1n1")
    assert study.record(["b", 0], [1.0, 3.0], objective=["gain", "cost"]).evaluations == ("d1o0n0", "d0o1n2")
    assert study.tell({"design": "c", "gain": 1.0, "cost": 2}).evaluations == ("d2o0n0", "d2o1n0")
    assert study.tell([{"design": "c", "objective": "gain", "value": 2.0}]).evaluations == ("d2o0n1",)
    assert study.status().repetitions.tolist() == [[0, 3], [1, 0], [2, 1], [0, 0], [0, 0], [0, 0]]


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda s: s.tell({"id": "d0o0n0", "cost": 1.0}), "d0o0n0 is an evaluation of 'gain', not of 'cost'"),
        (lambda s: s.tell({"id": "d0o0n0", "gain": 1.0, "cost": 1.0}), "is an evaluation of 'gain', not of 'cost'"),
        (lambda s: s.tell({"id": "d0o0n0", "objective": "cost", "value": 1}), "of 'gain', not of 'cost'"),
        (lambda s: s.tell(["d0o0n0"], [{"cost": 1.0}]), "is of 'gain' alone, and was told 'cost'"),
        (lambda s: s.tell(["d0o0n0"], [{}]), "is of 'gain' alone, and was told nothing"),
        (lambda s: s.tell(["d0o0n0"], [[1.0, 2.0]]), r"1 number, one an evaluation.*got shape \(1, 2\)"),
        (lambda s: s.tell(["d0o0n0", "d0o1n0"], [1.0]), "2 numbers, one an evaluation"),
        (lambda s: s.tell(["d0o0n0", "d0o1n0"], [{"gain": 1.0}]), "2 values were expected, one an evaluation, got 1"),
        (lambda s: s.tell(["d0o0n0"], [math.nan]), "values has nan"),
        (lambda s: s.tell({"id": "d0o0n0", "gain": math.inf}), "record 0, 'gain'"),
        (lambda s: s.tell({"id": "d0o0n0", "gain": "much"}), "record 0, 'gain' is 'much', where a number"),
        (lambda s: s.tell({"id": "d0o0n0"}), "every record needs a value"),
        (lambda s: s.tell({"id": "d0n0", "gain": 1.0}), 'names no objective.*looks like "d0o0n0"'),
        (lambda s: s.tell(["d0o2n0"], [1.0]), "of objective 2, but these are numbered 0 to 1"),
        (lambda s: s.tell({"design": "a", "value": 1.0}), "record 0 names no objective"),
        (lambda s: s.tell({"design": "a", "objective": "gane", "value": 1.0}), "did you mean 'gain'"),
        (lambda s: s.tell({"design": "a", "gain": 1.0, "value": 1.0}), "has a value and one for 'gain'"),
        (lambda s: s.tell({"gain": 1.0}), "has neither an id nor a design"),
        (lambda s: s.tell([{"id": "d0o0n0", "gain": 1}, {"design": "a", "gain": 1}]), "one after the other"),
        (lambda s: s.record(["a"], [1.0]), "say which, `objective`"),
        (lambda s: s.record(["a"], [1.0], objective="speed"), "there is no objective 'speed'.*it has gain, cost"),
        (lambda s: s.record(["a"], [1.0], objective=["gain", "cost"]), "one objective for each of 1 designs"),
        (lambda s: s.tell(["d0o0n99999999"], [1.0]), "far beyond"),
        (lambda s: s.correct("d0o0n0", 1.0, reason="x"), "not told yet"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_written(study, act, words):
    study.ask(2)
    with pytest.raises(cw.InputError, match=words):
        act(study)
    assert study.status().evaluations == 0
    assert len(study.log()) == 1


def test_told_twice_is_counted_and_another_value_is_refused(study):
    batch = study.ask(2)
    study.tell(batch, [1.0, 2.0])
    assert study.tell(batch, [1.0, 2.0]).repeated == 2
    with pytest.raises(cw.InputError, match=r"d0o1n0 \('a', cost\) is stored as \[2.0\] and was now told as \[3.0\]"):
        study.tell(batch, [1.0, 3.0])


def test_an_evaluation_of_one_objective_does_not_fit_another_study(tmp_path):
    with make(tmp_path / "trial.db") as whole:
        with pytest.raises(cw.InputError, match="an evaluation of this study has all of them"):
            whole.tell(["d0o0n0"], [[1.0, 2.0]])
        with pytest.raises(cw.InputError, match="leave `objective` out"):
            whole.record(["a"], [[1.0, 2.0]], objective="gain")
        assert whole.ask(1)[0].objective is None
        assert whole.evaluations().objective is None


def test_values_outside_the_range_and_other_values_of_what_is_known(tmp_path):
    noise = ByObjective([Bounded(0, 1), Known()])
    with separate(tmp_path / "a.db", noise=noise) as study:
        with pytest.raises(cw.InputError, match=r"2\.0 in row 1 for 'gain', outside"):
            study.record(["a", "b"], [0.5, 2.0], objective="gain")
        study.record(["a"], [7.0], objective="cost")  # which has no range
        study.record(["a"], [7.0], objective="cost")
        with pytest.raises(cw.InputError, match="'cost' of 'a' is 7 and 8"):
            study.record(["a"], [8.0], objective="cost")
        assert study.status().evaluations == 2


def test_outcomes_may_be_told_in_words(tmp_path):
    objectives = [cw.Objective("right", noise=Binary()), cw.Objective("seconds", "min", noise=1.0)]
    with separate(tmp_path / "a.db", noise=None, objectives=objectives, minimise=()) as study:
        study.tell([{"design": "a", "right": "yes"}, {"design": "b", "objective": "right", "value": "no"}])
        assert study.evaluations().values[:, 0].tolist() == [1.0, 0.0]


# -- what comes of it --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [1, 7, 50])
def test_the_answer_is_that_of_a_plain_loop_in_any_batches(tmp_path, batch):
    with separate(tmp_path / "a.db") as study:
        finish(study, batch)
        assert same(study.result(), reference(study))
        assert bool(study.result().guarantee)
        assert "objectives measured separately" in study.result().guarantee.assumption
        with cw.Study.open(tmp_path / "a.db") as again:
            assert digest(again) == digest(study)


def test_with_a_model_too_and_prices_count(tmp_path):
    changes = {"designs": FEATURES, "model": MODEL, "objectives": PRICED, "minimise": (), "options": {"batch": 4}}
    with separate(tmp_path / "a.db", **changes) as study:
        finish(study, 4)
        assert same(study.result(), reference(study))
        assert type(study.rule()).__name__ == "SeparateModelGuided"
        assert "on average over the prior" in study.result().guarantee.theorem
        times = study.status().repetitions
        assert study.status().cost == times[:, 0].sum() + 5 * times[:, 1].sum()
        assert study.rule().for_every_truth.prices.tolist() == [1, 5]
        with cw.Study.open(tmp_path / "a.db") as again:
            assert same(again.result(), study.result())
            assert [o.price for o in again.question.columns.each] == [1, 5]


def test_the_price_of_an_objective_is_kept_and_summed_up(tmp_path):
    with separate(tmp_path / "a.db", objectives=PRICED, minimise=()) as study:
        finish(study, 20)
        assert study.status().cost == study.status().repetitions.sum(axis=0) @ [1, 5]
        with cw.Study.open(tmp_path / "a.db") as again:
            assert again.rule().prices.tolist() == study.rule().prices.tolist() == [1, 5]
            assert again.status().cost == study.status().cost


def test_so_is_the_price_of_a_design_where_an_evaluation_has_all_objectives(tmp_path):
    priced = [row | {"hours": 2.0 + k} for k, row in enumerate(FEATURES)]
    with make(tmp_path / "a.db", designs=priced, model=MODEL | {"price": "hours"}) as study:
        study.record(["a", "b", "b"], [[1.0, 2.0]] * 3)
        assert study.status().cost == 2 + 3 + 3
        assert study.status().repetitions is None


def test_the_end_may_be_moved_and_nothing_else_changed(tmp_path):
    with separate(tmp_path / "a.db") as study:
        study.change(max_evaluations=20)
        finish(study, 5)
        assert study.status().evaluations == 20
        assert study.result().stopped_because.startswith("max_evaluations reached")
        for act in (
            lambda: study.change(epsilon=0.5),
            lambda: study.add_designs(["g"]),
            lambda: study.drop(["a"], reason="gone"),
            lambda: study.add_objective("third", noise=Gaussian(1.0), cone=cw.Cone.orthant(3)),
            lambda: study.add_objective("third"),  # before it is asked what else there is to say
        ):
            with pytest.raises(cw.InputError, match="whose objectives are measured separately only the limit"):
                act()


def test_status_guess_and_warnings_look_at_each_objective(study):
    study.record(["a"] * 12, [1.0, 1.1, 0.9] * 3 + [1.0, 1.05, 50.0], objective="gain")
    status, guess = study.status(), study.guess()
    assert status.repetitions.sum() == status.evaluations == 12
    assert status.cost is None  # nobody has said what anything costs
    assert not guess.pareto.any()  # nobody has both averages
    assert np.isfinite(guess.standard_errors[0, 0])
    assert np.isnan(guess.standard_errors[0, 1])
    assert [remark.evaluations for remark in study.warnings()] == [("d0o0n11",)]
    assert study.warnings([1]) == ()
    study.record(["a"], [1.0], objective="cost")
    assert study.guess().pareto.tolist() == [True, *[False] * 5]
    assert study.plan(5).total == 5
    assert study.plan(5).designs.max() < 6


def test_a_table_of_it_has_empty_cells(study, tmp_path):
    study.record(["a", "b"], [1.0, 2.0], objective=["cost", "gain"])
    assert study.export(tmp_path / "out.json") == 2
    rows = json.loads((tmp_path / "out.json").read_text())
    assert [(row["design"], row["gain"], row["cost"]) for row in rows] == [("a", None, 1.0), ("b", 2.0, None)]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"block": "plate", "blocks": 5}, "share no blocks"),
        ({"algorithm": "ape"}, "have a rule of their own, got 'ape'"),
        ({"designs": cw.problems.Box({"objective": (0, 1)})}, "is called 'objective'"),
        ({"designs": [{"name": "a", "objective": 1}, {"name": "b"}]}, "is called 'objective'"),
        ({"objectives": ["value", "cost"]}, "no objective may be called 'value'"),
        ({"separate": "yes"}, "separate must be True or False"),
        ({"options": {"growth": 1.0}}, "separate has no option 'growth'"),
        ({"options": {"prices": [1] * 6}}, "separate has no option 'prices' without a model"),
        ({"epsilon": 0.0, "options": {"success": "contain"}}, "epsilon = 0 never ends on ties"),
        ({"noise": Gaussian(cov=[[1, 0.5], [0.5, 1]]), "designs": FEATURES, "model": MODEL}, "independent between"),
    ],
)
def test_what_does_not_go_together_is_refused(tmp_path, changes, words):
    with pytest.raises(cw.InputError, match=words):
        separate(tmp_path / "a.db", **changes)
    assert not (tmp_path / "a.db").exists()


def test_the_algorithm_says_it_as_well(tmp_path):
    with make(tmp_path / "a.db", algorithm="separate", epsilon=0.9) as study:
        assert study.separate


def test_a_header_without_it_reads_as_before(tmp_path):
    with make(tmp_path / "a.db") as whole, separate(tmp_path / "b.db") as study:
        header, other = (json.loads(s.journal.header) for s in (whole, study))
        assert header.keys() == other.keys()  # the rule says it, which an older conewise refuses
        assert (header["algorithm"], other["algorithm"]) == ("elimination", "separate")


def test_a_report_replays_the_cells(study):
    from conewise.report.subject import as_it_ran, of_study

    finish(study, 9)
    subject = of_study(study)
    assert subject.evidence is not None
    assert subject.history[-1].evaluations == study.result().evaluations
    assert len(as_it_ran(study, 2)) == 2
    assert study.used().sum() == study.result().evaluations


# -- the pieces --------------------------------------------------------------------------------------------------------


def test_a_ledger_of_cells_refuses_what_is_none():
    def told(evaluations):
        ledger = Ledger(2, 3, separate=True)
        ledger.absorb([Entry(1, 1.0, "tell", "", evaluations, "1.0,2.0", "")])
        return ledger

    ledger = told("0.2-0,1.0-0")
    assert [ledger.identity(s, 0) for s in ledger.stream[:2].tolist()] == [Identity(0, 0, 2), Identity(1, 0, 0)]
    assert ledger.place(Identity(1, 0, 0)) == 1
    for wrong in ("0.3-0,1.0-0", "0-0,1-0", "2.0-0,1.0-0", "0.2-0,0.2-0", "0.2.1-0"):
        with pytest.raises(cw.ConewiseError, match="the journal is damaged near entry 1"):
            told(wrong)


def test_values_of_cells():
    assert cell_values([1, {"b": 2}], [0, 1], ["a", "b"]).tolist() == [[1.0], [2.0]]
    assert cell_values({"b": 2}, [1], ["a", "b"]).tolist() == [[2.0]]
    assert cell_values([], [], ["a"]).shape == (0, 1)
    assert as_objective("b", ("a", "b")) == 1
    assert as_told(3, "a", "here") == 3.0
    with pytest.raises(cw.InputError, match="here, 'a' is"):
        as_told([3], "a", "here")


def test_seeds_are_told_apart_from_those_of_whole_evaluations(study, tmp_path):
    with make(tmp_path / "whole.db") as whole:
        seeds = {e.seed for e in whole.ask(6)} & {e.seed for e in study.ask(12)}
    assert not seeds
    batch = study.ask(3)
    assert values_of(batch).shape == (3,)


# -- with a simulator --------------------------------------------------------------------------------------------------


def test_a_run_hands_the_objective_to_functions_and_commands(tmp_path):
    asked = []

    def evaluate(design, seed):
        asked.append(design["objective"])
        return {"gain": 1.0, "cost": 2.0}  # by name: the one that is to be measured is taken

    with separate(tmp_path / "a.db") as study:
        cw.run_study(study, evaluate, jobs=0, max_evaluations=4)
        assert asked == study.evaluations().objective
        assert set(asked) == {"gain", "cost"}
        assert np.nansum(study.evaluations().values) == sum({"gain": 1, "cost": 2}[name] for name in asked)
        with pytest.raises(cw.InputError, match="2 values for 1 objective"):
            cw.run_study(study, lambda design, seed: [1.0, 2.0], jobs=0, max_evaluations=1)
    with separate(tmp_path / "b.db") as study:
        command = f"{sys.executable} -c \"print({{{{'gain': 1, 'cost': 2}}}}['{{objective}}'])\""
        cw.run_study(study, command, jobs=0, max_evaluations=2)
        assert np.nansum(study.evaluations().values) == 3.0
        with pytest.raises(cw.InputError, match="the command asks for"):
            cw.run_study(study, "./simulate {block}", jobs=0)


def test_a_value_outside_the_range_of_its_objective_ends_a_run(tmp_path):
    noise = ByObjective([Gaussian(0.5), Bounded(0, 1)])
    with separate(tmp_path / "a.db", noise=noise) as study:
        with pytest.raises(cw.ConewiseError, match=r"gave 7\.0 for 'cost', outside the range"):
            cw.run_study(study, lambda design, seed: 7.0, jobs=0)
        gains, costs = study.status().repetitions.sum(axis=0).tolist()
        assert gains > 0  # of which 7 is no wonder
        assert costs == 0
        assert not study.result().guarantee
