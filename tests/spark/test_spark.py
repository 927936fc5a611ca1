"On Spark the numbers are those of one machine, whatever becomes of rows and executors on the way."
import json
import math
import os
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import irmetrics_nb
from irmetrics_nb import DataError, EvaluationWarning, TiesError
from irmetrics_nb import spark as spark_door
from irmetrics_nb.spark import auc, compare, evaluate, group_auc, means

MEASURES = "AP nDCG@10 RR P(rel=2)@5 ERR@20 GMAP NumRelRet Bpref RBP"
QRELS, RUN = "query_id string, doc_id string, relevance double", "query_id string, doc_id string, score double"


def collection(seed=1, queries=60, names=("good", "bad")):
    "Judgments and runs as rows: ties, skew, fractions, negative grades, queries that only one side has."
    draw = random.Random(seed)
    grades = [-1, 0, 0, 0, 1, 1, 2, 3, 0.5, 1.5]
    qrels, runs = [], {name: [] for name in names}
    for q in range(queries):
        query = f"q{q}" if q % 3 else f"ä {q}"
        size = 150 if q == 5 else draw.randint(1, 25)
        docs = draw.sample([f"d{i}" for i in range(200)], size)
        judged = draw.sample(docs, (size + 1) // 2) + [f"x{q}"]
        if q % 10:
            qrels += [(query, doc, float(draw.choice(grades))) for doc in judged]
        for name in names:
            if q % 7 and (name == "good" or q % 4):
                runs[name] += [(query, doc, draw.randint(0, 30) / 100) for doc in docs]
    return qrels, runs


def spread(spark, rows, schema, partitions, seed):
    "Rows in any order, in so many partitions."
    return spark.createDataFrame(random.Random(seed).sample(rows, len(rows)), schema).repartition(partitions)


def quietly(f, *args, **options):
    "(what a function gives, what it warns of as texts)."
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        found = f(*args, **options)
    return found, [str(w.message) for w in seen if issubclass(w.category, EvaluationWarning)]


def same_bits(there, here):
    "Whether every query of every run has the same values to the last bit."
    there, here = ({one.runs[0].name: one.to_dict() for one in scores.split_runs()} for scores in (there, here))
    assert there.keys() == here.keys()
    for name in here:
        assert there[name].keys() == here[name].keys()
        for query, values in here[name].items():
            assert np.array_equal([*there[name][query].values()], [*values.values()], equal_nan=True), query


QRELS_ROWS, RUNS_ROWS = collection()


@pytest.fixture(scope="module")
def frames(spark):
    qrels = spread(spark, QRELS_ROWS, QRELS, 3, 1).persist()
    return qrels, {name: spread(spark, rows, RUN, 2, 2).persist() for name, rows in RUNS_ROWS.items()}


def sent_along(monkeypatch, rows):
    "Judgments go along with every bucket if they have no more rows than this; whether they do, from call to call."
    found, decide = [], spark_door._sent_along

    def spy(*args):
        frame, truth, packed = decide(*args)
        found.append(packed is not None)
        return frame, truth, packed

    monkeypatch.setattr(spark_door, "ALONG_ROWS", rows)
    monkeypatch.setattr(spark_door, "_sent_along", spy)
    return found


@pytest.mark.parametrize(("buckets", "along"), [(None, True), (1, False), (7, True), (7, False)])
def test_spark_values_equal_local_values_for_any_partitioning(
    spark, buckets, along, monkeypatch
):
    went = sent_along(monkeypatch, len(QRELS_ROWS) - (not along))
    here, said = quietly(irmetrics_nb.evaluate, QRELS_ROWS, RUNS_ROWS, MEASURES)
    seed = buckets or 0
    qrels = spread(spark, QRELS_ROWS, QRELS, 1 + seed % 3, seed)
    runs = {name: spread(spark, rows, RUN, 3 - seed % 3, seed) for name, rows in RUNS_ROWS.items()}
    there, warned = quietly(evaluate, qrels, runs, MEASURES, buckets=buckets)
    assert went == [along]
    same_bits(there, here)
    assert str(there) == str(here)
    assert warned == said
    for name in here.means:
        assert there.means[name] == pytest.approx(here.means[name], rel=1e-12)
    assert there.query_ids == tuple(sorted(there.query_ids))


def test_a_value_worked_out_by_hand(spark):
    qrels = spark.createDataFrame([("q", "a", 1.0), ("q", "b", 1.0), ("p", "z", 1.0)], QRELS)
    run = spark.createDataFrame([("q", "a", 3.0), ("q", "n", 2.0), ("q", "b", 1.0), ("w", "a", 1.0)], RUN)
    scores = evaluate(qrels, run, "AP", buckets=2)
    assert scores["AP"] == pytest.approx([0, float(Fraction(1, 2) * (1 + Fraction(2, 3)))], rel=1e-15)
    assert (scores.missing, scores.unjudged, scores.runs[0].reading) == (1, 1, "by Spark, in 2 buckets")


def test_a_column_of_systems_gives_a_run_each_and_judgments_may_be_on_one_machine(spark, tmp_path):
    rows = [(*row, name) for name, of_run in RUNS_ROWS.items() for row in of_run]
    frame = spread(spark, rows, f"{RUN}, model string", 3, 5)
    path = tmp_path / "qrels.json"
    irmetrics_nb.Qrels(QRELS_ROWS).save(path)
    there, _ = quietly(evaluate, path, frame, "AP nDCG", system="model")
    here, _ = quietly(irmetrics_nb.evaluate, QRELS_ROWS, RUNS_ROWS, "AP nDCG")
    same_bits(there, here)


@pytest.mark.parametrize("along", [True, False])
@pytest.mark.parametrize("collect", [True, False])
def test_judged_queries_without_any_answer_count_as_on_one_machine_whether_judgments_travel_or_are_shuffled(
    spark, monkeypatch, along, collect
):
    went = sent_along(monkeypatch, 10**6 if along else 0)
    qrels = [(f"q{i}", "d", 1.0 if i % 2 else 0.0) for i in range(9)]
    run = [(f"q{i}", "d", 1.0) for i in (1, 2)]
    frame = spark.createDataFrame(run, RUN)
    for options in {}, {"missing": "skip"}, {"no_relevant": "skip"}:
        here, said = quietly(irmetrics_nb.evaluate, qrels, run, "AP nDCG", **options)
        there, warned = quietly(evaluate, qrels, frame, "AP nDCG", buckets=2, collect=collect, **options)
        assert warned == said
        if not collect:
            found = {(row.query, row.measure): row.value for row in there.collect()}
            assert found == {(q, m): v for q, row in here.to_dict().items() for m, v in row.items()}
            continue
        same_bits(there, here)
        assert (there.missing, there.no_relevant, there.means) == (here.missing, here.no_relevant, here.means)
    assert went == [along] * 3


def test_whole_numbers_and_text_are_one_id(spark):
    numbers = spark.createDataFrame([(1, 7, 2)], "query_id long, doc_id int, relevance int")
    texts = spark.createDataFrame([("1", "7", 0.5)], RUN)
    assert evaluate(numbers, texts, "AP nDCG", buckets=3).means == {"AP": 1.0, "nDCG": 1.0}


def test_conventions_that_ask_for_an_order_have_it_from_a_column_or_are_refused(spark):
    rows = [(*row, i) for i, row in enumerate(RUNS_ROWS["good"])]
    run = spread(spark, rows, f"{RUN}, shown long", 3, 5)
    for options, word in (({"ties": "given"}, "ties='given'"), ({"conventions": "xgboost"}, "ties='given'"),
                          ({"duplicates": "last"}, "duplicates='last'")):
        with pytest.raises(ValueError, match=f"{word} needs the order of the rows.*order="):
            evaluate(QRELS_ROWS, run, "AP", **options)
    there, _ = quietly(evaluate, QRELS_ROWS, run, "AP nDCG", conventions="xgboost", order="shown")
    here, _ = quietly(irmetrics_nb.evaluate, QRELS_ROWS, RUNS_ROWS["good"], "AP nDCG", conventions="xgboost")
    same_bits(there, here)
    again = run.selectExpr("query_id", "doc_id", "score", "shown % 2 as shown")
    with pytest.raises(DataError, match="query 'q1': two rows have the same value . in the order column 'shown'"):
        evaluate(QRELS_ROWS, again, "AP", ties="given", order="shown")


@pytest.mark.parametrize("collect", [True, False])
def test_an_error_about_ties_arrives_as_the_type_it_has_on_one_machine(spark, collect):
    run = spark.createDataFrame([("q", "a", 1.0), ("q", "b", 1.0), ("q", "c", 1.0)], RUN)
    qrels, measure = [("q", "a", 1), ("q", "b", 0)], "nDCG(ideal_from='top')@2"
    with pytest.raises(TiesError, match="the ideal ranking depends on the order of ties") as here:
        irmetrics_nb.evaluate(qrels, [("q", "a", 1.0), ("q", "b", 1.0), ("q", "c", 1.0)], measure, ties="best")
    with pytest.raises(TiesError) as there:
        evaluate(qrels, run, measure, ties="best", collect=collect)
    assert str(there.value) == str(here.value)


@pytest.mark.parametrize("local", [False, True])
def test_blank_grades_are_counted_and_count_as_not_judged_on_the_cluster_too(spark, local):
    rows = [("q1", "a", 1.0), ("q1", "b", None), ("q2", "a", None), ("q3", "b", math.nan), ("q3", "a", 2.0)]
    qrels = rows if not local else [(q, d, g if g == g else None) for q, d, g in rows]
    qrels = qrels if local else spark.createDataFrame(rows, "query_id string, doc_id string, relevance double")
    run = spark.createDataFrame([(q, d, s) for q in ("q1", "q2", "q3") for d, s in (("b", 2.0), ("a", 1.0))], RUN)
    scores = evaluate(qrels, run, "RR ERR", buckets=2)
    here = irmetrics_nb.evaluate({"q1": {"a": 1}, "q3": {"a": 2}}, dict.fromkeys(("q1", "q2", "q3"), ["b", "a"]), "RR ERR")
    assert scores.to_dict() == here.to_dict() and [*scores] == [*here] and scores.unjudged == 1
    assert "3 blank grade(s) in the judgments, counted as not judged" in " ".join(str(scores).split())


def test_columns_of_which_either_may_be_meant_are_refused_at_once(spark):
    run = spark.createDataFrame([("q", "a", "x", 1.0)], "query_id string, docid string, pid string, score double")
    with pytest.raises(DataError, match="the run: the columns 'docid' and 'pid' have the same meaning; drop one of them"):
        evaluate([("q", "a", 1)], run, "RR")


def test_judgments_with_strata_or_subtopics_are_refused(spark, tmp_path):
    run = spark.createDataFrame([("q", "a", 1.0)], "query string, doc string, score double")
    (tmp_path / "sampled").write_text("q 0 a 1 1\n")
    for judgments in (irmetrics_nb.Qrels({"q": {"s": {"a": 1}}}, subtopics=True), irmetrics_nb.Qrels(tmp_path / "sampled", strata=True)):
        with pytest.raises(ValueError, match="Spark does not evaluate judgments with strata or subtopics; use irmetrics_nb.evaluate"):
            evaluate(judgments, run, "RR")


def test_order_column_decides_which_duplicate_row_counts(spark):
    run = spark.createDataFrame([("q", "a", 3.0, 1), ("q", "a", 1.0, 2), ("q", "b", 2.0, 3)], f"{RUN}, at int")
    found = {how: evaluate([("q", "a", 1)], run, "RR", duplicates=how, order="at").means["RR"] for how in ("first", "last")}
    assert found == {"first": 1.0, "last": 0.5}


BAD = [
    ([("q1", "d1", None)], "the run, query 'q1': no value in column 'score'"),
    ([("q1", None, 1.0)], "the run, query 'q1': no value in column 'doc_id'"),
    ([(None, "d1", 1.0)], "the run: no value in column 'query_id'"),
    ([("q1", "d1", math.nan)], "the run, query 'q1', document 'd1': the score nan is not a number"),
    ([("q1", "d1", 1.0), ("q1", "d1", 2.0)], "the run: duplicate document 'd1' in query 'q1'"),
    ([("Q1", "d1", 1.0)], "judgments and run have no query in common: the qrels has 'q1', the run has 'Q1'; the ids would match in lower case"),
    ([], "the run: the table has no rows"),
]


@pytest.mark.parametrize(("rows", "said"), BAD, ids=lambda x: x if isinstance(x, str) else "")
def test_an_error_in_the_data_is_ours_names_the_query_and_fails_no_task(spark, rows, said):
    context = getattr(spark, "sparkContext", None)  # none by Spark Connect
    if context:
        context.setJobGroup(said, said)
    with pytest.raises(DataError) as caught:
        evaluate([("q1", "d1", 1), ("q2", "d1", 1)], spark.createDataFrame(rows, RUN), "AP", buckets=2)
    assert str(caught.value).startswith(said)
    failed = context and context.statusTracker()
    for job in failed.getJobIdsForGroup(said) if context else ():
        for stage in failed.getJobInfo(job).stageIds:
            info = failed.getStageInfo(stage)
            assert info is None or info.numFailedTasks == 0


def test_what_cannot_be_a_column_of_its_kind_is_refused_at_once(spark):
    qrels = [("q1", "d1", 1)]
    for schema, row, said in (("query_id double, doc_id string, score double", (1.0, "d1", 1.0), "must contain text or whole numbers, not double"),
                              ("query_id string, doc_id string, score string", ("q1", "d1", "1"), "must contain numbers, not string"),
                              ("query_id string, link string, score double", ("q1", "d1", 1.0), "no column doc_id or docno.*withColumnRenamed")):
        with pytest.raises(DataError, match=said):
            evaluate(qrels, spark.createDataFrame([row], schema), "AP")
    run = spark.createDataFrame([("q1", "d1", 1.0)], RUN)
    for twice, options in ((run.selectExpr("*", "0D as SCORE"), {}), (run.selectExpr("*", "'a' as model", "'b' as Model"), {"system": "model"}),
                           (run.selectExpr("*", "1 as at", "2 as AT"), {"ties": "given", "order": "at"})):
        with pytest.raises(DataError, match="the run: the column '.*' appears twice \\(Spark ignores case\\); the columns are query_id, doc_id, score"):
            evaluate(qrels, twice, "AP", **options)
    with pytest.raises(ValueError, match="neither the judgments nor the runs are Spark DataFrames"):
        evaluate(qrels, {"q1": {"d1": 1.0}}, "AP")


def test_a_query_too_large_for_a_bucket_is_named_with_what_to_set(frames):
    with pytest.raises(DataError, match=r"the query 'q5' has 150 rows, but a bucket of 20,000 bytes has space for only 100; .* write memory=30000"):
        evaluate(frames[0], frames[1]["good"], "AP", memory=20_000)


def test_warnings_about_all_rows_appear_once_as_on_one_machine(spark):
    qrels = [(f"q{i}", f"d{j}", 1) for i in range(12) for j in range(3)]
    run = [(f"q{i}", f"D{j}", float(j)) for i in range(12) for j in range(6)]
    _, here = quietly(irmetrics_nb.evaluate, qrels, run, "AP nDCG@10 P(rel=2)@5")
    _, there = quietly(evaluate, qrels, spark.createDataFrame(run, RUN), "AP nDCG@10 P(rel=2)@5", buckets=3)
    assert len(here) == len(there) == 3
    assert there[1:] == here[1:]
    assert there[0].startswith("no judged document was retrieved: the judgments have 'd")
    assert there[0].endswith("these ids would match in lower case")


def test_judgments_and_run_in_each_others_place_are_refused(spark):
    draw = random.Random(3)
    scores = [(f"q{q}", f"d{d}", draw.random()) for q in range(9) for d in range(20)]
    grades = [(q, d, float(int(score * 3))) for q, d, score in scores]
    with pytest.raises(ValueError, match="are the judgments and the run swapped"):
        evaluate(spark.createDataFrame(scores, QRELS), spark.createDataFrame(grades, RUN), "AP")


def test_values_may_stay_on_the_cluster_with_their_means(frames):
    qrels, runs = frames
    (values, warned), (here, said) = (quietly(f, q, r, MEASURES, **how) for f, q, r, how in (
        (evaluate, qrels, runs, {"collect": False}), (irmetrics_nb.evaluate, QRELS_ROWS, RUNS_ROWS, {})))
    assert warned == said
    assert values.columns == ["run", "query", "measure", "value"]
    found = {(row.run, row.query, row.measure): row.value for row in values.collect()}
    assert found == {(name, q, m): v for name, of in here.to_dict().items() for q, row in of.items() for m, v in row.items()}
    there = means(values)
    for name in here.means:
        assert there[name] == pytest.approx(dict(here.means[name]), rel=1e-12)


def test_a_mean_of_nothing_is_nan_on_the_cluster_too(spark):
    "Every value is NaN: the run and its measures are there all the same."
    qrels = spark.createDataFrame([("q1", "d1", 0), ("q2", "d2", 0)], "query_id string, doc_id string, relevance int")
    run = spark.createDataFrame([("q1", "d1", 1.0), ("q2", "d2", 1.0)], "query_id string, doc_id string, score double")
    values = evaluate(qrels, run, "AP GMAP NumRel", no_relevant="nan", collect=False)
    there, here = means(values), irmetrics_nb.evaluate({"q1": {"d1": 0}, "q2": {"d2": 0}}, {"q1": ["d1"], "q2": ["d2"]}, "AP GMAP NumRel", no_relevant="nan").means
    assert list(there) == list(here) == ["AP", "GMAP", "NumRel"]
    assert there == pytest.approx(dict(here), nan_ok=True)


def test_spark_comparison_equals_local_comparison(frames):
    qrels, runs = frames
    there, _ = quietly(compare, qrels, runs, "AP nDCG@10", baseline="bad", test="sign")
    here, _ = quietly(irmetrics_nb.compare, QRELS_ROWS, RUNS_ROWS, "AP nDCG@10", baseline="bad", test="sign")
    for name in "difference", "low", "high", "p", "wins", "losses", "queries", "has_judged":
        ours, theirs = (getattr(each.pair("bad", "good", "AP"), name) for each in (there, here))
        assert ours == pytest.approx(theirs, rel=1e-12), name


def clicks():
    "Labels and scores in steps of a tenth; users with one class only."
    draw = random.Random(4)
    return [(draw.randint(0, 40) ** 2 % 37, int(draw.random() < 0.3), draw.randint(0, 10) / 10) for _ in range(2000)]


def test_spark_auc_of_users_and_of_all_rows_equals_local_auc(spark):
    rows = clicks()
    frame = spark.createDataFrame(rows, "user int, click int, p double").repartition(5)
    columns = {"label": "click", "score": "p"}
    users, labels, scores = zip(*rows)
    here = irmetrics_nb.group_auc(labels, scores, users)
    there = group_auc(frame, group="user", buckets=3, **columns)
    assert there.ids.tolist() == here.ids.tolist()
    assert np.array_equal(there.auc, here.auc, equal_nan=True)
    assert (there.mean(), there.mean("impressions")) == (here.mean(), here.mean("impressions"))
    stayed = group_auc(frame, group="user", collect=False, **columns).collect()
    assert sorted((int(row.group), row.positives) for row in stayed) == [*zip(here.ids.tolist(), here.positives.tolist())]
    assert auc(frame, **columns) == (irmetrics_nb.auc(labels, scores), 0)
    coarse = auc(frame, bins=3, **columns)
    assert coarse.low <= irmetrics_nb.auc(labels, scores) <= coarse.high
    broken = frame.selectExpr("user", "click", "if(user = 9, double('NaN'), p) as p")
    with pytest.raises(DataError, match="the items of group '9': a label or a score is missing or NaN"):
        group_auc(broken, group="user", **columns)
    with pytest.raises(DataError, match="the items: .*NaN"):
        auc(broken, **columns)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="executors are found through /proc")
