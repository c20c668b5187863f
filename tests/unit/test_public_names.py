"""The public names: all there, all described, data positional and switches keyword-only."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import numpy as np
import pytest

import conewise as cw

# What the contracts promise of the cone calculus; later names may join, none of these may go.
CALCULUS = {
    "Cone",
    "ConeError",
    "ConewiseError",
    "InputError",
    "LowerBound",
    "OrderingComplexity",
    "Verdict",
    "cover_gaps",
    "dominates",
    "escape_gaps",
    "gap_dependent_bound",
    "hardness",
    "lift_norm",
    "pareto_mask",
    "problems",
    "separation_gaps",
    "strongly_dominates",
    "suboptimality_gaps",
    "verdict",
    "weakly_dominates",
    "worst_case_bound",
}
PROBLEMS = {"HardInstance", "gap_dependent_instance", "load", "worst_case_instance"}

CONE_MEMBERS = {
    *("orthant", "planar", "importance", "ranked", "from_rays", "ice_cream", "exchange", "parse", "from_dict"),
    *("to_dict", "facets", "rays", "dim", "dual", "removed", "contains", "project", "includes", "widths"),
    *("complexity", "text"),
}

KEYWORD_ONLY = {
    cw.pareto_mask: ["keep_duplicates"],
    cw.escape_gaps: ["rivals"],
    cw.cover_gaps: ["rivals"],
    cw.Cone.contains: ["interior", "tolerance"],
}


def test_promised_names_are_public():
    assert set(cw.__all__) >= CALCULUS
    assert set(cw.problems.__all__) >= PROBLEMS


def test_every_public_name_stands_on_the_page_of_the_api():
    page = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
    whole = {"SimulatedBandit", "__version__", "analyze"}  # a member of problems, a number, another spelling
    for module in (cw, cw.rules, cw.models, cw.noise, cw.readers):
        assert {name for name in module.__all__ if not re.search(rf"\b{name}\b", page)} <= whole, module.__name__
    assert "conewise._" not in page


@pytest.mark.parametrize("module", [cw, cw.problems], ids=["conewise", "problems"])
def test_all_lists_each_name_once_in_order(module):
    assert list(module.__all__) == sorted(set(module.__all__))
    for name in module.__all__:
        assert getattr(module, name) is not None


def test_nothing_public_is_left_out_of_all():
    rooms = {module.name for module in pkgutil.iter_modules(cw.__path__)}
    visible = {name for name in vars(cw) if not name.startswith("_")} - rooms
    assert visible <= set(cw.__all__)


def test_dir_does_not_lie_about_all():
    namespace: dict[str, object] = {}
    exec("from conewise import *", namespace)
    assert set(cw.__all__) <= set(namespace)


def test_analyze_is_analyse():
    assert cw.analyze is cw.analyse


def test_names_that_are_imported_when_needed_are_listed_and_others_refused():
    assert set(cw.__all__) <= set(dir(cw))
    assert cw.Study is importlib.import_module("conewise.studies.study").Study
    with pytest.raises(AttributeError, match="has no attribute 'Studdy'"):
        _ = cw.Studdy


PROTOCOLS = {"_repr_html_", "_repr_png_", "_replace", "_asdict", "_exit"}
"""Names that notebooks, named tuples and `os` give a leading underscore, and promise."""


def private_names(source: str) -> list[str]:
    """Return where a test reaches into a private name: by import, attribute, or text of what is patched."""

    def private(name: str) -> bool:
        return name.startswith("_") and not name.startswith("__") and name not in PROTOCOLS

    found = []
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom):
            names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [part for alias in node.names for part in alias.name.split(".")]
        elif isinstance(node, ast.Attribute) and not (isinstance(node.value, ast.Name) and node.value.id == "self"):
            names = [node.attr]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
            texts = [text.value for text in node.args[:2] if isinstance(text, ast.Constant)]
            patches = called in {"setattr", "getattr", "delattr", "hasattr", "setitem", "patch"}
            names = [part for text in texts if isinstance(text, str) for part in text.split(".")] if patches else []
        found += [f"line {node.lineno}: {name}" for name in names if private(name)]
    return found


@pytest.mark.parametrize(
    "source",
    [
        "from conewise._digits import readable",
        "import conewise._digits",
        "study._reader",
        "cw.Study.open('x')._reader.ledger",
        "monkeypatch.setattr(runner, '_ALONE', 0)",
        "monkeypatch.setattr('conewise.studies.running.runner._ALONE', 0)",
    ],
)
def test_the_check_sees_a_private_name(source):
    assert private_names(source)


@pytest.mark.parametrize("source", ["self._held", "cone._repr_html_()", "entry._replace(seq=3)", "cw.__version__"])
def test_the_check_allows_what_is_public(source):
    assert private_names(source) == []


def test_no_test_reaches_into_a_private_name():
    """A test that does freezes the code: ask through a public name, or give the name to the room."""
    tests = Path(__file__).parents[1]
    found = {str(path.relative_to(tests)): private_names(path.read_text("utf-8")) for path in tests.rglob("*.py")}
    assert {name: lines for name, lines in found.items() if lines} == {}


PUBLIC = {name: getattr(module, name) for module in (cw, cw.problems) for name in module.__all__}
FORMULAS = [name for name, thing in PUBLIC.items() if inspect.isfunction(thing) and name in CALCULUS | PROBLEMS]


@pytest.mark.parametrize("name", [name for name, thing in PUBLIC.items() if callable(thing)])
def test_public_things_are_described(name):
    assert len(inspect.getdoc(PUBLIC[name]) or "") > 20


@pytest.mark.parametrize("name", FORMULAS)
def test_functions_of_the_calculus_give_an_example_or_an_address(name):
    described = inspect.getdoc(PUBLIC[name])
    assert any(word in described for word in (">>>", "Ararat & Tekin 2023", "docs/theory"))


@pytest.mark.parametrize("name", sorted(CONE_MEMBERS))
def test_cone_has_its_members(name):
    assert hasattr(cw.Cone, name) or name in cw.Cone.__annotations__


@pytest.mark.parametrize(
    ("function", "switches"), list(KEYWORD_ONLY.items()), ids=lambda value: getattr(value, "__name__", "")
)
def test_switches_are_keyword_only(function, switches):
    kinds = {name: parameter.kind for name, parameter in inspect.signature(function).parameters.items()}
    assert [name for name, kind in kinds.items() if kind is inspect.Parameter.KEYWORD_ONLY] == switches


@pytest.mark.parametrize("kind", [cw.LowerBound, cw.OrderingComplexity, cw.Verdict, cw.problems.HardInstance])
def test_results_are_frozen_values(kind):
    assert dataclasses.is_dataclass(kind)
    assert kind.__dataclass_params__.frozen


@pytest.mark.parametrize(
    ("result", "arrays"),
    [
        (cw.Cone.planar(45).complexity, ["pair"]),
        (cw.gap_dependent_bound([[0, 1], [1, 0]], cw.Cone.orthant(2), 0.1, 0.1), ["direction"]),
        (cw.worst_case_bound(cw.Cone.planar(45), 5, 0.1, 0.1), ["direction"]),
        (cw.problems.worst_case_instance(cw.Cone.planar(45), 5, 0.1), ["means", "noise"]),
        (cw.problems.load("snw"), ["means"]),
        (cw.Cone.ice_cream(60), ["facets", "rays", "widths"]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_shared_arrays_cannot_be_written_to(result, arrays):
    for name in arrays:
        with pytest.raises(ValueError, match="read-only"):
            getattr(result, name)[0] = 0


def test_errors_form_one_family():
    assert issubclass(cw.ConeError, cw.InputError)
    assert issubclass(cw.InputError, cw.ConewiseError)
    assert issubclass(cw.InputError, ValueError)


def test_masks_are_boolean_and_gaps_are_floats():
    points, cone = np.eye(3), cw.Cone.orthant(3)
    assert cw.pareto_mask(points, cone).dtype == np.bool_
    assert cw.dominates(points, points, cone).dtype == np.bool_
    for gaps in (cw.escape_gaps, cw.cover_gaps, cw.suboptimality_gaps, cw.separation_gaps):
        assert gaps(points, cone).dtype == np.float64
