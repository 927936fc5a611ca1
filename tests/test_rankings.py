"`Judged`: what it holds, how it is made, what it refuses, and the scans that every metric stands on."
from math import inf, nan

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from strategies import batch, batches, collections, rankings

from irmetrics_nb import Judged, average_precision, ndcg, parse
from irmetrics_nb.core.arrays import cumcount, segmented_scan, sort_pool
from irmetrics_nb.core.judged import COLUMNS, ENTRY_COLUMNS, POOL_COLUMNS, as_judged, check_columns


def columns(judged):
    "Copies of the columns of a batch, by name."
    return {name: np.array(getattr(judged, name)) for name in COLUMNS}


def same(one, other):
    assert {n: c.tolist() for n, c in columns(one).items()} == {n: c.tolist() for n, c in columns(other).items()}


# ---- what is sound passes ----


@given(collections())
def test_whatever_makes_or_views_a_batch_keeps_its_columns_in_order(collection):
    judged = batch(collection)
    lists = [got for got, _ in collection]
    ranks = [[i for i, g in enumerate(got, 1) if g] for got in lists]
    flat = [(0 if g is None else g, i % 3, q) for q, got in enumerate(lists) for i, g in enumerate(got)]
    made = [judged, Judged.from_grades(lists), Judged.from_ranks(ranks), Judged.from_scores(*zip(*flat or [(0, 0, 0)])),
            Judged.concat([judged, Judged.from_grades(lists), judged]), Judged.concat([]), judged.condensed(), judged.ideal,
            judged.condensed().ideal, *judged]
    for each in made:
        check_columns(each)
        same(Judged(**columns(each)), each)


@given(collections())
def test_the_columns_are_the_judged_documents_by_query_and_rank_and_all_judged_grades_best_first(collection):
    expected = [(q, i, g) for q, (got, _) in enumerate(collection) for i, g in enumerate(got, 1) if g is not None]
    pool = [(q, g) for q, (_, all_of_it) in enumerate(collection) for g in sorted(all_of_it, reverse=True)]
    judged = batch(collection)
    assert list(zip(judged.query, judged.rank, judged.grade)) == expected
    assert list(zip(judged.pool_query, judged.pool_grade)) == pool
    assert judged.retrieved.tolist() == [len(got) for got, _ in collection]
    assert len(judged) == len(collection)


# ---- what is not is refused ----


def break_one(data, found):
    "One column of a sound batch made wrong: (the columns, what the message says)."
    name = data.draw(st.sampled_from(COLUMNS))
    column, i = found[name], None
    if len(column):
        i = data.draw(st.integers(0, len(column) - 1))
    queries = len(found["retrieved"])
    faults = {
        "query": [(queries, "query must contain query numbers < "), (-1, "query must contain whole numbers >= 0")],
        "pool_query": [(queries, "pool_query must contain query numbers < "), (-1, "pool_query must contain whole numbers >= 0")],
        "rank": [(0, "rank must contain whole numbers >= 1"), (1.5, "rank must contain whole numbers >= 1"),
                 (10**6, "rank must (not exceed|rise)")],
        "retrieved": [(-1, "retrieved must contain whole numbers >= 0"), (0.5, "retrieved must contain whole numbers >= 0")],
        "grade": [(nan, "grade must be finite"), (inf, "grade must be finite")],
        "pool_grade": [(nan, "pool_grade must be finite"), (-inf, "pool_grade must be finite")],
        "tie_start": [(0, "tie_start must contain whole numbers >= 1"), (10**6, "the ranks of a tie must include the rank"),
                      (1.5, "tie_start must contain whole numbers >= 1")],
        "tie_size": [(0, "tie_size must contain whole numbers >= 1"), (10**6, "the ranks of a tie must include the rank"),
                     (1.5, "tie_size must contain whole numbers >= 1")],
    }[name]
    value, says = data.draw(st.sampled_from(faults))
    if i is None:
        assume(name != "retrieved")
        return found | {name: np.append(column, 0)}, "of equal lengths; the shapes are"
    broken = column.astype(float) if isinstance(value, float) else column.copy()
    broken[i] = value
    return found | {name: broken}, says


@given(collections(), st.data())
def test_one_wrong_number_in_any_column_is_refused_with_the_name_of_the_column(collection, data):
    broken, says = break_one(data, columns(batch(collection)))
    with pytest.raises(ValueError, match=f"^Judged: .*{says}"):
        Judged(**broken)


@given(collections(), st.sampled_from(ENTRY_COLUMNS + POOL_COLUMNS), st.booleans())
def test_columns_of_unequal_lengths_are_refused(collection, name, longer):
    found = columns(batch(collection))
    assume(longer or len(found[name]))
    found[name] = np.append(found[name], 1) if longer else found[name][:-1]
    with pytest.raises(ValueError, match=f"^Judged: columns must be one-dimensional and of equal lengths; the shapes are .*'{name}'"):
        Judged(**found)


