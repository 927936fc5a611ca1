"What is no file, and what does not hold still: devices, pipes, files that are written while they are read."
import contextlib
import gzip
import os
import socket
import subprocess
import sys
import time
import warnings

import polars as pl
import pytest
from helpers import READ, RUN, TREC_RUN, child, put
from oracles import Refused, read_trec

from irmetrics_nb import DataError, DataWarning, Qrels, Run
from irmetrics_nb.data.recognition import TableRun
from irmetrics_nb.data.sources import read_rows

pytestmark = pytest.mark.usefixtures("nothing_hangs")


def test_a_pipe_is_read_to_its_end(tmp_path):
    code = "import sys; from irmetrics_nb.data.sources import read_rows; print(len(read_rows('/dev/stdin', 'run')))"
    done = subprocess.run([sys.executable, "-c", code], input=TREC_RUN * 3, capture_output=True, check=True)
    assert done.stdout.strip() == b"9"


def test_a_pipe_that_stops_in_the_middle_of_a_line_is_refused(tmp_path):
    code = "from irmetrics_nb import Run, DataError\ntry: print(len(Run('/dev/stdin')))\nexcept DataError as e: print(e)"
    done = subprocess.run([sys.executable, "-c", code], input=RUN[:-7], capture_output=True, timeout=50, check=True)
    assert done.stdout.startswith(b"/dev/stdin, line 2: 5 columns")


def test_a_directory_a_device_a_socket_and_a_missing_file_are_refused_by_name(tmp_path, monkeypatch):
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(tmp_path)  # the name of a socket is short
        server.bind("socket")
        for path in (tmp_path, "/dev/zero", "/dev/null", "/dev/full", "/dev/urandom", tmp_path / "socket", tmp_path / "none", tmp_path / "file" / "in", "a\0b", ""):
            put(tmp_path / "file", RUN)
            for kind in READ.values():
                with pytest.raises(DataError) as error:
                    kind(path)
                assert str(path) in str(error.value) or repr(path) in str(error.value)


def test_unreadable_paths_are_data_errors_with_a_reason(tmp_path):
    put(tmp_path / "locked", RUN).chmod(0)
    cases = {tmp_path / "none": "there is no such file", tmp_path: "this is a directory", "/dev/zero": "this is a device"}
    if os.geteuid() != 0:
        cases[tmp_path / "locked"] = "no permission to read this file"
    for path, message in cases.items():
        for read in (Run, lambda path: read_rows(path, "run")):
            with pytest.raises(DataError, match=message) as error:
                read(path)
            assert str(error.value).startswith(f"{path}: ")


INTERRUPTED = """
import os, signal, threading, time
import irmetrics_nb.data.tables as tables
from irmetrics_nb import Run
Run(tables.import_polars().DataFrame({"qid": ["q"], "docno": ["d"], "score": [1.0]})).to_polars()
waiting = True

def interrupt():
    while waiting:  # the first may come before the read has begun
        time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
try: Run("/dev/stdin")
except KeyboardInterrupt: waiting = False
print("interrupted")
"""


def test_ctrl_c_interrupts_a_read_that_waits_at_a_pipe_also_when_polars_is_loaded():
    reader, writer = os.pipe()  # nobody writes into it: the read would wait for ever
    child = subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdin=reader, stdout=subprocess.PIPE, text=True)
    try:
        assert child.communicate(timeout=30)[0] == "interrupted\n"
    finally:
        child.kill()
        os.close(writer)
        os.close(reader)


CHANGING = """
from irmetrics_nb import Qrels, DataError
import irmetrics_nb.data.qrels_and_runs
path, when, how = sys.argv[1:]
done = False

def change():
    if how == 'truncated': os.truncate(path, int(os.path.getsize(path) * .6))
    elif how == 'emptied': os.truncate(path, 0)
    elif how == 'growing':
        with open(path, 'ab') as f: f.write(b''.join(b'more 0 d%d 1\\n' % n for n in range(9999)))
    elif how == 'torn': os.truncate(path, os.path.getsize(path) - 2)
    else:
        with open(path, 'r+b') as f:
            new = f.read().replace(b' 11\\n', b' 22\\n')
            f.seek(0)
            f.write(new)

def watch(frame, event, function):
    global done
    if event != 'c_return' or done or 'irmetrics_nb' not in frame.f_code.co_filename: return
    if function.__name__ in {'stat': ('fstat', 'stat', 'lstat'), 'read': ('peek', 'read', 'readinto', 'readinto1', 'preadv', 'pread')}[when]:
        done = True
        sys.setprofile(None)
        change()

sys.setprofile(watch)
try: got = Qrels(path).to_dict()
except DataError as e: print('refused', str(e).startswith(path), e)
else: print('grades', sorted({g for docs in got.values() for g in docs.values()}), sum(map(len, got.values())))
sys.setprofile(None)
print('changed', done)
"""
CHANGES = ["truncated", "emptied", "growing", "torn", "rewritten"]


