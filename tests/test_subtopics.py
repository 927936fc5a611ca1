"Judgments of subtopics, the measures that use them, and other programs that compute the same."
import json
from itertools import permutations
from math import log2

import ir_measures
import numpy as np
import polars as pl
import pyndeval
import pytest
from helpers import irmetrics, put

from irmetrics_nb import DataError, Qrels, Run, compare, evaluate, explain, judge, parse
from irmetrics_nb.core.ties import TiesError
from irmetrics_nb.data.fingerprints import content_hash
from irmetrics_nb.metrics.subtopics import greedy_steps, novel_divisor, novelty

GRADES = {'jaguar': {'animal': {'d1': 2, 'd2': 1}, 'car': {'d2': 1, 'd3': 1}, 'team': {'d4': 0}}, 'apple': {'fruit': {'d9': 1}}}
RUN = {'jaguar': ['d1', 'd9', 'd2', 'd3'], 'apple': ['d8', 'd9']}
ROWS = [(q, s, d, g) for q, topics in GRADES.items() for s, docs in topics.items() for d, g in docs.items()]
TEXT = ''.join(f'{q} {s} {d} {g}\n' for q, s, d, g in ROWS).encode()
NAMES = ['alpha-DCG@5', 'alpha-DCG@20', 'alpha-nDCG@5', 'alpha-nDCG@20', 'ERR-IA@10', 'nERR-IA@20', 'P-IA@10', 'MAP-IA', 'strec@10', 'NRBP', 'nNRBP']


def as_table(rows):
    return pl.DataFrame(rows, orient='row', schema=['query_id', 'subtopic', 'doc_id', 'relevance'])


def truth():
    return Qrels(GRADES, subtopics=True)


def grades_of(qrels):
    "{query: {subtopic: {document: grade}}}"
    grades = {}
    for q, d, g, s in qrels.to_polars().iter_rows(): grades.setdefault(q, {}).setdefault(s, {})[d] = g
    return grades


def value(measure, query='jaguar', qrels=None, **options):
    scores = evaluate(qrels or truth(), RUN, measure, **options)
    return scores.values[0, 0, scores.query_ids.index(query)]


# ---- reading ----


def sources(folder):
    table = as_table(ROWS)
    table.write_csv(folder/'qrels.csv')
    table.write_parquet(folder/'qrels.parquet')
    lines = ''.join(json.dumps(row) + '\n' for row in table.to_dicts())
    yield from (put(folder/'qrels.txt', TEXT), folder/'qrels.csv', folder/'qrels.parquet', put(folder/'qrels.jsonl', lines.encode()))
    yield from (GRADES, table, table.to_pandas(), table.to_dicts(), iter(table.to_dicts()), table.lazy(), table.to_dict(as_series=False))


@pytest.mark.parametrize('i', range(11))
def test_subtopics_are_read_from_every_form(tmp_path, i):
    qrels = Qrels([*sources(tmp_path)][i], subtopics=True)
    assert grades_of(qrels) == GRADES
    assert qrels.to_dict() == {'jaguar': {'d1': 2, 'd2': 1, 'd3': 1, 'd4': 0}, 'apple': {'d9': 1}}
    assert repr(qrels) == 'Qrels: 2 queries, 5 judgments for 4 subtopics, grades 0 to 2'
    assert value('alpha_nDCG', qrels=qrels) == value('alpha_nDCG') and grades_of(Qrels(qrels)) == GRADES


def test_the_column_of_subtopics_can_be_named():
    table = pl.DataFrame(ROWS, orient='row', schema=['q', 'aspect', 'doc', 'grade'])
    names = {'query': 'q', 'document': 'doc', 'relevance': 'grade'}
    assert grades_of(Qrels(table, columns={**names, 'subtopic': 'aspect'}, subtopics=True)) == GRADES
    with pytest.raises(DataError, match="no column 'subtopic'; name it: columns={'subtopic': ...}"):
        Qrels(table, columns=names, subtopics=True)
    with pytest.raises(DataError, match='subtopics=True reads a dict {query: {subtopic: {document: grade}}}'):
        Qrels({'q': {'d': 1}}, subtopics=True)
    with pytest.raises(ValueError, match='this Qrels is already read; set subtopics= where you create it'):
        Qrels(truth(), subtopics=True)


