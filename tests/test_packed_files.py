"Packed files: cut off, damaged, with something behind, or far too large inside."
import bz2
import contextlib
import gzip
import io
import lzma
import os
import sys
import zipfile
from types import SimpleNamespace

import pytest
from helpers import FROM_CLI, QRELS, READ, RUN, child, exact, irmetrics, peak, put
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import read_trec

from irmetrics_nb import DataError, Qrels, Run, check, evaluate
from irmetrics_nb.data.recognition import read_batches
from irmetrics_nb.data.records import read_words

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


def zipped(data, *names):
    "A zip archive in which each of the files has the data."
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names or ["a.run"]:
            archive.writestr(name, data)
    return file.getvalue()


ARCHIVES = {"bz2": bz2.compress, "xz": lzma.compress, "zip": zipped}


@pytest.mark.parametrize("end", ARCHIVES)
def test_a_compressed_file_is_read_like_the_file_itself(tmp_path, end):
    pack = ARCHIVES[end]
    qrels, run = put(tmp_path / f"q.{end}", pack(QRELS)), put(tmp_path / f"b.run.{end}", pack(RUN))
    named = put(tmp_path / "run-without-end", pack(RUN))
    assert Run(run).to_dict() == Run(named).to_dict() == {"q": {"b": 2.5, "a": 1.5}}
    # a, the only relevant document, is second: RR = 1/2
    assert evaluate(qrels, run, "RR").means == {"RR": 0.5}
    both = evaluate(qrels, {"x": run, "y": named}, "RR")
    assert both.runs == ["x", "y"] or [info.name for info in both.runs] == ["x", "y"]
    assert check(qrels, run).ok
    for args, stdin in ((qrels, run), b""), ((qrels, "-"), pack(RUN)), (("-", run), pack(QRELS)):
        done = irmetrics("evaluate", *args, "-m", "RR", stdin=stdin)
        assert done.returncode == 0 and "0.5000" in done.stdout, done.stderr
    assert irmetrics("check", qrels, run).returncode == 0
    table = put(tmp_path / f"t.csv.{end}", pack(b"query_id,doc_id,score\nq,a,1\n"))
    records = put(tmp_path / f"t.jsonl.{end}", pack(b'{"query_id": "q", "doc_id": "a", "score": 1}\n'))
    assert Run(table).to_dict() == Run(records).to_dict() == {"q": {"a": 1}}
    assert Run(run).name == "tag" and Run(table).name == "t"


@pytest.mark.parametrize("end", ARCHIVES)
def test_a_truncated_or_damaged_archive_is_one_error_that_names_the_file(tmp_path, end):
    content = RUN + b"".join(b"q%d Q0 d%d 1 0.%d tag\n" % (n, n * n, n) for n in range(3000))
    packed = ARCHIVES[end](content)
    for cut in range(12, len(packed) - 1, 997):
        path = put(tmp_path / "cut", packed[:cut])
        with pytest.raises(DataError) as error:
            Run(path)
        assert str(error.value).startswith(f"{path}: ") and "gzip" not in str(error.value)
    for at in range(30, len(packed), 1009):
        path = put(tmp_path / "changed", packed[:at] + bytes([packed[at] ^ 85]) + packed[at + 1 :])
        with contextlib.suppress(DataError):
            assert exact(Run(path).to_dict()) == exact(read_trec(content, "run"))
    done = irmetrics("evaluate", put(tmp_path / "qrels", QRELS), put(tmp_path / "cut", packed[:-30]))
    assert done.returncode == 1 and done.stderr.startswith(f"irmetrics: error: {tmp_path / 'cut'}: ") and done.stderr.count("\n") == 1


def test_several_compressed_streams_are_one_file_and_other_data_behind_them_an_error(tmp_path):
    for pack in bz2.compress, lzma.compress:
        packed = pack(RUN[:11]) + pack(b"") + pack(RUN[11:])
        assert exact(Run(put(tmp_path / "run", packed)).to_dict()) == exact(read_trec(RUN, "run"))
        for behind in b"garbage", RUN, pack(RUN)[:20]:
            with pytest.raises(DataError, match=f"^{tmp_path / 'run'}: "):
                Run(put(tmp_path / "run", packed + behind))


