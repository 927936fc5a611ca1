"Means from judgments of people for some queries, and of a model for all."
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import t

from irmetrics_nb import DataError, evaluate
from irmetrics_nb.core.arrays import EvaluationWarning
from irmetrics_nb.evaluation.estimation import survey_regression

pytestmark = pytest.mark.filterwarnings("ignore::irmetrics_nb.EvaluationWarning")


def test_the_estimate_equals_a_hand_computation():
    y, h, h_all = ([Fraction(x, 4) for x in row] for row in ((0, 2, 4, 1), (1, 2, 3, 1), (1, 2, 3, 1, 0, 4)))
    mean = lambda x: sum(x) / len(x)
    cov = sum((a - mean(y)) * (b - mean(h)) for a, b in zip(y, h)) / 3
    weight = min(1, max(0, cov / (sum((b - mean(h_all)) ** 2 for b in h_all) / 5)))
    theta = mean(y) + weight * (mean(h_all) - mean(h))
    rest = [a - weight * b for a, b in zip(y, h)]
    variance = sum((x - mean(rest)) ** 2 for x in rest) / 2 * (Fraction(1, 4) - Fraction(1, 6))
    variance += sum((a - mean(y)) ** 2 for a in y) / 2 / 6
    reach = t.ppf(0.975, 2) * float(variance) ** 0.5
    assert weight > 0
    numbers = survey_regression(*(np.array(x, float) for x in (y, h, h_all)))
    assert numbers == pytest.approx((float(theta), float(theta) - reach, float(theta) + reach, float(weight)))


def test_intervals_cover_the_mean_of_such_queries():
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(500):
        y = rng.normal(size=100)
        h = y + rng.normal(size=100) + 1  # a biased model
        some = rng.permutation(100)[:20]
        _, low, high, _ = survey_regression(y[some], h[some], h)
        covered += low <= 0 <= high  # the mean of all queries that could be drawn
    assert 0.92 <= covered / 500 <= 0.98


def judged(n):
    "Judgments of n queries, in which document a or b is relevant."
    return {f"q{i}": {"a": i % 3 > 0, "b": i % 3 == 0} for i in range(n)}


RUNS = {"one": {f"q{i}": ["a", "b"] for i in range(40)}, "two": {f"q{i}": ["b", "a"] for i in range(40)}}


def test_evaluate_returns_means_and_differences():
    human = {q: {d: int(g) for d, g in row.items()} for q, row in judged(31).items()}
    model = {q: {d: int(g) for d, g in row.items()} for q, row in judged(40).items()}
    estimate = evaluate(human, RUNS, "RR", model=model)
    assert [row["run"] for row in estimate.rows] == ["one", "two", "two − one"]
    one, two, difference = (row["estimate"] for row in estimate.rows)
    means = evaluate(model, RUNS, "RR").means
    assert one == pytest.approx(means["one"]["RR"], abs=0.02)
    assert difference == pytest.approx(two - one, abs=0.02)
    assert "λ" in repr(estimate) and estimate.to_polars().height == 3


def test_bad_input_is_refused_with_its_name():
    human = {"q0": {"a": 1}, "q1": {"a": 0}, "q2": {"b": 1}}
    with pytest.raises(DataError, match="'q2'"):
        evaluate(human, RUNS, "RR", model={"q0": {"a": 1}, "q1": {"a": 0}})
    with pytest.raises(ValueError, match="at least 3"): evaluate({"q0": {"a": 1}}, RUNS, "RR", model=human)
    with pytest.raises(ValueError, match="arithmetic"): evaluate(human, RUNS, "GMAP", model=human)
    for options in ({"part": True}, {"unjudged": "bounds"}, {"missing": "skip"}, {"no_relevant": "nan"}):
        with pytest.raises(ValueError, match="model="): evaluate(human, RUNS, "RR", model=human, **options)


def test_few_queries_and_equal_values_are_warned_of():
    human = {f"q{i}": {"a": 1, "b": 0} for i in range(5)}
    with pytest.warns(EvaluationWarning, match="only 5 queries"): estimate = evaluate(human, RUNS, "RR", model=human)
    assert np.isnan(estimate.rows[0]["low"]) and "no interval" in estimate.warnings[1]
    assert "unknown" in repr(estimate) and '"low": null' in estimate.to_json()
