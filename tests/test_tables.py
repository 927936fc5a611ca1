"Tables: polars, pandas, Arrow and CSV, with odd columns, odd quotes and gaps."
import csv
import math
import re
from decimal import Decimal
from io import StringIO

import polars as pl
import pytest
from helpers import TRIPLES, put, triples
from hypothesis import given
from hypothesis import strategies as st

import irmetrics_nb.data.tables as tables
from irmetrics_nb import DataError, Run, check, evaluate
from irmetrics_nb.data.sources import read_rows


def test_beir_judgments_are_found_by_their_column_names(tmp_path):
    (tmp_path / "test.tsv").write_text("query-id\tcorpus-id\tscore\n007\td1\t1\n")
    assert triples(read_rows(tmp_path / "test.tsv", "qrels")) == [("007", "d1", 1.0)]


def test_bad_tables_give_one_error():
    import pandas as pd

    good = pl.DataFrame({"qid": ["q1", "q1"], "docno": ["d1", "d2"], "score": [1.0, 2.0]})
    bad = {
        "the run: no column query_id or qid": good.drop("qid"),
        "the run: the table has no rows": good.head(0),
        "the run, row 2: no value in column 'docno'": good.with_columns(docno=pl.Series(["d1", None])),
        "the run: an id must be text or a whole number, but column 'qid' has the type Float64": good.with_columns(qid=pl.lit(1.5)),
        "the run, query 'q1', document 'd2': the score nan is not a number": good.with_columns(score=pl.Series([1.0, math.nan])),
        "the run: column 'score' should contain numbers, not Date": good.with_columns(score=pl.date(2020, 1, 1)),
        "the run, row 1: no value in column 'docno'": pd.DataFrame({"qid": ["q1"], "docno": [None], "score": [1.0]}),
        "the run: the column 'docno' appears 2 times": pd.DataFrame([["q1", "d1", "d1", 1]], columns=["qid", "docno", "docno", "score"]),
        "the run: this is a Series, not a table; use reset_index()": good.to_pandas().set_index("qid")["score"],
        "the run: an id has 65,537 bytes; the limit is 65,536": good.with_columns(docno=pl.Series(["d1", "d" * 65537])),
    }
    for message, table in bad.items():
        with pytest.raises(DataError) as error:
            read_rows(table, "run")
        assert str(error.value).startswith(message)


TYPES = {pl.Int8: [-128, 0, 127], pl.UInt64: [0, 2**53, 7], pl.Int128: [5, -3, 0], pl.Float32: [0.1, -0.0, math.inf],
         pl.Float64: [0.1, 1e300, -2.5], pl.Boolean: [True, False, True], pl.Decimal(9, 2): [Decimal("1.25"), Decimal(-3), Decimal(0)]}  # fmt: skip


@pytest.mark.parametrize("dtype", TYPES)
def test_numbers_of_any_type_are_what_the_table_holds(monkeypatch, dtype):
    monkeypatch.setattr(tables, "PIECE_ROWS", 2)
    column = pl.Series("score", TYPES[dtype], dtype)
    expected = [float(x) for x in column]
    for series in (column, pl.concat([column[:1], column[1:]], rechunk=False)):
        table = pl.DataFrame({"qid": "q1", "docno": ["d1", "d2", "d3"]}).with_columns(series)
        assert read_rows(table, "run").value.tolist() == expected


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
def test_blanks_around_names_and_numbers_and_empty_lines_in_csv_mean_nothing(tmp_path, separator, end):
    lines = ['doc_id, score , "query_id"', "d1,2.5,q1", "d2, 1.5  ,q1", "", "  ", "d1,5e-1,q2", "", ""]
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
    expected = [(q, d, 1.0) for q, d, *_ in (row for row in table if "".join(row).strip())]
    assert triples(rows) == expected


def test_csv_ids_that_are_no_utf_8_are_kept(tmp_path):
    (tmp_path / "run.csv").write_bytes(b"query_id,doc_id,score\ncaf\xe9,\"\xff\",1\n")
    assert read_rows(tmp_path / "run.csv", "run").doc.bytes(0) == b"\xff"


@pytest.mark.no_cover
def test_a_wrong_line_of_a_large_csv_file_is_counted_with_and_without_quotes(tmp_path):
    expected = [(f"q{n // 1000}", f"document-{n}", n / 8) for n in range(60_000)]
    for quote in ("", '"'):
        rows = "".join(f"{quote}{q}{quote},{d},{v}\n" for q, d, v in expected)
        (tmp_path / "run.csv").write_text("query_id,doc_id,score\n" + rows)
        assert triples(read_rows(tmp_path / "run.csv", "run")) == expected
        (tmp_path / "run.csv").write_text("query_id,doc_id,score\n" + rows + "q,d,x\n")
        with pytest.raises(DataError, match="line 60002: the score 'x' is not a number"):
            read_rows(tmp_path / "run.csv", "run")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("quoted", [False, True])
