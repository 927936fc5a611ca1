"Conventions of tools: what a preset computes is what its tool gives; what a measure says itself wins."
import json
import re
import shutil
from dataclasses import fields
from fractions import Fraction

import ir_measures
import numpy as np
import oracles
import pytest
from helpers import irmetrics
from ir_measures.providers.msmarco_provider import MsMarcoProvider
from project import ROOT, cells
from sklearn.metrics import average_precision_score, dcg_score, ndcg_score

from irmetrics_nb import AP, Run, compare, evaluate, explain, explain_difference, gate, nDCG, parse
from irmetrics_nb.core.choices import CHOICES, OPTIONS_OF_KINDS
from irmetrics_nb.evaluation.conventions import (
    Conventions,
    completed,
    convention_phrases,
    conventions_of,
    read_run,
    tool_of,
)
from irmetrics_nb.evaluation.presets import PRESETS
from irmetrics_nb.evaluation.scores import rendered_scores as render
from irmetrics_nb.metrics.names import KIN, NAMES
from irmetrics_nb.metrics.parsing import is_offered
from irmetrics_nb.metrics.registry import KINDS

SPELT = {'sklearn': 'scikit-learn', 'sentence_transformers': 'sentence-transformers', 'opensearch-3.5': 'opensearch-3'}  # presets that pages call otherwise
OF_TREC_EVAL = 'map ndcg ndcg_cut_5 recip_rank P_5 recall_10 bpref Rprec iprec_at_recall_0.10 iprec_at_recall_0.70 11pt_avg set_map success_5'.split()


def close_scores(seed):
    "A collection whose scores differ from the eighth digit on, or not at all."
    qrels, run = oracles.random_collection(seed)
    rng = np.random.default_rng(seed)
    return qrels, {q: {d: 1 + float(rng.integers(0, 9)) * 1e-8 + float(s > 0) for d, s in docs.items()} for q, docs in run.items()}


@pytest.mark.parametrize('seed', range(5))
@pytest.mark.parametrize('name', ['trec_eval-9.0.4', 'trec_eval-9.0.4-c'])
def test_values_equal_pytrec_eval_with_ties_in_float32(name, seed):
    qrels, run = close_scores(seed)
    theirs = oracles.trec_eval(qrels, run, OF_TREC_EVAL)
    ours = evaluate(qrels, run, OF_TREC_EVAL, conventions=name)
    assert set(ours.query_ids) == (set(qrels) if name.endswith('-c') else set(qrels) & set(run))
    for measure in OF_TREC_EVAL:
        np.testing.assert_allclose(ours[measure], [theirs[measure][q] for q in ours.query_ids], atol=1e-9, rtol=0, err_msg=measure)
    exactly = evaluate(qrels, run, 'RR', missing='skip')['RR']
    assert exactly.size != ours['RR'].size or not np.allclose(exactly, ours['RR'])


@pytest.mark.parametrize('name, value', [('trec_eval', 1), ('trec_eval-c', 1), ('trec_eval10', 1), ('trec_eval-9.0.4', .5), ('trec_eval-9.0.4-c', .5),
                                         ('ir_measures', .5), ('beir', .5), ('mteb', .5)])
def test_the_version_of_trec_eval_decides_how_exactly_scores_are_compared(name, value):
    qrels, run = {'1': {'a': 1, 'b': 0}}, {'1': {'a': 16777217.0, 'b': 16777216.0}}
    assert oracles.trec_eval(qrels, run, {'recip_rank'})['recip_rank'] == {'1': .5}  # pytrec_eval; the programs are asked by parity
    assert ir_measures.calc_aggregate([ir_measures.RR], qrels, run) == {ir_measures.RR: .5}
    assert evaluate(qrels, run, 'RR', conventions=name).means == {'RR': value}


def queries_as_documents(seed):
    "A collection in which most queries retrieve themselves, tied with another document, and some judge themselves."
    qrels, run = oracles.random_collection(seed)
    rng = np.random.default_rng(seed)
    for q, docs in run.items():
        if rng.random() < .8: docs[q] = max([*docs.values(), 0.0])
        if q in qrels and rng.random() < .3: qrels[q][q] = 1
    return qrels, run


