"Every form of input, alone, under a name, in a list, in a check-up and on the command line; and what to write instead of a mistake."
import json
import re
import warnings
from collections import deque
from dataclasses import dataclass

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers import irmetrics

from irmetrics_nb import DataError, Qrels, Run, check, compare, evaluate, explain, identify, nDCG
from irmetrics_nb.data import sources
from irmetrics_nb.data.recognition import recognise

GRADES = {'q': {'d1': 1}, 'p': {'d2': 1}}
MEANS = {'RR': 0.75}


@dataclass
class Row:
    query_id: str
    doc_id: str
    score: float


@dataclass
class Point:
    id: str
    score: float


class Response:
    "A response as elasticsearch-py makes it: a body, and the methods of a mapping, but no Mapping."
    def __init__(self, body): self.body = body
    def __getitem__(self, key): return self.body[key]
    def __iter__(self): return iter(self.body)
    def __len__(self): return len(self.body)


def answer(*ids): return {'took': 1, '_shards': {'failed': 0}, 'hits': {'hits': [{'_id': id, '_index': 'web'} for id in ids]}}


ROWS = [Row('q', 'd1', .9), Row('p', 'd9', .5), Row('p', 'd2', .4)]
RATED = {'metric_score': .1, 'failures': {}, 'details': {
    'q': {'hits': [{'hit': {'_id': 'd1', '_index': 'w'}}]}, 'p': {'hits': [{'hit': {'_id': 'd9', '_index': 'w'}}, {'hit': {'_id': 'd2', '_index': 'w'}}]}}}
FORMS = {
    'objects': ROWS, 'values of a dict': dict(enumerate(ROWS)).values(), 'array of objects': np.array(ROWS, dtype=object), 'deque': deque(ROWS),
    'array of rows': np.array([(row.query_id, row.doc_id, row.score) for row in ROWS], dtype=object),
    'pairs': {'q': [('d1', .9)], 'p': [('d9', .5), ('d2', .4)]}, 'pairs, not in order': {'q': [('d1', .9)], 'p': [('d2', .4), ('d9', .5)]},
    'records': {'q': [{'id': 'd1', 'score': .9}], 'p': [{'id': 'd9', 'score': .5}, {'id': 'd2', 'score': .4}]},
    'records with ranks': {'q': [{'id': 'd1', 'rank': 1}], 'p': [{'id': 'd2', 'rank': 2}, {'id': 'd9', 'rank': '1'}]},
    'points': {'q': [Point('d1', .9)], 'p': [Point('d9', .5), Point('d2', .4)]},
    'arrays of ids': {'q': np.array(['d1']), 'p': np.array(['d9', 'd2'])},
    'answers': {'q': answer('d1'), 'p': answer('d9', 'd2')},
    'response objects': {'q': Response(answer('d1')), 'p': Response(answer('d9', 'd2'))}, 'response of _rank_eval': Response(RATED),
}


*_FIRST, _LAST = [form.name for form in sources.FORMS]
EXPECTED = f'{", ".join(_FIRST)} or {_LAST}'


@pytest.mark.parametrize('form', FORMS)
def test_each_form_of_a_run_works_everywhere(form):
    run = FORMS[form]
    assert evaluate(GRADES, run, 'RR').means == MEANS and evaluate(GRADES, run, 'RR').is_single
    assert evaluate(GRADES, {'a': run, 'b': ROWS}, 'RR').means == {'a': MEANS, 'b': MEANS}
    assert list(evaluate(GRADES, [run, ROWS], 'RR').means.values()) == [MEANS, MEANS]
    assert compare(GRADES, {'a': run, 'b': ROWS}, 'RR').sample.systems == ('a', 'b')
    assert explain('RR', GRADES, run, 'p').value == .5
    assert check(GRADES, run).ok and check(GRADES, {'a': run, 'b': ROWS}).ok


def test_lists_of_documents_and_grades_are_judgments():
    assert Qrels({'q': [('d1', 2), ('d2', 0)]}).to_dict() == Qrels({'q': [{'id': 'd1', 'rating': 2}, {'id': 'd2', 'rating': 0}]}).to_dict() == {'q': {'d1': 2, 'd2': 0}}


