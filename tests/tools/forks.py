"""Runs notebooks, each in a fork of one process that has loaded what all of them load.

    python tests/tools/forks.py < jobs     # a line for each: ["run_notebook", "run", "nbs/metrics/ap.ipynb"]

Answers each with a line of JSON: what `run_notebook.run`, `play.played` or `copied.run` says, or null if nothing is
wrong. Starting Python, IPython and matplotlib for every page takes longer than most pages do.
"""
import atexit
import gc
import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

TOOLS = Path(__file__).resolve().parent
# Not polars, whose threads a fork would lose.
LOADED = """IPython.core.magics.execution copied email.parser execnb.shell execnb.nbio fastcore.test importlib.readers
    jinja2 matplotlib.backends.backend_svg matplotlib.pyplot matplotlib_inline.backend_inline numpy pandas play
    rich.table run_notebook sklearn.metrics scipy.optimize scipy.sparse scipy.stats tabulate typer""".split()


class Pages:
    "A process that forks for every page; where nothing can be forked, a process is started instead."

    def __init__(self):
        env = {k: v for k, v in os.environ.items() if k != "IN_TEST"} | {"MPLBACKEND": "module://matplotlib_inline.backend_inline"}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.start = lambda: subprocess.Popen([sys.executable, __file__], env=env, cwd=TOOLS.parents[1], **pipes)
        self.process = None

    def __call__(self, tool, function, path):
        "What a function of a tool says of a page; nothing if all is well."
        if self.process is None or sys.platform != "linux":
            self.process = self.start()
            atexit.register(self.process.communicate)
        print(json.dumps([tool, function, str(path)]), file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if sys.platform != "linux":
            self.process.communicate()
        return json.loads(answer) if answer else "the process ended without an answer"


pages = Pages()  # one for all tests of a worker


def main():
    "Answer line by line until there are no more."
    sys.path.insert(0, str(TOOLS.parents[1]))
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a page prints past its cells is no answer
    for name in [*LOADED, *modules_of_the_package()]:
        import_module(name)
    gc.collect()
    gc.freeze()  # so that no page looks for garbage in what all have in common
    for line in sys.stdin:
        if sys.platform != "linux":
            print(json.dumps(worked(*json.loads(line))), file=answers, flush=True)
            continue
        said, say = os.pipe()
        if not os.fork():
            os.close(said)
            with os.fdopen(say, "w") as out:
                out.write(json.dumps(worked(*json.loads(line))))
            leave()
        os.close(say)
        with os.fdopen(said) as pipe:
            answer = pipe.read()
        os.wait()
        print(answer or json.dumps("the page ended its process"), file=answers, flush=True)


def leave():
    "End a fork: taking down one by one all that is loaded takes longer than most pages do."
    atexit._run_exitfuncs()
    sys.stdout.flush()
    os._exit(0)


def modules_of_the_package():
    "All modules but those that need a program or a library which may not be here."
    package = import_module("irmetrics_nb")
    found = (module.name for module in walk_packages(package.__path__, "irmetrics_nb."))
    return [name for name in found if not re.search("spark|widget|_modidx", name)]


def worked(tool, function, path):
    "What the function says, or how it failed."
    try:
        return getattr(import_module(tool), function)(Path(path)) or None
    except BaseException as e:
        return f"{type(e).__name__}: {e}"


if __name__ == "__main__":
    main()
