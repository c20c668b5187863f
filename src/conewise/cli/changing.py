"""`conewise study add`, `add-objective`, `drop`, `change`: another question, and what it does to delta."""

from __future__ import annotations

import math
from pathlib import Path

import click

from conewise.border import as_decimal
from conewise.cli.options import study_command
from conewise.cli.results import folded
from conewise.cli.show import print_json
from conewise.cli.stating import stated, stating
from conewise.errors import InputError, counted, printable
from conewise.noise import Noise
from conewise.noise.text import parse_noise
from conewise.preferences.preferences import stated_cone
from conewise.question.objectives import Objective, as_objectives
from conewise.question.question import certainty
from conewise.studies.identity import Identity
from conewise.studies.results import number_in
from conewise.studies.study import Study
from conewise.tables.clauses import parse_clause
from conewise.tables.columns import row_words
from conewise.tables.designrows import read_designs
from conewise.tables.designs import what_is_wrong
from conewise.tables.readers import read_rows


@study_command("Compare further designs.")
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--file", "file", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="One row a design.")
@click.option("--reason", default="", help="Why; it stands in the journal.")
@click.option("--unseen", is_flag=True, help="I promise that no value of the study had a part in it.")
def add(
    place: str, name: str | None, names: tuple[str, ...], file: Path | None, reason: str, unseen: bool, as_json: bool
) -> None:
    """Add designs, by name or from a table like that of the first ones.

    If values of the study have led to them, or to adding them now, comparisons start again with evaluations that begin
    from now on, a part of delta is taken, and whoever is beaten stays out. With --unseen all evaluations count, and the
    guarantee names the promise.

    Example: conewise study add trial.db "steel C" --reason "between A and B"
    """
    if bool(names) == (file is not None):
        raise InputError("say which designs to add: their names, or --file.")
    with Study.open(place, name=name) as opened:
        new = opened.add_designs(read_designs(file) if file is not None else list(names), reason=reason, unseen=unseen)
        _say(opened, {"added": list(new)}, f"{', '.join(new)} added", as_json)


@study_command("Measure one more objective from now on.")
@click.argument("objective", metavar="OBJECTIVE")
@click.option("--minimise", is_flag=True, help="Less of it is better.")
@click.option(
    "--unit", metavar="AMOUNT", default="1", help="How much of it is one step; 'OBJECTIVE=AMOUNT' is the same."
)
@click.option("--cone", "spec", help="The cone of all objectives from now on; an orthant grows by itself.")
@stating
@click.option(
    "--level",
    metavar="AMOUNT",
    help="What is acceptable of it: the least, with --minimise the most; 'OBJECTIVE>=AMOUNT' is the same.",
)
@click.option(
    "--noise",
    "assumption",
    metavar="KIND",
    help="What is assumed of all objectives from now on, as for analyse; 'OBJECTIVE=KIND' of the new one alone.",
)
@click.option(
    "--file",
    "file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="With --unseen, its values in earlier evaluations: columns id (or design) and OBJECTIVE.",
)
@click.option("--reason", default="", help="Why; it stands in the journal.")
@click.option("--unseen", is_flag=True, help="I promise that no value of the study had a part in it.")
def add_objective(
    place: str,
    name: str | None,
    objective: str,
    minimise: bool,
    unit: str,
    spec: str | None,
    level: str | None,
    assumption: str | None,
    file: Path | None,
    reason: str,
    unseen: bool,
    as_json: bool,
) -> None:
    """Ask about one more objective. All designs come back that were not dropped.

    If values of the study have led to it, or to adding it now, comparisons start again with evaluations that begin from
    now on, and a part of delta is taken. With --unseen earlier evaluations count where --file has the objective.

    Example: conewise study add-objective trial.db price --minimise --noise price=known
    """
    own, noise = _noise(objective, assumption)
    with Study.open(place, name=name) as opened:
        step = _amount(objective, unit, ("=",), "unit")[1]
        new = Objective(objective, "min" if minimise else "max", unit=step, noise=own)
        if level is not None:
            sign, least = _amount(objective, level, ("<=", ">="), "level")
            (new,) = as_objectives([new]).having("level", {objective: (sign, least) if sign else least})
        said = spec is not None or stated()
        opened.add_objective(
            new,
            cone=stated_cone(spec, as_objectives([*opened.question.columns, new]), stated()) if said else None,
            noise=noise,
            values=None if file is None else _earlier(file, objective, opened),
            reason=reason,
            unseen=unseen,
        )
        _say(opened, {"objectives": list(opened.objectives)}, f"{objective} added", as_json)


def _amount(objective: str, text: str, signs: tuple[str, ...], what: str) -> tuple[str, float]:
    """A number, alone or behind the name of the new objective and an operator, which comes first."""
    try:
        return "", as_decimal(text)
    except ValueError:
        clause = parse_clause(text, signs, what)
    if clause.column != objective:
        raise InputError(f"--{what} {text[:60]!r} is not about {objective[:60]!r}, which is the objective to add.")
    if isinstance(clause.value, str):
        raise InputError(f"--{what} {text[:60]!r}: {clause.value[:40]!r} is not a number.")
    return clause.sign, clause.value


