"compare: what comes in, the numbers of every pair, the table, the sentence and the slices."
import json
import subprocess
import sys
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from irmetrics_nb import DataError, Qrels, Scores, compare, evaluate, load_example, nDCG
from irmetrics_nb.deciding.corrections import adjust
from irmetrics_nb.deciding.pairs import COLUMNS, TESTS, Method
from irmetrics_nb.deciding.sentences import sentence

EXAMPLE = load_example()
THREE = {name: EXAMPLE.runs[name] for name in ("bm25", "tfidf", "title")}
WANTED = "measure a b mean_a mean_b difference low high p p_adjusted effect wins ties losses queries".split()
cells = st.integers(0, 20).map(lambda x: x / 20)


def table(systems=(2, 4)):
    "{name: {query: value}} of a few systems."
    sizes = st.tuples(st.integers(*systems), st.integers(2, 25))
    rows = sizes.flatmap(lambda size: st.lists(st.lists(cells, min_size=size[1], max_size=size[1]), min_size=size[0], max_size=size[0]))
    return rows.map(lambda rows: {f"s{i}": {f"q{j}": x for j, x in enumerate(row)} for i, row in enumerate(rows)})


def test_pairs_is_a_table_with_just_these_columns():
    found = compare(EXAMPLE.qrels, THREE, "AP nDCG@10").pairs
    assert found.columns == WANTED == list(COLUMNS) and found.height == 6
    assert found["measure"].to_list() == ["AP"] * 3 + ["nDCG@10"] * 3
    assert compare(EXAMPLE.qrels, THREE, "AP", groups={"q01": "x"}).pairs.columns == [*WANTED, "slice"]


def test_every_number_of_a_pair_is_that_of_scipy_and_of_evaluate():
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


@given(table(), st.sampled_from(["t", "sign", "randomization", "tukey"]))
@settings(max_examples=40)
def test_of_any_numbers_the_interval_holds_the_difference_and_p_is_never_0(values, test):
    found = compare(values, test=test, draws=200)
    for pair in found.rows:
        assert pair.low <= pair.difference <= pair.high
        assert 0 < pair.p <= pair.p_adjusted <= 1
        assert pair.mean_b - pair.mean_a == pytest.approx(pair.difference, abs=1e-9)
    assert [pair.p for pair in compare(values, test=test, draws=200).rows] == [pair.p for pair in found.rows]


@given(table(systems=(2, 2)), st.sampled_from(["t", "sign", "randomization"]))
@settings(max_examples=40)
def test_the_other_way_round_the_signs_turn_and_p_stays(values, test):
    [one] = compare(values, test=test, draws=200).rows
    [other] = compare(dict(reversed(values.items())), test=test, draws=200).rows
    assert (one.difference, one.low, one.high, one.wins) == (-other.difference, -other.high, -other.low, other.losses)
    assert one.p == other.p and one.detectable == other.detectable


@given(table(systems=(4, 4)), st.sampled_from(["holm", "bonferroni", "bh", "none"]))
@settings(max_examples=30)
def test_a_family_is_all_pairs_of_one_measure(values, correction):
    found = compare(values, correction=correction).rows
    assert [(p.a, p.b) for p in found] == list(combinations(values, 2)) and {p.family for p in found} == {6}
    np.testing.assert_array_equal([p.p_adjusted for p in found], adjust(np.array([p.p for p in found]), correction))


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("interval", ["t", "percentile", "bca"])
def test_identical_runs_differ_by_nothing_and_p_is_1(test, interval):
    [pair] = compare(EXAMPLE.qrels, {"a": THREE["bm25"], "b": THREE["bm25"]}, "AP", test=test, interval=interval, draws=50).rows
    assert (pair.difference, pair.low, pair.high, pair.p, pair.p_adjusted, pair.effect) == (0, 0, 0, 1, 1, 0)
    said = sentence(pair, Method(test))
    assert said.startswith("no difference shown between a and b") and "the same on every query" in said and "equal" not in said


def test_with_a_baseline_there_are_fewer_pairs_and_they_start_with_it():
    found = compare(EXAMPLE.qrels, EXAMPLE.runs, "AP", baseline="tfidf")
    assert len(found.rows) == 5 and {pair.a for pair in found.rows} == {"tfidf"} and {pair.family for pair in found.rows} == {5}
    assert "5 pairs with tfidf of the measure, corrected by Holm" in " ".join(str(found).split())
    with pytest.raises(ValueError, match="'nope' is not among bm25"):
        compare(EXAMPLE.qrels, EXAMPLE.runs, "AP", baseline="nope")


def test_scores_that_exist_runs_and_plain_numbers_give_the_same():
    each = {name: evaluate(EXAMPLE.qrels, run, "AP RR") for name, run in THREE.items()}
    expected = compare(EXAMPLE.qrels, THREE, "AP RR").pairs
    for given_scores in (each, Scores.beside(each.values())):
        assert compare(given_scores).pairs.equals(expected)
    only = compare(each, measures=["AP"]).pairs
    assert only.equals(expected.head(3)) and compare(each, measures="MAP").pairs.equals(only)
    numbers = {name: scores.to_dict() for name, scores in each.items()}
    plain = compare({name: {q: row["AP"] for q, row in own.items()} for name, own in numbers.items()}, measures="AP")
    assert plain.pairs.equals(only)


