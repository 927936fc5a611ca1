"Systems that were judged unequally: judged@k of each, and a warning that is seldom wrong."
import numpy as np
import pytest

from irmetrics_nb import Accumulator, Scores, compare, evaluate, load_example, report
from irmetrics_nb.comparing.aligned_scores import Sample, judged_shares, judging_warnings
from irmetrics_nb.data.judging import judge
from irmetrics_nb.evaluation.findings import first_ranks

EXAMPLE = load_example()
DEPTH = 10


def thinned(share, seed=1):
    "bm25, and a run of which such a share of its documents was judged: the others are unknown."
    random = np.random.default_rng(seed)
    full = EXAMPLE.runs["bm25"].to_dict()
    return {"pooled": full, "new": {q: {(d if random.random() < share else f"x{d}"): s for d, s in docs.items()} for q, docs in full.items()}}


def test_first_ranks_show_the_judgments_of_the_top_documents():
    qrels = {"a": {"d1": 2, "d2": 0, "d3": 1}, "b": {"d1": 1}, "c": {"d9": 0.5}, "e": {"d1": -1, "d2": 1}}
    run = {"a": ["d2", "x", "d1"], "b": ["y"], "c": [f"z{i}" for i in range(30)] + ["d9"], "e": ["d1", "d2"]}
    known = first_ranks(judge(qrels, run))
    assert known.shape == (4, 20)
    assert known[:, :4].tolist() == [[2, 1, 3, 0], [1, 0, 0, 0], [1, 1, 1, 1], [1, 3, 0, 0]] and (known[2] == 1).all()


@pytest.mark.parametrize("how", [{}, {"unjudged": "skip"}, {"missing": "skip"}, {"conventions": "trec_eval"}])
def test_a_run_of_which_less_is_judged_is_warned_of_and_an_equal_one_is_not(how):
    runs = thinned(0.43)
    expected = sum(d in EXAMPLE.qrels.to_dict()[q] for q, docs in runs["new"].items() for d in sorted(docs, key=lambda d: -docs[d])[:DEPTH])
    total = sum(min(len(docs), DEPTH) for docs in runs["new"].values())
    found = compare(EXAMPLE.qrels, runs, "nDCG@10", **how)
    assert 0.3 < expected / total < 0.6 and f"judged@10: pooled 100.0%, new {expected / total:.1%}" in found.notes
    [warning] = [text for text in found.warnings if "has a smaller share of judged documents than" in text]
    assert warning.startswith("new has a smaller share of judged documents than pooled: at the ranks of the top 10 ") and warning in " ".join(str(found).split())
    fair = compare(EXAMPLE.qrels, {name: EXAMPLE.runs[name] for name in ("bm25", "title")}, "nDCG@10", **how)
    assert "judged@10: bm25 100.0%, title 100.0%" in fair.notes and not any("has a smaller share of judged documents" in text for text in fair.warnings)


@pytest.mark.parametrize(("measures", "k"), [("AP", 10), ("AP P@5 nDCG@3", 5), ("nDCG@15", 15), ("R@1000 P@5", 20), ("RR NumRet@7", 10)])
def test_k_is_the_largest_cutoff_compared_up_to_20_and_10_without_one(measures, k):
    scores = evaluate(EXAMPLE.qrels, thinned(0.5), measures.replace("NumRet@7", "Judged@7"))
    assert any(note.startswith(f"judged@{k}: pooled ") for note in compare(scores).notes)


def test_only_relevant_judgments_give_one_note_and_no_warning():
    clicks = {f"q{i}": {"a": 1} for i in range(40)}
    runs = {"pooled": dict.fromkeys(clicks, ["a", "b"]), "new": dict.fromkeys(clicks, ["x", "y", "a"]), "third": dict.fromkeys(clicks, ["x", "z"])}
    with pytest.warns(UserWarning, match="no judged document"):
        found = compare(clicks, runs, "RR")
    blind = [text for text in found.notes if "it is unknown" in text]
    assert blind == ["no document was judged not relevant, so it is unknown whether the systems were judged equally"]
    assert not any("has a smaller share of judged documents" in text for text in found.warnings)


def test_first_ranks_match_their_queries_in_combined_scores():
    runs, q = thinned(0.5), EXAMPLE.qrels.to_dict()
    whole = evaluate(q, runs, "nDCG@10")
    names, half = list(whole.query_ids), len(whole) // 2
    parts = [evaluate({name: q[name] for name in some}, runs, "nDCG@10", part=True) for some in (names[half:], names[:half])]
    by_query = dict(zip(whole.query_ids, whole.first_ranks.swapaxes(0, 1).tolist()))
    for scores in (Scores.concat(parts), Scores.combine_runs(reversed(whole.split_runs())), whole.run("new"), Scores.combine_runs([whole.run("new")])):
        assert len(scores) == 36
        here = dict(zip(scores.query_ids, scores.first_ranks.swapaxes(0, 1).tolist()))
        rows = [["pooled", "new"].index(run.name) for run in scores.runs]
        assert here == {query: [known[i] for i in rows] for query, known in by_query.items()}
    short = {"new": {name: runs["new"][name] for name in names[3:]}, "pooled": runs["pooled"]}
    beside = evaluate(q, short, "nDCG@10", missing="skip")
    lacking = [name for name, known in zip(beside.query_ids, beside.first_ranks[0]) if (known < 0).all()]
    assert lacking == [name for name in beside.query_ids if name in names[:3]] and len(beside.run("new").first_ranks[0]) == 33


