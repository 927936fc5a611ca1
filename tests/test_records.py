"Results as data: the canonical form, round trips of everything that is saved, and what a record never contains."
import json
import math
import struct
import warnings
from dataclasses import fields

import numpy as np
import polars as pl
import pytest
from helpers import irmetrics
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import each_parameter

import irmetrics_nb
from irmetrics_nb import (
    AP,
    Comparison,
    DataError,
    Gate,
    Measure,
    Scores,
    compare,
    evaluate,
    gate,
    load_example,
    nDCG,
    report,
    verify,
)
from irmetrics_nb.evaluation.conventions import PRESETS, Conventions
from irmetrics_nb.metrics.registry import KINDS
from irmetrics_nb.results.records import as_data, canonical, fingerprint, from_data, read_record

# ---- the canonical form ----

APPENDIX_B = {  # RFC 8785: IEEE 754 bits -> text
    "0000000000000000": "0", "8000000000000000": "0", "0000000000000001": "5e-324", "8000000000000001": "-5e-324",
    "7fefffffffffffff": "1.7976931348623157e+308", "ffefffffffffffff": "-1.7976931348623157e+308",
    "4340000000000000": "9007199254740992", "c340000000000000": "-9007199254740992", "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22", "44b52d02c7e14af6": "1e+23", "44b52d02c7e14af7": "1.0000000000000001e+23",
    "444b1ae4d6e2ef4e": "999999999999999700000", "444b1ae4d6e2ef4f": "999999999999999900000", "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7", "3eb0c6f7a0b5ed8d": "0.000001", "41b3de4355555553": "333333333.3333332",
    "41b3de4355555554": "333333333.33333325", "41b3de4355555555": "333333333.3333333", "41b3de4355555556": "333333333.3333334",
    "41b3de4355555557": "333333333.33333343", "becbf647612f3696": "-0.0000033333333333333333", "43143ff3c1cb0959": "1424953923781206.2",
}  # fmt: skip


@pytest.mark.parametrize("bits", APPENDIX_B)
def test_numbers_are_written_as_in_appendix_b(bits):
    [number] = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical(number) == canonical(np.float64(number)) == APPENDIX_B[bits]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_nan_and_infinity_are_refused(number):
    with pytest.raises(ValueError, match="JSON has no"):
        canonical({"a": [number]})


def test_keys_are_sorted_by_utf16_code_units():
    keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    assert canonical(dict.fromkeys(keys)) == '{"\\r":null,"1":null,"\u0080":null,"\u00f6":null,"\u20ac":null,"\U0001f600":null,"\ufb33":null}'


def test_control_characters_are_escaped_and_no_others():
    assert canonical('\x00\x08\t\n\x0b\x0c\r\x1f\x7f"\\/\u2028é') == '"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f\x7f\\"\\\\/\u2028é"'
    assert canonical([True, False, None, 56, [], {}, ""]) == '[true,false,null,56,[],{},""]'


json_data = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=12)  # fmt: skip


@given(json_data)
def test_the_canonical_form_is_read_as_the_same_data(data):
    text = canonical(data)
    assert canonical(json.loads(text)) == text
    assert json.loads(text, parse_int=float) == data
    assert fingerprint(data) == fingerprint(json.loads(json.dumps(data, indent=3)))


# ---- round trips ----


def stored(value):
    "Data after they were written to a file and read."
    return json.loads(json.dumps(as_data(value), allow_nan=False))


@pytest.mark.parametrize("name", sorted(KINDS))
def test_a_measure_keeps_every_parameter(name):
    for measure in each_parameter(name):
        again = from_data(Measure, stored(measure.labelled("name")))
        assert again == measure and again.given == measure.given and again.label == "name"
        standard = again.labelled("")
        assert repr(standard) == repr(measure) and standard.requested == measure.requested
        assert stored(measure)["params"].keys() == measure.defaults.keys()


