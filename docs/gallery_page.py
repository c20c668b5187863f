"""The gallery: every script of docs/gallery is run, and its words, its output and its picture become the page.

`python docs/gallery_page.py` (or `make gallery`) writes gallery.md and the pictures. A script begins with its title and
what it shows, prints what it found, and leaves a `figure`; it knows nothing of this page.
"""

from __future__ import annotations

import ast
import contextlib
import io
import runpy
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from conewise.report.grounds import PAPER

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "gallery.md"
SCRIPTS = tuple(DOCS / "gallery" / f"{name}.py" for name in ("models", "queueing", "laboratory", "networks", "trees"))

HEAD = """# Gallery

Five whole examples, each as it was run: what it is about, what it printed, its picture and its script. `make gallery`
runs them again. The data are real, but for the queue, which is a simulator; [below](#the-data) is where they come from.
"""

TAIL = """
## The data

:::{include} gallery/data/SOURCES.md
:start-line: 2
:::
"""


def ran(script: Path) -> tuple[str, Figure]:
    """What a script prints, and its picture."""
    printed = io.StringIO()
    with matplotlib.rc_context(PAPER), contextlib.redirect_stdout(printed):
        figure = runpy.run_path(str(script))["figure"]
    return printed.getvalue(), figure


def section(script: Path, printed: str) -> str:
    """One example of the page."""
    title, _, words = (ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or "").partition("\n")
    return f"""
## {title}

{words.strip()}

```text
{printed.rstrip()}
```

![{title}: the picture that the script draws](_static/gallery_{script.stem}.png)

```{{literalinclude}} gallery/{script.name}
:language: python
```
"""


def page(sections: list[str]) -> str:
    """All of it."""
    return HEAD + "".join(sections) + TAIL


def main() -> None:
    sections = []
    for script in SCRIPTS:
        printed, figure = ran(script)
        path = DOCS / "_static" / f"gallery_{script.stem}.png"
        figure.savefig(path, dpi=130, bbox_inches="tight", metadata={"Software": None})
        plt.close(figure)
        sections.append(section(script, printed))
    PAGE.write_text(page(sections), encoding="utf-8")


if __name__ == "__main__":
    main()
