"""Any valid tuning keeps the proof: shares add up to no more than delta, and no claim is left without one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import conewise as cw
from conewise.certificate.certificate import Certificate
from conewise.certificate.history import Checkpoints
from conewise.certificate.tuning import TUNING, Tuning
from conewise.certificate.weights import Standing
from conewise.data.observations import Observations
from conewise.noise import SubGaussian

ORTHANT = cw.Cone.orthant(2)
part = st.floats(0.05, 0.95)


@st.composite
def tunings(draw):
    """Every number far from where it is."""
    raw = np.array([draw(part), draw(part), draw(st.just(0.0) | part)])
    return Tuning(
        steps=draw(st.booleans()),
        contain_parts=tuple(raw / max(raw.sum(), 1.0)),
        timing=draw(st.booleans()),
        pilot_look=draw(part),
        pilot_worth=0.0,
        pilots_from=(2, 2),
    )


def spent(checked: Certificate, state: Checkpoints, front: np.ndarray) -> float:
    """By all claims that can be wrong if this is the Pareto set, just before the first of them is."""
    k, everyone = checked.n_designs, np.arange(checked.n_designs)
    boundaries = checked.boundaries(state)
    spending, tables = boundaries.spending, boundaries.tables
    standing = Standing(front, front) if spending.stepwise else Standing.at_first(k)
    rows = tables.rows(spending.log_fine(everyone, standing), out=False)
    fine = 2 * np.exp(-(tables.fine[0] ** 2) / 2).sum(axis=1)[np.broadcast_to(rows, (1, k, 1))][0, :, 0]
    each, total = np.exp(-(tables.out[0] ** 2) / 2).sum(axis=1), float(fine[~front].sum())
    kinds = [(spending.log_out, front | True)] + ([(spending.log_by_sure, front)] if spending.by_sure else [])
    for kind, rivals in kinds:
        pairs = each[np.broadcast_to(tables.rows(kind(everyone, everyone, standing), out=True)[0], (k, k))]
        total += float(np.where(front[:, None] & rivals[None, :] & ~np.eye(k, dtype=bool), pairs, 0.0).sum())
    return total


WITHOUT_STEPS = Tuning(steps=False, timing=False, pilot_worth=0.0, pilots_from=(2, 2))


@settings(max_examples=12, deadline=None)
@example(WITHOUT_STEPS, "contain", True, 0)  # weights for steps that are not made would spend a per cent too much
@given(tunings(), st.sampled_from(["cover", "contain"]), st.booleans(), st.integers(0, 2**16))
def test_no_tuning_spends_more_than_delta(tuning, success, pilots, seed):
    k, rng, delta = 7, np.random.default_rng(seed), 0.1
    question = cw.Question(ORTHANT, 0.5, delta, SubGaussian(1.0), success)
    checked = Certificate(question, k, pilots=pilots, tuning=tuning)
    state = Checkpoints.empty(checked.levels, k, 2, False, checked.pilot)
    means = rng.normal(size=(k, 2))
    while not state.piloted:
        who = np.repeat(np.arange(k), state.pilot.missing)
        state = state.add(Observations.single(who, means[who] + rng.normal(size=(len(who), 2))))
    for p in (1, 3, k):
        front = np.isin(np.arange(k), rng.choice(k, p, replace=False))
        looked = 0.0 if checked.pilot is None else delta * tuning.pilot_look
        assert 0 < spent(checked, state, front) + looked <= delta * (1 + 1e-9)


WRONG = {"contain_parts": (0.5, 0.5, 0.1), "level_part": 1.0, "lag": 0.9, "pilot_look": 0.0}


@pytest.mark.parametrize("name", WRONG)
def test_a_tuning_that_would_break_the_proof_is_refused(name):
    with pytest.raises(cw.InputError):
        replace(TUNING, **{name: WRONG[name]})
