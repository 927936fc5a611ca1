"""Rows on one machine and on Spark with two executors, side by side: `make bench-spark ARGS="5e6 5e7"`.

Prints for each size a line of JSON: seconds here and there, rows per second, bytes shuffled per row, and the
seconds of Spark's own RankingMetrics on the same rows with how far its numbers are from ours.
"""
import json
import os
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl

CACHE = Path(__file__).parent / ".cache"
DEPTH = 100  # documents of a query


def made(rows):
    "A run of so many rows and its judgments, as Parquet files; made once."
    CACHE.mkdir(exist_ok=True)
    run, qrels = CACHE / f"spark_run_{rows}", CACHE / f"spark_qrels_{rows}.parquet"
    if qrels.exists():
        return qrels, run
    run.mkdir(exist_ok=True)
    queries, draw = rows // DEPTH, np.random.default_rng(1)
    judged = []
    for i, first in enumerate(range(0, queries, 50_000)):
        query = np.arange(first, min(first + 50_000, queries))
        doc = (query[:, None] * 7919 + np.arange(DEPTH) * 104_729) % 9_999_991
        columns = {"query_id": np.repeat(query, DEPTH), "doc_id": doc.ravel()}
        columns["score"] = np.tile(np.linspace(1, 0, DEPTH), len(query))
        ids = pl.col("query_id", "doc_id").cast(pl.String)
        pl.DataFrame(columns).with_columns(ids).write_parquet(run / f"part-{i:05}.parquet")
        places = draw.integers(0, DEPTH, (len(query), 3))
        columns = {"query_id": np.repeat(query, 3), "doc_id": np.take_along_axis(doc, places, 1).ravel()}
        columns["relevance"] = draw.integers(0, 4, 3 * len(query))
        judged.append(pl.DataFrame(columns).unique(["query_id", "doc_id"], maintain_order=True).with_columns(ids))
    pl.concat(judged).write_parquet(qrels)
    return qrels, run


def timed(f, *args, **options):
    start = time.perf_counter()
    found = f(*args, **options)
    return found, time.perf_counter() - start


def session():
    "Two executors with a gigabyte each."
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.driver.host", "127.0.0.1")
    spark = builder.config("spark.sql.shuffle.partitions", "16").config("spark.ui.enabled", "true").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def shuffled(spark):
    "Bytes that stages have written for a shuffle until now, by Spark's own account."
    import urllib.request

    base = f"{spark.sparkContext.uiWebUrl}/api/v1/applications/{spark.sparkContext.applicationId}/stages"
    with urllib.request.urlopen(base) as answer:
        return sum(stage["shuffleWriteBytes"] for stage in json.load(answer))


def ranking_metrics(qrels, run):
    "(precision at 10, nDCG at 10) by Spark's RankingMetrics; relevant are grades from 1 on."
    from pyspark.mllib.evaluation import RankingMetrics
    from pyspark.sql import functions as F

    best_first = F.sort_array(F.collect_list(F.struct("score", "doc_id")), asc=False)
    lists = run.groupBy("query_id").agg(best_first.doc_id.alias("found"))
    truth = qrels.where("relevance >= 1").groupBy("query_id").agg(F.collect_list("doc_id").alias("relevant"))
    pairs = truth.join(lists, "query_id").select("found", "relevant").rdd.map(tuple)
    metrics = RankingMetrics(pairs)
    return metrics.precisionAt(10), metrics.ndcgAt(10)


def main(sizes):
    import irmetrics_nb
    from irmetrics_nb.spark import evaluate

    spark = session()
    small = [spark.read.parquet(str(path)) for path in made(10**5)]
    evaluate(*small, "nDCG@10 P@10"), ranking_metrics(*small)  # executors have started, imported and compiled
    for rows in sizes:
        qrels, run = made(rows)
        here, seconds = timed(irmetrics_nb.evaluate, qrels, run, "nDCG@10 P@10")
        frames = spark.read.parquet(str(qrels)), spark.read.parquet(str(run))
        before = shuffled(spark)
        there, on_spark = timed(evaluate, *frames, "nDCG@10 P@10")
        written = shuffled(spark) - before
        assert there.to_dict() == here.to_dict()
        found = {"rows": rows, "here": round(seconds, 1), "spark": round(on_spark, 1)}
        found |= {"ratio": round(on_spark / seconds, 1), "how": there.runs[0].reading}
        found["shuffled_bytes_per_row"] = round(written / rows, 1)
        if rows <= 10**7:
            (precision, ndcg), its = timed(ranking_metrics, *frames)
            ours = irmetrics_nb.evaluate(qrels, run, "nDCG@10 P@10", conventions="spark", no_relevant="skip")
            found |= {"RankingMetrics": round(its, 1), "its_ratio": round(its / on_spark, 1),
                      "differs_by": [abs(precision - ours.means["P@10"]), abs(ndcg - ours.means["nDCG@10"])]}
        print(json.dumps(found), flush=True)
    spark.stop()


if __name__ == "__main__":
    main([int(float(text)) for text in sys.argv[1:]] or [5 * 10**6, 5 * 10**7])
