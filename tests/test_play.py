"""The ranking to play with: its arithmetic is the package's, to twelve digits and letter by letter, on lists made to hurt; its page
can be used by keyboard, mouse and touch, in both themes, on a phone, and says the same without a script."""
import json
import math
import shutil
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from project import NBS

from irmetrics_nb import (
    Judged,
    auc,
    explain,
    interpolated_precision,
    parse,
    precision_recall_curve,
)

PLAY = NBS / "play/play.js"

# Every kind of the module, with each of its parameters.
MEASURES = """P P@1 P@5 P@100 P(rel=2)@5 P(divisor='min(k,n)')@7 P(divisor='min(R,k)')@3 R R@4 R(divisor='min(R,k)')@4 R(rel=0.5)@3
    F F@5 F(beta=2)@5 F(beta=0.3) SetP SetP(divisor='min(R,k)') SetR SetF SetF(beta=0.5) Rprec Rprec(rel=2) Success Success@2
    AP AP@3 AP(rel=2) AP(divisor='min(R,k)')@4 AP(divisor='min(R,n)') AP(divisor='retrieved')@5
    CG CG@4 CG(gain='exp') CG(gain='binary')@3 DCG DCG@6 DCG(gain='exp')@5 DCG(discount='jarvelin')@8
    nDCG nDCG@1 nDCG@5 nDCG@50 nDCG(gain='exp') nDCG(gain='exp')@10 nDCG(gain='binary')@5 nDCG(discount='jarvelin')
    nDCG(discount='jarvelin',b=10)@9 nDCG(discount='ln')@4 RR RR@3 RR(rel=2) RBP RBP(p=0.5)@6 RBP(p=0.95,rel=2) RBP(gain='raw')@9
    ERR(max_grade=5) ERR(max_grade=5)@3 ERR(max_grade=9,phi='log2')@5 ERR(max_grade=5,gain='linear')""".split()


# ---- node ----


def node():
    "A program that runs JavaScript: node, or the one that Playwright brings along."
    playwright = pytest.importorskip("playwright", reason="Playwright is not installed")
    driver = Path(playwright.__file__).parent / "driver"
    found = shutil.which("node") or shutil.which("node", path=str(driver))
    return found or pytest.skip("there is no node here")


def ask(function, jobs):
    "What a function of the module says of each job (measure, grades, options), in one process; an error is {'error': text}."
    code = f"""
        import * as play from {json.dumps(PLAY.as_uri())};
        import {{readFileSync}} from 'node:fs';
        const one = job => {{ try {{ return play.{function}(...job); }} catch (e) {{ return {{error: e.message}}; }} }};
        console.log(JSON.stringify(JSON.parse(readFileSync(0, 'utf-8')).map(one)));"""
    command = [node(), "--input-type=module", "--eval", code]
    done = subprocess.run(command, input=json.dumps(jobs), capture_output=True, text=True, encoding="utf-8", timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# ---- lists made to hurt ----


def draw(rng):
    "Grades in rank order (None: not judged), and all judged grades or None: whole numbers, hundredths with exact ones, large ones."
    kind, n = rng.integers(6), int(rng.choice([0, 1, 2, 3, 6, 10, 17, 40]))
    grades = [
        lambda: rng.integers(0, 4, n).astype(float),
        lambda: rng.integers(0, 2, n).astype(float),
        lambda: np.where(rng.random(n) < 0.3, 1.0, rng.integers(0, 400, n) / 100),
        lambda: rng.integers(0, 6, n) / 3,
        lambda: np.zeros(n),
        lambda: rng.choice([-1.0, 0.0, 0.5, 1.0, 2.0, 5.0], n),
    ][kind]().tolist()
    seen = rng.random(n) >= rng.choice([0, 0.3, 1.0], p=[0.6, 0.3, 0.1])
    grades = [g if shown else None for g, shown in zip(grades, seen, strict=True)]
    ideal = [g for g in grades if g is not None] + rng.choice([0.0, 0.25, 1.0, 2.0, 3.0], rng.integers(0, 30)).tolist()
    rng.shuffle(ideal)
    return grades, ideal if rng.random() < 0.6 else None


def lists(many, seed=1):
    rng = np.random.default_rng(seed)
    return [draw(rng) for _ in range(many)]


def judged(grades, ideal):
    "One list as the package sees it."
    return Judged.from_grades([grades], ideal=None if ideal is None else [ideal])


def job(measure, grades, ideal, **options):
    return [measure, grades, options | ({} if ideal is None else {"ideal": ideal})]


def near(a, b):
    return a is not None and math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12)


# ---- the arithmetic is the package's ----

DRAWN = lists(2000)


@cache
def batch():
    "All drawn lists as the package sees them."
    return Judged.concat([judged(*pair) for pair in DRAWN])


