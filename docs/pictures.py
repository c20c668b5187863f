"""The pictures of the README and of these pages, drawn by the library itself: `python docs/pictures.py`.

The files are committed, so nothing that changes from one run to the next may enter them: no date, no version, no
random number, and the fonts that matplotlib brings along. The pages are taken in Chromium where there is one with
Playwright; elsewhere the committed pictures of them stay.
"""

from __future__ import annotations

import csv
import json
import shutil
import signal
import subprocess
import sys
import tempfile
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from statistics import NormalDist
from typing import Any

import matplotlib

matplotlib.use("Agg")

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Arc, Polygon

import conewise as cw
from conewise.report import pictures
from conewise.report.grounds import INK, PAPER
from conewise.report.page import html_page
from conewise.report.subject import Subject, as_it_ran, of_study

STATIC = Path(__file__).parent / "_static"
ANGLES = (45, 90, 135)
# Okabe & Ito's colours can be told apart with every common kind of colour blindness; the markers do it without colour.
COLOURS = {45: "#0072B2", 90: "#009E73", 135: "#D55E00"}
MARKERS = {45: "o", 90: "s", 135: "D"}
GREY = "#BFBFBF"


def pareto_sets() -> Figure:
    """The sorting networks, and which of them remain when the cone opens."""
    designs = cw.problems.load("snw")
    area, throughput = -designs.means[:, 0], designs.means[:, 1]  # `means` holds the area negated: larger is better
    figure, panels = plt.subplots(1, 3, figsize=(9.2, 4.4), sharex=True, sharey=True, layout="compressed")
    for degrees, panel in zip(ANGLES, panels, strict=True):
        cone = cw.Cone.planar(degrees)
        front = cw.pareto_mask(designs.means, cone)
        panel.scatter(
            area[front],
            throughput[front],
            s=20,
            color=COLOURS[degrees],
            marker=MARKERS[degrees],
            edgecolors="white",
            linewidths=0.4,
            label=f"{front.sum()} Pareto designs",
            zorder=3,
        )
        panel.scatter(area[~front], throughput[~front], s=9, color=GREY, linewidths=0, label=f"{(~front).sum()} others")
        tip = np.array([area.max() - 1.6, throughput.min() + 0.7])
        _wedge(panel, cone, tip, 1.9, COLOURS[degrees], mirror=np.array([-1, 1]))
        panel.annotate("better", tip, (5, -4), textcoords="offset points", fontsize=8.5, color=COLOURS[degrees])
        panel.set_title(f"cone of {degrees}°", color=COLOURS[degrees])
        panel.set_aspect("equal")  # or the drawn angle would not be the cone's
        panel.legend(loc="upper left", frameon=False, fontsize=9, handletextpad=0.2, borderaxespad=0.1)
    panels[0].set_ylim(throughput.min() - 0.5, throughput.max() + 2.1)
    panels[0].set_ylabel("log2 throughput (larger is better)")
    figure.supxlabel("log2 area (smaller is better)", fontsize=10)
    return figure


def cones() -> Figure:
    """The three planar cones, their facet normals and the orthant for comparison."""
    figure, panels = plt.subplots(1, 3, figsize=(9.2, 3.6), sharex=True, sharey=True, layout="compressed")
    for degrees, panel in zip(ANGLES, panels, strict=True):
        cone, colour = cw.Cone.planar(degrees), COLOURS[degrees]
        _wedge(panel, cone, np.zeros(2), 1.25, colour)
        panel.add_patch(
            Arc((0, 0), 0.7, 0.7, theta1=45 - degrees / 2, theta2=45 + degrees / 2, color=colour, linewidth=1.5)
        )
        panel.annotate(
            f"{degrees}°", (0.5, 0.5), color=colour, fontsize=12, fontweight="bold", ha="center", va="center"
        )
        for n, row in enumerate(cone.facets, start=1):
            panel.annotate(
                "",
                row,
                (0, 0),
                arrowprops={"arrowstyle": "-|>", "color": INK, "linewidth": 1.2, "shrinkA": 0, "shrinkB": 0},
            )
            x, y = 1.1 * row + np.sign(row[0] - row[1]) * np.array(
                [0.1, -0.1]
            )  # beside the tip, away from the diagonal
            panel.annotate(f"$w_{n}$", (x, y), ha="center", va="center")
        panel.axhline(0, color=GREY, linewidth=0.8, zorder=0)
        panel.axvline(0, color=GREY, linewidth=0.8, zorder=0)
        panel.set(xlim=(-0.75, 1.35), ylim=(-0.75, 1.35), xticks=[], yticks=[], aspect="equal")
        panel.set_title(f"Cone.planar({degrees})", color=colour)
        panel.spines[:].set_visible(False)
    figure.supxlabel("gain in objective 1", fontsize=10)
    figure.supylabel("gain in objective 2", fontsize=10)
    return figure


