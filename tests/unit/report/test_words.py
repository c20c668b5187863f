"""A cone in words: exchange rates, weightings, names in place of numbers."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import conewise as cw
from conewise.cli.main import commands
from conewise.digits import rounded_up
from conewise.report.words import describe, weightings


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("orthant:1", ["Larger is better."]),
        ("[[-1]]", ["Smaller is better."]),
        (
            "orthant:3",
            ["under each of 3 weightings of the 3 objectives", "the classical componentwise order", "beta = 1"],
        ),
        (
            "planar:135",
            ["Wider than the componentwise order", "between 29.3 % and 70.7 %", "enough for all means (beta = 1)"],
        ),
        ("planar:45", ["Narrower than the componentwise order", "up to 2 times as many evaluations", "beta = 1.41421"]),
        (
            "[[1,0.2],[-0.5,1]]",
            ["Neither wider nor narrower", "A loss of 1 in objective 1", "at least 5 in objective 2"],
        ),
        ("[[1,3],[3,1]]", ["A loss of 1 in objective 2 is accepted for a gain of at least 3 in objective 1"]),
        ("ranked:3", ["objective 1 between 33.3 % and 100 %", "objective 3 between 0 % and 33.3 %"]),
    ],
)
def test_a_cone_in_words(spec, expected):
    lines = describe(cw.Cone.parse(spec))
    for words in expected:
        assert any(words in line for line in lines), lines
    assert all(line.endswith(".") and "\n" not in line for line in lines)


@pytest.mark.parametrize("degrees", [20, 60, 89, 91, 120, 160])
def test_the_exchange_rate_in_words_is_the_cones_own(degrees):
    """A loss of 1 for a gain of r is just accepted: (r, -1) lies on the edge of the cone."""
    cone = cw.Cone.planar(degrees)
    rates = [line for line in describe(cone) if line.startswith("A loss")]
    assert len(rates) == (2 if degrees > 90 else 0)
    for line in rates:
        rate = float(line.split("at least ")[1].split()[0])
        assert cone.contains([1.001 * rate, -1.0])
        assert not cone.contains([0.999 * rate, -1.0])


@pytest.mark.parametrize("rays", [[[1, -0.1], [1, -0.5]], [[-0.5, 1], [-0.1, 1]], [[2, -1], [-1, 2]]])
def test_an_exchange_rate_is_a_least_or_a_most_one(rays):
    """A cone may lie wholly on the side of losses; there a gain can be too large, not only too small."""
    cone = cw.Cone.from_rays(rays)
    rates = [line for line in describe(cone) if line.startswith("A loss")]
    assert len(rates) == 2
    for line in rates:
        words = line.rstrip(".").split()
        lost, won = int(words[words.index("is") - 1]) - 1, int(words[-1]) - 1
        rate = float(words[-4])
        more, less = np.empty(2), np.empty(2)
        more[[won, lost]], less[[won, lost]] = (1.001 * rate, -1), (0.999 * rate, -1)
        assert cone.contains(more) == ("at least" in line)
        assert cone.contains(less) == ("at most" in line)


def test_a_rate_in_words_holds_and_one_that_was_stated_is_said_as_it_was():
    """13000 / 75 is 173.33...: a fall of 173.3 would not be enough."""
    said = cw.Preferences(["price", "power"], minimise=["price"])
    for power, rate in ((75, 173.4), (100, 130), (10, 1300)):
        cone = said.accepts(give={"power": power}, get={"price": 13_000}).cone
        lines = describe(cone, ["price", "power"], ["price"])
        assert f"A fall of 1 in power is accepted for a fall of at least {rate:g} in price." in lines
    assert "at most 1.999 in" in describe(cw.Cone.from_rays([[1, -0.5002], [1, -0.9]]))[2]  # 1.9992


@pytest.mark.parametrize("degrees", [100, 120, 160])
def test_named_exchanges_go_the_way_the_objectives_are_measured(degrees):
    """Strength should be large and price small, so a gain of strength is a rise and a gain of price a fall."""
    cone = cw.Cone.planar(degrees)
    named = describe(cone, ["strength", "price"], ["price"])
    rate = rounded_up(np.tan(np.radians(degrees / 2 - 45)) ** -1, 4)
    assert f"A rise of 1 in price is accepted for a rise of at least {rate:g} in strength." in named
    assert f"A fall of 1 in strength is accepted for a fall of at least {rate:g} in price." in named
    assert named[0].endswith("weightings of strength and price.")
    assert named[-1] == "For price less is better, so a gain there is a decrease."
    assert not any("objective 1" in line or "objective 2" in line for line in named)


@pytest.mark.parametrize(
    "spec", ["orthant:1", "[[-1]]", "ranked:3", "planar:45", "importance:0.1,5", "[[1,0.2],[-0.5,1]]"]
)
def test_names_take_the_place_of_numbers(spec):
    cone = cw.Cone.parse(spec)
    names = [f"<n{d}>\n" for d in range(cone.dim)]
    plain, named = describe(cone), describe(cone, names)
    assert len(plain) == len(named)
    assert not any("objective 1" in line for line in named)
    assert all("\n" not in line and line.endswith(".") for line in named)  # no name breaks a line
    assert sum("<n0>" in line for line in named) >= 1
    with pytest.raises(cw.InputError, match="names for them"):
        describe(cone, [*names, "one more"])


@pytest.mark.parametrize("spec", ["planar:120", "ranked:3", "[[1,-2,4],[4,1,-2],[-2,4,1]]", "[[1,0],[3,4]]"])
def test_a_weighting_in_words_gives_the_score(spec):
    """Read back as a sum over the values as they are measured, minimised ones with their own sign."""
    cone = cw.Cone.parse(spec)
    names = [f"n{d}" for d in range(cone.dim)]
    measured = np.random.default_rng(0).normal(size=cone.dim)
    turned = measured * [-1, *[1] * (cone.dim - 1)]
    for text, score in zip(weightings(cone, names, ["n0"]), cone.facets @ turned, strict=True):
        total = 0.0
        for term in text.replace(" − ", " + −").split(" + "):
            size, name = (term.lstrip("−").rpartition(" ")[0] or "1"), term.lstrip("−").rpartition(" ")[2]
            total += (-1 if term.startswith("−") else 1) * float(size) * measured[int(name[1:])]
        assert total == pytest.approx(score, abs=0.01)


def test_a_long_weighting_is_cut():
    (text, *_) = weightings(cw.Cone.importance(0.05, dim=7), list("abcdefg"))
    assert text == "0.985 a + 0.0704 b + 0.0704 c + 0.0704 d and 3 smaller terms"


def test_the_command_line_uses_names_as_well(tmp_path):
    words = ["cone", "[[1,1],[1,9]]", "--objectives", "strength,price", "--minimise", "price"]
    shown = CliRunner().invoke(commands, [*words, "--json", "--plot", str(tmp_path / "cone.svg")])
    assert json.loads(shown.stdout)["words"] == describe(cw.Cone([[1, 1], [1, 9]]), ["strength", "price"], ["price"])
    assert (tmp_path / "cone.svg").exists()
    table = CliRunner().invoke(commands, [*words, "--details"]).stdout
    assert "strength" in table.split("Facets")[1]
    ranked = CliRunner().invoke(commands, ["cone", "ranked", "--objectives", "a,b,c", "--json"])
    assert json.loads(ranked.stdout)["dim"] == 3
    for mistake, sentence in (
        (["--minimise", "price"], "give their names with --objectives"),
        (["--objectives", "a,b,c"], "2 objectives, but there are 3"),
        (["--objectives", "a,b", "--minimise", "c"], "not among the objectives"),
    ):
        refused = CliRunner().invoke(commands, ["cone", "planar:90", *mistake])
        assert isinstance(refused.exception, cw.InputError)
        assert sentence in str(refused.exception)


def test_with_units_exchanges_are_amounts():
    said = cw.Preferences([cw.Objective("price", "min", unit=1000), cw.Objective("power", unit=10)])
    cone = said.accepts(give={"price": 500}, get={"power": 20}).cone
    lines = describe(cone, ["price", "power"], ["price"], [1000.0, 10.0])
    assert "A rise of 1000 in price is accepted for a rise of at least 40 in power." in lines
    assert any(line.endswith("of the weight, counted in steps.") for line in lines)
