"The project keeps its own rules: each test is a claim that a change could break."
import ast
import importlib
import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import unicodedata
import zipfile
from itertools import groupby, pairwise
from pathlib import Path

import density
import export
import nbformat
import pytest
import readme
import run_notebook
import yaml
from forks import pages
from project import MADE, NBS, PACKAGE, ROOT, cells, file_of, module_of, notebooks, settings, translations

SETTINGS = settings()
NOTEBOOKS = notebooks()
TRANSLATED = [Path("zh") / name for name in translations()]
MODULES = {name: module_of(NBS / name) for name in NOTEBOOKS}
WIDEST, WIDEST_SHOWN = 120, 90  # columns in a line of code; of code that the pages show
MOST_NODES = density.MOST  # of the syntax tree in one line of the package: `python tests/tools/density.py 30` lists the densest
MOST_LINES = 60  # of code in a cell, docstrings and comments apart
LISTS = """precision recall f_beta fallout success r_precision average_precision precision_recall_curve
    interpolated_precision cg dcg idcg ndcg reciprocal_rank stopping_probabilities err rbp roc_curve auc gauc
    Judged""".split()
COLLECTIONS = "Qrels Run judge evaluate Scores parse load_example".split()

each_notebook = pytest.mark.parametrize("name", NOTEBOOKS, ids=str)


def python(*args, cwd=ROOT, program=sys.executable, **env):
    "Run Python in a process of its own; returns what it printed."
    env = {k: v for k, v in os.environ.items() if k != "IN_TEST"} | env
    done = subprocess.run([program, *map(str, args)], cwd=cwd, env=env, capture_output=True, text=True)
    assert done.returncode == 0, f"{args}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def copy_of_the_project(into):
    "The files of the project that a build reads, below `into`."
    for name in "settings.ini setup.py pyproject.toml MANIFEST.in README.md LICENSE _quarto.yml".split():
        shutil.copy(ROOT / name, into)
    for name in "nbs", "irmetrics_nb":
        shutil.copytree(ROOT / name, into / name, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    return into


def public(body, names=None):
    "Functions, classes and methods that are public (and among `names`), as (dotted name, node)."
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for node in (n for n in body if isinstance(n, kinds)):
        if node.name[0] != "_" and (names is None or node.name in names):
            yield node.name, node
            inner = node.body if isinstance(node, ast.ClassDef) else []
            yield from ((f"{node.name}.{name}", method) for name, method in public(inner))


def parsed(module):
    "The exported module as a tree."
    return ast.parse(file_of(module).read_text(encoding="utf-8"))


# ---- the notebooks ----


@each_notebook
def test_a_notebook_runs_from_top_to_bottom_without_a_warning_and_gives_the_outputs_it_shows(name):
    assert pages("run_notebook", "run", NBS / name) is None


@pytest.mark.parametrize("command", ["doclinks:nbdev_export", "clean:nbdev_clean"])
def test_plain_nbdev_leaves_the_project_as_it_is(command, tmp_path):
    project = copy_of_the_project(tmp_path)
    before = files_below(project)
    assert {"irmetrics_nb/core/judged.py", "irmetrics_nb/_modidx.py", "nbs/core/judged.ipynb"} <= before.keys()
    export.nbdev(command, cwd=project)
    after = files_below(project)
    assert [name for name in before.keys() | after.keys() if before.get(name) != after.get(name)] == [], "run `make export`"


def test_plain_nbdev_runs_pages_one_after_another_in_one_process():
    # A page that declares measures anew gives those of the package back at its end.
    code = "from nbdev.test import nbdev_test; nbdev_test(path='nbs/metrics', n_workers=0)"
    assert python("-c", code).splitlines()[-1] == "Success."


def files_below(folder):
    "{name: content} of the files below a folder, without what git ignores."
    found = (path for path in folder.rglob("*") if path.is_file() and path.name != ".last_checked")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found if "__pycache__" not in path.parts}


def test_a_notebook_is_python_and_stores_no_error():
    for name in NOTEBOOKS:
        nb = json.loads((NBS / name).read_text(encoding="utf-8"))
        assert (nb["nbformat"], nb["metadata"]["kernelspec"]["name"]) == (4, "python3"), name
        assert not any(o["output_type"] == "error" for c in nb["cells"] for o in c.get("outputs", [])), name