@pytest.mark.parametrize('seed', range(5))
def test_beir_takes_documents_with_the_id_of_their_query_out_of_the_run_before_it_ranks(seed):
    qrels, run = queries_as_documents(seed)
    left = {q: {d: s for d, s in docs.items() if d != q} for q, docs in run.items()}
    assert sum(map(len, run.values())) > sum(map(len, left.values())) + 3 and any(q in docs for q, docs in qrels.items())
    theirs = oracles.trec_eval(qrels, left, OF_TREC_EVAL)
    ours = evaluate(qrels, run, OF_TREC_EVAL, conventions='beir')
    kept = evaluate(qrels, run, OF_TREC_EVAL, conventions='mteb')
    for measure in OF_TREC_EVAL:
        np.testing.assert_allclose(ours[measure], [theirs[measure][q] for q in ours.query_ids], atol=1e-9, rtol=0, err_msg=measure)
    assert kept.means != ours.means and kept.means == evaluate(qrels, run, OF_TREC_EVAL, conventions='trec_eval-9.0.4').means
    assert 'documents with the id of their query are removed' in ' '.join(str(ours).split())
    assert 'identical_ids' in PRESETS['mteb'].beyond


def test_a_document_with_the_id_of_its_query_is_taken_out_of_every_kind_of_source(tmp_path):
    rows = [('7', '7', 9.0), ('7', '8', 8.0), ('77', '7', 9.0), ('77', '77', 8.0), ('77', '8', 7.0)]  # '7' begins '77'
    (tmp_path / 'a.run').write_text(''.join(f'{q} Q0 {d} 0 {s} tag\n' for q, d, s in rows))
    as_dicts = {'7': {'7': 9.0, '8': 8.0}, '77': {'7': 9.0, '77': 8.0, '8': 7.0}}
    numbers = [(int(q), int(d), s) for q, d, s in rows]
    qrels = {'7': {'7': 1, '8': 1}, '77': {'8': 1}}
    for source in (rows, numbers, as_dicts, tmp_path / 'a.run', Run(as_dicts)):
        scores = evaluate(qrels, source, 'RR R', identical_ids='skip')
        assert scores.values[0].tolist() == [[1, .5], [.5, 1]]  # what is judged stays judged
        assert evaluate(qrels, source, 'RR R').values[0].tolist() == [[1, 1 / 3], [1, 1]]
        assert explain('RR', qrels, source, '77', identical_ids='skip').value == .5
    assert evaluate(qrels, Run(as_dicts, name='mine'), 'RR', conventions='beir').name == 'mine'
    chunks = Run({'7': ['7#1', '7#2', '8#1']}, parents='#')
    assert evaluate({'7': {'8': 1}}, chunks, 'RR', identical_ids='skip').means == {'RR': 1}
    alone = evaluate(qrels, {'7': ['7'], '77': ['8']}, 'RR', identical_ids='skip', missing='skip')
    assert alone.to_dict() == {'7': {'RR': 0}, '77': {'RR': 1}} and alone.missing == 0  # an empty answer, as in BEIR


def test_with_c_a_query_that_is_not_answered_counts_in_every_version():
    qrels, run = {'1': {'a': 1}, '2': {'a': 1}}, {'1': ['a']}
    means = {name: evaluate(qrels, run, 'RR', conventions=name).means['RR'] for name in PRESETS if name.startswith('trec_eval')}
    assert means == {'trec_eval': 1, 'trec_eval-c': .5, 'trec_eval-9.0.4': 1, 'trec_eval-9.0.4-c': .5, 'trec_eval10': .5}


def test_our_own_words_get_the_levels_of_trec_eval():
    qrels, run = {'1': {'a': 1, 'b': 1, 'c': 1}}, {'1': {'a': 4.0, 'b': 3.0, 'x': 2.0, 'c': 1.0}}
    scores = evaluate(qrels, run, 'IPrec@0.7', conventions='trec_eval')
    assert scores.means == {"IPrec(levels='trec_eval9')@0.7": 1}
    assert scores['IPrec@0.7'].tolist() == [1]


