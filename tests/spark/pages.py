"""Run the cells of a page that need Spark, and compare what they give with the outputs that the page shows.

    python tests/spark/pages.py nbs/top_level/spark.ipynb

stores the outputs anew, with a session of its own.
"""
import ast
import contextlib
import io
import json
import os
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))
from project import cells  # noqa: E402
from run_notebook import same, text_of  # noqa: E402


def shown(value):
    "A value as an output of a cell."
    data = {"text/plain": repr(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_markdown_"):
        data["text/markdown"] = value._repr_markdown_().splitlines(keepends=True)
        data["text/plain"] = ["<object>"]
    return {"data": data, "execution_count": None, "metadata": {}, "output_type": "execute_result"}


def outputs(page):
    "(number of a cell, its outputs) of those cells that the other tests leave out."
    space = {}
    for i, cell in enumerate(cells(page)):
        if cell.kind != "code" or cell.directives.get("eval") != "false" or "spark.stop" in cell.source:
            continue
        *body, last = cell.tree.body
        value = isinstance(last, ast.Expr) and not cell.source.rstrip().endswith(";")
        said = io.StringIO()
        with contextlib.redirect_stdout(said), warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            exec(compile(ast.Module(body if value else [*body, last], []), str(page), "exec"), space)
            found = eval(compile(ast.Expression(last.value), str(page), "eval"), space) if value else None
        text = said.getvalue()
        printed = [{"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)}] if text else []
        yield i, printed + ([shown(found)] if found is not None else [])


def late(page):
    "The cells whose outputs are not those that the page shows, as text."
    written = cells(page)
    each = ((written[i], text_of(written[i].outputs), text_of(found)) for i, found in outputs(page))
    return [f"cell {cell.index} shows\n{old}\nbut gives\n{new}" for cell, old, new in each if not same(old, new)]


def store(page):
    "Write the outputs into the page."
    notebook = json.loads(page.read_text(encoding="utf-8"))
    for i, found in outputs(page):
        notebook["cells"][i]["outputs"] = found
    page.write_text(json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    os.environ["PYSPARK_PYTHON"] = sys.executable
    store(Path(sys.argv[1]))
