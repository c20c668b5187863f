"""The elimination rule for each layout: whole rows, objectives one by one, and blocks that designs share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import ClassVar, cast

import numpy as np

from conewise.border import Floats, as_count
from conewise.certificate.blocks.paired import Paired, Prefixes
from conewise.certificate.certificate import Certificate
from conewise.certificate.claims import Claims
from conewise.certificate.fit import check_exact, check_fit
from conewise.certificate.history import Checkpoints
from conewise.certificate.looks import Levels
from conewise.certificate.streams import Separately, check_parts
from conewise.data.observations import Counts, Observations, Pulls, Statistics
from conewise.errors import InputError
from conewise.noise import ByObjective, GaussianUnknown
from conewise.question.question import Guarantee, Heuristic
from conewise.rules.adaptive.elimination import Elimination
from conewise.rules.adaptive.outlook import Outlook, of_blocks, of_streams
from conewise.rules.contract import INDEPENDENT, State, undecided_words
from conewise.rules.evidence import Evidence


@dataclass(frozen=True, eq=False)
class ByStreams(Elimination[State]):
    """Elimination of designs that are evaluated independently."""

    theorem: ClassVar[str]
    """What the guarantee rests on, in words."""
    apart: ClassVar[bool] = False
    """True if objectives are measured one by one."""

    _: KW_ONLY
    any_epsilon: bool = False
    """True if epsilon may be chosen again at every look at the same observations; costs a few evaluations."""

    @property
    def measured(self) -> str:
        """The assumption on the way in which evaluations are made."""
        return f"{INDEPENDENT}{', objectives measured separately' * self.apart}"

    @property
    def ends_on_ties(self) -> bool:
        """True if epsilon is chosen at every look: then epsilon = 0 needs no max_evaluations."""
        return self.any_epsilon

    @cached_property
    def certificate(self) -> Certificate:
        """The certificate, which decides when to stop and what to claim."""
        most = None  # epsilon decides how far the schedule has to reach
        if self.max_evaluations is not None and (self.epsilon == 0 or self.any_epsilon):
            most = max(2, self.max_evaluations // 2)
        settings = self.question, self.n_designs, most, self.any_epsilon, self.radius_scale, self.pilots, self.planned
        return Certificate(*settings, tuning=self.tuning, apart=self.apart)

    @property
    def most_each(self) -> int:
        """The count of the last checkpoint."""
        return int(self.certificate.levels.counts[-1])

    def outlook(self, state: State, claims: Claims) -> Outlook:
        """Return what forecasts read: averages of all observations that claims may use."""
        return of_streams(self.certificate, state, getattr(state, "statistics", self.seen(state)), claims, self.prices)

    def evidence(self, state: State) -> Evidence:
        """Return the comparisons of designs by the certificate."""
        return Evidence.of(self.certificate, state)

    def worth(self, epsilon: float, state: State) -> Guarantee | Heuristic:
        theorem = f'{self.theorem}{self.certificate.with_levels}, success "{self.success}", docs/adaptive'
        return self.proven(epsilon, theorem, f"{self.measured}; {self.noise.words}")


@dataclass(frozen=True, eq=False)
class SuccessiveElimination(ByStreams[Checkpoints]):
    """Elimination of designs whose evaluations are whole rows, with one value of each objective."""

    theorem: ClassVar[str] = "certificate of looks"

    @property
    def most_evaluations(self) -> int:
        """An upper bound on the evaluations of a run, which follows from epsilon (or max_evaluations)."""
        pilot = self.certificate.pilot
        bound = self.n_designs * ((0 if pilot is None else pilot.task.most) + self.most_each)
        return bound if self.max_evaluations is None else min(bound, self.max_evaluations)

    def start(self) -> Checkpoints:
        certificate, shape = self.certificate, (self.n_designs, self.dim)
        return Checkpoints.empty(certificate.levels, *shape, certificate.radii.estimates, certificate.pilot)

    def tell(self, state: Checkpoints, observations: Observations) -> Checkpoints:
        check_fit(observations, self.noise)
        check_exact(observations, self.noise, lambda: state.everything)
        return state.add(observations)

    def seen(self, state: Checkpoints) -> Statistics:
        """Return the statistics of all observations, with those of the pilots."""
        return state.everything

    def read(self, state: Checkpoints) -> Counts:
        return state.statistics.counts[:, None]


@dataclass(frozen=True, eq=False)
class SeparateElimination(ByStreams[Separately]):
    """Elimination where objectives are measured one by one: measure only the cells on which an open question depends.

    A *cell* is one objective of one design. Cells are numbered design after design: with D objectives, the cell of
    design k and objective d has the number k * D + d. The rule asks for cells, and each value is of one objective. To
    be fine against a rival, a design needs one facet, and so only the objectives that this facet weighs. To be beaten,
    it needs all objectives. The guarantee does not depend on the choice of cells (docs/adaptive, 8.1).

    >>> from conewise import Cone, Question
    >>> from conewise.noise import Gaussian
    >>> rule = SeparateElimination(Question(Cone.orthant(2), 0.5, 0.05, Gaussian(1)), n_designs=3)
    >>> rule.ask(rule.start())
    Pulls(6 evaluations of 6 designs)
    """

    theorem: ClassVar[str] = "certificate of looks at each objective"
    early: ClassVar[str] = "not every objective of every design has been measured often enough"
    apart: ClassVar[bool] = True

    @property
    def parts(self) -> int:
        """The number of objectives: each is measured by itself."""
        return self.dim

    @cached_property
    def prices(self) -> Floats:
        """(D,): the price of measuring each objective."""
        return np.array([own.price for own in self.question.columns.each]) if self.question.names else np.ones(self.dim)

    @cached_property
    def checkpoints(self) -> Counts:
        """(D, C): the counts of the checkpoints; one value is enough for an objective without noise."""
        counts = np.tile(self.certificate.levels.counts, (self.dim, 1))
        return np.where(cast(ByObjective, self.certificate.noise).exact[:, None], 1, counts)

    def start(self) -> Separately:
        made = []
        for stream, counts in zip(self.certificate.streams, self.checkpoints, strict=True):
            levels = self.certificate.levels if counts[-1] > 1 else Levels((1,))
            estimates = stream.radii is not None and stream.radii.estimates
            made.append(Checkpoints.empty(levels, self.n_designs, 1, estimates))
        return Separately(tuple(made))

    def tell(self, state: Separately, observations: Observations) -> Separately:
        """Return the state with values (m, 1) of these cells."""
        cells, values, dim = observations.designs, observations.means, self.dim
        if values.shape[1] != 1:
            raise InputError(
                f"a cell is one objective of one design and has one value, got {values.shape[1]} for each."
            )
        if len(cells) and cells.max() >= self.n_designs * dim:
            raise InputError(
                f"cell {cells.max()} does not exist: {self.n_designs} designs with {dim} objectives have the cells 0 "
                f"to {self.n_designs * dim - 1}."
            )
        of = [np.flatnonzero(cells % dim == d) for d in range(dim)]
        return self.told(state, [observations.chosen(entries, cells[entries] // dim) for entries in of])

    def told(self, state: Separately, parts: Sequence[Observations]) -> Separately:
        """Return the state with these observations of each objective; refuse those with which no claim would hold."""
        check_parts(cast(ByObjective, self.certificate.noise), state.seen.each, parts)
        return state.add(parts)

    def seen(self, state: Separately) -> Separately:
        """Return the statistics of each objective by itself."""
        return state.seen

    def read(self, state: Separately) -> Counts:
        return state.seen.repetitions


@dataclass(frozen=True, eq=False)
class PairedElimination(Elimination[Prefixes]):
    """Elimination where designs share blocks.

    The n-th observation of a design is its value on the n-th block. The order of the blocks was drawn at random.
    `blocks` is the number of blocks to read. `population` is the number of blocks over which averages are taken (None
    for an unlimited number). The guarantee does not depend on which designs read which blocks (docs/blocks).

    >>> from conewise import Cone
    >>> from conewise.question.question import Question
    >>> from conewise.noise import Bounded
    >>> question = Question(Cone.orthant(2), epsilon=0.1, delta=0.05, noise=Bounded(0, 1))
    >>> rule = PairedElimination(question, n_designs=3, blocks=800, population=800)
    >>> rule.ask(rule.start())
    Pulls(12 evaluations of 3 designs)
    """

    _: KW_ONLY
    blocks: int
    population: int | None
    once: bool = False
    """True if there is a single look, after all blocks are read."""
    independent: bool = False
    """True if designs were evaluated independently, and are paired by the numbers of their observations."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "blocks", as_count(self.blocks, "blocks"))
        if self.population is not None and as_count(self.population, "population") < self.blocks:
            raise InputError(
                f"population must be at least the number of blocks seen, got {self.population:,} and {self.blocks:,}."
            )
        super().__post_init__()

    @property
    def ends_on_ties(self) -> bool:
        """True: the number of blocks is limited."""
        return True

    @cached_property
    def certificate(self) -> Paired:
        """The certificate, which decides when to stop and what to claim."""
        settings = self.blocks, self.population, self.once, self.radius_scale, self.independent, self.planned
        return Paired(self.question, self.n_designs, *settings, self.pilots)

    @property
    def most_each(self) -> int:
        """The number of all blocks."""
        return self.blocks

    @property
    def checkpoints(self) -> Counts:
        return np.array([self.certificate.levels])

    def start(self) -> Prefixes:
        return self.certificate.start()

    def tell(self, state: Prefixes, observations: Observations) -> Prefixes:
        """Return the state with the next blocks of some designs."""
        return self.certificate.tell(state, observations)

    def seen(self, state: Prefixes) -> Statistics:
        return state.statistics

    def read(self, state: Prefixes) -> Counts:
        """Return how many blocks each design has come past; how many it has met, in a table that is complete."""
        return (state.counts if self.once else state.reach)[:, None]

    def ask(self, state: Prefixes, most: int | None = None) -> Pulls:
        pulls = super().ask(state, most)
        return Pulls(np.repeat(pulls.designs, pulls.counts)) if self.independent else pulls  # sums have no partners

    def outlook(self, state: Prefixes, claims: Claims) -> Outlook:
        """Return what forecasts read: averages of differences on common blocks."""
        return of_blocks(self.certificate, state, claims)

    def begun(self, state: Prefixes) -> bool:
        return self.once or super().begun(state)

    def claims(self, state: Prefixes) -> Claims:
        """Return what the blocks certify; more than at epsilon where something is undecided there."""
        claims = self.certificate.claims(state)
        return claims if claims.done else self.certificate.claims(state, sharp=True)

    def why(self, state: Prefixes, claims: Claims) -> str:
        spent = self.max_evaluations is not None and state.evaluations >= self.max_evaluations
        if claims.done or spent or (self.needed(claims) & (state.reach < self.blocks)).any():
            return super().why(state, claims)
        undecided = undecided_words(int(claims.undecided.sum()))
        return f"all recorded blocks are read: {undecided} at epsilon = {self.epsilon:g}"

    def worth(self, epsilon: float, state: Prefixes) -> Guarantee | Heuristic:
        levels = "" if self.certificate.required is None else ", levels met within epsilon"
        if levels and not self.question.keeps_levels and self.success == "contain":
            levels += " (of rivals with more to spare)"
        page = "adaptive" if self.independent else "blocks"
        theorem = f'for every truth: paired differences{levels}, success "{self.success}", docs/{page}'
        worth = self.proven(epsilon, theorem, f"{self._order_words()}; {self._noise_words}")
        exact = self.population is not None and bool((state.counts == self.population).all())
        return worth.proof if exact and worth.proof else worth  # averages that are known exactly need no normal noise

    def _order_words(self) -> str:
        if self.independent:
            return INDEPENDENT
        if self.population is None:
            return "blocks that are a random sample of an unlimited population, in random order"
        return f"blocks in random order out of the {self.population:,} over which averages are taken"

    @property
    def _noise_words(self) -> str:
        kinds = self.certificate.kinds
        dependent = ", dependent on each other within a block in any way"
        if self.certificate.bets:
            return kinds.noise.words + dependent * (not self.independent)
        normal = "differences between designs that are normal from block to block, of unknown covariance"
        words = self.noise.words.replace(GaussianUnknown().words, normal) + dependent * kinds.several
        required = self.certificate.required
        if required is not None and np.isin(required, kinds.normal).any():
            words += f", and values that are {'normal' if kinds.several else 'so'} themselves where they have a level"
        return words
