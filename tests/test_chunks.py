"""Retrieval for language models: chunks of judged documents, budgets, records and passages."""

import json
import warnings
from fractions import Fraction
from math import log2

import numpy as np
import pytest

from irmetrics_nb import (
    DataError,
    DataWarning,
    Qrels,
    Run,
    check,
    compare,
    evaluate,
    explain,
    from_records,
    from_spans,
    judge,
    report,
)

GOLD, LIST = {"q": ["a", "b"]}, {"q": ["a#1", "a#2", "c#1", "b#1"]}
BY_CHUNKS, BY_DOCUMENTS = (Run(LIST, parents="#", count=count) for count in ("chunks", "documents"))


def test_a_second_chunk_of_a_document_takes_a_place_and_counts_as_judged_not_relevant():
    means = evaluate(GOLD, BY_CHUNKS, "R@3 P@3 nDCG@3 AP R AP(judged_only=True) P(judged_only=True)@3 Judged@4").means
    ideal = 1 + 1 / log2(3)
    assert means["R@3"] == 1 / 2 and means["P@3"] == 1 / 3 and means["R"] == 1
    assert means["nDCG@3"] == pytest.approx(1 / ideal, abs=1e-15) and round(means["nDCG@3"], 4) == 0.6131
    assert means["AP"] == Fraction(1, 2) * (Fraction(1, 1) + Fraction(2, 4)) == 0.75
    assert means["AP(judged_only=True)"] == pytest.approx(float(Fraction(1, 2) * (1 + Fraction(2, 3))))  # a, a again, b
    assert means["P(judged_only=True)@3"] == pytest.approx(2 / 3) and means["Judged@4"] == 3 / 4


def test_where_documents_are_counted_the_first_chunk_has_the_place_and_the_ranks_close_up():
    means = evaluate(GOLD, BY_DOCUMENTS, "R@3 P@3 AP RR NumRet").means
    assert means == {"R@3": 1, "P@3": 2 / 3, "AP": pytest.approx(float(Fraction(1, 2) * (1 + Fraction(2, 3)))), "RR": 1, "NumRet": 3}


def slow(gold, scored, count):
    "{k: (hits, relevant in order)}: grades down the list, read slowly; scored: [(chunk, document, score)]."
    order = sorted(sorted(scored, key=lambda row: row[0].encode(), reverse=True), key=lambda row: -row[2])
    seen, grades = set(), []
    for _, document, _ in order:
        if document in seen and count == "documents":
            continue
        grades.append(0 if document in seen else gold.get(document, 0))
        seen.add(document)
    return grades


@pytest.mark.parametrize("count", ["chunks", "documents"])
@pytest.mark.parametrize("seed", range(6))
def test_random_runs_of_chunks_are_what_their_definition_read_slowly_gives(count, seed):
    rng = np.random.default_rng(seed)
    gold, rows, expected = {}, [], {}
    for q in "xyz":
        gold[q] = {f"d{i}": int(g) for i, g in enumerate(rng.integers(0, 3, 7))}
        pieces = [(f"d{d}/{rng.integers(0, 99)}-{j}", f"d{d}") for j, d in enumerate(rng.integers(0, 10, rng.integers(1, 25)))]
        scored = [(chunk, document, float(rng.integers(0, 6))) for chunk, document in pieces]  # ties on purpose
        grades = slow(gold[q], scored, count)
        rows += [(q, chunk, score) for chunk, _, score in scored]
        hits, total = np.cumsum(np.array(grades) > 0), sum(g > 0 for g in gold[q].values())
        precision = [Fraction(int(h), i) for i, (h, g) in enumerate(zip(hits, grades), 1) if g > 0]
        expected[q] = {
            "AP": float(sum(precision) / total) if total else 0.0,
            "P@5": sum(g > 0 for g in grades[:5]) / 5,
            "DCG": sum(g / log2(i + 1) for i, g in enumerate(grades, 1)),
        }
    order = rng.permutation(len(rows))
    run = Run([rows[i] for i in order], parents="/", count=count)
    found = evaluate(gold, run, "AP P@5 DCG")
    for q, values in expected.items():
        assert found.to_dict()[q] == pytest.approx(values, abs=1e-12)
        assert explain("AP", gold, run, q).value == pytest.approx(values["AP"], abs=1e-12)


