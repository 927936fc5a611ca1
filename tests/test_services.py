"Judgments of Search Relevance in OpenSearch and of Quepid, and formats that are named because they cannot be read."
import json

import polars as pl
import pytest
from helpers import irmetrics

from irmetrics_nb import DataError, Qrels, Run, check, compare, evaluate

GRADES = {'star wars': {'11': 3, '12': 0}, 'rocky': {'7': 1}}
RUN = {'star wars': ['12', '11'], 'rocky': ['7']}
MEANS = {'RR': .75, 'nDCG@1': .5}  # star wars: 1/2 and 0/3; rocky: 1 and 1


def pair(query, doc, **grades):
    "A pair of query and document in a book, with the grade of each judge."
    return {'query_text': query, 'doc_id': doc, 'position': 1, 'judgements': [{'rating': grade, 'unrateable': grade is None, 'user_email': judge} for judge, grade in grades.items()]}


def ratings(name, **grades):
    "A document of the index of judgments; a word of a query is a name."
    lists = [{'query': query.replace('_', ' '), 'ratings': [{'docId': doc, 'rating': str(float(grade))} for doc, grade in docs.items()]} for query, docs in grades.items()]
    return {'name': name, 'status': 'COMPLETED', 'type': 'IMPORT_JUDGMENT', 'judgmentRatings': lists}


JUDGMENTS = ratings('llm', star_wars={'11': 3, '12': 0}, rocky={'7': 1})
HIT = {'_index': 'search-relevance-judgment', '_id': 'x', '_source': JUDGMENTS}
CASE = {'case_name': 'films', 'queries': [
    {'query_text': 'star wars', 'notes': None, 'ratings': [{'doc_id': '11', 'rating': 3, 'user_email': 'a'}, {'doc_id': '12', 'rating': 0, 'user_email': 'b'}]},
    {'query_text': 'rocky', 'ratings': [{'doc_id': '7', 'rating': 1}]}, {'query_text': 'alien', 'ratings': []}]}
SNAPSHOT = {
    'id': 7, 'name': 'monday', 'docs': {'1': [{'id': '12', 'rated_only': False}, {'id': '11', 'explain': None}, {'id': '99', 'rated_only': True}], '2': [{'id': 7}]},
    'queries': [{'query_id': 1, 'query_text': 'star wars', 'ratings': {'11': 3, '12': 0}}, {'query_id': 2, 'query_text': 'rocky', 'ratings': {'7': 1}}, {'query_id': 3, 'query_text': 'alien'}],
    'scores': [{'query_id': 1, 'score': None}, {'query_id': 2, 'score': 1}]}
FORMS = {
    'document': JUDGMENTS, 'hit': HIT, 'hits': [HIT], 'documents': [JUDGMENTS], 'answer': {'took': 3, 'hits': {'total': {'value': 1}, 'hits': [HIT]}},
    'click model': {'judgmentRatings': [{'query': 'star wars', 'ratings': {'11': '3.000', '12': '0'}}, {'query': 'rocky', 'ratings': {'7': 1}}]},
    'ratings': {'queries': [{'query': query, 'ratings': docs} for query, docs in GRADES.items()]},
    'case': CASE, 'snapshot': SNAPSHOT,
    'book': {'name': 'films', 'query_doc_pairs': [pair('star wars', 11, ann=3), pair('star wars', '12', ben=0, ann=None), pair('rocky', '7', ann=1), pair('alien', '8')]}}
BOOK = {'query_doc_pairs': [pair('star wars', '11', ann=3, ben=2), pair('star wars', '12', ann=None, ben=0), pair('rocky', '7', ann=1)]}
TABLE = 'query,docid,ann,ben\nstar wars,11,3,2\nstar wars,12,,0\nrocky,7,1,\nalien,8, ,\n'
TWO_LISTS = [{'_source': ratings('ann', star_wars={'11': 3}, rocky={'7': 1})}, {'_source': ratings('ben', star_wars={'11': 2, '12': 0})}]
OF_JUDGES = {'ann': {'star wars': {'11': 3}, 'rocky': {'7': 1}}, 'ben': {'star wars': {'11': 2, '12': 0}}}
BY_RULE = {'best': {'11': 3, '12': 0}, 'first': {'11': 3, '12': 0}, 'last': {'11': 2, '12': 0}, 'mean': {'11': 2.5, '12': 0}}


