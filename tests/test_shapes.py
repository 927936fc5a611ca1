"The shapes that learning to rank and recommendation have: columns of any library, group sizes, top-k lists."
from math import inf, nan

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array, csr_matrix
from sklearn.metrics import ndcg_score

from irmetrics_nb import Accumulator, Judged, evaluate, parse
from irmetrics_nb.core import layouts as topk
from irmetrics_nb.core.judged import COLUMNS, check_columns

MEASURES = "AP nDCG@10 RR P@3 R@3 Success@3 AP@3 nDCG(gain='exp')@3 ERR(max_grade=4) Bpref NumRel NumRet NumRelRet".split()


class Tensor:
    "A tensor of a library that speaks DLPack and nothing else."

    def __init__(self, values):
        self.values = np.asarray(values)

    def __dlpack__(self, **how):
        return self.values.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


class Elsewhere(Tensor):
    "A tensor that lies on a graphics card."

    def __dlpack__(self, **how):
        raise BufferError("Cannot export to the CPU what lies on cuda:0")


class Attached:
    "A tensor that keeps its gradients, as PyTorch's refuses."

    def __len__(self):
        return 2

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")


def same(one, other):
    for name in COLUMNS:
        a, b = getattr(one, name), getattr(other, name)
        assert (a.tolist(), a.dtype) == (b.tolist(), b.dtype), name


# ---- labels, scores, groups ----

LIBRARIES = {"list": list, "tuple": tuple, "numpy": np.array, "polars": pl.Series, "pandas": pd.Series, "DLPack": Tensor}
sized = st.lists(st.integers(1, 6), min_size=1, max_size=5)


@pytest.mark.parametrize("library", LIBRARIES)
@given(sizes=sized, data=st.data())
def test_every_library_s_columns_give_the_same_batch_by_ids_and_by_sizes(library, sizes, data):
    n = sum(sizes)
    labels = data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    scores = data.draw(st.lists(st.integers(-3, 3).map(lambda x: x / 4), min_size=n, max_size=n))
    ids = [g * 10 for g, size in enumerate(sizes) for _ in range(size)]
    column = LIBRARIES[library]
    plain = Judged.from_scores(labels, scores, ids)
    same(Judged.from_scores(column(labels), column(scores), column(ids)), plain)
    same(Judged.from_scores(column(labels), column(scores), sizes=column(sizes)), plain)
    for dtype in np.float32, np.float16:  # as a model gives them; quarters are exact in each
        same(Judged.from_scores(np.array(labels, np.int8), np.array(scores, dtype), sizes=np.array(sizes, np.uint32)), plain)


@pytest.mark.filterwarnings("ignore::irmetrics_nb.EvaluationWarning")
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-5, 5), st.sampled_from("abc")), min_size=1, max_size=30))
def test_batch_from_scores_equals_evaluate_on_the_same_rows(items):
    labels, scores, groups = zip(*items)
    judged = Judged.from_scores(labels, scores, groups)
    docs = [f"d{i}" for i in range(len(items))]
    qrels = pl.DataFrame({"query_id": groups, "doc_id": docs, "relevance": labels})
    run = pl.DataFrame({"query_id": groups, "doc_id": docs, "score": [float(s) for s in scores]})
    found = evaluate(qrels, run, MEASURES, ties="given")
    place = {q: i for i, q in enumerate(sorted(set(groups)))}
    order = [place[q] for q in found.query_ids]
    for measure in MEASURES:
        assert found[measure].tolist() == parse(measure).of(judged)[order].tolist(), measure


