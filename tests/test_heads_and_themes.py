"What the head of a page says to programs, the pictures that links to it show, and the themes without unused rules."
import gzip
import re
import statistics
from datetime import date

import about
import previews
import pytest
import rendered
import themes
import yaml
from project import ROOT, settings
from test_finding import SITE, fresh

LIMIT = 220 * 1024  # bytes of a page and of all that it loads, compressed


# ---- titles and languages ----


def test_both_home_pages_have_titles_that_say_what_the_site_is():
    page = '<title>irmetrics_nb</title><meta property="og:title" content="irmetrics_nb"><meta name="twitter:title" content="irmetrics_nb">'
    titles = {home: set(re.findall(r"irmetrics_nb – [^<\"]+", rendered.named(page, home))) for home in rendered.HOMES}
    assert titles["index.html"] == {"irmetrics_nb – Information-retrieval evaluation that you can read, run and trust"}
    assert titles["zh/index.html"] == {"irmetrics_nb – 信息检索评估：读得懂，跑得起来，信得过"}
    assert rendered.named(page, "guide/index.html") == page


@pytest.mark.parametrize("href", ["learn/ap.html", "zh/learn/ap.html"])
def test_a_page_in_two_languages_names_both_in_its_head(href):
    page = rendered.switched("<head></head>", href, rendered.languages())
    home = about.site_url()
    assert re.findall(r'<link rel="alternate" hreflang="([^"]+)" href="([^"]+)">', page) == [
        ("en", f"{home}/learn/ap.html"), ("zh-CN", f"{home}/zh/learn/ap.html"), ("x-default", f"{home}/learn/ap.html")]  # fmt: skip
    assert "hreflang" not in rendered.switched("<head></head>", "guide/rag.html", rendered.languages())
    assert rendered.on_the_web("index.html") == f"{home}/"


def test_a_citation_has_the_year_of_the_release_or_else_of_today():
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    text = about.cite(found | {"date-released": date(2031, 5, 4)})
    assert "  year = {2031},\n" in text
    assert "(2031). *irmetrics_nb*" in text
    assert f"year = {{{date.today().year}}}" in about.cite({key: value for key, value in found.items() if key != "date-released"})


def test_the_map_of_the_site_has_no_settings_of_pages():
    assert "信息检索评估：读得懂，跑得起来，信得过\n" in about.site_map(settings())
    assert "lang: zh-CN" not in about.site_map(settings())


# ---- pictures of links ----


def test_the_main_pages_have_pictures_of_their_own(tmp_path):
    pages = previews.described()
    assert len(pages) >= 10
    assert all(title and summary for title, summary, _ in pages.values())
    for href, shown in [*pages.items()][::4]:
        previews.draw(tmp_path / previews.picture_of(href), *shown)
        data = (tmp_path / previews.picture_of(href)).read_bytes()
        assert (int.from_bytes(data[16:20]), int.from_bytes(data[20:24])) == (1200, 630)


def test_the_head_of_a_main_page_names_and_describes_its_picture():
    page = '<meta property="og:image" content="a.png"><meta property="og:image:alt" content="b"><meta name="twitter:image" content="a.png">'
    made = previews.pictured(page + '<meta property="og:image:height" content="630">', "learn/ap.html", previews.described())
    address = f"{about.site_url()}/images/links/learn-ap.png"
    assert re.findall(r'content="([^"]*)"', made) == [address, "Average precision: AP, MAP: How precise is the list at each relevant document?", address, "630"]
    assert previews.pictured(page, "guide/rag.html", previews.described()) == page


# ---- themes ----


@pytest.mark.parametrize(("css", "slim"), [
    (".a,.b{c:d}.b{e:f}", ".a{c:d}"), (".a:not(.b){c:d}", ".a:not(.b){c:d}"), (".a.b{c:d}", ""), ("#i .a>p{c:d}", ""), ("p{c:d}", "p{c:d}"),
    ("@media print{.b{c:d}}", ""), ("@media print{.a{c:d}.b{c:d}}", "@media print{.a{c:d}}"), ("@keyframes k{from{c:d}}", "@keyframes k{from{c:d}}"),
    (":is(.a, .b){c:d}", ":is(.a, .b){c:d}"), ('.a{b:url("x;}.b{")}', '.a{b:url("x;}.b{")}'), (".g-1\\.5{c:d}", ""), ("/* .a{ */.a{c:d}", ".a{c:d}"),
    (".aa-Panel{c:d}", ".aa-Panel{c:d}"), ("[data-x=\".b\"]{c:d}", "[data-x=\".b\"]{c:d}"), ("@import 'x;y';.a{c:d}", "@import 'x;y';.a{c:d}"),
])  # fmt: skip
def test_a_rule_stays_if_all_names_of_its_selector_are_used(css, slim):
    assert themes.purged(css, {"a"}) == slim


def test_a_theme_keeps_its_licence_and_what_the_site_names(tmp_path):
    (tmp_path / "site_libs/bootstrap").mkdir(parents=True)
    (tmp_path / "styles.css").write_text("p{color:var(--used)}", encoding="utf-8")
    (tmp_path / "index.html").write_text('<p class="page"></p><script>p.classList.add("inline")</script>', encoding="utf-8")
    (tmp_path / "x.js").write_text("const name = 'script';", encoding="utf-8")
    theme = tmp_path / "site_libs/bootstrap/bootstrap-1.min.css"
    rules = ".page{a:b}.inline{a:b}.script{a:b}.nowhere{a:b}:root{--used: 1;--unused: 2;--also: 3}.page{a:var(--also)}"
    theme.write_text(f"/*! licence */{rules}", encoding="utf-8")
    assert themes.slim_themes(tmp_path) == {"bootstrap-1.min.css": theme.stat().st_size - len("/*! licence */")}
    kept = ".page{a:b}.inline{a:b}.script{a:b}:root{--used: 1;--also: 3}.page{a:var(--also)}"
    assert theme.read_text(encoding="utf-8") == f"/*! licence */{kept}"


if fresh():  # there is a rendered site here (make docs), and it is no older than its pages
    from test_browser import site  # noqa: F401

    def compressed(path):
        "The size of a file, as a server sends it."
        data = path.read_bytes()
        return len(data) if path.suffix in (".png", ".woff", ".woff2") else len(gzip.compress(data))

    def test_a_page_of_the_site_loads_at_most_220_kilobytes(browser, site):  # noqa: F811
        pages = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html") if path.relative_to(SITE).parts[0] not in ("samples", "site_libs", "lite"))
        sizes = []
        for name in pages[1::12]:
            context = browser.new_context(viewport={"width": 1400, "height": 900})
            page, loaded = context.new_page(), set()
            page.on("request", lambda request, loaded=loaded: loaded.add(request.url.removeprefix(site).partition("?")[0]))
            page.goto(f"{site}{name}", wait_until="load")
            page.evaluate("document.fonts.ready")
            context.close()
            sizes.append(sum(compressed(SITE / file) for file in loaded if (SITE / file).is_file()))
        assert len(sizes) > 10
        assert statistics.median(sizes) <= LIMIT
