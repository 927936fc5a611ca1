"""What holds of every measure. The list is KINDS: a kind is tested by being declared.

A new kind is checked against its exact definition in `exact/measures.py`, which also has the values of its parameters; one in
`oracles.DEFINITIONS` is a third opinion.
"""
import inspect
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
import oracles
import pytest
from exact.measures import MEASURES
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import batch, collections, grades, judgments, junk_too, measured, rankings, usual

import irmetrics_nb
from irmetrics_nb import Judged, parse
from irmetrics_nb.core.gains import ratio
from irmetrics_nb.explaining.cards import CARDS
from irmetrics_nb.metrics.registry import KINDS

NBS = Path(__file__).parents[1] / "nbs"
COUNTS = {"NumRet", "NumRel", "NumRelRet", "NumNonrelRet"}
UNBOUNDED = {"CG", "DCG", "infNDCG", "yaap", "utility", *COUNTS}
OF_JUDGMENTS = {"Judged", "Unjudged", "RBPresidual"}  # which ask who was judged, not who is relevant
SEES_UNJUDGED = {*OF_JUDGMENTS, "NumNonrelRet", "Bpref", "GMBpref", "infAP", "xinfAP", "infNDCG"}  # to which a document that nobody judged is not one of grade 0
BY_LENGTH = {"SetP", "SetAP", "SetF", "NumRet", "Judged", "Unjudged", "utility", "Compat", "Rndcg", "PairAccuracy"}  # which divide by the length of the list, or count it
OF_NOTHING = {"NumRet": [0, 2, 2], "Judged": [0, 0, 1], "Unjudged": [0, 1, 0], "NumNonrelRet": [0, 0, 2], "utility": [0, -2, -2],
              "RBPresidual": [1, 1, 1 - 0.36], "PairAccuracy": [np.nan] * 3}  # which are not 0 where nothing is relevant

every_kind = pytest.mark.parametrize("name", KINDS)
quick = settings(max_examples=10)


def called(f, judged, arguments):
    "f of a batch and of those arguments that it has."
    return f(judged, **{name: value for name, value in arguments.items() if name in inspect.signature(f).parameters})


def plain(values):
    "The values as a list with None for NaN, which PairAccuracy is without a pair."
    return [None if np.isnan(x) else x for x in np.ravel(values).tolist()]


# ---- what a value is ----


@every_kind
@given(data=st.data())
@quick
def test_a_measure_is_its_definition_read_slowly(name, data):
    measure, collection = data.draw(measured(name))
    expected = []
    for got, pool in collection:
        seen = [g for g in got if g is not None] if measure.params.get("judged_only") else got
        expected.append(oracles.definition(name)(seen, pool, **measure.arguments()))
    oracles.close(measure.of(batch(collection)), expected)


@pytest.mark.parametrize("name", oracles.DEFINITIONS)
@given(collection=collections(judgments))
@quick
def test_both_readings_of_a_definition_agree(name, collection):
    answers = {parameter: tried[0] for parameter, tried in MEASURES[name].parameters.items()}
    answers |= {"max_grade": 4} if name == "ERR" else {}
    for got, pool in collection:
        exactly = oracles.by_exact_definition(name, got, pool, **answers)
        assert float(exactly) == pytest.approx(float(called(partial(oracles.DEFINITIONS[name], got), pool, answers)), abs=1e-12)


@pytest.mark.parametrize("name", [name for name in KINDS if name not in COUNTS])
@given(data=st.data())
@quick
def test_a_measure_is_its_public_function_bit_for_bit(name, data):
    measure, collection = data.draw(measured(name))
    function = irmetrics_nb.interpolated_precision if name == "IPrec" else KINDS[name].metric
    values = function(measure.view(batch(collection)), **measure.arguments())
    if values.ndim == 1:
        assert plain(measure.of(batch(collection))) == plain(values)
    else:  # several recall levels, of which the measure is the mean
        oracles.close(measure.of(batch(collection)), values.mean(axis=1))


@every_kind
def test_the_function_of_a_kind_is_public(name):
    metric = KINDS[name].metric
    room = import_module(metric.__module__)
    assert metric.__name__ in room.__all__ and getattr(room, metric.__name__) is metric


@every_kind
@given(data=st.data())
@quick
def test_a_value_is_the_sum_of_its_terms_over_its_normaliser(name, data):
    measure, collection = data.draw(measured(name))
    judged, kind, arguments = measure.view(batch(collection)), KINDS[name], measure.arguments()
    if kind.counts:
        return oracles.close(measure.of(judged), called(kind.function, judged, arguments))
    parts = kind.parts(judged, **arguments)
    terms = parts.terms
    assert terms.shape == judged.rank.shape
    total = [terms[judged.query == q].sum() for q in range(len(judged))]
    whole = 1 if parts.divisor is None else parts.divisor
    return oracles.close(measure.of(judged), ratio(total, whole))


