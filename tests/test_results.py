"Rows in, text out: what goes into a table comes back out of it, in every format."
import csv
import io
import json
import math
import pickle
import re
import shutil
import subprocess
from collections import Counter
from html.parser import HTMLParser
from math import nan

import numpy as np
import polars as pl
import pytest
from helpers import irmetrics
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from irmetrics_nb import (
    Checkup,
    Scores,
    check,
    compare,
    evaluate,
    explain,
    explain_difference,
    gate,
    load_example,
    report,
)
from irmetrics_nb.results.records import Recorded
from irmetrics_nb.results.results import (
    Cell,
    Table,
    Text,
    booktabs,
    csv_text,
    rendered,
    showing_digits,
)

LAID_OUT = ["text", "markdown", "html", "latex"]


def table_text(head, rows, form):
    return rendered([Table(head, rows)], form)


def note_text(note, form):
    return rendered([Text(note, "small")], form)


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
numbers = st.floats() | st.integers(-9, 9).map(float)


@given(st.lists(st.tuples(text, numbers), max_size=5), text)
def test_csv_gives_back_every_text_and_the_same_number(rows, head):
    table = list(csv.reader(io.StringIO(csv_text([head, "x"], [list(row) for row in rows]), newline="")))
    assert table[0] == [head, "x"]
    assert [[name, repr(float(x))] for name, x in table[1:]] == [[name, repr(x)] for name, x in rows]


def test_csv_writes_nan_as_a_word_and_numbers_in_full():
    assert csv_text(["a", "b"], [["x", 0.1 + 0.2], ["", nan]]) == 'a,b\nx,0.30000000000000004\n"",NaN'


@pytest.mark.parametrize("format", LAID_OUT)
def test_numbers_have_four_decimals_and_text_stays_text(format):
    shown = table_text(["name", "value"], [["1e5", 0.123449], ["nan", 2.0]], format)
    for word in "name", "value", "1e5", "nan", "0.1234", "2.0000":
        assert word in shown
    assert "100000" not in shown


@pytest.mark.parametrize("format", LAID_OUT)
def test_a_table_without_rows_has_its_head(format):
    assert "value" in table_text(["name", "value"], [], format)


def test_a_bar_or_a_line_break_does_not_break_a_markdown_table():
    shown = table_text(["a|b", "x"], [["c|d\ne", 1.0]], "markdown")
    assert len(shown.splitlines()) == 3
    assert r"a\|b" in shown
    assert r"c\|d\\ne" in shown


class Words(HTMLParser):
    "What a browser shows of a page, and the tags that it saw."
    def __init__(self, page):
        super().__init__()
        self.shown, self.tags = "", set()
        self.feed(page)

    def handle_data(self, data):
        self.shown += data

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)


@pytest.mark.parametrize("evil", ["<script>alert(1)</script>", "a & b", "<b>", '"x"'])
def test_ids_stay_text_in_html(evil):
    for page in (Words(table_text(["id", "x"], [[evil, 1.0]], "html")), Words(note_text(evil, "html"))):
        assert evil in page.shown
        assert not {"script", "b"} & page.tags
    assert evil in Words(note_text(evil, "markdown")).shown


def test_ids_stay_text_in_latex():
    assert r"\input{" not in table_text(["id", "x"], [[r"\input{secret}", 1.0]], "latex")
    assert note_text("one\ntwo", "latex") == "% one\n% two"


def test_a_note_in_a_terminal_is_wrapped():
    note = "word " * 60
    assert max(map(len, note_text(note, "text").splitlines())) <= 100
    assert note_text(note, "text").split() == note.split()


# ---- marks ----

MARKED = Table(["system", "AP", "P@5"], [["a_b", Cell(0.5228, "ab", best=True), 0.6], ["50%", Cell(0.25, "c"), 0.4], ["x", 0.125, 12.5]], "Means.", "tab:means")


def test_decimal_points_are_aligned_for_any_marks():
    lines = [line for line in rendered([MARKED], "text").splitlines() if "0." in line]
    assert len({line.index(".") for line in lines}) == 1 and len({line.rindex(".") for line in lines}) == 1, lines


