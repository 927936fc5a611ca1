"""What people compute instead, by name.

Where a mistake comes to the same as a convention, `same_as` says which; then it has no code here."""

from fractions import Fraction

from exact.arithmetic import logarithm, over
from exact.evaluation import NAN, Mistake, of_labels
from exact.measures import (
    MEASURES,
    average_precision,
    discounted_gain,
    gain_of,
    hits,
    is_relevant,
    number_relevant,
    precision,
    ranks_of_relevant,
    recall,
    reciprocal_rank,
    success,
)

EVALUATED = {name: measure for name, measure in MEASURES.items() if measure.input == "run"}
RELEVANCE = " ".join(name for name, measure in EVALUATED.items() if "rel" in measure.parameters)
AVERAGED = " ".join(name for name, measure in EVALUATED.items() if measure.total == "mean")
ABOVE_ZERO = " ".join(name for name in AVERAGED.split() if name != "RBPresidual")  # which can be 0
SCORED = " ".join(name for name in EVALUATED if name != "NumRel")  # which no run changes
ORDERED = " ".join(name for name in SCORED.split() if EVALUATED[name].has_best_order)

# ---- data ----


def without_zero_scores(judgments, run):
    return judgments, [row for row in run if row[2] > 0]


def with_whole_grades(judgments, run):
    return [(query, document, int(grade)) for query, document, grade in judgments], run


def judged_for_any_query(judgments, run):
    "Every query gets the judgments of all others, but for documents that it has itself."
    queries = dict.fromkeys(query for query, _, _ in judgments)
    more = []
    for query in queries:
        known = {document for q, document, _ in judgments if q == query}
        for _, document, grade in judgments:
            if document not in known:
                more.append((query, document, grade))
                known.add(document)
    return [*judgments, *more], run


# ---- means ----


def of_hits_only(values, run):
    return {query: value for query, value in values.items() if value != NAN and value > 0}


def of_the_run(values, run):
    "The queries of the run; one that has no judgments scores 0."
    return {query: values.get(query, Fraction(0)) for query in run}


def reciprocal_of_mean_rank(measure, values):
    "Of the queries that have a hit: at rank 1 / RR."
    ranks = [1 / value for value in values.values() if value > 0]
    return over(Fraction(len(ranks)), sum(ranks))


# ---- definitions ----


def hits_over_list(ranking, *, k=None, divisor, rel):
    return over(hits(ranking, k=k, rel=rel), len(ranking.grades))


def hits_over_k(ranking, *, k=None, divisor, rel):
    return precision(ranking, k=k, divisor="k", rel=rel)


def recall_of_top(ranking, *, k=None, divisor, rel):
    return recall(ranking, k=k, rel=rel)


def recall_of_list(ranking, *, k=None, divisor, rel):
    return recall(ranking, rel=rel)


def any_hit(ranking, *, k=None, divisor, rel):
    return success(ranking, k=k, rel=rel)


def first_rank_of_list(ranking, *, k=None, rel):
    return reciprocal_rank(ranking, rel=rel)


def mean_reciprocal_of_positives(ranking, *, k=None, rel):
    ranks = ranks_of_relevant(ranking, k, rel)
    return over(sum((Fraction(1, i) for i in ranks), Fraction(0)), len(ranks))


def average_precision_of_hits(ranking, *, k=None, rel):
    return average_precision(ranking, k=k, divisor="retrieved", rel=rel)


def average_precision_over_list(ranking, *, k=None, divisor, tied, rel):
    total = average_precision(ranking, k=k, rel=rel) * number_relevant(ranking, rel=rel)
    return over(total, len(ranking.grades[:k]))


def precision_of_top(ranking, *, k=None, divisor, tied, rel):
    return precision(ranking, k=k, divisor="k", rel=rel)


def first_hit_over_r(ranking, *, k=None, divisor, tied, rel):
    "The guard compares labels: the second 1 of [1, 0, 1] counts as a document that was there before."
    R = number_relevant(ranking, rel=rel)
    first = ranks_of_relevant(ranking, k, rel)[:1]
    return over(sum((Fraction(1, i) for i in first), Fraction(0)), R if k is None else min(R, k))


def beta_not_squared(ranking, *, k=None, beta, rel):
    p, r = precision(ranking, k=k, divisor="k", rel=rel), recall(ranking, k=k, rel=rel)
    return over((1 + beta) * p * r, beta * p + r)


def beta_before_bracket(ranking, *, k=None, beta, rel):
    p, r = precision(ranking, k=k, divisor="k", rel=rel), recall(ranking, k=k, rel=rel)
    return over((1 + beta**2) * p * r, beta**2 * (p + r))


def with_gains_mixed(of_list, of_ideal):
    "nDCG whose list has one gain and whose ideal ranking has another."

    def definition(ranking, *, k=None, **_):
        best = discounted_gain(sorted(ranking.judged, reverse=True), k, of_ideal, "log2", 2)
        return over(discounted_gain(ranking.grades, k, of_list, "log2", 2), max(best, 0))

    return definition


