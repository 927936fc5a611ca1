"""Comparisons in which each query has a weight, such as its traffic, and results as tables of data"""
import json
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from helpers import irmetrics
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from irmetrics_nb import Comparison, Gate, Scores, compare, evaluate, gate, verify

IDS = [f"q{i:02}" for i in range(12)]
DIFFERENCES = [4, 0, 2, -1, 3, 5, 0, 1, -2, 4, 2, 6]  # in eighths
WEIGHTS = dict(zip(IDS, [2] * 6 + [1] * 6))
VALUES = {"old": dict.fromkeys(IDS, 0.125), "new": {q: 0.125 + d / 8 for q, d in zip(IDS, DIFFERENCES)}}


def by_hand(differences, weights):
    "The mean, the squared error and the effective number of queries, in fractions."
    total, squares = sum(weights), sum(w * w for w in weights)
    n = Fraction(total**2, squares)
    mean = sum(w * d for w, d in zip(weights, differences)) / Fraction(total)
    return mean, sum(w * w * (d - mean) ** 2 for w, d in zip(weights, differences)) / total**2 * n / (n - 1), n


def test_the_weighted_t_test_agrees_with_fractions():
    mean, square, n = by_hand([Fraction(d, 8) for d in DIFFERENCES], [*WEIGHTS.values()])
    assert (mean, n) == (Fraction(2 * 13 + 11, 18 * 8), Fraction(18**2, 30))
    error = float(square) ** 0.5
    [pair] = compare(VALUES, weights=WEIGHTS).rows
    assert pair.difference == pytest.approx(float(mean), abs=1e-12)
    assert (pair.effective, pair.weight, pair.queries) == (10.8, 18, 12)
    assert pair.p == pytest.approx(2 * stats.t.sf(float(mean) / error, 9.8), abs=1e-12)
    ends = stats.t.interval(0.95, 9.8, float(mean), error)
    assert (pair.low, pair.high) == pytest.approx(ends, abs=1e-9)
    assert pair.lower_bound == pytest.approx(stats.t.interval(0.9, 9.8, float(mean), error)[0], abs=1e-9)
    assert pair.effect == pytest.approx(float(mean) / (error * 10.8**0.5), abs=1e-9)
    assert pair.effect_interval[0] < pair.effect < pair.effect_interval[1]


rows = st.lists(st.tuples(st.integers(-8, 8), st.integers(0, 9), st.booleans()), min_size=12, max_size=30)


@given(rows)
def test_every_pair_agrees_with_the_formula_on_its_own_queries(rows):
    new = {f"q{i}": d / 8 for i, (d, _, lacks) in enumerate(rows) if not lacks}
    kept = [(Fraction(d, 8), w) for d, w, lacks in rows if w and not lacks]
    assume(len({d for d, _ in kept}) > 1)
    mean, square, n = by_hand(*zip(*kept))
    weights = {f"q{i}": w for i, (_, w, _) in enumerate(rows)}
    [pair] = compare({"old": dict.fromkeys(weights, 0), "new": new}, weights=weights).rows
    assert pair.queries == len(kept) and pair.effective == pytest.approx(float(n), abs=1e-9)
    assert pair.difference == pytest.approx(float(mean), abs=1e-9)
    if n < 10 and len({w for _, w in kept}) > 1: assert np.isnan([pair.p, pair.low, pair.high, pair.lower_bound]).all()
    elif len(kept) >= 3:
        p = 2 * stats.t.sf(abs(float(mean)) / float(square) ** 0.5, float(n) - 1)
        assert pair.p == pytest.approx(p, abs=1e-9)


def test_equal_weights_give_what_no_weights_give():
    plain, weighted = compare(VALUES), compare(VALUES, weights=dict.fromkeys(IDS, 7))
    assert plain.to_dict()["sentences"] == weighted.to_dict()["sentences"]
    for name in ("p", "low", "high", "mean_a", "mean_b", "detectable", "effect"):
        assert getattr(plain.rows[0], name) == pytest.approx(getattr(weighted.rows[0], name), abs=1e-12)
    assert plain.rows[0].effective == plain.rows[0].weight == 12