@pytest.mark.parametrize("name", [*NOTEBOOKS, *TRANSLATED], ids=str)
def test_a_notebook_has_the_format_that_nbformat_requires(name):
    nbformat.validate(json.loads((NBS / name).read_text(encoding="utf-8")))


@pytest.mark.parametrize(("kind", "stored"), [("display_data", False), ("execute_result", True)])
def test_only_the_result_of_a_cell_is_stored_with_a_number_of_its_execution(kind, stored):
    output = run_notebook.as_stored({"output_type": kind, "data": {"text/plain": "1"}, "metadata": {}, "execution_count": 3})
    assert ("execution_count" in output, output.get("execution_count")) == (stored, None)


def test_markdown_that_begins_with_html_is_compared_and_the_name_of_an_object_is_not():
    shown = {"text/plain": "<Markdown object>", "text/markdown": "<details>the help of a command</details>"}
    assert run_notebook.text_of([{"output_type": "display_data", "data": shown}]) == shown["text/markdown"]


@each_notebook
def test_a_page_starts_with_a_title_and_a_summary_and_nothing_else_in_that_cell(name):
    # nbdev takes the whole first cell for the title block of the page: more text there would not be shown.
    first = cells(NBS / name)[0]
    assert first.kind == "markdown"
    assert re.fullmatch(r"# \S[^\n]*\n+> \S[^\n]*", first.source.strip()), "let the text below go into the next cell"


def code_of(name, exported=None):
    "The code cells of a notebook; those that are exported, those that are not, or all."
    found = (cell for cell in cells(NBS / name) if cell.kind == "code")
    return [cell for cell in found if exported is None or cell.exported == exported]


@each_notebook
def test_a_line_fits_its_column(name):
    for cell in code_of(name):
        widest = WIDEST_SHOWN if "exports" in cell.directives else WIDEST
        wide = [f"{len(line)} columns: {line}" for line in cell.source.splitlines() if len(line) > widest]
        assert wide == [], f"cell {cell.index}, at most {widest} columns"


def test_a_line_of_the_package_holds_one_thought():
    late = [f"{line.notebook} cell {line.cell}, {line.nodes} nodes: {line.text}" for line in density.dense(MOST_NODES)]
    assert late == [], "\n".join([f"at most {MOST_NODES} nodes of the syntax tree in a line:", *late])


def test_nodes_are_counted_in_heads_and_one_line_bodies_and_not_in_data_or_annotations():
    code = 'if a:\n    b = c + 1\nif a: b = c\nx = {"a": [1, 2], "b": None}\ndef f(x: int) -> str: return x\ny: int = f(a)\n'
    assert density.lines_of(code) == {1: 2, 2: 6, 3: 2 + 3, 5: 2, 6: 5}


@each_notebook
def test_no_name_is_given_inside_a_mask_or_a_condition(name):
    for cell in code_of(name, exported=True):
        late = [ast.unparse(part) for part in masks(cell.tree) if any(isinstance(n, ast.NamedExpr) for n in ast.walk(part))]
        assert late == [], f"cell {cell.index}: a walrus needs a line of its own"


def masks(tree):
    "What stands between brackets behind a name, and behind the `if` of a comprehension."
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript):
            yield node.slice
        elif isinstance(node, ast.comprehension):
            yield from node.ifs


@each_notebook
def test_no_loop_over_one_item_replaces_an_assignment(name):
    for cell in code_of(name, exported=True):
        loops = (node.iter for node in ast.walk(cell.tree) if isinstance(node, ast.For | ast.comprehension))
        late = [ast.unparse(over) for over in loops if isinstance(over, ast.List | ast.Tuple | ast.Set) and len(over.elts) == 1 and not isinstance(over.elts[0], ast.Starred)]
        assert late == [], f"cell {cell.index}: for ... in {late}"


@each_notebook
def test_a_cell_ends_before_a_reader_loses_the_thread(name):
    late = {cell.index: lines for cell in code_of(name) if (lines := lines_of_code(cell)) > MOST_LINES}
    assert late == {}, f"cell: lines of code, at most {MOST_LINES}"


