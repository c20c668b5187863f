"""`conewise analyse`: what a table of measurements says, and which evaluations to pay for next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from conewise.analysis.analyse import Analysis, analyse
from conewise.analysis.oddities import listed
from conewise.analysis.planning import EVALUATE, UP_TO_A_LOOK
from conewise.analysis.separate import cell_words
from conewise.cli.meaning import (
    all_named,
    assumed_of,
    level_option,
    meant_by,
    noise_option,
    unit_option,
)
from conewise.cli.options import as_population, columns, force_option, minimise_option
from conewise.cli.origins import ORIGINS, Origin
from conewise.cli.readers import crew, spooled
from conewise.cli.show import (
    average,
    designs_data,
    guarantee_data,
    guess_data,
    json_text,
    print_json,
    print_table,
    progress_bar,
)
from conewise.cli.stating import order_words, stated, stating
from conewise.cone.cone import Cone
from conewise.data.observations import Pulls
from conewise.errors import counted, printable
from conewise.models.priors import KINDS
from conewise.preferences.preferences import stated_cone
from conewise.report.data import Table
from conewise.rules import Status
from conewise.tables.files import write_text
from conewise.tables.means import WideTable
from conewise.tables.measurements import LongTable, open_measurements
from conewise.tables.outputs import Columns, check_output, free_name, write_columns
from conewise.tables.spreadsheets import JUDGED, guarded

_SHOWN = 60  # designs on a terminal or in a pipe
_PLANNED = 40  # designs listed with their evaluations
_WORDS = (
    *("delta", "epsilon", "final", "success", "max_evaluations", "separate", "block", "repetitions", "seed"),
    *("features", "model", "designs", "price", "robust"),
)
_ORDER = tuple(word.value for word in (Status.KEPT, Status.UNDECIDED, Status.COVERED, Status.BEATEN, Status.MISSES))


def _features(context: click.Context, parameter: click.Parameter, value: str | None) -> list[str] | None:
    """Names of columns; None where nobody speaks of features."""
    return None if value is None else columns(context, parameter, value)


@click.command("analyse", short_help="Which designs of a table of measurements are Pareto, and what to evaluate next.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--from",
    "origin",
    type=click.Choice(ORIGINS),
    help="Who wrote FILE: inspect-ai (logs), lm-eval (logged samples), MLflow (mlflow.db, or a folder mlruns), Optuna "
    "(its SQLite storage), scikit-learn (cv_results_ as JSON), or melted: a table with columns design, metric, value.",
)
@click.option("--study", help="With --from optuna or mlflow: the study or experiment that is meant, of several.")
@click.option(
    "--melted",
    metavar="METRIC,VALUE[,RUN]",
    callback=columns,
    help="With --from melted: what its columns are called; RUN says which values were measured together.",
)
@click.option("--design", help="Column that names the design; one called name, design or id by default.")
@click.option("--objectives", callback=columns, help="Columns that were measured, separated by commas.")
@minimise_option
@unit_option
@level_option
@click.option("--cone", "spec", help="Text form of the cone; the orthant by default.")
@stating
@click.option(
    "--delta", type=float, default=0.05, show_default=True, help="Admitted probability that any claim is wrong."
)
@click.option("--epsilon", type=float, default=0.0, show_default=True, help="A difference that does not matter.")
@noise_option
@click.option("--final", is_flag=True, help="The table is complete and will be looked at only now: sharper statements.")
@click.option(
    "--success",
    type=click.Choice(["contain", "cover"]),
    help="Return every Pareto design (contain, the default), or designs that cover them within epsilon (cover, the "
    "default with a model).",
)
@click.option(
    "--max-evaluations",
    type=click.IntRange(2),
    help="There will never be more in all, as was fixed before the first: sharper at epsilon 0.",
)
@click.option("--means", callback=columns, help="For a table of means: their columns, in the place of --objectives.")
@click.option("--errors", callback=columns, help="For a table of means: the columns of their standard errors.")
@click.option(
    "--deviations",
    callback=columns,
    help="For a table of means: the columns of standard deviations, in the place of --errors.",
)
@click.option(
    "--counts",
    callback=columns,
    help="For a table of means: the column with the number of evaluations; with --separate one for each mean.",
)
@click.option(
    "--incomplete",
    type=click.Choice(["refuse", "skip"]),
    default="refuse",
    show_default=True,
    help="What to do with rows that lack an objective.",
)
@click.option(
    "--separate",
    is_flag=True,
    help="Objectives were measured separately, each with its own repetitions: rows may lack some.",
)
@click.option("--block", help="Column of what designs share (a question, a seed): compare them block by block.")
@click.option(
    "--population",
    help="With --block: the averages are over `all` blocks of the table, or over so many; by default over an unlimited "
    "population, of which these are a sample.",
)
@click.option("--repetitions", is_flag=True, help="With --block: average several rows of a design on a block.")
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="With --block: shuffles the order of blocks; with a model: of its draws.",
)
@click.option(
    "--features",
    callback=_features,
    help="Columns that describe the designs: a model of them reads the table, on average over a prior.",
)
@click.option(
    "--model",
    type=click.Choice(list(KINDS)),
    help="How designs relate: smooth in their features (with --features by default), linear in them, or independent.",
)
@click.option(
    "--designs",
    type=click.Path(path_type=Path, dir_okay=False),
    help="With a model: a table of all designs with their features, those that were never evaluated among them.",
)
@click.option("--price", help="With a model: a column with what an evaluation of each design costs, for --plan.")
@click.option("--robust", is_flag=True, help="With a model: a promise for every component of the prior.")
@click.option("--confirm", is_flag=True, help="With a model: every returned design is to be evaluated at least once.")
@click.option("--confirm-all", is_flag=True, help="With a model: every design is, which finds a lone spike.")
@click.option("--plan", "plan", type=click.IntRange(1, 10**9), help="Also which evaluations to pay for next: so many.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write every design to this file: .csv, .tsv, .jsonl or .parquet; .json is what --json prints.",
)
@force_option
@click.option(
    "--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes that sum up a --final table."
)
@click.option("--dask", metavar="ADDRESS", help="Sum up a --final table on the workers of this Dask scheduler.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def analyse_command(
    files: tuple[Path, ...],
    plan: int | None,
    out: Path | None,
    force: bool,
    workers: int,
    dask: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Which designs of a table of measurements are Pareto, which are not, and which are undecided.

    FILE (CSV, TSV, JSON, JSON lines, Parquet) has one row an evaluation, in any order of the designs; the rows of one
    design stand in the order in which they were measured. Or it has one row a design with means, standard errors and
    counts: --means a_mean,b_mean --errors a_se,b_se --counts n, which is found by itself when the columns are called
    so; such a table must be --final. Several files, or those in a folder, are read one after the other; - is standard
    input. Memory grows with the designs, not with the rows.

    With --features temp,time a model of the designs reads the table: far fewer evaluations say as much, on average over
    a prior; what holds for every truth stands beside it.

    With --block question the designs are compared question by question; --population all says that these questions are
    all there are.

    Example: conewise analyse trial.csv --objectives cost,yield --minimise cost --plan 20
    """
    if out is not None:
        check_output(out, inputs=files, force=force)
    final, block = options["final"], options["block"]
    with spooled(files) as paths:
        table, words = asked_of(paths, options)
        with progress_bar("evaluations", not as_json) as advance, crew(workers, dask) as executor:
            found = analyse(table, progress=advance, executor=executor, **words)
    cone = words["cone"]
    pulls = found.next(plan) if plan is not None else None
    if out is not None and out.suffix.lower() == ".json":
        text = json_text(_json(found, files, cone, final, pulls, block))
        write_text(out, [f"{text}\n"], inputs=files, force=force)
    elif out is not None:
        write_columns(out, _columns(found), _guarded, inputs=files, force=force)
    if as_json:
        print_json(_json(found, files, cone, final, pulls, block))
        return
    print_table(_table(found, cone, table.design))
    *others, last = found.explanations
    for line in others if pulls is not None and last.startswith((EVALUATE, UP_TO_A_LOOK)) else (*others, last):
        click.echo(line)
    if pulls is not None:
        click.echo(_plan_words(found, pulls, plan or 0))
    if out is not None:
        click.echo(printable(f"Written to {out}."), err=True)


