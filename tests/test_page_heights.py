"""A page to learn a metric and a page of the guide are short: at most 6,000 pixels on a wide screen, as it opens, with all folded that is
folded; and the calculation by hand of a metric stands within the first 1,500.

Without Quarto the page is put together here, from its notebook: with the fonts and the styles of the site, its play module, and the
sizes that the theme gives to text, tables and code. Formulas that stand alone are blocks as high as Quarto's, those in a line are their
plain text. That comes within 3 % of the site (seen: 1.4 %); where there is a rendered site, it is measured as well."""
import base64
import json
import re
from html import escape
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from project import NBS, notebooks
from test_finding import fresh

LIMIT = 6000
PAGES = [Path("learn", f"{name}.ipynb") for name in "ap auc cascade dcg sets".split()]
WITH_RANKINGS = [*PAGES, *map(Path, ("tutorials/good_ranking.ipynb", "tutorials/bad_query.ipynb", "guide/which_metric.ipynb"))]
GUIDE = [*(name for name in notebooks() if name.parts[0] == "guide"), Path("reference/which_test.ipynb"), Path("reference/command_line.ipynb")]
ASKING = [Path("learn", name) for name in ("read_code.ipynb", "mock_exam.ipynb")]
AROUND = 430  # the bar above, the way to the next page and the footer: 231; the rest is what Quarto adds to code and cards
ABOVE = 125  # of that, what stands above the first calculation
HOME = "http://site.test/"
THEME = """
body { margin: 0; font: 17px/1.55 "Source Sans 3"; } main { width: 798px; display: flow-root }
p, ul, ol, details, .formula { margin: 0 0 17px } li > p { margin: 0 } ul, ol { padding-left: 34px }
h1 { font-size: 34px; line-height: 1.2; margin: 0 0 8.5px } blockquote { margin: 0 }
h2 { font-size: 26.35px; line-height: 1.2; margin: 34px 0 17px; padding-bottom: 8.5px; border-bottom: 1px solid }
h3 { font-size: 20.4px; line-height: 1.2; margin: 25.5px 0 8.5px }
table { border-collapse: collapse; line-height: 1.55; margin: 8.5px 0 } td, th { padding: 8.5px }
pre { font-family: "JetBrains Mono"; } .source { padding: 8px; margin: 17px 0 }
.out { display: flow-root } .out pre { margin: 0 0 17px; padding: 7.3px 10.4px } img { vertical-align: middle; margin-bottom: 8.5px; max-width: 100% }
code { font: 0.875em "JetBrains Mono" }
"""
HEIGHTS = """() => {
  const main = document.querySelector('main'), heads = [...main.querySelectorAll('h2')].map(e => e.textContent);
  const next = [...main.querySelectorAll('h2')][heads.indexOf('By hand') + 1];
  const height = element => element?.getBoundingClientRect().height ?? 0;
  return [height(main), next?.getBoundingClientRect().top ?? 0, height(document.querySelector('.play > section'))];
}"""
markdown = MarkdownIt("commonmark", {"html": True}).enable("table")


def plain(formula):
    "About as wide as the formula: its letters and signs."
    text = re.sub(r"\\(?:mathrm|text|mathcal|frac|tfrac|bigl|bigr|left|right|cdot|,|;|!)|[{}$^_&]", "", formula)
    return re.sub(r"\\[a-zA-Z]+", "∑", text)


def block(match):
    "A formula that stands alone: a line with a sum is 49 pixels high, one with a fraction 40, and there is room around."
    lines = match[1].split(r"\\")
    high = 20 + sum(49 if "sum" in line else 40 if "frac" in line else 26 for line in lines)
    return f'\n\n<div class="formula" style="height: {high}px"></div>\n\n'


def prose(text):
    "The HTML of Markdown with formulas."
    text = re.sub(r"\$\$(.*?)\$\$", block, text, flags=re.DOTALL)
    text = re.sub(r"(?<!`)\$([^$`]+)\$", lambda m: plain(m[1]).replace("|", "∣").replace("*", "∗"), text)
    return markdown.render(text)


def shown(output):
    "The HTML of one output."
    data = {kind: "".join(text) for kind, text in output.get("data", {}).items()}
    if "image/svg+xml" in data:
        return f'<img src="data:image/svg+xml;base64,{base64.b64encode(data["image/svg+xml"].encode()).decode()}">'
    if "text/markdown" in data:
        return prose(data["text/markdown"].replace("::: {", "<div ").replace("\n:::", "\n</div>"))
    text = "".join(output.get("text", "")) or data.get("text/plain", "")
    return f'<div class="out"><pre>{escape(text)}</pre></div>'


