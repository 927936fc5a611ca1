"Rows in, text out: what goes into a table comes back out of it, in every format."
import csv
import io
from html.parser import HTMLParser
from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmetrics_nb.showing.formats import FORMATS, csv_text, note_text, table_text

LAID_OUT = [name for name, layout in FORMATS.items() if layout]
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
    assert max(map(len, note_text(note, "table").splitlines())) <= 100
    assert note_text(note, "table").split() == note.split()
