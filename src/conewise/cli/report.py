"""`conewise report`: an answer as one file that one can send."""

from __future__ import annotations

import csv
from codecs import BOM_UTF8
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any, Final

import click

from conewise.cli.analyse import analyse_command, asked_of
from conewise.cli.meaning import all_named, meant_by
from conewise.cli.options import columns, force_option
from conewise.cli.origins import Origin
from conewise.cli.show import guarantee_data, print_json, progress_bar
from conewise.cli.stating import STATED, designs_named, stated
from conewise.errors import InputError, printable
from conewise.preferences.preferences import stated_cone
from conewise.reading import text_of
from conewise.report.answer import answer
from conewise.report.known import of_designs
from conewise.report.markdown import markdown_page
from conewise.report.page import html_page
from conewise.report.subject import Subject, of_saved, of_study, of_table
from conewise.studies.study import Study
from conewise.tables.files import check_target, write_text
from conewise.tables.known import take_units
from conewise.tables.shards import ShardedTable
from conewise.tables.spreadsheets import unguarded

_OF_ORIGINS: Final = ("origin", "study", "melted")
_OF_MODELS: Final = ("features", "model", "designs", "price", "robust", "confirm", "seed")
_OF_BLOCKS: Final = ("block", "population", "repetitions")
_OF_TABLES: Final = (
    *_OF_ORIGINS,
    "design",
    "objectives",
    "minimise",
    "units",
    "levels",
    "spec",
    *STATED,
    "said",
    "delta",
    "epsilon",
    "assumption",
    "final",
    "success",
    "max_evaluations",
    "means",
    "errors",
    "deviations",
    "counts",
    "incomplete",
    "separate",
    *_OF_BLOCKS,
    *_OF_MODELS,
    "confirm_all",
)
_OF_KNOWN: Final = ("design", "objectives", "minimise", "units", "levels", "spec", *STATED, "said")
_HTML: Final = (".html", ".htm", ".xhtml")
_MARKDOWN: Final = (".md", ".markdown")
_SQLITE: Final = b"SQLite format 3\x00"


@click.command(short_help="A report to send: one HTML or Markdown file.")
@click.argument("source", metavar="STUDY|RESULT|FILE")
@click.option("-o", "out", type=click.Path(path_type=Path, dir_okay=False), help="The file; report.html by default.")
@force_option
@click.option("--format", "form", type=click.Choice(["html", "md"]), help="By default what the file's ending says.")
@click.option("--name", help="Which study, where a file or database holds several.")
@click.option("--title", help="The report's title; by default the name of the study or file.")
@click.option(
    "--shortlist",
    callback=columns,
    metavar="NAMES",
    help="Designs to show side by side: names separated by commas, or the file that the explorer saved them in.",
)
@click.option("--known", is_flag=True, help="FILE holds known values, one design a row: a report of its Pareto set.")
@click.option("--json", "as_json", is_flag=True, help="Print the report's numbers as JSON instead.")
@click.pass_context
def report(
    context: click.Context,
    /,
    source: str,
    out: Path | None,
    force: bool,
    form: str | None,
    name: str | None,
    title: str | None,
    shortlist: list[str],
    as_json: bool,
    **options: Any,
) -> None:
    """One self-contained file: what to take and what that is worth, why, what to evaluate next, how sure, the theory.

    STUDY is a study's file or postgresql:// address; RESULT is the JSON that `conewise analyse --json` printed; FILE is
    a table of measurements, for which the options of `conewise analyse` hold, what another program wrote (--from), or
    with --known a table of known values. The HTML page opens without a network.

    Example: conewise report trial.db -o report.html
    """
    if as_json:
        _refuse(context, ["out", "form", "force"], "a file; --json prints the numbers")
    kind = form or ("html" if out is None else _kind(out))
    out = out if out is not None else Path(f"report.{kind}")
    inputs = () if "://" in source else (source,)
    if not as_json:
        check_target(out, inputs=inputs, force=force)
    subject = _subject(context, source, name, title, options, quiet=as_json).with_shortlist(_names(shortlist))
    if as_json:
        print_json(_data(subject))
        return
    page = (html_page if kind == "html" else markdown_page)(subject, made=datetime.now(UTC).date())
    write_text(out, [page], inputs=inputs, force=force)
    click.echo(printable(f"Written to {out}."), err=True)


report.params += [parameter for parameter in analyse_command.params if parameter.name in _OF_TABLES]