def test_a_document_judged_for_two_subtopics_is_refused_with_the_advice(tmp_path):
    path = put(tmp_path/'qrels', TEXT)
    with pytest.raises(DataError, match=r"line 3 \(and 2\): .*column 2 differs .*write Qrels\(source, subtopics=True\)$"): Qrels(path)
    run = put(tmp_path/'run', b'jaguar Q0 d1 1 2 x\n')
    assert irmetrics('evaluate', path, run).stderr.strip().endswith("to read judgments of subtopics, write --subtopics")
    with pytest.raises(DataError, match=r"duplicate document 'd1' in query 'q, subtopic a'; duplicates="): Qrels(as_table([('q', 'a', 'd1', 1)] * 2), subtopics=True)
    repeated = [('q', 'a', 'd1', 1), ('q', 'b', 'd1', 0), ('q', 'a', 'd1', 3)]
    for rule, grade in {'first': 1, 'last': 3, 'best': 3, 'mean': 2}.items():
        qrels = Qrels(as_table(repeated), subtopics=True, duplicates=rule)
        assert grades_of(qrels) == {'q': {'a': {'d1': grade}, 'b': {'d1': 0}}} and qrels.repeats == 1, rule


def test_other_measures_use_the_largest_grade_and_say_so():
    scores = evaluate(truth(), RUN, 'AP')
    assert scores.values[0, 0].tolist() == evaluate({'jaguar': {'d1': 2, 'd2': 1, 'd3': 1}, 'apple': {'d9': 1}}, RUN, 'AP').values[0, 0].tolist()
    note = 'judgments of subtopics: a measure without subtopics uses the largest grade of a document'
    assert note in ' '.join(repr(scores).split()) and note not in ' '.join(repr(evaluate(truth(), RUN, "alpha_nDCG AP(over='subtopics')")).split())
    alone = evaluate({'q': {'d1': 1}}, {'q': ['d2', 'd1']}, 'alpha_nDCG')
    assert alone.means['alpha_nDCG'] == 1 / log2(3)
    assert 'the judgments are read without subtopics, so each query is its only subtopic' in ' '.join(repr(alone).split())


# ---- values ----


@pytest.mark.parametrize('measure, expected', [
    ('alpha_DCG@3', (1 + 1.5 / 2) / (2 * (1 + .5 / log2(3) + .25 / 2))), ('alpha_nDCG@4', (1 + 1.5 / 2 + .5 / log2(5)) / (2 + .5 / log2(3) + .5 / 2)),
    ('ERR_IA@4', (1 + 1.5 / 3 + .5 / 4) / (2 * (1 + .5 / 2 + .25 / 3 + .125 / 4))), ('nERR_IA@4', (1 + 1.5 / 3 + .5 / 4) / (2 + .5 / 2 + .5 / 3)),
    ('NRBP', (1 + 1.5 / 4 + .5 / 8) * .75 / 2), ('nNRBP', (1 + 1.5 / 4 + .5 / 8) / (2 + .5 / 2 + .5 / 4)), ('StRecall@2', 1 / 2), ('StRecall@3', 1),
    ('alpha_nDCG(alpha=0)@4', (1 + 2 / 2 + 1 / log2(5)) / (2 + 1 / log2(3) + 1 / 2)), ('alpha_nDCG(alpha=1)', (1 + 1 / 2) / 2), ('StRecall(rel=2)', 1),
    ("AP(over='subtopics')", ((1 + 2 / 3) / 2 + (1 / 3 + 2 / 4) / 2) / 2), ("P(over='subtopics')@2", (1 / 2 + 0) / 2),
    ("nDCG(over='subtopics')@3", ((2 + 1 / 2) / (2 + 1 / log2(3)) + (1 / 2) / (1 + 1 / log2(3))) / 2), ("NumRel(over='subtopics')", 2), ("RR(over='subtopics', judged_only=True)", (1 + 1 / 2) / 2),
])
def test_values_by_hand(measure, expected, tmp_path):
    assert value(measure) == pytest.approx(expected, rel=1e-15)
    text = irmetrics('evaluate', put(tmp_path/'qrels', TEXT), put(tmp_path/'run', b''.join(f'{q} Q0 {d} 1 {9 - i} x\n'.encode() for q, docs in RUN.items() for i, d in enumerate(docs))),
                     '--subtopics', '-m', measure, '--per-query', '--format', 'json').stdout
    [printed] = json.loads(text)[0]['per_query']['jaguar'].values()
    assert printed == pytest.approx(expected, rel=1e-15)


