"Tables of means are sorted, and more than ten systems get tiers whose anchor does not move."
import re

import numpy as np
import pytest

from irmetrics_nb import compare, load_example, report
from irmetrics_nb.comparing.comparison import best_first, by_mean, marks, tiers

EXAMPLE = load_example()


def systems(rows, name="s{:02}"):
    "{name: {query: value}} of an array (systems, queries), without the values that are NaN."
    return {name.format(i): {f"q{j}": x for j, x in enumerate(row) if not np.isnan(x)} for i, row in enumerate(rows)}


def rows_of(text):
    "The first column of the first table of a printed comparison."
    lines = text.split("\n\n")[0].splitlines()
    return [line.split()[0] for line in lines[2:]]


def chain(n_systems, n_queries=60, step=0.04, spread=0.05, seed=1):
    "Each system is a bit worse than the one before: neighbours do not differ significantly, and the ends do."
    random = np.random.default_rng(seed)
    return 10 - step * np.arange(n_systems)[:, None] + random.normal(0, spread * 2, (n_systems, n_queries))


def moving_anchor(found, measure):
    "The wrong rule: each system is compared with the one above it."
    order = [found.sample.systems[i] for i in by_mean(found.sample, measure)]
    beaten = {frozenset((p.a, p.b)) for p in found.rows if p.shown(found.method.alpha)}
    return 1 + sum(frozenset(pair) in beaten for pair in zip(order, order[1:]))


def test_rows_are_sorted_by_the_first_measure_and_letters_follow_the_rows():
    found = compare(EXAMPLE.qrels, EXAMPLE.runs, "nDCG@10 AP")
    means = {name: np.mean([y for _, _, y in found.queries(name, name, "nDCG@10")]) for name in EXAMPLE.runs}
    order = sorted(means, key=lambda name: -means[name])
    assert order[0] == "bm25" and order[-1] == "title" and [*EXAMPLE.runs] != order
    lines = str(found).split("\n\n")[0].splitlines()[2:]
    assert [line.split()[:2] for line in lines] == [[letter, name] for letter, name in zip("abcdef", order)]
    beaten = {p.a if p.difference > 0 else p.b for p in found.rows if p.measure == "nDCG@10" and p.shown() and "bm25" in (p.a, p.b)}
    assert beaten and {order["abcdef".index(x)] for x in marks(best_first(found))["bm25", "nDCG@10"]} == beaten
    for text in (found.to_markdown(), found.to_html(), found.to_latex(), report(EXAMPLE.qrels, EXAMPLE.runs, "nDCG@10 AP", checkup=False).to_markdown()):
        places = [re.search(rf"\b[a-f]  {name}\b", text).start() for name in order]
        assert places == sorted(places) and "Sorted by nDCG@10." in text
    assert found.sample.systems == tuple(EXAMPLE.runs) and found.pair(*list(EXAMPLE.runs)[:2]), "pairs keep the order of the runs"


def test_with_a_baseline_the_rows_keep_the_order_of_the_runs():
    found = compare(EXAMPLE.qrels, EXAMPLE.runs, "AP", baseline="title")
    assert [line.split()[0] for line in str(found).split("\n\n")[0].splitlines()[2:]] == [*EXAMPLE.runs]
    assert "Sorted by" not in str(found) and "▲ better, ▼ worse than title" in str(found)


def test_systems_with_equal_means_are_in_the_order_of_their_names():
    row = [0.1, 0.2, 0.3]
    values = {"b": dict(zip("xyz", row)), "c": dict(zip("xyz", [0.5] * 3)), "a": dict(zip("xyz", row[::-1]))}
    assert sum(row) != sum(row[::-1]), "the sums of the same numbers differ by rounding"
    found = compare(values, measures="AP")
    assert best_first(found).sample.systems == ("c", "a", "b")


@pytest.mark.parametrize(("n", "lettered"), [(10, True), (11, False), (12, False), (60, False)])
def test_up_to_ten_systems_have_letters_and_more_have_tiers_in_every_format(n, lettered):
    found = compare(systems(chain(n, step=0.08)), measures="AP")
    texts = [str(found), found.to_markdown(), found.to_html(), found.to_latex()]
    for text in texts:
        said = " ".join(text.split())
        assert ("A raised letter means" in said) is lettered and ("A raised number is a tier" in said) is not lettered
    if lettered: return
    order = [found.sample.systems[i] for i in by_mean(found.sample, "AP")]
    numbers = [tiers(found, "AP")[name] for name in order]
    assert numbers == sorted(numbers) and {*numbers} == {*range(1, max(numbers) + 1)} and max(numbers) > 1
    cells = re.findall(r"& \\textsuperscript\{(\d+)\}", texts[3])
    assert [*map(int, cells)] == numbers and rows_of(texts[0]) == order
    assert re.findall(r"<sup[^>]*>(\d+)</sup>", texts[2]) == [*map(str, numbers)]