def test_when_an_executor_dies_in_the_middle_the_numbers_are_the_same(spark):
    def parents(batches):  # defined here, so that executors get it by value
        import pyarrow as pa

        def parent(pid):
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
            return int(next(line for line in lines if line.startswith("PPid")).split()[1])

        for _ in batches:
            yield pa.record_batch([pa.array([parent(os.getppid()), os.getppid()])], names=["pid"])

    def slowly(batches):
        for batch in batches:
            time.sleep(1)
            yield batch

    here, _ = quietly(irmetrics_nb.evaluate, QRELS_ROWS, RUNS_ROWS["good"], "AP nDCG")
    found = spark.range(8).repartition(8).mapInArrow(parents, "pid long").distinct().collect()
    executors = [row.pid for row in found if "CoarseGrainedExecutorBackend" in Path(f"/proc/{row.pid}/cmdline").read_text()]
    assert executors
    run = spread(spark, RUNS_ROWS["good"], RUN, 6, 1).mapInArrow(slowly, RUN)
    killer = threading.Timer(4, os.kill, (executors[0], signal.SIGKILL))
    killer.start()
    there, _ = quietly(evaluate, QRELS_ROWS, run, "AP nDCG", buckets=4)
    assert not killer.is_alive(), "the job was over before the executor was"
    assert not Path(f"/proc/{executors[0]}/cmdline").exists() or not Path(f"/proc/{executors[0]}/cmdline").read_text()
    same_bits(there, here)


