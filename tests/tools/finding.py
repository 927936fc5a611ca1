"""What the search of the site finds: a step after rendering, on `search.json`.

Quarto's script looks for a query as a piece of text in `title`, `section` and `text` of each entry, and a field counts
the more, the fewer blanks it has. So every measure gets entries for what people call it, which lead to the page that
teaches it; every public function one for the page that explains it; every word of the glossary one for the page that
defines it. Formulas stand in the texts once, as they are shown, without their twins in TeX.
"""
import ast
import html
import json
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

from project import NBS, cells, module_of, notebooks

CUTOFFS = *range(1, 31), 40, 50, 100, 200, 500, 1000, 10000
SHORT = 9  # letters of a name that people put before @
THIN = ",\N{THIN SPACE}"  # between names: a line may break there, and the script counts no word
IN_API = "· parameters, errors, example"
TOP = "title-block-header"  # stands on every page


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
    from irmetrics_nb.core.measures import KINDS
    from irmetrics_nb.metrics.names import CARDS, aliases_of

    for kind in KINDS.values():
        card = CARDS.get(kind.name)
        names = [kind.name, *aliases_of(kind.name)]
        names += ["MAP"] * (kind.name == "AP") + ["MRR"] * (kind.name == "RR")
        cut = [n for n in names if kind.at == "k" and len(n) <= SHORT and n.isalnum()]
        short = [*names, kind.chinese, *(f"{n}@{k}" for n in cut for k in CUTOFFS)]
        yield kind.name, kind.page, kind.question, short, [card.title] if card else []
    for card in CARDS.values():
        if not card.kind:
            others = ["roc_auc_score", "ROCAUC"] if card.name == "AUC" else []
            yield card.name, "auc", card.question, [card.name, *others], [card.title]


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


def entry(name, section, text, anchor=TOP):
    "An entry of the index, for the page of a notebook."
    href = f"{address(name)}#{anchor}"
    fields = {"title": title_of(name), "section": section, "text": html.escape(text)}
    return {"objectID": f"{href}:{section}", "href": href} | fields


def added():
    "The entries for what people call things: of measures, then of words, then of public functions."
    from api import at_the_top, docstring, one_line, rooms

    import irmetrics_nb

    taught, seen = teachers(), set()
    found = []
    for name, page, question, short, long in sorted(measures(), key=lambda found: len(found[0])):
        home = teacher(name, page, taught)
        alone = [each for each in short if len(each) < 5 and each.isascii()]  # "AP" also stands in "bootstrap"
        says = ": ".join([*long, question])
        found += [entry(home, section, says) for section in [*alone, THIN.join(dict.fromkeys(short)), *long]]
    pages = {re.sub(r"^[\d_]+", "", name.stem): name for name in notebooks() if name.parts[0] != "learn"}
    for word, chinese, symbol, page, meaning in words():
        home = teacher(symbol, page, taught, word) if page in taught else pages[page]
        spelled = [word, american(word), *chinese, *([symbol] if symbol.isalnum() else [])]
        found.append(entry(home, THIN.join(dict.fromkeys(spelled)), meaning))
    for module, (name, room) in rooms().items():
        for each in sorted(set(room.__all__) & set(irmetrics_nb.__all__)):
            thing = getattr(room, each)
            public = callable(thing) and at_the_top(each, room)
            if public and each not in seen and module.partition(".")[0] != "metrics":
                seen.add(each)
                says = one_line(docstring(thing)).replace("\\", "").replace("`", "")
                found.append(entry(name, each, says, each))
    return list({each["objectID"]: each for each in found}.values())


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
        skip = tag in self.LEFT or at.get("id") in (TOP, "TOC", "quarto-back-to-top")
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
    if href.startswith("api/") and anchor:
        found = found | {"section": f"{found['section']} {IN_API}"}
    return found | {"text": html.escape(said)} if said else found


def improve(site: Path):
    "Rewrite the index of the rendered site; returns how many entries it has, and how many were added."
    path = site / "search.json"
    stored = json.loads(path.read_text(encoding="utf-8"))
    read, anchors = {}, {}
    for each in stored:
        href, _, anchor = each["href"].partition("#")
        anchors.setdefault(href, set()).add(anchor)
        if href not in read:
            read[href] = Text((site / href).read_text(encoding="utf-8"))
    more = added()
    mine = {each["objectID"] for each in more}
    crumbs = {each["href"].partition("#")[0]: each.get("crumbs") for each in stored}
    more = [each | {"crumbs": crumbs.get(each["href"].partition("#")[0]) or []} for each in more]
    kept = []
    for each in stored:
        if each["objectID"] not in mine:
            href = each["href"].partition("#")[0]
            kept.append(told(each, read[href], anchors[href]))
    path.write_text(json.dumps([*more, *kept], ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return len(more) + len(kept), len(more)
