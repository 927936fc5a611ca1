"Similarity of two rankings, beside scipy, all orders of ties in fractions, and published values."
import math
from fractions import Fraction
from itertools import groupby, permutations, product

import numpy as np
import pytest
from helpers import irmetrics
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from irmetrics_nb import DataError, Scores, compare, evaluate, load_example, similarity

LIST = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 2), min_size=1, max_size=5)
P = Fraction(4, 5)


def orders(docs):
    "All orders of a list in which equal scores are permuted."
    ranked = sorted(docs, key=docs.get, reverse=True)
    ties = [[*permutations(tie)] for _, tie in groupby(ranked, key=docs.get)]
    return [sum(order, ()) for order in product(*ties)]


def value(measure, a, b):
    return similarity({"q": a}, {"q": b}, measure).values[0, 0, 0]


def extrapolated(a, b):
    "RBO of two lists of the same length without ties, in fractions."
    agreements = [Fraction(len({*a[:d]} & {*b[:d]}), d) for d in range(1, len(a) + 1)]
    head = sum(x * P**d for d, x in enumerate(agreements, 1))
    tail = agreements[-1] * P ** (len(a) + 1) / (1 - P)
    return (1 - P) / P * (head + tail)


@settings(max_examples=40, deadline=None)
@given(LIST, LIST)
def test_rbo_a_is_the_mean_over_all_orders_of_ties(a, b):
    n = min(len(a), len(b))
    a, b = dict([*a.items()][:n]), dict([*b.items()][:n])
    pairs = [*product(orders(a), orders(b))]
    mean = sum(extrapolated(x, y) for x, y in pairs) / len(pairs)
    assert value("RBO(p=0.8)", a, b) == pytest.approx(float(mean), abs=1e-12)


def smallest(a, b, p):
    "RBO of two lists without ties and without any further common document."
    depth = max(len(a), len(b))
    overlap = [len({*a[:d]} & {*b[:d]}) for d in range(1, depth + 1)]
    head = sum(x / d * p**d for d, x in enumerate(overlap, 1))
    rest = sum(overlap[-1] / d * p**d for d in range(depth + 1, 400))
    return (1 - p) / p * (head + rest)


