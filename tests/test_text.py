"TREC text of any bytes and any structure: what the reference reads, or one error that says where and what."
import gzip
import math
import re
import threading
import warnings

import pytest
from helpers import MEASURES, QRELS, READ, RUN, agrees, approximately, exact, put, refused, says_another_format, triples
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from oracles import COLUMN_COUNT, as_text, evaluate_dicts, read_trec, trec_rows
from strategies import BLANKS, trec

import irmetrics_nb.data.text as text_room
from irmetrics_nb import DataError, DataWarning, Qrels, Run, evaluate, judge
from irmetrics_nb.data.judging import judge_run
from irmetrics_nb.data.sources import read_rows
from irmetrics_nb.data.tables import header_separator
from irmetrics_nb.data.text import side_by_side

pytestmark = pytest.mark.usefixtures("nothing_hangs")


@pytest.mark.no_cover  # drawn examples
@pytest.mark.parametrize("kind", READ)
def test_a_file_of_right_lines_is_read_as_the_reference_reads_it(folder, kind):
    @settings(max_examples=30)
    @given(trec(kind))
    def check(data):
        expected = read_trec(data, kind)
        assert exact(READ[kind](put(folder / f"right-{kind}", data)).to_dict()) == exact(expected)

    check()


@pytest.mark.no_cover  # drawn examples
@pytest.mark.parametrize("kind", READ)
def test_a_file_with_wrong_lines_is_refused_at_one_of_them(folder, kind):
    @settings(max_examples=30)
    @given(trec(kind, wrong=True))
    def check(data):
        agrees(folder / f"wrong-{kind}", data, kind)

    check()


@pytest.mark.no_cover  # drawn examples
@pytest.mark.parametrize("kind", READ)
def test_a_right_file_with_any_bytes_changed_is_read_as_the_reference_reads_it_or_refused(folder, kind):
    @settings(max_examples=30)
    @given(trec(kind), st.data())
    def check(data, more):
        changed = bytearray(data)
        for _ in range(more.draw(st.integers(1, 3))):
            at = more.draw(st.integers(0, len(changed)))
            changed[at : at + more.draw(st.integers(0, 4))] = more.draw(st.binary(max_size=4))
        assume(not says_another_format(changed))
        agrees(folder / f"changed-{kind}", bytes(changed), kind)

    check()


def is_trec(data):
    "Whether the first bytes of a file leave no choice but to read it as TREC text."
    return not says_another_format(data) and header_separator(data) is None


@pytest.mark.filterwarnings("ignore::irmetrics_nb.DataWarning")  # of comments that could be rows
@pytest.mark.no_cover  # drawn examples
@pytest.mark.parametrize("kind", READ)
def test_any_bytes_at_all_are_read_as_the_reference_reads_them_or_refused(folder, kind):
    @settings(max_examples=30)
    @given(st.one_of(st.binary(max_size=300), st.text("q01 \n\t\r.#{}[]\",:", max_size=100).map(str.encode)))
    @example(b"\x1f\x8b")
    @example(b"\x1f\x8b\x08\x00")
    @example(b"PAR1PAR1")
    @example(b"ARROW1\0\0")
    @example(b'{"\xff')
    @example(b"[" * 100_000)
    @example(b'{"a":' * 100_000)
    @example(b"[[1" + b"0" * 5000)
    @example(b"query_id,doc_id,score,rel\n\xff,\xff,1,1\n")
    @example(b'query_id,doc_id,score,rel\n"q,"d",1,1\n')
    @example(b"\xef\xbb\xbf" * 3)
    def check(data):
        path = put(folder / f"any-{kind}", data)
        try:
            got = READ[kind](path).to_dict()
        except DataError as error:
            assert str(error).startswith(str(path)) and "\n" not in str(error)
            if is_trec(data):
                refused(path, data, kind, error)
            return
        if is_trec(data):
            assert exact(got) == exact(read_trec(data, kind))

    check()


@pytest.mark.parametrize("kind", READ)
@pytest.mark.parametrize("piece", [1, 40, text_room.PIECE_BYTES])
def test_a_text_cut_into_pieces_of_any_size_gives_the_rows_of_the_reference_or_its_first_fault(folder, kind, piece, monkeypatch):
    monkeypatch.setattr(text_room, "PIECE_BYTES", piece)

    @given(trec(kind, wrong=True))
    @example(b"a b c 1\n" if kind == "qrels" else b"a b c 1 2 t\n")
    @example(b"q 0 \xe9 1\nq 0 \xa0\x1c 2\r\n" if kind == "qrels" else b"q Q0 \xe9 1 .5 t\nq Q0 \xa0\x1c 2 +2 t\r\n")
    @example(b"\n \n")
    def check(data):
        path = put(folder / f"pieces-{kind}", data)
        rows, faults = trec_rows(data, kind)
        try:
            got = triples(read_rows(path, kind))
        except DataError as error:
            first = f", line {min(faults)}: " if faults else ": there are no rows in this file"
            assert str(error).startswith(f"{path}{first}") and (faults or not rows)
        else:
            assert got == [row[1:] for row in rows] and not faults

    check()


