"What is saved: whole or not at all, wherever it goes, and in the order given, whatever the form."
import gzip
import os
import re
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import polars as pl
import pytest
import pytrec_eval
from helpers import irmetrics, irmetrics_process
from hypothesis import given
from hypothesis import strategies as st

from irmetrics_nb import DataWarning, Qrels, Run, evaluate, judge, load_example, report
from irmetrics_nb.data.writing import write_whole

FORMS = [form + packed for form in ('run', 'csv', 'tsv', 'json', 'parquet', 'pq', 'jsonl', 'ndjson') for packed in ('', '.gz')]
OLD = {'q1': {'old1': 2.0, 'old2': 1.0}, 'q2': {'old3': 1.0}}
NEW = {'q1': {'new1': 3.0, 'new2': 3.0}}
SHM = Path('/dev/shm')

pytestmark = pytest.mark.usefixtures('nothing_hangs')


@pytest.fixture(params=['an ordinary folder', 'shared memory', 'a link into shared memory'])
def place(request, tmp_path):
    "A folder to write to; shared memory is a folder below /dev."
    if request.param == 'an ordinary folder':
        yield tmp_path
        return
    if not os.access(SHM, os.W_OK): pytest.skip('there is no /dev/shm that can be written to')
    with tempfile.TemporaryDirectory(dir=SHM) as folder:
        (tmp_path/'link').symlink_to(folder)
        yield Path(folder) if request.param == 'shared memory' else tmp_path/'link'


# ---- whole, or not at all ----

@pytest.mark.parametrize('form', FORMS)
def test_a_second_save_replaces_the_first_in_every_folder_and_form(place, form):
    path = place/f'file.{form}'
    for source in (OLD, NEW):
        Run(source).save(path)
        assert Run(path).to_dict() == source and os.listdir(place) == [path.name]
        Qrels(source).save(path)
        assert Qrels(path).to_dict() == source and os.listdir(place) == [path.name]


def test_report_and_output_of_a_command_replace_old_files(place):
    folder = load_example().folder
    for name in ('bm25', 'lsa'):
        report(folder/'qrels.txt', folder/'runs'/f'{name}.run.gz', 'AP').save(place/'report.md')
        done = irmetrics('evaluate', folder/'qrels.txt', folder/'runs'/f'{name}.run.gz', '-m', 'AP', '--format', 'csv', '--output', place/'out.csv')
        assert done.returncode == 0
    text = (place/'report.md').read_text()
    assert text.count('| measure | mean |') == 1 and 'lsa' in text and 'bm25' not in text
    assert [line.split(',')[0] for line in (place/'out.csv').read_text().splitlines()] == ['run', 'lsa']


def test_a_link_stays_a_link_and_what_it_leads_to_is_replaced(place):
    (place/'folder').mkdir()
    (place/'link').symlink_to(Path('folder')/'file')
    (place/'link to it').symlink_to('link')
    for source in (OLD, NEW):
        Run(source).save(place/'link to it')
        assert Run(place/'folder'/'file').to_dict() == source
    assert (place/'link').is_symlink() and (place/'link to it').is_symlink() and os.listdir(place/'folder') == ['file']
    assert stat.S_IMODE((place/'folder'/'file').stat().st_mode) & 0o600 == 0o600


def test_a_name_as_long_as_a_name_can_be_is_written(place):
    for name in ('n' * 255, 'é' * 127):
        Run(OLD).save(place/name)
        assert os.listdir(place) == [name]
        (place/name).unlink()


def test_saving_to_an_invalid_path_is_an_error_that_names_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the name of a socket is short
    (tmp_path/'folder').mkdir()
    (tmp_path/'round').symlink_to('round')
    (tmp_path/'file').write_text('old')
    with socket.socket(socket.AF_UNIX) as server:
        server.bind('socket')
        for name, why in {'folder': 'directory', 'socket': 'socket', 'round': 'links', 'file/in': 'Not a directory', 'none/in': 'No such', 'folder/none/in': 'No such'}.items():
            with pytest.raises(OSError, match=why) as error: Run(OLD).save(name)
            assert error.value.filename == str(tmp_path/name)
        assert sorted(os.listdir(tmp_path)) == ['file', 'folder', 'round', 'socket'] and not os.listdir('folder')