@pytest.mark.parametrize(("labels", "scores", "how", "says"), [
    ([1, 0, 0], [1, 2, 3], dict(sizes=[2]), "sizes add up to 2, but there are 3 items"),
    ([1, 0, 0], [1, 2, 3], dict(sizes=[2, 2]), "sizes add up to 4, but there are 3 items"),
    ([1, 0, 0], [1, 2, 3], dict(sizes=[2, 0, 1]), "sizes must be whole numbers >= 1, but the size of group 1 is 0"),
    ([1, 0, 0], [1, 2, 3], dict(sizes=[4, -1]), "the size of group 1 is -1"), ([1, 0, 0], [1, 2, 3], dict(sizes=[1.5, 1.5]), "the size of group 0 is 1.5"),
    ([1, 0, 0], [1, 2, 3], dict(sizes=[2, None]), "the size of group 1 is nan"), ([1, 0, 0], [1, 2, 3], dict(sizes=3), "must be one column"),
    ([1, 0, 0], [1, 2, 3], dict(groups=[0, 0, 1], sizes=[2, 1]), "give groups or sizes, not both"),
    ([1, 0, 0], [1, 2, 3], dict(groups=[2, 1]), "groups has 2 ids, but there are 3 items; if these are sizes of groups, write sizes="),
    ([1, 0, 0], [1, 2, 3], dict(groups=[2, 2]), "groups has 2 ids, but there are 3 items; if these are sizes of groups"),
    ([1, 0, 0], [1, 2, nan], {}, "scores must not be NaN: item 2 is nan"), ([1, 0, 0], [1, 2, None], {}, "scores must not be NaN: item 2"),
    ([1, inf, 0], [1, 2, 3], {}, "labels must be finite: item 1 is inf"), ([1, None, 0], [1, 2, 3], {}, "labels must be finite: item 1"),
    ([1, 0], [1, 2], dict(groups=["a", None]), "groups must not contain None or NaN, but item 1 is missing"),
    ([1, 0], [1, 2], dict(groups=[nan, 1]), "groups must not contain None or NaN, but item 0 is missing"), (["1", "0"], [1, 2], {}, "labels must be numbers"),
    ([[1], [0]], [1, 2], {}, "labels must be one column, but the shape is"), ([1, 0], Attached(), {}, "scores: numpy cannot read this Attached: .*detach"),
    ([1, 0], Elsewhere([1.0, 2.0]), {}, "scores: numpy cannot read this Elsewhere"),
])  # fmt: skip
def test_columns_that_cannot_be_are_refused_with_the_place(labels, scores, how, says):
    with pytest.raises(ValueError, match=says):
        Judged.from_scores(labels, scores, **how)


# ---- labels and scores as tables: a row for each query ----

TABLES = {
    "C": np.ascontiguousarray, "F": np.asfortranarray, "strides": lambda x: np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1],
    "read-only": lambda x: np.broadcast_to(x, x.shape), "objects": lambda x: x.astype(object), "masked": np.ma.array,
    "single": lambda x: x.astype(np.float32), "pandas": pd.DataFrame, "nullable": lambda x: pd.DataFrame(x).astype("Float64"),
    "polars": lambda x: pl.DataFrame(x.copy(), orient="row"),
}  # fmt: skip


@pytest.mark.parametrize("kind", sorted(TABLES))
@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (1, 5), (5, 2), (150, 12)])
def test_each_row_of_a_table_is_a_query(kind, shape):
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 4, shape).astype(float)
    scores = rng.choice([-0.0, 0.0, 0.5, -2.0, 3.0, inf, -inf], shape)
    expected = Judged.from_scores(labels.ravel().tolist(), scores.ravel().tolist(), sizes=[shape[1]] * shape[0])
    assert len(expected) == shape[0]
    same(Judged.from_scores(TABLES[kind](labels), TABLES[kind](scores)), expected)
    streams = [Accumulator("nDCG@10 AP", auc=True) for _ in range(2)]
    streams[0].update(TABLES[kind](labels), TABLES[kind](scores))
    streams[1].update(labels.ravel(), scores.ravel(), sizes=[shape[1]] * shape[0])
    np.testing.assert_equal(dict(streams[0].compute()), dict(streams[1].compute()))


def test_ndcg_of_tables_is_that_of_scikit_learn():
    rng = np.random.default_rng(4)
    labels, scores = rng.integers(0, 5, (300, 40)), rng.random((300, 40))
    expected = ndcg_score(labels, scores, k=10, ignore_ties=True)
    assert Accumulator("nDCG@10").update(labels, scores).compute()["nDCG@10"] == pytest.approx(expected, abs=1e-12)


def test_rows_of_frames_are_aligned_by_their_index():
    labels = pd.DataFrame([[1, 0], [0, 2]], index=["a", "b"])
    scores = pd.DataFrame([[0.1, 0.9], [0.8, 0.2]], index=["b", "a"])
    assert Judged.from_scores(labels, scores).grade.tolist() == [1, 0, 2, 0]


def test_no_queries_in_a_table_are_no_queries():
    assert len(Judged.from_scores(np.zeros((0, 3)), np.zeros((0, 3)))) == 0


ONES = np.ones((2, 3))
BROKEN = np.array([[1, 2, 3], [4, 5, nan]])
ROUNDED = {"a": [2**53 + 1, 1], "b": [0.5, 1.0], "c": [1.0, 2.0]}


