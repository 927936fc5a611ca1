"The content hash of judgments and runs, by an implementation that shares no code with the package."
import copy
import dataclasses
import gzip
import hashlib
import pickle
import struct
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from helpers import child, peak
from hypothesis import given, settings
from hypothesis import strategies as st

from irmetrics_nb import DataError, Qrels, Run, Scores, evaluate, load_example, verify
from irmetrics_nb.data import fingerprints
from irmetrics_nb.data.fingerprints import Input, content_hash, file_hash
from irmetrics_nb.data.sources import read_rows

VECTOR = {"q1": {"d7": 1, "d10": 0}, "q2": {}}
VECTOR_HASH = "10ab87c7020c1b1ed65cb16985ab0b1341053dcc9133a82995f872a8407e53ce"


def field(data):
    return struct.pack(">I", len(data)) + data


def row(doc, number):
    return field(doc) + field(b"") + field(b"") + field(struct.pack(">d", 0.0 if number == 0 else number))


def digest_of(rows, in_order=False):
    rows = [row(*pair) for pair in rows]
    return hashlib.sha256(b"".join(rows if in_order else sorted(rows))).digest()


def hash_of(lists, in_order=False):
    "The content hash of {query: [(document, number), ...]}, all ids as bytes."
    parts = [field(q) + field(struct.pack(">Q", len(rows))) + field(digest_of(rows, in_order)) for q, rows in sorted(lists.items())]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def as_lists(data):
    "{query: {document: number}} with texts as lists of bytes."
    def encode(text):
        return text.encode("utf-8", "surrogateescape")
    return {encode(q): [(encode(doc), x) for doc, x in docs.items()] for q, docs in data.items()}


letters = st.sampled_from(["a", "b", "é", "\U0001f600", "0", "-"])
ids = st.text(letters, min_size=1, max_size=20) | st.builds(lambda text, n: text * n, letters, st.sampled_from([7, 8, 9, 16, 17, 120, 3000]))
numbers = st.sampled_from([0.0, -0.0, 1, 5e-324, 2.2250738585072014e-308, -1.7976931348623157e308, 0.1, 1 / 3]) | st.floats(allow_nan=False, allow_infinity=False)
answers = st.dictionaries(ids, numbers, max_size=12)
tables = st.dictionaries(ids, answers, min_size=1, max_size=6)
full_tables = st.dictionaries(ids, st.dictionaries(ids, numbers, min_size=1, max_size=12), min_size=1, max_size=6)


def shuffled(data, seed):
    "All rows (query, document, number) in any order, so that queries are in pieces."
    rows = [(q, doc, float(x)) for q, docs in data.items() for doc, x in docs.items()]
    return [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]


def trec(rows):
    return "".join(f"{q} Q0 {doc} 1 {x!r} t\n" for q, doc, x in rows).encode()


def frame(rows, number=pl.Float64):
    return pl.DataFrame(rows, schema={"query_id": pl.String, "doc_id": pl.String, "score": number}, orient="row")


@given(tables)
def test_the_hash_is_that_of_an_independent_implementation(data):
    lists = as_lists(data)
    for source in (data, Run(data)):
        assert content_hash(source).content == hash_of(lists)
        assert content_hash(source, in_order=True).content == hash_of(lists, in_order=True)
    found = content_hash(data)
    assert found.rows == sum(map(len, data.values())) and not found.ranks
    assert found.queries == {q.decode(): digest_of(rows).hex() for q, rows in sorted(lists.items())}
    assert [*found.queries] == sorted(data, key=str.encode)


@given(tables, st.integers(1, 400))
def test_the_size_of_the_batches_has_no_effect(data, size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fingerprints, "BATCH_BYTES", size)
        assert content_hash(data).content == hash_of(as_lists(data))


