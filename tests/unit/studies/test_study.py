"""Asking and telling: identities, rounds, repetition, order, what is refused, and the answers."""

from __future__ import annotations

import numpy as np
import pytest
from shared.studies import Clock, finish, make, reference, same, value_of, values_of

import conewise as cw
from conewise.noise import Bounded, Gaussian
from conewise.studies import reader
from conewise.studies.evaluations import AlreadyTold, seed_of
from conewise.studies.fold import Fold
from conewise.studies.ledger import FURTHEST


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def study(tmp_path, clock):
    with make(tmp_path / "trial.db", clock=clock, lease=60) as made:
        yield made


def again(study, clock):
    """A fresh look at the same file."""
    return cw.Study.open(study.place, clock=clock)


# -- what is handed out ----------------------------------------------------------------------------------------------


def test_an_evaluation_has_an_identity_a_seed_and_its_design(study):
    batch = study.ask(3, worker="lab")
    assert batch.ids == ("d0n0", "d1n0", "d2n0")
    assert (batch.worker, batch.finished, len(batch[1:]), batch[1:].worker) == ("lab", False, 2, "lab")
    second = batch[1]
    assert (second.design, second.number, second.name, second.row) == (1, 0, "b", {"name": "b"})
    assert (second.attempt, second.expires) == (0, 1060.0)
    assert second.seed == seed_of(7, 1, 0, 0)
    assert repr(batch) == "Batch(d0n0, d1n0, d2n0)"


def test_seeds_are_the_same_everywhere():
    """Written down: a study that was begun with one release must go on with the next."""
    assert seed_of(0, 0, 0, 0) == 7896617691693857887
    assert seed_of(7, 1, 0, 0) == 3317731564112288844
    assert len({seed_of(s, d, n, f) for s in range(3) for d in range(3) for n in range(3) for f in range(3)}) == 81
    assert all(0 <= seed_of(s, 5, 1, 0) < 2**63 for s in range(100))


def test_the_round_comes_first_and_then_as_much_again(study):
    assert study.ask(100, ahead=False).ids == tuple(f"d{d}n0" for d in range(6))
    assert study.ask(100, ahead=False).ids == ()
    assert study.ask(100).ids == tuple(f"d{d}n1" for d in range(6))
    assert study.ask(100).ids == ()
    assert not study.finished


def test_asking_in_vain_writes_nothing(study):
    study.ask(100)
    seq = len(study.log())
    assert not study.ask(5)
    assert len(study.log()) == seq


def test_evaluations_ahead_are_used_later(study):
    ahead = study.ask(12)
    study.tell(ahead, values_of(ahead))
    finish(study)
    assert same(study.result(), reference(study))
    assert study.status().waiting == study.status().evaluations - reference(study).evaluations


def test_a_budget_is_never_exceeded_by_evaluations_ahead(tmp_path):
    with make(tmp_path / "a.db", options={"max_evaluations": 100}) as study:
        assert len(study.ask(1000)) == 6
        study.release([lease.evaluation for lease in study.leases()])
        finish(study, 7)
        assert study.status().evaluations == 100
        assert "max_evaluations reached" in study.result().stopped_because


def test_naive_elimination_asks_for_what_it_uses_and_no_more(tmp_path):
    with make(tmp_path / "a.db", algorithm="naive", options={"evaluations_each": 5}) as study:
        first = study.ask(1000)
        assert first.ids == tuple(f"d{d}n{n}" for n in range(5) for d in range(6))  # everyone once, then everyone twice
        study.tell(first, values_of(first))
        assert study.finished
        assert (study.status().evaluations, study.status().remaining) == (30, 0)
        assert study.ask().finished


def test_more_than_is_asked_for_does_not_change_a_finished_answer(tmp_path):
    with make(tmp_path / "a.db") as study:
        finish(study)
        before = study.result()
        study.record(["a"] * 10, np.full((10, 2), 100.0))
        assert study.finished
        assert same(study.result(), before)


# -- telling ---------------------------------------------------------------------------------------------------------


def test_telling_twice_is_harmless(study, clock):
    batch = study.ask(3)
    told = study.tell(batch, values_of(batch))
    assert (told.evaluations, told.stored, told.repeated) == (batch.ids, 3, 0)
    seq = len(study.log())
    with again(study, clock) as other:
        told = other.tell(list(batch.ids), values_of(batch).tolist())
        assert (told.stored, told.repeated) == (0, 3)
        assert other.status().repeated == 3
    assert study.status().evaluations == 3
    assert len(study.log()) == seq


def test_other_values_are_refused_and_nothing_is_written(study):
    batch = study.ask(3)
    study.tell(batch[:1], [[1.0, 2.0]])
    with pytest.raises(
        AlreadyTold, match=r"d0n0 \('a'\) is stored as \[1.0, 2.0\] and was now told as \[1.0, 3.0\]; use `correct`"
    ):
        study.tell(batch, [[1.0, 3.0], [0.0, 0.0], [0.0, 0.0]])
    assert (study.status().evaluations, study.status().in_flight) == (1, 2)


