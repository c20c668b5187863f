"""What notebooks show of cones and analyses: a little HTML, light, escaped, readable on any ground."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

import numpy as np

from conewise.analysis.analyse import Analysis
from conewise.border import Floats
from conewise.cone.cone import Cone
from conewise.errors import counted, printable
from conewise.report.drawing import cone_svg
from conewise.report.words import describe
from conewise.rules import Result, Status
from conewise.rules.contract import in_status

_ROWS: Final = 20  # designs, facets or rays in a table
_COLUMNS: Final = 12


def cone_html(cone: Cone) -> str:
    """A picture, what the cone means in words, its facets with their widths, and its rays."""
    axes = [f"objective {d + 1}" for d in range(cone.dim)]
    text = str(cone) if len(str(cone)) <= 60 else repr(cone)
    words = "".join(f"<li>{escape(line)}</li>" for line in describe(cone))
    facets = ([f"w{n + 1}", *_unit(row), f"{cone.widths[n]:.4g}"] for n, row in enumerate(cone.facets))
    rays = ([f"r{n + 1}", *_unit(ray)] for n, ray in enumerate(cone.rays))
    complexity = cone.complexity
    beta = f"{complexity.beta:.6g}" if complexity.exact else f"{complexity.lower:.4g} to {complexity.upper:.4g}"
    return (
        f'<div style="display:flex;flex-wrap:wrap;gap:1.5em;align-items:flex-start">{cone_svg(cone, axes)}<div>'
        f"<p><b>{escape(text)}</b>: {len(cone.facets)} facets and {len(cone.rays)} rays in R^{cone.dim}, "
        f"beta {'=' if complexity.exact else 'from'} {beta}</p><ul>{words}</ul>"
        f"{_table(['facets', *axes[:_COLUMNS], 'width alpha'], facets, len(cone.facets))}"
        f"{_table(['rays', *axes[:_COLUMNS]], rays, len(cone.rays))}</div></div>"
    )


def analysis_html(found: Analysis) -> str:
    """What is returned, by name and in the units of the table, and the findings in sentences."""
    result, means = found.result, found.means
    heads = ["design", "status", "evaluations", *(escape(printable(name)) for name in found.objectives[:_COLUMNS])]
    rows = (
        [printable(found.names[k]), printable(result.standing(k)), f"{result.counts[k]:,}", *_numbers(means[k], 5)]
        for k in result.indices
    )
    words = "".join(f"<li>{escape(line)}</li>" for line in found.explanations)
    return (
        f"<div><p><b>{len(result.indices):,} of {counted(len(result.pareto), 'design')}</b> after "
        f"{counted(result.evaluations)}; {escape(str(result.guarantee))}.</p>{_table(heads, rows, len(result.indices))}"
        f"<ul>{words}</ul></div>"
    )


def result_html(result: Result) -> str:
    """Return the returned designs with their averages, and the guarantee."""
    parts = [in_status(status, n) for status in Status if (n := int((result.status == status.value).sum()))]
    names = result.objectives or tuple(f"objective {d + 1}" for d in range(result.means.shape[1]))
    ways = ["smaller" if name in result.minimised else "larger" for name in names[:_COLUMNS]]
    heads = [
        f"{escape(printable(name))}<br><small>{way} is better</small>" for name, way in zip(names, ways, strict=False)
    ]
    rows = (
        [printable(name), str(result.status[k]), f"{result.counts[k]:,}", *_numbers(result.averages[k], 5)]
        for k, name in zip(result.indices, result.names(), strict=True)
    )
    worth = escape("; ".join((f"{result.guarantee}{result.step}", *result.remarks)))
    return (
        f"<div><p><b>{len(result.indices):,} of {counted(len(result.pareto), 'design')}</b> after "
        f"{counted(result.evaluations)} ({', '.join(parts)}); {worth}.</p>"
        f"{_table(['design', 'status', 'evaluations', *heads], rows, len(result.indices))}</div>"
    )


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], total: int) -> str:
    """Return a table; the headings are HTML, the cells are text."""
    top = "".join(f'<th scope="col">{head}</th>' for head in heads)
    body = "".join(
        f'<tr><th scope="row">{escape(first)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in rest)}</tr>'
        for (first, *rest), _ in zip(rows, range(_ROWS), strict=False)
    )
    more = f"<p>… and {total - _ROWS:,} more.</p>" if total > _ROWS else ""
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>{more}"


def _numbers(values: Floats, digits: int = 4) -> list[str]:
    return [f"{value:.{digits}g}" for value in values[:_COLUMNS].tolist()]


def _unit(values: Floats) -> list[str]:
    """Parts of a unit vector: what is rounding is 0."""
    return _numbers(np.where(np.abs(values) < 1e-12, 0.0, values))
