"""Parts of tools that are installed without what they depend on.

Some packages compute their metrics with numpy alone, and depend on torch, which brings CUDA toolkits along. They are
installed bare (parity_bare in settings.ini), and only the module that computes is loaded. What that module imports and
does not use to compute is replaced by a stand-in."""

import ast
import contextlib
import importlib.util
import sys
from importlib.machinery import PathFinder
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

import numpy as np


def folder(package):
    "Where a package lies, which is not imported for it."
    return Path(PathFinder.find_spec(package).submodule_search_locations[0])


@contextlib.contextmanager
def stand_ins(*names, **types):
    "Within, these modules can be imported, and do nothing; types: classes in them, which keep what they get."
    before = {name: sys.modules.get(name) for name in names}
    for name in names:
        classes = types.get(name.replace(".", "_"), ())
        sys.modules[name] = MagicMock(**{each: type(each, (SimpleNamespace,), {}) for each in classes})
    try:
        yield
    finally:
        for name, module in before.items():
            sys.modules.pop(name) if module is None else sys.modules.update({name: module})


def module_alone(package, path):
    "One module of a package, without the package."
    spec = importlib.util.spec_from_file_location(Path(path).stem, folder(package) / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def method_alone(package, path, name):
    "One method that uses numpy alone, taken from the source of its module, as a function of its arguments."
    tree = ast.parse((folder(package) / path).read_text(encoding="utf-8"))
    found = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name)
    found.returns = None
    for argument in found.args.args:
        argument.annotation = None
    space = {"np": np}
    exec(compile(ast.Module([found], []), str(path), "exec"), space)  # noqa: S102
    return lambda *args: space[name](None, *args)


def before_numpy_2():
    "Some tools name numpy's types as numpy 1 did."
    for name, number_type in (("float", float), ("bool", bool)):
        if name not in vars(np):
            setattr(np, name, number_type)
