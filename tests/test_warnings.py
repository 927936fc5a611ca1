"Nothing is silently wrong: what `evaluate` refuses, warns of, and says in small print."
import json
import os
import warnings

import polars as pl
import pytest
from helpers import irmetrics

from irmetrics_nb import (
    AP,
    ERR,
    DataWarning,
    EvaluationWarning,
    Judged,
    Qrels,
    Run,
    Scores,
    average_precision,
    check,
    evaluate,
    explain,
    load_example,
    nDCG,
    ndcg,
    parse,
    report,
)
from irmetrics_nb.evaluation.findings import top_counts
from irmetrics_nb.evaluation.scores import rendered_scores as render

QRELS = {'q1': {'d1': 1, 'd2': 0}, 'q2': {'d3': 2}}
RUN = {'q1': {'d2': 2.5, 'd1': 1.5}, 'q2': {'d3': .5}}


def warned(*args, **options):
    "The texts of the warnings of an evaluation."
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter('always')
        evaluate(*args, **options)
    assert all(w.category is EvaluationWarning and w.filename == __file__ for w in seen)
    return [str(w.message) for w in seen]


# ---- ids that do not match ----

@pytest.mark.parametrize('left, right, how', [
    ('http://a.org/x', 'https://a.org/x', 'scheme'), ('0017', '17', 'leading zeros'), ('doc', 'DOC', 'lower case'),
    ('d1', ' d1', 'whitespace'), ('d1', '"d1"', 'quotes'), ('d1', 'd1.html', 'extension'), ('a b', 'a%20b', '%20'), ('x', 'y', 'no other')])
def test_ids_that_never_meet_are_shown_with_the_spelling_by_which_they_would(left, right, how):
    [text] = warned({'q': {left: 1}}, {'q': {right: 1.}})
    assert 'no judged document' in text and repr(left) in text and repr(right) in text and how in text


def test_two_ids_of_each_side_are_shown():
    [text] = warned({'q': {'a1': 1, 'b1': 0, 'c1': 1}}, {'q': {'A1': 1., 'B1': 2., 'C1': 3.}})
    assert "'a1' and 'b1'" in text and "'A1' and 'B1'" in text


@pytest.mark.parametrize('form', ['file', 'parquet', 'iterator', 'table'])
def test_a_run_in_any_form_is_looked_at(form, tmp_path):
    rows = [('q', 'D1', 1.), ('q', 'D2', .5)]
    table = pl.DataFrame(rows, ['query_id', 'doc_id', 'score'], orient='row')
    (tmp_path/'a.run').write_text('q Q0 D1 1 1.0 toy\nq Q0 D2 2 0.5 toy\n')
    table.write_parquet(tmp_path/'a.parquet')
    run = {'file': tmp_path/'a.run', 'parquet': tmp_path/'a.parquet', 'iterator': iter(rows), 'table': table}[form]
    assert 'lower case' in warned({'q': {'d1': 1}}, run)[0]


def test_queries_judged_late_in_a_large_file_warn_without_ids(tmp_path):
    lines = [f'q{i // 1000} Q0 d{i} 1 {-i} toy\n' for i in range(22_000)]
    (tmp_path/'a.run').write_text(''.join(lines))
    assert warned({'q21': {'x': 1}}, tmp_path/'a.run') == ["run 'toy': no judged document was retrieved"]


def test_one_document_that_meets_is_enough():
    assert warned({'q': {'a': 1, 'b': 1}}, {'q': {'A': 1., 'b': .5}}) == []


def test_negative_grades_of_retrieved_documents_do_not_warn():
    assert warned({'q': {'a': -1, 'b': 1}}, {'q': {'a': 1.}}) == []


def test_a_part_without_judged_documents_is_no_doubt():
    assert warned({'q': {'a': 1}}, {'q': {'b': 1.}}, part=True) == []


# ---- judgments and run in each other's place ----

BIG = {f'q{i}': {f'd{j}': 1.5 + i * j + j / 3 for j in range(4)} for i in range(5)}
GRADES = {f'q{i}': {f'd{j}': (0, 1, 0, 2)[j] for j in range(4)} for i in range(5)}


