"What gives a number that means something else: fractions below the level, positions for scores, ids that nearly match."
import gzip
import os
import warnings
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import oracles
import pandas as pd
import polars as pl
import pytest
from helpers import irmetrics

from irmetrics_nb import Accumulator, DataError, EvaluationWarning, Qrels, Run, check, evaluate, load_example
from irmetrics_nb.data.ids import find_spelling, may_match

EXAMPLE = load_example()


def warned(*args, **options):
    "The texts of the warnings of an evaluation."
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter('always')
        evaluate(*args, **options)
    assert all(w.category is EvaluationWarning and w.filename == __file__ for w in seen)
    return [str(w.message) for w in seen]


def silently(*args, **options):
    with warnings.catch_warnings(action='ignore', category=EvaluationWarning): return evaluate(*args, **options)


def finding(qrels, run, code):
    "The text of a finding of the check-up; '' if it is not there."
    return next((f'{f.level}: {f.text}' for f in check(qrels, run).findings if f.code == code), '')


# ---- fractions ----

def click_rates(seed=0, ones=2):
    "Judgments from 0.0 to 1.0, a few of which are exactly 1, and the run that is in their order."
    rng = np.random.default_rng(seed)
    rates = rng.beta(2, 3, (30, 40)).round(2).clip(0, .99)
    rates[rng.integers(0, 30, ones), rng.integers(0, 40, ones)] = 1
    qrels = {f'q{i}': {f'd{j}': float(x) for j, x in enumerate(row)} for i, row in enumerate(rates)}
    return qrels, {q: sorted(docs, key=lambda d, docs=docs: -docs[d]) for q, docs in qrels.items()}


SAID = 'many grades are fractions below the relevance level 1: P@5 treats them as not relevant; set the relevance level, as in P(rel=0.5)@5'


@pytest.mark.parametrize('ones', [1, 2, 60])
def test_a_few_exact_ones_among_fractions_do_not_hide_that_most_count_for_nothing(ones):
    qrels, run = click_rates(ones=ones)
    assert warned(qrels, run, 'P@5') == [SAID] and silently(qrels, run, 'P@5').means['P@5'] < 60 / 150
    assert finding(qrels, run, 'fractions-below').startswith('warning: ') and 'rel=' in finding(qrels, run, 'fractions-below')
    advised = SAID.rsplit(' ', 1)[1]
    assert warned(qrels, run, advised) == [] and evaluate(qrels, run, advised).means[advised] > .9
    assert len(warned(qrels, run, 'AP P@5 RR')) == 1 and warned(qrels, run, 'nDCG NumRet DCG ERR') == []


@pytest.mark.parametrize('measure', ['AP', 'RR@10', 'Success@1', 'Rprec', 'R@5', 'Bpref', 'NumRel', 'SetF'])
def test_every_measure_that_asks_for_a_level_is_named_with_what_to_write(measure):
    [text] = warned(*click_rates(), measure)
    advised = text.rsplit(' ', 1)[1]
    assert measure in text and 'rel=0.5' in advised and warned(*click_rates(), advised) == []


def test_explicit_levels_and_whole_grades_do_not_warn():
    qrels, run = click_rates()
    assert warned(qrels, run, ['P(rel=1)@5', 'AP(rel=0.9)']) == []
    graded = {q: {d: round(4 * x) for d, x in docs.items()} for q, docs in qrels.items()}
    assert warned(graded, run, 'P(rel=2)@5 P(rel=4)@5 AP') == [] and not finding(graded, run, 'fractions-below')
    halves = {q: {d: round(4 * x) / 2 + 1 for d, x in docs.items()} for q, docs in qrels.items()}
    assert warned(halves, run, 'P@5') == [] and finding(halves, run, 'fractions') and not finding(halves, run, 'fractions-below')


