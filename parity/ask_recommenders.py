"Recommender toolkits: RecBole, recommenders, RecTools, LensKit, Spark."

import os
from functools import cache

import numpy as np
from collections_at_random import CUTS, FRACTIONS, collection, ranked, relevant
from parts import before_numpy_2, module_alone, stand_ins

from irmetrics_nb import evaluate


def recbole(rng):
    "Its lists are always full: it ranks all items."
    before_numpy_2()
    bases = {"recbole_evaluator_base_metric": ("AbstractMetric", "TopkMetric", "LossMetric")}
    names = "recbole", "recbole.utils", "recbole.evaluator", "recbole.evaluator.utils", "recbole.evaluator.base_metric"
    with stand_ins(*names, **bases):
        metrics = module_alone("recbole", "evaluator/metrics.py")
    qrels, run = _full(rng)
    lists = [ranked(run[q]) for q in qrels]
    wanted = [set(relevant(qrels[q])) for q in qrels]
    hits = np.array([[doc in good for doc in docs] for docs, good in zip(lists, wanted)])
    many = np.array([len(good) for good in wanted])
    several = {"Hit": "Success", "MRR": "RR", "MAP": "AP", "Recall": "R", "NDCG": "nDCG", "Precision": "P"}
    for name, ours in several.items():
        metric = getattr(metrics, name)
        ask = metric.__new__(metric).metric_info
        values = ask(hits, many) if name in ("MAP", "Recall", "NDCG") else ask(hits)
        for k in (1, 3, 5, 10, 40):
            yield f"{name}@{k}", values[:, k - 1], evaluate(qrels, run, f"{ours}@{k}", conventions="recbole")


def _full(rng, documents=40):
    "A collection whose runs hold all documents."
    qrels, _ = collection(rng, empty=False, documents=documents, grades=FRACTIONS)
    ids = [f"d{d:02}" for d in range(documents)]
    return qrels, {q: dict(zip(ids, map(float, rng.permutation(documents)))) for q in qrels}


def _interactions(qrels, names, grade=False):
    "A table of who touched what."
    import pandas as pd

    rows = [(q, doc, *([float(qrels[q][doc])] if grade else [])) for q in qrels for doc in relevant(qrels[q])]
    return pd.DataFrame(rows, columns=names)


def recommenders(rng):
    import pandas as pd
    from recommenders.evaluation import python_evaluation as theirs

    qrels, run = collection(rng, missing=True, grades=(0, 1, 1.25, 2.5, 3))
    true = _interactions(qrels, ["userID", "itemID", "rating"], grade=True)
    rows = [(q, doc, score) for q, docs in run.items() for doc, score in docs.items()]
    pred = pd.DataFrame(rows, columns=["userID", "itemID", "prediction"])
    several = {"precision_at_k": "P", "recall_at_k": "R", "map_at_k": "AP", "map": "AP(divisor='relevant')"}
    for k in CUTS:
        for name, ours in several.items():
            value = getattr(theirs, name)(true, pred, k=k)
            yield f"{name}, k={k}", value, evaluate(qrels, run, f"{ours}@{k}", conventions="recommenders")
        for score_type, ours in {"binary": "nDCG", "raw": "nDCG(gain='linear')", "exp": "nDCG(gain='exp')"}.items():
            value = theirs.ndcg_at_k(true, pred, k=k, score_type=score_type)
            how = {"conventions": "recommenders", "missing": "zero"}  # it is averaged over all users
            yield f"ndcg_at_k, k={k}, {score_type}", value, evaluate(qrels, run, f"{ours}@{k}", **how)


def rectools(rng):
    import pandas as pd
    from rectools.metrics import MAP, MRR, NDCG, HitRate, Precision, Recall

    qrels, run = collection(rng, missing=True, grades=FRACTIONS)
    touched = _interactions(qrels, ["user_id", "item_id"])
    rows = [(q, doc, rank) for q, docs in run.items() for rank, doc in enumerate(ranked(docs), 1)]
    reco = pd.DataFrame(rows, columns=["user_id", "item_id", "rank"])
    several = {NDCG: "nDCG", MAP: "AP", MRR: "RR", HitRate: "Success", Precision: "P", Recall: "R"}
    for k in CUTS:
        for metric, ours in several.items():
            value = metric(k=k).calc(reco, touched)
            yield f"{metric.__name__}(k={k})", value, evaluate(qrels, run, f"{ours}@{k}", conventions="rectools")
        value = NDCG(k=k, divide_by_achievable=True).calc(reco, touched)
        ours = evaluate(qrels, run, f"nDCG(ideal_from='judged')@{k}", conventions="rectools")
        yield f"NDCG(k={k}, divide_by_achievable=True)", value, ours
        value = Precision(k=k, r_precision=True).calc(reco, touched)
        ours = evaluate(qrels, run, f"P(divisor='min(R,k)')@{k}", conventions="rectools")
        yield f"Precision(k={k}, r_precision=True)", value, ours


def lenskit(rng):
    with stand_ins("torch", torch=("Tensor",)):
        from lenskit.data import ItemList
        from lenskit.metrics import DCG, NDCG, RBP, Hit, Precision, Recall, RecipRank
        from lenskit.metrics.ranking import AveragePrecision
    qrels, run = collection(rng, grades=FRACTIONS)
    several = {NDCG: "nDCG", DCG: "DCG", Precision: "P", Recall: "R", RecipRank: "RR", Hit: "Success", RBP: "RBP"}
    for metric, ours in (several | {AveragePrecision: "AP"}).items():
        for k in CUTS:
            # Without anything relevant some are NaN, others 0, and AP divides by 0.
            queries = [q for q in qrels if relevant(qrels[q])]
            lists = [ItemList(item_ids=ranked(run[q]), ordered=True) for q in queries]
            wanted = [ItemList(item_ids=relevant(qrels[q])) for q in queries]
            values = [metric(k).measure_list(docs, good) for docs, good in zip(lists, wanted)]
            some = {q: qrels[q] for q in queries}
            yield f"{metric.__name__}({k})", values, evaluate(some, run, f"{ours}@{k}", conventions="lenskit")


def spark(rng):
    from pyspark.mllib.evaluation import RankingMetrics

    qrels, run = collection(rng, queries=40, grades=FRACTIONS)
    rows = [(ranked(run[q]), relevant(qrels[q])) for q in qrels]
    # A query without anything relevant has a row too; the types of a column of empty lists cannot be told.
    rows.sort(key=lambda row: not row[1])
    metrics = RankingMetrics(_spark().sparkContext.parallelize(rows, 1))
    yield "meanAveragePrecision", metrics.meanAveragePrecision, evaluate(qrels, run, "AP", conventions="spark")
    several = {"precisionAt": "P", "recallAt": "R", "ndcgAt": "nDCG", "meanAveragePrecisionAt": "AP"}
    for name, ours in several.items():
        for k in CUTS:
            yield f"{name}({k})", getattr(metrics, name)(k), evaluate(qrels, run, f"{ours}@{k}", conventions="spark")


@cache
def _spark():
    "A session on this machine alone."
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    here = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    builder = SparkSession.builder.master("local[1]")
    for name, value in here.items():
        builder = builder.config(name, value)
    found = builder.getOrCreate()
    found.sparkContext.setLogLevel("OFF")
    return found
