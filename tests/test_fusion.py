"Fused runs, beside sums in fractions, and weights that do not see the answers."
import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from irmetrics_nb import DataError, Run, compare, evaluate, fuse, load_example
from irmetrics_nb.preparing.fusion import weight_grid

EXAMPLE = load_example()
TWO = {name: EXAMPLE.runs[name] for name in ("bm25", "lsa")}
SCORES = st.sampled_from([0, 1, 1, 2, 3, -5, 0.25])
RUN = st.dictionaries(st.sampled_from(["q1", "q2"]), st.dictionaries(st.sampled_from("abcde"), SCORES, max_size=5), min_size=1)


def ranked(docs):
    return sorted(docs, key=lambda doc: (docs[doc], doc), reverse=True)


def in_fractions(docs, method, normalize, k):
    "The exact term of each document of a list, and of a document that the list lacks."
    exact = {doc: Fraction(score) for doc, score in docs.items()}
    if not docs:
        return {}, 0
    if method == "rrf":
        return {doc: Fraction(1, k + i) for i, doc in enumerate(ranked(docs), 1)}, 0
    low, high, n = min(exact.values()), max(exact.values()), len(docs)
    if normalize == "rank":
        terms = {doc: Fraction(n - i, n) for i, doc in enumerate(ranked(docs))}
    elif normalize == "minmax":
        terms = {doc: (x - low) / (high - low) if high > low else Fraction(1) for doc, x in exact.items()}
        return terms, 0
    elif normalize == "zscore":
        mean = sum(exact.values()) / n
        spread = math.sqrt(sum((x - mean) ** 2 for x in exact.values()) / n)
        terms = {doc: float(x - mean) / spread if spread else 0.0 for doc, x in exact.items()}
    else:
        terms = exact
    return terms, min(terms.values())


@settings(max_examples=80, deadline=None)
@given(st.lists(RUN, min_size=2, max_size=3), st.sampled_from(["rrf", "sum", "mnz"]), st.sampled_from(["minmax", "rank", "zscore", None]))
def test_fused_scores_are_the_sums_of_the_formula(runs, method, normalize):
    assume(all(any(run.values()) for run in runs))
    options = {} if method == "rrf" else {"normalize": normalize}
    fused = fuse([*map(Run, runs)], method, k=2, **options).to_dict()
    for query in {q for run in runs for q in run}:
        lists = [run.get(query, {}) for run in runs]
        terms = [in_fractions(docs, method, normalize, 2) for docs in lists]
        expected = {}
        for doc in {doc for docs in lists for doc in docs}:
            total = sum(of.get(doc, absent) for of, absent in terms)
            expected[doc] = float(total * (sum(doc in docs for docs in lists) if method == "mnz" else 1))
        assert fused[query] == pytest.approx(expected, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.lists(RUN, min_size=3, max_size=3), st.sampled_from(["rrf", "sum", "mnz"]))
def test_the_order_of_the_runs_changes_no_digit(runs, method):
    assume(all(any(run.values()) for run in runs))
    results = [fuse([*map(Run, order)], method).to_dict() for order in permutations(runs)]
    assert all(result == results[0] for result in results)


def test_equal_scores_of_many_digits_are_a_constant_list():
    constant, other = {"q": dict.fromkeys("abc", 0.1 + 0.2)}, {"q": {"a": 2.0, "d": 1.0}}
    assert fuse([constant, other], "sum").to_dict()["q"] == {"a": 2.0, "b": 1.0, "c": 1.0, "d": 0.0}
    assert fuse([constant, other], "sum", normalize="zscore").to_dict()["q"] == {"a": 1.0, "b": -1.0, "c": -1.0, "d": -1.0}


def test_like_ranx_gives_absent_documents_zero_and_a_single_hit_too():
    single, other = {"q": {"a": 3.0}}, {"q": {"b": 2.0, "c": 1.0}}
    assert fuse([single, other], "sum", like="ranx").to_dict()["q"] == {"a": 0.0, "b": 1.0, "c": 0.0}
    assert fuse([single, other], "sum", normalize="zscore", like="ranx").to_dict()["q"] == {"a": 0.0, "b": 1.0, "c": -1.0}