def test_a_table_of_gains_keeps_its_grades_as_numbers():
    measure = nDCG(gain={0: 0, 1: 0.5, 2.5: 3}) @ 10
    assert stored(measure)["params"]["gain"] == {"0": 0, "1": 0.5, "2.5": 3}
    again = from_data(Measure, stored(measure))
    assert again.params["gain"] == {0: 0, 1: 0.5, 2.5: 3} and repr(again) == repr(measure)


def test_a_function_and_a_measure_of_your_own_are_named_in_one_error():
    with pytest.raises(DataError, match="^the function cubed is not in the file$"):
        def cubed(grade):
            return grade**3
        from_data(Measure, stored(nDCG(gain=cubed)))
    with pytest.raises(DataError, match="^the measure MyMeasure is not one of irmetrics_nb$"):
        from_data(Measure, stored(AP) | {"name": "MyMeasure"})


def test_nan_and_infinity_become_values_again():
    assert from_data(tuple[float, ...], stored((math.inf, -math.inf, 0.1, -0.0))) == (math.inf, -math.inf, 0.1, -0.0)
    assert math.isnan(from_data(float, stored(math.nan)))
    assert np.array_equal(from_data(np.ndarray, stored(np.array([[np.nan, 1 / 3]]))), [[np.nan, 1 / 3]], equal_nan=True)


@pytest.mark.parametrize("name", [*PRESETS, "known"])
def test_conventions_are_data(name):
    conventions = Conventions(known=False) if name == "known" else irmetrics_nb.evaluation.conventions.conventions_of(name)
    assert stored(conventions).keys() == {field.name for field in fields(Conventions)}
    assert from_data(Conventions, stored(conventions)) == conventions


documents = st.dictionaries(st.sampled_from(["a", "b", "c", "d", "é", "x y"]), st.sampled_from([0.0, 0.5, 1.0, 1 / 3, 2.0, -1.0]), max_size=5)
runs = st.dictionaries(st.sampled_from(["q1", "q2", "q3", "unjudged"]), documents, min_size=1)
judged = st.fixed_dictionaries({q: st.dictionaries(st.sampled_from(["a", "b", "c", "é"]), st.integers(-1, 3), min_size=1, max_size=4) for q in ("q1", "q2", "q3")})
options = st.fixed_dictionaries({}, optional={
    "ties": st.sampled_from(["docid", "given", "average", "best", "worst"]), "missing": st.sampled_from(["zero", "skip"]),
    "no_relevant": st.sampled_from(["zero", "skip", "nan", "one"]), "negative": st.sampled_from(["zero", "keep"]),
    "unjudged": st.sampled_from(["keep", "skip"]), "judgments": st.sampled_from(["all", "retrieved"]), "names": st.sampled_from(["standard", "asked"]),
})  # fmt: skip


def equal_results(a, b):
    return canonical(as_data(a)) == canonical(as_data(b)) and repr(a) == repr(b)


@settings(max_examples=60)
@given(judged, st.lists(runs, min_size=1, max_size=3), options, st.booleans(), st.sampled_from(["json", "parquet"]))
def test_scores_are_loaded_as_they_were(folder, qrels, runs, chosen, grouped, form):
    sources = {f"run {i}": run for i, run in enumerate(runs)}
    groups = {"q1": "even", "q2": ""} if grouped else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            scores = evaluate(qrels, sources, "AP nDCG(gain=exp)@2 HR@1 IPrec@0.5", groups=groups, record=True, **chosen)
        except (DataError, ValueError):
            return  # no query in common, or no best order of ties
    path = folder / f"scores.{form}"
    scores.save(path)
    again = Scores.load(path)
    assert equal_results(scores, again)
    assert np.array_equal(scores.values, again.values, equal_nan=True)
    assert again.measures == scores.measures and again.groups == scores.groups and again.conventions == scores.conventions
    assert [run.absent for run in again.runs] == [run.absent for run in scores.runs]
    again.save(path)
    assert equal_results(again, Scores.load(path))


