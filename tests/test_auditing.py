"A function is told what it computes: the functions make each named mistake, by the exact implementation or in a few lines."

from fractions import Fraction
from math import log2
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from exact.bugs import BUGS
from exact.evaluation import evaluate as exactly
from exact.mistakes import MISTAKES as OF_VECTORS
from sklearn.metrics import ndcg_score
from strategies import usual

from irmetrics_nb import Conventions, Judged, audit, judge, parse
from irmetrics_nb.core.arrays import cumcount
from irmetrics_nb.core.measures import MEAN, declare
from irmetrics_nb.forensics.auditing import _hits_above, _several_queries, audit_answers
from irmetrics_nb.forensics.cases import SHAPES, read_shape
from irmetrics_nb.forensics.mistakes import MISTAKES
from irmetrics_nb.metrics.registry import KINDS

EXACT = OF_VECTORS | BUGS
VECTORS = Path(__file__).parent.parent / "conformance" / "measures"
HARMLESS = {"ties-as-given", "duplicates-counted", "mean-over-answered"}


def number(text):
    if text in ("error", "NaN"):
        raise ValueError(text)
    return float(Fraction(text)) if "/" in text else float(text)


def exact_function(kind, name):
    "A function of judgments and a run that makes a mistake exactly."
    mistake = EXACT[name]
    changes = dict(mistake.beside) | (mistake.same_as or {})

    def f(qrels, run, k=None):
        rows = [[[q, d, x] for q, docs in table.items() for d, x in docs.items()] for table in (qrels, run)]
        case = dict(zip(("judgments", "run"), rows)) | ({} if k is None else {"k": k})
        return number(exactly(kind, case, changes, None if mistake.same_as else mistake)[0])

    return f


def kind_of(name):
    "One measure in which a mistake occurs."
    kinds = MISTAKES[name].kinds.split()
    return next((kind for kind in ("RR", "AP", "nDCG") if kind in kinds), kinds[0])


OF_COLLECTIONS = {"duplicates-counted", "scores-as-text", "gain-over-largest"}  # which no single list shows


@pytest.mark.parametrize("name", [name for name in MISTAKES if name not in OF_COLLECTIONS])
def test_each_named_mistake_is_found_by_its_name(name):
    kind = kind_of(name)
    beside = EXACT[name].beside
    cut = kind not in ("SetF", "Judged")
    measure = kind + (f"(beta={beside['beta']})" if beside else "") + ("@2" if cut else "")
    found = audit(exact_function(kind, name), measure, shape="qrels run k" if cut else "qrels run")
    assert name in found.mistakes, found
    assert found.passed == (name in HARMLESS), found


def test_a_document_that_counts_twice_is_found_where_there_are_ids():
    def recall(retrieved, relevant, k):
        return sum(doc in relevant for doc in retrieved[:k]) / len(relevant)

    found = audit(recall, "R@10", shape="retrieved relevant k")
    assert found.passed and found.mistake == "duplicates-counted"  # a convention, since a list may never repeat a document
    once = audit(lambda retrieved, relevant, k: len({*retrieved[:k]} & {*relevant}) / len(relevant), "R@10", shape="retrieved relevant k")
    assert once.passed


def dcg(grades):
    return sum(g / log2(i + 2) for i, g in enumerate(grades))


def ndcg(grades, k):
    best = dcg(sorted(grades, reverse=True)[:k])
    return dcg(grades[:k]) / best if best else 0.0


def test_a_right_function_passes_whatever_it_does_at_the_edges():
    found = audit(ndcg, "nDCG@10")
    assert found and found.mistake == "" and "trec_eval" in found.tools and found.counterexample == ""

    def strict(grades, k):
        if not any(grades):
            raise ValueError("nothing is relevant")
        return ndcg(grades, k)

    assert audit(strict, "nDCG@10") and "raises ValueError" in repr(audit(strict, "nDCG@10"))


def of_queries(f):
    "A function of judgments, a run and k that gives the value of each query, by one of a query's grades and its ranked documents."
    def each(qrels, run, k):
        return {q: f(own, sorted(run.get(q, ()), key=lambda d: (run[q][d], d), reverse=True)[:k], k) for q, own in qrels.items()}

    return each


