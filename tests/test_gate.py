"The gate: what fails, what passes, and what it says; as a function and on the command line, in every format."
import gzip
import json
import os
import re
import warnings
from fractions import Fraction
from inspect import signature
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from helpers import irmetrics, terminal
from scipy import stats

from irmetrics_nb import AP, RR, DataError, Scores, assert_no_drop, check, compare, evaluate, load_example, report
from irmetrics_nb.comparing.gate import Floor, check_floors, gate, missed_floors, parse_floor

ROOT = Path(__file__).parents[1]
EXAMPLE = load_example()
GROUPS = {q: "even" if int(q[1:]) % 2 == 0 else "odd" for q in EXAMPLE.qrels.queries}


def values(shift, n=40, seed=0):
    "A baseline and a change that is `shift` away from it, with scatter."
    random = np.random.default_rng(seed)
    a = random.uniform(0.3, 0.7, n)
    b = a + shift + random.normal(0, 0.02, n)
    return {name: {f"q{i}": x for i, x in enumerate(row.tolist())} for name, row in {"main": a, "new": b}.items()}


def closed(shift, **options):
    return gate(compare(values(shift), measures="AP", baseline="main"), **options)


@pytest.mark.parametrize(("shift", "options", "ok"), [
    (-0.05, {"max_drop": 0.01}, False), (-0.05, {"max_drop": 0.2}, True), (-0.05, {"fail_if_worse": ["AP"]}, False),
    (0.05, {"max_drop": 0}, True), (0.0, {"max_drop": 0}, True), (-0.05, {"floors": ["AP=0.4"]}, True),
    (0.05, {"floors": ["AP=0.9"]}, False), (0.0, {"floors": [Floor("AP", 0.4)]}, True)])  # fmt: skip
def test_the_gate_closes_for_a_drop_that_is_large_and_significant_or_for_a_missed_floor(shift, options, ok):
    assert closed(shift, **options).ok is ok


def test_large_drop_that_is_not_significant_passes_with_a_note():
    noisy = {"main": dict(zip("12345678", (0.1, 0.9, 0.5, 0.3, 0.8, 0.4, 0.6, 0.2)))}
    noisy["new"] = dict(zip("12345678", (0.6, 0.1, 0.5, 0.1, 0.2, 0.9, 0.3, 0.1)))
    found = gate(compare(noisy, measures="AP", baseline="main"), max_drop=0.01)
    assert found.ok and ": the drop is more than 0.01, but not significant" in str(found)
    any_drop = gate(compare(noisy, measures="AP", baseline="main"), max_drop=0.01, require="any")
    assert not any_drop.ok and ": the drop is more than 0.01, but not significant; any such drop fails" in str(any_drop)


def test_the_p_value_that_counts_is_the_adjusted_one():
    three = values(-0.011, n=30)
    three |= {f"other{i}": values(0, n=30, seed=i)["main"] for i in range(1, 9)}
    comparison = compare(three, measures="AP", baseline="main")
    pair = comparison.pair("main", "new")
    alpha = (pair.p + pair.p_adjusted) / 2
    assert pair.p < alpha < pair.p_adjusted
    assert "new" not in {v.system for v in gate(compare(three, measures="AP", baseline="main", alpha=alpha), max_drop=0).failures}
    raw = compare(three, measures="AP", baseline="main", alpha=alpha, correction="none")
    assert "new" in {v.system for v in gate(raw, max_drop=0).failures}


def test_the_smallest_drop_that_could_have_been_seen_is_always_there():
    for found in (closed(0, max_drop=0), closed(-0.05, max_drop=0.01), closed(0, floors=["AP=0.9"])):
        assert re.search(r"Minimum detectable drop of new .*: AP 0\.\d+ with 40 queries", str(found))
        assert "Minimum detectable drop" in found.to_markdown() and "Minimum detectable drop" in found.to_junit() and found.to_dict()["could"]


def test_the_queries_that_lost_most_are_named_worst_first_and_few():
    data = values(-0.05)
    data["new"]["q7"], data["new"]["q3"] = 0.0, 0.05
    [failure] = gate(compare(data, measures="AP", baseline="main"), max_drop=0.01).failures
    losses = [after - before for _, before, after in failure.queries]
    assert len(losses) == 5 and losses == sorted(losses) and {"q7", "q3"} <= {q for q, *_ in failure.queries}


def test_a_comment_has_a_few_lines():
    text = closed(-0.05, max_drop=0.01, floors=["AP=0.9"]).to_markdown()
    assert text.startswith("**Gate: FAILED: 2 of 2 checks**") and len(text.splitlines()) <= 10
    assert text.count("**FAILED**") == 2 and "`lost most: q" in text


def test_floors_of_slices_apply_to_each_slice():
    data = values(0)
    groups = {q: "low" if int(q[1:]) < 20 else "high" for q in data["main"]}
    for q in [q for q, g in groups.items() if g == "low"]:
        data["new"][q] /= 4
    comparison = compare(data, measures="AP", baseline="main", groups=groups)
    found = gate(comparison, floors=["*:AP=0.3", "high:AP=0.4", "AP=0.2"])
    assert [(v.slice, v.passed) for v in found.verdicts] == [("high", True), ("low", False), ("high", True), ("all", True)]
    with pytest.raises(ValueError, match="no slice 'middle'; available: high, low"):
        gate(comparison, floors=["middle:AP=0.3"])


# ---- slices count in every check ----


def sliced(shift_in_slice, n=200, few=30, **options):
    "A change that gains a little, but loses in a slice of `few` queries."
    data = values(0.01, n=n)
    groups = {q: "few" if int(q[1:]) < few else "many" for q in data["main"]}
    data["new"] = {q: x + (shift_in_slice if groups[q] == "few" else 0) for q, x in data["new"].items()}
    return gate(compare(data, measures="AP", baseline="main", groups=groups), **options)


@pytest.mark.parametrize(("options", "failed"), [
    ({"max_drop": 0.1}, [("drop", "few")]), ({"fail_if_worse": ["AP"]}, [("drop", "all"), ("drop", "few")]),
    ({"margin": 0.1}, [("margin", "few")]), ({"max_drop": 0.5}, [])])  # fmt: skip
def test_a_drop_in_one_slice_closes_the_gate_whatever_the_whole_does(options, failed):
    found = sliced(-0.289, **options)
    assert [(v.check, v.slice) for v in found.failures] == failed and found.ok is (not failed)
    assert {v.slice for v in found.verdicts} == {"all", "few", "many"}
    if failed:
        assert f"AP of new in {failed[-1][1]}" in str(found) and f'name="{failed[-1][0]}: AP in few"' in found.to_junit()
        lost = next(v for v in found.failures if v.slice == "few").queries
        assert lost and all(int(q[1:]) < 30 for q, *_ in lost)


