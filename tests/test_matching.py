"Ranks of judged documents: against plain sorting, in every order, for every tie, from rows and from dicts."
import math
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from helpers import as_triples, put
from hypothesis import given
from oracles import listed, rank_by_sorting
from strategies import random_collection, seeds

import irmetrics_nb.data.judging as judging
from irmetrics_nb import DataError, Qrels, Run, evaluate, judge
from irmetrics_nb.data.ids import Ids


def as_files(folder, qrels, run, order=None):
    "The same as two TREC files; `order` shuffles the run's lines."
    rows = [f"{q} Q0 {d} 0 {s!r} tag\n" for q, docs in run.items() for d, s in docs.items()]
    if order is not None:
        order.shuffle(rows)
    (folder / "run").write_text("".join(rows))
    (folder / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, docs in qrels.items() for d, g in docs.items()))
    return folder / "qrels", folder / "run"


@pytest.mark.parametrize("form", [dict, as_triples])
@given(seed=seeds)
def test_ranks_equal_sorting_by_score_and_id(form, seed):
    qrels, run = random_collection(seed)
    judged = judge(qrels, form(run))
    assert listed(judged) == rank_by_sorting(qrels, run)
    assert judged.retrieved.tolist() == [len(run.get(q, {})) for q in qrels]
    pool = [(q, g) for q, docs in enumerate(qrels.values()) for g in sorted(docs.values(), reverse=True) if g >= 0]
    assert list(zip(judged.pool_query.tolist(), judged.pool_grade.tolist())) == pool


@pytest.mark.parametrize("form", [dict, as_triples])
@given(seed=seeds)
def test_ties_keep_the_given_order_on_request(form, seed):
    qrels, run = random_collection(seed)
    place = {q: {d: -i for i, d in enumerate(docs)} for q, docs in run.items()}
    expected = [rank_by_sorting({q: qrels[q]}, run, key=place.get(q, {}).get)[0] for q in qrels]
    assert listed(judge(qrels, form(run), ties="given")) == expected


@pytest.mark.parametrize("ratio", [0, 8, 1000])
@pytest.mark.parametrize("order", ["grouped", "falling", "shuffled"])
def test_both_joins_lead_to_the_same_ranks_from_files_too(ratio, order, tmp_path, monkeypatch):
    monkeypatch.setattr(judging, "INDEX_RATIO", ratio)
    for seed in range(25):
        qrels, run = random_collection(seed)
        if order == "falling":
            run = {q: dict(sorted(docs.items(), key=lambda row: -row[1])) for q, docs in run.items()}
        shuffle = np.random.default_rng(seed) if order == "shuffled" else None
        assert listed(judge(*as_files(tmp_path, qrels, run, shuffle))) == rank_by_sorting(qrels, run)


@given(seeds)
def test_the_join_is_exact_even_if_all_hashes_collide(seed):
    qrels, run = random_collection(seed, queries=3, docs=8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ids, "hash", lambda self: np.zeros(len(self), np.uint64))
        assert listed(judge(qrels, as_triples(run))) == rank_by_sorting(qrels, run)
        with pytest.raises(DataError, match="duplicate document 'd' in query 'q'"):
            Run([("q", "d", 1.0), ("q", "e", 1.0), ("r", "d", 1.0), ("q", "d", 2.0)])


def test_a_dict_with_ids_of_several_types_is_read_as_text():
    for docs in ({"a": 2.0, 7: 1.0}, {"a": 2.0, b"7": 1.0}, {7: 1.0, "a": 2.0}):
        assert judge({"q": {"7": 1}}, {"q": docs}).rank.tolist() == [2]
    assert judge({"1": {"7": 1}}, {1: {"7": 1.0}}).rank.tolist() == [1]


@pytest.mark.parametrize("form", ["7", b"7", 7, "-7", -7, "x", b"x"])
def test_an_id_is_found_in_whatever_form_either_side_has_it(form):
    text = form.decode() if isinstance(form, bytes) else str(form)
    for judged in (text, form):
        found = judge({"q": {"other": 1, judged: 2}}, {"q": {"a": 3.0, form: 2.0, "b": 1.0}})
        assert (found.rank.tolist(), found.grade.tolist()) == ([2], [2])


@pytest.mark.parametrize("grouped", [True, False])
def test_judgments_of_any_source_meet_a_run_of_dicts(grouped):
    qrels, run = random_collection(5)
    triples = as_triples(qrels)
    if not grouped: triples = [triples[i] for i in np.random.default_rng(0).permutation(len(triples))]
    order = list(dict.fromkeys(q for q, _, _ in triples))
    expected = rank_by_sorting({q: qrels[q] for q in order}, run)
    assert listed(judge(triples, run)) == expected == listed(judge(Qrels(triples), Run(run)))


