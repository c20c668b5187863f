"""What a table of measurements says: the certificate's answer, and a sentence for everything odd about the data."""

from __future__ import annotations

import csv
import dataclasses
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import conewise as cw
from conewise import limits, noise
from conewise.analysis.analyse import analyse
from conewise.certificate.certificate import MOST
from conewise.rules import SuccessiveElimination
from conewise.tables import readers
from conewise.tables.measurements import LongTable, open_measurements

ORTHANT = cw.Cone.orthant(2)
MEANS = np.array([[0.0, 4.0], [2.0, 2.0], [4.0, 0.0], [-2.0, -2.0], [1.0, 1.0]])
TRUTH = ["kept", "kept", "kept", "beaten", "beaten"]


def sample(means=MEANS, each=40, sigma=0.5, seed=0):
    """Designs and values, round after round."""
    rng = np.random.default_rng(seed)
    designs = np.tile(np.arange(len(means)), each)
    return designs, np.asarray(means)[designs] + sigma * rng.normal(size=(len(designs), np.shape(means)[1]))


def observed(**options) -> cw.Observations:
    return cw.Observations.single(*sample(**options))


def write(path, designs, values, names=None, objectives=("a", "b"), minimise=()):
    turn = [-1 if o in minimise else 1 for o in objectives]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["design", *objectives])
        for k, value in zip(designs, np.asarray(values), strict=True):
            row = ["" if np.isnan(v) else repr(float(t * v)) for t, v in zip(turn, value, strict=True)]
            writer.writerow([names[k] if names else f"d{k}", *row])
    return path


def said(found, words: str) -> bool:
    return any(words in line for line in found.explanations)


def same(first, second):
    """Two analyses with one answer."""
    assert first.result.status.tolist() == second.result.status.tolist()
    assert first.result.certified_epsilon == second.result.certified_epsilon
    np.testing.assert_array_equal(first.result.pareto, second.result.pareto)
    np.testing.assert_array_equal(first.result.means, second.result.means)
    np.testing.assert_array_equal(first.result.counts, second.result.counts)


# -- the answer ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "assumed", [noise.GaussianUnknown(), noise.Gaussian(0.5), noise.SubGaussian(0.5)], ids=["unknown", "known", "sub"]
)
@pytest.mark.parametrize("final", [False, True])
@pytest.mark.parametrize("success", ["contain", "cover"])
def test_clear_designs_are_decided(assumed, final, success):
    epsilon = 0.0 if success == "contain" else 0.2
    found = analyse(
        observed(each=80), ORTHANT, delta=0.05, epsilon=epsilon, noise=assumed, final=final, success=success
    )
    assert found.result.status.tolist() == TRUTH
    assert found.result.certified_epsilon <= epsilon
    assert found.result.guarantee
    assert found.result.guarantee.delta == 0.05
    assert found.plan.remaining == 0
    assert found.next(20).total == 0
    assert found.cheapest is None
    assert said(found, "3 are kept and 2 are beaten; with probability at least 95 % all of that is right")


def test_bounded_noise_is_enough_too():
    rng = np.random.default_rng(1)
    designs = np.tile(np.arange(3), 2000)
    values = (rng.random((6000, 2)) < np.array([[0.2, 0.8], [0.8, 0.2], [0.1, 0.1]])[designs]).astype(float)
    for final in (False, True):
        found = analyse(
            cw.Observations.single(designs, values), ORTHANT, delta=0.05, noise=noise.Bounded(0, 1), final=final
        )
        assert found.result.status.tolist() == ["kept", "kept", "beaten"]


def test_a_limit_that_the_table_exceeds_is_refused():
    with pytest.raises(cw.InputError, match=r"there are 40 evaluations, where `max_evaluations` says .* more than 39"):
        analyse(observed(each=8), cw.Cone.planar(120), delta=0.1, noise=noise.SubGaussian(0.5), max_evaluations=39)


