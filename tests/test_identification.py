"A number is traced to the conventions, the tool or the mistake that gives it; the numbers come from the exact implementation."

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from exact.bugs import BUGS
from exact.evaluation import evaluate as exactly
from exact.mistakes import MISTAKES as OF_VECTORS
from fastcore.test import test_close as close

import irmetrics_nb
from irmetrics_nb import PRESETS, Conventions, DataError, Qrels, Run, differ, evaluate, identify
from irmetrics_nb.evaluation.conventions import conventions_of
from irmetrics_nb.forensics.mistakes import MISTAKES, mistakes_of
from irmetrics_nb.forensics.search import Rankings, all_results, mistake_of, plain_variant, variant_of, with_mistake
from irmetrics_nb.metrics.parsing import parse
from irmetrics_nb.metrics.registry import KINDS

EXACT = OF_VECTORS | BUGS


def rows_at_random(seed, queries=9, docs=8, twice=False):
    "Judgments and a run as rows: ties, junk, fractions, nothing relevant, no answer, no judgment, scores below 0."
    rng = np.random.default_rng(seed)
    judgments, run = [], []
    for q in range(queries):
        for d in rng.permutation(docs + 3)[: rng.integers(2, docs)]:
            grade = [-1, 0, 1, 1.5, 2, 3][rng.integers(6)] if q else 0
            judgments.append([f"q{q}", f"d{d}", grade])
        if q != 1:
            found = rng.permutation(docs + 2)[: 1 + (q if seed % 2 else q // 2)]
            run += [[f"q{q}", f"d{d}", 7.0 * rng.integers(-2, 9)] for d in found]
    run.append(["other", "d0", 1.0])
    if twice:
        best = max(s for q, _, s in run if q == "q3")
        run += [[q, d, s] for q, d, s in run if (q == "q3" and s == best) or (q, d) in {("q4", "d3"), ("q5", "d1"), ("q2", "d5")}]
    return judgments, run


def as_dicts(rows):
    found = {}
    for query, document, number in rows:
        found.setdefault(query, {})[document] = number
    return found


def number(text):
    return float(Fraction(text)) if "/" in text else float(text)


CASES = [(name, kind) for name, m in EXACT.items() for kind in m.measures.split() if kind != "GAUC" and (name, kind) != ("discount-natural-logarithm", "nDCG")]
OF_MANY = [(name, kind) for name, kind in CASES if len(EXACT[name].measures.split()) < 5 or kind == "AP"]


def test_every_named_mistake_is_known_here_too_and_of_the_same_measures():
    theirs = {name: {*m.measures.split()} - {"GAUC"} for name, m in EXACT.items()}
    theirs["discount-natural-logarithm"] -= {"nDCG"}  # where it cancels
    theirs["mean-over-hits"] |= {"RBPresidual"}  # which is never 0, so that no vector can show it
    ours = {name: {*m.kinds.split()} for name, m in MISTAKES.items()}
    assert {name: kinds for name, kinds in theirs.items() if kinds} == ours
    assert {n: m.same_as for n, m in EXACT.items() if m.same_as} == {n: dict(m.same_as) for n, m in MISTAKES.items() if m.same_as and n in EXACT}


@pytest.mark.parametrize("seed", range(6))
def test_a_recall_that_is_the_share_of_queries_with_a_hit_is_called_success(seed):
    "As reported of tools whose recall@k is 1 for a query with any hit; other conventions may fit as well."
    judgments, run = rows_at_random(seed)
    qrels, run = as_dicts(judgments), as_dicts(run)
    hits = [any(qrels[q][d] >= 1 for d in sorted(run.get(q, {}), key=lambda d: (run[q][d], d), reverse=True)[:3] if d in qrels[q]) for q in qrels]
    share = Fraction(sum(hits), len(hits))
    recall = evaluate(qrels, run, "R@3").means["R@3"]
    assert abs(recall - float(share)) > 1e-3  # so that it is no recall
    found = identify(qrels, run, {"recall@3": f"{float(share):.6f}"})
    assert "r-is-success" in {name for fit in found for name in fit.rivals}
    assert "the value is Success@k (the hit rate), not recall" in " ".join(str(found).split())


@pytest.mark.parametrize("kind", sorted({kind for _, kind in OF_MANY}))
def test_each_named_mistake_is_found_by_its_name_where_its_value_differs(kind):
    for name in [n for n, k in OF_MANY if k == kind]:
        assert any(is_found(name, kind, seed) for seed in range(5, 11)), name


def is_found(name, kind, seed):
    "Whether the exact number of a mistake is traced to it; on some data it comes to the same as a convention."
    twice, mistake = name == "duplicates-counted", EXACT[name]
    judgments, run = rows_at_random(seed, twice=twice)
    cut = {"k": 3} if parse(kind).kind.at == "k" else {}
    changes = ({"duplicates": "first"} if twice else {}) | dict(mistake.beside) | (mistake.same_as or {})
    value, _ = exactly(kind, {"judgments": judgments, "run": run, **cut}, changes, None if mistake.same_as else mistake)
    asked = kind + (f"(beta={mistake.beside['beta']})" if mistake.beside else "") + ("@3" if cut else "")
    close(with_mistake(judgments, run, asked, name), number(value))
    rivals = [r for r in results(kind, asked, seed, twice) if abs(r.value - number(value)) < 1e-9]
    rivals = [variant for r in rivals for variant in r.variants if variant.cost == min(each.cost for each in r.variants)]
    if name not in {mistake_of([variant], [kind]) for variant in rivals}:
        return False
    if name in ("ap-over-list", "ideal-of-hits", "rr-of-mean-rank"):  # by the door as well
        assert name in {fit.mistake for fit in identify(judgments, run, {asked: f"{number(value):.9f}"})}
    return True


@cache
def results(kind, asked, seed, twice):
    "All results, computed once for all mistakes of a measure."
    return dict.fromkeys(all_results(Rankings(*rows_at_random(seed, twice=twice)), parse(asked)).values())


def test_documents_with_the_id_of_their_query_are_kept_and_taken_out_where_there_are_such():
    judgments = {f"q{i}": {f"d{i}": 1} for i in range(5)}
    run = {q: [q, "x", *docs] if i % 2 else ["x", q, *docs, "y"] for i, (q, docs) in enumerate(judgments.items())}
    found = identify(judgments, run, {"RR": "0.5"})  # d at rank 2 of what is left, always
    assert {"identical_ids": "skip"} in [dict(fit.ways[0].options) for fit in found] and "beir" in found.tools
    kept = identify(judgments, run, {"RR": "0.3333"})
    assert kept.conventions == Conventions() and "beir" not in kept.tools and "mteb" in kept.tools
    without = {q: [d for d in docs if d != q] for q, docs in run.items()}
    assert Rankings(judgments, without).open["identical_ids"] == ("keep",) and Rankings(judgments, run).open["identical_ids"] == ("keep", "skip")
    assert "beir" in identify(judgments, without, {"RR": "0.5"}).tools
    (step,) = differ(judgments, run, "RR", a="mteb", b="beir").steps
    assert step.what == "identical_ids='skip'" and step.value == pytest.approx(1 / 3) and step.after == 0.5


@pytest.mark.parametrize("kind", ["nDCG@3", "AP@3"])
def test_the_value_of_a_tool_is_found_by_the_name_of_the_tool(kind):
    judgments, run = map(as_dicts, rows_at_random(8))
    tools = [tool for tool, preset in PRESETS.items() if kind.partition("@")[0] in preset.kinds.split()]
    value_of = {tool: min(evaluate(judgments, run, kind, conventions=tool).means.values()) for tool in tools}
    rankings, asked = Rankings(judgments, run), parse(kind)
    conventions = {tool: conventions_of(tool) for tool in tools}
    found = all_results(rankings, asked, more=[variant_of(asked, each) for each in conventions.values()])
    for tool, each in conventions.items():
        assert found[plain_variant(rankings, variant_of(asked, each))].value == pytest.approx(value_of[tool]), tool
    assert {"sklearn", "ranx"} & {*tools} <= {t for x in ("sklearn", "ranx") if x in tools for t in identify(judgments, run, {kind: value_of[x]}).tools}


@pytest.mark.parametrize("measure", ["nDCG@3", "AP@3", "R@2", "ERR", "RBP", "Bpref", "IPrec", "NumRelRet", "GMAP", "Rprec"])
def test_every_result_is_what_evaluate_gives_under_its_conventions(measure):
    judgments, run = map(as_dicts, rows_at_random(3))
    asked = parse(measure)
    found = all_results(Rankings(judgments, run), asked, mistakes={})
    variants = list(found)
    rng = np.random.default_rng(0)
    for i in rng.choice(len(variants), min(25, len(variants)), replace=False):
        variant = variants[i]
        value = min(evaluate(judgments, run, asked, conventions=variant.conventions(asked.name)).means.values())
        assert value == pytest.approx(found[variant].value, rel=1e-9, nan_ok=True), variant


def test_text_keeps_its_zeros_and_a_value_is_taken_as_rounded_then_cut_off_then_as_a_percentage():
    judgments, run = {"q": {"a": 1, "b": 1, "c": 1}}, {"q": ["a", "x", "b", "y", "c"]}
    exact = evaluate(judgments, run, "AP").means["AP"]  # 0.7555…
    assert identify(judgments, run, "AP", "0.756").how == "rounded"
    assert identify(judgments, run, {"AP": "0.7555"}).how == "cut off"
    assert identify(judgments, run, "AP=75.56").how == "rounded, AP as a percentage"
    assert len(identify(judgments, run, "AP", "0.7560")) == 0 and identify(judgments, run, "AP", 0.7560)
    close(identify(judgments, run, "AP", "0.76").value, exact)


def test_several_numbers_have_to_fit_together_and_single_queries_count():
    judgments, run = map(as_dicts, rows_at_random(11))
    means = evaluate(judgments, run, "R@3 AP@3", conventions="recbole").means
    asked = dict(zip(("R@3", "AP@3"), means.values()))
    found = identify(judgments, run, asked)
    assert "recbole" in found.tools and len(found) <= len(identify(judgments, run, {"AP@3": asked["AP@3"]}))
    assert set(found[0].values) == {"R@3", "AP@3"}
    scores = evaluate(judgments, run, "R@3", conventions="recbole")
    one = dict(zip(scores.query_ids, scores.values[0, 0].tolist()))
    query = max(one, key=one.get)
    assert "recbole" in identify(judgments, run, {"R@3": {query: one[query], "all": asked["R@3"]}}).tools


def test_few_digits_give_the_number_of_matches_and_advice():
    found = identify(*map(as_dicts, rows_at_random(11)), "nDCG@3", "0.5")
    assert len(found) > 3 and "of them match" in found.summary[0] and found.advice
    assert found.to_dict()["fits"] == len(found) and "<table>" in found._repr_html_()


def test_explicit_parameters_are_not_varied():
    judgments, run = map(as_dicts, rows_at_random(11))
    value = evaluate(judgments, run, "nDCG(gain='binary')@3").means["nDCG(gain='binary')@3"]
    assert all("exp" not in fit.differs for fit in identify(judgments, run, {"nDCG(gain='binary')@3": value}))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"AP": "0,43"}, "such as 0.4312"), ({"AP": 431}, "at most 1, or 100 as a percentage"), ({"AP": -0.2}, "never below 0"),
        ({"AP": None}, "not None"), ({"AP": float("nan")}, "a value must be a number"), ("AP", "expected a measure and its value"),
        ({"AUC": 0.5}, "is not a measure of this package"), ({"nDGC": 0.5}, "unknown measure"), ({}, "write a measure and its value"),
        ({"AP": {"q99": 1}}, "query 'q99' is not judged"), ({"AP": {}}, "there is no value"),
    ],
)  # fmt: skip
def test_bad_input_is_one_clear_error(values, words):
    with pytest.raises(ValueError, match=words):
        identify({"q": {"a": 1}}, {"q": ["a"]}, values)


