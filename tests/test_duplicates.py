"A document that stands twice in a query: refused, or one of its rows counts, as if the others had been removed by hand."
import gzip
import json
import shutil
import warnings
from collections import Counter, namedtuple
from fractions import Fraction

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers import irmetrics, put
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, ERR, RR, Bpref, Judged, NumRet, P, SetP, nDCG

from irmetrics_nb import (
    DataError,
    Qrels,
    Run,
    Scores,
    check,
    compare,
    differ,
    evaluate,
    explain,
    explain_difference,
    judge,
    load_example,
    report,
)
from irmetrics_nb.core.choices import CHOICES
from irmetrics_nb.data.qrels_and_runs import pair_keys, repeated_keys, without_repeats
from irmetrics_nb.data.sources import read_rows

WAYS = 'first', 'last', 'best'
MEASURES = 'AP nDCG@3 RR P@2 NumRet'
# Queries of one letter that the rows take turns with, and documents short and longer than a word of eight bytes.
_docs = st.sampled_from(['a', 'b', 'c', 'a-document-with-a-long-name-1', 'a-document-with-a-long-name-2', 'é'])
_rows = st.lists(st.tuples(st.sampled_from(['q', 'r', 's']), _docs, st.integers(-1, 3)), min_size=1, max_size=25)


def by_hand(rows, way):
    "The rows that are left when all but one of each document of a query are removed, each where it stood."
    places = {}
    for place, (query, doc, _) in enumerate(rows): places.setdefault((query, doc), []).append(place)
    choose = {'first': min, 'last': max, 'best': lambda own: max(own, key=lambda i: rows[i][2])}[way]
    kept = sorted(map(choose, places.values()))
    return [rows[i] for i in kept]


def as_trec(rows, kind):
    "The rows as the lines of a file."
    line = '{} 0 {} {}\n' if kind == 'qrels' else '{} Q0 {} 1 {} tag\n'
    return ''.join(line.format(*row) for row in rows).encode()


def as_json(rows):
    "{query: {document: number}} as text, with names that stand twice; only for rows that are grouped by query."
    def inside(query): return ', '.join(f'{json.dumps(d)}: {x}' for q, d, x in rows if q == query)
    return ('{' + ', '.join(f'"{q}": {{{inside(q)}}}' for q in dict.fromkeys(q for q, _, _ in rows)) + '}').encode()


def as_table(rows, kind):
    "The rows as a table of polars."
    names = 'query_id', 'doc_id', {'qrels': 'relevance', 'run': 'score'}[kind]
    return pl.DataFrame(rows, schema=dict(zip(names, [pl.String, pl.String, pl.Float64])), orient='row')


def forms(rows, kind, folder):
    "The same rows in every form: a name, and a function that makes it."
    table = as_table(rows, kind)
    def file(name, data): return lambda: put(folder/name, data)
    def written(name, write):
        def make():
            write(folder/name)
            return folder/name
        return make
    yield 'triples', lambda: list(rows)
    yield 'an iterator', lambda: iter(rows)
    yield 'TREC', file(f'{kind}.txt', as_trec(rows, kind))
    yield 'TREC, packed', file(f'{kind}.gz', gzip.compress(as_trec(rows, kind)))
    yield 'JSON, rows', file(f'{kind}.json', json.dumps(rows).encode())
    yield 'CSV', written(f'{kind}.csv', table.write_csv)
    yield 'Parquet', written(f'{kind}.parquet', table.write_parquet)
    yield 'polars', lambda: table
    yield 'pandas', lambda: pd.DataFrame(table.to_dict(as_series=False))
    yield 'Arrow', table.to_arrow


def same(one, other):
    "Check that two results say the same, query by query."
    assert one.query_ids == other.query_ids
    np.testing.assert_array_equal(one.values, other.values)
    assert (one.missing, one.no_relevant, one.unjudged) == (other.missing, other.no_relevant, other.unjudged)
    assert one.tie_bounds == other.tie_bounds


@given(_rows, st.sampled_from(WAYS))
def test_one_row_of_each_document_keeps_its_position(rows, way):
    for make in Qrels, Run:
        read, expected = make(list(rows), duplicates=way), make(by_hand(rows, way))
        assert (read.queries, read.to_dict()) == (expected.queries, expected.to_dict())
        assert [*read.to_dict().values()] == [*expected.to_dict().values()] and [[*d] for d in read.to_dict().values()] == [[*d] for d in expected.to_dict().values()]
        assert read.repeats == len(rows) - len(by_hand(rows, way))
        assert read._pairs.keys.tolist() == expected._pairs.keys.tolist()


