"Random judgments and runs, in the forms that tools take."

import numpy as np

CUTS = 1, 3, 5, 10, 50  # the last is longer than any list
FRACTIONS = 0, 0.25, 0.875, 1, 1.25, 2.5, 3  # which 32-bit floats hold as well


def collection(
    rng, *, tied=False, grades=range(5), everything=False, empty=True, missing=False, queries=12, documents=40
):
    """Judgments and a run.

    tied: many scores are alike. everything: the run holds exactly the judged documents. empty: some queries may have
    nothing relevant. missing: the run leaves some queries out."""
    qrels, run = {}, {}
    for q in range(queries):
        judged = rng.choice(documents, size=rng.integers(2, documents), replace=False)
        found = judged if everything else rng.choice(documents, size=rng.integers(1, documents), replace=False)
        given = rng.choice(list(grades), len(judged))
        given[0] = max(given[0], 0 if empty else 1)
        scores = rng.integers(0, 8, len(found)) if tied else rng.permutation(len(found))
        qrels[f"q{q:02}"] = {f"d{d:02}": g.item() for d, g in zip(judged, given)}
        if not (missing and q % 4 == 3):
            run[f"q{q:02}"] = {f"d{d:02}": float(s) for d, s in zip(found, scores)}
    return qrels, run


def ranked(docs):
    "The documents of a query of a run, best first."
    return sorted(docs, key=docs.get, reverse=True)


def relevant(judged):
    "The documents of a query that are relevant."
    return [doc for doc, grade in judged.items() if grade >= 1]


def arrays(qrels, run):
    "Labels, scores and sizes of groups, as learning to rank has them."
    labels = np.concatenate([list(qrels[q].values()) for q in qrels])
    scores = np.concatenate([[run[q][d] for d in qrels[q]] for q in qrels])
    return labels, scores, [len(qrels[q]) for q in qrels]
