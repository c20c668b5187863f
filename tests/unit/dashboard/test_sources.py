"""What can be explored: files, studies that advance, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from shared.explorer import ask, fixed, serving
from shared.studies import make, values_of

import conewise as cw
from conewise.cli.explore import _source
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
        assert now["version"] != start["version"]
        averages = study.result().means
        seen = ask(explorer, "front", first={"degrees": 90})
        assert seen["version"] == now["version"]
        assert seen["first"]["points"]["index"] == np.flatnonzero(cw.pareto_mask(averages, cw.Cone.orthant(2))).tolist()
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
        _source(*arguments)


def test_what_is_said_is_where_any_source_starts(tmp_path):
    make(tmp_path / "trial.db").close()
    study = cw.Study.open(tmp_path / "trial.db", read_only=True)
    one, other = study.objectives
    study.close()
    live = _source(str(tmp_path / "trial.db"), [], [], None, None, statements=[f"accept: 1 {one} for 2 {other}"])
    try:
        assert live.cone.said == (f"1 {one} for 2 {other} is worth it",)
    finally:
        live.close()
    problem = cw.problems.load("snw")
    first = problem.objectives[0]
    better, worse = problem.names[0], problem.names[5]
    networks = _source("snw", [], [], None, f"{first}=10%", statements=[f"prefer: {better} > {worse}"])
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
