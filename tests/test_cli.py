"The command line, from end to end, as a shell runs it."
import gzip
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from importlib import import_module
from inspect import signature
from itertools import groupby
from typing import get_args

import polars as pl
import pytest
from helpers import irmetrics, irmetrics_process

from irmetrics_nb import PRESETS, compare, load_example
from irmetrics_nb.core.choices import CHOICES

QRELS = 'flower 0 roses 3\nflower 0 tulips 1\nflower 0 flour 0\nbread 0 rye 1\n'
RUN = ('flower Q0 roses 1 9.1 toy\nflower Q0 flour 2 8.5 toy\nflower Q0 tulips 3 6.2 toy\n'
       'bread Q0 wheat 1 2.5 toy\nbread Q0 rye 2 1.5 toy\n')
AP = (1 + 2 / 3) / 2, 1 / 2  # by hand: flower finds roses first and tulips third, bread finds rye second


@pytest.fixture
def files(tmp_path):
    (tmp_path/'qrels.txt').write_text(QRELS)
    (tmp_path/'run.txt').write_text(RUN)
    return tmp_path


@pytest.mark.parametrize('args', [
    ['evaluate', 'qrels.txt', 'run.txt'], ['evaluate', '-', 'run.txt'], ['evaluate', 'run.txt', 'qrels.txt'],
    ['evaluate', 'qrels.txt', 'run.txt', '-m', 'nDGC'], ['evaluate', '--help'], ['evaluate', 'nobody.txt', 'run.txt'], ['sing']])
def test_command_prints_the_same_in_a_separate_process(files, args):
    own, here = (run(*args, cwd=files, stdin=QRELS.encode()) for run in (irmetrics_process, irmetrics))
    assert (own.returncode, own.stdout, own.stderr) == (here.returncode, here.stdout, here.stderr)


def test_command_without_arguments_prints_its_usage():
    # Its frame differs with the shell that typer finds above the process, so the lines are not compared.
    for done in (irmetrics_process(), irmetrics()):
        assert done.returncode == 2 and done.stderr == ''
        assert 'Usage: irmetrics [OPTIONS] COMMAND' in done.stdout and ' evaluate ' in done.stdout


@pytest.mark.parametrize('args, says', [
    ([], "Missing argument 'QRELS'."),
    (['qrels.txt', 'run.txt', '-m', 'nDGC@10'], "'nDGC@10': unknown measure 'nDGC'; did you mean nDCG?"),
    (['qrels.txt', 'run.txt', '--ties', 'x'], "Invalid value for '--ties': 'x' is not one of 'docid',"),
    (['qrels.txt', 'run.txt', '--mesures', 'AP'], 'No such option: --mesures'),
    (['qrels.txt', 'run.txt', '--ties'], "Option '--ties' requires an argument."),
    (['', 'run.txt'], "Invalid value for 'QRELS': the path is empty"),
    (['nobody.txt', 'run.txt'], 'nobody.txt: there is no such file'),
    (['run.txt', 'qrels.txt'], 'run.txt, line 1: '),
])
def test_all_errors_of_the_command_have_one_form(args, says, files):
    done = irmetrics('evaluate', *args, cwd=files)
    assert done.stdout == '' and done.returncode == (1 if '.txt' in says else 2)
    error, *usage = done.stderr.splitlines()
    assert error.startswith(f'irmetrics: error: {says}')
    assert all(line.startswith('irmetrics: usage: irmetrics evaluate [OPTIONS] {QRELS} [RUN...]; ') for line in usage)
    assert len(usage) == (done.returncode == 2 and 'requires' not in says)


def test_every_convention_and_every_preset_is_a_choice_of_the_commands():
    options = signature(import_module('irmetrics_nb.cli_compare')._compare_command).parameters
    for name, table in (CHOICES | {'conventions': PRESETS}).items():
        assert get_args(get_args(get_args(options[name].annotation)[0])[0]) == tuple(table), name


def test_the_app_has_every_command_after_one_import():
    program = "from irmetrics_nb.cli import COMMANDS, app\nprint([c.name for c in app.registered_commands] == [*COMMANDS], *COMMANDS)"
    ran = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)
    assert ran.stdout == 'True evaluate compare power explain report check worst identify differ audit verify select fuse pool agreement similarity measures demo\n'


