"""Seeded data in the shape of TREC, made once and kept below a cache folder.

    python benchmarks/data.py S M M-hard        # make these (all, if none is named) and say what they are

Every collection has ties and documents that nobody judged (L apart, where everything is judged), and every query is
answered. The same name is always the
same bytes: each has its own seed, and changes to one do not touch another.
"""
import argparse
import os
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

CACHE = Path(__file__).resolve().parent / ".cache"
STRATUM = 8841  # one document of every stratum is retrieved: 1,000 of them are the 8.84 million of MS MARCO
CHUNK = 250_000  # lines formatted at a time
PASSAGE = "{:d}"  # document ids of MS MARCO
LETOR = (0,) * 52 + (1,) * 32 + (2,) * 13 + (3,) * 2 + (4,)  # the grades of a collection for learning to rank
WEB = "clueweb22-en{:04d}-{:02d}-{:06d}"  # 26 characters, of which the first ones are nearly always the same


@dataclass(frozen=True)
class Shape:
    "What a collection looks like."
    queries: int
    depth: int = 1000  # documents retrieved for each query
    judged: tuple = (1, 2)  # judgments for each query: from, to
    grades: tuple = (1,)  # their grades, one as often as the other
    shown: bool = False  # what was judged was retrieved, and scores are in no order: learning to rank
    decimals: int = 3  # of the scores
    ties: bool = True  # whether documents share a score
    web: bool = False  # ids of 26 characters
    order: str = "grouped"  # or "shuffled"
    blanks: str = "single"  # or "mixed": blanks and tabs, one or two
    like: str = ""  # the name whose seed is used: the same content in another form
    centre: int = 10  # of scores in no order: negative ones too if it is 0
    words: tuple = ("Q0", "", "run")  # iteration, rank (none: counted) and tag of a line of the run
    counted: bool = False  # documents are numbers that are counted upwards over the file


def shapes(part=1.0):
    "Every collection by name; `part` of M's queries, at least 20."

    def m(size=1.0, **kw):
        return Shape(max(20, round(6980 * part * size)), **kw)

    small = Shape(50, judged=(100, 200), grades=(0, 0, 0, 0, 1, 1, 2, 3), decimals=4)
    few = {f"M/4, {n} judged": m(1 / 4, judged=(n, n), grades=(0, 0, 0, 1, 2, 3)) for n in (1, 3, 10, 30, 100, 300)}
    rows = {f"{size:g} M": m(size) for size in (0.1, 0.25, 0.5, 2, 5)}
    ranker = Shape(max(20, round(30_000 * part)), 120, (120, 120), LETOR, shown=True)
    some = {f"L, {n} judged": replace(ranker, judged=(n, n), like="L") for n in (1, 3, 10, 30, 120)}
    return {
        "S": small,
        "S-no-ties": replace(small, ties=False),
        "M": m(),
        "M-hard": m(decimals=6, web=True),
        "M-shuffled": m(order="shuffled", like="M"),
        "M-blanks": m(blanks="mixed", like="M"),
        **rows,
        **few,
        "50 M rows": Shape(max(20, round(50_000 * part))),
        "L": ranker,
        "L2": replace(ranker, decimals=5, centre=0, words=("Q0", "1", "t"), counted=True),
        "L-half": replace(ranker, judged=(60, 60), like="L"),
        **some,
    }


def seed(name):
    "A generator of random numbers that belongs to a name."
    return np.random.default_rng(zlib.crc32(name.encode()))


# ---- columns ----


@dataclass
class Columns:
    "A run and its judgments as numbers; ids are numbers too, `Lines` spells them."
    query: np.ndarray  # (rows,)
    doc: np.ndarray
    rank: np.ndarray
    score: np.ndarray  # whole numbers: units of the last decimal
    judged_query: np.ndarray  # (judgments,)
    judged_doc: np.ndarray
    grade: np.ndarray


def columns(shape, name):
    "Rows grouped by query, scores falling; every sixteenth row or so shares its score with the one above."
    if shape.shown:
        return shown(shape, name)
    rng, (n, k) = seed(shape.like or name), (shape.queries, shape.depth)
    ids = rng.choice(1_100_000, n, replace=False) + 2
    docs = rng.permuted(np.arange(k) * STRATUM + rng.integers(0, STRATUM, (n, k)), axis=1)
    score = np.cumsum(rng.exponential(0.017, (n, k))[:, ::-1], axis=1)[:, ::-1] + rng.uniform(2, 8, (n, 1))
    units = np.round(score * 1000).astype(np.int64) * 10 ** max(0, shape.decimals - 3)
    if shape.decimals > 3:  # the ties stay ties; all others get digits of their own
        new = np.diff(units, axis=1, prepend=0) != 0
        noise = np.where(new, rng.integers(0, 10 ** (shape.decimals - 3), (n, k)), 0)
        units += np.take_along_axis(noise, np.maximum.accumulate(np.where(new, np.arange(k), 0), axis=1), axis=1)
    if not shape.ties:
        units += np.arange(k)[::-1]
    judged_query, judged_doc, grade = judgments(shape, rng, docs)
    rank = np.tile(np.arange(1, k + 1), n)
    return Columns(np.repeat(ids, k), docs.ravel(), rank, units.ravel(), ids[judged_query], judged_doc, grade)


