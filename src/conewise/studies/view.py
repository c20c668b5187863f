"""The half of a study that only reads: where it stands, and what the answer is."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from conewise.analysis.guesses import Guess, block_prices, later_prices, standard_errors
from conewise.analysis.oddities import Remark
from conewise.border import Floats, advisory, as_count
from conewise.certificate.streams import Separately
from conewise.data.observations import Observations, Pulls, Statistics
from conewise.rules import Result
from conewise.studies.cells import apart, widened
from conewise.studies.evaluations import Evaluations, Integers, Lease
from conewise.studies.opened import OpenedStudy
from conewise.studies.remarks import Values, remarks, units_lacking
from conewise.studies.storage.journal import Entry
from conewise.studies.versions import CHANGEABLE

_NAMES_SEARCHED: Final = 10_000  # for the one that was meant


@dataclass(frozen=True, eq=False)
class StudyStatus:
    """Where a study stands."""

    name: str
    n_designs: int
    evaluations: int
    """Told."""
    in_flight: int
    """Handed out, not told, their lease running."""
    expired: int
    """Handed out, not told, their lease over: open again."""
    failed: int
    """Evaluations that have failed and are not told."""
    failures: int
    """Failures recorded in all."""
    corrected: int
    withdrawn: int
    """Values withdrawn in all; what was told again since counts all the same."""
    waiting: int
    """Told, and not yet used by a finished round."""
    aside: int
    """Told, and not compared any more: of designs that were dropped, or before others were added."""
    repeated: int
    """Tells through this very object of what was stored already."""
    finished: bool
    remaining: int | None
    """About how many evaluations are missing; None where nobody can say."""
    at_least: bool
    """Whether more may be missing: some designs have too few evaluations to be compared."""
    result: Result
    repetitions: Integers | None = None
    """(K, D): how often each objective of each design was measured, where these are measured separately."""
    cost: float | None = None
    """What all that was told has cost, by the prices of designs and objectives; None where there are none."""

    @property
    def certified_epsilon(self) -> float | None:
        """The smallest epsilon that the data certify; None while there is none."""
        return self.result.certified_epsilon


class StudyView(OpenedStudy):
    """What can be asked of a study without writing: every question reads what is new in its journal first."""

    @property
    def finished(self) -> bool:
        """Whether the algorithm has seen enough; looks at the journal, and makes no Result."""
        with self._reader.guard:
            self._reader.up_to_date()
            return self._reader.fold.finished

    def result(self) -> Result:
        """The answer so far: of the finished rounds when the study is finished, of all gap-free data before."""
        with self._reader.guard:
            self._reader.up_to_date()
            with self._reader.folding():
                return self._result()

    def _result(self) -> Result:
        return self._reader.fold.result().answering(self.question, self.names)

    def plan(self, n: int = 20) -> Pulls:
        """At most n further evaluations that are worth most, judged by the data as they are."""
        n = as_count(n, "n")
        with self._reader.guard:
            self._reader.up_to_date()
            with self._reader.folding():
                return self._reader.fold.plan(n)

    def status(self) -> StudyStatus:
        """Where the study stands, with the answer so far."""
        with self._reader.guard:
            self._reader.up_to_date()
            ledger, now = self._reader.ledger, self._reader.now()
            expired = sum(1 for expires, _ in ledger.leases.values() if expires <= now)
            with self._reader.folding():
                result, remaining = self._result(), self._reader.fold.remaining()
            place, start = self.streams()
            stream, number = ledger.stream[: ledger.size], ledger.number[: ledger.size]
            aside = int(((place[stream] < 0) | (number < start[stream])).sum())
            return StudyStatus(
                self.name,
                self.n_designs,
                evaluations=ledger.size,
                in_flight=len(ledger.leases) - expired,
                expired=expired,
                failed=sum(1 for identity in ledger.failures if ledger.place(identity) < 0),
                failures=ledger.failed,
                corrected=len(ledger.originals),
                withdrawn=ledger.withdrawn,
                waiting=ledger.size - aside - self._reader.fold.used,
                aside=aside,
                repeated=self._reader.repeated,
                finished=self._reader.fold.finished,
                remaining=remaining,
                at_least=self._reader.fold.at_least(),
                result=result,
                repetitions=self._repetitions() if self.separate else None,
                cost=self._cost(),
            )

    def _repetitions(self) -> Integers:
        """(K, D): how often each objective of each design that is compared was told."""
        ledger = self._reader.ledger
        told = np.bincount(ledger.stream[: ledger.size], minlength=len(ledger.start)).astype(np.int64)
        return np.asarray(told.reshape(ledger.n_designs, ledger.parts)[list(self._version.designs)])

    def _cost(self) -> float | None:
        """What was told, by the prices."""
        ledger, prices = self._reader.ledger, self._version.specification.prices
        return None if prices is None else float(prices.ravel()[ledger.stream[: ledger.size]].sum())

    def guess(self) -> Guess:
        """What the averages say, without a guarantee: Pareto set, standard errors, and what other epsilons take."""
        with self._reader.guard:
            statistics = self._statistics()
            open_ = not self._reader.fold.finished and self.algorithm in CHANGEABLE
            read = self._reader.fold.live() if open_ and self.blocks is not None else None
        over = None if self.blocks is None else self.blocks.population
        if not open_ or isinstance(statistics, Separately):
            return Guess.of(self.question, statistics, population=over)
        priced = later_prices(self.question, statistics) if read is None else block_prices(self.rule(), read)
        return Guess.of(self.question, statistics, priced, over)

    def standard_errors(self) -> Floats:
        """(K, D): of the answer's averages, in the user's units; NaN where it has fewer than two."""
        with self._reader.guard:
            statistics = self._statistics(answered=True)
        return standard_errors(statistics, self.question.columns.units)

    def _statistics(self, *, answered: bool = False) -> Statistics | Separately:
        """Of all gap-free data, in steps; or of those evaluations only that the answer rests on."""
        self._reader.up_to_date()
        ledger, fold = self._reader.ledger, self._reader.fold
        through = fold.consumed if answered and fold.finished else ledger.through
        place, start = self.streams()
        stream, number = ledger.stream[: ledger.size], ledger.number[: ledger.size]
        counted = (place[stream] >= 0) & (number >= start[stream]) & (number < through[stream])
        values = ledger.values[: ledger.size][counted]
        if self.separate:
            return apart(place[stream[counted]], values, self.question.columns, len(self._version.designs))
        found = Observations.single(place[stream[counted]], self.question.columns.steps(values))
        statistics = Statistics.empty(len(self._version.designs), self.dim)
        return statistics.add(found) if len(found) else statistics

    def plot(self, **options: Any) -> Any:
        """The answer so far as a picture (extra `plot`); options as in `report.pictures.plot_result`."""
        return self.result().plot(**options)

    def leases(self) -> list[Lease]:
        """What is in whose hands, expired leases left out."""
        with self._reader.guard:
            self._reader.catch_up()
            now = self._reader.now()
            held = sorted((one, *lease) for one, lease in self._reader.ledger.leases.items() if lease[0] > now)
            return [Lease(str(one), worker, expires) for one, expires, worker in held]

    def log(self, last: int | None = None) -> list[Entry]:
        """The journal as it was written, oldest entry first; the last so many entries, or all."""
        if last is not None:
            last = as_count(last, "last")
        with self._reader.guard:
            self._reader.catch_up()
            after = 0 if last is None else max(0, self._reader.ledger.seq - last)
            with closing(self._reader.journal.read(after)) as blocks:
                return [entry for block in blocks for entry in block]

    def evaluations(self) -> Evaluations:
        """Every told evaluation, by design and number."""
        with self._reader.guard:
            self._reader.catch_up()
            ledger = self._reader.ledger
            order = np.lexsort((ledger.number[: ledger.size], ledger.stream[: ledger.size]))
            stream, number, values = ledger.stream[order], ledger.number[order], ledger.values[order]
            pairs = zip(stream.tolist(), number.tolist(), strict=True)
            corrected = np.array(
                [ledger.identity(*one) in ledger.originals for one in pairs]
                if ledger.originals
                else np.zeros(len(order)),
                dtype=bool,
            )
            design = stream // ledger.parts
            return Evaluations(
                design,
                number,
                widened(stream, values, self.dim) if self.separate else values,
                ledger.told_at[order],
                corrected,
                [self._reader.names[d] for d in design.tolist()],
                [ledger.workers[code] for code in ledger.told_by[order].tolist()],
                self.objectives,
                self.blocks,
                stream % ledger.parts if self.separate else None,
            )

    def warnings(self, designs: Iterable[int] | None = None) -> tuple[Remark, ...]:
        """What is odd about the values: two-valued objectives, values that never vary, values far from all others.

        Also objectives of very different spread that the cone, or epsilon, weighs in one measure.

        A value that is far from all others of its design is named by its id, so that it can be corrected or withdrawn
        if it was recorded wrongly. With `designs`, only what is odd about these. Cost: one pass over the evaluations.
        """
        with self._reader.guard:
            self._reader.catch_up()
            ledger = self._reader.ledger
            whole = np.flatnonzero(~np.isnan(ledger.values[: ledger.size, -1]))  # others lack what was added since
            stream, number, values = ledger.stream[whole], ledger.number[whole], ledger.values[whole]
        told = Values(stream, number, values, self.all_names, self.question, self.separate)
        with advisory():
            if designs is not None:
                return remarks(told, np.isin(np.arange(len(self.all_names)), list(designs)))
            return (*remarks(told), *units_lacking(self.question, self.result()))
        return ()

    def export(self, path: str | Path, *, force: bool = False) -> int:
        """Write every told evaluation to a table (.csv, .tsv, .json, .jsonl, .parquet), whole or not at all.

        Returns how many they are. An existing file is refused, or replaced with `force`; the study's own never.
        """
        from conewise.studies.export import write_table

        own = () if "://" in self.place else (self.place,)
        return write_table(Path(path), self.evaluations(), self.objectives, inputs=own, force=force)

    def streams(self) -> tuple[Integers, Integers]:
        """For each design that there ever was: its place among those that are compared (or -1), and from which number.

        The answer is about these evaluations alone. Where objectives are measured separately, for each objective of
        each design, design after design.
        """
        ledger = self._reader.ledger
        compared = ledger.streams(self._version.designs)
        place = np.full(len(ledger.start), -1, dtype=np.int64)
        place[compared] = np.arange(len(compared))
        return place, ledger.start.copy()

    def used(self) -> Integers:
        """For each of these streams: how many of its evaluations the answer rests on."""
        with self._reader.guard:
            self._reader.up_to_date()
            fold, ledger = self._reader.fold, self._reader.ledger
            return np.asarray((fold.consumed if fold.finished else ledger.through) - ledger.start)
