"An error says all that is wrong and what to write instead, and whoever writes that gets the right number."
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers import irmetrics, put

from irmetrics_nb import (
    DataError,
    Qrels,
    Run,
    Scores,
    check,
    compare,
    evaluate,
    explain,
    from_spans,
    judge,
    load_example,
    parse,
    report,
)
from irmetrics_nb.core.gains import NAMED_GAINS
from irmetrics_nb.data.recognition import RunSource
from irmetrics_nb.data.sources import read_rows
from irmetrics_nb.evaluation.scores import rendered_scores as render

EXAMPLE = load_example()


def said(call, *args, **options):
    "The text of an error, in one line."
    with pytest.raises(ValueError) as error: call(*args, **options)
    assert '\n' not in str(error.value)
    return str(error.value)


# ---- columns ----

def test_all_columns_that_are_missing_are_named_at_once_with_what_to_write():
    table = pl.DataFrame({'person': ['q'], 'link': ['d'], 'position': [1]})
    text = said(Run, table)
    assert text.startswith("the run: no column query_id or qid or") and "; no column doc_id or docno or" in text and "; no column score or sim or" in text
    assert "the columns are 'person', 'link', 'position'" in text
    assert "choose the columns: Run(..., columns={'query': ..., 'document': ..., 'score': ...}), and add descending=False if the smallest number is the best" in text
    assert "columns={'query': ..., 'document': ..., 'relevance': ...})" in said(Qrels, table) and 'descending' not in said(Qrels, table)


def test_a_series_is_refused_with_advice_that_works():
    tables = pd.Series([{'a': 2, 'b': 1}], index=['q1'])
    numbers = pd.Series([2., 1.], index=pd.Index(['q1', 'q1'], name='query_id'), name='score')
    assert said(Run, numbers) == 'the run: this is a Series, not a table; use reset_index() to convert it to a table'
    index = pd.MultiIndex.from_tuples([('q1', 'a'), ('q1', 'b')], names=['query_id', 'doc_id'])
    numbers.index = index
    assert Run(tables).to_dict() == Run(tables.to_dict()).to_dict() == Run(numbers.reset_index()).to_dict() == Run(numbers.to_frame()).to_dict() == {'q1': {'a': 2, 'b': 1}}
    assert Run(numbers).to_dict() == Run(tables.to_dict()).to_dict()


@pytest.mark.parametrize('lists', [[['a', 'b'], ['c']], [['a', 'b', 'c'], ['d', 'e', 'f']], [[7, 3], [5, 9]], [['a']]], ids=str)
def test_lists_without_queries_are_an_error_with_a_suggestion(lists):
    for call in (Run, Qrels):
        assert said(call, lists).endswith('; for the documents of a query, write {query: [document, ...]}')
    assert len(Run({f'q{i}': docs for i, docs in enumerate(lists)})) == len(lists)


def test_error_about_spans_suggests_a_comparison_that_runs():
    gold = {'q': [('a', 100, 200)]}
    one = from_spans(gold, {'q': [('a', 90, 190)]}, iou=.5)
    other = from_spans(gold, {'q': [('b', 0, 9), ('a', 100, 190)]}, iou=.5)
    text = said(evaluate, one.qrels, other.run, 'RR')
    advice = text[text.rindex('compare('):]
    scores = {'scores_a': evaluate(*one, 'RR'), 'scores_b': evaluate(*other, 'RR')}
    found = eval(advice, {'compare': compare} | scores)
    [pair] = found.to_dict()['pairs']
    assert (pair['a'], pair['mean_a'], pair['b'], pair['mean_b']) == ('a', 1, 'b', .5)


@pytest.mark.parametrize('call', [evaluate, judge, check, report, RunSource.of], ids=lambda call: call.__name__)
def test_none_is_refused_as_a_run(call):
    arguments = [None] if call == RunSource.of else [{'q': {'a': 1}}, None]
    assert said(call, *arguments) == said(Run, None)
    assert said(Run, None).startswith('the run: expected a path, ') and said(Run, None).endswith(', not None')