def test_weights_of_subtopics_are_those_of_the_mean():
    weights = {'jaguar': {'animal': 3, 'car': 1, 'team': 5}, 'apple': {'fruit': .5}}
    weighted = Qrels(GRADES, subtopics=weights)
    assert value("AP(over='subtopics')", qrels=weighted) == pytest.approx(.75 * (1 + 2 / 3) / 2 + .25 * (1 / 3 + 2 / 4) / 2, rel=1e-15)
    assert value("AP(over='subtopics')", 'apple', weighted) == .5 and value('alpha_nDCG', qrels=weighted) == value('alpha_nDCG')
    for wrong in (-1, None, float('nan'), float('inf')):
        with pytest.raises(DataError, match="subtopic 'car' of query 'jaguar' needs a weight of 0 or more"):
            Qrels(GRADES, subtopics=weights | {'jaguar': weights['jaguar'] | {'car': wrong}})


@pytest.mark.parametrize('name', ['alpha_DCG', 'ERR_IA'])
def test_a_measure_that_needs_a_cutoff_says_so(name):
    with pytest.raises(ValueError, match=f'{name} needs a cutoff: write {name}@20'): value(name)
    assert repr(parse(f'{name}(alpha=0.2)') @ 5) == f'{name}(alpha=0.2)@5'


def test_a_measure_of_subtopics_is_not_averaged_over_them_again():
    with pytest.raises(ValueError, match="alpha_nDCG has no parameter 'over'"): parse("alpha_nDCG(over='subtopics')")
    with pytest.raises(ValueError, match="over must be 'queries' or 'subtopics', not 'topics'"): parse("AP(over='topics')")
    assert parse("AP(over='queries')") == parse('AP') and parse("AP(over='subtopics')") != parse('AP')
    for wrong in ('alpha_nDCG(alpha=2)', 'NRBP(beta=1)', 'NRBP(alpha=-1)'):
        with pytest.raises(ValueError, match='must be (in the range 0 to 1|at least 0 and less than 1), not'): parse(wrong)


# ---- the greedy ideal ----


def batch(subtopics_of, run=None):
    "A query whose documents serve the subtopics in texts such as 'ab', ranked in their order."
    grades = {}
    for doc, names in subtopics_of.items():
        for name in names: grades.setdefault(name, {})[doc] = 1
    return judge(Qrels({'q': grades}, subtopics=True), {'q': [*(run or subtopics_of)]})


def best_of_all(subtopics_of, alpha, k):
    "The largest sum of novel gains down to rank k of all orders."
    def gain(order):
        seen, total = {}, 0
        for i, doc in enumerate(order[:k], 1):
            for name in subtopics_of[doc]:
                total += (1 - alpha) ** seen.get(name, 0) / log2(i + 1)
                seen[name] = seen.get(name, 0) + 1
        return total
    return max(map(gain, permutations(subtopics_of)))


