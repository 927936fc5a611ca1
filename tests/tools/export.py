"""Notebooks -> modules and README.md (`make export`): nbdev_export and nbdev_clean, and what nbdev does not write.

These are the stub that shows type checkers the public names, the files that pages and package share, the lines of
guide pages in the sidebar, and README.md.
"""
import os
import re
import runpy
import shutil
import subprocess
import sys

import readme
from project import MADE, NBS, PACKAGE, ROOT, cells, file_of, module_of, notebooks

STUB = PACKAGE / "__init__.pyi"
# From the pages into the package.
COPIED = {"play/play.js": "play.js", "play/play.zh.js": "play.zh.js", "house.mplstyle": "house.mplstyle"}


def nbdev(command, cwd=ROOT):
    "Run one of nbdev's commands in a process of its own, and return what it printed."
    code = f"from nbdev.{command.split(':')[0]} import {command.split(':')[1]} as run; run()"
    env = {k: v for k, v in os.environ.items() if k != "IN_TEST"}  # with IN_TEST nbdev exports nothing
    done = subprocess.run([sys.executable, "-c", code], cwd=cwd, env=env, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"nbdev could not do {command}:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def stub():
    "Return the stub of the package: an import of each public name."
    modules = runpy.run_path(str(PACKAGE / "__init__.py"))["_home"]
    lines = [f"from .{module} import {name} as {name}\n" for name, module in modules.items()]
    return "".join(["# Made by `make export` from the list of public names.\n", *lines, "\n__version__: str\n"])


def stale():
    "Return the modules in the package that no notebook makes."
    made = {file_of(module) for name in notebooks() if (module := module_of(NBS / name))}
    folders = {path.parent / "__init__.py" for path in made}  # nbdev makes these, and its index
    return sorted({*PACKAGE.rglob("*.py")} - made - folders - {PACKAGE / "_modidx.py"})


def with_guide(sidebar, ends):
    """Return the text of _quarto.yml with a line for each page of the guide.

    ends: {page: its last cell}, such as {"guide/new.ipynb": "Next: [Install](install.ipynb)"}. A page without a line
    goes above the first page of the guide that its `Next:` links to. A line without a page is removed."""
    lines = []
    for line in sidebar.splitlines(keepends=True):
        listed = re.fullmatch(r" +- (guide/\S+\.ipynb)\n", line)
        if not listed or listed[1] in ends:
            lines.append(line)
    for page in sorted(ends):
        places = {line.strip(): i for i, line in enumerate(lines)}
        linked = re.findall(r"\((\w+\.ipynb)", ends[page].rpartition("Next: ")[2])
        below = next((places[f"- guide/{link}"] for link in linked if f"- guide/{link}" in places), None)
        if f"- {page}" not in places and below is not None:
            indent = lines[below].partition("-")[0]
            lines.insert(below, f"{indent}- {page}\n")
    return "".join(lines)


def main():
    print(nbdev("doclinks:nbdev_export"), end="")
    STUB.write_text(stub(), encoding="utf-8")
    for source, copy in COPIED.items():
        shutil.copy(NBS / source, PACKAGE / copy)
    for path in stale():
        if MADE in path.read_text(encoding="utf-8"):
            path.unlink()
            print(f"removed {path.relative_to(ROOT)}: no notebook makes it")
    nbdev("clean:nbdev_clean")
    quarto = ROOT / "_quarto.yml"
    ends = {name.as_posix(): cells(NBS / name)[-1].source for name in notebooks() if name.parts[0] == "guide"}
    quarto.write_text(with_guide(quarto.read_text(encoding="utf-8"), ends), encoding="utf-8")
    readme.write()
    print(f"The modules and README.md are in step with {len(notebooks())} notebooks.")


if __name__ == "__main__":
    main()
