"""Identify designs with a model of them: stop by the posterior certificate, and ask for what it lacks.

Rows are measured (`ModelGuided`), or one objective at a time (`SeparateModelGuided`). There a *cell* is one objective
of one design, numbered as in `SeparateElimination`. Every objective has a posterior of its own, given the designs in
which it was measured (docs/posterior, section 7).

A model misses designs that behave unlike their neighbours. One that is worse than predicted is found where every
returned design is evaluated (`confirm=True`); one that is better, where every design is (`confirm="all"`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Final, Literal

import numpy as np
from numpy.typing import ArrayLike

from conewise._memory import Memory
from conewise.border import Bools, Floats, Indices, as_count, as_floats, read_only
from conewise.certificate.claims import epsilon_of
from conewise.certificate.streams import Separately
from conewise.data.observations import Observations, Pulls, Statistics
from conewise.errors import InputError, shown
from conewise.models.certificate import Look, PosteriorCertificate
from conewise.models.failures import covers
from conewise.models.levels import WIDTHS
from conewise.models.priors import Prior
from conewise.question.question import Guarantee, Heuristic, worth_of
from conewise.rules.adaptive.contrasts import next_pulls
from conewise.rules.adaptive.layouts import ByStreams, SeparateElimination, SuccessiveElimination
from conewise.rules.contract import FixedConfidence, Result, Seen

Confirm = bool | Literal["all"]
"""Evaluate every returned design at least once (True), every design ("all"), or none for that reason alone."""

_LARGEST_SEED: Final = 2**63 - 1
_PATIENCE: Final = 30  # a batch is one evaluation, and one more for every so many before it
_CAREFUL: Final = 4  # times smaller are batches when the answer is nearly certain: every evaluation may be the last
_LONGEST: Final = 64  # ... or as many as are asked for, up to this
_WITHDRAWN: Final = "the draws leave nothing open, but nothing is guaranteed: the observations contradict the prior"
_FEWEST: Final = 2  # designs that must have been evaluated before anything is said


@dataclass(frozen=True, eq=False)
class ModelGuided(FixedConfidence):
    """Evaluate what a model of the designs (`models.Smooth(features)` and others) leaves open: few evaluations.

    The promise is weaker than that of other rules: it holds on average over the prior, not for every truth. With
    `robust` it holds for every component of the prior. `confirm` evaluates every returned design at least once, and
    `confirm="all"` every design. Without it a design may be returned by prediction alone; `Result.evidence` marks such
    designs. A check compares the prior with a richer one, and can only withdraw the promise.

    >>> from conewise import Cone, Question, models, noise
    >>> question = Question(Cone.orthant(2), 0.1, 0.05, noise.Gaussian(0.1))
    >>> rule = ModelGuided(question, 3, model=models.Smooth([[0.0], [0.5], [1.0]]))
    >>> rule.ask(rule.start())
    Pulls(1 evaluation of 1 design)

    Reference: docs/posterior.
    """

    knows_levels: ClassVar[bool] = True
    apart: ClassVar[bool] = False
    """True if objectives are measured one by one."""

    model: Prior = field(kw_only=True)
    robust: bool = field(default=False, kw_only=True)
    confirm: Confirm = field(default=False, kw_only=True)
    batch: int | None = field(default=None, kw_only=True)
    """Evaluations that are asked for at a time; by default one, and more the more there were."""
    prices: ArrayLike | None = field(default=None, kw_only=True)
    """(K,): what one evaluation of each design costs, relative to the other designs."""
    begin: Sequence[int] = field(default=(), kw_only=True)
    """Designs that are evaluated once before anything else is asked for, in this order."""
    looks: int = field(default=1, kw_only=True)
    """States with the same number of evaluations that are looked at, at most; a run has one, a study two."""
    seed: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.radius_scale != 1.0:
            raise InputError("a rule with a model has no radii: leave radius_scale out.")
        object.__setattr__(self, "seed", as_count(self.seed, "seed", minimum=0, maximum=_LARGEST_SEED))
        object.__setattr__(self, "looks", as_count(self.looks, "looks"))
        if not isinstance(self.confirm, bool | np.bool_) and self.confirm != "all":
            what = "True (every returned design is evaluated), False or 'all' (every design is)"
            raise InputError(f"confirm must be {what}, got {shown(self.confirm)}.")
        object.__setattr__(self, "confirm", self.confirm if self.confirm == "all" else bool(self.confirm))
        if self.batch is not None:
            object.__setattr__(self, "batch", as_count(self.batch, "batch"))
        if self.prices is not None:
            object.__setattr__(self, "prices", _as_prices(self.prices, self.n_designs))
        object.__setattr__(self, "begin", _as_begin(self.begin, self.n_designs))
        if not isinstance(self.robust, bool | np.bool_):
            raise InputError(f"robust must be True or False, got {shown(self.robust)}.")
        _ = self.certificate.axes, self.for_every_truth  # refuses bad configurations now

    @cached_property
    def certificate(self) -> PosteriorCertificate:
        """The certificate that says when to stop and what to claim."""
        return PosteriorCertificate(self.question, self.n_designs, self.model, self.seed, self.robust, self.looks)

    @cached_property
    def for_every_truth(self) -> ByStreams[Any]:
        """A rule whose certificate holds for every truth and any sampling rule; it reads the same observations.

        It takes no pilots, which would be observations that no claim uses.
        """
        rule = SeparateElimination if self.apart else SuccessiveElimination
        return rule(self.question, self.n_designs, max_evaluations=self.max_evaluations, pilots=False)

    @property
    def parts(self) -> int:
        """The number of parts of a design that are measured by themselves: its objectives, or 1."""
        return self.for_every_truth.parts

    def start(self) -> Any:
        """Return the state before the first observation."""
        return self.for_every_truth.start()

    def tell(self, state: Any, observations: Observations) -> Any:
        """Return the state with these observations."""
        return self.for_every_truth.tell(state, observations)

    def seen(self, state: Any) -> Statistics | Separately:
        """Return statistics of all observations."""
        return self.for_every_truth.seen(state)

    def chosen(self, look: Look, state: Any, count: int) -> Pulls:
        """Return the next `count` evaluations, those of the largest reductions for their price.

        Any sampling rule is valid: the certificate does not depend on it (docs/posterior, section 7).
        """
        designs = np.ones(self.n_designs) if self.prices is None else np.asarray(self.prices)
        return next_pulls(look, self.certificate, count, np.outer(designs, self.for_every_truth.prices))

    def ask(self, state: Any, most: int | None = None) -> Pulls:
        """Return the evaluations that settle most of what the answer still depends on; none when it is certified."""
        limit = self.allowed(state, most)
        count = self.batch or 1 + state.evaluations // _PATIENCE
        if limit is not None:
            count = min(limit, max(count, _LONGEST) if most is not None else count)
        if count == 0:
            return Pulls([], [])
        times = self.for_every_truth.read(state)
        if self.model.independent and len(unseen := np.flatnonzero(times == 0)):
            return Pulls(unseen[:limit])  # no other design tells anything about them
        if first := [k * self.parts + m for k in self.begin for m in range(self.parts) if times[k, m] == 0]:
            return Pulls(first[:limit])
        look = self._look(state)
        if not self._finished(look, state):
            if most is None and self.batch is None and look.choice.failing <= _CAREFUL * self.delta:
                count = min(count, 1 + state.evaluations // (_CAREFUL * _PATIENCE))
            return self.chosen(look, state, count)
        return Pulls(self._unconfirmed(look, state)[:count])

    @property
    def may_run_ahead(self) -> bool:
        """False: another evaluation of a design that was just evaluated tells little. Use `batch` for many hands."""
        return False

    def _unconfirmed(self, look: Look, state: Any) -> Indices:
        """Return the designs or cells that `confirm` still asks for, those of returned designs first."""
        times = self.for_every_truth.read(state)
        returned = np.zeros(times.shape, dtype=bool)
        returned[look.chosen] = True
        unseen = np.flatnonzero(times.ravel() == 0)
        first = returned.ravel()[unseen] & bool(self.confirm)
        return np.concatenate([unseen[first], unseen[~first] if self.confirm == "all" else unseen[:0]])

    def _look(self, state: Any) -> Look:
        """Return the look at a state; once its set is certified, by the richer prior where the check asks for that."""
        last = _MEMORY.last(self)
        if last is None or last[0] is not state:
            look = self.certificate.look(self.seen(state))
            last = state, look.standing if self._finished(look, state) else look
            _MEMORY.keep(self, last)
        return last[1]

    def _finished(self, look: Look, state: Any) -> bool:
        return _seen(state) >= _FEWEST and look.certified

    def recommend(self, state: Any) -> Result:
        """Return the answer so far: what the posterior certifies, and what would hold for every truth."""
        now = self._look(state)
        look = now.standing.thorough
        returned = np.zeros(self.n_designs, dtype=bool)
        returned[look.chosen] = True
        worth: Guarantee | Heuristic
        if (seen := _seen(state)) < _FEWEST:
            have = "1 design has" if seen == 1 else f"{seen} designs have"
            why = f"not finished: {have} been evaluated, and {_FEWEST} are needed to say anything"
            returned, worth, epsilon, done = returned & (state.counts > 0), Heuristic(why), None, False
        else:
            certified = self._finished(now, state)  # as `ask` has it
            done = certified and not len(self._unconfirmed(look, state))
            worth = self._worth(look, state)
            epsilon = look.judged(fully=True) if worth.proof else None
            why = self._why(done, certified, look, state) if worth.proof or not done else _WITHDRAWN
        misses = look.missing & ~returned
        return Result.of(
            self.seen(state),
            returned,
            worth,
            why,
            kept=returned & done,
            covered=~returned & ~misses & done,
            misses=misses & done,
            by=self._covering(look) if done else np.array(-1),
            epsilon=epsilon,
            probability=look.probability,
            certified={"prior": epsilon, "every truth": self._every_truth(state, returned)},
        )

    def _why(self, done: bool, certified: bool, look: Look, state: Any) -> str:
        if done:
            return "the answer is certified on average over the prior"
        if certified:
            kind = "" if self.confirm == "all" else "returned "
            designs = np.unique(self._unconfirmed(look, state) // self.parts)
            are = "design is" if len(designs) == 1 else "designs are"
            return f"not finished: {len(designs)} {kind}{are} to be confirmed"
        spent = self.max_evaluations is not None and state.evaluations >= self.max_evaluations
        early = "max_evaluations reached" if spent else "not finished"
        return f"{early}: the answer fails in {look.choice.failing:.1%} of the draws at epsilon = {self.epsilon:g}"

    def _worth(self, look: Look, state: Any) -> Guarantee | Heuristic:
        if look.belief.withdrawn is not None:
            return Heuristic(look.belief.withdrawn)
        prior, declared, reached = look.belief.by.prior, look.belief.by.declared, look.judged(fully=True)
        if not np.isfinite(reached):
            return Heuristic("too early: nothing is certified yet")
        which, beside = "the prior", ""
        if declared is not None:
            which = "a richer prior"
            beside = f"; the declared prior, {declared.words}, is contradicted by the observations"
        scope = f"{'for every component of' if self.robust else 'on average over'} {which}"
        measured, noise = self.for_every_truth.measured, self.noise.words
        if self.certificate.axes.variances is None:
            noise = "normal noise of unknown size, one for all designs, independent between objectives"
        levels = around = unseen = ""
        if self.certificate.required is not None:
            levels = " with levels"
            unit = "epsilon" if self.certificate.axes.variances is not None and self.epsilon > 0 else "the noise"
            *some, last = (f"{width:g}" for width in WIDTHS)
            around = (
                "; the common level of an objective that has a level normal around that, with a standard deviation of "
                f"{', '.join(some)} or {last} times {unit}"
            )
        if count := int((self.for_every_truth.read(state) == 0).any(axis=1).sum()):
            among, was = ("at the one design", "was") if count == 1 else (f"among the {count} designs", "were")
            never = "of which not every objective was measured" if self.apart else f"that {was} never evaluated"
            unseen = f"; a lone spike {among} {never} would be missed"
        proof = Guarantee(
            max(reached, self.epsilon),
            self.delta,
            f'{scope}, posterior certificate{levels}, success "{self.success}", docs/posterior',
            f"{measured}; {noise}; values drawn from {which}, {prior.words}{beside}{around}{unseen}",
        )
        return worth_of(proof, self.noise)

    def returned(self, state: Any) -> Indices:
        """Return the designs that would be returned now, ascending."""
        return self._look(state).chosen

    def probability(self, state: Any) -> Floats:
        """Return the probability of each design to be Pareto optimal, (K,), on average over the prior."""
        return self._look(state).probability

    def _covering(self, look: Look) -> Indices:
        """Return the design that covers each design left out, (K,), by the posterior means; -1 for returned designs."""
        by, inside = np.full(self.n_designs, -1, dtype=np.intp), look.chosen
        outside = np.setdiff1d(np.arange(self.n_designs), inside)
        if len(inside) and len(outside):
            z = self.cone.facet_values(look.posterior.means(np.arange(self.n_designs)))
            _, near = covers(z[None], outside, inside, self.cone)
            by[outside] = near[0]
        return by

    def _every_truth(self, state: Any, returned: Bools) -> float | None:
        """Return the epsilon of the same set for every truth; None before every design was evaluated."""
        rule = self.for_every_truth
        if not rule.begun(state):
            return None
        return epsilon_of(rule.certificate.claims(state), self.success == "cover", returned)


@dataclass(frozen=True, eq=False)
class SeparateModelGuided(ModelGuided):
    """Measure the objective of the design that leaves least open for its price, by a model of the designs.

    As `ModelGuided`, with cells in the place of designs. A measurement costs the price of its objective
    (`Objective(price=...)`) times that of its design (`prices`). `confirm` measures every objective of the returned
    designs at least once. The noise of different objectives has to be independent.

    >>> from conewise import Cone, Question, models, noise
    >>> question = Question(Cone.orthant(2), 0.1, 0.05, noise.Gaussian([0.1, 0.2]))
    >>> rule = SeparateModelGuided(question, 3, model=models.Independent())
    >>> rule.ask(rule.start())  # no other design tells anything about them
    Pulls(6 evaluations of 6 designs)

    Reference: docs/posterior, section 7.
    """

    apart: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not np.array_equal(self.certificate.axes.directions, np.eye(self.dim)):
            raise InputError(
                "a model of objectives that are measured one by one needs noise that is independent between them, got "
                "a covariance with correlations: give one standard deviation an objective, noise.Gaussian([...]), or "
                "leave the model out."
            )


def _as_begin(begin: Sequence[int], n_designs: int) -> tuple[int, ...]:
    try:
        designs = tuple(as_count(one, "begin", 0, n_designs - 1) for one in begin)
    except TypeError:
        raise InputError(f"begin must be a list of designs, by their numbers from 0 on, got {shown(begin)}.") from None
    if len(set(designs)) < len(designs):
        raise InputError(f"begin names a design twice: {shown(begin)}.")
    return designs


def _as_prices(prices: ArrayLike, n_designs: int) -> Floats:
    array = as_floats(prices, "prices")
    if array.shape != (n_designs,):
        raise InputError(f"prices must be {n_designs} numbers, one a design, got shape {array.shape}.")
    wrong = np.flatnonzero(~(np.isfinite(array) & (array > 0)))
    if len(wrong):
        raise InputError(f"the price of a design must be above 0, got {array[wrong[0]]:g} for design {wrong[0]}.")
    return read_only(array.copy())


def _seen(state: Seen) -> int:
    """Return the number of designs that were evaluated."""
    return int((state.counts > 0).sum())


_MEMORY: Memory[ModelGuided, tuple[Any, Look]] = Memory()
"""The last look of a rule and the state that it is of; this saves time and changes no result."""
