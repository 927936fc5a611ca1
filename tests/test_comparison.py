"compare: what comes in, the numbers of every pair, the table, the sentence and the slices."
import html
import json
import math
import re
import subprocess
import sys
from fractions import Fraction
from importlib import import_module
from inspect import signature
from itertools import combinations
from typing import Literal, get_args, get_origin

import numpy as np
import pandas as pd
import polars as pl
import project
import pytest
from helpers import irmetrics
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from irmetrics_nb import DataError, Qrels, Scores, compare, evaluate, gate, load_example, nDCG, report
from irmetrics_nb.comparing.aligned_scores import FAMILIES, PAIR_COLUMNS, TESTS, Method, SignificanceTest
from irmetrics_nb.comparing.comparison import COMPARISON_PLOTS, Comparison, marks, sentence, tiers
from irmetrics_nb.comparing.statistics import (
    CORRECTIONS,
    INTERVALS,
    METHODS,
    adjust,
    bootstrap_interval,
    decision_alphas,
    studentized_interval,
    tukey_intervals,
)
from irmetrics_nb.explaining.cards import CARDS
from irmetrics_nb.metrics.registry import KINDS
from irmetrics_nb.reporting.sections import upright

EXAMPLE = load_example()
THREE = {name: EXAMPLE.runs[name] for name in ("bm25", "tfidf", "title")}
WANTED = "measure a b mean_a mean_b difference low high level p p_adjusted effect wins ties losses queries".split()
cells = st.integers(0, 20).map(lambda x: x / 20)


def table(systems=(2, 4)):
    "{name: {query: value}} of a few systems."
    sizes = st.tuples(st.integers(*systems), st.integers(3, 25))
    rows = sizes.flatmap(lambda size: st.lists(st.lists(cells, min_size=size[1], max_size=size[1]), min_size=size[0], max_size=size[0]))
    return rows.map(lambda rows: {f"s{i}": {f"q{j}": x for j, x in enumerate(row)} for i, row in enumerate(rows)})


def test_pairs_is_a_table_with_just_these_columns():
    found = compare(EXAMPLE.qrels, THREE, "AP nDCG@10").to_polars()
    assert found.columns == WANTED == list(PAIR_COLUMNS) and found.height == 6
    assert found["measure"].to_list() == ["AP"] * 3 + ["nDCG@10"] * 3
    assert compare(EXAMPLE.qrels, THREE, "AP", groups={"q01": "x"}).to_polars().columns == [*WANTED, "slice"]


def test_every_number_of_a_pair_equals_scipy_and_evaluate():
    a, b = (evaluate(EXAMPLE.qrels, THREE[name], "AP")["AP"] for name in ("bm25", "tfidf"))
    pair = compare(EXAMPLE.qrels, THREE, "AP").pair("bm25", "tfidf")
    theirs = stats.ttest_rel(b, a)
    assert (pair.mean_a, pair.mean_b) == pytest.approx((a.mean(), b.mean()), abs=1e-12)
    assert pair.difference == pytest.approx(b.mean() - a.mean(), abs=1e-10)
    assert (pair.low, pair.high) == pytest.approx(tuple(theirs.confidence_interval()), abs=1e-9)
    assert pair.p == pytest.approx(theirs.pvalue, rel=1e-7)
    assert pair.effect == pytest.approx((b - a).mean() / (b - a).std(ddof=1), rel=1e-7)
    assert (pair.wins, pair.losses) == (int((b > a + 1e-9).sum()), int((b < a - 1e-9).sum()))
    assert pair.wins + pair.ties + pair.losses == pair.queries == 36


def no_scatter(pair):
    return np.isinf(pair.effect)


@given(table(), st.sampled_from(["t", "sign", "randomization", "bootstrap", "tukey"]))
@settings(max_examples=40)
def test_of_any_numbers_the_interval_holds_the_difference_and_p_is_never_0(values, test):
    found = compare(values, test=test, draws=200)
    for pair in found.rows:
        if test != "tukey":  # whose interval is its own, and those of the margin are by t
            assert no_scatter(pair) and np.isnan(pair.low) or pair.low <= pair.lower_bound and pair.upper_bound <= pair.high
        assert np.isnan(pair.low) or pair.low <= pair.difference + 1e-9 and pair.difference - 1e-9 <= pair.high
        assert np.isnan(pair.lower_bound) or pair.lower_bound <= pair.difference <= pair.upper_bound
        assert no_scatter(pair) and test in ("t", "bootstrap") and np.isnan(pair.p) or 0 < pair.p <= pair.p_adjusted <= 1
        assert pair.mean_b - pair.mean_a == pytest.approx(pair.difference, abs=1e-9)
    np.testing.assert_array_equal([pair.p for pair in compare(values, test=test, draws=200).rows], [pair.p for pair in found.rows])


@given(table(systems=(2, 2)), st.sampled_from(["t", "sign", "randomization"]))
@settings(max_examples=40)
def test_the_other_way_round_the_signs_turn_and_p_stays(values, test):
    [one] = compare(values, test=test, draws=200).rows
    [other] = compare(dict(reversed(values.items())), test=test, draws=200).rows
    assert (one.difference, one.wins) == (-other.difference, other.losses)
    ours, theirs = (one.low, one.high, one.lower_bound), (-other.high, -other.low, -other.upper_bound)
    np.testing.assert_array_equal([*ours, one.p, one.detectable], [*theirs, other.p, other.detectable])


@given(table(systems=(4, 4)), st.sampled_from(["holm", "bonferroni", "bh", "none"]))
@settings(max_examples=30)
def test_a_family_is_all_pairs_of_one_measure(values, correction):
    found = compare(values, correction=correction).rows
    counted = sum(not no_scatter(pair) for pair in found)
    assert [(p.a, p.b) for p in found] == list(combinations(values, 2)) and {p.family for p in found} == {max(counted, 1)}
    np.testing.assert_array_equal([p.p_adjusted for p in found], adjust(np.array([p.p for p in found]), correction))


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("interval", ["t", "percentile", "bca"])
def test_identical_runs_differ_by_nothing_and_p_is_1(test, interval):
    [pair] = compare(EXAMPLE.qrels, {"a": THREE["bm25"], "b": THREE["bm25"]}, "AP", test=test, interval=interval, draws=50).rows
    assert (pair.difference, pair.low, pair.high, pair.p, pair.p_adjusted, pair.effect) == (0, 0, 0, 1, 1, 0)
    said = sentence(pair, Method(test))
    assert said.startswith("no significant difference between a and b") and "the same on every query" in said and "equal" not in said


def test_with_a_baseline_there_are_fewer_pairs_and_they_start_with_it():
    found = compare(EXAMPLE.qrels, EXAMPLE.runs, "AP", baseline="tfidf")
    assert len(found.rows) == 5 and {pair.a for pair in found.rows} == {"tfidf"} and {pair.family for pair in found.rows} == {5}
    assert "5 pairs with tfidf for the measure, corrected by Holm" in " ".join(str(found).split())
    with pytest.raises(ValueError, match="'nope' is not one of the systems bm25"):
        compare(EXAMPLE.qrels, EXAMPLE.runs, "AP", baseline="nope")