def test_any_grade_above_0_may_count_as_relevant():
    precision = of_queries(lambda grades, docs, k: sum(grades.get(d, 0) > 0 for d in docs) / k)
    reciprocal = of_queries(lambda grades, docs, k: next((1 / i for i, d in enumerate(docs, 1) if grades.get(d, 0) > 0), 0))
    for f, measure in ((precision, "P@10"), (reciprocal, "RR@10")):
        found = audit(f, measure, shape="qrels run k")
        assert found and "fractional grades: any grade above 0 is relevant" in repr(found)
    above_1 = of_queries(lambda grades, docs, k: next((1 / i for i, d in enumerate(docs, 1) if grades.get(d, 0) > 1), 0))
    assert audit(above_1, "RR@10", shape="qrels run k").mistake == "greater-for-at-least"


def test_a_scale_of_grades_need_not_know_what_lies_below_0():
    def err(grades, k):
        total, goes_on = 0, 1
        for rank, g in enumerate(grades[:k], 1):
            stops = (2**g - 1) / 2**3
            total, goes_on = total + goes_on * stops / rank, goes_on * (1 - stops)
        return total

    assert audit(err, "ERR(max_grade=3)@10")


def test_where_the_order_of_ties_makes_no_difference_no_order_is_named():
    hits = of_queries(lambda grades, docs, k: sum(grades.get(d, 0) >= 1 for d in docs) / k)
    found = audit(lambda qrels, run: hits(qrels, run, 5), "P@5", shape="qrels run")
    assert found and found.mistake == "" and "equal scores: no effect on the values" in repr(found)


def test_a_value_that_is_nearly_right_is_shown_with_the_digits_that_differ():
    assert "it gives 1.00004, not 1; " in audit(lambda grades, k: ndcg(grades, k) * (1 + 4e-5), "nDCG@10").counterexample


def test_a_right_value_may_be_rounded_to_four_digits_and_not_to_two():
    found = audit(lambda grades, k: round(ndcg(grades, k), 4), "nDCG@10")
    assert found and "decimals: at most four" in repr(found)
    assert not audit(lambda grades, k: round(ndcg(grades, k), 2), "nDCG@10")
    assert "digits" not in repr(audit(ndcg, "nDCG@10"))


def ap_of(ranked):
    "AP of the documents that a function of a query's run, its judgments and k ranks."
    def ap(own, run, k):
        hits = total = 0
        for rank, doc in enumerate(ranked(run, own, k), 1):
            if own.get(doc, 0) >= 1:
                hits += 1
                total += hits / rank
        return total / (sum(g >= 1 for g in own.values()) or 1)

    return lambda qrels, run, k: {q: ap(own, run.get(q, {}), k) for q, own in qrels.items()}


def falling(run, key=None):
    return sorted(run, key=lambda doc: (key or float)(run[doc]), reverse=True)


RANKED = {
    "right": lambda run, own, k: falling(run)[:k],
    "no score read": lambda run, own, k: list(run)[:k],
    "cut before sorting": lambda run, own, k: falling(dict(list(run.items())[:k])),
    "scores cut to whole numbers": lambda run, own, k: falling(run, int)[:k],
    "scores rounded to two digits": lambda run, own, k: falling(run, lambda score: round(score, 2))[:k],
    "condensed": lambda run, own, k: [doc for doc in falling(run) if doc in own][:k],
}


@pytest.mark.parametrize("name", RANKED)
def test_a_function_of_a_run_passes_only_if_it_sorts_whole_runs_by_whole_scores(name):
    found = audit(ap_of(RANKED[name]), "AP@10", shape="qrels run k")
    assert found.passed == (name == "right"), found
    assert found.passed or found.counterexample


def test_condensed_lists_pass_where_the_measure_asks_for_them():
    assert audit(ap_of(RANKED["condensed"]), "AP(judged_only=True)@10", shape="qrels run k")
    assert not audit(ap_of(RANKED["right"]), "AP(judged_only=True)@10", shape="qrels run k")
    precise = of_queries(lambda grades, docs, k: sum(grades[d] >= 1 for d in docs if d in grades) / (sum(d in grades for d in docs) or 1))
    assert not audit(precise, "P@10", shape="qrels run k")