@pytest.mark.parametrize(("labels", "scores", "how", "says"), [
    (ONES, ONES.T, {}, r"2-D labels and scores must have the same shape.* \[\(2, 3\), \(3, 2\)\]"), (ONES, ONES.ravel(), {}, r"\[\(2, 3\), \(6,\)\]"),
    (ONES.ravel(), ONES, {}, r"\[\(6,\), \(2, 3\)\]"), (ONES, ONES.tolist(), {}, r"\[\(2, 3\), \(\)\]"),
    (ONES[:, :1], ONES[:, :1], {}, r"at least two columns, but the shape is \(2, 1\); if every row is one item, pass labels.ravel"),
    (ONES[:, :1], ONES[:, :1], dict(sizes=[2]), "at least two columns"), (ONES[:, :0], ONES[:, :0], {}, "at least two columns"),
    (ONES, ONES, dict(groups=[1, 2]), "each row of 2-D labels and scores is a group: leave out"), (ONES, ONES, dict(sizes=[3, 3]), "leave out groups="),
    (ONES, BROKEN, {}, "row 1, column 2 has 1.0 and nan"), (BROKEN, ONES, {}, "row 1, column 2 has nan and 1.0"),
    (ONES, np.ma.masked_equal(ONES * [1, 2, 3], 2), {}, "row 0, column 1 has 1.0 and nan"), (ONES * inf, ONES, {}, "row 0, column 0 has inf and 1.0"),
    (ONES, pd.DataFrame(BROKEN).astype("Float64"), {}, "row 1, column 2"), (ONES, pl.DataFrame({"a": [1, None], "b": [1, 2], "c": [1, 2]}), {}, "row 1, column 0"),
    (ONES, pd.DataFrame(ROUNDED), {}, "column 'a' of scores: item 0 is 9007199254740993"), (ONES, pl.DataFrame(ROUNDED), {}, "column 'a' of scores: item 0"),
    (ONES, pd.DataFrame([[1, "x", 2], [1, 2, 3]]), {}, "column 1 of scores must be numbers: item 0 is 'x'"),
    (pd.DataFrame(ONES, columns=["a", "b", "c"]), pd.DataFrame(ONES, columns=["b", "a", "c"]), {}, "the same columns"),
    (np.ones((2, 2, 2)), np.ones((2, 2, 2)), {}, "labels must be one column, but the shape is"), ([[1, 0]], [[0.5, 0.4]], {}, "labels must be one column"),
])  # fmt: skip
@pytest.mark.parametrize("take", [Judged.from_scores, Accumulator("RR").update])
def test_tables_that_cannot_be_are_refused_with_the_place(labels, scores, how, says, take):
    with pytest.raises(ValueError, match=says):
        take(labels, scores, **how)


# ---- top-k lists ----

ids_of = {"numbers": st.integers(0, 9), "wide": st.sampled_from([5 * 2**55 * s + i for s in (-1, 1) for i in range(4)]),
          "text": st.sampled_from(["a", "b", "ab", "d10", "é", "d1", "z" * 9])}  # fmt: skip


@st.composite
def users(draw, kind=None):
    "For each user a list without repetitions, and a dict of relevant items with grades."
    item = ids_of[kind or draw(st.sampled_from(sorted(ids_of)))]
    row = st.tuples(st.lists(item, unique=True, max_size=7), st.dictionaries(item, st.sampled_from([0, 1, 2, 4]), max_size=5))
    return draw(st.lists(row, min_size=1, max_size=6))


def by_lists(found, graded=True):
    "The same by Python's lists: the grade at each rank, None where an item is not among the relevant ones."
    grade = [[(liked[i] if graded else 1) if i in liked else None for i in items] for items, liked in found]
    pool = [[liked[i] if graded else 1 for i in liked] for _, liked in found]
    return Judged.from_grades(grade, ideal=pool)


def table(rows, width=0):
    "Lists as a table, filled up."
    filler = "" if any(isinstance(x, str) for row in rows for x in row) else -1
    width = max(width, *map(len, rows))
    kind = {"dtype": np.int64} if filler == -1 else {"dtype": str}
    return np.array([list(row) + [filler] * (width - len(row)) for row in rows], **kind).reshape(len(rows), width)


def flat(found):
    "The relevant items of all users, and where those of each begin."
    item = [i for _, liked in found for i in liked]
    return item, np.cumsum([0, *(len(liked) for _, liked in found)])


