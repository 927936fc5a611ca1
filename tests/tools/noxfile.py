"""The quick tests on every Python that is here, and with the oldest versions that settings.ini allows (`make matrix`).

One of them alone: `make matrix ARGS="-s tests-3.12"`. Pythons installed by pyenv are found without being switched on.
"""
import os
import re
import sys
from pathlib import Path

import nox

sys.path.insert(0, str(Path(__file__).parent))
from project import ROOT, settings  # noqa: E402

SETTINGS = settings()
PYTHONS = ["3.11", "3.12", "3.13"]
QUICK = ["-m", "not slow", "-p", "no:cacheprovider"]  # the sessions share a folder: no cache of the last failures

nox.needs_version = ">=2024.10"
nox.options.default_venv_backend = "venv"
nox.options.error_on_missing_interpreters = False
nox.options.envdir = str(ROOT / ".nox")
nox.options.reuse_venv = "yes"


def pyenv_pythons():
    "The folders in which pyenv keeps the Pythons of PYTHONS."
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    return [str(p / "bin") for version in PYTHONS for p in sorted(root.glob(f"{version}.*"))]


os.environ["PATH"] = os.pathsep.join([*pyenv_pythons(), os.environ["PATH"]])


def check(session, *constraints):
    "Install the package with its tools, say which versions came, and run the quick tests."
    session.chdir(ROOT)
    session.install("-e", ".[dev]", *constraints)
    session.run("python", "-c", VERSIONS, *map(name_of, SETTINGS["requirements"].split()))
    session.run("python", "-m", "pytest", *(session.posargs or QUICK))
    session.run("python", "tests/tools/across.py", ".nox/results")  # verifies what earlier sessions saved, too


VERSIONS = "import sys, importlib.metadata as m; print(*(f'{x} {m.version(x)}' for x in sys.argv[1:]), sep=', ')"


def name_of(requirement):
    return re.split(r"[<>=!~]", requirement)[0]


@nox.session(python=PYTHONS)
def tests(session):
    "The quick tests with the newest versions of everything."
    check(session)


@nox.session(python=PYTHONS[0])
def oldest(session):
    "The quick tests with the oldest versions that settings.ini allows."
    pins = Path(session.create_tmp()) / "oldest.txt"
    pins.write_text("\n".join(SETTINGS["requirements"].replace(">=", "==").split()))
    check(session, "-c", str(pins))