def test_judgments_of_documents_that_no_chunk_of_is_retrieved_still_count():
    judged = judge({"q": {"a": 1, "z": 2}, "p": {"y": 1}}, BY_CHUNKS)
    assert judged.retrieved.tolist() == [4, 0]
    assert evaluate({"q": ["a", "z"], "p": ["y"]}, BY_CHUNKS, "R").means == {"R": 0.25}


def test_parents_come_as_a_dict_a_table_a_file_a_function_or_a_separator(tmp_path):
    import polars as pl

    of = {"a#1": "a", "a#2": "a", "c#1": "c", "b#1": "b"}
    table = pl.DataFrame({"chunk": list(of), "document": list(of.values())})
    table.write_csv(tmp_path / "of.csv")
    table.write_parquet(tmp_path / "of.parquet")
    table.write_ndjson(tmp_path / "of.jsonl")
    files = [tmp_path / f"of.{end}" for end in ("csv", "parquet", "jsonl")]
    for parents in ["#", of, table, table.to_pandas(), table.to_pandas().set_index("chunk")["document"], lambda chunk: chunk[0], *files]:
        assert evaluate(GOLD, Run(LIST, parents=parents), "AP").means == {"AP": 0.75}


def test_a_chunk_without_a_document_is_an_error_that_names_it():
    with pytest.raises(DataError, match="query 'q', document 'c#1': the chunk 'c#1' has no value in parents"):
        Run(LIST, parents={"a#1": "a", "a#2": "a", "b#1": "b"})
    with pytest.raises(DataError, match="the chunk 'a#1' has no value in parents='::'"):
        Run(LIST, parents="::")
    with pytest.raises(DataError, match="the chunk 'a#1' has no value in parents"):
        Run(LIST, parents=lambda chunk: None)


def test_a_chunk_that_is_called_like_another_judged_document_is_refused():
    with pytest.raises(DataError, match="chunk 'b' of document 'a' has the id of another judged document"):
        evaluate(GOLD, Run({"q": ["b"]}, parents={"b": "a"}), "AP")


def test_ties_between_chunks_go_by_the_chunks_id_and_what_cannot_be_known_is_refused():
    level = Run({"q": {"a#1": 1, "a#2": 1, "c#9": 1}}, parents="#")
    assert evaluate({"q": ["a"]}, level, "RR").means == {"RR": 1 / 2}  # c#9, a#2, a#1
    with pytest.raises(DataError, match="two chunks of document 'a', 'a#2' and 'a#1', have the same score"):
        evaluate({"q": ["a"]}, level, "RR", ties="average")
    with pytest.raises(DataError, match="have the same score"):
        explain("RR", {"q": ["a"]}, level, "q", ties="worst")
    assert evaluate({"q": ["c"]}, level, "RR", ties="best").means == {"RR": 1}


def test_explain_shows_chunk_and_document_and_what_if_moves_the_grade_to_the_next_chunk():
    why = explain("nDCG@3", GOLD, BY_CHUNKS, "q")
    assert [(row["chunk"], row["document"], row["grade"]) for row in why.rows][:2] == [("a#1", "a", 1), ("a#2", "a", "0: a later chunk")]
    assert why.without("a#1").rows[0] | {"grade": 1} == why.without("a#1").rows[0]
    moved = why.move("a#1", 4)
    assert [row["chunk"] for row in moved.rows] == ["a#2", "c#1", "b#1", "a#1"]
    assert moved.value == evaluate(GOLD, Run({"q": ["a#2", "c#1", "b#1", "a#1"]}, parents="#"), "nDCG@3").means["nDCG@3"]
    with pytest.raises(ValueError, match="'a#2' is not the first chunk of 'a' in the list: change the grade of 'a#1'"):
        why.grade("a#2", 1)
    assert "a#1" in why._repr_html_() and explain("nDCG@3", GOLD, BY_CHUNKS, "q", documents={"a": "A title"}).rows[0]["title"] == "A title"


