"""`make demo`: the cones of the paper, and the Pareto sets of its data under each."""

from __future__ import annotations

from conewise import Cone, pareto_mask, problems, suboptimality_gaps


def main() -> None:
    """Print the facts and where to look next."""
    for name in ("snw", "imrt"):
        designs = problems.load(name)
        print(f"\n{designs.about}\n{len(designs)} designs, objectives: {', '.join(designs.objectives)}\n")
        print(f"{'cone':>12} {'alpha':>14} {'beta':>8} {'Pareto':>7} {'mean gap of the others':>23}")
        for text in ("planar:45", "planar:90", "planar:135"):
            cone = Cone.parse(text)
            front = pareto_mask(designs.means, cone)
            gaps = suboptimality_gaps(designs.means, cone)[~front]
            widths = " ".join(f"{width:.4f}" for width in cone.widths)
            mean = f"{gaps.mean():.3f}" if len(gaps) else "none"
            print(f"{text:>12} {widths:>14} {cone.complexity.beta:8.5f} {front.sum():7d} {mean:>23}")
    print("\nA wider cone compares more designs: fewer are Pareto. See docs/choose.md for which cone says what.")


if __name__ == "__main__":
    main()
