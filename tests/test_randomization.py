"The randomization tests against enumeration, scipy, and their own promise: wrong in at most 5 of 100 cases."
import tracemalloc
from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from irmetrics_nb import compare
from irmetrics_nb.comparing.statistics import (
    differences,
    randomization_test,
    residual_deviations,
    tukey_intervals,
    vary_unequally,
)

FEW = st.lists(st.integers(-8, 8).map(lambda x: x / 8), min_size=1, max_size=7)


@given(FEW)
def test_few_queries_are_enumerated(d):
    exact = [Fraction(x) for x in d]
    sums = [sum(s * x for s, x in zip(signs, exact)) for signs in product([-1, 1], repeat=len(d))]
    expected = Fraction(sum(abs(s) >= abs(sum(exact)) for s in sums), len(sums))
    assert randomization_test(np.array(d)) == float(expected)


def enumerated(d):
    "The share of all choices of signs with a sum at least as far from 0, in fractions or whole numbers."
    sums = [abs(sum(s * x for s, x in zip(signs, d))) for signs in product([-1, 1], repeat=len(d))]
    return Fraction(sum(s >= abs(sum(d)) for s in sums), len(sums))


def convolved(d):
    "The same share for many whole numbers: the distribution of the sum, a difference at a time."
    chance, middle = np.ones(1), 0
    for x in np.abs(d):
        wider = np.zeros(len(chance) + 2 * x)
        wider[: len(chance)] += chance / 2
        wider[2 * x :] += chance / 2
        chance, middle = wider, middle + x
    return chance[np.abs(np.arange(len(chance)) - middle) >= abs(sum(d))].sum()


def two_systems(random, n, k):
    "Hits of two systems among the first k for n queries: few, many, or much alike, so that their sums tie often."
    a = random.binomial(k, random.choice([0.05, 0.4, 0.9]), n)
    b = np.clip(a + random.integers(-random.integers(1, k), k // 3 + 1, n) * random.integers(0, 2, n), 0, k)
    return a, b


@pytest.mark.parametrize("k", [5, 10, 100])
def test_equal_sums_of_counts_tie_as_in_an_enumeration(k):
    random = np.random.default_rng(k)
    for _ in range(150):
        a, b = two_systems(random, random.integers(1, 13), k)
        assert randomization_test(differences(a / k, b / k)) == float(enumerated((b - a).tolist()))
        assert randomization_test(b / k - a / k) == float(enumerated((b - a).tolist()))


@pytest.mark.parametrize("k", [5, 10, 100])
@pytest.mark.parametrize("scale", [1, 1e-30, 1e200, 1 / 3])
def test_sampled_p_of_up_to_80_counts_is_near_the_exact_p(k, scale):
    random, far = np.random.default_rng(k), []
    for seed in range(12):
        a, b = two_systems(random, random.integers(17, 81), k)
        exact = convolved(b - a)
        drawn = randomization_test(differences(scale * a / k, scale * b / k), draws=20_000, seed=seed)
        far.append((drawn - exact) / np.sqrt(max(exact * (1 - exact), 1e-4) / 20_000))
    assert max(map(abs, far)) < 4.5 and abs(np.mean(far)) < 1.3


def test_exact_p_of_the_tests_equals_an_enumeration():
    d = np.array([3, -1, 0, 7, 7, -2, 5])
    assert convolved(d) == float(enumerated(d.tolist()))


def test_counts_in_hundredths_whose_sums_tie_have_the_p_value_of_scipy():
    a = [63, 94, 90, 51, 78, 93, 57, 85]
    b = [66, 96, 89, 50, 80, 95, 60, 87]
    rows = {name: {f"q{i}": x / 100 for i, x in enumerate(row)} for name, row in {"a": a, "b": b}.items()}
    d = np.subtract(b, a)
    theirs = stats.permutation_test((d,), np.sum, permutation_type="samples", n_resamples=np.inf, vectorized=False).pvalue
    assert compare(rows, test="randomization").rows[0].p == theirs == 0.0625


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12), st.integers(1, 12)), min_size=1, max_size=8), st.sampled_from([1, 1e-9, 1e12]))
@settings(max_examples=80)
def test_equal_sums_of_fractions_with_different_divisors_tie(rows, scale):
    exact = [Fraction(b, r) - Fraction(a, r) for a, b, r in rows]
    a, b = (np.array([scale * row[place] / row[2] for row in rows]) for place in (0, 1))
    assert randomization_test(differences(a, b)) == float(enumerated(exact))