@given(_rows, _rows, st.sampled_from(WAYS), st.sampled_from(['docid', 'given', 'average', 'worst']), st.sampled_from(['float64', 'float32']))
@settings(max_examples=60)
def test_duplicates_option_equals_removing_rows_by_hand(qrels, run, way, ties, scores):
    qrels = [*qrels, ('both', 'a', 1)]
    run = [*run, ('both', 'a', 1)]
    how = {'ties': ties, 'score_dtype': scores}
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        ours = evaluate(list(qrels), list(run), MEASURES, duplicates=way, **how)
        same(ours, evaluate(by_hand(qrels, way), by_hand(run, way), MEASURES, **how))
    assert ours.runs[0].repeats == (len(qrels) - len(by_hand(qrels, way)), len(run) - len(by_hand(run, way)))


QRELS = [('q2', 'a', 1), ('q2', 'b', 0), ('q1', 'b', 2), ('q2', 'a', 3), ('q1', 'a', 1), ('q1', 'b', 1)]
RUN = [('q1', 'x', 4.0), ('q1', 'b', 1.0), ('q1', 'a', 3.0), ('q1', 'b', 3.0), ('q1', 'b', 2.0), ('q2', 'a', 3.0), ('q2', 'c', 3.0),
       ('q2', 'a', 3.0)]


def test_it_makes_a_difference_which_row_counts():
    assert len({evaluate(list(QRELS), list(RUN), 'nDCG@3', duplicates=way).means['nDCG@3'] for way in WAYS}) == 3


@pytest.mark.parametrize('way', WAYS)
def test_all_forms_of_input_give_the_same(way, tmp_path):
    for ties in 'docid', 'given':
        expected = evaluate(by_hand(QRELS, way), by_hand(RUN, way), MEASURES, ties=ties)
        judgments, runs = dict(forms(QRELS, 'qrels', tmp_path)), dict(forms(RUN, 'run', tmp_path))
        for name in judgments:
            found = evaluate(judgments[name](), runs[name](), MEASURES, duplicates=way, ties=ties)
            same(found, expected)
            assert found.runs[0].repeats == (2, 3), name
            assert found.runs[0].reading == 'in one piece, without 3 rows of duplicate documents', name
        read = evaluate(Qrels(judgments['CSV'](), duplicates=way), Run(runs['TREC'](), duplicates=way), MEASURES, ties=ties)
        same(read, expected)
        assert read.runs[0].repeats == (2, 3) and read.conventions.duplicates == 'refuse'


@pytest.mark.parametrize('way', WAYS)
def test_a_json_object_may_name_a_document_twice_but_not_a_query(way, tmp_path):
    grouped = sorted(RUN, key=lambda row: row[0])
    path = put(tmp_path/'run.json', as_json(grouped))
    assert Run(path, duplicates=way).to_dict() == Run(by_hand(grouped, way)).to_dict()
    with pytest.raises(DataError, match=r"run.json: duplicate document 'b' in query 'q1'"): Run(path)
    wrong = {b'{"q1": {"a": 1}, "q1": {"b": 1}}': "duplicate key 'q1' in a JSON object",
             b'[{"query": "q", "query": "r", "doc_id": "d", "score": 1}]': "item 1: the column 'query' appears 2 times"}
    for text, words in wrong.items():
        with pytest.raises(DataError, match=words): Run(put(tmp_path/'run.json', text), duplicates=way)


def test_lists_of_documents_ranks_and_distances_are_deduplicated_too(tmp_path):
    for way, docs in ('first', ['a', 'b']), ('best', ['a', 'b']), ('last', ['b', 'a']):
        assert [*Run({'q': ['a', 'b', 'a']}, duplicates=way).to_dict()['q']] == docs, way
    near = [{'query': 'q', 'document': 'a', 'distance': 3}, {'query': 'q', 'document': 'a', 'distance': 1}]
    columns = {'query': 'query', 'document': 'document', 'score': 'distance'}
    assert Run(near, columns=columns, descending=False, duplicates='best').to_dict() == {'q': {'a': -1}}
    with pytest.raises(DataError, match='line 3 .and 1.*duplicate document'): Run(put(tmp_path/'run.txt', as_trec([RUN[1], RUN[2], RUN[1]], 'run')))


