"""The command on tables with columns of other names, the worst queries, all pairs."""

import ast
import json
from pathlib import Path

import project
import pytest
from helpers import irmetrics, irmetrics_process, put
from typer.main import get_command

from irmetrics_nb import differ
from irmetrics_nb.cli import app
from irmetrics_nb.core.choices import naming_options, parameter, phrase


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "judged.csv").write_text("q,link,label\nq1,a,1\nq1,b,0\nq2,b,2\n")
    (tmp_path / "log.csv").write_text("q,link,position\nq1,b,1\nq1,a,2\nq2,b,1\n")
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq2 0 b 2\nq3 0 c 1\n")
    for name, lists in {"one.run": "ab ab ab", "two.run": "ba ba cb", "three.run": "ab ba cb"}.items():
        lines = (f"q{i} Q0 {doc} {k} {9 - k} {name[:-4]}\n" for i, docs in enumerate(lists.split(), 1) for k, doc in enumerate(docs, 1))
        (tmp_path / name).write_text("".join(lines))
    return tmp_path


def test_column_errors_suggest_options_of_the_command(folder):
    lost = irmetrics("evaluate", "judged.csv", "log.csv", "-m", "RR", cwd=folder)
    assert lost.returncode == 1 and "--columns query=NAME,document=NAME" in lost.stderr and "columns={" not in lost.stderr
    said = ["--columns", "query=q,document=link,grade=label"]
    still = irmetrics("evaluate", "judged.csv", "log.csv", "-m", "RR", *said, cwd=folder)
    assert "--run-columns query=NAME,document=NAME,score=NAME, or rank=NAME instead of score=NAME if the smallest number is the best" in still.stderr
    done = irmetrics("evaluate", "judged.csv", "log.csv", "-m", "RR", *said, "--run-columns", "query=q,document=link,rank=position", "--format", "json", "-o", "out.json", cwd=folder)
    assert done.returncode == 0 and done.stdout == ""
    assert json.loads((folder / "out.json").read_text())["runs"][0]["means"] == {"RR": 0.75}


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


OWN = """
from helper_of_mine import square
from irmetrics_nb import measure

@measure('SqRank', question='How early?')
def square_rank(ranking, /, *, k=None, rel: float = 1):
    hits = ranking.found(rel, k)
    yield hits, 1 / square(hits.rank)
    return ranking.n_relevant(rel)
"""


@pytest.mark.parametrize("module", ["code/own-measures.py", "mine.own"])
def test_measures_of_a_file_or_a_module_work_in_every_command(folder, module):
    code = folder / module if module.endswith(".py") else folder / "mine/own.py"
    code.parent.mkdir()
    code.write_text(OWN)
    (code.parent / "helper_of_mine.py" if module.endswith(".py") else folder / "helper_of_mine.py").write_text("def square(x): return x**2\n")
    runs = ["qrels.txt", "one.run", "two.run", "-m", "SqRank@1 SqRank", "--import", module]
    done = irmetrics_process("evaluate", *runs, "--min", "SqRank=0.5", "--format", "json", cwd=folder)
    assert [run["means"] for run in json.loads(done.stdout)] == [{"SqRank@1": pytest.approx(hits / 3), "SqRank": pytest.approx(total / 3)} for hits, total in ((1, 1.25), (2, 2.25))]
    compared = irmetrics_process("compare", *runs, "--min", "SqRank=0.1", "--format", "json", cwd=folder)
    assert [pair["measure"] for pair in json.loads(compared.stdout)["pairs"]] == ["SqRank@1", "SqRank"] and compared.returncode == 0
    assert irmetrics_process("report", *runs, "-o", "out.md", cwd=folder).returncode == 0 and "SqRank@1" in (folder / "out.md").read_text()
    assert "How early?" in irmetrics_process("measures", "--import", module, cwd=folder).stdout
    assert irmetrics_process("evaluate", *runs[:-2], cwd=folder).returncode == 2


@pytest.mark.parametrize(("text", "said"), [
    ("x = 1\ny = z\n", "wrong.py, line 2: the import failed: NameError: name 'z' is not defined"), ("def f(:\n", "wrong.py: the import failed: SyntaxError: "),
    ("import no_such_module\n", "wrong.py, line 1: the import failed: ModuleNotFoundError: No module named 'no_such_module'"),
    ("raise SystemExit(0)\n", "wrong.py, line 1: the import failed: SystemExit: 0"), (None, "wrong.py: there is no such file"),
    ("from irmetrics_nb import measure\n@measure('AP')\ndef f(ranking, /): return 0\n", "wrong.py, line 2: the import failed: ValueError: ")])
