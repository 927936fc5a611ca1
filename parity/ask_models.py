"What trains and scores models: scikit-learn, XGBoost, LightGBM, CatBoost."

import re

import numpy as np
from collections_at_random import CUTS, FRACTIONS, arrays, collection

from irmetrics_nb import evaluate


def sklearn(rng):
    from sklearn.metrics import average_precision_score, dcg_score, ndcg_score

    qrels, run = collection(rng, tied=True, everything=True, empty=False, grades=FRACTIONS)
    rows = [(np.array(list(qrels[q].values())), np.array([run[q][d] for d in qrels[q]])) for q in qrels]
    for k in CUTS:
        for name, score in (("nDCG", ndcg_score), ("DCG", dcg_score)):
            theirs = [score([g], [s], k=k) for g, s in rows]
            yield f"{name}@{k}", theirs, evaluate(qrels, run, f"{name}@{k}", conventions="sklearn")
    yield "AP", [average_precision_score(g >= 1, s) for g, s in rows], evaluate(qrels, run, "AP", conventions="sklearn")


def xgboost(rng):
    import xgboost as xgb

    for kinds in ({"ndcg": "nDCG"}, {"map": "AP", "pre": "P"}):
        qrels, run = collection(rng, tied=True, everything=True, grades=range(5) if "ndcg" in kinds else range(2))
        labels, scores, sizes = arrays(qrels, run)
        data = xgb.DMatrix(np.zeros((len(labels), 1)), label=labels, base_margin=scores.astype(np.float32))
        data.set_group(sizes)
        asked = {f"{name}@{k}": f"{ours}@{k}" for name, ours in kinds.items() for k in CUTS}
        booster = xgb.Booster({"objective": "rank:ndcg", "eval_metric": list(asked)}, [data])
        found = dict(re.findall(r"eval-(\S+):(\S+)", booster.eval(data)))
        for name, ours in asked.items():
            yield name, float(found[name]), evaluate(qrels, run, ours, conventions="xgboost")


def lightgbm(rng):
    import lightgbm as lgb

    qrels, run = collection(rng, tied=True, everything=True)
    labels, scores, sizes = arrays(qrels, run)
    quiet = {"verbose": -1}
    data = lgb.Dataset(rng.random((len(labels), 1)), label=labels, group=sizes, init_score=scores, params=quiet)
    params = {"objective": "lambdarank", "metric": ["ndcg", "map"], "eval_at": list(CUTS), **quiet}
    found = {name: value for _, name, value, _ in lgb.Booster(params, data).eval_train()}
    for k in CUTS:
        yield f"ndcg@{k}", found[f"ndcg@{k}"], evaluate(qrels, run, f"nDCG@{k}", conventions="lightgbm")
        yield f"map@{k}", found[f"map@{k}"], evaluate(qrels, run, f"AP@{k}", conventions="lightgbm")


def catboost(rng):
    from catboost.utils import eval_metric

    # Of whole grades; and gains that are fractions, or negative: its other measures ask for a grade above 0.5.
    whole, odd = collection(rng, tied=True, everything=True), collection(
        rng, tied=True, everything=True, grades=(-1, *FRACTIONS)
    )
    several = {"NDCG": "nDCG", "DCG": "DCG", "MAP": "AP", "PrecisionAt": "P", "RecallAt": "R", "MRR": "RR"}
    for name, ours in several.items():
        for k in CUTS:
            theirs, scores = _by_catboost(eval_metric, whole, f"{name}:top={k}"), f"{ours}@{k}"
            yield f"{name}:top={k}", theirs, evaluate(*whole, scores, conventions="catboost")
    for k in CUTS:
        theirs = _by_catboost(eval_metric, odd, f"NDCG:top={k}")
        yield f"NDCG:top={k}, fractions", theirs, evaluate(*odd, f"nDCG@{k}", conventions="catboost")
        theirs = _by_catboost(eval_metric, whole, f"NDCG:top={k};type=Exp")
        yield (
            f"NDCG:top={k};type=Exp",
            theirs,
            evaluate(*whole, f"nDCG(gain='exp')@{k}", conventions="catboost"),
        )


def _by_catboost(eval_metric, pair, metric):
    "The mean over the queries."
    labels, scores, sizes = arrays(*pair)
    return eval_metric(labels, scores, metric, group_id=np.repeat(np.arange(len(sizes)), sizes))[0]
