"Records and logs with one query each: every form in Python and by the command, and what is refused."
import json

import pandas as pd
import polars as pl
import pytest
from helpers import irmetrics

from irmetrics_nb import DataError, DataWarning, Qrels, Run, check, compare, evaluate, from_records

# q1: b is relevant and has rank 2, so RR is 1/2. q2: nothing is retrieved, so RR is 0.
RECORDS = [{"query": "q2", "retrieved_ids": [], "relevant_ids": ["x"]}, {"query": "q1", "retrieved_ids": ["a", "b"], "relevant_ids": ["b"]}]
HITS = [{"query": "q2", "results": [], "gold": ["x"]},
        {"query": "q1", "results": [{"id": "a", "score": 0.9}, {"id": "b", "score": 0.7}], "gold": ["b"]}]  # fmt: skip
MEANS = {"RR": 0.25}
JUDGED = {"q1": {"b": 1}, "q2": {"x": 1}}


def put(path, records):
    path.write_text("\n".join(map(json.dumps, records)))
    return path


def means(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)[0]["means"]


def forms(records, folder):
    pl.DataFrame(records).write_parquet(folder / "log.parquet")
    (folder / "log.json").write_text(json.dumps(records))
    columns = {name: [record[name] for record in records] for name in records[0]}
    return {"list": records, "tuple": tuple(records), "columns": columns, "polars": pl.DataFrame(records), "pandas": pd.DataFrame(records), "arrow": pl.DataFrame(records).to_arrow(),
            "lazy": pl.LazyFrame(records), "JSON lines": put(folder / "log.jsonl", records), "JSON": str(folder / "log.json"), "Parquet": folder / "log.parquet"}  # fmt: skip


@pytest.mark.parametrize("records", [RECORDS, HITS], ids=["ids", "hits"])
def test_records_are_read_in_every_form_for_one_run_and_several(tmp_path, records):
    for name, source in forms(records, tmp_path).items():
        assert evaluate(Qrels(source), Run(source), "RR").means == MEANS, name
        assert evaluate(source, source, "RR").means == MEANS, name
        for several in ({"a": source, "b": source}, [source, source]):
            assert evaluate(JUDGED, several, "RR").values.mean() == 0.25, name
        assert check(source, source).ok, name
        assert "0.25" in compare(source, {"a": source, "b": Run(source)}, "RR").to_markdown(), name
        if name != "lazy":
            assert evaluate(*from_records(source), "RR").means == MEANS, name


@pytest.mark.parametrize("name", ["log.jsonl", "log.json", "log.parquet"])
@pytest.mark.parametrize("records", [RECORDS, HITS], ids=["ids", "hits"])
def test_the_command_reads_a_log_once_and_twice(tmp_path, records, name):
    forms(records, tmp_path)
    for paths in ([name], [name, name]):
        assert means(irmetrics("evaluate", *paths, "-m", "RR", "--format", "json", cwd=tmp_path)) == MEANS
        assert irmetrics("check", *paths, cwd=tmp_path).returncode == 0
    two = irmetrics("compare", name, name, "log.jsonl", "log.json", "-m", "RR", "--format", "json", cwd=tmp_path)
    assert two.returncode == 0, two.stderr
    assert "1/2" in irmetrics("explain", name, name, "q1", "-m", "RR", cwd=tmp_path).stdout


def test_a_log_on_standard_input_is_a_run_or_judgments(tmp_path):
    data = put(tmp_path / "log.jsonl", HITS).read_bytes()
    for paths in (["-", "log.jsonl"], ["log.jsonl", "-"]):
        assert means(irmetrics("evaluate", *paths, "-m", "RR", "--format", "json", cwd=tmp_path, stdin=data)) == MEANS


