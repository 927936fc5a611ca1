"""Coverage-guided fuzzing of the reader: `python tests/fuzz/fuzz_reader.py -max_total_time=60`, with atheris installed.

Every input is a file, once as judgments and once as a run. It must be read exactly as the reference in tests/oracles.py
reads it, or be refused by one DataError that names the file; anything else (another exception, a hang, a crash, another
number) stops the fuzzer, which leaves the input in a file `crash-...`. Atheris is no dependency of the package.
"""
import struct
import sys
import tempfile
import warnings
from pathlib import Path

import atheris
import polars  # noqa: F401 (slow the first time: no input should be blamed for it)

sys.path.insert(0, str(Path(__file__).parents[1]))
ROOMS = "ids index numbers text tables objects files data".split()
with atheris.instrument_imports(include=[f"irmetrics_nb.reading.{room}" for room in ROOMS]):
    from irmetrics_nb import DataError, DataWarning, Qrels, Run
    from irmetrics_nb.data.tables import header_separator
from oracles import read_trec  # noqa: E402

OTHER_FORMATS = (b"\x1f\x8b", b"PAR1", b"ARROW1", b"{", b"[")
FILE = Path(tempfile.mkdtemp()) / "file"
SEEDS = [
    b"q Q0 a 1 2.5 t\nq Q0 b 2 1.5e-3 t\n",
    b"\xef\xbb\xbfq\tQ0\ta\t1\t-inf\tt\r\n\r\nr Q0 a\0 1 0.12345678901234567890 t",
    b"q 0 a 1\nq 0 b -2\nr 0 #a 0\n",
    b"q Q0 aaaaaaaaaaaaaaaa 1 12345678.12345678 t\n",
    b'{"q": {"a": 1}}',
    b"query_id,doc_id,score\nq,a,1\n",
]


def bits(nested):
    "Every query, document and number, the numbers by their bits (there is one zero)."
    return [(q, d, struct.pack(">d", v + 0.0)) for q, docs in nested.items() for d, v in docs.items()]


def check(data):
    "One input: the same as the reference, or refused."
    FILE.write_bytes(data)
    for kind, read in (("qrels", Qrels), ("run", Run)):
        try:
            got = read(FILE).to_dict()
        except DataError as error:
            assert str(error).startswith(str(FILE)) and "\n" not in str(error), error
            continue
        first = data.removeprefix(b"\xef\xbb\xbf").lstrip()
        if not first.startswith(OTHER_FORMATS) and header_separator(data) is None:
            assert bits(got) == bits(read_trec(data, kind)), kind


if __name__ == "__main__":
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", DataWarning)  # a file that may be cut off
    corpus = Path(tempfile.mkdtemp())
    for n, seed in enumerate(SEEDS):
        (corpus / str(n)).write_bytes(seed)
    atheris.Setup([*sys.argv, str(corpus), "-max_len=400", "-timeout=20", "-rss_limit_mb=3000"], check)
    atheris.Fuzz()
