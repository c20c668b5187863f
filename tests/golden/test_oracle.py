"""Compare what is answered with what version 0.2 answered, and check that no promise is broken.

A record whose answer has changed on purpose holds the places that differ (`now`) and the reason (`because`).
`tests/golden/make_oracle.py` has made the files.
"""

from __future__ import annotations

import contextlib
import tempfile

import numpy as np
import pytest
from shared.oracle import analysed, answered, changed, furnish, prefixes, printed, read, refused

import conewise as cw

COMMANDS, REFUSALS, STATES, STUDIES = map(
    read, ("commands.jsonl", "refusals.jsonl", "states.jsonl.gz", "studies.jsonl.gz")
)
NEAR = 1e-9


@pytest.fixture(scope="module", autouse=True)
def _furnished():
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        furnish()
        yield


def compare(record, answer):
    """Check that an answer is that of 0.2, but for the differences that the record explains."""
    assert changed(record.get("now", {}), changed(record["answer"], answer)) == {}
    assert bool(record.get("now")) == bool(record.get("because"))


@pytest.mark.parametrize("record", COMMANDS, ids=lambda record: record["command"])
def test_a_command_that_does_not_adapt_prints_what_it_printed(record):
    compare(record, printed(record))


@pytest.mark.parametrize("record", REFUSALS, ids=lambda record: record["request"])
def test_what_was_refused_is_refused_with_the_same_sentence(record):
    sentence = refused(record)
    assert record["names"] in sentence
    compare(record, sentence)


def broken(answer, truth, cone, epsilon, levels=None):
    """Return the claims of an answer that the true means contradict, in words; `truth` has a mean for each design."""
    names, columns = list(answer["designs"]), zip(*answer["designs"].values(), strict=True)
    status, _, certain, returned = (np.array(column) for column in columns)
    means, front = np.array([truth[name] for name in names]), np.zeros(len(names), dtype=bool)
    missing = np.zeros(len(names)) if levels is None else (np.array(levels) - means).max(axis=1)
    acceptable = np.flatnonzero(missing <= NEAR)
    if acceptable.size:
        front[acceptable] = cw.pareto_mask(means[acceptable], cone)
    claims = {
        "a Pareto design is beaten": front & (status == "beaten"),
        "a design that is certainly Pareto optimal is not": ~front & certain,
        "an acceptable design misses a level": (missing < -NEAR) & (status == "misses a level"),
    }
    if levels is None:
        gaps = cw.cover_gaps(means, cone)[:, returned].min(axis=1, initial=np.inf)
        claims["a covered design is not covered"] = (status == "covered") & (gaps > epsilon + NEAR)
        far = cw.suboptimality_gaps(means, cone) > epsilon + NEAR
        claims["a kept design is too far from being Pareto optimal"] = (status == "kept") & far
    if answer["certified_epsilon"] is not None:
        verdict = cw.verdict(returned, means, cone, answer["certified_epsilon"] + NEAR, levels=levels)
        claims["the returned set is worse than certified"] = np.array([not verdict.success])
    return [claim for claim, wrong in claims.items() if wrong.any()]


def contradictions(first, second):
    """Return the designs that one answer calls beaten and the other one certainly Pareto optimal."""
    return [
        name
        for one, other in ((first, second), (second, first))
        for name, (status, *_) in one["designs"].items()
        if status == "beaten" and other["designs"].get(name, (None, None, False))[2]
    ]


def test_claims_that_are_not_true_are_noticed():
    cone, truth = cw.Cone.orthant(2), {"a": (0, 2), "b": (2, 0), "c": (1, -1)}
    honest = {"a": ["kept", None, True, True], "b": ["kept", None, False, True], "c": ["beaten", "b", False, False]}
    lies = {
        "a Pareto design is beaten": {"a": ["beaten", "b", False, True]},
        "a design that is certainly Pareto optimal is not": {"c": ["beaten", "b", True, False]},
        "a covered design is not covered": {"c": ["covered", "a", False, False], "b": ["covered", "a", False, False]},
        "a kept design is too far from being Pareto optimal": {"c": ["kept", None, False, True]},
        "the returned set is worse than certified": {"b": ["undecided", None, False, False]},
    }
    assert broken({"designs": honest, "certified_epsilon": 0.5}, truth, cone, 0.5) == []
    for claim, lie in lies.items():
        assert claim in broken({"designs": honest | lie, "certified_epsilon": 0.5}, truth, cone, 0.5)
    lie = {"c": ["misses a level", None, False, False]}
    assert broken({"designs": honest | lie, "certified_epsilon": None}, truth, cone, 0.5, [-1, -2]) != []
    told = {"designs": honest, "certified_epsilon": 0.5}
    assert contradictions(told, {"designs": honest | lies["a Pareto design is beaten"]}) == ["a"]


