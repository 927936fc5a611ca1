"Tables and texts for papers: captions, columns, effect sizes with intervals, and the sentence on the method."
import json
import re

import numpy as np
import polars as pl
import pytest
from scipy import stats

from irmetrics_nb import Scores, __version__, compare, evaluate, load_example, nDCG, parse, report
from irmetrics_nb.comparing.sentences import measure_text
from irmetrics_nb.comparing.statistics import differences, effect_interval, effect_size, studentized_interval, t_test

EXAMPLE = load_example()
TWO = {name: EXAMPLE.runs[name] for name in ("bm25", "title")}


def test_caption_label_and_columns_apply_to_the_first_table():
    scores = evaluate(EXAMPLE.qrels, TWO, "AP nDCG@10 RR")
    for result, first in ((scores, "run"), (compare(scores), "system"), (report(EXAMPLE.qrels, TWO, "AP nDCG@10 RR", checkup=False), "system")):
        text = result.to_latex(caption="50 % of a_b & c", label="tab:x", columns=[first, "RR", nDCG @ 10], digits=2)
        table = text[text.index(r"\begin{table}") : text.index(r"\end{table}")]
        assert r"\caption{50 \% of a\_b \& c}" in table and r"\label{tab:x}" in table
        head = re.search(r"\\toprule\n(.*?)\\\\", table, re.S)[1]
        assert head.index("RR") < head.index("nDCG@10") and "AP" not in head
        assert result.to_latex() == result.to_latex(caption=None), "the request does not stay"
        with pytest.raises(ValueError, match=rf"columns must be one or more of {first}, AP, nDCG@10, RR, not \['MAP'\]"):
            result.to_latex(columns=["MAP"])
        with pytest.raises(ValueError, match="label 'a%b': use only letters"):
            result.to_latex(label="a%b")
        with pytest.raises(ValueError, match=r"columns must be one or more of .*, not \[\]"):
            result.to_latex(columns=[])
        assert "caption{50" not in result.to_latex(), "nor after an error"
    with pytest.raises(ValueError, match="there is no table"):
        compare({"a": {"x": 1}, "b": {"x": 2}}, measures="AP").__class__.__mro__[1].to_latex(Empty(), caption="x")


class Empty:
    def _written(self, form):
        from irmetrics_nb.results.results import Text, rendered
        return rendered([Text("x")], form)


def test_the_other_tables_keep_their_captions():
    groups = {q: "x" if i % 2 else "y" for i, q in enumerate(EXAMPLE.qrels.queries)}
    text = compare(EXAMPLE.qrels, TWO, "AP", groups=groups).to_latex(caption="Mine", label="tab:mine")
    assert text.count(r"\begin{table}") == 3 and text.count(r"\caption{Mine}") == text.count(r"\label{tab:mine}") == 1


def test_interval_of_an_effect_equals_mbess_and_effectsize():
    "MBESS, conf.limits.nct(ncp=2.83, df=126): 0.8337502 and 4.815359; effectsize on Student's sleep data: -2.12 and -0.41."
    root = 127**0.5
    assert effect_interval(2.83 / root, 127) == pytest.approx((0.8337502 / root, 4.815359 / root), abs=1e-6)
    sleep = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]) - [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    low, high = effect_interval(effect_size(sleep), 10)
    assert (round(effect_size(sleep), 2), round(low, 2), round(high, 2)) == (-1.28, -2.12, -0.41)


@pytest.mark.parametrize("n", [2, 3, 10, 300])
@pytest.mark.parametrize("effect", [0, 0.1, 0.7, -3, 60, 1e5])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.9992, 1 - 1e-6])
def test_the_ends_have_the_probabilities_of_the_level(n, effect, level):
    low, high = effect_interval(effect, n, level=level)
    assert low < effect < high or effect > 30
    if abs(effect) * n**0.5 > 900: return
    size, ends = abs(effect) * n**0.5, sorted(np.array([low, high]) * n**0.5 * (-1 if effect < 0 else 1))
    assert stats.nct.cdf(size, n - 1, ends) == pytest.approx([(1 + level) / 2, (1 - level) / 2], rel=1e-3, abs=1e-9)


