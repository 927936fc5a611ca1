"""Documents of equal score: the best order, the worst one, and the mean over all of them."""

import pickle
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import dcg_score, ndcg_score
from strategies import usual

from irmetrics_nb import (
    AP,
    ERR,
    RR,
    Conventions,
    Judged,
    P,
    Success,
    evaluate,
    judge,
    measure,
    nDCG,
    parse,
)
from irmetrics_nb.cli import main
from irmetrics_nb.core import ties as ties_page
from irmetrics_nb.core.judged import check_columns
from irmetrics_nb.core.ties import MAX_ORDERS, TiesError, count_orders
from irmetrics_nb.evaluation.scores import rendered_scores as render
from irmetrics_nb.metrics.ap import GMAP
from irmetrics_nb.metrics.parsing import parse_all
from irmetrics_nb.metrics.registry import KINDS
from irmetrics_nb.spark_buckets import Plan, caught, results_of, score_bucket

UNJUDGED = None
GRADES = st.sampled_from([UNJUDGED, -1, 0, 1, 2])
ALL = [usual(name) for name in KINDS]
CUT = [m @ k for m in ALL if m.kind.at == "k" for k in (1, 3)]
MORE = parse_all(
    "nDCG(gain='exp')@4 nDCG(discount='jarvelin', b=3) nDCG(cut_ideal=False)@2 AP(divisor='min(R,k)')@3 AP(rel=2) "
    "AP(divisor='retrieved') RR(rel=2)@2 ERR(max_grade=4)@3 ERR(phi='log2') RBP(p=.5)@3 IPrec@0.5 F(beta=2)@3 "
    "AP(judged_only=True) nDCG(judged_only=True)@2 RR(judged_only=True)@1 Bpref(rel=2) ERR(judged_only=True)@2"
)
MEASURES = [*ALL, *CUT, *MORE]
EXTREME = [m for m in MEASURES if m.kind.worth or m.kind.unordered]

each_measure = pytest.mark.parametrize("measure", MEASURES, ids=repr)
each_extreme = pytest.mark.parametrize("measure", EXTREME, ids=repr)
quick = settings(max_examples=10)


@st.composite
def tied_lists(draw):
    "One ranking as a list of ties, each a list of grades (None: nobody judged it), and what else was judged."
    ties = draw(st.lists(st.lists(GRADES, min_size=1, max_size=4), min_size=1, max_size=3))
    assume(np.prod([len(set(permutations(tie))) for tie in ties]) <= 300)
    return ties, draw(st.lists(st.integers(-1, 2), max_size=2))


def pool_of(ties, others):
    return sorted([g for tie in ties for g in tie if g is not UNJUDGED] + others, reverse=True)


def as_batch(ties, others=()):
    "A `Judged` of one query with these ties."
    start, size = [], []
    for tie in ties:
        start += [len(start) + 1] * len(tie)
        size += [len(tie)] * len(tie)
    grades = [g for tie in ties for g in tie]
    seen = [i for i, g in enumerate(grades) if g is not UNJUDGED]
    pool = pool_of(ties, list(others))
    return Judged(
        query=np.zeros(len(seen), int),
        rank=np.array(seen, int) + 1,
        grade=np.array([grades[i] for i in seen], float),
        retrieved=np.array([len(grades)]),
        pool_query=np.zeros(len(pool), int),
        pool_grade=np.array(pool, float),
        tie_start=np.array([start[i] for i in seen], int),
        tie_size=np.array([size[i] for i in seen], int),
    )


def every_order(ties):
    "Every ranking that these ties allow, as a list of grades."
    for choice in product(*(set(permutations(tie)) for tie in ties)):
        yield [g for tie in choice for g in tie]


def values_of_all_orders(measure, ties, others):
    "The value in every order, each as often as documents of one grade can change places in it."
    orders = list(every_order(ties))  # of grades; each comes equally often among all orders of the documents
    pool = pool_of(ties, others)
    return measure.resolve(as_batch(ties, others)).of(Judged.from_grades(orders, ideal=[pool] * len(orders)))