def test_the_measure_may_be_an_object_and_conventions_reach_evaluate():
    found = compare(Qrels(EXAMPLE.qrels), THREE, [nDCG @ 10], ties="given")
    assert found.pair("bm25", "tfidf", nDCG @ 10).measure == "nDCG@10"
    qrels, run = {"1": {"d": 1}, "2": {"d": 1}}, {"1": ["d"]}
    skipped = compare(qrels, {"a": run, "b": {"1": ["x", "d"], "2": ["d"]}}, "AP", missing="skip")
    assert skipped.rows[0].queries == 1 and "a lacks 1 of 2 queries (2)" in skipped.notes[0]
    counted = compare(qrels, {"a": run, "b": {"1": ["x", "d"], "2": ["d"]}}, "AP")
    assert counted.rows[0].queries == 2 and counted.notes == ["a does not answer 1 judged query, which count 0"]


def test_queries_are_matched_by_id_and_not_by_place():
    forward = {"a": {"1": 0.1, "2": 0.9, "3": 0.5}, "b": {"3": 0.6, "2": 1.0, "1": 0.2}}
    pair = compare(forward).rows[0]
    assert (pair.wins, pair.queries) == (3, 3) and pair.low == pytest.approx(0.1, abs=1e-9)


def test_queries_that_one_lacks_are_left_out_of_its_pairs_and_said():
    values = {"a": {"1": 0.5, "2": 0.5, "3": 0.1}, "b": {"1": 0.75, "2": 0.5, "3": None}, "c": {"1": 1, "2": 0.5, "3": 0.2}}
    found = compare(values)
    assert [pair.queries for pair in found.rows] == [2, 3, 2] and found.pair("a", "b").mean_a == 0.5
    said = "a pair is compared on the queries that both have, means are over those that all have"
    assert found.notes == [f"b lacks 1 of 3 queries (3): {said}"]
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
    assert "no scatter" in "".join(compare({"a": a, "b": b}).warnings)
    for unlike in ({**b, "1": 0.5}, a):
        assert "no scatter" not in "".join(compare({"a": a, "b": unlike}).warnings)
    assert "no scatter" not in "".join(compare({"a": a, "b": b}, test="sign").warnings)


def test_one_query_is_spoken_of_in_the_singular():
    found = compare({"a": {"1": 0.5, "2": 0.25}, "b": {"1": 0.75, "2": 0.5}}, groups={"1": "short"})
    text = str(found)
    assert "short: 1 query\n" in text and "1 query has no group: it counts" in text and "only 1 query in the" in text
    assert "1 queries" not in text and "unknown to unknown" not in text and "no interval" in found.sentences("short")[0]


def test_without_a_common_query_nothing_is_known():
    found = compare({"a": {"1": 0.5}, "b": {"2": 0.5}})
    assert found.rows[0].queries == 0 and np.isnan(found.rows[0].p) and "nothing is known" in found.sentences()[0]
    assert "nothing can be compared" in found.warnings[0]
    json.loads(found.to_json(), parse_constant=pytest.fail)


def test_few_queries_and_lopsided_differences_are_warned_of():
    few = {"a": dict.fromkeys("12345", 0.5), "b": dict(zip("12345", (0.6, 0.5, 0.7, 0.5, 0.8)))}
    assert compare(few).warnings == ["only 5 queries: little can be shown"]
    a = {str(i): 0.5 for i in range(60)}
    b = a | {"1": 1.0, "2": 0.9, "3": 0.4}
    assert "t is doubtful" in compare({"a": a, "b": b}).warnings[0]
    assert compare({"a": a, "b": b}, test="randomization").warnings == []


def test_the_sentence_is_the_one_that_was_asked_for():
    random = np.random.default_rng(0)
    a = random.beta(2, 3, 300)
    b = np.clip(a + random.normal(0.037, 0.15, 300), 0, 1)
    values = {name: dict(zip(map(str, range(300)), x.tolist())) for name, x in {"A": a, "B": b}.items()}
    pair = compare(values, measures="nDCG@10").rows[0]
    expected = (f"B is better than A by {pair.difference:.3f} nDCG@10 (95 % interval {pair.low:.3f} to {pair.high:.3f}, p < 0.001 by paired t, "
                f"300 queries; better on {pair.wins}, worse on {pair.losses})")
    assert compare(values, measures="nDCG@10").sentences() == [expected]


def test_no_difference_shown_never_reads_as_equal_or_better():
    text = str(compare(EXAMPLE.qrels, {n: EXAMPLE.runs[n] for n in ("lsa", "seealso")}, "AP"))
    assert "no difference shown between lsa and seealso" in text and "36 queries could have shown" in text
    assert "equal" not in text and "is better than" not in text


