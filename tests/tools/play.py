"""Run one notebook as a reader who plays with it: in every cell tagged `play` each number is another one.

    python tests/tools/play.py nbs/learn/ap.ipynb

Pages to learn from are run as a reader copies them: the code that the page shows, in its order, in an empty folder.
Says what went wrong: the error, or a cell to play with whose printed output stays the same whatever is changed.
"""
import ast
import json
import os
import sys
import tempfile
from pathlib import Path

from project import ROOT, cells
from run_notebook import same, shell_for, text_of


def tagged(path, tag):
    "The cells of a notebook that carry a tag, by their place in it."
    stored = json.loads(Path(path).read_text(encoding="utf-8"))["cells"]
    return {i: cell for i, cell in enumerate(stored) if tag in cell["metadata"].get("tags", [])}


def another(source):
    "The code with every number changed: yes becomes no in lists of these, shares stay shares, others grow."
    tree = ast.parse(source)
    flags = [n for n in ast.walk(tree) if isinstance(n, ast.List) and n.elts and all(is_flag(e) for e in n.elts)]
    flip = {id(e) for node in flags for e in node.elts}
    lines = source.splitlines(keepends=True)
    numbers = [n for n in ast.walk(tree) if isinstance(n, ast.Constant) and type(n.value) in (int, float)]
    for node in sorted(numbers, key=lambda n: (n.lineno, n.col_offset), reverse=True):
        line = lines[node.lineno - 1].encode()
        new = repr(1 - node.value if id(node) in flip else changed(node.value)).encode()
        lines[node.lineno - 1] = (line[: node.col_offset] + new + line[node.end_col_offset :]).decode()
    return "".join(lines)


def is_flag(node):
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value in (0, 1)


def changed(value):
    "Another number of the same kind: a share in (0, 1) stays one."
    if isinstance(value, int):
        return value + 1
    if 0 < value < 1:
        return round((value + 0.6) / 2, 6) if value != 0.6 else 0.7
    return value * 1.25


def unseen(path):
    "The cells that a reader cannot copy from the page, by their place: what is no code, not shown, or not run."
    marks = {"hide": "", "echo": "false", "include": "false", "eval": "false"}
    def shown(cell):
        return cell.kind == "code" and all(cell.directives.get(m) != value for m, value in marks.items())
    return {cell.index for cell in cells(path) if not shown(cell)}


def played(path):
    "Run the notebook with the changed cells; returns what went wrong, or nothing."
    return run(path, set())


def copied_and_played(path):
    "Run what can be copied from the page, with the changed cells, in an empty folder; returns what went wrong."
    import matplotlib

    matplotlib.use("agg")  # nobody looks at the pictures
    sys.path[:] = [folder for folder in sys.path if Path(folder) != Path(__file__).parent]
    with tempfile.TemporaryDirectory() as folder:
        return run(path, unseen(path), folder)


def run(path, left_out, folder=None):
    "Run a notebook, without some cells, in a folder (default: its own)."
    from execnb.nbio import read_nb

    nb, mine = read_nb(path), tagged(path, "play")
    for i in mine:
        nb.cells[i].source = another(nb.cells[i].source)
    os.chdir(folder or Path(path).parent)
    shell = shell_for(path)
    shell.run("set_matplotlib_formats()")  # nobody looks at the pictures
    try:
        shell.run_all(nb, exc_stop=True, preproc=lambda cell: cell.idx_ in left_out)
    except Exception:
        return shell.prettytb(fname=path)
    finally:
        os.chdir(ROOT)
    dull = [i for i, cell in mine.items() if text_of(cell["outputs"]) and unmoved(cell, nb.cells[i])]
    return "\n".join(f"cell {i} gives the same whatever is changed:\n{nb.cells[i].source}" for i in dull)


def unmoved(stored, fresh):
    return same(text_of(stored["outputs"]), text_of(fresh.outputs))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(played(Path(sys.argv[1]).resolve()) or 0)