def test_scores_that_exist_runs_and_plain_numbers_give_the_same():
    each = {name: evaluate(EXAMPLE.qrels, run, "AP RR") for name, run in THREE.items()}
    expected = compare(EXAMPLE.qrels, THREE, "AP RR").to_polars()
    for given_scores in (each, Scores.combine_runs(each.values())):
        assert compare(given_scores).to_polars().equals(expected)
    only = compare(each, measures=["AP"]).to_polars()
    assert only.equals(expected.head(3)) and compare(each, measures="MAP").to_polars().equals(only)
    numbers = {name: scores.to_dict() for name, scores in each.items()}
    plain = compare({name: {q: row["AP"] for q, row in own.items()} for name, own in numbers.items()}, measures="AP")
    assert plain.to_polars().equals(only)


def test_the_measure_may_be_an_object_and_conventions_reach_evaluate():
    found = compare(Qrels(EXAMPLE.qrels), THREE, [nDCG @ 10], ties="given")
    assert found.pair("bm25", "tfidf", nDCG @ 10).measure == "nDCG@10"
    qrels, run = {"1": {"d": 1}, "2": {"d": 1}}, {"1": ["d"]}
    skipped = compare(qrels, {"a": run, "b": {"1": ["x", "d"], "2": ["d"]}}, "AP", missing="skip")
    assert skipped.rows[0].queries == 1 and "a lacks 1 of 2 queries (2)" in skipped.notes[0]
    counted = compare(qrels, {"a": run, "b": {"1": ["x", "d"], "2": ["d"]}}, "AP")
    assert counted.rows[0].queries == 2 and counted.notes[0] == "a lacks 1 judged query (missing queries score 0)"


def test_queries_are_matched_by_id_and_not_by_place():
    forward = {"a": {"1": 0.1, "2": 0.9, "3": 0.5}, "b": {"3": 0.6, "2": 1.0, "1": 0.2}}
    pair = compare(forward).rows[0]
    assert (pair.wins, pair.queries) == (3, 3) and pair.difference == pytest.approx(0.1, abs=1e-9)


def test_missing_queries_are_left_out_of_pairs_and_noted():
    values = {"a": {"1": 0.5, "2": 0.5, "3": 0.1}, "b": {"1": 0.75, "2": 0.5, "3": None}, "c": {"1": 1, "2": 0.5, "3": 0.2}}
    found = compare(values)
    assert [pair.queries for pair in found.rows] == [2, 3, 2] and found.pair("a", "b").mean_a == 0.5
    said = "each pair is compared on the queries that both systems have; means are over the queries that all systems have"
    assert found.notes == [f"b lacks 1 of 3 queries (3); {said}"]
    assert "Note: b lacks 1 of 3 queries" in str(found)
    assert compare(values, test="randomization").pair("a", "c").p == 0.5  # two differences of one sign: 2 of 4


def test_the_table_agrees_with_the_differences_where_queries_are_missing():
    values = {"a": {"1": 0.25, "2": 0.75, "3": 0.75}, "b": {"1": 0.5, "2": 0.875}}
    found = compare(values)
    assert found.pair("a", "b").difference > 0  # though a's mean over its own queries is greater than anything of b's
    assert "0.5000" in str(found) and "0.6875" in str(found) and "0.5833" not in str(found)


def test_differences_without_scatter_are_warned_of():
    a = {str(i): 0.5 for i in range(30)}
    b = {str(i): 0.75 for i in range(30)}
    assert "no variance" in "".join(compare({"a": a, "b": b}).warnings)
    assert "no variance" in "".join(compare({"a": a, "b": b}, test="bootstrap").warnings)
    for unlike in ({**b, "1": 0.5}, a):
        assert "no variance" not in "".join(compare({"a": a, "b": unlike}).warnings)
    assert "no variance" not in "".join(compare({"a": a, "b": b}, test="sign").warnings)


@pytest.mark.parametrize("test", ["t", "bootstrap"])
def test_constant_difference_has_no_p_value_and_a_reason(test):
    a = {str(i): 0.93 for i in range(30)}
    found = compare({"a": a, "b": dict.fromkeys(a, 0.96)}, measures="P@100", test=test)
    [pair] = found.rows
    assert np.isnan([pair.p, pair.p_adjusted, pair.low, pair.lower_bound]).all() and not pair.shown()
    assert found.sentences()[0].startswith("no p-value for a and b, because they differ by the same amount on all 30 queries, and without variance")
    assert "b − a = 0.030 P@100 (better on 30, worse on 0)" in found.sentences()[0] and "is better than" not in str(found)
    assert compare({"a": a, "b": dict.fromkeys(a, 0.96)}, test="sign").rows[0].p == 2**-29


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("b", [(0.5, 0.75), (0.5, 0.5), (0.9, 0.1), (0.25, 0.75)])
def test_two_queries_are_no_verdict_by_any_test(test, b):
    found = compare({"a": {"1": 0.25, "2": 0.5}, "b": dict(zip("12", b))}, test=test, margin=0.5)
    [pair] = found.rows
    assert np.isnan([pair.p, pair.p_adjusted, pair.low, pair.high, pair.lower_bound, pair.upper_bound, pair.detectable]).all()
    assert not (pair.shown() or pair.no_worse(9) or pair.no_better(9))
    assert found.sentences()[0].startswith("no p-value for a and b, because 2 queries are too few: b − a = ")
    assert found.warnings == ["only 2 queries, but a test needs 3 or more"]
    assert "ᵃ" not in str(found) and "ᵇ" not in str(found)
    json.loads(found.to_json(), parse_constant=pytest.fail)


@pytest.mark.parametrize("test", TESTS)
def test_three_queries_and_a_single_one_that_differs_are_not_shown_to_differ(test):
    for n in (3, 4, 20):
        a = {str(i): 0.5 for i in range(n)}
        found = compare({"a": a, "b": a | {"1": 0.75}}, test=test, interval="studentized" if test == "bootstrap" else "t")
        assert found.rows[0].p > 0.2 and "no significant difference" in found.sentences()[0]


def test_one_query_is_spoken_of_in_the_singular():
    found = compare({"a": {"1": 0.5, "2": 0.25}, "b": {"1": 0.75, "2": 0.5}}, groups={"1": "short"})
    text = str(found)
    assert "short: 1 query\n" in text and "1 query has no group; it counts only in the results for all queries" in text and "only 1 query in the" in text
    assert "1 queries" not in text and "unknown" not in text
    assert found.sentences("short") == ["no p-value for a and b in short, because 1 query is too few: b − a = 0.250 value (better on 1, worse on 0)"]


def test_without_a_common_query_nothing_is_known():
    found = compare({"a": {"1": 0.5}, "b": {"2": 0.5}})
    assert found.rows[0].queries == 0 and np.isnan(found.rows[0].p) and "cannot be compared" in found.sentences()[0]
    assert "no query in common; nothing can be compared" in found.warnings[0]
    json.loads(found.to_json(), parse_constant=pytest.fail)


