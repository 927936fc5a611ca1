"The randomization tests against enumeration, scipy, and their own promise: wrong in at most 5 of 100 cases."
import tracemalloc
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from irmetrics_nb.deciding.randomization import randomization_test, tukey_test

FEW = st.lists(st.integers(-8, 8).map(lambda x: x / 8), min_size=1, max_size=7)


@given(FEW)
def test_few_queries_are_enumerated(d):
    exact = [Fraction(x) for x in d]
    sums = [sum(s * x for s, x in zip(signs, exact)) for signs in product([-1, 1], repeat=len(d))]
    expected = Fraction(sum(abs(s) >= abs(sum(exact)) for s in sums), len(sums))
    assert randomization_test(np.array(d)) == float(expected)


def test_what_is_drawn_agrees_with_what_is_enumerated():
    d = np.random.default_rng(5).normal(0.3, 1, size=15)
    exact = randomization_test(d)
    drawn = randomization_test(d, draws=20_000)  # 2^15 would be more
    assert exact != drawn and drawn == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20_000))


def test_the_drawn_p_is_that_of_scipy_up_to_chance():
    d = np.random.default_rng(6).normal(0.2, 1, size=60)
    theirs = stats.permutation_test((d,), np.mean, permutation_type="samples", n_resamples=20_000, vectorized=True,
                                    rng=np.random.default_rng(0)).pvalue
    ours = randomization_test(d, draws=20_000)
    assert ours == pytest.approx(theirs, abs=5 * np.sqrt(theirs * (1 - theirs) / 10_000))


def test_many_pairs_at_once_give_what_each_gives_alone_and_the_order_of_the_systems_does_not_matter():
    d = np.random.default_rng(1).normal(0.1, 1, size=(80, 6))
    together = randomization_test(d, draws=3000, seed=4)
    assert together.tolist() == [randomization_test(column, draws=3000, seed=4) for column in d.T]
    assert together.tolist() == randomization_test(-d, draws=3000, seed=4).tolist()


def test_the_seed_decides_and_p_is_never_0():
    d = np.random.default_rng(2).normal(0.2, 1, size=50)
    assert randomization_test(d, draws=500, seed=1) == randomization_test(d, draws=500, seed=1)
    assert len({randomization_test(d, draws=500, seed=s) for s in range(5)}) > 1
    assert randomization_test(d + 100, draws=500) == 1 / 501
    assert tukey_test(np.stack([d, d + 100], axis=1), draws=500)[0, 1] == 1 / 501


def test_a_sample_in_chunks_is_the_same_sample_and_memory_is_bounded():
    d = np.random.default_rng(3).normal(size=(20_000, 3))
    tracemalloc.start()
    randomization_test(d, draws=1000)
    tukey_test(d[:5000], draws=1000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 80e6  # all signs at once would be 160 MB


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=3))
@settings(max_examples=30)
def test_tukeys_p_is_the_share_of_all_shuffles_with_so_large_a_range(rows):
    sums = [list(map(sum, zip(*shuffled))) for shuffled in product(*(permutations(row) for row in rows))]
    total = list(map(sum, zip(*rows)))
    p = tukey_test(np.array(rows, float))
    for a, b in ((0, 1), (0, 2), (1, 2)):
        expected = Fraction(sum(max(s) - min(s) >= abs(total[a] - total[b]) for s in sums), len(sums))
        assert p[a, b] == p[b, a] == float(expected)


@pytest.mark.parametrize("systems", [3, 5, 9])
def test_tukey_by_table_and_by_sorted_keys_agrees_with_scipys_shuffles(systems):
    values = np.random.default_rng(systems).normal(size=(40, systems))
    values[:, 0] += 0.35
    p = tukey_test(values, draws=4000)
    random = np.random.default_rng(0)
    ranges = np.array([np.ptp(random.permuted(values, axis=1).sum(axis=0)) for _ in range(4000)])
    slow = np.mean(ranges >= abs(values[:, 0].sum() - values[:, 1].sum()))
    assert p[0, 1] == pytest.approx(slow, abs=5 * np.sqrt(max(slow, 0.01) / 4000))


def test_tukey_of_two_systems_is_the_plain_test():
    values = np.random.default_rng(0).normal(size=(10, 2))
    assert tukey_test(values)[0, 1] == randomization_test(values[:, 1] - values[:, 0])


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
    wrong = np.mean([(tukey_test(one, draws=199, seed=i) < 0.05).any() for i, one in enumerate(samples)])
    assert 0.015 < wrong <= 0.05 + 3.3 * np.sqrt(0.05 * 0.95 / experiments)


def test_nan_is_refused():
    with pytest.raises(ValueError, match="NaN"):
        tukey_test(np.array([[1, np.nan]]))
