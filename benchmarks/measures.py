"""Measure what each measure costs beside AP: `evaluate` of dicts, and the measure alone on judged rankings.

    python benchmarks/measures.py               # 2,000 queries with 100 judgments, and 20,000 with 5
    python benchmarks/measures.py nDCG@10 INST  # some of them

The measures take turns, and the median of seven turns counts."""
import sys
from statistics import median
from time import perf_counter

import numpy as np

from irmetrics_nb import Qrels, Run, evaluate, judge, parse
from irmetrics_nb.metrics.registry import KINDS

SHAPES = (2000, 100), (20_000, 5)
SCALES = {"max_grade": 3, "max_rel": 3}
UNJUDGED = [f"x{i}" for i in range(20)]


def collection(queries, judgments):
    "Judgments, and a run of all judged documents and 20 others in random order."
    rng = np.random.default_rng(0)
    qrels, run = {}, {}
    for query in map(str, range(queries)):
        docs = [f"d{i}" for i in rng.choice(1000, judgments, replace=False)]
        qrels[query] = dict(zip(docs, rng.choice([0, 0, 0, 1, 2, 3], judgments).tolist()))
        run[query] = dict(zip([*docs, *UNJUDGED], rng.permutation(judgments + 20).astype(float).tolist()))
    return Qrels(qrels), Run(run)


def written(kind):
    "A measure of a kind, with the scale and the cutoff that it needs."
    scale = ", ".join(f"{name}={value}" for name, value in SCALES.items() if name in kind.required)
    return f"{kind.name}({scale})" * bool(scale) or kind.name + "@10" * kind.needs_cutoff


def seconds(function, *arguments):
    start = perf_counter()
    function(*arguments)
    return perf_counter() - start


def main(names):
    for shape in SHAPES:
        qrels, run = collection(*shape)
        judged = judge(qrels, run)
        measures = {name: parse(name).resolve(judged) for name in ["AP", *names]}
        whole, alone = ({name: [] for name in measures} for _ in range(2))
        for _ in range(7):
            for name, measure in measures.items():
                whole[name].append(seconds(evaluate, qrels, run, [measure]))
                alone[name].append(seconds(measure.of, judged.changed()))
        base = [median(times["AP"]) for times in (whole, alone)]
        print(f"{shape[0]:,} queries, {shape[1]} judgments each: AP {base[0]:.3f} s, alone {base[1] * 1000:.2f} ms")
        for name in names:
            ratios = [median(times[name]) / one for times, one in zip((whole, alone), base)]
            print(f"  {name:24} {ratios[0]:5.2f} {ratios[1]:7.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or [written(kind) for kind in KINDS.values()])
