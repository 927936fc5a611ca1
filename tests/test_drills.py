"""The drills: their tasks, answers and slips are worked out again by the package, on thousands of tasks; in Chromium they can be done by
keyboard and touch, in both themes and on a phone."""
import json
import math
import re
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from project import NBS, cells, notebooks
from test_browser import CONTRAST, WIDE
from test_page_heights import body
from test_play import ask, near
from test_play_browser import page_of
from test_play_pages import shown
from test_report_browser import SMALL

from irmetrics_nb import Judged, auc, gauc, parse
from irmetrics_nb.widget import value_of_list

TOPICS = "sets ap rr dcg cascade auc subtopics".split()
SEEDS = 100  # times seven topics and the mixed one, times three levels: 2,400 tasks


@cache
def tasks():
    return tuple(ask("deal", [[topic, level, seed, 1] for topic in [*TOPICS, "mixed"] for level in (1, 2, 3) for seed in range(SEEDS)]))


# ---- the package solves the tasks ----


def value(measure, query):
    "The value of one query, by the package."
    if "labels" in query:
        return scored(measure, query["labels"], query["scores"])
    grades, ideal = query["grades"], query["ideal"]
    if "subtopics" in query:
        return novel(measure, grades, ideal)
    return float(parse(measure).of(Judged.from_grades([grades], ideal=[ideal]))[0])


def names(mask):
    return [name for s, name in enumerate("XYZ") if mask >> s & 1]


def novel(measure, grades, ideal):
    "The value of a list of documents that serve subtopics; all judged documents of these tasks are in the list."
    assert sorted(grades) == sorted(ideal)
    plain = measure.replace("(divisor='none')", "")
    found = value_of_list(plain, [names(g) for g in grades], subtopics="XYZ")
    k = int(plain.partition("@")[2] or len(grades))
    most = len({name for g in grades for name in names(g)}) * sum(0.5**i / math.log2(i + 2) for i in range(k))
    return found if plain == measure else found * most


def scored(measure, labels, scores):
    name, _, k = measure.partition("@")
    if name in ("AUC", "GAUC"):
        return auc(labels, scores)
    top = [label for _, label in sorted(zip(scores, labels, strict=True), reverse=True)][: int(k)]
    wanted = 1 if name == "TPR" else 0
    return top.count(wanted) / labels.count(wanted)


def combined(measure, combine, queries):
    values = [value(measure, query) for query in queries]
    if "labels" not in queries[0] or len(queries) == 1:
        return np.mean([x for x in values if x > 0 or combine == "mean"])
    labels, scores = ([x for query in queries for x in query[name]] for name in ("labels", "scores"))
    if combine == "pooled":
        return auc(labels, scores)
    users = [j for j, query in enumerate(queries) for _ in query["labels"]]
    return gauc(labels, scores, users, weights=None if combine == "groups" else combine)


def changed(task, x=None):
    "The query after what the task asks about."
    (query, *_), kind, at = task["queries"], task["kind"], task.get("at")
    name = "labels" if "labels" in query else "grades"
    marks, ideal = list(query[name]), query.get("ideal")
    if kind == "swap":
        a, b = (rank - 1 for rank in at)
        marks[a], marks[b] = marks[b], marks[a]
    elif kind == "grade":
        marks[at - 1] = x
        ideal = [g for g in marks if g is not None] + query["missed"]
    elif kind == "rank":
        marks.insert(x - 1, marks.pop(at - 1))
    elif kind == "total":
        ideal = marks + [1] * (x - sum(marks))
    else:
        marks = [1] * x + [0] * (len(marks) - x)
    return {**query, name: marks, "ideal": ideal}


def tried(task):
    "What may be the answer, in the order in which the question goes."
    if task["kind"] == "grade":
        return range(task["top"] + 1)
    if task["kind"] == "rank":
        return range(task["at"], 0, -1)
    if task["kind"] == "total":
        hits = sum(task["queries"][0]["grades"])
        return range(hits + 7, hits - 1, -1)
    return range(min(task["k"], sum(g > 0 for g in task["queries"][0]["ideal"])) + 1)


def solved(task):
    "The answer, by the package."
    measure, queries, kind = task["measure"], task["queries"], task["kind"]
    if kind == "value":
        return combined(measure, task["combine"], queries)
    if kind == "swap":
        return value(measure, changed(task)) - value(measure, queries[0])
    if kind == "better":
        a, b = (value(measure, query) for query in queries)
        return 2 if math.isclose(a, b, abs_tol=1e-9) else 0 if a > b else 1
    if kind == "convention":
        measures = [("nDCG(ideal_from='list')" + c["measure"][13:] + f"@{task['k']}" if c["measure"] == "idealFromList" else c["measure"]) for c in task["conventions"]]
        values = [sorted_ideal(task) if m == "sortedIdeal" else combined(m, c["combine"], queries) for m, c in zip(measures, task["conventions"], strict=True)]
        fits = [j for j, x in enumerate(values) if abs(x - task["given"]) < 1e-9]
        assert len(fits) == 1 and all(near(x, c["value"]) for x, c in zip(values, task["conventions"], strict=True))
        return fits[0]
    return next(x for x in tried(task) if value(measure, changed(task, x)) >= task["aim"] - 1e-9)