@settings(max_examples=40, deadline=None)
@given(LIST, LIST)
def test_rbo_min_adds_no_common_document(a, b):
    pairs = [*product(orders(a), orders(b))]
    mean = sum(smallest(x, y, 0.8) for x, y in pairs) / len(pairs)
    assert value("RBO(p=0.8, form='min')", a, b) == pytest.approx(mean, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(LIST, LIST)
def test_rbo_max_is_reached_by_continued_lists(a, b):
    a = {doc: -i for i, doc in enumerate(a)}
    b = {doc: -i for i, doc in enumerate(b)}
    longer_a = [*a, *(doc for doc in b if doc not in a)]
    longer_b = [*b, *(doc for doc in a if doc not in b)]
    expected = float(extrapolated(longer_a, longer_b))
    assert value("RBO(p=0.8, form='max')", a, b) == pytest.approx(expected, abs=1e-12)


def parsed(text):
    scores, rank = {}, 0
    for tie in text.split("|"):
        rank -= 1
        scores |= dict.fromkeys(tie.split(), rank)
    return scores


@pytest.mark.parametrize(("a", "b", "p", "expected"), [
    ("i5 i9 i13 i15 i16 i19 i20|i3 i8", "i6|i4 i18|i2|i7|i8|i17|i14|i11 i12|i1", 0.958074765324023, [
        0.0816485573277354, 0.0370062754797617, 0.59493569657566, 0.557929421095898,
        0.0808189832771587, 0.0354671825076603, 0.593396603603558, 0.557929421095898,
        0.0813693619867344, 0.0356267307324464, 0.593556151828344, 0.557929421095898]),
    ("i13|i1 i4 i5 i6", "i3|i14|i11|i10 i15|i12|i6 i9|i4|i2", 0.92238320668128, [
        0.117578490431637, 0.0763135264223449, 0.53999366118093, 0.463680134758586,
        0.114619469221414, 0.0733545052121218, 0.537945108035391, 0.464590602823269,
        0.11474835409049, 0.0734833900811979, 0.538589532380772, 0.465106142299574])])
def test_rbo_equals_published_values(a, b, p, expected):
    measures = " ".join(f"RBO(p={p}, ties={t}, form={form})" for t in "wab" for form in ("ext", "min", "max", "res"))
    ours = similarity({"q": parsed(a)}, {"q": parsed(b)}, measures).values[0, :, 0]
    assert ours == pytest.approx(expected, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(LIST, LIST)
def test_tau_is_the_one_of_scipy_on_common_documents(a, b):
    common = sorted(a.keys() & b)
    expected = math.nan
    if len(common) > 1:
        expected = kendalltau([a[doc] for doc in common], [b[doc] for doc in common]).statistic
    assert value("tau", a, b) == pytest.approx(expected, nan_ok=True)


def tau_ap(a, b):
    "The AP correlation of two orders of the same documents, in fractions."
    shares = [Fraction(sum(b.index(x) < b.index(a[i]) for x in a[:i]), i) for i in range(1, len(a))]
    return 2 * sum(shares) / (len(a) - 1) - 1


@settings(max_examples=40, deadline=None)
@given(LIST, LIST)
def test_tau_ap_is_the_mean_over_all_orders_of_ties(a, b):
    x = {doc: a[doc] for doc in a if doc in b}
    y = {doc: b[doc] for doc in b if doc in a}
    if len(x) < 2:
        assert math.isnan(value("tau_AP", a, b))
        return
    values = [tau_ap(p, q) for p, q in product(orders(x), orders(y))]
    assert value("tau_AP", a, b) == pytest.approx(float(sum(values) / len(values)), abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(LIST, LIST, st.integers(1, 6))
def test_overlap_and_jaccard_count_documents(a, b, k):
    first_a, first_b = ({*sorted(docs, key=lambda doc: (docs[doc], doc), reverse=True)[:k]} for docs in (a, b))
    assert value(f"overlap@{k}", a, b) == pytest.approx(len(first_a & first_b) / k)
    assert value(f"jaccard@{k}", a, b) == pytest.approx(len(first_a & first_b) / len(first_a | first_b))


def test_queries_of_one_run_are_left_out_and_counted():
    scores = similarity({"1": ["d"], "01": ["d"], "3": []}, {"3": ["x"], "1": ["d"], "4": ["d"]}, "RBO tau")
    assert scores.query_ids == ("1", "3")
    assert scores.to_dict()["1"]["RBO(p=0.9)"] == pytest.approx(1)
    assert scores.to_dict()["3"]["RBO(p=0.9)"] == 0
    text = " ".join(str(scores).split())
    assert "1 query only in run a" in text and "1 query only in run b" in text
    assert "2 queries without a value of tau" in text
    assert "judg" not in text and "relevant" not in text


def test_two_empty_answers_have_no_value():
    values = similarity({"q": [], "r": ["d"]}, {"q": [], "r": ["d"]}, "RBO overlap@3 jaccard@3").values[0]
    assert np.isnan(values[:, 0]).all() and not np.isnan(values[:, 1]).any()


def test_bytes_that_are_not_utf8_are_ids(tmp_path):
    (tmp_path / "a.run").write_bytes(b"q Q0 d\xff 1 2 t\nq Q0 e 2 1 t\n")
    (tmp_path / "b.run").write_bytes(b"q Q0 d\xfe 1 2 t\nq Q0 e 2 1 t\n")
    assert similarity(tmp_path / "a.run", tmp_path / "b.run", "overlap@2").means["overlap@2"] == 0.5


def test_scores_are_sliced_saved_and_plotted(tmp_path):
    runs = load_example().runs
    groups = {query: "ab"[i % 2] for i, query in enumerate(runs["bm25"].queries)}
    scores = similarity(runs["bm25"], runs["lsa"], groups=groups)
    assert {*scores.slices} == {"a", "b"} and scores.plot()
    scores.save(tmp_path / "a.csv")
    scores.save(tmp_path / "a.json")
    with pytest.raises(DataError, match="the measure RBO is not one"):
        Scores.load(tmp_path / "a.json")


@pytest.mark.parametrize(("measures", "message"), [
    ("AP", "not a measure of two rankings"), ("overlap", "as in overlap@10"), ("RBO(p=1)", "between 0 and 1"),
    ("RBO(ties='wa')", "ties must be"), ("RBO(form='x')", "form must be"), ("tau@5", "no cutoff"), ("overlap@0", "above 0"),
    ("overlap@2.5", "whole number"), ("RBO(judged_only=True)", "no parameter"), ("", "no measure"), ("ranx:RBO", "not a measure")])
def test_unknown_measures_are_errors(measures, message):
    with pytest.raises(ValueError, match=message):
        similarity({"q": ["d"]}, {"q": ["d"]}, measures)


def test_runs_without_a_common_query_are_an_error():
    with pytest.raises(DataError, match="no query in common"):
        similarity({"1": ["d"]}, {"01": ["d"]})


def test_evaluate_has_no_values_of_similarity():
    measure = similarity({"q": ["d"]}, {"q": ["d"]}, "RBO").measures[0]
    assert math.isnan(evaluate({"q": {"d": 1}}, {"q": ["d"]}, measure).values[0, 0, 0])


def test_the_command_stops_below_a_floor(tmp_path):
    from irmetrics_nb.cli import main

    paths = [str(tmp_path / name) for name in ("bm25.run", "lsa.run")]
    for path in paths:
        load_example().runs[path.rsplit("/", 1)[1][:-4]].save(path)
    for floor, code in ("overlap@10=0.1", 0), ("overlap@10=0.99", 3), ("overlap@10", 2), ("AP=0.5", 2), ("tau=nan", 2):
        with pytest.raises(SystemExit) as end:
            main(["similarity", *paths, "--min", floor])
        assert end.value.code == code


def test_a_floor_stops_where_there_is_no_value(tmp_path):
    "One common document has no tau, so no floor of tau is reached."
    for name, line in ("a", "q Q0 d 1 2.0 t"), ("b", "q Q0 d 1 3.0 t"):
        (tmp_path / f"{name}.run").write_text(line + "\n")
    ran = irmetrics("similarity", "a.run", "b.run", "-m", "tau", "--min", "tau=0.5", cwd=tmp_path)
    assert ran.returncode == 3 and "minimum not reached: tau" in ran.stderr and "unknown" in ran.stderr
    assert "1 query without a value of tau" in ran.stdout.replace("\n", " ")


def test_a_similar_run_is_not_called_a_better_one():
    runs = load_example().runs
    likeness = {name: similarity(runs["bm25"], runs[name], "RBO") for name in ("lsa", "tfidf")}
    with pytest.raises(ValueError, match="not measures of quality"):
        compare(likeness)


def test_a_list_shorter_than_the_cutoff_is_counted():
    "Two equal lists of two documents have an overlap@10 of 0.2, which nobody should read as a change."
    runs = {"q1": ["a", "b"], "q2": [f"d{i}" for i in range(12)], "q3": []}
    scores = similarity(runs, runs, "overlap@10 jaccard@10")
    assert scores.values[0, 0].tolist()[:2] == [0.2, 1.0] and scores.values[0, 1, 0] == 1
    assert "2 queries with a shorter list, which lowers overlap@10" in " ".join(str(scores).split())
    assert "shorter" not in str(similarity({"q": runs["q2"]}, {"q": runs["q2"]}, "overlap@10"))