def by_going_through(kind):
    "Whether the mean of a kind has no formula."
    return not (kind.linear or kind.unordered or kind.averages)


@each_measure
@quick
@given(content=tied_lists())
def test_the_average_is_the_mean_over_all_orders(measure, content):
    if by_going_through(measure.kind):
        assume(count_orders(as_batch(*content)) <= MAX_ORDERS)
    values = values_of_all_orders(measure, *content)
    assert measure.of(as_batch(*content), ties="average")[0] == pytest.approx(values.mean(), abs=1e-12, nan_ok=True)


@each_extreme
@quick
@given(content=tied_lists())
def test_best_and_worst_are_the_largest_and_the_smallest_value_of_all_orders(measure, content):
    values, judged = values_of_all_orders(measure, *content), as_batch(*content)
    assert measure.of(judged, ties="best")[0] == pytest.approx(values.max(), abs=1e-12)
    assert measure.of(judged, ties="worst")[0] == pytest.approx(values.min(), abs=1e-12)


# ---- of whole collections ----


def random_batch(seed, queries=40, depth=60, scores=12, judged=0.4):
    "Queries whose documents have few different scores, most of them judged by nobody; and the orders of their ids."
    rng = np.random.default_rng(seed)
    qrels, run = {}, {}
    for q in range(queries):
        found = {f"d{i}": float(rng.integers(scores)) for i in rng.permutation(depth)[: rng.integers(1, depth)]}
        known = {f"d{i}": int(rng.integers(-1, 4)) for i in rng.permutation(depth)[: rng.integers(1, depth)]}
        qrels[f"q{q}"], run[f"q{q}"] = {d: g for d, g in known.items() if rng.random() < judged} or {"d0": 1}, found
    return qrels, run


FORMS = {
    "dicts": lambda run: run,
    "rows": lambda run: [(q, d, s) for q, docs in run.items() for d, s in docs.items()],
    "sorted rows": lambda run: sorted(FORMS["rows"](run), key=lambda row: (row[0], -row[2])),
}


def formula(measure):
    return not by_going_through(measure.kind)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("negative", ["zero", "keep"])
def test_worst_average_and_best_come_in_this_order_with_the_order_of_ids_in_between(seed, negative):
    qrels, run = random_batch(seed)
    measures = [m for m in MEASURES if formula(m) and m in EXTREME]
    got = {t: evaluate(qrels, run, measures, ties=t, negative=negative) for t in ("worst", "docid", "given", "average", "best")}
    for m in measures:
        for between in ("docid", "given", "average"):
            assert (got["worst"][m] <= got[between][m] + 1e-12).all(), m
            assert (got[between][m] <= got["best"][m] + 1e-12).all(), m


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ties", ["average", "best", "worst"])
def test_a_run_in_any_form_and_order_gives_the_same(form, ties):
    qrels, run = random_batch(7)
    measures = [m for m in EXTREME if formula(m)]
    expected = evaluate(qrels, run, measures, ties=ties)
    turned = {q: dict(reversed(docs.items())) for q, docs in run.items()}
    got = evaluate(qrels, FORMS[form](turned), measures, ties=ties)
    np.testing.assert_allclose(got.values, expected.values, atol=1e-13)


@pytest.mark.parametrize("ties", ["average", "best", "worst"])
def test_files_and_tables_give_what_dicts_give(tmp_path, ties):
    qrels, run = random_batch(8)
    rows = FORMS["rows"](run)
    (tmp_path / "qrels.txt").write_text("".join(f"{q} 0 {d} {g}\n" for q, ds in qrels.items() for d, g in ds.items()))
    (tmp_path / "run.txt").write_text("".join(f"{q} Q0 {d} 1 {s} r\n" for q, d, s in rows))
    (tmp_path / "mixed.txt").write_text("".join(f"{q} Q0 {d} 1 {s} r\n" for q, d, s in sorted(rows, key=lambda r: r[1])))
    table = pl.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")
    expected = evaluate(qrels, run, "AP nDCG@5 RR ERR Bpref", ties=ties)
    for source in (tmp_path / "run.txt", tmp_path / "mixed.txt", table):
        got = evaluate(tmp_path / "qrels.txt", source, "AP nDCG@5 RR ERR Bpref", ties=ties)
        np.testing.assert_allclose(got.values, expected.values, atol=1e-13)
    in_batches = evaluate(tmp_path / "qrels.txt", tmp_path / "run.txt", "AP nDCG@5 RR ERR Bpref", ties=ties, memory=20_000)
    np.testing.assert_allclose(in_batches.values, expected.values, atol=1e-13)


