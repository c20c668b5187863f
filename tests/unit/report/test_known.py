"""A report of a front: exact values, levels, what was said."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import conewise as cw
from conewise.cli.main import commands
from conewise.report.answer import answer
from conewise.report.known import of_front
from conewise.report.markdown import markdown_page
from conewise.report.page import html_page

CARS = [
    {"name": "a", "price (EUR)": 9000, "power": 80},
    {"name": "b", "price (EUR)": 8000, "power": 90},
    {"name": "c", "price (EUR)": 12000, "power": 130},
    {"name": "d", "price (EUR)": 30000, "power": 190},
]


def test_every_design_says_who_beats_it_and_by_how_much():
    price = cw.Objective("price (EUR)", "min", unit=500, level=20_000)
    data = answer(of_front(CARS, objectives=[price, "power"]))
    assert data["headline"]["take"] == "Take b or c."
    assert data["headline"]["worth"].startswith("Every value is taken as exact")
    assert data["certificate"]["answered"]
    rows = {row["name"]: row for row in data["rows"]}
    assert list(rows) == ["b", "c", "a", "d"]
    assert (rows["a"]["standing"], rows["a"]["why"]) == ("beaten by b", "1000 EUR less price, 10 more power")
    assert (rows["d"]["standing"], rows["d"]["why"]) == ("misses a level", "price (EUR) <= 20000")
    assert rows["a"]["means"] == [9000, 80]
    assert {rival["relation"] for row in data["rows"] for rival in row["rivals"]} <= {"better", "not better"}
    assert data["next_words"] == "Nothing has to be evaluated: every value is known."
    json.dumps(data, allow_nan=False)


def test_what_was_said_of_exchanges_stands_in_the_report():
    said = cw.Preferences([cw.Objective("price (EUR)", "min"), "power"]).accepts(
        give={"price (EUR)": 4000}, get={"power": 30}
    )
    subject = of_front(CARS, said.cone, objectives=["price (EUR)", "power"], minimise=["price (EUR)"])
    for text in (html_page(subject), markdown_page(subject)):
        assert "4000 price" in text.replace("\\", "")
        assert "Take c" in text


def test_a_name_that_stands_twice_is_refused_as_front_refuses_it(tmp_path):
    path = tmp_path / "cars.csv"
    path.write_text("name,price,power\nx,9,80\nx,8,70\ny,7,60\n")
    words = "cars.csv has two designs called 'x'; a name is a design's identity"
    for command in (["front", str(path)], ["report", str(path), "--known", "-o", str(tmp_path / "cars.html")]):
        done = CliRunner().invoke(commands, command)
        assert isinstance(done.exception, cw.InputError)
        assert words in str(done.exception)
    assert not (tmp_path / "cars.html").exists()
    with pytest.raises(cw.InputError, match="two designs called 'a'"):
        of_front([*CARS, CARS[0]], objectives=["power"])


def test_the_command_reports_known_values(tmp_path):
    path = tmp_path / "cars.csv"
    path.write_text("name,price,power\n" + "\n".join(f"{c['name']},{c['price (EUR)']},{c['power']}" for c in CARS))
    options = ("report", str(path), "--known", "--minimise", "price", "--level", "price<=20000", "--json")
    (tmp_path / "shortlist.csv").write_text("design,price,power,pareto\nc,12000,130,yes\n")
    done = CliRunner().invoke(commands, [*options, "--shortlist", str(tmp_path / "shortlist.csv")])
    data = json.loads(done.stdout)
    assert data["headline"]["take"] == "Take c or b."
    assert data["shortlist"] == ["c"]
    for words, message in (
        (("--epsilon", "1"), "--epsilon is for measurements; known values have no noise."),
        (("--shortlist", "x"), "no design is called that"),
    ):
        refused = CliRunner().invoke(commands, [*options, *words])
        assert message in str(refused.exception)


def test_known_values_that_are_taken_for_measurements_are_pointed_to_the_front(tmp_path):
    path = tmp_path / "cars.csv"
    path.write_text("name,price,power\n" + "\n".join(f"{c['name']},{c['price (EUR)']},{c['power']}" for c in CARS))
    done = CliRunner().invoke(commands, ["report", str(path), "--minimise", "price", "--json"])
    assert json.loads(done.stdout)["headline"]["take"] == (
        "Nothing is decided yet: all 4 designs are in question. Each was evaluated once: if these are known values, "
        "say --known, or use conewise front."
    )
    done = CliRunner().invoke(commands, ["analyse", str(path), "--minimise", "price"])
    assert "Where the values are known and no measurements, `front` has their Pareto set." in done.stdout


def test_designs_of_which_none_is_acceptable():
    price = cw.Objective("price (EUR)", "min", level=1)
    data = answer(of_front(CARS, objectives=[price, "power"]))
    assert data["headline"]["take"] == "Take none of the 4 designs: each of them misses a level."
    assert html_page(of_front(CARS, objectives=[price, "power"]))


@pytest.mark.parametrize("dim", [1, 3, 5])
def test_any_number_of_objectives(dim):
    table = [{"name": str(k), **{f"o{d}": (k * (d + 3)) % 7 for d in range(dim)}} for k in range(6)]
    assert "<h1" in html_page(of_front(table))