def test_no_query_in_common_is_a_data_error():
    with pytest.raises(DataError, match="no query in common"):
        identify({"q": {"a": 1}}, {"other": ["a"]}, "AP", 1.0)


def test_nothing_fits_shows_the_nearest_and_how_far_it_is():
    found = identify({"q": {"a": 1}}, {"q": ["x", "a"]}, "RR", "0.8765")
    assert not found and found.value is None and found.nearest[0].off == pytest.approx(abs(found.nearest[0].value - 0.8765))
    assert "no combination matches" in repr(found)


def test_a_number_between_the_orders_of_ties_of_a_tool_without_a_fixed_one_is_given_its_range():
    "Ties: one relevant document of three, one of two, and none: AP of 1 to 1/3, of 1 to 1/2, and 1/2."
    qrels = {"a": {"x": 1}, "b": {"x": 1}, "c": {"x": 1}}
    run = {"a": {"x": 1, "y": 1, "z": 1}, "b": {"w": 2, "x": 2}, "c": {"y": 2, "x": 1}}
    low, high = (Fraction(1, 3) + Fraction(1, 2) + Fraction(1, 2)) / 3, (1 + 1 + Fraction(1, 2)) / 3
    found = identify(qrels, run, "AP", "0.5555555")
    assert "no combination matches" not in repr(found) and not found.fits
    assert found.summary[0] == f"ranx (0.3.21) does not rank ties in a fixed order; on these data it gives AP from {float(low):.6f} to {float(high):.6f}."
    assert found.to_dict()["ranges"] == [*found.ranges] and len(found.ranges) == 3
    assert identify(qrels, run, "AP", "0.91111").ranges == () and "no combination matches" in repr(identify(qrels, run, "AP", "0.91111"))
    assert identify(qrels, run, {"AP": {"c": "0.6", "all": "0.5555555"}}).ranges == ()  # where nothing is tied
    assert identify(qrels, run, {"AP": {"b": "70", "all": "55.55555"}}).ranges[0].startswith("ranx (0.3.21) does not rank ties in a fixed order")
    assert identify({"q": {"x": 1}}, {"q": ["y", "x"]}, "AP", "0.7").ranges == ()


