"Agreement of two judges, against scikit-learn, scipy, and definitions computed in fractions."
import math
import random
from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest
from helpers import irmetrics
from scipy.stats import kendalltau
from sklearn.metrics import cohen_kappa_score

from irmetrics_nb import DataError, EvaluationWarning, agreement, evaluate
from irmetrics_nb.preparing.judges import correlate, kappa, ordinal_alpha, tau_ap, tau_b

KAPPAS = {"kappa": None, "linear_kappa": "linear", "quadratic_kappa": "quadratic"}


def judged(grades, query="q"):
    return {query: {f"d{i}": grade for i, grade in enumerate(grades)}}


def drawn(seed, highest=3):
    "Draw two lists of grades that agree in part, and often lack some of the grades."
    draw = random.Random(seed)
    first = [1, *(draw.choice([0, 0, 0, draw.randint(0, highest)]) for _ in range(draw.randint(2, 40))), 0]
    return first, [grade if draw.random() < 0.6 else draw.randint(0, highest) for grade in first]


@pytest.mark.parametrize("seed", range(60))
def test_kappa_is_that_of_scikit_learn(seed):
    first, second = drawn(seed)
    found = agreement(judged(first), judged(second))
    labels = range(max(first + second) + 1)
    for name, weights in KAPPAS.items():
        assert getattr(found, name) == pytest.approx(cohen_kappa_score(first, second, weights=weights, labels=labels), abs=1e-12)
    assert found.observed == pytest.approx(np.mean(np.equal(first, second)))


def test_distances_of_grades_are_those_of_their_values():
    first, second = [0, 1, 4, 4, 0], [0, 4, 4, 1, 1]
    found = agreement(judged(first), judged(second))
    assert found.grades == [0, 1, 4]
    assert found.linear_kappa == pytest.approx(cohen_kappa_score(first, second, weights="linear", labels=range(5)))


def alpha_by_definition(first, second):
    "Krippendorff's alpha of ordered grades: 1 - observed / expected disagreement over all pairs of values, in fractions."
    values = first + second
    n = {grade: values.count(grade) for grade in {*values}}

    def distance(c, k):
        c, k = sorted((c, k))
        return (sum(n[g] for g in n if c <= g <= k) - Fraction(n[c] + n[k], 2)) ** 2

    observed = Fraction(sum(distance(c, k) for c, k in zip(first, second)), len(first))
    pairs = [*permutations(values, 2)]
    return 1 - observed / Fraction(sum(distance(c, k) for c, k in pairs), len(pairs))


@pytest.mark.parametrize("seed", range(20))
def test_alpha_is_that_of_its_definition(seed):
    first, second = drawn(seed)
    assert agreement(judged(first), judged(second)).alpha == pytest.approx(float(alpha_by_definition(first, second)), abs=1e-12)


# made by the package krippendorff, version 0.9: alpha(reliability_data=[a, b], level_of_measurement="ordinal")
PUBLISHED = [
    ("220132212130", "222132212130", 0.8405137042507795),
    ("030102222002", "030212222033", 0.5922385620915033),
    ("000101130303", "320101130313", 0.5699548678272083),
    ("033013230302", "033013130302", 0.9915565345080763),
    ("010220000231", "010220021232", 0.7613562091503268),
]


@pytest.mark.parametrize(("first", "second", "value"), PUBLISHED)
def test_alpha_is_that_of_the_package_krippendorff(first, second, value):
    pairs = [[*map(int, grades)] for grades in (first, second)]
    assert agreement(*map(judged, pairs)).alpha == pytest.approx(value, abs=1e-12)


def test_equal_grades_have_no_kappa_and_say_why():
    found = agreement(judged([1, 1, 1]), judged([1, 1, 1]))
    assert math.isnan(found.kappa) and math.isnan(found.quadratic_kappa) and math.isnan(found.alpha) and found.observed == 1
    assert "not defined" in str(found) and "Landis" not in str(found)


def test_documents_of_one_judge_are_counted_but_change_nothing():
    a = {"q1": {"d1": 1, "d2": 0, "only": 1, "below": -1}, "caf\udce9": {"d1": 1}, "caf\\xe9": {"d1": 0}}
    b = {"q1": {"d1": 1, "d2": 1, "below": 1}, "q2": {"d9": 1}, "caf\udce9": {"d1": 1}, "caf\\xe9": {"d1": 0}}
    found = agreement(a, b)
    assert (found.counts, found.only_a, found.only_b) == ([[1, 1], [0, 2]], 1, 2)
    assert found.kappa == pytest.approx(0.5)


