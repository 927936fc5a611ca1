"The text of measures: read back exactly, and never run. What may be declared."
import doctest
import pydoc
import re
import subprocess
import sys

import numpy as np
import pytest
from exact.measures import entry
from exact.measures import values as exact_values
from hypothesis import given
from hypothesis import strategies as st
from strategies import measures, usual, values_to_try

from irmetrics_nb import (
    AP,
    ERR,
    Judged,
    compare,
    evaluate,
    explain,
    gate,
    identify,
    measure,
    nDCG,
    ndcg,
    parse,
)
from irmetrics_nb.core.measures import MEAN, SUM, Kind, Measure, check_claims
from irmetrics_nb.metrics.names import aliases_of
from irmetrics_nb.metrics.parsing import find_kind, flat_name, measure_table, parse_all
from irmetrics_nb.metrics.registry import KINDS

written = measures(written=True)


@given(written)
def test_what_a_measure_prints_reads_back_as_itself(m):
    assert parse(repr(m)) == m
    assert hash(parse(repr(m))) == hash(m)
    assert repr(parse(repr(m))) == repr(m)


@given(st.lists(written, min_size=1, max_size=5))
def test_a_text_of_several_measures_reads_back_as_all_of_them(ms):
    unique = list(dict.fromkeys(ms))
    assert parse_all(' '.join(map(repr, ms))) == unique
    assert parse_all(', '.join(map(repr, ms))) == unique


@given(st.text(max_size=80))
def test_any_other_text_is_one_clear_error(text):
    try:
        parse_all(text)
    except ValueError as e:
        assert str(e)


@pytest.mark.parametrize('name', KINDS)
def test_a_kind_is_found_by_its_name_and_every_alias_in_upper_or_lower_case(name):
    kind = KINDS[name]
    at = {None: '', 'k': '@3', 'recall': '@0.5', 'multiple': '@0.5'}[kind.at]
    for alias in (name, *aliases_of(name)):
        for spelling in (alias, alias.upper(), alias.lower()):
            if alias == 'Accuracy' != spelling:
                continue  # accuracy is Success, in sentence-transformers
            written = spelling + ''.join(f'({p}={x})' for p, x in kind.required.items()) + at
            assert parse(written) == (usual(name) if not at else usual(name) @ float(at[1:]))
    assert name in {row['measure'].split(',')[0] for row in measure_table()}


@pytest.mark.parametrize('text', [
    '', ' ', ',', 'AP@0', 'AP@-1', 'AP@1.5', 'P@', '@10', 'AP@@10', 'nDGC@10', 'AP(rel=2', 'AP)', 'AP(2)@3', 'AP(k=3)', 'AP@ten',
    "nDCG(gain='cubic')", 'RBP(p=1)', 'SetF(beta=-1)', 'Rprec@10', 'AP(rel=print(1))', "__import__('os')", 'AP(**{})',
    'AP(rel=[1]*9)', 'lambda: 1', 'AP@10@20', 'A' * 600, '(' * 400, 'AP(divisor="n")', 'ERR(max_grade=0)', 'IPrec@2',
    "nDCG(discount='log3')", 'nDCG(b=1)', 'nDCG(b=3)@10', "DCG(discount='log2', b=3)", 'AP(' * 5000, '1', 'AP\x00', 'AP(rel="2")',
    'AP(rel=2, judged_only=2)', 'AP(rel=1, rel=2)', 'ERR(max_grade=-1)'])
def test_invalid_measure_is_an_error_with_a_message(text):
    with pytest.raises(ValueError) as e:
        parse_all(text)
    assert 10 < len(str(e.value)) < 1000


@pytest.mark.parametrize('text', ['nDCG@' + '1' * 1900, 'AP(' * 3000, "AP(x='" * 1600, '(' * 9999, 'x' * 100_000, ['x' * 100_000], [['x'] * 100_000]])
def test_a_long_text_is_refused_at_once_and_shown_only_in_part(text):
    with pytest.raises(ValueError) as e:
        parse_all(text)
    assert len(str(e.value)) < 1000


def test_a_perfect_list_scores_one_and_a_useless_one_zero_by_every_normalised_measure():
    for name in 'P R F Success AP nDCG RR'.split():
        assert parse(name + '@2').of([1, 1]) == 1, name
        assert parse(name + '@2').of([0, 0]) == 0, name


