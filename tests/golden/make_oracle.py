"""Makes the golden files of `shared.oracle`: states, studies, and what a version answers.

    python tests/golden/make_oracle.py make    # with version 0.2: states, studies and all answers
    python tests/golden/make_oracle.py now     # with a later version: what differs, to be explained under "because"

Both want the sources of that version and the folder `tests` on the path of Python.
"""

from __future__ import annotations

import contextlib
import gzip
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from shared.oracle import GOLDEN, Record, analysed, answered, changed, furnish, prefixes, printed, read, refused, write

import conewise as cw

KINDS = ("known", "unknown", "bounded", "binary", "mixed", "all blocks", "some blocks", "new blocks", "levels", "cells")
NOISES = {"known": "Gaussian(0.5)", "levels": "Gaussian(0.5)", "bounded": "Bounded(0.0, 1.0)", "binary": "Binary()"}


def drawn(number: int) -> Record:
    """Return a random table of measurements, the question about it, and the true means (larger is better)."""
    rng, kind, turn = np.random.default_rng([20, number]), KINDS[number % 10], number // 10
    between = kind in ("bounded", "binary")
    k, dim = int(rng.integers(3, 6 if between else 13)), int(rng.integers(2, 5))
    n = {"bounded": 150, "binary": 300, "mixed": 60}.get(kind, int(rng.integers(20, 50)))
    truth = rng.uniform(0.15, 0.85, (k, dim)) if between else rng.normal(size=(k, dim))
    signs = [1] * (dim - 1) + [-1 if kind in ("known", "levels") else 1]
    objectives: list[Record] = [{"name": f"y{d}", "goal": "max" if s > 0 else "min"} for d, s in enumerate(signs)]
    words: Record = {"delta": 0.05, "epsilon": turn * (0.15 if between else 0.3), "separate": kind == "cells"}
    words["success"] = "contain" if turn == 0 else "cover"
    words["cone"] = ["planar:60", "planar:135"][number % 2] if dim == 2 else [f"orthant:{dim}", f"ranked:{dim}"][k % 2]
    words["final"] = "blocks" not in kind and number % 3 > 0
    values = truth[:, None, :] + 0.5 * rng.normal(size=(k, 4 * n if kind == "some blocks" else n, dim))
    if "blocks" in kind:
        values += rng.normal(size=(1, *values.shape[1:]))
        words |= {"block": "block", "population": {"all blocks": "all", "some blocks": 4 * n}.get(kind)}
    if kind == "bounded":
        values = truth[:, None, :] + rng.uniform(-0.15, 0.15, values.shape)
    if kind == "binary":
        values = (rng.uniform(size=values.shape) < truth[:, None, :]).astype(int)
    if kind == "mixed":
        truth[:, 0], truth[:, -1] = rng.uniform(0.05, 0.95, k), rng.integers(0, 4, k)
        values[..., 0], values[..., -1] = rng.uniform(size=(k, n)) < truth[:, :1], truth[:, -1:]
        for objective, noise in zip(objectives, ["binary", *["unknown"] * (dim - 2), "known"], strict=True):
            objective["noise"] = noise
    values = values.round(3)
    truth = values.mean(axis=1) if kind in ("all blocks", "some blocks") else truth
    words["noise"] = None if kind == "mixed" else f"cw.noise.{NOISES.get(kind, 'GaussianUnknown()')}"
    if kind == "levels" or number in (6, 17, 29):  # also of blocks, and of objectives measured separately
        objectives[0]["level"] = -0.5
    if kind == "levels":
        objectives[-1]["level"] = 0.8
    signed = (values[:, :n] * signs).astype(values.dtype).tolist()
    return {"kind": kind, "objectives": objectives, "words": words, "values": signed, "truth": truth.tolist()}


