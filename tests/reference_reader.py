"""What a TREC file means, said as slowly and plainly as Python can: `split()`, `float()`, dicts.

The reader of the package must agree with this one on every input, or refuse it. Nothing here is fast, and nothing
here is shared with the package.

The rules, in words: lines end at a line feed; fields are separated by ASCII white space (space, tab, carriage return,
vertical tab, form feed; a carriage return before the line feed is therefore just white space); lines without a field
do not count; a byte order mark in front is dropped; a judgment has four fields and a result six; the number is
whatever `float()` reads, but never NaN, and for a judgment never infinite; ids are bytes, and shown as UTF-8 with
`surrogateescape`; the rank and the tag mean nothing; a document stands in a query once. (What is packed or comes
through a pipe may also be refused for a line, or blanks, of more than a megabyte.) A '#' is a byte like any
other: trec_eval took lines that begin with one for comments from May 2020 (its pull request 23) until November 2024,
when that was taken back because ids with a '#' in them were miscounted (its issue 46).
"""
import math

COLUMNS = {"qrels": 4, "run": 6}
NUMBER = {"qrels": 3, "run": 4}
LONGEST = 1 << 16  # bytes of an id


class Refused(Exception):
    "A file that must not be read; `faults` has the number of every wrong line, and a word that its error must hold."

    def __init__(self, faults):
        super().__init__(faults)
        self.faults = faults


def as_text(field):
    "An id or a number as the package shows it."
    return field.decode("utf-8", "surrogateescape")


def number(field, kind):
    "The number in a field; None if it cannot be used."
    try:
        value = float(field)
    except ValueError:
        return None
    return None if math.isnan(value) or (kind == "qrels" and math.isinf(value)) else value


def read(data, kind):
    "{query: {document: number}} from the bytes of a file; Refused if anything at all is wrong."
    out, faults = {}, {}
    for line, content in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        fields = content.split()
        if not fields:
            continue
        if len(fields) != COLUMNS[kind]:
            faults[line] = f"{len(fields)} column"
        elif len(fields[0]) > LONGEST or len(fields[2]) > LONGEST:
            faults[line] = "bytes"
        elif (value := number(fields[NUMBER[kind]], kind)) is None:
            faults[line] = repr(as_text(fields[NUMBER[kind]]))[:40]
        else:
            docs = out.setdefault(as_text(fields[0]), {})
            if as_text(fields[2]) in docs:
                faults[line] = repr(as_text(fields[2]))[:40]
            docs[as_text(fields[2])] = value
    if faults or not out:
        raise Refused(faults)
    return out


def ranking(docs):
    "The documents of one query, best first: by score, equal scores by the bytes of the id, both descending."
    return sorted(docs, key=lambda d: (docs[d], d.encode("utf-8", "surrogateescape")), reverse=True)


def evaluate(qrels, run):
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
