"Files and the door to every source: the same rows from each, one error for whatever is wrong."
import gzip
import json
import os
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from helpers import TREC_QRELS, TREC_RUN, TRIPLES, exact, put, triples
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import any_ids

from irmetrics_nb import DataError, Qrels, Run, evaluate
from irmetrics_nb.data.ids import MAX_ID_BYTES
from irmetrics_nb.data.sources import read_rows

pytestmark = pytest.mark.usefixtures("nothing_hangs")


def sources(folder):
    "The same run in every form that the reader takes."
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from ir_measures.util import ScoredDoc

    table = pl.DataFrame({"query_id": ["q1", "q1", "q2"], "doc_id": ["d1", "d2", "d1"], "score": [2.5, 1.5, 0.5]})
    (folder / "plain.txt").write_bytes(TREC_RUN)
    (folder / "packed").write_bytes(gzip.compress(TREC_RUN))
    (folder / "two_members.gz").write_bytes(gzip.compress(TREC_RUN[:30]) + gzip.compress(TREC_RUN[30:]))
    (folder / "bom.txt").write_bytes(b"\xef\xbb\xbf" + TREC_RUN)
    table.write_parquet(folder / "run.parquet")
    table.write_parquet(folder / "no_suffix")
    table.write_ipc(folder / "run.arrow", compression="lz4")
    table.write_csv(folder / "run.csv")
    (folder / "packed.csv.gz").write_bytes(gzip.compress((folder / "run.csv").read_bytes()))
    table.write_csv(folder / "run.tsv", separator="\t", include_bom=True)
    nested = {"q1": {"d1": 2.5, "d2": 1.5}, "q2": {"d1": 0.5}}
    (folder / "run.json").write_text(json.dumps(nested))
    (folder / "triples.json").write_text(json.dumps(TRIPLES))
    yield from sorted(folder.iterdir())
    yield from (str(folder / "plain.txt"), nested, TRIPLES, iter(TRIPLES), np.array(TRIPLES, object))
    yield [ScoredDoc(*t) for t in TRIPLES]
    yield table
    yield table.lazy()
    yield table.to_pandas()
    yield table.with_columns(pl.col("query_id").cast(pl.Categorical)).to_pandas()
    yield table.with_columns(pl.col("query_id", "doc_id").cast(pl.Categorical), pl.col("score").cast(pl.String))
    yield table.to_arrow()
    yield table.to_arrow().to_reader()
    yield pa.table({"qid": pa.array([b"q1", b"q1", b"q2"]), "docno": ["d1", "d2", "d1"], "sim": [2.5, 1.5, 0.5]})
    yield pd.DataFrame({"qid": ["q1", "q1", "q2"], "docno": ["d1", "d2", "d1"], "score": ["2.5", "1.5", "0.5"]})


def test_every_kind_of_source_gives_the_same_rows(tmp_path):
    for source in sources(tmp_path):
        assert triples(read_rows(source, "run")) == TRIPLES, source


def in_forms(folder, nested, number):
    "The same triples as files of every format and objects of every kind."
    rows = [(q, d, v) for q, docs in nested.items() for d, v in docs.items()]
    table = pl.DataFrame(rows, schema={"query_id": pl.String, "doc_id": pl.String, number: pl.Float64}, orient="row")
    table.write_parquet(folder / "table.parquet")
    table.write_ipc(folder / "table.arrow")
    table.with_columns(pl.Series(number, [repr(v) for *_, v in rows])).write_csv(folder / "table.csv", quote_style="always")
    put(folder / "nested.json", json.dumps(nested).encode())
    put(folder / "packed.json.gz", gzip.compress(json.dumps(rows).encode()))
    yield from (folder / n for n in ("table.parquet", "table.arrow", "table.csv", "nested.json", "packed.json.gz"))
    yield from (nested, rows, iter(rows), table, table.lazy(), table.to_arrow(), table.to_pandas())


