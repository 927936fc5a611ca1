"The site, as far as it can be judged without rendering it: its sources, and the pages as they go to Quarto."
import importlib
import json
import os
import re
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import about
import api
import pages
import project
import pytest
import release
import yaml
from markdown_it import MarkdownIt
from project import NBS, PACKAGE, ROOT, cells, module_of, notebooks, settings, translations
from test_project import copy_of_the_project

from irmetrics_nb.core.measures import Measure
from irmetrics_nb.metrics.registry import KINDS

SITE = yaml.safe_load((ROOT / "_quarto.yml").read_text(encoding="utf-8"))
HTML = SITE["format"]["html"]
THEMES = sorted((NBS / "theme").glob("*.scss"))
METRICS = ["sets", "ap", "dcg", "cascade", "auc"]
ONE_SCREEN = 60  # lines of prose, code and output between a formula and the first number


@pytest.fixture(scope="module")
def processed_project(tmp_path_factory):
    "(a copy of the project in which `make docs` has run without Quarto, {file: its content before})."
    project = copy_of_the_project(tmp_path_factory.mktemp("site"))
    before = {p: p.read_bytes() for p in project.rglob("*") if p.is_file()}
    env = {k: v for k, v in os.environ.items() if k != "IN_TEST"} | {"PATH": str(project)}  # no quarto there
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    script = [sys.executable, str(ROOT / "tests/tools/docs.py")]
    done = subprocess.run(script, cwd=project, env=env | {"PYTHONPATH": path}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return project, before


@pytest.fixture(scope="module")
def processed(processed_project):
    "The pages as `make docs` hands them to Quarto."
    return processed_project[0] / "_proc"


def texts(nb):
    "(kind, text) of all that a processed page shows."
    for cell in nb["cells"]:
        yield cell["cell_type"], "".join(cell["source"])
        for output in cell.get("outputs", []):
            for kind, data in output.get("data", {}).items():
                if isinstance(data, (str, list)) and not kind.startswith("image/png"):
                    yield kind, "".join(data)


@cache
def read(processed):
    "{name: processed page} of all notebooks."
    found = sorted(processed.rglob("*.ipynb"))
    return {p.relative_to(processed): json.loads(p.read_text(encoding="utf-8")) for p in found}


def test_every_page_is_processed_for_rendering_and_nothing_else_changes(processed_project):
    project, before = processed_project
    processed = {p.relative_to(project / "_proc") for p in (project / "_proc").rglob("*.ipynb")}
    assert processed == {*notebooks(), *(Path("zh") / name for name in translations())}
    for name in "_quarto.yml nbdev.yml styles.css fonts/stix-two-math.woff2 theme/dark.scss api/index.qmd".split():
        assert (project / "_proc" / name).exists(), name
    assert yaml.safe_load((project / "_proc/nbdev.yml").read_text())["website"]["repo-url"] == settings()["git_url"]
    made = {"nbs/nbdev.yml"}
    after = {p for p in project.rglob("*") if p.is_file() and "_proc" not in p.parts and "__pycache__" not in p.parts}
    assert {str(p.relative_to(project)) for p in after - before.keys()} <= made
    assert [str(p.relative_to(project)) for p, text in before.items() if p.read_bytes() != text] == []


# ---- nothing from elsewhere ----


def test_the_themes_are_files_of_our_own_that_fetch_no_font():
    assert {name for names in HTML["theme"].values() for name in names} == {f"theme/{p.name}" for p in THEMES}
    for names in HTML["theme"].values():
        assert any("$web-font-path: false;" in (NBS / name).read_text(encoding="utf-8") for name in names)
    for path in THEMES:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"https?:|@import|@use", text), path


