"""`conewise study`: make one, ask it, tell it; what else can be done with one is in `mending` and `looking`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from conewise.analysis.explanations import ended
from conewise.cli.changing import add, add_objective, change, drop
from conewise.cli.looking import export, list_studies, log, status
from conewise.cli.meaning import level_option, meant_by
from conewise.cli.mending import as_values, check_options, correct, fail, objectives_of, release, withdraw
from conewise.cli.options import as_population, columns, study_command
from conewise.cli.results import known_by, read_results
from conewise.cli.run import run
from conewise.cli.show import print_json, print_table
from conewise.cli.standing import as_data, shown, warnings_data
from conewise.cli.starting import init
from conewise.cli.stating import order_words, stated, stating
from conewise.cli.trial import blocks_in, read_trial
from conewise.errors import InputError, printable
from conewise.models.priors import KINDS
from conewise.question.objectives import as_objectives
from conewise.report.data import Table
from conewise.studies.cells import OBJECTIVE, VALUE, as_objective
from conewise.studies.evaluations import Batch, Told
from conewise.studies.identity import Identity
from conewise.studies.results import Records
from conewise.studies.study import Study
from conewise.tables.designs import NAME_COLUMNS
from conewise.tables.spreadsheets import TO_FILL_IN, guarded


@click.group(short_help="Experiments that are told by people and machines, and never lost.")
def study() -> None:
    """Ask what to evaluate, tell what came back: an experiment in one file or a database.

    STUDY is a file, or an address postgresql://user@host/database. Any number of people and processes may ask and tell
    at the same time. What was told is on disk when the command ends.

    Example: conewise study create trial.toml
    """


@click.command(short_help="Make a study from a trial.toml.")
@click.argument("toml", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--storage", help="File or postgresql:// address; a .db file beside the TOML by default.")
@click.option("--name", help="Name of the study; by default what the TOML says, else the file's.")
@level_option
@stating
@click.option("--block", help="What all designs meet (a question, a plate), on which they are compared.")
@click.option("--blocks", metavar="NUMBER|FILE", help="With --block: how many there are, or a file that names them.")
@click.option("--population", help="With --block: averages are over `all` of them, or so many; a sample if left out.")
@click.option("--features", callback=columns, help="Columns of the designs that describe them, for a model of them.")
@click.option("--model", type=click.Choice(list(KINDS)), help="The model; smooth by default where there are features.")
@click.option("--price", help="With a model: the column with what an evaluation of each design costs.")
@click.option("--separate", is_flag=True, help="An evaluation measures one objective of a design, not all of them.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def create(
    toml: Path,
    storage: str | None,
    name: str | None,
    levels: tuple[str, ...],
    block: str | None,
    blocks: str | None,
    population: str | None,
    features: list[str],
    model: str | None,
    price: str | None,
    separate: bool,
    as_json: bool,
) -> None:
    """Make a study: designs, objectives, cone, epsilon, delta and noise, from a TOML file.

    What an option says counts instead of what the file says; levels and statements are added to those of the file, and
    an objective has one level. An existing study is never overwritten.

    Example: conewise study create trial.toml --block question --blocks questions.csv --population all
    """
    if not toml.exists():
        raise InputError(f"there is no file {toml}; conewise study init {toml} writes one to begin with.")
    trial = read_trial(toml, stated())
    arguments = {**trial.study, **({"name": name} if name else {})}
    block = arguments.get("block") if block is None else block
    shared = {"block": block, "blocks": _as_blocks(blocks, block), "population": as_population(population)}
    arguments |= {key: value for key, value in shared.items() if value is not None}
    arguments |= {"separate": True} if separate else {}
    said = {"kind": model, "features": features or None, "price": price}
    if given := {key: value for key, value in said.items() if value is not None}:
        arguments["model"] = {"kind": "smooth", **(arguments.get("model") or {}), **given}
    if storage is not None and "://" in storage:
        arguments.setdefault("name", toml.stem)  # a database has none that it could be called after
    arguments["objectives"], _ = meant_by(as_objectives(arguments["objectives"]), (), levels)
    where = storage if storage is not None else str(toml.with_suffix(".db"))
    with Study.create(where, **arguments) as made:
        for remark in made.warnings():
            click.echo(printable(f"look at: {remark.sentence}"), err=True)
        if as_json:
            print_json(as_data(made, made.status()))
            return
        click.echo(
            f"Study {made.name} is in {made.place}: {made.n_designs} designs, {', '.join(made.objectives)} under "
            f"{order_words(made.cone)}, epsilon {made.question.columns.counted(made.epsilon)}, delta {made.delta:g}, "
            f"{made.algorithm}; next: conewise study ask or run."
        )


def _as_blocks(text: str | None, block: str | None) -> Any:
    """How many, or the names in a file."""
    if text is None or text.isdecimal():
        return None if text is None else int(text)
    return blocks_in(Path(text), block)


@study_command("Hand out evaluations to make.")
@click.option("-n", "count", type=click.IntRange(1), default=1, show_default=True, help="At most so many.")
@click.option("--worker", default="", help="Who will make them; for the journal.")
@click.option("--lease", type=click.FloatRange(0, min_open=True), help="Seconds until they are handed out again.")
@click.option("--no-ahead", is_flag=True, help="Only what the study wants now, nothing that it may want next.")
@click.option("--csv", "as_csv", is_flag=True, help="Print a table to fill in, as in a pipe.")
def ask(
    place: str,
    name: str | None,
    count: int,
    worker: str,
    lease: float | None,
    no_ahead: bool,
    as_csv: bool,
    as_json: bool,
) -> None:
    """Hand out at most N evaluations; they are yours until they are told or their lease ends.

    In a pipe they come as a table with an empty column for each objective: fill it in, and give it to `tell`. Where
    objectives are measured separately, a row names the one to measure, and has one column for its value.

    Example: conewise study ask trial.db -n 8 > todo.csv
    """
    with Study.open(place, name=name) as opened:
        batch = opened.ask(count, worker=worker, ahead=not no_ahead, lease=lease)
        if not batch:
            said = (
                f"nothing: the study {ended(opened.result())}"
                if batch.finished
                else "nothing now: everything that is wanted is in others' hands; ask again later"
            )
        else:
            one = len(batch) == 1
            said = f"{len(batch)} evaluation{'' if one else 's'} handed out; tell {'it' if one else 'them'} by id"
        if as_json:
            print_json({"finished": batch.finished, "handed_out": [_evaluation(e) for e in batch]})
            return
        header, rows = _to_fill_in(opened, batch)
        if as_csv or not sys.stdout.isatty():
            cells = tuple(tuple(map(guarded, row)) for row in rows)
            click.echo(Table("", tuple(map(guarded, header)), cells).csv(), nl=False)
            click.echo(said, err=True)
        elif batch:
            print_table(Table(said, header, rows))
        else:
            click.echo(said)


@study_command("Store what came back.", context_settings={"ignore_unknown_options": True})
@click.argument("words", metavar="[ID VALUE...]", nargs=-1, type=click.UNPROCESSED)
@click.option("--file", "file", help="A table with columns id (or design) and the objectives; - for standard input.")
@click.option("--design", help="Values of this design that nobody asked for, instead of an ID.")
@click.option("--block", help="With --design, where designs share blocks: the block that was met.")
@click.option("--objective", help="With --design, where objectives are measured separately: what was measured.")
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
    block: str | None,
    objective: str | None,
    worker: str,
    again: bool,
    as_json: bool,
) -> None:
    """Store the values of one evaluation, or of a whole table; all of it or nothing.

    VALUES are in the order of the objectives and as they were measured. Late is fine, and so is again: an id that is
    stored already is counted and not stored twice. In a table, rows without any value are left for later.

    Design and number, as `study export` writes them, are as good as an id, and so are a design and its block: an
    export may be told back, with new rows below whose number is empty. Rows with a design alone are evaluations that
    nobody asked for; a table of them that was told before, alone or followed by new rows, is recognised and refused,
    unless you say --again.

    Example: conewise study tell trial.db d3n0 0.52 11.8
    """
    check_options(words, context)
    with Study.open(place, name=name) as opened:
        skipped, ignored = 0, tuple[str, ...]()
        if again and file is None:
            raise InputError("--again goes with --file: values that are given here are new, or an id's own.")
        if file is not None:
            if words or design is not None or block is not None or objective is not None:
                raise InputError("give either --file, or an id (or --design) and its values.")
            results = read_results(file, opened)
            skipped, ignored = results.skipped, results.ignored
            told = _told(results, opened, file, worker, again)
        elif (block is not None or objective is not None) and design is None:
            what = "block" if block is not None else "objective"
            raise InputError(f"--{what} goes with --design: an id names its {what} already.")
        elif block is not None and design is not None:
            told = opened.tell(opened.ids_of([design], [block]), [_values(words, opened, objective)], worker=worker)
        elif design is not None:
            values = _values(words, opened, objective)
            told = opened.record([design], [values], objective=objective, worker=worker)
        elif words:
            values = as_values(words[1:], opened, objectives_of(words[0], opened))
            told = opened.tell([words[0]], [values], worker=worker)
        else:
            raise InputError("an id and its values were expected, or --file; see conewise study tell --help.")
        odd = opened.warnings({Identity.parse(one).design for one in told.evaluations}) if told.stored else ()
        if as_json:
            counts = {"stored": told.stored, "repeated": told.repeated, "withdrawn": told.withdrawn}
            print_json(
                {
                    **counts,
                    "left_out": skipped,
                    "ignored": list(ignored),
                    "ids": list(told.evaluations),
                    "warnings": warnings_data(odd),
                }
            )
            return
        parts = [f"{told.stored} evaluation{'' if told.stored == 1 else 's'} stored in {opened.place}"]
        if told.repeated > told.withdrawn:
            parts.append(f"{told.repeated - told.withdrawn} there already")
        if told.withdrawn:
            does = "does" if told.withdrawn == 1 else "do"
            elsewhere = "" if opened.blocks is not None else ", or give --design in its place"
            parts.append(
                f"{told.withdrawn} withdrawn with the same values before, which still {does} not count (of a new "
                f"measurement, `ask` for the id again{elsewhere})"
            )
        if skipped:
            parts.append(f"{skipped} without values left for later")
        click.echo(", ".join(parts) + ".")
        if ignored:
            one = len(ignored) == 1
            click.echo(
                printable(
                    f"Note: the study knows nothing of the column{'' if one else 's'} {', '.join(ignored)}, which "
                    f"{'is' if one else 'are'} not stored."
                ),
                err=True,
            )
        for remark in shown(odd):
            click.echo(printable(f"look at: {remark.sentence}"), err=True)


def _values(words: tuple[str, ...], opened: Study, objective: str | None) -> list[float]:
    """Of a design, as they were typed: of all objectives, or of the one that was measured."""
    if not opened.separate and objective is None:
        return as_values(words, opened, opened.objectives)
    if not opened.separate:
        raise InputError("an evaluation of this study has all objectives: leave --objective out.")
    if objective is None:
        raise InputError("in this study each objective is measured by itself: say which with --objective.")
    return as_values(words, opened, (opened.objectives[as_objective(objective, opened.objectives)],))


def _told(found: Records, opened: Study, file: str, worker: str, again: bool) -> Told:
    """Store a table; new rows that were told before are refused, unless they were measured `again`."""
    if not found.values:
        return Told((), 0, 0)
    texts = known_by(found, opened)
    if again and not texts:
        raise InputError(
            f"--again goes with a table of designs: the rows of {file} are evaluations of their own ids, numbers or "
            "blocks, which have one value each."
        )
    rows = f"rows of {file}" if len(texts) == len(found.values) else f"rows of {file} without a number"
    once = _new_table(texts, opened, rows) if texts and not again else None
    return opened.tell_records(found, worker=worker, once=once)


def _new_table(texts: list[str], opened: Study, rows: str) -> str:
    """Return the text by which new rows will be known; refuse them where they, or the first ones, were told before."""
    before = opened.recorded_as(texts)
    if not before:
        return texts[-1]
    if before[-1] == texts[-1]:
        said = f"the {rows} were told before"
        remedy = "if they are new measurements that gave the same values, say --again"
    else:
        said = f"the first {texts.index(before[-1]) + 1} of the {len(texts)} {rows} were told before"
        remedy = "tell the new rows alone, or say --again if all of them are new measurements"
    raise InputError(f"{said}; nothing was written: {remedy}.")


def _evaluation(evaluation: Any) -> dict[str, Any]:
    parts = ("id", "design", "number", "name", "seed", "attempt", "expires")
    return {part: getattr(evaluation, part) for part in parts} | {
        "columns": evaluation.row,
        "block_name": evaluation.block,
        "objective": evaluation.objective,
    }


def _to_fill_in(opened: Study, batch: Batch) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Header and rows: the evaluations with their designs' columns, and an empty column for each objective."""
    block = () if opened.blocks is None else (opened.blocks.column,)
    block = (OBJECTIVE,) if opened.separate else block
    empty = (VALUE,) if opened.separate else opened.objectives
    taken = {*TO_FILL_IN, *block, *(column.lower() for column in empty)}
    named = {c for e in batch for c, cell in e.row.items() if c.lower() in NAME_COLUMNS and _cell(cell) == e.name}
    columns = [c for c in dict.fromkeys(c for e in batch for c in e.row) if c not in named]
    rows = tuple(
        (
            *(e.id, e.name, str(e.seed), *((e.objective or e.block or "",) if block else ())),
            *(_cell(e.row.get(c)) for c in columns),
            *("" for _ in empty),
        )
        for e in batch
    )
    shown = []
    for column in columns:  # a column of theirs that is called like one of ours is shown under another name
        while column.lower() in taken:
            column += "_"
        taken.add(column.lower())
        shown.append(column)
    return (*TO_FILL_IN, *block, *shown, *empty), rows


def _cell(value: Any) -> str:
    return "" if value is None else str(value)


_DAY_BY_DAY = (ask, tell, run, correct, withdraw, fail, release)
for _command in (init, create, *_DAY_BY_DAY, add, add_objective, drop, change, status, log, export, list_studies):
    study.add_command(_command)
