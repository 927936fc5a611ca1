"Several cutoffs of a measure in one text, and results that have the names that were asked for."
import json
import pickle

import pytest
from helpers import irmetrics

from irmetrics_nb import (
    AP,
    Accumulator,
    IPrec,
    P,
    Scores,
    Success,
    assert_no_drop,
    compare,
    evaluate,
    explain,
    gate,
    nDCG,
    parse,
    report,
)
from irmetrics_nb.comparing.gate import Floor, parse_floors
from irmetrics_nb.metrics.parsing import parse_all

QRELS = {'flower': {'roses': 3, 'tulips': 1, 'flour': 0}, 'bread': {'rye': 1}}
RUN = {'flower': ['roses', 'flour', 'tulips'], 'bread': ['wheat', 'rye']}
BEST = {'flower': ['roses', 'tulips'], 'bread': ['rye']}
RUNS = {'old': RUN, 'new': BEST}


@pytest.fixture
def files(tmp_path):
    (tmp_path/'qrels.txt').write_text('flower 0 roses 3\nflower 0 tulips 1\nflower 0 flour 0\nbread 0 rye 1\n')
    (tmp_path/'old.run').write_text('flower Q0 roses 1 9 old\nflower Q0 flour 2 8 old\nflower Q0 tulips 3 6 old\n'
                                    'bread Q0 wheat 1 2 old\nbread Q0 rye 2 1 old\n')
    (tmp_path/'new.run').write_text('flower Q0 roses 1 9 new\nflower Q0 tulips 2 6 new\nbread Q0 rye 1 2 new\n')
    return tmp_path


@pytest.mark.parametrize('text, measures', [
    ('nDCG@1,5,10', [nDCG @ 1, nDCG @ 5, nDCG @ 10]), ('nDCG@1, 5', [nDCG @ 1, nDCG @ 5]), ('nDCG@1 , 5 AP', [nDCG @ 1, nDCG @ 5, AP]),
    ('IPrec@0.1,.5', [IPrec @ .1, IPrec @ .5]), ('P(rel=2)@5,10, AP', [P(rel=2) @ 5, P(rel=2) @ 10, AP]),
    ('nDCG@1,5,P@1,5', [nDCG @ 1, nDCG @ 5, P @ 1, P @ 5]), ('P.5,10', [P @ 5, P @ 10]), ('AP, nDCG@10', [AP, nDCG @ 10]),
    ("xgboost:map@5,10", [AP(divisor='min(R,k)') @ 5, AP(divisor='min(R,k)') @ 10]), ('P@5,11pt_avg', parse_all('P@5 11pt_avg')),
    ('nDCG @ 5,5', [nDCG @ 5]), (['nDCG@1,5', P @ 5, 'P@5,10'], [nDCG @ 1, nDCG @ 5, P @ 5, P @ 10])])
def test_a_number_after_a_comma_repeats_the_measure_with_another_cutoff(text, measures):
    assert parse_all(text) == measures


@pytest.mark.parametrize('text, says', [
    ('AP,5', "unknown measure 'AP,5'"), ('5', "unknown measure '5'"), ('nDCG@1 5', "unknown measure '5'"),
    ('nDCG@,5', "'@' in 'nDCG@,5' is not a measure"), ('P.5, 10', "unknown measure '10'"), ('Rprec@5,10', 'Rprec takes no cutoff'),
    ('nDCG@1,500x', "unknown measure '500x'"), ('nDCG@1,0', 'nDCG@0'), ('nDCG@5-l2,10', "'nDCG@5-l2,10' is not a measure"),
    ('nDCG@1,1.5', 'whole number'), ('nDCG@1,2.5.3', 'is not a measure'), (['5,10'], "unknown measure '5,10'")])
def test_a_number_that_repeats_no_measure_is_a_clear_error(text, says):
    with pytest.raises(ValueError) as error:
        parse_all(text)
    assert says in str(error.value)


def test_one_measure_is_needed_where_only_one_is_possible():
    with pytest.raises(ValueError, match=r"'nDCG@5,10' names 2 measures, such as nDCG@5, but only one is allowed here"):
        parse('nDCG@5,10')
    with pytest.raises(ValueError, match='names 2 measures'):
        explain('nDCG@5,10', [1, 0])


