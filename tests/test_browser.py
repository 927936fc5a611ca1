"""Pages in a browser: nothing is asked from outside, nothing is complained about, nothing is wider than a phone, and text stands out
from its ground in both themes. Of the site, where `make docs` has rendered it; of single pages and results always."""
import functools
import html
import http.server
import re
import threading
from pathlib import Path

import pytest
from project import NBS

from irmetrics_nb import check, compare, evaluate, explain, explain_difference, load_example

DOCS = Path(__file__).parents[1] / "_docs"
PAGES = "index metrics/ap core/measures metrics/auc evaluation/evaluation reference/command_line reference/tools api/index api/metrics.ap".split()
PLAIN_PAGES = "index metrics/ap tutorials/bad_query reference/glossary".split()
TABLES = "learn/dcg metrics/parsing guide/explain reference/coming_from tutorials/bad_query reference/glossary".split()
CONTRAST = """() => {
  const channel = v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
  const light = c => 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]);
  const parts = text => { const n = text.match(/[\\d.]+/g).map(Number); return n.length < 4 ? [...n.slice(0, 3), 1] : n; };
  const ground = e => { for (; e; e = e.parentElement) { const c = parts(getComputedStyle(e).backgroundColor); if (c[3] > 0.99) return c; } return [255, 255, 255]; };
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT), late = [];
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !e.getClientRects().length || e.closest('svg, math, annotation')) continue;
    const [a, b] = [light(parts(getComputedStyle(e).color)), light(ground(e))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) late.push(walker.currentNode.textContent.trim().slice(0, 40));
  }
  return late;
}"""
BROKEN = r"""() => {
  const broken = [], range = document.createRange();
  for (const cell of document.querySelectorAll('main td, main th')) {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const text = walker.currentNode;
      if (!text.parentElement.getClientRects().length || text.parentElement.closest('svg, math, .play, .write')) continue;
      for (const word of text.data.matchAll(/[\p{Script=Latin}\p{Script=Greek}\p{N}_]{2,}/gu)) {
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        if (new Set([...range.getClientRects()].map(line => Math.round(line.top))).size > 1) broken.push(word[0]);
      }
    }
  }
  return broken;
}"""
WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
VIEWS = [(1400, "light"), (400, "light"), (1400, "dark"), (400, "dark")]


def opened(browser, address, width, scheme, home=""):
    "A page; what it asked from elsewhere than `home`; what it complained about."
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page, outside, said = context.new_page(), [], []
    near = (home,) if home else ("file:", "data:", "about:")
    page.on("request", lambda r: outside.append(r.url) if not r.url.startswith((*near, "data:")) else None)
    page.on("console", lambda m: said.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda e: said.append(str(e)))
    page.goto(address, wait_until="load")
    return page, outside, said


# ---- a page built without Quarto ----


@pytest.fixture(scope="module")
def plain_pages(tmp_path_factory):
    "Some notebooks as plain HTML with the styles of the site."
    from nbconvert import HTMLExporter

    folder, styles = tmp_path_factory.mktemp("plain"), (NBS / "styles.css").read_text(encoding="utf-8")
    styles = re.sub(r"@font-face\s*\{.*?\}", "", styles, flags=re.DOTALL)  # the fonts stay where the site has them
    theme = "a, code { word-break: break-word } body { margin: 0; font: 17px/1.55 sans-serif } td, th { padding: 8px }"
    for name in dict.fromkeys(PLAIN_PAGES + TABLES):
        body, _ = HTMLExporter(template_name="basic").from_filename(NBS / f"{name}.ipynb")
        body = re.sub(r'src="(?!data:)([^"]+)"', lambda m, at=NBS / name: f'src="{(at.parent / m[1]).resolve().as_uri()}"', body)
        text = f'<!DOCTYPE html><meta charset="utf-8"><title>{name}</title><style>{theme}</style><style>{styles}</style><main>{body}</main>'
        (folder / f"{name.replace('/', '-')}.html").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", PLAIN_PAGES)
def test_a_page_is_whole_without_the_site_around_it(browser, plain_pages, name):
    page, outside, said = opened(browser, (plain_pages / f"{name.replace('/', '-')}.html").as_uri(), 1400, "light")
    broken = page.evaluate("[...document.images].filter(i => !i.complete || !i.naturalWidth).map(i => i.src.slice(-60))")
    scripts = page.evaluate("document.scripts.length")
    headings = page.evaluate("document.querySelectorAll('h1, h2').length")
    page.context.close()
    assert (outside, said, broken, scripts) == ([], [], [], 0)
    assert headings >= 2