def test_no_style_script_or_setting_of_the_site_names_another_host():
    mine = [NBS / HTML["css"], *(NBS / name for name in HTML["include-after-body"]), *THEMES]
    outside = r"(?:src|href)\s*=(?!\"/play/play\.js\")|url\(['\"]?(?:https?:)?//|@import|fetch\("
    for path in mine:
        assert not re.search(outside, path.read_text(encoding="utf-8")), path
    assert HTML["html-math-method"] == "mathml"


def test_script_loads_nothing_and_is_included_once_and_copied():
    text = (NBS / "play/play.js").read_text(encoding="utf-8")
    assert set(re.findall(r"https?://[\w./]+", text)) == {"http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg"}  # namespaces
    assert not re.search(r"fetch\(|XMLHttpRequest|\bimport\b *[({'\"]|\beval\(|innerHTML|url\(|@import", text)
    ends = "".join((NBS / name).read_text(encoding="utf-8") for name in HTML["include-after-body"])
    assert re.findall(r'src="([^"]*)"', ends) == ["/play/play.js"], "from the root: Quarto makes it relative"
    assert {"play/play.js", "play/play.zh.js", "play/write.js", "play/write_worker.js"} <= {*SITE["project"]["resources"]}


def test_phrases_in_another_language_contain_no_code():
    text = (NBS / "play/play.zh.js").read_text(encoding="utf-8")
    head, assigned, table = text.partition("globalThis.playPhrases = ")
    assert head.startswith("//") and head.count("\n") == 1 and assigned
    assert all(isinstance(phrase, str) for phrase in json.loads(table.rstrip(";\n")).values()), "data, and no code"


def test_search_loads_nothing_and_escapes_its_text():
    text = (NBS / "search/search.js").read_text(encoding="utf-8")
    assert not re.search(r"https?:|fetch\(|XMLHttpRequest|\bimport\b|\beval\(|innerHTML", text)
    assert text.count("escaped(") == 3, "every part of a text is escaped"


def test_fonts_of_the_themes_are_bundled_with_a_licence():
    css = (NBS / HTML["css"]).read_text(encoding="utf-8")
    ours = set(re.findall(r'font-family: "([^"]+)";\n', css))
    for names in HTML["theme"].values():
        text = "".join((NBS / name).read_text(encoding="utf-8") for name in names)
        named = re.findall(r'\$font-family-\w+-?\w*: "([^"]+)"', text)
        assert len(named) == 2
        assert set(named) <= ours
    licence = (NBS / "fonts/OFL.txt").read_text(encoding="utf-8")
    for font in (NBS / "fonts").glob("*.woff2"):
        assert font.name in licence or "-".join(font.stem.split("-")[:3]) + "-*" in licence, font.name


def test_no_output_makes_quarto_fetch_scripts(processed):
    for name, nb in read(processed).items():
        for kind, text in texts(nb):
            assert kind not in ("text/html", "application/javascript"), name
            if kind == "text/markdown":
                assert not re.search(r"<(?:script|style|link|iframe)\b|(?:src)=[\"']https?:", text), name


def test_a_table_in_html_stays_a_table_without_its_scripts_and_styles():
    html = '<div><style>td {color: red}</style><script src="x.js"></script><table border="1" class="dataframe"><tr><td>1</td></tr></table></div>'
    kept = pages.scriptless({"text/html": [html], "text/plain": ["1"]})
    assert kept["text/plain"] == ["1"]
    assert "".join(kept["text/markdown"]) == '```{=html}\n<div><table class="dataframe"><tr><td>1</td></tr></table></div>\n```\n'
    assert pages.scriptless({"text/html": "<b>", "text/markdown": "**b**"}) == {"text/markdown": "**b**"}


