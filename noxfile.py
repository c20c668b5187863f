"""The tests under every supported Python and at the lowest versions: `pipx run nox`, or `make versions`.

A Python that is not on the machine is skipped with a word. `nox -s tests-3.12 -- tests/unit` runs a part.
"""

from __future__ import annotations

from pathlib import Path

import nox

nox.options.error_on_missing_interpreters = False
nox.options.default_venv_backend = "venv"

PYTHONS = ["3.11", "3.12", "3.13"]
QUICK = ("tests/golden", "tests/contract", "tests/unit")
"""What depends on versions most: formulas, contracts, and every module. `-- tests` runs everything."""


def run_tests(session: nox.Session, *options: str) -> None:
    chosen = session.posargs or QUICK
    command = ("python", "-m", "pytest", "-q", "-n", "2", "--dist", "worksteal", *options, *chosen)
    session.run(*command, env={"OPENBLAS_NUM_THREADS": "1"})


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """The newest versions that the ranges admit."""
    session.install("--upgrade", "pip>=25.1")
    session.install(".", "--group", "test")
    run_tests(session)


@nox.session(python=PYTHONS[0])
def lowest(session: nox.Session) -> None:
    """The lowest versions that the ranges admit, under the oldest Python."""
    session.install("--upgrade", "pip>=25.1")
    constraints = Path(session.create_tmp()) / "lowest.txt"
    constraints.write_text(str(session.run("python", ".ci/lowest.py", silent=True)), encoding="utf-8")
    session.install(".", "--group", "test", "--constraint", str(constraints))
    # Old packages beside new ones of their own warn of each other: that is not for us to mend.
    run_tests(session, "-W", "default::DeprecationWarning", "-W", "default::FutureWarning")
