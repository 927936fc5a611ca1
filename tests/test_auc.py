"ROC, AUC and GAUC: against scikit-learn, against plain fractions, and the laws that they obey."
import importlib
import subprocess
import sys
from fractions import Fraction

import numpy as np
import oracles
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import metrics as sk

from irmetrics_nb.core.arrays import number_ids
from irmetrics_nb.metrics.auc import GroupAUC, auc, gauc, group_auc, pairs_in_order, roc_curve, roc_steps

SCORES = st.integers(-3, 3).map(float) | st.floats(allow_nan=False)  # many ties, and everything that a float can be
LABELS = st.integers(0, 1)
ITEMS = st.lists(st.tuples(LABELS, SCORES), max_size=30)
GROUPED = st.lists(st.tuples(LABELS, SCORES, st.integers(-2, 3)), max_size=40)


def columns(rows, n=2):
    return [list(column) for column in zip(*rows)] if rows else [[] for _ in range(n)]


def same(value, expected):
    "A float and a fraction agree to the last digit; NaN stands for None."
    return np.isnan(value) if expected is None else value == float(expected)


def table(seed, n=300, levels=12):
    "Labels and scores with many ties, as arrays."
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, n), rng.integers(0, levels, n) / 7


# ---- AUC ----


@given(ITEMS)
def test_auc_is_the_share_of_pairs_in_the_right_order_to_the_last_digit(rows):
    labels, scores = columns(rows)
    assert same(auc(labels, scores), oracles.auc(labels, scores))


@given(ITEMS)
def test_the_area_under_the_roc_curve_is_auc(rows):
    labels, scores = columns(rows)
    fpr, tpr, _ = roc_curve(labels, scores)
    area = np.sum(np.diff(fpr) * (tpr[1:] + tpr[:-1]) / 2) if len(rows) else np.nan
    assert area == pytest.approx(auc(labels, scores), abs=1e-12, nan_ok=True)


@given(ITEMS)
def test_the_rank_sum_is_auc(rows):
    labels, scores = columns(rows)
    assume(len(set(labels)) == 2)
    assert auc(labels, scores) == float(oracles.auc_by_rank_sum(labels, scores))


@given(ITEMS)
def test_a_rising_transformation_of_the_scores_changes_nothing(rows):
    labels, scores = columns(rows)
    order = {s: i for i, s in enumerate(sorted(set(scores)))}
    moved = [2.0 ** order[s] - 100 for s in scores]
    assert auc(labels, moved) == pytest.approx(auc(labels, scores), rel=0, abs=0, nan_ok=True)


@given(ITEMS)
def test_scores_turned_round_give_one_minus_auc(rows):
    labels, scores = columns(rows)
    turned = auc(labels, [-s for s in scores])
    assert turned == pytest.approx(1 - auc(labels, scores), rel=0, abs=1e-15, nan_ok=True)


@given(ITEMS)
def test_labels_turned_round_give_one_minus_auc(rows):
    labels, scores = columns(rows)
    turned = auc([1 - y for y in labels], scores)
    assert turned == pytest.approx(1 - auc(labels, scores), rel=0, abs=1e-15, nan_ok=True)


@given(ITEMS.flatmap(lambda rows: st.tuples(st.just(rows), st.permutations(rows))))
def test_the_order_of_the_rows_changes_not_even_the_last_digit(both):
    one, other = (auc(*columns(rows)) for rows in both)
    assert one == other or np.isnan(one) and np.isnan(other)


@given(ITEMS)
def test_auc_lies_between_0_and_1_or_is_nan_when_a_class_is_missing(rows):
    labels, scores = columns(rows)
    assert np.isnan(auc(labels, scores)) if len(set(labels)) < 2 else 0 <= auc(labels, scores) <= 1


@given(st.lists(st.tuples(st.integers(-1, 4), SCORES), max_size=30), st.integers(-1, 5))
def test_rel_is_the_smallest_positive_label(rows, level):
    labels, scores = columns(rows)
    assert same(auc(labels, scores, rel=level), oracles.auc([y >= level for y in labels], scores))


@pytest.mark.parametrize("seed", range(20))
def test_auc_agrees_with_scikit_learn(seed):
    labels, scores = table(seed, levels=2 + seed * 5)
    assert auc(labels, scores) == pytest.approx(sk.roc_auc_score(labels, scores), abs=1e-13)


