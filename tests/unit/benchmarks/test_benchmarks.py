"""The benchmark code runs and says what it means: smallest sizes only, and no time decides anything here."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import textwrap
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import conewise as cw

ROOT = Path(__file__).resolve().parents[3]
_FOLDER = ROOT / "benchmarks"


def _load():
    """The package from the source tree; it pins its own processes to one core, which is not for the tests to keep."""
    before = dict(os.environ)
    spec = importlib.util.spec_from_file_location(
        "benchmarks", _FOLDER / "__init__.py", submodule_search_locations=[str(_FOLDER)]
    )
    package = sys.modules["benchmarks"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    os.environ.clear()
    os.environ.update(before)


_load()

from benchmarks import (  # noqa: E402
    ablation,
    cones,
    curves,
    data,
    deciding,
    elsewhere,
    families,
    gaps,
    growth,
    large,
    masks,
    measure,
    results,
    samples,
)
from benchmarks.__main__ import SECTIONS, machine, measurements  # noqa: E402


@pytest.fixture
def no_peers(monkeypatch, tmp_path):
    """As on a machine where `make bench-peers` never ran."""
    for module in (measure, elsewhere):
        for name in ("PEERS_PYTHON", "VOPY_PYTHON"):
            monkeypatch.setattr(module, name, tmp_path / "nothing")


@pytest.fixture
def own_peers(monkeypatch, tmp_path):
    """Scripts of our own in the place of the peers', run by this interpreter."""
    monkeypatch.setattr(elsewhere, "PEERS_PYTHON", Path(sys.executable))
    monkeypatch.setattr(elsewhere, "SCRIPTS", tmp_path)
    (tmp_path / "serve.py").write_text((_FOLDER / "peers" / "serve.py").read_text(encoding="utf-8"), encoding="utf-8")

    def script(name: str, body: str) -> str:
        (tmp_path / name).write_text("from serve import serve\n" + textwrap.dedent(body), encoding="utf-8")
        return name

    return script


# -- exponents --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exponent", [0.5, 1.0, 2.25])
def test_exponent_of_an_exact_power_law(exponent):
    sizes = [10, 30, 100, 300, 1000]
    found = growth.fit(sizes, [7e-6 * size**exponent for size in sizes])
    assert found.rate == pytest.approx(exponent, rel=1e-12)
    assert found.words("K") == f"K^{exponent:.2f}"


def test_only_the_upper_half_is_fitted():
    sizes = [1, 10, 100, 1000, 10**4, 10**5]
    seconds = [1.0, 1.0, 1.0, 1000.0, 10**4, 10**5]  # flat while overheads rule
    assert growth.fit(sizes, seconds).rate == pytest.approx(1.0)
    assert growth.fit(sizes[:2], seconds[:2]) is None


def test_factor_an_objective():
    found = growth.fit([2, 3, 4, 5], [3.0**dim for dim in (2, 3, 4, 5)], exponential=True)
    assert found.rate == pytest.approx(3.0)
    assert found.words("D") == "x 3.00 for each"


def test_growth_beyond_what_is_allowed_is_named():
    curve = curves.Curve("f", "case", "K", (10, 100, 1000), lambda size: lambda: None, float)
    quick = [growth.Point(curve.name, "K", size, 1e-6 * size, 3.0, float(size)) for size in curve.sizes]
    slow = [replace(point, seconds=1e-6 * point.size**1.5) for point in quick]
    assert growth.row(curve, quick).verdict == "met"
    assert growth.row(curve, quick).target == "<= K^1.00 (+ 0.15)"
    assert growth.row(curve, slow).verdict == "MISSED"
    assert "K^1.50" in growth.row(curve, slow).ours


@pytest.mark.parametrize("curve", curves.curves(), ids=lambda curve: curve.name)
def test_every_curve_runs(curve, monkeypatch):
    monkeypatch.setattr(growth, "REPEAT_SECONDS", 0.0)
    least = {"K": curve.sizes[:1], "|P*|": (30,), "D": curve.sizes[:1], "N": curve.sizes[:2]}[curve.along]
    found = list(growth.measured(replace(curve, sizes=least), point_seconds=np.inf))
    assert [point.size for point in found] == list(least)
    assert all(point.seconds >= 0 for point in found)
    assert all((point.bound is None) == (curve.along in "DN") for point in found)


def test_curve_names_are_unique_because_a_process_finds_its_curve_by_name():
    names = [curve.name for curve in curves.curves()]
    assert len(set(names)) == len(names)


# -- instances --------------------------------------------------------------------------------------------------


