"""What happens to the site after Quarto: Chinese is marked as such, the part one is in is lit, long lines of code wrap
with an indent, and the search finds things by the names that people have for them."""
import os
import re
from pathlib import Path

import finding
import fonts
import previews
import themes
from about import site_url, target, titled
from api import rooms
from lines import WIDTH
from project import settings, sidebar, translations, website

HAN = re.compile(r"[\u3007\u3400-\u9fff\uf900-\ufaff]+(?:[\u3001\u3002\uff00-\uffef]+[\u3400-\u9fff]+)*")
WHOLE = "script|style|math|svg|title|textarea"  # elements that are left as they are
PIECES = re.compile(rf"(<!--.*?-->|<({WHOLE})\b.*?</\2>|<[^>]+>)", re.DOTALL)
NOTHING_INSIDE = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
LINK = (
    r'<a class="nav-link(?: active)?" href="([^"]*)"(?: aria-current="page")?>(\s*)'
    r'<span class="menu-text">([^<]+)</span>'
)
BODY = re.compile(r"<body[^>]*>")
DARK = re.compile(r'(<link [^>]*)rel="stylesheet"([^>]*class="quarto-color-scheme quarto-color-alternate"[^>]*>)')
CHOOSE = """<script>
{
  const asked = localStorage.getItem("quarto-color-scheme");
  const dark = asked ? asked === "alternate" : matchMedia("(prefers-color-scheme: dark)").matches;
  if (dark) document.querySelectorAll("link.quarto-color-alternate").forEach(link => { link.rel = "stylesheet"; });
}
</script>
"""
TITLE = '<header id="title-block-header"'
SKIP = '<a class="skip-link" href="#quarto-document-content">Skip to the content</a>'
HOMES = ("index.html", "zh/index.html")
HOME_TITLE = re.compile(r'(<title>|<meta (?:property="og|name="twitter):title" content=")[^<"]*')
LINE = re.compile(r'<span id="(cb[\d-]+)">(.*)</span>')
CELL = re.compile(r"<td\b.*?</td>", re.DOTALL)
LONG = re.compile(r"\S{24,}")  # a name in a table
COLUMN = re.compile(r'(<col)\s+style="width: [\d.]+%"')
OUTPUT = re.compile(r"(<pre><code>)(.*?)(</code></pre>)", re.DOTALL)


def finish(site: Path):
    "Finish every page of the rendered site, and its search."
    parts, twins, pictures = part_of_each_page(), languages(), previews.described()
    for href, shown in pictures.items():
        previews.draw(site / previews.picture_of(href), *shown)
    for path in sorted(site.rglob("*.html")):
        href = path.relative_to(site).as_posix()
        if not href.startswith(("site_libs/", "samples/")):
            page = path.read_text(encoding="utf-8")
            page = page.replace('/index.html"><link', '/"><link') if href == "index.html" else page
            page = page.replace(f'href="{site_url()}/index.html"', f'href="{site_url()}/"')  # its canonical address
            if href.startswith("zh/"):
                page = page.replace('lang="zh-Hans"', 'lang="zh-CN"', 2)  # of the document, twice
                page = page.replace("This page as a notebook", "本页的 notebook")
            page = breakable(indented(chinese(page)))
            page = switched(lit(page, parts.get(href)), href, twins)
            page = previews.pictured(named(page, href), href, pictures)
            path.write_text(by_day(skippable(page)), encoding="utf-8")
    finding.improve(site)
    fonts.slim_icons(site)
    themes.slim_themes(site)


def chinese(page):
    """HTML with every Chinese word marked, for those who have it read aloud and for the right letters.

    >>> print(chinese('<p title="排序">a 排序, <em lang="zh">查询</em></p>'))
    <p title="排序">a <span lang="zh">排序</span>, <em lang="zh">查询</em></p>"""
    if not HAN.search(page):
        return page
    made, marked, end = [], [], 0
    for found in [*PIECES.finditer(page), None]:
        text = page[end : found.start() if found else None]
        made.append(text if any(marked) else HAN.sub(r'<span lang="zh">\g<0></span>', text))
        if found:
            marked, end = nested(found[0], marked), found.end()
            made.append(found[0])
    return "".join(made)


def nested(tag, marked):
    "Which of the open elements say that they are Chinese, after one more tag."
    found = re.match(r"<(/?)([a-zA-Z][\w-]*)", tag)
    if not found or tag.endswith("/>") or found[2].lower() in NOTHING_INSIDE or re.match(rf"<({WHOLE})\b", tag):
        return marked
    return marked[:-1] if found[1] else [*marked, 'lang="zh' in tag]


def indented(page):
    "HTML in which a line of code or of an output that is wider than its column wraps with an indent."
    page = LINE.sub(lambda m: f'<span id="{m[1]}"{hanging(m[2])}>{m[2]}</span>', page)
    return OUTPUT.sub(lambda m: m[1] + "\n".join(map(wrapped, m[2].split("\n"))) + m[3], page)


