"""Both cores on one Pareto set: shards in threads beside the plain call, by the clock on the wall, same answer.

The filter's array operations and moocore's compiled code let go of the interpreter, so threads are enough and nothing
is copied. Ours alone: no peer here splits its work.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

import conewise as cw
from benchmarks import data
from benchmarks.measure import Row, speed_up

THREADS = 2
CASES = (("cube", 10**7, 3, "small front"), ("sphere", 10**6, 3, "all on the front"))
SHARDS = 16
REPEATS = 2


def rows(cases: tuple[tuple[str, int, int, str], ...] = CASES) -> Iterator[Row]:
    for kind, size, dim, words in cases:
        points, cone = data.cloud(kind, size, dim), cw.Cone.orthant(dim)
        yield beside(f"{words}, D = {dim}, K = 10^{np.log10(size):.3g}", points, cone)


def beside(case: str, points: np.ndarray, cone: cw.Cone) -> Row:
    with ThreadPoolExecutor(THREADS) as pool:

        def threaded() -> np.ndarray:
            return cw.front_of_shards(np.array_split(points, SHARDS), cone, executor=pool).indices

        def plain() -> np.ndarray:
            return np.flatnonzero(cw.pareto_mask(points, cone))

        if not np.array_equal(threaded(), plain()):
            raise RuntimeError(f"{case}: shards and the plain call give different sets; times say nothing then.")
        pairs = [(_wall(threaded), _wall(plain)) for _ in range(REPEATS)]
    seconds = min(first for first, _ in pairs), min(second for _, second in pairs)
    return speed_up(f"{SHARDS} shards in {THREADS} threads, {case}", seconds, "one call of pareto_mask")


def _wall(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
