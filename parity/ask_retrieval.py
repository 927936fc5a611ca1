"Embedding models and what retrieves for language models: BEIR, MTEB, LlamaIndex, Haystack, ragas and others."

import os

from collections_at_random import CUTS, FRACTIONS, KINDS_OF_SCORES, collection, ranked, relevant
from parts import method_alone, module_alone, stand_ins

from irmetrics_nb import evaluate


def beir(rng):
    from beir.retrieval.evaluation import EvaluateRetrieval

    qrels, run = collection(rng, scores=rng.choice(KINDS_OF_SCORES), missing=True, empty=False)
    for query, docs in run.items():
        docs[query] = float(rng.choice([*docs.values()]))
    left = {query: dict(docs) for query, docs in run.items()}
    found = EvaluateRetrieval.evaluate(qrels, left, list(CUTS))  # takes documents called like their query out
    values = {name: value for part in found for name, value in part.items()}
    several = {"NDCG": "nDCG", "MAP": "AP", "Recall": "R", "P": "P"}
    for name, ours in several.items():
        for k in CUTS:
            yield f"{name}@{k}", values[f"{name}@{k}"], evaluate(qrels, run, f"{ours}@{k}", conventions="beir")
    # These are its own lines, and not pytrec_eval's.
    own = {"conventions": "beir", "ties": "given", "score_dtype": "float64", "missing": "zero"}
    for name, ours in {"MRR": "RR", "R_cap": "beir:R_cap", "Accuracy": "Success"}.items():
        values = EvaluateRetrieval.evaluate_custom(qrels, left, list(CUTS), name)
        for k in CUTS:
            yield f"{name}@{k}", values[f"{name}@{k}"], evaluate(qrels, run, f"{ours}@{k}", **own)


def mteb(rng):
    with stand_ins("mteb", "mteb.types", mteb_types=("RetrievalEvaluationResult",)):
        theirs = module_alone("mteb", "_evaluators/retrieval_metrics.py")
    qrels, run = collection(rng, scores=rng.choice(KINDS_OF_SCORES), missing=True, empty=False)
    found = theirs.calculate_retrieval_scores(run, qrels, list(CUTS))
    several = {"ndcg_cut": "nDCG", "map_cut": "AP", "recall": "R", "P": "P", "success": "Success"}
    for name, ours in several.items():
        for k in CUTS:
            values = [found.all_scores[q][f"{name}_{k}"] for q in qrels if q in run]
            yield f"{name}_{k}", values, evaluate(qrels, run, f"{ours}@{k}", conventions="mteb")
    own = {"conventions": "mteb", "score_dtype": "float64"}
    mrr, capped = theirs.mrr(qrels, run, CUTS), theirs.recall_cap(qrels, run, CUTS)
    for k in CUTS:
        yield f"MRR@{k}", mrr[f"MRR@{k}"], evaluate(qrels, run, f"RR@{k}", **own)
        yield f"R_cap_at_{k}", capped[f"R_cap_at_{k}"], evaluate(qrels, run, f"beir:R_cap@{k}", **own)


def llama_index(rng):
    from llama_index.core.evaluation.retrieval.metrics import METRIC_REGISTRY

    qrels, run = collection(rng, grades=FRACTIONS)
    qrels = {q: docs for q, docs in qrels.items() if relevant(docs)}  # it refuses an empty list
    several = {"hit_rate": "Success", "mrr": "RR", "precision": "P(divisor='min(k,n)')"}
    for name, ours in (several | {"recall": "R", "ap": "AP", "ndcg": "nDCG"}).items():
        for k in CUTS:
            ask = METRIC_REGISTRY[name]().compute
            found = [ask(expected_ids=relevant(qrels[q]), retrieved_ids=ranked(run[q])[:k]) for q in qrels]
            values = [each.score for each in found]
            yield f"{name} of the top {k}", values, evaluate(qrels, run, f"{ours}@{k}", conventions="llama_index")


