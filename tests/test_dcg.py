"CG, DCG and nDCG: the formula with every gain and discount, what must always hold, and what is refused."
from fractions import Fraction
from math import log, log2

import numpy as np
import oracles
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import dcg_score, ndcg_score
from strategies import batch, collections, cutoffs, judgments, searches

from irmetrics_nb import DCG, nDCG
from irmetrics_nb.core.judged import Judged
from irmetrics_nb.metrics.dcg import CG, cg, dcg, idcg, ideal_ranking, ndcg

named = {"gain": st.sampled_from(["linear", "exp"]), "discount": st.sampled_from([("log2", 2), ("jarvelin", 2), ("jarvelin", 3.5)])}
plain = st.lists(st.sampled_from(judgments), min_size=1, max_size=12)


@given(searches(), cutoffs, *named.values())
def test_dcg_is_the_sum_of_gain_over_discount_with_negative_grades_too(search, k, gain, discount):
    (ranking, pool), how = search, {"k": k, "gain": gain, "discount": discount[0], "b": discount[1]}
    expected = oracles.dcg(ranking, pool, **how)
    assert dcg(ranking, **how) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert dcg.terms(ranking, **how).sum() == pytest.approx(expected, rel=1e-12, abs=1e-12)
    best = oracles.idcg(ranking, pool, **how)
    assert idcg(ranking, ideal=pool, **how) == pytest.approx(best, rel=1e-12, abs=1e-12)


@given(searches(judgments), cutoffs, *named.values(), st.booleans())
def test_ndcg_is_dcg_over_the_dcg_of_the_sorted_pool(search, k, gain, discount, cut_ideal):
    (ranking, pool), how = search, {"k": k, "gain": gain, "discount": discount[0], "b": discount[1], "cut_ideal": cut_ideal}
    expected = oracles.ndcg(ranking, pool, **how)
    assert ndcg(ranking, ideal=pool, **how) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(searches((-3, -2, -1, 0, 1, 2)), cutoffs)
def test_ndcg_follows_the_formula_with_negative_grades_and_is_0_where_the_ideal_gains_nothing(search, k):
    ranking, pool = search
    assume(abs(oracles.idcg(ranking, pool, k)) > 1e-6 or not any(pool))
    assert ndcg(ranking, k=k, ideal=pool) == pytest.approx(oracles.ndcg(ranking, pool, k), rel=1e-9, abs=1e-9)


def test_negative_gains_may_carry_ndcg_beyond_1():
    # The ideal ranking holds the whole pool, also what counts against it: 1 - 1/log2(3) here.
    assert ndcg([1], ideal=[1, -1]) == pytest.approx(1 / (1 - 1 / log2(3)), rel=1e-12)


@given(searches(judgments), cutoffs, st.lists(st.integers(-3, 20), min_size=5, max_size=5))
def test_the_ideal_is_sorted_by_gain_even_where_a_better_grade_gains_less(search, k, worth):
    ranking, pool = search
    gain = dict(enumerate(worth))
    best = oracles.dcg(sorted((gain[g] for g in pool), reverse=True), pool, k)
    assert idcg(ranking, k=k, gain=gain, ideal=pool) == pytest.approx(best, rel=1e-12, abs=1e-12)


@given(plain, cutoffs)
def test_cg_is_exact_and_blind_to_order_within_the_cutoff(grades, k):
    assert cg(grades, k=k) == sum(map(Fraction, grades[:k]))
    assert cg(sorted(grades[:k]) + grades[len(grades[:k]) :], k=k) == cg(grades, k=k)


@given(collections(judgments), cutoffs, *named.values())
def test_lists_with_their_ideals_are_the_batch_that_knows_them(collection, k, gain, discount):
    rankings, pools = [r for r, _ in collection], [p for _, p in collection]
    how = {"k": k, "gain": gain, "discount": discount[0], "b": discount[1]}
    for f in idcg, ndcg:
        alone = [f(r, ideal=p, **how) for r, p in collection]
        assert {type(x) for x in alone} == {float}
        assert f(batch(collection), **how).tolist() == alone
        assert f(rankings, ideal=pools, **how).tolist() == alone


@given(plain, cutoffs, *named.values())
def test_the_ideal_order_has_ndcg_1_and_a_list_without_gain_0(grades, k, gain, discount):
    best = sorted(grades, reverse=True)
    assert ndcg(best, k=k, gain=gain, discount=discount[0], b=discount[1]) == (1 if any(grades) else 0)
    assert ndcg([], k=k, gain=gain, discount=discount[0], b=discount[1]) == 0


@given(searches(judgments), cutoffs, st.sampled_from([0.1, 0.5, 3, 1000]))
def test_linear_ndcg_does_not_change_with_the_unit_of_the_grades(search, k, unit):
    ranking, pool = search
    scaled = [None if g is None else g * unit for g in ranking]
    ideal = [g * unit for g in pool]
    assert ndcg(scaled, k=k, ideal=ideal) == pytest.approx(ndcg(ranking, k=k, ideal=pool), rel=1e-12, abs=1e-12)


