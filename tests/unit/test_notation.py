"""docs/notation.md is a dictionary: every symbol of docs/adaptive has a row, and every name in a row is in the code."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

import conewise as cw
from conewise.data.observations import Statistics
from conewise.models.posterior import Conditioned
from conewise.order import directions
from conewise.question.question import Verdict
from conewise.rules import VOGP, NaiveElimination
from conewise.rules.contract import Result

DOCS = Path(__file__).parents[2] / "docs"
ROOM = Path(cw.__file__).parent / "certificate"
ROWS = [line.split("|") for line in (DOCS / "notation.md").read_text(encoding="utf-8").splitlines() if line[:1] == "|"]

GREEK = "alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi chi psi omega ell"
LETTER = rf"(?:[A-Za-z]|\\(?:{'|'.join(f'{name}|{name.title()}' for name in (*GREEK.split(), 'varphi'))})(?![A-Za-z]))"
SYMBOL = re.compile(
    rf"(?:\\(hat|bar|tilde|overline)\{{?\s*)?({LETTER})\}}?(?:_(?:\{{[^{{}}]*\}}|.))?(?:\^\{{?([A-Zb*+])\}}?)?"
)
PLAIN = re.compile(r"\\(?!(?:hat|bar|tilde|overline)\b)(?:(?:text|operatorname|mathrm|mathbb)\{[^}]*\}|[A-Za-z]+)")

BOUND = {"i", "j", "k", "l", "n", "d", "e", r"\pi", "I"}
"""Indices, e and pi, the unit matrix."""


def symbols(text: str) -> set[str]:
    """What stands in formulas: letters with their hat or bar and with a capital, star or plus above, no indices."""
    prose = re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)
    found = set()
    for formula in (whole or part for whole, part in re.findall(r"\$\$(.+?)\$\$|\$(.+?)\$", prose, flags=re.DOTALL)):
        bare = PLAIN.sub(lambda match: match[0] if re.fullmatch(LETTER, match[0]) else " ", formula)
        found |= {" ".join(filter(None, parts)) for parts in SYMBOL.findall(bare)}
    return found - BOUND


def test_symbols_are_read_off_formulas():
    text = r"With $\hat\mu_i\cdot w_n\le a^F$ and `$x$`, $$\sum_{n} \text{gap}_i^2 \ge \bar X_a^{(l)}$$"
    assert symbols(text) == {r"hat \mu", "w", "a F", "bar X"}


def test_every_symbol_of_the_adaptive_page_has_a_row():
    said = symbols((DOCS / "adaptive.md").read_text(encoding="utf-8"))
    assert sorted(said - symbols("\n".join(row[1] for row in ROWS))) == []


# -- names ---------------------------------------------------------------------------------------------------------

MODULES = [
    import_module(".".join(("conewise", "certificate", *path.relative_to(ROOM).with_suffix("").parts)))
    for path in sorted(ROOM.rglob("[!_]*.py"))
]
KNOWN: dict[str, object] = {name: value for module in MODULES for name, value in vars(module).items()}
KNOWN |= {module.__name__.rpartition(".")[2]: module for module in MODULES}
KNOWN |= {"cw": cw, "conewise": cw, "directions": directions, "VOGP": VOGP}
KNOWN |= {"Conditioned": Conditioned}
KNOWN |= {"cone": cw.Cone.orthant(2), "statistics": Statistics, "result": Result, "verdict": Verdict}
KNOWN |= {"algorithm": NaiveElimination, "problem": cw.problems.Recorded, "study": cw.Study}

NAMES = sorted({name for row in ROWS for name in re.findall(r"`~?([A-Za-z]\w*\.[\w.]+)", row[2])})


def found(name: str) -> bool:
    """Whether a dotted name leads somewhere: from the library, a class or a module of the certificate, or a value."""
    first, *rest = name.split(".")
    here = KNOWN.get(first)
    for part in rest:
        if not hasattr(here, part) and part not in getattr(here, "__dataclass_fields__", {}):
            return False
        here = getattr(here, part, None)
    return first in KNOWN


@pytest.mark.parametrize("name", ["Seen.gain", "Sight.gains", "cone.complexity.gamma"])
def test_a_name_that_leads_nowhere_is_not_found(name):
    assert not found(name)


def test_every_name_in_a_row_is_in_the_code():
    assert len(NAMES) > 50
    assert [name for name in NAMES if not found(name)] == []


# -- addresses -----------------------------------------------------------------------------------------------------

LONG = 14  # lines from which a function of the certificate says where its claim is proved
ADDRESS = re.compile(r"docs/(adaptive|blocks)|\bsections? \d|\(\d\.\d|Lemma|\b(19|20)\d\d\b")
BOOKKEEPING = {
    "Contrasts.unmoved",
    "Kinds.of",
    "Memo.matrix",
    "Paired.deviations",
    "Paired._read",
    "Paired.tell",
    "Table.of",
    "check_constant",
    "check_range",
}
"""What is taken over from look to look, gathered or refused: nothing is claimed there."""


def functions(path: Path) -> list[tuple[str, str]]:
    """(name, text) of the long functions of a module; those of a class with its name before."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    owners = [("", tree.body), *((f"{n.name}.", n.body) for n in tree.body if isinstance(n, ast.ClassDef))]
    return [
        (f"{owner}{node.name}", ast.get_source_segment(text, node) or "")
        for owner, body in owners
        for node in body
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= LONG
    ]


def test_every_long_function_of_the_certificate_says_where_its_claim_is_proved():
    long = [each for path in sorted(ROOM.rglob("*.py")) for each in functions(path)]
    without = {name for name, text in long if not ADDRESS.search(text) and "__post_init__" not in name}
    assert len(long) > 20
    assert without == BOOKKEEPING