def test_all_but_the_contenders_are_clearly_beaten():
    problem = data.mostly_beaten(2000, 50, 3, seed=1)
    clearly = cw.suboptimality_gaps(problem.means, data.ORTHANT) >= 10 * data.SIGMA
    assert clearly.sum() == 1950
    assert np.array_equal(problem.means, data.mostly_beaten_means(2000, 50, 3, seed=1))
    assert not np.array_equal(problem.means, data.mostly_beaten_means(2000, 50, 3, seed=2))


@pytest.mark.parametrize("size", [1, 7, 300])
def test_front_of_the_size_asked_for(size):
    assert cw.pareto_mask(data.front_of(size, 300, 3), data.ORTHANT).sum() == size


# -- peers ------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("no_peers")
def test_absent_peers_are_named():
    found = list(masks.rows(sizes=(50, 100), dimensions=(2,)))
    assert len(found) == 2 * 2 * 5
    for row in found:
        assert row.ratio if row.against == "moocore" else row.peer == f"{row.against} absent (make bench-peers)"
    assert "absent: VOPy, BoTorch, pymoo, paretoset, cvxpy, Optuna" in machine()
    assert {row.against for row in found} == {"moocore", "pymoo", "paretoset", "BoTorch", "VOPy"}


@pytest.mark.usefixtures("no_peers")
def test_gaps_and_cones_without_peers():
    with elsewhere.Peer("cvxpy", "solvers.py", "cvxpy") as cvxpy, elsewhere.Peer("VOPy", "solvers.py") as vopy:
        assert gaps.cover_beside(cvxpy, 2, 2).peer == "cvxpy absent (make bench-peers)"
        assert cones.beta_beside(vopy, 135).peer == "VOPy absent (make bench-peers)"


@pytest.mark.usefixtures("no_peers")
def test_vopy_has_an_environment_of_its_own(monkeypatch):
    monkeypatch.setattr(elsewhere, "VOPY_PYTHON", Path(sys.executable))
    assert elsewhere.peer_versions({"VOPy": "numpy", "BoTorch": "numpy"}) == {
        "VOPy": np.__version__,
        "BoTorch": "absent",
    }
    with elsewhere.Peer("VOPy", "solvers.py") as vopy, elsewhere.Peer("BoTorch", "filters.py") as botorch:
        assert (vopy.trouble, botorch.trouble) == ("", "absent")


def test_a_peer_answers_one_question_at_a_time(own_peers):
    name = own_peers("twice.py", "serve(lambda: 2, lambda peer, question: {'answer': peer * question['number']})")
    with elsewhere.Peer("twice", name) as peer:
        assert [peer.ask(number=number)["answer"] for number in (1, 21)] == [2, 42]
        assert peer.trouble == ""


@pytest.mark.parametrize(
    ("body", "trouble"),
    [
        ("serve(lambda: __import__('no_such_package'), None)", "absent"),
        ("serve(lambda: 0, lambda peer, question: {'answer': 1 / peer})", "failed with ZeroDivisionError"),
        ("raise SystemExit", "ended without an answer"),
    ],
)
def test_a_peer_in_trouble_is_named_and_does_not_stop_the_table(own_peers, body, trouble):
    with elsewhere.Peer("other", own_peers("other.py", body)) as peer:
        assert peer.ask(number=1) is None
        assert peer.trouble == trouble
        assert peer.ask(number=1) is None


def test_a_peer_that_takes_too_long_is_ended(own_peers):
    name = own_peers("slow.py", "import time\nserve(lambda: 0, lambda peer, question: time.sleep(3600))")
    with elsewhere.Peer("slow", name, patience=0.2) as peer:
        assert peer.ask(number=1) is None
        assert peer.trouble == "gave up after 0.2 s"


def test_times_do_not_count_when_the_answers_differ():
    with pytest.raises(RuntimeError, match="1 designs are judged differently"):
        masks.same("case", np.array([True, False]), np.array([True, True]))


def test_sizes_that_would_take_too_long_are_foreseen():
    seen = masks.Growth(assumed=10.0)
    assert seen.expected(1000) == 0.0
    seen.add(1000, 0.01)
    assert seen.expected(10**4) == pytest.approx(0.1)
    seen.add(10**4, 0.5)
    assert seen.expected(10**5) == pytest.approx(25.0)


# -- rules and claims ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", deciding.RULES)
def test_every_rule_is_measured(rule):
    found = deciding.measured(rule, 50, rounds=2, seconds=60.0)
    assert 1 <= found["rounds"] <= 2
    assert found["evaluations"] > 0
    assert "a round" in deciding.row_of(rule, found).ours


def test_an_identification_is_checked_against_the_truth():
    found = large.identified(200, contenders=20)
    assert found["success"]
    assert found["evaluations"] >= 200
    assert found["rounds"] >= 1


