"Precision, recall and their kin: what ties them to each other, and what they leave to convention."
import itertools
import math
from fractions import Fraction

import numpy as np
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import batch, batches, betas, collections, cutoffs, rankings, relevance

from irmetrics_nb import Judged
from irmetrics_nb.metrics.sets import (
    Complete,
    complete,
    f_beta,
    f_measure,
    fallout,
    judged_at,
    precision,
    r_precision,
    recall,
    success,
)

quarters = st.integers(0, 4)
medium = settings(max_examples=50)


@given(collections(), cutoffs, relevance)
def test_fallout_is_its_definition_on_each_query(collection, k, rel):
    oracles.close(fallout(batch(collection), k=k, rel=rel), [oracles.fallout(*search, k, rel) for search in collection])


@given(collections(), cutoffs, relevance)
def test_hits_mark_relevant_judged_documents_up_to_the_cutoff(collection, k, rel):
    assert precision.terms(batch(collection), k=k, rel=rel).tolist() == [
        int(g >= rel and i < (k or 99)) for got, _ in collection for i, g in enumerate(got) if g is not None
    ]


# ---- properties ----


@given(collections(), cutoffs, relevance)
def test_complete_is_1_where_no_relevant_document_is_missing_from_the_top(collection, k, rel):
    def by_sets(got, pool):
        wanted = sum(g >= rel for g in pool)
        return float(0 < wanted == sum(g is not None and g >= rel for g in got[:k]))
    judged = batch(collection)
    values = complete(judged, k=k, rel=rel)
    assert values.tolist() == [by_sets(*search) for search in collection]
    assert values.tolist() == (recall(judged, k=k, rel=rel) == 1).astype(float).tolist()
    assert np.all(values <= success(judged, k=k, rel=rel))


@pytest.mark.parametrize("seed", range(20))
def test_complete_over_ties_is_the_share_of_the_orders_that_are_complete(seed):
    "Every order of the tied documents, one after the other, in whole numbers."
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 7)), int(rng.integers(1, 8))
    labels, scores = rng.integers(0, 2, n), rng.integers(0, 3, n)
    orders = [order for order in itertools.permutations(range(n)) if all(scores[a] >= scores[b] for a, b in itertools.pairwise(order))]
    full = sum(0 < labels.sum() == labels[list(order[:k])].sum() for order in orders)
    value = (Complete @ k).of(Judged.from_scores(labels, scores=scores), ties="average")[0]
    assert value == pytest.approx(float(Fraction(full, len(orders))), abs=1e-12)


def test_complete_of_a_thousand_tied_documents_is_the_hypergeometric_chance():
    from scipy.stats import hypergeom

    judged = Judged.from_scores([1] * 3 + [0] * 997, scores=[5] * 1000)
    for k in (2, 3, 10, 999, 1000):
        assert (Complete @ k).of(judged, ties="average")[0] == pytest.approx(hypergeom.pmf(3, 1000, 3, k), rel=1e-12)
    assert [(Complete @ 10).of(judged, ties=order)[0] for order in ("best", "worst")] == [1, 0]


@given(collections(), relevance)
@medium
def test_recall_success_and_fallout_never_fall_as_the_cutoff_grows(collection, rel):
    judged = batch(collection)
    for f in recall, success, complete, fallout:
        assert np.all(np.diff([f(judged, k=k, rel=rel) for k in range(1, 15)], axis=0) >= 0)


@given(collections(), cutoffs)
def test_fallout_lies_between_0_and_1(collection, k):
    values = fallout(batch(collection), k=k)
    assert np.all((values >= 0) & (values <= 1))


@given(rankings, st.integers(0, 10), cutoffs)
def test_a_relevant_document_moved_up_never_raises_fallout(got, place, k):
    better, worse = got[:place] + [1, 0] + got[place:], got[:place] + [0, 1] + got[place:]
    assert fallout(better, k=k) <= fallout(worse, k=k)


@given(rankings, st.permutations([0, None, -1, 0, None]), cutoffs)
def test_fallout_ignores_the_order_of_irrelevant_documents(got, tail, k):
    assert fallout(got + tail, k=k) == fallout([*got, 0, None, -1, 0, None], k=k)


@given(collections(), relevance)
def test_precision_and_recall_meet_at_rank_R_and_that_is_r_precision(collection, rel):
    for search in collection:
        judged = batch([search])
        if R := int(judged.n_relevant(rel)[0]):
            assert precision(judged, k=R, rel=rel) == recall(judged, k=R, rel=rel) == r_precision(judged, rel=rel)