@pytest.mark.parametrize("ties", ["average", "best", "worst"])
def test_a_batch_gives_what_its_queries_give(ties):
    qrels, run = random_batch(9)
    measures = [m for m in EXTREME if formula(m) and m.kind.complete_by is None]
    judged = judge(qrels, run)
    for m in measures:
        each = [m.of(one, ties=ties)[0] for one in judged]
        np.testing.assert_allclose(m.of(judged, ties=ties), each, atol=1e-13, err_msg=repr(m))


# ---- other tools, and numbers worked out by hand ----


@quick
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=12), st.integers(1, 12))
def test_averaged_dcg_and_ndcg_are_scikit_learns(items, k):
    grades, scores = map(list, zip(*items))
    judged = Judged.from_scores(grades, scores)
    assert parse(f"DCG@{k}").of(judged, ties="average")[0] == pytest.approx(dcg_score([grades], [scores], k=k), abs=1e-12)
    assert nDCG.of(judged, ties="average")[0] == pytest.approx(ndcg_score([grades], [scores]), abs=1e-12)
    assert (nDCG @ k).of(judged, ties="average")[0] == pytest.approx(ndcg_score([grades], [scores], k=k), abs=1e-12)


@pytest.mark.parametrize("many", [1, 2, 10, 1000])
def test_one_relevant_document_among_equals_has_the_harmonic_mean(many):
    judged = Judged.from_scores([1] + [0] * (many - 1), [0] * many)
    expected = float(sum(Fraction(1, i) for i in range(1, many + 1)) / many)
    for m in (RR, AP, GMAP):
        assert m.of(judged, ties="average")[0] == pytest.approx(expected, abs=1e-14)
    assert (RR.of(judged, ties="best")[0], RR.of(judged, ties="worst")[0]) == (1, 1 / many)


def test_a_cutoff_inside_a_tie_is_exact():
    # ranks 1; 2-5 (two relevant); the cutoff 3 lets two of the four in
    judged = Judged.from_scores([0, 1, 1, 0, 0], [9, 5, 5, 5, 5])
    one_or_two = 1 - Fraction(2, 4) * Fraction(1, 3)
    at_2, at_3 = Fraction(2, 4), Fraction(2, 4) * Fraction(2, 3)  # the first relevant one stands there
    assert (P @ 3).of(judged, ties="average")[0] == pytest.approx(float(Fraction(1, 3)), abs=1e-15)
    assert (Success @ 3).of(judged, ties="average")[0] == pytest.approx(float(one_or_two), abs=1e-15)
    assert (RR @ 3).of(judged, ties="average")[0] == pytest.approx(float(at_2 / 2 + at_3 / 3), abs=1e-15)


def test_unjudged_documents_take_places_in_a_tie():
    judged = as_batch([[1, UNJUDGED, UNJUDGED, UNJUDGED]])
    assert RR.of(judged, ties="average")[0] == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4, abs=1e-15)
    assert RR(judged_only=True).of(judged, ties="average")[0] == 1


def test_large_ties_stay_exact():
    "A tie of 3,000 documents, by fractions: E[AP] of n relevant ones (and nothing else)."
    m, n = 3000, 7
    judged = Judged.from_scores([1] * n + [0] * (m - n), [0] * m)
    expected = sum(Fraction(1, t + 1) * (1 + Fraction(t * (n - 1), m - 1)) for t in range(m)) / m
    assert AP.of(judged, ties="average")[0] == pytest.approx(float(expected), abs=1e-14)
    none, first = Fraction(1), Fraction(0)
    for t in range(m - n + 1):
        first += none * Fraction(n, m - t) / (t + 1)
        none *= Fraction(m - n - t, m - t)
    assert RR.of(judged, ties="average")[0] == pytest.approx(float(first), abs=1e-13)


