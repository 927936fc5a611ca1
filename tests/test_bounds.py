"Bounds for unjudged documents: compared with an enumeration of all judgments."
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irmetrics_nb import Scores, compare, evaluate

SIMPLE = "P@2 P@5 SetP P(rel=2)@3 Success@2 RR RR@2 RBP RBP(p=0.5)@3 CG@3 DCG@3 DCG(gain='exp') nDCG(gain='binary')@3"
RELATIVE = "AP AP@2 AP(rel=2) R@2 SetR nDCG nDCG@2 nDCG(gain='exp')@3"
FURTHER = 2
pytestmark = pytest.mark.filterwarnings("ignore::irmetrics_nb.EvaluationWarning")


@st.composite
def collections(draw):
    "One query: grades of the retrieved documents (None: a hole), and of judged documents that were missed."
    got = draw(st.lists(st.sampled_from([None, None, -1, 0, 0.5, 1, 2]), max_size=5))
    missed = draw(st.lists(st.sampled_from([-1, 0, 1, 2]), max_size=2))
    return got, missed


def as_inputs(got, missed, new=0):
    "Judgments and a run with tied scores; `new` judged documents are added."
    run = {f"d{i}": -float(i // 2) for i in range(len(got))}  # ties by document id, descending
    order = sorted(run, key=lambda d: (run[d], d), reverse=True)
    grades = {d: g for d, g in zip(order, got) if g is not None}
    grades |= {f"m{i}": g for i, g in enumerate(missed)} | {f"new{i}": 2 for i in range(new)} | {"zero": 0}
    return {"q": grades}, {"q": run}


def all_values(got, missed, measures, grades, further):
    "The lowest and the highest value of each measure over all judgments of the holes."
    holes = [i for i, g in enumerate(got) if g is None]
    values = []
    for chosen in product(grades, repeat=len(holes)):
        used = sum(g > 0 for g in chosen)
        if used > further: continue
        filled = list(got)
        for i, g in zip(holes, chosen): filled[i] = g
        inputs = [as_inputs(filled, missed, new) for new in range(further - used + 1)]
        values += [[*evaluate(*pair, measures).means.values()] for pair in inputs]
    return np.array(values)


@settings(max_examples=40, deadline=None)
@given(collections())
def test_bounds_are_those_of_all_judgments(collection):
    measures = f"{SIMPLE} {RELATIVE}"
    expected = all_values(*collection, measures, (0, 2), FURTHER)
    inputs = as_inputs(*collection)
    scores = evaluate(*inputs, measures, unjudged="bounds", max_rel=2, further=FURTHER)
    assert scores.means == evaluate(*inputs, measures).means
    ends = np.array([*scores.judgment_bounds.values()])
    np.testing.assert_allclose(ends, np.stack([expected.min(0), expected.max(0)], 1), atol=1e-12)


@settings(max_examples=20, deadline=None)
@given(collections())
def test_all_grades_are_within_bounds(collection):
    measures = SIMPLE.replace(" nDCG(gain='binary')@3", "")
    got, missed = collection
    expected = all_values(got[:4], missed, measures, (0, 0.5, 1, 2), 5)
    scores = evaluate(*as_inputs(got[:4], missed), measures, unjudged="bounds", max_rel=2)
    ends = np.array([*scores.judgment_bounds.values()])
    np.testing.assert_allclose(ends, np.stack([expected.min(0), expected.max(0)], 1), atol=1e-12)


QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}, "q3": {"d": 0}}
RUNS = {"one": {"q1": ["x", "a"], "q2": ["c", "y"], "q3": []}, "two": {"q1": ["b", "z"], "q2": ["b", "z"]}}