@pytest.mark.parametrize(('share', 'said'), [(.02, False), (.05, False), (.2, True), (.6, True)])
def test_fractions_above_a_tenth_of_positive_grades_warn(share, said):
    rng = np.random.default_rng(1)
    grades = np.where(rng.random((30, 40)) < .5, 0, np.where(rng.random((30, 40)) < share, .5, rng.integers(1, 4, (30, 40))))
    qrels = {f'q{i}': {f'd{j}': float(x) for j, x in enumerate(row)} for i, row in enumerate(grades)}
    run = {q: [*docs] for q, docs in qrels.items()}
    assert bool(warned(qrels, run, 'AP')) == bool(finding(qrels, run, 'fractions-below')) == said


def test_accumulator_warns_about_fractions_below_the_level():
    for call in (Accumulator('P@5').update, Accumulator('nDCG').update):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter('always')
            call([.3, .8, 1, .4, .6], [5.5, 4.25, 3, 2, 1])
        assert [str(w.message) for w in seen] == [SAID] * ('P' in str(call.__self__)) and all(w.filename == __file__ for w in seen)


# ---- positions ----

RANKED = EXAMPLE.runs['bm25'].to_polars().sort('query_id', 'rank', maintain_order=True)
TRUE = evaluate(EXAMPLE.qrels, RANKED, 'nDCG@10').means['nDCG@10']


def placed(how, first=1):
    "The run with the ranks of its documents for scores, from 0 or 1 on, in an order of its rows."
    found = RANKED.select('query_id', 'doc_id', score=pl.col('rank').cast(pl.Float64) + first - 1)
    if how == 'mixed': return found.sort('doc_id')
    if how == 'queries in turn': return found.sort('score', maintain_order=True)
    return found.with_columns(score=pl.len().over('query_id') + 1 - pl.col('score')) if how == 'counted down' else found


FORMS = ['polars', 'pandas', 'csv', 'csv.gz', 'parquet', 'json', 'run', 'dicts', 'triples']


def in_form(table, form, folder):
    "A table as other people have it."
    run = Run(table)
    if form in ('polars', 'pandas'): return table if form == 'polars' else table.to_pandas()
    if form == 'dicts': return run.to_dict()
    if form == 'triples': return [*table.select('query_id', 'doc_id', 'score').iter_rows()]
    text = table.select('query_id', 'doc_id', 'score').write_csv().encode()
    path = folder/f'table.{form}'
    if 'csv' in form: path.write_bytes(gzip.compress(text) if form == 'csv.gz' else text)
    elif form == 'run': path.write_text(''.join(f'{q} Q0 {d} 0 {s} t\n' for q, d, s in table.select('query_id', 'doc_id', 'score').iter_rows()))
    else: run.save(path)
    return path


@pytest.mark.parametrize(('first', 'places'), [(1, '1 to n'), (0, '0 to n - 1')])
@pytest.mark.parametrize('form', FORMS)
def test_positions_that_are_called_scores_are_noticed_in_every_form_and_the_advice_gives_the_right_number(tmp_path, form, first, places):
    source = in_form(placed('listed', first), form, tmp_path)
    [text] = warned(EXAMPLE.qrels, source, 'nDCG@10')
    assert f'the scores are {places} in every query, and increase in the order of the rows' in text and 'write Run(..., descending=False)' in text
    assert f'scores are {places} in every query, and increase in the order of the rows' in finding(EXAMPLE.qrels, source, 'positions')
    assert 'descending=False' in finding(EXAMPLE.qrels, source, 'positions')
    assert warned(EXAMPLE.qrels, Run(source, descending=False), 'nDCG@10') == []
    assert evaluate(EXAMPLE.qrels, Run(source, descending=False), 'nDCG@10').means['nDCG@10'] == TRUE
    assert silently(EXAMPLE.qrels, source, 'nDCG@10').means['nDCG@10'] < TRUE / 5