def test_one_record_is_enough(tmp_path):
    record = {"user_input": "q", "retrieved_context_ids": ["a", "b"], "reference_context_ids": ["b"]}
    for source in (record, [record], put(tmp_path / "one.jsonl", [record])):
        assert evaluate(*from_records(source), "RR").means == {"RR": 0.5}
        assert evaluate(source, source, "RR").means == {"RR": 0.5}
    assert means(irmetrics("evaluate", "one.jsonl", "-m", "RR", "--format", "json", cwd=tmp_path)) == {"RR": 0.5}


def test_texts_are_ids_where_both_lists_have_texts(tmp_path):
    record = {"user_input": "why?", "retrieved_contexts": ["Because.", "So."], "reference_contexts": ["So."]}
    both = from_records([record])
    assert both.qrels.to_dict() == {"why?": {"So.": 1}} and evaluate(*both, "RR").means == {"RR": 0.5}
    put(tmp_path / "log.jsonl", [record])
    assert means(irmetrics("evaluate", "log.jsonl", "-m", "RR", "--format", "json", cwd=tmp_path)) == {"RR": 0.5}
    ids = {"retrieved_context_ids": ["a", "b"], "reference_context_ids": ["a"]}
    assert evaluate(*from_records([record | ids]), "RR").means == {"RR": 1}


NESTED = [{"q": 1, "hits": [{"sku": 10, "s": 0.1, "at": 2}, {"sku": 11, "s": 0.9, "at": 1}], "right": [{"sku": 10, "g": 2}]}]


@pytest.mark.parametrize(("more", "option", "rank"), [({}, "", 1), ({"score": "s"}, ",score=s", 2), ({"rank": "at"}, ",rank=at", 2)])
def test_columns_name_nested_results(tmp_path, more, option, rank):
    columns = {"query": "q", "results": "hits", "document": "sku"} | more
    judged = {"query": "q", "relevant": "right", "document": "sku", "grade": "g"}
    for source in forms(NESTED, tmp_path).values():
        assert Qrels(source, columns=judged).to_dict() == {"1": {"10": 2}}
        assert evaluate(Qrels(source, columns=judged), Run(source, columns=columns), "RR").means == {"RR": 1 / rank}
    for paths in (["log.jsonl", "log.jsonl"], ["log.jsonl"]):
        done = irmetrics("evaluate", *paths, "-m", "RR", "--format", "json", "--columns", "query=q,relevant=right,document=sku,grade=g",
                         "--run-columns", "query=q,results=hits,document=sku" + option, cwd=tmp_path)  # fmt: skip
        assert means(done) == {"RR": 1 / rank}


def test_hits_without_scores_rank_in_their_order_also_if_descending_is_set():
    hits = [{"query": "q", "results": [{"_id": "b", "_score": 1}, {"_id": "a", "_score": 9}]}]
    for options in ({}, {"descending": False}):
        assert evaluate({"q": {"a": 1}}, Run(hits, **options), "RR").means == {"RR": 0.5}
    ranked = [{"query": "q", "results": [{"id": "b", "rank": 2}, {"id": "a", "rank": 1}]}]
    assert evaluate({"q": {"a": 1}}, Run(ranked), "RR").means == {"RR": 1}


def test_hits_with_grades_are_judgments_and_hits_without_grades_are_refused():
    records = [{"query": "q", "results": [{"id": "a"}, {"id": "b"}], "gold": [{"id": "b", "grade": 2}, {"id": "c", "grade": 0}]}]
    assert Qrels(records).to_dict() == {"q": {"b": 2, "c": 0}}
    assert evaluate(records, records, "RR").means == evaluate(*from_records(records), "RR").means == {"RR": 0.5}
    with pytest.raises(DataError, match="no column relevance"):
        Qrels([{"query": "q", "gold": [{"id": "b"}]}])
    with pytest.raises(DataError, match=r"no column for 'relevant'.*columns=\{'query': ..., 'relevant': ...\}"):
        Qrels([{"query": "q", "results": [{"id": "b"}]}])


