"""A box in a study: settings are handed out, join by entries of the journal, and come back when it is opened again."""

from __future__ import annotations

import json

import numpy as np
import pytest
from shared.boxes import small_boxes

import conewise as cw
from conewise.errors import InputError
from conewise.noise import Gaussian
from conewise.studies.boxes import MOST_REFINEMENTS, REFINEMENTS
from conewise.studies.spec import Specification

SIGMA = 0.02
MODEL = {"kind": "smooth", "kernels": ["squared"], "sizes": [10.0], "discrepancies": [0.01], "between": [0.3, 3.0]}
PLANE = {"x": (0, 1), "y": {"from": 0, "to": 1}}


@pytest.fixture(autouse=True, scope="module")
def _fewer_points_and_draws():
    with small_boxes():
        yield


def create(path, parameters=PLANE, candidates=16, **changes):
    asked = {"cone": cw.Cone.orthant(2), "epsilon": 0.1, "delta": 0.1, "noise": Gaussian(SIGMA), "model": MODEL}
    asked |= {"objectives": ["gain", "ease"], "designs": cw.problems.Box(parameters, candidates=candidates)}
    return cw.Study.create(path, **(asked | changes))


def value(evaluation):
    """Pareto optimal are the settings with y = 0.5."""
    x, off = evaluation.row["x"], (evaluation.row["y"] - 0.5) ** 2
    return np.array([x - off, 1 - x - off]) + SIGMA * np.random.default_rng(evaluation.seed).normal(size=2)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A finished study, in which it was asked for three at a time."""
    path = tmp_path_factory.mktemp("box") / "box.db"
    with create(path) as study:
        while batch := study.ask(3):
            study.tell(batch, [value(one) for one in batch])
    return path


def test_settings_join_by_entries_of_the_journal_and_the_answer_is_about_all_of_them(place):
    with cw.Study.open(place, read_only=True) as study:
        assert study.finished
        joins = [entry for entry in study.log() if entry.kind == "join"]
        assert REFINEMENTS <= len(joins) <= MOST_REFINEMENTS
        result, rows = study.result(), study.rows
    assert len(rows) == len(result.pareto) > 16
    assert [row["name"] for row in rows] == [f"s{k}" for k in range(len(rows))]
    assert f"for the {len(rows)} candidates, on average over the prior" in str(result.guarantee)
    assert result.certified["every truth"] is None
    assert "which is an estimate and part of no guarantee" in result.stopped_because
    assert str(result.mesh) in result.stopped_because
    assert list(result.settings) == [{"x": row["x"], "y": row["y"]} for row in rows]
    assert result.parameters == [result.settings[k] for k in result.indices]
    x, y = (np.array([row[name] for row in rows]) for name in "xy")
    means = np.column_stack([x - (y - 0.5) ** 2, 1 - x - (y - 0.5) ** 2])
    assert cw.verdict(result.pareto, means, cw.Cone.orthant(2), 0.1)


def test_evaluations_of_earlier_candidates_count_on(place):
    with cw.Study.open(place, read_only=True) as study:
        told, status = study.evaluations(), study.status()
    assert status.evaluations == len(told) == status.result.evaluations
    assert status.waiting == 0


def test_a_study_that_is_opened_again_has_the_same_candidates_and_goes_on(place, tmp_path):
    with cw.Study.open(place, read_only=True) as study:
        expected, rows = study.result(), study.rows
    study = create(tmp_path / "again.db")
    while batch := study.ask(1):  # other batches, and a new process after each
        study.tell(batch, [value(one) for one in batch])
        study.close()
        study = cw.Study.open(tmp_path / "again.db")
    with study:
        assert study.rows == rows
        assert study.result().pareto.tolist() == expected.pareto.tolist()
        assert study.result().stopped_because == expected.stopped_because


def test_before_candidates_join_the_answer_is_not_finished(tmp_path):
    with create(tmp_path / "early.db") as study:
        while study.n_designs == 16 and (batch := study.ask(1)):
            early = study.result()
            study.tell(batch, [value(one) for one in batch])
            if not study.plan(1).total:
                assert study.result().stopped_because == "not finished: further candidates are to join"
                assert not study.finished
        assert early.stopped_because.startswith("not finished")


def test_a_box_of_few_settings_is_its_candidates(tmp_path):
    few = {"x": [0.0, 0.5, 1.0], "y": {"from": 0, "to": 1, "whole": True}}
    with create(tmp_path / "few.db", few) as study:
        assert study.n_designs == 6
        assert study.rows[0] == {"name": "s0", "x": 0.0, "y": 0}
        while batch := study.ask(2):
            study.tell(batch, [value(one) for one in batch])
        assert "all 6 settings are candidates" in study.result().stopped_because
        assert not [entry for entry in study.log() if entry.kind == "join"]


def test_a_box_may_be_measured_one_objective_at_a_time(tmp_path):
    """Whatever the batches and whoever opens it again; candidates join in between, and their cells count on."""

    def answered(path, size, every):
        study = create(path, separate=True, epsilon=0.2, options={"batch": 12, "confirm": True})
        while batch := study.ask(size):
            study.tell(batch, [[value(one)[("gain", "ease").index(one.objective)]] for one in batch])
            if study.status().evaluations % every == 0:
                study.close()
                study = cw.Study.open(path)
        with study:
            assert [entry for entry in study.log() if entry.kind == "join"]
            assert study.n_designs == len(study.result().settings) > 16
            return study.result(), study.status().repetitions

    (first, times), (second, again) = answered(tmp_path / "a.db", 12, 100), answered(tmp_path / "b.db", 5, 10)
    assert "objectives measured separately" in str(first.guarantee)
    assert f"for the {len(first.pareto)} candidates, on average over the prior" in str(first.guarantee)
    assert times.sum() == first.evaluations
    assert times[first.indices].all()
    assert times[16:].any()
    assert (first.pareto.tolist(), str(first.mesh)) == (second.pareto.tolist(), str(second.mesh))
    np.testing.assert_array_equal(times, again)
    x, y = (np.array([setting[name] for setting in first.settings]) for name in "xy")
    means = np.column_stack([x - (y - 0.5) ** 2, 1 - x - (y - 0.5) ** 2])
    assert cw.verdict(first.pareto, means, cw.Cone.orthant(2), 0.2)


def test_the_header_holds_the_box(tmp_path):
    scales = {"rate": (1e-4, 1e-1, "log"), "layers": range(1, 4), "oil": ["a", "b"]}
    with create(tmp_path / "kinds.db", scales, model=None) as study:
        header = json.loads(study.journal.header)
        rows = study.rows
    assert header["box"]["parameters"] == {
        "rate": {"from": 1e-4, "to": 1e-1, "scale": "log"},
        "layers": [1, 2, 3],
        "oil": ["a", "b"],
    }
    assert header["options"]["model"]["kind"] == "smooth"
    again = Specification.from_json(json.dumps(header))
    assert again.rows == tuple(rows)
    np.testing.assert_allclose(again.places, again.box.first(), rtol=1e-12)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"parameters": {"name": (0, 1)}}, "the parameter 'name' of the box is called like the column that names"),
        ({"parameters": {"gain": (0, 1)}}, "the parameter 'gain' of the box is called like an objective"),
        ({"parameters": {"x": {"from": 0}}}, "the parameter 'x' lacks from or to"),
        ({"parameters": {"x": {"from": 0, "to": 1, "step": 2}}}, "the parameter 'x' has 'step'"),
        ({"parameters": {"x": {"from": 0.5, "to": 3, "whole": True}}}, "which is true beside two whole numbers"),
        ({"model": cw.models.Independent()}, "its model is a kind"),
        ({"model": {"kind": "smooth", "features": ["x"]}}, "the model of a box has no 'features'"),
        ({"algorithm": "naive"}, "a box is answered with a model"),
        ({"options": {"prices": [1.0]}}, "leave prices out"),
        ({"block": "day", "blocks": 4}, "share no blocks"),
    ],
)
def test_refused_in_one_sentence(tmp_path, changes, sentence):
    with pytest.raises(InputError, match=sentence):
        create(tmp_path / "refused.db", **changes)


def test_nobody_adds_designs_to_a_box(place):
    with cw.Study.open(place) as study, pytest.raises(InputError, match="only the limit can be changed"):
        study.add_designs([{"name": "mine", "x": 0.5, "y": 0.5}])


def test_a_box_without_a_function_is_for_studies():
    with pytest.raises(InputError, match="or let a study hand its settings out"):
        cw.identify(cw.problems.Box(PLANE), cw.Cone.orthant(2), epsilon=0.1, delta=0.1, noise=Gaussian(0.1), rng=0)
