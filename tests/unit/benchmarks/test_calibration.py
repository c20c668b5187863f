"""The calibration of priors: truths are what they claim, runs are kept and continued, and the page counts them."""

from __future__ import annotations

import datetime

import numpy as np
import pytest
from scipy.stats import norm

from benchmarks import calibration, lines
from benchmarks.calibration import Run


def named(name: str) -> calibration.Family:
    return next(family for family in calibration.families() if family.name == name)


@pytest.mark.parametrize("family", calibration.families(), ids=lambda family: family.name)
def test_truths_have_the_spread_of_the_prior_they_are_drawn_from(family):
    """How often two designs differ by less than is typical, in 400 truths: within 5 deviations of the prior's share."""
    rng = np.random.default_rng(1)
    prior = family.declared if family.true is None else family.true
    pair = np.array([0]), np.array([family.n_designs - 1])
    differences = np.array([(means[0] - means[-1]) / sigma for means, sigma in (family.truth(rng) for _ in range(400))])
    unit = 1.0 if family.name == "unknown noise" else calibration.EPSILON / calibration.SIGMA
    each = prior.components
    inside = [prior.difference(int(s), *pair)[0] if s >= 0 else 0.0 for s in each.shape]
    spreads = unit * np.sqrt(each.size**2 * inside + 2 * each.discrepancy**2)
    typical = np.median(spreads)
    share = np.exp(each.log_weight) @ (2 * norm.cdf(typical / spreads) - 1)
    assert np.mean(np.abs(differences) < typical) == pytest.approx(share, abs=5 * np.sqrt(0.25 / differences.size))


def test_a_control_varies_four_times_as_fast_as_it_declares():
    control = named("four times too smooth")
    assert control.declared.lengths[0] == pytest.approx(4 * control.true.lengths[0])


def test_a_run_is_a_function_of_its_seed():
    family = named("no features")
    assert calibration.made(family, 1) == calibration.made(family, 1) != calibration.made(family, 2)


def test_runs_are_kept_and_none_is_made_twice(tmp_path):
    path, family = tmp_path / "runs.jsonl", named("no features")
    assert lines.read(path, Run) == []
    lines.fill(path, calibration.missing((family,), 2, []), 1.0)
    done = lines.read(path, Run)
    assert [run.seed for run in done] == [0, 1]
    assert [make.args[1] for make in calibration.missing((family,), 3, done)] == [2]
    lines.fill(path, calibration.missing((family,), 5, done), -1.0)  # no time is left
    assert lines.read(path, Run) == done
    assert len(list(calibration.missing((named("four times too smooth"),), 10, []))) == 2


def test_the_page_counts_what_was_run():
    runs = [Run("linear", seed, 10, True, seed == 0, False, seed < 2) for seed in range(10)]
    text = calibration.page(calibration.families(), runs, lambda: datetime.date(2020, 2, 1))
    row = next(line for line in text.splitlines() if line.startswith("| linear"))
    assert row == f"| linear | 10 | 10 | 10.0 | 0 | 1 | 0.100 | {calibration.bound(10)} | 0.000 | 0.200 |"
    assert "no features" not in text
    assert "2020-02-01" in text
