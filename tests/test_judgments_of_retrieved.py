"What was judged and not retrieved: it counts, or it is count as unjudged, for everything that is made of judgments."
import json
import re

import numpy as np
import pytest
from helpers import irmetrics
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import (
    average_precision_score,
    dcg_score,
    f1_score,
    ndcg_score,
    precision_score,
    recall_score,
)
from strategies import measures, random_collection, seeds

from irmetrics_nb import (
    DataError,
    EvaluationWarning,
    Judged,
    compare,
    evaluate,
    explain,
    explain_difference,
    report,
)
from irmetrics_nb.core.choices import CHOICES
from irmetrics_nb.core.ties import TiesError
from irmetrics_nb.evaluation.presets import PRESETS
from irmetrics_nb.metrics.registry import KINDS

LISTED = [name for name, preset in PRESETS.items() if preset.options.get("judgments") == "retrieved"]
FRACTIONS = 0, 0.25, 0.875, 1, 1.25, 2.5, 3
SAID = "only judgments of retrieved documents count"


def forgotten(qrels, run):
    "The judgments of retrieved documents alone; a query that was not answered is no query."
    return {q: {d: g for d, g in docs.items() if d in run[q]} or {"nobody": -1} for q, docs in qrels.items() if q in run}


def nasty(seed, grades=range(5), queries=12, documents=15):
    "Judgments and a run: hundredths as scores, many alike; documents judged and not found, and found and not judged."
    rng = np.random.default_rng(seed)
    qrels, run = {}, {}
    for q in map(str, range(queries)):
        judged, found = (rng.choice(documents, size=rng.integers(2, documents), replace=False) for _ in "ab")
        qrels[q] = {f"d{d}": g.item() for d, g in zip(judged, rng.choice(list(grades), len(judged)))}
        run[q] = {f"d{d}": float(s) for d, s in zip(found, rng.integers(0, 8, len(found)) / 100)}
    return qrels, run


# ---- one answer for every measure ----


@pytest.mark.parametrize("name", KINDS)
@given(seed=seeds, data=st.data())
@settings(max_examples=12)
def test_of_every_measure_the_value_is_that_without_the_other_judgments(name, seed, data):
    qrels, run = random_collection(seed, queries=5, docs=9, levels=4)
    run = {q: docs for q, docs in run.items() if docs}
    measure = data.draw(measures(name))
    how = {"ties": data.draw(st.sampled_from([*CHOICES["ties"]])), "no_relevant": data.draw(st.sampled_from([*CHOICES["no_relevant"]]))}
    how |= {"negative": data.draw(st.sampled_from(["zero", "keep"])), "unjudged": data.draw(st.sampled_from(["keep", "skip"]))}
    if how["negative"] == "keep":  # where what stands for no judgment would count
        qrels = {q: docs for q, docs in qrels.items() if docs.keys() & run.get(q, {}).keys()}
    try:
        wanted = evaluate(forgotten(qrels, run), run, measure, part=True, **how)
    except TiesError:
        with pytest.raises(TiesError):
            evaluate(qrels, run, measure, part=True, judgments="retrieved", missing="skip", **how)
        return
    found = evaluate(qrels, run, measure, part=True, judgments="retrieved", missing="skip", **how)
    assert found.measures == wanted.measures
    assert found.query_ids == wanted.query_ids
    np.testing.assert_array_equal(found.values, wanted.values)
    assert found.no_relevant == wanted.no_relevant


@pytest.mark.parametrize("name", LISTED)
@pytest.mark.parametrize("seed", range(3))
def test_a_tool_that_knows_nothing_but_the_list_gets_no_other_judgments(name, seed):
    qrels, run = nasty(seed)
    del run["3"]
    asked = [f"{kind}@3" if KINDS[kind].at == "k" else kind for kind in PRESETS[name].kinds.split() if not kind.startswith("Set")]
    for negative in ({}, {"negative": "zero"}):
        found, wanted = (evaluate(truth, run, asked, conventions=name, **negative) for truth in (qrels, {q: {"x": 0} | docs for q, docs in forgotten(qrels, run).items()}))
        np.testing.assert_array_equal(found.values, wanted.values)
        assert found.query_ids == wanted.query_ids == tuple(run)
    assert SAID in found.conventions.describe()


