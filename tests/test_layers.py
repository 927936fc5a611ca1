"A package imports from packages below it only: every import is read, inside functions, by name and through the top level too."
import ast
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib.util import resolve_name

import pytest
from project import NBS, PACKAGE, file_of, module_of, notebooks

import irmetrics_nb

CORE = "core metrics data results evaluation".split()  # packages, from the bottom up: each imports from those before it
COMPANIONS = "explaining comparing forensics preparing reporting".split()  # they import the core, and what stands before them here
BY_NAME = {"import_module", "__import__"}  # functions that import a module by its name
LOADERS = {("__init__", "__getattr__"), ("cli_common", "import_code")}  # functions that may: of public names, and of the code of users


def package(module):
    "The package of a module; '' at the top level."
    return module.rpartition(".")[0]


MODULES = sorted(module for module in (module_of(NBS / name) for name in notebooks()) if module)
PACKAGES = {package(module) for module in MODULES} - {""}


@cache
def trees():
    "{module: its code}, read when a test asks: each worker loads this file, and one runs its tests."
    return {module: ast.parse(file_of(module).read_text(encoding="utf-8")) for module in MODULES}


def below(name):
    "What follows the name of our package in a dotted name; '' for the package itself, None for a name of another."
    head, _, rest = name.partition(".")
    return rest if head == PACKAGE.name else None


def origin_of(node, module):
    "The full name of the module that `from … import` names in a module of the package."
    parent = ".".join([PACKAGE.name, *module.split(".")[:-1]])
    return resolve_name("." * node.level + (node.module or ""), parent)


def module_at(path):
    "The module that a dotted path below the package leads to; a public name of the top level leads to the module that defines it."
    head, *rest = path.split(".")
    if head in irmetrics_nb._home:
        return irmetrics_nb._home[head]
    for n in range(len(rest) + 1, 0, -1):
        if (name := ".".join([head, *rest][:n])) in MODULES:
            return name
    return f"{head}.__init__" if head in PACKAGES else "__init__"


def paths(tree, module):
    "Dotted paths below the package that a module imports, or reads as attributes of the package."
    local = {}  # what a name means here
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if (path := below(alias.name)) is not None:
                    yield path
                    local[alias.asname or PACKAGE.name] = path if alias.asname else ""
        elif isinstance(node, ast.ImportFrom) and below(origin := origin_of(node, module)) is not None:
            for alias in node.names:
                yield (path := below(f"{origin}.{alias.name}"))
                local[alias.asname or alias.name] = path
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            head, _, rest = ast.unparse(node).partition(".")
            if head in local:
                yield f"{local[head]}.{rest}".lstrip(".")


def lines_by_name(tree, module):
    "Lines that mention a function which imports by name, outside of the functions that may."
    nodes = list(ast.walk(tree))
    renamed = {alias.asname for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names if alias.name in BY_NAME}
    for statement in tree.body:
        if (module, getattr(statement, "name", "")) not in LOADERS:
            for node in ast.walk(statement):
                words = {getattr(node, field, None) for field in ("id", "attr", "value") if isinstance(getattr(node, field, None), str)}
                if words & (BY_NAME | renamed):
                    yield node.lineno


def read(tree, module):
    "The modules that a module imports, and the lines in which it imports by name."
    imported = {module_at(path) for path in paths(tree, module) if path and path != "__version__"}
    return imported - {module}, [*lines_by_name(tree, module)]


@cache
def all_read():
    "{module: as `read` returns it}"
    return {module: read(tree, module) for module, tree in trees().items()}


def faults(modules, order):
    "What breaks the order of the packages. modules: {module: as `read` returns it}."
    found = [f"{name}: there is no such package" for name in order if name not in PACKAGES]
    for module, (imported, lines) in modules.items():
        found += [f"{module} imports by name in line {line}" for line in lines]
        if (place := package(module)) and place not in order:
            found.append(f"{module}: its package is not in the table")
        elif place:
            allowed = {place, *order[: order.index(place)]}
            found += [f"{module} imports {each}" for each in sorted(imported) if package(each) not in allowed]
    try:
        TopologicalSorter({module: imported for module, (imported, _) in modules.items()}).prepare()
    except CycleError as error:
        found.append("a circle: " + " > ".join(error.args[1]))
    return found


def test_a_package_imports_only_from_packages_below_it_and_modules_form_no_circle():
    assert sum(len(imported) for imported, _ in all_read().values()) > 300
    assert faults(all_read(), CORE + COMPANIONS) == []


def test_the_core_imports_no_companion():
    core = {module: imported for module, (imported, _) in all_read().items() if package(module) in CORE}
    assert len(core) > 20
    assert [(module, each) for module, imported in core.items() for each in imported if package(each) not in CORE] == []


def test_only_a_lazy_loader_imports_by_name():
    loading = {(module, statement.name) for module, tree in trees().items() for statement in tree.body
               if isinstance(statement, ast.FunctionDef) and BY_NAME & {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}}
    assert loading == LOADERS