@pytest.mark.parametrize(("epsilon", "most"), [(0.0, None), (0.0, 400), (0.3, None)])
def test_a_growing_table_gets_the_answer_of_a_run_that_saw_the_same(epsilon, most):
    cone, assumed = cw.Cone.planar(120), noise.SubGaussian(0.5)
    question = cw.Question(cone, epsilon, 0.1, assumed, "contain")
    rule = SuccessiveElimination(question, 5, max_evaluations=most, any_epsilon=True)
    data = observed(each=8)
    expected = rule.recommend(rule.tell(rule.start(), data))
    found = analyse(data, cone, delta=0.1, epsilon=epsilon, noise=assumed, max_evaluations=most)
    assert found.result.status.tolist() == expected.status.tolist()
    assert found.result.certified_epsilon == expected.certified_epsilon
    assert found.result.guarantee == expected.guarantee
    if most is not None:
        longer = analyse(data, cone, delta=0.1, epsilon=epsilon, noise=assumed)
        assert found.result.certified_epsilon < longer.result.certified_epsilon  # fewer looks to pay for


def test_a_final_table_says_at_least_as_much():
    for each in (5, 10, 20):
        growing, final = (analyse(observed(each=each), ORTHANT, delta=0.05, final=f).result for f in (False, True))
        decided = growing.status != "undecided"
        assert (final.status[decided] == growing.status[decided]).all()
        assert final.certified_epsilon is not None
        if growing.certified_epsilon is not None:
            assert final.certified_epsilon <= growing.certified_epsilon
    assert (final.status != "undecided").sum() > 0


def test_more_rows_do_not_move_the_looks():
    """What is claimed of a prefix depends on the prefix alone: the schedule does not know how long the table gets."""
    data = observed(each=60)
    short = analyse(cw.Observations.single(data.designs[:100], data.means[:100]), ORTHANT, delta=0.05)
    question = cw.Question(ORTHANT, 0.0, 0.05, noise.GaussianUnknown(), success="contain")
    rule = SuccessiveElimination(question, 5, max_evaluations=2 * MOST, pilots=False)
    state = rule.tell(rule.start(), cw.Observations.single(data.designs[:100], data.means[:100]))
    before = rule.recommend(state)
    after = rule.recommend(rule.tell(state, cw.Observations.single(data.designs[100:], data.means[100:])))
    whole = analyse(data, ORTHANT, delta=0.05)
    assert short.result.certified_epsilon == before.certified_epsilon
    assert whole.result.certified_epsilon == after.certified_epsilon


@pytest.mark.parametrize("final", [False, True])
def test_designs_may_be_mixed_in_any_way(tmp_path, final):
    designs, values = sample(each=12, seed=3)
    rng = np.random.default_rng(4)
    shuffled = rng.permutation(designs)
    order = np.empty(len(designs), dtype=int)
    for k in range(len(MEANS)):
        order[shuffled == k] = np.flatnonzero(designs == k)  # the order within a design stays
    options = {"delta": 0.05, "final": final}
    mixed = analyse(cw.Observations.single(designs[order], values[order]), ORTHANT, **options)
    same(analyse(cw.Observations.single(designs, values), ORTHANT, **options), mixed)


def test_a_file_and_its_chunks_change_nothing(tmp_path, monkeypatch):
    designs, values = sample(each=30)
    path = write(tmp_path / "t.csv", designs, values, minimise=["b"])
    inner = analyse(cw.Observations.single(designs, values), ORTHANT, delta=0.05)
    seen = []
    monkeypatch.setattr(readers, "has_arrow", lambda: False)
    monkeypatch.setattr(limits, "CHUNK_ROWS", 7)
    table = LongTable(path, objectives=["a", "b"], minimise=["b"])
    found = analyse(table, ORTHANT, delta=0.05, progress=lambda done, total: seen.append((done, total)))
    same(inner, found)
    assert seen[-1] == (150, 150)
    assert len(seen) == 22
    np.testing.assert_array_equal(found.means, inner.result.means * [1, -1])  # shown as they were measured
    assert found.names == ("d0", "d1", "d2", "d3", "d4")