def halved(grades, k):
    "alpha-DCG without a divisor, term by term."
    seen, total = [], 0
    for i, g in enumerate(grades[:k], start=1):
        total += sum(0.5 ** seen.count(name) for name in names(g)) / math.log2(i + 1)
        seen += names(g)
    return total


def sorted_ideal(task):
    "alpha-nDCG with an ideal that is sorted by the number of subtopics."
    grades, k = task["queries"][0]["grades"], cutoff(task)
    best = sorted(sorted(grades, reverse=True), key=lambda g: -len(names(g)))
    return halved(grades, k) / halved(best, k)


def test_the_answer_of_every_task_is_the_packages():
    late = [(task["topic"], task["seed"], task["answer"]) for task in tasks() if not near(solved(task), task["answer"])]
    assert late == []
    assert len(tasks()) == 2400


def test_every_topic_and_kind_of_question_is_dealt():
    kinds = {(task["topic"], task["kind"]) for task in tasks()}
    assert {kind for _, kind in kinds} == {"value", "better", "swap", "grade", "rank", "hits", "total", "convention"}
    assert {topic for topic, kind in kinds if kind == "convention"} == {topic for topic, kind in kinds if kind == "better"} == set(TOPICS)
    assert {task["topic"] for task in tasks()[-SEEDS * 3 :]} == set(TOPICS), "the mixed drill has all"


def test_each_level_of_the_sets_has_kinds_of_questions_of_its_own():
    kinds = {level: {(task["kind"], len(task["queries"])) for task in tasks() if task["topic"] == "sets" and task["level"] == level} for level in (1, 2, 3)}
    assert ("hits", 1) in kinds[2] and ("hits", 1) not in kinds[3]
    assert {("total", 1), ("convention", 1), ("value", 2)} <= kinds[3] - kinds[2]


def test_the_lists_hold_what_hurts():
    queries = [query for task in tasks() for query in task["queries"]]
    assert any(None in query.get("grades", []) for query in queries), "not judged"
    assert any(not any(query.get("grades", [1])) for query in queries), "nothing relevant found"
    assert any(len(set(query.get("scores", []))) < len(query.get("scores", [])) for query in queries), "equal scores"
    assert any(len(set(query.get("labels", [0, 1]))) == 1 for query in queries), "one class"
    assert any(query.get("missed") for query in queries), "missed"


def test_the_same_seed_deals_the_same_task_and_another_one_others():
    assert ask("deal", [["ap", 2, 17, 3]] * 2)[0] == ask("deal", [["ap", 2, 17, 3]])[0]
    assert len({json.dumps(task) for task in ask("deal", [["ap", 2, seed, n] for seed in range(20) for n in (1, 2)])}) == 40


# ---- no task is trivial ----

ADDED = re.compile(r"CG|DCG|nDCG|AP|RBP|ERR|alpha")  # measures that are sums over ranks


def terms(task, query):
    "How many ranks of a query add something to its sum."
    grades, k = query["grades"], int(task["measure"].partition("@")[2] or 99)
    if "subtopics" not in query:
        return sum((g or 0) >= int((re.search(r"rel=(\d)", task["measure"]) or [0, 1])[1]) for g in grades[:k])
    return sum(g > 0 for g in grades[:k])


def trivial(task):
    "Does an answer need no computing: a sum of one term, a mean of one value that is not 0, or a share that is 0 or 1."
    is_sum = ADDED.match(task["measure"])
    if is_sum and max(terms(task, query) for query in task["queries"]) < 2:
        return True
    values = [value(task["measure"], query) for query in task["queries"]] if task["kind"] == "value" else []
    return (not is_sum and task["kind"] == "value" and task["answer"] in (0, 1)) or (len(values) > 1 and sum(x > 0 for x in values) < 2)


@pytest.mark.parametrize("topic", [*TOPICS, "mixed"])
@pytest.mark.parametrize("level", [1, 2, 3])
def test_no_task_of_300_seeds_is_trivial(topic, level):
    dealt = ask("deal", [[topic, level, seed, 1] for seed in range(1, 301)])
    assert [task["seed"] for task in dealt if trivial(task)] == [], "before: 100 of 300 for DCG on level 1, 75 for ERR and RBP, 20 for AP"


# ---- right answers ----


def spellings(task):
    "The right answer as people write it."
    x = task["answer"]
    if task["tolerance"] == 0:
        return [str(x)]
    exact = Fraction(x).limit_denominator(100_000)
    found = [f"{x:.3f}", f"{x:.4f}", f"{x:.8f}", f"{x:.4f}".replace(".", ","), f" = {x:.4f} ", f"{x:.4f}".replace("-", "−"), f"{100 * x:.2f}%"]
    ratio = f"{exact.numerator}/{exact.denominator}"
    return [*found, ratio, f"({x!r} + 1) - 1", f"{x:.4f}.", f"{task['measure'].partition('(')[0]} = {x:.4f}", f"x = {ratio} = {x:.3f}"]


def test_no_right_answer_is_refused():
    jobs = [(task, text) for task in tasks() for text in spellings(task)]
    found = ask("mark", jobs)
    assert len(jobs) > 10_000
    assert [(task["topic"], text) for (task, text), said in zip(jobs, found, strict=True) if not said["right"]] == []


