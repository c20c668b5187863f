"""A table read with a model of its designs: the posterior certificate, and the one for every truth beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from conewise.analysis.explanations import Findings
from conewise.analysis.planning import EVALUATE
from conewise.border import as_words
from conewise.certificate.claims import epsilon_of
from conewise.certificate.history import Checkpoints
from conewise.data.observations import Observations, Pulls, Statistics
from conewise.errors import InputError, shown
from conewise.models import Prior
from conewise.models.priors import prior_of
from conewise.question.question import Question
from conewise.rules import Claims, ModelGuided, Plan, Result, SuccessiveElimination
from conewise.rules.adaptive.fixed import FixedSample
from conewise.rules.modelled import Confirm
from conewise.tables.featured import Listed, features_of
from conewise.tables.means import WideTable
from conewise.tables.measurements import LongTable, Source


@dataclass(frozen=True, eq=False)
class Modelled:
    """What is said of a model: features by column, the prior or its name, all designs, and the rule's options."""

    features: Sequence[str] = ()
    model: Prior | str | None = None
    designs: Any = None
    """A table of all designs, evaluated or not; None where those that were measured are all."""
    price: str | None = None
    """The column with what an evaluation of each design costs."""
    robust: bool = False
    confirm: Confirm = False
    seed: int = 0

    @classmethod
    def asked(
        cls, features: Any, model: Any, designs: Any, price: Any, *, robust: bool, confirm: Confirm, seed: int
    ) -> Modelled | None:
        """From a user's arguments; None where nobody speaks of a model."""
        if features is None and model is None:
            given = {
                "designs": designs is not None,
                "price": price is not None,
                "robust": bool(robust),
                "confirm": bool(confirm),
            }
            word = next((word for word, is_given in given.items() if is_given), None)
            if word is not None:
                raise InputError(f"`{word}` belongs to a model: name the features of the designs (`features`).")
            return None
        columns = () if features is None else as_words(features, "features")
        if features is not None and not columns:
            raise InputError("features is empty: name the columns that describe the designs.")
        if columns and isinstance(model, Prior):
            raise InputError("the model brings its own features: leave `features` out, or give the name of a model.")
        if not isinstance(model, Prior | str | None):
            raise InputError(f"model must be a prior such as models.Smooth(features), or its name, got {shown(model)}.")
        if not isinstance(price, str | None):
            raise InputError(f"price must be the name of a column, got {shown(price)}.")
        return cls(columns, model, designs, price, robust, confirm, seed)

    def check(self, block: str | None, separate: bool, executor: Any, units: str | None) -> None:
        """Refuse what has no posterior."""
        if units is not None:
            raise InputError("a prior is declared before the values are seen, in units that they did not choose.")
        odd = {"`block`": block is not None, "`separate`": separate, "an `executor`": executor is not None}
        word = next((word for word, given in odd.items() if given), None)
        if word is not None:
            raise InputError(f"a model reads independent evaluations in one piece: leave {word} or the model out.")

    def numbered(self, observations: Any) -> list[str] | None:
        """Names for observations without any: as many as the model's features describe."""
        described = getattr(getattr(self.model, "table", None), "n_designs", 0)
        if not isinstance(observations, Observations) or not len(observations):
            return None
        return [str(k) for k in range(max(described, int(observations.designs.max()) + 1))]

    def listed(self, source: Source) -> Source:
        """The source with all designs."""
        return source if self.designs is None else Listed(source, self.designs)

    def prior(self, source: Source) -> Prior:
        """The prior for the designs of a source, whose columns are read for it."""
        if isinstance(self.model, Prior):
            self.model.check(len(source.names))
            return self.model
        features = _columns_of(source, self.features) if self.features else None
        return prior_of(self.model or "smooth", features)

    def prices(self, source: Source) -> list[Any] | None:
        """What an evaluation of each design costs."""
        if self.price is None:
            return None
        found = _columns_of(source, [self.price])[self.price]
        odd = next((entry for entry in found if not isinstance(entry, int | float)), None)
        if odd is not None or None in found:
            raise InputError(f"the column {self.price!r} must hold the price of every design, got {shown(odd)}.")
        return found

    def rule(self, source: Source, question: Question, most: int | None) -> ModelGuided:
        """The rule whose certificate judges the table, and that says what to evaluate next."""
        prior = self.prior(source)
        if question.epsilon == 0 and most is None:
            raise InputError(
                "with a model epsilon = 0 never ends: give an epsilon above 0, the difference that does not matter, or "
                "`max_evaluations`."
            )
        return ModelGuided(
            question,
            len(source.names),
            max_evaluations=most,
            model=prior,
            prices=self.prices(source),
            robust=self.robust,
            confirm=self.confirm,
            seed=self.seed,
        )


