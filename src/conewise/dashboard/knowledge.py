"""What a study knows of its designs beside their averages, and what it would evaluate next."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from conewise.border import Floats
from conewise.errors import printable
from conewise.rules import Result
from conewise.studies.study import Study

BATCH: Final = 20
"""Evaluations of the next batch."""
_LISTED: Final = 12  # designs of it that are named


@dataclass(frozen=True, eq=False)
class Knowledge:
    """By design: where it stands under the study's own cone, and how well its averages are known."""

    result: Result
    errors: Floats
    """(K, D): standard errors, in the user's units; NaN where there are too few evaluations."""

    def of(self, index: int) -> dict[str, Any]:
        """One design."""
        chance = self.result.probability
        return {
            "status": str(self.result.status[index]),
            "evaluations": int(self.result.counts[index]),
            "errors": [float(error) if np.isfinite(error) else None for error in self.errors[index]],
            "probability": None if chance is None else float(chance[index]),
            "evidence": "measured" if self.result.counts[index] else "predicted",
        }


def upcoming(study: Study, where: str, name: str | None) -> dict[str, Any]:
    """The evaluations that are worth most now, and the command that hands them out."""
    pulls = study.plan(BATCH)
    listed = zip(pulls.designs.tolist()[:_LISTED], pulls.counts.tolist(), strict=False)
    return {
        "total": pulls.total,
        "designs": [{"index": k, "name": printable(study.names[k]), "times": times} for k, times in listed],
        "more": max(0, len(pulls.designs) - _LISTED),
        "command": f"{of_study(where, name, 'study', 'ask')} -n {BATCH} > todo.csv",
    }


def of_study(where: str, name: str | None, *command: str) -> str:
    """A command about a study; the address of a database may hold a password, so it is left to whoever types it."""
    place = "DATABASE" if "://" in where else where
    return shlex.join(["conewise", *command, place, *(["--name", name] if name else [])])
