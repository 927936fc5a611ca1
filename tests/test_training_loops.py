"""Callbacks of a few lines in LightGBM, XGBoost and scikit-learn, tensors, and what an accumulator takes along."""

import json
import pickle
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from irmetrics_nb import Accumulator, Judged, evaluate, nDCG, parse

RNG = np.random.default_rng(3)
SIZES = np.array([7, 3, 12, 5, 9, 4, 8, 12])
N = int(SIZES.sum())
FEATURES = RNG.random((N, 4))
LABELS = np.clip((FEATURES[:, 0] * 4 + RNG.normal(0, 0.7, N)).round(), 0, 4)
GROUPS = np.repeat([f"q{i}" for i in range(len(SIZES))], SIZES)


def ndcg5(predicted, data):
    "What LightGBM takes as feval: name, value, and that more is better."
    scores = Accumulator("nDCG@5", conventions="lightgbm")
    scores.update(data.get_label(), predicted, sizes=data.get_group())
    return "our ndcg@5", scores.compute()["nDCG@5"], True


def test_lightgbm_takes_a_measure_of_ours_and_gives_its_own_number_round_by_round():
    lgb = pytest.importorskip("lightgbm", reason="LightGBM is not installed here", exc_type=ImportError)
    data = lgb.Dataset(FEATURES, label=LABELS, group=SIZES)
    found: dict = {}
    asked = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [5], "verbose": -1, "min_data_in_leaf": 2}
    lgb.train(asked, data, 8, valid_sets=[data], valid_names=["valid"], feval=ndcg5, callbacks=[lgb.record_evaluation(found)])
    assert found["valid"]["our ndcg@5"] == pytest.approx(found["valid"]["ndcg@5"], abs=1e-12)
    assert len(set(found["valid"]["ndcg@5"])) > 1


def test_lightgbm_stops_early_by_a_measure_of_ours():
    lgb = pytest.importorskip("lightgbm", reason="LightGBM is not installed here", exc_type=ImportError)
    data = lgb.Dataset(FEATURES, label=LABELS, group=SIZES)
    calls = []

    def never_better(predicted, data):
        calls.append(len(predicted))
        return "constant", 0.5, True

    asked = {"objective": "lambdarank", "metric": "None", "verbose": -1, "min_data_in_leaf": 2}
    valid = lgb.Dataset(FEATURES, label=LABELS, group=SIZES, reference=data)
    model = lgb.train(asked, data, 30, valid_sets=[valid], feval=never_better, callbacks=[lgb.early_stopping(3, verbose=False)])
    assert model.best_iteration == 1 and calls == [N] * 4


def test_xgboost_takes_a_measure_of_ours_and_gives_its_own_number():
    xgb = pytest.importorskip("xgboost", reason="XGBoost is not installed here", exc_type=ImportError)

    def ndcg5(predicted, data):
        scores = Accumulator("nDCG@5", conventions="xgboost")
        scores.update(data.get_label(), predicted, sizes=np.diff(data.get_uint_info("group_ptr")))
        return "ours", scores.compute()["nDCG@5"]

    data = xgb.DMatrix(FEATURES, label=LABELS)
    data.set_group(SIZES)
    found: dict = {}
    asked = {"objective": "rank:ndcg", "eval_metric": "ndcg@5", "max_depth": 2}
    xgb.train(asked, data, 6, evals=[(data, "valid")], custom_metric=ndcg5, evals_result=found, verbose_eval=False)
    assert found["valid"]["ours"] == pytest.approx(found["valid"]["ndcg@5"], abs=1e-6)


def test_scikit_learn_scores_by_query_with_metadata_routing():
    import sklearn
    from sklearn.linear_model import Ridge
    from sklearn.metrics import make_scorer
    from sklearn.model_selection import GroupKFold, cross_validate

    def ndcg_by_query(labels, predicted, groups):
        scores = Accumulator("nDCG@5")
        scores.update(labels, predicted, groups)
        return scores.compute()["nDCG@5"]

    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_scorer(ndcg_by_query).set_score_request(groups=True)
        found = cross_validate(Ridge(), FEATURES, LABELS, cv=GroupKFold(2), scoring=scorer, params={"groups": GROUPS}, return_indices=True, return_estimator=True)
    for value, test, model in zip(found["test_score"], found["indices"]["test"], found["estimator"]):
        own = Judged.from_scores(LABELS[test], model.predict(FEATURES[test]), GROUPS[test])
        assert value == pytest.approx((nDCG @ 5).of(own).mean(), abs=1e-12)


