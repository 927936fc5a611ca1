"""The report in a browser: nothing is complained about, nothing is too wide, text can
be read in both themes, the table sorts and finds, links open queries, and what is printed is all there."""
import pytest
from test_browser import CONTRAST

from irmetrics_nb import evaluate, load_example, report

EXAMPLE = load_example()
GROUPS = {q: "odd" if int(q[1:]) % 2 else "even" for q in EXAMPLE.qrels.queries}
ALL = CONTRAST.replace("document.querySelector('main')", "document.body")
SMALL = """() => [...document.querySelectorAll('a, button, input, select, summary')].filter(e => e.getClientRects().length && !e.textContent.trim()
  && !e.labels?.length && !e.getAttribute('aria-label')).map(e => e.outerHTML.slice(0, 80))"""


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    "A report of six systems, of two with a baseline and slices, and of one, as addresses."
    folder = tmp_path_factory.mktemp("reports")
    words = {"topics": EXAMPLE.topics, "documents": EXAMPLE.documents}
    long = {q: f"{'supercalifragilistic' * 9} {q}" for q in EXAMPLE.qrels.queries}
    two = {"a-run-with-a-very-long-name-" * 4: EXAMPLE.runs["bm25"], "b": EXAMPLE.runs["title"]}
    made = {"six": report(EXAMPLE.qrels, EXAMPLE.runs, **words), "one": report(EXAMPLE.qrels, EXAMPLE.runs["lsa"], groups=GROUPS, **words),
            "two": report(EXAMPLE.qrels, two, "nDCG@10 AP RR P@5 R@100 ERR@20", groups=GROUPS, topics=long, baseline="b")}
    for name, one in made.items():
        one.save(folder / f"{name}.html")
    return {name: (folder / f"{name}.html").as_uri() for name in made}


def opened(browser, address, width=1400, scheme="light"):
    "A page, and what was asked from outside or complained about."
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page, said = context.new_page(), []
    page.on("request", lambda r: said.append(r.url) if not r.url.startswith(("file:", "data:")) else None)
    page.on("console", lambda m: said.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda e: said.append(str(e)))
    page.goto(address, wait_until="load")
    return page, said


def column(page, n):
    return page.eval_on_selector_all(f"[data-part=body] tr td:nth-child({n})", "cells => cells.map(c => c.textContent)")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["six", "two", "one"])
def test_it_can_be_read_at_any_width_in_both_themes(browser, reports, name, scheme):
    page, said = opened(browser, reports[name], 1400, scheme)
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    for width in 1400, 400:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(100)
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 1, f"{wide} pixels too wide at {width}"
        assert page.evaluate(ALL) == [], f"contrast below 4.5 at {width} pixels"
        assert page.evaluate(SMALL) == [], "nothing says what this is"
    page.context.close()
    assert said == []


def test_a_link_within_a_sentence_is_seen_without_its_colour(browser, reports):
    page, _ = opened(browser, reports["two"])
    lines = page.eval_on_selector_all("p a", "links => links.map(a => getComputedStyle(a).textDecorationLine)")
    page.context.close()
    assert set(lines) == {"underline"}


def test_the_table_sorts_by_any_column_both_ways(browser, reports):
    page, _ = opened(browser, reports["six"])
    values = evaluate(EXAMPLE.qrels, EXAMPLE.runs["chargram"], "nDCG@10")
    page.click("[data-part=head] button:has-text('chargram')")
    falling = [f"{x:.4f}" for x in sorted(values["nDCG@10"], reverse=True)]
    assert column(page, 4) == falling
    assert page.get_attribute("[data-part=head] th:nth-child(4)", "aria-sort") == "descending"
    page.click("[data-part=head] button:has-text('chargram')")
    assert column(page, 4) == falling[::-1]
    page.click("[data-part=head] button:has-text('query')")
    assert column(page, 1) == [*values.query_ids]
    page.context.close()


def test_the_table_finds_words_and_shows_what_got_better_or_worse(browser, reports):
    page, _ = opened(browser, reports["six"])
    page.fill("[data-part=find]", "ARRAY memory")
    assert column(page, 1) == ["q16"] and page.text_content("[data-part=count]") == "1 of 36 queries"
    page.fill("[data-part=find]", "")
    a, b = (evaluate(EXAMPLE.qrels, EXAMPLE.runs[name], "nDCG@10") for name in ("lsa", "bm25"))
    change = dict(zip(a.query_ids, b["nDCG@10"] - a["nDCG@10"], strict=True))
    for kind, fits in (("better", lambda x: x > 0), ("worse", lambda x: x < 0), ("same", lambda x: x == 0)):
        page.select_option("[data-part=which]", kind)
        assert set(column(page, 1)) == {q for q, x in change.items() if fits(x)}
    page.context.close()