def test_sums_of_averages_of_precisions_tie_whatever_order_they_were_added_in():
    random = np.random.default_rng(4)
    for _ in range(60):
        n = int(random.integers(3, 9))
        ranks = [sorted(random.choice(np.arange(1, 13), 3, replace=False).tolist()) for _ in range(2 * n)]
        values = [sum(Fraction(i, rank) for i, rank in enumerate(hits, 1)) / 3 for hits in ranks]
        floats = [sum((i / rank for i, rank in reversed([*enumerate(hits, 1)])), 0.0) / 3 for hits in ranks]
        exact = enumerated([y - x for x, y in zip(values[:n], values[n:])])
        assert randomization_test(differences(floats[:n], floats[n:])) == float(exact)


@pytest.mark.parametrize("draws", [100_000, 500])
def test_a_mean_difference_of_0_has_p_1(draws):
    random = np.random.default_rng(2)
    for n in (2, 3, 9, 40):
        d = random.integers(-30, 31, n)
        d[0] -= d.sum()
        a = random.integers(0, 100, n)
        assert randomization_test(differences(a / 100, (a + d) / 100), draws=draws) == 1
        assert randomization_test(differences(a / 100, a / 100), draws=draws) == 1


@pytest.mark.parametrize("level", [0.95, 1e4])
def test_values_far_above_their_differences_lose_no_tie(level):
    random = np.random.default_rng(3)
    for _ in range(40):
        d = random.integers(-4, 5, 9)
        a = level + random.integers(0, 9, 9) / 1e5
        rows = {"a": a, "b": a + d / 1e5}
        values = {name: {str(i): float(x) for i, x in enumerate(row)} for name, row in rows.items()}
        assert compare(values, test="randomization").rows[0].p == float(enumerated(d.tolist()))


def test_a_query_that_one_system_lacks_does_not_count():
    a, b = [0.63, 0.94, None, 0.51, 0.78], [0.66, 0.96, 0.4, 0.5, None]
    values = {name: {str(i): x for i, x in enumerate(row)} for name, row in {"a": a, "b": b, "c": b}.items()}
    pairs = compare(values, test="randomization").rows
    assert pairs[0].p == pairs[1].p == float(enumerated([3, 2, -1])) and pairs[2].p == 1


def test_sampled_p_is_near_the_enumerated_p():
    d = np.random.default_rng(5).normal(0.3, 1, size=15)
    exact = randomization_test(d)
    drawn = randomization_test(d, draws=20_000)  # 2^15 would be more
    assert exact != drawn and drawn == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20_000))


def test_sampled_p_is_near_the_p_of_scipy():
    d = np.random.default_rng(6).normal(0.2, 1, size=60)
    theirs = stats.permutation_test((d,), np.mean, permutation_type="samples", n_resamples=20_000, vectorized=True,
                                    rng=np.random.default_rng(0)).pvalue
    ours = randomization_test(d, draws=20_000)
    assert ours == pytest.approx(theirs, abs=5 * np.sqrt(theirs * (1 - theirs) / 10_000))


def test_joint_tests_equal_single_tests_in_both_directions():
    d = np.random.default_rng(1).normal(0.1, 1, size=(80, 6))
    together = randomization_test(d, draws=3000, seed=4)
    assert together.tolist() == [randomization_test(column, draws=3000, seed=4) for column in d.T]
    assert together.tolist() == randomization_test(-d, draws=3000, seed=4).tolist()


