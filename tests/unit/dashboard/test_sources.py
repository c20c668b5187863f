"""What can be explored: files, studies that advance, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from shared.explorer import ask, fixed, serving
from shared.studies import make, values_of

import conewise as cw
from conewise.cli.explore import source_named
from conewise.cli.main import commands
from conewise.dashboard.sources import Live
from conewise.errors import ConewiseError
from conewise.noise import Gaussian


def test_a_study_that_advances_disappears_and_returns(tmp_path):
    path = tmp_path / "trial.db"
    study = make(path)
    ticks = iter(range(10**6))
    with serving(Live(str(path), name=None, cone=None, clock=lambda: float(next(ticks)))) as explorer:
        start = ask(explorer, "start")
        assert (start["designs"], start["unknown"], start["standing"]["evaluations"]) == (6, 6, 0)
        assert (start["sigma"], start["noise"], start["epsilon"], start["live"]) == (
            None,
            "normal noise, independent between objectives, standard deviation 0.5",
            0.3,
            True,
        )
        assert ask(explorer, "front", first={"degrees": 90})["first"]["pareto"] == 0
        batch = study.ask(40)
        study.tell(batch, values_of(batch))
        now = ask(explorer, "standing")
        assert now["standing"]["evaluations"] == len(batch)
        certified = study.result().certified_epsilon
        assert certified <= now["standing"]["certified_epsilon"] <= certified * 1.001  # never less than what holds
        assert len(str(now["standing"]["certified_epsilon"])) <= len("0.1234")
        assert now["version"] != start["version"]
        averages = study.result().means
        seen = ask(explorer, "front", first={"degrees": 91})  # at 90 the study itself speaks
        assert seen["version"] == now["version"]
        assert seen["first"]["points"]["index"] == np.flatnonzero(cw.pareto_mask(averages, cw.Cone.planar(91))).tolist()
        assert np.allclose(
            np.array(seen["first"]["points"]["values"]).T * [1, -1], averages[seen["first"]["points"]["index"]]
        )
        study.close()
        path.rename(tmp_path / "elsewhere.db")
        for question in ("start", "standing", "front"):
            error = ask(explorer, question, first={"degrees": 90})["error"]
            assert error == "the study trial.db has disappeared; the page goes on when it is back."
        (tmp_path / "elsewhere.db").rename(path)
        assert ask(explorer, "standing")["standing"]["evaluations"] == len(batch)
        (tmp_path / "other.db").write_bytes(b"no study at all" * 1000)
        (tmp_path / "other.db").replace(path)
        assert "trial.db" in ask(explorer, "standing")["error"]


def test_a_page_says_of_every_design_what_study_status_says(tmp_path):
    """At several moments of a run, under the study's own cone and levels; under any other it says nothing of them."""
    units = [cw.Objective("gain", unit=0.5, level=0.6), cw.Objective("cost", "min")]
    path = tmp_path / "trial.db"
    study = make(path, objectives=units, minimise=(), cone=cw.Cone.importance(0.1), epsilon=0.4)
    ticks, seen = iter(range(10**6)), set()
    with serving(Live(str(path), name=None, cone=None, clock=lambda: float(next(ticks)))) as explorer:
        first, own = {"text": str(study.cone)}, {"0": 0.6}
        for most in (0, 30, 40, 60, 10**4):
            while most and (batch := study.ask(most)):
                study.tell(batch, values_of(batch))
                if most < 10**4:
                    break
            status = CliRunner().invoke(commands, ["study", "status", str(path), "--json", "--designs"])
            told = json.loads(status.stdout)
            found = ask(explorer, "front", first=first, levels=own, quick=True, table={"everyone": True})
            counts, page = {k: v for k, v in told["by_status"].items() if k != "certainly_pareto"}, found["first"]
            assert page["study"]["counts"] == counts
            assert page["pareto"] == counts["kept"]
            statuses = [design["status"] for design in told["designs"]]
            assert page["study"]["letters"] == "".join(word[0] for word in statuses)
            assert found["table"]["status"] == statuses
            open_ = [k for k, word in enumerate(statuses) if word in ("kept", "undecided")]
            assert page["points"]["index"] == (open_ if told["evaluations"] else [])
            guess = page["study"]["guess"]
            assert (guess is None) == (counts["undecided"] == 0)
            if guess is not None and told["evaluations"]:
                assert guess["names"] == told["guess"]["pareto"]
            for other in ({"levels": {"0": 0.61}}, {"levels": {}}, {"levels": own, "first": {"degrees": 100}}):
                moved = ask(explorer, "front", **({"first": first, "table": {"everyone": True}} | other))
                assert (moved["first"]["study"], moved["table"]["status"]) == (None, None)
            seen |= set(statuses)
        assert {"undecided", "kept", "misses a level"} <= seen
        assert told["finished"]
    study.close()