def test_outputs_and_docstrings_reach_pandoc_with_straight_quotes(processed):
    shown = [(name, text) for name, nb in read(processed).items() for kind, text in texts(nb) if kind == "text/markdown"]
    assert len(shown) > 200 and sum(r"\'" in text for _, text in shown) > 10
    assert [str(name) for name, text in shown if pages.straight(text) != text] == []
    assert api.escape("ties='docid', \"k\" and `a='b'`") == r"ties=\'docid\', \"k\" and `a='b'`"
    bodies = {path.name: path.read_text(encoding="utf-8").split("---\n", 2)[2] for path in (processed / "api").glob("*.qmd")}
    assert len(bodies) > 30
    found = {name: [piece for piece in pages.VERBATIM.split(text)[::2] if re.search(r"(?<!\\)['\"]", piece)] for name, text in bodies.items()}
    assert {name: pieces[:3] for name, pieces in found.items() if pieces} == {}


# ---- said once ----


def test_processed_pages_contain_no_show_doc_or_signatures(processed):
    for name, nb in read(processed).items():
        for kind, text in texts(nb):
            assert "show_doc" not in text, name
            assert not (kind == "text/markdown" and re.search(r"^#+ \w+\n\n```python\ndef ", text, re.MULTILINE)), name


def test_the_contents_of_a_page_are_its_own_headings_and_none_from_definitions(processed):
    for name, nb in read(processed).items():
        written = [h for c in cells(NBS / name)[1:] if c.kind == "markdown" for h in headings(c.source)]
        shown = [h for c in nb["cells"] if c["cell_type"] == "markdown" for h in headings("".join(c["source"]))]
        assert shown == written, name


