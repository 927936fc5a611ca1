"Judgments and runs: ranks against trec_eval and against plain sorting, every option, every kind of bad input."
import gzip
import math

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

import irmetrics_nb.data as data
from irmetrics_nb.data import Qrels, Run, judge, load_example
from irmetrics_nb.io import DataError, Ids

seeds = st.integers(0, 2**32 - 1)


def random_collection(seed, queries=6, docs=25, grades=(-1, 5), step=0.25, levels=12):
    "Judgments and a run as nested dicts: ties, unjudged documents, junk, missing queries, scores that float32 can hold."
    rng = np.random.default_rng(seed)
    ids = [f"{p}{n}" for p in ("d", "doc-with-a-long-name-", "é") for n in range(docs)]
    qrels, run = {}, {}
    for q in range(queries):
        judged = rng.choice(ids, rng.integers(1, docs), replace=False)
        found = rng.choice(ids, rng.integers(1, 2 * docs), replace=False)
        if rng.random() < 0.85:
            qrels[f"q{q}"] = dict(zip(judged.tolist(), rng.integers(*grades, len(judged)).tolist()))
        if rng.random() < 0.85:
            run[f"q{q}"] = dict(zip(found.tolist(), (rng.integers(-levels, levels, len(found)) * step).tolist()))
    qrels["both"], run["both"] = {"d1": 1}, {"d1": 1.0}
    return qrels, run


def as_files(folder, qrels, run, order=None):
    "The same as two TREC files; `order` shuffles the run's lines."
    rows = [f"{q} Q0 {d} 0 {s!r} tag\n" for q, docs in run.items() for d, s in docs.items()]
    if order is not None:
        order.shuffle(rows)
    (folder / "run").write_text("".join(rows))
    (folder / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, docs in qrels.items() for d, g in docs.items()))
    return folder / "qrels", folder / "run"


def slow_judge(qrels, run, junk=True, key=lambda doc: doc.encode()):
    "For each judged query its (rank, grade) pairs, by sorting everything."
    out = []
    for query, grades in qrels.items():
        listing = sorted(run.get(query, {}).items(), key=lambda row: (row[1], key(row[0])), reverse=True)
        out.append([(i, grades[d]) for i, (d, _) in enumerate(listing, 1) if d in grades and (grades[d] >= 0 or not junk)])
    return out


def listed(judged):
    "A `Judged` in the form of `slow_judge`."
    out = [[] for _ in range(len(judged.retrieved))]
    for q, i, g in zip(judged.query.tolist(), judged.rank.tolist(), judged.grade.tolist()):
        out[q].append((i, g))
    return out


def as_triples(nested):
    "A nested dict as triples."
    return [(q, d, v) for q, docs in nested.items() for d, v in docs.items()]


@pytest.mark.parametrize("form", [dict, as_triples])
@given(seed=seeds)
def test_ranks_are_those_of_sorting_by_score_and_id(form, seed):
    qrels, run = random_collection(seed)
    judged = judge(qrels, form(run))
    assert listed(judged) == slow_judge(qrels, run)
    assert judged.retrieved.tolist() == [len(run.get(q, {})) for q in qrels]
    pool = [(q, g) for q, docs in enumerate(qrels.values()) for g in sorted(docs.values(), reverse=True) if g >= 0]
    assert list(zip(judged.pool_query.tolist(), judged.pool_grade.tolist())) == pool


@pytest.mark.parametrize("form", [dict, as_triples])
@given(seed=seeds)
def test_negative_grades_are_kept_when_asked_for(form, seed):
    qrels, run = random_collection(seed)
    judged = judge(qrels, form(run), negative="keep")
    assert listed(judged) == slow_judge(qrels, run, junk=False)
    assert sorted(judged.pool_grade) == sorted(g for docs in qrels.values() for g in docs.values())


@pytest.mark.parametrize("form", [dict, as_triples])
@given(seed=seeds)
def test_ties_stay_in_the_given_order_when_asked_for(form, seed):
    qrels, run = random_collection(seed)
    place = {q: {d: -i for i, d in enumerate(docs)} for q, docs in run.items()}
    expected = [slow_judge({q: qrels[q]}, run, key=place.get(q, {}).get)[0] for q in qrels]
    assert listed(judge(qrels, form(run), ties="given")) == expected


@pytest.mark.parametrize("many", [0, 8, 1000])
@pytest.mark.parametrize("order", ["grouped", "falling", "shuffled"])
def test_all_ways_to_a_rank_agree_from_files_too(many, order, tmp_path, monkeypatch):
    monkeypatch.setattr(data, "MANY", many)
    for seed in range(25):
        qrels, run = random_collection(seed)
        if order == "falling":
            run = {q: dict(sorted(docs.items(), key=lambda row: -row[1])) for q, docs in run.items()}
        shuffle = np.random.default_rng(seed) if order == "shuffled" else None
        assert listed(judge(*as_files(tmp_path, qrels, run, shuffle))) == slow_judge(qrels, run)