def test_a_table_has_no_study_that_speaks():
    with serving(fixed([[1, 2], [2, 1]])) as explorer:
        assert ask(explorer, "front", first={"degrees": 90})["first"]["study"] is None


@pytest.mark.parametrize("number", ["2,000", "2.000,5", "2000", "1e3", None, True, [2]])
def test_only_numbers_are_numbers_to_the_server(number):
    """What the page would never send: texts are refused wherever a number is expected, whatever is written in them."""
    with serving(fixed([[1, 2], [2, 1]])) as explorer:
        for asked in (
            {"first": {"degrees": number}},
            {"first": {"degrees": 90}, "levels": {"0": number}},
            {"first": {"degrees": 90, "said": [{"accept": [0, number, 1, 3]}]}},
        ):
            assert "error" in ask(explorer, "front", **asked), asked
        cost = ask(explorer, "front", first={"degrees": 90}, sigma=number)["first"]["cost"]
        assert "sigma must be a number" in cost["error"]


def test_a_file_whose_name_is_no_text_can_be_explored():
    source = fixed([[1, 2], [2, 1]])
    source.title = b"\xff.csv".decode("utf-8", "surrogateescape")
    with serving(source) as explorer:
        assert ask(explorer, "start")["title"] == "\N{REPLACEMENT CHARACTER}.csv"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nothing.csv", [], [], None, None), "there is no file nothing.csv"),
        (("nothing.db", [], [], None, None), "there is no file nothing.db"),
        (("trial.db", ["a"], [], None, None), "a study knows its objectives"),
        (("snw", [], ["a"], None, None), "snw is an embedded example"),
        (("snw", [], [], None, "orthant:3"), "orders 3 objectives, but there are 2"),
    ],
)
def test_sources_that_cannot_be_explored(arguments, words):
    with pytest.raises(ConewiseError, match=words):
        source_named(*arguments)


def test_what_is_said_is_where_any_source_starts(tmp_path):
    make(tmp_path / "trial.db").close()
    study = cw.Study.open(tmp_path / "trial.db", read_only=True)
    one, other = study.objectives
    study.close()
    live = source_named(str(tmp_path / "trial.db"), [], [], None, None, statements=[f"accept: 1 {one} for 2 {other}"])
    try:
        assert live.cone.said == (f"1 {one} for 2 {other} is worth it",)
    finally:
        live.close()
    problem = cw.problems.load("snw")
    first = problem.objectives[0]
    better, worse = problem.names[0], problem.names[5]
    networks = source_named("snw", [], [], None, f"{first}=10%", statements=[f"prefer: {better} > {worse}"])
    assert networks.cone.said == (f"of the weight {first} at least 10 %", f"{better} rather than {worse}")
    assert networks.cone.contains(problem.means[0] - problem.means[5])


def test_the_noise_of_a_study_is_in_words(tmp_path):
    make(tmp_path / "trial.db", noise=Gaussian([0.5, 2.0])).close()
    source = Live(str(tmp_path / "trial.db"), name=None, cone=None)
    try:
        assert source.assumptions.stated.endswith("standard deviations 0.5, 2")
    finally:
        source.close()


