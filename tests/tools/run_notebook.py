"""Run one notebook from top to bottom, warnings being errors, and compare what it gives with the outputs it shows.

    python tests/tools/run_notebook.py nbs/03_ap.ipynb

Cells marked `#| eval: false` are left out. Text outputs must be equal, numbers in them to a relative 1e-6 (another
processor may round the last digits differently); cells that measure time are run and not compared.
"""
import math
import os
import re
import sys
from pathlib import Path

from project import ROOT, Cell, cells

NUMBER = re.compile(r"((?<![\w.])[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?)")
TIMED = ("perf_counter", "%timeit", "%time")


def text_of(outputs):
    "What a reader sees of the outputs as text: printed lines, values, Markdown."
    said = []
    for output in outputs:
        if output["output_type"] == "stream" and output["name"] == "stdout":
            said.append("".join(output["text"]))
        for kind in ("text/plain", "text/markdown"):
            text = "".join(output.get("data", {}).get(kind, ""))
            if text and not text.startswith("<"):  # <Figure size ...> and the like
                said.append(text)
    text = re.sub(r"\x1b\[[0-9;]*m| at 0x[0-9a-fA-F]+", "", "\n".join(said))
    return "\n".join(line.rstrip() for line in text.strip().split("\n"))


def same(a, b):
    "Equal text, with numbers equal to a relative 1e-6."
    a, b = NUMBER.split(a), NUMBER.split(b)
    if len(a) != len(b):
        return False
    words = all(x == y for x, y in zip(a[::2], b[::2], strict=True))
    return words and all(
        math.isclose(float(x), float(y), rel_tol=1e-6, abs_tol=1e-12) for x, y in zip(a[1::2], b[1::2], strict=True)
    )


def run(path):
    "Run the notebook at `path`; returns what went wrong as text, or nothing."
    from execnb.nbio import read_nb
    from execnb.shell import CaptureShell

    written, nb = cells(path), read_nb(path)
    os.chdir(path.parent)
    shell = CaptureShell(path)
    shell.run("import warnings; warnings.simplefilter('error')")
    shell.run("warnings.filterwarnings('ignore', 'invalid escape sequence')")  # in cwl-eval; ruff finds those of ours
    try:
        shell.run_all(nb, exc_stop=True, preproc=lambda cell: written[cell.idx_].directives.get("eval") == "false")
    except Exception:
        return shell.prettytb(fname=path)
    return "\n".join(late for cell, fresh in zip(written, nb.cells, strict=True) if (late := outdated(cell, fresh)))


def outdated(cell: Cell, fresh):
    "How the stored output of `cell` differs from its fresh one, or nothing."
    if not cell.outputs or any(word in cell.source for word in TIMED):
        return None
    stored, now = text_of(cell.outputs), text_of(fresh.outputs)
    if same(stored, now):
        return None
    return f"Cell {cell.index} shows\n{stored}\nbut gives\n{now}\nRun the page and save it."


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(run(Path(sys.argv[1]).resolve()) or 0)