def test_duplicate_pairs_are_an_error_without_the_option():
    twice = {'q': [('d1', .9), ('d1', .5)]}
    with pytest.raises(DataError, match="duplicate document 'd1' in query 'q'"): Run(twice)
    assert Run(twice, duplicates='last').to_dict() == {'q': {'d1': .5}}


def test_values_of_a_dict_of_runs_are_several_runs():
    runs = {'a': {'q': ['d1']}, 'b': {'q': ['d9', 'd1']}}
    assert list(evaluate(GRADES, runs.values(), 'RR').means) == ['run 1', 'run 2']


@pytest.mark.parametrize('form', ['pairs', 'records', 'answers'])
def test_the_command_reads_a_form_from_a_file(form, tmp_path):
    (tmp_path/'qrels.json').write_text(json.dumps(GRADES))
    (tmp_path/'run.json').write_text(json.dumps(FORMS[form]))
    done = irmetrics('evaluate', tmp_path/'qrels.json', tmp_path/'run.json', '-m', 'RR', '--format', 'json')
    assert json.loads(done.stdout)[0]['means'] == MEANS
    assert irmetrics('check', tmp_path/'qrels.json', tmp_path/'run.json').returncode == 0


@pytest.mark.parametrize(('kind', 'content'), [(object, []), (list, [[{'q': ['x']}]]), (dict, [{'a': {'q': ['x']}}])])  # items that look like runs
def test_a_new_form_is_one_row_of_the_table_for_every_verb(kind, content, monkeypatch):
    class Written(kind):
        text = ''
    def written(text):
        source = Written(*content)
        source.text = text
        return source
    def read(source, kind, name, columns): return sources.rows_from_triples((line.split('|') for line in source.text.split()), kind, name, columns)
    form = sources.Form('text with bars', lambda source: isinstance(source, Written), read)
    monkeypatch.setattr(sources, 'FORMS', (form, *sources.FORMS))
    run = written('q|d1|.9 p|d9|.5 p|d2|.4')
    assert evaluate(GRADES, run, 'RR').means == MEANS and evaluate(GRADES, {'a': run}, 'RR').means == {'a': MEANS}
    assert check(GRADES, run).ok and check(GRADES, [run, run]).ok and evaluate(written('q|d1|1 p|d2|1'), run, 'RR').means == MEANS


@pytest.mark.parametrize(('run', 'says'), [
    ({'took': 3, 'responses': [answer('d1')]}, r"_msearch do not contain the query ids; write dict\(zip\(queries, body\['responses'\]\)\)"),
    (answer('d1'), r'the response to a search does not contain the query id; write \{query: response, ...\}'),
    (Response(answer('d1')), 'the response to a search does not contain the query id'),
    ({'q': answer('d1'), 'p': {'error': {'type': 'x', 'reason': 'no such index'}, 'status': 404}}, "query 'p': the search failed: no such index"),
    ({'q': {'error': 'broken', 'status': 500}}, "query 'q': the search failed: broken"),
    ({'q': [{'id': 'd1', 'distance': .2}]}, "query 'q': no column score or sim .*; the columns are 'id', 'distance'"),
    (5, re.escape(f'expected {EXPECTED}, not 5'))])
def test_invalid_run_is_an_error_with_a_suggestion(run, says):
    with pytest.raises(DataError, match=says): evaluate(GRADES, run)
    with pytest.raises(DataError, match=says): Run(run)
    assert check(GRADES, run).codes[0] in ('refused', 'columns')


def test_documents_that_are_called_error_are_no_failed_searches():
    assert Run({'q': {'error': .5, 'hits': .2}}).to_dict() == {'q': {'error': .5, 'hits': .2}}


def test_a_verb_for_one_run_refuses_several():
    with pytest.raises(ValueError, match=r'expected one run, not 2 \(a, b\)'): explain('RR', GRADES, {'a': ROWS, 'b': ROWS}, 'q')


