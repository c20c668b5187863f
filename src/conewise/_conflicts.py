"""Statements that contradict each other: a smallest set of them, by Farkas' lemma (docs/preferences)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from conewise._arrays import DEGENERATE, Floats
from conewise._polyhedra import smallest_combination, unit
from conewise._statements import Statement

_OPPOSED: Final = 8 * DEGENERATE  # unit rays that cancel within this contradict each other


@dataclass(frozen=True)
class Conflict:
    """Statements that cannot all hold, none of which could be left out; falsy where there are none."""

    statements: tuple[Statement, ...] = ()
    take_back: tuple[Statement, ...] = ()
    """The statements of which any one, taken back alone, leaves no contradiction at all; () where it takes more."""

    def __bool__(self) -> bool:
        return bool(self.statements)

    def __len__(self) -> int:
        return len(self.statements)

    def __iter__(self) -> Any:
        return iter(self.statements)

    def __str__(self) -> str:
        if not self:
            return "the statements agree"
        said = "; ".join(f'"{statement}"' for statement in self.statements)
        if len(self.statements) == 1:
            one_sided = (self.statements[0].rays > 0).any(axis=1).all()
            why = (
                "weighs so much against so little that no cone can be computed with it; give the objectives units in "
                "which these amounts are of similar size"
                if one_sided
                else "says that getting worse is getting better; take it back"
            )
            return f"{said} {why}"
        one = " or ".join(f'"{statement}"' for statement in self.take_back)
        remedy = f"take back {one}" if one else "take one of them back, and look again: there are more"
        return f"these statements contradict each other: {said}; {remedy}"


def rays_of(statements: Iterable[Statement], dim: int) -> Floats:
    """(m, D): all their rays, at length 1."""
    found = [s.rays for s in statements if len(s.rays)]
    return unit(np.vstack(found)) if found else np.empty((0, dim))


def contradiction(statements: Sequence[Statement], dim: int) -> list[Statement]:
    """A smallest set of statements that contradict each other: none of them can be left out; [] where they agree."""
    involved = _opposed(statements, dim)
    for statement in tuple(involved):
        fewer = [other for other in involved if other is not statement]
        if _opposed(fewer, dim):
            involved = fewer
    return involved


def _opposed(statements: Sequence[Statement], dim: int) -> list[Statement]:
    """Statements that cannot all hold, by the multipliers of Farkas' lemma; [] where they can."""
    owners = [s for s in statements for _ in s.rays]
    rays = rays_of(statements, dim)
    axes = np.eye(dim)
    if len(rays):
        weights, shortest = smallest_combination(np.vstack([axes, rays]))
        if float(np.linalg.norm(shortest)) <= _OPPOSED:
            return _owners(owners, weights[dim:])
    for statement in statements:
        for lost, paid in statement.forbidden:
            used = _exchange_found(rays, lost, paid)
            if used is not None:
                return [*_owners(owners, used), statement]
    return []


def _owners(owners: Sequence[Statement], weights: Floats) -> list[Statement]:
    """The statements behind rays with a weight, in the order in which they were made."""
    used = [owner for owner, weight in zip(owners, weights, strict=True) if weight > 1e-9]
    return list({id(owner): owner for owner in used}.values())


def _exchange_found(rays: Floats, lost: int, paid: tuple[int, ...]) -> Floats | None:
    """(m,): a combination of the rays that loses in one objective and gains in these alone; None if there is none."""
    if not len(rays) or not (rays[:, lost] < 0).any():
        return None
    from scipy.optimize import linprog

    others = [d for d in range(rays.shape[1]) if d not in paid and d != lost]
    # Where a combination gains elsewhere, it is not this exchange; what it loses elsewhere can be made good by an axis.
    upper = np.vstack([rays[:, others].T, rays[:, [lost]].T])
    bounds = np.append(np.zeros(len(others)), -1.0)
    found = linprog(np.ones(len(rays)), A_ub=upper, b_ub=bounds, method="highs")
    return np.asarray(found.x) if found.status == 0 else None
