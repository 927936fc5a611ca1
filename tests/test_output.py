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
    assert code == 0 and len(json.loads(new)["runs"][0]["per_query"]) == 3000
    assert (-signal.SIGKILL, b"old") in killed
    runs = [json.loads(content)["runs"] for _, content in killed if content != b"old"]  # whole, but written at another time
    assert all(values == json.loads(new)["runs"] for values in runs)


def test_sigterm_while_writing_leaves_the_old_or_the_new_file(files):
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


def test_full_disk_is_a_one_line_error_and_keeps_the_old_file(files):
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
def test_full_device_as_output_is_a_one_line_error(files, what):
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


# ---- output that is not UTF-8 ----

EACH_COMMAND = """
from irmetrics_nb import load_example
from irmetrics_nb.cli import main
os.chdir(sys.argv[1])
with open('mine.py', 'w') as file: file.write('def first(hits): return 1 / (hits.index(1) + 1) if 1 in hits else 0')
folder = str(load_example().folder)
two = [folder + name for name in ('/qrels.txt', '/runs/bm25.run.gz', '/runs/lsa.run.gz')]
gate = ['compare', *two, '-m', 'nDCG@10', '--max-drop']
for args in [
    [*gate, '100%'], [*gate, '0', '--require', 'any'], [*gate, '100%', '--format', 'markdown'], [*gate, '100%', '--format', 'json'],
    [*gate, '100%', '--format', 'junit'], ['compare', two[0], folder + '/runs', '-m', 'nDCG@10', '--all-pairs', '--correction', 'by'],
    ['evaluate', *two], ['power', *two, '--difference', '.02'], ['explain', *two[:2], 'q03', '-m', 'nDCG@10'], ['check', *two],
    ['worst', *two[:2]], ['identify', *two[:2], 'RR@10=0.1234'], ['differ', *two[:2], 'nDCG@10', 'trec_eval', 'lightgbm'],
    ['audit', 'mine.py:first', '-m', 'RR', '--shape', 'grades'], ['measures', '--names'], ['demo'],
    ['report', *two, '-m', 'AP', '--no-check', '-o', 'report.html'], ['evaluate', '--help'], ['evaluate', *two, '-m', 'nDGC→']]:
    try: main(args)
    except SystemExit as e: print('exit', args[0], e.code)
"""
SIMPLER = {"▲": "^", "▼": "v", "→": "->", "−": "-", "–": "-", "√": "sqrt ", "α": "alpha", "ᶠ": "f", "×": "x", "…": "...", "∞": "inf",
         "╭": "+", "╮": "+", "╰": "+", "╯": "+", "─": "-", "│": "|"}


def said_with(encoding, folder, code=EACH_COMMAND):
    "What the commands print where the streams have this encoding; nothing is wider than in UTF-8."
    env = {"PYTHONUTF8": "0", "PYTHONIOENCODING": encoding, "COLUMNS": "100", "OPENBLAS_NUM_THREADS": "1"}
    done = child(code, folder, env=os.environ | env, text=False)
    assert done.returncode == 0, done.stderr
    said = done.stdout.rpartition(b"\npeak")[0]
    return said.decode(encoding), done.stderr.decode(encoding)


IN_FORKS = """
import irmetrics_nb.cli, jinja2, matplotlib.pyplot, numpy, rich.table, scipy.stats, typer.rich_utils
for encoding in sys.argv[2:]:
    if fork := os.fork():
        if os.waitpid(fork, 0)[1]: sys.exit(f'it failed in {encoding}')
        continue
    sys.stdout = open(f'{sys.argv[1]}/{encoding}.out', 'w', encoding=encoding)
    sys.stderr = open(f'{sys.argv[1]}/{encoding}.err', 'w', encoding=encoding, errors='backslashreplace')
    exec(EACH_COMMAND)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
"""


