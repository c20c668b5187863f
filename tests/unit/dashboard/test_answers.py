"""The explorer's numbers: angles of leaving, the list of designs, estimates, who moved, and names of objectives."""

from __future__ import annotations

import json

import numpy as np
import pytest

import conewise as cw
from conewise.dashboard import angles, answers, estimates
from conewise.dashboard.desk import Desk
from conewise.dashboard.listing import PAGE, Wanted, listing, wanted
from conewise.dashboard.sources import Designs, Fixed
from conewise.errors import ConewiseError, InputError


def designs_of(values, names=None, minimised=(), objectives=None):
    values = np.asarray(values, dtype=float)
    objectives = tuple(objectives or (f"f{d}" for d in range(values.shape[1])))
    names = [f"d{k}" for k in range(len(values))] if names is None else names
    return Designs(1, names, objectives, minimised, values)


def source_of(values, **more):
    designs = designs_of(values, **more)
    return Fixed("t", designs, cw.Cone.orthant(designs.dim), None)


# -- who leaves at which angle -----------------------------------------------------------------------------------------

CLOUDS = {
    "snw": cw.problems.load("snw").means,
    "normal": np.random.default_rng(1).normal(size=(300, 2)),
    "grid": np.random.default_rng(2).integers(0, 12, size=(80, 2)).astype(float),  # with equal designs and ties
    "equal": np.zeros((5, 2)),
    "one": np.array([[1.0, 2.0]]),
}


@pytest.mark.parametrize("means", CLOUDS.values(), ids=CLOUDS)
def test_angles_say_who_is_pareto_when(means):
    found = angles.leaving_angles(designs_of(means))
    ends = np.array([np.inf if end is None else end for end in found["degrees"]])
    index = np.array(found["index"])
    assert (found["from"], found["to"]) == (1, 179)
    assert (np.diff(ends[np.isfinite(ends)]) >= 0).all()
    for degrees in np.arange(1.137, 179, 1.31):  # never at the very angle where one leaves
        assert np.abs(ends - degrees).min() > 1e-6
        mask = cw.pareto_mask(means, cw.Cone.planar(degrees))
        assert sorted(index[ends > degrees].tolist()) == np.flatnonzero(mask).tolist()
    for degrees, count in found["curve"]:
        assert count == (ends > degrees).sum()
    # At the very angle the edge of the cone counts: whoever is beaten by a step along an axis has left at 90 degrees.
    assert dict(found["curve"])[90] == cw.pareto_mask(means, cw.Cone.orthant(2)).sum()


@pytest.mark.parametrize("cloud", ["snw", "normal", "grid"])
def test_just_before_its_angle_a_design_is_pareto_and_just_after_it_is_not(cloud):
    """Every event, from both sides."""
    means, near = CLOUDS[cloud], 1e-7
    found = angles.leaving_angles(designs_of(means))
    index, ends = np.array(found["index"]), np.array([np.inf if e is None else e for e in found["degrees"]])
    events = np.unique(ends[np.isfinite(ends)].round(9))
    assert len(events) > 5
    checked = 0
    for event in events.tolist():
        apart = np.abs(ends - event)
        if ((apart > near / 2) & (apart < 2 * near)).any():
            continue  # another one leaves within the distance at which we look
        before, after = (
            set(np.flatnonzero(cw.pareto_mask(means, cw.Cone.planar(event + step))).tolist()) for step in (-near, near)
        )
        assert before - after == set(index[apart <= near / 2].tolist())
        assert after <= before
        checked += 1
    assert checked > 0.9 * len(events)


