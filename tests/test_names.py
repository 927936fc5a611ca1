"Names of other tools: each means what its owner computes, and no name means two things."
import re

import ir_measures
import numpy as np
import oracles
import pytest
import pytrec_eval

from irmetrics_nb import (
    AP,
    RBP,
    RR,
    F,
    P,
    R,
    Success,
    evaluate,
    explain,
    explain_difference,
    nDCG,
    ndcg,
    parse,
    precision,
)
from irmetrics_nb.metrics.names import ELSEWHERE, KIN, NAMES, aliases_of, find_elsewhere, find_name, name_table
from irmetrics_nb.metrics.parsing import is_offered, parse_all
from irmetrics_nb.metrics.registry import KINDS
from irmetrics_nb.metrics.sets import SetF

OFFERED = [row for row in NAMES if is_offered(row)]  # the measures of other rows are not declared
OF_TREC_EVAL = [row for row in OFFERED if row.tool == 'trec_eval']


def written(row):
    "The name of a row with numbers that it may have."
    if '{' not in row.name:
        return [row.name]
    numbers = {'x': ('0.1', '0.4', '0.7', '1.0')}.get(row.name.rpartition('{')[2][0], ('1', '5', '20'))
    return [f'{row.name.partition("{")[0]}{n}' for n in numbers]


@pytest.mark.parametrize('row', OFFERED, ids=lambda row: f'{row.tool}:{row.name}')
def test_every_name_of_the_table_is_a_measure_and_prints_as_one_of_ours(row):
    if '(' in row.name:
        return
    for name in written(row):
        m = parse(f'{row.tool}:{name}')
        assert m.name in KINDS
        assert parse(repr(m)) == m


@pytest.mark.parametrize('row', [row for row in NAMES if not is_offered(row)], ids=lambda row: f'{row.tool}:{row.name}')
def test_known_but_unsupported_name_is_an_error_with_its_tool(row):
    with pytest.raises(ValueError, match=f"of {row.tool} is not supported here"):
        parse(f'{row.tool}:{row.stem}')


@pytest.mark.parametrize('row', OF_TREC_EVAL, ids=lambda row: row.name)
@pytest.mark.parametrize('seed', range(3))
def test_a_name_of_trec_eval_is_what_trec_eval_computes(row, seed):
    qrels, run = oracles.random_collection(seed, awkward=False)
    for name in written(row):
        theirs = oracles.trec_eval(qrels, run, {name})
        theirs = theirs.get(name) or theirs.get(f'{row.stem}_{float(name.rpartition("_")[2]):.2f}') or theirs[row.stem]
        ours = evaluate(qrels, run, name)
        if row.name.startswith('gm_'):  # theirs is the logarithm, to be averaged
            logs = np.log(np.maximum(ours.values[0, 0], 1e-5))
            np.testing.assert_allclose(logs, [theirs[q] for q in ours.query_ids], atol=1e-9, rtol=0)
        else:
            np.testing.assert_allclose(ours[name], [theirs[q] for q in ours.query_ids], atol=1e-9, rtol=0)
        assert ours.means[name] == ours.means[ours.measures[0]]


def test_trec_eval_names_without_a_number_mean_all_cutoffs():
    qrels, run = oracles.random_collection(3, awkward=False)
    for row in OF_TREC_EVAL:
        if row.numbers and row.stem not in ('P', 'success', 'set_F', 'Rprec_mult'):  # bare P, success and Rprec_mult are ours
            theirs = oracles.trec_eval(qrels, run, {row.stem})
            ours = parse_all(row.stem)
            assert ours == parse_all(f'trec_eval:{row.stem}')
            assert len(ours) == len(theirs) == len(row.numbers)
            np.testing.assert_allclose(evaluate(qrels, run, ours).values[0], [list(v.values()) for v in theirs.values()], atol=1e-9)
    assert parse('P') == P
    assert parse('success') == Success
    assert len(parse_all('trec_eval:P trec_eval:success')) == 9 + 3