@pytest.mark.parametrize("name", TABLES)
def test_no_word_is_broken_in_a_cell_of_a_table(browser, plain_pages, name):
    page, _, _ = opened(browser, (plain_pages / f"{name.replace('/', '-')}.html").as_uri(), 390, "light")
    cells = page.evaluate("document.querySelectorAll('main td').length")
    narrow = page.evaluate(BROKEN)
    page.set_viewport_size({"width": 1400, "height": 900})
    broken = page.evaluate(BROKEN)
    page.context.close()
    assert cells >= 5
    assert (narrow, broken) == ([], []), "a cell has overflow-wrap or word-break, or its column has a width"


def test_a_broken_word_is_seen_and_a_line_between_words_is_not(browser, tmp_path):
    path = tmp_path / "page.html"
    path.write_text('<main><table><td style="overflow-wrap: anywhere; width: 2em; display: block">divided <td>by<wbr>R<br>a b', encoding="utf-8")
    page, _, _ = opened(browser, path.as_uri(), 390, "light")
    broken = page.evaluate(BROKEN)
    page.context.close()
    assert broken == ["divided"]


# ---- what results show in a notebook ----


def shown_results():
    "The HTML of every result that a notebook shows."
    example = load_example()
    evil = {"q1": {"<script>alert(1)</script>": 2, "b" * 200: 1, "\x1b[31mred": 1}}
    run = {"q1": [*evil["q1"], "d"]}
    runs = {name: example.runs[name] for name in ("bm25", "tfidf", "lsa")}
    return {
        "scores": evaluate(example.qrels, runs), "explanation": explain("nDCG@10", example.qrels, example.runs["bm25"], "q03", documents=example.documents),
        "evil explanation": explain("AP", evil, run, "q1"), "evil check-up": check(evil, run),
        "difference": explain_difference("AP", example.qrels, *[*runs.values()][:2]),
        "comparison": compare(example.qrels, runs), "check-up": check(example.qrels, example.runs["bm25"]),
    }  # fmt: skip


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    "The address of a page with each result."
    folder = tmp_path_factory.mktemp("results")
    ground = "@media (prefers-color-scheme: dark) { body { background: #111; color: #eee } }"
    for name, result in shown_results().items():
        text = f'<!DOCTYPE html><meta charset="utf-8"><title>{html.escape(name)}</title><style>{ground}</style><main>{result._repr_html_()}</main>'
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", ["scores", "explanation", "evil explanation", "difference", "comparison", "check-up", "evil check-up"])
def test_a_result_in_a_notebook_can_be_read_and_runs_nothing(browser, results, name):
    page, outside, said = opened(browser, (results / f"{name}.html").as_uri(), 1400, "light")
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    late = {}
    for width, scheme in VIEWS:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        late[width, scheme] = page.evaluate(CONTRAST)
    scripts = page.evaluate("document.scripts.length")
    page.context.close()
    assert (outside, said, scripts) == ([], [], 0)
    assert late == dict.fromkeys(VIEWS, []), "contrast below 4.5"


# ---- the site, where it is rendered ----

if (DOCS / "index.html").exists():

    @pytest.fixture(scope="module")
    def site():
        "The address of the rendered site."
        class Quiet(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_): pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(DOCS)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        server.server_close()

    @pytest.mark.parametrize("name", TABLES)
    def test_no_word_is_broken_in_a_table_of_the_site(browser, site, name):
        page, _, _ = opened(browser, f"{site}{name}.html", 390, "light", site)
        page.evaluate("document.fonts.ready")
        broken = page.evaluate(BROKEN)
        columns = page.evaluate("document.querySelectorAll('main col[style]').length")
        page.context.close()
        assert (broken, columns) == ([], 0)

    @pytest.mark.parametrize("width", [1400, 390])
    @pytest.mark.parametrize(("name", "other"), [("index", "zh/"), ("zh/index", ""), ("learn/ap", "zh/learn/ap.html")])
    def test_the_link_to_the_other_language_takes_a_click(browser, site, name, other, width):
        page, _, _ = opened(browser, f"{site}{name}.html", width, "light", site)
        page.locator(".language a").click(timeout=5000)
        page.wait_for_url(re.compile(f"{site}{other}(index.html)?$"), timeout=5000)
        page.context.close()

    @pytest.mark.parametrize(("width", "scheme"), VIEWS)
    @pytest.mark.parametrize("name", PAGES)
    def test_pages_load_nothing_from_other_hosts_and_are_readable(browser, site, name, width, scheme):
        page, outside, said = opened(browser, f"{site}{name}.html", width, scheme, site)
        page.wait_for_timeout(250)
        wide, late = page.evaluate(WIDE), page.evaluate(CONTRAST)
        cut = page.evaluate("[...document.querySelectorAll('main pre')].filter(e => e.scrollWidth > e.clientWidth + 2).length")
        page.context.close()
        assert (outside, said) == ([], [])
        assert wide <= 1
        assert late == [], "contrast below 4.5"
        assert width < 1000 or cut == 0
