"""Docs cannot lie: every example of the docstrings, the README and the pages is executed.

In Markdown the blocks marked `python` of one file run from top to bottom in one namespace: those with prompts as
doctests, the others as they stand.
"""

from __future__ import annotations

import ast
import doctest
import importlib.util
import pkgutil
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import conewise

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^(?P<indent>[ \t]*)(?P<ticks>`{3,}|~{3,})[ \t]*(?P<info>[^`\n]*)$")


# -- docstrings ----------------------------------------------------------------------------------------------------


def source_modules() -> list[str]:
    found = [conewise.__name__]
    found += [module.name for module in pkgutil.walk_packages(conewise.__path__, "conewise.")]
    return [name for name in found if not name.endswith("__main__")]


def docstring_examples(name: str) -> int:
    """How many examples the docstrings of a module hold, whatever they are attached to."""
    spec = importlib.util.find_spec(name)
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    texts = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and ">>> " in node.value
    ]
    return sum(len(doctest.DocTestParser().get_examples(text)) for text in texts)


WITH_EXAMPLES = [name for name in source_modules() if docstring_examples(name)]


def test_some_docstrings_have_examples():
    assert {
        "conewise.cone.cone",
        "conewise.order.dominance",
        "conewise.order.gaps",
        "conewise.question.question",
    } <= set(WITH_EXAMPLES)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_docstring_examples(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    results = doctest.testmod(importlib.import_module(name), report=False)
    assert results.failed == 0
    # doctest looks at functions, classes and properties only: an example anywhere else would never run.
    assert results.attempted == docstring_examples(name)


# -- pages ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Block:
    line: int
    language: str
    code: str


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a Markdown text, with the line of their first line of code (from 1)."""
    found: list[Block] = []
    opened: tuple[str, str, int, str] | None = None
    lines: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        fence = FENCE.match(line)
        if opened is None:
            if fence:
                opened, lines = (fence["ticks"], fence["info"].strip(), number + 1, fence["indent"]), []
        elif fence and not fence["info"].strip() and fence["ticks"].startswith(opened[0]):
            found.append(Block(opened[2], opened[1], "\n".join(lines) + "\n"))
            opened = None
        else:
            lines.append(line.removeprefix(opened[3]))
    if opened is not None:
        raise ValueError(f"the block opened in line {opened[2] - 1} is never closed")
    return found


def run_blocks(text: str, name: str) -> int:
    """Execute the python blocks of a page in one namespace; the number of blocks."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    count = 0
    for block in blocks(text):
        if block.language != "python":
            continue
        count += 1
        if ">>>" in block.code:
            test = doctest.DocTestParser().get_doctest(
                block.code, namespace, f"{name}:{block.line}", name, block.line - 1
            )
            runner = doctest.DocTestRunner(verbose=False)
            complaints: list[str] = []
            runner.run(test, out=complaints.append, clear_globs=False)
            namespace.update(test.globs)  # a doctest works on a copy
            assert not complaints, "".join(complaints)
        else:
            code = compile("\n" * (block.line - 1) + block.code, name, "exec")
            exec(code, namespace)
    return count


RUNNABLE = [
    path for path in PAGES if any(block.language == "python" for block in blocks(path.read_text(encoding="utf-8")))
]


def test_the_readme_and_some_pages_have_examples():
    assert ROOT / "README.md" in RUNNABLE
    assert len(RUNNABLE) > 1


@pytest.mark.parametrize("path", RUNNABLE, ids=lambda path: path.name)
def test_pages_run_from_top_to_bottom(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_blocks(path.read_text(encoding="utf-8"), path.name) > 0


README_BLOCKS = [
    block for block in blocks((ROOT / "README.md").read_text(encoding="utf-8")) if block.language == "python"
]


@pytest.mark.parametrize("block", README_BLOCKS, ids=lambda block: f"line {block.line}")
def test_every_block_of_the_readme_runs_by_itself(block, tmp_path, monkeypatch):
    """Whoever copies one has not run those above it."""
    monkeypatch.chdir(tmp_path)
    exec(compile("\n" * (block.line - 1) + block.code, "README.md", "exec"), {"__name__": "__main__"})


WITH_SUITES = [path for path in RUNNABLE if "from conewise.testing import" in path.read_text(encoding="utf-8")]


def test_the_page_for_those_who_extend_inherits_every_suite():
    (page,) = WITH_SUITES
    suites = {"RuleContract", "ProblemContract", "StorageContract"}
    assert suites <= set(re.findall(r"\w+Contract", page.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", WITH_SUITES, ids=lambda path: path.name)
def test_suites_that_a_page_inherits_pass(path, tmp_path):
    """The blocks of the page as a module of tests, in a process of its own."""
    written = [block for block in blocks(path.read_text(encoding="utf-8")) if block.language == "python"]
    (tmp_path / "test_page.py").write_text("\n".join(block.code for block in written if ">>>" not in block.code))
    command = [sys.executable, "-W", "error", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_page.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout[-3000:]
    assert int(re.search(r"(\d+) passed", ran.stdout)[1]) > 100


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_no_example_escapes_by_its_fence(path):
    """A prompt outside a python block, or a python block under another name, would never be run."""
    text = path.read_text(encoding="utf-8")
    found = blocks(text)
    assert not [block.line for block in found if ">>>" in block.code and block.language != "python"]
    assert not [
        block.line for block in found if block.language in ("py", "pycon", "Python", "python3", "{code-block} python")
    ]
    inside = "".join(block.code for block in found)
    assert text.count("\n>>> ") == ("\n" + inside).count("\n>>> ")


FOR_A_JOB = (
    *("table", "analyse", "studies", "features", "preferences", "blocks", "objectives", "choose", "identify"),
    *("streams", "report", "explore"),
)


@pytest.mark.parametrize("name", FOR_A_JOB)
def test_the_theorem_comes_after_the_job(name):
    """On a page for somebody with a job, nothing that can be run stands behind a proof."""
    text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    first_proof = next((k for k, line in enumerate(text.splitlines(), 1) if "*Proof" in line), float("inf"))
    assert [block.line for block in blocks(text) if block.language in ("python", "console", "toml")][-1] < first_proof


@pytest.mark.parametrize("path", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda path: path.name)
def test_no_row_of_a_table_stands_alone(path):
    """A blank line inside a table ends it, and what follows is shown as text with bars."""
    text = re.sub(r"^(`{3,}|~{3,}).*?^\1", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    heads = re.findall(r"(?:\A|\n\n)(\|.*)\n(.*)", text)
    assert [head for head, below in heads if not re.fullmatch(r"\|(:?-+:?\|)+", below.replace(" ", ""))] == []


@pytest.mark.parametrize("path", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda path: path.name)
def test_make_targets_that_are_named_exist(path):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z][a-z-]*):", makefile, flags=re.MULTILINE))
    named = set(re.findall(r"(?:\$ |`)make ([a-z][a-z-]*)", path.read_text(encoding="utf-8")))
    assert named <= targets


# -- the runner itself ---------------------------------------------------------------------------------------------


def test_the_runner_keeps_one_namespace_over_both_kinds_of_block():
    text = "```python\nx = 2\n```\n\n```python\n>>> x + 1\n3\n>>> y = x\n```\n\n```python\nassert y == 2\n```\n"
    assert run_blocks(text, "page") == 3


def test_the_runner_sees_a_wrong_result():
    with pytest.raises(AssertionError, match="Expected"):
        run_blocks("```python\n>>> 1 + 1\n3\n```\n", "page")


def test_the_runner_sees_a_failing_block():
    with pytest.raises(ZeroDivisionError):
        run_blocks("```python\n1 / 0\n```\n", "page")


def test_the_runner_leaves_other_blocks_alone():
    assert run_blocks("```console\n$ make demo\n```\n\n````text\n```python\n1 / 0\n```\n````\n", "page") == 0


def test_the_runner_wants_blocks_to_be_closed():
    with pytest.raises(ValueError, match="line 1 is never closed"):
        run_blocks("```python\nx = 1\n", "page")
