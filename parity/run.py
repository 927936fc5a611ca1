"""The same collections through other tools and through our presets: `make parity`.

    python parity/run.py [--rounds 200] [--only ranx,spark] [--out parity/results.json]

Every tool is asked in its own words, and we under `conventions=<tool>`; what is compared is the value of every query,
or the mean over a collection where the tool gives no more. The JSON has, for each tool and measure, how many numbers
were compared and by how much they differ at most. Exit code 1 if that is more than the digits that the tool shows.

A tool that is not here is left out, and keeps what was found before. Three are not installed by `make parity`: the
versions of trec_eval are programs, which build_trec_evals.py puts into a folder for the variable TREC_EVALS; Spark
needs Java and the package pyspark; torchmetrics computes with torch, which brings a CUDA toolkit along, unless a wheel
without it is at hand. Other tools have torch for their models; their metrics are loaded without it (parts.py).
"""

import argparse
import datetime
import importlib.metadata
import json
import multiprocessing
import shutil
import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import ask_evaluators
import ask_models
import ask_recommenders
import ask_retrieval
import numpy as np
from old_calls import OLD_CALLS

HERE = Path(__file__).parent
FOUR_DIGITS, FIVE_DIGITS = 5.1e-5, 5.1e-6


class Tool(NamedTuple):
    "What asks a tool, and what is known of it."

    ask: object
    package: str  # Whose version is noted; '' for a program
    near: float = 1e-9  # By how much the numbers that it shows may be off
    share: float = 1  # Of the rounds, for one that is slow
    program: str = ""  # The version of trec_eval

    def lacks(self):
        "What of it is not here, if anything."
        if self.program:
            path = ask_evaluators.program(self.program)
            return "" if path.exists() else f"there is no program {path.name} in the folder TREC_EVALS"
        if self.package == "pyspark" and not shutil.which("java"):
            return "no Java"
        try:
            importlib.metadata.version(self.package)
        except importlib.metadata.PackageNotFoundError:
            return f"{self.package} is not installed"
        return ""

    def version(self):
        "Its version, or that of the program."
        return self.program or importlib.metadata.version(self.package)


TOOLS = {
    "trec_eval": Tool(ask_evaluators.trec_eval, "", program="9.0.8"),
    "trec_eval-c": Tool(ask_evaluators.trec_eval_c, "", program="9.0.8"),
    "trec_eval-9.0.4": Tool(ask_evaluators.pytrec_eval, "pytrec-eval-terrier"),
    "trec_eval-9.0.4-c": Tool(ask_evaluators.trec_eval_904_c, "", program="9.0.4"),
    "trec_eval10": Tool(ask_evaluators.trec_eval10, "", program="10.0"),
    "ir_measures": Tool(ask_evaluators.ir_measures, "ir-measures"),
    "ranx": Tool(ask_evaluators.ranx, "ranx"),
    "sklearn": Tool(ask_models.sklearn, "scikit-learn"),
    "torchmetrics": Tool(ask_models.torchmetrics, "torchmetrics", near=1e-6),
    "xgboost": Tool(ask_models.xgboost, "xgboost-cpu"),
    "lightgbm": Tool(ask_models.lightgbm, "lightgbm"),
    "catboost": Tool(ask_models.catboost, "catboost"),
    "recbole": Tool(ask_recommenders.recbole, "recbole"),
    "recommenders": Tool(ask_recommenders.recommenders, "recommenders"),
    "rectools": Tool(ask_recommenders.rectools, "RecTools"),
    "lenskit": Tool(ask_recommenders.lenskit, "lenskit"),
    "spark": Tool(ask_recommenders.spark, "pyspark", share=0.1),
    "beir": Tool(ask_retrieval.beir, "beir", near=FIVE_DIGITS),
    "mteb": Tool(ask_retrieval.mteb, "mteb"),
    "llama_index": Tool(ask_retrieval.llama_index, "llama-index-core"),
    "haystack": Tool(ask_retrieval.haystack, "haystack-ai"),
    "ragas": Tool(ask_retrieval.ragas, "ragas"),
    "mlflow": Tool(ask_retrieval.mlflow, "mlflow"),
    "sentence_transformers": Tool(ask_retrieval.sentence_transformers, "sentence-transformers"),
}


def compared(ask, rounds):
    "{measure: {numbers, largest difference}} of a tool on random collections."
    found: dict = {}
    for seed in range(rounds):
        for name, theirs, ours in ask(np.random.default_rng(seed)):
            values = ours.values[0, 0] if np.ndim(theirs) else ours.means[repr(ours.measures[0])]
            off = np.abs(np.asarray(theirs, dtype=float) - values)
            row = found.setdefault(name, {"numbers": 0, "largest": 0.0})
            row["numbers"] += int(np.size(off))
            row["largest"] = max(row["largest"], float(np.max(off)))
    return found


def result_of(name, rounds):
    "What the JSON has of a tool."
    warnings.simplefilter("ignore")
    tool = TOOLS[name]
    rounds = max(1, round(rounds * tool.share))
    measures = compared(tool.ask, rounds)
    wrong = {measure: row["largest"] for measure, row in measures.items() if not row["largest"] <= tool.near}
    numbers = sum(row["numbers"] for row in measures.values())
    said = f"unequal: {wrong}" if wrong else "all equal"
    print(f"{name}: {numbers:,} numbers of {len(measures)} measures, {said}", flush=True)
    known = {"package": tool.package or "trec_eval", "version": tool.version(), "python": sys.version.split()[0]}
    known |= {"date": datetime.date.today().isoformat(), "rounds": rounds, "within": tool.near}
    old_calls = {"old_calls": OLD_CALLS[name]()} if name in OLD_CALLS else {}
    return known | {"measures": measures} | old_calls, bool(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--only", default=",".join(TOOLS))
    parser.add_argument("--out", type=Path, default=HERE / "results.json")
    args = parser.parse_args()
    asked = args.only.split(",")
    left_out = {name: why for name in asked if (why := TOOLS[name].lacks())}
    for name, why in left_out.items():
        print(f"{name}: left out, {why}", flush=True)
    # Each in a process of its own: what trec_eval's C code keeps from one caller changes the nDCG of the next.
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        here = [name for name in asked if name not in left_out]
        running = {name: pool.apply_async(result_of, (name, args.rounds)) for name in here}
        found = {name: each.get() for name, each in running.items()}
    before = json.loads(args.out.read_text(encoding="utf-8"))["tools"] if args.out.exists() else {}
    every = before | {name: each for name, (each, _) in found.items()}
    result = {"tools": {name: every[name] for name in TOOLS if name in every}}
    args.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    raise SystemExit(any(wrong for _, wrong in found.values()))


if __name__ == "__main__":
    main()
