"""Slices of the queries: groups in several dimensions, bins of numbers, a table for each dimension."""

import numpy as np
import pytest

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


def test_what_cannot_be_groups_says_why():
    with pytest.raises(DataError, match="none of the queries is in a group"):
        evaluate(QRELS, OLD, "RR", groups={"x": "y"})
    with pytest.raises(DataError, match="no column 'lang'"):
        Groups(table(), columns={"query": "q", "group": ["lang"]})
    with pytest.raises(ValueError, match="bins must be 2 or more"):
        Groups(table(), columns={"query": "q"}, bins={"asked": 1})
    with pytest.raises(KeyError, match="tablet is not among desk, phone"):
        evaluate(QRELS, OLD, "RR", groups=DEVICE).slice("tablet")
