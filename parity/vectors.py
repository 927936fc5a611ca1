"""Who agrees with what: the vectors of conformance/ through every tool that is here. `make parity` runs it.

    python parity/vectors.py [--only ranx,spark] [--page]

What each tool gave is kept in parity/agreement.json, and printed as conformance/agreement.md beside what the vectors
say of the conventions noted for it; --page only prints it anew. A tool that is not here is left out, and keeps what was
found before. Not installed by `make parity`: the versions of trec_eval are programs named trec_eval-9.0.8 and so on, in
a folder for the variable TREC_EVALS, which should print all digits (%.17g in meas_print_final.c); Spark needs Java and
the package pyspark; torchmetrics computes with torch."""

import argparse
import contextlib
import datetime
import importlib.metadata
import io
import json
import math
import multiprocessing
import shutil
import sys
import warnings
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import NamedTuple

try:  # from the top, where they are offered
    from irmetrics_nb import PRESETS
except ImportError:
    from irmetrics_nb.evaluation.presets import PRESETS

ROOT = Path(__file__).parents[1]
VECTORS, KEPT, PAGE = ROOT / "conformance/measures", ROOT / "parity/agreement.json", ROOT / "conformance/agreement.md"
FIVE_DIGITS, FLOATS = 5.1e-6, 1e-6  # some tools compute in 32-bit floats


class Tool(NamedTuple):
    "What is asked."

    preset: str  # whose conventions are noted for it; '' if nobody's are
    package: str = ""  # what is installed
    version: str = ""  # of trec_eval as a program
    options: tuple = ()
    near: float = FLOATS
    called: str = ""

    def lacks(self):
        "What of it is not here, if anything."
        if self.version:
            from ask_vectors import program

            path = program(self.version)
            return "" if path.exists() else f"there is no program {path.name} in the folder TREC_EVALS"
        if self.package == "pyspark" and not shutil.which("java"):
            return "no Java"
        try:
            importlib.metadata.version(self.package)
        except importlib.metadata.PackageNotFoundError:
            return f"{self.package} is not installed"
        return ""

    def asked(self, name):
        "What asks it."
        from ask_vectors import ASK, trec_eval

        return trec_eval(self.version, *self.options) if self.version else ASK[name]


def programs():
    "The versions of trec_eval for which conventions are noted, as programs."
    found = {}
    for name, preset in PRESETS.items():
        if name.startswith("trec_eval"):
            version, options = preset.version.split(",")[0], ("-c",) * ("with -c" in preset.version)
            called = " ".join(["trec_eval", *options])
            found[name] = Tool(name, version=version, options=options, called=called)
    return found


def preset_made_from(package):
    "The name of the first preset whose source is this package."
    return next((name for name, preset in PRESETS.items() if preset.source.startswith(package)), "")


TREC_EVALS = programs() | {"pytrec_eval": Tool(preset_made_from("pytrec-eval-terrier"), "pytrec-eval-terrier")}
OTHERS = {
    "ir_measures": Tool("ir_measures", "ir-measures"),
    "gdeval": Tool("gdeval", "ir-measures", near=FIVE_DIGITS, called="gdeval.pl in ir_measures"),
    "msmarco": Tool("msmarco", "ir-measures", called="MS MARCO script in ir_measures"),
    "ranx": Tool("ranx", "ranx"),
    "trectools": Tool("", "trectools"),
    "sklearn": Tool("sklearn", "scikit-learn", called="scikit-learn"),
    "torchmetrics": Tool("torchmetrics", "torchmetrics"),
    "xgboost": Tool("xgboost", "xgboost-cpu", called="XGBoost"),
    "lightgbm": Tool("lightgbm", "lightgbm", called="LightGBM"),
    "catboost": Tool("catboost", "catboost", called="CatBoost"),
    "recbole": Tool("recbole", "recbole", called="RecBole"),
    "recommenders": Tool("recommenders", "recommenders", called="Recommenders"),
    "rectools": Tool("rectools", "RecTools", called="RecTools"),
    "lenskit": Tool("lenskit", "lenskit", called="LensKit"),
    "spark": Tool("spark", "pyspark", called="Spark"),
    "beir": Tool("beir", "beir", near=FIVE_DIGITS, called="BEIR"),
    "mteb": Tool("mteb", "mteb", called="MTEB"),
    "llama_index": Tool("llama_index", "llama-index-core", called="LlamaIndex"),
    "haystack": Tool("haystack", "haystack-ai", called="Haystack"),
    "ragas": Tool("ragas", "ragas", called="Ragas"),
    "mlflow": Tool("mlflow", "mlflow", called="MLflow"),
    "sentence_transformers": Tool("sentence_transformers", "sentence-transformers"),
}
TOOLS = TREC_EVALS | OTHERS