def _columns_of(source: Source, columns: Sequence[str]) -> dict[str, list[Any]]:
    """Columns that describe designs, one value a design."""
    if isinstance(source, Listed):
        return source.features(columns)
    if isinstance(source, LongTable | WideTable):
        return features_of(source, columns)
    raise InputError("features are columns of a table; with observations give model=models.Smooth(features).")


@dataclass(frozen=True, eq=False)
class ByModel:
    """What a model makes of the statistics of a table."""

    rule: ModelGuided
    state: Checkpoints
    result: Result

    @classmethod
    def of(cls, rule: ModelGuided, statistics: Statistics, claims: Claims | None) -> ByModel:
        """From the statistics, and the claims that hold for every truth; None before all designs can be compared."""
        state = replace(rule.start(), statistics=statistics)
        result = rule.recommend(state)
        cover = rule.success == "cover"
        every = None if claims is None else epsilon_of(claims, cover, result.pareto)
        return cls(rule, state, replace(result, certified={**result.certified, "every truth": every}))

    @classmethod
    def of_growing(cls, guided: ModelGuided, rule: SuccessiveElimination, stream: Iterable[Observations]) -> ByModel:
        """Of evaluations in their order, which also go to the certificate of looks."""
        state = rule.start()
        for observations in stream:
            state = rule.tell(state, observations)
        claims = rule.certificate.claims(state) if state.begun else None
        return cls.of(guided, state.everything, claims)

    @classmethod
    def of_final(cls, guided: ModelGuided, question: Question, source: Source, statistics: Statistics) -> ByModel:
        """Of whole samples, with the certificate of one look."""
        sample = FixedSample(question, statistics.n_designs)
        compared = (statistics.counts >= (2 if sample.radii.estimates else 1)).all()
        claims = sample.claims(statistics) if compared else None
        if source.summarised:
            # Unknown correlations were put at their worst for every truth; a model takes none between objectives.
            statistics = Statistics.empty(statistics.n_designs, statistics.dim)
            for observations in source:
                statistics = statistics.add(observations)
        return cls.of(guided, statistics, claims)

    @property
    def statistics(self) -> Statistics:
        """What was read."""
        return self.state.everything

    def next(self, evaluations: int) -> Pulls:
        """What the rule asks for, at most so many."""
        return self.rule.ask(self.state, evaluations)

    @property
    def plan(self) -> Plan:
        """What it asks for by itself; what remains after that nobody knows."""
        pulls = self.rule.ask(self.state)
        return Plan(pulls, pulls.total, at_least=pulls.total > 0)


@dataclass(frozen=True, eq=False)
class ModelFindings(Findings):
    """The sentences of an answer with a model: two promises, and what was predicted."""

    def _sure(self) -> str:
        return f"{super()._sure()}, {self._scope}"

    @property
    def _scope(self) -> str:
        proof = self.result.guarantee.proof
        return proof.theorem.partition(",")[0] if proof else "on average over the prior"

    @property
    def _doubted(self) -> bool:
        return not self.result.guarantee.proof

    def _certified(self) -> str:
        worth = self.result.guarantee
        if not worth and not worth.proof:
            every = f" {self._every_truth()}" if self.result.certified.get("every truth") is not None else ""
            return f"Nothing is certified with the model: {worth.reason}.{every}"
        held = super()._certified()
        return f"{self._scope[0].upper()}{self._scope[1:]}: {held[0].lower()}{held[1:]} {self._every_truth()}"

    def _every_truth(self) -> str:
        every = self.result.certified.get("every truth")
        if every is not None and not self.result.pareto.any():
            return "The same is certified for every truth."
        if every is not None:
            holds = f"{self.question.columns.within(every)}{self._if}"
            return f"For every truth the same set is certified for epsilon = {holds}."
        return "For every truth nothing is certified of that set."

    def _certain(self) -> list[str]:
        """Who was returned without being evaluated."""
        predicted = np.flatnonzero(self.result.pareto & (self.statistics.counts == 0))
        if not len(predicted):
            return []
        return [f"Returned by prediction alone, never evaluated: {self._names(predicted)}."]

    def _too_few(self) -> list[str]:
        """Designs that were evaluated once or never are predicted by the others."""
        never = int((self.statistics.counts == 0).sum())
        return [f"{never} of {len(self.statistics.counts)} designs were never evaluated."] if never else []

    def _validity(self) -> list[str]:
        if self._doubted:
            return []
        levels = " the levels," if self.question.columns.levels else ""
        words = (
            "You may add rows and look again as often as you like; the features, the model and its seed, the cone,"
            f"{levels} epsilon, delta, the success asked for and the noise assumed stay as at the first look."
        )
        if self.final:
            words += " The table was declared final: what holds for every truth is lost if you look again."
        return [words]

    def _next(self) -> list[str]:
        wanted = self.plan.pulls
        if not wanted.total:
            return []
        return [f"{EVALUATE}{self._names(wanted.designs)} next."]
