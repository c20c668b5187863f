"""The certificate keeps delta, measured: any rule, both notions of success, eight instances that are easy to fail on.

Null hypothesis of each cell: the failure probability is at most DELTA = 0.1. Sequential test at level 1e-4 with fixed
seeds (power against a rate of 0.4: 0.93, of 0.5: 0.99). Negative control: every radius divided by 8 must be rejected on
the near-ties.
The instances and the rules are those of `make validate`, which runs the same matrix a thousand times a cell at level
1e-6. Here published rules double their batches: their radii hold at all times.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from shared.binomial import admitted, rejected
from shared.cells import failing

import conewise as cw
from conewise.certificate.certificate import Certificate
from conewise.certificate.claims import Claims, judge
from conewise.data.observations import Observations, Pulls, Statistics
from conewise.noise import Gaussian, GaussianUnknown
from conewise.problems import SimulatedBandit
from conewise.rules import SuccessiveElimination
from conewise.rules.adaptive.fixed import FixedSample
from conewise.rules.contract import undecided_words
from conewise.studies.loop import run

_SOURCE = Path(__file__).resolve().parents[2] / "benchmarks" / "validate.py"
_SPEC = importlib.util.spec_from_file_location("conewise_validation", _SOURCE)
validate = sys.modules[_SPEC.name] = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(validate)
validate.GROWTH = 1.0

LEVEL, DELTA, EPSILON = 1e-4, validate.DELTA, validate.EPSILON
INSTANCES = {instance.name: instance for instance in validate.instances()}
NEAR_TIES = INSTANCES["near-ties"]


def rule(instance, notion="cover", **options) -> SuccessiveElimination:
    problem = instance.problem
    question = cw.Question(instance.cone, EPSILON, DELTA, problem.assumption, notion)
    return SuccessiveElimination(question, problem.n_designs, **options)


# -- the matrix ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", validate.cells(), ids=lambda cell: f"{cell.rule}, {cell.notion}, {cell.instance}")
def test_at_most_a_delta_fraction_of_runs_fails_and_all_of_them_end(cell):
    assert not rejected(failing(validate, cell), DELTA, LEVEL)


@pytest.mark.parametrize("cell", validate.controls(), ids=lambda cell: f"{cell.rule}, {cell.notion}")
def test_an_eighth_of_every_radius_fails_the_same_test(cell):
    assert rejected(failing(validate, cell), DELTA, LEVEL)


def test_the_eight_instances_are_hard_where_they_say_so():
    """A gap just beyond epsilon for a design outside the front, or between neighbours on it."""
    assert len(INSTANCES) == 8
    for name, instance in INSTANCES.items():
        means, cone = instance.problem.means, instance.cone
        front, gaps = cw.pareto_mask(means, cone), cw.suboptimality_gaps(means, cone)
        if name == "all identical":
            assert front.all()
            continue
        near = gaps[~front].min() if not front.all() else cw.separation_gaps(means, cone).min()
        assert EPSILON < near <= 1.03 * EPSILON, name


def test_no_run_exceeds_the_bound_that_follows_from_epsilon():
    for instance in INSTANCES.values():
        algorithm = rule(instance, "contain")
        assert run(algorithm, instance.problem, rng=0).evaluations <= algorithm.most_evaluations


# -- any sampling rule ---------------------------------------------------------------------------------------------


def by_chance(claims: Claims, counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Whoever, settled or not, one at a time or several."""
    return rng.integers(0, len(counts), size=rng.integers(1, 8))