def test_results_are_values():
    found = analyse(observed(), ORTHANT, delta=0.05, names=list("abcde"))
    assert found.names == tuple("abcde")
    assert repr(found).startswith("Analysis(Result(a, b, c: 3 of 5 designs after 200 evaluations")
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.names = ()


# -- what is odd about the data ------------------------------------------------------------------------------------


@pytest.mark.parametrize("final", [False, True])
def test_one_evaluation_of_a_design_leaves_it_undecided(final):
    designs, values = sample(each=40)
    keep = np.flatnonzero((designs != 1) | (np.arange(len(designs)) == 1))
    found = analyse(
        cw.Observations.single(designs[keep], values[keep]), ORTHANT, delta=0.05, final=final, names=list("abcde")
    )
    assert found.result.counts.tolist() == [40, 1, 40, 40, 40]
    assert found.result.status[1] == "undecided"
    assert found.result.status[3] == "beaten"  # what is certain without it is still said
    assert "kept" not in found.result.status  # it could be better than all others
    assert found.result.certified_epsilon is None
    assert not found.result.guarantee
    assert said(found, "b was evaluated once: one value does not show how large the noise is")
    assert said(found, "No epsilon is certified yet: a design has too few evaluations")
    assert found.next(20).designs[0] == 1


@pytest.mark.parametrize("final", [False, True])
def test_one_evaluation_may_do_where_the_noise_is_known(final):
    found = analyse(observed(each=1), ORTHANT, delta=0.05, noise=noise.Gaussian(0.05), final=final)
    assert not said(found, "how large the noise is")
    if final:
        assert found.result.status.tolist() == TRUTH


@pytest.mark.parametrize("final", [False, True])
def test_a_table_without_repetitions_cannot_show_its_noise(final):
    found = analyse(observed(each=1), ORTHANT, delta=0.05, final=final)
    assert set(found.result.status.tolist()) == {"undecided"}
    assert said(found, "No design was evaluated twice")
    assert said(found, "Of 5 designs none is decided")
    assert found.plan.pulls.total > 0


@pytest.mark.parametrize("final", [False, True])
def test_ties_stay_undecided_and_are_explained(final):
    means = [[1.0, 1.0], [1.0, 1.0], [-3.0, -3.0]]
    found = analyse(observed(means=means, each=60), ORTHANT, delta=0.05, final=final)
    assert found.result.status.tolist() == ["undecided", "undecided", "beaten"]
    assert found.result.certified_epsilon > 0
    assert found.result.pareto.tolist() == [True, True, False]
    assert said(found, "Designs that are truly equal stay undecided at epsilon = 0")
    wider = analyse(
        observed(means=means, each=60), ORTHANT, delta=0.05, final=final, epsilon=found.result.certified_epsilon * 1.001
    )
    assert wider.result.status.tolist() == ["kept", "kept", "beaten"]
    assert not said(wider, "truly equal")


@pytest.mark.parametrize("final", [False, True])
def test_the_same_values_for_two_designs_are_a_tie(final):
    designs, values = sample(means=[[1.0, 1.0], [-3.0, -3.0]], each=40)
    copy = designs == 0
    designs, values = np.concatenate([designs, np.full(40, 2)]), np.vstack([values, values[copy]])
    found = analyse(cw.Observations.single(designs, values), ORTHANT, delta=0.05, final=final)
    assert found.result.status.tolist() == ["undecided", "beaten", "undecided"]
    assert said(found, "0 and 2 share all their averages with another design")