def table(source, name):
    rows = [(q, d, x) for q, docs in source.items() for d, x in docs.items()]
    return pl.DataFrame(rows, ['query_id', 'doc_id', name], orient='row')


@pytest.mark.parametrize('form', [dict, lambda s: table(s, 'score'), lambda s: list(table(s, 'score').iter_rows())])
def test_a_run_for_judgments_and_judgments_for_a_run_are_refused(form):
    with pytest.raises(ValueError, match='swapped'): evaluate(form(BIG), form(GRADES))
    evaluate(form(GRADES), form(BIG))


def test_files_in_each_others_place_are_refused(tmp_path):
    for name, source in ('run.csv', BIG), ('qrels.csv', GRADES): table(source, 'score').write_csv(tmp_path/name)
    with pytest.raises(ValueError, match='swapped'): evaluate(tmp_path/'run.csv', tmp_path/'qrels.csv')
    evaluate(tmp_path/'qrels.csv', tmp_path/'run.csv')


def test_objects_in_each_others_place_are_refused():
    with pytest.raises(ValueError, match='swapped'): evaluate(Run(BIG), Qrels(GRADES))
    with pytest.raises(ValueError, match='swapped'): evaluate(Run(BIG), GRADES)


def test_only_real_grades_or_only_whole_scores_do_not_warn():
    assert evaluate(BIG, BIG, 'nDCG').means['nDCG'] == 1
    evaluate(BIG, {q: list(docs) for q, docs in BIG.items()}, 'nDCG')  # places
    evaluate(GRADES, GRADES, 'nDCG')


def test_explicit_qrels_and_run_do_not_warn():
    evaluate(Qrels(BIG), Run(GRADES), 'nDCG')


# ---- levels and cutoffs that nothing reaches ----

def test_grades_below_1_ask_for_a_relevance_level():
    rates = {'q': {'d1': .02, 'd2': .13}}
    [text] = warned(rates, {'q': ['d2', 'd1']}, 'AP nDCG')
    assert 'no grade reaches the relevance level 1' in text and 'rel=' in text
    assert warned(rates, {'q': ['d2', 'd1']}, 'nDCG AP(rel=0.1) NumRet') == []
    assert warned({'q': {'d1': 0, 'd2': 0}}, {'q': ['d2', 'd1']}, 'AP') == []


def test_run_shorter_than_the_cutoff_warns():
    cut = {f'q{i}': [f'd{j}' for j in range(10)] for i in range(5)}
    judgments = {q: {'d1': 1} for q in cut}
    assert 'only 10 documents' in warned(judgments, cut, 'R@100')[0]
    assert warned(judgments, cut, 'R@10 AP') == []
    assert '5 with fewer than 100 documents' in ' '.join(render(silently(judgments, cut, 'R@100')).split())


def silently(*args, **options):
    with warnings.catch_warnings(action='ignore', category=EvaluationWarning): return evaluate(*args, **options)


# ---- once, and of one class ----

def test_a_warning_comes_once_for_each_call_and_can_be_an_error():
    assert len(warned({'q': {'a': 1}}, {'q': {'A': 1.}}, 'AP nDCG RR')) == 1
    with warnings.catch_warnings(action='error', category=EvaluationWarning), pytest.raises(EvaluationWarning):
        evaluate({'q': {'a': 1}}, {'q': {'A': 1.}})


def test_the_example_gives_no_warning():
    example = load_example()
    for run in example.runs.values(): assert warned(example.qrels, run, 'AP nDCG@10 RR ERR P(rel=2)@5 R@100') == []


def test_command_prints_each_warning_once_in_one_line(tmp_path):
    (tmp_path/'qrels').write_text('q1 0 d1 0.5\n')
    for name in 'ab': (tmp_path/name).write_text(f'q1 Q0 d1 1 2.5 {name}\n')
    done = irmetrics('evaluate', 'qrels', 'a', 'b', '-m', 'AP', cwd=tmp_path)
    assert done.returncode == 0 and done.stderr.startswith('irmetrics: warning: no grade') and done.stderr.count('\n') == 1


# ---- small print ----

