"NCG, Q, nERR, Compat, infAP, the C/W/L family, iRBU and those of trec_eval: values by hand, and those of the tools that have them."
from fractions import Fraction

import ir_measures
import numpy as np
import oracles
import pytest
from helpers import irmetrics

from irmetrics_nb import Judged, evaluate, explain, parse
from irmetrics_nb.metrics.graded import normalised_err, q_measure
from irmetrics_nb.metrics.user_models import expected_gain

FLOWER = [3, 0, 0, 1, 2, 1]
IDCG = 3 + Fraction(1 / np.log2(3))  # of the grades 3 and 1
E = Fraction(1, 100_000)  # the epsilon of infAP
BY_HAND = [
    ("NCG@4", FLOWER, Fraction(3 + 1, 3 + 2 + 1 + 1)),
    ("Q", FLOWER, (Fraction(4, 4) + Fraction(6, 11) + Fraction(9, 12) + Fraction(11, 13)) / 4),
    ("Q(beta=0)", FLOWER, Fraction(83, 120)),  # AP
    ("Q@1", [1, 0, 1], Fraction(1)),
    ("nERR(max_grade=2)", [0, 2], Fraction(1, 2)),
    ("nERR(max_grade=2)@2", [1, 2], (Fraction(1, 4) + Fraction(3, 4) * Fraction(3, 4) / 2) / (Fraction(3, 4) + Fraction(1, 4) * Fraction(1, 4) / 2)),
    ("Compat(p=0.5)", [0, 1], Fraction(1, 4) / (1 + Fraction(1, 4))),
    ("Compat(p=0.5, normalize=False)", [0, 1], Fraction(1, 4) / (1 + Fraction(1, 2))),
    ("infAP", [-1, 1], Fraction(1, 2) + Fraction(1, 2) * E / (2 * E)),
    ("infAP", [None, 1], Fraction(1, 2)),
    ("INSQ(max_rel=1)", [1], Fraction(1, 4) / sum(Fraction(1, (i + 1) ** 2) for i in range(1, 1001))),
    ("BPM(T=2, max_rel=3)@4", FLOWER, (1 + Fraction(1, 3)) / 4),
    ("BPM(max_rel=3)@4", [1, 2, 0], Fraction(1) / 2),  # the gain of 1 is reached at rank 2
    ("SDCG(max_rel=1)@3", [0, 0, 1], Fraction(1, 2) / (Fraction(3, 2) + Fraction(1 / np.log2(3)))),
    ("NERR8(max_rel=3)@2", [1, 2], (Fraction(1, 3) + Fraction(2, 3) * Fraction(2, 3)) / (1 + Fraction(2, 3))),
    ("NERR9(max_rel=2)@2", [1, 2], (Fraction(1, 2) + Fraction(1, 4)) / (1 + Fraction(1, 4))),
    ("NERR10(max_rel=1)", [1, 1], Fraction(1)),
    ("iRBU(max_grade=2, p=0.5)", [2, 1], Fraction(3, 4) / 2 + Fraction(1, 4) * Fraction(1, 4) / 4),
    ("G", [0, 0, 2], Fraction(2, 2) / np.log2(2 + 2)),  # the ideal list has 2 + 1 + 1 down to rank 3, and the list has 2
    ("binG", [0, 0, 1, 1], Fraction(1, 2)),
    ("ndcg_rel", [0, 0, 3], Fraction(1, 2)),
    ("Rndcg", [1, 0, 3, 0], (Fraction(1, 3) + 1 / IDCG + Fraction(5, 2) / IDCG) / 3),  # the grades end at ranks 1 and 2, and the list after R + 1
    ("PairAccuracy", [0, 2, None, 1], Fraction(1, 4)),
    ("PairAccuracy@3", [0, 2, None, 1], Fraction(1, 2)),
    ("Rprec_mult@1.5", FLOWER, Fraction(4, 6)),
    ("Rprec_mult@0.5", FLOWER, Fraction(1, 2)),
    ("yaap", [1, None, 0, 1], np.log(5 / 3)),
    ("utility", [1, None, 0], Fraction(1 - 2)),
    ("NumNonrelRet", [1, None, 0, 0], Fraction(2)),
    ("Unjudged@5", [1, None, 0], Fraction(1, 5)),
    ("RBPresidual(p=0.5)", [1, None, 1], Fraction(1, 4) + Fraction(1, 8)),
]  # fmt: skip


