"""Which radiation treatments are best, when every evaluation is noisy? A first answer, with its guarantee."""

import conewise as cw

# Four treatments with an effect on the tumour (large is good) and damage to healthy tissue (small is good); an
# evaluation returns both with normal noise of standard deviation 0.1.
treatments = cw.problems.load("imrt", cw.noise.Gaussian(0.1))

# What "better" means: an angle of 135 degrees accepts a small loss in one objective for a large gain in the other.
cone = cw.Cone.planar(135)

# Every Pareto treatment is covered within 0.02 and nothing returned is further than 0.02 from optimal, with 95 %.
result = cw.identify(treatments, cone, epsilon=0.02, delta=0.05, rng=0)

print("Pareto:", ", ".join(result.names(treatments.names)))
print("evaluations:", result.evaluations)
for name, count, status in zip(treatments.names, result.counts, result.status, strict=True):
    print(f"  {name}: {status} after {count} evaluations")
print("worth:", result.guarantee)

# Here the truth is known, so the answer can be checked.
print("checked:", cw.verdict(result.pareto, treatments.means, cone, epsilon=0.02))
