"Grades that are words: mapped to numbers in each form of input, and otherwise an error that lists them."
import json
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers import irmetrics, put

from irmetrics_nb import DataError, Qrels, Run, check, evaluate
from irmetrics_nb.data.text import PIECE_BYTES

ROWS = [("q", "a", "Exact"), ("q", "b", "Partial"), ("q", "c", "No"), ("r", "a", "Partial"), ("r", "7", "Exact")]
GRADES = {"Exact": 3, "Partial": 0.5, "No": 0}
EXPECTED = {"q": {"a": 3, "b": 0.5, "c": 0}, "r": {"a": 0.5, "7": 3}}
RUN = {"q": ["c", "b", "a"], "r": ["7"]}
# nDCG@3 of q: (.5 / log2 3 + 3 / 2) / (3 + .5 / log2 3); of r: 3 / (3 + .5 / log2 3)
IDEAL = 3 + 0.5 / np.log2(3)
NDCG = ((0.5 / np.log2(3) + 1.5) / IDEAL + 3 / IDEAL) / 2
TREC = "".join(f"{q} 0 {d} {g}\n" for q, d, g in ROWS).encode()
FOUND = "'Exact', 'No', 'Partial'"


def nested():
    docs = {"q": {}, "r": {}}
    for query, doc, grade in ROWS:
        docs[query][doc] = grade
    return docs


def table():
    return pl.DataFrame(ROWS, schema=["query_id", "doc_id", "relevance"], orient="row")


def files(folder):
    yield put(folder / "q.qrels", TREC)
    yield put(folder / "q.json", json.dumps(nested()).encode())
    yield put(folder / "rows.json", json.dumps(ROWS).encode())
    yield put(folder / "q.jsonl", "".join(json.dumps(row) + "\n" for row in table().to_dicts()).encode())
    table().write_csv(folder / "q.csv")
    table().write_parquet(folder / "q.parquet")
    yield from (folder / "q.csv", folder / "q.parquet")


def objects():
    frame = table()
    yield from (nested(), list(ROWS), iter(ROWS), frame.to_dicts(), frame, frame.lazy(), frame.to_pandas(), frame.to_arrow())
    yield frame.to_dict(as_series=False)
    yield frame.with_columns(pl.col("relevance").cast(pl.Categorical))
    yield frame.to_pandas().astype({"relevance": "category"})


def test_each_form_maps_words_to_numbers(tmp_path):
    run = tmp_path / "run.json"
    put(run, json.dumps(RUN).encode())
    for source in (*files(tmp_path), *objects()):
        qrels = Qrels(source, grades=GRADES)
        assert qrels.to_dict() == EXPECTED
        assert evaluate(qrels, RUN, "nDCG@3").means["nDCG@3"] == pytest.approx(NDCG)
        assert check(qrels, RUN).ok


def test_the_command_maps_words_to_numbers_in_each_form(tmp_path):
    run = put(tmp_path / "run.json", json.dumps(RUN).encode())
    option = "--grades", "Exact=3, Partial=.5,No=0"
    for source in files(tmp_path):
        done = irmetrics("evaluate", source, run, "-m", "nDCG@3", *option)
        assert done.returncode == 0 and f"{NDCG:.4f}" in done.stdout, done.stderr
    assert f"{NDCG:.4f}" in irmetrics("evaluate", "-", run, "-m", "nDCG@3", *option, stdin=TREC).stdout
    qrels = tmp_path / "q.qrels"
    for command in ("check",), ("compare", "-m", "RR"), ("explain", "-m", "RR"), ("worst",), ("identify",):
        more = {"compare": [run], "explain": ["q"], "identify": ["RR=1"]}.get(command[0], [])
        done = irmetrics(command[0], qrels, run, *more, *command[1:], *option)
        assert done.returncode in (0, 3) and "is not a number" not in done.stdout + done.stderr, done.stderr
    for wrong in "Exact", "Exact=", "Exact=x", "=3", "Exact=3,Exact=1", "Exact=inf":
        done = irmetrics("evaluate", qrels, run, "--grades", wrong)
        assert done.returncode == 2 and "--grades" in done.stderr, done.stderr


def test_words_without_grades_are_an_error_that_lists_all_of_them(tmp_path):
    for source in (*files(tmp_path), *objects()):
        with pytest.raises(DataError) as error:
            Qrels(source)
        message = str(error.value)
        assert ": the grade 'Exact' is not a number; " in message
        assert f"words found: {FOUND}; map each grade to a number with grades={{'Exact': 1, ...}}" in message
    run = put(tmp_path / "run.json", json.dumps(RUN).encode())
    done = irmetrics("evaluate", tmp_path / "q.qrels", run)
    assert done.returncode == 1 and f"line 1: the grade 'Exact' is not a number; words found: {FOUND}" in done.stderr
    assert done.stderr.endswith("with --grades Exact=1,...\n")
    assert "grades={'Exact': 1, ...}" in irmetrics("check", tmp_path / "q.qrels", run).stdout