@pytest.mark.parametrize('way', WAYS)
def test_large_files_in_batches_give_the_result_of_one_piece(way, tmp_path):
    rows = [(f'q{i % 40}', f'd{i * 7 % 23}', i * 13 % 31) for i in range(4000)]
    for several in rows, sorted(rows, key=lambda row: row[0]):
        path = put(tmp_path/'run.txt', as_trec(several, 'run'))
        qrels = {q: {'d1': 1, 'd2': 2, 'd3': 0} for q, _, _ in several}
        expected = evaluate(qrels, by_hand(several, way), MEASURES)
        same(evaluate(qrels, path, MEASURES, duplicates=way, memory=16_000), expected)
        with pytest.raises(DataError, match='run.txt, line .* duplicate document .* in query'): evaluate(qrels, path, MEASURES, memory=16_000)


def test_what_only_looks_the_same_by_its_number_is_compared_by_its_bytes():
    rows = read_rows([('q', 'a', 1), ('q', 'b', 2), ('r', 'a', 3), ('q', 'a', 4), ('q', 'a-name-of-more-bytes', 5)], 'run')
    alike = np.zeros(len(rows), np.uint64)
    for way, left in ('first', [1, 2, 3, 5]), ('last', [2, 3, 4, 5]), ('best', [2, 3, 4, 5]):
        kept, keys = without_repeats(rows, alike, way)
        assert kept.value.tolist() == left and len(keys) == 4 and kept.repeats == 1
        np.testing.assert_array_equal(pair_keys(kept), pair_keys(read_rows(list(zip(*[
            [kept.query_ids[q] for q in kept.query], kept.doc.tolist(), left])), 'run')))


def test_without_duplicates_no_row_is_left_out_or_reported():
    qrels, run = {'q': {'a': 1}}, {'q': {'b': 2.0, 'a': 1.0}}
    for way in CHOICES['duplicates']:
        scores = evaluate(qrels, run, MEASURES, duplicates=way)
        assert scores.runs[0].repeats == (0, 0) and scores.runs[0].reading == 'in one piece'
        assert 'left out (duplicate documents)' not in ' '.join(repr(scores).split())
        assert Run(run, duplicates=way)._dicts, 'a dict of dicts holds no document twice, and stays one'
        assert evaluate(Qrels(qrels), Run(run), MEASURES, duplicates=way).means == scores.means


def test_number_of_removed_rows_is_in_the_text_and_in_json():
    scores = evaluate(list(QRELS), {'ours': list(RUN), 'theirs': {'q1': ['a']}}, 'AP', duplicates='last')
    text = ' '.join(repr(scores).split())
    assert '2 rows of the judgments left out (duplicate documents)' in text
    assert 'ours: 3 rows of the run left out (duplicate documents)' in text and 'theirs: 3 rows' not in text
    assert 'the last row of a duplicate document counts' in text
    single = ' '.join(repr(scores.run('ours')).split())
    assert '2 rows of the judgments left out (duplicate documents); 3 rows of the run left out' in single
    from irmetrics_nb.evaluation.scores import rendered_scores as render
    assert [one['repeats'] for one in json.loads(render(scores, 'json'))] == [{'qrels': 2, 'run': 3}, {'qrels': 2, 'run': 0}]


def test_parts_count_their_removed_rows():
    half = [[row for row in rows if row[0] == q] for q in ('q1', 'q2') for rows in (QRELS, RUN)]
    parts = [evaluate(half[i], half[i + 1], 'AP', part=True, duplicates='first') for i in (0, 2)]
    whole = evaluate(list(QRELS), list(RUN), 'AP', duplicates='first')
    together = Scores.concat(parts)
    assert together.means == whole.means and together.runs[0].repeats == whole.runs[0].repeats == (2, 3)
    assert evaluate([], list(RUN), 'AP', part=True, duplicates='first').runs[0].repeats == (0, 3)