def test_correct_answers_of_two_digits_need_a_third_digit():
    some = [task for task in tasks() if task["tolerance"] and abs(round(task["answer"], 2) - task["answer"]) > 0.0011]
    for said in ask("mark", [(task, f"{task['answer']:.2f}") for task in some]):
        assert not said["right"] and said["again"] and "three digits" in said["text"]
    assert len(some) > 300


@pytest.mark.parametrize(("text", "number"), [
    ("83/120", 83 / 120), ("0,5", 0.5), (".5", 0.5), ("-3", -3), ("2^3", 8), ("2**-1", 0.5), ("(1 + 2/4)/log2(3)", 1.5 / math.log2(3)), ("7/log₂(2)", 7),
    ("3·2", 6), ("6÷4", 1.5), ("ln(2)", math.log(2)), ("sqrt(9)", 3), ("50%", 0.5), ("1-2-3", -4), ("8/2/2", 2), ("-2^2", -4), ("≈ 0.7", 0.7),
    ("log2(3)", math.log2(3)), ("log₂3", math.log2(3)), ("log₂(3)", math.log2(3)), ("log2 3", math.log2(3)), ("log_2(3)", math.log2(3)), ("1/log₂3·2", 2 / math.log2(3)),
    ("log(3)/log(2)", math.log2(3)), ("ln 3/ln 2", math.log2(3)), ("lg 3/lg 2", math.log2(3)), ("math.log2(3)", math.log2(3)), ("2^log₂3", 3), ("√9", 3), ("log10(100)", 2),
    ("AP = 0.75", 0.75), ("nDCG@3 = DCG/IDCG = 1.5/2 = 0.75", 0.75), ("AP: 0.75", 0.75), ("答案：0.75", 0.75), ("5/6 = 0.833", 5 / 6), ("0.83 = 5/6", 5 / 6), ("2/3 ≈ 0.66", 2 / 3),
    ("1/1 + 1/1.585 = 1 + 0.631", 1 + 1 / 1.585), ("0.75.", 0.75), ("0.75。", 0.75), ("≈0.75", 0.75), ("75%", 0.75), (".75", 0.75), ("0,75", 0.75), ("3/4 = 75 %", 0.75),
    ("3:4", 0.75), ("3 : 4", 0.75), ("¾", 0.75), ("1¾", 1.75), ("2 ½", 2.5), ("⅔·2", 4 / 3), ("3⁄4", 0.75), ("-½", -0.5), ("（１＋２／４）／３", 0.5), ("０．７５", 0.75)])  # fmt: skip
def test_an_answer_may_be_arithmetic(text, number):
    assert ask("readNumber", [[text]])[0] == pytest.approx(number)


@pytest.mark.parametrize("text", ["", "abc", "1/", "1//2", "(1", "1)", "1/0", "2 3", "alert(1)", "log2", "AP", "AP =", "=", "0.75 = x", "log(3)", "1/2 = 1/3", "5/6 = 0.834", "0.5.5", "--", "constructor(1)", "toString(2)"])
def test_invalid_number_is_not_a_wrong_answer(text):
    (task,) = ask("deal", [["ap", 1, 1, 1]])
    (said,) = ask("mark", [[task, text]])
    assert said["again"] and not said["right"]


@pytest.mark.parametrize(("text", "hint"), [
    ("three quarters", "That is no number. Write a decimal (0.75), a fraction (3/4) or arithmetic (1/log2(3))."), ("1/log(3)", "Which logarithm?"),
    ("5/6 = 0.834", "The two sides of = differ: 0.8333 and 0.834.")])  # fmt: skip
def test_an_unreadable_answer_gets_a_hint(text, hint):
    (said,) = ask("mark", [[dealt(), text]])
    assert said["again"] and said["text"].startswith(hint)


@pytest.mark.parametrize("text", ["0.69", "69%", "AP = 0.69", "0.69.", "≈ 0.69"])
def test_two_digits_are_recognised_in_every_spelling(text):
    task = next(task for task in tasks() if task["kind"] == "value" and 0.6911 < task["answer"] < 0.6949)
    (said,) = ask("mark", [[task, text]])
    assert said["again"] and "three digits" in said["text"]


def test_a_value_outside_of_the_range_is_told():
    shares = [task for task in tasks() if task["kind"] == "value" and not re.match("CG|DCG|alpha", task["measure"])]
    for task, said in zip(shares, ask("mark", [[task, "1.7"] for task in shares]), strict=True):
        assert not said["right"] and re.match(r"Not yet\. .*? is at most 1[.:]", said["text"]), task["measure"]
    assert len(shares) > 1000
    (ndcg,) = ask("mark", [[next(task for task in shares if re.match(r"nDCG@\d", task["measure"])), "1.7"]])
    assert "is at most 1: no order has a larger sum than the ideal order." in ndcg["text"]
    task = next(task for task in shares if 0.2 < task["answer"] < 0.9 and task["topic"] == "sets")
    percent, below = ask("mark", [[task, f"{100 * task['answer']:.2f}"], [task, "-0.2"]])
    assert "write 75 percent as 0.75 or 75%" in percent["text"] and "is never below 0." in below["text"]
    change = next(task for task in tasks() if task["kind"] == "swap" and task["measure"].startswith("nDCG"))
    assert "cannot change by more than 1" in ask("mark", [[change, "1.2"]])[0]["text"]
    sums = [task for task in tasks() if task["kind"] == "value" and re.match("CG|DCG|alpha", task["measure"])]
    assert sums and not any("at most" in said["text"] for said in ask("mark", [[task, "9.7"] for task in sums]))


