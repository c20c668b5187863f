"""Tables whose rows name a block: what is compared, what is said, and what is refused."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import conewise as cw
from conewise.cli.main import main
from conewise.errors import InputError
from conewise.noise import Bounded, GaussianUnknown

RATES = np.array([[0.9, 0.3], [0.4, 0.85], [0.3, 0.25], [0.25, 0.2]])


def answers(blocks=300, seed=0):
    """(4, blocks, 2): right or wrong, with shared difficulties."""
    rng = np.random.default_rng(seed)
    shared = rng.random((1, blocks, 1))
    own = rng.random((4, blocks, 2))
    return (np.where(rng.random((4, blocks, 2)) < 0.7, shared, own) < RATES[:, None, :]).astype(float)


def rows_of(values):
    """A list of rows, sorted by question as a file would be; NaN is a question that was not asked."""
    k, q, _ = values.shape
    return [
        {"model": f"m{i}", "question": f"q{b}", "maths": values[i, b, 0], "cost": -values[i, b, 1]}
        for b in range(q)
        for i in range(k)
        if not np.isnan(values[i, b]).any()
    ]


OPTIONS = {"design": "model", "block": "question", "objectives": ["maths", "cost"], "minimise": ["cost"]}


def analysed(values, **options):
    return cw.analyse(rows_of(values), **(OPTIONS | {"delta": 0.05, "population": "all"} | options))


def test_a_whole_benchmark_is_known_exactly():
    values = answers()
    found = analysed(values)
    truth = cw.pareto_mask(values.mean(axis=1), cw.Cone.orthant(2))
    assert found.result.certified_epsilon == 0
    assert (found.result.pareto == truth).all()
    assert "undecided" not in found.result.status
    text = " ".join(found.explanations)
    assert "known exactly" in text
    assert "shuffled" not in text  # no order matters where everything is read
    assert found.plan.remaining == 0
    assert found.means == pytest.approx(values.mean(axis=1) * [1, -1])


def test_standard_errors_are_those_of_drawing_without_putting_back():
    values = answers(100)
    alone = values.std(axis=1, ddof=1) / np.sqrt(100)
    assert analysed(values, population=None).guess.standard_errors == pytest.approx(alone)
    assert analysed(values, population=400).guess.standard_errors == pytest.approx(alone * np.sqrt(0.75))
    assert (analysed(values).guess.standard_errors == 0).all()


def test_what_deciding_the_rest_takes_is_forecast_for_several_epsilons():
    values, ranges = answers(60), Bounded([0, -1], [1, 0])
    found = analysed(values, population=None, noise=ranges)
    assert (found.result.status == "undecided").any()
    fine, coarse = found.guess.prices
    assert fine.epsilon < coarse.epsilon
    assert fine.remaining >= coarse.remaining
    assert f"With epsilon = {fine.epsilon:g} about {fine.remaining:,} more" in found.explanations[-1]
    enough = answers(60 + fine.remaining // 4 + 200)  # as many again and some more decide it at that epsilon
    settled = analysed(enough, population=None, epsilon=fine.epsilon, noise=ranges)
    assert "undecided" not in settled.result.status
    some = analysed(values, population=300, noise=ranges)
    assert "Judged by the averages it takes about" in some.explanations[-1]
    levelled = analysed(values, population=None, noise=ranges, levels={"maths": 0.2})
    assert levelled.guess.prices[0].remaining >= levelled.guess.prices[1].remaining


def test_a_larger_population_is_a_random_sample_of_it():
    values = answers(600)
    found = analysed(values, population=2000, epsilon=0.1, noise=Bounded([0, -1], [1, 0]))
    assert found.result.status.tolist() == ["kept", "kept", "beaten", "beaten"]
    text = " ".join(found.explanations)
    assert "population of 2,000" in text
    assert "shuffled with seed 0" in text
    again = analysed(values, population=2000, epsilon=0.1, noise=Bounded([0, -1], [1, 0]))
    assert again.explanations == found.explanations


def test_zeros_and_ones_need_no_noise_and_others_are_normal():
    values = answers(400)
    ones = [row | {"cost": -row["cost"]} for row in rows_of(values)]
    found = cw.analyse(ones, **(OPTIONS | {"minimise": []}), delta=0.05, epsilon=0.1)
    assert "observations between 0 and 1" in found.result.guarantee.assumption
    assert "unlimited population" in found.result.guarantee.assumption
    noisy = values + 0.3 * np.random.default_rng(1).normal(size=values.shape)
    assert not analysed(noisy, population=None, epsilon=0.1).result.guarantee
    normal = analysed(noisy, population=None, epsilon=0.1, noise=GaussianUnknown())
    assert "normal from block to block" in normal.result.guarantee.assumption
    assert normal.result.status.tolist() == ["kept", "kept", "beaten", "beaten"]


@pytest.mark.parametrize("column", ["rows", "columns"])
def test_any_order_of_rows_says_the_same_of_a_whole_table(column):
    rows = rows_of(answers(80))
    mixed = [rows[k] for k in np.random.default_rng(2).permutation(len(rows))]
    table = mixed if column == "rows" else {name: [row[name] for row in mixed] for name in mixed[0]}
    ours, theirs = (cw.analyse(t, **OPTIONS, delta=0.05, population="all") for t in (rows, table))
    status = [dict(zip(f.names, f.result.status.tolist(), strict=True)) for f in (ours, theirs)]
    assert status[0] == status[1]


def test_repetitions_are_averaged_only_if_declared():
    rows = rows_of(answers(50))
    twice = [*rows, rows[7] | {"maths": 1 - rows[7]["maths"]}]
    with pytest.raises(InputError, match=r"'m3' has 2 rows for question 'q1'; if these are repetitions"):
        cw.analyse(twice, **OPTIONS, delta=0.05)
    found = cw.analyse(twice, **OPTIONS, delta=0.05, population="all", repetitions=True)
    assert "1 row repeats a design on a block" in " ".join(found.explanations)
    assert found.result.counts.tolist() == [50] * 4
    assert found.means[3, 0] == pytest.approx(
        (sum(r["maths"] for r in rows if r["model"] == "m3") - rows[7]["maths"] + 0.5) / 50
    )


def test_repeated_zeros_and_ones_stay_in_their_range():
    rows = [row | {"cost": -row["cost"]} for row in rows_of(answers(60))]
    found = cw.analyse([*rows, *rows[::3]], **(OPTIONS | {"minimise": []}), delta=0.05, epsilon=0.1, repetitions=True)
    assert "observations between 0 and 1" in found.result.guarantee.assumption


def test_zeros_and_ones_beside_other_values_are_bet_on():
    values = answers(60)
    values[:, :, 1] += np.random.default_rng(3).normal(size=values.shape[:2])
    found = analysed(values, population=None, epsilon=0.2)
    assert not found.result.guarantee
    assert "say --noise unknown (in Python noise=GaussianUnknown()) for cost" in found.result.guarantee.reason
    assert "observations between 0 and 1, of any distribution (maths)" in found.result.guarantee.proof.assumption
    assert "normal from block to block, of unknown covariance (cost)" in found.result.guarantee.proof.assumption
    assert "maths is 0 or 1" not in " ".join(found.explanations)
    said = " ".join(analysed(values, population=None, noise=GaussianUnknown()).explanations)
    assert "maths is 0 or 1 in every row, which no normal difference is" in said
    assert "maths is 0 or 1" not in " ".join(analysed(values, noise=GaussianUnknown()).explanations)  # exact
    ranges = Bounded([0, -10], [1, 10])
    assert "maths is 0 or 1" not in " ".join(analysed(values, population=None, noise=ranges).explanations)


PRICES = [0.5, 0.4, 0.45, 0.6]
MIXED = {
    "design": "model",
    "block": "question",
    "objectives": [
        cw.Objective("right", noise="binary"),
        cw.Objective("seconds", "min", noise="unknown"),
        cw.Objective("price", "min", noise="known"),
    ],
    "delta": 0.05,
    "epsilon": 0.1,
}


def calls(blocks=300, *, words=False, every=1):
    """Models that are right or wrong, take so many seconds, and have a price, which stands in one row of many."""
    values, rng = answers(blocks), np.random.default_rng(5)
    seconds = 1 - RATES[:, 1:] + 0.3 * rng.normal(size=(1, blocks)) + 0.1 * rng.normal(size=(4, blocks))
    return [
        {
            "model": f"m{i}",
            "question": f"q{b}",
            "right": ("yes" if values[i, b, 0] else "no") if words else values[i, b, 0],
            "seconds": seconds[i, b],
            "price": PRICES[i] if b % every == 0 else None,
        }
        for b in range(blocks)
        for i in range(4)
    ]


@pytest.mark.parametrize("population", [None, 1000, "all"])
def test_right_or_wrong_seconds_and_a_price(population):
    found = cw.analyse(calls(words=True, every=100), **MIXED, population=population)
    assert found.result.status[:2].tolist() == ["kept", "kept"]
    assert found.result.status[3] == "beaten"
    if population == "all":
        averages = found.means * [1, -1, -1]
        assert (found.result.pareto == cw.pareto_mask(averages, cw.Cone.orthant(3))).all()
    words = "observations of 0 or 1 (right); differences between designs that are normal from block to block"
    assert words in found.result.guarantee.assumption
    assert "no noise (price)" in found.result.guarantee.assumption


def test_levels_on_every_kind():
    levelled = [
        cw.Objective("right", noise="binary", level=0.2),
        cw.Objective("seconds", "min", noise="unknown", level=0.9),
        cw.Objective("price", "min", noise="known", level=0.5),
    ]
    for population in (None, "all"):
        found = cw.analyse(calls(), **(MIXED | {"objectives": levelled}), population=population)
        assert found.result.status[3] == "misses a level"  # its price
        assert found.result.status[:2].tolist() == ["kept", "kept"]
    assert "normal themselves where they have a level" in found.result.guarantee.assumption


def test_a_known_value_that_changes_is_refused():
    rows = calls(20)
    with pytest.raises(InputError, match=r"'price' of 'm0' is 9, and 0.5 before, although it is declared to be known"):
        cw.analyse([*rows[:40], rows[40] | {"price": 9.0}, *rows[41:]], **MIXED)
    with pytest.raises(InputError, match="no row of 'm1' has a value of 'price', which is known"):
        cw.analyse([row | {"price": None if row["model"] == "m1" else 1.0} for row in rows], **MIXED)


def test_the_command_takes_noise_by_objective(tmp_path, capsys):
    path, rows = tmp_path / "calls.csv", calls(200)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    columns = ["--objectives", "right,seconds,price", "--minimise", "seconds,price", "--epsilon", "0.1"]
    how = ["--design", "model", "--block", "question", "--delta", "0.05", "--noise", "right=binary"]
    run = ["analyse", str(path), *how, *columns, "--noise", "price=known"]
    with pytest.raises(SystemExit, match="0"):
        main([*run, "--noise", "seconds=unknown", "--json"])
    said = json.loads(capsys.readouterr().out)
    found = cw.analyse(path, **MIXED)
    assert [row["status"] for row in said["designs"]] == found.result.status.tolist()
    with pytest.raises(SystemExit, match="0"):  # zeros and ones show by themselves, and nothing is known of the seconds
        main(["analyse", str(path), *how[:-2], *columns, "--noise", "price=known", "--json"])
    bare = json.loads(capsys.readouterr().out)
    assert [row["status"] for row in bare["designs"]] == [row["status"] for row in said["designs"]]
    assert said["guarantee"]
    assert bare["guarantee"] is None  # nobody has said that the seconds are normal
    assert bare["guarantee_if_normal"]["epsilon"] == said["guarantee"]["epsilon"]
    with pytest.raises(SystemExit, match="2"):
        main([*run, "--noise", "seconds=subgaussian:1"])
    error = capsys.readouterr().err
    assert "got subgaussian noise" in error
    assert "in objective 2; give every objective a range" in error
    assert error.count("\n") == 1


def test_a_missing_question_is_said():
    values = answers(300)
    values[0, 3] = np.nan
    found = analysed(values, epsilon=0.05, noise=Bounded([0, -1], [1, 0]))
    assert found.result.counts.tolist() == [299, 300, 300, 300]
    text = " ".join(found.explanations)
    assert "1 design lacks 1 block and is compared on common ones" in text
    assert found.result.status.tolist() == ["kept", "kept", "beaten", "beaten"]


def test_two_designs_with_disjoint_questions():
    values = answers(200)
    values[0, :100] = np.nan
    values[1, 100:] = np.nan
    found = analysed(values, epsilon=0.05, noise=Bounded([0, -1], [1, 0]))
    standing = dict(zip(found.names, found.result.status.tolist(), strict=True))
    assert standing["m0"] == standing["m1"] == "undecided"
    text = " ".join(found.explanations)
    assert "m1 and m0 have no block in common" in text
    assert "At most 200 more evaluations decide the rest" in text
    next_up = found.next(10)
    assert sorted(found.names[k] for k in next_up.designs) == ["m0", "m1"]  # a block of one alone settles nothing
    assert next_up.counts.tolist() == [5, 5]
    assert found.cheapest == 200


def test_a_single_design():
    found = analysed(answers(20)[:1])
    assert found.result.indices == [0]
    assert found.explanations[0].startswith("There is only one design")


def test_five_blocks_of_a_population_are_exact():
    values = answers(5)
    found = analysed(values)
    assert (found.result.pareto == cw.pareto_mask(values.mean(axis=1), cw.Cone.orthant(2))).all()


def test_units_and_values_in_the_users_directions():
    values = answers(100)
    objectives = [cw.Objective("maths", unit=0.1), cw.Objective("cost", "min", unit=0.5)]
    found = cw.analyse(
        rows_of(values), design="model", block="question", objectives=objectives, delta=0.05, population="all"
    )
    assert found.means == pytest.approx(values.mean(axis=1) * [1, -1])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"population": 40}, "at least the number of blocks seen, got 40 and 50"),
        ({"population": "some"}, '"all" or a number of blocks'),
        ({"population": True}, '"all" or a number of blocks'),
        ({"block": "topic"}, "topic"),
        ({"block": "model"}, "names the designs"),
        ({"block": "maths"}, "is an objective"),
        ({"max_evaluations": 10}, "looked at once"),
        ({"block": None}, "name their column with `block`"),
        ({"seed": -1}, "seed"),
        ({"noise": cw.noise.SubGaussian(1)}, "block by block"),
    ],
)
def test_what_is_refused(options, words):
    with pytest.raises(InputError, match=words):
        analysed(answers(50), **options)


# -- the command line --------------------------------------------------------------------------------------------------


def written(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


def command(path, *options):
    """The exit code of `conewise analyse`."""
    arguments = ["analyse", str(path), "--design", "model", "--objectives", "maths,cost", "--minimise", "cost"]
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--block", "question", *options])
    return ended.value.code or 0


def test_the_command_says_the_same(tmp_path, capsys):
    values = answers(120)
    path = written(tmp_path / "answers.csv", rows_of(values))
    assert command(path, "--population", "all") == 0
    assert "Designs are compared on the blocks (question)" in capsys.readouterr().out
    assert command(path, "--population", "all", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert said["block"] == "question"
    assert [d["status"] for d in said["designs"]] == analysed(values).result.status.tolist()


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        (None, ("--population", "100"), "at least the number of blocks seen, got 100 and 120"),
        (None, ("--population", "many"), "--population must be `all` or a number"),
        ("maths", (), "answers.csv"),
        ("question", (), "which block"),
        ("twice", (), "if these are repetitions"),
        ("empty", (), "no rows"),
    ],
)
def test_bad_tables_are_one_sentence(tmp_path, capsys, change, options, words):
    rows = rows_of(answers(120))
    if change in ("maths", "question"):
        rows[5] = rows[5] | {change: "perhaps" if change == "maths" else ""}
    if change == "twice":
        rows.append(rows[5])
    path = written(tmp_path / "answers.csv", rows)
    if change == "empty":
        path.write_text("model,question,maths,cost\n", encoding="utf-8")
    assert command(path, *options) == 2
    said = capsys.readouterr().err
    assert words in said
    assert len(said.strip().splitlines()) == 1


def test_levels_of_a_table_with_blocks():
    rates = {"a": (0.9, 0.9), "b": (0.95, 0.2), "c": (0.2, 0.3)}
    rng = np.random.default_rng(8)
    rows = [
        {"design": name, "question": q, "code": int(rng.random() < x), "prose": int(rng.random() < y)}
        for name, (x, y) in rates.items()
        for q in range(150)
    ]
    asked = {"objectives": ["code", "prose"], "block": "question", "delta": 0.05, "epsilon": 0.1}
    found = cw.analyse(rows, **asked, levels={"prose": 0.5})
    assert found.result.status.tolist()[:2] == ["kept", "misses a level"]
    assert found.result.guarantee
    assert "misses a level" in found.explanations[0] or "miss" in " ".join(found.explanations)
    with pytest.raises(cw.InputError, match="a single design does not know levels"):
        cw.analyse([row for row in rows if row["design"] == "a"], **asked, levels={"prose": 0.5})


@pytest.mark.parametrize("words", [("yes", "no"), (True, False)])
def test_outcomes_may_stand_in_words_where_they_are_declared(words):
    rows = [
        {"design": name, "q": q, "right": words[(q % n) > 0]} for name, n in (("a", 2), ("b", 5)) for q in range(40)
    ]
    asked = {"block": "q", "population": "all", "delta": 0.05}
    found = cw.analyse(rows, objectives=[cw.Objective("right", noise="binary")], **asked)
    assert found.result.averages.ravel().tolist() == [0.5, 0.2]
    with pytest.raises(InputError, match="outcomes are written 1 and 0, or in words where their noise is declared"):
        cw.analyse(rows, objectives=["right"], **asked)
    timed = [row | {"seconds": 1.0 + row["q"] / 100} for row in rows]
    beside = [cw.Objective("right", noise="binary"), cw.Objective("seconds", "min", noise=Bounded(0, 10))]
    assert cw.analyse(timed, objectives=beside, **asked).result.averages[:, 0].tolist() == [0.5, 0.2]
