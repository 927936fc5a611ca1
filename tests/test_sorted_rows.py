"Sorting within queries of equal lengths, which are sorted as the rows of a table."

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irmetrics_nb.core import arrays
from irmetrics_nb.core.arrays import FEW_ROWS, argsort_descending

NEAR = [1 + i * 2.0**-52 for i in range(9)]  # equal in all but the last bits
VALUES = {
    "few": [0.0, -0.0, 1.0, -1.0],
    "near": [*NEAR, *(-x for x in NEAR)],
    "extreme": [np.inf, -np.inf, 1e308, -1e308, 5e-324, -5e-324, 0.0, -0.0],
    "single precision": np.float32([0.1, 0.2, 0.3, 16777216, -0.1]).astype(float).tolist(),
}


def exact_order(query, value):
    "The order by two sorts, which compare all bits."
    return np.lexsort((-value, query))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(VALUES)), st.sampled_from([7, 8, 9, 15, 16, 17, 40, 1000]), st.integers(0, 2**32 - 1))
def test_rows_are_sorted_like_by_two_sorts(name, width, seed):
    rng = np.random.default_rng(seed)
    queries = -(-FEW_ROWS // width) + 1
    query = np.repeat(np.arange(queries), width)
    value = rng.choice(VALUES[name], len(query))
    assert len(query) >= FEW_ROWS
    assert argsort_descending(query, value).tolist() == exact_order(query, value).tolist()
    assert value[argsort_descending(query, value, stable=False)].tolist() == value[exact_order(query, value)].tolist()


@pytest.mark.parametrize("change", ["uneven", "shuffled", "descending", "gaps", "interleaved", "int32", "negative strides"])
def test_queries_that_are_no_rows_are_sorted_too(change):
    rng = np.random.default_rng(5)
    query = np.repeat(np.arange(200), 10)
    if change == "uneven": query[10:12] = 0
    if change == "shuffled": query = rng.permutation(query)
    if change == "descending": query = query[::-1].copy()
    if change == "gaps": query = query * 1_000_003
    if change == "interleaved": query = np.tile(np.arange(200), 10)
    if change == "int32": query = query.astype(np.int32)
    value = rng.choice(VALUES["near"] + VALUES["extreme"], len(query))
    if change == "negative strides": value = value[::-1]
    assert argsort_descending(query, value).tolist() == exact_order(query, value).tolist()


def test_only_queries_of_equal_lengths_are_sorted_in_rows(monkeypatch):
    calls = []
    sort = arrays.argsort_rows

    def recorded(query, key, width):
        calls.append(width)
        return sort(query, key, width)

    monkeypatch.setattr(arrays, "argsort_rows", recorded)
    value = np.random.default_rng(1).random(2000)
    argsort_descending(np.repeat(np.arange(200), 10), value)
    argsort_descending(np.repeat(np.arange(500), 4), value)
    argsort_descending(np.repeat([0, 1], [999, 1001]), value)
    assert calls == [10]