# ---- measures as things to hold ----


def test_a_parameter_that_has_its_default_is_not_written():
    assert AP(rel=1) == AP
    assert repr(nDCG(gain='linear', discount='log2', cut_ideal=True) @ 5) == 'nDCG@5'
    assert repr(AP(judged_only=False)) == 'AP'
    assert repr(AP(rel=2.0)) == 'AP(rel=2)'


def test_every_measure_may_look_at_judged_documents_only_and_the_kind_need_not_know():
    for name, kind in KINDS.items():
        assert 'judged_only' not in kind.params
        assert list(Measure(KINDS[name]).defaults) == [*kind.params, 'judged_only']
        shown = {'RBP': 'p=0.8, ', 'RBPresidual': 'p=0.8, ', 'Compat': 'p=0.95, ', 'iRBU': 'p=0.99, '}.get(name, '')
        shown += ''.join(f'{p}={x}, ' for p, x in kind.required.items())
        assert repr(Measure(kind, kind.required)(judged_only=True)) == f'{name}({shown}judged_only=True)'


def test_parameters_and_cutoffs_are_kept_when_others_are_given():
    assert repr(AP(rel=2)(judged_only=True) @ 5) == 'AP(rel=2, judged_only=True)@5'
    assert repr((AP @ 5)(rel=2) @ 7) == 'AP(rel=2)@7'
    assert repr(AP @ 5) == 'AP@5'


def test_err_without_a_largest_grade_is_completed_from_the_judgments_retrieved_or_not():
    judged = Judged.from_grades([[1], [0]], ideal=[[1, 3], [0]])
    assert ERR.resolve(judged) == ERR(max_grade=3)
    assert (ERR @ 5).resolve(judged) == ERR(max_grade=3) @ 5
    assert ERR(max_grade=4).resolve(judged) == ERR(max_grade=4)
    assert ERR.resolve(Judged.from_grades([[0], []])) == ERR(max_grade=1)
    assert AP.resolve(judged) == AP
    with pytest.raises(ValueError, match='max_grade=2, but the judgments contain the grade 3'):
        ERR(max_grade=2).resolve(judged)


def test_measures_that_another_tool_spells_in_its_way_are_ours():
    assert parse("nDCG(dcg='exp-log2')@10") == nDCG(gain='exp') @ 10
    assert parse("nDCG(dcg='log2')") == nDCG
    with pytest.raises(ValueError, match="dcg must be 'log2' or 'exp-log2', not 'ln'"):
        parse("nDCG(dcg='ln')")


def test_two_functions_of_the_same_name_print_alike_and_are_refused_together():
    def gain(g): return g * 2
    twice = gain
    def gain(g): return g * 3
    with pytest.raises(ValueError, match='two different measures have the same name'):
        parse_all([nDCG(gain=twice), nDCG(gain=gain)])


# ---- what may be declared ----


def test_a_name_or_alias_is_given_once_in_any_case():
    before = dict(KINDS)
    for name in ('ap', 'MAP', 'NDCG_CUT', 'ndcg_cut_10'):
        with pytest.raises(ValueError, match="'.*' is already"):
            measure(name)(found)
    assert before == KINDS
    with pytest.raises(ValueError, match=f"unknown measure 'Mine'; available: {' '.join(KINDS)}"):
        find_kind('Mine')


def found(ranking, /, *, k=None, rel=1):
    yield ranking.found(rel, k), 1


def q_measure(ranking, /, *, k=None, rel=1):
    "AP, with what each relevant document above counts: a term needs more than its own rank and grade."
    hits = ranking.found(rel, k)
    yield hits, hits.running(np.add, np.ones(len(hits.rank))) / hits.rank
    return ranking.n_relevant(rel)


@pytest.fixture
def declare():
    "`measure` for kinds that are forgotten after the test."
    before = set(KINDS)
    yield measure
    for name in set(KINDS) - before:
        del KINDS[name]


