"From judgments and a run to numbers: every form of input, every convention, and parts put together."
import numpy as np
import oracles
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import usual

from irmetrics_nb import ERR, DataError, Run, Scores, compare, evaluate, explain, from_records, gate, load_example
from irmetrics_nb.core.choices import CHOICES
from irmetrics_nb.evaluation.conventions import Conventions
from irmetrics_nb.metrics.parsing import parse
from irmetrics_nb.metrics.registry import KINDS


@pytest.mark.parametrize('empty', [{}, []])
def test_a_query_with_an_empty_answer_is_not_missing(empty):
    answer = {'d': 1.0} if empty == {} else ['d']
    scores = evaluate({'a': {'d': 1}, 'b': {'d': 1}}, {'a': answer, 'b': empty, 'c': answer}, 'RR')
    assert (scores.missing, scores.unjudged) == (0, 1) and scores.means == {'RR': 0.5}


TEN = {f'q{i}': {'d': 1} for i in range(10)}  # of which q0 is answered with nothing
EMPTY_FORMS = {
    'dicts': {q: {'d': 1.0} for q in TEN} | {'q0': {}},
    'lists': {q: ['d'] for q in TEN} | {'q0': []},
    'tuples': dict.fromkeys(TEN, ('d',)) | {'q0': ()},
    'arrays': {q: np.array(['d']) for q in TEN} | {'q0': np.array([])},
    'pairs': {q: [('d', 1.0)] for q in TEN} | {'q0': []},
    'records of hits': {q: [{'doc_id': 'd', 'score': 1.0}] for q in TEN} | {'q0': []},
    'responses': {q: {'hits': {'hits': [{'_id': 'd'}]}} for q in TEN} | {'q0': {'hits': {'hits': []}}},
    'rank_eval': {'details': {q: {'hits': [{'hit': {'_id': 'd'}}]} for q in TEN} | {'q0': {'hits': []}}},
}


@pytest.mark.parametrize('form', EMPTY_FORMS)
@pytest.mark.parametrize('option', [{}, {'duplicates': 'first'}, {'score_dtype': 'float32'}, {'identical_ids': 'skip'}])
def test_an_empty_answer_scores_0_in_every_form(form, option):
    scores = evaluate(TEN, EMPTY_FORMS[form], 'AP', missing='skip', **option)
    assert scores.means == {'AP': 0.9} and scores.missing == 0  # as pytrec_eval has it
    assert '1 answered without results' in str(scores) and ' 0 missing from the run' in str(scores)
    assert explain('AP', TEN, EMPTY_FORMS[form], 'q0', missing='skip', **option).value == 0


def test_an_empty_answer_in_a_json_file_scores_0(tmp_path):
    Run(EMPTY_FORMS['lists']).save(tmp_path / 'run.json')
    assert evaluate(TEN, tmp_path / 'run.json', 'AP', missing='skip').means == {'AP': 0.9}


def test_a_record_without_a_list_is_missing_and_an_empty_list_is_not():
    records = [{'query': q, 'retrieved': ['d'], 'relevant': ['d']} for q in TEN]
    for nothing, mean, missing in (([], 0.9, 0), (None, 1.0, 1)):
        records[0]['retrieved'] = nothing
        scores = evaluate(*from_records(records), 'AP', missing='skip')
        assert scores.means == {'AP': mean} and scores.missing == missing


def test_parts_with_an_empty_answer_are_put_together():
    first = evaluate({'q0': {'d': 1}}, {'q0': []}, 'AP', missing='skip', part=True)
    rest = {q: docs for q, docs in TEN.items() if q != 'q0'}
    scores = Scores.concat([first, evaluate(rest, EMPTY_FORMS['lists'], 'AP', missing='skip', part=True)])
    assert scores.means == {'AP': 0.9} and scores.missing == 0


def test_an_empty_answer_counts_as_answered_in_coverage():
    whole = {q: ['d'] for q in TEN}
    absent = {q: ['d'] for q in TEN if q != 'q0'}
    for run, passed in ((EMPTY_FORMS['lists'], True), (absent, False)):
        for missing in ('zero', 'skip'):
            comparison = compare(TEN, {'whole': whole, 'run': run}, 'AP', missing=missing, baseline='whole')
            assert gate(comparison, max_drop=1, min_coverage=1, require='any').ok is passed


