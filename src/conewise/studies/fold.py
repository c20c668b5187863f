"""The answer as a fold over the told evaluations, by design and number: who told what when changes nothing.

The algorithm is told in whole rounds: what it asked for, as soon as all of it is in the journal, in the order of its
own pulls. Every decision is therefore a function of the values by (design, number). What is told beyond a round waits;
until the algorithm has seen enough, the answer is taken from everything told without a gap.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np

from conewise.data.observations import Observations, Pulls
from conewise.question.question import Heuristic, amended
from conewise.rules.contract import Plan, Result, Status, planner_of
from conewise.studies.asking import Prospects
from conewise.studies.boxes import REFINEMENTS, of_candidates
from conewise.studies.changes import Change
from conewise.studies.evaluations import Integers
from conewise.studies.identity import Identity
from conewise.studies.ledger import Ledger, Mark
from conewise.studies.settings import rows_of
from conewise.studies.versions import Version

_NUMBERS_AT_ONCE: Final = 2**20  # in the matrices of a tell: the state does not depend on it, the memory taken does


class Fold:
    """The state of the algorithm of one version of the question, brought up to what a ledger holds.

    Designs have two numbers: the one in their evaluations' ids, by which the ledger knows them, and the algorithm's,
    which counts only those that are compared. What is said of designs here is said of their objectives where these are
    measured separately: of the ledger's streams, which are then the algorithm's cells.
    """

    def __init__(self, version: Version, ledger: Ledger, until: Mark | None = None) -> None:
        self.version, self._ledger, self._until = version, ledger, until
        self.algorithm, self._columns = version.algorithm, version.specification.question.columns
        self._planner = planner_of(self.algorithm)
        self._compared = ledger.streams(version.designs)
        self._place = np.full(len(ledger.start), -1, dtype=np.intp)
        self._place[self._compared] = np.arange(len(self._compared))
        self._restart()

    def _restart(self) -> None:
        self._changes = len(self._ledger.changes)
        self.state = self._live = self.algorithm.start()
        self._start = self._ledger.start if self._until is None else self._until.start
        self.consumed = self._start.copy()
        """(S,): up to which number the finished rounds have used each stream's evaluations."""
        self._live_counts = self.consumed
        self._answer: tuple[tuple[int, ...], Result] | None = None
        self._coarse: tuple[Any, bool] | None = None
        self._planned: tuple[tuple[int, ...], Plan | None] | None = None
        self._prospects = Prospects(self.algorithm, self._columns.names)
        if self.version.since is not None:
            self._take(self.version.since.through)
        self._next_round()

    def _take(self, through: Integers) -> None:
        """Tell the algorithm what was there before it: evaluations that another one asked for."""
        more = np.zeros_like(self.consumed)
        more[: len(through)] = through - self.consumed[: len(through)]
        if more.any():
            for part in self._observations(Pulls.each(more), self.consumed):
                self.state = self.algorithm.tell(self.state, part)
        self.consumed = self.consumed + more

    def _next_round(self) -> None:
        self._live, self._live_counts = self.state, self.consumed
        limit, left = self.version.limit, None
        if limit is not None:
            left = max(0, limit - self.version.aside - self.used)
        # With a model as much as is allowed would be too much at once: its rounds are as long as without a limit.
        most = None if self.version.specification.posterior else left
        over = left == 0 or self._prospects.over(self.state, limited=left is not None)
        wanted = Pulls([], []) if over else self.algorithm.ask(self.state, most).first(left)
        self.pulls = Pulls(self._compared[wanted.designs], wanted.counts)
        """What the present round asks for, of the ledger's designs; empty when the algorithm has seen enough."""
        self.target = self.consumed.copy()
        np.add.at(self.target, self.pulls.designs, self.pulls.counts)
        self.designs, first = np.unique(self.pulls.designs, return_index=True)
        self._in_turn = self.pulls.designs[np.sort(first)]  # each once, as the round names them
        self._limited = left == 0

    @property
    def used(self) -> int:
        """How many evaluations the finished rounds have used."""
        return int((self.consumed - self._start)[self._compared].sum())

    @property
    def _through(self) -> Integers:
        return self._ledger.through if self._until is None else self._until.through

    @property
    def finished(self) -> bool:
        """Whether the algorithm has seen enough, and nobody is to join; `advance` first."""
        return self._idle and not self._refines

    @property
    def _refines(self) -> bool:
        """Whether candidates of a box are still to join, once the rule of the present ones has seen enough."""
        spec, known = self.version.specification, self._coarse
        if not spec.refines:
            return False
        if known is None or known[0] is not self.state:
            limited = self._limited and spec.stage >= REFINEMENTS
            algorithm: Any = self.algorithm  # the rule of a box is one with a model
            coarse = not limited and spec.meshing.coarse(algorithm, self.state, spec.places, spec.stage)
            self._coarse = known = self.state, coarse
        return known[1]

    @property
    def _idle(self) -> bool:
        """Whether the algorithm asks for nothing."""
        return self.pulls.total == 0

    def joining(self) -> Change | None:
        """The candidates of a box that join now; None where none is to, or not yet. `advance` first."""
        spec = self.version.specification
        if spec.box is None or not self._idle or not self._refines:
            return None
        rule: Any = self.algorithm  # the rule of a box is one with a model
        more = spec.meshing.joining(spec.places, rule.seen(self.state), rule.probability(self.state), spec.stage)
        rows = rows_of(spec.box, more, spec.n_designs)
        return Change("join", tuple(row["name"] for row in rows), tuple(rows))

    def advance(self) -> None:
        """Judge every round that is complete."""
        ledger = self._ledger
        for identity in ledger.changes[self._changes :]:
            design, number = ledger.stream_of(identity), identity.number
            if number < max(self.consumed[design], self._live_counts[design]):
                self._restart()  # from the first evaluation on, with the values as they are now
                break
        self._changes = len(ledger.changes)
        while not self._idle and (self._through[self.designs] >= self.target[self.designs]).all():
            for part in self._observations(self.pulls, self.consumed):
                self.state = self.algorithm.tell(self.state, part)
            self.consumed = self.target
            self._next_round()

    def result(self) -> Result:
        """The answer as the evaluations are now; `advance` first."""
        data = self._ledger.size, len(self._ledger.changes), self._ledger.failed
        if self._answer is None or self._answer[0] != data:
            state = self.state if self.finished else self.live()
            answer = self.algorithm.recommend(state)
            if self.version.specification.box is not None:
                answer = self._of_box(answer, state)
            answer = qualified(answer, self._ledger, self.version)
            if self._limited and answer.stopped_because.startswith("not finished"):
                why = answer.stopped_because.replace("not finished", "max_evaluations reached", 1)
                answer = replace(answer, stopped_because=why)
            self._answer = data, self._prospects.told(answer)
        return self._answer[1]

    def _of_box(self, answer: Result, state: Any) -> Result:
        """An answer about candidates: whether others are to join, and at the end what may lie between them."""
        spec, rule = self.version.specification, self.algorithm
        answer = of_candidates(answer, spec.settings)
        if self.finished:
            mesh = spec.meshing.between(answer, spec.places, rule.seen(state))  # type: ignore[attr-defined]
            return replace(answer, stopped_because=f"{answer.stopped_because}; {mesh}", mesh=mesh)
        if self._idle:
            return replace(answer, stopped_because="not finished: further candidates are to join")
        return answer

    def beaten(self) -> list[int]:
        """The designs that are certainly beaten, by the numbers of the ledger; `advance` first."""
        answer = self.algorithm.recommend(self.state)
        out = answer.status == Status.BEATEN.value if answer.guarantee.proof else []
        return [self.version.designs[k] for k in np.flatnonzero(out)]

    def live(self) -> Any:
        """The state after everything that is told without a gap."""
        new = (self._through - self._live_counts)[self._compared]
        designs = np.flatnonzero(new)
        if len(designs):
            pulls = Pulls(self._compared[designs], new[designs])
            for part in self._observations(pulls, self._live_counts):
                self._live = self.algorithm.tell(self._live, part)
            self._live_counts = self._through.copy()
        return self._live

    def _observations(self, pulls: Pulls, before: Integers) -> Iterator[Observations]:
        """What these pulls gave, one entry an evaluation, in the order of the pulls."""
        ledger, counts = self._ledger, before.copy()
        places = []
        for design, count in zip(pulls.designs.tolist(), pulls.counts.tolist(), strict=True):
            places.append(ledger.positions(design, counts[design], counts[design] + count))
            counts[design] += count
        chosen = np.concatenate(places)
        dim = len(self._columns)  # a version knows the first objectives, of those that there are by now
        step = max(1, _NUMBERS_AT_ONCE // dim**2)
        for start in range(0, len(chosen), step):
            part = chosen[start : start + step]
            streams, values = ledger.stream[part], ledger.values[part]
            of = streams % dim if ledger.separate else None
            steps = self._columns.steps(values[:, :dim]) if of is None else self._columns.steps(values, of)
            yield Observations.single(self._place[streams], steps)

    # -- what to hand out ------------------------------------------------------------------------------------------

    def open_evaluations(self, n: int, now: float, ahead: bool) -> list[Identity]:
        """At most n evaluations that are wanted and in nobody's hands; `advance` first.

        First the present round: what was handed out before and is open again, what was never handed out, what failed.
        Then, if allowed, as much again of the same designs, so that nobody waits for the end of a round.
        """
        if self._idle:
            return []
        again: dict[bool, list[tuple[int, int, Identity]]] = {False: [], True: []}
        further = self._further() if ahead else self.target
        late, reopened = [], self._ledger.reopened(now)
        first = np.full(len(self._ledger.start) if reopened else 0, -1, dtype=np.int64)
        if reopened:
            first[self._in_turn] = np.arange(len(self._in_turn))
        for identity in reopened:
            design, number = self._ledger.stream_of(identity), identity.number
            if number < further[design] and first[design] >= 0:
                rank = (int(number - self.consumed[design]), int(first[design]), identity)
                if number >= self.target[design]:
                    late.append(rank)
                else:
                    again[identity in self._ledger.failures].append(rank)
        found = [identity for _, _, identity in sorted(again[False])]
        fresh = self._ledger.fresh.copy()
        found += self._fresh(fresh, self.target, n - len(found))
        found += [identity for _, _, identity in sorted(again[True])]
        found += [identity for _, _, identity in sorted(late)]
        found += self._fresh(fresh, further, n - len(found))
        return found[:n]

    def _fresh(self, fresh: Integers, limit: Integers, n: int) -> list[Identity]:
        """Numbers never handed out, round-robin over the designs of the round: who has fewest comes first."""
        found: list[Identity] = []
        designs = self._in_turn
        while len(found) < n:
            open_ = designs[fresh[designs] < limit[designs]]
            if not len(open_):
                break
            level = fresh[open_] - self.consumed[open_]
            for design in open_[level == level.min()][: n - len(found)].tolist():
                found.append(self._ledger.identity(design, int(fresh[design])))
                fresh[design] = self._ledger.next_fresh(design, int(fresh[design]) + 1)
        return found

    def _further(self) -> Integers:
        """(S,): up to which numbers evaluations may be handed out ahead of the rounds: one more round's worth.

        Never beyond what the algorithm can use, and not at all when the number of evaluations is limited: an
        evaluation ahead may turn out not to be needed, and the limit is what the user wants to pay.
        """
        if self.version.limit is not None or not self._planner.may_run_ahead:
            return self.target
        further, most = 2 * self.target - self.consumed, self._planner.most_each
        return further if most is None else np.maximum(self.target, np.minimum(further, self._start + most))

    # -- what remains ----------------------------------------------------------------------------------------------

    def plan(self, n: int) -> Pulls:
        """At most n evaluations that are worth most now, spread in proportion to what each design lacks.

        By the algorithm's numbers of the designs, as in the answer; of any objectives where these are measured
        separately.
        """
        if self._idle:
            return Pulls([], [])
        planned = self._rest()
        if planned is None or not planned.pulls.total:
            wanted = Pulls(self._place[self.pulls.designs], self.pulls.counts)
        else:
            wanted = planned.pulls
        if self._ledger.separate:
            designs, which = np.unique(wanted.designs // self._ledger.parts, return_inverse=True)
            wanted = Pulls(designs, np.bincount(which, wanted.counts).astype(np.int64)) if len(designs) else wanted
        if wanted.total <= n:
            return wanted
        share = wanted.counts * (n / wanted.total)
        times = np.floor(share).astype(np.int64)
        times[np.argsort(times - share, kind="stable")[: n - int(times.sum())]] += 1
        return Pulls(wanted.designs[times > 0], times[times > 0])

    def remaining(self) -> int | None:
        """About how many evaluations are missing; None where nobody can say."""
        if self.finished:
            return 0
        planned = self._rest()
        return None if planned is None else planned.remaining

    def at_least(self) -> bool:
        """Whether more may be missing than `remaining` says: some designs cannot be compared yet."""
        planned = None if self.finished else self._rest()
        return planned is not None and planned.at_least

    def _rest(self) -> Plan | None:
        data = self._ledger.size, len(self._ledger.changes)
        if self._planned is None or self._planned[0] != data:
            self._planned = data, self._planner.plan(self.live())
        return self._planned[1]


def qualified(result: Result, ledger: Ledger, version: Version) -> Result:
    """The same answer, worth no more than failed attempts, withdrawn values and changes of the question leave of it.

    A value that takes the place of a failed attempt has the right distribution only if failure does not depend on the
    value, and so have the values that are left when others were withdrawn. Where a value is known to lie outside the
    range that the noise assumes, there is nothing to assume any more.
    """
    if ledger.refuted:
        one = ledger.refuted == 1
        reason = (
            f"{ledger.refuted} value{'' if one else 's'} fell outside the range that the noise assumes, which refutes "
            "the assumption"
        )
        return _without_proof(result, reason, ", under an assumption that is refuted")
    if ledger.chosen:
        values = "1 value was" if ledger.chosen == 1 else f"{ledger.chosen:,} values were"
        return _without_proof(result, f"{values} withdrawn for what {'it is' if ledger.chosen == 1 else 'they are'}")
    if version.spent >= 1:
        return _without_proof(result, "changes have taken all there is of delta, and nothing is left to promise")
    proof = result.guarantee.proof
    if not proof:
        return result
    assumed = [proof.assumption]
    if replaced := ledger.replaced:
        attempts = "1 attempt failed and was" if replaced == 1 else f"{replaced:,} attempts failed and were"
        assumed.append(f"that failure does not depend on the value ({attempts} evaluated again)")
    if gone := ledger.withdrawn:
        values = "1 value was" if gone == 1 else f"{gone:,} values were"
        assumed.append(f"that no value was withdrawn for what it is ({values} withdrawn)")
    if mended := ledger.mended:
        values = "1 value was" if mended == 1 else f"{mended:,} values were"
        assumed.append(f"that no value was corrected for what it is ({values} corrected)")
    if ledger.changes and result.certified:  # with a model draws are paid for once, not again after a change
        assumed.append("that no answer from before values were corrected or withdrawn decided when to stop")
    worth = amended(result.guarantee, assumption="; ".join((*assumed, *version.assumed)))
    if version.parts:
        theorem = f"{proof.theorem}, and of changed questions, docs/studies"
        worth = amended(worth, delta=version.spent, theorem=theorem)
    return replace(result, guarantee=worth)


def _without_proof(result: Result, reason: str, stopped: str = "") -> Result:
    """The same designs, of which nothing is certain."""
    return replace(
        result,
        guarantee=Heuristic(reason),
        certified_epsilon=None,
        certain=np.zeros_like(result.certain),
        certified=dict.fromkeys(result.certified),
        stopped_because=result.stopped_because + stopped,
    )