@pytest.fixture
def folder(tmp_path):
    for name, form in {**FORMS, 'run': RUN, 'two judges': BOOK, 'two lists': TWO_LISTS}.items(): (tmp_path/f'{name}.json').write_text(json.dumps(form))
    (tmp_path/'table.csv').write_text(TABLE)
    return tmp_path


@pytest.mark.parametrize('form', FORMS)
def test_each_form_of_judgments_is_read_everywhere(form, folder):
    qrels, path = FORMS[form], folder/f'{form}.json'
    assert Qrels(qrels).to_dict() == Qrels(path).to_dict() == GRADES
    for run in RUN, SNAPSHOT, folder/'snapshot.json':
        assert evaluate(qrels, run, 'RR nDCG@1').means == evaluate(path, run, 'RR nDCG@1').means == MEANS
        assert evaluate(qrels, {'a': run, 'b': RUN}, 'RR nDCG@1').means == {'a': MEANS, 'b': MEANS}
        assert [*evaluate(qrels, [run, RUN], 'RR nDCG@1').means.values()] == [MEANS, MEANS]
        assert check(qrels, run).ok and check(path, {'a': run, 'b': run}).ok
    assert compare(qrels, {'a': SNAPSHOT, 'b': RUN}, 'RR').sample.systems == ('a', 'b')


@pytest.mark.parametrize('form', FORMS)
def test_the_command_reads_each_form_of_judgments(form, folder):
    for files, stdin in [[(f'{form}.json', 'run.json', 'snapshot.json'), b''], [('-', 'snapshot.json'), (folder/f'{form}.json').read_bytes()]]:
        done = irmetrics('evaluate', *files, '-m', 'RR nDCG@1', '--format', 'json', cwd=folder, stdin=stdin)
        assert [run['means'] for run in json.loads(done.stdout)] == [MEANS] * (len(files) - 1), done.stderr
    assert irmetrics('check', f'{form}.json', 'snapshot.json', cwd=folder).returncode == 0
    assert irmetrics('compare', f'{form}.json', 'run.json', 'snapshot.json', '-m', 'RR', cwd=folder).returncode == 0


def test_a_snapshot_ranks_in_its_order_without_documents_that_are_only_rated(folder):
    assert Run(SNAPSHOT).to_dict() == Run(folder/'snapshot.json').to_dict() == {'star wars': {'12': 0, '11': -1}, 'rocky': {'7': 0}}
    assert Run(SNAPSHOT | {'docs': {'1': SNAPSHOT['docs']['1'], '2': []}}).to_dict() == {'star wars': {'12': 0, '11': -1}, 'rocky': {}}
    twice = SNAPSHOT | {'docs': {'1': [{'id': '11'}, {'id': 11}, {'id': '11'}]}}
    with pytest.raises(DataError, match="duplicate document '11' in query 'star wars'"): Run(twice)


@pytest.mark.parametrize('name', ['two judges.json', 'two lists.json', 'table.csv'])
def test_duplicates_decides_between_the_grades_of_several_judges(name, folder):
    path = folder/name
    for rule, grades in BY_RULE.items(): assert Qrels(path, duplicates=rule).to_dict() == {'star wars': grades, 'rocky': {'7': 1}}
    with pytest.raises(DataError, match="json: duplicate document '11' in query 'star wars'; duplicates='first'" if name != 'table.csv' else 'the judges'): Qrels(path)
    assert 'duplicate' in check(path, RUN).codes
    done = irmetrics('evaluate', name, 'run.json', '-m', 'CG@2', '--format', 'json', '--duplicates', 'mean', cwd=folder)
    assert json.loads(done.stdout)[0]['means'] == {'CG@2': 1.75}  # (5 / 2 + 1) / 2