def test_counts_of_judged_documents_follow_their_queries():
    q = EXAMPLE.qrels.to_dict()
    runs = {name: EXAMPLE.runs[name].to_dict() for name in ("bm25", "title")}
    runs["title"] = dict(list(runs["title"].items())[5:])
    exact = {name: {query: len(docs.keys() & q[query].keys()) for query, docs in run.items()} for name, run in runs.items()}
    assert max(exact["bm25"].values()) > 20 and 0 < len(exact["title"]) < len(exact["bm25"])
    names, half = list(q), len(q) // 2
    whole = evaluate(q, runs, "AP", missing="skip", groups=dict.fromkeys(names[:half], "half"))
    parts = [evaluate({name: q[name] for name in some}, runs, "AP", missing="skip", part=True) for some in (names[half:], names[:half])]
    for scores in (whole, whole.slice("half"), Scores.concat(parts), Scores.combine_runs(reversed(whole.split_runs())), whole.run("title")):
        for one in scores.split_runs():
            assert len(one) > 9
            assert one.judged_retrieved[0].tolist() == [exact[one.name][query] for query in one.query_ids]
    assert Accumulator("AP").update([1, 0, 0], scores=[3, 2, 1]).batch_scores.judged_retrieved.tolist() == [[3]]


def test_the_report_shows_it_in_every_form():
    found = report(EXAMPLE.qrels, thinned(0.43), "nDCG@10", checkup=False)
    for text in (found.to_html(), found.to_markdown(), found.to_latex()):
        assert "judged@10: pooled 100.0" in text.replace("\\", "") and "new has a smaller share of judged documents than pooled" in text
    alone = report(EXAMPLE.qrels, thinned(0.43)["new"], "nDCG@10", checkup=False)
    assert "of the top 10 judged" in alone.to_html()


def test_evaluate_names_the_least_judged_of_many_runs():
    runs = thinned(0.43)
    many = {"a": runs["pooled"], "b": runs["pooled"], "worst judged": runs["new"], "c": runs["pooled"], "d": runs["pooled"]}
    words = " ".join(str(evaluate(EXAMPLE.qrels, many, "nDCG@10")).split())
    assert "to 100.0% of the top 10 judged (least: worst judged)" in words


# ---- how often it warns ----

DOCUMENTS, TIMES = 120, 60


def two_of_six(random, queries=40, depths=(10,), k=20, quality=(2, 2), judged=1.0, left_out=False, heavy=False, short=False):
    "What is known of the first k documents of two systems of six whose first documents were pooled, B perhaps left out."
    count = 1 + (2 * random.pareto(1, queries) if heavy else random.geometric(0.1, queries)).astype(int)
    relevant = np.arange(DOCUMENTS) < np.minimum(count, DOCUMENTS // 3)[:, None]
    score = random.normal(size=(6, queries, DOCUMENTS)) + np.array([*quality, 2, 2, 2, 2])[:, None, None] * relevant
    order = np.argsort(-score, axis=2)
    pool = np.argsort(order, axis=2) < random.choice(depths, queries)[:, None]
    pool[1] &= not left_out
    known = pool.any(axis=0) & (random.random(relevant.shape) < judged)
    ranks = np.take_along_axis(np.where(known, 2 + relevant, 1)[None], order[:2, :, :k], axis=2)
    if short:
        ranks[np.arange(k) >= random.integers(1, k + 1, (2, queries, 1))] = 0
    return Sample(("A", "B"), ("AP",), tuple(map(str, range(queries))), np.zeros((2, 1, queries)), first_ranks=ranks)


def warned(**how):
    random = np.random.default_rng(33)
    samples = [two_of_six(random, **how) for _ in range(TIMES)]
    assert all(len(judged_shares(sample)) == 2 for sample in samples)
    return np.mean([bool(judging_warnings(sample, [("A", "B")])) for sample in samples])


UNEQUAL = {"quality": (4, 0)}


@pytest.mark.parametrize("how", [{"k": 10}, {}, UNEQUAL, UNEQUAL | {"depths": [5]}, UNEQUAL | {"judged": 0.3}, UNEQUAL | {"short": True}, UNEQUAL | {"heavy": True},
    {"queries": 5, "depths": [2, 20], "heavy": True}, {"queries": 10, "judged": 0.3, "short": True}])  # fmt: skip
def test_systems_that_were_pooled_alike_are_warned_of_in_at_most_5_of_100_cases(how):
    assert warned(**how) <= 0.05


@pytest.mark.parametrize(("how", "least"), [({"k": 10}, 0.95), ({"k": 10, "quality": (2, 4)}, 0.95), ({"k": 10, "queries": 5}, 0.4), ({}, 0.7)])
def test_a_run_that_was_left_out_of_the_pool_is_warned_of(how, least):
    assert warned(left_out=True, **how) >= least
