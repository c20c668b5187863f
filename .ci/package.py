"""What a release is worth before anybody installs it: `make package`.

Builds the sdist and the wheel from it, looks into both, and installs the wheel into an empty environment: the command
runs there, and the suites that are shipped for others pass. Nothing of the checkout is used from then on.
"""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSION = runpy.run_path(str(ROOT / "src/conewise/_version.py"))["__version__"]
MOST_MEGABYTES = 200
"""What the core may take on disk with all that it needs, which is numpy and scipy for the most part."""
OF_THE_ENVIRONMENT = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence")
"""What an empty environment has already."""

IN_THE_WHEEL = (
    *("conewise/py.typed", "conewise/problems/data/snw.csv"),
    *("conewise/dashboard/static/", "conewise/report/assets/"),
)
LICENCES = ("LICENSE", "LICENSE-data")
IN_THE_SDIST = (
    *("pyproject.toml", "README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE", "Makefile", "noxfile.py"),
    *("src/conewise/__init__.py", "tests/conftest.py", "docs/index.md", "examples/001_first.py"),
)

SUITES = """
import conewise as cw
from conewise.studies.storage.places import create_journal, open_journal
from conewise.testing import RuleContract, StorageContract


class TestDefaultRule(RuleContract):
    def make(self, question, n_designs):
        return cw.SuccessiveElimination(question, n_designs)


class TestSqlite(StorageContract):
    def create(self, where, name, header):
        return create_journal(where, name, header)

    def open(self, where, name, read_only=False):
        return open_journal(where, name, read_only)
"""

TABLE = "name,quality,cost\nsmall,0.61,1\nlarge,0.83,9\nold,0.60,4\n"


def main() -> None:
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        wheel = built(work / "dist")
        check_contents(wheel, next((work / "dist").glob("*.tar.gz")))
        python = environment(work / "clean", wheel)
        check_size(work / "clean")
        check_commands(python, work)
        check_suites(python, wheel, work)
    print(f"conewise {VERSION}: the wheel is whole and works ({time.monotonic() - began:.0f} s)")


def built(out: Path) -> Path:
    """The wheel, made from the sdist, so that an sdist which lacks something is noticed."""
    run(sys.executable, "-m", "build", "--outdir", out, ROOT)
    (wheel,) = out.glob("*.whl")
    expect(wheel.name.startswith(f"conewise-{VERSION}-"), f"the wheel is called {wheel.name}, not after {VERSION}")
    return wheel


def check_contents(wheel: Path, sdist: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = archive.namelist()
    for wanted in IN_THE_WHEEL:
        expect(any(name.startswith(wanted) for name in inside), f"the wheel has no {wanted}")
    for licence in LICENCES:
        expect(any(name.endswith(f"/{licence}") and ".dist-info/" in name for name in inside), f"no {licence}")
    strange = [name for name in inside if not name.startswith(("conewise/", f"conewise-{VERSION}.dist-info/"))]
    expect(not strange, f"the wheel would also install {strange[:3]}")
    with tarfile.open(sdist) as source:
        shipped = set(source.getnames())
    missing = [name for name in IN_THE_SDIST if f"conewise-{VERSION}/{name}" not in shipped]
    expect(not missing, f"the sdist has no {missing}")
    print(f"{wheel.name}: {len(inside)} files, {wheel.stat().st_size / 1e6:.1f} MB; {sdist.name}: {len(shipped)} files")


def environment(folder: Path, wheel: Path) -> Path:
    """An empty environment with the wheel and what it depends on."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", wheel)
    run(python, "-m", "pip", "check")
    return python


def check_size(folder: Path) -> None:
    """What was downloaded and unpacked; the bytecode that Python keeps beside it is said, and not counted."""
    (packages,) = folder.glob("lib/python*/site-packages")
    unpacked = compiled = 0
    for file in packages.rglob("*"):
        top = file.relative_to(packages).parts[0]
        if file.is_dir() or file.is_symlink() or top.startswith(OF_THE_ENVIRONMENT):
            continue
        if file.parent.name == "__pycache__":
            compiled += file.stat().st_size
        else:
            unpacked += file.stat().st_size
    print(f"the core with its dependencies: {unpacked / 1e6:.0f} MB of at most {MOST_MEGABYTES}", end="")
    print(f", and {compiled / 1e6:.0f} MB of bytecode")
    expect(unpacked <= MOST_MEGABYTES * 1e6, "the core has become heavy")


def check_commands(python: Path, folder: Path) -> None:
    """The command as a user runs it; how long the import takes is said, and decides nothing."""
    (folder / "models.csv").write_text(TABLE, encoding="utf-8")
    conewise = python.with_name("conewise")
    said = run(conewise, "--version", cwd=folder)
    expect(VERSION in said, f"conewise --version says {said!r}")
    installed = run(python, "-c", "import importlib.metadata as m; print(m.version('conewise'))", cwd=folder)
    expect(installed.strip() == VERSION, f"the installed version is {installed!r}")
    run(python, "-m", "conewise", "cone", "planar:135", cwd=folder)
    front = run(conewise, "front", "models.csv", "--minimise", "cost", cwd=folder)
    expect("small" in front and "large" in front and "old" not in front, f"the front is wrong: {front}")
    run(conewise, "report", "models.csv", "--known", "--minimise", "cost", "-o", "report.html", cwd=folder)
    page = (folder / "report.html").read_text(encoding="utf-8")
    expect("large" in page and "<script" in page, "the report is not whole")
    code = "import time; t = time.process_time(); import conewise; print(time.process_time() - t)"
    quickest = min(float(run(python, "-c", code, cwd=folder)) for _ in range(5))
    print(f"import conewise: {quickest:.2f} s of processor time")


def check_suites(python: Path, wheel: Path, folder: Path) -> None:
    """What others inherit works from the wheel alone."""
    run(python, "-m", "pip", "install", "--quiet", f"{wheel}[testing]")
    (folder / "test_suites.py").write_text(SUITES, encoding="utf-8")
    said = run(python, "-W", "error", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_suites.py", cwd=folder)
    print(f"the shipped suites: {said.strip().splitlines()[-1]}")


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """What a command prints; it must end well. The checkout is not on its path."""
    alone = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    ran = subprocess.run([str(part) for part in command], cwd=cwd, env=alone, capture_output=True, text=True)
    expect(ran.returncode == 0, f"{' '.join(map(str, command))} failed:\n{ran.stdout[-3000:]}{ran.stderr[-3000:]}")
    return ran.stdout


def expect(holds: bool, otherwise: str) -> None:
    if not holds:
        sys.exit(f"package: {otherwise}")


if __name__ == "__main__":
    main()