def test_a_judge_is_chosen_in_a_book_of_csv(folder):
    path = folder/'table.csv'
    for judge, grades in OF_JUDGES.items(): assert Qrels(path, columns={'relevance': judge}).to_dict() == grades
    says = ("duplicate document '11' in query 'star wars'; duplicates='first', 'last' or 'best' chooses the row that counts; "
            "columns={'relevance': NAME} chooses one of the judges 'ann', 'ben', and duplicates='mean' takes their mean")
    with pytest.raises(DataError) as error: Qrels(path)
    assert str(error.value) == f'{path}: {says}'
    call = ['evaluate', 'table.csv', 'run.json', '-m', 'CG@2', '--format', 'json']
    for judge, value in {'ann': 2, 'ben': 2}.items():  # (3 + 1) / 2, and 2 of the only query
        done = irmetrics(*call, '--columns', f'grade={judge}', cwd=folder)
        assert json.loads(done.stdout)[0]['means'] == {'CG@2': value}
    refused = irmetrics(*call, cwd=folder)
    assert refused.returncode == 1
    assert "--columns grade=NAME chooses one of the judges 'ann', 'ben', and --duplicates mean takes their mean" in refused.stderr


def test_a_book_in_which_each_pair_has_one_grade_needs_no_choice(tmp_path):
    (tmp_path/'book.csv').write_text('query;docid;Ann Lee;Ben\nstar wars;11;3;\nstar wars;12;;0\nrocky;7;;1\n')
    assert Qrels(tmp_path/'book.csv').to_dict() == GRADES


@pytest.mark.parametrize(('table', 'says'), [
    ('query,docid,title,notes\nq,1,Rocky,good\n', "no column relevance or rel .*; the columns are 'query', 'docid', 'title', 'notes'"),
    ('query,docid,ann,notes\nq,1,3,good\n', 'no column relevance'), ('query,docid,ann,rank\nq,1,3,1\n', 'no column relevance'), ('query,docid,ann\nq,1,3\n', 'no column relevance'),
    ('query,docid,ann,ben\nq,1,3\n', 'book.csv, line 2: 3 fields, but the header has 4'), ('query,docid,ann,ben\nq,1,,\n', 'no column relevance'),
    ('query,docid,ann,ben\nq,,1,\n', "line 2: no value in column 'docid'"), ('query,docid,ann,ben\n', 'the table has no rows')])
def test_a_table_that_is_no_book_is_refused_as_any_table(table, says, tmp_path):
    (tmp_path/'book.csv').write_text(table)
    with pytest.raises(DataError, match=says): Qrels(tmp_path/'book.csv')


@pytest.mark.parametrize(('qrels', 'says'), [
    ({'judgmentRatings': [{'query': 'q', 'ratings': [{'docId': 'd'}]}]}, r"unknown structure of the judgments \(KeyError\('rating'\)\)"),
    ({'judgmentRatings': [{'query': 'q', 'ratings': [5]}]}, 'unknown structure of the judgments'),
    ({'judgmentRatings': [{'query': 'q', 'ratings': [{'docId': 'd', 'rating': 'high'}]}]}, "query 'q', document 'd': the grade 'high' is not a number"),
    ({'judgmentRatings': [{'query': 'q', 'ratings': [{'docId': None, 'rating': 1}]}]}, 'an id must be text'),
    ({'queries': [{'query': 'q', 'ratings': [{'doc_id': 1, 'rating': None}]}]}, 'every grade is blank'), ({'queries': [{'query': 'q', 'ratings': {}}]}, 'there are no rows'),
    ({'queries': [{'query': 'q', 'ratings': {'d': 1}}, {'query': 'q', 'ratings': {'d': 2}}]}, "duplicate document 'd' in query 'q'; duplicates='first'")])