def body(name):
    "The page, as the site opens it."
    parts = []
    for cell in json.loads((NBS / name).read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        marks = dict(re.findall(r"^#\| *([\w-]+):? *(.*)$", source, re.MULTILINE))
        if cell["cell_type"] == "markdown":
            parts.append(prose(source))
        elif "hide" not in marks:
            code = re.sub(r"^#\|.*\n", "", source, flags=re.MULTILINE)
            code = f'<pre class="source">{escape(code)}</pre>' if marks.get("echo") != "false" else ""
            fold = marks.get("code-fold") == "true"
            parts.append(f"<details><summary>Code</summary>{code}</details>" if fold else code)
            parts += [shown(output) for output in cell["outputs"]]
    return "\n".join(parts)


@pytest.fixture(scope="module")
def measured(browser):
    "Measures a page in Chromium: (its height, where its first calculation ends, how high its ranking is)."
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    known = {}

    def heights(name):
        text = body(name)
        if text not in known:
            known[text] = measure(text)
        return known[text]

    def measure(text):
        head = f"<meta charset='utf-8'><style>{THEME}</style><link rel='stylesheet' href='styles.css'>"
        script = "<script type='module' src='play/play.js'></script>"

        def answer(route):
            file = NBS / route.request.url.removeprefix(HOME)
            if route.request.url == HOME:
                route.fulfill(content_type="text/html", body=f"<!DOCTYPE html><title>Page</title>{head}<main>{text}</main>{script}")
            else:
                route.fulfill(path=file) if file.is_file() else route.fulfill(status=404)

        page.route("**/*", answer)
        page.goto(HOME)
        page.evaluate("document.fonts.ready")
        found = page.evaluate(HEIGHTS)
        page.unroute_all()
        return round(found[0]) + AROUND, round(found[1]) + ABOVE, found[2]

    yield heights
    page.close()


@pytest.mark.parametrize("name", PAGES, ids=str)
def test_a_page_to_learn_a_metric_is_short_and_calculates_by_hand_at_its_beginning(measured, name):
    whole, by_hand, _ = measured(name)
    assert 3000 < whole, f"{name} is {whole} pixels high, so parts of it are missing: see the order of a learning page in CONTRIBUTING.md"
    assert whole <= LIMIT, f"{name} is {whole} pixels high: shorten it to {LIMIT}, or fold cells and answers"
    assert by_hand <= 1500, f"the calculation by hand begins at {by_hand} pixels: move it up to 1,500"


@pytest.mark.parametrize("name", [*GUIDE, *ASKING], ids=str)
def test_a_page_of_the_guide_or_of_questions_is_short(measured, name):
    height = measured(name)[0]
    assert 500 < height, f"{name} is {height} pixels high, so its text or its outputs are missing: run `make outputs ARGS=nbs/{name}`"
    assert height <= LIMIT, f"{name} is {height} pixels high: shorten it to {LIMIT}, or divide it into two pages"


@pytest.mark.parametrize("name", WITH_RANKINGS, ids=str)
def test_a_ranking_to_play_with_is_at_most_600_pixels_high_as_it_opens(measured, name):
    assert 400 < measured(name)[2] <= 600


def test_a_page_of_code_and_a_page_with_everything_unfolded_are_seen_to_be_long(measured, monkeypatch):
    assert measured("metrics/ap.ipynb")[0] > 10_000
    unfolded = body("learn/ap.ipynb").replace("<details>", "<details open>")
    monkeypatch.setitem(globals(), "body", lambda name: unfolded)
    assert measured("learn/ap.ipynb")[0] > LIMIT


if fresh():  # there is a rendered site here (make docs), and it is no older than its pages
    from test_browser import site  # noqa: F401

    @pytest.mark.parametrize("name", PAGES, ids=str)
    def test_rendered_height_is_limited_and_near_the_estimate(browser, site, measured, name):  # noqa: F811
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.goto(f"{site}{name.with_suffix('.html')}")
        page.evaluate("document.fonts.ready")
        whole = page.evaluate("document.documentElement.scrollHeight")
        page.close()
        assert whole <= LIMIT
        assert measured(name)[0] == pytest.approx(whole, rel=0.03)