@pytest.mark.parametrize('encoding', ['utf-16', 'utf-16-le', 'utf-16-be'])
@pytest.mark.parametrize(('name', 'content'), [('run.txt', 'q Q0 d1 1 2.5 tag\n'), ('run.csv', 'query_id,doc_id,score\nq,d1,2.5\n')])
def test_a_file_in_utf_16_is_called_so(encoding, name, content, tmp_path):
    path = tmp_path/name
    path.write_bytes(content.encode(encoding))
    with pytest.raises(DataError, match=f'^{path}: this is UTF-16 text; save it as UTF-8$'): Run(path)
    with pytest.raises(DataError, match='this is UTF-16 text'): evaluate(GRADES, path)
    assert 'this is UTF-16 text' in str(check(GRADES, path))
    path.write_bytes((content * 1_000_000).encode(encoding))
    with pytest.raises(DataError, match='this is UTF-16 text'): evaluate(GRADES, path)


@pytest.mark.parametrize(('judged', 'asked', 'how'), [
    ('q ', 'q', 'without whitespace around them'), ('q', 'q\t', 'without whitespace around them'), ('caf\u00e9', 'cafe\u0301', 'in the same Unicode form (NFC)'),
    ('q\u200b', 'q', 'without invisible characters')])
def test_a_single_query_that_looks_the_same_is_noticed_by_evaluate_as_by_check(judged, asked, how):
    qrels = {judged: {'d': 1}} | {f'x{i}': {'d': 1} for i in range(300)}
    run = {f'x{i}': ['d'] for i in range(300)} | {asked: ['d']}
    with pytest.warns(UserWarning, match='would match ' + how.replace('(', r'\(').replace(')', r'\)')): evaluate(qrels, run, 'RR')
    assert any(how in str(finding) for finding in check(qrels, run).findings)


def test_unjudged_queries_are_not_reported_as_misspelled():
    with warnings.catch_warnings(action='error'): evaluate({'q1': {'d': 1}, 'q2': {'d': 1}}, {'q1': ['d'], 'q3': ['d']}, 'RR')


@pytest.mark.parametrize('number', ['label', 'relevance', 'grade', 'rating'])
@pytest.mark.parametrize('document', ['document', 'doc_id', 'id', 'url', 'docno'])
def test_columns_option_and_headers_accept_the_same_names(document, number, tmp_path):
    (tmp_path/'odd.csv').write_text('x,y,z\nq,d1,1\np,d2,1\n')
    assert Qrels(tmp_path/'odd.csv', columns={'qid': 'x', document: 'y', number: 'z'}).to_dict() == GRADES
    (tmp_path/'usual.csv').write_text(f'query_id,{document},{number}\nq,d1,1\np,d2,1\n')
    assert Qrels(tmp_path/'usual.csv').to_dict() == GRADES


def test_columns_of_the_command_have_the_same_names(tmp_path):
    (tmp_path/'qrels.csv').write_text('x,y,z\nq,d1,1\np,d2,1\n')
    (tmp_path/'run.csv').write_text('x,y,z\nq,d1,1\np,d9,1\np,d2,2\n')
    done = irmetrics('evaluate', tmp_path/'qrels.csv', tmp_path/'run.csv', '--columns', 'query_id=x,doc_id=y,rating=z', '--run-columns', 'qid=x,url=y,rank=z', '-m', 'RR', '--format', 'json')
    assert json.loads(done.stdout)[0]['means'] == MEANS
    run = Run(tmp_path/'run.csv', columns={'qid': 'x', 'url': 'y', 'rank': 'z'})
    assert run.to_dict()['p'] == {'d9': -1.0, 'd2': -2.0}


@pytest.mark.parametrize('wrong', [{'query': 'x', 'qid': 'y'}, {'colour': 'x'}, {'query': None}, {}])
def test_columns_that_are_none_or_twice_are_refused(wrong):
    with pytest.raises(ValueError, match="columns must have the form {'query': name"): Run([{'x': 1}], columns=wrong)


def test_an_id_or_a_url_is_the_document_where_nothing_else_is():
    rows = [{'query_id': 'q', 'id': 7, 'url': 'u', 'doc_id': 'd1', 'score': 1.0}]
    with warnings.catch_warnings(action='error'): assert Run(rows).to_dict() == {'q': {'d1': 1.0}}
    assert not Run(rows).notes