@pytest.mark.parametrize("how", CHANGES)
@pytest.mark.parametrize("when", ["stat", "read"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_changes_while_it_is_read_is_refused_or_read_as_it_was_or_as_it_is(tmp_path, when, how, packed):
    before = b"".join(b"q%d 0 d%d 11\n" % (n // 100, n) for n in range(80_000))
    path = put(tmp_path / "qrels", gzip.compress(before, 0) if packed else before)
    os.utime(path, (1e9, 1e9))  # written long ago: a change shows in the time too
    done = child(CHANGING, path, when, how)
    words = done.stdout.splitlines()[0]
    may_be_cut_off = how == "torn" and words.startswith("grades [1, 11]")  # as it is now, without the last byte of its last grade
    assert done.returncode == 0 and ("is the file truncated?" in done.stderr if may_be_cut_off else done.stderr == ""), done.stderr[-500:]
    assert "changed True" in done.stdout  # or the test would show nothing
    if words.startswith("refused"):
        assert words.startswith("refused True")
        return
    now = path.read_bytes()
    states = {f"grades [11] {before.count(10)}"}
    if not packed:
        with contextlib.suppress(Refused):
            grades = [g for docs in read_trec(now, "qrels").values() for g in docs.values()]
            states.add(f"grades {sorted({int(g) for g in grades})} {len(grades)}")
    assert words in states


def test_a_file_that_another_process_keeps_writing_is_refused_or_read_in_whole_lines(tmp_path):
    path = put(tmp_path / "qrels", b"q 0 d-first 11\n")
    code = """if 1:
        import os, sys, itertools
        for round in itertools.count():
            with open(sys.argv[1], 'r+b', buffering=0) as f:
                f.truncate(15)
                f.seek(15)
                for n in range(300): f.write(b''.join(b'q 0 d%d 11\\n' % m for m in range(n * 100, n * 100 + 100)))
    """
    writer = subprocess.Popen([sys.executable, "-c", code, path])
    try:
        end, lengths = time.monotonic() + 1.5, set()
        while time.monotonic() < end:
            try:
                with warnings.catch_warnings(record=True) as warned:
                    warnings.simplefilter("always")
                    got = Qrels(path).to_dict()
            except DataError as error:
                assert str(error).startswith(str(path))
                continue
            grades = list(got["q"].values())
            assert list(got) == ["q"] and set(grades[:-1]) <= {11}
            if warned:  # the file had this state: it ended within its last grade
                assert [w.category for w in warned] == [DataWarning] and grades[-1] == 1
                continue
            assert grades[-1] == 11
            assert list(got["q"]) == ["d-first", *(f"d{n}" for n in range(len(got["q"]) - 1))]
            lengths.add(len(got["q"]))
        assert writer.poll() is None
    finally:
        writer.kill()
        writer.wait()


def test_a_table_that_is_rewritten_between_two_batches_is_refused(tmp_path):

    columns = {"qid": ["q1", "q1", "q2", "q3"], "docno": ["d1", "d2", "d1", "d1"], "score": [4.0, 3.0, 2.0, 1.0]}
    pl.DataFrame(columns).write_parquet(tmp_path / "run.parquet")
    batches = iter(TableRun(pl.scan_parquet(tmp_path / "run.parquet"), 3, "run.parquet", path=tmp_path / "run.parquet"))
    next(batches)
    pl.DataFrame(columns | {"score": [8.5, 6.0, 4.0, 2.0]}).write_parquet(tmp_path / "run.parquet")
    os.utime(tmp_path / "run.parquet", (1e9, 1e9))  # sooner than the clock of the file system ticks
    with pytest.raises(DataError, match="run.parquet: the file changed while it was being read"):
        next(batches)