@cache
def files():
    "{measure: content} of the vectors."
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(VECTORS.glob("*.json"))}


# ---- asking ----


def result_of(name):
    "What is kept of a tool."
    tool, measures = TOOLS[name], {}
    for measure, file in files().items():
        cases = [case for case in file["cases"] if "labels" not in case]
        outcomes = {case["name"]: outcome(tool.asked(name), measure, case) for case in cases}
        if not all(value == "lacks" for value in outcomes.values()):
            measures[measure] = {case: value for case, value in outcomes.items() if value != "lacks"}
    version = tool.version or importlib.metadata.version(tool.package)
    print(f"{name} {version}: {sum(map(len, measures.values()))} cases of {len(measures)} measures", flush=True)
    return {"version": version, "date": datetime.date.today().isoformat(), "measures": measures}


def outcome(ask, measure, case):
    "The number that a tool gives, or in words why there is none."
    from ask_vectors import CannotTake, Given, Lacks

    warnings.simplefilter("ignore")  # of a tool: it is no error
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            value = float(ask(measure, Given(case)))
    except Lacks:
        return "lacks"
    except CannotTake as why:
        return f"not given: {why}"
    except Exception as error:  # whatever it raises is its answer
        return f"refused: {type(error).__name__}"
    return "NaN" if math.isnan(value) else value


# ---- what was found, beside the vectors ----


def number(text):
    return float(Fraction(text)) if "/" in text else float(text)


def equal(given, value, near):
    "Whether what a tool gave is a value of the vectors; to refuse is one, where the vectors do."
    if isinstance(given, str) or value in ("NaN", "error"):
        return str(given).partition(":")[0] == {"error": "refused"}.get(value, value)
    return abs(given - number(value)) <= near


def value_of(file, case, name):
    name = file["same_as"].get(name, name)
    return case["other_values"].get(name, case["value"])


class Answer(NamedTuple):
    "What a tool answered to a case."

    case: str
    given: float | str
    noted: str  # the value under its conventions; '' where none are noted for the measure
    right: bool  # whether that is what it gave
    usual: bool  # whether it gave the value of the defaults


def answers(tool, measure, outcomes):
    "Its answers to the cases of a measure: each number, and each refusal of what its conventions refuse."
    file = files()[measure]
    found = []
    for case in file["cases"]:
        given = outcomes.get(case["name"], "not asked")
        noted = value_of(file, case, tool.preset) if tool.preset in file["tools"] else ""
        right = noted != "" and equal(given, noted, tool.near)
        if right or given == "NaN" or not isinstance(given, str):
            usual = equal(given, case["value"], tool.near)
            found.append(Answer(case["name"], given, noted, right, usual))
    return found


def names(file, kinds):
    every = [name for kind in kinds for name in file[kind]]
    return ["default", *(name for name in every if name not in file["same_as"])]


def fitting(tool, measure, found):
    "Whose values a tool has in all cases: the default, others' conventions; else settings and mistakes."
    file = files()[measure]
    cases = {case["name"]: case for case in file["cases"]}

    def fits(name):
        return all(equal(each.given, value_of(file, cases[each.case], name), tool.near) for each in found)

    others = [name for name in ("default", *file["tools"]) if name != tool.preset and fits(name)]
    return others or [name for name in names(file, ("settings", "mistakes")) if fits(name)]


def likeness(tool, measure, answer):
    "The setting or mistake, or two, that give the number of a case where its conventions give another one."
    file = files()[measure]
    case = next(case for case in file["cases"] if case["name"] == answer.case)
    few = [n for n in names(file, ("settings", "mistakes")) if equal(answer.given, value_of(file, case, n), tool.near)]
    return few if len(few) < 3 else []


# ---- the page ----

