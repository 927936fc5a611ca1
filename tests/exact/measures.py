"""The definition of each measure, for one ranking.

A ranking has `grades` (of the documents retrieved, in rank order, None where nobody judged the document), `scores` of the same
documents, and `judged`, all judged grades of the query. `k` is the cutoff; without one, None, the whole list counts. A document
is relevant if its grade is at least `rel`. Whatever would be divided by 0 is 0.

`MEASURES`, at the end, is the only list of measures and of the values of their parameters: an entry is all that a new measure needs
here, and a row of `MEANINGS` all that a new parameter needs."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from math import ceil, floor
from types import MappingProxyType
from typing import NamedTuple

from exact.arithmetic import exact, logarithm, mp, natural_logarithm, over, power_of_two, simplest
from exact.data import Ranking, Refused


def is_relevant(grade, rel):
    return grade is not None and grade >= rel


def count_relevant(grades, rel):
    return sum(is_relevant(grade, rel) for grade in grades)


def ranks_of_relevant(ranking, k, rel):
    "The ranks, from 1, of the relevant documents of the top k."
    return [i for i, grade in enumerate(ranking.grades[:k], 1) if is_relevant(grade, rel)]


# ---- sets ----


def hits(ranking, *, k=None, rel):
    "How many documents of the top k are relevant."
    return Fraction(len(ranks_of_relevant(ranking, k, rel)))


def number_relevant(ranking, *, rel):
    "R: how many of all judged documents are relevant."
    return Fraction(count_relevant(ranking.judged, rel))


def number_retrieved(ranking):
    return Fraction(len(ranking.grades))


def places(ranking, k):
    "How many places are looked at: k, or without a cutoff all."
    return len(ranking.grades) if k is None else k


def precision(ranking, *, k=None, divisor, rel):
    whole = places(ranking, k)
    if divisor == "min(k,n)":
        whole = min(whole, len(ranking.grades))
    if divisor == "min(R,k)":
        whole = min(whole, number_relevant(ranking, rel=rel))
    return over(hits(ranking, k=k, rel=rel), whole)


def recall(ranking, *, k=None, divisor="relevant", rel):
    whole = number_relevant(ranking, rel=rel)
    if divisor == "min(R,k)" and k is not None:
        whole = min(whole, k)
    return over(hits(ranking, k=k, rel=rel), whole)


def r_precision(ranking, *, rel):
    "The precision of the top R."
    R = int(number_relevant(ranking, rel=rel))
    return over(hits(ranking, k=R, rel=rel), R)


def f_measure(ranking, *, k=None, beta, rel):
    "(1 + beta^2) P R / (beta^2 P + R)."
    p = precision(ranking, k=k, divisor="k", rel=rel)
    r = recall(ranking, k=k, rel=rel)
    return over((1 + beta**2) * p * r, beta**2 * p + r)


def set_average_precision(ranking, *, rel):
    "Precision times recall of the whole list."
    return precision(ranking, divisor="k", rel=rel) * recall(ranking, rel=rel)


def success(ranking, *, k=None, rel):
    return Fraction(hits(ranking, k=k, rel=rel) > 0)


def complete(ranking, *, k=None, rel):
    R = number_relevant(ranking, rel=rel)
    return Fraction(R > 0 and hits(ranking, k=k, rel=rel) == R)


def judged_share(ranking, *, k=None):
    "How much of what stands in the top k is judged."
    top = ranking.grades[:k]
    return over(Fraction(sum(grade is not None for grade in top)), len(top))


def fallout(ranking, *, k=None, rel):
    "The share of all documents that are not relevant (judged so, or unjudged in the list) that the top k holds."
    unjudged = sum(grade is None for grade in ranking.grades)
    not_relevant = unjudged + len(ranking.judged) - number_relevant(ranking, rel=rel)
    return over(len(ranking.grades[:k]) - hits(ranking, k=k, rel=rel), not_relevant)


# ---- average precision and its kin ----


def precision_at(ranking, i, rel):
    return hits(ranking, k=i, rel=rel) / i


def precision_after_ties(ranking, i, k, rel):
    "The precision at rank i if all documents with the score of that rank came in at once; hits beyond k do not count."
    as_good = [j for j, score in enumerate(ranking.scores, 1) if score >= ranking.scores[i - 1]]
    return Fraction(sum(j in as_good for j in ranks_of_relevant(ranking, k, rel)), len(as_good))


def average_precision(ranking, *, k=None, divisor="relevant", tied="apart", rel):
    "The precision at each relevant document of the top k, added up, and divided by R."
    ranks = ranks_of_relevant(ranking, k, rel)
    if tied == "together":
        total = sum(precision_after_ties(ranking, i, k, rel) for i in ranks)
    else:
        total = sum(precision_at(ranking, i, rel) for i in ranks)
    R, found = number_relevant(ranking, rel=rel), len(ranks)
    top = len(ranking.grades[:k])
    whole = {"relevant": R, "min(R,k)": R if k is None else min(R, k), "min(R,n)": min(R, top), "retrieved": found}
    return over(Fraction(total), whole[divisor])


def documents_for_recall(x, R, levels):
    "How many relevant documents a recall of x needs."
    if levels == "exact":
        return max(1, ceil(exact(x) * R))
    return max(
        1, int(float(x) * int(R) + {"trec_eval9": 0.9, "trec_eval10": 0.5}[levels])
    )  # in floats, as its C code does


def interpolated_precision(ranking, *, recall=None, levels, rel):
    "The best precision at this recall or a higher one; without a recall the mean over 0, 0.1, … 1."
    if recall is None:
        return sum(interpolated_precision(ranking, recall=x / 10, levels=levels, rel=rel) for x in range(11)) / 11
    need = documents_for_recall(recall, number_relevant(ranking, rel=rel), levels)
    ranks = ranks_of_relevant(ranking, None, rel)[need - 1 :]
    return max((precision_at(ranking, i, rel) for i in ranks), default=Fraction(0))


def bpref(ranking, *, rel):
    """For each relevant document found, the share of judged documents that are not relevant and do not stand above it.

    Of those above at most R are counted, out of min(R, N); R and N are the numbers of relevant and other judged documents."""
    R = number_relevant(ranking, rel=rel)
    N = len(ranking.judged) - R
    total = Fraction(0)
    for i in ranks_of_relevant(ranking, None, rel):
        above = sum(grade is not None and not is_relevant(grade, rel) for grade in ranking.grades[: i - 1])
        total += 1 - over(min(above, R), min(R, N))
    return over(total, R)


def log_odds_of_precision(ranking, *, rel):
    "ln((1 + S) / (1 + R - S)) with the sum S of the precisions at relevant documents."
    S = sum((precision_at(ranking, i, rel) for i in ranks_of_relevant(ranking, None, rel)), Fraction(0))
    missing = 1 + number_relevant(ranking, rel=rel) - S
    if missing <= 0:  # with a mistake that counts documents twice
        raise Refused(f"the precisions sum to {S}")
    return natural_logarithm((1 + S) / missing)


def precision_at_multiple(ranking, *, multiple=None, rel):
    "The precision of the top x R + 0.9, cut to a whole number."
    places = int(float(multiple or 1) * int(number_relevant(ranking, rel=rel)) + 0.9)  # in floats, as the C code of trec_eval does
    return over(hits(ranking, k=places, rel=rel), places)


def net_relevant(ranking, *, rel):
    return 2 * hits(ranking, rel=rel) - len(ranking.grades)


def number_not_relevant(ranking, *, rel):
    return Fraction(sum(grade is not None and grade < rel for grade in ranking.grades))


def unjudged_share(ranking, *, k=None):
    unjudged = sum(grade is None for grade in ranking.grades[:k])
    return over(Fraction(unjudged), places(ranking, k))


def binary_gain(ranking, *, rel):
    "Each relevant document, divided by log2(2 + the number of others above it)."
    ranks = ranks_of_relevant(ranking, None, rel)
    total = sum((1 / logarithm(2 + i - found, 2) for found, i in enumerate(ranks, 1)), Fraction(0))
    return over(total, number_relevant(ranking, rel=rel))


# ---- gains ----


def gain_of(grade, gain):
    "What a grade is worth; an unjudged document is worth nothing."
    if grade is None:
        return Fraction(0)
    if isinstance(gain, dict):
        return Fraction(gain[grade])
    if gain == "linear":
        return grade
    if gain == "exp":
        return power_of_two(grade) - 1
    if gain == "binary":
        return Fraction(grade >= 1)
    raise ValueError(gain)


def discount_at(i, discount, b):
    "What the gain at rank i is divided by."
    if discount == "log2":
        return logarithm(i + 1, 2)
    if discount == "ln":
        return natural_logarithm(i + 1)
    if discount == "jarvelin":
        return 1 if i < b else logarithm(i, b)
    raise ValueError(discount)


def cumulated_gain(ranking, *, k=None, gain):
    return sum((gain_of(grade, gain) for grade in ranking.grades[:k]), Fraction(0))


def discounted_gain(grades, k, gain, discount, b):
    "The gains of the first k grades, each divided by the discount of its rank."
    ranked = enumerate(grades[:k], 1)
    return sum((gain_of(grade, gain) / discount_at(i, discount, b) for i, grade in ranked), Fraction(0))


def dcg(ranking, *, k=None, gain, discount, b):
    return discounted_gain(ranking.grades, k, gain, discount, b)


def ideal_grades(ranking, k, gain, ideal_from):
    "The grades of the ideal ranking, in its order."
    best_first = sorted(ranking.judged, reverse=True)
    retrieved = [grade for grade in ranking.grades if grade is not None]
    of_the_top = [grade for grade in ranking.grades[:k] if grade is not None]
    grades = {
        "judged": best_first,
        "list": retrieved,
        "top": of_the_top,
        "found": best_first[: len(ranking.grades)],
        "best": best_first[:1] * places(ranking, k),
    }[ideal_from]
    return sorted(grades, key=lambda grade: gain_of(grade, gain), reverse=True)


def ndcg(ranking, *, k=None, gain, discount, b, cut_ideal, ideal_from):
    ideal = ideal_grades(ranking, k, gain, ideal_from)
    best = discounted_gain(ideal, k if cut_ideal else None, gain, discount, b)
    return over(dcg(ranking, k=k, gain=gain, discount=discount, b=b), max(best, 0))


# ---- estimates from samples: all documents here are of one stratum, and a grade below 0 is that of a document outside of the sample ----

EPSILON = Fraction(1, 100_000)


def pooled_and_sampled(grades):
    "How many documents are in the pool, and how many of them in the sample."
    pooled = [grade for grade in grades if grade is not None]
    return len(pooled), sum(grade >= 0 for grade in pooled)


def estimated_average_precision(ranking, *, k=None, rel):
    "At each relevant document of the top k, 1 and the share of relevant ones among the sampled above it, for all pooled above it."
    total = Fraction(0)
    for i in ranks_of_relevant(ranking, k, rel):
        pooled, sampled = pooled_and_sampled(ranking.grades[: i - 1])
        share = (hits(ranking, k=i - 1, rel=rel) + EPSILON) / (sampled + 3 * EPSILON)
        total += (1 + pooled * share) / i
    return over(total, number_relevant(ranking, rel=rel))


def estimated_ndcg(ranking, *, k=None):
    "The DCG of the top k, times pooled / sampled documents in it; divided by the same of an ideal ranking of estimated counts."
    gains = [max(grade, 0) if grade is not None else None for grade in ranking.grades[:k]]
    pooled, sampled = pooled_and_sampled(ranking.grades[:k])
    found = discounted_gain(gains, k, "linear", "log2", 2) * over(Fraction(pooled), sampled)
    pooled, sampled = pooled_and_sampled(ranking.judged)
    ideal = []
    for level in sorted({grade for grade in ranking.judged if grade > 0}, reverse=True):
        expected = over(Fraction(ranking.judged.count(level) * pooled), sampled)
        ideal += [level] * floor(expected + Fraction(1, 2))
    return over(found, discounted_gain(ideal, k, "linear", "log2", 2))


# ---- readers who stop ----


def reciprocal_rank(ranking, *, k=None, rel):
    ranks = ranks_of_relevant(ranking, k, rel)
    return Fraction(1, ranks[0]) if ranks else Fraction(0)


def probability_of_relevance(grade, gain, max_grade):
    "How likely a document of this grade satisfies the reader."
    if grade is None or grade < 0:
        return Fraction(0)
    if grade > max_grade:
        raise Refused(f"grade {grade} is above the largest of the scale, {max_grade}")
    return gain_of(grade, gain) / (gain_of(max_grade, gain) + 1)


def worth_of_rank(i, phi):
    return Fraction(1, i) if phi == "reciprocal" else 1 / logarithm(i + 1, 2)


def expected_reciprocal_rank(ranking, *, k=None, max_grade, phi, gain):
    "A reader goes down the list, stops at each document with its probability, and gets what that rank is worth."
    for grade in ranking.judged:
        probability_of_relevance(grade, gain, max_grade)
    total, still_reading = Fraction(0), Fraction(1)
    for i, grade in enumerate(ranking.grades[:k], 1):
        stops = probability_of_relevance(grade, gain, max_grade)
        total += still_reading * stops * worth_of_rank(i, phi)
        still_reading *= 1 - stops
    return total


def gain_of_reader(grade, gain, rel):
    "The gain of one document in RBP: 1 if it is relevant (binary), its grade if it is (raw), or a gain in [0, 1]."
    if gain in ("binary", "raw"):
        relevant = is_relevant(grade, rel)
        return (grade if gain == "raw" else Fraction(1)) if relevant else Fraction(0)
    value = gain_of(grade, gain)
    if not 0 <= value <= 1:
        raise Refused(f"a gain of {value} lies outside of [0, 1]")
    return value


def rank_biased_precision(ranking, *, k=None, p, gain, rel):
    "A reader goes on to the next document with probability p."
    gains = [gain_of_reader(grade, gain, rel) for grade in ranking.grades[:k]]
    return (1 - p) * sum((value * p**above for above, value in enumerate(gains)), Fraction(0))


# ---- novelty: a query of a file is its only subtopic ----


def by_log2(i):
    return 1 / logarithm(i + 1, 2)


def by_rank(i):
    return Fraction(1, i)


def novel_sum(ranks, weight, alpha):
    "The j-th relevant document counts (1 - alpha)^(j - 1), times the weight of its rank."
    return sum(((1 - alpha) ** earlier * weight(i) for earlier, i in enumerate(ranks)), Fraction(0))


def novel_share(ranking, k, weight, alpha, rel):
    "The novel gain, divided by that of k relevant documents, if there is a relevant one."
    if k is None:
        raise Refused("a cutoff is needed")
    if not count_relevant(ranking.judged, rel):
        return Fraction(0)
    found = novel_sum(ranks_of_relevant(ranking, k, rel), weight, alpha)
    return over(found, novel_sum(range(1, k + 1), weight, alpha))


def novel_share_of_ideal(ranking, k, weight, alpha, rel):
    "The novel gain, divided by that of the ideal ranking."
    found = novel_sum(ranks_of_relevant(ranking, k, rel), weight, alpha)
    R = count_relevant(ranking.judged, rel)
    return over(found, novel_sum(range(1, R + 1)[:k], weight, alpha))


def alpha_dcg(ranking, *, k=None, alpha, rel):
    return novel_share(ranking, k, by_log2, alpha, rel)


def alpha_ndcg(ranking, *, k=None, alpha, rel):
    return novel_share_of_ideal(ranking, k, by_log2, alpha, rel)


def err_ia(ranking, *, k=None, alpha, rel):
    return novel_share(ranking, k, by_rank, alpha, rel)


def nerr_ia(ranking, *, k=None, alpha, rel):
    return novel_share_of_ideal(ranking, k, by_rank, alpha, rel)


def nrbp(ranking, *, alpha, beta, rel):
    found = novel_sum(ranks_of_relevant(ranking, None, rel), lambda i: beta ** (i - 1), alpha)
    return found * (1 - (1 - alpha) * beta)


def nnrbp(ranking, *, alpha, beta, rel):
    return novel_share_of_ideal(ranking, None, lambda i: beta ** (i - 1), alpha, rel)
# ---- grades, beside the ideal ranking ----


def normalised_cumulated_gain(ranking, *, k=None, gain):
    ideal = ideal_grades(ranking, k, gain, "judged")
    best = sum((gain_of(grade, gain) for grade in ideal[:k]), Fraction(0))
    return over(cumulated_gain(ranking, k=k, gain=gain), max(best, 0))


def gain_of_relevant(grades, rel):
    "The grades of the relevant documents, summed; one below 0 adds nothing."
    return sum((max(grade, 0) for grade in grades if is_relevant(grade, rel)), Fraction(0))


def q_measure(ranking, *, k=None, beta, rel):
    "AP in which each relevant document counts 1 + beta times its grade, above and in the ideal ranking."
    relevant_first = sorted((grade for grade in ranking.judged if is_relevant(grade, rel)), reverse=True)
    total = Fraction(0)
    for i in ranks_of_relevant(ranking, k, rel):
        top = ranking.grades[:i]
        total += (count_relevant(top, rel) + beta * gain_of_relevant(top, rel)) / (
            i + beta * gain_of_relevant(relevant_first[:i], rel)
        )
    R = number_relevant(ranking, rel=rel)
    return over(total, R if k is None else min(R, k))


def normalised_err(ranking, *, k=None, max_grade, gain):
    best = Ranking(tuple(sorted(ranking.judged, reverse=True)), (), ranking.judged)
    value, largest = (
        expected_reciprocal_rank(each, k=k, max_grade=max_grade, phi="reciprocal", gain=gain) for each in (ranking, best)
    )
    return over(value, largest)


def rank_biased_overlap(one, other, p, depth):
    "The documents that the first i of both rankings have in common, divided by i and weighed by p^(i - 1), for each i."
    return sum((p ** (i - 1) * Fraction(len({*one[:i]} & {*other[:i]}), i) for i in range(1, depth + 1)), Fraction(0))


def compatibility(ranking, *, p, normalize, rel):
    "The overlap with the ideal ranking: relevant documents, the best first, of equal ones those that were retrieved, in their order."
    retrieved = list(range(len(ranking.grades)))
    missed = list(ranking.judged)
    for grade in ranking.grades:
        if grade in missed:
            missed.remove(grade)
    documents = [(grade, i) for i, grade in enumerate(ranking.grades) if grade is not None]
    documents += [(grade, -1 - i) for i, grade in enumerate(missed)]  # numbers that no retrieved document has
    ideal = [document for grade, document in sorted(documents, key=lambda each: each[0], reverse=True) if grade >= rel]
    depth = max(len(retrieved), len(ideal))
    best = rank_biased_overlap(ideal, ideal, p, depth) if normalize else sum(p ** (i - 1) for i in range(1, depth + 1))
    return over(rank_biased_overlap(retrieved, ideal, p, depth), best)


def relevant_first(ranking, rel):
    return sorted((grade for grade in ranking.judged if is_relevant(grade, rel)), reverse=True)


def only_relevant(ranking, rel):
    "The grades of the list, with 0 for a document that is not relevant."
    return [grade if is_relevant(grade, rel) else Fraction(0) for grade in ranking.grades]


def delayed_gain(ranking, *, rel):
    "Each grade of a relevant document, divided by log2(2 + what the list lacks), beside an ideal list that has 1 at each rank after its end."
    ideal, gains = relevant_first(ranking, rel), only_relevant(ranking, rel)
    total = Fraction(0)
    for i in ranks_of_relevant(ranking, None, rel):
        lacking = sum(ideal[:i]) + max(i - len(ideal), 0) - sum(gains[:i])
        total += gains[i - 1] / logarithm(2 + lacking, 2)
    return over(total, sum(ideal))


def ndcg_at_relevant(ranking, *, rel):
    "DCG / IDCG at the rank of each relevant document, and at the end for each that was not retrieved."
    ideal, gains = relevant_first(ranking, rel), only_relevant(ranking, rel)
    ranks = ranks_of_relevant(ranking, None, rel)
    missed = [max(len(gains), len(ideal))] * (len(ideal) - len(ranks))
    total = Fraction(0)
    for i in (*ranks, *missed):
        total += discounted_gain(gains, i, "linear", "log2", 2) / discounted_gain(ideal, i, "linear", "log2", 2)
    return over(total, len(ideal))


def ndcg_at_levels(ranking, *, rel):
    "DCG / IDCG at each rank where a grade of the ideal ranking ends, and at the end of a list that has two ranks more, averaged."
    ideal, gains = relevant_first(ranking, rel), only_relevant(ranking, rel)
    ranks = [i for i in range(1, len(ideal) + 1) if ideal[i - 1 : i] != ideal[i : i + 1]]
    if ideal and len(gains) > len(ideal) + 1:
        ranks.append(len(gains))
    shares = (discounted_gain(gains, i, "linear", "log2", 2) / discounted_gain(ideal, i, "linear", "log2", 2) for i in ranks)
    return over(sum(shares, Fraction(0)), len(ranks))


def pair_accuracy(ranking, *, k=None, rel):
    "How often the relevant document comes first, of all pairs with another document of the top k. None without a pair."
    found = [is_relevant(grade, rel) for grade in ranking.grades[:k]]
    first = [i < j for i, one in enumerate(found) for j, other in enumerate(found) if one and not other]
    return Fraction(sum(first), len(first)) if first else None


def rbp_residual(ranking, *, k=None, p):
    "What RBP would gain if all documents that nobody judged, and all after the list, were relevant."
    judged = [i for i, grade in enumerate(ranking.grades[:k]) if grade is not None]
    return 1 - (1 - p) * sum((p**i for i in judged), Fraction(0))


# ---- users who go on ----


def patience(model, i, T, p):
    "How likely a user goes on after rank i who is not satisfied."
    if model in ("BPM", "NERR8"):
        return Fraction(1)
    if model == "SDCG":
        return logarithm(i + 1, 2) / logarithm(i + 2, 2)
    if model == "NERR9":
        return Fraction(i, i + 1)
    if model == "NERR10":
        return p
    return ((i + 2 * T - 1) / (i + 2 * T)) ** 2  # INSQ, NERR11; INST with 2 T less the gain


@cache
def going_on(model, i, g, T, p):
    "How likely a user goes on after a document of gain g at rank i, in sixty digits."
    likely = patience(model, i, T, p) * (1 - g if model.startswith("NERR") else 1)
    return mp.mpf(likely.numerator) / likely.denominator if isinstance(likely, Fraction) else likely


@cache
def expected_gain(model, gains, k, T, p):
    "The gain per document, of a list that is filled up with documents without gain to a thousand ranks."
    reached, gained, total, weights = mp.mpf(1), Fraction(0), mp.mpf(0), mp.mpf(0)
    for i in range(1, min(k or 1000, 1000) + 1):
        g = gains[i - 1] if i <= len(gains) else Fraction(0)
        gained += g
        if g:
            total += reached * mp.mpf(g.numerator) / g.denominator
        weights += reached
        if model == "BPM" and gained >= T:
            break
        reached *= going_on(model, i, g, T - gained / 2 if model == "INST" else T, p)
    return simplest(total / weights)


def by_model(model):
    "The definition of a measure of the C/W/L family."

    def of_a_ranking(ranking, *, k=None, max_rel, min_rel, T=Fraction(1), p=Fraction(9, 10)):
        width = Fraction(max_rel) - min_rel
        grades = [min_rel if grade is None else min(max(grade, min_rel), max_rel) for grade in ranking.grades]
        return expected_gain(model, tuple((grade - min_rel) / width for grade in grades), k, Fraction(T), Fraction(p))

    return of_a_ranking


def rank_biased_utility(ranking, *, k=None, max_grade, p, gain):
    "ERR with p^i in place of 1/i."
    for grade in ranking.judged:
        probability_of_relevance(grade, gain, max_grade)
    total, still_reading = Fraction(0), Fraction(1)
    for i, grade in enumerate(ranking.grades[:k], 1):
        stops = probability_of_relevance(grade, gain, max_grade)
        total += still_reading * stops * p**i
        still_reading *= 1 - stops
    return total


# ---- a part of the pool ----

EPSILON = Fraction(1, 100_000)


def inferred_average_precision(ranking, *, rel):
    "A grade below 0 marks a document of the pool that was not judged: such are relevant as often as the judged ones above."
    total = Fraction(0)
    for i, grade in enumerate(ranking.grades, 1):
        if not is_relevant(grade, rel):
            continue
        above = [g for g in ranking.grades[: i - 1] if g is not None]
        judged = [g for g in above if g >= 0]
        share = (count_relevant(judged, rel) + EPSILON) / (len(judged) + 2 * EPSILON)
        total += (1 + len(above) * share) / Fraction(i)
    return over(total, number_relevant(ranking, rel=rel))


# ---- labels and scores ----


def area_under_roc(labels, scores, rel):
    "How often a positive has the higher score, of all pairs of a positive and a negative; a tie is half. None without a pair."
    positives = [score for label, score in zip(labels, scores) if label >= rel]
    negatives = [score for label, score in zip(labels, scores) if label < rel]
    won = Fraction(0)
    for p in positives:
        for n in negatives:
            won += 1 if p > n else Fraction(1, 2) if p == n else 0
    pairs = len(positives) * len(negatives)
    return won / pairs if pairs else None


def area_under_roc_by_group(labels, scores, groups, rel, weights):
    "The mean of that of each group that has a pair. None if there is no such group."
    total, weight_of_all = Fraction(0), Fraction(0)
    for group in sorted(set(groups)):
        members = [i for i, each in enumerate(groups) if each == group]
        own_labels, own_scores = [labels[i] for i in members], [scores[i] for i in members]
        value = area_under_roc(own_labels, own_scores, rel)
        if value is not None:
            positives = sum(label >= rel for label in own_labels)
            weight = {"equal": 1, "impressions": len(members), "positives": positives}[weights]
            total += weight * value
            weight_of_all += weight
    return total / weight_of_all if weight_of_all else None


# ---- by name ----

REL = {"rel": (1, 2)}
ALPHA = {"alpha": (0.5, 0.25), **REL}
GAIN = {"gain": ("linear", "exp", "binary")}
DISCOUNT = {"discount": ("log2", "jarvelin", "ln"), "b": (2, 3)}
IDEAL = {"ideal_from": ("judged", "list", "top", "found", "best"), "cut_ideal": (True, False)}


class Measure(NamedTuple):
    "All that the exact implementation knows of a measure."

    name: str  # in words
    sentence: str  # what it is
    definition: Callable  # its value, for one ranking
    parameters: dict = MappingProxyType({})  # {name: values to try}, the default first
    cutoff: str | None = None  # the parameter that @ sets
    total: str = "mean"  # what the one number is of the queries: mean, geometric mean or sum
    # What cannot matter: the order of documents; whether a negative grade is a judgment; documents that nobody judged; what
    # was missed. `never_differ` in its file is made of this.
    blind_to: str = ""
    negative: str = ""  # what `negative` is for it, whatever is said
    has_best_order: bool = True  # whether tied documents have an order that is the best
    input: str = "run"  # what it is computed from: judgments and a run, one list, or labels and scores


MEASURES = {
    "P": Measure(
        "precision",
        "The relevant documents of the top k, divided by k; without a cutoff by the number retrieved.",
        precision,
        parameters={"divisor": ("k", "min(k,n)", "min(R,k)"), **REL},
        cutoff="k",
        blind_to="negative missed",
    ),
    "R": Measure(
        "recall",
        "The relevant documents of the top k, divided by R, all relevant documents there are.",
        recall,
        parameters={"divisor": ("relevant", "min(R,k)"), **REL},
        cutoff="k",
        blind_to="negative",
    ),
    "F": Measure(
        "F measure",
        "(1 + beta^2) P R / (beta^2 P + R) of the precision and the recall of the top k.",
        f_measure,
        parameters={"beta": (1, 2, 0.5), **REL},
        cutoff="k",
        blind_to="negative",
    ),
    "Success": Measure(
        "success",
        "1 if the top k holds a relevant document, else 0.",
        success,
        parameters=REL,
        cutoff="k",
        blind_to="negative missed",
    ),
    "Complete": Measure(
        "complete",
        "1 if the top k holds all relevant documents there are, else 0; 0 if nothing is relevant.",
        complete,
        parameters=REL,
        cutoff="k",
        blind_to="negative",
    ),
    "Rprec": Measure(
        "R-precision",
        "The precision of the top R, where R documents are relevant.",
        r_precision,
        parameters=REL,
        blind_to="negative",
    ),
    "Judged": Measure(
        "judged share",
        "The documents of the top k that anybody judged, divided by the documents there.",
        judged_share,
        cutoff="k",
        blind_to="missed",
    ),
    "SetP": Measure(
        "set precision",
        "The relevant documents retrieved, divided by the documents retrieved.",
        precision,
        parameters={"divisor": ("k", "min(k,n)", "min(R,k)"), **REL},
        blind_to="order negative missed",
    ),
    "SetR": Measure(
        "set recall",
        "The relevant documents retrieved, divided by R.",
        recall,
        parameters=REL,
        blind_to="order negative unjudged",
    ),
    "SetF": Measure(
        "set F measure",
        "The F measure of all that was retrieved.",
        f_measure,
        parameters={"beta": (1, 2, 0.5), **REL},
        blind_to="order negative",
    ),
    "SetAP": Measure(
        "set average precision",
        "Set precision times set recall.",
        set_average_precision,
        parameters=REL,
        blind_to="order negative",
    ),
    "AP": Measure(
        "average precision",
        "The precision at the rank of each relevant document of the top k, summed, divided by R.",
        average_precision,
        parameters={"divisor": ("relevant", "min(R,k)", "min(R,n)", "retrieved"), "tied": ("apart", "together"), **REL},
        cutoff="k",
        blind_to="negative",
    ),
    "GMAP": Measure(
        "geometric mean of average precision",
        "AP; the geometric mean over the queries, values below 0.00001 as 0.00001.",
        average_precision,
        parameters=REL,
        cutoff="k",
        total="geometric mean",
        blind_to="negative",
    ),
    "IPrec": Measure(
        "interpolated precision",
        "The best precision at this recall or a higher one; without a recall the mean over 0, 0.1, 0.2 … 1.",
        interpolated_precision,
        parameters={"levels": ("exact", "trec_eval9", "trec_eval10"), **REL},
        cutoff="recall",
        blind_to="negative",
    ),
    "Bpref": Measure(
        "binary preference",
        "The mean over the R relevant documents of 1 - min(n, R) / min(R, N): n of the N documents judged not relevant "
        "stand above it. One that was not retrieved adds 0.",
        bpref,
        parameters=REL,
        blind_to="unjudged",
    ),
    "GMBpref": Measure(
        "geometric mean of bpref",
        "Bpref; the geometric mean over the queries, values below 0.00001 as 0.00001.",
        bpref,
        parameters=REL,
        total="geometric mean",
        blind_to="unjudged",
    ),
    "CG": Measure(
        "cumulated gain",
        "The gains of the top k, summed.",
        cumulated_gain,
        parameters=GAIN,
        cutoff="k",
        blind_to="missed",
    ),
    "DCG": Measure(
        "discounted cumulated gain",
        "The gain of each document of the top k, divided by log2(rank + 1), summed.",
        dcg,
        parameters=GAIN | DISCOUNT,
        cutoff="k",
        blind_to="missed",
    ),
    "nDCG": Measure(
        "normalised discounted cumulated gain",
        "DCG, divided by the DCG of the ideal ranking: all judged documents, the largest gain first, cut at k.",
        ndcg,
        parameters=GAIN | DISCOUNT | IDEAL,
        cutoff="k",
    ),
    "RR": Measure(
        "reciprocal rank",
        "1 / rank of the first relevant document, if it stands in the top k.",
        reciprocal_rank,
        parameters=REL,
        cutoff="k",
        blind_to="negative missed",
    ),
    "ERR": Measure(
        "expected reciprocal rank",
        "The expected 1 / rank at which a reader stops, who stops at a document of grade g with probability "
        "(2^g - 1) / 2^G; G is the largest grade of all judgments.",
        expected_reciprocal_rank,
        parameters={"max_grade": (None, 4), "phi": ("reciprocal", "log2"), "gain": ("exp", "linear")},
        cutoff="k",
    ),
    "RBP": Measure(
        "rank-biased precision",
        "(1 - p) times the sum of p^(rank - 1) over the relevant documents of the top k.",
        rank_biased_precision,
        parameters={"p": (0.8, 0.5), "gain": ("binary", "raw", "linear", "exp"), **REL},
        cutoff="k",
        blind_to="negative missed",
    ),
    "alpha_DCG": Measure(
        "alpha-DCG",
        "The j-th relevant document of the top k adds (1 - alpha)^(j - 1) / log2(rank + 1); the sum is divided by that of k "
        "relevant documents. A query of a file has a single subtopic.",
        alpha_dcg,
        parameters=ALPHA,
        cutoff="k",
        blind_to="negative missed",
        has_best_order=False,
    ),
    "alpha_nDCG": Measure(
        "normalised alpha-DCG",
        "The sum of alpha-DCG, divided by that of the ideal ranking.",
        alpha_ndcg,
        parameters=ALPHA,
        cutoff="k",
        blind_to="negative",
        has_best_order=False,
    ),
    "ERR_IA": Measure(
        "intent-aware expected reciprocal rank",
        "alpha-DCG with the weight 1 / rank.",
        err_ia,
        parameters=ALPHA,
        cutoff="k",
        blind_to="negative missed",
        has_best_order=False,
    ),
    "nERR_IA": Measure(
        "normalised intent-aware expected reciprocal rank",
        "The sum of ERR-IA, divided by that of the ideal ranking.",
        nerr_ia,
        parameters=ALPHA,
        cutoff="k",
        blind_to="negative",
        has_best_order=False,
    ),
    "NRBP": Measure(
        "novelty- and rank-biased precision",
        "The j-th relevant document adds (1 - alpha)^(j - 1) beta^(rank - 1); the sum is multiplied by 1 - (1 - alpha) beta.",
        nrbp,
        parameters=ALPHA | {"beta": (0.5, 0.25)},
        blind_to="negative missed",
        has_best_order=False,
    ),
    "nNRBP": Measure(
        "normalised novelty- and rank-biased precision",
        "NRBP, divided by that of the ideal ranking.",
        nnrbp,
        parameters=ALPHA | {"beta": (0.5, 0.25)},
        blind_to="negative",
        has_best_order=False,
    ),
    "StRecall": Measure(
        "subtopic recall",
        "The share of the subtopics with a relevant document in the top k: 1 or 0, since a query of a file has one.",
        success,
        parameters=REL,
        cutoff="k",
        blind_to="negative missed",
        has_best_order=False,
    ),
    "xinfAP": Measure(
        "extended inferred average precision",
        "AP estimated from samples, here of one stratum: precision at a relevant document is (1 + D (r + 0.00001) / (n + 0.00003)) / "
        "rank, with D pooled, n sampled and r relevant documents above it. A grade below 0: pooled, not sampled.",
        estimated_average_precision,
        parameters=REL,
        cutoff="k",
        blind_to="negative",
        negative="keep",
        has_best_order=False,
    ),
    "infNDCG": Measure(
        "inferred normalised discounted cumulated gain",
        "nDCG estimated from samples, here of one stratum: gains count for pooled / sampled documents in the list, and the "
        "ideal ranking has the estimated number of documents of each grade, rounded. A grade below 0: pooled, not sampled.",
        estimated_ndcg,
        cutoff="k",
        blind_to="negative",
        negative="keep",
        has_best_order=False,
    ),
    "NumRet": Measure(
        "number retrieved",
        "How many documents were retrieved; the sum over the queries.",
        number_retrieved,
        total="sum",
        blind_to="order negative missed",
    ),
    "NumRel": Measure(
        "number relevant",
        "How many documents are relevant; the sum over the queries.",
        number_relevant,
        parameters=REL,
        total="sum",
        blind_to="order negative unjudged",
    ),
    "NumRelRet": Measure(
        "number relevant and retrieved",
        "How many documents of the top k are relevant; the sum over the queries.",
        hits,
        parameters=REL,
        cutoff="k",
        total="sum",
        blind_to="negative missed",
    ),
    "NCG": Measure(
        "normalised cumulated gain",
        "CG, divided by the CG of the ideal ranking cut at k.",
        normalised_cumulated_gain,
        parameters=GAIN,
        cutoff="k",
    ),
    "Q": Measure(
        "Q-measure",
        "For each relevant document of the top k, (C + beta g) / (i + beta g*), summed, divided by R, with a cutoff by min(R, k): C "
        "relevant documents down to its rank i, with grades that sum to g, and to g* in the ideal ranking.",
        q_measure,
        parameters={"beta": (1, 2, 0.5), **REL},
        cutoff="k",
        blind_to="negative",
    ),
    "nERR": Measure(
        "normalised expected reciprocal rank",
        "ERR, divided by the ERR of the ideal ranking.",
        normalised_err,
        parameters={"max_grade": (4, 5), "gain": ("exp", "linear")},
        cutoff="k",
    ),
    "Compat": Measure(
        "compatibility",
        "The rank-biased overlap with the nearest ideal ranking of the relevant documents, divided by that of the ideal "
        "ranking with itself; both down to the end of the longer one.",
        compatibility,
        parameters={"p": (0.95, 0.5), "normalize": (True, False), **REL},
        blind_to="negative",
    ),
    "infAP": Measure(
        "inferred average precision",
        "The precision expected at the rank of each relevant document, summed, divided by R. A grade below 0 marks a document of the "
        "pool that was not judged; such are relevant as often as the judged ones above.",
        inferred_average_precision,
        parameters=REL,
        negative="keep",
        has_best_order=False,
    ),
    **{
        model: Measure(
            f"gain per document ({model})",
            "The gain per document of a user who goes on after each of 1,000 ranks with the probability that the page metrics/user_models lists.",
            by_model(model),
            parameters={"max_rel": (4, 3), "min_rel": (0, 1), **more},
            cutoff="k" if cut else None,
            blind_to="negative missed",
            has_best_order=model != "BPM",
        )
        for model, cut, more in [
            ("INST", False, {"T": (1, 2)}),
            ("INSQ", False, {"T": (1, 2)}),
            ("BPM", True, {"T": (1, 2)}),
            ("SDCG", True, {}),
            ("NERR8", True, {}),
            ("NERR9", True, {}),
            ("NERR10", False, {"p": (0.9, 0.5)}),
            ("NERR11", False, {"T": (1, 2)}),
        ]
    },
    "iRBU": Measure(
        "intent-wise rank-biased utility",
        "The expected p^rank at which a reader stops, who stops at a document of grade g with probability (2^g - 1) / 2^G.",
        rank_biased_utility,
        parameters={"max_grade": (4, 5), "p": (0.99, 0.5), "gain": ("exp", "linear")},
        cutoff="k",
        blind_to="missed",
    ),
    "RBPresidual": Measure(
        "residual of rank-biased precision",
        "1 - (1 - p) times the sum of p^(rank - 1) over the judged documents of the top k.",
        rbp_residual,
        parameters={"p": (0.8, 0.5)},
        cutoff="k",
        blind_to="missed",
        has_best_order=False,
    ),
    "G": Measure(
        "G of trec_eval",
        "g / log2(2 + c - s) for each relevant document, summed, divided by the sum of all relevant grades: s is the sum of the relevant "
        "grades down to its rank, and c that of the ideal ranking, with 1 for each rank after its end.",
        delayed_gain,
        parameters=REL,
        blind_to="negative",
        has_best_order=False,
    ),
    "binG": Measure(
        "binary G of trec_eval",
        "1 / log2(2 + n) for each relevant document with n others above it, summed, divided by R.",
        binary_gain,
        parameters=REL,
        blind_to="negative",
    ),
    "ndcg_rel": Measure(
        "nDCG at relevant documents",
        "DCG / IDCG of the relevant grades, at the rank of each relevant document (at the end for those not retrieved), averaged.",
        ndcg_at_relevant,
        parameters=REL,
        blind_to="negative",
    ),
    "Rndcg": Measure(
        "nDCG at the ends of grades",
        "DCG / IDCG of the relevant grades, at each rank where a grade of the ideal ranking ends (and at the end of a list of more than "
        "R + 1 documents), averaged.",
        ndcg_at_levels,
        parameters=REL,
        blind_to="negative",
    ),
    "PairAccuracy": Measure(
        "accuracy of pairs",
        "The share of pairs of a relevant and another document of the top k in which the relevant one comes first; without a pair there is no value.",
        pair_accuracy,
        parameters=REL,
        cutoff="k",
        blind_to="negative missed",
        has_best_order=False,
    ),
    "Rprec_mult": Measure(
        "precision at a multiple of R",
        "The precision of the top x R + 0.9, cut to a whole number; without a multiple x = 1.",
        precision_at_multiple,
        parameters=REL,
        cutoff="multiple",
        blind_to="negative",
    ),
    "yaap": Measure(
        "log odds of average precision",
        "ln((1 + S) / (1 + R - S)), where S is the sum of the precisions at relevant documents.",
        log_odds_of_precision,
        parameters=REL,
        blind_to="negative",
    ),
    "utility": Measure(
        "utility",
        "The relevant documents retrieved, minus the other documents retrieved.",
        net_relevant,
        parameters=REL,
        blind_to="order negative missed",
    ),
    "NumNonrelRet": Measure(
        "number judged not relevant and retrieved",
        "How many documents that were judged not relevant were retrieved; the sum over the queries.",
        number_not_relevant,
        parameters=REL,
        total="sum",
        blind_to="order unjudged missed",
    ),
    "Unjudged": Measure(
        "unjudged share",
        "The documents of the top k that nobody judged, divided by k; without a cutoff by the number retrieved.",
        unjudged_share,
        cutoff="k",
        blind_to="missed",
        has_best_order=False,
    ),
    "Fallout": Measure(
        "fall-out",
        "The documents of the top k that are not relevant, divided by all such: judged so, or unjudged in the list.",
        fallout,
        parameters=REL,
        cutoff="k",
        input="list",
    ),
    "AUC": Measure(
        "area under the ROC curve",
        "The share of pairs of a positive and a negative in which the positive scores higher; a tie is half.",
        area_under_roc,
        parameters=REL,
        input="labels",
    ),
    "GAUC": Measure(
        "group AUC",
        "The mean AUC of the groups that have a positive and a negative.",
        area_under_roc_by_group,
        parameters={"weights": ("equal", "impressions", "positives"), **REL},
        input="labels",
    ),
}

# What each parameter means, for the page conformance/README.md: (names, measures, meaning); an empty name is that above.
MEANINGS = [
    ("rel", "all that ask what is relevant", "a document is relevant if its grade is at least this"),
    ("divisor", "P, SetP", "`k` (without a cutoff n), `min(k,n)`, `min(R,k)`"),
    ("", "R", "`relevant` (R), `min(R,k)`"),
    ("", "AP", "`relevant`, `min(R,k)`, `min(R,n)` (n: retrieved, down to k), `retrieved` (the relevant documents found, down to k)"),
    ("normalize", "Compat", "whether the overlap is divided by that of the ideal ranking with itself, or by the sum of the weights"),
    ("tied", "AP", "documents with equal scores stand `apart`, one after the other, or come in `together`: each has the precision after the last of them"),
    ("beta", "F, SetF", "recall counts beta times as much as precision"),
    ("", "NRBP, nNRBP", "how likely the reader goes on to the next document"),
    ("alpha", "alpha_DCG, alpha_nDCG, ERR_IA, nERR_IA, NRBP, nNRBP", "how much of the gain a subtopic loses each time it is repeated"),
    ("", "Q", "the grade of a relevant document counts beta times as much as the document"),
    ("levels", "IPrec", "a recall of x is reached by as many relevant documents as it needs (`exact`), by xR + 0.9 cut to a whole number (`trec_eval9`), or by xR rounded, halves up (`trec_eval10`), both in 64-bit floats; always by one at least"),
    ("gain", "CG, DCG, nDCG, NCG", "`linear`: the grade g. `exp`: 2^g - 1. `binary`: 1 from grade 1 on"),
    ("", "ERR, nERR, iRBU", "the reader stops at grade g with probability (2^g - 1) / 2^G (`exp`) or g / (G + 1) (`linear`); at a grade below 0 never, under `negative` = `keep` too"),
    ("", "RBP", "`binary`: 1 if relevant. `raw`: the grade, if relevant. `linear`, `exp`: as in DCG, refused outside of [0, 1] for a document down to k; what stands below k, or was not retrieved, is not looked at"),
    ("discount, b", "DCG, nDCG", "the gain at rank i is divided by log2(i + 1) (`log2`), by ln(i + 1) (`ln`), or from rank b on by log_b(i) and before by 1 (`jarvelin`)"),
    ("ideal_from", "nDCG", "the documents of the ideal ranking: `judged`: all judged ones; `list`: those of them in the list; `top`: those in its top k; `found`: the n best of all; `best`: k (or n) documents of the best grade"),
    ("cut_ideal", "nDCG", "whether the ideal ranking ends at k"),
    ("max_grade", "ERR", "G; `null`: the largest grade of all judgments of the case that count, at least 1: under `judgments` = `retrieved` of those of retrieved documents, over all queries"),
    ("", "nERR, iRBU", "G; a larger grade is an error"),
    ("phi", "ERR", "stopping at rank i is worth 1/i (`reciprocal`) or 1 / log2(i + 1) (`log2`)"),
    ("p", "RBP, RBPresidual, NERR10", "how likely the reader goes on to the next document"),
    ("", "iRBU", "stopping at rank i is worth p^i"),
    ("T", "BPM, INST, INSQ, NERR11", "the gain that the user wants"),
    ("min_rel, max_rel", "INST, INSQ, BPM, SDCG, NERR8 to NERR11", "the gain is (g - min_rel) / (max_rel - min_rel); grades outside count as these; an unjudged document has no gain"),
    ("", "Compat", "the weight of the top i + 1 beside that of the top i"),
    ("weights", "GAUC", "groups count alike (`equal`), by their items (`impressions`), or by their positives (`positives`)"),
]  # fmt: skip

# More values of numbers, for the tests at random alone: the vectors have those of MEASURES.
MORE = {"rel": (3, 0.5, 2.5), "alpha": (0, 1), "beta": (0, 3.5), "b": (1.5, 3.5, 10), "max_grade": (5, 8), "p": (0.1, 0.95)}


def entry(name):
    "The entry of a measure; without one, an AssertionError that says what to do."
    if name not in MEASURES:
        raise AssertionError(f"{name} has no exact definition: write it in tests/exact/measures.py, and add the entry {name!r} to MEASURES there")
    return MEASURES[name]


def values(name, parameter):
    "The values to try of a parameter of a measure, the default first; without any, an AssertionError that says what to do."
    known = entry(name).parameters
    if parameter not in known:
        raise AssertionError(
            f"{name} has the parameter {parameter}, and no values to try: add {parameter!r}: (default, another value) to `parameters` "
            f"of its entry in MEASURES of tests/exact/measures.py"
        )
    more = (0, 0.9) if parameter == "beta" and "RBP" in name else MORE.get(parameter, ())
    return (*known[parameter], *more)
