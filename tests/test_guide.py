"""A page of the guide begins with a task, and what it shows runs when it is copied.

The visible code cells of a page and its commands are run in the order of the page, in a process of their own, in an empty folder:
nothing that the page hides is there. New pages in `nbs/guide/` are found by themselves.
"""
import ast
import builtins
import json
import re
import sys
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from forks import pages
from project import NBS, Cell, cells, notebooks, settings

GUIDE = [name for name in notebooks() if name.parts[0] == "guide"]
COMMANDS = Path("reference", "command_line.ipynb")  # it shows commands alone
IN_PYTHON = [*GUIDE, Path("reference", "which_test.ipynb")]
each_page = pytest.mark.parametrize("name", [*IN_PYTHON, COMMANDS], ids=str)
each_page_in_python = pytest.mark.parametrize("name", IN_PYTHON, ids=str)
FENCE = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INSTALLING = re.compile(r"(?:[%!]|python -m )?pip install ([^\n]+)")
NOT_RUN = ("pip ", "%pip ", "python -m pip ", "git ", "make ", "cd ", "source ", "curl ")  # they need a network, or a clone


def is_visible(cell: Cell):
    "Return whether a reader sees the code of a cell."
    return cell.kind == "code" and "hide" not in cell.directives and cell.directives.get("echo") != "false"


def visible_code(name):
    "The code cells of a page that a reader sees."
    return [cell for cell in cells(NBS / name) if is_visible(cell)]


def shown_texts(cell: Cell):
    "The Markdown of a cell: its own, or that of its outputs."
    if cell.kind == "markdown":
        return [cell.source]
    if "hide" in cell.directives:
        return []
    return ["".join(output.get("data", {}).get("text/markdown", "")) for output in cell.outputs]


def commands(text):
    "(commands of a block, expected exit code) of each block of commands that can be run here; the code is named below its block."
    for block in FENCE.finditer(text):
        lines = "".join(line for line in block[1].splitlines(keepends=True) if not line.startswith(NOT_RUN))
        code = re.match(r"\s*(?:```text\n.*?```\s*)?(?:The exit code is|It exits with(?: code)?) (\d+)", text[block.end() :], re.DOTALL)
        if lines.strip():
            yield lines, int(code[1]) if code else 0


def steps(name):
    "What a reader can copy from a page, in its order: [kind, text, expected exit code]."
    for cell in cells(NBS / name):
        if is_visible(cell) and cell.directives.get("eval") != "false":
            yield ["python", cell.source, 0]
        for text in shown_texts(cell):
            for lines, code in commands(text):
                yield ["sh", lines, code]


def run_page(page_steps, folder):
    "Run what a page shows, in a process and a folder of its own; return what it says of a failure."
    (folder / "page").mkdir()
    (folder / "page.json").write_text(json.dumps(page_steps), encoding="utf-8")
    return pages("copied", "run", folder / "page.json") or ""


@each_page
def test_a_page_begins_with_a_task_and_one_sentence_about_what_you_will_have(name):
    title, _, subtitle = cells(NBS / name)[0].source.strip().partition("\n")
    assert re.fullmatch(r"# [A-Z][^`]{3,50}", title), f"{title!r}: make the title a task of 5 to 52 characters, without code"
    sentence = subtitle.strip().removeprefix("> ").replace("`", "")
    assert re.match(r"[A-Z]", sentence) and "\n" not in sentence, "write one line `> What you will have` below the title"
    assert not re.search(r"[.!?] [A-Z]", sentence), "write one sentence below the title"
    assert 30 <= len(sentence) <= 170, f"{len(sentence)} characters below the title: write 30 to 170"


@each_page_in_python
def test_the_first_code_of_a_page_is_an_example_that_begins_with_its_imports_above_the_second_heading(name):
    above = []
    for cell in cells(NBS / name)[1:]:
        if cell.kind == "markdown" and re.search(r"^## ", cell.source, re.MULTILINE):
            break
        above += [cell] * is_visible(cell)
    assert above, "no code above the second heading: begin with the shortest complete example"
    assert isinstance(above[0].tree.body[0], ast.Import | ast.ImportFrom), "begin the first code cell with its imports"
    used = {n.id for n in ast.walk(above[0].tree) if isinstance(n, ast.Name)}
    assert used & imported(above[0].tree), "use an imported name in the first code cell"


@each_page
def test_what_a_page_shows_runs_in_its_order_in_an_empty_folder(name, tmp_path):
    page_steps = list(steps(name))
    # tests/spark runs the cells of the page on Spark, on executors
    assert page_steps or all(cell.directives.get("eval") == "false" for cell in visible_code(name)) and name.stem == "spark"
    failure = run_page(page_steps, tmp_path)
    assert failure == "", f"{failure}\nA page makes the files that it reads, and imports what it uses, in visible cells."


