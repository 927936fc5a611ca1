"Any bytes, any structure, any accident: the exact result of the reference reader, or one error that says where and what."
import ast
import contextlib
import gzip
import json
import math
import os
import signal
import socket
import stat
import struct
import subprocess
import sys
import time
import tracemalloc

import numpy as np
import polars as pl
import pytest
import reference_reader as reference
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from irmetrics_nb import DataError, Qrels, Run, evaluate, parse_all, render

MEASURES = "AP RR P@5 R@5 nDCG@5 NumRet"
QRELS = b"q 0 a 1\nq 0 b 0\n"
RUN = b"q Q0 b 1 2.5 tag\nq Q0 a 2 1.5 tag\n"  # a, the only relevant document, comes second
READ = {"qrels": Qrels, "run": Run}
BLANKS = [b" ", b"\t", b"\r", b"\x0b", b"\x0c"]
OTHER_FORMATS = (b"\x1f\x8b", b"PAR1", b"ARROW1", b"{", b"[")  # first bytes that say: this is not TREC text
BOM = b"\xef\xbb\xbf"


def fails(reason):
    "A mark for what the package does not do yet."
    return pytest.mark.xfail(strict=True, reason=reason)


@pytest.fixture(autouse=True)
def nothing_hangs(request):
    "An alarm: what takes longer than this has got stuck."

    def ring(*_):
        raise TimeoutError("this test hangs")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(300 if request.node.get_closest_marker("slow") else 60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("unbreakable")


def says_another_format(data):
    "Whether the first bytes are those of gzip, Parquet, Arrow or (after blanks) JSON."
    return data.removeprefix(BOM).lstrip().startswith(OTHER_FORMATS)


def put(path, data):
    "A file with this content, and its path."
    path.write_bytes(data)
    return path


def exact(nested):
    "Everything that matters of {query: {document: number}}: the order, and the very bits of the numbers."
    return [(q, d, struct.pack(">d", v + 0.0 if v == 0 else v)) for q, docs in nested.items() for d, v in docs.items()]


def refused(path, data, kind, error):
    "Check that an error names the file, a line that is wrong, and the value there, in one line."
    message = str(error)
    assert type(error) is DataError and message.startswith(str(path)) and "\n" not in message, message
    assert len(message) < len(str(path)) + 400
    with pytest.raises(reference.Refused) as expected:
        reference.read(data, kind)
    if faults := expected.value.faults:
        line = int(message.removeprefix(f"{path}, line ").split(":")[0].split(" ")[0])
        assert line in faults and faults[line] in message, (message, faults)


def agrees(path, data, kind):
    "Check that the package reads a file as the reference does, or refuses it where the reference does."
    try:
        got = READ[kind](put(path, data)).to_dict()
    except DataError as error:
        refused(path, data, kind, error)
    else:
        assert exact(got) == exact(reference.read(data, kind))


def approximately(scores):
    return {q: pytest.approx(values, abs=1e-12) for q, values in scores.items()}


# bytes and structure

field = st.one_of(
    st.text("ab1#\"'\0é\xa0\u2028-", min_size=1, max_size=18).map(str.encode),
    st.binary(min_size=1, max_size=12).map(lambda b: b.translate(None, b" \t\n\r\x0b\x0c") or b"_"),
    st.sampled_from([b"a", b"a\0", b"a\0\0", b"aaaaaaaa", b"aaaaaaaa\0", b"aaaaaaaab", b"#", b'"a', b"'", b"\xff\xfe", b"-"]),
    st.integers(1, 300).map(lambda n: b"x" * n),
)
blank = st.lists(st.sampled_from(BLANKS), min_size=1, max_size=3).map(b"".join)
decimal = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.decimals(-1000, 1000, places=6).map(str),
    st.integers(-(10**20), 10**20).map(str),
    st.text("0123456789", min_size=15, max_size=40).map("0.".__add__),
    st.sampled_from("1e-3 -0 inf -inf Infinity +2 .5 5. 1E5 1e400 -1e400 4.9e-324 2e-324 12345678901234567890 0.10000000000000000001".split()),
    st.sampled_from(["9007199254740993", "0." + "0" * 30 + "1", "00000000000000000001", "1_000", "179769313486231580793e289"]),
)
grade = st.one_of(st.integers(-2, 4).map(str), st.sampled_from("1.5 0.25 -0 1e0 3. 1000000 1_0 -7".split()))
no_number = st.sampled_from("nan NaN -nan x 1,5 0x10 1e 1__0 -- 1d5 ١ 1.2.3 . - + e5 infinit 1\0 \0".split(" "))


@st.composite
def trec(draw, kind, wrong=False):
    "The bytes of a file whose lines are right; with `wrong`, some may not be."
    queries = draw(st.lists(field, min_size=1, max_size=4, unique=True))
    pairs = draw(st.lists(st.tuples(st.sampled_from(queries), field), min_size=1, max_size=12, unique=not wrong))
    lines = []
    for query, doc in pairs:  # the queries in any order: one query may come back in many blocks
        number = draw(decimal if kind == "run" else grade).encode()
        if wrong and draw(st.integers(0, 12)) == 0:
            number = draw(no_number).encode()
        fields = [query, b"Q0", doc, number] if kind == "qrels" else [query, b"Q0", doc, draw(field), number, draw(field)]
        if wrong and draw(st.integers(0, 12)) == 0:
            fields = draw(st.permutations(fields + [b"more"] * draw(st.integers(0, 2))))[: draw(st.integers(1, 8))]
        lines.append(draw(st.sampled_from([b"", b" ", b"\t\r"])) + b"".join(f + draw(blank) for f in fields))
        lines += [b""] * (draw(st.integers(0, 9)) == 0)
    end = draw(st.sampled_from([b"\n", b"\r\n", b"\n\n", b" \n"]))
    data = draw(st.sampled_from([b"", b"\xef\xbb\xbf", b"\n\r\n"])) + end.join(lines) + draw(st.sampled_from([b"", end]))
    assume(not says_another_format(data) and not lines[0].lstrip().startswith(BOM))
    return data


