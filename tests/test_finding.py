"What the search of the site finds, and what becomes of its pages after they are rendered."
import ast
import json
import re
import shutil
import subprocess
from pathlib import Path

import about
import api
import finding
import lines
import pages
import project
import pytest
import rendered
import yaml
from project import NBS, ROOT, cells, notebooks, settings

SITE = ROOT / "_docs"
CSS = (NBS / "styles.css").read_text(encoding="utf-8")
QUARTO = yaml.safe_load((ROOT / "_quarto.yml").read_text(encoding="utf-8"))


# ---- the search ----


def bars():
    "(query, page that has to be found first): what a learner calls a measure, and its page."
    taught = finding.teachers()
    for name, page, _, short, long in finding.measures():
        home = finding.address(finding.teacher(name, page, taught))
        cut = [f"{each}@10" for each in short if each.isascii() and each.isalnum()]
        for query in dict.fromkeys([name, *short, *cut, *long, *map(finding.american, long)]):
            yield query, home
    for word, chinese, symbol, page, _ in finding.words():
        if page in taught and symbol.isalpha() and len(symbol) > 1:
            home = finding.address(finding.teacher(symbol, page, taught, word))
            for query in [word, *chinese]:
                yield query, home
    for module, (_, room) in api.rooms().items():
        if "Judged" in room.__all__ and not module.startswith("metrics."):
            yield "Judged", f"api/{module}.html"  # a class as well as a measure


def shared(queries):
    "Queries that mean measures of several pages: any of these may come first."
    found = {}
    for query, page in queries:
        found.setdefault(query.casefold(), (query, set()))[1].add(page)
    return found.values()


def found(queries, entries):
    "{query: what the script of the page finds for it, the best first} among the entries of an index; needs node."
    import playwright

    node = shutil.which("node") or shutil.which("node", path=str(Path(playwright.__file__).parent / "driver"))
    if not node:
        pytest.skip("there is no node here")
    code = """
        const Search = require(process.argv[1]), search = new Search(), found = {};
        const {queries, entries} = JSON.parse(require('node:fs').readFileSync(0));
        for (const entry of entries) search.add(entry);
        for (const query of queries) found[query] = search.search(query, {limit: 50}).map(each => each.item);
        console.log(JSON.stringify(found));
    """
    asked = json.dumps({"queries": queries, "entries": entries})
    script = [node, "-e", code, str(NBS / "search/search.js")]
    done = subprocess.run(script, input=asked, capture_output=True, text=True, check=True, encoding="utf-8")
    return json.loads(done.stdout)


def first(queries, entries):
    "{query: the page that comes first}."
    return {query: items[0]["href"].partition("#")[0] if items else None for query, items in found(queries, entries).items()}


