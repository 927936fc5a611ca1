"""What the search of the site finds: a step after rendering, on `search.json` and on Quarto's script.

`nbs/search/search.js` takes the place of the library that Quarto's script searches with. It finds a page by its title,
its headings, its text and by keys, which are not shown. Every measure gets keys for what people call it, on the page
that teaches it; every public function on its API page; every word of the glossary on the page that defines it; and
`nbs/search/words.yml` gives the words for tasks. Pages for developers count less than pages for users.
Formulas stand in the texts once, as they are shown, without their twins in TeX.
"""
import ast
import html
import json
import re
import shutil
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import yaml
from project import NBS, cells, module_of, notebooks, sidebar, translations

TOP = "title-block-header"  # stands on every page
# Of the pages of a part; other parts count 1.
WEIGHTS = {"For developers": 0.4, "Metrics": 0.8, "Reference": 0.9, "中文": 0.95}
API = 0.6
HAN = re.compile(r"[\u3400-\u9fff]")
QUARTO = "site_libs/quarto-search"
PATCHES = {
    "text: highlightMatch(query, result.item.text)": "text: result.item.text",
    "href: addParam(result.item.href, kQueryArg, query)": "href: result.item.href",
}


# ---- where things are taught ----


def teachers():
    "{page of a metric, as a kind names it: [notebooks that teach it, the first for the learner]}."
    learn = [name for name in notebooks() if name.parent == Path("learn")]
    found = {}
    for name in notebooks():
        if (module_of(NBS / name) or "").startswith("metrics."):
            mine = [page for page in learn if f"/{name.name})" in begin(page)]
            found[module_of(NBS / name).partition(".")[2]] = [*mine, name]
    return found


@cache
def begin(name):
    "The first prose of a notebook: what leads from a learning page to its second page stands there."
    return "\n".join(cell.source for cell in cells(NBS / name)[:4] if cell.kind == "markdown")


@cache
def title_of(name):
    "The title of a notebook."
    return cells(NBS / name)[0].source.split("\n")[0].lstrip("# ").replace("`", "")


def address(name):
    "The page of a notebook, from the top of the site: nbdev drops the number."
    return name.with_name(re.sub(r"^\d+[a-zA-Z0-9]*_", "", name.stem) + ".html").as_posix()


def teacher(measure, page, taught, word=None):
    "The notebook that teaches a measure: with its name in the title, else one that names it, else that of its code."
    said = re.compile(rf"(?<!\w){re.escape(measure)}(?!\w)")
    named = [name for name in taught[page] if measure and said.search(title_of(name))]
    if word:
        said = re.compile(re.escape(word), re.IGNORECASE)
    spoken = [name for name in taught[page] if said.search(prose(name))]
    return [*named, *spoken, taught[page][-1]][0]


@cache
def prose(name):
    "What a notebook says in words; the line of a learning page that leads to its second page is left out."
    found = [cell.source for cell in cells(NBS / name) if cell.kind == "markdown"]
    return " ".join(" ".join(found[:1] + found[2:] if name.parts[0] == "learn" else found).split())


# ---- what people call things ----


def measures():
    "(name, page, question, short names, long names) of all measures."
    from irmetrics_nb.explaining.cards import CARDS
    from irmetrics_nb.metrics.names import aliases_of
    from irmetrics_nb.metrics.registry import KINDS

    for kind in KINDS.values():
        card = CARDS.get(kind.name)
        names = [kind.name, *aliases_of(kind.name)]
        names += ["MAP"] * (kind.name == "AP") + ["MRR"] * (kind.name == "RR")
        yield kind.name, kind.page, kind.question, [*names, kind.chinese], [card.title] if card else []
    for card in CARDS.values():
        if card.name not in KINDS:
            others = ["roc_auc_score", "ROCAUC"] if card.name == "AUC" else []
            yield card.name, "auc", card.kind.question, [card.name, *others], [card.title]


def words():
    "(word, Chinese names, symbol, page, meaning) of the glossary."
    (book,) = (name for name in notebooks() if name.stem == "glossary")
    for cell in cells(NBS / book):
        if cell.source.startswith("define("):
            text = ast.literal_eval(cell.tree.body[0].value.args[0])
            for line in text.strip().splitlines():
                word, chinese, symbol, page, meaning = (part.strip() for part in line.split("|"))
                yield word, [name.strip() for name in chinese.split(",")], symbol, page, meaning


def american(text):
    "The other spelling of a word, for those who look for it."
    return re.sub(r"(?<=[a-z])is(?=e|ing|ation)", "iz", text)


def tasks():
    "{page: what people type to find it}."
    found = yaml.safe_load((NBS / "search/words.yml").read_text(encoding="utf-8"))
    return {page: [word.strip() for word in words.split(",")] for page, words in found.items()}


@cache
def parts():
    "{page: the part of the sidebar that lists it}."
    return {address(Path(each.href)): each.part for each in sidebar() if "://" not in each.href}


def weight(page):
    "How much a page counts in the search."
    return WEIGHTS.get(parts()[page], 1) if page in parts() else API


def crumbs(page, title):
    "What a result shows beside its title: the part of the page. Quarto shows the first of two or more."
    part = parts().get(page, "API")
    return {"crumbs": [part, title]} if part else {}


def left_out():
    "The pages that the search leaves out: the code of modules without public names."
    from api import inner

    return {address(Path(name)) for name in inner()}


def entry(page, title, text, keys, anchor="", section=""):
    "An entry of the index: a page, or a part of it, that is found by keys."
    href = f"{page}#{anchor}" if anchor else page
    keys = list(dict.fromkeys(key for key in keys if key))
    fields = {"title": title, "section": section, "text": text, "keys": keys, "weight": weight(page)}
    return {"objectID": f"{href}:{keys[0]}", "href": href} | fields | crumbs(page, title)


