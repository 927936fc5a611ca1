"The types: the package keeps them, and those who use it get them."
import ast
import re
import subprocess
import sys
from importlib import import_module

import pytest
from project import NBS, PACKAGE, ROOT, file_of, module_of, notebooks

MODULES = sorted(m for name in notebooks() if (m := module_of(NBS / name)))


CONSUMER = "tests/typing_consumer.py"


def mypy(*args):
    done = subprocess.run([sys.executable, "-m", "mypy", *args], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode < 2, done.stdout + done.stderr
    return done.stdout


def parsed(module):
    return ast.parse(file_of(module).read_text(encoding="utf-8"))


@pytest.mark.slow
def test_mypy_accepts_the_package_and_finds_errors_of_users():
    said = mypy("irmetrics_nb", CONSUMER)  # one call: most of its time goes into reading the libraries
    found = set(re.findall(r"typing_consumer\.py:(\d+): error: .*\[([\w-]+)\]$", said, re.MULTILINE))
    lines = (ROOT / CONSUMER).read_text(encoding="utf-8").splitlines()
    wrong = {(str(i), mark[1]) for i, line in enumerate(lines, 1) if (mark := re.search(r"# wrong: ([\w-]+)$", line))}
    assert found == wrong, said
    assert re.findall(r"^(?!tests/typing_consumer).*: error: .*", said, re.MULTILINE) == []


def functions(body, path=""):
    "The functions and methods that are public, or special to Python, as (dotted name, node)."
    for node in body:
        if isinstance(node, ast.ClassDef) and node.name[0] != "_":
            yield from functions(node.body, f"{path}{node.name}.")
        elif isinstance(node, ast.FunctionDef) and re.match(r"[^_]|__\w+__$", node.name):
            yield path + node.name, node


def unannotated(node):
    "The parameters of a function without a type, and `return`."
    spec = node.args
    named = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *filter(None, (spec.vararg, spec.kwarg))]
    missing = [a.arg for a in named if a.annotation is None and a.arg not in ("self", "cls")]
    return missing + ["return"] * (node.returns is None and node.name != "__init__")


@pytest.mark.parametrize("module", MODULES)
def test_everything_public_is_annotated_in_full(module):
    late = {name: missing for name, node in functions(parsed(module).body) if (missing := unannotated(node))}
    assert late == {}


def imported(tree):
    "Name -> module of what is imported from this package anywhere in the tree."
    froms = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    own = [n for n in froms if n.level or n.module.startswith("irmetrics_nb.")]
    return {alias.name: n.module.removeprefix("irmetrics_nb.") for n in own for alias in n.names}


def test_type_stub_has_the_names_of_lazy_imports():
    import irmetrics_nb

    told = imported(ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8")))
    assert told.keys() == irmetrics_nb._home.keys() == {*irmetrics_nb.__all__}
    for name, module in told.items():
        assert getattr(import_module(f"irmetrics_nb.{module}"), name) is getattr(irmetrics_nb, name)
