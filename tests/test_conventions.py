"Gains, discounts and every edge case decided once: each in all its spellings, and nothing else."
import json
from dataclasses import FrozenInstanceError
from fractions import Fraction
from inspect import signature
from math import log
from pathlib import Path
from typing import Literal, Unpack, get_args, get_type_hints

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmetrics_nb import AP, P, compare, evaluate, explain, explain_difference, report
from irmetrics_nb.core.choices import CHOICES, DEFAULT_DESCRIPTIONS, OPTIONS_OF_KINDS, check_option
from irmetrics_nb.core.gains import (
    DISCOUNTS,
    NAMED_GAINS,
    PARAMETERS,
    as_discount,
    as_gain,
    check_cutoff,
    documented,
    ratio,
)
from irmetrics_nb.evaluation import conventions as of_conventions
from irmetrics_nb.evaluation.conventions import Conventions, Options, conventions_of

# ---- gains ----


@given(st.lists(st.integers(-3, 60)))
def test_the_linear_gain_is_the_grade_and_the_exponential_one_less_than_a_power_of_two(grades):
    assert as_gain("linear")(grades).tolist() == grades
    assert as_gain("exp")(grades).tolist() == [float(Fraction(2) ** g - 1) for g in grades]


@given(st.dictionaries(st.integers(-2, 5), st.integers(-9, 99), min_size=1), st.data())
def test_gain_table_and_function_apply_to_every_grade(table, data):
    grades = data.draw(st.lists(st.sampled_from(sorted(table)), min_size=1))
    assert as_gain(table)(grades).tolist() == [table[g] for g in grades]
    assert as_gain(lambda g: 3 * g)(grades).tolist() == [3 * g for g in grades]


def test_a_function_that_gives_one_number_gives_it_to_every_document():
    assert as_gain(lambda g: 7)([0, 1]).tolist() == [7, 7]
    assert as_discount(lambda i: 0.5)([1, 2, 3]).tolist() == [0.5, 0.5, 0.5]


@pytest.mark.parametrize(("gain", "says"), [
    ("squared", r"unknown gain 'squared': use one of \['binary', 'exp', 'linear'\]"), (None, "unknown gain None"), (2, "unknown gain 2"),
])  # fmt: skip
def test_an_unknown_gain_is_refused(gain, says):
    with pytest.raises(ValueError, match=says):
        as_gain(gain)


def test_a_grade_that_a_table_lacks_and_one_too_large_for_a_number_are_refused():
    with pytest.raises(ValueError, match=r"the gain mapping has no grade 2; it has \[0, 1\]"):
        as_gain({0: 0, 1: 1})([0, 2])
    with pytest.raises(ValueError, match="of grade 1024 is too large"):
        as_gain("exp")([0, 1024])
    assert np.isfinite(as_gain("exp")(1023))


# ---- discounts ----


def test_ranks_1_3_and_7_weigh_one_a_half_and_a_third():
    assert as_discount("log2")([1, 3, 7]) == pytest.approx([1, 1 / 2, 1 / 3], rel=1e-15)


@pytest.mark.parametrize("b", [1.5, 2, 3.5, 10])
def test_the_discount_of_jarvelin_and_kekalainen_starts_at_its_base(b):
    ranks = range(1, 30)
    assert as_discount("jarvelin", b)(ranks) == pytest.approx([1 if i < b else log(b, i) for i in ranks], rel=1e-12)


@pytest.mark.parametrize("name", DISCOUNTS)
def test_every_named_discount_starts_at_one_and_never_rises_but_ln_starts_higher(name):
    weights = as_discount(name)(np.arange(1, 1000))
    assert weights[0] == (1 / log(2) if name == "ln" else 1)
    assert np.all(np.diff(weights) <= 0)


@pytest.mark.parametrize(("given", "says"), [
    (("log10",), "unknown discount 'log10'"), ((3,), "unknown discount 3"), (("jarvelin", 1), "larger than 1, not 1"),
    (("jarvelin", float("nan")), "not nan"),
])  # fmt: skip
def test_an_unknown_discount_or_a_base_that_is_none_is_refused(given, says):
    with pytest.raises(ValueError, match=says):
        as_discount(*given)


# ---- cutoffs and ratios ----


