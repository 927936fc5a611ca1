"""Runs what a reader copies from a page of the guide, in an empty folder: code cells and commands, in their order.

A file has the steps: [[kind, text, expected exit code], ...]; the folder has the name of the file without its ending.
"""
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
import warnings
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path

from project import ROOT

TOOLS = Path(__file__).parent
# Asks the process that listens to run a command, with the arguments, the folder and the files of this one.
COMMAND = """#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as asked:
    asked.connect({address!r})
    socket.send_fds(asked, [json.dumps([sys.argv, os.getcwd(), dict(os.environ)]).encode()], [0, 1, 2])
    sys.exit(int(asked.recv(9)))
"""


def run(path):
    "Run the steps, which have nothing but the names of the page; raises what a step raises."
    import matplotlib

    matplotlib.use("agg")  # nobody looks at the pictures
    os.environ |= {"MPLBACKEND": "agg", "PYTHONPATH": str(ROOT)}
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    sys.path[:] = [folder for folder in sys.path if Path(folder) != TOOLS]
    steps = json.loads(path.read_text(encoding="utf-8"))
    with commands_in_forks():
        sys.path.insert(0, "")
        os.chdir(path.with_suffix(""))
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=ResourceWarning)
        warnings.filterwarnings("ignore", "invalid escape sequence", module=".*site-packages")  # in another package
        page = {"__name__": "__main__"}
        with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
            for kind, text, code in steps:
                if kind == "python":
                    exec(compile(text, "a cell of the page", "exec"), page)
                else:
                    in_the_shell(text, code)


def in_the_shell(text, code):
    done = subprocess.run(["sh", "-ec", text], capture_output=True, text=True)
    said = f"{text}{done.stdout[-500:]}{done.stderr[-500:]}"
    assert done.returncode == code, f"{said}: exit code {done.returncode}, not {code}"


@contextmanager
def commands_in_forks():
    "Run `irmetrics` in forks of this process, in which all is loaded; they are made before a page can load polars."
    if sys.platform != "linux":
        yield
        return
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"{folder}/address")
        listening.listen()
        program = Path(folder, "irmetrics")
        program.write_text(COMMAND.format(python=sys.executable, address=f"{folder}/address"))
        program.chmod(0o755)
        page, forks = os.getpid(), os.fork()
        if not forks:
            wait_for_commands(listening, page)
        os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"
        try:
            yield
        finally:
            os.kill(forks, signal.SIGKILL)
            os.waitpid(forks, 0)


def wait_for_commands(listening, page):
    "Fork for each command that asks, as long as the process of the page lives."
    listening.settimeout(5)
    while os.getppid() == page:
        with suppress(TimeoutError):
            asked, _ = listening.accept()
            if not os.fork():
                command(asked)
            asked.close()
    os._exit(0)


def command(asked):
    "Run one command, say its exit code, and end this process."
    request, files, *_ = socket.recv_fds(asked, 2**20, 3)
    sys.argv, folder, environment = json.loads(request)
    for number, file in enumerate(files):
        os.dup2(file, number)
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, "w" if number else "r") for number in range(3))
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    from irmetrics_nb.cli import main

    code = 0
    try:
        main()
    except SystemExit as end:
        code = end.code or 0
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    asked.sendall(str(code).encode())
    os._exit(0)
