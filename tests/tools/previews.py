"""The pictures that links to the main pages show: the title of a page, its summary, and a formula or six results.

They are drawn when the site is built. Other pages have the picture that `_quarto.yml` names.
"""
import re
from html import escape
from pathlib import Path
from textwrap import wrap

from about import site_url, titled
from project import sidebar

WIDTH, HEIGHT = 1200, 630
BLUE, DARK, GREY = "#0b5cad", "#1d2329", "#4d5761"
RANKS = ""  # instead of a formula: six results
PAGES = {
    "index.ipynb": RANKS,
    "learn/index.qmd": RANKS,
    "guide/index.qmd": RANKS,
    "metrics/index.qmd": RANKS,
    "reference/index.qmd": RANKS,
    "learn/sets.ipynb": r"$\mathrm{P@}k = \dfrac{1}{k}\,\sum_{i \leq k} rel_i$",
    "learn/ap.ipynb": r"$\mathrm{AP} = \dfrac{1}{R}\,\sum_{i} rel_i\;\mathrm{P@}i$",
    "learn/dcg.ipynb": r"$\mathrm{DCG@}k = \sum_{i \leq k} \dfrac{g_i}{\log_2(i + 1)}$",
    "learn/cascade.ipynb": r"$\mathrm{RR} = \dfrac{1}{\mathrm{rank\ of\ the\ first\ relevant\ document}}$",
    "learn/auc.ipynb": r"$\mathrm{AUC} = \dfrac{\mathrm{pairs\ in\ order}}{\mathrm{all\ pairs}}$",
}
META = re.compile(r'(<meta (?:property="og|name="twitter):image(:alt)?" content=")[^"]*')


def described():
    "{page: (title, summary, formula)} of the pages with a picture of their own."
    entries = {entry.href: entry for entry in sidebar()}
    found = {href: titled(entries[href]) for href in PAGES}
    found["index.ipynb"] = ("irmetrics_nb", found["index.ipynb"][1])
    return {re.sub(r"\.(ipynb|qmd)$", ".html", href): (*found[href], PAGES[href]) for href in PAGES}


def picture_of(href):
    "The file with the picture of a page."
    return f"images/links/{href.removesuffix('.html').replace('/', '-')}.png"


def draw(path: Path, title, summary, formula):
    "Draw the picture of one page."
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    figure = Figure(figsize=(WIDTH / 100, HEIGHT / 100), dpi=100, facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, WIDTH), ylim=(HEIGHT, 0))
    axes.set_axis_off()
    axes.add_patch(Rectangle((0, 0), WIDTH, 16, color=BLUE))
    lines = wrap(title, 32)
    axes.text(70, 70, "\n".join(lines), size=40, weight="bold", color=DARK, va="top")
    below = 95 + 68 * len(lines)
    axes.text(70, below, "\n".join(wrap(summary, 62)[:3]), size=22, color=GREY, va="top", linespacing=1.4)
    if formula:
        axes.text(70, 455, formula, size=36, color=BLUE, va="center")
    for rank, relevant in enumerate([] if formula else [1, 0, 0, 1, 1, 1]):
        left = 70 + 92 * rank
        ground, ink = (BLUE, "white") if relevant else ("white", BLUE)
        axes.add_patch(Rectangle((left, 420), 78, 78, facecolor=ground, edgecolor=BLUE, lw=3))
        axes.text(left + 39, 459, rank + 1, size=24, color=ink, ha="center", va="center")
    axes.text(70, 590, "irmetrics_nb", size=22, weight="bold", color=BLUE, va="baseline")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100)


def pictured(page, href, pages):
    "HTML whose picture for links is that of its page, if the page has one; `pages` is what `described` returns."
    if href not in pages:
        return page
    title, summary, _ = pages[href]
    address, words = f"{site_url()}/{picture_of(href)}", escape(f"{title}: {summary}")
    return META.sub(lambda meta: meta[1] + (words if meta[2] else address), page)