# ---- one list and many ----


@every_kind
@given(data=st.data())
@quick
def test_batch_equals_its_rankings_and_its_parts(name, data):
    measure, collection = data.draw(measured(name))
    judged, at = batch(collection), data.draw(st.integers(0, len(collection)))
    together = plain(measure.of(judged))
    assert together == plain([measure.of(one)[0] for one in judged])
    assert together == plain([measure.of(batch([search]))[0] for search in collection])
    parts = [batch(part) if part else Judged.concat([]) for part in (collection[:at], collection[at:])]
    assert together == plain([value for part in parts for value in measure.of(part)])
    assert together == plain(measure.of(Judged.concat(parts)))


@every_kind
@given(rel=st.lists(grades, min_size=1, max_size=12))
@quick
def test_lists_tuples_arrays_and_a_batch_of_one_are_the_same_ranking(name, rel):
    measure = usual(name).resolve(Judged.from_grades(rel))
    values = np.array([np.nan if g is None else float(g) for g in rel])
    alone = measure.of(rel)
    assert type(alone) is float
    assert plain([alone]) == plain(measure.of(tuple(rel))) == plain(measure.of(values))
    assert plain([alone]) == plain(measure.of([rel])) == plain(measure.of(values[None]))
    assert plain([alone]) == plain(measure.of(Judged.from_grades(rel)))


METRICS = [f for f in (getattr(irmetrics_nb, name) for name in irmetrics_nb.__all__)
           if inspect.isfunction(f) and next(iter(inspect.signature(f).parameters), "") == "ranking"]


@pytest.mark.parametrize("metric", METRICS, ids=lambda f: f.__name__)
def test_a_metric_takes_its_ranking_by_place_and_all_else_by_name(metric):
    first, *others = inspect.signature(metric).parameters.values()
    assert first.kind is first.POSITIONAL_ONLY
    assert {p.kind for p in others} <= {inspect.Parameter.KEYWORD_ONLY}
    with pytest.raises(TypeError):
        metric(ranking=[1, 0])
    with pytest.raises(TypeError):
        metric([1, 0], 1)


@pytest.mark.parametrize("metric", [f for f in METRICS if not f.__name__.endswith(("_terms", "hits", "probabilities", "_curve"))],
                         ids=lambda f: f.__name__)
@given(lists=st.lists(rankings, min_size=1, max_size=4))
@quick
def test_a_metric_gives_a_float_for_one_list_and_a_value_per_query_for_several(metric, lists):
    params = inspect.signature(metric).parameters.keys()
    how = {"max_grade": 4} if "max_grade" in params else {"recall": 0.4} if "recall" in params else {}
    alone = [metric(one, **how) for one in lists]
    assert {type(x) for x in alone} == {float}
    for several in lists, Judged.from_grades(lists):
        values = metric(several, **how)
        assert values.dtype == float
        assert values.tolist() == alone


# ---- what changes a value, and what does not ----


@pytest.mark.parametrize("name", [name for name in KINDS if name not in UNBOUNDED])
@given(data=st.data())
@quick
def test_a_value_lies_between_0_and_1(name, data):
    gains = "gain" in KINDS[name].params  # of which negative ones count against
    measure, collection = data.draw(measured(name, judgments if gains else junk_too))
    assume(measure.params.get("gain") != "raw")  # the gains of RBP that may be above 1
    values = measure.of(batch(collection))
    values = values[~np.isnan(values)]
    assert np.all((values >= 0) & (values <= 1 + 1e-12)), f"{measure}: {values} are not in [0, 1]: if this is right, add {name!r} to UNBOUNDED here"


@every_kind
@given(data=st.data())
@quick
def test_judged_only_equals_the_list_without_unjudged_documents(name, data):
    measure, collection = data.draw(measured(name))
    known = [([g for g in got if g is not None], pool) for got, pool in collection]
    assert plain(measure(judged_only=True).of(batch(collection))) == plain(measure.of(batch(known)))


@every_kind
@given(data=st.data())
@quick
def test_a_better_document_moved_upward_never_lowers_a_value(name, data):
    measure, collection = data.draw(measured(name, judgments))
    assume(measure.params.get("divisor") != "retrieved")  # one that enters the top k enters the divisor
    got, pool = collection[0]
    sees = name in SEES_UNJUDGED or measure.params.get("judged_only")
    worth = [(9 if sees else 0) if g is None else g for g in got]
    if name in ("Unjudged", "RBPresidual"):  # which are lower if judged documents come first
        return
    if name == "PairAccuracy" and measure.at:  # a better document that enters the top k changes the pairs
        return
    pairs = [(i, j) for j in range(len(got)) for i in range(j) if worth[i] < worth[j] < 9]
    assume(pairs)
    i, j = data.draw(st.sampled_from(pairs))
    better = list(got)
    better[i], better[j] = got[j], got[i]
    before, after = measure.of(batch([(got, pool), (better, pool)]))
    assert after >= before - 1e-12 or plain([before, after]) == [None, None]