@pytest.mark.parametrize("kind", ["int8", "uint8", "int64", "float32", "bool"])
def test_labels_and_scores_of_any_numeric_type_are_taken(kind):
    labels, scores = table(5)
    scores = (scores * 7).astype(np.float32)
    assert auc(labels.astype(kind), scores) == sk.roc_auc_score(labels, scores)


def test_scores_that_differ_in_the_last_digit_are_no_tie():
    assert auc([1, 0], [np.nextafter(1, 2), 1]) == 1
    assert auc([1, 0], [1, np.nextafter(1, 2)]) == 0


# ---- the curve ----


@pytest.mark.parametrize("seed", range(20))
def test_the_curve_is_scikit_learns_with_all_points(seed):
    labels, scores = table(seed, levels=1 + seed * 4)
    expected = sk.roc_curve(labels, scores, drop_intermediate=False)
    for ours, theirs in zip(roc_curve(labels, scores), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-15)


@given(ITEMS)
def test_the_curve_has_one_point_per_distinct_score_after_its_start(rows):
    labels, scores = columns(rows)
    fpr, tpr, thresholds = roc_curve(labels, scores)
    assert thresholds.tolist() == [np.inf, *sorted(set(scores), reverse=True)]
    assert len(fpr) == len(tpr) == len(thresholds)


@given(ITEMS)
def test_each_point_counts_the_items_at_or_above_its_threshold(rows):
    labels, scores = columns(rows)
    assume(0 < sum(labels) < len(labels))
    fpr, tpr, thresholds = roc_curve(labels, scores)
    for f, t, threshold in list(zip(fpr, tpr, thresholds))[1:]:
        caught = [y for y, s in zip(labels, scores) if s >= threshold]
        assert t == sum(caught) / sum(labels)
        assert f == (len(caught) - sum(caught)) / (len(labels) - sum(labels))


def test_the_rate_of_a_missing_class_is_nan_and_the_other_is_not():
    fpr, tpr, _ = roc_curve([1, 1], [0.3, 0.2])
    assert np.isnan(fpr).all()
    assert tpr.tolist() == [0, 0.5, 1]


@given(GROUPED)
def test_the_terms_of_a_group_add_up_to_the_pairs_it_has_in_the_right_order(rows):
    labels, scores, groups = columns(rows, 3)
    ids, number = number_ids(groups)
    group, _, positives, negatives = roc_steps(labels, scores, group=number)
    wins = np.bincount(group, weights=pairs_in_order(group, positives, negatives), minlength=len(ids))
    for total, (value, positives, items) in zip(wins, oracles.auc_by_groups(labels, scores, groups).values(), strict=True):
        assert total == (value or 0) * positives * (items - positives)


# ---- GAUC ----


@given(GROUPED)
def test_group_auc_is_auc_group_by_group(rows):
    labels, scores, groups = columns(rows, 3)
    each, expected = group_auc(labels, scores, groups), oracles.auc_by_groups(labels, scores, groups)
    assert each.ids.tolist() == list(expected)
    assert all(same(value, e[0]) for value, e in zip(each.auc, expected.values(), strict=True))
    assert each.positives.tolist() == [e[1] for e in expected.values()]
    assert each.impressions.tolist() == [e[2] for e in expected.values()]
    assert each.skipped == sum(e[0] is None for e in expected.values())
    assert len(each) == len(expected)


@given(GROUPED, st.sampled_from([None, "impressions", "positives"]))
def test_gauc_is_the_weighted_mean_over_groups_with_both_classes(rows, weights):
    labels, scores, groups = columns(rows, 3)
    place = {None: lambda e: 1, "impressions": lambda e: e[2], "positives": lambda e: e[1]}[weights]
    kept = [e for e in oracles.auc_by_groups(labels, scores, groups).values() if e[0] is not None]
    total = sum(place(e) for e in kept)
    expected = float(sum(e[0] * place(e) for e in kept) / total) if kept else np.nan
    assert gauc(labels, scores, groups, weights=weights) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("weights", [None, "impressions", "positives"])
@pytest.mark.parametrize("seed", range(5))
def test_gauc_agrees_with_a_loop_over_scikit_learn(seed, weights):
    labels, scores = table(seed, n=2000)
    groups = np.random.default_rng(seed).zipf(1.5, 2000) % 300
    values, places = [], []
    for g in np.unique(groups):
        own = groups == g
        if 0 < labels[own].sum() < own.sum():
            values.append(sk.roc_auc_score(labels[own], scores[own]))
            places.append({None: 1, "impressions": own.sum(), "positives": labels[own].sum()}[weights])
    assert 10 < len(values) < len(np.unique(groups)), "some groups have both classes and some have not"
    assert gauc(labels, scores, groups, weights=weights) == pytest.approx(np.average(values, weights=places), abs=1e-12)