def test_a_document_without_its_only_chunk_is_missed_and_the_chunk_can_be_put_back():
    why = explain("AP", {"q": {"a": 1, "b": 1}}, Run({"q": ["a#1", "b#1", "b#2"]}, parents="#"), "q")
    gone = why.without("a#1")
    assert gone.missed == {"a": 1} and gone.value == 1 / 2
    back = gone.move("a#1", 1)
    assert (back.missed, back.value, back.listing.docs) == ({}, why.value, why.listing.docs)


def test_no_chunk_of_a_document_that_is_not_judged_has_a_grade():
    why = explain("AP", {"q": {"a": 1, "b": 1}}, Run({"q": ["a#1", "a#2", "b#1"]}, parents="#"), "q")
    assert [row["grade"] for row in why.rows] == [1, "0: a later chunk", 1]
    assert [row["grade"] for row in why.grade("a#1", None).rows] == ["unjudged", "unjudged", 1]


def test_report_and_check_know_the_document_of_a_chunk():
    gold = GOLD | {"p": ["x"]}
    runs = {"old": Run(LIST | {"p": ["y#1", "x#2"]}, parents="#"), "new": Run(LIST | {"p": ["x#1", "x#2"]}, parents="#")}
    found = report(gold, runs, "RR", topics={"p": "words"}).to_html()
    assert "x#1" in found and '<span class="soft">of x</span>' in found
    assert "each chunk takes a rank" in found
    assert "doc-ids" not in check(GOLD, BY_CHUNKS).codes and "no-judged-retrieved" not in check(GOLD, BY_DOCUMENTS).codes


def test_notes_state_whether_every_chunk_takes_a_rank():
    assert "each chunk takes a rank" in " ".join(str(evaluate(GOLD, BY_CHUNKS, "AP")).split())
    assert "later chunks are skipped" in " ".join(str(evaluate(GOLD, BY_DOCUMENTS, "AP")).split())


def test_runs_of_chunks_are_compared_with_others():
    runs = {"chunks": BY_CHUNKS, "documents": BY_DOCUMENTS, "whole": {"q": ["a", "c", "b"]}}
    means = evaluate(GOLD, runs, "AP").means
    assert means["documents"] == means["whole"] != means["chunks"]
    assert compare(GOLD, runs, "AP").pair("chunks", "whole").difference == pytest.approx(5 / 6 - 3 / 4)


@pytest.mark.parametrize("budget, recall", [(119, 0), (120, 0.5), (494, 0.5), (495, 1)])
def test_recall_at_a_budget_of_tokens_ends_before_the_first_chunk_that_does_not_fit(budget, recall):
    lengths = {"a#1": 120, "a#2": 80, "c#1": 200, "b#1": 95}
    for count in ("chunks", "documents"):  # the text of a later chunk takes room in either case
        run = Run(LIST, parents="#", count=count, budget=budget, lengths=lengths)
        assert evaluate(GOLD, run, "R").means == {"R": recall}
        assert explain("R", GOLD, run, "q").value == recall
    assert evaluate({"q": ["b#1"]}, Run(LIST, budget=400, lengths=lengths), "R").means == {"R": 0}
    assert f"each list ends at a total length of {budget} (its budget)" in " ".join(str(evaluate(GOLD, run, "R")).split())


def test_a_budget_that_cannot_be_kept_is_refused():
    with pytest.raises(DataError, match="the chunk 'a#1' has no value in lengths"):
        Run(LIST, budget=9, lengths={"x": 1})
    with pytest.raises(DataError, match="a length must be 0 or a positive number, not 'long'"):
        Run(LIST, budget=9, lengths=lambda chunk: "long")
    with pytest.raises(DataError, match="use ties='docid', not 'average'"):
        evaluate(GOLD, Run(LIST, budget=9, lengths=len), "R", ties="average")


RECORDS = [{"query": "q1", "retrieved_ids": ["c", "a"], "relevant_ids": ["a", "b"]}, {"query": "q2", "retrieved_ids": [], "relevant_ids": ["x"]}]