def test_nearest_values_are_in_the_column_of_their_measure():
    found = identify({"q": {"a": 1}}, {"q": ["a"]}, {"AP": "0.8", "nDCG@10": "0.6"})
    assert not found
    of_ap, of_ndcg = found.to_polars().select("AP", "nDCG@10").rows()
    assert of_ap == ("1.000000", "-") and of_ndcg[0] == "-" and float(of_ndcg[1]) < 1
    assert [*found.rows[0]] == [*found.rows[1]]


@pytest.mark.parametrize("measure", ["nDCG@3", "AP", "Bpref", "ERR@3", "RBP@4", "P@2", "IPrec@0.5"])
def test_batches_that_are_computed_together_have_the_values_that_they_have_one_by_one(measure, monkeypatch):
    sources = [rows_at_random(seed, twice=not seed) for seed in (0, 2)]
    found = []
    for limit in (10_000, 0):
        monkeypatch.setattr("irmetrics_nb.forensics.search.MOST_JOINED", limit)
        found.append([all_results(Rankings(*rows), parse(measure), check=lambda values, mean: values.tolist()) for rows in sources])
    for together, apart in zip(*found, strict=True):
        assert [*together] == [*apart] and len(together) > 100
        for variant, result in together.items():
            np.testing.assert_array_equal([*result.fits, result.value], [*apart[variant].fits, apart[variant].value], variant)