def test_each_tier_is_compared_with_its_best_system_and_does_not_chain():
    found = compare(systems(chain(12, step=0.03)), measures="AP")
    order = [found.sample.systems[i] for i in by_mean(found.sample, "AP")]
    assert moving_anchor(found, "AP") == 1, "no neighbours differ, so a moving anchor makes one tier of all"
    numbers = tiers(found, "AP")
    assert max(numbers.values()) >= 2
    beaten = {(p.a, p.b) if p.difference > 0 else (p.b, p.a) for p in found.rows if p.shown()}
    anchor = order[0]
    for name in order[1:]:
        if numbers[name] != numbers[anchor]:
            assert (name, anchor) in beaten, "a tier ends where a system is worse than its best"
            anchor = name
        else: assert (name, anchor) not in beaten


def test_a_later_system_that_varies_more_stays_in_the_order_of_the_mean():
    "The third is significantly worse than the first; the fourth has a lower mean, but varies so much that it is not."
    random = np.random.default_rng(0)
    base = random.normal(5, 0.1, 40)
    wild = np.where(np.arange(40) % 2, 6.0, -6.0)
    rows = [base, base - 0.001 * random.random(40), base - 0.2 + random.normal(0, 0.01, 40), base - 0.3 + wild - wild.mean()]
    rows += [base - 0.2 + random.normal(0, 0.01, 40) for _ in range(8)]
    found = compare(systems(rows), measures="AP", correction="none")
    assert found.pair("s00", "s02").shown() and not found.pair("s00", "s03").shown()
    order = [found.sample.systems[i] for i in by_mean(found.sample, "AP")]
    numbers = tiers(found, "AP")
    assert order[-1] == "s03" and numbers["s03"] >= numbers["s02"] > numbers["s00"] == 1
    assert [numbers[name] for name in order] == sorted(numbers.values()), "tiers are contiguous"


def test_equal_systems_are_one_tier_and_the_other_measures_have_tiers_of_their_own():
    rows = np.tile(np.linspace(0, 1, 20), (12, 1))
    assert {*tiers(compare(systems(rows), measures="AP"), "AP").values()} == {1}
    runs = {f"{name}-{i}": run for name, run in EXAMPLE.runs.items() for i in range(2)}
    found = compare(EXAMPLE.qrels, runs, "AP RR")
    raised = marks(found)
    for measure in ("AP", "RR"):
        assert {system: int(raised[system, measure]) for system in runs} == tiers(found, measure)
    page = report(EXAMPLE.qrels, runs, "AP RR", checkup=False)
    assert "A raised number is a tier" in page.to_markdown() and "A raised number is a tier" in page.to_html()
    assert 'class="letter"' not in page.to_html()


def test_tiers_need_a_query_of_all_systems_and_are_over_these():
    rows = chain(12, step=0.08)
    rows[:, 0] = [*range(12)]  # the query that reverses the order, if it counted
    rows[0, 0] = np.nan
    found = compare(systems(rows), measures="AP")
    complete = rows[:, 1:].mean(axis=1)
    order = [found.sample.systems[i] for i in by_mean(found.sample, "AP")]
    assert order == [f"s{i:02}" for i in np.argsort(-complete)] and tiers(found, "AP")[order[0]] == 1
    rows = np.full((11, 44), np.nan)
    for i in range(11): rows[i, 4 * i : 4 * i + 4] = i
    alone = compare(systems(rows), measures="AP")
    assert tiers(alone, "AP") == {} == marks(alone) and "–" in str(alone)


def test_slices_have_the_rows_and_letters_of_the_whole_table():
    groups = {q: "x" if i % 3 else "y" for i, q in enumerate(EXAMPLE.qrels.queries)}
    found = compare(EXAMPLE.qrels, EXAMPLE.runs, "AP", groups=groups)
    tables = [re.findall(r"^\| ([a-f])  (\w+)", block, re.M) for block in found.to_markdown().split("**Mark")]
    every = re.findall(r"^\| ([a-f])  (\w+)", found.to_markdown(), re.M)
    assert len(every) == 18 and every[:6] == every[6:12] == every[12:] and tables


def test_noise_is_one_tier_in_95_of_100_experiments():
    random = np.random.default_rng(7)
    trials = 80
    many = 0
    for _ in range(trials):
        noise = random.normal(0.5, 0.1, (11, 30))
        many += max(tiers(compare(systems(noise), measures="x"), "x").values()) > 1
    assert many <= 0.05 * trials + 3 * (0.05 * 0.95 * trials) ** 0.5