def test_the_greedy_ideal_is_nearly_the_best_of_all_orders():
    rng = np.random.default_rng(1)
    short = 0
    for _ in range(150):
        docs = {f'd{i}': ''.join(rng.choice([*'abcdef'], rng.integers(1, 5), replace=False)) for i in range(rng.integers(1, 6))}
        k = int(rng.integers(1, 6))
        alpha = float(rng.choice([0, .3, .5, 1]))
        [greedy] = novel_divisor(batch(docs), 'alpha_nDCG', alpha, .5, 1, k)
        best = best_of_all(docs, alpha, k)
        assert .75 * best <= greedy <= best + 1e-12
        short += greedy < best - 1e-9
    assert 0 < short < 30  # greedy is not always the best


def test_a_list_can_be_better_than_the_greedy_ideal():
    judged = batch({'x': 'abcd', 'y': 'abe', 'z': 'cdf'}, ['y', 'z', 'x'])  # at rank 1, x has the most subtopics
    expected = (3 + 3 / log2(3)) / (4 + 1 / log2(3))
    assert novelty(judged, alpha=1, k=2)[0] == pytest.approx(expected, rel=1e-15) and expected > 1


def test_equal_gains_are_ordered_by_the_greatest_id():
    docs = {'p': 'ab', 'q': 'cd', 'z': 'bc'}  # after z, each of the others has one new subtopic; after p, q has two
    assert [gain.tolist() for _, gain in greedy_steps(batch(docs), 1, 1)] == [[2], [1], [1]]
    assert [gain.tolist() for _, gain in greedy_steps(batch({'z': 'ab', 'q': 'cd', 'p': 'bc'}), 1, 1)] == [[2], [2], [0]]


# ---- ties ----


@pytest.mark.parametrize('measure', ['alpha_DCG@3', 'alpha_nDCG', 'alpha_nDCG(alpha=0)@2', 'alpha_nDCG(alpha=1)@3', 'ERR_IA@4', 'nERR_IA@2', 'NRBP', 'nNRBP', 'StRecall@2',
                                     "AP(over='subtopics')", "nDCG(over='subtopics')@3", "ERR(over='subtopics')", "Bpref(over='subtopics')", "IPrec(over='subtopics')@0.5"])
def test_ties_are_averaged_over_all_orders(measure):
    rng = np.random.default_rng(2)
    for _ in range(12):
        docs = [f'd{i}' for i in range(6)]
        grades = {s: {d: int(rng.integers(0, 3)) for d in rng.choice(docs, 3, replace=False)} for s in 'abc'}
        tiers = [['d0'], ['d1', 'd2', 'd3'], ['d4', 'd5']]
        qrels = Qrels({'q': grades}, subtopics=True)
        run = {'q': {d: -i for i, tier in enumerate(tiers) for d in tier}}
        [found] = evaluate(qrels, run, measure, ties='average').values[0, 0]
        orders = [[*a, *b, *c] for a in permutations(tiers[0]) for b in permutations(tiers[1]) for c in permutations(tiers[2])]
        every = [evaluate(qrels, {'q': order}, measure).values[0, 0, 0] for order in orders]
        assert found == pytest.approx(np.mean(every), rel=1e-12, abs=1e-15)
    with pytest.raises(TiesError, match='order of ties is not defined'): evaluate(qrels, run, measure, ties='best')


# ---- other programs ----