@pytest.mark.parametrize("k", [1, 10, np.int8(3), 2**63 - 1, None])
def test_a_cutoff_is_a_plain_int_or_none(k):
    assert check_cutoff(k) == k
    assert type(check_cutoff(k)) in (int, type(None))


@pytest.mark.parametrize("k", [0, -1, 2**63, 1.0, True, "3", float("nan"), [1]])
def test_invalid_cutoff_is_an_error(k):
    with pytest.raises(ValueError, match="must be a whole number >= 1 or None, not "):
        check_cutoff(k)


def test_a_ratio_is_0_where_the_whole_is_0_and_takes_any_matching_shapes():
    assert ratio([1, 2, 0], [2, 0, 0]).tolist() == [0.5, 0, 0]
    assert ratio([[1], [3]], [2, 4]).tolist() == [[0.5, 0.25], [1.5, 0.75]]
    assert float(ratio(3, 4)) == 0.75


# ---- edge cases, decided by name ----


def test_default_conventions_sort_by_docid_and_score_0():
    assert Conventions() == Conventions(ties="docid", missing="zero", no_relevant="zero", negative="zero")
    assert Conventions(ties="given") != Conventions()
    assert {Conventions(): 1}[Conventions()] == 1


@pytest.mark.parametrize("name", CHOICES)
def test_every_choice_has_a_phrase_of_its_own_and_anything_else_is_refused(name):
    phrases = [Conventions(**{name: choice}).describe() for choice in CHOICES[name]]
    assert len(set(map(tuple, phrases))) == len(CHOICES[name]) > 1
    assert all(len(CHOICES) - 5 <= len(each) <= len(CHOICES) and all(each) for each in phrases)
    for wrong in "never", None, 0:
        with pytest.raises(ValueError, match=f"{name} must be '.*' or '.*', not {wrong!r}"):
            Conventions(**{name: wrong})


def test_the_types_of_the_answers_hold_the_same_choices_as_the_check_at_run_time():
    camel = {name: "".join(part.capitalize() for part in name.split("_")) for name in CHOICES}
    typed = {name: getattr(of_conventions, f"{camel[name]}Choice") for name in CHOICES}
    assert {name: list(get_args(choice)) for name, choice in typed.items()} == {name: list(choices) for name, choices in CHOICES.items()}
    options = get_type_hints(Options, {**vars(of_conventions)})
    told = {name: options[name] for name in typed}
    assert options["conventions"] == str | Conventions | None
    compared = {"judgments": typed["judgments"] | Literal["differ"]}  # of scores from files
    assert told == {name: choice | None for name, choice in (typed | compared).items()}
    hints = get_type_hints(evaluate)
    assert {name: hints[name] for name in told} == {name: choice | None for name, choice in typed.items()}
    assert {name: get_type_hints(Conventions)[name] for name in CHOICES} == typed
    handed_on = {get_type_hints(f)["options"] for f in (compare, report, explain, explain_difference)}
    assert handed_on == {Unpack[Options]}
    taken = {name for name, one in signature(evaluate).parameters.items() if one.kind == one.KEYWORD_ONLY}
    assert options.keys() == taken - {"groups", "progress", "model"}  # which compare and report name themselves, and which only evaluate has


@pytest.mark.parametrize(("entry", "says"), [
    (("nDCG", "gian", "exp"), r"nDCG has no parameter 'gian'; available: \['gain', "), (("nDGC", "gain", "exp"), "unknown measure 'nDGC'; did you mean nDCG?"),
    (("nDCG", "gain", "exponential"), r"unknown gain 'exponential': use one of \['binary', 'exp', 'linear'\]"), (("nDCG", "k", 10), "no parameter 'k'"),
    (("map", "rel", 2), "'map' is not the exact name of the measure; write 'AP'"), (("ndcg", "gain", "exp"), "'ndcg' is not the exact name of the measure; write 'nDCG'"),
    (("AP", "divisor", "R"), "divisor must be .* not 'R'"), (("AP", "ties", "up"), "ties of AP must be 'docid' or .*, not 'up'"),
    (("AP", "missing", "skip"), "missing can only be set for all measures, not for AP alone"), (("nobody", "ties", "given"), "unknown measure 'nobody'"),
    (("AP", "duplicates", "last"), "duplicates can only be set for all measures"), (("AP", "rel"), "measures must contain tuples .kind, parameter, value., not .'AP', 'rel'."),
    ("AP rel 2", "measures must contain tuples"), (("AP", 3, 2), "measures must contain tuples"), (["AP", "rel", 2], "measures must contain tuples"), (("RBP", "p", 2), "persistence p must lie between 0 and 1")])
