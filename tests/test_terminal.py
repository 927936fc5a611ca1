"Tables in a terminal: the same numbers with colours; and plain text, byte for byte, wherever nobody looks."
import io
import os
import re
import subprocess
import sys

import pytest
from helpers import irmetrics, terminal
from rich.console import Console

from irmetrics_nb import evaluate, explain, load_example
from irmetrics_nb.cli_common import explanation_parts, for_terminal
from irmetrics_nb.evaluation.scores import rendered_scores as render

EXAMPLE = load_example()
TWO = {name: EXAMPLE.runs[name] for name in ("bm25", "title")}
FILES = ["qrels.txt", "runs/bm25.run.gz", "runs/title.run.gz"]
CALL = "import sys; from irmetrics_nb.cli import main; sys.argv[0] = 'irmetrics'; main()"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def in_a_terminal(*args, **env):
    "What the command prints to a terminal, and its exit code."
    plain = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    known = {"TERM": "xterm-256color", "COLUMNS": "120", "PYTHONPATH": os.pathsep.join(sys.path)}
    return terminal("-c", CALL, *args, cwd=EXAMPLE.folder, env=plain | known | env)


def shown(parts, width=120):
    "Parts as a console without colours prints them."
    console = Console(width=width, force_terminal=False, no_color=True, force_jupyter=False, file=io.StringIO())
    for part in parts:
        console.print(part)
    return console.file.getvalue()


def colours(parts):
    "{text: style} of the cells of the first table."
    table = next(part for part in parts if hasattr(part, "columns"))
    return {cell.plain: cell.style for column in table.columns for cell in column._cells}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals of this kind")
@pytest.mark.parametrize("args", [["evaluate", *FILES], ["evaluate", *FILES[:2]], ["explain", *FILES[:2], "q03", "--rows", "5"]])
def test_a_terminal_gets_colours_and_the_same_numbers_and_no_colour_where_that_is_wished(args):
    said, code = in_a_terminal(*args)
    assert code == 0 and COLOUR.search(said)
    plain = irmetrics(*args, cwd=EXAMPLE.folder).stdout
    assert "\x1b" not in plain
    numbers = re.compile(r"\d+\.\d{4}")
    assert numbers.findall(COLOUR.sub("", said)) == numbers.findall(plain)
    bare, _ = in_a_terminal(*args, NO_COLOR="1")
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]", bare)


def test_a_pipe_gets_the_plain_text_byte_for_byte_and_rich_is_not_loaded():
    scores = evaluate(EXAMPLE.folder / "qrels.txt", [EXAMPLE.folder / name for name in FILES[1:]])
    assert irmetrics("evaluate", *FILES, cwd=EXAMPLE.folder).stdout == render(scores) + "\n"
    why = explain("nDCG@10", EXAMPLE.qrels, EXAMPLE.runs["bm25"], "q03")
    assert irmetrics("explain", *FILES[:2], "q03", cwd=EXAMPLE.folder).stdout == why.to_text() + "\n"
    code = CALL.replace("main()", "sys.argv[1:] = {0!r}\ntry: main()\nexcept SystemExit: pass\nprint([m for m in ('rich.table', 'jinja2') if m in sys.modules])")
    for args in (["evaluate", *FILES], ["explain", *FILES[:2], "q03"]):
        done = subprocess.run([sys.executable, "-c", code.format(args)], capture_output=True, text=True, cwd=EXAMPLE.folder,
                              env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})
        assert done.stdout.endswith("\n[]\n"), done.stdout + done.stderr


def test_best_is_green_and_worst_is_red_unless_all_are_equal():
    parts = for_terminal(evaluate({"q": {"d": 1}}, {"a": {"q": ["d"]}, "b": {"q": ["x", "d"]}, "c": {"q": ["x", "y", "d"]}}, "RR NumRel")._blocks())
    looks = [cell.style for cell in parts[0].columns[1]._cells]
    assert looks == ["bold green", "", "red"]
    assert {cell.style for cell in parts[0].columns[2]._cells} == {""}


def test_of_one_run_nothing_is_better():
    parts = for_terminal(evaluate(EXAMPLE.qrels, EXAMPLE.runs["bm25"])._blocks())
    assert set(colours(parts).values()) == {""} and "std. error" in shown(parts)


def test_gains_are_green_and_missed_documents_are_red():
    why = explain("nDCG@3", EXAMPLE.qrels, EXAMPLE.runs["bm25"], "q03")
    parts = explanation_parts(why, 5)
    table = parts[1]
    assert [row.style for row in table.rows] == ["", "", "", "dim", "dim"]
    terms = {cell.plain: cell.style for column in table.columns if str(column.header) == "term" for cell in column._cells}
    assert terms == {"0.0000": "", "1.2619": "green", "1.0000": "green"}
    assert [part.style for part in parts if "Not retrieved" in str(part)] == ["red"]
    assert [explanation_parts(changed, 5)[1].style for changed in (why.move("numpy.argpartition", 1), why.grade("numpy.sort", 0))] == ["green", "red"]


@pytest.mark.parametrize("width", [60, 80, 200])
def test_a_row_of_a_terminal_is_one_line_at_any_width(width):
    why = explain("nDCG@3", EXAMPLE.qrels, EXAMPLE.runs["bm25"], "q03", documents=EXAMPLE.documents)
    lines = shown(explanation_parts(why, 5)[1:2], width).splitlines()
    assert len([line for line in lines if line.strip()]) == 7 and max(map(len, lines)) <= width
