"""Whose number is this? The numbers of real tools, on random collections, given to `identify`: part of `make parity`.

    python parity/identify.py [--rounds 2] [--only ranx,lightgbm] [--most 3]

Each tool computes its measures as in run.py; of each number the first six digits (of what rounds to five, five) are
asked about. Right: the conventions of the tool are among the answers. Alone: there is no other answer."""

import argparse
import datetime
import json
import warnings
from functools import partial
from pathlib import Path

import ask_evaluators
import ask_models
import ask_recommenders
import ask_retrieval
import numpy as np
from collections_at_random import collection
from run import FIVE_DIGITS, TOOLS

from irmetrics_nb import evaluate, identify, parse

MODULES = ask_evaluators, ask_models, ask_recommenders, ask_retrieval
HERE = Path(__file__).parent
LAST = []


def noted(qrels, run, measures, **how):
    "As `evaluate`, and what it was called with is noted."
    scores = evaluate(qrels, run, measures, **how)
    LAST[:] = [(scores, qrels, run, measures)]
    return scores


def numbers_of(name, rounds, most):
    "(judgments, run, measure, number, our number) of a tool."
    for seed in range(rounds):
        rng, asked = np.random.default_rng(seed), []
        for what, theirs, ours in TOOLS[name].ask(rng):
            if LAST and LAST[0][0] is ours:
                asked.append((what, theirs, ours, *LAST[0][1:]))
        for i in rng.permutation(len(asked))[:most]:
            _, theirs, ours, qrels, run, measure = asked[i]
            values = np.asarray(theirs, dtype=float)
            if values.ndim:
                values = ours.measures[0].kind.aggregate.f(values[~np.isnan(values)])
            yield qrels, run, measure, float(values), min(ours.means.values())


def asked(name, rounds, most):
    "How many numbers, how many right, how many alone."
    digits = 5 if TOOLS[name].near == FIVE_DIGITS else 6
    found = {"numbers": 0, "right": 0, "alone": 0, "graded": 0, "graded_alone": 0}
    for qrels, run, measure, value, ours in numbers_of(name, rounds, most):
        if np.isnan(value):
            continue
        answer = identify(qrels, run, {measure: f"{value:.{digits}f}"})
        found["numbers"] += 1
        found["right"] += any(abs(fit.value - ours) < 1e-9 for fit in answer)
        found["alone"] += len(answer) == 1
        graded = parse(measure).name in ("nDCG", "DCG", "ERR", "AP")  # that have more values than hits of the top have
        found["graded"] += graded
        found["graded_alone"] += graded and len(answer) == 1
        if not any(abs(fit.value - ours) < 1e-9 for fit in answer):
            print(f"  {name}: {measure} = {value:.{digits}f} is not traced", flush=True)
    return found | {"digits": digits}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--most", type=int, default=3, help="numbers of a tool in a round")
    parser.add_argument("--queries", type=int, default=150)
    parser.add_argument("--only", default=",".join(TOOLS))
    parser.add_argument("--out", type=Path, default=HERE / "identified.json")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    for module in MODULES:
        module.evaluate = noted
        module.collection = partial(collection, queries=args.queries)  # a mean of twelve has few values
    tools = {}
    for name in args.only.split(","):
        if why := TOOLS[name].lacks():
            print(f"{name}: left out, {why}", flush=True)
            continue
        tools[name] = asked(name, args.rounds, args.most) | {"version": TOOLS[name].version()}
        print(f"{name}: {tools[name]}", flush=True)
    six = [each for each in tools.values() if each["digits"] == 6]
    every, right = (sum(each[key] for each in tools.values()) for key in ("numbers", "right"))
    alone, of = sum(each["alone"] for each in six), sum(each["numbers"] for each in six)
    print(f"{right} of {every} numbers are traced to their tool")
    print(f"{alone} of {of} with six digits ({alone / max(of, 1):.1%}) are traced to nothing else")
    fine, of_fine = (sum(each[key] for each in six) for key in ("graded_alone", "graded"))
    print(f"{fine} of {of_fine} of nDCG, DCG, ERR and AP ({fine / max(of_fine, 1):.1%})")
    known = {"date": datetime.date.today().isoformat(), "tools": tools}
    args.out.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    raise SystemExit(right < every)


if __name__ == "__main__":
    main()