def test_what_conventions_would_ignore_is_refused(entry, says):
    with pytest.raises(ValueError, match=says):
        Conventions(measures=(entry,))
    with pytest.raises(ValueError, match=says):
        Conventions(measures=(("AP", "rel", 2), entry))


def test_parameters_that_go_together_are_looked_at_together():
    assert Conventions(measures=(("nDCG", "b", 10), ("nDCG", "discount", "jarvelin"))).of("nDCG") == Conventions(measures=(("nDCG", "b", 10), ("nDCG", "discount", "jarvelin")))
    with pytest.raises(ValueError, match="only discount='jarvelin' has a base"):
        Conventions(measures=(("nDCG", "b", 10),))


@pytest.mark.parametrize("question", OPTIONS_OF_KINDS)
def test_a_kind_of_measures_may_have_an_answer_of_its_own(question):
    usual, other = [*CHOICES[question]][:2]
    conventions = Conventions(measures=(("P", question, other),))
    assert getattr(conventions.of("P"), question) == other
    assert conventions.of("AP") is conventions
    assert getattr(conventions, question) == usual
    assert DEFAULT_DESCRIPTIONS.keys() == {choice for name in OPTIONS_OF_KINDS for choice, phrase in CHOICES[name].items() if not phrase}


# Of P@1 and of AP: the value under the answer that P@1 alone has.
OTHERWISE = {"ties": ("given", {"a": 1}, {"q": {"a": 1.0, "b": 1.0}}, 1, 0.5), "no_relevant": ("one", {"a": 0}, {"q": ["a"]}, 1, 0),
             "negative": ("keep", {"a": -1, "c": 1}, {"q": ["a", "c"]}, 0, 0.5), "score_dtype": ("float32", {"a": 1}, {"q": {"a": 16777217.0, "b": 16777216.0}}, 0, 1),
             "judgments": ("retrieved", {"a": 1, "z": 1}, {"q": ["b", "a"]}, 0, 0.25)}  # fmt: skip


@pytest.mark.parametrize("question", OPTIONS_OF_KINDS)
def test_evaluate_and_explain_follow_the_answer_of_a_kind(question):
    answer, judged, run, of_p, of_ap = OTHERWISE[question]
    conventions = Conventions(measures=(("P", question, answer),))
    scores = evaluate({"q": judged}, run, "P@1 AP", conventions=conventions)
    assert scores.values[0, :, 0].tolist() == [of_p, of_ap]
    assert [explain(m, {"q": judged}, run, "q", conventions=conventions).value for m in ("P@1", "AP")] == [of_p, of_ap]
    everywhere = evaluate({"q": judged}, run, "P@1 AP", **{question: answer}).values[0, :, 0]
    assert everywhere[0] == of_p
    phrase = CHOICES[question][answer]
    assert f"for P, {phrase}" in " ".join(repr(scores).split())


def test_conventions_do_not_change():
    with pytest.raises(FrozenInstanceError):
        Conventions().ties = "given"


def test_an_option_that_is_not_among_the_choices_is_refused():
    assert check_option("colour", "red", ["red", "blue"]) is None
    with pytest.raises(ValueError, match="colour must be 'red' or 'blue', not 'green'"):
        check_option("colour", "green", ["red", "blue"])


def test_documented_puts_parameters_before_the_example():
    def f(ranking, k=3, other=None):
        """What it is.

        >>> f([1])
        1"""

    text = documented(f).__doc__
    assert text.splitlines()[0] == "What it is."
    assert f"k : {PARAMETERS['k'][0]}, default 3" in text
    assert "other" not in text
    assert text.index("Parameters") < text.index(PARAMETERS["k"][1]) < text.index("Examples") < text.index(">>> f([1])")


def test_every_named_gain_can_be_had_by_its_name():
    assert all(as_gain(name) is f for name, f in NAMED_GAINS.items())


# ---- over which queries is the mean taken ----