def _noise(objective: str, text: str | None) -> tuple[Noise | None, Noise | None]:
    """Of the new objective alone, or of all."""
    if text is None or "=" not in text:
        return None, None if text is None else parse_noise(text, "--noise")
    clause = parse_clause(text, ("=",), "noise")
    if clause.column != objective:
        raise InputError(
            f"--noise {text[:60]!r}: the noise of {clause.column[:60]!r} stays what it is; say that of "
            f"{objective[:60]!r}, or that of all objectives."
        )
    kind = clause.value if isinstance(clause.value, str) else f"gaussian:{clause.value!r}"
    return parse_noise(kind, "--noise"), None


def _earlier(file: Path, objective: str, opened: Study) -> dict[str, float]:
    """Return what a table says of earlier evaluations, by id, by design and number, or by design."""
    rows = read_rows(file)
    there = list(dict.fromkeys(column for row in rows for column in row))
    columns = folded(there)
    key = columns.get("id", columns.get("design", columns.get("name")))
    if key is None or objective not in there:
        raise InputError(
            f"{file.name} must have a column id or design, and a column {objective}; it has {', '.join(there)}."
        )
    found: dict[str, float] = {}
    own, designs = {c for row in opened.rows for c in row}, {name: k for k, name in enumerate(opened.all_names)}
    for place, row in enumerate(rows):
        entry, named = row.get(objective), str(row.get(key))
        if entry is None or entry == "":
            continue
        if (wrong := what_is_wrong(entry)) is not None:
            raise InputError(f"{row_words(file, place)}, column {objective!r} {wrong}.")
        number = number_in(row, own, row_words(file, place)) if named in designs else None
        who = named if number is None else str(Identity(designs[named], number))
        if found.setdefault(who, float(entry)) != float(entry):
            raise InputError(f"{row_words(file, place)} has another value of {who:.60} than a row before it.")
    return found


@study_command("Compare some designs no more.")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@click.option("--reason", required=True, help="Why; it stands in the journal.")
@click.option("--unseen", is_flag=True, help="I promise that no value of the study had a part in it.")
def drop(place: str, name: str | None, names: tuple[str, ...], reason: str, unseen: bool, as_json: bool) -> None:
    """Drop designs: the answer is about those that are left. A design that is beaten need not be dropped.

    All evaluations of the others count. Without --unseen the answer is made safe against a choice by the values, which
    takes a part of delta.

    Example: conewise study drop trial.db "steel B" --reason "is not made any more" --unseen
    """
    with Study.open(place, name=name) as opened:
        opened.drop(list(names), reason=reason, unseen=unseen)
        _say(opened, {"dropped": list(opened.dropped)}, f"{', '.join(names)} dropped", as_json)


@study_command("Ask for another epsilon, or end elsewhere.")
@click.option("--epsilon", type=click.FloatRange(0), help="How far from optimal a returned design may be.")
@click.option("--max-evaluations", type=click.IntRange(1), help="The most evaluations of the study in all.")
@click.option("--reason", default="", help="Why; it stands in the journal.")
def change(
    place: str, name: str | None, epsilon: float | None, max_evaluations: int | None, reason: str, as_json: bool
) -> None:
    """Change epsilon, or the number of evaluations at which the study ends; all evaluations count.

    The first change of epsilon takes a part of delta, further ones do not; another end takes none.

    Example: conewise study change trial.db --epsilon 0.05
    """
    with Study.open(place, name=name) as opened:
        opened.change(epsilon=epsilon, max_evaluations=max_evaluations, reason=reason)
        parts = [] if epsilon is None else [f"epsilon is {opened.question.columns.counted(epsilon)} now"]
        parts += [] if max_evaluations is None else [f"the study ends after {counted(max_evaluations)}"]
        _say(opened, {"epsilon": opened.epsilon, "max_evaluations": opened.max_evaluations}, ", ".join(parts), as_json)
        status = opened.status()
        beyond = status.evaluations + status.in_flight - (max_evaluations or math.inf)
        if beyond > 0 and not as_json:
            told, one = status.evaluations, beyond == 1
            click.echo(
                f"look at: {told:,} {'is' if told == 1 else 'are'} told and {status.in_flight:,} in someone's hands; "
                f"{beyond:,} of these {'lies' if one else 'lie'} beyond the limit, and {'does' if one else 'do'} not "
                "count.",
                err=True,
            )


def _say(opened: Study, data: dict[str, object], said: str, as_json: bool) -> None:
    status = opened.status()
    compared = {"n_designs": opened.n_designs, "delta_spent": opened.delta_spent, "set_aside": status.aside}
    if as_json:
        print_json({**data, **compared, "finished": status.finished})
        return
    aside = f", {status.aside:,} evaluation{'' if status.aside == 1 else 's'} set aside" if status.aside else ""
    click.echo(
        printable(
            f"{said}: {opened.n_designs} designs are compared{aside}; answers hold with probability at least "
            f"{certainty(opened.delta_spent)}."
        )
    )