def test_the_interval_of_an_effect_leaves_out_0_exactly_where_the_t_test_rejects():
    random = np.random.default_rng(3)
    rejected = 0
    for _ in range(200):
        d = random.exponential(size=random.integers(3, 40)) - random.choice([0.3, 0.6, 1])
        low, high = effect_interval(effect_size(d), len(d))
        rejected += not low <= 0 <= high
        assert (low > 0 or high < 0) is (t_test(d) < 0.05)
    assert 20 < rejected < 180


@pytest.mark.parametrize(("draw", "true", "n", "bounds"), [
    (lambda random, shape: random.normal(0.5, 1, shape), 0.5, 20, (0.944, 0.956)),
    (lambda random, shape: random.lognormal(0, 1, shape), 0.7628741, 100, (0.78, 0.83))])  # fmt: skip
def test_its_coverage_is_the_level_for_normal_differences_and_less_for_skewed_ones(draw, true, n, bounds):
    d = draw(np.random.default_rng(0), (20_000, n))
    t = d.mean(axis=1) / d.std(axis=1, ddof=1) * n**0.5
    p = stats.nct.cdf(t, n - 1, true * n**0.5)  # the interval contains the true effect if p is between the tails
    assert bounds[0] < np.mean((p > 0.025) & (p < 0.975)) < bounds[1]


def test_effects_without_variance_or_queries_have_no_interval():
    found = compare({"a": {"x": 0, "y": 0, "z": 0}, "b": {"x": 1, "y": 1, "z": 1}, "c": {"x": 0, "y": 0, "z": 0}}, measures="AP")
    assert np.isnan(found.pair("a", "b").effect_interval).all() and found.pair("a", "c").effect_interval == (0, 0)
    few = compare({"a": {"x": 0, "y": 1}, "b": {"x": 1, "y": 3}}, measures="AP")
    assert np.isnan(few.rows[0].effect_interval).all() and "–" in few.pair_table().to_markdown()


def test_the_table_of_pairs_has_the_pairs_of_the_data_frame(tmp_path):
    found = compare(EXAMPLE.qrels, EXAMPLE.runs, "AP RR")
    table = found.pair_table()
    frame = table.to_polars()
    assert frame.height == 30 and (frame["effect_low"] < frame["effect"]).all()
    assert set(frame["difference"].sign()) == {-1, 1}  # a and b do not depend on which is better
    assert frame.select(found.to_polars().columns).equals(found.to_polars()) and table.rows == list(found.rows)
    assert frame.select("a", "b").rows() == [(pair.a, pair.b) for pair in found.rows]
    text = table.to_latex(columns=["a", "b", "difference", "interval", "p", "effect", "effect interval"])
    assert text.count("\\\\\n") == 31 and r"\textbf{" in text and "Holm" in text and r"$-$" in text
    assert [p.a for p in compare(EXAMPLE.qrels, EXAMPLE.runs, "AP", baseline="title").pair_table().rows] == ["title"] * 5
    table.save(tmp_path / "pairs.csv")
    assert (tmp_path / "pairs.csv").read_text().startswith("measure,a,b") and '"effect_low"' in table.to_json()
    groups = {q: "x" if i % 2 else "y" for i, q in enumerate(EXAMPLE.qrels.queries)}
    assert "slice" in compare(EXAMPLE.qrels, TWO, "AP", groups=groups).pair_table().to_markdown()


def test_every_table_of_pairs_has_the_level_of_each_interval(tmp_path):
    random = np.random.default_rng(0)
    a = random.normal(0, 0.1, 40)
    systems = {"a": a, "b": a + random.normal(1, 0.1, 40), "c": a + random.normal(0.001, 0.1, 40)}
    found = compare({name: dict(enumerate(x.tolist())) for name, x in systems.items()}, measures="x")
    in_order = np.argsort([pair.p for pair in found.rows])  # Holm rejects two of the three
    levels = np.zeros(3)
    levels[in_order] = [1 - 0.05 / 3, 1 - 0.05 / 2, 1 - 0.05]
    expected = pytest.approx(levels.tolist())
    for result in (found, found.pair_table()):
        result.save(tmp_path / "pairs.csv")
        assert pl.read_csv(tmp_path / "pairs.csv")["level"].to_list() == expected == result.to_polars()["level"].to_list()
    assert json.loads(found.to_json())["pairs"][0]["level"] == json.loads(found.pair_table().to_json())["level"][0] == pytest.approx(levels[0])
    assert {"98.33 %", "97.5 %", "95 %"} <= set(re.findall(r"[0-9.]+ %", found.pair_table().to_markdown()))


