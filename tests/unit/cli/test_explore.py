"""The command that explores: tokens, objectives, and what is wrong in one line."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from click.testing import CliRunner
from shared.explorer import PATIENCE

from conewise.cli.explore import TOKEN
from conewise.cli.main import commands, main
from conewise.errors import InputError


@pytest.mark.parametrize(
    "token", ["", "short", "x" * 201, "a" * 19, "with a space in the middle", "a/b" * 10, "é" * 30]
)
def test_a_token_that_is_easy_to_guess_or_no_part_of_an_address_is_refused(token, monkeypatch):
    monkeypatch.setenv(TOKEN, token)
    done = CliRunner().invoke(commands, ["explore", "snw", "--no-browser"])
    assert isinstance(done.exception, InputError)
    assert "20 to 200 letters" in str(done.exception)


def conewise(*arguments, code="from conewise.cli import main; import sys; main(sys.argv[1:])"):
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=PATIENCE)


def test_the_command_says_in_one_line_what_is_wrong(tmp_path):
    missing = "import sys; sys.modules['starlette'] = None; " + conewise.__kwdefaults__["code"]
    done = conewise("explore", "snw", "--no-browser", code=missing)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(
        r"conewise: the explorer needs starlette[^\n]*: run pip install '\.\[explore\]' in a checkout of conewise\.\n",
        done.stderr,
    )


def test_the_command_says_in_which_steps_preferences_count(tmp_path, monkeypatch):
    from conewise.dashboard.server import Explorer

    monkeypatch.setattr(Explorer, "run", lambda self: self._socket.close())  # nobody comes
    path = tmp_path / "cars.csv"
    path.write_text("name,price,power\na,14900,75\nb,41000,210\n")
    said = "Preferences count in steps of 2000 price, 10 power; --unit says otherwise."
    for options, expected in (
        ([], [said]),
        (["--minimise", "price", "--accept", "100 price for 1 power"], [said]),
        (["--unit", "price=100"], []),
        (["--cone", "planar:120"], []),  # counts as it does in every other command
        (["--objectives", "power"], []),
    ):
        done = CliRunner().invoke(commands, ["explore", str(path), "--no-browser", *options])
        assert (done.exception, done.output.splitlines()[1:]) == (None, expected)


def test_a_page_has_room_for_so_many_objectives(tmp_path, capsys):
    path = tmp_path / "wide.csv"
    path.write_text("\n".join([",".join(["name", *(f"f{d}" for d in range(51))]), ",".join(["a", *["1"] * 51])]) + "\n")
    with pytest.raises(SystemExit) as stop:
        main(["explore", str(path), "--no-browser"])
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert "the explorer shows up to 50 objectives, got 51; choose columns with --objectives." in said
    assert said.count("\n") == 1