def test_err_of_a_large_tie_is_what_many_random_orders_give():
    rng = np.random.default_rng(3)
    grades = rng.integers(0, 5, 200)
    exact = ERR.of(Judged.from_scores(grades, [0] * 200), ties="average")[0]
    sample = ERR.of(np.array([rng.permutation(grades) for _ in range(1000)]))
    assert abs(sample.mean() - exact) < 4 * sample.std() / np.sqrt(1000)


def test_ties_larger_than_a_block_give_the_same(monkeypatch):
    qrels, run = random_batch(10)
    measures = [m for m in EXTREME if formula(m)]
    expected = evaluate(qrels, run, measures, ties="average").values
    for size in (1, 5, 64):
        monkeypatch.setattr(ties_page, "BLOCK", size)
        np.testing.assert_allclose(evaluate(qrels, run, measures, ties="average").values, expected, atol=1e-13)


def test_where_nothing_is_tied_nothing_changes():
    qrels, run = random_batch(11)
    run = {q: list(docs) for q, docs in run.items()}
    measures = [m for m in MEASURES if m in EXTREME]
    plain = evaluate(qrels, run, measures)
    for ties in ("average", "best", "worst"):
        assert (evaluate(qrels, run, measures, ties=ties).values == plain.values).all()
    for m in measures:
        assert m.of([3, 0, None, 1], ties="best") == m.of([3, 0, None, 1])


# ---- what is refused ----


def test_measures_without_a_best_order_raise_ties_error():
    judged = as_batch([[1, 0], [0, 1]])
    refused = {"AP(divisor='retrieved')@3": "with divisor='retrieved' and a cutoff k, there is no best order"}
    for text, words in refused.items():
        for ties in ("best", "worst"):
            with pytest.raises(TiesError, match=words):
                parse(text).of(judged, ties=ties)
    rising = nDCG(discount=lambda i: i)
    with pytest.raises(TiesError, match="a discount that increases"):
        rising.of(judged, ties="best")
    assert rising.of(judged, ties="average") > 0
    with pytest.raises(ValueError, match="ties must be"):
        AP.of(judged, ties="random")


def test_undeclared_kind_enumerates_orders_or_raises_ties_error():
    @measure("LastRank")
    def last_rank(ranking, /):
        return np.bincount(ranking.query, ranking.rank * ranking.grade, len(ranking))

    del KINDS["LastRank"]
    last = last_rank.measure
    assert last.of(as_batch([[1, 0, 0]]), ties="average")[0] == 2
    with pytest.raises(TiesError, match="LastRank: the best order of ties is not defined"):
        last.of(as_batch([[1, 0]]), ties="best")
    with pytest.raises(TiesError, match="ranking 1 have 5,040 orders"):
        last.of(Judged.concat([as_batch([[1]]), as_batch([[0, 1, 2, 0, 1, 2, 0]])]), ties="average")


def test_interpolated_precision_of_large_ties_is_refused_in_one_line():
    run = {"q": {f"d{i}": 1.0 for i in range(9)}}
    with pytest.raises(ValueError, match=r"^IPrec: no formula .* 3,024 orders, too many to try"):
        evaluate({"q": {f"d{i}": 1 for i in range(4)}}, run, "IPrec", ties="average")


# ---- the columns ----


@pytest.mark.parametrize(
    "start, size, words",
    [
        ([1, 1, 2], [2, 2, 2], "must not overlap"),
        ([2, 2, 3], [1, 1, 1], "the ranks of a tie must include the rank"),
        ([1, 1, 3], [2, 2, 2], "must not exceed the number of retrieved documents"),
        ([1, 1, 3], [2, 1, 1], "the ranks of a tie must include|overlap"),
        ([1.5, 2, 3], [1, 1, 1], "whole numbers"),
        ([1, 2], [1, 1], "of equal lengths; the shapes are"),
    ],
)
def test_columns_of_ties_that_cannot_be_are_refused(start, size, words):
    columns = dict(query=np.zeros(3, int), rank=np.arange(1, 4), grade=np.ones(3), retrieved=np.array([3]))
    pool = dict(pool_query=np.zeros(3, int), pool_grade=np.ones(3))
    Judged(**columns, **pool)
    with pytest.raises(ValueError, match=words):
        Judged(**columns, **pool, tie_start=np.array(start), tie_size=np.array(size))


