"""The vectors of conformance/, through the tools that are here.

Each function asks a tool for a measure of a case, in the tool's words, and gives its number for all queries: the tool's
own mean where it has one, else the mean of the queries for which it has a value. It raises `Lacks` if the tool has no
such measure or cutoff, and `CannotTake` if what the case shows cannot be said to it: a document twice in a dict, a
missed document in an array of labels. Whatever else is raised, the tool raises."""

import math
import os
import subprocess
import tempfile
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

import numpy as np
from parts import before_numpy_2, method_alone, module_alone, stand_ins


class Lacks(Exception):
    "The tool has no such measure, or not with this cutoff."


class CannotTake(Exception):
    "There is no way to tell the tool what the case shows."


class Given:
    "A case as tools take it."

    def __init__(self, case):
        self.k, self.recall = case.get("k"), case.get("recall")
        if "run" in case:
            self.judgments, self.results = case["judgments"], case["run"]
        else:
            grades = list(enumerate(case["grades"]))
            self.judgments = [["q", f"d{i}", g] for i, g in grades if g is not None]
            self.judgments += [["q", f"m{i}", g] for i, g in enumerate(case["missed"])]
            self.results = [["q", f"d{i}", len(grades) - i] for i, _ in grades]

    @cached_property
    def qrels(self):
        "{query: {document: grade}}"
        return self._nested(self.judgments, lambda grade: int(grade) if grade == int(grade) else grade)

    @cached_property
    def run(self):
        "{query: {document: score}}"
        return self._nested(self.results, float)

    def _nested(self, rows, number):
        found = {}
        for query, document, value in rows:
            documents = found.setdefault(query, {})
            if document in documents:
                raise CannotTake("a document stands twice")
            documents[document] = number(value)
        return found

    def ranked(self, query):
        "The documents of a query, best first; equal scores as given, and a document as often as it is there."
        rows = [row for row in self.results if row[0] == query]
        return [document for _, document, _ in sorted(rows, key=lambda row: -row[2])][: self.k]

    def relevant(self, query):
        return [document for document, grade in self.qrels[query].items() if grade >= 1]

    @cached_property
    def arrays(self):
        "[(labels, scores)] of each query: what was retrieved, an unjudged document as 0. Nothing else can be told."
        found = []
        for query, judged in self.qrels.items():
            results = self.run.get(query)
            if not results:
                raise CannotTake("a query without results")
            if not judged.keys() <= results.keys():
                raise CannotTake("a judged document that was not retrieved")
            labels = [judged.get(document, 0) for document in results]
            found.append((np.array(labels), np.array([*results.values()])))
        return found

    @cached_property
    def joined(self):
        "labels, scores and sizes of the groups, one after the other."
        labels, scores = zip(*self.arrays)
        return np.concatenate(labels), np.concatenate(scores), [len(each) for each in labels]


def mean(values):
    values = list(values)
    if not values:
        raise CannotTake("no query is left")
    return float(np.mean(values))


def named(measure, k, with_k, without=MappingProxyType({})):
    "The tool's word for a measure; `with_k` has a place for the cutoff."
    if k is None and measure in without:
        return without[measure]
    if k is not None and measure in with_k:
        return with_k[measure].format(k=k)
    raise Lacks(measure)


# ---- evaluation programs ----

TREC_AT_K = {"P": "P_{k}", "R": "recall_{k}", "Success": "success_{k}", "AP": "map_cut_{k}", "nDCG": "ndcg_cut_{k}"}
TREC = {"P": "set_P", "R": "set_recall", "AP": "map", "nDCG": "ndcg", "RR": "recip_rank"}
TREC |= {"SetP": "set_P", "SetR": "set_recall", "SetF": "set_F", "SetAP": "set_map", "Rprec": "Rprec"}
TREC |= {"GMAP": "gm_map", "Bpref": "bpref", "GMBpref": "gm_bpref"}
TREC |= {"NumRet": "num_ret", "NumRel": "num_rel", "NumRelRet": "num_rel_ret"}


def trec_name(measure, case):
    if measure == "IPrec":
        return "11pt_avg" if case.recall is None else f"iprec_at_recall_{case.recall:.2f}"
    return named(measure, case.k, TREC_AT_K, TREC)