@given(users(), st.integers(0, 9), st.sampled_from([1, 5, 2**18]))
def test_top_k_lists_give_the_batch_that_lists_of_grades_give_in_every_form(found, width, at_once):
    rows, liked = [list(r) for r, _ in found], [d for _, d in found]
    item, offsets = flat(found)
    grade = [g for d in liked for g in d.values()]
    lists = [list(d) for d in liked]
    graded, plain = by_lists(found), by_lists(found, graded=False)
    usual, topk.USERS_AT_ONCE = topk.USERS_AT_ONCE, at_once
    try:
        for items in rows, table(rows, width), [np.array(r) for r in rows]:
            for got in Judged.from_topk(items, liked), Judged.from_topk(items, lists, grades=[list(d.values()) for d in liked]):
                same(got, graded)
                check_columns(got)
            same(Judged.from_topk(items, (item, offsets), grades=grade), graded)
            for form in lists, [set(d) for d in liked], (np.array(item), offsets), table(lists), pl.Series(lists), tuple_of_arrows(lists):
                same(Judged.from_topk(items, form), plain)
    finally:
        topk.USERS_AT_ONCE = usual


def tuple_of_arrows(lists):
    "Lists as Arrow keeps them."
    column = pl.Series(lists).to_arrow()
    return column.values.to_numpy(zero_copy_only=False), column.offsets.to_numpy()


@given(users("numbers"), st.sampled_from([csr_array, coo_array, csr_matrix]))
def test_a_sparse_matrix_has_a_row_per_user_and_the_grades_in_its_cells(found, kind):
    rows = [(u, i, g) for u, (_, liked) in enumerate(found) for i, g in liked.items()]
    u, i, g = (np.array(c, dtype=int) for c in zip(*rows)) if rows else (np.zeros(0, int),) * 3
    same(Judged.from_topk([list(r) for r, _ in found], kind((g.astype(float), (u, i)), shape=(len(found), 10))), by_lists(found))


@given(users("numbers"), st.sampled_from([np.int8, np.int32, np.uint16, np.float32]))
def test_narrow_numbers_gaps_in_floats_and_gaps_in_objects_are_read(found, dtype):
    lists = [list(d) for _, d in found]
    wide = table([r for r, _ in found])
    expected = by_lists(found, graded=False)
    as_objects = np.where(wide == -1, None, wide.astype(object))
    for items in wide if dtype is np.uint16 and (wide < 0).any() else wide.astype(dtype), as_objects:
        same(Judged.from_topk(items, lists), expected)
    same(Judged.from_topk(np.where(wide == -1, nan, wide.astype(float)), lists), expected)
    same(Judged.from_topk(pd.DataFrame(wide), lists), expected)
    same(Judged.from_topk(pl.DataFrame(wide) if wide.size else wide, lists), expected)
    same(Judged.from_topk(Tensor(wide), lists), expected)
    texts = [[str(i) for i in row] for row in lists]
    named = np.array([[None if i == -1 else str(i) for i in row] for row in wide.tolist()], object).reshape(wide.shape)
    same(Judged.from_topk(named, texts), expected)


@pytest.mark.filterwarnings("ignore::irmetrics_nb.EvaluationWarning")
@given(users())
def test_every_measure_runs_on_top_k_lists_and_equals_evaluate(found):
    judged = Judged.from_topk([list(r) for r, _ in found], [d for _, d in found])
    qrels = {f"u{u}": {str(i): g for i, g in liked.items()} for u, (_, liked) in enumerate(found)}
    run = {f"u{u}": [str(i) for i in items] for u, (items, _) in enumerate(found)}
    if not any(liked and run[f"u{u}"] for u, (_, liked) in enumerate(found)):
        return  # evaluate wants a common query
    scores = evaluate({q: d for q, d in qrels.items() if d}, {q: d for q, d in run.items() if d}, MEASURES)
    rows = [int(q[1:]) for q in scores.query_ids]
    for measure in MEASURES:
        assert scores[measure].tolist() == parse(measure).of(judged)[rows].tolist(), measure