def test_in_any_order_and_part_by_part(study):
    batch = study.ask(12)
    for evaluation in reversed(batch):
        study.tell(evaluation, value_of(evaluation.design, evaluation.seed))
    finish(study)
    assert same(study.result(), reference(study))


def test_a_list_may_name_an_evaluation_twice(study):
    batch = study.ask(2)
    told = study.tell([*batch.ids, batch.ids[0]], [[1, 2], [3, 4], [1, 2]])
    assert (told.stored, told.repeated) == (2, 1)
    with pytest.raises(AlreadyTold, match=r"d0n1 \('a'\) is stored"):
        study.tell(["d0n1", "d0n1"], [[1, 2], [1, 3]])
    assert study.status().evaluations == 2


def test_what_was_never_asked_for_may_be_told(study):
    study.tell(["d3n1", "d3n0"], [[0.7, -0.7], [0.6, -0.6]])
    assert study.status().evaluations == 2
    assert "d3n0" not in study.ask(100, ahead=False).ids
    assert study.result().counts.tolist() == [0, 0, 0, 2, 0, 0]


def test_a_gap_waits_to_be_filled(study):
    study.tell(["d0n2", "d0n3"], [[5, 5], [5, 5]])
    assert study.result().counts[0] == 0
    study.record([0], [[1, 1]])
    assert study.result().counts[0] == 1
    study.record(["a"], [[1, 1]])
    assert study.result().counts[0] == 4


def test_recorded_values_take_the_next_free_numbers(study, clock):
    leased = study.ask(1)
    told = study.record(["a", 0, "b", "a"], [[1, 1], [2, 2], [3, 3], [4, 4]])
    assert told.evaluations == ("d0n1", "d0n2", "d1n0", "d0n3")
    clock.now += 61  # the lease is over, so number 0 is nobody's
    assert study.record(["a", "a"], [[5, 5], [6, 6]]).evaluations == ("d0n0", "d0n4")
    with pytest.raises(AlreadyTold, match="or `record`, without id or number, if these are of another measurement"):
        study.tell(leased, [[9, 9]])


@pytest.mark.parametrize(
    ("batch", "values", "words"),
    [
        (["d0n0"], [[1.0]], r"shape \(1, 2\), one row an evaluation and one column an objective \(gain, cost\)"),
        (["d0n0", "d1n0"], [[1.0, 2.0]], r"shape \(2, 2\)"),
        (["d0n0", "d1n0"], [[1.0, 2.0], [1.0]], "rectangular array"),
        (["d0n0"], [[float("nan"), 1.0]], "nan in row 0, column 0"),
        (["d0n0"], [[float("inf"), 1.0]], "inf in row 0"),
        (["d0n0"], [[1e300, 1.0]], "too large"),
        (["d0n0"], [["a", "b"]], "text"),
        (["d6n0"], [[1, 2]], "evaluation d6n0 is of design 6, but designs are numbered 0 to 5"),
        (["0"], [[1, 2]], 'id looks like "d3n0"'),
        (["a-0"], [[1, 2]], "id looks like"),
        (["-1-0"], [[1, 2]], "id looks like"),
        (["d0n00"], [[1, 2]], "id looks like"),
        (["٣-0"], [[1, 2]], "id looks like"),
        ([0], [[1, 2]], "id looks like"),
        (7, [[1, 2]], "a batch or a list of evaluation ids was expected, got int"),
        ([f"0-{FURTHEST + 1}"], [[1, 2]], "far beyond any that was handed out; use `record`"),
        (["d0n999999999999999999"], [[1, 2]], "far beyond"),
        (["d0n9999999999999999999"], [[1, 2]], "id looks like"),
    ],
)
def test_what_cannot_be_told_is_refused(study, batch, values, words):
    with pytest.raises(cw.InputError, match=words):
        study.tell(batch, values)
    assert study.status().evaluations == 0
    assert len(study.log()) == 0


def test_one_evaluation_may_be_told_as_a_flat_list(study):
    assert study.tell("d0n0", [1, 2]).stored == 1
    assert study.tell([], np.empty((0, 2))).stored == 0


@pytest.mark.parametrize("designs", [["z"], [6], [-1], [1.5], "a", [None]])
def test_designs_that_do_not_exist_are_refused(study, designs):
    with pytest.raises(cw.InputError):
        study.record(designs, [[1, 2]])


def test_values_outside_the_range_that_is_assumed_are_refused(tmp_path):
    with make(tmp_path / "a.db", noise=Bounded([0, -5], [1, 0]), epsilon=0.5) as study:
        study.tell(["d0n0"], [[1.0, -5.0]])
        with pytest.raises(cw.InputError, match=r"5\.0 in row 0 for 'cost', outside the range"):
            study.tell(["d1n0"], [[1.0, 5.0]])