def test_few_queries_and_lopsided_differences_are_warned_of():
    few = {"a": dict.fromkeys("12345", 0.5), "b": dict(zip("12345", (0.6, 0.5, 0.7, 0.5, 0.8)))}
    assert compare(few).warnings == ["only 5 queries, so only large differences can be detected"]
    a = {str(i): 0.5 for i in range(60)}
    b = a | {"1": 1.0, "2": 0.9, "3": 0.4}
    assert "so the t-test is unreliable" in compare({"a": a, "b": b}).warnings[0]
    for test, doubt in {"randomization": "the randomization test and the t interval are", "sign": "the t interval is", "bootstrap": "the t interval is",
                        "tukey": "Tukey's test is"}.items():
        [said] = compare({"a": a, "b": b}, test=test).warnings
        assert f"the differences b − a are too skewed for 60 queries (skewness 5.1), so {doubt} unreliable; use more queries, or test='bootstrap'" in said
    assert compare({"a": a, "b": b}, test="bootstrap", interval="studentized").warnings == []
    assert "so the randomization test is unreliable" in compare({"a": a, "b": b}, test="randomization", interval="studentized").warnings[0]


def test_skewness_is_not_called_the_cause_of_the_difference():
    "Two outliers reduce the difference: without them, B is better by 0.1 on each query; with them, by 0.06."
    a = {str(i): 0.8 for i in range(40)}
    b = {q: 0.9 - 0.001 * (i % 3) for i, q in enumerate(a)} | {"3": 0.0, "4": 0.0}
    [said] = compare({"a": a, "b": b}, measures="AP").warnings
    assert "few queries" not in said and "cause" not in said
    skewness = stats.skew([b[q] - a[q] for q in a])
    assert f"the differences b − a are too skewed for 40 queries (skewness −{-skewness:.1f}), so the t-test" in said
    [turned] = compare({"b": b, "a": a}, measures="AP").warnings
    assert f"the differences a − b are too skewed for 40 queries (skewness {-skewness:.1f})" in turned


def test_sentence_of_a_pair_has_the_expected_wording():
    random = np.random.default_rng(0)
    a = random.beta(2, 3, 300)
    b = np.clip(a + random.normal(0.037, 0.15, 300), 0, 1)
    values = {name: dict(zip(map(str, range(300)), x.tolist())) for name, x in {"A": a, "B": b}.items()}
    pair = compare(values, measures="nDCG@10").rows[0]
    expected = (f"B is better than A by {pair.difference:.3f} nDCG@10 (95 % interval {pair.low:.3f} to {pair.high:.3f}, p < 0.001 by paired t, "
                f"300 queries; better on {pair.wins}, worse on {pair.losses})")
    assert compare(values, measures="nDCG@10").sentences() == [expected]


def test_no_difference_shown_never_reads_as_equal_or_better():
    text = " ".join(str(compare(EXAMPLE.qrels, {n: EXAMPLE.runs[n] for n in ("lsa", "seealso")}, "AP")).split())
    assert "no significant difference between lsa and seealso" in text and "minimum detectable difference with 36 queries: " in text
    assert "equal" not in text and "is better than" not in text


# ---- the direction is that of the statistic that is tested ----

SPLIT = {  # gains of new; the mean is below 0 or 0, the statistic above 0
    "sign": [Fraction(1, 100)] * 30 + [Fraction(-34, 1000)] * 10,
    "wilcoxon": [Fraction(1, 50)] * 36 + [Fraction(-1, 5)] * 6,
    "sign 0": [Fraction(1, 10)] * 30 + [Fraction(-3, 10)] * 10,
}


def signed_ranks(gains):
    "W+ - W- by its definition: the signs times the mean ranks of the sizes, without zeros."
    changed = [x for x in gains if x]
    ranks = [sum(abs(y) < abs(x) for y in changed) + Fraction(sum(abs(y) == abs(x) for y in changed) + 1, 2) for x in changed]
    return sum(rank if x > 0 else -rank for x, rank in zip(changed, ranks))


def gained(gains, **options):
    ids = [f"q{i}" for i in range(len(gains))]
    new = {q: float(Fraction(1, 2) + x) for q, x in zip(ids, gains)}
    return compare({"base": dict.fromkeys(ids, 0.5), "new": new}, measures="AP", **options)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from([Fraction(x, 64) for x in (-20, -3, -1, 0, 1, 2, 3, 20)]), min_size=3, max_size=30))
def test_the_direction_is_the_sign_of_the_statistic(gains):
    counts = sum(x > 0 for x in gains) - sum(x < 0 for x in gains)
    exact = {"sign": counts, "wilcoxon": signed_ranks(gains), "t": sum(gains), "tukey": sum(gains)}
    for test, statistic in exact.items():
        [pair] = gained(gains, test=test, **({"draws": 100} if test == "tukey" else {})).rows
        expected = (statistic > 0) - (statistic < 0)
        assert (pair.direction, pair.turned().direction) == (expected, -expected), test
    assert gained(gains, test=lambda d: 0.01).rows[0].direction == (sum(gains) > 0) - (sum(gains) < 0)


@pytest.mark.parametrize("case", SPLIT)
@pytest.mark.parametrize("side", [1, -1])
def test_a_mean_and_a_test_that_point_apart_name_no_winner(case, side):
    gains, test = SPLIT[case], case.split()[0]
    statistic = signed_ranks(gains) if test == "wilcoxon" else sum(x > 0 for x in gains) - sum(x < 0 for x in gains)
    assert sum(gains) <= 0 < statistic
    gains = [side * x for x in gains]
    found = gained(gains, test=test)
    [pair] = found.rows
    favoured = "new" if side > 0 else "base"
    assert pair.p < 0.05 and pair.winner() is None and pair.turned().winner() is None
    words = {"sign": "the sign test", "wilcoxon": "Wilcoxon's signed ranks"}[test]
    [said] = found.sentences()
    assert said.startswith("the mean and the test of base and new do not favour the same system: new − base = ")
    assert f", but {favoured} is better by {words} (p = " in said and "is better than" not in said
    assert f"better on {sum(x > 0 for x in gains)}, worse on {sum(x < 0 for x in gains)}" in said
    assert found.warnings[-1] == f"base and new, AP: the mean difference and {words} do not favour the same system"
    assert marks(found) == marks(gained(gains, test=test, baseline="base")) == {}
    assert upright(pair, 0.05, False)["direction"] == upright(pair, 0.05, True)["direction"] == ""
    assert "**" not in found.pair_table().to_markdown() and "**" in gained([abs(x) for x in gains] + [0] * 3, test=test).pair_table().to_markdown()
    grouped = gained(gains, test=test, baseline="base", groups={f"q{i}": "here" for i in range(len(gains))})
    assert "▼" not in str(grouped).replace("▲ better, ▼ worse", "") and marks(grouped.slice("here")) == {}
    three = {name: dict(zip(found.sample.query_ids, row.tolist())) for name, row in zip(("base", "new"), found.sample.values[:, 0])}
    many = compare({f"{name}{i}": values for i in range(6) for name, values in three.items()}, measures="AP", test=test, correction="none")
    assert set(tiers(many, "AP").values()) == {1}


