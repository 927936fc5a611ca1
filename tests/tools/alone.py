"""Each module of the package in a process that imports nothing else, beside the same after all others.

    python tests/tools/alone.py

Each module is imported in a process of its own, forked from one that knows libraries only: there its examples run,
and what its tables hold is compared with that after all imports. Prints {module: what is wrong} as JSON.
"""
import doctest
import importlib
import inspect
import json
import os
import pkgutil
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = "numpy polars typer rich jinja2 tabulate".split()


def modules():
    "The name of every module of the package,"
    import irmetrics_nb

    found = [m.name for m in pkgutil.walk_packages(irmetrics_nb.__path__, "irmetrics_nb.")]
    return [name for name in found if not name.endswith("._modidx")]


def examples(module):
    "The examples of a module, those of functions behind a decorator and of methods too."
    for name, thing in list(vars(module).items()):
        here = getattr(thing, "__module__", None) == module.__name__
        if not here or not (inspect.isfunction(thing) or inspect.isclass(thing)):
            continue
        methods = vars(thing).items() if inspect.isclass(thing) else ()
        for label, member in [(name, thing), *((f"{name}.{n}", m) for n, m in methods if inspect.isfunction(m))]:
            if ">>>" in (text := inspect.getdoc(member) or ""):
                yield label, text


def failures(module):
    "What the examples of a module print that they do not show."
    said, parser, runner = [], doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
    for name, text in examples(module):
        runner.run(parser.get_doctest(text, dict(vars(module)), name, module.__name__, 0), out=said.append)
    return "".join(said)


def tables(module):
    "{name: what it holds} of the public tables of a module, in their order."
    held = {}
    for name, thing in list(vars(module).items()):
        if name[0] == "_" or isinstance(thing, type):
            continue
        if isinstance(thing, Mapping):
            held[name] = [*map(str, thing)]
        elif isinstance(thing, (list, set)):
            held[name] = [len(thing)]
    return held


def examined(name, together):
    "What is wrong with a module that is imported alone: with its examples, else with its tables."
    module = importlib.import_module(name)
    wrong = in_a_process(lambda: failures(module))
    if wrong or (alone := tables(module)) == together:
        return wrong
    differ = [table for table in together if alone.get(table) != together[table]]
    return "; ".join(f"{table} holds {alone.get(table)}, after all imports {together[table]}" for table in differ)


def all_tables():
    "{module: its tables} where all modules are imported."
    imported = {name: importlib.import_module(name) for name in modules()}
    return json.dumps({name: tables(module) for name, module in imported.items()})


def in_a_process(f):
    "The text that a function gives in a forked process."
    there, here = os.pipe()
    if not (child := os.fork()):
        os.close(there)
        try:
            said = f()
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        with os.fdopen(here, "wb") as pipe:
            pipe.write(said.encode())
        os._exit(0)
    os.close(here)
    with os.fdopen(there, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(child, 0)
    return said


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    for library in LIBRARIES:
        importlib.import_module(library)
    together = json.loads(in_a_process(all_tables))
    print(json.dumps({name: in_a_process(lambda name=name: examined(name, together[name])) for name in together}))