@pytest.mark.parametrize('seed', range(3))
def test_values_equal_ir_measures(seed):
    qrels, run = oracles.random_collection(seed)
    asked = [ir_measures.AP, ir_measures.nDCG @ 10, ir_measures.RR, ir_measures.IPrec @ 0.7, ir_measures.P(rel=2) @ 5, ir_measures.R @ 10]
    theirs = oracles.by_ir_measures(qrels, run, asked)
    ours = evaluate(qrels, run, asked, conventions='ir_measures')
    for measure in asked:
        np.testing.assert_allclose(ours[measure], [theirs[measure][q] for q in ours.query_ids], atol=1e-9, rtol=0, err_msg=str(measure))


@pytest.mark.parametrize('order, value', [('abc', .2), ('bac', .16), ('bca', .128)])
def test_rbp_of_ir_measures_has_equal_scores_in_the_order_of_the_run(order, value):
    qrels, run = {'1': {'a': 1, 'b': 0, 'c': 0}}, {'1': dict.fromkeys(order, 1.0)}
    asked = ir_measures.RBP(rel=1)
    assert ir_measures.calc_aggregate([asked], qrels, run)[asked] == pytest.approx(value)
    scores = evaluate(qrels, run, [asked, 'AP', 'RR'], conventions='ir_measures')
    assert scores.means == {'RBP(p=0.8)': pytest.approx(value), 'AP': pytest.approx(1 / 3), 'RR': pytest.approx(1 / 3)}
    assert explain('RBP', qrels, run, '1', conventions='ir_measures').value == pytest.approx(value)
    assert 'for RBP, ties in input order; for RBP, scores as 64-bit floats' in ' '.join(repr(scores).split())
    assert evaluate(qrels, run, 'RBP', conventions='ir_measures', ties='docid').means == {'RBP(p=0.8)': pytest.approx(.128)}


@pytest.mark.parametrize('seed', range(4))
def test_values_equal_ir_measures_with_ties_of_its_float_types(seed):
    qrels, run = close_scores(seed)
    asked = [ir_measures.RBP(rel=1), ir_measures.RBP(rel=2, p=.95), ir_measures.AP, ir_measures.RR]
    asked += [ir_measures.ERR @ 5] if shutil.which('perl') else []  # gdeval is a Perl script
    theirs = oracles.by_ir_measures(qrels, run, asked)
    for rows in (run, ((q, d, s) for q, docs in run.items() for d, s in docs.items())):  # which can be read once alone
        ours = evaluate(qrels, rows, asked, conventions='ir_measures')
        for measure in asked:
            near = 5.1e-6 if measure.NAME == 'ERR' else 1e-9
            np.testing.assert_allclose(ours[measure], [theirs[measure][q] for q in ours.query_ids], atol=near, rtol=0, err_msg=str(measure))
            for q, value in zip(ours.query_ids, ours[measure].tolist()):
                assert explain(f'ir_measures:{measure}', qrels, run, q, conventions='ir_measures').value == value
    narrow = evaluate(qrels, run, asked, conventions='ir_measures', ties='docid', score_dtype='float32')
    assert not np.allclose(narrow['RBP(rel=1)'], ours['RBP(rel=1)'])


def test_judged_of_ir_measures_takes_a_negative_grade_for_a_judgment_and_its_ap_does_not():
    qrels, run = {'1': {'a': -1, 'b': 1}}, {'1': ['a', 'b', 'c']}
    asked = [ir_measures.Judged @ 2, ir_measures.Bpref]
    theirs = ir_measures.calc_aggregate(asked, qrels, {'1': {'a': 3., 'b': 2., 'c': 1.}})
    assert evaluate(qrels, run, asked, conventions='ir_measures').values[0, :, 0].tolist() == [theirs[m] for m in asked] == [1, 1]


