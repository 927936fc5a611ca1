"""Run one notebook from top to bottom, warnings being errors, and compare what it gives with the outputs it shows.

    python tests/tools/run_notebook.py nbs/metrics/ap.ipynb
    python tests/tools/run_notebook.py --store nbs/metrics/ap.ipynb nbs/reference/glossary.ipynb  # make outputs

Cells marked `#| eval: false` are left out. Text outputs must be equal, numbers in them to a relative 1e-6 (another
processor may round the last digits differently); cells that measure time are run and not compared.
"""

import json
import math
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
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
            if text and (kind == "text/markdown" or not text.startswith("<")):  # <Figure size ...> and the like
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


def shell_for(path):
    "A shell that draws each picture once, since nobody looks at it: usually it is drawn thrice, and large."
    import matplotlib.pyplot as plt
    from execnb.shell import CaptureShell

    shell = CaptureShell(path, mpl_format="png")
    shell.run("%config InlineBackend.print_figure_kwargs = {'bbox_inches': None}")
    plt.uninstall_repl_displayhook()
    return shell


def fresh_cells(path, written, shell):
    "Run the notebook at `path`; returns its cells with fresh outputs, or raises what a cell raised, as text."
    from execnb.nbio import read_nb

    nb = read_nb(path)
    os.chdir(path.parent)
    shell.run("import warnings; warnings.simplefilter('error')")
    shell.run("warnings.filterwarnings('ignore', 'invalid escape sequence')")  # in cwl-eval; ruff finds those of ours
    try:
        shell.run_all(nb, exc_stop=True, preproc=lambda cell: written[cell.idx_].directives.get("eval") == "false")
    except Exception as error:
        raise RuntimeError(shell.prettytb(fname=path)) from error
    return nb.cells


def run(path):
    "Run the notebook at `path`; returns what went wrong as text, or nothing."
    written = cells(path)
    try:
        fresh = fresh_cells(path, written, shell_for(path))
    except RuntimeError as error:
        return str(error)
    return "\n".join(late for cell, now in zip(written, fresh, strict=True) if (late := outdated(cell, now)))


def store(path):
    "Run the notebook at `path`, and store outputs that changed; returns the numbers of their cells."
    from execnb.shell import CaptureShell

    written = cells(path)
    fresh = fresh_cells(path, written, CaptureShell(path))
    stored = json.loads(path.read_text(encoding="utf-8"))
    late = [cell.index for cell, now in zip(written, fresh, strict=True) if outdated(cell, now)]
    for i in late:
        stored["cells"][i]["outputs"] = [as_stored(output) for output in fresh[i].outputs]
    if late:
        path.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return late


def as_stored(output):
    "Return an output as a notebook file holds it: text as lists of lines, and no number of its execution."
    output = json.loads(json.dumps(output))
    if "text" in output:
        output["text"] = lines_of(output["text"])
    if "data" in output:
        output["data"] = {kind: lines_of(content) for kind, content in output["data"].items()}
    output.pop("execution_count", None)
    if output["output_type"] == "execute_result":  # only this type may have a number, and must have the key
        output["execution_count"] = None
    return dict(sorted(output.items()))


def lines_of(text):
    return text.splitlines(keepends=True) if isinstance(text, str) else text


def outdated(cell: Cell, fresh):
    "How the stored output of `cell` differs from its fresh one, or nothing."
    if not cell.outputs or any(word in cell.source for word in TIMED):
        return None
    stored, now = text_of(cell.outputs), text_of(fresh.outputs)
    if same(stored, now):
        return None
    return f"Cell {cell.index} shows\n{stored}\nbut gives\n{now}\nRun `make outputs` for this page."


def store_each(paths):
    "Store the outputs of notebooks, each run in a process of its own."
    command = [sys.executable, __file__, "--store"]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        done = pool.map(lambda path: subprocess.run([*command, path], check=False).returncode, paths)
    return max(done, default=0)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    first, *paths = sys.argv[1:]
    if first != "--store":
        sys.exit(run(Path(first).resolve()) or 0)
    if len(paths) > 1:
        sys.exit(store_each(paths))
    page = Path(paths[0]).resolve()
    if late := store(page):
        print(f"{page.relative_to(ROOT)}: stored the outputs of cells {late}")