def test_a_blank_is_a_letter_of_an_id_in_quotes_or_not_in_every_form(tmp_path, separator, quoted):
    ids = ["a", "a ", " a", "a\xa0", "a b"]
    quote = '"' if quoted else ""
    names = separator.join(f"{quote}{name}{quote}" for name in ("query_id", "doc_id", "score"))
    lines = [separator.join((f"{quote}q {quote}", f"{quote}{id}{quote}", f" {n} ")) for n, id in enumerate(ids)]
    (tmp_path / "run.csv").write_text("\n".join([names, *lines]))
    expected = {"q ": {id: float(n) for n, id in enumerate(ids)}}
    assert Run(tmp_path / "run.csv").to_dict() == Run(expected).to_dict() == expected
    for form in ("csv", "tsv", "json", "parquet"):
        Run(tmp_path / "run.csv").save(tmp_path / f"again.{form}")
        assert Run(tmp_path / f"again.{form}").to_dict() == expected
    assert evaluate({"q ": {"a ": 1, "a": 0}}, tmp_path / "run.csv", "P@5").means["P@5"] == 1 / 5


def test_quotes_in_one_csv_row_do_not_change_what_blanks_mean_in_another(tmp_path):
    text = 'query_id,doc_id,score\n1 , a , 1.5\n1,"b ",1.0\n2,"c ""x"" ",1\n2,d, "1"\n'
    (tmp_path / "run.csv").write_text(text)
    with pytest.raises(DataError, match="line 5: the score ' \"1\"' is not a number"): Run(tmp_path / "run.csv")
    (tmp_path / "run.csv").write_text(text.replace(' "1"', "1"))
    assert triples(read_rows(tmp_path / "run.csv", "run"))[:3] == [("1 ", " a ", 1.5), ("1", "b ", 1.0), ("2", 'c "x" ', 1.0)]


@pytest.mark.parametrize("cell", ["", " ", "\t ", '" "'])
def test_blank_cells_are_an_error_when_read_and_when_saved(tmp_path, cell):
    for row in (f"{cell},d,1", f"q,{cell},1", f"q,d,{cell}"):
        (tmp_path / "run.csv").write_text(f"query_id,doc_id,score\nq,d,1\n{row}\n")
        with pytest.raises(DataError, match="line 3: no value in column"): Run(tmp_path / "run.csv")
    for form in ("csv", "tsv"):
        with pytest.raises(ValueError, match=f"{form.upper()} cannot store ids that are empty or only spaces"): Run({"q": {cell.strip('"'): 1}}).save(tmp_path / f"new.{form}")
        assert not (tmp_path / f"new.{form}").exists()


def test_the_check_up_reads_blanks_in_a_faulty_csv_file_as_the_reader_does(tmp_path):
    (tmp_path / "run.csv").write_text("query_id, doc_id ,score\n \nq,a ,1\nq, b, 2\nq,c,none\n")
    found = check({"q": {"a ": 1, " b": 1}}, tmp_path / "run.csv")
    assert found.facts[str(tmp_path / "run.csv")]["judged documents retrieved"] == 2 and "number" in found.codes


def test_long_text_in_a_csv_file_is_not_an_error(tmp_path):
    (tmp_path / "run.csv").write_text("query_id,doc_id,score,text\nq,d,1," + "x" * 200_000 + "\n")
    before = csv.field_size_limit()
    assert triples(read_rows(tmp_path / "run.csv", "run")) == [("q", "d", 1.0)] and csv.field_size_limit() == before


def test_a_tsv_file_whose_names_are_quoted_has_quoted_fields(tmp_path):
    (tmp_path / "run.tsv").write_text('"query_id"\t"doc_id"\t"score"\n"q"\t"a b"\t1\n')
    assert triples(read_rows(tmp_path / "run.tsv", "run")) == [("q", "a b", 1.0)]


WRONG_CSV = {
    "text behind a quoted field": 'q,"a"b,1\n',
    "a quote that never ends": 'q,"a,1\nq,b,2\n',
    "a field too many": "q,a,1,9\n",
    "a field too many at the end of the file": "q,a,1,9",
    "a field too few": "q,a\n",
    "quotes that cancel out over two lines": 'q,"a, "2",2\nq,""b",3\n',
    "an empty field too many at the end of the file": "q,a,1,",
}


def test_a_csv_file_with_odd_ids_or_line_ends_is_read_as_pythons_module_reads_it(tmp_path):
    for text, ids in ('q,a",1\nq,b"",2\n', ['a"', 'b""']), ("q,a,1\rq,b,2\n", ["a", "b"]), ("q,a\xa0,1\nq,#,2", ["a\xa0", "#"]):
        path = put(tmp_path / "run.csv", b"query_id,doc_id,score\n" + text.encode())
        assert list(Run(path).to_dict()["q"]) == ids


@pytest.mark.parametrize("what", WRONG_CSV)
def test_a_csv_file_with_a_wrong_line_is_refused(tmp_path, what):
    path = put(tmp_path / "run.csv", b"query_id,doc_id,score\n" + WRONG_CSV[what].encode())
    with pytest.raises(DataError) as error:
        Run(path)
    assert str(error.value).startswith(str(path)) and "\n" not in str(error.value)


def test_a_csv_file_that_is_refused_leaves_the_limit_of_the_module_csv_as_it_was(tmp_path):
    before, errors = csv.field_size_limit(), []
    for n in range(3):
        (tmp_path / f"{n}.csv").write_text("query_id,doc_id,score\nq,d\n" + "q,d,1\n" * n)
        with pytest.raises(DataError) as error:
            read_rows(tmp_path / f"{n}.csv", "run")
        errors.append(error)  # as long as one is kept, so is what was at work when it came
    assert csv.field_size_limit() == before