IRM = ir_measures
@pytest.mark.parametrize('theirs', [
    IRM.AP, IRM.AP(rel=2) @ 10, IRM.nDCG @ 10, IRM.nDCG(gains={1: 5, 4: 9}) @ 10, IRM.nDCG(judged_only=True), IRM.P(rel=2) @ 5, IRM.R @ 20,
    IRM.RR, IRM.RR(rel=3), IRM.Rprec, IRM.Bpref, IRM.IPrec @ 0.7, IRM.IPrec(rel=2) @ 0.4, IRM.Success @ 5, IRM.SetP, IRM.SetP(relative=True),
    IRM.SetR, IRM.SetF, IRM.SetF(beta=4.0), IRM.SetF(beta=0.3, rel=2), IRM.SetAP, IRM.SetAP(rel=2), IRM.NumRet, IRM.NumRet(rel=1),
    IRM.NumRet(rel=2), IRM.NumRel, IRM.Judged @ 5], ids=str)  # fmt: skip
def test_a_measure_of_ir_measures_is_taken_as_an_object_and_as_text_and_means_the_same(theirs):
    qrels, run = oracles.random_collection(5, awkward=False)
    negative = 'keep' if theirs.NAME == 'Judged' else 'zero'  # to which junk is judged
    ours = evaluate(qrels, run, theirs, negative=negative)
    expected = oracles.by_ir_measures(qrels, run, [theirs])[theirs]
    np.testing.assert_allclose(ours[theirs], [expected[q] for q in ours.query_ids], atol=1e-9, rtol=0)
    assert parse_all([theirs, str(f'ir_measures:{theirs}')]) == [ours.measures[0]]
    assert len(set(expected.values())) > 1


@pytest.mark.parametrize('row', OF_TREC_EVAL, ids=lambda row: row.name)
def test_over_the_queries_a_name_is_aggregated_as_trec_eval_does_it(row):
    qrels, run = oracles.random_collection(4, awkward=False)
    name = written(row)[0]
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {name}).evaluate(run)
    key = {*next(iter(theirs.values()))}.pop()
    whole = pytrec_eval.compute_aggregated_measure(row.stem, [values[key] for values in theirs.values()])
    assert evaluate(qrels, run, name).means[name] == pytest.approx(whole, abs=1e-9)


@pytest.mark.parametrize('theirs', [IRM.AP, IRM.P @ 5, IRM.SetF(beta=4.0), IRM.NumRet, IRM.NumRet(rel=2), IRM.NumRel, IRM.Judged @ 5], ids=str)
def test_over_the_queries_a_measure_of_ir_measures_is_aggregated_as_it_does_it(theirs):
    qrels, run = oracles.random_collection(4, awkward=False)
    negative = 'keep' if theirs.NAME == 'Judged' else 'zero'
    whole = IRM.calc_aggregate([theirs], qrels, run)[theirs]
    assert evaluate(qrels, run, theirs, negative=negative).means[theirs] == pytest.approx(whole, abs=1e-9)


def test_hits_of_ranx_are_averaged_over_the_queries_and_ours_added_up():
    qrels, run = {'1': {'a': 2, 'b': 1, 'c': 0}, '2': {'a': 1}}, {'1': ['a', 'b', 'c'], '2': ['b', 'a']}
    scores = evaluate(qrels, run, 'hits@2 ranx:hits@2-l2 NumRelRet@2')
    assert [*scores.means.values()] == [1.5, 0.5, 3]


def test_a_measure_of_ir_measures_that_we_lack_is_refused_by_name():
    for theirs in (IRM.NumQ,):
        with pytest.raises(ValueError, match='of ir_measures is not supported here'):
            parse(theirs)


