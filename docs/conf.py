"""How the documentation is built: `make docs`. A warning is an error there."""

from __future__ import annotations

import re
import runpy
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parent.parent

project = "conewise"
author = "The conewise developers"
project_copyright = author
# Read without importing the package: the number on every page is the one the wheel gets.
version = release = runpy.run_path(str(ROOT / "src" / "conewise" / "_version.py"))["__version__"]
language = "en_GB"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax"]
exclude_patterns = ["_build", "gallery/data"]
myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True  # as they are written: a default such as time.time has no readable value
# Aliases stay aliases: spelled out, "anything numpy can make an array of" fills half a page.
autodoc_type_aliases = {name: name for name in ("ArrayLike", "Bools", "Floats", "Indices")}
default_role = "code"  # docstrings are plain text: `name` is code, not a cross-reference

html_theme = "furo"
html_title = f"conewise {version}"
html_static_path = ["_static"]
html_css_files = ["pictures.css"]
# MathJax goes into the pages when the package that ships it is there, so that they can be read without a network.
# Its single file with SVG output needs no fonts beside it. Otherwise Sphinx names a copy on another site.
if (mathjax := find_spec("sphinx-mathjax-offline")) is not None and mathjax.origin is not None:
    html_static_path.append(str(Path(mathjax.origin).parent / "static" / "mathjax" / "tex-svg.js"))
    mathjax_path = "tex-svg.js"
# The help of the commands is a hundred characters wide; at this size it fits without scrolling.
html_theme_options = {"light_css_variables": {"code-font-size": "var(--font-size--small--3)"}}
pygments_style = "friendly"
pygments_dark_style = "monokai"


def keep_bars(app, what, name, obj, options, lines):
    """Docstrings write |u| for a length; in reStructuredText that would be a substitution."""
    lines[:] = [line if line.lstrip().startswith(">>>") else line.replace("|", r"\|") for line in lines]


def keep_aliases(app, what, name, obj, options, signature, return_annotation):
    """An alias inside another type is written as an internal object of Sphinx; only its name is wanted."""

    def named(text):
        return text and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", text)

    return named(signature), named(return_annotation)


def setup(app):
    app.connect("autodoc-process-docstring", keep_bars)
    app.connect("autodoc-process-signature", keep_aliases)
