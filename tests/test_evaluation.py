"From judgments and a run to numbers: against trec_eval's own C code, and against what the conventions promise."
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from irmetrics_nb import AP, RR, Scores, evaluate, load_example, nDCG, render
from irmetrics_nb.measures import KINDS, Measure, parse

# our text -> trec_eval's name
TREC = {'AP': 'map', 'AP@5': 'map_cut_5', 'AP@100': 'map_cut_100', 'P@5': 'P_5', 'P@30': 'P_30', 'R@5': 'recall_5',
        'R@30': 'recall_30', 'nDCG': 'ndcg', 'nDCG@5': 'ndcg_cut_5', 'nDCG@20': 'ndcg_cut_20', 'RR': 'recip_rank',
        'Rprec': 'Rprec', 'Bpref': 'bpref', 'SetP': 'set_P', 'SetR': 'set_recall', 'SetF': 'set_F',
        'Success@5': 'success_5', 'NumRet': 'num_ret', 'NumRel': 'num_rel', 'NumRelRet': 'num_rel_ret'}


def random_collection(seed, queries=30, documents=60):
    "Qrels with grades -1..4 and runs with ties; some queries are missing on either side, most documents unjudged."
    rng = np.random.default_rng(seed)
    names = [f'd{i}' for i in range(documents)] + ['D0', 'd-1', 'é1', '~', 'd00']
    qrels, run = {}, {}
    for q in range(queries):
        judged = rng.choice(names, size=rng.integers(1, 40), replace=False)
        found = rng.choice(names, size=rng.integers(1, 50), replace=False)
        if rng.random() < .9: qrels[f'q{q}'] = {str(d): int(g) for d, g in zip(judged, rng.integers(-1, 5, len(judged)))}
        if rng.random() < .9: run[f'q{q}'] = {str(d): float(s) / 4 for d, s in zip(found, rng.integers(-8, 30, len(found)))}
    return qrels, run


@pytest.mark.parametrize('seed', range(20))
@pytest.mark.parametrize('level', [1, 2])
def test_every_value_equals_trec_evals(seed, level):
    qrels, run = random_collection(seed)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, set(TREC.values()), relevance_level=level).evaluate(run)
    measures = [parse(m)(rel=level) if 'rel' in parse(m).kind.params else parse(m) for m in TREC]
    ours = evaluate(qrels, run, measures)
    for text, m in zip(TREC, measures):
        for q, value in zip(ours.query_ids, ours[m]):
            expected = theirs[q][TREC[text]] if q in theirs else 0
            if text == 'NumRel' and q not in theirs: continue  # we know how many are relevant, found or not
            assert value == pytest.approx(expected, abs=1e-9), (text, q)
    assert set(ours.query_ids) == set(qrels)
    assert ours.missing == len(set(qrels) - set(run)) and ours.unjudged == len(set(run) - set(qrels))


def test_the_mean_counts_judged_queries_that_the_run_does_not_answer():
    scores = evaluate({'a': {'d': 1}, 'b': {'d': 1}}, {'a': {'d': 1.0}}, 'RR')
    assert scores.means == {'RR': 0.5} and scores.missing == 1
    assert evaluate({'a': {'d': 1}, 'b': {'d': 1}}, {'a': {'d': 1.0}}, 'RR', missing='skip').means == {'RR': 1.0}


def test_a_query_without_relevant_documents_counts_as_zero_unless_told_otherwise():
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


def test_the_condensed_list_closes_the_gaps():
    run = {'q': ['x', 'a', 'y', 'b']}
    assert evaluate({'q': {'a': 1, 'b': 1}}, run, 'P@2 P(judged_only=True)@2').means == \
        {'P@2': 0.5, 'P(judged_only=True)@2': 1.0}


def test_the_largest_grade_of_err_is_the_judgments_and_is_reported():
    scores = evaluate({'q': {'a': 1, 'b': 3}}, {'q': ['a']}, 'ERR ERR(max_grade=4)')
    assert scores['ERR'][0] == 1 / 8 and scores['ERR(max_grade=4)'][0] == 1 / 16
    assert 'ERR: largest grade 3, from the judgments' in scores.conventions