@pytest.mark.parametrize('text, ours', [
    ('MAP', AP), ('mAP', AP), ('MRR@10', RR @ 10), ('HR@10', Success @ 10), ('Hit@10', Success @ 10), ('F1@5', F @ 5), ('Recall@5', R @ 5),
    ('Prec@5', P @ 5), ('ndcg@10', nDCG @ 10), ('NDCG_CUT@3', nDCG @ 3), ('ndcg_at_10', nDCG @ 10), ('mrr@10-l2', RR(rel=2) @ 10),
    ('f1', F), ('precision-l2', P(rel=2)),
    ('ndcg@5-l3', nDCG(gain={1: 0, 2: 0, 'else': 'linear'}) @ 5), ('ndcg_burges-l2', nDCG(gain={1: 0, 'else': 'exp'})), ('ndcg-l1', nDCG),
    ('accuracy@1', Success @ 1), ('cosine_accuracy@5', Success @ 5), ('cosine_ndcg@10', nDCG(gain='binary') @ 10), ('dot_map@100', AP(divisor='min(R,k)') @ 100),
    ('cosine_mrr@10', RR @ 10), ('cos_sim_precision@3', P @ 3), ('hit_rate@3', Success @ 3), ('single_hit', Success), ('multi_hit@5', R @ 5),
    ('id_based_context_precision', parse('SetP')), ('id_based_context_recall', parse('SetR')), ('ContextualPrecision', AP(divisor='retrieved')),
    ('llm_context_precision_with_reference', AP(divisor='retrieved')), ('lenskit:RBP', RBP(p=.85)), ('catboost:NDCG@3', nDCG @ 3), ('xgboost:map@10', AP(divisor='min(R,k)') @ 10), ('pytrec_eval:recall_5', R @ 5)])
def test_everyday_names_are_read(text, ours):
    assert parse(text) == ours


def test_a_name_with_several_meanings_is_its_owners_unless_another_is_named():
    assert repr(parse('hits@5')) == "CG(gain='binary')@5"  # of ranx: a count, averaged over the queries
    assert parse('SetF(beta=4)') == SetF(beta=4)
    assert parse('ir_measures:SetF(beta=4)') == SetF(beta=2)
    assert parse('11pt_avg') != parse('trec_eval10:11pt_avg')
    assert find_name('map').tool == 'trec_eval'
    assert find_name('map', 'trec_eval10').tool == KIN['trec_eval10'] == 'trec_eval'


@pytest.mark.parametrize('text, says', [
    ('foo:AP', "unknown tool 'foo'; available: trec_eval "), ('ranx:Start', "'Start' is not a known measure of ranx"),
    ('P.5,10', 'names 2 measures, such as P@5, but only one is allowed here'), ('ndcg_at', 'needs a number, as in ndcg_at_10'), ('P_0', 'must be a whole number'),
    ('ndcg@10-l2000', "the relevance level must be at most 99"), ('nDCG(rel=2)@10', "no parameter 'rel'"),
    ('ndcg_score', "it averages over ties; write nDCG with conventions='sklearn'"), ('Hole@10', 'judged if it is judged for any query'),
    ('context_precision', 'two measures: write id_based_context_precision .* or llm_context_precision_with_reference'), ('ragas:context_precision', 'two measures'),
    ('context_recall', 'id_based_context_recall'), ('Hits@3', 'a count .ranx:hits., or the share of queries with a hit .Success.'), ('deepeval:ContextualRecall', 'a language model computes it'),
    ('nDCG(gains=3)', 'gains= must be a table'), ('set_F_-1', "unknown measure 'set_F_-1'")])
def test_invalid_name_is_an_error_with_a_reason(text, says):
    with pytest.raises(ValueError, match=says):
        parse(text)


def test_no_name_is_in_the_table_twice_for_one_tool():
    names = [(row.tool, row.stem) for row in NAMES]
    assert len(names) == len(set(names)) == len(name_table())