@pytest.mark.parametrize('call', [
    lambda: evaluate({'q': {'a': 1}}, {'q': ['a']}, 'AP', duplicates='drop'), lambda: Run({'q': ['a']}, duplicates='all'),
    lambda: Qrels({'q': {'a': 1}}, duplicates=None), lambda: Run(Run({'q': ['a']}), duplicates='x'),
    lambda: report({'q': {'a': 1}}, {'q': ['a']}, 'AP', duplicates=True)])
def test_an_unknown_answer_is_refused(call):
    with pytest.raises(ValueError, match=f"duplicates must be {' or '.join(map(repr, CHOICES['duplicates']))}, not"): call()


@pytest.mark.parametrize('conventions', [None, 'trec_eval', 'trec_eval10', 'xgboost'])
def test_duplicates_are_an_error_without_the_option(conventions):
    for qrels, run in (QRELS, by_hand(RUN, 'first')), (by_hand(QRELS, 'first'), RUN):
        with pytest.raises(DataError, match='duplicate document .* in query'): evaluate(list(qrels), list(run), 'AP', conventions=conventions)
        assert evaluate(list(qrels), list(run), 'AP', conventions=conventions, duplicates='first').runs[0].repeats in ((2, 0), (0, 3))


# ---- other functions ----


@pytest.mark.parametrize('way', WAYS)
def test_comparisons_explanations_and_reports_see_the_same_rows(way, tmp_path):
    other = {'q1': ['a', 'b'], 'q2': ['c']}
    clean = by_hand(QRELS, way), by_hand(RUN, way)
    runs, cleaned = {'ours': list(RUN), 'other': other}, {'ours': clean[1], 'other': other}
    expected = evaluate(clean[0], cleaned, 'AP nDCG@3')
    compared = compare(list(QRELS), runs, 'AP nDCG@3', duplicates=way)
    assert [(pair.mean_a, pair.mean_b) for pair in compared.rows] == [(pair.mean_a, pair.mean_b) for pair in compare(expected).rows]
    assert {'the judgments: 2 rows left out (duplicate documents)', 'ours: 3 rows left out (duplicate documents)'} <= {*compared.notes}

    paths = put(tmp_path/'qrels.txt', as_trec(QRELS, 'qrels')), put(tmp_path/'run.txt', as_trec(RUN, 'run'))
    for qrels, run in (list(QRELS), list(RUN)), paths:
        why = explain('nDCG@3', qrels, run, 'q1', duplicates=way)
        assert why.text == explain('nDCG@3', *clean, 'q1').text and why.value == expected.run('ours')['nDCG@3'][expected.query_ids.index('q1')]
        rule = CHOICES['duplicates'][way]
        assert f'5 rows of judgments and run left out: {rule}.' in why.to_text().replace('\n', ' ')
        difference = explain_difference('AP', qrels, run, other, duplicates=way)
        assert difference.rows == explain_difference('AP', *clean, other).rows
        assert difference.query('q1').rows == explain_difference('AP', *clean, other).query('q1').rows
        found = report(qrels, {'ours': run, 'other': other}, 'AP nDCG@3', duplicates=way, checkup=qrels is not paths[0])
        assert found.scores.means == expected.means and [c.query for c in found.losses] == [c.query for c in report(clean[0], cleaned, 'AP nDCG@3').losses]
        assert 'rows of the run left out' in found.to_html()
    assert judge(Qrels(list(QRELS), duplicates=way), Run(list(RUN), duplicates=way)).rank.tolist() == judge(*clean).rank.tolist()


def test_the_check_up_still_counts_them_as_faults():
    assert 'duplicate' in {finding.code for finding in check(list(QRELS), list(RUN)).findings}


