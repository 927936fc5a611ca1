"""RR, ERR and RBP: readers who stop, in exact fractions and by chance, and what is refused."""
from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import numpy as np
import oracles
import pytest
from cwl.ruler.measures.cwl_inst import INSTCWLMetric
from hypothesis import given
from hypothesis import strategies as st
from strategies import batch, batches, collections, cutoffs, rankings

from irmetrics_nb.core.judged import Judged
from irmetrics_nb.metrics.cascade import (
    PHIS,
    as_phi,
    err,
    examination_probabilities,
    largest_grade,
    rbp,
    rbp_residual,
    reciprocal_rank,
    relevance_probabilities,
    stopping_probabilities,
)

persistences = st.sampled_from([0.1, 0.5, 0.8, 0.95])


@given(rankings, cutoffs, persistences)
def test_residual_is_what_rbp_gains_when_all_the_unknown_is_perfect(grades, k, p):
    unknown = [1 if g is None else 0 for g in grades[:k]]
    below = Fraction(p) ** len(unknown)
    oracles.close([rbp_residual(grades, p=p, k=k)], [oracles.rbp(unknown, [], p) + below])


@given(rankings, cutoffs)
def test_rbp_and_its_residual_together_never_exceed_one(grades, k):
    assert 0 < rbp_residual(grades, k=k) <= 1 - rbp(grades, k=k) + 1e-12


@given(collections())
def test_without_max_grade_the_largest_judged_grade_of_the_batch_counts_retrieved_or_not(collection):
    top = max([g for _, pool in collection for g in pool] + [0])
    assert largest_grade(batch(collection)) == top
    oracles.close(err(batch(collection)), [oracles.err(*search, top) for search in collection])


def test_the_largest_grade_is_looked_for_among_documents_never_retrieved_too():
    unseen = Judged.from_grades([1], ideal=[1, 3])
    assert err(unseen)[0] == 1 / 8
    with pytest.raises(ValueError, match='max_grade=2, but the judgments contain the grade 3'):
        err(unseen, max_grade=2)


def test_the_largest_grade_may_be_a_fraction():
    assert err([0.5], max_grade=0.5) == pytest.approx((2**0.5 - 1) / 2**0.5, rel=1e-12)


@given(rankings)
def test_stopping_probabilities_and_those_left_unsatisfied_sum_to_one(grades):
    stop = stopping_probabilities(grades, max_grade=4)
    left = np.prod(1 - relevance_probabilities(grades, max_grade=4))
    assert np.all(stop >= 0)
    assert stop.sum() <= 1
    assert stop.sum() + left == pytest.approx(1, abs=1e-12)


@given(batches)
def test_examination_starts_at_one_in_every_query_and_never_rises(lists):
    judged = Judged.from_grades(lists)
    E = examination_probabilities(judged, max_grade=4)
    for q in range(len(judged)):
        own = E[judged.query == q]
        assert own.size == 0 or own[0] == 1
        assert np.all(np.diff(own) <= 0)


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


def test_every_argument_does_its_part_of_a_value_worked_by_hand():
    assert err([3, 0, 1], max_grade=4) == 7 / 16 + 9 / 16 * 1 / 16 / 3
    assert err([3, 0, 1], max_grade=4, k=1, phi='log2') == 7 / 16
    assert err([0, 0, 1], max_grade=4, phi='log2') == 1 / 16 / 2
    assert rbp([1, 1], p=.5) == 3 / 4
    assert rbp([1, 2], p=.5, rel=2) == 1 / 4


@pytest.mark.parametrize('call, says', [
    (lambda: reciprocal_rank([1], k=0), 'not 0'),
    (lambda: err([1], k=1.5), 'not 1.5'),
    (lambda: err([3], max_grade=2), 'max_grade=2, but the judgments contain the grade 3'),
    (lambda: err([1], max_grade=0), 'above 0 or None, not 0'),
    (lambda: err([1], max_grade=-1), 'above 0 or None, not -1'),
    (lambda: err([1], max_grade=.5), 'max_grade=0.5, but the judgments contain the grade 1'),
    (lambda: err([1], max_grade=float('nan')), 'not nan'),
    (lambda: err([1], max_grade=float('inf')), 'not inf'),
    (lambda: err([1], max_grade='4'), "not '4'"),
    (lambda: err([1], max_grade=True), 'not True'),
    (lambda: err([1], phi='sqrt'), "unknown phi 'sqrt'"),
    (lambda: err([1], phi=lambda i: 1 / (i + 1)), r'phi\(1\) must be 1, not 0.5'),
    (lambda: rbp([1], p=0), 'not 0'),
    (lambda: rbp([1], p=1.2), r'not 1.2$'),
    (lambda: rbp([1], p=10), r'\(the cutoff is k\), not 10'),
    (lambda: rbp([1], p='0.8'), "not '0.8'"),
    (lambda: rbp_residual([1], p=1), 'not 1'),
    (lambda: rbp([2], gain='linear'), r"must lie in \[0, 1\], not 2: use gain='binary'"),
    (lambda: rbp([-1], gain='linear'), r'must lie in \[0, 1\], not -1'),
    (lambda: rbp([1], gain=lambda g: g * float('nan')), 'not nan'),
    (lambda: rbp([1], gain='cubic'), r"unknown gain 'cubic': use one of \['binary', 'exp', 'linear'\], 'raw', a mapping"),
    (lambda: rbp([1, 2], gain={1: 1}), 'no grade 2'),
])
def test_a_wrong_argument_is_refused_with_its_value(call, says):
    with pytest.raises(ValueError, match=says):
        call()


@pytest.mark.parametrize('name', PHIS)
def test_every_named_phi_starts_at_one_and_falls(name):
    weights = as_phi(name)(np.arange(1, 1000))
    assert weights[0] == 1
    assert np.all(np.diff(weights) < 0)


def test_very_large_grades_do_not_overflow():
    assert err([0, 5000]) == .5


@given(st.lists(st.sampled_from([None, 0, 1, 2, 3]), max_size=6), st.data())
def test_grades_of_unjudged_documents_keep_err_within_bounds(grades, data):
    drawn = [data.draw(st.integers(0, 3)) if g is None else g for g in [*grades, *[None] * 3]]
    highest = [3 if g is None else g for g in grades] + [3] * 100
    low, value, high = (err(each, max_grade=3) for each in (grades, drawn, highest))
    assert low - 1e-12 <= value <= high + 1e-12 < 1


def inst_of_cwl(gains, wanted):
    "INST of a list of gains, from the probabilities of going on that cwl-eval has; `wanted`: how much its reader looks for."
    going_on = INSTCWLMetric(wanted).c_vector(SimpleNamespace(get_gain_vector=lambda worse_case: np.array(gains, float)))
    weights = np.cumprod([1, *going_on[:-1]])
    return weights @ gains / weights.sum()


@pytest.mark.parametrize('wanted', [1, 2, 5])
@pytest.mark.parametrize('below', [0, 1])
def test_relevant_documents_never_lower_inst(wanted, below):
    value = {seen: inst_of_cwl([*seen, *[below] * 200], wanted) for seen in product([0, 1], repeat=7)}
    for seen in value:
        better = [(*seen[:i], 1, *seen[i + 1:]) for i in range(7)]
        assert all(value[seen] <= value[each] + 1e-12 for each in better)
    assert value[0, 0, 0, 0, 0, 0, 1] < value[1, 0, 0, 0, 0, 0, 1]