def test_measures_are_parsed_afresh_only_if_they_are_no_text():
    qrels, run = {'a': {'d': 2, 'e': 1}}, {'a': {'e': 2.0, 'd': 1.0}}
    forms = 'RR AP', ['RR', 'AP'], ('RR', 'AP'), iter(['RR', 'AP']), [parse('RR'), 'AP'], {'RR': 1, 'AP': 2}
    for form in forms + forms[:3]:
        assert list(evaluate(qrels, run, form).means) == ['RR', 'AP']
    for form in ([], (), '', ['AP', ['RR']], 'AP nonsense'):
        for _ in range(2):
            with pytest.raises(ValueError): evaluate(qrels, run, form)


def test_the_mean_counts_judged_queries_that_the_run_does_not_answer():
    scores = evaluate({'a': {'d': 1}, 'b': {'d': 1}}, {'a': {'d': 1.0}}, 'RR')
    assert scores.means == {'RR': 0.5} and scores.missing == 1
    assert evaluate({'a': {'d': 1}, 'b': {'d': 1}}, {'a': {'d': 1.0}}, 'RR', missing='skip').means == {'RR': 1.0}


def test_query_without_relevant_documents_scores_0_by_default():
    qrels, run = {'a': {'d': 1}, 'b': {'d': 0}}, {'a': {'d': 1.0}, 'b': {'d': 1.0}}
    assert evaluate(qrels, run, 'RR').means['RR'] == 0.5
    assert evaluate(qrels, run, 'RR', no_relevant='skip').means['RR'] == 1.0
    shown = evaluate(qrels, run, 'RR', no_relevant='nan')
    assert np.isnan(shown['RR'][1]) and shown.means['RR'] == 1.0 and len(shown) == 2


def test_scores_that_differ_in_the_ninth_digit_are_not_a_tie():
    run = {'q': {'a': 0.123456789, 'b': 0.123456788}}  # one number in 32 bits, so b would come first by its id
    assert evaluate({'q': {'a': 1}}, run, 'RR').means['RR'] == 1.0


def test_ties_go_to_the_greater_document_id_or_stay_as_given():
    run = {'q': {'a': 1.0, 'b': 1.0}}
    assert evaluate({'q': {'a': 1}}, run, 'RR').means['RR'] == 0.5
    assert evaluate({'q': {'a': 1}}, run, 'RR', ties='given').means['RR'] == 1.0


def test_junk_counts_as_not_judged_unless_it_is_kept():
    qrels, run = {'q': {'a': 1, 'b': -1}}, {'q': ['b', 'a']}
    assert evaluate(qrels, run, 'CG').means['CG'] == 1.0
    assert evaluate(qrels, run, 'CG', negative='keep').means['CG'] == 0.0


def test_largest_grade_of_err_comes_from_qrels_and_is_shown():
    scores = evaluate({'q': {'a': 1, 'b': 3}}, {'q': ['a']}, 'ERR ERR(max_grade=4)')
    assert scores['ERR'][0] == 1 / 8 and scores['ERR(max_grade=4)'][0] == 1 / 16
    assert list(scores) == ['ERR(max_grade=3)', 'ERR(max_grade=4)'] == list(scores.means)
    assert scores.requested == (ERR, ERR(max_grade=4))
    assert scores['ERR(max_grade=3)'].tolist() == scores['ERR'].tolist() == scores[ERR].tolist()
    assert 'ERR(max_grade=3)' in repr(scores)


