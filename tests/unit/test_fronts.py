"""Local fronts merge exactly: any cut, any tree, any executor gives the front of the whole, ties and all."""

from __future__ import annotations

import threading
import tracemalloc
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from types import SimpleNamespace

import numpy as np
import pytest
from shared.simulators import trade_off

import conewise as cw
from conewise import fronts
from conewise.fronts import RunningFront, front_of_shards
from conewise.order.dominance import pareto_mask_by_definition
from conewise.problems.evaluators import as_evaluator
from conewise.studies.running.executors import ThroughExecutor, Work

CONES = {
    "orthant:1": cw.Cone.orthant(1),
    "orthant:2": cw.Cone.orthant(2),
    "planar:135": cw.Cone.planar(135),
    "oblique": cw.Cone([[2.0, 0.3, 0.1], [0.1, 1.0, 0.7], [0.2, -0.1, 1.0]]),
    "orthant:4": cw.Cone.orthant(4),
}


def tied(rng, k, dim):
    """Few different values, so that there are ties in coordinates and equal designs; part of it on a hyperplane."""
    points = rng.integers(0, 12, size=(k, dim)).astype(float)
    if dim > 1:
        points[::3, -1] = 12 - points[::3, :-1].sum(axis=1)
    return points / 8


def cut(rng, points, pieces):
    places = np.sort(rng.integers(0, len(points) + 1, size=pieces - 1))
    return np.split(points, places)  # empty pieces among them


@pytest.mark.parametrize("keep", [True, False], ids=["all equals", "first of equals"])
@pytest.mark.parametrize("name", CONES)
@pytest.mark.parametrize("k", [1, 40, 2000])
def test_the_front_of_local_fronts_is_the_front_by_definition(name, k, keep, monkeypatch):
    cone, rng = CONES[name], np.random.default_rng(k)
    points = tied(rng, k, cone.dim)
    expected = np.flatnonzero(pareto_mask_by_definition(points, cone, keep_duplicates=keep))
    monkeypatch.setattr(fronts, "MERGE", 50)  # merges on the way, not only at the end
    for pieces in (1, 2, 7, 300):
        found = front_of_shards(cut(rng, points, pieces), cone, keep_duplicates=keep)
        assert found.indices.tolist() == expected.tolist()
        np.testing.assert_array_equal(found.points, points[expected])
        assert (found.rows, len(found)) == (k, len(expected))


@pytest.mark.parametrize("keep", [True, False])
def test_any_tree_of_merges_gives_the_same(keep):
    cone, rng = CONES["oblique"], np.random.default_rng(3)
    points = tied(rng, 900, 3)

    def tree(part):
        running = RunningFront(cone, keep_duplicates=keep)
        if len(part) < 20:
            running.add(part)
        else:
            place = int(rng.integers(0, len(part) + 1))
            for half in (part[:place], part[place:]):
                if len(half):
                    running.join(tree(half))
        return running.front

    expected = np.flatnonzero(pareto_mask_by_definition(points, cone, keep_duplicates=keep)).tolist()
    assert all(tree(points).indices.tolist() == expected for _ in range(3))


def test_rounding_is_the_same_in_every_piece():
    """Facet values that differ by one rounding or not at all: pieces of any length decide as the whole does."""
    cone = cw.Cone([[1 / 3, 0.1, 0.7], [0.7, 1 / 7, 0.3], [0.2, 0.9, 1 / 9]])
    rng = np.random.default_rng(0)
    points = 1 / 3 + np.round(rng.normal(size=(2000, 3))) * 2.0**-53
    expected = np.flatnonzero(cw.pareto_mask(points, cone)).tolist()
    assert expected == np.flatnonzero(pareto_mask_by_definition(points, cone)).tolist()
    for pieces in (2, 3, 1500):
        assert front_of_shards(cut(rng, points, pieces), cone).indices.tolist() == expected


def shard(seed: int, k: int = 500) -> np.ndarray:
    """For workers, which read for themselves."""
    return tied(np.random.default_rng(seed), k, 2)


def in_parts(seed: int):
    yield from np.array_split(shard(seed), 4)


def test_one_or_two_processes_or_threads_answer_alike():
    points = np.vstack([shard(seed) for seed in range(6)])
    expected = np.flatnonzero(pareto_mask_by_definition(points, CONES["orthant:2"])).tolist()
    shards = [partial(shard if seed % 2 else in_parts, seed) for seed in range(6)]
    assert front_of_shards(shards, CONES["orthant:2"]).indices.tolist() == expected
    for workers in (1, 2):
        with ThreadPoolExecutor(workers) as pool:
            assert front_of_shards(shards, CONES["orthant:2"], executor=pool).indices.tolist() == expected
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        found = front_of_shards(shards, CONES["orthant:2"], executor=pool)
    assert found.indices.tolist() == expected
    np.testing.assert_array_equal(found.points, points[expected])


def test_who_is_done_first_does_not_matter():
    later = threading.Event()

    def first():
        assert later.wait(60)
        return shard(0)

    def second():
        later.set()
        return shard(1)

    with ThreadPoolExecutor(2) as pool:
        found = front_of_shards([first, second], CONES["orthant:2"], executor=pool)
    both = np.vstack([shard(0), shard(1)])
    assert found.indices.tolist() == np.flatnonzero(cw.pareto_mask(both, CONES["orthant:2"])).tolist()


