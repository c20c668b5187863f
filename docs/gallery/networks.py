"""A hardware design space

206 implementations of a sorting network, synthesised on an FPGA (Zuluaga, Milder & Püschel 2012): a small area and a
high throughput, both in powers of two. As in the paper, an evaluation is a synthesis with simulated noise of standard
deviation 1. Which networks are worth having, if each of the two objectives carries at least 29 % of the weight?

The truth is known here, so that the answer can be checked, and what it took can be compared with evaluating every
design equally often, which is the algorithm of the paper.
"""

from matplotlib import pyplot as plt

import conewise as cw

networks = cw.problems.load("snw")
cone = cw.Cone.importance(0.29)
result = cw.identify(networks, cone, epsilon=0.2, delta=0.05, rng=0)
naive = cw.identify(networks, cone, epsilon=0.2, delta=0.05, algorithm="naive", rng=0)
print(f"{len(result.indices)} networks after {result.evaluations:,} evaluations; equally often: {naive.evaluations:,}")
print(result.guarantee)
print(cw.verdict(result.pareto, networks.means, cone, epsilon=0.2))

area, throughput = -networks.means[:, 0], networks.means[:, 1]
figure, panel = plt.subplots(figsize=(7.2, 4.4), layout="constrained")
size = 0.03 * result.counts + 2
for mask, colour, label in ((~result.pareto, "#BFBFBF", "left out"), (result.pareto, "#0072B2", "returned")):
    panel.scatter(area[mask], throughput[mask], s=size[mask], color=colour, label=f"{mask.sum()} {label}")
panel.set(xlabel="log2 area (smaller is better)", ylabel="log2 throughput (larger is better)")
panel.legend(frameon=False, title="larger where evaluated more often")