# ---- slips ----


def slips():
    return [(task, slip) for task in tasks() for slip in task["slips"]]


def test_every_slip_made_on_purpose_is_recognised_and_named():
    found = ask("mark", [(task, f"{slip['value']:.10f}") for task, slip in slips()])
    late = [(task["topic"], slip["name"]) for (task, slip), said in zip(slips(), found, strict=True) if said["right"] or slip["name"] not in said.get("slips", [])]
    assert late == []
    assert len({slip["name"] for _, slip in slips()}) >= 60


def test_no_slip_has_the_value_of_the_right_answer():
    assert all(abs(slip["value"] - task["answer"]) > 2 * task["tolerance"] for task, slip in slips())


def values_of(topic, name, test):
    "Slips of one name in tasks about one list, each with its task."
    found = [(task, slip["value"]) for task, slip in slips() if task["topic"] == topic and slip["name"] == name and task["kind"] == "value"]
    found = [(task, x) for task, x in found if len(task["queries"]) == 1 and test(task["measure"])]
    assert len(found) >= 5, (topic, name)
    return found


def again(task, measure, **query):
    return value(measure, task["queries"][0] | query)


def found_only(task):
    return [g for g in task["queries"][0]["grades"] if g is not None]


def cutoff(task):
    return int(task["measure"].partition("@")[2] or len(task["queries"][0]["grades"]))


def shifted(task, best=False):
    "The DCG of a list, or of its ideal order, with the discount log2(i + 2)."
    grades = sorted(task["queries"][0]["ideal"], reverse=True) if best else task["queries"][0]["grades"]
    return sum(g / math.log2(i + 2) for i, g in enumerate(grades[: cutoff(task)], start=1))


PLAIN = r"(nDCG|AP|RR|DCG|R|P)(@\d+)?"
BY_THE_PACKAGE = [
    ("dcg", "idealFromList", r"nDCG.*", lambda t: again(t, t["measure"], ideal=found_only(t))),
    ("dcg", "idealUncut", r"nDCG@\d+", lambda t: again(t, f"nDCG(cut_ideal=False)@{cutoff(t)}")),
    ("dcg", "otherGain", r"n?DCG@\d+", lambda t: again(t, t["measure"].replace("@", "(gain='exp')@"))),
    ("dcg", "otherGain", r"n?DCG\(gain='exp'\)@\d+", lambda t: again(t, t["measure"].replace("(gain='exp')", ""))),
    ("dcg", "ln", r"DCG@\d+", lambda t: again(t, f"DCG(discount='ln')@{cutoff(t)}")),
    ("dcg", "rankFrom0", PLAIN, lambda t: again(t, t["measure"].replace("@", "(discount='jarvelin')@"))),
    ("dcg", "standardDiscount", r"nDCG\(discount.*", lambda t: again(t, f"nDCG@{cutoff(t)}")),
    ("dcg", "notDivided", r"nDCG.*", lambda t: again(t, t["measure"][1:])),
    ("dcg", "valueOverK", r"nDCG.*", lambda t: again(t, t["measure"]) / cutoff(t)),
    ("dcg", "rankFrom2", r"nDCG@\d+", lambda t: shifted(t) / shifted(t, best=True)),
    ("dcg", "rankFrom2Above", r"nDCG@\d+", lambda t: shifted(t) / again(t, f"DCG@{cutoff(t)}") * t["answer"]),
    ("dcg", "overK", r"DCG.*", lambda t: again(t, t["measure"]) / cutoff(t)),
    ("dcg", "noDiscount", r"DCG@\d+", lambda t: again(t, f"CG@{cutoff(t)}")),
    ("dcg", "uncut", r"nDCG@\d+", lambda t: again(t, "nDCG")),
    ("ap", "overFound", PLAIN, lambda t: again(t, t["measure"].replace("AP", "AP(divisor='retrieved')"))),
    ("ap", "overMin", r"AP@\d+", lambda t: again(t, t["measure"].replace("AP", "AP(divisor='min(R,k)')"))),
    ("ap", "overR", r".*min.*", lambda t: again(t, f"AP@{cutoff(t)}")),
    ("ap", "precision", PLAIN, lambda t: again(t, f"P@{cutoff(t)}")),
    ("ap", "recall", PLAIN, lambda t: again(t, f"R@{cutoff(t)}")),
    ("ap", "gradeOne", r"AP\(rel=2\)", lambda t: again(t, "AP")),
    ("sets", "overR", r"P@\d+", lambda t: again(t, f"R@{cutoff(t)}")),
    ("sets", "overK", r"R@\d+", lambda t: again(t, f"P@{cutoff(t)}")),
    ("sets", "overMin", r"R@\d+", lambda t: again(t, f"R(divisor='min(R,k)')@{cutoff(t)}")),
    ("sets", "overFound", r"R@\d+", lambda t: again(t, t["measure"], ideal=found_only(t))),
    ("sets", "betaOne", r"F\(beta.*", lambda t: again(t, f"F@{cutoff(t)}")),
    ("sets", "mean", r"F@\d+", lambda t: (again(t, f"P@{cutoff(t)}") + again(t, f"R@{cutoff(t)}")) / 2),
    ("rr", "rank", PLAIN, lambda t: 1 / again(t, t["measure"])),
    ("rr", "gradeOne", r"RR\(rel=2\)", lambda t: again(t, "RR")),
    ("cascade", "log", r"ERR.*", lambda t: again(t, t["measure"].replace(")", ",phi='log2')"))),
    ("cascade", "scaleOfList", r"ERR\(max_grade=3\)", lambda t: again(t, f"ERR(max_grade={max(found_only(t))})", ideal=found_only(t))),
    ("cascade", "scaleAbove", r"ERR\(max_grade=3\).*", lambda t: again(t, t["measure"].replace("=3", "=4"))),
    ("cascade", "scaleAbove", r"ERR\(max_grade=4\).*", lambda t: again(t, t["measure"].replace("=4", "=5"))),
    ("sets", "wholeList", r"P@\d+", lambda t: again(t, "SetP")),
    ("cascade", "swapped", r"RBP.*", lambda t: again(t, re.sub(r"p=([\d.]+)", lambda m: f"p={1 - float(m[1]):.1f}", t["measure"]))),
    ("subtopics", "repeatedFully", r"alpha_DCG.*", lambda t: sum(len(names(g)) / math.log2(i + 2) for i, g in enumerate(t["queries"][0]["grades"][: cutoff(t)]))),
    ("subtopics", "repeatedFully", r"alpha_nDCG", lambda t: again(t, "alpha_nDCG(alpha=0)")),
    ("subtopics", "sortedIdeal", r"alpha_nDCG", lambda t: sorted_ideal(t)),
    ("subtopics", "rankFrom2", r"alpha_DCG.*", lambda t: halved([0, *t["queries"][0]["grades"]], cutoff(t) + 1)),
    ("subtopics", "notDivided", r"alpha_nDCG", lambda t: halved(t["queries"][0]["grades"], None)),
    ("subtopics", "precision", r"StRecall.*", lambda t: again(t, f"P@{cutoff(t)}")),
    ("subtopics", "allSubtopics", r"StRecall.*", lambda t: again(t, t["measure"]) * len({n for g in t["queries"][0]["ideal"] for n in names(g)}) / 3),
    ("subtopics", "uncut", r"ERR_IA.*", lambda t: again(t, f"ERR_IA@{len(t['queries'][0]['grades'])}")),
    ("auc", "inverted", r"AUC", lambda t: 1 - t["answer"]),
    ("auc", "discovery", r"FPR.*", lambda t: 1 - t["answer_of_precision"]),
]  # fmt: skip


