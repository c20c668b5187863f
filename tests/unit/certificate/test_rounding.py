"""Recorded values are rounded: equal ones do not show an absence of noise."""

from __future__ import annotations

import numpy as np
import pytest
from shared.binomial import rejected

import conewise as cw
from conewise.certificate.rounding import Rounding
from conewise.data.observations import Observations, Statistics
from conewise.noise import GaussianUnknown
from conewise.rules import SuccessiveElimination

ORTHANT = cw.Cone.orthant(2)
UNKNOWN = GaussianUnknown()


def rounded(k, each, step, seed, means=0.0, dim=2):
    values = means + np.random.default_rng(seed).normal(size=(k * each, dim))
    return Observations.single(np.repeat(np.arange(k), each), np.round(values / step) * step)


@pytest.mark.parametrize(("step", "each"), [(0.25, 2), (0.5, 2), (1.0, 3), (2.0, 5)])
def test_equal_designs_recorded_in_steps_beat_nobody(step, each):
    """Of ten equal designs with two values each, rounded to sigma / 4, one was beaten in 16 % of the tables.

    Wald's sequential test of delta = 0.05 at level 1e-6. Power against 0.16: 0.43, against 0.3: 0.99 (a test of sixty
    tables, whatever comes, has 0.05 and 0.84).
    """

    def fails(seed: int) -> bool:
        found = cw.analyse(rounded(10, each, step, seed, dim=1), cw.Cone.orthant(1), delta=0.05, final=True)
        return bool((found.result.status == "beaten").any())

    assert not rejected(fails, 0.05, 1e-6, against=0.3)


@pytest.mark.parametrize("algorithm", ["elimination"])
def test_pass_rates_are_not_settled_by_three_passes_each(tmp_path, algorithm):
    """0/1 values under normal noise of unknown size: 12 of 40 studies ended with a guarantee for a wrong answer."""
    truth = [0.99, 0.90, 0.88, 0.85]
    facts = {"objectives": ["passed"], "cone": cw.Cone.orthant(1), "algorithm": algorithm}
    for seed in range(6):
        rng = np.random.default_rng(seed)
        path = tmp_path / f"{seed}.db"
        with cw.Study.create(path, designs=list("abcd"), epsilon=0.03, delta=0.05, noise=UNKNOWN, **facts) as study:
            for _ in range(8):
                batch = study.ask(16)
                study.tell(batch, [[float(rng.random() < truth[e.design])] for e in batch])
            result = study.result()
            assert not study.status().finished
            assert result.certified_epsilon is None or result.certified_epsilon >= 0.14


def all_of(cone: cw.Cone) -> tuple[np.ndarray, np.ndarray]:
    """The facets, and any other direction."""
    return cone.facets, np.ones((1, cone.dim), dtype=bool)


def test_a_coarse_design_is_off_by_half_a_step_and_two_still_ones_do_not_meet():
    spreads = np.array([[0.0, 3.0], [0.3, 3.0], [0.6, 3.0]])
    coarse = Rounding(*2 * [np.array([1.0, 0.5])]).coarse(*all_of(ORTHANT), spreads)
    np.testing.assert_allclose(coarse.slacks, [[0.5, 0, 0.5], [0.5, 0, 0.5], [0, 0, 0]])
    raised = coarse.raised(spreads**2, np.array([[9.0], [9.0], [9.0]]))
    np.testing.assert_allclose(np.sqrt(raised), spreads + coarse.slacks[:, :2] * np.sqrt(9 / 8))
    np.testing.assert_array_equal(coarse.still, [[True, False, True], [False] * 3, [False] * 3])
    assert Rounding(*2 * [np.array([0.5, 0.5])]).coarse(*all_of(ORTHANT), spreads[2:]) is None
    skew = cw.Cone([[2, 1], [1, 2]])
    np.testing.assert_allclose(
        Rounding(*2 * [np.array([1.0, 0.0])]).coarse(*all_of(skew), spreads[:1]).slacks[:, :2],
        np.abs(skew.facets)[None, :, 0] / 2,
    )


@pytest.mark.parametrize("final", [False, True])
def test_a_design_far_ahead_of_a_coarse_one_still_wins(final):
    """Milliseconds recorded as whole numbers: a design that always takes 3 is certainly faster than one of about 90."""
    rng = np.random.default_rng(1)
    times = np.concatenate([np.full(30, 3.0), np.round(rng.normal(90, 20, 30)), np.round(rng.normal(80, 20, 30))])
    data = Observations.single(np.repeat([0, 1, 2], 30), -times[:, None])
    found = cw.analyse(data, cw.Cone.orthant(1), delta=0.05, final=final)
    assert found.result.status.tolist() == ["kept", "beaten", "beaten"]


def called(values: dict[str, list[float]], **options) -> tuple[dict[str, str], str]:
    """Return the status of each design, and the sentences."""
    table = {"design": [name for name, own in values.items() for _ in own], "x": np.concatenate(list(values.values()))}
    found = cw.analyse(table, objectives=["x"], delta=0.05, final=True, noise=GaussianUnknown(**options))
    return dict(zip(values, found.result.status.tolist(), strict=True)), " ".join(found.explanations)


@pytest.mark.parametrize("third", [{}, {"c": [30.0] * 10}])
def test_a_step_does_not_contradict_what_varies_within_designs(third):
    """Most values are multiples of 10, but two designs vary by 1, which values in steps of 10 cannot."""
    status, words = called({"a": [10.0] * 9 + [11], "b": [20.0] * 9 + [21], **third})
    assert status["a"] == "beaten"
    assert "undecided" not in status.values()
    assert "steps of 10" not in words