# -- states --------------------------------------------------------------------------------------------------------


def of_state(state):
    """Return the true means, the averages, the levels and the cone of a state, larger is better."""
    signs = np.array([1 if objective["goal"] == "max" else -1 for objective in state["objectives"]])
    averages = np.array(state["values"]).mean(axis=1) * signs
    stated = [objective.get("level") for objective in state["objectives"]]
    levels = [-np.inf if level is None else level * sign for level, sign in zip(stated, signs, strict=True)]
    truth = {f"d{k}": mean for k, mean in enumerate(state["truth"])}
    return (
        truth,
        averages,
        (None if stated.count(None) == len(stated) else levels),
        cw.Cone.parse(state["words"]["cone"]),
    )


@pytest.mark.parametrize("state", STATES, ids=lambda state: f"{state['kind']} {state['words']['epsilon']:g}")
def test_claims_about_a_table_are_those_of_before_and_true(state):
    answer, (truth, averages, levels, cone) = analysed(state), of_state(state)
    for each in (answer, state["answer"]):
        assert broken(each, truth, cone, state["words"]["epsilon"], levels) == []
        gaps, place = cw.cover_gaps(averages, cone), {name: k for k, name in enumerate(each["designs"])}
        for name, (status, by, _, _) in each["designs"].items():
            if by is not None:
                assert gaps[place[name], place[by]] <= (state["words"]["epsilon"] if status == "covered" else 0) + NEAR
    assert contradictions(answer, state["answer"]) == []
    compare(state, answer)


# -- studies -------------------------------------------------------------------------------------------------------

LEVELS = {"levels": [0.4, 0.15]}
REOPENED = {
    "bounded": "designs with bounded values are compared by bets on paired differences now",
    "contain": "a pilot shares delta by fewer weights, and no longer says when delta is spent",
    "mixed": "bounded values of mixed noise pay for the squares around earlier averages by a bound",
}
"""Studies that 0.2 had finished and in which designs are undecided now, with the reason."""


@pytest.mark.parametrize("record", STUDIES, ids=lambda record: record["study"])
def test_a_study_of_before_opens_at_every_entry_and_promises_what_is_true(record):
    cone, levels = cw.Cone.parse(record["cone"]), LEVELS.get(record["study"])
    for path, before in zip(prefixes(record), record["answers"], strict=True):
        now = answered(path)
        assert list(now["designs"]) == list(before["designs"])
        assert (now["evaluations"], now["epsilon"]) == (before["evaluations"], before["epsilon"])
        for answer in (now, before):
            assert broken(answer, record["truth"], cone, answer["epsilon"], levels) == []
        assert contradictions(now, before) == []
        undecided = any(claim[0] == "undecided" for claim in now["designs"].values())
        assert (before["finished"] and undecided) <= (record["study"] in REOPENED)
    assert now["certified_epsilon"] is not None
    if record["study"] == "contain" and before["finished"]:  # elsewhere one design may stand for another one
        kept = [{name for name, claim in answer["designs"].items() if claim[3]} for answer in (now, before)]
        assert kept[0] == kept[1] or not now["finished"]


@pytest.mark.parametrize("record", STUDIES, ids=lambda record: record["study"])
def test_a_study_of_before_goes_on(record):
    path = next(prefixes(record))
    with cw.Study.open(path, clock=lambda: 1e9) as study:
        before = study.evaluations()
        batch = study.ask(5)
        again = [before.values[np.argmax(before.design == one.design)] for one in batch]
        study.tell(batch, [value[~np.isnan(value)] for value in again] if study.separate else again)
        assert len(study.evaluations()) == len(before) + len(batch) > len(before)
