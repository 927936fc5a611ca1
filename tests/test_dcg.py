"DCG and nDCG against a slow reading of the formula, against trec_eval and scikit-learn, and by what must always hold."

from fractions import Fraction
from math import log, log2

import numpy as np
import pytest
import pytrec_eval
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import dcg_score, ndcg_score

from irmetrics_nb.dcg import cg, dcg, dcg_terms, idcg, ideal_ranking, ndcg
from irmetrics_nb.rankings import Judged

GRADES = st.integers(0, 4)
LISTS = st.lists(GRADES, max_size=12)
CUTOFFS = st.none() | st.integers(1, 15)
GAINS = {"linear": lambda g: g, "exp": lambda g: 2**g - 1}
DISCOUNTS = {
    ("log2", 2): lambda i: log2(i + 1),
    ("jarvelin", 2): lambda i: 1 if i < 2 else log(i, 2),
    ("jarvelin", 3.5): lambda i: 1 if i < 3.5 else log(i, 3.5),
}
NAMED = st.sampled_from(list(GAINS)), st.sampled_from(list(DISCOUNTS))


def slow_dcg(grades, k, gain, divisor):
    "The formula, one document after the other; None gains nothing."
    top = grades if k is None else grades[:k]
    return sum(gain(g) / divisor(i) for i, g in enumerate(top, start=1) if g is not None)


def slow_ndcg(grades, k, gain, divisor, pool, cut_ideal=True):
    "DCG over the DCG of the pool sorted by gain."
    best = slow_dcg(sorted(pool, key=gain, reverse=True), k if cut_ideal else None, gain, divisor)
    return slow_dcg(grades, k, gain, divisor) / best if best > 0 else 0


@st.composite
def searches(draw, grade=GRADES):
    "A ranking with holes, and all judged grades of its query."
    ranking = draw(st.lists(st.none() | grade, max_size=12))
    missed = draw(st.lists(grade, max_size=6))
    return ranking, draw(st.permutations([g for g in ranking if g is not None] + missed))


@given(searches(st.integers(-2, 4)), CUTOFFS, *NAMED)
def test_dcg_is_the_sum_of_gain_over_discount_with_negative_grades_too(search, k, gain, discount):
    (ranking, pool), (name, b) = search, discount
    expected = slow_dcg(ranking, k, GAINS[gain], DISCOUNTS[discount])
    assert dcg(ranking, k, gain, name, b) == pytest.approx(expected, abs=1e-12)
    assert dcg_terms(ranking, k, gain, name, b).sum() == pytest.approx(expected, abs=1e-12)
    best = slow_dcg(sorted(pool, reverse=True), k, GAINS[gain], DISCOUNTS[discount])
    assert idcg(ranking, k, gain, name, pool, b) == pytest.approx(best, abs=1e-12)


@given(searches(), CUTOFFS, *NAMED, st.booleans())
def test_ndcg_is_dcg_over_the_dcg_of_the_sorted_pool(search, k, gain, discount, cut_ideal):
    (ranking, pool), (name, b) = search, discount
    expected = slow_ndcg(ranking, k, GAINS[gain], DISCOUNTS[discount], pool, cut_ideal)
    assert ndcg(ranking, k, gain, name, pool, cut_ideal, b) == pytest.approx(expected, abs=1e-12)


@given(searches(st.integers(-3, 2)), CUTOFFS)
def test_ndcg_follows_the_formula_with_negative_grades_and_is_0_where_the_ideal_gains_nothing(search, k):
    (ranking, pool), how = search, (GAINS["linear"], DISCOUNTS["log2", 2])
    assume(abs(slow_dcg(sorted(pool, reverse=True), k, *how)) > 1e-6 or not any(pool))
    assert ndcg(ranking, k, ideal=pool) == pytest.approx(slow_ndcg(ranking, k, *how, pool), abs=1e-9)


@given(searches(), CUTOFFS, st.lists(st.integers(-3, 20), min_size=5, max_size=5))
def test_the_ideal_is_sorted_by_gain_even_where_a_better_grade_gains_less(search, k, worth):
    ranking, pool = search
    gain = dict(enumerate(worth))
    best = slow_dcg(sorted((gain[g] for g in pool), reverse=True), k, float, DISCOUNTS["log2", 2])
    assert idcg(ranking, k, gain, ideal=pool) == pytest.approx(best, abs=1e-12)


@given(st.lists(GRADES, min_size=1, max_size=12), CUTOFFS)
def test_cg_is_exact_and_blind_to_order_within_the_cutoff(grades, k):
    assert cg(grades, k) == sum(map(Fraction, grades[:k]))
    assert cg(sorted(grades[:k]) + grades[len(grades[:k]) :], k) == cg(grades, k)


