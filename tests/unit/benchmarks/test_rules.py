"""The table of rules with a model: replayed rules decide as VOPy's definitions say, and rows count what was run."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import conewise as cw
from benchmarks import replay, rules
from conewise.noise import Gaussian

X = np.linspace(0, 1, 12)[:, None]
MEANS = np.column_stack([np.sin(3 * X[:, 0]), np.cos(3 * X[:, 0])])


@pytest.fixture(scope="module")
def table():
    return replay.Replay(MEANS, X, 0.01, 0.2, 0.05)


def test_a_belief_is_what_conditioning_on_everything_gives(table):
    belief, rng = replay.Belief(table, table.correlated, 3), np.random.default_rng(0)
    first = int(np.random.default_rng([3, 0]).integers(12))
    told, values = [first], [MEANS[first]]
    for design in (4, 7, 4):
        belief.evaluate(design, rng)
        told.append(design)
    noises = np.random.default_rng(0)
    values += [MEANS[design] + 0.1 * noises.standard_normal(2) for design in (4, 7, 4)]
    rows = np.concatenate([[2 * i, 2 * i + 1] for i in told])
    covariance = table.correlated[np.ix_(rows, rows)] + 0.01 * np.eye(len(rows))
    gain = np.linalg.solve(covariance, table.correlated[rows]).T
    np.testing.assert_allclose(belief.means.ravel(), gain @ np.concatenate(values), atol=1e-9)
    left = table.correlated - gain @ table.correlated[rows]
    np.testing.assert_allclose(belief.variances.ravel(), np.diag(left), atol=1e-9)


def test_the_fit_makes_the_values_more_likely_than_other_parameters():
    def logarithm(covariance):
        whole = covariance + 0.01 * np.eye(len(covariance))
        return -np.linalg.slogdet(whole)[1] - MEANS.ravel() @ np.linalg.solve(whole, MEANS.ravel())

    best = logarithm(replay.fitted(X, MEANS, 0.01, prior=False))
    for length, size in product((0.1, 0.3, 1.0), (0.3, 1.0, 3.0)):
        other = np.kron(replay.squared_exponential(X, np.array([length])), size * np.eye(2))
        assert best > logarithm(other)


@pytest.mark.parametrize("radius", [1.0, 32.0])
def test_replayed_runs_end_with_few_evaluations_where_the_radius_is_small(table, radius):
    count, mask, ended = table.vogp(radius, 0, 5000)
    assert ended
    assert mask.any()
    if radius == 1:
        assert count > table.vogp(32.0, 0, 5000)[0]
        assert cw.verdict(mask, MEANS, cw.Cone.orthant(2), 0.2)
    assert table.paveba(8 * radius, 0, 5000)[2]
    assert table.vogp(1.0, 0, 3)[2] is False


@pytest.fixture
def networks():
    bandit = cw.SimulatedBandit(MEANS, Gaussian(0.1))
    return rules.ModelCase("SNW, 3 features", bandit, cw.Cone.orthant(2), 0.2, 0.05, None, 1)


def test_a_row_of_vopy_is_replayed_where_vopy_is_not(monkeypatch, table, tmp_path, networks):
    monkeypatch.setattr(rules, "VOPY_PYTHON", tmp_path / "python")
    monkeypatch.setattr(rules, "replay_of", lambda name: table)
    for name, contraction in (("VOGP", 32.0), ("PaVeBaGP", 32.0)):
        run = rules.theirs(name, contraction, networks, 0, 600.0)
        assert run.replayed
        assert not run.promised
