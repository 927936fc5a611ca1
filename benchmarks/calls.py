"""What is measured in memory: a call of one tool on input that is there, in a process of its own.

    python benchmarks/calls.py dicts "50 x 10, dicts" irmetrics_nb

Prints JSON: the seconds of the call, by the clock and of the processor, and what it computed. The first call warms up
and is left out, unless it takes more than two seconds; short calls are repeated, and the mean is printed.
"""
import json
import sys
from itertools import combinations
from time import perf_counter, process_time

US = "irmetrics_nb"
MEASURES = "AP nDCG@10 RR P@10 R@100".split()
TREC = dict(zip(MEASURES, "map ndcg_cut_10 recip_rank P_10 recall_100".split(), strict=True))


def generator():
    import numpy as np

    return np.random.default_rng(7)


def trec_means(evaluator, run):
    "The means that pytrec_eval gives."
    rows = evaluator.evaluate(run).values()
    return {m: sum(row[name] for row in rows) / len(rows) for m, name in TREC.items()}


def frames(case, tool, part):
    "M as two data frames."
    import pandas as pd
    import polars as pl
    from data import tables

    read = pl.read_parquet if case.endswith("polars") else pd.read_parquet
    qrels, run = map(read, tables("M", part))
    if tool == "ir_measures":
        import ir_measures

        measures = [ir_measures.parse_measure(m) for m in MEASURES]
        return lambda: {str(m): v for m, v in ir_measures.calc_aggregate(measures, qrels, run).items()}
    from irmetrics_nb import evaluate

    return lambda: evaluate(qrels, run, MEASURES).means


def lists(queries, depth, spell):
    "Five relevant documents of each query, and `depth` retrieved ones, best first."
    docs = generator().integers(0, 1_000_000, (queries, depth + 5)).tolist()
    docs = [[spell(d * 64 + i) for i, d in enumerate(row)] for row in docs]
    qrels = {str(q): row[:10:2] for q, row in enumerate(docs)}
    return qrels, {str(q): row[3 : 3 + depth] for q, row in enumerate(docs)}


def dicts(case, tool, part):
    "Small queries as dicts of dicts, or as dicts of lists."
    size, form = case.split(", ")
    queries, depth = (int(n.replace(",", "")) for n in size.split(" x "))
    queries = max(50, round(queries * part))
    qrels, run = lists(queries, depth, int if form == "lists of integers" else str)
    if form == "dicts":
        qrels = {q: dict.fromkeys(docs, 1) for q, docs in qrels.items()}
        run = {q: {d: float(-i) for i, d in enumerate(docs)} for q, docs in run.items()}
    if tool == "pytrec_eval":
        from pytrec_eval import RelevanceEvaluator

        return lambda: trec_means(RelevanceEvaluator(qrels, set(TREC.values())), run)
    from irmetrics_nb import evaluate

    return lambda: evaluate(qrels, run, MEASURES).means


def call(case, tool, part):
    "One query, and one list of ten grades."
    grades, scores = [3, 0, 2, 0, 1, 0, 0, 2, 0, 0], [float(-i) for i in range(10)]
    qrels, run = ({"q": {f"d{i}": x for i, x in enumerate(values)}} for values in (grades, scores))
    if tool == "scikit-learn":
        from sklearn.metrics import ndcg_score

        return lambda: {"nDCG": ndcg_score([grades], [scores])}
    if tool == "pytrec_eval":
        from pytrec_eval import RelevanceEvaluator

        return lambda: trec_means(RelevanceEvaluator(qrels, set(TREC.values())), run)
    from irmetrics_nb import evaluate, ndcg

    if case == "ndcg(list)":
        return lambda: {"nDCG": ndcg(grades)}
    return lambda: evaluate(qrels, run, MEASURES).means


def arrays(case, tool, part):
    "Grades and scores as two arrays, with a row for each query."
    import numpy as np

    rows, depth = (int(n.replace(",", "")) for n in case.split(" x "))
    rows, random = max(100, round(rows * part)), generator()
    grades = random.integers(0, 4, (rows, depth)).astype(np.int8)
    scores = random.random((rows, depth))
    if tool.startswith("scikit-learn"):
        from sklearn.metrics import ndcg_score

        return lambda: {"nDCG@10": ndcg_score(grades, scores, k=10, ignore_ties="ties" not in tool)}
    groups = np.repeat(np.arange(rows), depth)
    if tool == "torchmetrics":
        import torch
        from torchmetrics.retrieval import RetrievalNormalizedDCG

        columns = [torch.from_numpy(x.ravel()) for x in (scores, grades.astype(np.int64), groups)]
        return lambda: {"nDCG@10": RetrievalNormalizedDCG(top_k=10)(columns[0], columns[1], indexes=columns[2])}
    from irmetrics_nb import Judged, nDCG

    try:
        Judged.from_scores(grades[:2], scores[:2])
    except ValueError:  # a version that takes no rows
        return lambda: {"nDCG@10": (nDCG @ 10).of(Judged.from_scores(grades.ravel(), scores.ravel(), groups)).mean()}
    return lambda: {"nDCG@10": (nDCG @ 10).of(Judged.from_scores(grades, scores)).mean()}