def test_a_kind_that_is_declared_is_parsed_computed_and_counted_like_those_that_came_with_us(declare):
    declare('Found', aggregate=SUM, question='How many?')(found)
    wanted = parse('found(rel=2)@3')
    assert repr(wanted) == 'Found(rel=2)@3'
    assert wanted.of([[2, 1, 2, 2], []]).tolist() == [2, 0]
    assert wanted.kind.aggregate is SUM is not MEAN
    assert evaluate({'q': {'a': 1, 'b': 1}, 'r': {'c': 1}}, {'q': ['a', 'b'], 'r': ['c']}, 'Found').means == {'Found': 3}
    assert {'family': 'Your own', 'measure': 'Found, Found@k', 'question': 'How many?', 'page': 'test_measures', 'chinese': '', 'parameters': 'rel=1'} in measure_table()


def test_a_measure_that_is_declared_again_replaces_the_old_one_in_texts_and_lists(declare):
    def declared(value):
        @declare('Mine', question='How much?')
        def mine(ranking, /): return np.full(len(ranking), value)
        return [evaluate({'q': {'a': 1}}, {'q': ['a']}, measures).means['Mine'] for measures in ('Mine', ['Mine'], 'AP Mine')]
    assert declared(0.25) == [0.25] * 3 and declared(0.5) == [0.5] * 3


def test_a_variant_of_a_metric_of_this_package_is_parsed_by_its_name(declare):
    variant = ndcg.variant('WebDCG', quality=False)
    try:
        assert parse('webdcg@3') == variant @ 3 and parse('webdcg').kind is variant.kind is KINDS['WebDCG']
        assert ndcg.variant('WebDCG', largest=2).kind is parse('WebDCG').kind  # the same function
    finally:
        del ndcg.kinds['WebDCG']


@pytest.mark.parametrize(('name', 'says'), [('AP', 'already declared in irmetrics_nb.metrics.ap'), ('ap', 'already another name of AP'),
    ('map', 'already another name of AP'), ('map_cut_10', 'already the name of AP@{k} in trec_eval')])
def test_a_variant_takes_no_name_of_another_measure(name, says):
    with pytest.raises(ValueError, match=f"^{name!r} is {says}"):
        ndcg.variant(name)
    assert name not in ndcg.kinds


def test_a_measure_of_a_number_names_its_type():
    with pytest.raises(TypeError, match='^a Measure is made of a Kind, not 3: this is of type int$'):
        Measure(3)
    with pytest.raises(TypeError, match=r"not 'AP': write parse\('AP'\)$"):
        Measure('AP')


@pytest.mark.parametrize('wrong', ['nDCG', nDCG, None, 3, {'gain': 'exp'}])
def test_measure_is_made_from_a_kind_only(wrong):
    with pytest.raises(TypeError, match='^a Measure is made of a Kind, not '):
        Measure(wrong)


OF_A_USER = '''
from irmetrics_nb import measure

@measure('Start', question='How good is the first document?')
def start(ranking, /, *, rel=1):
    yield ranking.top(1), ranking.top(1).grade / rel

Best = start.variant('Best', quality=False)
'''
PICKLED = {'by name': 'import pickle\nfrom mine import start, Best', 'by value': f'import cloudpickle as pickle\n{OF_A_USER}'}


