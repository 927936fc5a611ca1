"""Truths that the package did not compute: definitions read slowly, in exact numbers, and what other tools give.

The slow readings of metrics take one search at a time: `got`, the grades of what was retrieved in rank order (None where nobody
judged the document), and `pool`, all judged grades of its query. Each has the name and the parameters of the public
function that it checks. Sums of logarithms are floats; everything else is a Fraction.
"""
import math
from fractions import Fraction
from functools import partial
from inspect import signature
from math import log, log2

import ir_measures
import numpy as np
import pytrec_eval
from exact.arithmetic import exact, exact_parameter
from exact.data import Ranking
from exact.measures import entry, values

# ---- metrics ----


def close(values, expected):
    "Equal but for the last digits; what is exact is given as fractions."
    np.testing.assert_allclose(values, [float(x) for x in expected], rtol=1e-12, atol=1e-12)


def over(part, whole):
    "part / whole, and 0 where the whole is 0."
    return part / Fraction(whole) if whole else Fraction(0)


def good(grade, rel=1):
    return grade is not None and grade >= rel


def hits(got, k=None, rel=1):
    return sum(good(g, rel) for g in got[:k])


# sets


def depth(got, pool):
    return len(got)


def total_relevant(got, pool, rel=1):
    return sum(good(g, rel) for g in pool)


def relevant_retrieved(got, pool, k=None, rel=1):
    return hits(got, k, rel)


def precision(got, pool, k=None, rel=1, divisor="k"):
    places = len(got) if k is None else k
    whole = {"k": places, "min(k,n)": min(places, len(got)), "min(R,k)": min(places, hits(pool, None, rel))}[divisor]
    return over(hits(got, k, rel), whole)


def recall(got, pool, k=None, rel=1, divisor="relevant"):
    R = hits(pool, None, rel)
    whole = {"relevant": R, "min(R,k)": min([R, *([] if k is None else [k])])}[divisor]
    return over(hits(got, k, rel), whole)


def set_ap(got, pool, rel=1):
    return precision(got, pool, None, rel) * recall(got, pool, None, rel)


def f_beta(got, pool, k=None, rel=1, beta=1):
    "The weighted harmonic mean of precision and recall."
    p, r, weight = precision(got, pool, k, rel), recall(got, pool, k, rel), Fraction(beta) ** 2
    return (1 + weight) / (1 / p + weight / r) if p and r else Fraction(0)


def fallout(got, pool, k=None, rel=1):
    unjudged = sum(g is None for g in got)
    return over(len(got[:k]) - hits(got, k, rel), unjudged + len(pool) - hits(pool, None, rel))


def success(got, pool, k=None, rel=1):
    return int(any(good(g, rel) for g in got[:k]))


def r_precision(got, pool, rel=1):
    R = hits(pool, None, rel)
    return over(hits(got, R, rel), R)


def judged_at(got, pool, k=None):
    return over(sum(g is not None for g in got[:k]), len(got[:k]))


# average precision and its kin


def average_precision(got, pool, k=None, rel=1, divisor="relevant", tied="apart"):
    "The textbook's first form: precision at each rank that holds a relevant document, added up."
    R, found = hits(pool, None, rel), hits(got, k, rel)
    whole = {"relevant": R, "min(R,k)": R if k is None else min(R, k), "min(R,n)": min(R, len(got[:k])), "retrieved": found}[divisor]
    total = sum(Fraction(hits(got, i, rel), i) for i, g in enumerate(got[:k], start=1) if good(g, rel))
    return over(total, whole)


