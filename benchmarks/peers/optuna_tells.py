"""Wall seconds of so many asks and tells with Optuna: optuna_tells.py journal|rdb FILE N.

Runs in the peers' own environment, so it imports nothing of conewise. Making the study is not timed.
"""

import sys
import time

import optuna

kind, path, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
optuna.logging.set_verbosity(optuna.logging.ERROR)
if kind == "journal":
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    storage = JournalStorage(JournalFileBackend(path))
else:
    storage = f"sqlite:///{path}"
study = optuna.create_study(
    storage=storage, directions=["maximize", "maximize"], sampler=optuna.samplers.RandomSampler(seed=0)
)
start = time.perf_counter()
for _ in range(number):
    trial = study.ask()
    study.tell(trial, [1.0, 1.0])
print(time.perf_counter() - start)
