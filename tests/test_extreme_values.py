"Grades, cutoffs and texts at the end of what numbers can hold."
import contextlib
import math

import pytest
from helpers import MEASURES, RUN_AS_DICT, put
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import usual

from irmetrics_nb import Qrels, evaluate
from irmetrics_nb.metrics.parsing import parse_all

pytestmark = pytest.mark.usefixtures("nothing_hangs")


@pytest.mark.parametrize("grade", [2**53, 2**63, 2**64, 10**30, -(10**30), 10**300])
def test_grades_beyond_the_range_of_whole_numbers_are_kept(tmp_path, grade):
    qrels = put(tmp_path / "qrels", f"q 0 a {grade}\nq 0 b 1\n".encode())
    for source in (qrels, {"q": {"a": grade, "b": 1}}):
        assert Qrels(source).to_dict() == {"q": {"a": float(grade), "b": 1}}
        scores = evaluate(source, RUN_AS_DICT, "CG nDCG P@1", negative="keep")
        assert scores["CG"] == [float(grade) + 1]


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
    from irmetrics_nb.metrics.registry import KINDS

    others = "NumRet Judged Unjudged RBPresidual NumNonrelRet utility PairAccuracy".split()  # which do not only ask for relevant documents
    scores = evaluate({"q": {"a": 0, "b": -1}, "r": {"a": 1}}, RUN_AS_DICT | {"r": {"a": 1}}, [usual(k) for k in KINDS if k not in others])
    assert scores.no_relevant == 1
    assert {m: v for m, v in scores.to_dict()["q"].items() if v != 0} == {}


@pytest.mark.parametrize("k", [1, 2, 3, 1000, 10**9, 2**31, 2**62])
def test_cutoff_beyond_the_list_counts_empty_ranks_as_misses(k):
    scores = evaluate({"q": {"a": 1, "c": 1}}, RUN_AS_DICT, f"P@{k} R@{k} AP@{k} nDCG@{k} RR@{k}").to_dict()["q"]
    hits = int(k >= 2)
    best = 1 + (1 / math.log2(3) if k > 1 else 0)
    assert scores == pytest.approx({f"P@{k}": hits / k, f"R@{k}": hits / 2, f"AP@{k}": hits / 4, f"RR@{k}": hits / 2, f"nDCG@{k}": hits / math.log2(3) / best})


@pytest.mark.filterwarnings("ignore::irmetrics_nb.EvaluationWarning")  # the one retrieved may be another
def test_one_query_with_one_document_is_enough():
    assert evaluate({"q": {"d": 1}}, {"q": {"d": 0.0}}, MEASURES).means == {"AP": 1, "RR": 1, "P@5": 0.2, "R@5": 1, "nDCG@5": 1, "NumRet": 1}
    assert evaluate({"q": {"d": 1}}, {"q": {"e": 0.0}}, MEASURES).means == {"AP": 0, "RR": 0, "P@5": 0, "R@5": 0, "nDCG@5": 0, "NumRet": 1}


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
