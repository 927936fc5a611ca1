"A saved result is recomputed: every accidental change is found, and a page names what a deliberate one can hide."
import copy
import json
import random
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers import irmetrics

from irmetrics_nb import Comparison, Qrels, Run, Scores, compare, evaluate, gate, report, verify
from irmetrics_nb.evaluation.presets import PRESETS
from irmetrics_nb.results.records import fingerprint, read_record

pytestmark = pytest.mark.filterwarnings("ignore::irmetrics_nb.EvaluationWarning")
NAMES = "main", "new"
GROUPS = {f"q{i}": ("short", "long")[i % 2] for i in range(9)}


def collection(folder, seed=1, queries=10):
    "Write judgments and two runs: tied scores, negative grades, unjudged and missing queries, an id that is not ASCII."
    draw = random.Random(seed)
    lines = {"qrels.txt": [], **{f"{name}.run": [] for name in NAMES}}
    for q in range(queries):
        query = f"q{q}" if q else "ä0"
        docs = draw.sample([f"d{i}" for i in range(40)], draw.randint(2, 9))
        if q != 3:
            lines["qrels.txt"] += [f"{query} 0 {doc} {draw.choice([-1, 0, 1, 1, 2, 3])}" for doc in [*docs[::2], "x"]]
        for name in NAMES:
            if q != 5 or name == "new":
                shown = draw.sample(docs, len(docs))
                lines[f"{name}.run"] += [f"{query} Q0 {doc} 1 {draw.randint(0, 4) / 4} {name}" for doc in shown]
    for name, rows in lines.items():
        (folder / name).write_text("\n".join(rows) + "\n", encoding="utf-8")
    return folder / "qrels.txt", {name: folder / f"{name}.run" for name in NAMES}


def results_of(qrels, runs):
    "A result of each kind, by the name of its kind."
    compared = compare(qrels, runs, "AP RR", baseline="main", groups=GROUPS, test="sign")
    return {
        "Scores": evaluate(qrels, runs, "AP nDCG@5 judged@5", groups=GROUPS, ties="average"),
        "Comparison": compared,
        "Gate": gate(compared, max_drop="1%", margin=0.3, floors=["AP=0.1"], min_coverage=0.5),
        "Report": report(qrels, runs, "AP RR", title="Two systems"),
    }


KINDS = "Scores", "Comparison", "Gate", "Report"
PAGE = Path(__file__).parents[1] / "nbs/guide/verify_results.ipynb"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    "The path of a saved result of each kind, beside its inputs, and in a folder without them."
    folder, apart = tmp_path_factory.mktemp("beside"), tmp_path_factory.mktemp("apart")
    paths = {}
    for kind, result in results_of(*collection(folder)).items():
        result.save(folder / f"{kind}.json")
        (apart / f"{kind}.json").write_bytes((folder / f"{kind}.json").read_bytes())
        paths[kind] = folder / f"{kind}.json", apart / f"{kind}.json"
    return paths


def places(data, path=()):
    "Every place in nested data, as its path."
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def field(path):
    "The field of a place: positions in lists and ids are left out, since all of them are hashed and checked alike."
    return tuple("*" if isinstance(key, int) or re.fullmatch(r"q\d+|ä0|d\d+|x", key) else key for key in path)


def places_of_fields(data, draw, n=1):
    "{field: up to n of its places} of nested data."
    found = defaultdict(list)
    for path in places(data):
        found[field(path)].append(path)
    return {name: draw.sample(paths, min(n, len(paths))) for name, paths in found.items()}


def parent(data, path):
    for key in path[:-1]:
        data = data[key]
    return data


def altered(data, path):
    "The data with another value at a place; a container loses all that it has."
    data = copy.deepcopy(data)
    holder, key = parent(data, path), path[-1]
    value = holder[key]
    if isinstance(value, bool):
        holder[key] = not value
    elif isinstance(value, int | float):
        holder[key] = value + (1e-6 if isinstance(value, float) else 1)
    elif isinstance(value, str):
        holder[key] = value[:-1] + chr(ord(value[-1]) ^ 1) if value else "x"
    elif value is None:
        holder[key] = 0.5
    else:
        holder[key] = type(value)() if value else ["x"] if isinstance(value, list) else {"x": 0}
    return data


def without(data, path):
    data = copy.deepcopy(data)
    del parent(data, path)[path[-1]]
    return data


