"Labels come first and scores second, everywhere, and what gives a swap away is said."
import importlib
import inspect
import pkgutil
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score, roc_auc_score

import irmetrics_nb
from irmetrics_nb import Accumulator, EvaluationWarning, Judged, auc, gauc, group_auc, ndcg, roc_curve
from irmetrics_nb.metrics.auc import ScoreHistogram
from irmetrics_nb.reporting.sections import plot_roc

RNG = np.random.default_rng(1)
SCORES = RNG.normal(size=200)
LABELS = (RNG.random(200) < 1 / (1 + np.exp(-SCORES))).astype(int)
GROUPS = np.repeat(np.arange(10), 20)


def updated(labels, scores):
    histogram = ScoreHistogram()
    histogram.update(labels, scores)
    return histogram


TAKE_BOTH = {
    'from_scores': lambda y, s: Judged.from_scores(y, s), 'from_scores, groups': lambda y, s: Judged.from_scores(y, s, GROUPS[:len(y)]),
    'auc': auc, 'roc_curve': roc_curve, 'gauc': lambda y, s: gauc(y, s, GROUPS[:len(y)]), 'group_auc': lambda y, s: group_auc(y, s, GROUPS[:len(y)]),
    'ScoreHistogram': updated, 'Accumulator': lambda y, s: Accumulator('nDCG', auc=True).update(y, s),
    'Accumulator, groups': lambda y, s: Accumulator('nDCG').update(y, s, GROUPS[:len(y)]),
}


def said(call, *columns):
    "The different warnings of a call, each of which points to this file."
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter('always')
        call(*columns)
    assert all(w.category is EvaluationWarning and w.filename == __file__ for w in seen)
    return {str(w.message) for w in seen}


def every_function():
    "All functions and methods of the package."
    names = [m.name for m in pkgutil.walk_packages(irmetrics_nb.__path__, 'irmetrics_nb.') if not m.name.endswith('_modidx')]
    for module in map(importlib.import_module, names):
        for thing in vars(module).values():
            if (getattr(thing, '__module__', '') or '').startswith('irmetrics_nb'):
                inside = [getattr(x, '__func__', x) for x in getattr(thing, '__dict__', {}).values()]
                yield from [thing] if inspect.isfunction(thing) else filter(inspect.isfunction, inside)


def test_wherever_there_are_both_labels_come_before_scores_and_groups_behind():
    found = 0
    for function in every_function():
        names = [*inspect.signature(function).parameters]
        if not {'labels', 'scores'} <= {*names}: continue
        found += 1
        order = [name for name in names if name in ('labels', 'scores', 'groups', 'group')]
        assert order[:2] == ['labels', 'scores'] and len(order) <= 3, function
    assert found >= 8


def test_an_accumulator_takes_its_columns_in_the_order_of_scikit_learn():
    stream = Accumulator('nDCG@10', auc=True)
    for part in np.array_split(np.arange(200), 5): stream.update(LABELS[part], SCORES[part], GROUPS[part])
    assert stream.auc.value == pytest.approx(roc_auc_score(LABELS, SCORES), abs=1e-12) == updated(LABELS, SCORES).auc.value
    by_sklearn = np.mean([ndcg_score([LABELS[GROUPS == g]], [SCORES[GROUPS == g]], k=10) for g in range(10)])
    assert stream.compute()['nDCG@10'] == pytest.approx(by_sklearn, abs=1e-12)
    assert ndcg(Judged.from_scores(LABELS, SCORES), k=10) == pytest.approx(ndcg_score([LABELS], [SCORES], k=10), abs=1e-12)


@pytest.mark.parametrize('what', TAKE_BOTH)
@pytest.mark.parametrize('scores', [SCORES, 1 / (1 + np.exp(-SCORES)), SCORES.round(1), -np.arange(200.), SCORES.astype(np.float32)], ids=['normal', 'sigmoid', 'rounded', 'ranks', '32 bits'])
@pytest.mark.parametrize('labels', [LABELS.astype(bool), LABELS * RNG.integers(1, 5, 200)], ids=['clicks', 'grades'])
def test_labels_and_scores_in_each_others_place_are_warned_of_and_in_their_own_not(what, scores, labels):
    [text] = said(TAKE_BOTH[what], scores, labels)
    assert text.startswith('are labels and scores swapped? labels come first, scores second')
    assert said(TAKE_BOTH[what], labels, scores) == set()


def test_plot_roc_warns_about_swapped_arguments():
    assert len(said(plot_roc, SCORES, LABELS)) == 1 and said(plot_roc, LABELS, SCORES) == set()


@pytest.mark.parametrize(('labels', 'scores'), [
    ([1, 0, 1], [3, 2, 1]), ([1, 0, 1, 0], [0, 1, 0, 0]), ([-1, 1, -1, -1], [0, 1, 0, 1]), ([.5, .25, .75], [3, 2, 1]), ([.5, 1, .5, .5], [1, 0, 1, 0]),
    ([.1, .2, .3, .4], [11, 11, 12, 11]), ([.1, .2, .3, .4], [-1, -1, -2, -2]), ([.1, .2, .3, .4], [.5, .5, 1, 1]), ([0, 1, -2, 3], [1, 1, 0, 0]), ([], []), ([1], [0]),
    ([.5, .25], [1, 0]), (list(range(20)), [1, 0] * 10)])  # fmt: skip
def test_what_may_well_be_meant_is_not_warned_of(labels, scores):
    for call in TAKE_BOTH.values(): assert said(call, labels, scores) == set()


@given(st.lists(st.tuples(st.integers(0, 4), st.floats(-9, 9)), max_size=40))
def test_labels_that_are_whole_and_not_below_0_are_never_doubted(items):
    labels, scores = [y for y, _ in items], [s for _, s in items]
    assert said(Judged.from_scores, labels, scores) == set()
    assert said(Judged.from_scores, labels, [float(round(s)) for s in scores]) == set()


def test_nothing_is_counted_twice_and_an_error_comes_before_a_doubt():
    with warnings.catch_warnings(action='error', category=EvaluationWarning):
        with pytest.raises(ValueError, match='labels must be finite: item 2 is nan'): auc([.3, .2, float('nan'), .1], [1, 0, 0, 1])
        with pytest.raises(EvaluationWarning): Accumulator('AP', auc=True).update(SCORES, LABELS)
