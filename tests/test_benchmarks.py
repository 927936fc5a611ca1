"The data that the benchmark measures on, and how it measures. Its speeds are no test: they depend on the machine."
import importlib.util
import json
import sys
from collections import Counter
from pathlib import Path

import pytest
import pytrec_eval

ROOT = Path(__file__).resolve().parents[1]
PART = 0.003  # of M: 21 queries


def module(name):
    "A program of benchmarks/ as a module, without its folder on the path."
    spec = importlib.util.spec_from_file_location(f"benchmarks_{name}", ROOT / "benchmarks" / f"{name}.py")
    found = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = found
    spec.loader.exec_module(found)
    return found


data, run = module("data"), module("run")


def made(name, folder, part=PART):
    "A collection, as trec_eval's bindings read it: judgments and results."
    qrels, results = data.files(name, part, folder)
    with open(qrels) as q, open(results) as r:
        return pytrec_eval.parse_qrel(q), pytrec_eval.parse_run(r)  # they refuse a document that stands twice


def test_the_same_name_makes_the_same_bytes(tmp_path):
    one, two = data.files("S", 1, tmp_path / "one"), data.files("S", 1, tmp_path / "two")
    assert [p.read_bytes() for p in one] == [p.read_bytes() for p in two]


def test_s_has_the_shape_of_a_trec_track(tmp_path):
    qrels, results = made("S", tmp_path)
    assert len(qrels) == len(results) == 50
    assert {len(docs) for docs in results.values()} == {1000}
    assert all(100 <= len(docs) <= 200 for docs in qrels.values())
    assert {g for docs in qrels.values() for g in docs.values()} == {0, 1, 2, 3}


@pytest.mark.parametrize("name", ["S", "M", "M-hard"])
def test_data_has_ties_and_unjudged_and_unretrieved_documents(name, tmp_path):
    qrels, results = made(name, tmp_path)
    assert qrels.keys() == results.keys()
    for docs in results.values():
        assert len(set(docs.values())) < len(docs)
    found = sum(doc in results[q] for q, docs in qrels.items() for doc in docs)
    assert 0 < found < sum(map(len, qrels.values()))
    assert any(doc not in qrels[q] for q, docs in results.items() for doc in docs)


def test_a_collection_without_ties_has_none(tmp_path):
    _, results = made("S-no-ties", tmp_path)
    assert all(len(set(docs.values())) == 1000 for docs in results.values())


def test_m_has_one_judgment_for_most_queries_and_two_for_some():
    c = data.columns(data.shapes()["M"], "M")
    assert len(c.query) == 6_980_000
    assert Counter(Counter(c.judged_query.tolist()).values()).keys() == {1, 2}
    assert 7_300 < len(c.judged_query) < 7_600


def test_hard_ids_have_26_characters_and_hard_scores_six_decimals(tmp_path):
    _, results = data.files("M-hard", PART, tmp_path)
    lines = [line.split() for line in results.read_text().splitlines()]
    assert {len(line[2]) for line in lines} == {26}
    assert {len(line[4].split(".")[1]) for line in lines} == {6}


def test_l_has_a_grade_for_every_row_and_its_half_for_half_of_them_and_scores_in_no_order(tmp_path):
    (qrels, results), (half, same) = made("L", tmp_path, 0.001), made("L-half", tmp_path, 0.001)
    assert same == results
    assert {q: set(docs) for q, docs in qrels.items()} == {q: set(docs) for q, docs in results.items()}
    assert all(len(docs) == 60 and docs.items() <= qrels[q].items() for q, docs in half.items())
    grades = Counter(g for docs in qrels.values() for g in docs.values())
    assert grades[0] > grades[1] > grades[2] > grades[3] + grades[4] > 0
    lists = [list(docs.values()) for docs in results.values()]
    assert not any(one == sorted(one, reverse=True) for one in lists)


@pytest.mark.parametrize("name", ["M-shuffled", "M-blanks"])
def test_another_form_of_m_has_the_same_rows(name, tmp_path):
    plain, other = (data.files(n, PART, tmp_path) for n in ("M", name))
    assert plain[0].read_bytes() == other[0].read_bytes()
    assert plain[1].read_bytes() != other[1].read_bytes()
    rows = [[line.split() for line in files[1].read_text().splitlines()] for files in (plain, other)]
    assert sorted(rows[0]) == sorted(rows[1])


