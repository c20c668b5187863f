"""Evaluators: a function or a command in, D finite numbers or a reason in one line out."""

from __future__ import annotations

import copy
import os
import pickle
import sys
import textwrap

import pytest
from shared.evaluators import OBJECTIVES, ROW, fails, script

from conewise.errors import InputError
from conewise.problems.evaluators import (
    Command,
    EvaluationFailed,
    LocalFunction,
    PythonFunction,
    as_evaluator,
)

# -- values --------------------------------------------------------------------------------------------------------


# -- functions -----------------------------------------------------------------------------------------------------


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "own_simulator.py").write_text(
        textwrap.dedent(
            """
            import sys
            class Inner:
                @staticmethod
                def evaluate(design, seed): return design["x"], seed
            def evaluate(design, seed):
                design["x"] += seed
                return {"cost": design["x"], "speed": len(design["name"])}
            def broken(design, seed): return 1 / (design["x"] - 0.5)
            def multiline(design, seed): raise ValueError("first line\\nsecond\\x1b[31m line" + "!" * 500)
            def alone(design): return 1, 2
            def leaves(design, seed): sys.exit("no licence")
            number = 3
            """
        ),
        encoding="utf-8",
    )
    (tmp_path / "bad_module.py").write_text("raise RuntimeError('no board attached')\n", encoding="utf-8")
    (tmp_path / "quitting_module.py").write_text("import sys; sys.exit(3)\n", encoding="utf-8")
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    for name in ("own_simulator", "bad_module", "quitting_module"):
        sys.modules.pop(name, None)


def test_a_function_is_imported_from_its_folder_and_gets_a_row_of_its_own(module):
    evaluator = PythonFunction("own_simulator:evaluate", str(module))
    assert evaluator.evaluate(ROW, 7, OBJECTIVES) == [7.5, 5.0]
    assert evaluator.evaluate(ROW, 7, OBJECTIVES) == [7.5, 5.0]  # what it did to its design is not ours
    assert PythonFunction("own_simulator:Inner.evaluate", str(module)).evaluate(ROW, 7, OBJECTIVES) == [0.5, 7.0]


def test_what_a_function_raises_is_a_reason_with_its_place(module):
    folder = str(module)
    reason = fails(PythonFunction("own_simulator:broken", folder))
    assert reason == "ZeroDivisionError: float division by zero (own_simulator.py, line 9)"
    assert fails(PythonFunction("own_simulator:multiline", folder)).startswith(
        "ValueError: first line second [31m line!"
    )
    assert "SystemExit: no licence" in fails(PythonFunction("own_simulator:leaves", folder))
    assert "KeyError: 'y'" in fails(LocalFunction(lambda design, seed: design["y"]))


@pytest.mark.parametrize(
    "function",
    [lambda: 0, lambda design: 0, lambda a, b, c: 0, lambda design, seed, *, level: 0, os.getcwd],
    ids=["none", "one", "three", "by name", "in C"],
)
def test_a_function_of_other_arguments_is_refused_in_one_sentence(function):
    words = r"called with a design \(a dict\) and a seed, as in evaluate\(design, seed\), which .* does not take: .*\.$"
    for attempt in (LocalFunction(function).check, lambda _: LocalFunction(function).evaluate(ROW, 7, OBJECTIVES)):
        with pytest.raises(InputError, match=words):
            attempt(["x"])


def test_functions_that_can_be_called_are_not_refused(module):
    for function in (lambda design, seed, level=3: 0, lambda *words: 0, max):
        LocalFunction(function).check(["x"])
    with pytest.raises(InputError, match=r"which own_simulator:alone\(design\) does not take"):
        PythonFunction("own_simulator:alone", str(module)).prepare()


def test_an_interrupt_is_not_a_failed_evaluation():
    def interrupted(design, seed):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        LocalFunction(interrupted).evaluate(ROW, 7, OBJECTIVES)


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("no_such_module_here:evaluate", "cannot be imported: ModuleNotFoundError: No module named"),
        ("own_simulator:missing", "cannot be imported: AttributeError"),
        ("own_simulator:number", "is int, where a function was expected"),
        ("bad_module:evaluate", "cannot be imported: RuntimeError: no board attached"),
        ("quitting_module:evaluate", "cannot be imported: SystemExit: 3"),
    ],
)
def test_what_cannot_be_imported_is_no_failed_evaluation(module, target, words):
    evaluator = PythonFunction(target, str(module))
    for attempt in (evaluator.prepare, lambda: evaluator.evaluate(ROW, 7, OBJECTIVES)):
        with pytest.raises(InputError, match=words) as caught:
            attempt()
        assert not isinstance(caught.value, EvaluationFailed)


@pytest.mark.parametrize("text", ["", "evaluate", "module:", ":f", "a b:c", "a:b:c", "a.:b", "module:f()", "1a:f"])
def test_functions_are_written_with_a_colon(text):
    with pytest.raises(InputError, match="module:function"):
        PythonFunction(text)


