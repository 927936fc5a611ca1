"""What is measured: one job of one tool, in a process of its own.

    python benchmarks/jobs.py files pytrec_eval qrels.txt run.txt

A job prints JSON on its last line. Each tool is used as its own documentation does it, with its own reader, and
imports nothing that it does not need. All compute the means of the same six measures.
"""
import sys

MEASURES = "AP nDCG@10 RR P@10 R@100 R@1000".split()


# ---- from two files to six means: the whole process is measured ----


def ours(qrels, run):
    "irmetrics_nb on any two files."
    from irmetrics_nb import evaluate

    return evaluate(qrels, run, MEASURES).means


def pytrec_eval(qrels, run):
    "pytrec-eval-terrier: its own reader and evaluator; its measures are trec_eval's C code."
    import pytrec_eval

    with open(qrels) as q, open(run) as r:
        return trec_means(pytrec_eval.parse_qrel(q), pytrec_eval.parse_run(r))


TREC = dict(zip(MEASURES, "map ndcg_cut_10 recip_rank P_10 recall_100 recall_1000".split(), strict=True))


def trec_means(qrels, run):
    "The means that pytrec_eval gives for nested dicts."
    import pytrec_eval

    return means_of(pytrec_eval.RelevanceEvaluator(qrels, trec_names()).evaluate(run))


def trec_names():
    "What pytrec_eval calls the measures."
    return {TREC[m] for m in MEASURES}


def means_of(results):
    "The means of pytrec_eval's results."
    return {m: sum(r[name] for r in results.values()) / len(results) for m, name in TREC.items() if m in MEASURES}


def ir_measures(qrels, run):
    "ir_measures: its own reader; it computes these measures by pytrec_eval."
    import ir_measures

    return irm_means(ir_measures.read_trec_qrels(qrels), ir_measures.read_trec_run(run))


def irm_means(qrels, run):
    "The means that ir_measures gives."
    import ir_measures

    found = ir_measures.calc_aggregate([ir_measures.parse_measure(m) for m in MEASURES], qrels, run)
    return {str(m): value for m, value in found.items()}


RANX = dict(zip(MEASURES, "map ndcg@10 mrr precision@10 recall@100 recall@1000".split(), strict=True))


def ranx(qrels, run):
    "ranx: its own reader; its measures are compiled by numba."
    from ranx import Qrels, Run

    return ranx_means(Qrels.from_file(str(qrels), kind="trec"), Run.from_file(str(run), kind="trec"))


def ranx_means(qrels, run):
    "The means that ranx gives."
    from ranx import evaluate

    found = evaluate(qrels, run, list(RANX.values()))
    return {m: found[name] for m, name in RANX.items()}


def ir_measures_tables(qrels, run):
    "ir_measures on two Parquet files that pandas reads."
    import pandas as pd

    return irm_means(pd.read_parquet(qrels), pd.read_parquet(run))


FILES = {"irmetrics_nb": ours, "pytrec_eval": pytrec_eval, "ir_measures": ir_measures, "ranx": ranx}
def join_and_sort(qrels, run):
    "What polars needs to join the two tables and to sort the run, and nothing more."
    import polars as pl

    judgments, results = pl.read_parquet(qrels), pl.read_parquet(run)
    results.join(judgments, on=["query_id", "doc_id"])
    results.sort("query_id", "score", descending=[False, True])
    return {}


def ours_in_memory(qrels, run):
    "irmetrics_nb on two tables that polars has read."
    import polars as pl

    return ours(pl.read_parquet(qrels), pl.read_parquet(run))


TABLES = {"irmetrics_nb": ours, "irmetrics_nb, polars": ours_in_memory, "polars' join and sort": join_and_sort,
          "ir_measures": ir_measures_tables}


# ---- ours under another tool's conventions, to see that they are all that differs ----


def ours_float32(qrels, run):
    "Scores cut to 32 bits, as trec_eval holds them."
    import polars as pl

    from irmetrics_nb import Run, evaluate

    table = Run(run).to_polars().select("query_id", "doc_id", pl.col("score").cast(pl.Float32).cast(pl.Float64))
    return evaluate(qrels, table, MEASURES).means


def ours_given(qrels, run):
    "Equal scores in the order of the file."
    from irmetrics_nb import evaluate

    return evaluate(qrels, run, MEASURES, ties="given").means


CHECKS = {"float32": ours_float32, "given": ours_given}
JOBS = {"files": FILES, "tables": TABLES, "check": CHECKS}


def limited(memory, qrels, run):
    "irmetrics_nb with so many bytes for the rows of the run."
    from irmetrics_nb import evaluate

    return evaluate(qrels, run, MEASURES, memory=memory).means


# ---- in memory: all tools in one process, by turns, on the same dicts ----


def memory(name, part, rounds, *peers):
    "Seconds of each tool from nested dicts to six means, and the means; then the same with all prepared that can be."
    from data import dicts
    from pytrec_eval import RelevanceEvaluator

    from irmetrics_nb import Qrels, evaluate

    qrels, run = dicts(name, part)
    judgments, evaluator = Qrels(qrels), RelevanceEvaluator(qrels, trec_names())
    from_dicts = {
        "irmetrics_nb": lambda: evaluate(qrels, run, MEASURES).means,
        "pytrec_eval": lambda: trec_means(qrels, run),
    }
    prepared = {
        "irmetrics_nb": lambda: evaluate(judgments, run, MEASURES).means,
        "pytrec_eval": lambda: means_of(evaluator.evaluate(run)),
    }
    if "ir_measures" in peers:
        from_dicts["ir_measures"] = lambda: irm_means(qrels, run)
    if "ranx" in peers:
        from ranx import Qrels as RanxQrels
        from ranx import Run as RanxRun

        its_qrels, its_run = RanxQrels(qrels), RanxRun(run)
        from_dicts["ranx"] = lambda: ranx_means(RanxQrels(qrels), RanxRun(run))
        prepared["ranx"] = lambda: ranx_means(its_qrels, its_run)
    return by_turns(rounds, {"dicts": from_dicts, "prepared": prepared})