def test_kinds_that_are_treated_otherwise_have_their_own_ends_of_ties_for_each_of_several_runs():
    qrels, tied, apart = {'1': {'a': 1}}, {'1': {'b': 1.0, 'a': 1.0}}, {'1': {'b': 2.0**24 + 1, 'a': 2.0**24}}
    scores = evaluate(qrels, {'tied': tied, 'apart': apart}, 'RBP AP', conventions='ir_measures')
    assert scores.tie_bounds == {'tied': {'RBP(p=0.8)': pytest.approx((.16, .2)), 'AP': (.5, 1)}, 'apart': {'AP': (.5, 1)}}
    assert scores['RBP'][:, 0] == pytest.approx([.16, .16])
    assert scores['AP'][:, 0].tolist() == [.5, .5]


@pytest.mark.skipif(shutil.which('perl') is None, reason='gdeval is a Perl script')
def test_values_equal_gdeval():
    qrels, run = oracles.random_collection(1, awkward=False)
    asked = {'nDCG@10': ir_measures.nDCG(dcg='exp-log2') @ 10, 'ERR@10': ir_measures.ERR @ 10}
    theirs = oracles.by_ir_measures(qrels, run, list(asked.values()))
    ours = evaluate(qrels, run, list(asked), conventions='gdeval')
    for text, measure in asked.items():
        np.testing.assert_allclose(ours[text], [theirs[measure][q] for q in ours.query_ids], atol=5.1e-6, rtol=0)


def test_values_equal_the_ms_marco_script():
    qrels, run = oracles.random_collection(1, awkward=False)
    found = {v.query_id: v.value for v in MsMarcoProvider().iter_calc([ir_measures.RR @ 10], qrels, run)}
    ours = evaluate(qrels, run, 'RR@10', conventions='msmarco')
    np.testing.assert_allclose(ours['RR@10'], [found.get(q, 0) for q in ours.query_ids], atol=1e-9)


@pytest.mark.parametrize('k', [1, 3, 8, 20])
def test_values_equal_scikit_learn_with_ties(k):
    rng = np.random.default_rng(k)
    for _ in range(100):
        n = int(rng.integers(2, 12))
        grades, scores = rng.integers(0, 4, n), rng.integers(0, 4, n)
        qrels = {'1': {f'd{i}': int(g) for i, g in enumerate(grades)}}
        run = {'1': {f'd{i}': float(s) for i, s in enumerate(scores)}}
        ours = evaluate(qrels, run, [f'nDCG@{k}', f'DCG@{k}', 'AP'], conventions='sklearn')
        assert ours[f'nDCG@{k}'][0] == pytest.approx(ndcg_score([grades], [scores], k=k), abs=1e-9)
        assert ours[f'DCG@{k}'][0] == pytest.approx(dcg_score([grades], [scores], k=k), abs=1e-9)
        if (grades >= 1).any():
            assert ours['AP'][0] == pytest.approx(average_precision_score(grades >= 1, scores), abs=1e-9)


def test_llama_index_divided_one_hit_by_a_list_full_of_hits_and_no_longer_does():
    # The thread about it: one relevant document at rank 1 of ten scores 0.220.
    run = {'1': [f'd{i}' for i in range(10)]}
    assert evaluate({'1': {'d0': 1}}, run, 'nDCG', conventions='llama_index-0.12')['nDCG'][0] == pytest.approx(0.220, abs=5e-4)
    assert evaluate({'1': {'d0': 1}}, run, 'nDCG', conventions='llama_index')['nDCG'][0] == 1


def test_rectools_divides_one_hit_of_three_by_three():
    # The thread about it: one relevant item at rank 1, k = 3, scores 0.469.
    assert evaluate({'1': {'a': 1}}, {'1': ['a', 'b', 'c']}, 'nDCG@3', conventions='rectools')['nDCG@3'][0] == pytest.approx(0.469, abs=5e-4)


