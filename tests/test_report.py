"The report: what it says is what evaluate and compare say, it needs nobody else, and nothing of what comes in becomes markup."
import json
import re
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from helpers import irmetrics
from scipy import stats
from strategies import usual

from irmetrics_nb import compare, evaluate, explain, load_example, report
from irmetrics_nb.data.records import DOCUMENTS, TOPICS, read_words
from irmetrics_nb.evaluation.scores import RunInfo, Scores
from irmetrics_nb.explaining.arithmetic import from_run
from irmetrics_nb.metrics.parsing import parse_all
from irmetrics_nb.metrics.registry import KINDS
from irmetrics_nb.reporting.report import Report, content
from irmetrics_nb.reporting.sections import (
    MOST_NUMBERS,
    axis,
    difference_panels,
    explained_query,
    histogram,
    mean_panels,
    mean_rows,
    query_values,
    waterfall,
)
from irmetrics_nb.results.results import SHRINK, Table, booktabs, tex_text

EXAMPLE = load_example()
GROUPS = {q: "odd" if int(q[1:]) % 2 else "even" for q in EXAMPLE.qrels.queries}
VOID = "meta link br input img hr line circle rect path".split()
SEVERAL = "means differences slices queries changes input conventions".split()
ONE = "means spread slices queries changes input conventions".split()


class Page(HTMLParser):
    "What a browser would find: elements in order, their attributes, their text, and what is not closed."

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.all, self.wrong = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        element = {"tag": tag, "attrs": dict(attrs), "text": "", "inside": list(self.open)}
        self.all.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.all.append({"tag": tag, "attrs": dict(attrs), "text": "", "inside": list(self.open)})

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open[-1]["tag"] != tag:
            self.wrong.append(tag)
        else:
            self.open.pop()

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def find(self, tag, within=None, **attrs):
        "Elements of a tag, within the element of an id, with these attributes."
        def fits(e):
            own = e["attrs"]
            inside = within is None or any(x["attrs"].get("id") == within for x in e["inside"])
            return e["tag"] == tag and inside and all(own.get(k.strip("_").replace("_", "-"), "").split()[:1] == [v] for k, v in attrs.items())
        return [e for e in self.all if fits(e)]

    def table(self, within, **attrs):
        "The rows of the first such table: lists of the texts of its cells."
        table = self.find("table", within, **attrs)[0]
        rows = [e for e in self.all if e["tag"] == "tr" and table in e["inside"]]
        return [[" ".join(c["text"].split()) for c in self.all if c["tag"] in ("td", "th") and row in c["inside"]] for row in rows]

    @property
    def data(self):
        "What the table of queries is made of."
        script, = self.find("script", id="query-values")
        return json.loads(script["text"])


@pytest.fixture(scope="module")
def six():
    return report(EXAMPLE.qrels, EXAMPLE.runs, groups=GROUPS, topics=EXAMPLE.topics, documents=EXAMPLE.documents)


@pytest.fixture(scope="module")
def page(six):
    return Page(six.to_html())


@pytest.fixture(scope="module")
def lone():
    return report(EXAMPLE.qrels, EXAMPLE.runs["lsa"], groups=GROUPS, topics=EXAMPLE.topics)


# ---- the page is one file ----


@pytest.mark.parametrize(("name", "sections"), [("six", SEVERAL), ("lone", ONE)])
def test_sections_are_in_order_and_html_and_links_are_valid(name, sections, request):
    page = Page(request.getfixturevalue(name).to_html())
    assert [e["attrs"]["id"] for e in page.find("section")] == sections
    assert page.wrong == [] and page.open == []
    ids = [e["attrs"]["id"] for e in page.all if "id" in e["attrs"]]
    links = [e["attrs"]["href"].removeprefix("#") for e in page.find("a")]
    assert len(ids) == len(set(ids)) and set(links) <= set(ids) and set(page.data["anchors"].values()) <= set(ids)
    assert [e["text"] for e in page.find("h1")] == [page.find("title")[0]["text"]]


def test_it_asks_nothing_of_any_host(six, lone):
    for text in (six.to_html(), lone.to_html()):
        page = Page(text)
        sources = [e["attrs"][name] for e in page.all for name in ("src", "href", "srcset", "action", "data") if name in e["attrs"]]
        assert [x for x in sources if not x.startswith("#") and x != "data:,"] == []
        rest = re.sub(r'(?s)<script type="application/json".*?</script>', "", text)
        code = re.findall(r"(?s)<style>(.*?)</style>|<script>(.*?)</script>", rest)
        assert len(code) == 2
        assert not re.search(r"https?:|//\w+\.|@import|url\(|fetch\(|XMLHttp|import\(", "".join(map("".join, code)))


@pytest.mark.parametrize("name", ["six", "lone"])
def test_table_headers_have_text_and_scroll_areas_have_names(name, request):
    page = Page(request.getfixturevalue(name).to_html())
    unseen = [e for e in page.all if "aria-hidden" in e["attrs"] and any(x["tag"] == "th" for x in e["inside"])]
    assert unseen == [] and [e for e in page.find("th") if not e["text"].strip()] == []
    wide = [e["attrs"] for e in page.find("div", class_="wide")]
    assert {(own.get("tabindex"), own.get("role")) for own in wide} == {("0", "group")}
    names = [own.get("aria-label") for own in wide]
    assert all(names) and len(set(names)) == len(names)


