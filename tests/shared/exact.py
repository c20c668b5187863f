"""Cones in many digits (`hundred_digits`): every quantity from its definition, by enumeration."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from decimal import Context, Decimal, localcontext
from itertools import combinations

TINY = Decimal("1e-70")  # a pivot below this is a row that depends on others: data have 16 digits

Vector = list[Decimal]


def hundred_digits() -> AbstractContextManager[Context]:
    """Everything below is to be computed inside of this."""
    return localcontext(Context(prec=100))


def dot(first: Vector, second: Vector) -> Decimal:
    return sum((a * b for a, b in zip(first, second, strict=True)), Decimal(0))


def length(vector: Vector) -> Decimal:
    return dot(vector, vector).sqrt()


def solved(matrix: list[Vector], right: list[Vector]) -> list[Vector] | None:
    """Gauss with pivots; None when the matrix is singular."""
    n = len(matrix)
    work = [[*row, *extra] for row, extra in zip(matrix, right, strict=True)]
    for c in range(n):
        pivot = max(range(c, n), key=lambda r: abs(work[r][c]))
        if abs(work[pivot][c]) < TINY:
            return None
        work[c], work[pivot] = work[pivot], work[c]
        work[c] = [x / work[c][c] for x in work[c]]
        for r in range(n):
            if r != c and work[r][c] != 0:
                work[r] = [x - work[r][c] * y for x, y in zip(work[r], work[c], strict=True)]
    return [row[n:] for row in work]


class ExactCone:
    """{x : rows x >= 0} for rows of floats, scaled to unit length in a hundred digits."""

    def __init__(self, rows: Sequence[Sequence[float | Decimal]]) -> None:
        given = [[Decimal(x) for x in row] for row in rows]
        self.rows = [[x / length(row) for x in row] for row in given]
        self.dim = len(self.rows[0])
        gram = [[dot(a, b) for b in self.rows] for a in self.rows]
        self._subsets: list[tuple[tuple[int, ...], list[Vector]]] = []
        for size in range(1, min(len(self.rows), self.dim) + 1):
            unit = [[Decimal(int(i == j)) for j in range(size)] for i in range(size)]
            for chosen in combinations(range(len(self.rows)), size):
                inverse = solved([[gram[i][j] for j in chosen] for i in chosen], unit)
                if inverse is not None:
                    self._subsets.append((chosen, inverse))

    def lift(self, b: Sequence[float | Decimal]) -> Vector:
        """argmin{ |u| : rows u >= b }: over the subsets with non-negative multipliers, the longest."""
        wanted = [Decimal(x) for x in b]
        best, answer = Decimal(0), [Decimal(0)] * self.dim
        for chosen, inverse in self._subsets:
            some = [wanted[i] for i in chosen]
            weights = [dot(row, some) for row in inverse]
            value = dot(weights, some)
            if min(weights) >= 0 and value > best:
                best = value
                answer = [
                    sum((w * self.rows[i][d] for w, i in zip(weights, chosen, strict=True)), Decimal(0))
                    for d in range(self.dim)
                ]
        return answer

    def project(self, x: Sequence[float | Decimal]) -> Vector:
        point = [Decimal(v) for v in x]
        return [a + b for a, b in zip(point, self.lift([-dot(row, point) for row in self.rows]), strict=True)]

    def project_on_dual(self, x: Vector) -> Vector:
        """Moreau: x = (projection on C+) - (projection of -x on C)."""
        return [a + b for a, b in zip(x, self.project([-v for v in x]), strict=True)]

    def widths(self) -> Vector:
        return [length(self.project(row)) for row in self.rows]

    def rays(self) -> list[Vector]:
        """Each the null vector of D - 1 rows on which no other is negative."""
        found = []
        for chosen in combinations(self.rows, self.dim - 1):
            ray = self._null(list(chosen))
            if ray is None:
                continue
            values = [dot(row, ray) for row in self.rows]
            if min(values) >= -TINY or max(values) <= TINY:
                size = length(ray) if max(values) > TINY else -length(ray)
                found.append([x / size for x in ray])
        return found

    def _null(self, rows: list[Vector]) -> Vector | None:
        for fixed in range(self.dim):
            rest = solved(
                [[x for d, x in enumerate(row) if d != fixed] for row in rows], [[-row[fixed]] for row in rows]
            )
            if rest is not None:
                ray = [entry[0] for entry in rest]
                return [*ray[:fixed], Decimal(1), *ray[fixed:]]
        return None

    def beta(self, start: Sequence[Sequence[float]]) -> Decimal:
        """1 / sin of the widest angle in C+: the best of the ascents from `start` and from its widest pairs of rows."""
        pairs = sorted(combinations(self.rows, 2), key=lambda pair: dot(*pair))
        starts = [[[Decimal(float(x)) for x in v] for v in start], *pairs[:6]]
        return max(self._ascent(*pair) for pair in starts)

    def _ascent(self, u: Vector, v: Vector) -> Decimal:
        for _ in range(30):
            moved = self.project_on_dual([-x for x in v])
            if length(moved) == 0:
                return Decimal(1)
            u, v = v, [x / length(moved) for x in moved]
        cosine = dot(u, v) / (length(u) * length(v))
        return 1 / (1 - cosine * cosine).sqrt() if cosine < 0 else Decimal(1)