@pytest.mark.parametrize("ranked, passed", [
    (lambda true, score, k: true[np.argsort(-score)][:k], True), (lambda true, score, k: true[:k], False),
    (lambda true, score, k: true[:k][np.argsort(-score[:k])], False), (lambda true, score, k: true[np.argsort(-score.astype(int), kind="stable")][:k], False)])  # fmt: skip
def test_a_function_of_labels_and_scores_passes_only_if_it_sorts_by_them(ranked, passed):
    def f(true, score, k):
        best = dcg(sorted(true, reverse=True)[:k])
        return dcg(ranked(true, score, k)) / best if best else 0.0

    assert bool(audit(f, "nDCG@10", shape="true score k")) == passed
    assert bool(audit(lambda true, score: f(true, score, 10), "nDCG@10", shape="true score")) == passed


def test_a_grade_below_0_is_not_relevant_in_r():
    any_grade = of_queries(lambda grades, docs, k: sum(grades.get(d, 0) >= 1 for d in docs) / (sum(g != 0 for g in grades.values()) or 1))
    found = audit(any_grade, "R@10", shape="qrels run k")
    assert not found and "negative grades: the values match no known convention" in repr(found)
    right = of_queries(lambda grades, docs, k: sum(grades.get(d, 0) >= 1 for d in docs) / (sum(g >= 1 for g in grades.values()) or 1))
    assert audit(right, "R@10", shape="qrels run k")


def test_audit_reports_how_grades_above_1_are_treated():
    said = "grades above 1: are not treated like grade 1; all other cases use grades 0 and 1"
    for wrong in (lambda r, k: sum(r[:k]) / k, lambda r, k: sum(x == 1 for x in r[:k]) / k):
        assert said in repr(audit(wrong, "P@10"))
    assert "grades above 1: are relevant, like grade 1" in repr(audit(lambda r, k: sum((x or 0) >= 1 for x in r[:k]) / k, "P@10"))


def err_with(scale):
    def err(grades, k):
        total, goes_on, top = 0, 1, scale or max(grades, default=0)
        for rank, g in enumerate(grades[:k], 1):
            stops = (2**g - 1) / 2**top
            total, goes_on = total + goes_on * stops / rank, goes_on * (1 - stops)
        return total

    return err


@pytest.mark.parametrize("scale, measure, accept", [
    (4, "ERR@10", "gdeval"), (4, "ERR(max_grade=4)@10", None), (None, "ERR@10", None), (3, "ERR(max_grade=3)@10", None)])  # fmt: skip
def test_err_passes_with_an_accepted_or_given_largest_grade(scale, measure, accept):
    found = audit(err_with(scale), measure, accept=accept)
    assert found, found
    assert "NOT" not in repr(found)


def test_err_fails_with_a_different_largest_grade():
    assert not audit(err_with(4), "ERR(max_grade=3)@10") and not audit(err_with(None), "ERR(max_grade=4)@10")


def test_shape_is_inferred_from_parameter_names():
    found = audit(ap_of(RANKED["right"]), "AP@10")
    assert found and found.shape == "qrels run k"
    def listed(retrieved, relevant, k): return len({*retrieved[:k]} & {*relevant}) / k
    assert audit(listed, "P@10").shape == "retrieved relevant k" and audit(listed, "P@10")
    assert audit(ndcg, "nDCG@10").shape == audit(lambda r, n: ndcg(r, n), "nDCG@10").shape == "grades k"
    assert not audit(listed, "P@10", shape="relevant retrieved k")


def test_verdict_mentions_that_some_cases_fail():
    found = audit(ap_of(RANKED["condensed"]), "AP@10")
    assert not found and "It computes the definition with default conventions, but not in every case." in repr(found)


def test_arguments_can_be_arrays_in_any_order():
    def of_arrays(y_score, k, y_true):
        order = np.argsort(-y_score, kind="stable")
        return np.float32(ndcg(y_true[order].tolist(), k))

    assert audit(of_arrays, "nDCG@10", shape="score k true").mistake == "ties-as-given"


@pytest.mark.parametrize(
    ("f", "words"),
    [(lambda r, k: None, "returns None"), (lambda r, k: 1 / 0, "ZeroDivisionError"), (lambda r, k: [0.5, 0.5], "2 numbers instead of one"),
     (lambda r, k: "high", "not a number"), (lambda r, k: r.sort() or ndcg(r, k), "changes its arguments")],
)  # fmt: skip
def test_exceptions_and_invalid_values_are_findings(f, words):
    found = audit(f, "nDCG@10")
    assert not found.passed and words in repr(found)