def test_memory_is_that_of_the_front_not_of_the_stream():
    """Every chunk is a front of 20,000 designs that the next chunk dominates: 29 MB if all of them were kept."""
    running, turns = RunningFront(CONES["orthant:2"]), np.linspace(0.01, 1.5, 20_000)
    tracemalloc.start()
    try:
        for size in range(1, 61):
            running.add(size * np.column_stack([np.cos(turns), np.sin(turns)]))
        assert len(running.front) == 20_000
        assert tracemalloc.get_traced_memory()[1] < 15e6
    finally:
        tracemalloc.stop()
    assert running.rows == 60 * 20_000


def test_labels_go_with_their_rows():
    rng = np.random.default_rng(1)
    points = tied(rng, 300, 2)
    names = np.array([f"d{k}" for k in range(300)], dtype=object)
    running = RunningFront(CONES["orthant:2"])
    for start in range(0, 300, 70):
        part = names[start : start + 70]
        running.add(points[start : start + 70], part.__getitem__)
    found = running.front
    assert found.labels is not None
    assert found.labels.tolist() == [f"d{k}" for k in found.indices]
    assert repr(found) == f"Front({len(found)} of 300 rows)"


def test_what_is_shared_cannot_be_written_to():
    found = front_of_shards([[[1.0, 2.0]]], CONES["orthant:2"])
    with pytest.raises(ValueError, match="read-only"):
        found.points[0] = 0
    assert RunningFront(CONES["orthant:2"]).front.rows == 0


@pytest.mark.parametrize(
    ("shards", "words"),
    [
        ([], "the shards hold no rows"),
        ([np.empty((0, 2))], "the shards hold no rows"),
        ([[[1, 2]], [[1, 2], [np.nan, 3]]], r"shard 1 \(counted from 0\): points has nan in row 1"),
        ([[[1, 2]], [[1, 2, 3]]], "shard 1 .* 3 objectives"),
        ([lambda: iter([[[1.0, 2.0]], [1.0, 2.0]])], "shard 0 .* must have shape"),
        ([lambda: "text"], "shard 0 .* rectangular array"),
    ],
    ids=["none", "empty", "nan", "columns", "flat", "text"],
)
def test_what_is_no_table_is_refused(shards, words):
    with pytest.raises(cw.InputError, match=words):
        front_of_shards(shards, CONES["orthant:2"])
    with ThreadPoolExecutor(2) as pool, pytest.raises(cw.InputError, match=words):
        front_of_shards(shards, CONES["orthant:2"], executor=pool)


def test_a_worker_that_has_gone_and_an_executor_that_is_none():
    class Gone(ThreadPoolExecutor):
        def submit(self, *_, **__):
            future: Future[object] = Future()
            future.set_exception(BrokenExecutor("ended abruptly"))
            return future

    with Gone(1) as pool, pytest.raises(cw.ConewiseError, match="a worker ended while it read a shard"):
        front_of_shards([[[1.0, 2.0]]], CONES["orthant:2"], executor=pool)

    class Broken(ThreadPoolExecutor):
        def submit(self, *_, **__):
            raise BrokenExecutor("ended before")

    with Broken(1) as pool, pytest.raises(cw.ConewiseError, match="a worker ended while it read a shard"):
        front_of_shards([[[1.0, 2.0]]], CONES["orthant:2"], executor=pool)
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(cw.ConewiseError, match="the executor takes no more work"):
        front_of_shards([[[1.0, 2.0]]], CONES["orthant:2"], executor=pool)
    with pytest.raises(cw.InputError, match=r"must be a concurrent\.futures\.Executor or a Dask client, got int"):
        front_of_shards([[[1.0, 2.0]]], CONES["orthant:2"], executor=3)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ("0.1.0", r"tcp://b:2 has conewise 0\.1\.0; install it there"),
        (ModuleNotFoundError("No module named 'conewise'"), "tcp://b:2 has none that can be imported; install"),
    ],
    ids=["another version", "none"],
)
def test_dask_workers_without_this_conewise_are_refused_before_they_end_of_it(found, words):
    """They end as soon as they are given what they cannot read, and the table would never be read."""

    class OfDask(ThreadPoolExecutor):
        _client = SimpleNamespace(
            run=lambda *_, **__: {"tcp://a:1": cw.__version__, "tcp://b:2": found}, nthreads=lambda: {"tcp://a:1": 1}
        )

    with OfDask(1) as executor, pytest.raises(cw.ConewiseError, match=words):
        cw.front_of_shards([[[1.0, 2.0]]], cw.Cone.orthant(2), executor=executor)
    with OfDask(1) as executor, pytest.raises(cw.ConewiseError, match=words):
        ThroughExecutor(executor, Work(as_evaluator(trade_off), ("a", "b")))


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("connecting", r"^the Dask scheduler has gone; run again when it is back\.$"),
        ("running", r"^the workers gave a shard up \(CancelledError\)\.$"),
    ],
)
def test_a_shard_that_is_cancelled_says_whether_the_scheduler_has_gone(status, words):
    class OfDask(Executor):
        _client = SimpleNamespace(status=status, nthreads=lambda: {"tcp://a:1": 1})

        def submit(self, *_):
            future: Future[None] = Future()
            future.cancel()
            return future

    with pytest.raises(cw.ConewiseError, match=words):
        cw.front_of_shards([[[1.0, 2.0]]], cw.Cone.orthant(2), executor=OfDask())