def test_a_disk_is_not_written_to(tmp_path):
    try: os.mknod(tmp_path/'disk', stat.S_IFBLK | 0o600, os.makedev(7, 200))
    except (OSError, AttributeError) as error: pytest.skip(f'no disk can be made here: {error}')
    with pytest.raises(OSError, match='this is a disk or a socket') as error: Run(OLD).save(tmp_path/'disk')
    assert error.value.filename == str(tmp_path/'disk')


def test_a_pipe_gets_the_bytes_and_a_device_stays_one(tmp_path):
    os.mkfifo(tmp_path/'pipe')
    got = []
    reader = threading.Thread(target=lambda: got.append((tmp_path/'pipe').read_bytes()))
    reader.start()
    Run(OLD, name='old').save(tmp_path/'pipe')
    reader.join()
    Run(OLD, name='old').save(tmp_path/'file')
    assert got == [(tmp_path/'file').read_bytes()] and stat.S_ISFIFO((tmp_path/'pipe').stat().st_mode)
    Run(OLD).save('/dev/null')
    assert stat.S_ISCHR(os.stat('/dev/null').st_mode)


PRINTING = """
import os, sys
from irmetrics_nb import Run
if sys.argv[2] == 'link': os.symlink('/proc/self/fd/1', 'link')
print('before')
Run({'q': {'d': 2.0}}, name='mine').save(sys.argv[1])
print('after')
"""


@pytest.mark.parametrize('name', ['/dev/stdout', '/dev/fd/1', '/proc/self/fd/1', '/proc/thread-self/fd/1', 'link'])
@pytest.mark.parametrize('to', ['file', 'pipe'])
def test_saving_to_standard_output_keeps_the_order_of_prints(tmp_path, name, to):
    if name.startswith('/') and not os.path.exists(os.path.dirname(name)): pytest.skip(f'there is no {name} here')
    with open(tmp_path/'out', 'wb') as out:
        done = subprocess.run([sys.executable, '-c', PRINTING, name, name], cwd=tmp_path, check=True,
                              stdout=out if to == 'file' else subprocess.PIPE)
    said = (tmp_path/'out').read_bytes() if to == 'file' else done.stdout
    assert said == b'before\nq Q0 d 1 2 mine\nafter\n' and sorted(os.listdir(tmp_path)) == ['link', 'out'][name != 'link':]


def test_a_file_that_is_open_goes_on_where_it_is(tmp_path):
    with open(tmp_path/'log', 'w+b') as log:
        log.write(b'first, second')
        log.seek(len('first, '))
        write_whole(f'/dev/fd/{log.fileno()}', 'other')
        log.write(b'!')
    assert (tmp_path/'log').read_bytes() == b'first, other!' and os.listdir(tmp_path) == ['log']


def test_the_command_writes_to_the_standard_output_by_its_name(tmp_path):
    (tmp_path/'qrels').write_text('q 0 d 1\n')
    (tmp_path/'run').write_text('q Q0 d 1 2 t\n')
    done = irmetrics_process('evaluate', 'qrels', 'run', '-m', 'AP', '--format', 'csv', '--output', '/dev/stdout', cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, 'run,AP\nt,1.0\n') and sorted(os.listdir(tmp_path)) == ['qrels', 'run']


@pytest.mark.parametrize('form', FORMS)
def test_a_judged_query_without_a_judgment_counts_after_it_was_saved_or_is_refused(tmp_path, form):
    qrels, run = {'q1': {'d': 1}, 'q2': {}}, {'q1': ['d'], 'q2': ['d']}
    if form in ('json', 'json.gz'):
        Qrels(qrels).save(tmp_path/f'qrels.{form}')
        assert evaluate(tmp_path/f'qrels.{form}', run, 'AP').means == evaluate(qrels, run, 'AP').means == {'AP': 1 / 2}
        return
    with pytest.raises(ValueError, match="query 'q2' has no judgments, and this format cannot store such a query; .json can"): Qrels(qrels).save(tmp_path/f'qrels.{form}')
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize('form', FORMS)
@pytest.mark.parametrize('empty', [{}, []])
def test_queries_without_results_are_counted_when_rows_are_written(tmp_path, form, empty):
    answer = {'d': 1.0} if empty == {} else ['d']
    qrels = {q: {'d': 1} for q in 'abcd'}
    run = Run({'a': answer, 'b': empty, 'c': empty, 'd': answer})
    path = tmp_path/f'file.{form}'
    if form in ('json', 'json.gz'):
        run.save(path)
        assert evaluate(qrels, path, 'AP', missing='skip').means == {'AP': 0.5}
        return
    with pytest.warns(DataWarning, match=re.escape(f'file.{form}: 2 queries without results cannot be stored in this format')) as caught:
        run.save(path)
    assert [warning.filename for warning in caught] == [__file__]
    assert evaluate(qrels, path, 'AP', missing='skip').means == {'AP': 1.0}
    assert evaluate(qrels, run, 'AP', conventions='trec_eval').means == {'AP': 1.0}


