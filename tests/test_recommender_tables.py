"Tables of recommenders: columns user and item, lists in rows, a MultiIndex, judgments of two columns, and the note on ratings."
import json
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers import irmetrics

from irmetrics_nb import DataError, Qrels, Run, check, evaluate
from irmetrics_nb.data.groups import read_groups

# Ann's relevant item 1 is at rank 2, and Ben's relevant item 3 at rank 1: RR is (1/2 + 1) / 2 = 3/4.
LIKED = pd.DataFrame({'user': ['ann', 'ann', 'ben'], 'item': [1, 2, 3], 'rating': [4.5, 1, 3]})
SCORED = pd.DataFrame({'user_id': ['ann', 'ann', 'ben', 'ben'], 'item_id': [9, 1, 3, 2], 'score': [.9, .8, .7, .1]})
PAIRS = pd.DataFrame({'user': ['ann', 'ben'], 'item': [1, 3]})
MEANS = {'RR': .75}


def lists(frame): return frame.groupby(frame.columns[0])[frame.columns[1]].apply(list)


RUNS = {
    'pandas': SCORED, 'polars': pl.from_pandas(SCORED), 'lazy': pl.from_pandas(SCORED).lazy(), 'arrow': pl.from_pandas(SCORED).to_arrow(),
    'records': SCORED.to_dict('records'), 'other names': SCORED.set_axis(['User ID', 'Item', 'similarity'], axis=1),
    'MultiIndex': SCORED.set_index(['user_id', 'item_id']), 'Series with MultiIndex': SCORED.set_index(['user_id', 'item_id'])['score'],
    'Series of lists': lists(SCORED), 'Series of arrays': lists(SCORED).map(np.array),
}


@pytest.mark.parametrize('form', RUNS)
def test_each_form_of_a_recommender_works_everywhere(form):
    run = RUNS[form]
    assert evaluate(PAIRS, run, 'RR').means == MEANS and evaluate(PAIRS, run, 'RR').is_single
    assert evaluate(PAIRS, {'a': run, 'b': SCORED}, 'RR').means == {'a': MEANS, 'b': MEANS}
    assert list(evaluate(PAIRS, [run, SCORED], 'RR').means.values()) == [MEANS, MEANS]
    assert check(PAIRS, run).ok and len(Run(run)) == 2


@pytest.mark.parametrize('form', [PAIRS, lists(PAIRS), pl.from_pandas(PAIRS), PAIRS.set_index('user'),
                                  {'query_id': ['ann', 'ben'], 'doc_id': [1, 3]}])
def test_each_form_of_relevant_items_has_grade_one(form):
    assert Qrels(form).to_dict() == {'ann': {'1': 1}, 'ben': {'3': 1}}
    assert evaluate(form, SCORED, 'RR').means == MEANS
    assert check(form, SCORED).ok


@pytest.mark.parametrize('end', ['csv', 'tsv', 'parquet', 'jsonl'])
def test_the_command_reads_tables_of_recommenders(end, tmp_path):
    run, qrels = tmp_path/f'run.{end}', tmp_path/f'qrels.{end}'
    for path, frame in (run, SCORED), (qrels, PAIRS):
        if end == 'parquet': pl.from_pandas(frame).write_parquet(path)
        elif end == 'jsonl': path.write_text(''.join(json.dumps({'rating': 1} | row) + '\n' for row in frame.to_dict('records')))
        else: frame.to_csv(path, sep='\t' if end == 'tsv' else ',', index=False)
    done = irmetrics('evaluate', qrels, run, '-m', 'RR', '--format', 'json')
    assert json.loads(done.stdout)[0]['means'] == MEANS
    assert json.loads(irmetrics('evaluate', qrels, run, run, '-m', 'RR', '--format', 'json').stdout)[1]['means'] == MEANS
    assert irmetrics('check', qrels, run).returncode == 0
    if end == 'csv': assert json.loads(irmetrics('evaluate', qrels, '-', '-m', 'RR', '--format', 'json', stdin=run.read_bytes()).stdout)[0]['means'] == MEANS


def refused(reader, source, **options):
    with pytest.raises(DataError) as error: reader(source, **options)
    return str(error.value)


def test_a_label_is_a_grade_and_never_a_score():
    labels = SCORED.rename(columns={'score': 'label'})
    assert 'no column score or sim' in refused(Run, labels) and Qrels(labels.assign(label=1)).to_dict()['ben'] == {'3': 1, '2': 1}
    assert Run(labels.assign(score=SCORED['score'])).to_dict() == Run(SCORED).to_dict()
    assert 'no column score or sim' in refused(Run, labels.set_index(['user_id', 'item_id'])['label'])


