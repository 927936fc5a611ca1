"Judgments of samples: xinfAP and infNDCG by their formulas in fractions, files with strata, ties, and the command."
import hashlib
import json
import random
import struct
from fractions import Fraction
from itertools import permutations
from math import floor, log2

import pytest
from helpers import irmetrics

from irmetrics_nb import DataError, Judged, Qrels, evaluate, explain, judge, parse
from irmetrics_nb.core.ties import TiesError
from irmetrics_nb.data.fingerprints import content_hash

EPSILON = Fraction(1, 100_000)
SMALL = """1 0 d1 1 2
1 0 d2 1 0
1 0 d3 2 1
1 0 d4 2 -1
1 0 d5 2 0
1 0 d6 2 -1
"""
RUN = {"1": ["d3", "d4", "d1", "d7", "d2"]}


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "sampled.qrels"
    path.write_text(SMALL)
    return path


def counts_of(docs, judged):
    "{stratum: [pooled, sampled, relevant]} of documents; judged: {document: (stratum, grade)}."
    counts = {stratum: [0, 0, 0] for stratum, _ in judged.values()}
    for doc in docs:
        if doc in judged:
            stratum, grade = judged[doc]
            for i, counted in enumerate((True, grade >= 0, grade >= 1)):
                counts[stratum][i] += counted
    return counts


def slow_xinfap(ranked, judged):
    "The paper: the expected precision of a relevant document, of each stratum in its share of the relevant ones."
    whole = counts_of(judged, judged)
    estimates = {s: Fraction(hits * pooled, sampled) if sampled else Fraction(0) for s, (pooled, sampled, hits) in whole.items()}
    total = sum(estimates.values())
    if not total:
        return Fraction(0)
    value = Fraction(0)
    for stratum, (_, _, hits) in whole.items():
        precisions = Fraction(0)
        for i, doc in enumerate(ranked[:1000], 1):
            if judged.get(doc, (None, -1))[0] != stratum or judged[doc][1] < 1:
                continue
            above = counts_of(ranked[: i - 1], judged)
            pooled_above = sum(pooled for pooled, _, _ in above.values())
            expected = Fraction(0)
            for pooled, sampled, found in above.values():
                if pooled_above:
                    expected += Fraction(pooled, pooled_above) * (found + EPSILON) / (sampled + 3 * EPSILON)
            precisions += Fraction(1, i) + Fraction(pooled_above, i) * expected
        if hits:
            value += estimates[stratum] / total * precisions / hits
    return value


def slow_infndcg(ranked, judged):
    "DCG by strata, divided by that of estimated numbers of documents of each grade, rounded."
    ranked = ranked[:1000]
    in_list = counts_of(ranked, judged)
    whole = counts_of(judged, judged)
    dcg = 0.0
    for i, doc in enumerate(ranked, 1):
        stratum, grade = judged.get(doc, (None, -1))
        if grade > 0:
            pooled, sampled, _ = in_list[stratum]
            dcg += float(Fraction(pooled, sampled) * grade) / log2(i + 1)
    ideal, rank = 0.0, 0
    for level in sorted({grade for _, grade in judged.values() if grade > 0}, reverse=True):
        number = Fraction(0)
        for stratum, (pooled, sampled, _) in whole.items():
            in_stratum = sum(of == (stratum, level) for of in judged.values())
            number += Fraction(in_stratum * pooled, sampled) if sampled else 0
        for _ in range(floor(number + Fraction(1, 2))):
            rank += 1
            ideal += level / log2(rank + 1) if rank <= 1000 else 0
    return dcg / ideal if ideal else 0.0


def collection_at_random(seed):
    "(judgments, rankings) of three queries, with unjudged documents, and strata that were sampled at different rates."
    draw = random.Random(seed)
    judgments, rankings = {}, {}
    for query in "1", "2", "3":
        docs = [f"d{i}" for i in range(draw.choice([3, 30, 1100]))]
        rates = [draw.random() for _ in range(draw.randint(1, 4))]
        judgments[query] = {}
        for doc in docs:
            stratum = draw.randrange(len(rates))
            grade = draw.choice([0, 0, 1, 2, 3]) if draw.random() < rates[stratum] else -1
            if draw.random() < 0.8:
                judgments[query][doc] = f"s{stratum}", grade
        draw.shuffle(docs)
        rankings[query] = docs[: draw.choice([5, 2000])]
    return {query: docs for query, docs in judgments.items() if docs}, rankings


