"""A cluster: the same study on the workers of a Dask scheduler (needs the extra `distributed`).

From a terminal: conewise study run trial.db --function simulator:evaluate --dask tcp://scheduler:8786
"""

import tempfile
from pathlib import Path

import numpy as np

import conewise as cw

try:
    from distributed import Client, LocalCluster
except ImportError:
    raise SystemExit("This example needs Dask: run pip install '.[distributed]' in a checkout of conewise.") from None


def evaluate(design, seed):
    """The lift and drag of a wing at one angle, in gusty wind."""
    rng = np.random.default_rng(seed)
    angle = design["angle"]
    return [0.1 * angle - 0.004 * angle**2 + rng.normal(0, 0.05), 0.01 + 0.0008 * angle**2 + rng.normal(0, 0.05)]


def main():
    """At which angles should the wing fly?"""
    with tempfile.TemporaryDirectory() as folder, LocalCluster(n_workers=2, dashboard_address=":0") as cluster:
        study = cw.Study.create(
            Path(folder) / "wing.db",
            designs=[{"name": f"{angle} degrees", "angle": angle} for angle in range(0, 20, 4)],
            objectives=["lift", "drag"],
            minimise=["drag"],
            cone=cw.Cone.orthant(2),
            epsilon=0.05,
            delta=0.05,
            noise=cw.noise.Gaussian(0.05),
        )
        with Client(cluster) as client:
            report = cw.run_study(study, evaluate, executor=client)
        print(f"{report.told} evaluations on {len(cluster.workers)} workers, finished: {report.finished}")
        print("Pareto:", ", ".join(study.result().names(study.names)))
        print("worth:", study.result().guarantee)
        study.close()


if __name__ == "__main__":  # workers import this file, and must not start a cluster of their own
    main()