def test_rankings_are_judged_once_for_all_answers_that_change_none():
    rng = np.random.default_rng(1)
    qrels = {f"q{i}": {f"d{j}": int(g) for j, g in enumerate(rng.integers(0, 4, 8))} for i in range(700)}
    run = {q: {f"d{j}": float(s) for j, s in enumerate(rng.integers(0, 30, 30) / 2)} for q in qrels}
    rankings = Rankings(qrels, run)
    assert all(len(rankings.open[question]) == 1 for question in ("negative", "score_dtype", "identical_ids", "duplicates"))
    cells = [rankings.cell(key) for key in rankings.keys]
    judged = {id(judged) for judged, *_ in cells}
    assert len(judged) == 2 * 2  # ties as given or by id, unjudged documents kept or not; every judged document is retrieved
    assert len(cells) == 5 * 2 * 2


def test_a_difference_is_made_by_the_fewest_answers_and_its_steps_add_up():
    judgments, run = map(as_dicts, rows_at_random(4))
    for a, b in [("trec_eval", "sklearn"), ("lightgbm", "elasticsearch"), ("catboost", "trec_eval10")]:
        why = differ(judgments, run, "nDCG@3", a=a, b=b)
        ours = [min(evaluate(judgments, run, "nDCG@3", conventions=tool).means.values()) for tool in (a, b)]
        close([why.a, why.b], ours)
        assert sum(step.after - step.value for step in why.steps) == pytest.approx(why.value)
        assert all(step.changed or step.shows == () for step in why.steps)


