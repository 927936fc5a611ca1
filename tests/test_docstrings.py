"What `help()` says: every parameter by name, and examples that run."
import ast
import doctest
import importlib
import inspect
import re

import numpy as np
import pytest
from project import NBS, PACKAGE, file_of, module_of, notebooks

import irmetrics_nb
from irmetrics_nb import Measure
from irmetrics_nb.metrics.registry import KINDS

MODULES = sorted(m for name in notebooks() if (m := module_of(NBS / name)))
PUBLIC = [name for name in irmetrics_nb.__all__ if not isinstance(getattr(irmetrics_nb, name), Measure | dict)]


def imported(module):
    return importlib.import_module(PACKAGE.name if module == "__init__" else f"{PACKAGE.name}.{module}")


def parameters(f):
    "The names of what a function or class is called with; exceptions take what they say."
    if inspect.isclass(f) and issubclass(f, Exception):
        return []
    return [p.name for p in inspect.signature(f).parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def mentions(text, word):
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text)


@pytest.mark.parametrize("name", PUBLIC)
def test_the_docstring_of_a_public_name_names_each_of_its_parameters(name):
    thing = getattr(irmetrics_nb, name)
    text = inspect.getdoc(thing)
    assert text
    if inspect.isfunction(thing):
        assert [p for p in parameters(thing) if not mentions(text, p)] == []
    else:  # those of a class stand as its fields
        source = text + inspect.getsource(thing)
        assert [p for p in parameters(thing) if not mentions(source, p)] == []


@pytest.mark.parametrize("name", [name for name in PUBLIC if inspect.isclass(getattr(irmetrics_nb, name))])
def test_every_public_method_has_a_docstring(name):
    own = vars(getattr(irmetrics_nb, name))
    late = [n for n, member in own.items() if n[0] != "_" and (callable(member) or isinstance(member, (property, classmethod)))
            and not inspect.getdoc(member)]
    assert late == []


@pytest.mark.parametrize("name", [name for name in PUBLIC if inspect.isfunction(getattr(irmetrics_nb, name))])
def test_a_public_function_shows_an_example(name):
    assert ">>> " in inspect.getdoc(getattr(irmetrics_nb, name))


def docstrings(node, public=True):
    "(docstring, whether it is public) of each function and class of a module, and of their methods."
    for inner in node.body:
        if isinstance(inner, ast.FunctionDef | ast.ClassDef):
            shown = public and re.match("_(?!_)", inner.name) is None
            yield " ".join((ast.get_docstring(inner) or "").split()), shown
            if isinstance(inner, ast.ClassDef):
                yield from docstrings(inner, shown)


@pytest.mark.parametrize("module", MODULES)
def test_docstrings_state_errors_in_one_form(module):
    wrong = []
    for text, public in docstrings(ast.parse(inspect.getsource(imported(module)))):
        other = "Raise" if public else "Raises"
        wrong += re.findall(rf"\. ((?:{other} )?\w+Error (?:for|if|as|without|with|when)\b.*?)\.", text)
    assert wrong == [], "write 'Raises X if …' in public docstrings, and 'Raise X if …' in private ones"


def examples(module):
    "The examples of a module, those of functions behind a decorator too."
    found = {}
    for name, thing in vars(module).items():
        own = getattr(thing, "__module__", None) == module.__name__
        if own and (inspect.isfunction(thing) or inspect.isclass(thing)):
            inner = vars(thing).items() if inspect.isclass(thing) else ()
            things = {name: thing} | {f"{name}.{n}": m for n, m in inner if isinstance(m, (property, classmethod)) or inspect.isfunction(m)}
            found |= {n: text for n, m in things.items() if (text := inspect.getdoc(m)) and ">>>" in text}
    return found


@pytest.mark.parametrize("module", MODULES)
def test_every_example_gives_what_it_shows(module):
    room = imported(module)
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
    said, kinds = [], dict(KINDS)
    with np.printoptions():
        for name, text in examples(room).items():
            runner.run(parser.get_doctest(text, dict(vars(room)), f"{module}.{name}", str(file_of(module)), 0), out=said.append)
    for declared in KINDS.keys() - kinds.keys():  # by an example
        del KINDS[declared]
    assert said == [], "".join(said)


def test_the_examples_are_found_at_all():
    assert {"average_precision", "bpref"} <= examples(imported("metrics.ap")).keys()
    assert "Scores" in examples(imported("evaluation.scores"))
    assert "evaluate" in examples(imported("evaluation.evaluation"))


def test_the_parameters_of_a_metric_come_before_its_example():
    text = inspect.getdoc(irmetrics_nb.average_precision)
    assert text.index("Parameters\n----------") < text.index("k : int or None, default None") < text.index("Examples\n--------") < text.index(">>>")


DOORS = {
    "data.errors": ["DataError", "DataWarning"],
    "data.sources": ["read_rows"],
    "data.recognition": ["read_batches"],
    "data.qrels_and_runs": ["Qrels", "Run"],
    "data.records": ["Example", "Together", "from_records", "from_spans", "load_example", "read_words"],
    "data.groups": ["Groups"],
    "data.fingerprints": ["Fingerprint", "content_hash"],
    "data.judging": ["DEFAULT_MEMORY", "Reading", "judge", "judge_run"],
}


def test_of_reading_and_judging_only_the_doors_are_public():
    rooms = [m for m in MODULES if m.startswith("data.")]
    found = {m: sorted(importlib.import_module(f"irmetrics_nb.{m}").__all__) for m in rooms}
    assert {m: names for m, names in found.items() if names} == DOORS
