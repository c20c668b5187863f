"""No K x K array where none is promised: a million designs within 1 GiB beyond the input."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conewise as cw
from conewise import Cone

GIB = 2**30
MANY = 10**6
ON_FRONT = 20_000

CALLS: dict[str, Callable[[np.ndarray, Cone], Any]] = {
    "pareto_mask": lambda means, cone: cw.pareto_mask(means, cone),
    "suboptimality_gaps": lambda means, cone: cw.suboptimality_gaps(means, cone),
    "separation_gaps": lambda means, cone: cw.separation_gaps(means, cone),
    "hardness": lambda means, cone: cw.hardness(means, cone, 0.01),
    "verdict": lambda means, cone: cw.verdict(np.arange(len(means)) % 100 == 0, means, cone, 0.01),
}


def peak(call: Callable[[], Any]) -> int:
    """Bytes at the highest point during a call, beyond those at its start."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module")
def cube() -> np.ndarray:
    return np.random.default_rng(0).random((MANY, 3))


@pytest.fixture(scope="module")
def sphere() -> np.ndarray:
    points = np.abs(np.random.default_rng(0).normal(size=(ON_FRONT, 3)))
    return points / np.linalg.norm(points, axis=1)[:, None]


@pytest.mark.parametrize("name", CALLS)
def test_a_million_designs(cube, name):
    cone = Cone.importance(0.2, dim=3)
    CALLS[name](cube[:100], cone)  # what the cone computes once, and lazy imports, are not the point
    assert peak(lambda: CALLS[name](cube, cone)) < GIB


@pytest.mark.parametrize("name", CALLS)
def test_everything_on_the_front(sphere, name):
    """K x K bytes would be 400 MB; the bound is 1 GiB for a million designs in proportion, 21 MB."""
    cone = Cone.orthant(3)
    assert cw.pareto_mask(sphere, cone).all()
    assert peak(lambda: CALLS[name](sphere, cone)) < GIB * ON_FRONT / MANY


def test_the_measure_sees_a_square_array():
    assert peak(lambda: cw.cover_gaps(np.random.default_rng(0).random((1000, 3)), Cone.orthant(3))) > 8 * 1000**2


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux to see memory taken outside Python")
def test_the_whole_process_with_a_million_designs_on_the_front():
    """The compiled filter allocates where tracemalloc does not look: the kernel's high-water mark does."""
    script = """
import re
import numpy as np
import conewise as cw
def resident(key):
    return int(re.search(key + r":\\s+(\\d+) kB", open("/proc/self/status").read())[1]) * 1024
cone = cw.Cone.orthant(3)
points = np.abs(np.random.default_rng(0).normal(size=(10**6, 3)))
points /= np.linalg.norm(points, axis=1)[:, None]
cw.pareto_mask(points[:5000], cone)
before = resident("VmRSS")
assert cw.pareto_mask(points, cone).all()
print(resident("VmHWM") - before)
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(run.stdout) < GIB
