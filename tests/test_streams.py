"A run read batch by batch, or dealt out to parts, gives what it gives in one piece: every value, count and error."
import contextlib
import gzip
import os
import subprocess
import sys
from contextlib import ExitStack
from itertools import pairwise
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from helpers import lines
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import table_runs, text_runs

import irmetrics_nb.data.recognition as streams
import irmetrics_nb.data.sources as files
import irmetrics_nb.data.text as rows_room
from irmetrics_nb import DataError, Run, evaluate, judge
from irmetrics_nb.core.choices import CHOICES
from irmetrics_nb.data.judging import judge_run
from irmetrics_nb.data.recognition import open_run

TWICE = "duplicates='first', 'last' or 'best' chooses the row that counts"
PARTS = "query rank grade retrieved pool_query pool_grade".split()


@contextlib.contextmanager
def heads_of(size):
    "As if only so many of a file's first bytes were looked at."
    with patch.object(streams, "HEAD_BYTES", size), patch.object(files, "HEAD_BYTES", size), patch.object(rows_room, "HEAD_BYTES", size):
        yield


def in_one_piece(qrels, path, **options):
    "What comes out of the whole file, or the words of the error."
    try:
        run = Run(path)
        judged = judge(qrels, run, **options)
        return [getattr(judged, name).tolist() for name in PARTS], len(run), run.name
    except DataError as error:
        return str(error).partition("; the ids would match")[0]  # what is known of the ids differs


def streamed(qrels, path, size, memory=1 << 30, head=16, **options):
    "The same from batches of `size` bytes; and how the run was read."
    with ExitStack() as stack:
        stack.enter_context(patch.object(streams, "BATCH_BYTES", size))
        stack.enter_context(heads_of(head))
        try:
            judged, reading = judge_run(qrels, path, memory=memory, **options)
            return ([getattr(judged, name).tolist() for name in PARTS], reading.queries, reading.name), reading.how
        except DataError as error:
            return str(error).partition("; the ids would match")[0], "error"


JUDGMENTS = {"q1": {"d1": 1, "d2": 2, "d3": -1, "d9": 0}, "q2": {"d1": 1, "doc-0000017": 3}, "q10": {"ü": 1, "d1\0": 2, "x": 1}, "é": {"d1": 1}}


@settings(max_examples=150, deadline=None)
@given(text_runs(), st.integers(1, 300), st.integers(8, 64), st.booleans(), st.sampled_from(["docid", "given"]), st.sampled_from(sorted(CHOICES["negative"])))
def test_batches_of_any_size_give_what_one_piece_gives(tmp_path_factory, content, size, head, packed, ties, negative):
    path = tmp_path_factory.mktemp("run") / "a.run"
    path.write_bytes(gzip.compress(content) if packed else content)
    options = dict(ties=ties, negative=negative)
    with heads_of(head):
        whole = in_one_piece(JUDGMENTS, path, **options)
    assert streamed(JUDGMENTS, path, size, head=head, **options)[0] == whole


@settings(max_examples=150, deadline=None)
@given(text_runs(), st.integers(400, 4000), st.booleans(), st.sampled_from(["docid", "given"]))
def test_parts_give_what_one_piece_gives(tmp_path_factory, content, memory, packed, ties):
    path = tmp_path_factory.mktemp("run") / "a.run"
    path.write_bytes(gzip.compress(content) if packed else content)
    with patch.object(streams.TextFile, "_check_query", lambda self, buffer, line: None):
        found = streamed(JUDGMENTS, path, 1 << 22, memory, 64, ties=ties)[0]
    with heads_of(64):
        assert found == in_one_piece(JUDGMENTS, path, ties=ties)


GROUPED = lines(*((f"q{q}", f"d{d}", 10 - d) for q in range(20) for d in range(5)))
SCATTERED = lines(*((f"q{q}", f"d{d}", 10 - d) for d in range(5) for q in range(20)))
JUDGED = {f"q{q}": {"d1": 1, "d3": 2} for q in range(15)}


