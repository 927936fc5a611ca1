"Pictures, tested by what the artists hold: the numbers of other parts of the package, and of scipy."
import subprocess
import sys
from itertools import combinations

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from irmetrics_nb import Qrels, Run, compare, evaluate, load_example
from irmetrics_nb.comparing.comparison import COMPARISON_PLOTS
from irmetrics_nb.reporting import sections as plots
from irmetrics_nb.results import results as drawing

EXAMPLE = load_example()
SIX = evaluate(EXAMPLE.qrels, EXAMPLE.runs, "nDCG@10 AP GMAP NumRet")
PAIRS = compare(EXAMPLE.qrels, EXAMPLE.runs, "nDCG@10 AP", baseline="title")


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def rows_of(ax):
    "{label: (low, value, high)} of a forest."
    labels = [t.get_text() for t in ax.get_yticklabels()]
    dots = ax.collections[1].get_offsets()[:, 0]
    ends = [segment[:, 0] for segment in ax.collections[0].get_segments()]
    return {name: (low, x, high) for name, x, (low, high) in zip(labels, dots, ends)}


def test_means_are_plotted_with_intervals_from_scipy():
    shown = rows_of(SIX.plot("AP"))
    assert list(shown) == sorted(shown, key=lambda name: SIX.means[name]["AP"])
    for name, (low, mean, high) in shown.items():
        values = SIX.run(name)["AP"]
        own = stats.ttest_1samp(values, 0).confidence_interval(0.95)
        assert (low, mean, high) == pytest.approx((own.low, np.mean(values), own.high), rel=1e-12)


def test_the_distribution_holds_every_query_of_every_run():
    ax = SIX.plot("map", "distribution")
    strokes = [line for line in ax.get_lines() if line.get_marker() == "|"]
    names = [t.get_text() for t in ax.get_yticklabels()]
    assert sorted(names) == sorted(EXAMPLE.runs)
    for name, line in zip(names, strokes):
        assert sorted(line.get_xdata()) == sorted(SIX.run(name)["AP"])


def test_one_run_one_query_and_queries_that_do_not_count_can_be_drawn():
    alone = evaluate({"q": {"d": 1}}, {"q": ["d"]}, "AP").plot()
    assert alone.collections[1].get_offsets().tolist() == [[1, 0]] and len(alone.get_yticklabels()) == 1
    left_out = evaluate({"q": {"d": 0}}, {"q": ["d"]}, "AP", no_relevant="skip")
    for kind in ("means", "distribution"):
        assert len(left_out.plot(kind=kind).get_yticklabels()) == 1


@pytest.mark.parametrize("measure", ["GMAP", "NumRet"])
def test_measures_without_a_mean_have_only_a_distribution(measure):
    with pytest.raises(ValueError, match=f"{measure} is not an arithmetic mean, so .*kind='distribution'"):
        SIX.plot(measure)
    assert SIX.plot(measure, "distribution").get_xlabel() == measure


def test_all_differences_are_plotted_with_their_intervals():
    shown = rows_of(PAIRS.plot(measure="AP"))
    pairs = [pair for pair in PAIRS.rows if pair.measure == "AP"]
    assert len(shown) == len(pairs) == 5
    for pair in pairs:
        assert shown[f"{pair.b} − {pair.a}"] == pytest.approx((pair.low, pair.difference, pair.high))


def test_slices_have_rows_of_their_own():
    topics = EXAMPLE.topics.to_dicts()
    groups = {t["query_id"]: "short" if len(t["query"].split()) < 6 else "long" for t in topics}
    runs = {name: EXAMPLE.runs[name] for name in ("title", "bm25")}
    shown = rows_of(compare(EXAMPLE.qrels, runs, "AP", groups=groups).plot())
    assert set(shown) == {"bm25 − title", "bm25 − title, short", "bm25 − title, long"}


def test_queries_are_sorted_and_the_worst_and_the_best_are_named():
    ax = PAIRS.plot("title", "bm25", "AP")
    change = {q: b - a for q, a, b in PAIRS.queries("title", "bm25", "AP")}
    assert [bar.get_height() for bar in ax.patches] == sorted(change.values(), reverse=True)
    order = sorted(change, key=change.get)
    assert {note.get_text() for note in ax.texts} == {*order[:3], *order[-3:]}
    assert f"{PAIRS.pair('title', 'bm25', 'AP').difference:+.4f}" in ax.get_legend().get_texts()[0].get_text()


