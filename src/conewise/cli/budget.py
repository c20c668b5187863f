"""`conewise budget`: how many evaluations naive elimination needs."""

from __future__ import annotations

import click

from conewise.cli.options import columns
from conewise.cli.show import print_json, print_table
from conewise.cli.stating import order_words, spoken_cone, stated, stating
from conewise.errors import InputError
from conewise.noise import Bounded, Gaussian, Noise, NormSubGaussian, SubGaussian
from conewise.order.budgets import PAPER_CONSTANT, Bound, failure_probability, naive_budget
from conewise.report.data import Table


@click.command(short_help="Evaluations needed for a guarantee, by bound.")
@click.option("--cone", "spec", help="Text form of the cone; orthant:2 by default.")
@click.option("--objectives", callback=columns, help="Names, separated by commas, of which statements speak.")
@click.option("--minimise", callback=columns, help="Those of them that should be small.")
@stating
@click.option("--designs", type=int, required=True, help="Number of designs K.")
@click.option("--epsilon", type=float, required=True, help="Accuracy.")
@click.option("--delta", type=float, required=True, help="Admitted probability of failure.")
@click.option("--sigma", type=float, show_default="1.0", help="Noise level: a standard deviation, not a variance.")
@click.option(
    "--noise",
    "kind",
    default="gaussian",
    show_default=True,
    type=click.Choice(["gaussian", "subgaussian", "norm-subgaussian", "bounded"]),
    help="What is assumed of the noise.",
)
@click.option("--low", type=float, help="Smallest observation, for bounded noise.")
@click.option("--high", type=float, help="Largest observation, for bounded noise.")
@click.option(
    "-c",
    "constant",
    type=float,
    default=PAPER_CONSTANT,
    help="The constant of the paper's bound; 1 + sqrt 2 by default.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def budget(
    spec: str | None,
    objectives: list[str],
    minimise: list[str],
    designs: int,
    epsilon: float,
    delta: float,
    sigma: float | None,
    kind: str,
    low: float | None,
    high: float | None,
    constant: float,
    as_json: bool,
) -> None:
    """Evaluations needed by naive elimination for an (epsilon, delta) guarantee, by each bound.

    Example: conewise budget --cone planar:45 --designs 206 --epsilon 0.1 --delta 0.01
    """
    cone = spoken_cone(spec if spec or objectives or stated() else "orthant:2", objectives, minimise)
    noise = _noise(kind, sigma, low, high)
    rows = [("paper", "Ararat & Tekin 2023, Theorem 6.1")]
    if isinstance(noise, Gaussian):
        rows.append(("gaussian", "exact normal tails"))
    rows.append(("subgaussian", "subgaussian tails"))
    found = []
    for bound, words in rows:
        each = naive_budget(cone, noise, designs, epsilon, delta, bound=bound, c=constant)  # type: ignore[arg-type]
        tails: Bound = "gaussian" if isinstance(noise, Gaussian) else "subgaussian"
        proven = failure_probability(cone, noise, designs, epsilon, each, bound=tails) <= delta * (1 + 1e-12)
        found.append({"bound": bound, "theorem": words, "each": each, "total": each * designs, "proven": proven})
    if as_json:
        beta = cone.complexity.beta
        print_json(
            {
                "cone": str(cone),
                "said": list(cone.said),
                "beta": beta,
                "noise": noise.words,
                "n_designs": designs,
                "epsilon": epsilon,
                "delta": delta,
                "budgets": found,
            }
        )
        return
    title = f"{designs} designs under {order_words(cone)} (beta = {cone.complexity.beta:.6g})"
    table = Table(
        f"{title}, noise {noise!r}, epsilon = {epsilon:g}, delta = {delta:g}",
        ("bound", "each design", "in all", "proven", "by"),
        tuple(
            (
                str(row["bound"]),
                f"{row['each']:,}",
                f"{row['total']:,}",
                "yes" if row["proven"] else "no",
                str(row["theorem"]),
            )
            for row in found
        ),
        "The smallest proven number is enough.",
    )
    print_table(table)


def _noise(kind: str, sigma: float | None, low: float | None, high: float | None) -> Noise:
    if kind == "bounded":
        if sigma is not None:
            raise InputError("--sigma says nothing of bounded noise, of which --low and --high say all; leave it out.")
        if low is None or high is None:
            raise InputError("bounded noise needs --low and --high.")
        return Bounded(low, high)
    if low is not None or high is not None:
        raise InputError("--low and --high belong to --noise bounded.")
    sigma = 1.0 if sigma is None else sigma
    if kind == "gaussian":
        return Gaussian(sigma)
    return SubGaussian(sigma) if kind == "subgaussian" else NormSubGaussian(sigma)