def test_other_names_of_queries_and_documents_come_first():
    frame = SCORED.assign(query_id='q', doc_id=['a', 'b', 'c', 'd'])
    with warnings.catch_warnings(action='error'): run = Run(frame)
    assert run.to_dict() == {'q': {'a': .9, 'b': .8, 'c': .7, 'd': .1}} and not run.notes
    assert [*Run(SCORED.assign(query='q').drop(columns='user_id')).to_dict()] == ['q']
    assert Run(SCORED.assign(url=['a', 'b', 'c', 'd']).drop(columns='item_id')).to_dict()['ben'] == {'c': .7, 'd': .1}
    both = refused(Run, SCORED.assign(id=range(4)))
    assert both.startswith("the run: the columns 'id' and 'item_id' may both be the document") and "columns={'document': ...}" in both
    assert Run(SCORED.assign(id=range(4)), columns={'document': 'item_id'}).to_dict() == Run(SCORED).to_dict()


def test_a_row_number_is_not_the_item_on_the_command_line(tmp_path):
    LIKED.to_csv(tmp_path/'qrels.csv', index_label='id')
    SCORED.to_csv(tmp_path/'run.csv', index=False)
    done = irmetrics('evaluate', tmp_path/'qrels.csv', tmp_path/'run.csv', '-m', 'RR', '--format', 'json')
    assert done.returncode and "the columns 'id' and 'item' may both be the document" in done.stderr and '--columns document=NAME' in done.stderr
    done = irmetrics('evaluate', tmp_path/'qrels.csv', tmp_path/'run.csv', '-m', 'RR', '--format', 'json', '--columns', 'document=item')
    assert json.loads(done.stdout)[0]['means'] == MEANS


def test_only_two_columns_are_judgments_without_grades():
    misspelt = LIKED.rename(columns={'rating': 'ratng'})
    assert 'no column relevance or rel' in refused(Qrels, misspelt)
    assert Qrels(misspelt, columns={'query': 'user', 'document': 'item'}).to_dict() == {'ann': {'1': 1, '2': 1}, 'ben': {'3': 1}}
    assert Qrels(LIKED, columns={'query': 'user', 'document': 'item'}).to_dict()['ann'] == {'1': 4.5, '2': 1}
    assert 'no column relevance' in refused(Qrels, misspelt, columns={'query': 'user'})
    assert "no column 'rating'" in refused(Qrels, misspelt, columns={'relevance': 'rating'})
    assert "no column 'usr'" in refused(Qrels, misspelt, columns={'query': 'usr', 'document': 'item'})
    assert 'no column score or sim' in refused(Run, PAIRS)
    assert "no column 'grade'" in refused(Qrels, PAIRS, columns={'relevance': 'grade'})
    assert "item 2: no column relevance or rel" in refused(Qrels, [{'user': 'a', 'item': 1, 'rel': 0}, {'user': 'a', 'item': 2}])
    assert "duplicate document '1' in query 'ann'" in refused(Qrels, pd.concat([PAIRS, PAIRS]))
    assert Qrels(pd.concat([PAIRS, PAIRS]), duplicates='first').to_dict() == Qrels(PAIRS).to_dict()
    for blank in None, float('nan'): assert refused(Qrels, pd.DataFrame({'user': ['a', 'b'], 'item': ['x', blank]})).startswith('the qrels, row 2: no value')


def test_the_command_names_its_options_where_two_columns_do_not_suffice(tmp_path):
    (tmp_path/'qrels.csv').write_text('user,item,when\nann,1,5\nben,3,6\n')
    SCORED.to_csv(tmp_path/'run.csv', index=False)
    done = irmetrics('evaluate', tmp_path/'qrels.csv', tmp_path/'run.csv')
    assert done.returncode and '--columns grade=NAME' in done.stderr
    done = irmetrics('evaluate', tmp_path/'qrels.csv', tmp_path/'run.csv', '-m', 'RR', '--format', 'json', '--columns', 'query=user,document=item')
    assert json.loads(done.stdout)[0]['means'] == MEANS