@pytest.mark.parametrize(('call', 'error', 'says'), [
    (lambda: evaluate(GRADES, ROWS, k=10), TypeError, r"'k': a cutoff is written with its measure, such as 'nDCG@10'"),
    (lambda: evaluate(GRADES, ROWS, metrics='AP'), TypeError, "'metrics': this argument is called measures="),
    (lambda: evaluate(GRADES, ROWS, colour=1), TypeError, "unexpected keyword argument 'colour'$"),
    (lambda: nDCG(k=10), ValueError, 'nDCG@10'),
    (lambda: identify(GRADES, ROWS, 0.71), ValueError, r"write identify\(qrels, run, 'nDCG@10', 0.71\)")])
def test_wrong_calls_are_errors_with_suggestions(call, error, says):
    with pytest.raises(error, match=says): call()


def test_one_number_is_the_length_of_every_chunk():
    run = {'q': ['a', 'b', 'c']}
    assert evaluate({'q': {'a': 1, 'c': 1}}, Run(run, budget=2, lengths=1), 'R').means == {'R': .5}
    with pytest.raises(DataError, match='a length must be 0 or a positive number'): Run(run, budget=2, lengths=-1)


def test_recognition_does_not_read_files(tmp_path):
    runs = recognise(GRADES, {'a': tmp_path/'none.txt', 'b': ROWS})
    assert [run.name for run in runs] == ['a', 'b'] and not runs.single
    assert recognise(GRADES, runs) is runs
    with pytest.raises(DataError, match='there is no such file'): _ = runs.each[0].read()


@pytest.mark.parametrize('rank', ['first', None, float('nan')])
def test_a_rank_that_is_no_number_is_named(rank):
    with pytest.raises(DataError, match=f"document 'd2': the score {rank!r} is not a number"):
        evaluate(GRADES, {'q': [{'id': 'd1', 'rank': 1}], 'p': [{'id': 'd2', 'rank': rank}]})


def test_each_document_of_a_list_may_name_its_id_in_its_own_way(tmp_path):
    run = {'q': ['d1', 'd2'], 'p': ['d2']}
    file = tmp_path / 'documents.json'
    file.write_text(json.dumps([{'id': 'd1', 'text': 'roses'}, {'_id': 'd2', 'text': 'bread'}]))
    assert explain('RR', GRADES, run, 'q', documents=file).to_polars()['title'].to_list() == ['roses', 'bread']
    file.write_text(json.dumps([{'id': 'd1', 'text': 'roses'}, {'text': 'bread'}]))
    with pytest.raises(DataError, match='no column doc_id; the columns are id, text'):
        explain('RR', GRADES, run, 'q', documents=file)


def test_documents_with_numbers_are_records_of_their_query():
    ranked = {'q': [{'id': 'd1', 'rank': 1}, {'id': 'd2', 'rank': 2}]}
    assert Run(ranked).to_dict() == Run(ranked, descending=False).to_dict() == {'q': {'d1': -1, 'd2': -2}}
    named = {'q': [{'url': 'd1', 'distance': .25}, {'url': 'd2', 'distance': .5}]}
    assert Run(named, columns={'score': 'distance'}, descending=False).to_dict() == {'q': {'d1': -.25, 'd2': -.5}}
    for says, hits in {
        'some records have a score, others only a rank': [{'id': 'd1', 'score': 1}, {'id': 'd2', 'rank': 1}],
        "the columns 'id' and 'url' may both be the document": [{'id': 'd1', 'url': 'u', 'score': 1}],
        "expected (query, document, score), not 'd2'": [('d1', 1), 'd2'],
    }.items():
        with pytest.raises(DataError, match=f"query 'q': {re.escape(says)}"): Run({'q': hits})


def test_a_field_of_a_json_record_that_comes_twice_is_named(tmp_path):
    path = tmp_path/'run.json'
    path.write_text('{"q": [{"id": "d1", "score": 1, "score": 2}]}')
    with pytest.raises(DataError, match="run.json, query 'q': the column 'score' appears 2 times"): Run(path)


# ---- columns in a dict, and quotes in TSV ----