@pytest.fixture(scope="module")
def values():
    "{measure: its value for every list}, by the module."
    found = ask("value", [job(measure, *pair) for measure in MEASURES for pair in DRAWN])
    return {measure: found[i * len(DRAWN) :][: len(DRAWN)] for i, measure in enumerate(MEASURES)}


@pytest.mark.parametrize("measure", MEASURES)
def test_the_value_of_every_list_is_the_packages(values, measure):
    found = zip(DRAWN, values[measure], parse(measure).of(batch()), strict=True)
    late = [(pair, mine, want) for pair, mine, want in found if not near(mine, want)]
    assert late == []


def test_largest_grade_of_err_comes_from_the_judgments():
    some = DRAWN[:400]
    found = ask("value", [job("ERR@10", *pair) for pair in some])
    assert all(near(a, parse("ERR@10").of(judged(*pair))[0]) for a, pair in zip(found, some, strict=True))


@pytest.mark.parametrize("measure", ["RBP(gain='linear')", "RBP(gain='exp',p=0.4)@5"])
def test_the_gains_of_rbp_may_be_shares(measure):
    rng = np.random.default_rng(3)
    some = [([*rng.choice([0, 0.25, 0.07, 1.0], 9).tolist(), None], None) for _ in range(300)]
    found = ask("value", [job(measure, *pair) for pair in some])
    assert all(near(a, parse(measure).of(judged(*pair))[0]) for a, pair in zip(found, some, strict=True))


def test_large_grades_are_no_trouble():
    some = [([40, None, 3, 52.5, 0], None), ([1000, 1023], [1000, 1023, 1]), ([1e6, 1e-6], None), ([7] * 60, [7] * 200)]
    for measure in "nDCG nDCG@2 DCG CG ERR AP nDCG(gain='exp')".split():
        fits = [pair for pair in some if not ("exp" in measure and max(filter(None, pair[0])) > 1023)]
        found = ask("value", [job(measure, *pair) for pair in fits])
        assert all(near(a, parse(measure).of(judged(*pair))[0]) for a, pair in zip(found, fits, strict=True)), measure


def test_auc_counts_unjudged_documents_as_negative():
    jobs = [(grades, rel) for grades, _ in DRAWN for rel in (1, 2)]
    found = ask("value", [job("AUC", grades, None, rel=rel) for grades, rel in jobs])
    for (grades, rel), value in zip(jobs, found, strict=True):
        labels = [-9.0 if g is None else g for g in grades]
        want = auc(labels, -np.arange(len(labels)), rel=rel)
        assert value is None if math.isnan(want) else near(value, want), grades


def test_option_overrides_the_text_of_the_measure():
    pairs = [(("nDCG@5", {"k": 2}), "nDCG@2"), (("nDCG", {"gain": "exp", "k": 3}), "nDCG(gain='exp')@3"), (("P(rel=2)", {"rel": 1}), "P"),
             (("AP", {"divisor": "min(R,k)", "k": 2}), "AP(divisor='min(R,k)')@2"), (("ERR", {"max_grade": 6}), "ERR(max_grade=6)")]  # fmt: skip
    found = ask("value", [[measure, [3, 0, None, 1, 2, 1], options] for (measure, options), _ in pairs])
    assert all(near(a, parse(text).of([3, 0, None, 1, 2, 1])) for a, (_, text) in zip(found, pairs, strict=True))


NAMES = """ndcg@5 NDCG@5 map mrr@3 Precision@2 recall@2 F1@3 hit_rate@1 HR@2 reciprocal_rank average_precision
    expected_reciprocal_rank rprec setp nDCG(gain="exp")@5""".split()


def test_names_are_read_in_upper_and_lower_case_and_by_their_aliases():
    found = ask("steps", [[name, [1, 0, 2], {}] for name in NAMES])
    assert found == [explain(name, [1, 0, 2]).text for name in NAMES]
    parsed = ask("parse", [["nDCG( gain = 'exp', b=3 ) @ 10"]])
    assert parsed == [{"name": "nDCG", "params": {"gain": "exp", "b": 3}, "k": 10}]


@pytest.mark.parametrize(("measure", "grades", "options", "why"), [
    ("Foo", [1], {}, "not a measure"), ("nDCG@0", [1], {}, "whole number"), ("nDCG", [1], {"k": 1.5}, "whole number"),
    ("SetP@3", [1], {}, "no @"), ("nDCG(gain='cubic')", [1], {}, "one of linear exp binary"), ("AP(divisor='k')", [1], {}, "one of relevant"),
    ("AP(foo=1)", [1], {}, "no parameter foo"), ("AP(2)", [1], {}, "by name"), ("RBP(p=1)", [1], {}, "between 0 and 1"),
    ("ERR(max_grade=2)", [3], {}, "hold a grade 3"), ("ERR(max_grade=0)", [0], {}, "larger than 0"), ("nDCG", [3], {"ideal": [2]}, "lacks a grade 3"),
    ("nDCG(gain='exp')", [1024], {}, "too large"), ("RBP(gain='linear')", [2], {}, "between 0 and 1"), ("nDCG(b=1)", [1], {}, "larger than 1"),
    ("F(beta=-1)", [1], {}, "at least 0"), ("P(rel='x')", [1], {}, "a number"),
])  # fmt: skip
def test_what_the_package_refuses_is_refused(measure, grades, options, why):
    (found,) = ask("value", [[measure, grades, options]])
    assert why in found["error"]
    with pytest.raises(ValueError):
        explain(measure if "k" not in options else f"{measure}@{options['k']}", grades, ideal=options.get("ideal"))


