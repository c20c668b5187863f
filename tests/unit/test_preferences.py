"""Cones from statements: what was said holds to the last bit, contradictions are smallest, questions end."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from click.testing import CliRunner

import conewise as cw
from conewise._questions import remaining
from conewise._weightings import allowances, draws
from conewise.cli.main import commands
from conewise.cli.trial import read_trial
from conewise.objectives import Objective, as_objectives
from conewise.preferences import stated_cone
from conewise.problems import load


def deciding(means, weights, said, questions, wrong=None):
    """The preferences of a simulated person after so many answers; `wrong` says which answers are."""
    for q in range(questions):
        pair = said.ask(means)
        if pair is None:
            break
        i, j = pair if (means[pair[0]] - means[pair[1]]) @ weights >= 0 else pair[::-1]
        if wrong is not None and wrong[q]:
            i, j = j, i
        said = said.prefers(means[i], over=means[j])
    return said


# -- what is said holds ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dim", [2, 3, 5])
def test_a_preferred_design_dominates_the_other_to_the_last_bit(dim):
    rng = np.random.default_rng([1, dim])
    for _ in range(200):
        a, b = rng.normal(size=(2, dim)) * 10.0 ** rng.integers(-1, 3, size=dim)
        if (a <= b).all():
            continue
        cone = cw.Preferences([f"o{d}" for d in range(dim)]).prefers(a, over=b).cone
        assert cw.weakly_dominates(a, b, cone)
        assert cone.contains(a - b)
        assert not cone.contains(b - a)


def test_many_statements_all_hold_and_never_shrink_the_cone():
    rng = np.random.default_rng(2)
    weights = rng.dirichlet(np.ones(4))
    said, before = cw.Preferences(list("abcd")), cw.Cone.orthant(4)
    for _ in range(25):
        a, b = rng.normal(size=(2, 4))
        a, b = (a, b) if weights @ a > weights @ b else (b, a)
        said = said.prefers(a, over=b)
        cone = said.cone
        assert cone.contains(before.rays, tolerance=1e-5).all()
        before = cone
    for statement in said.statements:
        assert cw.weakly_dominates(*map(np.array, statement.pair), said.cone)


def test_nearly_equal_statements_are_one_cone():
    said = cw.Preferences(list("abc"))
    for k in range(6):
        said = said.prefers([1.0, -0.5 + 1e-8 * k, 0.2], over=[0.0, 0.0, 0.0])
    for k in range(6):
        assert said.cone.contains([1.0, -0.5 + 1e-8 * k, 0.2])


def test_an_exchange_is_one_ray_in_units_and_directions():
    plain = cw.Preferences([Objective("price", "min"), "speed"]).accepts(give={"price": 100}, get={"speed": 1000})
    units = cw.Preferences([Objective("price", "min", unit=100), Objective("speed", unit=1000)])
    assert bool(plain.cone.contains([-99.99, 1000]))
    assert not bool(plain.cone.contains([-100.01, 1000]))
    cone = units.accepts(give={"price": 100}, get={"speed": 1000}).cone
    assert cone.contains([-1.0, 1.0])  # one step against one step
    assert not cone.contains([-1.001, 1.0])


@pytest.mark.parametrize(
    ("shares", "same"),
    [({"a": 0.25, "b": 0.25}, cw.Cone.importance(0.25)), ({"a": 0.3, "b": 0.2}, cw.Cone([[80, 20], [30, 70]]))],
)
def test_least_shares_are_the_weightings_that_respect_them(shares, same):
    cone = cw.Preferences(["a", "b"]).important(shares).cone
    assert cone.facets == pytest.approx(same.facets, abs=1e-8) or cone.facets[::-1] == pytest.approx(
        same.facets, abs=1e-8
    )


def test_a_ranking_by_name_is_the_ranked_cone():
    cone = cw.Preferences(["a", "b", "c"]).ranked("a", "b", "c").cone
    ranked = cw.Cone.ranked(3)
    assert ranked.contains(cone.rays, tolerance=1e-6).all()
    assert cone.contains(ranked.rays, tolerance=1e-6).all()


def test_a_cone_remembers_what_was_said():
    cone = cw.Preferences(["a", "b"]).accepts(give={"a": 1}, get={"b": 2}).cone
    assert cone.said == ("1 a for 2 b is worth it",)
    assert "1 a for 2 b is worth it" in repr(cone)
    assert cw.Cone.from_dict(json.loads(json.dumps(cone.to_dict()))).said == cone.said
    assert pickle.loads(pickle.dumps(cone)).said == cone.said


def test_nothing_said_is_the_componentwise_order():
    assert cw.Preferences(["a", "b", "c"]).cone == cw.Cone.orthant(3)


# -- text and dictionary ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "accept: 100 price (EUR), all in for 3 speed",
        "accept: 2 speed and 1 noise for 10 price (EUR), all in",
        "prefer: price (EUR), all in=10.5, speed=3, noise=1 > price (EUR), all in=9, speed=1, noise=1",
        "undecided: price (EUR), all in=10.5, speed=3, noise=1 ? price (EUR), all in=9, speed=1, noise=1",
        "importance: speed=20%, noise=10%",
        "ranked: speed, noise",
        "never: noise",
        "never: noise for speed",
    ],
)
def test_text_forms_are_read_as_they_are_written(text):
    named = [Objective("price (EUR), all in", "min", unit=500), "speed", Objective("noise", "min")]
    said = cw.Preferences(named).said(text)
    again = cw.Preferences.from_dict(json.loads(json.dumps(said.to_dict())))
    assert again.statements[0].text == said.statements[0].text
    assert again.statements[0].rays == pytest.approx(said.statements[0].rays)
    assert again.cone == said.cone


def test_designs_are_found_by_name():
    designs = {"A > B": [3.0, 0.0], "C": [0.0, 1.0]}
    said = cw.Preferences(["a", "b"]).said("prefer: A > B > C", designs)
    assert said.cone.contains([3.0, -1.0])


@pytest.mark.parametrize(
    ("spec", "statements", "same"),
    [
        ("ranked:b,a", (), cw.Cone([[0, 1], [1, 1]])),
        ("a=20%,b=30%", (), cw.Cone([[70, 30], [20, 80]])),
        ("planar:135", (), cw.Cone.planar(135)),
        (None, (), cw.Cone.orthant(2)),
        (None, ("accept: 1 a for 2 b",), cw.Cone.from_rays([[1, 0], [-1, 2]])),
        ("ranked:a,b", ("accept: 1 a for 2 b",), cw.Cone.from_rays([[1, -1], [-1, 2]])),
    ],
)
def test_a_text_form_and_statements_make_one_cone(spec, statements, same):
    cone = stated_cone(spec, as_objectives(["a", "b"]), statements)
    assert same.contains(cone.rays, tolerance=1e-6).all()
    assert cone.contains(same.rays, tolerance=1e-6).all()


# -- contradictions --------------------------------------------------------------------------------------------------


def test_contradictions_are_smallest_and_say_what_to_take_back():
    rng = np.random.default_rng(3)
    for dim in (2, 3, 4):
        for _ in range(20):
            weights = rng.dirichlet(np.ones(dim))
            said = cw.Preferences([f"o{d}" for d in range(dim)])
            for _ in range(12):
                a, b = rng.normal(size=(2, dim))
                better, worse = (a, b) if weights @ a > weights @ b else (b, a)
                said = said.prefers(better, over=worse)
            assert not said.conflicts()
            a, b = rng.normal(size=(2, dim))
            better, worse = (a, b) if weights @ a > weights @ b else (b, a)
            wrong = said.prefers(worse, over=better)
            found = wrong.conflicts()
            if not found:
                continue
            for statement in found:
                fewer = cw.Preferences(wrong.objectives)
                for other in found:
                    fewer = fewer if other is statement else fewer.said(other.text)
                assert not fewer.conflicts()
            for statement in found.take_back:
                assert not wrong.without(statement).conflicts()
            with pytest.raises(cw.ConeError, match=r"contradict|getting worse"):
                _ = wrong.cone


def test_what_is_never_given_contradicts_an_exchange_of_it():
    said = cw.Preferences(["tox", "price", "speed"], minimise=["tox", "price"]).never("tox")
    assert said.cone == cw.Cone.orthant(3)
    assert not said.accepts(give={"price": 3}, get={"tox": 1}).conflicts()
    found = said.accepts(give={"price": 3}, get={"speed": 1}).accepts(give={"tox": 1}, get={"price": 50}).conflicts()
    assert [str(statement) for statement in found] == [
        "1 tox for 50 price is worth it",
        "never worse in tox, at any price",
    ]
    narrow = cw.Preferences(["tox", "price", "speed"]).never("tox", get=["price"])
    assert not narrow.accepts(give={"tox": 1}, get={"speed": 2}).conflicts()
    both = narrow.accepts(give={"tox": 1}, get={"speed": 2}).accepts(give={"speed": 2}, get={"price": 9})
    assert len(both.conflicts()) == 3  # only together do they give tox for price


def test_a_design_that_is_worse_in_everything_is_not_preferred():
    found = cw.Preferences(["a", "b"]).prefers([0, 0], over=[1, 1]).conflicts()
    assert "getting worse is getting better" in str(found)


# -- questions -------------------------------------------------------------------------------------------------------


def test_the_count_under_one_more_ray_is_that_of_the_cone_with_it():
    rng = np.random.default_rng(4)
    for dim in (2, 3, 4):
        designs, cone = rng.normal(size=(30, dim)), cw.Cone.importance(0.1, dim=dim)
        rays = rng.normal(size=(6, dim)) + 0.5
        slow = [
            int(cw.pareto_mask(designs, cw.Cone.from_rays(np.vstack([cone.rays, ray])), keep_duplicates=True).sum())
            for ray in rays
            if not cone.contains(ray) and not (cone.facets @ ray <= 0).all()
        ]
        some = [ray for ray in rays if not cone.contains(ray) and not (cone.facets @ ray <= 0).all()]
        assert remaining(designs, cone.facets, np.array(some)).tolist() == slow


def test_three_questions_leave_few_designs_and_the_best_one():
    rng, left, before = np.random.default_rng(5), [], []
    for _ in range(100):
        means, weights = rng.normal(size=(500, 3)), rng.dirichlet(np.ones(3))
        nothing = cw.Preferences(["a", "b", "c"])
        said = deciding(means, weights, nothing, 3)
        kept = said.remaining(means)
        assert kept[(means @ weights).argmax()]
        left.append(int(kept.sum()))
        before.append(int(nothing.remaining(means).sum()))
    assert np.mean(before) > 20
    assert np.mean(left) <= 5


def test_three_questions_leave_two_sorting_networks():
    means, rng = load("snw").means, np.random.default_rng(6)
    left = []
    for _ in range(100):
        weights = rng.dirichlet(np.ones(2))
        kept = deciding(means, weights, cw.Preferences(["area", "throughput"]), 3).remaining(means)
        assert kept[(means @ weights).argmax()]
        left.append(int(kept.sum()))
    assert np.mean(left) <= 2


def test_questions_end_and_what_cannot_be_said_is_not_asked_again():
    means = np.array([[0.0, 3.0], [1.0, 2.0], [2.0, 0.5]])
    said, asked = cw.Preferences(["a", "b"]), []
    while (pair := said.ask(means)) is not None:
        assert frozenset(pair) not in asked
        asked.append(frozenset(pair))
        said = said.cannot_say(*means[list(pair)])
    assert len(asked) == 3
    assert said.remaining(means).all()
    assert cw.Preferences(["a", "b"]).ask(means[:1]) is None


def test_wrong_answers_rarely_strike_the_best_design():
    rng, kept, left = np.random.default_rng(7), 0, []
    runs = 60
    for _ in range(runs):
        means, weights = rng.normal(size=(200, 3)), rng.dirichlet(np.ones(3))
        wrong = rng.random(6) < 0.1
        said = deciding(means, weights, cw.Preferences(["a", "b", "c"], trust=0.9), 6, wrong)
        mask = said.remaining(means)
        kept += int(mask[(means @ weights).argmax()])
        left.append(mask.sum() / cw.Preferences(["a", "b", "c"]).remaining(means).sum())
    assert kept >= 0.95 * runs
    assert np.mean(left) < 0.6


def test_draws_have_the_probabilities_of_the_answers():
    points, weights = draws(np.empty((0, 2)), np.array([[1.0, -1.0]]), 0.9)
    assert weights @ (points[:, 0] > points[:, 1]) == pytest.approx(0.9, abs=0.03)
    points, weights = draws(np.array([[1.0, -1.0]]), np.empty((0, 2)), 0.9)
    assert (points[:, 0] >= points[:, 1]).all()
    assert points[:, 0].mean() == pytest.approx(0.75, abs=0.02)


def test_allowances_hold_together_with_the_probability_asked_for():
    rng = np.random.default_rng(8)
    points, rays = rng.dirichlet(np.ones(3), 2000), rng.normal(size=(4, 3))
    weights = np.full(2000, 1 / 2000)
    slack = allowances(points, weights, rays, 0.9)
    assert (points @ rays.T >= -slack).all(axis=1).mean() >= 0.9


# -- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: cw.Preferences([]), "at least one objective"),
        (lambda: cw.Preferences(["a", "a"]), "twice"),
        (lambda: cw.Preferences(["a", "b"], trust=0.5), "above 0.5"),
        (lambda: cw.Preferences(["a", "b"]).accepts(give={}, get={"b": 1}), "at least one objective"),
        (lambda: cw.Preferences(["a", "b"]).accepts(give={"c": 1}, get={"b": 1}), "no objective is called 'c'"),
        (lambda: cw.Preferences(["a", "b"]).accepts(give={"a": -1}, get={"b": 1}), "positive"),
        (lambda: cw.Preferences(["a", "b"]).accepts(give={"a": float("nan")}, get={"b": 1}), "positive"),
        (lambda: cw.Preferences(["a", "b"]).accepts(give={"a": 1}, get={"a": 1}), "at once"),
        (lambda: cw.Preferences(["a", "b"]).prefers([1, 2], over=[1, 2]), "same values"),
        (lambda: cw.Preferences(["a", "b"]).prefers([1, 2, 3], over=[1, 2]), "needs 2 values"),
        (lambda: cw.Preferences(["a", "b"]).prefers({"a": 1}, over=[1, 2]), "'b' is missing"),
        (lambda: cw.Preferences(["a", "b"]).prefers([1, float("inf")], over=[1, 2]), "infinity"),
        (lambda: cw.Preferences(["a", "b"]).important({"a": 0.6, "b": 0.4}), "less than 1"),
        (lambda: cw.Preferences(["a", "b"]).ranked("a"), "at least two"),
        (lambda: cw.Preferences(["a", "b"]).said("give me both"), "a statement was expected"),
        (lambda: cw.Preferences(["a", "b"]).said("prefer: A > B"), "no design is called 'A'"),
        (lambda: cw.Preferences(["a", "b"]).said("accept: 5 a"), "an exchange is written"),
        (lambda: cw.Preferences(["a", "b"]).without(0), "0 statements"),
        (lambda: cw.Preferences(["a", "b"]).ask([[1, 2, 3]]), "shape"),
        (lambda: cw.Preferences(["a", "b"]).ask([[1, float("nan")]]), "NaN"),
        (lambda: cw.Preferences(["a", "b"]).accepts(give={"a": 1e9}, get={"b": 1}).cone, "similar size"),
        (lambda: stated_cone("planar:45", as_objectives(["a", "b"]), ["accept: 1 a for 2 b"]), "every gain counts"),
        (lambda: stated_cone("orthant:3", as_objectives(["a", "b"])), "orders 3 objectives"),
    ],
)
def test_bad_statements_are_one_sentence(make, words):
    with pytest.raises(cw.ConewiseError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)


# -- the command -----------------------------------------------------------------------------------------------------

CARS = "name,price,speed,comfort\nA,100,10,3\nB,120,14,4\nC,90,8,5\nD,200,30,2\nE,150,22,3\nF,300,31,9\n"


@pytest.fixture
def cars(tmp_path):
    path = tmp_path / "cars.csv"
    path.write_text(CARS, encoding="utf-8")
    return path


def test_the_command_asks_until_nothing_changes_and_prints_the_cone(cars):
    told = CliRunner().invoke(commands, ["prefer", str(cars), "--minimise", "price"], input="1\n1\n1\n1\n1\n1\n1\n")
    assert told.exit_code == 0
    assert "1 of 6 designs remain" in told.stdout
    cone = cw.Cone.parse(told.stdout.split("--cone '")[1].split("'")[0])
    assert cone.dim == 3


def test_answers_can_be_taken_back_and_questions_limited(cars):
    runner = CliRunner()
    told = runner.invoke(commands, ["prefer", str(cars), "--minimise", "price", "--json"], input="1\nu\nq\n")
    said = json.loads(told.stdout)
    assert said["said"] == []
    assert said["preferences"]["statements"] == []
    told = runner.invoke(
        commands, ["prefer", str(cars), "--minimise", "price", "--questions", "1", "--json"], input="maybe\n2\n1\n"
    )
    assert len(json.loads(told.stdout)["said"]) == 1


def test_statements_on_the_command_line_count(cars):
    told = CliRunner().invoke(
        commands,
        ["prefer", str(cars), "--minimise", "price", "--accept", "10 price for 2 speed", "--prefer", "E > C", "--json"],
        input="",
    )
    found = json.loads(told.stdout)
    assert found["said"] == ["10 price for 2 speed is worth it", "E rather than C"]
    assert "C" not in [design["name"] for design in found["remaining"]]


def test_every_command_takes_statements_in_units(cars):
    runner = CliRunner()
    plain = runner.invoke(commands, ["front", str(cars), "--minimise", "price", "--json"])
    stated = ["--accept", "10 price for 2 speed", "--prefer", "E > C"]
    fewer = runner.invoke(commands, ["front", str(cars), "--minimise", "price", "--json", *stated])
    names = [[design["name"] for design in json.loads(told.stdout)["designs"]] for told in (plain, fewer)]
    assert "C" in names[0]
    assert "C" not in names[1]
    units = ["--unit", "price=10", "--unit", "speed=2"]
    again = runner.invoke(commands, ["front", str(cars), "--minimise", "price", "--json", *stated, *units])
    assert [design["name"] for design in json.loads(again.stdout)["designs"]] == names[1]
    same = runner.invoke(commands, ["prefer", str(cars), "--minimise", "price", "--json", *stated, *units], input="")
    assert [design["name"] for design in json.loads(same.stdout)["remaining"]] == names[1]


@pytest.mark.parametrize("command", ["analyse", "report"])
def test_measurements_are_judged_under_what_was_said(tmp_path, command):
    path, out = tmp_path / "measured.csv", tmp_path / "out.html"
    rows = [f"{name},{price + k % 3},{speed + k % 2}" for k in range(12) for name, price, speed in CHEAP_AND_FAST]
    path.write_text("\n".join(["design,price,speed", *rows]), encoding="utf-8")
    asked = [command, str(path), "--objectives", "price,speed", "--minimise", "price", "--json"]
    asked += ["-o", str(out)] if command == "report" else []
    plain = CliRunner().invoke(commands, asked)
    said = CliRunner().invoke(commands, [*asked, "--accept", "30 price for 5 speed"])
    returned = [json.dumps(json.loads(told.stdout)).count('"kept"') for told in (plain, said)]
    assert returned[1] < returned[0]
    unknown = CliRunner().invoke(commands, [*asked, "--prefer", "cheap > fast"])
    assert "no design is called" in str(unknown.exception)


CHEAP_AND_FAST = (("cheap", 100, 10), ("fast", 200, 50), ("bad", 300, 5))


def test_a_study_file_states_exchanges(tmp_path):
    path = tmp_path / "trial.toml"
    path.write_text(
        'objectives = ["price", "speed"]\nminimise = ["price"]\naccept = ["30 price for 5 speed"]\nepsilon = 1.0\n'
        'delta = 0.1\n[designs]\nlist = ["a", "b"]\n[noise]\nkind = "gaussian"\nsigma = 1.0\n',
        encoding="utf-8",
    )
    cone = read_trial(path).study["cone"]
    assert cone.said == ("30 price for 5 speed is worth it",)
    path.write_text(path.read_text(encoding="utf-8").replace('["30 price', '[3, "30 price'), encoding="utf-8")
    with pytest.raises(cw.InputError, match="accept is a list of statements"):
        read_trial(path)
