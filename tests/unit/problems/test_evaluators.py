"""Evaluators: a function or a command in, D finite numbers or a reason in one line out."""

from __future__ import annotations

import copy
import json
import os
import pickle
import signal
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from shared.processes import LIMIT, is_gone, wait_until

from conewise.errors import InputError
from conewise.problems import commands
from conewise.problems.evaluators import (
    Command,
    EvaluationFailed,
    LocalFunction,
    PythonFunction,
    as_evaluator,
    as_values,
    read_values,
)

OBJECTIVES = ("cost", "speed")
ROW = {"x": 0.5, "label": "a b; rm -rf $HOME", "name": "first"}
PYTHON = sys.executable


def script(folder: Path, code: str, name: str = "simulate.py") -> str:
    """A command that runs these lines of Python."""
    (folder / name).write_text(textwrap.dedent(code), encoding="utf-8")
    return f"{PYTHON} -S -E {name}"


def fails(evaluator, row=ROW, **options) -> str:
    with pytest.raises(EvaluationFailed) as caught:
        evaluator.evaluate(row, 7, OBJECTIVES, **options)
    text = str(caught.value)
    assert "\n" not in text
    assert text.isprintable()
    assert len(text) <= 300
    return text


# -- values --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "returned",
    [
        [1, 2],
        (1.0, 2.0),
        np.array([1, 2]),
        np.array([1.0, 2.0], dtype=np.float32),
        {"speed": 2, "cost": 1, "temperature": 300},
        iter([1, np.int64(2)]),
        [np.array(1.0), np.float64(2)],
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_in_every_shape(returned):
    assert as_values(returned, OBJECTIVES) == [1.0, 2.0]


def test_one_objective_may_be_one_number():
    assert as_values(3, ["cost"]) == [3.0]
    assert as_values(np.float64(3), ["cost"]) == [3.0]


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        ([1, float("nan")], "finite number was expected for the objective 'speed', got nan"),
        ([float("inf"), 1], "objective 'cost', got inf"),
        ([10**400, 1], "objective 'cost'"),
        ([None, 1], "objective 'cost', got None"),
        ({"speed": None, "cost": 1}, "objective 'speed', got None"),
    ],
    ids=str,
)
def test_what_is_no_value_is_a_failure_with_the_objective(returned, words):
    with pytest.raises(EvaluationFailed, match=words):
        as_values(returned, OBJECTIVES)


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        ([1], r"1 value for 2 objectives \(cost, speed\); .* a list as \[cost, speed\], or by name\.$"),
        ([1, 2, 3], "3 values for 2 objectives"),
        ([], "0 values for 2 objectives"),
        (5.0, "1 value for 2 objectives"),
        (None, "2 numbers were expected, got None"),
        ("12", "2 numbers were expected, got '12'"),
        ([True, 1], "objective 'cost', got True"),
        (["1", 1], "objective 'cost', got '1'"),
        ([1j, 1], "objective 'cost'"),
        ([[1, 2], [3, 4]], "objective 'cost'"),
        ({"cost": 1}, "no value for the objective 'speed' among cost"),
        ({}, "no value for the objective 'cost' among nothing"),
    ],
    ids=str,
)
def test_another_shape_or_another_name_is_a_mistake_that_no_attempt_mends(returned, words):
    with pytest.raises(InputError, match=words):
        as_values(returned, OBJECTIVES)


@pytest.mark.parametrize(
    "printed",
    [
        "1 2",
        "1,2\n",
        " 1.0;  2e0 \n\n",
        "1\n2",
        "[1, 2]",
        '{"speed": 2.0, "cost": 1.0}',
        '{\n  "cost": 1,\n  "speed": 2\n}\n',
        "step 1 of 3\nstep 2 of 3\n1 2\n",
        'warming up\n{"cost": 1, "speed": 2}\n',
        "100\n1, 2",
    ],
)
def test_printed_values(printed):
    assert read_values(printed, OBJECTIVES) == [1.0, 2.0]


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ("", "printed nothing"),
        (" \n ", "printed nothing"),
        ("one two", "numbers or JSON were expected, the command printed 'one two'"),
        ("[1, 2", "is not JSON"),
        ("[1, NaN]", "objective 'speed', got nan"),
        ("nan 1", "objective 'cost', got nan"),
        ("1 2\nbye", "printed 'bye'"),
    ],
)
def test_printed_nonsense(printed, words):
    with pytest.raises(EvaluationFailed, match=words):
        read_values(printed, OBJECTIVES)


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ('["1", "2"]', "objective 'cost'"),
        ("[[1, 2]]", "1 value for 2"),
        ("1 2 3", "3 values for 2"),
        ('step 1\n{"cost": 1}', "no value for the objective 'speed'"),
    ],
)
def test_printed_values_of_another_shape_are_a_mistake(printed, words):
    with pytest.raises(InputError, match=words):
        read_values(printed, OBJECTIVES)


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