@pytest.mark.parametrize("weight", [0.1, 0.3, 1e-30, 1e30, 7])
@pytest.mark.parametrize("n", [3, 5, 9, 12])
def test_equal_weights_of_any_size_are_no_reason_to_refuse(weight, n):
    values = {system: dict([*of.items()][:n]) for system, of in VALUES.items()}
    comparison = compare(values, weights=dict.fromkeys(IDS, weight))
    assert comparison.rows[0].p == pytest.approx(compare(values).rows[0].p, abs=1e-12) and "weights" not in str(comparison)


def test_weights_are_a_dict_a_series_a_table_or_a_file(tmp_path):
    table = pl.DataFrame({"query_id": [*WEIGHTS], "weight": [*WEIGHTS.values()]})
    table.write_csv(tmp_path / "w.csv")
    p = {compare(VALUES, weights=source).rows[0].p for source in (WEIGHTS, table.to_pandas().set_index("query_id").weight, table, tmp_path / "w.csv")}
    assert len(p) == 1


def test_a_query_with_the_weight_0_does_not_count():
    less = {system: {q: x for q, x in values.items() if q != "q00"} for system, values in VALUES.items()}
    values = {"old": VALUES["old"], "new": {**VALUES["new"], "q00": 1e9}}
    many = {q: w + 5 for q, w in WEIGHTS.items()} | {"q00": 0}
    [pair] = compare(values, weights=many).rows
    assert pair == compare(less, weights=many).rows[0]


@pytest.mark.parametrize("options", [{"test": "wilcoxon"}, {"test": "tukey"}, {"test": "bootstrap"}, {"interval": "bca"}, {"test": lambda d: 0.5}])
def test_other_tests_and_intervals_refuse_weights(options):
    with pytest.raises(ValueError, match="weights: only the t-test and the t interval have weights"): compare(VALUES, weights=WEIGHTS, **options)


def test_fewer_than_ten_effective_queries_give_no_verdict():
    heavy = WEIGHTS | {"q00": 10}
    comparison = compare(VALUES, weights=heavy, baseline="old", margin=0.5)
    assert comparison.rows[0].effective == pytest.approx(26**2 / 126)
    assert "because there are too few queries with weights, effectively 5.365 queries" in comparison.sentences()[0]
    assert any("only 12 queries with weights, effectively 5.365" in text for text in comparison.warnings)
    assert not gate(comparison, margin=0.5).ok and gate(comparison, margin=0.5, allow_unknown=True).ok
    grouped = compare(VALUES, weights=WEIGHTS, groups={q: q > "q05" for q in IDS})  # in a slice, all weights are equal
    assert [np.isnan(pair.p) for pair in grouped.rows] == [False, False, False]


def test_all_texts_say_that_the_queries_have_weights():
    comparison = compare(VALUES, weights=WEIGHTS, baseline="old")
    words = "with weights, effectively 10.8 queries"
    assert f"12 queries {words}; better on 8, worse on 2" in comparison.sentences()[0]
    assert f"p < 0.05 by paired t {words}" in comparison.method_sentence()
    assert words in str(comparison) and words in comparison.to_latex() and words in comparison.to_dict()["family"]
    assert words in str(gate(comparison, max_drop=0)) and words not in str(compare(VALUES))
    assert json.loads(comparison.to_json())["pairs"][0]["effective"] == 10.8


def test_means_and_floors_have_weights_and_decide_the_order():
    values = {"a": dict(zip(IDS, [1.0] + [0] * 11)), "b": dict(zip(IDS, [0, 1.0, 1.0] + [0] * 9))}
    weights = {q: 1 + 5 * (q == "q00") for q in IDS}  # 6 of 17
    comparison = compare(values, weights=weights)
    assert comparison.table().rows() == [("all", "a", "value", pytest.approx(6 / 17), "", None), ("all", "b", "value", pytest.approx(2 / 17), "", None)]
    with_baseline = compare({name.replace("a", "old"): x for name, x in values.items()}, measures="AP", weights=weights, baseline="old")
    [verdict] = [v for v in gate(with_baseline, floors=["AP=0.12"]).verdicts if v.check == "floor"]
    assert verdict.text == "AP of b: 0.1176, at least 0.12" and not verdict.passed


def test_what_slices_contribute_adds_up_with_weights():
    comparison = compare(VALUES, weights=WEIGHTS, groups={q: "late" if q > "q05" else "early" for q in IDS})
    total, early, late = comparison.rows
    assert (early.weight, late.weight) == (12, 6)
    assert (early.difference * 12 + late.difference * 6) / 18 == pytest.approx(total.difference, abs=1e-12)
    assert "of 0.257, early contributes 0.181, late contributes 0.076" in str(comparison)  # 26 and 11 of 144


