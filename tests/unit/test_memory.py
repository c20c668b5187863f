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


IDENTIFY = """
import resource, sys
import numpy as np
import conewise as cw
limit = int(sys.argv[1]) * 2**20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
rng, many, few = np.random.default_rng(3), 200_000, 150
points = np.abs(rng.standard_normal((few, 3))) + 0.2
points /= np.linalg.norm(points, axis=1, keepdims=True)
crowd = points[rng.integers(few, size=many - few)] - rng.uniform(1.0, 2.0, size=(many - few, 3))
problem = cw.SimulatedBandit(np.concatenate([points, crowd]), cw.noise.Gaussian(0.1))
cone = cw.Cone.orthant(3)
result = cw.identify(problem, cone, epsilon=0.2, delta=0.05, rng=1)
print(type(result.guarantee).__name__, cw.verdict(result.pareto, problem.means, cone, 0.2).success)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="address space is limited by the kernel on Linux only")
def test_identification_of_very_many_designs_in_a_limited_address_space():
    """200 000 designs, all but 150 clearly beaten, in 1.5 GiB of addresses; K x K bytes would be 40 GB."""

    def run(mebibytes: int) -> subprocess.CompletedProcess[str]:
        environment = {"OPENBLAS_NUM_THREADS": "1", "PATH": "/usr/bin:/bin"}  # each thread reserves addresses
        command = [sys.executable, "-c", IDENTIFY, str(mebibytes)]
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)

    assert run(1536).stdout.split() == ["Guarantee", "True"]
    assert "MemoryError" in run(400).stderr  # the limit is one
