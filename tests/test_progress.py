"Progress of long work: in ascending percent, complete at its end, at most 101 calls, and without a change of a number."
import os
import re

import numpy as np
import pytest
from helpers import terminal

from irmetrics_nb import compare, evaluate, identify, load_example, report
from irmetrics_nb.comparing.aligned_scores import TESTS
from irmetrics_nb.comparing.statistics import METHODS, bootstrap_test, randomization_test, tukey_intervals
from irmetrics_nb.evaluation.evaluation import in_percent, parts_of
from irmetrics_nb.forensics import identification

EXAMPLE = load_example()
RANDOM = np.random.default_rng(4)
MANY = {f's{i}': dict(zip(map(str, range(30)), RANDOM.beta(.5, 1, 30).tolist())) for i in range(9)}
GROUPS = {str(q): 'odd' if q % 2 else 'even' for q in range(30)}


def listened(work):
    "What a work returns, and its calls of progress, which must be in order and complete."
    told = []
    result = work(lambda done, total: told.append((done, total)))
    done, total = zip(*told)
    assert {*total} == {100} and list(done) == sorted({*done}) and done[-1] == 100, told
    assert len(told) <= 101
    return result, told


@pytest.mark.parametrize('test', [*TESTS, np.ptp])
@pytest.mark.parametrize('groups', [None, GROUPS], ids=['all', 'groups'])
def test_compare_reports_at_least_ten_times_and_its_numbers_are_the_same(test, groups):
    if callable(test): test = lambda d: 1 / (1 + np.ptp(d))  # noqa: E701, E731
    options = {'test': test, 'groups': groups, 'seed': 3, 'draws': 2000 if test in TESTS and TESTS[test].draws else None}
    heard, told = listened(lambda progress: compare(MANY, progress=progress, **options))
    assert repr(heard.rows) == repr(compare(MANY, **options).rows)
    assert len(told) >= 10


@pytest.mark.parametrize('interval', METHODS)
def test_compare_reports_the_intervals_too(interval):
    few = {name: MANY[name] for name in ('s0', 's1', 's2')}
    heard, _ = listened(lambda progress: compare(few, interval=interval, progress=progress))
    assert repr(heard.rows) == repr(compare(few, interval=interval).rows)


def test_compare_reports_the_evaluation_and_the_tests_as_one_work(tmp_path):
    EXAMPLE.qrels.save(tmp_path / 'qrels.txt')
    for name, run in EXAMPLE.runs.items(): run.save(tmp_path / f'{name}.run')  # noqa: E701
    paths = sorted(tmp_path.glob('*.run'))
    heard, told = listened(lambda progress: compare(tmp_path / 'qrels.txt', paths, 'AP RR', correct_over='all', progress=progress))
    assert repr(heard.rows) == repr(compare(tmp_path / 'qrels.txt', paths, 'AP RR', correct_over='all').rows)
    percents = [done for done, _ in told]
    assert min(percents) < 20 and 50 in percents and len(percents) > 15


@pytest.mark.parametrize('queries', [40, 3000])
def test_the_draws_of_one_test_are_reported_in_batches_and_stay_the_same(queries, monkeypatch):
    monkeypatch.setattr('irmetrics_nb.comparing.statistics.CHUNK', 2**14)
    table = np.random.default_rng(1).normal(.02, 1, (queries, 9))
    works = {
        'randomization': lambda **to: randomization_test(table, draws=2000, **to),
        'bootstrap': lambda **to: bootstrap_test(table[:, 0], resamples=4000, **to),
        'tukey': lambda **to: tukey_intervals(table, draws=200, **to)}
    for name, work in works.items():
        told = []
        heard = work(progress=lambda *call, told=told: told.append(call))
        assert np.array_equal(heard, work(), equal_nan=True)
        done, totals = zip(*told)
        assert list(done) == sorted(done) and len({*totals}) == 1 and done[-1] <= totals[0], name
        assert len({*done}) >= 5, name
        assert name != 'randomization' or done[-1] == totals[0]  # the others do not know their end


