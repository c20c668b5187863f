"""Studies whose designs meet the same blocks: one random order, prefixes, and an end at every epsilon."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from shared.memory import study_in_memory

import conewise as cw
from conewise.cli.main import commands
from conewise.data.observations import Observations
from conewise.errors import InputError
from conewise.noise import Bounded, GaussianUnknown
from conewise.studies.blocks import drawn_blocks

ABILITY = {"a": (2.0, 0.0), "b": (0.0, 2.0), "c": (-1.0, -0.5), "d": (-1.5, -1.0)}
ASKED = {
    "designs": list(ABILITY),
    "objectives": ["code", "prose"],
    "cone": cw.Cone.orthant(2),
    "epsilon": 0.05,
    "delta": 0.05,
    "noise": Bounded(0, 1),
    "block": "question",
    "blocks": [f"q{k}" for k in range(120)],
    "population": "all",
    "seed": 5,
}


def answer(design, block):
    """Zeros and ones that depend on the design and the block alone."""
    rng = np.random.default_rng(int(block[1:]))
    hard = 1.5 * rng.normal()
    return [float(ability - hard + rng.logistic() > 0) for ability in ABILITY[design]]


def evaluate(design, seed):
    return answer(design["name"], design["question"])


def finish(study):
    while not (batch := study.ask(40)).finished:
        study.tell(batch, [answer(e.name, e.block) for e in batch])
    return study.result()


# -- the order -----------------------------------------------------------------------------------------------------


def test_every_design_meets_the_blocks_in_one_order_that_the_seed_draws(tmp_path):
    with cw.Study.create(tmp_path / "a.db", **ASKED) as study:
        batch = study.ask(40)
        order = study.blocks.names
        assert sorted(order) == sorted(ASKED["blocks"])
        assert list(order) != ASKED["blocks"]
        assert all(e.block == order[e.number] for e in batch)
        assert {e.name for e in batch if e.number == 0} == set(ABILITY)
    with cw.Study.open(tmp_path / "a.db") as study:
        assert study.blocks.names == order  # as it was written down, whoever draws what
    assert study_in_memory(**ASKED).blocks.names == order
    assert study_in_memory(**ASKED | {"seed": 6}).blocks.names != order


def test_the_answer_is_that_of_the_paired_rule_on_prefixes_of_the_order_live_and_replayed(tmp_path):
    with cw.Study.create(tmp_path / "a.db", **ASKED) as study:
        live = finish(study)
        rule, order = study.rule(), study.blocks.names
        told = study.evaluations()
    state, reach = rule.start(), dict.fromkeys(range(4), 0)
    while (pulls := rule.ask(state)).total:
        for design, count in zip(pulls.designs.tolist(), pulls.counts.tolist(), strict=True):
            names = order[reach[design] : reach[design] + count]
            values = np.array([answer(list(ABILITY)[design], name) for name in names])
            state = rule.tell(state, Observations.single(np.full(count, design), values))
            reach[design] += count
    plain = rule.recommend(state)
    with cw.Study.open(tmp_path / "a.db", read_only=True) as study:
        replayed = study.result()
    for result in (live, replayed):
        assert result.names(list(ABILITY)) == ["a", "b"]
        assert result.counts.tolist() == plain.counts.tolist()
        assert result.means.tobytes() == plain.means.tobytes()
        assert str(result.guarantee) == str(plain.guarantee)
    assert told.block == [order[number] for number in told.number]


def test_equal_designs_end_at_epsilon_zero_when_the_population_is_read():
    study = study_in_memory(**ASKED | {"designs": ["x", "y"], "epsilon": 0.0, "blocks": 30, "population": 30})
    while not (batch := study.ask(40)).finished:
        study.tell(batch, [[float(int(e.block) % 3 == 0), 1.0] for e in batch])
    result = study.result()
    assert result.certified_epsilon == 0.0
    assert result.guarantee
    assert result.counts.tolist() == [30, 30]
    assert study.status().finished


def test_a_sample_of_an_unlimited_population_stays_open_where_nothing_differs():
    study = study_in_memory(**ASKED | {"designs": ["x", "y"], "blocks": 30, "population": None})
    while not (batch := study.ask(40)).finished:
        study.tell(batch, [[float(int(e.block) % 3 == 0), 1.0] for e in batch])
    assert study.result().status.tolist() == ["undecided", "undecided"]
    assert "all recorded blocks are read" in study.result().stopped_because


# -- telling ---------------------------------------------------------------------------------------------------------


def test_a_design_and_its_block_are_as_good_as_an_id():
    study = study_in_memory(**ASKED)
    first = study.ask(3)
    records = [{"design": e.name, "question": e.block, "code": 1, "prose": 0} for e in first]
    assert study.tell(records).evaluations == first.ids
    assert study.tell(records[0]).repeated == 1
    assert study.ids_of(["b"], [first[1].block]) == [first[1].id]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"code": 0}, "'a' on question 'FIRST') is stored as [1.0, 0.0] and was now told as [0.0, 0.0]"),
        ({"question": "LAST"}, "was never handed out; ask for it first"),
        ({"question": "q1000"}, "there is no question called 'q1000'"),
        ({"question": None}, "record 0 names no question"),
        ({"design": "e"}, "there is no design called 'e'"),
    ],
)
def test_what_does_not_belong_together_is_one_sentence_and_nothing_is_written(change, said):
    study = study_in_memory(**ASKED)
    first = study.ask(1)[0]
    record = {"design": "a", "question": first.block, "code": 1, "prose": 0}
    study.tell(record)
    names = {"FIRST": first.block, "LAST": study.blocks.names[-1]}
    change = {key: names.get(value, value) for key, value in change.items()}
    with pytest.raises(InputError) as error:
        study.tell(record | change)
    assert said.replace("FIRST", first.block) in str(error.value)
    assert len(study.log()) == 2


def test_values_that_nobody_asked_for_need_a_block():
    study = study_in_memory(**ASKED)
    with pytest.raises(InputError, match="belongs to a question"):
        study.record(["a"], [[1.0, 0.0]])
    plain = study_in_memory(**ASKED | {"block": None, "blocks": None, "population": None})
    assert plain.blocks is None
    with pytest.raises(InputError, match="share no blocks"):
        plain.ids_of(["a"], ["q1"])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"population": 100}, "population must be at least the number of blocks seen, got 100 and 120"),
        ({"population": "some"}, 'population must be "all" or a number of blocks'),
        ({"population": True}, 'population must be "all" or a number of blocks'),
        ({"blocks": ["q1", "q2", "q1"]}, "two blocks are called 'q1'"),
        ({"blocks": []}, "blocks must be at least 1"),
        ({"blocks": 0}, "blocks must be at least 1"),
        ({"blocks": "questions"}, "blocks must be names, or how many there are"),
        ({"blocks": None}, "say which blocks there are"),
        ({"blocks": [1.5]}, "a block must be text"),
        ({"block": None}, "say what one is"),
        ({"block": "code"}, "another column"),
        ({"block": "Design"}, "another column"),
        ({"block": 3}, "block must be text"),
        ({"algorithm": "elimination"}, "blocks are shared by the designs"),
        ({"noise": cw.noise.SubGaussian(1.0)}, "compared block by block for bounded"),
        ({"blocks": 10**6, "designs": 1000}, "too much memory"),
    ],
)
def test_blocks_that_cannot_be_are_one_sentence(change, said):
    with pytest.raises(InputError) as error:
        study_in_memory(**ASKED | change)
    assert said in str(error.value)


def test_a_number_of_blocks_is_the_population_where_nothing_else_is_said():
    assert sorted(drawn_blocks("fold", None, 5, 0, ()).names) == list("12345")
    assert drawn_blocks("fold", np.array(["x", "y"]), 7, 0, ()).population == 7
    assert drawn_blocks("fold", [10, 20], None, 0, ()).population is None
    assert drawn_blocks(None, None, None, 0, ()) is None


# -- workers, changes, outputs -------------------------------------------------------------------------------------


def test_workers_find_the_block_beside_the_columns_of_the_design():
    study = study_in_memory(**ASKED)
    report = cw.run_study(study, evaluate, jobs=0)
    assert report.finished
    assert study.result().names(study.names) == ["a", "b"]


def test_a_failed_or_withdrawn_evaluation_is_made_again_on_its_block():
    study = study_in_memory(**ASKED)
    one, two = study.ask(2)
    study.tell([one], [[1.0, 0.0]])
    study.withdraw(one, reason="the transcript was cut off")
    study.fail(two, reason="the server was down")
    again = {e.id: e for e in study.ask(40)}
    for before in (one, two):
        assert again[before.id].block == before.block
        assert again[before.id].seed != before.seed


def test_another_epsilon_is_free_and_dropping_by_the_values_takes_a_part():
    study = study_in_memory(**ASKED | {"options": {"success": "contain"}})
    finish(study)
    study.change(epsilon=0.0)
    assert study.delta_spent == 0.05
    assert finish(study).certified_epsilon == 0.0
    with pytest.raises(InputError, match="cannot start again"):
        study.add_designs(["e"])
    study.drop(["d"], reason="it looks bad")
    assert study.delta_spent == pytest.approx(0.075)
    assert study.result().guarantee.delta == pytest.approx(0.075)


def test_designs_that_are_added_unseen_read_from_the_first_block_on():
    study = study_in_memory(**ASKED | {"designs": ["a", "c"]})
    finish(study)
    study.add_designs(["b"], unseen=True)
    batch = study.ask(1)
    assert batch[0].block == study.blocks.names[0]
    study.release(batch)
    assert finish(study).names(study.names) == ["a", "b"]


def test_normal_differences_cancel_what_the_block_has_in_common():
    asked = ASKED | {"noise": GaussianUnknown(), "blocks": 60, "population": None, "epsilon": 0.5}
    study = study_in_memory(**asked)
    rng = np.random.default_rng(2)
    common, own = 10 * rng.normal(size=60), rng.normal(size=(60, 4, 2))
    while not (batch := study.ask(40)).finished:
        values = [
            np.array(ABILITY[e.name]) + common[int(e.block) - 1] + 0.3 * own[int(e.block) - 1, e.design] for e in batch
        ]
        study.tell(batch, values)
    assert study.result().names(study.names) == ["a", "b"]
    assert "normal from block to block" in study.result().guarantee.assumption


def test_the_command_line_says_the_block_everywhere(tmp_path):
    (tmp_path / "questions.csv").write_text("question\n" + "\n".join(f"q{k}" for k in range(40)) + "\n")
    (tmp_path / "trial.toml").write_text(
        'objectives = ["code", "prose"]\nepsilon = 0.05\ndelta = 0.05\n'
        'block = "question"\nblocks = "questions.csv"\npopulation = 200\n'
        '[designs]\nlist = ["a", "b"]\n[noise]\nkind = "bounded"\nlow = 0\nhigh = 1\n'
    )
    db = str(tmp_path / "trial.db")

    def call(*words):
        ran = CliRunner().invoke(commands, ["study", *words])
        assert ran.exit_code == 0 or isinstance(ran.exception, InputError), ran.output
        return str(ran.exception or ran.output)

    call("create", str(tmp_path / "trial.toml"))
    lines = call("ask", db, "-n", "2", "--csv").splitlines()
    assert lines[0] == "id,design,seed,question,code,prose"
    block = lines[1].split(",")[3]
    (tmp_path / "told.csv").write_text(f"design,question,code,prose\na,{block},1,0\n")
    assert "1 evaluation stored" in call("tell", db, "--file", str(tmp_path / "told.csv"))
    assert "1 evaluation stored" in call("tell", db, "--design", "b", "--block", block, "0", "1")
    assert "is stored as" in call("tell", db, "--design", "b", "--block", block, "1", "1")
    (tmp_path / "told.csv").write_text("id,question,code,prose\nd0n0,q-,1,0\n")
    assert "there is no question called 'q-'" in call("tell", db, "--file", str(tmp_path / "told.csv"))
    other = next(f"q{k}" for k in range(40) if f"q{k}" != block)
    (tmp_path / "told.csv").write_text(f"id,question,code,prose\nd0n0,{other},1,0\n")
    assert f"d0n0 is not an evaluation on question '{other}'" in call("tell", db, "--file", str(tmp_path / "told.csv"))
    assert "40 (question), of 200 that averages are over; at most 1 met" in call("status", db)
    assert f"d0n0 on {block}" in call("log", db)
    assert json.loads(call("log", db, "--json"))["entries"][1]["block_names"] == [block]
    call("export", db, str(tmp_path / "out.csv"))
    table = (tmp_path / "out.csv").read_text().splitlines()
    assert table[0].replace('"', "").startswith("design,number,question,code,prose")
    assert f'"{block}"' in table[1]


def test_what_is_still_to_do_and_what_other_epsilons_cost_is_said_on_the_way():
    study = study_in_memory(**ASKED)
    batch = study.ask(8)
    study.tell(batch, [answer(e.name, e.block) for e in batch])
    assert study.status().at_least
    assert study.guess().prices == ()
    while study.status().evaluations < 100:
        batch = study.ask(8)
        study.tell(batch, [answer(e.name, e.block) for e in batch])
    status, before = study.status(), study.evaluations()
    coarse = study.guess().prices[-1]
    assert not status.at_least
    assert coarse.epsilon > 0.05
    assert coarse.remaining < status.remaining <= 4 * 120 - len(before)
    assert study.plan(1000).total == status.remaining  # how good that forecast is: algorithms/adaptive/test_outlook.py
    finish(study)
    assert study.guess().prices == ()
    assert study.status().remaining == 0


def test_a_study_with_blocks_knows_levels():
    study = study_in_memory(**ASKED | {"levels": {"code": 0.65}})
    result = finish(study)
    assert result.names(study.names) == ["a"]
    assert result.status[1] == "misses a level"
    assert "levels met within epsilon" in result.guarantee.theorem
    assert study.guess().prices == ()


def test_options_say_the_blocks_in_the_place_of_the_file(tmp_path):
    (tmp_path / "trial.toml").write_text(
        'objectives = ["code", "prose"]\nepsilon = 0.05\ndelta = 0.05\npopulation = 200\n'
        '[designs]\nlist = ["a", "b"]\n[noise]\nkind = "bounded"\nlow = 0\nhigh = 1\n'
    )
    (tmp_path / "questions.csv").write_text("question,kind\nsum,x\nproof,y\npoem,z\n")

    def made(name, *words):
        where = str(tmp_path / f"{name}.db")
        command = ["study", "create", str(tmp_path / "trial.toml"), "--storage", where, *words]
        ran = CliRunner().invoke(commands, command)
        if ran.exit_code:
            return str(ran.exception)
        with cw.Study.open(where, read_only=True) as study:
            return study.blocks.column, sorted(study.blocks.names), study.blocks.population

    questions = str(tmp_path / "questions.csv")
    assert made("a", "--block", "question", "--blocks", questions) == ("question", ["poem", "proof", "sum"], 200)
    assert made("b", "--block", "plate", "--blocks", "3", "--population", "all") == ("plate", ["1", "2", "3"], 3)
    assert "say what one is" in made("c", "--blocks", "3")
    assert "has no column 'plate'; it has question, kind" in made("d", "--block", "plate", "--blocks", questions)
    assert "--population must be `all` or a number" in made("e", "--block", "plate", "--population", "most")
    assert not (tmp_path / "e.db").exists()


def test_an_export_in_which_values_decided_who_met_what_is_no_sample(tmp_path):
    with cw.Study.create(tmp_path / "a.db", **ASKED) as study:
        finish(study)
        study.export(tmp_path / "a.csv")
    asked = {"objectives": ["code", "prose"], "block": "question", "delta": 0.05, "epsilon": 0.05}
    found = cw.analyse(tmp_path / "a.csv", **asked, population=120)
    assert "which blocks a design has met there depends on the values" in str(found.result.guarantee)
    assert "that is a guess, not a guarantee" in found.explanations[0]
    assert found.guess is not None


# -- objectives of different kinds -----------------------------------------------------------------------------------

PRICES = {"a": 3.0, "b": 2.0, "c": 2.5, "d": 1.0}
KINDS = {
    "objectives": [
        cw.Objective("code", noise="binary"),
        cw.Objective("seconds", "min", noise="unknown"),
        cw.Objective("price", "min", noise="known", level=2.8),
    ],
    "cone": cw.Cone.orthant(3),
    "noise": None,
}


def measure(design, seed):
    rng = np.random.default_rng([int(design["question"][1:]), ord(design["name"])])
    right = bool(answer(design["name"], design["question"])[0])
    return {"code": right, "seconds": ABILITY[design["name"]][1] + rng.normal(), "price": PRICES[design["name"]]}


def test_right_or_wrong_seconds_and_a_price_with_a_level(tmp_path):
    with cw.Study.create(tmp_path / "a.db", **ASKED | KINDS) as study:
        assert cw.run_study(study, measure, jobs=0).finished
        result = study.result()
        assert dict(zip(study.names, result.status.tolist(), strict=True))["a"] == "misses a level"
        assert "observations of 0 or 1 (code)" in result.guarantee.assumption
        assert "no noise (price)" in result.guarantee.assumption
        counts = dict(zip(study.names, result.counts.tolist(), strict=True))
        assert counts["a"] < 120
    again = cw.Study.open(tmp_path / "a.db")
    assert again.result().status.tolist() == result.status.tolist()
    again.close()


def test_a_price_that_changes_is_refused_and_nothing_is_written(tmp_path):
    with cw.Study.create(tmp_path / "a.db", **ASKED | KINDS) as study:
        of_one = [e for e in study.ask(40) if e.name == "d"][:2]
        study.tell([{"id": of_one[0].id, "code": "no", "seconds": 1.5, "price": 1}])
        with pytest.raises(
            InputError, match="'price' of 'd' is 1 and 9, although it is declared to be known, without noise"
        ):
            study.tell([{"id": of_one[1].id, "code": "yes", "seconds": 1.0, "price": 9}])
        assert study.status().evaluations == 1
