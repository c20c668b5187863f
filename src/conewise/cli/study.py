"""`conewise study`: make one, ask it, tell it, see where it stands."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

import click

from conewise._arrays import as_decimal
from conewise.cli.options import force_option
from conewise.cli.results import Results, read_results
from conewise.cli.run import run
from conewise.cli.show import print_json, print_table
from conewise.cli.standing import as_data, as_rows, in_one_line, odd_rows, shown, warnings_data
from conewise.cli.trial import read_trial
from conewise.errors import ConewiseError, InputError, printable
from conewise.report.data import Table
from conewise.studies.evaluations import Batch, as_identities
from conewise.studies.identity import Identity
from conewise.studies.storage.journal import redact
from conewise.studies.study import Study
from conewise.tables.designs import NAME_COLUMNS
from conewise.tables.spreadsheets import TO_FILL_IN, guarded

_BETWEEN_LOOKS: Final = 2.0  # seconds, for status --watch
_LABEL: Final = 17  # characters: "certified epsilon"
_FILES: Final = (".db", ".sqlite", ".sqlite3")


@click.group(short_help="Experiments that are told by people and machines, and never lost.")
def study() -> None:
    """Ask what to evaluate, tell what came back: an experiment in one file or a database.

    STUDY is a file, or an address postgresql://user@host/database. Any number of people and processes may ask and tell
    at the same time. What was told is on disk when the command ends.

    Example: conewise study create trial.toml
    """


study.add_command(run)


def _command(short_help: str, **settings: Any) -> Callable[[Callable[..., None]], click.Command]:
    """A command about one existing study."""

    def decorate(function: Callable[..., None]) -> click.Command:
        json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
        name = click.option("--name", help="Which study, where a file or database holds several.")
        place = click.argument("place", metavar="STUDY")
        return study.command(short_help=short_help, **settings)(place(name(json_option(function))))

    return decorate


@study.command(short_help="Make a study from a trial.toml.")
@click.argument("toml", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--storage", help="File or postgresql:// address; a .db file beside the TOML by default.")
@click.option("--name", help="Name of the study; by default what the TOML says, else the file's.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def create(toml: Path, storage: str | None, name: str | None, as_json: bool) -> None:
    """Make a study: designs, objectives, cone, epsilon, delta and noise, from a TOML file.

    An existing study is never overwritten.

    Example: conewise study create trial.toml --storage trial.db
    """
    trial = read_trial(toml)
    arguments = {**trial.study, **({"name": name} if name else {})}
    where = storage if storage is not None else str(toml.with_suffix(".db"))
    with Study.create(where, **arguments) as made:
        if as_json:
            print_json(as_data(made, made.status()))
            return
        click.echo(
            f"Study {made.name} is in {made.place}: {made.n_designs} designs, {', '.join(made.objectives)} under "
            f"{made.cone}, epsilon {made.epsilon:g}, delta {made.delta:g}, {made.algorithm}; next: conewise study ask "
            f"or run."
        )


@_command("Hand out evaluations to make.")
@click.option("-n", "count", type=click.IntRange(1), default=1, show_default=True, help="At most so many.")
@click.option("--worker", default="", help="Who will make them; for the journal.")
@click.option("--lease", type=click.FloatRange(0, min_open=True), help="Seconds until they are handed out again.")
@click.option("--csv", "as_csv", is_flag=True, help="Print a table to fill in, as in a pipe.")
def ask(
    place: str, name: str | None, count: int, worker: str, lease: float | None, as_csv: bool, as_json: bool
) -> None:
    """Hand out at most N evaluations; they are yours until they are told or their lease ends.

    In a pipe they come as a table with an empty column for each objective: fill it in, and give it to `tell`.

    Example: conewise study ask trial.db -n 8 > todo.csv
    """
    with Study.open(place, name=name) as opened:
        batch = opened.ask(count, worker=worker, lease=lease)
        if not batch:
            said = (
                "nothing: the study has all that it asked for"
                if batch.finished
                else "nothing now: everything that is wanted is in others' hands; ask again later"
            )
        else:
            one = len(batch) == 1
            said = f"{len(batch)} evaluation{'' if one else 's'} handed out; tell {'it' if one else 'them'} by id"
        if as_json:
            print_json({"finished": batch.finished, "evaluations": [_evaluation(e) for e in batch]})
            return
        header, rows = _to_fill_in(opened, batch)
        if as_csv or not sys.stdout.isatty():
            if batch:
                cells = tuple(tuple(map(guarded, row)) for row in rows)
                click.echo(Table("", tuple(map(guarded, header)), cells).csv(), nl=False)
            click.echo(said, err=True)
        elif batch:
            print_table(Table(said, header, rows))
        else:
            click.echo(said)


@_command("Store what came back.", context_settings={"ignore_unknown_options": True})
@click.argument("words", metavar="[ID VALUE...]", nargs=-1, type=click.UNPROCESSED)
@click.option("--file", "file", help="A table with columns id (or design) and the objectives; - for standard input.")
@click.option("--design", help="Values of this design that nobody asked for, instead of an ID.")
@click.option("--worker", default="", help="Who made them; for the journal.")
@click.option("--again", is_flag=True, help="The rows are new measurements, although the same ones were told before.")
@click.pass_context
def tell(
    context: click.Context,
    place: str,
    name: str | None,
    words: tuple[str, ...],
    file: str | None,
    design: str | None,
    worker: str,
    again: bool,
    as_json: bool,
) -> None:
    """Store the values of one evaluation, or of a whole table; all of it or nothing.

    VALUES are in the order of the objectives and as they were measured. Late is fine, and so is again: an id that is
    stored already is counted and not stored twice. In a table, rows without any value are left for later. Rows with a
    design instead of an id are evaluations that nobody asked for; a table of them that was told before, alone or
    followed by new rows, is recognised and refused, unless you say --again.

    Example: conewise study tell trial.db d3n0 0.52 11.8
    """
    _check_options(words, context)
    with Study.open(place, name=name) as opened:
        skipped = 0
        if file is not None:
            if words or design is not None:
                raise InputError("give either --file, or an id (or --design) and its values.")
            results = read_results(file, opened)
            skipped = results.skipped
            if results.ids:
                told = opened.tell(results.ids, results.values, worker=worker)
            else:
                once = None if again else _new_table(results, opened, file)
                told = opened.record(results.designs, results.values, worker=worker, once=once)
        elif design is not None:
            told = opened.record([design], [_values(words, opened)], worker=worker)
        elif words:
            told = opened.tell([words[0]], [_values(words[1:], opened)], worker=worker)
        else:
            raise InputError("an id and its values were expected, or --file; see conewise study tell --help.")
        odd = opened.warnings({Identity.parse(one).design for one in told.evaluations}) if told.stored else ()
        if as_json:
            counts = {"stored": told.stored, "repeated": told.repeated, "left_out": skipped}
            print_json({**counts, "evaluations": list(told.evaluations), "warnings": warnings_data(odd)})
            return
        parts = [f"{told.stored} evaluation{'' if told.stored == 1 else 's'} stored in {opened.place}"]
        if told.repeated:
            parts.append(f"{told.repeated} there already")
        if skipped:
            parts.append(f"{skipped} without values left for later")
        click.echo(", ".join(parts) + ".")
        for remark in shown(odd):
            click.echo(printable(f"look at: {remark.sentence}"), err=True)


@_command("Replace a value that was told wrongly.", context_settings={"ignore_unknown_options": True})
@click.argument("words", metavar="ID VALUE...", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--reason", required=True, help="Why; it stands in the journal beside both values.")
@click.pass_context
def correct(
    context: click.Context, place: str, name: str | None, words: tuple[str, ...], reason: str, as_json: bool
) -> None:
    """Replace what was told of an evaluation; the journal keeps both, and every decision is made again.

    Example: conewise study correct trial.db d3n0 0.25 11.8 --reason "digits exchanged"
    """
    _check_options(words, context)
    with Study.open(place, name=name) as opened:
        values = _values(words[1:], opened)
        opened.correct(words[0], values, reason)
        if as_json:
            print_json({"evaluation": words[0], "values": values, "reason": reason})
            return
        click.echo(f"Evaluation {words[0]} now counts as {', '.join(f'{value:g}' for value in values)}.")


@_command("Take values back that should not count.")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@click.option("--reason", required=True, help="Why; it stands in the journal beside the values.")
def withdraw(place: str, name: str | None, ids: tuple[str, ...], reason: str, as_json: bool) -> None:
    """Take told values back: they do not count any more, and their evaluations are open again.

    The reason must have nothing to do with how the values look; "an outlier" is none. The journal keeps the values, and
    the answer says how many were withdrawn.

    Example: conewise study withdraw trial.db d3n0 --reason "the sample was mislabelled"
    """
    with Study.open(place, name=name) as opened:
        opened.withdraw(list(ids), reason)
        status = opened.status()
        if as_json:
            print_json({"withdrawn": list(ids), "reason": reason, "withdrawn_in_all": status.withdrawn})
            return
        several = len(ids) > 1
        click.echo(
            f"{'The values' if several else 'The value'} of {', '.join(ids)} {'do' if several else 'does'} not count "
            f"any more ({status.withdrawn} withdrawn in all); "
            f"{'these evaluations are' if several else 'the evaluation is'} open again."
        )


@_command("Hand back what nobody will evaluate.")
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option("--worker", help="Everything that is in this worker's hands.")
@click.option("--all", "everything", is_flag=True, help="Everything that is in anyone's hands.")
def release(
    place: str, name: str | None, ids: tuple[str, ...], worker: str | None, everything: bool, as_json: bool
) -> None:
    """Hand back evaluations before their lease ends, so that others are given them; they may still be told.

    Example: conewise study release trial.db d3n0 d4n0
    """
    if (bool(ids) + (worker is not None) + everything) != 1:
        raise InputError("say what to hand back: ids, --worker or --all.")
    with Study.open(place, name=name) as opened:
        named = {str(place) for place in as_identities(ids, opened.n_designs)[0]}
        held = [lease for lease in opened.leases() if everything or lease.worker == worker or lease.evaluation in named]
        back = [lease.evaluation for lease in held]
        opened.release(list(ids) if ids else back)
        if as_json:
            print_json({"released": back})
            return
        click.echo(f"{len(back)} evaluation{'' if len(back) == 1 else 's'} handed back.")


@_command("Where a study stands, and its answer so far.")
@click.option("--watch", is_flag=True, help="Look again every 2 seconds until the study is finished.")
def status(place: str, name: str | None, watch: bool, as_json: bool) -> None:
    """Designs by status, the epsilon certified so far, evaluations told, in flight and still to do.

    Example: conewise study status trial.db --watch
    """
    with Study.open(place, name=name, read_only=True) as opened:
        while True:
            now = opened.status()
            if as_json:
                print_json(as_data(opened, now))
            elif watch and not sys.stdout.isatty():
                click.echo(printable(in_one_line(opened, now)))
            else:
                if watch:
                    click.clear()
                for label, words in (*as_rows(opened, now), *odd_rows(opened)):
                    click.echo(printable(f"{label:<{_LABEL}}  {words}"))
            if not watch or now.finished:
                return
            time.sleep(_BETWEEN_LOOKS)


@_command("Write every evaluation to a table.")
@click.argument("out", type=click.Path(path_type=Path, dir_okay=False))
@force_option
def export(place: str, name: str | None, out: Path, force: bool, as_json: bool) -> None:
    """Write every evaluation to OUT (.csv, .tsv, .json, .jsonl or .parquet), which `conewise analyse` reads.

    Whole or not at all, and over an existing file only with --force.

    Example: conewise study export trial.db trial.csv
    """
    with Study.open(place, name=name, read_only=True) as opened:
        written = opened.export(out, force=force)
        if as_json:
            print_json({"study": opened.name, "evaluations": written, "file": str(out)})
            return
        said = f"{written} evaluation{'' if written == 1 else 's'} of study {opened.name} written to {out}."
        click.echo(printable(said))


@study.command("list", short_help="The studies in a folder, a file or a database.")
@click.argument("place", metavar="FOLDER|FILE|URL", default=".")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_studies(place: str, as_json: bool) -> None:
    """The studies in a folder (.db and .sqlite files), in one file, or in a database.

    Example: conewise study list .
    """
    folder = Path(place)
    is_folder = "://" not in place and folder.is_dir()
    places = sorted(str(p) for p in folder.iterdir() if p.suffix.lower() in _FILES) if is_folder else [place]
    found, unreadable = [], []
    for where in places:
        try:
            names = Study.names_in(where)
        except ConewiseError as error:
            if not is_folder:
                raise
            unreadable.append({"place": redact(where), "because": str(error)})
            continue
        for label in names:  # one that cannot be read does not hide the others
            try:
                with Study.open(where, name=label, read_only=True) as opened:
                    found.append((opened.n_designs, as_data(opened, opened.status())))
            except ConewiseError as error:
                unreadable.append({"place": redact(where), "study": label, "because": str(error)})
    if unreadable and not found and not is_folder:
        raise ConewiseError(unreadable[0]["because"])
    if as_json:
        print_json({"studies": [data for _, data in found], "unreadable": unreadable})
        return
    rows = tuple(
        (
            data["study"],
            str(designs),
            f"{data['evaluations']:,}",
            "none yet" if data["certified_epsilon"] is None else f"{data['certified_epsilon']:.4g}",
            "finished" if data["finished"] else "not finished",
            data["place"],
        )
        for designs, data in found
    )
    title = printable(f"{len(found)} stud{'y' if len(found) == 1 else 'ies'} in {redact(place)}")
    print_table(Table(title, ("study", "designs", "evaluations", "certified epsilon", "state", "place"), rows))
    for other in unreadable:
        click.echo(printable(f"left out: {other['because']}"), err=True)


def _check_options(words: tuple[str, ...], context: click.Context) -> None:
    """Values may begin with a minus, so unknown options come as words: one that is no number is a slip."""
    for word in words:
        if not word.startswith("-") or _is_number(word):
            continue
        option = word.partition("=")[0]
        known = [name for parameter in context.command.params for name in parameter.opts if name.startswith("-")]
        raise click.NoSuchOption(option, possibilities=get_close_matches(option, known), ctx=context)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _new_table(results: Results, opened: Study, file: str) -> str:
    """What a table of designs will be known by; refused where it, or its first rows, were told before."""
    texts = results.known_by()
    before = opened.recorded_as(texts)
    if not before:
        return texts[-1]
    if before[-1] == texts[-1]:
        said = f"the rows of {file} were told before"
        remedy = "if they are new measurements that gave the same values, say --again"
    else:
        said = f"the first {texts.index(before[-1]) + 1} of the {len(texts)} rows of {file} were told before"
        remedy = "tell the new rows alone, or say --again if all of them are new measurements"
    raise InputError(f"{said}; nothing was written: {remedy}.")


def _values(words: tuple[str, ...], opened: Study) -> list[float]:
    expected = f"{opened.dim} value{'s' * (opened.dim > 1)} ({', '.join(opened.objectives)})"
    if len(words) != opened.dim:
        raise InputError(f"{expected} were expected, got {len(words)}.")
    values = []
    for word in words:
        try:
            values.append(as_decimal(word))
        except ValueError:
            raise InputError(f"{expected} were expected, and {word[:40]!r} is not a number.") from None
    return values


def _evaluation(evaluation: Any) -> dict[str, Any]:
    parts = ("id", "design", "number", "name", "row", "seed", "attempt", "expires")
    return {part: getattr(evaluation, part) for part in parts}


def _to_fill_in(opened: Study, batch: Batch) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Header and rows: the evaluations with their designs' columns, and an empty column for each objective."""
    taken = {*TO_FILL_IN, *(objective.lower() for objective in opened.objectives)}
    named = {c for e in batch for c, cell in e.row.items() if c.lower() in NAME_COLUMNS and _cell(cell) == e.name}
    columns = [c for c in dict.fromkeys(c for e in batch for c in e.row) if c not in named]
    rows = tuple(
        (e.id, e.name, str(e.seed), *(_cell(e.row.get(c)) for c in columns), *("" for _ in opened.objectives))
        for e in batch
    )
    shown = []
    for column in columns:  # a column of theirs that is called like one of ours is shown under another name
        while column.lower() in taken:
            column += "_"
        taken.add(column.lower())
        shown.append(column)
    return (*TO_FILL_IN, *shown, *opened.objectives), rows


def _cell(value: Any) -> str:
    return "" if value is None else str(value)