@pytest.mark.parametrize("values", [[0.4 - i / 90 for i in range(36)], [0.3] * 30 + [-0.2] * 30, [1, 1, 1, -1, -1, -1]])
def test_names_of_queries_over_bars_do_not_overlap(values):
    ax = drawing.sorted_bars([f"q{i:02}" for i in range(len(values))], values)
    ax.figure.canvas.draw()
    boxes = [note.get_window_extent() for note in ax.texts]
    assert len(boxes) >= 3 and not any(a.overlaps(b) for a, b in combinations(boxes, 2))


def test_a_scatter_has_a_dot_per_query():
    ax = PAIRS.plot("title", "bm25", kind="scatter")
    rows = PAIRS.queries("title", "bm25")
    assert sorted(map(tuple, ax.collections[0].get_offsets().tolist())) == sorted((a, b) for _, a, b in rows)
    assert ax.get_xlabel() == "nDCG@10 of title" and ax.get_ylabel() == "nDCG@10 of bm25"


def test_a_plot_of_two_systems_is_complete_with_one_entry_in_the_table(monkeypatch):
    def draw(a, b, measure, ids, values_a, values_b, ax):
        return a, b, measure, [*zip(ids, values_a, values_b)], ax

    monkeypatch.setitem(COMPARISON_PLOTS, "pie", draw)
    assert PAIRS.plot("title", "bm25", "AP", kind="pie", ax="axes") == ("title", "bm25", "AP", PAIRS.queries("title", "bm25", "AP"), "axes")
    with pytest.raises(ValueError, match="kind='pie' needs two systems"):
        PAIRS.plot(kind="pie")


@pytest.mark.parametrize(("call", "error", "says"), [
    (lambda: SIX.plot(kind="pie"), ValueError, "pie"), (lambda: SIX.plot("RR"), KeyError, "RR"),
    (lambda: PAIRS.plot(kind="pie"), ValueError, "pie"), (lambda: PAIRS.plot(measure="RR"), KeyError, "RR"),
    (lambda: PAIRS.plot("title", kind="queries"), ValueError, "two systems"),
    (lambda: PAIRS.plot("title", "bm52"), KeyError, "there is no system 'bm52'; available: "),
])  # fmt: skip
def test_what_cannot_be_drawn_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        call()
    assert plt.get_fignums() == []


def test_axes_that_are_given_are_drawn_into_and_keep_their_style():
    for draw in (SIX.plot, PAIRS.plot, lambda ax: PAIRS.plot("title", "bm25", ax=ax)):
        figure, ax = plt.subplots(facecolor="pink")
        assert draw(ax=ax) is ax
        assert figure.get_facecolor()[:3] == matplotlib.colors.to_rgb("pink") and ax.spines["top"].get_visible()
    assert len(plt.get_fignums()) == 3


def test_a_figure_of_our_own_is_transparent_and_leaves_the_settings_as_they_were():
    before = dict(plt.rcParams)
    ax = SIX.plot()
    assert dict(plt.rcParams) == before
    assert ax.get_facecolor()[3] == ax.figure.get_facecolor()[3] == 0 and not ax.spines["top"].get_visible()


@given(st.lists(st.floats(-1, 1) | st.just(np.nan), max_size=20))
def test_bars_fall_from_left_to_right_and_lose_nothing(values):
    ax = drawing.sorted_bars([f"q{i}" for i in range(len(values))], values, ax=plt.figure(clear=True, num=1).subplots())
    heights = [bar.get_height() for bar in ax.patches]
    assert heights == sorted((v for v in values if v == v), reverse=True)


def test_matplotlib_is_loaded_when_something_is_drawn_and_not_before():
    code = ("import sys, irmetrics_nb as ir; s = ir.evaluate({'q': {'d': 1}}, {'q': ['d']}, 'AP'); "
            "print('matplotlib' in sys.modules); s.plot(); print('matplotlib' in sys.modules)")  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("False\nTrue\n", "")


def test_a_picture_needs_matching_columns():
    with pytest.raises(ValueError, match="there are .* names, but the columns have other lengths"):
        drawing.forest(["a"], [0.1, 0.2], [0, 0], [1, 1])


# ---- curves ----

BM25 = EXAMPLE.runs["bm25"]


def heights(ax, i):
    return list(ax.get_lines()[i].get_ydata())


