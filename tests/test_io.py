"Reading: the reader against a slow and obvious one, every kind of source, every kind of bad input."
import csv
import gzip
import json
import math
import os
import re
import subprocess
import sys
from decimal import Decimal
from io import StringIO
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import irmetrics_nb.io as io
from irmetrics_nb.io import DataError, Ids, read_rows

RUN = b"q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag\nq2 Q0 d1 1 0.5 tag\n"
QRELS = b"q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\n"
TRIPLES = [("q1", "d1", 2.5), ("q1", "d2", 1.5), ("q2", "d1", 0.5)]


def triples(rows):
    "Rows as a list of (query, document, number)."
    query = [rows.query_ids[i] for i in rows.query]
    return list(zip(query, rows.doc.tolist(), rows.value.tolist()))


def slow_reader(data, kind):
    "What a TREC file holds, by Python's own split and float; the number of the wrong line if there is one."
    columns, number = {"qrels": (4, 3), "run": (6, 4)}[kind]
    out = []
    for n, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not (fields := line.split()):
            continue
        try:
            value = float(fields[number]) if len(fields) == columns else math.nan
        except ValueError:
            value = math.nan
        if math.isnan(value) or kind == "qrels" and math.isinf(value):
            return n
        out.append((*(fields[c].decode("utf-8", "surrogateescape") for c in (0, 2)), value))
    return out or 0


def fast_reader(path, data, kind):
    "The same by the reader under test."
    path.write_bytes(data)
    try:
        return triples(read_rows(path, kind))
    except DataError as error:
        line = str(error).removeprefix(f"{path}, line ").split(":")[0]
        return int(line) if line.isdigit() else 0


blank = st.sampled_from([" ", " ", " ", "\t", "  ", " \t", "\x0b", "\x0c "])
word = st.text("ab1.-é#\"'\0\xa0", min_size=1, max_size=20)
score = st.one_of(
    st.floats().map(repr),
    st.decimals(-1000, 1000, places=3).map(str),
    st.integers(-(10**18), 10**18).map(str),
    st.sampled_from(["1e-3", "-0", "inf", "-inf", "+2", ".5", "5.", "1_0", "1E5", "infinity", "0" * 30 + "1"]),
    st.text("0123456789.-e", min_size=1, max_size=18),
)


@st.composite
def trec_file(draw, kind):
    "The text of a file that is mostly right."
    lines = []
    for _ in range(draw(st.integers(0, 8))):
        query = draw(st.sampled_from(["q1", "q2", "q10", "a long query id", "é"])).replace(" ", "-")
        fields = [query, "Q0", draw(word)] + (["1", draw(score), "tag"] if kind == "run" else [draw(score)])
        if draw(st.integers(0, 15)) == 0:
            fields = fields[: draw(st.integers(0, 8))] + draw(st.lists(word, max_size=2))
        lines.append("".join(f + draw(blank) for f in fields[:-1]) + "".join(fields[-1:]))
    end = draw(st.sampled_from(["\n", "\n", "\r\n", " \n", "\n\n"]))
    text = draw(st.sampled_from(["", "", "\ufeff", "\n"])) + end.join(lines) + draw(st.sampled_from(["", end]))
    return text.encode(draw(st.sampled_from(["utf-8", "utf-8", "latin-1"])), "ignore")


@pytest.mark.parametrize("kind", ["qrels", "run"])
@pytest.mark.parametrize("piece", [1, 40, io.PIECE])
def test_the_reader_agrees_with_split_and_float(kind, piece, tmp_path, monkeypatch):
    monkeypatch.setattr(io, "PIECE", piece)

    @given(trec_file(kind))
    @example(b"a b c 1\n" if kind == "qrels" else b"a b c 1 2 t\n")
    def check(data):
        assert fast_reader(tmp_path / "file", data, kind) == slow_reader(data, kind)

    check()