def test_presets_of_trec_eval_give_what_it_gives_on_the_file(tmp_path):
    qrels = {q: {'d': 1, 'e': 2} for q in 'abc'}
    run = Run({'a': ['d', 'x'], 'b': [], 'c': ['x', 'e', 'd']})
    with pytest.warns(DataWarning, match='1 query without results'): run.save(tmp_path/'run.txt')
    with open(tmp_path/'run.txt') as file: rows = pytrec_eval.parse_run(file)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {'map', 'ndcg'}).evaluate(rows)
    for preset in ('trec_eval', 'trec_eval-9.0.4'):
        ours = evaluate(qrels, run, 'map ndcg', conventions=preset)
        assert ours.query_ids == ('a', 'c') == tuple(theirs)
        for name in ('map', 'ndcg'): assert ours[name].tolist() == pytest.approx([theirs[q][name] for q in 'ac'], abs=1e-9)


# ---- the order given ----

def saved(run, folder, form):
    "A run, saved in a form and read again."
    run.save(Path(folder)/f'file.{form}')
    return Run(Path(folder)/f'file.{form}')


TIED = {'q2': {'b': 1, 'a': 1, 'c': 1, 'd': 2}, 'q1': {'x': 0.5, 'z': 0.5, 'y': 0.5}}


@pytest.mark.parametrize('form', FORMS)
def test_equal_scores_stay_in_the_order_given_in_every_form(tmp_path, form):
    for source in (TIED, [(q, d, s) for q, docs in TIED.items() for d, s in docs.items()]):
        again = saved(Run(source), tmp_path, form)
        ranking = {q: sorted(docs, key=lambda d, docs=docs: -docs[d]) for q, docs in again.to_dict().items()}  # a stable sort
        assert ranking == {'q2': ['d', 'b', 'a', 'c'], 'q1': ['x', 'z', 'y']}
        one, two = ({'q2': {d: 1}, 'q1': {'z': 1}} for d in ('b', 'c'))
        assert evaluate(one, again, 'RR', ties='given').to_dict() == {'q2': {'RR': 1 / 2}, 'q1': {'RR': 1 / 2}}
        assert evaluate(two, again, 'RR', ties='given').to_dict() == {'q2': {'RR': 1 / 4}, 'q1': {'RR': 1 / 2}}


def test_the_ranks_in_a_file_count_the_order_given_and_trec_eval_reads_none(tmp_path):
    run = Run(TIED, name='my run')
    run.save(tmp_path/'file.run')
    lines = 'q2 d 1 2|q2 b 2 1|q2 a 3 1|q2 c 4 1|q1 x 1 0.5|q1 z 2 0.5|q1 y 3 0.5'.split('|')
    assert (tmp_path/'file.run').read_text() == ''.join('{} Q0 {} {} {} my_run\n'.format(*line.split()) for line in lines)
    with open(tmp_path/'file.run') as file: assert pytrec_eval.parse_run(file) == TIED
    for form in ('csv', 'tsv', 'parquet'):
        run.save(tmp_path/f'file.{form}')
        read = pl.read_parquet if form == 'parquet' else lambda path, form=form: pl.read_csv(path, separator=',\t'[form == 'tsv'])
        assert read(tmp_path/f'file.{form}')['rank'].to_list() == [2, 3, 4, 1, 1, 2, 3]
    assert run.to_polars()['rank'].to_list() == run.to_pandas()['rank'].tolist() == [3, 4, 2, 1, 3, 1, 2]  # as trec_eval ranks


NEARLY = [1.0, 1 + 2**-30, 1 - 2**-30, 2.0, 1e39, 2e39, -1e39]  # some are one number, rounded to 32 bits
ROWS = st.lists(st.tuples(st.sampled_from('pq'), st.sampled_from('abcdefgh'), st.sampled_from(NEARLY)), min_size=1, unique_by=lambda row: row[:2])


