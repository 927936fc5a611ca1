"Evaluation programs: trec_eval 9 and 10, ir_measures, ranx."

import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from collections_at_random import CUTS, JUNK, KINDS_OF_SCORES, collection

from irmetrics_nb import evaluate

OF_TREC_EVAL = "map ndcg recip_rank bpref Rprec 11pt_avg set_map set_relative_P set_P set_recall".split()
OF_TREC_EVAL += [f"iprec_at_recall_{x:.2f}" for x in np.arange(11) / 10]


AT_CUTS = [f"{name}_{k}" for name in ("P", "recall", "ndcg_cut", "map_cut", "relative_P") for k in (5, 10, 15, 20, 100)]
COUNTS = ["num_ret", "num_rel", "num_rel_ret"]


def pytrec_eval(rng):
    import pytrec_eval

    qrels, run = collection(rng, scores=rng.choice(KINDS_OF_SCORES), grades=JUNK, missing=True)
    names = [*OF_TREC_EVAL, "set_F_0.5", *COUNTS]
    names += [f"{name}_{k}" for name in ("P", "recall", "success", "ndcg_cut", "map_cut", "relative_P") for k in CUTS]
    found = pytrec_eval.RelevanceEvaluator(qrels, set(names)).evaluate(run)
    for name in names:
        theirs = [found[q].get(name, found[q].get("set_F")) for q in qrels if q in run]
        yield name, theirs, evaluate(qrels, run, name, conventions="trec_eval-9.0.4")


def trec_eval(rng):
    yield from as_program(rng, "9.0.8", "trec_eval")


def trec_eval_c(rng):
    yield from as_program(rng, "9.0.8", "trec_eval-c", "-c")


def trec_eval_904_c(rng):
    yield from as_program(rng, "9.0.4", "trec_eval-9.0.4-c", "-c")


def trec_eval10(rng):
    yield from as_program(rng, "10.0", "trec_eval10", "-c")


def as_program(rng, version, preset, *options):
    "The values of each query that it prints, and what it prints for all of them."
    qrels, run = collection(rng, scores=rng.choice(KINDS_OF_SCORES), grades=JUNK, missing=True)
    found = by_program(program(version), qrels, run, *options, "-q", "-m", "all_trec")
    whose = "trec_eval10:" if version == "10.0" else ""
    alone = [*OF_TREC_EVAL, "set_F", *COUNTS, *AT_CUTS, "success_1", "success_5", "success_10"]
    for name in [*alone, "gm_map", "gm_bpref"]:
        ours = evaluate(qrels, run, whose + name, conventions=preset)
        yield f"{name}, all", found[name, "all"], ours
        theirs = [found.get((name, q)) for q in ours.query_ids]
        if name in alone and None not in theirs:  # version 9 prints no query that was not answered
            yield name, theirs, ours


def program(version):
    "Where the program of a version lies: in the folder TREC_EVALS, as build_trec_evals.py puts it."
    return Path(os.environ.get("TREC_EVALS", "."), f"trec_eval-{version}").resolve()


def by_program(program, qrels, run, *options):
    "{(name, query): value} as trec_eval prints it."
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("qrels", "run")]
        rows = [f"{q} 0 {d} {g}\n" for q, docs in qrels.items() for d, g in docs.items()]
        files[0].write_text("".join(rows), encoding="utf-8")
        rows = [f"{q} Q0 {d} 0 {s!r} run\n" for q, docs in run.items() for d, s in docs.items()]
        files[1].write_text("".join(rows), encoding="utf-8")
        asked = [str(program), *options, *map(str, files)]
        lines = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.splitlines()
    parts = [line.split() for line in lines]
    return {(name, q): float(value) for name, q, value in parts if name not in ("runid", "relstring")}


def ir_measures(rng):
    import ir_measures as irm

    qrels, run = collection(rng, scores=rng.choice(KINDS_OF_SCORES), grades=JUNK, missing=True)
    asked = [
        irm.RBP(rel=1),
        irm.RBP(rel=2, p=0.95),
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
    several = irm.P(rel=2), irm.R, irm.AP(rel=3), irm.nDCG, irm.Success
    asked += [measure @ k for measure in several for k in CUTS]
    asked += [irm.IPrec @ (x / 10) for x in range(11)]
    yield from _as_ir_measures(irm, asked, qrels, run)
    # In one call, nDCG with and without gains can get each other's gains: the hash seed of Python decides.
    with_gains = [irm.nDCG(gains={1: 7, 4: 9}) @ k for k in CUTS]
    yield from _as_ir_measures(irm, with_gains, qrels, run)
    # Of these it breaks ties by document id, ascending.
    asked = [measure @ k for measure in (irm.Judged, irm.RR) for k in CUTS]
    yield from _as_ir_measures(irm, asked, *collection(rng, grades=JUNK, missing=True))


def _as_ir_measures(irm, asked, qrels, run):
    found = {(v.measure, v.query_id): v.value for v in irm.iter_calc(asked, qrels, run)}
    for measure in asked:
        theirs = [found[measure, q] for q in qrels]
        yield str(measure), theirs, evaluate(qrels, run, measure, conventions="ir_measures")


def ranx(rng):
    import ranx

    qrels, run = collection(rng, empty=False)
    names = ["bpref", "r-precision", "rbp.95", "rbp.5", "mrr-l2", "map-l2", "dcg-l3", "ndcg_burges-l2"]
    several = "hits hit_rate precision recall f1 mrr map dcg dcg_burges ndcg ndcg_burges".split()
    names += [f"{name}@{k}" for k in CUTS for name in several]
    names += [f"ndcg@{k}-l2" for k in CUTS]
    for name in names:
        ours = evaluate(qrels, run, f"ranx:{name}", conventions="ranx")
        yield name, ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), name, return_mean=False), ours
        yield f"{name}, mean", ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), name), ours