def _data(subject: Subject) -> dict[str, Any]:
    """The report's numbers, under the names that every command has for them."""
    data = answer(subject)
    names = [o.name for o in subject.meaning.each]
    geometry = data.pop("cone")
    return {
        "title": data.pop("title"),
        "n_designs": data.pop("designs"),
        "objectives": names,
        "minimised": list(subject.meaning.minimised),
        "units": subject.meaning.stated(),
        "compared": data.pop("objectives"),
        "cone": geometry.pop("text"),
        "geometry": geometry,
        "designs": [_design(row, names) for row in data.pop("rows")],
        **guarantee_data(subject.result.guarantee),
        "certified_epsilon": data["certificate"].pop("certified_epsilon"),
        "plan": [{"name": step["design"], "times": step["times"]} for step in data.pop("next")],
        "shortlist": [printable(subject.names[k]) for k in data.pop("shortlist")],
        **data,
    }


def _design(row: dict[str, Any], names: list[str]) -> dict[str, Any]:
    means = dict(zip(names, row["means"], strict=False))  # a page lists the first objectives of very many
    known = {key: value for key, value in row.items() if key not in ("id", "means", "certain", "standard_errors")}
    errors = row["standard_errors"] or [None] * len(names)
    said = {"facets": "facet_numbers"}
    rivals = [
        {said.get(key, key): value for key, value in rival.items() if key != "id"} for rival in row["rivals"] or ()
    ]
    return known | {
        "means": means,
        "standard_errors": dict(zip(names, errors, strict=False)),
        "certainly_pareto": row["certain"],
        "rivals": rivals,
    }


def _subject(
    context: click.Context, source: str, name: str | None, title: str | None, options: dict[str, Any], quiet: bool
) -> Subject:
    path, written = Path(source), Origin(options["origin"], options["study"], options["melted"])
    if options["known"]:
        _refuse(
            context, [key for key in _OF_TABLES if key not in _OF_KNOWN], "measurements; known values have no noise"
        )
    is_study = written.kind is None and ("://" in source or _is_sqlite(path))
    is_saved = written.kind is None and _is_saved(path)
    if name is not None and not is_study:
        raise InputError("--name says which study of a file or database; this is none.")
    if is_study or is_saved:
        what = "a study" if is_study else "a saved result"
        _refuse(context, [*_OF_TABLES, "known"], f"a table; {what} brings its own question")
    if is_study:
        with Study.open(source, name=name, read_only=True) as study:
            return of_study(study, title)
    if is_saved:
        return of_saved(path, title)
    if options["known"]:
        return replace(_front(path, options), title=title or path.name)
    table, words = asked_of([path], options)
    with progress_bar("evaluations", not quiet) as advance:
        subject = of_table(table, words.pop("cone"), path.name, progress=advance, **words)
    return replace(subject, title=title or path.name)


def _front(path: Path, options: dict[str, Any]) -> Subject:
    """A table of known values, as `conewise front` reads it."""
    said = (options[key] for key in ("objectives", "minimise", "units", "levels"))
    compared = all_named(*said) if options["objectives"] else None
    table = ShardedTable([path], objectives=compared, minimise=options["minimise"], name=options["design"])
    meaning, auto = meant_by(table.meaning, options["units"], options["levels"])
    table.meaning_as(meaning)
    take_units(table, "auto" if auto else None)
    return of_designs(table, stated_cone(options["spec"], table.meaning, stated(), designs_named(table)), path.name)


def _names(shortlist: list[str]) -> list[str]:
    """Names of designs, or those in the first column of the file that the explorer saved."""
    if len(shortlist) != 1 or not shortlist[0].lower().endswith(".csv") or not Path(shortlist[0]).is_file():
        return shortlist
    rows = csv.reader(StringIO(text_of(Path(shortlist[0])), newline=""))
    return [unguarded(row[0]) for row in list(rows)[1:] if row]


def _kind(out: Path) -> str:
    """Which of html and md, by the file's ending; a page is not written under the ending of something else."""
    ending = out.suffix.lower()
    if ending in _MARKDOWN:
        return "md"
    if ending and ending not in _HTML and not (out.exists() and not out.is_file()):  # a device has any name
        raise InputError(
            f"a report is .html or .md, got {out.name}; choose one of these endings or say --format"
            + (", and print the HTML page to a PDF." if ending == ".pdf" else ".")
        )
    return "html"


def _is_sqlite(path: Path) -> bool:
    if path.suffix.lower() in (".db", ".sqlite", ".sqlite3") and not path.is_dir():
        return True  # where it is not there, or no database, Study.open says so
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def _is_saved(path: Path) -> bool:
    """Whether a JSON file holds one object: a table of measurements is a list of them."""
    if path.suffix.lower() != ".json" or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(1000).removeprefix(BOM_UTF8).lstrip().startswith(b"{")


def _refuse(context: click.Context, names: Sequence[str], what_for: str) -> None:
    """Options that were given and mean nothing here."""
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "")
        if parameter.name in names and given is click.core.ParameterSource.COMMANDLINE:
            raise InputError(f"{parameter.opts[0]} is for {what_for}.")
