"""The table of who is right: runs are kept and counted, and a promise is broken where the interval says so."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from benchmarks import lines, rules, whoisright
from conewise.noise import Gaussian

TIES = whoisright.near_ties()


@pytest.fixture
def apart(monkeypatch, tmp_path):
    """Files of its own, the near-ties alone, and VOPy as on a machine where `make bench-peers` never ran."""
    for name, value in (
        ("KEPT", tmp_path / "runs.jsonl"),
        ("PAGE", tmp_path / "page.md"),
        ("instances", lambda: (TIES,)),
        ("VOPY_PYTHON", tmp_path / "python"),
    ):
        monkeypatch.setattr(whoisright, name, value)
    monkeypatch.setattr(rules, "KEPT", tmp_path / "rules.jsonl")
    return tmp_path


def test_near_ties_are_standardised_and_just_too_far_apart():
    means = np.asarray(TIES.problem.means)
    np.testing.assert_allclose(means.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(means.std(axis=0), 1)
    front = cw.pareto_mask(means, whoisright.ORTHANT)
    assert front.sum() == 2
    assert cw.verdict(front, means, whoisright.ORTHANT, TIES.epsilon)
    for one in range(6):  # nobody may be taken away, nobody added
        assert not cw.verdict(front ^ (np.arange(6) == one), means, whoisright.ORTHANT, TIES.epsilon)


def test_runs_with_a_model_are_those_of_the_other_table(apart):
    told = {"evaluations": 5, "ended": True, "right": True, "promised": True, "seconds": 1.0, "case": "near-ties"}
    made = [
        rules.Run(**told, rule="**model**", seed=1),
        rules.Run(**told, rule="VOPy VOGP, proven radius", seed=1, replayed=True),
        rules.Run(**told, rule="of no interest", seed=1),
    ]
    lines.fill(rules.KEPT, [lambda run=run: run for run in made], 1.0)
    rows = [row for row in whoisright.page(whoisright.done()).splitlines() if row.startswith("| ")]
    assert [row.split(" | ")[:2] for row in rows[1:]] == [
        ["| **with a model**", "conewise"],
        ["| VOPy VOGP, proven radius", "replayed"],
    ]


def ran(right: int, runs: int = 7, ended: int = 6) -> list[whoisright.Run]:
    return [whoisright.Run("here", "any", k, 10, k < right, 0.1, ended=k < ended) for k in range(runs)]


def by_proof(proof: str) -> whoisright.Rule:
    return next(rule for rule in whoisright.RULES if rule.proof == proof and rule.code == whoisright.OURS)


@pytest.mark.parametrize(("right", "below"), [(0, True), (6, False)])
def test_a_promise_is_broken_where_its_interval_lies_below(right, below):
    row = whoisright.row(by_proof(whoisright.TRUTH), "conewise", ran(right))
    assert ("**broken**" in row) is below
    assert f"| 95% | 7 | 6 | {right} | {right / 6:.3f} |" in row  # a run that did not end gave no answer
    averaged = whoisright.row(by_proof(whoisright.PRIOR), "conewise", ran(right))
    assert ("| below 95% |" in averaged) is below
    assert "**broken**" not in averaged


@pytest.mark.parametrize("proof", [whoisright.SHRUNK, whoisright.TUNED, whoisright.LIMIT])
def test_what_was_not_promised_cannot_be_broken(proof):
    row = whoisright.row(by_proof(proof), "conewise", ran(0))
    assert f"| {proof} | – | 7 |" in row
    assert row.endswith("| below 95% |")


@pytest.mark.parametrize("rule", [r for r in whoisright.RULES if r.code == whoisright.OURS], ids=lambda r: r.name)
def test_a_rule_of_this_library_promises_what_its_answers_say(rule):
    bandit = cw.SimulatedBandit([[0.0, 0.0], [1.0, 1.0]], Gaussian(0.3))
    easy = whoisright.Instance("easy", "", bandit, 0.5, np.arange(2.0)[:, None], 0.3)
    assert bool(rule.make.answer(easy, 1).guarantee) is rule.promises


def test_many_verdicts_are_right_together():
    assert "**broken**" in whoisright.row(by_proof(whoisright.TRUTH), "conewise", ran(0, 2, 2))
    assert "**broken**" not in whoisright.row(by_proof(whoisright.TRUTH), "conewise", ran(0, 2, 2), verdicts=61)


def test_no_answer_is_no_share():
    assert "| 2 | 0 | 0 | – | – |" in whoisright.row(by_proof(whoisright.TRUTH), "conewise", ran(0, 2, 0))