def test_a_line_by_cutoff_holds_the_means_that_evaluate_gives():
    runs = {name: EXAMPLE.runs[name] for name in ("bm25", "title")}
    ax = plots.plot_cutoffs("nDCG", EXAMPLE.qrels, runs, ks=[1, 5, 10])
    assert [line.get_label() for line in ax.get_lines()] == ["bm25", "title"]
    for i, name in enumerate(runs):
        means = evaluate(EXAMPLE.qrels, runs[name], "nDCG@1 nDCG@5 nDCG@10").means
        assert heights(ax, i) == list(means.values())
    assert len(plots.plot_cutoffs("P", EXAMPLE.qrels, BM25).get_lines()) == 1
    with pytest.raises(ValueError, match="NumRel takes no cutoff"):
        plots.plot_cutoffs("NumRel", EXAMPLE.qrels, BM25)


def test_the_strong_line_is_the_mean_interpolated_precision_of_queries_with_something_relevant():
    ax = plots.plot_precision_recall(EXAMPLE.qrels, BM25)
    own = evaluate(EXAMPLE.qrels, BM25, "IPrec@0 IPrec@0.5 IPrec@1 NumRel")
    some = own["NumRel"] > 0
    for recall in (0, 50, 100):
        assert heights(ax, -1)[recall] == pytest.approx(own[f"IPrec@{recall / 100:g}"][some].mean())
    assert len(ax.get_lines()) == some.sum() + 1 < len(own) + 1


def test_a_line_by_recall_holds_the_interpolated_precision_of_trec_eval():
    import pytrec_eval

    runs = {name: EXAMPLE.runs[name] for name in ("bm25", "title")}
    ax = evaluate(EXAMPLE.qrels, runs, "iprec_at_recall AP").plot(kind="precision-recall")
    assert [line.get_label() for line in ax.get_lines()] == ["bm25", "title"] == [t.get_text() for t in ax.get_legend().get_texts()]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("recall", "interpolated precision") and "36 queries" in ax.get_title("left")
    qrels = Qrels(EXAMPLE.qrels).to_dict()
    names = [f"iprec_at_recall_{x / 10:.2f}" for x in range(11)]
    for i, (name, run) in enumerate(runs.items()):
        found = pytrec_eval.RelevanceEvaluator(qrels, {"iprec_at_recall"}).evaluate(Run(run).to_dict())
        theirs = [np.mean([found[q][level] if q in found else 0 for q in qrels]) for level in names]
        assert heights(ax, i) == pytest.approx(theirs, abs=1e-12), name
        assert ax.get_lines()[i].get_xdata().tolist() == pytest.approx([x / 10 for x in range(11)])


def test_a_line_by_recall_needs_two_recalls():
    for measures in ("AP", "IPrec", "IPrec@0.5 AP"):
        with pytest.raises(ValueError, match="two or more recalls: compute 'iprec_at_recall'"):
            evaluate(EXAMPLE.qrels, BM25, measures).plot(kind="precision-recall")


def test_cumulated_gain_ends_at_the_mean_dcg_and_below_the_ideal():
    ax = plots.plot_cumulated_gain(EXAMPLE.qrels, BM25, k=10)
    own = evaluate(EXAMPLE.qrels, BM25, "DCG@1 DCG@10").means
    assert (heights(ax, 0)[0], heights(ax, 0)[-1]) == pytest.approx(tuple(own.values()))
    assert np.all(np.array(heights(ax, 1)) >= heights(ax, 0))


def test_area_of_a_roc_curve_equals_scikit_learn():
    from sklearn.metrics import roc_auc_score

    labels, scores = [1, 0, 1, 0, 0, 1], [0.9, 0.8, 0.7, 0.7, 0.2, 0.1]
    ax = plots.plot_roc(labels, scores)
    x, y = ax.get_lines()[0].get_data()
    assert np.trapezoid(y, x) == pytest.approx(roc_auc_score(labels, scores))
    assert ax.get_legend().get_texts()[0].get_text() == f"AUC: {roc_auc_score(labels, scores):.4f}"


def test_curves_are_drawn_into_the_axes_that_are_given():
    for draw in (
        lambda ax: plots.plot_cutoffs("P", EXAMPLE.qrels, BM25, ax=ax), lambda ax: plots.plot_roc([1, 0], [2, 1], ax=ax),
        lambda ax: plots.plot_precision_recall(EXAMPLE.qrels, BM25, ax=ax), lambda ax: plots.plot_gains(ax=ax),
        lambda ax: plots.plot_cumulated_gain(EXAMPLE.qrels, BM25, ax=ax), lambda ax: plots.plot_discounts(ax=ax),
    ):  # fmt: skip
        ax = plt.subplots()[1]
        assert draw(ax) is ax and ax.get_lines()