@pytest.mark.parametrize("name", ["guide/spark", "top_level/spark"])
def test_the_page_shows_what_its_cells_give(name, spark):
    import pages

    if not hasattr(spark, "sparkContext"):
        pytest.skip("the page has a session of its own, which is none of Spark Connect")
    assert pages.late(Path(__file__).parents[2] / f"nbs/{name}.ipynb") == []


@pytest.mark.parametrize("engine", ["dask", "ray"])
def test_the_recipe_of_another_engine_gives_the_values_of_one_machine(engine, tmp_path):
    pytest.importorskip(engine, reason=f"{engine} is not installed")
    from project import cells

    page = cells(Path(__file__).parents[2] / "nbs/reference/big_data.ipynb")
    common = next(cell.source for cell in page if "def part(" in cell.source)
    recipe = next(cell.source for cell in page if f"import {engine}" in cell.source)
    program = tmp_path / "recipe.py"
    program.write_text(f"{common}\n{recipe.replace('Scores.concat(', 'found = Scores.concat(')}\nprint(found)")
    from subprocess import run

    done = run([sys.executable, "-W", "ignore", program], capture_output=True, text=True, cwd=tmp_path, timeout=200)
    assert done.returncode == 0, done.stderr
    example = irmetrics_nb.load_example()
    means = irmetrics_nb.evaluate(example.qrels, example.runs["bm25"], "AP nDCG@10").means
    assert json.loads(done.stdout.splitlines()[-1].replace("'", '"')) == pytest.approx(dict(means), rel=1e-12)


