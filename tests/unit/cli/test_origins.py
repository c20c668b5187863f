"""Tables of other programs on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from shared.commandline import run
from shared.records import LONG

from conewise.cli import origins
from conewise.cli.main import commands, main
from conewise.errors import InputError

DATA = Path(__file__).parents[2] / "data" / "readers"


@pytest.mark.parametrize(
    ("origin", "file", "words"),
    [
        ("optuna", "optuna.db", ["--epsilon", "0.5"]),
        ("sklearn", "sklearn.json", []),
        ("inspect", "inspect", []),
        ("lm-eval", "lm_eval", []),
        ("inspect", "inspect_packed", []),
        ("mlflow", "mlruns", ["--minimise", "cost"]),
        ("mlflow", "mlflow.db", ["--minimise", "cost", "--study", "ovens"]),
        ("optuna", "optuna.db", ["--study", "pipes"]),
    ],
)
def test_every_origin_is_read_by_the_command(origin, file, words):
    done = CliRunner().invoke(commands, ["analyse", str(DATA / file), "--from", origin, *words, "--json"])
    assert done.exit_code == 0, (done.output, done.exception)
    data = json.loads(done.stdout)
    assert len(data["designs"]) >= 2
    assert (data["guarantee"] is None) or origin in ("optuna", "mlflow")


def test_a_melted_table_on_the_command_line(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("model,metric,value\n" + "\n".join(f"{r['model']},{r['metric']},{r['value']}" for r in LONG))
    words = ["analyse", str(path), "--from", "melted", "--design", "model", "--minimise", "time", "--json"]
    data = json.loads(CliRunner().invoke(commands, words).stdout)
    assert data["objectives"] == ["acc", "time"]


def test_columns_of_a_melted_table_may_have_other_names(tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"{r['model']},{r['metric']},{r['value']},{k // 2}" for k, r in enumerate(LONG)]
    path.write_text("model,what,got,seed\n" + "\n".join(rows))
    words = ["analyse", str(path), "--from", "melted", "--design", "model", "--melted"]
    for columns in ("what,got", "what,got,seed"):
        data = json.loads(CliRunner().invoke(commands, [*words, columns, "--json"]).stdout)
        assert data["objectives"] == ["acc", "time"]


def test_means_with_a_count_for_each_objective_on_the_command_line(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("who,x,dx,nx,y,dy,ny\na,5,0.1,9,1,0.1,20\nb,1,0.1,9,5,0.1,20\nc,0,0.1,4,0,0.1,5\n")
    words = ["analyse", str(path), "--design", "who", "--means", "x,y", "--errors", "dx,dy", "--counts", "nx,ny"]
    done = CliRunner().invoke(commands, [*words, "--separate", "--final", "--json"])
    assert [design["status"] for design in json.loads(done.stdout)["designs"]] == ["kept", "kept", "beaten"]
    with pytest.raises(SystemExit) as caught:
        main([*words, "--final"])
    assert caught.value.code == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["optuna.db", "--from", "optuna", "--minimise", "cost"], "says itself which objectives should be small"),
        (["optuna.db", "sklearn.json", "--from", "optuna"], "--from optuna reads one file or folder, got 2"),
        (["sklearn.json", "--from", "optuna"], "is not a storage of Optuna"),
        (["optuna.db", "--from", "optuna", "--study", "x"], "optuna.db has no study 'x'; it has pipes"),
        (["mlflow.db", "--from", "mlflow", "--study", "x"], "mlflow.db has no experiment 'x'; it has ovens"),
        (["sklearn.json", "--from", "sklearn", "--study", "x"], "it goes with --from optuna or mlflow"),
        (["sklearn.json", "--melted", "a,b"], "it goes with --from melted"),
        (["sklearn.json", "--from", "melted", "--melted", "a"], "--melted names two or three columns"),
    ],
)
def test_what_the_command_cannot_read_is_one_line(capsys, monkeypatch, words, said):
    monkeypatch.chdir(DATA)
    with pytest.raises(SystemExit) as caught:
        main(["analyse", *words])
    assert caught.value.code == 2
    text = capsys.readouterr().err
    assert said in text
    assert text.count("\n") == 1


def test_what_to_measure_next_names_the_objective_where_these_are_measured_separately(tmp_path):
    path = tmp_path / "t.csv"
    cells = [(who, what, k) for who in "ab" for what in ("x", "y") for k in range(5)]
    path.write_text("design,metric,value\n" + "\n".join(f"{who},{what},{k % 3}" for who, what, k in cells))
    words = ["analyse", str(path), "--from", "melted", "--separate", "--noise", "gaussian:1", "--plan", "3"]
    plan = json.loads(CliRunner().invoke(commands, [*words, "--json"]).stdout)["plan"]
    assert sum(step["times"] for step in plan) == 2  # up to the next look
    assert {(step["name"], step["objective"]) for step in plan} <= {(who, what) for who, what, _ in cells}
    assert "Next 2 measurements, up to the next look: " in CliRunner().invoke(commands, words).stdout
    assert "What to evaluate next is not planned here." in CliRunner().invoke(commands, [*words, "--final"]).stdout


@pytest.mark.parametrize(("origin", "argument"), [("mlflow", "experiment"), ("optuna", "name")])
def test_one_of_several_studies_is_asked_for_by_its_option(origin, argument, monkeypatch):
    def several(*_, **__):
        raise InputError(f"there are two; name one with `{argument}`.")

    monkeypatch.setattr(origins, origin, several)
    with pytest.raises(InputError, match="there are two; name one with --study"):
        origins.Origin(origin).read([Path("kept.db")], [], [], None)


@pytest.mark.parametrize(
    ("origin", "file", "words"),
    [
        ("optuna", "optuna.db", ["--design", "kind"]),
        ("sklearn", "sklearn.json", ["--incomplete", "skip"]),
        ("inspect", "inspect", ["--means", "match"]),
        ("lm-eval", "lm_eval", ["--counts", "n"]),
        ("mlflow", "mlruns", ["--deviations", "sd"]),
        ("melted", "sklearn.json", ["--errors", "se"]),
    ],
)
def test_options_that_describe_a_table_of_ones_own_are_not_ignored(origin, file, words, capsys):
    for command in (["analyse"], ["report", "--json"]):
        with pytest.raises(SystemExit) as ended:
            main([*command, str(DATA / file), "--from", origin, *words])
        assert ended.value.code == 2
        said = f"{words[0]} describes a table of your own; with --from {origin} leave it out."
        assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("header", "options", "words"),
    [
        ("design,a", ["--objectives", "a", "--separate"], "no row is left out for what it lacks"),
        ("design,a_mean,a_se,n", ["--final"], "no single evaluations to leave out"),
    ],
)
def test_rows_are_skipped_only_where_each_is_an_evaluation(tmp_path, capsys, header, options, words):
    path = tmp_path / "t.csv"
    path.write_text(f"{header}\nx,1,1,9\ny,2,1,9\n" if "n" in header.split(",") else f"{header}\nx,1\ny,2\n")
    code, _, said = run(capsys, "analyse", str(path), *options, "--incomplete", "skip")
    assert code == 2
    assert f"{words}: leave --incomplete skip out" in said
