"Runs and judgments made from others: cut, selected, merged, with other grades."
import gzip
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irmetrics_nb import DataError, Qrels, Run, evaluate, load_example

EXAMPLE = load_example()
SCORES = st.sampled_from([0.0, -0.0, 1.0, 1.5, -2.0, 1e9])
IDS = st.sampled_from(["d1", "d01", "D1", "1", "d10", "é", "\udcff", "d 1"])
RUNS = st.dictionaries(st.sampled_from(["q1", "01", "1", "\udcfe"]), st.dictionaries(IDS, SCORES, max_size=6), min_size=1)


def key(id):
    return id.encode("utf-8", "surrogateescape")


def ranked(docs):
    "Documents by descending score, equal scores by descending id as bytes."
    return sorted(docs, key=lambda doc: (docs[doc] + 0.0, key(doc)), reverse=True)


@settings(max_examples=60, deadline=None)
@given(RUNS, st.integers(1, 4))
def test_top_takes_the_first_documents_of_each_query(data, k):
    run = Run(data) if any(data.values()) else None
    if run is None:
        return
    cut = run.top(k).to_dict()
    assert {q: {*docs} for q, docs in cut.items()} == {q: {*ranked(docs)[:k]} for q, docs in data.items()}
    for query, docs in run.top(k, boundary="keep").to_dict().items():
        first = ranked(data[query])[:k]
        lowest = data[query][first[-1]] if first else 0
        assert {*docs} == {*first} | {doc for doc, score in data[query].items() if len(first) == k and score == lowest}


def test_a_cut_through_a_tie_changes_the_average_over_orders():
    qrels, run = {"q": {"c": 1, "a": 0}}, Run({"q": {"a": 3, "b": 1, "c": 1, "d": 1}})
    values = [evaluate(qrels, r, "RR", ties="average").means["RR"] for r in (run, run.top(2), run.top(2, boundary="keep"))]
    assert values == [pytest.approx((1 / 2 + 1 / 3 + 1 / 4) / 3), 0, values[0]]


def test_a_derived_run_tells_its_name_and_what_was_done():
    run = Run({"q1": ["a", "b"], "q2": []}, name="bm25")
    cut = run.top(1)
    assert (cut.name, cut.queries) == ("bm25, top 1", ["q1", "q2"])
    printed = str(evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, cut, "RR")).replace("\n", " ")
    assert "the run was cut after rank 1" in printed and "1 answered without results" in printed
    assert run.name == "bm25" and len(run.rows) == 2


def test_a_query_that_loses_all_documents_stays_and_scores_zero():
    qrels = Qrels({"q1": {"a": 1}, "q2": {"b": 1}})
    run = Run({"q1": ["a"], "q2": ["b"]}).select(documents=["a", "unknown"])
    assert run.to_dict() == {"q1": {"a": 0.0}, "q2": {}}
    scores = evaluate(qrels, run, "RR")
    assert scores.means["RR"] == 0.5 and scores.runs[0].missing == 0


def test_queries_that_are_not_selected_are_removed(tmp_path):
    (tmp_path / "ids.txt").write_bytes(b"q02\r\n\nq01\nq99\n")
    of_file = EXAMPLE.runs["bm25"].select(queries=tmp_path / "ids.txt")
    of_list = EXAMPLE.runs["bm25"].select(queries=["q01", "q02"])
    assert of_file.queries == of_list.queries == ["q01", "q02"] and of_file.to_dict() == of_list.to_dict()
    qrels = EXAMPLE.qrels.select(queries=["q02"])
    whole = evaluate(EXAMPLE.qrels, EXAMPLE.runs["bm25"], "AP")
    assert evaluate(qrels, EXAMPLE.runs["bm25"], "AP").values.item() == whole.values[0, 0, whole.query_ids.index("q02")]
    for wrong in (["q1"], [], ["Q01"]):
        with pytest.raises(DataError, match="none of the .* ids is known"):
            of_list.select(queries=wrong)


def test_binary_grades_give_what_a_level_gives():
    binary = EXAMPLE.qrels.binarize(rel=2)
    for name, run in EXAMPLE.runs.items():
        assert evaluate(binary, run, "AP").means["AP"] == evaluate(EXAMPLE.qrels, run, "AP(rel=2)").means["AP(rel=2)"], name
    junk = Qrels({"q": {"a": -2, "b": 0, "c": 0.5, "d": 1}})
    assert junk.binarize().to_dict() == {"q": {"a": -2, "b": 0, "c": 0, "d": 1}}
    with pytest.raises(ValueError, match="above 0"):
        junk.binarize(rel=0)


def test_grades_without_an_entry_are_an_error():
    qrels = Qrels({"q": {"a": 2, "b": 0.5}})
    assert qrels.map_grades({2: 7, 0.5: 1}).to_dict() == {"q": {"a": 7, "b": 1}}
    with pytest.raises(DataError, match="grade 0.5 has no entry"):
        qrels.map_grades({2: 7})
    with pytest.raises(DataError, match="not finite"):
        qrels.map_grades({2: 7, 0.5: float("nan")})


def test_grades_of_subtopics_are_mapped_too(tmp_path):
    (tmp_path / "q.txt").write_text("q s1 a 2\nq s2 a 1\nq s1 b 1\n")
    qrels = Qrels(tmp_path / "q.txt", subtopics=True)
    values = evaluate(qrels.binarize(rel=2), {"q": ["b", "a"]}, "StRecall@1 RR").means
    assert values == {"StRecall@1": 0, "RR": 0.5}
    with pytest.raises(DataError, match="subtopics, strata and chunks cannot be merged"):
        Qrels.merge([qrels, qrels])


def test_parts_of_a_run_give_the_whole_run(tmp_path):
    whole = EXAMPLE.runs["lsa"]
    ids = [*whole.queries]
    random.Random(3).shuffle(ids)
    parts = [whole.select(queries=ids[:7]), whole.select(queries=ids[7:])]
    parts[0].save(tmp_path / "part.run")
    with gzip.open(tmp_path / "part.run.gz", "wb") as file:
        file.write((tmp_path / "part.run").read_bytes())
    for first in (parts[0], tmp_path / "part.run", tmp_path / "part.run.gz", parts[0].to_dict()):
        merged = Run.merge([first, parts[1]])
        assert merged.to_dict() == {q: whole.to_dict()[q] for q in merged.queries} and len(merged) == len(whole)


def test_duplicates_of_merged_judgments_follow_the_rule():
    a, b = {"q": {"d": 1, "e": 2}}, {"q": {"d": 3}, "r": {"d": 0}}
    expected = {"first": 1, "last": 3, "best": 3, "mean": 2}
    for rule, grade in expected.items():
        assert Qrels.merge([a, b], duplicates=rule).to_dict() == {"q": {"d": grade, "e": 2}, "r": {"d": 0}}, rule
    with pytest.raises(DataError, match="document 'd' in query 'q'"):
        Qrels.merge([a, b])
    with pytest.raises(ValueError, match="parts must be a list of sources"):
        Qrels.merge(a)


def test_a_record_does_not_name_the_file_of_a_cut_run(tmp_path):
    EXAMPLE.runs["bm25"].save(tmp_path / "a.run")
    scores = evaluate(EXAMPLE.qrels, Run(tmp_path / "a.run").top(3), "AP")
    assert scores.runs[0].source.record["name"] != "a.run"
    assert np.isfinite(scores.means["AP"])
