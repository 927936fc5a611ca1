"Text that is nearly TREC: two and five columns, headers with blanks, LETOR lines, and formats that are refused by name."
import numpy as np
import pytest
from helpers import irmetrics, put

from irmetrics_nb import DataError, Qrels, Run, check, evaluate
from irmetrics_nb.data.recognition import read_batches

RUN = b"1 Q0 b 1 2.5 t\n1 Q0 a 2 1.5 t\n2 Q0 b 1 .5 t\n"
# RR: a is second for query 1, b first for query 2
VALUE = (1 / 2 + 1) / 2


def value(qrels, run):
    "The mean RR in Python and by the command, which must agree; also of two runs, and of standard input."
    assert evaluate(qrels, {"x": run, "y": run}, "RR").values.mean(-1).ravel().tolist() == [VALUE, VALUE]
    assert check(qrels, run).ok
    for args, stdin in ((qrels, run), b""), (("-", run), qrels.read_bytes()), ((qrels, "-"), run.read_bytes()):
        done = irmetrics("evaluate", *args, "-m", "RR", stdin=stdin)
        assert done.returncode == 0 and f"{VALUE:.4f}" in done.stdout, done.stderr
    return evaluate(qrels, run, "RR").means["RR"]


def error_of(kind, path):
    with pytest.raises(DataError) as error:
        kind(path)
    message = str(error.value)
    assert message.startswith(str(path)) and message.count(str(path)) == 1 and "\n" not in message
    return message


@pytest.mark.parametrize("text", [b"1\ta\n2\tb\n", b"# pairs\r\n1 a\r\n\r\n2  b", b"\xef\xbb\xbf1 a\n2 b\n"])
def test_two_columns_are_relevant_documents(tmp_path, text):
    qrels = put(tmp_path / "q.tsv", text)
    assert Qrels(qrels).to_dict() == {"1": {"a": 1}, "2": {"b": 1}}
    assert value(qrels, put(tmp_path / "run", RUN)) == VALUE
    assert "without grades" in repr(evaluate(qrels, tmp_path / "run", "RR"))


def test_two_columns_are_judgments_only_if_all_lines_have_them(tmp_path):
    path = put(tmp_path / "q", b"1 a\n2 0 b 1\n")
    assert "line 1: 2 columns, but judgments have 4 (query iteration document relevance)" in error_of(Qrels, path)
    late = put(tmp_path / "late", b"".join(b"q%d d\n" % n for n in range(20_000)) + b"q x y\n")
    assert "line 20001: 3 columns, but the first line has 2" in error_of(Qrels, late)
    twice = put(tmp_path / "twice", b"1 a\n1 a\n")
    assert "line 2 (and 1): duplicate document 'a' in query '1'" in error_of(Qrels, twice)
    run = error_of(Run, put(tmp_path / "pairs", b"1 a\n2 b\n"))
    assert "line 1: 2 columns, but a run has 6 (query Q0 document rank score tag)" in run


@pytest.mark.parametrize("start", [0, 1])
def test_a_run_without_tags_is_read_if_its_ranks_are_certain(tmp_path, start):
    text = b"1 Q0 b %d 2.5\n1 Q0 a %d 1e0\n2 Q0 b %d .9\n" % (start, start + 1, start)
    run = put(tmp_path / "five.run", text)
    assert Run(run).to_dict() == {"1": {"b": 2.5, "a": 1}, "2": {"b": 0.9}} and Run(run).name == "five"
    assert value(put(tmp_path / "qrels", b"1 0 a 1\n2 0 b 1\n"), run) == VALUE
    assert sum(map(len, read_batches(run, size=1))) == 3


UNCERTAIN = {
    "scores and a numeric tag": b"1 Q0 a 7 1\n1 Q0 b 5 1\n",
    "scores that are not integers": b"1 Q0 a .9 tag\n",
    "another second column": b"1 0 a 1 .2\n1 0 b 2 .1\n",
}


@pytest.mark.parametrize("name", UNCERTAIN)
def test_a_run_without_tags_is_refused_if_its_columns_are_uncertain(tmp_path, name):
    path = put(tmp_path / "five", UNCERTAIN[name])
    hint = "5 columns, but a run has 6 (query Q0 document rank score tag); without tags, column 2 must be Q0, and column 4 the rank, from 0 or 1"
    assert error_of(Run, path).endswith(f"line 1: {hint}")
    done = irmetrics("evaluate", put(tmp_path / "qrels", b"1 0 a 1\n"), path)
    assert done.returncode == 1 and hint in done.stderr and done.stderr.count("\n") == 1


