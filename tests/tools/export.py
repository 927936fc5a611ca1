"Notebooks -> modules and README.md (`make export`). Works in a folder of its own: a failed export changes nothing."
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import readme
from project import MADE, NBS, PACKAGE, ROOT, notebooks

SCRIPT = PACKAGE / "play.js"  # the package's copy of the one script that pages load
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
    return {str(p.relative_to(package)): p.read_bytes() for p in sorted(package.rglob("*.py"))}


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
    if not SCRIPT.exists() or SCRIPT.read_bytes() != (NBS / "play/play.js").read_bytes():
        shutil.copy(NBS / "play/play.js", SCRIPT)
        print(f"wrote {SCRIPT.relative_to(ROOT)}")
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