def test_xgboost_gives_a_query_without_relevant_documents_one_and_cuts_the_divisor_of_p():
    qrels, run = {'1': {'a': 0}, '2': {'a': 3, 'b': 1}}, {'1': {'a': 1.0}, '2': {'b': 2.0, 'a': 1.0}}
    scores = evaluate(qrels, run, 'nDCG@2 AP P@10 NumRel', conventions='xgboost')
    assert scores.values[0, :, 0].tolist() == [1, 1, 0, 0]  # its precision is 0
    exp = (1 + 7 / np.log2(3)) / (7 + 1 / np.log2(3))
    np.testing.assert_allclose(scores.values[0, :, 1], [exp, 1, 1, 2], atol=1e-12)
    assert [*scores][0] == "nDCG(gain='exp')@2"
    small_print = ' '.join(repr(scores).split())
    assert 'those of xgboost (3.2.0)' in small_print
    assert 'for P, a query without relevant documents scores 0' in small_print
    assert 'of P,' not in repr(evaluate(qrels, run, 'nDCG@2 AP', conventions='xgboost'))
    assert 'of P,' not in repr(evaluate(qrels, run, 'P@10', conventions='xgboost', no_relevant='skip'))


# ---- what wins ----


def test_explicit_parameters_override_the_preset():
    xgboost = conventions_of('xgboost')
    assert completed(nDCG @ 5, xgboost) == nDCG(gain='exp') @ 5
    assert completed(nDCG(gain='linear') @ 5, xgboost) == nDCG @ 5
    assert completed(parse("nDCG(gain='linear', b=2)@5"), xgboost) == nDCG @ 5
    assert completed((nDCG @ 5)(gain='linear')(judged_only=False) @ 7, xgboost) == nDCG @ 7
    assert completed(parse('iprec_at_recall_0.10'), Conventions(measures=(('IPrec', 'levels', 'exact'),))) == parse('iprec_at_recall_0.10')
    assert completed(AP, conventions_of(unjudged='skip')) == AP(judged_only=True)
    assert completed(AP(judged_only=False), conventions_of(unjudged='skip')) == AP


def test_options_override_the_preset():
    assert conventions_of('sklearn', ties='docid').ties == 'docid'
    assert conventions_of('sklearn', ties=None).ties == 'average'
    assert conventions_of(conventions_of('sklearn'), missing='skip').missing == 'skip'
    assert conventions_of() == Conventions()
    with pytest.raises(ValueError, match=f"unknown conventions 'trectools'; available: {' '.join(PRESETS)}"):
        evaluate({'1': {'a': 1}}, {'1': {'a': 1.0}}, 'AP', conventions='trectools')


@pytest.mark.parametrize('name', PRESETS)
def test_presets_have_known_measures_and_parameters_and_proof(name):
    preset = PRESETS[name]
    for kind, parameter, value in conventions_of(name).measures:
        if parameter in OPTIONS_OF_KINDS:
            assert value in CHOICES[parameter]
            assert value != getattr(conventions_of(name), parameter)
        else:
            assert parameter in KINDS[kind].params
            assert repr(parse(kind)(**{parameter: value})) != kind
    assert preset.proof in ('run', 'read')
    assert all(getattr(preset, f.name) for f in fields(preset)[:5])
    assert set(preset.kinds.split()) <= KINDS.keys()
    assert {kind for kind, _, _ in conventions_of(name).measures} - set(preset.kinds.split()) <= {'DCG', 'ERR'}  # kin


def test_scores_as_32_bit_floats_keep_ids_and_the_name():
    run = read_run({'q': {'a': 1e300, 'b': 0.123456789}}, Conventions(score_dtype='float32'))
    assert run.to_dict() == {'q': {'a': float('inf'), 'b': float(np.float32(0.123456789))}}
    assert evaluate({'q': {'a': 1}}, {}, 'AP', score_dtype='float32', part=True).missing == 1


# ---- what `make parity` found ----

ASKED_HERE = {'gdeval', 'msmarco'}  # above, and not by `make parity`
FOUND = json.loads((ROOT / 'parity' / 'results.json').read_text(encoding='utf-8'))['tools']


