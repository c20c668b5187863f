"""What happens to evaluations in between: leases that run out, hands that give back, failures, corrections."""

from __future__ import annotations

import threading

import pytest
from shared.studies import Clock, digest, finish, make, same, value_of, values_of

import conewise as cw
from conewise.studies.evaluations import AlreadyTold, seed_of


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


# -- leases ----------------------------------------------------------------------------------------------------------


def test_a_lease_runs_out_and_the_same_evaluation_is_handed_out_again(study, clock):
    first = study.ask(2, worker="slow")
    clock.now += 59.9
    assert not set(study.ask(100).ids) & set(first.ids)
    clock.now += 0.2
    assert (study.status().expired, study.status().in_flight) == (2, 10)
    second = study.ask(1)
    assert (second[0].id, second[0].seed, second[0].attempt) == (first[0].id, first[0].seed, 0)
    assert study.tell(first, values_of(first)).stored == 2  # late, and welcome
    assert study.tell(second, values_of(second)).repeated == 1
    assert (study.status().expired, study.status().in_flight) == (0, 10)


def test_leases_say_who_has_what(study, clock):
    study.ask(1, worker="a")
    study.ask(1, worker="b", lease=5)
    assert [(held.evaluation, held.worker, held.expires) for held in study.leases()] == [
        ("d0n0", "a", 1060.0),
        ("d1n0", "b", 1005.0),
    ]
    clock.now += 6
    assert [held.evaluation for held in study.leases()] == ["d0n0"]


def test_a_lease_ends_before_all_calendars(study):
    with pytest.raises(cw.InputError, match=r"at most 1e\+09 seconds"):
        study.ask(1, lease=1e12)
    assert study.log() == []


def test_what_is_handed_back_is_open_again(study, clock):
    batch = study.ask(3, worker="a")
    study.tell(batch[:1], values_of(batch[:1]))
    study.release(batch)
    assert study.status().in_flight == 0
    assert study.ask(2, worker="b").ids == batch.ids[1:]
    study.release(batch)  # these are b's now
    assert study.status().in_flight == 2
    study.release(batch.ids[1:])  # by id: whoever's
    assert study.status().in_flight == 0
    seq = len(study.log())
    study.release(["d5n3", *batch.ids])  # nothing to hand back
    assert len(study.log()) == seq


def test_a_lease_of_someone_else_is_not_ended_by_an_old_batch(study, clock):
    old = study.ask(1, worker="a")
    clock.now += 61
    new = study.ask(1, worker="b")
    assert new.ids == old.ids
    study.release(old)
    assert [held.worker for held in study.leases()] == ["b"]


def test_two_threads_on_one_object_get_different_evaluations(study):
    handed = []

    def work():
        for _ in range(10):
            handed.extend(study.ask(1).ids)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(handed) == sorted(f"d{d}n{n}" for d in range(6) for n in range(2))


# -- failures --------------------------------------------------------------------------------------------------------


def test_a_failure_opens_the_evaluation_with_another_seed(study, clock):
    batch = study.ask(6)
    study.fail(batch[:1], "the pump broke")
    status = study.status()
    assert (status.failed, status.failures, status.in_flight) == (1, 1, 5)
    retry = study.ask(1)
    assert (retry[0].id, retry[0].attempt) == ("d0n0", 1)
    assert retry[0].seed == seed_of(7, 0, 0, 1) != batch[0].seed
    study.tell(retry, values_of(retry))
    assert (study.status().failed, study.status().failures) == (0, 1)
    with again(study, clock) as other:
        assert digest(other) == digest(study)


def test_one_attempt_fails_once(study):
    batch = study.ask(1)
    study.fail(batch, "first told of it")
    study.fail(batch, "and again")
    assert study.status().failures == 1
    study.fail(batch.ids, "by id, it is another one")
    assert study.status().failures == 2


def test_failed_evaluations_do_not_stand_in_the_way(study):
    study.fail(study.ask(1), "no luck")
    assert study.ask(100, ahead=False).ids == ("d1n0", "d2n0", "d3n0", "d4n0", "d5n0", "d0n0")


def test_what_is_told_cannot_fail_and_what_was_never_asked_neither(study):
    batch = study.ask(1)
    study.tell(batch, values_of(batch))
    study.fail(batch, "too late")
    assert study.status().failures == 0
    with pytest.raises(cw.InputError, match="d0n5 was never handed out"):
        study.fail(["d0n5"], "why")


# -- corrections -----------------------------------------------------------------------------------------------------


def test_a_correction_is_a_new_entry_and_decides_anew(study, clock):
    finish(study)
    before, entries = study.result(), len(study.log())
    study.correct("d0n0", [100.0, -100.0], "the balance was wrong")
    assert len(study.log()) == entries + 1
    assert study.result().means[0, 0] > before.means[0, 0]
    told = study.evaluations()
    assert told.values[0].tolist() == [100.0, -100.0]
    assert told.corrected.tolist() == [True] + [False] * (len(told) - 1)
    assert study.status().corrected == 1
    finish(study)  # the new value may ask for more
    with again(study, clock) as other:
        assert digest(other) == digest(study)
    study.correct("d0n0", value_of(0, seed_of(7, 0, 0, 0)), "it was right after all")
    assert same(study.result(), before)


def test_the_first_value_of_a_corrected_evaluation_may_be_told_again(study):
    batch = study.ask(1)
    study.tell(batch, [[1, 2]])
    study.correct(batch.ids[0], [3, 4], "a slip")
    assert study.tell(batch, [[1, 2]]).repeated == 1  # a machine that never heard the answer
    assert study.tell(batch, [[3, 4]]).repeated == 1
    with pytest.raises(AlreadyTold):
        study.tell(batch, [[5, 6]])


@pytest.mark.parametrize(
    ("evaluation", "values", "reason", "words"),
    [
        ("d0n0", [1, 2], "", "needs a reason"),
        ("d0n1", [1, 2], "x", "d0n1 is not told yet"),
        ("d0n0", [1, float("nan")], "x", "nan"),
        ("d0n0", [1], "x", "shape"),
        (["d0n0", "d1n0"], [[1, 2]], "x", "one evaluation is corrected at a time"),
        ([], [[1, 2]], "x", "one evaluation is corrected at a time"),
    ],
)
def test_what_cannot_be_corrected_is_refused(study, evaluation, values, reason, words):
    study.tell("d0n0", [0, 0])
    with pytest.raises(cw.InputError, match=words):
        study.correct(evaluation, values, reason)
    assert len(study.log()) == 1
