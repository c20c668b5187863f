"""Define the ordering cone: a frozen, validated value without redundant rows that says which design is better."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any, Final, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from conewise.border import (
    DEGENERATE,
    LARGEST_MEASURED,
    SAME_DIRECTION,
    Bools,
    Floats,
    as_count,
    as_floats,
    as_non_negative,
    as_number,
    as_vectors,
    check_sums,
    read_only,
)
from conewise.cone.checks import angle, as_about, as_bid_ask, as_rows, checked, irredundant, refuse_degenerate, whole
from conewise.cone.lift import Lift
from conewise.cone.polyhedra import extreme_rays, power_scaled, tangent_planes, unit
from conewise.cone.text import cone_arguments, cone_repr, matrix_text, number_text, stored_text
from conewise.cone.widest import OrderingComplexity, ordering_complexity
from conewise.errors import ConeError, InputError, shown
from conewise.limits import MOST_FACETS

_AT_ONCE: Final = 16_384  # points multiplied at a time: the columns of a chunk stay in cache


class Cone:
    """The polyhedral ordering cone C = {x : W x >= 0} in R^D: j is better than i when mu_j - mu_i lies in C.

    The rows of W are the extreme weightings of the objectives that one would accept. A larger cone has fewer
    weightings, compares more pairs of designs, and gives a smaller Pareto set.

    Rows are scaled to unit length, and redundant rows are removed (`removed` lists them). A cone that contains a line
    or has no interior is refused; the message names the direction or the rows at fault. Cones are frozen. Equal cones
    compare and hash equal whatever the order or scale of their rows (directions agree to 1e-12).

    >>> cone = Cone([[2, 1], [1, 2], [1, 1]])
    >>> cone.removed
    (2,)
    >>> cone == Cone([[10, 20], [2, 1]])
    True
    >>> cone
    Cone([[2, 1], [1, 2]])

    Reference: Ararat & Tekin 2023, Definitions 2.1 and 2.2.
    """

    dim: int
    """Number of objectives D."""

    removed: tuple[int, ...]
    """Indices of the given rows (or rays, in `from_rays`) that were redundant."""

    said: tuple[str, ...]
    """Sentences of the `Preferences` from which this cone was made; empty for any other cone."""

    about: tuple[tuple[str, str, float], ...] = ()
    """Name, goal and unit of the objectives that `said` is about; empty if unknown."""

    facets: Floats
    """Unit, irredundant rows w_n of W in the order given, (N, D)."""
    _given: Floats
    _text: str | None
    _order_rows: Floats

    order_lengths: Floats
    """(N,): lengths of the rows of `order_columns`, which are `order_lengths` times `facet_values`."""

    def __init__(self, W: ArrayLike) -> None:
        rows = as_rows(W, "W")
        units = unit(rows)
        refuse_degenerate(units, "rows")
        kept = irredundant(units, "row")
        self._fill(rows[kept], removed=tuple(n for n in range(len(rows)) if n not in kept))

    # -- constructors ---------------------------------------------------------------------------------------

    @classmethod
    def orthant(cls, dim: int) -> Self:
        """Return the cone of all non-negative vectors: the classical componentwise order, without trade-offs.

        >>> Cone.orthant(3).facets.tolist()
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        """
        dim = whole(dim)
        return cls._known(np.eye(dim), f"orthant:{dim}")

    @classmethod
    def planar(cls, degrees: float) -> Self:
        """Return C_theta: the cone in R^2 of opening angle `degrees` around the diagonal.

        Above 90 a large gain in one objective pays for a small loss in the other, so fewer designs are Pareto. Below 90
        a gain in both objectives does not count if it is too one-sided, so more designs are Pareto. `planar(90)` is
        `orthant(2)` to the last bit. Reference: Ararat & Tekin 2023, Example 2.6.

        >>> Cone.planar(90) == Cone.orthant(2)
        True
        """
        degrees = angle(degrees, "half-plane")
        tilt = math.radians((90.0 - degrees) / 2)
        sine, cosine = math.sin(tilt), math.cos(tilt)
        return cls._known(np.array([[cosine, -sine], [-sine, cosine]]) + 0.0, f"planar:{number_text(degrees)}")

    @classmethod
    def importance(cls, share: float, dim: int = 2) -> Self:
        """Return the cone in which every objective weighs at least `share` of the total (0 <= share < 1/dim).

        A share of 0 gives the orthant. This is the cone C' of Ararat & Tekin 2023, equation (2), for any number of
        objectives.

        >>> Cone.importance(0.25, dim=2)
        Cone.importance(0.25, dim=2)
        """
        share, dim = checked(as_number, share, "share"), whole(dim)
        if not 0 <= share < 1 / dim:
            remedy = "choose 0 for the orthant" if share < 0 else "choose a smaller share"
            raise ConeError(
                f"share must be at least 0 and below 1/dim = {1 / dim:g}, got {share:g}: "
                f"{dim} objectives cannot each weigh that much; {remedy}."
            )
        rows = np.full((dim, dim), share)
        np.fill_diagonal(rows, 1 - (dim - 1) * share)
        return cls._known(rows, f"importance:{number_text(share) if dim == 2 else f'{share!r},{dim}'}")

    @classmethod
    def ranked(cls, dim: int) -> Self:
        """Return the cone of objectives in order of importance: all weightings with w1 >= w2 >= ... >= 0 must agree.

        >>> Cone.ranked(2).contains([[1, -1], [-1, 1]]).tolist()
        [True, False]
        """
        dim = whole(dim)
        return cls._known(np.tri(dim), f"ranked:{dim}")

    @classmethod
    def from_rays(cls, V: ArrayLike) -> Self:
        """Return the cone of all non-negative combinations of the rows of V, the directions that count as improvements.

        >>> Cone.from_rays([[1, 0], [1, 1]]).facets.round(3).tolist()
        [[0.707, -0.707], [0.0, 1.0]]
        """
        vectors = as_rows(V, "V")
        alone = vectors[((vectors != 0).sum(axis=1) == 1) & (vectors >= 0).all(axis=1)]
        return cls._generated(vectors, gains=bool(alone.any(axis=0).all()))

    @classmethod
    def ice_cream(cls, degrees: float, facets: int = 12) -> Self:
        """Return a cone in R^3 around (1, 1, 1) with `facets` planes tangent to a round cone.

        `degrees` is the full opening angle of the round cone, as in `planar`, 0 < degrees < 180. The result contains
        the round cone.
        """
        degrees, count = angle(degrees, "half-space"), checked(as_count, facets, "facets", 3, MOST_FACETS)
        try:
            cone = cls(tangent_planes(math.radians(degrees / 2), count))
            alike = bool(cone.removed) or len(cone.rays) != count
        except ConeError:
            alike = True
        if alike:
            raise ConeError(
                f"{count} facets cannot be told apart numerically at degrees = {degrees!r}; take fewer facets, "
                "or another angle."
            )
        cone.__dict__["_text"] = f"ice_cream:{degrees!r},{count}"
        return cone

    @classmethod
    def exchange(cls, pi: ArrayLike) -> Self:
        """Return the solvency cone of a bid-ask matrix: pi[i][j] units of asset i buy one unit of asset j (Kabanov).

        It is generated by e_i and pi_ij e_i - e_j: portfolios that can be exchanged into non-negative holdings. A cycle
        of exchanges that returns at least its input is arbitrage. It is refused, and the message names the cycle.

        >>> Cone.exchange([[1, 2], [2, 1]]) == Cone([[1, 2], [2, 1]])
        True
        """
        matrix = as_bid_ask(pi, "pi")
        dim, identity = len(matrix), np.eye(len(matrix))
        trades = [matrix[i, j] * identity[i] - identity[j] for i in range(dim) for j in range(dim) if i != j]
        try:
            return cls._generated(np.vstack([identity, *trades]), f"exchange:{matrix_text(matrix)}")
        except ConeError as error:  # the message would name rows that the user did not give
            raise ConeError(
                f"pi cannot be computed with: some exchange there and back costs less than about {DEGENERATE:g} of "
                "what is exchanged, prices differ too much in size, or there are too many assets; raise the spreads, "
                "count assets in units of similar value, or take fewer."
            ) from error

    @classmethod
    def parse(cls, text: str, dim: int | None = None) -> Self:
        """Return a cone from its text form, as written on the command line and in TOML files.

        The forms are `orthant:3`, `planar:135`, `importance:0.29` or `importance:0.2,3`, `ranked:3`,
        `ice_cream:60.0,12`, `exchange:[[1,2],[2,1]]`, `rays:[[...],[...]]`, and plain rows: `[[2,1],[1,2]]`. `dim`
        supplies the number of objectives to `orthant`, `ranked` and `importance:0.2`.

        >>> Cone.parse("importance:0.2", dim=3) == Cone.importance(0.2, dim=3)
        True
        """
        kind, arguments = cone_arguments(text, dim)
        if kind == "rows":
            return cls(arguments[0])
        made: Self = getattr(cls, "from_rays" if kind == "rays" else kind)(*arguments)
        return made

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return the cone that `to_dict` wrote. It compares designs exactly as the original does."""
        if not isinstance(data, dict) or "rows" not in data:
            raise ConeError('a cone\'s dictionary needs the key "rows" (and may have "text"), as to_dict writes it.')
        rows, rays, text, said = data["rows"], data.get("rays"), data.get("text"), data.get("said", ())
        if not isinstance(said, list | tuple) or not all(isinstance(word, str) for word in said):
            raise ConeError('"said" in a cone\'s dictionary must be a list of sentences, as to_dict writes it.')
        if rays is None:
            cone = cls(rows)
        else:
            rows, rays = as_rows(rows, "rows"), as_rows(rays, "rays")
            if rows.shape[1] != rays.shape[1] or (unit(rows) @ unit(rays).T).min() < -DEGENERATE:
                raise ConeError('"rows" and "rays" in a cone\'s dictionary describe two cones; leave out "rays".')
            refuse_degenerate(unit(rays), "rays")
            cone = object.__new__(cls)._fill(rows, rays=rays.copy())
        about = as_about(data.get("about", ()), cone.dim)
        if text is not None:
            named = cls.parse(stored_text(text))
            if named != cone:
                raise ConeError(
                    f"the dictionary names the cone {text} but its rows describe another; remove one of the two."
                )
            cone = named
        return cone.remembering(said, about)

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and text, for JSON or TOML; `from_dict` reads them back to an equal cone.

        >>> Cone([[1, 3], [3, 1]]).to_dict()
        {'rows': [[1.0, 3.0], [3.0, 1.0]]}
        """
        data: dict[str, Any] = {"rows": self._given.tolist()}
        if not self._rows_suffice:
            data["rays"] = self.rays.tolist()
        if self._text is not None:
            data["text"] = self._text
        about = [list(each) for each in self.about]
        return data | ({"said": list(self.said)} if self.said else {}) | ({"about": about} if about else {})

    def remembering(self, sentences: Iterable[str], about: Iterable[tuple[str, str, float]] = ()) -> Self:
        """Return a copy of this cone with the sentences that it was made from, and the objectives they are about.

        `about` holds a name, a goal and a unit for each objective. Such a cone is refused for other objectives.
        """
        cone = object.__new__(type(self))
        cone.__dict__.update(self.__dict__, said=tuple(map(str, sentences)), about=tuple(about))
        return cone

    # -- geometry -------------------------------------------------------------------------------------------

    @cached_property
    def rays(self) -> Floats:
        """Extreme rays of C as unit vectors, (R, D), by Qhull or, for a simplicial cone, by the inverse of W."""
        return read_only(extreme_rays(self.facets))

    @cached_property
    def dual(self) -> Cone:
        """Dual cone C+ = {w : w.x >= 0 for all x in C}: weightings that agree with the order. Its facets are `rays`."""
        return object.__new__(type(self))._fill(self.rays, rays=self.facets)

    @cached_property
    def widths(self) -> Floats:
        """Widths alpha_n = max{ w_n.u : u in C, |u| <= 1 } in (0, 1], (N,): the length of w_n projected onto C.

        Reference: Ararat & Tekin 2023, section 2; docs/theory, section 3.
        """
        lengths = np.linalg.norm(self.project(self.facets), axis=1)
        return read_only(np.minimum(lengths, 1.0))

    @cached_property
    def centre(self) -> Floats:
        """Unit vector x deepest inside C: it maximises the smallest w_n.x."""
        deepest = self._lift.vectors(np.ones((len(self.facets), 1)))[:, 0]
        return read_only(deepest / np.linalg.norm(deepest))

    @cached_property
    def complexity(self) -> OrderingComplexity:
        """Ordering complexity: beta_1, beta_2 and beta, exact or bracketed, with the widest pair of the dual cone."""
        return ordering_complexity(self.facets, self.widths, lambda: self.rays)

    def contains(self, x: ArrayLike, *, interior: bool = False, tolerance: float = 0.0) -> Bools:
        """Return True for each x of shape (..., D) that lies in C, or in its interior if `interior`.

        The test is exact unless a `tolerance` is given: a distance to the facets relative to the length of x. Computed
        rays need about 1e-12.

        >>> bool(Cone.orthant(2).contains([1, 0])), bool(Cone.orthant(2).contains([1, 0], interior=True))
        (True, False)
        """
        vectors, tolerance = as_vectors(x, "x", self.dim), as_non_negative(tolerance, "tolerance")
        values, slack = self.order_values(vectors, "x"), np.zeros(1)
        if tolerance > 0:
            with np.errstate(over="ignore"):  # an infinite slack accepts every x
                slack = tolerance * np.linalg.norm(vectors, axis=-1)[..., None] * self.order_lengths
        return np.asarray((values > -slack if interior else values >= -slack).all(axis=-1))

    def project(self, x: ArrayLike) -> Floats:
        """Return the point of C nearest to each x of shape (..., D).

        >>> Cone.orthant(2).project([3, -1]).tolist()
        [3.0, 0.0]
        """
        vectors = as_vectors(x, "x", self.dim)
        flat = vectors.reshape(-1, self.dim)
        columns = self.order_columns(flat)
        check_sums(columns, "x", LARGEST_MEASURED)
        moved = flat + self._lift.vectors(-(columns / self.order_lengths[:, None])).T
        return np.asarray(moved + 0.0).reshape(vectors.shape)

    def includes(self, other: Cone) -> bool:
        """Return True if improvements under `other` are improvements here; Pareto sets are then subsets of `other`'s.

        >>> Cone.planar(135).includes(Cone.orthant(2)), Cone.orthant(2).includes(Cone.planar(135))
        (True, False)
        """
        other = as_cone(other, self.dim)
        if other.dim != self.dim:
            raise ConeError(f"cannot compare a cone in R^{self.dim} with one in R^{other.dim}.")
        return bool((other.rays @ self.facets.T >= -SAME_DIRECTION).all())

    # -- construction, comparison and storage -----------------------------------------------------------------

    @classmethod
    def _known(cls, rows: Floats, text: str) -> Self:
        """Return a cone whose rows are irredundant by construction."""
        refuse_degenerate(unit(rows), "rows")
        return object.__new__(cls)._fill(rows, text)

    @classmethod
    def _generated(cls, vectors: Floats, text: str | None = None, *, gains: bool = False) -> Self:
        """Return the cone of combinations of `vectors`. `gains` promises all axes: then no facet entry is negative."""
        rays = unit(vectors)
        refuse_degenerate(rays, "rays")
        kept = irredundant(rays, "ray")
        facets = extreme_rays(rays[kept])
        if len(facets) > MOST_FACETS:
            raise ConeError(
                f"a cone may have up to {MOST_FACETS} facets, and these rays make {len(facets)}; give fewer rays."
            )
        facets = np.where(facets < SAME_DIRECTION, 0.0, facets) if gains else facets
        removed = () if text is not None else tuple(n for n in range(len(rays)) if n not in kept)
        return object.__new__(cls)._fill(facets, text, removed, rays[kept])

    @cached_property
    def _rows_suffice(self) -> bool:
        """True if the rows alone reproduce the cone. Facets of given rays may be too close together for that."""
        try:
            return np.array_equal(Cone(self._given).facets, self.facets)
        except ConeError:
            return False

    def _fill(
        self, rows: Floats, text: str | None = None, removed: tuple[int, ...] = (), rays: Floats | None = None
    ) -> Self:
        order_rows = power_scaled(rows)
        self.__dict__.update(
            dim=rows.shape[1],
            removed=removed,
            said=(),
            facets=read_only(unit(rows)),
            _given=read_only(rows.copy()),
            _text=text,
            # Comparisons use the rows as given, not the unit rows: a row (1, 3) keeps exact ties between whole numbers.
            _order_rows=read_only(order_rows),
            order_lengths=read_only(np.linalg.norm(order_rows, axis=1)),
        )
        if rays is not None:
            self.__dict__["rays"] = read_only(rays)
        return self

    @cached_property
    def _lift(self) -> Lift:
        return Lift(self.facets)

    def facet_values(self, points: Floats) -> Floats:
        """Return w_n.x for points (..., D), along facet normals of length 1, (..., N).

        >>> Cone.orthant(2).facet_values(np.array([3.0, 4.0])).tolist()
        [3.0, 4.0]
        """
        vectors = as_floats(points, "points")
        if not vectors.ndim or vectors.shape[-1] != self.dim:
            raise InputError(f"points must have {self.dim} objectives in their last axis, got shape {vectors.shape}.")
        return self.order_values(vectors) / self.order_lengths

    def lift_norms(self, deficits: Floats, *, non_negative: bool = False) -> Floats:
        """Return f(b) for each column b of (N, P) deficits: the length of the shortest x with W x >= b, (P,).

        `non_negative=True` promises b >= 0 and is faster.

        >>> Cone.orthant(2).lift_norms(np.array([[3.0], [4.0]])).tolist()
        [5.0]
        """
        return self._lift.norms(self._deficits(deficits), non_negative=non_negative)

    def lifts(self, deficits: Floats) -> Floats:
        """Return the shortest x with W x >= b for each column b of deficits, (D, P); their lengths are `lift_norms`.

        >>> Cone.orthant(2).lifts(np.array([[3.0], [-4.0]])).tolist()
        [[3.0], [0.0]]
        """
        return self._lift.vectors(self._deficits(deficits))

    def _deficits(self, deficits: Floats) -> Floats:
        columns = as_floats(deficits, "deficits")
        if columns.ndim != 2 or len(columns) != len(self.facets):
            raise InputError(f"deficits must have shape ({len(self.facets)}, P), got {columns.shape}.")
        return columns

    def order_columns(self, points: Floats) -> Floats:
        """Return the rows as given times the points, (N, K). The componentwise order of columns is the cone order.

        Overflow stays in the result, for the caller to refuse (`check_sums`).
        """
        if not isinstance(points, np.ndarray) or points.ndim != 2 or points.shape[1] != self.dim:
            raise InputError(f"points must be an array of shape (K, {self.dim}), got {shown(points)}.")
        return _products(self._order_rows, points)

    def order_values(self, vectors: Floats, name: str | None = None) -> Floats:
        """Return `order_columns` for vectors (..., D), (..., N); refuse overflow if the vectors have a `name`."""
        columns = self.order_columns(vectors.reshape(-1, self.dim))
        if name is not None:
            check_sums(columns, name)
        return columns.T.reshape(*vectors.shape[:-1], len(columns))

    @property
    def text(self) -> str:
        """Text form that `parse`, the command line and TOML files accept."""
        if self._text is not None:
            return self._text
        if self._rows_suffice:
            return matrix_text(self._given)
        axes = np.eye(self.dim)
        others = axes[~(axes[:, None] == self.rays).all(axis=2).any(axis=1)]
        implied = others[: 0 if (self.facets < 0).any() else None]  # state that every gain counts
        return f"rays:{matrix_text(np.vstack([self.rays, implied]))}"

    def plot(self, **options: Any) -> Any:
        """Return a matplotlib figure (extra `plot`) of the cone with its facets and rays, for two or three objectives.

        For more objectives the figure shows the weightings that the cone respects. Options are those of
        `report.plots.cone_picture`: `objectives` gives names for the axes.
        """
        # The package `report` depends on this module, so it is imported by name, and only when needed.
        return import_module("conewise.report.plots").cone_picture(self, **options)

    def _repr_html_(self) -> str:
        """Return a picture, words, facets and rays for notebooks."""
        html: str = import_module("conewise.report.notebooks").cone_html(self)
        return html

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return cone_repr(self._text, self._given, self.said)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Cone):
            return NotImplemented
        if self.facets.shape != other.facets.shape:
            return False
        apart = np.linalg.norm(self.facets[:, None] - other.facets[None, :], axis=2)
        return bool((apart.min(axis=1) <= SAME_DIRECTION).all())

    def __hash__(self) -> int:
        # Equality has a tolerance, so only what equal cones share exactly may enter.
        return hash((Cone, self.facets.shape))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Cone is frozen: {name} cannot be set; make another cone.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Cone is frozen: {name} cannot be deleted.")

    def __getstate__(self) -> dict[str, Any]:
        """Return all but what is computed when it is first needed; rays that were given are kept."""
        kept = (*Cone.__annotations__, *(() if self._rows_suffice else ("rays",)))
        return {name: getattr(self, name) for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for value in state.values():
            if isinstance(value, np.ndarray):
                read_only(value)
        self.__dict__.update(state)


class HasCone(Protocol):
    """A value with a cone, such as `Preferences`."""

    @property
    def cone(self) -> Cone:
        """Cone that the value stands for."""


ConeLike = Cone | str | Floats | Sequence[Sequence[float]] | HasCone
"""Forms in which a cone is accepted: itself, its text form, its rows, or a value with a cone."""


def as_cone(cone: object, dim: int | None = None) -> Cone:
    """Return the cone that is given as itself, as text, as rows, or by a value with a `cone`, such as `Preferences`.

    `dim` is the number of objectives, for text forms that lack it.

    >>> as_cone("orthant", 3)
    Cone.orthant(3)
    """
    if isinstance(cone, Cone):
        return cone
    if isinstance(cone, str):
        return Cone.parse(cone, dim)
    if isinstance(cone, list | tuple | np.ndarray):
        return Cone(cone)
    if isinstance(said := getattr(cone, "cone", None), Cone):
        return said
    raise ConeError(f"cone must be a Cone, got {type(cone).__name__}; make one with Cone(W) or a named constructor.")


def _products(rows: Floats, points: Floats) -> Floats:
    """Return (N, K): each row of (N, D) times each point of (K, D), summed in the order of the objectives.

    A matrix product may round equal points differently, depending on their position, so the sum is spelled out. A zero
    weight adds nothing. Overflow stays in the result.
    """
    result = np.empty((len(rows), len(points)))
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, len(points), _AT_ONCE):
            part = np.ascontiguousarray(points[start : start + _AT_ONCE].T)
            for row, target in zip(rows.tolist(), result[:, start : start + _AT_ONCE], strict=True):
                (weight, column), *others = ((w, c) for w, c in zip(row, part, strict=True) if w != 0.0)
                np.multiply(column, weight, out=target)
                for weight, column in others:
                    target += weight * column
    return result
