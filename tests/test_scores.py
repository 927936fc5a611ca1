"Values of one run or of several: looked up, averaged, laid side by side, put together, and handed to other tools."
import csv
import io
import json
from fractions import Fraction
from math import nan, sqrt

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import usual

from irmetrics_nb import AP, ERR, RR, DataError, Scores, compare, evaluate, load_example, nDCG
from irmetrics_nb.evaluation.conventions import Conventions
from irmetrics_nb.evaluation.scores import RunInfo
from irmetrics_nb.evaluation.scores import rendered_scores as render
from irmetrics_nb.metrics.ap import GMAP
from irmetrics_nb.metrics.parsing import parse_all
from irmetrics_nb.metrics.registry import KINDS

QRELS = {'a': {'x': 1, 'y': 1}, 'b': {'x': 1}, 'c': {'x': 0}}
ONE, OTHER = {'a': ['x', 'y'], 'b': ['z', 'x']}, {'b': ['x'], 'c': ['x'], 'd': ['x']}


def scored(name='one', measures='AP RR', values=((1, 0), (0.5, 0.25)), queries=('a', 'b'), **more):
    "Scores as they stand, of a run that nobody had to read."
    return Scores(tuple(parse_all(measures)), tuple(queries), np.array(values, dtype=float), (RunInfo(name),), **more)


def of_run(name, run, measures='AP RR', **options):
    "Scores of a run with a name."
    scores = evaluate(QRELS, run, measures, **options)
    return Scores(scores.measures, scores.query_ids, scores.values, (RunInfo(name, scores.missing),), scores.conventions)


@pytest.fixture
def two():
    return Scores.combine_runs([scored('one'), scored('two', values=[(0.5, 1), (nan, 1)], queries=('b', 'c'))])


# ---- looked up ----


def test_scores_hold_measures_as_a_table_holds_columns():
    scores = evaluate({'a': {'d': 1}, 'b': {'d': 1}, 'c': {'d': 1}}, {'a': ['d']}, 'AP nDCG@10')
    for there in 'AP', nDCG @ 10, 'map', AP, 'ndcg@10':
        assert there in scores
    for absent in RR, 'nonsense', 3, None, 'nDCG':
        assert absent not in scores
    assert list(scores) == ['AP', 'nDCG@10'] == list(scores.means) == scores.keys()
    assert {m: scores[m].sum() for m in scores} == {'AP': 1, 'nDCG@10': 1}
    assert len(scores) == 3


def test_measures_are_selected_and_missing_ones_are_key_errors():
    scores = evaluate({'a': {'d': 1}}, {'a': {'d': 1}}, [AP, 'nDCG@10', RR])
    assert scores[nDCG @ 10].tolist() == scores['nDCG@10'].tolist() == scores['ndcg_cut@10'].tolist() == [1]
    assert scores.means['map'] == scores.means[AP] == 1
    for numbers in scores, scores.means, scores.medians:
        with pytest.raises(KeyError, match='P@5 was not computed; available: AP, nDCG@10, RR'):
            numbers['P@5']


def test_err_is_found_with_and_without_its_largest_grade():
    scores = evaluate({'a': {'d': 3}}, {'a': {'d': 1}}, 'ERR AP')
    assert list(scores) == ['ERR(max_grade=3)', 'AP']
    assert scores[ERR] == scores['ERR(max_grade=3)'] == scores.means['ERR'] == scores.means[ERR] == 7 / 8
    assert 'ERR' in scores
    assert 'ERR(max_grade=4)' not in scores


@pytest.mark.parametrize('values', [[1, 2], [[1, 2]], [[1], [2]], [[[1, 2, 3], [1, 2, 3]]], np.zeros((2, 2, 2))])
def test_values_of_another_shape_than_runs_measures_and_queries_are_refused(values):
    with pytest.raises(ValueError, match=r'Scores: values must have the shape \(1, 2, 2\), not \('):
        scored(values=values)


# ---- averaged ----


