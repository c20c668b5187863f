"""What a study asks: designs, objectives and noise as given, as stored, and as read back."""

from __future__ import annotations

import numpy as np
import pytest
from shared.cones import uneven_choice
from shared.noises import NOISES
from shared.studies import BASICS, make

import conewise as cw
from conewise import noise as noises
from conewise.studies.spec import noise_to_dict

QUICK = {"algorithm": "naive", "options": {"evaluations_each": 2}}  # nothing to compute when it is made


@pytest.mark.parametrize("noise", [0.1, ["unknown"]])
def test_what_is_no_assumption_is_refused_with_one_that_is(tmp_path, noise):
    with pytest.raises(cw.InputError, match=r"such as noise\.Gaussian\(0\.1\) or noise\.GaussianUnknown\(\)"):
        make(tmp_path / "trial.db", noise=noise)


def test_noise_of_ones_own_cannot_be_stored(tmp_path):
    class Strange(noises.SubGaussian):
        pass

    with pytest.raises(cw.InputError, match="Strange cannot be stored"):
        make(tmp_path / "a.db", noise=Strange(1.0))


@pytest.mark.parametrize("noise", NOISES, ids=repr)
def test_a_study_keeps_every_fact(tmp_path, noise):
    cone = cw.Cone([[3, 1 / 3], [0.1, 1]])
    facts = {"cone": cone, "epsilon": 1 / 3, "delta": 0.07, "noise": noise, "seed": 2**70, "lease": 0.1, **QUICK}
    with make(tmp_path / "a.db", **facts) as study, cw.Study.open(tmp_path / "a.db") as again:
        for one in (study, again):
            assert one.cone == cone
            assert one.cone.facets.tobytes() == cone.facets.tobytes()
            assert (one.epsilon, one.delta, one.seed, one.lease) == (1 / 3, 0.07, 2**70, 0.1)
            assert noise_to_dict(one.noise) == noise_to_dict(noise)
            assert (one.names, one.objectives, one.minimised) == (tuple("abcdef"), ("gain", "cost"), ("cost",))
            assert (one.name, one.algorithm, one.options) == ("a", "naive", {"evaluations_each": 2})
            assert (one.n_designs, one.dim) == (6, 2)
            assert repr(one) == f"Study('a' in {tmp_path / 'a.db'}: 6 designs, 2 objectives)"


def test_a_study_by_what_was_said_of_columns_of_very_different_size_can_be_opened_again(tmp_path):
    cone = uneven_choice()
    objectives = [cw.Objective(name, goal) for name, goal, _ in cone.about]
    make(tmp_path / "a.db", designs=list("ab"), objectives=objectives, minimise=[], cone=cone, **QUICK).close()
    with cw.Study.open(tmp_path / "a.db") as again:
        assert again.cone.facets.tobytes() == cone.facets.tobytes()
        assert again.cone.said == cone.said


def test_a_cone_keeps_its_name(tmp_path):
    with make(tmp_path / "a.db", cone=cw.Cone.planar(135), **QUICK) as study:
        assert study.cone.text == cw.Cone.planar(135).text


def test_auto_is_decided_when_the_study_is_made(tmp_path):
    with make(tmp_path / "a.db", options={"bound": "gaussian"}) as study:
        assert (study.algorithm, study.options) == ("naive", {"bound": "gaussian"})


def test_nothing_known_of_the_noise(tmp_path):
    with pytest.raises(cw.InputError, match="nothing is known of this noise"):
        make(tmp_path / "a.db", noise=None)
    with make(tmp_path / "a.db", noise=None, options={"evaluations_each": 2}) as study:
        assert study.noise is None