def test_the_tools_that_know_nothing_but_the_list_are_these():
    known = {"sklearn", "torchmetrics", "xgboost", "lightgbm", "catboost", "ragas"}
    here = "test_the_tools_that_know_nothing_but_the_list_are_these, tests/test_judgments_of_retrieved.py"
    assert {*LISTED} == known, f"{sorted({*LISTED} ^ known)}: if this tool is given labels beside scores and no other judgments, name it in {here}; else judgments='retrieved' is wrong"


def test_recall_of_catboost_uses_only_retrieved_documents():
    qrels, run = {"1": {"a": 1, "b": 1, "c": 1}}, {"1": ["a", "x", "b"]}
    assert evaluate(qrels, run, "R@3", conventions="catboost").means == {"R@3": 1}
    assert evaluate(qrels, run, "R@3", conventions="catboost", judgments="all").means == {"R@3": pytest.approx(2 / 3)}
    assert evaluate(qrels, run, "R(judged_only=True)@2", conventions="catboost").values.item() == 1


# ---- scikit-learn is asked ----


@pytest.mark.filterwarnings("ignore:many grades are fractions")  # which are relevant from 1 on
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("k", [1, 3, 20])
def test_scikit_learn_agrees_if_judged_documents_are_missing(seed, k):
    qrels, run = nasty(seed, FRACTIONS)
    run = {q: docs for q, docs in run.items() if len(docs) > 1}  # it takes no list of one
    ours = evaluate(qrels, run, [f"nDCG@{k}", f"DCG@{k}", "AP"], conventions="sklearn")
    assert ours.query_ids == tuple(run)
    for i, (q, docs) in enumerate(run.items()):
        grades, scores = [[float(qrels[q].get(d, 0)) for d in docs]], [[*docs.values()]]
        assert ours[f"nDCG@{k}"][i] == pytest.approx(ndcg_score(grades, scores, k=k), abs=1e-12)
        assert ours[f"DCG@{k}"][i] == pytest.approx(dcg_score(grades, scores, k=k), abs=1e-12)
        relevant = np.array(grades[0]) >= 1
        assert ours["AP"][i] == pytest.approx(average_precision_score(relevant, scores[0]) if relevant.any() else 0, abs=1e-12)
    others = evaluate(qrels, run, f"nDCG@{k}", conventions="sklearn", judgments="all").values
    assert k == 1 or not np.allclose(ours[f"nDCG@{k}"], others)


@pytest.mark.parametrize("seed", range(5))
def test_set_measures_equal_scikit_learn_on_all_documents(seed):
    qrels, run = nasty(seed)
    ours = evaluate(qrels, run, "SetP SetR SetF", conventions="sklearn")
    for i, q in enumerate(ours.query_ids):
        docs = [*qrels[q].keys() | run[q].keys()]
        labels, predicted = [qrels[q].get(d, 0) >= 1 for d in docs], [d in run[q] for d in docs]
        theirs = [score(labels, predicted, zero_division=0) for score in (precision_score, recall_score, f1_score)]
        assert ours.values[0, :, i] == pytest.approx(theirs, abs=1e-12)
    assert "for SetR, all judgments count" in " ".join(repr(ours).split())


# ---- XGBoost and LightGBM are asked; torchmetrics and CatBoost by `make parity` ----

CUTS = 1, 3, 20


def as_columns(qrels, run):
    "Labels, scores and sizes of groups of what was retrieved, with 0 for a document that nobody judged."
    found = [q for q in qrels if q in run]
    labels = [float(qrels[q].get(d, 0)) for q in found for d in run[q]]
    return np.array(labels), np.array([score for q in found for score in run[q].values()]), [len(run[q]) for q in found]


def is_only_had_from_the_list(name, qrels, run, theirs):
    "Our means are theirs, {measure: value}, and with all judgments they are others."
    asked = [*theirs]
    ours, others = (evaluate(qrels, run, asked, conventions=name, **how).means for how in ({}, {"judgments": "all", "missing": "zero"}))
    assert [*ours.values()] == pytest.approx([*theirs.values()], abs=1e-6)
    assert max(abs(a - b) for a, b in zip(others.values(), theirs.values())) > 0.01