def test_several_cutoffs_work_wherever_measures_are_read():
    by_hand = {'P(rel=2)@1': .5, 'P(rel=2)@2': .25}  # only roses counts: 1 and 0, then 1/2 and 0
    assert evaluate(QRELS, RUN, 'P(rel=2)@1,2').means == evaluate(QRELS, RUN, ['P(rel=2)@1,2']).means == by_hand
    assert evaluate(QRELS, RUN, 'IPrec@0.5,1').means == pytest.approx({'IPrec@0.5': .75, 'IPrec@1': (2/3 + 1/2) / 2})
    assert compare(QRELS, RUNS, 'P@1,2').sample.measures == ('P@1', 'P@2')
    assert [verdict.measure for verdict in assert_no_drop(QRELS, RUN, RUN, 'P@1,2,3', fail_if_worse='P@1,3').verdicts] == ['P@1', 'P@3']
    assert Accumulator('P@1,2').update([0, 1], [2, 1]).compute() == {'P@1': 0, 'P@2': .5}
    assert [*report(QRELS, RUN, 'P@1,2').scores] == ['P@1', 'P@2']


def test_a_floor_of_several_cutoffs_holds_for_each():
    assert parse_floors('P(rel=2)@1,2=0.3') == [Floor('P(rel=2)@1', .3), Floor('P(rel=2)@2', .3)]
    assert parse_floors(['short:P@5, 10=0.3', Floor('AP', .1)]) == [Floor('P@5', .3, 'short'), Floor('P@10', .3, 'short'), Floor('AP', .1)]
    checked = gate(compare(QRELS, {'old': BEST, 'new': RUN}, 'P(rel=2)@1,2', baseline='old'), floors='P(rel=2)@1,2=0.3')
    assert [(verdict.measure, verdict.passed) for verdict in checked.verdicts if verdict.check == 'floor'] == [
        ('P(rel=2)@1', True), ('P(rel=2)@2', False)]
    for wrong in ('P@5,10', 'P@5,10=x', '5,10=0.3', 'P.5,10=0.3'):
        with pytest.raises(ValueError, match='is not a valid minimum|unknown measure|names 2 measures'):
            parse_floors(wrong)


def test_the_command_reads_several_cutoffs(files):
    done = irmetrics('evaluate', 'qrels.txt', 'old.run', '-m', 'P(rel=2)@1,2 AP', '--format', 'csv', cwd=files)
    assert done.stdout == 'run,P(rel=2)@1,P(rel=2)@2,AP\nold,0.5,0.25,0.6666666666666666\n'  # AP: 5/6 and 1/2
    done = irmetrics('evaluate', 'qrels.txt', 'old.run', '--min', 'P(rel=2)@1,2=0.3', cwd=files)
    assert done.returncode == 3 and done.stderr.count('minimum not reached') == 1
    assert 'P(rel=2)@2 of old: 0.2500, at least 0.3' in done.stderr
    done = irmetrics('explain', 'qrels.txt', 'old.run', 'flower', '-m', 'P@1,2', cwd=files)
    assert 'P@1 = 1 / 1 = 1.0000' in done.stdout and 'P@2 = 1 / 2 = 0.5000' in done.stdout
    done = irmetrics('compare', 'qrels.txt', 'new.run', 'old.run', '-m', 'P@1,2', '--fail-if-worse', 'P@1,2', '--min', 'P@1,2=0.5', '--require', 'any', cwd=files)
    assert done.returncode == 3 and done.stdout.count('FAILED: P@') == 2 and done.stdout.count('passed: P@') == 2
    done = irmetrics('evaluate', 'qrels.txt', 'old.run', '-m', 'AP,5', cwd=files)
    assert done.returncode == 2 and "unknown measure 'AP,5'" in done.stderr


def test_results_have_the_names_that_were_asked_for():
    scores = evaluate(QRELS, RUN, 'HR@1,2 map ERR', names='asked')
    assert [*scores] == [*scores.means] == ['HR@1', 'HR@2', 'map', 'ERR']
    assert scores.means['HR@1'] == .5 and scores.means['HR@2'] == 1  # roses first, rye second
    assert scores.means['Success@1'] == .5 and [*scores['success_2']] == [1, 1] and Success @ 1 in scores
    assert scores.flat_means()['HR_at_2'] == 1
    assert [*pickle.loads(pickle.dumps(scores))] == [*scores]
    assert json.loads(scores.to_json())[0]['means']['HR@1'] == .5 and scores.to_dict()['bread']['HR@1'] == 0
    assert [*evaluate(QRELS, RUN, 'HR@1,2').means] == ['Success@1', 'Success@2']  # as ever
    with pytest.raises(ValueError, match="names must be 'standard' or 'asked', not 'own'"):
        evaluate(QRELS, RUN, 'AP', names='own')