def test_commands_accept_duplicates_and_report_removed_rows(tmp_path):
    put(tmp_path/'qrels.txt', as_trec(QRELS, 'qrels')), put(tmp_path/'run.txt', as_trec(RUN, 'run'))
    put(tmp_path/'other.txt', b'q1 Q0 a 1 2 other\nq2 Q0 c 1 1 other\n')
    clean = evaluate(by_hand(QRELS, 'last'), by_hand(RUN, 'last'), 'AP')
    def call(*args, stdin=b''): return irmetrics(*args, cwd=tmp_path, stdin=stdin)
    last = '--duplicates', 'last'

    refused = call('evaluate', 'qrels.txt', 'run.txt')
    assert refused.returncode == 1 and 'qrels.txt, line 4 (and 1)' in refused.stderr and 'duplicate document' in refused.stderr
    done = call('evaluate', 'qrels.txt', 'run.txt', '-m', 'AP', '--format', 'json', '--verbose', *last)
    [found] = json.loads(done.stdout)
    assert found['means'] == clean.means and found['repeats'] == {'qrels': 2, 'run': 3}
    assert 'run.txt was read in one piece, without 3 rows of duplicate documents' in done.stderr
    for which, text in ('-', (tmp_path/'run.txt').read_bytes()), ('run.txt', b''):
        assert json.loads(call('evaluate', 'qrels.txt', which, '-m', 'AP', '--format', 'json', *last, stdin=text).stdout)[0]['means'] == clean.means

    compared = call('compare', 'qrels.txt', 'run.txt', 'other.txt', '-m', 'AP', *last)
    assert compared.returncode == 0 and '3 rows left out (duplicate documents)' in compared.stdout
    explained = call('explain', 'qrels.txt', 'run.txt', 'q1', '-m', 'AP', *last)
    assert explain('AP', by_hand(QRELS, 'last'), by_hand(RUN, 'last'), 'q1').text in explained.stdout and 'left out' in explained.stdout
    assert call('report', 'qrels.txt', 'run.txt', 'other.txt', '-m', 'AP', '-o', 'report.html', *last).returncode == 0
    assert 'the last row of a duplicate document counts' in (tmp_path/'report.html').read_text()
    for command in (['evaluate', 'qrels.txt', 'run.txt'], ['compare', 'qrels.txt', 'run.txt', 'other.txt'], ['explain', 'qrels.txt', 'run.txt', 'q1'],
                    ['report', 'qrels.txt', 'run.txt']):
        assert call(*command).returncode == 1
        wrong = call(*command, '--duplicates', 'drop')
        assert wrong.returncode == 2 and 'drop' in wrong.stderr


# ---- another tool ----


@given(_rows, _rows)
@settings(max_examples=40)
def test_ir_measures_preset_uses_the_last_row_of_a_document(qrels, run):
    qrels, run = [*qrels, ('both', 'a', 1)], [*run, ('both', 'a', 1)]
    asked = {'AP': AP, 'RR': RR, 'nDCG@3': nDCG@3, 'P@2': P@2, 'NumRet': NumRet, 'SetP': SetP, 'Bpref': Bpref}
    theirs = ir_measures.iter_calc(
        asked.values(), [ir_measures.Qrel(*row) for row in qrels], [ir_measures.ScoredDoc(q, d, float(x)) for q, d, x in run])
    theirs = {(value.query_id, str(value.measure)): value.value for value in theirs}
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        ours = evaluate(list(qrels), list(run), [*asked], conventions='ir_measures')
    for name, measure in asked.items():
        for query, value in zip(ours.query_ids, ours[name]): assert value == pytest.approx(theirs[query, str(measure)], abs=1e-9), (query, name)


TWICE = [('1', 'a', 1), ('1', 'b', 0), ('1', 'a', 2), ('1', 'b', 1)], [('1', 'x', 3.0), ('1', 'a', 2.5), ('1', 'y', 2.0), ('1', 'a', 1.0), ('1', 'b', 0.5)]


def of_ir_measures(*measures):
    "What ir_measures gives for judgments and a run that hold documents twice."
    qrels, run = TWICE
    found = ir_measures.calc_aggregate(measures, [ir_measures.Qrel(*row) for row in qrels], [ir_measures.ScoredDoc(*row) for row in run])
    return {str(measure): value for measure, value in found.items()}


def test_its_own_measures_take_the_last_row_too():
    assert evaluate(*TWICE, 'Judged@3 RR@4', conventions='ir_measures').means == of_ir_measures(Judged@3, RR@4)


@pytest.mark.skipif(not shutil.which('perl'), reason='gdeval is a Perl script')
def test_err_of_ir_measures_counts_a_duplicate_document_twice():
    # Rank 2 and, for those who went on, rank 4 again; gdeval rounds to five digits.
    assert of_ir_measures(ERR@4)['ERR@4'] == pytest.approx(1/16/2 + 15/16 * 1/16/4, abs=1e-5)