@settings(max_examples=30)
@given(full_tables, st.integers(0, 9))
def test_text_gzip_csv_parquet_dict_and_table_have_one_hash(folder, data, seed):
    rows = shuffled(data, seed)
    table = frame(rows)
    names = [folder / f"one_hash.{end}" for end in ("run", "run.gz", "csv", "tsv", "parquet", "arrow")]
    names[0].write_bytes(trec(rows))
    names[1].write_bytes(gzip.compress(trec(rows)))
    table.write_csv(names[2])
    table.write_csv(names[3], separator="\t")
    table.write_parquet(names[4])
    table.write_ipc(names[5])
    sources = [*names, data, rows, table, table.lazy(), table.to_arrow(), table.to_pandas(), Run(data), Run(names[0]), read_rows(rows, "run")]
    assert {content_hash(source).content for source in sources} == {hash_of(as_lists(data))}
    assert len({file_hash(name) for name in names}) == len(names)
    assert file_hash(names[0]) == hashlib.sha256(trec(rows)).hexdigest()


@given(st.lists(st.tuples(st.binary(min_size=1, max_size=9), st.binary(min_size=1, max_size=30), numbers), min_size=1, max_size=20))
def test_ids_that_are_not_utf8_are_hashed_as_read(folder, rows):
    "Every byte but blanks, line ends and NUL, which a text cannot have in an id, and # at the start of a comment."
    blanks = bytes(range(33)) + b"#\x85\xa0"
    lists = {}
    for query, doc, x in rows:
        query, doc = (b"\xff" + part.translate(None, blanks) for part in (query, doc))
        lists.setdefault(query, {})[doc] = x
    path = folder / "bytes.run"
    path.write_bytes(b"".join(b"%b Q0 %b 1 %b t\n" % (q, doc, repr(float(x)).encode()) for q, docs in lists.items() for doc, x in docs.items()))
    expected = hash_of({q: [*docs.items()] for q, docs in lists.items()})
    assert content_hash(path).content == content_hash(Run(path)).content == expected


def test_ids_with_blanks_and_nul_bytes_have_the_hash_of_their_bytes(folder):
    data = {"a query": {"x": 1.0, "x\0": 1.0, "x\0\0": 0.5, " x": 2.0, "\t": 3.0, "x y": -0.0, "": 1.0}, "a": {"\0" * 8: 1.0, "\0" * 9: 1.0}}
    path = folder / "blanks.parquet"
    frame(shuffled({q: {doc: x for doc, x in docs.items() if doc} for q, docs in data.items()}, 1)).write_parquet(path)
    del data["a query"][""]
    assert content_hash(path).content == content_hash(data).content == hash_of(as_lists(data))


def test_documents_that_begin_alike_and_duplicates_are_sorted_as_whole_rows(folder):
    rows = [("q", doc, x) for doc in ("msmarco_passage_1", "msmarco_passage_2", "msmarco_passage_", "msmarco", "z") for x in (2.0, -1.0, 0.5, 2.0)]
    path = folder / "alike.run"
    path.write_bytes(trec(rows))
    lists = [(doc.encode(), x) for _, doc, x in rows]
    assert content_hash(path).content == hash_of({b"q": lists})
    assert content_hash(path, in_order=True).content == hash_of({b"q": lists}, in_order=True)


def test_one_long_document_does_not_widen_the_rows_of_other_queries(folder):
    data = {f"q{i}": {f"d{j}": float(j) for j in range(100)} for i in range(300)}
    data["q7"]["x" * 65_000] = 1.0
    path = folder / "long.run"
    path.write_bytes(trec([(q, doc, x) for q, docs in data.items() for doc, x in docs.items()]))
    assert content_hash(path).content == hash_of(as_lists(data))
    code = "import sys; from irmetrics_nb.data.fingerprints import content_hash; content_hash(sys.argv[1])"
    assert peak(child(code, path)) < 300


def test_a_rank_is_hashed_as_the_rank_and_marked():
    ranked = pl.DataFrame({"query_id": ["q"] * 3, "doc_id": ["a", "b", "c"], "rank": [1, 2, 3]})
    found = content_hash(ranked)
    assert found.ranks and found.content == hash_of({b"q": [(b"a", 1), (b"b", 2), (b"c", 3)]})
    assert content_hash(Run(ranked)) == found


