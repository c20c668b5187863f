"""Studies that change: what is compared, what counts, what it takes of delta, and that it is replayed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared.memory import study_in_memory
from shared.studies import BASICS, MEANS, make, values_of

import conewise as cw
from conewise.noise import Gaussian
from conewise.studies.storage.journal import Entry
from conewise.studies.versions import weight


@pytest.fixture
def study(tmp_path):
    with make(tmp_path / "trial.db") as made:
        yield made


@pytest.fixture
def strict(tmp_path):
    """A study in which designs are beaten, not merely covered."""
    with make(tmp_path / "strict.db", options={"success": "contain"}) as made:
        yield made


def finish(study):
    told = 0
    while batch := study.ask(30):
        told += study.tell(batch, values_of(batch)).stored
    return told


def again(study):
    """The same study, read from its journal by somebody else."""
    return cw.Study(study.journal)


def same(one, other):
    ours, theirs = one.result(), other.result()
    assert one.names == other.names
    assert ours.guarantee == theirs.guarantee
    assert ours.status.tolist() == theirs.status.tolist()
    np.testing.assert_array_equal(ours.means, theirs.means)
    assert (one.epsilon, one.delta_spent, one.dropped) == (other.epsilon, other.delta_spent, other.dropped)


@given(st.integers(2, 60))
@settings(max_examples=30)
def test_the_parts_of_all_sets_that_may_be_left_are_at_most_one(designs):
    total = sum(math.comb(designs, dropped) * weight(designs, dropped) for dropped in range(designs + 1))
    assert total <= 1 + 1e-12


# -- epsilon and the limit -----------------------------------------------------------------------------------------


def test_another_epsilon_goes_on_with_all_that_was_told(study):
    first = finish(study)
    study.change(epsilon=0.15, reason="a finer answer is worth it")
    assert (study.epsilon, study.finished, study.status().aside) == (0.15, False, 0)
    assert study.result().evaluations == first  # what was handed out ahead counts, too
    assert finish(study) > 0
    result = study.result()
    assert study.finished
    assert result.guarantee.epsilon <= 0.15
    assert result.guarantee.delta == study.delta_spent == 0.075
    assert "of changed questions" in result.guarantee.theorem
    same(study, again(study))


def test_only_the_first_change_of_epsilon_takes_a_part_of_delta(study):
    for epsilon in (0.2, 0.1, 0.3, 0.25):
        study.change(epsilon=epsilon)
        assert (study.epsilon, study.delta_spent) == (epsilon, 0.075)


def test_the_schedule_of_a_changed_question_knows_neither_epsilon_nor_limit(study):
    """Else a choice of either by the values would be a choice among certificates."""
    levels = set()
    for epsilon, limit in ((0.2, 500), (0.01, 10**6), (0.4, 50)):
        study.change(epsilon=epsilon, max_evaluations=limit)
        certificate = study.rule().certificate
        levels.add((certificate.levels, certificate.anchors, certificate.least, certificate.delta, certificate.pilot))
    assert len(levels) == 1


def test_a_changed_question_about_bounded_values_is_answered_without_bets_that_know_epsilon(tmp_path):
    """Their stakes and pilots follow from epsilon: an epsilon chosen by the values would choose among certificates."""
    asked = {"cone": cw.Cone.orthant(2), "epsilon": 0.3, "delta": 0.1, "noise": cw.noise.Bounded(-4, 4)}
    with cw.Study.create(tmp_path / "b.db", designs=["a", "b", "c"], objectives=["x", "y"], **asked) as bounded:
        assert isinstance(bounded.rule(), cw.rules.PairedElimination)
        seen = set()
        for epsilon, limit in ((0.2, 500), (0.01, 10**6), (0.4, 50)):
            bounded.change(epsilon=epsilon, max_evaluations=limit)
            certificate = bounded.rule().certificate
            assert isinstance(bounded.rule(), cw.rules.SuccessiveElimination)
            seen.add((certificate.levels, certificate.anchors, certificate.least, certificate.delta, certificate.pilot))
        assert len(seen) == 1


def test_a_limit_is_the_number_in_all_and_free(study):
    study.change(max_evaluations=40)
    assert finish(study) == 40
    result = study.result()
    assert (study.finished, study.status().evaluations, study.delta_spent) == (True, 40, 0.05)
    assert result.stopped_because.startswith("max_evaluations reached: ")
    study.change(max_evaluations=60)
    assert not study.finished
    assert finish(study) == 20
    study.change(max_evaluations=10**6)
    finish(study)
    assert study.result().guarantee.delta == 0.05
    same(study, again(study))


def test_a_limit_leads_to_the_same_answer_as_one_from_the_beginning(tmp_path):
    with make(tmp_path / "a.db", options={"max_evaluations": 70}) as planned, make(tmp_path / "b.db") as changed:
        changed.change(max_evaluations=70)
        finish(planned)
        finish(changed)
        assert planned.result().stopped_because == changed.result().stopped_because
        np.testing.assert_array_equal(planned.result().means, changed.result().means)


def test_another_limit_leaves_the_certificate_as_it_was_planned(tmp_path):
    """Else the limit, chosen by the values, would choose among certificates."""

    def certificate(study):
        found = study.rule().certificate
        return found.levels, found.anchors, found.least, found.delta, found.each

    with make(tmp_path / "a.db", epsilon=0.02, options={"max_evaluations": 200}) as study:
        before = certificate(study)
        finish(study)
        study.change(max_evaluations=300)
        assert certificate(study) == before
        assert finish(study) == 100
    with make(tmp_path / "b.db", epsilon=0.02) as study:
        assert certificate(study) != before


def test_a_higher_limit_for_exact_identification_takes_a_part(tmp_path):
    exact = {"epsilon": 0.0, "options": {"success": "contain", "max_evaluations": 200}}
    with make(tmp_path / "a.db", **exact) as study:
        levels = study.rule().certificate.levels
        study.change(max_evaluations=100)
        assert (study.rule().certificate.levels, study.delta_spent) == (levels, 0.05)
        assert finish(study) == 100
        study.change(max_evaluations=150)  # not beyond what was planned for
        assert (study.rule().certificate.levels, study.delta_spent) == (levels, 0.05)
        study.change(max_evaluations=300)
        assert (study.max_evaluations, study.delta_spent) == (300, 0.075)
        finish(study)
        assert study.status().evaluations == 300


def test_exact_identification_needs_an_end(strict):
    with pytest.raises(cw.InputError, match="epsilon = 0 never ends on ties: give max_evaluations as well"):
        strict.change(epsilon=0.0)
    strict.change(epsilon=0.0, max_evaluations=50)
    assert finish(strict) == 50


def test_a_reserve_pays_for_changes(tmp_path):
    with make(tmp_path / "a.db", reserve=0.5) as study:
        assert study.delta_spent == 0.025
        finish(study)
        assert study.result().guarantee.delta == 0.025
        study.change(epsilon=0.2)
        assert study.delta_spent == 0.0375
        study.add_designs(["g"])
        assert study.delta_spent == 0.04375
        assert study.delta == 0.05
        same(study, again(study))


# -- designs -------------------------------------------------------------------------------------------------------


def test_a_dropped_design_is_compared_no_more(study):
    study.ask(6)
    study.record(["a", "b", "c"], [[1, 2], [3, 4], [5, 6]])
    study.drop(["b", "e"], reason="too dear")
    assert study.names == ("a", "c", "d", "f")
    assert study.all_names == ("a", "b", "c", "d", "e", "f")
    assert study.dropped == ("b", "e")
    assert {e.name for e in study.ask(100)} <= {"a", "c", "d", "f"}
    study.release([lease.evaluation for lease in study.leases()])
    finish(study)
    result = study.result()
    assert list(result.designs) == ["a", "c", "d", "f"]
    assert len(result.status) == 4
    assert result.guarantee.delta == 0.075
    assert study.rule().delta == pytest.approx(0.025 * weight(6, 2))
    study.tell(["d1n0"], [[1.0, 1.0]])  # late, and harmless
    same(study, again(study))


def test_without_regard_to_the_values_nothing_is_paid_and_the_promise_is_named(study):
    finish(study)
    study.drop(["f"], reason="is not made any more", unseen=True)
    study.add_designs([{"name": "g", "maker": "X"}], unseen=True)
    assert study.names == ("a", "b", "c", "d", "e", "g")
    assert study.rows[-1] == {"name": "g", "maker": "X"}
    finish(study)
    guarantee = study.result().guarantee
    assert guarantee.delta == 0.05
    assert "that 1 design was dropped without regard to the values" in guarantee.assumption
    assert "that 1 design was added without regard to the values" in guarantee.assumption
    assert study.result().evaluations > 100  # earlier evaluations count
    same(study, again(study))


def test_designs_that_the_values_suggested_begin_an_epoch(strict):
    study = strict
    finish(study)
    before, flying = study.result(), study.ask(1)
    assert not flying
    beaten = tuple(name for name, status in zip(study.names, before.status, strict=True) if status == "beaten")
    assert beaten
    told = study.status().evaluations
    study.add_designs(["g", "h"], reason="between a and b")
    assert study.beaten_before == beaten
    assert study.names == (*(name for name in "abcdef" if name not in beaten), "g", "h")
    assert (study.status().aside, study.result().evaluations) == (told, 0)
    batch = study.ask(100)
    assert {e.name for e in batch} == set(study.names)
    assert {e.id for e in batch} & {"d6n0", "d7n0"} == {"d6n0", "d7n0"}
    assert min(e.number for e in batch if e.name == "a") == study.streams()[1][0] > 0
    study.tell(batch, values_of(batch))
    finish(study)
    assert study.result().guarantee.delta == 0.075
    assert study.status().evaluations == told + study.result().evaluations + study.status().waiting
    same(study, again(study))


def test_what_was_begun_before_an_epoch_is_not_compared_in_it(study):
    """Else whoever waits for slow evaluations could choose by their values which of them count."""
    handed = study.ask(6)
    study.add_designs(["g"])
    study.tell(handed, values_of(handed))
    assert study.status().evaluations == 6
    assert study.result().counts.tolist() == [0] * 7
    assert {e.id for e in study.ask(7)} == {f"d{k}n1" for k in range(6)} | {"d6n0"}


def test_a_correction_of_an_earlier_epoch_is_heard(strict):
    """Who was beaten follows from the values as they are now."""
    study = strict
    finish(study)
    study.add_designs(["g"])
    out = study.beaten_before[0]
    k = study.all_names.index(out)
    told = study.evaluations()
    for number in range(int((told.design == k).sum())):
        study.correct(f"d{k}n{number}", [9.0, -9.0], "the gauge was off")
    assert out in study.names
    same(study, again(study))


def test_a_withdrawal_of_an_earlier_epoch_is_heard(strict):
    study = strict
    finish(study)
    study.add_designs(["g"])
    out = study.beaten_before[0]
    k = study.all_names.index(out)
    study.withdraw([f"d{k}n0"], "mislabelled")
    assert out in study.names  # of its stream nothing is left without a gap
    assert f"d{k}n0" not in {e.id for e in study.ask(1000)}
    same(study, again(study))


def test_changes_of_somebody_else_are_seen(tmp_path):
    with make(tmp_path / "a.db") as mine, cw.Study.open(tmp_path / "a.db") as theirs:
        theirs.add_designs(["g"], unseen=True)
        theirs.change(epsilon=0.2)
        assert mine.tell(["d6n0"], [[1, 2]]).stored == 1
        assert (mine.status().n_designs, mine.epsilon) == (7, 0.2)
        with pytest.raises(cw.InputError, match="two designs are called 'g'"):
            mine.add_designs(["g"])


def test_a_study_that_is_opened_says_at_once_what_is_asked_now(tmp_path):
    with make(tmp_path / "a.db") as study:
        study.drop(["a"], reason="gone", unseen=True)
        study.change(epsilon=0.2)
    with cw.Study.open(tmp_path / "a.db", read_only=True) as opened:
        assert (opened.names, opened.epsilon, opened.n_designs) == (("b", "c", "d", "e", "f"), 0.2, 5)


# -- what is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda s: s.change(), "say what to change"),
        (lambda s: s.change(epsilon=-1), "epsilon"),
        (lambda s: s.change(epsilon=math.nan), "epsilon"),
        (lambda s: s.change(epsilon=0.0), 'make a new study with success "contain"'),
        (lambda s: s.change(max_evaluations=0), "max_evaluations"),
        (lambda s: s.add_designs(["a"]), "two designs are called 'a'"),
        (lambda s: s.add_designs([]), "at least 1 design"),
        (lambda s: s.add_designs(["g"], unseen="yes"), "unseen must be True or False"),
        (lambda s: s.drop(["z"], reason="x"), "there is no design called 'z'"),
        (lambda s: s.drop([], reason="x"), "at least one design"),
        (lambda s: s.drop(["a"], reason=" "), "needs a reason"),
        (lambda s: s.drop(["a", "b", "c", "d", "e"], reason="x"), "at least 2 designs; 1 would be left"),
    ],
)
def test_a_change_that_leads_nowhere_is_refused_and_nothing_is_written(study, act, words):
    with pytest.raises(cw.InputError, match=words):
        act(study)
    assert study.log() == []
    assert (study.names, study.epsilon) == (("a", "b", "c", "d", "e", "f"), 0.3)


def test_a_design_is_dropped_once(study):
    study.drop(["a"], reason="x")
    with pytest.raises(cw.InputError, match="'a' is not among those that are compared"):
        study.drop(["a"], reason="x")
    with pytest.raises(cw.InputError, match="two designs are called 'a'"):
        study.add_designs(["a"])


def test_published_rules_are_not_changed(tmp_path):
    with make(tmp_path / "a.db", algorithm="auer") as study:
        with pytest.raises(cw.InputError, match="'auer' cannot be changed, only one with elimination"):
            study.change(epsilon=0.2)
        assert study.log() == []


def test_noise_by_design_fixes_the_designs():
    study = study_in_memory(**(BASICS | {"noise": Gaussian(np.full((6, 2), 0.5))}))
    for act in (lambda: study.add_designs(["g"]), lambda: study.drop(["a"], reason="x")):
        with pytest.raises(cw.InputError, match="given design by design"):
            act()
    study.change(epsilon=0.2)
    assert study.epsilon == 0.2


@pytest.mark.parametrize("reserve", [-0.1, 1.0, math.nan, "half"])
def test_a_reserve_leaves_something_for_the_beginning(tmp_path, reserve):
    with pytest.raises(cw.InputError, match="reserve"):
        make(tmp_path / "a.db", reserve=reserve)


@pytest.mark.parametrize("note", ["", '{"dropped": [9]}', '{"dropped": [0], "more": 1}'])
def test_a_damaged_change_is_refused(study, note):
    with study.journal.locked():
        study.journal.append([Entry(1, 1.0, "drop", "", "", "", note)])
    with pytest.raises(cw.ConewiseError, match="the journal is damaged near entry 1"):
        study.status()


def test_the_plan_and_the_report_speak_of_what_is_compared(study):
    from conewise.report.subject import as_it_ran, of_study

    study.record(list("abcdef") * 10, np.tile(MEANS * [1, -1], (10, 1)))
    study.drop(["a", "c"], reason="x")
    plan = study.plan(10)
    assert set(plan.designs.tolist()) <= {0, 1, 2, 3}
    subject = of_study(study)
    assert subject.names == ("b", "d", "e", "f")
    assert any("dropped: a, c" in sentence for sentence in subject.sentences)
    assert any("20 evaluations were set aside" in sentence for sentence in subject.sentences)
    assert as_it_ran(study, 2)[-1].result.evaluations == study.result().evaluations