@pytest.fixture(scope="module")
def example():
    folder = load_example().folder
    return folder / "qrels.txt", {name: folder / "runs" / f"{name}.run.gz" for name in ("bm25", "tfidf")}


@pytest.mark.parametrize("chosen", [{}, {"test": "randomization", "draws": 2000, "seed": 7}, {"test": "wilcoxon"}, {"margin": 0.05}, {"interval": "bca"},
                                    {"groups": {"q01": "a", "q02": "b", "q03": "a", "q04": "b", "q05": "b"}}, {"correction": "none", "baseline": "tfidf"}])  # fmt: skip
@pytest.mark.parametrize("form", ["json", "parquet"])
def test_a_comparison_is_loaded_as_it_was(folder, example, chosen, form):
    found = compare(*example, "AP nDCG@10", **chosen)
    path = folder / f"comparison.{form}"
    found.save(path)
    again = Comparison.load(path)
    assert equal_results(found, again) and again.method == found.method and again.sample.query_ids == found.sample.query_ids
    assert np.array_equal(found.sample.values, again.sample.values)


def test_a_gate_is_loaded_as_it_was(folder, example):
    verdict = gate(compare(*example, "AP nDCG@10", baseline="bm25"), max_drop=0.5, floors=["AP=0.1"], min_coverage=0.5)
    for form in ("json", "parquet"):
        verdict.save(folder / f"gate.{form}")
        assert equal_results(verdict, Gate.load(folder / f"gate.{form}"))


def test_values_of_queries_are_in_full_precision(folder):
    scores = evaluate({"q": {"a": 1, "b": 1, "c": 1}}, {"q": ["x", "a", "y", "b"]}, "AP", record=True)
    scores.save(folder / "third.json")
    assert '"values": [[[0.3333333333333333]]]' in (folder / "third.json").read_text()  # (1/2 + 2/4) / 3


def test_unknown_conventions_stay_unknown(folder):
    evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AP").save(folder / "values.csv")
    Scores.load(folder / "values.csv").save(folder / "values.json")
    again = Scores.load(folder / "values.json")
    assert not again.conventions.known and again.means == {"AP": 1.0}


def test_a_file_without_such_a_record_is_named(folder):
    evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AP").save(folder / "scores.json")
    (folder / "other.json").write_text("{}")
    for name in ("scores.json", "other.json"):
        with pytest.raises(DataError, match=f"{name} has no record of Comparison; write one with .save"):
            Comparison.load(folder / name)
    assert read_record(folder / "other.json") == ({}, {})


# ---- what a record contains ----


def text_of(path):
    if path.suffix == ".parquet":
        return str(pl.read_parquet_metadata(path)) + str(pl.read_parquet(path).to_dicts())
    return path.read_text(encoding="utf-8")


def test_no_saved_file_has_an_absolute_path(folder, example):
    qrels, runs = example
    scores = evaluate(qrels, runs, "AP")
    found = compare(qrels, runs, "AP", baseline="bm25")
    results = {"scores": scores, "comparison": found, "gate": gate(found, max_drop=0.5), "report": report(qrels, runs)}
    for name, result in results.items():
        for form in ("json", "parquet", "csv"):
            path = folder / f"paths.{form}"
            if name == "report" and form != "json":
                continue  # it has no table
            result.save(path)
            assert str(qrels.parent) not in text_of(path) and str(folder) not in text_of(path), (name, form)


def test_options_are_data_in_the_record(folder, example):
    found = compare(*example, "nDCG(gain=exp)@10", baseline="bm25", test="randomization", draws=1000, seed=3)
    found.save(folder / "options.json")
    record, _ = read_record(folder / "options.json")
    method = record["data"]["method"]
    assert (method["test"], method["draws"], method["seed"], record["data"]["baseline"]) == ("randomization", 1000, 3, "bm25")
    [measure] = record["data"]["sample"]["computed"]
    assert measure["params"]["gain"] == "exp" and measure["params"]["discount"] == "log2" and measure["at"] == 10
    assert record["data"]["sample"]["conventions"]["ties"] == "docid"
    assert record["numpy"] == np.__version__ and record["created"].endswith("+00:00")