def test_a_design_that_never_varies_among_values_without_a_common_step_is_open_until_its_step_is_declared():
    rng = np.random.default_rng(0)
    values = {"steady": [4.0] * 9, "worse": list(rng.normal(2, 0.1, 9)), "far": list(rng.normal(-9, 0.1, 9))}
    status, words = called(values)
    assert status == {"steady": "undecided", "worse": "undecided", "far": "beaten"}
    assert "All values of 'x' are the same for steady" in words
    assert "resolution=" in words
    assert called(values, resolution=0.1)[0] == {"steady": "kept", "worse": "beaten", "far": "beaten"}


def test_the_step_does_not_depend_on_the_order_and_the_batches():
    data = rounded(4, 200, 0.1, seed=3)
    whole = Statistics.empty(4, 2).add(data)
    order = np.random.default_rng(0).permutation(len(data))
    parts = Statistics.empty(4, 2)
    for some in np.array_split(order, 7):
        parts = parts.merge(Statistics.empty(4, 2).add(Observations.single(data.designs[some], data.means[some])))
    np.testing.assert_allclose(whole.distinct.steps()[0], 0.1)
    for first, second in zip(whole.distinct.columns, parts.distinct.columns, strict=True):
        np.testing.assert_array_equal(first, second)
    same = Statistics.empty(1, 1).add(Observations.single([0, 0, 0], [[0.1 + 0.2], [0.3], [1.0]]))
    np.testing.assert_allclose(same.distinct.steps()[0], 0.7)  # a difference of arithmetic is none
    assert same.distinct.numbers.tolist() == [2]


PRICES = np.array([10.0, 20.0, 25.0, 30.0])


@pytest.mark.parametrize("final", [False, True])
@pytest.mark.parametrize("each", [3, 40])
def test_values_that_never_vary_decide_nothing_until_they_are_declared_known(final, each):
    """However often a price was read, nothing shows that it has no noise: only the user knows."""
    designs = np.repeat(np.arange(4), each)
    data = Observations.single(designs, -PRICES[designs, None])
    found = cw.analyse(data, cw.Cone.orthant(1), delta=0.05, final=final, noise=UNKNOWN)
    assert found.result.status.tolist() == ["undecided"] * 4
    assert not found.result.guarantee
    exact = cw.analyse(data, cw.Cone.orthant(1), delta=0.05, final=final, noise=GaussianUnknown(0))
    assert exact.result.status.tolist() == ["kept", "beaten", "beaten", "beaten"]
    assert "none where a value recorded exactly never varies" in exact.result.guarantee.assumption


def test_averages_without_a_spread_decide_nothing_either():
    means = {"name": list("ab"), "x_mean": [1.0, 2.0], "x_sd": [0.0, 0.0], "n": [30, 30]}
    found = cw.analyse(means, delta=0.05, final=True, noise=UNKNOWN)
    assert found.result.status.tolist() == ["undecided"] * 2
    assert "'x' never varied between evaluations of one design" in " ".join(found.explanations)


def test_claims_do_not_depend_on_when_somebody_looked_although_finer_steps_are_seen():
    rng = np.random.default_rng(5)
    values = np.round(rng.normal(size=(400, 2)) * 0.2)
    values[200:] = np.round(rng.normal(size=(200, 2)), 3)
    data = Observations.single(np.tile(np.arange(5), 80), values)
    rule = SuccessiveElimination(cw.Question(ORTHANT, 0.5, 0.1, UNKNOWN), 5)
    often = rule.start()
    for start in range(0, 400, 20):
        part = slice(start, start + 20)
        often = rule.tell(often, Observations.single(data.designs[part], data.means[part]))
        rule.recommend(often)
    once = rule.recommend(rule.tell(rule.start(), data))
    again = rule.recommend(often)
    assert once.status.tolist() == again.status.tolist()
    assert once.certified_epsilon == again.certified_epsilon


@pytest.mark.parametrize("resolution", [-1.0, np.inf, "a", [[1.0]]])
def test_a_resolution_that_is_none_is_refused(resolution):
    with pytest.raises(cw.InputError, match="resolution"):
        GaussianUnknown(resolution)


def test_a_resolution_fits_the_objectives_and_is_kept():
    with pytest.raises(cw.InputError, match="given for 2 objectives, but there are 3"):
        GaussianUnknown((0.1, 0.2)).check_dim(3)
    assert GaussianUnknown([0.1, np.nan]).resolution == (0.1, None)
    assert repr(GaussianUnknown()) == "GaussianUnknown()"


@pytest.mark.parametrize("step", [0.3, 1.0, 4.0])
def test_raised_variances_are_never_below_those_before_rounding(step):
    rng = np.random.default_rng(2)
    cone = cw.Cone([[2, 1, 0], [-1, 2, 1], [1, 0, 3]])
    for n in (2, 3, 10):
        exact = rng.normal(size=(n, 3))
        seen = np.round(exact / step) * step
        before, after = ((values @ cone.facets.T).var(axis=0, ddof=1) for values in (exact, seen))
        coarse = Rounding(*2 * [np.full(3, step)]).coarse(
            *all_of(cone), np.zeros((1, 3))
        )  # as if nothing varied: all counts
        assert (coarse.raised(after[None], np.array([[float(n)]]))[0] >= before).all()
        assert (np.abs((seen - exact).mean(axis=0) @ cone.facets.T) <= coarse.slacks[0, :3]).all()
        assert np.linalg.norm((seen - exact).mean(axis=0)) <= coarse.slacks[0, 3]
