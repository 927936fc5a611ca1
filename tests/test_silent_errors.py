"What once gave a wrong result without a word, or let a wrong one pass."
import numpy as np
import pandas as pd
import polars as pl
import pytest

from irmetrics_nb import (
    RR,
    Accumulator,
    DataError,
    Groups,
    Judged,
    Run,
    Scores,
    auc,
    compare,
    evaluate,
    gauc,
    ndcg,
    roc_curve,
)
from irmetrics_nb.comparing.gate import gate, parse_floor
from irmetrics_nb.data.groups import read_groups
from irmetrics_nb.metrics.parsing import parse_all

QRELS = {'q': {'a': 2, 'b': 1}}
RUN = {'q': ['b', 'a']}


def test_parts_with_their_runs_in_another_order_are_put_together_by_name():
    one = evaluate({'q1': {'a': 1}}, {'good': {'q1': ['a']}, 'bad': {'q1': ['b', 'a']}}, 'RR', part=True)
    other = evaluate({'q2': {'a': 1}}, {'bad': {'q2': ['b', 'a']}, 'good': {'q2': ['a']}}, 'RR', part=True)
    assert Scores.concat([one, other]).means == {'good': {'RR': 1}, 'bad': {'RR': .5}}
    apart = evaluate({'q2': {'a': 1}}, {'x': {'q2': ['b', 'a']}, 'y': {'q2': ['a']}}, 'RR', part=True)
    with pytest.raises(ValueError, match='the parts contain different runs .x, y; good, bad.'): Scores.concat([one, apart])


def test_number_of_queries_matches_the_means():
    values = {'A': {f'q{i}': i / 10 for i in range(9)}, 'B': {f'q{i}': i / 9 for i in range(3, 9)}}
    found = compare(values, groups=dict.fromkeys(values['A'], 'x'))
    assert 'Means over 6 queries' in found.to_latex() and 'all: 6 queries' in str(found) and 'x: 6 queries' in str(found)


@pytest.mark.parametrize(('base', 'new'), [
    ({'a': .1}, {'b': .2}), ({'a': 1., 'b': 1.}, {'a': .2}),
])  # fmt: skip
def test_gate_without_a_verdict_does_not_pass(base, new):
    found = gate(compare({'A': base, 'B': new}, baseline='A'), max_drop=.1)
    assert not found.ok and 'without a verdict' in str(found)


def test_drop_equal_to_the_limit_passes():
    base = {str(i): .3 for i in range(40)}
    assert gate(compare({'A': base, 'B': dict.fromkeys(base, 0.29)}, baseline='A'), max_drop=.01).ok
    assert not gate(compare({'A': base, 'B': {q: .28 + int(q) / 1e4 for q in base}}, baseline='A'), max_drop=.01).ok


def test_explicit_default_overrides_the_conventions():
    means = evaluate(QRELS, RUN, ['nDCG', "nDCG(gain='linear')"], conventions='xgboost').means
    assert list(means) == ["nDCG(gain='exp')", 'nDCG'] and means["nDCG(gain='exp')"] < means["nDCG(gain='linear')"]
    scores = evaluate(QRELS, RUN, 'P@5', conventions='xgboost')
    assert scores['P@5'] == scores["P(divisor='min(k,n)')@5"] == [1]
    with pytest.raises(KeyError): scores["P(divisor='k')@5"]
    assert parse_floor("nDCG(gain='linear')@10=0.4").measure == "nDCG(gain='linear')@10"
    assert list(evaluate(QRELS, RUN, "AP AP(divisor='relevant') AP").means) == ['AP'] and len(parse_all('AP AP')) == 1


def test_two_measures_that_become_one_are_one_column():
    scores = evaluate(QRELS, RUN, "nDCG@10 nDCG(gain='exp')@10", conventions='lightgbm')
    assert scores.to_polars().columns == ['query_id', "nDCG(gain='exp')@10"] and scores.means['nDCG@10'] == scores['nDCG@10'][0]


def test_comparison_accepts_the_requested_names():
    found = compare(QRELS | {'p': {'a': 1}}, {'a': RUN, 'b': {'q': ['a', 'b'], 'p': ['a']}}, 'nDCG@10', baseline='a', conventions='lightgbm')
    assert found.pair('a', 'b', 'nDCG@10').measure == "nDCG(gain='exp')@10"
    assert gate(found, floors=['nDCG@10=0.9'], fail_if_worse=['nDCG@10']).ok
    with pytest.raises(KeyError): found.pair('a', 'b', "nDCG(gain='linear')@10")