def test_notes_show_the_judged_share_of_the_top_10():
    scores = evaluate({'q': {'a': 1, 'b': 0}}, {'q': ['a', 'x', 'b', 'y']}, 'AP')
    assert '50.0% of the top 10 judged' in ' '.join(render(scores).split())
    assert json.loads(render(scores, 'json'))[0]['judged@10'] == .5
    assert '0.0% of the top 10 judged' in ' '.join(render(silently({'q': {'a': 1}}, {'q': ['A']}, 'AP')).split())


def test_the_counts_of_parts_are_put_together():
    parts = [evaluate({q: QRELS[q]}, {q: RUN[q]}, 'P@2', part=True) for q in QRELS]
    assert top_counts(Scores.concat(parts).first_ranks) == top_counts(evaluate(QRELS, RUN, 'P@2').first_ranks) == (3, 3)
    assert Scores.concat(parts).runs[0].short == evaluate(QRELS, RUN, 'P@2').runs[0].short == 1


@pytest.mark.parametrize('together', [Scores.concat, Scores.combine_runs])
def test_err_with_two_largest_grades_in_one_table_is_refused(together):
    both = [evaluate({q: {'d': g}}, {q: ['d']}, ERR) for q, g in (('a', 1), ('b', 2))]
    with pytest.raises(ValueError, match='set max_grade of ERR in both'): together(both)


def test_arrays_have_the_order_of_query_ids():
    scores = evaluate(QRELS, RUN, 'RR')
    assert dict(zip(scores.query_ids, scores['RR'])) == {'q1': .5, 'q2': 1} and 'query_ids' in Scores.__doc__


# ---- calls that cannot be meant ----

CALLS = {
    'the run forgotten': (lambda: evaluate(QRELS, 'AP'), "write evaluate(qrels, run, 'AP')"),
    'the run forgotten, an object': (lambda: evaluate(QRELS, AP), 'write evaluate(qrels, run, AP)'),
    'a function': (lambda: evaluate(QRELS, RUN, ndcg), 'such as nDCG'),
    'a function in a list': (lambda: evaluate(QRELS, RUN, [average_precision]), 'such as AP'),
    'the cutoff in brackets': (lambda: nDCG(10), 'write nDCG@10'),
    'the cutoff in brackets, as text': (lambda: parse('nDCG(10)'), 'a cutoff after @, like nDCG@10'),
    'a measure called': (lambda: AP(QRELS, RUN), 'evaluate(qrels, run, AP)'),
    'a measure called with a list': (lambda: AP([1, 0, 1]), 'AP.of([1, 0, 1])'),
    'a run and a query of another': (lambda: evaluate(QRELS, {'a': RUN, **RUN}), 'one run or several?'),
    'a run and a row': (lambda: evaluate(QRELS, [RUN, ('q1', 'd1', 1.0)]), 'item 2 is not'),
    'no file by a name': (lambda: evaluate(QRELS, {'bm25': 'no/such/file'}), "'no/such/file', the value of 'bm25', is not a file; write one run as {query: {document: score}}"),
    'measures for runs': (lambda: evaluate(QRELS, ['AP', 'RR']), 'is a measure, not a run'),
    'misspelt': (lambda: evaluate(QRELS, RUN, 'nDGC@10'), 'did you mean nDCG?'),
    'spelt in full': (lambda: parse('rank_biased_precision'), 'did you mean RBP?'),
    'ids for grades': (lambda: average_precision(['d1'], ['d1']), 'evaluate(qrels, run)'),
    'ids in lists of lists': (lambda: average_precision([['d1', 'd2']]), '[d in relevant for d in ranking]'),
}


@pytest.mark.parametrize('name', CALLS)
def test_a_wrong_call_is_answered_with_what_to_write(name):
    call, words = CALLS[name]
    with pytest.raises((ValueError, TypeError)) as error: call()
    assert words in str(error.value)


def test_ranks_have_a_spelling():
    assert average_precision(Judged.from_ranks([1, 2, 5]))[0] == pytest.approx((1 + 1 + 3 / 5) / 3)