@pytest.mark.parametrize('form', ['polars', 'pandas', 'records', 'csv', 'parquet'])
def test_existing_columns_are_not_reported_as_missing(form, tmp_path):
    table = pl.DataFrame({'qid': ['q'], 'link': ['d'], 'position': [1]})
    table.write_csv(tmp_path/'run.csv')
    table.write_parquet(tmp_path/'run.parquet')
    source = {'polars': table, 'pandas': table.to_pandas(), 'records': table.to_dicts(), 'csv': tmp_path/'run.csv', 'parquet': tmp_path/'run.parquet'}[form]
    if form not in ('records', 'csv'): assert 'no column query_id' not in said(Run, source) and "columns={'document': ..., 'score': ...})" in said(Run, source)
    text = said(Run, source, columns={'document': 'link', 'score': 'place'})
    assert "no column 'place'; the columns are" in text and 'link' not in text.split(';')[0] and 'choose the columns' not in text
    run = Run(source, columns={'document': 'link', 'score': 'position'}, descending=False)
    assert run.to_dict() == {'q': {'d': -1.0}}


def test_who_obeys_the_advice_about_positions_gets_the_number_of_the_scores():
    run = EXAMPLE.runs['bm25'].to_polars()
    clicked = run.select('query_id', 'doc_id', pl.col('rank').alias('position'))
    assert "columns={'score': ...}), and add descending=False if the smallest number is the best, as for ranks" in said(Run, clicked)
    obeyed = Run(clicked, columns={'score': 'position'}, descending=False)
    assert evaluate(EXAMPLE.qrels, obeyed, 'nDCG@10 AP').means == evaluate(EXAMPLE.qrels, run, 'nDCG@10 AP').means


def test_error_about_three_columns_suggests_descending_false(tmp_path):
    put(tmp_path/'run', b'q d 2\nq e 1\n')
    assert 'descending=False if the smallest number is the best' in said(Run, put(tmp_path/'run', b'q d 2.5\nq e 1.5\n'))
    assert 'descending' not in said(Qrels, put(tmp_path/'qrels', b'q d 2\nq e 1\n'))


@pytest.mark.parametrize('frame', [pl.DataFrame, pd.DataFrame])
@pytest.mark.parametrize('column', ['query_id', 'doc_id'])
def test_error_about_float_ids_suggests_a_cast(frame, column):
    table = frame({'query_id': [1, 2], 'doc_id': [7, 8], 'relevance': [1, 1]} | {column: [1.0, 2.0]})
    assert f"column '{column}' has the type Float64; cast it to Int64 if a join has turned whole numbers into floats" in said(Qrels, table)
    cast = table.astype({column: 'Int64'}) if frame is pd.DataFrame else table.cast({column: pl.Int64})
    assert len(Qrels(cast)) == 2


# ---- files, duplicates, gains ----

def test_error_about_a_folder_lists_its_files(tmp_path):
    assert said(Run, tmp_path) == f'{tmp_path}: this is a directory, not a file, and it contains no files'
    (tmp_path/'folder').mkdir()
    for name in ('b.run', '.hidden', 'a.run.gz'): put(tmp_path/name, b'q Q0 d 1 1 t\n')
    names = [str(tmp_path/name) for name in ('a.run.gz', 'b.run', 'c', 'd')]
    assert said(Run, tmp_path) == f'{tmp_path}: this is a directory, not a file; give its 2 files: {names[:2]!r}'
    for name in 'cd': put(tmp_path/name, b'q Q0 d 1 1 t\n')
    text = said(Run, tmp_path)
    assert text == f'{tmp_path}: this is a directory, not a file; give its 4 files: [{", ".join(map(repr, names[:3]))}, ...]'
    assert evaluate({'q': {'d': 1}}, names, 'AP').values.tolist() == [[[1]]] * 4
    assert evaluate({'q': {'d': 1}}, tmp_path, 'AP').values.tolist() == [[[1]]] * 4, 'a run per file'
    done = irmetrics('evaluate', put(tmp_path/'d', b'q 0 d 1\n'), tmp_path)
    assert done.returncode == 1 and 'd, line 1: 4 columns, but a run has 6' in done.stderr and done.stderr.count('\n') == 1
    alone = tmp_path/'folder'
    assert said(Qrels, [put(alone/'one', b''), alone][1]).endswith(f'give its 1 file: [{str(alone/"one")!r}]')


