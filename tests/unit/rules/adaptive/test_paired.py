"""The certificate of paired differences and its rule: the cases that go wrong first, and the laws of a rule."""

from __future__ import annotations

import numpy as np
import pytest
from shared.passes import FLAT, RATES, answers

import conewise as cw
from conewise.data.observations import Observations, Pulls
from conewise.errors import InputError
from conewise.noise import Bounded, GaussianUnknown
from conewise.problems import Recorded
from conewise.question.question import Question
from conewise.rules import PairedElimination


def run(values, *, epsilon, cone=FLAT, population=True, seed=0, **options):
    problem = Recorded(values, population)
    return problem, cw.identify(problem, cone, epsilon=epsilon, delta=0.05, rng=seed, **options)


@pytest.mark.parametrize("cone", [FLAT, cw.Cone.planar(60), cw.Cone.planar(135)], ids=str)
@pytest.mark.parametrize("epsilon", [0.0, 0.02, 0.1])
@pytest.mark.parametrize("noise", [None, GaussianUnknown()], ids=["bets", "normal"])
def test_every_run_ends_and_is_right(cone, epsilon, noise):
    values = answers(RATES, 200, seed=1)
    if noise is not None:
        values = values + 0.01 * np.random.default_rng(2).normal(size=values.shape)
    problem, result = run(values, epsilon=epsilon, cone=cone, noise=noise)
    assert result.guarantee
    assert result.stopped_because == "every design is certified"
    assert result.certified_epsilon <= epsilon
    assert cw.verdict(result.pareto, problem.means, cone, result.certified_epsilon)
    assert "undecided" not in result.status
    assert result.evaluations <= values[:, :, 0].size


def test_correlated_answers_need_fewer_calls():
    ours = [run(answers(RATES, 400, seed, shared=True), epsilon=0.05)[1].evaluations for seed in range(5)]
    apart = [run(answers(RATES, 400, seed, shared=False), epsilon=0.05)[1].evaluations for seed in range(5)]
    assert sum(ours) < 0.9 * sum(apart)


def test_identical_models_are_both_kept_and_neither_beats_the_other():
    values = answers([[0.8, 0.3], [0.8, 0.3], [0.3, 0.8], [0.1, 0.1]], 100, seed=0)
    values[1] = values[0]
    _, result = run(values, epsilon=0.0)
    assert result.pareto.tolist() == [True, True, True, False]
    _, near = run(values, epsilon=0.1, population=False)
    assert "beaten" not in near.status[:3]


@pytest.mark.parametrize("population", [True, False])
def test_an_all_correct_model(population):
    values = answers([[0.5, 0.5], [0.6, 0.5], [0.5, 0.5]], 100, seed=3)
    values[2] = 1.0
    _, result = run(values, epsilon=0.05, population=population)
    assert result.indices == [2]
    assert set(result.status[:2]) <= {"beaten", "covered"}


@pytest.mark.parametrize("blocks", [1, 2, 5])
def test_a_handful_of_blocks(blocks):
    values = answers(RATES, blocks, seed=4)
    problem, result = run(values, epsilon=0.0)
    assert cw.verdict(result.pareto, problem.means, FLAT, 0.0)
    assert (result.pareto == cw.pareto_mask(problem.means, FLAT)).all()
    _, open_ = run(values, epsilon=0.01, population=False)
    assert open_.stopped_because.startswith("all recorded blocks are read")
    assert "kept" not in open_.status


def test_at_the_end_everything_is_exact_also_on_ties():
    """Different questions right, equally many: a tie that no bound decides and the last block does."""
    values = np.zeros((3, 40, 2))
    values[0, :20], values[1, 20:], values[2, 5:25] = 1, 1, 1
    _, result = run(values, epsilon=0.0)
    assert result.pareto.all()
    assert result.certain.all()
    assert (result.counts == 40).all()


def test_a_larger_population_is_worth_less_than_a_whole_one():
    values = answers(RATES, 120, seed=5)
    stated = [run(values, epsilon=0.0, population=p)[1].certified_epsilon for p in (True, 130, 1000, False)]
    assert stated == sorted(stated)
    assert stated[0] == 0
    assert stated[1] < stated[3]


@pytest.mark.parametrize("noise", [Bounded(0, 1), GaussianUnknown()], ids=["bets", "normal"])
@pytest.mark.parametrize("batch", [1, 7, 1000])
def test_any_batches_give_the_same_state(noise, batch):
    rng = np.random.default_rng(6)
    values = rng.beta(2, 2, size=(4, 40, 2))
    question = Question(FLAT, 0.1, 0.1, noise)
    rule = PairedElimination(question, 4, blocks=40, population=40)
    designs = np.repeat([0, 1, 2, 3], [40, 25, 30, 9])
    order = rng.permutation(len(designs))
    seen = np.zeros(4, dtype=int)
    entries = []
    for design in designs[order]:
        entries.append(values[design, seen[design]])
        seen[design] += 1
    told, rows = designs[order], np.array(entries)
    state = rule.start()
    for start in range(0, len(told), batch):
        state = rule.tell(state, Observations.single(told[start : start + batch], rows[start : start + batch]))
    whole = rule.tell(rule.start(), Observations.single(told, rows))
    for ours, theirs in ((state, whole),):
        claims, expected = (rule.certificate.claims(each, sharp=True) for each in (ours, theirs))
        assert claims.no_worse_at == pytest.approx(expected.no_worse_at, rel=1e-9)
        everyone, anything = np.arange(len(claims.left)), np.full(claims.no_worse_at.shape, np.inf)
        reach = [each.pairs.covered_at(everyone, everyone, anything) for each in (claims, expected)]
        assert reach[0] == pytest.approx(reach[1], rel=1e-9)
        assert (claims.beaten == expected.beaten).all()
        assert rule.recommend(ours).certified_epsilon == pytest.approx(rule.recommend(theirs).certified_epsilon)


