"The ideal ranking as the judgments were given: their order is kept where a measure asks for it, from every source, and nowhere else."
from itertools import permutations
from math import log2

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import ndcg as by_definition
from strategies import batch, collections

from irmetrics_nb import Accumulator, Judged, Qrels, Scores, evaluate, explain, judge, nDCG, ndcg, parse
from irmetrics_nb.evaluation.evaluation import judge_run
from irmetrics_nb.foundations.rankings import COLUMNS, take

GIVEN = "nDCG(gain='exp', ideal_from='given')"
SPARK = 1.4088282277333313  # what Spark 4.3.0 gives for the labels c (1), a (3) and the list a, c
NOT_KNOWN = "the order in which judgments were given is not known here"


def judged_rows(seed, grouped=True):
    "(query, document, grade) and (query, document, score), each document judged once, some of them junk."
    rng = np.random.default_rng(seed)
    pairs = [(f"q{q}", f"d{d}") for q in rng.permutation(12) for d in rng.permutation(30)[: rng.integers(1, 30)]]
    qrels = [(q, d, int(rng.integers(-1, 4))) for q, d in pairs if rng.random() < 0.8]
    run = [(q, d, float(s)) for (q, d), s in zip(pairs, rng.permutation(len(pairs)), strict=True) if rng.random() < 0.8]
    if grouped:
        return qrels, run
    return [qrels[i] for i in rng.permutation(len(qrels))], [run[i] for i in rng.permutation(len(run))]


def expected(qrels, run, k, negative="zero"):
    "{query: nDCG}, read slowly."
    values = {}
    for query in dict.fromkeys(q for q, _, _ in qrels):
        grade = {d: g for q, d, g in qrels if q == query and (g >= 0 or negative == "keep")}
        got = [d for q, d, _ in sorted(run, key=lambda row: -row[2]) if q == query]
        values[query] = by_definition([grade.get(d) for d in got], [*grade.values()], k, "exp", ideal_from="given")
    return values


def as_dicts(rows):
    found = {}
    for q, d, number in rows:
        found.setdefault(q, {})[d] = number
    return found


def as_files(rows, path, row):
    path.write_text("".join(row.format(q, d, n) for q, d, n in rows))
    return path


@pytest.mark.parametrize("form", ["dicts", "rows", "table", "text", "csv"])
@pytest.mark.parametrize("grouped", [True, False])
@pytest.mark.parametrize("negative", ["zero", "keep"])
def test_the_order_of_the_judgments_is_that_of_their_source(form, grouped, negative, tmp_path):
    qrels, run = judged_rows(len(form), grouped)
    judgments, results = qrels, run
    if form == "dicts":
        judgments, results = as_dicts(qrels), as_dicts(run)
    if form == "table":
        judgments = pl.DataFrame(qrels, ["query_id", "doc_id", "relevance"], orient="row")
        results = pl.DataFrame(run, ["query_id", "doc_id", "score"], orient="row")
    if form in ("text", "csv"):
        line = "{} 0 {} {}\n" if form == "text" else "{},{},{}\n"
        judgments = as_files(qrels, tmp_path / f"qrels.{form}", line)
        results = as_files(run, tmp_path / "run.txt", "{} Q0 {} 1 {} t\n")
    if form == "csv":
        judgments.write_text("query_id,doc_id,relevance\n" + judgments.read_text())
    for k, memory in ((None, None), (3, None), (3, 30_000)):
        measure = parse(GIVEN) if k is None else parse(GIVEN) @ k
        scores = evaluate(judgments, results, [measure, "AP"], negative=negative, memory=memory)
        values = dict(zip(scores.query_ids, scores[measure].tolist(), strict=True))
        assert values == pytest.approx(expected(qrels, run, k, negative), rel=1e-12, abs=1e-12)
    assert max(values.values()) > 1