def test_error_about_duplicates_suggests_the_option(tmp_path):
    twice = [('q', 'd', 1), ('q', 'e', 2), ('q', 'd', 3)]
    for call in (lambda: Run(twice), lambda: Qrels(twice), lambda: evaluate({'q': {'d': 1}}, twice), lambda: Run(put(tmp_path/'r', b'q Q0 d 1 1 t\n' * 2))):
        assert said(call).endswith(" in query 'q'; duplicates='first', 'last' or 'best' chooses the row that counts")
    assert [evaluate({'q': {'d': 1}}, twice, 'RR', duplicates=way).means['RR'] for way in ('first', 'last', 'best')] == [.5, 1, 1]


@pytest.mark.parametrize('text', ["nDCG(gain=exponential)@10", "nDCG(gain='exponential')", "nDCG(gain=None)", "ERR(gain=exponential)"])
def test_a_gain_that_is_none_is_answered_with_those_there_are(text):
    assert all(repr(gain) in said(parse, text) for gain in (('exp', 'linear') if text[0] == 'E' else NAMED_GAINS))


def test_a_word_without_quotes_is_the_word_in_quotes():
    assert parse('nDCG(gain=exp)@10') == parse("nDCG(gain='exp')@10") and repr(parse('nDCG(gain=exp)@10')) == "nDCG(gain='exp')@10"
    assert 'rel must be a number' in said(parse, 'P(rel=two)') and "'log2'" in said(parse, 'nDCG(discount=log3)')
    assert 'is not a value' in said(parse, 'nDCG(gain=print(1))') and 'is not a value' in said(parse, 'nDCG(gain=a.b)')


# ---- judgments without grades ----

GRADED = {'q0': {'d1': 1, 'd2': 1}, 'q1': {'d3': 1}, 'q2': {}}
LISTS = {q: [*docs] for q, docs in GRADED.items()}
RANKED = {'q0': ['d2', 'x', 'd1'], 'q1': ['y', 'd3'], 'q2': ['d1']}
SCORED = {q: {d: 9.5 - i for i, d in enumerate(docs)} for q, docs in RANKED.items()}
MEASURES = 'AP nDCG@10 RR R@2 P@2 Rprec Bpref NumRel'