def test_ties_in_dicts_are_found_in_any_order_of_the_scores():
    scores = [5.0, 5.0, -0.0, 0.0, 3.0, 5.0, np.inf, np.inf, -np.inf]
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(9).tolist()
        run = {"p": {}, "q": {"abcdefghi"[i]: scores[i] for i in order}, "r": {"a": 1.0, "b": 1.0}}
        qrels = {"r": {"a": 1}, "q": dict.fromkeys("gdbxi", 1), "p": {"a": 1}}
        assert listed(judge(qrels, run)) == rank_by_sorting(qrels, run)
        assert listed(judge(qrels, run, ties="given")) == listed(judge(qrels, as_triples(run), ties="given"))


def test_numbers_of_any_type_are_scores():

    run = {"q": {"a": np.float32(0.5), "b": Decimal("0.5"), "c": True, "d": 0}}
    assert judge({"q": {"a": 1}}, run).rank.tolist() == [3]


def test_scores_are_compared_as_float64():
    run = {"q": {"a": 1.0, "b": 1.0 + 1e-12, "c": 1.0 - 1e-12}}
    assert judge({"q": {"a": 1}}, run).rank.tolist() == [2]


def test_infinite_scores_have_a_rank_and_minus_zero_ties_with_zero():
    run = {"q": {"a": -math.inf, "b": math.inf, "c": 0.0, "d": -0.0, "e": math.inf}}
    falling = {"q": dict(sorted(run["q"].items(), key=lambda row: -row[1]))}
    for shown in (run, falling, as_triples(run), as_triples(falling)):
        assert judge({"q": dict.fromkeys("abcde", 1)}, shown).grade.tolist() == [1] * 5
        for doc, rank in zip("ebdca", range(1, 6)):
            assert judge({"q": {doc: 1}}, shown).rank.tolist() == [rank]


@pytest.mark.filterwarnings("error")
def test_many_tied_infinite_scores_are_ranked_by_id_without_a_warning():
    scores = [math.inf, 1.0, -math.inf]
    rows = [("q", f"d{i:04d}", scores[i % 3]) for i in range(3000)]
    order = sorted(rows, key=lambda row: (row[2], row[1]), reverse=True)
    judged = judge([("q", doc, i) for i, (_, doc, _) in enumerate(order)], rows)
    assert judged.grade.tolist() == list(range(3000))


def test_infinite_scores_are_first_and_last(tmp_path):
    run = put(tmp_path / "run", b"q Q0 low 1 -inf t\nq Q0 a 1 1e308 t\nq Q0 top 1 inf t\nq Q0 b 1 -1e308 t\n")
    for place, doc in enumerate([b"top", b"a", b"b", b"low"], 1):
        assert evaluate(put(tmp_path / "qrels", b"q 0 %b 1\n" % doc), run, "RR")["RR"] == [1 / place]
        assert evaluate({"q": {doc.decode(): 1}}, Run(run).to_dict(), "RR")["RR"] == [1 / place]


def test_minus_zero_and_zero_are_tied(tmp_path):
    run = put(tmp_path / "run", b"q Q0 a 1 0 t\nq Q0 b 2 -0 t\n")
    assert evaluate({"q": {"b": 1}}, run, "RR")["RR"] == evaluate({"q": {"b": 1}}, {"q": {"a": 0.0, "b": -0.0}}, "RR")["RR"] == [1.0]


@pytest.mark.no_cover
def test_many_tied_documents_in_one_query_are_no_trouble():
    n = 300_000
    docs = dict.fromkeys(map(str, np.random.default_rng(0).permutation(n).tolist()), 1.0)
    wanted = sorted(docs, reverse=True)[::1000]
    for run in ({"q": docs}, as_triples({"q": docs})):
        assert judge({"q": dict.fromkeys(wanted, 1)}, run).rank.tolist() == list(range(1, n + 1, 1000))


def test_very_many_queries_with_one_document_are_no_trouble():

    n = 300_000
    table = pl.DataFrame({"query_id": np.arange(n), "doc_id": np.arange(n) % 7, "score": np.ones(n)})
    judged = judge(table.rename({"score": "relevance"}), table)
    assert judged.rank.tolist() == [1] * n and judged.query.tolist() == list(range(n))


def test_ids_that_resemble_numbers_are_unchanged():
    for name in ('--5', '-', '', '٣', '5-', '9' * 5000):
        assert judge({'q': {name: 1, 'x': 0}}, {'q': {'x': 1.0}}).rank.tolist() == [1]
