"""A guarantee needs noise that the user stated; without it every answer names the condition."""

from __future__ import annotations

import json

import numpy as np
import pytest

import conewise as cw
from conewise.cli.main import main
from conewise.noise import Bounded, ByObjective, Gaussian, GaussianUnknown
from conewise.noise import Known as Exact
from conewise.problems import Recorded
from conewise.report.markdown import markdown_page
from conewise.report.page import html_page
from conewise.report.subject import of_analysis

NORMAL = GaussianUnknown()
CLEAR = {"A": (0.0, 9.0), "B": (9.0, 0.0), "C": (-4.0, -4.0)}
EACH = 40
CONDITION = "if the noise is normal"


def table(**columns):
    rng = np.random.default_rng(0)
    values = np.array([CLEAR[name] for _ in range(EACH) for name in CLEAR]) + rng.normal(size=(EACH * len(CLEAR), 2))
    named = {"design": list(CLEAR) * EACH, "gain": values[:, 0].tolist(), "speed": values[:, 1].tolist()}
    return named | {name: make(len(values)) for name, make in columns.items()}


def asked(noise, **options):
    return cw.analyse(table(), objectives=["gain", "speed"], delta=0.05, noise=noise, **options)


def in_blocks(noise, **options):
    rows = table(run=lambda n: [k // len(CLEAR) for k in range(n)])
    return cw.analyse(rows, objectives=["gain", "speed"], delta=0.05, noise=noise, block="run", **options)


def modelled(noise):
    heat = {"A": 0.0, "B": 1.0, "C": 0.5}
    rows = table(heat=lambda n: [heat[name] for name in CLEAR] * (n // len(CLEAR)))
    asked = {"objectives": ["gain", "speed"], "delta": 0.05, "epsilon": 3.0, "model": "independent"}
    return cw.analyse(rows, noise=noise, **asked)


WAYS = {
    "growing": asked,
    "final": lambda noise: asked(noise, final=True),
    "cover": lambda noise: asked(noise, success="cover", epsilon=0.5),
    "levels": lambda noise: asked(noise, levels={"gain": -1.0}, epsilon=0.5),
    "nothing acceptable": lambda noise: asked(noise, levels={"gain": 99.0}),
    "separate": lambda noise: asked(noise, separate=True),
    "separate, final": lambda noise: asked(noise, separate=True, final=True),
    "blocks": in_blocks,
    "blocks of a number": lambda noise: in_blocks(noise, population=1000),
    "a model": modelled,
}


@pytest.mark.parametrize("way", WAYS)
def test_a_guarantee_needs_noise_that_was_stated(way):
    bare, stated = WAYS[way](None), WAYS[way](NORMAL)
    assert isinstance(stated.result.guarantee, cw.Guarantee)
    assert not any(CONDITION in line.lower() for line in stated.explanations)
    worth = bare.result.guarantee
    assert isinstance(worth, cw.Heuristic)
    assert not worth
    assert worth.proof == stated.result.guarantee
    assert str(worth).startswith(f"{CONDITION}: within epsilon = ")
    assert "not guaranteed: the noise was not stated; if it is normal, say --noise unknown" in str(worth)
    assert bare.result.status.tolist() == stated.result.status.tolist()
    assert bare.result.certified_epsilon == stated.result.certified_epsilon
    assert not bare.result.certain.any()
    said = " ".join(bare.explanations)
    assert CONDITION in bare.explanations[0]
    assert f"That is no guarantee: {worth.reason}." in said
    for line in said.replace("; ", ". ").split(". "):
        if "certify" in line or "certainly" in line.lower() or "probability at least" in line:
            assert CONDITION in line.lower(), line


@pytest.mark.parametrize("way", WAYS)
def test_every_form_of_an_answer_names_the_condition(way):
    bare = WAYS[way](None)
    assert set(bare.to_frame("pyarrow")["condition"].to_pylist()) == {CONDITION}
    assert not any(bare.to_frame("pyarrow")["certainly_pareto"].to_pylist())
    subject = of_analysis(bare)
    for text in (repr(bare), bare._repr_html_(), bare.result._repr_html_(), markdown_page(subject), html_page(subject)):
        assert CONDITION in text.lower()
        assert "certainly Pareto optimal" not in text.replace(">certainly Pareto optimal</option>", "")
    assert "condition" not in WAYS[way](NORMAL).to_frame("pyarrow").column_names


@pytest.mark.parametrize("options", [(), ("--final",), ("--separate",), ("--block", "run")])
def test_the_command_line_says_the_same(tmp_path, capsys, options):
    rows = table(run=lambda n: [k // len(CLEAR) for k in range(n)])
    path = tmp_path / "t.csv"
    path.write_text("\n".join([",".join(rows), *(",".join(map(str, row)) for row in zip(*rows.values(), strict=True))]))

    def run(*more):
        with pytest.raises(SystemExit, match="0"):
            main(["analyse", str(path), "--objectives", "gain,speed", *options, *more])
        return capsys.readouterr().out

    bare, stated = run(), run("--noise", "unknown")
    assert CONDITION in bare
    assert CONDITION not in stated
    assert "say --noise unknown (in Python noise=GaussianUnknown())" in bare
    found, sure = json.loads(run("--json")), json.loads(run("--noise", "unknown", "--json"))
    assert found["guarantee"] is None
    assert found["guarantee_if_normal"] == sure["guarantee"]
    assert sure["guarantee_if_normal"] is None
    saved = tmp_path / "answer.json"
    saved.write_text(json.dumps(found))
    for source in (path, saved):
        more = ["--objectives", "gain,speed", *options] if source is path else []
        with pytest.raises(SystemExit, match="0"):
            main(["report", str(source), *more, "-o", str(tmp_path / "r.md"), "--force"])
        assert "If the noise is normal, with probability at least 95 %" in (tmp_path / "r.md").read_text("utf-8")


def test_one_objective_without_noise_leaves_the_whole_answer_conditional():
    objectives = [cw.Objective("gain", noise=1.0), "speed"]
    bare = cw.analyse(table(), objectives=objectives, delta=0.05)
    assert not bare.result.guarantee
    assert bare.result.guarantee.reason.endswith("for speed")
    stated = [cw.Objective("gain", noise=1.0), cw.Objective("speed", noise="unknown")]
    assert cw.analyse(table(), objectives=stated, delta=0.05).result.guarantee
    both = [cw.Objective("gain", noise="unknown"), cw.Objective("speed", noise="unknown")]
    assert "in the steps given" not in " ".join(cw.analyse(table(), objectives=both, delta=0.05).explanations)
    assert cw.analyse(table(), objectives=objectives, delta=0.05, noise=NORMAL).result.guarantee


@pytest.mark.parametrize("noise", [0.1, GaussianUnknown])
@pytest.mark.parametrize("first", ["gain", cw.Objective("gain", noise=1.0)])
@pytest.mark.parametrize("options", [{}, {"separate": True}, {"block": "run"}])
def test_noise_that_is_none_is_refused_in_a_sentence(noise, first, options):
    rows = table(run=lambda n: [k // len(CLEAR) for k in range(n)])
    with pytest.raises(cw.InputError, match=r"noise must be an assumption such as noise.Gaussian"):
        cw.analyse(rows, objectives=[first, "speed"], delta=0.05, noise=noise, **options)


def test_answers_that_need_no_normal_noise_stay_guarantees():
    assert in_blocks(None, population="all").result.guarantee  # every block was read: averages are known
    one = {"design": ["A"] * 4, "gain": [1.0, 2.0, 3.0, 4.0]}
    assert cw.analyse(one, objectives=["gain"], delta=0.05).result.guarantee
    rng = np.random.default_rng(1)
    right = (rng.random((EACH, 3)) < [0.05, 0.95, 0.5]).astype(int)
    rows = {"design": list("ABC") * EACH, "run": np.repeat(range(EACH), 3), "right": right.ravel()}
    found = cw.analyse(rows, objectives=["right"], delta=0.05, block="run")
    assert found.result.guarantee
    assert "observations between 0 and 1" in found.result.guarantee.assumption


def test_identification_takes_the_noise_that_a_problem_states():
    rng = np.random.default_rng(2)
    values = np.array([[0.0], [5.0]])[:, None, :] + rng.normal(size=(2, 60, 1))
    line, options = cw.Cone.orthant(1), {"epsilon": 0.1, "delta": 0.05, "rng": 0}
    bare = cw.identify(Recorded(values, population=False), line, **options)
    assert not bare.guarantee
    assert str(bare.guarantee).startswith(CONDITION)
    assert bare.guarantee.proof
    stated = cw.identify(Recorded(values, population=False, noise=NORMAL), line, **options)
    assert stated.guarantee == bare.guarantee.proof
    assert cw.identify(Recorded(values, population=False), line, noise=NORMAL, **options).guarantee
    assert cw.identify(cw.problems.load("imrt"), cw.Cone.orthant(2), epsilon=2.0, delta=0.05, rng=0).guarantee


@pytest.mark.parametrize("noise", [NORMAL, Gaussian(1.0), Bounded(-99, 99), GaussianUnknown(stated=False)])
def test_a_study_has_the_noise_that_it_was_given(tmp_path, capsys, noise):
    asked = {"cone": cw.Cone.orthant(1), "epsilon": 50.0, "delta": 0.05, "objectives": ["gain"]}
    with cw.Study.create(tmp_path / "s.db", designs=["A", "B"], noise=noise, **asked) as study:
        while not study.status().finished:
            batch = study.ask(8, worker="w")
            values = [[90.0 * (one.name == "B") + k % 3] for k, one in enumerate(batch)]
            study.tell(batch, values)
    with cw.Study.open(tmp_path / "s.db") as study:
        worth = study.status().result.guarantee
    with pytest.raises(SystemExit, match="0"):
        main(["study", "status", str(tmp_path / "s.db")])
    shown = capsys.readouterr().out
    assert bool(worth) == (not noise.presumed)
    assert (CONDITION in shown) == bool(noise.presumed)
    assert ("guaranteed: within" in shown) == bool(worth)


def test_the_mark_follows_the_noise_wherever_it_goes():
    presumed = GaussianUnknown(stated=False)
    assert presumed == NORMAL
    assert presumed.presumed
    assert not NORMAL.presumed
    assert ByObjective([presumed, Exact()]).presumed
    assert not ByObjective([NORMAL, Exact()]).presumed
    question = cw.Question(
        cw.Cone.orthant(2), 0.1, 0.05, presumed, objectives=[cw.Objective("a", "min", unit=2), cw.Objective("b")]
    )
    assert question.inside.assumed.presumed
    mixed = cw.Question(cw.Cone.orthant(2), 0.1, 0.05, ByObjective([presumed, 1.0]), objectives=["a", "b"])
    assert mixed.inside.assumed.presumed.endswith("for a")


@pytest.mark.parametrize("blocks", [1, 2, 40])
@pytest.mark.parametrize("noise", [None, NORMAL, Bounded(-99, 99)])
def test_designs_that_share_blocks_are_never_called_independent(blocks, noise):
    rows = [{"design": name, "gain": k + len(name), "run": k} for k in range(blocks) for name in ("a", "bb")]
    found = cw.analyse(rows, objectives=["gain"], delta=0.05, block="run", noise=noise)
    assert any("Assumed: blocks" in line for line in found.explanations)
    assert not any("independent" in line for line in found.explanations)
