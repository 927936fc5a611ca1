"What several tests of reading use: files with a content, exact comparison, processes of their own."
import os
import struct
import subprocess
import sys
import traceback
import warnings
from contextlib import ExitStack, chdir, contextmanager, suppress
from io import TextIOWrapper
from tempfile import TemporaryFile
from types import ModuleType

import pytest
from oracles import Refused, read_trec

from irmetrics_nb import DataError, Qrels, Run

MEASURES = "AP RR P@5 R@5 nDCG@5 NumRet"
QRELS = b"q 0 a 1\nq 0 b 0\n"
RUN = b"q Q0 b 1 2.5 tag\nq Q0 a 2 1.5 tag\n"  # a, the only relevant document, comes second
READ = {"qrels": Qrels, "run": Run}
OTHER_FORMATS = (b"\x1f\x8b", b"PAR1", b"ARROW1", b"{", b"[")  # first bytes that say: this is not TREC text
BOM = b"\xef\xbb\xbf"
RUN_AS_DICT = {"q": {"b": 2.5, "a": 1.5}}
TREC_RUN = b"q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag\nq2 Q0 d1 1 0.5 tag\n"
TREC_QRELS = b"q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\n"
TRIPLES = [("q1", "d1", 2.5), ("q1", "d2", 1.5), ("q2", "d1", 0.5)]


def says_another_format(data):
    "Whether the first bytes are those of gzip, Parquet, Arrow or (after blanks) JSON."
    return data.removeprefix(BOM).lstrip().startswith(OTHER_FORMATS)


def put(path, data):
    "A file with this content, and its path."
    path.write_bytes(data)
    return path


def exact(nested):
    "Everything that matters of {query: {document: number}}: the order, and the very bits of the numbers."
    return [(q, d, struct.pack(">d", v + 0.0 if v == 0 else v)) for q, docs in nested.items() for d, v in docs.items()]


def refused(path, data, kind, error):
    "Check that an error names the file, a line that is wrong, and the value there, in one line."
    message = str(error)
    assert type(error) is DataError and message.startswith(str(path)) and "\n" not in message, message
    assert len(message) < len(str(path)) + 400
    with pytest.raises(Refused) as expected:
        read_trec(data, kind)
    if faults := expected.value.faults:
        line = int(message.removeprefix(f"{path}, line ").split(":")[0].split(" ")[0])
        assert line in faults and faults[line] in message, (message, faults)


def agrees(path, data, kind):
    "Check that the package reads a file as the reference does, or refuses it where the reference does."
    try:
        got = READ[kind](put(path, data)).to_dict()
    except DataError as error:
        refused(path, data, kind, error)
    else:
        assert exact(got) == exact(read_trec(data, kind))


def approximately(scores):
    return {q: pytest.approx(values, abs=1e-12) for q, values in scores.items()}


def triples(rows):
    "Rows as a list of (query, document, number)."
    query = [rows.query_ids[i] for i in rows.query]
    return list(zip(query, rows.doc.tolist(), rows.value.tolist()))


def as_triples(nested):
    "A nested dict as triples."
    return [(q, d, v) for q, docs in nested.items() for d, v in docs.items()]


def lines(*rows):
    return "".join(f"{q} Q0 {d} 1 {s} tag\n" for q, d, s in rows).encode()


CHILD = """
import os, resource, sys
memory = {memory}
if memory: resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
{code}
print("\\npeak", {peak})
"""
# The system's own ru_maxrss of a child begins with what its parent had; VmHWM, which only Linux has, does not.
PEAK = "int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0]) >> 10" if sys.platform == "linux" else "resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10"
FROM_CLI = "from irmetrics_nb.cli import main\ntry: main(sys.argv[1:])\nexcept SystemExit as e: print('exit', e.code)"
MAIN = "from irmetrics_nb.cli import main\nmain(sys.argv[1:])"
BUFFERED = {"env": {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}}