def test_accumulator_equals_evaluate_for_conventions_of_a_tool():
    scores = RNG.permutation(N) / N
    qrels = {q: dict(zip(map(str, np.flatnonzero(GROUPS == q)), LABELS[GROUPS == q])) for q in dict.fromkeys(GROUPS)}
    run = {q: {d: float(scores[int(d)]) for d in docs} for q, docs in qrels.items()}
    for tool in ("lightgbm", "xgboost", "sklearn", "torchmetrics", "catboost"):
        counted = Accumulator("nDCG@5 AP@5", conventions=tool)
        counted.update(LABELS, scores, sizes=SIZES)
        expected = evaluate(qrels, run, "nDCG@5 AP@5", conventions=tool)
        assert counted.compute() == pytest.approx(expected.means, abs=1e-12)
        assert counted.compute()["nDCG@5"] == pytest.approx(expected.means["nDCG@5"])
    with pytest.raises(ValueError, match="'trec_eval' breaks ties by document id, but a stream has no document ids: set ties="):
        Accumulator("AP", conventions="trec_eval")
    assert repr(Accumulator("AP", conventions="trec_eval", ties="average")).startswith("Accumulator of AP")
    with pytest.raises(ValueError, match="different measures or options"):
        Accumulator("AP").merge(Accumulator("AP", conventions="sklearn"))


def test_the_recipe_with_topk_on_the_page_gives_the_value_of_the_whole_lists():
    class Scores(np.ndarray):
        def topk(self, k): return SimpleNamespace(indices=SimpleNamespace(cpu=lambda: SimpleNamespace(numpy=lambda: (-self).argsort(axis=1)[:, :k])))

    page = json.loads(Path("nbs/guide/training_loop.ipynb").read_text("utf-8"))
    [code] = ["".join(cell["source"]) for cell in page["cells"] if "topk(5)" in "".join(cell["source"]) and cell["cell_type"] == "code"]
    torch = SimpleNamespace(tensor=lambda numbers: numbers.view(Scores))
    names = {"labels": RNG.integers(0, 5, 480), "features": RNG.permutation(480 * 2).reshape(480, 2) / 7, "np": np}
    *lines, value = code.replace("import torch\n", "").splitlines()
    exec("\n".join(lines), names | {"torch": torch}, names)
    whole = Accumulator("nDCG@5").update(names["labels"].reshape(40, 12), names["features"][:, 1].reshape(40, 12))
    assert eval(value, names) == pytest.approx(whole.compute()["nDCG@5"], abs=1e-12)
    assert 0.2 < eval(value, names) < 0.9


class Tensor:
    "Refuses what a tensor with a gradient, on another device and of bfloat16 refuses."

    def __init__(self, numbers, grad=True, device="cuda", dtype="torch.bfloat16"):
        self.numbers, self.grad, self.device, self.dtype = np.asarray(numbers, dtype=np.float32), grad, device, dtype

    def detach(self): return Tensor(self.numbers, False, self.device, self.dtype)

    def cpu(self): return Tensor(self.numbers, self.grad, "cpu", self.dtype)

    def float(self): return Tensor(self.numbers, self.grad, self.device, "torch.float32")

    def __len__(self): return len(self.numbers)

    def __iter__(self): return iter(self.numbers)

    def __array__(self, dtype=None, copy=None):
        if self.grad: raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        if self.device != "cpu": raise TypeError("can't convert cuda:0 device type tensor to numpy.")
        if self.dtype == "torch.bfloat16": raise TypeError("Got unsupported ScalarType BFloat16")
        return self.numbers if dtype is None else self.numbers.astype(dtype)


def test_tensors_with_a_gradient_on_a_device_or_of_bfloat16_are_taken_as_their_numbers():
    labels, scores = [0, 1, 2, 0], [0.25, 0.5, 0.125, 1]
    plain = Accumulator("nDCG@5 RR")
    plain.update(labels, scores, sizes=[4])
    for options in ({}, {"grad": False}, {"device": "cpu"}, {"dtype": "torch.float32"}):
        taken = Accumulator("nDCG@5 RR")
        taken.update(Tensor(labels, **options), Tensor(scores, **options), sizes=[4])
        assert taken.compute() == plain.compute()


def test_the_state_is_small_and_merges_across_workers():
    parts = []
    for own in np.array_split(np.arange(len(SIZES)), 3):
        inside = np.isin(GROUPS, [f"q{i}" for i in own])
        part = Accumulator("nDCG@5 RR AP")
        part.update(LABELS[inside], FEATURES[inside, 0], GROUPS[inside])
        parts.append(pickle.dumps(part))
    whole, *others = map(pickle.loads, parts)
    for other in others:
        whole.merge(other)
    alone = Accumulator("nDCG@5 RR AP")
    alone.update(LABELS, FEATURES[:, 0], GROUPS)
    assert whole.compute() == pytest.approx(alone.compute(), abs=1e-15)
    assert max(map(len, parts)) < 4000 and parse("nDCG@5") in whole.measures


def test_the_lines_of_the_guide_for_xgboost_run_and_give_the_number_of_xgboost():
    pytest.importorskip("xgboost", reason="XGBoost is not installed here", exc_type=ImportError)
    page = json.loads((Path(__file__).parent.parent / "nbs/guide/training_loop.ipynb").read_text(encoding="utf-8"))
    [shown] = [text for cell in page["cells"] if "import xgboost" in (text := "".join(cell["source"]))]
    names = {"np": np, "Accumulator": Accumulator, "features": FEATURES, "labels": LABELS, "sizes": SIZES}
    exec(shown, names)
    history = names["history"]["train"]
    assert len(history["ours"]) == 3
    assert history["ours"] == pytest.approx(history["ndcg@5"], abs=1e-6)