def test_the_p_value_that_counts_in_a_slice_is_corrected_for_all_slices():
    data = values(0, n=100, seed=5)
    groups = {q: f"s{int(q[1:]) % 10}" for q in data["main"]}
    comparison = compare(data, measures="AP", baseline="main", groups=groups)
    worst = min((p for p in comparison.rows if p.slice != "all" and p.difference < 0), key=lambda p: p.p)
    alpha = (worst.p + worst.p_adjusted) / 2
    strict, raw = (compare(data, measures="AP", baseline="main", groups=groups, alpha=alpha, correction=c) for c in (None, "none"))
    assert worst.slice not in {v.slice for v in gate(strict, max_drop=0).failures}
    assert worst.slice in {v.slice for v in gate(raw, max_drop=0).failures}


def test_a_check_without_a_verdict_fails_if_the_observed_drop_exceeds_the_limit_and_passes_otherwise():
    data = values(0.05, n=60)
    groups = {q: "two" if q in ("q1", "q2") else "rest" for q in data["main"]}
    data["new"] |= {q: data["main"][q] - 0.3 for q in ("q1", "q2")}
    comparison = compare(data, measures="AP", baseline="main", groups=groups)
    small, large = gate(comparison, max_drop=0.01), gate(comparison, max_drop=0.31)
    assert [(v.slice, v.unknown) for v in small.failures] == [("two", True)]
    assert "2 queries): too few queries for a verdict; the observed drop is more than 0.01" in str(small)
    assert large.ok and "too few queries for a verdict; the observed drop is not more than 0.31" in str(large)
    margin = gate(comparison, margin=0.01)
    assert [v.slice for v in margin.failures] == ["two"] and "2 queries): no verdict is possible, so the check fails" in str(margin)


def test_the_first_line_counts_checks_without_a_verdict_and_they_can_be_allowed():
    judged = {q: {"a": 1} for q in "abcdefgh"}
    good, groups = dict.fromkeys(judged, ["a"]), dict.fromkeys("abcdef", "many") | {"g": "two", "h": "two"}
    bad = good | {"g": ["x"], "h": ["x"]}
    comparison = compare(judged, {"main": good, "new": bad}, "RR", baseline="main", groups=groups)
    for option in ({"max_drop": 0.3}, {"margin": 0.6}):
        found, allowed = gate(comparison, **option), gate(comparison, allow_unknown=True, **option)
        assert str(found).startswith("Gate: FAILED: 1 of 3 checks, 1 without a verdict\n"), str(found)
        assert str(allowed).startswith("Gate: passed, 1 without a verdict\n") and "but allow_unknown lets the check pass" in str(allowed)
        assert [v["unknown"] for v in found.to_dict()["verdicts"]].count(True) == 1
    assert str(gate(comparison, floors=["RR=0.5"])).startswith("Gate: passed\n")


# ---- limits: a number or a percentage, for significant drops or for any ----


def constant(before, after, n=40):
    return compare({"main": dict.fromkeys(map(str, range(n)), before), "new": dict.fromkeys(map(str, range(n)), after)}, measures="AP", baseline="main")


@pytest.mark.parametrize(("before", "after", "limit"), [
    ("0.5", "0.495", "1%"), ("0.3", "0.29", "0.01"), ("0.07", "0.063", "10%"), ("0.9", "0.6", "33.3333333333%"), ("0.4", "0", "100%"), ("-0.5", "-0.55", "10 %")])
def test_a_drop_of_exactly_the_limit_passes_and_a_larger_one_fails(before, after, limit):
    percent = limit.endswith("%")
    share = Fraction(limit.rstrip("% ")) / 100 * abs(Fraction(before)) if percent else Fraction(limit)
    assert abs(Fraction(before) - Fraction(after) - share) < Fraction(1, 10**9)
    for more, ok in ((0, True), (1e-7, False)):
        found = gate(constant(float(before), float(after) - more), max_drop=limit, require="any")
        assert found.ok is ok, found
        assert f": the drop is {'not ' * ok}more than {limit.rstrip('% ') if not percent else ''}" in str(found)


def test_a_percentage_is_of_the_mean_of_the_baseline_over_the_queries_of_the_pair():
    main = dict(zip("abcdefgh", (0.8, 0.6, 0.4, 0.2, 0.3, 0.5, 0.7, 0.1)))
    groups = dict.fromkeys("abcd", "first") | dict.fromkeys("efgh", "second")
    new = {q: x - (0.024 if q in "abcd" else 0.02) for q, x in main.items()}  # of means of 0.5, 0.4 and together 0.45
    comparison = compare({"main": main, "new": new}, measures="AP", baseline="main", groups=groups)
    exact = {name: sum(Fraction(str(main[q])) for q in qs) / len(qs) for name, qs in (("all", "abcdefgh"), ("first", "abcd"), ("second", "efgh"))}
    assert exact == {"all": Fraction(9, 20), "first": Fraction(1, 2), "second": Fraction(2, 5)}
    drops = {"all": Fraction(22, 1000), "first": Fraction(24, 1000), "second": Fraction(20, 1000)}
    for percent in ("4.7", "4.85", "4.95", "5.1"):
        failed = {name for name in exact if drops[name] > Fraction(percent) / 100 * exact[name]}
        assert {v.slice for v in gate(comparison, max_drop=f"{percent}%", require="any").failures} == failed
    assert "the drop is more than 4 % of 0.4500 = 0.018" in str(gate(comparison, max_drop="4%", require="any"))


def test_a_percentage_of_a_mean_of_zero_allows_no_drop():
    assert gate(quiet(["b"], ["b"]), max_drop="1%").ok and gate(quiet(["b"], ["b", "a"]), max_drop="1%").ok
    assert gate(constant(0.0, 0.0), max_drop="1%").ok and not gate(constant(0.0, -0.1), max_drop="50%", require="any").ok
    assert "more than 50 % of 0.0000 = 0" in str(gate(constant(0.0, -0.1), max_drop="50%", require="any"))


