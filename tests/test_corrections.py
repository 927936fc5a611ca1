"Corrections for many comparisons, and bootstrap intervals, against scipy and definitions read slowly."
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from irmetrics_nb.deciding.bootstrap import bootstrap_interval
from irmetrics_nb.deciding.corrections import CORRECTIONS, adjust

P = st.lists(st.floats(1e-12, 1), min_size=1, max_size=12)


def slow_rejections(p, alpha, correction):
    "Which are rejected, step by step, as the papers describe it."
    order, m, out = sorted(range(len(p)), key=p.__getitem__), len(p), set()
    if correction == "holm":
        for step, i in enumerate(order):
            if p[i] > alpha / (m - step):
                break
            out.add(i)
    elif correction == "bh":
        reached = [k for k, i in enumerate(order, 1) if p[i] <= k * alpha / m]
        out = set(order[: max(reached, default=0)])
    else:
        out = {i for i in order if p[i] <= (alpha / m if correction == "bonferroni" else alpha)}
    return out


@given(P, st.sampled_from(sorted(CORRECTIONS)), st.sampled_from([0.01, 0.05, 0.3]))
def test_an_adjusted_p_is_below_alpha_where_the_step_by_step_procedure_rejects(p, correction, alpha):
    adjusted = adjust(np.array(p), correction)
    near = np.isclose(adjusted, alpha, rtol=1e-9)
    found = set(np.flatnonzero((adjusted <= alpha) & ~near).tolist())
    expected = slow_rejections(p, alpha, correction)
    assert found - expected == set() and expected - found <= set(np.flatnonzero(near).tolist())


@given(P)
def test_bh_is_that_of_scipy(p):
    np.testing.assert_allclose(adjust(np.array(p), "bh"), stats.false_discovery_control(p), rtol=1e-12)


@given(P)
def test_corrections_keep_the_order_never_help_and_holm_never_does_worse_than_bonferroni(p):
    p = np.array(p)
    order = np.argsort(p, kind="stable")
    for correction in CORRECTIONS:
        adjusted = adjust(p, correction)
        assert (np.diff(adjusted[order]) >= -1e-15).all() and (adjusted >= p - 1e-15).all() and (adjusted <= 1).all()
    assert (adjust(p, "holm") <= adjust(p, "bonferroni") + 1e-15).all() and (adjust(p, "bh") <= adjust(p, "holm") + 1e-15).all()


def test_the_fifteen_hypotheses_of_benjamini_and_hochberg():
    "Their section 3.2: of these p-values Bonferroni rejects 3 and their procedure 4, at 0.05."
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000]
    assert [int((adjust(np.array(p), c) <= 0.05).sum()) for c in ("bonferroni", "bh", "none")] == [3, 4, 9]


def test_nan_is_no_member_of_the_family():
    assert adjust(np.array([np.nan, 0.01, 0.03]))[1:].tolist() == [0.02, 0.03]
    assert np.isnan(adjust(np.array([np.nan]))).all()


def test_an_unknown_correction_names_the_known_ones():
    with pytest.raises(ValueError, match="'holm' or 'bonferroni' or 'bh' or 'none'"):
        adjust(np.array([0.1]), "sidak")


def test_the_percentile_interval_of_two_queries_can_be_counted():
    "0 and 1: the mean of two draws is 0, 1/2 or 1 with 1/4, 1/2, 1/4."
    assert bootstrap_interval(np.array([0.0, 1.0])) == (0, 1)
    assert bootstrap_interval(np.array([0.0, 1.0]), level=0.4) == (0.5, 0.5)


def slow_bca(d, level, means):
    "Efron and Tibshirani (1993), section 14.3, by the jackknife."
    n, normal = len(d), stats.norm
    jack = np.array([np.delete(d, i).mean() for i in range(n)])
    gap = jack.mean() - jack
    a = (gap**3).sum() / (6 * (gap**2).sum() ** 1.5)
    below = np.mean(means < d.mean()) / 2 + np.mean(means <= d.mean()) / 2
    z0 = normal.ppf(below)
    z = normal.ppf([(1 - level) / 2, (1 + level) / 2])
    return np.percentile(means, 100 * normal.cdf(z0 + (z0 + z) / (1 - a * (z0 + z))))


def test_bca_is_the_formula_on_the_page():
    random = np.random.default_rng(0)
    d = random.beta(0.5, 3, size=60) - 0.05
    means = random.choice(d, size=(40_000, len(d))).mean(axis=1)
    assert bootstrap_interval(d, method="bca", resamples=40_000) == pytest.approx(slow_bca(d, 0.95, means), abs=1.5e-3)
    assert bootstrap_interval(d, method="bca") != bootstrap_interval(d)


@given(st.lists(st.integers(-20, 20).map(lambda x: x / 20), min_size=3, max_size=25).map(np.array))
def test_a_bootstrap_interval_holds_the_difference(d):
    low, high = bootstrap_interval(d, resamples=999)
    assert low - 1e-12 <= d.mean() <= high + 1e-12
    assert (low, high) == bootstrap_interval(d, resamples=999)


def test_a_lopsided_sample_of_few_warns_nobody():
    assert not np.isnan(bootstrap_interval(np.array([0, 0, 0, 1.0]), method="bca")).all()