def interpolated_precision(got, pool, recall=None, k=None, rel=1, levels="exact"):
    "The best precision at this recall or a higher one; without a recall the mean of the eleven tenths."
    R = hits(pool, None, rel)
    # How many documents a recall of x needs; trec_eval's rules in floats, as its C code has them.
    need = {"exact": lambda x: Fraction(str(x)) * R, "trec_eval9": lambda x: int(x * R + 0.9), "trec_eval10": lambda x: int(x * R + 0.5)}[levels]
    ranks = [i for i, g in enumerate(got[:k], start=1) if good(g, rel)]
    points = [(n, Fraction(n, i)) for n, i in enumerate(ranks, start=1)]
    asked = [x / 10 for x in range(11)] if recall is None else [recall]
    return sum(max([p for n, p in points if n >= need(x)], default=0) for x in asked) / Fraction(len(asked))


def bpref(got, pool, rel=1):
    "For each relevant document the share of (at most R) documents judged otherwise that do not stand above it."
    R = hits(pool, None, rel)
    bad, total = len(pool) - R, Fraction(0)
    for i, g in enumerate(got):
        if good(g, rel):
            above = sum(x is not None and not good(x, rel) for x in got[:i])
            total += 1 - over(min(above, R), min(R, bad))
    return over(total, R)


# gain


def worth(gain):
    "A gain by name or table as a function of one grade, exact."
    if isinstance(gain, dict):
        return lambda g: Fraction(gain[g])
    return {"linear": Fraction, "exp": lambda g: Fraction(2) ** g - 1, "binary": lambda g: Fraction(g >= 1)}[gain]


def divisor_of(discount, b):
    "What the gain at rank i is divided by."
    if discount in ("log2", "ln"):
        return lambda i: log(i + 1) if discount == "ln" else log2(i + 1)
    return lambda i: 1 if i < b else log(i, b)


def cg(got, pool, k=None, gain="linear"):
    return sum(worth(gain)(g) for g in got[:k] if g is not None)


def dcg(got, pool, k=None, gain="linear", discount="log2", b=2):
    value, divisor = worth(gain), divisor_of(discount, b)
    return sum(float(value(g)) / divisor(i) for i, g in enumerate(got[:k], start=1) if g is not None)


def idcg(got, pool, k=None, gain="linear", discount="log2", b=2):
    best = sorted(pool, key=worth(gain), reverse=True)
    return dcg(best, pool, k, gain, discount, b)


def ndcg(got, pool, k=None, gain="linear", discount="log2", b=2, cut_ideal=True, ideal_from="judged"):
    best_first = sorted(pool, reverse=True)
    pool = {"judged": pool, "list": [g for g in got if g is not None], "top": [g for g in got[:k] if g is not None],
            "found": best_first[:len(got)], "best": best_first[:1] * (len(got) if k is None else k)}[ideal_from]  # fmt: skip
    best = idcg(pool, pool, k if cut_ideal else None, gain, discount, b)
    return dcg(got, pool, k, gain, discount, b) / best if best > 0 else 0


# readers who stop


def reciprocal_rank(got, pool, k=None, rel=1):
    "Look at one document after the other."
    return next((Fraction(1, i) for i, g in enumerate(got[:k], start=1) if good(g, rel)), Fraction(0))


def err(got, pool, max_grade, k=None, phi="reciprocal", gain="exp"):
    "The one-pass algorithm of the paper."
    weight = {"reciprocal": lambda i: Fraction(1, i), "log2": lambda i: Fraction(1 / log2(i + 1))}[phi]
    reading, total = Fraction(1), Fraction(0)
    for i, g in enumerate(got[:k], start=1):
        satisfied = worth(gain)(max(g or 0, 0)) / (worth(gain)(max_grade) + 1)
        total, reading = total + reading * satisfied * weight(i), reading * (1 - satisfied)
    return total


def rbp(got, pool, p=0.8, k=None, gain="binary", rel=1):
    "A reader who goes on with probability p."
    value = {"binary": lambda g: good(g, rel), "raw": lambda g: g * good(g, rel)}.get(str(gain)) or worth(gain)
    looks, total, p = Fraction(1), Fraction(0), Fraction(p)
    for g in got[:k]:
        total, looks = total + looks * (0 if g is None else value(g)), looks * p
    return (1 - p) * total