@pytest.mark.skipif(os.name == 'nt' or not hasattr(os, 'geteuid'), reason='POSIX')
def test_an_error_about_an_output_names_that_file(tmp_path):
    (tmp_path/'qrels').write_text('q1 0 d1 1\n')
    (tmp_path/'run').write_text('q1 Q0 d1 1 2.5 toy\n')
    done = irmetrics('evaluate', 'qrels', 'run', '--output', 'no/such/folder/table.txt', cwd=tmp_path)
    assert done.returncode == 1 and done.stderr.rstrip().endswith("/no/such/folder/table.txt'")


# ---- below zero ----

def test_a_grade_below_0_counts_as_written_in_a_list_and_as_not_judged_in_a_collection():
    both = {'q': {'a': -1, 'b': 2}}, {'q': ['a', 'b']}
    assert ndcg([-1, 2]) == evaluate(*both, 'nDCG', negative='keep').means['nDCG'] == pytest.approx(.191, abs=5e-4)
    assert ndcg([None, 2]) == evaluate(*both, 'nDCG').means['nDCG'] == pytest.approx(.631, abs=5e-4)
    assert 'Negative grades count as judged' in ' '.join(ndcg.__doc__.split())


# ---- words of documents and topics ----

STRANGE = {'pages.csv': ('rank,link,headline\n1,d1,A page\n', 'rank'), 'pages.tsv': ('x1\tsome text\nx2\tmore\n', 'x1'),
           'pages.jsonl': ('{"doc_id": "x1", "title": "A page"}\n', 'x1')}


@pytest.mark.parametrize('name', STRANGE)
@pytest.mark.parametrize('what', ['documents', 'topics'])
def test_words_that_know_none_of_the_ids_are_warned_of_by_name_with_an_id_of_each_side(what, name, tmp_path):
    text, first = STRANGE[name]
    (tmp_path/name).write_text(text.replace('doc_id', 'query_id' if what == 'topics' else 'doc_id').replace('title', 'text'))
    wanted = {'documents': 'd1', 'topics': 'q1'}[what]
    says = f'{name}: none of the expected {what} was found .expected ids such as {wanted!r}, found {first!r}.'
    with pytest.warns(DataWarning, match=says): report(QRELS, {'a': RUN, 'b': {'q1': ['d1']}}, 'AP', **{what: tmp_path/name})
    if what == 'topics': return
    with pytest.warns(DataWarning, match=says): assert explain('AP', QRELS, RUN, 'q1', documents=tmp_path/name).titles == {}


@pytest.mark.parametrize('documents', [{'x1': 'a text'}, pl.DataFrame({'doc_id': ['x1'], 'title': ['a text']})])
def test_dict_or_table_of_other_documents_warns_with_ids(documents):
    with pytest.warns(DataWarning, match=r"^documents: none of the expected documents was found \(expected ids such as 'd1', found 'x1'\)$"):
        explain('AP', QRELS, RUN, 'q1', documents=documents)