def saved(tmp_path, name="c.json"):
    (tmp_path / "q.txt").write_text("".join(f"{q} 0 d 1\n" for q in IDS))
    for run in ("old", "new"):
        ranks = {q: 1 + (i * (3 + (run == "new")) % 7) for i, q in enumerate(IDS)}
        (tmp_path / run).write_text("".join(f"{q} Q0 {'d' if i == ranks[q] else f'x{i}'} {i} {-i} t\n" for q in IDS for i in range(1, 9)))
    (tmp_path / "w.csv").write_text("query_id,weight\n" + "".join(f"{q},{w}\n" for q, w in WEIGHTS.items()))
    runs = {run: tmp_path / run for run in ("old", "new")}
    comparison = compare(tmp_path / "q.txt", runs, "RR", weights=tmp_path / "w.csv", baseline="old")
    comparison.save(tmp_path / name)
    return comparison, runs


def test_a_saved_weighted_comparison_is_restored_and_verified(tmp_path):
    comparison, _ = saved(tmp_path)
    loaded = Comparison.load(tmp_path / "c.json")
    assert loaded.sample.weights.tolist() == [*WEIGHTS.values()] and loaded.rows == comparison.rows
    found = verify(tmp_path / "c.json")
    assert found.ok and {check.subject: check.outcome for check in found.rows}["values of queries"] == "equal"
    gate(comparison, floors=["RR=0.1"], margin=0.5).save(tmp_path / "g.json")
    assert verify(tmp_path / "g.json").ok and Gate.load(tmp_path / "g.json").comparison.rows == comparison.rows
    text = (tmp_path / "c.json").read_text()
    weights = json.dumps([*map(float, WEIGHTS.values())])
    assert weights in text
    (tmp_path / "c.json").write_text(text.replace(weights, weights.replace("2.0", "3.0", 1)))
    outcomes = {check.subject: check.outcome for check in verify(tmp_path / "c.json").rows}
    assert outcomes["record"] == outcomes["statistics"] == "differs"


def test_the_command_takes_a_file_of_weights(tmp_path):
    comparison, _ = saved(tmp_path)
    files = [str(tmp_path / name) for name in ("q.txt", "old", "new")]
    result = irmetrics("compare", *files, "-m", "RR", "--weights", str(tmp_path / "w.csv"), "--format", "json")
    assert result.returncode == 0 and json.loads(result.stdout)["pairs"][0]["p"] == comparison.rows[0].p
    refused = irmetrics("compare", *files, "-m", "RR", "--weights", str(tmp_path / "w.csv"), "--test", "sign")
    assert refused.returncode == 1 and "only the t-test and the t interval have weights" in refused.stderr


# ---- results as tables ----


def test_a_comparison_as_a_table_has_means_marks_and_p():
    noise = np.random.default_rng(1).normal(0, 0.05, (3, 40))
    values = {name: {f"q{i}": 0.5 + shift + x for i, x in enumerate(row)} for name, shift, row in zip("abc", (0, 0.2, -0.2), noise)}
    comparison = compare(values)
    assert [row[1:3] + row[4:] for row in comparison.table().rows()] == [("b", "value", "bc", None), ("a", "value", "c", None), ("c", "value", "", None)]
    against = compare(values, baseline="a", groups={f"q{i}": "odd" if i % 2 else "even" for i in range(40)})
    table = against.table()
    assert table.columns == "slice system measure mean mark p".split() and table["slice"].unique(maintain_order=True).to_list() == ["all", "even", "odd"]
    for row in table.rows(named=True):
        if row["system"] == "a": assert row["p"] is None and row["mark"] == ""
        else:
            pair = against.pair("a", row["system"], slice=row["slice"])
            assert (row["p"], row["mean"]) == (pair.p_adjusted, pytest.approx(pair.mean_b)) and row["mark"] == {"b": "▲", "c": "▼"}[row["system"]]


def test_more_than_ten_systems_have_tiers_in_the_table():
    values = {f"s{i:02}": {f"q{j}": (i >= 6) + ((i + j) % 5) / 100 for j in range(30)} for i in range(12)}
    marks = compare(values).table()["mark"].to_list()
    assert marks == ["1"] * 6 + ["2"] * 6