def test_a_front_too_long_to_list_is_listed_from_a_wider_angle_on(monkeypatch):
    means = CLOUDS["normal"]
    whole = angles.leaving_angles(designs_of(means))
    monkeypatch.setattr(angles, "_MOST_ON_FRONT", 25)
    short = angles.leaving_angles(designs_of(means))
    sizes = {step: cw.pareto_mask(means, cw.Cone.planar(step)).sum() for step in angles.STEPS}
    assert short["from"] == min(step for step, size in sizes.items() if size <= 25)
    assert short["from"] > 1
    kept = dict(zip(whole["index"], whole["degrees"], strict=True))
    assert dict(zip(short["index"], short["degrees"], strict=True)) == {
        index: end for index, end in kept.items() if end is None or end > short["from"]
    }
    assert short["curve"][0][0] == short["from"]
    monkeypatch.setattr(angles, "_MOST_ON_FRONT", 0)
    none = angles.leaving_angles(designs_of(means))
    assert (none["from"], none["index"], none["curve"]) == (None, [], [])
    empty = angles.leaving_angles(designs_of(np.full((3, 2), np.nan)))
    assert (empty["from"], empty["index"]) == (None, [])


# -- the list ----------------------------------------------------------------------------------------------------------


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


# -- quick answers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dim", [2, 4])
def test_an_estimate_is_the_share_of_a_sample_each_held_against_all(dim):
    rng = np.random.default_rng(dim)
    for values in (rng.normal(size=(3000, dim)), rng.integers(0, 4, size=(3000, dim)), rng.normal(size=(50, dim))):
        designs, cone = designs_of(values), cw.Cone.importance(0.1, dim=dim)
        mask = cw.pareto_mask(designs.means, cone)
        size = min(estimates.SAMPLE, len(mask))
        chosen = np.random.default_rng(0).choice(len(mask), size, replace=False)
        assert estimates.about(designs, cone) == round(mask[chosen].mean() * len(mask))
    assert estimates.about(designs_of(np.full((2, dim), np.nan)), cone) == 0


def test_a_front_that_took_long_is_estimated_until_someone_waits_for_it():
    ticks = iter(np.arange(0, 1000, 0.5))  # half a second a count
    values = np.random.default_rng(0).normal(size=(500, 3))
    desk = Desk(source_of(values), clock=lambda: next(ticks))
    first = desk.front({"first": {"text": "orthant:3"}, "quick": True})
    assert (first["estimated"], first["first"]["pareto"]) == (False, cw.pareto_mask(values, cw.Cone.orthant(3)).sum())
    asked = {"first": {"shares": [10, 0, 0]}, "before": {"text": "orthant:3"}}
    quick = desk.front({**asked, "quick": True})
    cone = cw.Cone.parse(quick["first"]["cone"])
    count = cw.pareto_mask(values, cone).sum()
    assert quick["estimated"]
    assert quick["first"]["pareto"] == estimates.about(desk.source.designs(), cone)
    assert (quick["first"]["points"], quick["table"], quick["moved"]) == (None, None, None)
    counted = desk.front(asked)
    assert (counted["estimated"], counted["first"]["pareto"], counted["table"]["matching"]) == (False, count, count)
    for key in ("cone", "beta", "cost", "words"):
        assert quick["first"][key] == counted["first"][key]
    assert desk.front({**asked, "quick": True})["first"]["pareto"] == count  # remembered, so there is no wait
    assert not desk.front({"first": {"text": "ice_cream:60,7"}, "quick": True})["estimated"]  # never counted: not slow


def test_a_quick_computation_is_never_estimated():
    values = np.random.default_rng(0).normal(size=(500, 3))
    desk = Desk(source_of(values), clock=lambda: 0.0)
    for share in range(5):
        assert not desk.front({"first": {"shares": [share, 0, 0]}, "quick": True})["estimated"]


