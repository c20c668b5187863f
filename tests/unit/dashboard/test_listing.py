"""The list of designs: searched, sorted and cut as by a slow one."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from shared.explorer import designs_of

import conewise as cw
from conewise.dashboard import answers
from conewise.dashboard.listing import PAGE, Wanted, listing, wanted
from conewise.errors import InputError


def test_the_list_agrees_with_a_slow_one():
    rng = np.random.default_rng(0)
    values = rng.integers(0, 9, size=(400, 3)).astype(float)  # with ties
    values[rng.random(400) < 0.1] = np.nan  # a study that has not evaluated everything
    names = [f"{'Alloy' if k % 3 else 'steel'} {(7 * k) % 400}" for k in range(400)]
    designs = designs_of(values, names)
    pareto = answers.front(designs, cw.Cone.orthant(3))
    on_front = set(pareto.tolist())

    def slowly(part):
        rows = [k for k in range(400) if part.everyone or k in on_front]
        rows = [k for k in rows if part.text.lower() in names[k].lower()]
        sign = -1 if part.descending else 1
        if part.column == "name":
            rows.sort(key=lambda k: (names[k].split()[0].lower(), int(names[k].split()[1])), reverse=part.descending)
        elif part.column == "pareto":
            rows.sort(key=lambda k: sign * (k not in on_front))
        elif part.column is not None:
            rows.sort(key=lambda k: (np.isnan(values[k, part.column]), sign * np.nan_to_num(values[k, part.column])))
        return rows

    seen = 0
    for everyone in (False, True):
        for text in ("", "ALLOY", "7", "nothing"):
            for column in (None, "name", "pareto", 0, 2):
                for descending in (False, True):
                    part = Wanted(everyone, text, column, descending)
                    rows = slowly(part)
                    for offset in range(0, len(rows) + 2 * PAGE, PAGE):
                        shown = listing(designs, pareto, wanted({**vars(part), "offset": offset}, 3))
                        last = max(0, len(rows) - 1) // PAGE * PAGE
                        assert shown["offset"] == min(offset, last)
                        assert shown["index"] == rows[shown["offset"] :][:PAGE]
                        assert shown["matching"] == len(rows)
                        assert shown["listed"] == (400 if everyone else len(pareto))
                        assert shown["pareto"] == [k in on_front for k in shown["index"]]
                        json.dumps(shown, allow_nan=False)
                        seen += len(rows)
    assert seen > 0


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (3, "a list is asked for by an object"),
        ({"everyone": 1}, "true or false"),
        ({"descending": "no"}, "true or false"),
        ({"text": 5}, "text must be a text"),
        ({"text": "a" * 1001}, "at most 1000 characters"),
        ({"offset": -1}, "offset must be a whole number"),
        ({"offset": True}, "offset must be a whole number"),
        ({"offset": 1.5}, "offset must be a whole number"),
        ({"column": 3}, "there is no column 3"),
        ({"column": True}, "there is no column True"),
        ({"column": "values"}, "there is no column 'values'"),
        ({"column": ["name"]}, "there is no column"),
    ],
)
def test_a_list_that_makes_no_sense_is_one_sentence(asked, words):
    with pytest.raises(InputError, match=words):
        wanted(asked, 3)


def test_names_are_sorted_as_people_do_also_with_numbers_of_any_length():
    names = ["d10", "d2", "D1", "d02b", "d" + "9" * 5000, "", "10", "9"]
    ranks = designs_of(np.zeros((8, 2)), names).name_ranks
    assert [names[k] for k in np.argsort(ranks)][:7] == ["", "9", "10", "D1", "d2", "d02b", "d10"]


def test_what_a_model_says_is_a_column():
    designs = replace(designs_of(np.array([[0.0, 1.0], [1.0, 0.0], [np.nan] * 2])), probability=np.array([0.2, 1, 0.7]))
    assert answers.backdrop(designs)["probability"] == [0.2, 1.0, 0.7]
    part = wanted({"everyone": True, "column": "probability"}, 2, likely=True)
    found = listing(designs, answers.front(designs, cw.Cone.orthant(2)), part)
    assert found["index"] == [1, 2, 0]  # the most probable first
    assert found["probability"] == [1.0, 0.7, 0.2]
    assert found["values"][0] == [1.0, None, 0.0]
    with pytest.raises(InputError, match="there is no column 'probability'"):
        wanted({"column": "probability"}, 2)