def test_wilcoxon_may_favour_the_system_that_wins_less_often():
    gains = [Fraction(1, 100)] * 22 + [Fraction(-1, 20)] * 18  # W+ = 253, W- = 567
    assert signed_ranks(gains) == 253 - 567
    found = gained(gains, test="wilcoxon", baseline="base")
    assert found.rows[0].p < 0.05 and found.warnings == [] and marks(found) == {("new", "AP"): "▼"}
    assert found.sentences()[0].startswith("base is better than new by ")


def test_tukey_has_the_direction_of_the_queries_that_all_have():
    a = {f"q{i}": 0.5 for i in range(40)}
    b = {q: 0.6 if i < 30 else 0.1 for i, q in enumerate(a)}  # over all 40: 0.475; over the first 30: 0.6
    c = dict.fromkeys(list(a)[:30], 0.3)
    pair = compare({"a": a, "b": b, "c": c}, measures="AP", test="tukey", draws=1000).pair("a", "b")
    assert pair.difference < 0 < pair.low and pair.direction == 1 and pair.winner() is None


def test_superscripts_name_significantly_worse_systems():
    text = str(compare(EXAMPLE.qrels, THREE, "AP"))
    rows = {line.split()[1]: line.split()[2] for line in text.splitlines()[2:5]}
    assert rows["title"] == "0.2883" and rows["bm25"] == "0.5228ᶜ" and rows["tfidf"] == "0.4550ᶜ"
    assert ">c</sup>" in compare(EXAMPLE.qrels, THREE, "AP")._repr_html_()
    assert "▼" in str(compare(EXAMPLE.qrels, THREE, "AP", baseline="bm25"))


def test_names_from_outside_do_no_harm_in_html():
    values = {"<script>": {"1": 0.5, "2": 0.1}, "b|": {"1": 0.2, "2": 0.4}}
    found = compare(values, measures="<b>", groups={"1": "<i>"})
    assert not any(tag in found._repr_html_() for tag in ("<script>", "<i>", "<th><b>"))


def test_the_comparison_of_one_slice_prints_its_table_and_its_pairs():
    groups = {query: "odd" if int(query[1:]) % 2 else "even" for query in EXAMPLE.qrels.queries}
    whole = compare(EXAMPLE.qrels, THREE, "AP", groups=groups)
    odd = whole.slice("odd")
    assert odd.rows == tuple(whole.pairs("odd")) and len(odd.rows) == 3
    assert "18 queries" in str(odd) and "even" not in str(odd)
    assert odd.to_dict() and odd.to_polars().height == 3


def test_slices_add_up_to_the_whole():
    groups = {q: "even" if int(q[1:]) % 2 == 0 else "odd" for q in EXAMPLE.qrels.queries}
    found = compare(EXAMPLE.qrels, THREE, "AP RR", groups=groups)
    assert found.slices == ["all", "even", "odd"]
    for measure in ("AP", "RR"):
        whole, even, odd = (found.pair("bm25", "title", measure, s) for s in found.slices)
        assert even.queries + odd.queries == whole.queries == 36
        assert even.difference * even.queries + odd.difference * odd.queries == pytest.approx(36 * whole.difference, abs=1e-8)
    alone = compare(Scores.combine_runs(evaluate(EXAMPLE.qrels, run, "AP") for run in THREE.values()), groups=groups)
    assert alone.pair("bm25", "title", "AP", "odd").p == found.pair("bm25", "title", "AP", "odd").p
    assert "contributes" in str(found) and "odd: 18 queries" in found.to_markdown()


