"""Measures that only specialised tools have: pyndeval, ir_measures, pyNTCIREVAL, trec_eval 10 and sample_eval.pl.

Every function asks a tool about a random collection, in the tool's own words, and yields the name of a measure, the
tool's value of each query, and our scores. Where a tool orders equal scores in its own way, the run has none."""

import importlib
import inspect
import logging
import os
import pkgutil
import re
import subprocess
import tempfile
from pathlib import Path

from ask_evaluators import by_program, program
from collections_at_random import JUNK, KINDS_OF_SCORES, collection

from irmetrics_nb import Qrels, evaluate

SUBTOPICS = {
    "ERR-IA": "ERR_IA", "nERR-IA": "nERR_IA", "alpha-DCG": "alpha_DCG", "alpha-nDCG": "alpha_nDCG",
    "P-IA": "P(over='subtopics')", "strec": "StRecall",
}  # fmt: skip
WITHOUT_CUTOFF = {"NRBP": "NRBP", "nNRBP": "nNRBP", "MAP-IA": "AP(over='subtopics')"}


def pyndeval(rng):
    import pyndeval

    rows = subtopics_at_random(rng)
    run = collection(rng, scores=rng.choice(["apart", "tied"]), missing=True)[1]
    run = {q: dict(sorted(docs.items())) for q, docs in run.items()}  # its order of equal scores
    names = {f"{theirs}@{k}": f"{ours}@{k}" for theirs, ours in SUBTOPICS.items() for k in (1, 5, 20)} | WITHOUT_CUTOFF
    for undivided in ("ERR-IA@1", "alpha-DCG@1"):  # the sums, without the divisor that it has at other cutoffs
        del names[undivided]
    flat = [(q, d, score) for q, docs in run.items() for d, score in docs.items()]
    found = pyndeval.ndeval(rows, flat, measures=[*names])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "qrels.txt")
        path.write_text("".join(f"{q} {subtopic} {d} {grade}\n" for q, subtopic, d, grade in rows), encoding="utf-8")
        for theirs, ours in names.items():
            scores = evaluate(Qrels(path, subtopics=True), run, ours, ties="given", missing="skip")
            yield theirs, [found[q][theirs] for q in scores.query_ids], scores


def subtopics_at_random(rng):
    "Rows (query, subtopic, document, grade). Some subtopics and queries have nothing relevant."
    rows = []
    for q in range(12):
        for subtopic in range(rng.integers(1, 6)):
            judged = rng.choice(40, size=rng.integers(1, 12), replace=False)
            grades = rng.choice([-2, 0, 0, 1, 1, 3] if q % 3 else [0, 0, 0, 1], len(judged))
            rows += [(f"q{q:02}", str(subtopic), f"d{d:02}", g.item()) for d, g in zip(judged, grades)]
    return rows


OF_CWL_EVAL = """INST(max_rel=4) INST(T=3.0,max_rel=3,min_rel=1) INSQ(T=2.5,max_rel=3) BPM(T=2.0,max_rel=4)@20
    SDCG(max_rel=3,min_rel=1)@20 NERR8(max_rel=4)@5 NERR9(max_rel=4)@20 NERR10(max_rel=4,p=0.5)
    NERR11(max_rel=5,T=2.0)""".split()
OF_COMPAT = "Compat Compat(p=0.8) Compat(p=0.8,normalize=False)".split()


def ir_measures(rng):
    import ir_measures as irm

    logging.disable()  # Grades that are outside of a scale are meant
    qrels, run = collection(rng, scores=rng.choice(["apart", "tied"]), grades=JUNK, missing=True)
    yield from by_ir_measures(irm, ["infAP", "infAP(rel=2)"], qrels, run)
    # cwl_eval keeps the order of the run where scores are equal.
    qrels, run = collection(rng, scores=rng.choice(["apart", "tied"]), grades=JUNK, missing=True)
    yield from by_ir_measures(irm, OF_CWL_EVAL, qrels, run, ties="given")
    # Compat breaks ties by document id, ascending, and takes a missed document to have a score of 0.
    yield from by_ir_measures(irm, OF_COMPAT, *collection(rng, grades=JUNK, positive=True))


def by_ir_measures(irm, names, qrels, run, **options):
    measures = [irm.parse_measure(name) for name in names]
    found = {(v.measure, v.query_id): v.value for v in irm.iter_calc(measures, qrels, run)}
    for name, measure in zip(names, measures):
        scores = evaluate(qrels, run, f"ir_measures:{name}", conventions="ir_measures", **options)
        yield name, [found[measure, q] for q in scores.query_ids], scores


def cwl_eval(rng):
    import ir_measures as irm

    qrels, run = collection(rng, scores=rng.choice(["apart", "tied"]), grades=range(2), missing=True)
    measures = {irm.parse_measure(name): name for name in ("AP", "RR", "P@5", "P@50")}
    values = irm.providers.registry["cwl_eval"].iter_calc([*measures], qrels, run)
    found = {(v.measure, v.query_id): v.value for v in values}
    for measure, name in measures.items():
        scores = evaluate(qrels, run, f"cwl_eval:{name}", ties="given")
        yield name, [found.get((measure, q), 0) for q in scores.query_ids], scores