def test_values_equal_ndeval_on_random_collections():
    rng = np.random.default_rng(0)
    compared, worst = 0, 0
    for _ in range(200):
        qrels, run = [], {}
        for q in ('q1', 'q2', 'q3'):
            docs = [f'd{i:02d}' for i in range(25)]
            for s in range(1, rng.integers(2, 6)):
                qrels += [(q, str(s), str(d), int(rng.integers(0, 3))) for d in rng.choice(docs, rng.integers(1, 9), replace=False)]
            run[q] = [str(d) for d in rng.permutation(docs)[:rng.integers(5, 25)]]
        scored = [(q, d, float(100 - i)) for q, ranked in run.items() for i, d in enumerate(ranked)]
        expected = pyndeval.ndeval(qrels, scored, measures=NAMES)
        found = evaluate(Qrels(as_table(qrels), subtopics=True), run, NAMES)
        for name, row in zip(NAMES, found.values[0], strict=True):
            for q, x in zip(found.query_ids, row, strict=True):
                worst = max(worst, abs(x - expected.get(q, {}).get(name, 0)))
                compared += 1
    assert compared == 6600 and worst < 1e-12


def test_values_equal_ir_measures():
    theirs = [ir_measures.alpha_nDCG @ 5, ir_measures.ERR_IA @ 5, ir_measures.NRBP, ir_measures.StRecall @ 5, ir_measures.AP_IA, ir_measures.P_IA @ 5]
    qrels = [ir_measures.Qrel(q, d, g, s) for q, s, d, g in ROWS]
    run = [ir_measures.ScoredDoc(q, d, -i) for q, docs in RUN.items() for i, d in enumerate(docs)]
    expected = ir_measures.calc_aggregate(theirs, qrels, run)
    for measure in theirs:
        assert evaluate(truth(), RUN, measure).values.mean() == pytest.approx(expected[measure], rel=1e-12), measure


def test_a_later_chunk_of_a_document_serves_no_subtopic():
    chunks = Run({'q': {'d1#1': 4, 'd1#2': 3, 'd2#1': 2}}, parents='#')
    qrels = Qrels({'q': {'a': {'d1': 1}, 'b': {'d1': 1, 'd2': 1}}}, subtopics=True)
    expected = (2 + .5 / log2(4)) / (2 + .5 / log2(3))  # d2 is at rank 3
    assert evaluate(qrels, chunks, 'alpha_nDCG').means['alpha_nDCG'] == pytest.approx(expected, rel=1e-15)
    assert explain('alpha_nDCG', qrels, chunks, 'q').value == pytest.approx(expected, rel=1e-15)


# ---- all else works on them ----


def test_explanation_shows_subtopics_and_novelty():
    why = explain('alpha_nDCG@4', truth(), RUN, 'jaguar')
    assert [row['subtopics'] for row in why.rows] == ['animal (1)', '', 'animal (0.5), car (1)', 'car (0.5)']
    assert [row['gain'] for row in why.rows] == [1, None, 1.5, .5]
    assert why.value == value('alpha_nDCG@4') and why.text.startswith('alpha_nDCG@4 = (1 + 0.75 + 0.2153) / ')
    assert why.move('d3', 1).value > why.value
    why = explain("AP(over='subtopics')", truth(), RUN, 'jaguar')
    assert why.value == value("AP(over='subtopics')") and [row['subtopics'] for row in why.rows][2] == 'animal, car'
    assert sum(row['term'] for row in why.rows) / 2 == pytest.approx(why.value) and why.text.endswith(' / 2 = 0.6250') and why.swaps().change.any()
    with pytest.raises(ValueError, match="'d1' has a grade for each subtopic"): why.grade('d1', 0)


def test_comparison_slices_and_records_work_on_subtopics(tmp_path):
    names = "alpha_nDCG@5 AP(over='subtopics')"
    other = {'jaguar': ['d2', 'd3'], 'apple': ['d9']}
    scores = evaluate(truth(), {'a': RUN, 'b': other}, names, groups={'jaguar': 'cat', 'apple': 'food'}, record=True)
    assert scores.means['b']['alpha_nDCG@5'] > scores.means['a']['alpha_nDCG@5'] and 'cat' in repr(scores)
    assert "AP(over='subtopics')" in repr(compare(scores))
    scores.save(tmp_path/'scores.json')
    assert repr(type(scores).load(tmp_path/'scores.json').measures) == repr(scores.measures)
    one, two = content_hash(truth()).content, content_hash(Qrels({'jaguar': {'animal': {'d1': 2}}}, subtopics=True)).content
    assert one != two and one != content_hash(Qrels(truth().to_dict())).content == content_hash(truth().to_dict(), 'qrels').content