@pytest.mark.parametrize("seed", range(5))
def test_lightgbm_agrees_if_judged_documents_are_missing(seed):
    lgb = pytest.importorskip("lightgbm", reason="LightGBM is not installed here", exc_type=ImportError)
    qrels, run = nasty(seed)
    del run["3"]
    labels, scores, sizes = as_columns(qrels, run)
    data = lgb.Dataset(np.arange(len(labels), dtype=float)[:, None], label=labels, group=sizes, init_score=scores, params={"verbose": -1})
    asked = {"objective": "lambdarank", "metric": ["ndcg", "map"], "eval_at": [*CUTS], "verbose": -1}
    found = {name: value for _, name, value, _ in lgb.Booster(asked, data).eval_train()}
    theirs = {f"{ours}@{k}": found[f"{name}@{k}"] for name, ours in (("ndcg", "nDCG"), ("map", "AP")) for k in CUTS}
    is_only_had_from_the_list("lightgbm", qrels, run, theirs)


@pytest.mark.parametrize("kinds", [{"ndcg": "nDCG"}, {"map": "AP", "pre": "P"}], ids=" ".join)
@pytest.mark.parametrize("seed", range(5))
def test_xgboost_agrees_if_judged_documents_are_missing(seed, kinds):
    xgb = pytest.importorskip("xgboost", reason="XGBoost is not installed here", exc_type=ImportError)
    qrels, run = nasty(seed, range(5) if "ndcg" in kinds else (0, 1))  # others take yes and no alone
    del run["3"]
    labels, scores, sizes = as_columns(qrels, run)
    data = xgb.DMatrix(np.zeros((len(labels), 1)), label=labels, base_margin=scores.astype(np.float32))
    data.set_group(sizes)
    asked = {f"{name}@{k}": f"{ours}@{k}" for name, ours in kinds.items() for k in CUTS}
    said = xgb.Booster({"objective": "rank:ndcg", "eval_metric": [*asked]}, [data]).eval(data)
    found = dict(re.findall(r"eval-(\S+):(\S+)", said))
    is_only_had_from_the_list("xgboost", qrels, run, {ours: float(found[name]) for name, ours in asked.items()})


# ---- what is not answered ----


def test_of_a_query_that_is_not_answered_nothing_is_known():
    qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": ["a"]}
    assert evaluate(qrels, run, "nDCG", conventions="xgboost").query_ids == ("1",)
    for no_relevant in CHOICES["no_relevant"]:
        how = {"judgments": "retrieved", "missing": "zero", "no_relevant": no_relevant}
        scores = evaluate(qrels, run, "nDCG AP", **how)
        assert scores.values.tolist() == [[[1, 0], [1, 0]]]
        assert (scores.missing, scores.no_relevant) == (1, 0)
        assert explain("AP", qrels, run, "2", **how).value == 0
    with pytest.raises(DataError, match="is missing from the run"):
        explain("AP", qrels, run, "2", conventions="xgboost")


def test_warns_if_no_judged_document_is_retrieved():
    with pytest.warns(EvaluationWarning, match="no judged"):
        scores = evaluate({"q": {"a": 1}}, {"q": ["b"]}, "AP", judgments="retrieved")
    assert scores.means == {"AP": 0}


# ---- the same answer in every verb ----


@pytest.mark.parametrize("measure", ["AP", "R@3", "nDCG@3", "ERR", "Bpref", "IPrec", "RBP", "NumRel", "GMAP"])
@pytest.mark.parametrize("how", [{"judgments": "retrieved"}, {"conventions": "xgboost"}, {"conventions": "catboost", "ties": "docid"}], ids=str)
def test_explanation_equals_evaluate(measure, how):
    for seed in range(3):
        qrels, run = nasty(seed, range(-1, 4))
        scores = evaluate(qrels, run, measure, **how)
        for q, value in zip(scores.query_ids, scores.values[0, 0].tolist()):
            why = explain(measure, qrels, run, q, **how)
            assert why.value == value
            assert why.missed == {}
            assert SAID in why.to_text()
    whole = explain("nDCG@3", {"q": {"a": 1, "z": 3}}, {"q": ["b", "a"]}, "q", **how)
    assert whole.move("z", 1).value == evaluate({"q": {"a": 1, "z": 3}}, {"q": ["z", "b", "a"]}, "nDCG@3", **how).values.item()
    assert whole.without("a").value == evaluate({"q": {"a": 1, "z": 3}}, {"q": ["b"]}, "nDCG@3", part=True, **how).values.item()


