"""Models of studies: what the header says of them, and answers that depend on the told values alone."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest

import conewise as cw
from conewise import models
from conewise.errors import InputError
from conewise.noise import Gaussian
from conewise.studies.priors import model_to_dict, prior_for
from conewise.studies.spec import Specification

X = np.linspace(0, 1, 7)
MEANS = np.column_stack([X + 0.02 * np.cos(9 * X), 1 - X**2])
ROWS = [{"name": f"d{k}", "x": float(x), "oil": "ab"[k % 2]} for k, x in enumerate(X)]
SMALL = {"kernels": ["matern52"], "sizes": [5.0], "discrepancies": [0.03]}
COLUMNS = {"kind": "smooth", "features": ["x"], **SMALL}


def create(path, model=COLUMNS, **changes):
    asked = {"designs": ROWS, "cone": cw.Cone.orthant(2), "epsilon": 0.2, "delta": 0.1, "noise": Gaussian(0.05)}
    return cw.Study.create(path, **(asked | changes), model=model)


def value(evaluation):
    noise = np.random.default_rng([evaluation.design, evaluation.number]).normal(size=2)
    return MEANS[evaluation.design] + 0.05 * noise


def finished(study, ask=1, backwards=False, again=None):
    while batch := study.ask(ask):
        for one in reversed(batch) if backwards else batch:
            study.tell([one], [value(one)])
        if again is not None:
            study.close()
            study = again()
    return study


@cache
def answer(tmp_path):
    with create(tmp_path / "first.db") as study:
        return finished(study).result()


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return answer(tmp_path_factory.mktemp("first"))


def same(result, other):
    assert result.evaluations == other.evaluations
    assert result.pareto.tolist() == other.pareto.tolist()
    assert result.status.tolist() == other.status.tolist()
    assert result.counts.tolist() == other.counts.tolist()
    assert result.probability.tolist() == other.probability.tolist()
    assert result.certified == other.certified
    assert str(result.guarantee) == str(other.guarantee)


def test_a_study_ends_with_two_promises_and_predictions(expected):
    assert cw.verdict(expected.pareto, MEANS, cw.Cone.orthant(2), 0.2)
    assert "on average over the prior" in expected.guarantee.theorem
    assert expected.stopped_because == "the answer is certified on average over the prior"
    assert set(expected.evidence) == {"measured", "predicted"}
    assert expected.certified["every truth"] is None


def test_batches_orders_and_restarts_change_nothing(tmp_path, expected):
    path = tmp_path / "t.db"
    create(path).close()
    with finished(cw.Study.open(path), ask=5, backwards=True, again=lambda: cw.Study.open(path)) as study:
        same(study.result(), expected)
        assert study.ask(3).finished
    with cw.Study.open(path, read_only=True) as study:
        same(study.result(), expected)


def test_features_as_numbers_are_as_good_as_columns(tmp_path, expected):
    with create(tmp_path / "t.db", models.Smooth({"x": X.tolist()}, **SMALL)) as study:
        same(finished(study).result(), expected)


def test_a_batch_is_asked_for_at_once_and_the_same_for_any_hands(tmp_path):
    found = []
    for ask in (4, 3):
        with create(tmp_path / f"{ask}.db", options={"batch": 4, "confirm": True}) as study:
            first = study.ask(4, ahead=True)
            assert len({one.design for one in first}) == 4
            assert not study.ask(1)  # nobody runs ahead of a model
            study.tell(first, [value(one) for one in first])
            found.append(finished(study, ask=ask).result())
    same(*found)
    assert (found[0].counts[found[0].pareto] > 0).all()  # confirmed


def test_robust_is_said(tmp_path):
    model = {"kind": "independent", "sizes": [3.0]}
    with create(tmp_path / "t.db", model, options={"robust": True}) as study:
        assert "for every component of the prior" in finished(study, ask=7).result().guarantee.theorem


def test_the_end_may_be_moved_and_nothing_else_changes(tmp_path, expected):
    with create(tmp_path / "t.db", options={"max_evaluations": 3}) as study:
        assert finished(study).result().stopped_because.startswith("max_evaluations reached")
        with pytest.raises(InputError, match="of a study with a model only the limit can be changed"):
            study.change(epsilon=0.3)
        with pytest.raises(InputError, match="of a study with a model only the limit can be changed"):
            study.drop(["d0"], reason="broken")
        study.change(max_evaluations=50)
        same(finished(study).result(), expected)


def test_the_header_holds_data_only(tmp_path):
    with create(tmp_path / "t.db") as study:
        header = json.loads(study.journal.header)
    assert header["algorithm"] == "model"
    assert header["options"] == {"model": COLUMNS}
    again = Specification.from_json(json.dumps(header))
    assert again.built_options["model"].words == prior_for(COLUMNS, ROWS).words


def test_categories_and_orders_are_read_from_the_rows():
    assert prior_for({"kind": "linear", "features": ["oil", "x"]}, ROWS).table.names == ("oil", "x")
    ordered = prior_for({"kind": "linear", "features": ["oil"], "orders": {"oil": ["b", "a"]}}, ROWS)
    assert ordered.table.values[:2, 0].tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        ("smooth", "model must be a prior such as models.Smooth"),
        ({"features": ["x"]}, "model must be a prior such as models.Smooth"),
        ({"kind": "cubic"}, "model must be .smooth., .linear. or .independent."),
        ({"kind": "smooth"}, "needs features"),
        ({"kind": "smooth", "features": []}, "the features of the model are empty"),
        ({"kind": "smooth", "features": "x"}, "the features of the model must be a list of names"),
        ({"kind": "smooth", "features": ["y"]}, "the designs have no column 'y'; they have name, x, oil"),
        ({"kind": "smooth", "features": ["x"], "kernels": []}, "kernels is empty"),
        ({"kind": "smooth", "features": ["x"], "lengths": [1]}, "has no 'lengths'"),
        (models.Smooth(X[:3]), "features describe 3 designs, but there are 7"),
    ],
)
def test_what_is_refused(tmp_path, model, sentence):
    with pytest.raises(InputError, match=sentence):
        create(tmp_path / "t.db", model)
    assert not (tmp_path / "t.db").exists()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"designs": [row | {"x": None} for row in ROWS]},
            "^'x' of '.*' is empty: fill it in",
        ),
        ({"designs": [row | {"x": 1.0} for row in ROWS]}, "every feature is the same for all designs"),
        ({"designs": ROWS[:1]}, "at least 2 designs"),
        ({"epsilon": 0.0, "options": {"success": "contain"}}, "epsilon = 0 never ends on ties: give max_evaluations"),
        ({"block": "day", "blocks": 5}, "paired has no option 'model'"),
        ({"algorithm": "elimination"}, "elimination has no option 'model'"),
    ],
)
def test_what_does_not_go_with_a_model_is_refused(tmp_path, changes, sentence):
    with pytest.raises(InputError, match=sentence):
        create(tmp_path / "t.db", **changes)


def test_two_designs_are_enough(tmp_path):
    with create(tmp_path / "t.db", designs=ROWS[:2]) as study:
        result = finished(study).result()
    assert result.guarantee
    assert cw.verdict(result.pareto, MEANS[:2], cw.Cone.orthant(2), 0.2)


def test_a_model_of_the_library_is_written_down():
    assert model_to_dict(models.Independent(sizes=(1.0,))) == {"kind": "independent", "sizes": [1.0]}


# -- prices ----------------------------------------------------------------------------------------------------------

PRICED = [row | {"hours": 1 if k < 3 else 50} for k, row in enumerate(ROWS)]


def test_a_study_asks_for_what_is_worth_its_price(tmp_path, expected):
    hours = np.array([row["hours"] for row in PRICED])
    found = []
    for name, changes in (
        ("column", {"model": COLUMNS | {"price": "hours"}}),
        ("array", {"model": COLUMNS, "options": {"prices": hours}}),
    ):
        with create(tmp_path / f"{name}.db", designs=PRICED, **changes):
            pass
        with finished(cw.Study.open(tmp_path / f"{name}.db")) as study:
            found.append(study.result())
    same(*found)
    assert found[0].guarantee
    assert hours @ found[0].counts < hours @ expected.counts


@pytest.mark.parametrize(
    ("price", "sentence"),
    [
        ("cost", "the designs have no column 'cost'; they have name, x, oil, hours"),
        ("oil", "the column 'oil' must hold the price of every design, got 'a'"),
        (3, "the price of a model names a column of the designs, got 3"),
    ],
)
def test_prices_that_are_refused(tmp_path, price, sentence):
    with pytest.raises(InputError, match=sentence):
        create(tmp_path / "t.db", COLUMNS | {"price": price}, designs=PRICED)


def test_two_states_of_one_number_of_evaluations_share_what_draws_cost(tmp_path):
    with create(tmp_path / "t.db") as study:
        assert study.rule().certificate.looks == 2
        assert cw.rules.ModelGuided(study.question, 7, model=models.Independent()).certificate.looks == 1


def test_a_corrected_value_is_named_in_what_is_assumed(tmp_path, expected):
    with create(tmp_path / "t.db") as study:
        finished(study)
        assert "decided when to stop" not in study.result().guarantee.assumption
        one = study.evaluations()
        study.correct(f"d{one.design[0]}n0", one.values[0] + 0.001, reason="a slip")
        assert "decided when to stop" in finished(study).result().guarantee.assumption


def test_levels_and_a_model_in_one_study(tmp_path):
    asked = [cw.Objective("gain", level=0.5), "ease"]
    with create(tmp_path / "levels.db", objectives=asked) as study:
        result = finished(study, 3).result()
    with cw.Study.open(tmp_path / "levels.db") as again:
        same(again.result(), result)
    assert result.guarantee
    assert cw.verdict(result.pareto, MEANS, cw.Cone.orthant(2), 0.2, levels=[0.5, -np.inf])
    assert "misses a level" in result.status
    assert (MEANS[result.status == "misses a level", 0] < 0.5).all()