@pytest.mark.filterwarnings("ignore::irmetrics_nb.EvaluationWarning")  # what is retrieved is seldom judged
@settings(max_examples=60)
@given(trec("qrels"), trec("run"), st.booleans())
def test_evaluate_gives_what_the_definitions_give_on_what_the_reference_reads(folder, qrels, run, shared):
    judgments, results = read_trec(qrels, "qrels"), read_trec(run, "run")
    if shared:  # at least one query and one document in common
        query, doc = next((q, d) for q, docs in results.items() for d in docs)
        if doc not in judgments.get(query, {}):
            qrels = qrels.rstrip() + b"\n%b 0 %b 1\n" % tuple(x.encode("utf-8", "surrogateescape") for x in (query, doc))
            judgments = read_trec(qrels, "qrels")
    files = put(folder / "qrels", qrels), put(folder / "run", run)
    if judgments.keys().isdisjoint(results):
        with pytest.raises(DataError, match="no query in common"):
            evaluate(*files, MEASURES)
        return
    scores = evaluate(*files, MEASURES)
    assert scores.to_dict() == approximately(evaluate_dicts(judgments, results))
    assert scores.to_dict() == evaluate(judgments, results, MEASURES).to_dict()  # and dicts give the same bits
    assert list(scores.query_ids) == list(judgments) and scores.unjudged == len(results.keys() - judgments.keys())


