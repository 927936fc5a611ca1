"What other tools give for the same judgments and runs, measure by measure."
import shutil
from math import sqrt

import ir_measures
import numpy as np
import oracles
import pytest
from ir_measures import ERR, RBP, RR, Judged, P, R, Rprec, SetF, SetP, Success

from irmetrics_nb import Judged as Batch
from irmetrics_nb import evaluate, f_beta, load_example, parse

CUTOFFS = 1, 2, 3, 5, 10, 20, 30, 50, 100
# our text -> trec_eval's name
TREC = {'AP': 'map', 'nDCG': 'ndcg', 'RR': 'recip_rank', 'Rprec': 'Rprec', 'Bpref': 'bpref', 'SetP': 'set_P', 'SetR': 'set_recall',
        'SetF': 'set_F', 'NumRet': 'num_ret', 'NumRel': 'num_rel', 'NumRelRet': 'num_rel_ret',
        **{f'{ours}@{k}': f'{theirs}_{k}' for k in CUTOFFS for ours, theirs in
           {'AP': 'map_cut', 'P': 'P', 'R': 'recall', 'nDCG': 'ndcg_cut', 'Success': 'success'}.items()},
        **{f'IPrec@{x / 10}': f'iprec_at_recall_{x / 10:.2f}' for x in range(11) if x != 7}}  # of 0.7 more below
ASKED = {'map', 'ndcg', 'recip_rank', 'Rprec', 'bpref', 'set_P', 'set_recall', 'set_F', 'num_ret', 'num_rel', 'num_rel_ret',
         'iprec_at_recall', *(f'{name}.{",".join(map(str, CUTOFFS))}' for name in ('map_cut', 'P', 'recall', 'ndcg_cut', 'success'))}


@pytest.mark.parametrize('seed', range(20))
@pytest.mark.parametrize('rel', [1, 2, 3])
def test_every_value_equals_trec_evals(seed, rel):
    qrels, run = oracles.random_collection(seed)
    theirs = oracles.trec_eval(qrels, run, ASKED, rel)
    measures = [parse(m)(rel=rel) if 'rel' in parse(m).kind.params else parse(m) for m in TREC]
    ours = evaluate(qrels, run, measures)
    assert set(ours.query_ids) == set(qrels)
    for text, m in zip(TREC, measures):
        # We know how many are relevant also where nothing came back; trec_eval leaves such queries out.
        queries = [q for q in qrels if q in run or text != 'NumRel']
        values = dict(zip(ours.query_ids, ours[m]))
        expected = [theirs[TREC[text]][q] for q in queries]
        np.testing.assert_allclose([values[q] for q in queries], expected, atol=1e-9, rtol=0, err_msg=text)
        assert len(set(expected)) > 1 or text in ('IPrec@0.8', 'IPrec@0.9', 'IPrec@1.0'), f'{text}: a comparison that says nothing'
    assert ours.missing == len(set(qrels) - set(run))
    assert ours.unjudged == len(set(run) - set(qrels))


def test_a_recall_of_seven_tenths_of_three_documents_is_three_of_them_and_for_trec_eval_two():
    # It truncates 0.7 * 3 + 0.9, which is 3 on paper and a little less as a float.
    qrels, run = {'1': {'a': 1, 'b': 1, 'c': 1}}, {'1': {'a': 4.0, 'b': 3.0, 'x': 2.0, 'c': 1.0}}
    assert evaluate(qrels, run, 'IPrec@0.7').means == {'IPrec@0.7': 3 / 4}
    assert oracles.trec_eval(qrels, run, {'iprec_at_recall'})['iprec_at_recall_0.70'] == {'1': 1}


