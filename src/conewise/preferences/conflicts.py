"""Find a smallest set of statements that contradict each other, by Farkas' lemma (docs/preferences)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from conewise.border import DEGENERATE, Floats
from conewise.cone.polyhedra import smallest_combination, unit
from conewise.preferences.statements import Statement

_OPPOSED: Final = 8 * DEGENERATE  # unit rays contradict each other if they cancel up to this


@dataclass(frozen=True)
class Conflict:
    """A minimal set of statements that cannot all hold; false if there is no contradiction."""

    statements: tuple[Statement, ...] = ()
    take_back: tuple[Statement, ...] = ()
    """Statements that resolve every contradiction when any one of them is taken back; () if one is not enough."""

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
    """Return (m, D): the rays of all statements, at length 1."""
    found = [s.rays for s in statements if len(s.rays)]
    return unit(np.vstack(found)) if found else np.empty((0, dim))


def conflict_among(statements: Sequence[Statement], dim: int) -> Conflict:
    """Return a smallest set of statements that contradict each other, and what to take back; false if all agree."""
    found = contradiction(statements, dim)
    alone = [s for s in found if not contradiction([other for other in statements if other is not s], dim)]
    return Conflict(tuple(found), tuple(alone))


def contradiction(statements: Sequence[Statement], dim: int) -> list[Statement]:
    """Return a minimal set of statements that contradict each other; [] if all agree."""
    involved = _unsatisfiable(statements, dim)
    for statement in tuple(involved):
        fewer = [other for other in involved if other is not statement]
        if _unsatisfiable(fewer, dim):
            involved = fewer
    return involved


def _unsatisfiable(statements: Sequence[Statement], dim: int) -> list[Statement]:
    """Return statements that cannot all hold, found by the multipliers of Farkas' lemma; [] if all can hold."""
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
    """Return the statements whose rays have a weight, in the order in which they were made."""
    used = [owner for owner, weight in zip(owners, weights, strict=True) if weight > 1e-9]
    return list({id(owner): owner for owner in used}.values())


def _exchange_found(rays: Floats, lost: int, paid: tuple[int, ...]) -> Floats | None:
    """Return (m,): weights of rays whose sum loses in `lost` and gains at most in `paid`; None if there are none."""
    if not len(rays) or not (rays[:, lost] < 0).any():
        return None
    from scipy.optimize import linprog

    others = [d for d in range(rays.shape[1]) if d not in paid and d != lost]
    # A combination that gains elsewhere is not this exchange. A loss elsewhere is no obstacle: an axis offsets it.
    upper = np.vstack([rays[:, others].T, rays[:, [lost]].T])
    bounds = np.append(np.zeros(len(others)), -1.0)
    found = linprog(np.ones(len(rays)), A_ub=upper, b_ub=bounds, method="highs")
    return np.asarray(found.x) if found.status == 0 else None
