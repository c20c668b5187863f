"""One suite for every storage of studies: what is written stays, in its order, all or nothing, whoever else writes."""

from __future__ import annotations

import contextlib
from abc import abstractmethod
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
import pytest

from conewise.data.observations import Observations
from conewise.errors import ConewiseError
from conewise.noise import Gaussian
from conewise.rules.contract import Result
from conewise.studies.evaluations import Evaluation, seed_of
from conewise.studies.spec import Specification, specified
from conewise.studies.storage.journal import Entry, Journal
from conewise.studies.study import Study

_MEANS: Final = np.array([[1.0, 0.2], [0.2, 1.0], [0.5, 0.5], [0.7, 0.7]])
_SIGMA: Final = 0.5
_WORKERS: Final = 4


class StorageContract:
    """Inherit it and say how a journal is made and opened; `where` is a fixture with an empty place for studies.

    Whatever else a storage promises (that it outlives a killed process, or a full disk) is for tests of its own.
    """

    header: ClassVar[str] = '{"any": "text"}'

    @abstractmethod
    def create(self, where: Any, name: str, header: str) -> Journal:
        """A new journal of that name in this place."""

    @abstractmethod
    def open(self, where: Any, name: str, read_only: bool = False) -> Journal:
        """The journal of that name, once more: as another process would open it."""

    @pytest.fixture
    def where(self, tmp_path: Path) -> Any:
        """An empty place for studies."""
        return tmp_path / "trial"

    # -- the journal itself ----------------------------------------------------------------------------------------

    def test_entries_come_back_in_order_and_unchanged(self, where: Any) -> None:
        """Any text, every float, and reading on from any entry; also for whoever opens it later."""
        journal = self.create(where, "s", self.header)
        texts = ["", "plain", "' ; DROP TABLE x --", "%s :a $1 ? äöü 漢字"]
        entries = [entry(n, note=text) for n, text in enumerate(texts, 1)]
        numbers = "0.1,1e-300,-5e-324,1.7976931348623157e+308"
        entries.append(Entry(5, 1.5, "tell", "w' OR 1=1", "3-0,4-0", numbers, ""))
        with journal.locked():
            journal.append(entries[:2])
            journal.append(entries[2:])
        assert everything(journal) == entries
        assert everything(journal, after=3) == entries[3:]
        assert everything(journal, after=5) == []
        journal.close()
        again = self.open(where, "s", read_only=True)
        assert (again.name, again.header, everything(again)) == ("s", self.header, entries)
        again.close()
        again.close()

    def test_an_error_leaves_nothing_behind(self, where: Any) -> None:
        """Not even an interruption from the keyboard."""
        journal = self.create(where, "s", self.header)
        other = self.open(where, "s")
        with contextlib.suppress(KeyboardInterrupt), journal.locked():
            journal.append([entry(1)])
            raise KeyboardInterrupt
        assert everything(journal) == everything(other) == []
        with other.locked():
            other.append([entry(1, note="the next one may have the place")])
        assert [found.note for found in everything(journal)] == ["the next one may have the place"]
        journal.close()
        other.close()

    def test_a_place_in_the_journal_is_taken_once(self, where: Any) -> None:
        """And where one entry is refused, nothing of its transaction is written."""
        journal = self.create(where, "s", self.header)
        with journal.locked():
            journal.append([entry(1, note="first")])
        with pytest.raises(ConewiseError), journal.locked():
            journal.append([entry(2), entry(1, note="second")])
        assert [found.note for found in everything(journal)] == ["first"]
        journal.close()

    def test_entries_that_leave_a_gap_are_refused(self, where: Any) -> None:
        """Places count 1, 2, 3, ..."""
        journal = self.create(where, "s", self.header)
        with pytest.raises(ConewiseError), journal.locked():
            journal.append([entry(2)])
        assert everything(journal) == []
        journal.close()

    def test_a_journal_that_was_opened_to_be_read_is_not_written_to(self, where: Any) -> None:
        """It sees what others write."""
        journal = self.create(where, "s", self.header)
        reader = self.open(where, "s", read_only=True)
        with pytest.raises(ConewiseError), reader.locked():
            reader.append([entry(1)])
        with journal.locked():
            journal.append([entry(1)])
        assert everything(reader) == [entry(1)]
        journal.close()
        reader.close()

    # -- studies on it ---------------------------------------------------------------------------------------------

    def test_a_study_is_the_plain_loop(self, where: Any) -> None:
        """The same values without a storage give the same answer, and so does the journal when it is read again."""
        asked = question()
        study = Study(self.create(where, "s", asked.to_json()))
        finish(study, 7)
        expected = reference(asked)
        assert same(study.result(), expected)
        study.close()
        again = Study(self.open(where, "s", read_only=True))
        assert again.finished
        assert same(again.result(), expected)
        again.close()

    def test_two_objects_never_hand_out_the_same_evaluation(self, where: Any) -> None:
        """Each reads what the other has written before it hands anything out."""
        first = Study(self.create(where, "s", question().to_json()))
        second = Study(self.open(where, "s"))
        batches = [study.ask(1, ahead=False) for _ in range(2) for study in (first, second)]
        handed = [name for batch in batches for name in batch.ids]
        assert len(handed) == len(set(handed)) == len(_MEANS)  # the first round: every design once
        assert not first.ask(1, ahead=False)
        assert second.tell(batches[0], [value_of(one) for one in batches[0]]).stored == 1  # whoever tells
        assert first.status().in_flight == second.status().in_flight == len(_MEANS) - 1
        first.close()
        second.close()

    def test_many_at_once_are_as_good_as_one(self, where: Any) -> None:
        """Every evaluation is stored once, and the answer is that of the plain loop."""
        asked = question()
        self.create(where, "s", asked.to_json()).close()

        def work(number: int) -> int:
            study = Study(self.open(where, "s"))
            stored = finish(study, 3, worker=f"w{number}")
            study.close()
            return stored

        with ThreadPoolExecutor(_WORKERS) as pool:
            stored = sum(pool.map(work, range(_WORKERS)))
        study = Study(self.open(where, "s", read_only=True))
        assert study.status().evaluations == stored
        assert same(study.result(), reference(asked))
        study.close()


