"The index of keys, and the numbering of ids."

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from irmetrics_nb.data.ids import Ids, factorize, factorize_blocks


@given(st.lists(st.text("ab\0\n", max_size=12)))
def test_factorize_finds_each_string_once_in_order_of_first_appearance(items):
    for find in (factorize, factorize_blocks):
        unique, code = find(Ids.from_list(items))
        assert unique.tolist() == list(dict.fromkeys(items))
        assert [unique[i] for i in code] == items


def test_factorize_is_exact_even_if_all_hashes_collide(monkeypatch):
    monkeypatch.setattr(Ids, "hash", lambda self: np.zeros(len(self), np.uint64))
    unique, code = factorize(Ids.from_list(["b", "a", "b", "c"]))
    assert unique.tolist() == ["b", "a", "c"] and code.tolist() == [0, 1, 0, 2]


def test_an_id_whose_hash_is_zero_is_found_like_any_other():
    ids = ["uPvpc2XN|fEeJ%^=", *(f"q{n}" for n in range(3000))]  # the first was looked for: mix() leaves 0 as it is
    assert Ids.from_list(ids).hash()[0] == 0
    unique, code = factorize(Ids.from_list(ids * 2))
    assert unique.tolist() == ids and code.tolist() == [*range(3001)] * 2