def runs(case, tool, part):
    "100 files with 50 queries and 100 documents each, one after another."
    from data import small_runs

    qrels, paths = small_runs()
    if tool == "pytrec_eval":
        import pytrec_eval

        def theirs():
            with open(qrels) as file:
                evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), set(TREC.values()))
            means = {}
            for path in paths:
                with open(path) as file:
                    found = trec_means(evaluator, pytrec_eval.parse_run(file))
                means |= {f"{path.stem}, {m}": value for m, value in found.items()}
            return means

        return theirs
    from irmetrics_nb import Qrels, evaluate

    def ours():
        judgments, means = Qrels(qrels), {}
        for path in paths:
            found = evaluate(judgments, path, MEASURES).means
            means |= {f"{path.stem}, {m}": value for m, value in found.items()}
        return means

    def in_one_call():
        found = evaluate(qrels, {path.stem: path for path in paths}, MEASURES).means
        return {f"{name}, {m}": value for name, means in found.items() for m, value in means.items()}

    return in_one_call if case.endswith("one call") else ours


def compare(case, tool, part):
    "All pairs of 20 systems with 5,000 queries on five measures, from values of queries, by the t-test."
    import numpy as np

    random, queries, systems = generator(), max(100, round(5000 * part)), 20
    grades = random.choice(4, (queries, 10), p=(0.6, 0.2, 0.1, 0.1))
    noise = random.normal(0, 1, (systems, queries, 10))
    names = [f"q{q}" for q in range(queries)]
    qrels = {q: {f"d{i}": g for i, g in enumerate(row)} for q, row in zip(names, grades.tolist(), strict=True)}
    scores = (noise + grades).tolist()
    from irmetrics_nb import compare, evaluate

    runs = {f"s{s}": {q: {f"d{i}": x for i, x in enumerate(row)} for q, row in zip(names, each, strict=True)}
            for s, each in enumerate(scores)}
    found = evaluate(qrels, runs, ["AP", "nDCG@10", "RR", "P@5", "R@5"])
    if tool == US:
        return lambda: {f"{p.measure}: {p.a} {p.b}": p.p for p in compare(found, correction="none").rows}
    from scipy.stats import ttest_rel

    values = {(m, system): np.array([row[m] for row in by_query.values()])
              for system, by_query in found.to_dict().items() for m in found}

    def theirs():
        pairs = [(m, a, b) for m in found for a, b in combinations(runs, 2)]
        return {f"{m}: {a} {b}": ttest_rel(values[m, b], values[m, a]).pvalue for m, a, b in pairs}

    return theirs


def examine(case, tool, part):
    "`check` and `identify` of a run."
    from data import files

    from irmetrics_nb import check, evaluate, identify

    name, function = case.split(", ")
    qrels, run = files(name, part)
    if function == "check":
        return lambda: {"findings": len(check(qrels, run).findings)}
    value = f"{evaluate(qrels, run, 'nDCG@10', ties='average').means['nDCG@10']:.4f}"
    return lambda: {"matches": len(identify(qrels, run, {"nDCG@10": value}))}


def prepare(case, tool, part):
    "`fuse` and `pool` of five runs in memory."
    import preparing

    make, job = (preparing.our_run, preparing.ours) if tool == US else (preparing.ranx_run, preparing.theirs)
    if tool == "ranx":  # compiles
        job(case, [make(*each) for each in preparing.lists(3, 20)])()
    inputs = [make(*each) for each in preparing.lists(max(20, round(698 * part)), 1000)]
    function = job(case, inputs)
    return lambda: [function(), {}][1]


FORMS = "dicts", "lists of text", "lists of integers"
CALLS = {  # section -> (function, {case: tools besides ours})
    "frames": (frames, {"M, pandas": ["ir_measures"], "M, polars": []}),
    "dicts": (dicts, {f"{size}, {form}": ["pytrec_eval"] * (form == "dicts")
                      for size in ("50,000 x 20", "10,000 x 10", "50 x 10") for form in FORMS}),
    "call": (call, {"evaluate, one query": ["pytrec_eval"], "ndcg(list)": ["scikit-learn"]}),
    "arrays": (arrays, {"8,000 x 40": ["scikit-learn", "scikit-learn, ties", "torchmetrics"],
                        "1,000,000 x 20": ["scikit-learn"], "100 x 100,000": ["scikit-learn", "torchmetrics"]}),
    "runs": (runs, {"100 runs": ["pytrec_eval"], "100 runs, one call": []}),
    "compare": (compare, {"20 systems": ["scipy"]}),
    "examine": (examine, {"S, check": [], "S, identify": [], "M, check": []}),
    "prepare": (prepare, {"fuse rrf": ["ranx"], "fuse sum minmax": ["ranx"], "pool 20": []}),
}


def timed(function, times=1):
    "The seconds of a call, by the clock and of the processor, and what it returns."
    wall, cpu = perf_counter(), process_time()
    for _ in range(times):
        found = function()
    return (perf_counter() - wall) / times, (process_time() - cpu) / times, found


def main(section, case, tool, part=1.0):
    function = CALLS[section][0](case, tool, float(part))
    wall, cpu, found = timed(function)
    if wall < 2:
        wall, _, _ = timed(function)
        wall, cpu, found = timed(function, max(1, round(0.2 / wall)))
    print(json.dumps(dict(wall=wall, cpu=cpu, values={m: float(v) for m, v in found.items()})))


if __name__ == "__main__":
    main(*sys.argv[1:])
