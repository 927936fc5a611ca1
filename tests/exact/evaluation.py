"""From judgments and a run to the values of every query, and the one number."""

from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

from exact import measures as definitions
from exact.arithmetic import exact, geometric_mean, written
from exact.data import (
    Refused,
    by_query,
    each_once,
    ideal_ranking,
    of_retrieved,
    rankings,
    rows_of_list,
    without_identical_ids,
)
from exact.measures import MEASURES
from exact.settings import CONVENTIONS, as_exact, defaults

FLOOR = Fraction(1, 100_000)  # what a smaller value counts as there
NAN, ERROR = "NaN", "error"
USUAL = {question: choices[0] for question, choices in CONVENTIONS.items()}


class Mistake(NamedTuple):
    "Where somebody goes another way. `same_as`: the answers that come to the same, if there are such."

    measures: str
    says: str
    same_as: dict | None = None
    beside: dict = MappingProxyType({})  # the parameters with which it shows
    answers: dict = MappingProxyType({})  # that are no convention
    definition: Any = None  # in place of the definition of the measure; or {measure: definition}
    rows: Any = lambda judgments, run: (judgments, run)  # what is made of the rows
    queries: Any = lambda values, run: values  # what is made of {query: value}
    total: Any = None  # in place of the mean: of the measure and {query: value}


RIGHT = Mistake("", "no mistake")


def value_of(measure, ranking, answers, cutoff, definition=None):
    "The value of one ranking; cutoff: {'k': 5}, {'recall': 0.5} or nothing."
    parameters = {name: answers[name] for name in MEASURES[measure].parameters}
    value = (definition or MEASURES[measure].definition)(ranking, **parameters, **cutoff)
    if isinstance(value, float):
        raise TypeError(f"the definition of {measure} in tests/exact/measures.py returns the float {value}: divide Fractions, as Fraction(a) / b")
    return value


def over_orders(values, ties):
    "Of the values of all orders of tied documents the mean, the best or the worst; of one order its value. NaN if an order has none."
    if None in values:
        return NAN
    if ties == "average":
        return sum(values) / len(values)
    return min(values) if ties == "worst" else max(values)


# Of which 0 does not mean that nothing is relevant.
NOT_OF_NOTHING = "Unjudged utility NumNonrelRet PairAccuracy RBPresidual".split()


def nothing_to_find(measure, value, judged, answers, cutoff):
    "Whether a query has nothing for this measure to find: all judged documents in the best order score 0 as well."
    if measure in NOT_OF_NOTHING or value == NAN or value > 0:
        return False
    return value_of(measure, ideal_ranking(judged), answers, cutoff) == 0


def value_of_nothing(measure, answer, value):
    "What a query scores in which there is nothing to find; None: it is left out."
    if answer == "one":
        return Fraction(MEASURES[measure].total != "sum")
    return {"zero": value, "skip": None, "nan": NAN}[answer]


def largest_grade(judgments, run, answers):
    "The largest grade of all judgments that count, or 1 if none is above 0."
    grades = []
    for query, rows in judgments.items():
        counted = each_once(rows, answers["duplicates"])
        if answers["judgments"] == "retrieved":
            counted = of_retrieved(counted, run.get(query, []))
        grades += [exact(grade) for _, grade in counted]
    return max([*grades, Fraction(0)]) or Fraction(1)


def per_query(measure, judgments, run, answers, cutoff, definition):
    "{query: value} of the queries that count; a value is a number or NaN."
    found = {}
    for query, rows in judgments.items():
        results = run.get(query, [])
        possible = rankings(rows, results, answers)
        values = [value_of(measure, ranking, answers, cutoff, definition) for ranking in possible]
        value = over_orders(values, answers["ties"])
        unknown = not results and answers["judgments"] == "retrieved"  # whether there was something to find
        if not unknown and nothing_to_find(measure, value, possible[0].judged, answers, cutoff):
            value = value_of_nothing(measure, answers["no_relevant"], value)
        left_out = query not in run and answers["missing"] == "skip"
        if value is not None and not left_out:
            found[query] = value
    return found


def aggregated(measure, values):
    "The one number: the mean, the geometric mean or the sum of the queries that have a value."
    numbers = [value for value in values.values() if value != NAN]
    if not numbers:
        return NAN
    if MEASURES[measure].total == "sum":
        return sum(numbers)
    if MEASURES[measure].total == "geometric mean":
        return geometric_mean([max(value, FLOOR) for value in numbers])
    return sum(numbers) / len(numbers)


def of_labels(case, answers):
    "AUC, or GAUC where there are groups."
    scores, rel = case["scores"], answers["rel"]
    if "groups" in case:
        labels, groups = case["labels"], case["groups"]
        value = definitions.area_under_roc_by_group(labels, scores, groups, rel, answers["weights"])
    else:
        value = definitions.area_under_roc(case["labels"], scores, rel)
    return NAN if value is None else value


CUTOFFS = "k", "recall", "multiple"


def evaluate(measure, case, changes=MappingProxyType({}), mistake=None):
    """(value, {query: value}) as text, under the defaults and what `changes` answers otherwise; or with a mistake.

    case: 'judgments' and 'run' (rows of query, document, number), or 'grades' and 'missed'; 'labels' and 'scores' (and
    'groups'). With them, 'k', 'recall' or 'multiple'."""
    mistake = mistake or RIGHT
    definition = mistake.definition
    if isinstance(definition, dict):
        definition = definition[measure]
    answers = as_exact(USUAL | defaults(measure) | changes | mistake.answers)
    answers["negative"] = MEASURES[measure].negative or answers["negative"]
    if answers.get("ties") in ("best", "worst") and not MEASURES[measure].has_best_order:
        return ERROR, {}
    if "labels" in case:
        value = (definition or of_labels)(case, answers)
        return written(value), {}
    rows = (case["judgments"], case["run"]) if "run" in case else rows_of_list(case["grades"], case["missed"])
    judgments, run = map(by_query, mistake.rows(*rows))
    if answers.get("identical_ids") == "skip":
        run = {query: without_identical_ids(query, results) for query, results in run.items()}
    cutoff = {name: case[name] for name in CUTOFFS if name in case}
    try:
        if answers.get("max_grade", 0) is None:
            answers["max_grade"] = largest_grade(judgments, run, answers)
        values = per_query(measure, judgments, run, answers, cutoff, definition)
    except Refused:
        return ERROR, {}
    values = mistake.queries(values, run)
    value = (mistake.total or aggregated)(measure, values)
    return written(value), {query: written(each) for query, each in values.items()}