def test_mixed_blanks_are_blanks_and_tabs_one_and_two(tmp_path):
    text = data.files("M-blanks", PART, tmp_path)[1].read_text()
    assert all(blank in text for blank in (" Q0 ", "\tQ0\t", "  Q0", "\t Q0"))


@pytest.mark.parametrize("name", ["S", "M", "M-hard"])
def test_dicts_and_tables_hold_what_the_files_hold(name, tmp_path):
    import polars as pl

    qrels, results = made(name, tmp_path)
    assert data.dicts(name, PART) == (qrels, results)
    table = pl.read_parquet(data.tables(name, PART, tmp_path)[1])
    assert list(table.iter_rows()) == [(q, d, s) for q, docs in results.items() for d, s in docs.items()]


def test_clicks_have_groups_of_one_class_and_of_both_and_tied_scores():
    label, score, group = data.clicks(20_000, 1000)
    classes = Counter(g for g, _ in set(zip(group.tolist(), label.tolist())))
    assert set(classes.values()) == {1, 2}
    assert len(set(score.tolist())) < len(score)


def test_measure_returns_output_memory_and_time_of_a_process():
    done = run.measure(sys.executable, "-c", "x = b'x' * 200_000_000; print(len(x) * 2)")
    assert done["out"] == "400000000\n"
    assert done["peak"] > 200  # of a large parent a little more is counted
    assert done["wall"] > 0 and done["cpu"] > 0


def test_a_process_that_fails_stops_the_benchmark_with_its_words():
    with pytest.raises(SystemExit, match="no such thing"):
        run.measure(sys.executable, "-c", "raise SystemExit('no such thing')")


def test_a_ratio_is_the_median_over_the_rounds_in_which_both_ran():
    results = run.Results()
    results.add("files", "S", run.US, wall=[1.0, 2.0, 4.0, 8.0], peak=[100, 100, 100, 100])
    results.add("files", "S", "another", wall=[3.0, 8.0, 20.0], peak=[150, 150, 150])
    ours, theirs = results.compared()
    assert "ratio" not in ours
    assert (theirs["ratio"], theirs["peak_ratio"]) == (4.0, 1.5)


def test_growth_in_proportion_has_the_exponent_one_and_growth_of_squares_two():
    assert run.exponent([1, 10, 50], [3, 30, 150]) == pytest.approx(1)
    assert run.exponent([1, 10, 50], [3, 300, 7500]) == pytest.approx(2)


def test_imports_are_added_up_by_package():
    report = """import time: self [us] | cumulative | imported package
import time:       500 |        500 |   _io
import time:      1000 |       1500 | json
import time:      2000 |       2000 |   numpy.linalg
import time:      3000 |       5000 | numpy"""
    assert run.made_of(report) == {"standard library": 1.5, "numpy": 5.0}


def test_the_committed_results_are_of_a_full_run_in_which_all_tools_agreed():
    found = json.loads((ROOT / "benchmarks" / "results.json").read_text())
    assert (found["part"], found["quick"]) == (1.0, False)
    assert {r["section"] for r in found["results"]} == set(run.SECTIONS)
    assert all(one["largest"] <= one["tolerance"] for one in found["agreement"])


def test_the_readme_gives_the_ratios_of_the_committed_results():
    found = json.loads((ROOT / "benchmarks" / "results.json").read_text(encoding="utf-8"))["results"]
    ratio = {(r["case"], r["tool"]): r for r in found if r["section"] == "files" and "ratio" in r}
    of_m = [ratio[case, "pytrec_eval"]["ratio"] for case in ("M", "M-hard", "M-shuffled", "M-blanks")]
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    for said in (f"{min(of_m):.1f} to {max(of_m):.1f} times as fast as pytrec_eval", f"{ratio['M', 'ir_measures']['ratio']:.0f} times as fast as ir_measures",
                 f"{ratio['M', 'ranx']['ratio']:.0f} times as fast as ranx", f"{ratio['L', 'pytrec_eval']['ratio']:.1f} times as fast as pytrec_eval at less than half"):
        assert said in readme
    assert min(ratio["M", tool]["peak_ratio"] for tool in ("pytrec_eval", "ir_measures", "ranx")) > 10
    assert ratio["L", "pytrec_eval"]["peak_ratio"] > 2