def test_the_same_input_gives_the_same_bytes(six):
    again = report(EXAMPLE.qrels, EXAMPLE.runs, groups=GROUPS, topics=EXAMPLE.topics, documents=EXAMPLE.documents)
    assert (again.to_html(), again.to_markdown(), again.to_latex()) == (six.to_html(), six.to_markdown(), six.to_latex())


def test_templates_are_files_of_the_package():
    names = {path.name for path in (files("irmetrics_nb") / "reporting/templates").iterdir()}
    assert names == {"report.html", "report.css", "report.js", "figures.html", "card.html", "report.md", "report.tex"}
    setup = (Path(__file__).parents[1] / "setup.py").read_text(encoding="utf-8")
    assert '"reporting/templates/*"' in setup


# ---- its numbers are those of evaluate and compare ----


def test_means_equal_evaluate_with_the_marks_of_compare(six, page):
    scores = evaluate(EXAMPLE.qrels, EXAMPLE.runs, "nDCG@10 AP RR")
    head, *rows = page.table("means")
    assert head == ["system", *scores]
    beaten = {"bm25": "f", "lsa": "f", "chargram": "f", "seealso": "f", "tfidf": "f", "title": ""}
    order = sorted(scores.means, key=lambda name: -scores.means[name]["nDCG@10"])
    for letter, row, name in zip("abcdef", rows, order, strict=True):
        means = scores.means[name]
        assert row[0].split() == [letter, name]
        for cell, (measure, mean) in zip(row[1:], means.items(), strict=True):
            assert cell.startswith(f"{mean:.4f}"), (name, measure)
        pairs = [p for p in compare(scores).rows if p.measure == "nDCG@10" and name in (p.a, p.b) and p.shown()]
        better = {p.a if p.difference < 0 else p.b for p in pairs}
        assert bool(beaten[name]) is (name in better) and row[1].removeprefix(f"{means['nDCG@10']:.4f}").startswith(beaten[name])
    best = {e["text"].strip()[:6] for e in page.find("td", "means", _class="n") if "best" in e["attrs"]["class"]}
    assert best == {f"{max(m[x] for m in scores.means.values()):.4f}" for x in scores}


def test_an_interval_is_students(six):
    from scipy import stats

    values = evaluate(EXAMPLE.qrels, EXAMPLE.runs["bm25"], "AP")["AP"]
    low, high = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
    assert f"{low:.3f} to {high:.3f}" in six.to_html()


def test_intervals_and_axes_end_at_the_limits_of_a_measure():
    qrels = {f"q{i}": {"a": 1, "b": 1, "c": 1} for i in range(6)}
    good = {query: ["a", "b", "c"] for query in qrels} | {"q3": ["x", "a", "b", "c"], "q4": ["x", "y", "z", "w", "a"]}
    found = report(qrels, {"good": good, "bad": {query: ["x", "a"] for query in qrels}}, "AP RR NumRet", checkup=False)
    raw = stats.t.interval(0.95, 5, found.scores["RR"][0].mean(), stats.sem(found.scores["RR"][0]))
    assert raw[1] > 1.1
    cells = {row["name"]: row["cells"] for row in mean_rows(found.scores, found.comparison)}
    assert cells["good"][1]["high"] == 1 and cells["good"][1]["low"] == pytest.approx(raw[0]) and cells["good"][1]["interval"].endswith("to 1.000")
    for panel in mean_panels(found.scores): assert panel["axis"].low >= 0 and panel["axis"].high == 1
    for panel in difference_panels(found.comparison): assert -1 <= panel["axis"].low < panel["axis"].high <= 1
    assert not any("1.149" in text for text in (found.to_html(), found.to_markdown(), found.to_latex()))
    assert "0.417 to 1.000" in found.to_html()


def test_every_query_has_the_value_that_evaluate_gives_it(page):
    scores, data = evaluate(EXAMPLE.qrels, EXAMPLE.runs, "nDCG@10 AP RR"), page.data
    assert (data["systems"], data["measures"], data["ids"]) == ([*EXAMPLE.runs], [*scores], [*scores.query_ids])
    assert np.allclose(np.array(data["values"]), scores.values, rtol=0, atol=5.1e-7)
    assert data["texts"] == EXAMPLE.topics["query"].to_list() and data["groups"] == [GROUPS[q] for q in data["ids"]]
    rows = page.table("queries")[1:]
    first = scores["nDCG@10"]
    change = first[list(EXAMPLE.runs).index("bm25")] - first[list(EXAMPLE.runs).index("lsa")]
    assert [row[0] for row in rows] == [scores.query_ids[i] for i in np.argsort(-np.round(change, 6), kind="stable")][:50]


def test_pairs_equal_compare(page):
    found = compare(EXAMPLE.qrels, EXAMPLE.runs, "nDCG@10 AP RR")
    rows = page.table("differences", _class="pairs")[1:]
    assert len(rows) == len(found.rows) == 45
    for row, pair in zip(rows, found.rows, strict=True):
        names = (pair.b, pair.a) if pair.difference >= 0 else (pair.a, pair.b)
        assert row[:2] == [pair.measure, " − ".join(names)]
        assert float(row[2]) == pytest.approx(abs(pair.difference), abs=5e-4)
        assert float(row[5].replace("−", "-")) == pytest.approx(abs(pair.effect), abs=5.1e-3)
        low, high = (float(x.replace("−", "-")) for x in row[3].split(" to "))
        assert low < float(row[2]) < high and high - low == pytest.approx(pair.high - pair.low, abs=1.1e-3)
        won = pair.wins if pair.difference >= 0 else pair.losses
        assert row[6:9] == [str(won), str(pair.ties), str(pair.queries - won - pair.ties)]
        assert row[4] == "< 0.001" or float(row[4]) == pytest.approx(pair.p_adjusted, abs=5e-3)