@pytest.mark.parametrize("final", [False, True])
def test_an_objective_that_never_varies_is_open_until_it_is_declared(final):
    designs, values = sample(means=[[1.0, 0.0], [2.0, 0.0], [3.0, 4.0]], each=40)
    values[:, 0] = np.array([0.1, 0.2, 0.3])[designs]  # a price, say, that is known
    data = cw.Observations.single(designs, values)
    found = analyse(data, ORTHANT, delta=0.05, final=final, noise=noise.GaussianUnknown())
    assert found.result.status.tolist() == ["undecided", "undecided", "kept"]  # kept by the other objective alone
    assert said(found, "'objective 1' never varied between evaluations of one design, which does not show")
    assert said(found, "declare that: --noise 'objective 1=known', in Python Objective('objective 1', noise='known')")
    assert said(found, "What deciding the rest takes is not forecast, since an objective never varied.")
    declared = noise.ByObjective([noise.Known(), noise.GaussianUnknown()])
    found = analyse(data, ORTHANT, delta=0.05, final=final, noise=declared)
    assert found.result.status.tolist() == ["beaten", "beaten", "kept"]
    assert found.result.guarantee
    assert not said(found, "never varied")


@pytest.mark.parametrize("final", [False, True])
def test_a_column_that_never_changes_decides_nothing(final):
    designs, values = sample(means=[[0.0, 0.0], [0.0, 3.0]], each=40)
    values[:, 0] = -0.1
    data = cw.Observations.single(designs, values)
    found = analyse(data, ORTHANT, delta=0.05, final=final)
    assert said(found, "'objective 1' never varied between evaluations of one design, which does not show that it")
    assert "beaten" not in found.result.status
    exact = noise.GaussianUnknown(resolution=(0, None))
    found = analyse(data, ORTHANT, delta=0.05, final=final, noise=exact)
    assert found.result.status.tolist() == ["beaten", "kept"]  # as good in the one, worse in the other
    assert "none where a value recorded exactly never varies" in found.result.guarantee.assumption
    known = analyse(data, ORTHANT, delta=0.05, final=final, noise=noise.Gaussian(0.5))
    assert said(known, "'objective 1' has the value -0.1 throughout: it does not tell designs apart")


def test_values_that_repeat_for_one_design_only_are_pointed_out():
    designs, values = sample(each=20)
    values[designs == 2, 1] = 7.0
    found = analyse(cw.Observations.single(designs, values), ORTHANT, delta=0.05)
    assert said(found, "All values of 'objective 2' are the same for 2: that does not show an absence of noise")
    known = analyse(cw.Observations.single(designs, values), ORTHANT, delta=0.05, noise=noise.Gaussian(0.5))
    assert said(known, "the same for 2: the noise is taken to be as declared all the same.")


@pytest.mark.parametrize("final", [False, True])
def test_designs_that_are_equal_and_without_noise_do_not_beat_each_other(final):
    designs = np.repeat([0, 1, 2], 12)
    values = np.array([[1.0, 2.0], [1.0, 2.0], [0.0, 0.0]])[designs]
    data = cw.Observations.single(designs, values)
    found = analyse(data, ORTHANT, delta=0.05, final=final, noise=noise.GaussianUnknown(resolution=0))
    assert found.result.status.tolist() == ["kept", "kept", "beaten"]
    found = analyse(data, ORTHANT, delta=0.05, final=final)  # two values an objective: as with successes and failures
    assert found.result.certified_epsilon is None
    assert said(found, "which does not show that it has no noise, so nothing is decided on it")


def test_successes_and_failures_are_not_normal():
    rng = np.random.default_rng(2)
    designs = np.tile(np.arange(3), 30)
    values = np.column_stack([rng.random(90) < 0.7, rng.normal(size=90)]).astype(float)
    words = "'objective 1' has no other values than 0 and 1, which is not normal noise: assume binary or bounded noise"
    found = analyse(cw.Observations.single(designs, values), ORTHANT, delta=0.05)
    assert said(found, words)
    assert said(found, "What deciding the rest takes is not forecast")  # however many there are, it is not decided
    assert not said(found, "more evaluations of")
    bounded = analyse(cw.Observations.single(designs, values), ORTHANT, delta=0.05, noise=noise.Bounded(-9, 9))
    assert not said(bounded, words)
    values[-1, 0] = 0.5
    found = analyse(cw.Observations.single(designs, values), ORTHANT, delta=0.05)
    assert said(found, "'objective 1' has only 3 different values, which is not normal noise: if its values lie in a")
    assert said(found, "say which, --noise 'objective 1=bounded:LOW:HIGH'")
    stated = analyse(cw.Observations.single(designs, values), ORTHANT, delta=0.05, noise=noise.GaussianUnknown())
    assert not said(stated, "not normal noise")