def test_a_study_with_a_model_says_how_probable_designs_are(tmp_path):
    rows = [{"name": f"d{k}", "x": k / 4} for k in range(5)]
    model = {"kind": "linear", "features": ["x"], "sizes": [5.0]}
    asked = {"cone": cw.Cone.orthant(2), "epsilon": 0.3, "delta": 0.1, "noise": Gaussian(0.05), "model": model}
    with cw.Study.create(tmp_path / "t.db", designs=rows, **asked) as study:
        study.record(["d0", "d4"], [[0.0, 1.0], [1.0, 0.0]])
        probability = study.result().probability.tolist()
    with serving(Live(str(tmp_path / "t.db"), name=None, cone=None)) as explorer:
        assert ask(explorer, "start")["probability"] == probability
        table = {"everyone": True, "column": "probability"}
        assert sorted(ask(explorer, "table", first={"degrees": 90}, table=table)["probability"]) == sorted(probability)
        for index, evidence in ((0, "measured"), (2, "predicted")):
            said = ask(explorer, "design", first={"degrees": 90}, index=index)["study"]
            assert (said["probability"], said["evidence"]) == (probability[index], evidence)


@pytest.mark.parametrize(
    ("column", "units", "words"),
    [
        ("1e308,-1e308,0", (), "the column 'a' holds 1e\\+308, too large a number"),
        ("1e308,-1e308,0", ("b=2",), "the column 'a' holds 1e\\+308, too large a number"),
        ("-1e300,0,1", ("b=2",), "the column 'a' holds -1e\\+300, too large a number"),
        ("1e200,0,1", ("a=1e-100",), "the column 'a' holds 1e\\+200, too large a number"),
    ],
)
def test_numbers_that_cannot_be_compared_are_refused_by_column(tmp_path, column, units, words):
    path = tmp_path / "t.csv"
    path.write_text(
        "name,b,a\n" + "".join(f"d{k},{k},{a}\n" for k, a in enumerate(column.split(","))), encoding="utf-8"
    )
    with pytest.raises(cw.InputError, match=words):
        source_named(str(path), [], [], None, None, units)


def test_other_commands_refuse_them_as_well_where_they_must_be_subtracted(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("name,a,b\nx,1e308,1\ny,-1e308,2\nz,0,3\n", encoding="utf-8")
    for words, start in (
        (["explore", "--no-browser"], "the column 'a' holds 1e+308, too large"),
        (["explore", "--no-browser", "--unit", "b=2", "--prefer", "x > y"], "the column 'a' holds 1e+308, too large"),
        (["front", "--unit", "auto"], "no unit fits 'a'"),
    ):
        done = CliRunner().invoke(commands, [*words, str(path)])
        assert isinstance(done.exception, cw.InputError)  # which `main` makes one line, with exit code 2
        assert str(done.exception).startswith(start)
    assert cw.front(path)["name"] == ["x", "z"]  # comparing alone is no trouble
    with pytest.raises(cw.InputError, match="means has numbers too large"):
        cw.Preferences(["a", "b"]).ask([[1e308, 1], [-1e308, 2], [0, 3]])


def test_where_a_study_stands_says_for_what_its_epsilon_holds_or_that_nothing_is_guaranteed(tmp_path):
    for name, model in (("plain", None), ("smooth", cw.models.Independent())):
        path = tmp_path / f"{name}.db"
        with make(path, model=model, algorithm="auto") as study:
            batch = study.ask(40)
            study.tell(batch, values_of(batch))
            result = study.result()
            source = Live(str(path), name=None, cone=None)
            try:
                found = source.standing()
                assert found["not_guaranteed"] is None
                assert found["by_prior"] == (model is not None)
                every = result.certified.get("every truth")
                assert found["every_truth"] == (None if every is None else pytest.approx(every, rel=1e-3))
                study.withdraw(batch[:1], "an outlier", for_its_value=True)
            finally:
                source.close()
        source = Live(str(path), name=None, cone=None)
        assert "withdrawn for what it is" in source.standing()["not_guaranteed"]
        source.close()
