"""Runs whose evaluator fails: what is claimed may not rest on a choice among the values.

Null hypothesis: of the answers that are guaranteed, at most a share delta is wrong. Exact binomial tests with fixed
seeds at level 1e-4: more than 6 of 20 wrong answers reject it (power against a rate of 0.6: 0.99). A control replaces
the values out of range by new draws, as a careless loop would: that must fail.
"""

from __future__ import annotations

import re
from contextlib import suppress

import numpy as np
import pytest
from scipy.stats import binom

from conewise import Cone, ConewiseError
from conewise.noise import Bounded
from conewise.studies.running.runner import run_study
from conewise.studies.study import Study

STUDIES, DELTA, LEVEL = 20, 0.05, 1e-4
MOST = int(binom.isf(LEVEL, STUDIES, DELTA))  # guaranteed and wrong: more of them and delta is not kept
BREAKS = 0.3  # how often the bold design gives its terrible value


def bold_or_calm(design, seed):
    """Calm gives about 0.5; bold about 0.8, but three times in ten -10, so that its mean is far below."""
    rng = np.random.default_rng(seed)
    if design["name"] == "calm":
        return [0.5 + 0.1 * rng.uniform(-1, 1)]
    return [-10.0 if rng.random() < BREAKS else 0.8 + 0.1 * rng.uniform(-1, 1)]


def crashes_instead(design, seed):
    """The terrible value is never seen: the simulator crashes."""
    (value,) = bold_or_calm(design, seed)
    if value < 0:
        raise RuntimeError("diverged")
    return [value]


def studies(tmp_path, evaluate, runs):
    """Studies of two designs, each run so many times, whatever happens; only "calm" is right."""
    for seed in range(STUDIES):
        study = Study.create(
            tmp_path / f"{evaluate.__name__}{runs}-{seed}.db",
            designs=["bold", "calm"],
            cone=Cone.orthant(1),
            epsilon=0.1,
            delta=DELTA,
            noise=Bounded(0, 1),
            seed=seed,
        )
        for _ in range(runs):
            with suppress(ConewiseError):
                run_study(study, evaluate, jobs=0, retries=20)
        yield study, study.result()
        study.close()


def is_wrong(study, result):
    return result.names(study.names) != ["calm"]


@pytest.mark.parametrize("runs", [1, 20], ids=["one run", "run again and again"])
def test_values_out_of_range_never_lead_to_a_guarantee_for_the_wrong_design(tmp_path, runs):
    wrong = finished = 0
    for study, result in studies(tmp_path, bold_or_calm, runs):
        finished += study.finished
        wrong += bool(result.guarantee) and is_wrong(study, result)
        assert study.status().failures == 0 or not result.guarantee
    assert wrong <= MOST
    assert (finished > STUDIES // 2) == (runs > 1)  # so that there was something to be wrong about


def test_where_failures_depend_on_the_value_the_guarantee_names_that_assumption(tmp_path):
    """The control: nobody can see the missing values, so answers are wrong; each says what it takes for granted."""
    wrong = 0
    for study, result in studies(tmp_path, crashes_instead, 1):
        if result.guarantee and is_wrong(study, result):
            wrong += 1
            named = r"that failure does not depend on the value \((\d+) attempts? failed and w\w+ evaluated again\)"
            found = re.search(named, str(result.guarantee))
            assert found is not None
            assert 1 <= int(found[1]) <= study.status().failures  # those ahead of the last round replaced nothing
    assert wrong > MOST