def test_records_give_judgments_and_run_at_once_from_lists_files_and_tables(tmp_path):
    import polars as pl

    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, RECORDS)))
    pl.DataFrame(RECORDS).write_parquet(tmp_path / "r.parquet")
    for source in (RECORDS, tmp_path / "r.jsonl", str(tmp_path / "r.parquet"), pl.DataFrame(RECORDS), pl.DataFrame(RECORDS).to_pandas()):
        scores = evaluate(*from_records(source), "R@2 RR")
        assert scores.means == {"R@2": 0.25, "RR": 0.25} and scores.missing == 0


@pytest.mark.parametrize("form", ["records", "JSON lines", "polars", "pandas"])
def test_records_of_queries_that_were_not_judged_are_left_out_and_counted(tmp_path, form):
    "None and a data frame's NaN say that nobody judged; an empty list says that nothing is relevant."
    import pandas as pd
    import polars as pl

    records = [{"query": "q1", "retrieved_ids": ["c", "a"], "relevant_ids": ["a"]}, {"query": "q2", "retrieved_ids": ["a"], "relevant_ids": None},
               {"query": "q3", "retrieved_ids": ["a"], "relevant_ids": []}]  # fmt: skip
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, records)))
    frame = pd.DataFrame(records)
    frame.loc[1, "relevant_ids"] = float("nan")
    source = {"records": records, "JSON lines": tmp_path / "r.jsonl", "polars": pl.DataFrame(records), "pandas": frame}[form]
    scores = evaluate(*from_records(source), "RR")
    assert scores.to_dict() == {"q1": {"RR": 0.5}, "q3": {"RR": 0.0}} and scores.unjudged == 1
    with pytest.raises(DataError, match="no query has judgments, because column 'relevant_ids' has no values"):
        from_records([records[1]])


@pytest.mark.parametrize(("scores", "contradicts"), [
    ([0.9, 0.5, 0.1], False), ([0.9, 0.9, 0.1], False), ("[0.9, 0.5, 0.1]", False), ([0.1, 0.5, 0.9], True), ([0.9, 0.1, 0.5], True),
    ("[0.1, 0.5, 0.9]", True), ([0.1, 0.9], False), (None, False), ("high", False), (0.3, False)])  # fmt: skip
def test_scores_that_contradict_the_order_of_records_are_warned_of_and_the_order_decides(scores, contradicts):
    records = [{"query": q, "retrieved_ids": ["a", "b", "c"], "relevant_ids": ["c"], "scores": scores} for q in ("q1", "q2")]
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        both = from_records(records)
    said = [str(w.message) for w in seen if issubclass(w.category, DataWarning)]
    expected = "in 2 queries, such as 'q1', the scores in column 'scores' contradict the order of the ids; the order of the ids is used: sort them by descending score, or leave out 'scores'"
    assert said == ([expected] if contradicts else [])
    assert evaluate(*both, "RR").means == {"RR": 1 / 3}


@pytest.mark.parametrize(
    ("record", "words"),
    [({"query": "", "retrieved": ["a"]}, "the query '' appears twice"), ({"query": None, "retrieved": ["a"]}, "not None"),
     ({"query": 1.0, "retrieved": ["a"]}, "not 1.0"), ({"query": "p", "retrieved": {"a", "b"}}, "query 'p': retrieved should be a list with the best document first, not the set"),
     ({"query": "p", "retrieved": "[1,"}, "query 'p', retrieved, line 1: invalid JSON")],
)  # fmt: skip
def test_records_that_cannot_be_meant_are_one_clear_error(record, words):
    first = {"query": "", "retrieved": ["b"], "relevant": ["b"]}
    with pytest.raises(DataError, match=words) as error:
        from_records([first, record | {"relevant": ["a"]}])
    assert str(error.value).count("the records") == 1


def test_passages_of_one_query_are_found_however_its_id_is_written():
    both = from_spans({1: [("a", 100, 200)]}, {"1": [("a", 90, 190)]}, iou=0.8)
    assert evaluate(*both, "R").means == {"R": 1}
    with pytest.raises(DataError, match="gold: the query '1' appears twice"):
        from_spans({1: [("a", 0, 9)], "1": [("b", 0, 9)]}, {}, iou=0.5)