def test_incomplete_judgments_are_an_error(qrels, says):
    with pytest.raises(DataError, match=says): Qrels(qrels)
    assert not check(qrels, RUN).ok


def test_columns_cannot_choose_in_json():
    with pytest.raises(DataError, match='columns= works for tables'): Qrels(BOOK, columns={'relevance': 'ann'})


@pytest.mark.parametrize('form', [name for name in FORMS if name != 'snapshot'])
def test_judgments_are_no_run(form, folder):
    for run in FORMS[form], folder/f'{form}.json':
        with pytest.raises(DataError, match='these are judgments, without a ranking; read the run from the results'): evaluate(GRADES, run, 'RR')


@pytest.mark.parametrize('run', [{'scores': [{'query_id': 1}]}, SNAPSHOT | {'docs': {'9': [{'id': 'd'}]}}, SNAPSHOT | {'docs': {'1': [5]}}, SNAPSHOT | {'queries': None}])
def test_an_incomplete_snapshot_is_an_error(run):
    with pytest.raises(DataError, match='the run: unknown structure of the snapshot'): Run(run)


FOREIGN = {
    'Rated Ranking Evaluator': {'id_field': 'id', 'topics': [{'description': 't', 'query_groups': [{'name': 'g', 'queries': [], 'relevant_documents': {'1': {'gain': 2}}}]}]},
    'Rated Ranking Evaluator (RRE)': {'id_field': 'id', 'queries': [{'placeholders': {'$query': 'q'}, 'relevant_documents': {'1': {'gain': 2}}}, {'placeholders': {'$query': 'p'}}]},
    'records of KILT': [{'id': '1', 'input': 'q', 'output': [{'answer': 'a', 'provenance': [{'wikipedia_id': '7'}]}], 'meta': {}}] * 2,
    'records of HotpotQA': [{'_id': '1', 'question': 'q', 'answer': 'a', 'type': 't', 'supporting_facts': [['t', 0]], 'context': []}] * 2,
    'records of SQuAD': [{'id': '1', 'title': 't', 'context': 'c', 'question': 'q', 'answers': {}}] * 2,
    'triples for training': [{'query': 'q', 'positive': 'p', 'negative': 'n'}] * 2,
    'queries of BEIR': [{'_id': '1', 'text': 't', 'metadata': {}}] * 2,
    'documents of BEIR': [{'_id': '1', 'title': '', 'text': 't', 'metadata': {}}] * 2}


@pytest.mark.parametrize('name', FOREIGN)
def test_a_foreign_format_is_named_with_what_to_write(name, tmp_path):
    content = FOREIGN[name]
    path = tmp_path/'foreign.json'
    path.write_text(json.dumps(content))
    sources = [content, path]
    if isinstance(content, list):
        lines = tmp_path/'foreign.jsonl'
        lines.write_text('\n'.join(map(json.dumps, content)))
        sources += [lines, pl.DataFrame(content, strict=False)]
    for source in sources:
        for read in Qrels, Run:
            with pytest.raises(DataError) as error: read(source)
            assert name in str(error.value) and '; write ' in str(error.value)
    assert name in irmetrics('evaluate', path, path, '-m', 'RR').stderr.replace('\n', ' ')
    assert check(content, RUN).codes[0] in ('refused', 'columns')


def test_records_with_such_names_are_read_if_their_columns_are_found_or_chosen():
    records = [{'query_id': 'q', 'doc_id': 'd', 'relevance': 1, 'input': '', 'output': '', 'question': '', 'supporting_facts': '', 'claim': '', 'evidence': ''}]
    assert Qrels(records).to_dict() == {'q': {'d': 1}}
    texts = [{'_id': 'q', 'text': 'd', 'title': 1}]
    assert Qrels(texts, columns={'query': '_id', 'document': 'text', 'relevance': 'title'}).to_dict() == {'q': {'d': 1}}