def test_batches_and_limits_are_kept():
    values = answers(RATES, 300, seed=7)
    _, whole = run(values, epsilon=0.02)
    _, parts = run(values, epsilon=0.02, batch=13)
    assert parts.pareto.tolist() == whole.pareto.tolist()
    _, cut = run(values, epsilon=0.02, max_evaluations=200)
    assert cut.evaluations == 200
    assert cut.stopped_because.startswith("max_evaluations reached")
    assert cut.certified_epsilon > 0.02


def test_what_is_certified_early_is_finer_than_the_places_of_bets():
    _, cut = run(answers(RATES, 300, seed=7), epsilon=0.02, max_evaluations=800)
    at = cut.certified_epsilon
    assert cut.guarantee.epsilon == at
    assert not any(abs(at - share * 0.02) < 1e-6 for share in (1.0, 0.924, 0.707, 0.383))


def test_an_observation_outside_the_range_or_a_sum_is_refused():
    rule = PairedElimination(Question(FLAT, 0.1, 0.1, Bounded(0, 1)), 2, blocks=5, population=5)
    with pytest.raises(InputError, match="outside the range"):
        rule.tell(rule.start(), Observations.single([0], [[0.5, 1.5]]))
    with pytest.raises(InputError, match="told one by one"):
        rule.tell(rule.start(), Observations([0], [[0.5, 0.5]], [2]))
    with pytest.raises(InputError, match="design 0 was told 6 blocks, but there are 5"):
        rule.tell(rule.start(), Observations.single([0] * 6, [[0.5, 0.5]] * 6))
    with pytest.raises(InputError, match="at least the number of blocks seen"):
        PairedElimination(Question(FLAT, 0.1, 0.1, Bounded(0, 1)), 2, blocks=5, population=4)


def test_a_changed_radius_is_no_guarantee():
    _, result = run(answers(RATES, 100, seed=8), epsilon=0.1, radius_scale=0.5)
    assert not result.guarantee


def test_only_those_on_which_something_depends_read_on():
    values = answers([[0.95, 0.9], [0.6, 0.6], [0.05, 0.05], [0.58, 0.62]], 500, seed=9)
    problem, result = run(values, epsilon=0.02)
    assert result.counts[2] < 0.2 * problem.n_blocks
    rule = PairedElimination(Question(FLAT, 0.02, 0.05, Bounded(0, 1)), 4, blocks=500, population=500)
    assert isinstance(rule.ask(rule.start(), 3), Pulls)
    assert rule.ask(rule.start(), 3).total == 3


# -- normal differences ------------------------------------------------------------------------------------------------


# -- missing blocks ----------------------------------------------------------------------------------------------------


def told(values, population, noise=None, epsilon=0.05, delta=0.05):
    question = Question(FLAT, epsilon, delta, noise or Bounded(0, 1))
    rule = PairedElimination(question, len(values), blocks=values.shape[1], population=population, once=True)
    return rule.recommend(rule.certificate.tell_table(values))


def halves(*ones: slice, blocks: int = 8) -> np.ndarray:
    """One objective of as many designs as slices: 1 on these blocks, 0 on the others."""
    values = np.zeros((len(ones), blocks, 1))
    for design, where in enumerate(ones):
        values[design, where] = 1.0
    return values


TIED = halves(slice(4), slice(4, None))
BETTER = np.concatenate([TIED, halves(slice(3), slice(1, 5))], axis=2)  # the second, in the second objective
BARELY = np.concatenate([halves(slice(5), slice(5), blocks=6), halves(slice(3), slice(3, None), blocks=6)], axis=2)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("values", "limit", "objectives"),
    [
        (TIED, 14, ["pass"]),
        (BETTER, 14, ["pass", "style"]),
        (BARELY, 10, [cw.Objective("pass", level=5 / 6), "style"]),
    ],
    ids=["tied", "tied in one objective", "on its level"],
)
def test_a_mean_that_may_just_be_reached_settles_nothing(values, limit, objectives, seed):
    """One block is unread: were it as bad as can be, the two would be equal, and so they are, whatever it is."""
    found = cw.identify(
        Recorded(values, population=True),
        cw.Cone.orthant(values.shape[2]),
        epsilon=0,
        delta=0.01,
        noise=Bounded(0, 1),
        rng=seed,
        max_evaluations=limit,
        objectives=objectives,
    )
    assert not np.isin(found.status, ["beaten", "misses a level"]).any()
    assert not found.certain[0]


@pytest.mark.parametrize("missing", range(0, 16, 5))
def test_a_cell_that_is_missing_does_not_settle_a_tie(missing):
    rows = [{"design": d, "q": q, "pass": TIED[i, q, 0]} for i, d in enumerate("ab") for q in range(8)]
    told = [row for number, row in enumerate(rows) if number != missing]
    asked = {"design": "design", "objectives": ["pass"], "block": "q", "population": "all", "delta": 0.01}
    found = cw.analyse(told, noise=Bounded(0, 1), **asked)
    assert found.result.status.tolist() == ["undecided", "undecided"]