@given(ROWS)
def test_no_form_changes_what_any_order_of_ties_and_any_precision_of_scores_give(rows):
    qrels = {q: dict(zip('abcdefgh', range(8))) for q in {q for q, _, _ in rows}}
    run = Run(rows)
    each = [{'ties': ties, 'score_dtype': scores} for ties in ('docid', 'given', 'average') for scores in ('float64', 'float32')]
    expected = [evaluate(qrels, run, 'nDCG AP', **options).to_dict() for options in each]
    ranks = sorted(judge(qrels, run, ties='given').rank)
    with tempfile.TemporaryDirectory() as folder:
        for form in ('run', 'csv', 'tsv.gz', 'json', 'parquet'):
            again = saved(run, folder, form)
            assert again.to_dict() == run.to_dict()
            assert [evaluate(qrels, again, 'nDCG AP', **options).to_dict() for options in each] == expected
            assert sorted(judge(qrels, again, ties='given').rank) == ranks


def test_a_packed_file_holds_what_the_other_one_holds(tmp_path):
    for form in ('run', 'csv', 'tsv', 'json'):
        Run(TIED).save(tmp_path/f'a.{form}')
        Run(TIED).save(tmp_path/f'a.{form}.gz')
        assert gzip.decompress((tmp_path/f'a.{form}.gz').read_bytes()) == (tmp_path/f'a.{form}').read_bytes()


# ---- what the end of a name promises ----

@pytest.mark.parametrize('packed', ['', '.gz'])
@pytest.mark.parametrize('form', ['jsonl', 'ndjson'])
def test_json_lines_hold_a_record_each_and_polars_reads_them(tmp_path, form, packed):
    ids = {'q"1': {'a b': 2.5, 'caf\u00e9': 2.5, '': -1.0}, 'q2': {'007': 1.0}}
    Run(ids).save(tmp_path/f'run.{form}{packed}')
    assert Run(tmp_path/f'run.{form}{packed}').to_dict() == ids
    Qrels(ids).save(tmp_path/f'qrels.{form}{packed}')
    assert Qrels(tmp_path/f'qrels.{form}{packed}').to_dict() == ids
    rows = pl.read_ndjson(tmp_path/f'run.{form}{packed}').rows()
    assert rows == [('q"1', 'a b', 2.5), ('q"1', 'caf\u00e9', 2.5), ('q"1', '', -1.0), ('q2', '007', 1.0)]
    with pytest.raises(ValueError, match="query 'q2' has no judgment"): Qrels({'q1': {'d': 1}, 'q2': {}}).save(tmp_path/f'none.{form}')


def test_the_short_name_of_parquet_is_parquet(tmp_path):
    Run(NEW).save(tmp_path/'run.pq')
    assert pl.read_parquet(tmp_path/'run.pq').rows() == [('q1', 'new1', 3.0, 1), ('q1', 'new2', 3.0, 2)]


@pytest.mark.parametrize('form', ['yaml', 'yml', 'xml', 'xls', 'npy', 'pickle', 'sqlite', 'avro', 'YAML.gz'])
def test_a_name_that_promises_another_format_is_refused_and_nothing_is_written(tmp_path, form):
    for pairs in (Run(NEW), Qrels(NEW)):
        with pytest.raises(ValueError, match='cannot be written; use .parquet'): pairs.save(tmp_path/f'x.{form}')
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize('name', ['bm25', 'bm25.v1', 'bm25.k1=0.9', 'run.2024-05-01', 'a.trec', 'a.qrels', 'a.txt', 'a.res'])
def test_other_file_names_are_saved_as_trec_text(tmp_path, name):
    Run({'q1': {'d1': 2.0}}, name='t').save(tmp_path/name)
    assert (tmp_path/name).read_text() == 'q1 Q0 d1 1 2 t\n'


@pytest.mark.parametrize('pairs', [Run({'q': {'caf\udce9': 1.0}}), Run({'q\udcff': {'d': 1.0}}), Qrels({'q': {'caf\udce9': 1}})], ids=str)
def test_ids_that_are_not_utf8_are_refused_by_parquet_and_held_by_all_others(tmp_path, pairs):
    for name in ('x.parquet', 'x.pq'):
        with pytest.raises(ValueError, match=r'Parquet cannot store ids that are not UTF-8: .*\.json and \.csv can'): pairs.save(tmp_path/name)
    assert os.listdir(tmp_path) == []
    for name in ('x.json', 'x.jsonl', 'x.csv', 'x.run'):
        pairs.save(tmp_path/name)
        assert type(pairs)(tmp_path/name).to_dict() == pairs.to_dict()