@pytest.mark.parametrize(
    ("designs", "names", "rows"),
    [
        (3, ["0", "1", "2"], [{"name": "0"}, {"name": "1"}, {"name": "2"}]),
        (np.int64(2), ["0", "1"], None),
        (["x", "y"], ["x", "y"], [{"name": "x"}, {"name": "y"}]),
        (("10", 20), ["10", "20"], None),
        (np.array(["x", "y"]), ["x", "y"], None),
        (
            [{"name": "x", "t": 1}, {"name": "y", "t": 2.5}],
            ["x", "y"],
            [{"name": "x", "t": 1}, {"name": "y", "t": 2.5}],
        ),
        ([{"t": 1}, {"t": 2}], ["0", "1"], [{"t": 1}, {"t": 2}]),
        ([{"ID": 7, "ok": True}, {"ID": 8, "ok": None}], ["7", "8"], [{"ID": 7, "ok": True}, {"ID": 8, "ok": None}]),
        ([{"id": 1, "design": "a"}, {"id": 2, "design": "b"}], ["a", "b"], None),
        ([{"t": np.float64(0.1)}, {"t": np.int32(3)}], ["0", "1"], [{"t": 0.1}, {"t": 3}]),
        ([{}, {}], ["0", "1"], [{"name": "0"}, {"name": "1"}]),
        (["=cmd()", "-5", "@x", "'q'", 'a"b', "a,b", "Ünïcode 漢字"], None, None),
    ],
)
def test_designs_of_any_form_are_the_same_when_the_study_is_opened_again(tmp_path, designs, names, rows):
    with make(tmp_path / "a.db", designs=designs, **QUICK) as study, cw.Study.open(tmp_path / "a.db") as again:
        assert study.names == again.names == tuple(names if names is not None else designs)
        assert study.rows == again.rows
        assert rows is None or again.rows == rows
        assert again.ask(1)[0].row == again.rows[0]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"designs": 1}, "at least 2"),
        ({"designs": ["a"]}, "at least 2 designs, got 1"),
        ({"designs": ["a", "b", "a"]}, "two designs are called 'a'"),
        ({"designs": ["a", None]}, "the design in place 2 needs a name, .* got None"),
        ({"designs": [float("nan"), "a"]}, "the design in place 1 needs a name, .* got nan"),
        ({"designs": "ab"}, "must be names, rows"),
        ({"designs": {"a": 1}}, "'a' must be a list of entries"),
        ({"designs": ["a", ""]}, "printable text"),
        ({"designs": ["a", " b"]}, "without spaces around"),
        ({"designs": ["a", "b\nc"]}, "printable"),
        ({"designs": ["a", "b\x1b[31m"]}, "printable"),
        ({"designs": ["a", "x" * 2000]}, "at most 1000"),
        ({"designs": [{"t": [1]}, {"t": 2}]}, r"'t' of a design holds \[1\]"),
        ({"designs": [{"t": float("nan")}, {"t": 2}]}, "finite"),
        ({"designs": [{3: 1}, {3: 2}]}, "a column of a design must be text"),
        ({"objectives": ["a"], "minimise": []}, "orders 2 objectives, but 1 is named: a"),
        ({"objectives": ["a", "a"], "minimise": []}, "distinct"),
        ({"objectives": ["a", "number"], "minimise": []}, "no objective may be called 'number'"),
        ({"objectives": "ab"}, "objectives must be a list, got 'ab'"),
        ({"minimise": "cost"}, "minimise must be a list, got 'cost'"),
        ({"minimise": ["gian"]}, "minimise names 'gian'"),
        ({"cone": "orthant:3"}, "cone"),
        ({"epsilon": 0}, "epsilon"),
        ({"delta": 0}, "delta"),
        ({"noise": 0.1}, "noise must be"),
        ({"noise": {"kind": "gaussian", "sigma": [1, 2, 3]}}, "3 objectives, but there are 2"),
        ({"algorithm": "best"}, 'algorithm must be "auto", "naive"'),
        ({"options": {"speed": 1}}, "has no option 'speed'"),
        ({"options": {"success": "both"}}, "success"),
        ({"options": {"max_evaluations": object()}}, "max_evaluations"),
        ({"options": ["success"]}, "options must be a dictionary"),
        ({"seed": -1}, "seed"),
        ({"seed": 1.5}, "seed"),
        ({"lease": 0}, "lease"),
        ({"lease": 2e9}, r"lease must be at most 1e\+09 seconds, which are 31 years, got 2e\+09"),
        ({"designs": 10**400}, "designs must be at most 10000000, got a number of about 400 digits"),
        ({"designs": 10**12}, "designs must be at most 10000000"),
        ({"epsilon": 1e-200}, "epsilon must be 0 or lie between 1e-100 and"),
        ({"epsilon": 1e300}, "epsilon must be 0 or lie between 1e-100 and"),
        ({"noise": {"kind": "bounded", "low": -1e308, "high": 1e308}}, "high - low must lie between"),
        ({"seed": 10**400}, "seed must be at most"),
    ],
)
def test_what_cannot_be_asked_is_refused(tmp_path, changes, words):
    with pytest.raises(cw.InputError, match=words):
        make(tmp_path / "a.db", **changes)
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_stands_twice_among_many_is_found_in_one_pass(tmp_path):
    """Comparing every name with every other would take hours here."""
    with pytest.raises(cw.InputError, match="two designs are called '999999'"):
        make(tmp_path / "a.db", designs=[*map(str, range(1_000_000)), "999999"])


