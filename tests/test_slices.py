"""Slices of the queries: groups in several dimensions, bins of numbers, a table for each dimension."""

import numpy as np
import pytest
from helpers import irmetrics

from irmetrics_nb import DataError, Groups, Scores, compare, evaluate, gate, report

QUERIES = [f"q{i}" for i in range(8)]
DEVICE = dict(zip(QUERIES, ["phone", "desk"] * 4))
LANGUAGE = dict(zip(QUERIES, ["de"] * 3 + ["en"] * 5))
ASKED = dict(zip(QUERIES, [900, 90, 80, 9, 8, 7, 2, 1]))
QRELS = {q: ["a"] for q in QUERIES}
OLD = {q: (["a"], ["b", "a"], ["b", "c", "d", "a"])[i % 3] for i, q in enumerate(QUERIES)}
RR = {q: (1, 0.5, 0.25)[i % 3] for i, q in enumerate(QUERIES)}
NEW = {q: ["a"] if DEVICE[q] == "phone" else docs for q, docs in OLD.items()}


def table():
    import polars as pl

    return pl.DataFrame({"q": QUERIES, "device": list(DEVICE.values()), "language": list(LANGUAGE.values()), "asked": list(ASKED.values())})


def mean(values):
    return pytest.approx(np.mean(list(values)))


def test_a_pandas_series_by_query_id_is_groups():
    pandas = pytest.importorskip("pandas")
    scores = evaluate(QRELS, OLD, "RR", groups=pandas.Series(DEVICE))
    assert scores.slices == ["desk", "phone"]
    assert scores.slice("phone").means["RR"] == mean(RR[q] for q in QUERIES if DEVICE[q] == "phone")


def test_several_dimensions_at_once_give_a_table_for_each(tmp_path):
    which = {"query": "q", "group": ["device", "language"]}
    table().write_csv(tmp_path / "log.csv")
    for source in (table(), table().to_pandas(), tmp_path / "log.csv"):
        scores = evaluate(QRELS, OLD, "RR P@1", groups=Groups(source, columns=which))
        assert scores.slices == ["device=desk", "device=phone", "language=de", "language=en"]
        assert scores.slice("language=de").means["RR"] == mean(RR[q] for q in QUERIES if LANGUAGE[q] == "de")
    text = str(scores)
    heads = [line for line in text.splitlines() if line.startswith("slice")]
    assert len(heads) == 2 and "device=phone" in text and "language=en" in text


def test_dimensions_can_be_crossed_and_numbers_are_cut_at_quantiles():
    groups = Groups(table(), columns={"query": "q", "group": ["device × language", "asked"]}, bins={"asked": ("tail", "torso", "head")})
    scores = evaluate(QRELS, OLD, "RR", groups=groups)
    assert "device × language=phone × de" in scores.slices
    sizes = {name: len(scores.slice(name)) for name in scores.slices if name.startswith("asked=")}
    assert sizes == {"asked=head": 2, "asked=tail": 3, "asked=torso": 3}
    assert scores.slice("asked=head").means["RR"] == mean([RR["q0"], RR["q1"]])


def test_compare_takes_the_groups_of_scores_and_corrects_for_all_slices():
    groups = Groups(table(), columns={"query": "q", "group": ["device", "language"]})
    scores = evaluate(QRELS, {"old": OLD, "new": NEW}, "RR", groups=groups)
    found = compare(scores, baseline="old")
    phone = found.pair("old", "new", slice="device=phone")
    assert phone.difference == mean(1 - RR[q] for q in QUERIES if DEVICE[q] == "phone")
    assert found.pair("old", "new", slice="device=desk").difference == 0
    assert phone.p_adjusted >= phone.p * 3  # de, en and phone differ
    assert {pair.slice for pair in found.rows} == {"all", *scores.slices}
    assert not gate(found, floors=["device=desk:RR=0.9"]).ok and gate(found, floors=["device=phone:RR=1"]).ok


def test_the_slices_that_differ_most_are_named_where_there_are_many():
    groups = Groups(table(), columns={"query": "q", "group": ["device", "language", "asked"]}, bins={"asked": 3})
    found = str(compare(QRELS, {"old": OLD, "new": NEW}, "RR", groups=groups))
    (line,) = (part for part in " ".join(found.split()).split("Differ most: ")[1:])
    assert line.startswith("asked=8 to 80 0.417 (RR, new − old, p = ")  # q3, q4 and q2, q3 stays: (0 + .5 + .75) / 3
    assert np.mean([0.75, 0, 0.5]) == pytest.approx(0.417, abs=5e-4)