@pytest.mark.parametrize(('source', 'says'), [
    (pd.Series([[1], [2]], index=['a', 'a']), 'a query has two lists of documents'),
    (pd.Series([[1], None], index=['a', 'b']), "the value of query 'b' should be a dict of documents, or a list in every query, not None"),
    (pd.Series([['x'], [2.5]], index=['a', 'b']), 'an id must be text, bytes or a whole number, not 2.5'),
    (pd.Series([['x', None]], index=['a']), 'an id must be text, bytes or a whole number, not None'),
    (pd.Series([[1, '1']], index=['a']), "duplicate document '1' in query 'a'"),
    (pd.Series([1., 2.], index=pd.MultiIndex.from_tuples([('a', 'x'), ('a', 'x')], names=['user', 'item'])), "duplicate document 'x' in query 'a'"),
    (pd.Series([1., 2.], index=pd.MultiIndex.from_tuples([('a', 'x', 1), ('a', 'y', 1)])), 'no column query_id'),
    (pd.DataFrame({'score': [1.], 'more': [2.]}, index=pd.MultiIndex.from_tuples([('a', 'x')])), 'no column query_id'),
    (pd.Series([1., 2.]), 'this is a Series, not a table')])
def test_what_is_not_certain_is_an_error(source, says): assert says in refused(Run, source)


def test_an_empty_list_is_an_answer():
    run = pd.Series([[1], []], index=['ann', 'ben'])
    assert evaluate(PAIRS, run, 'RR').means == {'RR': .5} and ' 0 missing' in str(evaluate(PAIRS, run, 'RR'))
    assert evaluate(PAIRS, run[:1], 'RR', missing='skip').means == {'RR': 1.}


NOTE = "the column 'rating' has ratings: a document with a grade of 1 or more is relevant (rel=1)"


def said(*arguments, **options): return ' '.join(str(evaluate(*arguments, **options)).split())


def test_ratings_bring_a_note_that_names_the_level():
    for source in LIKED, pl.from_pandas(LIKED), LIKED.to_dict('records'):
        assert NOTE in said(source, SCORED, 'nDCG RR') and NOTE in said(source, {'a': SCORED, 'b': SCORED}, 'RR')
    for measures in 'nDCG', 'RR(rel=3)', 'RR(rel=1)': assert 'has ratings' not in said(LIKED, SCORED, measures)
    assert 'has ratings' not in said(LIKED.rename(columns={'rating': 'grade'}), SCORED, 'RR')
    assert "the column 'ratings' has ratings" in said(Qrels(LIKED.rename(columns={'rating': 'ratings'}), columns={'relevance': 'ratings'}), SCORED, 'RR')
    assert NOTE in ' '.join(str(check(LIKED, SCORED)).split())
    assert NOTE in said(Qrels(pd.concat([LIKED, LIKED]), duplicates='last'), SCORED, 'RR')


def test_the_command_shows_the_note_on_ratings(tmp_path):
    LIKED.to_csv(tmp_path/'qrels.csv', index=False)
    SCORED.to_csv(tmp_path/'run.csv', index=False)
    assert NOTE in ' '.join(irmetrics('evaluate', tmp_path/'qrels.csv', tmp_path/'run.csv', '-m', 'RR').stdout.split())
    assert 'has ratings' not in irmetrics('evaluate', tmp_path/'qrels.csv', tmp_path/'run.csv', '-m', 'RR(rel=2)').stdout
    trec = tmp_path/'qrels.txt'
    trec.write_text('ann 0 1 4\nben 0 3 3\n')
    assert 'has ratings' not in irmetrics('evaluate', trec, tmp_path/'run.csv', '-m', 'RR').stdout


def test_hits_and_queries_with_these_names_are_read_as_before():
    assert Run({'q': [{'id': 'd', 'user': 'ann', 'score': 1}]}).to_dict() == {'q': {'d': 1}}
    assert evaluate({'q': ['d']}, {'q': [{'id': 'd', 'user': 'ann', 'score': .5}]}, 'RR').is_single
    assert Run({'user': ['a', 'b'], 'item': ['c', 'd']}).to_dict() == {'user': {'a': 0, 'b': -1}, 'item': {'c': 0, 'd': -1}}
    assert Run({'q': [np.int64(7), np.int64(8)]}).to_dict() == {'q': {'7': 0, '8': -1}}
    groups = pd.DataFrame({'id': ['q1', 'q2'], 'user': ['ann', 'ben']})
    assert dict(read_groups(groups)) == {'q1': 'ann', 'q2': 'ben'}


def test_ids_that_are_numbers_in_one_table_match_text_in_the_other():
    as_text = PAIRS.assign(item=['1', '3'])
    assert evaluate(as_text, SCORED, 'RR').means == evaluate(as_text, lists(SCORED), 'RR').means == MEANS
    floats = PAIRS.assign(item=[1., 3.])
    assert re.search('has the type Float64; cast it', refused(Qrels, floats))
    near = PAIRS.assign(item=['01', '03'])
    with pytest.warns(UserWarning, match='no judged document was retrieved'): evaluate(near, SCORED, 'RR')