@given(ITEMS, st.sampled_from([None, "impressions", "positives"]))
def test_gauc_of_one_group_is_auc(rows, weights):
    labels, scores = columns(rows)
    one = gauc(labels, scores, [7] * len(rows), weights=weights)
    assert one == pytest.approx(auc(labels, scores), rel=0, abs=1e-15, nan_ok=True)


@given(GROUPED)
def test_shifting_and_stretching_the_scores_of_a_group_changes_no_gauc(rows):
    labels, scores, groups = columns(rows, 3)
    order = {s: i for i, s in enumerate(sorted(set(scores)))}
    moved = [1000 * g + order[s] * (g + 3) for s, g in zip(scores, groups)]
    assert gauc(labels, moved, groups) == pytest.approx(gauc(labels, scores, groups), rel=0, abs=0, nan_ok=True)


@given(GROUPED)
def test_the_names_of_the_groups_do_not_matter(rows):
    labels, scores, groups = columns(rows, 3)
    value = gauc(labels, scores, groups)
    for names in ([f"user {g}" for g in groups], [g * 10**15 for g in groups], [g / 3 for g in groups],
                  np.array(groups, dtype=np.int8), np.array([str(g) for g in groups], dtype=object)):
        assert gauc(labels, scores, names) == pytest.approx(value, abs=1e-12, nan_ok=True)


@given(GROUPED)
def test_pairs_as_weights_give_the_share_of_all_pairs_within_groups(rows):
    labels, scores, groups = columns(rows, 3)
    each = group_auc(labels, scores, groups)
    items = list(zip(labels, scores, groups))
    pairs = [(s, t) for y, s, g in items for z, t, h in items if y and not z and g == h]
    wins = sum(Fraction(s > t) + Fraction(s == t) / 2 for s, t in pairs)
    expected = float(wins / len(pairs)) if pairs else np.nan
    assert each.mean(each.positives * each.negatives) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_a_group_of_one_class_never_counts_whatever_its_weight():
    labels, scores, groups = [1, 0, 1, 0, 0], [2, 1, 1, 2, 3], ["a", "a", "b", "b", "c"]
    assert gauc(labels, scores, groups, weights={"a": 3, "b": 1, "c": 1000}) == 3 / 4
    assert gauc(labels, scores, groups, weights=[3, 1, 1000]) == 3 / 4
    assert repr(group_auc(labels, scores, groups)) == "GroupAUC: 3 groups, 2 with both classes, 1 left out"


def test_gauc_is_nan_when_no_group_has_both_classes():
    each = group_auc([1, 0], [0.2, 0.1], ["a", "b"])
    assert isinstance(each, GroupAUC)
    assert each.skipped == 2
    assert np.isnan(each.mean("positives"))
    assert np.isnan(gauc([], [], []))


def test_a_million_items_in_twenty_thousand_groups_get_the_right_values():
    rng = np.random.default_rng(0)
    labels, scores, groups = rng.integers(0, 2, 10**6), rng.random(10**6).round(3), rng.integers(0, 20_000, 10**6)
    each = group_auc(labels, scores, groups)
    for g in (0, 777, 19_999):
        own = groups == g
        assert each.auc[g] == pytest.approx(sk.roc_auc_score(labels[own], scores[own]), abs=1e-13)


# ---- bad input ----


NAN = float("nan")


@pytest.mark.parametrize(
    ("labels", "scores", "says"),
    [
        ([1, 0, 1], [0.5, 0.4], "3 labels and 2 scores"),
        ([1, 0], [0.5, NAN], "scores must not be NaN: item 1"),
        ([1, 0], [None, 0.5], "scores must not be NaN: item 0"),
        ([NAN, 0], [0.5, 0.4], "labels must be finite: item 0 is nan"),
        (["1", "0"], [0.5, 0.4], "labels must be numbers, not <U1"),
        ([1, 0], np.array(["a", 1], dtype=object), "scores must be numbers: item 0 is 'a'"),
        ([[1, 0]], [[0.5, 0.4]], r"but the shape is \(1, 2\)"),
        (1, 0.5, r"but the shape is \(\)"),
        ([1, 0], [0.5j, 1], "complex128"),
    ],
)
def test_bad_columns_are_refused_by_every_function(labels, scores, says):
    for f in (auc, roc_curve, roc_steps, lambda y, s: gauc(y, s, [1, 1])):
        with pytest.raises(ValueError, match=says):
            f(labels, scores)