# A slow reading of each kind of measures; one that is not here is checked against its exact definition.
DEFINITIONS = {
    "P": precision, "R": recall, "F": f_beta, "SetP": precision, "SetR": recall, "SetF": f_beta, "SetAP": set_ap, "Success": success,
    "Rprec": r_precision, "Judged": judged_at, "AP": average_precision, "GMAP": average_precision,
    "IPrec": interpolated_precision, "Bpref": bpref, "GMBpref": bpref, "CG": cg, "DCG": dcg, "nDCG": ndcg, "RR": reciprocal_rank,
    "ERR": err, "RBP": rbp, "NumRet": depth, "NumRel": total_relevant, "NumRelRet": relevant_retrieved,
}  # fmt: skip


def definition(name):
    "The slow reading of a kind of measures; of one without a reading here the exact definition."
    return DEFINITIONS.get(name) or partial(by_exact_definition, name)


def by_exact_definition(name, got, pool, **parameters):
    "A measure of one search as `exact/measures.py` defines it."
    grades = tuple(None if g is None else exact(g) for g in got)
    ranking = Ranking(grades, tuple(range(len(got), 0, -1)), tuple(map(exact, pool)))
    measure = entry(name)
    for p in signature(measure.definition).parameters.values():
        if p.kind is p.KEYWORD_ONLY and p.default is p.empty:
            values(name, p.name)  # an entry without them is an error
    if unknown := [p for p in measure.parameters if p not in parameters]:
        raise AssertionError(f"{name} has no parameter {', '.join(unknown)}: correct `parameters` of its entry in MEASURES of tests/exact/measures.py")
    cutoff = {measure.cutoff: parameters.pop(measure.cutoff, None)} if measure.cutoff else {}
    value = measure.definition(ranking, **cutoff, **{p: exact_parameter(parameters[p]) for p in measure.parameters})
    return np.nan if value is None else value


# labels and scores


def auc(labels, scores):
    "The definition, pair by pair; None where there is no pair."
    positives = [s for label, s in zip(labels, scores) if label]
    negatives = [s for label, s in zip(labels, scores) if not label]
    wins = [Fraction(p > n) + Fraction(p == n) / 2 for p in positives for n in negatives]
    return sum(wins) / len(wins) if wins else None


def auc_by_rank_sum(labels, scores):
    "The same by the ranks of the positives (Mann and Whitney's U)."
    ranks = [sum(x < s for x in scores) + Fraction(scores.count(s) + 1, 2) for s in scores]
    n = sum(labels)
    u = sum(r for r, label in zip(ranks, labels) if label) - Fraction(n * (n + 1), 2)
    return u / (n * (len(labels) - n))


def auc_by_groups(labels, scores, groups):
    "{id: (AUC by pairs or None, positives, items)}, group by group."
    found = {}
    for group in sorted(set(groups)):
        rows = [(y, s) for y, s, g in zip(labels, scores, groups) if g == group]
        found[group] = auc(*zip(*rows)), sum(y for y, _ in rows), len(rows)
    return found


# other tools


def random_collection(seed, queries=30, documents=60, *, awkward=True):
    """Judgments with grades -1..4 and a run, as dicts of dicts; most documents are unjudged.

    Awkward: scores tie (quarters, or hundredths of small whole numbers), ids sort in odd ways, and some queries are missing
    on either side."""
    rng = np.random.default_rng(seed)
    names = [f"d{i}" for i in range(documents)] + ["D0", "d-1", "é1", "~", "d00"]
    qrels, run = {}, {}
    for q in range(queries):
        judged = rng.choice(names, size=rng.integers(1, 40), replace=False)
        found = rng.choice(names, size=rng.integers(1, 50), replace=False)
        scores = rng.integers(-8, 30, len(found)) / (4, 100)[seed % 2] if awkward else rng.permutation(len(found))
        if not awkward or rng.random() < 0.9:
            qrels[f"{q + 1}"] = {str(d): int(g) for d, g in zip(judged, rng.integers(-1, 5, len(judged)))}
        if not awkward or rng.random() < 0.9:
            run[f"{q + 1}"] = {str(d): float(s) for d, s in zip(found, scores)}
    return qrels, run