@pytest.mark.parametrize("final", [False, True])
def test_values_measured_separately_that_are_not_normal_ask_for_what_they_are(final):
    rng = np.random.default_rng(2)
    table = {"design": list("abc") * 30, "heat": rng.normal(size=90), "passed": (rng.random(90) < 0.7).astype(float)}
    asked = {"objectives": ["heat", "passed"], "delta": 0.05, "separate": True, "final": final}
    found = analyse(table, **asked)
    assert said(found, "'passed' has no other values than 0 and 1, which is not normal noise: assume binary")
    table["passed"][-1] = 0.5
    found = analyse(table, **asked)
    assert said(found, "'passed' has only 3 different values, which is not normal noise: if its values lie in a range")
    assert not said(found, "'heat' has")
    assert not said(analyse(table, noise=noise.GaussianUnknown(), **asked), "not normal noise: if")


def test_few_values_that_workers_read_ask_for_a_range(tmp_path):
    scores = np.random.default_rng(0).integers(1, 6, 90)
    path = tmp_path / "scores.csv"
    path.write_text("design,score\n" + "".join(f"{'abc'[k % 3]},{score}\n" for k, score in enumerate(scores)))
    asked = {"objectives": ["score"], "delta": 0.05, "final": True}
    with ThreadPoolExecutor(2) as workers:
        found = analyse(str(path), executor=workers, **asked)
    assert said(found, "'score' has only 5 different values")
    assert found.explanations == analyse(str(path), **asked).explanations


@pytest.mark.parametrize("minimise", [(), ("time",)])
@pytest.mark.parametrize("how", [{}, {"final": True}, {"block": "run"}, {"separate": True}])
def test_a_ceiling_or_a_time_out_asks_for_a_range(minimise, how):
    rng = np.random.default_rng(5)
    time = np.minimum(rng.exponential(20.0, size=120), 30.0)
    table = {"design": ["a", "b"] * 60, "time": time, "heat": rng.normal(size=120), "run": np.repeat(range(60), 2)}
    found = analyse(table, objectives=["time", "heat"], minimise=minimise, delta=0.05, **how)
    assert not found.result.guarantee
    assert said(found, f"'time' is 30 in {(time == 30).sum()} evaluations, at an end of its values, which is not")
    assert not said(found, "'heat' is")
    assert not said(found, "'heat' has")
    ranged = [cw.Objective("time", "min" if minimise else "max", noise="bounded:0:30"), "heat"]
    assert not said(analyse(table, objectives=ranged, delta=0.05, **how), "'time' is")


def test_values_that_are_rounded_ask_for_no_range():
    rng = np.random.default_rng(6)
    asked = 0
    for _ in range(100):
        values = np.round(rng.normal(size=(200, 1)) * 5)
        found = analyse(cw.Observations.single(np.tile([0, 1], 100), values), cw.Cone.orthant(1), delta=0.05)
        asked += said(found, "if its values lie in a range")
    assert asked <= 2


def test_two_designs_that_were_evaluated_once_are_no_successes_and_failures():
    rows = [{"design": name, "cost": cost, "yield": amount} for name, cost, amount in (("A", 4.0, 62), ("B", 5.0, 70))]
    assert not said(analyse(rows, objectives=["cost", "yield"], delta=0.05), "no other values than")


def test_entries_that_leap_over_the_looks_are_explained():
    counts = np.array([10, 10])  # with unknown noise designs are looked at with 9 and with 12 evaluations
    scatters = np.stack([np.eye(2)] * 2)
    data = cw.Observations([0, 1], [[0.0, 0.0], [50.0, 50.0]], counts, scatters)
    found = analyse(data, ORTHANT, delta=0.05)
    assert found.result.status.tolist() == ["undecided", "undecided"]
    assert said(found, "No epsilon is certified yet: some designs have not met at any look.")
    assert said(found, "give single evaluations, or declare the sample final")
    final = analyse(data, ORTHANT, delta=0.05, final=True)
    assert final.result.status.tolist() == ["beaten", "kept"]
    assert not said(final, "single evaluations")


