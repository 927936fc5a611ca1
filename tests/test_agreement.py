"""Who agrees with what: conformance/agreement.md, printed from what `make parity` kept of each tool."""
import importlib.metadata
import json
import re
import sys

import pytest
from project import ROOT

sys.path.append(str(ROOT / "parity"))
import ask_vectors
import vectors

try:  # from the top, where they are offered
    from irmetrics_nb import PRESETS
except ImportError:
    from irmetrics_nb.evaluation.presets import PRESETS

KEPT = json.loads(vectors.KEPT.read_text(encoding="utf-8"))
PAGE = vectors.PAGE.read_text(encoding="utf-8")
pytestmark = pytest.mark.filterwarnings("ignore")
each_kept = pytest.mark.parametrize("name", KEPT)
LATE = "run `make parity`"


def cases(measure):
    return [case for case in vectors.files()[measure]["cases"] if "labels" not in case]


def test_agreement_page_is_up_to_date():
    assert vectors.page(KEPT) == PAGE, "run `make vectors`"


@each_kept
def test_stored_answers_cover_every_case_of_a_measure(name):
    for measure, outcomes in vectors.of_ours(KEPT[name]["measures"]).items():
        assert outcomes.keys() <= {case["name"] for case in cases(measure)}, LATE
        about = {case["name"] for case in cases(measure) if case["name"].rpartition("@")[0] == ""}
        at_cutoff = {case["name"] for case in cases(measure)} - about
        assert outcomes.keys() >= about or outcomes.keys() >= at_cutoff, LATE  # it may lack one of the two


def test_every_preset_with_proof_run_has_stored_answers():
    run = {name for name, preset in PRESETS.items() if preset.proof == "run"}
    assert run <= {vectors.TOOLS[name].preset for name in KEPT if name in vectors.TOOLS}, LATE


@each_kept
def test_the_page_has_the_version_and_the_date_of_each(name):
    tool, kept = vectors.TOOLS.get(name), KEPT[name]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", kept["date"])
    assert tool is None or f"| {vectors.title(tool)} | {kept['version']} | {kept['date']} |" in PAGE


IN_PROCESS = [("pytrec_eval", "RR"), ("pytrec_eval", "AP"), ("ir_measures", "P"), ("sklearn", "nDCG"), ("sklearn", "AP"), ("lightgbm", "nDCG"), ("xgboost", "nDCG")]


@pytest.mark.parametrize("name, measure", IN_PROCESS)
def test_installed_tools_reproduce_their_stored_answers(name, measure):
    try:
        importlib.metadata.version(vectors.TOOLS[name].package)
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{vectors.TOOLS[name].package} is not installed")
    for case in cases(measure):
        kept = KEPT[name]["measures"][measure].get(case["name"], "lacks")
        given = vectors.outcome(ask_vectors.ASK[name], measure, case)
        assert given == (kept if isinstance(kept, str) else pytest.approx(kept, abs=1e-9)), case["name"]


@pytest.mark.parametrize("given, value, same", [
    (0.5, "1/2", True), (0.5000009, "1/2", True), (0.500002, "1/2", False), (0.63093, "0.63092975357145743710", True), ("NaN", "NaN", True),
    ("NaN", "0", False), (0.0, "NaN", False), ("refused: ValueError", "error", True), ("refused: ValueError", "0", False), (1.0, "error", False),
    ("not given: a document stands twice", "error", False)])  # fmt: skip
def test_a_number_equals_a_value_within_a_millionth_and_a_refusal_equals_an_error(given, value, same):
    assert vectors.equal(given, value, vectors.FLOATS) is same


def test_unexpected_answers_are_shown_with_their_mistake():
    tool = vectors.Tool("haystack")
    case = next(case for case in cases("AP") if case["name"] == "twice-in-the-run")
    counted = case["other_values"]["duplicates-counted"]
    wrong = vectors.number(counted)
    line = vectors.line(tool, "AP", {case["name"]: wrong})
    assert f"{case['name']}: {wrong:.6g}, as `duplicates-counted`, noted an error" in line
    assert line.startswith("| AP | 1 | 0 | 0 |")
    assert vectors.line(tool, "AP", {case["name"]: "refused: ValueError"}).startswith("| AP | 1 | 1 | 1 |")


def test_no_answer_is_counted_where_a_tool_was_not_given_a_case_or_has_no_such_measure():
    outcomes = {case["name"]: "not given: a query without results" for case in cases("AP")}
    assert vectors.answers(vectors.Tool("haystack"), "AP", outcomes) == []