@quick
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2)), max_size=15))
def test_tie_columns_contain_start_and_size_of_each_tie(items):
    labels, scores, groups = map(list, zip(*items)) if items else ([], [], [])
    judged = Judged.from_scores(labels, scores, groups)
    check_columns(judged)
    for q, group in enumerate(sorted(set(groups))):
        own = [s for s, g in zip(scores, groups) if g == group]
        for start, size, rank in zip(judged[q].tie_start, judged[q].tie_size, judged[q].rank):
            score = sorted(own, reverse=True)[rank - 1]
            assert (start, size) == (1 + sum(s > score for s in own), own.count(score))


def test_ties_of_a_condensed_list_contain_judged_documents_only():
    condensed = as_batch([[UNJUDGED, 1], [UNJUDGED], [0, UNJUDGED, 2]]).condensed()
    check_columns(condensed)
    assert condensed.tie_start.tolist() == [1, 2, 2] and condensed.tie_size.tolist() == [1, 2, 2]


def test_parts_and_single_queries_keep_their_ties():
    parts = [as_batch([[1, 0], [2]]), as_batch([[0, 1, 1]])]
    both = Judged.concat(parts)
    assert both.tie_size.tolist() == [2, 2, 1, 3, 3, 3]
    for i, part in enumerate(parts):
        assert both[i].tie_start.tolist() == part.tie_start.tolist()
        assert both.take(np.array([i])).tie_size.tolist() == part.tie_size.tolist()


# ---- evaluate, and what stands under the table ----

CONSTANT = {"q1": {f"d{i}": 1.0 for i in range(10)}, "q2": {"d1": 2.0, "d0": 1.0}}
JUDGMENTS = {"q1": {"d9": 1}, "q2": {"d1": 1}}


def test_reciprocal_rank_of_constant_scores_depends_on_ties():
    mrr = {t: evaluate(JUDGMENTS, CONSTANT, "RR", ties=t).means["RR"] for t in ("docid", "best", "worst", "average")}
    tenth = sum(1 / i for i in range(1, 11)) / 10
    assert mrr == {"docid": 1, "best": 1, "worst": (0.1 + 1) / 2, "average": pytest.approx((tenth + 1) / 2)}


def test_notes_show_how_much_ties_change_a_mean():
    scores = evaluate(JUDGMENTS, CONSTANT, "RR P@10")
    assert scores.tie_bounds == {"RR": (0.55, 1.0)}
    assert "Depending on the order of ties: RR between 0.5500 and 1.0000." in " ".join(str(scores).split())
    for ties in ("average", "best", "worst"):
        assert evaluate(JUDGMENTS, CONSTANT, "RR", ties=ties).tie_bounds == {"RR": (0.55, 1.0)}


def test_the_small_print_is_silent_where_ties_decide_nothing():
    for run in ({"q1": ["d1", "d9"]}, {"q1": {"d1": 1, "d2": 1, "d9": 0}}, {"q1": {"d9": 1, "d8": 1}, "q2": {"d1": 1}}):
        judgments = {"q1": {"d9": 1, "d8": 1}, "q2": {"d1": 1}}
        scores = evaluate(judgments, run, "AP nDCG RR")
        assert scores.tie_bounds == {} and "order of ties" not in " ".join(str(scores).split())