@given(st.lists(st.sampled_from([nan, 0, 0.25, 0.5, 1]), min_size=1, max_size=8))
def test_aggregates_use_only_values_that_are_not_nan(values):
    scores = scored('one', 'AP GMAP NumRet', [values] * 3, map(str, range(len(values))))
    counted = np.array([v for v in values if v == v])
    n = len(counted)
    expected = [counted.mean(), np.exp(np.log(np.maximum(counted, 1e-5)).mean()), counted.sum()] if n else [nan] * 3
    assert list(scores.means.values()) == pytest.approx(expected, rel=1e-12, nan_ok=True)
    assert scores.medians['AP'] == pytest.approx(np.median(counted) if n else nan, rel=1e-12, nan_ok=True)
    error = sqrt(sum((counted - counted.mean()) ** 2) / (n - 1) / n) if n > 1 else nan
    assert scores.standard_errors['AP'] == pytest.approx(error, rel=1e-9, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize('name', KINDS)
def test_the_table_shows_the_number_that_the_kind_asks_for(name):
    measure = usual(name)
    scores = evaluate(QRELS, ONE, [measure])
    values = scores[measure][~np.isnan(scores[measure])]  # a query without a pair has no PairAccuracy
    assert scores.means[measure] == pytest.approx(float(KINDS[name].aggregate.f(values)), rel=1e-12)
    assert f'{scores.means[measure]:.4f}' in repr(scores)
    assert (KINDS[name].aggregate.name in ' '.join(repr(scores).split())) == (KINDS[name].aggregate.name != 'the mean')


def test_the_geometric_mean_of_nothing_but_zeros_is_the_floor():
    assert scored(measures='AP GMAP', values=[(0, 0), (0, 0)]).means == {'AP': 0, 'GMAP': pytest.approx(1e-5)}
    assert GMAP.kind.aggregate.f([1, 1]) == 1


# ---- several runs ----


def test_runs_are_aligned_by_query_id_and_what_a_run_does_not_count_is_nan():
    scores = Scores.combine_runs([of_run('one', ONE, missing='skip'), of_run('other', OTHER, missing='skip')])
    assert scores.query_ids == ('a', 'b', 'c')
    assert scores.values.shape == (2, 2, 3)
    np.testing.assert_array_equal(scores['RR'], [[1, 1 / 2, nan], [nan, 1, 0]])
    assert scores.means == {'one': {'AP': 0.75, 'RR': 0.75}, 'other': {'AP': 0.5, 'RR': 0.5}}
    assert list(scores.means['one']) == ['AP', 'RR']
    assert scores.means['other']['mrr'] == 0.5


def test_without_skipping_every_run_has_a_value_for_every_judged_query():
    scores = Scores.combine_runs([of_run('one', ONE), of_run('other', OTHER)])
    np.testing.assert_array_equal(scores['RR'], [[1, 1 / 2, 0], [0, 1, 0]])
    assert [info.missing for info in scores.runs] == [1, 1]


def test_a_table_of_several_runs_has_a_row_for_every_run_and_query(two):
    table = two.to_polars()
    assert table.columns == ['run', 'query_id', 'AP', 'RR']
    assert table['run'].to_list() == ['one'] * 3 + ['two'] * 3
    assert table['query_id'].to_list() == ['a', 'b', 'c'] * 2
    np.testing.assert_array_equal(table['AP'], [1, 0, nan, nan, 0.5, 1])
    pandas = two.to_pandas()
    assert pandas.index.names == ['run', 'query_id']
    assert pandas.loc[('two', 'c')].to_dict() == {'AP': 1, 'RR': 1}
    assert pandas.shape == (6, 2)


def test_a_table_of_one_run_does_not_name_it():
    scores = scored()
    assert isinstance(scores.to_polars(), pl.DataFrame)
    assert scores.to_polars().rows() == [('a', 1, 0.5), ('b', 0, 0.25)]
    assert scores.to_polars().columns == ['query_id', 'AP', 'RR']
    assert isinstance(scores.to_pandas(), pd.DataFrame)
    assert scores.to_pandas().to_dict() == {'AP': {'a': 1, 'b': 0}, 'RR': {'a': 0.5, 'b': 0.25}}
    assert scores.to_dict() == {'a': {'AP': 1, 'RR': 0.5}, 'b': {'AP': 0, 'RR': 0.25}}


def test_a_dict_of_several_runs_has_for_each_the_queries_that_it_counts(two):
    assert two.to_dict()['one'] == scored('one').to_dict()
    assert list(two.to_dict()['two']) == ['b', 'c']
    assert two.to_dict()['two']['c'] == {'AP': 1, 'RR': 1}


same = {'one': [(1, 0), (0.5, 0.25)], 'two': [(0.5, 1), (0, 1)], 'three': [(0, 0), (1, 1)]}
queries = st.lists(st.sampled_from('abcd'), min_size=2, max_size=2, unique=True)


@given(st.permutations(list(same)), st.lists(queries, min_size=3, max_size=3))
def test_combined_runs_can_be_separated_again(names, ids):
    runs = [scored(name, values=same[name], queries=q) for name, q in zip(names, ids)]
    together = Scores.combine_runs(runs)
    assert together.query_ids == tuple(dict.fromkeys(q for pair in ids for q in pair))
    for run, apart in zip(runs, together.split_runs(), strict=True):
        assert apart.to_dict() == run.to_dict() == together.run(run.name).to_dict() == together.to_dict()[run.name]
        assert apart.means == run.means == together.means[run.name]
        assert (apart.name, apart.is_single, together.is_single) == (run.name, True, False)
    assert Scores.combine_runs(together.split_runs()).to_dict() == together.to_dict() == Scores.combine_runs([together]).to_dict()


def test_one_run_is_each_of_its_runs():
    scores = scored()
    assert scores.split_runs() == [scores]
    assert scores.run('one').to_dict() == scores.to_dict()
    assert Scores.combine_runs([scores]).means == {'one': scores.means}


def test_properties_of_one_run_are_errors_for_several_runs(two):
    for fact in 'name', 'missing', 'no_relevant', 'unjudged':
        with pytest.raises(ValueError, match=r"scores of 2 runs: select one run, as in scores.run\('one'\)"):
            getattr(two, fact)
    with pytest.raises(KeyError, match="there is no run 'three'; available: one, two"):
        two.run('three')


@pytest.mark.parametrize(('other', 'says'), [
    (scored(), "two runs are called 'one'"),
    (scored('two', 'AP P@5'), r'need the same measures, not \[AP, RR\] and \[AP, P@5\]'),
    (scored('two', 'RR AP'), 'need the same measures'),
    (scored('two', conventions=Conventions(ties='given')), 'need the same conventions, but these differ: .*ties in input order'),
])
def test_combining_incompatible_runs_is_an_error(other, says):
    with pytest.raises(ValueError, match=says):
        Scores.combine_runs([scored(), other])


def test_no_scores_at_all_are_refused():
    for put_together in Scores.combine_runs, Scores.concat:
        with pytest.raises(ValueError, match='there are no scores to combine'):
            put_together([])


@pytest.mark.parametrize('put_together', [Scores.combine_runs, Scores.concat])
def test_different_largest_grades_are_an_error_with_advice(put_together):
    parts = [evaluate({q: {'d': g}}, {q: {'d': 1}}, 'ERR') for q, g in (('a', 1), ('b', 2))]
    with pytest.raises(ValueError, match='set max_grade of ERR in both'):
        put_together(parts)
    parts = [evaluate({q: {'d': g}}, {q: {'d': 1}}, 'ERR(max_grade=2)') for q, g in (('a', 1), ('b', 2))]
    assert Scores.concat(parts).means == {'ERR(max_grade=2)': (1 / 4 + 3 / 4) / 2}


# ---- parts of the queries ----


def test_parts_of_several_runs_put_together_are_the_whole(two):
    parts = [Scores.combine_runs([scored(name, values=[[v[i]] for v in same[name]], queries=[q]) for name in ('one', 'two')])
             for i, q in enumerate('ab')]
    whole = Scores.concat(parts)
    assert whole.to_dict() == Scores.combine_runs([scored(name, values=same[name]) for name in ('one', 'two')]).to_dict()
    assert [info.reading for info in whole.runs] == ['combined from 2 parts'] * 2
    with pytest.raises(ValueError, match='the parts contain different runs'):
        Scores.concat([two, scored(queries=('e', 'f'))])


def test_counts_of_parts_are_added_up():
    parts = [Scores((AP,), (q,), np.ones((1, 1)), (RunInfo('one', *counts),)) for q, counts in (('a', (1, 2, 3)), ('b', (10, 20, 30)))]
    whole = Scores.concat(parts)
    assert (whole.missing, whole.no_relevant, whole.unjudged) == (11, 22, 33)


@pytest.mark.parametrize(('other', 'says'), [
    (scored(), "the query 'a' is in two parts"), (scored(measures='RR AP', queries='cd'), 'need the same measures'),
    (scored(queries='cd', conventions=Conventions(ties='given')), 'need the same conventions'),
])
def test_parts_that_do_not_fit_together_are_refused(other, says):
    with pytest.raises(ValueError, match=says):
        Scores.concat([scored(), other])


def test_a_name_comes_from_the_first_part_that_has_one(tmp_path):
    (tmp_path/'run').write_text('b Q0 d 1 1 tag\n')
    parts = [evaluate({'a': {'d': 1}}, {}, 'RR', part=True), evaluate({'b': {'d': 1}}, tmp_path/'run', 'RR', part=True)]
    assert Scores.concat(parts).name == 'tag'


# ---- with weights ----


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 8)), min_size=1, max_size=12).filter(lambda pairs: any(w for w, _ in pairs)), st.data())
def test_weighted_means_are_the_sum_of_weight_times_value_by_the_sum_of_the_weights(pairs, data):
    ids = [f'{i:02}' for i in range(len(pairs))]
    scores = scored('one', 'AP', [[x / 8 for _, x in pairs]], ids)
    by_hand = Fraction(sum(w * x for w, x in pairs), 8 * sum(w for w, _ in pairs))
    order = data.draw(st.permutations(range(len(ids))))
    weights = {ids[i]: pairs[i][0] for i in order} | {'not judged': 1000}
    table = pl.DataFrame({'query_id': [*weights], 'weight': [*weights.values()], 'note': 'x'})
    for source in (weights, pd.Series(weights), table):
        [row] = scores.weighted_means(source).rows
        assert row == {'run': 'one', 'measure': 'AP', 'weighted_mean': pytest.approx(float(by_hand), abs=1e-12), 'queries': len(ids)}


