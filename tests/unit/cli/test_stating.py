"""Statements as options: collected in their text forms, and designs by name only where one is preferred."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from shared.commandline import refused, run

from conewise.cli.main import commands
from conewise.cli.stating import designs_named, stated, stating
from conewise.studies.study import Study
from conewise.tables.shards import ShardedTable


@click.command()
@click.argument("table", required=False)
@stating
def said(table: str | None) -> None:
    for text in stated():
        click.echo(text)
    if table is not None:
        click.echo(sorted(designs_named(ShardedTable([table]))))


def answer(*arguments: str) -> list[str]:
    done = CliRunner().invoke(said, list(arguments), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output.splitlines()


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        ([], []),
        (["--never", "price"], ["never: price"]),
        (
            ["--accept", "1 a for 2 b", "--accept", "3 b for 1 c", "--prefer", "A > B"],
            ["accept: 1 a for 2 b", "accept: 3 b for 1 c", "prefer: A > B"],
        ),
    ],
)
def test_statements_are_handed_on_as_texts_in_order(arguments, texts):
    assert answer(*arguments) == texts


def every_command(group=commands, path=()):
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from every_command(command, (*path, name))
        else:
            yield " ".join((*path, name)), {option for p in command.params for option in p.opts}


def test_every_command_that_takes_a_cone_takes_statements():
    taking = {name: options for name, options in every_command() if "--cone" in options or name == "cone"}
    assert set(taking) >= {"cone", "budget", "front", "analyse", "report", "explore", "prefer", "study add-objective"}
    asking = {"study create"}  # a file of a study says its cone
    for name, options in every_command():
        assert name not in {*taking, *asking} or options >= {"--accept", "--prefer", "--never", "--said"}, name


STEP = ["--objectives", "price,speed", "--minimise", "price", "--accept", "100 price for 1000 speed"]


@pytest.mark.parametrize(
    "words",
    [["cone"], ["cone", "ranked:speed,price"], ["budget", "--designs", "9", "--epsilon", "0.1", "--delta", "0.1"]],
)
def test_a_cone_without_a_table_is_made_of_what_is_said(words):
    done = CliRunner().invoke(commands, [*words, *STEP, "--json"], catch_exceptions=False)
    assert "100 price for 1000 speed is worth it" in json.loads(done.stdout)["said"]
    done = CliRunner().invoke(commands, [*words, *STEP], catch_exceptions=False)
    assert "100 price for 1000 speed is worth it" in done.stdout
    assert ("A rise of 1 in price is accepted for a rise of at least 10 in speed." in done.stdout) == (
        words == ["cone"]
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["cone"], "a cone was expected, such as planar:135, or objectives and what is worth it"),
        (["cone", "--accept", "1 a for 2 b"], "speaks of objectives: give their names with --objectives"),
        (["cone", "orthant:3", "--objectives", "a,b"], "orders 3 objectives, but there are 2"),
        (["cone", "orthant", "--dim", "3", "--objectives", "a,b"], "--dim says 3 objectives, and --objectives names 2"),
        (["cone", "--objectives", "a,b", "--accept", "1 a for 2 c"], "with the names a, b, got '1 a for 2 c'"),
        (
            ["cone", "--objectives", "a,b", "--accept", "1 a for 2 b", "--accept", "2 b for 0.5 a"],
            "these statements contradict each other",
        ),
        (["cone", "--objectives", "a,b", "--accept", "1 a for 2 b", "--never", "a"], "never worse in a, at any price"),
        (
            ["budget", "--accept", "1 a for 2 b", "--designs", "9", "--epsilon", "1", "--delta", "0.1"],
            "speaks of objectives",
        ),
    ],
)
def test_what_cannot_be_said_is_one_line(capsys, words, said):
    assert said in refused(capsys, *words)


def test_a_study_is_made_with_what_is_said_on_the_command_line(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for words in (["init"], ["create", "trial.toml", "--accept", "1 cost for 2 yield"]):
        code, out, _ = run(capsys, "study", *words)
        assert code == 0
    assert "yield, cost under what was said (1 cost for 2 yield is worth it), epsilon 0.5" in out
    with Study.open("trial.db", read_only=True) as study:
        assert study.cone.contains([2.0, -0.99])
        assert not study.cone.contains([-0.1, 1.0])
    added = ("add-objective", "trial.db", "noise", "--minimise", "--accept", "1 noise for 3 yield")
    assert run(capsys, "study", *added, "--noise", "gaussian:0.4,0.1,1")[0] == 0
    with Study.open("trial.db", read_only=True) as study:
        assert study.cone.said == ("1 noise for 3 yield is worth it",)


CARS = "name,price,speed\nA,100,10\nB,120,14\nC,90,8\n"


def test_what_was_said_once_is_taken_by_every_command(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("cars.csv").write_text(CARS, encoding="utf-8")
    objectives = ("--objectives", "price,speed", "--minimise", "price")
    begun = ("prefer", "cars.csv", *objectives, "--cone", "speed=40%", "--prefer", "B > C")
    said = json.loads(run(capsys, *begun, "--questions", "0", "--json")[1])
    assert said["said"] == ["of the weight speed at least 40 %", "B rather than C"]
    Path("said.json").write_text(json.dumps(said), encoding="utf-8")
    Path("plain.json").write_text(json.dumps(said["preferences"]), encoding="utf-8")
    rows = "".join(f"{name},{price},{speed + k % 2}\n" for k in range(9) for name, price, speed in [("A", 1, 2)])
    Path("runs.csv").write_text("design,price,speed\n" + rows + rows.replace("A", "B"), encoding="utf-8")
    measured = ("runs.csv", *objectives, "--epsilon", "5")
    for words in (
        ("front", "cars.csv", *objectives),
        ("prefer", "cars.csv", *objectives, "--questions", "0"),
        ("cone", *objectives),
        ("budget", *objectives, "--designs", "9", "--epsilon", "0.1", "--delta", "0.1"),
        ("analyse", *measured),
        ("report", *measured),
        ("report", "cars.csv", "--known", *objectives),
    ):
        for file in ("said.json", "plain.json"):
            code, out, err = run(capsys, *words, "--said", file, "--json")
            assert code == 0, err
            facts = json.loads(out)
            told = facts["said"] if "said" in facts else facts["geometry"]["said"]
            assert told == ["of the weight speed at least 40 %", "price=120, speed=14 rather than price=90, speed=8"]
            if words[0] == "analyse":
                Path("saved.json").write_text(out, encoding="utf-8")
                assert json.loads(run(capsys, "report", "saved.json", "--json")[1])["geometry"]["said"] == told
    assert "price' as min, and here it is max" in refused(capsys, "front", "cars.csv", "--said", "said.json")
    assert "nothing that was said" in refused(capsys, "front", "cars.csv", "--said", "cars.csv")


def test_designs_are_read_where_one_is_preferred_and_only_there(tmp_path):
    path = tmp_path / "designs.csv"
    path.write_text("name,a,b\nx,1,2\ny,2,1\n", encoding="utf-8")
    assert answer(str(path), "--never", "a")[-1] == "[]"
    assert answer(str(path), "--prefer", "x > y")[-1] == "['x', 'y']"


def test_an_analysis_is_headed_by_what_was_said(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"A,{k},{k}\nB,{k + 1},{k + 3}\n" for k in range(3))
    Path("runs.csv").write_text("design,price,speed\n" + rows, encoding="utf-8")
    words = ("runs.csv", "--objectives", "price,speed", "--minimise", "price", "--accept", "1 price for 2 speed")
    _, out, _ = run(capsys, "analyse", *words)
    assert out.startswith("6 evaluations of 2 designs under what was said (1 price for 2 speed is worth it)\n")