def test_a_file_that_cannot_be_imported_is_one_clear_error(folder, text, said):
    if text is not None:
        (folder / "wrong.py").write_text(text)
    for call in (["evaluate", "qrels.txt", "one.run", "--import", "wrong.py"], ["measures", "--import", "wrong.py"], ["audit", "wrong.py:f"]):
        done = irmetrics(*call, cwd=folder)
        assert done.returncode == 1 and done.stdout == "" and done.stderr.startswith(f"irmetrics: error: {said}") and done.stderr.count("\n") == 1, done.stderr
    assert "no_module: the import failed: ModuleNotFoundError" in irmetrics("measures", "--import", "no_module", cwd=folder).stderr


def test_a_function_of_a_file_is_audited_and_its_exceptions_are_findings(folder):
    (folder / "some functions.py").write_text("""
def precision(grades, k):
    from later_of_mine import positive
    return sum(map(positive, grades[:k])) / k

def fails(grades, k): raise RuntimeError('not today')

class Measures:
    @staticmethod
    def mean(true, k): return sum(x > 0 for x in true[:k]) / k

number = 3
""")
    (folder / "later_of_mine.py").write_text("def positive(x): return x > 0\n")
    right = irmetrics_process("audit", "some functions.py:precision", "-m", "P@10", cwd=folder)
    assert right.returncode == 0 and right.stdout.startswith("precision as P@10: passed"), right.stderr
    assert irmetrics_process("audit", folder / "some functions.py:precision", "-m", "P@10", "--format", "json").stdout.startswith("{")
    wrong = irmetrics("audit", "some functions.py:fails", "-m", "P@10", cwd=folder)
    assert wrong.returncode == 3 and "raises RuntimeError: not today" in wrong.stdout and wrong.stderr == ""
    nested = irmetrics("audit", "some functions.py:Measures.mean", "-m", "P@10", "--shape", "grades k", cwd=folder)
    assert nested.returncode == 0 and nested.stdout.startswith("mean as P@10: passed")
    for name, said in {"some functions.py:recall": "some functions.py has no recall", "some functions.py:number": "number in some functions.py is not a function",
                       "some functions.py": "'some functions.py' is not a function; write file.py:function or package.module:function",
                       "none.py:f": "none.py: there is no such file"}.items():
        done = irmetrics("audit", name, cwd=folder)
        assert (done.returncode, done.stderr) == (1, f"irmetrics: error: {said}\n")


def test_a_parameter_is_an_argument_in_python_and_an_option_in_the_command():
    for parts, python, option in [(("ties", "average"), "ties='average'", "--ties average"), (("no_relevant", "zero"), "no_relevant='zero'", "--no-relevant zero"),
                                  (("test", "randomization", "t"), "test='randomization' or 't'", "--test randomization or t"), (("max_drop",), "max_drop", "--max-drop"),
                                  (("duplicates", "first", "last", "best"), "duplicates='first', 'last' or 'best'", "--duplicates first, last or best")]:  # fmt: skip
        assert parameter(*parts) == python
        with naming_options():
            assert parameter(*parts) == option
            with naming_options(False):
                assert parameter(*parts) == python
            assert parameter(*parts) == option
        assert parameter(*parts) == python
    with pytest.raises(ValueError, match="x"), naming_options():
        raise ValueError(phrase("y", "x"))
    assert phrase("y", "x") == "y"


def test_each_parameter_that_a_message_names_is_an_option_of_a_command():
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in project.PACKAGE.rglob("*.py")]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "parameter"]
    options = {flag for command in get_command(app).commands.values() for parameter in command.params for flag in parameter.opts}
    named = {f"--{call.args[0].value.replace('_', '-')}" for call in calls if isinstance(call.args[0], ast.Constant)}
    assert len(calls) > 20 and named | {"--columns", "--run-columns"} <= options, "name only parameters that are options of a command"


