"""Elasticsearch, Quepid, loggers, pytest and GitHub's actions: as those who use them do."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from project import NBS, ROOT, cells
from test_project import copy_of_the_project

from irmetrics_nb import DataError, Qrels, Run, assert_no_drop, check, evaluate, load_example, parse
from irmetrics_nb.metrics.registry import KINDS


def rated(doc, rating, index="web"):
    return {"_index": index, "_id": doc, "rating": rating}


REQUEST = {"requests": [{"id": "q1", "request": {"query": {}}, "ratings": [rated("a", 3), rated("b", 0), rated("z", 1)]}], "metric": {"dcg": {"k": 10}}}
HITS = [{"hit": {"_index": "web", "_id": doc, "_score": score}, "rating": rating} for doc, score, rating in (("b", 2.5, 0), ("a", 1.5, 3), ("c", 0.5, None))]
RESPONSE = {"metric_score": 0.5, "details": {"q1": {"metric_score": 0.5, "unrated_docs": [], "hits": HITS, "metric_details": {}}}, "failures": {}}
SEARCH = {"q1": {"took": 3, "hits": {"total": {"value": 3}, "hits": [one["hit"] for one in HITS]}}}


def test_judgments_are_the_request_of_rank_eval_and_the_run_its_response(tmp_path):
    (tmp_path / "request.json").write_text(json.dumps(REQUEST))
    (tmp_path / "response.json").write_text(json.dumps(RESPONSE))
    for qrels, run in ((REQUEST, RESPONSE), (tmp_path / "request.json", tmp_path / "response.json"), (REQUEST, SEARCH)):
        assert evaluate(qrels, run, "RR R@3").means == {"RR": 1 / 2, "R@3": 1 / 2}


def test_judgments_from_a_response_are_refused_with_the_reason():
    for response in (RESPONSE, SEARCH):
        with pytest.raises(DataError, match="contains ratings of the hits only.*read the judgments from the request"):
            Qrels(response)
    with pytest.raises(DataError, match="this is a request to _rank_eval"):
        Run(REQUEST)


def test_one_id_in_two_indices_is_an_error_and_so_is_a_failed_query():
    double = {"requests": [{"id": "q1", "request": {}, "ratings": [rated("a", 1), rated("a", 0, "news")]}]}
    with pytest.raises(DataError, match="query 'q1': duplicate document 'a'; is it in two indices"):
        Qrels(double)
    with pytest.raises(DataError, match="the search service failed for the queries 'q2'"):
        Run(RESPONSE | {"failures": {"q2": {"error": "..."}}})


def test_hits_that_were_sorted_by_a_field_keep_their_order():
    hits = [{"_index": "web", "_id": doc, "_score": None} for doc in "bca"]
    assert evaluate({"q1": ["a"]}, {"q1": {"hits": {"hits": hits}}}, "RR").means == {"RR": 1 / 3}


@pytest.mark.parametrize("shape", ["_search", "_rank_eval", "a file"])
@pytest.mark.parametrize("conventions", [None, "elasticsearch"])
def test_the_order_of_hits_is_the_ranking_whatever_their_scores(shape, conventions, tmp_path):
    "The request sorted by a field: b is what users saw first. Of c and d, which have one score, c is listed first."
    scores = {"b": 1.0, "a": 7.5, "c": 2.0, "d": 2.0}
    hits = [{"_index": "web", "_id": doc, "_score": score} for doc, score in scores.items()]
    run = {"q1": {"hits": {"hits": hits}}}
    if shape == "_rank_eval":
        run = {"metric_score": 0.5, "details": {"q1": {"hits": [{"hit": hit, "rating": None} for hit in hits]}}, "failures": {}}
    if shape == "a file":
        (tmp_path / "run.json").write_text(json.dumps(run))
        run = tmp_path / "run.json"
    for relevant, value in {"a": 1 / 2, "b": 1, "c": 1 / 3, "d": 1 / 4}.items():
        found = evaluate({"q1": {relevant: 1}}, run, "RR", conventions=conventions)
        assert found.means == {"RR": value} and found.tie_bounds == {}
        assert "hits of a search service are ranked in the order of the response, not by score" in " ".join(str(found).split())
    assert "hits" in check({"q1": {"a": 1}}, run).codes
    assert evaluate({"q1": {"a": 1}}, Run(run, descending=False), "RR").means == {"RR": 1 / 2}


def test_quepids_ratings_and_snapshots_are_read_and_unrated_rows_are_unjudged(tmp_path):
    (tmp_path / "ratings.csv").write_text('query,docid,rating\nstar wars,11,3\nstar wars,12,\n"rocky, 1976",7,1\n')
    (tmp_path / "detailed.csv").write_text("Team Name,Case Name,Case ID,Query Text,Doc ID,Title,Rating\nT,C,1,star wars,11,Star Wars,3\nT,C,1,star wars,12,x,\n")
    head = "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position\n"
    (tmp_path / "snapshot.csv").write_text(head + 'one,today,1,star wars,12,1\none,today,1,star wars,11,2\none,today,1,"rocky, 1976",7,1\n')
    assert Qrels(tmp_path / "ratings.csv").to_dict() == {"star wars": {"11": 3}, "rocky, 1976": {"7": 1}}
    assert Qrels(tmp_path / "detailed.csv").to_dict() == {"star wars": {"11": 3}}
    assert evaluate(tmp_path / "ratings.csv", tmp_path / "snapshot.csv", "RR Judged@1").means == {"RR": 3 / 4, "Judged@1": 1 / 2}
    (tmp_path / "two.csv").write_text(head + "one,today,1,star wars,12,1\ntwo,later,1,star wars,11,1\n")
    with pytest.raises(DataError, match="two.csv, line 3: the rows are of two snapshots, 'one' and 'two'"):
        Run(tmp_path / "two.csv")


def test_loggers_get_names_of_letters_digits_and_underscores_that_are_read_back():
    qrels, run = {"q": {"a": 2, "b": 1}}, {"q": ["c", "a", "b"]}
    measures = "AP nDCG@10 nDCG(gain='exp')@5 P(rel=2)@5 RBP(p=0.8) AP(divisor='min(R,k)')@3"
    scores = evaluate(qrels, run, measures)
    flat = scores.flat_means()
    assert [*flat][:2] == ["AP", "nDCG_at_10"] and [*flat.values()] == [*scores.means.values()]
    assert all(name.replace("_", "").isalnum() and name.isascii() for name in flat)
    assert [parse(name) for name in flat] == list(scores.measures)
    several = evaluate(qrels, {"bm25 (v2)": run, "dense": run}, "nDCG@10").flat_means()
    assert [*several] == ["bm25 _v2_/nDCG_at_10", "dense/nDCG_at_10"]


@pytest.mark.parametrize("name", [kind.name for kind in KINDS.values() if kind.page.startswith(("irmetrics_nb", "metrics", "sets", "ap", "dcg", "cascade"))])
def test_every_kind_of_measures_has_a_name_for_loggers(name):
    from irmetrics_nb.metrics.parsing import flat_name

    measure = parse(name)
    assert parse(flat_name(measure)) == measure


def test_assert_no_drop_passes_in_silence_and_fails_with_our_sentence():
    qrels = {f"q{i}": ["a"] for i in range(20)}
    good, bad = dict.fromkeys(qrels, ["a", "b"]), dict.fromkeys(qrels, ["b", "a"]) | {"q0": ["a"], "q1": ["c", "b", "a"]}
    assert assert_no_drop(qrels, good, good, "nDCG@10", margin=0.01).ok
    assert_no_drop(qrels, good, bad, "RR")
    for options in ({"margin": 0.01}, {"max_drop": 0.1}, {}):
        with pytest.raises(AssertionError, match=r"(?s)FAILED.*RR of run: 1\.0000 → 0\.5\d+.*run .* worse|lower"):
            assert_no_drop(qrels, bad, good, "RR", **options)


def test_the_traceback_of_pytest_shows_the_line_of_the_user_and_none_of_ours(tmp_path):
    (tmp_path / "test_search.py").write_text("""