@pytest.mark.parametrize("seed", range(40))
def test_values_computed_from_the_ranks_are_those_of_trec_eval(seed):
    qrels, run = random_collection(seed, grades=(-1, 5))
    trec = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg", "recip_rank", "P.5"}).evaluate(run)
    judged = judge(qrels, run)
    for q, query in enumerate(qrels):
        rank, grade = judged.rank[judged.query == q], judged.grade[judged.query == q]
        pool = judged.pool_grade[judged.pool_query == q]
        hits, n_relevant = rank[grade >= 1], (pool >= 1).sum()
        ideal = (pool / np.log2(np.arange(len(pool)) + 2)).sum()
        expected = trec.get(query, {"map": 0, "ndcg": 0, "recip_rank": 0, "P_5": 0})
        assert (np.arange(len(hits)) + 1) @ (1 / hits) / max(n_relevant, 1) == pytest.approx(expected["map"], abs=1e-9)
        assert (grade / np.log2(rank + 1)).sum() / (ideal or 1) == pytest.approx(expected["ndcg"], abs=1e-9)
        assert (1 / hits[:1]).sum() == pytest.approx(expected["recip_rank"], abs=1e-9)
        assert (hits <= 5).sum() / 5 == pytest.approx(expected["P_5"], abs=1e-9)


@given(seeds)
def test_the_join_is_exact_even_if_all_hashes_collide(seed):
    qrels, run = random_collection(seed, queries=3, docs=8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ids, "hash", lambda self: np.zeros(len(self), np.uint64))
        assert listed(judge(qrels, as_triples(run))) == slow_judge(qrels, run)
        with pytest.raises(DataError, match="document 'd' stands twice in query 'q'"):
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


def test_an_id_in_two_forms_is_one_document_twice():
    with pytest.raises(DataError, match="document '7' stands twice in query 'q'"):
        judge({"q": {"8": 1}}, {"q": {"a": 3.0, "7": 2.0, 7: 1.0, 8: 1.0}})
    with pytest.raises(DataError, match="document '7' stands twice in query 'q'"):
        Qrels({"q": {"7": 1, b"7": 1}})


@pytest.mark.parametrize("grouped", [True, False])
def test_judgments_of_any_source_meet_a_run_of_dicts(grouped):
    qrels, run = random_collection(5)
    triples = as_triples(qrels)
    if not grouped: triples = [triples[i] for i in np.random.default_rng(0).permutation(len(triples))]
    order = list(dict.fromkeys(q for q, _, _ in triples))
    expected = slow_judge({q: qrels[q] for q in order}, run)
    assert listed(judge(triples, run)) == expected == listed(judge(Qrels(triples), Run(run)))


def test_ties_in_dicts_are_found_in_any_order_of_the_scores():
    scores = [5.0, 5.0, -0.0, 0.0, 3.0, 5.0, np.inf, np.inf, -np.inf]
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(9).tolist()
        run = {"p": {}, "q": {"abcdefghi"[i]: scores[i] for i in order}, "r": {"a": 1.0, "b": 1.0}}
        qrels = {"r": {"a": 1}, "q": dict.fromkeys("gdbxi", 1), "p": {"a": 1}}
        assert listed(judge(qrels, run)) == slow_judge(qrels, run)
        assert listed(judge(qrels, run, ties="given")) == listed(judge(qrels, as_triples(run), ties="given"))


def test_what_happens_to_a_dict_later_does_not_matter():
    qrels, run = {"q": {"a": 2, "b": 1}}, {"q": {"a": 1.0, "b": 2.0}}
    kept = Qrels(qrels), Run(run)
    before = listed(judge(*kept))
    qrels["q"]["b"], run["q"]["a"], run["q"]["c"] = 5, 3.0, 4.0
    del run["q"]["b"]
    run["r"] = {"a": 1.0}
    assert listed(judge(*kept)) == before and kept[1].to_dict() == {"q": {"a": 1.0, "b": 2.0}}
    assert kept[0].to_dict() == {"q": {"a": 2, "b": 1}} and kept[1].queries == ["q"]
    assert listed(judge(qrels, run)) != before


def test_numbers_of_any_type_are_scores():
    from decimal import Decimal

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


def test_the_column_rank_is_ignored(tmp_path):
    (tmp_path / "run").write_text("q Q0 a 1 0.5 t\nq Q0 b 2 0.9 t\n")
    assert judge({"q": {"b": 1}}, tmp_path / "run").rank.tolist() == [1]


def test_ids_that_differ_only_in_bytes_that_are_no_utf8_stay_apart(tmp_path):
    (tmp_path / "run").write_bytes(b"q Q0 \xff 1 2 t\nq Q0 \xfe 2 1 t\n")
    (tmp_path / "qrels").write_bytes(b"q 0 \xfe 3\n")
    assert judge(tmp_path / "qrels", tmp_path / "run").rank.tolist() == [2]
    assert list(Run(tmp_path / "run").to_dict()["q"]) == ["\udcff", "\udcfe"]