def test_equal_weights_give_the_usual_means_and_a_query_that_does_not_count_has_no_weight(two):
    equal = two.weighted_means(dict.fromkeys(two.query_ids, 7))
    assert [row['weighted_mean'] for row in equal.rows] == pytest.approx([x for means in two.means.values() for x in means.values()])
    assert [row['queries'] for row in equal.rows] == [2, 2, 2, 1]
    rows = two.weighted_means({'a': 1, 'b': 3, 'c': 0}).rows
    assert rows[0]['weighted_mean'] == (1 * 1 + 3 * 0) / 4
    assert rows[2]['weighted_mean'] == .5  # b alone
    assert np.isnan(rows[3]['weighted_mean'])  # c alone, which has no weight
    text = str(equal)
    assert 'weighted mean' in text and 'queries' in text and 'Tests and intervals have no weights' in text


@pytest.mark.parametrize('weights, says', [
    ({'a': 1, 'b': -1}, "query 'b' needs a weight of 0 or more, not -1"), ({'a': 1}, "query 'b' needs a weight .* not None"),
    ({'a': nan, 'b': 1}, "query 'a' needs a weight .* not nan"), ({'a': float('inf'), 'b': 1}, "query 'a' .* not inf"), ({'a': 0, 'b': 0}, 'all weights are 0'),
    (pl.DataFrame({'query': ['a', 'a', 'b'], 'weight': [1, 2, 3]}), 'a query has two weights'),
    (pl.DataFrame({'query': ['a', 'b'], 'x': [1, 2], 'y': [3, 4]}), 'no column weight; the columns are x, y'),
    (pl.DataFrame({'weight': [1, 2]}), 'no column'), ({'a': 'much', 'b': 1}, 'much'), ({}, 'needs a weight of 0 or more, not None')])
