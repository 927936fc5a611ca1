"Notebooks -> modules and README.md (`make export`). Works in a folder of its own: a failed export changes nothing."
import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import readme
from project import MADE, NBS, PACKAGE, ROOT, notebooks

COPIED = {"play/play.js": "play.js", "house.mplstyle": "house.mplstyle"}  # from the pages into the package
PLAIN = {k: v for k, v in os.environ.items() if k != "IN_TEST"}  # with IN_TEST nbdev exports nothing


def nbdev(command, cwd=ROOT):
    "Run one of nbdev's commands in a process of its own."
    code = f"from nbdev.{command.split(':')[0]} import {command.split(':')[1]} as run; run()"
    done = subprocess.run([sys.executable, "-c", code], cwd=cwd, env=PLAIN, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"nbdev could not do {command}:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def fresh_export(into):
    "Export every notebook below the empty folder `into`; returns {file name: bytes} of the modules."
    shutil.copy(ROOT / "settings.ini", into)
    for name in notebooks():
        (into / "nbs" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(NBS / name, into / "nbs" / name)
    said = nbdev("doclinks:nbdev_export", cwd=into)
    if said.strip():
        print(said.strip(), file=sys.stderr)
    package = into / PACKAGE.name
    for path in package.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        path.write_text(finished(text, path.relative_to(package).parts), encoding="utf-8")
    return {str(p.relative_to(package)): p.read_bytes() for p in sorted(package.rglob("*.py"))}


ABSOLUTE = re.compile(rf"^( *)from {PACKAGE.name}\.(\S+) import ", re.M)
FOR_TYPES = "    ...  # the imports of all public names stand here\n"


def finished(text, place):
    "A module as it is kept: every import of the package is relative, and type checkers see the public names."
    if FOR_TYPES in text:
        text = text.replace(FOR_TYPES, public_imports(text))
    return ABSOLUTE.sub(lambda found: f"{found[1]}from {relative(found[2].split('.'), place)} import ", text)


def relative(target, place):
    "A module of the package as another one, at some place below it, names it."
    folders = list(place[:-1])
    while folders and target[:1] == folders[:1] and len(target) > 1:
        folders, target = folders[1:], target[1:]
    return "." * (len(folders) + 1) + ".".join(target)


def public_imports(text):
    "An import of each name of `_PUBLIC`, as type checkers take it for public."
    assigned = (node for node in ast.parse(text).body if isinstance(node, ast.Assign))
    (listed,) = (node.value for node in assigned if getattr(node.targets[0], "id", "") == "_PUBLIC")
    modules = [item for group in ast.literal_eval(listed).values() for item in group.items()]
    line = "    from .{module} import {name} as {name}\n".format
    return "".join(line(module=module, name=name) for module, names in modules for name in names.split())


def stale(modules):
    "Modules in the package that no notebook makes."
    found = (p for p in PACKAGE.rglob("*.py") if "__pycache__" not in p.parts)
    return sorted(p for p in found if str(p.relative_to(PACKAGE)) not in modules)


def main():
    with tempfile.TemporaryDirectory() as folder:
        modules = fresh_export(Path(folder))
    for name, text in modules.items():
        target = PACKAGE / name
        if not target.exists() or target.read_bytes() != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text)
            print(f"wrote {target.relative_to(ROOT)}")
    for source, copy in COPIED.items():
        if not (PACKAGE / copy).exists() or (PACKAGE / copy).read_bytes() != (NBS / source).read_bytes():
            shutil.copy(NBS / source, PACKAGE / copy)
            print(f"wrote {(PACKAGE / copy).relative_to(ROOT)}")
    for path in stale(modules):
        if MADE in path.read_text(encoding="utf-8"):
            path.unlink()
            print(f"removed {path.relative_to(ROOT)}: no notebook makes it")
        else:
            print(f"left {path.relative_to(ROOT)}: neither a notebook nor nbdev made it")
    nbdev("clean:nbdev_clean")
    for name in readme.write():
        print(f"wrote {name}")
    print(f"{len(modules)} modules and README.md are in step with {len(notebooks())} notebooks.")


if __name__ == "__main__":
    main()