def test_joint_randomization_test_equals_single_tests(monkeypatch):
    monkeypatch.setattr('irmetrics_nb.comparing.statistics.CHUNK', 2**14)  # 10 blocks of signs, read in 5 parts
    table = np.round(np.random.default_rng(2).normal(.1, 1, (50, 200)), 2)
    whole = randomization_test(table, draws=3000, seed=1)
    one_by_one = [randomization_test(column, draws=3000, seed=1) for column in table.T]
    assert whole.tolist() == one_by_one


def test_identify_reports_one_work_for_several_measures(monkeypatch):
    run, begun, percents = EXAMPLE.runs['bm25'], [], [0]
    qrels = dict(list(EXAMPLE.qrels.to_dict().items())[:5])
    asked = evaluate(qrels, run, 'AP RR@10').means
    search = identification._search
    monkeypatch.setattr(identification, '_search', lambda *args: begun.append(percents[-1]) or search(*args))
    heard, told = listened(lambda progress: identify(
        qrels, run, asked, progress=lambda *call: percents.append(call[0]) or progress(*call)))
    assert begun == [0, 50] and len(told) >= 10
    assert repr(heard) == repr(identify(qrels, run, asked)) and len(heard)


@pytest.mark.parametrize('names', [['bm25'], ['bm25', 'lsa', 'title', 'tfidf']], ids=len)
def test_a_report_reports_reading_tests_and_check_as_one_work(names):
    runs = {name: EXAMPLE.runs[name] for name in names}
    heard, _ = listened(lambda progress: report(EXAMPLE.qrels, runs, 'AP RR', progress=progress))
    assert heard.to_html() == report(EXAMPLE.qrels, runs, 'AP RR').to_html()


def test_scores_without_progress_need_none():
    scores = evaluate(EXAMPLE.qrels, EXAMPLE.runs, 'AP')
    _, told = listened(lambda progress: compare(scores, progress=progress))
    assert told[0][0] < 10  # the tests are the whole work


def test_parts_are_equal_shares_and_an_empty_part_ends_nothing():
    told = []
    first, second = parts_of(in_percent(lambda *call: told.append(call)), 2)
    first(0, 0)
    first(1, 2)
    second(1, 2)
    second(1, 3)  # never backwards
    second(2, 2)
    assert told == [(0, 100), (25, 100), (75, 100), (100, 100)]


SLOW = '''
import sys, time
import irmetrics_nb.cli_common as common
from irmetrics_nb.cli import main
common.monotonic = lambda ticks=iter(range(10**9)): next(ticks)  # a second for each call
sys.argv[0] = 'irmetrics'
main()
'''


@pytest.mark.skipif(os.name == 'nt', reason='Windows has no pseudo-terminals of this kind')
@pytest.mark.parametrize('args', [
    ['compare', 'qrels.txt', 'runs/bm25.run.gz', 'runs/lsa.run.gz', '-m', 'AP RR', '--test', 'randomization'],
    ['identify', 'qrels.txt', 'runs/bm25.run.gz', 'AP=0.5228'],
    ['report', 'qrels.txt', 'runs/bm25.run.gz', 'runs/lsa.run.gz', '-o']], ids=lambda args: args[0])
def test_a_terminal_shows_a_bar_with_a_percentage(args, tmp_path):
    if args[0] == 'report': args = [*args, tmp_path / 'report.html']  # noqa: E701
    env = {k: v for k, v in os.environ.items() if k not in ('NO_COLOR', 'FORCE_COLOR')} | {'TERM': 'xterm-256color', 'COLUMNS': '100'}
    said, code = terminal('-c', SLOW, *args, cwd=EXAMPLE.folder, env=env)
    plain = re.sub(r'\x1b\[[0-9;?]*[a-zA-Z]', '', said)
    assert code == 0 and '━' in plain and '100%' in plain, plain