def test_like_ranx_ranks_equal_scores_in_the_order_of_rows():
    "The values are those of ranx 0.3.21; see parity/fusion.py."
    tied, other = {"q": {"b": 2.0, "a": 2.0, "c": 2.0}}, {"q": {"c": 5.0, "a": 1.0}}
    assert fuse([tied, other], "rrf", like="ranx").to_dict()["q"] == pytest.approx({"b": 1 / 61, "a": 2 / 62, "c": 1 / 63 + 1 / 61})
    assert fuse([tied, other], "rrf").to_dict()["q"] == pytest.approx({"b": 1 / 62, "a": 1 / 63 + 1 / 62, "c": 2 / 61})


def test_weights_by_name_and_in_order_are_equal():
    by_name = fuse(TWO, weights={"lsa": 3, "bm25": 1})
    assert by_name.to_dict() == fuse(TWO, weights=[1, 3]).to_dict() != fuse(TWO).to_dict()
    assert by_name.weights == {"bm25": 1, "lsa": 3} and by_name.name == "rrf(bm25, lsa)"
    for wrong in ([1], [0, 0], [1, math.nan], {"bm25": 1}, {"bm25": 1, "other": 1}):
        with pytest.raises(ValueError, match="weights must be"):
            fuse(TWO, weights=wrong)


def test_a_query_is_fused_without_its_own_judgments():
    qrels = EXAMPLE.qrels.to_dict()
    tuned = fuse(TWO, "sum", tune="nDCG@10", qrels=qrels, folds=4)
    assert {*tuned.folds.values()} == {0, 1, 2, 3} and tuned.folds.keys() == {*tuned.queries}
    for fold in range(4):
        of_fold = [query for query, i in tuned.folds.items() if i == fold]
        changed = qrels | {query: {doc: 3 - g for doc, g in qrels[query].items()} for query in of_fold}
        again = fuse(TWO, "sum", tune="nDCG@10", qrels=changed, folds=4)
        assert all(again.to_dict()[query] == tuned.to_dict()[query] for query in of_fold)
        assert again.weights[fold] == tuned.weights[fold]


def test_tuned_weights_are_the_best_of_the_other_folds():
    tuned = fuse(TWO, "sum", tune="AP", qrels=EXAMPLE.qrels, folds=3)
    tried = {w: evaluate(EXAMPLE.qrels, fuse(TWO, "sum", weights=[w, 1 - w]), "AP") for w in np.linspace(0, 1, 11).round(1).tolist()}
    for fold, weights in tuned.weights.items():
        others = [q for q, i in tuned.folds.items() if i != fold]
        means = {w: np.mean([scores.to_dict()[q]["AP"] for q in others]) for w, scores in tried.items()}
        assert means[weights["bm25"]] == pytest.approx(max(means.values()), abs=1e-12)
    assert compare(EXAMPLE.qrels, {"bm25": TWO["bm25"], "tuned": tuned}, "AP").pairs


def test_the_grid_of_weights_has_every_step_once():
    for n, size in {2: 11, 3: 15, 6: 126}.items():
        grid = weight_grid(n)
        assert len({*map(tuple, grid)}) == size and np.allclose(grid.sum(axis=1), 1)
        assert grid[0].max() == grid.max(axis=1).min()


def test_chunks_are_fused_as_documents():
    chunks = Run({"q": {"a#1": 3, "a#2": 2, "b#1": 1}}, parents="#")
    assert fuse([chunks, {"q": ["b"]}], k=1).to_dict() == {"q": {"a": 1 / 2, "b": pytest.approx(1 / 3 + 1 / 2)}}


def test_tiny_differences_have_finite_scores():
    fused = fuse([{"q": {"a": 0, "b": 1e-200}}, {"q": {"a": 1, "b": 1}}], "sum", normalize="zscore")
    assert fused.to_dict() == {"q": {"a": -1.0, "b": 1.0}}


def test_wrong_options_are_named():
    for options, message in {
        ("borda",): "method must be",
        ("rrf", "normalize"): "left out, since rrf uses ranks",
        ("sum", "tune"): "tune needs qrels",
    }.items():
        more = {"normalize": {"normalize": "rank"}, "tune": {"tune": "AP"}}.get(options[-1], {})
        with pytest.raises(ValueError, match=message):
            fuse(TWO, options[0], **more)
    with pytest.raises(ValueError, match="two or more"):
        fuse({"a": TWO["bm25"]})
    with pytest.raises(DataError, match="score inf cannot be normalized"):
        fuse([{"q": {"a": math.inf, "b": 1}}, TWO["lsa"]], "sum")
    with pytest.raises(ValueError, match="at most 6 runs"):
        fuse([{"q": ["a"], "r": ["b"]}] * 7, tune="AP", qrels={"q": {"a": 1}}, folds=2)