def test_one_design_is_the_pareto_set(tmp_path):
    designs, values = sample(means=[[1.0, 2.0]], each=3)
    for final in (False, True):
        found = analyse(cw.Observations.single(designs, values), ORTHANT, delta=0.05, final=final)
        assert found.result.status.tolist() == ["kept"]
        assert found.result.certified_epsilon == 0
        assert found.explanations == (
            "There is only one design, 0, so nothing can be better: it is Pareto optimal.",
            "Nothing has to be assumed for that.",
        )
        assert found.next(5).total == 0


def test_rows_left_out_are_counted_and_what_that_needs_is_said(tmp_path):
    designs, values = sample(each=20)
    values[[3, 17], 0] = np.nan
    values[designs == 4, 1] = np.nan
    path = write(tmp_path / "t.csv", designs, values)
    found = analyse(LongTable(path, objectives=["a", "b"], incomplete="skip"), ORTHANT, delta=0.05)
    assert found.result.evaluations == 78
    assert said(found, "22 of 100 rows had no value for some objective and were left out; that is sound only if")
    assert said(found, "Nothing is left of d4.")
    assert found.result.status[4] == "undecided"
    assert np.isnan(found.means[4]).all()


def test_what_makes_the_answer_last_is_said():
    growing, final = (analyse(observed(), ORTHANT, delta=0.05, final=f) for f in (False, True))
    words = "The table was declared final: if you look again after adding data what is certified is lost"
    assert said(final, words)
    assert not said(growing, words)
    assert said(growing, "must not depend on their values")
    for found in (growing, final):
        assert said(found, "normal noise of unknown covariance, one for each design")


def test_names_cannot_steer_a_terminal():
    found = analyse(observed(each=1), ORTHANT, delta=0.05, names=["\x1b[2J", "=1+1", "c", "d", "two\nlines"])
    assert found.names[0] == "\x1b[2J"
    assert not any("\x1b" in line or "\n" in line for line in found.explanations)


@pytest.mark.parametrize("final", [False, True])
def test_thousands_of_designs(final):
    rng = np.random.default_rng(5)
    means = np.vstack([rng.normal(size=(2498, 2)), [[6.0, 6.0], [5.5, 6.5]]])
    designs = np.tile(np.arange(2500), 20)
    values = means[designs] + 0.1 * rng.normal(size=(50_000, 2))
    found = analyse(cw.Observations.single(designs, values), ORTHANT, delta=0.05, final=final)
    assert np.flatnonzero(found.result.status == "kept").tolist() == [2498, 2499]
    assert (found.result.status[:2498] == "beaten").all()


def test_more_designs_than_can_be_planned_for_in_pairs():
    rng = np.random.default_rng(6)
    slope = rng.random(2600)
    designs = np.tile(np.arange(2600), 4)
    values = np.column_stack([slope, 1 - slope])[designs] + 0.5 * rng.normal(size=(len(designs), 2))
    found = analyse(cw.Observations.single(designs, values), ORTHANT, delta=0.05, noise=noise.SubGaussian(0.5))
    assert (found.result.status == "undecided").all()
    assert found.result.certified_epsilon > 1
    assert said(found, "Deciding the rest takes at least ")
    assert found.next(7).total == 7


# -- tables of means -----------------------------------------------------------------------------------------------


def wide(path, designs, values, errors=True):
    rows = []
    for k in range(designs.max() + 1):
        x = values[designs == k]
        se = x.std(axis=0, ddof=1) / np.sqrt(len(x)) if len(x) > 1 else [""] * x.shape[1]
        rows.append([f"d{k}", *x.mean(axis=0), *(se if errors else []), len(x)])
    names = [f"o{d}" for d in range(values.shape[1])]
    header = ["design", *(f"{o}_mean" for o in names), *(f"{o}_se" for o in names if errors), "n"]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return open_measurements(path)