def test_importing_the_command_loads_no_library_of_tables_statistics_or_plots():
    program = "import sys, irmetrics_nb.cli\nprint([name for name in ('polars', 'scipy', 'matplotlib') if name in sys.modules], 'typer' in sys.modules)"
    ran = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)
    assert ran.stdout == '[] True\n'


def test_a_run_builds_the_command_that_it_names_and_leaves_the_others_for_the_next(files):
    from irmetrics_nb.cli import COMMANDS, app

    for args in ['evaluate', 'qrels.txt', 'run.txt'], ['--version'], ['sing'], ['evaluate', 'qrels.txt', 'nobody.txt']:
        irmetrics(*args, cwd=files)
        assert {command.name for command in app.registered_commands} == {*COMMANDS}


def test_its_module_is_the_command_as_well(files):
    code = ['-m', 'irmetrics_nb.cli', 'explain', 'qrels.txt', 'run.txt', 'flower', '-m', 'AP']
    done = subprocess.run([sys.executable, *code], cwd=files, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, irmetrics(*code[2:], cwd=files).stdout) and done.stdout.startswith('AP = ')


def test_evaluate_prints_a_table_of_means(files):
    done = irmetrics('evaluate', files/'qrels.txt', files/'run.txt', '-m', 'AP nDCG@10 RR')
    assert done.returncode == 0 and done.stderr == ''
    line = next(x for x in done.stdout.splitlines() if x.startswith('AP'))
    assert line.split()[1] == f'{sum(AP) / 2:.4f}' and 'ties by document id' in ' '.join(done.stdout.split())


def test_evaluate_writes_every_query_as_csv(files):
    out = files/'ap.csv'
    done = irmetrics('evaluate', files/'qrels.txt', files/'run.txt', '-m', 'AP', '--per-query', '--format', 'csv', '--output', out)
    assert (done.returncode, done.stdout, done.stderr) == (0, '', '')
    table = pl.read_csv(out)
    assert table['query_id'].to_list() == ['flower', 'bread'] and table['AP'].to_list() == pytest.approx(AP, abs=1e-15)


def test_evaluate_gives_json_that_a_program_reads(files):
    done = irmetrics('evaluate', files/'qrels.txt', files/'run.txt', '-m', 'AP', '--per-query', '--format', 'json')
    [scores] = json.loads(done.stdout)
    assert scores['run'] == 'toy' and scores['per_query']['bread'] == {'AP': AP[1]} and scores['missing'] == 0


def test_several_runs_give_one_table(files):
    with gzip.open(files/'other.run.gz', 'wt') as f: f.write(RUN.replace('toy', 'other').replace('9.1', '0.1'))
    done = irmetrics('evaluate', files/'qrels.txt', files/'run.txt', files/'other.run.gz', '-m', 'AP RR', '--format', 'markdown')
    rows = [x for x in done.stdout.splitlines() if x.startswith('|')]
    assert done.returncode == 0 and len(rows) == 4 and 'toy' in rows[2] and 'other' in rows[3]


@pytest.mark.parametrize('names, shown', [
    (['run.txt', 'again.txt'], ['toy (run.txt)', 'toy (again.txt)']),
    (['run.txt', 'other.txt', 'a/run.txt'], ['toy (run.txt)', 'other', 'toy (a/run.txt)']),
    (['run.txt', 'other.txt'], ['toy', 'other'])])
def test_runs_with_equal_names_show_their_files(files, names, shown):
    (files/'a').mkdir()
    for name in names: (files/name).write_text(RUN.replace('toy', 'other') if 'other' in name else RUN)
    done = irmetrics('evaluate', 'qrels.txt', *names, '-m', 'AP', '--format', 'json', cwd=files)
    assert [s['run'] for s in json.loads(done.stdout)] == shown
    table = irmetrics('evaluate', 'qrels.txt', *names, '-m', 'AP', '--per-query', cwd=files).stdout
    assert all(name in table for name in shown)


@pytest.mark.parametrize('packed', [False, True])
def test_one_file_may_come_from_the_standard_input(files, packed):
    expected = irmetrics('evaluate', 'qrels.txt', 'run.txt', cwd=files).stdout
    for args, name in ((['qrels.txt', '-'], 'run.txt'), (['-', 'run.txt'], 'qrels.txt')):
        data = (files/name).read_bytes()
        done = irmetrics('evaluate', *args, cwd=files, stdin=gzip.compress(data) if packed else data)
        assert (done.stdout, done.stderr, done.returncode) == (expected, '', 0)


