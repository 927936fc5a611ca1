"""Compare `fuse(like='ranx')` with the package ranx, on collections drawn at random.

    pip install ranx && python parity/fusion.py [seeds]

Some lists have ties, single documents and equal scores. It prints how many fused scores are equal to a relative 1e-9,
and for `rrf`, `sum` and `mnz` where the default of `fuse` differs from ranx."""

import random
import sys

import ranx

from irmetrics_nb import fuse

NORMS = {"minmax": "min-max", "rank": "rank", "zscore": "zmuv", None: None}


def drawn(seed, odd):
    "Draw three runs. odd: with ties, constant lists and single documents."
    draw = random.Random(seed)
    docs = [f"d{i:02}" for i in range(12)]  # ids of one length: without normalization, ranx 0.3.21 cuts longer ones

    def scores(n):
        return draw.choices(range(1, 5), k=n) if odd else draw.sample(range(1, 1000), n)

    runs = {}
    for name in "ABC":
        lists = {f"q{i}": draw.sample(docs, draw.randint(1 if odd else 3, 9)) for i in range(4)}
        runs[name] = {q: dict(zip(d, map(float, scores(len(d))), strict=True)) for q, d in lists.items()}
    return runs


def ask(runs, method, norm):
    "Fuse with ranx, as {query: {document: score}}."
    name, params = ("rrf", {"k": 60}) if method == "rrf" else (method, {})
    lists = [ranx.Run(run, name=name) for name, run in runs.items()]
    return ranx.fuse(lists, norm=None if method == "rrf" else NORMS[norm], method=name, params=params).to_dict()


def count(method, norm, odd, like, seeds):
    "Return (equal, all, an example of a difference) over the fused scores."
    equal = total = 0
    example = ""
    for seed in range(seeds):
        runs = drawn(seed, odd)
        options = {} if method == "rrf" else {"normalize": norm}
        ours, theirs = fuse(runs, method, like=like, **options).to_dict(), ask(runs, method, norm)
        for query, docs in theirs.items():
            for doc, score in docs.items():
                near = abs(ours[query].get(doc, float("inf")) - score) <= 1e-9 * max(1, abs(score))
                equal, total = equal + near, total + 1
                if not near and not example:
                    example = f"seed {seed}, {query}, {doc}: {ours[query].get(doc)} and ranx {score}"
    return equal, total, example


if __name__ == "__main__":
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for like in "ranx", None:
        for method, norm in [("rrf", None), *((m, n) for m in ("sum", "mnz") for n in NORMS)]:
            for odd in False, True:
                equal, total, example = count(method, norm, odd, like, seeds)
                kind = "ties, constant and single lists" if odd else "plain lists"
                print(f"like={like}, {method}, {norm}, {kind}: {equal:,} of {total:,} equal {example}", flush=True)
