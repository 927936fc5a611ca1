"""The questions that no formula decides, and the parameters of each measure.

The first answer is the default. A setting is one answer that differs from it, and is called by question and answer, such as
`ties=average`."""

from exact.arithmetic import exact

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

REL = {"rel": (1, 2)}
GAIN = {"gain": ("linear", "exp", "binary")}
DISCOUNT = {"discount": ("log2", "jarvelin", "ln"), "b": (2, 3)}
PARAMETERS = {
    "P": {"divisor": ("k", "min(k,n)", "min(R,k)"), **REL},
    "R": {"divisor": ("relevant", "min(R,k)"), **REL},
    "F": {"beta": (1, 2, 0.5), **REL},
    "Success": REL,
    "Rprec": REL,
    "Judged": {},
    "SetP": {"divisor": ("k", "min(k,n)", "min(R,k)"), **REL},
    "SetR": REL,
    "SetF": {"beta": (1, 2, 0.5), **REL},
    "SetAP": REL,
    "AP": {"divisor": ("relevant", "min(R,k)", "min(R,n)", "retrieved"), "tied": ("apart", "together"), **REL},
    "GMAP": REL,
    "IPrec": {"levels": ("exact", "trec_eval9", "trec_eval10"), **REL},
    "Bpref": REL,
    "GMBpref": REL,
    "CG": GAIN,
    "DCG": GAIN | DISCOUNT,
    "nDCG": GAIN
    | DISCOUNT
    | {"ideal_from": ("judged", "list", "top", "found", "best"), "cut_ideal": (True, False)},
    "RR": REL,
    "ERR": {"max_grade": (None, 4), "phi": ("reciprocal", "log2"), "gain": ("exp", "linear")},
    "RBP": {"p": (0.8, 0.5), "gain": ("binary", "raw", "linear", "exp"), **REL},
    "NumRet": {},
    "NumRel": REL,
    "NumRelRet": REL,
    "Fallout": REL,
    "AUC": REL,
    "GAUC": {"weights": ("equal", "impressions", "positives"), **REL},
}
CUTOFF = dict.fromkeys("P R F Success Judged AP GMAP CG DCG nDCG RR ERR RBP NumRelRet Fallout".split(), "k") | {"IPrec": "recall"}
WITHOUT_CONVENTIONS = ("Fallout", "AUC", "GAUC")  # functions of one list, or of labels and scores

# A parameter that needs another one beside it.
TOGETHER = {("b", 3): {"discount": "jarvelin"}}

EXACT = {"beta", "p", "rel", "max_grade", "b"}  # numbers that are computed with, and no words


def defaults(measure):
    "Every question of a measure, with its first answer."
    questions = PARAMETERS[measure] | ({} if measure in WITHOUT_CONVENTIONS else CONVENTIONS)
    return {question: answers[0] for question, answers in questions.items()}


def settings(measure):
    "{name: what differs from the defaults}, one for each other answer."
    questions = PARAMETERS[measure] | ({} if measure in WITHOUT_CONVENTIONS else CONVENTIONS)
    found = {}
    for question, answers in questions.items():
        for answer in answers[1:]:
            changes = {**TOGETHER.get((question, answer), {}), question: answer}
            found[", ".join(f"{q}={shown(a)}" for q, a in changes.items())] = changes
    return found


def shown(answer):
    return str(answer).lower() if isinstance(answer, bool) else str(answer)


def as_exact(answers):
    "The answers with exact numbers."
    return {q: exact(a) if q in EXACT and a is not None else a for q, a in answers.items()}


# ---- what cannot matter ----

UNORDERED = "SetP SetR SetF SetAP NumRet NumRel".split()  # the same in every order
BINARY_ONLY = "P R F Success Rprec SetP SetR SetF SetAP AP GMAP IPrec RR RBP NumRet NumRel NumRelRet".split()
BLIND_TO_PLACES = "SetR NumRel Bpref GMBpref".split()
# (measures, question, an answer, the answer that comes to the same, why).
IDLE = [
    *((UNORDERED, "ties", other, "docid", "the order does not matter") for other in CONVENTIONS["ties"][1:]),
    (UNORDERED, "score_dtype", "float32", "float64", "the order does not matter"),
    (BINARY_ONLY, "negative", "keep", "zero", "a grade below 0 is not relevant, judged or not"),
    (["ERR"], "negative", "keep", "zero", "a grade below 0 satisfies nobody"),
    (BLIND_TO_PLACES, "unjudged", "skip", "keep", "documents that nobody judged are not looked at"),
    (["SetP"], "divisor", "min(k,n)", "k", "without a cutoff k is n"),
    (["nDCG"], "discount", "ln", "log2", "a constant factor of list and ideal cancels"),
    (["NumRet", "NumRel", "NumRelRet"], "no_relevant", "one", "zero", "a count of nothing stays 0"),
    (["NumRet"], "duplicates", "last", "first", "a document is counted once, whichever row counts"),
    (["NumRet"], "duplicates", "best", "first", "a document is counted once, whichever row counts"),
]
BLIND_TO_MISSED = "P Success Judged SetP CG DCG RR RBP NumRet NumRelRet".split()
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
