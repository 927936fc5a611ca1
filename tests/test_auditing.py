"A function is told what it computes: the functions make each named mistake, by the exact implementation or in a few lines."

from fractions import Fraction
from math import log2
from pathlib import Path

import numpy as np
import pytest
from exact.evaluation import evaluate as exactly
from exact.mistakes import MISTAKES as EXACT

from irmetrics_nb import Conventions, audit, judge, parse
from irmetrics_nb.core.measures import KINDS
from irmetrics_nb.forensics.auditing import SHAPES, audit_answers, read_shape
from irmetrics_nb.forensics.mistakes import MISTAKES

VECTORS = Path(__file__).parent.parent / "conformance" / "measures"
HARMLESS = {"ties-as-given", "gain-binary", "mean-over-answered"}


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


@pytest.mark.parametrize("name", [name for name in MISTAKES if name != "duplicates-counted"])
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

    assert audit(recall, "R@10", shape="retrieved relevant k").mistake == "duplicates-counted"
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


def test_it_is_said_if_a_binary_measure_was_asked_about_grades_0_and_1_alone():
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
def test_err_is_right_with_a_largest_grade_that_is_accepted_said_or_that_of_its_list(scale, measure, accept):
    found = audit(err_with(scale), measure, accept=accept)
    assert found, found
    assert "NOT" not in repr(found)


def test_err_is_wrong_with_another_largest_grade_than_the_measure_says():
    assert not audit(err_with(4), "ERR(max_grade=3)@10") and not audit(err_with(None), "ERR(max_grade=4)@10")


def test_the_names_of_parameters_say_their_shape():
    found = audit(ap_of(RANKED["right"]), "AP@10")
    assert found and found.shape == "qrels run k"
    def listed(retrieved, relevant, k): return len({*retrieved[:k]} & {*relevant}) / k
    assert audit(listed, "P@10").shape == "retrieved relevant k" and audit(listed, "P@10")
    assert audit(ndcg, "nDCG@10").shape == audit(lambda r, n: ndcg(r, n), "nDCG@10").shape == "grades k"
    assert not audit(listed, "P@10", shape="relevant retrieved k")


def test_a_function_that_fails_at_an_edge_is_not_said_to_compute_the_definition_without_a_but():
    found = audit(ap_of(RANKED["condensed"]), "AP@10")
    assert not found and "It computes the definition with default conventions, but not in every case." in repr(found)


def test_arguments_may_stand_in_any_order_and_come_as_arrays():
    def of_arrays(y_score, k, y_true):
        order = np.argsort(-y_score, kind="stable")
        return np.float32(ndcg(y_true[order].tolist(), k))

    assert audit(of_arrays, "nDCG@10", shape="score k true").mistake == "ties-as-given"


@pytest.mark.parametrize(
    ("f", "words"),
    [(lambda r, k: None, "returns None"), (lambda r, k: 1 / 0, "ZeroDivisionError"), (lambda r, k: [0.5, 0.5], "2 numbers instead of one"),
     (lambda r, k: "high", "not a number"), (lambda r, k: r.sort() or ndcg(r, k), "changes its arguments")],
)  # fmt: skip
def test_what_is_no_answer_is_a_finding_and_no_error_of_ours(f, words):
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


def test_a_function_that_gives_nan_for_what_nobody_judged_is_not_accused():
    def with_arrays(r, k):
        r = np.asarray(r, dtype=float)
        discount = 1 / np.log2(np.arange(2, len(r[:k]) + 2))
        best = (np.sort(r)[::-1][:k] * discount).sum()
        return (r[:k] * discount).sum() / best if best else 0.0

    found = audit(with_arrays, "nDCG@10")
    assert found and "unjudged documents: gives nan" in repr(found)


# ---- functions that cut the list ----

CUTOFFS = 3, 5, 8, 10, 20, 100, 1000
# No run changes NumRel; a geometric mean has no value for a single query.
KINDS_OF_RUNS = [name for name, kind in KINDS.items() if kind.built_in and name not in ("NumRel", "GMAP", "GMBpref")]
WITH_K = [name for name in KINDS_OF_RUNS if KINDS[name].at == "k"]
VISIBLE = {"RBP": 20}  # after rank 100 there is at most 0.8 ** 100 = 2e-10


def of_package(measure, last=None, least=None):
    "A function of qrels and a run by this package. last: the length to which runs are cut; least: the greatest k that is used."
    measure = parse(measure)

    def f(qrels, run, k=None):
        asked = measure if k is None else measure @ min(k, least or k)
        cut = {q: dict(sorted(docs.items(), key=lambda pair: -pair[1])[:last]) for q, docs in run.items()}
        return asked.kind.aggregate.f(asked.of(judge(qrels, cut)))

    return f


def at_cutoff(name, k):
    return f"{name}@0.5" if KINDS[name].at == "recall" else f"{name}@{k}" if name in WITH_K and k else name


@pytest.mark.parametrize("name", KINDS_OF_RUNS)
def test_a_right_function_that_cuts_the_list_never_passes(name):
    whole = at_cutoff(name, None)
    assert audit(of_package(whole), whole, shape="qrels run")
    for n in CUTOFFS:
        if n <= VISIBLE.get(name, n):
            found = audit(of_package(whole, last=n), whole, shape="qrels run")
            assert not found and found.counterexample and len(repr(found)) < 9000, (n, found)


@pytest.mark.parametrize("name", WITH_K)
def test_a_right_function_that_cuts_at_a_smaller_k_never_passes(name):
    assert audit(of_package(name), f"{name}@10", shape="qrels run k")
    for n in CUTOFFS:
        if n <= VISIBLE.get(name, n):
            assert not audit(of_package(name, least=n), f"{name}@10", shape="qrels run k"), n


@pytest.mark.parametrize("name", WITH_K)
@pytest.mark.parametrize("k", [5, 10, 100, 1000])
def test_a_function_of_one_cutoff_is_asked_longer_lists(name, k):
    asked = f"{name}@{k}"
    assert audit(of_package(asked), asked, shape="qrels run")
    for n in (3, 4, 9, 50, 99, 101, 999, 1001):
        if abs(n - k) < k / 2 + 1 and max(n, k) <= VISIBLE.get(name, 1001):
            assert not audit(of_package(f"{name}@{n}"), asked, shape="qrels run"), n


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
