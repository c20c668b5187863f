"""Errors of the library, in the words of the command line: arguments become the options that set them.

The library names its arguments between backticks where it tells what to write; the table below has the option for each.
"""

from __future__ import annotations

import re
from typing import Final

FLAGS: Final = {
    "executor": "--workers or --dask",
    "final=True": "--final",
    "max_evaluations": "--max-evaluations",
    "repetitions=True": "--repetitions",
    "separate=True": "--separate",
    "unseen=True": "--unseen",
    "blocks": "--blocks",
    "force=True": "--force",
    "noise=Gaussian(sigma)": "--noise gaussian:SIGMA",
    'incomplete="skip"': "--incomplete skip",
    "md": "--format md",
    "n_designs": "--designs",
    "time_limit": "--time-limit",
}
SAME_NAME: Final = (
    *("design", "name", "objectives", "minimise", "means", "errors", "counts", "incomplete"),
    *("noise", "epsilon", "delta", "cone", "final", "jobs", "block", "population", "repetitions"),
    *("designs", "features", "model", "price", "robust", "confirm", "separate", "deviations"),
)
_QUOTED: Final = re.compile("`([^`]+)`")
_BARE: Final = re.compile(r"\bn_designs\b")  # a word that is nothing but an argument's name


def in_flags(sentence: str) -> str:
    """The sentence with options in place of arguments; what is between backticks and no argument stays."""
    return _BARE.sub(FLAGS["n_designs"], _QUOTED.sub(_flag, sentence))


def _flag(found: re.Match[str]) -> str:
    written = found[1]
    if written in FLAGS:
        return FLAGS[written]
    name, equals, value = written.partition("=")
    if name not in SAME_NAME:
        return found[0]
    return f"--{name}{equals and ' '}{value}"
