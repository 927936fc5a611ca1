"What must hold of every metric, whatever the lists: checked on lists that hypothesis makes up."
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from irmetrics_nb import (
    Judged,
    average_precision,
    bpref,
    geometric_mean,
    interpolated_precision,
    precision_recall_curve,
)
from irmetrics_nb.ap import DIVISORS
from irmetrics_nb.measures import KINDS, Measure, parse
from irmetrics_nb.rankings import scan

grade = st.integers(0, 4) | st.none()
ranking = st.lists(grade, max_size=25)
cutoff = st.none() | st.integers(1, 30)
NORMALISED = ['P', 'R', 'F', 'SetP', 'SetR', 'SetF', 'Success', 'Rprec', 'Judged', 'AP', 'IPrec', 'Bpref', 'nDCG', 'RR',
              'ERR', 'RBP', "AP(divisor='min(R,k)')", "AP(divisor='retrieved')", "nDCG(gain='exp')", "nDCG(discount='jarvelin')"]
UPWARD = ['AP', 'nDCG', 'ERR(max_grade=4)', 'RR', 'RBP', "nDCG(gain='exp')", 'DCG', 'P@5', 'R@5', 'AP@7', 'nDCG@7']


def text_of(kind): return Measure(kind) if KINDS[kind].at != 'k' else Measure(kind) @ 5


def ap_by_hand(rel, k=None, R=None):
    "The textbook's sum over ranks, in exact fractions."
    hits, total = 0, Fraction(0)
    for i, g in enumerate(rel[:k], 1):
        if g is not None and g >= 1:
            hits += 1
            total += Fraction(hits, i)
    R = sum(g is not None and g >= 1 for g in rel) if R is None else R
    return total / R if R else Fraction(0)


@given(ranking, cutoff, st.integers(0, 5))
def test_average_precision_is_the_textbooks_sum(rel, k, more):
    R = sum(g is not None and g >= 1 for g in rel) + more
    assert average_precision(rel, k, n_relevant=R) == pytest.approx(float(ap_by_hand(rel, k, R)), abs=1e-12)


@given(ranking)
def test_average_precision_is_the_area_under_the_precision_recall_curve(rel):
    recall, precision = precision_recall_curve(rel)
    assert np.sum(precision * np.diff(recall, prepend=0)) == pytest.approx(average_precision(rel), abs=1e-12)


@given(ranking, cutoff)
def test_the_divisors_of_ap_are_ordered_as_their_sizes(rel, k):
    relevant, least, retrieved = (average_precision(rel, k, divisor=d) for d in DIVISORS)
    assert relevant <= least + 1e-15 and least <= retrieved + 1e-15