def test_in_focus_are_the_two_best_and_their_largest_gains_and_losses(six, page):
    rows = compare(EXAMPLE.qrels, EXAMPLE.runs, "nDCG@10").queries("lsa", "bm25")
    assert six.pair == ("lsa", "bm25")
    assert [one.query for one in six.losses] == [q for q, *_ in rows[:10]]
    assert sorted(one.query for one in six.gains) == sorted(q for q, *_ in rows[-10:])
    for one in (*six.gains, *six.losses):
        a, b = {q: values for q, *values in rows}[one.query]
        assert [side.value for side in one.sides] == [a, b] and one.difference == b - a
        for side in one.sides:
            why = explain("nDCG@10", EXAMPLE.qrels, EXAMPLE.runs[side.name], one.query)
            assert side.text == why.text and side.text in page.find("details", id=page.data["anchors"][one.query])[0]["text"]
            assert [(p.rank, p.doc) for p in side.places] == [(r["rank"], r["document"]) for r in why.rows[:10]]
            assert sum(p.share for p in side.places) == pytest.approx(side.value)


def test_a_document_knows_its_rank_in_the_other_list_and_relevant_ones_further_down_are_named(six):
    one = six.gains[0]
    ranks = [explained_query(six.scores.measures[0], from_run(EXAMPLE.qrels, EXAMPLE.runs[side.name], one.query)).ranks for side in one.sides]
    for side, other in zip(one.sides, ranks[::-1], strict=True):
        assert [place.other for place in side.places] == [other.get(place.doc) for place in side.places]
    grades = EXAMPLE.qrels.to_dict()[one.query]
    deeper = {doc for doc, rank in ranks[0].items() if rank > 10 and grades.get(doc, 0) > 0}
    assert {place.doc for place in one.sides[0].deeper} == deeper != set()


def test_one_run_shows_its_spread_and_its_worst_queries_that_have_anything_to_find(lone):
    page, scores = Page(lone.to_html()), evaluate(EXAMPLE.qrels, EXAMPLE.runs["lsa"], "nDCG@10 AP RR")
    assert [row[1:] for row in page.table("means")[1:]][0][0].startswith(f"{scores.means['nDCG@10']:.4f}")
    some = [q for q, docs in EXAMPLE.qrels.to_dict().items() if max(docs.values()) > 0]
    values = dict(zip(scores.query_ids, scores["nDCG@10"], strict=True))
    assert [one.query for one in lone.losses] == sorted(some, key=values.get)[:10] and lone.gains == ()
    assert len(page.find("svg", "spread", role="img")) == 3


def test_slices_equal_compare(page):
    found = compare(EXAMPLE.qrels, EXAMPLE.runs, "nDCG@10 AP RR", groups=GROUPS)
    rows = page.table("slices")[1:]
    assert len(rows) == 18
    for name, some in zip(("all", "even", "odd"), (rows[:6], rows[6:12], rows[12:]), strict=True):
        assert some[0][0].split()[0] == name
        inside = [name == "all" or group == name for group in found.groups]
        order = sorted(found.sample.values, key=lambda values: -values[0].mean())  # of all queries
        for row, values in zip(some, np.array(order)[..., inside], strict=True):
            assert [cell[:6] for cell in row[2:]] == [f"{own.mean():.4f}" for own in values]


def test_slices_of_one_run_are_means_of_its_queries(lone):
    rows = Page(lone.to_html()).table("slices")[1:]
    scores = evaluate(EXAMPLE.qrels, EXAMPLE.runs["lsa"], "nDCG@10")
    odd = [x for q, x in zip(scores.query_ids, scores["nDCG@10"], strict=True) if GROUPS[q] == "odd"]
    assert [row[0] for row in rows] == ["all 36", "even 18", "odd 18"] and rows[2][2] == f"{np.mean(odd):.4f}"


def test_the_baseline_is_named_by_name_or_by_path_and_what_loses_to_it_is_marked():
    paths = [EXAMPLE.folder / "runs" / f"{name}.run.gz" for name in ("bm25", "title")]
    by_path = report(EXAMPLE.folder / "qrels.txt", paths, "AP", baseline=paths[0])
    by_name = report(EXAMPLE.folder / "qrels.txt", paths, "AP", baseline="bm25")
    assert by_path.to_html() == by_name.to_html() and by_path.pair == ("bm25", "title")
    rows = Page(by_path.to_html()).table("means")[1:]
    assert rows[0][0] == "bm25 baseline" and rows[1][1].startswith("0.2883▼")


def test_report_contains_conventions_and_findings(page):
    text = page.find("section", id="conventions")[0]["text"]
    for phrase in evaluate(EXAMPLE.qrels, EXAMPLE.runs["bm25"], "AP").conventions.describe():
        assert phrase in text
    assert "share their score with another" in page.find("section", id="input")[0]["text"]
    bare = report(EXAMPLE.qrels, EXAMPLE.runs["bm25"], "AP", checkup=False, conventions="trec_eval")
    assert "input" not in [e["attrs"]["id"] for e in Page(bare.to_html()).find("section")] and "those of trec_eval (9.0.8)" in bare.to_html()


