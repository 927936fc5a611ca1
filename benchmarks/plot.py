"""Draw how time and memory grow: python benchmarks/plot.py results.json growth.png"""
import json
import sys
from pathlib import Path

from matplotlib.figure import Figure


def growing_size(case):
    "What grows in a case: rows, judgments, or nothing that is drawn here."
    return "judgments" if case.startswith("M/4") else "" if case.startswith("L") else "rows"


def main(source, target):
    "Two log-log plots over the rows, one over the judgments."
    found = json.loads(Path(source).read_text())
    rows = [r for r in found["results"] if r["section"] == "growth"]
    figure = Figure(figsize=(12, 4), dpi=120, layout="constrained")
    for axis, size, what in zip(figure.subplots(1, 3), ("rows", "rows", "judgments"), ("cpu", "peak", "cpu")):
        for tool in dict.fromkeys(r["tool"] for r in rows):
            mine = [r for r in rows if r["tool"] == tool and growing_size(r["case"]) == size]
            x = [found["data"][r["case"]][size] for r in mine]
            axis.loglog(x, [r[what] for r in mine], "o-", label=tool)
            axis.loglog(x, [mine[-1][what] * n / x[-1] for n in x], ":", color="grey")  # in proportion
        axis.set(xlabel=size, title={"cpu": "processor time, s", "peak": "memory at most, MB"}[what])
        axis.legend(frameon=False)
    figure.savefig(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
