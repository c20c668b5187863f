"""`conewise reproduce`: the paper's tables and figures, beside its own numbers."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import click

from conewise.cli.show import print_json, print_table, progress_bar
from conewise.experiments import beyond
from conewise.experiments.papers.ararat_tekin_2023 import TEST, Reproduction, theoretical_budgets
from conewise.experiments.papers.ararat_tekin_2023 import reproduce as reproduce_paper
from conewise.report.data import Table, budget_table, cone_table, difference_table, reproduction_tables
from conewise.report.grounds import PAPER
from conewise.tables.files import write_text


@click.command(short_help="The tables and figures of Ararat & Tekin (2023), beside its own numbers.")
@click.option(
    "--runs", type=click.IntRange(1, 10**7), default=100, show_default=True, help="Independent runs of every cell."
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed; the numbers depend on nothing else."
)
@click.option(
    "--jobs", type=click.IntRange(1, 256), default=None, help="Processes; all cores for long runs by default."
)
@click.option(
    "--beyond",
    "further",
    is_flag=True,
    help="Also the cone's angle, three objectives, and how conservative budgets are.",
)
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="Folder for Markdown, CSV, JSON, SVG and PNG files."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def reproduce(runs: int, seed: int, jobs: int | None, further: bool, out: Path | None, as_json: bool) -> None:
    """Regenerate Tables 1 and 2, the supplementary table and Figures 1 and 2 of Ararat & Tekin (2023).

    Every number stands beside the paper's own, with a test of whether the difference is inside the sampling error.

    Example: conewise reproduce --runs 1000 --out results
    """
    if jobs is None:
        jobs = (os.cpu_count() or 1) if runs >= 400 else 1  # processes take a second to start
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    with progress_bar("runs", not as_json) as advance:
        result = reproduce_paper(runs=runs, seed=seed, jobs=jobs, progress=advance)
    tables = [*reproduction_tables(result), _budgets()]
    angles: list[beyond.ConeRow] = []
    if further:
        with progress_bar("runs beyond the paper", not as_json) as advance:
            angles = beyond.angles(runs=runs, seed=seed, jobs=jobs, progress=advance)
            space = beyond.three_objectives(runs=runs, seed=seed, jobs=jobs, progress=advance)
            small = beyond.conservatism(runs=max(runs, 2000), seed=seed, jobs=jobs)
        note = (
            f"Success at epsilon = {beyond.EPSILON:g} with {beyond.LEVEL} evaluations of each design, {runs} runs; "
            f"budgets for delta = {beyond.DELTA:g}."
        )
        tables += [
            cone_table("Beyond: the angle of the cone (SNW)", angles, note),
            cone_table("Beyond: three objectives (200 normal designs)", space, note),
            budget_table(small),
        ]
    if out is not None:
        _write(out, result, tables, angles)
    if as_json:
        print_json({**result.to_dict(), **({"beyond": [_plain(table) for table in tables[-3:]]} if further else {})})
        return
    for table in tables:
        print_table(table)
        click.echo()
    click.echo(f"Test: {TEST}.")
    if result.notes:
        click.echo("Success rises with L and epsilon, and with the angle except where the paper's own table is level:")
        for note in result.notes:
            click.echo(f"  {note}")
    for cell in result.outside:
        click.echo(f"  outside: {cell.table}, {cell.row}, {cell.column}: paper {cell.paper:g}, ours {cell.ours:.4g}")
    click.echo(result.verdict)
    if out is not None:
        click.echo(f"Written to {out}: open {out / 'report.md'}, {out / 'figure1.png'} and {out / 'figure2.png'}.")


def _budgets() -> Table:
    return Table(
        "Theoretical L (206 designs, sigma = 1, delta = 0.01); the paper says about 38.8e3 and 38.8e5 for 90 degrees",
        ("cone", "epsilon", "L (paper's bound)", "L (exact normal tails)", "ratio"),
        tuple(
            (cone, f"{epsilon:g}", f"{paper:,}", f"{ours:,}", f"{paper / ours:.2f}")
            for cone, epsilon, paper, ours in theoretical_budgets()
        ),
    )


def _plain(table: Table) -> dict[str, Any]:
    return {
        "title": table.title,
        "note": table.note,
        "rows": [dict(zip(table.header, row, strict=True)) for row in table.rows],
    }


def _write(out: Path, result: Reproduction, tables: list[Table], angles: list[beyond.ConeRow]) -> None:
    """Markdown, CSV and JSON, then the figures as SVG and PNG."""
    from conewise.report.plots import save

    figures = figures_of(result, angles)
    lines = [
        "# Ararat & Tekin (2023), reproduced",
        "",
        f"{result.verdict}. {result.runs} runs, seed {result.seed}.",
        "",
        f"Test: {TEST}.",
        "",
        "![Pareto sets](figure1.png)",
        "",
        "![Cones](figure2.png)",
        "",
        *[table.markdown() for table in tables],
        *(["![Angles](angles.png)", ""] if angles else []),
        *[f"- {note}" for note in result.notes],
    ]
    write_text(out / "report.md", ["\n".join(lines) + "\n"], force=True)
    write_text(out / "numbers.csv", [difference_table(result).csv()], force=True)
    for number, table in enumerate(tables, start=1):
        write_text(out / f"table{number}.csv", [table.csv()], force=True)
    write_text(out / "results.json", [json.dumps(result.to_dict(), indent=2) + "\n"], force=True)
    for name, figure in figures.items():
        for ending in ("png", "svg"):
            save(figure, out / f"{name}.{ending}", force=True)


def figures_of(result: Reproduction, angles: list[beyond.ConeRow]) -> dict[str, Any]:
    """By the names of their files, in the style of the documentation."""
    from conewise.report.plots import angle_curves, new_figure, pareto_sets, planar_cones

    new_figure(1, 1)  # says what is missing, where matplotlib is
    import matplotlib as mpl

    with mpl.rc_context(PAPER):
        figures = {
            "figure1": pareto_sets(result.problem, result.cones, result.fronts),
            "figure2": planar_cones(result.cones),
        }
        if angles:
            figures["angles"] = angle_curves(angles, [float(row.cone.partition(":")[2]) for row in angles])
    return figures
