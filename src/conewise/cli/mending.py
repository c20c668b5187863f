"""`conewise study correct`, `withdraw`, `fail`, `release`: what went otherwise than it was told or handed out."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

import click

from conewise.border import as_decimal
from conewise.cli.options import study_command
from conewise.cli.show import print_json
from conewise.errors import InputError, printable
from conewise.studies.evaluations import as_identities
from conewise.studies.identity import Identity
from conewise.studies.results import in_numbers, outcomes_of
from conewise.studies.study import Study


@study_command("Replace a value that was told wrongly.", context_settings={"ignore_unknown_options": True})
@click.argument("words", metavar="ID VALUE...", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--reason", required=True, help="Why; it stands in the journal beside both values.")
@click.pass_context
def correct(
    context: click.Context, place: str, name: str | None, words: tuple[str, ...], reason: str, as_json: bool
) -> None:
    """Replace what was told of an evaluation; the journal keeps both, and every decision is made again.

    Example: conewise study correct trial.db d3n0 0.25 11.8 --reason "digits exchanged"
    """
    check_options(words, context)
    with Study.open(place, name=name) as opened:
        objectives = objectives_of(words[0], opened)
        values = as_values(words[1:], opened, objectives)
        opened.correct(words[0], values, reason)
        if as_json:
            print_json({"ids": [words[0]], "values": dict(zip(objectives, values, strict=True)), "reason": reason})
            return
        click.echo(f"Evaluation {words[0]} now counts as {', '.join(f'{value:g}' for value in values)}.")


@study_command("Take values back that should not count.")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@click.option("--reason", required=True, help="Why; it stands in the journal beside the values.")
@click.option("--for-its-value", is_flag=True, help="The reason is how the values look: no guarantee from now on.")
def withdraw(
    place: str, name: str | None, ids: tuple[str, ...], reason: str, for_its_value: bool, as_json: bool
) -> None:
    """Take told values back: they do not count any more, and their evaluations are open again.

    A reason that has nothing to do with how the values look leaves the guarantee, which names it; "an outlier" is none:
    say --for-its-value, and no answer of the study is guaranteed any more. The journal keeps the values.

    Example: conewise study withdraw trial.db d3n0 --reason "the sample was mislabelled"
    """
    ids = tuple(dict.fromkeys(ids))
    with Study.open(place, name=name) as opened:
        opened.withdraw(list(ids), reason, for_its_value=for_its_value)
        status = opened.status()
        if as_json:
            print_json({"ids": list(ids), "reason": reason, "withdrawn": status.withdrawn})
            return
        several = len(ids) > 1
        click.echo(
            f"{'The values' if several else 'The value'} of {', '.join(ids)} {'do' if several else 'does'} not count "
            f"any more ({status.withdrawn} withdrawn in all); "
            f"{'these evaluations are' if several else 'the evaluation is'} open again."
        )


@study_command("Say that an evaluation gave no values.")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@click.option("--reason", required=True, help="What happened; it stands in the journal.")
def fail(place: str, name: str | None, ids: tuple[str, ...], reason: str, as_json: bool) -> None:
    """Say that evaluations which were handed out gave no values; they are open again at once, with another seed.

    Whether an evaluation fails must not depend on the value it would have had; where it does, tell a value for it. What
    was told meanwhile is left as it is.

    Example: conewise study fail trial.db d3n0 --reason "the pump broke"
    """
    ids = tuple(dict.fromkeys(ids))
    with Study.open(place, name=name) as opened:
        before = opened.status().failures
        opened.fail(list(ids), reason)
        status = opened.status()
        failed = status.failures - before
        if as_json:
            print_json({"ids": list(ids), "failed": failed, "reason": reason, "failures": status.failures})
            return
        said = f"{failed} evaluation{'' if failed == 1 else 's'} failed ({status.failures} in all), open again"
        told = len(ids) - failed
        click.echo(printable(said + (f"; {told} told meanwhile" if told else "") + "."))


@study_command("Hand back what nobody will evaluate.")
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
        named = {str(place) for place in as_identities(ids)[0]}
        held = [lease for lease in opened.leases() if everything or lease.worker == worker or lease.evaluation in named]
        back = [lease.evaluation for lease in held]
        opened.release(list(ids) if ids else back)
        if as_json:
            print_json({"ids": back})
            return
        click.echo(f"{len(back)} evaluation{'' if len(back) == 1 else 's'} handed back.")


def check_options(words: tuple[str, ...], context: click.Context) -> None:
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


def objectives_of(word: str, opened: Study) -> tuple[str, ...]:
    """The objectives of an evaluation, by its id: all, or the one that is measured."""
    if not opened.separate:
        return opened.objectives
    identity = Identity.parse(word).of_study(len(opened.all_names), opened.dim)
    return (opened.objectives[identity.objective or 0],)


def as_values(words: tuple[str, ...], opened: Study, objectives: Sequence[str]) -> list[float]:
    """One number an objective, as they were typed."""
    expected = f"{len(objectives)} value{'s' * (len(objectives) > 1)} ({', '.join(objectives)})"
    were = "were" if len(objectives) > 1 else "was"
    if len(words) != len(objectives):
        raise InputError(f"{expected} {were} expected, got {len(words)}.")
    values, outcomes = [], outcomes_of(opened.noise, opened.objectives)
    for name, word in zip(objectives, words, strict=True):
        try:
            values.append(as_decimal(str(in_numbers(word, name in outcomes))))
        except ValueError:
            wrong = "neither 0 nor 1, yes nor no" if name in outcomes else "not a number"
            raise InputError(f"{expected} {were} expected, and {word[:40]!r} is {wrong}.") from None
    return values
