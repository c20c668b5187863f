"""`conewise study init`: a trial.toml to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from conewise.cli.options import force_option
from conewise.cli.show import print_json
from conewise.errors import printable
from conewise.tables.files import write_text

TEMPLATE: Final = """\
# What this study asks. It runs as it stands, with a simulator to rehearse with:
#
#     conewise study create {toml}
#     conewise study run {db} --toml {toml}
#     conewise study status {db} --designs
#
# Replace what is yours. A key that conewise does not know is refused, and the nearest one is named.

objectives = ["yield", "cost"]   # what is measured in every evaluation
minimise = ["cost"]              # of which less is better
cone = "orthant"                 # when one design beats another: "orthant" is better in all objectives
                                 # (conewise cone --help lists the others)
epsilon = 0.5                    # how far from optimal a returned design may be, in the units of the objectives
delta = 0.05                     # how often the answer may be wrong
seed = 1                         # from which the seeds of all evaluations follow
lease = 3600                     # seconds after which what was handed out and not told is handed out again
# reserve = 0.5                  # the part of delta that is kept for changes of the question; none by default
# separate = true                # an evaluation measures one objective of a design, whichever says most
# block = "batch"                # all designs meet the same batches of material, and are compared on these
# blocks = 40                    # how many there are, their names, or a file with a column of them
# population = "all"             # averages are over these; a number of blocks; none: these are a sample

# [[objectives]]                 # instead of objectives and minimise above: what more is to be said of each
# name = "yield"
# level = 2.5                    # what is acceptable at all: the least, for "min" the most
# noise = "gaussian:0.4"         # of its own, instead of [noise] below; or unknown, binary, known (a price list)
# [[objectives]]
# name = "cost"
# goal = "min"
# unit = 0.5                     # one step, in which cone and epsilon count
# noise = "gaussian:0.1"

[designs]                        # exactly one of list, file and count
list = [
    {{ name = "cold", temperature = 40, hours = 4 }},
    {{ name = "warm", temperature = 60, hours = 2 }},
    {{ name = "hot", temperature = 80, hours = 2 }},
    {{ name = "long", temperature = 70, hours = 8 }},
]
# file = "designs.csv"           # one row a design; the column name, design or id names it

# [box.parameters]               # instead of [designs], where nobody has listed them: what can be set
# temperature = {{ from = 40, to = 80 }}
# hours = {{ from = 1, to = 8, whole = true }}
# oil = ["olive", "sunflower"]

[noise]                          # what is assumed of one evaluation, in your units
kind = "gaussian"                # normal, with these standard deviations
sigma = [0.4, 0.1]
# kind = "gaussian_unknown"      # normal, and nothing else is known; costs more evaluations
# kind = "bounded"               # in a range, with any distribution; then also:
# low = 0
# high = 100

# [algorithm]                    # may be left out
# success = "contain"            # return every Pareto optimal design, not only a cover of them
# max_evaluations = 10000        # end there, with the epsilon that is certified by then

# [model]                        # designs with similar columns have similar values: far fewer evaluations
# kind = "smooth"                # or "linear"; the promise then holds on average over this prior
# features = ["temperature", "hours"]
# price = "hours"                # what an evaluation of each design costs, relative to the others

[run]                            # read by `conewise study run --toml` alone, never stored in the study
function = "conewise.problems.rehearsal:evaluate"   # yours: "module:function", of a design (a dict) and a seed
# command = "./simulate --temperature {{temperature}} --seed {{seed}}"   # or a command that prints the values
jobs = 1                         # processes
"""


@click.command(short_help="Write a commented trial.toml to begin with.")
@click.argument("toml", type=click.Path(path_type=Path, dir_okay=False), default=Path("trial.toml"))
@force_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def init(toml: Path, force: bool, as_json: bool) -> None:
    """Write a TOML file that explains itself and runs as it stands; trial.toml by default.

    Example: conewise study init trial.toml
    """
    write_text(toml, [TEMPLATE.format(toml=toml.name, db=toml.with_suffix(".db").name)], force=force)
    if as_json:
        print_json({"file": str(toml)})
        return
    click.echo(printable(f"{toml} is written; it runs as it stands: conewise study create {toml}."))
