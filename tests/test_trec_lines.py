"The lines of trec_eval 10 for -m all_trec: names, order and format are those of the program, and so are the values."
import json
import re

import pytest
from helpers import irmetrics
from project import NBS, ROOT

from irmetrics_nb import parse
from irmetrics_nb.metrics.parsing import parse_all, trec_names

QRELS = "q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq1 0 f 1\nq2 0 a 1\nq2 0 d 0\nq3 0 e 1\n"
RUN = "q1 Q0 b 1 9 mine\nq1 Q0 a 2 8 mine\nq1 Q0 x 3 8 mine\nq1 Q0 c 4 1.5 mine\nq2 Q0 d 1 3 mine\nq2 Q0 a 2 2 mine\n"
# Printed by trec_eval 10.0 (f425365) with -c -m all_trec for these files: name, value, name, value ...
PRINTED = """
    runid mine num_q 3 num_ret 6 num_rel 5 num_rel_ret 3 map 0.25925925925925924 gm_map 0.011157215834702829 Rprec 0.1111111111111111
    bpref 0 recip_rank 0.27777777777777773 iprec_at_recall_0.00 0.33333333333333331 iprec_at_recall_0.10 0.33333333333333331
    iprec_at_recall_0.20 0.33333333333333331 iprec_at_recall_0.30 0.33333333333333331 iprec_at_recall_0.40 0.33333333333333331
    iprec_at_recall_0.50 0.33333333333333331 iprec_at_recall_0.60 0.33333333333333331 iprec_at_recall_0.70 0.33333333333333331
    iprec_at_recall_0.80 0.33333333333333331 iprec_at_recall_0.90 0.16666666666666666 iprec_at_recall_1.00 0.16666666666666666 P_5
    0.20000000000000004 P_10 0.10000000000000002 P_15 0.066666666666666666 P_20 0.05000000000000001 P_30 0.033333333333333333 P_100
    0.01 P_200 0.0050000000000000001 P_500 0.002 P_1000 0.001 recall_5 0.55555555555555547 recall_10 0.55555555555555547 recall_15
    0.55555555555555547 recall_20 0.55555555555555547 recall_30 0.55555555555555547 recall_100 0.55555555555555547 recall_200
    0.55555555555555547 recall_500 0.55555555555555547 recall_1000 0.55555555555555547 infAP 0.25926129625555633 gm_bpref
    9.9999999999999974e-06 Rprec_mult_0.20 0 Rprec_mult_0.40 0 Rprec_mult_0.60 0 Rprec_mult_0.80 0.1111111111111111 Rprec_mult_1.00
    0.1111111111111111 Rprec_mult_1.20 0.33333333333333331 Rprec_mult_1.40 0.29999999999999999 Rprec_mult_1.60 0.29999999999999999
    Rprec_mult_1.80 0.27777777777777773 Rprec_mult_2.00 0.27777777777777773 utility 0 11pt_avg 0.30303030303030304 binG
    0.32142102896826358 G 0.33530991785715253 ndcg 0.36262639365175398 ndcg_rel 0.34734245096908672 Rndcg 0.053232323873299826
    ndcg_cut_5 0.36262639365175398 ndcg_cut_10 0.36262639365175398 ndcg_cut_15 0.36262639365175398 ndcg_cut_20 0.36262639365175398
    ndcg_cut_30 0.36262639365175398 ndcg_cut_100 0.36262639365175398 ndcg_cut_200 0.36262639365175398 ndcg_cut_500 0.36262639365175398
    ndcg_cut_1000 0.36262639365175398 map_cut_5 0.25925925925925924 map_cut_10 0.25925925925925924 map_cut_15 0.25925925925925924
    map_cut_20 0.25925925925925924 map_cut_30 0.25925925925925924 map_cut_100 0.25925925925925924 map_cut_200 0.25925925925925924
    map_cut_500 0.25925925925925924 map_cut_1000 0.25925925925925924 relative_P_5 0.55555555555555547 relative_P_10
    0.55555555555555547 relative_P_15 0.55555555555555547 relative_P_20 0.55555555555555547 relative_P_30 0.55555555555555547
    relative_P_100 0.55555555555555547 relative_P_200 0.55555555555555547 relative_P_500 0.55555555555555547 relative_P_1000
    0.55555555555555547 success_1 0 success_5 0.66666666666666663 success_10 0.66666666666666663 set_P 0.33333333333333331
    set_relative_P 0.55555555555555547 set_recall 0.55555555555555547 set_map 0.27777777777777773 set_F 0.41269841269841273
    num_nonrel_judged_ret 2 rbp 0.069149999999999989 rbp_resid 0.24870000000000003 unj_5 0.066666666666666666 unj_10
    0.033333333333333333 unj_20 0.016666666666666666
""".split()
EXPECTED = dict(zip(PRINTED[::2], PRINTED[1::2]))
RBP = 0.1 * ((0.9**2 + 0.9**3) + 0.9) / 3  # trec_eval is wrong beside other measures: it reads memory that it did not set


