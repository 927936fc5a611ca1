"Judgments and runs in the forms that people have: comments, other columns, ranks for scores, several runs, files saved."
import builtins
import contextlib
import io
import json
import math
import os
import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import pytrec_eval
from helpers import irmetrics, irmetrics_process, put
from hypothesis import example, given, settings
from hypothesis import strategies as st

import irmetrics_nb
from irmetrics_nb import DataError, DataWarning, Qrels, Run, Scores, check, evaluate, load_example
from irmetrics_nb.data import tables

GRADES = {f'q{q}': {f'd{d}': (q * d) % 3 for d in range(9)} for q in range(30)}
SCORES = {f'q{q}': {f'd{d}': 10 - (d * 7 + q) % 11 / 2 for d in range(9)} for q in range(30)}
QRELS_TEXT = ''.join(f'{q} 0 {d} {g}\n' for q, docs in GRADES.items() for d, g in docs.items())
RUN_TEXT = ''.join(f'{q} Q0 {d} 1 {s} tag\n' for q, docs in SCORES.items() for d, s in docs.items())
SMALL = 16_000  # bytes of memory, with which a run of a few kilobytes comes in batches
MEANS = evaluate(GRADES, SCORES, 'AP nDCG@5 RR').means


def table_of(done):
    "The means that the command printed as JSON, run by run."
    assert done.returncode == 0, done.stderr
    return {one['run']: one['means'] for one in json.loads(done.stdout)}


def ways(tmp_path, qrels_text, run_text):
    "What every way from two texts to means gives: in memory, in batches, on the command line."
    qrels, run = put(tmp_path/'qrels.txt', qrels_text.encode()), put(tmp_path/'run.txt', run_text.encode())
    yield evaluate(Qrels(qrels), Run(run), 'AP nDCG@5 RR').means
    yield evaluate(qrels, run, 'AP nDCG@5 RR').means
    yield evaluate(qrels, run, 'AP nDCG@5 RR', memory=SMALL).means
    [means] = table_of(irmetrics('evaluate', qrels, run, '-m', 'AP nDCG@5 RR', '--format', 'json')).values()
    yield means


# ---- comments ----

REMARKS = ['# by bm25, 2026\n', '#\n', ' \t # indented\n', '# 6 fields in this one\n', '# 0 d 1\n', '##\n']


def with_remarks(text, every=7):
    "A text with comments in front, among the lines and at the end."
    lines = text.splitlines(keepends=True)
    among = [line + (REMARKS[i % len(REMARKS)] if i % every == 0 else '') for i, line in enumerate(lines)]
    return ''.join(REMARKS) + ''.join(among) + '# the end'


def test_lines_that_begin_with_a_hash_change_nothing_by_any_way(tmp_path):
    for means in ways(tmp_path, with_remarks(QRELS_TEXT), with_remarks(RUN_TEXT)): assert means == MEANS
    assert Run(tmp_path/'run.txt').to_dict() == SCORES and Qrels(tmp_path/'qrels.txt').to_dict() == GRADES


@pytest.mark.parametrize('remark', ['# a b', '#', '\t#x', '# Q0 d 1 2 tag', '#1 2 3 4 5 6 7 8 9'])
def test_a_file_that_is_tidy_but_for_one_comment_is_read(tmp_path, remark):
    for at in (0, 1, 2):
        lines = ['q Q0 a 1 2 tag', 'q Q0 b 2 1 tag']
        lines.insert(at, remark)
        assert Run(put(tmp_path/'run', '\n'.join(lines).encode())).to_dict() == {'q': {'a': 2, 'b': 1}}


def test_comments_are_counted(tmp_path):
    qrels, run = put(tmp_path/'qrels', with_remarks(QRELS_TEXT).encode()), put(tmp_path/'run', with_remarks(RUN_TEXT).encode())
    count = len(REMARKS) + len(range(0, 270, 7)) + 1
    said = f'without {count} comment lines'
    assert evaluate(qrels, run, 'AP').runs[0].reading == f'in one piece, {said}'
    batches = evaluate(qrels, run, 'AP', memory=SMALL).runs[0].reading
    assert batches.endswith(f'batches, {said}') and batches.startswith('in ')
    assert Qrels(qrels).rows.comments.count == Run(run).rows.comments.count == count
    found = check(qrels, run)
    assert [f.text for f in found.findings if f.code == 'comments'] == [f'comment lines, left out: {count}'] * 2
    done = irmetrics('evaluate', qrels, run, '--verbose')
    assert f'run was read in one piece, {said}' in done.stderr


def test_one_comment_is_one_line(tmp_path):
    run = put(tmp_path/'run', b'# x\nq Q0 a 1 2 tag\n')
    assert evaluate({'q': {'a': 1}}, run, 'AP').runs[0].reading == 'in one piece, without 1 comment line'


DOUBTFUL = {'qrels': '#q1 0 d1 1', 'run': '#q1 Q0 d1 1 2.5 tag'}


@pytest.mark.parametrize('kind', DOUBTFUL)
def test_comment_that_looks_like_a_row_warns_with_its_line(tmp_path, kind):
    texts = {'qrels': QRELS_TEXT, 'run': RUN_TEXT}
    lines = texts[kind].splitlines()
    texts[kind] = '\n'.join([*lines[:100], DOUBTFUL[kind], '#other ' + DOUBTFUL[kind][4:], *lines[100:], ''])
    paths = {k: put(tmp_path/f'{k}.txt', text.encode()) for k, text in texts.items()}
    words = f'{paths[kind]}, line 101: this comment looks like a row: {DOUBTFUL[kind]!r}; lines that begin with # are not read'
    make = {'qrels': Qrels, 'run': Run}[kind]
    calls = [lambda: make(paths[kind]), lambda: evaluate(*paths.values(), 'AP'), lambda: evaluate(*paths.values(), 'AP', memory=SMALL)]
    for call in calls:
        with warnings.catch_warnings(record=True, action='always') as seen: call()
        assert [(str(w.message), w.category) for w in seen] == [(words, DataWarning)]
    done = irmetrics('evaluate', *paths.values(), '-m', 'AP')
    assert done.returncode == 0 and done.stderr == f'irmetrics: warning: {words}\n'
    finding = next(f for f in check(*paths.values()).findings if f.code == 'comment-row')
    assert finding.examples == (words,) and finding.level == 'warning'


@pytest.mark.parametrize('grades', [{'q': {'x': 1}}, {'q': {f'x{i}': 1 / i for i in range(3, 20)}}], ids=['nothing judged', 'like scores'])
@pytest.mark.parametrize('options', [{}, {'memory': SMALL}], ids=['in one piece', 'in batches'])
def test_comment_warning_appears_once_if_a_file_is_read_twice(tmp_path, grades, options):
    rows = b''.join(b'q%s Q0 a%d 1 %d.5 tag\n' % (b'%d' % i if i else b'', i, i) for i in range(999))
    run = put(tmp_path/'run', b'#p Q0 a 1 2 tag\n' + rows)
    with warnings.catch_warnings(record=True, action='always') as seen: evaluate(grades, run, 'AP', **options)
    said = [str(w.message) for w in seen]
    assert sum('this comment looks like a row' in text for text in said) == 1
    assert sum('no judged document was retrieved' in text for text in said) == 1