# -- answers ---------------------------------------------------------------------------------------------------------


def test_a_study_with_noise_that_nobody_knows_ends_with_a_guarantee(tmp_path):
    with make(tmp_path / "a.db", noise=cw.noise.GaussianUnknown(), epsilon=1.5) as study:
        finish(study)
        assert same(study.result(), reference(study))
        assert isinstance(study.result().guarantee, cw.Guarantee)


@pytest.mark.parametrize("name", ["worker", "reason"])
@pytest.mark.parametrize("text", [None, 3, "a\x00b", "\ud800", "x" * 20_000])
def test_text_that_cannot_be_stored_is_refused(study, name, text):
    with pytest.raises(cw.InputError, match=f"{name} must be"):
        study.ask(worker=text) if name == "worker" else study.fail([], text)


@pytest.mark.parametrize(
    "arguments", [{"worker": "\x1b[2J"}, {"n": 0}, {"n": 1.5}, {"lease": 0}, {"lease": -1}, {"lease": float("inf")}]
)
def test_bad_numbers_when_asking_are_refused(study, arguments):
    with pytest.raises(cw.InputError):
        study.ask(**arguments)


def test_a_clock_gone_mad_is_refused(study, clock):
    clock.now = 1e300
    with pytest.raises(cw.ConewiseError, match="the clock says"):
        study.ask()


def test_telling_needs_no_algorithm(tmp_path, monkeypatch):
    """Which may take seconds to build, and a command that tells is over before that."""
    make(tmp_path / "a.db").close()
    built = []
    monkeypatch.setattr(reader, "Fold", lambda *given: built.append(given) or Fold(*given))
    with cw.Study.open(tmp_path / "a.db") as study:
        study.tell(["d0n0"], [[1, 2]])
        study.record(["a"], [[1, 2]])
        study.correct("d0n0", [1, 3], "a slip")
        study.release(["d0n0"])
        study.export(tmp_path / "told.csv")
        study.note("done")
        assert not study.leases()
        assert not built
        assert not study.finished
        assert built


def test_notes_are_kept(study, clock):
    study.note("new reagent from here on")
    with again(study, clock) as other:
        finish(other)
        assert same(other.result(), reference(other))


def test_objectives_of_very_different_spread_are_said_in_status_and_at_creation(tmp_path):
    """Without units; once there are values by their spread, before that by the noise.

    Change: `warnings` says it before there are values too, as `study create` always did.
    """
    asked = {"noise": Gaussian([100.0, 0.1]), "epsilon": 1.0, "objectives": ["price", "speed"], "minimise": ["price"]}
    with make(tmp_path / "a.db", **asked) as study:
        (early,) = study.warnings()
        assert early.sentence.startswith("epsilon measures 'price' (noise 100) and 'speed' (noise 0.1) in one measure")
        batch = study.ask(6)
        study.tell(batch, [[1000.0 * e.design, 0.1 * e.design] for e in batch])
        (remark,) = study.warnings()
        assert "spread 5e+03" in remark.sentence
        assert "a new study: [[objectives]]" in remark.sentence
        assert study.warnings([0]) == ()
    units = [cw.Objective("price", "min", unit=500), cw.Objective("speed", unit=0.1)]
    with make(tmp_path / "b.db", **asked | {"objectives": units, "minimise": []}) as study:
        assert study.warnings() == ()


# -- values that do not count any more ---------------------------------------------------------------------------------


def test_no_value_that_was_withdrawn_or_corrected_comes_back_from_an_old_table(tmp_path):
    """Until the evaluation is handed out again: then it is a new measurement, whatever it gives."""
    first, second, other = [0.5, 1.0], [0.25, 1.0], [0.75, 1.0]
    with make(tmp_path / "trial.db") as study:
        study.tell(["d2n0"], [first])
        study.correct("d2n0", second, "digits exchanged")
        study.withdraw("d2n0", "mislabelled")
        for old in (first, second):
            told = study.tell(["d2n0"], [old])
            assert (told.stored, told.repeated, told.withdrawn) == (0, 1, 1)
        assert study.tell(["d2n0"], [other]).stored == 1  # of another measurement
        study.withdraw("d2n0", "the same again")
    with cw.Study.open(tmp_path / "trial.db") as study:  # the journal says it, in one piece
        for old in (first, second, other):
            assert study.tell(["d2n0"], [old]).withdrawn == 1
        assert "d2n0" in study.ask(20).ids
        assert study.tell(["d2n0"], [first]).stored == 1
    with cw.Study.open(tmp_path / "trial.db") as study:
        assert study.status().evaluations == 1
        study.withdraw("d2n0", "once more")
        assert study.tell(["d2n0"], [second]).stored == 1  # withdrawn before it was handed out again