@pytest.mark.parametrize('documents', [None, {}, {'x': 'another', 'd1': 'a text'}])
def test_one_id_that_is_known_or_no_words_at_all_are_no_cause_for_a_warning(documents, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        explain('AP', QRELS, RUN, 'q1', documents=documents)
        report(QRELS, RUN, 'AP', documents=documents, topics={'q2': 'one of two'})
        (tmp_path/'headless.csv').write_text('d1,a page\n')
        assert explain('AP', QRELS, RUN, 'q1', documents=tmp_path/'headless.csv').titles == {'d1': 'a page'}


def test_command_warns_about_other_documents_once_and_continues(tmp_path):
    (tmp_path/'qrels.txt').write_text('q1 0 d1 1\n')
    (tmp_path/'run.txt').write_text('q1 Q0 d1 1 2.5 tag\n')
    (tmp_path/'pages.csv').write_text('link,headline\nd9,A page\n')
    (tmp_path/'asked.csv').write_text('number of it,words\nq9,what\n')
    done = irmetrics('explain', 'qrels.txt', 'run.txt', 'q1', '-m', 'AP RR', '--documents', 'pages.csv', cwd=tmp_path)
    assert done.returncode == 0 and 'AP = (1/1) / 1' in done.stdout
    said = "irmetrics: warning: pages.csv: none of the expected documents was found (expected ids such as 'd1', found 'link'); if the file has a header, its id column must be named doc_id or"
    assert done.stderr.count(said) == 1 and done.stderr.count('warning') == 1
    done = irmetrics('report', 'qrels.txt', 'run.txt', '--topics', 'asked.csv', '--documents', 'pages.csv', cwd=tmp_path)
    assert done.returncode == 0 and said in done.stderr
    assert "asked.csv: none of the expected topics was found (expected ids such as 'q1', found 'number of it'); if the file has a header, its id column must be named query_id or" in done.stderr


# ---- distances ----

NEAREST = {f'q{q}': {f'n{d}' if d else f'd{q}': d + q / 64 for d in range(21)} for q in range(30)}  # d0 is the nearest, and relevant
TRUTH = {f'q{q}': {f'd{q}': 1} for q in range(30)}


def ranked_lines(rank=lambda i: i):
    return ''.join(f'{q} Q0 {d} {rank(i)} {x} t\n' for q, docs in NEAREST.items() for i, (d, x) in enumerate(docs.items(), 1))


def test_scores_that_increase_with_the_rank_bring_a_warning(tmp_path):
    (tmp_path/'run.txt').write_text(ranked_lines())
    for size in (1 << 20, 2000):  # in one piece, in batches
        with pytest.warns(EvaluationWarning, match='scores increase with the rank: are they distances'):
            scores = evaluate(TRUTH, tmp_path/'run.txt', 'RR', memory=16 * size)
        assert scores.means == {'RR': pytest.approx(1 / 21)}
    assert evaluate(TRUTH, Run(tmp_path/'run.txt', descending=False), 'RR').means == {'RR': 1}


def test_distances_in_the_order_of_a_dict_bring_a_warning():
    table = pl.DataFrame([(q, d, x) for q, docs in NEAREST.items() for d, x in docs.items()], ['query_id', 'doc_id', 'score'], orient='row')
    for run in (NEAREST, table):
        with pytest.warns(EvaluationWarning, match='scores increase in the order of the input: are they distances'): evaluate(TRUTH, run, 'RR')
        assert 'distances' in check(TRUTH, run).codes
        assert evaluate(TRUTH, Run(run, descending=False), 'RR').means == {'RR': 1}


def test_scores_in_ascending_order_are_no_distances():
    similar = {q: dict(zip(reversed(docs), docs.values())) for q, docs in NEAREST.items()}  # the best is the last
    assert evaluate(TRUTH, similar, 'RR').means == {'RR': 1} and 'distances' not in check(TRUTH, similar).codes


@pytest.mark.parametrize(('rank', 'messages'), [(lambda i: i, 1), (lambda i: 0, 0), (lambda i: 'x', 0)])
def test_ranks_that_contradict_scores_in_most_queries_warn(tmp_path, rank, messages):
    def lines(contradicting):
        for q in range(20):
            order = range(1, 9) if q >= contradicting else (1, 3, 2, 5, 4, 6, 8, 7)
            yield from (f'q{q} Q0 d{i} {rank(i)} {9 - place} t\n' for place, i in enumerate(order))
    truth = {f'q{q}': {'d1': 1} for q in range(20)}
    (tmp_path/'half.txt').write_text(''.join(lines(5)))
    evaluate(truth, tmp_path/'half.txt', 'RR')
    (tmp_path/'most.txt').write_text(''.join(lines(20)))
    said = warned(truth, tmp_path/'most.txt', 'RR')
    assert ['ranks and scores disagree in 10 of 10 sampled queries' in text for text in said] == [True] * messages


def test_a_score_in_the_place_of_a_rank_is_no_rank(tmp_path):
    (tmp_path/'three.txt').write_text(''.join(f'{q} {d} {x}\n' for q, docs in NEAREST.items() for d, x in reversed(docs.items())))
    run = Run(tmp_path/'three.txt', columns={'query': 1, 'document': 2, 'score': 3})
    assert evaluate({q: {'n20': 1} for q in TRUTH}, run, 'RR').means == {'RR': 1}
