"""Tools that do not run here, and were read: what their source computes, in plain lines, is what their conventions give.

A search is `ids`, the documents in the order of the list, and `grades`, {document: grade} of all that were judged."""
from math import log, log2, nan

import numpy as np
import pytest

from irmetrics_nb import PRESETS, evaluate

SEEDS = range(20)
CUTS = 1, 2, 5, 30


def searches(seed, *, everything=False):
    "Judgments and a run without ties; with `everything`, the list holds exactly what was judged."
    rng = np.random.default_rng(seed)
    qrels, run = {}, {}
    for q in map(str, range(8)):
        judged = rng.choice(20, size=rng.integers(1, 15), replace=False)
        found = judged if everything else rng.choice(20, size=rng.integers(1, 20), replace=False)
        qrels[q] = {f'd{d}': int(g) for d, g in zip(judged, rng.integers(0, 4, len(judged)))}
        run[q] = {f'd{d}': float(s) for d, s in zip(found, rng.permutation(len(found)) + 1)}
    return qrels, run


def with_negative_grades(seed):
    "The same, with some grades below 0, and some queries that have no relevant document."
    qrels, run = searches(seed)
    rng = np.random.default_rng(seed)
    lowered = {q: {d: int(g) - int(rng.integers(0, 3)) for d, g in docs.items()} for q, docs in qrels.items()}
    return lowered, run


def same(ask, qrels, run, measure, tool, **more):
    "Whether a definition and our measure give the same for every query."
    ours = evaluate(qrels, run, measure, conventions=tool, **more)
    lists = {q: sorted(docs, key=docs.get, reverse=True) for q, docs in run.items()}
    theirs = [ask(lists[q], qrels[q]) for q in ours.query_ids]
    np.testing.assert_allclose(ours[measure], theirs, atol=1e-12, rtol=0, err_msg=measure)
    return theirs


# ---- Elasticsearch: modules/rank-eval ----


def elastic_dcg(grades):
    return sum((2 ** g - 1) / (log(rank + 1) / log(2)) for rank, g in enumerate(grades, 1) if g is not None)


def elastic_ndcg(k):
    def ask(ids, grades):
        hits = [grades.get(d) for d in ids[:k]]
        best = elastic_dcg(sorted(grades.values(), reverse=True)[:len(hits)])
        return elastic_dcg(hits) / best if best else 0
    return ask


def elastic_precision(k):
    return lambda ids, grades: sum(grades.get(d, 0) >= 1 for d in ids[:k]) / len(ids[:k])


def elastic_recall(k):
    def ask(ids, grades):
        relevant = sum(g >= 1 for g in grades.values())
        return sum(grades.get(d, 0) >= 1 for d in ids[:k]) / relevant if relevant else 0
    return ask


def elastic_err(k, most):
    def ask(ids, grades):
        p, err = 1, 0
        for rank, d in enumerate(ids[:k], 1):
            if d in grades:
                stops = (2 ** grades[d] - 1) / 2 ** most
                err, p = err + p * stops / rank, p * (1 - stops)
        return err
    return ask


@pytest.mark.parametrize('seed', SEEDS)
@pytest.mark.parametrize('k', CUTS)
def test_elasticsearch(seed, k):
    collection = searches(seed)
    same(elastic_ndcg(k), *collection, f'nDCG@{k}', 'elasticsearch')
    same(lambda ids, grades: elastic_dcg([grades.get(d) for d in ids[:k]]), *collection, f'DCG@{k}', 'elasticsearch')
    same(elastic_precision(k), *collection, f'P@{k}', 'elasticsearch')
    same(elastic_recall(k), *collection, f'R@{k}', 'elasticsearch')
    same(elastic_err(k, 3), *collection, f'ERR(max_grade=3)@{k}', 'elasticsearch')


def test_elasticsearch_calls_a_list_of_one_of_five_good_documents_perfect():
    grades = {f'd{i}': 1 for i in range(5)}
    assert same(elastic_ndcg(10), {'1': grades}, {'1': {'d3': 1.0}}, 'nDCG@10', 'elasticsearch') == [1]
    assert evaluate({'1': grades}, {'1': ['d3']}, 'nDCG@10')['nDCG@10'][0] == pytest.approx(0.339, abs=5e-4)


# ---- torchmetrics: functional/retrieval ----