from irmetrics_nb import assert_no_drop

JUDGED = {f'q{i}': ['a'] for i in range(9)}

def test_search():
    assert_no_drop(JUDGED, dict.fromkeys(JUDGED, ['b', 'a']), dict.fromkeys(JUDGED, ['a']), 'RR', require='any')  # the line
""")
    done = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "test_search.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1 and "1 failed" in done.stdout, done.stdout + done.stderr
    assert re.search(r"^>  .*# the line$", done.stdout, re.MULTILINE) and re.search(r"^test_search\.py:7: AssertionError", done.stdout, re.MULTILINE)
    assert "gate.py" not in done.stdout and "raise AssertionError" not in done.stdout and "RR of run: 1.0000 → 0.5000" in done.stdout


# ---- the action ----


ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
WORKFLOW = re.search(r"```yaml\n(.*?)```", "".join(cell.source for cell in cells(NBS / "guide/gate_ci.ipynb")), re.DOTALL)
BESIDE_PYTHON = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def step(name, folder, given=(), path=BESIDE_PYTHON, **more):
    "What GitHub does in a step of the action: the program that ran, and the summary."
    (found,) = (one for one in ACTION["runs"]["steps"] if one["name"] == name)
    inputs = {name: one.get("default") for name, one in ACTION["inputs"].items()} | dict(given)
    known = {f"inputs.{name}": text for name, text in inputs.items()} | {"github.action_path": str(folder / "an action")}
    env = {name: re.sub(r"\$\{\{ (.*?) \}\}", lambda found: known[found[1]], text) for name, text in found["env"].items()}
    summary = folder / "summary.md"
    summary.touch()
    shell = {"bash": ["bash", "-e", "-c"], "python": [sys.executable, "-c"]}[found["shell"]]
    env |= {"GITHUB_STEP_SUMMARY": str(summary), "PATH": path} | more
    done = subprocess.run([*shell, found["run"]], cwd=folder, env=os.environ | env, capture_output=True, text=True, check=False)
    return done, summary.read_text(encoding="utf-8")


@pytest.fixture
def place(tmp_path):
    "A folder with judgments, the run of the main branch, one as good, and one that is worse for eleven of twelve queries."
    queries = [f"q{i}" for i in range(12)]
    (tmp_path / "my runs").mkdir()
    (tmp_path / "my groups.tsv").write_text("".join(f"{q}\t{'short' if q < 'q2' else 'long'}\n" for q in queries))
    (tmp_path / "my judgments.txt").write_text("".join(f"{q} 0 a 1\n" for q in queries))
    for name, docs in (("main branch", "ab"), ("my runs/same", "ab"), ("my runs/bad", "bc")):
        lines = (f"{q} Q0 {doc} {i} {9 - i} x\n" for q in queries for i, doc in enumerate(docs if q != "q0" else "a" + docs[1:], 1))
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return tmp_path


GIVEN = {"qrels": "my judgments.txt", "baseline": "main branch.run", "measures": "RR nDCG@10"}


@pytest.mark.parametrize("runs, options, code", [
    ("'my runs/same.run'", "--max-drop 0", 0), ('"my runs/bad.run"', "--max-drop 0", 3), ("'my runs/same.run' 'my runs/bad.run'", "--max-drop 0", 3),
    ("'my runs/*.run'", "--max-drop 0", 3), ("'my runs/same.run'", '--max-drop 0\n--groups "my groups.tsv" --min "*:nDCG@10=0.3"\n', 0),
    ("'my runs/bad.run'", """--groups 'my groups.tsv' --min "*:RR=0.5" """, 3)])  # fmt: skip
def test_the_action_compares_with_options_and_paths_in_quotes_and_writes_the_summary(place, runs, options, code):
    done, summary = step("Compare", place, GIVEN | {"runs": runs, "options": options})
    assert done.returncode == code, done.stderr
    assert summary.count("Gate: ") == 1 and ("**Gate: passed**" if code == 0 else "**Gate: FAILED") in summary


def test_a_second_use_that_fails_does_not_show_the_table_of_the_first(place):
    _, first = step("Compare", place, GIVEN | {"runs": "'my runs/same.run'"})
    done, both = step("Compare", place, GIVEN | {"runs": "nothing.run"})
    assert (done.returncode, both) == (1, first) and "there is no such file" in done.stderr and "passed" in first
    assert sorted(path.name for path in place.iterdir()) == ["main branch.run", "my groups.tsv", "my judgments.txt", "my runs", "summary.md"]


@pytest.mark.slow
def test_the_action_installs_the_package_that_it_came_with(tmp_path):
    (tmp_path / "an action").mkdir()
    copy_of_the_project(tmp_path / "an action")
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "empty"], check=True)
    programs = tmp_path / "empty" / ("Scripts" if os.name == "nt" else "bin")
    done, _ = step("Install", tmp_path, path=f"{programs}{os.pathsep}{os.environ['PATH']}", PIP_NO_DEPS="1")
    assert done.returncode == 0, done.stderr
    code = "import importlib.metadata as m; print(m.distribution('irmetrics_nb').read_text('direct_url.json'))"
    said = subprocess.run([programs / "python", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(said.stdout)["url"] == (tmp_path / "an action").as_uri()


def test_the_workflow_of_the_guide_uses_the_action_and_closes_for_a_drop(tmp_path):
    (used,) = (one for one in yaml.safe_load(WORKFLOW[1])["jobs"]["compare"]["steps"] if one.get("name") == "Compare")
    assert used["uses"].startswith("irmetrics-nb/irmetrics_nb@") and {*used["with"]} <= {*ACTION["inputs"]}
    example = load_example()
    (tmp_path / "eval").mkdir()
    shutil.copy(example.folder / "qrels.txt", tmp_path / "eval")
    (tmp_path / "eval/groups.tsv").write_text("".join(f"{q}\t{'odd' if int(q[1:]) % 2 else 'even'}\n" for q in example.qrels.queries))
    example.runs["bm25"].save(tmp_path / "eval/main.run")
    for new, code in (("bm25", 0), ("title", 3)):
        example.runs[new].save(tmp_path / "change.run")
        done, summary = step("Compare", tmp_path, used["with"])
        assert done.returncode == code, done.stderr
    assert "FAILED" in summary and "nDCG@10 of title in odd" in summary