@pytest.mark.parametrize(("records", "words"), [
    ([{"query": "q", "gold": ["a"]}], "no column for 'retrieved'; the columns are 'query', 'gold'; choose the columns: "),
    ([{"query": "q", "retrieved": [{"id": "a", "score": 1}, {"id": "b"}]}], "some records have a score, others only a rank"),
    ([{"query": "q", "retrieved": [{"id": "a"}, "b"]}], r"expected \(query, document, score\), not 'b'"),
    ([{"query": "q", "retrieved": ["a", {"id": "b"}]}], "not {'rank': 2, 'id': 'b'}"),
    ([{"query": "q", "retrieved": [{"id": "a", "score": 1}, {"id": "a", "score": 2}]}], "duplicate document 'a'"),
    ([{"query": "q", "retrieved": ["a", "a"]}], "duplicate document 'a'"),
    ([{"query": "q", "retrieved": ["a"]}, {"query": "q", "retrieved": ["b"]}], "the query 'q' appears twice"),
    ([{"query": "q", "retrieved": ["a"]}, {"query": 1, "retrieved": [None]}], "not None"),
    ([{"query": "q", "retrieved": ["a"]}, {"retrieved": ["b"]}], "not None"),
    ([{"query": None, "retrieved": ["a"]}, {"query": "q", "retrieved": ["b"]}], "an id must be text, bytes or a whole number, not None"),
    ([{"query": "q", "retrieved": ["a"]}, {"query": "p", "retrieved": "b"}], "query 'p': retrieved should be a list of ids, not 'b'"),
    ([{"query": "q", "retrieved": [{"id": "a", "score": "high"}]}], "'high' is not a number"),
])  # fmt: skip
def test_records_without_a_certain_reading_are_refused(tmp_path, records, words):
    for source in (records, put(tmp_path / "log.jsonl", records)):
        with pytest.raises(DataError, match=words):
            Run(source)
    done = irmetrics("evaluate", "log.jsonl", "log.jsonl", cwd=tmp_path)
    assert done.returncode == 1


def test_missing_lists_and_ids_of_other_types_keep_their_meaning():
    records = [{"query": 7, "retrieved": [1, 2], "relevant": None}, {"query": "8", "retrieved": None, "relevant": {"1": 2, "2": None}}]
    assert Run(records).to_dict() == {"7": {"1": 0.0, "2": -1.0}} and Qrels(records).to_dict() == {"8": {"1": 2}}
    assert Qrels([{"query": 7, "relevant": ["1 "]}]).to_dict() == {"7": {"1 ": 1}}
    with pytest.raises(DataError, match="duplicate document 'a'"):
        Run([{"query": "q", "retrieved": ["a", "a"]}])
    assert Run([{"query": "q", "retrieved": ["a", "b", "a"]}], duplicates="first").to_dict() == {"q": {"a": 0.0, "b": -1.0}}
    with pytest.warns(DataWarning, match="contradict the order"):
        from_records({"query": "q", "retrieved": ["a", "b"], "relevant": ["a"], "scores": [1, 2]})


def test_scores_are_compared_with_the_ids_of_their_own_query(tmp_path):
    "The scores of q2 fall as its ids do; q1 has scores, but no answer."
    records = [{"query": "q1", "retrieved": None, "relevant": ["a"], "scores": [1, 2]}, {"query": "q2", "retrieved": ["a", "b"], "relevant": ["a"], "scores": [2, 1]}]
    assert evaluate(*from_records(records), "RR").means == {"RR": 0.5}
    wrong = [records[0], records[1] | {"scores": [1, 2]}]
    for read in from_records, Run:
        with pytest.warns(DataWarning, match="in 1 query, such as 'q2'"):
            read(wrong)
    done = irmetrics("evaluate", put(tmp_path / "log.jsonl", wrong), "-m", "RR")
    assert "in 1 query, such as 'q2', the scores in column 'scores' contradict the order of the ids" in done.stderr
    assert "RR" in done.stdout


