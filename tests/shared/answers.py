"""Answers that are made up, tables that are measured, and figures that are drawn."""

from __future__ import annotations

import numpy as np
from matplotlib.text import Text

import conewise as cw
from conewise.question.question import Heuristic
from conewise.rules import Result

NASTY = "<script>alert(1)</script>"


def made_up(k=40, dim=2, seed=0):
    """A Result with all three statuses."""
    means = np.random.default_rng(seed).normal(size=(k, dim))
    front = cw.pareto_mask(means, cw.Cone.orthant(dim))
    status = np.where(front, "kept", "beaten").astype("<U10")
    status[np.flatnonzero(~front)[: max(1, k // 10)]] = "undecided"
    return Result(front, status, 10 * k, Heuristic("made up"), None, "x", means, np.arange(k) + 1)


def measured(path, means, n=30, sigma=0.3, objectives=("gain", "cost")):
    rng = np.random.default_rng(5)
    lines = [",".join(("design", *objectives))]
    for _ in range(n):
        for k, mean in enumerate(means):
            lines.append(",".join([f"d{k}", *(f"{v:.6f}" for v in mean + sigma * rng.standard_normal(len(mean)))]))
    path.write_text("\n".join(lines) + "\n")
    return path


def drawn(figure):
    figure.canvas.draw()
    return figure


def words_in(figure):
    """Every text that is shown, with its colour."""
    figure.canvas.draw()
    return [(t.get_text(), t.get_color()) for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip()]