def test_weights_that_are_none_are_refused(weights, says):
    with pytest.raises(DataError, match=says):
        scored().weighted_means(weights)


def test_a_measure_that_is_no_mean_has_no_weights():
    for measure in ('GMAP', 'NumRel'):
        with pytest.raises(ValueError, match=f'{measure} is not an arithmetic mean, and has no weights'):
            evaluate(QRELS, ONE, measure).weighted_means(dict.fromkeys('abc', 1))


# ---- as text ----


@pytest.mark.parametrize('odd', ['a,b', 'say "no"', 'two\nlines', 'a\rb', '', ' ', "it's", 'é', '1'])
def test_csv_gives_back_ids_numbers_and_nan(odd):
    scores = evaluate({odd: {'d': 1}, 'x': {'d': 0}}, {odd: {'d': 1}}, "RR AP(rel=2, divisor='min(R,k)')@5 nDCG@7", no_relevant='nan')
    text = render(scores, 'csv', per_query=True)
    table = list(csv.DictReader(io.StringIO(text, newline='')))
    assert [r['query_id'] for r in table] == [odd, 'x']
    assert (float(table[0]['RR']), table[1]['RR']) == (1, 'NaN')
    assert list(table[0]) == ['run', 'query_id', *scores]
    if odd.strip() and not set(odd) & set('\r'):
        assert pl.read_csv(text.encode(), infer_schema_length=0)['query_id'].to_list() == [odd, 'x']