def test_a_convention_of_a_tool_passes_where_it_is_accepted():
    def of_list(grades, k):
        best = dcg(sorted(grades[:k], reverse=True))
        return dcg(grades[:k]) / best if best else 0.0

    refused = audit(of_list, "nDCG@10")
    assert not refused and refused.mistake == "ideal-of-hits" and "by the definition, nDCG@" in refused.counterexample
    assert audit(of_list, "nDCG@10", accept=Conventions(measures=(("nDCG", "ideal_from", "top"),)))
    assert not audit(of_list, "nDCG@10", accept="elasticsearch")


def test_the_counterexample_is_the_smallest_case():
    assert audit(lambda grades, k: sum(grades[:k]) / max(len(grades[:k]), 1), "P@10").counterexample.startswith("grades [1, 0], k=3")


def test_the_natural_logarithm_is_a_mistake_in_dcg_and_none_in_ndcg():
    def natural(grades):
        return sum(g / np.log(i + 2) for i, g in enumerate(grades))

    assert audit(lambda r, k: natural(r[:k]), "DCG@10").mistake == "discount-natural-logarithm"
    assert audit(lambda r, k: natural(r[:k]) / (natural(sorted(r, reverse=True)[:k]) or 1), "nDCG@10").passed


@pytest.mark.parametrize("shape", ["", "ids k", "grades grades", "k", "grades true k"])
def test_a_shape_that_there_is_not_is_one_clear_error(shape):
    with pytest.raises(ValueError, match="the shape must be"):
        audit(ndcg, "nDCG@10", shape=shape)
    assert {*read_shape("qrels run k")} - {"k"} in SHAPES


def test_a_program_is_audited_by_its_answers_to_the_vectors():
    assert audit_answers({"RR": {"example": 1, "second@1": 0.5}}, VECTORS)[0].mistakes == ("rr-not-cut",)
    assert audit_answers({"AP": {"example": "error"}}, VECTORS)[0].passed is False
    with pytest.raises(ValueError, match="has no test vectors for"):
        audit_answers({"XX": {}}, VECTORS)


def test_nan_for_unjudged_documents_does_not_fail_the_audit():
    def with_arrays(r, k):
        r = np.asarray(r, dtype=float)
        discount = 1 / np.log2(np.arange(2, len(r[:k]) + 2))
        best = (np.sort(r)[::-1][:k] * discount).sum()
        return (r[:k] * discount).sum() / best if best else 0.0

    found = audit(with_arrays, "nDCG@10")
    assert found and "unjudged documents: gives nan" in repr(found)


# ---- functions that cut the list ----

CUTOFFS = 3, 5, 8, 10, 20, 100, 1000
# No run changes NumRel; a geometric mean has no value for a single query; a function of qrels and a run has no subtopics.
KINDS_OF_RUNS = [name for name, kind in KINDS.items() if kind.built_in and not kind.of_subtopics and name not in ("NumRel", "GMAP", "GMBpref")]
WITH_K = [name for name in KINDS_OF_RUNS if KINDS[name].at == "k"]
VISIBLE = {"RBP": 20, "RBPresidual": 20, "NERR10": 20}  # after rank 100 there is at most 0.8 ** 100 = 2e-10
VISIBLE |= {"Compat": 100} | dict.fromkeys("INST INSQ BPM SDCG NERR8 NERR9 NERR11 xinfAP infNDCG".split(), 100)  # of 1,000 ranks at most


USUAL = "P AP RR nDCG ERR RBP".split()  # for which every cut is tried


def cuts(name):
    "The visible cuts of a usual measure. Of the others the first and last: the list that shows the last one has no other document after the first."
    visible = [n for n in CUTOFFS if n <= VISIBLE.get(name, n)]
    return visible if name in USUAL else [visible[0], visible[-1]]


VALUES = {}  # most calls of functions that cut differently are alike


