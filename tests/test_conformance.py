"""The vectors of conformance/: they are what the second implementation gives, they tell apart what they should, and the
package agrees with all of them."""
import json
import math
import re
import shutil
import subprocess
from fractions import Fraction
from functools import cache
from itertools import combinations, cycle

import jsonschema
import numpy as np
import pytest
from exact import files, search
from exact.choice import names, never_differ, pairs_apart, tried
from exact.evaluation import CUTOFFS, RIGHT
from exact.evaluation import evaluate as exactly
from exact.mistakes import MISTAKES
from exact.tools import tools
from project import ROOT
from strategies import usual

import irmetrics_nb as ir
from irmetrics_nb import PRESETS, Measure
from irmetrics_nb.metrics.registry import KINDS

FOLDER = ROOT / "conformance"
MEASURES = sorted(path.stem for path in (FOLDER / "measures").glob("*.json"))
each_measure = pytest.mark.parametrize("measure", MEASURES)
pytestmark = pytest.mark.filterwarnings("ignore::irmetrics_nb.EvaluationWarning")


@cache
def content(measure):
    return json.loads((FOLDER / "measures" / f"{measure}.json").read_text(encoding="utf-8"))


def cases(measure):
    return content(measure)["cases"]


def looked_up(measure, case, name):
    "(value, {query: value}) of a name, as a reader of the file finds them."
    name = content(measure)["same_as"].get(name, name)
    by_query = case.get("per_query", {})
    return case["other_values"].get(name, case["value"]), by_query.get(name, by_query.get("default"))


def names_in(measure):
    "Everything that has values of its own."
    file = content(measure)
    every = ["default", *file["settings"], *file["tools"], *file["mistakes"]]
    return [name for name in every if name not in file["same_as"]]


# ---- the files ----


@each_measure
def test_committed_files_match_the_second_implementation(measure):
    made, found = files.document(measure)
    late = f"conformance/measures/{measure}.json is not what tests/exact makes: run `make vectors`, look at what changed, and commit it"
    assert (FOLDER / "measures" / f"{measure}.json").read_text(encoding="utf-8") == files.laid_out(made) + "\n", late
    assert files.separation(measure, found, made) in (FOLDER / "separation.md").read_text(encoding="utf-8"), late


def test_every_kind_of_measures_has_a_file_and_the_table_has_no_other():
    registered = {name for name, kind in KINDS.items() if kind.built_in} | set(OF_LABELS)
    lacking, unknown = sorted(registered - set(MEASURES)), sorted(set(MEASURES) - registered)
    assert not lacking, f"{lacking} have no file in conformance/measures: add them to MEASURES of tests/exact/measures.py, and run `make vectors`"
    assert not unknown, f"{unknown} are no measures of the package: remove their entries from MEASURES of tests/exact/measures.py, and run `make vectors`"
    text = (FOLDER / "separation.md").read_text(encoding="utf-8")
    assert text.startswith(files.HEAD)
    assert sorted(re.findall(r"^## (\w+)$", text, re.MULTILINE)) == MEASURES


