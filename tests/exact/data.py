"""From judgments and a run to rankings: what stands where, and what it is worth."""

from itertools import groupby, permutations, product
from typing import NamedTuple

from exact.arithmetic import as_32_bit_float, exact


class Refused(Exception):
    "There is no value: the convention refuses such input."


class Ranking(NamedTuple):
    "What one query got, and what could be had."

    grades: tuple  # of the documents retrieved, in rank order; None where nobody judged the document
    scores: tuple  # of the same documents
    judged: tuple  # the grades of all judged documents of the query, in the order of the judgments


def rows_of_list(grades, missed):
    "A list of grades as judgments and a run of one query: the first document has the highest score."
    n = len(grades)
    run = [["q", f"d{i}", n - i] for i in range(n)]
    judgments = [["q", f"d{i}", grade] for i, grade in enumerate(grades) if grade is not None]
    judgments += [["q", f"m{i}", grade] for i, grade in enumerate(missed)]
    return judgments, run


def by_query(rows):
    "{query: [(document, number)]}, everything in the order of the rows."
    found = {}
    for query, document, number in rows:
        found.setdefault(query, []).append((document, number))
    return found


def each_once(rows, duplicates):
    "The rows of one query, each document once: the first of its rows counts, the last, or that of the largest number."
    if duplicates == "counted":  # a mistake about runs; of judgments that are there twice, the last counts
        duplicates = "last"
    chosen = {}
    for place, (document, number) in enumerate(rows):
        if document not in chosen:
            chosen[document] = place
        elif duplicates == "refuse":
            raise Refused(f"{document} stands twice")
        elif duplicates == "last" or (duplicates == "best" and number > rows[chosen[document]][1]):
            chosen[document] = place
    return [rows[place] for place in sorted(chosen.values())]


def without_identical_ids(query, rows):
    "The rows of a query in a run, but for the document that has the id of the query."
    return [(document, number) for document, number in rows if document != query]


def possible_orders(rows, ties):
    "All orders in which the documents of a query may stand: one, or every order of documents with equal scores."
    if ties == "docid":
        return [sorted(rows, key=lambda row: (row[1], row[0].encode()), reverse=True)]
    best_first = sorted(rows, key=lambda row: -row[1])  # equal scores stay as they are given
    if ties == "given":
        return [best_first]
    tied = [list(group) for _, group in groupby(best_first, key=lambda row: row[1])]
    return [sum(map(list, choice), []) for choice in product(*[permutations(group) for group in tied])]


def of_retrieved(judgments, results):
    "The judgments of documents that were retrieved."
    retrieved = {document for document, _ in results}
    return [(document, grade) for document, grade in judgments if document in retrieved]


def counts_as_judged(grade, negative):
    "Whether a judgment is one: with negative='zero' a grade below 0 is as if nobody had judged the document."
    return grade >= 0 or negative == "keep"


def rankings(judgments, results, settings):
    "All rankings that the answers allow for one query; judgments, results: its rows (document, number)."
    judgments = each_once(judgments, settings["duplicates"])
    if settings["duplicates"] != "counted":
        results = each_once(results, settings["duplicates"])
    if settings["judgments"] == "retrieved":
        judgments = of_retrieved(judgments, results)
    if settings["score_dtype"] == "float32":
        results = [(document, as_32_bit_float(score)) for document, score in results]
    return [ranking(judgments, order, settings) for order in possible_orders(results, settings["ties"])]


def ranking(judgments, order, settings):
    "The ranking of documents that stand in this order."
    grade_of = {d: exact(grade) for d, grade in judgments if counts_as_judged(grade, settings["negative"])}
    if settings["unjudged"] == "skip":
        order = [(document, score) for document, score in order if document in grade_of]
    grades = tuple(grade_of.get(document) for document, _ in order)
    return Ranking(grades, tuple(score for _, score in order), tuple(grade_of.values()))


def ideal_ranking(judged):
    "The ranking of all judged documents and no other, the best first."
    best_first = sorted(judged, reverse=True)
    return Ranking(tuple(best_first), tuple(range(len(judged), 0, -1)), tuple(best_first))
