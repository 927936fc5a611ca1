"Precision, recall and their kin: against a slow, exact reading of the definitions, and against the peers."
import math
from fractions import Fraction

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from irmetrics_nb.rankings import Judged
from irmetrics_nb.sets import f_beta, f_measure, fallout, hits, judged_at, precision, r_precision, recall, success

grades = st.sampled_from([None, -1, 0, 0, 1, 2, 3])
rankings = st.lists(grades, max_size=12)
batches = st.lists(rankings, min_size=1, max_size=5)
cutoffs = st.none() | st.integers(1, 15)
levels = st.sampled_from([1, 2])
betas = st.sampled_from([0, 0.5, 1, 2, 3.5])
unseen = st.lists(st.sampled_from([-1, 0, 1, 2, 3]), max_size=6)
pools = st.lists(st.tuples(rankings, unseen), min_size=1, max_size=5)  # each: what was retrieved, what else was judged
kilo = st.integers(0, 4)


# ---- the definitions, read slowly: one list, exact numbers ----


def over(part, whole):
    return Fraction(part, whole) if whole else Fraction(0)


def good(grade, level):
    return grade is not None and grade >= level


def slow_precision(got, k, level):
    return over(sum(good(g, level) for g in got[:k]), len(got) if k is None else k)


def slow_recall(got, others, k, level):
    return over(sum(good(g, level) for g in got[:k]), sum(good(g, level) for g in got + others))


def slow_f(got, others, k, level, beta):
    p, r, weight = slow_precision(got, k, level), slow_recall(got, others, k, level), Fraction(beta) ** 2
    return over(1, 1 / p / (1 + weight) + weight / r / (1 + weight)) if p and r else Fraction(0)



def slow_fallout(got, others, k, level):
    return over(sum(not good(g, level) for g in got[:k]), sum(not good(g, level) for g in got + others))


def slow_r_precision(got, others, level):
    R = sum(good(g, level) for g in got + others)
    return over(sum(good(g, level) for g in got[:R]), R)


def slow_judged(got, k):
    return over(sum(g is not None for g in got[:k]), len(got[:k]))


def batch(pairs):
    "A `Judged` that knows of each query what was retrieved and what else was judged."
    pool = [[g for g in got if g is not None] + others for got, others in pairs]
    return Judged.from_grades([got for got, _ in pairs], ideal=pool)


def same(values, expected):
    np.testing.assert_allclose(values, [float(x) for x in expected], rtol=0, atol=1e-12)


@given(pools, cutoffs, levels, betas)
def test_every_measure_is_its_definition_on_each_query(pairs, k, level, beta):
    judged = batch(pairs)
    same(precision(judged, k, level), [slow_precision(got, k, level) for got, _ in pairs])
    same(recall(judged, k, level=level), [slow_recall(got, others, k, level) for got, others in pairs])
    same(f_beta(judged, beta, k, level=level), [slow_f(got, others, k, level, beta) for got, others in pairs])
    same(fallout(judged, k, level=level), [slow_fallout(got, others, k, level) for got, others in pairs])
    same(success(judged, k, level), [any(good(g, level) for g in got[:k]) for got, _ in pairs])
    same(r_precision(judged, level=level), [slow_r_precision(got, others, level) for got, others in pairs])
    same(judged_at(judged, k), [slow_judged(got, k) for got, _ in pairs])
    assert hits(judged, k, level).tolist() == [
        int(good(g, level) and i < (k or 99)) for got, _ in pairs for i, g in enumerate(got) if g is not None
    ]


@given(batches, cutoffs, levels)
def test_a_single_list_is_a_batch_of_one_and_a_float(lists, k, level):
    for f in precision, recall, f_beta, fallout, success:
        together = f(lists, k=k, level=level)
        alone = [f(one, k=k, level=level) for one in lists]
        assert together.tolist() == alone
        assert all(type(x) is float for x in alone)
    assert r_precision(lists).tolist() == [r_precision(one) for one in lists]
    assert judged_at(lists, k).tolist() == [judged_at(one, k) for one in lists]


@given(batches, batches, cutoffs)
def test_batches_computed_apart_are_the_whole(one, other, k):
    parts = [Judged.from_grades(one), Judged.from_grades(other)]
    for f in precision, recall, f_beta, fallout, success:
        apart = np.concatenate([f(part, k=k) for part in parts])
        assert f(Judged.concat(parts), k=k).tolist() == apart.tolist()


@given(pools, cutoffs, levels, betas)
def test_all_values_lie_between_0_and_1(pairs, k, level, beta):
    judged = batch(pairs)
    rows = [f(judged, k=k, level=level) for f in (precision, recall, fallout, success)]
    rows += [f_beta(judged, beta, k, level=level), r_precision(judged, level=level), judged_at(judged, k)]
    assert np.all((np.array(rows) >= 0) & (np.array(rows) <= 1 + 1e-15))