# ---- whatever comes in ----

ODD = "<script>alert(1)</script>&\"'`{{ 7*7 }}${x}\\u003c|*_#%"


def test_nothing_that_comes_in_becomes_markup():
    ids = [f"{ODD}{i}" for i in range(3)]
    qrels = {q: {f"doc {ODD}": 2, "x": 0} for q in ids}
    runs = {f"a{ODD}": {q: ["x", f"doc {ODD}"] for q in ids}, f"b{ODD}": {q: [f"doc {ODD}", "x"] for q in ids}}
    words = dict.fromkeys(ids, f"asked {ODD} </title></style>")
    docs = {f"doc {ODD}": {"title": f"title {ODD}", "text": f"text {ODD} --><img src=x onerror=alert(2)>"}}
    found = report(qrels, runs, "AP RR", topics=words, documents=docs, title=f"T {ODD}", groups=dict.fromkeys(ids, f"g{ODD}"))
    page = Page(found.to_html())
    assert len(page.find("script")) == 2 and page.find("img") == [] and page.wrong == [] and page.open == []
    assert page.find("h1")[0]["text"] == f"T {ODD}"
    assert page.data["ids"] == ids and page.data["systems"] == [*runs] and page.data["groups"] == [f"g{ODD}"] * 3
    assert page.data["texts"] == [words[q] for q in ids]
    assert any(e["text"] == f"doc {ODD}" for e in page.find("code"))
    assert not any(name.startswith("on") for e in page.all for name in e["attrs"])
    assert "<script>alert" not in found.to_html() and "49" not in page.find("h1")[0]["text"]
    assert "&lt;script&gt;" in found.to_markdown() and "<script>" not in found.to_markdown()
    balanced(found.to_latex())


@pytest.mark.parametrize("measures", [" ".join(str(usual(name)) for name in KINDS), "GMAP AP", "NumRet AP", "ERR@5", "AP(rel=2)@5"])
@pytest.mark.parametrize("names", [["bm25", "title"], ["title"]])
def test_every_measure_is_shown_and_only_means_have_intervals(measures, names):
    runs = {name: EXAMPLE.runs[name] for name in names}
    found = report(EXAMPLE.qrels, runs if len(names) > 1 else runs["title"], measures, checkup=False)
    page, asked = Page(found.to_html()), parse_all(measures)
    rows = page.table("means")[1:]
    assert sorted(row[0].split()[-1] for row in rows) == names or len(names) == 1
    of_run = {one.name or "run": one.means for one in found.scores.split_runs()}
    pairs = np.array([one["PairAccuracy"] for one in found.scores.split_runs() if "PairAccuracy" in one])
    of_common = dict(zip(of_run, pairs[:, ~np.isnan(pairs).any(axis=0)].mean(axis=1))) if len(pairs) else {}  # queries with a value in both
    for row in rows:
        means = of_run.get(row[0].split()[-1]) or next(iter(of_run.values()))
        assert len(row) == len(asked) + 1
        for m, cell, mean in zip(asked, row[1:], means.values(), strict=True):
            if m.kind.name == "PairAccuracy" and len(names) > 1:
                mean = of_common[row[0].split()[-1]]
            assert cell.startswith(f"{mean:.4f}") and (" to " in cell) is (m.kind.aggregate.spread), m
    balanced(found.to_latex())
    assert found.to_markdown().count("\n") > 5


def test_report_without_comparable_measures_is_an_error():
    with pytest.raises(ValueError, match="nothing to compare"):
        report(EXAMPLE.qrels, EXAMPLE.runs, "NumRet")
    with pytest.raises(ValueError, match="'no'"):
        report(EXAMPLE.qrels, EXAMPLE.runs, "AP", baseline="no")
    with pytest.raises(ValueError, match="a baseline needs at least two runs, but there is only one"):
        report(EXAMPLE.qrels, EXAMPLE.runs["bm25"], "AP", baseline="bm25")


@pytest.mark.parametrize("how", [{"ties": t} for t in ("given", "average", "best", "worst")] + [
    {"missing": "skip"}, {"no_relevant": "skip"}, {"no_relevant": "nan"}, {"no_relevant": "one"}, {"negative": "keep"},
    {"conventions": "trec_eval"}, {"conventions": "sklearn"}, {"conventions": "xgboost"}])  # fmt: skip
def test_values_equal_evaluate_under_every_convention(how):
    runs = {name: EXAMPLE.runs[name].to_dict() for name in ("title", "seealso")}
    del runs["title"]["q03"]
    found = report(EXAMPLE.qrels, runs, "nDCG@10", checkup=False, **how)
    scores = evaluate(EXAMPLE.qrels, runs, "nDCG@10", **how)
    data = Page(found.to_html()).data
    assert np.allclose(np.array(data["values"], float), scores.values, rtol=0, atol=5.1e-7, equal_nan=True)
    for one in (*found.gains, *found.losses):
        for side in one.sides:
            said = re.search(r"= (-?[\d.]+)(?: \(|$)", side.text)
            assert said is None or side.value == pytest.approx(float(said[1]), abs=5.1e-5), side.text
            assert said or side.text.startswith("no arithmetic: ")