def expected():
    "{query: the page that has to come first}, from search_queries.tsv."
    lines = (ROOT / "tests/search_queries.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return dict(line.split("\t") for line in lines)


def fresh():
    "Is there a rendered site, made after the last change of a page?"
    index = SITE / "search.json"
    return index.exists() and index.stat().st_mtime > max(p.stat().st_mtime for p in [*NBS.rglob("*.ipynb"), ROOT / "_quarto.yml"])


@pytest.fixture(scope="module")
def unrendered():
    "What the index will hold, as far as it is known without Quarto: what is added, and the texts of all pages by section."
    entries = [*finding.added()]
    left = finding.left_out()
    for name in [*notebooks(), *(Path("zh") / name for name in project.translations())]:
        section, page = "", finding.address(name)
        title, _, summary = cells(NBS / name)[0].source.partition("\n> ")
        texts = [summary, *(cell.source for cell in cells(NBS / name)[1:] if cell.kind == "markdown")]
        for part in re.split(r"(?m)^(?=## )", "\n\n".join(texts)):
            heading = re.match(r"## ([^\n]*)", part)
            section = heading[1] if heading else section
            href = page + f"#{section.replace(' ', '-').lower()}" * bool(section)
            if page not in left:
                entries.append({"href": href, "title": title.lstrip("# "), "section": section, "text": part, "weight": finding.weight(page)})
    for module, (_, room) in api.rooms().items():
        for n in room.__all__:
            if f"api/{module}.html" not in left:
                says = f"{n} {api.docstring(getattr(room, n))}"
                entries.append({"href": f"api/{module}.html#{n}", "title": f"API: {module}", "section": n, "text": says, "weight": finding.API})
    return entries


@pytest.fixture(scope="module")
def api_pages():
    "{module: (its notebook, its API page)}."
    return {module: (name, api.page(module, name, room)) for module, (name, room) in api.rooms().items()}


def test_every_query_that_readers_type_leads_first_to_the_page_that_answers(unrendered):
    asked = expected()
    assert len(asked) >= 120
    there = {each["href"].partition("#")[0] for each in unrendered}
    assert {page for page in asked.values() if page not in there} == set(), "the page is missing"
    assert {query: page for query, page in first([*asked], unrendered).items() if page != asked[query]} == {}


def questions():
    "{natural question: pages that answer it}, from search_questions.tsv."
    lines = (ROOT / "tests/search_questions.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return {question: [f"{page}.html" for page in pages.split(" ")] for question, pages in (line.split("\t") for line in lines)}


def places(entries):
    "{question: the place of the first page that answers it, from 1, or None if it is not among the first ten}."
    asked = questions()
    homes = {question: [item["href"].partition("#")[0] for item in items[:10]] for question, items in found([*asked], entries).items()}
    return {question: next((at for at, home in enumerate(homes[question], 1) if home in asked[question]), None) for question in asked}


def test_whole_questions_are_answered_by_the_first_results(unrendered):
    place = places(unrendered)
    assert len(place) == 106
    assert sum(bool(re.search("[\u3400-\u9fff]", question)) for question in place) > 20
    assert {question: at for question, at in place.items() if at is None} == {}
    assert sum(at == 1 for at in place.values()) >= 75
    assert sum(at <= 3 for at in place.values()) >= 90


def test_every_measure_is_found_first_on_its_page_by_each_of_its_names(unrendered):
    asked = dict(shared(bars()))
    assert len(asked) > 100
    missed = {query: page for query, page in first([*asked], unrendered).items() if page.removeprefix("zh/") not in asked[query]}
    assert missed == {}


if fresh():  # there is a rendered site here (make docs), and it is no older than its pages

    def test_the_rendered_site_finds_every_query_and_every_measure():
        entries = json.loads((SITE / "search.json").read_text(encoding="utf-8"))
        asked = {query: {page} for query, page in expected().items()} | dict(shared(bars()))
        place = [at for at in places(entries).values() if at]
        assert (len(place) >= 95, sum(at <= 3 for at in place) >= 90) == (True, True)
        homes = first([*asked], entries)
        assert {query: page for query, page in homes.items() if not asked[query] & {page, page.removeprefix("zh/")}} == {}


PAGES = [
    {"href": "a.html", "title": "Averages", "section": "", "text": "The average precision of the circle. " * 9 + "The CI & its <job>."},
    {"href": "a.html#x", "title": "Averages", "section": "Means", "text": "Average again"},
    {"href": "b.html", "title": "Chunks", "section": "", "text": "How a program retrieves 平均精度均值.", "keys": ["RAG", "language models"]},
    {"href": "c.html", "title": "Recall", "section": "", "text": "What is in front", "weight": 0.2},
    {"href": "e.html", "title": "Discounts", "section": "", "text": "", "keys": ["nDCG"]},
    {"href": "d.html", "title": "Lists", "section": "Recall", "text": "What is behind recall: load_example, and nDGC as a slip"},
]  # fmt: skip


@pytest.mark.parametrize(("query", "pages"), [
    ("RAG", ["b"]), ("rag", ["b"]), ("ecision", []), ("average", ["a"]), ("CI", ["a"]), ("精度", ["b"]), ("平均", ["b"]), ("均精", ["b"]),
    ("language model", ["b"]), ("recall", ["d", "c"]), ("recal", ["d", "c"]), ("recoll", ["d", "c"]), ("Avergae", ["a"]), ("nDGC", ["e"]), ("slip", ["d"]), ("xyzzy", []),
    ("how to recall", ["d", "c"]), ("load_example", ["d"]), ("", []), ("the", ["a"]), ("recall@10", ["d", "c"]), ("(", []), ("a.c", []),
    ("recall xyzzy", ["d", "c"]), ("retrieving", ["b"]), ("平均精度怎么算", ["b"]), ("什么是 nDCG", ["e"]), ("recall 和 RAG", ["b", "d", "c"]), ("recall CI", ["d", "c", "a"]),
])  # fmt: skip
def test_a_latin_word_matches_from_its_beginning_and_chinese_anywhere(query, pages):
    assert [item["href"][0] for item in found([query], PAGES)[query]] == pages


def test_a_result_shows_its_text_with_marks_around_whole_beginnings_and_never_its_keys():
    (item,) = found(["ci"], PAGES)["ci"]
    assert item["text"].count("<mark") == 1, "precision and circle are not marked"
    assert 'The <mark class="search-match">CI</mark> &amp; its &lt;job&gt;.' in item["text"]
    (item,) = found(["RAG"], PAGES)["RAG"]
    assert item["text"] == "How a program retrieves 平均精度均值."
    assert "RAG" not in item["title"] + item["section"]


def test_a_question_in_chinese_leads_to_a_chinese_page():
    page = {"href": "ap.html", "title": "AP", "section": "", "text": ""}
    pages = [page, page | {"href": "zh/ap.html"}]
    assert {query: item[0]["href"] for query, item in found(["AP", "AP 怎么算"], pages).items()} == {"AP": "ap.html", "AP 怎么算": "zh/ap.html"}


def test_a_term_that_few_pages_have_counts_more():
    pages = [{"href": f"{name}.html", "title": name, "section": "", "text": text} for name, text in
             {"a": "mean mean mean", "b": "mean", "c": "mean", "d": "median"}.items()]  # fmt: skip
    assert [item["href"][0] for item in found(["mean median"], pages)["mean median"]][0] == "d"


def test_a_result_names_the_part_of_its_page():
    crumbs = {each["href"].partition("#")[0]: each.get("crumbs") for each in finding.added()}
    assert crumbs["guide/install.html"] == ["Guide", "Install irmetrics_nb"]
    assert crumbs["learn/ap.html"][0] == "Learn" and crumbs["zh/learn/ap.html"][0] == "中文"
    assert crumbs["api/data.records.html"] == ["API", "API: data.records"]
    told = finding.told({"href": "core/judged.html", "title": "Judged", "crumbs": ["a"]}, finding.Text("<main>"), {""})
    assert told["crumbs"] == ["For developers", "Judged"]
    assert "crumbs" not in finding.told({"href": "index.html", "title": "Home", "crumbs": ["a"]}, finding.Text("<main>"), {""})


def test_each_page_is_found_once(unrendered):
    for query, items in found(["precision", "run", "平均", "compare", "evaluate"], unrendered).items():
        homes = [item["href"].partition("#")[0] for item in items]
        assert len(set(homes)) == len(homes) > 1, query


def test_words_for_tasks_are_unique_and_link_to_sidebar_pages():
    listed = {entry.href for entry in project.sidebar()}
    words = [word.casefold() for words in finding.tasks().values() for word in words]
    assert finding.tasks().keys() <= listed
    assert sorted({word for word in words if words.count(word) > 1}) == []
    assert "" not in words


def test_the_script_of_quarto_is_changed_where_it_would_mark_inside_of_words(tmp_path):
    script = tmp_path / "quarto-search.js"
    script.write_text(f"a({{{', '.join(finding.PATCHES)}}})", encoding="utf-8")
    finding.patch(script)
    assert script.read_text(encoding="utf-8") == "a({text: result.item.text, href: result.item.href})"
    with pytest.raises(SystemExit, match="Quarto's script has changed"):
        finding.patch(script)


def test_added_entries_link_to_existing_pages():
    homes = {finding.address(Path(entry.href)) for entry in project.sidebar()} | {f"api/{module}.html" for module in api.rooms()}
    added = [*finding.added()]
    assert len(added) > 150
    assert {each["href"].partition("#")[0] for each in added} <= homes
    assert all(each["keys"] and each["title"] for each in added)


def test_a_learning_page_goes_before_the_page_of_the_code(tmp_path, monkeypatch):
    for name, text in {"learn/gain.ipynb": "# Gain: DCG", "metrics/dcg.ipynb": "# DCG in code"}.items():
        (tmp_path / name).parent.mkdir()
        more = [{"cell_type": "markdown", "source": "[Code](../metrics/dcg.ipynb)"}] if "learn" in name else []
        more += [{"cell_type": "code", "source": "#| default_exp metrics.dcg", "outputs": []}]
        (tmp_path / name).write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": text}, *more[: 1]]}), encoding="utf-8")
    monkeypatch.setattr(finding, "NBS", tmp_path)
    monkeypatch.setattr(finding, "notebooks", lambda: [Path("metrics/dcg.ipynb"), Path("learn/gain.ipynb")])
    taught = finding.teachers()
    assert finding.teacher("DCG", "dcg", taught) == Path("learn/gain.ipynb")


def test_formula_appears_once_in_the_text_of_the_index():
    page = (
        '<main><header id="title-block-header"><h1>T</h1></header><p>By <math><mi>R</mi><annotation>R</annotation></math>.</p>'
        '<section id="a" class="level2"><h2>A</h2><p>RR</p><br><p>x</p></section><a id="quarto-back-to-top">Back</a></main>'
    )
    assert finding.Text(page).said == {"": "By R.", "a": "A RR x"}


def test_only_the_parameters_of_inner_modules_are_kept_from_the_search(api_pages):
    for module, (name, text) in api_pages.items():
        head = text.split("---\n")[1]
        assert ("search: false" in head) == (name.as_posix() in api.inner()), module
    assert "data/records.ipynb" not in api.inner()
    assert QUARTO["website"]["search"] == {"merge-navbar-crumbs": False, "show-item-context": "root"}


# ---- after rendering ----


def test_chinese_words_are_marked_once_and_nothing_inside_tags_scripts_and_formulas():
    page = '<title>排序</title><p title="排序">p值 <code>排序</code><span lang="zh">查询 <b>词</b></span></p><br><script>"排序"</script>'
    assert rendered.chinese(page) == (
        '<title>排序</title><p title="排序">p<span lang="zh">值</span> <code><span lang="zh">排序</span></code>'
        '<span lang="zh">查询 <b>词</b></span></p><br><script>"排序"</script>'
    )


def test_long_lines_wrap_with_an_indent_and_short_ones_do_not():
    long = "    " + "x " * 60
    page = f'<span id="cb1-1"><a></a>{long}</span>\n<span id="cb1-2">y</span><pre><code>a\n{long}</code></pre>'
    made = rendered.indented(page)
    assert '<span id="cb1-1" style="padding-left:8ch;text-indent:-8ch">' in made
    assert '<span id="cb1-2">y</span><pre><code>a\n<span class="long" style=' in made


def test_the_first_link_of_a_page_leads_past_the_bars_to_its_content():
    page = '<body class="x">\n<nav><a href="a">A</a></nav><main id="quarto-document-content">M</main></body>'
    made = rendered.skippable(page)
    assert re.findall(r'<a [^>]*href="([^"]*)"', made) == ["#quarto-document-content", "a"]
    assert rendered.skippable("<body><p>no content</p></body>") == "<body><p>no content</p></body>"
    assert ".skip-link:focus" in CSS


def test_a_long_name_in_a_table_may_break_after_a_dot_and_a_short_one_may_not():
    long, short = "org.apache.spark.mllib.evaluation.RankingMetrics", "sklearn.metrics"
    assert rendered.breakable('<col style="width: 14%" /><col style="width: 8.5%">') == "<col /><col>", "columns have no widths"
    assert rendered.breakable("<td>a_name_of_many_letters_in_a_cell</td>").count("<wbr>") == 7
    made = rendered.breakable(f"<td>run: {long} <a href='{long}'>{long}</a></td><td><code>{short}</code></td><p>{long}</p>")
    assert made.count("<wbr>") == 10
    assert re.sub("<wbr>", "", made).count(long) == 4 and f"href='{long}'" in made and f"<code>{short}</code>" in made


def test_a_table_that_scrolls_shows_it_by_a_shadow_and_outputs_wrap_at_every_width():
    rules = re.sub(r"@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}", "", CSS)  # those for all widths
    table = re.search(r"main table,\nmain table\.table \{\n  --bs-table-bg: transparent;(.*?)\n\}", rules, re.DOTALL)[1]
    assert (table.count("local"), table.count("scroll")) == (2, 2)
    assert re.search(r"#quarto-sidebar\.sidebar \{\s*max-width: 100vw;", CSS), "on a phone"
    output = re.search(r"main \.cell-output pre,\nmain \.cell-output pre code \{(.*?)\}", rules, re.DOTALL)[1]
    assert "white-space: pre-wrap" in output


def test_pages_link_their_notebook_and_explain_file_addresses():
    assert QUARTO["language"] == {"repo-action-links-source": "This page as a notebook"}
    assert "source" in QUARTO["website"]["repo-actions"]
    ends = (NBS / "theme/names.html").read_text(encoding="utf-8")
    assert 'location.protocol === "file:"' in ends
    command = "python -m http.server --directory _docs"
    assert command in ends and command in (ROOT / "tests/tools/docs.py").read_text(encoding="utf-8")


def test_the_part_of_a_page_is_lit_in_the_bar_and_no_other():
    link = '<a class="nav-link{}" href="x.html"{}> \n<span class="menu-text">{}</span></a>'
    page = link.format(" active", ' aria-current="page"', "Learn") + link.format("", "", "Use") + '<nav id="quarto-sidebar">'
    made = rendered.lit(page, "Use")
    assert made.count("nav-link active") == 1
    assert re.search(r'nav-link active" href="x.html" aria-current="true">\s*<span class="menu-text">Use', made)


def test_pages_belong_to_their_part_of_the_navigation_bar():
    parts = rendered.part_of_each_page()
    assert {"Learn", "Guide", "Metrics", "Reference", "API"} == set(parts.values())
    assert parts["tutorials/better.html"] == "Learn"
    assert parts["metrics/dcg.html"] == "Metrics"
    assert parts["api/data.records.html"] == "API"
    assert parts["reference/glossary.html"] == "Reference"
    assert parts["guide/index.html"] == "Guide"
    assert "evaluation/evaluation.html" not in parts


# ---- what stands beside the pages ----


def test_the_map_of_the_site_for_programs_lists_every_page_with_its_summary():
    text = about.site_map(settings())
    listed = re.findall(r"(?m)^- \[[^\]]+\]\((\S+)\)(?:: (.+))?$", text)
    assert text.startswith(f"# irmetrics_nb\n\n> {settings()['description']}\n")
    homes = {f"{about.site_url()}/{finding.address(name)}" for name in notebooks()}
    lacking = homes - {address for address, summary in listed if summary}
    assert not lacking, f"{sorted(lacking)} are not on the map with a summary: add the page to `sidebar` in _quarto.yml, and `> one sentence` to its first cell"
    assert "[Test vectors for every language](https://github.com/irmetrics-nb/irmetrics_nb/tree/main/conformance)" in text


def test_how_to_cite_gives_the_version_and_bibtex_of_the_citation_file():
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    page = about.cite(found)
    assert f"version {settings()['version']}" in page
    assert re.search(r"(?ms)^```bibtex\n@software\{.*^\}\n```$", page)
    assert about.changelog("# Changelog\n\nText\n").endswith("---\n\nText\n")


def test_the_report_to_look_at_is_one_of_six_systems_with_a_picture_for_links(tmp_path):
    about.sample(tmp_path)
    page = (tmp_path / Path(about.SAMPLE).name).read_text(encoding="utf-8")
    assert "<h1>6 systems, 36 queries</h1>" in page
    assert f'<meta property="og:image" content="{about.site_url()}/images/card.png">' in page


def test_the_picture_of_a_link_is_a_png_that_is_there_for_every_page():
    picture = NBS / QUARTO["image"].lstrip("/")
    assert QUARTO["image"].startswith("/"), "from the root: pages stand in folders"
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert [name for name in notebooks() if any("image:" in line for line in cells(NBS / name)[0].source.split("\n")[:1])] == []
    assert QUARTO["format"]["html"]["canonical-url"]


def test_the_page_for_wrong_addresses_has_the_search_and_the_doors():
    text = (NBS / "404.qmd").read_text(encoding="utf-8")
    assert ".find-button" in text
    assert ".find-button" in (NBS / "theme/names.html").read_text(encoding="utf-8")
    doors = set(re.findall(r"\]\(/([\w/.]+)\)", text))
    assert {item["href"] for item in QUARTO["website"]["navbar"]["left"]} <= doors
    assert all((NBS / door).exists() or door.startswith("api/") for door in doors)


# ---- before rendering ----


def test_code_is_broken_to_its_column_and_stays_the_same_code():
    source = f"if x: return f(a, {'b' * 50}, g(c, d), {'e' * 40})  # a comment\nfrom m import {', '.join(['name' * 4] * 7)}"
    made = lines.narrowed(source.replace("return ", "y = "))
    assert ast.dump(ast.parse(made)) == ast.dump(ast.parse(source.replace("return ", "y = ")))
    assert max(map(len, made.split("\n"))) <= lines.WIDTH
    assert lines.narrowed("%time " + "x" * 200) == "%time " + "x" * 200


def test_what_still_wraps_on_the_pages_is_text_that_cannot_be_broken_but_for_a_few_lines():
    wide, left = 0, []
    for name in notebooks():
        for cell in cells(NBS / name):
            if cell.kind == "code" and "hide" not in cell.directives:
                wide += sum(len(line) > lines.WIDTH for line in cell.source.split("\n"))
                left += [line for line in lines.narrowed(cell.source).split("\n") if len(line) > lines.WIDTH]
    without_text = [line for line in left if not re.search("['\"`]", line)]
    assert len(without_text) < 0.03 * wide, without_text


def test_marks_for_tabs_and_a_live_page_become_what_quarto_shows():
    text = "<!-- tabs: Python -->\n\na\n\n<!-- tab: Command line -->\n\nb\n\n<!-- tabs end -->"
    assert [line for line in pages.in_tabs(text).split("\n") if line] == ['::: {.panel-tabset group="how"}', "## Python", "a", "## Command line", "b", ":::"]
    site = about.site_url()
    live = pages.at_home(pages.live(f"<!-- live -->\n[![Six systems.](../images/report.png)]({site}/samples/report.html)"), "../")
    assert '<iframe class="live" src="../samples/report.html" title="Six systems." loading="lazy"></iframe>' in live
    assert "[Open it as a page of its own](../samples/report.html)" in live


def test_tabs_that_are_opened_are_closed():
    for name in notebooks():
        marks = re.findall(r"(?m)^<!-- (tabs:|tab:|tabs end)", "\n".join(c.source for c in cells(NBS / name) if c.kind == "markdown"))
        assert re.fullmatch(r"(?:tabs:(?: tab:)+ tabs end ?)*", " ".join(marks)), name


def test_the_commands_in_tabs_name_files_that_the_demo_leaves_and_commands_that_there_are():
    from irmetrics_nb import load_example
    from irmetrics_nb.cli import app

    runs = {f"{name}.run.gz" for name in load_example().runs}
    left, found = {"qrels.txt", "documents.jsonl.gz", "topics.tsv", "*.run.gz"} | runs, 0
    known = {command.name for command in app.registered_commands}
    for name in notebooks():
        for cell in cells(NBS / name):
            for block in re.findall(r"(?ms)^<!-- tab: Command line -->.*?^```sh\n(.*?)^```", cell.source):
                assert set(re.findall(r"demo/(\S+)", block)) <= left, name
                assert set(re.findall(r"(?m)^irmetrics (\w+)", block)) <= known, name
                found += 1
    assert found >= 7


def test_a_name_in_the_prose_leads_to_what_the_top_gives_by_it():
    places, rooms = api.names(), api.rooms()
    for module, (_, room) in rooms.items():
        for name in room.__all__:
            mine = getattr(getattr(room, name), "__module__", "") == room.__name__
            if mine and name in places and api.at_the_top(name, room):
                assert places[name] == f"api/{module}.qmd#{name}"


def test_an_api_page_has_public_names_first_a_way_back_and_the_source(api_pages):
    rooms = api.rooms()
    for module, (_, text) in api_pages.items():
        order = re.findall(r"(?m)^## `(\w+)`", text)
        public = [api.at_the_top(each, rooms[module][1]) for each in order]
        assert public == sorted(public, reverse=True), module
        assert text.count(f"[Reference](../reference/index.qmd) › [API](index.qmd) › {module}\n") == 1
        assert f"[source]({settings()['git_url']}/blob/main/irmetrics_nb/{module.replace('.', '/')}.py)" in text
        assert 'description: "Parameters, returns, errors and examples: ' in text, "a description of its own"