def trec_eval(qrels, run, names, rel=1):
    "{name: {query: value}} by trec_eval's own C code; a query that the run does not answer scores 0."
    found = pytrec_eval.RelevanceEvaluator(qrels, set(names), relevance_level=rel).evaluate(run)
    printed = next(iter(found.values())).keys()
    return {name: {q: found[q][name] if q in found else 0 for q in qrels} for name in printed}


def by_ir_measures(qrels, run, measures):
    "{measure: {query: value}} by ir_measures, which asks gdeval, the MS MARCO script, cwl_eval and others."
    found = {measure: dict.fromkeys(qrels, 0) for measure in measures}
    for value in ir_measures.iter_calc(measures, qrels, run):
        found[value.measure][value.query_id] = value.value
    return found


# ---- reading: what a TREC file means, said by `split()`, `float()` and dicts ----
#
# The reader of the package must agree with this one on every input, or refuse it.
#
# The rules, in words: lines end at a line feed; fields are separated by ASCII white space (space, tab, carriage return,
# vertical tab, form feed; a carriage return before the line feed is therefore just white space); lines without a field, and
# those whose first begins with a '#', do not count; a byte order mark in front is dropped; a judgment has four fields and a
# result six; the number is whatever `float()` reads without an underscore, but never NaN, and for a judgment never infinite;
# ids are bytes, and shown as UTF-8 with `surrogateescape`; the rank and the tag mean nothing; a document stands in a query
# once. (What is packed or comes through a pipe may also be refused for a line, or blanks, of more than a megabyte.)
# A result may have more fields, if its fourth is a whole number, its fifth a number and its sixth none, with no return right behind. Results of three fields, the third of
# digits alone on the first line, are query, document and rank: from 1 to n in every query.

COLUMN_COUNT = {"qrels": 4, "run": 6}
NUMBER_COLUMN = {"qrels": 3, "run": 4}
MAX_ID = 1 << 16  # bytes


class Refused(Exception):
    "A file that must not be read; `faults` has the number of every wrong line, and a word that its error must hold."

    def __init__(self, faults):
        super().__init__(faults)
        self.faults = faults


def as_text(field):
    "An id or a number as the package shows it."
    return field.decode("utf-8", "surrogateescape")


def usable_number(field, kind):
    "The number in a field; None if it cannot be used."
    try:
        value = math.nan if b"_" in field else float(field)
    except ValueError:
        return None
    return None if math.isnan(value) or (kind == "qrels" and math.isinf(value)) else value


def trec_rows(data, kind):
    "(rows, faults) of a file's bytes: (line, query, document, number) of right lines; {line: a word of its error}."
    rows, faults = [], {}
    lines = [*enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1)]
    lines = [(line, content.split(), content) for line, content in lines if content.strip() and not content.split()[0].startswith(b"#")]
    ranks = kind == "run" and bool(lines) and len(lines[0][1]) == 3 and lines[0][1][2].isdigit()
    width, doc, number = (3, 1, 2) if ranks else (COLUMN_COUNT[kind], 2, NUMBER_COLUMN[kind])
    widths = {len(fields) for _, fields, _ in lines} if 0 not in data else {0}
    if kind == "qrels" and widths == {2}:  # relevant documents
        width, doc, number = 2, 1, None
    untagged = kind == "run" and widths == {5} and lines[0][1][1] == b"Q0" and lines[0][1][3] in (b"0", b"1")
    if untagged:
        width = 5
    for line, fields, content in lines:
        if len(fields) != width and not (kind == "run" and not ranks and has_words_behind(content)):
            faults[line] = f"{len(fields)} column"
        elif len(fields[0]) > MAX_ID or len(fields[doc]) > MAX_ID:
            faults[line] = "bytes"
        elif (value := 1.0 if number is None else usable_number(fields[number], kind)) is None:
            faults[line] = repr(as_text(fields[number])).replace("\\udc", "\\x")[:40]
        else:
            rows.append((line, as_text(fields[0]), as_text(fields[doc]), value))
    if not ranks or faults:
        return rows, faults
    for query in {row[1] for row in rows}:
        own = sorted((row[3], row[0]) for row in rows if row[1] == query)
        faults |= {line: "rank" for n, (value, line) in enumerate(own, 1) if value != n}
    return [(*row[:3], -row[3]) for row in rows], dict(sorted(faults.items())[:1])