def test_gold_as_people_have_it_is_lists_tuples_or_sets():
    for gold in ({"q": ["a", "b"]}, {"q": ("a", "b")}, {"q": {"a", "b"}}):
        assert evaluate(Qrels(gold), BY_CHUNKS, "R@3").means == {"R@3": 0.5}


def test_passages_are_found_once_from_an_overlap_on():
    gold = {"q": [("a", 100, 200), ("b", 0, 50)]}
    found = {"q": [("a", 90, 190), ("a", 100, 200), ("b", 25, 100), ("c", 0, 50)]}
    assert Fraction(90, 110) > Fraction(4, 5) and Fraction(25, 100) < Fraction(1, 2)  # what they share of what either has
    assert evaluate(*from_spans(gold, found, iou=0.8), "P@4 R AP").means == {"P@4": 1 / 4, "R": 1 / 2, "AP": 1 / 2}
    assert evaluate(*from_spans(gold, found, covered=0.5), "P@4 R").means == {"P@4": 2 / 4, "R": 1}  # half of b is there
    assert evaluate(*from_spans(gold, found, iou=0.9), "RR").means == {"RR": 1 / 2}


def test_passage_over_two_gold_passages_is_one_hit_and_warns():
    with pytest.warns(UserWarning, match="1 retrieved passage overlaps several gold passages, but each counts as one hit"):
        both = from_spans({"q": [("a", 0, 10), ("a", 20, 30)]}, {"q": [("a", 0, 40), ("a", 15, 35)]}, covered=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert evaluate(*both, "R").means == {"R": 1}


PASSAGES = {f"q{i}": [("a", 1000 * i, 1000 * i + 80)] for i in range(6)}


def chunked(size, name):
    "Judgments and a run of three chunks of a size for each query, the second of which covers the gold passage."
    found = {q: [("a", start + size * i, start + size * (i + 1)) for i in (-1, 0, 1)] for q, ((_, start, _),) in PASSAGES.items() if start}
    return from_spans(PASSAGES, found, covered=0.5, name=name)


def test_judgments_out_of_passages_refuse_a_run_of_other_chunks_and_name_the_way_that_works():
    a, b = chunked(512, "512"), chunked(256, "256")
    pairs = [(query, doc, -i) for query, docs in b.run.to_dict().items() for i, doc in enumerate(docs)]
    calls = [
        lambda: compare(a.qrels, {"512": a.run, "256": b.run}, "R@5"), lambda: evaluate(a.qrels, b.run, "R@5"), lambda: judge(a.qrels, b.run),
        lambda: evaluate(Qrels(a.qrels), pairs, "R@5"), lambda: evaluate(a.qrels, b.run, "R@5", conventions="ir_measures"),
        lambda: explain("R@5", a.qrels, b.run, "q1"), lambda: report(a.qrels, {"512": a.run, "256": b.run}, "R@5"),
        lambda: evaluate(a.qrels, {"q1": ["a[1000:1512]", "c[0:9]"]}, "R@5")]  # fmt: skip
    for call in calls:
        with pytest.raises(DataError, match=r"query 'q1': the judgments do not contain '.*\]', because from_spans made them for another run; .*compare\(\{'a': scores_a, 'b': scores_b\}\)"):
            call()
    assert not check(a.qrels, b.run).ok
    found = compare([evaluate(*a, "R@5"), evaluate(*b, "R@5")])
    assert found.pair("512", "256").difference == 0 and found.sample.systems == ("512", "256")


def test_judgments_out_of_passages_take_every_run_of_the_chunks_they_know():
    both = chunked(512, "512")
    turned = {query: [*docs][::-1] for query, docs in both.run.to_dict().items()}
    assert evaluate(both.qrels, turned, "RR").means == evaluate(*both, "RR").means == {"RR": pytest.approx(5 / 6 / 2)}
    assert evaluate(both.qrels, {q: docs[1:2] for q, docs in turned.items()}, "RR").means == {"RR": pytest.approx(5 / 6)}
    assert evaluate(both.qrels, turned | {"unjudged": ["z"]}, "RR").unjudged == 1
    assert evaluate(both.qrels.to_dict(), {"q1": ["z"]}, "RR", part=True).means == {"RR": 0}  # a dict says nothing of where it is from
