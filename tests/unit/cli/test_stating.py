"""Statements as options: collected in their text forms, and designs by name only where one is preferred."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from conewise.cli.stating import designs_named, stated, stating
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


def test_designs_are_read_where_one_is_preferred_and_only_there(tmp_path):
    path = tmp_path / "designs.csv"
    path.write_text("name,a,b\nx,1,2\ny,2,1\n", encoding="utf-8")
    assert answer(str(path), "--never", "a")[-1] == "[]"
    assert answer(str(path), "--prefer", "x > y")[-1] == "['x', 'y']"