def test_reading_an_example_costs_no_row():
    example = load_example()
    path = example.folder/'runs'/'bm25.run.gz'
    assert Run(path, duplicates='best').to_dict() == Run(path).to_dict() and Run(path, duplicates='best').repeats == 0


# ---- subtopics ----

SubtopicRow = namedtuple('SubtopicRow', 'query_id doc_id relevance subtopic_id')
SUBTOPIC_ROWS = [SubtopicRow('1', 'd1', 1, '1'), SubtopicRow('1', 'd1', 2, '2'), SubtopicRow('1', 'd2', 0, '1')]


def subtopic_sources(folder):
    "Judgments of two subtopics in each form, and where and how the error says that they are."
    table = pl.DataFrame(SUBTOPIC_ROWS, orient='row')
    table.write_csv(folder/'qrels.csv')
    table.write_parquet(folder/'qrels.parquet')
    unused = "the column 'subtopic_id' of the judgments is not used"
    for grown in b'', b'# a comment\n\n', b'\xef\xbb\xbf':
        path = put(folder/f'qrels{len(grown)}', grown + b'1 1 d1 1\n1\t2\td1 2\r\n1 1 d2 0\n')
        line = 1 + grown.count(b'\n')
        yield path, f"{path}, line {line + 1} (and {line}): ", "column 2 differs ('1' and '2'), as for subtopics"
    yield table, 'the qrels: ', unused
    yield table.to_pandas(), 'the qrels: ', unused
    yield table.to_dicts(), 'the qrels: ', unused
    yield SUBTOPIC_ROWS, 'the qrels: ', unused
    yield folder/'qrels.parquet', f"{folder/'qrels.parquet'}: ", unused
    yield folder/'qrels.csv', f"{folder/'qrels.csv'}, line 3 (and 2): ", unused


@pytest.mark.parametrize('i', range(9))
def test_judgments_of_subtopics_are_never_called_duplicates(tmp_path, i):
    source, where, column = [*subtopic_sources(tmp_path)][i]
    with pytest.raises(DataError) as error: Qrels(source)
    text = str(error.value)
    assert text.startswith(f"{where}document 'd1' in query '1' is judged twice, but {column}; to read judgments of subtopics, write Qrels(source, subtopics=True)")
    assert 'duplicate' not in text and 'first' not in text
    found = check(source, {'1': ['d1', 'd2']})
    assert 'subtopics' in found.codes and 'duplicate' not in found.codes and 'duplicate' not in str(found)


def test_the_same_column_2_makes_a_duplicate(tmp_path):
    for qrels in b'1 1 d1 1\n1 1 d1 2\n', b'1 0 d1 1\n1 0 d1 1\n':
        with pytest.raises(DataError, match=r"line 2 \(and 1\): duplicate document 'd1' in query '1'; duplicates="):
            Qrels(put(tmp_path/'qrels', qrels))
    run = put(tmp_path/'run', b'1 Q0 d1 1 2 x\n1 Q1 d1 2 1 x\n')
    with pytest.raises(DataError, match='duplicate document'): Run(run)


# ---- a rule in two places ----

@pytest.mark.parametrize('side', ['judgments', 'run'])
def test_two_rules_for_duplicates_are_refused(side):
    rows = [('q', 'a', 1), ('q', 'b', 2), ('q', 'a', 3)]
    kind = Qrels if side == 'judgments' else Run
    def sources(table): return (table, {'q': ['b', 'a']}) if side == 'judgments' else ({'q': {'a': 1, 'b': 0}}, table)
    read = kind(rows, duplicates='first')
    for call in evaluate, report:
        with pytest.raises(ValueError, match=f"this {kind.__name__} was read with duplicates='first', which left out 1 row; duplicates='best' cannot"):
            call(*sources(read), 'AP', duplicates='best')
    for rule in 'refuse', 'first':
        assert evaluate(*sources(read), 'AP', duplicates=rule).means == evaluate(*sources(kind(rows[:2])), 'AP').means
    once = kind(rows[:2], duplicates='first')  # no row was left out
    assert evaluate(*sources(once), 'AP', duplicates='best').means == evaluate(*sources(kind(rows[:2])), 'AP').means