def of_package(measure, last=None, least=None):
    "A function of qrels and a run by this package. last: the length to which runs are cut; least: the greatest k that is used."
    measure = parse(measure)

    def f(qrels, run, k=None):
        asked = measure if k is None else measure @ min(k, least or k)
        cut = {q: dict(sorted(docs.items(), key=lambda pair: -pair[1])[:last]) for q, docs in run.items()}
        key = hash((repr(asked), repr(qrels), repr(cut)))
        if key not in VALUES:
            values = asked.of(judge(qrels, cut))
            counted = values[~np.isnan(values)]  # those with a pair, of PairAccuracy
            VALUES[key] = asked.kind.aggregate.f(counted) if len(counted) else np.nan
        return VALUES[key]

    return f


def at_cutoff(name, k):
    if KINDS[name].at == "recall":
        return f"{name}@0.5"
    measure = usual(name)
    return repr(measure @ k if name in WITH_K and k else measure) if measure.params or k else name


COINCIDE = {"Q@2", "Unjudged@2", "RBPresidual(p=0.8)@1"}  # two of its means over the sample of several queries

PASSED = """audit does not find a function that computes {name} only down to rank {n}: its lists have no document there that changes the value.
Add such a list to `late_cases` in forensics/cases; or, if no list can show it in 64-bit floats, add the last rank that can to VISIBLE here."""


@pytest.mark.parametrize("name", KINDS_OF_RUNS)
def test_a_right_function_that_cuts_the_list_never_passes(name):
    whole = at_cutoff(name, None)
    assert audit(of_package(whole), whole, shape="qrels run")
    for n in cuts(name):
        found = audit(of_package(whole, last=n), whole, shape="qrels run")
        assert not found, PASSED.format(name=name, n=n)
        assert found.counterexample and len(repr(found)) < 9000, (n, found)


@pytest.mark.parametrize("name", WITH_K)
def test_a_right_function_that_cuts_at_a_smaller_k_never_passes(name):
    whole, asked = at_cutoff(name, None), at_cutoff(name, 10)
    assert audit(of_package(whole), asked, shape="qrels run k")
    for n in cuts(name):
        assert not audit(of_package(whole, least=n), asked, shape="qrels run k"), PASSED.format(name=name, n=n)


@pytest.mark.parametrize(("name", "k"), [(name, k) for name in WITH_K for k in ((5, 10, 100, 1000) if name in USUAL else (10, 1000))])
def test_audit_detects_a_different_fixed_cutoff(name, k):
    asked = at_cutoff(name, k)
    assert audit(of_package(asked), asked, shape="qrels run")
    for n in (3, 4, 9, 50, 99, 101, 999, 1001):
        if abs(n - k) < k / 2 + 1 and max(n, k) <= VISIBLE.get(name, 1001):
            assert not audit(of_package(at_cutoff(name, n)), asked, shape="qrels run"), PASSED.format(name=asked, n=n)


@declare("Second", aggregate=MEAN, question="How soon does the n-th relevant document come?")
def second(ranking: Judged, /, *, k: int | None = None, nth: int = 2):
    hits = ranking.found(1, k)
    chosen = hits.only(cumcount(hits.query) == nth - 1)
    yield chosen, 1 / chosen.rank


@pytest.mark.parametrize("nth, above", [(1, 0), (2, 1), (3, 2)])
def test_late_cases_have_as_many_earlier_documents_as_a_measure_needs(nth, above):
    measure = second.measure(nth=nth)
    assert _hits_above(measure) == above
    for right in (None, 10, 1000):
        asked = measure if right is None else measure @ right
        assert audit(of_package(asked), asked, shape="qrels run")
        for n in (5, 100) if right is None else (right - 1, right + 1):
            found = audit(of_package(asked, last=n) if right is None else of_package(measure @ n), asked, shape="qrels run")
            assert not found, (right, n, found)


@pytest.mark.parametrize("name", ["RR", "AP", "nDCG", "P", "R", "Complete", "Rprec", "Bpref", "ERR", "RBP", "IPrec@0.5"])
def test_one_late_document_is_enough_for_the_usual_measures(name):
    assert _hits_above(parse(name)) == 0


def test_a_counterexample_of_a_long_list_is_short():
    found = audit(lambda grades: next((1 / i for i, g in enumerate(grades[:100], 1) if g), 0), "RR")
    assert "grades [0] * 100 + [1, 0, 0]: it gives 0.0000; by the definition, RR = 1/101" in found.counterexample


# ---- functions as other people write them ----


