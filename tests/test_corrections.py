"Corrections for many comparisons, and the bootstrap, against scipy, enumeration and definitions read slowly."
import math
import statistics
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from irmetrics_nb.comparing.statistics import (
    CORRECTIONS,
    METHODS,
    adjust,
    bootstrap_interval,
    bootstrap_test,
    randomization_test,
    studentized_interval,
    t_test,
)

P = st.lists(st.floats(1e-12, 1), min_size=1, max_size=12)


def slow_rejections(p, alpha, correction):
    "Which are rejected, step by step, as the papers describe it."
    order, m, out = sorted(range(len(p)), key=p.__getitem__), len(p), set()
    if correction == "holm":
        for step, i in enumerate(order):
            if p[i] > alpha / (m - step):
                break
            out.add(i)
    elif correction in ("bh", "by"):
        divided = sum(1 / i for i in range(1, m + 1)) if correction == "by" else 1
        reached = [k for k, i in enumerate(order, 1) if p[i] <= k * alpha / (m * divided)]
        out = set(order[: max(reached, default=0)])
    elif correction in ("bonferroni", "none"):
        out = {i for i in order if p[i] <= (alpha / m if correction == "bonferroni" else alpha)}
    else:
        raise KeyError(f"describe the procedure of {correction} here")
    return out


@given(P, st.sampled_from(sorted(CORRECTIONS)), st.sampled_from([0.01, 0.05, 0.3]))
def test_an_adjusted_p_is_below_alpha_where_the_step_by_step_procedure_rejects(p, correction, alpha):
    adjusted = adjust(np.array(p), correction)
    near = np.isclose(adjusted, alpha, rtol=1e-9)
    found = set(np.flatnonzero((adjusted <= alpha) & ~near).tolist())
    expected = slow_rejections(p, alpha, correction)
    assert found - expected == set() and expected - found <= set(np.flatnonzero(near).tolist())


@given(P)
def test_bh_and_by_equal_scipy(p):
    np.testing.assert_allclose(adjust(np.array(p), "bh"), stats.false_discovery_control(p), rtol=1e-12)
    np.testing.assert_allclose(adjust(np.array(p), "by"), stats.false_discovery_control(p, method="by"), rtol=1e-12)


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
    with pytest.raises(ValueError, match=" or ".join(map(repr, CORRECTIONS))):
        adjust(np.array([0.1]), "unknown")


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
    assume(not d.any() or np.ptp(d) > 0)
    low, high = bootstrap_interval(d, resamples=999)
    assert low - 1e-12 <= d.mean() <= high + 1e-12
    assert (low, high) == bootstrap_interval(d, resamples=999)


def test_small_skewed_sample_does_not_warn():
    assert not np.isnan(bootstrap_interval(np.array([0, 0, 0, 1.0]), method="bca")).all()


def all_resamples(d):
    "t* of every resample with replacement, read slowly; infinite without variance."
    mean = statistics.mean(d)
    for sample in product(d, repeat=len(d)):
        error, off = statistics.stdev(sample) / len(d) ** 0.5, statistics.mean(sample) - mean
        yield off / error if error > 1e-12 else math.copysign(math.inf, off)


@pytest.mark.parametrize("d", [[0.25, 0.25, 0, 0.5, -0.25], [0.1, 0.4, 0.2, 0.35, 0.6], [1, 0.1, 0.0, 0.05, 0.02]])
def test_the_studentized_bootstrap_agrees_with_all_resamples_up_to_chance(d):
    t = sorted(abs(x) for x in all_resamples(d))
    seen = statistics.mean(d) / (statistics.stdev(d) / len(d) ** 0.5)
    exact = sum(x >= seen - 1e-9 for x in t) / len(t)
    assert bootstrap_test(np.array(d), resamples=40_000) == pytest.approx(exact, abs=5 * (exact * (1 - exact) / 40_000) ** 0.5)
    low, high = studentized_interval(np.array(d), level=0.8, resamples=40_000)
    reach = (high - low) / 2 / (statistics.stdev(d) / len(d) ** 0.5)
    assert sum(x <= reach * (1 - 1e-9) for x in t) / len(t) - 0.015 <= 0.8 <= sum(x <= reach * (1 + 1e-9) for x in t) / len(t) + 0.015
    assert (low + high) / 2 == pytest.approx(statistics.mean(d))