@each_page_in_python
def test_every_name_of_a_page_is_imported_or_made_on_it(name):
    # Cells that are not run here, such as those for a cluster, are read as well.
    trees = [cell.tree for cell in visible_code(name)]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    made = set().union(*map(imported, trees))
    made |= {n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler) and n.name}
    made |= {n.arg for n in nodes if isinstance(n, ast.arg)}
    made |= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    read = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    unknown = sorted(read - made - set(dir(builtins)))
    assert unknown == [], f"import or define {unknown} in a visible cell of {name}"


def imported(tree):
    "The names that code imports."
    found = (alias for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names)
    return {(alias.asname or alias.name).partition(".")[0] for alias in found}


@cache
def installed():
    "{module: projects that bring it}: asked once, since every file of every project is looked at."
    return packages_distributions()


@each_page_in_python
def test_imports_of_a_page_are_required_or_installed_there(name):
    page = cells(NBS / name)
    text = "\n".join(cell.source for cell in page)
    told = " ".join(INSTALLING.findall(text)).replace("-", "_").lower()
    come = {re.split(r"[<>=]", need)[0] for need in settings()["requirements"].split()}
    for cell in visible_code(name):
        for node in ast.walk(cell.tree):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module] if isinstance(node, ast.ImportFrom) else []
            for module in (module.partition(".")[0] for module in modules):
                here = module in {"irmetrics_nb", *come} or module in sys.stdlib_module_names
                projects = installed().get(module, [module])
                assert here or any(name.replace("-", "_").lower() in told for name in projects), f"cell {cell.index}: {module}"


@each_page
def test_a_page_ends_with_links_on(name):
    last = cells(NBS / name)[-1]
    assert last.kind == "markdown", "make the last cell Markdown, with a line `Next: ...`"
    line = re.search(r"^Next: .*\Z", last.source, re.MULTILINE | re.DOTALL)
    remedy = "end the last cell with a line 'Next: ...' that links to two or more pages"
    assert line, f"{name}: there is no line 'Next: ...': {remedy}"
    linked = re.findall(r"\]\([^)]+\.ipynb(?:#[\w-]+)?\)", line[0])
    assert len(linked) >= 2, f"{name}: 'Next: ...' links to {len(linked)} pages: {remedy}"


@each_page
def test_every_python_block_of_a_page_is_a_cell_that_runs(name):
    blocks = [cell.index for cell in cells(NBS / name) if cell.kind == "markdown" and re.search(r"^```py", cell.source, re.MULTILINE)]
    assert blocks == [], f"make the Python blocks of cells {blocks} code cells"


@each_page
def test_pages_use_plain_english_and_short_sentences(name):
    prose = "\n".join(re.sub(r"```.*?```|`[^`]*`", "", cell.source, flags=re.DOTALL) for cell in cells(NBS / name) if cell.kind == "markdown")
    assert re.findall(r"(?i)\b(?:who|what|which)ever\b|\bsomebody\b|\bnobody\b|\bone (?:can|must|wants|writes|sees)\b", prose) == []
    sentences = re.split(r"(?<=[.:!?])\s|\n\n|\|", prose)
    assert [s for s in sentences if len(s.split()) > 40] == [], "divide these sentences: at most 40 words"


def test_page_check_detects_wrong_names_files_and_exit_codes(tmp_path_factory):
    def said(*page_steps):
        return run_page(page_steps, tmp_path_factory.mktemp("a_page"))

    assert "NameError" in said(["python", "evaluate", 0])
    assert "no such file" in said(["sh", "irmetrics evaluate qrels.txt run.txt", 0])
    assert "exit code 0, not 3" in said(["sh", "irmetrics --version", 3])
    assert said(["python", "import irmetrics_nb\nopen('a', 'w').close()", 0], ["sh", "test -f a\nirmetrics --version", 0]) == ""
    text = "```sh\npip install x\nirmetrics a\n```\n\n```text\nno\n```\n\nThe exit code is 3."
    assert list(commands(text)) == [("irmetrics a\n", 3)]
    assert list(commands("```sh\nmake test\n```")) == []


def test_what_can_be_copied_is_found_by_what_a_page_shows():
    hidden = [cell for name in GUIDE for cell in cells(NBS / name) if "hide" in cell.directives]
    assert len(GUIDE) >= 10 and hidden
    assert not any(is_visible(cell) for cell in hidden)
    assert sum(kind == "sh" for name in GUIDE for kind, *_ in steps(name)) > 10