HEADERS = {
    "names of TREC": (b"qid iter docid rel\n1 0 a 1\n2 0 b 1\n", b"qid q0 docid rank score tag\n1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n2 Q0 b 1 1 t\n"),
    "names of BEIR": (b"query-id  corpus-id   score\n1 a 1\n\n2  b 1", b"query-id corpus-id score\r\n1 b 2\r\n1 a 1\r\n2 b 1\r\n"),
    "a rank and no score": (b"topic docno grade\n1 a 1\n2 b 1\n", b"topic docno rank\n1 b 1\n1 a 2\n2 b 1\n"),
}


@pytest.mark.parametrize("name", HEADERS)
def test_a_header_with_blanks_names_the_columns(tmp_path, name):
    qrels, run = (put(tmp_path / kind, text) for kind, text in zip(("qrels", "run"), HEADERS[name], strict=True))
    assert value(qrels, run) == VALUE
    assert sum(map(len, read_batches(run, size=1))) == 3


def test_a_header_is_not_a_row_with_numbers(tmp_path):
    assert Qrels(put(tmp_path / "q", b"qid 0 docid 1\n")).to_dict() == {"qid": {"docid": 1}}
    assert Run(put(tmp_path / "r", b"query Q0 document 1 2 t\n")).to_dict() == {"query": {"document": 2}}
    assert "line 3: 3 fields, but the header has 4" in error_of(Qrels, put(tmp_path / "h", b"qid iter docid rel\n1 0 a 1\n1 0 b\n"))
    named = Qrels(put(tmp_path / "n", b"t d g\n1 a 2\n"), columns={"query": "t", "document": "d", "relevance": "g"})
    assert named.to_dict() == {"1": {"a": 2}}
    words = Qrels(put(tmp_path / "w", b"qid docid rel\n1 a Exact\n1 b No\n"), grades={"Exact": 3, "No": 0})
    assert words.to_dict() == {"1": {"a": 3, "b": 0}}


LETOR = b"0 qid:1 1:3 2:0 #docid = b inc = 1 prob = 0.0246\n2 qid:1 1:3 2:.5 #docid = a inc = 1 prob = 0.5\n\n1 qid:2 1:-1 #docid=b\n"


def test_letor_lines_are_judgments_of_the_documents_in_their_comments(tmp_path):
    qrels = put(tmp_path / "let.txt", LETOR)
    assert Qrels(qrels).to_dict() == {"1": {"b": 0, "a": 2}, "2": {"b": 1}}
    assert value(qrels, put(tmp_path / "run", RUN)) == VALUE
    # nDCG@2 of query 1: (2 / log2 3) / 2
    assert evaluate(qrels, tmp_path / "run", "nDCG@2").values[0, 0].tolist() == [pytest.approx(1 / np.log2(3)), 1]
    missing = put(tmp_path / "missing", LETOR + b"1 qid:3 1:2 2:5\n")
    assert "line 5: this LETOR line has no document id, such as #docid = d7" in error_of(Qrels, missing)
    assert "line 1: this LETOR line" in error_of(Qrels, put(tmp_path / "bare", b"2 qid:10 1:.3 2:0\n1 qid:10 1:.2 2:0\n"))
    assert "these LETOR lines (grade qid:query feature:value) are judgments, not a run" in error_of(Run, qrels)
    assert Qrels(put(tmp_path / "trec", b"q qid:1 3:4 2\n")).to_dict() == {"q": {"3:4": 2}}


def test_judgments_of_a_sample_are_refused_by_name(tmp_path):
    path = put(tmp_path / "prels", b"1 clueweb09-en0003-55-31884 0 0 1\n1 clueweb09-en0006-21-20387 2 1 .5\n")
    message = error_of(Qrels, path)
    assert "line 1: 5 columns, but judgments have 4" in message and "if these are prels (query document grade method probability)" in message
    assert message.endswith("for the grades alone, write columns={'query': 1, 'document': 2, 'relevance': 3}")
    done = irmetrics("evaluate", path, put(tmp_path / "run", RUN))
    assert done.returncode == 1 and done.stderr.endswith("write --columns query=1,document=2,grade=3\n")
    columns = {"query": 1, "document": 2, "relevance": 3}
    assert Qrels(path, columns=columns).to_dict() == {"1": {"clueweb09-en0003-55-31884": 0, "clueweb09-en0006-21-20387": 2}}