IN_CORE = "core.measures imports metrics.dcg"
BY_NAME_IN_CORE = "core.measures imports by name"
PLANTED = {
    "a metric in the core": ("core.measures", "from irmetrics_nb.metrics.dcg import ndcg", IN_CORE),
    "a metric in the core, relative": ("core.measures", "from ..metrics.dcg import ndcg", IN_CORE),
    "a page of metrics in the core": ("core.measures", "from ..metrics import dcg", IN_CORE),
    "a module under another name": ("core.measures", "import irmetrics_nb.metrics.dcg as d", IN_CORE),
    "a public name of the top level": ("core.measures", "from irmetrics_nb import nDCG", IN_CORE),
    "a public name of the top level, relative": ("core.measures", "from .. import nDCG as N", IN_CORE),
    "an attribute of the top level": ("core.measures", "import irmetrics_nb as ir\ndef f(): return ir.nDCG.of([1])", IN_CORE),
    "an attribute of the package": ("core.measures", "import irmetrics_nb\ndef f(): return irmetrics_nb.metrics.dcg.ndcg([1])", IN_CORE),
    "an attribute of a package": ("core.measures", "from .. import metrics\ndef f(): return metrics.dcg.ndcg([1])", IN_CORE),
    "in a function": ("core.measures", "def f():\n    from ..metrics.dcg import ndcg", IN_CORE),
    "in a method": ("core.measures", "class C:\n    def f(self):\n        from irmetrics_nb import ndcg", IN_CORE),
    "for type checkers": ("core.measures", "if TYPE_CHECKING:\n    from ..metrics.dcg import ndcg", IN_CORE),
    "where it may fail": ("core.measures", "try: from ..metrics.dcg import ndcg\nexcept ImportError: pass", IN_CORE),
    "a whole package": ("core.measures", "import irmetrics_nb.metrics", "core.measures imports metrics.__init__"),
    "by name": ("core.measures", "from importlib import import_module\nimport_module('irmetrics_nb.metrics.dcg')", BY_NAME_IN_CORE),
    "by name, in a function": ("core.measures", "def f():\n    import importlib\n    importlib.import_module('..metrics.dcg', __package__)", BY_NAME_IN_CORE),
    "by name, renamed": ("core.measures", "from importlib import import_module as load\ndef f(name): return load(name)", BY_NAME_IN_CORE),
    "by name, through the built-in function": ("core.measures", "f = lambda: __import__('irmetrics_nb.metrics.dcg')", BY_NAME_IN_CORE),
    "by name, through getattr": ("core.measures", "import importlib\ngetattr(importlib, 'import_module')('irmetrics_nb')", BY_NAME_IN_CORE),
    "by name, beside the loader of the top level": ("__init__", "def load(name):\n    from importlib import import_module\n    return import_module(name)", "by name"),
    "by name, beside the loader of the command": ("cli_common", "import_module('irmetrics_nb.cli')", "cli_common imports by name"),
    "by name, in the command": ("cli", "__import__('irmetrics_nb.cli_compare')", "cli imports by name"),
    "a companion in the core": ("evaluation.scores", "def f():\n    from irmetrics_nb import compare", "evaluation.scores imports comparing.comparison"),
    "a companion in one below it": ("comparing.gate", "from ..reporting.report import report", "comparing.gate imports reporting.report"),
    "the command in the core": ("results.results", "def f():\n    from ..cli import main", "results.results imports cli"),
    "what the top level keeps for itself": ("core.ties", "from irmetrics_nb import _home", "core.ties imports __init__"),
    "a circle of two": ("core.arrays", "from .judged import Judged", "a circle: "),
    "a circle through a function": ("core.arrays", "def f():\n    from .ties import TiesError", "a circle: "),
    "a circle through the top level": ("comparing.statistics", "def f():\n    from irmetrics_nb import compare", "a circle: "),
    "a circle of modules at the top": ("cli_common", "def f():\n    from .cli import main", "a circle: "),
}


@pytest.mark.parametrize(("module", "code", "says"), PLANTED.values(), ids=list(PLANTED))
def test_a_planted_import_is_found(module, code, says):
    tree = ast.Module([*trees()[module].body, *ast.parse(code).body], [])
    found = faults(all_read() | {module: read(tree, module)}, CORE + COMPANIONS)
    assert any(says in fault for fault in found), found


@pytest.mark.parametrize("code", ["import numpy", "from . import arrays", "from irmetrics_nb import __version__", "from .arrays import Column as C\nC.sum", "import_all = 1"])
def test_an_import_from_below_is_no_fault(code):
    tree = ast.Module([*trees()["core.measures"].body, *ast.parse(code).body], [])
    assert faults(all_read() | {"core.measures": read(tree, "core.measures")}, CORE + COMPANIONS) == []


TABLES = {"an empty table": [], "another order": [*reversed(CORE + COMPANIONS)], "an unknown package": [*CORE, *COMPANIONS, "house"]} | {
    f"no {name}": [each for each in CORE + COMPANIONS if each != name] for name in CORE + COMPANIONS}


@pytest.mark.parametrize("order", TABLES.values(), ids=list(TABLES))
def test_a_wrong_table_of_packages_is_found(order):
    assert faults(all_read(), order)


def test_a_companion_imports_public_names_of_other_packages_from_the_top_level():
    found = []
    for module, tree in trees().items():
        if package(module) in CORE or module == "__init__":
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (origin := below(origin_of(node, module))) is not None:
                public = {alias.name for alias in node.names if irmetrics_nb._home.get(alias.name) == origin}
                if public and package(origin) != package(module):
                    found.append((module, origin, public))
    assert found == []
