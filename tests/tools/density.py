"""How much stands in a line: the nodes of its syntax tree.

    python tests/tools/density.py [MOST]    list the exported lines with more nodes than MOST (default: what is tested)

A node counts for the line in which it begins. Docstrings, annotations and tables of constants are not counted; nor are
imports and the heads of functions, whose length is a matter of names.
"""
import ast
import sys
from collections import Counter
from dataclasses import dataclass
from statistics import mean

from project import NBS, cells, notebooks

MOST = 30  # nodes in one line
HEADS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
SILENT = {"annotation", "returns", "ctx"}
LINES = {"body", "orelse", "finalbody", "handlers", "cases"}


@dataclass
class Line:
    "A line of a notebook."
    notebook: str
    cell: int
    nodes: int
    text: str


def nodes_by_line(tree, line=0, count=None):
    "{line number: nodes} of a statement, or of the head of one that has a body."
    count, line = Counter() if count is None else count, getattr(tree, "lineno", line)
    count[line] += 1
    for name, child in children(tree):
        if name not in LINES | SILENT:
            nodes_by_line(child, line, count)
    return count


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
    "A statement that is not counted: an import, a docstring, a table of constants."
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return True
    value = getattr(statement, "value", None)
    return isinstance(statement, ast.Expr | ast.Assign | ast.AnnAssign) and value is not None and is_data(value)


def lines_of(source):
    "{line number: nodes} of a piece of code."
    count = Counter()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt) and not isinstance(node, HEADS) and not quiet(node):
            count += nodes_by_line(node)
    return dict(sorted(count.items()))


def exported_lines():
    "Every line that a notebook exports."
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