def test_any_drop_needs_no_p_value_and_fails_with_two_queries_a_constant_drop_or_chance():
    two = {"main": {"1": 0.5, "2": 0.4}, "new": {"1": 0.4, "2": 0.4}}
    four = {"main": dict(zip("1234", (0.5, 0.4, 0.6, 0.3))), "new": dict(zip("1234", (0.6, 0.2, 0.65, 0.2)))}
    for comparison in (compare(two, baseline="main"), constant(0.5, 0.45), compare(four, baseline="main")):
        [checked] = gate(comparison, max_drop=0, require="any").verdicts
        assert (checked.passed, checked.unknown) == (False, False)
        assert gate(comparison, max_drop="30%", require="any", allow_unknown=True).ok
        assert not gate(comparison, max_drop=0, require="any", allow_unknown=True).ok
    nothing = compare({"main": {"1": 0.5}, "new": {"2": 0.5}}, measures="AP", baseline="main")
    verdict = gate(nothing, max_drop=0, require="any", min_coverage=0).verdicts[0]
    assert (verdict.passed, verdict.unknown) == (False, True) and "no difference was observed" in verdict.text


def test_significant_drops_fail_at_most_at_the_level_of_the_test_and_any_drop_in_half_of_all_cases_without_a_change():
    random, failed, n = np.random.default_rng(5), np.zeros(2), 400
    for _ in range(n):
        a, b = random.beta(0.5, 1, (2, 30))
        comparison = compare({name: dict(zip(map(str, range(30)), row.tolist())) for name, row in (("main", a), ("new", b))}, baseline="main")
        failed += [not gate(comparison, max_drop=0, require=require).ok for require in ("significant", "any")]
    assert failed[0] / n < 0.025 + 3.3 * np.sqrt(0.025 * 0.975 / n) and abs(failed[1] / n - 0.5) < 3.3 * np.sqrt(0.25 / n)


@pytest.mark.parametrize("limit", [-0.1, "-1%", "%", "", "one", "1%%", "1 percent", float("nan"), "nan%", "1,5%", "inf%", float("inf")])
def test_invalid_limit_is_an_error_with_examples(limit):
    with pytest.raises(ValueError, match=re.escape(f"max_drop must be a number that is 0 or more, such as 0.01, or a percentage such as 1%, not {limit!r}")):
        closed(0, max_drop=limit)


@pytest.mark.parametrize("options", [{}, {"fail_if_worse": [], "floors": []}, {"allow_unknown": True}])
def test_a_gate_with_nothing_to_check_is_an_error(options):
    with pytest.raises(ValueError, match="the gate has nothing to check"):
        closed(-0.05, **options)
    with pytest.raises(ValueError, match="the gate has nothing to check"):
        gate(compare(FIFTY, {"main": WHOLE, "new": WHOLE}, "RR Judged@10", baseline="main"), fail_if_worse=["Judged@10"])


@pytest.mark.parametrize("options", [{}, {"margin": 0.1}, {"margin": 0.1, "fail_if_worse": ["AP"]}, {"floors": ["AP=0.1"]}])
def test_any_drop_without_a_limit_is_an_error(options):
    with pytest.raises(ValueError, match="require='any' is for drops, which have no limit; set max_drop"):
        closed(0, require="any", **options)


def test_an_unknown_requirement_is_an_error():
    with pytest.raises(ValueError, match="require must be 'significant' or 'any', not 'all'"):
        closed(0, max_drop=0, require="all")


# ---- nothing measured ----

TEN = {f"q{i}": {"a": 1, "b": 0} for i in range(10)}
CHECKS = [{"max_drop": "1%"}, {"max_drop": 0}, {"max_drop": 0, "require": "any"}, {"margin": 0.0001}, {"fail_if_worse": ["AP"]}]
DEEP = [f"x{i}" for i in range(1499)] + ["b"]  # the only judged document, at rank 1,500


def quiet(old, new, measures="AP", **options):
    "Compare two runs that give each query of TEN the same answer, or the answer of a dict."
    runs = {name: run if isinstance(run, dict) else dict.fromkeys(TEN, run) for name, run in (("old", old), ("new", new))}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nothing was retrieved
        return compare(TEN, runs, measures, baseline="old", **options)


@pytest.mark.parametrize("options", CHECKS)
def test_nothing_retrieved_gives_no_verdict(options):
    comparison = quiet(["x"], ["y", "z"], "AP P@1")
    found, allowed = gate(comparison, **options), gate(comparison, allow_unknown=True, **options)
    n = 1 if "fail_if_worse" in options else 2
    assert [(v.passed, v.unknown) for v in found.verdicts] == [(False, True)] * n and str(found).startswith(f"Gate: FAILED: {n} of {n} checks, {n} without a verdict")
    reason = "no judged document is retrieved by either system"
    assert all(f": no verdict is possible, because {reason}" in v.text for v in found.verdicts)
    assert allowed.ok and allowed.verdicts[0].text.endswith("but allow_unknown lets the check pass")
    assert "Largest plausible drop" not in str(found) or "AP unknown" in str(found).split("Largest plausible drop")[1]
    warned = [text for text in comparison.warnings if "nothing is measured" in text]
    assert warned == [f"old and new, {measure}: {reason}, so nothing is measured" for measure in ("AP", "P@1")]
    assert f"p = 1.00 by paired t, 10 queries; better on 0, worse on 0); {reason}" in comparison.sentences()[0]


@pytest.mark.parametrize("options", CHECKS)
@pytest.mark.parametrize(("old", "new"), [(DEEP, ["x"]), (["x"], DEEP), (["x"], {"q7": DEEP} | dict.fromkeys([q for q in TEN if q != "q7"], ["y"]))])
def test_one_judged_document_at_any_rank_is_a_measurement(old, new, options):
    found = gate(quiet(old, new), **options)
    [checked] = [v for v in found.verdicts if v.check != "coverage"]
    assert (checked.passed, checked.unknown) == (True, False) and checked.text.endswith("10 queries): the same on every query")


def test_an_unchanged_run_passes_and_two_queries_have_no_margin():
    same = quiet(["x", "a"], ["x", "a"])
    for options in CHECKS:
        assert gate(same, **options).verdicts[0].text.endswith(", 10 queries): the same on every query") and gate(same, **options).ok
    two = compare({q: TEN[q] for q in ("q1", "q2")}, dict.fromkeys(("old", "new"), {"q1": ["a"], "q2": ["x", "a"]}), "AP", baseline="old")
    drop, margin = gate(two, max_drop=0), gate(two, margin=0.1)
    assert drop.ok and drop.verdicts[0].text.endswith(", 2 queries): the same on every query")
    assert (margin.ok, margin.verdicts[0].unknown) == (False, True)


