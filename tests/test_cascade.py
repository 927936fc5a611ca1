"""RR, ERR and RBP: properties that must hold, slow obvious spellings, and the numbers of other tools."""
import shutil
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from irmetrics_nb.cascade import (
    PHIS,
    as_phi,
    err,
    err_terms,
    examination_probabilities,
    largest_grade,
    rbp,
    rbp_residual,
    rbp_terms,
    reciprocal_rank,
    relevance_probabilities,
    rr_terms,
    stopping_probabilities,
)
from irmetrics_nb.rankings import Judged

grade = st.one_of(st.none(), st.integers(-1, 4))
grades = st.lists(grade, max_size=12)
batches = st.lists(grades, min_size=1, max_size=5)
cutoffs = st.one_of(st.none(), st.integers(1, 14))
persistences = st.sampled_from([Fraction(1, 10), Fraction(1, 2), Fraction(4, 5), Fraction(19, 20)])
METRICS = {'RR': reciprocal_rank, 'ERR': lambda g: err(g, max_grade=4), 'ERR, log2': lambda g: err(g, max_grade=4, phi='log2'),
           'RBP': rbp, 'graded RBP': lambda g: rbp(g, gain=lambda x: np.maximum(x, 0) / 4)}


def slow_rr(grades, k=None, level=1):
    "Look at one document after the other."
    for i, g in enumerate(grades[:k], start=1):
        if g is not None and g >= level: return Fraction(1, i)
    return Fraction(0)


def slow_err(grades, max_grade, k=None):
    "The one-pass algorithm of the paper, in exact fractions."
    reading, total = Fraction(1), Fraction(0)
    for i, g in enumerate(grades[:k], start=1):
        satisfied = Fraction(2**max(g or 0, 0) - 1, 2**max_grade)
        total, reading = total + reading * satisfied / i, reading * (1 - satisfied)
    return total


def slow_rbp(grades, p, k=None, level=1):
    "A reader who goes on with probability p, in exact fractions."
    looks, total = Fraction(1), Fraction(0)
    for g in grades[:k]:
        total, looks = total + looks * (g is not None and g >= level), looks * p
    return (1 - p) * total


def close(values, expected): np.testing.assert_allclose(values, [float(x) for x in expected], rtol=0, atol=1e-12)


@given(batches, cutoffs, st.integers(1, 4))
def test_rr_of_a_batch_is_that_of_the_slow_loop(lists, k, level):
    close(reciprocal_rank(lists, k=k, level=level), [slow_rr(g, k, level) for g in lists])


@given(batches, cutoffs, st.integers(4, 8))
def test_err_of_a_batch_is_that_of_the_papers_algorithm(lists, k, max_grade):
    close(err(lists, max_grade=max_grade, k=k), [slow_err(g, max_grade, k) for g in lists])


@given(batches, cutoffs, persistences, st.integers(1, 4))
def test_rbp_of_a_batch_is_that_of_the_slow_loop(lists, k, p, level):
    close(rbp(lists, p=float(p), k=k, level=level), [slow_rbp(g, p, k, level) for g in lists])


@given(grades, cutoffs, persistences)
def test_residual_is_what_rbp_gains_when_all_the_unknown_is_perfect(grades, k, p):
    unknown = [1 if g is None else 0 for g in grades[:k]]
    close(rbp_residual([grades], p=float(p), k=k), [slow_rbp(unknown, p) + p**len(unknown)])


@given(grades, cutoffs)
def test_rbp_and_its_residual_together_never_exceed_one(grades, k):
    assert rbp(grades, k=k) + rbp_residual(grades, k=k) <= 1 + 1e-12


@given(batches)
def test_without_max_grade_the_largest_judged_grade_of_the_batch_counts(lists):
    top = max([g for lst in lists for g in lst if g is not None] + [0])
    assert largest_grade(Judged.from_grades(lists)) == top
    close(err(lists), [slow_err(g, top) for g in lists])


def test_the_largest_grade_is_looked_for_among_documents_never_retrieved_too():
    unseen = Judged.from_grades([1], ideal=[1, 3])
    assert err(unseen)[0] == 1 / 8
    with pytest.raises(ValueError, match='max_grade=2, but the judgments hold a grade 3'): err(unseen, max_grade=2)


@given(grades)
def test_stopping_probabilities_and_those_left_unsatisfied_sum_to_one(grades):
    stop = stopping_probabilities(grades, max_grade=4)
    left = np.prod(1 - relevance_probabilities(grades, max_grade=4))
    assert np.all(stop >= 0) and stop.sum() <= 1
    assert stop.sum() + left == pytest.approx(1, abs=1e-12)


