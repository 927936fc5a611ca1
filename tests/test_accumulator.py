"What is counted batch by batch is what an evaluation of everything gives."
import pickle
import tracemalloc
from fractions import Fraction
from math import fsum, isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from irmetrics_nb import Accumulator, Conventions, Judged, Scores, auc, evaluate, gauc, nDCG
from irmetrics_nb.evaluation.accumulator import exact_sum
from irmetrics_nb.metrics.auc import ScoreHistogram

MEASURES = "AP nDCG@3 RR P@2 Success@1 GMAP NumRel NumRet ERR(max_grade=4) RBP nDCG(gain='exp')@2".split()
pytestmark = pytest.mark.filterwarnings("ignore::irmetrics_nb.EvaluationWarning")

# Groups of (score, label); halves, so that there are ties, and some numbers that need all their bits.
score = st.integers(-4, 4).map(lambda x: x / 2) | st.floats(-1e9, 1e9)
group = st.lists(st.tuples(score, st.integers(0, 4)), min_size=1, max_size=8)
streams = st.lists(st.lists(group, min_size=1, max_size=4), min_size=1, max_size=5)
no_relevant = st.sampled_from(["zero", "skip", "nan", "one"])


def columns(groups):
    "Scores, labels and sizes of some groups."
    flat = [item for g in groups for item in g]
    return [s for s, _ in flat], [label for _, label in flat], [len(g) for g in groups]


def counted(stream, *args, **how):
    "An accumulator, and the scores that each update gave."
    accumulator = Accumulator(*args, **how)
    return accumulator, [accumulator.update(y, s, sizes=n).batch_scores for s, y, n in map(columns, stream)]


def evaluated(stream, **how):
    "An evaluation of everything, the groups numbered from 0."
    groups = [g for part in stream for g in part]
    qrels = {str(q): {f"d{i}": label for i, (_, label) in enumerate(g)} for q, g in enumerate(groups)}
    run = {str(q): {f"d{i}": s for i, (s, _) in enumerate(g)} for q, g in enumerate(groups)}
    return evaluate(qrels, run, MEASURES, **how)


@given(streams, no_relevant, st.sampled_from(["given", "average"]))
def test_it_equals_evaluate_on_everything_bit_for_bit_per_query(stream, nothing, ties):
    accumulator, parts = counted(stream, MEASURES, no_relevant=nothing, ties=ties)
    whole, found = evaluated(stream, no_relevant=nothing, ties=ties), Scores.concat(parts)
    assert found.query_ids == whole.query_ids
    for measure in MEASURES:
        least = 0 if ties == "given" else 1e-15  # the mean over all orders is taken from another one
        assert found[measure].tolist() == pytest.approx(whole[measure].tolist(), rel=0, abs=least, nan_ok=True), measure
    assert dict(accumulator.compute()) == pytest.approx(whole.means, rel=1e-12, abs=1e-12, nan_ok=True)
    assert (accumulator.groups, accumulator.items) == (sum(map(len, stream)), sum(len(g) for part in stream for g in part))
    assert accumulator.no_relevant == whole.no_relevant


@given(streams, st.data())
def test_merged_pickled_and_in_another_order_it_is_the_same(stream, data):
    asked = dict(auc=True, weights=data.draw(st.sampled_from([None, "impressions", "positives"])), bins=data.draw(st.integers(1, 20)))
    whole, _ = counted(stream, MEASURES, **asked)
    cut = data.draw(st.integers(0, len(stream)))
    parts = data.draw(st.permutations(stream))
    one, other = (counted(part, MEASURES, **asked)[0] for part in (parts[:cut], parts[cut:]))
    merged = one.merge(pickle.loads(pickle.dumps(other)))
    assert dict(merged.compute()) == pytest.approx(dict(whole.compute()), rel=1e-13, abs=1e-13, nan_ok=True)
    assert (merged.groups, merged.items, merged.skipped) == (whole.groups, whole.items, whole.skipped)
    for name in "key", "positives", "negatives", "low", "high", "forgotten":
        assert np.array_equal(getattr(merged.histogram, name), getattr(whole.histogram, name)), name


@given(streams, st.integers(1, 30), st.sampled_from([1, 2]))
def test_the_auc_of_everything_lies_within_its_bound_and_is_exact_while_there_are_bins_enough(stream, bins, rel):
    accumulator, _ = counted(stream, "AP", auc=True, bins=bins, rel=rel)
    scores, labels, _ = columns([g for part in stream for g in part])
    true, (value, error) = auc(labels, scores, rel=rel), accumulator.auc
    if isnan(true):
        assert isnan(value)
        return
    assert abs(true - value) <= error + 1e-15
    assert true == pytest.approx(roc_auc_score(np.array(labels) >= rel, scores), abs=1e-12)
    if len(set(scores)) <= bins:
        assert (value, error) == (true, 0)
    assert len(accumulator.histogram) <= bins


