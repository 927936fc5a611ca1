"""Measure alpha-nDCG@20 of 10,000 queries with five subtopics each, beside pyndeval, from files to the mean.

    python benchmarks/subtopics.py         # pip install pyndeval first
    python benchmarks/subtopics.py 1000    # fewer queries

Both read the same two files of TREC text. They take turns, and the median of five turns counts."""
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
import pyndeval

from irmetrics_nb import Qrels, evaluate

MEASURE = "alpha-nDCG@20"


def files(queries, folder):
    "Judgments of ten documents for each of five subtopics, and a run of 60 documents for each query."
    rng = np.random.default_rng(0)
    with open(folder / "qrels.txt", "w") as qrels, open(folder / "run.txt", "w") as run:
        for query in range(queries):
            docs = rng.permutation(1000)[:100].tolist()
            for subtopic in range(5):
                for doc in rng.choice(docs[:60], 10, replace=False).tolist():
                    qrels.write(f"q{query} {subtopic} d{doc} 1\n")
            for rank, doc in enumerate(docs[:20] + docs[60:]):
                run.write(f"q{query} Q0 d{doc} {rank + 1} {100 - rank} tag\n")
    return folder / "qrels.txt", folder / "run.txt"


def ours(qrels, run):
    return evaluate(Qrels(qrels, subtopics=True), run, MEASURE).means[MEASURE]


def theirs(qrels, run):
    judgments = [(q, s, d, int(g)) for q, s, d, g in map(str.split, qrels.read_text().splitlines())]
    results = [(q, d, float(score)) for q, _, d, _, score, _ in map(str.split, run.read_text().splitlines())]
    values = pyndeval.ndeval(judgments, results, measures=[MEASURE])
    return sum(value[MEASURE] for value in values.values()) / len(values)


def main(queries=10_000, turns=5):
    seconds = {ours: [], theirs: []}
    with tempfile.TemporaryDirectory() as folder:
        paths = files(queries, Path(folder))
        for _ in range(turns):
            values = []
            for tool, times in seconds.items():
                start = perf_counter()
                values.append(tool(*paths))
                times.append(perf_counter() - start)
            assert abs(values[0] - values[1]) < 1e-12
    mine, other = (median(times) for times in seconds.values())
    print(f"{queries:,} queries: irmetrics_nb {mine:.2f} s, pyndeval {other:.2f} s, ratio {other / mine:.1f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
