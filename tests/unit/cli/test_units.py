"""Units on the command line, in trial.toml, and in what people read."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import conewise as cw
from conewise.cli.main import commands


@pytest.fixture
def cars(tmp_path):
    rng = np.random.default_rng(0)
    lines = ["design,price (EUR),power"]
    for k, (price, power) in enumerate([(15_000, 70), (20_000, 120), (30_000, 100)]):
        lines += [f"car {k},{p!r},{h!r}" for p, h in (rng.normal(size=(40, 2)) * [400, 4] + [price, power]).tolist()]
    path = tmp_path / "cars.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


CHOICE = ["--objectives", "price (EUR),power", "--minimise", "price (EUR)", "--epsilon", "1"]
UNITS = ["--unit", "price (EUR)=500", "--unit", "power=10"]


def run(*words, code=0, **options):
    done = CliRunner().invoke(commands, [str(word) for word in words], **options)
    assert done.exit_code == code, (done.output, done.exception)
    return done


def test_epsilon_is_said_in_steps_and_in_the_users_units(cars):
    text = run("analyse", cars, *CHOICE, *UNITS).stdout
    assert "at epsilon = 1 step (price 500 EUR, power 10)" in text
    data = json.loads(run("analyse", cars, *CHOICE, *UNITS, "--json").stdout)
    assert data["units"] == {"price (EUR)": 500.0, "power": 10.0}
    assert data["designs"][0]["means"]["price (EUR)"] == pytest.approx(15_000, rel=0.02)


def test_columns_of_different_spread_get_one_sentence(cars):
    lines = json.loads(run("analyse", cars, *CHOICE, "--json").stdout)["explanations"]
    assert [line for line in lines if "--unit 'price (EUR)=2000' --unit power=5" in line] == [
        line for line in lines if "--unit" in line
    ]
    assert sum("--unit" in line for line in lines) == 1
    calm = json.loads(run("analyse", cars, *CHOICE[:-2], "--json").stdout)["explanations"]
    assert not any("--unit" in line for line in calm)  # the orthant at epsilon 0 weighs nothing


def test_standard_input_is_analysed(cars):
    text = cars.read_text(encoding="utf-8")
    assert run("analyse", "-", *CHOICE, *UNITS, input=text).stdout == run("analyse", cars, *CHOICE, *UNITS).stdout


def test_units_from_noisy_values_are_no_guarantee_and_said(cars):
    data = json.loads(run("analyse", cars, *CHOICE, "--unit", "auto", "--json").stdout)
    assert data["units"] == {"price (EUR)": 2000.0, "power": 5.0}
    assert data["units_from_values"]
    assert data["guarantee"] is None
    assert data["not_guaranteed_because"].startswith("the units were taken from the values")
    told = json.loads(run("report", cars, *CHOICE, "--unit", "auto", "--json").stdout)
    assert any("taken from the values" in line for line in told["sentences"])


def test_a_report_and_its_saved_form_speak_the_users_units(cars, tmp_path):
    saved = tmp_path / "answer.json"
    run("analyse", cars, *CHOICE, *UNITS, "--out", saved)
    told = json.loads(run("report", cars, *CHOICE, *UNITS, "--json").stdout)
    again = json.loads(run("report", saved, "--json").stdout)
    for data in (told, again):
        assert [o["unit"] for o in data["compared"]] == [500, 10]
        prices = {row["name"]: row["means"]["price (EUR)"] for row in data["designs"]}
        assert prices["car 0"] == pytest.approx(15_000, rel=0.02)
        assert any("One step is price 500 EUR, power 10" in line for line in data["sentences"])
        first, second = data["geometry"]["weightings"]
        assert "price (EUR) / 500" in first
        assert "power / 10" in second
    assert again["designs"][0]["scores"] == pytest.approx(told["designs"][0]["scores"])


def test_designs_of_a_study_come_from_a_table_in_memory(tmp_path):
    columns = {"name": ["a", "b"], "temp": [20.0, 30.0], "kind": ["x", None]}
    options = {"cone": cw.Cone.orthant(1), "epsilon": 1, "delta": 0.1, "noise": cw.noise.Gaussian(1)}
    with cw.Study.create(tmp_path / "t.db", designs=columns, **options) as study:
        assert study.names == ("a", "b")
        assert study.rows[1] == {"name": "b", "temp": 30.0, "kind": None}


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_designs_of_a_study_come_from_a_frame(tmp_path, library):
    module = pytest.importorskip(library)
    columns = {"name": ["a", "b"], "temp": [20.0, None], "n": [1, 2]}
    frame = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    options = {"cone": cw.Cone.orthant(1), "epsilon": 1, "delta": 0.1, "noise": cw.noise.Gaussian(1)}
    with cw.Study.create(tmp_path / "t.db", designs=frame, **options) as study:
        assert study.rows == [{"name": "a", "temp": 20.0, "n": 1}, {"name": "b", "temp": None, "n": 2}]


def test_pictures_are_in_the_users_units():
    result = cw.analyse(
        {
            "design": ["a"] * 3 + ["b"] * 3,
            "price": [1000.0, 1100, 1050, 2000, 2100, 2050],
            "power": [1.0, 2, 3, 4, 5, 7],
        },
        objectives=[cw.Objective("price", "min", unit=500), cw.Objective("power", unit=10)],
        delta=0.1,
    ).result
    figure = result.plot()
    low, high = figure.axes[0].get_xlim()
    assert 900 < low < 1050
    assert 2000 < high < 2200
