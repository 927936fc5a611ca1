"Large runs: memory and time in proportion, nothing kept afterwards."
import ast
import time
import tracemalloc

import pytest
from helpers import (
    child,
    peak,
    put,
)

from irmetrics_nb import evaluate

pytestmark = [pytest.mark.usefixtures("nothing_hangs"), pytest.mark.no_cover]  # they measure time and memory themselves

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


@pytest.mark.filterwarnings("ignore::irmetrics_nb.EvaluationWarning")  # the judged document is one of another query
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
                "scores that are no plain decimals": b"q Q0 d%d 1 %de-3 t\n" % (i, n - i),
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
