"""The page of commands, from the commands themselves: `python docs/cli_help.py` writes docs/cli.md.

The page is committed, and a test compares it with what this makes. Help is rendered at a fixed width, and the examples
run as a reader would run them in a pipe.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from conewise.cli.main import commands

PAGE = Path(__file__).parent / "cli.md"
WIDTH = 100

EXAMPLES = {
    "cone": ("cone planar:135",),
    "front": ("front designs.csv --minimise cost", 'front designs.csv --minimise cost --cone "[[25,1],[30,1]]"'),
    "budget": ("budget --cone planar:45 --designs 206 --epsilon 0.1 --delta 0.01",),
}
NOTES = {
    "reproduce": "What is compared, by which test, and what came out: [Reproduce the paper](reproduce.md).",
    "cone": "Every text form of a cone: [Choose a cone](choose.md).",
    "front": """\
With a file `designs.csv` of four designs, of which cost should be small and speed large,

```text
name,cost,speed
small,9,210
medium,14,380
large,15,370
heavy,22,540
```

the first command finds three designs that nothing beats. The second, for which a unit of cost is worth
25 to 30 units of speed, finds one.""",
    "explore": "What the page shows, and what it costs to ask: [Explore a preference](explore.md).",
    "analyse": "What the answer says, how long it holds and what may be odd about a table: "
    "[Analyse measurements that you have](analyse.md).",
    "study": "What a study is, what it keeps and how to run one: [Run a study](studies.md).",
    "report": "What stands in it, and pictures for your own pages: [Send a report](report.md).",
    "budget": "How the bounds differ: [Identify a Pareto set](identify.md#how-many-evaluations).",
}
INTRODUCTION = """\
% Written by docs/cli_help.py from the commands themselves. Change a command's help, not this page, and run it again.

# Command line

`pip install .` brings the command `conewise`; `python -m conewise` is the same. Pictures need the extra `plot`,
Parquet files the extra `tables` (`pip install ".[plot,tables]"`), studies in PostgreSQL the extra `postgres`, and those
on a Dask cluster the extra `distributed`.

- `--help` shows an example.
- `--json` prints the numbers as JSON, and nothing else, on standard output.
- On a terminal there are tables, colours and a bar that shows progress. In a pipe there is plain text,
  without colours and without a bar.
- A mistake is one line on standard error and exit code 2:

"""


def page() -> str:
    """The whole page."""
    top = click.Context(commands, info_name="conewise", terminal_width=WIDTH, **commands.context_settings)
    parts = [INTRODUCTION, _run("cone planar:270"), "\n## All commands\n\n", _block(commands.get_help(top))]
    for name, command in commands.commands.items():
        context = click.Context(command, info_name=name, parent=top, terminal_width=WIDTH)
        parts += [f"\n## conewise {name}\n\n", _block(command.get_help(context))]
        if name in NOTES:
            parts.append(f"\n{NOTES[name]}\n")
        for example in EXAMPLES.get(name, ()):
            parts += ["\n", _run(example)]
        for below, inner in getattr(command, "commands", {}).items():
            inside = click.Context(inner, info_name=below, parent=context, terminal_width=WIDTH)
            parts += [f"\n### conewise {name} {below}\n\n", _block(inner.get_help(inside))]
    return "".join(parts)


def _run(arguments: str) -> str:
    """A command and what it prints, in a folder that holds the table shown with `front`."""
    # Colours and width must come from the pipe, not from the environment in which the page happens to be made.
    kept = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "TTY_COMPATIBLE")}
    with tempfile.TemporaryDirectory() as folder:
        table = NOTES["front"].split("```text\n")[1].split("```")[0]
        (Path(folder) / "designs.csv").write_text(table, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "conewise", *shlex.split(arguments)],
            cwd=folder,
            env={**kept, "PYTHONUTF8": "1", "TERM": "dumb"},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
    return _block(f"$ conewise {arguments}\n{done.stdout}{done.stderr}", "console")


def _block(text: str, language: str = "text") -> str:
    lines = [line.rstrip() for line in text.strip().splitlines()]
    return "\n".join([f"```{language}", *lines, "```"]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