def test_the_seed_decides_and_p_is_never_0():
    d = np.random.default_rng(2).normal(0.2, 1, size=50)
    assert randomization_test(d, draws=500, seed=1) == randomization_test(d, draws=500, seed=1)
    assert len({randomization_test(d, draws=500, seed=s) for s in range(5)}) > 1
    assert randomization_test(d + 100, draws=500) == 1 / 501
    assert tukey_intervals(np.stack([d, d + 100], axis=1), draws=500)[0][0, 1] == 1 / 501


def test_a_sample_in_chunks_is_the_same_sample_and_memory_is_bounded():
    d = np.random.default_rng(3).normal(size=(20_000, 3))
    tracemalloc.start()
    randomization_test(d, draws=1000)
    tukey_intervals(d[:5000], draws=1000)[0]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 80e6  # all signs at once would be 160 MB


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=3))
@settings(max_examples=30)
def test_tukeys_p_is_the_share_of_all_shuffles_with_so_large_a_range(rows):
    sums, p = shuffled(rows), tukey_intervals(np.array(rows, float))[0]
    for a, b in ((0, 1), (0, 2), (1, 2)):
        assert p[a, b] == p[b, a] == float(tukey_exact(rows, sums, a, b))


def shuffled(rows):
    "(shuffles, systems): the sums of all systems after each of the shuffles of whole numbers within the rows."
    sums = np.zeros((1, len(rows[0])), int)
    for row in rows:
        sums = (sums[:, None] + np.array([*permutations(row)])).reshape(-1, len(row))
    return sums


def tukey_exact(rows, sums, a, b):
    "The share of shuffles with a range at least as large as the difference of two systems."
    gap = abs(sum(row[a] - row[b] for row in rows))
    return Fraction(int((np.ptp(sums, axis=1) >= gap).sum()), len(sums))


def test_tukeys_p_of_hundredths_is_the_exact_share_though_sums_tie():
    rows = [[88, 90, 90], [60, 61, 58], [54, 53, 51], [67, 64, 65]]
    sums = shuffled(rows)
    assert float(tukey_exact(rows, sums, 0, 2)) == pytest.approx(0.5648, abs=5e-5)
    assert tukey_intervals(np.array(rows) / 100)[0][0, 2] == float(tukey_exact(rows, sums, 0, 2))
    values = {f"s{i}": {str(q): x / 100 for q, x in enumerate(column)} for i, column in enumerate(zip(*rows))}
    assert compare(values, test="tukey").pair("s0", "s2").p == float(tukey_exact(rows, sums, 0, 2))


@pytest.mark.parametrize("k", [5, 10, 100])
@pytest.mark.parametrize("draws", [10_000, 1000])
def test_tukeys_p_of_counts_is_the_share_of_all_shuffles_exactly_or_up_to_chance(k, draws):
    random, far = np.random.default_rng(k), []
    for seed in range(40):
        rows = random.integers(k - min(k, 6), k + 1, (4, 3)).tolist()
        sums, p = shuffled(rows), tukey_intervals(np.array(rows) / k, draws=draws, seed=seed)[0]
        for a, b in ((0, 1), (0, 2), (1, 2)):
            exact = float(tukey_exact(rows, sums, a, b))
            if draws == 10_000:
                assert p[a, b] == exact
            far.append((p[a, b] - exact) / np.sqrt(max(exact * (1 - exact), 1e-3) / draws))
    assert max(map(abs, far)) < 4.5 and abs(np.mean(far)) < 0.6


@pytest.mark.parametrize("systems", [3, 5, 9])
def test_tukey_by_table_and_by_sorted_keys_agrees_with_scipys_shuffles(systems):
    values = np.random.default_rng(systems).normal(size=(40, systems))
    values[:, 0] += 0.35
    p = tukey_intervals(values, draws=4000)[0]
    random = np.random.default_rng(0)
    ranges = np.array([np.ptp(random.permuted(values, axis=1).sum(axis=0)) for _ in range(4000)])
    slow = np.mean(ranges >= abs(values[:, 0].sum() - values[:, 1].sum()))
    assert p[0, 1] == pytest.approx(slow, abs=5 * np.sqrt(max(slow, 0.01) / 4000))