def test_judgments_without_a_common_document_are_an_error():
    with pytest.raises(DataError, match="no document has a grade of both judges"):
        agreement({"q": {"d1": 1}}, {"q": {"D1": 1}})
    with pytest.raises(DataError, match="21 different values"):
        agreement(judged(range(21)), judged(range(21)))


# ---- systems ----


@pytest.mark.parametrize("seed", range(40))
def test_tau_is_that_of_scipy(seed):
    draw = random.Random(seed)
    x, y = ([draw.choice([0.1, 0.2, 0.3, 0.1 + 0.2]) for _ in range(draw.randint(2, 9))] for _ in "ab")
    x, y = x[: len(y)], y[: len(x)]
    ours = tau_b(*(np.array(values)[:, None] for values in (x, y)))[0]
    assert ours == pytest.approx(kendalltau(x, y).statistic, nan_ok=True, abs=1e-12)


def tau_ap_of_orders(reference, order):
    "tau_AP of an order of systems without ties, by its definition."
    above = [Fraction(sum(reference[y] > reference[x] for y in order[:i]), i) for i, x in enumerate(order) if i]
    return 2 * sum(above) / len(above) - 1


def orders(values):
    "Yield all orders of the systems from the best value on."
    groups = [[i for i, x in enumerate(values) if x == value] for value in sorted({*values}, reverse=True)]
    for parts in product(*map(permutations, groups)):
        yield [i for part in parts for i in part]


@pytest.mark.parametrize("seed", range(40))
def test_tau_ap_is_the_mean_over_all_orders_of_ties(seed):
    draw = random.Random(seed)
    n = draw.randint(2, 6)
    x, y = ([draw.randint(1, 4) for _ in range(n)] for _ in "ab")
    references = [{system: -place for place, system in enumerate(order)} for order in orders(x)]
    values = [tau_ap_of_orders(reference, order) for reference in references for order in orders(y)]
    ours = tau_ap(*(np.array(each, float)[:, None] for each in (x, y)))[0]
    assert ours == pytest.approx(float(sum(values) / len(values)), abs=1e-12)


def test_columns_are_independent():
    draw = np.random.default_rng(2)
    x, y = draw.integers(0, 4, (2, 5, 30)).astype(float)
    for function in (tau_b, tau_ap):
        apart = [function(x[:, [i]], y[:, [i]])[0] for i in range(30)]
        np.testing.assert_allclose(function(x, y), apart)


def test_means_that_differ_by_the_order_of_a_sum_are_tied():
    x = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.9, 0.9, 0.9]])
    assert correlate(x, x)["tau"][0] == 1
    assert correlate(x, np.array([[0.2] * 3, [0.2] * 3, [0.9] * 3]))["tau"][0] == 1


RUNS = {name: {f"q{i}": {f"d{j}": float((j * step + i) % 7) for j in range(7)} for i in range(12)} for name, step in zip("ABC", (1, 2, 3))}
PEOPLE = {f"q{i}": {f"d{j}": int((i * j) % 5 == 1) for j in range(7)} for i in range(12)}


def test_systems_are_compared_on_common_queries():
    model = {q: {d: 1 - g if d == "d3" else g for d, g in docs.items()} for q, docs in PEOPLE.items() if q != "q4"} | {"q99": {"d1": 1}}
    found = agreement(PEOPLE, model, RUNS, measure="P@2")
    common = [{q: docs for q, docs in judgments.items() if q not in ("q4", "q99")} for judgments in (PEOPLE, model)]
    assert found.queries == 11 and found.measure == "P@2" and [row["run"] for row in found.rows] == [*"ABC"]
    for side, judgments in zip("ab", common):
        means = [evaluate(judgments, run, "P@2").means["P@2"] for run in RUNS.values()]
        assert [row[f"mean_{side}"] for row in found.rows] == pytest.approx(means)
        assert [row[f"rank_{side}"] for row in found.rows] == [1 + sum(m > mean + 1e-9 for m in means) for mean in means]
    changes = [row["mean_b"] - row["mean_a"] for row in found.rows]
    assert [row["gain"] for row in found.rows] == pytest.approx([change - sum(changes) / 3 for change in changes])