def test_many_tied_documents_in_one_query_are_no_trouble():
    n = 300_000
    docs = dict.fromkeys(map(str, np.random.default_rng(0).permutation(n).tolist()), 1.0)
    wanted = sorted(docs, reverse=True)[::1000]
    for run in ({"q": docs}, as_triples({"q": docs})):
        assert judge({"q": dict.fromkeys(wanted, 1)}, run).rank.tolist() == list(range(1, n + 1, 1000))


def test_very_many_queries_with_one_document_are_no_trouble():
    import polars as pl

    n = 300_000
    table = pl.DataFrame({"query_id": np.arange(n), "doc_id": np.arange(n) % 7, "score": np.ones(n)})
    judged = judge(table.rename({"score": "relevance"}), table)
    assert judged.rank.tolist() == [1] * n and judged.query.tolist() == list(range(n))


def test_qrels_and_runs_read_back():
    qrels = Qrels([("q2", "b", 1), ("q1", "a", 0), ("q2", "a", 2)])
    assert qrels.queries == ["q2", "q1"] and len(qrels) == 2
    assert qrels.to_dict() == {"q2": {"b": 1, "a": 2}, "q1": {"a": 0}}
    assert repr(qrels) == "Qrels: 2 queries, 3 judgments, grades 0 to 2"
    assert Qrels(qrels.to_polars()).to_dict() == Qrels(qrels).to_dict() == qrels.to_dict()
    assert Qrels({"q": {"d": 0.5}}).to_dict() == {"q": {"d": 0.5}}
    run = Run({"q1": {"a": 1.5, "b": 1.5, "c": 2.0}, "q2": {}})
    assert repr(run) == "Run: 2 queries, 3 documents retrieved"
    assert run.to_polars()["rank"].to_list() == [3, 2, 1]
    assert Run(run.to_polars()).to_dict() == {"q1": {"a": 1.5, "b": 1.5, "c": 2.0}}


BAD = {
    "document 'd' stands twice in query 'q'": ([("q", "d", 1), ("q", "d", 2)], {"q": {"d": 1}}),
    "the run: document 'd' stands twice in query 'q'": ({"q": {"d": 1}}, {"q": ["d", "e", "d"]}),
    "the run: document '1' stands twice in query 'q'": ({"q": {"d": 1}}, {"q": {1: 1, "1": 2}}),
    "not one query in common: the qrels has '1', the run has 'q1'": ({"1": {"d": 1}}, {"q1": {"d": 1}}),
    "the grade None is not a number": ({"q": {"d": None}}, {"q": {"d": 1}}),
    "the score nan is not a number": ({"q": {"d": 1}}, {"q": {"d": math.nan}}),
    "expected a Qrels, not a Run": (Run({"q": {"d": 1}}), {"q": {"d": 1}}),
    "expected a Run, not a Qrels": ({"q": {"d": 1}}, Qrels({"q": {"d": 1}})),
    "the qrels: no rows came; has the iterator been used up?": (iter(()), {"q": {"d": 1}}),
    "the run: there are no queries": ({"q": {"d": 1}}, {}),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_pairs_give_one_error(message):
    with pytest.raises(DataError) as error:
        judge(*BAD[message])
    assert message in str(error.value)


def test_a_repeated_document_is_named_with_both_its_lines(tmp_path):
    content = b"\nq Q0 d 1 2 t\r\nr Q0 d 1 2 t\n\nq Q0 d 2 1 t\n"
    for name, data_ in {"run.txt": content, "run.gz": gzip.compress(content)}.items():
        (tmp_path / name).write_bytes(data_)
        with pytest.raises(DataError) as error:
            Run(tmp_path / name)
        assert str(error.value) == f"{tmp_path / name}, line 5 (and 2): document 'd' stands twice in query 'q'"


@pytest.mark.parametrize("option", [{"ties": "mean"}, {"negative": "drop"}, {"ties": None}])
def test_unknown_options_are_refused_with_the_choices(option):
    (name, value), = option.items()
    with pytest.raises(ValueError, match=f"{name} must be '.*' or '.*', not {value!r}"):
        judge({"q": {"d": 1}}, {"q": {"d": 1}}, **option)


def test_the_example_collection_holds_together():
    example = load_example()
    assert example.documents.columns == ["doc_id", "title", "text"]
    assert example.topics.columns[:2] == ["query_id", "query"]
    assert len(example.runs) >= 4 and all(len(run) == example.topics.height for run in example.runs.values())
    documents = set(example.documents["doc_id"])
    assert documents.issuperset(example.qrels.rows.doc.tolist())
    for run in example.runs.values():
        assert documents.issuperset(run.rows.doc.tolist())
        retrieved = judge(example.qrels, run).retrieved
        assert 1 <= retrieved.min() and retrieved.max() <= 100


def test_an_id_that_only_looks_like_a_number_is_left_alone():
    for name in ('--5', '-', '', '٣', '5-', '9' * 5000):
        assert judge({'q': {name: 1, 'x': 0}}, {'q': {'x': 1.0}}).rank.tolist() == [1]