def test_a_tool_that_is_known_by_a_run_was_run():
    run = {name for name, preset in PRESETS.items() if preset.proof == 'run'}
    here = FOUND.keys() | ASKED_HERE
    assert run <= here, f"{sorted(run - here)} were not run: add them to TOOLS of parity/run.py and run `make parity`, or set proof='read' in evaluation/presets"
    assert here <= run, f"{sorted(here - run)} were run, and are no presets with proof='run': add them to PRESETS, or remove them from TOOLS of parity/run.py"


@pytest.mark.parametrize('name', FOUND)
def test_stored_results_agree_with_the_version_of_the_preset(name):
    found, preset = FOUND[name], PRESETS[name]
    assert found['version'] in f'{preset.version} {preset.source}'
    assert found['within'] <= 5.1e-6
    for measure, row in found['measures'].items():
        assert row['numbers'] >= 10, measure
        assert row['largest'] <= found['within'], measure


# ---- the pages "Coming from" ----

QRELS = {'q1': {'d1': 3, 'd2': 0, 'd3': 1}, 'q2': {'d1': 0, 'd4': 2}}
RUN = {'q1': {'d2': 0.9, 'd1': 0.8, 'd3': 0.7}, 'q2': {'d4': 0.6, 'd1': 0.5}}


@pytest.mark.parametrize('name', [name for name, found in FOUND.items() if 'old_calls' in found])
def test_the_new_call_gives_what_the_old_one_gave(name):
    for text, value in FOUND[name]['old_calls'].items():
        scores = evaluate(QRELS, RUN, text, conventions=name)
        assert scores.means[text] == pytest.approx(value, abs=1e-9), text


def test_old_calls_exist_for_every_tool_with_a_page():
    assert {name for name, found in FOUND.items() if 'old_calls' in found} == {
        'trec_eval', 'trec_eval-9.0.4', 'trec_eval10', 'ir_measures', 'ranx', 'sklearn', 'xgboost', 'lightgbm', 'catboost'}
    source = (ROOT / 'parity' / 'old_calls.py').read_text(encoding='utf-8')
    assert repr(QRELS).replace("'", '"') in source
    assert repr(RUN).replace("'", '"') in source


def test_notes_list_measures_that_the_tool_does_not_have():
    qrels, run = {'q': {'a': 2, 'b': 0}}, {'q': ['b', 'a']}
    text = ' '.join(render(evaluate(qrels, run, 'nDCG@2 ERR RR', conventions='xgboost')).split())
    assert 'ERR(max_grade=2): xgboost has no such measure; RR: xgboost has no such measure' in text and 'nDCG(gain=' in text
    assert 'no such measure' not in render(evaluate(qrels, run, 'nDCG@2 AP', conventions='xgboost'))
    assert 'no such measure' not in render(evaluate(qrels, run, 'nDCG@2 ERR RR'))


def test_notes_list_parameters_that_differ_from_the_preset():
    qrels, run = {'q': {'a': 2, 'b': 0}}, {'q': ['b', 'a']}
    def text(measures, tool): return ' '.join(render(evaluate(qrels, run, measures, conventions=tool)).split())
    assert "IPrec(levels='trec_eval9'): levels is as requested, not as in trec_eval10" in text("IPrec(levels='trec_eval9')", 'trec_eval10')
    assert 'nDCG@2: gain is as requested, not as in xgboost' in text("nDCG(gain='linear')@2", 'xgboost')
    for measures, tool in (('trec_eval10:11pt_avg map ndcg', 'trec_eval10'), ('11pt_avg ndcg_cut_2', 'trec_eval'), ('nDCG@2 AP P@2', 'xgboost')):
        assert 'is as requested, not as in' not in text(measures, tool)