@pytest.mark.parametrize('text', ["nDCG(gain='exp')@10-l2", "ranx:ndcg(gain='exp')@10-l2", "nDCG(dcg='exp-log2')@10-l2", "ndcg_burges(gain='exp')@10-l2"])
def test_explicit_gain_is_kept_with_a_relevance_level(text):
    assert parse(text) == nDCG(gain={1: 0, 'else': 'exp'}) @ 10 == parse('ranx:ndcg_burges@10-l2')
    discount = np.log2(3)
    assert parse(text).of([2, 3]) == pytest.approx((3 + 7 / discount) / (7 + 3 / discount), rel=1e-12)
    assert parse(text).of([2, 3]) == pytest.approx(0.8340, abs=5e-5)
    assert parse('ndcg_burges(gain=\'linear\')-l2') == parse('ndcg-l2')


def test_gain_table_with_a_relevance_level_is_an_error():
    for table in ("gain={1: 5, 'else': 'exp'}", 'gains={1: 5}'):
        with pytest.raises(ValueError, match='a table of gains already contains the gains of grades below 2'):
            parse(f'nDCG({table})@10-l2')


def test_relevance_level_set_twice_is_an_error():
    with pytest.raises(ValueError, match='sets rel twice'): parse('P(rel=2)@10-l3')
    assert parse('ranx:precision@10-l3') == parse('P(rel=3)@10')


# ---- what is known and not offered ----

NOT_HERE = {'RBO': 'agreement of two rankings', 'rbo@10': 'package rbo|[(]rbo[)]', 'statAP': 'statAP_MQ_eval',
            'TBG': 'time that reading takes', 'U-measure': 'how much text',
            'graded AP': 'AP averaged', 'GAP': 'AP averaged', 'BERTScore': 'two texts are',
            'D#-nDCG@10': 'intents', 'AUC': 'auc.labels, scores.', 'context_precision': 'SetP', 'rbp_resid': 'write RBPresidual', 'ROUGE': 'texts',
            'nugget': 'facts in an answer', 'nugget recall': 'facts',
            'p-MRR': 'two runs', 'condensed list': 'judged_only=True', 'tau-AP': '[(]ircor'}


@pytest.mark.parametrize('name', NOT_HERE)
def test_unsupported_measure_is_an_error_with_an_explanation(name):
    with pytest.raises(ValueError, match=f'(is not a measure of this package|is not supported here): .*({NOT_HERE[name]})') as error:
        parse(name)
    assert 'did you mean' not in str(error.value)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize('text, ours', [
    ('alpha-nDCG@10', 'alpha_nDCG@10'), ('Alpha_NDCG@10', 'alpha_nDCG@10'), ('α-nDCG@5', 'alpha_nDCG@5'), ('ERR-IA@20', 'ERR_IA@20'), ('nERR_IA', 'nERR_IA'),
    ('NRBP', 'NRBP'), ('StRecall@5', 'StRecall@5'), ('strec@10', 'StRecall@10'), ('P-IA@10', "P(over='subtopics')@10"), ('MAP-IA', "AP(over='subtopics')"),
    ('nDCG-IA@20', "nDCG(over='subtopics')@20"), ('nDCG_over_subtopics_at_20', "nDCG(over='subtopics')@20")])
def test_measures_of_subtopics_have_the_names_of_other_tools(text, ours):
    assert repr(parse(text)) == ours


@pytest.mark.parametrize('theirs, ours', [
    (IRM.alpha_nDCG @ 10, 'alpha_nDCG@10'), (IRM.alpha_DCG(alpha=.25, rel=2) @ 5, 'alpha_DCG(alpha=0.25, rel=2)@5'), (IRM.ERR_IA @ 20, 'ERR_IA@20'),
    (IRM.nERR_IA @ 20, 'nERR_IA@20'), (IRM.NRBP(alpha=.2, beta=.4), 'NRBP(alpha=0.2, beta=0.4)'), (IRM.nNRBP, 'nNRBP'), (IRM.StRecall @ 10, 'StRecall@10'),
    (IRM.AP_IA(rel=2), "AP(rel=2, over='subtopics')"), (IRM.P_IA @ 5, "P(over='subtopics')@5")])