QRELS = {"q1": {"d": 1}, "q2": {"d": 1}, "q3": {"d": 1}}
RUN = {"q1": ["d"], "q2": ["x", "d"], "q3": ["x", "y"]}


def test_the_summary_has_a_row_for_each_slice():
    scores = evaluate(QRELS, {"one": RUN}, "RR", groups={"q1": "app", "q2": "app"})
    assert scores.summary(by="slice").select("slice", "run", "measure", "mean", "queries").rows() == [("app", "one", "RR", 0.75, 2)]
    two = evaluate(QRELS, {"one": RUN, "two": {"q1": ["x", "d"]}}, "RR P@1", groups={"q1": {"device": "app", "lang": "de"}, "q2": {"device": "web", "lang": "de"}})
    table = two.summary(by="slice")
    assert table["slice"].unique(maintain_order=True).to_list() == ["device=app", "device=web", "lang=de"]
    assert table.filter(slice="lang=de", run="one", measure="RR")["mean"].to_list() == [0.75] and len(table) == 3 * 2 * 2
    with pytest.raises(ValueError, match="by must be 'slice', not 'run'"): scores.summary(by="run")
    with pytest.raises(ValueError, match="by must be"): evaluate(QRELS, RUN, "RR").summary(by="slice")


def test_a_csv_file_has_the_groups(tmp_path):
    scores = evaluate(QRELS, {"one": RUN}, "RR", groups={"q1": "app", "q2": "web, or: \"quoted\""})
    scores.save(tmp_path / "s.csv")
    assert (tmp_path / "s.csv").read_text().splitlines() == [
        "run,query_id,group,RR", "one,q1,app,1.0", 'one,q2,"web, or: ""quoted""",0.5', 'one,q3,"",0.0']
    assert Scores.load(tmp_path / "s.csv").means == scores.run("one").means
    assert scores.to_polars()["group"].to_list() == ["app", 'web, or: "quoted"', ""]
    assert "group" not in evaluate(QRELS, RUN, "RR").to_polars().columns


def test_every_interval_has_its_level(tmp_path):
    comparison = compare({"a": VALUES["old"], "b": VALUES["new"], "c": VALUES["new"]}, baseline="a")
    comparison.save(tmp_path / "c.csv")
    for frame in (comparison.to_polars(), comparison.pair_table().to_polars(), pl.read_csv(tmp_path / "c.csv")):
        assert frame["level"].to_list() == [0.975, 0.95] or frame["level"].to_list() == [0.975, 0.975]
    assert all({"low", "high", "level"} <= {*pair} for pair in comparison.to_dict()["pairs"])


def test_markdown_of_a_gate_shows_failures_and_folds_the_rest():
    values = {"old": VALUES["new"], "x": VALUES["old"], "y": VALUES["new"]}
    found = gate(compare(values, measures="AP", baseline="old"), max_drop=0)
    text = found.to_markdown()
    shown, folded = text.split("<details><summary>Checks that passed, and detectable drops</summary>")
    assert shown.startswith("**Gate: FAILED: 1 of 2 checks**\n\n- **FAILED**: AP of x") and "passed**" not in shown
    assert "\n\n- **passed**: AP of y" in folded and "Minimum detectable drop" in folded and folded.endswith("\n\n</details>")
    assert "details" not in str(found) + found.to_html() + found.to_latex()
    passed = gate(compare(values, measures="AP", baseline="old"), max_drop=1).to_markdown()
    assert passed.startswith("**Gate: passed**\n\n<details>")


@pytest.mark.parametrize("scale", [1e300, 1e-300, 5e-324 * 2**40])
def test_the_unit_of_the_weights_does_not_matter(scale):
    first = {f"q{i}": i % 5 / 4 for i in range(30)}
    second = {q: min(x + (i % 3) / 8, 1) for i, (q, x) in enumerate(first.items())}
    weights = {q: float(1 + i % 4) for i, q in enumerate(first)}
    one, other = (compare({"a": first, "b": second}, weights={q: w * unit for q, w in weights.items()}).rows[0] for unit in (1, scale))
    for name in ("mean_a", "mean_b", "difference", "low", "high", "p", "effect", "effective"):
        assert getattr(other, name) == pytest.approx(getattr(one, name), rel=1e-12), name