@given(ranking, st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_interpolated_precision_is_the_best_precision_at_this_recall_or_higher(rel, levels):
    recall, precision = precision_recall_curve(rel)
    for x, value in zip(levels, interpolated_precision(rel, levels)):
        points = precision[(recall >= x - 1e-9) & (recall > 0)]
        assert value == pytest.approx(points.max(initial=0), abs=1e-12)


@given(ranking)
def test_bpref_does_not_see_documents_that_nobody_judged(rel):
    assert bpref(rel) == bpref([g for g in rel if g is not None])


@given(st.lists(st.floats(1e-5, 1), min_size=1))
def test_the_geometric_mean_never_exceeds_the_arithmetic_one(values):
    assert geometric_mean(values) <= np.mean(values) + 1e-12


@pytest.mark.parametrize('text', NORMALISED)
@given(rel=ranking, more=st.lists(st.integers(0, 4), max_size=5), k=st.integers(1, 30))
def test_a_normalised_measure_stays_between_zero_and_one(text, rel, more, k):
    m = parse(text)
    if m.kind.at == 'k': m = m @ k
    judged = Judged.from_grades([rel], [[g for g in rel if g is not None] + more])
    assert -1e-12 <= m.of(judged)[0] <= 1 + 1e-12


@pytest.mark.parametrize('text', UPWARD)
@given(rel=st.lists(st.integers(0, 4), min_size=2, max_size=20), data=st.data())
def test_swapping_a_better_document_upward_never_lowers_the_value(text, rel, data):
    i, j = sorted(data.draw(st.lists(st.integers(0, len(rel) - 1), min_size=2, max_size=2, unique=True)))
    assume(rel[j] > rel[i])
    better = list(rel)
    better[i], better[j] = rel[j], rel[i]
    assert parse(text).of(better) >= parse(text).of(rel) - 1e-12


@pytest.mark.parametrize('kind', KINDS)
@given(rel=ranking, data=st.data())
def test_irrelevant_documents_below_the_last_relevant_one_may_stand_in_any_order(kind, rel, data):
    last = max((i for i, g in enumerate(rel) if g), default=-1) + 1
    tail = data.draw(st.permutations([0 if g is None else g for g in rel[last:]]))
    same = rel[:last] + [0] * (len(rel) - last)
    m = text_of(kind)
    assert m.of(rel[:last] + tail) == m.of(same)


@pytest.mark.parametrize('kind', KINDS)
@given(lists=st.lists(ranking, min_size=1, max_size=6))
def test_a_batch_gives_what_its_lists_give_alone(kind, lists):
    m = text_of(kind) if kind != 'ERR' else parse('ERR(max_grade=4)@5')
    batch = m.of(lists)
    assert batch.tolist() == pytest.approx([m.of(x) for x in lists], abs=1e-12)
    parts = [Judged.from_grades([x]) for x in lists]
    assert m.of(Judged.concat(parts)).tolist() == pytest.approx(batch.tolist(), abs=1e-12)
    whole = Judged.from_grades(lists)
    assert [m.of(whole[q])[0] for q in range(len(whole))] == pytest.approx(batch.tolist(), abs=1e-12)


@pytest.mark.parametrize('kind', KINDS)
@given(rel=st.lists(grade, min_size=1, max_size=15))
def test_lists_tuples_and_arrays_are_the_same_ranking(kind, rel):
    m, values = text_of(kind), [float('nan') if g is None else float(g) for g in rel]
    assert m.of(rel) == m.of(tuple(rel)) == m.of(np.array(values)) == m.of(np.array([values]))[0] == m.of([rel])[0]


@given(st.lists(st.lists(st.integers(-9, 9), max_size=20), max_size=6), st.sampled_from([np.add, np.maximum, np.multiply]))
def test_a_scan_is_the_running_operation_of_every_query(lists, op):
    query = np.repeat(np.arange(len(lists)), [len(x) for x in lists])
    values = np.array([float(v) for x in lists for v in x])
    expected = [r for x in lists for r in op.accumulate(np.array(x, dtype=float))] if values.size else []
    assert scan(op, values, query) == pytest.approx(expected)


@given(st.lists(st.integers(1, 40), unique=True, max_size=12), st.integers(0, 6), st.integers(0, 9))
def test_a_ranking_told_by_ranks_equals_the_ranking_told_by_grades(ranks, missing, below):
    last = max(ranks, default=0)
    rel = [int(i in ranks) for i in range(1, last + below + 1)]
    told = Judged.from_ranks([ranks], n_relevant=len(ranks) + missing, n_retrieved=last + below)
    for text in ('AP', 'P@10', 'R@10', 'RR', 'nDCG@10'):
        listed = Judged.from_grades([rel], [[1] * (len(ranks) + missing)])
        assert parse(text).of(told)[0] == pytest.approx(parse(text).of(listed)[0], abs=1e-15), text


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-5, 5)), min_size=1, max_size=30))
def test_a_ranking_told_by_scores_is_the_stable_sort(items):
    labels, scores = zip(*items)
    order = sorted(range(len(items)), key=lambda i: -scores[i])
    assert Judged.from_scores(labels, scores).grade.tolist() == [labels[i] for i in order]
