"""Notebooks -> modules and README.md (`make export`): nbdev_export and nbdev_clean, and what nbdev does not write.

These are the stub that shows type checkers the public names, the files that pages and package share, and README.md.
"""
import os
import runpy
import shutil
import subprocess
import sys

import readme
from project import MADE, NBS, PACKAGE, ROOT, file_of, module_of, notebooks

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
    readme.write()
    print(f"The modules and README.md are in step with {len(notebooks())} notebooks.")


if __name__ == "__main__":
    main()