# ---- properties ----


@given(pools, levels)
def test_recall_success_and_fallout_never_fall_as_the_cutoff_grows(pairs, level):
    judged = batch(pairs)
    for f in recall, success, fallout:
        assert np.all(np.diff([f(judged, k=k, level=level) for k in range(1, 15)], axis=0) >= 0)


@given(rankings, st.integers(0, 10), st.integers(1, 12))
def test_a_relevant_document_moved_up_never_lowers_a_value(got, place, k):
    better, worse = got[:place] + [1, 0] + got[place:], got[:place] + [0, 1] + got[place:]
    for f in precision, recall, f_beta, success:
        assert f(better, k=k) >= f(worse, k=k)
    assert r_precision(better) >= r_precision(worse)
    assert fallout(better, k=k) <= fallout(worse, k=k)


@given(rankings, st.permutations([0, None, -1, 0, None]), cutoffs)
def test_irrelevant_documents_below_the_last_relevant_one_may_stand_in_any_order(got, tail, k):
    for f in precision, recall, f_beta, success, fallout:
        assert f(got + tail, k=k) == f([*got, 0, None, -1, 0, None], k=k)


@given(pools, levels)
def test_precision_and_recall_meet_at_rank_R_and_that_is_r_precision(pairs, level):
    for pair in pairs:
        judged = batch([pair])
        if R := int(judged.n_relevant(level)[0]):
            assert precision(judged, R, level) == recall(judged, R, level=level) == r_precision(judged, level=level)


@given(pools, betas)
def test_f_lies_between_precision_and_recall(pairs, beta):
    judged = batch(pairs)
    p, r, f = precision(judged), recall(judged), f_beta(judged, beta)
    assert np.all((f >= np.minimum(p, r) - 1e-12) & (f <= np.maximum(p, r) + 1e-12))


@given(kilo, kilo, st.sampled_from([0.25, 0.5, 1, 2, 4]))
def test_f_with_precision_and_recall_swapped_is_f_of_one_over_beta(p, r, beta):
    assert f_measure(p / 4, r / 4, beta) == pytest.approx(f_measure(r / 4, p / 4, 1 / beta), abs=1e-12)


@given(pools)
def test_relevant_and_not_relevant_documents_together_are_all_that_was_retrieved(pairs):
    judged = batch(pairs)
    bad = np.array([sum(not good(g, 1) for g in got + others) for got, others in pairs])
    found = precision(judged) * judged.retrieved + fallout(judged) * bad
    np.testing.assert_allclose(found, judged.retrieved, atol=1e-9)


@given(batches, cutoffs)
def test_precision_is_bounded_by_what_the_unjudged_documents_could_be(lists, k):
    optimist = precision([[1 if g is None else g for g in one] for one in lists], k)
    unknown = (1 - judged_at(lists, k)) * [len(one[:k]) for one in lists]
    size = [k or max(len(one), 1) for one in lists]
    np.testing.assert_allclose(precision(lists, k) + unknown / size, optimist, atol=1e-12)


# ---- what the definitions leave to convention, and what is refused ----


def test_precision_divides_by_k_even_when_fewer_were_retrieved():
    assert precision([1, 0, 1], k=10) == 0.2
    assert precision([1, 0, 1]) == pytest.approx(2 / 3, abs=1e-15)


def test_empty_lists_and_queries_without_relevant_documents_score_0():
    for f in precision, recall, f_beta, fallout, success, r_precision, judged_at:
        assert f([]) == 0
        assert f([[], []]).tolist() == [0, 0]
    for f in precision, recall, f_beta, success, r_precision:
        assert f([0, None, -1]) == 0


def test_the_caller_may_state_how_many_documents_are_relevant_for_each_query():
    assert recall([[1, 0], [1, 1]], n_relevant=[4, 2]).tolist() == [0.25, 1]
    assert r_precision([[1, 0], [0, 1]], n_relevant=[1, 2]).tolist() == [1, 0.5]
    assert fallout([[1, 0], [0, 0]], n_nonrelevant=[4, 2]).tolist() == [0.25, 1]


@pytest.mark.parametrize("k", [0, -1, 2.5, True, math.nan])
@pytest.mark.parametrize("f", [precision, recall, f_beta, fallout, success, judged_at, hits], ids=lambda f: f.__name__)
def test_a_cutoff_that_is_no_whole_number_from_1_is_refused(f, k):
    with pytest.raises(ValueError, match=f"cutoff k .* not {k!r}"):
        f([1, 0], k=k)


@pytest.mark.parametrize("beta", [-1, -1e-9, math.nan, math.inf])
def test_a_beta_that_is_negative_or_not_finite_is_refused(beta):
    with pytest.raises(ValueError, match=f"beta .* not {beta!r}"):
        f_beta([1, 0], beta=beta)


