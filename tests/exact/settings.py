"""The questions that no formula decides, and the parameters of each measure.

The first answer is the default. A setting is one answer that differs from it, and is called by question and answer, such as
`ties=average`."""

from exact.arithmetic import exact_parameter
from exact.measures import MEASURES

# Of every measure that is computed from judgments and a run.
CONVENTIONS = {
    "ties": ("docid", "given", "average", "best", "worst"),
    "missing": ("zero", "skip"),
    "no_relevant": ("zero", "skip", "nan", "one"),
    "negative": ("zero", "keep"),
    "score_dtype": ("float64", "float32"),
    "unjudged": ("keep", "skip"),
    "judgments": ("all", "retrieved"),
    "duplicates": ("refuse", "first", "last", "best"),
}

# A parameter that needs another one beside it.
TOGETHER = {("b", 3): {"discount": "jarvelin"}}


def questions(measure):
    "{question: answers} of a measure: its parameters, and the conventions if it is computed from a run."
    conventions = CONVENTIONS if MEASURES[measure].input == "run" else {}
    if not MEASURES[measure].has_best_order:
        conventions = {**conventions, "ties": CONVENTIONS["ties"][:3]}
    return {**MEASURES[measure].parameters, **conventions}


def defaults(measure):
    "Every question of a measure, with its first answer."
    return {question: answers[0] for question, answers in questions(measure).items()}


def settings(measure):
    "{name: what differs from the defaults}, one for each other answer."
    found = {}
    for question, answers in questions(measure).items():
        for answer in answers[1:]:
            changes = {**TOGETHER.get((question, answer), {}), question: answer}
            found[", ".join(f"{q}={shown(a)}" for q, a in changes.items())] = changes
    return found


def shown(answer):
    return str(answer).lower() if isinstance(answer, bool) else str(answer)


def as_exact(answers):
    "The answers with exact numbers."
    return {question: exact_parameter(answer) for question, answer in answers.items()}


# ---- what cannot matter ----



def blind_to(what):
    "The measures to which something cannot matter."
    return [name for name, measure in MEASURES.items() if what in measure.blind_to.split()]


# (measures, question, an answer, the answer that comes to the same, why).
IDLE = [
    *((blind_to("order"), "ties", other, "docid", "the order does not matter") for other in CONVENTIONS["ties"][1:]),
    (blind_to("order"), "score_dtype", "float32", "float64", "the order does not matter"),
    (blind_to("negative"), "negative", "keep", "zero", "a grade below 0 is not relevant, judged or not"),
    (["infAP", "xinfAP", "infNDCG"], "negative", "keep", "zero", "it reads grades below 0 in any case"),
    (["ERR", "nERR", "iRBU"], "negative", "keep", "zero", "a grade below 0 satisfies nobody"),
    (blind_to("unjudged"), "unjudged", "skip", "keep", "documents that nobody judged are not looked at"),
    (["SetP"], "divisor", "min(k,n)", "k", "without a cutoff k is n"),
    (["nDCG"], "discount", "ln", "log2", "a constant factor of list and ideal cancels"),
    (["NumRet", "NumRel", "NumRelRet"], "no_relevant", "one", "zero", "a count of nothing stays 0"),
    *((["PairAccuracy"], "no_relevant", other, "zero", "without a pair there is no value in any case") for other in CONVENTIONS["no_relevant"][1:]),
    *((["Unjudged", "utility", "NumNonrelRet"], "no_relevant", other, "zero", "0 does not mean that nothing is relevant") for other in CONVENTIONS["no_relevant"][1:]),
    *((["RBPresidual"], "no_relevant", other, "zero", "it is never 0") for other in CONVENTIONS["no_relevant"][1:]),
    (["NumRet"], "duplicates", "last", "first", "a document is counted once, whichever row counts"),
    (["NumRet"], "duplicates", "best", "first", "a document is counted once, whichever row counts"),
]
BLIND_TO_MISSED = blind_to("missed")
NOTHING_MISSED = {"judgments": "retrieved"}


def listed(measure, changes):
    "The changes with what comes to the same, where only judgments of retrieved documents count; and why."
    of_all = {q: a for q, a in changes.items() if q != "judgments"}
    if changes.get("no_relevant", "zero") != "zero":  # that nothing was there to find is another thing than that it was missed
        return changes, []
    if changes.get("ideal_from") == "list":
        others = {q: a for q, a in of_all.items() if q != "ideal_from"}
        return others | NOTHING_MISSED, ["the ideal ranking is all that nDCG takes from what was missed"]
    if measure in BLIND_TO_MISSED and of_all != changes and changes.get("divisor") != "min(R,k)":
        return of_all, ["what was not retrieved is not looked at"]
    return changes, []


def what_matters(measure, changes):
    "The changes without those that cannot matter for a measure, and why these cannot."
    left, why = listed(measure, changes)
    left = dict(left)
    for measures, question, answer, same, reason in IDLE:
        if measure in measures and left.get(question) == answer:
            left[question] = same
            why.append(reason)
    usual = defaults(measure)
    return {q: a for q, a in left.items() if a != usual[q]}, why