@pytest.mark.parametrize("kind", READ)
def test_a_file_of_right_lines_is_read_as_the_reference_reads_it(folder, kind):
    @settings(max_examples=100)
    @given(trec(kind))
    def check(data):
        expected = reference.read(data, kind)
        assert exact(READ[kind](put(folder / f"right-{kind}", data)).to_dict()) == exact(expected)

    check()


@pytest.mark.parametrize("kind", READ)
def test_a_file_with_wrong_lines_is_refused_at_one_of_them(folder, kind):
    @settings(max_examples=100)
    @given(trec(kind, wrong=True))
    def check(data):
        agrees(folder / f"wrong-{kind}", data, kind)

    check()


@pytest.mark.parametrize("kind", READ)
def test_a_right_file_with_any_bytes_changed_is_read_as_the_reference_reads_it_or_refused(folder, kind):
    @settings(max_examples=100)
    @given(trec(kind), st.data())
    def check(data, more):
        changed = bytearray(data)
        for _ in range(more.draw(st.integers(1, 3))):
            at = more.draw(st.integers(0, len(changed)))
            changed[at : at + more.draw(st.integers(0, 4))] = more.draw(st.binary(max_size=4))
        assume(not says_another_format(changed))
        agrees(folder / f"changed-{kind}", bytes(changed), kind)

    check()


@pytest.mark.parametrize("kind", READ)
def test_any_bytes_at_all_are_read_as_the_reference_reads_them_or_refused(folder, kind):
    @settings(max_examples=100)
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
            return
        if not says_another_format(data) and b"," not in data.split(b"\n")[0]:
            assert exact(got) == exact(reference.read(data, kind))

    check()


@settings(max_examples=60)
@given(trec("qrels"), trec("run"), st.booleans())
def test_evaluate_gives_what_the_definitions_give_on_what_the_reference_reads(folder, qrels, run, shared):
    judgments, results = reference.read(qrels, "qrels"), reference.read(run, "run")
    if shared:  # at least one query and one document in common
        query, doc = next((q, d) for q, docs in results.items() for d in docs)
        if doc not in judgments.get(query, {}):
            qrels = qrels.rstrip() + b"\n%b 0 %b 1\n" % tuple(x.encode("utf-8", "surrogateescape") for x in (query, doc))
            judgments = reference.read(qrels, "qrels")
    files = put(folder / "qrels", qrels), put(folder / "run", run)
    if judgments.keys().isdisjoint(results):
        with pytest.raises(DataError, match="not one query in common"):
            evaluate(*files, MEASURES)
        return
    scores = evaluate(*files, MEASURES)
    assert scores.to_dict() == approximately(reference.evaluate(judgments, results))
    assert scores.to_dict() == evaluate(judgments, results, MEASURES).to_dict()  # and dicts give the same bits
    assert list(scores.query_ids) == list(judgments) and scores.unjudged == len(results.keys() - judgments.keys())


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


ids = st.text(min_size=1, max_size=10).filter(lambda t: t.isprintable() or "\0" in t) | st.sampled_from(["#", '"', "a,b", "\\", "é\0"])


@settings(max_examples=40)
@given(st.dictionaries(ids, st.dictionaries(ids, st.floats(allow_nan=False), min_size=1, max_size=4), min_size=1, max_size=3))
def test_every_format_and_every_object_gives_the_same_bits(folder, nested):
    for source in in_forms(folder, nested, "score"):
        assert exact(Run(source).to_dict()) == exact(nested), source


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


# one case after the other, as the issue lists them


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
@pytest.mark.parametrize("line", [b"# a comment", b"#", b"#q", b"   # a comment", b"q 0 a 1 # good", b"q Q0 c 3 1 tag # good"])
def test_a_comment_is_refused_at_its_line_as_trec_eval_has_given_comments_up(tmp_path, kind, line):
    data = {"qrels": QRELS, "run": RUN}[kind] + line + b"\n"
    what = "the score '#'" if len(line.split()) == reference.COLUMNS[kind] else f"{len(line.split())} column"
    with pytest.raises(DataError, match=f"line 3: {what}"):
        READ[kind](put(tmp_path / "file", data))


def test_a_line_that_begins_with_a_hash_and_has_all_its_columns_is_a_line_like_any_other(tmp_path):
    assert Run(put(tmp_path / "run", b"#1 Q0 a#2 1 0.5 #tag\n")).to_dict() == {"#1": {"a#2": 0.5}}
    assert Qrels(put(tmp_path / "qrels", b"# 0 # 1\n")).to_dict() == {"#": {"#": 1}}