@pytest.mark.parametrize('data, words', [
    (b'', 'standard input is empty'), (RUN.encode() + b'x', 'line 6: 1 column'), (gzip.compress(RUN.encode())[:-9], 'truncated'), (b'PK\x03\x04' * 9, 'zip'),
    (b'[["flower", "roses", 1, 2]]', 'item 1')], ids=['nothing', 'a short line', 'half a gzip', 'a zip', 'JSON'])
def test_errors_in_standard_input_are_reported_in_one_line(files, data, words):
    done = irmetrics('evaluate', 'qrels.txt', '-', cwd=files, stdin=data)
    assert done.returncode == 1 and done.stderr.startswith('irmetrics: error: standard input') and words in done.stderr
    assert done.stderr.count('\n') == 1


def test_the_standard_input_is_read_once(files):
    for args in (['-', '-'], ['qrels.txt', '-', '-']):
        done = irmetrics('evaluate', *args, cwd=files, stdin=RUN.encode())
        assert done.returncode == 2 and 'only once' in done.stderr


@pytest.fixture
def large(tmp_path):
    "A grouped run of 5 MB, and the same with its queries scattered."
    lines = [f'q{q} Q0 document{d} {d} {300 - d}.5 toy\n' for q in range(500) for d in range(300)]
    (tmp_path/'qrels.txt').write_text(''.join(f'q{q} 0 document1 1\n' for q in range(500)))
    (tmp_path/'run.txt').write_text(''.join(lines))
    (tmp_path/'scattered.txt').write_text(''.join(lines[i] for d in range(300) for i in range(d, len(lines), 300)))
    return tmp_path


def test_memory_is_bounded_by_an_option_and_reported(large):
    done = irmetrics_process('evaluate', 'qrels.txt', 'run.txt', 'scattered.txt', '-m', 'RR', '--memory', '8MB', '--verbose', '--format', 'csv', cwd=large)
    assert done.stdout == 'run,RR\ntoy (run.txt),0.5\ntoy (scattered.txt),0.5\n'
    grouped, scattered, peak = done.stderr.splitlines()
    assert re.fullmatch(r'irmetrics: run.txt was read in 1\d batches', grouped)
    assert re.fullmatch(r'irmetrics: scattered.txt was read in 3 parts, because the rows of a query are not adjacent', scattered)
    assert 30 < int(re.fullmatch(r'irmetrics: peak memory: (\d+) MB', peak)[1]) < 1000
    plain = irmetrics('evaluate', 'qrels.txt', 'run.txt', 'scattered.txt', '-m', 'RR', '--format', 'csv', cwd=large)
    assert plain.stdout == done.stdout and plain.stderr == ''


@pytest.mark.parametrize('size', ['', '0', 'much', '-5MB', '5XB', '1e9', 'nan'])
def test_a_memory_that_is_no_size_is_bad_usage(files, size):
    done = irmetrics('evaluate', 'qrels.txt', 'run.txt', '--memory', size, cwd=files)
    assert done.returncode == 2 and 'is not a size' in done.stderr and done.stdout == ''


def test_the_result_goes_to_stdout_also_when_a_bar_was_shown(files):
    "The bar takes hold of both streams; stderr is a terminal here, stdout is not."
    code = 'import itertools, irmetrics_nb.cli_common as c; c.monotonic = itertools.count(0, 5).__next__; import irmetrics_nb.cli; irmetrics_nb.cli.main()'
    terminal, stderr = os.openpty()
    done = subprocess.run([sys.executable, '-c', code, 'evaluate', 'qrels.txt', 'run.txt', '-m', 'AP'], cwd=files, stdout=subprocess.PIPE,
                          stderr=stderr, stdin=subprocess.DEVNULL, text=True, env=os.environ | {'TERM': 'xterm'})
    os.close(stderr)
    assert done.returncode == 0 and 'AP' in done.stdout and '0.66' in done.stdout
    assert b'\x1b[' in os.read(terminal, 10_000)  # a bar there was
    os.close(terminal)


@pytest.mark.parametrize('format', ['table', 'markdown', 'html', 'latex', 'csv', 'json'])
def test_every_format_holds_the_value(files, format):
    done = irmetrics('evaluate', files/'qrels.txt', files/'run.txt', '-m', 'AP', '--format', format)
    assert done.returncode == 0 and f'{sum(AP) / 2:.4f}'[:5] in done.stdout