@given(collections(), st.data())
def test_entries_out_of_order_and_a_rank_held_twice_are_refused(collection, data):
    found = columns(batch(collection))
    assume(len(found["rank"]) > 1)
    i = data.draw(st.integers(0, len(found["rank"]) - 2))
    swapped = np.arange(len(found["rank"]))
    swapped[[i, i + 1]] = i + 1, i
    with pytest.raises(ValueError, match=r"query must not decrease|rank must increase within a query"):
        Judged(**found | {name: found[name][swapped] for name in ENTRY_COLUMNS})
    if found["query"][i] == found["query"][i + 1]:
        found["rank"][i + 1] = found["rank"][i]
        with pytest.raises(ValueError, match=rf"rank must increase within a query \(entry {i + 1}\)"):
            Judged(**found)


@given(collections(), st.data())
def test_a_pool_that_rises_within_a_query_is_refused(collection, data):
    found = columns(batch(collection))
    steps = [i for i in range(1, len(found["pool_grade"])) if found["pool_query"][i - 1] == found["pool_query"][i]]
    assume(steps)
    i = data.draw(st.sampled_from(steps))
    found["pool_grade"][i] = found["pool_grade"][i - 1] + 1
    with pytest.raises(ValueError, match=rf"pool_grade must not increase within a query \(entry {i}\)"):
        Judged(**found)


@given(collections(), st.data())
def test_a_rank_beyond_the_number_retrieved_is_refused(collection, data):
    found = columns(batch(collection))
    assume(len(found["rank"]))
    last = data.draw(st.sampled_from(sorted(set(found["query"].tolist()))))
    deepest = found["rank"][found["query"] == last].max()
    found["retrieved"][last] = deepest - 1
    with pytest.raises(ValueError, match="rank must not exceed the number of retrieved documents"):
        Judged(**found)


def test_a_pool_without_a_grade_that_was_retrieved_is_refused_unless_the_grade_is_0():
    with pytest.raises(ValueError, match="ideal must contain all grades of a ranking: a grade 2 of ranking 1 is missing"):
        Judged.from_grades([[1], [2, 2]], ideal=[[1], [2]])
    assert Judged.from_grades([[1, 0, -1]], ideal=[[1]]).pool_grade.tolist() == [1]


@pytest.mark.parametrize(("grades", "says"), [
    (3, "expected a list or an array, not 3"), ([1, "2"], "lists of numbers"), ("12", "lists of numbers"),
    ([1, inf], "must be finite, not inf"), ([[1, [2]]], "lists of numbers"), ([{}, 1], "lists of numbers|lists"),
])  # fmt: skip
def test_invalid_ranking_is_an_error_that_shows_it(grades, says):
    with pytest.raises((ValueError, TypeError), match=says):
        Judged.from_grades(grades)


@pytest.mark.parametrize(("given", "options", "says"), [
    ([0], {}, "whole numbers >= 1"), ([1.5], {}, "whole numbers >= 1"), ([2, 2], {}, "duplicate rank"),
    ([1, 4], {"n_retrieved": 3}, "n_retrieved=3, but the list contains 4 retrieved documents"),
    ([1, 4], {"n_relevant": 1}, "n_relevant=1, but the list contains 2"), ([1], {"n_relevant": 1.5}, "n_relevant=1.5"),
    ([1], {"n_retrieved": 2.5}, "n_retrieved=2.5"), ([nan], {}, "whole numbers >= 1"),
])  # fmt: skip
def test_ranks_that_cannot_be_are_refused(given, options, says):
    with pytest.raises(ValueError, match=says):
        Judged.from_ranks(given, **options)


@pytest.mark.parametrize(("labels", "scores", "groups", "says"), [
    ([1], [1, 2], None, "there must be one label and one score per item: got"), ([1, 0], [1, 2], [0], "groups has 1 ids, but there are 2 items"),
    ([nan, 0], [1, 2], None, "labels must be finite"), ([1, 0], [nan, 2], None, "scores must not be NaN: item 0 is nan"),
])  # fmt: skip
def test_items_that_do_not_fit_together_are_refused(labels, scores, groups, says):
    with pytest.raises(ValueError, match=says):
        Judged.from_scores(labels, scores, groups)


def test_a_query_is_taken_by_its_number_from_either_end():
    judged = Judged.from_grades([[1], [0, 2], []])
    assert [one.retrieved.tolist() for one in judged] == [[1], [2], [0]]
    assert judged[-2].grade.tolist() == [0, 2]
    with pytest.raises(IndexError):
        judged[3]
    with pytest.raises(TypeError, match="a Judged is indexed by the number of one query, not slice"):
        judged[0:2]


# ---- views and parts ----


@given(collections(), collections())
def test_batches_put_together_are_the_batch_of_all_their_queries(one, other):
    same(Judged.concat([batch(one), batch(other)]), batch(one + other))
    for q, search in enumerate(one + other):
        same(Judged.concat([batch(one), batch(other)])[q], batch([search]))


@given(collections())
def test_condensed_equals_the_list_without_unjudged_documents(collection):
    same(batch(collection).condensed(), batch([([g for g in got if g is not None], pool) for got, pool in collection]))


@given(collections())
def test_the_ideal_is_the_pool_as_a_ranking_best_first(collection):
    same(batch(collection).ideal, Judged.from_grades([sorted(pool, reverse=True) for _, pool in collection]))