def in_torchmetrics(k, compute):
    "What it computes of the grades in the list, after the cut at k; R of the whole list."
    def ask(ids, grades):
        listed = [grades[d] for d in ids]
        R = sum(g >= 1 for g in listed)
        return compute(listed[:k], R, k) if R else 0
    return ask


def torch_ndcg(top, listed):
    dcg = sum(g / log2(rank + 1) for rank, g in enumerate(top, 1))
    best = sum(g / log2(rank + 1) for rank, g in enumerate(sorted(listed, reverse=True)[:len(top)], 1))
    return dcg / best if best else 0


def torch_ap(top, R, k):
    ranks = [rank for rank, g in enumerate(top, 1) if g >= 1]
    return sum(n / rank for n, rank in enumerate(ranks, 1)) / len(ranks) if ranks else 0


def torch_rr(top, R, k):
    return next((1 / rank for rank, g in enumerate(top, 1) if g >= 1), 0)


@pytest.mark.parametrize('seed', SEEDS)
@pytest.mark.parametrize('k', CUTS)
def test_torchmetrics(seed, k):
    collection = searches(seed, everything=True)
    same(lambda ids, grades: torch_ndcg([grades[d] for d in ids[:k]], grades.values()), *collection, f'nDCG@{k}', 'torchmetrics')
    several = {'AP': torch_ap, 'RR': torch_rr, 'P': lambda top, R, k: sum(g >= 1 for g in top) / k,
               'R': lambda top, R, k: sum(g >= 1 for g in top) / R, 'Success': lambda top, R, k: any(g >= 1 for g in top)}
    for ours, compute in several.items():
        same(in_torchmetrics(k, compute), *collection, f'{ours}@{k}', 'torchmetrics')
    r_precision = in_torchmetrics(None, lambda top, R, k: sum(g >= 1 for g in top[:R]) / R)
    same(r_precision, *collection, 'Rprec', 'torchmetrics')


@pytest.mark.parametrize('seed', SEEDS)
def test_torchmetrics_gives_each_tied_document_the_mean_discount_of_its_tie(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(2, 12)), int(rng.integers(1, 12))
    grades, scores = rng.integers(0, 4, n), rng.integers(0, 4, n)
    discount = np.where(np.arange(n) < k, 1 / np.log2(np.arange(n) + 2), 0)
    order = np.sort(-scores)
    mean_discount = [discount[order == -s].mean() for s in scores]
    best = (np.sort(grades)[::-1] * discount).sum()
    docs = [f'd{i:02}' for i in range(n)]
    ours = evaluate({'1': dict(zip(docs, grades.tolist()))}, {'1': dict(zip(docs, scores.tolist()))}, f'nDCG@{k}', conventions='torchmetrics')
    assert ours[f'nDCG@{k}'][0] == pytest.approx((grades * mean_discount).sum() / best if best else 0, abs=1e-12)


def test_torchmetrics_compares_scores_as_32_bit_floats():
    qrels, run = {'1': {'a': 2, 'b': 0}}, {'1': {'a': 0.123456789, 'b': 0.123456788}}
    tied = (1 + 1 / log2(3)) / 2
    assert np.float32(0.123456789) == np.float32(0.123456788)
    assert evaluate(qrels, run, 'nDCG', conventions='torchmetrics')['nDCG'][0] == pytest.approx(tied)
    assert evaluate(qrels, run, 'nDCG', conventions='torchmetrics', score_dtype='float64')['nDCG'][0] == 1


# ---- LlamaIndex before its ideal was that of the expected documents ----


@pytest.mark.parametrize('seed', SEEDS)
def test_llama_index_0_12_1_has_an_ideal_as_long_as_the_list(seed):
    def ask(ids, grades):
        hits = sum(1 / log2(rank + 1) for rank, d in enumerate(ids, 1) if grades.get(d, 0) >= 1)
        return hits / sum(1 / log2(rank + 1) for rank in range(1, len(ids) + 1))
    same(ask, *searches(seed), 'nDCG', 'llama_index-0.12')


# ---- Spark with grades ----


def spark_ndcg(run, labels, k):
    "Its gain is 2^g - 1, and its ideal ranking the order in which the labels are given."
    grades = dict(labels)
    def dcg(docs): return sum((2 ** grades.get(d, 0) - 1) / log(i + 2) for i, d in enumerate(docs[:k]))
    return dcg(run) / dcg([d for d, _ in labels])


