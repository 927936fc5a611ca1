"""The rendered site in a browser: run after `make docs`, where Playwright and Chromium are installed.

Nothing is asked from outside, nothing is complained about, nothing is wider than a phone, and text stands out from its ground
in both themes."""
import functools
import http.server
import shutil
import threading
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "_docs"
CHROMIUM = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
PAGES = "index 2_metrics/ap 2_metrics/measures 2_metrics/auc 4_evaluation/evaluation reference/command_line reference/tools api/index api/metrics.ap".split()
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


@pytest.fixture(scope="module")
def site():
    "The address of the rendered site, and a browser."
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here")
    if not (DOCS / "index.html").exists():
        pytest.skip("the site is not rendered: make docs")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_): pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(DOCS)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with playwright.sync_playwright() as program:
        browser = program.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield f"http://127.0.0.1:{server.server_port}/", browser
        browser.close()
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 400])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_needs_nobody_else_and_can_be_read(site, name, width, scheme):
    base, browser = site
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page, outside, said = context.new_page(), [], []
    page.on("request", lambda r: outside.append(r.url) if r.url.startswith("http") and not r.url.startswith(base) else None)
    page.on("console", lambda m: said.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda e: said.append(str(e)))
    page.goto(f"{base}{name}.html", wait_until="load")
    page.wait_for_timeout(250)
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    late = page.evaluate(CONTRAST)
    cut = page.evaluate("[...document.querySelectorAll('main pre')].filter(e => e.scrollWidth > e.clientWidth + 2).length")
    context.close()
    assert outside == []
    assert said == []
    assert wide <= 1
    assert late == [], "contrast below 4.5"
    assert width < 1000 or cut == 0