def test_code_of_the_page_runs_with_spark_submit(tmp_path):
    from subprocess import run

    from project import cells

    page = cells(Path(__file__).parents[2] / "nbs/reference/big_data.ipynb")
    block = next(part for cell in page for part in cell.source.split("```") if "spark.table(" in part)
    folder = irmetrics_nb.load_example().folder
    program = f"""
from pyspark.sql import SparkSession
import irmetrics_nb

spark = SparkSession.builder.getOrCreate()
example = irmetrics_nb.load_example()
spark.createDataFrame(example.qrels.to_pandas()).createOrReplaceTempView('judgments')
spark.createDataFrame(example.runs['bm25'].to_pandas()).createOrReplaceTempView('results')
{block.removeprefix("python").strip().replace("evaluate(spark", "found = evaluate(spark")}
print('MEANS', found.means)
"""
    (tmp_path / "evaluate.py").write_text(program)
    submit = Path(sys.executable).with_name("spark-submit")
    options = ["--master", "local-cluster[1,1,1024]", "--conf", "spark.ui.enabled=false", "--conf", "spark.sql.shuffle.partitions=2"]
    words = [sys.executable, submit] if os.name == "nt" else [submit]
    mine = {name: value for name, value in os.environ.items() if not name.startswith("SPARK_")}  # Spark Connect leaves some
    done = run([*map(str, words), *options, "evaluate.py"], capture_output=True, text=True, cwd=tmp_path, timeout=300,
               env=mine | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"})
    said = [line for line in done.stdout.splitlines() if line.startswith("MEANS")]
    assert said, done.stderr[-3000:]
    here = irmetrics_nb.evaluate(folder / "qrels.txt", folder / "runs" / "bm25.run.gz", "AP nDCG@10 RR").means
    assert json.loads(said[0].removeprefix("MEANS ").replace("'", '"')) == pytest.approx(dict(here), rel=1e-12)


VERIFIED_ALONE = """
import sys
sys.modules["pyspark"] = None
from irmetrics_nb import verify
folder = sys.argv[1]
found = [verify(f"{folder}/x.json"), verify(f"{folder}/x.json", f"{folder}/qrels.json", {"good": f"{folder}/good.json", "bad": f"{folder}/bad.json"})]
print([result.code for result in found], [[check.outcome for check in result.rows] for result in found])
"""


def test_a_saved_result_of_spark_is_verified_without_spark(spark, frames, tmp_path):
    qrels, runs = frames
    scores, _ = quietly(evaluate, qrels, runs, "AP nDCG@10 RR GMAP", buckets=3)
    scores.save(tmp_path / "x.json")
    irmetrics_nb.Qrels(QRELS_ROWS).save(tmp_path / "qrels.json")
    for name, rows in RUNS_ROWS.items():
        irmetrics_nb.Run(rows).save(tmp_path / f"{name}.json")
    done = subprocess.run([sys.executable, "-c", VERIFIED_ALONE, str(tmp_path)], capture_output=True, text=True)
    assert done.stdout == "[0, 0] [['equal', 'not checked', 'equal'], ['equal', 'equal', 'equal']]\n", done.stdout + done.stderr
    data = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))
    data["runs"][0]["means"]["AP"] += 1e-6
    (tmp_path / "x.json").write_text(json.dumps(data), encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", VERIFIED_ALONE, str(tmp_path)], capture_output=True, text=True)
    assert done.stdout.startswith("[3, 3]"), done.stdout + done.stderr