def test_report_works_with_missing_and_unjudged_queries():
    qrels, runs = {"q1": {"d": 1}, "q2": {"d": 1}, "q3": {"e": 0}}, {"a": {"q1": ["d"], "q9": ["d"]}, "b": {"q1": ["x", "d"], "q2": ["d"]}}
    found = report(qrels, runs, "AP", documents={"d": "words"}, topics={"q1": "asked"})
    assert "No documents were retrieved." in found.to_html() and found.pair == ("a", "b")
    assert ([one.query for one in found.gains], [one.query for one in found.losses]) == (["q2"], ["q1"])
    assert (found.gains[0].sides[0].missed[0].title, found.losses[0].title) == ("words", "asked")


def test_one_shot_input_is_read_once():
    rows = [("q1", "d", 1), ("q2", "d", 1)]
    run = [("q1", "d", 0.5), ("q2", "x", 0.5)]
    found = report(iter(rows), iter(run), "AP")
    assert found.scores.means == {"AP": 0.5} and found.checkup.ok


def test_ids_that_are_not_utf_8_can_be_written(tmp_path):
    odd = "d\udce9"
    found = report({"q": {odd: 1}, "p": {odd: 1}}, {"a": {"q": [odd], "p": ["x"]}, "b": {"q": ["x", odd], "p": ["x"]}}, "AP")
    found.save(tmp_path / "r.html")
    assert "d\\xe9" in (tmp_path / "r.html").read_text(encoding="utf-8")


# ---- as large as need be ----


def synthetic(systems, measures, queries):
    "Scores that nobody computed."
    values = np.random.default_rng(5).uniform(size=(systems, len(measures), queries))
    runs = tuple(RunInfo(f"system {i}") for i in range(systems))
    return Scores(tuple(parse_all(measures)), tuple(f"query-{i}" for i in range(queries)), values, runs, is_single=False)


def test_seven_thousand_queries_fit_and_are_counted_in_the_file():
    scores = synthetic(5, ["AP", "nDCG@10", "RR"], 6980)
    words = dict.fromkeys(scores.query_ids, ("word " * 30, ""))
    made = Report(scores, compare(scores), (), title="T", queries=words)
    page = Page(made.to_html())
    assert len(page.data["ids"]) == 6980 and len(made.to_html()) < 4_000_000
    assert "all 6,980 queries" in page.find("footer")[0]["text"]
    assert len(page.table("queries")) == 51 and len(page.find("rect")) <= 180


def test_values_above_the_limit_are_cut_with_a_note():
    scores = synthetic(60, ["AP", "nDCG@10", "RR"], 6980)
    values = query_values(scores, {})
    kept = len(values["ids"])
    assert kept == MOST_NUMBERS // 180
    spread = np.ptp(scores.values[:, 0], axis=0)
    assert {*values["ids"]} == {scores.query_ids[i] for i in np.argsort(-spread)[:kept]}
    made = Report(scores, compare(scores, baseline="system 0"), (), title="T")
    assert f"{kept:,} of 6,980 queries (those with the largest differences)" in made.to_html()


def test_texts_are_cut():
    found = report({"q": {"d": 1}}, {"q": ["d"]}, "AP", topics={"q": "word " * 500}, documents={"d": {"title": "t" * 999, "text": "w " * 999}})
    assert len(found.queries["q"][0]) <= 160
    place = found.losses[0].sides[0].places[0]
    assert len(place.title) == 160 and len(place.text) <= 200 and place.text.endswith("…")


# ---- for a paper ----