@pytest.mark.parametrize(("topic", "name", "measures", "want"), BY_THE_PACKAGE, ids=lambda x: x if isinstance(x, str) and x.isidentifier() else "")
def test_a_slip_has_the_value_that_the_package_gives_to_the_mistake(topic, name, measures, want):
    for task, x in values_of(topic, name, re.compile(measures).fullmatch):
        if name == "discovery":
            (query,), k = task["queries"], cutoff(task)
            task = task | {"answer_of_precision": sum(query["labels"][:k]) / k}
        assert near(x, want(task)), (task["measure"], task["queries"])


def test_an_unanswered_query_that_is_left_out_is_recognised():
    found = [(task, slip["value"]) for task, slip in slips() if slip["name"] == "leftOut"]
    for task, x in found:
        assert near(x, combined(task["measure"], "answered", task["queries"]))
    assert len(found) > 30


def test_mean_rank_is_recognised_as_a_slip_for_mrr():
    found = [(task, slip["value"]) for task, slip in slips() if slip["name"] == "ranks"]
    for task, x in found:
        ranks = [1 / value(task["measure"], query) for query in task["queries"] if value(task["measure"], query)]
        assert near(x, np.mean(ranks)) and task["measure"].startswith("RR")
    assert len(found) > 30


def test_slip_text_names_the_wrong_and_the_right_divisor():
    task = next(task for task in tasks() if task["topic"] == "ap" and task["measure"] == "AP" and task["kind"] == "value" and task["queries"][0]["missed"] and len(task["queries"]) == 1)
    (slip,) = (slip for slip in task["slips"] if slip["name"] == "overFound")
    (query,) = task["queries"]
    hits, lost = sum(query["grades"]), len(query["missed"])
    assert f"You divided by {hits}; R is {hits + lost}: {hits} retrieved and {lost} not." in slip["text"]


def test_the_steps_end_with_the_answer():
    some = tasks()[::5]
    for task, way in zip(some, ask("demonstrate", [[task] for task in some]), strict=True):
        want = task["choices"][task["answer"]] if "choices" in task else f"{task['answer']:.4f}" if task["tolerance"] else str(task["answer"])
        assert want.replace("-", "−")[:-1] in way[-1]["text"].replace("-", "−") and all(step["text"] for step in way), task


# ---- on a page ----