@pytest.fixture
def printed(tmp_path):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)

    def lines(*options):
        done = irmetrics("evaluate", tmp_path / "qrels", tmp_path / "run", "-m", "all_trec", *options)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()
    return lines


@pytest.mark.parametrize("options", [(), ("--conventions", "trec_eval10")])
def test_all_trec_prints_the_lines_of_trec_eval_10(printed, options):
    assert len(EXPECTED) == 99
    lines = printed(*options)
    assert lines[:3] == ["runid                 \tall\tmine", "num_q                 \tall\t3", "num_ret               \tall\t6"]
    fields = [line.split("\t") for line in lines]
    names = [name.strip() for name, _, _ in fields]
    assert names == [name for name in EXPECTED if name in names] and len(names) == 98
    for name, query, value in fields:
        assert len(name) == max(22, len(name.strip())) and query == "all"
        expected = EXPECTED[name.strip()]
        if name.strip() == "rbp":
            assert float(value) == pytest.approx(RBP, abs=1e-15)
        elif re.fullmatch(r"[\d.e-]+", expected):
            assert float(value) == pytest.approx(float(expected), abs=1e-12)


def test_all_trec_per_query_prints_each_query_before_the_means(printed):
    fields = [line.split("\t") for line in printed("--per-query")]
    queries = [query for _, query, _ in fields]
    assert list(dict.fromkeys(queries)) == ["q1", "q2", "q3", "all"] and queries.count("q1") == queries.count("q3") == queries.count("all") - 4
    of_first = {name.strip(): value for name, query, value in fields if query == "q1"}
    assert not {"gm_map", "gm_bpref", "runid", "num_q"} & of_first.keys()
    assert float(of_first["map"]) == pytest.approx((1 / 3 + 2 / 4) / 3)


def test_lines_that_are_left_out_are_those_of_measures_that_are_not_declared():
    left_out = [name for name in EXPECTED if name not in trec_names("trec_eval10")]
    assert left_out[:2] == ["runid", "num_q"]
    for name in left_out[2:]:
        with pytest.raises(ValueError, match="is not supported here"):
            parse(name, tool="trec_eval10")


# ---- counts on the pages ----


def count_computed(names, tool):
    "How many of the names mean a measure; RBP of ir_measures with its parameter rel."
    computed = 0
    for name in names:
        try:
            computed += bool(parse_all([name.replace("RBP", "RBP(rel=1)") if tool == "ir_measures" else name], tool=tool))
        except ValueError as error:
            assert "not supported here" in str(error) or "is not a measure" in str(error)
    return computed


def outputs_of(page):
    cells = json.loads((NBS / "reference/coming_from" / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
    return str([cell["outputs"] for cell in cells if cell["cell_type"] == "code"])


def test_pages_say_how_many_names_of_ir_measures_and_lines_of_trec_eval_are_computed():
    import ir_measures
    names = [*ir_measures.measures.registry]
    assert f"**{count_computed(names, 'ir_measures')} of {len(names)} names**" in outputs_of("ir_measures")
    lines = len(trec_names("trec_eval10")) + 2
    assert lines == count_computed([name for name in EXPECTED if name not in ("runid", "num_q")], "trec_eval10") + 2
    assert f"**{lines} of {len(EXPECTED)} lines**" in outputs_of("trec_eval")


def test_the_readme_has_the_counts_of_the_pages():
    said = re.findall(r"(\d+ of \d+)(?: lines)? of \w+", (ROOT / "README.md").read_text(encoding="utf-8"))
    pages = outputs_of("ir_measures") + outputs_of("trec_eval") + outputs_of("specialised_tools")
    assert said == re.findall(r"(\d+ of \d+) (?:names|lines)", pages)


ASKED = json.loads((ROOT / "parity/measures.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("tool", ["pyndeval", "cwl_eval", "ir_measures", "pyNTCIREVAL", "trec_eval", "sample_eval.pl"])
def test_every_value_of_a_tool_on_300_random_collections_is_the_same_here(tool):
    found = ASKED[tool]
    assert found["rounds"] >= 300 and found["within"] <= 5.1e-5
    for name, row in found["measures"].items():
        assert row["numbers"] >= 1000 and row["largest"] <= found["within"], name