def balanced(latex):
    "Check what LaTeX would trip over: environments, braces, cells in a row, and signs that mean something."
    text = "\n".join(line for line in latex.splitlines() if not line.startswith("%"))
    stack = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        if kind == "begin":
            stack.append(name)
        else:
            assert stack.pop() == name
    assert stack == []
    bare = re.sub(r"\\[\\&%$#_{}]", "", text)
    assert bare.count("{") == bare.count("}") and bare.count("$") % 2 == 0
    assert not re.search(r"[%#]", bare) and not re.search(r"(?<!\$)[_^]", re.sub(r"\$[^$]*\$", "", bare)), "a sign that is not escaped"
    assert not re.search("[▲▼−→ᵃ-ᶻ<>|]", text.replace(SHRINK, ""))
    for columns, inner in re.findall(r"(?s)\\begin\{tabular\}\{(\w+)\}(.*?)\\end\{tabular\}", text):
        rows = [line for line in inner.splitlines() if line.endswith(r"\\")]
        assert rows and {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {len(columns) - 1}
        assert [inner.count(rule) for rule in (r"\toprule", r"\midrule", r"\bottomrule")] == [1, 1, 1]


@pytest.mark.parametrize("baseline", [None, "bm25"])
def test_latex_holds_the_means_the_best_in_bold_and_the_marks_with_their_caption(baseline):
    comparison = compare(EXAMPLE.qrels, EXAMPLE.runs, "nDCG@10 AP", baseline=baseline, groups=GROUPS)
    latex = comparison.to_latex()
    balanced(latex)
    assert latex.count(r"\begin{table}") == 3 and latex.count(r"\caption{") == 3
    assert len(set(re.findall(r"\\label\{(.*?)\}", latex))) == 3
    first = latex[: latex.index(r"\end{table}")]
    means = {name: evaluate(EXAMPLE.qrels, run, "nDCG@10 AP").means for name, run in EXAMPLE.runs.items()}
    for name, own in means.items():
        row = next(line for line in first.splitlines() if re.search(rf"\b{name}\b", line) and "&" in line)
        for measure, mean in own.items():
            best = mean == max(m[measure] for m in means.values())
            assert (rf"\textbf{{{mean:.4f}}}" in row) is best and f"{mean:.4f}" in row
    said = r"A raised letter" if baseline is None else r"$\downarrow$ worse than bm25"
    assert said in first and "paired t" in first and "Holm" in first
    assert (r"\textsuperscript{f}" if baseline is None else r"\textsuperscript{$\downarrow$}") in first


@pytest.mark.parametrize(("text", "tex"), [
    ("a_b", r"a\_b"), ("50 %", r"50 \%"), ("R&D", r"R\&D"), ("#1 $2", r"\#1 \$2"), ("{x}", r"\{x\}"), ("\\input{x}", r"\textbackslash{}input\{x\}"),
    ("x^2~", r"x\textasciicircum{}2\textasciitilde{}"), ("a\nb", "a b"), ("−1", "$-$1"), ("é", "é")])  # fmt: skip
def test_signs_that_mean_something_to_latex_are_escaped(text, tex):
    assert tex_text(text) == tex
    balanced(booktabs(Table(["x", text], [[text, 1.0]], text)))


def test_the_best_is_the_largest_number_and_not_the_largest_text():
    values = {"small": {"q1": 9.5, "q2": 9.0}, "large": {"q1": 10.5, "q2": 10.0}}
    assert r"\textbf{10.2500}" in compare(values, measures="DCG@5").to_latex()
    qrels = {f"q{i}": {f"d{j}": 9 for j in range(3)} for i in range(3)}
    runs = {"small": {q: ["d0", "x"] for q in qrels}, "large": {q: ["d0", "d1", "d2"] for q in qrels}}
    rows = {row["name"]: row["cells"][0]["best"] for row in content(report(qrels, runs, "DCG"))["means"]}
    assert rows == {"small": False, "large": True}


def test_markdown_is_a_table_of_the_same_numbers(six):
    lines = six.to_markdown().splitlines()
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines if line.startswith("| ")]
    assert rows[0] == ["system", "nDCG@10", "AP", "RR"]
    best_first = sorted(six.scores.means.items(), key=lambda item: -item[1]["nDCG@10"])
    for row, (name, own) in zip(rows[1:7], best_first, strict=True):
        assert row[0].split()[1] == name
        assert [re.sub(r"[^\d.]", "", cell) for cell in row[1:]] == [f"{mean:.4f}" for mean in own.values()]
    assert "**0.5913**ᶠ" in six.to_markdown() and "A raised letter" in six.to_markdown()
    assert {len(row) for row in rows[8:]} == {6}


# ---- runs that do not answer the same queries ----


def lacking(*answered, measures="nDCG@10 AP", **options):
    "A report of runs A, B ... that answer some of twelve queries, by the conventions that leave the others out."
    random = np.random.default_rng(0)
    qrels = {f"q{i}": {f"d{j}": int(random.integers(0, 3)) for j in range(5)} for i in range(12)}
    runs = {name: {f"q{i}": {f"d{j}": float(random.random()) for j in range(6)} for i in own} for name, own in zip("ABC", answered)}
    return report(qrels, runs, measures, missing="skip", checkup=False, **options)


HALVES = {f"q{i}": "even" if i % 2 == 0 else "odd" for i in range(12)}
FEWER = pytest.mark.filterwarnings("ignore:.*every query has only")


@FEWER
def test_means_leader_intervals_and_slices_are_over_the_queries_that_all_runs_answer():
    found = lacking(range(9), range(3, 12), groups=HALVES)
    page, both = Page(found.to_html()), [f"q{i}" for i in range(3, 9)]
    own = {name: found.scores.run(name).to_dict() for name in "AB"}
    def mean(name, measure, queries): return f"{np.mean([own[name][q][measure] for q in queries]):.4f}"
    table = [[[mean(name, m, qs) for m in ("nDCG@10", "AP")] for name in "AB"]
             for qs in (both, [q for q in both if HALVES[q] == "even"], [q for q in both if HALVES[q] == "odd"])]
    assert table[0] == [["0.7315", "0.6484"], ["0.6796", "0.6274"]]
    assert found.scores.means["A"]["nDCG@10"] < found.scores.means["B"]["nDCG@10"], "over their own queries B leads"
    for name, row, line in zip("AB", table[0], page.table("means")[1:], strict=True):
        assert line[0] == f"{'ab'['AB'.index(name)]} {name}" and [cell[:6] for cell in line[1:]] == row
        assert all(cell in found.to_latex() and cell in str(found.comparison) for cell in row)
    assert [[[cell[:6] for cell in line[2:]] for line in page.table("slices")[i : i + 2]] for i in (1, 3, 5)] == table
    assert [line[0] for line in page.table("slices")[1::2]] == ["all 6", "even 3", "odd 3"]
    assert found.to_markdown().count("**0.7315**") == 1 and "| odd | 3 | B | 0.7387 | 0.7269 |" in found.to_markdown()
    assert found.pair == ("B", "A") and content(found)["lead"].startswith("A has the highest mean nDCG@10, 0.7315, over the 6 queries with results from all systems.")
    said = "Means are over the 6 queries with results from all systems, out of 12."
    assert said in found.to_markdown() and said in page.find("section", id="means")[0]["text"] and f"% {said}" in found.to_latex()
    low, high = stats.t.interval(.95, 5, *(f([own["A"][q]["AP"] for q in both]) for f in (np.mean, stats.sem)))
    assert content(found)["means"][0]["cells"][1]["interval"] == f"{low:.3f} to {high:.3f}"
    assert [bar["text"] for bar in content(found)["mean_panels"][0]["rows"]] and content(found)["stats"][1] == ("queries", "12", "6 with results from all systems")