@given(collections(), betas)
def test_f_lies_between_precision_and_recall(collection, beta):
    judged = batch(collection)
    p, r, f = precision(judged), recall(judged), f_beta(judged, beta=beta)
    assert np.all((f >= np.minimum(p, r) - 1e-12) & (f <= np.maximum(p, r) + 1e-12))


@given(collections(), cutoffs, betas)
def test_f_of_the_counts_is_f_of_precision_and_recall(collection, k, beta):
    judged = batch(collection)
    expected = f_measure(precision(judged, k=k), recall(judged, k=k), beta=beta)
    oracles.close(f_beta(judged, k=k, beta=beta), expected)


@given(quarters, quarters, st.sampled_from([0.25, 0.5, 1, 2, 4]))
def test_f_with_precision_and_recall_swapped_is_f_of_one_over_beta(p, r, beta):
    assert f_measure(p / 4, r / 4, beta=beta) == pytest.approx(f_measure(r / 4, p / 4, beta=1 / beta), abs=1e-12)


@given(collections())
def test_relevant_and_not_relevant_documents_together_are_all_that_was_retrieved(collection):
    judged = batch(collection)
    bad = np.array([got.count(None) + sum(g < 1 for g in pool) for got, pool in collection])
    found = precision(judged) * judged.retrieved + fallout(judged) * bad
    np.testing.assert_allclose(found, judged.retrieved, atol=1e-9)


@given(batches, cutoffs)
def test_precision_is_bounded_by_what_the_unjudged_documents_could_be(lists, k):
    optimist = precision([[1 if g is None else g for g in one] for one in lists], k=k)
    unknown = (1 - judged_at(lists, k=k)) * [len(one[:k]) for one in lists]
    size = [k or max(len(one), 1) for one in lists]
    np.testing.assert_allclose(precision(lists, k=k) + unknown / size, optimist, atol=1e-12)


# ---- what the definitions leave to convention, and what is refused ----


def test_precision_divides_by_k_even_when_fewer_were_retrieved():
    assert precision([1, 0, 1], k=10) == 0.2
    assert precision([1, 0, 1]) == pytest.approx(2 / 3, abs=1e-15)


def test_empty_lists_and_queries_without_relevant_documents_score_0():
    for f in precision, recall, f_beta, fallout, success, complete, r_precision, judged_at:
        assert f([]) == 0
        assert f([[], []]).tolist() == [0, 0]
    for f in precision, recall, f_beta, success, complete, r_precision:
        assert f([0, None, -1]) == 0


def test_the_caller_may_state_how_many_documents_are_relevant_for_each_query():
    assert recall([[1, 0], [1, 1]], n_relevant=[4, 2]).tolist() == [0.25, 1]
    assert r_precision([[1, 0], [0, 1]], n_relevant=[1, 2]).tolist() == [1, 0.5]
    assert fallout([[1, 0], [0, 0]], n_nonrelevant=[4, 2]).tolist() == [0.25, 1]


@pytest.mark.parametrize("k", [0, -1, 2.5, True, math.nan])
@pytest.mark.parametrize("f", [precision, recall, f_beta, fallout, success, complete, judged_at], ids=lambda f: f.__name__)
def test_a_cutoff_that_is_no_whole_number_from_1_is_refused(f, k):
    with pytest.raises(ValueError, match=f"cutoff k .* not {k!r}"):
        f([1, 0], k=k)


@pytest.mark.parametrize("beta", [-1, -1e-9, math.nan, math.inf])
def test_a_beta_that_is_negative_or_not_finite_is_refused(beta):
    with pytest.raises(ValueError, match=f"beta .* not {beta!r}"):
        f_beta([1, 0], beta=beta)


def test_fewer_documents_in_the_collection_than_in_the_list_are_refused():
    for f in recall, f_beta, r_precision:
        with pytest.raises(ValueError, match="n_relevant=1, but the list contains 2"):
            f([1, 1], n_relevant=1)
    for wrong in 1, 2.5, math.nan:
        with pytest.raises(ValueError, match=f"n_nonrelevant={wrong}, but the list contains 2"):
            fallout([0, 0], n_nonrelevant=wrong)
    with pytest.raises(ValueError, match="n_nonrelevant=1, but the list contains 2"):
        fallout([0, 0], k=1, n_nonrelevant=1)