def haystack(rng):
    os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
    from haystack import Document
    from haystack.components.evaluators import (
        DocumentMAPEvaluator,
        DocumentMRREvaluator,
        DocumentNDCGEvaluator,
        DocumentRecallEvaluator,
    )

    qrels, run = collection(rng, grades=FRACTIONS)
    several = {
        DocumentMAPEvaluator(): "AP",
        DocumentMRREvaluator(): "RR",
        DocumentRecallEvaluator(mode="multi_hit"): "R",
        DocumentRecallEvaluator(mode="single_hit"): "Success",
        DocumentNDCGEvaluator(): "nDCG",
    }
    good = {q: [Document(content=doc) for doc in relevant(qrels[q])] for q in qrels}
    graded = {q: [Document(content=doc, score=grade) for doc, grade in qrels[q].items()] for q in qrels}
    queries = [q for q in qrels if good[q]]
    some = {q: qrels[q] for q in queries}
    for ask, ours in several.items():
        for k in CUTS:
            lists = [[Document(content=doc) for doc in ranked(run[q])[:k]] for q in queries]
            wanted = [(graded if ours == "nDCG" else good)[q] for q in queries]
            values = ask.run(wanted, lists)["individual_scores"]
            name = f"{type(ask).__name__}, {ours} of the top {k}"
            yield name, values, evaluate(some, run, f"{ours}@{k}", conventions="haystack")


def ragas(rng):
    path = "metrics/collections/context_precision/metric.py"
    ask = method_alone("ragas", path, "_calculate_average_precision")
    qrels, run = collection(rng, missing=True, grades=FRACTIONS)
    for k in CUTS:
        verdicts = [[int(qrels[q].get(doc, 0) >= 1) for doc in ranked(run[q])[:k]] for q in qrels if q in run]
        yield f"of the top {k}", [ask(each) for each in verdicts], evaluate(qrels, run, f"AP@{k}", conventions="ragas")


def _mlflow():
    parents = "mlflow", "mlflow.environment_variables", "mlflow.metrics", "mlflow.metrics.base"
    with stand_ins(*parents, mlflow_metrics_base=("MetricValue",)):
        return module_alone("mlflow", "metrics/metric_definitions.py")


def mlflow(rng):
    import pandas as pd

    theirs = _mlflow()
    qrels, run = collection(rng, scores=rng.choice(KINDS_OF_SCORES), missing=True, grades=FRACTIONS)
    qrels = {q: docs for q, docs in qrels.items() if q in run or relevant(docs)}  # a query with neither scores 1
    run = {q: dict([*docs.items()][: rng.integers(1, 40)]) for q, docs in run.items()}  # some lists are short
    wanted = pd.Series([relevant(docs) for docs in qrels.values()])
    found = pd.Series([ranked(run.get(q, {})) for q in qrels])
    for name, ours in {"precision": "P", "recall": "R", "ndcg": "nDCG"}.items():
        for k in CUTS:
            values = getattr(theirs, f"_{name}_at_k_eval_fn")(k)(found, wanted).scores
            yield f"{name}_at_{k}", values, evaluate(qrels, run, f"{ours}@{k}", conventions="mlflow")


def _evaluator(wanted, ks):
    "sentence-transformers' evaluator of these relevant documents; what encodes and scores is not loaded."
    parents = "torch", "tqdm", "sentence_transformers", "sentence_transformers.base", "sentence_transformers.util"
    parents += "sentence_transformers.base.evaluation", "sentence_transformers.util.similarity"
    base = "sentence_transformers.base.evaluation.evaluator"
    with stand_ins(*parents, base, torch=("Tensor",), **{base.replace(".", "_"): ("BaseEvaluator",)}):
        theirs = module_alone("sentence_transformers", "sentence_transformer/evaluation/information_retrieval.py")
    cuts = dict.fromkeys(["mrr_at_k", "ndcg_at_k", "accuracy_at_k", "precision_recall_at_k", "map_at_k"], ks)
    return theirs.InformationRetrievalEvaluator(dict.fromkeys(wanted, ""), {}, wanted, **cuts)


def sentence_transformers(rng):
    qrels, run = collection(rng, scores=rng.choice(KINDS_OF_SCORES), missing=True, grades=FRACTIONS)
    run = {q: dict(sorted(docs.items())) for q, docs in run.items()}  # it puts ties into the order of their ids
    ask = _evaluator({q: {*relevant(docs)} for q, docs in qrels.items()}, [*CUTS])
    hits = [[{"corpus_id": doc, "score": s} for doc, s in run.get(q, {}).items()] for q in ask.queries_ids]
    found = ask.compute_metrics([list(reversed(each)) for each in hits])
    several = {"accuracy": "Success", "precision": "P", "recall": "R", "ndcg": "nDCG", "mrr": "RR", "map": "AP"}
    for name, ours in several.items():
        for k in CUTS:
            values = evaluate(qrels, run, f"{ours}@{k}", conventions="sentence_transformers")
            yield f"{name}@{k}", found[f"{name}@k"][k], values