@given(st.binary(max_size=200))
def test_any_bytes_give_rows_or_one_error(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("bytes") / "file"
    if not data.startswith((b"\x1f\x8b", b"[", b"{", b"PAR1", b"ARROW1")):
        assert bool(fast_reader(path, data, "run")) == bool(slow_reader(data, "run"))


@given(st.lists(score, min_size=1, max_size=50))
def test_numbers_are_those_of_float(texts):
    def as_float(text):
        try:
            return float(text)
        except ValueError:
            return math.nan

    expected = np.array([as_float(t.encode()) for t in texts])
    got = io.numbers(Ids.from_list(texts))
    nan = np.isnan(expected)
    assert np.array_equal(np.isnan(got), nan)
    assert np.array_equal(got.view(np.int64)[~nan], expected.view(np.int64)[~nan])  # the very bits, -0.0 too


@given(st.lists(st.binary(max_size=20)), st.lists(st.binary(max_size=20)))
def test_ids_compare_hash_and_sort_as_bytes_do(left, right):
    a, b = Ids.from_list(left), Ids.from_list(right)
    n = min(len(left), len(right))
    assert a[:n].same(b[:n]).tolist() == [x == y for x, y in zip(left, right)]
    hashes = dict(zip(left + right, a.hash().tolist() + b.hash().tolist()))
    assert a.hash().tolist() == [hashes[x] for x in left]
    assert len(set(hashes.values())) == len(hashes)
    assert [left[i] for i in a.order()] == sorted(left)
    assert [a.bytes(i) for i in range(len(a))] == left


@given(st.lists(st.text("ab\0\n", max_size=12)))
def test_unify_finds_each_string_once_in_order_of_first_appearance(items):
    for find in (io.unify, io.in_blocks):
        unique, code = find(Ids.from_list(items))
        assert unique.tolist() == list(dict.fromkeys(items))
        assert [unique[i] for i in code] == items


def test_unify_is_exact_even_if_all_hashes_collide(monkeypatch):
    monkeypatch.setattr(Ids, "hash", lambda self: np.zeros(len(self), np.uint64))
    unique, code = io.unify(Ids.from_list(["b", "a", "b", "c"]))
    assert unique.tolist() == ["b", "a", "c"] and code.tolist() == [0, 1, 0, 2]


# every kind of source


def sources(folder):
    "The same run in every form that the reader takes."
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from ir_measures.util import ScoredDoc

    table = pl.DataFrame({"query_id": ["q1", "q1", "q2"], "doc_id": ["d1", "d2", "d1"], "score": [2.5, 1.5, 0.5]})
    (folder / "plain.txt").write_bytes(RUN)
    (folder / "packed").write_bytes(gzip.compress(RUN))
    (folder / "two_members.gz").write_bytes(gzip.compress(RUN[:30]) + gzip.compress(RUN[30:]))
    (folder / "bom.txt").write_bytes(b"\xef\xbb\xbf" + RUN)
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


def test_a_ranked_list_keeps_its_order():
    rows = read_rows({"q1": ["d9", "d1", "d5"], "q2": [], "q3": ["d1"]}, "run")
    assert rows.doc.tolist() == ["d9", "d1", "d5", "d1"]
    assert rows.value[0] > rows.value[1] > rows.value[2]
    assert rows.query_ids.tolist() == ["q1", "q2", "q3"] and rows.query.tolist() == [0, 0, 0, 2]


def test_whole_numbers_as_ids_become_their_decimal_text():
    import pandas as pd

    for source in ({1: {10: 1.0}}, [(1, 10, 1.0)], pd.DataFrame({"qid": [1], "docno": [10], "score": [1]})):
        assert triples(read_rows(source, "run")) == [("1", "10", 1.0)]


def test_a_tsv_without_header_is_read_as_trec_text(tmp_path):
    (tmp_path / "qrels.tsv").write_text("1\t0\t7\t1\n")
    assert triples(read_rows(tmp_path / "qrels.tsv", "qrels")) == [("1", "7", 1.0)]


def test_beir_judgments_are_found_by_their_column_names(tmp_path):
    (tmp_path / "test.tsv").write_text("query-id\tcorpus-id\tscore\n007\td1\t1\n")
    assert triples(read_rows(tmp_path / "test.tsv", "qrels")) == [("007", "d1", 1.0)]


def test_a_pipe_is_read_to_its_end(tmp_path):
    code = "import sys; from irmetrics_nb.io import read_rows; print(len(read_rows('/dev/stdin', 'run')))"
    done = subprocess.run([sys.executable, "-c", code], input=RUN * 3, capture_output=True, check=True)
    assert done.stdout.strip() == b"9"


def test_reading_text_and_dicts_imports_no_table_library(tmp_path):
    (tmp_path / "run.txt").write_bytes(RUN)
    code = (
        "import sys; from irmetrics_nb.io import read_rows; read_rows(sys.argv[1], 'run'); read_rows({'q': {'d': 1}}, 'run');"
        "print(sorted({'polars', 'pandas', 'pyarrow', 'scipy', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "run.txt"], capture_output=True, check=True)
    assert done.stdout.strip() == b"[]"


def test_the_name_of_a_run_is_its_tag_or_the_stem_of_its_file(tmp_path):
    (tmp_path / "best.run.gz").write_bytes(gzip.compress(RUN))
    (tmp_path / "best.json").write_text('{"q1": {"d1": 1}}')
    assert read_rows(tmp_path / "best.run.gz", "run").name == "tag"
    assert read_rows(tmp_path / "best.json", "run").name == "best"
    assert read_rows({"q1": {"d1": 1}}, "run").name == ""


# every kind of bad input: content, kind, what the message must say

LONG = b"q1 Q0 " + b"d" * (io.LONGEST + 1) + b" 1 1 tag\n"
BAD_FILES = {
    "a score that is no number": (RUN + b"q3 Q0 d1 1 abc tag\n", "run", ", line 4: the score 'abc' is not a number"),
    "a score that is NaN": (RUN + b"q3 Q0 d1 1 nan tag\n", "run", ", line 4: the score 'nan' is not a number"),
    "a grade that is no number": (b"q1 0 d1 good\n", "qrels", ", line 1: the grade 'good' is not a number"),
    "an infinite grade": (b"\n\nq1 0 d1 -inf\n", "qrels", ", line 3: the grade '-inf' is not a finite number"),
    "too few columns": (RUN + b"q3 Q0 d1 1 2\n", "run", ", line 4: 5 columns where a run has 6"),
    "one column": (b"hello\n", "run", ", line 1: 1 column where a run has 6"),
    "too many columns": (b"q1 Q0 d1 1 2.0 my tag\n", "run", ", line 1: 7 columns where a run has 6"),
    "columns that make up for each other": (b"q 0 d 1 1\nq 0 1\n", "qrels", ", line 1: 5 columns where judgments have 4"),
    "judgments given as a run": (QRELS, "run", ", line 1: 4 columns where a run has 6 (query Q0 document rank score tag); is this a qrels file?"),
    "a run given as judgments": (RUN, "qrels", ", line 1: 6 columns where judgments have 4 (query iteration document relevance); is this a run file?"),
    "an empty file": (b"", "run", ": the file is empty"),
    "only blank lines": (b"\n \n\r\n", "run", ": there are no rows in this file"),
    "only a BOM": (b"\xef\xbb\xbf", "run", ": there are no rows in this file"),
    "an id without end": (LONG, "run", ", line 1: an id of 65,537 bytes"),
    "a gzip cut off": (gzip.compress(RUN)[:-9], "run", ": the gzip data end too early"),
    "a gzip without content": (gzip.compress(b""), "run", ": the file is empty"),
    "a gzip with garbage behind": (gzip.compress(RUN) + b"garbage", "run", ": the gzip data are damaged, or something else stands behind them"),
    "a gzip damaged inside": (gzip.compress(RUN)[:10] + b"\xff" * 30, "run", ": the gzip data are damaged"),
    "a gzip whose checksum is wrong": (gzip.compress(RUN)[:-8] + bytes(8), "run", ": the gzip data are damaged"),
    "a Parquet file cut off": (b"PAR1" + bytes(99), "run", ": "),
    "a CSV grade that is no number": (b"qid,docno,rel\nq1,d1,1\nq1,d2,good\n", "qrels", ", line 3: the grade 'good' is not a number"),
    "a CSV with a line too long": (b"qid,docno,rel\nq1,d1,1,9\n", "qrels", ", line 2: 4 fields where the header has 3"),
    "a CSV with a line too short": (b"qid,docno,rel\n\nq1,d1\n", "qrels", ", line 3: 2 fields where the header has 3"),
    "a CSV with an empty field": (b"qid,docno,rel\nq1,d1,1\nq1, ,2\n", "qrels", ", line 3: nothing in column 'docno'"),
    "a CSV with an empty field in quotes": (b'qid,docno,rel\nq1,"",1\n', "qrels", ", line 2: nothing in column 'docno'"),
    "a CSV with text behind a quote": (b'qid,docno,rel\nq1,d1,1\nq1,"d"2,1\n', "qrels", ", line 3: ',' expected after '\"'"),
    "a CSV with a quote without end": (b'qid,docno,rel\nq1,"d1,1\n', "qrels", ", line 2: unexpected end of data"),
    "a CSV with an id without end": (b"qid,docno,rel\nq1," + b"d" * 65537 + b",1\n", "qrels", ", line 2: a field of 65,537 letters"),
    "a CSV with a column twice": (b"qid,docno,rel,rel\nq1,d1,1,1\n", "qrels", ": the column 'rel' is there 2 times"),
    "a CSV without a number column": (b"qid,docno\nq1,d1\n", "run", ": no column score or sim or similarity; there are 'qid', 'docno'"),
    "a CSV without rows": (b"qid,docno,rel\n", "qrels", ": the table has no rows"),
    "broken JSON": (b'{"q1": \n{"d1": 1}', "run", ", line 2: not JSON: "),
    "JSON with a name twice": (b'{"q1": {"d1": 1}, "q1": {}}', "run", ": 'q1' stands twice in one JSON object"),
    "JSON with a word for a score": (b'{"q1": {"d1": "abc"}}', "run", ", query 'q1', document 'd1': the score 'abc' is not a number"),
    "JSON with half of a surrogate pair": (b'{"q1": {"\\ud800": 1}}', "run", ": the id '\\ud800' holds half of a surrogate pair"),
    "JSON with an id without end": (b'{"q1": {"' + b"d" * 65537 + b'": 1}}', "run", ": an id of 65,537 bytes"),
    "JSON NaN": (b'{"q1": {"d1": NaN}}', "run", ", query 'q1', document 'd1': the score nan is not a number"),
    "JSON with a number for a query": (b'{"q1": 1}', "run", ": query 'q1' should hold a dict of documents or a list, not 1"),
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
        "is this a binary file (a NUL at byte 0)?": bytes(range(256)) * 99,
        "is this UTF-16 text?": RUN.decode().encode("utf-16"),
        "is this a zip archive?": b"PK\x03\x04" + bytes(99),
    }
    for question, content in binary.items():
        (tmp_path / "file").write_bytes(content)
        with pytest.raises(DataError) as error:
            read_rows(tmp_path / "file", "run")
        assert str(error.value).startswith(f"{tmp_path}{os.sep}file, line 1: ")
        assert str(error.value).endswith(question)


BAD_OBJECTS = {
    "an exhausted iterator": (iter([]), "run", "the run: no rows came; has the iterator been used up?"),
    "a pair instead of a triple": ([("q1", "d1")], "run", "the run, item 1: expected (query, document, score)"),
    "a score of None": ({"q1": {"d1": None}}, "run", "the run, query 'q1', document 'd1': the score None is not a number"),
    "a NaN grade": ({"q1": {"d1": math.nan}}, "qrels", "the qrels, query 'q1', document 'd1': the grade nan is not"),
    "an infinite grade": ([("q1", "d1", math.inf)], "qrels", "the qrels, query 'q1', document 'd1': the grade inf is not a finite"),
    "a grade beyond all numbers": ([("q1", "d1", 10**400)], "qrels", "the qrels, query 'q1', document 'd1': the grade 1000"),
    "no queries": ({}, "qrels", "the qrels: there are no queries"),
    "lists as judgments": ({"q1": ["d1"]}, "qrels", "the qrels: query 'q1' should hold a dict of documents, not"),
    "an id that is a float": ({"q1": {1.5: 1}}, "run", "the run: an id must be text, bytes or a whole number, not 1.5"),
    "half of a surrogate pair": ([("q1", "d\udfff", 1)], "run", "the run: the id 'd\\udfff' holds half of a surrogate pair"),
    "an id without end": ({"d" * 65537: {"d1": 1}}, "qrels", "the qrels: an id of 65,537 bytes"),
    "an object without a document": ([SimpleNamespace(query_id="q1", score=1)], "run", "the run, item 1: expected (query, document, score)"),
    "a number": (17, "run", "the run: expected a path, a dict, a table or an iterable, not 17"),
    "bytes": (b"q1", "run", "the run: expected a path, a dict, a table or an iterable, not"),
}


@pytest.mark.parametrize("case", BAD_OBJECTS)
def test_bad_objects_give_one_error_with_query_document_and_value(case):
    source, kind, message = BAD_OBJECTS[case]
    with pytest.raises(DataError) as error:
        read_rows(source, kind)
    assert str(error.value).startswith(message)


def test_bad_tables_give_one_error():
    import pandas as pd
    import polars as pl

    good = pl.DataFrame({"qid": ["q1", "q1"], "docno": ["d1", "d2"], "score": [1.0, 2.0]})
    bad = {
        "the run: no column query_id or qid": good.drop("qid"),
        "the run: the table has no rows": good.head(0),
        "the run, row 2: nothing in column 'docno'": good.with_columns(docno=pl.Series(["d1", None])),
        "the run: an id must be text or a whole number; column 'qid' holds Float64": good.with_columns(qid=pl.lit(1.5)),
        "the run, query 'q1', document 'd2': the score nan is not a number": good.with_columns(score=pl.Series([1.0, math.nan])),
        "the run: column 'score' should hold numbers, not Date": good.with_columns(score=pl.date(2020, 1, 1)),
        "the run, row 1: nothing in column 'docno'": pd.DataFrame({"qid": ["q1"], "docno": [None], "score": [1.0]}),
        "the run: the column 'docno' is there 2 times": pd.DataFrame([["q1", "d1", "d1", 1]], columns=["qid", "docno", "docno", "score"]),
        "the run: a table has columns; reset_index()": good.to_pandas().set_index(["qid", "docno"])["score"],
        "the run: an id of 65,537 bytes": good.with_columns(docno=pl.Series(["d1", "d" * 65537])),
    }
    for message, table in bad.items():
        with pytest.raises(DataError) as error:
            read_rows(table, "run")
        assert str(error.value).startswith(message)


def test_what_polars_cannot_take_or_panics_at_is_one_error():
    import pyarrow as pa

    rows = {"qid": ["q1"], "docno": ["d1"]}
    bad = {
        "256 bits": pa.table(rows | {"score": pa.array([Decimal("1.5")], pa.decimal256(60, 1))}),
        "run ends": pa.table(rows | {"score": pa.RunEndEncodedArray.from_arrays(pa.array([1], pa.int32()), pa.array([1.5]))}),
        "the same name twice": pa.Table.from_arrays([pa.array(["q1"])] * 3, names=["qid", "docno", "docno"]),
    }
    for what, table in bad.items():
        with pytest.raises(DataError) as error:
            read_rows(table, "run")
        assert str(error.value).startswith("the run: ") and "\n" not in str(error.value), what


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_blanks_around_fields_and_empty_lines_in_csv_mean_nothing(tmp_path, separator, end):
    lines = ["doc_id, score ,query_id", "d1,2.5,q1", " d2 , 1.5,q1  ", "", "  ", "d1,5e-1,q2", "", ""]
    text = end.join(lines).replace(",", separator)
    for content in (text, text.rstrip(), "\ufeff" + text):
        (tmp_path / "run").write_text(content, newline="")
        assert triples(read_rows(tmp_path / "run", "run")) == TRIPLES


def test_quotes_in_csv_hold_separators_newlines_blanks_and_quotes_and_in_tsv_nothing(tmp_path):
    ids = ["a,b", 'say "no"', '"', '""', "two\nlines", " blanks ", "\r\n", "é", '"a","b"']
    with open(tmp_path / "run.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerows([("query_id", "doc_id", "score"), *(("q", d, 1) for d in ids)])
    assert read_rows(tmp_path / "run.csv", "run").doc.tolist() == ids
    (tmp_path / "run.tsv").write_text('query_id\tdoc_id\tscore\n"q\t"a""b\t1\n')
    assert triples(read_rows(tmp_path / "run.tsv", "run")) == [('"q', '"a""b', 1.0)]


@given(st.lists(st.lists(st.text("a, \t\";\r\n", min_size=1, max_size=6), min_size=3, max_size=3), max_size=8), st.sampled_from([",", ";"]), st.booleans())
def test_csv_is_read_as_the_module_csv_reads_it_when_it_is_strict(tmp_path_factory, rows, separator, quoted):
    out = StringIO(newline="")
    header = ["query_id", "doc_id", "other", "score"]
    style = csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
    csv.writer(out, delimiter=separator, quoting=style).writerows([header, *(row + [1] for row in rows)])
    check_csv(tmp_path_factory, out.getvalue(), separator)


@given(st.lists(st.text("ab, \"", max_size=12), max_size=6))
def test_any_csv_is_read_as_the_module_csv_reads_it_or_refused(tmp_path_factory, lines):
    check_csv(tmp_path_factory, "\n".join(["query_id,doc_id,score", *(f"{line},1" for line in lines)]), ",")


def check_csv(tmp_path_factory, text, separator):
    "Refused, or the same ids as those of the standard library, which keeps blanks around fields."
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_text(text, newline="")
    try:
        rows = read_rows(path, "run")
    except DataError as error:
        assert re.match(re.escape(str(path)) + r"(, line \d+)?: ", str(error)) and "\n" not in str(error)
        return
    table = list(csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True))[1:]
    expected = [(q.strip(), d.strip(), 1.0) for q, d, *_ in (row for row in table if "".join(row).strip())]
    assert [(q.strip(), d.strip(), v) for q, d, v in triples(rows)] == expected


def test_csv_ids_that_are_no_utf_8_are_kept(tmp_path):
    (tmp_path / "run.csv").write_bytes(b"query_id,doc_id,score\ncaf\xe9,\"\xff\",1\n")
    assert read_rows(tmp_path / "run.csv", "run").doc.bytes(0) == b"\xff"


def test_a_wrong_line_of_a_large_csv_file_is_counted_with_and_without_quotes(tmp_path):
    expected = [(f"q{n // 1000}", f"document-{n}", n / 8) for n in range(60_000)]
    for quote in ("", '"'):
        rows = "".join(f"{quote}{q}{quote},{d},{v}\n" for q, d, v in expected)
        (tmp_path / "run.csv").write_text("query_id,doc_id,score\n" + rows)
        assert triples(read_rows(tmp_path / "run.csv", "run")) == expected
        (tmp_path / "run.csv").write_text("query_id,doc_id,score\n" + rows + "q,d,x\n")
        with pytest.raises(DataError, match="line 60002: the score 'x' is not a number"):
            read_rows(tmp_path / "run.csv", "run")


def test_a_score_with_an_underscore_is_what_python_makes_of_it(tmp_path):
    (tmp_path / "run").write_bytes(b"q Q0 d 1 1_0 t\n")
    assert triples(read_rows(tmp_path / "run", "run")) == [("q", "d", 10.0)]


def test_a_table_that_is_rewritten_between_two_batches_is_refused(tmp_path):
    import polars as pl

    columns = {"qid": ["q1", "q1", "q2", "q3"], "docno": ["d1", "d2", "d1", "d1"], "score": [4.0, 3.0, 2.0, 1.0]}
    pl.DataFrame(columns).write_parquet(tmp_path / "run.parquet")
    batches = iter(io.TableFile(tmp_path / "run.parquet", 3, pl.scan_parquet))
    next(batches)
    pl.DataFrame(columns | {"score": [8.5, 6.0, 4.0, 2.0]}).write_parquet(tmp_path / "run.parquet")
    os.utime(tmp_path / "run.parquet", (1e9, 1e9))  # sooner than the clock of the file system ticks
    with pytest.raises(DataError, match="run.parquet: the file changed while it was read"):
        next(batches)


def test_what_the_system_refuses_is_one_error_too(tmp_path):
    (tmp_path / "locked").write_bytes(RUN)
    (tmp_path / "locked").chmod(0)
    cases = {tmp_path / "none": "there is no such file", tmp_path: "this is a directory", "/dev/zero": "this is a device"}
    if os.geteuid() != 0:
        cases[tmp_path / "locked"] = "no permission to read this file"
    for path, message in cases.items():
        with pytest.raises(DataError, match=message) as error:
            read_rows(path, "run")
        assert str(error.value).startswith(f"{path}: ")


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="kind must be 'qrels' or 'run', not 'runs'"):
        read_rows({"q1": {"d1": 1}}, "runs")


def test_an_id_whose_hash_is_zero_is_found_like_any_other():
    ids = ["uPvpc2XN|fEeJ%^=", *(f"q{n}" for n in range(3000))]  # the first was looked for: mix() leaves 0 as it is
    assert Ids.from_list(ids).hash()[0] == 0
    unique, code = io.unify(Ids.from_list(ids * 2))
    assert unique.tolist() == ids and code.tolist() == [*range(3001)] * 2


def test_quotes_in_one_csv_row_do_not_change_what_blanks_mean_in_another(tmp_path):
    text = 'query_id,doc_id,score\n1 , a , 1.5\n1,"b ",1.0\n2,"c ""x"" ",1\n'
    (tmp_path / "run.csv").write_text(text)
    assert triples(read_rows(tmp_path / "run.csv", "run")) == [("1", "a", 1.5), ("1", "b ", 1.0), ("2", 'c "x" ', 1.0)]


def test_a_long_text_beside_the_ids_of_a_csv_file_does_no_harm(tmp_path):
    (tmp_path / "run.csv").write_text("query_id,doc_id,score,text\nq,d,1," + "x" * 200_000 + "\n")
    before = csv.field_size_limit()
    assert triples(read_rows(tmp_path / "run.csv", "run")) == [("q", "d", 1.0)] and csv.field_size_limit() == before


def test_a_tsv_file_whose_names_are_quoted_has_quoted_fields(tmp_path):
    (tmp_path / "run.tsv").write_text('"query_id"\t"doc_id"\t"score"\n"q"\t"a b"\t1\n')
    assert triples(read_rows(tmp_path / "run.tsv", "run")) == [("q", "a b", 1.0)]