def test_objectives_have_names_of_their_own_accord(tmp_path):
    with cw.Study.create(tmp_path / "a.db", **(BASICS | {"objectives": None, "minimise": ()} | QUICK)) as study:
        assert study.objectives == ("f1", "f2")


def test_rows_cannot_be_changed_through_what_is_handed_out(tmp_path):
    with make(tmp_path / "a.db", designs=[{"t": 1}, {"t": 2}], **QUICK) as study:
        study.rows[0]["t"] = 9
        study.ask(1)[0].row["t"] = 9
        assert study.rows[0] == {"t": 1}


# -- noise by objective --------------------------------------------------------------------------------------------


def test_studies_know_outcomes_and_prices_and_refuse_what_cannot_be(tmp_path):
    objectives = [cw.Objective("correct", noise="binary"), cw.Objective("price", "min", noise="known")]
    facts = {"objectives": objectives, "cone": cw.Cone.orthant(2), "epsilon": 0.3, "delta": 0.1, "designs": ["a", "b"]}
    with cw.Study.create(tmp_path / "s.db", noise=None, **facts) as study:
        study.record(["a", "b"], [[1, 3.0], [0, 4.0]])
        for values, words in (
            ([[0.3, 3.0]], "0.3 in row 0 for 'correct'"),
            ([[1, 3.5]], "'price' of 'a' is 3 and 3.5, although it is declared to be known"),
        ):
            with pytest.raises(cw.InputError, match=words):
                study.record(["a"], values)
        with pytest.raises(cw.InputError, match="is 4 and 7, although it is declared"):
            study.record(["b", "b"], [[1, 7.0], [1, 8.0]])
        study.correct("d0n0", [1, 5.0], "misread")  # the only value of a
        batch = study.ask(4)
        study.tell(batch, [[1, {0: 5.0, 1: 4.0}[one.design]] for one in batch])
        with pytest.raises(cw.InputError, match="is 5 and 6"):
            study.correct("d0n0", [1, 6.0], "misread again")
    with cw.Study.open(tmp_path / "s.db") as study:
        assert repr(study.noise) == "ByObjective([Binary(), Known()])"
        assert study.status().evaluations == 6


def test_a_study_takes_the_words_of_a_question(tmp_path):
    words = {"epsilon": 0.5, "noise": "gaussian:2", "objectives": ["a", "b"], "units": {"a": 5}, "levels": {"b": 1}}
    with cw.Study.create(tmp_path / "a.db", designs=3, success="contain", **words) as study:
        asked = study.question
    stated = cw.Question.stated(success="contain", **words)
    assert (asked.columns, asked.success, str(asked)) == (stated.columns, stated.success, str(stated))
    with cw.Study.open(tmp_path / "a.db") as again:
        assert (again.question.success, again.question.columns) == ("contain", asked.columns)
    with pytest.raises(cw.InputError, match="success is given twice, 'cover' and 'contain'; say which"):
        cw.Study.create(tmp_path / "b.db", designs=3, success="cover", options={"success": "contain"}, **words)
    with pytest.raises(TypeError, match="unexpected keyword argument 'sigma'"):
        cw.Study.create(tmp_path / "b.db", designs=3, sigma=1, **words)