def test_bounds_of_a_hand_computation():
    scores = evaluate(QRELS, RUNS, "P@2 RR", unjudged="bounds")
    assert scores.judgment_bounds["one"]["P@2"] == pytest.approx((1 / 3, 2 / 3))
    assert scores.judgment_bounds["one"]["RR"] == pytest.approx((1.5 / 3, 2 / 3))
    assert scores.run("two").judgment_bounds["P@2"] == pytest.approx((0, 1.5 / 3))
    assert "grades from 0 to 2" in repr(scores) and "0.3333 to 0.6667" in repr(scores)


def test_measures_without_bounds_are_refused():
    for measures, word in (("AP", "further"), ("nDCG", "further"), ("ERR", "no exact bounds"), ("Rprec", "no exact"), ("Bpref", "no exact"),
                           ("P(divisor='min(R,k)')@2", "divisor"), ("P(judged_only=True)@2", "judged_only"),
                           ("DCG(gain={0: 0, 1: 1, 2: 2})", "gain")):
        with pytest.raises(ValueError, match=word): evaluate(QRELS, RUNS, measures, unjudged="bounds")


def test_conventions_without_bounds_are_refused():
    for options in ({"ties": "average"}, {"missing": "skip"}, {"negative": "keep"}, {"no_relevant": "skip"}, {"judgments": "retrieved"},
                    {"max_rel": 1}, {"max_rel": -1}, {"further": 1.5}, {"part": True}, {"further": True}):
        with pytest.raises(ValueError): evaluate(QRELS, RUNS, "P@2", unjudged="bounds", **options)
    with pytest.raises(ValueError, match="max_rel"): evaluate(QRELS, RUNS, "P@2", max_rel=1)


def test_slices_and_parts_keep_their_own_bounds(tmp_path):
    options = {"unjudged": "bounds", "max_rel": 2, "further": 3}
    whole = evaluate(QRELS, RUNS, "P@2 AP", groups={"q1": "g", "q2": "h", "q3": "h"}, **options)
    alone = evaluate({"q1": QRELS["q1"]}, RUNS, "P@2 AP", **options)
    assert whole.slice("g").judgment_bounds == alone.judgment_bounds
    parts = [evaluate({q: QRELS[q]}, RUNS, "P@2 AP", part=True, **options) for q in QRELS]
    assert Scores.concat(parts).judgment_bounds == whole.judgment_bounds
    whole.save(tmp_path / "scores.json")
    assert Scores.load(tmp_path / "scores.json").judgment_bounds == whole.judgment_bounds


def test_comparisons_say_what_judgments_decide():
    qrels = {q: {"a": 1, "b": 0} for q in ("q1", "q2", "q3")}
    runs = {"good": {q: ["a"] for q in qrels}, "bad": {q: ["b"] for q in qrels}, "open": {q: ["x"] for q in qrels}}
    sentences = compare(qrels, runs, "RR", baseline="bad", unjudged="bounds").sentences()
    assert "the same for all judgments" in sentences[0]
    assert "do not decide" in sentences[1] and "open − bad is between 0.0000 and 1.0000" in sentences[1]
    assert "unjudged" not in compare(qrels, runs, "RR").sentences()[0]


def test_comparisons_of_slices_have_their_own_bounds():
    qrels = {q: {"a": 1, "b": 0} for q in ("q1", "q2", "q3")}
    runs = {"good": {q: ["a"] for q in qrels}, "bad": {"q1": ["b"], "q2": ["x"], "q3": ["b", "a"]}}
    groups = {"q1": "g", "q2": "h", "q3": "h"}
    result = compare(qrels, runs, "RR", baseline="good", groups=groups, unjudged="bounds")
    phrases = [text.rpartition("; ")[2] for name in ("g", "h") for text in result.sentences(name)]
    assert phrases == ["the order is the same for all judgments of the unjudged documents"] * 2
    runs["bad"]["q3"] = ["y"]
    result = compare(qrels, runs, "RR", baseline="good", groups=groups, unjudged="bounds")
    assert "bad − good is between −1.0000 and 0.0000" in result.sentences("h")[0]
