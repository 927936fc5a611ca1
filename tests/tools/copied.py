"""Runs what a reader copies from a page of the guide, in an empty folder: code cells and commands, in their order.

A file has the steps: [[kind, text, expected exit code], ...]; the folder has the name of the file without its ending.
"""
import json
import os
import subprocess
import sys
import warnings
from contextlib import redirect_stdout
from pathlib import Path

from project import ROOT

TOOLS = Path(__file__).parent


def run(path):
    "Run the steps, which have nothing but the names of the page; raises what a step raises."
    import matplotlib

    matplotlib.use("agg")  # nobody looks at the pictures
    os.environ |= {"MPLBACKEND": "agg", "PYTHONPATH": str(ROOT)}
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    sys.path[:] = ["", *(folder for folder in sys.path if Path(folder) != TOOLS)]
    os.chdir(path.with_suffix(""))
    warnings.simplefilter("error")
    warnings.filterwarnings("ignore", category=ResourceWarning)
    page = {"__name__": "__main__"}
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
        for kind, text, code in json.loads(path.read_text(encoding="utf-8")):
            if kind == "python":
                exec(compile(text, "a cell of the page", "exec"), page)
            else:
                in_the_shell(text, code)


def in_the_shell(text, code):
    done = subprocess.run(["sh", "-ec", text], capture_output=True, text=True)
    said = f"{text}{done.stdout[-500:]}{done.stderr[-500:]}"
    assert done.returncode == code, f"{said}: exit code {done.returncode}, not {code}"
