"""Time conewise beside its peers and print one table; `--write` also keeps it in benchmarks/RESULTS.md."""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

from benchmarks import footprint, gaps, journal, pareto, reproduction
from benchmarks.measure import PEERS_PYTHON, Row

SECTIONS = {
    "pareto": pareto.rows,
    "gaps": gaps.rows,
    "footprint": footprint.rows,
    "reproduction": reproduction.rows,
    "journal": journal.rows,
}
HEADER = ("case", "ours", "peer", "ratio", "target", "")
RESULTS = Path(__file__).parent / "RESULTS.md"

PREFACE = """\
# Benchmarks

Written by `python -m benchmarks --write`. CPU time of one core, the least of several calls, ours and the peer's in
alternation in the same run. A ratio in `x` is our time over the peer's (smaller is better), one in `x faster` the
peer's time over ours. Asks and tells wait for the disk, so they are timed by the clock on the wall. Rows without a
target are reported for orientation. In the `general cone` and the `narrow cone` all three facets are oblique; few
designs stay under the first and many under the second (`data.py`).
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", choices=SECTIONS, help="run one section")
    parser.add_argument("--write", action="store_true", help="write benchmarks/RESULTS.md (all sections)")
    options = parser.parse_args()
    if options.only and options.write:
        parser.error("--write keeps a complete table: run it without --only.")
    found: list[Row] = []
    print(_machine(), flush=True)
    for name, section in SECTIONS.items():
        if options.only in (None, name):
            for row in section():
                found.append(row)
                print(_text(row), flush=True)
    missed = sum(row.met is False for row in found)
    print(f"\n{sum(row.met is True for row in found)} targets met, {missed} missed")
    if options.write:
        RESULTS.write_text(_page(found), encoding="utf-8")


def _text(row: Row) -> str:
    return f"{row.case:<78} {row.ours:>9}  {row.peer:<24} {row.ratio:>15}  {row.target:<16} {row.verdict}"


def _page(found: list[Row]) -> str:
    lines = [PREFACE, f"{datetime.date.today():%d %B %Y}. {_machine()}\n"]
    lines += [f"| {' | '.join(HEADER)} |", "|---|---:|---|---:|---|---|"]
    for row in found:
        cells = (row.case, row.ours, row.peer, row.ratio, row.target, row.verdict)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _machine() -> str:
    """Its size and the versions: enough to judge the figures by, nothing that names the machine."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    packages = ", ".join(f"{name} {version(name)}" for name in ("conewise", "numpy", "scipy", "moocore"))
    return f"Python {platform.python_version()}, {packages}, {_peers()}; {os.cpu_count()} cores, {memory:.0f} GiB."


def _peers() -> str:
    return ", ".join(f"{name} {_peer_version(name.lower())}" for name in ("VOPy", "Optuna"))


def _peer_version(package: str) -> str:
    if not PEERS_PYTHON.exists():
        return "absent"
    code = f"from importlib.metadata import version; print(version({package!r}))"
    answer = subprocess.run([PEERS_PYTHON, "-c", code], capture_output=True, text=True)
    return "absent" if answer.returncode else answer.stdout.strip()


if __name__ == "__main__":
    main()