def test_a_result_with_duplicate_documents_can_be_saved_and_verified(folder):
    (folder / "twice.qrels").write_text("q 0 a 1\n")
    (folder / "twice.run").write_text("q Q0 b 1 2 t\nq Q0 a 2 1.5 t\nq Q0 a 3 3 t\n")
    for rule, value in {"first": 0.5, "best": 1.0}.items():
        scores = evaluate(folder / "twice.qrels", folder / "twice.run", "RR", duplicates=rule)
        assert scores.means == {"RR": value}
        scores.save(folder / "twice.json")
        record, _ = read_record(folder / "twice.json")
        assert (record["data"]["runs"][0]["source"]["in_order"] is not None) == (rule == "first")
        assert verify(folder / "twice.json").ok


def test_the_hash_covers_the_record_and_what_the_file_shows(folder):
    evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AP", record=True).save(folder / "whole.json")
    whole = json.loads((folder / "whole.json").read_text())
    sha256 = whole["record"].pop("sha256")
    assert fingerprint(whole) == sha256
    whole["runs"][0]["means"]["AP"] = 0.5
    assert fingerprint(whole) != sha256


# ---- inputs without a hash are errors ----


def test_inputs_without_a_hash_are_errors_if_you_ask_for_it(folder, example):
    evaluate(*example, "AP").check_inputs()
    compare(*example, "AP").check_inputs()
    evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AP", record=True).check_inputs()
    with pytest.raises(DataError, match="^qrels has no hash: it cannot be read again; pass record=True$"):
        evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AP").check_inputs()
    parts = [evaluate({q: {"a": 1}}, {q: ["a"]}, "AP") for q in ("q1", "q2")]
    with pytest.raises(DataError, match="^the inputs are not known, so they have no hash$"):
        Scores.concat(parts).check_inputs()


@pytest.mark.parametrize("command", ["evaluate", "compare", "report"])
def test_strict_refuses_standard_input(tmp_path, command):
    (tmp_path / "qrels.txt").write_text("q 0 a 1\nr 0 a 1\n")
    text = "q Q0 b 1 2 t\nq Q0 a 2 1 t\nr Q0 a 1 1 t\n"
    for name in ("a.run", "b.run"):
        (tmp_path / name).write_text(text)
    output = ["-o", "report.html"] * (command == "report")
    fine = irmetrics(command, "qrels.txt", "a.run", "b.run", "--strict", *output, cwd=tmp_path)
    assert fine.returncode == 0, fine.stderr
    refused = irmetrics(command, "qrels.txt", "a.run", "-", "--strict", *output, cwd=tmp_path, stdin=text.encode())
    assert refused.returncode == 1 and "has no hash: it cannot be read again; write it to a file first" in refused.stderr and refused.stdout == ""
    assert irmetrics(command, "qrels.txt", "a.run", "-", *output, cwd=tmp_path, stdin=text.encode()).returncode == 0


@pytest.mark.parametrize(("options", "draws"), [
    ({}, None), ({"test": "randomization"}, 100_000), ({"test": "randomization", "draws": 500}, 500), ({"test": "tukey"}, 10_000),
    ({"test": "bootstrap"}, 9999), ({"interval": "bca"}, 9999),
])  # fmt: skip
def test_the_number_of_draws_is_written_out_also_if_it_is_the_default(options, draws, tmp_path):
    values = {"a": {"q1": 0.5, "q2": 0.25, "q3": 0.0}, "b": {"q1": 0.75, "q2": 0.75, "q3": 0.5}}
    compare(values, **options).save(tmp_path / "x.json")
    record, _ = read_record(tmp_path / "x.json")
    assert record["data"]["method"]["draws"] == draws
