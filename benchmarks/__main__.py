"""Time conewise beside its peers and print one table; `--write` also keeps it in benchmarks/RESULTS.md."""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable, Iterable
from functools import partial
from importlib.metadata import version

from benchmarks import (
    commits,
    cones,
    cores,
    data,
    deciders,
    deciding,
    explorer,
    families,
    footprint,
    gaps,
    growth,
    journal,
    large,
    masks,
    pareto,
    reproduction,
    streams,
)
from benchmarks.elsewhere import peer_versions
from benchmarks.measure import Row
from benchmarks.results import Section, keep

PEERS = {
    "VOPy": "vopy",
    "BoTorch": "botorch",
    "pymoo": "pymoo",
    "paretoset": "paretoset",
    "cvxpy": "cvxpy",
    "Optuna": "optuna",
}
"""What each is called, and the package that `make bench-peers` installs."""

SECTIONS = {
    "pareto": Section(
        "Pareto sets: what is promised",
        "In the `general cone` and the `narrow cone` all three facets are oblique; few designs stay under the first "
        "and many under the second (`data.py`). moocore gets the facet values for nothing.",
    ),
    "masks": Section(
        "Pareto sets from a thousand designs to ten million",
        "The peer's time over ours: above 1 we are faster. The orthant, designs uniform in a cube or on a sphere. A "
        "size is not run where the peer's own growth says that one call would take more than "
        f"{masks.LIMIT:g} s ({masks.IN_PROCESS_LIMIT:g} s for moocore and ours); how long it would take stands there.",
        grid=True,
    ),
    "cores": Section("Both cores", "By the clock on the wall: shards of one table in two threads, beside one call."),
    "gaps": Section("Gaps", "A peer that solves one problem a pair is timed on a sample and scaled to all pairs."),
    "cones": Section("Cones", "Setting up a cone, beside VOPy's alpha and beta."),
    "preferences": Section(
        "Preferences", "Statements of one person that agree, and which two designs to ask about; `deciders.py`."
    ),
    "reproduction": Section("The paper", "The whole reproduction, per cell and run, beside one run of one cell."),
    "deciding": Section(
        "Deciding",
        "CPU time of ask and tell, without the simulator, for every sampling rule. All but a tenth of the designs "
        f"(1000 at most) are clearly beaten after a look or two; sigma {data.SIGMA:g}, epsilon {data.EPSILON:g}, delta "
        f"{data.DELTA:g}. A run is cut after {deciding.ROUNDS} rounds or {deciding.SECONDS:g} s.",
    ),
    "growth": Section(
        "Growth",
        "Exponents fitted on logarithms over the upper half of the sizes; along D the factor an objective. The target "
        "is the exponent of K log K + K |P*| fitted on the same sizes with the fronts that were there; "
        f"{growth.SLACK:g} more, in brackets, is put down to caches and noise.",
    ),
    "footprint": Section("Import and memory", "Peak memory of a process that makes the data and calls one function."),
    "journal": Section(
        "Studies", "Replay is CPU time. Asks and tells wait for the disk, so they are timed by the clock on the wall."
    ),
    "streams": Section(
        "Tables larger than memory",
        "`conewise front` and `conewise analyse` on files, by the clock on the wall, in processes with "
        f"{streams.LIMIT} GiB of address space. `python -m benchmarks.streams --full` takes ten times the rows.",
    ),
    "explorer": Section(
        "The explorer",
        "What the page asks its server for when a cone is turned; and what one move of the slider costs the browser, "
        "all its processes together and drawing included.",
    ),
    "large": Section(
        "A million designs from end to end",
        "By the clock on the wall, simulator included, in a process of its own that may use both cores.",
    ),
    "families": Section(
        "Evaluations, whole families",
        f"Exact identification (contain, epsilon 0, delta {families.DELTA:g}), our default beside APE with its proven "
        f"radius in batches of {families.GROWTH:.0%}: the ratio of the means of {families.RUNS} runs on each of "
        f"{families.INSTANCES} instances, seeds from {families.SEED} on. All answers are right.",
    ),
    "evaluations": Section(
        "Evaluations",
        "Of our best proven rule, the mean of 20 runs, beside those of the published rules with their proven constants "
        "and the lower bounds; the ratio is to APE. `make samples` measures them in about an hour, and SAMPLES.md has "
        "the size of batches, standard errors, times and how often answers were right.",
    ),
    "again": Section(
        "The same with the library as it is now",
        "Pages of long measurements name the commit of the library that they are of. Here some of their runs, drawn at "
        "random, were made again with the commit named below this table: evaluations and verdicts must be the same to "
        "the last digit that was kept. `make again` does so, in an hour and a half.",
    ),
}


def measurements(write: bool) -> dict[str, Callable[[], Iterable[Row]]]:
    """What fills each section but the last two, which `benchmarks.samples` and `benchmarks.again` do."""
    return {
        "pareto": pareto.rows,
        "masks": masks.rows,
        "cores": cores.rows,
        "gaps": gaps.rows,
        "cones": cones.rows,
        "preferences": deciders.rows,
        "reproduction": reproduction.rows,
        "deciding": deciding.rows,
        "growth": partial(growth.rows, keep=write),
        "footprint": footprint.rows,
        "journal": journal.rows,
        "streams": streams.rows,
        "explorer": explorer.rows,
        "large": large.rows,
        "families": families.rows,
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    known = list(measurements(write=False))
    parser.add_argument("--only", nargs="+", choices=known, metavar="SECTION", help=f"some of: {', '.join(known)}")
    parser.add_argument("--write", action="store_true", help="keep what is measured in benchmarks/RESULTS.md")
    options = parser.parse_args()
    print(described := machine(), flush=True)
    met = missed = 0
    for name, section in measurements(options.write).items():
        if options.only and name not in options.only:
            continue
        began, spent, found = time.monotonic(), os.times(), []
        for row in section():
            found.append(row)
            print(text(row), flush=True)
        if options.write:
            keep(name, found, described, SECTIONS)
        met, missed = met + sum(row.met is True for row in found), missed + sum(row.met is False for row in found)
        cpu = sum(after - before for after, before in zip(os.times()[:4], spent[:4], strict=True))
        print(f"-- {name}: {time.monotonic() - began:.0f} s, {cpu:.0f} s of them at work\n", flush=True)
    print(f"{met} targets met, {missed} missed")


def text(row: Row) -> str:
    """One line of the terminal."""
    return f"{row.case:<78} {row.ours:>9}  {row.peer:<24} {row.ratio:>15}  {row.target:<16} {row.verdict}".rstrip()


def machine() -> str:
    """Its size and the versions: enough to judge the figures by, nothing that names the machine."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    packages = ", ".join(f"{name} {version(name)}" for name in ("conewise", "numpy", "scipy", "moocore"))
    found = peer_versions(PEERS)
    peers = ", ".join(f"{label} {number}" for label, number in found.items() if number != "absent")
    missing = ", ".join(label for label, number in found.items() if number == "absent")
    beside = f"; peers: {peers}" if peers else ""
    absent = f"; absent: {missing}" if missing else ""
    size = f"{os.cpu_count()} cores, {memory:.0f} GiB"
    return f"{commits.here()} Python {platform.python_version()}, {packages}{beside}{absent}; {size}."


if __name__ == "__main__":
    main()