@given(st.lists(searches(), min_size=1, max_size=6), CUTOFFS, *NAMED)
def test_a_batch_gives_what_its_rankings_give_one_by_one(batch, k, gain, discount):
    rankings, pools = [r for r, _ in batch], [p for _, p in batch]
    how = {"k": k, "gain": gain, "discount": discount[0], "b": discount[1]}
    together = Judged.from_grades(rankings, pools)
    for f in idcg, ndcg:
        alone = [f(r, ideal=p, **how) for r, p in batch]
        assert f(together, **how).tolist() == alone
        assert f(rankings, ideal=pools, **how).tolist() == alone
    assert dcg(together, **how).tolist() == [dcg(r, **how) for r in rankings]
    assert cg(together, k, gain).tolist() == [cg(r, k, gain) for r in rankings]


@given(searches(), CUTOFFS, *NAMED)
def test_ndcg_lies_between_0_and_1_when_no_grade_is_negative(search, k, gain, discount):
    ranking, pool = search
    assert 0 <= ndcg(ranking, k, gain, discount[0], pool, b=discount[1]) <= 1 + 1e-12


@given(LISTS, CUTOFFS, *NAMED)
def test_the_ideal_order_has_ndcg_1_and_a_list_without_gain_0(grades, k, gain, discount):
    best = sorted(grades, reverse=True)
    assert ndcg(best, k, gain, discount[0], b=discount[1]) == (1 if any(grades) else 0)


@given(st.lists(GRADES, min_size=2, max_size=12), CUTOFFS, *NAMED, st.data())
def test_moving_a_better_document_up_never_lowers_ndcg(grades, k, gain, discount, data):
    low = data.draw(st.integers(1, len(grades) - 1))
    high = data.draw(st.integers(0, low - 1))
    assume(grades[low] > grades[high])
    swapped = list(grades)
    swapped[low], swapped[high] = grades[high], grades[low]
    before, after = ndcg([grades, swapped], k, gain, discount[0], b=discount[1])
    assert after >= before - 1e-12


@given(searches(), CUTOFFS, st.sampled_from([0.1, 0.5, 3, 1000]))
def test_linear_ndcg_does_not_change_with_the_unit_of_the_grades(search, k, unit):
    ranking, pool = search
    scaled = [None if g is None else g * unit for g in ranking]
    assert ndcg(scaled, k, ideal=[g * unit for g in pool]) == pytest.approx(ndcg(ranking, k, ideal=pool), abs=1e-12)


@given(searches(), st.integers(0, 5), CUTOFFS)
def test_documents_that_nobody_judged_gain_nothing_but_push_others_down(search, holes, k):
    ranking, _ = search
    zeros = [g or 0 for g in ranking]
    assert dcg(ranking, k) == dcg(zeros, k)
    pushed = [None] * holes + ranking
    expected = sum((g or 0) / log2(i + 1) for i, g in enumerate(ranking, start=1 + holes) if k is None or i <= k)
    assert dcg(pushed, k) == pytest.approx(expected, abs=1e-12)


@given(searches(), st.integers(1, 15))
def test_an_uncut_ideal_never_gives_more(search, k):
    ranking, pool = search
    assert ndcg(ranking, k, ideal=pool, cut_ideal=False) <= ndcg(ranking, k, ideal=pool) + 1e-12


@given(searches())
def test_the_ideal_ranking_holds_the_whole_pool_best_first(search):
    ranking, pool = search
    best = ideal_ranking(Judged.from_grades(ranking, pool))
    assert best.grade.tolist() == sorted(pool, reverse=True)
    assert best.rank.tolist() == list(range(1, len(pool) + 1))
    assert best.retrieved.tolist() == [len(pool)]


def collection(seed, queries=40, retrieved=30):
    "Random rankings and pools: documents that nobody judged, judged ones not found, queries without gain."
    rng = np.random.default_rng(seed)
    rankings, pools = [], []
    for q in range(queries):
        weights = [1, 0, 0, 0, 0] if q % 10 == 0 else [0.5, 0.2, 0.15, 0.1, 0.05]
        grades = rng.choice(5, size=retrieved, p=weights).astype(object)
        grades[rng.random(retrieved) < 0.4] = None
        missed = rng.choice(5, size=rng.integers(0, 12), p=weights).tolist()
        rankings.append(grades[: rng.integers(1, retrieved + 1)].tolist())
        pools.append([g for g in rankings[-1] if g is not None] + missed or [0])
    return rankings, pools