def test_turned_pairs_have_the_numbers_of_exchanged_systems():
    random = np.random.default_rng(2)
    a, b = (dict(enumerate(random.exponential(size=30).tolist())) for _ in range(2))
    for test in ("t", "wilcoxon", "bootstrap"):
        pair = compare({"a": a, "b": b}, test=test).rows[0]
        other = compare({"b": b, "a": a}, test=test).rows[0]
        for name, value in vars(pair.turned()).items():
            assert vars(other)[name] == (pytest.approx(value) if isinstance(value, float) else value), name
        assert pair.skewness == pytest.approx(float(stats.skew(np.subtract([*b.values()], [*a.values()])))) != 0


@pytest.mark.parametrize(("measures", "options", "said"), [
    ("nDCG@10", {}, ["nDCG@10 (gain g; discount 1/log2(i + 1); ideal ranking cut at k; ideal ranking of all judged documents; cutoff 10)",
                     "each pair on 36 queries", "ties by document id, descending", "a missing query scores 0", "unjudged documents count as not relevant",
                     "its two-sided p < 0.05 by paired t; one pair for the measure, no correction needed", f"irmetrics_nb {__version__}."]),
    ("nDCG(gain='exp',discount='jarvelin',b=3)", {}, ["gain 2^g − 1; discount of Järvelin and Kekäläinen; b = 3; ideal ranking of all judged documents; no cutoff"]),
    ("AP(rel=2)@100 RR", {"missing": "skip"}, ["relevant from grade 2 on", "cutoff 100", "RR (relevant from grade 1 on; no cutoff)", "a missing query is left out"]),
    ("RBP(p=0.8)", {"conventions": "trec_eval"}, ["p = 0.8", "those of trec_eval"]),
    ("P@5", {"unjudged": "skip"}, ["unjudged documents are removed"]),
])  # fmt: skip
def test_method_sentence_describes_the_computation(measures, options, said):
    found = compare(EXAMPLE.qrels, TWO, measures, **options)
    text = found.method_sentence()
    for part in said: assert part in text, (part, text)
    assert ("count as not relevant" in text) is (options.get("unjudged") != "skip") and "Judged" not in text
    comment = found.to_latex().splitlines()[0]
    assert comment.startswith("% Systems are compared by") and "^" not in comment.replace(r"\textasciicircum", "")
    assert comment.count("{") == comment.count("}") and not re.search(r"(?<!\\)[_&#]", comment[1:])


@pytest.mark.parametrize(("options", "said"), [
    ({}, ["Confidence intervals of the mean difference by t: each at the level of its test after the correction, 95 % to 98.33 %."]),
    ({"correction": "bonferroni"}, ["by t: 98.33 %."]), ({"correction": "none", "margin": 0.02}, ["by t: 95 %; for the margin 90 %."]),
    ({"interval": "bca", "seed": 3}, ["by bootstrap BCa: each at the level", "98.33 %, 9,999 resamples, seed 3."]),
    ({"test": "bootstrap", "draws": 500, "interval": "studentized"}, [
        "by the studentized bootstrap", "Draws of the test: 500; seed 0 (resamples of the queries).", ", 500 resamples, seed 0."]),
    ({"test": "randomization", "draws": 700}, ["Draws of the test: 700; seed 0 (random choices of signs; all choices, if these are fewer). Confidence"]),
    ({"test": "tukey", "draws": 800}, ["Draws of the test: 800; seed 0 (random shuffles within each query; all shuffles", "by Tukey: 95 %."]),
    ({"test": "wilcoxon"}, ["by Wilcoxon's signed ranks (exact); 3 pairs", "Differences of 0 are left out, equal ones get the mean of their ranks."]),
    ({"test": "sign"}, ["Differences of 0 are left out. Confidence"]),
])  # fmt: skip
def test_a_reviewer_can_repeat_the_test_and_the_intervals(options, said):
    text = compare(EXAMPLE.qrels, {name: EXAMPLE.runs[name] for name in ("bm25", "title", "tfidf")}, "AP", **options).method_sentence()
    for part in said: assert part in text, (part, text)
    assert ("resamples," in text) is (options.get("interval") in ("bca", "studentized"))