def pyntcireval(rng):
    from pyNTCIREVAL import Labeler, metrics

    qrels, run = collection(rng, empty=False)
    linear, of_err = [1, 2, 3, 4], [2**g - 1 for g in (1, 2, 3, 4)]  # which it divides by 16
    asked = {"RR": lambda counts: metrics.RR(), "AP": lambda counts: metrics.AP(counts, linear)}
    asked["ERR(max_grade=4)"] = lambda counts: metrics.ERR(counts, of_err)
    for beta in (0.5, 1, 2):
        asked[f"QMeasure(beta={beta})"] = lambda counts, beta=beta: metrics.QMeasure(counts, linear, beta)
    for k in (1, 5, 50):
        asked[f"AP@{k}"] = lambda counts, k=k: metrics.AP(counts, linear, k)
        asked[f"QMeasure(beta=2)@{k}"] = lambda counts, k=k: metrics.QMeasure(counts, linear, 2, k)
        asked[f"nERR(max_grade=4)@{k}"] = lambda counts, k=k: metrics.nERR(counts, of_err, k)
        asked[f"nDCG@{k}"] = lambda counts, k=k: metrics.nDCG(counts, linear, 2.0, k)
        asked[f"MSnDCG@{k}"] = lambda counts, k=k: metrics.MSnDCG(counts, linear, k)
        asked[f"Precision@{k}"] = lambda counts, k=k: metrics.Precision(k)
        asked[f"Hit@{k}"] = lambda counts, k=k: metrics.Hit(k)
    for name, metric in asked.items():
        scores = evaluate(qrels, run, f"NTCIREVAL:{name}")
        theirs = []
        for q in scores.query_ids:
            labels = Labeler(qrels[q])
            ranked = labels.label(sorted(run[q], key=run[q].get, reverse=True))
            theirs.append(metric(labels.compute_per_level_doc_num(5)).compute(ranked))
        yield name, theirs, scores


OF_TREC_EVAL = "infAP G binG ndcg_rel Rndcg yaap utility num_nonrel_judged_ret unj_5 unj_20".split()
OF_TREC_EVAL += [f"Rprec_mult_{x:.2f}" for x in (0.2, 1, 2)]


def trec_eval10(rng):
    qrels, run = collection(rng, scores=rng.choice(KINDS_OF_SCORES), grades=JUNK, missing=True)
    found = by_program(program("10.0"), qrels, run, "-c", "-q", "-m", "all_trec", "-m", "yaap")
    for name in OF_TREC_EVAL:
        scores = evaluate(qrels, run, f"trec_eval10:{name}", conventions="trec_eval10")
        yield name, [found[name, q] for q in scores.query_ids], scores


def sample_eval(rng):
    "The Perl script of TREC's tracks, whose path the variable SAMPLE_EVAL has. It prints four digits."
    qrels, run = sampled_at_random(rng)
    with tempfile.TemporaryDirectory() as folder:
        judgments, results = Path(folder, "qrels"), Path(folder, "run")
        judgments.write_text(qrels, encoding="utf-8")
        rows = [f"{q} Q0 {d} {i} {-i} t\n" for q, docs in run.items() for i, d in enumerate(docs, 1)]
        results.write_text("".join(rows), encoding="utf-8")
        asked = ["perl", os.environ.get("SAMPLE_EVAL", ""), "-q", str(judgments), str(results)]
        lines = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.splitlines()
        found = {tuple(parts[:2]): float(parts[2]) for parts in map(str.split, lines) if len(parts) == 3}
        for theirs, ours in {"infAP": "xinfAP", "infNDCG": "infNDCG"}.items():
            scores = evaluate(Qrels(judgments, strata=True), run, ours)
            yield theirs, [found[theirs, q] for q in scores.query_ids], scores


def sampled_at_random(rng):
    "The text of judgments with one to four strata, sampled at rates of their own, and lists beyond 1,000 ranks."
    lines, run = [], {}
    for q in "1234":
        docs = [f"d{i}" for i in range(rng.choice([5, 40, 300]))]
        rates = rng.random(rng.integers(1, 5))
        for doc in docs:
            stratum = rng.integers(len(rates))
            grade = rng.choice([0, 0, 1, 2, 3]) if rng.random() < rates[stratum] else -1
            if rng.random() < 0.85:
                lines.append(f"{q} 0 {doc} {stratum + 1} {grade}\n")
        run[q] = rng.permutation([*docs, *(f"u{i}" for i in range(rng.choice([3, 30, 1200])))]).tolist()
    return "".join(lines), run


# ---- all names that a tool has ----


def names_of_pyndeval():
    import pyndeval

    return pyndeval.SUPPORTED_MEASURES


def names_of_cwl_eval():
    "What each of its metrics prints, without parameters."
    import cwl.ruler.measures as package
    from cwl.ruler.measures.cwl_metrics import CWLMetric

    names = set()
    for found in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{found.name}")
        for metric in vars(module).values():
            if isinstance(metric, type) and issubclass(metric, CWLMetric) and metric.__module__ == module.__name__:
                needed = [p for p in inspect.signature(metric).parameters.values() if p.default is p.empty]
                printed = "" if metric is CWLMetric else metric(*[1] * len(needed)).name()
                names.add(re.split(r"@|-(?=\w+=)", printed)[0])
    return sorted(names - {""})


def names_of_pyntcireval():
    "Its classes, whose names its command prints."
    from pyNTCIREVAL import metrics

    return sorted({name for name, found in vars(metrics).items() if isinstance(found, type)} - {"Metric"})
