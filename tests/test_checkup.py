"The check-up finds what is odd, kind by kind, and nothing where nothing is."
import gzip
import json
import math
import re
import subprocess
import sys
import unicodedata

import numpy as np
import polars as pl
import pytest
from helpers import irmetrics
from hypothesis import given, settings
from hypothesis import strategies as st
from project import NBS, cells

from irmetrics_nb import Checkup, Qrels, Run, check, load_example
from irmetrics_nb.evaluation.findings import RULES, better_than_chance

QRELS = {f'q{q}': {f'd{q}{d}': d % 3 for d in range(6)} for q in range(5)}
RUN = {q: {doc: 10.5 - i * 1.25 for i, doc in enumerate([*docs, 'x1', 'x2'])} for q, docs in QRELS.items()}


def respelt(f, source=RUN):
    "A run with other document ids."
    return {q: {f(doc): x for doc, x in docs.items()} for q, docs in source.items()}


def requeried(f, source=RUN):
    return {f(q): docs for q, docs in source.items()}


def regraded(f):
    return {q: {doc: f(g) for doc, g in docs.items()} for q, docs in QRELS.items()}


def rescored(f):
    return {q: {doc: f(i, x) for i, (doc, x) in enumerate(docs.items())} for q, docs in RUN.items()}


def urls(scheme):
    return {q: {f'{scheme}://a.org/{doc}': x for doc, x in docs.items()} for q, docs in QRELS.items()}


