"""What those who use the package see of its types. Nobody runs this: tests/test_types.py has a type checker read it.

Where a line ends in `# wrong: ...`, the type checker must say so.
"""
from typing import Any, assert_type

import numpy as np
import polars as pl

import irmetrics_nb as ir
from irmetrics_nb import (
    AP,
    RR,
    Judged,
    Measure,
    Qrels,
    Run,
    Scores,
    average_precision,
    compare,
    dcg,
    evaluate,
    explain,
    explain_difference,
    gauc,
    judge,
    nDCG,
    ndcg,
    parse,
    precision_recall_curve,
    report,
    roc_curve,
)
from irmetrics_nb.evaluation.conventions import Conventions
from irmetrics_nb.metrics.parsing import parse_all

# One list gives a number; several lists, or a batch, an array.
assert_type(average_precision([1, 0, 0, 1, 1, 1]), float)
assert_type(average_precision((0.5, None, 2), k=5, n_relevant=3, divisor="min(R,k)"), float)
assert_type(average_precision([[1, 0], [0, 1, 1]], rel=2), np.ndarray)
assert_type(average_precision(Judged.from_ranks([1, 4])), np.ndarray)
assert_type(average_precision(np.ones((2, 3))), float | np.ndarray)
assert_type(ndcg([3, 0, 2], k=10, gain="exp", ideal=[3, 3, 2]), float)
assert_type(ndcg([3, 0, 2], gain={0: 0, 2: 1.5, 3: 4}, discount=lambda i: 1 / i), float)
assert_type(ndcg([[3, 0], [2]]), np.ndarray)
assert_type(dcg.terms([3, 0, 2]), np.ndarray)
assert_type(gauc([1, 0], np.array([0.2, 0.1]), ["ann", "ann"], weights={"ann": 2.0}), float)
fpr, tpr, thresholds = roc_curve([1, 0, 1], pl.Series([0.3, 0.2, 0.1]))
assert_type(fpr, np.ndarray)
precision_recall_curve([1, 0, 1], n_relevant=4)

# Measures, from text and as objects.
assert_type(parse("nDCG@10"), Measure)
assert_type(parse_all("AP nDCG@10"), list[Measure])
measure: Measure = nDCG(gain="exp") @ 10
assert_type(measure @ 5, Measure)
assert_type(AP.of([1, 0]), float | np.ndarray)
assert_type(AP.of([[1, 0], [0, 1]]), np.ndarray)
batch = Judged.from_topk([[1, 2], [3, 4]], [[1], []])
assert_type((nDCG @ 2).of(batch, ties="average"), np.ndarray)
mean_of_batch: float = (nDCG @ 2).of(batch).mean()

# Files, tables and dicts in, scores out.
qrels, run = Qrels("qrels.txt"), Run({"q1": {"d1": 2.5}})
scores = evaluate(qrels, run, [AP, "RR", nDCG @ 10], ties="given")
assert_type(scores, Scores)
assert_type(scores.means, dict[str, Any])  # of one run floats, of several a dict for each
assert_type(scores["AP"], np.ndarray)
assert_type(scores[RR], np.ndarray)
assert_type(scores.to_polars(), pl.DataFrame)
assert_type(scores.to_dict(), dict[str, Any])
assert_type(scores.conventions, Conventions)
assert_type(Scores.combine_runs([scores]).split_runs(), list[Scores])
assert_type(Scores.concat([scores]), Scores)
assert_type(judge(qrels, run), Judged)
assert_type(ir.load_example().runs["bm25"], Run)
assert_type(ir.__version__, str)

# And what is wrong is found.
ir.average_precison([1, 0])  # wrong: attr-defined
average_precision([1, 0], depth=10)  # wrong: call-overload
average_precision([1, 0], k="10")  # wrong: call-overload
average_precision([1, 0], 10)  # wrong: call-overload
average_precision(3)  # wrong: call-overload
ndcg([3, 0], k=10, gian="exp")  # wrong: call-overload
nDCG(gian="exp")  # wrong: call-overload
AP(relevance=2)  # wrong: call-overload
gauc([1, 0], [0.2, 0.1])  # wrong: call-arg
parse(10)  # wrong: arg-type
evaluate("qrels", "run", "AP", tie="given")  # wrong: call-arg
scores.mean()  # wrong: attr-defined

# An answer that there is not, wherever it may be given, and one that there is.
evaluate("qrels", "run", "AP", ties="docidd")  # wrong: arg-type
evaluate("qrels", "run", "AP", ties="average", missing="skip", no_relevant="nan", negative="keep")
evaluate("qrels", "run", "AP", score_dtype="float16")  # wrong: arg-type
evaluate("qrels", "run", "AP", unjudged="drop")  # wrong: arg-type
evaluate("qrels", "run", "AP", identical_ids="drop")  # wrong: arg-type
explain("AP", qrels, run, "q1", judgments="found")  # wrong: arg-type
explain("AP", qrels, run, "q1", judgments="retrieved", duplicates="best", identical_ids="skip")
explain_difference("AP", qrels, run, run, no_relevant="null")  # wrong: arg-type
compare("qrels", ["a", "b"], "AP", missing="drop")  # wrong: arg-type
compare("qrels", ["a", "b"], "AP", missing="skip", memory=1 << 20, baseline="a")
compare("qrels", ["a", "b"], "AP", tie="given")  # wrong: call-arg
report("qrels", ["a", "b"], negative="drop")  # wrong: arg-type
report("qrels", ["a", "b"], duplicates="last", unjudged="skip")
Conventions(duplicates="all")  # wrong: arg-type
Run("run.txt", duplicates="all")  # wrong: arg-type
