"""The shipped suites: they need pytest and say so, and what breaks the contract fails them."""

from __future__ import annotations

import subprocess
import sys

import pytest

import conewise as cw

BROKEN = """
from dataclasses import dataclass, replace

import conewise as cw
from conewise.testing import RuleContract
from conewise.testing.algorithms import PROBLEMS


@dataclass(frozen=True)
class Lossy(cw.NaiveElimination):
    def tell(self, state, observations):
        n = max(1, len(observations) - 1)
        return state.add(cw.Observations.single(observations.designs[:n], observations.means[:n]))


@dataclass(frozen=True)
class Boastful(cw.NaiveElimination):
    def recommend(self, state):
        return replace(super().recommend(state), guarantee=cw.Guarantee(self.epsilon, self.delta, "none", "nothing"))


class TestLossy(RuleContract):
    problems = {"two designs": PROBLEMS["two designs"]}

    def make(self, question, n_designs):
        return Lossy(question, n_designs)


class TestBoastful(RuleContract):
    problems = {"two designs": PROBLEMS["two designs"]}

    def make(self, question, n_designs):
        return Boastful(question, n_designs)
"""


def test_without_pytest_one_sentence_says_what_is_missing(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("conewise.testing")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pytest", None)
    with pytest.raises(cw.ConewiseError, match=r"conewise\.testing need pytest: run pip install '\.\[testing\]'"):
        import conewise.testing  # noqa: F401


def test_conewise_itself_does_not_import_the_suites():
    code = "import sys, conewise; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "conewise.cone.cone" in loaded
    assert not [name for name in loaded if name.startswith(("pytest", "conewise.testing"))]


def test_what_breaks_the_contract_fails(tmp_path):
    (tmp_path / "test_broken.py").write_text(BROKEN)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=no", "-rf", "test_broken.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    failed = {"::".join(line.split("::")[1:]).split("[")[0] for line in ran.stdout.splitlines() if "::" in line}
    assert "TestLossy::test_any_split_of_the_same_observations_gives_the_same_state_and_answer" in failed
    assert "TestLossy::test_telling_makes_a_new_state_and_leaves_the_old_one" in failed
    assert "TestBoastful::test_before_the_end_nothing_is_guaranteed" in failed
    assert "TestBoastful::test_it_starts_with_nothing_observed" not in failed
