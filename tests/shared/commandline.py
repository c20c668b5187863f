"""The command line inside this process, and the one line of a refusal."""

from __future__ import annotations

import pytest

from conewise.cli.main import main


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(list(arguments))
    out, err = capsys.readouterr()
    return caught.value.code, out, err


def refused(capsys, *arguments: str) -> str:
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("conewise: ")
    assert err.endswith(".\n")
    assert err.count("\n") == 1
    return err