def test_the_gate_and_the_report_read_subtopics(tmp_path):
    good, bad = (put(tmp_path/name, ''.join(f'{q} Q0 {d} 1 {9 - i} x\n' for q in GRADES for i, d in enumerate(docs)).encode())
                 for name, docs in {'good': ['d1', 'd2', 'd9'], 'bad': ['d4', 'd8']}.items())
    qrels = put(tmp_path/'qrels', TEXT)
    gate = irmetrics('compare', qrels, good, bad, '--subtopics', '-m', 'alpha_nDCG@5', '--max-drop', '0.1')
    assert gate.returncode == 3 and 'alpha_nDCG@5' in gate.stdout, gate.stderr
    done = irmetrics('report', qrels, good, bad, '--subtopics', '-m', 'alpha_nDCG@5', '-o', tmp_path/'report.html')
    assert done.returncode == 0 and 'alpha_nDCG@5' in (tmp_path/'report.html').read_text(encoding='utf-8'), done.stderr


@pytest.mark.parametrize('name', ['qrels.txt', 'qrels.csv.gz', 'qrels.tsv', 'qrels.parquet'])
def test_judgments_of_subtopics_are_read_again_from_a_saved_file(tmp_path, name):
    truth().save(tmp_path/name)
    assert grades_of(Qrels(tmp_path/name, subtopics=True)) == GRADES
    with pytest.raises(ValueError, match='qrels.jsonl: .* and subtopics not as JSON'): truth().save(tmp_path/'qrels.jsonl')
    with pytest.raises(ValueError, match="TREC text cannot store ids that are empty or contain spaces: 'a car'"): Qrels({'q': {'a car': {'d': 1}}}, subtopics=True).save(tmp_path/'qrels')


def test_tuples_of_pyndeval_are_read_and_other_tuples_are_refused():
    rows = [("q1", "animal", "zoo", 1), ("q1", "car", "logos", 1), ("q2", "1", "a", 0)]
    assert evaluate(Qrels(iter(rows), subtopics=True), {"q1": ["zoo"]}, "StRecall@1").means == {"StRecall@1": 0.25}
    with pytest.raises(DataError, match=r"item 2: expected \(query, subtopic, document, grade\), not \('q1', 'zoo', 1\)"):
        Qrels([rows[0], ("q1", "zoo", 1)], subtopics=True)


def test_judgments_without_diversity_are_named(tmp_path):
    (tmp_path / "plain").write_text("q1 0 a 1\nq2 0 b 1\n")
    scores = evaluate(Qrels(tmp_path / "plain", subtopics=True), {"q1": ["a"], "q2": ["x", "b"]}, "alpha_nDCG")
    assert "every query has one subtopic, so measures of subtopics see no diversity" in " ".join(str(scores).split())
    two = Qrels({"q1": {"s": {"a": 1}, "t": {"b": 1}}}, subtopics=True)
    assert "no diversity" not in str(evaluate(two, {"q1": ["a"]}, "alpha_nDCG"))


def test_strata_and_subtopics_exclude_each_other(tmp_path):
    (tmp_path / "plain").write_text("q1 0 a 1 1\n")
    (tmp_path / "run").write_text("q1 Q0 a 1 1 t\n")
    with pytest.raises(ValueError, match="choose one of strata=True and subtopics=True"):
        Qrels(tmp_path / "plain", strata=True, subtopics=True)
    done = irmetrics("evaluate", "plain", "run", "--strata", "--subtopics", cwd=tmp_path)
    assert (done.returncode, "choose one of --strata and --subtopics" in done.stderr) == (1, True)