@given(st.lists(st.tuples(st.floats(allow_nan=False), st.booleans()), max_size=60), st.integers(1, 8))
def test_the_bound_is_what_the_worst_and_the_best_order_within_the_bins_would_give(items, bins):
    histogram = ScoreHistogram(bins)
    histogram.update([y for _, y in items], [s for s, _ in items])
    value, error = histogram.auc
    if isnan(value):
        return
    where = [next(b for b, (low, high) in enumerate(zip(histogram.low, histogram.high)) if low <= s <= high) for s, _ in items]

    def pairs(inside):
        points = Fraction(0)
        for (_, y), a in zip(items, where):
            for (_, z), b in zip(items, where):
                if y and not z:
                    tie = Fraction(1, 2) if histogram.low[a] == histogram.high[a] else inside
                    points += tie if a == b else a < b
        return points / (sum(y for _, y in items) * sum(not y for _, y in items))

    assert value - error == pytest.approx(float(pairs(Fraction(0))), abs=1e-12)
    assert value + error == pytest.approx(float(pairs(Fraction(1))), abs=1e-12)


@given(streams, st.sampled_from([None, "impressions", "positives"]))
def test_gauc_of_a_stream_equals_gauc_of_all_rows(stream, weights):
    accumulator, _ = counted(stream, "AP", auc=True, weights=weights)
    scores, labels, sizes = columns([g for part in stream for g in part])
    users = np.repeat(np.arange(len(sizes)), sizes)
    assert accumulator.gauc == pytest.approx(gauc(labels, scores, users, weights=weights), abs=1e-13, nan_ok=True)


@given(st.lists(st.lists(st.floats(-1e12, 1e12), max_size=20), max_size=9))
def test_a_sum_in_parts_is_the_exact_sum_of_all_to_thirty_digits_of_its_largest_term(parts):
    total = exact_sum([])
    for part in parts:
        total = exact_sum([*total, *part])
    exact = sum((Fraction(x) for part in parts for x in part), Fraction(0))
    largest = max((abs(x) for part in parts for x in part), default=0)
    assert abs(sum(map(Fraction, total)) - exact) <= Fraction(largest) / 10**30 * len(parts)
    assert total[0] == pytest.approx(fsum(x for part in parts for x in part), rel=1e-15, abs=1e-30 * largest * len(parts))


def test_users_by_name_are_named_in_the_scores_of_an_update():
    found = Accumulator("RR").update([1, 0, 1], [0.1, 0.9, 0.5], ["bob", "bob", "ann"]).batch_scores
    assert (found.query_ids, found["RR"].tolist()) == (("ann", "bob"), [1.0, 0.5])
    assert found.conventions.negative == "keep"


def test_kinds_of_measures_that_compare_scores_otherwise_do_so_in_a_stream_too():
    # as floats of 32 bits both scores are equal, and the first item stays first; of 64 bits the relevant one is
    accumulator = Accumulator("RR P@1 RBP(p=0.5) ERR(max_grade=1)", conventions="ir_measures", ties="given")
    accumulator.update([0, 1], [1.0, 1.0 + 1e-9])
    assert accumulator.compute() == {"RR": 0.5, "P@1": 0, "RBP(p=0.5)": 0.5, "ERR(max_grade=1)": 0.5}


def test_a_kind_of_measures_whose_ties_go_by_id_is_refused():
    with pytest.raises(ValueError, match="break ties by document id"):
        Accumulator("AP", conventions=Conventions(ties="given", measures=(("AP", "ties", "docid"),)))


def test_a_wrong_batch_is_refused_and_not_counted():
    accumulator = Accumulator("AP ERR(max_grade=2)", auc=True)
    for scores, labels, how, says in [([1, nan], [1, 0], {}, "scores must not be NaN: item 1"), ([1, 2], [1, 0], dict(sizes=[3]), "sizes add up to 3"),
                                      ([1, 2], [5, 0], {}, "max_grade"), ([1], [1, 0], {}, "2 labels and 1 scores")]:  # fmt: skip
        with pytest.raises(ValueError, match=says):
            accumulator.update(labels, scores, **how)
    assert (accumulator.groups, accumulator.items, len(accumulator.histogram)) == (0, 0, 0)
    assert all(isnan(x) for x in accumulator.compute().values())


def test_top_k_lists_are_counted_too_and_any_spelling_finds_a_mean():
    accumulator = Accumulator("Success@1 AP")
    accumulator.add(Judged.from_topk([[7, 3], [5, 7]], [[3, 4], [5]]))
    assert accumulator.compute()["map"] == (0.25 + 1) / 2
    assert accumulator.compute()["Success@1"] == 0.5
    with pytest.raises(KeyError):
        accumulator.compute()["RR"]


def test_memory_does_not_grow_with_the_stream():
    rng = np.random.default_rng(0)
    accumulator = Accumulator("nDCG@10 AP", auc=True, bins=1000)

    def some(updates):
        for _ in range(updates):
            accumulator.update(rng.integers(0, 2, 5000), rng.normal(size=5000), sizes=np.full(50, 100))

    some(2)
    tracemalloc.start()
    some(2)
    before = tracemalloc.get_traced_memory()[0]
    some(20)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 50_000
    assert len(accumulator.histogram) <= 1000
    assert len(pickle.dumps(accumulator)) < 60_000


def test_users_without_relevant_items_count_in_of_and_in_a_stream():
    batch = Judged.from_topk([[1, 2], [3, 4]], [[1], []])
    counted, left_out = Accumulator("nDCG@2"), Accumulator("nDCG@2", no_relevant="skip")
    assert counted.add(batch).batch_scores["nDCG@2"].tolist() == (nDCG @ 2).of(batch).tolist() == [1, 0]
    assert left_out.add(batch).batch_scores["nDCG@2"].tolist() == [1]
    assert (counted.compute(), left_out.compute()) == ({"nDCG@2": 0.5}, {"nDCG@2": 1})