def test_rows_that_were_read_before_are_read_as_rows():
    row = {"query": "q", "doc_id": "d", "score": 2.5, "retrieved_ids": ["a"], "tags": []}
    assert Run([row]).to_dict() == {"q": {"d": 2.5}} and Run([{"q": 1, "url": "d", "s": 2, "query": "x", "gold": ["a"]}], columns={"query": "q", "document": "url", "score": "s"}).to_dict() == {"1": {"d": 2}}
    assert Run({"query": ["a", "b"], "retrieved": ["c", "d"]}).queries == ["query", "retrieved"]
    assert evaluate({"id": {"a": 1}}, [{"id": {"a": 1}}, {"id": {"b": 1, "a": 0}}], "RR").values.ravel().tolist() == [1, 0.5]


def answer(*ids): return {"took": 3, "timed_out": False, "hits": {"hits": [{"_id": id, "_score": 1.0} for id in ids]}}  # fmt: skip


ANSWERS = {"beside": [{"query_id": "q1"} | answer("a", "b"), {"query_id": "q2"} | answer()],
           "inside": [{"query_id": "q1", "response": answer("a", "b")}, {"query_id": "q2", "response": answer()}]}  # fmt: skip


@pytest.mark.parametrize("form", ANSWERS)
def test_responses_with_the_id_of_the_query_are_a_run(tmp_path, form):
    (tmp_path / "qrels.json").write_text(json.dumps(JUDGED))
    for records in (ANSWERS[form], ANSWERS[form][:1]):
        path = put(tmp_path / "answers.jsonl", records)
        for source in (path, records):
            assert evaluate(JUDGED, source, "RR").means == MEANS and evaluate(JUDGED, source, "RR").missing == 2 - len(records)
            with pytest.raises(DataError, match="read the judgments from the request"):
                Qrels(source)
        assert means(irmetrics("evaluate", "qrels.json", "answers.jsonl", "-m", "RR", "--format", "json", cwd=tmp_path)) == MEANS
        piped = irmetrics("evaluate", "qrels.json", "-", "-m", "RR", "--format", "json", cwd=tmp_path, stdin=path.read_bytes())
        assert means(piped) == MEANS


@pytest.mark.parametrize(("records", "words"), [
    ([answer("a"), answer("b")], 'line 1: the response to a search does not contain the query id; add it to each line, such as {"query_id": "q1", "response": {...}}'),
    ([answer("a")], "does not contain the query id"),
    ([{"query_id": "q1"} | answer("a"), {"query_id": "q1"} | answer("b")], "the query 'q1' appears twice"),
    ([{"query_id": "q1"} | answer("a"), {"query_id": "q2", "took": 1}], "no column for 'retrieved'"),
    ([{"query_id": "q1"} | answer("a"), {"query_id": "q2", "error": {"reason": "shut"}, "status": 500}], "the search failed: shut"),
    ([{"query_id": "q1"} | answer("a", "a")], "duplicate document 'a'"),
    ([{"query_id": "q1"} | answer("a") | {"timed_out": True}], "the search timed out"),
])  # fmt: skip
def test_responses_without_a_certain_meaning_are_refused(tmp_path, records, words):
    put(tmp_path / "answers.jsonl", records)
    with pytest.raises(DataError) as error:
        Run(tmp_path / "answers.jsonl")
    assert words in str(error.value)
    done = irmetrics("evaluate", "answers.jsonl", "answers.jsonl", cwd=tmp_path)
    assert done.returncode == 1


FINETUNE = {"queries": {"q1": "why?", "q2": "how?"}, "corpus": {"a": "So.", "b": "Thus.", "x": "?"}, "relevant_docs": {"q1": ["b"], "q2": ["x"]}, "mode": "text"}
LABELLED = {"examples": [{"query": "q1", "query_by": {"model_name": "gpt", "type": "ai"}, "reference_contexts": ["b"], "reference_answer": "", "reference_answer_by": None},
                         {"query": "q2", "query_by": None, "reference_contexts": ["x"], "reference_answer": "", "reference_answer_by": None}]}  # fmt: skip