def saved(judgments, path):
    lines = [f"{query} 0 {doc} {stratum} {grade}\n" for query, docs in judgments.items() for doc, (stratum, grade) in docs.items()]
    path.write_text("".join(lines))
    return Qrels(path, strata=True)


@pytest.mark.parametrize("seed", range(12))
def test_estimates_are_the_formulas_in_fractions(seed, tmp_path):
    judgments, rankings = collection_at_random(seed)
    scores = evaluate(saved(judgments, tmp_path / "sampled"), rankings, "xinfAP infNDCG")
    assert list(scores.query_ids) == list(judgments)
    for i, query in enumerate(scores.query_ids):
        judged, ranked = judgments[query], rankings[query]
        assert scores["xinfAP"][i] == pytest.approx(float(slow_xinfap(ranked, judged)), abs=1e-12)
        assert scores["infNDCG"][i] == pytest.approx(slow_infndcg(ranked, judged), abs=1e-12)


def test_values_by_hand(small):
    at_third = (1 + 2 * (1 + EPSILON) / (1 + 3 * EPSILON)) / 3
    scores = evaluate(Qrels(small, strata=True), RUN, "xinfAP infNDCG AP xinfAP@2")
    assert scores.means["xinfAP"] == pytest.approx(float((2 + at_third) / 3), abs=1e-15)
    assert scores.means["infNDCG"] == pytest.approx((2 / 1 + 2 / 2) / (2 + 1 / log2(3) + 1 / 2), abs=1e-15)
    assert scores.means["AP"] == pytest.approx((1 + 2 / 3) / 2)  # d4 is not judged there
    assert scores.means["xinfAP@2"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("negative", ["zero", "keep"])
def test_grades_below_0_reach_the_estimates_by_every_convention(small, negative):
    scores = evaluate(Qrels(small, strata=True), RUN, "xinfAP", negative=negative)
    assert scores.means["xinfAP"] == pytest.approx(0.9999955556888849, abs=1e-15)


def test_ties_are_averaged_over_all_orders(small):
    qrels = Qrels(small, strata=True)
    tied = {"1": {"d3": 2, "d4": 2, "d1": 2, "d5": 1, "d9": 1}}
    orders = [[*first, *last] for first in permutations(["d3", "d4", "d1"]) for last in permutations(["d5", "d9"])]
    for measure in "xinfAP", "infNDCG":
        each = [evaluate(qrels, {"1": order}, measure).means[measure] for order in orders]
        averaged = evaluate(qrels, tied, measure, ties="average").means[measure]
        assert averaged == pytest.approx(sum(each) / len(each), abs=1e-15)
        assert len(set(each)) > 1
        with pytest.raises(TiesError, match="is not defined for this measure"):
            evaluate(qrels, tied, measure, ties="best")


def test_too_many_orders_of_ties_are_an_error(tmp_path):
    judgments = {"1": {f"d{i}": ("1", i % 2) for i in range(9)}}
    with pytest.raises(TiesError, match="362,880 orders"):
        evaluate(saved(judgments, tmp_path / "sampled"), {"1": dict.fromkeys(judgments["1"], 1.0)}, "xinfAP", ties="average")


def test_explanations_show_the_terms(small):
    why = explain("xinfAP", Qrels(small, strata=True), RUN, "1")
    assert [row["term"] for row in why.rows] == pytest.approx([2, 0, 0.9999866670666547, 0, 0])
    assert repr(why).startswith("xinfAP = (2 + 1.0000) / 3 = 1.0000")
    assert repr(explain("infNDCG", Qrels(small, strata=True), RUN, "1")).startswith("infNDCG = (2 + 1) / 3.1309 = 0.9582")
    with pytest.raises(ValueError, match="pass qrels and run"):
        explain("xinfAP", judge(Qrels(small, strata=True), RUN))


def test_without_strata_all_documents_are_of_one_stratum(tmp_path):
    grades = {"a": 2, "b": -1, "c": 0, "d": 1, "e": -1}
    qrels = saved({"1": {doc: ("7", grade) for doc, grade in grades.items()}}, tmp_path / "sampled")
    run = {"1": ["a", "b", "c", "d"]}
    in_one = evaluate(qrels, run, "xinfAP infNDCG").means
    assert in_one == evaluate({"1": grades}, run, "xinfAP infNDCG").means
    assert parse("xinfAP").of([1, 1]) < 1  # by epsilon
    assert parse("infNDCG").of([1, 0, 2]) == pytest.approx(parse("nDCG").of([1, 0, 2]))


def test_strata_follow_their_documents_in_batches(tmp_path):
    judgments, rankings = collection_at_random(3)
    batch = judge(saved(judgments, tmp_path / "sampled"), rankings, negative="keep")
    values = parse("xinfAP").of(batch)
    again = Judged.concat([batch[q] for q in range(len(batch))])
    assert parse("xinfAP").of(again).tolist() == values.tolist()
    assert parse("xinfAP").of(batch.take([2, 0])).tolist() == values[[2, 0]].tolist()
    assert sorted(batch.ideal.labels) == sorted(batch.pool_labels)
    assert len(batch.listed().pool_labels) == len(batch.rank)


@pytest.mark.parametrize("line", ["1 0 d1 2", "1 0 d1"])
def test_strata_need_five_columns(tmp_path, line):
    path = tmp_path / "qrels.txt"
    path.write_text(line + "\n")
    with pytest.raises(DataError, match="no column"):
        Qrels(path, strata=True)
    with pytest.raises(DataError, match="topic, 0, document, stratum, grade"):
        Qrels({"1": {"d1": 1}}, strata=True)


def test_five_columns_are_refused_with_the_advice(small):
    with pytest.raises(DataError, match="line 1: 5 columns, but judgments have 4.*set strata=True .--strata.; if these are prels"):
        Qrels(small)


def test_comments_blanks_and_duplicates_keep_their_strata(tmp_path):
    path = tmp_path / "sampled"
    path.write_bytes(b"# made by hand\n1\t0 d1  low 1 \n1 0 d1 high 2\r\n\n1 0 d2 high -1\n")
    qrels = Qrels(path, strata=True, duplicates="best")
    names = [qrels.rows.names[i] for i in qrels.rows.labels]
    assert dict(zip(qrels.rows.doc.tolist(), names)) == {"d1": "high", "d2": "high"}


def field(data):
    return struct.pack(">I", len(data)) + data


def test_the_content_hash_has_the_strata(small, tmp_path):
    rows = [line.split() for line in SMALL.splitlines()]
    fields = [(doc, "", stratum, struct.pack(">d", float(grade))) for _, _, doc, stratum, grade in rows]
    lines = sorted(b"".join(field(x if isinstance(x, bytes) else x.encode()) for x in row) for row in fields)
    digest = hashlib.sha256(b"".join(lines)).digest()
    total = field(b"1") + field(struct.pack(">Q", len(rows))) + field(digest)
    assert content_hash(Qrels(small, strata=True)).content == hashlib.sha256(total).hexdigest()
    other = tmp_path / "other"
    other.write_text(SMALL.replace("d5 2", "d5 10"))
    assert content_hash(Qrels(other, strata=True)).content != content_hash(Qrels(small, strata=True)).content


def test_strata_are_not_lost_in_a_saved_file(small, tmp_path):
    for name in "copy.txt", "copy.csv":
        with pytest.raises(ValueError, match="judgments with strata cannot be saved"):
            Qrels(small, strata=True).save(tmp_path / name)


def test_the_command_reads_strata(small, tmp_path):
    run = tmp_path / "a.run"
    run.write_text("".join(f"1 Q0 {doc} {i} {9 - i} a\n" for i, doc in enumerate(RUN["1"], 1)))
    done = irmetrics("evaluate", small, run, "-m", "xinfAP infNDCG", "--strata", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert "0.99999555" in done.stdout and "0.95818182" in done.stdout
    assert json.loads(done.stdout)
    piped = irmetrics("evaluate", "-", run, "-m", "xinfAP", "--strata", stdin=SMALL.encode())
    assert "1.0000" in piped.stdout, piped.stderr
    refused = irmetrics("evaluate", small, run, "-m", "xinfAP")
    assert refused.returncode == 1 and "--strata" in refused.stderr