@pytest.mark.parametrize("content, memory, how", [
    (GROUPED, 1 << 30, "in 34 batches"),
    (SCATTERED, 1 << 30, "in one piece"),
    (SCATTERED, 4000, "in 2 parts, because the rows of a query are not adjacent"),
], ids=["grouped", "scattered", "scattered, little memory"])
def test_result_shows_how_the_run_was_read(tmp_path, content, memory, how):
    (tmp_path / "run").write_bytes(content)
    with patch.object(streams, "BATCH_BYTES", 64), heads_of(16):
        scores = evaluate(JUDGED, tmp_path / "run", "AP", memory=memory)
    kind = how.split()[-1]
    assert scores.runs[0].reading.endswith(kind) and scores.runs[0].reading.split()[0] == "in", scores.runs[0].reading
    assert scores.means == evaluate(JUDGED, Run(tmp_path / "run"), "AP").means
    assert (scores.unjudged, scores.name) == (5, "tag")


def test_a_query_that_comes_back_with_the_same_document_is_named_with_both_lines(tmp_path):
    path = tmp_path / "run"
    path.write_bytes(GROUPED + lines(("q3", "d2", 1)))
    for memory in 1 << 30, 2000:
        said, _ = streamed(JUDGED, path, 64, memory)
        assert said == f"{path}, line 101 (and 18): duplicate document 'd2' in query 'q3'; {TWICE}"


def test_the_first_repeated_document_counts_in_whatever_part_it_is(tmp_path):
    path = tmp_path / "run"
    path.write_bytes(SCATTERED + lines(("q9", "d2", 1), ("q3", "d2", 1), ("q8", "d2", 1)))
    said, _ = streamed(JUDGED, path, 64, 2000)
    assert said == f"{path}, line 101 (and 50): duplicate document 'd2' in query 'q9'; {TWICE}"


def test_a_wrong_line_at_the_end_counts_more_than_a_repeated_document_before_it(tmp_path):
    path = tmp_path / "run"
    path.write_bytes(lines(("q0", "d1", 1)) + GROUPED + b"q99 Q0 d1 1 high tag\n")
    assert streamed(JUDGED, path, 64)[0] == in_one_piece(JUDGED, path) == f"{path}, line 102: the score 'high' is not a number"


@pytest.mark.parametrize("damage", ["cut off", "garbage behind", "a wrong checksum"])
def test_a_damaged_gzip_counts_more_than_a_wrong_line_in_it(tmp_path, damage):
    packed = gzip.compress(b"q0 Q0 d1 1 high tag\n" + GROUPED * 50)
    packed = {"cut off": packed[:-9], "garbage behind": packed + b"garbage", "a wrong checksum": packed[:-8] + bytes(8)}[damage]
    (tmp_path / "run").write_bytes(packed)
    whole = in_one_piece(JUDGED, tmp_path / "run")
    assert "gzip data" in whole and streamed(JUDGED, tmp_path / "run", 64)[0] == whole


def test_a_query_longer_than_the_memory_allows_is_one_clear_error(tmp_path):
    (tmp_path / "run").write_bytes(GROUPED + lines(*(("long", f"d{d}", 1) for d in range(999))))
    said, _ = streamed(JUDGED, tmp_path / "run", 64, 8000)
    assert said == f"{tmp_path / 'run'}, line 101: the query that begins here needs more memory than is allowed"


def test_a_bomb_does_not_fill_the_memory(tmp_path):
    (tmp_path / "bomb").write_bytes(gzip.compress(bytes(1 << 24)))
    said, _ = streamed(JUDGED, tmp_path / "bomb", 1 << 16, 1 << 20, 1 << 16)
    assert "needs more memory than is allowed" in said