def test_parameters_of_conventions_keep_the_names():
    scores = evaluate(QRELS, RUN, 'map@2', conventions='xgboost', names='asked')
    assert [*scores.means] == ['map@2'] and scores.measures == (AP(divisor='min(R,k)') @ 2,)
    compared = compare(QRELS, RUNS, 'map@2', conventions='xgboost', names='asked')
    assert 'map@2 (relevant from grade 1 on; divided by the number of relevant documents, at most k; cutoff 2)' in compared.method_sentence()
    assert scores.means == pytest.approx(dict.fromkeys(['map@2'], evaluate(QRELS, RUN, 'map@2', conventions='xgboost').means["AP(divisor='min(R,k)')@2"]))


def test_a_text_of_several_measures_and_a_measure_keep_the_standard_names():
    assert [*evaluate(QRELS, RUN, ['P.1,2', Success @ 1, 'hr@1', 'hr@2'], names='asked').means] == ['P@1', 'P@2', 'Success@1', 'hr@2']


def test_two_names_of_one_measure_are_one_column_with_the_first_name(tmp_path):
    scores = evaluate(QRELS, RUN, 'HR@1 AP hit@1 HR@1', names='asked')
    assert scores.means == pytest.approx({'HR@1': .5, 'AP': 2/3}) and scores.means['hit@1'] == .5
    for name in ('scores.csv', 'scores.json'):
        scores.save(tmp_path/name)
        first = 'HR@1' if name.endswith('.json') else 'Success@1'  # JSON has the measures as asked
        assert Scores.load(tmp_path/name).means == pytest.approx({first: .5, 'AP': 2/3})
    compared = compare(QRELS, RUNS, 'HR@1 AP hit@1', names='asked', baseline='old')
    assert compared.sample.measures == ('HR@1', 'AP') and compared.pair('old', 'new', 'hit@1').difference == .5
    accumulator = Accumulator('HR@1 AP hit@1', names='asked').update([0, 1], [2, 1])
    assert accumulator.compute() == {'HR@1': 0, 'AP': .5} and accumulator.compute()['Success@1'] == 0
    with pytest.raises(ValueError, match='different measures or options'):
        accumulator.merge(Accumulator('Success@1 AP'))
    asked = ['ndcg@10', "nDCG(gain='exp')@10"]  # one measure by the conventions
    assert [*evaluate(QRELS, RUN, asked, conventions='lightgbm', names='asked').means] == [asked[0]]


def test_the_command_prints_the_names_that_were_asked_for(files):
    done = irmetrics('evaluate', 'qrels.txt', 'old.run', '-m', 'HR@1,2', '--names', 'asked', '--format', 'csv', '--min', 'HR@1=0.6', cwd=files)
    assert done.stdout == 'run,HR@1,HR@2\nold,0.5,1.0\n' and done.returncode == 3
    assert done.stderr == 'irmetrics: minimum not reached: HR@1 of old: 0.5000, at least 0.6\n'
    done = irmetrics('compare', 'qrels.txt', 'old.run', 'new.run', '-m', 'HR@1', '--names', 'asked', '--fail-if-worse', 'HR@1', cwd=files)
    assert 'HR@1' in done.stdout and 'Success' not in done.stdout
    assert irmetrics('report', 'qrels.txt', 'old.run', 'new.run', '-m', 'HR@1', '--names', 'asked', '-o', 'report.md', cwd=files).returncode == 0
    assert '| HR@1' in (files/'report.md').read_text()
    done = irmetrics('evaluate', 'qrels.txt', 'old.run', '--names', 'own', cwd=files)
    assert done.returncode == 2 and "'own' is not one of 'standard', 'asked'" in done.stderr
    assert 'ndcg_cut_' in irmetrics('measures', '--names', cwd=files).stdout  # a flag, as before