@pytest.mark.parametrize("interval", ["t", "percentile", "bca", "studentized"])
@pytest.mark.parametrize("queries", [3, 4, 40])
def test_equal_differences_that_are_not_0_satisfy_no_margin(queries, interval):
    before, after = (dict(zip(map(str, range(queries)), xs)) for xs in ([0.3, 0.4, 0.5, 0.6] * 10, [0.2, 0.3, 0.4, 0.5] * 10))
    for data in ({"old": before, "new": after}, {"old": after, "new": before}):
        [checked] = gate(compare(data, baseline="old", interval=interval), margin=0.9).verdicts
        assert (checked.passed, checked.unknown) == (False, True) and "no verdict is possible, so the check fails" in checked.text


def test_nothing_retrieved_in_a_slice_only_warns():
    groups = {q: "empty" if q in ("q0", "q1", "q2", "q3") else "full" for q in TEN}
    run = {q: ["x"] if group == "empty" else ["a"] for q, group in groups.items()}
    comparison = quiet(run, run, groups=groups)
    for options in CHECKS:
        found = gate(comparison, **options)
        assert found.ok and [v.unknown for v in found.verdicts] == [False] * 3
        by_slice = {v.slice: v.text.partition("queries): ")[2] for v in found.verdicts}
        assert by_slice == {"all": "the same on every query", "full": "the same on every query",
                            "empty": "the same on every query, but no judged document is retrieved by either system"}
    warned = [text for text in comparison.warnings if "nothing is measured" in text]
    assert warned == ["old and new, AP in the slice empty: no judged document is retrieved by either system, so nothing is measured"]
    assert warned[0] in found.to_junit()


def test_loaded_zeros_fail_if_retrieval_is_unknown(tmp_path):
    for answer, known in ((["x"], False), (["a"], True)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            evaluate(TEN, {"old": dict.fromkeys(TEN, answer), "new": dict.fromkeys(TEN, answer)}, "AP").save(tmp_path / "scores.csv")
        found = gate(compare(Scores.load(tmp_path / "scores.csv"), baseline="old"), max_drop="1%")
        assert found.ok is known
        unknown = "because every value is 0, and it is unknown whether a judged document is retrieved"
        assert (unknown in str(found).replace("\n", " ")) is not known


def test_the_command_fails_if_nothing_is_measured(tmp_path):
    (tmp_path / "qrels").write_text("".join(f"q{i} 0 a 1\n" for i in range(5)))
    for name in ("old", "new"):
        (tmp_path / name).write_text("".join(f"q{i} Q0 {name} 1 1 {name}\n" for i in range(5)))
    for options in (["--max-drop", "1%"], ["--max-drop", "0", "--require", "any"], ["--margin", "0.0001"]):
        assert irmetrics("compare", "qrels", "old", "new", *options, cwd=tmp_path).returncode == 3
        assert irmetrics("compare", "qrels", "old", "new", *options, "--allow-unknown", cwd=tmp_path).returncode == 0


# ---- a mean and a test that point apart ----


def apart(wins, losses, gain, loss, test):
    "A baseline at 0.5, and a system that gains on some queries and loses on others."
    changes = [gain] * wins + [-loss] * losses
    ids = [f"q{i}" for i in range(len(changes))]
    data = {"base": dict.fromkeys(ids, 0.5), "new": {q: 0.5 + x for q, x in zip(ids, changes)}}
    return compare(data, measures="AP", baseline="base", test=test)


@pytest.mark.parametrize(("test", "wins", "losses"), [("sign", 30, 10), ("wilcoxon", 36, 6)])
def test_a_drop_fails_only_if_the_statistic_shows_one_too(test, wins, losses):
    better = apart(wins, losses, 0.02, 0.2, test)  # the means: (0.6 - 2) / 40 and (0.72 - 1.2) / 42
    for limit in (0, 0.001):
        found = gate(better, max_drop=limit)
        assert found.ok and f"the drop is more than {limit}, but new is better by " in str(found)
        assert f"(better on {wins}, worse on {losses})" in found.verdicts[0].text and "significant" not in found.verdicts[0].text
    assert not gate(better, max_drop=0, require="any").ok and not gate(better, margin=0.01).ok and not gate(better, floors=["AP=0.5"]).ok
    worse = apart(losses, wins, 0.2, 0.02, test)  # the mean is higher
    assert gate(worse, max_drop=0).ok and "the mean has not dropped, but base is better by " in str(gate(worse, max_drop=0))
    both = apart(losses, wins, 0.02, 0.02, test)
    assert not gate(both, max_drop=0).ok and gate(both, max_drop=0.1).ok and ", and significant" in str(gate(both, max_drop=0))


# ---- queries that the baseline answers must be answered ----

FIFTY = {f"q{i:02}": {"a": 1} for i in range(50)}
WHOLE = dict.fromkeys(FIFTY, ["a"])
FOUR = {q: ["a"] for q in list(FIFTY)[:4]}


@pytest.mark.parametrize("option", [{"max_drop": 0.01}, {"margin": 0.01}, {"fail_if_worse": ["RR"]}, {"floors": ["RR=0.9"]}])
@pytest.mark.parametrize("how", [{"missing": "skip"}, {"conventions": "trec_eval"}])
def test_a_run_that_answers_four_of_fifty_queries_does_not_pass(option, how):
    comparison = compare(FIFTY, {"main": WHOLE, "new": FOUR}, "RR", baseline="main", **how)
    assert [v.check for v in gate(comparison, **option).failures] == ["coverage"]
    assert "new has results for 4 of 50 queries with results in main (8.0%); at least 100% required; missing: q04, q05, q06, q07, q08, …" in str(gate(comparison, **option))
    assert gate(comparison, min_coverage=0.08, **option).ok and not gate(comparison, min_coverage=0.081, **option).ok
    assert gate(compare(FIFTY, {"main": FOUR, "new": WHOLE}, "RR", baseline="main", **how), **option).ok


def test_coverage_counts_queries_of_the_baseline_only():
    main = {q: ["a"] for q in list(FIFTY)[:40]}
    new = {q: ["a"] for q in list(FIFTY)[2:]}
    for how in ({}, {"missing": "skip"}):
        comparison = compare(FIFTY, {"main": main, "new": new}, "RR", baseline="main", **how)
        found = gate(comparison, max_drop=1)
        assert [v.check for v in found.failures] == ["coverage"] and "38 of 40 queries with results in main (95.0%)" in str(found)
        assert gate(comparison, max_drop=1, min_coverage=0.95).ok
    numbers = {"main": dict.fromkeys("abcd", 0.5), "new": dict.fromkeys("abc", 0.5)}
    assert [v.check for v in gate(compare(numbers, baseline="main"), max_drop=0).failures] == ["coverage"]
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="min_coverage must be from 0 to 1"):
            gate(compare(numbers, baseline="main"), min_coverage=wrong)


