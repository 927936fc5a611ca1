"Paired tests against scipy, exact fractions and definitions read slowly."
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy import stats

from irmetrics_nb import compare
from irmetrics_nb.comparing.statistics import (
    NEVER_ZERO,
    detectable,
    differences,
    effect_size,
    sign_test,
    skewness,
    standard_error,
    t_interval,
    t_test,
    wilcoxon,
    wins_ties_losses,
)

VALUES = st.integers(-40, 40).map(lambda x: x / 40)
ROWS = st.lists(VALUES, min_size=2, max_size=30).map(np.array)
SLEEP_1 = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])  # Student (1908), hours of sleep gained by one drug
SLEEP_2 = np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])  # and by the other


def test_t_test_of_the_sleep_data_equals_published_values():
    "The data set `sleep`: paired t = -4.0621 with 9 degrees of freedom, p = 0.002833, interval -2.4599 to -0.7001."
    d = differences(SLEEP_2, SLEEP_1)
    assert d.mean() / standard_error(d) == pytest.approx(-4.0621, abs=5e-5)
    assert t_test(d) == pytest.approx(0.002833, abs=5e-7)
    assert t_interval(d) == pytest.approx((-2.4598858, -0.7001142), abs=5e-7)


@given(ROWS)
def test_t_and_its_interval_equal_those_from_scipy(d):
    assume(np.ptp(d) > 0)
    theirs = stats.ttest_1samp(d, 0)
    assert t_test(d) == pytest.approx(theirs.pvalue, rel=1e-9, abs=1e-300)
    for level in (0.9, 0.95):
        assert t_interval(d, level=level) == pytest.approx(tuple(theirs.confidence_interval(level)), rel=1e-9, abs=1e-12)


@given(ROWS, st.sampled_from([0.01, 0.05, 0.2]))
def test_p_is_below_alpha_exactly_if_0_is_outside_of_the_interval(d, alpha):
    p, (low, high) = t_test(d), t_interval(d, level=1 - alpha)
    assume(abs(p - alpha) > 1e-9)
    assert (p < alpha) == (low > 0 or high < 0)
    assert low <= d.mean() <= high


@given(st.lists(VALUES, min_size=1, max_size=9).map(np.array))
def test_the_sign_test_is_the_sum_of_binomials(d):
    wins, _, losses = wins_ties_losses(d)
    n = wins + losses
    tail = sum(Fraction(comb(n, i), 2**n) for i in range(max(wins, losses), n + 1))
    assert sign_test(d) == pytest.approx(float(min(2 * tail, 1)), rel=1e-12)


def slow_wilcoxon(d):
    "All signs of the ranks, in fractions."
    d = [x for x in d if x]
    sizes = sorted(abs(x) for x in d)
    rank = {x: Fraction(sum(i for i, s in enumerate(sizes, 1) if s == x), sizes.count(x)) for x in sizes}
    ranks = [rank[abs(x)] for x in d]
    middle = sum(ranks) / 2
    seen = abs(sum(r for r, x in zip(ranks, d) if x > 0) - middle)
    far = [abs(sum(r for r, up in zip(ranks, signs) if up) - middle) >= seen for signs in product([0, 1], repeat=len(d))]
    return Fraction(sum(far), len(far))


@given(st.lists(st.integers(-5, 5), max_size=10), st.sampled_from([1, 1 / 7, 1e-30, 1e200]))
@example([1, -2, 3, 4], 0.1)
@example([3, -3, 1, 2, 5, 7, -6, 8, 12], 0.1)
def test_wilcoxon_is_the_share_of_all_signs_of_the_ranks(d, scale):
    assert wilcoxon(np.array(d) * scale) == pytest.approx(float(slow_wilcoxon(d)), rel=1e-12)


@pytest.mark.parametrize("n", [13, 20, 50])
def test_wilcoxon_with_ties_agrees_with_drawn_signs_of_the_ranks_of_scipy(n):
    random = np.random.default_rng(n)
    for _ in range(4):
        d = random.integers(-3, 5, n).astype(float)
        d = d[d != 0]
        ranks = stats.rankdata(abs(d))
        drawn = random.choice([-1, 1], (100_000, len(d))) @ ranks
        assert wilcoxon(d) == pytest.approx(np.mean(abs(drawn) >= abs(np.sign(d) @ ranks)), abs=0.008)


@pytest.mark.parametrize("n", [14, 50, 200])
def test_wilcoxon_without_ties_is_the_exact_test_of_scipy(n):
    d = np.random.default_rng(n).normal(0.2, 1, n)
    assert wilcoxon(d) == pytest.approx(stats.wilcoxon(d, method="exact").pvalue, rel=1e-9)