ODD_IDS = {
    "not UTF-8": b"\xff\xfe\x80",
    "half a UTF-8 letter": b"caf\xc3",
    "a hash": b"#",
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
    assert exact(Run(run).to_dict()) == exact(reference.read(run.read_bytes(), "run"))
    assert evaluate(qrels, run, "AP").to_dict() == {reference.as_text(name): {"AP": (1 / 2 + 2 / 3) / 2}}


def test_ids_that_differ_only_in_a_nul_at_the_end_are_different(tmp_path):
    names = [b"a", b"a\0", b"a\0\0", b"aaaaaaaa", b"aaaaaaaa\0", b"aaaaaaaa" + bytes(8), b"\0", b"\0\0"]
    run = put(tmp_path / "run", b"".join(b"q Q0 %b 1 1 t\n" % n for n in names))
    assert list(Run(run).to_dict()["q"]) == [reference.as_text(n) for n in names]
    for place, name in enumerate(sorted(names, reverse=True), 1):  # all tied: the greatest id first
        assert evaluate(put(tmp_path / "qrels", b"q 0 %b 1\n" % name), run, "RR")["RR"] == [1 / place]


NUMBERS = """1e-3 1E-3 -0 0 +0 inf -inf Infinity -INFINITY 12345678901234567890 0.12345678901234567890 9007199254740993 1e308 1.7976931348623157e308
    1.7976931348623159e308 1e400 -1e400 5e-324 2.4703282292062327e-324 2.4703282292062328e-324 1e-400 .5 5. +.5 1_0 0.1 0.30000000000000004
    123456789012345.6 1234567890123456 12345678901234567 0.000000000000001 99999999.99999999 00012.500 -106.807 -.000 8.41234e+02""".split()


@pytest.mark.parametrize("text", [*NUMBERS, "0" * 4000 + "1", "0." + "3" * 4000, "1" * 4000])
def test_a_score_is_what_float_makes_of_it_to_the_last_bit(tmp_path, text):
    [[(_, value)]] = [d.items() for d in Run(put(tmp_path / "run", f"q Q0 d 1 {text} t\n".encode())).to_dict().values()]
    assert struct.pack(">d", value) == struct.pack(">d", float(text))


@pytest.mark.parametrize("text", ["nan", "NaN", "-nan", "+NAN", "x", "1,5", "0x1p3", "1e", "1__0", "_1", "١", "½", "1.2.3", ".", "-", "e5", "infinit", "1\0", "1\xa0"])
@pytest.mark.parametrize("kind", READ)
def test_what_float_refuses_and_nan_is_refused_with_line_and_value(tmp_path, kind, text):
    line = {"qrels": f"q 0 c {text}\n", "run": f"q Q0 c 1 {text} t\n"}[kind].encode()
    path = put(tmp_path / "file", {"qrels": QRELS, "run": RUN}[kind] + line)
    with pytest.raises(DataError) as error:
        READ[kind](path)
    assert str(error.value).startswith(f"{path}, line 3: the ") and repr(text) in str(error.value)


def test_infinite_scores_stand_first_and_last(tmp_path):
    run = put(tmp_path / "run", b"q Q0 low 1 -inf t\nq Q0 a 1 1e308 t\nq Q0 top 1 inf t\nq Q0 b 1 -1e308 t\n")
    for place, doc in enumerate([b"top", b"a", b"b", b"low"], 1):
        assert evaluate(put(tmp_path / "qrels", b"q 0 %b 1\n" % doc), run, "RR")["RR"] == [1 / place]
        assert evaluate({"q": {doc.decode(): 1}}, Run(run).to_dict(), "RR")["RR"] == [1 / place]


def test_minus_zero_and_zero_are_tied(tmp_path):
    run = put(tmp_path / "run", b"q Q0 a 1 0 t\nq Q0 b 2 -0 t\n")
    assert evaluate({"q": {"b": 1}}, run, "RR")["RR"] == evaluate({"q": {"b": 1}}, {"q": {"a": 0.0, "b": -0.0}}, "RR")["RR"] == [1.0]


@pytest.mark.parametrize("kind", READ)
def test_a_document_that_stands_twice_is_refused_with_both_lines(tmp_path, kind):
    line = {"qrels": QRELS, "run": RUN}[kind].splitlines()[0]
    for again in (line, line.replace(b" ", b"\t"), line[:-1] + b"7"):
        path = put(tmp_path / "file", {"qrels": QRELS, "run": RUN}[kind] + b"\nz 0 b 1\n"[: 9 * (kind == "qrels")] + again)
        with pytest.raises(DataError) as error:
            READ[kind](path)
        number = len(path.read_bytes().split(b"\n"))
        assert all(word in str(error.value) for word in (f"{path}, line {number}", "1)", repr(line.split()[2].decode()), "'q'"))


def test_a_query_in_two_blocks_is_one_query(tmp_path):
    run = put(tmp_path / "run", b"q Q0 b 1 3 t\nother Q0 a 1 9 t\nq Q0 a 1 2 t\nother Q0 b 1 8 t\nq Q0 c 1 4 t\n")
    qrels = put(tmp_path / "qrels", b"q 0 a 1\nother 0 b 1\nq 0 b 1\n")
    assert evaluate(qrels, run, "AP NumRet").to_dict() == {"q": {"AP": (1 / 2 + 2 / 3) / 2, "NumRet": 3.0}, "other": {"AP": 0.5, "NumRet": 2.0}}
    with pytest.raises(DataError, match="line 6.*twice in query 'q'"):
        Run(put(tmp_path / "run", run.read_bytes() + b"q Q0 b 1 1 t\n"))


@pytest.mark.parametrize("ranks", [b"2 1", b"1 1", b"-5 x", b"1.5 \xff", b"0 99999999999999999999"])
def test_ranks_that_contradict_the_scores_mean_nothing(tmp_path, ranks):
    first, second = ranks.split()
    run = put(tmp_path / "run", b"q Q0 b %b 2.5 tag\nq Q0 a %b 1.5 tag\n" % (first, second))
    assert evaluate({"q": {"a": 1}}, run, "RR")["RR"] == [0.5]


@pytest.mark.parametrize("kind", READ)
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 6, 7, 8, 100, 5000])
def test_fewer_or_more_columns_are_refused_with_their_number(tmp_path, kind, count):
    if count == reference.COLUMNS[kind]:
        return
    good = {"qrels": QRELS, "run": RUN}[kind]
    for data, line in ((b" ".join([b"1"] * count), 1), (good + b" ".join([b"1"] * count) + b"\n" + good, 3)):
        with pytest.raises(DataError, match=f"line {line}: {count:,}? column|line {line}: {count} column"):
            READ[kind](put(tmp_path / "file", data))


