"""One run of VOPy on its own table: vopy_models.py VOGP|PaVeBaGP DiscBrake|SNW CONTRACTION SEED SECONDS.

Runs in VOPy's own environment (`make bench-peers`), so it imports nothing of conewise. epsilon 0.1, delta 0.05, noise
variance 0.01, componentwise order. CONTRACTION divides its radius: 32 is its default. Prints JSON: evaluations, the
one with which it starts included, the returned designs, CPU seconds, and whether it ended within SECONDS of them.
"""

import json
import sys
import time

from vopy import algorithms
from vopy.order import ComponentwiseOrder
from vopy.utils import set_seed

name, table, contraction, seed, seconds = sys.argv[1], sys.argv[2], *map(float, sys.argv[3:6])
set_seed(int(seed))
start = time.process_time()
algorithm = getattr(algorithms, name)(0.1, 0.05, table, ComponentwiseOrder(2), 0.01, conf_contraction=contraction)
done = False
while not done and time.process_time() - start < seconds:
    done = bool(algorithm.run_one_step())
print(
    json.dumps(
        {
            "evaluations": algorithm.sample_count + 1,
            "returned": sorted(int(i) for i in algorithm.P),
            "seconds": time.process_time() - start,
            "ended": done,
        }
    )
)