def test_spark_gives_the_same_for_labels_in_the_wrong_order():
    assert ndcg([3, 1], ideal=[1, 3], ideal_from="given", gain="exp") == pytest.approx(SPARK, abs=1e-12)
    assert (7 / log2(2) + 1 / log2(3)) / (1 / log2(2) + 7 / log2(3)) == pytest.approx(SPARK, abs=1e-12)
    scores = evaluate({"q": {"c": 1, "a": 3}}, {"q": ["a", "c"]}, GIVEN, conventions="spark")
    assert scores[GIVEN][0] == pytest.approx(SPARK, abs=1e-12)
    assert evaluate({"q": {"a": 3, "c": 1}}, {"q": ["a", "c"]}, GIVEN)[GIVEN][0] == 1


def test_conventions_may_ask_for_the_order():
    from irmetrics_nb.foundations.conventions import Conventions
    as_given = Conventions(measures=(("nDCG", "ideal_from", "given"), ("nDCG", "gain", "exp")))
    assert evaluate({"q": {"c": 1, "a": 3}}, {"q": ["a", "c"]}, "nDCG", conventions=as_given).values.item() == pytest.approx(SPARK, abs=1e-12)


def test_the_order_is_kept_only_where_a_measure_asks_for_it(monkeypatch):
    import irmetrics_nb.evaluation.evaluation as evaluation
    asked = []
    def spy(*args, keep_order, **options):
        asked.append(keep_order)
        return judge_run(*args, keep_order=keep_order, **options)
    monkeypatch.setattr(evaluation, "judge_run", spy)
    for measures in ("AP nDCG@10 RR", "AP", GIVEN, f"AP {GIVEN}@3"):
        evaluate({"q": {"c": 1, "a": 3}}, {"q": ["a", "c"]}, measures)
    assert asked == [False, False, True, True]
    assert judge({"q": {"c": 1}}, {"q": ["c"]}).pool_given is None


@pytest.mark.parametrize("ties", ["docid", "given", "average", "best", "worst"])
def test_ties_decide_about_the_list_alone(ties):
    qrels, run = {"q": {"c": 0, "a": 3, "b": 1, "x": 2}}, {"q": {"a": 1.0, "b": 1.0, "c": 1.0, "n": 1.0}}
    values = [ndcg([qrels["q"].get(d) for d in order], k=3, ideal=[0, 3, 1, 2], ideal_from="given") for order in permutations("abcn")]
    wanted = {"average": np.mean(values), "best": max(values), "worst": min(values)}
    measure = nDCG(ideal_from="given") @ 3
    found = evaluate(qrels, run, measure, ties=ties)[measure][0]
    assert found == pytest.approx(wanted[ties], rel=1e-12) if ties in wanted else found in values


@pytest.mark.parametrize("judged", [
    Judged.from_scores([3, 1], [2.0, 1.0]), Judged.from_topk([[7, 3]], [[3, 4]]), judge({"q": {"c": 1}}, {"q": ["c"]}),
    Judged.from_grades([3, 1]).changed(pool_query=np.array([0]), pool_grade=np.array([3.0])),
    Judged.concat([Judged.from_grades([3, 1]), Judged.from_scores([3, 1], [2.0, 1.0])])], ids=["scores", "topk", "judge", "pool", "concat"])
def test_where_the_order_is_not_known_it_says_so(judged):
    for ask in (lambda: ndcg(judged, ideal_from="given"), lambda: judged.given, lambda: parse(GIVEN).of(judged)):
        with pytest.raises(ValueError, match=NOT_KNOWN):
            ask()
    with pytest.raises(ValueError, match=NOT_KNOWN):
        Accumulator(GIVEN).add(judged)
    with pytest.raises(ValueError, match=NOT_KNOWN):
        explain(GIVEN, judged[0])


def test_judge_keeps_the_order_if_asked():
    judged = judge({"q": {"c": 1, "j": -1, "a": 3}}, {"q": ["a", "c"]}, keep_order=True)
    assert judged.given.grade.tolist() == [1, 3]
    assert judged.given.rank.tolist() == [1, 2]
    assert ndcg(judged, ideal_from="given", gain="exp") == pytest.approx([SPARK], abs=1e-12)
    kept = judge({"q": {"c": 1, "j": -1, "a": 3}}, {"q": ["a", "c"]}, negative="keep", keep_order=True)
    assert kept.given.grade.tolist() == [1, -1, 3]