@pytest.fixture
def drill(open_site):
    "A drill in Chromium."
    script = (NBS / "play/play.js").read_text(encoding="utf-8")

    def shown(topic="ap", address="#seed=17&level=2&task=1", theme="", **how):
        body = page_of(f"<div class='drill' data-topic='{topic}'><p>No script.</p></div>", theme=theme)
        page = open_site({"": ("text/html", body), "play.js": ("text/javascript", script)}, address, **how)
        page.wait_for_selector(".drill > section", state="attached")
        return page

    return shown


def dealt(topic="ap", level=2, seed=17, number=1):
    return ask("deal", [[topic, level, seed, number]])[0]


def first(topic, level, wanted):
    "A seed whose first task is as wanted, and the task."
    found = ask("deal", [[topic, level, seed, 1] for seed in range(1, 60)])
    return next((seed, task) for seed, task in enumerate(found, start=1) if wanted(task))


def status(page):
    return page.locator("[role=status]").inner_text()


def test_the_address_decides_the_task_and_a_reload_keeps_it(drill):
    page = drill()
    question = page.locator(".question").inner_text()
    assert drill().locator(".question").inner_text() == question
    page.get_by_role("button", name="Next task").click()
    assert page.url.endswith("#seed=17&level=2&task=2") and "Task 2, seed 17" in page.locator(".drill").inner_text()
    lists = page.locator(".lists").inner_text()
    page.reload()
    assert page.locator(".lists").inner_text() == lists
    page.evaluate("location.hash = 'seed=17&level=2&task=1'")
    page.wait_for_function("document.querySelector('.question').textContent === " + json.dumps(question))
    assert page.get_by_role("link", name="Link to this task").get_attribute("href") == "#seed=17&level=2&task=1"


@pytest.mark.parametrize("address", ["", "#seed=x&level=9&task=-1", "#level=3", "#top"])
def test_an_address_without_a_task_deals_one(drill, address):
    page = drill(address=address)
    assert re.search(r"#seed=[1-9]\d*&level=[123]&task=1$", page.url)


def test_by_keyboard_a_task_is_answered_and_the_next_one_comes(drill):
    seed, task = first("ap", 1, lambda task: task["kind"] == "value")
    page = drill(address=f"#seed={seed}&level=1&task=1")
    page.get_by_role("textbox", name="Your answer").focus()
    page.keyboard.type("zero")
    page.keyboard.press("Enter")
    assert "no number" in status(page)
    page.get_by_role("textbox", name="Your answer").fill(f"{task['answer']:.4f}")
    page.keyboard.press("Enter")
    assert status(page) == f"Yes: {task['answer']:.4f}." and "Streak 1" in page.locator(".drill").inner_text()
    assert page.locator(".way li").count() == 3
    page.keyboard.press("Enter")  # the focus is on the next task
    assert page.url.endswith("task=2") and status(page) == ""
    page.keyboard.type("0.5")  # the focus is where the answer goes
    assert page.get_by_role("textbox", name="Your answer").input_value() == "0.5"


def test_after_five_in_a_row_the_next_task_is_of_the_next_level(drill):
    page = drill(address="#seed=17&level=1&task=1")
    for number in range(1, 6):
        assert f"level=1&task={number}" in page.url and "Level 2 is next" not in status(page)
        page.get_by_role("textbox", name="Your answer").fill(f"{dealt(level=1, number=number)['answer']:.5f}")
        page.keyboard.press("Enter")
        assert status(page).endswith("Five in a row. Level 2 is next.") == (number == 5)
        page.get_by_role("button", name="Next task").click()
    assert page.url.endswith("#seed=17&level=2&task=1") and "Streak 5" in page.locator(".drill").inner_text()


def test_missed_documents_are_shown_for_both_lists(drill):
    page = drill("dcg", "#seed=39&level=2&task=1")
    task = dealt("dcg", 2, 39, 1)
    assert task["queries"][0]["missed"] == [1, 1] and task["scale"] == 3
    assert "Judged, but not retrieved: grade" in page.locator(".missed").inner_text()
    task = dealt("sets", 2, 78, 4)
    page = drill("sets", "#seed=78&level=2&task=4")
    assert task["kind"] == "better"
    want = [f"Relevant, but not retrieved: {n} document{'s' * (n != 1)}." if n else "Nothing relevant was missed." for n in (len(query["missed"]) for query in task["queries"])]
    assert [text.strip() for text in page.locator(".missed").all_inner_texts()] == want and len(want) == 2


def test_a_slip_is_named_with_the_step_where_it_went_off_and_ends_the_streak(drill):
    seed, task = first("ap", 2, lambda t: t["measure"] == "AP" and t["kind"] == "value" and any(s["name"] == "overFound" for s in t["slips"]))
    slip = next(s for s in task["slips"] if s["name"] == "overFound")
    page = drill(address=f"#seed={seed}&level=2&task=1")
    page.get_by_role("textbox", name="Your answer").fill(f"{slip['value']:.3f}")
    page.get_by_role("button", name="Check").click()
    assert status(page).startswith("Not yet. You divided by the relevant documents that were found.")
    assert page.locator(".way li").all_inner_texts()[0].startswith("Divided by")
    page.get_by_role("textbox", name="Your answer").fill(f"{task['answer']:.3f}")
    page.get_by_role("button", name="Check").click()
    assert status(page).startswith("Yes: ") and "Streak 0" in page.locator(".drill").inner_text()