def pytrec_eval(measure, case):
    import pytrec_eval

    name = trec_name(measure, case)
    found = pytrec_eval.RelevanceEvaluator(case.qrels, {name}).evaluate(case.run)
    values = [next(iter(each.values())) for each in found.values()]
    if not values:
        raise CannotTake("no query is left")
    return float(pytrec_eval.compute_aggregated_measure(name, values))


def program(version):
    "Where the program of this version is, built so that it prints all digits."
    return Path(os.environ.get("TREC_EVALS", "."), f"trec_eval-{version}").resolve()


def trec_eval(version, *options):
    "What asks trec_eval of this version."

    def ask(measure, case):
        name = trec_name(measure, case)
        asked = name.rpartition("_") if case.k or case.recall is not None else (name, "", "")
        word = f"{asked[0]}.{asked[2]}" if asked[2] else name
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / part for part in ("qrels", "run")]
            rows = [f"{q} 0 {d} {g}\n" for q, d, g in case.judgments]
            files[0].write_text("".join(rows), encoding="utf-8")
            files[1].write_text("".join(f"{q} Q0 {d} 0 {s!r} run\n" for q, d, s in case.results), encoding="utf-8")
            command = [program(version), *options, "-m", word, *map(str, files)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        return float(done.stdout.split()[-1])

    return ask


IR_AT_K = {name: f"{name}@{{k}}" for name in "P R Success AP nDCG RR Judged ERR".split()} | {"RBP": "RBP(rel=1)@{k}"}
IR = {name: name for name in "AP nDCG RR Judged Rprec Bpref SetP SetR SetF SetAP NumRet NumRel NumRelRet".split()}


def ir_rows(case):
    "Its rows of judgments and results, with queries called by numbers, as gdeval wants them."
    import ir_measures as irm

    number = {}
    for query, _, _ in [*case.judgments, *case.results]:
        number.setdefault(query, str(len(number) + 1))
    whole = [int(g) if g == int(g) else g for _, _, g in case.judgments]
    qrels = [irm.Qrel(number[q], d, g) for (q, d, _), g in zip(case.judgments, whole)]
    return qrels, [irm.ScoredDoc(number[q], d, float(s)) for q, d, s in case.results]


def ir_measures(measure, case):
    import ir_measures as irm

    if measure == "IPrec" and case.recall is not None:
        text = f"IPrec@{case.recall}"
    else:
        text = named(measure, case.k, IR_AT_K, IR)
    asked = irm.parse_measure(text)
    if not irm.DefaultPipeline.supports(asked):
        raise Lacks(measure)  # RBP, where cwl_eval is not installed
    return float(irm.calc_aggregate([asked], *ir_rows(case))[asked])


def gdeval(measure, case):
    import ir_measures as irm

    text = named(measure, case.k, {"nDCG": "nDCG(dcg='exp-log2')@{k}", "ERR": "ERR@{k}"})
    asked = irm.parse_measure(text)
    return float(irm.gdeval.calc_aggregate([asked], *ir_rows(case))[asked])


def msmarco(measure, case):
    import ir_measures as irm
    from ir_measures.providers.msmarco_provider import MsMarcoProvider

    asked = irm.parse_measure(named(measure, case.k, {"RR": "RR@{k}"}))
    return float(MsMarcoProvider().calc_aggregate([asked], *ir_rows(case))[asked])


RANX = {"Success": "hit_rate", "P": "precision", "R": "recall", "F": "f1", "RR": "mrr"}
RANX |= {"AP": "map", "DCG": "dcg", "nDCG": "ndcg"}


def ranx(measure, case):
    import ranx

    whole = RANX | {"Rprec": "r-precision", "Bpref": "bpref", "RBP": "rbp.80"}
    name = named(measure, case.k, {m: n + "@{k}" for m, n in RANX.items()}, whole)
    return float(ranx.evaluate(ranx.Qrels(case.qrels), ranx.Run(case.run), name))


def trectools(measure, case):
    import pandas as pd
    from trectools import TrecEval, TrecQrel, TrecRun

    names = {"P": "get_precision", "AP": "get_map", "nDCG": "get_ndcg"}
    whole = {"AP": "get_map", "nDCG": "get_ndcg", "RR": "get_reciprocal_rank"}
    whole |= {"Rprec": "get_rprec", "Bpref": "get_bpref"}
    name = named(measure, case.k, names, whole)
    qrels, run = TrecQrel(), TrecRun()
    qrels.qrels_data = pd.DataFrame(case.judgments, columns=["query", "docid", "rel"]).assign(q0=0)
    rows = [[q, "Q0", d, i, s, "run"] for q, docs in case.run.items() for i, (d, s) in enumerate(docs.items(), 1)]
    run.run_data = pd.DataFrame(rows, columns=["query", "q0", "docid", "rank", "score", "system"])
    how = {} if case.k is None else {"depth": case.k}
    return float(getattr(TrecEval(run, qrels), name)(trec_eval=True, per_query=False, **how))


# ---- models ----


def sklearn(measure, case):
    from sklearn.metrics import average_precision_score, dcg_score, ndcg_score

    if measure == "AP" and case.k is None:
        return mean(average_precision_score(labels >= 1, scores) for labels, scores in case.arrays)
    if measure not in ("nDCG", "DCG"):
        raise Lacks(measure)
    score = ndcg_score if measure == "nDCG" else dcg_score
    return mean(score([labels], [scores], k=case.k) for labels, scores in case.arrays)


def torchmetrics(measure, case):
    import torch
    from torchmetrics.functional import retrieval

    at_k = {"nDCG": "normalized_dcg", "AP": "average_precision", "P": "precision", "R": "recall"}
    at_k |= {"RR": "reciprocal_rank", "Success": "hit_rate"}
    name = named(measure, case.k, at_k, at_k | {"Rprec": "r_precision"})
    how = {} if case.k is None else {"top_k": case.k}
    values = []
    for labels, scores in case.arrays:
        target = torch.tensor(labels if measure == "nDCG" else labels >= 1)
        ask = getattr(retrieval, f"retrieval_{name}")
        values.append(ask(torch.tensor(scores, dtype=torch.float32), target, **how).item())
    return mean(values)


def xgboost(measure, case):
    import xgboost as xgb

    if measure not in ("nDCG", "AP", "P") or (measure == "P" and case.k is None):
        raise Lacks(measure)
    labels, scores, sizes = case.joined
    if measure != "nDCG":
        labels = labels >= 1  # it wants classes
    data = xgb.DMatrix(np.zeros((len(labels), 1)), label=labels, base_margin=scores.astype(np.float32))
    data.set_group(sizes)
    name = {"nDCG": "ndcg", "AP": "map", "P": "pre"}[measure] + ("" if case.k is None else f"@{case.k}")
    said = xgb.Booster({"objective": "rank:ndcg", "eval_metric": [name]}, [data]).eval(data)
    return float(said.rpartition(":")[2])


def lightgbm(measure, case):
    import lightgbm as lgb

    if measure not in ("nDCG", "AP") or case.k is None:
        raise Lacks(measure)
    labels, scores, sizes = case.joined
    quiet = {"verbose": -1}
    name = {"nDCG": "ndcg", "AP": "map"}[measure]
    features = np.arange(float(len(labels)))[:, None]
    data = lgb.Dataset(features, label=labels, group=sizes, init_score=scores, params=quiet)
    params = {"objective": "lambdarank", "metric": [name], "eval_at": [case.k], **quiet}
    return float(lgb.Booster(params, data).eval_train()[0][2])


def catboost(measure, case):
    from catboost.utils import eval_metric

    names = {"nDCG": "NDCG", "DCG": "DCG", "AP": "MAP", "P": "PrecisionAt", "R": "RecallAt", "RR": "MRR"}
    name = named(measure, case.k, {m: n + ":top={k}" for m, n in names.items()}, names)
    labels, scores, sizes = case.joined
    groups = np.repeat(np.arange(len(sizes)), sizes)
    return float(eval_metric(labels, scores, name, group_id=groups)[0])


# ---- recommenders ----


def recbole(measure, case):
    before_numpy_2()
    bases = {"recbole_evaluator_base_metric": ("AbstractMetric", "TopkMetric", "LossMetric")}
    names = "recbole", "recbole.utils", "recbole.evaluator", "recbole.evaluator.utils", "recbole.evaluator.base_metric"
    words = {"Success": "Hit", "RR": "MRR", "AP": "MAP", "R": "Recall", "nDCG": "NDCG", "P": "Precision"}
    if measure not in words or case.k is None:
        raise Lacks(measure)
    with stand_ins(*names, **bases):
        metrics = module_alone("recbole", "evaluator/metrics.py")
    metric = getattr(metrics, words[measure])
    ask = metric.__new__(metric).metric_info
    values = []
    for query in case.qrels:
        wanted, docs = case.relevant(query), case.ranked(query)
        if len(docs) < case.k:
            raise CannotTake("its lists are full: it ranks all items")
        if not wanted:
            continue  # it evaluates users with test items
        hits, many = np.array([[doc in wanted for doc in docs]]), np.array([len(wanted)])
        found = ask(hits, many) if measure in ("AP", "R", "nDCG") else ask(hits)
        values.append(found[0, case.k - 1])
    return mean(values)


def interactions(case, names, grade=False):
    import pandas as pd

    rows = [(q, doc, *([float(case.qrels[q][doc])] if grade else [])) for q in case.qrels for doc in case.relevant(q)]
    return pd.DataFrame(rows, columns=names)


def recommenders(measure, case):
    import pandas as pd
    from recommenders.evaluation import python_evaluation as theirs

    words = {"P": "precision_at_k", "R": "recall_at_k", "AP": "map_at_k", "nDCG": "ndcg_at_k"}
    if measure not in words or case.k is None:
        raise Lacks(measure)
    true = interactions(case, ["userID", "itemID", "rating"], grade=True)
    rows = [(q, doc, score) for q, docs in case.run.items() for doc, score in docs.items()]
    pred = pd.DataFrame(rows, columns=["userID", "itemID", "prediction"])
    return float(getattr(theirs, words[measure])(true, pred, k=case.k))


def rectools(measure, case):
    import pandas as pd
    from rectools import metrics

    words = {"nDCG": "NDCG", "AP": "MAP", "RR": "MRR", "Success": "HitRate", "P": "Precision", "R": "Recall"}
    if measure not in words or case.k is None:
        raise Lacks(measure)
    rows = [(q, doc, rank) for q in case.run for rank, doc in enumerate(case.ranked(q), 1)]
    reco = pd.DataFrame(rows, columns=["user_id", "item_id", "rank"])
    return float(getattr(metrics, words[measure])(k=case.k).calc(reco, interactions(case, ["user_id", "item_id"])))


def lenskit(measure, case):
    with stand_ins("torch", torch=("Tensor",)):
        from lenskit.data import ItemList
        from lenskit.metrics import ranking

    words = {"nDCG": "NDCG", "DCG": "DCG", "P": "Precision", "R": "Recall", "RR": "RecipRank", "Success": "Hit"}
    words |= {"RBP": "RBP", "AP": "AveragePrecision"}
    if measure not in words:
        raise Lacks(measure)
    metric, values = getattr(ranking, words[measure])(case.k), []
    for query in case.qrels:
        lists = ItemList(item_ids=case.ranked(query), ordered=True)
        values.append(metric.measure_list(lists, ItemList(item_ids=case.relevant(query))))
    return float(np.nanmean(values)) if not np.isnan(values).all() else math.nan


def spark(measure, case):
    from ask_recommenders import _spark
    from pyspark.mllib.evaluation import RankingMetrics

    words = {"P": "precisionAt", "R": "recallAt", "nDCG": "ndcgAt", "AP": "meanAveragePrecisionAt"}
    whole = {"AP": "meanAveragePrecision"}
    name = named(measure, case.k, words, whole)
    rows = [(case.ranked(q), case.relevant(q)) for q in case.qrels]
    rows.sort(key=lambda row: not row[1])
    if not rows[0][1]:
        raise CannotTake("the types of empty lists alone cannot be told")
    metrics = RankingMetrics(_spark().sparkContext.parallelize(rows, 1))
    return float(metrics.meanAveragePrecision if case.k is None else getattr(metrics, name)(case.k))


# ---- retrieval ----


def beir(measure, case):
    from beir.retrieval.evaluation import EvaluateRetrieval

    words = {"nDCG": "NDCG@{k}", "AP": "MAP@{k}", "R": "Recall@{k}", "P": "P@{k}"}
    custom = {"RR": "MRR", "Success": "Accuracy"}
    if case.k is not None and measure in custom:
        found = EvaluateRetrieval.evaluate_custom(case.qrels, case.run, [case.k], custom[measure])
        return float(found[f"{custom[measure]}@{case.k}"])
    name = named(measure, case.k, words)
    found = EvaluateRetrieval.evaluate(case.qrels, case.run, [case.k])
    return float({name: value for part in found for name, value in part.items()}[name])


def mteb(measure, case):
    with stand_ins("mteb", "mteb.types", mteb_types=("RetrievalEvaluationResult",)):
        theirs = module_alone("mteb", "_evaluators/retrieval_metrics.py")
    words = {"nDCG": "ndcg_cut_{k}", "AP": "map_cut_{k}", "R": "recall_{k}", "P": "P_{k}", "Success": "success_{k}"}
    if measure == "RR" and case.k is not None:
        return mean(theirs.mrr(case.qrels, case.run, [case.k])[f"MRR@{case.k}"])
    name = named(measure, case.k, words)
    found = theirs.calculate_retrieval_scores(case.run, case.qrels, [case.k])
    return mean(each[name] for each in found.all_scores.values())


def llama_index(measure, case):
    from llama_index.core.evaluation.retrieval.metrics import METRIC_REGISTRY

    words = {"Success": "hit_rate", "RR": "mrr", "P": "precision", "R": "recall", "AP": "ap", "nDCG": "ndcg"}
    if measure not in words:
        raise Lacks(measure)
    ask = METRIC_REGISTRY[words[measure]]().compute
    found = [ask(expected_ids=case.relevant(q), retrieved_ids=case.ranked(q)) for q in case.qrels]
    return mean(each.score for each in found)


def haystack(measure, case):
    os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
    from haystack import Document
    from haystack.components import evaluators

    kinds = {"AP": "DocumentMAPEvaluator", "RR": "DocumentMRREvaluator", "nDCG": "DocumentNDCGEvaluator"}
    kinds |= {"R": "DocumentRecallEvaluator", "Success": "DocumentRecallEvaluator"}
    if measure not in kinds:
        raise Lacks(measure)
    mode = {"R": {"mode": "multi_hit"}, "Success": {"mode": "single_hit"}}.get(measure, {})
    ask = getattr(evaluators, kinds[measure])(**mode)
    graded = [[Document(content=doc, score=grade) for doc, grade in judged.items()] for judged in case.qrels.values()]
    good = [[Document(content=doc) for doc in case.relevant(q)] for q in case.qrels]
    lists = [[Document(content=doc) for doc in case.ranked(q)] for q in case.qrels]
    return float(ask.run(graded if measure == "nDCG" else good, lists)["score"])


def ragas(measure, case):
    if measure != "AP":
        raise Lacks(measure)
    ask = method_alone("ragas", "metrics/collections/context_precision/metric.py", "_calculate_average_precision")
    verdicts = [[int(case.qrels[q].get(doc, 0) >= 1) for doc in case.ranked(q)] for q in case.qrels]
    return mean(ask(each) for each in verdicts)


def mlflow(measure, case):
    import pandas as pd
    from ask_retrieval import _mlflow

    words = {"P": "precision", "R": "recall", "nDCG": "ndcg"}
    if measure not in words or case.k is None:
        raise Lacks(measure)
    wanted = pd.Series([case.relevant(q) for q in case.qrels])
    found = pd.Series([case.ranked(q) for q in case.qrels])
    return mean(getattr(_mlflow(), f"_{words[measure]}_at_k_eval_fn")(case.k)(found, wanted).scores)


def sentence_transformers(measure, case):
    from ask_retrieval import _evaluator

    words = {"Success": "accuracy", "P": "precision", "R": "recall", "nDCG": "ndcg", "RR": "mrr", "AP": "map"}
    if measure not in words or case.k is None:
        raise Lacks(measure)
    ask = _evaluator({q: {*case.relevant(q)} for q in case.qrels}, [case.k])
    if not ask.queries_ids:
        raise CannotTake("no query is left")
    hits = [[{"corpus_id": doc, "score": s} for of, doc, s in case.results if of == q] for q in ask.queries_ids]
    return float(ask.compute_metrics(hits)[f"{words[measure]}@k"][case.k])


ASK = {
    "pytrec_eval": pytrec_eval,
    "ir_measures": ir_measures,
    "gdeval": gdeval,
    "msmarco": msmarco,
    "ranx": ranx,
    "trectools": trectools,
    "sklearn": sklearn,
    "torchmetrics": torchmetrics,
    "xgboost": xgboost,
    "lightgbm": lightgbm,
    "catboost": catboost,
    "recbole": recbole,
    "recommenders": recommenders,
    "rectools": rectools,
    "lenskit": lenskit,
    "spark": spark,
    "beir": beir,
    "mteb": mteb,
    "llama_index": llama_index,
    "haystack": haystack,
    "ragas": ragas,
    "mlflow": mlflow,
    "sentence_transformers": sentence_transformers,
}