def with_more(data, path):
    "The data with one item more where a container is."
    data = copy.deepcopy(data)
    holder = parent(data, path)[path[-1]]
    if isinstance(holder, dict):
        holder["more"] = 1
    else:
        holder.append(copy.deepcopy(holder[-1]) if holder else 1)
    return data


def code_of(path, data):
    "The exit code for a file with these data."
    path.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
    return verify(path).code


@pytest.mark.parametrize("kind", KINDS)
def test_untouched_results_are_verified_with_and_without_inputs(saved, kind):
    beside, apart = map(verify, saved[kind])
    assert beside.ok and beside.code == 0 and {check.outcome for check in beside.rows} == {"equal"}
    assert apart.ok and "verified in part" in str(apart) and "verified\n" in str(beside)
    assert [check.text for check in apart.rows if check.subject == "values of queries"] == \
        ["these inputs are not here: the judgments, main, new"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_accidental_change_of_any_field_is_overlooked(saved, kind, tmp_path):
    data = json.loads(saved[kind][1].read_text(encoding="utf-8"))
    fields = places_of_fields(data, random.Random(kind), n=2)
    found = sum(fields.values(), [])
    assert len(fields) > 150 and len(found) > 250
    containers = [path for path in found if isinstance(parent(data, path)[path[-1]], dict | list)]
    for change, paths in (altered, found), (without, found), (with_more, containers):
        for path in paths:
            other = change(data, path)
            record = other.get("record")
            if isinstance(record, dict):
                content = {name: x for name, x in record.items() if name != "sha256"}
                assert fingerprint({**other, "record": content}) != record.get("sha256"), path
    for path in [*random.Random(kind).sample(found, 60), ("record",), ("record", "sha256"), ("record", "kind"), ("record", "data")]:
        for change in altered, without:
            assert code_of(tmp_path / "x.json", change(data, path)) in (2, 3), path


def with_hash(data):
    "The data with the hash that belongs to them, as a person who changes them on purpose would write it."
    record = {name: x for name, x in data["record"].items() if name != "sha256"}
    return {**data, "record": {**record, "sha256": fingerprint({**data, "record": record})}}


# Kinds of data, in the order of the table on the page `guide/verify_results`: (pattern of the place, with inputs, without).
# True: every change is found; False: none has to be found.
DATA = {
    "versions and time": (r"record\.(package|version|commit|python|numpy|created)$", False, False),
    "reference to an input": (r"record\..*\.?(inputs|judgments|source|reading|remarks)$|.*\.inputs\.\d+$"
                              r"|record\..*(inputs\.\d+|judgments|source)\.(name|form|bytes|sha256|reason|role)$", False, False),
    "content of an input": (r"record\..*(inputs\.\d+|judgments|source)\.(\w+|digests\..*)$", True, False),
    "name of a tool or of a measure": (r".*\.(conventions\.(name|kinds|known)|label)$", False, False),
    "option without an effect": (r".*\.(conventions\.\w+|method\.(seed|margin|draws))$|.*\.options\.\w+$|record\.data\.(scores\.|comparison\.)?groups(\..*)?$|record\.data\.best_grade$", False, False),
    "check-up of a report": (r"checkup.*", False, False),
    "facts about the queries": (r"record\..*\.(first_ranks|judged_retrieved|tie_bounds|query_ids|depth|notes|absent|repeats|budget|count|listed"
                                r"|missing|no_relevant|unjudged|short|runs|requested|computed|measures|conventions)\b.*", True, False),
    "values of queries": (r"record\..*\.values\b.*", True, True),
    "statistics, verdicts, options": (r"record\..*", True, True),
    "what the file shows": (r".*", True, True),
}


@pytest.mark.slow
def test_a_deliberate_change_with_a_new_hash_passes_only_where_the_page_says_so(tmp_path):
    seen, overlooked = Counter(), defaultdict(list)
    for seed in range(25):
        folder, apart = tmp_path / f"{seed}", tmp_path / f"{seed} apart"
        folder.mkdir()
        apart.mkdir()
        kind = KINDS[seed % 4]
        results_of(*collection(folder, seed=seed, queries=random.Random(seed).randint(8, 14)))[kind].save(folder / "x.json")
        data = json.loads((folder / "x.json").read_text(encoding="utf-8"))
        draw = random.Random(seed)
        fields = places_of_fields(data, draw)
        for name in draw.sample(sorted(fields.keys() - {("record",), ("record", "sha256")}), 20):
            (path,) = fields[name]
            name = ".".join(map(str, path))
            group = next(group for group, (pattern, *_) in DATA.items() if re.match(pattern, name))
            other = with_hash(altered(data, path))
            codes = [code_of(where / "x.json", other) for where in (folder, apart)]
            seen[group] += 1
            for has_inputs, code in zip((True, False), codes):
                if code == 0:
                    overlooked[group, has_inputs].append(f"{kind} {seed}: {name}")
    assert sum(seen.values()) == 500 and all(seen[group] for group in DATA), seen
    print({group: (n, n - len(overlooked[group, True]), n - len(overlooked[group, False])) for group, n in seen.items()})
    for group, (_, *must_be_found) in DATA.items():
        for has_inputs, must in zip((True, False), must_be_found):
            assert not must or not overlooked[group, has_inputs], (group, has_inputs, overlooked[group, has_inputs])


def test_the_page_names_every_kind_of_data_of_the_deliberate_changes():
    page = json.loads(PAGE.read_text(encoding="utf-8"))
    text = "".join("".join(cell["source"]) for cell in page["cells"])
    rows = {line.split("|")[1].strip(): [cell.strip() for cell in line.split("|")[2:4]] for line in text.split("\n") if line.startswith("| ")}
    for group, (_, *found) in DATA.items():
        assert rows[group] == ["found" if is_found else "not found" for is_found in found], group


def test_means_are_compared_more_strictly_than_other_statistics(saved, tmp_path):
    data = json.loads(saved["Scores"][1].read_text(encoding="utf-8"))
    for change, code in (2e-12, 3), (5e-13, 0):
        other = copy.deepcopy(data)
        other["runs"][0]["means"]["AP"] += change
        assert code_of(tmp_path / "x.json", with_hash(other)) == code
    data = json.loads(saved["Comparison"][1].read_text(encoding="utf-8"))
    for change, code in (2e-9, 3), (5e-10, 0):
        other = copy.deepcopy(data)
        for pair in other["record"]["data"]["rows"][0], other["pairs"][0]:
            pair["p"] += change
        assert code_of(tmp_path / "x.json", with_hash(other)) == code


SETTINGS = [
    *({"ties": ties} for ties in ("docid", "given", "average", "best", "worst")), {"judgments": "retrieved"}, {"missing": "skip"},
    {"no_relevant": "one"}, {"no_relevant": "skip"}, {"unjudged": "skip"}, {"negative": "keep"}, {"names": "asked"},
    {"score_dtype": "float32"}, {"duplicates": "first"}, {"duplicates": "mean"}, {"identical_ids": "skip"},
    *({"conventions": name} for name in PRESETS)]


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_every_convention_is_verified_from_the_inputs(tmp_path, options):
    qrels, runs = collection(tmp_path, seed=len(str(options)))
    for name in "x.json", "x.parquet":
        scores = evaluate(qrels, runs, "nDCG@10 RR P@5 MAP" if options.get("names") == "asked" else "nDCG@10 RR P@5", **options)
        scores.save(tmp_path / name)
        found = verify(tmp_path / name)
        assert found.code == 0 and {check.outcome for check in found.rows} == {"equal"}, found
        assert str(Scores.load(tmp_path / name).to_dict()) == str(scores.to_dict())


def test_one_run_two_names_and_a_run_without_a_name_are_verified(tmp_path):
    qrels, runs = collection(tmp_path)
    evaluate(qrels, runs["main"], "AP").save(tmp_path / "one.json")
    assert verify(tmp_path / "one.json").code == 0
    evaluate(qrels, Run(runs["main"]), "AP").save(tmp_path / "read.json")
    assert verify(tmp_path / "read.json", runs={"run": runs["main"]}).code == 0
    compare(qrels, {"a": runs["main"], "b": runs["main"]}, "AP").save(tmp_path / "same.json")
    assert {check.outcome for check in verify(tmp_path / "same.json").rows} == {"equal"}


def test_parts_of_a_result_are_verified_from_given_inputs(tmp_path):
    qrels, runs = collection(tmp_path)
    whole = evaluate(qrels, runs, "AP GMAP", ties="average")
    Scores.concat([whole]).save(tmp_path / "x.json")
    assert verify(tmp_path / "x.json").code == 0 and "verified in part" in str(verify(tmp_path / "x.json"))
    found = verify(tmp_path / "x.json", qrels, runs)
    assert [check.outcome for check in found.rows if check.subject == "values of queries"] == ["equal"]
    rows = {name: Run(path).to_dict() for name, path in runs.items()}
    judged = Qrels(qrels).to_dict()

    def part(ids):
        of_part = {name: {q: run[q] for q in ids if q in run} for name, run in rows.items()}
        return evaluate({q: judged[q] for q in ids if q in judged}, of_part, "AP GMAP", ties="average", missing="skip", part=True)

    parts = [part([*judged][5:]), part([*judged][:5] + ["q3"])]
    Scores.concat(parts).save(tmp_path / "y.json")  # in another order than the judgments
    found = verify(tmp_path / "y.json", qrels, runs)
    assert Scores.load(tmp_path / "y.json").query_ids != evaluate(qrels, runs, "AP", missing="skip").query_ids
    assert [check.outcome for check in found.rows if check.subject == "values of queries"] == ["equal"], found
    other = dict(runs, new=runs["main"])
    assert verify(tmp_path / "x.json", qrels, other).code == 3


def test_inputs_in_other_forms_are_accepted_and_other_inputs_are_named(tmp_path):
    qrels, runs = collection(tmp_path)
    away = tmp_path / "away"
    away.mkdir()
    compare(qrels, runs, "AP", baseline="main").save(away / "x.json")
    lines = runs["new"].read_text(encoding="utf-8").splitlines(keepends=True)
    mixed = away / "mixed.txt"
    mixed.write_text("".join(random.Random(1).sample(lines, len(lines))), encoding="utf-8")
    assert {c.outcome for c in verify(away / "x.json", qrels, {"main": Run(runs["main"]), "new": mixed}).rows} == {"equal"}
    mixed.write_text("".join(lines[1:]), encoding="utf-8")
    found = {check.subject: check for check in verify(away / "x.json", qrels, {"main": runs["main"], "new": mixed}).rows}
    query = lines[0].split()[0]
    assert found["run new.run"].outcome == "differs" and f"digests.{query}: " in found["run new.run"].text
    mixed.write_text("q1 Q0 d1 1 wrong new\n", encoding="utf-8")
    found = verify(away / "x.json", qrels, {"main": runs["main"], "new": mixed})
    assert found.code == 3 and "mixed.txt, line 1" in str(found)


def test_functions_and_missing_data_give_exit_code_two_with_the_reason(tmp_path):
    qrels, runs = collection(tmp_path)
    compare(qrels, runs, "AP", test=lambda differences: 0.5).save(tmp_path / "own.json")
    found = verify(tmp_path / "own.json")
    assert found.code == 2 and not found.ok and "the function <lambda> is not in the file" in str(found)
    scores = evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AP")
    scores.save(tmp_path / "x.parquet")
    found = verify(tmp_path / "x.parquet")
    assert found.code == 2 and "these inputs are not here: the judgments, run" in [check.text for check in found.rows]
    for name, content in ("none.json", "{}"), ("list.json", "[1]"), ("text.json", "hello"), ("cut.json", '{"record": {'):
        (tmp_path / name).write_text(content)
        found = verify(tmp_path / name)
        assert (found.code, found.rows[0].subject, found.rows[0].outcome) == (2, "record", "not checked")


def test_the_command_verifies_and_its_exit_codes_are_0_3_and_2(tmp_path):
    qrels, runs = collection(tmp_path)
    away = tmp_path / "away"
    away.mkdir()
    gate(compare(qrels, runs, "AP", baseline="main"), max_drop=0.9).save(away / "gate.json")
    done = irmetrics("verify", "away/gate.json", "--qrels", "qrels.txt", "--run", "main=main.run", "--run", "new=new.run", cwd=tmp_path)
    assert done.returncode == 0 and "gate.json: verified\n" in done.stdout and "not checked" not in done.stdout
    done = irmetrics("verify", "gate.json", cwd=away)
    assert done.returncode == 0 and "gate.json: verified in part\n" in done.stdout
    text = (away / "gate.json").read_text(encoding="utf-8")
    (away / "gate.json").write_text(text.replace('"ok": true', '"ok": false'), encoding="utf-8")
    done = irmetrics("verify", "gate.json", cwd=away)
    assert done.returncode == 3 and "DIFFERS" in done.stdout and "the file was changed after it was written" in done.stdout
    compare(qrels, runs, "AP", test=lambda differences: 0.5).save(away / "own.json")
    assert irmetrics("verify", "own.json", cwd=away).returncode == 2
    (away / "none.json").write_text("{}")
    assert irmetrics("verify", "none.json", cwd=away).returncode == 2
    assert irmetrics("verify", "gate.json", "--run", "new.run", cwd=away).returncode == 2
    assert irmetrics("verify", "nowhere.json", cwd=away).returncode == 1  # as in every command


WATCHED = """
import json, sys
from irmetrics_nb import verify
verify("good.json")
seen = []
sys.addaudithook(lambda event, args: seen.append((event, str(args[0]))) if event in ("open", "import", "exec", "compile",
    "subprocess.Popen", "os.system", "socket.connect", "os.listdir", "os.scandir") else None)
codes = [verify(name).code for name in sys.argv[1:]]
print(json.dumps([codes, seen]))
"""


def test_verify_opens_no_file_that_a_record_names_elsewhere_and_imports_nothing(tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    qrels, runs = collection(tmp_path)
    for path in tmp_path.glob("*.*"):
        shutil.copy(path, folder)
    compare(folder / "qrels.txt", {name: folder / f"{name}.run" for name in NAMES}, "AP").save(folder / "good.json")
    data = json.loads((folder / "good.json").read_text(encoding="utf-8"))
    (folder / "hf:x").write_text("")
    hostile = ["../main.run", str(tmp_path / "main.run"), "/etc/passwd", "..", ".", "", "*.run", "a/../main.run", "hf://x/y", "hf:x",
               "https://example.org/x", "~/x", "main.run\0", "-"]
    for i, name in enumerate(hostile):
        other = copy.deepcopy(data)
        other["record"]["data"]["sample"]["inputs"][1]["name"] = name
        (folder / f"bad{i}.json").write_text(json.dumps(with_hash(other)), encoding="utf-8")
    names = [f"bad{i}.json" for i in range(len(hostile))]
    done = subprocess.run([sys.executable, "-c", WATCHED, *names], cwd=folder, capture_output=True, text=True)
    codes, events = json.loads(done.stdout)
    assert len(codes) == len(hostile) and set(codes) <= {0, 3}, done.stderr
    allowed = {*names, "qrels.txt", "new.run", "hf:x"}
    for event, what in events:
        assert event == "open" and (what in allowed or what in {str(folder / name) for name in allowed}), (event, what)


def nudged(path, change):
    "Write a result of the randomization test with p changed, as if another numpy had drawn it, beside its first p."
    loaded = Comparison.load(path)
    pairs = [replace(pair, **change(pair)) for pair in loaded.rows]
    replace(loaded, rows=tuple(pairs)).save(path)
    data = json.loads(path.read_text(encoding="utf-8"))
    data["record"]["numpy"] = "1.26.0"
    return verify_data(path, with_hash(data))


def verify_data(path, data):
    path.write_text(json.dumps(data), encoding="utf-8")
    return verify(path)


def test_random_p_values_of_another_numpy_may_differ_by_their_monte_carlo_error(tmp_path):
    qrels, runs = collection(tmp_path, queries=40)
    path = tmp_path / "x.json"

    def saved_again(**options):
        compare(qrels, runs, "AP", test="randomization", draws=10_000, **options).save(path)
        return Comparison.load(path).rows[0].p

    p = saved_again()
    error = (p * (1 - p) / 10_000) ** 0.5
    assert 0.05 < p < 0.95
    for errors, code in (0, 0), (2, 0), (-3, 0), (8, 3), (-9, 3):
        saved_again()
        found = nudged(path, lambda pair, e=errors: {"p": pair.p + e * error, "p_adjusted": pair.p_adjusted + e * error})
        assert found.code == code, (errors, found)
        assert ("other generator" in " ".join(str(found).split())) == (code == 0)
    for seed in range(8):  # what another generator would draw is accepted
        saved_again()
        other = compare(qrels, runs, "AP", test="randomization", draws=10_000, seed=seed + 1).rows[0]
        assert nudged(path, lambda pair, other=other: {"p": other.p, "p_adjusted": other.p_adjusted}).code == 0
    saved_again()  # only the random numbers may differ
    assert nudged(path, lambda pair: {"difference": pair.difference + 1e-6}).code == 3
    saved_again()
    found = Comparison.load(path)
    replace(found, rows=(replace(found.rows[0], p=p + error, p_adjusted=p + error),)).save(path)
    assert verify(path).code == 3  # by the same numpy, the same numbers
    compare(qrels, runs, "AP").save(path)
    assert nudged(path, lambda pair: {"p": pair.p + 1e-6, "p_adjusted": pair.p_adjusted + 1e-6}).code == 3  # no draws


def test_bootstrap_intervals_of_another_numpy_may_differ_a_little(tmp_path):
    qrels, runs = collection(tmp_path, queries=40)
    path = tmp_path / "x.json"
    for seed in range(4):
        compare(qrels, runs, "AP", test="bootstrap", interval="percentile", draws=2000).save(path)
        other = compare(qrels, runs, "AP", test="bootstrap", interval="percentile", draws=2000, seed=seed + 1).rows[0]
        drawn = {name: getattr(other, name) for name in ("p", "p_adjusted", "low", "high", "lower_bound", "upper_bound")}
        assert nudged(path, lambda pair, drawn=drawn: drawn).code == 0
    compare(qrels, runs, "AP", test="bootstrap", interval="percentile", draws=2000).save(path)
    assert nudged(path, lambda pair: {"low": pair.low - 0.5 * (pair.high - pair.low)}).code == 3


def test_ids_that_are_not_utf8_and_infinite_numbers_are_verified(tmp_path):
    (tmp_path / "q.txt").write_bytes(b"\xff1 0 a 1\nq2 0 a 1\nq3 0 b 1\n")
    (tmp_path / "r.txt").write_bytes(b"\xff1 Q0 a 1 2.5 t\nq2 Q0 b 1 2.5 t\nq2 Q0 a 1 2.5 t\n")
    (tmp_path / "s.txt").write_bytes(b"\xff1 Q0 b 1 2.5 t\nq2 Q0 b 1 2.5 t\nq3 Q0 b 1 2.5 t\n")
    runs = {"r": tmp_path / "r.txt", "s": tmp_path / "s.txt"}
    evaluate(tmp_path / "q.txt", runs, "AP").save(tmp_path / "x.json")
    compare(tmp_path / "q.txt", runs, "AP").save(tmp_path / "y.json")
    for name in "x.json", "y.json":
        assert {check.outcome for check in verify(tmp_path / name).rows} == {"equal"}
        assert read_record(tmp_path / name)[0]["kind"] in ("Scores", "Comparison")
    assert np.isfinite(Scores.load(tmp_path / "x.json").values).all()


# ---- what a verdict was measured on ----


@pytest.mark.parametrize("scores", [
    evaluate({}, {}, "AP", part=True),
    evaluate({"q": {"a": 0}}, {"q": ["a"]}, "AP", no_relevant="nan"),
], ids=["no query", "no value"])
def test_scores_without_a_value_are_loaded_but_not_verified(scores, tmp_path):
    scores.save(tmp_path / "x.json")
    assert Scores.load(tmp_path / "x.json").query_ids == scores.query_ids
    found = verify(tmp_path / "x.json")
    assert found.code == 2 and found.rows[-1].text == "no query has a value"


def test_an_input_that_is_read_in_another_way_is_not_called_different(tmp_path):
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\n", encoding="utf-8")
    (tmp_path / "new.csv").write_text("query_id,zz,score\nq1,d2,2\nq1,d1,1\n", encoding="utf-8")
    def run(): return Run(tmp_path / "new.csv", columns={"document": "zz"})
    evaluate(tmp_path / "qrels.txt", run(), "RR", record=True).save(tmp_path / "x.json")
    found = verify(tmp_path / "x.json")
    outcomes = {check.subject: check.outcome for check in found.rows}
    assert found.code == 0 and outcomes["run new.csv"] == outcomes["values of queries"] == "not checked"
    assert {check.outcome for check in verify(tmp_path / "x.json", runs={"new": run()}).rows} == {"equal"}
    unknown = verify(tmp_path / "x.json", runs={"old": run()})
    assert ("run old", "not checked", "the result has no run of this name") in unknown.rows
