"A saved result as an in-toto Statement, and the JSON Schemas of saved results."
import hashlib
import json
import sys
from pathlib import Path

import jsonschema
import polars as pl
import pytest
from google.protobuf import json_format
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement
from referencing import Registry, Resource
from test_verification import KINDS, NAMES, collection, results_of

from irmetrics_nb import Comparison, Groups, Scores, compare, evaluate, verify
from irmetrics_nb.results.records import canonical

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests/tools"))
import schema  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::irmetrics_nb.EvaluationWarning")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    "A folder with a result of each kind in each form that has a record, beside the inputs."
    folder = tmp_path_factory.mktemp("statements")
    for kind, result in results_of(*collection(folder)).items():
        for end in "json", "parquet", "intoto.json", "predicate.json":
            result.save(folder / f"{kind}.{end}")
    return folder


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("kind", KINDS)
def test_a_statement_is_valid_and_its_digests_are_those_of_the_files(saved, kind):
    text = (saved / f"{kind}.intoto.json").read_text(encoding="utf-8")
    message = json_format.Parse(text, statement_pb2.Statement())  # refuses unknown fields
    Statement.copy_from_pb(message).validate()
    data = json.loads(text)
    assert data["_type"] == "https://in-toto.io/Statement/v1"
    assert data["predicateType"] == "https://irmetrics-nb.github.io/irmetrics_nb/schemas/record-v1.json"
    first, *files = data["subject"]
    assert {file["name"]: file["digest"]["sha256"] for file in files} == \
        {name: sha256(saved / name) for name in ("qrels.txt", "main.run", "new.run")}
    assert [len(file["digest"]["sha256"]) for file in files] == [64] * 3
    content = canonical(data["predicate"]).encode()
    assert (first["name"], first["digest"]["sha256"]) == (f"{kind.lower()}.predicate.json", hashlib.sha256(content).hexdigest())
    alone = json.loads((saved / f"{kind}.predicate.json").read_bytes())
    assert canonical(alone).encode() == (saved / f"{kind}.predicate.json").read_bytes()
    assert alone["data"] == data["predicate"]["data"] == json.loads((saved / f"{kind}.json").read_text(encoding="utf-8"))["record"]["data"]


def test_inputs_of_one_name_are_both_subjects(tmp_path):
    qrels, runs = collection(tmp_path)
    paths = {}
    for name in NAMES:
        (tmp_path / name).mkdir()
        paths[name] = runs[name].rename(tmp_path / name / "run.txt")
    compare(qrels, paths, "AP").save(tmp_path / "x.intoto.json")
    subjects = json.loads((tmp_path / "x.intoto.json").read_text())["subject"]
    assert [subject["name"] for subject in subjects] == ["comparison.predicate.json", "qrels.txt", "run.txt", "run.txt"]
    evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AP").save(tmp_path / "y.intoto.json")  # no files
    assert [subject["name"] for subject in json.loads((tmp_path / "y.intoto.json").read_text())["subject"]] == ["scores.predicate.json"]


@pytest.mark.parametrize("kind", KINDS)
def test_predicates_are_verified_and_changes_are_found(saved, kind):
    path = saved / f"{kind}.predicate.json"
    assert {check.outcome for check in verify(path).rows} == {"equal"}
    data = json.loads(path.read_text(encoding="utf-8"))
    data["created"] = "2020-01-01T00:00:00+00:00"
    (saved / "changed.predicate.json").write_text(json.dumps(data), encoding="utf-8")
    assert verify(saved / "changed.predicate.json").code == 3
    assert verify(saved / f"{kind}.intoto.json").code == 2  # a Statement is checked by tools for Statements
    if kind == "Scores":
        assert Scores.load(path).means["main"]["AP"] == Scores.load(saved / "Scores.json").means["main"]["AP"]
    if kind == "Comparison":
        assert Comparison.load(path).rows == Comparison.load(saved / "Comparison.json").rows


def test_the_name_of_the_file_chooses_the_statement(tmp_path):
    scores = evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AP")
    scores.save(tmp_path / "nDCG@10.v2.json")
    assert "runs" in json.loads((tmp_path / "nDCG@10.v2.json").read_text())
    with pytest.raises(ValueError, match="a result is written as"):
        scores.save(tmp_path / "x.intoto.jsonl")