def test_markdown_aligns_marked_columns_to_the_left():
    rule = rendered([MARKED], "markdown").splitlines()[1].strip("|").split("|")
    assert [side.endswith(":") for side in rule] == [False, False, True]


def test_a_marked_column_of_a_page_has_room_for_the_longest_mark_in_every_row():
    page = rendered([MARKED], "html")
    assert page.count("min-width:2ch") == 3 and "<b>0.5228</b>" in page


def test_each_row_of_a_table_for_a_paper_has_as_many_cells_as_the_table_has_columns():
    text = booktabs(MARKED)
    (columns,) = re.findall(r"\\begin\{tabular\}\{(.*)\}", text)
    width = len(columns.replace("@{}", ""))
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    cells = [1 + len(re.findall(r"(?<!\\)&", row)) + sum(int(n) - 1 for n in re.findall(r"multicolumn\{(\d)", row)) for row in rows]
    assert width == 4 and cells == [4] * 4, text


def test_no_two_tables_of_a_paper_have_one_label():
    labels = re.findall(r"\\label\{(.*)\}", rendered([MARKED, Text("x"), MARKED, MARKED], "latex"))
    assert labels == ["tab:means", "tab:means-2", "tab:means-3"]


def test_quotes_in_the_name_of_a_measure_stay_straight():
    assert "nDCG(gain=\\textquotesingle{}exp\\textquotesingle{})" in rendered([Table(["x", "nDCG(gain='exp')"], [["a", 1.0]])], "latex")


def test_an_empty_list_leaves_no_trace():
    assert [rendered([[]], form) for form in LAID_OUT] == [""] * 4


# ---- every result has the same verbs ----

EXAMPLE = load_example()
TWO = {name: EXAMPLE.runs[name] for name in ("bm25", "title")}
RESULTS = {
    "scores": lambda: evaluate(EXAMPLE.qrels, TWO, "AP nDCG@10"), "scores of one": lambda: evaluate(EXAMPLE.qrels, TWO["bm25"], "AP GMAP NumRel"),
    "comparison": lambda: compare(EXAMPLE.qrels, TWO, "AP RR"), "slices": lambda: compare(EXAMPLE.qrels, TWO, "AP", groups={"q01": "x", "q02": "y"}),
    "explanation": lambda: explain("nDCG@5", EXAMPLE.qrels, TWO["bm25"], "q03", documents=EXAMPLE.documents),
    "difference": lambda: explain_difference("AP", EXAMPLE.qrels, *TWO.values()),
    "documents": lambda: explain_difference("AP", EXAMPLE.qrels, *TWO.values()).query("q02"),
    "checkup": lambda: check(EXAMPLE.qrels, TWO), "report": lambda: report(EXAMPLE.qrels, TWO, "AP NumRel")}


@pytest.fixture(scope="module", params=RESULTS)
def result(request):
    return RESULTS[request.param]()


