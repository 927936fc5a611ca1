"""Bugs of programs by name, in exact numbers. The vectors do not tell them apart from other mistakes, so they are not in `mistakes`."""

from fractions import Fraction
from functools import partial

from exact.arithmetic import exact, logarithm, over
from exact.evaluation import Mistake
from exact.measures import MEASURES, discounted_gain, gain_of, number_relevant, ranks_of_relevant, reciprocal_rank
from exact.mistakes import SCORED

RANKED = "P R AP RR Success CG DCG nDCG"


def with_scores_as_text(judgments, run):
    texts = sorted({str(float(score)) for _, _, score in run})
    return judgments, [[query, document, texts.index(str(float(score)))] for query, document, score in run]


def without_first_results(judgments, run):
    "The first document of a query has the highest score, and of these the greatest id."
    first = {query: max((score, document) for q, document, score in run if q == query) for query, _, _ in run}
    return judgments, [row for row in run if (row[2], row[1]) != first[row[0]]]


def with_grades_over_largest(judgments, run):
    largest = max([0, *(exact(grade) for _, _, grade in judgments)]) or 1
    return [[query, document, exact(grade) / largest] for query, document, grade in judgments], run


def without_rank(measure, last, ranking, *, k=None, **parameters):
    "The document at rank 1, or at the last rank of the top k, counts as not relevant."
    grades = list(ranking.grades)
    n = len(grades[:k])
    if n:
        grades[n - 1 if last else 0] = None
    return MEASURES[measure].definition(ranking._replace(grades=tuple(grades)), k=k, **parameters)


def for_each(last):
    return {measure: partial(without_rank, measure, last) for measure in RANKED.split()}


def rr_one_late(ranking, *, k=None, rel):
    return 1 / (1 / reciprocal_rank(ranking, k=k, rel=rel) + 1) if reciprocal_rank(ranking, k=k, rel=rel) else Fraction(0)


def ap_one_late(ranking, *, k=None, divisor, tied, rel):
    ranks = ranks_of_relevant(ranking, k, rel)
    return over(sum((Fraction(n, i + 1) for n, i in enumerate(ranks, 1)), Fraction(0)), number_relevant(ranking, rel=rel))


def ap_without_hits(ranking, *, k=None, divisor, tied, rel):
    ranks = ranks_of_relevant(ranking, k, rel)
    return over(sum((Fraction(1, i) for i in ranks), Fraction(0)), number_relevant(ranking, rel=rel))


def gain_over(divisor):
    def total(grades, k):
        return sum((gain_of(grade, "linear") / divisor(i) for i, grade in enumerate(grades[:k], 1)), Fraction(0))

    def dcg(ranking, *, k=None, **_):
        return total(ranking.grades, k)

    def ndcg(ranking, *, k=None, **_):
        return over(total(ranking.grades, k), max(total(sorted(ranking.judged, reverse=True), k), 0))

    return {"DCG": dcg, "nDCG": ndcg}


def ndcg_of_whole_list(ranking, *, k=None, **_):
    best = discounted_gain(sorted(ranking.judged, reverse=True), k, "linear", "log2", 2)
    return over(discounted_gain(ranking.grades, None, "linear", "log2", 2), max(best, 0))


BUGS = {
    "scores-as-text": Mistake(SCORED, "Scores are sorted as text.", rows=with_scores_as_text),
    "first-result-dropped": Mistake(SCORED, "The first result is removed.", rows=without_first_results),
    "first-rank-skipped": Mistake(RANKED, "Rank 1 does not count.", definition=for_each(last=False)),
    "last-rank-skipped": Mistake(RANKED, "The last rank of the top k does not count.", definition=for_each(last=True)),
    "rr-one-late": Mistake("RR", "1 / (rank + 1).", definition=rr_one_late),
    "ap-one-late": Mistake("AP", "Precision at a hit over rank + 1.", definition=ap_one_late),
    "ap-without-hits": Mistake("AP", "1 / rank at each hit.", definition=ap_without_hits),
    "discount-log10": Mistake("DCG", "Divided by log10(i + 1).", definition=gain_over(lambda i: logarithm(i + 1, 10))),
    "discount-rank": Mistake("DCG nDCG", "Divided by the rank.", definition=gain_over(lambda i: i)),
    "gain-over-largest": Mistake("CG DCG", "Gains over the largest gain.", rows=with_grades_over_largest),
    "list-not-cut": Mistake("nDCG", "Only the ideal ranking is cut.", definition=ndcg_of_whole_list),
}
