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
import zipfile
from itertools import groupby
from pathlib import Path

import export
import pytest
import readme
import run_notebook
import yaml
from forks import pages
from project import MADE, NBS, PACKAGE, ROOT, cells, file_of, module_of, notebooks, settings, translations

SETTINGS = settings()
NOTEBOOKS = notebooks()
MODULES = {name: module_of(NBS / name) for name in NOTEBOOKS}
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


@pytest.mark.parametrize(("kind", "stored"), [("display_data", False), ("execute_result", True)])
def test_only_the_result_of_a_cell_is_stored_with_a_number_of_its_execution(kind, stored):
    output = run_notebook.as_stored({"output_type": kind, "data": {"text/plain": "1"}, "metadata": {}, "execution_count": 3})
    assert ("execution_count" in output, output.get("execution_count")) == (stored, None)


def test_markdown_that_begins_with_html_is_compared_and_the_name_of_an_object_is_not():
    shown = {"text/plain": "<Markdown object>", "text/markdown": "<details>the help of a command</details>"}
    assert run_notebook.text_of([{"output_type": "display_data", "data": shown}]) == shown["text/markdown"]


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


def test_importing_the_package_loads_nothing_heavy_not_even_numpy():
    heavy = "polars scipy matplotlib typer rich jinja2 pandas pyarrow sklearn IPython fastcore nbdev".split()
    code = f"import sys, irmetrics_nb; print([m for m in {heavy} if m in sys.modules], 'numpy' in sys.modules)"
    assert python("-c", code) == "[] False\n"


def test_evaluating_a_dict_loads_34_modules_pages_of_metrics_and_no_table_library():
    from irmetrics_nb.metrics.registry import PAGES

    evaluated = "import sys, irmetrics_nb as ir; ir.evaluate({'q': {'d': 1}}, {'q': {'d': 1.0}}, 'nDCG@10')"
    loaded = python("-c", f"{evaluated}; print(*(name for name in sys.modules if name.split('.')[0] in ('irmetrics_nb', 'polars')))").split()
    assert {"irmetrics_nb", "irmetrics_nb.evaluation.evaluation"} <= {*loaded}
    assert len(loaded) - 1 - len(PAGES) <= 34 and "polars" not in loaded, loaded


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
    assert not lacking, f"the sidebar lacks {lacking}: add a line with the path to its part of `sidebar` in _quarto.yml (`make export` adds a guide page whose last cell has `Next: [...](page.ipynb)`)"
    assert not gone, f"the sidebar lists {gone}, and there is no such page: remove the line from `sidebar` in _quarto.yml"
    assert found == sorted(wanted), "the sidebar of _quarto.yml lists a page twice: remove one line"


def test_export_lists_a_guide_page_above_the_page_that_comes_next():
    sidebar = "contents:\n          - guide/a.ipynb\n          - text: Other\n          - guide/b.ipynb\n          - guide/gone.ipynb\n"
    ends = {"guide/a.ipynb": "Next: [b](b.ipynb)", "guide/b.ipynb": "", "guide/new.ipynb": "See [a](a.ipynb). Next: [x](../learn/ap.ipynb) · [b](b.ipynb)"}
    expected = "contents:\n          - guide/a.ipynb\n          - text: Other\n          - guide/new.ipynb\n          - guide/b.ipynb\n"
    assert export.with_guide(sidebar, ends) == expected == export.with_guide(expected, ends)
    assert "lost" not in export.with_guide(sidebar, ends | {"guide/lost.ipynb": "Next: [x](../learn/ap.ipynb)"})


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


def afternoon():
    "The text of the page that leads developers through the code."
    return "\n".join(cell.source for cell in cells(NBS / "reference/afternoon.ipynb") if cell.kind == "markdown")


def count_lines(package):
    "Return how many lines of code a package has, without docstrings, comments and blank lines; '' is all packages."
    return sum(map(lines_of_module, (PACKAGE / package).rglob("*.py"))) - lines_of_module(PACKAGE / "_modidx.py") * (not package)


def lines_of_module(path):
    text = path.read_text(encoding="utf-8")
    with_docstring = (ast.Module, ast.FunctionDef, ast.ClassDef)
    docs = [node.body[0] for node in ast.walk(ast.parse(text)) if isinstance(node, with_docstring) and ast.get_docstring(node)]
    prose = {i for doc in docs for i in range(doc.lineno, doc.end_lineno + 1)}
    lines = enumerate(text.splitlines(), start=1)
    return sum(i not in prose and line.strip() != "" and line.strip()[0] != "#" for i, line in lines)


CORE = "core metrics data results evaluation".split()


def test_the_pages_for_developers_say_how_many_lines_there_are():
    text = afternoon()
    sections = dict(re.findall(r"^## \d\. (\w+)\n(.*?)(?=^## )", text, re.MULTILINE | re.DOTALL))
    assert [name.lower() for name in sections] == CORE
    said = {name.lower(): section for name, section in sections.items()} | {"": text.partition("## After the core")[2]}
    found = {name: count_lines(name) for name in said}
    wrong = [f"{name or 'all packages'}: write {found[name]:,}" for name, section in said.items() if not is_near(section, found[name])]
    texts = {"afternoon": text.partition("## ")[0], "CONTRIBUTING.md": (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")}
    total = sum(found[name] for name in CORE)
    wrong += [f"{name}, core: write {total:,}" for name, text in texts.items() if not is_near(text, total)]
    assert wrong == []


def is_near(text, lines):
    "Whether the first `about N lines of code` of a text is within 10 % of the lines."
    found = re.search(r"about ([\d,]+) lines of code", text)
    return bool(found) and abs(int(found[1].replace(",", "")) - lines) <= 0.1 * lines


def test_the_page_for_developers_lists_every_module_of_the_core():
    listed = set(re.findall(r"\]\(\.\./([a-z_]+/[a-z_]+)\.ipynb\)", afternoon()))
    assert sorted({module.replace(".", "/") for module in MODULES.values() if module and module.split(".")[0] in CORE} - listed) == []


def test_the_page_for_developers_names_tables_that_exist():
    tables = re.findall(r"`([A-Z_]+)` in \[([a-z_]+/[a-z_]+)\]", afternoon())
    assert len(tables) == 5
    assert [table for table in tables if not hasattr(importlib.import_module(f"irmetrics_nb.{table[1].replace('/', '.')}"), table[0])] == []


# ---- the commands ----


def make(folder, *args):
    "Run make in `folder`, as if it were not make that runs the tests."
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    return subprocess.run(["make", *args], cwd=folder, env=env, capture_output=True, text=True)


def test_make_without_a_target_lists_all_targets():
    said = make(ROOT).stdout
    named = [line.split()[1] for line in said.splitlines()]
    assert named == "help demo test lint spark matrix lab export outputs docs lite vectors bench bench-quick bench-spark parity".split()
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


def test_continuous_integration_runs_make_lint_spark_and_test():
    assert re.findall(r"^make .*$", (ROOT / ".ci/run").read_text(), re.MULTILINE) == ["make lint", "make spark", "make test"]
    assert os.access(ROOT / ".ci/run", os.X_OK)