@pytest.mark.parametrize("each", [2, 6, 30])
def test_means_and_errors_say_what_the_evaluations_say_under_the_componentwise_order(tmp_path, each):
    designs, values = sample(each=each)
    table = wide(tmp_path / "t.csv", designs, values)
    short, long = (
        analyse(data, ORTHANT, delta=0.05, final=True) for data in (table, cw.Observations.single(designs, values))
    )
    assert short.result.status.tolist() == long.result.status.tolist()
    np.testing.assert_allclose(short.result.certified_epsilon, long.result.certified_epsilon, rtol=1e-9, atol=1e-12)
    assert said(short, "the least favourable way was taken")


@pytest.mark.parametrize("cone", [cw.Cone.planar(135), cw.Cone.planar(60)], ids=["wide", "narrow"])
def test_they_say_less_where_the_cone_weighs_several(tmp_path, cone):
    designs, values = sample(each=10)
    table = wide(tmp_path / "t.csv", designs, values)
    short, long = (
        analyse(data, cone, delta=0.05, final=True, epsilon=0.5)
        for data in (table, cw.Observations.single(designs, values))
    )
    assert short.result.certified_epsilon >= long.result.certified_epsilon
    decided = short.result.status != "undecided"
    assert (short.result.status[decided] == long.result.status[decided]).all()


def test_a_table_of_means_must_be_final_and_show_its_noise(tmp_path):
    designs, values = sample(each=5)
    table = wide(tmp_path / "t.csv", designs, values)
    with pytest.raises(cw.InputError, match=r"does not show the order of its evaluations.*`final=True`"):
        analyse(table, ORTHANT, delta=0.05)
    bare = wide(tmp_path / "u.csv", designs, values, errors=False)
    with pytest.raises(cw.InputError, match="standard errors are needed"):
        analyse(bare, ORTHANT, delta=0.05, final=True)
    with pytest.raises(cw.InputError, match="standard errors are needed"):
        analyse(bare, ORTHANT, delta=0.05, final=True, noise=noise.Bounded(-9, 9))
    known = analyse(bare, ORTHANT, delta=0.05, final=True, noise=noise.Gaussian(0.5))
    same(known, analyse(table, ORTHANT, delta=0.05, final=True, noise=noise.Gaussian(0.5)))
    assert not said(known, "least favourable")


# -- the border ----------------------------------------------------------------------------------------------------


def test_noise_is_given_in_the_signs_of_the_table(tmp_path):
    designs, values = sample(each=30)
    lows, highs = values.min(axis=0) - 0.1, values.max(axis=0) + 0.1
    inner = analyse(cw.Observations.single(designs, values), ORTHANT, delta=0.05, noise=noise.Bounded(lows, highs))
    table = LongTable(write(tmp_path / "t.csv", designs, values, minimise=["b"]), objectives=["a", "b"], minimise=["b"])
    assumed = noise.Bounded([lows[0], -highs[1]], [highs[0], -lows[1]])
    outer = analyse(table, ORTHANT, delta=0.05, noise=assumed)
    same(inner, outer)
    assert outer.result.guarantee.assumption.endswith(assumed.words)
    cov = np.array([[0.5, 0.2], [0.2, 0.5]])
    inner = analyse(cw.Observations.single(designs, values), ORTHANT, delta=0.05, noise=noise.Gaussian(cov=cov))
    same(inner, analyse(table, ORTHANT, delta=0.05, noise=noise.Gaussian(cov=cov * [[1, -1], [-1, 1]])))
    with pytest.raises(cw.InputError, match=r"'b' of 'd0' is -3\.9.*outside the range that the noise assumes"):
        analyse(table, ORTHANT, delta=0.05, noise=noise.Bounded([-9, -3], [9, 9]))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"delta": 0}, "delta must lie strictly between 0 and 1"),
        ({"epsilon": -1}, "epsilon must be 0 or more"),
        ({"success": "maybe"}, '"cover" or "contain"'),
        ({"success": "cover"}, "epsilon = 0 asks for the exact Pareto set"),
        ({"noise": noise.Gaussian([1, 2, 3])}, "given for 3 objectives"),
        ({"names": ["a", "b"]}, "there are 2 names, but design 4 was observed"),
        ({"cone": cw.Cone.orthant(3)}, "orders 3 objectives, but there are 2"),
        ({"observations": cw.Observations([], np.empty((0, 2)))}, "no observations"),
    ],
)
@pytest.mark.parametrize("final", [False, True])
def test_what_does_not_fit_is_refused(change, words, final):
    given_ = {"observations": observed(each=2), "cone": ORTHANT, "delta": 0.05, "final": final} | change
    with pytest.raises(cw.InputError, match=words):
        analyse(given_.pop("observations"), given_.pop("cone"), **given_)


