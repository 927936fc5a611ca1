"Ids: compared, hashed and sorted as their bytes are."

from hypothesis import given
from hypothesis import strategies as st

from irmetrics_nb.data.ids import Ids


@given(st.lists(st.binary(max_size=20)), st.lists(st.binary(max_size=20)))
def test_ids_compare_hash_and_sort_as_bytes_do(left, right):
    a, b = Ids.from_list(left), Ids.from_list(right)
    n = min(len(left), len(right))
    assert a[:n].equals(b[:n]).tolist() == [x == y for x, y in zip(left, right)]
    hashes = dict(zip(left + right, a.hash().tolist() + b.hash().tolist()))
    assert a.hash().tolist() == [hashes[x] for x in left]
    assert len(set(hashes.values())) == len(hashes)
    assert [left[i] for i in a.argsort()] == sorted(left)
    assert [a.bytes(i) for i in range(len(a))] == left