def test_bounds_for_a_margin_have_the_resamples_of_the_sentence():
    values = {"a": dict.fromkeys(range(20), 0.0), "b": {i: ((i * 7) % 20 - 8) / 20 for i in range(20)}}
    found = compare(values, test="bootstrap", interval="studentized", draws=300, margin=0.1, seed=4)
    expected = studentized_interval(differences([*values["a"].values()], [*values["b"].values()]), level=0.9, symmetric=False, resamples=300, seed=4)
    assert "300 resamples, seed 4" in found.method_sentence()
    assert (found.rows[0].lower_bound, found.rows[0].upper_bound) == pytest.approx(expected)


@pytest.mark.parametrize(("conventions", "measure", "said"), [
    ("gdeval", "nDCG@10", "nDCG(gain='exp')@10 (gain 2^g − 1;"), ("sklearn", "AP", "documents with equal scores count as one group; no cutoff)"),
    ("trec_eval", "IPrec@0.1", "recall x is reached with xR + 0.9 relevant documents, rounded down"), ("gdeval", "ERR@20", "(largest grade 4; a stop at rank i"),
    (None, "ERR@20", "(largest grade 3; a stop at rank i is worth 1/i; a document satisfies with probability (2^g − 1)/2^m"),
])  # fmt: skip
def test_the_method_has_the_parameters_that_conventions_set(conventions, measure, said):
    assert said in compare(EXAMPLE.qrels, TWO, measure, conventions=conventions).method_sentence()


def test_every_parameter_of_a_measure_is_in_english():
    words = {"P": "divided by the number of documents retrieved; relevant from grade 1 on; no cutoff", "P@5": "divided by k; relevant from grade 1 on; cutoff 5",
             "AP": "relevant from grade 1 on; divided by the number of relevant documents; no cutoff", "RBP": "p = 0.8; gain 1 for relevant documents; relevant from grade 1 on; no cutoff",
             "RBP(gain='exp',rel=2)": "p = 0.8; gain 2^g − 1; no cutoff", "AP(divisor='min(R,k)')@10": "divided by the number of relevant documents, at most k; cutoff 10"}
    for name, text in words.items(): assert text in measure_text(parse(name))
    names = "P SetP R SetR Rprec F SetF Success AP IPrec@0.5 Bpref CG DCG nDCG nDCG@5 RR ERR RBP".split()
    described = " ".join(measure_text(parse(name)) for name in names)
    assert not re.search(r"divisor|tied|levels|phi|max_grade|ideal_from|cut_ideal|judged_only|'", described), described


def test_the_method_of_loaded_scores_does_not_contradict_itself(tmp_path):
    scores = evaluate(EXAMPLE.qrels, TWO, "AP nDCG(judged_only=True)@10")
    for name in ("scores.json", "scores.csv"): scores.save(tmp_path / name)
    assert compare(Scores.load(tmp_path / "scores.json")).method_sentence() == compare(scores).method_sentence()
    text = compare(Scores.load(tmp_path / "scores.csv")).method_sentence()
    assert text.count("unjudged documents removed") == 1 and "count as not relevant" not in text
    assert "Conventions: not known (the values come from a file)." in text
    known = compare(EXAMPLE.qrels, TWO, "AP nDCG(judged_only=True)@10").method_sentence()
    assert "unjudged documents count as not relevant, unless they are removed." in known
    only = compare(EXAMPLE.qrels, TWO, "nDCG(judged_only=True)@10").method_sentence()
    assert "unjudged documents removed" in only and "count as not relevant" not in only


def test_the_sentence_on_the_method_names_test_correction_draws_and_alpha():
    text = compare(EXAMPLE.qrels, EXAMPLE.runs, "AP", test="randomization", correction="bonferroni", alpha=0.01, seed=4).method_sentence()
    assert "p < 0.01 by Fisher's randomization; 15 pairs for the measure, corrected by Bonferroni" in text and "100,000; seed 4" in text
    numbers = compare({"a": {"x": 1, "y": 2, "z": 4}, "b": {"x": 2, "y": 5, "w": 1}}, measures="seconds").method_sentence()
    assert "compared by seconds; each pair on 2 queries. A difference" in numbers and "Conventions" not in numbers