def test_long_ids_on_the_first_line_do_not_hide_the_tag(tmp_path):
    run = put(tmp_path / "run", b"%b Q0 %b 1 0.5 tag\n" % (b"q" * 40_000, b"d" * 40_000))
    assert Run(run).to_dict() == {"q" * 40_000: {"d" * 40_000: 0.5}} and Run(run).name == "tag"


# packed files


@settings(max_examples=100)
@given(st.data())
def test_a_gzip_file_cut_off_anywhere_is_refused(folder, data):
    packed = gzip.compress(RUN * 1 + b"".join(b"q%d Q0 d 1 0.%d tag\n" % (n, n) for n in range(300)))
    cut = data.draw(st.integers(0, len(packed) - 1))
    path = put(folder / "cut.gz", packed[:cut])
    with pytest.raises(DataError) as error:
        Run(path)
    assert str(error.value).startswith(str(path))


@settings(max_examples=100)
@given(st.integers(0), st.integers(1, 255))
def test_a_gzip_file_with_a_byte_changed_is_read_exactly_or_refused(folder, at, change):
    content = RUN + b"".join(b"q%d Q0 d 1 0.%d tag\n" % (n, n) for n in range(30))
    packed = bytearray(gzip.compress(content))
    packed[at % len(packed)] ^= change
    path = put(folder / "changed.gz", packed)
    with contextlib.suppress(DataError):
        assert exact(Run(path).to_dict()) == exact(reference.read(content, "run"))


BEHIND = {"garbage": b"garbage", "a magic number": b"\x1f\x8b", "half a header": b"\x1f\x8b\x08x", "text": RUN, "half a member": gzip.compress(RUN)[:20]}


@pytest.mark.parametrize("what", BEHIND)
def test_what_stands_behind_a_gzip_file_is_refused(tmp_path, what):
    path = put(tmp_path / "run.gz", gzip.compress(RUN) + BEHIND[what])
    with pytest.raises(DataError, match="gzip"):
        Run(path)


def test_gzip_members_in_a_row_and_zeros_behind_them_are_one_file(tmp_path):
    path = put(tmp_path / "run.gz", gzip.compress(RUN[:11]) + gzip.compress(b"") + gzip.compress(RUN[11:]) + bytes(512))
    assert exact(Run(path).to_dict()) == exact(reference.read(RUN, "run"))


CHILD = """
import os, resource, sys
memory = {memory}
if memory: resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
{code}
print("\\npeak", {peak})
"""
# The system's own ru_maxrss of a child begins with what its parent had; VmHWM, which only Linux has, does not.
PEAK = "int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0]) >> 10" if sys.platform == "linux" else "resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10"
FROM_CLI = "from irmetrics_nb.cli import main\ntry: main(sys.argv[1:])\nexcept SystemExit as e: print('exit', e.code)"


def child(code, *args, memory=0, timeout=50, env=os.environ, **more):
    "Run code in a process of its own, with a limit to its address space in bytes."
    threads = dict.fromkeys(["OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS", "OMP_NUM_THREADS"], "1")
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | more
    command = [sys.executable, "-c", CHILD.format(memory=memory, code=code, peak=PEAK), *map(str, args)]
    plain = {k: v for k, v in env.items() if not k.startswith("COV")}  # measuring coverage would need memory and files
    return subprocess.run(command, timeout=timeout, env=plain | threads, check=False, **pipes)


def peak(done):
    "The most memory that a child had, in MB."
    return int(done.stdout.rsplit("peak", 1)[1])


BOMBS = {
    "zeros": bytes(8 << 20),
    "blanks": b" " * (8 << 20),
    "empty lines": b"\r\n" * (4 << 20),
    "one id without end": b"x" * (8 << 20),
    "columns without end": b"1 " * (4 << 20),
    "CSV without end": b"query_id,doc_id,score\n" + b"," * (8 << 20),
    "JSON without end": b'{"q": {"a": 1' + b" " * (8 << 20),
}


@pytest.mark.parametrize("side", READ)
@pytest.mark.parametrize("kind", BOMBS)
def test_a_zip_bomb_is_refused_in_less_memory_than_it_holds(tmp_path, kind, side):
    bomb = put(tmp_path / "bomb.gz", gzip.compress(BOMBS[kind], 1) * 64)  # 512 MB in two or three
    assert bomb.stat().st_size < 3e6
    qrels, run = put(tmp_path / "qrels", QRELS), put(tmp_path / "run", RUN)
    done = child(FROM_CLI, "evaluate", *{"qrels": (bomb, run), "run": (qrels, bomb)}[side], memory=3 << 30)
    assert "exit 1" in done.stdout and done.stderr.startswith(f"irmetrics: error: {bomb}") and done.stderr.count("\n") == 1
    assert peak(done) < 300