def test_measures_of_subtopics_of_ir_measures_are_accepted(theirs, ours):
    assert repr(parse(theirs)) == ours


def test_supported_names_are_not_listed_as_unsupported():
    offered = {name.casefold() for kind in KINDS.values() for name in (kind.name, *aliases_of(kind.name))} | {row.stem for row in OFFERED if find_name(row.stem) == row}
    assert not any(find_elsewhere(name) for name in offered)
    assert all(len(said) > 10 for said in ELSEWHERE.values())
    assert find_elsewhere('Kendall_Tau') == find_elsewhere('kendallTau') != ''
    assert not {row.name for row in NAMES if not is_offered(row) and not row.why}, 'say what to do instead'


CUTS = '5 10 15 20 30 100 200 500 1000'.split()
ALL_NAMES = {  # that a tool prints or takes, in its order
    'ir_measures': [*IRM.measures.registry],
    'trec_eval': """num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P relative_P recall infAP gm_bpref Rprec_mult
        utility 11pt_avg binG G ndcg ndcg_rel Rndcg ndcg_cut map_cut success set_P set_relative_P set_recall set_map set_F num_q
        num_nonrel_judged_ret runid relstring""".split(),
    'trec_eval10': ['unj_5', 'rbp', 'rbp_resid', 'yaap', 'dcg', *(f'{stem}_{k}' for stem in ('P', 'recall', 'ndcg_cut', 'map_cut') for k in CUTS)],
    'pyndeval': [*(f'{name}@{k}' for name in ('ERR-IA', 'nERR-IA', 'alpha-DCG', 'alpha-nDCG', 'P-IA', 'strec') for k in (5, 10, 20)), 'NRBP', 'nNRBP', 'MAP-IA'],
    'cwl_eval': 'P@10 AP RR RBP INST INSQ BPM-Static BPM-Dynamic SDCG-k NDCG-k NERR8 NERR9 NERR10 NERR11 TBG U IFT'.split(),
    'NTCIREVAL': """RR AP P@10 Hit@10 nDCG@10 MSnDCG@10 Q-measure Q@10 nERR@10 ERR@10 iRBU RBP O-measure P-measure P-plus NCU
        D-nDCG D#-nDCG I-rec""".split()}


@pytest.mark.parametrize('tool, name', [(tool, name) for tool, names in ALL_NAMES.items() for name in names])
def test_every_name_of_the_tools_is_computed_or_refused_with_advice(tool, name):
    try:
        assert parse_all([name], tool=tool)
    except ValueError as error:
        assert re.search(r'(is not supported here|is not a measure of this package): .{15,}|needs (max_grade|max_rel): write ', str(error)), error


@pytest.mark.parametrize('name', ['prefs_simp', 'prefs_avgjg_Rnonrel_ret', 'map_avgjg', 'TBG', 'U', 'AWRF', 'EEL', 'p-MRR', 'nAUC', 'nugget', 'WSS'])
def test_measures_on_other_data_are_refused_with_what_they_need(name):
    with pytest.raises(ValueError, match='is not a measure of this package: .*(needs|run|compare|auc|evaluate|use)') as error:
        parse(name)
    assert len(str(error.value)) < 180


@pytest.mark.parametrize('name, measure', [
    ('pyndeval:alpha-nDCG@20', 'alpha_nDCG@20'), ('strec@10', 'StRecall@10'), ('P-IA@10', "P(over='subtopics')@10"), ('MAP-IA', "AP(over='subtopics')"),
    ('ir_measures:AP_IA', "AP(over='subtopics')"), ('NTCIREVAL:Q-measure', 'Q'), ('NTCIREVAL:nERR@5', 'nERR@5'), ('infAP', 'infAP'),
    ('Rprec_mult_0.20', 'Rprec_mult@0.2'), ('cwl_eval:SDCG-k@10', 'SDCG@10'), ('MSnDCG@10', 'nDCG@10'), ('NTCIREVAL:Hit@3', 'Success@3')])