def test_where_nothing_is_relevant_means_that_are_geometric_count_one_too():
    found = evaluate({'q': {'a': 0}, 'p': {'a': 1}}, {'q': ['a'], 'p': ['a']}, 'AP GMAP Bpref GMBpref NumRel NumRelRet', no_relevant='one')
    assert [*found.to_dict()['q'].values()] == [1, 1, 1, 1, 0, 0]


def test_the_ends_of_ties_hold_the_mean_where_nothing_is_relevant():
    qrels = {f'q{i}': {'a': 1, 'b': 0} for i in range(5)} | {f'z{i}': {'a': 0, 'b': 0} for i in range(5)}
    run = {q: {'a': 1, 'b': 1} for q in qrels}
    for answer, ends in (('one', (.75, 1)), ('zero', (.25, .5)), ('skip', (.5, 1)), ('nan', (.5, 1))):
        scores = evaluate(qrels, run, 'AP', no_relevant=answer)
        assert scores.tie_bounds['AP'] == pytest.approx(ends)
        parts = [evaluate({q: qrels[q]}, {q: run[q]}, 'AP', no_relevant=answer, part=True) for q in qrels]
        assert Scores.concat(parts).tie_bounds['AP'] == pytest.approx(ends)


@pytest.mark.parametrize('measure', ['RR', 'Success', 'ERR(max_grade=1)', 'RBP', 'DCG', 'CG', 'NumRelRet'])
@pytest.mark.parametrize('answer', ['nan', 'skip', 'one'])
def test_measures_of_whole_numbers_take_part_where_nothing_was_found(measure, answer):
    values = evaluate({'q': {'a': 1}, 'p': {'a': 0}}, {'q': ['b'], 'p': ['a']}, measure, no_relevant=answer)[measure]
    assert values[0] == 0 and values.dtype == float
    batch = Accumulator(measure, no_relevant=answer).add(Judged.from_topk([[1]], [[2]])).batch_scores
    assert batch[measure].tolist() == [0] and np.isnan(Accumulator(measure, no_relevant=answer).compute()[measure])


def test_names_that_are_one_as_text_and_queries_of_two_groups_are_refused():
    with pytest.raises(DataError, match="two queries of A are called '1'"): compare({'A': {1: .5, '1': .7}, 'B': {1: .5}})
    with pytest.raises(DataError, match="two systems are called '1'"): compare({1: {'a': 1}, '1': {'a': 2}})
    with pytest.raises(DataError, match="'q' has two groups"): read_groups(pl.DataFrame({'query_id': ['q', 'q'], 'group': ['x', 'y']}))
    assert compare({1: {'a': 1, 'b': 1}, 2: {'a': 2, 'b': 1}}, baseline=1).baseline == '1'


def test_options_of_others_are_refused_by_the_name_of_the_function():
    with pytest.raises(TypeError, match=r"compare\(\) has no option 'max_drop': it is an option of gate"):
        compare(QRELS, {'a': RUN, 'b': RUN}, max_drop=.1)
    listed = compare(QRELS | {'p': {'a': 1}}, [RUN, {'q': ['a', 'b'], 'p': ['a']}], 'AP')
    assert listed.sample.systems == ('run 1', 'run 2')
    with pytest.raises(DataError, match='are the judgments and the run swapped'):
        evaluate(pl.DataFrame({'query_id': ['q'], 'doc_id': ['a'], 'score': [1.5]}), pl.DataFrame({'query_id': ['q'], 'doc_id': ['a'], 'relevance': [1]}))


# ---- the index of pandas ----

LABELS = pd.Series([1, 0, 0], index=['c', 'b', 'a'])
PREDICTED = pd.Series([.5, .1, .9], index=['a', 'b', 'c'])  # c, the positive item, is first
ITEMS = pd.Series({'u1': [1, 2], 'u2': [3, 4]})
LIKED = pd.Series({'u2': [9, 4], 'u1': [1]})


def test_labels_and_scores_are_aligned_by_their_index():
    user = pd.Series(['x', 'x', 'y'], index=['b', 'c', 'a'])
    assert auc(LABELS, PREDICTED) == 1
    assert roc_curve(LABELS, PREDICTED)[1].tolist() == [0, 1, 1, 1]
    assert gauc(LABELS, PREDICTED, user) == 1  # c before b; y has no positive item
    assert RR.of(Judged.from_scores(LABELS, PREDICTED)).tolist() == [1]
    assert RR.of(Judged.from_scores(LABELS, PREDICTED, user)).tolist() == [1, 0]
    stream = Accumulator('RR', auc=True)
    stream.update(LABELS, PREDICTED, user)
    assert stream.compute() == {'RR': .5, 'AUC': 1, 'GAUC': 1}
    assert auc(LABELS.to_numpy(), PREDICTED) == .5  # an array has no index: by position