def test_the_policies_can_be_chosen(files):
    (files/'run.txt').write_text(RUN.split('bread')[0])
    means = [json.loads(irmetrics('evaluate', files/'qrels.txt', files/'run.txt', '-m', 'AP', '--format', 'json', *more).stdout)
             [0]['means']['AP'] for more in ([], ['--missing', 'skip'])]
    assert means == pytest.approx([AP[0] / 2, AP[0]])


def test_measures_lists_every_kind():
    from irmetrics_nb.metrics.registry import KINDS
    done = irmetrics('measures', '--format', 'json')
    rows = json.loads(done.stdout)
    assert sorted(r['measure'].split(',')[0] for r in rows) == sorted(KINDS)
    families = [r['family'] for r in rows]
    assert [family for family, _ in groupby(families)] == list(dict.fromkeys(families)), 'each family stands together'
    shown = irmetrics('measures').stdout
    assert all(shown.count(f'\n{family[:9]}') == 1 for family in families)


@pytest.mark.parametrize('words, found', [('ndcg_cut', ['nDCG']), ('RBP patience', ['NERR10']), ('几何 MAP', ['GMAP'])])
def test_measures_are_found_by_words_of_their_question_and_by_names_of_other_tools(words, found):
    rows = json.loads(irmetrics('measures', *words.split(), '--format', 'json').stdout)
    assert [r['measure'].split(',')[0] for r in rows] == found


def test_a_word_that_no_measure_has_is_an_error():
    done = irmetrics('measures', 'patience', 'frobnicate')
    assert done.returncode == 2 and "no measure has 'patience' and 'frobnicate'" in done.stderr


def test_demo_shows_who_differs_and_one_query_in_words_and_ends_with_two_commands_that_work(tmp_path):
    done = irmetrics('demo', cwd=tmp_path)
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, '') and lines[0].split() == ['system', 'nDCG@10', 'AP', 'RR']
    assert len(lines) <= 40 and max(map(len, lines[:-2])) <= 100  # a screen
    example = load_example()
    comparison = compare(example.qrels, example.runs, 'nDCG@10')
    differ = sum(pair.p_adjusted < 0.05 for pair in comparison.rows)
    assert f'nDCG@10: {differ} of 15 pairs differ significantly' in ' '.join(done.stdout.split())
    texts = [t['query'] for t in example.topics.to_dicts() if f'"{t["query"]}"' in ' '.join(done.stdout.split())]
    assert len(texts) == 1
    assert (tmp_path/'demo'/'scores.png').read_bytes().startswith(b'\x89PNG')
    assert set(pl.read_csv(tmp_path/'demo'/'per_query.csv')['run']) >= {'bm25', 'title'}
    assert {path.name for path in (tmp_path/'demo').glob('*.run.gz')} == {f'{name}.run.gz' for name in example.runs}
    for line in lines[-2:]:
        assert irmetrics(*shlex.split(line)[1:], cwd=tmp_path).returncode == 0


def test_help_shows_examples():
    done = irmetrics('evaluate', '--help')
    assert done.returncode == 0 and '"AP nDCG@10 RR"' in done.stdout and '--per-query' in done.stdout
    assert irmetrics('--version').stdout.startswith('irmetrics 0.')


@pytest.mark.parametrize('args', [
    ['evaluate'], ['evaluate', 'qrels.txt'], ['evaluate', 'qrels.txt', 'run.txt', '-m', 'nDGC@10'],
    ['evaluate', 'qrels.txt', 'run.txt', '-m', ''], ['evaluate', 'qrels.txt', 'run.txt', '-m', 'P@0'],
    ['evaluate', 'qrels.txt', 'run.txt', '--format', 'xml'], ['evaluate', 'qrels.txt', 'run.txt', '--ties', 'random'],
    ['evalute', 'qrels.txt', 'run.txt'], ['evaluate', 'qrels.txt', 'run.txt', '--fromat', 'csv']])
def test_usage_errors_print_a_message_and_exit_with_2(files, args):
    done = irmetrics(*args, cwd=files)
    assert done.returncode == 2 and done.stdout == '' and 'Traceback' not in done.stderr and done.stderr.strip()