def test_asymmetric_studentized_interval_has_equal_tails():
    d = np.random.default_rng(0).exponential(size=7) - 0.8
    signed = sorted(t for t in all_resamples([*d[:5].tolist()]))
    low, high = studentized_interval(d[:5], level=0.7, symmetric=False, resamples=40_000)
    mean, error = d[:5].mean(), d[:5].std(ddof=1) / 5**0.5
    below, above = (mean - low) / error, (high - mean) / error
    assert np.mean(np.array(signed) > below) == pytest.approx(0.15, abs=0.015)
    assert np.mean(np.array(signed) < -above) == pytest.approx(0.15, abs=0.015)
    assert below != pytest.approx(above, rel=0.05)


@given(st.lists(st.integers(-20, 20).map(lambda x: x / 20), min_size=3, max_size=25).map(np.array), st.sampled_from([0.9, 0.95]))
def test_the_studentized_p_is_below_alpha_exactly_if_0_is_outside_of_the_interval(d, level):
    assume(np.ptp(d) > 0)
    (low, high), p = studentized_interval(d, level=level, resamples=999), bootstrap_test(d, resamples=999)
    if np.isnan(low):
        assert p > 1 - level
    elif abs(p - (1 - level)) > 0.0015:
        assert (p < 1 - level) == (low > 0 or high < 0)


def test_bootstraps_know_nothing_without_scatter_and_nothing_of_a_single_query():
    for method in METHODS:
        assert np.isnan([*bootstrap_interval(np.full(9, 0.5), method=method), *bootstrap_interval(np.array([0.5]), method=method)]).all()
        assert bootstrap_interval(np.zeros(9), method=method) == (0, 0)
    assert np.isnan([bootstrap_test(np.full(9, 0.5)), bootstrap_test(np.array([0.5]))]).all() and bootstrap_test(np.zeros(9)) == 1


# ---- what the pages claim of false alarms: exchangeable, skewed, and rare differences ----


def alarms(d, tests):
    return {name: np.mean([test(x) < 0.05 for x in d.T]) for name, test in tests.items()}


ABOUT_MEANS = {"t": t_test, "randomization": lambda x: randomization_test(x, draws=499), "bootstrap": lambda x: bootstrap_test(x, resamples=499)}
EXPERIMENTS = 600
LIMIT = 0.05 + 3.3 * np.sqrt(0.05 * 0.95 / EXPERIMENTS)


def test_tests_of_means_have_a_false_positive_rate_near_0_05():
    random = np.random.default_rng(1)
    d = random.choice([-1, 1], size=(30, EXPERIMENTS)) * random.beta(0.4, 2, size=(30, EXPERIMENTS))
    assert all(0.02 < rate <= LIMIT for rate in alarms(d, ABOUT_MEANS).values())


def test_skewed_differences_mislead_t_and_randomization_alike_and_the_studentized_bootstrap_less():
    random = np.random.default_rng(2)
    found = alarms(random.beta(0.3, 3, size=(25, EXPERIMENTS)) - 0.3 / 3.3, ABOUT_MEANS)
    assert found["t"] > 0.065 and found["randomization"] > 0.065 and abs(found["t"] - found["randomization"]) < 0.02
    assert found["bootstrap"] <= LIMIT


def test_rare_large_gains_mislead_every_test_of_25_queries_and_less_the_more_there_are():
    random = np.random.default_rng(3)
    for n, least, most in ((25, 0.25, 0.5), (400, 0.02, 0.1)):
        d = np.where(random.random((n, EXPERIMENTS)) < 0.04, 0.48, -0.02) + random.normal(0, 0.005, (n, EXPERIMENTS))
        assert all(least < rate < most for rate in alarms(d, ABOUT_MEANS).values())