@given(batches)
def test_none_nan_and_masked_values_are_unjudged_documents(lists):
    same(Judged.from_grades([[nan if g is None else g for g in one] for one in lists]), Judged.from_grades(lists))
    width = max(map(len, lists))
    table = np.array([list(one) + [None] * (width - len(one)) for one in lists], dtype=float).reshape(len(lists), width)
    same(Judged.from_grades(np.ma.masked_invalid(table)), Judged.from_grades(table))


@given(st.lists(st.integers(1, 40), unique=True, max_size=12), st.integers(0, 6), st.integers(0, 9))
def test_ranking_from_ranks_equals_ranking_from_grades(ranks, missing, below):
    last = max(ranks, default=0)
    rel = [int(i in ranks) for i in range(1, last + below + 1)]
    told = Judged.from_ranks([ranks], n_relevant=len(ranks) + missing, n_retrieved=last + below)
    for text in ("AP", "P@10", "R@10", "RR", "nDCG@10"):
        listed = Judged.from_grades([rel], ideal=[[1] * (len(ranks) + missing)])
        assert parse(text).of(told)[0] == pytest.approx(parse(text).of(listed)[0], abs=1e-15), text


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-5, 5), st.sampled_from("ab")), min_size=1, max_size=30))
def test_ranking_from_scores_is_the_stable_sort_of_each_group(items):
    labels, scores, groups = zip(*items)
    for judged, group in zip(Judged.from_scores(labels, scores, groups), sorted(set(groups)), strict=True):
        order = sorted((i for i in range(len(items)) if groups[i] == group), key=lambda i: -scores[i])
        assert judged.grade.tolist() == [labels[i] for i in order]


def test_repr_shows_the_contents_in_one_line():
    judged = Judged.from_grades([[1, None], [0]], ideal=[[1, 2], [0]])
    assert repr(judged) == "Judged: 2 queries, 3 documents retrieved, 2 of them judged; 3 judgments"
    assert repr(judged[0]) == "Judged: 1 query, 2 documents retrieved, 1 of them judged; 2 judgments"


# ---- scans ----


@given(st.lists(st.lists(st.integers(-9, 9), max_size=20), max_size=6), st.sampled_from([np.add, np.maximum, np.multiply]))
def test_a_scan_is_the_running_operation_of_every_query(lists, op):
    query = np.repeat(np.arange(len(lists)), [len(x) for x in lists])
    for kind in (float, np.int64):
        if op is np.multiply and kind is np.int64:
            continue  # beyond what an integer holds
        values = np.array([v for x in lists for v in x], dtype=kind)
        expected = [r for x in lists for r in op.accumulate(np.array(x, dtype=kind))]
        assert segmented_scan(op, values, query).tolist() == expected


@given(st.lists(st.integers(0, 5), max_size=8))
def test_places_are_counted_from_0_within_every_query(sizes):
    query = np.repeat(np.arange(len(sizes)), sizes)
    assert cumcount(query).tolist() == [i for size in sizes for i in range(size)]


# ---- what lists may be ----


@given(rankings)
def test_a_list_is_single_and_a_list_of_lists_is_not(rel):
    assert as_judged(rel)[1] is True
    assert as_judged([rel])[1] is False
    assert as_judged(Judged.from_grades(rel))[1] is False
    same(as_judged(rel)[0], as_judged([rel])[0])


def test_a_relevance_level_is_one_number():
    with pytest.raises(ValueError, match=r"the relevance level must be one number, not \[1, 2\]"):
        average_precision([[1], [2]], rel=[1, 2])


def test_ideal_is_an_error_with_a_batch_or_a_wrong_length():
    with pytest.raises(ValueError, match="a Judged already contains the judged grades"):
        ndcg(Judged.from_grades([1]), ideal=[1])
    with pytest.raises(ValueError, match="ideal has 2 lists for 1 rankings"):
        ndcg([1], ideal=[[1], [1]])
    with pytest.raises(ValueError, match="every grade must be a number, not None or NaN"):
        ndcg([1], ideal=[1, None])


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from([-1, 0, 1, 2, 70, 0.5, -129, -128, 127, 128, 2.0**53, 2.0**54, 1e300])), max_size=40))
@example([(0, 127), (0, 64), (0, 100)] * 30)
@example([(0, -128), (0, -127), (0, -129)] * 2)
@example([(0, 128), (0, 127)] * 2)
@example([(0, 1), (0, 0), (1, 2), (1, -1), (2, 0), (0, 2), (1, 1), (2, 2), (1, 2), (0, 0), (2, 1), (0, 1)])  # counted
def test_a_pool_is_in_order_whether_its_grades_are_counted_or_sorted(rows):
    rows.sort(key=lambda row: row[0])
    query, grade = np.array([q for q, _ in rows], np.intp), np.array([g for _, g in rows], float)
    expected = sorted(zip(query.tolist(), grade.tolist(), strict=True), key=lambda row: (row[0], -row[1]))
    assert list(zip(*(column.tolist() for column in sort_pool(query, grade)), strict=True)) == expected
