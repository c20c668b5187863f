"""`conewise study add`, `drop`, `change`: another question, and what it does to delta."""

from __future__ import annotations

from pathlib import Path

import click

from conewise.cli.options import study_command
from conewise.cli.show import print_json
from conewise.cli.trial import read_designs
from conewise.errors import InputError, printable
from conewise.goals import certainty
from conewise.studies.study import Study


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
        _say(opened, {"dropped": list(names)}, f"{', '.join(names)} dropped", as_json)


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
        parts = [] if epsilon is None else [f"epsilon is {epsilon:g} now"]
        parts += [] if max_evaluations is None else [f"the study ends after {max_evaluations:,} evaluations"]
        _say(opened, {"epsilon": opened.epsilon, "max_evaluations": opened.max_evaluations}, ", ".join(parts), as_json)


def _say(opened: Study, data: dict[str, object], said: str, as_json: bool) -> None:
    status = opened.status()
    compared = {"designs": opened.n_designs, "delta_spent": opened.delta_spent, "set_aside": status.aside}
    if as_json:
        print_json({**data, **compared, "finished": status.finished})
        return
    aside = f", {status.aside:,} evaluations set aside" if status.aside else ""
    click.echo(
        printable(
            f"{said}: {opened.n_designs} designs are compared{aside}; answers hold with probability at least "
            f"{certainty(opened.delta_spent)}."
        )
    )
