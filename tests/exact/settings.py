"""The questions that no formula decides, the parameters of each measure, and what each tool answers.

The first answer is the default. A setting is one answer that differs from it, and is called by question and answer, such as
`ties=average`; the settings of a tool are several at once."""

from exact.arithmetic import exact

# Of every measure that is computed from judgments and a run.
CONVENTIONS = {
    "ties": ("docid", "given", "average", "best", "worst"),
    "missing": ("zero", "skip"),
    "no_relevant": ("zero", "skip", "nan", "one"),
    "negative": ("zero", "keep"),
    "score_dtype": ("float64", "float32"),
    "unjudged": ("keep", "skip"),
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
    | {"ideal_from": ("judged", "list", "top", "found", "best", "given"), "cut_ideal": (True, False)},
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


def what_matters(measure, changes):
    "The changes without those that cannot matter for a measure, and why these cannot."
    left, why = dict(changes), []
    for measures, question, answer, same, reason in IDLE:
        if measure in measures and left.get(question) == answer:
            left[question] = same
            why.append(reason)
    usual = defaults(measure)
    return {q: a for q, a in left.items() if a != usual[q]}, why


# ---- tools ----

EXP = {"nDCG": {"gain": "exp"}, "DCG": {"gain": "exp"}}
BINARY = {"nDCG": {"gain": "binary"}, "DCG": {"gain": "binary"}}
TREC_EVAL_HAS = "P R SetP SetR SetF SetAP Success Rprec AP GMAP IPrec Bpref GMBpref nDCG RR NumRet NumRel NumRelRet"
TREES = {**EXP, "AP": {"divisor": "min(R,k)"}}

# Name: answers for all measures, answers for some, the measures that it has.
TOOLS = {
    "trec_eval": (
        {"missing": "skip", "score_dtype": "float32"},
        {"IPrec": {"levels": "trec_eval9"}},
        TREC_EVAL_HAS,
    ),
    "trec_eval-c": ({"score_dtype": "float32"}, {"IPrec": {"levels": "trec_eval9"}}, TREC_EVAL_HAS),
    "trec_eval10": ({}, {"IPrec": {"levels": "trec_eval10"}}, TREC_EVAL_HAS),
    "ir_measures": (
        {"score_dtype": "float32", "duplicates": "last"},
        {"IPrec": {"levels": "trec_eval9"}, "ERR": {"max_grade": 4}},
        "P R SetP SetR SetF SetAP Success Rprec AP IPrec Bpref nDCG RR ERR RBP Judged NumRet NumRel NumRelRet",
    ),
    "gdeval": ({}, {**EXP, "ERR": {"max_grade": 4}}, "nDCG ERR"),
    "msmarco": ({"ties": "given"}, {}, "RR"),
    "ranx": ({"ties": "given"}, {"RBP": {"gain": "raw"}}, "Success P R F Rprec RR AP DCG nDCG Bpref RBP"),
    "sklearn": (
        {"ties": "average"},
        {"nDCG": {"ideal_from": "list"}, "AP": {"divisor": "retrieved", "tied": "together"}},
        "nDCG DCG AP SetP SetR SetF",
    ),
    "torchmetrics": (
        {"ties": "average", "score_dtype": "float32"},
        {"nDCG": {"ideal_from": "list"}, "AP": {"divisor": "retrieved"}},
        "nDCG AP P R RR Success Rprec",
    ),
    "xgboost": (
        {"ties": "given", "no_relevant": "one"},
        {**TREES, "P": {"divisor": "min(k,n)", "no_relevant": "zero"}},
        "nDCG AP P",
    ),
    "lightgbm": ({"ties": "given", "no_relevant": "one"}, TREES, "nDCG AP"),
    "catboost": (
        {"ties": "worst", "negative": "keep"},
        {
            "AP": {"divisor": "min(R,k)"},
            "P": {"divisor": "min(k,n)"},
            "nDCG": {"no_relevant": "one"},
            "R": {"no_relevant": "one"},
        },
        "nDCG DCG AP P R RR",
    ),
    "recbole": (
        {"ties": "given", "no_relevant": "skip"},
        {**BINARY, "AP": {"divisor": "min(R,k)"}},
        "nDCG AP P R RR Success",
    ),
    "recommenders": (
        {"ties": "given", "missing": "skip", "no_relevant": "skip"},
        {"nDCG": {"gain": "binary", "discount": "ln"}, "AP": {"divisor": "min(R,k)"}},
        "nDCG AP P R",
    ),
    "rectools": (
        {"ties": "given", "no_relevant": "skip"},
        {"nDCG": {"gain": "binary", "ideal_from": "best"}},
        "nDCG AP P R RR Success",
    ),
    "lenskit": (
        {"ties": "given", "no_relevant": "nan"},
        {
            "nDCG": {"gain": "binary", "discount": "jarvelin"},
            "DCG": {"gain": "binary", "discount": "jarvelin"},
            "AP": {"divisor": "min(R,n)"},
            "P": {"divisor": "min(k,n)"},
            "R": {"divisor": "min(R,k)"},
            "RBP": {"p": 0.85},
        },
        "nDCG DCG AP P R RR Success RBP",
    ),
    "spark": ({"ties": "given"}, {**BINARY, "AP": {"divisor": "min(R,k)"}}, "nDCG AP P R"),
    "elasticsearch": (
        {"ties": "given"},
        {"nDCG": {"gain": "exp", "ideal_from": "found"}, "DCG": {"gain": "exp"}, "P": {"divisor": "min(k,n)"}},
        "nDCG DCG P R RR ERR",
    ),
    "beir": ({"missing": "skip", "score_dtype": "float32"}, {}, "nDCG AP P R RR Success"),
    "mteb": ({"missing": "skip", "score_dtype": "float32"}, {}, "nDCG AP P R RR Success"),
    "llama_index": (
        {"ties": "given", "no_relevant": "skip"},
        {"nDCG": {"gain": "binary", "cut_ideal": False}},
        "nDCG AP P R RR Success",
    ),
    "llama_index-0.12": (
        {"ties": "given", "no_relevant": "skip"},
        {"nDCG": {"gain": "binary", "ideal_from": "best"}},
        "nDCG AP P R RR Success",
    ),
    "haystack": ({"ties": "given"}, {"nDCG": {"cut_ideal": False}}, "nDCG AP R RR Success"),
    "ragas": ({"ties": "given"}, {"AP": {"divisor": "retrieved"}}, "AP"),
}


def tools(measure):
    "{tool: what it answers otherwise than the defaults}, of those that have the measure."
    usual = defaults(measure)
    found = {}
    for name, (everywhere, of_measure, has) in TOOLS.items():
        if measure in has.split():
            answers = everywhere | of_measure.get(measure, {})
            found[name] = {q: a for q, a in answers.items() if a != usual[q]}
    return found
