"""The ranking to play with whose documents serve subtopics: its values are the package's, and a reader can switch a subtopic on or off."""
import re

import numpy as np
import pytest
from test_browser import CONTRAST, WIDE
from test_play import PLAY, ask, near
from test_play_browser import MODEL, check, example, order, page_of, status, value
from test_play_pages import only
from test_report_browser import SMALL

from irmetrics_nb import Qrels, evaluate, explain
from irmetrics_nb.widget import play, value_of_list

NAMES = ["animal", "car", "team", "god", "chess"]
MEASURES = """alpha_nDCG alpha_nDCG@1 alpha_nDCG@4 alpha_nDCG(alpha=0)@5 alpha_nDCG(alpha=1) alpha_nDCG(alpha=0.9)@10 alpha_DCG@5
    alpha_DCG(alpha=0.3)@20 ERR_IA@1 ERR_IA@5 ERR_IA(alpha=0.8)@7 StRecall StRecall@1 StRecall@3 nDCG nDCG@3 P@5 AP RR ERR(max_grade=1)""".split()


def draw(rng):
    "The subtopics, what each document of a list serves (None: not judged), and what the missed ones serve."
    names = NAMES[: rng.integers(1, 6)]
    share = rng.choice([0.1, 0.3, 0.6])
    served = lambda: [name for name in names if rng.random() < share]
    ranking = [None if rng.random() < 0.1 else served() for _ in range(rng.choice([1, 2, 3, 6, 12]))]
    return names, ranking, [served() for _ in range(rng.choice([0, 0, 1, 4, 20]))]


DRAWN = [draw(np.random.default_rng(seed)) for seed in range(400)]


def number(names, served):
    return None if served is None else sum(2 ** names.index(name) for name in served)


def job(measure, names, ranking, missed):
    grades = [number(names, served) for served in ranking]
    ideal = [g for g in grades if g is not None] + [number(names, served) for served in missed]
    return [measure, grades, {"ideal": ideal, "subtopics": len(names)}]


def data(names, ranking, missed):
    "Judgments and a run; the ids of documents grow with the numbers of what they serve."
    ids = [f"{number(names, served) or 0:02}-{i:02}" for i, served in enumerate([*ranking, *missed])]
    pairs = [(doc, served) for doc, served in zip(ids, [*ranking, *missed], strict=True) if served is not None]
    qrels = {"q": {name: {doc: int(name in served) for doc, served in pairs} for name in names}}
    return Qrels(qrels, subtopics=True), {"q": ids[: len(ranking)]}


def evaluated(measure, *drawn):
    return evaluate(*data(*drawn), measure).means[measure]


def explained(measure, *drawn):
    return explain(measure, *data(*drawn), "q").text


@pytest.mark.parametrize("measure", MEASURES)
def test_the_value_of_every_list_of_subtopics_is_the_packages(measure):
    found = ask("value", [job(measure, *drawn) for drawn in DRAWN])
    late = [(drawn, x) for drawn, x in zip(DRAWN, found, strict=True) if not near(x, value_of_list(measure, *drawn[1:], subtopics=drawn[0]))]
    assert late == []
    assert len({round(x, 9) for x in found}) > 1


@pytest.mark.parametrize("measure", ["alpha_nDCG@4", "alpha_DCG@5", "ERR_IA@5", "StRecall@3", "nDCG", "AP"])
def test_value_of_a_list_equals_that_of_judgments_and_a_run(measure):
    some = [drawn for drawn in DRAWN[:100] if any(drawn[1]) and any(served is not None for served in drawn[1])]
    for names, ranking, missed in some:
        assert near(value_of_list(measure, ranking, missed, subtopics=names), evaluated(measure, names, ranking, missed)), (names, ranking, missed)
    assert len(some) > 60


def test_alpha_ndcg_of_the_learning_page_has_the_value_of_the_hand_calculation():
    ranking = [["animal"], ["animal"], ["animal", "car"], ["team"]]
    by_hand = (1 + 0.5 / np.log2(3) + 1.25 / 2 + 1 / np.log2(5)) / (2 + 1 / np.log2(3) + 0.5 / 2 + 0.25 / np.log2(5))
    assert value_of_list("alpha_nDCG", ranking, subtopics=NAMES[:3]) == pytest.approx(by_hand, abs=1e-12)


@pytest.mark.parametrize("measure", ["alpha_nDCG@4", "alpha_DCG@5", "ERR_IA@5", "StRecall@3"])
def test_the_arithmetic_of_subtopics_is_written_as_explain_writes_it(measure):
    some = [drawn for drawn in DRAWN[:60] if any(drawn[1])]
    found = ask("steps", [job(measure, *drawn) for drawn in some])
    assert [(drawn, a, b) for drawn, a in zip(some, found, strict=True) if a != (b := explained(measure, *drawn))] == []


# ---- on a page ----


@pytest.fixture
def jaguar(open_site):
    "The ranking of the learning page, in Chromium."
    ranking, script = only("learn/subtopics.ipynb"), PLAY.read_text(encoding="utf-8")
    data = {key: text for key, text in ranking.data.items() if key != "class"}

    def shown(theme="", **how):
        body = page_of(example(data["measure"], ranking.grades, ranking.titles, **{k: x for k, x in data.items() if k != "measure"}), theme=theme)
        return open_site({"": ("text/html", body), "play.js": ("text/javascript", script)}, **{"reduced_motion": "reduce"} | how)

    return shown