def of_lab_report(kind):
    "MAP, MRR or nDCG of a course whose solutions are copied: the list ends at min(k, n, R), and only grades above 0 are read."
    def f(qrels, run, k):
        values = []
        for query, judged in qrels.items():
            gains = {doc: g for doc, g in judged.items() if g > 0}
            ranked = sorted(run.get(query, {}), key=run.get(query, {}).get, reverse=True)
            length = min(k, len(ranked), len(gains))
            hits = [rank for rank, doc in enumerate(ranked[:length], 1) if doc in gains]
            best = sorted(gains.values(), reverse=True)
            if kind == "AP":
                value = sum(n / rank for n, rank in enumerate(hits, 1)) / (len(gains) or 1)
            elif kind == "RR":
                value = 1 / hits[0] if hits else 0
            else:
                value = dcg([gains.get(doc, 0) for doc in ranked[:length]]) / (dcg(best[:length]) or 1)
            values.append(value)
        return sum(values) / len(values)

    return f


@pytest.mark.parametrize("kind", ["AP", "RR", "nDCG"])
def test_a_list_that_ends_at_the_number_of_relevant_is_named(kind):
    found = audit(of_lab_report(kind), f"{kind}@100", shape="qrels run k")
    assert not found and found.mistake == f"{kind.lower()}-cut-at-relevant", found


def apk(actual, predicted, k=10):
    "AP over min(R, k), as it is known from a competition: a document counts at its first rank only."
    predicted = predicted[:k]
    score = hits = 0.0
    for i, p in enumerate(predicted):
        if p in actual and p not in predicted[:i]:
            hits += 1.0
            score += hits / (i + 1.0)
    return score / min(len(actual), k) if actual else 0.0


def test_arguments_with_other_names_are_tried_in_all_shapes():
    def recall(actual, desired, k):
        return len([doc for doc in actual[:k] if doc in desired]) / len(desired)

    found = audit(recall, "R@10")
    assert found and found.shape == "retrieved relevant k" and "called with the shape 'retrieved relevant k'" in repr(found)
    found = audit(apk, "AP@10")
    assert not found and found.shape == "relevant retrieved k" and found.mistakes == ("ap-over-min-r-k",), found
    assert audit(apk, "AP@10", accept=Conventions(measures=(("AP", "divisor", "min(R,k)"),)))
    assert audit(lambda y_score, y_true, k: ndcg(y_true[np.argsort(-y_score)].tolist(), k), "nDCG@10").shape == "score true k"

    def of_grades(ranking, labels, k):
        best = dcg(sorted(labels.values(), reverse=True)[:k])
        return dcg([labels.get(doc, 0) for doc in ranking[:k]]) / best if best else 0.0

    assert audit(of_grades, "nDCG@10").shape == "retrieved judgments k"
    assert audit(of_grades, "nDCG@10", shape="retrieved judgments k")


def test_a_function_that_no_shape_fits_is_an_error_and_no_verdict():
    with pytest.raises(ValueError, match=r"raises an exception with every shape that was tried: 'grades k' \(.*such as shape="):
        audit(lambda table, k: table.loc[k] / table.shape[0], "nDCG@10")
    with pytest.raises(ValueError, match="no shape has as many words"):
        audit(lambda a, b, c, d: 0.0, "nDCG@10")


def test_a_difference_for_grades_above_1_does_not_pass():
    said = "agrees for grades 0 and 1 only"
    total = audit(lambda r, k: sum(r[:k]) / k, "P@10")
    assert not total and said in repr(total)
    exponential = audit(lambda grades, k: ndcg([2**g - 1 for g in grades], k), "nDCG@10")
    assert not exponential and said in repr(exponential) and exponential.to_dict()["agrees_for_binary"]
    assert audit(lambda grades, k: ndcg([2**g - 1 for g in grades], k), "nDCG(gain='exp')@10")
    assert said not in repr(audit(lambda r, k: sum(r[:k]) / min(k, len(r)), "P@10"))
    in_run = of_queries(lambda grades, docs, k: sum(grades.get(d, 0) for d in docs) / k)
    assert said in repr(audit(in_run, "P@10", shape="qrels run k"))