def asked_of(paths: Sequence[Path], options: Mapping[str, Any]) -> tuple[LongTable | WideTable, dict[str, Any]]:
    """Return the table that is read by these options, and the words in which `analyse` is asked about it."""
    objectives, minimise, design = options["objectives"], options["minimise"], options["design"]
    units, levels, assumption = options["units"], options["levels"], options["assumption"]
    reading = {key: options[key] for key in ("design", "means", "errors", "deviations", "counts", "incomplete")}
    written = Origin(options["origin"], options["study"], options["melted"])
    written.check_alone(**reading)
    named = all_named(objectives, minimise, units, levels, assumption)
    table: LongTable | WideTable
    if written.kind is not None:
        table = written.read(paths, named if objectives else (), minimise, design, options["separate"])
    else:
        table = open_measurements(paths, objectives=objectives, named=named, minimise=minimise, **reading)
    meaning, auto = meant_by(table.meaning, units, levels)
    meaning, noise = assumed_of(meaning, assumption)
    table.meaning_as(meaning)
    return table, {key: options[key] for key in _WORDS} | {
        "cone": stated_cone(options["spec"], table.meaning, stated()),
        "noise": noise,
        "population": as_population(options["population"]),
        "confirm": "all" if options["confirm_all"] else options["confirm"],
        "units": "auto" if auto else None,
    }


def _rows(found: Analysis) -> list[int]:
    """Kept designs first, then the undecided; in the order of the file among themselves."""
    return [int(k) for status in _ORDER for k in np.flatnonzero(found.result.status == status)]


