"The numbers of learning-to-rank libraries on random data; `make parity` asks them, and others, about more."
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score, roc_auc_score

from irmetrics_nb import Accumulator, Judged, auc, gauc, parse
from irmetrics_nb.evaluation.conventions import completed, conventions_of

CUTS = 1, 3, 10


@st.composite
def rankings(draw, largest=4):
    "Labels, scores, and sizes of groups; no two scores are alike, or many are, as hundredths of small whole numbers."
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sizes = rng.integers(1, 30, draw(st.integers(1, 12)))
    n = int(sizes.sum())
    scores = draw(st.sampled_from([rng.permutation(n) / 64 - 1, rng.integers(0, 9, n) / 100]))
    return rng.integers(0, largest + 1, n), scores, sizes


def ours(columns, names, tool):
    "The means of some measures as a tool has them, counted in two batches of whole groups."
    labels, scores, sizes = columns
    asked = [completed(parse(name), conventions_of(tool)) for name in names]
    counted = Accumulator(asked, no_relevant="one")
    half = len(sizes) // 2
    for part, own in (slice(0, sizes[:half].sum()), sizes[:half]), (slice(sizes[:half].sum(), None), sizes[half:]):
        counted.update(labels[part], scores[part], sizes=own)
    return list(counted.compute().values())


@settings(max_examples=20, deadline=None)
@given(rankings())
def test_ndcg_and_map_equal_lightgbm(columns):
    lgb = pytest.importorskip("lightgbm", reason="LightGBM is not installed here", exc_type=ImportError)
    labels, scores, sizes = columns
    features = np.arange(len(labels), dtype=float)[:, None]
    data = lgb.Dataset(features, label=labels, group=sizes, init_score=scores, params={"verbose": -1})
    asked = {"objective": "lambdarank", "metric": ["ndcg", "map"], "eval_at": list(CUTS), "verbose": -1}
    found = {name: value for _, name, value, _ in lgb.Booster(asked, data).eval_train()}
    theirs = [found[f"{name}@{k}"] for name in ("ndcg", "map") for k in CUTS]
    names = [f"{name}@{k}" for name in ("nDCG", "AP") for k in CUTS]
    assert ours(columns, names, "lightgbm") == pytest.approx(theirs, abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(rankings(), st.sampled_from([("ndcg", "nDCG"), ("map", "AP")]))
def test_ndcg_and_map_equal_xgboost(columns, names):
    xgb = pytest.importorskip("xgboost", reason="XGBoost is not installed here", exc_type=ImportError)
    theirs, name = names
    labels, scores, sizes = columns
    labels = labels if theirs == "ndcg" else np.minimum(labels, 1)  # its map takes yes and no alone
    data = xgb.DMatrix(np.zeros((len(labels), 1)), label=labels, base_margin=scores.astype(np.float32))
    data.set_group(sizes)
    asked = [f"{theirs}@{k}" for k in CUTS]
    said = xgb.Booster({"objective": "rank:ndcg", "eval_metric": asked}, [data]).eval(data)
    found = dict(re.findall(r"eval-(\S+):(\S+)", said))
    values = ours((labels, scores, sizes), [f"{name}@{k}" for k in CUTS], "xgboost")
    assert values == pytest.approx([float(found[a]) for a in asked], abs=1e-6)


@given(rankings(), st.sampled_from(CUTS))
def test_ndcg_of_each_group_equals_scikit_learn(columns, k):
    labels, scores, sizes = columns
    judged = Judged.from_scores(labels, scores, sizes=sizes)
    begin = np.cumsum(sizes) - sizes
    theirs = [ndcg_score([labels[b : b + n]], [scores[b : b + n]], k=k) if n > 1 else np.nan for b, n in zip(begin, sizes)]
    several = sizes > 1  # it takes no list of one
    assert parse(f"nDCG@{k}").of(judged, ties="average")[several] == pytest.approx(np.array(theirs)[several], abs=1e-12)


@given(rankings(largest=1), st.integers(1, 4))
def test_scikit_learn_s_auc_of_everything_and_of_each_group_is_what_an_accumulator_counts(columns, batches):
    labels, scores, sizes = columns
    scores = np.round(scores * 4) / 4  # ties
    counted = Accumulator("AP", auc=True)
    begin = np.append(0, np.cumsum(sizes))
    for some in np.array_split(np.arange(len(sizes)), batches):
        if len(some):
            part = slice(begin[some[0]], begin[some[-1] + 1])
            counted.update(labels[part], scores[part], sizes=sizes[some])
    both = [(labels[a:b], scores[a:b]) for a, b in zip(begin, begin[1:]) if 0 < labels[a:b].sum() < b - a]
    if 0 < labels.sum() < len(labels):
        assert counted.auc == (pytest.approx(roc_auc_score(labels, scores), abs=1e-12), 0)
        assert counted.auc.value == auc(labels, scores)
    if both:
        assert counted.gauc == pytest.approx(np.mean([roc_auc_score(*each) for each in both]), abs=1e-12)
    assert counted.gauc == pytest.approx(gauc(labels, scores, np.repeat(np.arange(len(sizes)), sizes)), abs=1e-13, nan_ok=True)
