"""`conewise explore`: a local page on which one tries preferences."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import numpy as np

from conewise.cli.meaning import all_named, level_option, meant_by, unit_option
from conewise.cli.options import columns, minimise_option
from conewise.cli.show import print_json
from conewise.cli.stating import designs_named, stated, stating
from conewise.dashboard.doorway import doorway
from conewise.errors import ConewiseError, InputError, from_extra, printable
from conewise.preferences.preferences import stated_cone
from conewise.problems.embedded import load
from conewise.question.objectives import as_objectives
from conewise.tables.known import take_steps_where_unequal, take_units
from conewise.tables.shards import ShardedTable

if TYPE_CHECKING:
    from conewise.dashboard.sources import Source

TOKEN: Final = "CONEWISE_EXPLORE_TOKEN"
"""Names the token of the address, so that a page goes on after the command was started again on the same port."""
_TOKENS: Final = re.compile(r"[A-Za-z0-9_-]{20,200}")
_EMBEDDED: Final = ("snw", "imrt")
_MOST_OBJECTIVES: Final = 50
_STUDIES: Final = (".db", ".sqlite", ".sqlite3")


@click.command(short_help="A local page on which to try preferences.")
@click.argument("source", metavar="FILE|STUDY")
@click.option(
    "--objectives", callback=columns, help="Columns to compare, separated by commas; all but the name by default."
)
@minimise_option
@unit_option
@level_option
@click.option("--name", help="Column that names a design; or which study, where a file or database holds several.")
@click.option("--cone", "spec", help="Text form of the cone to start with; the orthant, or the study's, by default.")
@stating
@click.option("--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="0 is any free one.")
@click.option("--no-browser", is_flag=True, help="Print the address, and open no browser.")
@click.option("--json", "as_json", is_flag=True, help="Print the address as JSON.")
def explore(
    source: str,
    objectives: list[str],
    minimise: list[str],
    units: tuple[str, ...],
    levels: tuple[str, ...],
    name: str | None,
    spec: str | None,
    port: int,
    no_browser: bool,
    as_json: bool,
) -> None:
    """Open a page on this machine: move a preference, and see at once which designs are Pareto and what it costs.

    FILE is a table with one design a row, STUDY a file or a postgresql:// address; snw and imrt are the examples of the
    paper. Nothing leaves the machine, and only those who know the printed address can look. Ctrl-C ends it.

    Example: conewise explore designs.csv --minimise cost
    """
    try:
        from conewise.dashboard.server import Explorer
        from conewise.dashboard.sources import Fixed
    except ImportError as error:
        raise ConewiseError(f"the explorer needs {error.name}: {from_extra('explore')}.") from None
    token = _token()
    found = source_named(source, objectives, minimise, name, spec, units, levels, stated())
    explorer = Explorer(_of_a_size(found), port=port, token=token)
    if as_json:
        print_json({"address": explorer.address})
    else:
        click.echo(f"Exploring {source} at {explorer.address} (Ctrl-C ends it)")
        if isinstance(found, Fixed) and not units and (steps := found.designs().meaning.stated()):
            counted = ", ".join(f"{amount:.6g} {name}" for name, amount in steps.items())
            click.echo(printable(f"Preferences count in steps of {counted}; --unit says otherwise."))
    sys.stdout.flush()
    with ExitStack() as until_the_end:
        if not no_browser:
            import webbrowser

            webbrowser.open(until_the_end.enter_context(doorway(explorer.address)).as_uri())
        try:
            explorer.run()
        except KeyboardInterrupt:
            return


def _token() -> str | None:
    """The one of the environment, which others on the machine cannot read; None for a random one."""
    token = os.environ.get(TOKEN)
    if token is not None and not _TOKENS.fullmatch(token):
        raise InputError(f"{TOKEN} must have 20 to 200 letters, digits, - or _, got {len(token)} characters.")
    return token


def _of_a_size(source: Source) -> Source:
    """Every objective is a control, an axis and a column of the page."""
    if source.cone.dim > _MOST_OBJECTIVES:
        source.close()
        raise InputError(
            f"the explorer shows up to {_MOST_OBJECTIVES} objectives, got {source.cone.dim:,}; choose columns with "
            "--objectives."
        )
    return source


def source_named(
    source: str,
    objectives: list[str],
    minimise: list[str],
    name: str | None,
    spec: str | None,
    units: tuple[str, ...] = (),
    levels: tuple[str, ...] = (),
    statements: Sequence[str | Mapping[str, Any]] = (),
) -> Source:
    """Open what the page shows: a study, an embedded example or a table."""
    from conewise.dashboard.sources import Live, from_problem, from_table, refuse_too_large

    path = Path(source)
    if "://" in source or path.suffix.lower() in _STUDIES:
        if objectives or minimise or units or levels:
            raise InputError(
                "a study knows its objectives; --objectives, --minimise, --unit and --level are for tables."
            )
        return Live(source, name=name, cone=spec, said=statements)
    if source in _EMBEDDED and not path.exists():
        if objectives or minimise or units or levels or name:
            raise InputError(
                f"{source} is an embedded example; --objectives, --minimise, --unit, --level and --name are for tables."
            )
        problem = load(source)
        columns = as_objectives(problem.objectives, problem.minimised)
        named = dict(zip(problem.names, columns.own(problem.means), strict=True))
        return from_problem(problem, stated_cone(spec, columns, statements, named))
    compared = all_named(objectives, minimise, units, levels) if objectives else None
    table = ShardedTable(path, objectives=compared, minimise=minimise, name=name)
    meaning, auto = meant_by(table.meaning, units, levels)
    table.meaning_as(meaning)
    take_units(table, "auto" if auto else None)
    if not units and spec is None:  # a cone that is given counts in the units of the other commands
        take_steps_where_unequal(table)
    named = designs_named(table) if statements else {}
    if named:  # before they are compared
        refuse_too_large(table.meaning, np.array(list(named.values())))
    return from_table(table.tables[0], stated_cone(spec, table.meaning, statements, named))
