"""The lessons in the reader's browser: `make lite` puts JupyterLite into the rendered site, at _docs/lite.

It needs a distribution of Pyodide with numpy, scipy, matplotlib and scikit-learn: the folder in the variable PYODIDE,
or the one in the wheel `CARRIER`, as no index has these packages for the browser. Pure wheels that the distribution
lists and does not have, this package, and what its lessons import are added to the lock file. Nothing comes from other
hosts when a lesson runs.
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import nbformat
from project import notebooks

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "_docs"
LITE = SITE / "lite"
CACHE = ROOT / ".venv-lite" / "pyodide"
CARRIER = "open-webui==0.12.4"
COMPILED = "numpy scipy matplotlib scikit-learn ipython jedi micropip".split()  # of the distribution
PURE = """fastcore tabulate jinja2 anywidget psygnal comm typing-extensions ipywidgets jupyterlab-widgets
    widgetsnbextension""".split()
FOLDERS = """learn tutorials guide/which_metric guide/questions guide/questions_numbers reference/glossary
    reference/errata""".split()
LEFT_OUT = {
    "tutorials/bad_query.ipynb": "polars has no wheel for this Pyodide",
    "tutorials/clicks.ipynb": "polars has no wheel for this Pyodide",
    "tutorials/first_lab.ipynb": "polars has no wheel for this Pyodide",
    "tutorials/judgments.ipynb": "polars has no wheel for this Pyodide",
    "tutorials/my_ndcg.ipynb": "LightGBM is compiled",
    "tutorials/two_tools.ipynb": "pytrec_eval is compiled",
}  # lessons that need what the browser does not have, with the reason
KERNEL = {"name": "python", "display_name": "Python (Pyodide)", "language": "python"}
TITLE = '<header id="title-block-header"'
LAB = re.compile(r'<span class="browser-lab">(.*?)</span>', re.DOTALL)  # on the page of the lessons


def pip(*args):
    "Run pip in this environment."
    subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", "-qq", *args], check=True)


def wheels(folder, *names):
    "Download pure wheels for the Python of Pyodide, without what they need."
    where = "--platform", "any", "--python-version", "3.14"
    pip("download", "--no-deps", "--only-binary", ":all:", *where, "-d", str(folder), *names)


def distribution():
    "Return the folder of a Pyodide distribution."
    if given := os.environ.get("PYODIDE"):
        return Path(given)
    if not (CACHE / "pyodide-lock.json").exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            pip("download", "--no-deps", "-d", folder, CARRIER)
            (carrier,) = Path(folder).glob("*.whl")
            with zipfile.ZipFile(carrier) as archive:
                for name in archive.namelist():
                    inside = name.partition("/frontend/pyodide/")[2]
                    if inside and not name.endswith("/"):
                        (CACHE / inside).parent.mkdir(parents=True, exist_ok=True)
                        (CACHE / inside).write_bytes(archive.read(name))
    return CACHE


def needed(lock):
    "Return the names of the packages in the lock file that `COMPILED` needs, itself included."
    found, todo = set(), list(COMPILED)
    while todo:
        name = re.sub(r"[-_.]+", "-", todo.pop()).lower()
        if name in lock["packages"] and name not in found:
            found.add(name)
            todo += lock["packages"][name]["depends"]
    return found


def copy_distribution(target):
    "Copy what the lessons need of a distribution, with its lock file; download the pure wheels that it lacks."
    source = distribution()
    lock = json.loads((source / "pyodide-lock.json").read_text(encoding="utf-8"))
    lock["packages"] = {name: lock["packages"][name] for name in sorted(needed(lock))}
    target.mkdir(parents=True)
    for name in "pyodide.js pyodide.mjs pyodide.asm.mjs pyodide.asm.js pyodide.asm.wasm python_stdlib.zip".split():
        if (source / name).exists():
            shutil.copy(source / name, target)
    for name, package in lock["packages"].items():
        path = source / package["file_name"]
        if path.exists():
            shutil.copy(path, target)
        else:
            wheels(target, f"{name}=={package['version']}")
            package["file_name"] = next(p.name for p in target.glob("*.whl") if same(p, name))
    return lock


def same(path, name):
    "Return whether a wheel is one of a package."
    return re.sub(r"[-_.]+", "-", path.name.partition("-")[0]).lower() == re.sub(r"[-_.]+", "-", name).lower()


def pure_markupsafe(target):
    "Write a wheel of markupsafe, which jinja2 needs, without its compiled part, which is optional."
    with tempfile.TemporaryDirectory() as folder:
        pip("download", "--no-deps", "--only-binary", ":all:", "-d", folder, "markupsafe")
        (compiled,) = Path(folder).glob("*.whl")
        version = compiled.name.split("-")[1]
        made = target / f"markupsafe-{version}-py3-none-any.whl"
        with zipfile.ZipFile(compiled) as archive, zipfile.ZipFile(made, "w") as pure:
            for name in archive.namelist():
                if not name.endswith((".so", ".pyd")):
                    pure.writestr(name, archive.read(name))


def add_package(lock, path, depends=()):
    "Add a pure wheel to the lock file, found by the modules in it."
    name, version = path.name.split("-")[:2]
    with zipfile.ZipFile(path) as archive:
        names = [each for each in archive.namelist() if not re.match(r"[^/]*\.(dist-info|data)/", each)]
    modules = {each.split("/")[0].removesuffix(".py") for each in names}
    lock["packages"][name.replace("_", "-").lower()] = {
        "name": name, "version": version, "file_name": path.name, "install_dir": "site", "package_type": "package",
        "sha256": "", "imports": sorted(modules), "depends": list(depends), "unvendored_tests": False,
    }


def add_ours(lock, target):
    "Add the package and the pure packages that the lessons import."
    wheels(target, *PURE)
    pure_markupsafe(target)
    build = [sys.executable, "-m", "build", "--wheel", "-o", str(target), str(ROOT)]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    depends = {
        "irmetrics_nb": ["numpy", "scipy", "matplotlib", "tabulate", "jinja2", "anywidget"],
        "jinja2": ["markupsafe"],
        "anywidget": ["ipywidgets", "psygnal", "typing-extensions"],
        "ipywidgets": ["comm", "traitlets", "jupyterlab-widgets", "widgetsnbextension"],
    }
    lock["packages"]["matplotlib-inline"]["depends"] += ["matplotlib"]  # which it imports
    known = {package["file_name"] for package in lock["packages"].values()}
    for path in sorted(target.glob("*.whl")):
        if path.name not in known:
            add_package(lock, path, depends.get(path.name.partition("-")[0], ()))
    for package in lock["packages"].values():
        package["sha256"] = hashlib.sha256((target / package["file_name"]).read_bytes()).hexdigest()
    (target / "pyodide-lock.json").write_text(json.dumps(lock), encoding="utf-8")


def lessons():
    "Return the notebooks that run in the browser, as paths below nbs."
    found = notebooks()  # without the checkpoints of JupyterLab
    named = [name for name in found if any(name.as_posix().startswith((f"{each}/", f"{each}.")) for each in FOLDERS)]
    return sorted(name for name in named if name.as_posix() not in LEFT_OUT)


def copies(folder):
    "Write the notebooks with the kernel of the browser: some lessons read others."
    for path in (ROOT / "nbs").rglob("*.ipynb"):
        name = path.relative_to(ROOT / "nbs")
        if name.parts[0] != "zh" and not any(part[0] in "._" for part in name.parts):
            book = nbformat.read(path, as_version=4)  # joins lines, which JupyterLite does not do for itself
            book["metadata"]["kernelspec"] = KERNEL
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(json.dumps(book, ensure_ascii=False), encoding="utf-8")


def link_pages():
    "Put the link \"Open in the browser\" above the title of every lesson's page; on the page of all, link the lab."
    page = SITE / "learn/index.html"
    page.write_text(linked_lab(page.read_text(encoding="utf-8")), encoding="utf-8")
    for name in lessons():
        page = SITE / name.with_suffix(".html")
        up = "../" * (len(name.parts) - 1)
        address = f"{up}lite/notebooks/index.html?path={name.as_posix()}"
        link = f'<p class="language"><a href="{address}">Open in the browser</a></p>\n'
        text = page.read_text(encoding="utf-8")
        if link not in text:
            page.write_text(text.replace(TITLE, link + TITLE, 1), encoding="utf-8")


def linked_lab(text):
    """HTML in which the words for the lab lead to it.

    >>> linked_lab('<span class="browser-lab">the lab</span>')
    '<a class="browser-lab" href="../lite/lab/index.html">the lab</a>'"""
    return LAB.sub(r'<a class="browser-lab" href="../lite/lab/index.html">\1</a>', text)


def main():
    if not (SITE / "index.html").exists():
        sys.exit("There is no rendered site in _docs: run `make docs` first, where quarto is installed.")
    shutil.rmtree(LITE, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        copies(here / "files")
        kernel = {"pyodideUrl": "./static/pyodide/pyodide.mjs", "disablePyPIFallback": True}
        plugins = {"@jupyterlite/pyodide-kernel-extension:kernel": kernel}
        data = {"litePluginSettings": plugins, "exposeAppInBrowser": True}  # tests/test_lite.py runs lessons by it
        config = {"jupyter-lite-schema-version": 0, "jupyter-config-data": data}
        (here / "jupyter-lite.json").write_text(json.dumps(config), encoding="utf-8")
        whole = {"@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"}}  # all cells are on the page
        (here / "overrides.json").write_text(json.dumps(whole), encoding="utf-8")
        command = [sys.executable, "-m", "jupyterlite_core", "build", "--contents", "files", "--output-dir", str(LITE)]
        done = subprocess.run([*command, "--no-sourcemaps"], cwd=here, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stdout[-2000:] + done.stderr[-2000:])
    add_ours(copy_distribution(LITE / "static" / "pyodide"), LITE / "static" / "pyodide")
    link_pages()
    size = sum(path.stat().st_size for path in LITE.rglob("*") if path.is_file()) / 1e6
    print(f"{len(lessons())} lessons run in the browser, from {size:.0f} MB in {LITE}.")


if __name__ == "__main__":
    main()