def test_conventions_and_tools_match_the_findings():
    def perfect_if_nothing(grades, k):
        return ndcg(grades, k) if any(g > 0 for g in grades) else 1.0

    found = audit(perfect_if_nothing, "nDCG@10")
    assert found and found.conventions.no_relevant == "one" and "trec_eval" not in found.tools
    given = audit(lambda true, score, k: ndcg(true[np.argsort(-score, kind="stable")].tolist(), k), "nDCG@10")
    assert given and given.conventions.ties == "given" and "ranx" in given.tools and "trec_eval" not in given.tools
    by_id = audit(of_package("AP"), "AP@10", shape="qrels run k")
    assert by_id.conventions == Conventions() and "trec_eval-c" in by_id.tools and "trec_eval" not in by_id.tools
    skipped = of_queries(lambda grades, docs, k: sum(grades.get(d, 0) >= 1 for d in docs) / k)
    answered = audit(lambda qrels, run, k: skipped({q: qrels[q] for q in qrels if q in run}, run, k), "P@10")
    assert answered.conventions.missing == "skip" and "trec_eval" in answered.tools and "trec_eval-c" not in answered.tools
    assert "negative grades: count as a negative gain" in repr(found) and found.conventions.negative == "keep"


def test_values_that_are_only_short_are_not_called_rounded():
    assert "decimals" not in repr(audit(lambda grades, k: float(any((g or 0) >= 1 for g in grades[:k])), "Success@10"))
    assert "decimals: at most four" in repr(audit(lambda grades, k: round(ndcg(grades, k), 4), "nDCG@10"))


# ---- the mean over queries ----

WORTH = None, 0, 0.25, 0.5, 1  # of a missing query, and of a query without relevant documents; None: left out


# A query without a pair has no PairAccuracy, whatever it is worth.
@pytest.mark.parametrize("name", [name for name in KINDS_OF_RUNS if KINDS[name].aggregate.name == "the mean" and name != "PairAccuracy"])
def test_no_two_means_of_the_sample_of_several_queries_coincide(name):
    qrels, run = _several_queries()
    queries = list(qrels)
    missing = sum(q not in run for q in queries)
    nothing = sum(not any(qrels[q].values()) for q in queries)
    others = sum(q not in qrels for q in run)
    assert missing and nothing and others
    for k in (None, 1, 2, 3, 5, 10, 20, 100, 1000) if name in WITH_K else (None,):
        values = dict(zip(queries, parse(at_cutoff(name, k)).of(judge(qrels, run)).tolist()))
        if k and not any(values.values()):
            continue  # no document down to this cutoff can count
        sums = [values[q] for q in queries if q in run and any(qrels[q].values())]
        means = {"over hits": sum(sums) / sum(value > 0 for value in sums)} if min(sums) <= 0 else {}
        for worth in WORTH if KINDS[name].reads_grades else (None, 0):
            total = sum(sums) + (sum(values[q] for q in queries if not any(qrels[q].values())) if worth == 0 else nothing * (worth or 0))
            count = len(sums) + nothing * (worth is not None)
            means["of the run", worth] = total / (count + others)
            for of_missing in WORTH:
                means[worth, of_missing] = (total + missing * (of_missing or 0)) / (count + missing * (of_missing is not None))
        found = np.sort([*means.values()])
        remedy = f"two means of {at_cutoff(name, k)} over the queries of forensics/auditing coincide, so audit cannot tell them apart: change `_several_queries` there"
        least = 1e-5 if max(values.values()) > 0.01 else 1e-7  # a gain per document of 1,000 ranks
        assert len(found) > 9 and (np.diff(found).min() > least or at_cutoff(name, k) in COINCIDE), (remedy, means)


def test_score_0_25_for_missing_queries_matches_no_known_mean():
    hits = of_queries(lambda grades, docs, k: sum(grades.get(d, 0) >= 1 for d in docs) / k)
    found = audit(lambda qrels, run, k: hits(qrels, run, k) | {q: 0.25 for q in qrels if q not in run}, "P@10")
    assert not found and "which no known mean gives" in repr(found) and found.mistake == ""


def of_pytrec_eval(name):
    def f(qrels, run):
        return {q: values[name] for q, values in pytrec_eval.RelevanceEvaluator(qrels, {name}).evaluate(run).items()}

    return f


