"Dicts of lists and of integers: the same results and errors as when all ids and numbers are read as rows."
import warnings
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irmetrics_nb import DataError, Qrels, Run, check, evaluate
from irmetrics_nb.data.qrels_and_runs import DictSource

NASTY = [7, '7', '07', 'a', 'é', 'e\u0301', '', 'x\ny', ' a', 0, -1, 2**70, True, False, 7.0, None, b'7', b'a', np.int64(7), np.str_('a'), '\ud800', '\udcff', 'x' * 70_000, 'x' * 20_000]
PLAIN = [7, 8, 2**63, 5], ['7', '8', 'a'], NASTY
ids = st.sampled_from(PLAIN).flatmap(lambda pool: st.sampled_from(pool))


@st.composite
def sources(draw, numbers):
    "Return a dict of lists, dicts or arrays. The ids are often of one type."
    queries, docs = (st.sampled_from(draw(st.sampled_from(PLAIN))) for _ in range(2))
    lists = st.lists(docs, max_size=4)
    dicts = st.dictionaries(docs, numbers, max_size=4)
    arrays = lists.map(lambda values: np.array(values, draw(st.sampled_from([None, object]))) if values else np.array([], object))
    values = draw(st.sampled_from([lists, dicts, arrays, st.one_of(lists, dicts)]))
    return draw(st.dictionaries(queries, values, min_size=1, max_size=3))


def outcome(function):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        try: result = function()
        except (ValueError, TypeError, OverflowError) as error: return type(error), str(error)
    return result, sorted({str(warning.message) for warning in caught})


def facts(table): return table.to_dict(), table.queries, repr(table), table._facts.listed


def results(qrels, run):
    scores = evaluate(qrels, run, 'AP nDCG@2 RR R@1', ties='docid')
    return scores.query_ids, {measure: scores[str(measure)].tolist() for measure in scores.measures}, str(scores)


@settings(max_examples=200, deadline=None)
@given(sources(st.sampled_from([1, 2, 0, -1])), sources(st.sampled_from([1, 2.5, -1])))
def test_dicts_are_read_alike_with_and_without_rows(qrels, run):
    fast = outcome(lambda: facts(Qrels(qrels))), outcome(lambda: facts(Run(run)))
    joined = outcome(lambda: results(qrels, run))
    with patch.object(DictSource, 'of', lambda source, role: None):
        assert fast == (outcome(lambda: facts(Qrels(qrels))), outcome(lambda: facts(Run(run))))
        if not any(isinstance(docs, dict) and not docs for docs in run.values()): assert joined == outcome(lambda: results(qrels, run))


LISTS = {'ann': ['oak', 'roses', 'elm'], 'ben': ['ivy', 'oak', 'fern']}
LIKED = {'ann': ['roses', 'tulips'], 'ben': ['ivy']}
NUMBERS = {name: i for i, name in enumerate(['ann', 'ben', 'oak', 'roses', 'elm', 'ivy', 'fern', 'tulips'])}


def numbered(source): return {NUMBERS[user]: [NUMBERS[item] for item in items] for user, items in source.items()}


def as_text(source): return {str(user): [*map(str, items)] for user, items in source.items()}


def as_dicts(source): return {user: {item: 9 - i for i, item in enumerate(items)} for user, items in source.items()}


def as_arrays(source): return {user: np.array(items) for user, items in source.items()}


@pytest.mark.parametrize('change', [dict, as_dicts, as_arrays, numbered, lambda x: as_dicts(numbered(x)), lambda x: as_arrays(numbered(x))])
def test_reciprocal_rank_and_recall_of_two_users(change):
    "Ann's only hit is at rank 2 of 2 relevant items, and Ben's at rank 1: RR (1/2 + 1) / 2, R@3 (1/2 + 1) / 2."
    means = {'RR': .75, 'R@3': .75, 'Success@1': .5}
    assert evaluate(change(LIKED), change(LISTS), 'RR R@3 HR@1').means == means
    assert evaluate(change(LIKED), {'a': change(LISTS), 'b': LISTS if change in (dict, as_dicts, as_arrays) else numbered(LISTS)}, 'RR').means == {'a': {'RR': .75}, 'b': {'RR': .75}}
    with patch.object(DictSource, 'of', lambda source, role: None): expected = str(check(change(LIKED), change(LISTS)))
    assert str(check(change(LIKED), change(LISTS))) == expected


@pytest.mark.parametrize(('qrels', 'run'), [(numbered(LIKED), as_text(numbered(LISTS))), (as_text(numbered(LIKED)), numbered(LISTS)), (as_dicts(as_text(numbered(LIKED))), as_dicts(numbered(LISTS)))])
def test_integers_in_one_source_match_digits_in_the_other(qrels, run):
    assert evaluate(qrels, run, 'RR R@3').means == {'RR': .75, 'R@3': .75}


def test_ties_of_integer_ids_are_ordered_as_text():
    "By descending text, '9' precedes '10', which a comparison of numbers would not give."
    qrels = {1: {10: 1, 9: 0}}
    assert evaluate(qrels, {1: {10: .5, 9: .5}}, 'RR').means == {'RR': .5}
    assert evaluate(qrels, {1: {10: .5, 9: .5}}, 'RR', ties='given').means == {'RR': 1.}


def test_a_duplicate_in_a_list_follows_the_option():
    for run in {'q': ['a', 'b', 'a']}, {1: [7, 8, 7]}:
        with pytest.raises(DataError, match='duplicate document'): Run(run)
        assert [*Run(run, duplicates='first').to_dict().values()][0].popitem()[1] == -1
    with pytest.raises(DataError, match="an id must be text, bytes or a whole number, not True"): Run({1: [True, 7]})


def test_later_changes_of_a_list_have_no_effect():
    source = {'q': ['a', 'b']}
    run = Run(source)
    source['q'].append('c')
    assert run.to_dict() == {'q': {'a': 0, 'b': -1}}
