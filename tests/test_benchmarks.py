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
    "A program of benchmarks/ as a module, with its folder on the path only while it is imported."
    spec = importlib.util.spec_from_file_location(f"benchmarks_{name}", ROOT / "benchmarks" / f"{name}.py")
    found = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = found
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        spec.loader.exec_module(found)
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))
    return found


data, run, calls = module("data"), module("run"), module("calls")


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


def test_l2_has_negative_scores_in_no_order_and_documents_counted_over_the_file(tmp_path):
    paths = data.files("L2", 0.001, tmp_path)
    judgments, results = ([line.split(" ") for line in path.read_text().splitlines()] for path in paths)
    assert [row[2] for row in judgments] == [row[2] for row in results] == [str(i) for i in range(30 * 120)]
    assert [row[0] for row in judgments] == [row[0] for row in results] == [str(1 + i // 120) for i in range(30 * 120)]
    assert {(row[1], row[3], row[5]) for row in results} == {("Q0", "1", "t")}
    assert {len(row[4].split(".")[1]) for row in results} == {5}
    scores = [float(row[4]) for row in results]
    assert 0.45 < sum(score < 0 for score in scores) / len(scores) < 0.55
    assert sum(score ** 2 for score in scores) / len(scores) == pytest.approx(1, abs=0.1)
    assert not any(scores[i:i + 120] == sorted(scores[i:i + 120], reverse=True) for i in range(0, len(scores), 120))


def test_many_small_runs_differ_and_are_the_same_when_made_again(tmp_path):
    qrels, runs = data.small_runs(3, tmp_path)
    first = [path.read_bytes() for path in runs]
    assert len(set(first)) == 3 and qrels.exists()
    runs[1].unlink()
    data.small_runs(3, tmp_path)
    assert [path.read_bytes() for path in runs] == first


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


@pytest.mark.filterwarnings("ignore:every query has only")
@pytest.mark.parametrize(("section", "case", "tool"), [
    ("dicts", "50 x 10, dicts", "pytrec_eval"), ("dicts", "50 x 10, lists of text", "irmetrics_nb"),
    ("dicts", "50 x 10, lists of integers", "irmetrics_nb"), ("call", "evaluate, one query", "pytrec_eval"),
    ("call", "ndcg(list)", "scikit-learn"), ("arrays", "100 x 40", "scikit-learn"), ("compare", "20 systems", "scipy")])
def test_a_call_and_its_peer_compute_the_same(section, case, tool):
    ours, theirs = (calls.CALLS[section][0](case, which, 0.02)() for which in (run.US, tool))
    assert theirs and theirs == pytest.approx(ours, abs=1e-9)


@pytest.mark.filterwarnings("ignore:every query has only")
def test_lists_and_dicts_of_small_queries_have_the_same_means():
    dicts, text, integers = (calls.dicts(f"50 x 10, {form}", run.US, 1.0)() for form in calls.FORMS)
    assert dicts == pytest.approx(text, abs=0) and text == pytest.approx(integers, abs=0)


def test_sections_measured_anew_replace_their_old_rows_only(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "machine", lambda: {"processor": "one"})
    out = tmp_path / "results.json"
    for section, wall in ("files", 1.0), ("start", 2.0), ("files", 3.0):
        results = run.Results()
        results.section = section
        tools = (run.US, "another") if section == "files" else (f"import {run.US}", "another")
        for tool in tools:
            results.add(section, "S", tool, wall=[wall])
        results.compare("S", "another", {"AP": wall}, {"AP": wall}, 0)
        found = run.written(results, section, {"commit": f"{wall}"}, 1.0, False, out)
    assert [(row["section"], row["wall"]) for row in found["results"]] == [("files", 3.0)] * 2 + [("start", 2.0)] * 2
    assert [one["section"] for one in found["agreement"]] == ["files", "start"]
    assert {section: one["versions"]["commit"] for section, one in found["measured"].items()} == {"files": "3.0", "start": "2.0"}
    assert json.loads(out.read_text()) == found


@pytest.mark.parametrize(("levels", "cases"), [(["X86_V3"], []), (["X86_V3", "X86_V4"], ["M", "M-shuffled", "L2"])])
def test_the_diagnosis_is_made_where_numpy_found_avx_512(levels, cases, monkeypatch):
    monkeypatch.setattr(run, "simd", lambda: {"found": levels})
    monkeypatch.setattr(run, "made", lambda name, part: ("qrels.txt", "run.txt"))
    results, measured = run.Results(), []
    monkeypatch.setattr(results, "by_turns", lambda section, case, commands, rounds: measured.append((case, commands)))
    run.diagnosis(results, 1.0, 5, [])
    assert [case for case, _ in measured] == cases
    for _, (plain, without) in [(case, [*commands.values()]) for case, commands in measured]:
        assert without == ["env", "NPY_DISABLE_CPU_FEATURES=X86_V4 AVX512_ICL", *plain]


def test_options_of_trec_eval_are_its_names_of_the_measures():
    assert " ".join(run.trec_options(run.L2_MEASURES)) == "-m map -m ndcg_cut.10 -m recip_rank -m P.10 -m recall.100"
    assert " ".join(run.trec_options(())).endswith("-m recall.100,1000")
    assert run.values("map all 0.5\nndcg_cut_10 all 0.25") == {"AP": 0.5, "nDCG@10": 0.25}


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
    sections = {r["section"] for r in found["results"]}
    assert sections <= found["measured"].keys()
    assert set(run.SECTIONS) - sections <= {"diagnosis"}  # on processors with AVX-512 only
    assert all(one["largest"] <= one["tolerance"] for one in found["agreement"])


README_CASES = {
    "file, 7.0 million rows, 6,980 queries, one or two judged": ("files", "M"),
    "the same rows, shuffled": ("files", "M-shuffled"),
    "file, 3.6 million rows, 30,000 queries, all judged": ("files", "L2"),
    "file, 50,000 rows, 50 queries": ("files", "S"),
    "pandas, 7.0 million rows": ("frames", "M, pandas"),
    "dicts, 50,000 queries × 20 documents": ("dicts", "50,000 x 20, dicts"),
    "dicts, 50 queries × 10 documents": ("dicts", "50 x 10, dicts"),
    "one call, one query × 10 documents": ("call", "evaluate, one query"),
}


def is_rounded(text, value):
    "Whether a text is a number that was rounded to the decimals of the text."
    unit = 10 ** -len(text.partition(".")[2])
    return abs(float(text) - value) <= 0.5 * unit + 1e-9


def test_the_table_of_the_readme_is_that_of_the_committed_results():
    found = json.loads((ROOT / "benchmarks" / "results.json").read_text(encoding="utf-8"))["results"]
    by_tool = {(r["section"], r["case"], r["tool"]): r for r in found}
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    start = lines.index("| input | time | memory | other tool | × |")
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start + 2 : start + 2 + len(README_CASES)]]
    shown = [words for words, case in README_CASES.items() if (*case, run.US) in by_tool]
    assert len(shown) >= 6
    assert [row[0] for row in table[: len(shown)]] == shown
    for words, time, memory, peer, ratio in table[: len(shown)]:
        ours, theirs = (by_tool[*README_CASES[words], tool] for tool in (run.US, peer))
        amount, unit = time.split()
        assert is_rounded(amount, ours["wall"] * {"s": 1, "ms": 1000}[unit])
        assert memory == f"{ours['peak']:,.0f} MB"
        assert is_rounded(ratio.removesuffix(" ×"), theirs["ratio"])


def test_the_page_on_speed_shows_the_committed_results():
    found = json.loads((ROOT / "benchmarks" / "results.json").read_text(encoding="utf-8"))
    page = json.loads((ROOT / "nbs" / "reference" / "speed.ipynb").read_text(encoding="utf-8"))
    outputs = [out["data"].get("text/markdown", "") for cell in page["cells"] if cell["cell_type"] == "code"
               for out in cell["outputs"] if "data" in out]
    shown = "".join("".join(text) for text in outputs)
    for row in found["results"]:
        if row["section"] != "growth" and "ratio" in row:
            assert f"{row['ratio']:.{1 if row['ratio'] >= 1 else 2}f}\N{NO-BREAK SPACE}×" in shown, row
    for section in found["measured"].values():
        assert section["date"] in shown and section["machine"]["processor"] in shown