def test_assert_no_drop_takes_what_a_gate_takes():
    with pytest.raises(AssertionError, match="4 of 50 queries"):
        assert_no_drop(FIFTY, FOUR, WHOLE, "RR", missing="skip")
    assert assert_no_drop(FIFTY, FOUR, WHOLE, "RR", missing="skip", min_coverage=0.05).ok
    with pytest.raises(AssertionError, match="RR of run"):
        assert_no_drop(FIFTY, WHOLE, WHOLE, "RR", floors=["RR=1.1"])
    found = assert_no_drop(FIFTY, WHOLE, WHOLE, "RR AP", fail_if_worse="AP")
    assert [(verdict.check, verdict.measure) for verdict in found.verdicts] == [("drop", "AP")]
    assert signature(gate).parameters.keys() - {"comparison"} <= signature(assert_no_drop).parameters.keys()
    two = dict(list(FIFTY.items())[:2])
    worse = dict.fromkeys(two, ["x", "a"])
    with pytest.raises(AssertionError, match="too few queries"):
        assert_no_drop(two, worse, dict.fromkeys(two, ["a"]), "RR")
    assert assert_no_drop(two, worse, dict.fromkeys(two, ["a"]), "RR", allow_unknown=True).ok
    assert assert_no_drop(two, worse, dict.fromkeys(two, ["a"]), "RR", max_drop="50%", require="any").ok
    with pytest.raises(AssertionError, match=r"the drop is more than 49 % of 1\.0000 = 0\.49"):
        assert_no_drop(two, worse, dict.fromkeys(two, ["a"]), "RR", max_drop="49%", require="any")


def test_the_gate_shows_how_much_of_each_system_is_judged():
    judged = {q: {"a": 1, "b": 0, "c": 0} for q in FIFTY}
    runs = {"main": dict.fromkeys(judged, ["b", "a", "c"]), "new": dict.fromkeys(judged, ["x", "a", "y"])}
    found = gate(compare(judged, runs, "RR", baseline="main"), max_drop=0)
    for text in (str(found), found.to_markdown(), found.to_junit(), found.to_json()):
        assert "judged@10: main 100.0%, new 33.3%" in text and "new has a smaller share of judged documents than main" in text


# ---- margins: proof that there is no loss that matters ----


@pytest.mark.parametrize(("shift", "n", "margin", "ok"), [
    (0, 40, 0.02, True), (0.05, 40, 0.01, True), (-0.05, 40, 0.01, False), (-0.05, 40, 0.1, True), (0, 5, 0.001, False), (-0.0135, 40, 0.01, False)])
def test_a_margin_is_passed_when_a_loss_of_so_much_is_ruled_out(shift, n, margin, ok):
    data = values(shift, n=n)
    found = gate(compare(data, measures="AP", baseline="main"), margin=margin)
    d = [data["new"][q] - x for q, x in data["main"].items()]
    p = stats.ttest_1samp(d, -margin, alternative="greater").pvalue
    assert found.ok is ok and (p < 0.05) == ok
    assert ("is ruled out" in str(found)) is ok and ("is not ruled out" in str(found)) is not ok and "(90 % interval" in str(found)


def test_alpha_decides_how_sure_a_margin_must_be():
    data = values(-0.0045, n=40)
    for alpha in (0.001, 0.01, 0.05, 0.2):
        found = gate(compare(data, measures="AP", baseline="main", alpha=alpha), margin=0.01)
        d = [data["new"][q] - x for q, x in data["main"].items()]
        assert found.ok == (stats.ttest_1samp(d, -0.01, alternative="greater").pvalue < alpha)
        assert f"({100 * (1 - 2 * alpha):g} % interval" in str(found)


def test_a_change_that_changes_nothing_passes_a_margin_and_two_queries_never_do():
    same = values(0)["main"]
    assert gate(compare({"main": same, "new": same}, measures="AP", baseline="main"), margin=1e-6).ok
    assert "the same on every query" in str(gate(compare({"main": same, "new": same}, baseline="main"), margin=1e-6))
    two = {"main": {"1": 0.5, "2": 0.25}, "new": {"1": 0.75, "2": 0.5}}
    found = gate(compare(two, baseline="main"), margin=0.5)
    assert not found.ok and "no verdict is possible, so the check fails" in str(found)


def test_margin_applies_to_protected_measures_and_with_a_drop():
    data = {"main": {"1": 0.5, "2": 0.25, "3": 0.1}, "new": {"1": 0.5, "2": 0.3, "3": 0.2}}
    comparison = compare(data, measures="AP", baseline="main")
    assert [v.check for v in gate(comparison, margin=0.2, fail_if_worse=["AP"]).verdicts] == ["margin"]
    assert [v.check for v in gate(comparison, margin=0.2, max_drop=0.1, floors=["AP=0.1"]).verdicts] == ["drop", "margin", "floor"]
    for wrong in (0, -0.1, float("nan")):
        with pytest.raises(ValueError, match="margin must be above 0"):
            gate(comparison, margin=wrong)


def test_gate_without_a_margin_shows_the_largest_plausible_drop():
    data = values(-0.002, n=40)
    low = stats.ttest_rel([*data["new"].values()], [*data["main"].values()]).confidence_interval(0.9).low
    found = gate(compare(data, measures="AP", baseline="main"), max_drop=0.01)
    line = "Largest plausible drop of new (lower end of the 90 % interval): AP "
    assert found.ok and line in str(found) and line in found.to_junit() and any(line in one for one in found.to_dict()["could"])
    assert float(str(found).split(line)[1].split()[0]) == pytest.approx(-low, abs=6e-4)
    assert "Largest plausible drop" not in str(gate(compare(data, measures="AP", baseline="main"), margin=0.1))
    in_slices = sliced(0, max_drop=0.1).to_dict()["could"]
    assert len(in_slices) == 2 and re.search(r"; AP 0\.0\d+ in few with 30 queries", in_slices[0]) and re.search(r"; AP 0\.00\d+ in many with 170 queries", in_slices[1])


def test_a_constant_drop_has_no_p_and_does_not_pass():
    base = {str(i): 0.5 for i in range(40)}
    comparison = compare({"A": base, "B": dict.fromkeys(base, 0.3)}, baseline="A")
    for options in ({"max_drop": 0.1}, {"margin": 0.3}):
        found = gate(comparison, **options)
        assert not found.ok and ("no verdict is possible, so the check fails" if "margin" in options else "no p-value, so no verdict") in str(found)