def the_undecided_least_seen(claims: Claims, counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Chases open questions with as few observations of everybody else as can be."""
    left = np.flatnonzero(~claims.beaten)
    return left[[np.argmin(counts[left])]]


@pytest.mark.parametrize("choose", [by_chance, the_undecided_least_seen])
@pytest.mark.parametrize("notion", ["cover", "contain"])
def test_the_certificate_does_not_mind_who_was_evaluated_when(choose, notion):
    """One observation at a time, until the certificate says that it is done: failures within the binomial bound."""
    instance = INSTANCES["one objective"]
    algorithm = rule(instance, notion)

    def fails(seed: int) -> bool:
        rng, state = np.random.default_rng([1, seed]), algorithm.start()
        claims = algorithm.certificate.claims(state)
        while not claims.done:
            chosen = choose(claims, state.counts, rng)
            seen = instance.problem.evaluate(Pulls(chosen), rng, one_by_one=True)
            state = algorithm.tell(state, seen)
            claims = algorithm.certificate.claims(state)
            assert state.evaluations < 20_000
        return not instance.succeeds(claims.accepted, notion)

    assert not rejected(fails, DELTA, LEVEL)


def test_claims_on_the_way_are_true_at_once_or_the_run_counts_as_failed():
    """Anytime: in all but a delta fraction of runs no claim at any look is ever wrong, so none contradicts another."""
    instance = NEAR_TIES
    means, cone = instance.problem.means, instance.cone
    front, gaps, cover = (
        cw.pareto_mask(means, cone),
        cw.suboptimality_gaps(means, cone),
        cw.cover_gaps(means, cone),
    )
    algorithm = rule(instance)

    def fails(seed: int) -> bool:
        rng, state, bad = np.random.default_rng([2, seed]), algorithm.start(), False
        while (pulls := algorithm.ask(state)).total:
            state = algorithm.tell(state, instance.problem.evaluate(pulls, rng))
            claims = algorithm.certificate.claims(state)
            bad |= bool((claims.beaten & front).any() or (gaps[claims.accepted] > EPSILON).any())
            for i in np.flatnonzero(claims.covered & front):
                bad |= bool(cover[i, claims.accepted].min() > EPSILON)
        return bad

    assert not rejected(fails, DELTA, LEVEL)


# -- stopping early ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("notion", ["cover", "contain"])
@pytest.mark.parametrize("share", [0.3, 0.7])
def test_stopped_early_the_certified_epsilon_holds_at_the_stated_rate(notion, share):
    instance = NEAR_TIES
    usual = np.mean([run(rule(instance, notion), instance.problem, rng=seed).evaluations for seed in range(5)])
    most = max(instance.problem.n_designs * 2, int(share * usual))
    algorithm = rule(instance, notion, max_evaluations=most)
    early = 0

    def fails(seed: int) -> bool:
        nonlocal early
        result = run(algorithm, instance.problem, rng=np.random.default_rng([3, seed]))
        assert result.evaluations <= most
        if (result.status == "undecided").any():
            early += 1
            assert result.evaluations == most
            assert result.certified_epsilon > EPSILON
            assert undecided_words(int((result.status == "undecided").sum())) in result.stopped_because
            assert "max_evaluations" in result.stopped_because
            assert result.guarantee.epsilon == result.certified_epsilon
        return not instance.succeeds(result.pareto, notion, result.guarantee.epsilon)

    assert not rejected(fails, DELTA, LEVEL)
    assert early > 0


def test_ties_at_epsilon_zero_end_by_max_evaluations_and_say_what_stayed_open():
    means = np.array([[0.0, 0.0], [2.0, 2.0], [2.0, 2.0], [3.0, -3.0]])
    problem = SimulatedBandit(means, Gaussian(0.5))
    cone = cw.Cone.orthant(2)
    algorithm = SuccessiveElimination(
        cw.Question(cone, 0.0, DELTA, Gaussian(0.5), success="contain"), 4, max_evaluations=400
    )

    def fails(seed: int) -> bool:
        result = run(algorithm, problem, rng=seed)
        assert result.evaluations <= 400
        assert result.certified_epsilon > 0
        settled = (result.status[[1, 2]] != "undecided").any()
        return bool(settled) or not cw.verdict(result.pareto, means, cone, result.certified_epsilon)

    assert not rejected(fails, DELTA, LEVEL)


def test_identical_designs_end_with_all_of_them_returned():
    instance = INSTANCES["all identical"]

    def fails(seed: int) -> bool:
        result = run(rule(instance, "contain"), instance.problem, rng=seed)
        assert not (result.status == "undecided").any()
        return not result.pareto.all()

    assert not rejected(fails, DELTA, LEVEL)


# -- missing and late ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [None, 7])
def test_lost_and_late_observations_cost_time_and_nothing_else(batch):
    """A third is lost, a third arrives a round later, whatever the values: runs end, within the binomial bound."""
    instance = NEAR_TIES
    algorithm = rule(instance)

    def fails(seed: int) -> bool:
        rng, state = np.random.default_rng([4, seed]), algorithm.start()
        late: Observations | None = None
        for _ in range(2000):
            pulls = algorithm.ask(state, batch)
            if not pulls.total:
                break
            seen = instance.problem.evaluate(pulls, rng, one_by_one=True)
            fate = rng.integers(0, 3, size=len(seen))
            if late is not None:
                state = algorithm.tell(state, late)
            state = algorithm.tell(state, Observations.single(seen.designs[fate == 0], seen.means[fate == 0]))
            late = Observations.single(seen.designs[fate == 1], seen.means[fate == 1])
        result = algorithm.recommend(state)
        assert result.guarantee
        assert not (result.status == "undecided").any()
        return not instance.succeeds(result.pareto, "cover")

    assert not rejected(fails, DELTA, LEVEL)


# -- the covered-but-Pareto trap (docs/adaptive, section 5) --------------------------------------------------------

TRAP_MEANS = np.array([[0.0, 0.0], [-0.95, 6.0], [-1.05, -1.05], [-5.0, -5.0]])
TRAP_NOISE = Gaussian([[0.01, 0.01], [0.01, 0.01], [0.3, 30.0], [10.0, 10.0]])
TRAP = validate.Instance("trap", cw.Cone.orthant(2), SimulatedBandit(TRAP_MEANS, TRAP_NOISE))


def level_by_level(certificate: Certificate, forgets: bool, seed: int) -> np.ndarray:
    """Everyone not settled goes on from level to level; `forgets` drops covered designs from all comparisons."""
    rng, k = np.random.default_rng([5, seed]), certificate.n_designs
    algorithm = replace(rule(TRAP), pilots=False)
    state, out = algorithm.start(), np.zeros(k, dtype=bool)
    for count in certificate.levels.counts:
        going = np.flatnonzero(~out)
        state = algorithm.tell(state, TRAP.problem.evaluate(Pulls(going, count - state.counts[going]), rng))
        claims = certificate.claims(state)
        if forgets:
            pairs = claims.pairs.among(~out[claims.left], claims.pairs.standing)
            claims = judge(pairs, claims.by, None, EPSILON, covering=True, stepwise=False)
            out |= claims.beaten | claims.covered
        else:
            out |= claims.beaten
        if not (claims.undecided & ~out).any():
            break
    return claims.accepted


def test_only_a_covered_design_shows_that_the_third_is_too_far():
    """The first design covers nothing but is covered; only it shows that the third is too far."""
    cone = TRAP.cone
    assert cw.pareto_mask(TRAP_MEANS, cone).tolist() == [True, True, False, False]
    assert cw.cover_gaps(TRAP_MEANS, cone)[0, 1] < EPSILON
    escape = cw.escape_gaps(TRAP_MEANS, cone)
    assert escape[2, 0] > EPSILON > escape[2, 1]


def test_dropping_covered_designs_from_the_comparisons_breaks_condition_two():
    certificate = replace(rule(TRAP), pilots=False).certificate

    def fails(seed: int) -> bool:
        found = level_by_level(certificate, True, seed)
        return len(cw.verdict(found, TRAP_MEANS, TRAP.cone, EPSILON).too_far) > 0

    assert rejected(fails, DELTA, LEVEL)


def test_the_certificate_keeps_them_and_keeps_delta():
    certificate = replace(rule(TRAP), pilots=False).certificate

    def fails(seed: int) -> bool:
        return not TRAP.succeeds(level_by_level(certificate, False, seed), "cover")

    assert not rejected(fails, DELTA, LEVEL)
    for seed in range(2):
        result = run(rule(TRAP), TRAP.problem, rng=seed)
        assert not result.pareto[2]


# -- exact identification: claims that rest on sure designs --------------------------------------------------------

LEADERS = np.array([[0.5, -0.5], [-0.5, 0.5]])
EXACT_GAP, EXACT_SIGMA = 0.35, 0.4
EXACT = {
    "followers a little behind two leaders": [[-1, -1], [-1, -1], [-1, -2]],
    "weakly dominated, on the boundary": [[-1, 0], [0, -1], [-1, -1]],
    "duplicates of a leader": [[0, 0], [-1, -1], [0, 0]],
    "barely ahead of each other, and one behind": [[-1, 1], [1, -1], [-1, -1]],
}
EXACT_RUNS = 80


def exact_means(name: str) -> np.ndarray:
    """Two leaders, followers by so many gaps beside the first, the second, and the first again, and six far behind."""
    return np.vstack([LEADERS, LEADERS[[0, 1, 0]] + EXACT_GAP * np.array(EXACT[name]), np.full((6, 2), -9.0)])


def wrong(claims: Claims, front: np.ndarray) -> bool:
    """A Pareto design is out, or one that is not optimal counts as sure."""
    return bool((claims.beaten & front).any() or (claims.certain & ~front).any())


@pytest.mark.parametrize(
    ("name", "noise"),
    [*((name, Gaussian(EXACT_SIGMA)) for name in EXACT), (next(iter(EXACT)), GaussianUnknown())],
    ids=str,
)
def test_one_look_at_near_ties_is_wrong_about_the_exact_set_at_most_at_the_stated_rate(name, noise):
    """Samples of a size that leaves much undecided, so that it matters who is sure."""
    means, cone, runs = exact_means(name), cw.Cone.orthant(2), EXACT_RUNS
    front, each = cw.pareto_mask(means, cone), 26 if isinstance(noise, Gaussian) else 32
    fixed = FixedSample(cw.Question(cone, 0.0, DELTA, noise, success="contain"), len(means))
    values = means + EXACT_SIGMA * np.random.default_rng(6).standard_normal((runs, each, *means.shape))
    designs, failed = np.tile(np.arange(len(means)), each), 0
    for run_ in range(runs):
        seen = Observations.single(designs, values[run_].reshape(-1, 2))
        sample = Statistics.empty(len(means), 2).add(seen)
        claims = fixed.claims(sample)
        failed += wrong(claims, front)
    assert failed <= admitted(runs, DELTA, LEVEL)


def exact_is_rejected(name: str, scale: float) -> bool:
    """Whether runs are wrong at any look, on the way or at their end, more often than at the stated rate."""
    means, cone = exact_means(name), cw.Cone.orthant(2)
    problem, front = SimulatedBandit(means, Gaussian(EXACT_SIGMA)), cw.pareto_mask(means, cone)
    algorithm = SuccessiveElimination(
        cw.Question(cone, 0.0, DELTA, problem.assumption, success="contain"),
        len(means),
        max_evaluations=200,
        radius_scale=scale,
    )

    def fails(seed: int) -> bool:
        rng, state, bad = np.random.default_rng([7, seed]), algorithm.start(), False
        while not bad and (pulls := algorithm.ask(state)).total:
            state = algorithm.tell(state, problem.evaluate(pulls, rng))
            bad = wrong(algorithm.certificate.claims(state), front)
        return bad

    return rejected(fails, DELTA, LEVEL)


@pytest.mark.parametrize("name", EXACT)
def test_exact_identification_is_wrong_at_any_look_at_most_at_the_stated_rate(name):
    assert not exact_is_rejected(name, 1.0)


@pytest.mark.parametrize("name", EXACT)
def test_an_eighth_of_every_radius_fails_the_exact_test(name):
    assert exact_is_rejected(name, 1 / 8)