def has_words_behind(line):
    "Whether a result has more than six fields: a whole number, a number and no number at the end of six, and a blank behind that is no return."
    fields = line.split()
    if len(fields) <= 6:
        return False
    rank, score, tag = (usable_number(field, "run") for field in fields[3:6])
    behind = line.split(None, 5)[5][len(fields[5]) :]
    return rank is not None and math.isfinite(rank) and rank == int(rank) and score is not None and tag is None and behind[:1] != b"\r"


def read_trec(data, kind):
    "{query: {document: number}} from the bytes of a file; Refused if anything at all is wrong."
    out = {}
    rows, faults = trec_rows(data, kind)
    for line, query, doc, value in rows:
        docs = out.setdefault(query, {})
        if doc in docs:
            faults[line] = repr(doc)[:40]
        docs[doc] = value
    if faults or not out:
        raise Refused(faults)
    return out


def ranking(docs):
    "The documents of one query, best first: by score, equal scores by the bytes of the id, both descending."
    return sorted(docs, key=lambda d: (docs[d], d.encode("utf-8", "surrogateescape")), reverse=True)


def evaluate_dicts(qrels, run):
    "{query: {measure: value}} of AP, RR, P@5, R@5, nDCG@5 and NumRet, each from its definition."
    out = {}
    for query, grades in qrels.items():
        listing = ranking(run.get(query, {}))
        gains = [max(grades.get(d, 0), 0) for d in listing]
        hits = [i for i, d in enumerate(listing, 1) if grades.get(d, 0) >= 1]
        relevant = sum(g >= 1 for g in grades.values())
        ideal = sorted((max(g, 0) for g in grades.values()), reverse=True)
        best, found = (math.fsum(g / math.log2(i + 1) for i, g in enumerate(x[:5], 1)) for x in (ideal, gains))
        out[query] = {
            "AP": math.fsum(n / i for n, i in enumerate(hits, 1)) / relevant if relevant else 0.0,
            "RR": 1 / hits[0] if hits else 0.0,
            "P@5": sum(i <= 5 for i in hits) / 5,
            "R@5": sum(i <= 5 for i in hits) / relevant if relevant else 0.0,
            "nDCG@5": found / best if best else 0.0,
            "NumRet": float(len(listing)),
        }
    return out


def rank_by_sorting(qrels, run, junk=True, key=lambda doc: doc.encode()):
    "For each judged query its (rank, grade) pairs, by sorting everything."
    out = []
    for query, grades in qrels.items():
        listing = sorted(run.get(query, {}).items(), key=lambda row: (row[1], key(row[0])), reverse=True)
        out.append([(i, grades[d]) for i, (d, _) in enumerate(listing, 1) if d in grades and (grades[d] >= 0 or not junk)])
    return out


def listed(judged):
    "A `Judged` in the form of `rank_by_sorting`."
    out = [[] for _ in range(len(judged.retrieved))]
    for q, i, g in zip(judged.query.tolist(), judged.rank.tolist(), judged.grade.tolist()):
        out[q].append((i, g))
    return out