@pytest.mark.parametrize(("loss", "most"), [(0.05, 0.05), (0.1, 0.01)])
def test_a_change_that_loses_the_margin_passes_in_at_most_5_of_100_cases_and_a_gate_by_drops_lets_nearly_all_pass(loss, most):
    random, experiments, passed = np.random.default_rng(12), 400, np.zeros(2)
    for _ in range(experiments):
        a = random.choice([0, 0.1, 0.2, 0.5, 1], 20)
        b = a - loss + random.normal(0, 0.3, 20)
        data = {name: dict(zip(map(str, range(20)), row.tolist())) for name, row in {"main": a, "new": b}.items()}
        comparison = compare(data, baseline="main")
        passed += gate(comparison, margin=0.05).ok, gate(comparison, max_drop=0).ok
    assert passed[0] / experiments <= most + 3.3 * np.sqrt(0.05 * 0.95 / experiments) and passed[1] / experiments > 0.6


@pytest.mark.parametrize(("text", "floor"), [
    ("AP=0.5", Floor("AP", 0.5)), ("MAP=.5", Floor("AP", 0.5)), ("nDCG(gain='exp')@10=0.4", Floor("nDCG(gain='exp')@10", 0.4)),
    ("a:b:P(rel=2)@5=1e-1", Floor("P(rel=2)@5", 0.1, "a:b")), ("*:RR=1", Floor("RR", 1.0, "*")),
    ("trec_eval:map=0.5", Floor("AP", 0.5)), ("short: trec_eval:map=0.5", Floor("AP", 0.5, "short")), ("trec_eval:short:map=1", Floor("AP", 1.0, "trec_eval:short")),
    ("nDCG(gain={1: 3, 'else': 1})@10=0.4", Floor("nDCG(gain={1: 3, 'else': 1})@10", 0.4))])  # fmt: skip
def test_a_floor_reads_as_it_is_written(text, floor):
    assert parse_floor(text) == floor


@pytest.mark.parametrize("text", ["", "AP", "=1", "AP=", "AP=x", "AP=nan", "AP=inf", ":=1", "Banana=0.1"])
def test_invalid_floor_is_an_error(text):
    with pytest.raises(ValueError, match=r"write it like|Banana"):
        parse_floor(text)


def test_a_floor_of_a_measure_with_a_tool_prefix_is_no_slice(files):
    for name, least, code in (("xgboost:map@10", 0.1, 0), ("xgboost:map@10", 0.9, 3), ("xgboost:ndcg@10", 0.9, 3)):
        for command in (["compare", *FILES], ["evaluate", "eval/qrels.txt", "change.run"]):
            done = irmetrics(*command, "-m", name, "--min", f"{name}={least}", cwd=files)
            assert done.returncode == code, done.stdout + done.stderr


@pytest.mark.parametrize("options", [
    {"fail_if_worse": "AP"}, {"fail_if_worse": AP}, {"fail_if_worse": "AP RR"}, {"fail_if_worse": ["AP", RR]}, {"floors": "*:AP=0.3"}, {"floors": "AP=0.3"},
    {"floors": Floor("AP", 0.3)}, {"floors": ["AP=0.3", Floor("RR", 0.3)]}])  # fmt: skip
def test_one_measure_or_floor_needs_no_list(options):
    comparison = compare(EXAMPLE.qrels, {name: EXAMPLE.runs[name] for name in ("bm25", "tfidf")}, "AP RR", baseline="bm25", groups=GROUPS)
    [(key, value)] = options.items()
    listed = {"AP RR": ["AP", "RR"]}.get(value, value) if isinstance(value, str) else value
    listed = listed if isinstance(listed, list) else [listed]
    found, expected = gate(comparison, **options), gate(comparison, **{key: listed})
    assert [v.text for v in found.verdicts] == [v.text for v in expected.verdicts] and len(found.verdicts) >= 1
    numbers = compare({"a": {"1": 1, "2": 2, "3": 4}, "b": {"1": 1, "2": 3, "3": 4}}, measures="my score", baseline="a")
    assert gate(numbers, fail_if_worse="my score").ok


def test_gate_of_a_dict_is_an_error_with_a_suggestion():
    with pytest.raises(TypeError, match=r"gate\(\) needs the result of compare\(\), not dict; write gate\(compare\(qrels, runs, measures, baseline=name\), \.\.\.\)"):
        gate(TEN, max_drop=0)


def test_a_mean_that_is_not_there_misses_every_floor_and_one_that_is_reached_exactly_does_not():
    sample = compare({"a": {"1": None, "2": None}, "b": {"1": 0.5, "2": 0.5}}, measures="AP").sample
    assert [v.passed for v in check_floors(sample, [Floor("AP", 0.5)])] == [False, True]
    scores = evaluate(EXAMPLE.qrels, EXAMPLE.runs["title"], "AP GMAP")
    exact = Floor("GMAP", scores.means["GMAP"])
    assert missed_floors([scores], [exact]) == [] and len(missed_floors([scores], [Floor("AP", 0.9)])) == 1


def test_junit_is_xml_whatever_the_ids_are():
    odd = {name: {f"<{q}>\x07&\udcff": x for q, x in own.items()} for name, own in values(-0.05).items()}
    found = gate(compare(odd, measures="AP", baseline="main"), max_drop=0.01, floors=["AP=0.1"])
    suite = ElementTree.fromstring(found.to_junit().encode())
    assert (suite.tag, suite.get("tests"), suite.get("failures")) == ("testsuite", "2", "1")
    cases = suite.findall("testcase")
    assert [case.find("failure") is not None for case in cases] == [True, False] and "<q" in cases[0].find("failure").text


# ---- the command ----


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    "Judgments, a baseline, a change that is worse, the same run again, and groups."
    place = tmp_path_factory.mktemp("gate")
    (place / "eval").mkdir()
    (place / "eval/qrels.txt").write_bytes((EXAMPLE.folder / "qrels.txt").read_bytes())
    for name, run in {"eval/main.run": "bm25", "change.run": "tfidf", "bad.run": "title"}.items():
        (place / name).write_bytes((EXAMPLE.folder / f"runs/{run}.run.gz").read_bytes())
    groups = "".join(f"{q}\t{'even' if int(q[1:]) % 2 == 0 else 'odd'}\n" for q in EXAMPLE.qrels.queries)
    (place / "eval/groups.tsv").write_text(groups)
    return place


FILES = "eval/qrels.txt", "eval/main.run", "change.run"