@settings(max_examples=60, deadline=None)
@given(table_runs(), st.integers(32, 1000), st.sampled_from([1 << 30, 1000]), st.booleans())
def test_tables_in_batches_give_what_one_piece_gives(tmp_path_factory, table, size, memory, parquet):
    path = tmp_path_factory.mktemp("run") / "table"
    table.write_parquet(path, row_group_size=7) if parquet else table.write_ipc(path)
    assert streamed(JUDGMENTS, path, size, memory)[0] == in_one_piece(JUDGMENTS, path)


@given(table_runs(), st.integers(1, 30), st.sampled_from([1 << 30, 1000]), st.sampled_from(["polars", "pandas", "arrow", "lazy"]))
def test_a_table_in_memory_in_slices_gives_what_one_piece_gives(table, rows, memory, library):
    source = {"polars": table, "pandas": table.to_pandas(), "arrow": table.to_arrow(), "lazy": table.lazy()}[library]
    with patch.object(streams, "BATCH_ROWS", 2), patch.object(streams, "BATCH_BYTES", rows << 5):
        assert streamed(JUDGMENTS, source, rows << 5, memory)[0] == in_one_piece(JUDGMENTS, table)


@pytest.mark.filterwarnings("ignore::irmetrics_nb.EvaluationWarning")
@given(table_runs(), st.integers(1, 30))
def test_large_table_gives_the_result_of_its_run(table, rows):
    def said(run):
        try:
            found = evaluate(JUDGED, run(), "AP nDCG@3 NumRet")
        except DataError as error:
            return str(error)
        return found.to_dict(), found.missing, found.unjudged, found.name

    with patch.object(streams, "BATCH_ROWS", 2), patch.object(streams, "BATCH_BYTES", rows << 5):
        assert said(lambda: table) == said(lambda: Run(table))


@pytest.mark.parametrize("lengths", [(900, 1100, 9000, 3), (20_000,), (1,) * 50, (8000, 1, 1, 8000)])
@pytest.mark.parametrize("size", [1, 700, 5000, 30_000])
def test_no_slice_of_a_table_splits_a_query(lengths, size):
    queries = [f"q{i}" for i, n in enumerate(lengths) for _ in range(n)]
    table = pl.DataFrame({"query_id": queries, "doc_id": [f"d{i}" for i in range(len(queries))]}).with_columns(score=1.0)
    slices = [part["query_id"].to_list() for _, part in streams.TableRun(table, size)]
    assert [q for part in slices for q in part] == queries
    assert all(above[-1] != below[0] for above, below in pairwise(slices))


def test_a_gap_in_a_table_is_named_with_its_row(tmp_path):
    table = pl.DataFrame({"qid": [f"q{i // 3}" for i in range(99)], "docno": [f"d{i}" for i in range(99)], "score": 1.0})
    table.with_columns(score=pl.when(pl.int_range(99) != 80).then("score")).write_parquet(tmp_path / "run")
    assert streamed(JUDGMENTS, tmp_path / "run", 320)[0] == f"{tmp_path / 'run'}, row 81: no value in column 'score'"


def test_progress_reports_how_much_of_the_file_is_read(tmp_path):
    (tmp_path / "run").write_bytes(GROUPED)
    told = []
    with patch.object(streams, "BATCH_BYTES", 64), heads_of(16):
        evaluate(JUDGED, tmp_path / "run", "AP", progress=lambda done, total: told.append((done, total)))
    assert {total for _, total in told} == {len(GROUPED)} and len(told) > 9
    assert [done for done, _ in told] == sorted(done for done, _ in told) and told[-1][0] == len(GROUPED)


def test_a_small_file_a_pipe_and_other_formats_are_read_in_one_piece(tmp_path):
    (tmp_path / "run").write_bytes(GROUPED)
    (tmp_path / "run.json").write_text('{"q1": {"d1": 1}}' + " " * 999)
    (tmp_path / "run.csv").write_text("qid,docno,score\n" + "q1,d1,1\n" * 99)
    assert open_run(tmp_path / "run") is None and open_run(tmp_path / "run", 99) is not None
    assert open_run(tmp_path / "run.json", 99) is None and open_run(tmp_path / "run.csv", 99) is None
    os.mkfifo(tmp_path / "pipe")
    assert open_run(tmp_path / "pipe", 99) is None


