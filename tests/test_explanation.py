"Explanations: the value that `evaluate` gives, made of what is shown; and every what-if is what `evaluate` says of the changed data."
import gzip
import json
import os
import re
import subprocess
import sys
from fractions import Fraction
from math import log2

import matplotlib.pyplot as plt
import numpy as np
import polars as pl
import pytest
from helpers import irmetrics
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import batch, each_parameter, measured, random_collection, seeds, usual

import irmetrics_nb
from irmetrics_nb import (
    AP,
    ERR,
    DataError,
    Judged,
    Measure,
    Qrels,
    Run,
    compare,
    evaluate,
    explain,
    explain_difference,
    load_example,
    nDCG,
    parse,
)
from irmetrics_nb.core.measures import LETTERS
from irmetrics_nb.core.ties import TiesError
from irmetrics_nb.evaluation.conventions import conventions_of
from irmetrics_nb.evaluation.presets import PRESETS
from irmetrics_nb.explaining.arithmetic import letters
from irmetrics_nb.metrics.registry import KINDS

every_kind = pytest.mark.parametrize("name", KINDS)
quick = settings(max_examples=8)
TIES = ("docid", "given", "average", "best", "worst")
COUNTED = [name for name, kind in KINDS.items() if kind.counts]
SIX = [3, 0, None, 1, 2, 1]


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


def same(a, b):
    "Whether two values are equal, or both NaN, as where PairAccuracy has no pair."
    return a == b or (np.isnan(a) and np.isnan(b))


def one_query(seed):
    "Judgments, a run, and one query of both."
    qrels, run = random_collection(seed, queries=3, docs=8, levels=4)
    return qrels, run, list(qrels)[seed % len(qrels)]


def value_of(measure, qrels, run, query, **how):
    "What `evaluate` says of one query."
    scores = evaluate(qrels, run, measure, part=True, **how)
    return scores.values[0, 0, scores.query_ids.index(query)]


# ---- the value, and what it is made of ----


@every_kind
@given(data=st.data())
@quick
def test_an_explanation_of_a_list_is_the_measures_value_and_its_terms_add_up(name, data):
    measure, collection = data.draw(measured(name))
    for one in batch(collection):
        why = explain(measure, one)
        assert same(why.value, measure.of(one)[0])
        adds_up(why)


def adds_up(why):
    "Check that terms, running values and the ideal's terms are the arithmetic of the value."
    rows, work = why.rows, why.work
    if why.measure.name in COUNTED:
        assert work.terms is None and all(row["term"] is None for row in rows)
        return
    if np.isnan(why.value):
        assert np.isnan(work.divisor) and "0 / 0 = nan (there is no value)" in why.text
        return
    terms = [row["term"] for row in rows]
    whole = 1 if work.divisor is None else work.divisor
    close(sum(terms), 0 if work.value == 0 and not work.terms.any() else sum(work.terms))
    if whole:
        close(sum(terms) / whole, work.value)
    if rows:
        close(rows[-1]["running"], work.value)
    for row in rows:
        if row["weight"] is not None and row["gain"] is not None:
            close(row["gain"] * row["weight"], row["term"])
        assert row["term"] == 0 or row["grade"] != "unjudged"


@every_kind
@pytest.mark.parametrize("ties", TIES)
@given(seed=seeds, data=st.data())
@settings(max_examples=7)
def test_explanation_equals_evaluate_with_every_tie_rule(name, ties, seed, data):
    qrels, run, query = one_query(seed)
    negative = data.draw(st.sampled_from(["zero", "keep"]))
    at = data.draw(st.sampled_from([None, 1, 3, 7])) if KINDS[name].at == "k" else None
    measure = usual(name)(judged_only=data.draw(st.booleans()))
    measure = measure if at is None else measure @ at
    how = {"ties": ties, "negative": negative}
    kind = KINDS[name]
    if ties in ("best", "worst") and not (kind.worth or kind.unordered):  # which has no best order
        with pytest.raises(TiesError):
            explain(measure, qrels, run, query, **how)
        return
    try:
        expected = value_of(measure, qrels, run, query, **how)
    except TiesError:
        assume(KINDS[name].worth is None and ties in ("best", "worst"))  # it never has such an order
        with pytest.raises(TiesError):
            explain(measure, qrels, run, query, **how)
        return
    try:
        why = explain(measure, qrels, run, query, **how)
    except TiesError as refusal:
        assert ties == "average" and "no formula is known for the mean of each term" in str(refusal)
        assert not KINDS[name].averages and not KINDS[name].linear
        return
    assert same(why.value, expected)
    adds_up(why)


