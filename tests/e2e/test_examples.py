"""Every example runs from top to bottom, in a folder of its own, without a warning and without leaving anything."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
SAID = {
    "001_first.py": ["Pareto: treatment 1, treatment 2", "checked: Verdict(success"],
    "002_your_simulator.py": ["0 failures, finished: True", "worth: guaranteed"],
    "003_laboratory_ask_tell.py": ["2 new, 4 were there already", "1 corrected, finished: True", "worth: guaranteed"],
    "004_dask.py": ["evaluations on 2 workers, finished: True", "worth: guaranteed"],
}


def test_these_are_the_examples():
    assert [path.name for path in EXAMPLES] == sorted(SAID)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs(path, tmp_path):
    environment = os.environ | {"PYTHONWARNINGS": "error", "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, str(path)], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    if path.name != "004_dask.py":  # a cluster that closes may log connections lost on the way, with their traces
        assert "Traceback" not in done.stderr
    assert "conewise/" not in done.stderr  # no trace goes through our own files
    for words in SAID[path.name]:
        assert words in done.stdout
    assert list(tmp_path.glob("*.db*")) == []


def test_without_its_extra_an_example_says_what_to_install(tmp_path):
    (tmp_path / "distributed.py").write_text("raise ImportError\n", encoding="utf-8")
    path = next(path for path in EXAMPLES if path.name == "004_dask.py")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, str(path)], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1
    assert done.stderr == "This example needs Dask: run pip install '.[distributed]' in a checkout of conewise.\n"