@pytest.fixture(scope="module")
def validators():
    "The validators of both published schemas, by name."
    schemas = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in (ROOT / "nbs/schemas").glob("*.json")}
    registry = Registry().with_resources((x["$id"], Resource.from_contents(x)) for x in schemas.values())
    for x in schemas.values():
        jsonschema.Draft202012Validator.check_schema(x)
    return {name: jsonschema.Draft202012Validator(x, registry=registry) for name, x in schemas.items()}


def test_the_schemas_are_those_of_the_types():
    remedy = "run `make export`, which writes nbs/schemas/ from the types of the fields of results"
    for name, text in schema.texts().items():
        assert (schema.FOLDER / name).read_text(encoding="utf-8") == text, remedy


@pytest.mark.parametrize("kind", KINDS)
def test_every_saved_result_agrees_with_the_schemas(saved, validators, kind):
    data = json.loads((saved / f"{kind}.json").read_text(encoding="utf-8"))
    validators["result-v1.json"].validate(data)
    validators["record-v1.json"].validate(json.loads((saved / f"{kind}.predicate.json").read_bytes()))
    validators["record-v1.json"].validate(json.loads(pl.read_parquet_metadata(saved / f"{kind}.parquet")["irmetrics_nb"]))
    for path in ("record", "data"), ("record", "sha256"), ("record", "created"):
        other = json.loads(json.dumps(data))
        other[path[0]][path[1]] = {} if path[1] == "data" else "yesterday"
        assert not validators["result-v1.json"].is_valid(other)
    other = {**data, "record": {**data["record"], "more": 1}}
    assert not validators["result-v1.json"].is_valid(other)


OPTIONS = [
    {"test": test, "draws": draws} for test, draws in [
        ("randomization", 99), ("bootstrap", 99), ("wilcoxon", None), ("sign", None), ("tukey", 99), ("t", None), (max, None)]]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_results_of_every_test_agree_with_the_schemas(tmp_path, validators, options):
    qrels, runs = collection(tmp_path)
    if callable(options["test"]):
        options = {"test": lambda differences: 0.5}
    compare(qrels, runs, "AP nDCG(gain={0: 0, 1: 1, 2: 3, 3: 7})@5 P(rel=2)@5", groups={"q1": "a"}, **options).save(tmp_path / "x.json")
    validators["result-v1.json"].validate(json.loads((tmp_path / "x.json").read_text(encoding="utf-8")))


def test_results_without_files_or_hashes_agree_with_the_schemas(tmp_path, validators):
    rows = {"q1": {"a": 1, "b": 0}, "q2": {"c": 0}, "q3": {"d": 2}}
    run = {"q1": ["b", "a"], "q3": ["d"]}
    numbers = {"a": {"q1": 0.5, "q2": 0.25, "q3": 1.0}, "b": {"q1": 0.75, "q2": 0.5, "q3": 1.0}}
    results = [evaluate(rows, run, "AP", no_relevant="skip"), evaluate(rows, {"a": run, "b": run}, "AP judged@5 NumRet", record=True),
               compare(numbers), Scores.concat([evaluate(rows, run, "AP")])]
    for i, result in enumerate(results):
        result.save(tmp_path / f"{i}.json")
        validators["result-v1.json"].validate(json.loads((tmp_path / f"{i}.json").read_text(encoding="utf-8")))


def test_groups_of_several_dimensions_are_kept_and_verified(tmp_path, validators):
    qrels, runs = collection(tmp_path)
    names = [f"q{i}" for i in range(1, 10)]
    table = {"query_id": names, "device": ["app", "web, old", "web, old"] * 3, "lang": ["de", "en", "de"] * 3}
    groups = Groups(pl.DataFrame(table))
    results = {"Scores": evaluate(qrels, runs, "AP", groups=groups),
               "Comparison": compare(qrels, runs, "AP", groups=groups)}
    for kind, result in results.items():
        result.save(tmp_path / f"{kind}.json")
        assert type(result).load(tmp_path / f"{kind}.json").slices == result.slices
        assert {"device=app", "device=web, old", "lang=de"} <= {*result.slices}
        assert {check.outcome for check in verify(tmp_path / f"{kind}.json").rows} == {"equal"}
        validators["result-v1.json"].validate(json.loads((tmp_path / f"{kind}.json").read_text(encoding="utf-8")))