def test_measure_and_pair_can_be_chosen(browser, reports):
    page, _ = opened(browser, reports["six"])
    page.select_option("[data-part=measure]", label="RR")
    page.select_option("[data-part=a]", label="title")
    page.select_option("[data-part=b]", label="seealso")
    a, b = (evaluate(EXAMPLE.qrels, EXAMPLE.runs[name], "RR") for name in ("title", "seealso"))
    change = dict(zip(a.query_ids, b["RR"] - a["RR"], strict=True))
    assert page.text_content("[data-part=head] th:last-child") == "seealso − title"
    assert column(page, 9)[0].startswith(f"+{max(change.values()):.4f}")
    assert change[column(page, 1)[0]] == max(change.values())
    page.context.close()


def test_table_is_the_same_before_the_script_runs(browser, reports):
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1400, "height": 900})
    page = context.new_page()
    page.goto(reports["six"])
    still = page.locator("[data-part=body] tr").evaluate_all("rows => rows.map(r => [...r.cells].slice(0, 8).map(c => c.textContent))")
    context.close()
    page, _ = opened(browser, reports["six"])
    live = page.locator("[data-part=body] tr").evaluate_all("rows => rows.map(r => [...r.cells].slice(0, 8).map(c => c.textContent))")
    page.context.close()
    assert still == live and len(live) == 36


def test_a_link_opens_its_query_and_printing_opens_all(browser, reports):
    page, _ = opened(browser, reports["six"])
    shut = page.locator("details.card:not([open])")
    before = shut.count()
    page.click("[data-part=body] tr:nth-child(3) a")
    page.wait_for_timeout(50)
    assert page.locator("details.card:target").get_attribute("open") is not None and shut.count() == before - 1
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    page.emulate_media(media="print")
    assert not page.is_visible("nav") and not page.is_visible("[data-part=controls]")
    page.set_viewport_size({"width": 680, "height": 900})  # A4 between its margins
    assert page.evaluate("document.documentElement.scrollWidth") <= 681
    assert len(page.pdf(format="A4")) > 50_000
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert shut.count() == before - 1
    page.context.close()


CUT = """marks => marks.flatMap(mark => {
  const text = document.createRange(), cell = mark.closest('td').getBoundingClientRect();
  text.selectNodeContents(mark);
  const seen = [...text.getClientRects()];
  return seen.every(r => r.left >= cell.left && r.right <= cell.right && r.bottom <= cell.bottom) ? [] : [mark.textContent];
})"""


@pytest.mark.parametrize("media, width", [("print", 680), ("screen", 1400), ("screen", 400)])
def test_all_letters_of_ten_systems_fit_into_their_cells(browser, tmp_path, media, width):
    queries = [f"q{i}" for i in range(24)]
    deeper = {f"sys{s:02}": {q: [f"x{j}" for j in range(s + (i % 2))] + ["d"] for i, q in enumerate(queries)} for s in range(10)}
    report({q: ["d"] for q in queries}, deeper, "RR AP nDCG@30 P@5").save(tmp_path / "ten.html")
    page, _ = opened(browser, (tmp_path / "ten.html").as_uri(), width)
    page.emulate_media(media=media)
    marks = page.locator(".means sup")
    assert marks.first.text_content() == "bcdefghij" and marks.count() >= 25
    late, right = marks.evaluate_all(CUT), page.locator("table.means").evaluate("table => table.getBoundingClientRect().right")
    page.context.close()
    assert late == [] and (right <= width or width == 400)  # where it is narrow, the table scrolls


def test_many_queries_are_shown_a_page_at_a_time(browser, tmp_path):
    ids = [f"q{i}" for i in range(1, 701)]
    qrels = {q: {"d": 1} for q in ids}
    runs = {"a": {q: ["x", "d"] for q in ids}, "b": {q: ["d", "x"] if i % 3 else ["x", "y"] for i, q in enumerate(ids)}}
    report(qrels, runs, "AP").save(tmp_path / "many.html")
    page, said = opened(browser, (tmp_path / "many.html").as_uri())
    rows = page.locator("[data-part=body] tr")
    assert rows.count() == 50
    page.click("[data-part=more]")
    assert rows.count() == 250 and said == []
    page.fill("[data-part=find]", "q70")
    assert sorted(column(page, 1)) == ["q70", "q700"]
    page.context.close()