def test_raised_letters_say_who_is_beaten():
    text = str(compare(EXAMPLE.qrels, THREE, "AP"))
    rows = {line.split()[1]: line.split()[2] for line in text.splitlines()[2:5]}
    assert rows["title"] == "0.2883" and rows["bm25"] == "0.5228ᶜ" and rows["tfidf"] == "0.4550ᶜ"
    assert "<sup>c</sup>" in compare(EXAMPLE.qrels, THREE, "AP")._repr_html_()
    assert "▼" in str(compare(EXAMPLE.qrels, THREE, "AP", baseline="bm25"))


def test_names_from_outside_do_no_harm_in_html():
    values = {"<script>": {"1": 0.5, "2": 0.1}, "b|": {"1": 0.2, "2": 0.4}}
    found = compare(values, measures="<b>", groups={"1": "<i>"})
    assert not any(tag in found._repr_html_() for tag in ("<script>", "<i>", "<th><b>"))


def test_slices_add_up_to_the_whole():
    groups = {q: "even" if int(q[1:]) % 2 == 0 else "odd" for q in EXAMPLE.qrels.queries}
    found = compare(EXAMPLE.qrels, THREE, "AP RR", groups=groups)
    assert found.slices == ["all", "even", "odd"]
    for measure in ("AP", "RR"):
        whole, even, odd = (found.pair("bm25", "title", measure, s) for s in found.slices)
        assert even.queries + odd.queries == whole.queries == 36
        assert even.difference * even.queries + odd.difference * odd.queries == pytest.approx(36 * whole.difference, abs=1e-8)
    alone = compare(Scores.beside(evaluate(EXAMPLE.qrels, run, "AP") for run in THREE.values()), groups=groups)
    assert alone.pair("bm25", "title", "AP", "odd").p == found.pair("bm25", "title", "AP", "odd").p
    assert "brings" in str(found) and "odd: 18 queries" in found.to_markdown()


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
    (lambda: compare("qrels.txt"), TypeError, "give judgments"),
    (lambda: compare(EXAMPLE.qrels, THREE, "GMAP"), ValueError, "geometric mean"),
    (lambda: compare(EXAMPLE.qrels, THREE, "Banana"), ValueError, "Banana"),
    (lambda: compare(EXAMPLE.qrels, {"a": THREE["bm25"]}), ValueError, "two systems"),
    (lambda: compare({"a": {"q": "x"}, "b": {"q": 1}}), DataError, "a, query 'q': 'x' is not a number"),
    (lambda: compare({"a": {"q": 1}, "b": {"q": 1}}, test="anova"), ValueError, "'t' or 'wilcoxon'"),
    (lambda: compare({"a": {"q": 1}, "b": {"q": 1}}, correction="no"), ValueError, "'holm' or"),
    (lambda: compare({"a": {"q": 1}, "b": {"q": 1}}, interval="no"), ValueError, "'bca'"),
    (lambda: compare({"a": {"q": 1}, "b": {"q": 1}}, ties="given"), TypeError, "ties"),
    (lambda: compare(EXAMPLE.qrels, THREE, "AP", groups={"q01": "all"}), DataError, "cannot be called 'all'"),
])  # fmt: skip
def test_what_cannot_be_compared_is_refused_in_words(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_json_markdown_and_latex_hold_the_numbers():
    found = compare(EXAMPLE.qrels, THREE, "AP", baseline="bm25", test="wilcoxon", correction="bh", seed=3)
    read = json.loads(found.to_json())
    assert read["method"]["test"] == "wilcoxon" and read["pairs"][0]["p"] == found.rows[0].p and read["baseline"] == "bm25"
    assert "| title" in found.to_markdown() and "\\toprule" in found.to_latex()


def test_without_polars_everything_works_but_tables_which_say_what_they_need():
    code = """if True:
        import sys
        sys.modules['polars'] = None
        from irmetrics_nb import *
        qrels, runs = {'q1': {'d': 1}, 'q2': {'e': 1}}, {'a': {'q1': ['d'], 'q2': ['x', 'e']}, 'b': {'q1': ['d'], 'q2': ['e']}}
        found, scores = compare(qrels, runs, 'AP RR'), evaluate(qrels, runs, 'AP')
        why, apart = explain('AP', qrels, runs['a'], 'q2'), explain_difference('AP', qrels, *runs.values())
        print(found.rows[0].difference, 'system' in str(found), why.value, apart.rows[0]['adds'], scores.runs[0].name)
        for ask in (lambda: found.pairs, lambda: scores.per_query, lambda: why.table, lambda: apart.table, lambda: check(qrels, runs['a'])):
            try: ask()
            except ImportError as error: print(error)"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    first, *said = done.stdout.splitlines()
    assert first == "0.25 True 0.5 0.25 a", done.stderr
    assert [line.split(" needs polars, which is not installed here")[0] for line in said] == [".pairs", ".per_query", ".table", ".table", "check"]