def lines_of_code(cell):
    """How many lines of `cell` hold code: no docstring, no comment, no blank line.

    A class stands in one piece, so it counts as much as its longest method."""
    kinds = (ast.Module, ast.FunctionDef, ast.ClassDef)
    texts = [node.body[0] for node in ast.walk(cell.tree) if isinstance(node, kinds) and has_docstring(node)]
    prose = {i for text in texts for i in range(text.lineno, text.end_lineno + 1)}
    lines = enumerate(cell.source.splitlines(), start=1)
    code = {i for i, line in lines if i not in prose and line.strip() and not line.lstrip().startswith("#")}
    methods = [{*range(m.lineno, m.end_lineno + 1)} & code for c in cell.tree.body if isinstance(c, ast.ClassDef)
               for m in c.body if isinstance(m, ast.FunctionDef)]
    return len(code.difference(*methods)) + max(map(len, methods), default=0)


def has_docstring(node):
    return ast.get_docstring(node) is not None


@each_notebook
def test_what_a_cell_exports_is_used_before_the_next_export_and_in_the_open_if_its_code_is_shown(name):
    code = [cell for cell in cells(NBS / name) if cell.kind == "code"]
    starts = [i for i, cell in enumerate(code) if cell.defines]
    unused = {}
    for start, end in pairwise([*starts, len(code)]):
        cell = code[start]
        follow = [c for c in code[start + 1 : end] if not c.exported]
        if "exports" in cell.directives:
            follow = [c for c in follow if "hide" not in c.directives]
        if missing := set(cell.defines) - set().union(*map(names_used, follow)):
            unused[cell.index] = sorted(missing)
    assert unused == {}, "cell: names that no cell uses before the next export"


def names_used(cell):
    "Names and attributes that the code of `cell` mentions."
    nodes = list(ast.walk(cell.tree))
    return {n.id for n in nodes if isinstance(n, ast.Name)} | {n.attr for n in nodes if isinstance(n, ast.Attribute)}


@each_notebook
def test_imports_are_named_one_by_one(name):
    for cell in (c for c in cells(NBS / name) if c.kind == "code"):
        for node in ast.walk(cell.tree):
            stars = isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names)
            assert not stars, f"cell {cell.index}: from {getattr(node, 'module', '')} import *"


# ---- the package ----


def test_the_package_under_test_is_the_one_in_this_folder():
    import irmetrics_nb

    assert Path(irmetrics_nb.__file__).parent == PACKAGE, "remove .venv and run make again"


def test_every_module_is_made_by_a_notebook():
    assert export.stale() == [], "run `make export`"


def test_the_stub_shows_type_checkers_every_public_name():
    assert export.STUB.read_text(encoding="utf-8") == export.stub(), "run `make export`"


@pytest.mark.parametrize(("source", "copy"), export.COPIED.items())
def test_copied_files_of_the_package_equal_their_sources(source, copy):
    assert (PACKAGE / copy).read_bytes() == (NBS / source).read_bytes(), "run `make export`"


def test_every_module_names_its_notebook():
    for name, module in MODULES.items():
        if module and module != "__init__":
            path = file_of(module)
            source = os.path.relpath(NBS / name, path.parent)
            assert f"{MADE} File to edit: {source}" in path.read_text(encoding="utf-8")


def test_every_module_works_without_the_other_modules():
    "Its examples run, and its tables are complete, in a process that imports nothing else."
    found = json.loads(python(ROOT / "tests/tools/alone.py"))
    assert {name.removeprefix(f"{PACKAGE.name}.") for name in found} >= {m for m in MODULES.values() if m and m != "__init__"}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


ALONE = {
    "a misspelt parameter of conventions": "from irmetrics_nb.evaluation.conventions import Conventions as C; C(measures=(('nDCG', 'gian', 'exp'),))",
    "a misspelt kind of conventions": "from irmetrics_nb.evaluation.conventions import Conventions as C; C(measures=(('nDGC', 'gain', 'exp'),))",
    "a misspelt parameter of a measure": "from irmetrics_nb.metrics.registry import KINDS, Measure; Measure(KINDS['nDCG'], {'gian': 'exp'})",
    "a name that is taken": "from irmetrics_nb.metrics.registry import measure; measure('AP')(lambda ranking, /: 1)",
    "another tool's name": "from irmetrics_nb.metrics.registry import measure; measure('map_cut_10')(lambda ranking, /: 1)",
}


@pytest.mark.parametrize("code", ALONE.values(), ids=list(ALONE))
def test_invalid_input_is_an_error_with_one_imported_module(code):
    assert python("-c", f"try: exec({code!r})\nexcept ValueError: print('refused')") == "refused\n"


