"""Every question the page may ask, and the memory that makes answers quick."""

from __future__ import annotations

import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

import numpy as np

from conewise.border import as_positive, as_probability
from conewise.cone.cone import Cone
from conewise.dashboard import answers, saved
from conewise.dashboard.angles import leaving_angles
from conewise.dashboard.estimates import about
from conewise.dashboard.levels import levels_in
from conewise.dashboard.listing import listing, wanted
from conewise.dashboard.preferences import number_in
from conewise.dashboard.returning import returning
from conewise.dashboard.shares import leaving_shares
from conewise.dashboard.sources import Designs, Source
from conewise.dashboard.statements import all_said, sentences, stated
from conewise.errors import ConewiseError, InputError, printable
from conewise.noise import Gaussian, Noise

_REMEMBERED: Final = 64  # answers: whoever moves a slider to and fro is served at once
MOST_BYTES: Final = 2**27  # of the fronts among them, each of which may hold a million designs
AT_ONCE: Final = 0.06  # CPU seconds: a front that takes longer is estimated while the slider moves
_LONGEST_PAGE: Final = 40  # characters by which a page calls itself

Answer = TypeVar("Answer")


class Desk:
    """Answers questions about one source, long ones one at a time, and remembers the last answers."""

    def __init__(self, source: Source, *, clock: Callable[[], float] = time.thread_time) -> None:
        self.source = source
        self._clock = clock
        self._guard = threading.Lock()  # for what is remembered
        # One turn for each kind of work, so that a front never waits for a lower bound, nor an estimate for a front.
        self._short_turn, self._turn, self._long_turn = threading.Lock(), threading.Lock(), threading.Lock()
        self._moves: OrderedDict[str, int] = OrderedDict()  # the last move of every page
        self._known: OrderedDict[Hashable, Any] = OrderedDict()
        self._within: Designs | None = None  # the last designs with levels
        self._pace: dict[int, float] = {}  # CPU seconds of the last front, by the number of facets

    def start(self, _: dict[str, Any]) -> dict[str, Any]:
        """What the page needs once, and again when a study has moved on."""
        source = self.source
        noise = source.assumptions.noise
        return {
            "title": printable(source.title),
            # To be copied as it is, so that it is not offered where it would not read as what it is.
            "command": _copied(source.command),
            "report": _copied(source.report),
            "live": source.live,
            "cone": str(source.cone),
            "levels": [list(level) for level in source.levels],
            "sigma": None if source.assumptions.fixed else _sigma(noise),
            "noise": source.assumptions.stated,
            "epsilon": source.assumptions.epsilon,
            "delta": source.assumptions.delta,
            "standing": source.standing(),
            **answers.backdrop(source.designs()),
        }

    def standing(self, _: dict[str, Any]) -> dict[str, Any]:
        """Whether anything has changed."""
        return {"version": self.source.designs().version, "standing": self.source.standing()}

    def front(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The Pareto set under one cone, or two to compare, what each costs, who moved, and a page of the list.

        With `quick` a front that would take long is estimated, and drawn when the page asks again.
        """
        started = time.perf_counter()
        self._note_move(asked)
        designs = self._designs(asked)
        if asked.get("first") is None:
            raise InputError("a question about the front needs a preference called first.")
        cones = [stated(asked["first"], designs)]
        refused = None
        if asked.get("second") is not None:
            try:
                cones.append(stated(asked["second"], designs))
            except ConewiseError as error:  # a cone half typed is no reason to hide the other one
                refused = " ".join(str(error).split())
        said = [{**answers.facts(designs, cone), "cost": self._cost(designs, cone, asked)} for cone in cones]
        part = wanted(asked.get("table"), designs.dim, likely=designs.probability is not None)
        status = designs.status(cones[0])
        quick = asked.get("quick") is True and status is None
        estimated = quick and any(self._would_take_long(designs, cone) for cone in cones)
        answer: dict[str, Any] = {"version": designs.version, "designs": len(designs.names), "estimated": estimated}
        compared = len(cones) == 2
        if estimated:
            for line, cone in zip(said, cones, strict=True):
                line.update(pareto=self._about(designs, cone), points=None, study=None)
            answer |= {"difference": None, "moved": None, "table": None}
        else:
            fronts = [self._front(designs, cone, asked) for cone in cones]
            for line, found in zip(said, fronts, strict=True):
                line.update(answers.gives(designs, found))
            answer["difference"] = answers.difference(designs, *fronts) if compared else None
            answer["moved"] = self._moved(designs, asked.get("before"), fronts[0]) if status is None else None
            answer["table"] = listing(designs, fronts[0], part, status)
            said[0].update({} if status is None else answers.by_study(designs, status, fronts[0]))
        said[0]["said"] = sentences(asked["first"], designs)
        answer |= {"first": said[0], "second": said[1] if compared else None, "second_error": refused}
        answer["milliseconds"] = round(1000 * (time.perf_counter() - started), 2)
        return answer

    def table(self, asked: dict[str, Any]) -> dict[str, Any]:
        """A page of the list of designs."""
        designs = self._designs(asked)
        part = wanted(asked.get("table"), designs.dim, likely=designs.probability is not None)
        cone = stated(asked.get("first"), designs)
        return listing(designs, self._front(designs, cone), part, designs.status(cone))

    def hardness(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The lower bound's rate for these values; slower than the rest, so the page asks when a slider rests."""
        designs = self._designs(asked)
        noise, epsilon, delta = self._assumptions(asked)
        cone = stated(asked.get("first"), designs)
        found = self._front(designs, cone, asked)
        scale = float(noise.largest_scale(designs.dim))
        key = ("hardness", designs.key, str(cone), scale, epsilon, delta)

        def compute() -> dict[str, Any]:
            self._refuse_if_overtaken(asked)
            return answers.hardness_of(designs, cone, found, scale, epsilon, delta)

        return self._once(key, compute, self._long_turn)

    def design(self, asked: dict[str, Any]) -> dict[str, Any]:
        """One design under a cone."""
        designs = self._designs(asked)
        index = asked.get("index")
        if type(index) is not int or not 0 <= index < len(designs.names):
            raise InputError(f"there is no design number {index!r:.40}; they count from 0 to {len(designs.names) - 1}.")
        cone = stated(asked.get("first"), designs)
        facts = answers.design(designs, index, cone, self._front(designs, cone))
        back: list[dict[str, Any]] = []
        if facts["beaten_by"] and designs.dim > 2:  # the page itself knows in the plane
            key = ("returning", designs.key, index, json.dumps(asked["first"], sort_keys=True))
            back = self._once(key, lambda: returning(designs, index, asked["first"]), self._long_turn)
        known = self.source.knowledge()
        return {**facts, "study": None if known is None else known.of(index), "returning": back}

    def confidence(self, _: dict[str, Any]) -> dict[str, Any]:
        """What a study knows of the designs that a picture shows."""
        designs, known = self.source.designs(), self.source.knowledge()
        if known is None:
            raise InputError("confidence is for studies.")
        drawn = answers.backdrop(designs)["drawn"]["index"]
        return {"version": designs.version, "designs": {k: known.of(k) for k in drawn}}

    def upcoming(self, _: dict[str, Any]) -> dict[str, Any]:
        """The next batch of a study."""
        found = self.source.upcoming()
        if found is None:
            raise InputError("a next batch is for studies.")
        return found

    def points(self, _: dict[str, Any]) -> dict[str, Any]:
        """Every design with two objectives, so that the page finds fronts itself; None where they are too many."""
        designs = self.source.designs()
        found = answers.everyone(designs) if designs.dim == 2 and len(designs.known) <= answers.WHOLE else None
        return {"version": designs.version, "points": found}

    def duel(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The two designs between which a choice would tell most; None when no choice would change anything."""
        designs = self._designs(asked)
        if designs.nobody is not None:  # which is no word about choices
            raise ConewiseError(f"{designs.nobody}.")
        said = all_said(asked.get("first"), designs)
        key = ("duel", designs.key, said.cone.facets.tobytes(), tuple(s.text for s in said.statements))
        pair = self._once(key, lambda: said.ask(designs.values[designs.known]), self._long_turn)
        return {"pair": None if pair is None else [answers.named(designs, int(designs.known[k])) for k in pair]}

    def shortlist(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Some designs as a CSV file, and whether each is Pareto."""
        designs = self._designs(asked)
        cone = stated(asked.get("first"), designs)
        places = answers.places_in(asked.get("index"), len(designs.names))
        return {"csv": answers.as_csv(designs, places, self._front(designs, cone))}

    def saved(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The page as a file of its own."""
        designs = self._designs(asked)
        cone = stated(asked.get("first"), designs)
        shortlist = answers.places_in(asked.get("index"), len(designs.names))
        page = saved.page(
            self.source.title,
            designs,
            cone,
            shortlist,
            made=datetime.now(UTC).date(),
            said=sentences(asked["first"], designs, self.source.cone),
            standing=self.source.standing(),
            knowledge=self.source.knowledge(),
        )
        return {"html": page}

    def angles(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Where every design leaves; two objectives only."""
        designs = self._designs(asked)
        if designs.dim != 2:
            raise InputError("angles are for two objectives.")
        return self._once(("angles", designs.key), lambda: leaving_angles(designs), self._long_turn)

    def shares(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Where every design leaves as all least shares of the weight grow; three objectives and more."""
        designs = self._designs(asked)
        if designs.dim < 3:
            raise InputError("least shares of the weight are for three objectives and more.")
        front = self._front(designs, Cone.orthant(designs.dim), asked)
        return self._once(("shares", designs.key), lambda: leaving_shares(designs, front), self._long_turn)

    def _designs(self, asked: dict[str, Any]) -> Designs:
        """As they are now, and which of them miss no level of a question."""
        designs = self.source.designs()
        levels = levels_in(asked.get("levels"), designs.dim)
        if not levels:
            return designs
        with self._guard:
            if self._within is None or self._within.key != (designs.version, levels):
                self._within = designs.within(levels)
            return self._within

    def _assumptions(self, asked: dict[str, Any]) -> tuple[Noise, float, float]:
        mine = self.source.assumptions
        if mine.fixed:
            noise = mine.noise
        else:
            noise = Gaussian(as_positive(number_in(asked, "sigma", _sigma(mine.noise)), "sigma"))
        epsilon = as_positive(number_in(asked, "epsilon", mine.epsilon), "epsilon")
        return noise, epsilon, as_probability(number_in(asked, "delta", mine.delta), "delta")

    def _cost(self, designs: Designs, cone: Cone, asked: dict[str, Any]) -> dict[str, Any]:
        """A number half typed is no reason to hide the front."""
        try:
            return answers.cost(designs, cone, *self._assumptions(asked))
        except ConewiseError as error:
            return {"error": str(error)}

    def _moved(self, designs: Designs, before: object, now: np.ndarray) -> dict[str, Any] | None:
        """Since the cone and the levels at which the controls last rested."""
        if before is None:
            return None
        if not isinstance(before, dict):
            raise InputError("what was before is a preference, with levels where there were some.")
        earlier = self.source.designs().within(levels_in(before.get("levels"), designs.dim))
        cone = stated({key: value for key, value in before.items() if key != "levels"}, earlier)
        return answers.moved(designs, cone, self._front(earlier, cone), now)

    def _front(self, designs: Designs, cone: Cone, asked: dict[str, Any] | None = None) -> np.ndarray:
        def compute() -> np.ndarray:
            self._refuse_if_overtaken(asked or {})
            started = self._clock()
            found = answers.front(designs, cone)
            self._pace[len(cone.facets)] = self._clock() - started
            return found

        return self._once(_front_key(designs, cone), compute, self._turn)

    def _note_move(self, asked: dict[str, Any]) -> None:
        page, move = asked.get("page"), asked.get("move")
        if isinstance(page, str) and len(page) <= _LONGEST_PAGE and type(move) is int:
            with self._guard:
                self._moves[page] = max(move, self._moves.pop(page, move))
                while len(self._moves) > _REMEMBERED:
                    self._moves.popitem(last=False)

    def _refuse_if_overtaken(self, asked: dict[str, Any]) -> None:
        """Whoever moves on while a long answer waits for its turn does not want it any more."""
        page, move = asked.get("page"), asked.get("move")
        with self._guard:
            last = self._moves.get(page) if isinstance(page, str) else None
        if last is not None and type(move) is int and move < last:
            raise ConewiseError("the control has moved on.")

    def _would_take_long(self, designs: Designs, cone: Cone) -> bool:
        with self._guard:
            known = _front_key(designs, cone) in self._known
        return not known and self._pace.get(len(cone.facets), 0.0) > AT_ONCE

    def _about(self, designs: Designs, cone: Cone) -> int:
        with self._short_turn:
            return about(designs, cone)

    def _once(self, key: Hashable, compute: Callable[[], Answer], turn: threading.Lock) -> Answer:
        known, answer = self._look_up(key)
        if known:
            return answer  # type: ignore[no-any-return]
        with turn:
            known, answer = self._look_up(key)  # the one before may have asked the same
            if not known:
                answer = compute()
                with self._guard:
                    self._known[key] = answer
                    while len(self._known) > 1 and self._is_too_much():
                        self._known.popitem(last=False)
        return answer  # type: ignore[no-any-return]

    def _is_too_much(self) -> bool:
        held = sum(answer.nbytes for answer in self._known.values() if isinstance(answer, np.ndarray))
        return len(self._known) > _REMEMBERED or held > MOST_BYTES

    def _look_up(self, key: Hashable) -> tuple[bool, Any]:
        with self._guard:
            if key not in self._known:
                return False, None
            self._known.move_to_end(key)
            return True, self._known[key]


def _front_key(designs: Designs, cone: Cone) -> Hashable:
    return "front", designs.key, str(cone)


def _copied(command: str | None) -> str | None:
    return command if command is not None and command.isprintable() else None


def _sigma(noise: Noise) -> float:
    return float(noise.largest_scale(1)) if isinstance(noise, Gaussian) else 1.0
