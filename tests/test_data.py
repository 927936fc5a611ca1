"Qrels and Run: what they keep, what they give back, and no document twice."
import dataclasses
import gzip
import weakref

import api
import pytest
from helpers import (
    QRELS,
    READ,
    RUN,
    put,
)
from oracles import listed

from irmetrics_nb import DataError, Qrels, Run, compare, evaluate, judge
from irmetrics_nb.data.judging import Judgments
from irmetrics_nb.data.recognition import RunSource
from irmetrics_nb.results.records import Recorded
from irmetrics_nb.results.results import Result

TWICE = "duplicates='first', 'last' or 'best' chooses the row that counts"


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


def test_an_id_in_two_forms_is_one_document_twice():
    with pytest.raises(DataError, match="duplicate document '7' in query 'q'"):
        judge({"q": {"8": 1}}, {"q": {"a": 3.0, "7": 2.0, 7: 1.0, 8: 1.0}})
    with pytest.raises(DataError, match="duplicate document '7' in query 'q'"):
        Qrels({"q": {"7": 1, b"7": 1}})


def test_a_repeated_document_is_named_with_both_its_lines(tmp_path):
    content = b"\nq Q0 d 1 2 t\r\nr Q0 d 1 2 t\n\nq Q0 d 2 1 t\n"
    for name, data_ in {"run.txt": content, "run.gz": gzip.compress(content)}.items():
        (tmp_path / name).write_bytes(data_)
        with pytest.raises(DataError) as error:
            Run(tmp_path / name)
        assert str(error.value) == f"{tmp_path / name}, line 5 (and 2): duplicate document 'd' in query 'q'; {TWICE}"


@pytest.mark.parametrize("kind", READ)
def test_duplicate_document_is_an_error_with_both_lines(tmp_path, kind):
    line = {"qrels": QRELS, "run": RUN}[kind].splitlines()[0]
    for again in (line, line.replace(b" ", b"\t"), line[:-1] + b"7"):
        path = put(tmp_path / "file", {"qrels": QRELS, "run": RUN}[kind] + b"\nz 0 b 1\n"[: 9 * (kind == "qrels")] + again)
        with pytest.raises(DataError) as error:
            READ[kind](path)
        number = len(path.read_bytes().split(b"\n"))
        assert all(word in str(error.value) for word in (f"{path}, line {number}", "1)", repr(line.split()[2].decode()), "'q'"))


def test_ids_that_differ_only_in_bytes_that_are_no_utf8_stay_apart(tmp_path):
    (tmp_path / "run").write_bytes(b"q Q0 \xff 1 2 t\nq Q0 \xfe 2 1 t\n")
    (tmp_path / "qrels").write_bytes(b"q 0 \xfe 3\n")
    assert judge(tmp_path / "qrels", tmp_path / "run").rank.tolist() == [2]
    assert list(Run(tmp_path / "run").to_dict()["q"]) == ["\udcff", "\udcfe"]


def test_nothing_of_judgments_that_are_let_go_stays_but_their_queries():
    qrels = Qrels([(f"q{i // 10}", f"d{i % 10}", i % 3) for i in range(200)])
    held = [weakref.ref(column) for column in (*qrels._pairs.packed, qrels.rows.doc.buffer, qrels.rows.query, qrels.rows.value)]
    assert len(qrels._pairs.suspects) == 0
    judgments = Judgments(qrels)
    del qrels
    judgments.free()
    assert [ref() for ref in held] == [None] * len(held)
    assert judgments.queries == [f"q{i}" for i in range(20)]


# ---- in a notebook ----


def test_judgments_and_runs_are_shown_as_a_summary_with_the_first_rows_and_unsafe_ids_are_text():
    qrels = Qrels({"<q1>": {"d&1": 2, "d2": 0}, "q2": {f"e{i}": 1 for i in range(9)}})
    page = qrels._repr_html_()
    assert page.startswith("<p>Qrels: 2 queries, 11 judgments, grades 0 to 2</p><table>")
    assert "&lt;q1&gt;" in page and "d&amp;1" in page and "<q1>" not in page
    assert page.count("<tr>") == 1 + 5 and "e2" in page and "e3" not in page and "relevance" in page
    rows = [("q", f"d{i}", 1 / (i + 1)) for i in range(7)]
    for source in (rows, {"q": {d: s for _, d, s in rows}}):
        page = Run(source, name="a<b")._repr_html_()
        assert page.startswith("<p>Run a&lt;b: 1 query, 7 documents retrieved</p>") and page.count("<tr>") == 6
        assert "0.333333" in page and "score" in page
    assert Run._empty()._repr_html_().count("<tr>") == 1


def test_a_file_that_is_not_read_yet_is_not_read_to_be_shown(tmp_path):
    unread = RunSource.of(tmp_path / "absent.run")
    assert "absent.run" in repr(unread) and not unread.is_read


# ---- the names that a user sees ----


@pytest.mark.parametrize(("kind", "names"), [
    (Qrels, "binarize map_grades merge notes queries repeats rows save select to_dict to_pandas to_polars"),
    (Run, "answered budget count merge name notes queries repeats rows save select to_dict to_pandas to_polars top"),
])
def test_only_documented_names_of_judgments_and_runs_are_public(kind, names):
    one = kind({"q": {"a": 1}})
    assert [name for name in dir(one) if not name.startswith("_")] == names.split()
    assert all(getattr(kind, name).__doc__ for name in names.split())
    assert {*names.split()} == {name for name, _ in api.members(kind)}  # on the API page


ONE = {"q": {"a": 1, "b": 0}}
IN_TABLES = "save to_dict to_html to_json to_latex to_markdown to_pandas to_polars"


@pytest.mark.parametrize(("result", "names"), [
    (evaluate(ONE, ONE, "AP"), """check_inputs combine_runs concat conventions first_ranks flat_means groups inputs is_single
        judged_retrieved judgment_bounds judgments keys load means measures medians missing name no_relevant plot query_ids
        requested run runs slice slices split_runs standard_errors summary tie_bounds unjudged values weighted_means"""),
    (compare(ONE, {"a": ONE, "b": ONE}, "AP"), """baseline check_inputs groups inputs load method method_sentence notes pair pair_table pairs
        plot queries rows sample sentences slice slices table warnings"""),
], ids=["Scores", "Comparison"])
def test_only_documented_names_of_results_are_public(result, names):
    kind = type(result)
    expected = sorted(f"{names} {IN_TABLES}".split())
    assert [name for name in dir(result) if not name.startswith("_")] == expected
    fields = {field.name for field in dataclasses.fields(kind)}
    assert all(f"\n    {name} : " in kind.__doc__ for name in fields)
    assert all(getattr(kind, name).__doc__ for name in expected if name not in fields)
    shown = {name for shared in (kind, Recorded, Result) for name, _ in api.members(shared)}
    assert {*expected} == fields | shown


def test_judgments_and_runs_do_not_change_and_share_no_attributes():
    for kind in Qrels, Run:
        one = kind([("q", "a", 1)])
        copied = kind(one)
        with pytest.raises(AttributeError, match="cannot be changed"):
            copied.note = "x"
        assert vars(copied) is not vars(one) and copied.to_dict() == one.to_dict()
