"Average precision and its kin: the forms of one number, and the order of its variants."
import re
from fractions import Fraction

import numpy as np
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import batch, collections, cutoffs, rankings, searches, words

from irmetrics_nb.core.measures import geometric_mean
from irmetrics_nb.metrics.ap import average_precision, bpref, interpolated_precision, precision_recall_curve


@given(rankings, cutoffs, st.integers(0, 5))
def test_average_precision_is_the_textbooks_sum_with_R_as_the_caller_states_it(rel, k, more):
    known = [g for g in rel if g is not None]
    expected = oracles.average_precision(rel, known + [1] * more, k)
    R = oracles.total_relevant(rel, known) + more
    assert average_precision(rel, k=k, n_relevant=R) == pytest.approx(float(expected), rel=1e-12)


def test_the_running_example_is_worked_by_hand():
    terms = [Fraction(1, 1), 0, 0, Fraction(2, 4), Fraction(3, 5), Fraction(4, 6)]
    oracles.close(average_precision.terms([3, 0, 0, 1, 2, 1]), terms)
    assert average_precision([3, 0, 0, 1, 2, 1], n_relevant=5) == pytest.approx(float(sum(terms) / 5), rel=1e-15)


@given(rankings)
def test_average_precision_is_the_area_under_the_precision_recall_curve(rel):
    recall, precision = precision_recall_curve(rel)
    assert np.sum(precision * np.diff(recall, prepend=0)) == pytest.approx(average_precision(rel), abs=1e-12)


@given(collections())
def test_the_curve_is_precision_and_recall_at_every_rank(collection):
    for search, (recall, precision) in zip(collection, precision_recall_curve(batch(collection)), strict=True):
        ranks = range(1, len(search[0]) + 1)
        oracles.close(recall, [oracles.recall(*search, k) for k in ranks])
        oracles.close(precision, [oracles.precision(*search, k) for k in ranks])


@given(rankings, cutoffs)
def test_the_divisors_of_ap_are_ordered_as_their_sizes(rel, k):
    relevant, least, listed, retrieved = (average_precision(rel, k=k, divisor=d) for d in words("AP", "divisor"))
    assert relevant <= least + 1e-15
    assert least <= listed + 1e-15
    assert listed <= retrieved + 1e-15


def test_unknown_divisor_is_an_error_that_lists_the_divisors():
    with pytest.raises(ValueError, match=re.escape(f"divisor must be {' or '.join(map(repr, words('AP', 'divisor')))}, not 'R'")):
        average_precision([1], divisor="R")


@given(rankings, st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_interpolated_precision_is_the_best_precision_at_this_recall_or_higher(rel, levels):
    recall, precision = precision_recall_curve(rel)
    for x, value in zip(levels, interpolated_precision(rel, recall=levels)):
        points = precision[(recall >= x - 1e-9) & (recall > 0)]
        assert value == pytest.approx(points.max(initial=0), abs=1e-12)


@given(searches(), cutoffs)
def test_interpolated_precision_never_rises_with_recall(search, k):
    assert np.all(np.diff(interpolated_precision(batch([search]), k=k)[0]) <= 0)


@pytest.mark.parametrize("level", [-0.1, 1.1, float("nan"), [0.5, 2]])
def test_a_recall_level_outside_0_and_1_is_refused(level):
    with pytest.raises(ValueError, match=r"recall levels must lie in \[0, 1\], not "):
        interpolated_precision([1], recall=level)


@given(rankings)
def test_bpref_ignores_unjudged_documents(rel):
    assert bpref(rel) == bpref([g for g in rel if g is not None])


@given(st.lists(st.floats(1e-5, 1), min_size=1))
def test_the_geometric_mean_never_exceeds_the_arithmetic_one(values):
    assert geometric_mean(values) <= np.mean(values) + 1e-12


def test_the_geometric_mean_of_powers_of_two_is_a_power_of_two():
    assert geometric_mean([1 / 2, 1 / 8]) == pytest.approx(1 / 4, rel=1e-15)
    assert geometric_mean([0, 1]) == pytest.approx(1e-5**0.5, rel=1e-12)
    assert geometric_mean([0, 1], floor=1 / 4) == pytest.approx(1 / 2, rel=1e-15)


def test_the_geometric_mean_of_nothing_is_nan_and_a_negative_value_is_refused():
    assert np.isnan(geometric_mean([]))
    with pytest.raises(ValueError, match="needs values >= 0, not -0.5"):
        geometric_mean([1, -0.5])
