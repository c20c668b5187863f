"""The text form and the dictionary of a cone: what is written can be read, what cannot be read is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from shared.cones import named_cones, random_cone, uneven_choice

import conewise as cw
from conewise import Cone, ConeError

SAID = {
    "orthant:3": Cone.orthant(3),
    "planar:135": Cone.planar(135),
    "planar:22.5": Cone.planar(22.5),
    "importance:0.29": Cone.importance(0.29),
    "importance:0.2,3": Cone.importance(0.2, dim=3),
    "importance:0.0,3": Cone.importance(0, dim=3),
    "ranked:3": Cone.ranked(3),
    "ice_cream:60.0,12": Cone.ice_cream(60, facets=12),
    "exchange:[[1,2],[2,1]]": Cone.exchange([[1, 2], [2, 1]]),
    "[[2,1],[1,2]]": Cone([[2, 1], [1, 2]]),
    "[[0.1,1],[1,-0.25]]": Cone([[0.1, 1], [1, -0.25]]),
}


@pytest.mark.parametrize("text", SAID)
def test_text_forms_are_read_and_written_alike(text):
    cone = Cone.parse(text)
    assert cone == SAID[text]
    assert cone.text == str(cone) == text
    assert SAID[text].text == text


@pytest.mark.parametrize(
    "cone",
    [
        *named_cones(),
        Cone.planar(1 / 3),
        Cone.importance(1e-7),
        Cone([[1e-9, 1], [1e20, -1]]),
        Cone([[1 / 3, 1], [1, 0]]),
    ],
    ids=str,
)
def test_round_trips(cone):
    for other in (
        Cone.parse(cone.text),
        Cone.from_dict(cone.to_dict()),
        Cone.from_dict(json.loads(json.dumps(cone.to_dict()))),
    ):
        assert other == cone
        assert other.text == cone.text
        assert repr(other) == repr(cone)
        assert other.facets.tobytes() == cone.facets.tobytes()


def test_round_trips_of_random_cones_compare_designs_alike():
    rng = np.random.default_rng(8)
    for _ in range(10):
        cone = random_cone(rng, 3, 5)
        points = rng.integers(0, 4, size=(300, 3)) / 3
        for other in (Cone.parse(cone.text), Cone.from_dict(json.loads(json.dumps(cone.to_dict())))):
            np.testing.assert_array_equal(cw.pareto_mask(points, other), cw.pareto_mask(points, cone))


def test_facets_too_close_for_rows_are_written_as_rays_that_compare_designs_alike():
    cone = uneven_choice()
    again = Cone.parse(cone.text)
    assert again.facets.tobytes() == cone.facets.tobytes()
    assert again.contains(np.eye(5)).all()


def test_every_gain_counts_to_the_last_bit_where_rays_say_so():
    rng = np.random.default_rng(3)
    for _ in range(20):
        cone = Cone.from_rays(np.vstack([np.eye(4), rng.normal(size=(3, 4)) + 1]))
        assert cone.contains(np.eye(4)).all()


def test_rays_can_be_written_as_text():
    assert Cone.parse("rays:[[1,0],[1,1]]") == Cone.from_rays([[1, 0], [1, 1]])


@pytest.mark.parametrize(
    ("text", "dim", "cone"),
    [
        ("orthant", 3, Cone.orthant(3)),
        ("ranked", 4, Cone.ranked(4)),
        ("importance:0.2", 3, Cone.importance(0.2, dim=3)),
        ("planar:135", 2, Cone.planar(135)),
        (" PLANAR : 135 ", None, Cone.planar(135)),
        ("ice-cream:60", None, Cone.ice_cream(60)),
        ("planar:+1.35e2", None, Cone.planar(135)),
        ("orthant:3.0", None, Cone.orthant(3)),
        ("ice_cream:60, 12", None, Cone.ice_cream(60)),
    ],
)
def test_what_is_known_or_spelled_differently(text, dim, cone):
    assert Cone.parse(text, dim=dim) == cone


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "text form was expected, such as planar:135"),
        ("   ", "text form was expected"),
        (None, "text form was expected"),
        (135, "text form was expected"),
        ("circle:3", "no cone is called 'circle'; write one of orthant, planar"),
        ("planar", "planar:135 .an angle in degrees.; write it that way"),
        ("planar:", "planar:135"),
        ("planar:135.0,2", "planar:135"),
        ("planar:wide", "'wide' is not a number; planar is written planar:135"),
        ("planar:nan", "'nan' is not a number"),
        ("planar:inf", "'inf' is not a number"),
        ("planar:1_35", "'1_35' is not a number"),
        ("planar:１３５", "is not a number"),
        ("planar:270", "degrees must lie strictly between 0 and 180"),
        ("orthant", "orthant:3 .the number of objectives."),
        ("orthant:2.5", "dim must be a whole number"),
        ("ranked:0", "dim must be at least 1"),
        ("importance:", "importance:0.29 or importance:0.2,3"),
        ("importance:0.6", "choose a smaller share"),
        ("importance:0.2,3,4", "importance:0.2,3"),
        ("ice_cream:60.0,2", "facets must be at least 3"),
        ("[1,2]", r"rows such as \[\[2,1\],\[1,2\]\] were expected"),
        ("[[1,2]", "rows such as"),
        ('[[1,"a"],[0,1]]', "rectangular array of real numbers"),
        ("[[1,2],[3]]", "rows of unequal length"),
        ("[[NaN,1],[0,1]]", "NaN or infinity in row 0"),
        ("[[1,1]]", "not pointed"),
        ("exchange:", "exchange needs its matrix"),
        ("exchange:[[1,0.5],[1,1]]", "arbitrage"),
        ("rays:[[1,0]]", "add a ray"),
        ("[" * 5000, "rows such as"),
        ("planar:" + "1" * 200_000, "100000 characters"),
    ],
)
def test_bad_text_is_refused_with_the_right_form(text, words):
    with pytest.raises(ConeError, match=words) as caught:
        Cone.parse(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "one", "two"),
    [
        ("importance:0,2", "importance:0.2", "importance:0.0,2"),
        ("importance:0,29", "importance:0.29", "importance:0.0,29"),
        ("ice_cream:60,12", "ice_cream:60.12", "ice_cream:60.0,12"),
        ("planar:112,5", "planar:112.5", "planar:112.0,5"),
        ("orthant:2,5", "orthant:2.5", "orthant:2.0,5"),
    ],
)
@pytest.mark.parametrize("dim", [None, 2, 3])
def test_a_comma_that_could_be_a_decimal_one_is_refused_with_both_spellings(text, one, two, dim):
    with pytest.raises(cw.InputError) as caught:
        Cone.parse(text, dim=dim)
    assert str(caught.value) == f"{text!r} could mean one number or two; write {one}, or {two} for two."


def test_stored_cones_of_two_whole_numbers_are_still_read():
    for cone, before in ((Cone.ice_cream(60), "ice_cream:60,12"), (Cone.importance(0, dim=3), "importance:0,3")):
        again = Cone.from_dict(cone.to_dict() | {"text": before})
        assert again == cone
        assert again.text == cone.text
    stored = {"objectives": ["a", "b", "c"], "statements": ["cone: importance:0,3"]}
    assert cw.Preferences.from_dict(stored).cone == Cone.orthant(3)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, 'needs the key "rows"'),
        ([], 'needs the key "rows"'),
        (None, 'needs the key "rows"'),
        ({"rows": None}, "W must have shape"),
        ({"rows": [[1, 0], [0, 1]], "text": "planar:135"}, "its rows describe another; remove one of the two"),
        ({"rows": [[1, 0], [0, 1]], "text": "circle"}, "no cone is called"),
        ({"rows": [[1, 0], [0, 1]], "text": 5}, "text form was expected"),
        ({"rows": [[1, 1]]}, "not pointed"),
    ],
)
def test_bad_dictionaries_are_refused(data, words):
    with pytest.raises(ConeError, match=words):
        Cone.from_dict(data)


def test_a_dictionary_is_plain_data():
    for cone in named_cones():
        data = cone.to_dict()
        assert json.loads(json.dumps(data)) == data
        assert set(data) <= {"rows", "text"}


@pytest.mark.parametrize(
    ("cone", "text"),
    [
        (Cone.planar(135), "Cone.planar(135)"),
        (Cone.importance(0.29), "Cone.importance(0.29, dim=2)"),
        (Cone.importance(0.2, dim=3), "Cone.importance(0.2, dim=3)"),
        (Cone.ranked(3), "Cone.ranked(3)"),
        (Cone.orthant(1), "Cone.orthant(1)"),
        (Cone.ice_cream(60), "Cone.ice_cream(60, facets=12)"),
        (Cone([[2, 1], [1, 2]]), "Cone([[2, 1], [1, 2]])"),
        (Cone(np.eye(5) + 0.1), "<Cone with 5 facets in R^5>"),
    ],
)
def test_repr_is_short_and_can_be_typed(cone, text):
    assert repr(cone) == text
    if text.startswith("Cone"):
        assert eval(text, {"Cone": Cone}) == cone
