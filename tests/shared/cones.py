"""Random cones and the cones every suite should meet."""

from __future__ import annotations

import numpy as np

from conewise import Cone, ConeError, Preferences


def random_cone(rng: np.random.Generator, dim: int, rows: int, spread: float | None = None) -> Cone:
    """A pointed cone with an interior from rows scattered around a random axis; redundant rows are removed by Cone."""
    while True:
        axis = rng.normal(size=dim)
        axis /= np.linalg.norm(axis)
        width = rng.uniform(0.2, 1.5) if spread is None else spread
        try:
            return Cone(axis + width * rng.normal(size=(rows, dim)) / np.sqrt(dim))
        except ConeError:
            continue


def named_cones() -> list[Cone]:
    """One of each kind, narrow and wide, one to four objectives."""
    return [
        Cone.orthant(1),
        Cone.orthant(2),
        Cone.orthant(3),
        Cone.planar(20),
        Cone.planar(45),
        Cone.planar(90),
        Cone.planar(135),
        Cone.planar(170),
        Cone.importance(0.2, dim=3),
        Cone.ranked(3),
        Cone.ice_cream(60, facets=8),
        Cone.ice_cream(120, facets=5),
        Cone.exchange([[1, 2, 3], [1, 1, 2], [1, 1.5, 1]]),
        Cone([[1, -2, 4], [4, 1, -2], [-2, 4, 1]]),
        Cone([[1, 3], [3, 1]]),
        Cone.from_rays([[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, 1]]),
    ]


def uneven_choice() -> Cone:
    """What one choice says of columns that differ in size by seven digits; its facets lie closer than rows may."""
    one = {"yield": 0.002, "price": 60_000, "mass": 40, "rate": 0.5, "power": 300}
    other = {"yield": 0.001, "price": 10_000, "mass": 10, "rate": 0.1, "power": 100}
    return Preferences(list(one), minimise=["price", "mass"]).prefers(one, over=other).cone