@pytest.mark.parametrize(("items", "relevant", "says"), [
    ([[7, 3, 7]], [[3]], "user 0 has item 7 twice, at ranks 1 and 3"), ([["b"], ["a", "a"]], [[], []], "user 1 has item 'a' twice, at ranks 1 and 2"),
    ([[1], [2]], [[5], [6, 7, 6]], "user 1 has item 6 twice among the relevant items"),
    ([[1, -1, 2]], [[1]], "user 0 has no item at rank 2, but an item at rank 3"),
    ([[1], [2]], [[1]], "items has 2 users, but relevant has 1"), ([[1]], [["a"]], "items are numbers, but relevant items are text"),
    ([[1]], [1], "there must be a list of items for each user: user 0 has 1"), ([["ab"]], ["ab"], "user 0 has 'ab'"),
    ([[1.5]], [[1]], "items must be integers or text, not 1.5"), ([[True]], [[1]], "not bool"),
    ([[1]], ([1, 2], [0, 1]), "must be \\(items, offsets\\), with offsets that rise from 0 to 2"), ([[1]], ([1], [1, 1]), "offsets that rise from 0"),
    ([[1], [2]], ([1, 2], [0, 2, 1, 2]), "offsets that rise from 0 to 2"), ([[5]], csr_array(np.eye(1, 3)), "items contains 5, but the matrix of relevant items has 3 columns"),
    ([[1]], [[1, -1]], "user 0 has -1 among the relevant items, but this value marks a missing item"),
])  # fmt: skip
def test_lists_that_cannot_be_are_refused_with_the_user(items, relevant, says):
    with pytest.raises(ValueError, match=says):
        Judged.from_topk(items, relevant)


@pytest.mark.parametrize(("relevant", "grades", "says"), [
    ([[1, 2]], [[1]], "there must be one grade per relevant item: got 2 relevant items and 1 grades"), ([[1, 2]], [1, nan], "grades must be finite: item 1 is nan"),
    ([{1: 2}], [1], "relevant already contains grades"), ([{1: "x"}], None, "grades must be numbers"),
])  # fmt: skip
def test_grades_that_cannot_be_are_refused(relevant, grades, says):
    with pytest.raises(ValueError, match=says):
        Judged.from_topk([[1]], relevant, grades=grades)


def test_a_user_late_in_a_large_table_is_named_by_her_number(monkeypatch):
    monkeypatch.setattr(topk, "USERS_AT_ONCE", 10)
    items = np.arange(300).reshape(100, 3)
    items[71] = 4, 9, 4
    with pytest.raises(ValueError, match="user 71 has item 4 twice, at ranks 1 and 3"):
        Judged.from_topk(items, [[]] * 100)


def test_memory_per_user_is_less_than_a_copy_of_the_row():
    import tracemalloc

    def peak(users):
        items = np.tile(np.arange(50, dtype=np.int32), (users, 1))
        tracemalloc.start()
        Judged.from_topk(items, (np.zeros(0, int), np.zeros(users + 1, int)))
        top = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return top / users

    assert peak(80_000) < 4 * 80 < 50 * 8  # bytes per user: counts and queries, never a copy of the row


# ---- nothing is rounded, renamed or dropped in silence ----

ODD = 2**53 + 1  # the first whole number that no float holds


def test_large_ids_with_a_gap_are_exact_or_an_error():
    exact = Judged.from_topk([[ODD, nan], [ODD - 1, ODD]], [[ODD], [ODD]])
    assert (exact.rank.tolist(), exact.retrieved.tolist()) == ([1, 2], [1, 2])
    for relevant in [[ODD]], [[ODD, None]], np.ma.masked_equal([[ODD, 3]], 3), [{ODD: 2}]:
        if isinstance(relevant, list) and None in relevant[0]:
            relevant = np.array(relevant, object)
        assert Judged.from_topk([[ODD, None]], relevant).rank.tolist() == [1]
    floats = np.array([[float(ODD), nan]])
    for items in floats, pd.DataFrame(floats), floats.tolist(), [[ODD, 1.0]], pl.DataFrame([[ODD], [None]]).cast(pl.Float64):
        with pytest.raises(ValueError, match="can be the result of rounding another whole number: pass ids as integers or text"):
            Judged.from_topk(items, [[ODD]])
    with pytest.raises(ValueError, match="has -1 among the relevant items"):
        Judged.from_topk([[1]], ([ODD, nan], [0, 2]))
    with pytest.raises(ValueError, match="can be the result of rounding another whole number"):
        Judged.from_topk([[inf]], [[1]])


@pytest.mark.parametrize("gap", [nan, None, np.float32(nan), pd.NA, ""])
def test_a_gap_in_a_list_of_text_is_no_item(gap):
    judged = Judged.from_topk([["a", gap], ["nan", "b"]], [["a"], ["nan"]])
    assert (judged.retrieved.tolist(), judged.rank.tolist()) == ([1, 2], [1, 1])
    with pytest.raises(ValueError, match="has '' among the relevant items"):
        Judged.from_topk([["a"]], (["a", gap], [0, 2]))


