"""Commands that run: their time, their output, what they leave behind."""

from __future__ import annotations

import json
import os
import signal

import pytest
from shared.evaluators import OBJECTIVES, ROW, fails, script
from shared.processes import LIMIT, is_gone, wait_until

from conewise.errors import InputError
from conewise.problems import commands
from conewise.problems.evaluators import (
    Command,
    EvaluationFailed,
)


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