@every_kind
def test_every_kind_has_words_a_table_a_page_and_a_picture(name):
    why = explain(usual(name), SIX, ideal=[3, 3, 2, 1, 1])
    assert why.text.startswith(f"{name}") and why.latex.startswith(r"\text{")
    assert why.to_polars().height == len(why.rows) == 6 and "<table" in why._repr_html_()
    assert name in why.to_text()
    if name in COUNTED:
        with pytest.raises(ValueError, match="no terms to draw"):
            why.plot()
    else:
        assert why.plot().get_title("left") == f"{why.measure!r} = {why.value:.4f}"
        plt.close("all")


@every_kind
def test_a_term_may_be_written_with_exactly_what_an_explanation_puts_in(name):
    known = letters(Measure(KINDS[name], KINDS[name].required), Judged.from_grades([1, 0])).keys()
    assert known - KINDS[name].params.keys() <= {*LETTERS} <= known | {"log2", "min"}


# ---- everything that can be asked for can be looked at ----

SHAPES = {  # of judgments and a run: ties of every sort, holes, negative and missed documents; nothing found; nothing relevant
    "q": ({"a": 3, "b": 0, "c": -1, "d": 1, "e": 2, "f": 1, "g": 0}, {"a": 1.0, "b": 2.0, "x": 2.0, "d": 2.0, "e": 1.0, "c": 0.5}),
    "found nothing": ({"a": 3, "b": 1}, {"x": 1.0, "y": 1.0}),
    "nothing relevant": ({"a": 0, "b": -1}, {"a": 1.0, "b": 1.0}),
    "all alike": ({"a": 1, "b": 1}, {"a": 1.0, "b": 1.0, "x": 1.0}),
}
SHAPED = [{query: sides[i] for query, sides in SHAPES.items()} for i in (0, 1)]


def looked_at(why):
    "Whatever an explanation can show, made and held together by its value."
    value = f"{why.value:.4f}"
    if why.measure.name in COUNTED:
        value = why.text.partition(" = ")[2]  # exact or rounded, such as 1/3
        assert float(Fraction(value)) == pytest.approx(why.value, abs=5e-5)
    assert repr(why).startswith(repr(why.measure)) and value in why.text and why.text in why.to_text() and r"\text{" in why.latex
    assert why.to_polars().height == len(why.rows) == len(why.listing)
    page = why._repr_html_()
    assert value in page and page.count("<tr") == len(why.rows) + 1
    assert repr(why.swaps()).count("\n") <= 5