def shown(shape, name):
    "Rows grouped by query, normal scores in no order; of each query some rows, or all, are judged, in another order."
    rng, (n, k) = seed(shape.like or name), (shape.queries, shape.depth)
    ids = rng.choice(1_100_000, n, replace=False) + 2
    docs = rng.permuted(np.arange(k) * STRATUM + rng.integers(0, STRATUM, (n, k)), axis=1)
    if shape.counted:
        ids, docs = np.arange(1, n + 1), np.arange(n * k).reshape(n, k)
    units = np.round((shape.centre + rng.normal(size=(n, k))) * 10**shape.decimals).astype(np.int64)
    grade = np.array(shape.grades)[rng.integers(0, len(shape.grades), (n, k))]
    place = np.argsort(rng.random((n, k)), axis=1)[:, : shape.judged[0]]
    if shape.counted:
        place.sort(axis=1)
    rows = (place + np.arange(n)[:, None] * k).ravel()
    query, rank = np.repeat(ids, k), np.tile(np.arange(1, k + 1), n)
    return Columns(query, docs.ravel(), rank, units.ravel(), query[rows], docs.ravel()[rows], grade.ravel()[rows])


def judgments(shape, rng, docs):
    "Six of seven judged documents were retrieved, mostly near the top; the others are ones that no run has."
    (n, k), (low, high) = docs.shape, shape.judged
    many = rng.integers(low, high + 1, n) if low != 1 or high != 2 else 1 + (rng.random(n) < 0.07)
    query = np.repeat(np.arange(n), many)
    turn = np.arange(len(query)) - np.repeat(np.cumsum(many) - many, many)
    # Every query's places in a random order that prefers the top: the smallest of (place + 1) * exponential.
    order = np.argsort((np.arange(k) + 1) * rng.exponential(1, (n, k)), axis=1)[:, : many.max()]
    doc = docs[query, order[query, turn]]
    lost = rng.random(len(query)) < 1 / 7
    doc[lost] = 1000 * STRATUM + turn[lost]
    return query, doc, np.array(shape.grades)[rng.integers(0, len(shape.grades), len(query))]


# ---- text ----


def digits(number, width=None):
    "Decimal digits, a row of bytes for each number; without a `width`, 0 bytes in place of leading zeros."
    wide = width or len(str(int(number.max(initial=0))))
    out, rest = np.empty((len(number), wide), np.uint8), number.astype(np.int64)
    for i in reversed(range(wide)):
        higher = rest // 10
        out[:, i] = rest - 10 * higher + 48
        if not width and i < wide - 1:
            out[rest == 0, i] = 0
        rest = higher
    return out


def fixed(text, rows):
    "The same text on every row."
    return np.broadcast_to(np.frombuffer(text.encode(), np.uint8), (rows, len(text)))


def spelled(doc, web):
    "Document ids as bytes."
    if not web:
        return [digits(doc)]
    folder, rest = np.divmod(doc, 100_000)
    middle, rest = np.divmod(rest, 1000)
    dash = fixed("-", len(doc))
    return [fixed("clueweb22-en", len(doc)), digits(folder, 4), dash, digits(middle, 2), dash, digits(rest, 6)]


def blank(rng, rows):
    "One or two blanks or tabs, at random; without `rng` one blank."
    if rng is None:
        return fixed(" ", rows)
    return np.frombuffer(b" \0\t\0  \t ", np.uint8).reshape(4, 2)[rng.integers(0, 4, rows)]


def lines(fields, rng=None):
    "Bytes of the lines that have these fields, each a list of byte matrices; 0 bytes are left out."
    rows, parts = len(fields[0][0]), []
    for i, field in enumerate(fields):
        parts += [blank(rng, rows)] * (i > 0) + field
    text = np.concatenate([*parts, fixed("\n", rows)], axis=1)
    return text[text != 0]


def number(units, decimals):
    "Scores as bytes."
    whole, behind = np.divmod(np.abs(units), 10**decimals)
    minus = np.where(units < 0, ord("-"), 0).astype(np.uint8)[:, None]
    return [minus, digits(whole), fixed(".", len(units)), digits(behind, decimals)]


def write_run(path, c, shape, name):
    "A TREC run file."
    rng = seed(f"{name} lines")
    iteration, rank, tag = shape.words
    at = rng.permutation(len(c.query)) if shape.order == "shuffled" else np.arange(len(c.query))
    with whole(path) as out:
        for i in range(0, len(at), CHUNK):
            r = at[i : i + CHUNK]
            text = lines(
                [
                    [digits(c.query[r])],
                    [fixed(iteration, len(r))],
                    spelled(c.doc[r], shape.web),
                    [fixed(rank, len(r)) if rank else digits(c.rank[r])],
                    number(c.score[r], shape.decimals),
                    [fixed(tag, len(r))],
                ],
                rng if shape.blanks == "mixed" else None,
            )
            out.write(text.tobytes())