E_ACUTE = 'caf\u00e9'
ODD = {  # what is odd: judgments, run, code, words that the finding says
    'http against https': (urls('http'), urls('https'), 'doc-ids', 'scheme'),
    'a slash at the end': (QRELS, respelt(lambda d: d + '/'), 'doc-ids', 'slash'),
    'other case': (QRELS, respelt(str.upper), 'doc-ids', 'lower case'),
    'leading zeros': ({'q': {'0017': 1, '0018': 0}}, {'q': {'17': 2, '18': 1}}, 'doc-ids', 'leading zeros'),
    'ids that became fractions': ({'q': {'17': 1, '18': 0}}, {'q': {'17.0': 2, '18.0': 1}}, 'doc-ids', '.0'),
    'blanks around ids': (QRELS, respelt(lambda d: f' {d}'), 'doc-ids', 'whitespace'),
    'quotes around ids': (QRELS, respelt(lambda d: f'"{d}"'), 'doc-ids', 'quotes'),
    'a file extension': (QRELS, respelt(lambda d: d + '.txt'), 'doc-ids', 'extension'),
    'a prefix': (QRELS, respelt(lambda d: 'doc_' + d), 'doc-ids', "'doc_'"),
    'a suffix': (QRELS, respelt(lambda d: d + ':en'), 'doc-ids', "':en'"),
    'folders in front': (QRELS, respelt(lambda d: f'disk{d[1]}/{d}'), 'doc-ids', 'folders'),
    'percent codes': ({'q': {'a b': 1}}, {'q': {'a%20b': 1.5}}, 'doc-ids', '%20'),
    'another Unicode form': ({'q': {E_ACUTE: 1}}, {'q': {unicodedata.normalize('NFD', E_ACUTE): 1.5}}, 'doc-ids', 'NFC'),
    'hyphens for underscores': ({'q': {'a_b': 1}}, {'q': {'a-b': 1.5}}, 'doc-ids', 'treated as the same'),
    'an invisible character': (QRELS, respelt(lambda d: '\ufeff' + d), 'doc-ids', 'invisible'),
    'scheme and slash at once': ({'q': {'http://a.org/': 1}}, {'q': {'https://a.org': 1.5}}, 'doc-ids', 'slash'),
    'half of the ids misspelt': (QRELS, {q: (RUN if q < 'q3' else respelt(str.upper))[q] for q in RUN}, 'doc-ids', 'lower case'),
    'ids of another collection': (QRELS, respelt(lambda d: 'z' + d * 2), 'no-judged-retrieved', 'no judged'),
    'query ids with zeros': (QRELS, requeried(lambda q: 'q0' + q[1:]), 'query-ids no-common-query', 'leading zeros'),
    'query ids, numbers on one side': (QRELS, requeried(lambda q: q[1:]), 'numeric', 'numbers'),
    'no query in common': (QRELS, requeried(lambda q: 'topic ' + q * 2), 'no-common-query', 'no query'),
    'judged queries missing from the run': (QRELS, {q: RUN[q] for q in ('q0', 'q1')}, 'missing', '3 of 5'),
    'queries that nobody judged': ({q: QRELS[q] for q in ('q0', 'q1')}, RUN, 'unjudged-queries', 'left out: 3'),
    'nothing relevant at all': (regraded(lambda g: 0), RUN, 'no-relevant-grade', 'above 0'),
    'a query with nothing relevant': (QRELS | {'q0': {'d00': 0}}, RUN, 'no-relevant', '1 of 5'),
    'click rates': (regraded(lambda g: g / 10), RUN, 'below-one', 'as in rel='),
    'fractions among grades': (regraded(lambda g: g * 1.5), RUN, 'fractions', 'fractions'),
    'grades below 0': (regraded(lambda g: g - 1), RUN, 'negative', 'below 0'),
    'grades of a hundred': (regraded(lambda g: g * 50), RUN, 'large-grade', '100'),
    'one grade': (regraded(lambda g: 1), RUN, 'one-grade', 'every grade is 1'),
    'scores as grades': ({q: {d: 7 * x + int(q[1]) for d, x in docs.items()} for q, docs in RUN.items()}, RUN, 'many-grades', 'scores?'),
    'judgments and run swapped': (RUN | {'q9': {f'd{i}': i + .5 for i in range(9)}}, regraded(lambda g: (g, 3)[g == 1]), 'swapped', 'swapped'),
    'one score everywhere': (QRELS, rescored(lambda i, x: 1), 'one-score', 'score 1'),
    'one score in a query': (QRELS, RUN | {'q0': dict.fromkeys(RUN['q0'], 2.5)}, 'tied-query', 'same score: 1'),
    'many ties': (QRELS, rescored(lambda i, x: i // 4), 'ties', 'order of ids'),
    'infinite scores': (QRELS, rescored(lambda i, x: float('inf') if i == 0 else x), 'infinite', 'infinite'),
    'short lists': (QRELS, RUN | {'q0': {'d00': 1.5}}, 'short', 'fewer than 100'),
    'a run that was cut': (QRELS, RUN, 'truncated-run', 'only 8'),
    'the same documents for all': (QRELS, dict.fromkeys(RUN, RUN['q0']), 'constant', 'same documents'),
    'the judgments as a run': (QRELS, QRELS, 'judgments-as-run', 'grades as scores'),
    'little judged': ({q: {f'd{q[1]}0': 1} for q in QRELS}, {q: {f'{i}{q}': 99.5 - i for i in range(30)} | {f'd{q[1]}0': .5} for q in QRELS},
                      'few-judged', '0.0%'),
    'blanks within ids': (QRELS | {'q 0': {'d': 1}}, RUN, 'inner-whitespace', 'contain whitespace'),
    'control characters': (QRELS | {'q0': {'d\x07': 1}}, RUN, 'control', 'invisible'),
    'a very long id': (QRELS | {'q0': {'d' * 300: 1}}, RUN, 'long', '250'),
    'ids in quotes': (QRELS | {'q0': {"'d'": 1}}, RUN, 'quoted', 'quotes'),
    'an id that says nothing': (QRELS | {'q0': {'nan': 1}}, RUN, 'missing-id', 'missing value'),
    'an empty id': (QRELS | {'q0': {'': 1}}, RUN, 'empty', 'empty ids'),
    'ids that differ in case': (QRELS | {'q0': {'D': 1, 'd': 0}}, RUN, 'case-variants', 'case'),
    'a header read as a row': (QRELS | {'query_id': {'doc_id': 1}}, RUN, 'header', 'header'),
    'bytes that are not UTF-8': ([('q0', b'caf\xe9', 1), *((q, d, g) for q in QRELS for d, g in QRELS[q].items())], RUN, 'not-utf8', 'UTF-8'),
    'two subtopics': ([{'qid': 'q0', 'docid': 'd00', 'rel': 1, 'subtopic': i} for i in '12'], RUN, 'subtopics', 'maybe for subtopics'),
    'the same document twice': (QRELS, [('q0', 'd00', 2.), ('q0', 'd01', 1.), ('q0', 'd00', 1.)], 'duplicate', 'duplicate documents'),
    'a grade that is no number': ({'q0': {'d00': 1, 'd01': 'two'}}, RUN, 'number', 'invalid numbers'),
    'a score that is NaN': (QRELS, {'q0': {'d00': 1., 'd01': float('nan')}}, 'number', 'invalid numbers'),
    'an infinite grade': ({'q0': {'d00': 1, 'd01': float('inf')}}, RUN, 'number', 'invalid numbers'),
    'queries that retrieve themselves': (QRELS, {q: docs | {q: 99.5} for q, docs in RUN.items()}, 'identical-ids', 'their own id: 5'),
    'no rows': (QRELS, {}, 'refused', 'no queries'),
    'ids that are no text': (QRELS, {'q0': [None]}, 'id', 'invalid ids'),
    'blanks around one id': (QRELS | {'q0': {' d': 1}}, RUN, 'outer-whitespace', 'whitespace around'),
    'a query that looks like a comment': (QRELS | {'#q': {'d': 1}}, RUN, 'comment', 'comments?'),
    'judgments without grades': ({q: [*docs] for q, docs in QRELS.items()}, RUN, 'listed', 'without grades'),
    'click rates and ones': (regraded(lambda g: (0, .5, 1)[g]), RUN, 'fractions-below', 'set the relevance level'),
    'positions as scores': (QRELS, rescored(lambda i, x: i + 1), 'positions', 'descending=False'),
    'positions as scores, not in order': ({f'q{i}': {'d0': 1} for i in range(12)}, {f'q{i}': {'d1': 2, 'd0': 1, 'd2': 3, 'd3': 4} for i in range(12)},
                                          'ascending-scores', 'descending=False'),
    'parts of one run': ({f'q{i}': {'d': 1} for i in range(8)}, [{f'q{i}': ['d'] for i in part} for part in (range(4), range(4, 8))], 'parts', 'one run'),
}


@pytest.mark.parametrize('name', ODD)
def test_check_finds_problems_of_judgments_and_runs(name):
    qrels, run, codes, words = ODD[name]
    found = [f for f in check(qrels, run).findings if f.code in codes.split()]
    assert found and words in ' '.join(f.text for f in found), check(qrels, run)


def test_a_query_that_retrieves_its_own_id_by_chance_is_a_note_and_most_of_them_a_warning():
    for many, level in ((1, 'note'), (2, 'note'), (3, 'warning'), (5, 'warning')):
        run = {q: docs | ({q: 99.5} if int(q[1]) < many else {}) for q, docs in RUN.items()}
        (found,) = [f for f in check(QRELS, run).findings if f.code == 'identical-ids']
        assert (found.level, found.examples[0]) == (level, "'q0'") and f': {many}' in found.text
    assert 'identical-ids' not in check(QRELS, RUN).codes


def test_small_integers_as_ids_are_no_queries_among_documents():
    # Query i retrieves 40 documents with the ids 0 to 39; its own id is at each rank once, or first
    def run(place): return {str(i): {str((j - place(i) + i) % 40): 40.0 - j for j in range(40)} for i in range(40)}
    qrels = {str(i): {'5': 1} for i in range(40)}
    by_chance, among_first = run(lambda i: i), run(lambda i: i % 10)
    assert [*by_chance['7']].index('7') == 7 and [*among_first['17']].index('17') == 7
    assert 'identical-ids' not in check(qrels, by_chance).codes
    assert 'identical-ids' not in check(qrels, run(lambda i: 30 + i % 10)).codes
    assert 'identical-ids' in check(qrels, among_first).codes
    assert 'identical-ids' in check(qrels, run(lambda i: 0)).codes


def test_ids_of_random_ranks_are_rarely_called_better_than_chance():
    rng = np.random.default_rng(0)
    for queries in (1, 2, 5, 50):  # of 100 documents each
        ranks = rng.integers(1, 101, (2000, queries))
        found = [better_than_chance(np.stack([row, np.full(queries, 100)], axis=1)) for row in ranks]
        assert np.mean(found) < 0.035


HEAD = 'q1 Q0 d1 1 3.5 toy\n'
FILES = {  # lines of a run in a file: code, words of an example or of the sentence
    'too few columns': (HEAD + 'q1 Q0 d2 2 2.5\n', 'columns', 'line 2: 5 columns, but a run has 6'),
    'a word for a score': (HEAD + '\nq1 Q0 d2 2 high toy\n', 'number', "line 3: the score 'high' is not a number"),
    'a document twice': (HEAD + 'q1 Q0 d1 2 2.5 toy\n', 'duplicate', 'line 2 (and 1)'),
    'judgments for a run': ('q1 0 d1 1\nq1 0 d2 0\n', 'refused', 'qrels file?'),
    'ranks against scores': (HEAD + 'q1 Q0 d2 2 2.5 toy\nq1 Q0 d3 3 3.0 toy\n', 'rank-order', 'disagree'),
    'distances': ('q1 Q0 d1 1 0.5 toy\nq1 Q0 d2 2 2.5 toy\nq1\tQ0 d3  3 3.0 toy\n', 'distances', 'distances'),
    'a rank twice': (HEAD + 'q1 Q0 d2 1 2.5 toy\n', 'duplicate-rank', 'duplicate ranks'),
    'a rank that is no number': (HEAD + 'q1 Q0 d2 x 2.5 toy\n', 'rank-number', 'invalid ranks'),
    'several runs in one file': (HEAD + 'q2 Q0 d2 1 2.5 other\n', 'tags', '2 different tags'),
    'an empty file': ('', 'refused', ''),
    'a comment': (HEAD + '# made by hand\n', 'comments', 'left out: 1'),
    'a row that is read as a comment': (HEAD + '#q1 Q0 d2 2 2.5 toy\n', 'comment-row', 'toy.run'),
}


CAUSED = re.compile(r"^assert '([a-z-]+)' in check\(.+\)\.codes$", re.MULTILINE)  # in a cell of a page


def test_every_rule_has_an_input_that_causes_its_finding():
    tried = {code for _, _, codes, _ in ODD.values() for code in codes.split()} | {code for _, code, _ in FILES.values()}
    on_page = {code for cell in cells(NBS / 'evaluation/findings.ipynb') for code in CAUSED.findall(cell.source)}
    assert 'large-grade' in on_page
    tried |= on_page
    others = [(NBS.parent / 'tests' / name).read_text(encoding='utf-8') for name in ('test_submissions.py', 'test_pools.py')]
    tried |= {*re.findall(r'[\'"]([a-z0-9-]+)[\'"]', ''.join(others))} & {*RULES}
    lacking = set(RULES) - tried - {'truncated-line'}  # the last one in test_packed_files
    assert not lacking, (f'no input causes {sorted(lacking)}: add `assert {sorted(lacking)[0]!r} in check(qrels, run).codes` with such an input to a hidden '
                         'cell of nbs/evaluation/findings.ipynb, or for lines of a file an entry to FILES of tests/test_checkup.py')
    unknown = tried - set(RULES)
    assert not unknown, f'{sorted(unknown)} are no findings: remove their inputs from nbs/evaluation/findings.ipynb, or from ODD or FILES of tests/test_checkup.py'


def test_guide_names_codes_that_findings_have():
    prose = '\n'.join(cell.source for cell in cells(NBS / 'guide/check_files.ipynb') if cell.kind == 'markdown')
    codes = {code for row in re.findall(r'^\| (`[^|]+) \|', prose, re.MULTILINE) for code in re.findall(r'`([a-z-]+)`', row)}
    assert len(codes) >= 3 and codes <= set(RULES), codes - set(RULES)


@pytest.mark.parametrize('packed', [False, True])
@pytest.mark.parametrize('name', FILES)
def test_check_finds_problems_of_a_run_file(name, packed, tmp_path):
    text, code, words = FILES[name]
    path = tmp_path/'toy.run'
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    found = [f for f in check({'q1': {'d1': 1, 'd2': 0}}, path).findings if f.code == code]
    assert found and any(words in x for f in found for x in (f.text, *f.examples)), found


def test_all_faults_are_counted_and_as_many_as_wanted_are_shown(tmp_path):
    (tmp_path/'a.run').write_text(HEAD + ''.join(f'q1 Q0 d{i} 1 bad toy\n' for i in range(30)) + 'q1 Q0 d1 4 1.0 toy\n')
    found = {f.code: f for f in check({'q1': {'d1': 1}}, tmp_path/'a.run', faults=5).findings}
    assert len(found['number'].examples) == 6 and found['number'].examples[-1] == '... and 25 more'
    assert '(30)' in found['number'].text and 'line 32' in found['duplicate'].examples[0]


def test_valid_rows_of_an_invalid_file_are_checked(tmp_path):
    (tmp_path/'a.run').write_text(HEAD + 'q1 Q0 d2 2\n')
    assert check({'q1': {'d1': 1}}, tmp_path/'a.run').facts[str(tmp_path/'a.run')]['judged documents retrieved'] == 1


@pytest.mark.parametrize('name', ['faults.csv', 'faults.json', 'faults.parquet'])
def test_faults_are_found_in_every_format(name, tmp_path):
    path = tmp_path/name
    if name.endswith('csv'): path.write_text('query_id,doc_id,score\nq1,d1,1.5\nq1,d2,bad\n')
    if name.endswith('json'): path.write_text('{"q1": {"d1": 1.5, "d2": "bad"}}')
    if name.endswith('parquet'): pl.DataFrame({'query_id': ['q1', 'q1'], 'doc_id': ['d1', 'd1'], 'score': [1., 2.]}).write_parquet(path)
    assert {'number', 'duplicate'} & set(check({'q1': {'d1': 1}}, path).codes)


def odd_run(order):
    "Lines of a run with much that is odd: ties, ids in two cases and in quotes, ranks against scores, two tags, two unjudged queries."
    lines = []
    for q, docs in (RUN | {'u1': {'a': 1.5}, 'u2': {'"b"': 2.5, 'c': 2.5}}).items():
        names = [*docs, 'D' + q, 'd' + q]
        lines += [f'{q} Q0 {doc} {len(names) - i if q == "q3" else i + 1} {9 - i // 2} {"toy" if q < "q4" else "other"}\n'
                  for i, doc in enumerate(names)]
    return lines if order == 'grouped' else lines[::2] + lines[1::2]


@pytest.mark.parametrize('order', ['grouped', 'scattered'])
def test_a_run_that_is_read_in_many_batches_is_found_as_odd_as_in_one(order, tmp_path, monkeypatch):
    path, qrels = tmp_path/'odd.run', regraded(lambda g: g - 1) | {'q9': {'x': 1}}
    path.write_text(''.join(odd_run(order)))
    in_one = check(qrels, path)
    monkeypatch.setattr('irmetrics_nb.data.recognition.BATCH_BYTES', 150)
    assert check(qrels, path).to_dict() == in_one.to_dict()
    assert {'case-variants', 'quoted', 'tags', 'rank-order', 'unjudged-queries', 'missing', 'ties', 'negative'} <= {*in_one.codes}


def test_text_of_three_columns_has_no_findings_about_ranks(tmp_path):
    (tmp_path/'a.txt').write_text('q1 d1 1\nq1 d2 2\n')
    assert check({'q1': {'d1': 1}}, tmp_path/'a.txt').codes == ['short']


def test_the_judgments_in_the_order_of_their_grades_are_not_the_judgments_as_a_run():
    for run in ({'q': {'a': 2, 'b': 1.5, 'c': 0}}, {'q': {'a': 2, 'b': 0, 'c': 0}}, {'q': {'a': 9, 'c': 5, 'b': 1}}):
        assert 'judgments-as-run' not in check({'q': {'a': 2, 'b': 0, 'c': 1}}, run).codes
    assert 'judgments-as-run' in check({'q': {'a': 2, 'b': 0, 'c': 1}}, {'q': {'a': 2, 'b': 0, 'c': 1}}).codes


def test_text_is_checked_without_polars(tmp_path):
    (tmp_path/'a.run').write_text(HEAD)
    code = f"import sys; sys.modules['polars'] = None; from irmetrics_nb import check; print(check({{'q1': {{'d1': 1}}}}, {str(tmp_path/'a.run')!r}).ok)"
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)
    assert done.stdout == 'True\n', done.stderr


# ---- nothing where nothing is ----

def test_example_has_no_false_findings():
    example = load_example()
    found = check(example.qrels, example.runs).findings
    assert [(f.where, f.code) for f in found if f.level != 'note'] == [('title', 'ties')]  # 488 of its 532 are tied
    assert {f.code for f in found} <= {'ties', 'tied-query', 'short', 'no-relevant'}


@st.composite
def sound(draw):
    "Judgments and a run that belong together: grades 0 to 3, different scores, ids of one spelling."
    n = draw(st.integers(6, 12))
    qrels, run = {}, {}
    for q in range(draw(st.integers(1, 6))):
        order = draw(st.permutations(range(n)))
        qrels[f'q{q}'] = {f'doc{q}-{i}': grade for i, grade in enumerate(draw(st.lists(st.integers(0, 3), min_size=4, max_size=6)))}
        qrels[f'q{q}'][f'doc{q}-0'] = 1
        run[f'q{q}'] = {f'doc{q}-{i}': 20.5 - 1.3 * place for place, i in enumerate(order)}
    return qrels, run


@given(sound())
@settings(max_examples=60)
def test_valid_data_has_only_notes(both):
    found = check(*both)
    assert found.ok and [f for f in found.findings if f.level != 'note'] == [] and {*found.codes} <= {'short', 'truncated-run', 'one-grade'}


# ---- what it looks like ----

def test_it_prints_as_text_markdown_json_and_html():
    found = check(QRELS, {'<b>': respelt(str.upper), 'sound': RUN})
    assert str(found).startswith('   ') and 'error (doc-ids) in <b>' in str(found) and '1 error' not in found.to_markdown().splitlines()[0]
    assert '- **error (doc-ids) in &lt;b&gt;**: ' in found.to_markdown()
    assert json.loads(found.to_json())['ok'] is False and '<b>:' not in found._repr_html_() and '&lt;b&gt;' in found._repr_html_()
    assert str(Checkup()) == 'no problems were found' and Checkup().ok


@pytest.mark.parametrize('runs', [[RUN, QRELS], {'a': RUN, 'b': QRELS}, [Run(RUN), Run(QRELS)]])
def test_several_runs_are_checked_side_by_side(runs):
    assert len(check(QRELS, runs).facts) == 3


def test_an_iterator_is_read_once():
    assert check(Qrels(QRELS), ((q, d, x) for q in RUN for d, x in RUN[q].items())).ok


# ---- the command ----

@pytest.mark.parametrize('run, code', [
    (HEAD, 0), ('q1 Q0 d1 1 1 toy\nq1 Q0 d2 2 1 toy\n', 0), ('q1 Q0 D1 1 1 toy\n', 1), (HEAD + 'q1 Q0 d2 2 x toy\n', 1)])
def test_the_exit_code_is_1_if_something_is_wrong_and_0_for_warnings(run, code, tmp_path):
    (tmp_path/'qrels').write_text('q1 0 d1 1\nq1 0 d3 0\n')
    (tmp_path/'run').write_text(run)
    done = irmetrics('check', tmp_path/'qrels', tmp_path/'run', '--format', 'json', '--faults', '3')
    assert (done.returncode, done.stderr) == (code, '') and json.loads(done.stdout)['ok'] is (code == 0)


def test_the_command_writes_markdown_to_a_file(tmp_path):
    (tmp_path/'qrels').write_text('q1 0 d1 1\n')
    (tmp_path/'run').write_text(HEAD)
    done = irmetrics('check', tmp_path/'qrels', tmp_path/'run', '--format', 'markdown', '--output', tmp_path/'out.md')
    assert (done.returncode, done.stdout) == (0, '') and (tmp_path/'out.md').read_text().startswith('|')


@pytest.mark.parametrize("qrels", [{}, {"q": {"a": math.nan}}])
def test_judgments_of_which_nothing_is_left_are_refused_in_words(qrels):
    assert "error" in {finding.level for finding in check(qrels, {"q": {"a": 1.0, "b": 2.0}}).findings}