def test_a_name_means_a_measure_as_soon_as_it_is_declared(name, measure):
    name_here = re.match('[A-Za-z_]+', measure)[0]
    declared = name_here in KINDS
    if declared and KINDS[name_here].required:
        with pytest.raises(ValueError, match=f'{name_here} needs max_'): parse(name)
    elif declared:
        assert parse(name) == parse(measure)
    else:
        with pytest.raises(ValueError, match='is not supported here'): parse(name)


@pytest.mark.parametrize('name', ['nDGC', 'nDCGG@10', 'bpreff'])
def test_a_misspelt_measure_is_still_answered_with_the_right_one(name):
    with pytest.raises(ValueError, match='did you mean (nDCG|Bpref)'):
        parse(name)


@pytest.mark.parametrize('text, says', [
    ("nDCG'", "nDCG'\"?, without unjudged documents, is written nDCG.judged_only=True.$"), ('nDCG′@10', 'nDCG.judged_only=True'), ("ap'", 'AP.judged_only=True.')])
def test_a_prime_means_a_measure_without_unjudged_documents(text, says):
    with pytest.raises(ValueError, match=says): parse(text)
    with pytest.raises(ValueError, match='^unknown measure'): parse("foo'")


@pytest.mark.parametrize('call, says', [
    (lambda: explain('AP', [1, 0], k=1), "^there is no option 'k'; a cutoff is written with its measure, such as 'nDCG@1'$"),
    (lambda: explain('AP', [1, 0], missed='skip'), "^there is no option 'missed'; did you mean 'missing'[?]$"),
    (lambda: explain_difference('AP', {'q': {'a': 1}}, {'q': ['a']}, {'q': ['a']}, k=1), "^there is no option 'k'; a cutoff"),
    (lambda: ndcg([1, 0, 1], 10), '^ndcg.. takes one ranking without a name; write other arguments by name: k=, gain=,'),
    (lambda: precision([1, 0], 5), '^precision.. takes one ranking .* by name: k=, divisor=, rel=$')])
def test_an_argument_that_there_is_not_is_answered_with_those_that_there_are(call, says):
    with pytest.raises(TypeError, match=says): call()


@pytest.mark.parametrize('text, says', [
    ('RR@0', '^RR@0: the cutoff k must be'), ('RBP(p=2)', '^RBP.p=2.: the persistence'), ('rr@0', "^'rr@0': RR@0: the cutoff"),
    ('nDCG(gains=exp)', "gains= must be a table {grade: gain}, as in ir_measures, not 'exp'; the name of a gain is written gain='exp'$")])
def test_a_message_about_a_measure_names_it_once(text, says):
    with pytest.raises(ValueError, match=says): parse(text)


@pytest.mark.parametrize('text, says', [
    ('nDCG(gain=exponential)@10', r"unknown gain 'exponential': use one of \['binary', 'exp', 'linear'\]"), ("DCG(gain='exponential')", r"use one of \['binary', 'exp', 'linear'\]"),
    ('ERR(gain=exponential)', "gain must be 'linear' or 'exp', not 'exponential'"), ('RBP(gain=x)', r"use one of \['binary', 'exp', 'linear'\], 'raw', a mapping"),
    ('nDCG(discount=log)', r"use one of \['jarvelin', 'ln', 'log2'\]"), ('AP(rel=two)', "rel must be a number, not 'two'"), ('AP(divisor=min(R,k))', 'put text in quotes')])
def test_a_value_that_there_is_not_is_answered_with_those_that_there_are(text, says):
    with pytest.raises(ValueError, match=says):
        parse(text)


def test_words_in_parameters_need_no_quotes():
    assert parse('nDCG(gain=exp, discount=jarvelin)@10') == nDCG(gain='exp', discount='jarvelin') @ 10
    assert parse('P(judged_only=True)@5') == P(judged_only=True) @ 5