@pytest.mark.parametrize('seed', range(20))
def test_at_a_recall_of_seven_tenths_trec_eval_agrees_where_its_rounding_does(seed):
    qrels, run = oracles.random_collection(seed)
    R = {q: sum(g >= 1 for g in docs.values()) for q, docs in qrels.items()}
    theirs = oracles.trec_eval(qrels, run, {'iprec_at_recall'})['iprec_at_recall_0.70']
    ours = evaluate(qrels, run, 'IPrec@0.7')
    for q, value in zip(ours.query_ids, ours['IPrec@0.7']):
        if int(0.7 * R[q] + 0.9) == -(-7 * R[q] // 10):
            assert value == pytest.approx(theirs[q], abs=1e-9), q


@pytest.mark.parametrize('k', [1, 5, 10])
def test_an_uncut_ideal_is_trec_evals_ndcg_of_a_run_cut_at_k(k):
    qrels, run = oracles.random_collection(7, awkward=False)
    top = {q: dict(sorted(docs.items(), key=lambda d: -d[1])[:k]) for q, docs in run.items()}
    theirs = oracles.trec_eval(qrels, top, {'ndcg'})['ndcg']
    ours = evaluate(qrels, run, f'nDCG(cut_ideal=False)@{k}')
    assert ours[ours.measures[0]] == pytest.approx([theirs[q] for q in ours.query_ids], abs=1e-9)


@pytest.mark.parametrize('x', [0.25, 2.0, 4.0])
def test_the_parameter_of_trec_evals_set_f_is_beta_squared(x):
    qrels, run = oracles.random_collection(7, awkward=False)
    theirs = oracles.trec_eval(qrels, run, {f'set_F_{x}'})['set_F']
    ranked = [sorted(run[q], key=run[q].get, reverse=True) for q in qrels]
    judged = Batch.from_grades([[qrels[q].get(d) for d in docs] for q, docs in zip(qrels, ranked)],
                               ideal=[list(docs.values()) for docs in qrels.values()])
    np.testing.assert_allclose(f_beta(judged, beta=sqrt(x)), list(theirs.values()), atol=1e-9, rtol=0)
    assert not np.allclose(f_beta(judged, beta=x), list(theirs.values()), atol=1e-3)


def test_the_example_collection_is_evaluated_like_trec_eval_does():
    example = load_example()
    qrels = {q: {d: int(g) for d, g in docs.items()} for q, docs in example.qrels.to_dict().items()}
    assert len(qrels) >= 30
    assert len(example.runs) >= 4
    for name, run in example.runs.items():
        ours = evaluate(example.qrels, run, 'AP nDCG@10 RR Bpref')
        theirs = oracles.trec_eval(qrels, run.to_dict(), {'map', 'ndcg_cut.10', 'recip_rank', 'bpref'})
        for m in ours:
            assert ours.means[m] == pytest.approx(np.mean(list(theirs[TREC[m]].values())), abs=1e-9), (name, m)


def same_as_ir_measures(pairs, seed, atol=1e-9):
    "Whether each of our measures gives what that of ir_measures gives, query by query."
    qrels, run = oracles.random_collection(seed, awkward=False)
    ours = evaluate(qrels, run, list(pairs), negative='keep')  # junk is judged
    theirs = oracles.by_ir_measures(qrels, run, list(pairs.values()))
    for text, measure in pairs.items():
        expected = [theirs[measure][q] for q in ours.query_ids]
        np.testing.assert_allclose(ours[text], expected, atol=atol, rtol=0, err_msg=text)
        assert len(set(expected)) > 1, f'{text}: a comparison that says nothing'


@pytest.mark.parametrize('seed', range(100, 103))
@pytest.mark.parametrize('rel', [1, 2])
def test_set_measures_equal_ir_measures(seed, rel):
    pairs = {f'SetP(rel={rel})': SetP(rel=rel), f'SetF(rel={rel})': SetF(rel=rel), f'Rprec(rel={rel})': Rprec(rel=rel),
             f'SetF(rel={rel}, beta=2)': SetF(rel=rel, beta=4.0), 'Judged': Judged}
    for k in 1, 3, 5, 10, 50:
        pairs |= {f'P(rel={rel})@{k}': P(rel=rel) @ k, f'R(rel={rel})@{k}': R(rel=rel) @ k,
                  f'Success(rel={rel})@{k}': Success(rel=rel) @ k, f'Judged@{k}': Judged @ k}
    same_as_ir_measures(pairs, seed)


def test_measures_of_ir_measures_are_read_as_it_writes_them():
    for theirs in (ir_measures.nDCG @ 10, ir_measures.nDCG(dcg='exp-log2') @ 10, ir_measures.AP(rel=2), P(rel=2) @ 5, RR @ 10):
        assert parse(str(theirs)).name == theirs.NAME


@pytest.mark.parametrize('k', [1, 3, 10])
def test_rr_at_k_equals_the_ms_marco_script(k):
    same_as_ir_measures({f'RR(rel=2)@{k}': RR(rel=2) @ k}, 2)


@pytest.mark.skipif(shutil.which('perl') is None, reason='gdeval is a Perl script')
@pytest.mark.parametrize('k', [1, 5, 20])
def test_err_with_largest_grade_4_equals_gdeval(k):
    same_as_ir_measures({f'ERR(max_grade=4)@{k}': ERR @ k}, 3, atol=5.1e-6)  # it prints five digits


@pytest.mark.parametrize('p', [.5, .8, .95])
def test_rbp_equals_cwl_eval(p):
    same_as_ir_measures({f'RBP(p={p})': RBP(rel=1, p=p)}, 4)