@pytest.mark.parametrize('seed', range(3))
def test_every_kind_of_source_gives_the_same_scores(seed, tmp_path):
    qrels, run = oracles.random_collection(seed)
    wanted = 'AP nDCG@10 RR Bpref'
    expected = evaluate(qrels, run, wanted).means
    grades = [(q, d, g) for q, docs in qrels.items() for d, g in docs.items()]
    rows = [(q, d, s) for q, docs in run.items() for d, s in docs.items()]
    heads = [('query_id', 'doc_id', 'relevance'), ('query_id', 'doc_id', 'score')]
    frames = [pl.DataFrame(x, schema=h, orient='row') for x, h in zip((grades, rows), heads)]
    (tmp_path/'qrels.txt').write_text(''.join(f'{q}\t0 {d}  {g}\n' for q, d, g in grades), 'utf-8')
    (tmp_path/'run.txt').write_text(''.join(f'{q} Q0\t{d} 0 {s!r} tag\r\n' for q, d, s in rows).rstrip(), 'utf-8')
    for f, name in zip(frames, ('qrels', 'run')):
        f.write_parquet(tmp_path/f'{name}.parquet')
        f.write_csv(tmp_path/f'{name}.csv')
    sources = [(grades, rows), (iter(grades), iter(rows)), frames, [f.to_pandas() for f in frames],
               [f.to_arrow() for f in frames], *((tmp_path/f'qrels.{x}', tmp_path/f'run.{x}') for x in ('txt', 'parquet', 'csv'))]
    for source in sources: assert evaluate(*source, wanted).means == expected, type(source[0])
    assert isinstance(sources[4][0], pa.Table) and isinstance(sources[3][0], pd.DataFrame)


EVERY = [*(repr(usual(k, 5)) if k != 'ERR' else 'ERR(max_grade=5)' for k in KINDS), 'P@5', 'R@30', 'nDCG@10', 'AP(rel=2)@10',
         "nDCG(gain='exp', discount='jarvelin', b=3)@5", 'RBP(p=.5)', 'ERR(max_grade=4)@10', 'AP(judged_only=True)', 'IPrec@0.5']
FACTS = 'missing no_relevant unjudged conventions measures'.split()


def part_of(source, queries):
    return {q: docs for q, docs in source.items() if q in queries}


def same_scores(parts, whole):
    "Whether parts put together are the whole, to the last bit, with all that is counted."
    scores = Scores.concat(parts)
    assert {q: repr(v) for q, v in scores.to_dict().items()} == {q: repr(v) for q, v in whole.to_dict().items()}
    assert [getattr(scores, f) for f in FACTS] == [getattr(whole, f) for f in FACTS]
    return scores


@given(st.integers(0, 10**6), st.integers(1, 6), st.sampled_from(['zero', 'skip']), st.sampled_from(['zero', 'skip', 'nan']))
@settings(max_examples=40, deadline=None)
def test_scores_of_parts_put_together_are_the_scores_of_the_whole(seed, many, missing, no_relevant):
    "Parts split by query: some have no judgments, some no results, some no query in common."
    qrels, run = oracles.random_collection(seed, queries=12)
    if not set(qrels) & set(run): return
    options = dict(measures=EVERY, missing=missing, no_relevant=no_relevant)
    names = np.random.default_rng(seed).permutation(sorted(set(qrels) | set(run))).tolist()
    split = [set(names[i::many]) for i in range(many)]
    same_scores([evaluate(part_of(qrels, p), part_of(run, p), part=True, **options) for p in split], evaluate(qrels, run, **options))


@pytest.mark.parametrize('many', [1, 2, 7, 60])
def test_parts_of_the_example_collection_put_together_are_the_whole(many):
    example = load_example()
    qrels, run = example.qrels.to_dict(), example.runs['bm25'].to_dict()
    for q in list(qrels)[3::9]: del run[q]                     # some queries without results
    run |= {f'nobody judged {i}': {'a': 1.0} for i in range(5)}  # and some without judgments
    names = [*qrels, *(q for q in run if q not in qrels)]
    split = [set(names[i::many]) for i in range(many)]
    whole = evaluate(qrels, run, EVERY)
    assert (whole.missing, whole.unjudged) == (len(list(qrels)[3::9]), 5)
    scores = same_scores([evaluate(part_of(qrels, p), part_of(run, p), EVERY, part=True) for p in split], whole)
    assert scores.means == pytest.approx(whole.means, rel=1e-12) and scores.runs[0].reading == f'combined from {many} parts'


