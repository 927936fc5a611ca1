"The ranking to play with in a notebook: what a reader does is known in Python, and every number is the package's own."
import sys

import numpy as np
import pytest
from test_play import ask

from irmetrics_nb import Judged, parse
from irmetrics_nb import widget as room
from irmetrics_nb.metrics.registry import KINDS
from irmetrics_nb.widget import PLAYED, play, playable, value_of_list


def test_grades_measure_and_value_can_be_read_and_set():
    shown = play([3, 0, 1], "ndcg@5", titles=["a", "b", "c"])
    assert (shown.grades, shown.measure, shown.titles) == ([3, 0, 1], "nDCG@5", ["a", "b", "c"])
    assert shown.value == pytest.approx((3 + 1 / 2) / (3 + 1 / np.log2(3)), abs=1e-15)
    shown.grades = np.array([0.5, np.nan, 2.0])
    assert shown.grades == [0.5, None, 2]
    shown.measure = "MRR"
    assert (shown.measure, shown.value) == ("RR", 1 / 3)


def test_value_from_the_page_is_computed_again():
    shown = play([3, 0, 1], "AP")
    shown.set_state({"grades": [0, 3, 1], "measure": "AP@2", "value": 0.123})
    assert (shown.grades, shown.measure, shown.value) == ([0, 3, 1], "AP@2", 1 / 4)


def test_missed_documents_stay_missed_after_a_change_of_grades():
    shown = play([2, None, 0], "R", ideal=[2, 1, 1, 0, 0])
    assert (sorted(shown.missed), shown.value) == ([0, 1, 1], 1 / 3)
    shown.grades = [0, 2, 1]
    assert shown.value == 2 / 4


def test_largest_grade_of_err_stays_the_initial_one():
    shown = play([1, 3], "ERR", ideal=[1, 3, 5])
    assert shown.measure == "ERR(max_grade=5)"
    shown.grades = [1, 0]
    assert shown.value == 1 / 32


def test_auc_takes_the_order_for_scores_and_has_no_value_without_a_pair():
    assert play([1, 0, None, 2], "AUC").value == 1 / 2
    assert play([1, 1], "AUC").value is None


@pytest.mark.parametrize(("grades", "how", "why"), [
    ([3], {"ideal": [1]}, "a grade 3 of ranking 0 is missing"), (["x"], {}, "x"), ([1], {"measure": "Bpref"}, "these can: P R F"), ([1], {"measure": "Foo"}, "Foo"),
    ([1], {"measure": "nDCG(ideal_from='list')"}, "cannot be shown as an interactive ranking"), ([1], {"measures": "AP GMAP"}, "GMAP cannot be shown as an interactive ranking"),
    ([1], {"measure": parse("CG")(gain={1: 2, 0: 0})}, "cannot be shown as an interactive ranking"),
])  # fmt: skip
def test_what_cannot_be_played_with_is_refused_before_anything_is_shown(grades, how, why):
    with pytest.raises(ValueError, match=why):
        play(grades, **how)


def test_a_measure_that_is_set_is_refused_in_the_same_words():
    shown = play([1])
    with pytest.raises(ValueError, match="cannot be shown as an interactive ranking"):
        shown.measure = "Bpref"
    assert shown.measure == "nDCG"


def test_measures_and_parameters_match_the_script():
    spelt = {(name, p): x for name, kind in KINDS.items() for p, x in kind.params.items()}
    jobs = [[name, [1, 0], {}] for name in [*KINDS, "AUC"]] + [[name, [1, 0], {p: x}] for (name, p), x in spelt.items()]
    fits = [not isinstance(found, dict) for found in ask("value", jobs)]
    known = [name for name, fit in zip([*KINDS, "AUC"], fits, strict=False) if fit]
    assert sorted(known) == sorted(PLAYED)
    params = [pair for pair, fit in zip(spelt, fits[len(KINDS) + 1 :], strict=True) if fit]
    assert params == [(name, p) for name, p in spelt if p in PLAYED.get(name, "").split()]


def test_a_measure_is_spelt_as_the_script_reads_it():
    texts = ["P(divisor='min(R,k)')@3", "nDCG(gain='exp')@5", "F(beta=0.5)", "RBP(p=0.95)", "ERR(max_grade=3, phi='log2')@4", "AUC"]
    assert [playable(text) for text in texts] == texts
    steps = ask("steps", [[playable(text), [1, 0, 2], {}] for text in texts])
    assert [line.partition(" = ")[0] for line in steps] == texts


def test_values_equal_the_list_functions():
    grades, missed = [2, None, 0.5, 1], [3, 0]
    batch = Judged.from_grades([grades], ideal=[[2, 0.5, 1, 3, 0]])
    for name in PLAYED.keys() - {"AUC"}:
        text = f"{name}@4" if name in ("alpha_DCG", "ERR_IA") else name  # these need a cutoff
        assert value_of_list(text, grades, missed) == parse(text).of(batch)[0], name


def test_missing_anywidget_is_an_error_with_a_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    room._widget_class.cache_clear()
    with pytest.raises(ImportError, match=r"pip install 'irmetrics_nb\[widget\]'"):
        play([1])
    room._widget_class.cache_clear()