def test_a_word_that_is_not_in_grades_is_an_error(tmp_path):
    for source in (*files(tmp_path), *objects()):
        with pytest.raises(DataError) as error:
            Qrels(source, grades={"exact": 3, "Partial": 1, "No": 0})
        assert f": the grade 'Exact' is not in grades; words found: {FOUND}" in str(error.value)
    run = put(tmp_path / "run.json", json.dumps(RUN).encode())
    done = irmetrics("evaluate", tmp_path / "q.qrels", run, "--grades", "Exact=3,Partial=1")
    assert done.returncode == 1 and f"line 3: the grade 'No' is not in --grades; words found: {FOUND}" in done.stderr


def test_numbers_are_mapped_too_and_must_all_be_in_grades(tmp_path):
    path = put(tmp_path / "q", b"q 0 a 1\nq 0 b 2.0\nq 0 c L1\n")
    sources = path, [("q", "a", 1), ("q", "b", 2.0), ("q", "c", "L1")], {"q": {"a": 1, "b": "2", "c": "L1"}}
    for source in sources:
        for grades in {"1": 0, "2": 1, "L1": 7}, {1: 0, 2.0: 1, "L1": "7"}:
            assert Qrels(source, grades=grades).to_dict() == {"q": {"a": 0, "b": 1, "c": 7}}
        with pytest.raises(DataError, match="is not in grades"):
            Qrels(source, grades={"2": 1, "L1": 1})
    numbers = {"q": {"a": 1, "b": 2}}
    assert Qrels(numbers, grades={"1": 0, "2": 1}).to_dict() == {"q": {"a": 0, "b": 1}}
    with pytest.raises(DataError, match="the grade 2 is not in grades$"):
        Qrels(numbers, grades={1: 0})
    # a blank grade is not judged, in whatever way it is written
    blank = [("q", "a", "Exact"), ("q", "b", None), ("q", "c", " ")]
    assert Qrels(blank, grades=GRADES).to_dict() == {"q": {"a": 3}}
    assert Qrels(pd.DataFrame(blank, columns=["query_id", "doc_id", "rel"]), grades=GRADES).notes[0].count == 2
    both = Qrels([*blank, ("q", "a", "Partial")], grades=GRADES, duplicates="mean")
    assert both.to_dict() == {"q": {"a": float((Fraction(3) + Fraction(1, 2)) / 2)}}


def test_grades_hold_only_where_they_are_written(tmp_path):
    Qrels(ROWS, grades=GRADES)
    with pytest.raises(DataError, match="is not a number"):
        Qrels(ROWS)
    assert Run([("q", "a", 1)]).to_dict() == {"q": {"a": 1}}
    with pytest.raises(ValueError, match="this Qrels is already read; set grades= where you create it"):
        Qrels(Qrels(ROWS, grades=GRADES), grades=GRADES)
    for wrong in {}, [], "Exact=3", {"Exact": "much"}, {"Exact": np.nan}, {"Exact": None}:
        with pytest.raises(ValueError, match="grades must have the form {word: number}, not"):
            Qrels(ROWS, grades=wrong)


def test_only_words_are_listed_and_long_lists_are_cut(tmp_path):
    path = put(tmp_path / "q", b"".join(b"q 0 d%d %d\n" % (n, n) for n in range(50)) + b"q 0 x oops\n")
    with pytest.raises(DataError) as error:
        Qrels(path)
    assert str(error.value) == f"{path}, line 51: the grade 'oops' is not a number; words found: 'oops'; map each grade to a number with grades={{'oops': 1, ...}}"
    many = [("q", f"d{n}", f"w{n:02}") for n in range(30)]
    with pytest.raises(DataError, match="the grade 'w00' is not in grades; words found: 'w00', 'w01', .*[.][.]; map each"):
        Qrels(many, grades={"x": 1})


def test_words_in_a_large_file_are_mapped_in_all_pieces(tmp_path):
    lines = [b"q%07d 0 d L%d\n" % (n, n % 3) for n in range(14 * PIECE_BYTES // 15)]
    path = put(tmp_path / "large.qrels", b"".join(lines))
    qrels = Qrels(path, grades={"L0": 0, "L1": 1, "L2": 5})
    assert np.array_equal(qrels.rows.value, np.resize([0, 1, 5], len(lines)))
    with pytest.raises(DataError, match="words found: 'L0', 'L1', 'L2'; map each"):
        Qrels(path)