def beta() -> Figure:
    """The ordering complexity of the planar cones, from 10 to 170 degrees."""
    angles = np.arange(10, 171)
    values = np.array([cw.Cone.planar(angle).complexity.beta for angle in angles])
    figure, panel = plt.subplots(figsize=(7.2, 3.6), layout="constrained")
    panel.plot(angles, values, color=INK, linewidth=1.8)
    for degrees, nudge in ((10, (10, -4)), (30, (8, 4)), (45, (8, 5)), (90, (0, 9)), (135, (0, 9))):
        value = cw.Cone.planar(degrees).complexity.beta
        colour = COLOURS.get(degrees, INK)
        panel.plot(degrees, value, MARKERS.get(degrees, "o"), color=colour, markersize=6, zorder=3)
        panel.annotate(
            f"{degrees}°: β = {value:.3g}, β² = {value**2:.3g}",
            (degrees, value),
            nudge,
            textcoords="offset points",
            color=colour,
            fontsize=9,
            ha="center" if nudge[0] == 0 else "left",
        )
    panel.set(xlim=(0, 180), ylim=(0.7, 6.2), xticks=range(0, 181, 30), yticks=range(1, 7))
    panel.set_xlabel("opening angle of the cone (degrees)")
    panel.set_ylabel("ordering complexity β")
    panel.grid(color="#E6E6E6", linewidth=0.7)
    panel.set_axisbelow(True)
    return figure


def dominance_regions() -> Figure:
    """One sorting network, what it beats and what beats it."""
    snw = cw.problems.load("snw")
    return pictures.dominance_regions(
        snw.means, cw.Cone.planar(120), 60, objectives=snw.objectives, minimised=snw.minimised
    )


def cone_in_space() -> Figure:
    """A round cone, by nine tangent planes."""
    return cw.Cone.ice_cream(60, facets=9).plot(objectives=("strength", "hardness", "purity"))


def confidence_regions() -> Figure:
    """A small study after each third of its evaluations."""
    return pictures.confidence_regions(_study()[1])


def status_over_evaluations() -> Figure:
    """The same study on its way."""
    subject = _study()[0]
    return pictures.status_over_evaluations(subject.history, subject.epsilon)


def gaps_and_evaluations() -> Figure:
    """Where its evaluations went."""
    subject = _study()[0]
    return pictures.gaps_and_evaluations(subject.result, subject.cone, names=subject.names)


def parallel_coordinates() -> Figure:
    """Forty vehicles with five objectives, spread evenly by multiples of irrational numbers."""
    places = (np.arange(1, 41)[:, None] * np.sqrt([2, 3, 5, 7, 11])) % 1
    means = places * [400, 30, 5, 250, 9] + [200, 15, 3, 100, 1]
    objectives = ("range (km)", "price (kEUR)", "boot (hl)", "power (kW)", "noise (dB)")
    minimised = ("price (kEUR)", "noise (dB)")
    turned = np.array([-1 if name in minimised else 1 for name in objectives])
    scaled = (means - means.min(axis=0)) / np.ptp(means, axis=0) * turned  # importance compares unit by unit
    front = cw.pareto_mask(scaled, cw.Cone.importance(0.1, dim=5))
    status = np.where(front, "kept", "beaten")
    return pictures.parallel_coordinates(means * turned, status, objectives=objectives, minimised=minimised)