@given(searches(judgments), st.integers(0, 5), cutoffs)
def test_unjudged_documents_have_gain_0_but_take_a_rank(search, holes, k):
    ranking, _ = search
    pushed = [None] * holes + ranking
    expected = sum((g or 0) / log2(i + 1) for i, g in enumerate(ranking, start=1 + holes) if k is None or i <= k)
    assert dcg(pushed, k=k) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(searches(judgments), st.integers(1, 15))
def test_an_uncut_ideal_never_gives_more(search, k):
    ranking, pool = search
    assert ndcg(ranking, k=k, ideal=pool, cut_ideal=False) <= ndcg(ranking, k=k, ideal=pool) + 1e-12


@given(searches(judgments))
def test_the_ideal_ranking_holds_the_whole_pool_best_first(search):
    ranking, pool = search
    best = ideal_ranking(Judged.from_grades(ranking, ideal=pool))
    assert best.grade.tolist() == sorted(pool, reverse=True)
    assert best.rank.tolist() == list(range(1, len(pool) + 1))
    assert best.retrieved.tolist() == [len(pool)]


@given(st.lists(st.floats(0, 10, allow_subnormal=False), min_size=2, max_size=12), cutoffs)
def test_dcg_and_ndcg_agree_with_scikit_learn_when_nothing_ties(grades, k):
    scores = [list(range(len(grades), 0, -1))]
    assert dcg(grades, k=k) == pytest.approx(dcg_score([grades], scores, k=k), abs=1e-9)
    assume(max(grades) > 1e-6)
    assert ndcg(grades, k=k) == pytest.approx(ndcg_score([grades], scores, k=k), abs=1e-9)


def test_every_argument_does_its_part_of_a_sum_worked_by_hand():
    how = {"gain": "exp", "discount": "jarvelin", "ideal": [3, 3, 1, 0], "b": 3}
    assert idcg([1, None, 3, 0], k=3, **how) == 7 + 7 + 1 / log(3, 3)
    assert ndcg([1, None, 3, 0], k=3, **how) == (1 + 7) / (7 + 7 + 1)
    assert ndcg([1, None, 3, 0], k=1, cut_ideal=False, **how) == 1 / (7 + 7 + 1)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"k": 0}, "not 0"),
        ({"k": -3}, "not -3"),
        ({"k": 1.5}, "not 1.5"),
        ({"gain": "squared"}, "'squared'"),
        ({"gain": {0: 0, 1: 1}}, "no grade 2"),
        ({"discount": "log10"}, "'log10'"),
        ({"discount": "jarvelin", "b": 0.5}, "not 0.5"),
        ({"b": 3}, "b=3 has no effect: only discount='jarvelin' has a base"),
        ({"discount": lambda i: 1 / i, "b": 10}, "b=10"),
        ({"ideal": [1, 1]}, "must contain all grades of a ranking: a grade 2"),
        ({"ideal": [[2], [1]]}, "2 lists for 1 rankings"),
    ],
)
def test_an_argument_out_of_range_raises_an_error_that_names_it(wrong, said):
    with pytest.raises(ValueError, match=said):
        ndcg([2, 0, 1], **wrong)


@pytest.mark.parametrize("f", [idcg, ndcg])
def test_a_batch_refuses_a_second_pool(f):
    with pytest.raises(ValueError, match="already contains the judged grades"):
        f(Judged.from_grades([2, 1]), ideal=[2, 1])


@pytest.mark.parametrize("f", [cg, dcg, idcg, ndcg])
def test_gains_that_add_up_to_no_number_are_refused(f):
    for grades, gain in (([1.7e308] * 3, "linear"), ([1023] * 3, "exp"), ([1, 2], lambda g: g * np.nan)):
        with pytest.raises(ValueError, match="the grades of a query are too large: the sum of their terms is (inf|nan)"):
            f([[1], grades], gain=gain)
    assert f([1e307, 3e307]) > 0


def test_a_discount_may_fall_below_the_smallest_number_and_an_ideal_may_not():
    steep = {"discount": lambda i: 0.5**i}
    assert ndcg([0] * 1059 + [1], **steep) == 2**-1059
    assert ndcg([0] * 1100 + [1], **steep) == 0
    for grades in ([5e-324, 1.5e-323], [0, 1e-309]):
        with pytest.raises(ValueError, match="grades are too small: their IDCG is .*, which float64 cannot represent with all digits"):
            ndcg(grades)


@pytest.mark.parametrize("measure", [DCG, CG, nDCG])
def test_missing_gain_of_a_grade_is_an_error_below_the_cutoff(measure):
    lacking = measure(gain={1: 1, 2: 2}) @ 2
    for found in ([1, 2, 5], Judged.from_grades([[1, 2, 5], [1]])):
        with pytest.raises(ValueError, match="the gain mapping has no grade 5"):
            lacking.of(found)
    with pytest.raises(ValueError, match="the gain mapping has no grade 5"):
        dcg([1, 2, 5], gain={1: 1, 2: 2}, k=2)