@pytest.mark.parametrize(("options", "code"), [
    ([], 0), (["--max-drop", "0.01"], 3), (["--max-drop", "0.5"], 0), (["--fail-if-worse", "nDCG@10"], 3), (["--fail-if-worse", "R@100"], 0),
    (["--fail-if-worse", "nDCG@10", "--alpha", "0.001"], 0), (["--max-drop", "1%"], 3), (["--max-drop", "20%"], 0), (["--max-drop", "1%", "--alpha", "0.001"], 0),
    (["--max-drop", "1%", "--alpha", "0.001", "--require", "any"], 3), (["--require", "any"], 2), (["--allow-unknown"], 2), (["--format", "junit"], 2), (["--max-drop", "x%"], 2),
    (["--min", "nDCG@10=0.5"], 0), (["--min", "nDCG@10=0.55"], 3),
    (["--min", "P@5=0.01"], 0), (["--groups", "eval/groups.tsv", "--min", "odd:AP=0.9"], 3), (["--groups", "eval/groups.tsv", "--min", "*:AP=0.1"], 0),
    (["--min", "odd:AP=0.9"], 1), (["--groups", "nowhere"], 1), (["--min", "AP"], 2), (["--test", "anova"], 2), (["--alpha", "7"], 2),
    (["--max-drop", "-1"], 2), (["--fail-if-worse", "Banana"], 2), (["-m", "GMAP"], 1), (["--margin", "0.01"], 3), (["--margin", "0.2"], 0),
    (["--margin", "0.2", "--groups", "eval/groups.tsv"], 3), (["--margin", "0.2", "--fail-if-worse", "AP"], 0), (["--margin", "0"], 2),
    (["--margin", "0.1", "--alpha", "0.5"], 2), (["--test", "tukey"], 0), (["--test", "tukey", "--correction", "holm"], 2),
    (["--max-drop", "0.1", "--groups", "eval/groups.tsv"], 3), (["--test", "bootstrap", "--interval", "studentized", "--max-drop", "0.01"], 3)])  # fmt: skip
def test_exit_code_matches_the_verdict(files, options, code):
    done = irmetrics("compare", *FILES, *options, cwd=files)
    assert done.returncode == code, done.stdout + done.stderr
    assert ("Minimum detectable drop" in done.stdout) == (code in (0, 3) and bool({*options} & {"--max-drop", "--fail-if-worse", "--min", "--margin"}))
    assert ("FAILED" in done.stdout) == (code == 3)
    assert (done.stderr == "") == (code in (0, 3))


def test_text_names_the_better_system_without_escape_codes(files):
    done = irmetrics("compare", *FILES, "bad.run", "-m", "AP", "--test", "randomization", "--seed", "3", cwd=files)
    words = " ".join(done.stdout.split())
    assert "bm25 is better than title by 0.235 AP" in words and "with Holm over 2 pairs" in words and "\x1b" not in done.stdout
    assert done.stdout == irmetrics("compare", *FILES, "bad.run", "-m", "AP", "--test", "randomization", "--seed", "3", cwd=files).stdout


def test_json_is_read_by_a_program(files):
    done = irmetrics("compare", *FILES, "-m", "AP nDCG@10", "--max-drop", "0.01", "--format", "json", "--correction", "bonferroni", cwd=files)
    read = json.loads(done.stdout)
    assert done.returncode == 3 and read["gate"]["ok"] is False and read["method"]["correction"] == "bonferroni"
    ours = compare({name: evaluate(EXAMPLE.qrels, EXAMPLE.runs[name], "AP") for name in ("bm25", "tfidf")}).rows[0]
    assert (read["pairs"][0]["p"], read["pairs"][0]["difference"]) == (ours.p, ours.difference)
    [failed] = [v for v in read["gate"]["verdicts"] if not v["passed"]]
    assert failed["measure"] == "nDCG@10" and failed["queries"][0]["query"] == "q23"


def test_junit_is_written_to_a_file_and_is_xml(files):
    done = irmetrics("compare", *FILES, "-m", "AP", "--min", "AP=0.9", "--max-drop", "0.01", "--format", "junit", "--output", "report.xml", cwd=files)
    suite = ElementTree.parse(files / "report.xml").getroot()
    assert (done.returncode, done.stdout, suite.get("tests"), suite.get("failures")) == (3, "", "2", "1")


def test_margin_has_the_same_text_in_every_format(files):
    call = "compare", *FILES, "-m", "AP", "--margin", "0.2"
    claim = "they are equivalent within a margin of 0.2 (90 % interval −0.127 to −0.009)"
    for form in ("text", "markdown", "json", "junit"):
        done = irmetrics(*call, "--format", form, cwd=files)
        words = " ".join(done.stdout.replace("\\", "").split())
        assert done.returncode == 0 and claim in words, form
        if form != "junit":  # where a case that passed says nothing
            assert "90 % interval −0.127 to −0.009, 36 queries): a loss of 0.2 or more is ruled out" in words
    read = json.loads(irmetrics(*call, "--format", "json", cwd=files).stdout)
    assert read["method"]["margin"] == 0.2 and [v["check"] for v in read["gate"]["verdicts"]] == ["margin"] and "margin 0.2" in read["family"]


def test_tukey_with_a_baseline_and_several_others_is_refused_before_anything_is_read(files):
    done = irmetrics("compare", *FILES, "bad.run", "nowhere.run", "--test", "tukey", cwd=files)
    words = done.stderr
    assert done.returncode == 2 and "--test tukey compares all pairs; add --all-pairs, or use t or randomization" in words


def test_tukey_compares_all_pairs_of_three_runs(files):
    done = irmetrics("compare", *FILES, "bad.run", "-m", "AP", "--test", "tukey", "--all-pairs", "--format", "json", cwd=files)
    read = json.loads(done.stdout)
    runs = {name: EXAMPLE.runs[name] for name in ("bm25", "tfidf", "title")}
    ours = compare(EXAMPLE.qrels, runs, "AP", test="tukey").rows
    assert done.returncode == 0 and [pair["p"] for pair in read["pairs"]] == [pair.p for pair in ours] and len(ours) == 3 and "gate" not in read


def test_a_comparison_without_options_of_the_gate_prints_no_gate_and_wrong_limits_name_the_option(files):
    alone, with_gate = (irmetrics("compare", *FILES, "-m", "AP", *options, cwd=files).stdout for options in ([], ["--max-drop", "1%"]))
    assert "Gate" not in alone and "drop" not in alone and with_gate.startswith(alone.rstrip()) and len(alone.splitlines()) <= 16
    assert "the drop is more than 1 % of 0.5228 = 0.00523, but not significant" in with_gate
    words = irmetrics("compare", *FILES, "--max-drop", "1 percent", cwd=files).stderr
    assert "--max-drop must be a number that is 0 or more, such as 0.01, or a percentage such as 1%, not '1 percent'" in words
    told = irmetrics("compare", *FILES, "--margin", "0.1", "--require", "any", cwd=files)
    assert (told.returncode, told.stderr) == (1, "irmetrics: error: --require any is for drops, which have no limit; set --max-drop\n")
    words = irmetrics("compare", *FILES, "--require", "any", cwd=files).stderr
    assert "the gate has nothing to check; add --max-drop, --margin, --fail-if-worse, --min or --min-coverage" in words