@pytest.mark.parametrize(
    "assumed", [None, noise.Gaussian(0.5), noise.Bounded(-9, 9)], ids=["unknown", "known", "range"]
)
@pytest.mark.parametrize("success", ["contain", "cover"])
def test_what_a_growing_table_certifies_does_not_depend_on_the_epsilon_asked_for(assumed, success):
    """One schedule for all of them: asking for another epsilon at every look costs no delta."""
    data, found = observed(each=15), set()
    for epsilon in (1e-3, 0.1, 0.3, 0.7, 2.0, 14.0):
        asked = {"delta": 0.05, "epsilon": epsilon, "noise": assumed, "success": success}
        result = analyse(data, ORTHANT, **asked).result
        found.add((result.certified_epsilon, *result.indices))
    assert len(found) == 1


def test_the_export_of_a_study_says_whose_answer_counts(tmp_path):
    from conewise.tables.measurements import open_measurements

    table = tmp_path / "told.csv"
    facts = {"designs": ["a", "b"], "objectives": ["x"], "cone": cw.Cone.orthant(1), "epsilon": 0.5, "delta": 0.1}
    with cw.Study.create(tmp_path / "s.db", **facts, noise=noise.Gaussian(0.1)) as study:
        while batch := study.ask(10):
            study.tell(batch, [[float(evaluation.design)] for evaluation in batch])
        study.export(table)
    found = analyse(open_measurements(table, objectives=["x"]), cw.Cone.orthant(1), delta=0.1, epsilon=0.5)
    assert said(found, "This table was exported from a study.")
    assert not said(analyse(observed(each=3), ORTHANT, delta=0.1), "exported from a study")


# -- noise by objective --------------------------------------------------------------------------------------------


def mixed_table(seed: int = 0, each: int = 60) -> dict:
    """Three designs: one good, one cheap, one neither; outcomes, seconds and a price."""
    rng = np.random.default_rng(seed)
    rates, seconds, prices = [0.95, 0.6, 0.05], [1.0, 1.2, 3.0], [5.0, 1.0, 4.0]
    return {
        "design": np.repeat(list("abc"), each).tolist(),
        "correct": (rng.random(3 * each) < np.repeat(rates, each)).tolist(),
        "seconds": (np.repeat(seconds, each) + 0.2 * rng.normal(size=3 * each)).tolist(),
        "price": np.repeat(prices, each).tolist(),
    }


MIXED = [
    cw.Objective("correct", noise="binary"),
    cw.Objective("seconds", "min", unit=0.5, noise="unknown"),
    cw.Objective("price", "min", unit=2, noise="known"),
]


@pytest.mark.parametrize("final", [False, True])
def test_a_table_of_outcomes_seconds_and_prices(final):
    found = cw.analyse(mixed_table(), objectives=MIXED, delta=0.05, final=final)
    assert found.result.status.tolist() == ["kept", "kept", "beaten"]
    assert found.result.guarantee
    text = " ".join(found.explanations)
    assert "by objective: observations of 0 or 1 (correct); normal noise of unknown covariance" in text
    assert "one for each design (seconds); no noise (price)" in text
    assert "'price' never varies" not in text
    assert "binary or bounded noise" not in text