def trec(rankings, pools):
    "The same as qrels and run; scores are whole numbers, so that float32 holds them."
    qrels, run = {}, {}
    for q, (ranking, pool) in enumerate(zip(rankings, pools, strict=True)):
        found = {f"d{i}": g for i, g in enumerate(ranking) if g is not None}
        left = pool[len(found) :]
        qrels[f"q{q}"] = {d: int(g) for d, g in found.items()} | {f"m{i}": int(g) for i, g in enumerate(left)}
        run[f"q{q}"] = {f"d{i}": float(len(ranking) - i) for i in range(len(ranking))}
    return qrels, run


@pytest.mark.parametrize("seed", range(3))
def test_ndcg_agrees_with_trec_eval_whole_and_at_every_cutoff(seed):
    rankings, pools = collection(seed)
    qrels, run = trec(rankings, pools)
    cutoffs = [1, 2, 3, 5, 10, 20, 100]
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg", "ndcg_cut." + ",".join(map(str, cutoffs))}).evaluate(run)
    theirs = [theirs[f"q{q}"] for q in range(len(rankings))]
    batch = Judged.from_grades(rankings, pools)
    assert ndcg(batch) == pytest.approx([t["ndcg"] for t in theirs], abs=1e-9)
    for k in cutoffs:
        assert ndcg(batch, k) == pytest.approx([t[f"ndcg_cut_{k}"] for t in theirs], abs=1e-9)
    assert 0 < ndcg(batch).min(initial=1, where=ndcg(batch) > 0) < ndcg(batch).max() <= 1


@pytest.mark.parametrize("k", [1, 5, 10])
def test_an_uncut_ideal_is_trec_evals_ndcg_of_a_run_cut_at_k(k):
    rankings, pools = collection(7)
    qrels, run = trec(rankings, pools)
    top = {q: dict(sorted(docs.items(), key=lambda d: -d[1])[:k]) for q, docs in run.items()}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg"}).evaluate(top)
    expected = [theirs[f"q{q}"]["ndcg"] for q in range(len(rankings))]
    assert ndcg(Judged.from_grades(rankings, pools), k, cut_ideal=False) == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.floats(0, 10, allow_subnormal=False), min_size=2, max_size=12), CUTOFFS)
def test_dcg_and_ndcg_agree_with_scikit_learn_when_nothing_ties(grades, k):
    scores = [list(range(len(grades), 0, -1))]
    assert dcg(grades, k) == pytest.approx(dcg_score([grades], scores, k=k), abs=1e-9)
    assume(max(grades) > 1e-6)
    assert ndcg(grades, k) == pytest.approx(ndcg_score([grades], scores, k=k), abs=1e-9)


def test_arguments_can_be_given_by_position_in_the_documented_order():
    grades, pool = [1, None, 3, 0], [3, 3, 1, 0]
    assert ndcg(grades, 3, "exp", "jarvelin", pool, False, 3) == ndcg(
        grades, k=3, gain="exp", discount="jarvelin", ideal=pool, cut_ideal=False, b=3
    )
    assert idcg(grades, 3, "exp", "jarvelin", pool, 3) == 7 + 7 + 1 / log(3, 3)


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
        ({"b": 3}, "only discount='jarvelin' has a base, not b=3"),
        ({"discount": lambda i: 1 / i, "b": 10}, "b=10"),
        ({"ideal": [1, 1]}, "lacks a grade 2"),
        ({"ideal": [[2], [1]]}, "2 lists for 1 rankings"),
    ],
)
def test_an_argument_out_of_range_raises_an_error_that_names_it(wrong, said):
    with pytest.raises(ValueError, match=said):
        ndcg([2, 0, 1], **wrong)


@pytest.mark.parametrize("f", [idcg, ndcg])
def test_a_batch_refuses_a_second_pool(f):
    with pytest.raises(ValueError, match="knows its own"):
        f(Judged.from_grades([2, 1]), ideal=[2, 1])


@pytest.mark.parametrize("f", [cg, dcg, idcg, ndcg])
def test_gains_that_add_up_to_no_number_are_refused(f):
    for grades, gain in (([1.7e308] * 3, "linear"), ([1023] * 3, "exp"), ([1, 2], lambda g: g * np.nan)):
        with pytest.raises(ValueError, match="the gains of the grades of a query add up to (inf|nan)"):
            f([[1], grades], gain=gain)
    assert f([1e307, 3e307]) > 0


def test_a_discount_may_fall_below_the_smallest_number_and_grades_may_not():
    steep = {"discount": lambda i: 0.5**i}
    assert ndcg([0] * 1059 + [1], **steep) == 2**-1059 and ndcg([0] * 1100 + [1], **steep) == 0
    for grades in ([5e-324, 1.5e-323], [0, 1e-309]):
        with pytest.raises(ValueError, match="grades of a query"):
            ndcg(grades)