@FEWER
def test_other_aggregates_use_the_queries_of_all_systems():
    found = lacking(range(9), range(3, 12), measures="AP GMAP NumRelRet")
    table = found.to_latex().split(r"\begin{table}")[-1]
    own = [found.scores.run(name)["GMAP"][[found.scores.run(name).query_ids.index(f"q{i}") for i in range(3, 9)]] for name in "AB"]
    for name, values in zip("AB", own):
        mean = f"{np.exp(np.log(np.maximum(values, 1e-5)).mean()):.4f}"
        assert f"{name} & {mean} & 18.0000" in table.replace(rf"\textbf{{{mean}}}", mean)
    assert r"\caption{Means are over the 6 queries with results from all systems, out of 12.}" in table


@FEWER
@pytest.mark.filterwarnings("ignore:almost no query occurs in two")
@pytest.mark.parametrize(("answered", "pair"), [((range(6), range(6, 12)), ("A", "B")), ((range(4), range(4, 8), range(2, 8)), ("B", "C"))])
def test_without_common_queries_no_system_leads_or_is_bold(answered, pair):
    found = lacking(*answered, groups=HALVES)
    page, said = Page(found.to_html()), content(found)
    assert said["lead"].startswith("No query has results from all systems, so no system has the highest mean nDCG@10.")
    assert said["over"] == "No query has results from all systems, so there are no means to compare." and said["over"] in found.to_markdown()
    assert {cell for line in page.table("means")[1:] for cell in line[1:]} == {"–"}
    assert page.find("td", within="means", _class="best") == [] and "best" not in page.find("dl", _class="stats")[0]["text"]
    assert "**" not in found.to_markdown() and r"\textbf" not in found.to_latex() and found.pair == pair


@FEWER
def test_effect_of_ties_is_shown_for_common_queries():
    qrels = {q: {"a": 1} for q in ("q1", "q2", "q3")}
    tied = {"q1": {"a": 1, "b": 1}, "q2": {"a": 2, "b": 1}}
    found = report(qrels, {"tied": tied, "other": {"q2": ["a"], "q3": ["a"]}}, "RR", missing="skip", checkup=False)
    assert found.scores.tie_bounds["tied"] == {"RR": (.75, 1.0)} and content(found)["conventions"]["ties"] == []
    lone = report(qrels, {"tied": tied}, "RR", missing="skip", checkup=False)
    assert content(lone)["conventions"]["ties"] == ["tied, depending on the order of ties: RR between 0.7500 and 1.0000."] and content(lone)["over"] == ""
    assert content(lone)["lead"].endswith("over 2 queries.")


def test_report_without_missing_queries_does_not_mention_them(six):
    assert content(six)["over"] == "" and "results from all systems" not in six.to_html() + six.to_markdown() + six.to_latex()


# ---- what it refuses ----


@pytest.mark.parametrize("runs", [EXAMPLE.runs["lsa"], {name: EXAMPLE.runs[name] for name in ("lsa", "bm25")}])
def test_groups_of_other_queries_are_an_error_for_one_run_as_for_several(runs):
    with pytest.raises(ValueError, match="no query belongs to a group"):
        report(EXAMPLE.qrels, runs, "AP", groups={"zz": "x"}, checkup=False)


def test_an_empty_name_is_fine_for_one_run_and_an_error_among_several():
    first, other = EXAMPLE.runs["lsa"], EXAMPLE.runs["bm25"]
    with pytest.raises(ValueError, match="has the empty name ''"):
        report(EXAMPLE.qrels, {"": first, "b": other}, "AP", checkup=False)
    assert report(EXAMPLE.qrels, {"": first}, "AP", checkup=False).pair == ("lsa",)


@pytest.mark.parametrize(("option", "hint"), [("output", True), ("path", True), ("nothing_known", False), ("run", False)])
def test_unknown_option_is_a_type_error_of_report(option, hint):
    with pytest.raises(TypeError, match=rf"^report\(\) got an unexpected keyword argument '{option}'") as error:
        report(EXAMPLE.qrels, EXAMPLE.runs["lsa"], "AP", **{option: "x"})
    assert (".save(path)" in str(error.value)) is hint


@pytest.mark.parametrize("name", ["x.pdf", "x.html.docx"])
def test_an_unknown_ending_is_refused_and_no_file_is_written(lone, tmp_path, name):
    with pytest.raises(ValueError) as error:
        lone.save(tmp_path / name)
    assert all(word in str(error.value) for word in (name, ".html", ".md", ".tex", "format=")) and [*tmp_path.iterdir()] == []
    lone.save(tmp_path / name, "markdown")
    assert (tmp_path / name).read_text(encoding="utf-8") == lone.to_markdown() + "\n"


def test_a_name_without_an_ending_is_a_page(lone, tmp_path):
    lone.save(tmp_path / "x")
    assert (tmp_path / "x").read_text(encoding="utf-8") == lone.to_html() + "\n"


def test_the_command_refuses_an_unknown_ending_before_it_reads_anything(tmp_path):
    done = irmetrics("report", "no-such-file", "nor-this", "-o", tmp_path / "y.pdf")
    words = done.stderr
    assert done.returncode == 2 and all(word in words for word in (".html", ".md", ".tex", "--format")) and not (tmp_path / "y.pdf").exists()