def test_sets_and_dicts_may_be_mixed_and_every_grade_counts():
    for relevant in [[1], {4: 3}], [{1}, {4: 3}], [{1: 1}, {4: 3}]:
        judged = Judged.from_topk([[1, 2], [3, 4]], relevant)
        assert (judged.grade.tolist(), judged.pool_grade.tolist()) == ([1, 3], [1, 3])
    reverse = Judged.from_topk([[1, 2], [3, 4], [5, 6]], [{1: 3}, [4], {}])
    assert (reverse.grade.tolist(), reverse.retrieved.tolist()) == ([3, 1], [2, 2, 2])
    assert Judged.from_topk([[1], [2]], [{1}, {}], grades=[[2], []]).grade.tolist() == [2]


def test_an_id_beyond_64_bits_is_refused_by_name():
    for items, relevant in ([[2**70, 5]], [[5]]), ([[5]], [[2**70]]), ([[5]], [{-(2**70): 1}]), (np.array([[2**70]], object), [[1]]):
        with pytest.raises(ValueError, match=f"items must be integers or text, not -?{2**70}"):
            Judged.from_topk(items, relevant)
    with pytest.raises(ValueError, match="can be the result of rounding another whole number"):
        Judged.from_topk([[2**63, -5]], [[1]])


LARGE = {"list": [ODD - 1, ODD], "with a float": [float(ODD - 1), ODD], "of numpy": [float(ODD - 1), np.int64(ODD)], "int64": np.array([ODD - 1, ODD]), "uint64": np.array([2**64 - 2, 2**64 - 1], np.uint64),
         "pandas": pd.Series([ODD - 1, ODD]), "Int64": pd.Series([ODD - 1, ODD], dtype="Int64"), "polars": pl.Series([ODD - 1, ODD]),
         "DLPack": Tensor([ODD - 1, ODD]), "nanoseconds": np.array([1_700_000_000_000_000_000, 1_700_000_000_000_000_100]), "negative": [-ODD + 1, -ODD]}  # fmt: skip


@pytest.mark.parametrize("kind", LARGE)
def test_scores_and_labels_that_no_float_holds_are_refused_and_their_differences_are_not(kind):
    scores = LARGE[kind]
    with pytest.raises(ValueError, match="scores: item [01] is -?[0-9]+, which float64 cannot represent exactly; subtract the smallest score from all scores"):
        Judged.from_scores([1, 0], scores)
    with pytest.raises(ValueError, match="labels: item [01] is"):
        Judged.from_scores(scores, [1, 0])
    exact = [int(x) for x in scores.values] if kind == "DLPack" else [int(x) for x in scores]
    assert Judged.from_scores([1, 0], [x - min(exact) for x in exact]).grade.tolist() == ([0, 1] if exact[1] > exact[0] else [1, 0])


def test_large_numbers_that_floats_hold_are_scores():
    assert Judged.from_scores([1, 0, 2], np.array([2**60, 2**61, -(2**62)])).grade.tolist() == [0, 1, 2]
    assert Judged.from_scores([1, 0, 2], [2**60, inf, 1e300]).grade.tolist() == [0, 2, 1]
    assert Judged.from_scores([1, 0], np.array([1, 2], np.float16)).grade.tolist() == [0, 1]
    with pytest.raises(ValueError, match="scores must be numbers: item 0 is 1000"):
        Judged.from_scores([1, 0], [10**400, 1])


def test_large_ids_of_groups_stay_apart():
    for groups in [2**63 + 1, 2**63, -1], [ODD, ODD - 1, 0.5], (ODD, ODD - 1, 1.0), [np.int64(ODD), float(ODD - 1), 1], np.array([ODD, ODD - 1, 1]), pl.Series([2**64 - 1, 2**64 - 2, 1]):
        judged = Judged.from_scores([1, 0, 1], [0.1, 0.2, 0.3], groups=groups)
        assert (judged.retrieved.tolist(), judged.grade.tolist()) == ([1, 1, 1], [1, 0, 1])
    apart = np.ma.masked_equal([ODD, ODD - 1, 7], 7)
    with pytest.raises(ValueError, match="groups must not contain None or NaN, but item 2"):
        Judged.from_scores([1, 0, 1], [0.1, 0.2, 0.3], groups=apart)
