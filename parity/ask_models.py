"What knows nothing but the list: scikit-learn, torchmetrics, XGBoost, LightGBM, CatBoost."

import re

import numpy as np
from collections_at_random import CUTS, FRACTIONS, arrays, collection, lists

from irmetrics_nb import evaluate

BINARY = (0, 1)


def sklearn(rng):
    from sklearn.metrics import average_precision_score, dcg_score, ndcg_score

    qrels, run = collection(rng, scores="tied", missing=True, grades=FRACTIONS)
    several = [(g, s) for g, s in lists(qrels, run) if len(g) > 1]  # it takes no list of one
    some = {q: docs for q, docs in run.items() if len(docs) > 1}
    for k in CUTS:
        for name, score in (("nDCG", ndcg_score), ("DCG", dcg_score)):
            theirs = [score([g], [s], k=k) for g, s in several]
            yield f"{name}@{k}", theirs, evaluate(qrels, some, f"{name}@{k}", conventions="sklearn")
    theirs = [average_precision_score(g >= 1, s) if max(g) >= 1 else 0 for g, s in several]
    yield "AP", theirs, evaluate(qrels, some, "AP", conventions="sklearn")


def torchmetrics(rng):
    import torch
    from torchmetrics.functional import retrieval

    def asked(name, pairs, **options):
        ask = getattr(retrieval, f"retrieval_{name}")
        return [ask(torch.tensor(s), torch.tensor(g), **options).item() for g, s in pairs]

    # Of ties it says nothing but in nDCG; and a score of 0 is no answer elsewhere.
    graded = collection(rng, scores=rng.choice(["tied", "close"]), missing=True, grades=FRACTIONS)
    whole = collection(rng, scores="apart", missing=True, grades=BINARY, positive=True)
    yes_or_no = [(g > 0, s) for g, s in lists(*whole)]
    several = {"average_precision": "AP", "precision": "P", "recall": "R", "reciprocal_rank": "RR"}
    for k in CUTS:
        theirs = asked("normalized_dcg", lists(*graded), top_k=k)
        yield f"normalized_dcg, top_k={k}", theirs, evaluate(*graded, f"nDCG@{k}", conventions="torchmetrics")
        for name, ours in (several | {"hit_rate": "Success"}).items():
            found = evaluate(*whole, f"{ours}@{k}", conventions="torchmetrics")
            yield f"{name}, top_k={k}", asked(name, yes_or_no, top_k=k), found
    yield "r_precision", asked("r_precision", yes_or_no), evaluate(*whole, "Rprec", conventions="torchmetrics")


def xgboost(rng):
    import xgboost as xgb

    # Its map and its precision take yes and no alone; its linear gain takes fractions.
    for kinds, grades, exp in (
        ({"ndcg": "nDCG"}, range(5), True),
        ({"ndcg": "nDCG(gain='linear')"}, FRACTIONS, False),
        ({"map": "AP", "pre": "P"}, BINARY, True),
    ):
        qrels, run = collection(rng, scores="tied", missing=True, grades=grades)
        labels, scores, sizes = arrays(qrels, run)
        data = xgb.DMatrix(np.zeros((len(labels), 1)), label=labels, base_margin=scores.astype(np.float32))
        data.set_group(sizes)
        asked = {f"{name}@{k}": f"{ours}@{k}" for name, ours in kinds.items() for k in CUTS}
        params = {"objective": "rank:ndcg", "eval_metric": list(asked), "ndcg_exp_gain": exp}
        found = dict(re.findall(r"eval-(\S+):(\S+)", xgb.Booster(params, [data]).eval(data)))
        for name, ours in asked.items():
            how = "" if exp else ", linear gain"
            yield name + how, float(found[name]), evaluate(qrels, run, ours, conventions="xgboost")


def lightgbm(rng):
    import lightgbm as lgb

    qrels, run = collection(rng, scores="tied", missing=True)
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

    def asked(pair, metric):
        labels, scores, sizes = arrays(*pair)
        return eval_metric(labels, scores, metric, group_id=np.repeat(np.arange(len(sizes)), sizes))[0]

    several = {"NDCG": "nDCG", "DCG": "DCG", "MAP": "AP", "PrecisionAt": "P", "RecallAt": "R", "MRR": "RR"}
    relevant = "AP", "P", "R", "RR"  # from a grade above 0.5 on
    for grades in (range(5), (-1, *FRACTIONS)):
        pair = qrels, run = collection(rng, scores="tied", missing=True, grades=grades)
        if -1 in grades:  # beside which a document that nobody judged would need a label
            run = {q: {d: s for d, s in docs.items() if d in qrels[q]} for q, docs in run.items()}
            pair = qrels, {q: docs for q, docs in run.items() if docs}
        label = "" if 4 in grades else ", fractions"
        for name, ours in several.items():
            level = "(rel=0.51)" if label and ours in relevant else ""
            for k in CUTS:
                found = evaluate(*pair, f"{ours}{level}@{k}", conventions="catboost")
                yield f"{name}:top={k}{label}", asked(pair, f"{name}:top={k}"), found
        for k in CUTS:
            found = evaluate(*pair, f"nDCG(gain='exp')@{k}", conventions="catboost")
            yield f"NDCG:top={k};type=Exp{label}", asked(pair, f"NDCG:top={k};type=Exp"), found
