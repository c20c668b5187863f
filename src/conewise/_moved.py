"""Modules that have moved and names that are gone: the old address works with a warning, or says what to do instead.

A deprecated address works until the release in `UNTIL`; docs/stability.md says what is promised of names at all.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final

UNTIL: Final = "0.4"
"""The release in which what is deprecated now goes."""

MODULES: Final = {
    "conewise.algorithms.base": "conewise.algorithms.contract",
    "conewise.algorithms.certified": "conewise.algorithms.adaptive.elimination",
    "conewise.algorithms.fixed": "conewise.algorithms.adaptive.fixed",
    "conewise.algorithms.radii": "conewise.certificate.radii",
    "conewise.problems.measurements": "conewise.tables.measurements",
    "conewise.problems.tables": "conewise.tables.designs",
    "conewise.studies.analysis": "conewise.analysis.analyse",
    "conewise.studies.journal": "conewise.studies.storage.journal",
    "conewise.studies.runner": "conewise.studies.running.runner",
}
"""Modules of 0.1 that its documentation named, and where their names are now."""

RENAMED: Final = {"OptimalProportions": "SuccessiveElimination"}
"""Names of `conewise` for which another one stands in: the rule answers the same questions, with the same promise."""

GONE: Final = {
    "Goal": "conewise.Question(cone, epsilon, delta, noise) says what is asked, and algorithms take it",
}
"""Names of `conewise` in 0.1 for which nothing stands in as it is, and what to use."""


class MovedModules(MetaPathFinder, Loader):
    """Stands last among Python's finders, so that it is asked about nothing that is there."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if fullname in MODULES else None

    def exec_module(self, module: ModuleType) -> None:
        new = MODULES[module.__name__]
        # Python counts no frame of its own import machinery: 2 is whoever wrote the import.
        warnings.warn(f"{module.__name__} is {new} now; the old name goes with {UNTIL}", DeprecationWarning, 2)
        found = import_module(new)
        module.__doc__ = found.__doc__
        module.__getattr__ = lambda name: getattr(found, name)  # type: ignore[method-assign]


def current(name: str) -> str:
    """What stands in for a name of `conewise`, with a warning to whoever wrote the old one."""
    new = RENAMED[name]
    warnings.warn(f"conewise.{name} is {new} now; the old name goes with {UNTIL}", DeprecationWarning, 3)
    return new


def install() -> None:
    """Answer imports of moved modules, once for a process."""
    if not any(isinstance(finder, MovedModules) for finder in sys.meta_path):
        sys.meta_path.append(MovedModules())