def subtopic(page, title, name):
    return page.get_by_role("group", name=f"Subtopics: {title}").get_by_role("button", name=name)


def pressed(page):
    "The subtopics of each result that are switched on."
    on = "lines => lines.map(line => [...line.querySelectorAll('.serves [aria-pressed=true]')].map(button => button.textContent))"
    return page.locator(".play li").evaluate_all(on)


def test_by_keyboard_a_subtopic_is_switched_on_and_off_and_undone(jaguar):
    page = jaguar()
    before, start = value(page), pressed(page)
    button = subtopic(page, "Recipes for dinner", "team")
    button.focus()
    page.keyboard.press("Space")
    assert button.get_attribute("aria-pressed") == "true" and pressed(page)[3] == ["team"]
    want = value_of_list("alpha_nDCG", pressed(page), subtopics=NAMES[:3])
    assert value(page) == f"{want:.3f}" != before
    assert status(page).startswith(f"Recipes for dinner now serves team, alpha_nDCG {want:.3f} (")
    page.keyboard.press("Enter")
    assert status(page).startswith("Recipes for dinner no longer serves team, ") and value(page) == before
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Undo").click()
    assert pressed(page) == start


def test_every_shown_measure_has_the_value_of_the_package_after_a_move(jaguar):
    page = jaguar()
    page.get_by_role("button", name="Move up: Stadium of the Jaguars").click()
    page.get_by_role("button", name="Move up: Logos with a jaguar").click()
    subtopic(page, "Big cats compared", "car").click()
    page.get_by_role("slider").fill("3")
    shown = [re.match(r"(\S+) ([\d.]+)", text).groups() for text in page.locator(".chips button").all_inner_texts()]
    assert [name for name, _ in shown] == ["alpha_nDCG@3", "nDCG@3", "StRecall@3", "ERR_IA@6"]
    for name, number in shown:
        assert number == f"{value_of_list(name, pressed(page), subtopics=NAMES[:3]):.3f}", name


def test_a_question_is_not_answered_by_other_subtopics(jaguar):
    page = jaguar()
    subtopic(page, "Recipes for dinner", "team").click()
    assert check(page).startswith("A subtopic is not what it was")


def test_an_address_keeps_the_subtopics_of_a_list(jaguar):
    page = jaguar()
    subtopic(page, "Recipes for dinner", "team").click()
    page.get_by_role("button", name="Move down: Jaguars in the zoo").click()
    now = pressed(page), order(page), value(page)
    page.reload()
    assert (pressed(page), order(page), value(page)) == now


@pytest.mark.parametrize("theme", ["quarto-light", "quarto-dark"])
def test_a_phone_has_room_contrast_and_targets_for_subtopics(jaguar, theme):
    page = jaguar(theme, viewport={"width": 400, "height": 800})
    assert page.evaluate(WIDE) <= 1 and page.evaluate(SMALL) == [] and page.evaluate(CONTRAST) == []
    assert len(page.locator(".serves button").all()) == 18


# ---- in a notebook ----


def test_subtopics_can_be_read_and_set():
    shown = play([["animal"], {"team", "animal"}, None], "alpha_nDCG@3", subtopics=NAMES[:3], ideal=[["animal"], ["animal", "team"], ["car"]])
    assert (shown.grades, shown.missed, shown.subtopics) == ([("animal",), ("animal", "team"), None], [("car",)], NAMES[:3])
    assert shown.value == value_of_list("alpha_nDCG@3", shown.grades, [["car"]], subtopics=NAMES[:3])
    shown.set_state({"grades": [["car"], [], None], "measure": "StRecall"})
    assert (shown.grades, shown.value) == ([("car",), (), None], 1)
    shown.grades = [["animal"], [], None]
    assert shown.value == 1 / 2
    assert play([1, 0]).subtopics == []


@pytest.mark.parametrize(("how", "why"), [
    ({"grades": [["bus"]]}, "subtopic must be 'car' or 'team', not 'bus'"), ({"grades": [["car"]], "ideal": [[]]}, "of ranking 0 is missing"),
    ({"grades": [["car"]], "measure": "ERR_IA"}, "needs a cutoff")])  # fmt: skip
def test_invalid_subtopics_are_refused_before_anything_is_shown(how, why):
    with pytest.raises(ValueError, match=why):
        play(**how, subtopics=["car", "team"])


def test_subtopics_go_to_python_by_name_and_come_from_there(jaguar):
    page = jaguar()
    page.locator("main").evaluate("main => main.replaceChildren()")
    state = {"grades": [["a"], None, []], "missed": [["b"]], "subtopics": ["a", "b"], "measure": "ERR_IA@2", "measures": [], "titles": []}
    page.evaluate(MODEL, state)
    subtopic(page, "d3", "b").click()
    page.get_by_role("slider").fill("4")  # the whole list: ERR_IA needs a cutoff
    saved = page.evaluate("model.saved")[-1]
    assert (saved["grades"], saved["measure"]) == ([["a"], None, ["b"]], "ERR_IA@3")
    assert near(saved["value"], value_of_list("ERR_IA@3", saved["grades"], [["b"]], subtopics=["a", "b"]))
    page.evaluate("model.set('grades', [['a', 'b'], []])")
    assert pressed(page) == [["a", "b"], []]