@pytest.mark.parametrize('code', PICKLED.values(), ids=list(PICKLED))
def test_a_measure_of_a_user_is_unpickled_in_another_process(code, tmp_path):
    def run(program):
        done = subprocess.run([sys.executable, '-c', program], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    if 'cloudpickle' in code:
        pytest.importorskip('cloudpickle')
    (tmp_path/'mine.py').write_text(OF_A_USER)
    run(f"{code}\nwith open('measures', 'wb') as file: pickle.dump([start.measure(rel=2), Best], file)")
    read = "import pickle\nwith open('measures', 'rb') as file: measures = pickle.load(file)\n"
    use = 'from irmetrics_nb import evaluate, parse\nprint(measures, [parse(repr(m)) == m for m in measures], [m.of([3, 0]) for m in measures])\n'
    assert run(read + use) == '[Start(rel=2), Best] [True, True] [1.5, 3.0]\n'
    assert run(f"{read}from irmetrics_nb import evaluate\nprint(evaluate({{'q': {{'d': 3}}}}, {{'q': ['d']}}, 'start Best').means)") == "{'Start': 3.0, 'Best': 3.0}\n"


@pytest.mark.parametrize(('claim', 'says'), [({'linear': True}, 'its mean over ties gives'), ({'unordered': True}, 'unordered=True gives'),
    ({'worth': lambda ranking: -ranking.grade}, 'its worst order gives')])
def test_a_claim_that_is_untrue_is_refused_at_the_first_use(declare, claim, says):
    mine = declare('Mine', **claim)(q_measure).measure
    with pytest.raises(ValueError, match=f'^Mine: {says} .*, but trying all orders of a tie gives'):
        mine.of([1, 0])
    with pytest.raises(ValueError, match='^Mine: '):
        evaluate({'q': {'a': 1}}, {'q': ['a']}, 'Mine')


def test_why_it_matters_that_a_claim_is_true():
    # Two relevant documents in a tie of three: the mean over their orders, and what an untrue claim would make of it.
    tied = Judged.from_scores([1, 0, 1], scores=[5, 5, 5])
    share, untrue = (Kind('Q', q_measure, linear=linear) for linear in (False, True))
    orders = [(1 + 2 / 2) / 2, (1 + 2 / 3) / 2, (1 / 2 + 2 / 3) / 2]
    assert share.over_ties(tied, 'average', rel=1) == pytest.approx([sum(orders) / 3])
    assert untrue.over_ties(tied, 'average', rel=1) != pytest.approx([sum(orders) / 3])


@pytest.mark.parametrize(('fields', 'error', 'says'), [
    ({'entires': 'found'}, TypeError, 'unexpected keyword'), ({'entries': 'found'}, TypeError, 'unexpected keyword'),
    ({'at': 'cut'}, ValueError, "its function has no parameter 'cut'"), ({'without': 'gian'}, ValueError, "no parameter 'gian'"),
    ({'spellings': {'relative': {True: {'by': 1}}}}, ValueError, "no parameter 'by'"), ({'written': 'rel/rank'}, ValueError, "written contains 'rank'"),
    ({'written': 'g/z'}, ValueError, "written contains 'z'; allowed are i g e r n R N log2 min and the names of parameters")])
def test_a_field_that_would_be_ignored_is_refused(fields, error, says):
    with pytest.raises(error, match=says):
        measure('Mine', **fields)(found)
    assert 'Mine' not in KINDS


def test_a_kind_without_a_cutoff_takes_none(declare):
    @declare('Half')
    def half(ranking, /, *, rel=1):
        yield ranking.found(rel), 1 / 2
    with pytest.raises(ValueError, match='Half takes no cutoff: leave out @5'):
        parse('Half@5')


@pytest.mark.parametrize('name', KINDS)
def test_what_the_kinds_claim_is_so(name):
    check_claims(KINDS[name])


@pytest.mark.parametrize('name', [name for name, kind in KINDS.items() if kind.built_in])
def test_every_kind_has_exact_definition_and_parameter_values(name):
    for parameter in Measure(KINDS[name]).defaults:
        values_to_try(name, parameter)
    known = {*KINDS[name].params, KINDS[name].at}
    unknown = {*entry(name).parameters} - known
    assert not unknown, f'{name} has no parameters {unknown}: remove them from its entry in MEASURES of tests/exact/measures.py'


def test_errors_name_the_missing_definition_or_values():
    with pytest.raises(AssertionError, match="Foo has no exact definition: .* tests/exact/measures.py, and add the entry 'Foo' to MEASURES"):
        entry('Foo')
    with pytest.raises(AssertionError, match="AP has the parameter nth, .* add 'nth': .* to `parameters` of its entry in MEASURES"):
        exact_values('AP', 'nth')


# ---- help(nDCG) ----


@pytest.mark.parametrize('name', KINDS)
def test_help_of_a_measure_has_parameters_and_a_valid_example(name):
    kind = KINDS[name]
    text = pydoc.render_doc(Measure(KINDS[name]), renderer=pydoc.plaintext)
    assert kind.question in text and kind.written in text
    for parameter in [*kind.params, 'judged_only']:
        assert f'\n    {parameter} : ' in text
    assert ('\n    @ : ' in text) == (kind.at is not None)
    [example] = [test for test in doctest.DocTestFinder().find(Measure(KINDS[name]), name, globs={}, module=False) if test.examples]
    assert doctest.DocTestRunner(verbose=False).run(example, out=lambda said: None).failed == 0
    assert len(example.examples) == 2


def test_help_of_a_measure_shows_choices_and_chosen_values():
    text = pydoc.render_doc(nDCG(gain='exp') @ 10, renderer=pydoc.plaintext)
    assert "gain : str, mapping or function, default 'linear', here 'exp'" in text and "'log2', 'jarvelin', 'ln'" in text
    assert 'Each document that counts adds g/log2(i+1); g: the gain of the document, i: the rank.' in text
    assert Measure.__doc__.startswith('A measure: its name') and 'judged_only' not in Measure.__doc__


@pytest.mark.parametrize('text, shown, flat', [
    ('RBP', 'RBP(p=0.8)', 'RBP_p_0p8'), ('RBP(p=0.8)@10', 'RBP(p=0.8)@10', 'RBP_p_0p8_at_10'), ('RBP(rel=2, p=.8)', 'RBP(p=0.8, rel=2)', 'RBP_p_0p8_rel_2'),
    ('RBP(p=0.5)', 'RBP(p=0.5)', 'RBP_p_0p5'), ('SetRelP', 'SetRelP', 'SetRelP'), ("SetP(divisor='min(R,k)')", 'SetRelP', 'SetRelP'),
    ('SetP(relative=True, rel=2)', 'SetRelP(rel=2)', 'SetRelP_rel_2'), ('set_relative_P', 'SetRelP', 'SetRelP'), ('SetP', 'SetP', 'SetP'),
    ('ndcg_rel(rel=2)', 'ndcg_rel(rel=2)', 'ndcg_rel_rel_2'), ('Rprec_mult_0.20', 'Rprec_mult@0.2', 'Rprec_mult_at_0p2'),
    ('Rprec_mult(rel=2)@2', 'Rprec_mult(rel=2)@2', 'Rprec_mult_rel_2_at_2')])
def test_names_contain_parameters_without_an_agreed_default(text, shown, flat):
    parsed = parse(text)
    assert (repr(parsed), flat_name(parsed)) == (shown, flat)
    assert parse(shown) == parse(flat) == parsed == parse(text)
    assert parse(shown).of([0, 2, 1], ties='given') == parsed.of([0, 2, 1])


def test_rbp_persistence_and_err_max_grade_are_in_every_result(tmp_path):
    qrels, run = {q: {'a': 1, 'b': 2} for q in 'xyz'}, {q: {'b': 2., 'c': 1.} for q in 'xyz'}
    scores = evaluate(qrels, run, 'RBP ERR@5')
    compared = compare(qrels, {'one': run, 'two': run}, 'RBP ERR@5', baseline='one')
    scores.save(tmp_path / 'scores.csv')
    texts = [repr(scores), scores.to_latex(), scores.to_markdown(), scores.to_json(), (tmp_path / 'scores.csv').read_text(), ' '.join(scores.flat_means()),
             repr(compared), compared.to_latex(), repr(gate(compared, max_drop=.1, floors=['RBP=0.1', 'ERR@5=0.1'])), repr(explain('RBP', qrels, run, 'x')) + repr(explain('ERR@5', qrels, run, 'x'))]
    for text in texts:
        assert 'RBP(p=0.8)' in text or 'RBP_p_0p8' in text, text
        assert 'max_grade=2' in text.replace('\\', '') or 'max_grade_2' in text, text
        assert not re.search(r'RBP(?![(_])|ERR(?![(_])', text), text
    assert scores['RBP'] == pytest.approx([.2] * 3) and scores['RBP(p=0.8)'] is not None
    with pytest.raises(KeyError): scores['RBP(p=0.5)']


def test_what_a_question_leaves_open_is_not_shown_as_decided():
    qrels, run = {'q': {'a': 1}}, {'q': ['b', 'a']}
    assert repr(identify(qrels, run, 'RBP', '0.25')).startswith('RBP = 0.25 (value rounded): ')
    assert repr(identify(qrels, run, 'RBP(p=0.5)', '0.25')).startswith('RBP(p=0.5) = 0.25 (value rounded): ')


@pytest.mark.parametrize("name", ["k", "cutoff", "depth", "at"])
def test_a_cutoff_written_as_a_parameter_is_answered_with_how_to_write_it(name):
    with pytest.raises(ValueError, match=f"nDCG has no parameter '{name}'; a cutoff is written nDCG@10"):
        parse(f"nDCG({name}=10)")