@pytest.mark.parametrize('kind', [list, tuple, set, frozenset, dict.fromkeys], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize('run', [RANKED, SCORED])
def test_listed_documents_are_relevant_with_grade_1_and_a_note(kind, run):
    listed = {q: kind(docs).keys() if kind == dict.fromkeys else kind(docs) for q, docs in LISTS.items()}
    found, graded = evaluate(listed, run, MEASURES), evaluate(GRADED, run, MEASURES)
    assert found.to_dict() == graded.to_dict()
    word = 'lists' if kind in (list, tuple) else 'sets'
    phrase = f'judgments are {word} without grades, and every document in them counts as relevant, with grade 1'
    assert phrase in ' '.join(str(found).split()) and phrase not in ' '.join(str(graded).split())
    assert json.loads(render(found, 'json'))[0]['listed'] == word and 'listed' not in json.loads(render(graded, 'json'))[0]
    assert phrase in ' '.join(str(Scores.combine_runs([found])).split())
    parts = [evaluate({q: listed[q]}, {q: run[q]}, MEASURES, part=True) for q in ('q0', 'q1')]
    assert phrase in ' '.join(str(Scores.concat(parts)).split())


def test_json_lists_of_relevant_documents_work_everywhere(tmp_path):
    (tmp_path/'qrels.json').write_text(json.dumps(LISTS))
    for qrels in (LISTS, tmp_path/'qrels.json'):
        assert Qrels(qrels).to_dict() == GRADED and Qrels(qrels)._facts.listed == 'lists'
        assert evaluate(qrels, SCORED, 'AP').means == evaluate(GRADED, SCORED, 'AP').means
        assert explain('AP', qrels, SCORED, 'q0').value == evaluate(GRADED, SCORED, 'AP')['AP'][0]
        two = {'a': SCORED, 'b': RANKED}
        assert repr(compare(qrels, two, 'AP').rows) == repr(compare(GRADED, two, 'AP').rows)  # where NaN is NaN
        assert 'without grades' in report(qrels, two, 'AP').to_markdown()
        assert 'listed' in check(qrels, SCORED).codes and 'swapped' not in check(qrels, SCORED).codes
    whole = {q: docs for q, docs in LISTS.items() if docs}
    Qrels(whole).save(tmp_path/'qrels.txt')
    assert evaluate(tmp_path/'qrels.txt', SCORED, 'AP').means == evaluate(whole, SCORED, 'AP').means
    assert not Qrels(tmp_path/'qrels.txt')._facts.listed


def test_lists_of_judgments_have_no_order():
    assert 'duplicate document' in said(Qrels, {'q': ['d', 'd']}) and Qrels({'q': {'d', 'e'}}).to_dict() == {'q': {'d': 1, 'e': 1}}
    assert read_rows({'q': {'b', 'a', 'c'}}, 'qrels').doc.tolist() == ['a', 'b', 'c']  # the order of a set is no other day by day


def recommended(n, least, most, seed=0):
    "Lists of items for n users, of some length."
    rng = np.random.default_rng(seed)
    return {f'u{i}': [f'i{j}' for j in rng.permutation(99)[:rng.integers(least, most + 1)]] for i in range(n)}


JUDGED = [{'q0': {'doc1': 1}}, {'q0': {'doc1': 1, 'doc2': 0}}, {'q0': {'doc1': 2, 'doc2': 1}}, {f'q{i}': {'a': i % 3, 'b': 1} for i in range(9)}]


@pytest.mark.parametrize('judged', JUDGED)
@pytest.mark.parametrize('kind', [list, tuple])
def test_a_ranked_list_in_the_place_of_judgments_stays_refused(judged, kind, tmp_path):
    ranked = {q: kind(['doc2', 'doc1', 'a', 'b']) for q in judged}
    rows = [(q, d, g) for q, docs in judged.items() for d, g in docs.items()]
    table = pl.DataFrame(rows, ['query_id', 'doc_id', 'relevance'], orient='row').rename({'relevance': 'score'})
    table.write_csv(tmp_path/'run.csv')
    for run in (judged, rows, table, tmp_path/'run.csv'):
        assert 'are the judgments and the run swapped? The judgments are lists' in said(evaluate, ranked, run)
        assert 'swapped' in check(ranked, run).codes
    evaluate(Qrels(ranked), Run(judged))  # whoever says which is which is believed
    assert evaluate(judged, ranked, 'AP').means['AP'] > 0


def test_two_kinds_of_lists_in_each_others_place_are_refused_by_their_lengths():
    bought, shown = recommended(30, 1, 9), recommended(30, 10, 10, seed=1)
    assert 'are the judgments and the run swapped?' in said(evaluate, shown, bought, 'P@5')
    for right in ((bought, shown), ({u: set(items) for u, items in bought.items()}, shown), (shown, recommended(30, 20, 20)), (recommended(4, 5, 5), recommended(4, 1, 9))):
        evaluate(*right, 'P@5')
    with pytest.raises(DataError, match='no query in common'): evaluate(bought, {'x': ['i1']})
