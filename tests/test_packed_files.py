"Packed files: cut off, damaged, with something behind, or far too large inside."
import contextlib
import gzip
import os

import pytest
from helpers import FROM_CLI, QRELS, READ, RUN, child, exact, irmetrics, peak, put
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import read_trec

from irmetrics_nb import DataError, Qrels, Run, check

pytestmark = pytest.mark.usefixtures("nothing_hangs")


@settings(max_examples=100)
@given(st.data())
def test_a_gzip_file_cut_off_anywhere_is_refused(folder, data):
    packed = gzip.compress(RUN * 1 + b"".join(b"q%d Q0 d 1 0.%d tag\n" % (n, n) for n in range(300)))
    cut = data.draw(st.integers(0, len(packed) - 1))
    path = put(folder / "cut.gz", packed[:cut])
    with pytest.raises(DataError) as error:
        Run(path)
    assert str(error.value).startswith(str(path))


@settings(max_examples=100)
@given(st.integers(0), st.integers(1, 255))
def test_a_gzip_file_with_a_byte_changed_is_read_exactly_or_refused(folder, at, change):
    content = RUN + b"".join(b"q%d Q0 d 1 0.%d tag\n" % (n, n) for n in range(30))
    packed = bytearray(gzip.compress(content))
    packed[at % len(packed)] ^= change
    path = put(folder / "changed.gz", packed)
    with contextlib.suppress(DataError):
        assert exact(Run(path).to_dict()) == exact(read_trec(content, "run"))


BEHIND = {"garbage": b"garbage", "a magic number": b"\x1f\x8b", "half a header": b"\x1f\x8b\x08x", "text": RUN, "half a member": gzip.compress(RUN)[:20]}


@pytest.mark.parametrize("what", BEHIND)
def test_data_after_the_end_of_a_gzip_file_is_an_error(tmp_path, what):
    path = put(tmp_path / "run.gz", gzip.compress(RUN) + BEHIND[what])
    with pytest.raises(DataError, match="gzip"):
        Run(path)


def test_gzip_members_in_a_row_and_zeros_behind_them_are_one_file(tmp_path):
    path = put(tmp_path / "run.gz", gzip.compress(RUN[:11]) + gzip.compress(b"") + gzip.compress(RUN[11:]) + bytes(512))
    assert exact(Run(path).to_dict()) == exact(read_trec(RUN, "run"))


BOMBS = {
    "zeros": bytes(8 << 20),
    "blanks": b" " * (8 << 20),
    "empty lines": b"\r\n" * (4 << 20),
    "one id without end": b"x" * (8 << 20),
    "columns without end": b"1 " * (4 << 20),
    "CSV without end": b"query_id,doc_id,score\n" + b"," * (8 << 20),
    "JSON without end": b'{"q": {"a": 1' + b" " * (8 << 20),
}


@pytest.mark.parametrize("side", READ)
@pytest.mark.parametrize("kind", BOMBS)
def test_a_zip_bomb_is_refused_in_less_memory_than_it_holds(tmp_path, kind, side):
    bomb = put(tmp_path / "bomb.gz", gzip.compress(BOMBS[kind], 1) * 64)  # 512 MB in two or three
    assert bomb.stat().st_size < 3e6
    qrels, run = put(tmp_path / "qrels", QRELS), put(tmp_path / "run", RUN)
    done = child(FROM_CLI, "evaluate", *{"qrels": (bomb, run), "run": (qrels, bomb)}[side], memory=3 << 30)
    assert "exit 1" in done.stdout and done.stderr.startswith(f"irmetrics: error: {bomb}") and done.stderr.count("\n") == 1
    assert peak(done) < 300


def test_a_bomb_of_rows_is_refused_and_a_file_that_packs_well_is_not(tmp_path):
    rows = gzip.compress(b"q 0 a 1\n" * (1 << 20))
    with pytest.raises(DataError, match="duplicate document"):
        Qrels(put(tmp_path / "small.gz", rows))
    with pytest.raises(DataError, match="the uncompressed data are more than 50 times as large as the file"):
        Qrels(put(tmp_path / "bomb.gz", rows * 9))
    assert len(Qrels(put(tmp_path / "good.gz", gzip.compress(b"".join(b"q%d 0 a 1\n" % n for n in range(100_000)))))) == 100_000


def test_out_of_memory_is_an_error_without_a_traceback(tmp_path):
    large = put(tmp_path / "run.json", b'{"q": {"a": 1')
    os.truncate(large, 1 << 30)
    done = child(FROM_CLI, "evaluate", put(tmp_path / "qrels", QRELS), large, memory=700 << 20)
    assert "exit 1" in done.stdout and "Traceback" not in done.stderr, done.stderr[-500:]
    assert done.stderr.splitlines()[-1] == "irmetrics: error: there is not enough memory"  # CPython may add a word of its own before


@pytest.mark.parametrize("damage", ["cut off within", "cut off at its end", "a changed byte", "something behind"])
@pytest.mark.parametrize("side", ["qrels", "run"])
def test_the_check_up_of_a_damaged_gzip_file_is_a_finding_that_names_the_damage(tmp_path, side, damage):
    lines = b"".join(b"q%d Q0 d%d 1 0.%d tag\n" % (n, n, n) if side == "run" else b"q%d 0 d%d 1\n" % (n, n * n) for n in range(5000))
    packed = bytearray(gzip.compress(lines))
    if damage == "a changed byte":
        packed[len(packed) // 2] ^= 0xFF
    cut = {"cut off within": packed[: len(packed) // 2], "cut off at its end": packed[:-8], "something behind": packed + b"garbage"}
    path = put(tmp_path / f"{side}.gz", cut.get(damage, packed))
    sources = {"qrels": {"q1": {"d1": 1}}, "run": {"q1": {"d1": 1.0}}} | {side: path}
    found = check(sources["qrels"], sources["run"])
    assert not found.ok and "refused" in found.codes
    assert any(str(path) in finding.text and "gzip data" in finding.text for finding in found.findings)


def test_the_check_up_of_a_damaged_gzip_file_fails_in_words_on_the_command_line(tmp_path):
    qrels = put(tmp_path / "qrels", QRELS)
    run = put(tmp_path / "run.gz", gzip.compress(RUN)[:-9])
    done = irmetrics("check", qrels, run)
    assert done.returncode == 1 and "is the file truncated?" in done.stdout and "Aborted" not in done.stdout + done.stderr


@pytest.mark.parametrize("side", READ)
@pytest.mark.parametrize("kind", ["one id without end", "columns without end"])
def test_the_check_up_of_a_line_without_end_stops_as_early_as_the_evaluation(tmp_path, kind, side):
    "512 MB in one line: unpacked as a whole, the check-up would need a multiple of that."
    bomb = put(tmp_path / "bomb.gz", gzip.compress(BOMBS[kind], 1) * 64)
    qrels, run = put(tmp_path / "qrels", QRELS), put(tmp_path / "run", RUN)
    done = child(FROM_CLI, "check", *{"qrels": (bomb, run), "run": (qrels, bomb)}[side], memory=3 << 30)
    assert "exit 1" in done.stdout and "1,048,576 bytes" in done.stdout and not done.stderr, done.stderr[-300:]
    assert peak(done) < 300