def test_spark_with_grades_is_ours_where_the_labels_come_best_first_and_can_exceed_one():
    # Spark 4.3.0 gives 1.4088282277333313 for this.
    assert spark_ndcg(['a', 'c'], [('c', 1), ('a', 3)], 3) == pytest.approx(1.4088282277333313, abs=1e-12)
    for seed in SEEDS:
        qrels, run = searches(seed)
        some = {q: docs for q, docs in qrels.items() if any(docs.values())}
        def ask(ids, grades): return spark_ndcg(ids, sorted(grades.items(), key=lambda each: -each[1]), 5)
        same(ask, some, run, "nDCG(gain='exp')@5", 'spark')


# ---- OpenSearch: search-relevance, metrics/ ----


def opensearch_dcg(k):
    return lambda ids, grades: sum((2 ** grades[d] - 1) / log2(rank + 1) for rank, d in enumerate(ids[:k], 1) if d in grades)


def opensearch_ndcg(k):
    def ask(ids, grades):
        best = opensearch_dcg(k)(sorted(grades, key=grades.get, reverse=True), grades)
        return opensearch_dcg(k)(ids, grades) / best if best > 0 else 0
    return ask


def opensearch_relevant(grades, dynamic=True):
    "What counts as relevant: since 3.6 from a grade on that depends on the others, before from above 0 on."
    values = sorted(grades.values())
    least = max(values[-1] / 2, values[-(-9 * len(values) // 10) - 1]) if values and values[-1] and dynamic else 0
    return {d for d, g in grades.items() if g >= least and g > 0}


def opensearch_ap(k, dynamic=True):
    def ask(ids, grades):
        good, hits, total = opensearch_relevant(grades, dynamic), 0, 0
        for rank, d in enumerate(ids[:k], 1):
            if d in good:
                hits += 1
                total += hits / rank
        return total / len(good) if hits else 0
    return ask


def opensearch_precision(k, dynamic=True):
    return lambda ids, grades: sum(d in opensearch_relevant(grades, dynamic) for d in ids[:k]) / len(ids[:k]) if ids else 0


def opensearch_recall(k):
    def ask(ids, grades):
        good = opensearch_relevant(grades)
        return sum(d in good for d in ids[:k]) / len(good) if good else 0
    return ask


def opensearch_rr(k):
    def ask(ids, grades):
        good = opensearch_relevant(grades)
        return next((1 / rank for rank, d in enumerate(ids[:k], 1) if d in good), 0)
    return ask


def opensearch_coverage(k):
    return lambda ids, grades: sum(d in grades for d in ids[:k]) / len(ids[:k]) if ids else 0


@pytest.mark.parametrize('seed', SEEDS)
@pytest.mark.parametrize('k', CUTS)
def test_opensearch(seed, k):
    collection = with_negative_grades(seed)
    same(opensearch_ndcg(k), *collection, f'nDCG@{k}', 'opensearch')
    same(opensearch_dcg(k), *collection, f'DCG@{k}', 'opensearch')
    same(opensearch_coverage(k), *collection, f'Judged@{k}', 'opensearch')
    same(opensearch_ndcg(k), *collection, f'nDCG@{k}', 'opensearch-3.5')
    same(opensearch_ap(k, dynamic=False), *collection, f'AP@{k}', 'opensearch-3.5')
    same(opensearch_precision(k, dynamic=False), *collection, f'P@{k}', 'opensearch-3.5')
    same(opensearch_coverage(k), *collection, f'Judged@{k}', 'opensearch-3.5')


@pytest.mark.parametrize('seed', SEEDS)
def test_opensearch_since_3_6_has_ours_where_the_judgments_have_its_own_threshold(seed):
    qrels, run = searches(seed)
    binary = {q: {d: int(d in opensearch_relevant(grades)) for d in grades} for q, grades in qrels.items()}
    asks = {'AP@5': opensearch_ap(5), 'P@5': opensearch_precision(5), 'R@5': opensearch_recall(5), 'RR@5': opensearch_rr(5)}
    for measure, ask in asks.items():
        ours = evaluate(binary, run, measure, conventions='opensearch-3.5')
        lists = {q: sorted(docs, key=docs.get, reverse=True) for q, docs in run.items()}
        np.testing.assert_allclose(ours[measure], [ask(lists[q], qrels[q]) for q in ours.query_ids], atol=1e-12, rtol=0)


def test_opensearch_since_3_6_finds_one_relevant_document_of_nine_good_ones():
    "Nine judgments 2 … 2, 3: the largest alone counts; a tenth 2 lowers the percentile, and all count."
    nine = {f'd{i}': 2 for i in range(8)} | {'d8': 3}
    ten = nine | {'d9': 2}
    assert opensearch_precision(10)([*nine], nine) == pytest.approx(1 / 9)
    assert opensearch_precision(10)([*ten], ten) == 1
    assert 'P' not in PRESETS['opensearch'].kinds.split() and '90th percentile' in PRESETS['opensearch'].beyond
    small_print = ' '.join(str(evaluate({'q': nine}, {'q': [*nine]}, 'P@10', conventions='opensearch')).split())
    assert 'P@10: opensearch has no such measure' in small_print


# ---- Quepid: db/scorers, in the browser; a value below 0 is 0 ----


def quepid(ask):
    return lambda ids, grades: max(0, ask(ids, grades))


def quepid_p(ids, grades):
    return sum(grades.get(d, 0) > 0 for d in ids[:10]) / len(ids[:10]) if ids else 0


def quepid_ap(ids, grades):
    hits = total = 0
    for rank, d in enumerate(ids[:10], 1):
        if grades.get(d, 0) > 0:
            hits += 1
            total += hits / rank
    relevant = sum(int(g) > 0 for g in grades.values())
    return total / relevant if relevant else 0


def quepid_rr(ids, grades):
    return next((1 / rank for rank, d in enumerate(ids[:10], 1) if grades.get(d, 0) > 0), 0)


def quepid_cg(ids, grades):
    return sum(grades.get(d, 0) for d in ids[:10])


def quepid_dcg(ids, grades, k=10):
    return sum((2 ** grades.get(d, 0) - 1) / log2(rank + 1) for rank, d in enumerate(ids[:k], 1))


def quepid_ndcg(cut=None):
    def ask(ids, grades):
        best = sorted((int(g) for g in grades.values()), reverse=True)[:cut]
        ideal = sum((2**g - 1) / log2(rank + 1) for rank, g in enumerate(best, 1))
        return quepid_dcg(ids, grades) / ideal if ideal else 0
    return ask


def quepid_err(most=3):
    def ask(ids, grades):
        trust, err = 1, 0
        for rank, d in enumerate(ids[:10], 1):
            useful = (2 ** grades.get(d, 0) - 1) / 2**most
            err, trust = err + trust * useful / rank, trust * (1 - useful)
        return err
    return ask


QUEPID = {'P': quepid_p, 'AP': quepid_ap, 'RR': quepid_rr, 'CG': quepid_cg, 'DCG': quepid_dcg, 'nDCG': quepid_ndcg(),
          'nDCG(cut_ideal=True)': quepid_ndcg(10), 'ERR': quepid_err()}


@pytest.mark.parametrize('seed', SEEDS)
def test_quepid(seed):
    for measure, ask in QUEPID.items():
        same(quepid(ask), *searches(seed), f'{measure}@10', 'quepid')
    qrels, run = with_negative_grades(seed)
    for measure in ('P', 'AP', 'RR'):  # where no value can be below 0
        same(QUEPID[measure], qrels, run, f'{measure}@10', 'quepid')
    same(quepid_cg, qrels, run, 'CG@10', 'quepid')
    same(quepid_dcg, qrels, run, 'DCG@10', 'quepid')


def test_quepid_does_not_cut_its_ideal_ranking():
    "One 3 at rank 1, and twenty more that were missed."
    qrels = {'q': {f'd{i}': 3 for i in range(21)}}
    assert evaluate(qrels, {'q': ['d0']}, 'nDCG@10', conventions='quepid')['nDCG@10'][0] == pytest.approx(0.138, abs=5e-4)


# ---- nothing relevant ----


def test_scores_without_relevant_documents_depend_on_the_tool():
    qrels, run = {'1': {'a': 0, 'b': 0}}, {'1': ['a', 'b']}
    def ask(tool): return evaluate(qrels, run, 'nDCG R AP P@2', conventions=tool, part=True).values[0, :, 0].tolist()
    assert ask('catboost') == [1, 1, 0, 0]
    assert ask('xgboost') == [1, 1, 1, 0]
    assert ask('elasticsearch') == [0, 0, 0, 0]
    assert ask('lenskit') == pytest.approx([nan] * 4, nan_ok=True)
    assert evaluate(qrels, run, 'nDCG P', conventions='catboost', no_relevant='zero').values.max() == 0
    assert len(evaluate(qrels, run, 'nDCG', conventions='recbole')) == 0
