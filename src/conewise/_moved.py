"""Modules that have moved and names that are gone: the old address works with a warning, or says what to do instead.

A deprecated address works until the release in `UNTIL`; docs/stability.md says what is promised of names at all.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from functools import partial
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

ELSEWHERE: Final = {"conewise.studies.reader.StudyReader": "conewise.studies.view.StudyView"}
"""Names of other modules, and what they are called now, and where."""

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
        package, _, name = fullname.rpartition(".")
        if package == "conewise" and name in GONE:  # `from conewise import Goal` looks for such a module at last
            raise ImportError(gone(name), name=fullname)
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
    _warn(f"conewise.{name}", new, 4)
    return new


def gone(name: str) -> str:
    """What to use instead of a name of `conewise`, as a sentence."""
    return f"conewise.{name} is gone since 0.2: {GONE[name]}"


def old_name(module: str, name: str) -> object:
    """What stands in for an attribute of a module: a moved module, or a name of another one, with a warning."""
    old = f"{module}.{name}"
    if old in MODULES:
        _warn(old, MODULES[old], 3)
        return import_module(MODULES[old])
    if old in ELSEWHERE:
        _warn(old, ELSEWHERE[old], 3)
        home, _, new = ELSEWHERE[old].rpartition(".")
        return getattr(import_module(home), new)
    raise AttributeError(f"module {module!r} has no attribute {name!r}")


def _warn(old: str, new: str, level: int) -> None:
    """Tell whoever stands so many frames above; once, although `from ... import` first asks whether the name is there.

    It is Python's import machinery that asks, in a frame of its own.
    """
    if "importlib._bootstrap" not in sys._getframe(level - 1).f_code.co_filename:
        warnings.warn(f"{old} is {new} now; the old name goes with {UNTIL}", DeprecationWarning, level)


def install() -> None:
    """Answer imports of moved modules, once for a process; as attributes, packages answer for them (`asked_of`)."""
    if not any(isinstance(finder, MovedModules) for finder in sys.meta_path):
        sys.meta_path.append(MovedModules())


def asked_of(module: str) -> Callable[[str], object]:
    """The `__getattr__` of a module that has had other names."""
    return partial(old_name, module)