def test_a_list_is_explained_without_what_it_lacks():
    assert explain("R", [1, 0, 1], ideal=[1, 1, 1, 0], judgments="retrieved").value == 1
    assert explain("R", [1, 0, 1], ideal=[1, 1, 1, 0]).value == pytest.approx(2 / 3)
    assert Judged.from_grades([1, 0, 1], ideal=[1, 1, 1, 0]).listed().n_relevant().tolist() == [2]


def test_differences_comparisons_and_reports_have_it(tmp_path):
    (qrels, a), (_, b) = nasty(1), nasty(2)
    runs, how = {"a": a, "b": b}, {"judgments": "retrieved"}
    scores = evaluate(qrels, runs, "R@5 nDCG@5", **how)
    assert np.abs(scores.values - evaluate(qrels, runs, "R@5 nDCG@5").values).max() > 0.1
    difference = explain_difference("R@5", qrels, a, b, **how)
    assert (difference.a, difference.b) == (scores.means["a"]["R@5"], scores.means["b"]["R@5"])
    q = scores.query_ids.index("1")
    assert difference.query("1").value == pytest.approx(scores["R@5"][1, q] - scores["R@5"][0, q])
    compared = compare(qrels, runs, "R@5", **how).to_polars().to_dicts()[0]
    assert compared["mean_a"] == pytest.approx(difference.a)
    made = report(qrels, runs, "R@5 nDCG@5", checkup=False, **how)
    assert made.scores.means == scores.means
    assert SAID in made.to_html()
    for one in (*made.gains, *made.losses):
        assert all(not side.missed for side in one.sides)


def test_the_command_line_has_it(tmp_path):
    (tmp_path / "q").write_text("1 0 a 1\n1 0 z 1\n")
    (tmp_path / "r").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    call = str(tmp_path / "q"), str(tmp_path / "r")
    for more, value in (((), 0.5), (("--judgments", "retrieved"), 1), (("--conventions", "xgboost", "--judgments", "all"), 0.5)):
        found, = json.loads(irmetrics("evaluate", *call, "-m", "R@2", "--format", "json", *more).stdout)
        assert found["means"] == {"R@2": value}
        assert (SAID in found["conventions"]) is (value == 1)
        assert f"= {value:.4f}" in irmetrics("explain", *call, "1", "-m", "R@2", *more).stdout


@pytest.mark.parametrize("memory", [None, 20_000])
def test_a_file_that_is_read_in_parts_gives_the_same(memory, tmp_path):
    qrels, run = nasty(5, queries=60)
    rows = [f"{q} Q0 {d} 0 {s!r} t\n" for q, docs in run.items() for d, s in docs.items()]
    (tmp_path / "r").write_text("".join(rows))
    scores = evaluate(qrels, tmp_path / "r", "nDCG@5 R@5 ERR", judgments="retrieved", memory=memory)
    np.testing.assert_array_equal(scores.values, evaluate(qrels, run, "nDCG@5 R@5 ERR", judgments="retrieved").values)


@pytest.mark.parametrize("preset", PRESETS)
def test_explained_difference_equals_compare_for_every_preset(preset):
    "Run a retrieves no document of the largest grade, run b does; ERR of judgments of retrieved documents differs then."
    qrels = {"q1": {"d1": 3, "d2": 1, "d9": 4}, "q2": {"d1": 1, "d3": 0}, "q3": {"d5": 2}}
    a = {"q1": ["d1", "x", "d2"], "q2": ["x", "d1"], "q3": ["d5"]}
    b = {"q1": ["x", "d2", "d1", "d9"], "q2": ["d1", "x"], "q3": ["x", "d5"]}
    heard = 0
    for measure in "ERR", "ERR(max_grade=4)", "nDCG@10", "AP":
        options = {"conventions": preset, "judgments": "retrieved"}
        try:
            row, = compare(qrels, {"a": a, "b": b}, measure, **options).rows
        except ValueError as error:
            heard += 1
            with pytest.raises(ValueError, match=f"^{re.escape(str(error))}$"):
                explain_difference(measure, qrels, a, b, **options)
        else:
            assert explain_difference(measure, qrels, a, b, **options).value == pytest.approx(row.difference, abs=1e-12)
    assert heard == (preset not in ("gdeval", "ir_measures")), "of ERR: these two set its largest grade, 4"
