"""The page of licences, from what the installed packages say of themselves: `python docs/licences.py`.

It lists everything that the core or an extra brings along, at any depth, and says in one table what comes with which.
Only licences stand there, no versions: the page changes when a dependency comes, goes or changes its licence.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "licences.md"

HEAD = """# Licences of what it depends on

conewise itself is under the MIT licence. It contains no code of the packages below: each is installed by itself,
under its own licence, and only with the extra that needs it. The embedded data are under the MIT licence as well;
`LICENSE-data` beside them names their authors.

moocore and psycopg are under the LGPL: conewise calls them as libraries and changes nothing in them, which the LGPL
allows to programs of any licence.

The table is written by `docs/licences.py` from the metadata of the installed packages, the newest that are admitted.
The oldest ones bring greenlet (MIT and PSF) and urllib3 (MIT) as well.

| package | licence, in its own words | comes with |
|---|---|---|
"""

CLASSIFIER = re.compile(r"License :: (?:OSI Approved :: )?(.+)")
LONGEST = 60  # characters of a licence field; some packages put the whole text there


def licence(found: Distribution) -> str:
    """The licence that a package states: its expression, else its classifiers, else its field."""
    data = found.metadata
    if expression := data.get("License-Expression"):
        return str(expression)
    named = [m[1] for line in data.get_all("Classifier") or () if (m := CLASSIFIER.match(line))]
    field = (data.get("License") or "").strip()
    if named:
        return "; ".join(named)
    return field if 0 < len(field) <= LONGEST and "\n" not in field else "see its own files"


def closure(requirements: list[str]) -> Iterator[str]:
    """All distributions behind some requirements, by their normalised names; markers decide as they do for pip."""
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = [Requirement(text) for text in requirements]
    while waiting:
        wanted = waiting.pop()
        key = canonicalize_name(wanted.name), frozenset(wanted.extras)
        if key in seen:
            continue
        seen.add(key)
        yield key[0]
        for text in distribution(wanted.name).requires or ():
            further = Requirement(text)
            extras = wanted.extras or {""}
            if further.marker is None or any(further.marker.evaluate({"extra": extra}) for extra in extras):
                waiting.append(further)


def table() -> dict[str, tuple[str, str]]:
    """Name -> (licence, what it comes with)."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    sources = {"the core": project["dependencies"]}
    sources |= {f"`{extra}`": wanted for extra, wanted in project["optional-dependencies"].items()}
    brought: dict[str, list[str]] = {}
    for source, wanted in sources.items():
        for name in dict.fromkeys(closure(wanted)):
            brought.setdefault(name, []).append(source)
    return {
        name: (licence(distribution(name)), "the core" if "the core" in by else ", ".join(by))
        for name, by in sorted(brought.items())
    }


def page() -> str:
    """The whole page."""
    lines = (f"| {name} | {said} | {by} |" for name, (said, by) in table().items())
    return HEAD + "\n".join(lines) + "\n"


def main() -> None:
    try:
        PAGE.write_text(page(), encoding="utf-8")
    except PackageNotFoundError as missing:
        raise SystemExit(f"{missing.name} is not installed: make test installs it") from None


if __name__ == "__main__":
    main()