NASTY = st.text(st.one_of(st.sampled_from(' ,;"\'\t\n\r01é中|#[{'), st.characters(codec='utf-8', exclude_characters='\x00')), max_size=6)
VALUES = st.one_of(st.just(nan), st.floats(0, 1), st.sampled_from([0.1 + 0.2, 1 / 3, 5e-324]))


@pytest.mark.parametrize('ending', ['csv', 'parquet', 'json'])
@given(st.lists(NASTY, min_size=1, max_size=5, unique=True), st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_saved_scores_are_loaded_with_their_ids_and_numbers(tmp_path, ending, ids, data):
    measures = "AP nDCG(gain='exp')@10 P(rel=2)@5 IPrec(levels='trec_eval9')@0.1"
    rows = data.draw(st.lists(st.lists(VALUES, min_size=len(ids), max_size=len(ids)), min_size=4, max_size=4))
    one = scored('one', measures, rows, ids)
    one.save(tmp_path / f'one.{ending}')
    found = Scores.load(tmp_path / f'one.{ending}')
    assert (found.name, found.query_ids, found.measures) == ('one', tuple(ids), one.measures)
    np.testing.assert_array_equal(found.values, one.values)
    several = Scores.combine_runs([one, scored('the other, "two"', measures, rows[::-1], ids)])
    several.save(tmp_path / f'several.{ending}')
    again = Scores.load(tmp_path / f'several.{ending}')
    assert [run.name for run in again.runs] == ['one', 'the other, "two"'] and again.query_ids == tuple(ids)
    np.testing.assert_array_equal(again.values, several.values)


def test_loaded_scores_are_compared_like_the_runs(tmp_path):
    example = load_example()
    for name in ('bm25', 'title'):
        evaluate(example.qrels, example.runs[name], 'AP RR').save(tmp_path / f'{name}.csv')
    loaded = {name: Scores.load(tmp_path / f'{name}.csv') for name in ('bm25', 'title')}
    direct = compare(example.qrels, {name: example.runs[name] for name in loaded}, 'AP RR')
    assert compare(loaded).rows == direct.rows and len(direct.rows) == 2
    small_print = str(loaded['bm25'])
    assert 'not known' in small_print and 'ties by document id' not in small_print and 'missing' not in small_print
    assert 'missing' not in json.loads(loaded['bm25'].to_json())[0]
    fresh = evaluate(example.qrels, example.runs['lsa'], 'AP RR')
    with pytest.raises(ValueError, match='need the same conventions'):
        Scores.combine_runs([loaded['bm25'], fresh])
    stated = Scores.load(tmp_path / 'bm25.csv', conventions=Conventions())
    assert {row.measure for row in compare({'old': stated, 'new': fresh}).rows} == {'AP', 'RR'}


@pytest.mark.parametrize('text, says', [
    ('query_id,banana\nq,1\n', "a column is not a measure: .*banana"), ('query_id,AP\nq,yes\n', "not a table of scores .*'yes'"),
    ('a,b\n1,2\n', 'not a table of scores'), ('query_id,AP\n', 'not a table of scores .no rows'), ('query_id,AP\nq,1\nq,1\n', "query 'q' has two rows"),
    ('query_id,AP\n"q,1\n', 'not a table of scores'), ('[1, 2]', 'not a table of scores'), ('{"a": 1}', 'not a table of scores'),
    ('q1 Q0 d1 1 2.5 tag\n', 'not a table of scores'), ('measure  mean\n-------  ----\nAP  0.5\n', 'not a table of scores')])
def test_a_file_that_is_no_table_of_scores_is_an_error_that_names_it(tmp_path, text, says):
    path = tmp_path / 'odd.csv'
    path.write_text(text)
    with pytest.raises(DataError, match=says) as error:
        Scores.load(path)
    assert 'odd.csv' in str(error.value)
    with pytest.raises(DataError):
        Scores.load(tmp_path / 'absent.csv')


def test_json_gives_back_every_number_and_null_for_nan(two):
    found = json.loads(render(two, 'json', per_query=True))
    assert [run['run'] for run in found] == ['one', 'two']
    assert found[0]['means'] == two.means['one']
    assert found[1]['per_query'] == {'b': {'AP': 0.5, 'RR': None}, 'c': {'AP': 1, 'RR': 1}}


@pytest.mark.parametrize('format', ['table', 'markdown', 'html', 'latex', 'csv', 'json'])
def test_several_runs_are_a_row_each_also_if_they_were_taken_apart_and_put_together(two, format):
    again = Scores.combine_runs([two.run('one'), two.run('two')])
    assert render(two, format) == render(again, format)
    assert render(two, format, per_query=True) == render(again, format, per_query=True)
    assert all(name in render(two, format) for name in ('one', 'two', 'AP', 'RR'))


def test_an_unknown_format_and_runs_with_other_measures_are_refused():
    with pytest.raises(ValueError, match="format must be 'table' or .*, not 'excel'"):
        render(scored(), 'excel')
    with pytest.raises(ValueError, match='runs in one table need the same measures'):
        Scores.combine_runs([scored(), scored('two', 'RR AP')])


def test_ids_stay_text_in_html_latex_and_markdown():
    evil = '<script>alert(1)</script>|\\input{secret}'
    scores = evaluate({evil: {'d': 1}}, {evil: {'d': 1}}, 'RR')
    assert '<script>' not in render(scores, 'html', per_query=True)
    assert '\\input{' not in render(scores, 'latex', per_query=True)
    assert '\\|' in render(scores, 'markdown', per_query=True)


def test_notes_count_missing_queries_and_name_sums():
    text = ' '.join(repr(evaluate(QRELS, OTHER, 'AP(rel=2) NumRet')).split())
    for phrase in '3 queries', '1 missing from the run', '3 without a relevant document', '1 in the run without judgments', 'NumRet: the sum':
        assert phrase in text
    assert '(of grade 2 or more)' not in text  # NumRet asks for none
    assert '(of grade 2 or more)' in ' '.join(repr(evaluate(QRELS, OTHER, 'AP(rel=2)')).split())


# ---- lists of different depth ----

LONG = {f'q{i}': [f'd{j}' for j in range(200)] for i in range(9)}
CUT = {q: docs[:10] for q, docs in LONG.items()}
EVERY_FIFTH = {q: dict.fromkeys(docs[::5], 1) for q, docs in LONG.items()}
DEPTH = 'the runs differ in depth: cut has at most 10 documents per query, and long up to 200'


@pytest.mark.filterwarnings('ignore:.*every query has only 10 documents')
def test_runs_of_different_depth_are_named_with_their_measures():
    runs = {'long': LONG, 'cut': CUT}
    for measures, affected in (('AP nDCG@10 RR@10', 'AP'), ('R@11 P@10 Rprec', 'R@11, Rprec')):
        scores = evaluate(EVERY_FIFTH, runs, measures)
        sentence = f'{DEPTH}; this can affect {affected}, but not measures with a cutoff of at most 10'
        assert sentence in ' '.join(str(scores).split()) and sentence in compare(scores).notes
        parts = [evaluate({q: EVERY_FIFTH[q] for q in some}, runs, measures, part=True) for some in (['q1', 'q2'], ['q3'])]
        assert sentence in ' '.join(str(Scores.concat(parts)).split())
    assert sentence in ' '.join(str(evaluate(EVERY_FIFTH, {**runs, 'c': LONG, 'd': LONG, 'e': LONG}, measures)).split())


def test_depth_is_not_mentioned_where_it_does_not_matter():
    fewer = {q: docs[:20 * i + 1] for i, (q, docs) in enumerate(LONG.items())}  # as many as it found
    for runs, measures in (({'long': LONG, 'cut': CUT}, 'nDCG@10 P@5 NumRet'), ({'long': LONG, 'same': LONG}, 'AP'),
                           ({'long': LONG, 'fewer': fewer}, 'AP')):
        scores = evaluate(EVERY_FIFTH, runs, measures)
        assert 'depth' not in str(scores)
        if 'NumRet' not in measures: assert not any('depth' in note for note in compare(scores).notes)


@pytest.mark.parametrize('form', ['csv', 'parquet', 'json'])
def test_a_query_that_a_run_leaves_out_is_in_no_file(tmp_path, form):
    qrels, runs = {'q1': {'d': 1}, 'q2': {'d': 1}}, {'all': {'q1': ['d'], 'q2': ['x', 'd']}, 'half': {'q1': ['d']}}
    scores = evaluate(qrels, runs, 'AP', missing='skip')
    scores.save(tmp_path / f'scores.{form}')
    loaded = Scores.load(tmp_path / f'scores.{form}')
    assert loaded.to_dict() == scores.to_dict() == {'all': {'q1': {'AP': 1}, 'q2': {'AP': 0.5}}, 'half': {'q1': {'AP': 1}}}
    assert loaded.run('half').query_ids == ('q1',) and loaded.runs[1].absent == {'q2'}


@pytest.mark.parametrize('nothing', [{'a': {}, 'b': {}}, {'a': [], 'b': []}, {'b': {}, 'a': {}}])
@pytest.mark.parametrize('missing', ['zero', 'skip'])
def test_parts_in_which_no_run_has_results_are_put_together(nothing, missing):
    qrels, runs = {'q1': {'d': 1}, 'q2': {'d': 1}}, {'a': {'q1': ['d']}, 'b': {'q1': ['x', 'd']}}
    how = {'measures': 'AP', 'missing': missing}
    whole = evaluate(qrels, runs, **how)
    parts = [evaluate({'q1': qrels['q1']}, runs, part=True, **how), evaluate({'q2': qrels['q2']}, nothing, part=True, **how)]
    for some in (parts, parts[::-1]):
        together = Scores.concat(some)
        assert together.means == whole.means and [run.missing for run in together.runs] == [run.missing for run in whole.runs] == [1, 1]
    with pytest.raises(ValueError, match='different runs'):
        Scores.concat([parts[0], evaluate({'q2': qrels['q2']}, {'q2': ['d']}, part=True, **how)])
