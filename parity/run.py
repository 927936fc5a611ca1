"""The same collections through other tools and through our presets: `make parity`.

    python parity/run.py [--rounds 200] [--out parity/results.json]

Every tool is asked in its own words, and we under `conventions=<tool>`; what is compared is the mean of every measure
over each collection, or the value of every query where the tool gives it. The JSON has, for each tool and measure, how
many numbers were compared and by how much they differ at most. Exit code 1 if that is more than 1e-9.
"""

import argparse
import datetime
import importlib.metadata
import json
import multiprocessing
import re
import sys
import warnings
from pathlib import Path

import numpy as np

from irmetrics_nb import evaluate

HERE = Path(__file__).parent
CUTS = 1, 3, 5, 10, 50


def collection(rng, *, tied=False, binary=False, everything=False, empty=True, queries=12, documents=40):
    "Judgments and a run; with `everything`, the run holds exactly the judged documents."
    qrels, run = {}, {}
    for q in range(queries):
        judged = rng.choice(documents, size=rng.integers(2, documents), replace=False)
        found = judged if everything else rng.choice(documents, size=rng.integers(1, documents), replace=False)
        grades = rng.integers(0, 2 if binary else 5, len(judged))
        if not empty:
            grades[0] = 1
        scores = rng.integers(0, 8, len(found)) if tied else rng.permutation(len(found))
        qrels[f"q{q:02}"] = {f"d{d:02}": int(g) for d, g in zip(judged, grades)}
        run[f"q{q:02}"] = {f"d{d:02}": float(s) for d, s in zip(found, scores)}
    return qrels, run


def by_pytrec_eval(rng):
    import pytrec_eval

    qrels, run = collection(rng, tied=True)
    names = ["map", "ndcg", "recip_rank", "bpref", "Rprec", "11pt_avg", "set_F_0.5", "set_map", "set_relative_P"]
    names += [f"{name}_{k}" for name in ("P", "recall", "success", "ndcg_cut", "map_cut", "relative_P") for k in CUTS]
    names += [f"iprec_at_recall_{x:.2f}" for x in np.arange(11) / 10]
    found = pytrec_eval.RelevanceEvaluator(qrels, set(names)).evaluate(run)
    for name in names:
        yield (
            name,
            [found[q].get(name, found[q].get("set_F")) for q in qrels],
            evaluate(qrels, run, name, conventions="trec_eval"),
        )


def by_ir_measures(rng):
    import ir_measures as irm

    qrels, run = collection(rng, tied=True)
    asked = [
        irm.AP,
        irm.RR,
        irm.Rprec,
        irm.Bpref,
        irm.SetP,
        irm.SetR,
        irm.SetF(beta=2.0),
        irm.SetAP,
        irm.SetP(relative=True),
        irm.NumRet(rel=2),
    ]
    asked += [
        m @ k
        for m in (irm.P(rel=2), irm.R, irm.AP(rel=3), irm.nDCG, irm.nDCG(gains={1: 7, 4: 9}), irm.Success)
        for k in CUTS
    ]
    asked += [irm.IPrec @ (x / 10) for x in range(11)]
    yield from _as_ir_measures(irm, asked, qrels, run)
    # Here it breaks ties by document id, ascending.
    yield from _as_ir_measures(irm, [m @ k for m in (irm.Judged, irm.RR) for k in CUTS], *collection(rng))


def _as_ir_measures(irm, asked, qrels, run):
    found = {(v.measure, v.query_id): v.value for v in irm.iter_calc(asked, qrels, run)}
    for measure in asked:
        yield str(measure), [found[measure, q] for q in qrels], evaluate(qrels, run, measure, conventions="ir_measures")


def by_sklearn(rng):
    from sklearn.metrics import average_precision_score, dcg_score, ndcg_score

    qrels, run = collection(rng, tied=True, everything=True, empty=False)
    rows = [(np.array(list(qrels[q].values())), np.array([run[q][d] for d in qrels[q]])) for q in qrels]
    for k in CUTS:
        for name, score in (("nDCG", ndcg_score), ("DCG", dcg_score)):
            yield (
                f"{name}@{k}",
                [score([g], [s], k=k) for g, s in rows],
                evaluate(qrels, run, f"{name}@{k}", conventions="sklearn"),
            )
    yield "AP", [average_precision_score(g >= 1, s) for g, s in rows], evaluate(qrels, run, "AP", conventions="sklearn")


def by_ranx(rng):
    import ranx

    qrels, run = collection(rng, empty=False)
    names = ["bpref", "r-precision", "rbp.95", "rbp.5", "mrr-l2", "map-l2"]
    names += [
        f"{name}@{k}"
        for k in CUTS
        for name in "hits hit_rate precision recall f1 mrr map dcg dcg_burges ndcg ndcg_burges".split()
    ]
    for name in names:
        theirs = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), name, return_mean=False)
        yield name, theirs, evaluate(qrels, run, f"ranx:{name}", conventions="ranx")