@pytest.mark.parametrize("first", "sets ap dcg cascade auc parsing names".split())
def test_the_kinds_are_the_same_in_the_order_of_their_pages_whatever_is_imported_first(first):
    from irmetrics_nb.metrics.registry import KINDS, PAGES

    expected = [f"{name}:{kind.page}" for name, kind in KINDS.items() if kind.built_in]
    order = [page.__name__.rpartition(".")[2] for page in PAGES]
    assert len(expected) >= 24 and [page for page, _ in groupby(each.partition(":")[2] for each in expected)] == order
    code = f"import irmetrics_nb.metrics.{first}\nfrom irmetrics_nb.metrics.registry import KINDS\nprint(*[f'{{k.name}}:{{k.page}}' for k in KINDS.values()])"
    assert python("-c", code).split() == expected


def test_notebook_has_the_folder_and_the_name_of_its_module():
    for name, module in MODULES.items():
        if module and "." in module:
            assert (name.parts[0], name.stem) == tuple(module.split(".")), name
        elif module:
            assert (name.parts[0], name.stem) == ("top_level", {"__init__": "names"}.get(module, module)), name


def test_no_module_at_the_top_hides_a_public_name():
    import irmetrics_nb

    assert {module.split(".")[0] for module in MODULES.values() if module} & {*irmetrics_nb.__all__} == set()


@pytest.mark.parametrize("module", sorted(m for m in MODULES.values() if m))
def test_everything_public_has_a_docstring(module):
    room = importlib.import_module("irmetrics_nb" if module == "__init__" else f"irmetrics_nb.{module}")
    assert room.__doc__, f"{module} has no summary"
    bare = [n for n, node in public(parsed(module).body, room.__all__) if not ast.get_docstring(node) and not is_overload(node)]
    assert bare == []


def is_overload(node):
    return "overload" in [ast.unparse(decorator) for decorator in node.decorator_list]


def test_importing_the_package_loads_nothing_heavy_not_even_numpy():
    heavy = "polars scipy matplotlib typer rich jinja2 pandas pyarrow sklearn IPython fastcore nbdev".split()
    code = f"import sys, irmetrics_nb; print([m for m in {heavy} if m in sys.modules], 'numpy' in sys.modules)"
    assert python("-c", code) == "[] False\n"


def test_evaluating_a_dict_loads_at_most_33_modules_of_the_package_and_no_table_library():
    evaluated = "import sys, irmetrics_nb as ir; ir.evaluate({'q': {'d': 1}}, {'q': {'d': 1.0}}, 'nDCG@10')"
    loaded = python("-c", f"{evaluated}; print(*(name for name in sys.modules if name.split('.')[0] in ('irmetrics_nb', 'polars')))").split()
    assert {"irmetrics_nb", "irmetrics_nb.evaluation.evaluation"} <= {*loaded}
    assert len(loaded) - 1 <= 33 and "polars" not in loaded, loaded


def test_every_public_name_can_be_had_from_the_top_and_shows_up_in_dir():
    import irmetrics_nb

    missing = [name for name in LISTS + COLLECTIONS if name not in dir(irmetrics_nb)]
    assert missing == []
    for name in {*LISTS, *COLLECTIONS, *irmetrics_nb.__all__}:
        assert getattr(irmetrics_nb, name) is not None
        assert name in dir(irmetrics_nb)


def test_a_name_that_does_not_exist_is_an_attribute_error():
    import irmetrics_nb

    with pytest.raises(AttributeError, match="average_precison"):
        irmetrics_nb.average_precison  # noqa: B018


