"The Chinese pages have the code, the outputs, the numbers, the formulas and the links of the English pages."
import copy
import json
import re
from pathlib import Path

import chinese
import finding
import pages
import pytest
import rendered
from project import NBS, ROOT, sidebar, translations

SITE = ROOT / "_docs"
WANTED = """index tutorials/good_ranking tutorials/first_lab learn/sets learn/ap learn/dcg learn/cascade learn/auc learn/mock_exam
    learn/read_code learn/formula_sheet guide/which_metric guide/questions guide/questions_numbers reference/glossary reference/errata""".split()
DRILLS = sorted(path.stem for path in (NBS / "learn" / "drills").glob("*.ipynb"))
NAMES = [name.as_posix() for name in translations()]
each_page = pytest.mark.parametrize("page", NAMES)
HAN = re.compile(r"[\u3400-\u9fff]")


def both(page):
    "The English and the Chinese notebook of a page."
    return chinese.read(NBS / page), chinese.read(NBS / "zh" / page)


def test_the_core_pages_exist_in_chinese():
    assert DRILLS and {f"{name}.ipynb" for name in [*WANTED, *(f"learn/drills/{drill}" for drill in DRILLS)]} == set(NAMES)
    assert {entry.href for entry in sidebar() if entry.part == "中文"} == {f"zh/{name}" for name in NAMES}


@each_page
def test_a_page_is_what_the_english_page_and_its_translation_make(page):
    english, stored = both(page)
    assert chinese.update(page, english, stored, chinese.words().get(page, {})) == stored
    assert list(chinese.differences(page, english, stored)) == []


@each_page
def test_chinese_pages_set_their_language_and_skip_execution(page):
    title, _, rest = "".join(both(page)[1]["cells"][0]["source"]).partition("\n")
    assert HAN.search(title + rest) and "- lang: zh-CN" in rest and "- skip_exec: true" in rest


@each_page
def test_every_text_with_words_is_translated(page):
    english, stored = both(page)
    for ours, theirs in zip(english["cells"], stored["cells"], strict=True):
        text = "".join(ours["source"])
        if ours["cell_type"] == "markdown" and len(re.findall(r"[a-z]{3,}", text)) > 8:
            assert HAN.search("".join(theirs["source"])), text[:80]


@each_page
def test_every_phrase_is_one_of_the_english_page(page):
    stored = both(page)[0]["cells"]
    outputs = [output for cell in stored for output in cell.get("outputs", [])]
    data = [value for output in outputs for value in [*output.get("data", {}).values(), output.get("text", "")]]
    text = "\n".join(["".join(cell["source"]) for cell in stored] + ["".join(value) for value in data if isinstance(value, str | list)])
    assert [phrase for phrase in chinese.words().get(page, {}) if phrase not in text] == []


def changed(page, old, new):
    "What the check says of a Chinese page in whose first fitting cell `old` became `new`."
    english, stored = both(page)
    stored = copy.deepcopy(stored)
    for cell in stored["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown" and re.search(old, text):
            cell["source"] = re.sub(old, new, text, count=1)
            return list(chinese.differences(page, english, stored))
    raise AssertionError(f"{page} has no {old}")


@pytest.mark.parametrize(("old", "new", "kind"), [
    (r"(?<=\d)\.6917", ".6971", "formulas"), ("。", "7。", "numbers"), (r"\]\(\.\./[^)]+\)", "](x.ipynb)", "links"),
    (r"(?m)^## ", "### ", "headings"), (r"data-swap=\"2 6\"", 'data-swap="2 5"', "tags"),
])  # fmt: skip
def test_a_page_that_drifts_apart_is_reported(old, new, kind):
    (said, *_) = changed("learn/ap.ipynb", old, new)
    assert f": {kind} of the English page" in said


def test_short_phrases_are_translated_only_as_whole_texts():
    phrases = {"no": "否", "rank": "名次", "the whole of a long sentence": "一整句"}
    text = "| no | rank 1 | no rank |\nno\n<b>rank</b> and the whole of a long sentence"
    assert chinese.translated(text, phrases) == "| 否 | rank 1 | no rank |\n否\n<b>名次</b> and 一整句"


def test_links_lead_to_the_chinese_page_if_there_is_one():
    text = "[a](../metrics/ap.ipynb#x) [b](dcg.ipynb) [c](https://example.org) [d](#here) <img src=\"../images/a.svg\">"
    moved = "[a](../../metrics/ap.ipynb#x) [b](dcg.ipynb) [c](https://example.org) [d](#here) <img src=\"../../images/a.svg\">"
    assert chinese.moved(text, "learn/ap.ipynb") == moved


def test_the_switch_leads_to_the_other_language_and_back():
    twins = rendered.languages()
    assert len(twins) == 2 * len(NAMES) and all(twins[there] == here for here, there in twins.items())
    page = rendered.switched('<header id="title-block-header">', "learn/ap.html", twins)
    assert '<a href="../zh/learn/ap.html" lang="zh-CN" hreflang="zh-CN">中文</a>' in page
    page = rendered.switched('<header id="title-block-header">', "zh/learn/drills/ap.html", twins)
    assert '<a href="../../../learn/drills/ap.html" lang="en" hreflang="en">English</a>' in page
    assert rendered.switched('<header id="title-block-header">', "guide/rag.html", twins) == '<header id="title-block-header">'


def test_chinese_words_of_the_search_lead_to_chinese_pages():
    homes = {}
    for entry in finding.added():
        homes |= {key: entry["href"] for key in entry["keys"] if HAN.search(key)}
    assert homes["练习"] == "zh/learn/drills/mixed.html" and homes["平均准确率"] == "zh/learn/ap.html"
    assert homes["安装"] == "guide/install.html"  # not translated


if (SITE / "index.html").exists():

    @each_page
    def test_a_rendered_page_is_chinese_and_has_the_switch(page):
        href = finding.address(Path(page))
        text = (SITE / "zh" / href).read_text(encoding="utf-8")
        assert re.search(r'<html[^>]* lang="zh-CN"', text) and 'hreflang="en">English</a>' in text
        assert 'hreflang="zh-CN">中文</a>' in (SITE / href).read_text(encoding="utf-8")


def test_no_sign_of_chinese_begins_a_line_after_a_formula(tmp_path):
    path = tmp_path / "page.ipynb"
    path.write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": "所以 $R = 4$。"}]}), encoding="utf-8")
    pages.prepare(path, Path("zh/learn/ap.ipynb"), {}, {})
    assert "".join(chinese.read(path)["cells"][0]["source"]) == "所以 $R = 4$\u2060。"
