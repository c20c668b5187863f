"""The lowest version of everything that pyproject.toml admits, as constraints for pip: `python .ci/lowest.py`.

One list, not two: the bounds are read from where they are declared. A requirement without a lower bound is an error.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GROUPS = ("test",)
"""Dependency groups that are held to their lowest versions together with the package."""


def requirements() -> Iterator[str]:
    """What the package, its extras and its tests ask for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    yield from project["project"]["dependencies"]
    for extra in project["project"]["optional-dependencies"].values():
        yield from extra
    for group in GROUPS:
        yield from project["dependency-groups"][group]


def lowest() -> dict[str, str]:
    """Name -> the version behind `>=` (or `==`)."""
    found: dict[str, str] = {}
    for requirement in requirements():
        stated = re.match(r"([\w.-]+)(\[[\w,]+\])?\s*(?:>=|==)\s*([\w.]+)", requirement)
        if stated is None:
            raise SystemExit(f"pyproject.toml: {requirement!r} states no lowest version")
        name, extras, version = stated.groups()
        found[name] = version
        if extras == "[binary]":  # psycopg's compiled half has its number
            found[f"{name}-binary"] = version
    return found


if __name__ == "__main__":
    for name, version in sorted(lowest().items()):
        print(f"{name}=={version}")