def test_wilcoxon_with_equal_sizes_is_the_sign_test():
    for gains, losses in (11, 3), (7, 0), (120, 80):
        d = np.array([0.1] * gains + [-0.1] * losses + [0.0] * 5)
        assert wilcoxon(d) == pytest.approx(sign_test(d), rel=1e-12)
    assert wilcoxon([0.1] * 11 + [-0.1] * 3) == pytest.approx(470 / 2**13)  # C(14, 0) + … + C(14, 3) = 470


def test_differences_that_floats_make_unequal_are_tied():
    gains, losses = [0.4 - 0.3, 0.3 - 0.2, 0.2 - 0.1] * 3, [0.3 - 0.4, 0.2 - 0.3, 0.1 - 0.2]
    assert len({abs(x) for x in gains}) == 3
    assert wilcoxon(gains + losses) == float(Fraction(2 * (1 + 12 + 66 + 220), 2**12))
    assert wilcoxon([0.1 + 0.2 - 0.3, 0.5, 0.25, 0.75]) == wilcoxon([0.5, 0.25, 0.75]) == 0.25


@pytest.mark.parametrize("values", [[-1, 1, 2], range(-40, 60)])
def test_wilcoxon_above_200_is_the_corrected_normal(values):
    d = np.random.default_rng(1).choice(values, 600) / 10
    d = d[d != 0]
    expected = stats.wilcoxon(d, method="asymptotic", correction=True).pvalue
    assert wilcoxon(d) == pytest.approx(expected, rel=1e-9)
    assert wilcoxon(d[:201]) == pytest.approx(stats.wilcoxon(d[:201], method="asymptotic", correction=True).pvalue, rel=1e-9)
    assert wilcoxon(np.tile([1.0, -1.0], 150)) == 1  # not above 1 after the correction


@pytest.mark.parametrize(("queries", "how"), [(200, "exact"), (201, "normal approximation")])
def test_the_text_names_how_wilcoxon_was_computed(queries, how):
    a = {str(i): 0.0 for i in range(queries)}
    b = {q: (-1) ** i * (1 + i) / 300 for i, q in enumerate(a)}
    same = {q: float(q == "0") for q in a}
    words = f"by Wilcoxon's signed ranks ({how})"
    found = compare({"a": a, "b": b}, test="wilcoxon")
    assert words in found.sentences()[0] and f"p < 0.05 {words};" in str(found).replace("\n", " ") and words in found.method_sentence()
    mixed = compare({"a": a, "b": b, "same": same}, test="wilcoxon").method_sentence()
    assert ("(exact up to 200 differences other than 0, else normal approximation)" in mixed) is (queries == 201)


@given(ROWS)
@example(np.zeros(3))
def test_a_p_value_is_the_same_the_other_way_round_and_lies_above_0_and_up_to_1(d):
    for test in (t_test, sign_test):
        p = test(d)
        if test is t_test and d.any() and np.ptp(d) == 0:
            assert np.isnan([p, test(-d)]).all()  # no scatter
        else:
            assert 0 < p <= 1 and p == test(-d)
    assert 0 < wilcoxon(d) <= 1 and wilcoxon(d) == pytest.approx(wilcoxon(-d))


@pytest.mark.parametrize("test", [t_test, wilcoxon, sign_test])
def test_no_difference_at_all_is_p_1_and_a_certain_one_is_not_0(test):
    assert test(np.zeros(30)) == 1.0 == test(np.array([]))
    assert NEVER_ZERO <= test(np.full(5000, 0.5) + 1e-6 * (np.arange(5000) == 3)) < 1e-100


@pytest.mark.parametrize("n", [2, 3, 30, 5000])
def test_t_has_neither_p_nor_interval_where_there_is_no_scatter(n):
    same = differences(np.full(n, 0.93), np.full(n, 0.96))
    assert np.isnan([t_test(same), *t_interval(same), detectable(same), detectable(np.zeros(n))]).all()
    assert t_interval(np.zeros(n)) == (0, 0)


def test_sums_of_floats_that_should_tie_do_tie():
    a = np.array([0.1 + 0.2, 1 / 3 + 1 / 3, 0.7])
    b = np.array([0.3, 2 / 3, 0.1 + 0.6])
    assert differences(a, b).tolist() == [0, 0, 0]
    assert differences(a * 1e9, b * 1e9).tolist() == [0, 0, 0]
    assert differences([1.0], [1.0 + 1e-9]).tolist() == pytest.approx([1e-9], rel=0.02)


HUGE = [float(2**63 - 1), 1e11, 1e300]
FIFTY = np.random.default_rng(6).uniform(0.2, 0.8, 50)