def test_a_score_of_32_bits_is_widened():
    rows = [("q", "a", 0.1), ("q", "b", 1 / 3)]
    wide = [(doc.encode(), float(np.float32(x))) for _, doc, x in rows]
    assert content_hash(frame(rows, pl.Float32)).content == hash_of({b"q": wide})
    assert content_hash([(q, doc, float(np.float32(x))) for q, doc, x in rows]).content == hash_of({b"q": wide})
    assert content_hash(rows).content != hash_of({b"q": wide})


def test_the_order_of_ties_has_a_second_hash_only_where_it_has_an_effect():
    qrels, run = {"q": {"a": 1}}, [("q", "b", 1.0), ("q", "a", 1.0)]
    records = {ties: evaluate(qrels, Run(run), "RR", ties=ties, record=True).runs[0].source for ties in ("docid", "given")}
    assert records["docid"]["in_order"] is None and records["docid"]["content"] == records["given"]["content"]
    again = evaluate(qrels, run, "RR", ties="given", record=True).runs[0].source
    turned = evaluate(qrels, run[::-1], "RR", ties="given", record=True).runs[0].source
    assert records["given"]["in_order"] == again["in_order"] == hash_of({b"q": [(b"b", 1.0), (b"a", 1.0)]}, in_order=True)
    assert turned["in_order"] != again["in_order"] and turned["content"] == again["content"]
    assert evaluate(qrels, run, "RR", record=True).runs[0].source["in_order"] is None


def test_nan_is_refused():
    rows = dataclasses.replace(Run([("q", "a", 1.0)]).rows, value=np.array([np.nan]))
    with pytest.raises(DataError, match="a number is NaN"):
        content_hash(rows)


def test_the_vector_on_the_page():
    assert content_hash(VECTOR, "qrels").content == hash_of(as_lists(VECTOR)) == VECTOR_HASH
    assert content_hash(Qrels(VECTOR)).content == VECTOR_HASH


def test_judgments_as_text_and_dict_have_one_hash(folder):
    path = folder / "one.qrels"
    path.write_text("q1 0 d7 1\nq1 0 d10 0\nq2 0 d1 -1\n")
    data = {"q1": {"d7": 1, "d10": 0}, "q2": {"d1": -1}}
    assert content_hash(path, "qrels").content == content_hash(data, "qrels").content == hash_of(as_lists(data))


@given(full_tables, st.data())
def test_a_change_of_one_row_changes_the_digest_of_its_query_alone(data, draw):
    query = draw.draw(st.sampled_from(sorted(data)))
    doc = draw.draw(st.sampled_from(sorted(data[query])))
    changed = {**data, query: {**data[query], doc: 7.25 if data[query][doc] != 7.25 else 7.5}}
    before, after = content_hash(data), content_hash(changed)
    assert before.content != after.content
    assert [q for q in before.queries if before.queries[q] != after.queries[q]] == [query]


# ---- the inputs of a result ----


@pytest.fixture
def collection(folder):
    for name, rows in {"c.qrels": "q1 0 d1 1\nq2 0 d2 1\n", "c.run": "q1 Q0 d1 1 2.5 t\nq2 Q0 d1 1 2.5 t\nq2 Q0 d2 2 1.5 t\n"}.items():
        (folder / name).write_text(rows)
    return folder


def test_the_record_of_a_file_has_its_size_and_both_hashes(collection):
    record = Input.of("run", collection / "c.run").record
    lists = {b"q1": [(b"d1", 2.5)], b"q2": [(b"d1", 2.5), (b"d2", 1.5)]}
    assert record == {
        "role": "run", "name": "c.run", "form": ".run", "bytes": 51, "rows": 3, "queries": 2, "ranks": False,
        "sha256": hashlib.sha256((collection / "c.run").read_bytes()).hexdigest(), "content": hash_of(lists), "in_order": None,
        "digests": {q.decode(): digest_of(rows).hex()[:4] for q, rows in lists.items()}, "reason": None,
    }  # fmt: skip