def test_fewer_documents_in_the_collection_than_in_the_list_are_refused():
    for f in recall, f_beta, r_precision:
        with pytest.raises(ValueError, match="n_relevant=1, but the list holds 2"):
            f([1, 1], n_relevant=1)
    for wrong in 1, 2.5, math.nan:
        with pytest.raises(ValueError, match=f"n_nonrelevant={wrong}, but the list holds 2"):
            fallout([0, 0], n_nonrelevant=wrong)
    with pytest.raises(ValueError, match="n_nonrelevant=1, but the list holds 2"):
        fallout([0, 0], k=1, n_nonrelevant=1)


# ---- the peers ----

CUTOFFS = 1, 3, 5, 10, 50


def random_collection(seed, queries=40):
    "Judgments with grades -1..4 and runs with unjudged documents and distinct scores, as the peers take them."
    rng = np.random.default_rng(seed)
    qrels, run = {}, {}
    for q in range(queries):
        pool = rng.permutation(60)[: rng.integers(1, 40)]
        found = rng.permutation(60)[: rng.integers(1, 45)]
        drawn = rng.choice([-1, 0, 1, 2, 3, 4], len(pool), p=[0.1, 0.5, 0.2, 0.1, 0.05, 0.05])
        qrels[f"q{q}"] = {f"d{d}": int(g) for d, g in zip(pool, drawn)}
        run[f"q{q}"] = {f"d{d}": float(s) for d, s in zip(found, rng.permutation(len(found)))}
    return qrels, run


def ours(qrels, run):
    "The same collection as a `Judged`, queries in the order of the judgments."
    ranked = [sorted(run[q], key=run[q].get, reverse=True) for q in qrels]
    lists = [[qrels[q].get(d) for d in docs] for q, docs in zip(qrels, ranked)]
    return Judged.from_grades(lists, ideal=[list(qrels[q].values()) for q in qrels])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("level", [1, 2])
def test_values_are_those_of_pytrec_eval(seed, level):
    qrels, run = random_collection(seed)
    judged, cuts = ours(qrels, run), ",".join(map(str, CUTOFFS))
    names = {f"P.{cuts}", f"recall.{cuts}", f"success.{cuts}", "set_P", "set_recall", "set_F", "Rprec"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, names, relevance_level=level).evaluate(run)
    expected = {
        "set_P": precision(judged, level=level),
        "set_recall": recall(judged, level=level),
        "set_F": f_beta(judged, level=level),
        "Rprec": r_precision(judged, level=level),
    }
    for k in CUTOFFS:
        expected[f"P_{k}"] = precision(judged, k, level)
        expected[f"recall_{k}"] = recall(judged, k, level=level)
        expected[f"success_{k}"] = success(judged, k, level)
    for name, values in expected.items():
        np.testing.assert_allclose(values, [theirs[q][name] for q in qrels], atol=1e-9, rtol=0, err_msg=name)


@pytest.mark.parametrize("x", [0.25, 2.0, 4.0])
def test_the_parameter_of_set_f_is_beta_squared(x):
    qrels, run = random_collection(seed=7)
    judged = ours(qrels, run)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {f"set_F_{x}"}).evaluate(run)
    expected = [theirs[q]["set_F"] for q in qrels]
    np.testing.assert_allclose(f_beta(judged, math.sqrt(x)), expected, atol=1e-9, rtol=0)
    assert not np.allclose(f_beta(judged, x), expected, atol=1e-3)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("level", [1, 2])
def test_values_are_those_of_ir_measures(seed, level):
    qrels, run = random_collection(seed + 100)
    judged, at = ours(qrels, run), ir_measures
    pairs = [
        (at.SetP(rel=level), precision(judged, level=level)),
        (at.SetF(rel=level), f_beta(judged, level=level)),
        (at.SetF(rel=level, beta=4.0), f_beta(judged, beta=2, level=level)),
        (at.Rprec(rel=level), r_precision(judged, level=level)),
        (at.Judged, judged_at(judged)),
    ]
    for k in CUTOFFS:
        pairs += [
            (at.P(rel=level) @ k, precision(judged, k, level)),
            (at.R(rel=level) @ k, recall(judged, k, level=level)),
            (at.Success(rel=level) @ k, success(judged, k, level)),
            (at.Judged @ k, judged_at(judged, k)),
        ]
    theirs = {(m.measure, m.query_id): m.value for m in ir_measures.iter_calc([m for m, _ in pairs], qrels, run)}
    for measure, values in pairs:
        expected = [theirs[measure, q] for q in qrels]
        np.testing.assert_allclose(values, expected, atol=1e-9, rtol=0, err_msg=str(measure))
