"Baselines that are kept: saved scores are compared as the runs would be, in Python, by the command and by the action."
import json
import shutil
from fractions import Fraction

import numpy as np
import pytest
import yaml
from helpers import irmetrics
from hypothesis import given, settings
from hypothesis import strategies as st
from project import ROOT
from test_tools_around import step

from irmetrics_nb import (
    Comparison,
    DataError,
    Gate,
    Qrels,
    Run,
    Scores,
    assert_no_drop,
    compare,
    evaluate,
    gate,
    load_example,
    verify,
)
from irmetrics_nb.results.records import as_data, read_record

# The relevant document of each query is a; q5 is missing from both runs, q6 is answered without results in main, q4 is missing from new.
JUDGED = {f"q{i}": {"a": 1, "b": 0} for i in range(1, 7)}
MAIN = {"q1": ["a"], "q2": ["b", "a"], "q3": ["a", "b"], "q4": ["x", "b", "a"], "q6": []}
NEW = {"q1": ["b", "a"], "q2": ["b", "a"], "q3": ["x", "y", "a"], "q6": ["z", "a"]}
RR = {"main": [1, Fraction(1, 2), 1, Fraction(1, 3), 0, 0], "new": [Fraction(1, 2), Fraction(1, 2), Fraction(1, 3), 0, 0, Fraction(1, 2)]}
GROUPS = {"q1": "short", "q2": "short", "q3": "short", "q4": "long", "q5": "long", "q6": "long"}
EXAMPLE = load_example()


def data_of(result):
    "All fields of a result, without references to its inputs."
    def bare(x):
        if isinstance(x, dict): return {name: bare(y) for name, y in x.items() if name not in ("inputs", "judgments", "source")}
        return [*map(bare, x)] if isinstance(x, list) else x
    return bare(as_data(result))


@pytest.fixture
def folder(tmp_path):
    "A folder with judgments, two runs and the saved scores of the first."
    EXAMPLE.qrels.save(tmp_path / "qrels.txt")
    EXAMPLE.runs["bm25"].save(tmp_path / "main.run")
    EXAMPLE.runs["tfidf"].save(tmp_path / "new.run")
    evaluate(tmp_path / "qrels.txt", tmp_path / "main.run", "AP nDCG@10").save(tmp_path / "b.json")
    return tmp_path


# ---- saved scores are compared as the runs would be ----


@pytest.mark.parametrize("form", ["json", "parquet"])
def test_a_saved_baseline_gives_the_numbers_counted_by_hand(tmp_path, form):
    evaluate(JUDGED, MAIN, "RR").save(tmp_path / f"b.{form}")
    found = compare({"main": Scores.load(tmp_path / f"b.{form}"), "new": evaluate(JUDGED, NEW, "RR")}, baseline="main")
    pair = found.pair("main", "new")
    means = {name: sum(values) / Fraction(6) for name, values in RR.items()}
    assert means == {"main": Fraction(17, 36), "new": Fraction(11, 36)}
    assert (pair.mean_a, pair.mean_b) == pytest.approx((17 / 36, 11 / 36)) and pair.difference == pytest.approx(-1 / 6)
    assert (pair.wins, pair.ties, pair.losses, pair.queries) == (1, 2, 3, 6)
    closed = gate(found, max_drop=0, min_coverage=1)
    [coverage] = [verdict for verdict in closed.verdicts if verdict.check == "coverage"]
    assert not coverage.passed and "new has results for 4 of 5 queries with results in main (80.0%)" in coverage.text and "missing: q4" in coverage.text
    assert "main lacks 1 judged query (missing queries score 0)" in found.notes and "new lacks 2 judged queries (missing queries score 0)" in found.notes


@pytest.mark.parametrize("form", ["json", "parquet"])
@pytest.mark.parametrize("options", [{}, {"conventions": "trec_eval"}, {"missing": "skip"}, {"no_relevant": "skip", "ties": "average"},
                                     {"judgments": "retrieved"}, {"names": "asked"}, {"unjudged": "skip"}])  # fmt: skip