@pytest.mark.parametrize(
    ("groups", "says"),
    [
        ([1], "got 1 groups and 2 items"),
        ([1.0, NAN], "groups must not contain None or NaN, but item"),
        (["a", None], "groups must not contain None or NaN, but item"),
        (["a", NAN], "groups must not contain None or NaN, but item"),
        (np.array([2, NAN], object), "groups must not contain None or NaN, but item"),
        ([None, None], "groups must not contain None or NaN, but item"),
        (np.array(["a", 1], object), "ids that can be sorted"),
        ([["a"], ["b"]], r"but the shape is \(2, 1\)"),
        ("ab", r"but the shape is \(\)"),
    ],
)
def test_bad_groups_are_refused(groups, says):
    with pytest.raises(ValueError, match=says):
        gauc([1, 0], [0.5, 0.4], groups)


@pytest.mark.parametrize("group", [[0, -1], [0.0, 1.0], [0, 2**40], ["a", "b"]])
def test_steps_take_only_group_numbers_that_fit_into_a_key(group):
    with pytest.raises(ValueError, match="number_ids"):
        roc_steps([1, 0], [0.5, 0.4], group=group)


def test_group_numbers_of_a_narrow_type_do_not_overflow():
    number, score, *_ = roc_steps([1, 0, 1], [0.5, 0.4, 0.3], group=np.array([100, 0, 100], dtype=np.int8))
    assert number.tolist() == [0, 100, 100]
    assert score.tolist() == [0.4, 0.5, 0.3]


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ("clicks", "weights must be 'impressions' or 'positives', not 'clicks'"),
        ({"a": 1}, "no entry for group 'b'"),
        ([1], r"2 groups, and weights of shape \(1,\)"),
        ([1, -0.5], "not -0.5"),
        ([1, NAN], "not nan"),
        ([1, np.inf], "not inf"),
        ([0, 0], "the weights of all groups with both classes are 0"),
    ],
)
def test_bad_weights_are_refused(weights, says):
    with pytest.raises(ValueError, match=says):
        gauc([1, 0, 1, 0], [4, 3, 2, 1], ["a", "a", "b", "b"], weights=weights)


def test_auc_module_imports_no_large_library():
    heavy = "scipy sklearn polars pandas matplotlib".split()
    code = f"import sys, irmetrics_nb.metrics.auc; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_module_can_be_had_although_a_function_has_its_name():
    assert importlib.import_module("irmetrics_nb.metrics.auc").auc is auc


def test_scores_that_float64_cannot_represent_are_an_error():
    from irmetrics_nb import Accumulator

    odd = 2**53 + 1
    for scores in np.array([odd - 1, odd]), [odd - 1, odd], [float(odd - 1), odd], np.array([odd - 1, odd], object):
        for ask in auc, roc_curve, roc_steps:
            with pytest.raises(ValueError, match=f"scores: item 1 is {odd}, which float64 cannot represent exactly"):
                ask([1, 0], scores)
        for ask in gauc, group_auc:
            with pytest.raises(ValueError, match=f"scores: item 1 is {odd}"):
                ask([1, 0], scores, [7, 7])
        for asked in False, True:
            stream = Accumulator('RR', auc=asked)
            with pytest.raises(ValueError, match=f"scores: item 1 is {odd}"):
                stream.update([1, 0], scores)
            assert (stream.groups, stream.items) == (0, 0)
        assert auc([1, 0], [int(x) - (odd - 1) for x in scores]) == 0
    stream = Accumulator('RR', auc=True)  # a tie with what another batch held
    stream.update([1], np.array([odd - 1]))
    with pytest.raises(ValueError, match=f"item 0 is {odd}"):
        stream.update([0], np.array([odd]))
    assert auc([1, 0], np.array([2**60, 2**61])) == 0


def test_large_ids_of_groups_stay_apart():
    each = group_auc([1, 0, 1, 0, 1, 0], [1, 2, 2, 1, 1, 2], [2**63 + 1, 2**63 + 1, 2**63, 2**63, -1, -1])
    assert (each.ids.tolist(), each.auc.tolist()) == ([-1, 2**63, 2**63 + 1], [0, 1, 0])
    weights = {2**53: 1, 2**53 + 1: 3, 0.5: 0}
    groups = [2**53, 2**53, 2**53 + 1, 2**53 + 1, 0.5, 0.5]
    assert gauc([1, 0, 1, 0, 1, 0], [1, 2, 2, 1, 1, 2], groups, weights=weights) == 0.75