@pytest.mark.parametrize("make", [dict, pl.DataFrame, pd.DataFrame, "file"])
def test_groups_come_in_every_form(make, tmp_path):
    groups = {q: "few" if q < "q10" else "many" for q in EXAMPLE.qrels.queries}
    if make == "file":
        given_groups = tmp_path / "groups.tsv"
        given_groups.write_text("query_id\tgroup\n" + "".join(f"{q}\t{g}\n" for q, g in groups.items()))
    else:
        given_groups = groups if make is dict else make({"query_id": list(groups), "group": list(groups.values())})
    found = compare(EXAMPLE.qrels, THREE, "AP", groups=given_groups)
    assert found.slices == ["all", "few", "many"] and found.pair("bm25", "title", slice="few").queries == 9


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: compare("qrels.txt"), TypeError, "cannot be compared; pass judgments"),
    (lambda: compare(EXAMPLE.qrels, THREE, "GMAP"), ValueError, "geometric mean"),
    (lambda: compare(EXAMPLE.qrels, THREE, "Banana"), ValueError, "Banana"),
    (lambda: compare(EXAMPLE.qrels, {"a": THREE["bm25"]}), ValueError, "two or more systems"),
    (lambda: compare({"a": {"q": "x"}, "b": {"q": 1}}), DataError, "a, query 'q': 'x' is not a finite number"),
    (lambda: compare({"a": {"q": 1}, "b": {"q": 1}}, test="anova"), ValueError, "'t' or 'wilcoxon'"),
    (lambda: compare({"a": {"q": 1}, "b": {"q": 1}}, correction="no"), ValueError, "'holm' or"),
    (lambda: compare({"a": {"q": 1}, "b": {"q": 1}}, interval="no"), ValueError, "'bca'"),
    (lambda: compare({"a": {"q": 1}, "b": {"q": 1}}, ties="given"), TypeError, "ties"),
    (lambda: compare(EXAMPLE.qrels, THREE, "AP", groups={"q01": "all"}), DataError, "'all' cannot be the name of a group"),
])  # fmt: skip
def test_what_cannot_be_compared_is_refused_in_words(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_json_markdown_and_latex_hold_the_numbers():
    found = compare(EXAMPLE.qrels, THREE, "AP", baseline="bm25", test="wilcoxon", correction="bh", seed=3)
    read = json.loads(found.to_json())
    assert read["method"]["test"] == "wilcoxon" and read["pairs"][0]["p"] == found.rows[0].p and read["baseline"] == "bm25"
    assert "| title" in found.to_markdown() and "\\toprule" in found.to_latex()


def test_without_polars_only_to_polars_raises_an_import_error():
    code = """if True:
        import sys
        sys.modules['polars'] = None
        from irmetrics_nb import *
        qrels, runs = {'q1': {'d': 1}, 'q2': {'e': 1}}, {'a': {'q1': ['d'], 'q2': ['x', 'e']}, 'b': {'q1': ['d'], 'q2': ['e']}}
        found, scores = compare(qrels, runs, 'AP RR'), evaluate(qrels, runs, 'AP')
        why, apart = explain('AP', qrels, runs['a'], 'q2'), explain_difference('AP', qrels, *runs.values())
        looked = check(qrels, runs['a'])
        print(found.rows[0].difference, 'system' in str(found), why.value, apart.rows[0]['adds'], scores.runs[0].name, looked.codes[0])
        for ask in (lambda: found.to_polars(), lambda: scores.to_polars(), lambda: why.to_polars(), lambda: apart.to_polars()):
            try: ask()
            except ImportError as error: print(error)"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    first, *said = done.stdout.splitlines()
    assert first == "0.25 True 0.5 0.25 a one-grade", done.stderr
    assert [line.split(" needs polars, which is not installed")[0] for line in said] == [".to_polars()"] * 4


# ---- families: all queries, and slices beside them ----

ALIKE = np.random.default_rng(9).integers(0, 11, (2, 60)) / 10
SIXTY = {name: {f"q{i}": x for i, x in enumerate(row)} for name, row in zip("ab", ALIKE.tolist())} | {"c": {f"q{i}": (i % 7) / 10 for i in range(60)}}
TENS = {f"q{i}": f"slice {i // 12}" for i in range(60)}


@pytest.mark.parametrize("test", TESTS)
def test_results_of_all_queries_do_not_depend_on_groups(test):
    halves = {q: "last" if int(q[1:]) > 29 else "first" for q in TENS}
    alone, sliced = (compare(SIXTY, measures="P@10", test=test, groups=groups, draws=500) for groups in (None, halves))
    assert len(sliced.rows) == 3 * len(alone.rows)
    assert [pair for pair in sliced.rows if pair.slice == "all"] == [*alone.rows]
    assert sliced.sentences("all") == alone.sentences()


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "bh", "none"])
def test_slices_are_one_family_of_all_their_pairs(correction):
    found = [pair for pair in compare(SIXTY, groups=TENS, correction=correction).rows if pair.slice != "all"]
    parts = [{name: {q: x for q, x in values.items() if TENS[q] == part} for name, values in SIXTY.items()} for part in sorted(set(TENS.values()))]
    p = [pair.p for part in parts for pair in compare(part, correction="none").rows]
    assert [pair.p for pair in found] == p and {pair.family for pair in found} == {15}
    np.testing.assert_array_equal([pair.p_adjusted for pair in found], adjust(np.array(p), correction))


def test_text_contains_the_number_of_corrected_pairs_and_slices():
    found = compare(SIXTY, measures="P@10", groups=TENS, baseline="a")
    words = ("2 pairs with a for the measure, corrected by Holm; the 5 slices are corrected separately: 10 pairs for the measure in all slices, "
             "corrected by Holm.")
    for text in (str(found), found.to_markdown(), found._repr_html_(), found.to_dict()["family"]):
        assert words in " ".join(text.split())
    assert "10 pairs for the measure in all slices, corrected by Holm" in " ".join(found.to_latex().split())
    assert "by paired t with Holm over 10 pairs in slices" in found.sentences("slice 0")[0]
    assert "uncorrected" in str(compare(SIXTY, groups=TENS, correction="none"))


def test_twenty_slices_of_two_equal_systems_are_called_different_in_5_of_100_experiments_not_in_64():
    random, experiments, groups = np.random.default_rng(8), 120, {str(i): f"s{i % 20}" for i in range(200)}
    alarms = np.zeros(2)
    for _ in range(experiments):
        a, b = random.binomial(10, 0.4, (2, 200)) / 10
        values = {name: dict(zip(map(str, range(200)), row.tolist())) for name, row in {"a": a, "b": b}.items()}
        pairs = compare(values, groups=groups).rows[1:]
        alarms += any(pair.p < 0.05 for pair in pairs), any(pair.shown() for pair in pairs)
    assert alarms[0] / experiments > 0.45 and alarms[1] / experiments <= 0.05 + 3.3 * np.sqrt(0.05 * 0.95 / experiments)


# ---- Tukey ----


def test_tukey_with_a_baseline_needs_exactly_two_systems():
    with pytest.raises(ValueError, match=r"test='tukey' compares all pairs of systems; .* use test='randomization' or 't', corrected by Holm"):
        compare(SIXTY, test="tukey", baseline="a")
    two = {name: SIXTY[name] for name in "ab"}
    [tukey], [plain] = (compare(two, test=test, baseline="a", draws=2000).rows for test in ("tukey", "randomization"))
    assert (tukey.family, tukey.p) == (1, tukey.p_adjusted) and tukey.p == pytest.approx(plain.p, abs=0.06)


def test_tukey_allows_no_other_correction_and_is_in_json():
    assert json.loads(compare(SIXTY, test="tukey", draws=100).to_json())["method"]["correction"] == "tukey"
    for correction in ("holm", "bonferroni", "bh"):
        with pytest.raises(ValueError, match="already corrects for all pairs: correction must be .tukey. or .none., not"):
            compare(SIXTY, test="tukey", correction=correction)
    assert "Holm" not in str(compare(SIXTY, test="tukey", draws=100, groups=TENS))


def test_tukey_in_slices_is_corrected_for_their_number():
    found = [pair for pair in compare(SIXTY, test="tukey", draws=300, groups=TENS).rows if pair.slice != "all"]
    assert [pair.p_adjusted for pair in found] == [min(1, 5 * pair.p) for pair in found]
    assert "Bonferroni over the slices" in compare(SIXTY, test="tukey", draws=300, groups=TENS).sentences("slice 1")[0]


@pytest.mark.parametrize("systems", [2, 4, 9])
def test_what_tukey_could_have_shown_is_found_in_80_of_100_experiments(systems):
    random, n = np.random.default_rng(systems), 40
    names = [f"s{i}" for i in range(systems)]

    def as_values(rows):
        return {name: dict(zip(map(str, range(n)), row.tolist())) for name, row in zip(names, rows)}

    seen = random.normal(size=(systems, n)) + random.normal(size=n)
    seen -= seen.mean(axis=1, keepdims=True)
    could = compare(as_values(seen), test="tukey", draws=50).pair("s0", "s1").detectable
    hits = []
    for seed in range(250):
        rows = seen[:, random.integers(n, size=n)]
        rows[0] += could
        hits.append(tukey_intervals(rows.T, draws=399, seed=seed)[0][0, 1] < 0.05)
    assert np.mean(hits) == pytest.approx(0.8, abs=0.09)


def test_detectable_difference_names_the_test_it_refers_to():
    for test in TESTS:
        said = compare(near(0, 0.3, n=40, seed=1), test=test, draws=300)
        [plain] = said.sentences()
        assert "no significant difference" in plain and (" queries by the t-test: " in plain) == (test not in ("t", "tukey"))
        assert ("by Tukey's test." in " ".join(str(said).split())) == (test == "tukey")


# ---- margins ----


@given(table(systems=(2, 2)), st.sampled_from([0.01, 0.05, 0.3]), st.sampled_from([0.01, 0.05, 0.2]))
@settings(max_examples=60)
def test_a_margin_is_two_one_sided_t_tests_at_alpha(values, margin, alpha):
    [pair] = compare(values, margin=margin, alpha=alpha).rows
    d = np.subtract(*[[*values[name].values()] for name in ("s1", "s0")])
    if np.ptp(d.round(9)) == 0:
        assert pair.no_worse(margin) == pair.no_better(margin) == (not d.round(9).any())
        return
    above = stats.ttest_1samp(d, -margin, alternative="greater").pvalue
    below = stats.ttest_1samp(d, margin, alternative="less").pvalue
    assert pair.no_worse(margin) == (above < alpha) or above == pytest.approx(alpha, abs=1e-6)
    assert pair.no_better(margin) == (below < alpha) or below == pytest.approx(alpha, abs=1e-6)
    low, high = stats.ttest_1samp(d, 0).confidence_interval(1 - 2 * alpha)
    assert (pair.lower_bound, pair.upper_bound) == pytest.approx((low, high), abs=1e-8)


def near(shift, spread, n=200, seed=0):
    random = np.random.default_rng(seed)
    a = random.uniform(0.3, 0.7, n)
    b = a + shift + random.normal(0, spread, n)
    return {name: {f"q{i}": x for i, x in enumerate(row.tolist())} for name, row in {"a": a, "b": b}.items()}


@pytest.mark.parametrize(("shift", "spread", "words"), [
    (0, 0.02, "they are equivalent within a margin of 0.01 (90 % interval"), (0.03, 0.02, "b is not worse than a by 0.01 or more (90 % interval"),
    (-0.03, 0.02, "a is not worse than b by 0.01 or more (90 % interval"),
    (0, 0.3, "b may be worse than a by 0.01 or more (90 % interval")])  # fmt: skip
def test_conclusion_about_the_margin_is_in_every_format(shift, spread, words):
    found = compare(near(shift, spread, n=40 if spread > 0.1 else 200, seed=1), measures="AP", margin=0.01)
    assert words in found.sentences()[0]
    for text in (str(found), found.to_markdown(), found._repr_html_(), found.to_json(), found.to_latex().replace("%", "").replace("\\", "")):
        assert words.split(" (")[0] in " ".join(text.split())
        assert "Statements about the margin 0.01: each pair separately, one-sided at 0.05, not corrected." in " ".join(text.split())
    assert "margin" not in str(compare(near(shift, spread)))
    assert json.loads(found.to_json())["pairs"][0]["lower_bound"] == found.rows[0].lower_bound


def test_alpha_decides_the_interval_of_a_margin():
    assert "(98 % interval" in compare(near(0, 0.02), margin=0.01, alpha=0.01).sentences()[0]
    assert "(99.9 % interval" in compare(near(0, 0.02), margin=0.01, alpha=0.0005).sentences()[0]
    for wrong in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="margin must be above 0"):
            compare(near(0, 0.02), margin=wrong)
    with pytest.raises(ValueError, match=r"alpha must be below 0\.5"):
        compare(near(0, 0.02), margin=0.1, alpha=0.5)
    assert np.isnan(compare(near(0, 0.02), alpha=0.5).rows[0].lower_bound)


@pytest.mark.parametrize("interval", ["t", "studentized"])
def test_a_loss_of_just_the_margin_is_ruled_out_in_at_most_5_of_100_cases(interval):
    random, experiments = np.random.default_rng(6), 500
    d = random.normal(-0.05, 0.2, (30, experiments))
    if interval == "studentized":  # heavy losses, which mislead t
        d = 0.3 / 3.3 - random.beta(0.3, 3, (60, experiments)) - 0.05
    passed = []
    for column in d.T:
        values = {"a": dict.fromkeys(map(str, range(len(column))), 0.0), "b": dict(zip(map(str, range(len(column))), column.tolist()))}
        rule = studentized_interval(column, level=0.9, symmetric=False, resamples=399)[0] if interval == "studentized" else None
        passed.append(rule > -0.05 if rule is not None else compare(values).rows[0].no_worse(0.05))
    assert 0.015 < np.mean(passed) <= 0.05 + 3.3 * np.sqrt(0.05 * 0.95 / experiments)


# ---- a test of somebody's own ----


ODD_AND_EVEN = {q: "odd" if int(q[1:]) % 2 else "even" for q in EXAMPLE.qrels.queries}


def t_of_scipy(differences):
    return stats.ttest_1samp(differences, 0).pvalue


def test_a_function_of_the_differences_is_a_test_like_ours():
    own, ours = (compare(EXAMPLE.qrels, THREE, "AP RR", test=test, groups=ODD_AND_EVEN) for test in (t_of_scipy, "t"))
    for one, other in zip(own.rows, ours.rows, strict=True):
        assert math.isclose(one.p_adjusted, other.p_adjusted, rel_tol=1e-9), one
    assert "by t of scipy with Holm over 3 pairs" in " ".join(str(own).split()) and own.to_dict()["method"]["test"] == "t of scipy"
    assert json.loads(own.to_json())["method"]["test"] == "t of scipy"


@pytest.mark.parametrize("given", [-0.1, 1.5, "small", None])
def test_invalid_p_value_is_an_error_that_names_the_test(given):
    def odd(differences): return given
    with pytest.raises(ValueError, match="the test 'odd' returned .*, which is not a p-value"):
        compare(EXAMPLE.qrels, THREE, "AP", test=odd)


def test_a_test_that_gives_nothing_gives_no_verdict():
    def none(differences): return float("nan")
    assert "no p-value for bm25" in str(compare(EXAMPLE.qrels, THREE, "AP", test=none))


# ---- measures with a function as parameter ----


def a_half_each_rank(ranks):
    return 0.5**ranks


@pytest.mark.parametrize("measures", [[nDCG(discount=a_half_each_rank)], ["AP", nDCG(gain=np.sqrt) @ 5], [nDCG(gain=lambda grades: grades**3)]])
def test_a_measure_with_a_function_as_parameter_is_compared_and_reported_like_any_other(measures):
    scores = evaluate(EXAMPLE.qrels, THREE, measures)
    values = {name: dict(zip(scores.query_ids, row.tolist())) for name, row in zip(THREE, scores[measures[-1]])}
    plain = compare(values, measures="x").to_polars().drop("measure")
    found = compare(EXAMPLE.qrels, THREE, measures)
    assert found.to_polars().filter(pl.col("measure") == repr(measures[-1])).drop("measure").equals(plain)
    assert found.pair("bm25", "tfidf", measures[-1]).measure == repr(measures[-1])
    assert repr(measures[-1]) in html.unescape(report(EXAMPLE.qrels, THREE, measures).to_markdown())


# ---- intervals at the level of the verdict ----


CORRECTED = list(CORRECTIONS)


@given(table(systems=(3, 5)), st.sampled_from(CORRECTED), st.sampled_from([0.01, 0.05, 0.3]), st.booleans())
@settings(max_examples=150)
def test_a_t_interval_leaves_out_0_exactly_where_the_verdict_is_significant(values, correction, alpha, sliced):
    groups = {f"q{i}": f"part {i % 2}" for i in range(25)} if sliced else None
    for pair in compare(values, correction=correction, alpha=alpha, groups=groups).rows:
        if np.isnan(pair.p_adjusted):
            assert np.isnan(pair.low)
        elif abs(pair.p_adjusted - alpha) > 1e-9:
            assert pair.shown(alpha) == (pair.low > 0 or pair.high < 0), pair


@given(table(systems=(2, 5)), st.sampled_from([0.01, 0.05, 0.3]), st.sampled_from([19, 199, 500]), st.booleans(), st.sampled_from(["tukey", "none"]))
@settings(max_examples=150)
def test_tukeys_interval_leaves_out_0_exactly_where_the_verdict_is_significant(values, alpha, draws, sliced, correction):
    groups = {f"q{i}": f"part {i % 2}" for i in range(25)} if sliced else None
    for pair in compare(values, test="tukey", alpha=alpha, draws=draws, groups=groups, correction=correction).rows:
        assert pair.shown(alpha) == bool(pair.low > 0 or pair.high < 0), pair


def test_plain_bonferroni_intervals_would_contradict_holm_and_ours_never_do():
    "Of 120 families of six pairs, with true differences in some."
    random, contradicted, seen = np.random.default_rng(13), 0, 0
    for _ in range(120):
        rows = random.normal(0.5, 0.2, (4, 30)) + random.choice([0, 0.1, 0.15], 4)[:, None] + random.normal(0, 0.1, 30)
        pairs = compare({f"s{i}": dict(zip(map(str, range(30)), row.tolist())) for i, row in enumerate(rows)}).rows
        plain = []
        for pair in pairs:
            d = rows[int(pair.b[1])] - rows[int(pair.a[1])]
            low, high = stats.ttest_1samp(d, 0).confidence_interval(1 - 0.05 / 6)
            plain.append(pair.shown() != (low > 0 or high < 0))
            assert pair.shown() == (pair.low > 0 or pair.high < 0)
        contradicted += any(plain)
        seen += any(pair.shown() for pair in pairs)
    assert seen > 30 and 0.05 < contradicted / 120 < 0.5


def test_levels_of_a_family_equal_levels_computed_by_hand():
    "Three pairs with p = 0.0004, 0.02 and 0.3 or so, counted by hand: Holm rejects two, so 1 - 0.05/3, 1 - 0.05/2 and 1 - 0.05."
    random = np.random.default_rng(1)
    for correction, alphas in {"holm": (0.05 / 3, 0.05 / 2, 0.05), "bonferroni": (0.05 / 3,) * 3, "bh": (0.05 * 2 / 3,) * 3,
                               "by": (0.05 * 2 / 3 / (1 + 1 / 2 + 1 / 3),) * 3, "none": (0.05,) * 3}.items():
        p = np.array([0.3, 0.0004, 0.012])
        np.testing.assert_allclose(decision_alphas(p, correction)[[1, 2, 0]], alphas)
    nothing = decision_alphas(random.uniform(0.5, 1, 4), "bh"), decision_alphas(random.uniform(0.5, 1, 4), "by")
    np.testing.assert_allclose(nothing, [[0.05 / 4] * 4, [0.05 / 4 / (1 + 1 / 2 + 1 / 3 + 1 / 4)] * 4])


def test_text_contains_levels_and_simultaneous_intervals():
    assert "(98.33 % interval" in compare(THREE_ALIKE).sentences()[0]
    said = {correction: " ".join(str(compare(THREE_ALIKE, correction=correction)).split()) for correction in CORRECTED}
    said["tukey"] = " ".join(str(compare(THREE_ALIKE, test="tukey", draws=200)).split())
    assert {c for c, text in said.items() if "simultaneous" in text} == {"bonferroni", "tukey"}
    assert "corrected by Benjamini–Yekutieli" in said["by"]
    assert all("Each interval has the level of its test after the correction." in said[c] for c in ("holm", "bh", "by"))
    assert "Each interval" not in said["none"] + str(compare({name: THREE_ALIKE[name] for name in "ab"}))


@pytest.mark.parametrize("test", TESTS)
def test_text_notes_different_methods_of_interval_and_p(test):
    own = {"t": "t", "bootstrap": "studentized", "tukey": "tukey"}.get(test)
    for interval in ("t", "percentile", "studentized", None):
        found = compare(THREE_ALIKE, test=test, interval=interval, draws=60)
        differ = (interval or ("tukey" if test == "tukey" else "t")) != own
        assert ("come from different methods" in " ".join(str(found).split())) == differ
        assert ("come from different methods" in found.to_dict()["intervals"]) == differ
        kind = {"t": "t interval", "percentile": "bootstrap percentile interval", "studentized": "studentized bootstrap interval", None: "t interval"}
        assert (f" % {kind[interval]} " in found.sentences()[0]) == differ


def test_only_tukeys_test_has_tukeys_interval():
    known = " or ".join(repr(name) for name in INTERVALS if name != "tukey")
    with pytest.raises(ValueError, match=f"interval must be {known}, not 'tukey'"):
        compare(THREE_ALIKE, interval="tukey")


THREE_ALIKE = {name: {f"q{i}": x for i, x in enumerate(np.random.default_rng(i).uniform(0, 1, 30).tolist())} for i, name in enumerate("abc")}


# ---- families of all measures ----


def test_correction_over_all_measures_uses_all_p_values():
    each = compare(EXAMPLE.qrels, THREE, "AP nDCG@10 RR", groups=ODD_AND_EVEN)
    for correction in CORRECTED:
        found = compare(EXAMPLE.qrels, THREE, "AP nDCG@10 RR", groups=ODD_AND_EVEN, correction=correction, correct_over="all")
        assert [(p.measure, p.slice, p.a, p.b, p.p) for p in found.rows] == [(p.measure, p.slice, p.a, p.b, p.p) for p in each.rows]
        for sliced, size in ((False, 9), (True, 18)):
            inside = [pair for pair in found.rows if (pair.slice != "all") == sliced]
            assert {pair.family for pair in inside} == {size} == {len(inside)}
            expected = adjust(np.array([pair.p for pair in inside]), correction)
            np.testing.assert_array_equal([pair.p_adjusted for pair in inside], expected)
    said = " ".join(str(compare(EXAMPLE.qrels, THREE, "AP RR", correct_over="all")).split())
    assert "6 pairs for all measures together, corrected by Holm" in said and "with Holm over 6 pairs of all measures" in said


def test_tukey_over_all_measures_is_corrected_for_their_number():
    how = {"test": "tukey", "draws": 300}
    each, found = (compare(EXAMPLE.qrels, THREE, "AP RR", correct_over=over, **how) for over in ("measure", "all"))
    assert [pair.p_adjusted for pair in found.rows] == [min(1, 2 * pair.p) for pair in each.rows]
    assert {pair.level for pair in found.rows} == {1 - 0.05 / 2}
    assert "with Bonferroni over the measures" in found.sentences()[0]


def test_correction_over_all_measures_of_one_changes_nothing():
    one = [compare(EXAMPLE.qrels, THREE, "AP", correct_over=over) for over in ("measure", "all")]
    assert one[0].to_dict() == one[1].to_dict()
    with pytest.raises(ValueError, match="correct_over must be 'measure' or 'all', not 'both'"):
        compare(EXAMPLE.qrels, THREE, "AP", correct_over="both")


# ---- numbers within the range of a measure ----


FOUR = {"old": dict(zip("1234", (0.0, 1.0, 0.0, 1.0))), "new": dict(zip("1234", (1.0, 0.0, 1.0, 1.0)))}


def test_what_exceeds_the_range_of_a_measure_is_not_detectable_and_intervals_end_there():
    "Differences 1, -1, 1, 0: the t interval is 1/4 - 3.182 * 0.957 / 2 to 1/4 + ..., beyond 1 on both sides."
    [pair] = (found := compare(FOUR, measures="AP")).rows
    assert (pair.low, pair.high, pair.lower_bound, pair.upper_bound) == (-1, 1, pytest.approx(0.25 - 2.3534 * 0.47871, abs=1e-4), 1)
    assert found.sentences()[0].endswith("; no difference is detectable with 4 queries") and json.loads(found.to_json())["pairs"][0]["detectable"] is None
    [free] = (found := compare(FOUR, measures="clicks")).rows
    assert free.high > 1.7 and free.low < -1.2 and "minimum detectable difference with 4 queries: 2." in found.sentences()[0]
    [counts] = compare({name: {q: 3 * x for q, x in row.items()} for name, row in FOUR.items()}, measures="AP").rows
    assert counts.high > 5  # values beyond the range of AP are not AP's


def test_a_measure_without_a_range_is_not_clipped():
    qrels = {str(i): {"a": 3, "b": 2} for i in range(4)}
    runs = {"old": {str(i): ["a", "b"] if i % 2 else ["x"] for i in range(4)}, "new": {str(i): ["x"] if i == 1 else ["a", "b"] for i in range(4)}}
    dcg, ndcg = compare(qrels, runs, "DCG nDCG").rows
    assert dcg.high > 4 and np.isfinite(dcg.detectable) and (ndcg.low, ndcg.high) == (-1, 1) and np.isinf(ndcg.detectable)


def test_tukey_has_no_detectable_difference_where_nothing_scatters():
    rows = {"a": np.full(30, 0.1), "b": np.full(30, 0.3), "c": np.full(30, 0.7)}
    uneven = np.random.default_rng(0).uniform(0, 0.3, 30)
    values = {name: dict(zip(map(str, range(30)), (row + uneven).tolist())) for name, row in rows.items()}
    found = compare(values, test="tukey", draws=200, measures="AP")
    assert np.isnan([pair.detectable for pair in found.rows]).all() and "queries: 0" not in str(found)


def test_ranges_of_measures_match_their_cards():
    declared = {name for name, kind in KINDS.items() if kind.largest == 1}
    for name in ("P", "R", "AP", "nDCG", "RR", "ERR", "RBP", "Success", "Bpref", "F", "Rprec"):
        assert name in declared and CARDS[name].range.startswith(("0 to 1", "0 or 1", "0 to just below 1"))
    assert {"DCG", "CG"} & declared == set() and KINDS["DCG"].largest is None


def test_gate_and_report_show_not_detectable_with_4_queries():
    verdict = gate(compare(FOUR, measures="AP", baseline="old"), max_drop=0.01)
    assert "(in 80 of 100 cases, by the t-test): AP not detectable" in str(verdict)
    qrels = {q: {"a": 1} for q in "1234"}
    runs = {name: {q: ["a" if x else "b"] for q, x in row.items()} for name, row in FOUR.items()}
    page = report(qrels, runs, "AP", correct_over="all", correction="by").to_html()
    assert "no difference is detectable with 4 queries" in page and "<td class=\"n\">not detectable</td>" in page


def test_the_command_takes_the_correction_and_what_it_is_over(tmp_path):
    files = {"q.txt": EXAMPLE.qrels, **{f"{name}.run": run for name, run in THREE.items()}}
    for name, content in files.items():
        content.save(tmp_path / name)
    args = ["compare", *(str(tmp_path / name) for name in files), "-m", "AP RR", "--correction", "by", "--correct-over", "all"]
    text = " ".join(irmetrics(*args).stdout.split())
    assert "4 pairs with bm25 for all measures together, corrected by Benjamini–Yekutieli" in text
    assert "Tukey" in irmetrics(*args[:4], "--test", "tukey").stdout and "interval" in text


def test_every_registered_test_correction_and_interval_is_an_option_of_the_command_and_in_the_docstring():
    "The registries are the only lists: what `compare` accepts, `--test` accepts, and help names it."
    options = signature(import_module("irmetrics_nb.cli_compare")._compare_command).parameters
    registries = {"test": TESTS, "correction": CORRECTIONS, "interval": INTERVALS, "correct_over": FAMILIES}
    for name, registry in registries.items():
        choices = [get_args(kind) for kind in get_args(get_args(options[name].annotation)[0]) if get_origin(kind) is Literal]
        assert registry and choices == [tuple(registry)], name
        assert f"\n    {name} : {{{', '.join(map(repr, registry))}}}" in compare.__doc__
    assert f"one of {{{', '.join(map(repr, CORRECTIONS))}}}" in " ".join(adjust.__doc__.split())
    assert f"one of {{{', '.join(map(repr, METHODS))}}}" in " ".join(bootstrap_interval.__doc__.split())
    for listed in (compare, adjust, bootstrap_interval):
        assert not re.search(r"\{(tests|corrections|families|intervals|methods)\}", listed.__doc__)
    assert [kind for kind in COMPARISON_PLOTS if f"'{kind}'" not in Comparison.plot.__doc__] == [], "describe them in `Comparison.plot`"


def test_every_registered_test_and_correction_is_on_the_pages_that_explain_it():
    pages = {name: "\n".join(cell.source for cell in project.cells(project.NBS / f"comparing/{name}.ipynb")) for name in ("aligned_scores", "statistics")}
    lacking = [name for name in TESTS if f"\n| `'{name}'` |" not in pages["aligned_scores"]]
    assert not lacking, f"add rows for {lacking} to the table under `The tests` in nbs/comparing/aligned_scores.ipynb"
    gone = {*re.findall(r"^\| `'([\w-]+)'` \|", pages["aligned_scores"], re.MULTILINE)} - {*TESTS}
    assert not gone, f"remove the rows of {sorted(gone)} from the table under `The tests` in nbs/comparing/aligned_scores.ipynb"
    words = [words for name, (words, *_) in CORRECTIONS.items() if name != "none"]
    assert [name for name in words if pages["statistics"].count(f"\n| {name} |") != 2] == [], "add a row to both tables of corrections in nbs/comparing/statistics.ipynb"
    drawing = {name: f"{test.draws:,}" for name, test in TESTS.items() if test.draws}
    listed = " ".join(compare.__doc__.partition("draws : int")[2].partition("progress :")[0].split())
    assert drawing and [name for name, draws in drawing.items() if draws not in listed] == [], "name its draws in the docstring of compare"


def test_an_interval_that_no_function_computes_is_an_error(monkeypatch):
    monkeypatch.setitem(INTERVALS, "jackknife", "jackknife")
    with pytest.raises(ValueError, match="not 'jackknife'"):
        compare(THREE_ALIKE, interval="jackknife")


def test_a_test_is_complete_with_one_entry_in_the_registry(monkeypatch):
    def of_medians(differences):
        return 0.25

    monkeypatch.setitem(TESTS, "medians", SignificanceTest("the test of medians", of_medians, interval="percentile", statistic=np.median))
    [pair, *_] = (found := compare(THREE_ALIKE, test="medians", interval="percentile", correction="none")).rows
    assert pair.p == 0.25 and "by the test of medians" in found.sentences()[0] and found.method.agrees
    monkeypatch.setitem(CORRECTIONS, "double", ("doubling", lambda p: 2 * p, lambda alpha, *_: alpha / 2))
    found = compare(THREE_ALIKE, correction="double")
    assert [pair.p_adjusted for pair in found.rows] == [min(2 * pair.p, 1) for pair in found.rows] and "corrected by doubling" in " ".join(str(found).split())