@settings(max_examples=40)
@given(st.dictionaries(any_ids, st.dictionaries(any_ids, st.floats(allow_nan=False), min_size=1, max_size=4), min_size=1, max_size=3))
def test_every_format_and_every_object_gives_the_same_bits(folder, nested):
    for source in in_forms(folder, nested, "score"):
        assert exact(Run(source).to_dict()) == exact(nested), source


def test_a_tsv_without_header_is_read_as_trec_text(tmp_path):
    (tmp_path / "qrels.tsv").write_text("1\t0\t7\t1\n")
    assert triples(read_rows(tmp_path / "qrels.tsv", "qrels")) == [("1", "7", 1.0)]


def test_reading_text_and_dicts_imports_no_table_library(tmp_path):
    (tmp_path / "run.txt").write_bytes(TREC_RUN)
    code = (
        "import sys; from irmetrics_nb.data.sources import read_rows; read_rows(sys.argv[1], 'run'); read_rows({'q': {'d': 1}}, 'run');"
        "print(sorted({'polars', 'pandas', 'pyarrow', 'scipy', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "run.txt"], capture_output=True, check=True)
    assert done.stdout.strip() == b"[]"


def test_the_name_of_a_run_is_its_tag_or_the_stem_of_its_file(tmp_path):
    (tmp_path / "best.run.gz").write_bytes(gzip.compress(TREC_RUN))
    (tmp_path / "best.json").write_text('{"q1": {"d1": 1}}')
    assert read_rows(tmp_path / "best.run.gz", "run").name == "tag"
    assert read_rows(tmp_path / "best.json", "run").name == "best"
    assert read_rows({"q1": {"d1": 1}}, "run").name == ""


LONG = b"q1 Q0 " + b"d" * (MAX_ID_BYTES + 1) + b" 1 1 tag\n"
BAD_FILES = {
    "a score that is no number": (TREC_RUN + b"q3 Q0 d1 1 abc tag\n", "run", ", line 4: the score 'abc' is not a number"),
    "a score that is NaN": (TREC_RUN + b"q3 Q0 d1 1 nan tag\n", "run", ", line 4: the score 'nan' is not a number"),
    "a grade that is no number": (b"q1 0 d1 good\n", "qrels", ", line 1: the grade 'good' is not a number"),
    "an infinite grade": (b"\n\nq1 0 d1 -inf\n", "qrels", ", line 3: the grade '-inf' is not a finite number"),
    "too few columns": (TREC_RUN + b"q3 Q0 d1 1 2\n", "run", ", line 4: 5 columns, but a run has 6"),
    "one column": (b"hello\n", "run", ", line 1: 1 column, but a run has 6"),
    "too many columns": (b"q1 Q0 my d1 1 2.0 tag\n", "run", ", line 1: 7 columns, but a run has 6"),
    "columns that make up for each other": (b"q 0 d 1 1\nq 0 1\n", "qrels", ", line 1: 5 columns, but judgments have 4"),
    "judgments given as a run": (TREC_QRELS, "run", ", line 1: 4 columns, but a run has 6 (query Q0 document rank score tag); is this a qrels file?"),
    "a run given as judgments": (TREC_RUN, "qrels", ", line 1: 6 columns, but judgments have 4 (query iteration document relevance); is this a run file?"),
    "an empty file": (b"", "run", ": the file is empty"),
    "only blank lines": (b"\n \n\r\n", "run", ": there are no rows in this file"),
    "only a BOM": (b"\xef\xbb\xbf", "run", ": there are no rows in this file"),
    "an id without end": (LONG, "run", ", line 1: an id has 65,537 bytes; the limit is 65,536"),
    "a gzip cut off": (gzip.compress(TREC_RUN)[:-9], "run", ": the gzip data end too early"),
    "a gzip without content": (gzip.compress(b""), "run", ": the file is empty"),
    "a gzip with garbage behind": (gzip.compress(TREC_RUN) + b"garbage", "run", ": the gzip data are damaged or followed by other data"),
    "a gzip damaged inside": (gzip.compress(TREC_RUN)[:10] + b"\xff" * 30, "run", ": the gzip data are damaged"),
    "a gzip whose checksum is wrong": (gzip.compress(TREC_RUN)[:-8] + bytes(8), "run", ": the gzip data are damaged"),
    "a Parquet file cut off": (b"PAR1" + bytes(99), "run", ": "),
    "a CSV grade that is no number": (b"qid,docno,rel\nq1,d1,1\nq1,d2,good\n", "qrels", ", line 3: the grade 'good' is not a number"),
    "a CSV with a line too long": (b"qid,docno,rel\nq1,d1,1,9\n", "qrels", ", line 2: 4 fields, but the header has 3"),
    "a CSV with a line too short": (b"qid,docno,rel\n\nq1,d1\n", "qrels", ", line 3: 2 fields, but the header has 3"),
    "a CSV with an empty field": (b"qid,docno,rel\nq1,d1,1\nq1, ,2\n", "qrels", ", line 3: no value in column 'docno'"),
    "a CSV with an empty field in quotes": (b'qid,docno,rel\nq1,"",1\n', "qrels", ", line 2: no value in column 'docno'"),
    "a CSV with text behind a quote": (b'qid,docno,rel\nq1,d1,1\nq1,"d"2,1\n', "qrels", ", line 3: ',' expected after '\"'"),
    "a CSV with a quote without end": (b'qid,docno,rel\nq1,"d1,1\n', "qrels", ", line 2: unexpected end of data"),
    "a CSV with an id without end": (b"qid,docno,rel\nq1," + b"d" * 65537 + b",1\n", "qrels", ", line 2: a field has 65,537 characters; the limit is 65,536"),
    "a CSV with a column twice": (b"qid,docno,rel,rel\nq1,d1,1,1\n", "qrels", ": the column 'rel' appears 2 times"),
    "a CSV without a number column": (b"qid,docno\nq1,d1\n", "run", ": no column score or sim or similarity or rank or doc_position; the columns are 'qid', 'docno'"),
    "a CSV without rows": (b"qid,docno,rel\n", "qrels", ": the table has no rows"),
    "broken JSON": (b'{"q1": \n{"d1": 1}', "run", ", line 2: invalid JSON: "),
    "JSON with a name twice": (b'{"q1": {"d1": 1}, "q1": {}}', "run", ": duplicate key 'q1' in a JSON object"),
    "JSON with a word for a score": (b'{"q1": {"d1": "abc"}}', "run", ", query 'q1', document 'd1': the score 'abc' is not a number"),
    "JSON with half of a surrogate pair": (b'{"q1": {"\\ud800": 1}}', "run", ": the id '\\ud800' contains a lone surrogate, which UTF-8 cannot encode"),
    "JSON with an id without end": (b'{"q1": {"' + b"d" * 65537 + b'": 1}}', "run", ": an id has 65,537 bytes; the limit is 65,536"),
    "JSON NaN": (b'{"q1": {"d1": NaN}}', "run", ", query 'q1', document 'd1': the score nan is not a number"),
    "JSON with a number for a query": (b'{"q1": 1}', "run", ": the value of query 'q1' should be a dict of documents, or a list in every query, not 1"),
    "empty JSON": (b"{}", "run", ": there are no queries"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files_give_one_error_with_file_line_and_value(case, tmp_path):
    content, kind, message = BAD_FILES[case]
    path = tmp_path / "file.txt"
    path.write_bytes(content)
    with pytest.raises(DataError) as error:
        read_rows(path, kind)
    assert str(error.value).startswith(f"{path}{message}")
    assert "\n" not in str(error.value)


def test_an_error_asks_whether_the_file_is_text_at_all(tmp_path):
    binary = {
        "is this a binary file (byte 0 is NUL)?": bytes(range(256)) * 99,
        "is this a PDF?": b"%PDF-1.5\n" + bytes(99),
    }
    for question, content in binary.items():
        (tmp_path / "file").write_bytes(content)
        with pytest.raises(DataError) as error:
            read_rows(tmp_path / "file", "run")
        assert str(error.value).startswith(f"{tmp_path}{os.sep}file, line 1: ")
        assert str(error.value).endswith(question)


def test_text_in_utf_16_is_called_so(tmp_path):
    (tmp_path / "file").write_bytes(TREC_RUN.decode().encode("utf-16"))
    with pytest.raises(DataError) as error:
        read_rows(tmp_path / "file", "run")
    assert str(error.value) == f"{tmp_path}{os.sep}file: this is UTF-16 text; save it as UTF-8"


def test_unknown_role_is_refused():
    with pytest.raises(ValueError, match="role must be 'qrels' or 'run', not 'runs'"):
        read_rows({"q1": {"d1": 1}}, "runs")


# ---- JSON lines ----

RECORDS = [{"query_id": "q1", "doc_id": "d2", "score": 3.5}, {"query_id": "q1", "doc_id": "d1", "score": 2.5}, {"query_id": "q2", "doc_id": "d1", "score": 1}]


def json_lines(items, end="\n"):
    return end.join(map(json.dumps, items)) + end


@pytest.mark.parametrize("name", ["r.jsonl", "r.ndjson", "r.txt", "r.jsonl.gz"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n"])
def test_json_lines_of_records_are_rows(tmp_path, name, end):
    data = json_lines(RECORDS, end).encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    assert Run(tmp_path / name).to_dict() == {"q1": {"d2": 3.5, "d1": 2.5}, "q2": {"d1": 1.0}}


def test_json_lines_may_hold_triples_ranks_and_columns_of_other_names(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text(json_lines([["q1", "a", 2], ["q1", "b", 3]]))
    assert Run(path).to_dict() == {"q1": {"a": 2.0, "b": 3.0}}
    path.write_text(json_lines([{"qid": "q1", "docid": "a", "rank": 2}, {"qid": "q1", "docid": "b", "rank": 1}]))
    assert evaluate({"q1": {"b": 1}}, path, "RR").means["RR"] == 1
    path.write_text(json_lines([{"topic": 7, "hit": "a", "points": 1.5}]))
    assert Run(path, columns={"query": "topic", "document": "hit", "score": "points"}).to_dict() == {"7": {"a": 1.5}}


def test_one_line_of_json_is_a_record_if_it_has_the_columns_and_a_dict_of_queries_otherwise(tmp_path):
    path = tmp_path / "q.json"
    path.write_text('{"query_id": "q1", "doc_id": "d1", "relevance": 2}')
    assert Qrels(path).to_dict() == {"q1": {"d1": 2}}
    path.write_text('{"query": {"doc": 1}, "document": {"d1": 2}, "relevance": {"d2": 1}}')
    assert Qrels(path).queries == ["query", "document", "relevance"]


@pytest.mark.parametrize("text, said", [
    ('{"query_id": "q1", "doc_id": "d1", "score": 1}\n\n{"query_id": "q1", "doc_id": "d2", "score": "x"}\n', "line 3: the score 'x' is not a"),
    ('{"query_id": "q1", "doc_id": "d1", "score": 1}\n{"query_id": "q1", "doc_id": "d2"\n', "line 2: invalid JSON"),
    ('{"query_id": "q1", "doc_id": "d1", "score": 1}\n{"query_id": "q1", "doc_id": "d2"}\n', "line 2: no column score"),
    ('{"query_id": "q1", "doc_id": "d1", "score": 1}\n{"query_id": "q1", "query_id": "q2", "doc_id": "d2", "score": 1}\n', "line 2: the column 'query_id' appears 2 times"),
    ('{"query_id": "q1", "doc_id": "d1", "score": 1}\n{"query_id": "q1", "doc_id": "d1", "score": 2}\n', "line 2.*d1"),
    ('{"query_id": "q1", "doc_id": "d1", "score": 1}\n{"query_id": "q1", "doc_id": "d2", "rank": 2}\n', "line 2: some records have a score, others only a rank"),
])  # fmt: skip
def test_a_wrong_line_of_json_lines_is_named(tmp_path, text, said):
    path = tmp_path / "r.jsonl"
    path.write_text(text)
    with pytest.raises(DataError, match=f"r.jsonl, {said}"):
        Run(path)
