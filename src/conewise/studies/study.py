"""Studies: real experiments, told by people and machines, kept in an append-only journal."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Unpack

import numpy as np
from numpy.typing import ArrayLike

from conewise.border import Floats, Indices, as_count, as_floats
from conewise.errors import InputError
from conewise.studies.cells import as_objective, as_told, widened
from conewise.studies.changing import ChangingStudy, Write
from conewise.studies.evaluations import (
    AlreadyTold,
    Batch,
    Evaluation,
    Told,
    as_identities,
    is_same,
    seed_of,
)
from conewise.studies.identity import NEXT, Identity
from conewise.studies.ledger import FOR_ITS_VALUE, FREE, FURTHEST, OUT_OF_RANGE
from conewise.studies.opened import read_records
from conewise.studies.possible import check_known
from conewise.studies.reader import Clock
from conewise.studies.results import Records, as_rows
from conewise.studies.spec import LONGEST_LEASE, Asked, as_lease, specified
from conewise.studies.storage.journal import PATIENCE
from conewise.studies.storage.places import create_journal, open_journal, study_names
from conewise.studies.texts import as_flag, as_label, as_reason, as_text, as_worker
from conewise.studies.view import StudyStatus

__all__ = ["Study", "StudyStatus"]

Handed = Batch | Sequence[Evaluation] | Sequence[str] | Sequence[Identity] | Evaluation | str | Identity
"""What was handed out: a batch or part of it, or the ids alone."""

Record = Mapping[str, Any]
"""An evaluation written down: its id or design, and its objectives."""

_MOST_AT_ONCE: Final = 100_000  # evaluations an ask: an entry stays readable


class Study(ChangingStudy):
    """An experiment in a file or database: ask what to evaluate, tell what came back, from any number of processes.

    >>> import tempfile
    >>> from conewise.noise import Gaussian
    >>> folder = tempfile.TemporaryDirectory()
    >>> study = Study.create(f"{folder.name}/trial.db", designs=["old", "new"], cone="orthant", epsilon=0.5,
    ...                      delta=0.05, noise=Gaussian(0.1), objectives=["yield", "purity"])
    >>> while batch := study.ask(8):
    ...     told = study.tell(batch, [[1.0, 0.9] if e.name == "new" else [0.2, 0.1] for e in batch])
    >>> study.result().names(study.names)
    ['new']
    >>> study.close(); folder.cleanup()
    """

    @classmethod
    def create(
        cls, where: str | Path, *, name: str | None = None, clock: Clock = time.time, **asked: Unpack[Asked]
    ) -> Study:
        """Make a study in a new file (SQLite, on a disk of this machine) or at a postgresql:// address.

        `designs`, `epsilon` and `noise` must be given. The other words have the defaults of `Question.stated`: the
        orthant, delta 0.05, seed 0. A `lease` of 3600 seconds and the algorithm "auto" are the defaults of a study.

        `designs` are names, rows (mappings; "name", "design" or "id" names the design), a frame of pandas, polars or
        pyarrow, a mapping of columns, a number, or a `problems.Box` of settings (docs/features). `objectives` are names
        or `Objective` records. With units, epsilon and certified epsilons count in steps. `levels` are acceptable
        values by name. Values and noise are given in your own units and signs; objectives in `minimise` are turned
        around inside. `options` are those of the algorithm, e.g. {"success": "contain", "max_evaluations": 10000}.
        An evaluation that was handed out and not told within `lease` seconds is handed out again, by the clocks of the
        machines that ask. `reserve` is the part of delta that is kept for changes of the question (`add_designs`,
        `drop`, `change`).

        With `block="question"` an evaluation is a design on a block. Designs are compared on the blocks that both have
        met (docs/blocks). `blocks` are their names or their number; every design meets them in one order, which `seed`
        draws. Averages are over the `population`: "all" these blocks, a number of blocks, or by default an unlimited
        population, of which these are a sample.

        With a `model` of the designs far fewer evaluations are enough. The promise then holds on average over that
        prior (docs/features). The model is `models.Smooth(features)`, or names columns of the designs, as in
        {"kind": "smooth", "features": ["temp", "time"]}; options are `batch` (evaluations asked for at a time),
        `robust`, `confirm`, `seed`. The model of a box may be a text, "smooth".

        With `separate=True` objectives are measured separately. An evaluation is then of one objective of a design
        (`Evaluation.objective`) and has one value. An objective with a `price` is asked for accordingly.
        """
        specification = specified(**asked)
        if name is not None:
            name = as_label(name, "the name of a study")
        return cls(create_journal(where, name, specification.to_json()), clock, specification)

    @classmethod
    def open(
        cls, where: str | Path, *, name: str | None = None, read_only: bool = False, clock: Clock = time.time
    ) -> Study:
        """An existing study; where there are several, `name` says which."""
        journal = open_journal(where, name, read_only)
        try:
            return cls(journal, clock, patience=0.0 if read_only else PATIENCE)  # a reader looks again by itself
        except BaseException:
            journal.close()
            raise

    @staticmethod
    def names_in(where: str | Path) -> list[str]:
        """The names of the studies in a file or database."""
        return study_names(where)

    # -- asking and telling ----------------------------------------------------------------------------------------

    def ask(self, n: int = 1, *, worker: str = "", ahead: bool = True, lease: float | None = None) -> Batch:
        """At most n evaluations to make, yours until they are told or the lease is over.

        Fewer, or none, when the rest of the round is in others' hands; `ahead=True` then adds evaluations of the same
        designs that the next round will probably want. An empty batch with `finished` means that nothing is missing.
        """
        n = min(as_count(n, "n"), _MOST_AT_ONCE)
        seconds = min(self.lease, LONGEST_LEASE) if lease is None else as_lease(lease)
        worker = as_worker(worker)

        def body(write: Write) -> Batch:
            self._reader.advance()
            now = self._reader.now()
            chosen = self._reader.fold.open_evaluations(n, now, ahead)
            if chosen:
                write("ask", chosen, [now + seconds], worker=worker, now=now)
            handed = tuple(self._evaluation(one, now + seconds) for one in chosen)
            return Batch(handed, worker, self._reader.fold.finished)

        with self._reader.guard:
            self._reader.up_to_date()  # outside the lock: others need not wait for what this may take
            self._refine()
            if not self._reader.fold.open_evaluations(1, self._reader.now(), ahead):
                finished = self._reader.fold.finished
                return Batch((), worker, finished)  # whoever asks in vain, again and again, disturbs nobody
            return self._write(body, durable=False)  # without power, an evaluation is handed out again: no harm

    def tell(
        self, batch: Handed | Record | Sequence[Record], values: ArrayLike | None = None, *, worker: str | None = None
    ) -> Told:
        """Store values (n, D), durably and all or none; in any order, late or again.

        Without `values`, `batch` is a record or a list of records: {"id": "d0n3", "yield": 0.5, "purity": 0.9}, or with
        a "design" in the place of the id for values that nobody asked for (as `record` stores them). Where designs
        share blocks, the design and its block are as good as an id: {"design": "A", "question": "q7", ...}. So are the
        design and its "number", as an export has them: an export may be told back, with new rows whose number is empty.
        A frame or a mapping of columns is a list of records. What else a record has is `ignored`, and named in what is
        returned.

        Where objectives are measured separately an evaluation has one value: `values` are n numbers, or mappings such
        as {"yield": 0.5}; a record has one objective, {"id": "d0o1n3", "yield": 0.5}, or with a design any of them.

        What is stored with the same values already, or with these rounded to six or more digits as spreadsheets do, is
        counted and not written. So is what was withdrawn with the same values and not handed out since
        (`Told.withdrawn`): ask for a new measurement again, or `record` it. Other values of a stored evaluation are
        refused.
        """
        if values is None:
            found = read_records(self, as_rows(batch, self.objectives), "record {}".format, as_told)
            if found.skipped:
                raise InputError("every record needs a value, under its objective's name or under 'value'.")
            return self.tell_records(found, worker=worker or "")
        places, _ = self._identities(batch)
        array = self._as_values(values, places)
        if worker is None:
            worker = batch.worker if isinstance(batch, Batch) else ""
        return self._store(places, array, as_worker(worker))

    def tell_records(self, found: Records, *, worker: str = "", once: str | None = None) -> Told:
        """Store what `read_records` has read; all or none. `once` is as in `record`."""
        known_by, worker = "" if once is None else as_label(once, "once"), as_worker(worker)
        with self._reader.guard:
            self._reader.catch_up()
        for values, one, row in zip(found.values, found.places, found.rows, strict=True):
            if any(value != value for value in values) and self._reader.ledger.place(one) < 0:
                raise InputError(f"{row} lacks values, and is not stored yet: a new evaluation has all objectives.")
        try:
            array = self._as_values(found.values, found.places)
            told = self._store(found.places, array, worker, known_by, counted=not found.by_id)
        except AlreadyTold as error:
            raise error if error.row is None else AlreadyTold(f"{found.rows[error.row]}: {error}") from None
        return replace(told, ignored=found.ignored)

    def record(
        self,
        designs: Sequence[str | int],
        values: ArrayLike,
        *,
        objective: str | Sequence[str] | None = None,
        worker: str = "",
        once: str | None = None,
    ) -> Told:
        """Store values of designs (names or indices) that nobody asked for, as their next evaluations.

        Where objectives are measured separately, `objective` names the one that was measured, or one for each design.

        `once` is a text that these values are known by: a second record under it is refused, so that whoever does not
        know whether the first one was heard may try again. Not where designs share blocks: there a value belongs to the
        block that was handed out.
        """
        if self.blocks is not None:
            raise InputError(
                f"a value of this study belongs to a {self.blocks.column}: tell it with one, or by its id."
            )
        chosen = self._streams_of(self._as_designs(designs), objective)
        known_by = "" if once is None else as_label(once, "once")
        places = [one._replace(number=NEXT) for one in chosen]
        return self._store(places, self._as_values(values, places), as_worker(worker), known_by)

    def recorded_as(self, texts: Iterable[str]) -> list[str]:
        """Those of some texts under which values were recorded (`record(..., once=...)`)."""
        with self._reader.guard:
            self._reader.catch_up()
            return [text for text in texts if text in self._reader.ledger.once]

    def fail(self, batch: Handed, reason: str) -> None:
        """Record that evaluations gave no values; they are open again at once, with another seed.

        Of what was told meanwhile, or whose attempt was already recorded as failed, nothing is written; but a value
        outside the range that the noise assumes refutes it, whoever was faster.
        """
        reason = as_text(reason, "reason")
        places, known = self._identities(batch)

        def body(write: Write) -> None:
            failed = []
            for one, evaluation in dict(zip(places, known, strict=True)).items():
                self._check_asked(one)
                attempts = self._reader.ledger.attempts(one)
                open_ = self._reader.ledger.place(one) < 0 and (evaluation is None or evaluation.attempt == attempts)
                if open_ or reason.startswith(OUT_OF_RANGE):
                    failed.append(one)
            if failed:
                write("fail", failed, [], note=reason)

        with self._reader.guard:
            self._write(body)

    def release(self, batch: Handed) -> None:
        """Hand back what will not be evaluated; it is open again at once. What is told, or not handed out, is skipped.

        Given as evaluations, only leases that are still the same are ended; given as ids, whoever's they are.
        """
        places, known = self._identities(batch)

        def body(write: Write) -> None:
            back = []
            for place, evaluation in dict(zip(places, known, strict=True)).items():
                held = self._reader.ledger.leases.get(place)
                if held is None or (evaluation is not None and evaluation.expires != held[0]):
                    continue
                if isinstance(batch, Batch) and batch.worker != held[1]:
                    continue
                back.append(place)
            if back:
                write("release", back, [])

        with self._reader.guard:
            self._write(body)

    def correct(self, evaluation: str | Evaluation, values: ArrayLike, reason: str) -> None:
        """Replace a told value from now on: a new entry in the journal, and every decision is made again with it.

        Correcting to the values that are stored already writes nothing.
        """
        reason = as_reason(reason, "a correction")
        places, _ = self._identities(evaluation)
        if len(places) != 1:
            raise InputError(f"one evaluation is corrected at a time, got {len(places)}.")
        place, array = places[0], self._as_values(values, places)

        def body(write: Write) -> None:
            self._check_width(array)
            self._check_told(places, "correct")
            if not np.array_equal(self._reader.ledger.values[self._reader.ledger.place(place)], array[0]):
                self._check_known([place], array, besides=self._reader.ledger.place(place))
                write("correct", [place], array.ravel().tolist(), note=reason)

        with self._reader.guard:
            self._write(body)

    def withdraw(self, batch: Handed, reason: str, *, for_its_value: bool = False) -> None:
        """Take told values back: they do not count any more, and their evaluations are open again, with another seed.

        The journal keeps the values and the reason. A reason that has nothing to do with how the values look, such as a
        mislabelled sample, leaves the guarantee, which says how many were withdrawn (`status().withdrawn`) and that it
        takes your word for it. Whoever withdraws a value for what it is says so with `for_its_value=True`: no proof
        covers a choice among the values, and the study's answers are not guaranteed from then on.
        """
        reason = as_reason(reason, "a withdrawal")
        reason = FOR_ITS_VALUE + reason if as_flag(for_its_value, "for_its_value") else reason
        places = list(dict.fromkeys(self._identities(batch)[0]))

        def body(write: Write) -> None:
            self._check_told(places, "withdraw")
            if places:
                write("withdraw", places, [], note=reason)

        with self._reader.guard:
            self._write(body)

    # -- inside ------------------------------------------------------------------------------------------------------

    def _store(
        self, given: Sequence[Identity], array: Floats, worker: str, once: str = "", *, counted: bool = False
    ) -> Told:
        """Write what is not stored yet, in one entry; evaluations with the number NEXT are given their numbers.

        With `counted`, a number that nobody handed out has to be the next one of its design.
        """

        def body(write: Write) -> tuple[list[Identity], int, int]:
            if once in self._reader.ledger.once:
                moment = datetime.fromtimestamp(self._reader.ledger.once[once], UTC)
                raise AlreadyTold(
                    f"these values were recorded on {moment:%d %B %Y, %H:%M} UTC already; nothing was written."
                )
            self._check_width(array)
            places = list(given)
            fresh = [i for i, one in enumerate(places) if one.number == NEXT]
            named = {i: one for i, one in enumerate(places) if one.number != NEXT}
            new = self._not_yet_told(named, array)
            if counted:
                self._check_next([places[i] for i in new])
            told = {places[i] for i in new}
            withdrawn = sum(one not in told and self._reader.ledger.place(one) < 0 for one in named.values())
            following = self._next_numbers([places[i] for i in fresh], set(named.values()))
            for i, one in zip(fresh, following, strict=True):
                places[i] = one
            new = sorted(new + fresh)
            self._check_known([places[i] for i in new], array[new])
            if new:
                write("tell", [places[i] for i in new], array[new].ravel().tolist(), worker=worker, note=once)
            return places, len(new), withdrawn

        with self._reader.guard:
            places, stored, withdrawn = self._write(body)
            self._reader.repeated += len(places) - stored
        return Told(tuple(map(str, places)), stored, len(places) - stored, withdrawn=withdrawn)

    def _identities(self, batch: Any) -> tuple[list[Identity], list[Evaluation | None]]:
        """Which evaluations are meant, and those that were given whole; refused where a design does not exist."""
        places, known = as_identities(batch)
        with self._reader.guard:
            if any(place.design >= self._reader.ledger.n_designs for place in places):
                self._reader.catch_up()  # somebody may have added it
            for place in places:
                place.of_study(self._reader.ledger.n_designs, self.dim if self.separate else None)
        return places, known

    def _evaluation(self, identity: Identity, expires: float) -> Evaluation:
        attempt = self._reader.ledger.attempts(identity)
        return Evaluation(
            identity,
            self._reader.names[identity.design],
            dict(self._reader.rows[identity.design]),
            seed_of(self.seed, identity.design, identity.number, attempt, identity.objective),
            attempt,
            expires,
            None if self.blocks is None else self.blocks.names[identity.number],
            None if identity.objective is None else self.objectives[identity.objective],
        )

    def _as_values(self, values: Any, places: Sequence[Identity]) -> Floats:
        """Check values and return one row an evaluation: of all objectives, or of the one that each is about."""
        specification = self._version.specification
        if specification.separate:
            return specification.as_cells(values, [place.objective or 0 for place in places])
        array, ledger = as_floats(values, "values"), self._reader.ledger
        if array.shape != (len(places), specification.dim) or not np.isnan(array).any():
            return specification.as_values(values, len(places))
        told = np.array([place.number != NEXT and ledger.place(place) >= 0 for place in places], dtype=bool)
        array, gaps = array.copy(), told & np.isnan(array).any(axis=1)
        array[~gaps] = specification.as_values(array[~gaps], int((~gaps).sum()))
        return array  # what was told before an objective was added lacks its value; others are compared, and refused

    def _streams_of(self, designs: Sequence[int], objective: str | Sequence[str] | None) -> list[Identity]:
        """The first evaluation of each of these designs, and of the objective that is named for it."""
        if not self.separate:
            if objective is not None:
                raise InputError("an evaluation of this study has all objectives: leave `objective` out.")
            return [Identity(design, 0) for design in designs]
        if objective is None:
            raise InputError("in this study each objective is measured by itself: say which, `objective`.")
        named = [objective] * len(designs) if isinstance(objective, str) else list(objective)
        if len(named) != len(designs):
            raise InputError(f"one objective for each of {len(designs)} designs was expected, got {len(named)}.")
        places = [as_objective(name, self.objectives) for name in named]
        return [Identity(design, 0, place) for design, place in zip(designs, places, strict=True)]

    def _not_yet_told(self, places: Mapping[int, Identity], array: Floats) -> list[int]:
        """Return the rows that are new; the rest must be stored, or stand in an earlier row, with the same values."""
        ledger = self._reader.ledger
        new: dict[Identity, int] = {}
        for i, one in places.items():
            place = ledger.place(one)
            if place < 0 and one not in new:
                if any(is_same(array[i], gone) for gone in ledger.discarded.get(one, ())):
                    continue  # values that were withdrawn, told again
                self._check_number(one)
                new[one] = i
                continue
            stored = ledger.values[place] if place >= 0 else array[new[one]]
            first = ledger.originals.get(one, stored)
            if not (is_same(array[i], stored) or is_same(array[i], first)):
                raise AlreadyTold(
                    f"evaluation {self._named(one)} is stored as {stored.tolist()} and was now told as "
                    f"{array[i].tolist()}; use `correct` (conewise study correct STUDY {one} "
                    f"{' '.join(map(repr, array[i].tolist()))}) if the stored values are wrong, or `record`, without "
                    "id or number, if these are of another measurement. Nothing was written.",
                    i,
                )
        return list(new.values())

    def _check_next(self, places: Iterable[Identity]) -> None:
        """Refuse numbers that leave others out: such values would wait for evaluations which nobody makes."""
        ledger, following = self._reader.ledger, dict[int, int]()
        for one in sorted(place for place in places if ledger.place(place) == FREE):
            stream = ledger.stream_of(one)
            wanted = following.get(stream, int(ledger.fresh[stream]))
            if one.number != wanted:
                raise InputError(
                    f"evaluation {self._named(one)} has the number {one.number}, but the next new one of this design "
                    f"is {wanted}: `number` counts the evaluations of a design from 0, as an export does. Leave it "
                    "empty for new measurements, or rename the column if it means something else. Nothing was written."
                )
            following[stream] = ledger.next_fresh(stream, wanted + 1)

    def _check_number(self, identity: Identity) -> None:
        if self.blocks is not None and self._reader.ledger.place(identity) == FREE:
            raise InputError(f"evaluation {self._named(identity)} was never handed out; ask for it first.")
        if identity.number > self._reader.ledger.used[self._reader.ledger.stream_of(identity)] + FURTHEST:
            raise InputError(
                f"evaluation {identity} is far beyond any that was handed out; use `record` for values that nobody "
                "asked for."
            )

    def _check_width(self, array: Floats) -> None:
        if array.shape[1] != self._reader.ledger.width:  # somebody else was faster
            raise InputError(f"an objective was added to this study: it has {', '.join(self.objectives)} now.")

    def _check_known(self, places: Sequence[Identity], array: Floats, besides: int | None = None) -> None:
        """Refuse another value of an objective without noise than a design has; `besides` is what will be replaced."""
        ledger = self._reader.ledger

        def by_design(streams: Indices, values: Floats) -> tuple[Indices, Floats]:
            return streams // ledger.parts, widened(streams, values, self.dim) if self.separate else values

        def before() -> tuple[Indices, Floats]:
            told = np.arange(ledger.size) if besides is None else np.delete(np.arange(ledger.size), besides)
            return by_design(ledger.stream[told], ledger.values[told])

        mine = np.array([ledger.stream_of(place) for place in places], dtype=np.intp)
        check_known(self.noise, self._reader.names, self.objectives, before, *by_design(mine, array))

    def _check_asked(self, identity: Identity) -> None:
        if self._reader.ledger.place(identity) == FREE:
            raise InputError(f"evaluation {identity} was never handed out, so it cannot have failed.")

    def _check_told(self, places: Sequence[Identity], act: str) -> None:
        early = next((place for place in places if self._reader.ledger.place(place) < 0), None)
        if early is not None:
            raise InputError(f"evaluation {early} is not told yet, so there is nothing to {act}.")

    def _next_numbers(self, chosen: Sequence[Identity], taken: Collection[Identity]) -> list[Identity]:
        """Return the next numbers of these streams, in order, that are not told, `taken` or in someone's hands."""
        ledger = self._reader.ledger
        reopened: dict[int, list[Identity]] = {}
        for one in sorted(set(ledger.reopened(self._reader.now())).difference(taken), reverse=True):
            reopened.setdefault(ledger.stream_of(one), []).append(one)
        fresh: dict[int, int] = {}
        places = []
        for stream in map(ledger.stream_of, chosen):
            following = fresh.get(stream, int(ledger.fresh[stream]))
            while ledger.identity(stream, following) in taken:
                following = ledger.next_fresh(stream, following + 1)
            again = reopened.get(stream)
            if again and again[-1].number < following:
                places.append(again.pop())
            else:
                places.append(ledger.identity(stream, following))
                fresh[stream] = ledger.next_fresh(stream, following + 1)
        return places