def test_button_shows_the_steps_of_the_solution(drill):
    page = drill()
    page.get_by_role("button", name="Show me how").click()
    want = [step["text"] for step in ask("demonstrate", [[dealt()]])[0]]
    assert page.locator(".way li").all_inner_texts() == want


@pytest.mark.parametrize("kind", ["better", "convention", "grade"])
def test_by_touch_a_choice_is_answered(drill, kind):
    topic, level = ("dcg", 2) if kind == "better" else ("dcg", 3)
    seed, task = first(topic, level, lambda t: t["kind"] == kind)
    page = drill(topic, f"#seed={seed}&level={level}&task=1", has_touch=True, viewport={"width": 400, "height": 800})
    assert not page.locator("form").is_visible()
    wrong = next(j for j in range(len(task["choices"])) if j != task["answer"])
    page.locator(".choices button").nth(wrong).tap()
    assert status(page).startswith("Not yet.")
    page.locator(".choices button").nth(task["answer"]).tap()
    assert status(page).startswith("Yes: ")


def test_three_levels_can_be_chosen(drill):
    page = drill("mixed")
    page.get_by_role("button", name="Level 3").click()
    assert "level=3&task=1" in page.url
    assert page.get_by_role("button", name="Level 3").get_attribute("aria-pressed") == "true"


@pytest.mark.parametrize("topic", [*TOPICS, "mixed"])
def test_a_phone_in_both_themes_has_room_contrast_and_targets(drill, topic):
    page = drill(topic, "#seed=3&level=1&task=1", viewport={"width": 400, "height": 800})
    for level in 1, 2, 3:
        page.get_by_role("button", name=f"Level {level}").click()
        page.get_by_role("button", name="Show me how").click()
        assert page.evaluate(WIDE) <= 1
        assert page.evaluate(SMALL) == []
        parts = page.locator(".drill :is(button, input, .starts a):visible")
        assert all(part.bounding_box()["height"] >= 40 and part.bounding_box()["width"] >= 40 for part in parts.all())
        for theme in "quarto-light", "quarto-dark":
            page.evaluate(f"document.body.className = '{theme}'")
            assert page.evaluate(CONTRAST) == [], theme
    field = page.get_by_role("textbox", name="Your answer")
    assert not field.is_visible() or field.bounding_box()["width"] >= 200


def test_the_script_is_loaded_where_a_page_has_a_drill():
    text = (NBS / "play/play.html").read_text(encoding="utf-8")
    assert 'document.querySelector(".play, .drill")' in text


# ---- the pages ----


DRILLS = sorted(name for name in notebooks() if name.parts[:2] == ("learn", "drills"))
SHEET, EXAM = Path("learn/formula_sheet.ipynb"), Path("learn/mock_exam.ipynb")


def markdown(name):
    "What a page says, in its order."
    return "\n\n".join(part for cell in cells(NBS / name) for part in shown(cell))


def test_every_topic_has_a_page_with_a_drill():
    assert [name.stem for name in DRILLS] == sorted([*TOPICS, "mixed"])
    for name in DRILLS:
        assert re.findall(r'<div class="drill" data-topic="(\w+)"', markdown(name)) == [name.stem]


@pytest.mark.parametrize("name", DRILLS, ids=str)
def test_twenty_tasks_have_folded_answers_without_a_script(name):
    text = markdown(name)
    assert re.findall(r"^\*\*(\d+)\.\*\* ", text, re.MULTILINE) == [str(i) for i in range(1, 21)]
    answers = re.findall(r"<details><summary>Answer</summary>\n\n(.*?)\n\n</details>", text, re.DOTALL)
    assert len(answers) == 20 and all(re.search(r"= -?\d\.\d{4}", answer) for answer in answers)


def test_an_exam_has_sixty_marks_folded_solutions_and_a_second_one_of_other_numbers():
    one, other = ("".join(part) for part in re.findall(r"## Exam \d(.*?)(?=## |\Z)", markdown(EXAM), re.DOTALL))
    for text in one, other:
        marks = re.findall(r"^\*\*\d+\.\*\* \((\d+) marks\)", text, re.MULTILINE)
        assert sum(map(int, marks)) == 60 and text.count("<summary>Solution</summary>") == len(marks) == 10
        for asked in ("F2@5", "F0.5@5", "(FPR, TPR)", "GAUC", "Järvelin", "junk", "nDCG@3 change", "Name the mistake", "What can you not conclude"):
            assert asked in text, asked
        assert re.search(r"\*\*9\.\*\* .*(Show that|becomes)", text), "one is to be proved"
    assert one != other


def test_a_function_to_criticise_gives_the_wrong_value_of_its_solution():
    found = re.findall(r"```python\n(.*?)```.*?^- `(\w+\([^`]*\))` is ([\d.]+), and ([\d.]+) is right", markdown(EXAM), re.DOTALL | re.MULTILINE)
    assert len(found) == 2
    for code, call, wrong, right in found:
        names = {"log2": math.log2}
        exec(code, names)
        assert f"{eval(call, names):.4f}" == wrong != right
    values = {"dcg([0, 1])": 1 / math.log2(3), "mrr([1, None])": 1 / 2}
    assert {call: right for _, call, _, right in found} == {call: f"{value:.4f}" for call, value in values.items()}


