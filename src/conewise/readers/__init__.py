"""What other programs have measured, as tables that `analyse` takes: none of these programs is imported.

Each function returns an `Imported` table: `analyse(readers.optuna("study.db"), delta=0.05)`.
"""

from conewise.readers.evaluations import inspect, lm_eval
from conewise.readers.imported import Imported, melted
from conewise.readers.mlflowruns import mlflow
from conewise.readers.optunastudies import optuna
from conewise.readers.searches import cv_results

__all__ = ["Imported", "cv_results", "inspect", "lm_eval", "melted", "mlflow", "optuna"]
