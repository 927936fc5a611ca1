"What hypothesis makes up for the tests, and random collections."
from functools import cache
from typing import Literal, get_args, get_origin, get_type_hints

import numpy as np
import polars as pl
from exact.measures import values as exact_values
from helpers import BOM, says_another_format
from hypothesis import assume
from hypothesis import strategies as st

from irmetrics_nb import Judged, Measure
from irmetrics_nb.metrics.registry import KINDS

# ---- metrics ----

judgments, junk_too = (0, 1, 2, 3, 4), (-1, 0, 1, 2, 3, 4)
grades = st.sampled_from([None, None, 0, *junk_too])  # None: nobody judged the document
rankings = st.lists(grades, max_size=12)
batches = st.lists(rankings, min_size=1, max_size=5)
cutoffs = st.sampled_from([None, *range(1, 16)])
betas, relevance = st.sampled_from([0, 0.5, 1, 2, 3.5]), st.sampled_from([1, 2, 3, 0.5, 2.5])


def usual(name, top=4):
    "A measure of a kind with its defaults; it may need the largest grade, `top`, or a cutoff."
    kind = KINDS[name]
    return Measure(kind, dict.fromkeys(kind.required, top), 20 if kind.needs_cutoff else None)


@cache  # to make a strategy takes as long as to draw from it
def searches(judgments=junk_too):
    "What one query got, in rank order and with holes, and all grades that its documents were given."
    got = st.lists(st.sampled_from([None, None, 0, *judgments]), max_size=12)
    missed = st.lists(st.sampled_from(judgments), max_size=6)
    return st.tuples(got, missed).map(lambda s: (s[0], s[1] + [g for g in reversed(s[0]) if g is not None]))


@cache
def collections(judgments=junk_too):
    "Several searches."
    return st.lists(searches(judgments), min_size=1, max_size=5)


def batch(collection):
    "Searches as a `Judged`."
    return Judged.from_grades([got for got, _ in collection], ideal=[pool for _, pool in collection])


rising_gains = st.lists(st.integers(0, 20), min_size=6, max_size=6).map(lambda x: dict(zip(range(-1, 5), sorted(x))))
unit_gains = rising_gains.map(lambda table: {g: value / 32 for g, value in table.items()})


def words(kind, parameter):
    "The words that a parameter of a kind takes, as the signature of its metric lists them."
    hint = get_type_hints(KINDS[kind].function)[parameter]
    return next((list(get_args(x)) for x in (hint, *get_args(hint)) if get_origin(x) is Literal), [])


def values_to_try(name, parameter):
    """What a parameter of a kind can be for lists of grades from -1 to 4: the words of its signature, or the values of MEASURES in
    `exact/measures.py`, the only list of them. None, the value that the judgments complete, is left out."""
    if parameter == "judged_only":  # of every measure: the convention `unjudged` of the exact definitions
        return [False, True]
    if (name, parameter) == ("RBP", "gain"):
        return ["binary", "raw"]  # those that are probabilities
    return words(name, parameter) or [value for value in exact_values(name, parameter) if value is not None]


OWN_GAINS = {("ERR", "gain"): st.nothing(), ("nERR", "gain"): st.nothing(), ("iRBU", "gain"): st.nothing(), ("RBP", "gain"): unit_gains, ("NRBP", "beta"): None, ("nNRBP", "beta"): None}  # RBP: probabilities


@cache
def drawn(name, parameter):
    """A strategy of the values of a parameter of a kind, and of tables of gains; None if there are no values.

    Then the parameter keeps its default, and a test in `test_measures.py` fails and says which entry is missing."""
    try:
        values_to_try(name, parameter)
    except AssertionError:
        return None
    tables = OWN_GAINS.get((name, parameter), rising_gains)
    return st.sampled_from(values_to_try(name, parameter)) | (tables if parameter == "gain" else st.nothing())


AT = {None: [None], "k": [None, 3], "recall": [None, 0.5], "multiple": [None, 0.4]}


def each_parameter(name):
    "A kind of measures with each value of each of its parameters; every other one with something behind @."
    kind = KINDS[name]
    params = [{}, {}] + [{p: value} for p in Measure(KINDS[name]).defaults for value in values_to_try(name, p)]
    params += [{"gain": {-1: 0, 0: 0, 1: 0.25, 2: 0.5, 3: 1, 4: 1}}] * ("gain" in kind.params and name not in ("ERR", "nERR", "iRBU"))
    params = [{**kind.required, **({"discount": "jarvelin"} if "b" in each else {}), **each} for each in params]
    behind = [3] if kind.needs_cutoff else AT[kind.at]
    return [Measure(KINDS[name], each, behind[i % len(behind)]) for i, each in enumerate(params)]