@given(batches)
def test_examination_starts_at_one_in_every_query_and_never_rises(lists):
    judged = Judged.from_grades(lists)
    E = examination_probabilities(judged, max_grade=4)
    for q in range(len(judged)):
        own = E[judged.query == q]
        assert own.size == 0 or own[0] == 1
        assert np.all(np.diff(own) <= 0)


@pytest.mark.parametrize('metric', METRICS)
@given(grades, st.data())
def test_swapping_a_better_document_upward_never_lowers_a_value(metric, grades, data):
    worth = [max(g or 0, 0) for g in grades]
    pairs = [(i, j) for i in range(len(grades)) for j in range(i) if worth[j] < worth[i]]
    assume(pairs)
    i, j = data.draw(st.sampled_from(pairs))
    better = list(grades)
    better[i], better[j] = grades[j], grades[i]
    assert METRICS[metric](better) >= METRICS[metric](grades) - 1e-12


@pytest.mark.parametrize('metric', METRICS)
@given(batches)
def test_values_lie_between_zero_and_one(metric, lists):
    values = METRICS[metric](lists)
    assert values.shape == (len(lists),) and np.all((values >= 0) & (values <= 1))


@pytest.mark.parametrize('metric', METRICS)
@given(batches)
def test_a_single_list_is_a_batch_of_one_and_a_batch_is_its_lists(metric, lists):
    alone = [METRICS[metric](g) for g in lists]
    assert all(type(x) is float for x in alone)
    np.testing.assert_allclose(METRICS[metric](lists), alone, rtol=0, atol=1e-12)
    np.testing.assert_allclose(METRICS[metric](Judged.from_grades(lists)), alone, rtol=0, atol=1e-12)


@given(batches)
def test_every_metric_is_the_sum_of_its_public_terms(lists):
    judged = Judged.from_grades(lists)
    for metric, terms in ((reciprocal_rank, rr_terms), (err, err_terms), (rbp, rbp_terms)):
        np.testing.assert_allclose(metric(judged), judged.total(terms(judged)), rtol=0, atol=1e-15)


@given(grades)
def test_a_document_that_nobody_judged_counts_like_one_of_grade_zero(grades):
    known = [g or 0 for g in grades]
    for metric in METRICS.values(): assert metric(grades) == pytest.approx(metric(known), abs=1e-12)


@given(st.lists(st.sampled_from([0, 40]), max_size=12))
def test_err_is_reciprocal_rank_where_relevance_is_certain(grades):
    assert err(grades, max_grade=40) == pytest.approx(reciprocal_rank(grades), abs=1e-9)


@given(st.lists(st.integers(0, 1), max_size=12))
def test_err_of_binary_grades_halves_the_readers_at_every_relevant_document(rel):
    ranks = [i for i, r in enumerate(rel, start=1) if r]
    expected = sum(Fraction(1, 2**n * i) for n, i in enumerate(ranks, start=1))
    assert err(rel, max_grade=1) == pytest.approx(float(expected), abs=1e-12)


def test_a_walk_with_chance_agrees_with_the_formulas():
    rng, grades, n = np.random.default_rng(5), [3, 0, 0, 1, 2, 1], 200_000
    satisfied = rng.random((n, 6)) < relevance_probabilities(grades)
    earned = np.where(satisfied.any(axis=1), 1 / (satisfied.argmax(axis=1) + 1), 0)
    assert earned.mean() == pytest.approx(err(grades), abs=4 * earned.std() / n**.5)
    looked_at = rng.geometric(1 - .8, n)
    found = np.cumsum([0, 1, 0, 0, 1, 1, 1])[np.minimum(looked_at, 6)]
    assert found.mean() / 5 == pytest.approx(rbp(grades), abs=4 * found.std() / 5 / n**.5)


def test_phi_is_given_ranks_as_floats_so_that_negative_powers_work():
    assert err([0, 1], phi=lambda i: i**-2) == 1 / 8


def test_no_discount_at_all_gives_the_chance_of_being_satisfied():
    assert err([3, 0, 0, 1, 2, 1], phi=lambda i: np.ones_like(i)) == pytest.approx(1 - 245 / 4096, abs=1e-12)


