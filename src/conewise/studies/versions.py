"""What a study asks at one time: of which designs, from which of their evaluations on, with what part of delta.

Every certificate that a study ever uses has a part of delta of its own, fixed before the evaluations that it judges
were made; docs/studies, "Changing a study", proves that the answers before and after all changes are then right
together with probability 1 - the sum of the parts. (What is decided without regard to the values takes no part: then
that is so of the answers before it, and of those after it.)

* At first: delta, or what a `reserve` leaves of it.
* The n-th time that a part is needed: 2^-n of the reserve (of delta, where nothing was reserved).
* A question that was changed because of the values is judged by a certificate that knows no epsilon, one for each set
  of designs that may be left: of K designs at the beginning and r dropped ones, `weight(K, r)` of the part.
* Designs that were added because of the values begin a new *epoch*: what was evaluated before is not compared again,
  except that whoever was beaten stays out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Any, Final

from conewise.errors import InputError
from conewise.rules import Algorithm
from conewise.studies.ledger import Mark
from conewise.studies.rules import build
from conewise.studies.spec import Specification

CHANGEABLE: Final = ("elimination", "paired")
"""The rules whose certificate is known to stay right when a question is changed."""


def weight(designs: int, dropped: int) -> float:
    """The part of one certificate among all that `designs` may be left with: their total is at most 1.

    >>> sum(math.comb(5, r) * weight(5, r) for r in range(6)) <= 1
    True
    """
    return 1 / ((dropped + 1) * (dropped + 2) * math.comb(designs, dropped))


@dataclass(frozen=True, eq=False)
class Version:
    """One version of the question."""

    specification: Specification
    """With the names of all designs that there ever were, and epsilon as it is asked now."""
    designs: tuple[int, ...]
    """The designs that are compared, ascending, by the numbers in their evaluations' ids."""
    base: int
    """How many designs could be dropped since the epoch began, those that were among them."""
    parts: int = 0
    """How many parts of delta were taken after the first."""
    changed: bool = False
    """Whether the question was changed because of the values, in this epoch."""
    limit: int | None = None
    """The most evaluations of the study in all, where that was changed."""
    aside: int = 0
    """Evaluations that were told and are not compared any more."""
    dropped: tuple[int, ...] = ()
    beaten: tuple[int, ...] = ()
    """Designs that were beaten when others were added."""
    assumed: tuple[str, ...] = ()
    """What is taken for granted of the changes."""
    since: Mark | None = None
    """When candidates of a box joined for the last time: what was told by then counts from the beginning."""

    @classmethod
    def first(cls, specification: Specification) -> Version:
        """What the header says."""
        k = specification.n_designs
        return cls(specification, tuple(range(k)), k)

    @property
    def part(self) -> float:
        """The probability with which the certificates of the present question may err."""
        spec = self.specification
        if not self.parts:
            return spec.question.delta * (1 - spec.reserve)
        return (spec.reserve or 1.0) * spec.question.delta / 2.0**self.parts

    @property
    def spent(self) -> float:
        """The same of all certificates so far."""
        spec = self.specification
        if not self.parts:
            return self.part
        # In decimals, as people give delta: 0.05 and half of it are 0.075.
        delta, reserve = Decimal(repr(spec.question.delta)), Decimal(repr(spec.reserve))
        return float(delta * (1 - reserve + (reserve or 1) * (1 - Decimal(1) / 2**self.parts)))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the designs that are compared."""
        names = self.specification.names
        return names if len(names) == len(self.designs) else tuple(names[k] for k in self.designs)

    @property
    def as_created(self) -> bool:
        """Whether nothing but the limit was ever changed."""
        return not self.changed and self.parts == 0 and len(self.designs) == self.specification.n_designs

    @cached_property
    def algorithm(self) -> Algorithm[Any]:
        """The rule that answers this version, in whose eyes larger is better."""
        spec, k = self.specification, len(self.designs)
        if self.as_created and self.limit is None and not self.assumed:
            return spec.build()
        options = dict(spec.built_options)
        if self.limit is not None and spec.question.epsilon > 0:
            planned = options.pop("max_evaluations", None)  # the study itself ends there
            if spec.algorithm == "elimination" and not self.changed and planned is not None:
                options["planned"] = planned  # the certificate stays as it was before the first evaluation
        if spec.box is not None:
            return spec.meshed(options).rule(spec.places, spec.stage)
        if not self.changed:
            return spec.rule(replace(spec.question, delta=self.part), k, options)
        options.pop("max_evaluations", None)  # its schedule must not know the limit
        part = self.part * weight(self.base, self.base - k)
        return build(spec.algorithm, replace(spec.question, delta=part), k, options, spec.blocks, any_epsilon=True)

    # -- changes ---------------------------------------------------------------------------------------------------

    def after(self, mark: Mark, beaten: Callable[[], Sequence[int]]) -> Version:
        """The version that a change leads to; `beaten` says who was by then."""
        allowed = self.specification.refines if mark.change.kind == "join" else self._only_the_limit(mark)
        if not allowed:
            self.check_changeable()
        acts = {
            "add": self._added,
            "drop": self._dropped,
            "change": self._changed,
            "objective": self._widened,
            "join": self._joined,
        }
        return acts[mark.change.kind](mark, beaten)

    def check_changeable(self) -> None:
        """Refuse where the certificate is of one question alone."""
        spec = self.specification
        if spec.algorithm in CHANGEABLE:
            return
        what = f"a study with the rule {spec.algorithm!r} cannot be changed, only one with {' or '.join(CHANGEABLE)}"
        if spec.separate or spec.posterior:
            kind = "whose objectives are measured separately" if spec.separate else "with a model"
            what = f"of a study {kind} only the limit can be changed (`max_evaluations`), where epsilon is above 0"
        raise InputError(f"{what}: make a new study, and take the evaluations along with export and tell.")

    def _only_the_limit(self, mark: Mark) -> bool:
        """Where any stopping time is as good as another; what is asked, and of whom, stays as declared."""
        change, spec = mark.change, self.specification
        fixed = change.kind == "change" and change.epsilon in (None, spec.question.epsilon)
        return fixed and (spec.posterior or spec.separate) and spec.question.epsilon > 0

    def _with_part(self, **changes: Any) -> Version:
        """With another part of delta, which nobody has looked at yet."""
        limit = self.specification.options.get("max_evaluations") if self.limit is None else self.limit
        return replace(self, **{"limit": limit, **changes}, parts=self.parts + 1)

    def _changed_question(self, **changes: Any) -> Version:
        return replace(self, **changes) if self.changed else self._with_part(changed=True, **changes)

    def _added(self, mark: Mark, beaten: Callable[[], Sequence[int]]) -> Version:
        change, spec = mark.change, self.specification
        self._check_noise("added")
        if spec.blocks is not None and not change.unseen:
            raise InputError(
                f"comparisons cannot start again with the {spec.blocks.column}s that are left; add designs whose "
                "choice had nothing to do with the values (`unseen=True`), or make a new study."
            )
        new = tuple(range(spec.n_designs, spec.n_designs + len(change.designs)))
        longer = replace(spec, names=(*spec.names, *change.designs), rows=(*spec.rows, *change.rows))
        if change.unseen:
            designs = (*self.designs, *new)
            said = f"that {_designs(len(new))} added without regard to the values"
            base = self.base + len(new)
            return replace(self, specification=longer, designs=designs, base=base, assumed=(*self.assumed, said))
        out = tuple(sorted(set(beaten())))
        designs = (*(k for k in self.designs if k not in out), *new)
        return self._with_part(
            specification=longer,
            designs=designs,
            base=len(designs),
            changed=False,
            aside=mark.told,
            beaten=(*self.beaten, *out),
        )

    def _joined(self, mark: Mark, beaten: Callable[[], Sequence[int]]) -> Version:
        """With more candidates of the box, which may be chosen by looking: docs/posterior, section 11."""
        change, spec = mark.change, self.specification
        names, rows = (*spec.names, *change.designs), (*spec.rows, *change.rows)
        more = replace(spec, names=names, rows=rows, stage=spec.stage + 1)
        return replace(self, specification=more, designs=tuple(range(len(names))), base=len(names), since=mark)

    def _dropped(self, mark: Mark, beaten: Callable[[], Sequence[int]]) -> Version:
        change = mark.change
        self._check_noise("dropped")
        stray = next((k for k in change.dropped if k not in self.designs), None)
        if stray is not None:
            names = self.specification.names
            said = f"{names[stray]!r:.60}" if stray < len(names) else f"number {stray}"
            raise InputError(f"design {said} is not among those that are compared, so it cannot be dropped.")
        designs = tuple(k for k in self.designs if k not in change.dropped)
        if len(designs) < 2:
            raise InputError(f"a study compares at least 2 designs; {len(designs)} would be left.")
        dropped = (*self.dropped, *change.dropped)
        aside = self.aside + int(mark.counts(change.dropped))
        if change.unseen:
            said = f"that {_designs(len(change.dropped))} dropped without regard to the values"
            base = self.base - len(change.dropped)
            return replace(
                self, designs=designs, base=base, dropped=dropped, aside=aside, assumed=(*self.assumed, said)
            )
        return self._changed_question(designs=designs, dropped=dropped, aside=aside)

    def _changed(self, mark: Mark, beaten: Callable[[], Sequence[int]]) -> Version:
        change, spec = mark.change, self.specification
        planned = spec.options.get("max_evaluations")
        limit = change.max_evaluations or self.limit
        epsilon = spec.question.epsilon if change.epsilon is None else change.epsilon
        if epsilon == 0 and spec.question.success == "cover":
            raise InputError(
                "epsilon = 0 asks for the exact Pareto set, and this study for a cover of it; make a new study with "
                'success "contain", and take the evaluations along with export and tell.'
            )
        if epsilon == 0 and limit is None and planned is None and spec.blocks is None:
            raise InputError("epsilon = 0 never ends on ties: give max_evaluations as well.")
        further = epsilon == 0 and limit is not None and planned is not None and limit > planned and not spec.blocks
        if epsilon == spec.question.epsilon and not further:
            return replace(self, limit=limit)
        asked = replace(spec, question=replace(spec.question, epsilon=epsilon))
        if spec.blocks is not None:  # one event serves all epsilons, docs/blocks, section 3
            return replace(self, specification=asked, limit=limit)
        return self._changed_question(specification=asked, limit=limit or planned)

    def _widened(self, mark: Mark, beaten: Callable[[], Sequence[int]]) -> Version:
        """With one more objective: whoever was beaten without it may be Pareto optimal with it, and is back."""
        change, spec = mark.change, self.specification
        asked = replace(spec, question=change.asked(spec.question))
        asked.question.assumed.check_dim(asked.dim, asked.n_designs)
        designs = tuple(k for k in range(spec.n_designs) if k not in self.dropped)
        if spec.blocks is not None and (mark.aside or not change.unseen):
            raise InputError(
                f"comparisons cannot start again with the {spec.blocks.column}s that are left: an objective is added "
                "with its values of all earlier evaluations, and without regard to any value (`unseen=True`)."
            )
        if change.unseen:
            said = f"that {change.asked(spec.question).names[-1]} was added without regard to the values"
            base = self.base + len(designs) - len(self.designs)
            aside = self.aside + mark.aside
            return replace(
                self,
                specification=asked,
                designs=designs,
                base=base,
                aside=aside,
                beaten=(),
                assumed=(*self.assumed, said),
            )
        return self._with_part(
            specification=asked, designs=designs, base=len(designs), changed=False, aside=mark.told, beaten=()
        )

    def _check_noise(self, act: str) -> None:
        spec = self.specification
        try:
            spec.question.assumed.check_dim(spec.dim, spec.n_designs + 1)
        except InputError:
            raise InputError(
                f"the noise of this study is given design by design, so no design can be {act}; make a new study."
            ) from None


def _designs(count: int) -> str:
    return "1 design was" if count == 1 else f"{count} designs were"