@pytest.mark.parametrize("line", [0, 1, 6_000, 65_000, 149_999])
@pytest.mark.parametrize("what", ["columns", "number", "twice"])
def test_a_wrong_line_deep_in_a_large_file_is_found_and_counted(tmp_path, what, line):
    lines = [b"q%d Q0 %b 1 %d.%d tag\n" % (n // 1000, b"d" * (n % 60) + b"%d" % n, n % 77, n) for n in range(150_000)]
    bad = {"columns": b"q1 Q0 d 1 2.5\n", "number": b"q1 Q0 d 1 2,5 tag\n", "twice": lines[line - 1]}[what]
    path = put(tmp_path / "run", b"".join(lines[:line] + [bad] + lines[line:]))
    with pytest.raises(DataError) as error:
        Run(path)
    where = {line + 1, 150_001 if line == 0 and what == "twice" else line + 1}
    assert any(str(error.value).startswith(f"{path}, line {n}") for n in where), str(error.value)


@pytest.mark.parametrize("between", [*BLANKS, b"\t ", b" \x0b\x0c\r\t "])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\n\n\n", b"  \n", b"\n \t\r\n"])
@pytest.mark.parametrize("front", [b"", b"\xef\xbb\xbf", b"\n\n", b"\xef\xbb\xbf\r\n", b" \t"])
def test_blanks_line_ends_and_a_byte_order_mark_change_nothing(folder, between, end, front):
    def spaced(data):
        return front + end.join(between.join(line.split()) for line in data.splitlines())

    for tail in (b"", end):
        scores = evaluate(put(folder / "q", spaced(QRELS) + tail), put(folder / "r", spaced(RUN) + tail), MEASURES)
        assert scores.to_dict()["q"] == {"AP": 0.5, "RR": 0.5, "P@5": 0.2, "R@5": 1.0, "nDCG@5": pytest.approx(1 / math.log2(3)), "NumRet": 2.0}
        assert scores.name == "tag"


@pytest.mark.parametrize("kind", READ)
@pytest.mark.parametrize("line", [b"q 0 a 1 # good", b"q Q0 c x 1 tag # good"])
def test_a_hash_within_a_line_begins_no_comment(tmp_path, kind, line):
    data = {"qrels": QRELS, "run": RUN}[kind] + line + b"\n"
    what = "the score '#'" if kind == "run" and line.startswith(b"q 0") else f"{len(line.split())} column"
    with pytest.raises(DataError, match=f"line 3: {what}"):
        READ[kind](put(tmp_path / "file", data))


def test_a_hash_in_an_id_or_a_tag_is_a_byte_like_any_other(tmp_path):
    assert Run(put(tmp_path / "run", b"1# Q0 a#2 1 0.5 #tag\n1# Q0 # 1 0.5 #tag\n")).to_dict() == {"1#": {"a#2": 0.5, "#": 0.5}}
    assert Qrels(put(tmp_path / "qrels", b"q# # # 1\n")).to_dict() == {"q#": {"#": 1}}


ODD_IDS = {
    "not UTF-8": b"\xff\xfe\x80",
    "half a UTF-8 letter": b"caf\xc3",
    "a hash": b"a#b",
    "quotes": b"\"'`\"\"",
    "a comma and a backslash": b"a,b\\n",
    "NUL": b"\0",
    "NUL at the end": b"a\0",
    "a thousand letters": b"x" * 1000,
    "many thousand letters": b"y" * 20_000,
    "a no-break space": b"a\xa0b",
    "a file separator, which str.split takes for a blank": b"a\x1cb",
    "a line separator, which str.splitlines takes for an end": "a\u2028b\x85".encode(),
    "a path": b"../../etc/passwd",
    "markup": b"<script>\\input{x}",
    "a number": b"1e5",
}


@pytest.mark.parametrize("what", ODD_IDS)
def test_an_odd_id_is_an_id(tmp_path, what):
    name = ODD_IDS[what]
    qrels = put(tmp_path / "qrels", b"%b 0 %b 1\n%b 0 other 1\n" % (name, name, name))
    run = put(tmp_path / "run", b"%b Q0 other 1 2 tag\n%b Q0 %b 2 1 tag\n%b Q0 %b! 2 3 tag\n" % (name, name, name, name, name))
    assert exact(Run(run).to_dict()) == exact(read_trec(run.read_bytes(), "run"))
    assert evaluate(qrels, run, "AP").to_dict() == {as_text(name): {"AP": (1 / 2 + 2 / 3) / 2}}


def test_ids_that_differ_only_in_a_nul_at_the_end_are_different(tmp_path):
    names = [b"a", b"a\0", b"a\0\0", b"aaaaaaaa", b"aaaaaaaa\0", b"aaaaaaaa" + bytes(8), b"\0", b"\0\0"]
    run = put(tmp_path / "run", b"".join(b"q Q0 %b 1 1 t\n" % n for n in names))
    assert list(Run(run).to_dict()["q"]) == [as_text(n) for n in names]
    for place, name in enumerate(sorted(names, reverse=True), 1):  # all tied: the greatest id first
        assert evaluate(put(tmp_path / "qrels", b"q 0 %b 1\n" % name), run, "RR")["RR"] == [1 / place]


def test_a_query_in_two_blocks_is_one_query(tmp_path):
    run = put(tmp_path / "run", b"q Q0 b 1 3 t\nother Q0 a 1 9 t\nq Q0 a 1 2 t\nother Q0 b 1 8 t\nq Q0 c 1 4 t\n")
    qrels = put(tmp_path / "qrels", b"q 0 a 1\nother 0 b 1\nq 0 b 1\n")
    assert evaluate(qrels, run, "AP NumRet").to_dict() == {"q": {"AP": (1 / 2 + 2 / 3) / 2, "NumRet": 3.0}, "other": {"AP": 0.5, "NumRet": 2.0}}
    with pytest.raises(DataError, match="line 6.*duplicate document 'b' in query 'q'"):
        Run(put(tmp_path / "run", run.read_bytes() + b"q Q0 b 1 1 t\n"))


def test_the_column_rank_and_the_order_of_the_lines_mean_nothing(tmp_path):
    assert judge({"q": {"b": 1}}, put(tmp_path / "run", b"q Q0 a 1 0.5 t\nq Q0 b 2 0.9 t\n")).rank.tolist() == [1]


@pytest.mark.parametrize("ranks", [b"2 1", b"1 1", b"-5 x", b"1.5 \xff", b"0 99999999999999999999"])
def test_ranks_that_contradict_the_scores_mean_nothing(tmp_path, ranks):
    first, second = ranks.split()
    run = put(tmp_path / "run", b"q Q0 b %b 2.5 tag\nq Q0 a %b 1.5 tag\n" % (first, second))
    assert evaluate({"q": {"a": 1}}, run, "RR")["RR"] == [0.5]


@pytest.mark.parametrize("kind", READ)
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 6, 7, 8, 100, 5000])
def test_fewer_or_more_columns_are_refused_with_their_number(tmp_path, kind, count):
    if count == COLUMN_COUNT[kind]:
        return
    good = {"qrels": QRELS, "run": RUN}[kind]
    alone = b" ".join([b"x"] * count) + b"\n" * (count == 2) + b"x" * (count == 2)  # two columns in all lines are judgments
    for data, line in ((alone, 1), (good + b" ".join([b"x"] * count) + b"\n" + good, 3)):
        with pytest.raises(DataError, match=f"line {line}: {count:,}? column|line {line}: {count} column"):
            READ[kind](put(tmp_path / "file", data))