# -- the page -----------------------------------------------------------------------------------------------------


def test_every_section_has_its_measurement():
    assert [*measurements(write=False), "evaluations", "again"] == list(SECTIONS)


def test_evaluations_are_summed_up_beside_the_lower_bounds(monkeypatch):
    """Half of APE's for exact identification, a fixed figure for covering; no ratio where APE did not run."""
    exact, cover = (next(c for c in samples.cases() if (c.epsilon == 0) is zero) for zero in (True, False))
    monkeypatch.setattr(samples, "cases", lambda: (exact, cover, cover))
    ape, best, worse = (samples.Row("APE, batches of 5%", 1e6), *(samples.Row("x", n, ours=True) for n in (4.9e5, 7e5)))
    guess, naive = samples.Row("EGE-SR", 1.0, budgeted=True), samples.Row("naive, paper bound", 8e6)
    half, met, alone = samples.summary({0: [ape, worse, best, guess, naive], 1: [ape, best], 2: [worse]})
    assert (half.ours, half.ratio, half.target, half.met) == ("4.9e+05", "0.49 x", "<= 0.5 x", True)
    others = "APE 1e+06; naive, paper bound 8e+06"
    assert half.peer.startswith(f"{others}; H log(1/delta) {exact.hardness:.4g}; T* log(1/delta) ")
    assert (met.target, met.met) == (f"<= {cover.at_most:.4g}", cover.at_most >= 4.9e5)
    assert (alone.ratio, alone.met) == ("", cover.at_most >= 7e5)
    assert samples.summary({0: [ape, worse]})[0].met is False


def test_noise_that_nobody_knows_is_for_our_own_rules_and_as_hard_as_it_is():
    untold = next(case for case in samples.cases() if case.hidden is not None)
    told = next(case for case in samples.cases() if case.name.startswith("SNW, planar:90, eps 0.1, sigma 1"))
    assert untold.hardness == pytest.approx(told.hardness)
    assert [rule.ours for rule in samples.RULES if samples.serves(rule, untold)] == [True]
    assert len([rule for rule in samples.RULES if samples.serves(rule, told)]) > 2
    assert samples.unmeasured(untold) == []


def test_a_family_is_judged_by_the_mean_of_its_ratios(monkeypatch):
    found = families.row("f", np.array([[30.0, 100.0], [600.0, 1000.0]]))
    assert (found.ratio, found.verdict) == ("0.45 x (0.30 to 0.60; 1 of 2 at most half)", "met")
    assert families.row("f", np.array([[45.0, 100.0], [60.0, 100.0]])).verdict == "MISSED"
    monkeypatch.setattr(families, "DELTA", 0.3)
    ours, ape = families.evaluations(("random normal, 20 designs, 2 objectives", 1, 0))
    assert 20 < ours < ape
    twin = SimpleNamespace(pareto=np.ones(20, dtype=bool), evaluations=1)
    monkeypatch.setattr(families, "run", lambda *args, **options: twin)
    with pytest.raises(RuntimeError, match="a wrong answer: two leaders"):
        families.evaluations(("two leaders, 20 designs, 3 objectives", 1, 0))


def test_the_documentation_cuts_out_tables_that_are_there():
    """docs/scale.md takes its figures from the page that the benchmarks write."""
    page = (_FOLDER / "RESULTS.md").read_text(encoding="utf-8")
    marks = re.findall(
        r":(?:start-after|end-before): \"(.+)\"", (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
    )
    assert marks
    assert [mark for mark in marks if mark not in page] == []


def test_the_page_is_the_store_rendered():
    assert (_FOLDER / "RESULTS.md").read_text(encoding="utf-8") == results.page(results.kept(), SECTIONS)


# -- ablation --------------------------------------------------------------------------------------------------------


def test_an_ablation_switches_one_mechanism_off_or_all_others():
    assert ablation.tuning_of("all") == ablation.TUNING
    assert not ablation.tuning_of("without pilot weights").pilots
    assert ablation.tuning_of("without pilot weights").directions
    only = ablation.tuning_of("only stepwise sure")
    assert only.steps
    assert [only.directions, only.pilots] == [False] * 2
    assert not ablation.tuning_of("none").timing


def test_an_ablation_changes_for_each_mechanism_what_no_other_changes():
    every = [name for mechanism in ablation.OFF.values() for name in mechanism.changes]
    assert len(set(every)) == len(every)
    for mechanism in ablation.OFF.values():
        assert all(getattr(ablation.TUNING, name) != off for name, off in mechanism.changes.items())
        assert any(mechanism.works(instance) for instance in ablation.instances())