@pytest.fixture(scope="module")
def schema():
    "The schema, which is one itself: `jsonschema.validate` would look at that each time."
    schema = json.loads((FOLDER / "schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@each_measure
def test_a_file_follows_the_schema(measure, schema):
    schema.validate(content(measure))


def test_the_schema_refuses_a_value_that_is_no_number_a_case_of_two_kinds_and_a_misspelt_field(schema):
    right = cases("AP")[0]
    for wrong in ({"value": "0,5"}, {"value": 0.5}, {"run": [["q", "d", 1]], "judgments": [["q", "d", 1]]}, {"cutof": 1}, {"grades": ["1"]}):
        with pytest.raises(jsonschema.ValidationError):
            schema.validate(content("AP") | {"cases": [right | wrong]})


@each_measure
def test_names_are_unique_and_references_exist(measure):
    file = content(measure)
    every = ["default", *file["settings"], *file["tools"], *file["mistakes"]]
    assert len(set(every)) == len(every)
    assert len({case["name"] for case in file["cases"]}) == len(file["cases"])
    assert set(file["same_as"].values()) <= set(names_in(measure))
    for case in file["cases"]:
        assert case["other_values"].keys() <= set(names_in(measure)) - {"default"}
        assert case["value"] not in case["other_values"].values()


# ---- what they tell apart ----

NOT_APART = """{measure}: no case {what} {a!r} and {b!r}.
- If their values can differ, run `PYTHONPATH=tests python -m exact.search {measure} --tries 3000`, and add an input that it prints to tests/exact/inputs.py.
- If they never differ, say why: `blind_to` of its entry in MEASURES of tests/exact/measures.py, or a row of IDLE in tests/exact/settings.py.
Then run `make vectors`."""


@each_measure
def test_each_pair_has_a_separating_case_or_never_differs(measure):
    groups = [set(each["names"]) for each in content(measure)["never_differ"]]
    for a, b in combinations(names_in(measure), 2):
        apart = any(looked_up(measure, case, a) != looked_up(measure, case, b) for case in cases(measure))
        same = any({a, b} <= group for group in groups)
        assert apart or same, NOT_APART.format(measure=measure, a=a, b=b, what="tells apart")
        assert not (apart and same), f"{measure}: {a} and {b} differ in a case: correct `blind_to` of its entry in MEASURES of tests/exact/measures.py, or IDLE in tests/exact/settings.py"


@each_measure
def test_settings_that_never_differ_agree_on_random_inputs(measure):
    computed = names(measure).computed
    for group, why in never_differ(measure, computed):
        assert why, f"{measure}: {group} are said never to differ without a reason: add it to IDLE in tests/exact/settings.py"
        some = {name: computed[name] for name in group}
        for each in tried(measure, search.random_cases(measure, 40), some):
            assert not each.apart, f"{measure}: {each.apart} are said never to differ ({why}), but do for {each.case.data}: correct `blind_to` in MEASURES of tests/exact/measures.py, or IDLE in tests/exact/settings.py"


def test_a_pair_that_differs_is_seen_on_small_inputs_at_random():
    computed = {name: names("AP").computed[name] for name in ("default", "ties=average", "duplicates-counted")}
    found = [pairs_apart(each.found) for each in tried("AP", search.random_cases("AP", 40), computed)]
    assert len(set().union(*found)) == 3


@each_measure
def test_names_that_differ_do_so_by_a_hundredth_in_some_case_or_by_more_than_a_number(measure):
    groups = [set(each["names"]) for each in content(measure)["never_differ"]]
    for a, b in combinations(names_in(measure), 2):
        found = [(looked_up(measure, case, a), looked_up(measure, case, b)) for case in cases(measure)]
        same = any({a, b} <= group for group in groups)
        assert same or any(plainly_apart(*pair) for pair in found), NOT_APART.format(measure=measure, a=a, b=b, what="has values that differ by 0.01 of")


def plainly_apart(one, other):
    "Whether two values are so far apart that no rounding matters, or are other queries, NaN or errors."
    if one[0] == other[0] or not {one[0], other[0]}.isdisjoint({"NaN", "error"}):
        return one != other
    return abs(number(one[0]) - number(other[0])) > 0.01


# ---- the second implementation, by hand ----

LIST = {"missed": []}
BY_HAND = [
    ("AP", {"grades": [1, 0, 0, 1, 1, 1]}, {}, Fraction(83, 120)),  # (1 + 2/4 + 3/5 + 4/6) / 4
    ("AP", {"grades": [1, 1, 0, 0, 1, 0, 0, 0, 0, 0]}, {}, Fraction(13, 15)),
    ("AP", {"grades": [1, 1, 0, 0, 1, 0, 0, 0, 0, 0], "missed": [1] * 7}, {}, Fraction(26, 100)),
    ("R", {"grades": [1, 0, 1], "missed": [1, 1]}, {}, Fraction(1, 2)),
    ("SetF", {"grades": [1, 0], "missed": [1, 1, 1]}, {"beta": 2}, Fraction(5, 18)),
    ("Bpref", {"grades": [1, 0, None, 1, None, 0]}, {}, Fraction(3, 4)),
    ("IPrec", {"grades": [1, 0, 0, 1], "recall": 0.5}, {}, Fraction(1)),
    ("CG", {"grades": [2, 2, -1]}, {"negative": "keep"}, Fraction(3)),
    ("DCG", {"grades": [3, 0, 1]}, {}, Fraction(7, 2)),
    ("DCG", {"grades": [2, 2, -1]}, {"negative": "keep"}, 2 + 2 / math.log2(3) - 0.5),
    ("DCG", {"grades": [2, 2, -1]}, {"negative": "keep", "discount": "jarvelin"}, 4 - 1 / math.log2(3)),
    ("DCG", {"grades": [5, 2, 4]}, {"gain": "exp"}, 31 + 3 / math.log2(3) + 15 / 2),
    ("nDCG", {"grades": [0, 1]}, {}, 1 / math.log2(3)),
    ("RR", {"grades": [0, 1, 0, 1]}, {}, Fraction(1, 2)),
    ("ERR", {"grades": [2, 1, 0]}, {}, Fraction(25, 32)),  # 3/4 + 1/4 * 1/4 / 2
    ("RBP", {"grades": [1, 0, 1]}, {"p": 0.5}, Fraction(5, 8)),
    ("AUC", {"labels": [1, 0, 1, 0], "scores": [0.9, 0.8, 0.7, 0.1]}, {}, Fraction(3, 4)),
]


@pytest.mark.parametrize(("measure", "case", "answers", "value"), BY_HAND)
def test_the_second_implementation_gives_what_a_hand_does(measure, case, answers, value):
    assert number(exactly(measure, LIST | case, answers)[0]) == pytest.approx(float(value), rel=1e-15)


def ranked(documents, relevant):
    "A run of one query in this order, and its judgments."
    run = [["q", document, -i] for i, document in enumerate(documents)]
    return {"judgments": [["q", document, grade] for document, grade in relevant.items()], "run": run}


# What the threads print in which people found these mistakes.
REPORTED = [
    ("duplicates-counted", "AP", ranked(["a", "a"], {"a": 1}), "2"),
    ("duplicates-counted", "R", ranked(["a", "a"], {"a": 1}), "2"),
    ("duplicates-counted", "nDCG", ranked(["a", "a"], {"a": 1}), 1.63),
    ("ap-guard-on-labels", "AP", {"grades": [1, 1, 1], "missed": [], "k": 3}, "1/3"),
    ("rr-over-positives", "RR", {"grades": [1, 1, 0], "missed": []}, "3/4"),
    ("ideal-as-given", "nDCG", ranked(["a", "c"], {"c": 1, "a": 3}), 1.409, {"gain": "exp"}),
    ("ideal-as-long-as-list", "nDCG", {"grades": [1], "missed": [1] * 4, "k": 5}, "1"),
    ("ideal-always-full", "nDCG", {"grades": [1, 0, 0], "missed": [], "k": 3}, 0.469),
    ("ideal-always-full", "nDCG", {"grades": [1] + [0] * 9, "missed": []}, 0.220),
    ("ideal-of-hits", "nDCG", {"grades": [0, 1, 0], "missed": [3], "k": 3}, 0.631),
    ("ideal-graded-list-binary", "nDCG", {"grades": [3], "missed": []}, "1/3"),
    ("ap-over-list", "AP", {"grades": [1, 1, 0, 0, 1, 0, 0, 0, 0, 0], "missed": []}, "13/50"),
    ("r-is-success", "R", {"grades": [0, 1], "missed": [1]}, "1"),
    ("f-beta-not-squared", "SetF", {"grades": [1] + [0] * 4, "missed": [1, 1, 1]}, "3/13"),
    ("rr-of-mean-rank", "RR", {"judgments": [["q1", "a", 1], ["q2", "a", 1]], "run": [["q1", "a", 1], ["q2", "b", 2], ["q2", "c", 1], ["q2", "a", 0]]}, "1/2"),
]  # fmt: skip


@pytest.mark.parametrize("row", REPORTED, ids=lambda row: f"{row[0]} {row[1]}")
def test_a_mistake_gives_the_number_that_was_reported(row):
    name, measure, case, value, *more = row
    mistake = MISTAKES[name]
    found, _ = exactly(measure, case, {**(mistake.same_as or mistake.beside), **(more[0] if more else {})}, mistake)
    assert found == value if isinstance(value, str) else number(found) == pytest.approx(value, abs=5e-3)


def test_a_mistake_that_equals_a_convention_has_no_code_of_its_own_and_all_others_have():
    for name, mistake in MISTAKES.items():
        ways = "answers", "definition", "rows", "queries", "total"
        different = any(getattr(mistake, way) is not getattr(RIGHT, way) for way in ways)
        assert different == (mistake.same_as is None), name


# ---- the package ----

QUESTIONS = "ties missing no_relevant negative score_dtype unjudged judgments duplicates identical_ids".split()
OF_LABELS = {"AUC": ir.auc, "GAUC": ir.gauc, "Fallout": ir.fallout}



def number(value):
    "The nearest 64-bit float."
    return float(Fraction(value)) if "/" in value else float(value)


def agrees(ours, value):
    return math.isnan(ours) if value == "NaN" else ours == pytest.approx(number(value), rel=1e-15, abs=0)


def rows(case):
    "Judgments and a run of a case; a list as that of one query."
    if "run" in case:
        return [[tuple(row) for row in case[name]] for name in ("judgments", "run")]
    grades, missed = case["grades"], case["missed"]
    judgments = [("q", f"d{i}", grade) for i, grade in enumerate(grades) if grade is not None]
    judgments += [("q", f"m{i}", grade) for i, grade in enumerate(missed)]
    return judgments, [("q", f"d{i}", len(grades) - i) for i in range(len(grades))]


def measure_of(measure, case, answers):
    "Our measure with the answers that are its parameters, and its cutoff."
    parameters = {name: answer for name, answer in answers.items() if name not in QUESTIONS}
    cutoff = next((case[name] for name in CUTOFFS if name in case), None)
    found = usual(measure)(**parameters)
    return Measure(found.kind, found.params, cutoff)


@cache
def read_once(measure, name):
    "Judgments and the run of a case as objects; as rows, where a document is in them twice."
    (case,) = (case for case in cases(measure) if case["name"] == name)
    judgments, run = rows(case)
    try:
        return ir.Qrels(judgments), ir.Run(run)
    except ir.DataError:
        return judgments, run


def evaluated(measure, case, answers, tool=None):
    "(value, {query: value}) by `evaluate`; ('error', None) if it refuses the input."
    conventions = {name: answer for name, answer in answers.items() if name in QUESTIONS}
    as_default = not answers and tool is None
    data = rows(case) if as_default or "name" not in case else read_once(measure, case["name"])
    try:
        scores = ir.evaluate(*data, measure_of(measure, case, answers), conventions=tool, **conventions)
    except ValueError:
        return "error", None
    (value,) = scores.means.values()
    return value, dict(zip(scores.query_ids, scores.values.ravel().tolist()))


DIFFERS = """{measure}, case {case!r} under {name!r}: the package gives {ours}, and conformance/measures/{measure}.json has {value}.
One of the two definitions is wrong: that of the package, or the one in tests/exact/measures.py (after a change there, or of a preset: `make vectors`)."""


def check(measure, case, name, answers, tool=None):
    "Check that the package gives the value of a name in the file."
    value, by_query = looked_up(measure, case, name)
    ours, each = evaluated(measure, case, answers, tool)
    where = DIFFERS.format(measure=measure, case=case["name"], name=name, ours=ours, value=value)
    if "error" in (value, ours):
        assert value == ours, where
        return
    assert agrees(ours, value), where
    if by_query is not None:
        assert each.keys() == by_query.keys(), where
        assert all(agrees(each[q], by_query[q]) for q in each), f"{where}\nof queries: {each} and {by_query}"


EVALUATED = [measure for measure in MEASURES if measure not in OF_LABELS]


@pytest.mark.parametrize("measure", EVALUATED)
def test_evaluate_gives_every_value_under_every_setting(measure):
    file = content(measure)
    for case in file["cases"]:
        for name, answers in {"default": {}, **file["settings"]}.items():
            check(measure, case, name, answers)


@pytest.mark.parametrize("measure", EVALUATED)
def test_evaluate_gives_every_value_under_the_conventions_of_every_tool(measure):
    file = content(measure)
    for case in file["cases"]:
        for tool in file["tools"]:
            check(measure, case, tool, {}, tool)


def with_queries_as_documents(data):
    "A collection in which queries are called like documents."
    return {name: [[query.replace("q", "d"), *row] for query, *row in data[name]] for name in ("judgments", "run")}


@pytest.mark.parametrize("measure", EVALUATED)
def test_documents_with_the_id_of_their_query_are_taken_out_as_the_definition_has_it(measure):
    every = [case for case in search.random_cases(measure, 60) if "run" in case.data]
    collections = [case.data | with_queries_as_documents(case.data) for case in every]
    concerned = [data for data in collections if any(query == document for query, document, _ in data["run"])]
    changed = 0
    others = cycle([{}, {"judgments": "retrieved"}, {"missing": "skip"}, {"ties": "average"}])
    for data, more in zip(concerned, others):
        results = {answer: exactly(measure, data, {"identical_ids": answer, **more}) for answer in ("keep", "skip")}
        changed += results["keep"] != results["skip"]
        for answer, found in results.items():
            ours, each = evaluated(measure, data, {"identical_ids": answer, **more})
            if "error" in (found[0], ours):
                continue  # a document twice
            assert agrees(ours, found[0]) and all(agrees(each[q], found[1][q]) for q in each), (data, more, answer)
            assert each.keys() == found[1].keys()
    assert len(concerned) > 20 and changed > 2


@pytest.mark.parametrize("measure", EVALUATED)
def test_a_mistake_that_equals_a_convention_is_computed_by_it(measure):
    file = content(measure)
    settings = {"default": {}, **file["settings"]}  # of which the values were compared above
    for name, mistake in file["mistakes"].items():
        known = settings.get(file["same_as"].get(name)) == mistake.get("equals")
        for case in file["cases"] if "equals" in mistake and not known else []:
            check(measure, case, name, mistake["equals"])


@pytest.mark.parametrize("measure", EVALUATED)
def test_our_functions_of_a_list_give_every_value(measure):
    file = content(measure)
    questions = {name: answers for name, answers in file["settings"].items() if answers.keys().isdisjoint(QUESTIONS)}
    lists = [case for case in file["cases"] if "grades" in case]
    for case in lists:
        grades = [None if g is None or g < 0 else g for g in case["grades"]]  # as they stand, grades below 0 would count
        pool = [g for g in (*case["grades"], *case["missed"]) if g is not None and g >= 0]
        judged = ir.Judged.from_grades([grades], ideal=[pool])
        for name, answers in {"default": {}, **questions}.items():
            value, _ = looked_up(measure, case, name)
            if value != "error":
                (ours,) = measure_of(measure, case, answers).of(judged)
                ours = max(ours, 1e-5) if measure in ("GMAP", "GMBpref") else ours  # which the mean sees
                assert agrees(ours, value), DIFFERS.format(measure=measure, case=case["name"], name=name, ours=ours, value=value)
    assert len(lists) > 1


@pytest.mark.parametrize("measure", OF_LABELS)
def test_functions_of_labels_and_lists_give_every_value(measure):
    file = content(measure)
    for case in file["cases"]:
        data = [case[name] for name in ("labels", "scores", "groups") if name in case]
        cutoff = {"k": case["k"]} if "k" in case else {}
        if "grades" in case:
            pool = [grade for grade in (*case["grades"], *case["missed"]) if grade is not None]
            data = [ir.Judged.from_grades([case["grades"]], ideal=[pool])]
        for name, answers in {"default": {}, **file["settings"]}.items():
            (value,) = np.atleast_1d(OF_LABELS[measure](*data, **cutoff, **answers))
            known, _ = looked_up(measure, case, name)
            assert agrees(value, known), DIFFERS.format(measure=measure, case=case["name"], name=name, ours=value, value=known)


def test_every_tool_is_in_the_files_of_its_measures():
    for measure in EVALUATED:
        wanted = {name for name, preset in PRESETS.items() if measure in preset.kinds.split()}
        assert content(measure)["tools"].keys() == wanted, f"{sorted(content(measure)['tools'].keys() ^ wanted)}: run `make vectors` after a change of PRESETS"
        assert content(measure)["tools"] == tools(measure), "run `make vectors`"
    noted = content("nDCG")["tools"]["lightgbm"]  # by hand: LightGBM's documentation and source
    assert noted.items() >= {"ties": "given", "no_relevant": "one", "gain": "exp"}.items()


# ---- the interactive pages ----

PLAY = ROOT / "nbs/play/play.js"
ASK = """
    import {value} from %s;
    import {readFileSync} from "node:fs";
    const one = (job) => { try { return String(value(...job)); } catch (e) { return `error: ${e.message}`; } };
    console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf-8")).map(one)));"""
LACKS = re.compile("error: .*(there is no parameter|is not a measure|takes no cutoff)|error: .* is one of")


# It refuses gains above 1 below the cutoff as well, which do not count.
REFUSED_BY_PLAY = {("RBP", "fractions@1", "gain=linear"), ("RBP", "fractions@1", "gain=exp")}


def jobs_for_lists():
    "(measure, grades, options) for each list and each answer that is a parameter, with the value."
    for measure in EVALUATED:
        file = content(measure)
        for case in file["cases"]:
            grades = [None if g is None or g < 0 else g for g in case.get("grades", [])]
            pool = [g for g in (*case.get("grades", []), *case.get("missed", [])) if g is not None and g >= 0]
            options = {"ideal": pool} | {name: case[name] for name in CUTOFFS if name in case}
            for name, answers in {"default": {}, **file["settings"]}.items():
                if "grades" in case and answers.keys().isdisjoint(QUESTIONS):
                    yield [measure, grades, options | answers], looked_up(measure, case, name)[0], (case["name"], name)


def run_by_node(code, **more):
    node = shutil.which("node")
    if node is None:  # Playwright brings its own
        playwright = pytest.importorskip("playwright", reason="there is no Node here")
        node = f"{playwright.__path__[0]}/driver/node"
    return subprocess.run([node, *code], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", **more)


if PLAY.exists():

    def test_module_of_interactive_pages_gives_its_known_values():
        jobs, values, names = zip(*jobs_for_lists())
        code = ["--input-type=module", "--eval", ASK % json.dumps(PLAY.as_uri())]
        done = run_by_node(code, input=json.dumps(jobs))
        assert done.returncode == 0, done.stderr
        compared = set()
        for job, given, value, name in zip(jobs, json.loads(done.stdout), values, names):
            if KINDS[job[0]].needs_cutoff and "k" not in job[2]:
                assert value == "error"  # a page takes the length of its list as the cutoff
                continue
            refused = given.startswith("error") and (job[0], *name) in REFUSED_BY_PLAY
            if not LACKS.match(given) and not refused:
                compared.add(job[0])
                errors = given.startswith("error"), value == "error"
                same = all(errors) if any(errors) else float(given) == pytest.approx(number(value), rel=1e-12, abs=1e-15)
                assert same, (job[0], name, given, value)
        assert compared >= {"P", "R", "F", "Success", "Rprec", "AP", "CG", "DCG", "nDCG", "RR", "ERR", "RBP", "alpha_nDCG", "alpha_DCG", "ERR_IA", "StRecall"}


# ---- the page for readers of other languages ----

README = (FOLDER / "README.md").read_text(encoding="utf-8")


def block(language):
    return re.search(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)[1]


def test_the_runner_on_the_page_works_and_prints_what_the_page_shows(tmp_path):
    (tmp_path / "check.mjs").write_text(block("js"), encoding="utf-8")
    done = run_by_node([tmp_path / "check.mjs"])
    assert done.returncode == 0, done.stderr
    assert done.stdout == block("text")


def test_page_mentions_every_question_answer_and_field():
    told = set(re.findall(r"`([^`\n]+)`", README))
    explain = "conformance/README.md does not explain {0!r} (of {1}): a parameter or its answer needs a row in MEANINGS of tests/exact/measures.py and then `make vectors`; a convention needs its row on the page"
    for measure in MEASURES:
        for question, answer in content(measure)["defaults"].items():
            assert question in told, explain.format(question, measure)
            assert answer is None or isinstance(answer, bool | int | float) or answer in told, explain.format(answer, measure)
        for answers in content(measure)["settings"].values():
            for answer in answers.values():
                assert not isinstance(answer, str) or answer in told, explain.format(answer, measure)
        for case in cases(measure):
            assert case.keys() <= told


def test_parameter_table_of_the_page_comes_from_meanings():
    assert files.with_parameters(README) == README, "the table of parameters differs from MEANINGS of tests/exact/measures.py: run `make vectors`"
    assert files.parameters() in README
    named = {name for names, _, _ in files.MEANINGS for name in names.split(", ") if name}
    known = {name for entry in files.MEASURES.values() for name in entry.parameters}
    assert named == known, f"MEANINGS of tests/exact/measures.py: add rows for {known - named}, remove those of {named - known}"


def test_case_on_the_page_equals_the_case_in_its_file():
    shown = json.loads(block("json"))
    (case,) = (case for case in cases("nDCG") if case["name"] == shown["name"])
    assert shown["other_values"].items() <= case["other_values"].items()
    assert shown | {"other_values": 0} == case | {"other_values": 0}


def test_the_version_is_the_same_everywhere():
    assert {content(measure)["version"] for measure in MEASURES} == {files.VERSION}
    assert f"Version {files.VERSION}" in README
    assert "CC0 1.0" in (FOLDER / "LICENSE").read_text(encoding="utf-8")