@pytest.mark.parametrize("huge", HUGE)
@pytest.mark.parametrize("scale", [1, 1000, 2.0**-20])
def test_one_huge_value_in_both_systems_hides_no_difference_of_another_query(huge, scale):
    a, b = np.append(FIFTY * scale, huge), np.append((FIFTY + 0.1) * scale, huge)
    d = differences(a, b)
    assert wins_ties_losses(d) == (50, 1, 0)
    assert d[:50] == pytest.approx(np.full(50, 0.1 * scale), rel=1e-9)
    assert t_test(d) == pytest.approx(stats.ttest_rel(np.append(FIFTY + 0.1, 0), np.append(FIFTY, 0)).pvalue, rel=1e-6)
    assert sign_test(d) == 2 * 0.5**50


@pytest.mark.parametrize("huge", HUGE)
def test_one_huge_difference_turns_no_other_into_a_tie(huge):
    a, b = np.append(FIFTY, 0), np.append(FIFTY + 0.1, -huge)
    d = differences(a, b)
    assert wins_ties_losses(d) == (50, 0, 1) and len(np.unique(d)) == 2
    as_far = 2 * (1 + 1 + 50 + comb(50, 2))  # 50 ranks of 25.5 and one of 51, which is + or −
    assert wilcoxon(d) == pytest.approx(as_far / 2**51, rel=1e-12)


@pytest.mark.parametrize(("a", "b"), [
    ([0, 0.5, 1], [1e-17, 0.5, 1]), ([0, 0, 0, 0, 1], [1e-17, -1e-17, 5e-17, 0.1 + 0.2 - 0.3, 1]),
    ([0, 0.5, 1, 1e11], [1e-17, 0.5, 1, 1e11]), ([0, 3e4, 5e4, 9e4], [0.1e4 + 0.2e4 - 0.3e4, 3e4, 5e4, 9e4])])  # fmt: skip
def test_what_a_sum_leaves_that_cancels_is_a_tie(a, b):
    assert wins_ties_losses(differences(a, b)) == (0, len(a), 0)


@given(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=30), st.sampled_from([0, 3, 60]), st.booleans())
def test_wins_and_losses_ignore_large_values_of_other_queries(pairs, exponent, both):
    a, b = np.array([*pairs, (10.0**exponent, 10.0**exponent if both else -(10.0**exponent))]).T
    each = np.sign(b - a)
    assert wins_ties_losses(differences(a, b)) == tuple(int((each == sign).sum()) for sign in (1, 0, -1))


def test_differences_are_exact_in_sum_so_their_order_does_not_matter():
    random = np.random.default_rng(0)
    d = differences(random.random(5000), random.random(5000))
    assert d.sum() == d[::-1].sum() == random.permutation(d).sum() == sum(map(Fraction, d.tolist()))


@pytest.mark.parametrize("scale", [1, 1e-200, 1e200, 7])
def test_differences_that_ought_to_be_equal_are_equal(scale):
    a = np.array([0.30, 0.06, 0.97, 0.1 + 0.2, 0.5])
    b = np.array([0.27, 0.03, 0.94, 0.27, 0.53])
    d = differences(scale * b, scale * a)
    assert (d[:4] == d[0]).all() and d[4] == -d[0]
    assert wilcoxon(d) == wilcoxon(np.array([1, 1, 1, 1, -1]))


@given(st.integers(1, 400), st.lists(st.tuples(st.integers(0, 400), st.integers(0, 400)), min_size=1, max_size=40))
def test_counts_over_anything_win_and_tie_as_the_counts_do(k, pairs):
    a, b = np.array(pairs).T
    d = differences(a / k, b / k)
    assert wins_ties_losses(d) == wins_ties_losses(b - a)
    assert len(np.unique(d)) == len(np.unique(b - a))


def test_nan_is_left_out_and_infinity_refused():
    assert differences([np.nan, 1, 2], [1, np.nan, 3]).tolist() == [1]
    with pytest.raises(ValueError, match="infinite"):
        differences([np.inf], [1])


@given(ROWS)
def test_the_effect_is_the_mean_over_the_deviation(d):
    assume(np.ptp(d) > 0)
    assert effect_size(d) == pytest.approx(d.mean() / d.std(ddof=1), rel=1e-12)
    assert skewness(d) == pytest.approx(stats.skew(d), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("n", [5, 36, 300])
@pytest.mark.parametrize("alpha", [0.05, 0.05 / 45])
def test_the_detectable_difference_is_found_four_times_in_five(n, alpha):
    random = np.random.default_rng(n)
    d = random.normal(size=n)
    scale = d.std(ddof=1)
    draws = random.normal(detectable(d, alpha=alpha), scale, size=(20_000, n))
    found = stats.ttest_1samp(draws, 0, axis=1).pvalue < alpha
    assert found.mean() == pytest.approx(0.8, abs=0.012)


def test_a_single_query_has_no_t():
    assert np.isnan([t_test(np.array([0.5])), *t_interval(np.array([0.5])), effect_size(np.array([0.5])), detectable(np.array([0.5]))]).all()