@pytest.mark.parametrize("name, measure", [
    ("map", "AP"), ("map_cut_10", "AP@10"), ("map_cut_1000", "AP@1000"), ("ndcg", "nDCG"), ("ndcg_cut_10", "nDCG@10"), ("ndcg_cut_100", "nDCG@100"),
    ("recip_rank", "RR"), ("P_5", "P@5"), ("P_20", "P@20"), ("recall_100", "R@100"), ("success_10", "Success@10"), ("bpref", "Bpref"), ("Rprec", "Rprec")])  # fmt: skip
def test_measures_of_pytrec_eval_pass(name, measure):
    found = audit(of_pytrec_eval(name), measure, shape="qrels run")
    assert found and found.mistake == "mean-over-answered", found  # pytrec_eval returns no values of missing queries


def test_ndcg_of_scikit_learn_passes_and_its_first_documents_do_not():
    assert audit(lambda true, score, k: ndcg_score([true], [score], k=k), "nDCG@10", shape="true score k")
    assert audit(lambda true, score: ndcg_score([true], [score]), "nDCG", shape="true score")
    assert not audit(lambda true, score, k: ndcg_score([true[:500]], [score[:500]], k=k), "nDCG@10", shape="true score k")


def hits_in(retrieved, relevant, k):
    return [doc in relevant for doc in retrieved[:k]]


# Right and wrong functions of (retrieved, relevant, k), as libraries for recommenders and articles have them.
OF_IDS = {
    "R@10 sets": ("R@10", lambda found, relevant, k: len({*found[:k]} & {*relevant}) / len(relevant), True),
    "R@10 rounded": ("R@10", lambda found, relevant, k: round(sum(hits_in(found, relevant, k)) / len(relevant), 2), False),
    "P@10 of k": ("P@10", lambda found, relevant, k: sum(hits_in(found, relevant, k)) / k, True),
    "P@10 of list": ("P@10", lambda found, relevant, k: sum(hits_in(found, relevant, k)) / len(found[:k]), False),
    "RR@10 index": ("RR@10", lambda found, relevant, k: max([1 / i for i, hit in enumerate(hits_in(found, relevant, k), 1) if hit], default=0), True),
    "RR@10 of 20": ("RR@10", lambda found, relevant, k: max([1 / i for i, hit in enumerate(hits_in(found, relevant, 20), 1) if hit], default=0), False),
    "AP@10 over hits": ("AP@10", lambda found, relevant, k: np.mean([sum(hits_in(found, relevant, i)) / i for i, hit in enumerate(hits_in(found, relevant, k), 1) if hit] or [0]), False),
    "AP@10 over R": ("AP@10", lambda found, relevant, k: sum(sum(hits_in(found, relevant, i)) / i for i, hit in enumerate(hits_in(found, relevant, k), 1) if hit) / len(relevant), True),
    "Success@10 any": ("Success@10", lambda found, relevant, k: float(any(hits_in(found, relevant, k))), True),
    "nDCG@10 binary": ("nDCG@10", lambda found, relevant, k: dcg(hits_in(found, relevant, k)) / dcg([1] * min(k, len(relevant))) if relevant else 0, True),
    "nDCG@10 full ideal": ("nDCG@10", lambda found, relevant, k: dcg(hits_in(found, relevant, k)) / dcg([1] * k), False),
    "nDCG@10 of 100": ("nDCG@10", lambda found, relevant, k: dcg(hits_in(found[:100], relevant, k)) / dcg([1] * min(k, len(relevant))) if relevant else 0, False),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_IDS)
def test_functions_of_two_lists_of_ids_pass_if_they_are_right(name):
    measure, f, right = OF_IDS[name]
    found = audit(f, measure, shape="retrieved relevant k")
    assert found.passed == right, found
    assert right or found.counterexample


def test_a_function_may_fail_for_long_lists_but_not_for_others():
    def recursive(grades, k=1001):
        return 0.0 if not grades or not k else 1.0 if (grades[0] or 0) >= 1 else recursive(grades[1:], k - 1) and 1.0

    found = audit(recursive, "Success@10", shape="grades k")
    assert found and "more than 100 documents: raises RecursionError" in repr(found)

    def of_table(grades, k):
        return sum(g * [1, 0.63, 0.5, 0.43][i] for i, g in enumerate(grades[:k]))

    assert not audit(of_table, "DCG@10", shape="grades k")