@pytest.mark.parametrize('remark', ['# 0 d1 1', '#q1 0 d1', '#q1 0 d1 1 x', '#q1 0 d1 good', '#q1 0 d1 nan', '#q1 0 d1 1_0', '#q1 0 d1 inf'])
def test_a_comment_that_could_not_be_a_row_is_no_reason_to_warn(tmp_path, remark):
    assert Qrels(put(tmp_path/'qrels', f'{remark}\nq 0 d 1\n'.encode())).to_dict() == {'q': {'d': 1}}


def test_scattered_queries_with_comments_come_in_parts_and_are_the_same(tmp_path):
    lines = sorted(RUN_TEXT.splitlines(keepends=True), key=lambda line: hash(line.split()[2]))
    lines.insert(len(lines) // 2, '#q1 Q0 d1 1 2.5 tag\n')
    run = put(tmp_path/'run.txt', with_remarks(''.join(lines)).encode())
    with warnings.catch_warnings(record=True, action='always') as seen: scores = evaluate(GRADES, run, 'AP nDCG@5 RR', memory=SMALL)
    assert scores.means == MEANS and 'parts' in scores.runs[0].reading and scores.runs[0].reading.endswith('comment lines')
    assert len(seen) == 1 and 'looks like a row' in str(seen[0].message)


def test_an_error_behind_comments_counts_their_lines(tmp_path):
    text = with_remarks(RUN_TEXT) + '\nq1 Q0 d1 1 high tag\n'
    run = put(tmp_path/'run.txt', text.encode())
    line = text.count('\n')
    for call in (lambda: Run(run), lambda: evaluate(GRADES, run, 'AP', memory=SMALL)):
        with pytest.raises(DataError, match=f"line {line}: the score 'high' is not a number"): call()
    assert any(f'line {line}: the score' in example for f in check(GRADES, run).findings for example in f.examples)


def test_file_with_only_comments_has_no_rows(tmp_path):
    with pytest.raises(DataError, match='there are no rows in this file'): Run(put(tmp_path/'run', b'# a\n#b\n'))


def test_a_comment_with_commas_is_not_the_header_of_a_table(tmp_path):
    run = put(tmp_path/'run', b'#,query_id,doc_id,score\nq Q0 a 1 2 tag\n')
    assert Run(run).to_dict() == {'q': {'a': 2}}


@settings(max_examples=60)
@given(st.lists(st.sampled_from([*REMARKS, '\n', 'q Q0 {} 1 2 t\n', ' q\tQ0  {} 1 2 t w\r\n', 'p Q0 {} 1 2 t\n']), max_size=20), st.integers(1, 60))
@example(['# 6 fields in this one\n', 'q Q0 {} 1 2 t\n'], 1)
def test_comments_anywhere_and_pieces_of_any_size_give_the_rows_and_the_count(lines, piece):
    import irmetrics_nb.data.text as text
    from irmetrics_nb.data.ids import PAD
    from irmetrics_nb.data.sources import rows_from_bytes
    data = ''.join(line.format(f'd{i}') for i, line in enumerate(lines)).encode()
    wanted = [(line.split()[0], f'd{i}') for i, line in enumerate(lines) if '{}' in line]
    before, text.PIECE_BYTES = text.PIECE_BYTES, piece
    try: rows = rows_from_bytes(np.frombuffer(data + bytes(PAD), np.uint8).copy(), 'run', 'run')
    except DataError: assert not wanted
    else:
        assert [(rows.query_ids[q], d) for q, d in zip(rows.query, rows.doc.tolist())] == wanted
        assert rows.comments.count == sum(line.lstrip().startswith('#') for line in lines)
    finally: text.PIECE_BYTES = before


# ---- numbers ----

@pytest.mark.parametrize('kind', ['qrels', 'run'])
@pytest.mark.parametrize('number', ['1_0', '1_000.5', '1e1_0', '_1'])
def test_an_underscore_makes_no_number_in_any_form(tmp_path, kind, number):
    make, what = {'qrels': (Qrels, 'grade'), 'run': (Run, 'score')}[kind]
    column = {'qrels': 'relevance', 'run': 'score'}[kind]
    text = {'qrels': f'q 0 d 1\nq 0 e {number}\n', 'run': f'q Q0 d 1 1 t\nq Q0 e 2 {number} t\n'}[kind]
    sources = {
        'line 2': [put(tmp_path/'text', text.encode())],
        'line 3': [put(tmp_path/'table.csv', f'qid,docno,{column}\nq,d,1\nq,e,{number}\n'.encode())],
        "query 'q', document 'e'": [
            put(tmp_path/'dict.json', json.dumps({'q': {'d': 1, 'e': number}}).encode()), {'q': {'d': 1, 'e': number}},
            put(tmp_path/'rows.json', json.dumps([['q', 'd', 1], ['q', 'e', number]]).encode()), [('q', 'd', 1), ('q', 'e', number)],
            {'q': {'d': 1, 'e': number.encode()}}, pl.DataFrame({'qid': ['q', 'q'], 'docno': ['d', 'e'], column: ['1', number]}),
            pd.DataFrame({'qid': ['q', 'q'], 'docno': ['d', 'e'], column: [1, number]})],
    }
    for where, given_so in sources.items():
        for source in given_so:
            with pytest.raises(DataError) as error: make(source)
            assert where in str(error.value) and what in str(error.value) and number in str(error.value)
    other = {'q': {'d': 1, 'e': 0}}
    given_both = (sources['line 2'][0], other) if kind == 'qrels' else (other, sources['line 2'][0])
    with pytest.raises(DataError, match=f"{what} '{number}' is not a number"): evaluate(*given_both, 'AP', memory=SMALL)
    assert 'number' in check(*given_both).codes


# ---- words behind the tag ----

def test_words_behind_the_tag_are_no_part_of_a_row(tmp_path):
    text = ''.join(line.rstrip() + ' of our group'[:5 * (i % 3)] + '\n' for i, line in enumerate(RUN_TEXT.splitlines()))
    assert {len(line.split()) for line in text.splitlines()} == {6, 8, 9}
    for means in ways(tmp_path, QRELS_TEXT, text): assert means == MEANS
    assert Run(tmp_path/'run.txt').name == 'tag'
    assert check(GRADES, tmp_path/'run.txt').codes == check(GRADES, put(tmp_path/'plain.txt', RUN_TEXT.encode())).codes


def test_a_run_with_words_behind_the_tag_scores_as_trec_eval_scores_its_rows(tmp_path):
    text = RUN_TEXT.replace(' tag', ' tag by us')
    measured = pytrec_eval.RelevanceEvaluator(GRADES, {'map', 'recip_rank'}).evaluate(SCORES)
    scores = evaluate(GRADES, put(tmp_path/'run', text.encode()), 'AP RR').to_dict()
    for q, values in measured.items():
        assert scores[q] == {'AP': pytest.approx(values['map'], abs=1e-12), 'RR': pytest.approx(values['recip_rank'], abs=1e-12)}


@pytest.mark.parametrize('line', ['q Q0 my d 1 2.5 tag', 'q Q0 d 1.5 2.5 tag more', 'q Q0 d 1 high tag more', 'q Q0 d inf 2.5 tag more',
                                  'q Q0 d 1 nan tag more', 'q Q0 d 1_0 2.5 tag more', 'my q Q0 d 1 2.5 tag', 'q Q0 d 1 1 2.5 tag', 'q Q0 d 1 2.5 -inf tag',
                                  'q Q0 d 1 2.5 tag\rq Q0 e 2 1.5 tag\rq Q0 f 3 1.5 tag'])
def test_ambiguous_line_with_extra_columns_is_an_error(tmp_path, line):
    run = put(tmp_path/'run', (RUN_TEXT + line + '\n').encode())
    words = f'line 271: {len(line.split())} columns, but a run has 6'
    for call in (lambda: Run(run), lambda: evaluate(GRADES, run, 'AP', memory=SMALL)):
        with pytest.raises(DataError, match=words): call()
    done = irmetrics('evaluate', put(tmp_path/'qrels', QRELS_TEXT.encode()), run)
    assert done.returncode == 1 and words in done.stderr
    assert 'columns' in check(GRADES, run).codes


def test_judgments_with_words_behind_are_refused(tmp_path):
    with pytest.raises(DataError, match='line 1: 5 columns, but judgments have 4'): Qrels(put(tmp_path/'q', b'q 0 d 1 sure\n'))


# ---- ranks for scores ----

RANKED = {q: sorted(docs, key=lambda d: (docs[d], d), reverse=True) for q, docs in SCORES.items()}
ROWS = [(q, d, r) for q, docs in RANKED.items() for r, d in enumerate(docs, 1)]
THREE = ''.join(f'{q}\t{d}\t{r}\n' for q, d, r in ROWS)
COLUMNS = {'query': 'q', 'document': 'url', 'score': 'position'}


def test_three_columns_are_query_document_and_rank(tmp_path):
    for text in (THREE, with_remarks(THREE), ''.join(sorted(THREE.splitlines(keepends=True), key=lambda x: x[::-1]))):
        for means in ways(tmp_path, QRELS_TEXT, text): assert means == MEANS
        assert check(GRADES, tmp_path/'run.txt').ok
    assert evaluate(GRADES, tmp_path/'run.txt', 'AP', memory=SMALL).runs[0].reading.startswith('in one piece')


@pytest.mark.parametrize('rows', ['q a 1\nq b 3\n', 'q a 1\nq b 1\n', 'q a 0\nq b 1\n', 'q a 1\np b 2\n', 'q a 2\nq b 3\n', 'q a 1\nq b 2.5\n',
                                  'q a 10\nq b 9\n'])
def test_a_third_column_that_is_not_1_to_n_is_refused_and_asks_what_it_is(tmp_path, rows):
    run = put(tmp_path/'run.txt', rows.encode())
    for call in (lambda: Run(run), lambda: evaluate({'q': {'a': 1}}, run, 'AP'), lambda: evaluate({'q': {'a': 1}}, run, 'AP', memory=10)):
        with pytest.raises(DataError, match='columns=') as error: call()
        assert str(error.value).startswith(f'{run}, line ')
    done = irmetrics('evaluate', put(tmp_path/'qrels', b'q 0 a 1\n'), run)
    assert done.returncode == 1 and '--run-columns query=1,document=2,score=3' in done.stderr
    assert check({'q': {'a': 1}}, run).codes[0] == 'refused'
    places = {'query': 1, 'document': 2, 'score': 3}
    assert list(Run(run, columns=places).to_dict()['q'].items())[0] == ('a', float(rows.split()[2]))
    assert Run(run, columns=places, descending=False).to_dict()['q']['a'] == -float(rows.split()[2])


def test_three_columns_of_which_the_third_is_a_score_are_refused_at_the_first_line(tmp_path):
    with pytest.raises(DataError, match='line 1: 3 columns, but a run has 6 .*columns='): Run(put(tmp_path/'run', b'q a 2.5\nq b 1.5\n'))


def frames():
    columns = dict(zip(COLUMNS.values(), zip(*ROWS)))
    return [pl.DataFrame(columns), pl.DataFrame(columns).lazy(), pd.DataFrame(columns), pl.DataFrame(columns).to_arrow()]


@pytest.mark.parametrize('form', ['polars', 'lazy', 'pandas', 'arrow', 'csv', 'tsv', 'parquet', 'json', 'records'])
def test_columns_of_any_name_and_positions_for_scores(tmp_path, form):
    polars, lazy, pandas, arrow = frames()
    sources = {'polars': polars, 'lazy': lazy, 'pandas': pandas, 'arrow': arrow, 'records': polars.to_dicts()}
    path = tmp_path/f'run.{form}'
    if form == 'csv': polars.write_csv(path)
    if form == 'tsv': polars.write_csv(path, separator='\t')
    if form == 'parquet': polars.write_parquet(path)
    if form == 'json': path.write_text(json.dumps(polars.to_dicts()))
    run = Run(sources.get(form, path), columns=COLUMNS, descending=False, name='mine')
    assert run.to_dict() == {q: {d: -r for r, d in enumerate(docs, 1)} for q, docs in RANKED.items()}
    assert evaluate(GRADES, run, 'AP nDCG@5 RR').means == MEANS and run.name == 'mine'
    with pytest.raises(DataError, match="no column 'place'"): Run(sources.get(form, path), columns=COLUMNS | {'score': 'place'})


@pytest.mark.parametrize('form', ['polars', 'pandas', 'csv', 'tsv', 'parquet', 'json', 'records', 'large parquet'])
def test_a_table_with_a_rank_and_no_score_is_read_by_its_rank(tmp_path, form):
    table = pl.DataFrame({'query_id': [r[0] for r in ROWS], 'Doc-ID': [r[1] for r in ROWS], 'rank': [r[2] for r in ROWS]})
    sources = {'polars': table, 'pandas': pd.DataFrame(table.to_dict(as_series=False)), 'records': table.to_dicts()}
    path = tmp_path/f'run.{form.split()[-1]}'
    if form == 'csv': table.write_csv(path)
    if form == 'tsv': table.write_csv(path, separator='\t')
    if form.endswith('parquet'): table.write_parquet(path)
    if form == 'json': path.write_text(json.dumps(table.to_dicts()))
    source = sources.get(form, path)
    assert evaluate(GRADES, source, 'AP nDCG@5 RR', memory=SMALL if form[0] == 'l' else None).means == MEANS
    assert Run(source).to_dict() == Run(source, descending=False).to_dict()
    assert check(GRADES, source).ok
    if isinstance(source, os.PathLike):
        done = irmetrics('evaluate', put(tmp_path/'qrels', QRELS_TEXT.encode()), source, '-m', 'AP nDCG@5 RR', '--format', 'json')
        assert list(table_of(done).values()) == [MEANS]


def test_a_score_is_preferred_to_a_rank():
    assert Run([{'qid': 'q', 'docno': 'd', 'rank': 7, 'score': 2.5}]).to_dict() == {'q': {'d': 2.5}}


def test_records_of_which_some_have_a_score_and_others_a_rank_are_refused():
    with pytest.raises(DataError, match='item 2: some records have a score, others only a rank'):
        Run([{'qid': 'q', 'docno': 'd', 'score': 1}, {'qid': 'q', 'docno': 'e', 'rank': 2}])


def test_the_check_up_of_a_faulty_table_of_ranks_puts_the_least_first(tmp_path):
    from irmetrics_nb.data.errors import collect_faults
    run = put(tmp_path/'run.csv', b'qid,docno,rank\nq,a,1\nq,b,x\nq,c,3\nq\n')
    with collect_faults() as faults: table = Run(run).rows
    assert table.value.tolist() == [-1, -3] and {*faults} == {'number', 'columns'}
    path = put(tmp_path/'run.txt', b'# x\nq a 1\nq b 2\nq c\n')
    with collect_faults() as faults: text = Run(path).rows
    assert faults == {'columns': [f'{path}, line 4: 2 columns, but the first line has 3']}
    assert text.value.tolist() == [-1, -2] and text.comments.count == 1


def test_columns_of_text_are_places_from_1_or_the_names_of_trec(tmp_path):
    four = put(tmp_path/'four', b'2.5 q d1 x\n1.5 q d2 y\n')
    assert Run(four, columns={'query': 2, 'document': 3, 'score': 1}).to_dict() == {'q': {'d1': 2.5, 'd2': 1.5}}
    trec = put(tmp_path/'trec', b'q Q0 d1 2 9 t\nq Q0 d2 1 8 t\n')
    assert Run(trec, columns={'score': 'rank'}, descending=False).to_dict() == {'q': {'d1': -2, 'd2': -1}}
    assert Run(trec, columns={'score': 4}, descending=False).to_dict() == {'q': {'d1': -2, 'd2': -1}}
    two = put(tmp_path/'qrels', b'q d1 1\nq d2 0\n')
    assert Qrels(two, columns={'query': 1, 'document': 2, 'relevance': 3}).to_dict() == {'q': {'d1': 1, 'd2': 0}}
    with pytest.raises(DataError, match='line 2: 2 columns, but the first line has 3'):
        Qrels(put(tmp_path/'short', b'q d1 1\nq d2\n'), columns={'query': 1, 'document': 2, 'relevance': 3})
    for wrong in ({'score': 5}, {'score': 0}, {'score': 'distance'}, {'query': 2, 'document': 3, 'score': True + 8}):
        with pytest.raises(DataError, match='no column'): Run(four, columns={'query': 2, 'document': 3} | wrong)
    with pytest.raises(DataError, match="no column 'the score'"): Run(four, columns={'query': 2, 'document': 3})


@pytest.mark.parametrize('form', ['polars', 'pandas', 'csv', 'parquet', 'json', 'records', 'columns', 'trec'])
def test_rank_column_has_ranks_unless_descending_is_true(tmp_path, form):
    table = pl.DataFrame({'query_id': ['q', 'q'], 'doc_id': ['a', 'b'], 'rank': [1, 2]})
    path = tmp_path/f'run.{form}'
    if form == 'csv': table.write_csv(path)
    if form == 'parquet': table.write_parquet(path)
    if form == 'json': path.write_text(json.dumps(table.to_dicts()))
    if form == 'trec': path.write_text('q Q0 a 1 7 t\nq Q0 b 2 9 t\n')
    source = {'polars': table, 'pandas': table.to_pandas(), 'records': table.to_dicts(), 'columns': table.to_dict(as_series=False)}.get(form, path)
    best, last = {'q': {'a': -1, 'b': -2}}, {'q': {'a': 1, 'b': 2}}
    for key in 'score', 'rank':
        columns = {key: 'rank'}
        assert Run(source, columns=columns).to_dict() == Run(source, columns=columns, descending=False).to_dict() == best
        assert Run(source, columns=columns, descending=True).to_dict() == last
    if form == 'trec': return
    assert Run(source).to_dict() == Run(source, descending=False).to_dict() == best
    assert Run(source, descending=True).to_dict() == last
    assert evaluate({'q': {'a': 1}}, {'x': source, 'y': Run(source, descending=True)}, 'RR').means == {'x': {'RR': 1}, 'y': {'RR': .5}}


@pytest.mark.parametrize('piped', [False, True], ids=['file', 'pipe'])
def test_the_command_reads_a_column_named_rank_as_ranks(tmp_path, piped):
    put(tmp_path/'qrels', b'q 0 a 1\n')
    run = put(tmp_path/'run.csv', b'query_id,doc_id,rank\nq,a,1\nq,b,2\n')
    for columns in ['--run-columns', 'score=rank'], ['--run-columns', 'rank=rank'], []:
        done = irmetrics('evaluate', 'qrels', '-' if piped else 'run.csv', '-m', 'RR', '--format', 'csv', *columns, cwd=tmp_path,
                         stdin=run.read_bytes() if piped else b'')
        assert '1.0' in done.stdout and '0.5' not in done.stdout, columns


def test_hits_keep_their_order_with_descending_true():
    answer = {'q': {'hits': {'hits': [{'_id': 'a'}, {'_id': 'b'}]}}}
    assert Run(answer, descending=True).to_dict() == Run(answer).to_dict() == {'q': {'a': -1, 'b': -2}}


@pytest.mark.parametrize('wrong', [{}, {'relevance': 'x'}, {'colour': 'x'}, 'score', ['q'], {'score': None}, {'score': 1.5}])
def test_invalid_columns_are_an_error(wrong):
    with pytest.raises(ValueError, match="columns must have the form {'query': name, 'document': name, 'score': name}"):
        Run(pl.DataFrame({'qid': ['q'], 'docno': ['d'], 'score': [1]}), columns=wrong)


@pytest.mark.parametrize('source', [{'q': {'d': 1}}, {'q': ['d']}, [('q', 'd', 1)]])
def test_columns_for_data_without_columns_are_an_error(source):
    with pytest.raises(DataError, match='columns= works for tables, text and records'): Run(source, columns={'score': 'x'})


def test_the_least_may_be_best_in_every_form():
    for source in ({'q': {'a': 2, 'b': 1}}, [('q', 'a', 2), ('q', 'b', 1)]):
        assert Run(source, descending=False).to_dict() == {'q': {'a': -2, 'b': -1}}
    with pytest.raises(ValueError, match='is already read'): Run(Run({'q': {'a': 2}}), descending=False)
    with pytest.raises(ValueError, match='is already read'): Qrels(Qrels({'q': {'a': 2}}), columns={'query': 'q'})


# ---- several runs ----

OTHER = {q: docs[::-1] for q, docs in RANKED.items() if q != 'q7'}


def test_a_dict_of_runs_by_name_is_one_table():
    both = evaluate(GRADES, {'ours': SCORES, 'theirs': OTHER}, 'AP nDCG@5 RR')
    assert isinstance(both, Scores) and list(both.means) == ['ours', 'theirs'] and both.means['ours'] == MEANS
    alone = evaluate(GRADES, OTHER, 'AP nDCG@5 RR')
    assert both.run('theirs').to_dict() == alone.to_dict() and both['AP'].shape == (2, 30)
    assert [info.missing for info in both.runs] == [0, 1] and 'theirs' in str(both)


def test_every_form_can_be_in_a_list_or_under_a_name(tmp_path):
    text = put(tmp_path/'a.txt', RUN_TEXT.encode())
    triples = [(q, d, s) for q, docs in SCORES.items() for d, s in docs.items()]
    table = pl.DataFrame(triples, ['qid', 'docno', 'score'], orient='row')
    forms = {'path': text, 'text': str(text), 'dict': SCORES, 'lists': RANKED, 'rows': triples, 'records': table.to_dicts(), 'run': Run(text),
             'polars': table, 'pandas': pd.DataFrame(triples, columns=['qid', 'docno', 'score']), 'iterator': iter(triples)}
    named = evaluate(GRADES, forms, 'AP nDCG@5 RR')
    assert named.means == dict.fromkeys(forms, MEANS)
    forms['iterator'] = iter(triples)
    listed = evaluate(GRADES, [*forms.values()], 'AP nDCG@5 RR')
    assert list(listed.means.values()) == [MEANS] * len(forms)
    assert [*listed.means][:3] == [f'tag ({text})', f'tag ({text}) (2)', 'run 3'] and len(listed.means) == len(forms)
    assert evaluate(GRADES, (text, SCORES), 'AP').means.keys() == {'tag', ''}  # a tuple, and no two of one name


def test_a_list_or_a_dict_of_one_run_is_several():
    for runs in ([SCORES], {'ours': SCORES}):
        scores = evaluate(GRADES, runs, 'AP')
        assert not scores.is_single and list(scores.means.values()) == [{'AP': MEANS['AP']}]


@pytest.mark.parametrize('run', [SCORES, RANKED, {'q1': {'d1': 1}, 'q2': {}}, {'q1': ['d1'], 'q2': []}, [('q1', 'd1', 1.0)], [['q1', 'd1', 1.0]],
                                 [{'query_id': 'q1', 'doc_id': 'd1', 'score': 1}], (('q1', 'd1', 1.0),), iter([('q1', 'd1', 1.0)])])
def test_single_run_is_not_read_as_several_runs(run):
    assert evaluate(GRADES, run, 'AP').is_single


@pytest.mark.parametrize('runs', [{'a': SCORES, 'q1': {'d1': 1.0}}, {'q1': ['d1'], 'a': SCORES}, [SCORES, ('q1', 'd1', 1.0)], {'a': SCORES, 'b': 5}])
def test_mixture_of_one_and_several_runs_is_an_error(runs):
    for call in (evaluate, check):
        with pytest.raises(ValueError, match='one run or several'): call(GRADES, runs)


def test_judgments_among_the_runs_are_refused():
    with pytest.raises(ValueError, match='swapped'): evaluate(GRADES, {'a': SCORES, 'b': Qrels(GRADES)})


@pytest.mark.parametrize('said', [{}, {'score_dtype': 'float32'}, {'duplicates': 'last'}, {'conventions': 'trec_eval'}])
def test_swapped_sources_are_refused_whatever_is_done_to_the_rows_of_a_run(said):
    scores = {q: {d: s + .25 for d, s in docs.items()} for q, docs in SCORES.items()}
    with pytest.raises(ValueError, match='swapped'): evaluate(Qrels(scores), GRADES, 'AP', **said)
    assert evaluate(Qrels(scores), Run(GRADES), 'AP', **said).means['AP'] > 0  # somebody who is sure


def test_errors_name_the_run_or_the_file(tmp_path):
    bad = {'q1': {'d1': 'high'}}
    with pytest.raises(DataError, match="^theirs: the run, query 'q1'"): evaluate(GRADES, {'ours': SCORES, 'theirs': bad})
    with pytest.raises(DataError, match="^run 2: the run, query 'q1'"): evaluate(GRADES, [SCORES, bad])
    path = put(tmp_path/'bad.txt', b'q1 Q0 d1 1 high t\n')
    with pytest.raises(DataError, match=f'^{path}, line 1'): evaluate(GRADES, {'ours': SCORES, 'theirs': path})
    with pytest.raises(DataError, match='no such file'): evaluate(GRADES, [tmp_path/'none.txt'])


def test_judgments_are_read_once_for_all_runs(tmp_path, monkeypatch):
    import irmetrics_nb.data.sources as files
    qrels, opened, usual = put(tmp_path/'qrels.txt', QRELS_TEXT.encode()), [], files.open_bytes
    monkeypatch.setattr(files, 'open_bytes', lambda path: opened.append(str(path)) or usual(path))
    evaluate(qrels, {'a': SCORES, 'b': OTHER, 'c': RANKED}, 'AP')
    assert opened == [str(qrels)]


def test_qrels_warn_once_and_warnings_about_a_run_name_it():
    rates = {q: {d: g / 10 for d, g in docs.items()} for q, docs in GRADES.items()}
    strange = {q: {f'x{d}': s for d, s in docs.items()} for q, docs in SCORES.items()}
    with warnings.catch_warnings(record=True, action='always') as seen: evaluate(rates, {'a': SCORES, 'b': OTHER, 'odd': strange}, 'AP')
    said = [str(w.message) for w in seen]
    assert len(said) == 2 and 'relevance level 1' in said[0] and said[1].startswith("run 'odd': no judged document")
    assert {w.filename for w in seen} == {__file__}


def test_missing_queries_of_several_runs_are_aligned_by_id():
    both = evaluate(GRADES, {'ours': SCORES, 'theirs': OTHER}, 'AP', missing='skip')
    assert np.isnan(both['AP'][1][both.query_ids.index('q7')]) and len(both.run('theirs')) == 29


def test_parts_of_several_runs_are_put_together():
    def part(source, half): return {q: docs for q, docs in source.items() if (int(q[1:]) < 15) == half}
    parts = [evaluate(part(GRADES, h), {'a': part(SCORES, h), 'b': part(OTHER, h)}, 'AP RR', part=True) for h in (True, False)]
    whole = evaluate(GRADES, {'a': SCORES, 'b': OTHER}, 'AP RR')
    together = Scores.concat(parts)
    assert together.query_ids == whole.query_ids and np.array_equal(together.values, whole.values)


def test_progress_of_several_files_is_of_all_their_bytes(tmp_path):
    paths, told = [put(tmp_path/f'{name}.txt', RUN_TEXT.encode()) for name in 'ab'], []
    evaluate(GRADES, paths, 'AP', memory=SMALL, progress=lambda *so_far: told.append(so_far))
    done, total = zip(*told)
    assert {*total} == {2 * len(RUN_TEXT)} and list(done) == sorted(done) and done[-1] == total[-1]


def test_several_runs_in_batches_and_on_the_command_line_give_the_same(tmp_path):
    qrels = put(tmp_path/'qrels.txt', QRELS_TEXT.encode())
    paths = [put(tmp_path/'a.txt', RUN_TEXT.encode()), put(tmp_path/'b.txt', RUN_TEXT.replace(' tag', ' other').encode())]
    scores = evaluate(qrels, paths, 'AP nDCG@5 RR', memory=SMALL)
    assert scores.means == {'tag': MEANS, 'other': MEANS} and all('batches' in info.reading for info in scores.runs)
    assert table_of(irmetrics('evaluate', qrels, *paths, '-m', 'AP nDCG@5 RR', '--format', 'json')) == scores.means
    twice = table_of(irmetrics('evaluate', qrels, paths[0], paths[0], '-m', 'AP', '--format', 'json'))
    assert list(twice) == [f'tag ({paths[0]})', f'tag ({paths[0]}) (2)']


def test_the_runs_of_the_example_in_one_call():
    example = load_example()
    scores = evaluate(example.qrels, example.runs, 'nDCG@10')
    assert list(scores.means) == list(example.runs)
    assert scores.means['bm25'] == evaluate(example.qrels, example.runs['bm25'], 'nDCG@10').means


def test_check_takes_runs_by_name():
    found = check(GRADES, {'ours': SCORES, 'theirs': OTHER})
    assert list(found.facts) == ['judgments', 'ours', 'theirs']


# ---- names, files, tables ----

def test_a_run_may_be_named(tmp_path):
    run = Run(put(tmp_path/'run.txt', RUN_TEXT.encode()), name='mine')
    assert run.name == 'mine' and repr(run).startswith('Run mine: 30') and evaluate(GRADES, run, 'AP').name == 'mine'
    again = Run(run, name='other')
    assert (run.name, again.name, Run(run).name) == ('mine', 'other', 'mine') and again.to_dict() == run.to_dict()
    assert Run(SCORES, name='dicts').name == 'dicts' and evaluate(GRADES, Run(SCORES, name='d'), 'AP').name == 'd'
    assert Run(tmp_path/'run.txt').name == 'tag'
    with pytest.raises(TypeError, match='the name of a run must be text'): Run(SCORES, name=7)


FORMS = ['run', 'run.gz', 'txt', 'csv', 'csv.gz', 'tsv', 'json', 'json.gz', 'parquet', 'PARQUET']


@pytest.mark.parametrize('form', FORMS)
def test_saved_data_reads_back_unchanged(tmp_path, form):
    odd = {'q1': {'d1': 0.1 + 0.2, 'd2': -math.inf, 'd3': 1e-300, 'd4': 12345678901234567890.0, 'd5': math.inf}, '2': {'d"1': -0.0, "d,'2": 3}}
    for kind, source in ((Run, odd), (Run, SCORES), (Qrels, GRADES), (Qrels, {'q': {'a': 1.5, 'b': -2, 'c': 1 / 3}})):
        path = tmp_path/f'file.{form}'
        kind(source).save(path)
        assert kind(path).to_dict() == {q: dict(docs) for q, docs in source.items()}
        assert os.listdir(tmp_path) == [path.name]


def test_a_run_saved_as_text_is_in_order_with_ranks_and_its_name(tmp_path):
    Run({'q2': {'b': 1, 'a': 2.5}, 'q1': {'c': 1, 'd': 1}}, name='my run').save(tmp_path/'run')
    assert (tmp_path/'run').read_text() == 'q2 Q0 a 1 2.5 my_run\nq2 Q0 b 2 1 my_run\nq1 Q0 c 1 1 my_run\nq1 Q0 d 2 1 my_run\n'
    with open(tmp_path/'run') as file: assert pytrec_eval.parse_run(file) == {'q2': {'a': 2.5, 'b': 1}, 'q1': {'c': 1, 'd': 1}}
    Qrels({'q': {'a': 2, 'b': 0}}).save(tmp_path/'qrels')
    assert (tmp_path/'qrels').read_text() == 'q 0 a 2\nq 0 b 0\n'
    with open(tmp_path/'qrels') as file: assert pytrec_eval.parse_qrel(file) == {'q': {'a': 2, 'b': 0}}


@pytest.mark.parametrize('form', ['run', 'csv', 'tsv', 'json'])
def test_bytes_that_are_not_utf8_come_out_as_they_came_in(tmp_path, form):
    run = Run(put(tmp_path/'old', b'q\xff Q0 caf\xe9 1 2 t\n'))
    run.save(tmp_path/f'new.{form}')
    assert Run(tmp_path/f'new.{form}').to_dict() == run.to_dict() == {'q\udcff': {'caf\udce9': 2.0}}


@pytest.mark.parametrize(('id', 'form'), [('a b', 'run'), ('a\nb', 'run'), ('', 'run'), ('', 'csv'), ('', 'tsv')])
def test_an_id_that_the_form_cannot_hold_is_refused_and_nothing_is_written(tmp_path, id, form):
    for pairs in (Run({'q': {id: 1}}), Run({id: {'d': 1}}), Qrels({'q': {id: 1}})):
        with pytest.raises(ValueError, match=f'new.{form}: '): pairs.save(tmp_path/f'new.{form}')
    assert not os.listdir(tmp_path)
    Run({'q': {id: 1}}).save(tmp_path/'new.json')
    assert Run(tmp_path/'new.json').to_dict() == {'q': {id: 1}}


@pytest.mark.parametrize('id', ['a b', ' a', 'a,b', 'a"b', 'a\tb', 'a;b', 'a\nb', '"a"', "'", 'é', '#a', 'a\r\nb'])
@pytest.mark.parametrize('form', ['csv', 'tsv', 'json', 'parquet'])
def test_an_odd_id_survives_a_table(tmp_path, id, form):
    run = Run({id: {id: 1.5, 'plain': 1}})
    run.save(tmp_path/f'new.{form}')
    assert Run(tmp_path/f'new.{form}').to_dict() == run.to_dict()


def test_a_query_that_would_be_a_comment_is_not_written_as_text(tmp_path):
    with pytest.raises(ValueError, match="TREC text cannot store query ids that begin with #, because such lines are comments: '#1'; .parquet and .json can"): Run({'#1': {'d': 1}}).save(tmp_path/'run')


def test_a_form_that_is_not_written_is_refused(tmp_path):
    for name in ('run.zip', 'run.feather', 'run.bz2'):
        with pytest.raises(ValueError, match='cannot be written'): Run(SCORES).save(tmp_path/name)


def test_a_file_is_saved_whole_or_not_at_all(tmp_path, monkeypatch):
    path = put(tmp_path/'run', b'old')
    def full(self, data): raise OSError(28, 'No space left on device')
    monkeypatch.setattr('pathlib.Path.write_bytes', full)
    with pytest.raises(OSError, match='No space left') as error: Run(SCORES).save(path)
    assert error.value.filename == str(path) and path.read_bytes() == b'old' and os.listdir(tmp_path) == ['run']


def test_pandas_tables_have_the_columns_of_polars_ones(tmp_path):
    for pairs in (Run(SCORES), Qrels(GRADES), Run(put(tmp_path/'run', RUN_TEXT.encode()))):
        frame, table = pairs.to_pandas(), pairs.to_polars()
        assert list(frame.columns) == table.columns and len(frame) == 270
        assert all(frame[name].tolist() == table[name].to_list() for name in table.columns)
        assert type(pairs)(frame).to_dict() == pairs.to_dict()


PANDAS_ITEMS = [
    ['a', 'é', ''], ['a', None, float('nan')], [None, None], ['a', b'b'], [b'a'], ['a', 1], [1, None], ['a', '\ud800'],
    ['a', 1.5], ['a', True], ['a', ['b']], [2**70, 'a'],
]

@pytest.mark.parametrize('dtype', [object, 'string', 'category'])
@pytest.mark.parametrize('items', PANDAS_ITEMS, ids=ascii)
def test_pandas_text_is_the_same_with_and_without_pyarrow(items, dtype, monkeypatch):
    pytest.importorskip('pyarrow')
    def result():
        try: series = tables._from_pandas('doc_id', column)
        except Exception as error: return repr(error)
        return series.dtype, [*map(repr, series.to_list())]
    try: column = pd.Series(items, dtype=dtype, index=range(len(items))[::-1])
    except (TypeError, ValueError): return  # pandas refuses these items
    fast = result()
    text = all(isinstance(item, str) for item in items) and '\ud800' not in items and dtype != 'category'
    if text: assert tables._arrow_texts(column) is not None
    monkeypatch.setitem(sys.modules, 'pyarrow', None)
    assert tables._arrow_texts(column) is None
    assert fast == result()

def test_missing_pandas_is_an_import_error_that_names_it(monkeypatch):
    usual = builtins.__import__
    def without_pandas(name, *more):
        if name == 'pandas': raise ImportError(name)
        return usual(name, *more)
    monkeypatch.setattr(builtins, '__import__', without_pandas)
    with pytest.raises(ImportError, match='to_pandas needs pandas, which is not installed; run pip install pandas'): Run(SCORES).to_pandas()


# ---- help ----

def test_help_of_evaluate_documents_parameters_and_errors():
    out = io.StringIO()
    with contextlib.redirect_stdout(out): help(irmetrics_nb.evaluate)
    for word in ('{name: run}', 'descending=False', 'Scores', 'DataError', 'ValueError', 'EvaluationWarning', 'DataWarning', '>>> evaluate(qrels, runs'):
        assert word in out.getvalue()


@pytest.mark.parametrize(('begun', 'wanted'), [('nD', ['nDCG', 'ndcg_rel']), ('AP nDC', ['AP nDCG', 'AP ndcg_rel']), ('AP RR xyz', []), ('Rpr', ['Rprec', 'Rprec_mult'])])
def test_tab_completes_the_last_measure(begun, wanted):
    from irmetrics_nb.cli_common import suggest_measures
    assert [name.split('(')[0] for name in suggest_measures(begun)] == wanted


@pytest.mark.parametrize('command', ['evaluate', 'compare', 'explain', 'report'])
def test_tab_completes_measures_in_every_command_that_takes_them(monkeypatch, command):
    asked = {'_IRMETRICS_COMPLETE': 'complete_bash', 'COMP_WORDS': f'irmetrics {command} -m nD', 'COMP_CWORD': '3'}
    for name, value in asked.items(): monkeypatch.setenv(name, value)
    assert irmetrics_process().stdout.split() == ['nDCG']  # the shell's own names keep their case


def test_help_lists_shell_completion():
    done = irmetrics('--help')
    assert '--install-completion' in done.stdout and '--show-completion' in done.stdout


@pytest.mark.parametrize("answer", ["no", "False", 0, 1])
@pytest.mark.parametrize("source", [{"q": {"d": 1.0}}, [("q", "d", 1.0)], Run({"q": {"d": 1.0}})])
def test_descending_is_true_or_false_and_nothing_that_sounds_like_it(answer, source):
    with pytest.raises((TypeError, ValueError), match="descending"):
        Run(source, descending=answer)


# ---- blank grades ----

GRADED = [('q1', 'a', 1), ('q1', 'b', None), ('q1', 'c', 0), ('q2', 'a', None), ('q3', 'a', 2)]
HEADERS = ['query,docid,rating', 'query_id,doc_id,relevance', 'qid,docno,label']


def frame_of(rows):
    return pd.DataFrame(rows, columns=['query_id', 'doc_id', 'relevance'])


def blank_sources(folder):
    "Judgments of which two have no grade, in every form."
    lines = [f'{q},{d},{"" if g is None else g}\n' for q, d, g in GRADED]
    for i, header in enumerate(HEADERS): yield header, put(folder/f'{i}.csv', f'{header}\n{"".join(lines)}'.encode())
    yield 'blanks in quotes', put(folder/'quoted.csv', (HEADERS[1] + '\n' + ''.join(lines).replace('b,', '"b","  "')).encode())
    yield 'TSV', put(folder/'x.tsv', (HEADERS[1] + '\n' + ''.join(lines)).replace(',', '\t').encode())
    records = [dict(zip(('query_id', 'doc_id', 'relevance'), row)) for row in GRADED]
    nested = {}
    for q, d, g in GRADED: nested.setdefault(q, {})[d] = g
    yield 'dicts', nested
    yield 'JSON', put(folder/'x.json', json.dumps(nested).encode())
    yield 'triples', GRADED
    yield 'records', records
    yield 'JSON lines', put(folder/'x.jsonl', '\n'.join(map(json.dumps, records)).encode())
    frame = frame_of(GRADED)
    assert frame['relevance'].isna().sum() == 2 and frame['relevance'].dtype == float
    for name, table in {'floats': frame, 'objects': frame.astype({'relevance': object}), 'Int64': frame.astype({'relevance': 'Int64'})}.items():
        yield f'pandas, {name}', table
    for name, values in {'null': [1, None, 0, None, 2], 'NaN': [1.0, math.nan, 0.0, math.nan, 2.0], 'text': ['1', '', '0', ' ', '2'], 'text and null': ['1', None, '0', None, '2']}.items():
        table = pl.DataFrame({'query_id': [q for q, *_ in GRADED], 'doc_id': [d for _, d, _ in GRADED], 'relevance': values})
        yield f'polars, {name}', table
        table.write_parquet(folder/f'{name}.parquet')
        yield f'Parquet, {name}', folder/f'{name}.parquet'
    ratings = [{'id': q, 'request': {}, 'ratings': [{'_id': d, 'rating': g} for d, g in docs.items()]} for q, docs in nested.items()]
    yield 'a request of _rank_eval', {'requests': ratings}


def test_a_blank_grade_is_no_judgment_in_any_form_and_is_counted(tmp_path):
    sources = dict(blank_sources(tmp_path))
    assert len(sources) == 22
    for name, source in sources.items():
        assert Qrels(source).to_dict() == {'q1': {'a': 1, 'c': 0}, 'q3': {'a': 2}}, name
        scores = evaluate(source, {'q1': ['b', 'a'], 'q2': ['a'], 'q3': ['a']}, 'RR Judged@2')
        assert scores.means == {'RR': 3 / 4, 'Judged@2': 3 / 4} and scores.unjudged == 1, name
        assert '2 blank grade(s) in the judgments, counted as not judged' in ' '.join(str(scores).split()), name
        finding, = [f for f in check(source, {'q1': ['a']}).findings if f.code == 'blank-grades']
        assert finding.level == 'note' and finding.text.startswith('2 blank grade(s)'), name


def test_419_blank_ratings_of_2662_are_counted(tmp_path):
    ratings = ['' if i < 419 else str(i % 4) for i in range(2662)]
    rows = [f'q{i % 40},d{i},{rating}' for i, rating in enumerate(ratings)]
    path = put(tmp_path/'ratings.csv', ('query,docid,rating\n' + '\n'.join(rows)).encode())
    scores = evaluate(path, {'q0': ['d440']}, 'RR')
    assert len(Qrels(path).rows) == 2662 - 419 and '419 blank grade(s)' in str(scores)
    put(path, path.read_bytes() + b'\nq1,dx,high\nq2,dy,1')
    found = check(path, {'q0': ['d440']})
    assert found.codes.count('number') == 1 and any(f.code == 'blank-grades' and f.text.startswith('419 ') for f in found.findings)
    assert found.facts['judgments']['documents'] == 2662 - 419 + 1


def test_blank_grades_of_parts_add_up():
    parts = [evaluate({q: {'a': 1, 'b': None}}, {q: ['a']}, 'RR', part=True) for q in ('q1', 'q2')]
    assert '2 blank grade(s)' in str(Scores.concat(parts))


@pytest.mark.parametrize('source', [
    b'q1 0 a nan\n', b'query_id,doc_id,relevance\nq1,a,nan\n', b'{"q1": {"a": NaN}}', {'q1': {'a': math.nan}}, [('q1', 'a', math.nan)], {'q1': {'a': 'nan'}}])
def test_nan_that_is_written_stays_an_error(tmp_path, source):
    if isinstance(source, bytes): source = put(tmp_path/('x.csv' if b',' in source else 'x'), source)
    with pytest.raises(DataError, match="the grade '?nan'? is not a finite number|the grade '?nan'? is not a number"): Qrels(source)


@pytest.mark.parametrize('blank', [None, ''])
def test_a_blank_score_and_judgments_that_are_all_blank_stay_errors(blank):
    with pytest.raises(DataError, match='the score .* is not a number'): Run([('q1', 'a', 1.0), ('q1', 'b', blank)])
    with pytest.raises(DataError, match='every grade is blank, so no document is judged'): Qrels([('q1', 'a', blank), ('q1', 'b', blank)])


def test_a_blank_id_or_a_short_line_stays_an_error(tmp_path):
    for line, message in {',a,1': "no value in column 'query_id'", 'q1,,1': "no value in column 'doc_id'", 'q1,a': '2 fields, but the header has 3'}.items():
        with pytest.raises(DataError, match=f'line 3: {message}'): Qrels(put(tmp_path/'x.csv', f'query_id,doc_id,relevance\nq1,b,\n{line}\n'.encode()))


# ---- several columns that may be meant ----

def written(folder, form, names, rows):
    "A table in a form."
    table = pl.DataFrame(rows, schema=names, orient='row')
    path = folder/f'table.{form}'
    if form == 'csv': table.write_csv(path)
    elif form == 'parquet': table.write_parquet(path)
    elif form == 'jsonl': table.write_ndjson(path)
    else: return table.to_pandas() if form == 'pandas' else table if form == 'polars' else table.lazy() if form == 'lazy' else table.to_dicts()
    return path


TABLES = ['csv', 'parquet', 'jsonl', 'pandas', 'polars', 'lazy', 'records']


@pytest.mark.parametrize('form', TABLES)
@pytest.mark.parametrize(('other', 'where'), [('docid', 1), ('pid', 4), ('document', 1), ('Doc ID', 1)])
def test_an_exact_doc_id_wins_and_the_small_print_names_the_other(tmp_path, form, other, where):
    names, row = ['query_id', 'doc_id', 'score', 'rank'], ['q1', 'right', 2.5, 1]
    source = written(tmp_path, form, [*names[:where], other, *names[where:]], [[*row[:where], 'wrong', *row[where:]]])
    scores = evaluate({'q1': {'right': 1}}, source, 'RR')
    assert scores.means == {'RR': 1}
    assert f"the document of the run is read from column 'doc_id'; similar columns are not used: '{other}'" in ' '.join(str(scores).split())
    assert 'unused-columns' in check({'q1': {'right': 1}}, source).codes


@pytest.mark.parametrize('form', TABLES)
def test_exact_score_column_wins_over_similar_columns(tmp_path, form):
    names, row = ['query_id', 'query', 'doc_id', 'sim', 'score', 'rank'], ['q1', 'what is it?', 'd', 0.5, 2.5, 1]
    scores = evaluate({'q1': {'d': 1}}, written(tmp_path, form, names, [row]), 'RR')
    said = ' '.join(str(scores).split())
    assert Run(written(tmp_path, form, names, [row])).to_dict() == {'q1': {'d': 2.5}}
    assert "the score of the run is read from column 'score'; similar columns are not used: 'sim'" in said and said.count('not used') == 1


@pytest.mark.parametrize('form', TABLES)
@pytest.mark.parametrize(('first', 'second', 'key'), [('docid', 'pid', 'document'), ('qid', 'topic', 'query'), ('sim', 'similarity', 'score'), ('Doc ID', 'docid', 'document')])
def test_two_equivalent_columns_are_an_error_that_names_both(tmp_path, form, first, second, key):
    row = {'query': ('query_id', 'q1'), 'document': ('doc_id', 'd'), 'score': ('score', 2.5)}
    wrong = {'query': 'q2', 'document': 'x', 'score': 9.5}[key]
    row[key] = (first, row[key][1])
    names, values = zip(*row.values(), (second, wrong))
    source = written(tmp_path, form, list(names), [values])
    with pytest.raises(DataError) as error: evaluate({'q1': {'d': 1}}, source, 'RR')
    assert f"the columns {first!r} and {second!r} may both be the {key}; the columns are " in str(error.value)
    assert f"; choose the columns: Run(..., columns={{{key!r}: ...}})" in str(error.value)
    assert Run(source, columns={key: first}).to_dict() == {'q1': {'d': 2.5}}


def test_the_columns_of_pyterrier_and_of_ltr_tables_are_clear():
    "docid is PyTerrier's own number of a document; a table of labels and scores is judgments and run."
    frame = pd.DataFrame({'qid': ['1'], 'docid': [77], 'docno': ['d'], 'rank': [0], 'score': [2.5], 'query': ['text']})
    assert Run(frame).to_dict() == {'1': {'d': 2.5}}
    both = pd.DataFrame({'query_id': ['q'], 'doc_id': ['d'], 'label': [1], 'score': [0.25]})
    assert Qrels(both).to_dict() == {'q': {'d': 1}} and Run(both).to_dict() == {'q': {'d': 0.25}}


def test_a_large_table_names_the_column_that_is_not_used_too(tmp_path):
    rows = [(f'q{i // 10}', f'd{i}', 'x', float(-i)) for i in range(400_000)]
    table = pl.DataFrame(rows, schema=['query_id', 'doc_id', 'docno', 'score'], orient='row')
    table.write_parquet(tmp_path/'run.parquet')
    for source in (table, table.lazy(), tmp_path/'run.parquet'):
        scores = evaluate({'q1': {'d10': 1}}, source, 'RR')
        assert scores.means == {'RR': 1} and "not used: 'docno'" in ' '.join(str(scores).split())
