"""Work handed out: only so many pieces at a time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from conewise.workers import in_order


def test_only_so_many_shards_are_handed_out():
    asked: list[int] = []

    def shards():
        for k in range(20):
            asked.append(k)
            yield k

    with ThreadPoolExecutor(1) as pool:
        answers = in_order(lambda k: -k, shards(), pool, ahead=3)
        assert next(answers) == 0
        assert len(asked) == 3
        assert list(answers) == [-k for k in range(1, 20)]