@pytest.mark.parametrize("change", [lambda path: path.write_text("q1 Q0 d1 1 2.5 t\n"), lambda path: path.unlink()])
def test_a_file_changed_since_it_was_read_has_no_hash_and_a_warning(collection, change):
    scores = evaluate(collection / "c.qrels", collection / "c.run")
    change(collection / "c.run")
    with pytest.warns(UserWarning, match="c.run: the file has changed since it was read, so the record has no hash of it"):
        record = scores.runs[0].source.record
    assert record["content"] is record["sha256"] is None
    assert record["reason"] == "the file has changed since it was read"


def test_inputs_that_cannot_be_read_again_have_no_hash_and_a_reason():
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
    scores = evaluate(qrels, ((q, doc, x) for q, docs in run.items() for doc, x in docs.items()))
    for reference in scores.inputs:
        assert reference.record["content"] is None and reference.record["reason"] == "it cannot be read again; pass record=True"
    hashed = evaluate(qrels, ((q, doc, x) for q, docs in run.items() for doc, x in docs.items()), record=True)
    assert [x["content"] for x in hashed.inputs] == [content_hash(qrels, "qrels").content, content_hash(run).content]


def test_an_address_with_a_password_is_not_in_the_record():
    record = Input.of("run", "s3://user:secret@bucket/folder/a.parquet?token=abc").record
    assert record["name"] is None and record["reason"] == "it cannot be read again; pass record=True"
    assert not any(word in str(record) for word in ("secret", "token", "bucket"))


def test_verify_names_the_query_that_differs(collection):
    evaluate(collection / "c.qrels", collection / "c.run").save(collection / "c.json")
    assert verify(collection / "c.json").ok
    (collection / "c.run").write_text("q1 Q0 d1 1 2.5 t\nq2 Q0 d1 1 2.5 t\nq2 Q0 d2 2 1.75 t\n")
    [check] = [check for check in verify(collection / "c.json").rows if check.subject == "run c.run"]
    assert check.outcome == "differs" and check.text.startswith("digests.q2: ")


def test_the_example_has_the_hash_of_an_independent_implementation():
    folder = load_example().folder
    for path in sorted((folder / "runs").glob("*.gz"))[:2]:
        lists = {}
        for line in gzip.decompress(path.read_bytes()).splitlines():
            query, _, doc, _, score, _ = line.split()
            lists.setdefault(query, []).append((doc, float(score)))
        assert content_hash(path).content == hash_of(lists)
    assert isinstance(evaluate(folder / "qrels.txt", path), Scores)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_a_copy_of_a_result_keeps_paths_and_no_rows(collection, copied):
    qrels, run = Qrels(collection / "c.qrels"), Run(collection / "c.run")
    scores = copied(evaluate(qrels, run))
    assert scores.means == evaluate(qrels, run).means
    assert copied(scores.runs[0].source).record["reason"] == "it cannot be read again; pass record=True"
    by_path = copied(evaluate(collection / "c.qrels", collection / "c.run"))
    assert [x.record["name"] for x in by_path.inputs] == ["c.qrels", "c.run"]
    assert len(pickle.dumps(scores)) < 10_000


def test_a_file_is_found_again_from_another_folder(tmp_path, monkeypatch):
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\n", encoding="utf-8")
    (tmp_path / "new.run").write_text("q1 Q0 d1 1 1.0 x\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    scores = evaluate("qrels.txt", "new.run", "RR")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    scores.save("x.json")  # a warning would fail this test
    records = [source.record for source in scores.inputs]
    assert [(x["name"], x["rows"], x["reason"]) for x in records] == [("qrels.txt", 1, None), ("new.run", 1, None)]
    assert str(tmp_path) not in Path("x.json").read_text(encoding="utf-8")