# Of six judged queries, three are answered: one with a document of grade 2, one of grade 1 at most, one of grade 0; and so of the others.
GRADED = {f"{kind}{g}": {"a": g, "b": 0} for kind in ("answered", "silent") for g in (2, 1, 0)}
ANSWERS = {query: {"a": 2.0, "c": 1.0} for query in [*GRADED, "unjudged"] if query[:6] != "silent"}
FOUND = "have a relevant document"
AVERAGING = {  # (missing, no_relevant): the phrase, and how many queries there are of AP and of AP(rel=2)
    ("zero", "zero"): ("over every judged query", 6, 6),
    ("zero", "one"): ("over every judged query", 6, 6),
    ("zero", "skip"): (f"over the judged queries that {FOUND}", 4, 2),
    ("zero", "nan"): (f"over the judged queries that {FOUND}", 4, 2),
    ("skip", "zero"): ("over the judged queries that are in the run", 3, 3),
    ("skip", "one"): ("over the judged queries that are in the run", 3, 3),
    ("skip", "skip"): (f"over the judged queries that are in the run and that {FOUND}", 2, 1),
    ("skip", "nan"): (f"over the judged queries that are in the run and that {FOUND}", 2, 1),
}


def from_page():
    "The function `averaging` of the page on conventions."
    cells = json.loads((Path(__file__).parents[1] / "nbs/evaluation/conventions.ipynb").read_text(encoding="utf-8"))["cells"]
    [source] = [source for source in map("".join, (cell["source"] for cell in cells)) if "def averaging(" in source]
    names = {"Conventions": Conventions}
    exec(source, names)
    return names["averaging"]


averaging = from_page()


def averaged(conventions, *measures):
    "Over how many queries evaluate takes the mean for each measure."
    scores = evaluate(GRADED, ANSWERS, measures, conventions=conventions)
    assert [*scores.means.values()] == pytest.approx([np.nanmean(scores[m]) for m in measures])
    return [int(np.count_nonzero(~np.isnan(scores[m]))) for m in measures]


@pytest.mark.parametrize("missing", CHOICES["missing"])
@pytest.mark.parametrize("no_relevant", CHOICES["no_relevant"])
def test_averaging_describes_the_queries_in_the_mean(missing, no_relevant):
    conventions = Conventions(missing=missing, no_relevant=no_relevant)
    phrase, of_all, of_two = AVERAGING[missing, no_relevant]
    assert averaging(conventions) == phrase
    assert averaged(conventions, AP, AP(rel=2)) == [of_all, of_two]


@pytest.mark.parametrize("missing", CHOICES["missing"])
@pytest.mark.parametrize("no_relevant", CHOICES["no_relevant"])
@pytest.mark.parametrize("own", CHOICES["no_relevant"])
def test_the_averaging_names_a_kind_that_has_an_answer_of_its_own(missing, no_relevant, own):
    conventions = Conventions(missing=missing, no_relevant=no_relevant, measures=(("P", "no_relevant", own), ("AP", "divisor", "min(R,k)")))
    phrase, _, of_ap = AVERAGING[missing, no_relevant]
    exception, _, of_p = AVERAGING[missing, own]
    if no_relevant == "skip" and own in ("zero", "one"):  # left out for all, where AP, too, has nothing to find
        answered = "are in the run and that " if missing == "skip" else ""
        exception, of_p = f"over the judged queries that {answered}{FOUND} for any measure", 2 if answered else 4
    assert averaging(conventions) == (phrase if exception == phrase else f"{phrase}; of P, {exception}")
    assert averaged(conventions, AP(rel=2), P(rel=2) @ 2, AP)[:2] == [of_ap, of_p]


def test_the_averaging_is_no_argument_and_does_not_change():
    with pytest.raises(TypeError, match="averaging"):
        Conventions(averaging="over every judged query")
    with pytest.raises(AttributeError):
        Conventions().averaging = "over every judged query"
    assert averaging(Conventions(missing="skip", ties="given", unjudged="skip")) == averaging(Conventions(missing="skip"))


@pytest.mark.parametrize(("tool", "queries"), [("trec_eval", 3), ("trec_eval-c", 6), ("recbole", 4), ("recommenders", 2), ("lenskit", 4), ("spark", 6)])
def test_averaging_of_a_tool_matches_its_conventions(tool, queries):
    conventions = conventions_of(tool)
    assert averaging(conventions) == AVERAGING[conventions.missing, conventions.no_relevant][0]
    assert averaged(tool, AP) == [queries]
