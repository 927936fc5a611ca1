"""How much stands in a line: the nodes of its syntax tree.

    python tests/tools/density.py [MOST]    list the exported lines with more nodes than MOST (default: what is tested)

A logical line is a statement, or the head of one that has a body, with what follows on the same line. Docstrings,
annotations and tables (constants, or a registry in capitals) are not counted; nor are imports and the heads of
functions, whose length is a matter of names.
"""
import ast
import sys
from collections import Counter
from dataclasses import dataclass
from statistics import mean

from project import NBS, cells, notebooks

MOST = 35  # nodes in one logical line
HEADS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
SILENT = {"annotation", "returns", "ctx"}
LINES = {"body", "orelse", "finalbody", "handlers", "cases"}


@dataclass
class Line:
    "A logical line of a notebook."
    notebook: str
    cell: int
    nodes: int
    text: str


def nodes(tree):
    "How many nodes of `tree` a reader has to take in."
    return 1 + sum(nodes(child) for name, child in children(tree) if name not in LINES | SILENT)


def children(tree):
    for name, value in ast.iter_fields(tree):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield name, child


def is_data(tree):
    "Whether an expression is made of constants alone."
    try:
        return ast.literal_eval(tree) is not None
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False


def quiet(statement):
    "A statement that is not counted: an import, a docstring, a table."
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return True
    value = getattr(statement, "value", None)
    if value is None or not isinstance(statement, ast.Expr | ast.Assign | ast.AnnAssign):
        return False
    return is_data(value) or is_registry(statement)


def is_registry(statement):
    "Whether a statement is a table in capitals, such as TESTS = {...}: a row an entry."
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    named = all(isinstance(target, ast.Name) and target.id.isupper() for target in targets)
    return named and isinstance(statement.value, ast.Dict | ast.List | ast.Tuple)


def statements(tree):
    "Every statement of a tree that counts, as (first line, nodes); of one over several lines, the nodes a line."
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not isinstance(node, HEADS) and not quiet(node):
            rows = node.end_lineno - node.lineno + 1 if not LINES & {*node._fields} else 1
            yield node.lineno, nodes(node) / rows


def lines_of(source):
    "{line number: nodes} of the logical lines of a piece of code."
    count = Counter()
    for number, found in statements(ast.parse(source)):
        count[number] += found
    return dict(sorted(count.items()))


def exported_lines():
    "Every logical line that a notebook exports."
    for name in notebooks():
        for cell in cells(NBS / name):
            if cell.kind == "code" and cell.exported:
                rows = cell.source.splitlines()
                for number, found in lines_of(cell.source).items():
                    yield Line(str(name), cell.index, found, rows[number - 1].strip())


def dense(most=MOST):
    "The exported lines with more nodes than `most`, the densest first."
    return sorted((line for line in exported_lines() if line.nodes > most), key=lambda line: -line.nodes)


if __name__ == "__main__":
    everything, most = list(exported_lines()), int(sys.argv[1]) if len(sys.argv) > 1 else MOST
    for line in dense(most):
        print(f"{line.nodes:4} {line.notebook} cell {line.cell}: {line.text}")
    over = {limit: sum(line.nodes > limit for line in everything) for limit in (30, 35, 40, 45)}
    print(f"{len(everything)} lines, {mean(line.nodes for line in everything):.1f} nodes on average; above", over)