PREDICTED = {"mteb_model_meta": {"model_name": "m", "revision": "1"}, "default": {"test": {"q1": {"a": 0.9, "b": 0.7}, "q2": {"y": 0.1}}}}


@pytest.mark.parametrize("dataset", [FINETUNE, LABELLED], ids=["fine-tuning", "labelled"])
def test_data_sets_of_llama_index_are_judgments_and_predictions_of_mteb_a_run(tmp_path, dataset):
    (tmp_path / "set.json").write_text(json.dumps(dataset, indent=4))
    (tmp_path / "run.json").write_text(json.dumps(PREDICTED))
    for judgments, run in ((dataset, PREDICTED), (tmp_path / "set.json", str(tmp_path / "run.json"))):
        assert Qrels(judgments).to_dict() == JUDGED and evaluate(judgments, run, "RR").means == MEANS
        assert evaluate(judgments, {"a": run, "b": run}, "RR").values.mean() == evaluate(judgments, [run], "RR").values.mean() == 0.25
        assert check(judgments, run).ok
        with pytest.raises(DataError, match="has only a qrels, and no run|no column for 'retrieved'"):
            Run(judgments)
        with pytest.raises(DataError, match="this data set has only a run, and no qrels"):
            Qrels(run)
    assert means(irmetrics("evaluate", "set.json", "run.json", "-m", "RR", "--format", "json", cwd=tmp_path)) == MEANS
    assert irmetrics("evaluate", "run.json", "set.json", cwd=tmp_path).returncode == 1


def test_predictions_of_several_subsets_are_listed(tmp_path):
    several = PREDICTED | {"de": {"test": {"q1": {"a": 1}}, "dev": {}}}
    words = "MTEB for default/test, de/test, de/dev; pass the content of one of them"
    with pytest.raises(DataError) as error:
        Run(several)
    assert words in str(error.value)
    (tmp_path / "run.json").write_text(json.dumps(several))
    put(tmp_path / "qrels.jsonl", RECORDS)
    assert words in irmetrics("evaluate", "qrels.jsonl", "run.json", cwd=tmp_path).stderr
    assert evaluate(JUDGED, several["default"]["test"], "RR").means == MEANS


@pytest.mark.parametrize("command", ["evaluate", "check"])
def test_one_path_is_accepted_only_for_records_with_both_lists(tmp_path, command):
    (tmp_path / "qrels.txt").write_text("q1 0 b 1\n")
    (tmp_path / "qrels.json").write_text(json.dumps(JUDGED))
    put(tmp_path / "rows.jsonl", [{"query_id": "q1", "doc_id": "b", "relevance": 1}])
    (tmp_path / "odd.json").write_text("[[1, 2")
    for name in ("qrels.txt", "qrels.json", "rows.jsonl", "odd.json", "lost.jsonl", "-"):
        done = irmetrics(command, name, cwd=tmp_path)
        assert done.returncode == 2 and "Missing argument 'RUN...'" in done.stderr, name
    put(tmp_path / "half.jsonl", [{"query": "q1", "retrieved_ids": ["a"]}])
    half = irmetrics(command, "half.jsonl", cwd=tmp_path)
    words = "half.jsonl: no column for 'relevant'; the columns are 'query', 'retrieved_ids'"
    assert half.returncode == 1 and words in half.stdout + half.stderr


def test_lists_in_columns_work_only_where_lists_can_be(tmp_path):
    (tmp_path / "run.txt").write_text("q1 Q0 b 1 2.5 x\n")
    with pytest.raises(DataError, match="columns= with lists works only for JSON, Parquet and Arrow"):
        Run(tmp_path / "run.txt", columns={"query": "query", "results": "x"})
    with pytest.raises(DataError, match="no column lost"):
        Run(HITS, columns={"results": "lost"})
    with pytest.raises(ValueError, match="columns must have the form"):
        Qrels(RECORDS, columns={"retrieved": "relevant_ids"})
