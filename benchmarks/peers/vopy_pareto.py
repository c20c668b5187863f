"""CPU seconds of VOPy's get_pareto_set on an .npy file: vopy_pareto.py POINTS.npy '[[...], ...]'.

Runs in VOPy's own environment (`make bench-peers`), so it imports nothing of conewise. Prints the seconds and the
size of the set; building the cone is not timed.
"""

import json
import sys
import time

import numpy as np
from vopy.order import PolyhedralConeOrder
from vopy.ordering_cone import OrderingCone

points = np.load(sys.argv[1])
order = PolyhedralConeOrder(OrderingCone(np.array(json.loads(sys.argv[2]))))
start = time.process_time()
found = order.get_pareto_set(points)
print(time.process_time() - start, len(found))