def test_differ_finds_the_conventions_of_two_numbers():
    judgments, run = map(as_dicts, rows_at_random(4))
    mine, yours = (min(evaluate(judgments, run, "nDCG@3", conventions=c).means.values()) for c in ("gdeval", Conventions()))
    why = differ(judgments, run, "nDCG@3", a=f"{mine:.8f}", b=f"{yours:.8f}")
    close([why.a, why.b], [mine, yours])
    assert {step.what for step in why.steps} <= {"gain='linear'", "missing='zero'"}
    with pytest.raises(ValueError, match="no combination of conventions gives this value"):
        differ(judgments, run, "RR", a="0.99887766", b="trec_eval")


def test_sources_that_can_be_read_once_and_objects_give_the_same():
    judgments, run = rows_at_random(4)
    texts = [repr(identify(q, r, "RR", "0.4")) for q, r in [(iter(judgments), iter(run)), (Qrels(judgments), Run(run)), (judgments, run)]]
    assert texts[0] == texts[1] == texts[2]


def test_mistakes_are_listed_by_measure():
    assert {"rr-not-cut", "rr-over-positives"} <= {*mistakes_of("RR")}


def test_a_value_that_is_exactly_the_number_comes_before_values_that_round_to_it():
    qrels, run = {"q": {"a": 1, "b": 3, "c": 2}}, {"q": ["b", "a", "c"]}
    assert [fit.value for fit in identify(qrels, run, {"nDCG@6": 1.0})][0] == 1
    assert len(identify(qrels, run, {"nDCG@6": 1.0})) > 1  # a float stands for all numbers with its decimals
    five = {"q": {str(i): 1 for i in range(5)}}
    found = identify(five, {"q": ["x", "0"]}, {"AP@5": "0.2"})
    assert [round(fit.value, 4) for fit in found] == [0.2, 0.25]  # 1/5 without the unjudged x, and 1/2 / min(R, n)


def shown(text):
    return " ".join(str(text).split())