def test_tools_are_compared_on_a_run_with_a_rule_of_its_own():
    run = Run([('q', 'a', 1), ('q', 'b', 2), ('q', 'a', 3)], duplicates='first')  # b, a
    found = differ({'q': {'a': 1, 'b': 0}}, run, 'AP', a='ir_measures', b='trec_eval')
    assert str(found).startswith('AP: ir_measures 0.500000, trec_eval 0.500000')


_nasty = st.one_of(st.integers(-3, 5), st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([.1, .3, 1e308, -1e308, 5e-324, 2.**53 + 2]))


@given(st.lists(st.tuples(st.sampled_from(['q', 'r']), _docs, _nasty), min_size=1, max_size=25))
def test_the_mean_of_duplicates_is_the_exact_mean_rounded_once(rows):
    numbers = {}
    for query, doc, number in rows: numbers.setdefault(query, {}).setdefault(doc, []).append(Fraction(number))
    expected = {query: {doc: float(sum(values) / len(values)) for doc, values in docs.items()} for query, docs in numbers.items()}
    for make in Qrels, Run:
        read = make(list(rows), duplicates='mean')
        assert {q: {d: float(x) for d, x in docs.items()} for q, docs in read.to_dict().items()} == expected
        assert read.repeats == len(rows) - sum(map(len, expected.values()))
        assert read.to_dict() == make(list(rows)[::-1], duplicates='mean').to_dict()


def test_the_mean_of_several_judges_by_hand_and_by_the_command(tmp_path):
    # grades of a: (3 + 2 + 0) / 3 = 5/3; of b: 1, as a blank grade does not count; of 1 and "1": (2 + 1) / 2
    rows = [('q', 'a', 3), ('q', 'b', None), ('q', 'a', 2), ('q', 'b', 1), ('q', 'a', 0), ('q', 1, 2), ('q', '1', 1)]
    qrels = Qrels(rows, duplicates='mean')
    assert qrels.to_dict() == {'q': {'a': 5 / 3, 'b': 1, '1': 1.5}} and qrels.repeats == 3
    assert [str(note) for note in qrels.notes] == ['1 blank grade(s) in the judgments, counted as not judged']
    trec = put(tmp_path / 'judges.qrels', b'q 0 a 3\nq 0 b 1\nq 0 a 0\nq 0 b 0\n')
    run = put(tmp_path / 'a.run', b'q Q0 b 1 2 t\nq Q0 a 2 1.5 t\nq Q0 c 3 1 t\n')
    # mean grades a 1.5 and b .5: nDCG@2 = (.5 + 1.5 / log2 3) / (1.5 + .5 / log2 3)
    value = (.5 + 1.5 / np.log2(3)) / (1.5 + .5 / np.log2(3))
    scores = evaluate(trec, run, 'nDCG@2', duplicates='mean')
    assert scores.means == {'nDCG@2': pytest.approx(value)}
    assert 'the mean of its rows counts for a duplicate' in repr(scores)
    done = irmetrics('evaluate', trec, run, '-m', 'nDCG@2', '--duplicates', 'mean')
    assert done.returncode == 0 and f'{value:.4f}' in done.stdout and '2 rows of the judgments left out' in done.stdout.replace('\n', ' ')
    with pytest.raises(DataError, match='the mean of the scores inf and -inf is not a number'):
        Run([('q', 'a', np.inf), ('q', 'a', -np.inf)], duplicates='mean')
    assert Run([('q', 'a', np.inf), ('q', 'a', 1)], duplicates='mean').to_dict() == {'q': {'a': np.inf}}
    ranks = [{'query': 'q', 'doc_id': 'a', 'rank': 1}, {'query': 'q', 'doc_id': 'b', 'rank': 2}, {'query': 'q', 'doc_id': 'a', 'rank': 4}]
    assert Run(ranks, duplicates='mean').to_dict() == {'q': {'a': -2.5, 'b': -2}}
    with pytest.raises(ValueError, match="read with duplicates='mean', which left out 1 row"): Run(Run(ranks, duplicates='mean'), duplicates='first')


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3) | st.integers(0, 2**24) | st.just(2**32 - 1)), max_size=60))
def test_the_repeated_keys_are_those_of_two_rows_also_if_others_are_equal_in_half_of_their_bits(halves):
    keys = np.array([high << 32 | low for high, low in halves], np.uint64)
    counts = Counter(keys.tolist())
    assert repeated_keys(keys).tolist() == sorted((counts - Counter(counts.keys())).elements())
