"Output that cannot be written, is interrupted, or holds odd ids."
import json
import os
import signal
import stat

import pytest
from helpers import BUFFERED, FROM_CLI, MAIN, child, put

from irmetrics_nb import DataError, Run, evaluate
from irmetrics_nb.evaluation.scores import rendered_scores as render

pytestmark = pytest.mark.usefixtures("nothing_hangs")


@pytest.fixture
def files(tmp_path):
    n = 3000
    put(tmp_path / "qrels", b"".join(b"q%d 0 a 1\n" % i for i in range(n)))
    put(tmp_path / "run", b"".join(b"q%d Q0 a 1 1 t\n" % i for i in range(n)))
    return tmp_path


KILLED = """
from irmetrics_nb.cli import main
import signal
left, *args = sys.argv[1:]
left, folder = int(left), os.path.dirname(args[-1])

def count(frame, event, function):
    global left
    if event == 'c_call' and left:
        left -= 1
        if not left: os.kill(os.getpid(), signal.SIGKILL)

def opened(event, args):
    if event == 'open' and str(args[0]).startswith(folder + '/out'): sys.setprofile(count)

sys.addaudithook(opened)
try: main(args)
except SystemExit: pass
sys.setprofile(None)
"""


def test_a_process_killed_in_the_middle_of_writing_leaves_the_old_file_whole_or_the_new_one(files):
    "Killed at the first, third, sixth ... call of a C function after the new file has been opened."
    out, seen = files / "out.json", []
    for call in (10**9, 1, 3, 6, 9, 12, 16, 24):
        put(out, b"old")
        done = child(KILLED, call, "evaluate", files / "qrels", files / "run", "--per-query", "--format", "json", "--output", out)
        seen.append((done.returncode, out.read_bytes()))
        for rest in files.glob("out.json?*"):
            rest.unlink()
    (code, new), *killed = seen
    assert code == 0 and len(json.loads(new)[0]["per_query"]) == 3000
    assert (-signal.SIGKILL, b"old") in killed
    assert {content for _, content in killed} <= {b"old", new}


def test_a_process_told_to_stop_in_the_middle_of_writing_leaves_nothing_beside_the_old_file_or_the_new_one(files):
    "As before, but with SIGTERM, which gives time to clean up."
    out, seen = files / "out.json", set()
    for call in range(1, 24, 3):
        put(out, b"old")
        done = child(KILLED.replace("SIGKILL", "SIGTERM").replace("except SystemExit: pass", "except SystemExit as e: print('exit', e.code)"),
                     call, "evaluate", files / "qrels", files / "run", "--per-query", "--format", "json", "--output", out)
        assert done.stderr == "" and [p.name for p in files.iterdir() if p.name.startswith("out")] == ["out.json"], (call, done.stderr)
        seen.add((done.returncode or done.stdout.splitlines()[0], out.read_bytes() == b"old"))
    assert ("exit 143", True) in seen
    assert seen <= {("exit 143", True), ("exit 143", False), ("exit 0", False), (-signal.SIGTERM, False)}


def test_a_full_disk_ends_with_one_line_and_the_old_file_whole_and_nothing_beside_it(files):
    out = put(files / "out.csv", b"old")
    code = "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))\n" + FROM_CLI
    done = child(code, "evaluate", files / "qrels", files / "run", "--per-query", "--format", "csv", "--output", out)
    assert "exit 1" in done.stdout and done.stderr.startswith("irmetrics: error: ") and done.stderr.count("\n") == 1
    assert out.read_bytes() == b"old" and sorted(p.name for p in files.iterdir()) == ["out.csv", "qrels", "run"]


def test_an_output_that_is_a_pipe_or_a_directory_is_never_replaced_by_a_file(files):
    os.mkfifo(files / "pipe")
    (files / "folder").mkdir()
    reader = os.open(files / "pipe", os.O_RDONLY | os.O_NONBLOCK)  # so that writing into it would not wait
    try:
        for name, is_kind in (("pipe", stat.S_ISFIFO), ("folder", stat.S_ISDIR)):
            child(FROM_CLI, "evaluate", files / "qrels", files / "run", "--output", files / name)
            assert is_kind((files / name).stat().st_mode)
    finally:
        os.close(reader)


def test_a_link_as_output_stays_a_link_and_what_it_leads_to_is_written(files):
    put(files / "target.csv", b"old")
    (files / "link.csv").symlink_to("target.csv")
    child(FROM_CLI, "evaluate", files / "qrels", files / "run", "--format", "csv", "--output", files / "link.csv")
    assert (files / "link.csv").is_symlink() and b"AP" in (files / "target.csv").read_bytes()


COMMANDS = {"a short table": ["evaluate", "qrels", "run"], "every query": ["evaluate", "qrels", "run", "--per-query"], "measures": ["measures"]}


@pytest.mark.parametrize("what", COMMANDS)
def test_a_full_device_as_output_is_told_in_one_line(files, what):
    with open("/dev/full", "w") as full:
        done = child(MAIN, *COMMANDS[what], stdout=full, cwd=files, **BUFFERED)
    assert done.returncode == 1 and done.stderr.startswith("irmetrics: error: ") and done.stderr.count("\n") == 1, done.stderr


@pytest.mark.parametrize("what", COMMANDS)
def test_a_reader_that_goes_away_is_no_traceback(files, what):
    reader, writer = os.pipe()
    os.close(reader)  # as `head` does when it has seen enough
    with open(writer, "w") as pipe:
        done = child(MAIN, *COMMANDS[what], stdout=pipe, cwd=files, **BUFFERED)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("format", ["table", "csv", "json"])
def test_ids_that_are_not_utf_8_come_out_as_the_bytes_they_came_in(tmp_path, format):
    qrels, run = put(tmp_path / "qrels", b"caf\xe9 0 a 1\n"), put(tmp_path / "run", b"caf\xe9 Q0 a 1 1 t\xff\n")
    args = ["evaluate", qrels, run, "--per-query", "--format", format]
    done = child(FROM_CLI, *args, text=False)
    assert b"exit 0" in done.stdout and b"caf\xe9" in done.stdout, done.stderr[-300:]
    child(FROM_CLI, *args, "--output", tmp_path / "out")
    assert b"caf\xe9" in (tmp_path / "out").read_bytes()


def test_ids_that_are_not_utf_8_are_shown_in_tables_or_refused_by_name(tmp_path):
    scores = evaluate(put(tmp_path / "qrels", b"caf\xe9 0 a 1\n"), put(tmp_path / "run", b"caf\xe9 Q0 a 1 1 t\n"), "AP")
    for use in (lambda: scores.to_polars()["query_id"][0], lambda: scores.to_pandas().index[0], lambda: render(scores, "csv", True), lambda: Run({"caf\udce9": {"a": 1}}).to_polars()["query_id"][0]):
        try:
            assert "caf" in use()
        except DataError as error:
            assert "caf" in str(error)