INTRODUCTION = """# Who agrees with what

Existing tools, asked for the cases of [`measures/`](measures), version {version} of the vectors. Made by `make parity`.

**This is no ranking.** A number that differs from the default is a convention, not a fault: the default is only where
this collection starts from. What counts is the column "as noted": does a tool give what the conventions noted for it
(`tools` in the files) say? Where it does not, our notes are incomplete, and every such case stands below.

A tool is asked in its words, with its mean where it has one, else with the mean of the queries that it answers. What
cannot be said to it is not given to it: a document twice in a dict, a missed document to a function of labels. What it
refuses counts if its conventions refuse it too, and else stands apart: to refuse is often right. Numbers are equal
within 0.000001, as some tools compute in 32-bit floats; within 0.0000051 where a tool rounds to five digits. Where a
tool has given few answers, many others fit them; where nothing is said, nobody's conventions, no setting and no mistake
fits all.

| tool | version | asked | measures | answers | as noted | as the default | not given | refused besides |
|---|---|---|--:|--:|--:|--:|--:|--:|
"""

SECTION = """
| measure | answers | as noted | as the default | all its answers are also those of | answers that are not as noted |
|---|--:|--:|--:|---|---|
"""


def page(found):
    "conformance/agreement.md"
    version = next(iter(files().values()))["version"]
    found = {TOOLS[name]: result for name, result in found.items() if name in TOOLS}
    found = {tool: result | {"measures": of_ours(result["measures"])} for tool, result in found.items()}
    rows = "".join(row(*each) for each in found.items())
    return INTRODUCTION.format(version=version) + rows + "".join(section(*each) for each in found.items())


def of_ours(measures):
    "The results of measures that have a file."
    return {measure: outcomes for measure, outcomes in measures.items() if measure in files()}


def title(tool):
    return tool.called or tool.package


def row(tool, result):
    "One line of the summary."
    found = {measure: answers(tool, measure, outcomes) for measure, outcomes in result["measures"].items()}
    every = [each for some in found.values() for each in some]
    noted = [each for each in every if each.noted]
    said = f"{sum(each.right for each in noted)} of {len(noted)}" if noted else "nothing noted"
    texts = [str(given) for outcomes in result["measures"].values() for given in outcomes.values()]
    not_given, refused = (sum(text.startswith(what) for text in texts) for what in ("not given", "refused"))
    refused -= sum(str(each.given).startswith("refused") for each in every)
    usual = sum(each.usual for each in every)
    cells = [title(tool), result["version"], result["date"], len(found), len(every), said, usual, not_given, refused]
    return "| " + " | ".join(map(str, cells)) + " |\n"


def section(tool, result):
    "What a tool gave, measure by measure."
    beyond = PRESETS[tool.preset].beyond if tool.preset else ""
    known = f"\nKnown besides: {beyond}.\n" if beyond else ""
    lines = [line(tool, measure, outcomes) for measure, outcomes in result["measures"].items()]
    return f"\n## {title(tool)} {result['version']}\n{known}{SECTION}{''.join(lines)}"


def line(tool, measure, outcomes):
    "One measure of a tool."
    found = answers(tool, measure, outcomes)
    noted = sum(each.right for each in found) if any(each.noted for each in found) else ""
    alike = ", ".join(f"`{name}`" for name in fitting(tool, measure, found)) if found else ""
    apart = "; ".join(said(tool, measure, each) for each in found if each.noted and not each.right)
    usual = sum(each.usual for each in found)
    return f"| {measure} | {len(found)} | {noted} | {usual} | {alike} | {apart} |\n"


def said(tool, measure, answer):
    "A case in which a tool gave something else."
    like = " or ".join(f"`{name}`" for name in likeness(tool, measure, answer))
    given = answer.given if isinstance(answer.given, str) else f"{answer.given:.6g}"
    noted = "an error" if answer.noted == "error" else answer.noted
    return f"{answer.case}: {given}{f', as {like}' if like else ''}, noted {noted}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default=",".join(TOOLS))
    parser.add_argument("--page", action="store_true")
    args = parser.parse_args()
    asked = [] if args.page else args.only.split(",")
    left_out = {name: why for name in asked if (why := TOOLS[name].lacks())}
    for name, why in left_out.items():
        print(f"{name}: left out, {why}", flush=True)
    here = [name for name in asked if name not in left_out]
    # Each in a process of its own: what trec_eval's C code keeps from one caller changes the nDCG of the next.
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        running = {name: pool.apply_async(result_of, (name,)) for name in here}
        found = {name: each.get() for name, each in running.items()}
    before = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    every = before | found
    every = {name: every[name] for name in TOOLS if name in every}
    KEPT.write_text(json.dumps(every, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(every), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
