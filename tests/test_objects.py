"Python objects: dicts, lists, triples and what is none of them."
import json
import math
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import put, triples

from irmetrics_nb import DataError, Qrels, evaluate
from irmetrics_nb.data.sources import FORMS, read_rows


def test_a_ranked_list_keeps_its_order():
    rows = read_rows({"q1": ["d9", "d1", "d5"], "q2": [], "q3": ["d1"]}, "run")
    assert rows.doc.tolist() == ["d9", "d1", "d5", "d1"]
    assert rows.value[0] > rows.value[1] > rows.value[2]
    assert rows.query_ids.tolist() == ["q1", "q2", "q3"] and rows.query.tolist() == [0, 0, 0, 2]


def test_whole_numbers_as_ids_become_their_decimal_text():
    import pandas as pd

    for source in ({1: {10: 1.0}}, [(1, 10, 1.0)], pd.DataFrame({"qid": [1], "docno": [10], "score": [1]})):
        assert triples(read_rows(source, "run")) == [("1", "10", 1.0)]


*_FIRST, _LAST = [form.name for form in FORMS]
EXPECTED = f"{', '.join(_FIRST)} or {_LAST}"
BAD_OBJECTS = {
    "an exhausted iterator": (iter([]), "run", "the run: there are no rows; is the iterator exhausted?"),
    "a pair instead of a triple": ([("q1", "d1")], "run", "the run, item 1: expected (query, document, score)"),
    "a score of None": ({"q1": {"d1": None}}, "run", "the run, query 'q1', document 'd1': the score None is not a number"),
    "a NaN grade": ({"q1": {"d1": math.nan}}, "qrels", "the qrels, query 'q1', document 'd1': the grade nan is not"),
    "an infinite grade": ([("q1", "d1", math.inf)], "qrels", "the qrels, query 'q1', document 'd1': the grade inf is not a finite"),
    "a grade beyond all numbers": ([("q1", "d1", 10**400)], "qrels", "the qrels, query 'q1', document 'd1': the grade 1000"),
    "no queries": ({}, "qrels", "the qrels: there are no queries"),
    "text for a list of judgments": ({"q1": "d1"}, "qrels", "the qrels: the value of query 'q1' should be a dict of documents, or a list in every query, not 'd1'"),
    "a list among dicts of judgments": ({"q0": {"d": 1}, "q1": ["d1"]}, "qrels", "the qrels: the value of query 'q1' should be a dict of documents, or a list in every query, not ['d1']"),
    "grades in a list of judgments": ({"q1": ["d1", 2]}, "qrels", "the qrels: query 'q1' has a list of both text and numbers, ['d1', 2]; write grades as a dict, {document: grade}"),
    "a set as a run": ({"q1": {"d1"}}, "run", "the run: the value of query 'q1' should be a dict of documents, or a list in every query, not {'d1'}"),
    "floats out of a join as ids": ([("q1", 7.0, 1)], "run", "the run: an id must be text, bytes or a whole number, not 7.0: cast it to int"),
    "fractions as ids": ([("q1", 7.5, 1)], "run", "the run: an id must be text, bytes or a whole number, not 7.5"),
    "an id that is a float": ({"q1": {1.5: 1}}, "run", "the run: an id must be text, bytes or a whole number, not 1.5"),
    "half of a surrogate pair": ([("q1", "d\udfff", 1)], "run", "the run: the id 'd\\udfff' contains a lone surrogate, which UTF-8 cannot encode"),
    "an id without end": ({"d" * 65537: {"d1": 1}}, "qrels", "the qrels: an id has 65,537 bytes; the limit is 65,536"),
    "an object without a document": ([SimpleNamespace(query_id="q1", score=1)], "run", "the run, item 1: expected (query, document, score)"),
    "a number": (17, "run", f"the run: expected {EXPECTED}, not 17"),
    "bytes": (b"q1", "run", f"the run: expected {EXPECTED}, not"),
}


@pytest.mark.parametrize("case", BAD_OBJECTS)
def test_bad_objects_give_one_error_with_query_document_and_value(case):
    source, kind, message = BAD_OBJECTS[case]
    with pytest.raises(DataError) as error:
        read_rows(source, kind)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("score", [math.nan, float("-nan"), np.float32("nan"), None, "nan", "x", 10**400, [], {}])
def test_a_score_that_is_no_number_is_refused_in_objects_too(score):
    for source in ({"q": {"a": 1.0, "b": score}}, [("q", "a", 1.0), ("q", "b", score)]):
        with pytest.raises(DataError, match="query 'q', document 'b': the score"):
            evaluate({"q": {"a": 1}}, source)


@pytest.mark.parametrize("name", ["\ud800", "a\udfff", "\udc00"])
def test_an_id_that_cannot_be_written_as_bytes_is_refused_or_kept(tmp_path, name):
    "Half of a surrogate pair is no letter; only those by which Python writes single bytes have a meaning."
    path = put(tmp_path / "run.json", json.dumps({"q": {name: 1.0, "b": 2.0}}).encode())
    for source in (path, {"q": {name: 1.0, "b": 2.0}}, [("q", name, 1.0), ("q", "b", 2.0)]):
        try:
            assert evaluate({"q": {"b": 1}}, source, "RR")["RR"] == [1.0]
        except DataError as error:
            assert repr(name) in str(error)


def test_two_requests_of_one_id_are_refused():
    request = {"id": "q1", "request": {}, "ratings": [{"_id": "d1", "rating": 1}]}
    with pytest.raises(DataError, match="two requests have the id 'q1'"):
        Qrels({"requests": [request, {**request, "ratings": [{"_id": "d2", "rating": 1}]}]})


@pytest.mark.parametrize(("lost", "message"), [
    ({"timed_out": True}, "the search timed out"), ({"_shards": {"total": 5, "failed": 2}}, "2 of 5 shards failed")])
def test_an_answer_that_is_not_whole_is_refused(lost, message):
    "A search that some shards did not answer ranks what is left; its numbers would be those of the failure."
    whole = {"hits": {"hits": [{"_id": "d1", "_score": 1.5}]}, "timed_out": False, "_shards": {"total": 5, "failed": 0}}
    assert evaluate({"q1": {"d1": 1}}, {"q1": whole}, "RR")["RR"] == [1.0]
    with pytest.raises(DataError, match=f"query 'q1': the response is incomplete, because .*{message}"):
        evaluate({"q1": {"d1": 1}}, {"q1": {**whole, **lost}}, "RR")


@pytest.mark.parametrize("run", [
    {"bm25": {"hits": {"hits": 0.5, "d2": 0.25}}}, {"details": {"q1": {"hits": 0.5, "d2": 0.25}}}])
def test_a_query_or_a_document_may_be_called_as_a_part_of_a_response(run):
    assert list(evaluate({q: {"d2": 1} for q in next(iter(run.values()))}, run, "RR")["RR"]) == [0.5]
