"""`conewise cone`: what one cone means, and its mathematics if asked for."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

from conewise.cli.options import columns, force_option
from conewise.cli.show import print_json, print_table
from conewise.cli.stating import spoken_cone, stating
from conewise.cone.cone import Cone
from conewise.cone.text import split_cone_text
from conewise.limits import MOST_OBJECTIVES
from conewise.report.data import Table
from conewise.report.words import describe


@click.command(short_help="What a cone means in words, and what it costs.")
@click.argument("spec", required=False)
@click.option(
    "--dim", type=click.IntRange(1, MOST_OBJECTIVES), help="Number of objectives, where SPEC does not say it."
)
@click.option("--objectives", callback=columns, help="Their names, separated by commas, for the words and the picture.")
@click.option("--minimise", callback=columns, help="Those of them that should be small.")
@stating
@click.option("--plot", type=click.Path(path_type=Path, dir_okay=False), help="Draw it to a .png, .svg or .pdf file.")
@force_option
@click.option("--details", is_flag=True, help="Facets, rays, dual, widths and ordering complexity as well.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cone(
    spec: str | None,
    dim: int | None,
    objectives: list[str],
    minimise: list[str],
    plot: Path | None,
    force: bool,
    details: bool,
    as_json: bool,
) -> None:
    """What a cone means: when one design is better than another, and what that costs in evaluations.

    SPEC is orthant:3, planar:135, importance:0.29, ranked:3, ice_cream:60.0,12, exchange:[[1,2],[2,1]],
    rays:[[1,0],[1,1]] or rows such as [[2,1],[1,2]]; with --objectives also "price=20%,speed=30%" and
    ranked:speed,price. What is stated of the objectives makes a cone as well, or adds to it.

    Example: conewise cone importance:0.29 --objectives speed,price --minimise price
    """
    chosen = spoken_cone(spec, objectives, minimise, dim)
    words = describe(chosen, objectives, minimise) if objectives else describe(chosen)
    if plot is not None:
        from conewise.report.plots import cone_picture, save

        save(cone_picture(chosen, objectives=objectives or None, minimised=minimise), plot, force=force)
    if as_json:
        complexity = chosen.complexity
        print_json(
            {
                "cone": str(chosen),
                "dim": chosen.dim,
                "facets": chosen.facets.tolist(),
                "removed": list(chosen.removed),
                "rays": chosen.rays.tolist(),
                "dual": {"facets": chosen.dual.facets.tolist(), "rays": chosen.dual.rays.tolist()},
                "alpha": chosen.widths.tolist(),
                "beta1": complexity.beta1,
                "beta2": complexity.beta2,
                "beta": complexity.beta,
                "exact": complexity.exact,
                "bracket": [complexity.lower, complexity.upper],
                "widest_pair": complexity.pair.tolist(),
                "widest_degrees": complexity.degrees,
                "words": words,
                "said": list(chosen.said),
            }
        )
        return
    for line in chosen.said:
        click.echo(f"Said: {line}.")
    for line in words:
        click.echo(line)
    if details:
        _show_details(chosen, tuple(objectives) or tuple(f"x{d + 1}" for d in range(chosen.dim)))
    if chosen.removed:
        given = "rays" if split_cone_text(spec or "")[0] == "rays" else "rows"
        click.echo(f"redundant {given} left out: {', '.join(map(str, chosen.removed))} (counted from 0)")
    if plot is not None:
        click.echo(f"drawn to {plot}")


def _show_details(chosen: Cone, axes: tuple[str, ...]) -> None:
    """The mathematics: W with its widths, the generators, and beta with the weightings that attain it."""
    click.echo(f"\n{chosen}: {len(chosen.facets)} facets and {len(chosen.rays)} rays in R^{chosen.dim}\n")
    facets = tuple(
        (f"w{n + 1}", *_row(w), _number(alpha))
        for n, (w, alpha) in enumerate(zip(chosen.facets, chosen.widths, strict=True))
    )
    print_table(Table("Facets: rows of W (rays of the dual cone), with their widths", ("", *axes, "alpha"), facets))
    rays = tuple((f"r{n + 1}", *_row(ray)) for n, ray in enumerate(chosen.rays))
    print_table(Table("Rays: generators of C (facets of the dual cone)", ("", *axes), rays))
    complexity = chosen.complexity
    pair = "  and  ".join("(" + ", ".join(_row(v)) + ")" for v in complexity.pair)
    beta2 = f"beta2 = {complexity.beta2:.8g}"
    if complexity.exact:
        value = f"beta = {complexity.beta:.8g} (beta1 = {complexity.beta1:.8g}, {beta2}), exact"
    else:
        value = (
            f"{complexity.lower:.6g} <= beta <= {complexity.upper:.6g}, {beta2}; too many faces: the upper end is used"
        )
    click.echo(f"ordering complexity: {value}")
    click.echo(f"witness: the weightings {pair}, {complexity.degrees:.6g} degrees apart")


def _row(values: np.ndarray) -> list[str]:
    return [_number(value) for value in values]


def _number(value: float) -> str:
    return f"{value + 0.0:.6f}"
