"""Measure `fuse`, `pool` and `similarity` on five runs, beside ranx (`pip install ranx`), in processes of their own.

    python benchmarks/preparing.py [queries] [documents for each query]

The runs are in memory before the clock starts: a `Run` for irmetrics_nb, a ranx `Run` for ranx. Each job runs three
times, the tools in turn; the medians and the peak memory of the process, with its input, are printed.
"""
import json
import resource
import statistics
import subprocess
import sys
import time

import numpy as np

ROUNDS = 3


def lists(queries, depth):
    "Return five runs as arrays: documents (queries, depth), of twice as many, and descending scores with ties."
    random = np.random.default_rng(1)
    for _ in range(5):
        docs = np.stack([random.choice(2 * depth, depth, replace=False) for _ in range(queries)])
        yield docs, np.sort(random.normal(size=(queries, depth)).round(3), axis=1)[:, ::-1]


def our_run(docs, scores):
    import polars as pl

    from irmetrics_nb import Run

    query = np.repeat(np.arange(len(docs)), docs.shape[1])
    columns = {"query_id": query, "doc_id": docs.ravel(), "score": scores.ravel()}
    return Run(pl.DataFrame(columns).with_columns(pl.col("query_id", "doc_id").cast(pl.String)))


def ranx_run(docs, scores):
    import ranx

    lists = zip(docs.tolist(), scores.tolist(), strict=True)
    return ranx.Run({str(q): dict(zip(map(str, d), s, strict=True)) for q, (d, s) in enumerate(lists)})


def ours(name, runs):
    from irmetrics_nb import fuse, pool, similarity

    jobs = {
        "fuse rrf": lambda: fuse(runs),
        "fuse sum minmax": lambda: fuse(runs, "sum"),
        "pool 20": lambda: pool(runs, 20),
        "similarity RBO": lambda: similarity(*runs[:2], "RBO(p=0.9) overlap@10"),
        "similarity tau_AP": lambda: similarity(*runs[:2], "tau_AP"),
    }
    return jobs[name]


def theirs(name, runs):
    import ranx

    def fused(norm, method):
        fresh = [ranx.Run() for _ in runs]
        for copy, run in zip(fresh, runs, strict=True):
            copy.run = run.run
        return ranx.fuse(fresh, norm=norm, method=method)

    return {"fuse rrf": lambda: fused(None, "rrf"), "fuse sum minmax": lambda: fused("min-max", "sum")}[name]


def measure(tool, name, queries, depth):
    "Run a job, and print its seconds and the peak memory of the process in MB."
    make, job = (our_run, ours) if tool == "irmetrics_nb" else (ranx_run, theirs)
    if tool == "ranx":  # compiles
        theirs(name, [ranx_run(*each) for each in lists(3, 20)])()
    run = job(name, [make(*each) for each in lists(queries, depth)])
    start = time.perf_counter()
    run()
    seconds = time.perf_counter() - start
    print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))


def ask(*args):
    command = [sys.executable, "-W", "ignore", __file__, *map(str, args)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    if len(sys.argv) == 5:
        measure(*sys.argv[1:3], *map(int, sys.argv[3:]))
        sys.exit()
    queries, depth = map(int, sys.argv[1:] or (698, 1000))
    print(f"five runs of {queries:,} queries with {depth:,} documents each")
    print("| job | irmetrics_nb, s | MB | ranx, s | MB |\n|---|--:|--:|--:|--:|")
    for name in "fuse rrf", "fuse sum minmax", "pool 20", "similarity RBO", "similarity tau_AP":
        tools = ["irmetrics_nb", "ranx"] if name.startswith("fuse") else ["irmetrics_nb"]
        found = {tool: [] for tool in tools}
        for _ in range(ROUNDS):
            for tool in tools:
                found[tool].append(ask(tool, name, queries, depth))
        cells = []
        for rows in found.values():
            seconds, memory = map(statistics.median, zip(*rows, strict=True))
            cells += [f"{seconds:.2f}", f"{memory:,.0f}"]
        print("|", " | ".join([name, *cells, *["–"] * (4 - len(cells))]), "|", flush=True)