MEANS = {
    "a": (1, 0.2),
    "b": (0.2, 1),
    "c": (0.5, 0.5),
    "d": (0.7, 0.7),
    "e": (0.1, 0.1),
    "f": (0.9, 0.1),
    "g": (0.8, 0.9),
    "h": (0.6, 0.3),
}
GRID = [{"name": f"g{x}{y}", "x": x / 3, "y": y / 2} for x in range(4) for y in range(3)]
BOX = cw.problems.Box({"x": [0, 0.25, 0.5, 0.75, 1], "y": [0, 0.25, 0.5, 0.75]}, candidates=9)
SMOOTH = {"kind": "smooth", "kernels": ["squared"], "sizes": [1.0, 3.0, 10.0]}
BLOCKS = {"block": "question", "blocks": [f"q{b}" for b in range(120)]}
MIXED = [cw.Objective("gain", noise="binary"), cw.Objective("cost", "min", noise="known")]
STEPS = [cw.Objective("gain", unit=0.5), cw.Objective("cost", "min", unit=0.25)]
BASICS: Record = {"designs": [*"abcdef"], "cone": cw.Cone.orthant(2), "epsilon": 0.3, "delta": 0.05, "seed": 7}
BASICS |= {"objectives": ["gain", "cost"], "minimise": ["cost"], "noise": cw.noise.Gaussian(0.5), "ask": 8}
EXACT = {"success": "contain", "max_evaluations": 4000}
STUDIES: dict[str, Record] = {
    "rows": {},
    "contain": {"epsilon": 0.0, "noise": cw.noise.GaussianUnknown(), "options": EXACT, "ask": 30},
    "wide": {"cone": cw.Cone.planar(135), "epsilon": 0.1, "ask": 20, "options": {"max_evaluations": 1500}},
    "bounded": {"noise": cw.noise.Bounded(-1.5, 1.5), "ask": 25},
    "mixed": {"objectives": MIXED, "minimise": [], "noise": None, "ask": 10},
    "steps": {"objectives": STEPS, "minimise": [], "epsilon": 1.0},
    "separate": {"separate": True, "ask": 12},
    "levels": {"levels": {"gain": 0.4, "cost": ("<=", -0.15)}, "epsilon": 0.2, "ask": 15},
    "all-blocks": {**BLOCKS, "population": "all", "noise": cw.noise.Bounded(-1, 1), "epsilon": 0.05},
    "new-blocks": {**BLOCKS, "noise": cw.noise.GaussianUnknown(), "epsilon": 0.2, "ask": 6},
    "model": {"designs": GRID, "model": SMOOTH | {"features": ["x", "y"]}, "noise": cw.noise.Gaussian(0.3), "ask": 4},
    "box": {"designs": BOX, "model": SMOOTH, "noise": cw.noise.Gaussian(0.1), "ask": 2},
    "changed": {"reserve": 0.5, "epsilon": 0.5, "ask": 7},
    "mended": {"ask": 6},
}
CHANGES = {
    "changed": (
        lambda study: study.change(epsilon=0.4),
        lambda study: study.drop(["f"], reason="sold out"),
        lambda study: study.add_designs(["g"], unseen=True),
        lambda study: study.add_designs(["h"]),
    ),
    "mended": (
        lambda study: study.correct("d0n0", [0.9, -0.3], reason="a slip"),
        lambda study: study.withdraw(["d1n0", "d2n1"], reason="mislabelled"),
        lambda study: study.fail(study.ask(2), reason="the power was cut"),
        lambda study: study.record(["d", "d"], [[0.6, -0.6], [0.8, -0.8]]),
    ),
}
SIGMAS = {"model": 0.3, "box": 0.1, "contain": 0.2}


def mean(name: str, row: Record) -> Any:
    """Return the true mean of a design, larger is better."""
    off = (row.get("y", 0) - 0.5) ** 2
    return np.array([row["x"] - off, 1 - row["x"] - off] if "x" in row else MEANS[name])


def measured(study: str, one: Any) -> Any:
    """Return the values of an evaluation, larger is better."""
    true, rng = mean(one.name, one.row), np.random.default_rng(one.seed)
    if study == "all-blocks":
        return (np.random.default_rng([*map(ord, one.name + one.block)]).uniform(size=2) < true).astype(float)
    if study == "mixed":
        return np.array([float(rng.uniform() < true[0]), true[1]])
    if study == "bounded":
        return true + rng.uniform(-0.3, 0.3, 2)
    shared = np.random.default_rng([*map(ord, one.block)]).normal(size=2) if study == "new-blocks" else 0.0
    return true + shared + SIGMAS.get(study, 0.5) * rng.normal(size=2)


def made(name: str) -> Record:
    """Make a study with the version that is installed; return its length and the true means in steps."""
    words, path = BASICS | STUDIES[name], Path(f"{name}.db")
    n, changes = words.pop("ask"), [*CHANGES.get(name, ())]
    study = cw.Study.create(path, **words, clock=lambda: 1e9)
    while (seq := len(study.log())) < 160:
        batch = [] if changes and seq >= 14 * (len(CHANGES[name]) - len(changes) + 1) else study.ask(n)
        if not batch and not changes:
            break
        if not batch:
            changes.pop(0)(study)
            continue
        values = [np.array([1, -1]) * measured(name, one) for one in batch]
        cells = [value[one.identity.objective] for value, one in zip(values, batch, strict=True) if study.separate]
        study.tell(batch, cells or values)
    rows = dict(zip(study.names, study.rows, strict=True)) if name in ("model", "box") else {name: {} for name in MEANS}
    truth = {design: mean(design, row) / ((0.5, 0.25) if name == "steps" else 1) for design, row in rows.items()}
    if name == "all-blocks":
        met = [SimpleNamespace(name=design, row={}, seed=0, block=b) for design in rows for b in BLOCKS["blocks"]]
        values = np.array([measured(name, one) for one in met]).reshape(len(rows), -1, 2)
        truth = dict(zip(rows, values.mean(axis=1), strict=True))
    entries = len(study.log())
    study.close()
    (GOLDEN / f"{name}.db.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
    each = {design: value.tolist() for design, value in truth.items()}
    return {"study": name, "entries": entries, "truth": each, "cone": str(words["cone"])}


ASKED = {"commands.jsonl": printed, "refusals.jsonl": refused, "states.jsonl.gz": analysed}


if __name__ == "__main__":
    with contextlib.chdir(tempfile.mkdtemp()):
        furnish()
        if sys.argv[1] == "make":
            write("states.jsonl.gz", [drawn(number) for number in range(30)])
            studies = [made(name) for name in STUDIES]
            for study in studies:
                study["answers"] = [answered(path) for path in prefixes(study)]
            write("studies.jsonl.gz", studies)
        for name, ask in ASKED.items():
            records = read(name)
            for record in records:
                answer, because = ask(record), record.pop("because", "")
                if sys.argv[1] == "make":
                    record["answer"] = answer
                record.pop("now", None)
                if now := changed(record["answer"], answer):
                    record |= {"now": now, "because": because}
            write(name, records)