# More that can be written down.
WRITTEN = {
    "rel": st.integers(1, 5) | st.floats(0.5, 5), "beta": st.floats(0.1, 9), "alpha": st.floats(0, 1), "b": st.floats(1.5, 10),
    "gain": st.sampled_from(["linear", "exp"]) | st.dictionaries(st.integers(0, 9), st.floats(0, 99), min_size=1),
    "max_grade": st.integers(1, 9) | st.floats(0.1, 9), "p": st.floats(0.1, 0.9),
}  # fmt: skip


BEHIND_AT = {None: st.none(), "k": cutoffs, "recall": st.sampled_from([None, *(x / 20 for x in range(21))])}
BEHIND_AT["multiple"] = st.sampled_from([None, *(x / 20 for x in range(1, 41))])


@cache
def measures(name=None, written=False):
    "A measure of the kind `name`, or of any; `written` alone, or to be computed."
    return _measures(name, WRITTEN if written else {})


@cache
def measured(name, judgments=junk_too):
    "A complete measure of a kind, and a collection to compute it on."
    return _measured(name, judgments)


@st.composite
def _measures(draw, name, written):
    "A measure of the kind `name`, or of any, with some of its parameters and perhaps a cutoff or recall level."
    kind = KINDS[name or draw(st.sampled_from(list(KINDS)))]
    chosen = [p for p in Measure(kind).defaults if drawn(kind.name, p) is not None and (p in kind.required or draw(st.booleans()))]
    params = {p: draw(written[p] if p in written and (kind.name, p) not in OWN_GAINS else drawn(kind.name, p)) for p in chosen}
    if params.get("discount") != "jarvelin":
        params.pop("b", None)  # the only discount that has a base
    behind = st.integers(1, 12) if kind.needs_cutoff else BEHIND_AT[kind.at]
    return Measure(kind, params, draw(behind))


@st.composite
def _measured(draw, name, judgments):
    collection = draw(collections(judgments))
    return draw(measures(name)).resolve(batch(collection)), collection


# ---- reading: bytes and structure of TREC files, runs to be read in batches, collections ----

BLANKS = [b" ", b"\t", b"\r", b"\x0b", b"\x0c"]
field = st.one_of(
    st.text("ab1#\"'\0é\xa0\u2028-", min_size=1, max_size=18).map(str.encode),
    st.binary(min_size=1, max_size=12).map(lambda b: b.translate(None, b" \t\n\r\x0b\x0c") or b"_"),
    st.sampled_from([b"a", b"a\0", b"a\0\0", b"aaaaaaaa", b"aaaaaaaa\0", b"aaaaaaaab", b"#", b'"a', b"'", b"\xff\xfe", b"-"]),
    st.integers(1, 300).map(lambda n: b"x" * n),
)
blank = st.lists(st.sampled_from(BLANKS), min_size=1, max_size=3).map(b"".join)
decimal = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.decimals(-1000, 1000, places=6).map(str),
    st.integers(-(10**20), 10**20).map(str),
    st.text("0123456789", min_size=15, max_size=40).map("0.".__add__),
    st.sampled_from("1e-3 -0 inf -inf Infinity +2 .5 5. 1E5 1e400 -1e400 4.9e-324 2e-324 12345678901234567890 0.10000000000000000001".split()),
    st.sampled_from(["9007199254740993", "0." + "0" * 30 + "1", "00000000000000000001", "179769313486231580793e289"]),
)
grade = st.one_of(st.integers(-2, 4).map(str), st.sampled_from("1.5 0.25 -0 1e0 3. 1000000 -7".split()))
no_number = st.sampled_from("nan NaN -nan x 1,5 0x10 1e 1_0 1__0 -- 1d5 ١ 1.2.3 . - + e5 infinit 1\0 \0".split(" "))


comments = [b"#", b"# q 0 d 1", b" \t# x", b"#x y", b"#\0", b"## 1 2 3 4 5 6 7"]  # no row, were it not for the hash