def test_long_ids_on_the_first_line_do_not_hide_the_tag(tmp_path):
    run = put(tmp_path / "run", b"%b Q0 %b 1 0.5 tag\n" % (b"q" * 40_000, b"d" * 40_000))
    assert Run(run).to_dict() == {"q" * 40_000: {"d" * 40_000: 0.5}} and Run(run).name == "tag"


def test_side_by_side_keeps_order_and_stops_at_the_first_error():
    def f(x):
        if x in (7, 8):
            raise KeyError(x)
        return x

    out = []
    with pytest.raises(KeyError, match="7"):
        out.extend(side_by_side(f, range(99)))
    assert out == list(range(7))


def test_where_no_thread_can_be_started_the_same_rows_come_out_and_the_same_first_error(tmp_path, monkeypatch):
    content = b"".join(b"q%d Q0 d%d 1 %d t\n" % (n // 1000, n, -n) for n in range(20_000))
    path = put(tmp_path / "run", content)
    expected = triples(read_rows(path, "run"))

    def refuse(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    monkeypatch.setattr(text_room, "PIECE_BYTES", 1000)
    monkeypatch.setattr(text_room, "BATCH_BYTES", 1000)
    assert triples(read_rows(path, "run")) == expected
    monkeypatch.setattr("irmetrics_nb.data.recognition.BATCH_BYTES", 20_000)
    judged, info = judge_run({"q3": {"d3007": 1}}, path)
    assert (judged.rank.tolist(), judged.retrieved.tolist(), info.queries) == ([8], [1000], 20) and info.how.endswith("batches")
    with pytest.raises(DataError, match="line 20001: the score 'x' is not a number"):
        read_rows(put(tmp_path / "run", content + b"q Q0 d 1 x t\n" * 2), "run")


TORN = {
    "the last grade is shorter than another": (b"q 0 a 10\nq 0 b 1", "line 2: the last line ends without a newline, and other grades are longer than '1'"),
    "a fraction": (b"q 0 a 1.25\n\nq 0 b 1.2", "line 3: the last line ends without a newline, and other grades are longer than '1.2'"),
    "a sign": (b"q 0 a -1\r\nq 0 b 1", "line 2: the last line ends without a newline, and other grades are longer than '1'"),
}
WHOLE = {
    "it ends with a newline": b"q 0 a 10\nq 0 b 1\n",
    "no grade is longer": b"q 0 a 1\nq 0 b 10",
    "all grades are alike": b"q 0 a 1\nq 0 b 1",
    "a blank ends the last grade": b"q 0 a 10\nq 0 b 1 ",
    "a carriage return ends the last grade": b"q 0 a 10\r\nq 0 b 1\r",
    "blanks behind the last newline": b"q 0 a 10\nq 0 b 1\n  ",
    "a single line": b"q 0 a 1",
}


@pytest.mark.parametrize("what", TORN)
@pytest.mark.parametrize("packed", [False, True])
def test_judgments_that_may_end_within_a_grade_are_read_with_a_warning(tmp_path, what, packed):
    content, words = TORN[what]
    path = put(tmp_path / "qrels", gzip.compress(content) if packed else content)
    with pytest.warns(DataWarning, match=re.escape(f"{path}, {words}; is the file truncated?")):
        assert exact(Qrels(path).to_dict()) == exact(read_trec(content, "qrels"))


@pytest.mark.parametrize("what", WHOLE)
def test_judgments_that_are_complete_are_read_without_a_warning(tmp_path, what):
    assert exact(Qrels(put(tmp_path / "qrels", WHOLE[what])).to_dict()) == exact(read_trec(WHOLE[what], "qrels"))


def test_a_run_whose_last_line_lacks_its_newline_is_read_without_a_warning(tmp_path):
    assert Run(put(tmp_path / "run", b"q Q0 a 1 10 tag\nq Q0 b 1 1 t")).to_dict() == {"q": {"a": 10.0, "b": 1.0}}


def test_the_warning_can_be_made_an_error(tmp_path):
    with warnings.catch_warnings(), pytest.raises(DataWarning):
        warnings.simplefilter("error", DataWarning)
        Qrels(put(tmp_path / "qrels", TORN["a sign"][0]))
