"Numbers: those of float(), to the last bit, or refused."
import math
import struct

import numpy as np
import pytest
from helpers import QRELS, READ, RUN, put
from hypothesis import given
from hypothesis import strategies as st

from irmetrics_nb import DataError, Run
from irmetrics_nb.data.ids import Ids, parse_floats

pytestmark = pytest.mark.usefixtures("nothing_hangs")

score = st.one_of(
    st.floats().map(repr),
    st.decimals(-1000, 1000, places=3).map(str),
    st.integers(-(10**18), 10**18).map(str),
    st.sampled_from(["1e-3", "-0", "inf", "-inf", "+2", ".5", "5.", "1_0", "1E5", "infinity", "0" * 30 + "1"]),
    st.text("0123456789.-e", min_size=1, max_size=18),
)


@given(st.lists(score, min_size=1, max_size=50))
def test_numbers_equal_python_float(texts):
    def as_float(text):
        try:
            return math.nan if b"_" in text else float(text)
        except ValueError:
            return math.nan

    expected = np.array([as_float(t.encode()) for t in texts])
    got = parse_floats(Ids.from_list(texts))
    nan = np.isnan(expected)
    assert np.array_equal(np.isnan(got), nan)
    assert np.array_equal(got.view(np.int64)[~nan], expected.view(np.int64)[~nan])  # the very bits, -0.0 too


NUMBERS = """1e-3 1E-3 -0 0 +0 inf -inf Infinity -INFINITY 12345678901234567890 0.12345678901234567890 9007199254740993 1e308 1.7976931348623157e308
    1.7976931348623159e308 1e400 -1e400 5e-324 2.4703282292062327e-324 2.4703282292062328e-324 1e-400 .5 5. +.5 0.1 0.30000000000000004
    123456789012345.6 1234567890123456 12345678901234567 0.000000000000001 99999999.99999999 00012.500 -106.807 -.000 8.41234e+02""".split()


@pytest.mark.parametrize("text", [*NUMBERS, "0" * 4000 + "1", "0." + "3" * 4000, "1" * 4000])
def test_a_score_is_what_float_makes_of_it_to_the_last_bit(tmp_path, text):
    [[(_, value)]] = [d.items() for d in Run(put(tmp_path / "run", f"q Q0 d 1 {text} t\n".encode())).to_dict().values()]
    assert struct.pack(">d", value) == struct.pack(">d", float(text))


@pytest.mark.parametrize("text", ["nan", "NaN", "-nan", "+NAN", "x", "1,5", "0x1p3", "1e", "1_0", "1__0", "_1", "١", "½", "1.2.3", ".", "-", "e5", "infinit", "1\0", "1\xa0"])
@pytest.mark.parametrize("kind", READ)
def test_what_float_refuses_and_nan_is_refused_with_line_and_value(tmp_path, kind, text):
    line = {"qrels": f"q 0 c {text}\n", "run": f"q Q0 c 1 {text} t\n"}[kind].encode()
    path = put(tmp_path / "file", {"qrels": QRELS, "run": RUN}[kind] + line)
    with pytest.raises(DataError) as error:
        READ[kind](path)
    assert str(error.value).startswith(f"{path}, line 3: the ") and repr(text) in str(error.value)
