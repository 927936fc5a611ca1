"The text of measures: read back exactly, and never run."
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmetrics_nb import parse, parse_all
from irmetrics_nb.measures import KINDS, Measure

SAFE = {'rel': st.integers(1, 5) | st.floats(.5, 5), 'beta': st.floats(.1, 9), 'judged_only': st.booleans(),
        'divisor': st.sampled_from(['relevant', 'min(R,k)', 'retrieved']), 'discount': st.sampled_from(['log2', 'jarvelin']),
        'gain': st.sampled_from(['linear', 'exp']) | st.dictionaries(st.integers(0, 9), st.floats(0, 99), min_size=1),
        'b': st.floats(1.5, 10), 'cut_ideal': st.booleans(), 'max_grade': st.integers(1, 9),
        'phi': st.just('reciprocal'), 'p': st.floats(.1, .9)}


@st.composite
def measures(draw):
    kind = KINDS[draw(st.sampled_from(list(KINDS)))]
    names = draw(st.sets(st.sampled_from(sorted(kind.params)))) - ({'gain'} if kind.name == 'RBP' else set())
    params = {n: draw(SAFE[n]) for n in names}
    if params.get('discount') != 'jarvelin': params.pop('b', None)  # the only discount that has a base
    at = {None: st.none(), 'k': st.none() | st.integers(1, 10**6), 'recall': st.floats(0, 1)}[kind.at]
    return Measure(kind.name, params, draw(at))


@given(measures())
def test_what_a_measure_prints_reads_back_as_itself(m):
    assert parse(repr(m)) == m and hash(parse(repr(m))) == hash(m)


@given(st.lists(measures(), min_size=1, max_size=5))
def test_a_text_of_several_measures_reads_back_as_all_of_them(ms):
    unique = list(dict.fromkeys(ms))
    assert parse_all(' '.join(map(repr, ms))) == unique and parse_all(', '.join(map(repr, ms))) == unique


@given(st.text(max_size=80))
def test_any_other_text_is_one_clear_error(text):
    try: parse_all(text)
    except ValueError as e: assert str(e)


@pytest.mark.parametrize('text', [
    '', ' ', ',', 'AP@0', 'AP@-1', 'AP@1.5', 'P@', '@10', 'AP@@10', 'nDGC@10', 'AP(rel=2', 'AP)', 'AP(2)@3', 'AP(k=3)', 'AP@ten',
    "nDCG(gain='cubic')", 'RBP(p=1)', 'SetF(beta=-1)', 'Rprec@10', 'AP(rel=print(1))', "__import__('os')", 'AP(**{})',
    'AP(rel=[1]*9)', 'lambda: 1', 'AP@10@20', 'A' * 600, '(' * 400, 'AP(divisor="n")', 'ERR(max_grade=0)', 'IPrec@2',
    "nDCG(discount='log3')", 'nDCG(b=1)', 'nDCG(b=3)@10', "DCG(discount='log2', b=3)", 'AP(' * 5000, '1', 'AP\x00', 'AP(rel="2")'])
def test_what_is_not_a_measure_is_refused_with_a_message(text):
    with pytest.raises(ValueError) as e: parse_all(text)
    assert 10 < len(str(e.value)) < 1000


@pytest.mark.parametrize('text', ['nDCG@' + '1' * 1900, 'AP(' * 3000, "AP(x='" * 1600, '(' * 9999, 'x' * 100_000, ['x' * 100_000], [['x'] * 100_000]])
def test_a_long_text_is_refused_at_once_and_shown_only_in_part(text):
    with pytest.raises(ValueError) as e: parse_all(text)
    assert len(str(e.value)) < 1000
