"Pools and what depends on them, against brute force with dicts."
import random
from math import log2

import pytest

from irmetrics_nb import DataError, Qrels, Run, check, evaluate
from irmetrics_nb.preparing.pools import pool, unjudged


def drawn(seed):
    "Draw judgments and runs with ties, empty answers and odd ids."
    draw = random.Random(seed)
    docs = ['a', 'b,c', 'd"e', 'caf\udce9', 'caf\\xe9', '01', '1', ' x', 'z;y']
    def some(): return draw.sample(docs, draw.randrange(len(docs)))
    queries = ['1', '01', 'q,"2', 'q\udce9']
    qrels = {q: {d: draw.choice([-1, 0, 1, 2]) for d in [*some(), 'w']} for q in queries[1:]}
    runs = {name: {q: {d: draw.choice([1, 2, 2.5]) for d in some()} for q in queries} for name in 'ABC'}
    return qrels, runs


def tops(run, k):
    "Return {(query, document): rank} for the first k ranks."
    key = {q: sorted(docs, key=lambda d: (docs[d], d.encode('utf-8', 'surrogateescape')), reverse=True)
           for q, docs in run.items()}
    return {(q, d): i for q, docs in key.items() for i, d in enumerate(docs[:k], 1)}


def pairs(result): return [*zip(result.columns['query_id'], result.columns['doc_id'])]


@pytest.mark.parametrize('seed', range(30))
def test_a_pool_is_the_union_without_judged_documents(seed):
    qrels, runs = drawn(seed)
    ranks = [tops(run, 3) for run in runs.values()]
    judged = {(q, d) for q in qrels for d, g in qrels[q].items() if g >= 0}
    wanted = {pair for rank in ranks for pair in rank} - judged
    def key(pair):
        best = min(rank.get(pair, 9) for rank in ranks)
        return pair[0].encode('utf-8', 'surrogateescape'), best, -sum(pair in rank for rank in ranks), \
            pair[1].encode('utf-8', 'surrogateescape')
    result = pool(runs, 3, qrels)
    assert wanted and pairs(result) == sorted(wanted, key=key)
    assert pairs(pool(dict(reversed(runs.items())), 3, qrels)) == pairs(result)
    assert len(result) == len(result.to_polars()) == len(wanted)


@pytest.mark.parametrize('seed', range(20))
def test_the_difference_is_that_of_discounts(seed):
    _, runs = drawn(seed)
    ranks = [tops(run, 3) for run in runs.values()]
    result = pool(runs, 3, by='difference')
    weights = result.columns['pooled_by_difference']
    for pair, weight in zip(pairs(result), weights):
        discounts = [1 / log2(rank[pair] + 1) if pair in rank else 0 for rank in ranks]
        assert weight == pytest.approx(max(discounts) - min(discounts), abs=1e-15)
    assert weights == sorted(weights, reverse=True)


@pytest.mark.parametrize('seed', range(5))
def test_a_filled_pool_is_read_back(seed, tmp_path):
    _, runs = drawn(seed)
    result = pool(runs, 3, by='difference')
    path = tmp_path / 'judge.csv'
    result.save(path)
    assert path.read_text('utf-8', 'surrogateescape').startswith('query_id,doc_id,relevance,pooled_by_difference\n')
    with pytest.raises(DataError, match='every grade is blank'): Qrels(path)
    result.columns['relevance'][:2] = [2, 0]
    result.save(path)
    qrels = Qrels(path)
    grades = {(q, d): g for q, docs in qrels.to_dict().items() for d, g in docs.items()}
    assert grades == dict(zip(pairs(result)[:2], [2, 0]))
    assert 'chosen by the difference' in ' '.join(map(str, qrels.notes))


def test_a_pool_of_chunks_lists_their_documents():
    chunks = Run({'q': {'a#1': 3, 'a#2': 2, 'b#1': 1}}, parents='#')
    assert pairs(pool(chunks, 2)) == [('q', 'a'), ('q', 'b')]


@pytest.mark.parametrize('seed', range(20))
def test_unjudged_documents_are_counted_for_each_run(seed):
    qrels, runs = drawn(seed)
    result = unjudged(qrels, runs, 3)
    judged = {(q, d) for q in qrels for d, g in qrels[q].items() if g >= 0}
    queries = {q for q, _ in judged}
    for note, run in zip(result.notes, runs.values()):
        top = [pair for pair in tops(run, 3) if pair[0] in queries]
        assert note.endswith(f'({len({*top} - judged)} of {len(top)})')


@pytest.mark.parametrize('seed', range(20))
@pytest.mark.parametrize('groups', [None, {'A': 'x', 'B': 'x', 'C': 'y'}])
def test_leaving_out_a_run_removes_what_only_it_found(seed, groups):
    qrels, runs = drawn(seed)
    teams = groups or {name: name for name in runs}
    findings = check(qrels, runs, pooled=3, groups=groups).findings
    texts = {(f.code, f.where): f.text for f in findings}
    for name, run in runs.items():
        own = {p for n in runs if teams[n] == teams[name] for p in tops(runs[n], 3)}
        others = {p for n in runs if teams[n] != teams[name] for p in tops(runs[n], 3)}
        unique = {(q, d) for q, d in own - others if qrels.get(q, {}).get(d, 0) > 0}
        if not unique:
            assert ('unique-finds', name) not in texts
            continue
        assert texts['unique-finds', name].endswith(f': {len(unique)}')
        reduced = {q: {d: 0 if (q, d) in unique else g for d, g in docs.items()} for q, docs in qrels.items()}
        means = [evaluate(judged, run, 'nDCG@10').means['nDCG@10'] for judged in (qrels, reduced)]
        assert f'changes by {means[1] - means[0]:+.4f}' in texts['leave-out', name]


def test_unjudged_documents_of_the_pool_are_counted():
    qrels, runs = {'q': {'a': 1, 'b': 0}}, {'A': {'q': ['a', 'x', 'y']}, 'B': {'q': ['b', 'a']}}
    texts = {f.where: f.text for f in check(qrels, runs, pooled=2).findings if f.code == 'holes'}
    assert '1 of 2' in texts['A'] and 'B' not in texts


def test_bad_options_have_clear_errors():
    run = {'q': ['a']}
    with pytest.raises(ValueError, match='by must be'): pool(run, by='rank')
    with pytest.raises(ValueError, match='depth must be'): pool(run, 0)
    with pytest.raises(ValueError, match='needs two runs'): pool(run, by='difference')
    with pytest.raises(ValueError, match='pooled must be'): check({'q': ['a']}, run, groups={'run': 'x'})
    with pytest.raises(DataError, match='has no team'): check({'q': ['a']}, run, pooled=1, groups={'x': 'y'})


def test_a_run_without_documents_has_no_share_of_judged_ones():
    "Nothing is 0 % unjudged."
    qrels, empty = {"q": {"d": 1}}, {"a": {"q": {}}}
    assert unjudged(qrels, empty, k=10).notes == ("a: nothing retrieved for queries with judgments",)
    report = check(qrels, empty, pooled=10)
    assert "no judged document was retrieved" in str(report) and "nan" not in str(report)