def test_exam_shows_how_a_swap_changes_each_measure():
    exercises = re.findall(r"\*\*7\.\*\*(.*?)\*\*8\.\*\*", markdown(EXAM), re.DOTALL)
    assert len(exercises) == 2
    for text in exercises:
        grades = json.loads(re.search(r"In the list (\[.*?\])", text)[1])
        after = [*grades[:2], grades[3], grades[2], *grades[4:]]
        said = re.findall(r"^- `(\S+) = .*: \*\*([+-]\d\.\d{4})\*\*$", text, re.MULTILINE)
        assert [name for name, _ in said] == ["AP", "P@6", "nDCG@3"]
        assert {name: f"{parse(name).of(after) - parse(name).of(grades):+.4f}" for name, _ in said} == dict(said)


def test_the_formula_sheet_has_logarithms_to_rank_10_gains_to_grade_4_and_conventions_that_differ():
    text = markdown(SHEET)
    (logs,) = re.findall(r"\| log₂\(i \+ 1\) \|(.*)\|", text)
    assert [float(x) for x in logs.split("|")] == [round(math.log2(i + 1), 3) for i in range(1, 11)]
    assert "| gain 2^g − 1 | 0 | 1 | 3 | 7 | 15 |" in text
    named = re.findall(r"^\| (\w+)[^|]*\| (\d\.\d{4}) \|$", text.partition("| convention")[2], re.MULTILINE)
    assert len(named) == len(set(named)) == 13, "each convention gives another number"


def listed(text, words):
    "The numbers that follow some words of the data that the sheet prints."
    (found,) = re.findall(words + r" ((?:[\d.]+, )*[\d.]*\d)", text)
    return [Fraction(x) for x in found.split(", ")]


def average(pairs):
    "The area of some pairs (label, score): pairs in order, equal ones one half."
    gaps = [a - b for x, a in pairs for y, b in pairs if x and not y]
    return Fraction(sum(2 * (gap > 0) + (gap == 0) for gap in gaps), 2 * len(gaps))


def test_the_numbers_of_the_formula_sheet_follow_from_the_data_that_it_prints():
    text = markdown(SHEET).replace("\n", " ")
    shown = {name: float(x) for name, x in re.findall(r"\| ([^|<]+?) <small>[^|]*\| ([\d.]+) \|", text)}
    grades, missed = listed(text, "A list with the grades"), listed(text, "and grade")
    hits, relevant = [i for i, g in enumerate(grades, 1) if g], sum(g > 0 for g in grades + missed)
    precision, recall = Fraction(len(hits), len(grades)), Fraction(len(hits), relevant)
    reached = [(Fraction(r, relevant), Fraction(r, i)) for r, i in enumerate(hits, 1)]
    points = [max((p for r, p in reached if r >= Fraction(x, 10)), default=0) for x in range(11)]
    scores, labels = listed(text, "have the scores"), listed(text, "and the labels")
    items = list(zip(labels, scores, strict=True))
    (users,) = re.findall(r"the users ((?:\w, )*\w) saw", text)
    areas = [average([item for item, u in zip(items, users.split(", "), strict=True) if u == user]) for user in "ab"]
    top = [label for label, score in items if score >= Fraction("0.8")]
    want = {"precision P@k": precision, "recall R@k": recall, "F1@k": 2 * precision * recall / (precision + recall),
            "F2@k": 5 * precision * recall / (4 * precision + recall), "F0.5@k": Fraction(5, 4) * precision * recall / (precision / 4 + recall),
            "11-point precision": sum(points) / 11, "AUC": average(items), "TPR, threshold 0.8": Fraction(sum(top), sum(labels)),
            "FPR, threshold 0.8": Fraction(top.count(0), labels.count(0)), "GAUC": sum(areas) / 2, "GAUC by impressions": (2 * areas[0] + 3 * areas[1]) / 5}  # fmt: skip
    assert {name: shown[name] for name in want} == {name: pytest.approx(float(x), abs=5e-5) for name, x in want.items()}
    assert sum(points) / 11 == Fraction(31, 55)
    assert len(shown) == 24


def test_the_formula_sheet_is_two_pages_of_paper_black_on_white(browser):
    page = browser.new_page()
    styles, dark = (NBS / "styles.css").read_text(encoding="utf-8"), "body, td { color: #ddd; background: #111; }"
    page.set_content(f"<!DOCTYPE html><style>{dark}{styles}</style><body class='quarto-dark'><main>{body(SHEET)}</main>")
    paper = page.pdf(format="A4")
    page.emulate_media(media="print")
    look = page.evaluate("""() => ['h2', 'p', 'td'].map(name => getComputedStyle(document.querySelector('main ' + name)))
        .map(style => [style.color, style.breakAfter])""")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.close()
    assert len(re.findall(rb"/Type\s*/Page\b", paper)) == 2
    assert {colour for colour, _ in look} == {"rgb(0, 0, 0)"} and ground == "rgb(255, 255, 255)"
    assert look[0][1] == "avoid", "a heading stays with its table"