def write_qrels(path, c, shape):
    "A TREC file of judgments."
    zero = fixed("0", len(c.grade))
    fields = [[digits(c.judged_query)], [zero], spelled(c.judged_doc, shape.web), [digits(c.grade)]]
    with whole(path) as out:
        out.write(lines(fields).tobytes())


@contextmanager
def whole(path):
    "A file to write to under a name of its own, which gets the right name when it is complete."
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with open(part, "wb") as file:
            yield file
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


# ---- what the benchmark asks for ----


def files(name, part=1.0, cache=CACHE):
    "(qrels, run) as TREC files."
    shape, folder = shapes(part)[name], folder_of(name, part, cache)
    qrels, run = folder / "qrels.txt", folder / "run.txt"
    if not (qrels.exists() and run.exists()):
        c = columns(shape, name)
        write_run(run, c, shape, name)
        write_qrels(qrels, c, shape)
    return qrels, run


def folder_of(name, part=1.0, cache=CACHE):
    "Where a collection is kept."
    return Path(cache) / (f"{name} of {part:g}" if part != 1 and name[0] != "S" else name).replace("/", ":")


TREC = {"relevance": ["query_id", "Q0", "doc_id", "relevance"],
        "score": ["query_id", "Q0", "doc_id", "rank", "score", "tag"]}


def tables(name, part=1.0, cache=CACHE):
    "(qrels, run) as Parquet files."
    import polars as pl

    out = []
    for path, value in zip(files(name, part, cache), ("relevance", "score")):
        names = TREC[value]
        out.append(path.with_suffix(".parquet"))
        if not out[-1].exists():
            types = dict.fromkeys(names, pl.String) | {value: pl.Float64 if value == "score" else pl.Int64}
            rows = pl.scan_csv(path, separator=" ", has_header=False, schema=types)
            with whole(out[-1]) as file:
                rows.select("query_id", "doc_id", value).sink_parquet(file.name)
    return out


def dicts(name, part=1.0):
    "(qrels, run) as nested dicts; ids that are equal are different objects, as after reading two files."
    shape = shapes(part)[name]
    c = columns(shape, name)
    score = (c.score / 10**shape.decimals).tolist()
    return (
        nested(c.judged_query, texts(c.judged_doc, shape.web), c.grade.tolist()),
        nested(c.query, texts(c.doc, shape.web), score),
    )


def texts(doc, web):
    "Document ids as text."
    parts = (lines([spelled(doc[i : i + CHUNK], web)]) for i in range(0, len(doc), CHUNK))
    return b"".join(part.tobytes() for part in parts).decode().split()


def nested(query, docs, values):
    "{query: {document: value}} from columns that are grouped by query."
    begin = np.flatnonzero(np.diff(query, prepend=-1)).tolist()
    ends = [*begin[1:], len(query)]
    return {str(query[i]): dict(zip(docs[i:j], values[i:j], strict=True)) for i, j in zip(begin, ends, strict=True)}


def small_runs(number=100, cache=CACHE):
    "(qrels, runs) as TREC files: many runs of 50 queries with 100 documents each."
    folder = Path(cache) / f"{number} runs"
    shape = Shape(50, 100, (20, 40), (0, 0, 1, 2), decimals=4)
    c = columns(shape, "runs")
    score = c.score
    paths = [folder / f"run{i:03}.txt" for i in range(number)]
    for path in paths:
        if not path.exists():
            c.score = score + seed(path.stem).integers(0, 20_000, len(score))
            write_run(path, c, shape, path.stem)
    qrels = folder / "qrels.txt"
    if not qrels.exists():
        write_qrels(qrels, c, shape)
    return qrels, paths


def clicks(rows=10_000_000, groups=200_000):
    "Label, score and group of each item, in random order; groups of very different sizes, some with a single class."
    rng = seed("clicks")
    weight = rng.lognormal(0, 1, groups)
    group = np.searchsorted(np.cumsum(weight) / weight.sum(), rng.random(rows)).astype(np.int64).clip(max=groups - 1)
    score = np.round(rng.beta(2, 5, rows), 4)
    label = (rng.random(rows) < 0.6 * score).astype(np.int8)
    return label, score, group


def about(name, part=1.0, cache=CACHE):
    "The size of a collection that has been made."
    qrels, run = files(name, part, cache)
    shape = shapes(part)[name]
    with open(qrels, "rb") as file:
        judgments = sum(1 for _ in file)
    rows = shape.queries * shape.depth
    return dict(queries=shape.queries, rows=rows, judgments=judgments, bytes=run.stat().st_size)


def main():
    "Make what is asked for."
    ask = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ask.add_argument("names", nargs="*", help="collections; all, if none is named")
    ask.add_argument("--part", type=float, default=1.0, help="this part of M's queries")
    ask.add_argument("--cache", type=Path, default=CACHE, help="folder to keep them in")
    given = ask.parse_args()
    for name in given.names or shapes():
        a = about(name, given.part, given.cache)
        print(f"{name:<18} {a['queries']:>7,} queries {a['rows']:>11,} rows {a['judgments']:>8,} judgments "
              f"{a['bytes'] / 1e6:>8,.1f} MB", flush=True)


if __name__ == "__main__":
    main()
