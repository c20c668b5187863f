"""A box is answered by candidates: some to begin with, and others that join where the best settings seem to be.

A prior of smooth functions is one of the whole box, so candidates may be chosen by looking, and what is guaranteed is
guaranteed for those that there are in the end (docs/posterior, section 11). What lies between is estimated by draws
on a finer set of settings, which is a heuristic figure beside the guarantee; as long as it is larger than epsilon,
further candidates join.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from itertools import count
from typing import Any, Final

import numpy as np

from conewise.border import Bools, Floats, Indices, as_count
from conewise.certificate.streams import Separately
from conewise.data.observations import Observations, Statistics
from conewise.errors import InputError, shown
from conewise.models.certificate import FOR_NEGLIGIBLE, PosteriorCertificate
from conewise.models.failures import covers, fronts, needed
from conewise.models.features import Encoded
from conewise.models.levels import Spare
from conewise.models.posterior import Posterior, posterior_of
from conewise.models.priors import Independent, Prior, Smooth, prior_of
from conewise.models.screen import core
from conewise.problems.box import Box, Candidates
from conewise.problems.simulated import Seed
from conewise.question.question import Question, amended
from conewise.rules import ModelGuided, Result, SeparateModelGuided
from conewise.studies.asking import Problem, Progress, told_all

REFINEMENTS: Final = 3
"""How often candidates join in any case."""
MOST_REFINEMENTS: Final = 10
"""... and as long as draws between them want a larger epsilon: each time repeats a look, and the proof pays for ten."""
FIRST: Final = 10
"""Evaluations a parameter before they join for the first time; twice as many before each further time."""
POOL: Final = 512
"""Settings that may join at a time, half of them anywhere and half near the best ones."""
FINER: Final = 2048
"""Settings of the finer set, half of them anywhere and half near the best ones."""
_JOINING: Final = 128  # draws, each of which names at most one setting that joins
_SLACK: Final = 512  # draws on the finer set
_ELSEWHERE: Final = 0.2  # of the neighbours of a setting have another entry of a list
_OWN: Final = 100  # streams of draws that are not the certificate's begin here
_BESIDE: Final = 99  # ... and those on the finer set

Rule = ModelGuided | SeparateModelGuided
"""The rule for some candidates: whole rows, or one objective at a time."""
Told = Statistics | Separately
"""What it has observed."""

Model = Callable[[Encoded], Prior]
"""A prior of the features of candidates, such as `models.Smooth` or `models.Linear` themselves."""

DISCREPANCIES: Final = (0.001, 0.01, 0.1, 0.3)
"""Settings may be as near to each other as one likes: what features do not explain may be smaller than in a table."""

SIZES: Final = (3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
"""A box has corners that nobody would list as a design: over all of it values may vary by many times epsilon."""

DEFAULT: Final[Model] = partial(Smooth, discrepancies=DISCREPANCIES, sizes=SIZES)
"""The model of a box."""


@dataclass(frozen=True)
class Mesh:
    """What candidates may have missed, by draws on a finer set of settings: heuristic figures, part of no guarantee."""

    candidates: int
    finer: int
    """Further settings of which values were drawn; 0 where all settings are candidates."""
    epsilon: float
    """At which the answer succeeds among candidates and finer settings in a share 1 - delta of the draws."""
    slack: float
    """By how much that is larger than among the candidates alone."""

    def __str__(self) -> str:
        if not self.finer:
            return f"all {self.candidates:,} settings are candidates"
        return (
            f"{self.finer:,} settings between the {self.candidates:,} candidates raise epsilon by {self.slack:.3g} to "
            f"{self.epsilon:.3g} in draws, which is an estimate and part of no guarantee"
        )


@dataclass(frozen=True, eq=False, repr=False)
class BoxResult(Result):
    """An answer about the candidates of a box, and how fine they are."""

    settings: tuple[dict[str, Any], ...] = ()
    """(K,): the candidates."""
    mesh: Mesh | None = None

    @property
    def parameters(self) -> list[dict[str, Any]]:
        """The returned settings."""
        return [self.settings[k] for k in self.indices]


@dataclass(frozen=True, eq=False)
class Meshing:
    """One question about a box: rules on growing sets of candidates, and what draws say between them."""

    begins: Candidates
    question: Question
    """As an algorithm sees it: in steps, larger is better."""
    options: Mapping[str, Any]
    """Of the rule; its model is a function of features."""
    apart: bool = False
    """Whether objectives are measured one by one."""

    def __post_init__(self) -> None:
        noise, dim = self.question.assumed, self.question.cone.dim
        noise.check_dim(dim)
        try:
            noise.check_dim(dim, 0)
        except InputError:
            raise InputError(
                "the noise is given design by design, and the candidates of a box join while it runs: give one for all "
                "of them."
            ) from None

    @property
    def box(self) -> Box:
        """Whose settings are candidates."""
        return self.begins.box

    @cached_property
    def first(self) -> Rule:
        """The rule to begin with."""
        return self.rule(self.begins.places, 0)

    def prior(self, places: Floats) -> Prior:
        """What is believed of these settings: the same process over the box, whichever settings they are."""
        values, owner = self.box.features(places)
        made = self.options["model"](Encoded(values, owner, tuple(p.name for p in self.box.each), ()))
        if not isinstance(made, Prior):
            raise InputError(f"the model of a box must give a prior such as models.Smooth, got {shown(made)}.")
        return made

    def rule(self, places: Floats, stage: int) -> Rule:
        """The rule for these candidates; its draws are its own, since earlier ones chose the candidates."""
        given = {key: value for key, value in self.options.items() if key != "success"}
        seed, most = self.seed, given.get("max_evaluations")
        if stage < REFINEMENTS:
            limit = FIRST * len(self.box.each) * 2**stage * (self.begins.dim if self.apart else 1)
            given |= {"confirm": False, "max_evaluations": limit if most is None else min(limit, most)}
        own = np.random.SeedSequence([seed, stage]).generate_state(1, np.uint64)[0]
        given |= {"model": self.prior(places), "seed": int(own >> np.uint64(1)), "begin": range(len(self.box.corners))}
        return (SeparateModelGuided if self.apart else ModelGuided)(self.question, len(places), **given)

    @property
    def seed(self) -> int:
        """Of all draws."""
        return as_count(self.options.get("seed", 0), "seed", 0, 2**63 - 1)

    def posterior(self, places: Floats, told: Told) -> Posterior:
        """What evaluations of the first of these settings say of all of them."""
        own = PosteriorCertificate(self.question, len(places), self.prior(places))
        seen = _among(told, len(places))
        return posterior_of(own.prior, own.axes, seen, own.unit, FOR_NEGLIGIBLE * self.question.delta)

    def joining(self, places: Floats, told: Told, probability: Floats, stage: int) -> Floats:
        """(n, P): settings that join: in each of some draws, the one that the candidates cover worst."""
        rng = np.random.default_rng([self.seed, _OWN, stage])
        pool = self.finer(places, probability, POOL, stage, rng)
        if not len(pool):
            return pool
        posterior = self.posterior(np.vstack([places, pool]), told)
        required = self.first.certificate.required
        designs = core(posterior, self.question.cone, len(places) + len(pool), required=required)
        values = posterior.draws(designs, _JOINING, rng)
        z, spare = self.question.cone.facet_values(values), None if required is None else required.spare(values)
        old, new = np.flatnonzero(designs < len(places)), np.flatnonzero(designs >= len(places))
        old = old[_optimal(z, spare, old).any(axis=0)]
        if not len(new):
            return places[:0]
        if not len(old):  # nobody is worth being compared with: whoever seems nearest to what is acceptable
            worst = np.arange(len(new)) if spare is None else spare.part(new).least.argmax(axis=1)
            return np.asarray(pool[designs[new[np.unique(worst)]] - len(places)])
        missed, _ = covers(z, new, old, self.question.cone)
        if spare is not None:
            missed = np.where(spare.acceptable[:, new], missed, 0.0)
        worst = missed.argmax(axis=1)
        chosen = np.unique(worst[missed.max(axis=1) > 0])
        return np.asarray(pool[designs[new[chosen]] - len(places)])

    def finer(self, places: Floats, probability: Floats, count: int, stage: int, rng: np.random.Generator) -> Floats:
        """Settings that are no candidates: half anywhere, half near candidates that are probably Pareto optimal."""
        box = self.box
        if box.size is not None and box.size <= len(places):
            return places[:0]
        half = count // 2
        total = float(probability.sum())
        weights = probability / total if total > 0 else None
        around = places[rng.choice(len(places), half, p=weights)]
        spacing = box.candidates ** (-1 / len(box.each)) / 2 ** min(stage, REFINEMENTS)
        near = around + spacing * rng.standard_normal(around.shape)  # what goes beyond an end is moved to that end
        elsewhere = rng.random(near.shape) < _ELSEWHERE
        elsewhere &= np.array([bool(parameter.values) for parameter in box.each])
        near = np.where(elsewhere, rng.random(near.shape), near)
        anywhere = box.points(box.candidates + stage * half, half)
        return box.distinct(np.vstack([anywhere, box.snapped(near)]), places)

    def coarse(self, rule: Rule, state: Any, places: Floats, stage: int) -> bool:
        """Whether others are to join now that the rule of these candidates asks for nothing more."""
        if stage < REFINEMENTS:
            return True
        most = self.options.get("max_evaluations")
        if stage >= MOST_REFINEMENTS or (most is not None and state.evaluations >= most):
            return False
        mesh = self.mesh(places, rule.seen(state), rule.returned(state), rule.probability(state))
        return mesh.slack > self.question.epsilon

    def between(self, result: Result, places: Floats, told: Told) -> Mesh:
        """What draws on a finer set say of an answer."""
        assert result.probability is not None
        return self.mesh(places, told, np.array(result.indices, dtype=np.intp), result.probability)

    def mesh(self, places: Floats, told: Told, returned: Indices, probability: Floats) -> Mesh:
        """What draws on a finer set say of the answer that returns these."""
        rng = np.random.default_rng([self.seed, _BESIDE])
        pool = self.finer(places, probability, FINER, MOST_REFINEMENTS, rng)
        posterior = self.posterior(np.vstack([places, pool]), told)
        required = self.first.certificate.required
        hardest = core(posterior, self.question.cone, len(places) + len(pool), required=required)
        designs = np.union1d(hardest, returned)
        values = posterior.draws(designs, _SLACK, rng)
        epsilons = [self._needed(values, designs, returned, designs < below) for below in (len(places), np.inf)]
        return Mesh(len(places), len(pool), epsilons[1], epsilons[1] - epsilons[0])

    def _needed(self, values: Floats, designs: Indices, returned: Indices, among: Bools) -> float:
        """The epsilon at which the answer covers these settings in a share 1 - delta of the draws."""
        cone, required = self.question.cone, self.first.certificate.required
        inside = np.isin(designs, returned)[among]
        spare = None if required is None else required.spare(values[:, among])
        found = needed(cone.facet_values(values[:, among]), inside, cone, "cover", spare)
        return float(np.quantile(found, 1 - self.question.delta, method="higher"))


def _among(told: Told, n_designs: int) -> Told:
    """What was observed of the first of so many designs."""
    if isinstance(told, Separately):
        return Separately(tuple(_whole(own, n_designs) for own in told.each))
    return _whole(told, n_designs)


def _whole(told: Statistics, n_designs: int) -> Statistics:
    return Statistics.empty(n_designs, told.dim).replaced(np.arange(told.n_designs), told)


def _optimal(z: Floats, spare: Spare | None, designs: Indices) -> Bools:
    """(B, A): which of these are Pareto optimal in each draw, among those of them that are acceptable."""
    if spare is None or not len(designs):
        return fronts(z[:, designs]) if len(designs) else np.zeros((len(z), 0), dtype=bool)
    some = spare.part(designs)
    return np.asarray(fronts(some.of_those(z[:, designs])) & some.acceptable)


def run_box(
    meshing: Meshing,
    asked: Callable[[Problem], Problem],
    *,
    rng: Seed,
    batch: int | None = None,
    progress: Progress | None = None,
) -> BoxResult:
    """The answer about a box; `asked` turns a problem into what an algorithm sees of it."""
    candidates, told = meshing.begins, list[Observations]()
    for stage in count():
        rule: Any = meshing.rule(candidates.places, stage) if stage else meshing.first
        state = told_all(rule, asked(candidates), rng=rng, batch=batch, progress=progress, told=told)
        if not meshing.coarse(rule, state, candidates.places, stage):
            break
        more = meshing.joining(candidates.places, rule.seen(state), rule.probability(state), stage)
        candidates = candidates.joined(more)
    result = of_candidates(rule.recommend(state), candidates.designs)
    return replace(result, designs=candidates.names, mesh=meshing.between(result, candidates.places, rule.seen(state)))


def of_candidates(result: Result, settings: Iterable[dict[str, Any]]) -> BoxResult:
    """The same answer, as one about candidates that were chosen by looking."""
    worth = result.guarantee
    if worth.proof:
        worth = amended(worth, theorem=f"for the {len(result.pareto):,} candidates, {worth.proof.theorem}")
    given = {one.name: getattr(result, one.name) for one in fields(result)}
    # What holds for every truth was proved for designs that are fixed beforehand.
    given |= {"guarantee": worth, "certified": {**result.certified, "every truth": None}}
    return BoxResult(**given, settings=tuple(settings))


def first_candidates(box: Box, question: Question, algorithm: str, options: Mapping[str, Any]) -> Candidates:
    """Return a box as a problem, with as many objectives as the cone orders if they have no names."""
    check_box(algorithm, options)
    if box.evaluate is None:
        raise InputError(
            "this box has no function that evaluates a setting: pass evaluate=... to it, or let a study hand its "
            "settings out, Study.create(..., designs=box)."
        )
    names = question.names or tuple(f"objective {d + 1}" for d in range(question.cone.dim))
    return box.at(box.first(), names)


def check_box(algorithm: str, options: Mapping[str, Any]) -> None:
    """Refuse what has no meaning for settings that join."""
    if algorithm not in ("auto", "model", "separate"):
        raise InputError(f"a box is answered with a model, not by {shown(algorithm)}: leave the algorithm out.")
    for name in ("prices", "begin"):
        if name in options:
            raise InputError(f"{name} names designs, and the candidates of a box join while it runs: leave {name} out.")


def as_model(model: Any) -> Model:
    """The model of a box: `models.Smooth` where none is given."""
    if model is None or isinstance(model, str):
        return DEFAULT if model is None else partial(prior_of, model)
    if model is Independent:
        raise InputError(
            "the settings of a box are known by their parameters, of which models.Independent makes nothing: leave the "
            "model out, or pass models.Linear."
        )
    if isinstance(model, Prior) or not callable(model):
        raise InputError(
            "candidates of a box join while it runs, so its model is made of their features: pass model=models.Smooth "
            f"(the class), models.Linear or a function of features, not {shown(model)}."
        )
    made: Model = model
    return made