def test_a_report_shows_slices_of_several_dimensions():
    groups = Groups(table(), columns={"query": "q", "group": ["device", "language"]})
    for runs in ({"old": OLD, "new": NEW}, OLD):
        html = report(QRELS, runs, "RR", groups=groups, checkup=False).to_html()
        assert "device=phone" in html and "language=de" in html


def test_parts_put_together_know_all_groups():
    halves = [QUERIES[:4], QUERIES[4:]]
    parts = [evaluate({q: QRELS[q] for q in half}, OLD, "RR", groups=DEVICE, part=True) for half in halves]
    assert Scores.concat(parts).slice("phone").means == evaluate(QRELS, OLD, "RR", groups=DEVICE).slice("phone").means


ROWS = list(zip(QUERIES, DEVICE.values(), LANGUAGE.values()))
SPELLINGS = "query_id", "qid", "query-id", "Topic", "queryid", "query"
SLICES = ["device=desk", "device=phone", "lang=de", "lang=en"]


def tables(names, folder):
    "One table in every form: CSV, TSV, semicolons, blanks, Parquet, JSON lines, packed, polars, pandas, records."
    import gzip
    import json

    import polars as pl

    frame = pl.DataFrame(ROWS, names, orient="row")
    records = frame.to_dicts()
    for end, sign in (("csv", ","), ("tsv", "\t"), ("semicolon.csv", ";"), ("txt", " ")):
        lines = "".join(sign.join(row) + "\n" for row in [names, *ROWS])
        (folder / f"log.{end}").write_text(lines)
        yield folder / f"log.{end}"
    (folder / "log.csv.gz").write_bytes(gzip.compress((folder / "log.csv").read_bytes()))
    (folder / "log.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    frame.write_parquet(folder / "log.parquet")
    yield from (folder / "log.csv.gz", folder / "log.jsonl", folder / "log.parquet", str(folder / "log.csv"))
    yield from (frame, frame.to_pandas(), frame.to_arrow(), records, {q: {"device": d, "lang": x} for q, d, x in ROWS})


@pytest.mark.parametrize("query", SPELLINGS)
def test_every_column_except_the_query_is_a_dimension(query, tmp_path):
    sources = [*tables([query, "device", "lang"], tmp_path)]
    assert len(sources) == 13
    for source in sources:
        for groups in (source, Groups(source)):
            scores = evaluate(QRELS, OLD, "RR", groups=groups)
            assert scores.slices == SLICES, source
            assert scores.slice("lang=de").means["RR"] == mean(RR[q] for q in QUERIES if LANGUAGE[q] == "de")
    found = compare(QRELS, {"old": OLD, "new": NEW}, "RR", groups=tmp_path / "log.csv", baseline="new")
    assert found.slices == ["all", *SLICES]
    assert not gate(found, floors=["device=desk:RR=0.9"]).ok and gate(found, floors=["lang=en:RR=0.1"]).ok


def test_a_file_without_a_header_has_two_columns_and_more_need_one(tmp_path):
    for sign in ",\t; ":
        (tmp_path / "two").write_text("".join(f"{q}{sign}{device}\n" for q, device, _ in ROWS))
        assert evaluate(QRELS, OLD, "RR", groups=tmp_path / "two").slices == ["desk", "phone"]
        assert Groups(tmp_path / "two").of == DEVICE
        (tmp_path / "three").write_text("".join(sign.join(row) + "\n" for row in ROWS))
        for read in (Groups, lambda path: evaluate(QRELS, OLD, "RR", groups=path)):
            with pytest.raises(DataError, match="three: without a header, a file needs two columns \\(query and group\\), not 3; write a header such as query_id,device,lang"):
                read(tmp_path / "three")
    (tmp_path / "one").write_text("query_id,group\nq0,de\nq1,en\nq0,de\n")
    assert Groups(tmp_path / "one").of == {"q0": "de", "q1": "en"}  # of one dimension the names alone
    for text, words in (
        ("q0,de\nq1\n", "line 2: 1 column, but the first line has 2"), ("q0 de\nq1 en us\n", "line 2: 3 columns"),
        ("q0,de\nq0,en\n", "wrong.csv: the query 'q0' has two groups"), ("qid,x,y\nq0,1,2\nq0,1,3\n", "the query 'q0' has two groups"),
        ("qid,x\n", "the file has no rows"), ("", "the file has no rows"), ("q0,all\n", "query 'q0': 'all' cannot be the name of a group"),
    ):  # fmt: skip
        (tmp_path / "wrong.csv").write_text(text)
        with pytest.raises(DataError, match=words):
            Groups(tmp_path / "wrong.csv")


def test_of_two_columns_that_may_be_the_queries_the_id_wins(tmp_path):
    (tmp_path / "log.csv").write_text("query,query_id,device\nred shoes,q0,phone\nblue shoes,q1,desk\n")
    assert Groups(tmp_path / "log.csv").dimensions == ("query", "device")
    assert Groups(tmp_path / "log.csv").of["q1"].names == ("query=blue shoes", "device=desk")
    assert Groups(tmp_path / "log.csv", columns={"query": "query", "group": "device"}).of == {"red shoes": "phone", "blue shoes": "desk"}


def test_invalid_bins_and_group_types_are_errors_with_advice():
    with pytest.raises(ValueError, match="bins must be {dimension: number or names}, not 3"):
        Groups({"q0": 1, "q1": 2}, bins=3)
    for several in (["phone", "fr"], ("phone",), {"phone"}, np.array(["phone", "fr"])):
        for source in ({"q0": several}, {"q0": {"device": several, "lang": "fr"}}):
            for read in (Groups, lambda groups: evaluate(QRELS, OLD, "RR", groups=groups)):
                with pytest.raises(DataError, match="query 'q0': a group must be a single name, not .*{query: {dimension: group}}"):
                    read(source)


def test_the_command_evaluate_shows_the_slices_of_a_file(tmp_path):
    import json

    for name, rows in (("qrels.txt", [f"{q} 0 a 1" for q in QUERIES]), ("old.run", [f"{q} Q0 {d} 1 {-i} old" for q in QUERIES for i, d in enumerate(OLD[q])])):
        (tmp_path / name).write_text("\n".join(rows) + "\n")
    (tmp_path / "log.csv").write_text("".join(",".join(row) + "\n" for row in [("query_id", "device", "lang"), *ROWS]))
    command = "evaluate", "qrels.txt", "old.run", "-m", "RR", "--groups", "log.csv"
    shown = irmetrics(*command, cwd=tmp_path)
    assert shown.returncode == 0 and all(name in shown.stdout for name in SLICES)
    (found,) = json.loads(irmetrics(*command, "--format", "json", cwd=tmp_path).stdout)
    assert found["slices"]["device=phone"]["RR"] == mean(RR[q] for q in QUERIES if DEVICE[q] == "phone")
    (tmp_path / "log.csv").write_text("q0,phone,de\nq1,desk,en\n")
    wrong = irmetrics(*command, cwd=tmp_path)
    assert wrong.returncode == 1 and "a file needs two columns (query and group), not 3" in wrong.stderr


def test_invalid_groups_are_errors_with_a_reason():
    with pytest.raises(DataError, match="no query belongs to a group"):
        evaluate(QRELS, OLD, "RR", groups={"x": "y"})
    with pytest.raises(DataError, match="no column 'lang'"):
        Groups(table(), columns={"query": "q", "group": ["lang"]})
    with pytest.raises(ValueError, match=r"bins must be a number of bins \(2 or more\)"):
        Groups(table(), columns={"query": "q"}, bins={"asked": 1})
    with pytest.raises(KeyError, match="there is no slice 'tablet'; available: desk, phone"):
        evaluate(QRELS, OLD, "RR", groups=DEVICE).slice("tablet")


def test_queries_without_a_group_are_counted_below_the_table():
    def shown(groups): return " ".join(str(evaluate(QRELS, OLD, "RR", groups=groups)).split())

    assert "; 6 without a group;" in shown({"q0": "phone", "q1": "desk", "q2": None})
    assert "without a group" not in shown(DEVICE)
    some = {q: {"device": DEVICE[q], "lang": LANGUAGE[q] if i < 5 else None} for i, q in enumerate(QUERIES[:7])}
    assert "; 1 without a group of device; 3 without a group of lang;" in shown(some)