def test_tukey_of_two_systems_is_the_plain_test():
    values = np.random.default_rng(0).normal(size=(10, 2))
    assert tukey_intervals(values)[0][0, 1] == randomization_test(values[:, 1] - values[:, 0])


def skewed(random, size):
    "Differences as AP gives them, with a fair sign: nothing to find."
    return random.choice([-1, 1], size=size) * random.beta(0.4, 2, size=size) * random.integers(0, 2, size=size)


@pytest.mark.parametrize("n", [12, 50])
def test_randomization_is_wrong_in_at_most_5_of_100_cases(n):
    experiments = 4000
    d = skewed(np.random.default_rng(n), (n, experiments))
    wrong = np.mean(randomization_test(d, draws=4095) < 0.05)
    assert wrong <= 0.05 + 3.3 * np.sqrt(0.05 * 0.95 / experiments)
    assert wrong > 0.02  # and it does find something at all


def test_tukey_is_wrong_about_any_pair_in_at_most_5_of_100_cases():
    random, experiments = np.random.default_rng(0), 600
    samples = random.beta(0.4, 1, size=(experiments, 30, 5))
    wrong = np.mean([(tukey_intervals(one, draws=199, seed=i)[0] < 0.05).any() for i, one in enumerate(samples)])
    assert 0.015 < wrong <= 0.05 + 3.3 * np.sqrt(0.05 * 0.95 / experiments)


@pytest.mark.parametrize(("deviations", "lowest"), [([0.08] * 6 + [0.15] * 2, 0.06), ([0.05] * 8 + [0.15] * 2, 0.09), ([0.03] * 8 + [0.25] * 2, 0.14)])
def test_tukey_warns_if_unequal_variances_give_false_alarms(deviations, lowest):
    random, wrong, by_holm = np.random.default_rng(5), [], []
    for _ in range(200):
        values = random.normal(0.5, 0.2, (50, 1)) + random.normal(0, deviations, (50, len(deviations)))
        wrong.append(tukey_intervals(values, draws=199)[0].min() < 0.05)
        pairs = [stats.ttest_rel(a, b).pvalue for a, b in combinations(values.T, 2)]
        by_holm.append(min(pairs) * len(pairs) < 0.05)
        assert vary_unequally(values)
    assert np.mean(wrong) > lowest and np.mean(by_holm) < 0.05 + 3.3 * np.sqrt(0.05 * 0.95 / 200)


def systems_of(values):
    return {f"s{i}": dict(enumerate(map(float, column))) for i, column in enumerate(values.T)}


def test_tukey_is_not_simultaneous_if_systems_vary_unequally():
    random = np.random.default_rng(0)
    apart = systems_of(random.normal(0, [0.05] * 3 + [0.5], (50, 4)))
    found = compare(apart, measures="AP", test="tukey", draws=99)
    [said] = [text for text in found.warnings if "vary unequally" in text]
    assert said.startswith("AP: the systems vary unequally") and "for s3" in said and said.endswith("use test='t', which is corrected by Holm")
    assert "Intervals are not simultaneous at 95 %, because the systems vary unequally" in " ".join(str(found).split())
    assert found.to_dict()["intervals"].startswith("Intervals are not simultaneous") and said in found.to_dict()["warnings"]
    assert not any("vary unequally" in text for text in compare(apart, measures="AP").warnings)
    alike = compare(systems_of(random.normal(0, 0.1, (50, 4))), measures="AP", test="tukey", draws=99)
    assert not any("vary" in text for text in alike.warnings) and "Intervals are simultaneous: 95 %" in " ".join(str(alike).split())


