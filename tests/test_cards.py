"What a metric's card claims is what the metric does."
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import batch, collections, judgments

from irmetrics_nb import Judged, Measure, auc, gauc, parse
from irmetrics_nb.explaining.cards import CARDS, cards, order, reads, tasks
from irmetrics_nb.metrics.registry import KINDS

TOPS = {'0 to 1': 1, '0 or 1': 1, '0 to just below 1': 1, '0 to 1; guessing gets 0.5': 1,
        '0 to 1, if no gain is negative and the ideal is the best order': 1}
every_kind = pytest.mark.parametrize('name', [name for name in CARDS if name in KINDS])

ROOT = Path(__file__).resolve().parents[1]


def value_of(name, grades, judged):
    "A measure of one list; `judged`: all grades of its query."
    one = Judged.from_grades([grades], ideal=[sorted(judged, reverse=True)])
    return Measure(KINDS[name]).resolve(one).of(one)[0]


@pytest.mark.parametrize('page', ['sets', 'ap', 'dcg', 'cascade', 'auc'])
def test_each_page_for_learning_shows_cards_of_its_metrics(page):
    cells = json.loads((ROOT / f'nbs/learn/{page}.ipynb').read_text(encoding='utf-8'))['cells']
    (code,) = (text for cell in cells if 'cards(' in (text := ''.join(cell['source'])) and cell['cell_type'] == 'code')
    shown = [name for name in CARDS if f"'{name}'" in code]
    assert shown and all(CARDS[name].kind.page == page for name in shown)
    assert {CARDS[name].kind.page for name in CARDS} == {'sets', 'ap', 'dcg', 'cascade', 'auc'}


def test_cards_name_known_measures_and_none_twice():
    known = [name for card in CARDS.values() for name in (card.name, *card.kin)]
    assert len(known) == len({*known}) and {*known} <= {*KINDS, 'AUC', 'GAUC'}
    assert {'P', 'R', 'F', 'AP', 'nDCG', 'RR', 'ERR', 'RBP', 'AUC'} <= CARDS.keys()


@pytest.mark.parametrize('card', CARDS.values(), ids=CARDS)
def test_no_line_of_a_card_is_empty_and_its_example_has_that_value(card):
    assert all([card.title, card.formula, card.kind.question, *card.facts().values()])
    call, value = card.code().rsplit(' = ', 1)
    assert eval(call, {card.example.func.__name__: card.example.func}) == pytest.approx(float(value), abs=5e-5)
    assert card.formula.count('{') == card.formula.count('}')
    assert card.title in str(cards(card.name)) and card.formula in cards(card.name)._repr_markdown_()


@every_kind
def test_the_function_of_the_example_computes_the_measure(name):
    example, kind = CARDS[name].example, KINDS[name]
    given = dict(example.keywords)
    n_relevant, ideal = given.pop('n_relevant', None), given.pop('ideal', None)
    grades = example.args[0]
    missed = [] if n_relevant is None else [1] * (n_relevant - sum((g or 0) >= 1 for g in grades))
    known = sorted([g for g in grades if g is not None] + missed, reverse=True) if ideal is None else ideal
    at = given.pop(kind.at, None) if kind.at else None
    measure = Measure(KINDS[name])(**given)
    measure = measure if at is None else measure @ at
    judged = Judged.from_grades([grades], ideal=[known])
    assert measure.resolve(judged).of(judged)[0] == pytest.approx(example(), abs=1e-12)


@every_kind
@given(collection=collections(judgments))
@settings(max_examples=40, deadline=None)
def test_values_stay_in_the_range_of_the_card(name, collection):
    judged, said = batch(collection), CARDS[name].range
    for k in (None, 3):
        measure = Measure(KINDS[name]) if k is None or KINDS[name].at != 'k' else Measure(KINDS[name]) @ k
        values = measure.resolve(judged).of(judged)
        assert (values >= 0).all() and (values <= TOPS.get(said, np.inf) + 1e-12).all()
        assert said != '0 or 1' or np.isin(values, (0, 1)).all()
        assert said != '0 to just below 1' or (values < 1).all()


@every_kind
@given(grades=st.lists(st.integers(0, 3), min_size=3, max_size=8), data=st.data())
@settings(max_examples=30, deadline=None)
def test_what_it_reads_and_what_it_sees_of_the_order_is_so(name, grades, data):
    kind = KINDS[name]
    shuffled = data.draw(st.permutations(grades))
    value = value_of(name, grades, grades)
    if order(kind) != 'yes' and name != 'Rprec':  # without a cutoff every document is in the top k
        assert value_of(name, shuffled, grades) == pytest.approx(value, abs=1e-12)
    if reads(kind).startswith('relevant or not'):
        flat = [min(g, 1) for g in grades]
        assert value_of(name, flat, flat) == pytest.approx(value, abs=1e-12)


def test_what_reads_grades_or_order_changes_with_them():
    for name in (name for name in CARDS if name in KINDS):
        kind = KINDS[name]
        if reads(kind) == 'grades':
            assert value_of(name, [1, 3], [1, 3]) != value_of(name, [1, 1], [1, 1])
        if order(kind) == 'yes':
            assert value_of(name, [0, 1], [0, 1]) != value_of(name, [1, 0], [0, 1])


def test_auc_of_grades_equals_auc_of_binary_labels():
    labels, scores, users = [2, 0, 1, 0], [.9, .8, .7, .1], [0, 0, 0, 0]
    assert auc(labels, scores) == auc([1, 0, 1, 0], scores) == gauc(labels, scores, users) == .75
    assert auc([1, 0], [1, 1]) == .5


def test_each_task_names_a_measure_of_its_card():
    rows = list(tasks())
    assert len({row['task'] for row in rows}) == len(rows) >= 12
    for row in rows:
        assert parse(row['measure']).kind.name in (row['card'].name, *row['card'].kin)