@pytest.mark.parametrize(("measure", "grades", "value"), BY_HAND, ids=lambda x: x if isinstance(x, str) else "")
def test_a_value_is_that_by_hand_in_fractions(measure, grades, value):
    assert parse(measure).of(grades) == pytest.approx(float(value), rel=1e-13)
    assert explain(measure, grades).value == parse(measure).of(grades)


def test_the_command_prints_the_values_by_hand(tmp_path):
    (tmp_path / "qrels").write_text("q 0 a -1\nq 0 b 2\n")
    (tmp_path / "run").write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\n")
    done = irmetrics("evaluate", "qrels", "run", "-m", "infAP Compat(p=0.5) NCG@1 Q INST(max_rel=2)", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = dict(line.split()[:2] for line in done.stdout.splitlines()[2:7])
    assert rows == {"infAP": "0.7500", "Compat(p=0.5)": "0.2000", "NCG@1": "0.0000", "Q": "0.7500", "INST(max_rel=2)": "0.2072"}


# ---- other tools ----

OF_IR_MEASURES = """Compat Compat(p=0.8) Compat(p=0.8,normalize=False) infAP infAP(rel=2) INST(max_rel=4) INST(T=3.0,max_rel=3,min_rel=1)
    INSQ(T=2.5,max_rel=3) BPM(T=2.0,max_rel=4)@20 SDCG(max_rel=3,min_rel=1)@20 NERR8(max_rel=4)@5 NERR9(max_rel=4)@20
    NERR10(max_rel=4,p=0.5) NERR11(max_rel=5,T=2.0)""".split()


def with_ranks_as_scores(run):
    "A run without ties, in our order; ir_measures breaks the ties of Compat by ascending id, and takes a missed document to score 0."
    by_rank = {query: sorted(docs, key=lambda d: (docs[d], d.encode())) for query, docs in run.items()}  # noqa: B023
    return {query: {doc: float(i) for i, doc in enumerate(docs, 1)} for query, docs in by_rank.items()}


@pytest.mark.parametrize("name", OF_IR_MEASURES)
@pytest.mark.filterwarnings("ignore::irmetrics_nb.EvaluationWarning")
def test_values_are_those_of_ir_measures_on_random_collections(name):
    for seed in range(10):
        qrels, run = oracles.random_collection(seed, queries=10)
        run = with_ranks_as_scores(run)
        (theirs,) = oracles.by_ir_measures(qrels, run, [ir_measures.parse_measure(name)]).values()
        scores = evaluate(qrels, run, f"ir_measures:{name}")
        np.testing.assert_allclose(scores.values[0, 0], [theirs[q] for q in scores.query_ids], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["Accuracy", "Accuracy(rel=2)@5"])
@pytest.mark.filterwarnings("ignore::irmetrics_nb.EvaluationWarning")
def test_pair_accuracy_is_that_of_ir_measures_where_there_is_a_pair(name):
    without = 0
    for seed in range(5):
        qrels, run = oracles.random_collection(seed, queries=10)
        run = with_ranks_as_scores(run)
        scores = evaluate(qrels, run, f"ir_measures:{name}")
        values = dict(zip(scores.query_ids, scores.values[0, 0]))
        paired = {query: run[query] for query in run if not np.isnan(values.get(query, np.nan))}  # theirs divides by 0 for the others
        theirs = ir_measures.accuracy.iter_calc([ir_measures.parse_measure(name)], qrels, paired)
        assert {x.query_id: pytest.approx(x.value, abs=1e-12) for x in theirs} == {query: values[query] for query in paired}
        without += len(values) - len(paired)
        assert scores.means[name] == pytest.approx(np.nanmean(scores.values), abs=1e-12)
    assert without


def test_accuracy_without_a_pair_has_no_value_and_names_no_document():
    assert np.isnan(parse("PairAccuracy").of([[], [1, 2], [0, None]])).all()
    assert explain("PairAccuracy", [1, 2]).text == "PairAccuracy = 0 / 0 = nan (there is no value)"
    assert parse("accuracy@1") == parse("Success@1") and parse("Accuracy@1") == parse("PairAccuracy@1")


@pytest.mark.parametrize("no_relevant", ["zero", "skip", "nan", "one"])
def test_unjudged_is_0_where_everything_is_judged_whatever_the_convention(no_relevant):
    qrels, run = {"q": {"a": 1}, "r": {"a": 1}}, {"q": ["a"], "r": ["a", "x"]}
    assert evaluate(qrels, run, "Unjudged", no_relevant=no_relevant)["Unjudged"] == pytest.approx([0, 0.5])
    assert explain("Unjudged", qrels, run, "q", no_relevant=no_relevant).value == 0


# The documents of three queries in rank order, the grades of a, b, c …, and what trec_eval 10.0 (f425365) prints for them.
LISTS_OF_TREC_EVAL = {"q1": ("bxcaydz", [3, 0, 1, 2, 1]), "q2": ("byxca", [1, 0, 4]), "q3": ("cbadx", [0, 2, 2, 1])}
PRINTED = {
    "G": [0.35851285392499826, 0.43067655807339306, 0.92618595071429155],
    "binG": [0.35766913951834828, 0.43067655807339306, 0.87697658452381921],
    "ndcg_rel": [0.35368744420779169, 0.41376845209821778, 0.99385734264353598],
    "Rndcg": [0.20685815508521763, 0.15184560853402304, 0.9495530122053033],
    "utility": [-1, -1, 1],
    "yaap": [-0.45198512374305744, -0.35364004024357848, 1.0986122886681098],
    "num_nonrel_judged_ret": [1, 1, 1],
    "unj_5": [0.4, 0.4, 0.2],
    "unj_10": [0.3, 0.2, 0.1],
    "Rprec_mult_0.60": [0.33333333333333331, 0, 1],
    "Rprec_mult_1.60": [0.42857142857142855, 0.25, 0.6],
    "RBPresidual(p=0.9)": [0.68705100000000008, 0.76149000000000011, 0.65610000000000013],  # rbp_resid
}


@pytest.mark.parametrize("name", PRINTED)
def test_values_are_those_that_trec_eval_10_prints(name):
    qrels, run = {}, {}
    for query, (documents, judged) in LISTS_OF_TREC_EVAL.items():
        qrels[query] = dict(zip("abcde", judged))
        run[query] = list(documents)
    values = evaluate(qrels, run, name, conventions="trec_eval10").values[0, 0]
    assert values == pytest.approx(PRINTED[name], abs=1e-12)


def test_what_trec_eval_prints_as_rbp_resid_is_named_with_advice():
    with pytest.raises(ValueError, match="0 if all documents of the list are judged: write RBPresidual"):
        parse("rbp_resid", tool="trec_eval10")


# (grades of the list, judged grades, k, beta) and what pyNTCIREVAL 0.0.3 computes: Q with linear gains, nERR with gains of 2^g - 1.
OF_NTCIREVAL = [
    ([None, None, None, 3, 2, 3, 2, 4, None, 2], [3, 2, 3, 2, 4, 2], 5, 0.5, 0.125, 0.13621308305283844),
    ([0, 0, 1, None, None, 2, 3, 2, 4, 4], [0, 0, 1, 2, 3, 2, 4, 4, 4, 3, 3], 3, 0.5, 0.05555555555555555, 0.021521647751155948),
    ([4, 2], [4, 2, 2, 3], 5, 1, 0.4722222222222222, 0.988112885631975),
    ([2, 4, 4, 3, 0, 2, 2, 2, 1, 3, 0], [2, 4, 4, 3, 0, 2, 2, 2, 1, 3, 0], None, 0.5, 0.8646616266833353, 0.6042454273309784),
    ([0, 2, 4, 0, 4, 0, 4, None, 4, None, 2], [0, 2, 4, 0, 4, 0, 4, 4, 2, 4], 5, 2, 0.2614814814814815, 0.3689556626273393),
]  # fmt: skip


@pytest.mark.parametrize(("grades", "judged", "k", "beta", "q", "nerr"), OF_NTCIREVAL)
def test_q_and_nerr_are_those_of_pyntcireval(grades, judged, k, beta, q, nerr):
    one = Judged.from_grades([grades], ideal=[judged])
    assert q_measure(one, k=k, beta=beta) == pytest.approx([q], rel=1e-12)
    assert normalised_err(one, max_grade=4, k=k) == pytest.approx([nerr], rel=1e-12)


# ---- what must be said, and what is fixed ----


@pytest.mark.parametrize("text", ["nERR@10", "INST(T=2)", "BPM@5", "iRBU(p=0.9)"])
def test_a_scale_that_is_not_given_is_asked_for(text):
    name, top = text.partition("@")[0].partition("(")[0], "max_grade" if text[0] in "ni" else "max_rel"
    with pytest.raises(ValueError, match=rf"{name} needs {top}: write {name}\({top}=4\) if 4 is the largest grade of the scale"):
        parse(text)


def test_a_measure_without_its_scale_is_refused_by_evaluate():
    with pytest.raises(ValueError, match="nERR needs max_grade"):
        evaluate({"q": {"a": 1}}, {"q": ["a"]}, "nERR")


@pytest.mark.parametrize("negative", ["zero", "keep"])
def test_infap_reads_grades_below_0_whatever_the_convention(negative):
    qrels, run = {"q": {"a": -1, "b": 1, "c": 0}}, {"q": ["a", "b", "c"]}
    scores = evaluate(qrels, run, "infAP AP Bpref", negative=negative)
    assert scores["infAP"] == pytest.approx([0.75])
    assert scores["Bpref"] == pytest.approx([1 if negative == "zero" else 0])
    assert explain("infAP", qrels, run, "q", negative=negative).value == pytest.approx(0.75)


def test_lists_are_cut_to_a_thousand_ranks_and_filled_up():
    assert expected_gain([0] * 1000 + [1], max_rel=1) == 0
    assert expected_gain([1], max_rel=1) == expected_gain([1] + [None] * 2000, max_rel=1)
    assert expected_gain([1] * 1000, max_rel=1, model="NERR8", k=1) == 1


def test_many_queries_in_blocks_give_what_single_queries_give():
    lists = np.random.default_rng(0).integers(0, 4, (600, 7)).tolist()
    together = parse("INST(max_rel=3)").of(lists)
    assert together.tolist() == [parse("INST(max_rel=3)").of(one) for one in lists]


@pytest.mark.parametrize("measure", ["utility", "NumNonrelRet", "PairAccuracy", "RBPresidual", "Unjudged"])
def test_a_value_of_0_does_not_mean_that_nothing_is_relevant(measure):
    qrels, run = {"q": {"a": 1, "b": 0}, "r": {"a": 0}}, {"q": ["a", "b"], "r": ["a", "x"]}
    alone = evaluate(qrels, run, measure)
    for option in ("one", "nan", "skip"):
        changed = evaluate(qrels, run, measure, no_relevant=option)
        assert changed.query_ids == alone.query_ids
        np.testing.assert_array_equal(changed[measure], alone[measure])
    both = evaluate(qrels, run, f"AP {measure}", no_relevant="skip")
    assert both.query_ids == ("q",) and "1 without a relevant document" in str(both)


def test_grades_above_the_scale_of_a_user_model_are_named():
    qrels, run = {"q": {"a": 5, "b": 2}}, {"q": ["a", "b"]}
    text = " ".join(str(evaluate(qrels, run, "INST(max_rel=4) BPM(max_rel=3)@10 AP")).split())
    assert "grades above max_rel=3 count as 3 (the largest is 5)" in text and "grades above max_rel=4 count as 4 (the largest is 5)" in text
    assert "count as" not in str(evaluate(qrels, run, "INST(max_rel=5)")).replace("count as not judged", "")