def test_markdown_has_the_gate_first_and_then_the_table(files):
    text = irmetrics("compare", *FILES, "-m", "AP nDCG@10", "--max-drop", "0.01", "--format", "markdown", cwd=files).stdout
    assert text.startswith("**Gate: FAILED: 1 of 2 checks**") and "| tfidf" in text and "0.5048 ▼" in text


def test_equal_run_names_are_distinct_and_stdin_is_a_run(files):
    (files / "again.run").write_bytes((files / "eval/main.run").read_bytes())
    words = " ".join(irmetrics("compare", "eval/qrels.txt", "eval/main.run", "again.run", "-m", "AP", cwd=files).stdout.split())
    assert "no significant difference between bm25 (eval/main.run) and bm25 (again.run): bm25 (again.run) − bm25 (eval/main.run) = 0.000 AP" in words
    twice = irmetrics("compare", "eval/qrels.txt", "eval/main.run", "eval/main.run", cwd=files)
    assert twice.returncode == 0 and "(2)" in twice.stdout
    with open(files / "change.run", "rb") as run:
        piped = irmetrics("compare", "eval/qrels.txt", "eval/main.run", "-", "-m", "AP", cwd=files, stdin=run.read())
    assert "no significant difference between bm25 and tfidf" in " ".join(piped.stdout.split())


def test_the_command_takes_what_a_gate_allows(files):
    rows = gzip.decompress((files / "eval/main.run").read_bytes()).splitlines(keepends=True)
    (files / "four.run").write_bytes(b"".join(rows[:50]))
    call = "compare", "eval/qrels.txt", "eval/main.run", "four.run", "-m", "AP", "--missing", "skip", "--max-drop", "0.9"
    done = irmetrics(*call, cwd=files)
    assert done.returncode == 3 and "bm25 (four.run) has results for 1 of 36 queries with results in bm25 (eval/main.run)" in " ".join(done.stdout.split())
    assert irmetrics(*call, "--min-coverage", "0.02", cwd=files).returncode == 0
    margin = *call[:-2], "--margin", "0.9", "--min-coverage", "0.02"
    assert (irmetrics(*margin, cwd=files).returncode, irmetrics(*margin, "--allow-unknown", cwd=files).returncode) == (3, 0)
    assert irmetrics(*call, "--min-coverage", "1.5", cwd=files).returncode == 2


@pytest.mark.parametrize("call", [("compare", "eval/qrels.txt", "eval/main.run", ""), ("compare", "", "eval/main.run", "change.run"),
    ("compare", "eval/qrels.txt", ""), ("evaluate", "eval/qrels.txt", ""), ("evaluate", "", "change.run"), ("check", "eval/qrels.txt", ""),
    ("report", "eval/qrels.txt", "change.run", "")])  # fmt: skip
def test_an_empty_path_is_an_error_and_not_the_current_folder(files, call):
    done = irmetrics(*call, cwd=files / "eval")
    assert done.returncode == 2 and "the path is empty (is a variable not set?)" in done.stderr


@pytest.mark.parametrize("ask", [lambda q, r: compare(q, ""), lambda q, r: evaluate("", r), lambda q, r: evaluate(q, ""), lambda q, r: compare(q, [r, ""]),
    lambda q, r: report(q, ""), lambda q, r: report("", r), lambda q, r: check(q, "")])  # fmt: skip
def test_an_empty_path_is_an_error_in_python_too(files, ask):
    with pytest.raises(DataError, match="the path is empty"):
        ask(files / "eval/qrels.txt", files / "change.run")
    assert "the path is empty" in str(check("", files / "change.run")) and not check("", files / "change.run").ok


@pytest.mark.skipif(os.name == "nt", reason="no terminal of this sort")
def test_a_terminal_gets_a_table_with_colours(files):
    code = ["-c", "from irmetrics_nb.cli import main; main()", "compare", *FILES, "-m", "nDCG@10", "--max-drop", "0.01"]
    env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm", "COLUMNS": "150"}
    said, status = terminal(*code, cwd=files, env=env)
    assert status == 3 and "\x1b[31m" in said and "────" in said and "Minimum detectable drop" in said


def test_evaluate_has_floors_too(files):
    table = irmetrics("evaluate", "eval/qrels.txt", "change.run", "-m", "AP", "--format", "csv", cwd=files)
    met = irmetrics("evaluate", "eval/qrels.txt", "change.run", "-m", "AP", "--format", "csv", "--min", "AP=0.4", cwd=files)
    missed = irmetrics("evaluate", "eval/qrels.txt", "change.run", "-m", "AP", "--format", "csv", "--min", "MAP=0.5", cwd=files)
    assert (met.returncode, met.stdout, met.stderr) == (0, table.stdout, "")
    assert (missed.returncode, missed.stdout) == (3, table.stdout)
    assert missed.stderr == "irmetrics: minimum not reached: AP of tfidf: 0.4550, at least 0.5\n"
    more = irmetrics("evaluate", "eval/qrels.txt", "change.run", "-m", "AP", "--format", "csv", "--min", "GMAP=0.01", cwd=files)
    assert more.stdout.startswith("run,AP,GMAP") and more.returncode == 0
    assert irmetrics("evaluate", "eval/qrels.txt", "change.run", "--min", "odd:AP=0.1", cwd=files).returncode == 2


def test_a_limit_of_the_whole_range_of_a_measure_is_named():
    sentence = "No drop of AP is larger than 1, so this limit checks nothing; one percent is 1%"
    found = closed(-0.05, max_drop=1)
    assert found.ok and sentence in str(found) and sentence in found.to_markdown() and sentence in found.to_dict()["could"]
    for limit in ("1%", 0.99, "200%", None):
        assert "No drop" not in str(closed(-0.05, max_drop=limit, fail_if_worse=["AP"]))
    numbers = {name: {q: 10 * x for q, x in row.items()} for name, row in values(-0.05).items()}  # above 1, so without a known range
    assert "No drop" not in str(gate(compare(numbers, measures="clicks", baseline="main"), max_drop=1))