def test_messages_advise_options_of_the_command(folder):
    ranked = irmetrics("evaluate", "qrels.txt", "one.run", "-m", "AP(divisor='retrieved')@2", "--ties", "best", cwd=folder)
    assert ranked.returncode and "use --ties average" in ranked.stderr
    (folder / "three.txt").write_text("q1 a 0.5\nq1 b 0.25\n")
    three = irmetrics("evaluate", "qrels.txt", "three.txt", "-m", "RR", cwd=folder)
    advice = "--run-columns query=1,document=2,score=3, or rank=NAME instead of score=NAME if the smallest number is the best"
    assert three.returncode == 1 and advice in three.stderr, three.stderr
    assert irmetrics("evaluate", "qrels.txt", "three.txt", "-m", "RR", "--run-columns", "query=1,document=2,score=3", cwd=folder).returncode == 0
    (folder / "judged.txt").write_text("".join(f"q{q} 0 d{q % 3} 1\n" for q in range(6)))
    (folder / "places.run").write_text("".join(f"q{q} Q0 d{(q + i) % 9} 0 {i} x\n" for q in range(6) for i in range(1, 10)))
    places = irmetrics("evaluate", "judged.txt", "places.run", "-m", "RR", cwd=folder)
    assert "write --run-columns query=1,document=3,rank=5 (here for a TREC run)" in places.stderr and "descending" not in places.stderr
    named = irmetrics("evaluate", "judged.txt", "places.run", "-m", "RR", "--run-columns", "query=1,document=3,rank=5", "--format", "json", cwd=folder)
    put(folder / "s.csv", ("query,document,relevance\n" + "".join(f"q{q},d{i},{12.37 - i * 0.731 - q / 100}\n" for q in range(6) for i in range(9))).encode())
    put(folder / "g.csv", ("query,document,score\n" + "".join(f"q{q},d{i},{i % 3}\n" for q in range(6) for i in range(4))).encode())
    assert "If they are not swapped, name the columns with --columns and --run-columns" in irmetrics("evaluate", "s.csv", "g.csv", cwd=folder).stderr
    columns = "--columns", "query=query,document=document,grade=relevance", "--run-columns", "query=query,document=document,score=score"
    assert irmetrics("evaluate", "s.csv", "g.csv", *columns, cwd=folder).returncode == 0
    put(folder / "dict.json", b'{"q1": {"a": 1}}')
    assert "dict.json: --columns and --run-columns work for tables" in irmetrics("evaluate", "dict.json", "one.run", "--columns", "query=q,document=d,grade=g", cwd=folder).stderr
    ranks = [(q % 3 - q) % 9 or 9 for q in range(6)]
    assert json.loads(named.stdout)[0]["means"]["RR"] == pytest.approx(sum(1 / rank for rank in ranks) / 6) and named.stderr == ""


def test_every_output_can_go_to_a_file_by_o(folder):
    for command in (["evaluate", "qrels.txt", "one.run"], ["check", "qrels.txt", "one.run"], ["compare", "qrels.txt", "one.run", "two.run"],
                    ["explain", "qrels.txt", "one.run", "q1"], ["worst", "qrels.txt", "one.run"], ["measures"]):  # fmt: skip
        name = f"{command[0]}.out"
        assert irmetrics(*command, "-o", name, cwd=folder).stdout == "" and Path(folder / name).stat().st_size > 20, command


def test_column_options_work_for_folders_patterns_and_systems(folder):
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


def test_ambiguous_columns_are_an_error_that_names_the_option(tmp_path):
    qrels = put(tmp_path / "qrels.csv", b"query_id,doc_id,relevance\nq,a,1\n")
    run = put(tmp_path / "run.csv", b"query_id,docid,pid,score\nq,a,x,1\n")
    done = irmetrics("evaluate", qrels, run, "-m", "RR")
    assert done.returncode == 1 and "columns 'docid' and 'pid' may both be the document;" in done.stderr
    assert done.stderr.endswith("choose the columns: --run-columns document=NAME\n")
    assert "1.0" in irmetrics("evaluate", qrels, run, "-m", "RR", "--run-columns", "document=docid", "--format", "csv").stdout


def test_differ_describes_the_closest_conventions_in_words_in_the_command(tmp_path):
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 c 1\nq2 0 d 1\n")
    (tmp_path / "run.txt").write_text("q1 Q0 a 1 .5 x\nq1 Q0 b 2 .5 x\nq2 Q0 d 1 .7 x\nq2 Q0 z 2 .7 x\nq2 Q0 c 3 .7 x\n")
    done = irmetrics("differ", "qrels.txt", "run.txt", "AP", "0.61", "trec_eval", cwd=tmp_path)
    closest = "AP = 0.61: no combination of conventions gives this value; 0.625000 is the closest (ap-over-list, {})"
    assert closest.format("unjudged documents are removed") in done.stderr
    with pytest.raises(ValueError, match="is the closest") as error:
        differ(str(tmp_path / "qrels.txt"), str(tmp_path / "run.txt"), "AP", a="0.61", b="trec_eval")
    assert str(error.value) in (closest.format("unjudged='skip'"), closest.replace("(ap-over-list, {})", "(unjudged='skip', ap-over-list)"))
