"""The comparison of rules with levels: runs are kept, and the section counts multiples of one stage."""

from __future__ import annotations

from benchmarks import feasibility
from benchmarks.feasibility import Run


def test_the_section_has_multiples_of_one_stage():
    done = [Run("random", "one stage", seed, 100, True) for seed in range(3)]
    done += [Run("random", "feasibility first", seed, 100 * (seed + 1), seed > 0) for seed in range(3)]
    text = feasibility.section(done)
    assert "| random | 3 | one stage | 1.00 | 1.00 | 1.00 | 3 |" in text
    assert "| random | 3 | feasibility first | 1.00 | 2.00 | 3.00 | 2 |" in text
    assert "| crowded |" not in text
    left = {(make.args[0], make.args[1]) for make in feasibility.missing(3, done)}
    assert ("random", "one stage") not in left
    assert ("crowded", "one stage") in left


def test_a_run_is_a_function_of_its_seed():
    assert feasibility.made("crowded", "one stage", 1) == feasibility.made("crowded", "one stage", 1)