@pytest.mark.parametrize("test", ["t", "randomization"])
def test_comparison_and_gate_are_equal_to_those_of_the_runs(tmp_path, form, options, test):
    measures = "RR P@2 ERR nDCG(gain='exp')@3 Judged@2"
    evaluate(JUDGED, MAIN, measures, groups=GROUPS, **options).save(tmp_path / f"b.{form}")
    saved, new = Scores.load(tmp_path / f"b.{form}"), evaluate(JUDGED, NEW, measures, **options)
    from_runs = compare(JUDGED, {"main": MAIN, "new": NEW}, measures, baseline="main", groups=GROUPS, test=test, **options)
    from_saved = compare({"main": saved, "new": new}, baseline="main", test=test)
    assert from_saved.slices == ["all", "long", "short"] and data_of(from_saved) == data_of(from_runs)
    checks = {"max_drop": "1%", "margin": 0.1, "floors": ["RR=0.3", "*:RR=0.1"], "min_coverage": 0.9, "allow_unknown": True}
    assert data_of(gate(from_saved, **checks)) == data_of(gate(from_runs, **checks))


@pytest.mark.filterwarnings("ignore::irmetrics_nb.EvaluationWarning")
@given(st.data())
@settings(max_examples=30, deadline=None)
def test_random_runs_are_compared_as_their_saved_scores(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("saved") / "b.json"
    documents = st.dictionaries(st.sampled_from("abcdé \N{SNOWMAN}"), st.sampled_from([0.0, -0.0, 0.5, 1.0, 1e300]), max_size=4)
    runs = {name: data.draw(st.dictionaries(st.sampled_from(["q1", "q2", "q3", "ü 4"]), documents, min_size=1)) for name in ("main", "new")}
    judged = {q: {"a": 2, "c": 1, "é": 0} for q in ("q1", "q2", "q3", "ü 4")}
    evaluate(judged, runs["main"], "AP RR nDCG@2").save(path)
    found = compare({"main": Scores.load(path), "new": evaluate(judged, runs["new"], "AP RR nDCG@2")}, baseline="main")
    assert data_of(found) == data_of(compare(judged, runs, "AP RR nDCG@2", baseline="main"))


def test_shares_of_judged_documents_come_from_the_file(tmp_path):
    evaluate(JUDGED, MAIN, "RR").save(tmp_path / "b.json")
    found = compare({"main": Scores.load(tmp_path / "b.json"), "new": evaluate(JUDGED, NEW, "RR")})
    assert "judged@10: main 87.5%, new 66.7%" in found.notes  # 7 of 8 and 6 of 9 documents


# ---- measures, conventions and judgments that differ ----


def test_common_measures_are_compared_and_the_others_are_named(tmp_path):
    evaluate(JUDGED, MAIN, "AP RR P@2").save(tmp_path / "b.json")
    found = compare({"main": Scores.load(tmp_path / "b.json"), "new": evaluate(JUDGED, NEW, "R@1 P@2 RR")}, baseline="main")
    assert found.sample.measures == ("RR", "P@2") and found.pair("main", "new", "RR").difference == pytest.approx(-1 / 6)
    assert found.notes[0] == "not compared, because not all systems have these measures: AP, R@1"
    assert found.to_dict()["notes"][0] in found.to_markdown()
    reordered = compare([evaluate(JUDGED, Run(MAIN, name="main"), "AP RR"), evaluate(JUDGED, Run(NEW, name="new"), "RR AP")])
    assert reordered.sample.measures == ("AP", "RR") and not any("not compared" in note for note in reordered.notes)
    with pytest.raises(ValueError, match="need the same measures, not .*AP.* and .*RR"):
        compare([evaluate(JUDGED, Run(MAIN, name="main"), "AP"), evaluate(JUDGED, Run(NEW, name="new"), "RR")])
    with pytest.raises(KeyError, match="AP was not computed; available: RR, P@2"):
        compare({"main": Scores.load(tmp_path / "b.json"), "new": evaluate(JUDGED, NEW, "RR P@2")}, measures="AP")


def test_scores_of_different_judgments_are_compared_only_on_request(tmp_path):
    Qrels(JUDGED).save(tmp_path / "old.txt")
    Qrels(JUDGED | {"q7": {"a": 1}}).save(tmp_path / "larger.txt")
    Run(MAIN | {"q6": ["z"]}).save(tmp_path / "main.run")
    evaluate(tmp_path / "old.txt", tmp_path / "main.run", "RR").save(tmp_path / "b.json")
    results = {"main": Scores.load(tmp_path / "b.json"), "new": evaluate(tmp_path / "larger.txt", NEW, "RR")}
    with pytest.raises(ValueError, match=r"the judgments of main \(old.txt\) and new \(larger.txt\) differ; .*judgments='differ'"):
        compare(results)
    found = compare(results, judgments="differ", baseline="main")
    assert "the judgments of main (old.txt) and new (larger.txt) differ" in found.notes and found.pair("main", "new").queries == 6
    assert "the judgments of main (old.txt) and new (larger.txt) differ" in str(found)
    found.save(tmp_path / "c.json")
    assert Comparison.load(tmp_path / "c.json").notes == found.notes and verify(tmp_path / "c.json").ok
    Qrels(JUDGED).save(tmp_path / "same.csv")  # another format and another name
    assert compare(results | {"new": evaluate(tmp_path / "same.csv", NEW, "RR")}).notes == compare(results | {"new": evaluate(JUDGED, NEW, "RR")}).notes
    with pytest.raises(TypeError, match="ties: only allowed with judgments and runs"):
        compare(results, ties="given")


def test_conventions_that_differ_are_refused(tmp_path):
    evaluate(JUDGED, MAIN, "RR", conventions="trec_eval").save(tmp_path / "b.json")
    with pytest.raises(ValueError, match="need the same conventions"):
        compare({"main": Scores.load(tmp_path / "b.json"), "new": evaluate(JUDGED, NEW, "RR")})


def test_a_file_of_scores_among_runs_sets_measures_and_conventions(tmp_path):
    tied = {"q1": {"a": 1.0, "b": 1.0}, "q2": {"a": 1.0, "b": 1.0}, "q3": {"a": 2.0}}
    evaluate(JUDGED, tied, "RR P@1", ties="average", missing="skip").save(tmp_path / "b.json")
    found = compare(JUDGED, {"main": str(tmp_path / "b.json"), "new": tied}, baseline="main")
    assert found.sample.conventions.ties == "average" and found.sample.measures == ("RR", "P@1")
    pair = found.pair("main", "new")
    assert (pair.mean_a, pair.mean_b, pair.queries) == (pytest.approx((0.75 + 0.75 + 1) / 3), pytest.approx((0.75 + 0.75 + 1) / 3), 3)
    assert compare(JUDGED, {"new": tied, "main": Scores.load(tmp_path / "b.json")}, "P@1").sample.measures == ("P@1",)


def test_a_json_run_with_a_query_called_record_is_a_run(tmp_path):
    (tmp_path / "main.json").write_text(json.dumps({"record": {"a": 1.0}, "runs": {"b": 1.0}}))
    judged = {"record": {"a": 1}, "runs": {"a": 1}}
    found = compare(judged, {"main": tmp_path / "main.json", "new": {"runs": {"a": 1.0}}}, "RR")
    assert found.pair("main", "new").mean_a == found.pair("main", "new").mean_b == 0.5


# ---- loading ----


@pytest.mark.parametrize("form", ["json", "parquet"])
def test_results_are_equal_after_loading(tmp_path, form):
    runs = {name: EXAMPLE.runs[name] for name in ("bm25", "tfidf", "title")}
    groups = {q: "odd" if int(q[1:]) % 2 else "even" for q in EXAMPLE.qrels.queries}
    one, several = evaluate(JUDGED, MAIN, "RR GMAP nDCG@2", groups=GROUPS), evaluate(EXAMPLE.qrels, runs, "AP RR", groups=groups, missing="skip")
    comparison = compare(several, baseline="bm25", test="bootstrap", margin=0.05)
    closed = gate(comparison, max_drop="1%", margin=0.05, floors=["AP=0.4", "*:AP=0.2"], fail_if_worse="AP", min_coverage=0.5)
    for result in (one, several, comparison, closed):
        path = tmp_path / f"{type(result).__name__}.{form}"
        result.save(path)
        again = type(result).load(path)
        assert as_data(again) == as_data(result) and again.to_dict() == result.to_dict() and str(again) == str(result)
        assert again.to_markdown() == result.to_markdown() and again.to_json() == result.to_json()
        again.save(path)
        assert as_data(type(result).load(path)) == as_data(result)


def test_csv_has_only_values_of_scores_and_no_other_result(tmp_path):
    scores = evaluate(JUDGED, {"main": MAIN, "new": NEW}, "RR P@2")
    comparison = compare(scores, baseline="main")
    closed = gate(comparison, max_drop=0)
    for result in (scores, comparison, closed): result.save(tmp_path / f"{type(result).__name__}.csv")
    again = Scores.load(tmp_path / "Scores.csv")
    assert again.means == scores.means and np.array_equal(again.values, scores.values) and not again.conventions.known
    for kind in (Comparison, Gate):
        with pytest.raises(DataError, match=f"{kind.__name__}.csv has no record"):
            kind.load(tmp_path / f"{kind.__name__}.csv")
    for form in ("txt", "md", "html", "tex"):
        comparison.save(tmp_path / f"c.{form}")
        with pytest.raises(DataError, match="has no record"):
            Comparison.load(tmp_path / f"c.{form}")
    comparison.save(tmp_path / "c.json")
    with pytest.raises(DataError, match="c.json has no record of Scores"):
        Scores.load(tmp_path / "c.json")


# ---- in tests ----


def test_assert_no_drop_takes_saved_scores(folder):
    path = str(folder / "b.json")
    assert assert_no_drop(folder / "qrels.txt", folder / "main.run", path, "AP").ok
    with pytest.raises(AssertionError, match=r"nDCG@10 of run: 0.5913 → 0.5048"):
        assert_no_drop(folder / "qrels.txt", folder / "new.run", path)
    for baseline in (path, Scores.load(path)):
        with pytest.raises(AssertionError) as failure:
            assert_no_drop(folder / "qrels.txt", folder / "new.run", baseline, "nDCG@10 AP", max_drop=0.01, floors=["AP=0.5"])
        with pytest.raises(AssertionError) as expected:
            assert_no_drop(folder / "qrels.txt", folder / "new.run", folder / "main.run", "nDCG@10 AP", max_drop=0.01, floors=["AP=0.5"])
        assert str(failure.value) == str(expected.value)
    with pytest.raises(KeyError, match="RR was not computed; available: AP"):
        assert_no_drop(folder / "qrels.txt", folder / "new.run", path, "AP RR")


# ---- the command ----


def read(done):
    return json.loads(done.stdout)


def renamed(compared, names):
    "Data of a comparison in which systems have other names."
    text = json.dumps(compared, ensure_ascii=False)
    for old, new in names.items(): text = text.replace(old, new)
    return json.loads(text)


@pytest.mark.parametrize("args", [["qrels.txt", "new.run", "--baseline-scores", "b.json"], ["--baseline-scores", "b.json", "new.run"], ["b.json", "a.json"], ["b.json", "new.run"]])
@pytest.mark.parametrize("checks", [[], ["--max-drop", "0.01", "--min", "AP=0.4", "--margin", "0.02"], ["--test", "randomization", "--groups", "groups.tsv"]])
def test_the_command_compares_saved_scores_as_the_runs(folder, args, checks):
    (folder / "groups.tsv").write_text("".join(f"{q}\t{'odd' if int(q[1:]) % 2 else 'even'}\n" for q in EXAMPLE.qrels.queries))
    evaluate(folder / "qrels.txt", folder / "new.run", "nDCG@10 AP").save(folder / "a.json")
    expected = irmetrics("compare", "qrels.txt", "main.run", "new.run", "-m", "AP nDCG@10", *checks, "--format", "json", cwd=folder)
    done = irmetrics("compare", *args, *checks, "--format", "json", cwd=folder)
    assert done.returncode == expected.returncode and done.stderr == ""
    names = {"b.json": "main", "a.json": "new", "new.run": "new"}
    bare = renamed(read(expected), {"bm25": "main", "tfidf": "new"})
    assert renamed(read(done), names) == bare and (done.returncode == 3) is ("--max-drop" in checks)


@pytest.mark.parametrize("args, message, code", [
    (["qrels.txt"], "Missing argument 'BASELINE'", 2), (["b.json"], "there is only one run to compare", 2),
    (["b.json", "a.json", "--ties", "given"], "saved scores do not depend on --ties", 2), (["b.json", "a.json", "-m", "P@5"], "P@5 was not computed; available: AP, nDCG@10", 2),
    (["b.json", "a.json", "--min", "P@5=0.1"], "P@5 was not computed", 2), (["b.json", "other/b.json"], "two systems are called 'b.json'", 1),
    (["qrels.txt", "new.run", "--baseline-scores", "b.json", "--ties", "given"], "need the same conventions", 1),
    (["qrels.txt", "new.run", "--baseline-scores", "none.json"], "none.json: there is no such file", 1),
    (["qrels.txt", "new.run", "--baseline-scores", "main.run"], "main.run is not a table of scores", 1),
    (["--baseline-scores", "other/b.json", "new.run"], "qrels.txt: there is no such file", 1),
    (["changed.txt", "new.run", "--baseline-scores", "b.json"], "the judgments of b.json (qrels.txt) and new.run (changed.txt) differ", 1)])  # fmt: skip
def test_what_cannot_be_compared_is_refused_in_one_line(folder, args, message, code):
    evaluate(folder / "qrels.txt", folder / "new.run", "nDCG@10 AP").save(folder / "a.json")
    (folder / "other").mkdir()
    (folder / "other/b.json").write_bytes((folder / "b.json").read_bytes())
    (folder / "changed.txt").write_text((folder / "qrels.txt").read_text() + "q01 0 another 1\n")
    done = irmetrics("compare", *args, cwd=folder)
    assert done.returncode == code and message in done.stderr and done.stdout == "" and "Traceback" not in done.stderr


def test_the_new_run_is_evaluated_with_the_conventions_of_the_baseline(tmp_path):
    "The only document of each query ties with another one: trec_eval ranks b before a, the mean over both orders gives 3/4."
    (tmp_path / "qrels.txt").write_text("".join(f"q{i} 0 a 1\n" for i in range(3)))
    (tmp_path / "run.txt").write_text("".join(f"q{i} Q0 {doc} 1 1.0 x\n" for i in range(3) for doc in "ab"))
    for options, mean in (([], 0.5), (["--ties", "average"], 0.75)):
        done = irmetrics("evaluate", "qrels.txt", "run.txt", "-m", "RR", *options, "--format", "json", "--output", "b.json", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        [pair] = read(irmetrics("compare", "--baseline-scores", "b.json", "run.txt", "--format", "json", cwd=tmp_path))["pairs"]
        assert (pair["mean_a"], pair["mean_b"], pair["ties"]) == (mean, mean, 3)


def test_files_of_the_command_have_a_record_and_stdout_is_as_before(folder):
    files = ["qrels.txt", "main.run", "new.run"]
    calls = {"Scores": ["evaluate", *files], "Comparison": ["compare", *files], "Gate": ["compare", *files, "--max-drop", "0.01"], "Report": ["report", *files]}
    for kind, call in calls.items():
        done = irmetrics(*call, "-m", "AP", "--format", "json", "--output", f"{kind}.json", cwd=folder)
        assert done.returncode == 0, done.stderr
        assert read_record(folder / f"{kind}.json")[0]["kind"] == kind
        checked = irmetrics("verify", f"{kind}.json", cwd=folder)
        assert checked.returncode == 0 and f"{kind}.json: verified" in checked.stdout and "differs" not in checked.stdout
        assert str(folder) not in (folder / f"{kind}.json").read_text()
    assert [run["run"] for run in read(irmetrics("evaluate", *files, "-m", "AP", "--format", "json", cwd=folder))] == ["bm25", "tfidf"]
    for kind in ("Comparison", "Gate"):
        printed = read(irmetrics(*calls[kind], "-m", "AP", "--format", "json", cwd=folder))
        saved = json.loads((folder / f"{kind}.json").read_text())
        assert saved.pop("record")["kind"] == kind and saved == printed and ("gate" in printed) is (kind == "Gate")
    assert Gate.load(folder / "Gate.json").comparison.to_dict() == Comparison.load(folder / "Comparison.json").to_dict()


def test_a_gate_file_with_a_changed_comparison_differs(folder):
    irmetrics("compare", "qrels.txt", "new.run", "--baseline-scores", "b.json", "--max-drop", "0", "--format", "json", "--output", "g.json", cwd=folder)
    assert verify(folder / "g.json").ok
    text = (folder / "g.json").read_text()
    for old, new in (('"wins": 12', '"wins": 13'), ('"ok": false', '"ok": true')):
        assert text.count(old) >= 1
        (folder / "altered.json").write_text(text.replace(old, new, 1))
        assert verify(folder / "altered.json").code == 3


# ---- the action ----


@pytest.mark.parametrize("new, code", [("main.run", 0), ("new.run", 3)])
@pytest.mark.parametrize("given", [{"qrels": "qrels.txt"}, {}])
def test_the_action_takes_saved_scores_as_baseline(folder, given, new, code):
    done, summary = step("Compare", folder, {"baseline": "b.json", "runs": new, "options": "--max-drop 0.01", **given})
    assert done.returncode == code, done.stderr
    assert ("**Gate: passed**" if code == 0 else "**Gate: FAILED") in summary and "b.json (baseline)" in summary


def test_the_inputs_of_the_action_are_those_before():
    inputs = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"]
    assert {*inputs} == {"qrels", "baseline", "runs", "measures", "options"} and inputs["baseline"]["required"]


def test_a_file_of_several_runs_is_no_baseline_and_the_error_says_why(tmp_path):
    evaluate(JUDGED, {"main": MAIN, "new": NEW}, "RR").save(tmp_path / "two.json")
    both = Scores.load(tmp_path / "two.json")
    with pytest.raises(ValueError, match=r"^old: these are the scores of several runs; select one by \.run\(name\)$"):
        compare({"old": both, "new": evaluate(JUDGED, NEW, "RR")})
    assert compare({"old": both.run("main"), "new": evaluate(JUDGED, NEW, "RR")}).sample.systems == ("old", "new")
    done = irmetrics("compare", "two.json", "two.json", cwd=tmp_path)
    assert done.returncode != 0 and "Traceback" not in done.stderr
    shutil.copy(tmp_path / "two.json", tmp_path / "other.json")
    done = irmetrics("compare", "two.json", "other.json", cwd=tmp_path)
    assert done.returncode == 1 and "two.json: these are the scores of several runs" in done.stderr