def test_trec_eval_10_has_dcg_and_rbp_with_a_persistence_of_09():
    qrels, run = {'q': {'a': 1, 'b': 0, 'c': 1}}, {'q': ['b', 'a', 'c', 'x']}
    scores = evaluate(qrels, run, 'dcg rbp RBP(p=0.5)', conventions='trec_eval10')
    assert scores.means == pytest.approx({'DCG': 1.1309297535714575, 'RBP(p=0.9)': .171, 'RBP(p=0.5)': .375})  # the tool's, asked alone
    text = ' '.join(render(scores).split())
    assert 'no such measure' not in text and 'in trec_eval10, RBP reads uninitialised memory' in text and '0.1408 instead of 0.1877' in text
    assert 'uninitialised' not in ' '.join(render(evaluate(qrels, run, 'DCG AP', conventions='trec_eval10')).split())


def test_notes_list_results_that_a_preset_does_not_reproduce():
    def text(measures, tool): return ' '.join(render(evaluate({'q': {'b': 1}}, {'q': {'a': 1, 'b': 1}}, measures, conventions=tool)).split())
    assert 'in ir_measures, RR@k and Judged@k sort ties by document id in ascending order' in text('AP RR@10', 'ir_measures')
    assert 'ascending' not in text('AP RR nDCG@10', 'ir_measures') and 'ascending' not in text('RR@10', None)
    assert 'in ranx, Bpref counts a negative grade as a judgment' in text('bpref', 'ranx') and 'Bpref' not in text('map', 'ranx')
    assert 'no measure here reproduces its nDCG' in text('nDCG', 'spark')
    assert 'ascending order' in evaluate({'q': {'b': 1}}, {'q': {'a': 1, 'b': 1}}, 'RR@10', conventions='ir_measures').to_json()


def test_a_name_is_looked_up_in_the_tool_of_its_preset_first():
    # Seven relevant documents, of which ranks 1, 3, 5 and 7 have one. trec_eval 10 rounds a level times 7, version 9 adds 0.9.
    qrels = {'q': dict.fromkeys('abcdefg', 1)}
    run = {'q': ['a', 'x', 'b', 'y', 'c', 'z', 'd']}
    new = (3 + Fraction(2, 3) + Fraction(3, 5) + 2 * Fraction(4, 7)) / 11
    old = (2 + Fraction(2, 3) + 2 * Fraction(3, 5) + Fraction(4, 7)) / 11
    for tool, value in ('trec_eval10', new), ('trec_eval', old), ('trec_eval-9.0.4-c', old):
        scores = evaluate(qrels, run, '11pt_avg', conventions=tool)
        assert scores['11pt_avg'] == scores.means['11pt_avg'] == pytest.approx(float(value))
        assert explain('11pt_avg', qrels, run, 'q', conventions=tool).value == pytest.approx(float(value))
        assert explain_difference('11pt_avg', qrels, run, run, conventions=tool).a == pytest.approx(float(value))
        compared = compare(qrels, {'a': run, 'b': run}, '11pt_avg', conventions=tool, baseline='a')
        assert gate(compared, floors=[f'11pt_avg={float(value) - .001}'], allow_unknown=True).ok
        assert not gate(compared, floors=[f'11pt_avg={float(value) + .001}'], allow_unknown=True).ok
    assert evaluate(qrels, run, 'accuracy@1', conventions='sentence_transformers').means == {'Success@1': 1}


def test_the_command_looks_names_up_in_the_tool_of_its_preset(tmp_path):
    (tmp_path / 'qrels').write_text(''.join(f'q 0 {doc} 1\n' for doc in 'abcdefg'))
    (tmp_path / 'run').write_text(''.join(f'q Q0 {doc} 1 {-i} t\n' for i, doc in enumerate('axbyczd')))
    files = tmp_path / 'qrels', tmp_path / 'run'
    floors = '--min', '11pt_avg=0.491', '--min', '11pt_avg=0.493'  # 0.4918
    done = irmetrics('evaluate', *files, '-m', '11pt_avg', '--conventions', 'trec_eval10', *floors)
    assert done.returncode == 3 and 'as requested' not in done.stdout and '0.4918' in done.stdout
    assert '0.493' in done.stderr and '0.491 ' not in done.stderr
    assert '= 0.4918' in irmetrics('explain', *files, 'q', '-m', '11pt_avg', '--conventions', 'trec_eval10').stdout


