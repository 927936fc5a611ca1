"""The command on tables with columns of other names, the worst queries, all pairs."""

import json
from pathlib import Path

import pytest
from helpers import irmetrics, put


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "judged.csv").write_text("q,link,label\nq1,a,1\nq1,b,0\nq2,b,2\n")
    (tmp_path / "log.csv").write_text("q,link,position\nq1,b,1\nq1,a,2\nq2,b,1\n")
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq2 0 b 2\nq3 0 c 1\n")
    for name, lists in {"one.run": "ab ab ab", "two.run": "ba ba cb", "three.run": "ab ba cb"}.items():
        lines = (f"q{i} Q0 {doc} {k} {9 - k} {name[:-4]}\n" for i, docs in enumerate(lists.split(), 1) for k, doc in enumerate(docs, 1))
        (tmp_path / name).write_text("".join(lines))
    return tmp_path


def test_columns_of_other_names_are_said_and_no_message_advises_python(folder):
    lost = irmetrics("evaluate", "judged.csv", "log.csv", "-m", "RR", cwd=folder)
    assert lost.returncode == 1 and "--columns query=NAME,document=NAME" in lost.stderr and "columns={" not in lost.stderr
    said = ["--columns", "query=q,document=link,grade=label"]
    still = irmetrics("evaluate", "judged.csv", "log.csv", "-m", "RR", *said, cwd=folder)
    assert "--run-columns query=NAME,document=NAME,score=NAME, or rank=NAME instead of score=NAME if the smallest number is the best" in still.stderr
    done = irmetrics("evaluate", "judged.csv", "log.csv", "-m", "RR", *said, "--run-columns", "query=q,document=link,rank=position", "--format", "json", "-o", "out.json", cwd=folder)
    assert done.returncode == 0 and done.stdout == ""
    assert json.loads((folder / "out.json").read_text())[0]["means"] == {"RR": 0.75}


@pytest.mark.parametrize("text", ["query", "query=q,colour=u", "query=q,score=a,rank=b"])
def test_columns_that_are_none_are_bad_usage(text, folder):
    done = irmetrics("evaluate", "judged.csv", "log.csv", "--run-columns", text, cwd=folder)
    assert done.returncode == 2 and "expected column names in the form" in " ".join(done.stderr.split())


def test_the_worst_queries_come_first_each_with_its_reason(folder):
    done = irmetrics("worst", "qrels.txt", "two.run", "-m", "RR", "-n", "2", "--format", "json", cwd=folder)
    assert [(row["query"], row["value"]) for row in json.loads(done.stdout)] == [("q1", 0.5), ("q2", 1)]
    one = irmetrics("worst", "qrels.txt", "one.run", "-m", "nDCG@10", "-n", "1", cwd=folder)
    assert "q3" in one.stdout and "c (1)" in one.stdout and "nDCG@10 = 0" in one.stdout


def test_all_pairs_are_compared_without_a_baseline_and_without_a_gate(folder):
    files = ["qrels.txt", "one.run", "two.run", "three.run"]
    done = irmetrics("compare", *files, "-m", "RR", "--all-pairs", "--format", "json", cwd=folder)
    assert done.returncode == 0 and len(json.loads(done.stdout)["pairs"]) == 3
    assert irmetrics("compare", *files, "--all-pairs", "--max-drop", "0", cwd=folder).returncode == 2


def test_every_output_can_go_to_a_file_by_o(folder):
    for command in (["evaluate", "qrels.txt", "one.run"], ["check", "qrels.txt", "one.run"], ["compare", "qrels.txt", "one.run", "two.run"],
                    ["explain", "qrels.txt", "one.run", "q1"], ["worst", "qrels.txt", "one.run"], ["measures"]):  # fmt: skip
        name = f"{command[0]}.out"
        assert irmetrics(*command, "-o", name, cwd=folder).stdout == "" and Path(folder / name).stat().st_size > 20, command


def test_columns_are_said_of_folders_patterns_and_systems_and_repeats_are_answered(folder):
    (folder / "runs").mkdir()
    log = (folder / "log.csv").read_text()
    for name in "a", "b":
        (folder / "runs" / f"{name}.csv").write_text(log)
    header, *rows = log.splitlines()
    (folder / "both.csv").write_text("\n".join([header + ",by", *(f"{row},{by}" for by in "ab" for row in rows)]) + "\n")
    said = ["--columns", "query=q,document=link,grade=label", "--run-columns", "query=q,document=link,rank=position", "-m", "RR", "--format", "json"]
    for runs in (["runs"], ["runs/*.csv"], ["both.csv", "--system", "by"]):
        done = irmetrics("evaluate", "judged.csv", *runs, *said, cwd=folder)
        assert [(run["run"], run["means"]) for run in json.loads(done.stdout)] == [("a", {"RR": 0.75}), ("b", {"RR": 0.75})]
    (folder / "log.csv").write_text(log + "q1,a,3\n")
    refused = irmetrics("evaluate", "judged.csv", "log.csv", *said, cwd=folder)
    assert refused.returncode == 1 and "--duplicates" in refused.stderr
    first = irmetrics("evaluate", "judged.csv", "log.csv", *said, "--duplicates", "first", cwd=folder)
    assert json.loads(first.stdout)[0]["means"] == {"RR": 0.75}


def test_of_two_columns_that_may_be_meant_the_option_of_the_command_says_which(tmp_path):
    qrels = put(tmp_path / "qrels.csv", b"query_id,doc_id,relevance\nq,a,1\n")
    run = put(tmp_path / "run.csv", b"query_id,docid,pid,score\nq,a,x,1\n")
    done = irmetrics("evaluate", qrels, run, "-m", "RR")
    assert done.returncode == 1 and done.stderr.endswith("columns 'docid' and 'pid' may both be the document; choose one: --run-columns document=NAME\n")
    assert "1.0" in irmetrics("evaluate", qrels, run, "-m", "RR", "--run-columns", "document=docid", "--format", "csv").stdout
