"""Random judgments and runs, in the forms that tools take.

They are nasty on purpose: small whole numbers and hundredths of them as scores, so that many are alike; scores that
32-bit floats take for alike and 64-bit floats do not; fractions among exact ones as grades; judged documents that were
not retrieved, and retrieved ones that nobody judged."""

import numpy as np

CUTS = 1, 3, 5, 10, 50  # the last is longer than any list
FRACTIONS = 0, 0.25, 0.875, 1, 1.25, 2.5, 3  # which 32-bit floats hold as well
JUNK = range(-1, 5)
KINDS_OF_SCORES = "apart", "tied", "close"


def collection(
    rng, *, scores="apart", grades=range(5), empty=True, missing=False, positive=False, queries=12, documents=40
):
    """Judgments and a run.

    scores: 'apart', 'tied' (many are alike) or 'close' (alike as 32-bit floats). empty: some queries may have nothing
    relevant. missing: the run leaves some queries out. positive: every score is above 0."""
    qrels, run = {}, {}
    for q in range(queries):
        judged = rng.choice(documents, size=rng.integers(2, documents), replace=False)
        found = rng.choice(documents, size=rng.integers(1, documents), replace=False)
        given = rng.choice(list(grades), len(judged))
        given[0] = max(given[0], 0 if empty else 1)
        numbers = scores_like(scores, rng, len(found)) + positive
        qrels[f"q{q:02}"] = {f"d{d:02}": g.item() for d, g in zip(judged, given)}
        if not (missing and q % 4 == 3):
            run[f"q{q:02}"] = {f"d{d:02}": float(s) for d, s in zip(found, numbers)}
    return qrels, run


def scores_like(pattern, rng, n):
    "Scores of n documents: whole numbers, or, in every other list, hundredths of them."
    if pattern == "close":
        return 2.0**24 + rng.integers(0, 4, n)
    whole = rng.integers(0, 8, n) if pattern == "tied" else rng.permutation(n)
    return whole / rng.choice([1, 100])


def ranked(docs):
    "The documents of a query of a run, best first."
    return sorted(docs, key=docs.get, reverse=True)


def relevant(judged):
    "The documents of a query that are relevant."
    return [doc for doc, grade in judged.items() if grade >= 1]


def lists(qrels, run):
    "(labels, scores) of each list, for what knows nothing else: a document that nobody judged has label 0."
    answered = [q for q in qrels if q in run]
    return [
        (np.array([qrels[q].get(d, 0) for d in run[q]], float), np.array([*run[q].values()], float)) for q in answered
    ]


def arrays(qrels, run):
    "Labels, scores and sizes of groups, as learning to rank has them."
    labels, scores = zip(*lists(qrels, run))
    return np.concatenate(labels), np.concatenate(scores), [len(each) for each in labels]