TABLE = {'query_id': ['q', 'p', 'p'], 'doc_id': ['d1', 'd9', 'd2'], 'score': [9, 5, 4]}
NUMBERED = {'query_id': [1, 2, 2], 'doc_id': [11, 19, 12], 'score': [9, 5, 4]}


@pytest.mark.parametrize('form', ['lists', 'tuples', 'arrays', 'pandas', 'json'])
@pytest.mark.parametrize('table', [TABLE, NUMBERED], ids=['text', 'numbers'])
def test_a_dict_of_columns_is_read_as_a_table(tmp_path, form, table):
    run = {'lists': table, 'tuples': {name: tuple(x) for name, x in table.items()}, 'json': tmp_path/'run.json',
           'arrays': {name: np.array(x) for name, x in table.items()}, 'pandas': pd.DataFrame(table).to_dict()}[form]
    (tmp_path/'run.json').write_text(json.dumps(table))
    frame = pl.DataFrame(table)
    graded = frame.with_columns(relevance=pl.Series([1, 0, 1])).drop('score')
    qrels = pd.DataFrame(graded.to_dict(as_series=False)).to_dict() if form == 'pandas' else graded.to_dict(as_series=False)
    assert Run(run).to_dict() == Run(frame).to_dict()
    assert evaluate(qrels, run, 'RR').means == evaluate(graded, frame, 'RR').means == MEANS
    assert evaluate(qrels, {'a': run, 'b': frame}, 'RR').means == {'a': MEANS, 'b': MEANS}
    assert check(qrels, run).ok


def test_a_dict_of_columns_is_refused_like_a_table():
    without = {name: TABLE[name] for name in ('query_id', 'doc_id')}
    with pytest.raises(DataError, match='the run: no column score or sim'): Run(without)
    with pytest.raises(DataError, match="the score 'high' is not a number"): Run(TABLE | {'score': [1, 2, 'high']})
    with pytest.raises(DataError, match='there are no rows'): Run(dict.fromkeys(TABLE, []))
    ranked = {'qid': ['q', 'q'], 'docid': ['a', 'b'], 'rank': [1, 2]}
    assert Run(ranked).to_dict() == {'q': {'a': -1, 'b': -2}}
    short = {'query': ['d1'], 'id': ['d2', 'd3']}  # queries that are words
    assert Run(short).to_dict() == {'query': {'d1': 0}, 'id': {'d2': 0, 'd3': -1}}


AWKWARD = ['a"b', '"', '""', '"x"', 'say "x"', "o'clock", 'plain']


@pytest.mark.parametrize('parts', [False, True], ids=['file', 'parts'])
@pytest.mark.parametrize('writer', ['pandas', 'polars'])
@pytest.mark.parametrize('sign', [',', '\t'], ids=['csv', 'tsv'])
def test_ids_with_quotes_are_read_as_they_were_written(tmp_path, sign, writer, parts):
    table = pd.DataFrame({'query_id': 'q', 'doc_id': AWKWARD, 'score': np.arange(7.)})
    name = 'part-0.' if parts else 'run.'
    path = tmp_path/f'{name}{"csv" if sign == "," else "tsv"}'
    if writer == 'pandas': table.to_csv(path, sep=sign, index=False)
    else: pl.from_pandas(table).write_csv(path, separator=sign)
    assert Run(tmp_path if parts else path).to_dict()['q'] == dict(zip(AWKWARD, range(7)))


@pytest.mark.parametrize('parts', [False, True], ids=['file', 'parts'])
@pytest.mark.parametrize('ids', [AWKWARD, ['"x"', 'y'], ['"a""b"', 'c"'], ['""', 'y'], ['"a', 'b"'], ['a""b', 'y']], ids=str)
def test_ids_with_quotes_in_plain_tsv_are_literal(tmp_path, ids, parts):
    lines = ''.join(f'q\t{id}\t{i}\n' for i, id in enumerate(ids))
    path = tmp_path/('part-0.tsv' if parts else 'run.tsv')
    path.write_text('query_id\tdoc_id\tscore\n' + lines)
    assert Run(tmp_path if parts else path).to_dict()['q'] == dict(zip(ids, range(7)))