@every_kind
@given(data=st.data())
@quick
def test_an_unjudged_document_at_the_end_changes_only_what_divides_by_the_length(name, data):
    measure, collection = data.draw(measured(name))
    longer = batch([([*got, None], pool) for got, pool in collection])
    same = plain(measure.of(longer)) == plain(measure.of(batch(collection)))
    by_length = name in BY_LENGTH or name in {"P", "F"} and measure.at is None
    by_length = by_length or measure.params.get("divisor") in ("min(k,n)", "min(R,n)")
    assert same or by_length and not measure.params.get("judged_only"), f"{measure} changes with the length: if this is right, add {name!r} to BY_LENGTH here"


@every_kind
@given(data=st.data())
@quick
def test_order_below_the_last_relevant_document_has_no_effect(name, data):
    kind = KINDS[name]
    useless = [0, None] if {"gain"} & kind.params.keys() else [0, None, -1]
    if name in OF_JUDGMENTS:
        useless = [0, -1]
    if name == "infNDCG":
        useless = [0]  # it also counts which documents of the list are in the pool and in the sample
    measure, collection = data.draw(measured(name, judgments))
    tails = [data.draw(st.lists(st.sampled_from(useless), max_size=5)) for _ in collection]
    if measure.params.get("judged_only"):
        tails = [[g for g in tail if g is not None] for tail in tails]
    moved = [data.draw(st.permutations(tail)) for tail in tails]
    assume(all(v == 0 for g, v in measure.params.get("gain", {0: 0}).items() if g < 1)
           if isinstance(measure.params.get("gain"), dict) else True)
    one, other = (batch([(got + end, pool + [g for g in end if g is not None])
                         for (got, pool), end in zip(collection, ends)]) for ends in (tails, moved))
    assert plain(measure.of(one)) == plain(measure.of(other))


@pytest.mark.parametrize("name", [name for name in KINDS if name not in SEES_UNJUDGED])
@given(data=st.data())
@quick
def test_unjudged_documents_count_like_grade_0(name, data):
    measure, collection = data.draw(measured(name, judgments))
    gain = measure.params.get("gain")
    assume(not measure.params.get("judged_only") and not (isinstance(gain, dict) and gain[0]))
    known = [([g or 0 for g in got], pool + [0] * got.count(None)) for got, pool in collection]
    message = f"{measure}: an unjudged document counts otherwise than one of grade 0: if this is right, add {name!r} to SEES_UNJUDGED here"
    assert plain(measure.of(batch(collection))) == plain(measure.of(batch(known))), message


@every_kind
@given(data=st.data())
@quick
def test_a_complete_measure_is_complete_and_has_the_same_value(name, data):
    measure, collection = data.draw(measured(name))
    judged = batch(collection)
    assert measure.resolve(judged) == measure
    asked = usual(name)
    assert plain(asked.resolve(judged).of(judged)) == plain(asked.of(judged))


@every_kind
def test_every_kind_has_a_question_and_a_page(name):
    kind = KINDS[name]
    assert kind.question.endswith("?"), f"declare {name} with question='...?'"
    assert kind.chinese, f"declare {name} with chinese='...', its Chinese name"
    pages = [NBS / "metrics" / f"{kind.page}.ipynb"]
    if any(card.kind.page == kind.page for card in CARDS.values()):  # a family of rare measures has one page
        pages.append(NBS / "learn" / f"{kind.page}.ipynb")
    for page in pages:
        assert page.exists(), f"write the page {page}"
    assert parse(name).kind is kind
    assert inspect.getmodule(kind.function).__name__ == f"irmetrics_nb.metrics.{kind.page}"


@every_kind
def test_nothing_relevant_is_found_where_nothing_is_there(name):
    values = usual(name)(**({"max_grade": 4} if name == "ERR" else {})).of([[], [None, None], [0, 0]])
    expected = OF_NOTHING.get(name, [0, 0, 0])
    assert values.tolist() == pytest.approx(expected, abs=1e-15, nan_ok=True), f"{name} without a relevant document is {values}: if this is right, add it to OF_NOTHING here"


@given(collections(), st.data())
@quick
def test_the_order_of_the_queries_is_the_order_of_the_values(collection, data):
    order = data.draw(st.permutations(range(len(collection))))
    for name in KINDS:
        measure = usual(name).resolve(batch(collection))
        values = measure.of(batch(collection))
        assert plain(measure.of(batch([collection[i] for i in order]))) == plain(values[order])
