"""`conewise budget`: the paper's number and ours, and one line for what is no question."""

from __future__ import annotations

import json

import pytest
from shared.commandline import refused, run

GOOD = "name,cost,speed\na,1,2\nb,2,3\nc,3,1\n"
BUDGET = {"--designs": "5", "--epsilon": "0.1", "--delta": "0.05"}


@pytest.fixture
def designs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "designs.csv"
    path.write_text(GOOD, encoding="utf-8")
    return path


def budget_with(**changes: str) -> list[str]:
    options = BUDGET | {f"--{name}": value for name, value in changes.items()}
    return ["budget", *(word for pair in options.items() for word in pair)]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sigma": "0"}, "sigma must be above 0 and finite, got 0.0; it is a standard deviation, not a variance"),
        ({"sigma": "-2"}, "sigma must be above 0"),
        ({"sigma": "nan"}, "sigma must be above 0 and finite"),
        ({"epsilon": "0"}, "epsilon must be above 0, got 0"),
        ({"epsilon": "-0.1"}, "epsilon must be above 0, got -0.1"),
        ({"epsilon": "inf"}, "epsilon must be finite"),
        ({"epsilon": "1e-300"}, "the budget exceeds 5e+18 evaluations in all; raise epsilon"),
        ({"epsilon": "small"}, "'small' is not a valid float"),
        ({"delta": "0"}, "delta must lie strictly between 0 and 1, got 0"),
        ({"delta": "1"}, "delta must lie strictly between 0 and 1, got 1"),
        ({"delta": "1.5"}, "delta must lie strictly between 0 and 1"),
        ({"designs": "1"}, "--designs must be at least 2: a single design is the Pareto set"),
        ({"designs": "0"}, "--designs must be at least 1"),
        ({"designs": "2.5"}, "'2.5' is not a valid integer"),
        ({"noise": "cauchy"}, "'cauchy' is not one of"),
        ({"noise": "bounded"}, "bounded noise needs --low and --high"),
        ({"noise": "bounded", "low": "1", "high": "0"}, "low must be below high"),
        ({"noise": "bounded", "low": "0", "high": "1", "sigma": "3"}, "--sigma says nothing of bounded noise"),
        ({"low": "1"}, "--low and --high belong to --noise bounded"),
        ({"cone": "planar:200"}, "200"),
    ],
    ids=str,
)
def test_bad_budgets_are_one_line(capsys, changes, words):
    assert words in refused(capsys, *budget_with(**changes))


def test_a_bad_constant_is_one_line(capsys):
    assert "c must be above 0, got 0" in refused(capsys, *budget_with(), "-c", "0")


def test_an_epsilon_beyond_all_noise_needs_one_evaluation(capsys):
    code, out, err = run(capsys, *budget_with(epsilon="1e300"), "--json")
    assert (code, err) == (0, "")
    assert {row["each"] for row in json.loads(out)["budgets"]} == {1}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"designs": "9" * 400}, "--designs must be at most 4611686018427387904, got a number of about 400 digits"),
        ({"designs": "4611686018427387904"}, "the budget exceeds 5e+18 evaluations in all"),
        ({"epsilon": "1e-200"}, "the budget exceeds 5e+18 evaluations in all; raise epsilon"),
        ({"sigma": "1e300"}, "sigma must lie between 1e-100 and 1e+100; change the units"),
        ({"noise": "bounded", "low": "-1e308", "high": "1e308"}, "high - low must lie between"),
        ({"noise": "bounded", "low": "0", "high": "1e308"}, "high - low must lie between 1e-100 and 1e+100; change"),
        ({"cone": "planar:0.0002", "epsilon": "1e-9"}, "the budget exceeds"),
    ],
    ids=str,
)
def test_budgets_beyond_reason_are_refused(capsys, changes, words):
    assert words in refused(capsys, *budget_with(**changes))
