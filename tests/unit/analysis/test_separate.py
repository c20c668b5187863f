"""Tables whose objectives were measured separately: the answer in sentences, and what such a table has to be."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.errors import InputError
from conewise.noise import Bounded, Gaussian, GaussianUnknown
from conewise.readers.imported import Imported

MEANS = {"a": (3.0, 0.0), "b": (0.0, 3.0), "c": (-3.0, -3.0)}
COMPLETE = [{"design": name, "speed": k, "range": -k} for name in "ab" for k in range(3)]
TIMES = {"speed": 4, "range": 9}


def rows() -> list[dict]:
    """Every row has one of the two objectives."""
    rng = np.random.default_rng(4)
    return [
        {"design": name, column: mean[d] + 0.2 * rng.normal()}
        for d, (column, times) in enumerate(TIMES.items())
        for name, mean in MEANS.items()
        for _ in range(times)
    ]


def answer(table: list[dict]) -> cw.Analysis:
    return cw.analyse(table, objectives=["speed", "range"], final=True, separate=True, delta=0.05, noise=Gaussian(0.2))


def test_the_answer_comes_first_and_says_how_often_each_objective_was_measured():
    found = answer(rows())
    assert found.result.names() == ["a", "b"]
    assert isinstance(found.result.guarantee, cw.Guarantee)
    assert "objectives measured separately" in found.result.guarantee.assumption
    first, *others = found.explanations
    assert first.startswith("Returned: a and b; nothing is undecided")
    assert "Measured separately, for each design: speed 4 times, range 9 times." in others


@pytest.mark.parametrize("dim", [2, 3, 4])
def test_bounded_objectives_measured_separately_certify_about_what_whole_rows_certify(dim):
    """Whole rows spend a tenth of a claim on the variances of all facets, single objectives on one variance alone."""
    values = 0.3 + 0.2 * np.random.default_rng(dim).random((6000, dim))
    table = {"design": np.repeat(list("abc"), 2000), **{f"f{d}": column for d, column in enumerate(values.T)}}
    asked = {"objectives": [f"f{d}" for d in range(dim)], "delta": 0.05, "final": True}
    whole, apart, more = (
        cw.analyse(table, noise=Bounded(0, 1), **asked | options).result.certified_epsilon
        for options in ({}, {"separate": True}, {"separate": True, "delta": 0.06})
    )
    assert 0.96 * whole < apart < whole
    assert more < 0.995 * apart  # spending a fifth more would be seen


def test_a_design_that_lacks_an_objective_is_named_and_nothing_is_certified():
    found = answer([row for row in rows() if not (row["design"] == "b" and "range" in row)])
    assert found.result.certified_epsilon is None
    assert "b has no value of 'range'." in found.explanations


def test_a_source_without_rows_of_measurements_is_refused():
    told = cw.Observations.single([0, 0, 1, 1], [[1.0], [2.0], [3.0], [4.0]])
    with pytest.raises(InputError, match="one row a measurement"):
        cw.analyse(told, final=True, separate=True, delta=0.1, epsilon=0.1, noise=Gaussian(1.0))


def test_one_design_is_compared_with_nobody():
    with pytest.raises(InputError, match="one design only"):
        answer([row for row in rows() if row["design"] == "a"])


def test_levels_of_objectives_that_were_measured_separately():
    asked = {"objectives": ["speed", "range"], "final": True, "separate": True, "delta": 0.05, "noise": Gaussian(0.2)}
    found = cw.analyse(rows(), **asked, levels={"speed": -1.0})
    assert found.result.status.tolist() == ["kept", "kept", "misses a level"]
    assert "levels met within epsilon" in found.result.guarantee.theorem
    assert "1 certainly misses a level (speed >= -1)." in found.explanations
    nobody = cw.analyse(rows(), **asked, levels={"speed": 9.0})
    assert nobody.result.names() == []
    assert nobody.result.guarantee
    assert nobody.explanations[0].startswith("No design is returned; nothing is undecided")


def test_a_table_that_grows_may_be_looked_at_again():
    """Not final: the rows so far, and then more rows of one objective alone."""
    asked = {"objectives": ["speed", "range"], "separate": True, "delta": 0.05, "noise": Gaussian(0.2)}
    rng = np.random.default_rng(1)
    table = [row for row in rows() for _ in range(3)]
    early = cw.analyse(table[: len(table) // 2], **asked)
    assert early.result.certified_epsilon is None
    later = cw.analyse(table, **asked)
    assert later.result.names() == ["a", "b"]
    assert "certificate of looks at each objective" in later.result.guarantee.theorem
    assert "as many as were decided beforehand" not in later.result.guarantee.assumption
    assert later.explanations[-1].endswith("what is certified holds for all looks.")
    more = [{"design": "a", "speed": 3.0 + 0.2 * rng.normal()} for _ in range(50)]
    assert cw.analyse(table + more, **asked).result.counts.tolist() == [89, 39, 39]


def test_another_value_of_an_objective_without_noise_is_refused():
    table = [{"design": d, "speed": s + 0.1 * n, "range": r} for d, (s, r) in MEANS.items() for n in range(4)]
    table[1] = {"design": "a", "speed": 3.1, "range": 7.0}
    for final in (True, False):
        with pytest.raises(InputError, match="'range' of 'a' is 7, and 0 before, although"):
            cw.analyse(
                table,
                objectives=[cw.Objective("speed", noise="unknown"), cw.Objective("range", noise="known")],
                separate=True,
                final=final,
                delta=0.05,
            )


def means(**columns) -> dict:
    """A table of means of what `rows` holds."""
    told = {
        name: {c: [row[c] for row in rows() if row["design"] == name and c in row] for c in TIMES} for name in MEANS
    }
    table: dict = {"design": list(MEANS)}
    for c in TIMES:
        table[f"{c}_mean"] = [float(np.mean(told[name][c])) for name in MEANS]
        table[f"{c}_sd"] = [float(np.std(told[name][c], ddof=1)) for name in MEANS]
        table[f"{c}_n"] = [len(told[name][c]) for name in MEANS]
    return table | columns


@pytest.mark.parametrize("noise", [Gaussian(0.2), None], ids=str)
def test_a_table_of_means_with_a_count_for_each_objective_says_what_its_rows_say(noise):
    asked = {"final": True, "separate": True, "delta": 0.05, "noise": noise}
    found = cw.analyse(means(), **asked)
    whole = cw.analyse(rows(), objectives=["speed", "range"], **asked)
    assert found.result.status.tolist() == whole.result.status.tolist()
    assert found.result.certified_epsilon == pytest.approx(whole.result.certified_epsilon)
    np.testing.assert_allclose(found.result.means, whole.result.means)
    assert found.result.counts.tolist() == whole.result.counts.tolist()


@pytest.mark.parametrize(
    ("changed", "options", "words"),
    [
        ({}, {"separate": False}, "has a count for each objective, so they were measured separately"),
        ({}, {"final": False}, "shows no order in which values came"),
        ({"speed_n": [4, 2.5, 4]}, {}, "'speed_n' holds 2.5, where a number of evaluations"),
        ({"speed_mean": [3.0, None, 0.0]}, {}, "'speed_mean' is empty, although it was measured 4 times"),
    ],
)
def test_what_a_table_of_means_measured_separately_has_to_be(changed, options, words):
    with pytest.raises(InputError, match=words):
        cw.analyse(means(**changed), **{"final": True, "separate": True, "delta": 0.05} | options)


def test_a_design_that_was_not_measured_in_an_objective_has_the_count_0():
    found = cw.analyse(
        means(speed_n=[4, 0, 4], speed_mean=[3.0, None, -3.0]),
        final=True,
        separate=True,
        delta=0.05,
        noise=Gaussian(0.2),
    )
    assert "b has no value of 'speed'." in found.explanations


def unsettled(**options) -> cw.Analysis:
    """Two designs hardly apart in speed, with a price that stands in every row."""
    rng = np.random.default_rng(2)
    table = [
        {"design": name, "speed": speed + 0.2 * rng.normal(), "price": price}
        for name, speed, price in [("a", 3.0, 5.0), ("b", 2.99, 5.01), ("c", 0.0, 9.0)]
        for _ in range(20)
    ]
    asked = [cw.Objective("speed", noise=0.2), cw.Objective("price", "min", noise="known")]
    return cw.analyse(table, objectives=asked, separate=True, delta=0.05, **options)


@pytest.mark.parametrize("final", [True, False])
def test_a_price_that_stands_in_every_row_was_given_once(final):
    found = unsettled(final=final)
    assert found.result.counts.tolist() == [21, 21, 21]
    assert "Measured separately, for each design: speed 20 times, price once." in found.explanations
    assert found.result.status.tolist() == ["kept", "undecided", "beaten"]


def test_what_is_open_comes_with_a_best_guess_and_what_to_measure_next():
    found = unsettled()
    assert "Best guess, by the averages alone: the Pareto set is a and b." in found.explanations
    assert found.guess.standard_errors[:, 0] == pytest.approx(0.2 / np.sqrt(20), rel=0.5)
    assert np.isnan(found.guess.standard_errors[:, 1]).all()  # one value each
    cells = found.cells(100)
    assert set(cells.designs.tolist()) == {0, 2}  # the speed of a and b: c is out, and prices are known
    assert found.explanations[-1].startswith("Up to the next look: speed of a (")
    assert (found.plan.remaining, found.plan.at_least) == (cells.total, True)
    assert found.next(1).total == 1
    assert unsettled(final=True).next(3).total == 0
    assert not unsettled(final=True).plan.at_least


def test_cells_are_planned_only_where_objectives_are_measured_separately():
    for found in (unsettled(final=True), cw.analyse(COMPLETE, objectives=["speed", "range"], delta=0.05)):
        assert not found.has_cells
        with pytest.raises(InputError, match="elsewhere `next` says which designs to evaluate"):
            found.cells(3)
    assert unsettled().has_cells
    with pytest.raises(InputError, match="evaluations must be at least 1, got 0"):
        unsettled().cells(0)


def weighed(**options) -> cw.Analysis:
    """All rows complete, under a cone that weighs objectives, at an epsilon above 0."""
    asked = {"objectives": ["speed", "range"], "separate": True, "delta": 0.05, "noise": Gaussian(0.2), "epsilon": 0.5}
    return cw.analyse(rows(), cw.Cone.planar(135), **asked | options)


@pytest.mark.parametrize("final", [True, False])
def test_units_that_the_values_chose_leave_no_guarantee(final):
    found = weighed(final=final, units="auto")
    assert not found.result.guarantee
    assert "units were taken from the values" in found.result.guarantee.reason
    assert found.result.certified_epsilon is None
    assert not found.result.certain.any()
    assert found.explanations[0].endswith("that is a guess, not a guarantee.")
    assert any(line.startswith("One step is speed") for line in found.explanations)
    assert not any("what is certified" in line for line in found.explanations)


def test_under_the_orthant_at_epsilon_zero_such_units_do_no_harm():
    asked = {"objectives": ["speed", "range"], "separate": True, "final": True, "units": "auto", "delta": 0.05}
    found = cw.analyse(rows(), **asked, noise=GaussianUnknown())
    assert found.result.guarantee
    assert found.result.guarantee.epsilon == 0


@pytest.mark.parametrize("final", [True, False])
def test_folds_that_designs_share_leave_no_guarantee_where_objectives_are_taken_apart(final):
    table = Imported(
        [{"speed": None, "range": None} | row for row in rows()],
        ["speed", "range"],
        shared="folds",
        incomplete="separate",
    )
    found = cw.analyse(table, separate=True, final=final, delta=0.05, noise=Gaussian(0.2))
    assert not found.result.guarantee
    assert "the same folds" in found.explanations[1]


@pytest.mark.parametrize("final", [True, False])
def test_a_limit_that_the_table_exceeds_is_refused(final):
    with pytest.raises(InputError, match="there are 39 evaluations, where `max_evaluations` says"):
        weighed(final=final, max_evaluations=38)
    assert weighed(final=final, max_evaluations=39).result.guarantee


def test_columns_of_very_different_spread_are_remarked_upon():
    table = [row | ({"range": 1000 * row["range"]} if "range" in row else {}) for row in rows()]
    asked = [cw.Objective("speed", noise=0.2), cw.Objective("range", noise=200)]
    found = cw.analyse(table, cw.Cone.planar(135), objectives=asked, separate=True, delta=0.05)
    assert any("--unit" in line for line in found.explanations)


@pytest.mark.parametrize("word", ["final", "separate", "repetitions"])
def test_a_text_is_no_yes(word):
    with pytest.raises(InputError, match=f"{word} must be True or False, got 'no'"):
        cw.analyse(rows(), objectives=["speed", "range"], delta=0.05, **{word: "no"})


def test_separate_objectives_share_no_blocks():
    with pytest.raises(InputError, match="share no blocks"):
        weighed(block="design")