@given(collections(), st.data())
def test_views_of_a_batch_keep_the_order(collection, data):
    judged, pools = batch(collection), [pool for _, pool in collection]
    def orders(some): return [one.pool_given.tolist() for one in some]
    assert orders(judged) == orders(judged.condensed()) == orders(judged.found()) == orders(judged.top(2)) == pools
    assert orders(Judged.concat([judged, judged])) == pools + pools
    queries = data.draw(st.lists(st.integers(0, len(pools) - 1), max_size=6))
    assert orders(take(judged, np.array(queries, dtype=int))) == [pools[q] for q in queries]
    assert judged.given.grade.tolist() == [g for pool in pools for g in pool]


def test_an_order_given_by_hand_is_checked():
    columns = {name: getattr(Judged.from_grades([3, 1]), name) for name in COLUMNS}
    assert Judged(**columns, pool_given=[1, 3]).given.grade.tolist() == [1, 3]
    assert Judged(**columns).pool_given is None
    for wrong, says in ([1, 2], "pool_given must hold the grades of pool_grade"), ([1], "unequal lengths"), (["x", 1], "pool_given must be a list of numbers"):
        with pytest.raises(ValueError, match=says):
            Judged(**columns, pool_given=wrong)


def test_a_query_whose_first_judgments_are_worth_nothing_still_has_something_relevant():
    qrels, run = {"q": {"x": 0, "a": 1}, "n": {"y": 0}}, {"q": ["a"], "n": ["y"]}
    scores = evaluate(qrels, run, f"{GIVEN}@1", no_relevant="nan")
    assert scores.values[0, 0].tolist() == pytest.approx([0, np.nan], nan_ok=True)
    assert explain(f"{GIVEN}@1", qrels, run, "q", no_relevant="nan").value == 0


def test_parts_put_together_are_the_whole():
    qrels, run = map(as_dicts, judged_rows(1))
    some = list(qrels)[:4]
    parts = [{q: docs for q, docs in qrels.items() if (q in some) == first} for first in (True, False)]
    whole = Scores.concat([evaluate(part, {q: run[q] for q in part if q in run}, f"{GIVEN}@3", part=True) for part in parts])
    assert whole.means == pytest.approx(evaluate(qrels, run, f"{GIVEN}@3").means, rel=1e-12)


@pytest.mark.parametrize("grouped", [True, False])
@pytest.mark.parametrize("negative", ["zero", "keep"])
def test_an_explanation_divides_by_the_judgments_as_given(grouped, negative):
    qrels, run = judged_rows(3, grouped)
    values = expected(qrels, run, 5, negative)
    judgments = Qrels(qrels)
    for query, value in values.items():
        found = explain(f"{GIVEN}@5", judgments, run, query, negative=negative)
        assert found.value == pytest.approx(value, rel=1e-12, abs=1e-12)
        if found.work.whole:
            assert found.work.ideal_terms.sum() == pytest.approx(found.work.whole, rel=1e-12)
    listed = explain(GIVEN, [3, 1], ideal=[1, 3])
    assert listed.value == pytest.approx(SPARK, abs=1e-12)
    assert listed.text == "nDCG(gain='exp', ideal_from='given') = (7/log2(2) + 1/log2(3)) / (1/log2(2) + 7/log2(3)) = 1.4088"


def test_what_if_changes_the_list_and_not_the_order_of_the_judgments():
    qrels, run = {"q": {"c": 1, "x": 2, "a": 3}}, {"q": ["a", "c", "n"]}
    found = explain(GIVEN, qrels, run, "q")
    def value(got, pool): return pytest.approx(by_definition(got, pool, gain="exp", ideal_from="given"), rel=1e-12)
    assert found.move("c", 1).value == value([1, 3, None], [1, 2, 3])
    assert found.move("x", 1).value == value([2, 3, 1, None], [1, 2, 3])
    assert found.without("a").value == value([1, None], [1, 2, 3])
    assert found.grade("x", 0).value == value([3, 1, None], [1, 0, 3])
    assert found.grade("c", None).value == value([3, None, None], [2, 3])
    assert found.grade("n", 2).value == value([3, 1, 2], [1, 2, 3, 2])
