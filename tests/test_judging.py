"`judge`: values against trec_eval, every option, sources that do not fit together."
import math

import numpy as np
import polars as pl
import pytest
import pytrec_eval
from helpers import as_triples
from hypothesis import given
from oracles import listed, rank_by_sorting
from strategies import random_collection, seeds

import irmetrics_nb.data.judging as judging
import irmetrics_nb.data.tables as tables
from irmetrics_nb import DataError, Qrels, Run, evaluate, judge
from irmetrics_nb.data.judging import judge_run


@pytest.mark.parametrize("seed", range(40))
def test_values_computed_from_ranks_equal_trec_eval(seed):
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


@pytest.mark.parametrize("form", [dict, as_triples])
@given(seed=seeds)
def test_negative_grades_are_kept_on_request(form, seed):
    qrels, run = random_collection(seed)
    judged = judge(qrels, form(run), negative="keep")
    assert listed(judged) == rank_by_sorting(qrels, run, junk=False)
    assert sorted(judged.pool_grade) == sorted(g for docs in qrels.values() for g in docs.values())


BAD = {
    "duplicate document 'd' in query 'q'": ([("q", "d", 1), ("q", "d", 2)], {"q": {"d": 1}}),
    "the run: duplicate document 'd' in query 'q'": ({"q": {"d": 1}}, {"q": ["d", "e", "d"]}),
    "the run: duplicate document '1' in query 'q'": ({"q": {"d": 1}}, {"q": {1: 1, "1": 2}}),
    "judgments and run have no query in common: the qrels has '1', the run has 'q1'": ({"1": {"d": 1}}, {"q1": {"d": 1}}),
    "every grade is blank, so no document is judged": ({"q": {"d": None}}, {"q": {"d": 1}}),
    "the score nan is not a number": ({"q": {"d": 1}}, {"q": {"d": math.nan}}),
    "expected a Qrels, not a Run": (Run({"q": {"d": 1}}), {"q": {"d": 1}}),
    "expected a Run, not a Qrels": ({"q": {"d": 1}}, Qrels({"q": {"d": 1}})),
    "the qrels: there are no rows; is the iterator exhausted?": (iter(()), {"q": {"d": 1}}),
    "the run: there are no queries": ({"q": {"d": 1}}, {}),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_pairs_give_one_error(message):
    with pytest.raises(DataError) as error:
        judge(*BAD[message])
    assert message in str(error.value)


@pytest.mark.parametrize("option", [{"ties": "mean"}, {"negative": "drop"}, {"ties": None}])
def test_unknown_options_are_refused_with_the_choices(option):
    (name, value), = option.items()
    with pytest.raises(ValueError, match=f"{name} must be '.*' or '.*', not {value!r}"):
        judge({"q": {"d": 1}}, {"q": {"d": 1}}, **option)


@pytest.mark.skipif(np.dtype(np.longlong).char == np.dtype(np.intp).char, reason="no second type of 64 bits here")
def test_whatever_is_counted_or_repeated_has_the_type_of_an_index(tmp_path, monkeypatch):
    "In a browser an index has 32 bits, and numpy takes nothing longer. Here np.int64 is set apart by another type of its size."
    rng = np.random.default_rng(0)
    qrels, run = random_collection(7)
    rows = [f"{q} Q0 {d} 0 {s!r} tag\n" for q, docs in run.items() for d, s in docs.items()]
    (tmp_path / "grouped").write_text("".join(rows))
    (tmp_path / "scattered").write_text("".join(rng.permutation(rows).tolist()))
    Run(run).to_polars().write_parquet(tmp_path / "table")
    seen = []

    def insisting(f):
        def checked(x, *args, **options):
            for numbers in (x,) if f.__name__ == "bincount" else args:
                assert np.asarray(numbers).dtype.char != "q" and np.can_cast(np.asarray(numbers).dtype, np.intp)
                seen.append(f.__name__)
            return f(x, *args, **options)

        return checked

    monkeypatch.setattr(np, "bincount", insisting(np.bincount))
    monkeypatch.setattr(np, "repeat", insisting(np.repeat))
    monkeypatch.setattr(np, "int64", np.longlong)
    expected = rank_by_sorting(qrels, run)
    for source in (run, as_triples(run), tmp_path / "grouped", tmp_path / "scattered", tmp_path / "table"):
        for ratio in (0, 1000):
            monkeypatch.setattr(judging, "INDEX_RATIO", ratio)
            judged, _ = judge_run(Qrels(as_triples(qrels)), source, memory=30_000)
            by_query = dict(zip(dict.fromkeys(q for q, _, _ in as_triples(qrels)), listed(judged)))
            assert by_query == {q: hits for q, hits in zip(qrels, expected) if q in by_query}
            for name in ("query", "retrieved", "pool_query"):
                assert getattr(judged, name).dtype.char == np.dtype(np.intp).char, name
    assert set(seen) == {"bincount", "repeat"}


def judged_collection(rng, grouped):
    "Rows of judgments and of a run in which most is judged, with ties, negative grades and queries of one side only."
    pairs = [(f"q{q}", f"d{d}") for q in rng.permutation(30) for d in rng.permutation(40)[: rng.integers(1, 40)]]
    qrels = [(q, d, int(g)) for (q, d), g in zip(pairs, rng.integers(-1, 4, len(pairs)), strict=True) if rng.random() < 0.8]
    run = [(q, d, float(s)) for (q, d), s in zip(pairs, rng.integers(0, 12, len(pairs)), strict=True) if rng.random() < 0.9]
    if grouped:
        return qrels, run
    return [qrels[i] for i in rng.permutation(len(qrels))], [run[i] for i in rng.permutation(len(run))]


@pytest.mark.parametrize("grouped", [True, False])
@pytest.mark.parametrize("negative", ["zero", "keep"])
@pytest.mark.parametrize("seed", range(4))
def test_parts_and_narrow_types_give_the_same_result(monkeypatch, seed, grouped, negative):
    qrels, run = judged_collection(np.random.default_rng(seed), grouped)
    expected = oracle_judged(qrels, run, negative)
    for module, name, size in (tables, "PIECE_ROWS", 7), (judging, "MANY_ENTRIES", 1):
        monkeypatch.setattr(module, name, size)
    forms = (qrels, run), (pl.DataFrame(qrels, RELEVANCE, orient="row"), pl.DataFrame(run, SCORE, orient="row"))
    for judgments, results in forms:
        judged = judge(judgments, results, negative=negative)
        found = {name: getattr(judged, name).tolist() for name in expected}
        assert found == expected
        assert judged.rank.dtype == np.int32


RELEVANCE, SCORE = ["query_id", "doc_id", "relevance"], ["query_id", "doc_id", "score"]


def oracle_judged(qrels, run, negative):
    "The columns of the batch, by dicts and sorting."
    grades, results = {}, {}
    for q, d, g in qrels:
        grades.setdefault(q, {})[d] = g
    for q, d, s in run:
        results.setdefault(q, []).append((s, d.encode()))
    out = {name: [] for name in ("query", "rank", "grade", "tie_start", "tie_size", "retrieved", "pool_query", "pool_grade")}
    for n, (q, docs) in enumerate(grades.items()):
        counted = {d: g for d, g in docs.items() if g >= 0 or negative == "keep"}
        ranking = sorted(results.get(q, []), reverse=True)
        scores = [s for s, _ in ranking]
        for rank, (score, doc) in enumerate(ranking, 1):
            if doc.decode() in counted:
                row = n, rank, counted[doc.decode()], scores.index(score) + 1, scores.count(score)
                for name, value in zip(("query", "rank", "grade", "tie_start", "tie_size"), row, strict=True):
                    out[name].append(value)
        out["retrieved"].append(len(ranking))
        out["pool_query"] += [n] * len(counted)
        out["pool_grade"] += sorted(counted.values(), reverse=True)
    return out


@pytest.mark.filterwarnings("error")
def test_judgments_that_were_given_stay_whole_and_those_that_found_only_junk_are_still_there(tmp_path):
    lines = "".join(f"q{i // 10} Q0 d{i % 10} 1 {-i} t\n" for i in range(400))
    (tmp_path / "run").write_text(lines)
    qrels = Qrels([("q1", "d3", 1), ("q2", "d4", 2)])
    for _ in range(2):  # the judgments are another run's, too
        assert evaluate(qrels, tmp_path / "run", "RR", memory=16_000).means == {"RR": (1 / 4 + 1 / 5) / 2}
    assert qrels.to_dict() == {"q1": {"d3": 1}, "q2": {"d4": 2}}
    (tmp_path / "bad").write_text("q1 0 d3 -1\nq2 0 e4 2\n")  # all that was found is junk
    assert evaluate(tmp_path / "bad", tmp_path / "run", "RR", memory=16_000).means == {"RR": 0}  # a document was met: no warning
