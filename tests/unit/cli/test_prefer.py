"""The command that asks, and statements on the command line."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import conewise as cw
from conewise.cli.main import commands

CARS = "name,price,speed,comfort\nA,100,10,3\nB,120,14,4\nC,90,8,5\nD,200,30,2\nE,150,22,3\nF,300,31,9\n"


@pytest.fixture
def cars(tmp_path):
    path = tmp_path / "cars.csv"
    path.write_text(CARS, encoding="utf-8")
    return path


def test_the_command_asks_until_nothing_changes_and_prints_the_cone(cars):
    told = CliRunner().invoke(commands, ["prefer", str(cars), "--minimise", "price"], input="1\n1\n1\n1\n1\n1\n1\n")
    assert told.exit_code == 0
    assert "1 of 6 designs remains" in told.stdout
    cone = cw.Cone.parse(told.stdout.split("--cone '")[1].split("'")[0])
    assert cone.dim == 3


def test_an_objective_is_whatever_an_option_names(cars):
    words = ["prefer", str(cars), "--objectives", "speed", "--minimise", "price", "--unit", "comfort=1"]
    told = CliRunner().invoke(commands, [*words, "--questions", "0", "--json"])
    assert [o["name"] for o in json.loads(told.stdout)["preferences"]["objectives"]] == ["speed", "price", "comfort"]


def test_answers_can_be_taken_back_and_questions_limited(cars):
    runner = CliRunner()
    told = runner.invoke(commands, ["prefer", str(cars), "--minimise", "price", "--json"], input="1\nu\nq\n")
    said = json.loads(told.stdout)
    assert said["said"] == []
    assert said["preferences"]["statements"] == []
    told = runner.invoke(
        commands, ["prefer", str(cars), "--minimise", "price", "--questions", "1", "--json"], input="maybe\n2\n1\n"
    )
    assert len(json.loads(told.stdout)["said"]) == 1


def test_measurements_are_no_designs_and_large_values_are_shown_whole(cars, tmp_path):
    repeated = tmp_path / "repeated.csv"
    repeated.write_text("design,cost\nA,1\nA,2\n", encoding="utf-8")
    told = CliRunner().invoke(commands, ["prefer", str(repeated)])
    assert "repeated.csv has two designs called 'A'" in str(told.exception)
    cars.write_text("name,price,speed\nA,123456789,10.25\nB,1234567890,20\n", encoding="utf-8")
    told = CliRunner().invoke(commands, ["prefer", str(cars), "--minimise", "price"], input="q\n")
    assert "  1  A: price 123456789, speed 10.25" in told.stderr
    assert "1234567890 " in told.stdout


def test_statements_on_the_command_line_count(cars):
    told = CliRunner().invoke(
        commands,
        ["prefer", str(cars), "--minimise", "price", "--accept", "10 price for 2 speed", "--prefer", "E > C", "--json"],
        input="",
    )
    found = json.loads(told.stdout)
    assert found["said"] == ["10 price for 2 speed is worth it", "E rather than C"]
    assert "C" not in [design["name"] for design in found["designs"]]


def test_every_command_takes_statements_in_units(cars):
    runner = CliRunner()
    plain = runner.invoke(commands, ["front", str(cars), "--minimise", "price", "--json"])
    stated = ["--accept", "10 price for 2 speed", "--prefer", "E > C"]
    fewer = runner.invoke(commands, ["front", str(cars), "--minimise", "price", "--json", *stated])
    names = [[design["name"] for design in json.loads(told.stdout)["designs"]] for told in (plain, fewer)]
    assert "C" in names[0]
    assert "C" not in names[1]
    units = ["--unit", "price=10", "--unit", "speed=2"]
    again = runner.invoke(commands, ["front", str(cars), "--minimise", "price", "--json", *stated, *units])
    assert [design["name"] for design in json.loads(again.stdout)["designs"]] == names[1]
    same = runner.invoke(commands, ["prefer", str(cars), "--minimise", "price", "--json", *stated, *units], input="")
    assert [design["name"] for design in json.loads(same.stdout)["designs"]] == names[1]


@pytest.mark.parametrize("command", ["analyse", "report"])
def test_measurements_are_judged_under_what_was_said(tmp_path, command):
    path = tmp_path / "measured.csv"
    rows = [f"{name},{price + k % 3},{speed + k % 2}" for k in range(12) for name, price, speed in CHEAP_AND_FAST]
    path.write_text("\n".join(["design,price,speed", *rows]), encoding="utf-8")
    asked = [command, str(path), "--objectives", "price,speed", "--minimise", "price", "--json"]
    plain = CliRunner().invoke(commands, asked)
    said = CliRunner().invoke(commands, [*asked, "--accept", "30 price for 5 speed"])
    returned = [json.dumps(json.loads(told.stdout)).count('"kept"') for told in (plain, said)]
    assert returned[1] < returned[0]
    unknown = CliRunner().invoke(commands, [*asked, "--prefer", "cheap > fast"])
    assert "values of designs are not known here: spell both out" in str(unknown.exception)


CHEAP_AND_FAST = (("cheap", 100, 10), ("fast", 200, 50), ("bad", 300, 5))
