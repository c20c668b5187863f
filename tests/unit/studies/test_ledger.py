"""The ledger under changes of the question: designs that come later, epochs, marks that keep how far things were."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import conewise as cw
from conewise.studies.changes import Change
from conewise.studies.identity import Identity
from conewise.studies.ledger import ASKED, FREE, Ledger
from conewise.studies.storage.journal import Entry


def entries(*acts):
    """Entries of two designs and one objective: (kind, evaluations) or a change."""
    made = []
    for seq, act in enumerate(acts, 1):
        if isinstance(act, Change):
            made.append(Entry(seq, float(seq), act.kind, "", "", "", act.to_note()))
            continue
        kind, evaluations = act
        count = len(evaluations.split(","))
        numbers = {"tell": ",".join(f"{seq + k / 10!r}" for k in range(count)), "ask": "100.0"}.get(kind, "")
        made.append(Entry(seq, float(seq), kind, "w", evaluations, numbers, ""))
    return made


def folded(*acts):
    ledger = Ledger(2, 1)
    ledger.absorb(entries(*acts))
    return ledger


SEEN = Change("add", ("c",), ({"name": "c"},))
UNSEEN = Change("add", ("c",), ({"name": "c"},), unseen=True)


def test_designs_that_are_added_have_no_evaluations():
    ledger = folded(("tell", "0-0,1-0"), UNSEEN, ("tell", "2-0"))
    assert (ledger.n_designs, ledger.size) == (3, 3)
    assert ledger.through.tolist() == [1, 1, 1]
    assert ledger.start.tolist() == [0, 0, 0]


def test_an_epoch_begins_behind_everything_that_was_handed_out():
    ledger = folded(("ask", "0-0,0-1,1-0"), ("tell", "0-0"), SEEN)
    assert ledger.start.tolist() == ledger.through.tolist() == ledger.fresh.tolist() == [2, 1, 0]
    assert ledger.reopened(1e6) == []  # nobody is handed what is not compared any more


def test_what_is_told_late_of_an_earlier_epoch_is_kept_and_moves_nothing():
    ledger = folded(("ask", "0-0,0-1"), SEEN, ("tell", "0-1,0-0"), ("tell", "0-2"))
    assert ledger.size == 3
    assert ledger.through.tolist() == [3, 0, 0]


def test_a_mark_keeps_how_far_things_were():
    ledger = folded(("tell", "0-0,0-1,1-0"), Change("drop", dropped=(1,), reason="x"), ("tell", "0-2"))
    (mark,) = ledger.marks
    assert (mark.told, mark.through.tolist(), mark.start.tolist()) == (3, [2, 1], [0, 0])
    assert (mark.counts([1]), mark.counts([0, 1])) == (1, 3)


def test_a_withdrawal_shortens_what_a_mark_may_use():
    ledger = folded(("tell", "0-0,0-1,1-0"), SEEN, ("tell", "0-2"), ("withdraw", "0-1"))
    assert ledger.marks[0].through.tolist() == [1, 1]
    assert ledger.through.tolist() == [3, 1, 0]  # the epoch is not touched
    assert ledger.place(Identity(0, 1)) == ASKED
    assert ledger.reopened(0.0) == []


@pytest.mark.parametrize(
    "acts",
    [
        [("tell", "2-0")],
        [UNSEEN, ("tell", "3-0")],
        [Change("drop", dropped=(2,), reason="x")],
    ],
)
def test_designs_that_do_not_exist_are_refused(acts):
    with pytest.raises(cw.ConewiseError, match="the journal is damaged near entry"):
        folded(*acts)


ACTS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["ask", "tell", "withdraw"]), st.integers(0, 2), st.integers(0, 4)),
        st.sampled_from(["seen", "unseen", "drop", "change"]),
    ),
    max_size=40,
)


@given(ACTS, st.lists(st.integers(1, 7), min_size=1, max_size=6))
@settings(max_examples=100)
def test_a_changed_ledger_does_not_depend_on_the_blocks_in_which_it_reads(wanted, sizes):
    told: set[tuple[int, int]] = set()
    acts, designs = [], 2
    for act in wanted:
        if isinstance(act, str):
            name = f"n{len(acts)}"
            added = Change("add", (name,), ({"name": name},), unseen=act == "unseen")
            dropped, other = Change("drop", dropped=(0,), reason="x"), Change("change", epsilon=0.5)
            acts.append({"drop": dropped, "change": other}.get(act, added))
            designs += act in ("seen", "unseen")
            continue
        kind, design, number = act
        if design >= designs or ((design, number) in told) != (kind == "withdraw"):
            continue
        acts.append((kind, f"{design}-{number}"))
        (told.discard if kind == "withdraw" else told.add if kind == "tell" else lambda _: None)((design, number))

    def state(blocks):
        ledger = Ledger(2, 1)
        for block in blocks:
            ledger.absorb(block)
        marks = [(m.change, m.told, m.start.tolist(), m.through.tolist()) for m in ledger.marks]
        arrays = [part.tolist() for part in (ledger.start, ledger.through, ledger.used, ledger.fresh)]
        places = [ledger.place(Identity(d, n)) >= 0 for d in range(ledger.n_designs) for n in range(5)]
        free = [ledger.place(Identity(d, n)) == FREE for d in range(ledger.n_designs) for n in range(5)]
        return ledger.seq, ledger.size, marks, arrays, places, free, sorted(ledger.reopened(1e6))

    made, blocks, start = entries(*acts), [], 0
    while start < len(made):
        size = sizes[len(blocks) % len(sizes)]
        blocks.append(made[start : start + size])
        start += size
    assert state(blocks) == state([[entry] for entry in made]) == state([made])