def headings(text):
    "The headings in a piece of Markdown, without the names of tabs."
    text = re.sub(r"(?m)^## (Python|Command line|命令行)$", "", text)
    return re.findall(r"^#{1,6} .*$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)


def test_every_link_to_an_api_page_leads_to_an_entry(processed):
    entries = {p.name: set(re.findall(r"\{#([\w.-]+)\}", p.read_text(encoding="utf-8"))) for p in (processed / "api").glob("*.qmd")}
    found = 0
    for name, nb in read(processed).items():
        for _, text in texts(nb):
            for up, page, anchor in re.findall(r"\]\(((?:\.\./)*)api/([\w.]+\.qmd)#([\w.-]+)\)", text):
                assert len(up) == 3 * (len(name.parts) - 1), f"{name}: {page}"
                if page != "index.qmd":
                    assert anchor in entries[page], f"{name}: {page}#{anchor}"
                found += 1
    assert found > 200


def test_every_link_back_from_an_api_page_leads_to_an_anchor(processed):
    pages_of = read(processed)
    for path in (processed / "api").glob("*.qmd"):
        for target, anchor in re.findall(r"\]\(\.\./([\w/]+\.ipynb)#([\w.]+)\)", path.read_text(encoding="utf-8")):
            (nb,) = (nb for name, nb in pages_of.items() if name.as_posix() == target)
            assert any(f"{{#{anchor}}}" in text for _, text in texts(nb)), f"{path.name}: {target}#{anchor}"


def test_every_public_name_has_an_entry_and_the_index_lists_these_names_by_task_and_no_other(processed):
    import irmetrics_nb

    index = (processed / "api/index.qmd").read_text(encoding="utf-8")
    listed = re.findall(r"(?m)^\| \[`(\w+)`\]\(([\w.]+)\.qmd#(\w+)\) \| (.*) \|$", index)
    assert [name for name, *_ in listed] == irmetrics_nb.__all__
    assert re.findall(r"(?m)^## (.+)$", index) == [*irmetrics_nb._PUBLIC]
    for name, module, anchor, says in listed:
        assert anchor == name and name in api.rooms()[module][1].__all__, name
        assert says and "built-in" not in says, name
    for module, (_, room) in api.rooms().items():
        text = (processed / f"api/{module}.qmd").read_text(encoding="utf-8")
        assert [n for n in room.__all__ if f"## `{n}` {{#{n}}}" not in text] == [], module


def test_no_api_page_shows_what_only_the_machine_knows(processed):
    for path in (processed / "api").glob("*.qmd"):
        text = re.sub(r"^```.*?^```", lambda m: "" if ">>>" in m[0] else m[0], path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        found = re.findall(r"__main__|<factory>|<\w+ object|\bat 0x[0-9a-f]+|Built-in immutable sequence|str\(object=", text)
        assert found == [], path.name


def test_a_signature_gives_names_kinds_and_defaults():
    def f(a, b, /, c=1, *, d="x", e=None, g=[].append): ...
    def h(*rows, k=2, **more): ...

    assert api.signature(f, "f") == "f(a, b, /, c=1, *, d='x', e=None, g=append)"
    assert api.signature(h, "h") == "h(*rows, k=2, **more)"
    assert api.value(object()) == "..."


def test_multiplication_signs_powers_and_brackets_of_a_docstring_are_not_taken_for_marks():
    assert api.escape("(1 - p) * g * p^(i - 1), `a * b`, x_1 <y>") == r"(1 - p) \* g \* p\^(i - 1), `a * b`, x\_1 \<y\>"


def test_no_multiplication_sign_of_a_docstring_is_lost_on_the_api_pages(processed):
    for module, (_, room) in api.rooms().items():
        text = (processed / f"api/{module}.qmd").read_text(encoding="utf-8")
        for name in room.__all__:
            thing = getattr(room, name)
            if not callable(thing) or not thing.__doc__ or isinstance(thing, type | Measure):
                continue
            entry = text.partition(f"## `{name}` ")[2].partition("\n## ")[0].partition("Explained on")[0]
            prose = re.sub(r"^```.*?^```|\*\*\w+\*\*|`[^`\n]*`", "", entry, flags=re.MULTILINE | re.DOTALL)
            assert re.findall(r"(?<!\\)\*", prose) == [], name
            first = re.sub(r"`[^`]*`", "", api.sections(thing.__doc__)[0][1].partition(">>>")[0])
            assert prose.count("*") >= first.count("*"), name


# ---- prose and formulas ----


def test_parentheses_grow_around_fractions_and_only_there():
    assert pages.grow(r"\frac14(\frac11 + f(x))") == r"\frac14\left(\frac11 + f(x)\right)"
    assert pages.grow(r"\left(\frac11\right) (a)") == r"\left(\frac11\right) (a)"
    assert pages.grow(r"(a & \frac12)") == r"(a & \frac12)"
    assert pages.grown("costs $5 (`(\\frac12)`), and $(\\frac12)$") == "costs $5 (`(\\frac12)`), and $\\left(\\frac12\\right)$"


def test_no_formula_goes_to_quarto_with_small_parentheses_around_a_fraction(processed):
    for name, nb in read(processed).items():
        for cell in nb["cells"]:
            if cell["cell_type"] == "markdown":
                for formula in re.findall(r"\$\$(.*?)\$\$", "".join(cell["source"]), re.DOTALL):
                    assert pages.grow(formula) == formula, name


def test_a_processed_page_keeps_the_ends_of_its_lines(processed):
    for name, nb in read(processed).items():
        for cell in nb["cells"]:
            lines = cell["source"] if isinstance(cell["source"], list) else []
            assert all(line.endswith("\n") for line in lines[:-1]), name


def test_only_the_first_mention_of_a_name_in_prose_is_a_link():
    names = {"evaluate": "api/e.qmd#evaluate", "Scores.concat": "api/s.qmd#Scores.concat"}
    text = "# `evaluate`\n\n`evaluate` and `evaluate(q, r)`, [`evaluate`](x), `Scores.concat`, `other`\n\n```\n`evaluate`\n```\n"
    assert pages.linked(text, names, "../") == (
        "# `evaluate`\n\n[`evaluate`](../api/e.qmd#evaluate) and `evaluate(q, r)`, [`evaluate`](x), "
        "[`Scores.concat`](../api/s.qmd#Scores.concat), `other`\n\n```\n`evaluate`\n```\n"
    )


def test_a_page_of_the_guide_or_the_reference_begins_with_use_and_folds_its_source(processed):
    assert len(pages.used()) >= 35
    assert {"guide/install.ipynb", "evaluation/presets.ipynb"} <= {*pages.used()}
    assert "evaluation/evaluation.ipynb" not in pages.used(), "pages for developers show the source"
    for name, nb in read(processed).items():
        if name.as_posix() in pages.used() and (ours := pages.sources(name)):
            code = [(cell["id"] in ours, "".join(cell["source"])) for cell in nb["cells"] if cell["cell_type"] == "code"]
            assert all(text.startswith("#| code-fold: true\n") for source, text in code if source), name
            shown = [source for source, text in code if not re.search(r"#\| (?:echo|include): false", text)]
            assert not shown[0], f"{name} begins with its source"


class Tables(HTMLParser):
    "The texts of the cells below the head of each table of a page in HTML; an inner table is a part of its outer one."

    def __init__(self, text):
        super().__init__()
        self.found, self.open, self.head = [], 0, False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.open += 1
            self.found += [[]] * (self.open == 1)
        self.head = tag == "thead" or self.head and tag != "tbody"

    def handle_endtag(self, tag):
        self.open -= tag == "table"
        self.head = self.head and tag != "thead"

    def handle_data(self, data):
        if self.open and not self.head and data.strip():
            self.found[-1] = [*self.found[-1], data.strip()]


def tables(name):
    "The tables of a page, in its text and in what its cells show."
    for cell in cells(NBS / name):
        seen = [output.get("data", {}) for output in cell.outputs if "hide" not in cell.directives]
        texts = [cell.source] * (cell.kind == "markdown") + ["".join(one.get("text/markdown", "")) for one in seen]
        yield from Tables("\n".join(["".join(one.get("text/html", "")) for one in seen] + [MARKDOWN.render(text) for text in texts])).found


MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")


def test_no_table_of_a_page_is_empty():
    found = {name.as_posix(): [*tables(name)] for name in notebooks()}
    assert sum(map(len, found.values())) > 150
    assert {name for name, some in found.items() if not all(some)} == set()


@pytest.mark.parametrize("text, empty", [
    ("| a | b |\n| --- | --- |\n", True), ("| a | b |\n| --- | --- |\n| 1 | |\n", False), ("| a |\n|---|\n| |\n", True),
    ("<table><thead><tr><th>a</thead><tbody></tbody></table>", True), ("<table><tr><td>1</td></tr></table>", False)])  # fmt: skip
def test_a_table_without_a_body_is_seen(text, empty):
    (body,) = Tables(MARKDOWN.render(text)).found
    assert (body == []) == empty


def announced(name):
    "(a last line that ends in a colon, what is shown next) of each text of a page; None at its end."
    unseen = {"hide", "export", "exporti", "default_exp"}
    seen = [cell for cell in cells(NBS / name) if unseen.isdisjoint(cell.directives)]
    for cell, below in zip(seen, [*seen[1:], None], strict=True):
        if cell.kind == "markdown" and cell.source.rstrip().endswith(":"):
            yield cell.source.rstrip().splitlines()[-1], below


def test_what_a_line_announces_is_shown_below_it():
    found = [(name, line, below) for name in notebooks() for line, below in announced(name)]
    assert len(found) > 100
    bare = (below is None or below.kind == "markdown" and not below.source.startswith(("|", "<", "-", "```")) for _, _, below in found)
    assert [(str(name), line) for (name, line, _), late in zip(found, bare, strict=True) if late] == []


def test_formulas_are_not_beheaded():
    css = (NBS / HTML["css"]).read_text(encoding="utf-8")
    (rule,) = (body for head, body in re.findall(r"([^{}]+)\{([^{}]*)\}", css) if "p:has(> math" in head)
    assert "overflow-y: hidden" not in css
    assert "padding-block" in rule


@pytest.mark.parametrize("name", METRICS)
def test_from_a_metrics_first_formula_to_a_number_it_is_one_screen(name):
    lines, counting = 0, False
    for cell in cells(NBS / f"metrics/{name}.ipynb"):
        if "hide" in cell.directives or "export" in cell.directives:
            continue
        counting = counting or "$$" in cell.source
        lines += counting * len(cell.source.splitlines())
        if counting and re.search(r"\d", shown(cell)):
            break
    assert 0 < lines <= ONE_SCREEN


def shown(cell):
    "The text that a cell's code gives."
    return "".join("".join(o.get("data", {}).get("text/plain", o.get("text", ""))) for o in cell.outputs)


# ---- references ----

BIB = (NBS / "references.bib").read_text(encoding="utf-8")


def cited():
    "(notebook, title) of every reference."
    for name in notebooks():
        for cell in cells(NBS / name):
            if cell.kind == "markdown" and "## References" in cell.source:
                for item in re.split(r"(?m)^(?=- )", cell.source.partition("## References")[2])[1:]:
                    yield name, pages.plain(re.search(r"\*(.+?)\*", item, re.DOTALL)[1])


def titles():
    "The titles in the BibTeX file."
    return {pages.plain(t) for t in re.findall(r"(?m)^\s*title = \{(.*)\},$", BIB)}


def test_every_reference_is_in_the_bibtex_file_and_every_entry_is_cited():
    assert sorted({(str(n), t) for n, t in cited() if t not in titles()}) == []
    assert sorted(titles() - {t for _, t in cited()}) == []


def test_every_entry_has_a_key_of_its_own_and_a_doi_looks_like_one():
    keys = re.findall(r"(?m)^@\w+\{(\w+),$", BIB)
    assert len(set(keys)) == len(keys) == len(titles())
    found = pages.dois(BIB)
    assert len(found) > 30
    assert all(re.fullmatch(r"10\.\d{4,5}/\S+", doi) for doi in found.values())
    assert len(set(found.values())) == len(found)


def test_only_papers_published_on_arxiv_have_an_arxiv_doi():
    entries = re.findall(r"(?ms)^@(\w+)\{(\w+),(.*?)^\}$", BIB)
    assert len(entries) == len(titles())
    assert [key for _, key, text in entries if "10.48550/arXiv" in text and "journal = {arXiv:" not in text] == []


def test_references_reach_the_page_with_their_doi(processed):
    text = "".join(t for _, t in texts(read(processed)[next(n for n in notebooks() if n.stem == "dcg")]))
    assert "[doi:10.1145/582415.582418](<https://doi.org/10.1145/582415.582418>)" in text


def test_a_reference_has_a_link_where_its_entry_has_a_doi_and_only_there():
    known, linked = pages.dois(BIB), 0
    for name, title in cited():
        signed = pages.signed(f"- *{title}*.", known)
        assert ("https://doi.org/" in signed) == (title in known), (name, title)
        linked += title in known
    assert linked > len(known) - 1


def test_a_link_of_a_reference_leads_to_its_doi_and_shows_it_whatever_its_signs():
    known = pages.dois(BIB)
    assert any("<" in doi and "(" in doi for doi in known.values())
    for title, doi in known.items():
        signs = MarkdownIt().parseInline(pages.signed(f"- *{title}*.", known).removeprefix("- "))[0].children
        (link,) = (sign.attrs["href"] for sign in signs if sign.type == "link_open")
        shown = "".join(sign.content for sign in signs[[sign.type for sign in signs].index("link_open") :])
        assert (unquote(link), shown) == (f"https://doi.org/{doi}", f"doi:{doi}")


# ---- the shape of the site, and what stands beside it ----


def test_the_sidebar_has_the_readers_order():
    contents = SITE["website"]["sidebar"]["contents"]
    assert [item["section"] for item in contents if "section" in item] == ["Learn", "Guide", "Metrics", "Reference", "中文", "For developers"]
    guide = [entry.href for entry in project.sidebar() if entry.part == "Guide"]
    assert guide[:4] == ["guide/index.qmd", *(f"guide/{name}.ipynb" for name in ("install", "evaluate_files", "evaluate_python"))]


def test_pages_are_under_a_sub_heading_and_lessons_are_numbered():
    entries = [entry for entry in project.sidebar() if entry.part]
    assert len(entries) > 100
    assert [entry for entry in entries if not entry.heading and not entry.href.endswith(("/index.qmd", "zh/index.ipynb"))] == []
    lessons = [entry for entry in entries if entry.heading == "Lessons"]
    assert [entry.text[:2] for entry in lessons] == [f"{i} " for i in range(1, 10)]
    for entry in lessons:
        title, summary = cells(NBS / entry.href)[0].source.split("\n> ")
        assert title.strip() == f"# {entry.text[2:]}"
        assert summary.startswith(f"Lesson {entry.text[0]}: ")


def test_guide_contains_no_page_that_exports_a_module():
    guide = [NBS / entry.href for entry in project.sidebar() if entry.part == "Guide" and entry.href.endswith(".ipynb")]
    assert [str(path) for path in guide if path.exists() and module_of(path)] == []


def test_every_word_of_the_bar_leads_to_a_landing_page_with_a_card_for_each_page_of_its_part(processed):
    for item in project.website()["navbar"]["left"]:
        assert item["href"].endswith("/index.qmd"), item
        entries = [entry for entry in project.sidebar() if entry.part == item["text"]]
        if not entries:
            assert item["text"] == "API"
            continue
        text = (processed / item["href"]).read_text(encoding="utf-8")
        cards = re.findall(r"::: \{\.card-link\}\n\[([^\]]+)\]\((\S+)\)\n\n(.*)\n:::", text)
        assert [href.lstrip("/") for _, href, _ in cards] == [entry.href for entry in entries if entry.heading]
        there = [(title, says) for title, href, says in cards if "://" in href or (processed / href[1:]).exists()]
        assert there
        assert [title for title, says in there if not says] == [], "each card says what its page is for"
        assert "<!--" not in text


def test_the_landing_page_of_the_metrics_lists_every_measure_once(processed):
    rows = re.findall(r"(?m)^\| \[(\w+)\]\(/(\S+)\) \| (.+) \| (.*) \|$", (processed / "metrics/index.qmd").read_text(encoding="utf-8"))
    assert sorted(name for name, *_ in rows) == sorted([*KINDS, "AUC", "GAUC"])
    assert all((NBS / page).exists() and question for _, page, question, _ in rows)


def test_the_site_has_an_icon_a_footer_a_card_and_a_way_to_the_repository():
    site = SITE["website"]
    assert (NBS / site["favicon"]).exists()
    assert site["open-graph"]["image-alt"] == site["twitter-card"]["image-alt"]
    assert site["page-footer"]["left"]
    assert [item["href"] for item in site["navbar"]["right"]] == [settings()["git_url"].replace("%(user)s", settings()["user"])]
    assert "API" in [item["text"] for item in site["navbar"]["left"]]
    assert settings()["description"]


def workflow(name):
    return yaml.safe_load((ROOT / f".github/workflows/{name}.yml").read_text(encoding="utf-8"))


def test_the_tests_run_on_every_supported_python_and_on_three_systems():
    job = workflow("tests")["jobs"]["test"]
    assert job["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13", "3.14"]
    assert job["strategy"]["matrix"]["python"][0] == settings()["min_python"]
    assert {name.split("-")[0] for name in job["strategy"]["matrix"]["system"]} == {"ubuntu", "macos", "windows"}


def test_the_site_is_published_with_its_lessons_for_the_browser_after_they_ran():
    steps = workflow("site")["jobs"]["build"]["steps"]
    made, tested, uploaded = (step.get("run", step.get("with")) for step in steps[-3:])
    assert made.startswith("make docs lite ")
    assert "tests/test_lite.py" in tested
    assert uploaded == {"path": "_docs"}


def test_a_tag_is_built_checked_and_published_without_a_stored_token():
    found = workflow("release")
    assert found[True] == {"push": {"tags": ["v*"]}}, "YAML reads the key on as true"
    assert found["permissions"] == {"contents": "read"}
    build, publish = found["jobs"]["build"]["steps"], found["jobs"]["publish"]
    commands = [step["run"] for step in build if "run" in step]
    assert commands[1:] == ['python tests/tools/release.py "$GITHUB_REF_NAME"', "python -m build"]
    assert publish["needs"] == "build"
    assert publish["permissions"] == {"id-token": "write"}
    assert [step["uses"].partition("@")[0] for step in publish["steps"]] == ["actions/download-artifact", "pypa/gh-action-pypi-publish"]
    assert "secrets." not in (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize(("tag", "heading", "released", "found"), [
    ("v1.2.0", "2026-01-31", "2026-01-31", []), ("v1.2.1", "2026-01-31", "2026-01-31", ["settings.ini"]),
    ("1.2.0", "2026-01-31", "2026-01-31", ["settings.ini"]), ("v1.2.0", "unreleased", None, ["CHANGELOG.md", "CITATION.cff"]),
    ("v1.2.0", "2026-01-31", "2026-01-30", ["CITATION.cff"]),
])  # fmt: skip
def test_a_release_is_held_back_until_tag_settings_changelog_and_citation_agree(tag, heading, released, found, tmp_path):
    (tmp_path / "settings.ini").write_text("[DEFAULT]\nversion = 1.2.0\n", encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n## 1.2.0 ({heading})\n", encoding="utf-8")
    date = f"date-released: {released}\n" * bool(released)
    (tmp_path / "CITATION.cff").write_text(f"version: 1.2.0\n{date}", encoding="utf-8")
    assert [problem.partition(":")[0] for problem in release.problems(tag, tmp_path)] == found


def test_a_vulnerability_is_reported_where_the_repository_takes_reports_and_no_address_is_invented():
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert "Report a vulnerability" in text
    assert re.findall(r"[\w.]+@[\w.]+|https?://[^>\s]+", text) == [settings()["git_url"]]


def test_citation_matches_the_settings():
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    have = settings()
    assert found["version"] == have["version"]
    assert found["title"] == have["lib_name"]
    assert found["license"] == "Apache-2.0"
    assert found["repository-code"] == have["git_url"]
    assert [author["name"] for author in found["authors"]] == [have["author"]]
    assert found["abstract"] == have["description"]
    assert found["url"] == about.site_url()
    required = {"cff-version", "message", "title", "authors", "type", "keywords", "repository-code"}
    assert required <= found.keys()


def test_templates_about_numbers_have_described_fields():
    forms = {p.stem: yaml.safe_load(p.read_text(encoding="utf-8")) for p in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml")}
    assert {"wrong_number", "missing_convention"} <= forms.keys()
    for form in (forms["wrong_number"], forms["missing_convention"]):
        assert form["name"]
        assert form["description"]
        assert all(part["attributes"] for part in form["body"])


def test_every_notebook_with_a_module_has_its_api_page_or_nothing_public(processed):
    for name in notebooks():
        module = module_of(NBS / name)
        if module and module != "__init__":
            public = importlib.import_module(f"{PACKAGE.name}.{module}").__all__
            assert (processed / f"api/{module}.qmd").exists() == bool(public), module


def test_a_picture_on_a_line_of_its_own_keeps_its_words():
    assert pages.described("![Six systems.](a.png)\n") == '![Six systems.](a.png){fig-alt="Six systems."}\n'
    assert pages.described("[![Six.](a.png)](b.html)\n") == '[![Six.](a.png){fig-alt="Six."}](b.html)\n'
    assert pages.described("Words ![x](a.png) around") == "Words ![x](a.png) around"