# -- studies with known values ---------------------------------------------------------------------------------------


def entry(seq: int, note: str = "") -> Entry:
    """An entry that says nothing but a note."""
    return Entry(seq, 1.5, "note", "", "", "", note)


def everything(journal: Journal, after: int = 0) -> list[Entry]:
    """All entries from a place on; never bare rows."""
    entries = [found for block in journal.read(after) for found in block]
    assert all(isinstance(found, Entry) for found in entries)
    return entries


def question() -> Specification:
    """What the studies ask."""
    return specified(
        designs=["a", "b", "c", "d"],
        epsilon=0.4,
        noise=Gaussian(_SIGMA),
        objectives=["gain", "cost"],
        minimise=["cost"],
        seed=7,
    )


def value_of(evaluation: Evaluation) -> list[float]:
    """An evaluation's values, which depend on nothing but its design and its seed."""
    return _value(evaluation.design, evaluation.seed)


def _value(design: int, seed: int) -> list[float]:
    found: list[float] = (_MEANS[design] + np.random.default_rng(seed).normal(size=2) * _SIGMA).tolist()
    return found


def finish(study: Study, n: int, worker: str = "") -> int:
    """Evaluate what is asked for until nothing is; how many evaluations were stored."""
    stored = 0
    while not (batch := study.ask(n, worker=worker)).finished:
        if batch:
            stored += study.tell(batch, [value_of(one) for one in batch]).stored
    return stored


def reference(asked: Specification) -> Result:
    """The plain loop over the algorithm, with the same value for each design and number."""
    algorithm, counts = asked.build(), [0] * len(_MEANS)
    state = algorithm.start()
    while (pulls := algorithm.ask(state)).total:
        designs, values = np.repeat(pulls.designs, pulls.counts).tolist(), []
        for design in designs:
            values.append(_value(design, seed_of(asked.seed, design, counts[design], 0)))
            counts[design] += 1
        state = algorithm.tell(state, Observations.single(designs, np.array(values) * asked.question.signs))
    return algorithm.recommend(state)


def same(first: Result, second: Result) -> bool:
    """Whether two answers say the same, bit by bit."""
    return (
        first.status.tolist() == second.status.tolist()
        and first.counts.tolist() == second.counts.tolist()
        and first.means.tobytes() == second.means.tobytes()
        and first.certified_epsilon == second.certified_epsilon
        and str(first.guarantee) == str(second.guarantee)
    )