def test_the_version_is_the_same_everywhere():
    import irmetrics_nb

    newest = re.search(r"^## \[?(\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert irmetrics_nb.__version__ == SETTINGS["version"]
    assert importlib.metadata.version("irmetrics_nb") == SETTINGS["version"]
    assert newest[1] == SETTINGS["version"]


@pytest.mark.slow
def test_a_wheel_works_in_an_empty_environment(tmp_path):
    (source := tmp_path / "a source").mkdir()
    # A source distribution, and the wheel from it: so what MANIFEST.in forgets is missed.
    by_uv = importlib.util.find_spec("uv") is not None  # in a third of pip's time
    installer = ["--installer", "uv"] * by_uv
    try:
        python("-m", "build", *installer, "--outdir", tmp_path, copy_of_the_project(source), cwd=tmp_path)
    except AssertionError:  # uv may not know the index that pip does
        if not by_uv:
            raise
        by_uv = False
        python("-m", "build", "--outdir", tmp_path, source, cwd=tmp_path)
    (wheel,) = tmp_path.glob(f"irmetrics_nb-{SETTINGS['version']}-*.whl")
    python("-m", "venv", "--without-pip", tmp_path / "empty", cwd=tmp_path)
    program = tmp_path / "empty" / ("Scripts" if os.name == "nt" else "bin") / "python"
    uv, pip = ("uv", "pip", "install", "--python", program), ("pip", "--disable-pip-version-check", "--python", program, "install")
    python("-m", *(uv if by_uv else pip), "-q", wheel, cwd=tmp_path)
    said = subprocess.run([program.parent / "irmetrics", "--help"], capture_output=True, text=True, cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    assert "evaluate" in said.stdout
    code = """if True:
        import irmetrics_nb as ir, pathlib
        print(round(ir.average_precision([1, 0, 0, 1, 1, 1]), 4), ir.__version__, len(ir.load_example().runs))
        print((pathlib.Path(ir.__file__).parent / 'py.typed').exists(), 'site-packages' in ir.__file__)
        print(len(ir.report({'q': {'d': 1}}, {'q': ['d']}, 'AP').to_html()) > 10_000)
        print(all((pathlib.Path(ir.__file__).parent / name).exists() for name in ('play.js', 'play.zh.js')))
        import matplotlib.pyplot as plt; plt.style.use('irmetrics_nb.house')"""
    assert python("-c", code, cwd=tmp_path, program=program) == f"0.6917 {SETTINGS['version']} 6\nTrue True\nTrue\nTrue\n"
    packed = zipfile.ZipFile(wheel).namelist()
    assert {"irmetrics_nb/__init__.pyi", "irmetrics_nb/core/judged.py"} <= {*packed}
    assert "irmetrics_nb/_modidx.py" not in packed, "only the pages need it"


WRITTEN = {".py", ".js", ".ipynb", ".md", ".yml", ".ini", ".toml", ".css", ".scss", ".html", ".bib", ".cff", ".in"}
SKIPPED = {"_proc", "_docs", "build", "dist", "__pycache__"}


def texts():
    "Every text of the project, as (path, text); what is made or installed apart."
    for folder, inner, names in os.walk(ROOT):
        inner[:] = sorted(name for name in inner if name not in SKIPPED and (name[0] != "." or name == ".ci"))
        for path in (Path(folder, name) for name in sorted(names)):
            if path.suffix in WRITTEN or path.name in ("Makefile", "run"):
                yield path.relative_to(ROOT), path.read_text(encoding="utf-8")


@pytest.mark.parametrize(("what", "pattern"), [
    ("the folders of one machine", r"(?<![\w.*])/(?:home|root|work|Users|mnt)/\w|[A-Z]:\\+Users"),
    ("a list of tasks that the reader has not", r"(?i)(?<!/)\b" + "iss" + r"ues?\b(?! of\b|-url:|\])"),  # not what Quarto calls a setting
])  # fmt: skip
def test_project_mentions_no_local_folders_or_task_lists(what, pattern):
    found = [f"{path}: {line.strip()[:90]}" for path, text in texts() for line in text.splitlines() if re.search(pattern, line)]
    assert found == [], what


def test_ruff_finds_nothing():
    done = subprocess.run([sys.executable, "-m", "ruff", "check", "."], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_words_are_spelt_right(tmp_path):
    for name in NOTEBOOKS:
        text = "\n\n".join("".join(cell.source) for cell in cells(NBS / name))
        (tmp_path / str(name).replace("/", "-")).with_suffix(".md").write_text(text, encoding="utf-8")
    for path, text in texts():
        if path.suffix not in (".ipynb", ".html"):
            (tmp_path / str(path).replace("/", "-")).write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "codespell_lib", "--toml", str(ROOT / "pyproject.toml"), "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == "", done.stdout
    (tmp_path / "wrong.md").write_text("an achei" + "vement\n", encoding="utf-8")
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode != 0


# ---- the pages ----


def quarto(path):
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def leaves(contents):
    "The pages of a sidebar, in its order."
    for item in contents:
        if isinstance(item, str):
            yield item
        else:
            yield from [item["href"]] if "href" in item else []
            yield from leaves(item.get("contents", []))


def test_the_sidebar_lists_every_page_once_and_none_that_is_not_there():
    listed = leaves(quarto("_quarto.yml")["website"]["sidebar"]["contents"])
    found = sorted(page for page in listed if "://" not in page)
    made = ["api/index.qmd", "about/changelog.qmd", "about/cite.qmd"]  # by `make docs`
    parts = [f"{part}/index.qmd" for part in ("learn", "guide", "metrics", "reference")]
    wanted = [*map(str, NOTEBOOKS), *(f"zh/{name}" for name in translations()), *parts, *made]
    lacking, gone = sorted({*wanted} - {*found}), sorted({*found} - {*wanted})
    assert not lacking, f"the sidebar lacks {lacking}: add a line with the path to its part of `sidebar` in _quarto.yml"
    assert not gone, f"the sidebar lists {gone}, and there is no such page: remove the line from `sidebar` in _quarto.yml"
    assert found == sorted(wanted), "the sidebar of _quarto.yml lists a page twice: remove one line"


def test_the_settings_of_the_site_are_at_the_root_and_the_stub_only_points_there():
    assert quarto("nbs/_quarto.yml") == {
        "project": {"type": "website"},
        "metadata-files": ["../_quarto.yml", "nbdev.yml"],
    }
    root = quarto("_quarto.yml")
    assert "metadata-files" not in root, "Quarto reads only one level of them"
    assert root["project"]["type"] == "website"
    assert root["format"]["html"]["html-math-method"] == "mathml"
    assert not {"title", "description", "site-url", "repo-url"} & root["website"].keys(), "these come from settings.ini"


def test_every_file_that_the_site_names_is_there():
    root = quarto("_quarto.yml")
    links = [item["href"] for item in root["website"]["navbar"]["left"]]
    css = root["format"]["html"]["css"]
    fonts = re.findall(r'url\("([^"]+)"\)', (NBS / css).read_text(encoding="utf-8"))
    themes = [name for names in root["format"]["html"]["theme"].values() for name in names]
    ends = root["format"]["html"]["include-after-body"]
    for path in [*root["project"]["resources"], css, *fonts, *links, *themes, *ends]:
        assert (NBS / path).exists() or path.startswith("api/"), path
    assert (NBS / root["image"].lstrip("/")).exists()
    assert set(fonts) <= set(root["project"]["resources"]), "a font that is not declared is not copied"


def test_readme_is_index_ipynb_as_markdown():
    assert list(readme.wrong()) == [], "run `make export`"


def prose(text):
    "Markdown without its code and formulas."
    return re.sub(r"^(```|~~~).*?^\1|`[^`\n]*`|\$\$.*?\$\$", "", text, flags=re.MULTILINE | re.DOTALL)


def links(text):
    "(target, words, is a picture) of the links in a piece of Markdown."
    text = prose(text)
    for mark, words, target in re.findall(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(\s*<?([^)\s>]+)", text):
        yield target, words, bool(mark)
    for tag in re.findall(r"<(?:img|a)\b[^>]*>", text):
        found = dict(re.findall(r"""(src|href|alt)=["']([^"']*)["']""", tag))
        yield found.get("src", found.get("href", "#")), found.get("alt", ""), tag.startswith("<img")


def slug(heading):
    "The anchor that Pandoc gives a heading."
    words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    kept = (c for c in words.lower() if c in "_-. " or unicodedata.category(c)[0] in "LNM")
    return re.sub(r"^[^a-z\u00c0-\uffff]+", "", re.sub(r"\s+", "-", "".join(kept).strip()))


def anchors(name):
    "Every anchor of a page: its headings, ids given by hand, what it exports."
    found = set()
    for cell in cells(NBS / name):
        if cell.kind == "code":
            found |= {word for each in cell.defines for word in (each, each.lower())}
            continue
        text = re.sub(r"^```.*?^```", "", cell.source, flags=re.MULTILINE | re.DOTALL)
        found |= set(re.findall(r"\{#([\w-]+)", text)) | set(re.findall(r"""\bid=["']([\w-]+)""", text))
        for heading in re.findall(r"^#{1,6} +(.*?)\s*#*$", text, re.MULTILINE):
            found.add(slug(re.sub(r"\{.*?\}", "", heading)))
    return found


def broken(text, folder):
    "The internal links of `text`, which stands in `folder`, that lead nowhere."
    for target, words, picture in links(text):
        if re.match(r"[a-z][a-z+.-]*:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (folder / path).resolve() if path else None
        if picture and not words.strip():
            yield f"{target} has no words for those who cannot see it"
        if file and not file.exists():
            yield f"{target} is not there"
        elif file and not file.is_relative_to(ROOT):
            yield f"{target} is outside of the project"
        elif file and anchor and file.suffix == ".ipynb" and anchor not in anchors(file.relative_to(NBS)):
            yield f"{target}: no such heading"


@each_notebook
def test_every_internal_link_of_a_page_leads_somewhere(name):
    own = anchors(name)
    for cell in cells(NBS / name):
        text = cell.source if cell.kind == "markdown" else "\n".join(shown_markdown(cell))
        assert list(broken(text, (NBS / name).parent)) == [], f"cell {cell.index}"
        for target, _, _ in links(text):
            assert target[0] != "#" or target[1:] in own, f"cell {cell.index}: {target}"


def shown_markdown(cell):
    "The Markdown among a cell's outputs."
    return ("".join(output.get("data", {}).get("text/markdown", "")) for output in cell.outputs)


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_every_internal_link_of_a_top_level_text_leads_somewhere(name):
    assert list(broken((ROOT / name).read_text(encoding="utf-8"), ROOT)) == []


def test_contributing_names_pages_that_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    names = {name for name in re.findall(r"`([a-z_]+/[a-z_0-9]+)`", text) if not (ROOT / name).is_dir() and not name.startswith("_docs/")}
    assert len(names) > 20
    assert [name for name in sorted(names) if not (NBS / f"{name}.ipynb").exists()] == []


def test_contributing_names_tables_and_tests_that_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    tables = [(name, where.removeprefix("top_level/").replace("/", ".")) for name, where in re.findall(r"`([A-Z_]+)` in `([a-z_/]+)`", text)]
    assert len(tables) > 8
    assert [table for table in tables if not hasattr(importlib.import_module(f"irmetrics_nb.{table[1]}"), table[0])] == []
    tests = set(re.findall(r"`(test_\w+)`", text))
    assert len(tests) > 10 and [name for name in sorted(tests) if not (ROOT / f"tests/{name}.py").exists()] == []


@each_notebook
def test_a_picture_that_code_draws_has_words_for_those_who_cannot_see_it(name):
    # nbdev and Quarto read directives only above the first line of code: one below it counts as a comment.
    for i, cell in enumerate(json.loads((NBS / name).read_text(encoding="utf-8"))["cells"]):
        drawn = any(o.get("data", {}).keys() & {"image/png", "image/svg+xml"} for o in cell.get("outputs", []))
        top = re.match(r"(?:[ \t]*(?:#\|.*)?\n)*", "".join(cell["source"]))[0]
        assert not drawn or re.search(r"^\s*#\|\s*fig-alt:\s*[\"']?\w", top, re.MULTILINE), (
            f"cell {i} needs `#| fig-alt: ...` at its top"
        )


# ---- the commands ----


def make(folder, *args):
    "Run make in `folder`, as if it were not make that runs the tests."
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    return subprocess.run(["make", *args], cwd=folder, env=env, capture_output=True, text=True)


def test_make_without_a_target_lists_all_targets():
    said = make(ROOT).stdout
    named = [line.split()[1] for line in said.splitlines()]
    assert named == "help demo test spark matrix lab export outputs docs lite vectors bench bench-quick bench-spark parity".split()
    assert all(len(line.split()) > 3 for line in said.splitlines())


def test_make_names_the_required_python_if_it_finds_an_older_one(tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in "settings.ini setup.py pyproject.toml".split():
        shutil.copy(ROOT / name, tmp_path)
    text = (tmp_path / "settings.ini").read_text(encoding="utf-8")
    (tmp_path / "settings.ini").write_text(re.sub(r"^min_python = .*$", "min_python = 3.99", text, flags=re.MULTILINE))
    done = make(tmp_path, "demo", f"PYTHON={sys.executable}")
    assert done.returncode != 0
    assert "Python 3.99 or newer is needed" in done.stderr
    assert not (tmp_path / ".venv").exists()


def test_continuous_integration_runs_make_spark_and_make_test():
    assert re.findall(r"^make .*$", (ROOT / ".ci/run").read_text(), re.MULTILINE) == ["make spark", "make test"]
    assert os.access(ROOT / ".ci/run", os.X_OK)