def by_turns(rounds, cases):
    "Each tool of each case once in every round; the first round warms up and is left out."
    out = {case: {tool: {"wall": [], "cpu": []} for tool in tools} for case, tools in cases.items()}
    for turn in range(rounds + 1):
        for case, tools in cases.items():
            for tool, job in tools.items():
                values = timed(job, out[case][tool] if turn else {"wall": [], "cpu": []})
                out[case][tool]["values"] = {m: float(v) for m, v in values.items()}
    return out


def timed(job, into, times=1):
    "Do a job and note its seconds, by the clock and of the processor, `times` as many as it takes."
    from time import perf_counter, process_time

    wall, cpu = perf_counter(), process_time()
    value = job()
    into["wall"].append((perf_counter() - wall) * times)
    into["cpu"].append((process_time() - cpu) * times)
    return value


def gauc(rows, groups, rounds, sample):
    "Seconds of ours for all groups, and of a loop over scikit-learn's for a sample of them."
    import numpy as np
    from data import clicks
    from sklearn.metrics import roc_auc_score

    from irmetrics_nb import gauc

    label, score, group = clicks(rows, groups)
    some = np.flatnonzero(group < sample)
    some = some[np.argsort(group[some], kind="stable")]
    parts = np.split(some, np.flatnonzero(np.diff(group[some])) + 1)

    def loop():
        return [roc_auc_score(label[p], score[p]) for p in parts if label[p].min() != label[p].max()]

    out = {tool: {"wall": [], "cpu": []} for tool in ("irmetrics_nb", "scikit-learn")}
    for _ in range(rounds):
        timed(lambda: gauc(label, score, group), out["irmetrics_nb"])
        each = timed(loop, out["scikit-learn"], rows / len(some))
    out["scikit-learn"]["values"] = {"GAUC of the sample": float(np.mean(each))}
    out["irmetrics_nb"]["values"] = {"GAUC of the sample": gauc(label[some], score[some], group[some])}
    return {"gauc": out}


def decide(queries, rounds, draws, sample, *peers):
    """Seconds of all pairs of five systems by randomization, and their p-values.

    The peers take one pair after the other, with `sample` draws: their time is that of as many draws as ours."""
    from itertools import combinations

    import numpy as np
    from scipy.stats import permutation_test

    from irmetrics_nb import compare

    values = five_systems(queries)
    names, rows = list(values), np.array([list(own.values()) for own in values.values()])
    pairs = list(combinations(range(len(names)), 2))

    def ours(test, n):
        found = compare(values, test=test, draws=n, correction="none").rows
        return {f"{test}: {pair.a} {pair.b}": pair.p for pair in found}

    def scipys(n):
        def one(a, b):
            how = {"permutation_type": "samples", "n_resamples": n, "batch": max(1, 2**21 // queries)}
            return permutation_test((rows[b] - rows[a],), lambda d, axis: d.mean(axis), vectorized=True, **how).pvalue

        return {f"randomization: {names[a]} {names[b]}": one(a, b) for a, b in pairs}

    def ranxs(n):
        from ranx.statistical_tests import fisher_randomization_test

        def one(a, b):
            return fisher_randomization_test(rows[a], rows[b], n_permutations=n)[0]

        return {f"randomization: {names[a]} {names[b]}": one(a, b) for a, b in pairs}

    tools = {"irmetrics_nb": lambda: ours("randomization", draws), "scipy": lambda: scipys(sample)}
    if "ranx" in peers:
        tools["ranx"] = lambda: ranxs(sample)
    cases = {"Fisher": tools, "Tukey": {"irmetrics_nb": lambda: ours("tukey", draws // 10)}}
    out = {case: {tool: {"wall": [], "cpu": []} for tool in tools} for case, tools in cases.items()}
    for turn in range(rounds + 1):  # the first warms up
        for case, tools in cases.items():
            for tool, job in tools.items():
                times = 1 if tool == "irmetrics_nb" else draws / sample
                found = timed(job, out[case][tool] if turn else {"wall": [], "cpu": []}, times)
                out[case][tool]["values"] = {m: float(v) for m, v in found.items()}
    return out


def five_systems(queries):
    "{system: {query: value}}: five systems that differ by little."
    import numpy as np

    random = np.random.default_rng(7)
    base = random.beta(0.5, 1.5, queries)
    rows = [np.clip(base + random.normal(0.001 * i, 0.1, queries), 0, 1) for i in range(5)]
    return {f"s{i}": {str(q): float(x) for q, x in enumerate(row)} for i, row in enumerate(rows)}


# ---- what a process says ----


def main():
    "Run one job and print what came of it."
    job, *given = sys.argv[1:]
    if job == "memory":
        found = memory(given[0], float(given[1]), int(given[2]), *given[3:])
    elif job == "gauc":
        found = gauc(*map(int, given))
    elif job == "decide":
        found = decide(*map(int, given[:4]), *given[4:])
    else:
        tool, qrels, run, *measures = given
        MEASURES[:] = measures or MEASURES
        found = limited(int(tool), qrels, run) if job == "limited" else JOBS[job][tool](qrels, run)
    if job in ("memory", "gauc", "decide"):
        import json

        print(json.dumps(found))
    else:
        print("\n".join(f"{m} {float(value)!r}" for m, value in found.items()))


if __name__ == "__main__":
    main()
