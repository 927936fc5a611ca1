"The pages (`make docs`): processed into _proc/, rendered into _docs/ where quarto is installed. README.md stays."
import os
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import about
import api
import landing
import pages
import rendered
from nbdev import processors, serve_drv
from project import Cell

# Code that is used but not public is shown like any other: a page opens up what stands behind its door.
processors._hide_dirs = processors._hide_dirs - {"exporti"}

process_one = serve_drv.main


class Doors(processors.Processor):
    "A door above each definition, where nbdev would set a copy of its signature and docstring: those have API pages."

    def begin(self):
        for cell in reversed([cell for cell in self.nb.cells if cell.cell_type == "code"]):
            marks = "".join(f"#| {name} {' '.join(words)}\n" for name, words in cell.directives_.items())
            seen = Cell("code", marks + cell.source, [], cell.idx_)
            if "hide" not in seen.directives and (text := pages.door(seen, self.module)):
                self.nb.cells.insert(cell.idx_, processors.mk_cell(text, "markdown"))

    @property
    def module(self):
        "The module that the page exports, or None."
        found = [c.directives_["default_exp"][0] for c in self.nb.cells if "default_exp" in (c.directives_ or {})]
        return found[0] if found else None


class Steps(processors.FilterDefaults):
    "nbdev's steps without those that make and run copies of docstrings, and without links by absolute address."

    def base_procs(self):
        left = {"add_show_docs", "clean_show_doc", "exec_show_docs", "mv_exports", "add_fold", "add_links"}
        kept = [step for step in super().base_procs() if step.__name__ not in left]
        return [*kept[:2], Doors, *kept[2:]]


def in_its_folder(job):
    "Process one notebook where JupyterLab would run it, so that the relative paths in it hold."
    page, target, _ = job
    page, target, here = page.resolve(), target.resolve(), Path.cwd()
    # Said of every cell that imports and does something else as well; here such cells do no harm.
    warnings.filterwarnings("ignore", message="Found cells containing imports and other code")
    os.chdir(page.parent)
    try:
        process_one((page, target, Steps))
    finally:
        os.chdir(here)


def process():
    "Process the notebooks of the project in the current folder for rendering; returns how many."
    from nbdev.config import get_config
    from nbdev.quarto import refresh_quarto_yml
    from nbdev.serve import proc_nbs

    refresh_quarto_yml()
    serve_drv.main = in_its_folder
    # A relative path: nbdev passes over files whose path has a part that starts with a dot, also above the project.
    # One process: nbdev's workers would not see in_its_folder.
    folder = os.path.relpath(get_config().nbs_path)
    done = proc_nbs(folder, n_workers=0, force=True)
    names = api.write(done / "api")
    about.write(done)
    landing.write(done)
    doi = pages.dois((Path(folder) / "references.bib").read_text(encoding="utf-8"))
    processed = sorted(done.rglob("*.ipynb"))
    for path in processed:
        pages.prepare(path, path.relative_to(done), names, doi)
    return len(processed)


def render():
    "Render _proc/ with quarto, finish what it made and move the site to _docs/."
    about.sample(Path("_proc/samples"))
    command = ["quarto", "render", "--no-cache"]
    odd = []
    with subprocess.Popen(command, cwd="_proc", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as run:
        for line in run.stdout:
            print(line, end="")
            odd += [line] * bool(re.search("WARN(ING)?", line))
    if run.returncode or odd:
        sys.exit("".join(["quarto did not render the site without a warning:\n", *odd]))
    rendered.finish(Path("_proc/_docs"))
    shutil.rmtree("_docs", ignore_errors=True)
    shutil.move("_proc/_docs", "_docs")


def main():
    print(f"{process()} pages are processed in {Path('_proc').resolve()}.")
    if shutil.which("quarto"):
        render()
        print("The site is rendered. To read it, run this command and open http://localhost:8000:")
        print("python -m http.server --directory _docs")
    else:
        print("Only the rendering is missing: there is no program 'quarto' here (see quarto.org).")


if __name__ == "__main__":
    main()
