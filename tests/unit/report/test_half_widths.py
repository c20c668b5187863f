"""The confidence that a report states, against radii computed from the definitions of docs/adaptive."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ndtr
from scipy.stats import t as student
from shared import studies

import conewise as cw
from conewise.certificate.looks import spending
from conewise.certificate.tuning import CONTAIN_PARTS
from conewise.data.observations import Observations
from conewise.report.answer import answer
from conewise.report.subject import as_it_ran, of_state, of_study, of_table
from conewise.tables.measurements import Recorded

CONE = cw.Cone([[2, 1], [1, 3]])
COVARIANCE = np.array([[1.0, 0.3], [0.3, 0.25]])
COUNTS = np.array([40, 7, 25, 90])
DELTA = 0.05


@pytest.fixture(scope="module")
def sample():
    """Four designs with correlated noise, each evaluated another number of times."""
    rng, designs = np.random.default_rng(8), np.repeat(np.arange(4), COUNTS)
    means = np.array([[0.0, 2.0], [2.0, 0.0], [1.5, 1.5], [0.0, 0.0]])
    values = means[designs] + rng.multivariate_normal([0, 0], COVARIANCE, size=len(designs))
    return designs, values


def half_widths(sample, noise, final):
    source = Recorded(Observations.single(*sample), tuple("abcd"), ("gain", "yield"))
    numbers = answer(of_table(source, CONE, "x", delta=DELTA, epsilon=0.1, noise=noise, final=final))
    return np.array([row["half_widths"] for row in sorted(numbers["rows"], key=lambda row: row["id"])])


def fine_share():
    """What one claim "fine" may spend under "contain": its part of delta, over designs in doubt and facets.

    One of the four, the third, is known to be Pareto optimal at this sample.
    """
    return CONTAIN_PARTS[0] * DELTA / ((len(COUNTS) - 1) * len(CONE.facets))


def test_of_one_look_with_known_noise_it_is_a_normal_quantile_of_the_mean(sample):
    z = NormalDist().inv_cdf(1 - fine_share())
    rows = np.array([[2, 1] / np.sqrt(5), [1, 3] / np.sqrt(10)])
    expected = [[z * math.sqrt(w @ COVARIANCE @ w / n) for w in rows] for n in COUNTS]
    np.testing.assert_allclose(half_widths(sample, cw.noise.Gaussian(cov=COVARIANCE), final=True), expected, rtol=1e-6)


def test_of_one_look_with_unknown_noise_it_is_students(sample):
    designs, values = sample
    rows = np.array([[2, 1] / np.sqrt(5), [1, 3] / np.sqrt(10)])
    expected = [
        [student.isf(fine_share(), n - 1) * np.std(values[designs == k] @ w, ddof=1) / math.sqrt(n) for w in rows]
        for k, n in enumerate(COUNTS)
    ]
    np.testing.assert_allclose(half_widths(sample, cw.noise.GaussianUnknown(), final=True), expected, rtol=1e-5)


def boundary(counts, shares):
    """z by look: an excess that is the first one has the probability that the look may spend (docs/adaptive, looks).

    The density of errors that stayed below so far is carried from look to look on panels of Gauss points; means of the
    first g and g' observations have the correlation sqrt(g / g').
    """
    points, weights = np.polynomial.legendre.leggauss(12)

    def below(edge):
        ends = edge - 0.2 * np.arange(51)[::-1]
        return ((ends[1:] + ends[:-1])[:, None] / 2 + 0.1 * points).ravel(), np.tile(0.1 * weights, 50)

    found = [NormalDist().inv_cdf(1 - shares[0])]
    nodes, mass = below(found[0])
    mass = mass * np.exp(-(nodes**2) / 2) / math.sqrt(2 * math.pi)
    for before, now, share in zip(counts, counts[1:], shares[1:], strict=False):
        rho, spread = math.sqrt(before / now), math.sqrt(1 - before / now)

        def excess(z, nodes=nodes, mass=mass, rho=rho, spread=spread, share=share):
            return float(mass @ ndtr((rho * nodes - z) / spread)) / share - 1

        found.append(brentq(excess, 0.0, NormalDist().inv_cdf(1 - share) + 1e-6, xtol=1e-9))
        onwards, panel = below(found[-1])
        steps = np.exp(-0.5 * ((onwards[:, None] - rho * nodes) / spread) ** 2) / (spread * math.sqrt(2 * math.pi))
        nodes, mass = onwards, panel * (steps @ mass)
    return found


def test_of_many_looks_it_is_the_boundary_at_the_last_of_them(tmp_path):
    with studies.make(tmp_path / "trial.db") as study:
        studies.finish(study)
        rule, subject = study.rule(), of_study(study)
    certificate = rule.certificate
    levels = np.array(certificate.levels.counts)
    # "cover" may spend all of delta on claims "fine"; 1.001 is the allowance for quadrature.
    shares = DELTA / (6 * 2) / 1.001 * spending(certificate.levels, certificate.anchors[0])
    assert shares.sum() == pytest.approx(DELTA / 12 / 1.001)
    reached = np.searchsorted(levels, subject.result.counts, side="right") - 1
    assert reached.min() >= 0
    assert len(set(reached.tolist())) > 1
    z = boundary(levels[: reached.max() + 1].tolist(), shares[: reached.max() + 1].tolist())
    rows = {row["id"]: row for row in answer(subject)["rows"]}
    for k, level in enumerate(reached.tolist()):
        expected = z[level] * studies.SIGMA / math.sqrt(levels[level])
        assert rows[k]["half_widths"] == pytest.approx([expected, expected], rel=1e-5)


def told_apart(subject, widths):
    """Pairs at one look and a weighting along which they are further apart than both half-widths; radii of those."""
    designs = np.arange(len(subject.names))
    compared = subject.evidence.compare(designs)
    seen = compared.fine(designs, designs)
    level = compared.streams[0].reached
    same = (level[:, None] == level[None, :]) & (designs[:, None] != designs[None, :])
    far = same[:, :, None] & (np.abs(seen.gains) > widths[:, None, :] + widths[None, :, :])
    return np.abs(seen.gains)[far], seen.radii[far]


def test_further_apart_than_both_half_widths_means_told_apart():
    """The sentence below the table; with half-widths a quarter as long it would be false."""
    rng, designs = np.random.default_rng(3), np.tile(np.arange(30), 40)
    values = rng.normal(size=(30, 2))[designs] + rng.normal(size=(1200, 2)) * [0.5, 1.0]
    source = Recorded(Observations.single(designs, values), tuple(f"d{k}" for k in range(30)), ("a", "b"))
    noise = cw.noise.Gaussian([0.5, 1.0])
    subject = of_table(source, cw.Cone.planar(110), "x", delta=DELTA, epsilon=0.2, noise=noise)
    rows = sorted(answer(subject)["rows"], key=lambda row: row["id"])
    widths = np.array([row["half_widths"] for row in rows])
    gains, radii = told_apart(subject, widths)
    assert len(gains) > 50
    assert (gains > radii).all()
    gains, radii = told_apart(subject, widths / 4)
    assert (gains <= radii).any()


# -- the same evidence on every way to a report ------------------------------------------------------------------------


def test_a_loop_of_ones_own_has_the_confidence_of_a_study(tmp_path):
    with studies.make(tmp_path / "trial.db") as study:
        while study.status().evaluations < 100:
            batch = study.ask(20)
            study.tell(batch, studies.values_of(batch))
        rule, told = study.rule(), study.evaluations()
        by_study = answer(of_study(study))
        stages = as_it_ran(study, looks=4)
    state = rule.tell(rule.start(), Observations.single(told.design, told.values * [1, -1]))
    by_state = answer(of_state(rule, state, study.question, names=list("abcdef")))
    assert by_state["rows"] == by_study["rows"]
    assert by_state["cone"] == by_study["cone"]
    assert 0 < sum(entry["times"] for entry in by_state["next"]) == rule.ask(state, 20).total <= 20
    quarters = [len(part) for part in np.array_split(told.design, 4)]
    assert np.diff([0, *(stage.result.evaluations for stage in stages)]).tolist() == quarters
    assert answer(stages[-1])["rows"] == by_study["rows"]
    assert stages[0].title == f"trial after {quarters[0]} evaluations"


@pytest.mark.parametrize(("final", "seed"), [(False, 0), (True, 2)])
def test_whoever_is_beaten_exactly_has_a_rival_that_shows_it(final, seed):
    """At epsilon = 0 designs known to be Pareto narrow the radii of the others, and the report must know it as well."""
    rng, designs = np.random.default_rng(seed), np.tile(np.arange(60), 60)
    values = rng.normal(size=(60, 2))[designs] + rng.normal(size=(3600, 2))
    source = Recorded(Observations.single(designs, values), tuple(f"d{k}" for k in range(60)), ("a", "b"))
    subject = of_table(source, cw.Cone.orthant(2), "x", delta=DELTA, noise=cw.noise.Gaussian(1.0), final=final)
    beaten = [row for row in answer(subject)["rows"] if row["status"] == "beaten"]
    assert len(beaten) > 20
    for row in beaten:
        first = row["rivals"][0]
        assert first["relation"] == "better"
        assert all(gain >= radius for gain, radius in zip(first["gains"], first["radii"], strict=True))


def test_an_analysis_brings_its_evidence(sample):
    for final in (False, True):
        found = cw.analyse(Observations.single(*sample), CONE, delta=DELTA, epsilon=0.1, final=final)
        some = found.evidence.compare(np.array([1, 3]))
        assert some.designs.tolist() == [1, 3]
        assert some.standing.left.tolist() == (~found.evidence.claims().beaten).tolist()
    alone = cw.analyse(Observations.single([0], [[1.0, 2.0]]), CONE, delta=DELTA)
    assert alone.evidence is None


def test_a_rule_without_a_certificate_has_no_confidence_on_its_way(tmp_path):
    options = {"algorithm": "naive", "options": {"evaluations_each": 2}}
    with studies.make(tmp_path / "trial.db", **options) as study, pytest.raises(cw.InputError, match="no confidence"):
        as_it_ran(study)
