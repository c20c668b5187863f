"""Questions whose answers version 0.2 has written down, and the way in which they are put to any version.

The files in tests/golden/oracle hold questions and answers; tests/golden/make_oracle.py has written them.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import shlex
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import conewise as cw
from conewise.cli.main import main

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "oracle"
Record = dict[str, Any]

PROSE = {
    *("explanations", "words", "theorem", "assumption", "not_guaranteed_because", "noise", "sentences", "headline"),
    *("method", "certificate", "history_note", "next_words", "price_words", "why", "source", "listed", "remarks"),
    *("guess", "plan", "remaining", "remaining_at_least", "probability", "rivals", "half_widths", "has_radii"),
}
"""Keys of `--json` that may change: sentences, forecasts, and what a model has drawn."""


def read(name: str) -> list[Record]:
    """Return the records of a golden file."""
    opened = gzip.open if name.endswith(".gz") else open
    with opened(GOLDEN / name, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def write(name: str, records: list[Record]) -> None:
    """Write a golden file."""
    text = "".join(json.dumps(record) + "\n" for record in records).encode()
    (GOLDEN / name).write_bytes(gzip.compress(text, mtime=0) if name.endswith(".gz") else text)


# -- commands and refusals -----------------------------------------------------------------------------------------


def furnish() -> None:
    """Fill the current folder with the tables that requests name, and with a study."""
    for place in ("examples/tables", "docs/gallery/data", "tests/golden/oracle/tables"):
        shutil.copytree(ROOT / place, ".", dirs_exist_ok=True)
    typed("study init trial.toml")
    typed("study create trial.toml")


def typed(command: str) -> tuple[int, str, str]:
    """Run a command in this process; return its exit code, its output and its complaints."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(shlex.split(command))
        except SystemExit as end:
            code = int(end.code or 0)
    return code, out.getvalue(), err.getvalue()


def printed(record: Record) -> Any:
    """Return what `--json` prints without prose, or the sentence of a refusal."""
    code, out, err = typed(f"{record['command']} --json")
    return _facts(json.loads(out)) if code == 0 else {"refused": err.strip()}


def _facts(answer: Any) -> Any:
    if isinstance(answer, list):
        return [_facts(entry) for entry in answer]
    if isinstance(answer, dict):
        return {key: _facts(entry) for key, entry in answer.items() if key not in PROSE}
    return answer


def refused(record: Record) -> str:
    """Return the sentence with which a command, or a call in Python, is refused; empty if it is not."""
    request = record["request"]
    if request.startswith("conewise "):
        code, out, err = typed(request.removeprefix("conewise "))
        return err.strip() if code == 2 and not out else ""
    try:
        eval(request, {"cw": cw})
    except cw.InputError as error:
        return str(error)
    return ""


# -- states and studies ---------------------------------------------------------------------------------------------


def analysed(state: Record) -> Record:
    """Return the claims of `analyse` about a state."""
    words, values = dict(state["words"]), np.array(state["values"])
    k, n, dim = values.shape
    table: Record = {"design": np.repeat([f"d{j}" for j in range(k)], n).tolist(), "block": [*range(n)] * k}
    table |= {f"y{d}": values[..., d].ravel().tolist() for d in range(dim)}
    objectives = [cw.Objective(**objective) for objective in state["objectives"]]
    noise = None if words["noise"] is None else eval(words.pop("noise"), {"cw": cw})
    cone = cw.Cone.parse(words.pop("cone"))
    return claims(cw.analyse(table, cone, design="design", objectives=objectives, **(words | {"noise": noise})).result)


def claims(result: Any) -> Record:
    """Return what an answer claims of each design, and of the returned set."""
    known = list(result.designs)
    columns = result.status.tolist(), result.by.tolist(), result.certain.tolist(), result.pareto.tolist()
    each = {
        name: [status, known[by] if by >= 0 else None, certain, returned]
        for name, status, by, certain, returned in zip(known, *columns, strict=True)
    }
    return {"designs": each, "certified_epsilon": result.certified_epsilon}


def prefixes(record: Record) -> Iterator[Path]:
    """Write a study to the current folder as it was after each tenth entry of its journal, and at its end."""
    whole = gzip.decompress((GOLDEN / f"{record['study']}.db.gz").read_bytes())
    for seq in [*range(10, record["entries"], 10), record["entries"]]:
        path = Path(f"{record['study']}-{seq}.db")
        path.write_bytes(whole)
        file = sqlite3.connect(path)
        file.execute("UPDATE tails SET (seq, checksum) = (SELECT seq, checksum FROM journal WHERE seq = ?)", (seq,))
        file.execute("DELETE FROM journal WHERE seq > ?", (seq,))
        file.commit()
        file.close()
        yield path


def answered(path: Path) -> Record:
    """Return where a study stands."""
    study = cw.Study.open(path, read_only=True)
    status, epsilon = study.status(), study.epsilon
    study.close()
    seen = {"evaluations": status.evaluations, "finished": status.finished, "epsilon": epsilon}
    return claims(status.result) | seen


# -- comparing -----------------------------------------------------------------------------------------------------


def flat(answer: Any, place: str = "") -> Record:
    """Return the leaves of an answer by their places."""
    if isinstance(answer, (dict, list)) and answer:
        each = answer.items() if isinstance(answer, dict) else enumerate(answer)
        return {at: leaf for key, entry in each for at, leaf in flat(entry, f"{place}/{key}").items()}
    return {place: answer}


def changed(before: Any, now: Any) -> Record:
    """Return the leaves of `now` that differ from `before`, by place; None is as good as absent.

    Numbers may differ by 1e-6 of themselves.
    """
    old, new = flat(before), flat(now)
    return {place: new.get(place) for place in sorted({*old, *new}) if not _same(old.get(place), new.get(place))}


def _same(first: Any, second: Any) -> bool:
    if isinstance(first, float) and isinstance(second, (int, float)):
        return bool(np.isclose(first, second, rtol=1e-6, atol=1e-12))
    return bool(first == second)