@pytest.mark.parametrize(
    ("asked", "computed"),
    [("nDCG@10", "nDCG@5"), ("nDCG@10", "nDCG"), ("AP@10", "AP"), ("P@10", "P@5"), ("RR@10", "Success@10"), ("AP@10", "RR@10"), ("R@10", "R@20"), ("nDCG@10", "DCG@10")],
)
def test_another_cutoff_and_another_measure_are_said_plainly(asked, computed):
    rng = np.random.default_rng(3)
    docs = [f"d{i:03d}" for i in range(90)]
    qrels = {f"q{q}": {d: int(rng.integers(0, 4)) for d in rng.choice(docs, rng.integers(2, 15), replace=False)} for q in range(37)}
    run = {q: {d: float(rng.integers(0, 9) + 3 * qrels[q].get(d, 0)) for d in rng.permutation(docs)[:40]} for q in qrels}
    (value,) = evaluate(qrels, run, computed).means.values()
    found = identify(qrels, run, {asked: f"{value:.6f}"})
    assert found.mistake == f"is {computed}" and found.call == f'evaluate(qrels, run, "{computed}")'
    verb = "is" if len(found) == 1 else "may be"
    assert f"This {verb} {computed}, not {asked}." in shown(found)
    assert differ(qrels, run, asked, a="trec_eval", b=f"{value:.6f}").steps[-1].after == pytest.approx(value)


def test_numbers_of_public_threads_are_named():
    "torchmetrics 1952 (top_k without effect), lkpy 309 (1.21 and 0.7344), serve 1123 (recall over k), mteb (the first result removed)."
    groups = [0, 0, 0, 1, 1, 1, 1, 1]
    scores, labels = [0.2, 0.3, 0.5, 0.1, 0.3, 0.5, 0.2, 0.7], [0, 0, 1, 0, 1, 0, 1, 0]
    rows = [(f"q{group}", f"d{i}") for i, group in enumerate(groups)]
    qrels = as_dicts([(*row, label) for row, label in zip(rows, labels)])
    run = as_dicts([(*row, score) for row, score in zip(rows, scores)])
    assert identify(qrels, run, {"nDCG@1": "0.7853"}).mistake == "is nDCG"
    assert "This is nDCG, not nDCG@1." in shown(identify(qrels, run, {"nDCG@1": "0.7853"}))
    items = {"u": {"1": 3, "2": 5, "3": 4}}
    found = identify(items, {"u": ["2", "3", "1"]}, {"nDCG@2": "1.21"})
    assert found.mistake == "list-not-cut" and "discount='jarvelin'" in found[0].differs
    assert identify(items, {"u": ["1", "2"]}, {"nDCG": "0.7344"})[0].differs == "discount='jarvelin'"
    five = {"q": {str(i): 1 for i in range(5)}}
    for k, value in enumerate(("1", "1", "0.667", "0.5"), 1):
        assert "r-is-precision" in identify(five, {"q": ["1", "0", "20", "30", "40"]}, {f"R@{k}": value})[0].rivals
    judgments, run = map(as_dicts, rows_at_random(3))
    dropped = {q: {d: s for d, s in docs.items() if (s, d) != max((s, d) for d, s in docs.items())} for q, docs in run.items()}
    (value,) = evaluate(judgments, dropped, "nDCG@3").means.values()
    assert identify(judgments, run, {"nDCG@3": f"{value:.8f}"}).mistake == "first-result-dropped"


def test_a_repeated_document_that_counts_twice_is_named_beside_the_conventions_of_tools():
    qrels, run = {"q": {"a": 1, "b": 1, "c": 1}}, [["q", "a", 9], ["q", "a", 8], ["q", "z", 7], ["q", "b", 6]]
    found = identify(qrels, run, {"R@5": "1.0"})
    assert "torchmetrics" in found.tools and "duplicates-counted" in found[0].rivals
    assert "duplicates-counted: a document that appears twice in the run counts twice." in shown(found)


