"""Which inputs tell all settings, tools and mistakes of a measure apart; and what none can.

A name is told apart from another by a case in which they have different values. First come lists of which nothing was missed,
since a function of a list sees no more; then lists; then judgments and runs. What the first can tell apart they must tell apart."""

from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import NamedTuple

from exact.evaluation import evaluate
from exact.inputs import COLLECTIONS, GROUPS, LABELS, LISTS
from exact.measures import MEASURES
from exact.mistakes import mistakes
from exact.settings import settings, what_matters
from exact.tools import tools

AT_RECALL = (None, 0.5, 0.7)
MULTIPLES = (None, 0.5, 1.4)
ALWAYS = "example", "example@4", "one-pair-tied", "graded-labels", "one-class", "two-groups"  # cases that are there, whatever they tell apart


def way(changes):
    "Changes as a thing that can be compared."
    return frozenset(changes.items())


class Names(NamedTuple):
    "What is to be told apart, of one measure."

    computed: dict  # name: (changes, mistake)
    alike: dict  # name: the name that has the same answers


def names(measure):
    "Everything by name: the default, settings, tools, mistakes."
    computed, alike = {"default": ({}, None)}, {}
    known = {way({}): "default"}
    for name, changes in settings(measure).items():
        computed[name] = changes, None
        known[way(changes)] = name
    for name, changes in tools(measure).items():
        enter(name, changes, None, computed, alike, known)
    for name, mistake in mistakes(measure).items():
        if mistake.same_as is None:
            computed[name] = mistake.beside, mistake
        else:
            enter(name, mistake.same_as, None, computed, alike, known)
    return Names(computed, alike)


def enter(name, changes, mistake, computed, alike, known):
    if way(changes) in known:
        alike[name] = known[way(changes)]
    else:
        computed[name] = changes, mistake
        known[way(changes)] = name


class Case(NamedTuple):
    name: str
    about: str
    data: dict  # the input with its cutoff

    @property
    def tier(self):
        "0: a list of which nothing was missed; 1: a list; 2: judgments and a run."
        if "grades" in self.data:
            return int(bool(self.data["missed"]))
        return 2

    @property
    def cost(self):
        "How much there is to read."
        data = self.data
        if "grades" in data:
            return 6 + len(data["grades"]) + 2 * len(data["missed"])
        if "labels" in data:
            return 6 + len(data["labels"])
        queries = {row[0] for row in data["judgments"] + data["run"]}
        return 8 + len(data["judgments"]) + len(data["run"]) + 3 * (len(queries) - 1)


def with_cutoffs(measure, name, each):
    "The cases that an input gives."
    parameter = MEASURES[measure].cutoff
    cutoffs = {None: (None,), "k": each.cutoffs, "recall": AT_RECALL, "multiple": MULTIPLES}[parameter]
    for cutoff in cutoffs:
        at = "" if cutoff is None else f"@{cutoff}"
        more = {} if cutoff is None else {parameter: cutoff}
        yield Case(name + at, each.about, more | each.data)


def candidates(measure):
    if MEASURES[measure].input == "labels":
        tried = LABELS if measure == "AUC" else GROUPS
    else:
        tried = LISTS if MEASURES[measure].input == "list" else LISTS | COLLECTIONS
    return [case for name, each in tried.items() for case in with_cutoffs(measure, name, each)]


def several_queries(data):
    return "run" in data and len({row[0] for row in data["judgments"] + data["run"]}) > 1


def answers(measure, case, computed):
    "{name: (value, {query: value} where there are several queries)}."
    found = {}
    for name, (changes, mistake) in computed.items():
        value, each = evaluate(measure, case.data, changes, mistake)
        found[name] = value, each if several_queries(case.data) else None
    return found


def pairs_apart(found):
    "The pairs of names that have different values."
    return {(a, b) for a, b in combinations(found, 2) if found[a] != found[b] and not nearly_equal(found[a][0], found[b][0])}


def nearly_equal(one, other):
    "Whether two numbers differ, and by a hundredth at most: such as by the epsilon of infAP."
    if one == other or not {one, other}.isdisjoint({"NaN", "error"}):
        return False
    return abs(as_fraction(one) - as_fraction(other)) <= Fraction(1, 100)


as_fraction = cache(Fraction)  # the texts of few values are compared in many pairs


class Tried(NamedTuple):
    "A case, its values, and what they tell apart."

    case: Case
    found: dict
    apart: set


def tried(measure, cases, computed):
    found = [(case, answers(measure, case, computed)) for case in cases]
    return [Tried(case, values, pairs_apart(values)) for case, values in found]


def first_tiers(every):
    "{pair: the first tier that tells it apart}."
    first = {}
    for each in every:
        for pair in each.apart:
            first[pair] = min(first.get(pair, 9), each.case.tier)
    return first


def lacking(chosen, first):
    "The pairs that no chosen case of their tier tells apart."
    told = {pair for each in chosen for pair in each.apart if each.case.tier <= first[pair]}
    return first.keys() - told


def chosen(every):
    "A few cases that tell apart what can be told apart, cheap ones first; those that others make needless are dropped again."
    first = first_tiers(every)
    always = [each for each in every if each.case.name in ALWAYS]
    few = list(always)
    for tier in (0, 1, 2):
        here = [each for each in every if each.case.tier == tier]
        while wanted := {pair for pair in lacking(few, first) if first[pair] == tier}:
            few.append(max(here, key=lambda each: len(each.apart & wanted) / each.case.cost))  # noqa: B023
    for each in sorted(few, key=lambda each: -each.case.cost):
        others = [other for other in few if other is not each]
        if each not in always and not lacking(others, first):
            few = others
    return always + sorted((each for each in few if each not in always), key=lambda each: (each.case.tier, each.case.cost, each.case.name))


def never_apart(every, computed):
    "The names that no case tells apart, in groups."
    apart = set().union(*(each.apart for each in every))
    groups = []
    for name in computed:
        group = next((group for group in groups if (group[0], name) not in apart), None)
        groups.append([name]) if group is None else group.append(name)
    return [group for group in groups if len(group) > 1]


def never_differ(measure, computed):
    "[(names, why)]: the groups of names that cannot differ, by what cannot matter for the measure."
    groups, reasons = {}, {}
    for name, (changes, mistake) in computed.items():
        if mistake is None:
            left, why = what_matters(measure, changes)
            groups.setdefault(way(left), []).append(name)
            reasons.setdefault(way(left), []).extend(why)
    return [(group, list(dict.fromkeys(reasons[key]))) for key, group in groups.items() if len(group) > 1]