@pytest.mark.parametrize('form', FORMS)
def test_positions_in_no_order_are_noticed_where_the_judged_documents_show_it(tmp_path, form):
    for how in ('mixed', 'queries in turn'):
        source = in_form(placed(how), form, tmp_path)
        [text] = warned(EXAMPLE.qrels, source, 'nDCG@10')
        assert 'the scores are 1 to n in every query' in text and 'descending=False' in text
        assert finding(EXAMPLE.qrels, source, 'ascending-scores') or finding(EXAMPLE.qrels, source, 'positions')
    down = in_form(placed('counted down'), form, tmp_path)
    assert warned(EXAMPLE.qrels, down, 'nDCG@10') == [] and not finding(EXAMPLE.qrels, down, 'positions') + finding(EXAMPLE.qrels, down, 'ascending-scores')
    assert evaluate(EXAMPLE.qrels, down, 'nDCG@10').means['nDCG@10'] == TRUE


def test_positions_far_down_in_a_file_that_comes_in_batches_are_noticed(tmp_path):
    rows = [f'q{q} Q0 d{q}-{i} 0 {i + 1} t\n' for q in range(300) for i in range(100)]
    (tmp_path/'run').write_text(''.join(rows))
    judgments = {f'q{q}': {f'd{q}-0': 1, f'd{q}-1': 1} for q in range(300)}
    assert 'are they positions?' in warned(judgments, tmp_path/'run', 'AP', memory=100_000)[0]
    (tmp_path/'run').write_text(''.join(rows[:-1] + ['q299 Q0 d299-99 0 7.5 t\n']))
    check(judgments, tmp_path/'run')  # one score that is none of them, far down: a check-up looks at all
    assert not finding(judgments, tmp_path/'run', 'positions')


@pytest.mark.parametrize('run', [
    {'q': {'a': 1, 'b': 2, 'c': 3}}, {'q': {f'd{i}': i + 1 for i in range(5)}}, {f'q{i}': {'d': 1} for i in range(99)},
    {f'q{i}': {'a': 3, 'b': 2, 'c': 1} for i in range(99)}, {f'q{i}': {f'd{j}': j + 2 for j in range(9)} for i in range(9)},
    {f'q{i}': {f'd{j}': (j + 1) / 2 for j in range(9)} for i in range(9)}, {f'q{i}': {f'd{j}': j * j + 1 for j in range(9)} for i in range(9)}])  # fmt: skip
def test_a_few_small_numbers_and_numbers_that_are_no_positions_are_not_doubted(run):
    assert warned({q: {'x': 1, [*docs][-1]: 1} for q, docs in run.items()}, run, 'AP') == []


def test_ascending_list_passes_if_relevant_documents_are_last():
    run = {f'q{i}': {f'd{j}': j + 1 for j in range(20)} for i in range(30)}
    assert warned({q: {'d19': 1, 'd18': 1, 'd3': 0} for q in run}, run, 'AP') == []
    assert len(warned({q: {'d0': 1, 'd1': 1, 'd3': 0} for q in run}, run, 'AP')) == 1


def test_a_run_of_several_is_named():
    runs = {'good': RANKED, 'bad': placed('listed')}
    assert [text.split(':')[0] for text in warned(EXAMPLE.qrels, runs, 'AP')] == ["run 'bad'"]


# ---- ids that nearly match ----

