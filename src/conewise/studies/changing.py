"""The part of a study that writes to its journal, and changes what is asked: designs, objectives, epsilon, the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conewise.border import as_count, as_epsilon, as_number
from conewise.cone.cone import Cone
from conewise.errors import InputError, shown
from conewise.noise import Noise
from conewise.question.objectives import Objective
from conewise.studies.changes import Change, added, with_objective
from conewise.studies.identity import Identity, as_stored
from conewise.studies.ledger import Mark
from conewise.studies.reader import Answer
from conewise.studies.storage.journal import Entry
from conewise.studies.texts import as_flag, as_reason, as_text
from conewise.studies.view import StudyView

Write = Callable[..., None]
"""kind, places, numbers (and worker, note, now): one entry for the journal."""


class ChangingStudy(StudyView):
    """A study that can be written to, as far as its question goes."""

    def add_designs(self, designs: Any, *, reason: str = "", unseen: bool = False) -> tuple[str, ...]:
        """Add designs (names or rows, as for `create`) and return their names; docs/studies says what it costs.

        If they were chosen, or are added now, because of values that the study has, all comparisons start again with
        evaluations that begin from now on; whoever is beaten stays out. With `unseen=True` you promise that no value
        had a part in it: all evaluations count, and the guarantee names the promise.
        """
        reason, unseen = as_text(reason, "reason"), as_flag(unseen, "unseen")
        change = added(designs, self.all_names, self._reader.rows, unseen, reason, self.objectives)
        self._change(change)
        return change.designs

    def drop(self, designs: Sequence[str | int], *, reason: str, unseen: bool = False) -> None:
        """Compare these designs no more: the answer is about those that are left, and all evaluations of them count.

        Designs are named, or given by the numbers in their evaluations' ids. Without `unseen=True`, which promises that
        no value had a part in it, the answer is made safe against a choice by the values, which takes a part of delta.
        """
        reason, unseen = as_reason(reason, "a dropped design"), as_flag(unseen, "unseen")
        dropped = tuple(dict.fromkeys(self._as_designs(designs)))
        if not dropped:
            raise InputError("at least one design to drop was expected, got none.")
        self._change(Change("drop", dropped=dropped, unseen=unseen, reason=reason))

    def change(self, *, epsilon: float | None = None, max_evaluations: int | None = None, reason: str = "") -> None:
        """Ask for another epsilon, or end the study at another number of evaluations in all; everything told counts.

        Another epsilon takes a part of delta once, however often it is changed after that; another limit takes none,
        except a higher one for epsilon = 0.
        """
        if epsilon is None and max_evaluations is None:
            raise InputError("say what to change: epsilon, max_evaluations, or both.")
        reason = as_text(reason, "reason")
        epsilon = None if epsilon is None else as_epsilon(epsilon)
        limit = None if max_evaluations is None else as_count(max_evaluations, "max_evaluations")
        self._change(Change("change", epsilon=epsilon, max_evaluations=limit, reason=reason))

    def add_objective(
        self,
        objective: str | Objective,
        *,
        cone: Cone | None = None,
        noise: Noise | Mapping[str, Any] | None = None,
        values: Mapping[str, float] | None = None,
        reason: str = "",
        unseen: bool = False,
    ) -> None:
        """Ask about one more objective, which every evaluation has from now on; docs/studies says what it costs.

        `cone` and `noise` are those of all objectives from now on; an orthant grows by itself, and so does normal noise
        of which nothing is known; `Objective(noise=...)` is that of the new one, and the others keep theirs. Everybody
        who was not dropped is compared. If the objective, or adding it now, has to do with values that the study has,
        all comparisons start again with evaluations that begin from now on, and a part of delta is taken. With
        `unseen=True` you promise that it has not: earlier evaluations count where the new objective was measured, which
        `values` say by id or, one for all evaluations, by design; a design with an earlier evaluation that lacks it
        begins anew.
        """
        reason, unseen = as_text(reason, "reason"), as_flag(unseen, "unseen")
        self._version.check_changeable()
        taken = {
            *(() if self.blocks is None else (self.blocks.column,)),
            *(c for row in self._reader.rows for c in row),
        }
        change = with_objective(objective, cone, noise, self.question, taken, unseen, reason)
        self._change(change, self._measured(values, unseen))

    def _measured(self, values: Mapping[str, float] | None, unseen: bool) -> dict[Identity, float]:
        """Values of earlier evaluations, by id or for all evaluations of a design."""
        if values is None:
            return {}
        if not isinstance(values, Mapping):
            raise InputError(f"values of earlier evaluations are a mapping by id or by design, got {shown(values)}.")
        if not unseen:
            raise InputError("earlier evaluations count only with the promise that no value had a part in it: unseen.")
        told, designs = self.evaluations(), {name: k for k, name in enumerate(self.all_names)}
        known: dict[str, float] = {}
        for key, given in values.items():
            name = key if key in designs else str(Identity.parse(key))  # an id of an older table is read as well
            amount = as_number(given, f"the value of {key!r:.60}")
            if known.setdefault(name, amount) != amount:
                raise InputError(f"evaluation {name} is given two values, {known[name]:g} and {amount:g}; give one.")
        found = {}
        for design, number in zip(told.design.tolist(), told.number.tolist(), strict=True):
            one = Identity(design, number)
            value = known.get(str(one), known.get(self._reader.names[design]))
            if value is not None:
                found[one] = value
        stray = next((key for key in known if key not in designs and Identity.parse(key) not in found), None)
        if stray is not None:
            raise InputError(f"evaluation {stray} is not told yet: its value will be told with all others.")
        return found

    def _change(self, change: Change, measured: Mapping[Identity, float] | None = None) -> None:
        """Write a change once it is known that the question can be answered after it."""
        found = dict(measured or {})

        def body(write: Write) -> None:
            ledger = self._reader.ledger
            if taken := set(change.designs) & set(self._reader.names):  # somebody else was faster
                raise InputError(f"two designs are called {min(taken)!r}; a name is a design's identity.")
            aside = ledger.lacking(change, found)[1]
            mark = Mark(change, ledger.size, ledger.start.copy(), ledger.through.copy(), aside)
            version = self._reader.after(self._reader.version, mark)
            if version.spent >= 1:
                raise InputError(
                    f"the change would take another part of delta, and {version.spent:g} in all would be no promise; "
                    "make a new study with a smaller delta, or with a `reserve` for changes."
                )
            _ = version.algorithm
            if found:
                rows = [[*ledger.values[ledger.place(one)].tolist(), value] for one, value in found.items()]
                version.specification.as_values(rows, len(rows))
            write(change.kind, list(found), list(found.values()), note=change.to_note())

        with self._reader.guard:
            self._write(body)

    def _refine(self) -> None:
        """Let candidates of a box join, where the rule of the present ones has seen enough: entries of the journal."""
        while True:
            with self._reader.folding():
                change = self._reader.fold.joining()
            if change is None:
                return
            before, note = len(self._reader.ledger.marks), change.to_note()

            def body(write: Write, before: int = before, note: str = note) -> None:
                if len(self._reader.ledger.marks) == before:  # else somebody else was faster
                    write("join", [], [], note=note)

            self._write(body)
            self._reader.up_to_date()

    def note(self, text: str) -> None:
        """Write a remark into the journal."""
        text = as_text(text, "text")
        with self._reader.guard:
            self._write(lambda write: write("note", [], [], note=text))

    # -- the journal -------------------------------------------------------------------------------------------------

    def _write(self, body: Callable[[Write], Answer], durable: bool = True) -> Answer:
        """Hold the lock, know every entry, and append what the body writes; what was written counts once committed.

        When the storage goes away before that, nothing was written, and the body is tried again on what is there then.
        """

        def once() -> Answer:
            written: list[Entry] = []

            def write(
                kind: str,
                places: Sequence[Identity],
                numbers: Sequence[float],
                *,
                worker: str = "",
                note: str = "",
                now: float | None = None,
            ) -> None:
                texts = ",".join(map(repr, numbers))
                moment = self._reader.now() if now is None else now
                seq = self._reader.ledger.seq + 1
                written.append(Entry(seq, moment, kind, worker, as_stored(places), texts, note))

            if self._reader.ledger.seq == 0:
                self._reader.read_on()  # a long journal is first read without keeping others waiting
            with self._reader.journal.locked(durable):
                self._reader.read_on()
                answer = body(write)
                if written:
                    self._reader.journal.append(written)
            self._reader.absorb(written)
            return answer

        return self._reader.patiently(once)