def test_a_result_becomes_a_table_a_text_and_a_file(result, tmp_path):
    table, frame = result.to_polars(), result.to_pandas()
    assert table.height == len(frame) > 0 and {*table.columns} >= {*map(str, frame.columns)}
    read = json.loads(result.to_json(), parse_constant=lambda word: 1 / 0)
    assert read and isinstance(result.to_dict(), dict)
    texts = {"txt": rendered(result._blocks(), "text"), "md": result.to_markdown(), "html": result.to_html(), "tex": result.to_latex()}
    for end, text in texts.items():
        result.save(tmp_path / f"x.{end}")
        assert (tmp_path / f"x.{end}").read_text(encoding="utf-8") == text + "\n" and text.strip()
    result.save(tmp_path / "x.json")
    saved = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))
    if isinstance(result, Recorded):
        assert saved.pop("record")["kind"] == type(result).__name__
    assert (saved["runs"] if isinstance(result, Scores) else saved) == read
    result.save(tmp_path / "x.parquet")
    assert pl.read_parquet(tmp_path / "x.parquet").equals(table)
    result.save(tmp_path / "x.csv")
    with (tmp_path / "x.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == table.columns and len(rows) == table.height + 1


def test_a_name_that_promises_something_else_is_refused_and_nothing_written(result, tmp_path):
    for name in ("x.xlsx", "x.pdf", "x.html.gz"):
        with pytest.raises(ValueError, match="a result is written as"):
            result.save(tmp_path / name)
    with pytest.raises(ValueError, match="not 'excel'"):
        result.save(tmp_path / "x.md", "excel")
    assert [*tmp_path.iterdir()] == []


def test_text_html_and_markdown_contain_the_same_numbers(result):
    def numbers(text): return Counter(re.findall(r"\d\.\d{4}(?!\d)", text))
    printed = numbers(rendered(result._blocks(), "text"))
    assert printed or isinstance(result, Checkup)
    assert numbers(rendered(result._blocks(), "html")) == numbers(rendered(result._blocks(), "markdown")) == printed


def test_tables_for_a_paper_have_as_many_cells_as_columns(result):
    for table in re.findall(r"\\begin\{tabular\}.*?\\end\{tabular\}", result.to_latex(), re.S):
        width = len(re.search(r"\{tabular\}\{(.*)\}", table)[1].replace("@{}", ""))
        for row in re.findall(r"^ +(.*?) \\\\$", table, re.M):
            assert 1 + len(re.findall(r"(?<!\\)&", row)) + sum(int(n) - 1 for n in re.findall(r"multicolumn\{(\d)", row)) == width, row


def test_every_table_for_a_paper_has_a_caption_before_its_label(result):
    latex = result.to_latex()
    assert latex.count(r"\begin{table}") == len(re.findall(r"^  \\caption\{\S.*\}\n  \\label\{tab:.*\}$", latex, re.M)) > 0


def test_a_table_without_a_caption_has_no_label():
    assert r"\label" not in booktabs(Table(["x"], [[1.0]], label="tab:x"))
    assert r"\label" in booktabs(Table(["x"], [[1.0]], "What it says.", "tab:x"))


PAPER = r"\documentclass{article}\usepackage[utf8]{inputenc}%s\begin{document}%s\end{document}"

if shutil.which("pdflatex"):

    @pytest.mark.parametrize("packages", ["", r"\usepackage{graphicx}"])
    def test_latex_compiles_and_with_graphicx_is_no_wider_than_the_page(result, packages, tmp_path):
        (tmp_path / "x.tex").write_text(PAPER % (packages, result.to_latex() + "\n"), encoding="utf-8")
        done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "x.tex"], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-2000:]
        assert not packages or "Overfull" not in done.stdout


def test_means_are_a_dict_of_a_few_bytes_wherever_they_go():
    scores = evaluate(EXAMPLE.qrels, EXAMPLE.runs["bm25"], "AP nDCG@10")
    there = pickle.loads(pickle.dumps(scores.means))
    assert type(there) is dict and there == scores.means and len(pickle.dumps(scores.means)) < 150
    assert scores.means["MAP"] == scores.means["AP"], "a look-up takes any spelling"


def test_measures_other_than_quality_are_not_bold_or_tested():
    scores = evaluate(EXAMPLE.qrels, EXAMPLE.runs, "nDCG@10 Judged@10 NumRelRet")
    bold = [line for line in scores.to_markdown().splitlines() if "**" in line]
    assert len(bold) == 1 and bold[0].count("**") == 2
    with pytest.raises(ValueError, match="nothing to test, because these are not measures of quality: Judged@10"):
        compare(EXAMPLE.qrels, TWO, "Judged@10")
    beside = compare(EXAMPLE.qrels, TWO, "AP Judged@5")
    assert {pair.measure for pair in beside.rows} == {"AP"} and "Judged@5" in str(beside) and r"1.0000 &  &" not in beside.to_latex()
    assert beside.to_markdown().count("**") == 2
    found = report(EXAMPLE.qrels, TWO, "AP Judged@10", checkup=False)
    assert found.comparison.sample.measures == ("AP",) and "Judged@10" in found.to_markdown()


def test_the_summary_has_a_row_per_run_and_measure():
    scores = evaluate(EXAMPLE.qrels, TWO, "AP GMAP")
    rows = {(row["run"], row["measure"]): row for row in scores.summary().to_dicts()}
    assert rows["title", "AP"]["mean"] == scores.means["title"]["AP"] and rows["bm25", "AP"]["queries"] == 36
    assert rows["bm25", "AP"]["median"] == np.median(scores["AP"][0])
    assert math.isclose(rows["bm25", "AP"]["standard_error"], stats.sem(scores["AP"][0]))