def arrays(qrels, run):
    "Labels, scores and sizes of groups, as learning to rank has them."
    labels = np.concatenate([list(qrels[q].values()) for q in qrels])
    scores = np.concatenate([[run[q][d] for d in qrels[q]] for q in qrels])
    return labels, scores, [len(qrels[q]) for q in qrels]


def by_xgboost(rng):
    import xgboost as xgb

    # Its precision of a query without relevant documents is 0, not 1: such queries are left away for it.
    for kinds in ({"ndcg": "nDCG"}, {"map": "AP"}, {"pre": "P"}):
        qrels, run = collection(rng, everything=True, binary="ndcg" not in kinds, empty="pre" not in kinds)
        labels, scores, sizes = arrays(qrels, run)
        data = xgb.DMatrix(np.zeros((len(labels), 1)), label=labels, base_margin=scores.astype(np.float32))
        data.set_group(sizes)
        asked = {f"{name}@{k}": f"{ours}@{k}" for name, ours in kinds.items() for k in CUTS}
        booster = xgb.Booster({"objective": "rank:ndcg", "eval_metric": list(asked)}, [data])
        found = dict(re.findall(r"eval-(\S+):(\S+)", booster.eval(data)))
        for name, ours in asked.items():
            yield name, float(found[name]), evaluate(qrels, run, ours, conventions="xgboost")


def by_lightgbm(rng):
    import lightgbm as lgb

    qrels, run = collection(rng, everything=True)
    labels, scores, sizes = arrays(qrels, run)
    data = lgb.Dataset(
        rng.random((len(labels), 1)), label=labels, group=sizes, init_score=scores, params={"verbose": -1}
    )
    params = {"objective": "lambdarank", "metric": ["ndcg", "map"], "eval_at": list(CUTS), "verbose": -1}
    found = {name: value for _, name, value, _ in lgb.Booster(params, data).eval_train()}
    for k in CUTS:
        yield f"ndcg@{k}", found[f"ndcg@{k}"], evaluate(qrels, run, f"nDCG@{k}", conventions="lightgbm")
        yield f"map@{k}", found[f"map@{k}"], evaluate(qrels, run, f"AP@{k}", conventions="lightgbm")


# Tool: (what asks it, the package whose version is noted, by how much the numbers that it shows may be off)
TOOLS = {
    "trec_eval": (by_pytrec_eval, "pytrec-eval-terrier", 1e-9),
    "ir_measures": (by_ir_measures, "ir-measures", 1e-9),
    "sklearn": (by_sklearn, "scikit-learn", 1e-9),
    "ranx": (by_ranx, "ranx", 1e-9),
    "xgboost": (by_xgboost, "xgboost-cpu", 1e-9),
    "lightgbm": (by_lightgbm, "lightgbm", 1e-9),
}


def compared(ask, rounds):
    "{measure: {numbers, largest difference}} of a tool on random collections."
    found: dict = {}
    for seed in range(rounds):
        for name, theirs, ours in ask(np.random.default_rng(seed)):
            values = ours.values[0, 0] if np.ndim(theirs) else ours.means[ours.measures[0]]
            off = np.abs(np.asarray(theirs, dtype=float) - values)
            row = found.setdefault(name, {"numbers": 0, "largest": 0.0})
            row["numbers"] += int(np.size(off))
            row["largest"] = max(row["largest"], float(np.max(off)))
    return found


def result_of(tool, rounds):
    "What the JSON has of a tool."
    ask, package, near = TOOLS[tool]
    measures = compared(ask, rounds)
    wrong = {name: row["largest"] for name, row in measures.items() if not row["largest"] <= near}
    numbers = sum(row["numbers"] for row in measures.values())
    print(
        f"{tool}: {numbers:,} numbers of {len(measures)} measures, {f'unequal: {wrong}' if wrong else 'all equal'}",
        flush=True,
    )
    found = {"version": importlib.metadata.version(package), "package": package, "within": near, "measures": measures}
    return found, bool(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--only", default=",".join(TOOLS))
    parser.add_argument("--out", type=Path, default=HERE / "results.json")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    result: dict = {
        "date": datetime.date.today().isoformat(),
        "python": sys.version.split()[0],
        "rounds": args.rounds,
        "tools": {},
    }
    # Each in a process of its own: what trec_eval's C code keeps from one caller changes the nDCG of the next.
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        asked = {tool: pool.apply_async(result_of, (tool, args.rounds)) for tool in args.only.split(",")}
        found = {tool: each.get() for tool, each in asked.items()}
    result["tools"] = {tool: each for tool, (each, _) in found.items()}
    args.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    raise SystemExit(any(wrong for _, wrong in found.values()))


if __name__ == "__main__":
    main()