# ---- and so are its words ----

EXPLAINED = [(measure, pair) for i, measure in enumerate([*MEASURES, "ERR", "ERR@2"]) for pair in lists(12, seed=100 + i)]


def test_the_arithmetic_is_written_as_explain_writes_it():
    found = ask("steps", [job(measure, *pair) for measure, pair in EXPLAINED])
    want = [explain(measure, grades, ideal=ideal).text for measure, (grades, ideal) in EXPLAINED]
    assert [(a, b) for a, b in zip(found, want, strict=True) if a != b] == []
    assert len(set(want)) > 400


def test_the_arithmetic_of_auc_counts_for_each_relevant_document_the_others_below():
    assert ask("steps", [["AUC", [1, 0, 1, 0, 0, 1], {}], ["AUC", [1, 1], {}]]) == ["AUC = (3 + 2) / 9 = 0.5556", "AUC = 0 / 0 = nan (there is no pair)"]


@pytest.mark.parametrize(("measure", "rel", "k"), [("AP", 1, None), ("AP(rel=2)", 2, None), ("AP@4", 1, 4)])
def test_points_of_the_curve_equal_the_package_with_missed_documents(measure, rel, k):
    some = lists(300, seed=7)
    found = ask("precisionRecall", [job(measure, *pair) for pair in some])
    missed = 0
    for pair, mine in zip(some, found, strict=True):
        ((recall, precision),) = precision_recall_curve(judged(*pair), rel=rel)
        assert [point["recall"] for point in mine["points"]] == pytest.approx([*recall[:k]], abs=1e-12), pair
        assert [point["precision"] for point in mine["points"]] == pytest.approx([*precision[:k]], abs=1e-12), pair
        eleven = np.ravel(interpolated_precision(judged(*pair), rel=rel, k=k))
        assert mine["eleven"] == pytest.approx([*eleven], abs=1e-12), pair
        assert mine["missed"] == mine["R"] - sum(g is not None and g >= rel for g in pair[0]), pair
        missed += mine["missed"] > 0
    assert missed > 100


def test_bars_of_the_curve_have_the_area_of_average_precision():
    some = [pair for pair in lists(300, seed=8) if judged(*pair).n_relevant(1)[0] > 0]
    found = ask("precisionRecall", [job("AP@5", *pair) for pair in some])
    areas = [sum(point["precision"] / one["R"] for point in one["points"] if point["hit"]) for one in found]
    assert areas == pytest.approx([parse("AP@5").of(judged(*pair))[0] for pair in some], abs=1e-12)
    assert len(some) > 150


def test_a_curve_by_hand_is_a_sawtooth_whose_right_end_is_empty():
    (found,) = ask("precisionRecall", [job("AP", [3, 0, 0, 1, 2, 1], [3, 0, 0, 1, 2, 1, 1])])
    assert [round(point["recall"], 9) for point in found["points"]] == [0.2, 0.2, 0.2, 0.4, 0.6, 0.8]
    assert [point["precision"] for point in found["points"]] == [1, 1 / 2, 1 / 3, 2 / 4, 3 / 5, 4 / 6]
    assert found["highest"] == [1, 4 / 6, 4 / 6, 4 / 6]
    assert found["eleven"] == [1] * 3 + [4 / 6] * 6 + [0] * 2


def test_table_equals_explain_rank_by_rank():
    found = ask("work", [job(measure, *pair) for measure, pair in EXPLAINED])
    for (measure, (grades, ideal)), work in zip(EXPLAINED, found, strict=True):
        share = 1 if work["whole"] is None else work["whole"] and 1 / work["whole"]
        for mine, row in zip(work["rows"], explain(measure, grades, ideal=ideal).rows, strict=True):
            at = f"{measure} {grades} {ideal} rank {row['rank']}"
            assert near(mine["term"], row["term"]) and near(mine["ideal"], row["ideal"]), at
            assert near(mine["running"] * share, row["running"]), at
            for name in "gain", "weight":
                assert near(mine[name], row[name]) if row[name] is not None else mine.get(name) is None, f"{at} {name}"
