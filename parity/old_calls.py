"""The calls that somebody makes who comes from another tool, as the pages "Coming from" print them.

Each gives {our text: the number that the old call gives}, for two queries that a page can show. What the pages and the
tests compare with is stored with the results."""

import re

import numpy as np

QRELS = {"q1": {"d1": 3, "d2": 0, "d3": 1}, "q2": {"d1": 0, "d4": 2}}
RUN = {"q1": {"d2": 0.9, "d1": 0.8, "d3": 0.7}, "q2": {"d4": 0.6, "d1": 0.5}}
LABELS = [np.array(list(docs.values())) for docs in QRELS.values()]
SCORES = [np.array([RUN[q][doc] for doc in docs]) for q, docs in QRELS.items()]


def pytrec_eval():
    import pytrec_eval

    names = {"map", "ndcg_cut_2", "ndcg_cut_10", "P_5", "recip_rank", "set_F_0.5"}
    found = pytrec_eval.RelevanceEvaluator(QRELS, names).evaluate(RUN)
    values = {name: [each.get(name, each.get("set_F")) for each in found.values()] for name in sorted(names)}
    return {name: float(np.mean(each)) for name, each in values.items()}


def trec_eval():
    return _as_program("9.0.8", "")


def trec_eval10():
    return _as_program("10.0", "trec_eval10:")


def _as_program(version, whose):
    from ask_evaluators import by_program, program

    asked = {"map": "map", "11pt_avg": "11pt_avg", "ndcg_cut.2,10": "ndcg_cut_2 ndcg_cut_10", "P.5": "P_5"}
    options = [part for name in asked for part in ("-m", name)]
    found = by_program(program(version), QRELS, RUN, *options)
    names = " ".join(asked.values()).split()
    return {f"{whose}{name}": found[name, "all"] for name in names}


def ir_measures():
    import ir_measures as irm

    asked = [irm.nDCG @ 10, irm.P(rel=2) @ 5, irm.RR, irm.SetF(beta=4.0)]
    found = irm.calc_aggregate(asked, QRELS, RUN)
    return {f"ir_measures:{measure}": found[measure] for measure in asked}


def ranx():
    from ranx import Qrels, Run, evaluate

    names = ["hit_rate@1", "ndcg@10", "ndcg_burges@10", "ndcg@10-l2", "mrr@10", "map", "hits@5", "rbp.95"]
    found = evaluate(Qrels(QRELS), Run(RUN), names)
    return {f"ranx:{name}": float(found[name]) for name in names}


def sklearn():
    from sklearn.metrics import average_precision_score, dcg_score, ndcg_score

    pairs = list(zip(LABELS, SCORES))
    return {
        "nDCG@2": float(np.mean([ndcg_score([g], [s], k=2) for g, s in pairs])),
        "DCG": float(np.mean([dcg_score([g], [s]) for g, s in pairs])),
        "AP": float(np.mean([average_precision_score(g >= 1, s) for g, s in pairs])),
    }


def xgboost():
    import xgboost as xgb

    labels, scores = np.concatenate(LABELS), np.concatenate(SCORES)
    data = xgb.DMatrix(np.zeros((len(labels), 1)), label=labels, base_margin=scores.astype(np.float32))
    data.set_group([len(each) for each in LABELS])
    booster = xgb.Booster({"objective": "rank:ndcg", "eval_metric": ["ndcg@2", "ndcg@10"]}, [data])
    return {f"xgboost:{name}": float(x) for name, x in re.findall(r"eval-(\S+):(\S+)", booster.eval(data))}


def lightgbm():
    import lightgbm as lgb

    labels, sizes, quiet = np.concatenate(LABELS), [len(each) for each in LABELS], {"verbose": -1}
    start = np.concatenate(SCORES)
    data = lgb.Dataset(np.arange(5.0)[:, None], label=labels, group=sizes, init_score=start, params=quiet)
    params = {"objective": "lambdarank", "metric": ["ndcg", "map"], "eval_at": [2], **quiet}
    return {f"lightgbm:{name}": value for _, name, value, _ in lgb.Booster(params, data).eval_train()}


def catboost():
    from catboost.utils import eval_metric

    labels, scores = np.concatenate(LABELS), np.concatenate(SCORES)
    groups = np.repeat(range(len(LABELS)), [len(each) for each in LABELS])
    asked = {"NDCG": 2, "MAP": 2, "PrecisionAt": 5}
    found = {name: eval_metric(labels, scores, f"{name}:top={k}", group_id=groups)[0] for name, k in asked.items()}
    return {f"catboost:{name}@{k}": found[name] for name, k in asked.items()}


OLD_CALLS = {
    "trec_eval": trec_eval,
    "trec_eval-9.0.4": pytrec_eval,
    "trec_eval10": trec_eval10,
    "ir_measures": ir_measures,
    "ranx": ranx,
    "sklearn": sklearn,
    "xgboost": xgboost,
    "lightgbm": lightgbm,
    "catboost": catboost,
}