def report_page(browser: Any, path: Path) -> None:
    """The head of a report and its answer, as a browser shows them."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.html"
        file.write_text(html_page(_study()[0]), encoding="utf-8")
        page = browser.new_page(viewport={"width": 1180, "height": 800})
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-ready=yes]", state="attached")
        page.wait_for_function("() => document.getElementById('front').drawing.frames > 0")
        page.screenshot(path=path)
        page.close()


def explorer_page(browser: Any, path: Path) -> None:
    """The explorer about the sorting networks, when some throughput may be given for area and the other way round."""
    snw = cw.problems.load("snw")
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "networks.csv"
        turned = [-1 if name in snw.minimised else 1 for name in snw.objectives]
        with table.open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(["name", *snw.objectives])
            rows.writerows([name, *mean] for name, mean in zip(snw.names, (snw.means * turned).tolist(), strict=True))
        command = [sys.executable, "-m", "conewise", "explore", table.name, "--minimise", ",".join(snw.minimised)]
        command += ["--cone", "planar:135", "--no-browser", "--json"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as process:
            try:
                assert process.stdout is not None
                text = ""
                while not text.endswith("}\n") and (line := process.stdout.readline()):
                    text += line
                page = browser.new_page(viewport={"width": 1280, "height": 800})
                page.goto(json.loads(text)["address"])
                page.wait_for_selector("body[data-ready=yes]")
                page.wait_for_selector("#duel-pair .design")  # asked for once everything else is there
                page.screenshot(path=path)
                page.close()
            finally:
                process.send_signal(signal.SIGINT)


def pages() -> None:
    """What a browser shows; nothing without one."""
    if not _chromium() or not find_spec("playwright"):
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        arguments = ["--headless", "--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=_chromium(), args=arguments)
        report_page(browser, STATIC / "report.png")
        explorer_page(browser, STATIC / "explorer.png")
        browser.close()


def _chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser")


@cache
def _study() -> tuple[Subject, tuple[Subject, ...]]:
    """Eight steels; the noise runs through the quantiles of the normal law in steps of the golden ratio."""
    strength, price = (
        np.array([41.0, 39.5, 33.0, 36.0, 30.0, 38.0, 44.0, 35.0]),
        np.array([5, 4, 2.9, 4.4, 3, 5, 6, 3.0]),
    )
    names = [f"steel {letter}" for letter in "ABCDEFGH"]
    with (
        tempfile.TemporaryDirectory() as folder,
        cw.Study.create(
            Path(folder) / "steels.db",
            designs=names,
            objectives=["strength (MPa)", "price (EUR)"],
            minimise=["price (EUR)"],
            cone=cw.Cone([[1, 1], [1, 9]]),
            epsilon=0.5,
            delta=0.05,
            noise=cw.noise.Gaussian([2.0, 0.3]),
        ) as study,
    ):
        while batch := study.ask(20):
            noise = [
                [
                    NormalDist().inv_cdf((0.618034 * e.number + 0.1 * e.design + 0.37 * d) % 0.998 + 0.001)
                    for d in (0, 1)
                ]
                for e in batch
            ]
            designs = [e.design for e in batch]
            study.tell(batch, np.column_stack([strength, price])[designs] + np.array(noise) * [2.0, 0.3])
        return of_study(study), as_it_ran(study)


def _wedge(
    panel: Axes, cone: cw.Cone, tip: np.ndarray, length: float, colour: str, mirror: np.ndarray | None = None
) -> None:
    """The part of a planar cone within `length` of its tip; `mirror` where an axis shows the negated objective."""
    ends = np.degrees(np.arctan2(cone.rays[:, 1], cone.rays[:, 0]))
    turns = np.radians(np.linspace(ends.min(), ends.max(), 60))
    rim = length * np.column_stack([np.cos(turns), np.sin(turns)])
    outline = tip + np.vstack([[0, 0], rim]) * (1 if mirror is None else mirror)
    panel.add_patch(Polygon(outline, closed=True, facecolor=colour, alpha=0.18, linewidth=0, zorder=1))
    for start, end in pairwise((outline[1], tip, outline[-1])):
        panel.plot(*zip(start, end, strict=True), color=colour, linewidth=1.3, zorder=2)


DRAWN = (
    pareto_sets,
    cones,
    beta,
    cone_in_space,
    dominance_regions,
    confidence_regions,
    status_over_evaluations,
    gaps_and_evaluations,
    parallel_coordinates,
)


def main() -> None:
    STATIC.mkdir(exist_ok=True)
    with matplotlib.rc_context(PAPER):
        for draw in DRAWN:
            figure = draw()
            # The name and version of the program are left out: they would change the file with every release.
            figure.savefig(STATIC / f"{draw.__name__}.png", dpi=130, bbox_inches="tight", metadata={"Software": None})
            plt.close(figure)
    pages()


if __name__ == "__main__":
    main()