@st.composite
def trec(draw, kind, wrong=False):
    "The bytes of a file whose lines are right; with `wrong`, some may not be."
    queries = draw(st.lists(field.filter(lambda f: not f.startswith(b"#")), min_size=1, max_size=4, unique=True))
    pairs = draw(st.lists(st.tuples(st.sampled_from(queries), field), min_size=1, max_size=12, unique=not wrong))
    lines = []
    for query, doc in pairs:  # the queries in any order: one query may come back in many blocks
        number = draw(decimal if kind == "run" else grade).encode()
        if wrong and draw(st.integers(0, 12)) == 0:
            number = draw(no_number).encode()
        fields = [query, b"Q0", doc, number] if kind == "qrels" else [query, b"Q0", doc, draw(field), number, draw(field)]
        if wrong and draw(st.integers(0, 12)) == 0:
            fields = draw(st.permutations(fields + [b"more"] * draw(st.integers(0, 2))))[: draw(st.integers(1, 8))]
        lines.append(draw(st.sampled_from([b"", b" ", b"\t\r"])) + b"".join(f + draw(blank) for f in fields))
        lines += [b""] * (draw(st.integers(0, 9)) == 0)
        lines += [draw(st.sampled_from(comments))] * (draw(st.integers(0, 9)) == 0)
    end = draw(st.sampled_from([b"\n", b"\r\n", b"\n\n", b" \n"]))
    data = draw(st.sampled_from([b"", b"\xef\xbb\xbf", b"\n\r\n"])) + end.join(lines) + draw(st.sampled_from([b"", end]))
    assume(not says_another_format(data) and not lines[0].lstrip().startswith(BOM))
    return data


any_ids = st.text(min_size=1, max_size=10).filter(lambda t: t.isprintable() or "\0" in t) | st.sampled_from(["#", '"', "a,b", "\\", "é\0"])
queries = st.sampled_from(["q1", "q2", "q10", "q", "a query with a long name".replace(" ", "_"), "q1\0", "é", "q3", "q4"])
documents = st.sampled_from([f"d{i}" for i in range(12)] + ["doc-0000017", "doc-0000018", "d1\0", "ü"])
few_scores = st.sampled_from(["1", "2.5", "2.50", "-1e3", "0.125", "inf", "7", "3.0"])
bad_lines = st.sampled_from(["q1 Q0 d1 1 abc t", "q1 Q0 d1 1", "q2 Q0 d1 1 nan t", "\0\0", "q1 Q0 d1 1 1 t t"])
few_blanks = st.sampled_from([" ", " ", " ", "\t", " \t "])


@st.composite
def text_runs(draw):
    "The bytes of a run: grouped or not, documents twice or not, blank lines, now and then a line that is wrong."
    pairs = draw(st.lists(st.tuples(queries, documents), max_size=60))
    if draw(st.integers(0, 4)):
        pairs = list(dict.fromkeys(pairs))
    if draw(st.booleans()):
        pairs.sort(key=lambda p: p[0])
    lines = []
    for query, doc in pairs:
        blank = draw(few_blanks)
        lead = draw(st.sampled_from(["", "", "", "", " "]))
        lines.append(lead + blank.join([query, "Q0", doc, "1", draw(few_scores), draw(st.sampled_from(["tag", "t", "other"]))]))
        if not draw(st.integers(0, 9)):
            lines.append(draw(st.sampled_from(["", " ", "\t\r"])))
    if not draw(st.integers(0, 5)):
        lines.insert(draw(st.integers(0, len(lines))), draw(bad_lines))
    text = draw(st.sampled_from(["", "", "\ufeff", "\n"])) + "\n".join(lines) + draw(st.sampled_from(["", "\n", "\n\n"]))
    return text.encode()


@st.composite
def table_runs(draw):
    "A table of a run, grouped or not."
    pairs = list(dict.fromkeys(draw(st.lists(st.tuples(queries, documents), min_size=1, max_size=60))))
    if draw(st.booleans()):
        pairs.sort(key=lambda p: p[0])
    if not draw(st.integers(0, 4)):
        pairs.append(draw(st.sampled_from(pairs)))
    value = [float(draw(few_scores)) for _ in pairs]
    return pl.DataFrame({"text": "x", "docno": [d for _, d in pairs], "qid": [q for q, _ in pairs], "score": value})


seeds = st.integers(0, 2**32 - 1)


def random_collection(seed, queries=6, docs=25, grades=(-1, 5), step=0.25, levels=12):
    "Judgments and a run as nested dicts: ties, unjudged documents, junk, missing queries, scores that float32 can hold."
    rng = np.random.default_rng(seed)
    ids = [f"{p}{n}" for p in ("d", "doc-with-a-long-name-", "é") for n in range(docs)]
    qrels, run = {}, {}
    for q in range(queries):
        judged = rng.choice(ids, rng.integers(1, docs), replace=False)
        found = rng.choice(ids, rng.integers(1, 2 * docs), replace=False)
        if rng.random() < 0.85:
            qrels[f"q{q}"] = dict(zip(judged.tolist(), rng.integers(*grades, len(judged)).tolist()))
        if rng.random() < 0.85:
            run[f"q{q}"] = dict(zip(found.tolist(), (rng.integers(-levels, levels, len(found)) * step).tolist()))
    qrels["both"], run["both"] = {"d1": 1}, {"d1": 1.0}
    return qrels, run