def test_unequal_variances_in_one_slice_are_named_with_the_slice():
    random = np.random.default_rng(0)
    values = np.vstack([random.normal(0, 0.1, (30, 3)), random.normal(0, [0.02, 0.02, 0.1], (30, 3))])
    groups = {i: "even" if i < 30 else "odd" for i in range(60)}
    said = compare(systems_of(values), measures="AP", test="tukey", draws=99, groups=groups).warnings
    assert [text.partition(":")[0] for text in said if "vary unequally" in text] == ["AP in odd"]


def test_residuals_have_neither_system_nor_query_means():
    by_hand = [[-1, -1, 2], [1, 1, -2]]  # of [0, 0, 3] and [3, 3, 0]
    values = np.array([[0, 0, 3], [3, 3, 0]]) + [[5], [7]] + [1, 2, 4]
    assert residual_deviations(values) == pytest.approx(np.std(by_hand, axis=0))
    assert not vary_unequally(values[:, 1:])  # two systems have the same residuals but for the sign
    assert not vary_unequally(np.full((4, 3), 0.1 + 0.2)) and vary_unequally(values)


def test_nan_is_refused():
    with pytest.raises(ValueError, match="NaN"):
        tukey_intervals(np.array([[1, np.nan]]))[0]


@pytest.mark.parametrize("huge", [float(2**63 - 1), 1e11])
def test_one_huge_query_hides_nothing_from_randomization_and_tukey(huge):
    "Twelve queries of one sign: 2 of 2^12 patterns are as far from 0, whatever a query that is the same for all holds."
    a = np.random.default_rng(6).uniform(0.2, 0.8, 12)
    with_huge = [np.append(a, huge), np.append(a + 0.1, huge)]
    values = {name: dict(zip(map(str, range(13)), row.tolist())) for name, row in zip("ab", with_huge)}
    assert compare(values, test="randomization").rows[0].p == 2 / 2**12
    assert tukey_intervals(np.stack(with_huge, axis=1), draws=2**13)[0][0, 1] == 2 / 2**12


def test_small_differences_count_with_one_huge_difference():
    "All 11 differences are gains: only the signs as they are and their reverse are as far from 0."
    d = np.append(np.random.default_rng(6).uniform(0.1, 0.2, 10), 1e11)
    values = {"a": dict.fromkeys(map(str, range(11)), 0.0), "b": dict(zip(map(str, range(11)), d.tolist()))}
    assert compare(values, test="randomization").rows[0].p == 2 / 2**11


def test_tukeys_interval_reaches_as_far_as_the_largest_range_that_is_not_significant():
    "Five queries, all 6^5 shuffles read slowly: a range of 6 or more is rarer than 5 in 100, one of 5 is not; so 7/5 - 5/5 to 7/5 + 5/5."
    rows = [[0, 0, 1], [0, 1, 2]] * 2 + [[0, 0, 1]]
    ranges = np.ptp(shuffled(rows), axis=1)
    share = {size: Fraction(sum(r >= size for r in ranges), 6**5) for size in (5, 6, 7)}
    assert share[6] < Fraction(1, 20) < share[5]
    p, low, high = tukey_intervals(np.array(rows, float))
    assert p[0, 2] == float(share[7]) and (low[0, 2], high[0, 2]) == pytest.approx((0.4, 2.4), abs=1e-9)
    assert (low[2, 0], high[2, 0]) == pytest.approx((-2.4, -0.4), abs=1e-9)
    assert np.isnan(tukey_intervals(np.array(rows, float), draws=10)[1]).all()  # the smallest p is 1/11


def test_tukeys_intervals_hold_all_true_differences_together_in_95_of_100_cases():
    random, experiments, truth = np.random.default_rng(4), 300, np.array([0, 0, 0.1, 0.3])
    held = []
    for i in range(experiments):
        values = truth + random.normal(size=(30, 4)) + random.normal(size=(30, 1))
        _, low, high = tukey_intervals(values, draws=399, seed=i)
        apart = truth - truth[:, None]
        held.append(((low <= apart) & (apart <= high)).all())
    assert 0.95 - 3.3 * np.sqrt(0.05 * 0.95 / experiments) <= np.mean(held) < 1