def test_a_page_that_moved_on_is_not_served_what_it_no_longer_wants():
    desk = Desk(source_of(np.random.default_rng(0).normal(size=(500, 3))))
    old = {"first": {"shares": [1, 0, 0]}, "page": "a", "move": 1}
    assert desk.hardness(old)["rate"] > 0  # nobody has moved
    desk.front({"first": {"shares": [2, 0, 0]}, "page": "a", "move": 3})
    assert desk.hardness(old)["rate"] > 0  # known already
    for question in (desk.front, desk.hardness):
        with pytest.raises(ConewiseError, match="moved on"):
            question({"first": {"shares": [3, 0, 0]}, "page": "a", "move": 2})
    for asked in ({"page": "a", "move": 3}, {"page": "b", "move": 1}, {"page": ["a"], "move": 1}, {"page": "a"}, {}):
        assert desk.front({"first": {"shares": [4, 0, 0]}, **asked})["first"]["pareto"] > 0
    desk.front({"first": {"shares": [5, 0, 0]}, "page": "a" * 10**5, "move": 9})
    for k in range(200):
        desk.front({"first": {"shares": [5, 0, 0]}, "page": f"p{k}", "move": k})
    assert len(desk._moves) <= 64
    assert max(map(len, desk._moves)) <= 40


def test_a_compared_cone_half_typed_hides_only_itself():
    desk = Desk(source_of(np.random.default_rng(0).normal(size=(50, 2))))
    answer = desk.front({"first": {"degrees": 90}, "second": {"text": "planar:"}})
    assert "planar:135 (an angle" in answer["second_error"]
    assert (answer["second"], answer["difference"]) == (None, None)
    assert answer["first"]["pareto"] > 0
    assert desk.front({"first": {"degrees": 90}, "second": {"text": "planar:60"}})["second_error"] is None


def test_who_entered_and_who_left_since_another_cone():
    means = cw.problems.load("snw").means
    desk = Desk(source_of(means))
    masks = {degrees: cw.pareto_mask(means, cw.Cone.planar(degrees)) for degrees in (60, 90, 135)}
    for before, now in ((90, 135), (135, 60), (90, 90)):
        moved = desk.front({"first": {"degrees": now}, "before": {"degrees": before}})["moved"]
        assert moved["before"] == f"planar:{before}"
        for word, there, not_there in (("entered", now, before), ("left", before, now)):
            places = np.flatnonzero(masks[there] & ~masks[not_there])
            assert moved[word]["count"] == len(places)
            assert moved[word]["index"] == places[:12].tolist()
            assert moved[word]["names"] == [f"d{k}" for k in places[:12]]
    assert desk.front({"first": {"degrees": 90}})["moved"] is None


def test_a_design_without_values_is_neither_pareto_nor_beaten():
    desk = Desk(source_of([[1, 2], [np.nan, np.nan], [0, 1]]))
    facts = [desk.design({"index": k, "first": {"degrees": 90}}) for k in range(3)]
    assert [(f["values"], f["pareto"], f["beaten_by"], [r["name"] for r in f["rivals"]]) for f in facts] == [
        ([1, 2], True, 0, []),
        (None, False, 0, []),
        ([0, 1], False, 1, ["d0"]),
    ]


def test_the_words_name_the_objectives():
    desk = Desk(source_of([[1, 2], [2, 1]], objectives=["strength (MPa)", "price (EUR)"], minimised=("price (EUR)",)))
    words = " ".join(desk.front({"first": {"degrees": 120}})["first"]["words"])
    assert "strength (MPa)" in words
    assert "price (EUR)" in words
    assert "objective 1" not in words
    assert "objective 2" not in words


def test_ranges_are_those_of_all_designs_and_large_fronts_are_drawn_evenly():
    values = np.column_stack([np.linspace(0, 1, 4000), np.linspace(5, 3, 4000)])
    desk = Desk(source_of(values))
    assert desk.start({})["ranges"] == [[0, 1], [3, 5]]
    points = desk.front({"first": {"degrees": 90}})["first"]["points"]
    assert len(points["index"]) == answers.DRAWN
    steps = np.diff(points["index"])
    assert (points["index"][0], points["index"][-1]) == (0, 3999)
    assert steps.min() >= 2
    assert steps.max() <= 3