@pytest.mark.parametrize('call, says', [
    (lambda: reciprocal_rank([1], k=0), 'not 0'),
    (lambda: err([1], k=1.5), 'not 1.5'),
    (lambda: err([3], max_grade=2), 'max_grade=2, but the judgments hold a grade 3'),
    (lambda: err([1], max_grade=.5), 'not 0.5'),
    (lambda: err([1], max_grade=float('nan')), 'not nan'),
    (lambda: err([1], max_grade=float('inf')), 'not inf'),
    (lambda: err([1], max_grade='4'), "not '4'"),
    (lambda: err([1], max_grade=True), 'not True'),
    (lambda: err([1], phi='sqrt'), "unknown phi 'sqrt'"),
    (lambda: err([1], phi=lambda i: 1 / (i + 1)), r'phi\(1\) must be 1, not 0.5'),
    (lambda: rbp([1], p=0), 'not 0'),
    (lambda: rbp([1], p=1.2), r'not 1.2$'),
    (lambda: rbp([1], 10), r'not 10 \(the cutoff is another argument, k\)'),
    (lambda: rbp([1], p='0.8'), "not '0.8'"),
    (lambda: rbp_residual([1], p=1), 'not 1'),
    (lambda: rbp([2], gain='linear'), r"must lie in \[0, 1\], not 2: use 'binary'"),
    (lambda: rbp([-1], gain='linear'), r'must lie in \[0, 1\], not -1'),
    (lambda: rbp([1], gain=lambda g: g * float('nan')), 'not nan'),
    (lambda: rbp([1], gain='cubic'), r"unknown gain 'cubic': use 'binary', one of \['exp', 'linear'\]"),
    (lambda: rbp([1, 2], gain={1: 1}), 'no grade 2'),
])
def test_a_wrong_argument_is_refused_with_its_value(call, says):
    with pytest.raises(ValueError, match=says): call()


def test_the_order_of_the_arguments_is_the_largest_grade_the_cutoff_and_phi():
    assert err([3, 0, 1], 4, 1, 'log2') == err([3, 0, 1], max_grade=4, k=1, phi='log2') == 7 / 16
    assert rbp([1, 1], .5) == rbp([1, 1], p=.5) == 3 / 4


@pytest.mark.parametrize('name', PHIS)
def test_every_named_phi_starts_at_one_and_falls(name):
    weights = as_phi(name)(np.arange(1, 1000))
    assert weights[0] == 1 and np.all(np.diff(weights) < 0)


def test_very_large_grades_do_not_overflow():
    assert err([0, 5000]) == .5


# ---- other tools, on random lists with distinct scores

def random_lists(seed, lowest=0, n=150):
    "Lists of grades, None where nobody judged; every list holds a judged document."
    rng = np.random.default_rng(seed)
    lists = [[None if x > 4 else int(x) for x in rng.integers(lowest, 7, size=rng.integers(1, 30))] for _ in range(n)]
    return [lst for lst in lists if any(g is not None for g in lst)]


def as_files(lists):
    "The same as nested dicts: judgments, and a run with whole-number scores, none equal."
    qrels = {f'{q}': {f'd{i}': g for i, g in enumerate(lst) if g is not None} for q, lst in enumerate(lists)}
    run = {f'{q}': {f'd{i}': float(len(lst) - i) for i in range(len(lst))} for q, lst in enumerate(lists)}
    return qrels, run


def ir_measures_values(measure, lists):
    ir_measures = pytest.importorskip('ir_measures')
    qrels, run = as_files(lists)
    found = {m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, run)}
    return [found.get(q, 0) for q in qrels]


@pytest.mark.parametrize('level', [1, 2, 3])
def test_rr_agrees_with_trec_eval(level):
    pytrec_eval = pytest.importorskip('pytrec_eval')
    lists = random_lists(1, lowest=-1)
    qrels, run = as_files(lists)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {'recip_rank'}, relevance_level=level).evaluate(run)
    expected = [theirs[q]['recip_rank'] for q in qrels]
    assert len(set(expected)) >= 5
    np.testing.assert_allclose(reciprocal_rank(lists, level=level), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize('k', [1, 3, 10])
def test_rr_at_k_agrees_with_the_ms_marco_script(k):
    ir_measures = pytest.importorskip('ir_measures')
    lists = random_lists(2)
    expected = ir_measures_values(ir_measures.RR(rel=2) @ k, lists)
    np.testing.assert_allclose(reciprocal_rank(lists, k=k, level=2), expected, rtol=0, atol=1e-9)


@pytest.mark.skipif(shutil.which('perl') is None, reason='gdeval is a Perl script')
@pytest.mark.parametrize('k', [1, 5, 20])
def test_err_with_largest_grade_four_agrees_with_gdeval(k):
    ir_measures = pytest.importorskip('ir_measures')
    lists = random_lists(3, lowest=-1)
    expected = ir_measures_values(ir_measures.ERR @ k, lists)
    assert len(set(expected)) >= 5
    np.testing.assert_allclose(err(lists, max_grade=4, k=k), expected, rtol=0, atol=5.1e-6)  # it prints five digits


@pytest.mark.parametrize('p', [.5, .8, .95])
def test_rbp_agrees_with_cwl_eval(p):
    pytest.importorskip('cwl')
    ir_measures = pytest.importorskip('ir_measures')
    lists = random_lists(4)
    expected = ir_measures_values(ir_measures.RBP(rel=1, p=p), lists)
    np.testing.assert_allclose(rbp(lists, p=p), expected, rtol=0, atol=1e-9)