BAD = {  # what is wrong -> (file that holds it, its content, what the message must name)
    'too few columns': ('run.txt', RUN + 'bread Q0 spelt\n', ['run.txt, line 6', '3']),
    'too many columns': ('qrels.txt', QRELS + 'bread 0 spelt 1 extra\n', ['qrels.txt, line 5', '5']),
    'a score that is no number': ('run.txt', RUN.replace('8.5', 'high'), ['run.txt, line 2', "'high'"]),
    'a score that is NaN': ('run.txt', RUN.replace('8.5', 'nan'), ['run.txt, line 2', "'nan'"]),
    'a grade that is no number': ('qrels.txt', QRELS.replace('tulips 1', 'tulips yes'), ['qrels.txt, line 2', "'yes'"]),
    'an infinite grade': ('qrels.txt', QRELS.replace('tulips 1', 'tulips inf'), ['qrels.txt, line 2', "'inf'"]),
    'a document twice in a query of the run': ('run.txt', RUN + 'flower Q0 roses 4 1.0 toy\n', ['run.txt', '6', "'roses'", "'flower'"]),
    'a document judged twice': ('qrels.txt', QRELS + 'bread 0 rye 0\n', ['qrels.txt', '5', "'rye'", "'bread'"]),
    'an empty file': ('run.txt', '', ['run.txt', 'empty']),
    'only blank lines': ('run.txt', '\n \n\t\n', ['run.txt', 'no rows']),
    'a binary file': ('run.txt', bytes(range(256)) * 20, ['run.txt', 'binary']),
    'a zip archive': ('run.txt', b'PK\x03\x04' + bytes(100), ['run.txt', 'zip']),
    'a truncated gzip': ('run.txt', gzip.compress(RUN.encode() * 99)[:-20], ['run.txt', 'truncated']),
    'no query in common': ('run.txt', RUN.replace('flower', 'x1').replace('bread', 'x2'), ['no query in common', "'flower'", "'x1'"]),
    'qrels given as a run': ('run.txt', QRELS, ['run.txt, line 1', '4', 'qrels']),
    'a run given as qrels': ('qrels.txt', RUN, ['qrels.txt, line 1', '6', 'run']),
    'a broken Parquet file': ('run.txt', b'PAR1' + bytes(50) + b'PAR1', ['run.txt']),
    'broken JSON': ('run.json', '{"flower": {"roses": }}', ['run.json, line 1']),
    'a CSV without a score column': ('run.csv', 'query_id,doc_id,points\nflower,roses,1\n', ['run.csv', 'score']),
    'a CSV with a score that is no number': ('run.csv', 'query_id,doc_id,score\nflower,roses,x\n', ['run.csv', "'x'"]),
    'a file that is not there': ('run.txt', None, ['run.txt', 'no such file']),
    'a directory': ('run.txt', 'directory', ['run.txt', 'directory']),
}


@pytest.mark.parametrize('what', BAD)
def test_bad_data_gives_one_line_that_names_file_line_and_value_and_no_output(files, what):
    name, content, words = BAD[what]
    target, out = files/name, files/'out.csv'
    target.unlink(missing_ok=True)
    if content == 'directory': target.mkdir()
    elif isinstance(content, bytes): target.write_bytes(content)
    elif content is not None: target.write_text(content)
    qrels, run = (target, files/'run.txt') if name.startswith('qrels') else (files/'qrels.txt', target)
    done = irmetrics('evaluate', qrels, run, '-m', 'AP', '--format', 'csv', '--output', out)
    assert done.returncode == 1 and done.stdout == '' and not out.exists()
    assert done.stderr.count('\n') == 1 and all(w in done.stderr for w in words), done.stderr
    assert sorted(p.name for p in files.iterdir() if p.name.startswith('out')) == []


def test_failed_output_is_an_error_and_keeps_the_old_file(files):
    out = files/'nowhere'/'out.csv'
    done = irmetrics('evaluate', files/'qrels.txt', files/'run.txt', '--output', out)
    assert done.returncode == 1 and 'nowhere' in done.stderr and done.stderr.count('\n') == 1
    (files/'old.csv').write_text('old')
    (files/'run.txt').write_text('broken\n')
    assert irmetrics('evaluate', files/'qrels.txt', files/'run.txt', '--output', files/'old.csv').returncode == 1
    assert (files/'old.csv').read_text() == 'old'


def test_a_written_file_takes_the_place_of_the_old_one_and_leaves_nothing_behind(files):
    (files/'old.csv').write_text('old')
    assert irmetrics('evaluate', files/'qrels.txt', files/'run.txt', '--output', files/'old.csv').returncode == 0
    assert 'AP' in (files/'old.csv').read_text()
    assert sorted(p.name for p in files.iterdir()) == ['old.csv', 'qrels.txt', 'run.txt']