@pytest.mark.parametrize('form', [dict, pl.DataFrame, pd.DataFrame, pa.table, list])
def test_a_part_without_results_or_without_judgments_may_come_in_any_form(form):
    def made(rows, number):
        if form is list: return rows
        if form is dict: return {q: {d: x} for q, d, x in rows}
        columns = {name: [r[i] for r in rows] for i, name in enumerate(('query_id', 'doc_id', number))}
        return form(columns)
    qrels, run = [('a', 'd', 1)], [('b', 'd', 1.0)]
    options = dict(measures='RR', part=True)
    nothing_found = evaluate(made(qrels, 'relevance'), made([], 'score'), **options)
    nothing_judged = evaluate(made([], 'relevance'), made(run, 'score'), **options)
    apart = evaluate(made(qrels, 'relevance'), made(run, 'score'), **options)
    assert [s.to_dict() for s in (nothing_found, nothing_judged, apart)] == [{'a': {'RR': 0}}, {}, {'a': {'RR': 0}}]
    assert [(s.missing, s.unjudged) for s in (nothing_found, nothing_judged, apart)] == [(1, 0), (0, 1), (1, 1)]


def test_a_whole_without_a_common_query_or_without_rows_is_an_error():
    for qrels, run in (({'a': {'d': 1}}, {'b': {'d': 1}}), ({'a': {'d': 1}}, {}), ({}, {'a': {'d': 1}})):
        with pytest.raises(DataError): evaluate(qrels, run, 'AP')


def test_a_query_that_the_run_names_without_a_document_is_not_one_without_judgments():
    for run in ({'a': {'d': 1}, 'b': {}, 'c': {}}, {'a': ['d'], 'b': [], 'c': []}):
        scores = evaluate({'a': {'d': 1}, 'b': {'d': 1}}, run, 'RR')
        assert (scores.missing, scores.unjudged, scores.means) == (0, 0, {'RR': 0.5})


def test_measures_without_relevance_do_not_affect_no_relevant():
    qrels, run = {'a': {'d': 1}, 'b': {'d': 0}}, {'a': {'d': 1}, 'b': {'d': 1}}
    for measures in ('AP', 'AP NumRet', 'AP Judged@10', 'NumRet AP Judged@1'):
        assert evaluate(qrels, run, measures).no_relevant == 1
        assert len(evaluate(qrels, run, measures, no_relevant='skip')) == 1
    assert evaluate(qrels, run, 'NumRet').no_relevant == 0


def test_equal_text_and_number_ids_in_a_dict_are_duplicates():
    for docs in ({'a': 1., '5': 2., 5: 3.}, {5: 3., '5': 2.}, {'5': 1., b'5': 2.}):
        with pytest.raises(DataError, match="duplicate document '5' in query '1'"): Run({'1': docs})
    for odd in (None, 1.5, float('nan')):
        with pytest.raises(DataError, match='an id must be text'): Run({'1': {'a': 1., odd: 3.}})


@pytest.mark.parametrize(('name', 'choice'), [(name, choice) for name in CHOICES for choice in CHOICES[name]])
def test_result_shows_its_conventions(name, choice):
    scores = evaluate({'a': {'d': 1}}, {'a': {'d': 1.0}}, 'RR', **{name: choice})
    largest = {'max_rel': 1.0} if choice == 'bounds' else {}  # of the judgments
    assert scores.conventions == Conventions(**{name: choice}, **largest)
    assert CHOICES[name][choice] in ' '.join(repr(scores).split())
    with pytest.raises(ValueError, match=f'{name} must be .*, not .never'):
        evaluate({'a': {'d': 1}}, {'a': {'d': 1.0}}, 'RR', **{name: 'never'})


def test_a_measure_may_look_at_judged_documents_only():
    found = evaluate({'q': {'a': 1, 'b': 1}}, {'q': ['x', 'a', 'y', 'b']}, 'P@2 P(judged_only=True)@2')
    assert found.means == {'P@2': 0.5, 'P(judged_only=True)@2': 1.0}