def test_a_file_larger_than_the_memory_is_evaluated(tmp_path):
    block = np.char.add(np.char.add("Q0 document-with-a-rather-long-name-", np.arange(1000).astype(str)), " 1 2.5 tag\n")
    with open(tmp_path / "run", "w") as file:
        for q in range(2000):
            file.write("".join(f"query{q} {line}" for line in block.tolist()))
    (tmp_path / "qrels").write_text("query7 0 document-with-a-rather-long-name-7 1\n")
    code = """if True:
        import resource, sys
        from irmetrics_nb import evaluate
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        scores = evaluate(sys.argv[1], sys.argv[2], 'RR')
        assert (len(scores), scores.unjudged) == (1, 1999)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"""
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "qrels", tmp_path / "run"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) * 1024 < (tmp_path / "run").stat().st_size * 0.75


MARK = b"\xef\xbb\xbf"


@pytest.mark.parametrize("memory", [None, 4000, 6000, 8000, 20_000])
def test_a_mark_or_gzips_first_bytes_inside_a_file_are_part_of_an_id(tmp_path, memory):
    "Also where a part of a scattered run begins with them."
    odd = [MARK + b"q1", b"\x1f\x8bq1"]
    rows = [b"q0 Q0 d 1 1 t\n", *(name + b" Q0 x 1 9 t\n" for name in odd)]
    rows += [b"q%d Q0 d%d 1 %d t\n" % (q, r, -r) for r in range(200) for q in (1, 2, 3)]
    rows += [name + b" Q0 y 1 9 t\n" for name in odd]
    (tmp_path / "run").write_bytes(b"".join(rows))
    scores = evaluate({"q1": {"d0": 1}}, tmp_path / "run", "AP NumRet", memory=memory)
    assert (scores.means, scores.unjudged) == ({"AP": 1.0, "NumRet": 200}, 5)


@pytest.mark.parametrize("begin", [b"", b"\n", b"\n \n" * 3, MARK, MARK + b"\n", MARK + b" \n\n"])
def test_marks_and_blank_lines_at_the_beginning_split_no_query_and_hide_none(tmp_path, begin):
    body = b"".join(b"%d Q0 d%05d 1 %d t\n" % (q, i, 20_000 - i) for q in range(1, 6) for i in range(20_000))
    (tmp_path / "run").write_bytes(begin + body)
    scores = evaluate({"1": {"d00007": 1}}, tmp_path / "run", "RR NumRet", memory=2 << 20)
    assert (scores.means, scores.unjudged) == ({"RR": 1 / 8, "NumRet": 20_000}, 4)
    assert "scattered" not in scores.runs[0].reading


@pytest.mark.parametrize("memory", ["1GB", 0, -1, float("nan"), None.__class__])
def test_memory_that_is_no_number_of_bytes_is_refused(memory):
    with pytest.raises(ValueError, match="memory must be a positive number of bytes"):
        evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, memory=memory)
    for good in (1e6, float("inf")):
        assert evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, "RR", memory=good).means == {"RR": 1}


def test_a_small_file_of_many_rows_is_read_in_batches(tmp_path):
    "Parquet may hold ten rows in a byte: what counts is how many rows there are."
    n = 1_200_000
    path = tmp_path / "dense.parquet"
    pl.DataFrame({"query_id": np.arange(n) // 1000, "doc_id": np.arange(n) % 1000, "score": -(np.arange(n) % 1000)}).write_parquet(path)
    assert path.stat().st_size < 1 << 20
    scores = evaluate({str(q): {"3": 1} for q in range(0, n // 1000, 7)}, path, "RR")
    assert scores.means == {"RR": 0.25} and scores.runs[0].reading == "in 7 batches"