@pytest.mark.parametrize('preset', PRESETS)
def test_all_names_of_a_tool_are_as_in_each_of_its_presets(preset):
    tool, conventions = tool_of(preset), conventions_of(preset)
    own = {row.name for row in NAMES if row.tool == tool}
    older = [row for row in NAMES if row.tool == KIN.get(tool) and row.name not in own]
    for row in [row for row in NAMES if row.tool == tool] + older:
        if not is_offered(row) or '(' in row.name: continue
        for number in row.numbers or ('10',):
            name = row.name.format(k=number, x=number, p=number)
            m = completed(parse(name, tool=tool), conventions)
            assert m == completed(parse(f'{tool}:{name}'), conventions)
            assert not [phrase for phrase in convention_phrases(conventions, [m]) if 'as requested' in phrase], name


def divisors_on_page(name):
    "(kind, divisor, names of tools) of each row of the tables that say who divides by what; no special names and options."
    for cell in cells(ROOT / "nbs/metrics" / name):
        kind = "AP" if name == "ap.ipynb" else "P" if "relative_P" in cell.source else "R"
        if "| used by |" in cell.source:
            for by, who in re.findall(r"^\| (.*?) \| (.*?) \|$", cell.source.partition("|---|")[2], re.MULTILINE):
                usual = [part for part in re.split(";", who) if "under the name" not in part]
                names = {re.match(r"[\w-]+", name.strip())[0].lower() for name in ",".join(usual).split(":")[0].split(",") if name and " with " not in name}
                yield kind, "default" if "default" in by else re.sub(r"[`'$ ]|\\", "", by), names


@pytest.mark.parametrize("page", ["sets.ipynb", "ap.ipynb"])
def test_divisors_on_the_page_match_the_presets(page):
    rows = [*divisors_on_page(page)]
    assert {kind for kind, _, _ in rows} == ({"AP"} if page == "ap.ipynb" else {"P", "R"})
    for kind in {kind for kind, _, _ in rows}:
        said = {tool: divisor for of, divisor, tools in rows if of == kind for tool in tools}
        for name, preset in PRESETS.items():
            own = {value for of, what, value in conventions_of(name).measures if (of, what) == (kind, "divisor")}
            if own:
                assert said.get(SPELT.get(name, name)) in own, f'name {name} in the table of divisors of {kind}, in nbs/metrics/{page}'
            elif kind in preset.kinds.split():
                of_the_list = conventions_of(name).judgments == "retrieved"  # whose R is what it found
                usual = ("default", "retrieved") if of_the_list else ("default",)
                assert said.get(SPELT.get(name, name), "default") in usual, (kind, name)


def test_haystack_2_divides_ap_by_the_relevant_documents_found():
    "1 of 2 relevant documents found at rank 1: 1 in haystack-ai 2.31.0 and 3.0.0, 1/2 in 3.1.1 and later."
    qrels, run = {'q': {'a': 1, 'b': 1}}, {'q': ['a', 'x']}
    assert evaluate(qrels, run, 'AP', conventions='haystack-2').means['AP'] == 1
    assert evaluate(qrels, run, 'AP', conventions='haystack').means['AP'] == .5
    assert PRESETS['haystack-2'].kinds == PRESETS['haystack'].kinds


@pytest.mark.parametrize('name', ['xgboost', 'lightgbm'])
def test_preset_notes_that_group_weights_are_not_supported(name):
    assert re.search('weight.* not supported here', PRESETS[name].beyond)


def test_kinds_with_unstable_ties_belong_to_their_tool():
    unstable = {name: preset.unstable.split() for name, preset in PRESETS.items() if preset.unstable}
    assert {'ranx', 'recbole', 'torchmetrics'} == unstable.keys()
    assert all({*kinds} <= {*PRESETS[name].kinds.split()} and 'fixed order' in PRESETS[name].beyond for name, kinds in unstable.items())