@pytest.mark.parametrize('seed', range(3))
def test_every_kind_of_source_gives_the_same_scores(seed, tmp_path):
    qrels, run = random_collection(seed)
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


@given(st.integers(0, 10**6), st.integers(1, 10))
@settings(max_examples=30, deadline=None)
def test_scores_of_parts_put_together_are_the_scores_of_the_whole(seed, cut):
    qrels, run = random_collection(seed, queries=12)
    if not set(qrels) & set(run): return
    whole = evaluate(qrels, run, 'AP nDCG@10')
    names = list(qrels)
    parts = [names[:cut], names[cut:]]
    parts = [p for p in parts if set(p) & set(run)]
    scores = Scores.concat([evaluate({q: qrels[q] for q in p}, run, 'AP nDCG@10') for p in parts])
    for q, values in scores.to_dict().items(): assert values == whole.to_dict()[q]


def test_parts_that_do_not_fit_together_are_refused():
    one = evaluate({'a': {'d': 1}}, {'a': {'d': 1}}, 'AP')
    for other, message in [(one, 'in two parts'), (evaluate({'b': {'d': 1}}, {'b': {'d': 1}}, 'RR'), 'measures differ'),
                           (evaluate({'b': {'d': 1}}, {'b': {'d': 1}}, 'AP', ties='given'), 'conventions differ')]:
        with pytest.raises(ValueError, match=message): Scores.concat([one, other])


@pytest.mark.parametrize('name', KINDS)
def test_every_measure_reads_back_what_it_prints_and_computes(name):
    kind = KINDS[name]
    measure = Measure(name) if kind.at is None else Measure(name) @ (0.5 if kind.at == 'recall' else 3)
    assert parse(repr(measure)) == measure and parse(repr(measure).lower()) == measure
    for alias in kind.aliases: assert parse(alias).name == name
    assert np.isfinite(measure.of([[3, 0, None, 1], [], [0]])).all()
    assert measure.of([[3, 0, 1]])[0] == measure.of([3, 0, 1])


def test_a_perfect_list_scores_one_and_a_useless_one_zero_by_every_normalised_measure():
    for name in 'P R F Success AP nDCG RR'.split():
        assert parse(name + '@2').of([1, 1]) == 1 and parse(name + '@2').of([0, 0]) == 0, name


def test_measures_are_selected_by_text_or_object():
    scores = evaluate({'a': {'d': 1}}, {'a': {'d': 1}}, [AP, 'nDCG@10', RR])
    assert (scores[nDCG @ 10] == scores['nDCG@10']).all() and list(scores.means) == ['AP', 'nDCG@10', 'RR']
    with pytest.raises(KeyError, match='P@5 is not among'): scores['P@5']


def test_ids_stay_text_in_html_latex_and_markdown():
    evil = '<script>alert(1)</script>|\\input{secret}'
    scores = evaluate({evil: {'d': 1}}, {evil: {'d': 1}}, 'RR')
    assert '<script>' not in render(scores, 'html', per_query=True)
    assert '\\input{' not in render(scores, 'latex', per_query=True)
    assert '\\|' in render(scores, 'markdown', per_query=True)


def test_the_example_collection_is_evaluated_like_trec_eval_does():
    example = load_example()
    qrels = {q: {d: int(g) for d, g in docs.items()} for q, docs in example.qrels.to_dict().items()}
    assert len(qrels) >= 30 and len(example.runs) >= 4
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {'map', 'ndcg_cut_10', 'recip_rank', 'bpref'})
    for name, run in example.runs.items():
        ours, trec = evaluate(example.qrels, run, 'AP nDCG@10 RR Bpref'), theirs.evaluate(run.to_dict())
        for m, t in zip(ours.measures, ('map', 'ndcg_cut_10', 'recip_rank', 'bpref')):
            mean = sum(trec[q][t] for q in trec) / len(qrels)
            assert ours.means[repr(m)] == pytest.approx(mean, abs=1e-9), (name, m)