def test_every_command_ends_the_same_in_every_encoding(tmp_path):
    # The libraries are loaded once, and each encoding has a fork with streams of its own.
    encodings = "utf-8", "cp1252", "cp437", "gbk", "latin-1", "ascii"
    env = os.environ | {"PYTHONUTF8": "0", "COLUMNS": "100"}
    done = child(f"EACH_COMMAND = {EACH_COMMAND!r}\n{IN_FORKS}", tmp_path, *encodings, env=env)
    assert done.returncode == 0, done.stderr
    in_utf_8 = (tmp_path / "utf-8.out").read_text("utf-8")
    assert all(sign in in_utf_8 for sign in "▼−╭│")
    for encoding in encodings:
        out, errors = ((tmp_path / f"{encoding}.{name}").read_text(encoding) for name in ("out", "err"))
        expected = in_utf_8
        for sign, simple in SIMPLER.items():
            boxed = sign in "╭╮╰╯─│" and encoding != "utf-8"
            if boxed or not sign.encode(encoding, "ignore"):
                expected = expected.replace(sign, simple)
        assert out.splitlines() == expected.splitlines(), encoding
        assert out.count("\nexit ") == 19 and "exit compare 3" in out and "exit identify 3" in out and "exit evaluate 2" in out
        assert "Traceback" not in errors and "codec" not in errors and "unknown measure 'nDGC" in errors


def test_a_mark_that_cannot_be_shown_is_a_letter(tmp_path):
    runs = {name: {f"q{i}": ["d", "x"] if good or i < 2 else ["x", "d"] for i in range(20)} for name, good in (("a", True), ("b", False))}
    (tmp_path / "qrels").write_text("".join(f"q{i} 0 d 1\n" for i in range(20)))
    for name, run in runs.items():
        (tmp_path / name).write_text("".join(f"{q} Q0 {d} {i} {9 - i} {name}\n" for q, docs in run.items() for i, d in enumerate(docs)))
    code = "os.chdir(sys.argv[1])\n" + FROM_CLI.replace("sys.argv[1:]", "['compare', 'qrels', 'a', 'b', '-m', 'RR', *sys.argv[2:]]")
    for encoding, mark in ("utf-8", "▼"), ("cp1252", "v"):
        done = child(code, tmp_path, "-o", tmp_path / "table.txt", env=os.environ | {"PYTHONUTF8": "0", "PYTHONIOENCODING": encoding})
        assert "exit" not in done.stdout.replace("exit 0", "") and "0.5500 ▼" in (tmp_path / "table.txt").read_text("utf-8")
        assert f"0.5500 {mark}" in said_with(encoding, tmp_path, code)[0]


def test_bytes_that_are_not_utf_8_stay_in_every_encoding(tmp_path):
    put(tmp_path / "qrels", b"q\xe9 0 d 1\n")
    put(tmp_path / "run", b"q\xe9 Q0 d 1 1 t\n")
    code = FROM_CLI.replace("sys.argv[1:]", "['evaluate', sys.argv[1] + '/qrels', sys.argv[1] + '/run', '-m', 'RR', '--per-query', '--format', 'csv']")
    for encoding in "utf-8", "cp1252", "gbk", "ascii":
        done = child(code, tmp_path, env=os.environ | {"PYTHONUTF8": "0", "PYTHONIOENCODING": encoding}, text=False)
        assert b"q\xe9" in done.stdout and b"exit 1" not in done.stdout, (encoding, done.stderr)


def test_letters_that_an_encoding_lacks_are_written_as_codes(tmp_path):
    put(tmp_path / "qrels", "文😀 0 d 1\n".encode())
    put(tmp_path / "run", "文😀 Q0 d 1 1 t\n".encode())
    code = FROM_CLI.replace("sys.argv[1:]", "['worst', sys.argv[1] + '/qrels', sys.argv[1] + '/run', '--format', 'json']")
    text, errors = said_with("cp437", tmp_path, code)
    assert json.loads(text.removesuffix("exit 0\n"))[0]["query"] == "文😀" and errors == ""