def gain_one_late(grades, k):
    "Divided by log2(i + 2): ranks counted from 1, put into the formula for ranks from 0."
    return sum((gain_of(grade, "linear") / logarithm(i + 2, 2) for i, grade in enumerate(grades[:k], 1)), Fraction(0))


def dcg_one_late(ranking, *, k=None, **_):
    return gain_one_late(ranking.grades, k)


def ndcg_one_late(ranking, *, k=None, **_):
    return over(dcg_one_late(ranking, k=k), max(gain_one_late(sorted(ranking.judged, reverse=True), k), 0))


def last_rank(ranking, k, rel):
    "min(k, n, R)"
    relevant = sum(is_relevant(grade, rel) for grade in ranking.judged)
    return min(len(ranking.grades[:k]), relevant)


def ap_cut_at_relevant(ranking, *, k=None, divisor, tied, rel):
    return average_precision(ranking, k=last_rank(ranking, k, rel), rel=rel)


def rr_cut_at_relevant(ranking, *, k=None, rel):
    return reciprocal_rank(ranking, k=last_rank(ranking, k, rel), rel=rel)


def ndcg_cut_at_relevant(ranking, *, k=None, **_):
    "List and ideal both end at min(k, n, R)."
    last = last_rank(ranking, k, 1)
    best = discounted_gain(sorted(ranking.judged, reverse=True), last, "linear", "log2", 2)
    return over(discounted_gain(ranking.grades, last, "linear", "log2", 2), max(best, 0))


def ndcg_of_judgments_as_given(ranking, *, k=None, gain, discount, b, cut_ideal, ideal_from):
    best = discounted_gain(ranking.judged, k if cut_ideal else None, gain, discount, b)
    return over(discounted_gain(ranking.grades, k, gain, discount, b), max(best, 0))


def one_class_is_zero(case, answers):
    "The mean of the AUC of every group; a group without positives or without negatives has 0."
    groups = sorted(set(case["groups"]))
    total = Fraction(0)
    for group in groups:
        members = [i for i, each in enumerate(case["groups"]) if each == group]
        own = {name: [case[name][i] for i in members] for name in ("labels", "scores")}
        value = of_labels(own, answers)
        total += 0 if value == NAN else value
    return total / len(groups)


# ---- by name ----

