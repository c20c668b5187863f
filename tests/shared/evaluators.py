"""Evaluations that fail, and programs that evaluate."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import pytest

from conewise.problems.evaluators import (
    EvaluationFailed,
)

ROW = {"x": 0.5, "label": "a b; rm -rf $HOME", "name": "first"}
OBJECTIVES = ("cost", "speed")
PYTHON = sys.executable


def fails(evaluator, row=ROW, **options) -> str:
    with pytest.raises(EvaluationFailed) as caught:
        evaluator.evaluate(row, 7, OBJECTIVES, **options)
    text = str(caught.value)
    assert "\n" not in text
    assert text.isprintable()
    assert len(text) <= 300
    return text


def script(folder: Path, code: str, name: str = "simulate.py") -> str:
    """A command that runs these lines of Python."""
    (folder / name).write_text(textwrap.dedent(code), encoding="utf-8")
    return f"{PYTHON} -S -E {name}"