def test_a_gate_is_a_result_with_rows_in_every_form(tmp_path):
    example = load_example()
    comparison = compare(example.qrels, {name: example.runs[name] for name in ("bm25", "title")}, "AP", baseline="bm25")
    verdict = gate(comparison, max_drop=0.01, floors=["AP=0.1"])
    assert verdict.rows == verdict.verdicts and len(verdict.rows) == 2 and [row.passed for row in verdict.rows] == [False, True]
    table = verdict.to_polars()
    assert table.columns == ["check", "system", "measure", "slice", "passed", "unknown", "text"] and table["check"].to_list() == ["drop", "floor"]
    page, paper = verdict.to_html(), verdict.to_latex()
    assert "<b>Gate: FAILED: 1 of 2 checks</b>" in page and page.index("<b>FAILED</b>: AP of title") < page.index("<b>passed</b>")
    assert "% Gate: FAILED: 1 of 2 checks" in paper and verdict._repr_html_() == page
    verdict.save(tmp_path / "gate.json")
    saved = json.loads((tmp_path / "gate.json").read_text())
    assert saved.pop("record")["kind"] == "Gate" and saved == json.loads(verdict.to_json()) == verdict.to_dict()
    verdict.save(tmp_path / "gate.md")
    assert (tmp_path / "gate.md").read_text() == verdict.to_markdown() + "\n" == verdict._repr_markdown_() + "\n"


def test_digits_reach_tables_sentences_reports_files_and_the_command(tmp_path):
    example, two = load_example(), {name: load_example().runs[name] for name in ("bm25", "tfidf")}
    scores, comparison = evaluate(example.qrels, two, "AP"), compare(example.qrels, two, "AP")
    value = scores.means["bm25"]["AP"]
    for digits in (0, 2, 5):
        text = f"{value:.{digits}f}"
        for result in (scores, comparison, report(example.qrels, two, "AP")):
            for written in (result.to_markdown(digits=digits), result.to_latex(digits=digits), result.to_html(digits=digits)):
                assert re.search(rf"(?<![\d.]){re.escape(text)}(?![\d.]*\d)", written), (digits, type(result))
                assert digits >= 4 or f"{value:.4f}" not in written
    assert "tfidf − bm25 = −0.07 AP (95 % interval −0.14 to 0.00, p = 0.061" in comparison.to_markdown(digits=2)
    assert scores.to_markdown() == scores.to_markdown(digits=4) != scores.to_markdown(digits=3)
    assert '"digits": 2' in report(example.qrels, two, "AP").to_html(digits=2)
    why = explain("AP", example.qrels, two["bm25"], "q03")
    cells = [re.findall(r">(\d\.\d+)<", why.to_html(digits=digits)) for digits in (None, 2)]
    assert max(map(len, cells[0])) == len("0.4306") and max(map(len, cells[1])) == len("0.43")
    with showing_digits(2):
        assert f"{value:.2f}" in str(scores) and f"{value:.3f}" not in str(scores)
        closed = gate(compare(example.qrels, two, "AP", baseline="bm25"), floors=["AP=0.9"])
    assert f"AP of tfidf: {scores.means['tfidf']['AP']:.2f}, at least 0.9" in str(closed)
    scores.save(tmp_path / "scores.md", digits=1)
    assert f"{value:.1f}" in (tmp_path / "scores.md").read_text() and f"{value:.2f}" not in (tmp_path / "scores.md").read_text()
    args = [str(example.folder / name) for name in ("qrels.txt", "runs/bm25.run.gz", "runs/tfidf.run.gz")]
    for command in ("evaluate", "compare"):
        printed = irmetrics(command, *args, "-m", "AP", "--digits", "2").stdout
        assert f"{value:.2f}" in printed and f"{value:.3f}" not in printed
    assert irmetrics("evaluate", *args).stdout == irmetrics("evaluate", *args, "--digits", "4").stdout
    with pytest.raises(ValueError, match="digits must be 0 or more, not -1"):
        scores.to_markdown(digits=-1)