def wrapped(line):
    "A line of an output, which Quarto leaves without an element of its own."
    style = hanging(line)
    return f"<span class=\"long\"{style}>{line}</span>" if style and "<" not in line else line


def hanging(line):
    "How a line wraps: nothing to say if it is short."
    text = re.sub(r"<[^>]*>", "", line)
    text = re.sub(r"&[#\w]+;", "x", text)
    if len(text) <= WIDTH:
        return ""
    deep = min(len(text) - len(text.lstrip()) + 4, 40)
    return f' style="padding-left:{deep}ch;text-indent:-{deep}ch"'


def breakable(page):
    """HTML in which long names in tables may break after a dot, a bracket or an underscore, and columns have no widths:
    Pandoc's widths, which come from the Markdown, break words.

    >>> breakable("<td><code>org.apache.spark.mllib.RankingMetrics</code></td><td><code>nDCG@10</code></td>")
    '<td><code>org.<wbr>apache.<wbr>spark.<wbr>mllib.<wbr>RankingMetrics</code></td><td><code>nDCG@10</code></td>'
    >>> breakable('<col style="width: 14%"><td>1</td>')
    '<col><td>1</td>'"""
    def name(found):
        return re.sub(r"(?<=[.(/=_])(?=\w)", "<wbr>", found[0])

    def cell(found):
        parts = re.split(r"(<[^>]*>)", found[0])
        parts[::2] = [LONG.sub(name, part) for part in parts[::2]]
        return "".join(parts)

    return COLUMN.sub(r"\1", CELL.sub(cell, page))


def by_day(page):
    "HTML that loads the styles of the dark theme only for readers who want it: they are a sixth of a page."
    page = DARK.sub(r'\1rel="disabled-stylesheet" blocking="render"\2', page)
    return page.replace("</head>", f"{CHOOSE}</head>", 1) if "quarto-color-alternate" in page else page


def skippable(page):
    "HTML whose first stop of the Tab key leads past the bars, to the content."
    there = 'id="quarto-document-content"' in page
    return BODY.sub(lambda body: f"{body[0]}\n{SKIP}", page, count=1) if there else page


def languages():
    "Return {page: the page in the other language} for the pages that exist in English and Chinese."
    pages = [finding.address(name) for name in translations()]
    return {page: f"zh/{page}" for page in pages} | {f"zh/{page}": page for page in pages}


def switched(page, href, twins):
    """Return HTML that links to the page in the other language, if there is one: above the title for readers, in the
    head for programs."""
    if href not in twins:
        return page
    there = os.path.relpath(twins[href], os.path.dirname(href))
    language, name = ("en", "English") if href.startswith("zh/") else ("zh-CN", "中文")
    link = f'<p class="language"><a href="{there}" lang="{language}" hreflang="{language}">{name}</a></p>\n'
    english, chinese = (href, twins[href]) if language == "zh-CN" else (twins[href], href)
    both = {"en": english, "zh-CN": chinese, "x-default": english}
    heads = [f'<link rel="alternate" hreflang="{key}" href="{on_the_web(at)}">\n' for key, at in both.items()]
    return page.replace(TITLE, link + TITLE, 1).replace("</head>", f"{''.join(heads)}</head>", 1)


def on_the_web(href):
    "The whole address of a page; the home page is the folder."
    return f"{site_url()}/{'' if href == 'index.html' else href}"


def named(page, href):
    """HTML of a home page with a title that says what the site is; other pages have their own.

    >>> named("<title>irmetrics_nb</title>", "index.html")
    '<title>irmetrics_nb – Information-retrieval evaluation that you can read, run and trust</title>'"""
    if href not in HOMES:
        return page
    (home,) = (entry for entry in sidebar() if finding.address(Path(entry.href)) == href)
    title = f"{settings()['lib_name']} – {titled(home)[1]}"
    return HOME_TITLE.sub(lambda found: found[1] + title, page)


def part_of_each_page():
    "{page: the name in the bar of the part that it belongs to}."
    root, have = target("", settings()), settings()
    bar = {item["text"] for item in website()["navbar"]["left"]}
    parts = {target(each.href, have).removeprefix(root): each.part for each in sidebar() if each.part in bar}
    return parts | {f"api/{module}.html": "API" for module in ["index", *rooms()]}


def lit(page, part):
    "HTML in whose bar the part that the page belongs to is lit, and no other."
    def link(found):
        here = found[3].strip() == part
        kind, current = ("nav-link active", ' aria-current="true"') if here else ("nav-link", "")
        return f'<a class="{kind}" href="{found[1]}"{current}>{found[2]}<span class="menu-text">{found[3]}</span>'

    bar, mark, rest = page.partition('<nav id="quarto-sidebar"')
    return re.sub(LINK, link, bar) + mark + rest