def opened_when_read(pipe):
    "Wait until a process opens the pipe to read it; return the end to write to."
    for _ in range(300):
        try: return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError: time.sleep(.1)
    raise TimeoutError(pipe)


def test_ctrl_c_ends_with_one_line_and_130(files):
    os.mkfifo(files/'pipe')  # nobody writes: reading waits until the user has had enough
    work = subprocess.Popen([sys.executable, '-c', 'from irmetrics_nb.cli import main; main()', 'evaluate', files/'qrels.txt',
                             files/'pipe'], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    pipe = opened_when_read(files/'pipe')
    time.sleep(.2)
    work.send_signal(signal.SIGINT)
    out, err = work.communicate(timeout=20)
    os.close(pipe)
    assert work.returncode == 130 and out == '' and err == 'irmetrics: stopped\n'


@pytest.mark.skipif(not os.path.exists('/dev/stdout'), reason='the system has no /dev/stdout')
def test_the_output_may_be_the_standard_output_by_name_and_adds_to_a_file_there(files):
    for into in ('>> log', '| cat >> log'):
        (files/'log').write_text('keep\n')
        command = f'"{sys.executable}" -c "from irmetrics_nb.cli import main; main()" evaluate qrels.txt run.txt --output /dev/stdout {into}'
        subprocess.run(command, shell=True, cwd=files, check=True)
        text = (files/'log').read_text()
        assert text.startswith('keep\n') and 'AP' in text


def test_closed_standard_input_is_a_one_line_error(files):
    command = f'"{sys.executable}" -c "from irmetrics_nb.cli import main; main()" evaluate qrels.txt - <&-'
    done = subprocess.run(command, shell=True, cwd=files, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, 'irmetrics: error: standard input is empty\n')


def test_the_names_of_other_tools_are_listed():
    rows = json.loads(irmetrics('measures', '--names', '--format', 'json').stdout)
    assert {'name': 'ndcg_cut_k', 'tool': 'trec_eval', 'measure': 'nDCG@k'} in rows
    assert {'name': 'hits', 'tool': 'ranx', 'measure': "CG(gain='binary')"} in rows


def test_scores_and_unjudged_documents_are_conventions_of_the_command_line_too(tmp_path):
    (tmp_path / 'q').write_text('1 0 a 1\n')
    (tmp_path / 'r').write_text('1 Q0 a 1 0.123456789 t\n1 Q0 b 2 0.123456788 t\n')
    call = str(tmp_path / 'q'), str(tmp_path / 'r'), '-m', 'RR', '--format', 'json'
    for more, value, said in [((), 1, None), (('--score-dtype', 'float32'), .5, 'scores as 32-bit floats'),
                              (('--score-dtype', 'float32', '--unjudged', 'skip'), 1, 'unjudged documents are removed')]:
        found, = json.loads(irmetrics('evaluate', *call, *more).stdout)
        assert list(found['means'].values()) == [value]
        assert said is None or said in found['conventions']
    (tmp_path / 'other').write_text('1 Q0 a 1 3 u\n')
    for more, mean in [((), 1), (('--score-dtype', 'float32'), .5), (('--conventions', 'trec_eval-9.0.4'), .5), (('--conventions', 'trec_eval'), 1)]:
        compared = json.loads(irmetrics('compare', *call[:2], str(tmp_path / 'other'), *call[2:], *more).stdout)
        assert [(pair['mean_a'], pair['mean_b']) for pair in compared['pairs']] == [(mean, 1)]


def test_conventions_of_a_tool_apply_and_are_shown(tmp_path):
    (tmp_path / 'q').write_text('1 0 a 3\n1 0 b 1\n2 0 a 0\n')
    (tmp_path / 'r').write_text('1 Q0 b 1 2.0 t\n1 Q0 a 2 1.0 t\n2 Q0 a 1 1.0 t\n')
    call = 'evaluate', str(tmp_path / 'q'), str(tmp_path / 'r'), '-m', 'ndcg_cut_2', '--conventions', 'xgboost', '--format', 'json'
    found, = json.loads(irmetrics(*call).stdout)
    assert found['queries'] == 2
    assert list(found['means']) == ["nDCG(gain='exp')@2"]
    assert found['conventions'][0] == 'those of xgboost (3.2.0)'
    left, = json.loads(irmetrics(*call, '--no-relevant', 'skip').stdout)
    assert left['queries'] == 1