def test_a_bug_is_shown_with_its_line_of_code_and_can_be_computed_again():
    qrels, run = {"q": {"a": 1}, "p": {"b": 1}}, {"q": {"x": 10, "a": 9, "v": 4, "w": 3}, "p": {"b": 10, "y": 9, "z": 8}}
    found = identify(qrels, run, {"RR": "0.41667"})  # (1/3 + 1/2) / 2
    assert found.mistake == "rr-one-late" and "ranks begin at 2, as in `1 / (rank + 1)`." in shown(found)
    assert found.call == "with_mistake(qrels, run, 'RR', 'rr-one-late')"
    assert irmetrics_nb.with_mistake(qrels, run, "RR", "rr-one-late") == pytest.approx(5 / 12)
    more = qrels | {"r": {"c": 1}}, run | {"r": {"c": 100, "v": 20, "w": 3, "x": 1}}
    text = identify(*more, {"RR": "0.55556"})  # 9.0 is above 8.0, and 3.0 above 10.0 and 100.0: ranks 1, 3 and 3
    assert text.mistake == "scores-as-text"


WRITTEN_BY_OTHERS = [  # wrong programs that were written without a look at the search; tfidf of the example collection
    ("nDCG@10", "0.609165", "list-not-cut"),  # DCG of the whole list over the ideal DCG of 10
    ("nDCG@10", "0.634664", "ideal-of-hits"),  # the 10 retrieved documents in the best order
    ("DCG@10", "4.480910", "discount-natural-logarithm"),
    ("DCG@10", "1.035310", "gain-over-largest"),  # each grade divided by 3
    ("AP@10", "0.545355", "ap-over-hits"),
    ("AP", "0.271358", "ap-without-hits"),  # 1/rank of each relevant document, divided by R
    ("P@10", "0.590950", "p-is-recall"),
    ("RR", "0.345486", "rr-one-late"),
    ("R@20", "0.819162", "unjudged='skip'"),
    ("RR@10", "0.724322", "mean-over-hits"),
    ("P@5", "0.166667", ""),  # sorted by the column of ranks as text, which no run keeps
    ("Success@5", "0.361111", ""),  # only grade 1 counts, not grades 2 and 3
]


@pytest.mark.parametrize(("measure", "value", "name"), WRITTEN_BY_OTHERS)
def test_numbers_of_wrong_programs_are_named_or_nothing_matches(measure, value, name):
    example = irmetrics_nb.load_example()
    found = identify(example.qrels, example.runs["tfidf"], {measure: value})
    if name:
        assert name in {found.mistake, *found[0].rivals, *found[0].ways[0].words}
    else:
        assert not found and "no combination matches" in str(found) and found.nearest[0].off > 0


def test_each_measure_is_said_to_be_another_one_by_itself():
    example = irmetrics_nb.load_example()
    qrels, run = example.qrels, example.runs["bm25"]
    of_five = evaluate(qrels, run, "nDCG@5 AP@5").means
    found = shown(identify(qrels, run, {"nDCG@10": f"{of_five['nDCG@5']:.5f}", "AP@10": f"{of_five['AP@5']:.5f}"}))
    assert "This is nDCG@5, not nDCG@10." in found and "This is AP@5, not AP@10." in found


def test_measures_with_functions_as_gains_and_measures_of_users_are_searched():
    @irmetrics_nb.measure("Sharp")
    def sharp(ranking, /, *, k=None, rel=1):
        hits = ranking.found(rel, k)
        yield hits, 1 / hits.rank**2

    example = irmetrics_nb.load_example()
    qrels, run = example.qrels, example.runs["bm25"]
    try:
        (of_five,) = evaluate(qrels, run, "Sharp@5").means.values()
        assert identify(qrels, run, {"Sharp@10": f"{of_five:.5f}"}).mistake == "is Sharp@5"
    finally:
        del KINDS["Sharp"]
    for parameters in {"gain": np.sqrt}, {"discount": lambda i: 1 / i}:
        assert not identify(qrels, run, {irmetrics_nb.nDCG(**parameters) @ 10: "0.1234"})


def test_another_measure_is_only_possible_where_several_explanations_match():
    example = irmetrics_nb.load_example()
    found = identify(example.qrels, example.runs["bm25"], {"nDCG@10": "0.53"})
    assert len(found) > 1 and "This may be nDCG@5, not nDCG@10." in shown(found) and "This is" not in shown(found)