def added():
    "Yield the entries of `by_name`; all keys lead to the Chinese page, if there is one, and Chinese keys only to it."
    homes = {address(name): name for name in translations()}
    for found in by_name():
        chinese = [key for key in found["keys"] if HAN.search(key)]
        if found["href"] not in homes:
            yield found
            continue
        name = Path("zh") / homes[found["href"]]
        title, _, summary = cells(NBS / name)[0].source.partition("\n> ")
        yield entry(address(name), title.lstrip("# ").strip(), summary.split("\n")[0], [*chinese, *found["keys"]])
        if others := [key for key in found["keys"] if not HAN.search(key)]:
            yield found | {"objectID": f"{found['href']}:{others[0]}", "keys": others}


def by_name():
    "Yield the entries for what people call things: tasks, measures, words, then public functions."
    from about import titled
    from api import at_the_top, docstring, one_line, rooms

    entries = {each.href: each for each in sidebar()}
    for page, keys in tasks().items():
        title, summary = titled(entries[page])
        yield entry(address(Path(page)), title, summary, keys)
    taught, homes = teachers(), {}
    for name, page, question, short, long in measures():
        home = teacher(name, page, taught)
        homes |= {key.casefold(): home for key in (*short, *long)}
        yield entry(address(home), title_of(home), ": ".join([*long, question]), [*short, *long])
    pages = {re.sub(r"^[\d_]+", "", name.stem): name for name in notebooks() if name.parts[0] not in ("learn", "guide")}
    for word, chinese, symbol, page, meaning in words():
        home = teacher(symbol, page, taught, word) if page in taught else pages[page]
        home = homes.get(word.casefold(), home)
        keys = [word, american(word), *chinese, *([symbol] if symbol.isalnum() else [])]
        yield entry(address(home), title_of(home), meaning, keys)
    for module, (_, room) in rooms().items():
        for each in sorted(each for each in room.__all__ if at_the_top(each, room)):
            thing = getattr(room, each)
            if module.startswith("metrics.") or not callable(thing):
                continue  # a measure is found on the page that teaches it
            says = one_line(docstring(thing)).replace("\\", "")
            yield entry(f"api/{module}.html", f"API: {module}", says, [each], each, each)


# ---- what a page says ----


class Text(HTMLParser):
    "The text of a page, by section: {id of a second-level section, or '': what stands in it}, without formulas' twins."

    LEFT = {"annotation", "script", "style", "button"}
    VOID = {"br", "hr", "img", "input", "meta", "link", "wbr", "source", "col"}

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.said, self.open, self.main = {}, [], False
        self.feed(page)
        self.said = {key: " ".join("".join(parts).split()) for key, parts in self.said.items()}

    def handle_starttag(self, tag, attrs):
        at = dict(attrs)
        skip = tag in self.LEFT or at.get("class") == "language" or at.get("id") in (TOP, "TOC", "quarto-back-to-top")
        section = at.get("id") if tag == "section" and "level2" in (at.get("class") or "").split() else None
        if tag not in self.VOID:
            self.open.append((tag, skip, section))
        self.main = self.main or tag == "main"

    def handle_endtag(self, tag):
        if tag in (name for name, *_ in self.open):
            while self.open.pop()[0] != tag:
                pass
        self.main = self.main and tag != "main"
        if tag in ("p", "li", "td", "th", "div", "h2", "h3", "h4", "pre", "dd", "dt"):
            self.handle_data(" ")

    def handle_data(self, data):
        if self.main and not any(skip for _, skip, _ in self.open):
            sections = [section for *_, section in self.open if section]
            self.said.setdefault(sections[-1] if sections else "", []).append(data)


def told(found, page, anchors):
    "An entry of Quarto's with its text once more, from the HTML of its page; `anchors` of the page have entries."
    href, _, anchor = found["href"].partition("#")
    said = page.said.get(anchor, "")
    first = next(iter(page.said), "")
    if not anchor and first not in anchors:  # it went into the entry of the page
        said = f"{page.said[first]} {said}".strip()
    kept = {field: html.unescape(found.get(field) or "") for field in ("title", "section", "text")}
    said = said.removeprefix(kept["section"]).strip()
    found = {field: value for field, value in found.items() if field != "crumbs"} | kept
    return found | {"weight": weight(href)} | crumbs(href, kept["title"]) | ({"text": said} if said else {})


def improve(site: Path):
    "Rewrite the index of the rendered site and give it our search; returns how many entries it has."
    path = site / "search.json"
    left, read, anchors = left_out(), {}, {}
    stored = json.loads(path.read_text(encoding="utf-8"))
    stored = [each for each in stored if each["href"].partition("#")[0] not in left]
    for each in stored:
        href, _, anchor = each["href"].partition("#")
        anchors.setdefault(href, set()).add(anchor)
        if href not in read:
            read[href] = Text((site / href).read_text(encoding="utf-8"))
    kept = [told(each, read[page], anchors[page]) for each in stored for page in [each["href"].partition("#")[0]]]
    entries = [*kept, *added()]
    path.write_text(json.dumps(entries, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    shutil.copy(NBS / "search/search.js", site / QUARTO / "fuse.min.js")
    patch(site / QUARTO / "quarto-search.js")
    return len(entries)


def patch(path):
    "Let Quarto's script show the marks of our search, not its own, which also stand inside of words."
    script = path.read_text(encoding="utf-8")
    for there, here in PATCHES.items():
        if script.count(there) != 1:
            raise SystemExit(f"{path}: Quarto's script has changed, '{there}' is missing; adapt tests/tools/finding.py")
        script = script.replace(there, here)
    path.write_text(script, encoding="utf-8")