def child(code, *args, memory=0, timeout=50, env=os.environ, **more):
    "Run code in a process of its own, with a limit to its address space in bytes."
    threads = dict.fromkeys(["OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS", "OMP_NUM_THREADS"], "1")
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | more
    command = [sys.executable, "-c", CHILD.format(memory=memory, code=code, peak=PEAK), *map(str, args)]
    plain = {k: v for k, v in env.items() if not k.startswith("COV")}  # measuring coverage would need memory and files
    return subprocess.run(command, timeout=timeout, env=plain | threads, check=False, **pipes)


def peak(done):
    "The most memory that a child had, in MB."
    return int(done.stdout.rsplit("peak", 1)[1])


# ---- the command line ----


# So wide, and whichever shell the tests are run from: typer looks for it among the processes above, and its help differs.
AS_IN_A_SHELL = {"COLUMNS": "200", "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}


def irmetrics_process(*args, cwd=None, stdin=b""):
    "The command in a process of its own, as a shell runs it."
    done = subprocess.run([sys.executable, "-c", "import sys; from irmetrics_nb.cli import main; sys.argv[0] = 'irmetrics'; main()",
                           *map(str, args)], capture_output=True, cwd=cwd, input=stdin, env=os.environ | AS_IN_A_SHELL)
    done.stdout, done.stderr = (x.decode("utf-8", "surrogateescape") for x in (done.stdout, done.stderr))
    return done


def irmetrics(*args, cwd=None, stdin=b""):
    "The same in this process, with files in place of its three streams: what is said and how it ends is no other."
    from irmetrics_nb.cli import main

    with ExitStack() as stack:
        streams = [stack.enter_context(TemporaryFile()) for _ in range(3)]
        streams[0].write(stdin)
        streams[0].seek(0)
        stack.enter_context(_redirected(streams))
        stack.enter_context(_environment(**AS_IN_A_SHELL))
        stack.enter_context(chdir(cwd or "."))
        stack.enter_context(warnings.catch_warnings())
        warnings.resetwarnings()
        warnings.simplefilter("ignore", DeprecationWarning)
        code = _exit_code(main, [*map(str, args)])
        sys.stdout.flush()
        sys.stderr.flush()
        said = [os.pread(stream.fileno(), 1 << 30, 0).decode("utf-8", "surrogateescape") for stream in streams[1:]]
    return subprocess.CompletedProcess(args, code, *said)


def _exit_code(main, args):
    "How a process would end that runs main(args)."
    before, sys.argv = sys.argv, ["irmetrics", *args]
    started, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")  # which names the program
    try:
        main()
    except SystemExit as end:
        return end.code or 0
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.argv, sys.modules["__main__"] = before, started
    return 0


@contextmanager
def _redirected(streams):
    "The standard streams of this process are other files."
    names, modes = ("stdin", "stdout", "stderr"), ("rb", "wb", "wb")
    before = [getattr(sys, name) for name in names]
    kept = [os.dup(number) for number in range(3)]
    try:
        for number, (stream, name, mode) in enumerate(zip(streams, names, modes)):
            os.dup2(stream.fileno(), number)
            setattr(sys, name, TextIOWrapper(os.fdopen(number, mode, closefd=False), "utf-8", write_through=number > 0))
        yield
    finally:
        for number, (name, stream) in enumerate(zip(names, before)):
            setattr(sys, name, stream)
            os.dup2(kept[number], number)
            os.close(kept[number])


@contextmanager
def _environment(**variables):
    "Environment variables for a while."
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def terminal(*args, cwd, env):
    "What Python prints, called so, to a terminal; and its exit code."
    ours, theirs = os.openpty()
    child = subprocess.Popen([sys.executable, *args], stdout=theirs, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=cwd, env=env)
    os.close(theirs)
    said = b""
    with suppress(OSError):  # the other end is closed
        while part := os.read(ours, 65536):
            said += part
    os.close(ours)
    return said.decode().replace("\r\n", "\n"), child.wait()
