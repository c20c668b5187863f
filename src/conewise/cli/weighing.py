"""`conewise study prefer`: questions to a person as long as an answer is worth more than an evaluation."""

from __future__ import annotations

import shlex
from typing import Any

import click

from conewise.cli.options import study_command
from conewise.cli.prefer import agreeing, answered
from conewise.cli.show import print_json
from conewise.cli.stating import STATED, compares_designs, stated, stating
from conewise.doubts import Doubts
from conewise.errors import printable
from conewise.preferences import Preferences
from conewise.studies.study import Study


@study_command("Which design is good enough for you: ask, or evaluate?")
@stating
@click.option("--trust", type=float, default=0.9, show_default=True, help="How probable it is that an answer is right.")
@click.option(
    "--question-price", type=float, default=1.0, show_default=True, help="What a question costs, in evaluations."
)
@click.option("--questions", type=click.IntRange(0), help="Ask at most so many; 0 says only what would be next.")
def prefer(
    place: str, name: str | None, trust: float, question_price: float, questions: int | None, as_json: bool
) -> None:
    """Ask which of two designs is better, as long as that settles more for its price than an evaluation.

    Needs a study with a model. Both kinds of doubt, what you want and what the values are, become one probability: that
    the best design so far is more than epsilon behind the one that you would choose if you knew all. Answer 1 or 2, s
    where you cannot say, u to take the last answer back, q to stop. The options to begin with your answers the next
    time are printed at the end.

    Example: conewise study prefer trial.db --question-price 0.2
    """
    with Study.open(place, name=name) as opened:
        said = Preferences(opened.question.columns, trust=trust)
        texts = stated()
        named: dict[str, Any] = {}
        if compares_designs():  # by the values that are expected now
            named = dict(zip(opened.names, opened.doubts(said).values, strict=True))
        for text in texts:
            said = said.said(text, named)
        asked = 0
        while True:
            found = opened.doubts(said, question_price=question_price)
            if found.next != "ask" or found.question is None or asked == questions:
                break
            standing = f"{opened.names[found.best]} is best, with {_percent(found.doubt)} of doubt."
            first, second = found.question.designs
            answer = answered(said, opened.names, found.values, (first, second), standing)
            if answer is None:
                break
            asked += len(answer.statements) > len(said.statements)
            said = agreeing(answer, said)
        if as_json:
            print_json(_data(opened, said, found))
            return
        for line in _lines(opened, said, found):
            click.echo(printable(line))


def _lines(opened: Study, said: Preferences, found: Doubts) -> list[str]:
    names = opened.names
    lines = [
        f"Take {names[found.best]}: with a probability of about {_percent(1 - found.doubt)} it is within "
        f"{opened.question.columns.at(opened.epsilon)} of what you would choose if you knew everything."
    ]
    if found.next is None:
        lines.append(f"That is enough for delta = {opened.delta:g}.")
    else:
        lines.append(f"Of what is open {_percent(found.of_preference)} is what you want, the rest what the values are.")
        one = f"Evaluating {names[found.evaluation.designs[0]]} settles {_percent(found.evaluation.settles)} of it for "
        lines.append(f"{one}{found.evaluation.price:g}{_question(names, found)}.")
        todo = "ask" if found.next == "ask" else f"evaluate {names[found.evaluation.designs[0]]}"
        lines.append(f"Next, by price: {todo}.")
    lines.append(f"An estimate, not a guarantee: {found.worth.reason}.")
    lines += [f"Said so far, for the next time: {_option(statement.text)}" for statement in said.statements]
    return lines


def _question(names: Any, found: Doubts) -> str:
    if found.question is None:
        return "; no question would settle anything"
    first, second = (names[k] for k in found.question.designs)
    return f", asking {first} or {second} {_percent(found.question.settles)} for {found.question.price:g}"


def _option(text: str) -> str:
    """As a shell takes it; what no option says stands in the file of preferences."""
    kind, _, rest = text.partition(": ")
    return f"--{kind} {shlex.quote(rest)}" if kind in STATED else f"{text} (by --said, with what --json prints)"


def _data(opened: Study, said: Preferences, found: Doubts) -> dict[str, Any]:
    names = opened.names
    steps = {"question": found.question, "evaluation": found.evaluation}
    return {
        "best": names[found.best],
        "doubt": found.doubt,
        "of_preference": found.of_preference,
        "next": found.next,
        **{
            key: None
            if step is None
            else {"designs": [names[k] for k in step.designs], "settles": step.settles, "price": step.price}
            for key, step in steps.items()
        },
        "probability": dict(zip(names, found.probability.tolist(), strict=True)),
        "preferences": said.to_dict(),
        "heuristic": found.worth.reason,
    }


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.995 else f"{100 * share:.4g} %"