# -- commands ------------------------------------------------------------------------------------------------------


def test_a_value_is_one_argument_whatever_it_holds(tmp_path):
    line = script(tmp_path, "import json, sys; print(json.dumps([len(sys.argv), sys.argv[1] == 'a b; rm -rf $HOME']))")
    command = Command(f"{line} {{label}} --x={{x}} '{{seed}} {{name}}'", str(tmp_path))
    assert command.arguments(ROW, 7)[-3:] == ["a b; rm -rf $HOME", "--x=0.5", "7 first"]
    counted = script(tmp_path, "import sys; print(len(sys.argv), int(sys.argv[1] == 'a b; rm -rf $HOME'))")
    assert Command(f"{counted} {{label}}", str(tmp_path)).evaluate(ROW, 7, OBJECTIVES) == [2.0, 1.0]


def test_doubled_braces_stay_braces():
    line = """sim '{{"x": {x}}}' {{}} '{"seed": {seed}}'"""
    assert Command(line).arguments(ROW, 7) == ["sim", '{"x": 0.5}', "{}", '{"seed": 7}']


def test_numbers_are_written_so_that_they_read_back():
    value = 0.1 + 0.2
    assert float(Command("sim {x}").arguments({"x": value}, 1)[1]) == value
    assert Command("sim {x} {y}").arguments({"x": -1.5, "y": "-2"}, 1) == ["sim", "-1.5", "-2"]


def test_a_design_cannot_pass_for_an_option_or_a_program():
    for name in ("--output=/etc/passwd", "-inf", "-nan", "-1", "-1_000", "-", "-infinity"):
        with pytest.raises(InputError, match=r"would be read as an option of the command; .* --value=\{name\}\.$"):
            Command("sim {name}").arguments({"name": name}, 1)
    for value in ("-inf", float("-inf"), "-v", "-1e", "-1x", "-1-1", "--1", "-\u0663"):
        with pytest.raises(InputError, match="would be read as an option"):
            Command("sim {x}").arguments({"x": value, "name": "a"}, 1)
    with pytest.raises(InputError, match="would be read as an option"):
        Command("sim {x}{name}").arguments({"x": "", "name": "--help"}, 1)
    assert Command("sim {x},{y}").arguments({"x": -1.5, "y": -2}, 1) == ["sim", "-1.5,-2"]
    assert Command("sim --name={name}").arguments({"name": "--help"}, 1) == ["sim", "--name=--help"]
    with pytest.raises(InputError, match="must be named, not filled in"):
        Command("{program} --x 1")
    with pytest.raises(InputError, match="must be named, not filled in"):
        Command("./bin/{name} --x 1")


def test_columns_are_checked_before_anything_runs():
    command = Command("sim {x} {name} {seed}")
    command.check(["x", "y"])
    with pytest.raises(InputError, match=r"asks for \{x\}, but the designs have y, seed, name; write \{\{ for a brace"):
        command.check(["y"])
    with pytest.raises(InputError, match="called seed"):
        command.check(["x", "seed"])
    with pytest.raises(InputError, match=r"needs \{x\}, for which design 'a' has no value"):
        command.arguments({"x": None, "name": "a"}, 1)
    with pytest.raises(InputError, match="zero byte"):
        command.arguments({"x": "a\0b", "name": "a"}, 1)


@pytest.mark.parametrize(("line", "words"), [("", "empty line"), ("  ", "empty line"), ("sim 'x", "cannot be split")])
def test_lines_that_are_no_command_are_refused(line, words):
    with pytest.raises(InputError, match=words):
        Command(line)


# -- as values -----------------------------------------------------------------------------------------------------


def test_text_is_a_function_or_a_command():
    assert as_evaluator("simulator.core:evaluate", "/a") == PythonFunction("simulator.core:evaluate", "/a")
    assert as_evaluator("./simulate --x {x}", "/a") == Command("./simulate --x {x}", "/a")
    assert as_evaluator("http://localhost") == Command("http://localhost")
    command = Command("ls")
    assert as_evaluator(command) is command
    assert as_evaluator(max).function is max
    for nonsense in (3, None, ["ls"]):
        with pytest.raises(InputError, match="an evaluator is a function, module:function, a command"):
            as_evaluator(nonsense)


@pytest.mark.parametrize(
    "evaluator", [PythonFunction("a:b", "/x"), Command("ls {x}"), LocalFunction(os.getcwd)], ids=str
)
def test_evaluators_travel(evaluator):
    assert pickle.loads(pickle.dumps(evaluator)) == copy.deepcopy(evaluator) == evaluator
    assert hash(evaluator) == hash(copy.deepcopy(evaluator))
    error = pickle.loads(pickle.dumps(EvaluationFailed("no licence")))
    assert str(error) == "no licence"
