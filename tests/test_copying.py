"""What can be copied from a page runs: its visible code alone, in page order, in an empty folder; and quotation marks in code stay straight.

`test_guide` runs the pages of the guide. Pages that export a module show the code of the package, which is imported and not copied.
"""
import json
import re
from html import unescape
from pathlib import Path

import pages
import pytest
from project import NBS, ROOT, cells, module_of, notebooks
from test_guide import COMMANDS, IN_PYTHON, is_visible, run_page, shown_texts, steps
from test_pages_to_play import LEARNING, PRACTICE, TUTORIALS

DOCS = ROOT / "_docs"
CURLY = re.compile("[‘’“”]")
CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.MULTILINE | re.DOTALL)
READ = [name for name in notebooks() if module_of(NBS / name) is None]
FOLDED = [name for name in READ if any("code-fold" in cell.directives for cell in cells(NBS / name))]
# The others are run with all that they show, in an empty folder, by test_guide and test_pages_to_play.
ALONE = [name for name in READ if name in FOLDED or name not in [*IN_PYTHON, COMMANDS, *LEARNING, *TUTORIALS, *PRACTICE]]


def open_steps(name):
    "What a reader can copy from a page without a click, in its order."
    folded = {cell.source for cell in cells(NBS / name) if "code-fold" in cell.directives}
    return [step for step in steps(name) if step[1] not in folded]


@pytest.mark.parametrize("name", ALONE, ids=str)
def test_visible_code_of_a_page_runs_alone_in_its_order(name, tmp_path):
    failure = run_page(open_steps(name), tmp_path)
    assert failure == "", f"{failure}\nMove imports and definitions to visible cells, or hide the cell that needs what is hidden or folded."


def test_pages_that_run_alone_are_most_of_the_pages_for_readers():
    assert len(ALONE) >= 20 and {"index.ipynb", "reference/errata.ipynb", "reference/collection.ipynb"} <= {*map(str, ALONE)}
    assert [str(name) for name in FOLDED if name.stem == "bad_query"], "a fold is seen"


def test_code_that_needs_a_folded_definition_is_found(tmp_path):
    source = {"#| code-fold: true\nk = 3": {}, "k + 1": {}}
    book = [{"cell_type": "code", "source": text, "outputs": [], "metadata": {}, "execution_count": None} for text in source]
    (tmp_path / "page.ipynb").write_text(json.dumps({"cells": book, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), encoding="utf-8")
    for folder in ("open", "folded"):
        (tmp_path / folder).mkdir()
    assert run_page([*steps(tmp_path / "page.ipynb")], tmp_path / "open") == ""
    assert "name 'k' is not defined" in run_page(open_steps(tmp_path / "page.ipynb"), tmp_path / "folded")


# ---- quotation marks ----


@pytest.mark.parametrize("text, expected", [
    ("use test='t'", r"use test=\'t\'"), ("| `a='b'` | 'c' |", r"| `a='b'` | \'c\' |"), (r"\'x\'", r"\'x\'"),
    ("<div a='b'\n c=\"d\">it's</div>", "<div a='b'\n c=\"d\">it\\'s</div>"), ("```\n'a'\n```\n'b'", "```\n'a'\n```\n\\'b\\'"),
    ("<pre>it's</pre> $f'(x)$ [x](y'z)", "<pre>it's</pre> $f'(x)$ [x](y'z)"),
])  # fmt: skip
def test_quotes_outside_of_code_are_escaped(text, expected):
    assert pages.straight(text) == expected


def test_code_in_the_text_of_a_page_has_no_curly_quote():
    names = [*notebooks(), *(Path("zh") / name.relative_to(NBS / "zh") for name in (NBS / "zh").rglob("*.ipynb"))]
    found = [(str(name), code) for name in names for cell in cells(NBS / name) if cell.kind == "markdown" for code in CODE.findall(cell.source)]
    assert len(found) > 1000
    assert [(name, code) for name, code in found if CURLY.search(code)] == []


def test_visible_code_is_python_with_straight_quotes():
    seen = [(name, cell) for name in notebooks() for cell in cells(NBS / name) if is_visible(cell)]
    assert len(seen) > 900
    for name, cell in seen:
        outside = re.sub(r"'''.*?'''|\"\"\".*?\"\"\"|'[^'\n]*'|\"[^\"\n]*\"|#.*", "", cell.source, flags=re.DOTALL)
        assert cell.tree and not CURLY.search(outside), f"{name}, cell {cell.index}"


if DOCS.exists():

    @pytest.mark.parametrize("name", [name for name in READ if (DOCS / name).with_suffix(".html").exists()], ids=str)
    def test_rendered_code_has_no_quote_that_its_notebook_does_not_have(name):
        page = (DOCS / name).with_suffix(".html").read_text(encoding="utf-8").partition("<main")[2]
        shown = "".join(unescape(re.sub(r"<[^>]+>", "", code)) for code in re.findall(r"<(?:code|pre)\b.*?</(?:code|pre)>", page, re.DOTALL))
        written = "".join(cell.source + "".join(shown_texts(cell)) + json.dumps(cell.outputs, ensure_ascii=False) for cell in cells(NBS / name))
        assert set(CURLY.findall(shown)) <= set(CURLY.findall(written))