def test_a_zip_archive_needs_one_file(tmp_path):
    mac = zipped(RUN, "runs/a.run", "__MACOSX/runs/._a.run", "runs/")
    assert Run(put(tmp_path / "mac.zip", mac)).to_dict() == {"q": {"b": 2.5, "a": 1.5}}
    for names, listed in (["a.run", "b.run"], "['a.run', 'b.run']"), (["runs/"], "[]"):
        path = put(tmp_path / "several.zip", zipped(RUN, *names))
        with pytest.raises(DataError) as error:
            Run(path)
        assert str(error.value) == f"{path}: a zip archive must have one file, but this one has {listed}"
    locked = bytearray(zipped(RUN))
    for at in 6, locked.index(b"PK\x01\x02") + 8:
        locked[at] |= 1  # the flag of a password
    with pytest.raises(DataError, match="locked.zip: .*password"):
        Run(put(tmp_path / "locked.zip", locked))


@pytest.mark.parametrize("end", ["bz2", "xz"])
def test_a_bomb_in_other_archives_is_refused_in_little_memory(tmp_path, end):
    bomb = put(tmp_path / "bomb", ARCHIVES[end](b"query_id,doc_id,score\n" + b"," * (256 << 20)))
    done = child(FROM_CLI, "evaluate", put(tmp_path / "qrels", QRELS), bomb, memory=3 << 30)
    assert "exit 1" in done.stdout and done.stderr.startswith(f"irmetrics: error: {bomb}") and peak(done) < 300


def test_a_large_compressed_run_is_read_in_batches(tmp_path):
    run = b"".join(b"q%d Q0 d%d 1 %d tag\n" % (n // 100, n, -n) for n in range(20000))
    plain = put(tmp_path / "a.run", run)
    for end, pack in ARCHIVES.items():
        path = put(tmp_path / f"a.run.{end}", pack(run))
        batches = [*read_batches(path, size=50_000)]
        assert len(batches) > 3 and sum(map(len, batches)) == 20000
        found = evaluate({"q7": {"d701": 1}, "q9": {"d900": 2}}, path, "RR", memory=1 << 20)
        assert found.means == evaluate({"q7": {"d701": 1}, "q9": {"d900": 2}}, plain, "RR").means == {"RR": 0.75}


ZSTD = b"\x28\xb5\x2f\xfd\x20" + bytes([len(RUN)]) + (1 + (len(RUN) << 3)).to_bytes(3, "little") + RUN  # one frame of a raw block


class Decompressor:
    "A decompressor of zstd for a frame with one raw block, as of compression.zstd and of zstandard."

    def __init__(self):
        self.data, self.eof, self.unused_data = b"", False, b""

    def decompressobj(self):
        return self

    def decompress(self, data):
        self.data += data
        self.eof = len(self.data) >= len(ZSTD)
        self.unused_data = self.data[len(ZSTD) :]
        return self.data[9 : len(ZSTD)] if self.eof else b""


@pytest.mark.parametrize("module", ["compression.zstd", "zstandard"])
def test_zstd_is_read_by_either_module(tmp_path, monkeypatch, module):
    for name in ("compression", "compression.zstd", "zstandard"):
        monkeypatch.setitem(sys.modules, name, None)
    path = put(tmp_path / "a.run.zst", ZSTD)
    with pytest.raises(DataError) as error:
        Run(path)
    assert str(error.value) == f"{path}: zstd needs Python 3.14 or the package zstandard; run pip install zstandard"
    zstd = SimpleNamespace(ZstdDecompressor=Decompressor)
    parent, _, _ = module.partition(".")
    monkeypatch.setitem(sys.modules, parent, zstd if parent == module else SimpleNamespace(zstd=zstd))
    assert Run(path).to_dict() == Run(put(path, ZSTD)).to_dict() == {"q": {"b": 2.5, "a": 1.5}}
    for data in ZSTD[:-1], ZSTD + ZSTD[:9]:
        with pytest.raises(DataError, match=f"^{path}: the compressed data end too early; is the file truncated"):
            Run(put(path, data))


def test_zstd_is_read_where_it_is_installed(tmp_path):
    zstandard = pytest.importorskip("zstandard")
    rows = b"".join(b"q%d Q0 d%d 1 %d x\n" % (i // 9, i, i) for i in range(90_000))
    data = zstandard.compress(rows[:500_000]) + zstandard.compress(rows[500_000:])  # two frames
    assert Run(put(tmp_path / "a.run.zst", data)).to_dict() == Run(put(tmp_path / "a.run", rows)).to_dict()
    for end in (-1, len(data) // 2):
        with pytest.raises(DataError, match="the compressed data end too early"):
            Run(put(tmp_path / "a.run.zst", data[:end]))


@pytest.mark.parametrize(("end", "compress"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)])
def test_texts_of_documents_are_read_from_compressed_files(tmp_path, end, compress):
    content = b'{"doc_id": "d1", "title": "Rocky", "text": "A boxer."}'
    path = put(tmp_path / f"documents.jsonl.{end}", compress(content))
    assert read_words(path, ["d1"]) == {"d1": ("Rocky", "A boxer.")}