def test_a_judge_who_favours_a_system_is_seen():
    best = {q: max(docs, key=lambda d: (docs[d], d)) for q, docs in RUNS["A"].items()}
    model = {q: docs | {best[q]: 1} for q, docs in PEOPLE.items()}
    found = agreement(PEOPLE, model, RUNS, measure="P@1")
    rows = {row["run"]: row for row in found.rows}
    assert rows["A"]["low"] > 0 > rows["B"]["gain"] and f"{rows['A']['high']:.4f}*" in str(found)


def test_systems_without_differences_have_no_tau():
    found = agreement(PEOPLE, PEOPLE, {"A": RUNS["A"], "B": RUNS["A"]}, measure="RR")
    assert all(math.isnan(value) for name in ("tau", "tau_AP") for value in found.correlations[name])
    text = str(found)
    assert "tau and tau_AP are not defined" in text and "too few" in text and "*" not in text and "nan" not in text


@pytest.mark.parametrize(("runs", "measure", "message"), [
    ({"A": RUNS["A"]}, "AP", "at least two runs"), (RUNS, "GMAP", "an arithmetic mean over queries, not GMAP"), (RUNS, "AP RR", "one measure, not 2"), (RUNS, "nDGC", "nDGC"),
])  # fmt: skip
def test_what_cannot_be_compared_is_refused(runs, measure, message):
    with pytest.raises(ValueError, match=message):
        agreement(PEOPLE, PEOPLE, runs, measure=measure)


def test_a_gain_without_variance_has_no_interval_and_no_star():
    runs = {"A": {q: {"d1": 1.0} for q in PEOPLE}, "B": {q: {"d2": 1.0} for q in PEOPLE}}
    first, second = ({q: {"d1": 1, "d2": grade} for q in PEOPLE} for grade in (0, 1))
    found = agreement(first, second, runs, measure="P@1")
    assert [row["gain"] for row in found.rows] == [-0.5, 0.5]
    assert all(math.isnan(row["low"]) for row in found.rows) and str(found).count("unknown") == 2 and "*" not in str(found)


def test_nothing_retrieved_gives_no_verdict_about_systems():
    nothing = {q: {} for q in PEOPLE}
    with pytest.warns(EvaluationWarning, match="no judged document was retrieved"):
        text = str(agreement(PEOPLE, PEOPLE, {"A": nothing, "B": nothing}, measure="P@1"))
    assert "not defined" in text and "unknown" in text and "tau =" not in text


def test_few_documents_are_said_to_be_few():
    assert "2 documents: too few for a reliable kappa" in str(agreement(judged([0, 1]), judged([1, 1])))
    assert "too few" not in str(agreement(judged([0, 1] * 25), judged([1, 1] * 25)))


def test_the_same_seed_gives_the_same_ranges():
    first, second, other = (agreement(PEOPLE, PEOPLE, RUNS, measure="AP", seed=seed).correlations for seed in (3, 3, 4))
    assert first == second and first["tau"][0] == other["tau"][0] == 1


def test_the_command_prints_and_writes_agreement(tmp_path):
    for name, grades in ("a", "1100"), ("b", "1000"):
        (tmp_path / name).write_text("".join(f"q 0 d{i} {grade}\n" for i, grade in enumerate(grades)))
    ran = irmetrics("agreement", "a", "b", cwd=tmp_path)
    assert ran.returncode == 0 and "0.5000" in ran.stdout and "4 documents with two grades" in ran.stdout
    assert irmetrics("agreement", "a", "b", "-o", "out.json", cwd=tmp_path).returncode == 0
    assert '"kappa": 0.5' in (tmp_path / "out.json").read_text()


def test_every_pair_of_grades_is_counted():
    pairs = [*product(range(4), range(4)), *combinations(range(4), 2)]
    found = agreement(judged([a for a, _ in pairs]), judged([b for _, b in pairs]))
    assert found.counts == [[1 + (a < b) for b in range(4)] for a in range(4)]
    assert kappa(np.array(found.counts), np.array(found.grades)) == found.kappa and ordinal_alpha(np.array(found.counts)) == found.alpha