def test_effects_of_ties_are_shown_from_a_tenth_of_a_percent():
    judgments = {f"q{i}": {"d1": 1} for i in range(1000)}
    for tied, said in ((1, False), (3, True)):
        run = {q: {"d1": 1.0, "d2": 1.0 if i < tied else 0.0} for i, q in enumerate(judgments)}
        scores = evaluate(judgments, run, "RR")
        assert scores.tie_bounds == {"RR": (1 - tied / 2000, 1.0)}
        assert ("order of ties" in " ".join(str(scores).split())) == said


@pytest.mark.parametrize("options", [{}, {"missing": "skip"}, {"no_relevant": "nan"}, {"no_relevant": "skip"}])
def test_the_bounds_are_the_means_of_best_and_worst(options):
    qrels, run = random_batch(12)
    del run["q3"]
    qrels["q4"] = {"d1": 0}
    measures = [m for m in EXTREME if not m.kind.unordered]
    scores = evaluate(qrels, run, measures, **options)
    ends = [evaluate(qrels, run, measures, ties=t, **options).means for t in ("worst", "best")]
    for name, bounds in scores.tie_bounds.items():
        assert bounds == pytest.approx(tuple(end[name] for end in ends), abs=1e-12)
    for name in set(scores) - set(scores.tie_bounds):
        assert ends[0][name] == pytest.approx(ends[1][name], abs=1e-12, nan_ok=True)


def test_parts_put_together_have_the_bounds_of_the_whole():
    qrels, run = random_batch(13)
    whole = evaluate(qrels, run, "AP GMAP nDCG@3 RR")
    run["q1"] = list(run["q1"])
    halves = [[q for i, q in enumerate(qrels) if i % 2 == half] for half in (0, 1)]
    parts = [evaluate({q: qrels[q] for q in ids}, {q: random_batch(13)[1][q] for q in ids}, "AP GMAP nDCG@3 RR", part=True) for ids in halves]
    found = type(whole).concat(parts).tie_bounds
    assert found.keys() == whole.tie_bounds.keys()
    for name, bounds in whole.tie_bounds.items():
        assert found[name] == pytest.approx(bounds, abs=1e-12)


def test_tie_bounds_of_several_runs_equal_single_bounds(tmp_path):
    qrels, run = random_batch(14)
    tied = replace_name(evaluate(qrels, run, "AP RR"), "tied")
    listed = replace_name(evaluate(qrels, {q: list(docs) for q, docs in run.items()}, "AP RR"), "listed")
    both = type(tied).combine_runs([tied, listed])
    assert both.tie_bounds == {"tied": tied.tie_bounds, "listed": {}}
    assert both.run("tied").tie_bounds == tied.tie_bounds != {}
    assert " ".join(render(both).split()).count("tied: depending on the order of ties, AP between") == 1


def replace_name(scores, name):
    return replace(scores, runs=(replace(scores.runs[0], name=name),))


@pytest.mark.parametrize("ties", ["average", "best", "worst"])
def test_the_command_line_takes_them_all(tmp_path, capsys, ties):
    (tmp_path / "qrels.txt").write_text("q 0 d1 1\n")
    (tmp_path / "run.txt").write_text("q Q0 d1 1 5 r\nq Q0 d2 2 5 r\n")
    with pytest.raises(SystemExit) as end:
        main(["evaluate", str(tmp_path / "qrels.txt"), str(tmp_path / "run.txt"), "-m", "RR", "--ties", ties])
    shown = capsys.readouterr().out
    assert end.value.code == 0 and {"average": "0.7500", "best": "1.0000", "worst": "0.5000"}[ties] in shown
    assert {"average": "averaged over all", "best": "best order", "worst": "worst order"}[ties] in " ".join(shown.split())


def test_an_error_about_ties_stays_one_when_a_bucket_of_a_cluster_sends_it():
    table = pl.DataFrame([(None, "q", "a", 1.0), ("", "q", "a", 2.0), ("", "q", "b", 2.0)], schema=["run", "query", "doc", "value"], orient="row")
    plan = Plan((parse("nDCG(ideal_from='top')@2"),), Conventions(ties="best"))
    with pytest.raises(TiesError, match="the ideal ranking depends on the order of ties"):
        results_of([pickle.loads(pickle.dumps(caught(score_bucket, table, plan)))])