def test_braces():
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
def test_lines_that_are_no_command(line, words):
    with pytest.raises(InputError, match=words):
        Command(line)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import sys; print('loading', file=sys.stderr); sys.exit('no licence left')", "exit code 1: no licence left"),
        ("import sys; sys.exit(3)", "exit code 3 and said nothing"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "was ended by signal 9"),
        ("1 / 0", "exit code 1: ZeroDivisionError: division by zero"),
        ("print('nan', 1)", "objective 'cost', got nan"),
        ("", "printed nothing"),
        (
            "import sys; sys.stderr.write('bad\\x1b[0m\\tmesh\\n'); print('x')",
            "(last line of stderr: bad [0m mesh)",
        ),
        ("import sys; sys.stdout.buffer.write(bytes([255, 254]))", "numbers or JSON were expected"),
    ],
)
def test_what_goes_wrong_with_a_command_is_a_reason(tmp_path, code, words):
    reason = fails(Command(script(tmp_path, code), str(tmp_path)))
    assert words in reason


def test_a_command_that_is_not_there_is_no_failed_evaluation(tmp_path):
    for command in (Command("./no-such-program", str(tmp_path)), Command("ls", str(tmp_path / "nowhere"))):
        with pytest.raises(InputError, match="cannot be started: No such file or directory: ") as caught:
            command.evaluate(ROW, 7, OBJECTIVES)
        assert not isinstance(caught.value, EvaluationFailed)


def test_the_time_limit_ends_a_command_and_what_it_started(tmp_path):
    code = """
        import os, time
        child = os.fork()
        if child: open("child", "w").write(str(child)); os.rename("child", "pid")
        time.sleep(600)
    """
    command = Command(script(tmp_path, code), str(tmp_path))
    assert fails(command, time_limit=1.0) == "no answer within 1 seconds"
    child = int((tmp_path / "pid").read_text())
    wait_until(lambda: is_gone(child), "the end of the command's child")


def test_a_command_that_prints_without_end_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(commands, "MOST_PRINTED", 100_000)
    code = """
        import os, sys
        open("pid", "w").write(str(os.getpid()))
        while True: sys.stdout.write("1 2 " * 1000)
    """
    reason = fails(Command(script(tmp_path, code), str(tmp_path)))
    assert reason == "the command printed more than 100,000 bytes and was ended; print the values alone"
    assert is_gone(int((tmp_path / "pid").read_text()))


def test_a_command_may_complain_at_length(tmp_path):
    code = "import sys; sys.stderr.write('step\\n' * 100_000 + 'done\\n'); print(1, 2)"
    assert Command(script(tmp_path, code), str(tmp_path)).evaluate(ROW, 7, OBJECTIVES) == [1.0, 2.0]
    code = "import sys; sys.stderr.write('step\\n' * 100_000 + 'no mesh\\n'); sys.exit(1)"
    assert fails(Command(script(tmp_path, code), str(tmp_path))) == "the command ended with exit code 1: no mesh"


def test_nobody_waits_for_what_a_command_left_running(tmp_path):
    """It holds the pipes for ten minutes; the values are there as soon as the command itself has ended."""
    code = """
        import os, time
        child = os.fork()
        if not child: time.sleep(600); os._exit(0)
        open("pid", "w").write(str(child))
        print(1, 2)
    """
    command = Command(script(tmp_path, code), str(tmp_path))
    try:
        assert command.evaluate(ROW, 7, OBJECTIVES, time_limit=LIMIT) == [1.0, 2.0]
        assert not is_gone(int((tmp_path / "pid").read_text()))
    finally:
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)


def test_the_environment_and_the_folder_are_the_callers(tmp_path, monkeypatch):
    monkeypatch.setenv("SIMULATOR_LEVEL", "4")
    (tmp_path / "mesh.json").write_text(json.dumps([3]))
    code = "import json, os; print(json.load(open('mesh.json'))[0], os.environ['SIMULATOR_LEVEL'])"
    assert Command(script(tmp_path, code), str(tmp_path)).evaluate(ROW, 7, OBJECTIVES) == [3.0, 4.0]


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