def _table(found: Analysis, cone: Cone, design: str) -> Table:
    means = found.means
    errors = np.full_like(means, np.nan) if found.guess is None else found.guess.standard_errors
    order = _rows(found)
    likely = found.result.probability
    shown = tuple(
        (
            found.names[k],
            found.result.standing(k),
            *map(average, means[k].tolist(), errors[k].tolist()),
            f"{found.result.counts[k]:,}",
            *(() if likely is None else (f"{likely[k]:.3f}", str(found.result.evidence[k]))),
        )
        for k in order[:_SHOWN]
    )
    more = f"... and {len(order) - _SHOWN} more: --out FILE or --json has them all." if len(order) > _SHOWN else ""
    title = f"{counted(found.result.evaluations)} of {counted(len(order), 'design')} under {order_words(cone)}"
    ours = ("evaluations",) if likely is None else ("evaluations", "probably Pareto", "evidence")
    return Table(title, (design, "status", *found.objectives, *ours), shown, more)


def _plan_words(found: Analysis, pulls: Pulls, wanted: int) -> str:
    if not pulls.total:
        open_ = (found.result.status == Status.UNDECIDED.value).any()
        return "What to evaluate next is not planned here." if open_ else "Nothing more needs to be evaluated."
    if found.has_cells:
        cells = cell_words(found.cells(wanted), found.names, found.objectives)
        return f"Next {counted(pulls.total, 'measurement')}, up to the next look: {listed(cells, most=_PLANNED)}."
    parts = [
        f"{printable(found.names[k])} ({counted(n, 'time')})"
        for k, n in zip(pulls.designs.tolist(), pulls.counts.tolist(), strict=True)
    ]
    ordered = "" if found.result.probability is not None else ", the most valuable first"  # with a model: as one batch
    words = f"Next {counted(pulls.total)}{ordered if len(parts) > 1 else ''}: {listed(parts, most=_PLANNED)}."
    if found.cheapest is not None and found.cheapest > wanted:
        words += f" The cheapest open question needs about {found.cheapest:,}."
    return words


def _plan_data(found: Analysis, pulls: Pulls) -> list[dict[str, Any]]:
    """Names and times; with the objective where these are measured separately."""
    if not found.has_cells:
        each = zip(pulls.designs.tolist(), pulls.counts.tolist(), strict=True)
        return [{"name": found.names[k], "times": n} for k, n in each]
    cells, dim = found.cells(pulls.total), len(found.objectives)
    return [
        {"name": found.names[cell // dim], "times": n, "objective": found.objectives[cell % dim]}
        for cell, n in zip(cells.designs.tolist(), cells.counts.tolist(), strict=True)
    ]


def _columns(found: Analysis) -> Columns:
    """Every design, with columns of ours that no objective is called by."""
    order = _rows(found)
    design, status, returned, evaluations = (free_name(label, found.objectives) for label in JUDGED)
    means, condition = found.means[order], found.result.condition
    return {
        design: [found.names[k] for k in order],
        status: [str(found.result.status[k]) for k in order],
        returned: ["yes" if found.result.pareto[k] else "no" for k in order],
        evaluations: found.result.counts[order],
        **({free_name("condition", found.objectives): [condition] * len(order)} if condition else {}),
        **{name: means[:, d] for d, name in enumerate(found.objectives)},
        **_by_model(found, order),
    }


def _by_model(found: Analysis, order: list[int]) -> Columns:
    """What a model says of every design, in columns of ours."""
    likely = found.result.probability
    if likely is None:
        return {}
    probability, evidence = (free_name(label, found.objectives) for label in ("probability", "evidence"))
    return {probability: likely[order], evidence: [str(word) for word in found.result.evidence[order]]}


def _guarded(columns: Columns) -> Columns:
    design, *_ = columns
    return {guarded(c): [guarded(e) for e in entries] if c == design else entries for c, entries in columns.items()}


def _json(
    found: Analysis,
    files: tuple[Path, ...],
    cone: Cone,
    final: bool,
    pulls: Pulls | None,
    block: str | None,
) -> dict[str, Any]:
    result = found.result
    errors = None if found.guess is None else found.guess.standard_errors
    return {
        "file": str(files[0]) if len(files) == 1 else [str(file) for file in files],
        "cone": str(cone),
        "said": list(cone.said),
        "objectives": list(found.objectives),
        "minimised": list(found.minimised),
        "units": found.question.columns.stated(),
        "units_from_values": found.units_chosen,
        "levels": found.question.columns.stated_levels(),
        "noise": found.question.assumed.words,
        "final": final or block is not None,
        "block": block,
        "success": found.success,
        "epsilon": found.epsilon,
        "delta": found.delta,
        "evaluations": result.evaluations,
        "n_designs": len(found.names),
        "designs": designs_data(result, errors),
        "certified_epsilon": result.certified_epsilon,
        "certified": dict(result.certified) or None,
        **guarantee_data(result.guarantee),
        "guess": guess_data(found.guess, found.names),
        "remaining": found.plan.remaining,
        "remaining_at_least": found.plan.at_least,
        "plan": None if pulls is None else _plan_data(found, pulls),
        "explanations": list(found.explanations),
    }