def collection(seed=0, queries=40, judged=12, depth=60, name=lambda n: f'http://www.garden.org/roses/{n}', query=lambda n: f'topic {n}'):
    "Judgments and a run; a sixth of what was judged is nowhere in the run."
    rng = np.random.default_rng(seed)
    qrels, run = {}, {}
    for q in range(queries):
        docs = rng.choice(100_000, depth, replace=False)
        lost = rng.choice(np.arange(100_000, 200_000), judged // 6 + 1, replace=False)
        own = [*rng.choice(docs, judged - len(lost), replace=False), *lost]
        qrels[query(q)] = {name(int(n)): int(g) for n, g in zip(own, rng.integers(0, 3, judged))}
        run[query(q)] = {name(int(n)): float(s) for n, s in zip(docs, rng.normal(size=depth).round(3))}
    return qrels, run


def respelt(run, f, share, seed=1):
    "The run with some of its ids in another spelling."
    rng = np.random.default_rng(seed)
    return {q: {f(d) if rng.random() < share else d: s for d, s in docs.items()} for q, docs in run.items()}


NEARLY = {  # how ids look, what became of some of them, what the repair is called
    'https for http': ('http://www.garden.org/roses/{}'.format, lambda d: d.replace('http:', 'https:'), 'without the scheme'),
    'no www': ('http://www.garden.org/roses/{}'.format, lambda d: d.replace('www.', ''), 'without www.'),
    'zeros lost': ('{:08}'.format, lambda d: d.lstrip('0'), 'without leading zeros'),
    'zeros within lost': ('doc-{:08}'.format, lambda d: 'doc-' + d[4:].lstrip('0'), 'without leading zeros'),
    'floats out of a join': (str, lambda d: d + '.0', 'without .0 at the end (cast ids that became floats to Int64)'),
    'passages for documents': ('doc{}'.format, lambda d: d + '#0', 'without the part after #'),
    'capitals': ('GX{}-A'.format, str.lower, 'in lower case'),
    'a blank behind': ('doc {}'.format, lambda d: d + ' ', 'without whitespace around them'),
    'quotes': ('d{}'.format, lambda d: f'"{d}"', 'without quotes around them'),
    'hyphens': ('gx_{}_a'.format, lambda d: d.replace('_', '-'), 'with _, - and spaces treated as the same'),
    'codes': ('rose {}'.format, lambda d: d.replace(' ', '%20'), 'with codes such as %20 decoded'),
    'an extension': ('pages-{}'.format, lambda d: d + '.html', 'without the file extension'),
    'a folder': ('{}.html'.format, lambda d: 'disk1/' + d, 'without the folders at the beginning'),
    'a prefix': ('{}'.format, lambda d: 'doc_' + d, "without 'doc_' before the ids of the run"),
    'UTF-8 read as Latin-1': ('caf\u00e9{}'.format, lambda d: d.encode().decode('cp1252'), 'with UTF-8 that was decoded as Latin-1 (Ã© for é) repaired'),
    'an accent in two letters': ('caf\u00e9{}'.format, lambda d: d.replace('\u00e9', 'e\u0301'), 'in the same Unicode form (NFC)'),
}


# Each in a dict, and each form with three of them: what is read in a form does not depend on how ids look.
FORMS = ['polars', 'csv', 'parquet', 'json', 'run']
IN_FORMS = [(what, form) for i, what in enumerate(NEARLY) for form in ('dicts', FORMS[i % len(FORMS)])]


@pytest.mark.parametrize(('what', 'form'), IN_FORMS)
def test_partly_misspelled_document_ids_warn_with_a_repair(tmp_path, what, form):
    name, f, repair = NEARLY[what]
    qrels, run = collection(name=name, query='q{}'.format)
    odd = respelt(run, f, .3)
    if form == 'run' and any(' ' in d for docs in odd.values() for d in docs): form = 'json'
    table = pl.DataFrame([(q, d, s) for q, docs in odd.items() for d, s in docs.items()], ['query_id', 'doc_id', 'score'], orient='row')
    [text] = warned(qrels, in_form(table, form, tmp_path), 'AP')
    assert 'judged documents that were not retrieved' in text and f'would match {repair}' in text
    pair = next((d, f(d)) for q, docs in qrels.items() for d in docs if f(d) in odd[q] and d not in odd[q] and repr(d) in text)
    assert all(repr(id) in text for id in pair)
    assert repair in finding(qrels, odd, 'doc-ids')
    assert warned(qrels, in_form(Run(run).to_polars(), form, tmp_path), 'AP') == [] == [f.code for f in check(qrels, run).findings if f.code == 'doc-ids']


ENCODED = {'Latin-1': ('caf\u00e9-{}', 'cp1252'), 'GBK': ('\u73ab\u7470{}', 'gb18030'), 'Shift JIS': ('\u30d0\u30e9{}', 'cp932')}


@pytest.mark.parametrize('swapped', [False, True], ids=['judgments', 'run'])
@pytest.mark.parametrize('what', ENCODED)
def test_ids_that_match_after_decoding_are_named(tmp_path, what, swapped):
    name, encoding = ENCODED[what]
    ids = [name.format(i) for i in range(9)]
    qrels = ''.join(f'q{i} 0 {id} 1\nq{i} 0 tea 0\n' for i, id in enumerate(ids))
    run = ''.join(f'q{i} Q0 {id} 1 2.5 x\nq{i} Q0 tea 2 1.5 x\n' for i, id in enumerate(ids))
    files = {'qrels': qrels, 'run': run}
    for role, text in files.items(): (tmp_path/role).write_text(text, encoding='utf-8')
    paths = tmp_path/'qrels', tmp_path/'run'
    assert warned(*paths, 'AP') == []
    role = [*files][swapped]
    (tmp_path/role).write_text(files[role], encoding=encoding)
    [text] = warned(*paths, 'AP')
    how = f'would match decoded as {what} (save the file as UTF-8)'
    assert '9 of 9 judged documents' in text and how in text and f"'{ids[0]}'" in text
    shown = ascii(ids[0].encode(encoding))[1:]  # bytes, as in 'caf\\xe9-0'
    if what == 'Latin-1': assert shown in text
    assert how in finding(*paths, 'doc-ids')


@pytest.mark.parametrize('what', ENCODED)
def test_queries_that_match_after_decoding_are_named(tmp_path, what):
    name, encoding = ENCODED[what]
    queries = [name.format(i) for i in range(3)] + ['tea']
    (tmp_path/'qrels').write_text(''.join(f'{q} 0 d 1\n' for q in queries), encoding=encoding)
    (tmp_path/'run').write_text(''.join(f'{q} Q0 d 1 2.5 x\n' for q in queries), encoding='utf-8')
    [text] = warned(tmp_path/'qrels', tmp_path/'run', 'AP')
    how = f'would match decoded as {what} (save the file as UTF-8)'
    assert text.count('3 of 4 judged queries are missing from the run') == 1 and how in text
    assert how in finding(tmp_path/'qrels', tmp_path/'run', 'query-ids')
    (tmp_path/'run').write_text(''.join(f'{q} Q0 d 1 2.5 x\n' for q in queries[:3]), encoding='utf-8')
    with pytest.raises(DataError, match='no query in common') as error: evaluate(tmp_path/'qrels', tmp_path/'run')
    assert how in str(error.value) and how in str(check(tmp_path/'qrels', tmp_path/'run'))


@pytest.mark.parametrize('what', NEARLY)
def test_so_are_judgments_of_which_a_part_is_spelt_in_another_way(what):
    name, f, repair = NEARLY[what]
    qrels, run = collection(name=name, query='q{}'.format)
    [text] = warned(respelt(qrels, f, .4), run, 'AP')
    assert repair.replace('the ids of the run', 'the ids of the judgments') in text


@pytest.mark.parametrize('what', NEARLY)
@pytest.mark.parametrize('share', [.3, 1])
def test_misspelled_query_ids_are_reported_with_a_repair(what, share):
    name, f, repair = NEARLY[what]
    qrels, run = collection(query=name)
    odd = {f(q) if i % 10 < 10 * share else q: docs for i, (q, docs) in enumerate(run.items())}
    if share == 1:
        with pytest.raises(DataError, match='no query in common') as error: evaluate(qrels, odd)
        text = str(error.value)
    else: [text] = warned(qrels, odd, 'AP')
    assert f'would match {repair}' in text and (share == 1 or 'judged queries are missing from the run' in text)
    assert repair in str(check(qrels, odd))


def test_ids_that_a_join_made_floats_are_found_in_both_columns(tmp_path):
    qrels, run = collection(name=str, query=str)
    right = pd.DataFrame([(int(q), int(d), s) for q, docs in run.items() for d, s in docs.items()], columns=['query_id', 'doc_id', 'score'])
    left = pd.DataFrame({'doc_id': [*right['doc_id'].unique(), 7], 'page': 1})
    joined = left.merge(right, how='left', on='doc_id')  # a query that is not there makes all floats
    assert 'cast it to Int64' in str(pytest.raises(DataError, Run, joined).value)
    joined = joined.dropna()
    joined['query_id'] = joined['query_id'].astype(str)
    assert 'cast ids that became floats to Int64' in str(pytest.raises(DataError, evaluate, qrels, joined).value)
    joined['query_id'] = joined['query_id'].astype(float).astype('Int64')
    assert evaluate(qrels, joined, 'AP').to_dict() == evaluate(qrels, run, 'AP').to_dict()


def test_ids_misspelled_late_in_a_long_run_warn(tmp_path):
    qrels, run = collection(queries=400, depth=100, name='d{}'.format, query='q{}'.format)
    odd = {q: docs if i < 250 else respelt({q: docs}, str.upper, .9)[q] for i, (q, docs) in enumerate(run.items())}
    for source in (odd, in_form(Run(odd).to_polars(), 'run', tmp_path), in_form(Run(odd).to_polars(), 'parquet', tmp_path), Run(odd).to_polars()):
        for options in ({}, {'memory': 400_000}): assert 'in lower case' in warned(qrels, source, 'AP', **options)[0]


@pytest.mark.parametrize(('judged', 'retrieved'), [
    (['doc#0', 'doc#1', 'x'], ['doc#2', 'doc#3', 'x']), (['a.x', 'b.x', 'c'], ['a.y', 'b.y', 'c']), (['A/1', 'A/2', 'c'], ['B/1', 'B/2', 'c']),
    (['117', '118', 'c'], ['17', '18', 'c']), (['roses', 'tulips', 'c'], ['rose', 'tulip', 'c']), (['1', '2', 'c'], ['3', '10', '20', '31', 'c']),
    (['A', 'a', 'B', 'b'], ['A', 'B']), (['http://a', 'https://a', 'c'], ['http://a', 'c'])])  # fmt: skip
def test_documents_that_are_others_are_not_taken_for_misspelt_ones(judged, retrieved):
    qrels, run = {f'q{i}': dict.fromkeys(judged, 1) for i in range(9)}, {f'q{i}': retrieved for i in range(9)}
    assert warned(qrels, run, 'AP') == []


def test_one_id_of_many_is_no_cause_for_a_warning():
    qrels, run = collection(name='d{}'.format)
    once = next(d for d in qrels['topic 3'] if d in run['topic 3'])
    run['topic 3'] = {d.upper() if d == once else d: s for d, s in run['topic 3'].items()}
    assert warned(qrels, run, 'AP') == []


def test_a_name_that_is_the_beginning_of_another_is_no_spelling_of_it_though_several_queries_have_it():
    rest = {f'f{i}': 1 for i in range(9)}
    qrels = {f'q{i}': {'numpy.histogram': 1, **rest} for i in range(5)}
    run = {q: ['numpy.histogram_bin_edges', *rest] for q in qrels}
    assert warned(qrels, run, 'AP') == [] and not finding(qrels, run, 'doc-ids')


def test_the_quick_look_lets_nothing_pass_that_the_slow_one_would_find():
    for name, f, _ in NEARLY.values():
        for g, h in ((str, f), (f, str)):
            for n in (7, 17, 117, 40506, 100_000):
                missed, others = h(name(n)), [g(name(n)), name(n + 1), f(name(n + 2)), 'x']
                if find_spelling({'q': [missed]}, {'q': others}, pairs=False) and missed not in others:
                    assert g(name(n)) in may_match([missed], others), (missed, others)


def test_command_prints_the_warning_in_one_line(tmp_path):
    qrels, run = collection(queries=5, name='d{}'.format, query='q{}'.format)
    Qrels(qrels).save(tmp_path/'qrels')
    Run(respelt(run, str.upper, .5)).save(tmp_path/'run')
    done = irmetrics('evaluate', 'qrels', 'run', '-m', 'AP', cwd=tmp_path)
    assert done.returncode == 0 and done.stderr.count('\n') == 1 and 'would match in lower case' in done.stderr
    done = irmetrics('evaluate', 'qrels', 'run', '-m', 'AP', '--verbose', cwd=tmp_path)
    assert 'was read in one piece' in done.stderr


# ---- at random, beside trec_eval ----

ASKED = {'map', 'P.5,10', 'recip_rank', 'Rprec', 'bpref', 'recall.10', 'num_rel', 'num_rel_ret'}
OURS = {'AP': 'map', 'P@5': 'P_5', 'P@10': 'P_10', 'RR': 'recip_rank', 'Rprec': 'Rprec', 'R@10': 'recall_10', 'NumRel': 'num_rel', 'NumRelRet': 'num_rel_ret'}


def agrees_with_trec_eval(qrels, run, level, path=None):
    "Every value, of grades from a level on, is the one of trec_eval on grades of 0 and 1; path: of the run in a file."
    binary = {q: {d: int(g >= level) for d, g in docs.items()} for q, docs in qrels.items()}
    theirs = oracles.trec_eval(binary, run, ASKED, 1)
    measures = [f'{m.split("@")[0]}(rel={level})' + (f'@{m.split("@")[1]}' if '@' in m else '') for m in OURS] if level != 1 else [*OURS]
    ours = silently(qrels, path or run, measures)
    for m, name in zip(measures, OURS.values()):
        expected = [theirs[name][q] for q in ours.query_ids]
        np.testing.assert_allclose(ours[m], expected, atol=1e-9, rtol=0, err_msg=m)
    return ours


@pytest.mark.parametrize('seed', range(12))
def test_fractional_grades_with_a_few_exact_ones_count_as_trec_eval_counts_them_by_either_level(seed):
    qrels, run = collection(seed, name='d{}'.format, query='q{}'.format)
    rng = np.random.default_rng(seed)
    rates = {q: {d: float(rng.choice([1, .99, .5, .01, 0, round(rng.random(), 2)], p=[.1, .1, .1, .1, .1, .5])) for d in docs} for q, docs in qrels.items()}
    low, high = agrees_with_trec_eval(rates, run, .5), agrees_with_trec_eval(rates, run, 1)
    assert low.means['AP(rel=0.5)'] != high.means['AP'] and len(warned(rates, run, 'AP')) == 1
    assert warned(rates, run, 'AP(rel=0.5)') == []


@pytest.mark.parametrize('seed', range(6))
@pytest.mark.parametrize('what', NEARLY)
def test_nearly_equal_ids_warn_and_are_never_matched(seed, what):
    name, f, repair = NEARLY[what]
    qrels, run = collection(seed, queries=15, name=name, query='q{}'.format)
    odd = respelt(run, f, .3, seed)
    values = agrees_with_trec_eval(qrels, odd, 1)
    [text] = warned(qrels, odd, 'AP')
    assert repair in text
    back = {f(d): d for docs in run.values() for d in docs}
    mended = {q: {back.get(d, d): s for d, s in docs.items()} for q, docs in odd.items()}
    assert agrees_with_trec_eval(qrels, mended, 1).means['AP'] == evaluate(qrels, run, 'AP').means['AP'] > values.means['AP']


@pytest.mark.parametrize('seed', range(8))
def test_tied_counts_of_a_hundred_read_back_from_any_folder_and_form_score_as_trec_eval_scores_them(tmp_path, seed):
    qrels, run = collection(seed, name='d{}'.format, query='q{}'.format)
    rng = np.random.default_rng(seed)
    tied = {q: {d: int(n) / 100 for d, n in zip(docs, rng.integers(0, 101 if seed % 2 else 12, len(docs)))} for q, docs in run.items()}
    rates = {q: {d: float(rng.choice([1, .99, .5, 0])) for d in docs} for q, docs in qrels.items()}
    in_memory = TemporaryDirectory(dir='/dev/shm') if os.path.isdir('/dev/shm') else nullcontext(tmp_path)
    with in_memory as folder:
        for form in ('run', 'csv', 'tsv', 'json', 'parquet', 'run.gz'):
            path = Path(folder)/f'tied.{form}'
            for source in (run, tied): Run(source).save(path)  # the second one in the place of the first
            agrees_with_trec_eval(rates, tied, .5, path)
            agrees_with_trec_eval(rates, tied, 1, path)