def test_a_bomb_of_rows_is_refused_and_a_file_that_packs_well_is_not(tmp_path):
    rows = gzip.compress(b"q 0 a 1\n" * (1 << 20))
    with pytest.raises(DataError, match="twice"):
        Qrels(put(tmp_path / "small.gz", rows))
    with pytest.raises(DataError, match="this file unpacks to more than 50 times its size"):
        Qrels(put(tmp_path / "bomb.gz", rows * 9))
    assert len(Qrels(put(tmp_path / "good.gz", gzip.compress(b"".join(b"q%d 0 a 1\n" % n for n in range(100_000)))))) == 100_000


def test_what_does_not_fit_into_memory_is_told_without_a_traceback(tmp_path):
    large = put(tmp_path / "run.json", b'{"q": {"a": 1')
    os.truncate(large, 1 << 30)
    done = child(FROM_CLI, "evaluate", put(tmp_path / "qrels", QRELS), large, memory=700 << 20)
    assert "exit 1" in done.stdout and "Traceback" not in done.stderr, done.stderr[-500:]
    assert done.stderr.splitlines()[-1] == "irmetrics: error: there is not enough memory"  # CPython may add a word of its own before


# what is no file, and what does not hold still


def test_a_directory_a_device_a_socket_and_a_missing_file_are_refused_by_name(tmp_path):
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(tmp_path)  # the name of a socket is short
        server.bind("socket")
        for path in (tmp_path, "/dev/zero", "/dev/null", "/dev/full", "/dev/urandom", tmp_path / "socket", tmp_path / "none", tmp_path / "file" / "in", "a\0b", ""):
            put(tmp_path / "file", RUN)
            for kind in READ.values():
                with pytest.raises(DataError) as error:
                    kind(path)
                assert str(path) in str(error.value) or repr(path) in str(error.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_refused(tmp_path):
    put(tmp_path / "run", RUN).chmod(0)
    with pytest.raises(DataError, match="no permission"):
        Run(tmp_path / "run")


def test_a_pipe_that_stops_in_the_middle_of_a_line_is_refused(tmp_path):
    code = "from irmetrics_nb import Run, DataError\ntry: print(len(Run('/dev/stdin')))\nexcept DataError as e: print(e)"
    done = subprocess.run([sys.executable, "-c", code], input=RUN[:-7], capture_output=True, timeout=50, check=True)
    assert done.stdout.startswith(b"/dev/stdin, line 2: 5 columns")


CHANGING = """
from irmetrics_nb import Qrels, DataError
import irmetrics_nb.io, irmetrics_nb.data
path, when, how = sys.argv[1:]
done = False

def change():
    if how == 'truncated': os.truncate(path, int(os.path.getsize(path) * .6))
    elif how == 'emptied': os.truncate(path, 0)
    elif how == 'growing':
        with open(path, 'ab') as f: f.write(b''.join(b'more 0 d%d 1\\n' % n for n in range(9999)))
    elif how == 'torn': os.truncate(path, os.path.getsize(path) - 2)
    else:
        with open(path, 'r+b') as f:
            new = f.read().replace(b' 11\\n', b' 22\\n')
            f.seek(0)
            f.write(new)

def watch(frame, event, function):
    global done
    if event != 'c_return' or done or 'irmetrics_nb' not in frame.f_code.co_filename: return
    if function.__name__ in {'stat': ('fstat', 'stat', 'lstat'), 'read': ('peek', 'read', 'readinto', 'readinto1', 'preadv', 'pread')}[when]:
        done = True
        sys.setprofile(None)
        change()

sys.setprofile(watch)
try: got = Qrels(path).to_dict()
except DataError as e: print('refused', str(e).startswith(path), e)
else: print('grades', sorted({g for docs in got.values() for g in docs.values()}), sum(map(len, got.values())))
sys.setprofile(None)
print('changed', done)
"""


CHANGES = ["truncated", "emptied", "growing", "torn", "rewritten"]


@pytest.mark.parametrize("how", CHANGES)
@pytest.mark.parametrize("when", ["stat", "read"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_changes_while_it_is_read_is_refused_or_read_as_it_was_or_as_it_is(tmp_path, when, how, packed):
    before = b"".join(b"q%d 0 d%d 11\n" % (n // 100, n) for n in range(80_000))
    path = put(tmp_path / "qrels", gzip.compress(before, 0) if packed else before)
    os.utime(path, (1e9, 1e9))  # written long ago: a change shows in the time too
    done = child(CHANGING, path, when, how)
    assert done.returncode == 0 and done.stderr == "", done.stderr[-500:]
    assert "changed True" in done.stdout  # or the test would show nothing
    words = done.stdout.splitlines()[0]
    if words.startswith("refused"):
        assert words.startswith("refused True")
        return
    now = path.read_bytes()
    states = {f"grades [11] {before.count(10)}"}
    if not packed:
        with contextlib.suppress(reference.Refused):
            grades = [g for docs in reference.read(now, "qrels").values() for g in docs.values()]
            states.add(f"grades {sorted({int(g) for g in grades})} {len(grades)}")
    assert words in states


def test_a_file_that_another_process_keeps_writing_is_refused_or_read_in_whole_lines(tmp_path):
    path = put(tmp_path / "qrels", b"q 0 d-first 11\n")
    code = """if 1:
        import os, sys, itertools
        for round in itertools.count():
            with open(sys.argv[1], 'r+b', buffering=0) as f:
                f.truncate(15)
                f.seek(15)
                for n in range(300): f.write(b''.join(b'q 0 d%d 11\\n' % m for m in range(n * 100, n * 100 + 100)))
    """
    writer = subprocess.Popen([sys.executable, "-c", code, path])
    try:
        end, lengths = time.monotonic() + 1.5, set()
        while time.monotonic() < end:
            try:
                got = Qrels(path).to_dict()
            except DataError as error:
                assert str(error).startswith(str(path))
                continue
            assert list(got) == ["q"] and set(got["q"].values()) == {11}
            assert list(got["q"]) == ["d-first", *(f"d{n}" for n in range(len(got["q"]) - 1))]
            lengths.add(len(got["q"]))
        assert writer.poll() is None
    finally:
        writer.kill()
        writer.wait()


# values


@pytest.mark.parametrize("score", [math.nan, float("-nan"), np.float32("nan"), None, "nan", "x", 10**400, [], {}])
def test_a_score_that_is_no_number_is_refused_in_objects_too(score):
    for source in ({"q": {"a": 1.0, "b": score}}, [("q", "a", 1.0), ("q", "b", score)]):
        with pytest.raises(DataError, match="query 'q', document 'b': the score"):
            evaluate({"q": {"a": 1}}, source)


@pytest.mark.parametrize("grade", [2**53, 2**63, 2**64, 10**30, -(10**30), 10**300])
def test_grades_beyond_the_range_of_whole_numbers_are_kept(tmp_path, grade):
    qrels = put(tmp_path / "qrels", f"q 0 a {grade}\nq 0 b 1\n".encode())
    for source in (qrels, {"q": {"a": grade, "b": 1}}):
        assert Qrels(source).to_dict() == {"q": {"a": float(grade), "b": 1}}
        scores = evaluate(source, RUN_AS_DICT, "CG nDCG P@1", negative="keep")
        assert scores["CG"] == [float(grade) + 1]


RUN_AS_DICT = {"q": {"b": 2.5, "a": 1.5}}


@settings(max_examples=100)
@given(st.lists(st.floats(0, 1.7976931348623157e308), min_size=1, max_size=6))
@example([1.7e308, 1.7e308, 1.7e308])
@example([5e-324, 5e-324])
def test_ndcg_of_huge_or_tiny_grades_is_right_or_refused(grades):
    qrels = {"q": {f"d{n}": g for n, g in enumerate(grades)}}
    run = {"q": {f"d{n}": float(n) for n in range(len(grades))}}
    top = max(grades) or 1.0
    small = [g / top for g in grades]  # nDCG does not change with the unit of the gain

    def dcg(gains):
        return math.fsum(g / math.log2(i + 1) for i, g in enumerate(gains, 1))

    best = dcg(sorted(small, reverse=True))
    try:
        [value] = evaluate(qrels, run, "nDCG")["nDCG"]
    except ValueError as error:
        assert "grade" in str(error)
    else:
        assert value == pytest.approx(dcg(small[::-1]) / best if best else 0.0, rel=1e-9)


@pytest.mark.parametrize("grade", [1024, 2000, 1e30])
@pytest.mark.parametrize("measure", ["nDCG(gain='exp')", "DCG(gain='exp')@3"])
def test_a_grade_too_large_for_two_to_its_power_is_refused_with_its_value(grade, measure):
    with pytest.raises(ValueError, match=f"{grade:g}".replace("+", r"\+")):
        evaluate({"q": {"a": grade}}, RUN_AS_DICT, measure)


@pytest.mark.parametrize("grade", [53, 1024, 2000, 1e30])
def test_a_reader_who_finds_the_greatest_grade_of_all_is_satisfied_however_great_it_is(grade):
    assert evaluate({"q": {"a": grade}}, RUN_AS_DICT, "ERR")["ERR"] == pytest.approx([0.5])


def test_a_query_without_relevant_documents_scores_zero_under_every_measure():
    from irmetrics_nb.measures import KINDS

    scores = evaluate({"q": {"a": 0, "b": -1}, "r": {"a": 1}}, RUN_AS_DICT | {"r": {"a": 1}}, [k for k in KINDS if k not in ("NumRet", "Judged")])
    assert scores.no_relevant == 1
    assert {m: v for m, v in scores.to_dict()["q"].items() if v != 0} == {}


@pytest.mark.parametrize("k", [1, 2, 3, 1000, 10**9, 2**31, 2**62])
def test_a_cutoff_beyond_the_list_counts_the_places_nobody_filled_as_misses(k):
    scores = evaluate({"q": {"a": 1, "c": 1}}, RUN_AS_DICT, f"P@{k} R@{k} AP@{k} nDCG@{k} RR@{k}").to_dict()["q"]
    hits = int(k >= 2)
    best = 1 + (1 / math.log2(3) if k > 1 else 0)
    assert scores == pytest.approx({f"P@{k}": hits / k, f"R@{k}": hits / 2, f"AP@{k}": hits / 4, f"RR@{k}": hits / 2, f"nDCG@{k}": hits / math.log2(3) / best})


def test_one_query_with_one_document_is_enough():
    assert evaluate({"q": {"d": 1}}, {"q": {"d": 0.0}}, MEASURES).means == {"AP": 1, "RR": 1, "P@5": 0.2, "R@5": 1, "nDCG@5": 1, "NumRet": 1}
    assert evaluate({"q": {"d": 1}}, {"q": {"e": 0.0}}, MEASURES).means == {"AP": 0, "RR": 0, "P@5": 0, "R@5": 0, "nDCG@5": 0, "NumRet": 1}


@pytest.mark.parametrize("name", ["\ud800", "a\udfff", "\udc00"])
def test_an_id_that_cannot_be_written_as_bytes_is_refused_or_kept(tmp_path, name):
    "Half of a surrogate pair is no letter; only those by which Python writes single bytes have a meaning."
    path = put(tmp_path / "run.json", json.dumps({"q": {name: 1.0, "b": 2.0}}).encode())
    for source in (path, {"q": {name: 1.0, "b": 2.0}}, [("q", name, 1.0), ("q", "b", 2.0)]):
        try:
            assert evaluate({"q": {"b": 1}}, source, "RR")["RR"] == [1.0]
        except DataError as error:
            assert repr(name) in str(error)


@settings(max_examples=100)
@given(st.one_of(st.text(max_size=60), st.text("APnDCG@()=10'.,relx- ", max_size=30)))
@example("AP(rel=" + "-" * 900 + "1)")
def test_any_text_is_a_list_of_measures_or_one_clear_error(text):
    try:
        measures = parse_all(text)
    except ValueError as error:
        assert str(error)
    else:
        assert parse_all(" ".join(map(repr, measures))) == measures


@pytest.mark.parametrize("text", ["AP(" * 5000, "nDCG@" + "1" * 5000, "x" * 100_000])
def test_a_text_too_long_for_a_measure_is_not_repeated_in_full_by_its_error(text):
    with pytest.raises(ValueError) as error:
        parse_all(text)
    assert len(str(error.value)) < 2000


def test_a_cutoff_beyond_all_floats_is_refused_or_counts_as_one():
    with contextlib.suppress(ValueError):
        assert evaluate({"q": {"a": 1}}, RUN_AS_DICT, "R@1" + "0" * 400).means == {"R@1" + "0" * 400: 1}
        parse_all("P@1" + "0" * 400)


# large ones


LARGE = """
from irmetrics_nb import evaluate
print(evaluate(sys.argv[1], sys.argv[2], 'AP RR NumRet').means)
"""


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["a million documents in one query", "a million queries with one document"])
def test_a_million_rows_of_either_shape_take_memory_in_proportion(tmp_path, shape):
    n = 1_000_000
    if shape.startswith("a million d"):
        run = b"".join(b"q Q0 d%d %d %d.5 tag\n" % (i, i, n - i) for i in range(n))
        qrels, expected = b"q 0 d499999 1\nq 0 d999999 1\n", {"AP": (1 / 500_000 + 2 / n) / 2, "RR": 1 / 500_000, "NumRet": n}
    else:
        run = b"".join(b"q%d Q0 d 1 0.5 tag\n" % i for i in range(n))
        qrels = b"".join(b"q%d 0 %b 1\n" % (i, b"de"[i % 2 : i % 2 + 1]) for i in range(n))
        expected = {"AP": 0.5, "RR": 0.5, "NumRet": n}
    files = put(tmp_path / "qrels", qrels), put(tmp_path / "run", run)
    start = time.monotonic()
    done = child(LARGE, *files, timeout=200)
    assert ast.literal_eval(done.stdout.splitlines()[0]) == pytest.approx(expected, rel=1e-12)
    assert peak(done) < 150 + 20 * (len(run) + len(qrels)) / 2**20
    assert time.monotonic() - start < 100  # nothing quadratic: that would take hours


def test_memory_is_given_back_after_each_evaluation(tmp_path):
    files = put(tmp_path / "qrels", b"q1 0 d1 1\n"), put(tmp_path / "run", b"".join(b"q%d Q0 d%d 1 0.5 tag\n" % (i // 100, i) for i in range(20_000)))
    held = []
    for _ in range(4):
        tracemalloc.start()
        evaluate(*files, "AP RR")
        held.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
    assert min(held[1:]) < 200_000  # of half a megabyte of text


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["one score for all", "ids of a thousand letters", "a query per block", "scores that are no plain decimals"])
def test_unlucky_data_take_no_more_than_linear_time(tmp_path, shape):
    def rows(n):
        for i in range(n):
            yield {
                "one score for all": b"q Q0 d%d 1 1 t\n" % i,
                "ids of a thousand letters": b"q Q0 %b%d 1 1 t\n" % (b"x" * 1000, i),
                "a query per block": b"q%d Q0 d%d 1 1 t\n" % (i % 97, i),
                "scores that are no plain decimals": b"q Q0 d%d 1 %de-3 t\n" % (i, i),
            }[shape]

    def seconds(n):
        path = put(tmp_path / "run", b"".join(rows(n)))
        judged = {"q": {path.read_bytes().split()[2].decode(): 1}, "q0": {"d0": 1}}
        times = []
        for _ in range(3):
            start = time.process_time()
            evaluate(judged, path, "AP")
            times.append(time.process_time() - start)
        return min(times)

    n = 4000 if shape.startswith("ids") else 60_000
    assert seconds(8 * n) < 8 * 5 * seconds(n)  # quadratic: 64 times


# output


@pytest.fixture
def files(tmp_path):
    n = 3000
    put(tmp_path / "qrels", b"".join(b"q%d 0 a 1\n" % i for i in range(n)))
    put(tmp_path / "run", b"".join(b"q%d Q0 a 1 1 t\n" % i for i in range(n)))
    return tmp_path


KILLED = """
from irmetrics_nb.cli import main
import signal
left, *args = sys.argv[1:]
left, folder = int(left), os.path.dirname(args[-1])

def count(frame, event, function):
    global left
    if event == 'c_call' and left:
        left -= 1
        if not left: os.kill(os.getpid(), signal.SIGKILL)

def opened(event, args):
    if event == 'open' and str(args[0]).startswith(folder + '/out'): sys.setprofile(count)

sys.addaudithook(opened)
try: main(args)
except SystemExit: pass
sys.setprofile(None)
"""


def test_a_process_killed_in_the_middle_of_writing_leaves_the_old_file_whole_or_the_new_one(files):
    "Killed at the first, third, sixth ... call of a C function after the new file has been opened."
    out, seen = files / "out.json", []
    for call in (10**9, 1, 3, 6, 9, 12, 16, 24):
        put(out, b"old")
        done = child(KILLED, call, "evaluate", files / "qrels", files / "run", "--per-query", "--format", "json", "--output", out)
        seen.append((done.returncode, out.read_bytes()))
        for rest in files.glob("out.json?*"):
            rest.unlink()
    (code, new), *killed = seen
    assert code == 0 and len(json.loads(new)[0]["per_query"]) == 3000
    assert (-signal.SIGKILL, b"old") in killed
    assert {content for _, content in killed} <= {b"old", new}


def test_a_process_told_to_stop_in_the_middle_of_writing_leaves_nothing_beside_the_old_file_or_the_new_one(files):
    "As before, but with SIGTERM, which gives time to clean up."
    out, seen = files / "out.json", set()
    for call in range(1, 24, 3):
        put(out, b"old")
        done = child(KILLED.replace("SIGKILL", "SIGTERM").replace("except SystemExit: pass", "except SystemExit as e: print('exit', e.code)"),
                     call, "evaluate", files / "qrels", files / "run", "--per-query", "--format", "json", "--output", out)
        assert done.stderr == "" and [p.name for p in files.iterdir() if p.name.startswith("out")] == ["out.json"], (call, done.stderr)
        seen.add((done.returncode or done.stdout.splitlines()[0], out.read_bytes() == b"old"))
    assert ("exit 143", True) in seen
    assert seen <= {("exit 143", True), ("exit 143", False), ("exit 0", False), (-signal.SIGTERM, False)}


def test_a_full_disk_ends_with_one_line_and_the_old_file_whole_and_nothing_beside_it(files):
    out = put(files / "out.csv", b"old")
    code = "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))\n" + FROM_CLI
    done = child(code, "evaluate", files / "qrels", files / "run", "--per-query", "--format", "csv", "--output", out)
    assert "exit 1" in done.stdout and done.stderr.startswith("irmetrics: error: ") and done.stderr.count("\n") == 1
    assert out.read_bytes() == b"old" and sorted(p.name for p in files.iterdir()) == ["out.csv", "qrels", "run"]


def test_an_output_that_is_a_pipe_or_a_directory_is_never_replaced_by_a_file(files):
    os.mkfifo(files / "pipe")
    (files / "folder").mkdir()
    reader = os.open(files / "pipe", os.O_RDONLY | os.O_NONBLOCK)  # so that writing into it would not wait
    try:
        for name, is_kind in (("pipe", stat.S_ISFIFO), ("folder", stat.S_ISDIR)):
            child(FROM_CLI, "evaluate", files / "qrels", files / "run", "--output", files / name)
            assert is_kind((files / name).stat().st_mode)
    finally:
        os.close(reader)


def test_a_link_as_output_stays_a_link_and_what_it_leads_to_is_written(files):
    put(files / "target.csv", b"old")
    (files / "link.csv").symlink_to("target.csv")
    child(FROM_CLI, "evaluate", files / "qrels", files / "run", "--format", "csv", "--output", files / "link.csv")
    assert (files / "link.csv").is_symlink() and b"AP" in (files / "target.csv").read_bytes()


MAIN = "from irmetrics_nb.cli import main\nmain(sys.argv[1:])"
BUFFERED = {"env": {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}}
COMMANDS = {"a short table": ["evaluate", "qrels", "run"], "every query": ["evaluate", "qrels", "run", "--per-query"], "measures": ["measures"]}


@pytest.mark.parametrize("what", COMMANDS)
def test_a_full_device_as_output_is_told_in_one_line(files, what):
    with open("/dev/full", "w") as full:
        done = child(MAIN, *COMMANDS[what], stdout=full, cwd=files, **BUFFERED)
    assert done.returncode == 1 and done.stderr.startswith("irmetrics: error: ") and done.stderr.count("\n") == 1, done.stderr


@pytest.mark.parametrize("what", COMMANDS)
def test_a_reader_that_goes_away_is_no_traceback(files, what):
    reader, writer = os.pipe()
    os.close(reader)  # as `head` does when it has seen enough
    with open(writer, "w") as pipe:
        done = child(MAIN, *COMMANDS[what], stdout=pipe, cwd=files, **BUFFERED)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("format", ["table", "csv", "json"])
def test_ids_that_are_not_utf_8_come_out_as_the_bytes_they_came_in(tmp_path, format):
    qrels, run = put(tmp_path / "qrels", b"caf\xe9 0 a 1\n"), put(tmp_path / "run", b"caf\xe9 Q0 a 1 1 t\xff\n")
    args = ["evaluate", qrels, run, "--per-query", "--format", format]
    done = child(FROM_CLI, *args, text=False)
    assert b"exit 0" in done.stdout and b"caf\xe9" in done.stdout, done.stderr[-300:]
    child(FROM_CLI, *args, "--output", tmp_path / "out")
    assert b"caf\xe9" in (tmp_path / "out").read_bytes()


def test_ids_that_are_not_utf_8_are_shown_in_tables_or_refused_by_name(tmp_path):
    scores = evaluate(put(tmp_path / "qrels", b"caf\xe9 0 a 1\n"), put(tmp_path / "run", b"caf\xe9 Q0 a 1 1 t\n"), "AP")
    for use in (lambda: scores.per_query["query_id"][0], lambda: scores.to_pandas().index[0], lambda: render(scores, "csv", True), lambda: Run({"caf\udce9": {"a": 1}}).to_polars()["query_id"][0]):
        try:
            assert "caf" in use()
        except DataError as error:
            assert "caf" in str(error)
