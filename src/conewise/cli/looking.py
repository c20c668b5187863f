"""`conewise study status`, `log`, `export`, `list`: where studies stand, without writing to them."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import click

from conewise.cli.options import force_option, study_command
from conewise.cli.show import print_json, print_table
from conewise.cli.standing import as_data, as_rows, by_design, by_design_data, in_one_line, odd_rows, reached
from conewise.errors import ConewiseError, counted, printable
from conewise.question.objectives import Objective
from conewise.report.data import Table
from conewise.studies.changes import Change
from conewise.studies.identity import Identity
from conewise.studies.storage.journal import CHANGES, Entry, redact
from conewise.studies.study import Study

_BETWEEN_LOOKS: Final = 2.0  # seconds, for status --watch
_LABEL: Final = 17  # characters: "certified epsilon"
_KIND: Final = 9  # characters: "objective"
_FILES: Final = (".db", ".sqlite", ".sqlite3")
_IDS: Final = 6  # evaluations of an entry that are written out in a line of the log


@study_command("Where a study stands, and its answer so far.")
@click.option("--watch", is_flag=True, help="Look again every 2 seconds until the study is finished.")
@click.option("--designs", is_flag=True, help="A line for each design, and who has which evaluations until when.")
def status(place: str, name: str | None, watch: bool, designs: bool, as_json: bool) -> None:
    """Designs by status, the epsilon certified so far, evaluations told, in flight and still to do.

    Example: conewise study status trial.db --watch
    """
    with Study.open(place, name=name, read_only=True) as opened:
        while True:
            now = opened.status()
            if as_json:
                print_json(as_data(opened, now) | (by_design_data(opened, now) if designs else {}))
            elif watch and not sys.stdout.isatty():
                click.echo(printable(in_one_line(opened, now)))
            else:
                if watch:
                    click.clear()
                for label, words in (*as_rows(opened, now), *odd_rows(opened)):
                    click.echo(printable(f"{label:<{_LABEL}}  {words}"))
                if designs:
                    print_table(by_design(opened, now))
            if not watch or now.finished:
                return
            time.sleep(_BETWEEN_LOOKS)


@study_command("What was done to a study, by whom and when.")
@click.option("-n", "count", type=click.IntRange(1), default=20, show_default=True, help="The last so many entries.")
@click.option("--all", "everything", is_flag=True, help="All entries.")
def log(place: str, name: str | None, count: int, everything: bool, as_json: bool) -> None:
    """The journal, oldest entry first: handed out, told, failed, handed back, corrected, withdrawn, changed, noted.

    Times are UTC.

    Example: conewise study log trial.db -n 50
    """
    with Study.open(place, name=name, read_only=True) as opened:
        entries = opened.log(None if everything else count)
        if as_json:
            print_json({"study": opened.name, "entries": [_entry(entry, opened) for entry in entries]})
            return
        for entry in entries:
            click.echo(printable(_line(entry, opened)))


def _entry(entry: Entry, opened: Study) -> dict[str, Any]:
    numbers = [float(number) for number in entry.numbers.split(",")] if entry.numbers else []
    return {
        "seq": entry.seq,
        "time": entry.time,
        "kind": entry.kind,
        "worker": entry.worker,
        "ids": [str(identity) for identity in entry.identities],
        "block_names": None if opened.blocks is None else [opened.blocks.names[k.number] for k in entry.identities],
        "objective_names": [_measured(k, opened) for k in entry.identities] if opened.separate else None,
        "numbers": numbers,
        "note": entry.note,
    }


def _line(entry: Entry, opened: Study) -> str:
    moment = datetime.fromtimestamp(entry.time, UTC)
    on = () if opened.blocks is None else opened.blocks.names
    ids = [
        f"{identity} on {on[identity.number]}" if on else f"{identity}{_of(identity, opened)}"
        for identity in entry.identities
    ]
    some = (", " if on or opened.separate else " ").join(ids[:_IDS]) + (
        f" and {len(ids) - _IDS} more" if len(ids) > _IDS else ""
    )
    values = entry.kind in ("tell", "correct") and len(ids) == 1
    said = f": {entry.numbers.replace(',', ', ')}" if values else ""
    by = f" ({entry.worker})" if entry.worker else ""
    if entry.kind in CHANGES:
        some, note = _changed(Change.of(entry), opened), ""
    else:
        note = f"; {entry.note}" if entry.note and entry.kind != "tell" else ""
    return f"{entry.seq:>6}  {moment:%Y-%m-%d %H:%M:%S}  {entry.kind:<{_KIND}}  {some}{said}{by}{note}"


def _changed(change: Change, opened: Study) -> str:
    """What a change of the question says: designs by name, another epsilon or end, an objective; and why."""
    words = [", ".join(change.designs or [opened.name_of(k) for k in change.dropped])]
    if change.epsilon is not None:
        words.append(f"epsilon {change.epsilon:g}")
    if change.max_evaluations is not None:
        words.append(f"at most {counted(change.max_evaluations)}")
    if change.objective is not None:
        new = Objective.from_dict(change.objective)
        words.append(f"{new.name} ({'smaller' if new.minimised else 'larger'} is better)")
    words += ["without regard to the values"] if change.unseen else []
    return "; ".join(filter(None, [", ".join(filter(None, words)), change.reason]))


def _measured(identity: Identity, opened: Study) -> str:
    return opened.objectives[identity.objective or 0]


def _of(identity: Identity, opened: Study) -> str:
    return f" {_measured(identity, opened)}" if opened.separate else ""


@study_command("Write every evaluation to a table.")
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


@click.command("list", short_help="The studies in a folder, a file or a database.")
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
            reached(data["certified_epsilon"]),
            "finished" if data["finished"] else "not finished",
            data["place"],
        )
        for designs, data in found
    )
    title = printable(f"{len(found)} stud{'y' if len(found) == 1 else 'ies'} in {redact(place)}")
    print_table(Table(title, ("study", "designs", "evaluations", "certified epsilon", "state", "place"), rows))
    for other in unreadable:
        click.echo(printable(f"left out: {other['because']}"), err=True)