# ---- words ----


@pytest.mark.parametrize(("name", "text"), [
    ("a.jsonl", '{"_id": "7", "title": "T", "text": "more"}\n'), ("a.json", '{"7": {"title": "T", "text": "more"}}'),
    ("a.csv", "docno,title,text\n7,T,more\n"), ("a.tsv", "doc_id\ttitle\ttext\n7\tT\tmore\n"), ("a.ndjson", '\n{"docid": 7, "TITLE": "T", "body": "more"}'),
    ("a.csv", '\ufeffid,title,text\r\n"7","T","more"\r\n')])  # fmt: skip
def test_words_come_from_every_usual_file(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert read_words(tmp_path / name, ["7"], DOCUMENTS) == {"7": ("T", "more")}


@pytest.mark.parametrize(("name", "text"), [
    ("t.tsv", "301\tinternational crime\n"), ("t.tsv", "qid\tquery\n301\tinternational crime\n"), ("t.csv", "301,international crime\n"),
    ("t.txt", "<top>\n<num> Number: 301\n<title> international crime\n\n<desc> Description:\nwhat\n</top>\n<top><num>302<title>x</top>")])  # fmt: skip
def test_topics_too_with_a_head_or_without(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert read_words(tmp_path / name, ["301"], TOPICS)["301"][0] == "international crime"


# ---- figures ----


def test_an_axis_holds_its_values_and_its_ticks_are_round():
    random = np.random.default_rng(3)
    for scale in 10.0 ** np.arange(-6, 7):
        values = random.normal(size=5) * scale
        found = axis(values, zero=True)
        assert found.low <= min(values.min(), 0) and found.high >= max(values.max(), 0)
        assert 3 <= len(found.ticks) <= 8 and 0.0 in found.ticks
        assert all(0 <= found.at(x) <= 100 for x in (*values, *found.ticks))
        assert np.allclose(np.diff(found.ticks), np.diff(found.ticks)[0], rtol=1e-6)


def test_bars_contain_all_queries_and_are_at_most_180():
    values = np.random.default_rng(4).normal(size=1000)
    bars, zero = waterfall(values)
    assert len(bars) == 180 and [b.direction for b in bars] == ["better"] * sum(b.direction == "better" for b in bars) + ["worse"] * sum(b.direction == "worse" for b in bars)
    assert 0 < zero < 100 and all(-1e-6 <= b.y and b.y + b.height <= 100.01 for b in bars)
    counts = [int(b.text.split()[0].replace(",", "")) for b in histogram(np.abs(np.tanh(values)))[0]]
    assert sum(counts) == 1000


# ---- the command ----

FILES = ["qrels.txt", "runs/bm25.run.gz", "runs/tfidf.run.gz"]


@pytest.mark.parametrize(("name", "format", "begins"), [
    ("r.html", None, "<!doctype html>"), ("r.md", None, "# "), ("r.tex", None, "%"), ("r.txt", "latex", "%"), ("r.html", "markdown", "# ")])  # fmt: skip
def test_command_writes_the_format_of_the_name_or_the_option(tmp_path, name, format, begins):
    done = irmetrics("report", *FILES, "-m", "AP", "-o", tmp_path / name, *(["--format", format] if format else []), cwd=EXAMPLE.folder)
    assert (done.returncode, done.stderr) == (0, "") and str(tmp_path / name) in done.stdout
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(begins)


def test_the_command_gives_what_the_function_gives(tmp_path):
    more = ["--documents", "documents.jsonl.gz", "--topics", "topics.tsv", "--baseline", "runs/tfidf.run.gz", "--title", "Two"]
    done = irmetrics("report", *FILES, *more, "-o", tmp_path / "r.html", cwd=EXAMPLE.folder)
    runs = {name: EXAMPLE.runs[name] for name in ("bm25", "tfidf")}
    same = report(EXAMPLE.qrels, runs, documents=EXAMPLE.documents, topics=EXAMPLE.topics, baseline="tfidf", title="Two")
    assert done.returncode == 0
    ours, theirs = Page((tmp_path / "r.html").read_text(encoding="utf-8")), Page(same.to_html())
    assert ours.data == theirs.data
    for part in "means differences queries changes conventions".split():
        assert ours.find("section", id=part)[0]["text"] == theirs.find("section", id=part)[0]["text"], part


@pytest.mark.parametrize(("args", "code", "words"), [
    (["--baseline", "nobody"], 1, "the baseline 'nobody' is not one of"), (["-m", "nDGC@10"], 2, "nDCG"), (["--documents", "no.jsonl"], 1, "no.jsonl"),
    (["--documents", "runs/bm25.run.gz"], 1, "runs/bm25.run.gz"), (["--format", "pdf"], 2, "pdf")])  # fmt: skip
def test_command_reports_errors_without_a_traceback(tmp_path, args, code, words):
    done = irmetrics("report", *FILES, *args, "-o", tmp_path / "r.html", cwd=EXAMPLE.folder)
    assert done.returncode == code and words in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "r.html").exists()


def test_the_command_does_not_write_over_what_it_reads(tmp_path):
    for name in FILES[:2]:
        (tmp_path / Path(name).name).write_bytes((EXAMPLE.folder / name).read_bytes())
    done = irmetrics("report", "qrels.txt", "bm25.run.gz", "-o", "qrels.txt", cwd=tmp_path)
    assert done.returncode == 2 and "is also an input file" in done.stderr
