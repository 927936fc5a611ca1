"The pages (`make docs`): processed into _proc/, rendered into _docs/ where quarto is installed. README.md stays."
import os
import shutil
import subprocess
import warnings
from pathlib import Path

from nbdev import processors, serve_drv

# Code that is used but not public is shown like any other: a page opens up what stands behind its door.
processors._hide_dirs = processors._hide_dirs - {"exporti"}

process_one = serve_drv.main


def in_its_folder(job):
    "Process one notebook where JupyterLab would run it, so that the relative paths in it hold."
    page, target, filters = job
    page, target, here = page.resolve(), target.resolve(), Path.cwd()
    # Said of every cell that imports and does something else as well; here such cells do no harm.
    warnings.filterwarnings("ignore", message="Found cells containing imports and other code")
    os.chdir(page.parent)
    try:
        process_one((page, target, filters))
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
    done = proc_nbs(os.path.relpath(get_config().nbs_path), n_workers=0, force=True)
    return len(list(done.rglob("*.ipynb")))


def render():
    "Render _proc/ with quarto and move the site to _docs/."
    subprocess.run(["quarto", "render", "--no-cache"], cwd="_proc", check=True)
    shutil.rmtree("_docs", ignore_errors=True)
    shutil.move("_proc/_docs", "_docs")


def main():
    print(f"{process()} pages are processed in {Path('_proc').resolve()}.")
    if shutil.which("quarto"):
        render()
        print("The site is rendered: open _docs/index.html.")
    else:
        print("Only the rendering is missing: there is no program 'quarto' here (see quarto.org).")


if __name__ == "__main__":
    main()
