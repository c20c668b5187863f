"""An objective that is added to a running study, and values that are taken back for what they are."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner
from shared.memory import study_in_memory

import conewise as cw
from conewise.cli.main import commands
from conewise.errors import ConewiseError, InputError
from conewise.noise import Bounded, Gaussian, GaussianUnknown
from conewise.studies.identity import Identity
from conewise.studies.versions import Version

MEANS = {"a": (1.0, 0.0, 0.0), "b": (0.0, 1.0, 0.0), "c": (-1.0, -1.0, 2.0)}
ASKED = {
    "designs": list(MEANS),
    "objectives": ["x", "y"],
    "cone": cw.Cone.orthant(2),
    "epsilon": 0.4,
    "delta": 0.1,
    "noise": Gaussian(0.2),
    "options": {"success": "contain"},
    "reserve": 0.5,
}
LAST = Gaussian(0.2)


def value(identity, name, dim):
    """Depends on the evaluation alone, and its first objectives do not depend on how many there are."""
    rng = np.random.default_rng([identity.design, identity.number])
    return np.array(MEANS[name])[:dim] + 0.2 * rng.normal(size=3)[:dim]


def finish(study):
    while not (batch := study.ask(12)).finished:
        study.tell(batch, [value(e.identity, e.name, study.dim) for e in batch])
    return study.result()


def measured(study):
    told = study.evaluations()
    pairs = zip(told.ids, told.design.tolist(), told.number.tolist(), told.name, strict=True)
    return {one: float(value(Identity(d, n), name, 3)[2]) for one, d, n, name in pairs}


def replayed(study):
    return cw.Study(study.journal).result()


def test_earlier_evaluations_count_where_the_objective_was_measured():
    study = study_in_memory(**ASKED)
    assert finish(study).names(study.names) == ["a", "b"]
    before = study.status().evaluations
    study.add_objective("z", noise=LAST, values=measured(study), unseen=True)
    assert (study.objectives, study.dim, study.status().aside) == (("x", "y", "z"), 3, 0)
    result = finish(study)
    assert result.names(study.names) == ["a", "b", "c"]  # c was beaten without it
    assert result.evaluations >= before - 3
    assert study.delta_spent == 0.05
    assert "that z was added without regard to the values" in result.guarantee.assumption
    again = replayed(study)
    assert again.means.tobytes() == result.means.tobytes()
    assert str(again.guarantee) == str(result.guarantee)
    whole = study_in_memory(**ASKED | {"objectives": ["x", "y", "z"], "cone": cw.Cone.orthant(3)})
    assert finish(whole).names(whole.names) == ["a", "b", "c"]


def test_a_design_that_lacks_it_begins_anew_and_a_price_list_fills_a_design():
    study = study_in_memory(**ASKED)
    finish(study)
    counts = dict(zip(study.names, study.result().counts.tolist(), strict=True))
    lists = measured(study)
    lacking = next(one for one in lists if one.startswith("d0"))
    values = {one: v for one, v in lists.items() if one.startswith("d0") and one != lacking} | {"b": 0.0, "c": 2.0}
    study.add_objective("z", noise=LAST, values=values, unseen=True)
    assert study.status().aside >= counts["a"]
    assert all(e.number >= counts["a"] for e in study.ask(30) if e.name == "a")
    told = study.evaluations()
    assert np.isnan(told.values[told.ids.index(lacking), 2])
    assert study.warnings() == ()


def test_ids_of_older_tables_name_evaluations_that_an_objective_was_measured_in():
    study = study_in_memory(**ASKED)
    study.tell({"design": "a", "x": 1.0, "y": 2.0})
    with pytest.raises(InputError, match="evaluation d0n0 is given two values, 3 and 4; give one"):
        study.add_objective("z", noise=LAST, values={"d0n0": 3.0, "0-0": 4.0}, unseen=True)
    study.add_objective("z", noise=LAST, values={"0-0": 4.0, "a": 5.0}, unseen=True)
    assert study.evaluations().values.tolist() == [[1.0, 2.0, 4.0]]


def test_an_objective_that_the_values_suggested_begins_an_epoch_and_takes_a_part():
    study = study_in_memory(**ASKED)
    finish(study)
    before = study.status().evaluations
    study.add_objective(cw.Objective("z", "min", unit=0.5), noise=LAST, reason="c looks odd")
    status = study.status()
    assert (status.aside, status.result.evaluations) == (before, 0)
    assert study.delta_spent == 0.075
    assert study.minimised == ("z",)
    while not (batch := study.ask(12)).finished:
        study.tell(batch, [value(e.identity, e.name, 3) * [1, 1, -1] for e in batch])
    result = study.result()
    assert result.names(study.names) == ["a", "b", "c"]
    assert result.guarantee.delta == 0.075
    assert str(replayed(study).guarantee) == str(result.guarantee)


def test_whoever_was_beaten_before_comes_back_and_whoever_was_dropped_does_not():
    study = study_in_memory(**ASKED)
    finish(study)
    study.add_designs(["d"])
    assert study.beaten_before == ("c",)
    study.drop(["d"], reason="cannot be made", unseen=True)
    study.add_objective("z", noise=LAST)
    assert study.names == ("a", "b", "c")
    assert study.beaten_before == ()
    assert finish(study).names(study.names) == ["a", "b", "c"]


def test_whoever_tells_rows_of_the_old_length_hears_of_it(tmp_path):
    with cw.Study.create(tmp_path / "a.db", **ASKED) as mine, cw.Study.open(tmp_path / "a.db") as theirs:
        batch = mine.ask(2)
        theirs.add_objective("z", noise=LAST)
        with pytest.raises(InputError, match="an objective was added to this study: it has x, y, z now"):
            mine.tell(batch, [[0.0, 0.0], [0.0, 0.0]])
        assert mine.tell(batch, [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]).stored == 2


def test_orthants_and_unknown_noise_grow_and_all_else_is_said():
    study = study_in_memory(**ASKED | {"noise": GaussianUnknown()})
    study.add_objective("z")
    assert study.cone == cw.Cone.orthant(3)
    thin = study_in_memory(**ASKED | {"cone": cw.Cone.planar(120)})
    with pytest.raises(InputError, match="say which cone orders the 3 objectives"):
        thin.add_objective("z", noise=LAST)
    thin.add_objective("z", noise=LAST, cone=cw.Cone.orthant(3))
    assert thin.dim == 3


def test_an_objective_with_a_noise_of_its_own_leaves_the_others_as_they_are():
    kinds = [cw.Objective("x", noise="binary"), cw.Objective("y", noise="unknown")]
    study = study_in_memory(**ASKED | {"noise": None, "objectives": kinds})
    study.add_objective(cw.Objective("price", "min", noise="known", level=3))
    assert repr(study.noise) == "ByObjective([Binary(), GaussianUnknown(), Known()])"
    assert study.question.columns.levels == ("price <= 3",)
    batch = study.ask(3)
    study.tell(batch, [[1, 0.5, 2.0]] * len(batch))
    assert len(replayed(study).status) == 3
    normal = study_in_memory(**ASKED)
    normal.add_objective(cw.Objective("z", noise=0.3))
    assert normal.noise.sigma.tolist() == [*np.broadcast_to(ASKED["noise"].sigma, 2), 0.3]
    thick = study_in_memory(**ASKED | {"noise": Gaussian(cov=[[0.04, 0.01], [0.01, 0.04]])})
    with pytest.raises(InputError, match="a covariance, or noise that differs between designs, does not grow"):
        thick.add_objective(cw.Objective("z", noise="known"))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"objective": "x"}, "is the name of another column"),
        ({"noise": None}, "say what is assumed of the 3 objectives"),
        ({"noise": Gaussian([0.2, 0.2])}, "objectives"),
        ({"noise": 3}, "noise must be an assumption such as noise.Gaussian(0.1)"),
        ({"cone": cw.Cone.orthant(2)}, "orders 2 objectives, but 3 are named"),
        ({"values": {"d0n0": 1.0}}, "only with the promise"),
        ({"values": {"d0n9": 1.0}, "unseen": True}, "d0n9 is not told yet"),
        ({"values": {"q": 1.0}, "unseen": True}, "an evaluation's id looks like"),
        ({"values": {"a": float("nan")}, "unseen": True}, "nan"),
        ({"values": [1.0], "unseen": True}, "a mapping by id or by design"),
        ({"noise": Bounded(0, 1), "values": {"a": 3.0}, "unseen": True}, "outside the range"),
        ({"unseen": "yes"}, "unseen must be True or False"),
    ],
)
def test_what_cannot_be_added_is_one_sentence_and_nothing_is_written(given, said):
    study = study_in_memory(**ASKED)
    batch = study.ask(1)
    study.tell(batch, [[0.5, 0.5]])
    with pytest.raises(ConewiseError) as error:
        study.add_objective(**({"objective": "z", "noise": LAST} | given))
    assert said in str(error.value)
    assert len(study.log()) == 2


def test_blocks_go_on_only_with_all_values_of_the_objective():
    asked = ASKED | {"noise": Bounded(-3, 5), "block": "day", "blocks": 30, "population": 30}
    study = study_in_memory(**asked)
    batch = study.ask(6)
    study.tell(batch, [value(e.identity, e.name, 2) for e in batch])
    with pytest.raises(InputError, match="cannot start again with the days"):
        study.add_objective("z", noise=Bounded(-3, 5), unseen=True)
    assert len(study.log()) == 2
    study.add_objective("z", noise=Bounded(-3, 5), unseen=True, values=measured(study))
    assert finish(study).names(study.names) == ["a", "b", "c"]


def test_a_value_taken_back_for_what_it_is_ends_the_guarantee():
    study = study_in_memory(**ASKED)
    finish(study)
    study.withdraw("d0n0", reason="the sample was mislabelled")
    finish(study)
    assert "that no value was withdrawn for what it is (1 value was withdrawn)" in study.result().guarantee.assumption
    study.withdraw("d1n1", reason="an outlier", for_its_value=True)
    result = finish(study)
    assert str(result.guarantee) == "not guaranteed: 1 value was withdrawn for what it is"
    assert result.certified_epsilon is None
    assert not result.certain.any()
    assert str(replayed(study).guarantee) == str(result.guarantee)


def test_the_command_line_adds_an_objective_with_a_table_of_earlier_values(tmp_path):
    file = tmp_path / "a.db"
    with cw.Study.create(file, **ASKED) as study:
        batch = study.ask(3)
        study.tell(batch, [value(e.identity, e.name, 2) for e in batch])
    (tmp_path / "z.csv").write_text("design,z\na,0\nb,0\nc,2\n")
    words = ["study", "add-objective", str(file), "z", "--noise", "gaussian:0.2", "--unseen"]
    ran = CliRunner().invoke(commands, [*words, "--file", str(tmp_path / "z.csv")])
    assert ran.exit_code == 0, ran.exception
    assert "z added: 3 designs are compared; answers hold with probability at least 95 %" in ran.output
    ran = CliRunner().invoke(commands, ["study", "withdraw", str(file), "d0n0", "--reason", "odd", "--for-its-value"])
    assert ran.exit_code == 0, ran.exception
    with cw.Study.open(file) as study:
        assert study.objectives == ("x", "y", "z")
        assert "withdrawn for what it is" in str(study.result().guarantee)


def test_the_command_line_says_the_noise_and_the_level_of_the_new_objective_alone(tmp_path):
    file = tmp_path / "a.db"
    kinds = [cw.Objective("x", noise="binary"), cw.Objective("y", noise="unknown")]
    cw.Study.create(file, **ASKED | {"noise": None, "objectives": kinds}).close()
    words = ["study", "add-objective", str(file), "price (EUR)", "--minimise", "--level", "3"]
    ran = CliRunner().invoke(commands, [*words, "--noise", "x=known"])
    assert isinstance(ran.exception, InputError)
    assert "the noise of 'x' stays what it is" in str(ran.exception)
    ran = CliRunner().invoke(commands, [*words, "--noise", "price (EUR)=known"])
    assert ran.exit_code == 0, ran.exception
    with cw.Study.open(file) as study:
        assert repr(study.noise) == "ByObjective([Binary(), GaussianUnknown(), Known()])"
        assert study.question.columns.levels == ("price (EUR) <= 3",)


def test_an_objective_that_is_known_may_be_added_where_others_were_told(tmp_path):
    """What was told before lacks it, and so contradicts nothing."""
    noise = cw.noise.ByObjective([cw.noise.Gaussian(0.5), cw.noise.Gaussian(0.5), cw.noise.Known()])
    asked = {"designs": ["a", "b"], "cone": cw.Cone.orthant(2), "epsilon": 0.3, "delta": 0.05, "noise": Gaussian(0.5)}
    with cw.Study.create(tmp_path / "trial.db", **asked) as study:
        study.record(["a", "a"], [[1.0, 2.0], [1.5, 2.5]])
        study.add_objective("weight", cone=cw.Cone.orthant(3), noise=noise, unseen=True)
        assert study.record(["a", "a"], [[1.0, 2.0, 7.0]] * 2).stored == 2
        with pytest.raises(cw.InputError, match="'weight' of 'a' is 7 and 8"):
            study.record(["a"], [[1.0, 2.0, 8.0]])


# -- what a guarantee says of changes ------------------------------------------------------------------------------


def test_a_change_that_leaves_nothing_of_the_promise_is_refused():
    """Without a reserve a second change would make 1.575 of a delta of 0.9: "with probability at least -57.5 %"."""
    study = study_in_memory(**ASKED | {"delta": 0.9, "reserve": 0.0})
    before = study.journal.entries.copy()
    for change in (lambda: study.change(epsilon=0.3), lambda: study.add_designs(["d"])):
        with pytest.raises(InputError, match=r"another part of delta, and 1\.35 in all would be no promise"):
            change()
    assert study.journal.entries == before
    study.add_designs(["d"], unseen=True)


def test_a_journal_in_which_nothing_is_left_of_delta_promises_nothing(monkeypatch):
    study = study_in_memory(**ASKED | {"reserve": 0.0})
    study.change(epsilon=0.5)
    finish(study)
    assert study.result().guarantee
    monkeypatch.setattr(Version, "spent", 1.5)
    result = replayed(study)
    assert (
        str(result.guarantee)
        == "not guaranteed: changes have taken all there is of delta, and nothing is left to promise"
    )
    assert result.certified_epsilon is None


def test_a_corrected_value_is_named_in_the_guarantee():
    study = study_in_memory(**ASKED)
    finish(study)
    study.correct("d0n0", [1.1, 0.1], reason="misread")
    assert "that no value was corrected for what it is (1 value was corrected)" in study.result().guarantee.assumption
    study.correct("d1n0", [0.1, 1.1], reason="misread")
    assert "(2 values were corrected)" in replayed(study).guarantee.assumption
