"""What is said on the page, and one cone as every control would say it."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

import conewise as cw
from conewise.dashboard.desk import Desk
from conewise.dashboard.sources import Designs, Fixed
from conewise.dashboard.statements import all_said, sentences, stated
from conewise.errors import ConewiseError, InputError


def designs_of(values, objectives=("cost", "speed"), minimised=("cost",)):
    values = np.asarray(values, dtype=float)
    return Designs(1, [f"d{k}" for k in range(len(values))], tuple(objectives), tuple(minimised), values)


FEW = designs_of([[1, 2], [2, 5], [4, 6], [3, 1]])


def desk_of(designs):
    return Desk(Fixed("t", designs, cw.Cone.orthant(designs.dim), None))


# -- statements --------------------------------------------------------------------------------------------------------


def test_an_exchange_and_a_choice_add_to_the_base():
    said = [{"accept": [0, 1, 1, 4]}, {"prefer": [[2, 5], [1, 2]], "names": ["d1", "d0"]}]
    asked = {"degrees": 90, "said": said}
    expected = cw.Preferences(["cost", "speed"], minimise=["cost"]).accepts(give={"cost": 1}, get={"speed": 4})
    expected = expected.prefers([2, 5], over=[1, 2])
    assert np.allclose(stated(asked, FEW).facets, expected.cone.facets)
    assert sentences(asked, FEW) == ["1 cost for 4 speed is worth it", "d1 rather than d0"]
    wide = stated({"degrees": 120, "said": said}, FEW)
    assert wide.includes(cw.Cone.planar(120))
    assert wide.includes(expected.cone)
    assert stated({"degrees": 120}, FEW) == cw.Cone.planar(120)


@pytest.mark.parametrize(
    "statement",
    [
        {},
        [],
        "prefer",
        {"accept": [0, 1, 1]},
        {"accept": [0, 1, 2, 1]},
        {"accept": [0, True, 1, 1]},
        {"accept": [0.0, 1, 1, 1]},
        {"prefer": [[1, 2]]},
        {"prefer": [[1, 2], [1, 2, 3]]},
        {"prefer": [[1, 2], [1, None]]},
        {"undecided": 3},
    ],
    ids=json.dumps,
)
def test_what_is_no_statement_is_refused(statement):
    with pytest.raises(InputError, match="a statement is one of"):
        stated({"degrees": 90, "said": [statement]}, FEW)


def test_other_refusals_say_what_is_wrong():
    with pytest.raises(InputError, match="at most 200"):
        stated({"degrees": 90, "said": [{"accept": [0, 1, 1, 1]}] * 201}, FEW)
    with pytest.raises(InputError, match="at most 200"):
        stated({"degrees": 90, "said": "x"}, FEW)
    with pytest.raises(ConewiseError, match="every gain counts"):
        stated({"degrees": 45, "said": [{"accept": [0, 1, 1, 1]}]}, FEW)
    with pytest.raises(ConewiseError, match="contradict each other"):
        stated({"degrees": 90, "said": [{"accept": [0, 1, 1, 1]}, {"accept": [1, 3, 0, 1]}]}, FEW)
    with pytest.raises(InputError, match="positive"):
        stated({"degrees": 90, "said": [{"accept": [0, -1, 1, 1]}]}, FEW)


def test_a_duel_is_the_question_of_the_library_and_what_could_not_be_said_is_not_asked_again():
    values = np.random.default_rng(1).normal(size=(60, 3)).round(3)
    designs = designs_of(values, ("a", "b", "c"), ("b",))
    desk = desk_of(designs)
    preference = {"text": "orthant:3", "said": []}
    expected = all_said(preference, designs).ask(values)
    pair = desk.duel({"first": preference})["pair"]
    assert tuple(one["index"] for one in pair) == expected
    assert [one["values"] for one in pair] == values[list(expected)].tolist()
    undecided = {"undecided": [one["values"] for one in pair], "names": [one["name"] for one in pair]}
    again = desk.duel({"first": {**preference, "said": [undecided]}})["pair"]
    assert [one["index"] for one in again] != list(expected)


def test_duels_end_when_no_answer_would_change_anything():
    """Whoever always prefers the larger weighted sum ends with that design, and every answer strikes at least one."""
    rng = np.random.default_rng(3)
    values, weights = rng.normal(size=(80, 3)), np.array([0.2, 0.5, 0.3])
    desk, said, left = desk_of(designs_of(values, ("a", "b", "c"), ())), [], []
    while (pair := desk.duel({"first": {"text": "orthant:3", "said": said}})["pair"]) is not None:
        better, worse = sorted((one["values"] for one in pair), key=lambda value: -weights @ np.array(value))
        said.append({"prefer": [better, worse]})
        left.append(desk.front({"first": {"text": "orthant:3", "said": said}})["first"]["pareto"])
        assert len(said) < 60
    assert left == sorted(left, reverse=True)
    best = int(np.argmax(values @ weights))
    assert best in desk.front({"first": {"text": "orthant:3", "said": said}})["first"]["points"]["index"]


def test_points_are_all_designs_of_two_objectives_and_none_of_three():
    found = desk_of(FEW).points({})["points"]
    assert (found["index"], found["values"]) == ([0, 1, 2, 3], FEW.values.T.tolist())
    assert desk_of(designs_of(np.ones((3, 3)), "abc", ())).points({})["points"] is None


def test_a_shortlist_is_a_file_that_a_spreadsheet_may_open():
    designs = Designs(1, ["=cmd()", 'a,"b"', "c"], ("cost", "speed"), ("cost",), np.array([[1, 2], [2, 5], [3, 1.5]]))
    text = desk_of(designs).shortlist({"first": {"degrees": 90}, "index": [2, 0]})["csv"]
    assert list(csv.reader(io.StringIO(text))) == [
        ["design", "cost", "speed", "pareto"],
        ["c", "3.0", "1.5", "no"],
        ["'=cmd()", "1.0", "2.0", "yes"],
    ]
    for wrong in (None, [3], [-1], ["0"], [True], list(range(3)) * 100):
        with pytest.raises(InputError, match="numbers from 0 to 2"):
            desk_of(designs).shortlist({"first": {"degrees": 90}, "index": wrong})


# -- one cone, many controls -------------------------------------------------------------------------------------------


# -- the address -------------------------------------------------------------------------------------------------------