MISTAKES = {
    "duplicates-counted": Mistake(
        SCORED,
        "A document that the run holds twice earns twice: recall 2, AP 2, nDCG 1.63. Judged twice, the last row counts.",
        answers={"duplicates": "counted"},
    ),
    "mean-over-answered": Mistake(
        AVERAGED, "A judged query that the run does not answer is left out of the mean.", same_as={"missing": "skip"}
    ),
    "mean-over-hits": Mistake(
        ABOVE_ZERO, "The mean is taken over the queries whose value is above 0.", queries=of_hits_only
    ),
    "mean-over-run": Mistake(
        AVERAGED,
        "The mean is taken over the queries of the run: one without judgments scores 0, one without an answer is left out.",
        queries=of_the_run,
    ),
    "ties-as-given": Mistake(
        SCORED, "Documents with equal scores stand in the order of the input.", same_as={"ties": "given"}
    ),
    "ties-at-best": Mistake(
        ORDERED,
        "Documents with equal scores stand in the best order: a constant score has an RR of 1.",
        same_as={"ties": "best"},
    ),
    "scores-above-zero-only": Mistake(
        SCORED, "A document with a score of 0 or less counts as not retrieved.", rows=without_zero_scores
    ),
    "greater-for-at-least": Mistake(
        RELEVANCE,
        "A document is relevant if its grade is above 1, not from 1 on; with whole grades that is rel=2.",
        answers={"rel": 1.000000001},
    ),
    "whole-grades": Mistake(
        "CG DCG nDCG ERR", "Grades are cut to whole numbers: 1.5 is 1, 0.5 is 0.", rows=with_whole_grades
    ),
    "gain-binary": Mistake(
        "CG DCG nDCG", "Graded judgments count as relevant or not.", same_as={"gain": "binary"}
    ),
    "p-over-returned": Mistake(
        "P", "Hits are divided by min(k, n), the documents that came back.", same_as={"divisor": "min(k,n)"}
    ),
    "p-over-likes": Mistake(
        "P", "Hits are divided by min(k, R): an ideal list has precision 1.", same_as={"divisor": "min(R,k)"}
    ),
    "p-over-list": Mistake(
        "P", "Hits of the top k are divided by the length of the whole list.", definition=hits_over_list
    ),
    "p-is-recall": Mistake("P", "Precision and recall have each other's name.", definition=recall_of_top),
    "r-is-precision": Mistake("R", "Hits are divided by k: precision under the name of recall.", definition=hits_over_k),
    "r-is-success": Mistake("R", "1 if the top k holds a hit: success under the name of recall.", definition=any_hit),
    "r-not-cut": Mistake("R", "The cutoff is ignored: recall of the whole list.", definition=recall_of_list),
    "r-capped": Mistake(
        "R", "Hits are divided by min(R, k): an ideal list has recall 1.", same_as={"divisor": "min(R,k)"}
    ),
    "f-beta-not-squared": Mistake(
        "F SetF",
        "beta stands where beta^2 should: (1 + b) P R / (b P + R).",
        beside={"beta": 2},
        definition=beta_not_squared,
    ),
    "f-beta-before-bracket": Mistake(
        "F SetF",
        "The misprint (1 + b^2) P R / (b^2 (P + R)).",
        beside={"beta": 2},
        definition=beta_before_bracket,
    ),
    "judged-for-any-query": Mistake(
        "Judged", "A document counts as judged if it is so for any query.", rows=judged_for_any_query
    ),
    "ap-over-hits": Mistake(
        "AP", "Divided by the relevant documents found, not by all there are.", same_as={"divisor": "retrieved"}
    ),
    "ap-over-min-r-k": Mistake("AP", "Divided by min(R, k).", same_as={"divisor": "min(R,k)"}),
    "ap-over-list": Mistake(
        "AP", "Divided by the number of documents looked at.", definition=average_precision_over_list
    ),
    "ap-guard-on-labels": Mistake(
        "AP",
        "A guard against duplicates gets labels instead of ids, and counts the first hit only, over min(R, k).",
        definition=first_hit_over_r,
    ),
    "ap-cut-at-relevant": Mistake("AP", "The list ends at min(k, n, R).", definition=ap_cut_at_relevant),
    "ap-is-precision": Mistake("AP", "The precision of the top under the name of MAP.", definition=precision_of_top),
    "ideal-of-hits": Mistake(
        "nDCG", "The ideal ranking is made of the top k that was retrieved.", same_as={"ideal_from": "top"}
    ),
    "ideal-of-list": Mistake(
        "nDCG", "The ideal ranking is made of what the list holds.", same_as={"ideal_from": "list"}
    ),
    "ideal-as-long-as-list": Mistake(
        "nDCG", "The ideal ranking holds as many documents as came back.", same_as={"ideal_from": "found"}
    ),
    "ideal-always-full": Mistake(
        "nDCG",
        "The ideal ranking has k hits, however many documents are relevant.",
        same_as={"gain": "binary", "ideal_from": "best"},
    ),
    "ideal-as-given": Mistake(
        "nDCG", "The ideal ranking is the judgments in the order of the input.", definition=ndcg_of_judgments_as_given
    ),
    "ideal-not-cut": Mistake("nDCG", "The ideal ranking is not cut at k.", same_as={"cut_ideal": False}),
    "ideal-graded-list-binary": Mistake(
        "nDCG", "The list has binary gains, the ideal ranking grades.", definition=with_gains_mixed("binary", "linear")
    ),
    "ideal-exp-list-linear": Mistake(
        "nDCG", "The list gains g, the ideal ranking 2^g - 1.", definition=with_gains_mixed("linear", "exp")
    ),
    "ndcg-cut-at-relevant": Mistake(
        "nDCG", "List and ideal ranking both end at min(k, n, R).", definition=ndcg_cut_at_relevant
    ),
    "discount-ranks-1-and-2-alike": Mistake(
        "DCG nDCG", "Divided by log2(i) from rank 2 on, so that ranks 1 and 2 weigh 1.", same_as={"discount": "jarvelin"}
    ),
    "discount-one-late": Mistake(
        "DCG nDCG",
        "Divided by log2(i + 2), ranks counted from 1.",
        definition={"DCG": dcg_one_late, "nDCG": ndcg_one_late},
    ),
    "discount-natural-logarithm": Mistake(
        "DCG nDCG", "Divided by ln(i + 1). In nDCG that cancels.", same_as={"discount": "ln"}
    ),
    "rr-over-positives": Mistake(
        "RR", "The mean of 1/rank over all relevant documents found.", definition=mean_reciprocal_of_positives
    ),
    "rr-is-label-ranking-ap": Mistake(
        "RR", "AP over the relevant documents found, under the name of MRR.", definition=average_precision_of_hits
    ),
    "rr-cut-at-relevant": Mistake("RR", "The list ends at min(k, n, R).", definition=rr_cut_at_relevant),
    "rr-not-cut": Mistake("RR", "The cutoff is ignored.", definition=first_rank_of_list),
    "rr-of-mean-rank": Mistake(
        "RR", "1 over the mean rank of the first hit, of queries that have one.", total=reciprocal_of_mean_rank
    ),
    "gauc-one-class-is-0": Mistake(
        "GAUC", "A group without positives or without negatives counts as 0.", definition=one_class_is_zero
    ),
}


def mistakes(measure):
    "{name: mistake} of a measure."
    return {name: each for name, each in MISTAKES.items() if measure in each.measures.split()}