@pytest.mark.parametrize('items', [ITEMS, pd.DataFrame([[1, 2], [3, 4]], index=['u1', 'u2'])], ids=['lists', 'table'])
def test_topk_lists_are_aligned_by_the_index_of_the_users(items):
    assert RR.of(Judged.from_topk(items, LIKED)).tolist() == [1, .5]
    assert RR.of(Judged.from_topk(items, LIKED.map(set))).tolist() == [1, .5]
    with pytest.raises(ValueError, match='so grades cannot be matched: write relevant as dicts'):
        Judged.from_topk(items, LIKED, grades=[[1, 2], [3]])
    sizes = [1, 3]
    pair = pd.Series([1, 9, 4], index=list('abc')), sizes
    with pytest.raises(ValueError, match='offsets'): Judged.from_topk(items, pair)
    grades = pd.Series([5., 7, 6], index=list('acb'))
    judged = Judged.from_topk(items, (pair[0], [0, 1, 3]), grades=grades)
    assert judged.grade.tolist() == [5, 7]  # of the items 1 and 4


def test_lists_of_grades_and_ranks_are_aligned_by_their_index():
    ranked = pd.Series({'a': [1, 0], 'b': [0, 1]})
    every = pd.Series({'b': [1], 'a': [1, 2]})
    assert ndcg(ranked, ideal=every).tolist() == pytest.approx([1 / (2 + 1 / np.log2(3)), 1 / np.log2(3)], rel=1e-15)
    judged = Judged.from_ranks(pd.Series({'a': [1], 'b': [2]}), n_relevant=pd.Series({'b': 4, 'a': 3}))
    assert judged.n_relevant().tolist() == [3, 4]
    assert ndcg(pd.Series([1], index=['d1']), ideal=pd.Series([1], index=['x'])) == 1  # of one query


@pytest.mark.parametrize('index', [list('abd'), list('abb'), [0, 1, 2]], ids=str)
def test_indexes_with_other_entries_are_refused(index):
    scores = pd.Series([.5, .1, .9], index=index)
    groups = pd.Series([1, 1, 1], index=index)
    relevant = pd.Series([[1], [2], [3]], index=index)
    calls = (lambda: auc(LABELS, scores), lambda: Judged.from_scores(LABELS, PREDICTED, groups),
             lambda: Accumulator('RR').update(LABELS, scores), lambda: Judged.from_topk(relevant.set_axis(list('abc')), relevant))
    for call in calls:
        with pytest.raises(ValueError, match=r'ind(ex|exes) .*\.to_numpy\(\)'): call()
    assert auc(LABELS.to_numpy(), scores) == .5  # the advice: .5 is above .1 and below .9
    with pytest.raises(ValueError, match='got 3 labels and 2 scores'): auc(LABELS, PREDICTED[:2])


def test_weights_of_a_group_that_occurs_twice_are_refused():
    weights = pd.Series([1, 2, 3], index=['x', 'y', 'x'])
    with pytest.raises(ValueError, match='a group has two weights'): gauc([1, 0], [.2, .1], ['x', 'x'], weights=weights)


def test_named_levels_of_an_index_are_columns_of_a_table():
    rows = pd.DataFrame({'query_id': ['q', 'q'], 'doc_id': ['a', 'b'], 'score': [1., 2.], 'query': ['text', 'text']})
    for keys in ['query_id'], ['query_id', 'doc_id'], ['doc_id']:
        assert evaluate(QRELS, rows.set_index(keys), 'nDCG').means == evaluate(QRELS, RUN, 'nDCG').means, keys
    assert Run(rows.set_index('query_id', drop=False)).to_dict() == {'q': {'a': 1, 'b': 2}}
    assert {*evaluate(QRELS, rows.assign(tag='x').set_index(['tag', 'query_id']), 'AP', system='tag').means} == {'x'}
    phones = pd.DataFrame({'query': ['some text', 'a text'], 'device': ['app', 'web']}, index=pd.Index(['q1', 'q2'], name='query_id'))
    assert Groups(phones, columns={'group': 'device'}).of == {'q1': 'app', 'q2': 'web'}
    scores = evaluate({'q1': {'a': 1}, 'q2': {'a': 1}}, {'q1': ['a'], 'q2': ['b', 'a']}, 'RR')
    weights = pd.DataFrame({'weight': [3, 1]}, index=pd.Index(['q2', 'q1'], name='query_id'))
    assert scores.weighted_means(weights).rows[0]['weighted_mean'] == (3 * .5 + 1) / 4
