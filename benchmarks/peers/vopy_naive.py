"""CPU seconds of one run of VOPy's NaiveElimination on SNW: vopy_naive.py ANGLE L.

Runs in VOPy's own environment (`make bench-peers`), so it imports nothing of conewise. Building the algorithm is not
timed; the Pareto set of the averages is, as it is part of a run.
"""

import sys
import time

from vopy.algorithms import NaiveElimination
from vopy.order import ConeTheta2DOrder

algorithm = NaiveElimination(0.1, 0.01, "SNW", ConeTheta2DOrder(float(sys.argv[1])), 1.0, L=int(sys.argv[2]))
start = time.process_time()
while not algorithm.run_one_step():
    pass
found = algorithm.P
print(time.process_time() - start, len(found))