@pytest.mark.parametrize("ties", TIES)
@every_kind
def test_every_kind_with_every_value_of_every_parameter_can_be_looked_at_whatever_becomes_of_ties(name, ties):
    for i, measure in enumerate(each_parameter(name)):
        how = {"ties": ties, "negative": ("zero", "keep")[i // 2 % 2]}
        for query in ("q", list(SHAPES)[1 + i % 3]):
            try:
                why = explain(measure, *SHAPED, query, **how)
            except TiesError as refusal:
                assert ties in ("best", "worst", "average") and "ties='" in str(refusal)
                continue
            assert same(why.value, value_of(measure, *SHAPED, query, **how))
            if (i + TIES.index(ties)) % len(TIES) < 2:  # each measure is looked at with two of the five
                looked_at(why)


@every_kind
def test_every_kind_with_every_value_of_every_parameter_can_be_drawn(name):
    if name in COUNTED:
        return
    figure, ax = plt.subplots()
    for measure in each_parameter(name):
        ax.clear()
        why = explain(measure, *SHAPED, "q")
        assert why.plot(ax).get_title("left") == f"{why.measure!r} = {why.value:.4f}"
    plt.close(figure)


def test_the_gain_of_each_document_is_shown_where_the_ideal_is_made_of_the_top():
    why = explain("nDCG(ideal_from='top')@3", [1, 0, 3, 2])
    assert [row["gain"] for row in why.rows] == [1, 0, 3, 2]
    ideal = 3 + 1 / log2(3)  # of the grades 1, 0 and 3
    assert why.value == pytest.approx((1 + 3 / 2) / ideal) and [row["ideal"] for row in why.rows] == pytest.approx([3, 1 / log2(3), 0, 0])
    assert why.text == "nDCG(ideal_from='top')@3 = (1/log2(2) + 3/log2(4)) / (3/log2(2) + 1/log2(3)) = 0.6885"


def test_a_kind_that_is_declared_is_explained_with_no_code_of_its_own():
    @irmetrics_nb.measure("Thirds", question="?")
    def thirds(ranking, /, *, k=None, rel=1):
        yield ranking.found(rel, k), 1 / 3
        return np.full(len(ranking), k)

    try:
        why = explain("Thirds@2", [1, 1, 0])
        assert why.text == "Thirds@2 = (1/3 + 1/3) / 2 = 0.3333"
        assert [row["gain"] for row in why.rows] == [1, 1, 0]
    finally:
        del KINDS["Thirds"]


@given(data=st.data())
@quick
def test_the_ideal_of_ndcg_earns_what_it_is_divided_by(data):
    measure, collection = data.draw(measured("nDCG"))
    assume(not measure.params.get("cut_ideal") and "cut_ideal" not in measure.params)
    for one in batch(collection):
        work = explain(measure, one).work
        if work.divisor:
            close(work.ideal_terms.sum(), work.divisor)


# ---- the words ----

RATIONAL = [name for name, kind in KINDS.items() if name not in ("DCG", "nDCG") and not kind.of_subtopics]


def read_back(text):
    "The value of an explanation's line, from its numbers alone, in fractions."
    middle = re.sub(r" \(.*more terms\)$| \(what is divided.*\)$", "", text).split(" = ")[1]
    exact = re.sub(r"(?<![\w.])(\d+(?:\.\d+)?(?:e-\d+)?)(?![\w.])", r"Fraction('\1')", middle)
    exact = re.sub(r"\*\*Fraction\('(\d+)'\)", r"**\1", exact)
    try:
        return eval(exact, {"Fraction": Fraction, "log2": log2})
    except ZeroDivisionError:
        return Fraction(0)


def is_exact(why):
    "Whether everything in the line is written without rounding."
    numbers = re.findall(r"\d+\.\d+(?:e-\d+)?", why.text.split(" = ")[1])
    return "more terms" not in why.text and all(len(x.partition(".")[2]) < 4 for x in numbers)


@pytest.mark.parametrize("name", RATIONAL)
@given(grades=st.lists(st.sampled_from([None, 0, 1, 2]), max_size=9), missed=st.lists(st.sampled_from([0, 1, 2]), max_size=4))
@quick
def test_the_line_read_back_in_fractions_is_the_value(name, grades, missed):
    given_too = {"ERR": "(max_grade=2)", "nERR": "(max_grade=2)", "RBP": "(p=0.5)", "Compat": "(p=0.5)", "iRBU": "(max_grade=2, p=0.5)"}.get(name, "")
    given_too = given_too or "(max_rel=2)" * ("max_rel" in KINDS[name].required)
    ideal = [g for g in grades if g is not None] + missed
    why = explain(name + given_too, grades, ideal=ideal)
    if np.isnan(why.value):
        return adds_up(why)
    value = read_back(why.text)
    assert abs(value - Fraction(why.value)) < (Fraction(1, 10**12) if is_exact(why) else Fraction(1, 1000))


@given(grades=st.lists(st.sampled_from([None, 0, 1, 2, 3]), max_size=9), k=st.sampled_from(["", "@3"]))
@quick
def test_the_line_of_ndcg_is_python_that_gives_the_value(grades, k):
    why = explain("nDCG" + k, grades)
    body = why.text.split(" = ")[1].partition(" (what")[0]
    assert body == "0 / 0" or abs(eval(body, {"log2": log2}) - why.value) < 1e-12


def test_lines_are_the_formulas_of_the_textbooks_with_their_numbers():
    flower = [1, 0, 0, 1, 1, 1]
    assert explain("AP", flower).text == "AP = (1/1 + 2/4 + 3/5 + 4/6) / 4 = 0.6917"
    assert repr(explain("RR", [0, 0, 1])) == "RR = 1/3 = 0.3333"
    assert explain("nDCG@2", [1, 2]).text == "nDCG@2 = (1/log2(2) + 2/log2(3)) / (2/log2(2) + 1/log2(3)) = 0.8597"
    assert explain("Bpref", [1, 0, 1, 0]).text == "Bpref = (1 - 0/2 + 1 - 1/2) / 2 = 0.7500"
    assert explain("ERR(max_grade=4)", [4, 1]).text == "ERR(max_grade=4) = 0.9375/1 + 0.0625*0.0625/2 = 0.9395"
    assert explain("P@5", [1] * 3).text == "P@5 = (1 + 1 + 1) / 5 = 0.6000"
    assert explain("NumRet", [1, None]).text == "NumRet = 2"
    assert explain("AP", flower).latex == r"\text{AP} = \frac{\frac{1}{1} + \frac{2}{4} + \frac{3}{5} + \frac{4}{6}}{4} = 0.6917"


def test_a_written_form_that_does_not_fit_a_variant_is_not_used():
    text = explain("nDCG(discount='jarvelin')", [0, 0, 3, 1]).text
    assert "log2" not in text
    tied = Judged.from_scores([0, 1], [5, 5])
    assert explain("AP", tied, ties="average").text == "AP = 0.75 / 1 = 0.7500"


def test_text_of_900_documents_is_short_and_counts_other_terms():
    deep = [3] * 900  # the products of 1 - gain go more than float64 can hold, and are not needed
    for measure in ("AP", "nDCG(gain='exp')", "ERR", "RBP"):
        text = explain(measure, deep).text
        assert len(text) < 600 and "more terms" in text
    terms = [Fraction(r, 2 * r - 1) for r in range(1, 21)]
    end = f"= {float(sum(terms)) / 20:.4f} ({float(sum(terms[12:])):.4f} is the sum of 8 more terms)"
    assert explain("AP", [1, 0] * 20).text.endswith(end)
    assert explain("R", [1] * 40).text == "R = 40 / 40 = 1.0000"


# ---- what if ----


def as_run(docs):
    return {"q": {doc: float(-i) for i, doc in enumerate(docs)}}


@every_kind
@given(seed=seeds, data=st.data())
@quick
def test_changed_explanation_equals_evaluate_on_changed_input(name, seed, data):
    qrels, run, query = one_query(seed)
    measure = usual(name, 7)
    why = explain(measure, qrels, run, query)
    docs, others = list(why.listing.docs), {q: r for q, r in qrels.items() if q != query}
    judged = dict(qrels[query])
    assume(docs)
    doc = data.draw(st.sampled_from([*docs, *why.listing.missed]))
    rank = data.draw(st.integers(1, len(docs)))
    rest = [d for d in docs if d != doc]
    grade = data.draw(st.sampled_from([None, 0, 1, 2, 7]))
    regraded = {d: g for d, g in judged.items() if d != doc} | ({} if grade is None else {doc: grade})
    changes = {
        "move": (why.move(doc, rank), judged, rest[: rank - 1] + [doc] + rest[rank - 1 :]),
        "without": (why.without(doc), judged, rest),
        "grade": (why.grade(doc, grade), regraded, docs),
    }
    for new, judgments, order in changes.values():
        assert list(new.listing.docs) == order
        if not judgments:
            continue  # a query that nobody judged is not evaluated
        expected = value_of(measure, {query: judgments, **others}, {query: as_run(order)["q"]}, query)
        assert same(new.value, expected)
        assert same(new.change.before, why.value) and same(new.change.after, new.value)
        if name not in COUNTED and not np.isnan(new.value - why.value):
            moved = sum(after - before for _, before, after in new.change.documents)
            close(moved, new.value - why.value)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("name", ["AP", "nDCG@4", "RR", "ERR", "Bpref", "P@3", "IPrec"])
@given(seed=seeds)
@settings(max_examples=4)
def test_swaps_equal_the_measure_of_every_swapped_list(name, ties, seed):
    qrels, run, query = one_query(seed)
    assume(run.get(query))
    docs = dict(list(run[query].items())[:7])
    try:
        why = explain(name, qrels, {query: docs}, query, ties=ties)
    except TiesError:
        assume(False)
    change, n = why.swaps().change, len(docs)
    assert change.shape == (n, n)
    order = list(why.listing.docs)
    score = [docs[d] for d in order]
    close(change, change.T)
    close(np.diag(change), 0)
    for i in range(n):
        for j in range(i):
            new = order.copy()
            new[i], new[j] = new[j], new[i]
            # equal scores keep the order of the list: 'docid' and 'given' look at it as it stands
            swapped = {query: dict(zip(new, score))} if ties not in ("docid", "given") else {query: as_run(new)["q"]}
            close(change[i, j], value_of(why.measure, qrels, swapped, query, ties=ties) - why.value)
    assert why.swaps(2).change.shape == (min(n, 2),) * 2


def test_swaps_of_ndcg_are_the_short_form_that_lambdarank_uses():
    rng = np.random.default_rng(4)
    grade = rng.integers(0, 5, 30)
    discount, gain = 1 / np.log2(np.arange(30) + 2), 2.0**grade - 1
    ideal = (np.sort(gain)[::-1] * discount).sum()
    short = (gain[:, None] - gain) * (discount - discount[:, None]) / ideal
    close(explain("nDCG(gain='exp')", grade.tolist()).swaps().change, short)


def test_a_deep_list_with_thousands_of_swaps_is_done_in_blocks():
    grade = [1 if i % 3 == 0 else None for i in range(600)]
    change = explain("AP", grade).swaps(k=None).change
    assert change.shape == (600, 600) and explain("AP", grade).swaps().change.shape == (100, 100)
    for i, j in ((0, 1), (10, 599), (300, 301)):
        new = grade.copy()
        new[i], new[j] = new[j], new[i]
        close(change[i, j], AP.of(new) - AP.of(grade))


def test_change_lists_the_contributions_that_changed():
    change = explain("AP", [0, 1, 0, 1]).move("d4", 1).change
    assert str(change) == "d4 from rank 4 to rank 1: 0.5000 → 0.8333 (+0.3333)"
    assert {d: (a, pytest.approx(b)) for d, a, b in change.documents} == {"d4": (0.25, 0.5), "d2": (0.25, 1 / 3)}


def test_a_largest_grade_that_another_query_has_stays_in_force():
    qrels, run = {"q": {"a": 1, "b": 1}, "p": {"c": 3}}, {"q": ["a", "x"], "p": ["c"]}
    why = explain("ERR", qrels, run, "q")
    assert why.measure == ERR(max_grade=3) == why.grade("a", None).measure
    assert why.grade("a", 4).measure == ERR(max_grade=4)


# ---- conventions, forms of input ----


def test_explain_accepts_the_input_forms_of_evaluate(tmp_path):
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 b 2\n")
    (tmp_path / "run").write_text("q Q0 c 1 3 t\nq Q0 b 2 2 t\nq Q0 a 3 1 t\n")
    dicts = {"q": {"a": 1, "b": 2}}, {"q": ["c", "b", "a"]}
    expected = nDCG.of(Judged.from_grades([None, 2, 1]))[0]
    tables = Qrels(dicts[0]).to_polars(), Run(dicts[1]).to_polars()
    for qrels, run in ((tmp_path / "qrels", tmp_path / "run"), dicts, tables, (Qrels(dicts[0]), Run(dicts[1]))):
        assert explain(nDCG, qrels, run, "q").value == expected
    assert explain(nDCG, [None, 2, 1]).value == expected == explain(nDCG, Judged.from_grades([None, 2, 1])).value
    assert explain("AP", {"7": {"a": 1}}, {"7": ["a"]}, 7).value == 1, "a number is an id as well"


def test_negative_grades_count_as_evaluate_has_them_and_stay_visible():
    qrels, run = {"q": {"a": -1, "b": 2}}, {"q": ["a", "b"]}
    zero, keep = explain("nDCG", qrels, run, "q"), explain("nDCG", qrels, run, "q", negative="keep")
    assert zero.rows[0]["grade"] == "-1 (counts as not judged)" and zero.rows[0]["gain"] is None
    assert keep.rows[0]["gain"] == -1 and keep.value < zero.value
    assert explain("CG", [2, 2, -1]).value == 3, "for a list as written"
    assert explain("CG", [2, 2, -1], negative="zero").value == 4


@pytest.mark.parametrize("form", ["jsonl", "jsonl.gz", "json", "csv", "tsv", "parquet", "dict", "polars", "pandas", "arrow"])
def test_documents_have_titles_from_any_form(form, tmp_path):
    table = pl.DataFrame({"doc_id": ["a", "b", "z"], "title": ["Roses", "Tulips\n two", "other"]})
    path, documents = tmp_path / f"documents.{form}", None
    if form == "json":
        path.write_text(json.dumps(dict(table.iter_rows())))
    elif form.startswith("json"):
        text = "\n".join(map(json.dumps, table.to_dicts())).encode()
        path.write_bytes(gzip.compress(text) if form.endswith("gz") else text)
    elif form == "csv":
        table.write_csv(path)
    elif form == "tsv":
        table.write_csv(path, separator="\t")
    elif form == "parquet":
        table.write_parquet(path)
    else:
        documents = {"dict": dict(table.iter_rows()), "polars": table, "pandas": table.to_pandas(), "arrow": table.to_arrow()}[form]
    why = explain("AP", {"q": {"a": 1}}, {"q": ["b", "a"]}, "q", documents=path if documents is None else documents)
    assert [row["title"] for row in why.rows] == ["Tulips two", "Roses"]
    assert "Tulips two" in why._repr_html_() and why.to_polars()["title"].to_list() == ["Tulips two", "Roses"]


@pytest.mark.parametrize(("call", "kind", "says"), [
    (lambda q, r: explain("AP", q, r, "flwer"), DataError, "'flwer' has no judgments; did you mean 'flower'?"),
    (lambda q, r: explain("AP", q, r, "extra"), DataError, "'extra' is in the run, but has no judgments"),
    (lambda q, r: explain("AP", q, r), ValueError, "the query is missing: write"),
    (lambda q, r: explain("AP", q, query="flower"), TypeError, "explain('AP', qrels, run, query)"),
    (lambda q, r: explain("AP", q), TypeError, "explain('AP', qrels, run, query)"),
    (lambda q, r: explain("AP RR", q, r, "flower"), ValueError, "unknown measure"),
    (lambda q, r: explain("nDGC", q, r, "flower"), ValueError, "did you mean nDCG?"),
    (lambda q, r: explain("AP", Run(r), Qrels(q), "flower"), ValueError, "swapped"),
    (lambda q, r: explain("AP", q, r, "flower", ties="random"), ValueError, "ties must be"),
    (lambda q, r: explain("AP", q, r, "flower").move("tulip", 1), ValueError, "did you mean 'tulips'?"),
    (lambda q, r: explain("AP", q, r, "flower").move("roses", 4), ValueError, "ranks 1 to 2, not to 4"),
    (lambda q, r: explain("AP", q, r, "flower").without("elsewhere"), ValueError, "neither in the run nor judged"),
    (lambda q, r: explain("AP", q, r, "flower").grade("roses", float("inf")), ValueError, "finite"),
    (lambda q, r: explain("AP", q, r, "flower", documents=3), DataError, "documents: expected a dict, a table, records or a path, not 3"),
    (lambda q, r: explain("AP", q, r, "flower", documents="missing.jsonl"), DataError, "missing.jsonl"),
    (lambda q, r: explain("AP", q, r, "bread", missing="skip"), DataError, "'bread' is missing from the run"),
    (lambda q, r: explain("AP", q, r, "nothing", no_relevant="skip"), DataError, "left out"),
    (lambda q, r: explain("AP(judged_only=True)@0", [1]), ValueError, "cutoff"),
    (lambda q, r: explain_difference("AP", q, r, {"flower": ["roses"], "bread": ["rye"]}, missing="skip"), ValueError, "differ in bread"),
    (lambda q, r: explain_difference("AP", q, r, r).query("flowers"), ValueError, "did you mean 'flower'?"),
])  # fmt: skip
def test_bad_input_gets_one_clear_error(call, kind, says):
    qrels = {"flower": {"roses": 1, "tulips": 2}, "bread": {"rye": 1}, "nothing": {"a": 0}}
    run = {"flower": ["roses", "stones"], "extra": ["a"], "nothing": ["a"]}
    with pytest.raises(kind, match=re.escape(says)) as error:
        call(qrels, run)
    assert "\n" not in str(error.value)


# ---- differences ----


@every_kind
@given(seed=seeds)
@settings(max_examples=10)
def test_what_queries_and_documents_add_sums_to_the_difference(name, seed):
    qrels, run = random_collection(seed, queries=4, docs=8, levels=4)
    other = random_collection(seed + 1, queries=4, docs=8, levels=4)[1]
    try:
        why = explain_difference(usual(name), qrels, run, other)
    except ValueError as refusal:
        assert name == "PairAccuracy" and "not over the same queries" in str(refusal)
        return
    means = [evaluate(qrels, r, usual(name), part=True).means for r in (run, other)]
    (a,), (b,) = (list(m.values()) for m in means)
    close([why.a, why.b, why.value], [a, b, b - a])
    if np.isnan(b - a):
        assert name == "PairAccuracy" and not why.rows  # no query has a pair
        return
    close(why.effect.sum(), b - a)
    close(why.rows[-1]["running"], b - a)
    size = [abs(row["adds"]) for row in why.rows]
    if KINDS[name].aggregate.spread:
        close(sorted(size, reverse=True), size)
        close([row["adds"] * len(why.rows) for row in why.rows], [row["difference"] for row in why.rows])
    for query in why.query_ids:
        pair = why.query(query)
        row = next(row for row in why.rows if row["query_id"] == query)
        assert (pair.a.value, pair.b.value) == (row["a"], row["b"])
        if name not in COUNTED and pair.rows:
            close(pair.rows[-1]["running"], pair.value)


def test_a_difference_counts_queries_as_a_comparison_does():
    # 4 relevant documents at these ranks have the same AP, 2/3, but not in floats
    lists = []
    for ranks in ((1, 2, 6, 24), (1, 2, 9, 12)):
        assert sum(Fraction(n, rank) for n, rank in enumerate(ranks, 1)) / 4 == Fraction(2, 3)
        relevant = iter("abcd")
        lists.append([next(relevant) if rank in ranks else f"x{rank}" for rank in range(1, 25)])
    qrels = {f"q{i}": dict.fromkeys("abcd", 1) for i in range(5)}
    one, two = (dict.fromkeys(qrels, ranking) for ranking in lists)
    assert evaluate(qrels, one, "AP").values[0, 0, 0] != evaluate(qrels, two, "AP").values[0, 0, 0]
    pair = compare(qrels, {"one": one, "two": two}, "AP").rows[0]
    assert (pair.wins, pair.ties, pair.losses) == (0, 5, 0)
    assert "5 queries: 0 better, 0 worse, 5 the same" in str(explain_difference("AP", qrels, one, two))


def test_two_runs_that_are_the_same_differ_in_nothing():
    example = load_example()
    why = explain_difference("AP", example.qrels, example.runs["lsa"], example.runs["lsa"])
    assert why.value == 0 and not why.effect.any() and "36 the same" in repr(why)


def test_a_difference_can_be_looked_at():
    example = load_example()
    why = explain_difference("nDCG@10", example.qrels, example.runs["lsa"], example.runs["bm25"], documents=example.documents)
    assert why.to_polars().columns == ["query_id", "a", "b", "difference", "adds", "running"] and why.to_polars().height == 36
    ax = why.plot()
    assert [bar.get_height() for bar in ax.patches] == why.effect.tolist()
    close(ax.get_lines()[0].get_ydata(), np.cumsum(why.effect))
    pair = why.query(why.query_ids[0])
    assert pair.rows[0]["title"] and "numpy" in repr(pair) and "<table" in pair._repr_html_()
    plt.close("all")


# ---- to look at ----


def test_the_picture_holds_the_running_values():
    why = explain("nDCG@5", SIX, ideal=[3, 3, 2, 1, 1])
    figure, given_ax = plt.subplots()
    assert why.plot(given_ax) is given_ax
    ideal, own = (line.get_ydata() for line in given_ax.get_lines())
    close(own, [row["running"] for row in why.rows])
    close(ideal[-1], 1)
    plt.close("all")


def test_the_page_is_folded_after_twenty_ranks_escaped_and_without_scripts_or_other_hosts():
    why = explain("AP", [1, 0] * 30, documents={"d1": "<b>Roses & 'more'</b>"})
    page = why._repr_html_()
    assert page.index("<details>") > page.index("d20") and page.index("<details>") < page.index("d21")
    assert "<b>" not in page and "&lt;b&gt;Roses &amp;" in page
    assert not re.search(r"<script|https?://|@import|url\(", page)


def test_explaining_loads_neither_polars_nor_matplotlib():
    code = ("import sys; from irmetrics_nb import explain; w = explain('nDCG', {'q': {'a': 1}}, {'q': ['b', 'a']}, 'q');"
            "w.rows, w.move('a', 1), w.swaps(), w._repr_html_(), w.to_text();"
            "print([m for m in ('polars', 'matplotlib', 'scipy', 'pandas') if m in sys.modules])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ)
    assert done.stdout == "[]\n", done.stderr


# ---- on the command line ----


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels.txt").write_text("flower 0 roses 3\nflower 0 tulips 1\nflower 0 flour 0\nflower 0 lilies 2\nbread 0 rye 1\n")
    (tmp_path / "run.txt").write_text("flower Q0 roses 1 9.1 toy\nflower Q0 flour 2 8.5 toy\nflower Q0 tulips 3 6.2 toy\n")
    (tmp_path / "docs.tsv").write_text("doc_id\ttitle\nroses\tAll about roses\n")
    return tmp_path


def test_command_prints_formula_ranks_and_missed_documents(files):
    done = irmetrics("explain", "qrels.txt", "run.txt", "flower", "-m", "AP nDCG@2", "--documents", "docs.tsv", "--rows", 2, cwd=files)
    assert (done.returncode, done.stderr) == (0, "")
    assert "AP = (1/1 + 2/3) / 3 = 0.5556" in done.stdout and "nDCG@2 = (3/log2(2))" in done.stdout
    assert "All about roses" in done.stdout and "... and 1 more ranks" in done.stdout
    assert "Not retrieved (grade): lilies (2)." in done.stdout and "6.2" not in done.stdout


def test_the_command_gives_json_that_a_program_reads(files):
    out = files / "why.json"
    done = irmetrics("explain", files / "qrels.txt", files / "run.txt", "flower", "-m", "RR", "--format", "json", "--output", out)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (why,) = json.loads(out.read_text())
    assert (why["measure"], why["value"], why["not_retrieved"]) == ("RR", 1, {"lilies": 2})
    assert [rank["document"] for rank in why["ranks"]] == ["roses", "flour", "tulips"]


def test_the_command_gives_markdown(files):
    done = irmetrics("explain", "qrels.txt", "run.txt", "flower", "--format", "markdown", cwd=files)
    assert done.returncode == 0 and "| document" in done.stdout


@pytest.mark.parametrize(("args", "code", "says"), [
    (["qrels.txt", "run.txt", "flowers"], 1, "did you mean 'flower'?"),
    (["qrels.txt", "run.txt", "bread", "--missing", "skip"], 1, "query 'bread' is missing from the run"),
    (["qrels.txt", "none.txt", "flower"], 1, "none.txt"),
    (["qrels.txt", "run.txt", "flower", "--documents", "run.txt"], 1, "run.txt, row 1: expected an id and a text, not 'flower Q0 roses 1 9.1 toy'"),
    (["qrels.txt", "run.txt", "flower", "-m", "nDGC"], 2, "did you mean nDCG"),
    (["qrels.txt", "run.txt", "flower", "--ties", "often"], 2, "often"),
    (["qrels.txt", "run.txt"], 2, "QUERY"),
    (["qrels.txt", "run.txt", "flower", "--output", "run.txt"], 2, "is also an input file"),
])  # fmt: skip
def test_command_reports_errors_in_one_line(files, args, code, says):
    done = irmetrics("explain", *args, cwd=files)
    assert done.returncode == code and done.stdout == ""
    assert says in done.stderr
    assert code == 2 or (done.stderr.startswith("irmetrics: error: ") and done.stderr.count("\n") == 1)


@pytest.mark.parametrize("grade", [float("nan"), float("inf"), -float("inf")])
def test_a_grade_that_is_no_number_is_refused(grade):
    with pytest.raises(ValueError, match="finite number, or None"):
        explain("nDCG@2", [1, 0, 2]).grade("d2", grade)


# ---- conventions ----

CONVENTIONS_SEEN = {
    "q1": {"a": 3, "b": 0, "c": 1, "d": -1}, "q2": {"a": 0, "e": -1}, "q3": {"a": 2, "f": 1}, "q4": {"z": 1},
}
CONVENTIONS_RUN = {
    "q1": {"b": 2.0, "a": 1.5, "x": 1.25, "c": 1.0, "d": 0.5}, "q2": {"a": 1.0, "e": 0.5}, "q3": {"x": 3.0, "f": 2.0, "a": 1.0},
}


@pytest.mark.parametrize("tool", PRESETS)
@pytest.mark.parametrize("measure", ["nDCG@3", "AP", "P@2", "R@2", "RR"])
def test_a_value_is_explained_as_a_tool_computes_it(tool, measure):
    scores = evaluate(CONVENTIONS_SEEN, CONVENTIONS_RUN, measure, conventions=tool)
    for query, values in scores.to_dict().items():
        if query == "q4" or conventions_of(tool).ties == "average":
            continue
        found = explain(measure, CONVENTIONS_SEEN, CONVENTIONS_RUN, query, conventions=tool)
        assert found.value == pytest.approx(*values.values(), abs=1e-12, nan_ok=True), (query, found.text)
        assert f"= {found.value:.4f}" in found.text


@pytest.mark.parametrize(("answer", "value"), [("zero", 0), ("one", 1), ("nan", float("nan"))])
def test_query_without_relevant_documents_follows_conventions(answer, value):
    why = explain("AP", {"q": {"a": 0}, "r": {"b": 1}}, {"q": ["a"], "r": ["b"]}, "q", no_relevant=answer)
    assert why.value == pytest.approx(value, nan_ok=True)
    assert ("no document is relevant" in why.text) == (answer != "zero")


def test_conventions_apply_to_lists_and_options_override_them():
    assert explain("nDCG@3", [1, 3, 0], conventions="xgboost").measure == parse("nDCG(gain='exp')@3")
    assert explain("nDCG(gain='linear')@3", [1, 3, 0], conventions="xgboost").measure == parse("nDCG@3")
    both = explain_difference("P@2", CONVENTIONS_SEEN, CONVENTIONS_RUN, CONVENTIONS_RUN, conventions="xgboost", no_relevant="zero")
    assert both.a == both.b == evaluate(CONVENTIONS_SEEN, CONVENTIONS_RUN, "P@2", conventions="xgboost", no_relevant="zero").means["P@2"]
    assert both.query("q1").a.value == both.rows[[row["query_id"] for row in both.rows].index("q1")]["a"]


def test_the_command_explains_as_a_tool_does(tmp_path):
    for name, data, form in (("qrels", CONVENTIONS_SEEN, "{} 0 {} {}"), ("run", CONVENTIONS_RUN, "{} Q0 {} 0 {} t")):
        lines = [form.format(q, d, x) for q, docs in data.items() for d, x in docs.items()]
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = irmetrics("explain", tmp_path / "qrels", tmp_path / "run", "q1", "-m", "nDCG@3", "--conventions", "xgboost", "--ties", "docid")
    assert done.returncode == 0 and "nDCG(gain='exp')@3 = " in done.stdout
