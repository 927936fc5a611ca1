"""The ranking to play with, in Chromium: by keyboard, mouse and touch, with its question, in both themes and on a phone; and what
stands there when no script runs."""
import json
import re

import pytest
from conftest import HOME
from project import NBS
from test_browser import CONTRAST, WIDE
from test_report_browser import SMALL

from irmetrics_nb import parse

TITLES = ["A tulip calendar", "The language of flowers", "Pruning flowers", "Flour, a buying guide", "Wheat prices", "How to grow roses"]
BEN, CLEO = [1, 1, 2, 0, 0, 3], [2, 3, 0, 0, 1, 1]
SWAP = {"measures": "P@3 AP RR nDCG ERR", "lists": {"Cleo": CLEO}, "goal": {"above": "Cleo", "swaps": 1}}


def example(measure="nDCG", grades=BEN, titles=TITLES, ask="Which swap?", **data):
    "The element as an author writes it."
    rows = "".join(f"<tr><td>{i}</td><td>{t}</td><td>{'–' if g is None else ', '.join(g) or 'none' if isinstance(g, tuple) else g}</td></tr>" for i, (t, g) in enumerate(zip(titles, grades), 1))
    spelt = {name: x if isinstance(x, str) else json.dumps(x) for name, x in {"measure": measure, **data}.items()}
    data = " ".join(f"data-{name}='{x}'" for name, x in spelt.items())
    return f"<div class='play' {data}><p>{ask}</p><table><thead><tr><th>rank<th>result<th>grade</thead><tbody>{rows}</tbody></table></div>"


def page_of(*elements, theme="", script="<script type='module' src='/play.js'></script>"):
    style = "body { margin: 12px; color: light-dark(#1d2329, #d5dae0); background: light-dark(#fff, #15191e) }"
    dark = ".quarto-dark { color: #d5dae0; background: #15191e }"
    head = f"<meta charset='utf-8'><meta name='color-scheme' content='light dark'><meta name='viewport' content='width=device-width'><style>{style}{dark}</style>"
    return f"<!DOCTYPE html><html lang='en'><title>Play</title>{head}<body class='{theme}'><main>{''.join(elements)}</main>{script}"


@pytest.fixture
def show(open_site):
    "A page with these elements, mounted."
    script = (NBS / "play/play.js").read_text(encoding="utf-8")

    def shown(*elements, theme="", **how):
        files = {"": ("text/html", page_of(*elements, theme=theme)), "play.js": ("text/javascript", script)}
        return open_site(files, **{"reduced_motion": "reduce"} | how)

    return shown


def order(page):
    return page.locator(".play li .title").all_text_contents()


def status(page):
    return page.locator("[role=status]").inner_text().split("\n")[0]


def verdict(page):
    return page.locator("[role=status] p").nth(1).text_content()


def value(page):
    return page.text_content(".head strong")


def press(page, what, title):
    page.get_by_role("button", name=f"{what}: {title}").click()


def click(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def check(page):
    "What is said of a try when the reader asks."
    click(page, "Check")
    return verdict(page)


def unfold(page):
    page.locator(".play summary").first.click()


# ---- moving ----


def test_by_keyboard_a_result_moves_and_keeps_the_focus(show):
    page = show(example("nDCG@5"))
    button = page.get_by_role("button", name="Move up: How to grow roses")
    for _ in range(60):
        page.keyboard.press("Tab")
        if button.evaluate("e => e === document.activeElement"):
            break
    for rank in (5, 4, 3, 2, 1):
        page.keyboard.press("Enter")
        assert order(page).index("How to grow roses") == rank - 1
        assert button.evaluate("e => e === document.activeElement && e.matches(':focus-visible')")
        assert status(page).startswith(f"How to grow roses, now rank {rank} of 6, nDCG@5 {value(page)} (")
    want = parse("nDCG@5").of([3, 1, 1, 2, 0, 0])
    assert value(page) == f"{want:.3f}"
    page.keyboard.press("Space")
    assert status(page) == "How to grow roses stays at rank 1: the list ends there."
    assert button.get_attribute("aria-disabled") == "true" and value(page) == f"{want:.3f}"


def test_every_button_can_be_reached_by_tab_and_no_key_is_caught(show):
    page = show(example())
    names = []
    for _ in range(21):
        page.keyboard.press("Tab")
        names.append(page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.tagName"))
    for title in TITLES:
        assert [n.split(":")[0].split(" ")[0] for n in names if n.endswith(title)] == ["Grade", "Move", "Move"]
    assert page.locator("[aria-grabbed], [draggable], [tabindex]").count() == 0


@pytest.mark.parametrize("touch", [False, True], ids=["mouse", "touch"])
def test_a_press_moves_a_result_by_mouse_and_touch(show, touch):
    page = show(example(), has_touch=touch)
    button = page.get_by_role("button", name="Move down: A tulip calendar")
    button.tap() if touch else button.click()
    assert order(page)[:2] == ["The language of flowers", "A tulip calendar"]
    assert status(page).startswith("A tulip calendar, now rank 2 of 6, nDCG 0.712")


def place(page, title):
    "Where the rank of a result is, to be dragged by."
    box = page.locator("li", has_text=title).locator(".place").bounding_box()
    return box["x"] + 6, box["y"] + box["height"] / 2


def test_a_result_is_dragged_with_the_mouse_and_all_of_it_is_one_move(show):
    page = show(example())
    page.mouse.move(*place(page, "How to grow roses"))
    page.mouse.down()
    x, y = place(page, TITLES[0])
    page.mouse.move(x + 300, y - 9, steps=12)
    assert order(page)[0] == "How to grow roses"
    page.mouse.up()
    page.mouse.move(x, y + 200)
    assert order(page) == [TITLES[5], *TITLES[:5]]
    moved = parse("nDCG").of([3, 1, 1, 2, 0, 0])
    assert status(page) == f"How to grow roses, now rank 1 of 6, nDCG {moved:.3f} (+{moved - parse('nDCG').of(BEN):.3f})"


def test_a_result_is_dragged_with_a_finger(show):
    page = show(example(), has_touch=True)
    finger = page.context.new_cdp_session(page)
    (x, y), (_, end) = place(page, TITLES[0]), place(page, TITLES[3])

    def touch(kind, *at):
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for y in at]})

    touch("touchStart", y)
    for step in range(1, 11):
        touch("touchMove", y + (end + 8 - y) * step / 10)
    touch("touchEnd")
    assert order(page) == [*TITLES[1:4], TITLES[0], *TITLES[4:]]
    assert page.locator(".dragged").count() == 0


def test_grade_button_cycles_through_grades_and_unjudged(show):
    page = show(example(grades=[1, None, 2, 0, 0, 3]))
    press(page, "Grade 3, press to change", TITLES[5])
    assert page.locator(".grade").last.text_content() == "–"
    press(page, r"Grade – (not judged), press to change", TITLES[5])
    assert value(page) == f"{parse('nDCG').of([1, None, 2, 0, 0, 0]):.3f}"
    assert status(page).startswith("How to grow roses, now grade 0, nDCG ")
    page = show(example(grades=[1, 0.5, 2]))
    press(page, "Grade 2, press to change", TITLES[2])
    press(page, "Grade 0.5, press to change", TITLES[1])
    assert page.locator(".grade").all_text_contents() == ["1", "1", "0"]


def test_rows_are_animated_unless_reduced_motion_is_set(show):
    for motion, many in (("no-preference", 2), ("reduce", 0)):
        page = show(example(), reduced_motion=motion)
        page.evaluate("() => { window.glides = []; Element.prototype.animate = way => { window.glides.push(way[0].transform); }; }")
        press(page, "Move up", TITLES[2])
        assert len(page.evaluate("window.glides")) == many, page.evaluate("window.glides")


# ---- what is said of it ----


def test_the_cutoff_is_set_by_a_slider_and_by_the_measure(show):
    page = show(example("nDCG@3", measures="P@2 AP"))
    slider = page.get_by_role("slider", name="Cutoff k")
    assert slider.get_attribute("aria-valuetext") == "3"
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert (page.text_content(".head span"), value(page)) == ("nDCG@4", f"{parse('nDCG@4').of(BEN):.3f}")
    assert page.locator(".chips button > span:first-child").all_text_contents() == ["nDCG@4", "P@2", "AP@4"]
    assert page.locator("li.below .title").all_text_contents() == TITLES[4:]
    page.keyboard.press("End")
    assert (page.text_content(".head span"), slider.get_attribute("aria-valuetext")) == ("nDCG", "whole list")
    assert page.locator("li.below").count() == 0


def test_there_is_no_slider_where_the_measure_that_is_explained_has_no_cutoff_to_set(show):
    assert show(example("AUC", grades=[1, 0, 1, 0, 0, 1], measures="AUC RR nDCG")).get_by_role("slider").count() == 0
    page = show(example("AP", measures="SetP P@3 RR"))
    slider, seen = page.get_by_role("slider"), {}
    for name in ("AP", "SetP", "P@3", "RR"):
        page.locator(".chips button", has_text=re.compile(rf"^{name} ")).click()
        seen[page.text_content(".head span")] = slider.is_visible()
    assert seen == {"AP": True, "SetP": False, "P@3": False, "RR": True}


def test_a_cutoff_behind_the_end_of_the_list_can_be_set_back(show):
    page = show(example("P@8", measures="P@8"))
    slider, first = page.get_by_role("slider"), value(page)
    assert (slider.get_attribute("aria-valuetext"), first) == ("8", "0.500")  # 4 relevant of 8 places
    slider.focus()
    page.keyboard.press("ArrowLeft")
    assert (page.text_content(".head span"), value(page)) == ("P@7", "0.571")
    page.keyboard.press("ArrowRight")
    assert (page.text_content(".head span"), value(page)) == ("P@8", first)
    page.keyboard.press("ArrowRight")
    assert (page.text_content(".head span"), value(page)) == ("P", "0.667")


def test_precision_of_every_rank_is_shown_for_ap(show):
    page = show(example("AP", grades=[0, 1, 0, None, 1, 0]))
    assert page.locator(".ranks thead th").all_text_contents() == ["rank", "relevant", "precision", "term", "sum so far", "last move"]
    rows = cells(page, ".ranks")
    assert [row[2] for row in rows] == ["0.000", "0.500", "0.333", "0.250", "0.400", "0.333"]
    assert [row[3] for row in rows] == ["0.000", "0.500", "0.000", "0.000", "0.400", "0.000"]
    page.set_viewport_size({"width": 400, "height": 900})
    unfold(page)
    assert page.locator(".tables").evaluate("e => [...e.querySelectorAll('td')].every(c => c.getBoundingClientRect().right <= e.getBoundingClientRect().right)")


def cells(page, table):
    return page.locator(f"{table} tbody tr").evaluate_all("rows => rows.map(r => [...r.cells].map(c => c.textContent))")


def test_measures_are_shown_with_the_last_move_and_other_lists(show):
    page = show(example(**SWAP))
    press(page, "Move up", TITLES[5])
    moved = [1, 1, 2, 0, 3, 0]
    for text, now, change, cleo in cells(page, ".measures"):
        measure = parse("ERR(max_grade=3)" if text == "ERR" else text)
        assert (now, cleo) == (f"{measure.of(moved):.3f}", f"{measure.of(CLEO):.3f}")
        difference = measure.of(moved) - measure.of(BEN)
        assert change == (f"{difference:+.3f}" if abs(difference) > 5e-4 else "")


def test_a_press_on_a_measure_explains_it(show):
    page = show(example(**SWAP))
    button = page.locator(".chips button", has_text="AP")
    button.click()
    assert page.text_content(".steps code") == "AP = (1/1 + 2/2 + 3/3 + 4/6) / 4 = 0.9167"
    assert button.get_attribute("aria-pressed") == "true" and button.evaluate("e => e === document.activeElement")
    assert page.locator(".number").all_text_contents() == ["1/1", "2/2", "3/3", "", "", "4/6"]


def test_rank_table_shows_the_effect_of_the_last_move(show):
    page = show(example())
    press(page, "Move up", TITLES[2])
    assert [row[-1] for row in cells(page, ".ranks")] == ["", "+0.631", "−0.500", "", "", ""]
    assert cells(page, ".ranks")[1] == ["2", "2", "0.631", "1.262", "2.262", "1.262", "+0.631"]
    assert page.locator(".number").all_text_contents()[:3] == ["1.000", "1.262", "0.500"]


def test_a_list_can_be_taken_over_and_the_beginning_comes_back(show):
    page = show(example(**SWAP))
    unfold(page)
    click(page, "Start from Cleo")
    assert value(page) == f"{parse('nDCG').of(CLEO):.3f}" and order(page)[:2] == ["Pruning flowers", "How to grow roses"]
    click(page, "Start again")
    assert order(page) == TITLES and value(page) == f"{parse('nDCG').of(BEN):.3f}"


def test_documents_that_were_not_retrieved_count_in_the_ideal(show):
    page = show(example("nDCG", grades=[1, 0], ideal=[0, 3, 1, 2]))
    assert value(page) == f"{parse('nDCG').kind.value(ideal_batch([1, 0], [0, 3, 1, 2]), **parse('nDCG').arguments())[0]:.3f}"


def ideal_batch(grades, ideal):
    from irmetrics_nb import Judged

    return Judged.from_grades([grades], ideal=[ideal])


# ---- the pictures ----


def test_readers_leave_where_they_are_satisfied(show):
    page = show(example("ERR", grades=[2, 0, 3], titles=TITLES[:3]))
    assert page.locator(".number").all_text_contents() == ["38%", "0%", "55%"]  # 3/8, 0 and 5/8 * 7/8
    assert page.text_content(".after") == "8% of the readers leave unsatisfied."  # 5/8 * 1/8
    page = show(example("RR", grades=[0, 1, 1], titles=TITLES[:3]))
    assert page.locator(".number").all_text_contents() == ["0%", "100%", "0%"]


def test_boxes_count_retrieved_and_relevant_documents(show):
    page = show(example("P@3", measures="P@3 R@3", ideal=[1, 1, 2, 0, 0, 3, 2]))
    assert page.get_by_role("img").get_attribute("aria-label") == "3 retrieved and relevant, 0 only retrieved, 2 only relevant"
    press(page, "Move down", TITLES[2])
    assert page.get_by_role("img").get_attribute("aria-label") == "2 retrieved and relevant, 1 only retrieved, 3 only relevant"
    assert page.locator(".dot.missed text").all_text_contents() == ["4", "6", ""]


def test_the_roc_curve_has_a_square_for_each_pair(show):
    page = show(example("AUC", grades=[1, 0, 1, 0, 1]))
    assert (page.locator(".won").count(), page.locator(".lost").count()) == (3, 3)
    assert page.text_content(".after").startswith("3 of 6 pairs") and value(page) == "0.500"
    assert re.findall("[vh]", page.locator(".curve").get_attribute("d")) == list("vhvhv")


FLOWER = {"grades": [3, 0, 0, 1, 2, 1], "ideal": [3, 0, 0, 1, 2, 1, 1]}


def test_the_precision_recall_curve_grows_with_the_slider_by_keyboard(show):
    page = show(example("AP", **FLOWER))
    figure, slider = page.get_by_role("img"), page.get_by_role("slider")
    assert figure.get_attribute("aria-label").endswith("Recall 0.800: precision 0.667. 1 missed.")
    assert page.text_content(".picture .gap + text") == "1 missed"
    assert page.text_content(".after") == "AP is the area of the bars: each is 1/5 wide."
    slider.focus()
    page.keyboard.press("Home")
    seen = []
    for _ in range(6):
        area = sum(page.locator(".picture .won").evaluate_all("bars => bars.map(bar => bar.getAttribute('width') * bar.getAttribute('height') / 250 ** 2)"))
        seen.append((page.locator(".point").count(), f"{area:.3f}", value(page)))
        page.keyboard.press("ArrowRight")
    assert seen == [(1, *["0.200"] * 2), (2, *["0.200"] * 2), (3, *["0.200"] * 2), (4, *["0.300"] * 2), (5, *["0.420"] * 2), (6, *["0.553"] * 2)]


def test_the_precision_recall_curve_follows_a_move_and_lights_up(show):
    page = show(example("AP", **FLOWER))
    page.locator("li", has_text=TITLES[3]).hover()
    assert page.locator(".picture .lit").evaluate_all("parts => parts.map(part => part.dataset.rank)") == ["4", "4"]
    before = page.locator(".curve").get_attribute("d")
    press(page, "Move up", TITLES[3])
    assert page.locator(".curve").get_attribute("d") != before
    assert page.locator(".picture .won").evaluate_all("bars => bars.map(bar => bar.dataset.rank)") == ["1", "3", "5", "6"]


def test_interpolation_is_switched_on_by_keyboard_and_is_told(show):
    page = show(example("AP", measures="AP RR", **FLOWER))
    button = page.get_by_role("button", name="Interpolate", exact=True)
    button.focus()
    page.keyboard.press("Enter")
    assert button.evaluate("e => e === document.activeElement") and button.get_attribute("aria-pressed") == "true"
    assert page.locator(".eleven").count() == 11 and page.locator(".highest").count() == 1
    assert status(page).endswith("The mean of the eleven circles is 0.636.")  # (3 * 1 + 6 * 2/3) / 11
    page.keyboard.press("Enter")
    assert page.locator(".eleven").count() == 0
    page.locator(".chips button", has_text="RR").click()
    assert not button.is_visible()


def test_the_curve_has_room_and_contrast_on_a_phone_in_both_themes(show):
    for theme in "quarto-light", "quarto-dark":
        page = show(example("AP", **FLOWER), theme=theme, viewport={"width": 400, "height": 800})
        page.get_by_role("button", name="Interpolate", exact=True).click()
        assert page.evaluate(WIDE) <= 1 and page.evaluate(SMALL) == [] and page.evaluate(CONTRAST) == []


# ---- the question ----


def test_answer_is_checked_on_request_and_explained(show):
    page = show(example(**SWAP))
    press(page, "Swap", TITLES[2])
    assert page.get_by_role("button", name=f"Swap: {TITLES[2]}").get_attribute("aria-pressed") == "true"
    press(page, "Swap", TITLES[5])
    gained = parse("nDCG").of([1, 1, 3, 0, 0, 2]) - parse("nDCG").of(BEN)
    assert status(page) == f"Ranks 3 and 6 have changed places, nDCG 0.740 (+{gained:.3f})"
    assert verdict(page) == "", "a move to explore is not judged"
    why = "Here rank 3 counts 1.500 instead of 1.000, rank 6 counts 0.712 instead of 1.069."
    assert check(page) == f"Not yet: nDCG 0.740 is not above Cleo’s 0.893. {why}"
    click(page, "Start again")
    assert verdict(page) == "" and check(page) == "Nothing has been moved yet."
    press(page, "Swap", TITLES[5])
    press(page, "Swap", TITLES[0])
    assert check(page) == "Yes: nDCG 0.960 is above Cleo’s 0.893."
    press(page, "Move down", TITLES[5])
    assert verdict(page) == ""


def test_an_answer_is_shown_on_demand_after_a_try(show):
    page = show(example(**SWAP))
    answer = page.get_by_role("button", name="Show an answer")
    press(page, "Move up", TITLES[5])
    assert not answer.is_visible()
    assert check(page).startswith("Not yet: ")
    answer.focus()
    page.keyboard.press("Enter")
    assert status(page).startswith("The only answer: swap ranks 1 and 6. nDCG 0.960 (")
    assert verdict(page).startswith("Yes: ") and not answer.is_visible()
    assert page.evaluate("document.activeElement.textContent") == "Start again"


def test_the_changes_that_count_are_those_that_the_reader_made(show):
    page = show(example(**SWAP))
    assert page.text_content(".count") == "0 of 1 change"
    for _ in range(5):
        press(page, "Move up", TITLES[5])
    assert value(page) == f"{parse('nDCG').of([3, 1, 1, 2, 0, 0]):.3f}"
    assert (page.text_content(".count"), check(page)) == ("5 of 1 change", "That took 5 changes; the question allows 1.")
    for _ in range(5):
        click(page, "Undo")
    assert (page.text_content(".count"), order(page)) == ("0 of 1 change", TITLES)
    for _ in range(2):  # there and back is the list of the beginning, and not nothing
        press(page, "Swap", TITLES[5])
        press(page, "Swap", TITLES[0])
    assert (order(page), page.text_content(".count")) == (TITLES, "2 of 1 change")
    click(page, "Start again")
    press(page, "Grade 1, press to change", TITLES[0])
    assert check(page).startswith("A grade is not what it was")


def test_a_drag_is_one_change_and_no_swap_if_it_passes_several_results(show):
    page = show(example(**SWAP))
    page.mouse.move(*place(page, TITLES[5]))
    page.mouse.down()
    x, y = place(page, TITLES[1])
    page.mouse.move(x, y - 9, steps=12)
    page.mouse.up()
    assert order(page) == [TITLES[0], TITLES[5], *TITLES[1:5]]
    assert page.text_content(".count") == "1 of 1 change"
    assert check(page) == "A move shifts all the results that it passes: this order takes 4 swaps, and the question allows 1. ⇄ swaps two."
    click(page, "Undo")
    assert (page.text_content(".count"), order(page)) == ("0 of 1 change", TITLES)


def test_after_a_reload_everything_can_still_be_undone(show):
    page = show(example("nDCG@5", **SWAP))
    for title in (TITLES[5], TITLES[5], TITLES[2]):
        press(page, "Move up", title)
    page.get_by_role("slider").fill("2")
    press(page, "Grade 0, press to change", TITLES[3])
    page.reload()
    page.wait_for_selector(".play section")
    assert page.text_content(".count") == "3 of 1 change"
    for count in (3, 3, 2, 1, 0):
        click(page, "Undo")
        assert page.text_content(".count") == f"{count} of 1 change"
    assert (order(page), page.text_content(".head span")) == (TITLES, "nDCG@5")
    click(page, "Undo")
    assert status(page) == "There is nothing to undo." and page.text_content(".count") == "0 of 1 change"
    assert "ranking" not in page.url


def test_a_cutoff_can_be_the_answer(show):
    page = show(example("P@3", grades=[3, 0, 0, 1, 2, 1], ideal=[3, 0, 0, 1, 2, 1, 1], measures="P R F", goal={"equal": "R", "k": True}))
    slider = page.get_by_role("slider")
    slider.fill("4")
    assert check(page) == "Not yet: P@4 0.500 is not equal to R@4 0.400."
    page.get_by_role("button", name="Show an answer").click()
    assert status(page).startswith("The only answer: set k to 5. P@5 0.600")
    assert verdict(page) == "Yes: P@5 0.600 is equal to R@5 0.600." and slider.input_value() == "5"


def test_several_wishes_and_any_order(show):
    goal = {"all": [{"measure": "nDCG", "above": "A"}, {"measure": "AP", "below": "A"}]}
    page = show(example("nDCG", grades=[0, 0, 1, 1, 3, 0], lists={"A": [1, 1, 0, 0, 0, 3]}, measures="nDCG AP", goal=goal))
    press(page, "Move up", TITLES[4])
    assert check(page).startswith("Not yet: nDCG ")
    page.get_by_role("button", name="Show an answer").click()
    grades = [float(x) for x in page.locator(".grade").all_text_contents()]
    assert parse("nDCG").of(grades) > parse("nDCG").of([1, 1, 0, 0, 0, 3]) and parse("AP").of(grades) < parse("AP").of([1, 1, 0, 0, 0, 3])
    assert verdict(page).startswith("Yes: ")


def test_question_without_an_answer_shows_a_message(show):
    page = show(example(goal={"above": 1, "swaps": 1}))
    press(page, "Move up", TITLES[5])
    check(page)
    page.get_by_role("button", name="Show an answer").click()
    assert status(page) == "No answer was found."


# ---- other tasks ----


def grades_of(page):
    return [float(x) for x in page.locator(".grade").all_text_contents()]


def test_a_new_list_has_the_same_results_and_the_question_is_open_and_can_be_answered(show):
    page, seen = show(example(**SWAP)), set()
    for _ in range(4):
        click(page, "New list")
        seen.add(tuple(order(page)))
        assert sorted(order(page)) == sorted(TITLES)
        assert page.inner_text(".ask") == "With one swap: nDCG above Cleo’s 0.893."
        assert parse("nDCG").of(grades_of(page)) <= parse("nDCG").of(CLEO)  # an equal value is not above it
        swapped = [[*grades_of(page)] for _ in range(15)]
        pairs = [(a, b) for a in range(6) for b in range(a + 1, 6)]
        for grades, (a, b) in zip(swapped, pairs, strict=True):
            grades[a], grades[b] = grades[b], grades[a]
        assert max(parse("nDCG").of(grades) for grades in swapped) > parse("nDCG").of(CLEO)
    assert len(seen) > 1
    start = order(page)
    press(page, "Move up", start[3])
    click(page, "Start again")
    assert order(page) == start
    click(page, "Back to the first list")
    assert (order(page), page.inner_text(".ask")) == (TITLES, "Which swap?")


def test_the_value_is_predicted_before_it_is_shown(show):
    page = show(example("AP", measures="AP P@3", grades=[0, 1, 0, 0, 1, 0]))
    click(page, "Predict first")
    assert page.evaluate("document.activeElement.matches('input[type=text]')")
    hidden = page.locator(".play > section").inner_text()
    assert value(page) == "?" and "0.45" not in hidden and "AP ?" in hidden
    press(page, "Move up", TITLES[1])
    assert status(page) == "The language of flowers, now rank 1 of 6, AP ?"
    assert check(page) == "That is no number: write 0.75 or 3/4."
    box = page.get_by_role("textbox", name="Your AP:")
    box.fill("0.5")
    box.press("Enter")
    assert verdict(page) == "Not quite: AP is 0.700. You said 0.500, 0.200 too little."
    assert page.text_content(".steps code") == "AP = (1/1 + 2/5) / 2 = 0.7000"
    for right in ("7/10", "0,7", "0.70"):
        press(page, "Move up", TITLES[2])
        press(page, "Move down", TITLES[2])
        assert value(page) == "?"
        box.fill(right)
        assert check(page) == "Yes: AP is 0.700."
    click(page, "Predict first")
    assert value(page) == "?" and box.input_value() == "", "another prediction"
    assert box.get_attribute("inputmode") is None, "a keypad of numbers has no fraction bar"
    box.fill("¾")
    assert check(page) == "Not quite: AP is 0.700. You said 0.750, 0.050 too much."
    press(page, "Move up", TITLES[2])
    click(page, "Start again")
    before = parse("AP").of([0, 1, 0, 0, 1, 0])
    box.fill(f"{before:.3f}")
    assert check(page) == f"Yes: AP is {before:.3f}." and value(page) == f"{before:.3f}"
    assert page.text_content(".head .change") == ""
    press(page, "Move up", TITLES[2])
    click(page, "Predict first")
    assert not box.is_visible() and not page.get_by_role("button", name="Check", exact=True).is_visible()


def test_two_measures_are_made_to_disagree(show):
    page = show(example(measures="AP nDCG ERR"))
    click(page, "Make two disagree")
    task = page.inner_text(".ask")
    up, down = re.fullmatch(r"Make them disagree. In any order of the results: (\S+) above [\d.]+, and (\S+) below [\d.]+.", task).groups()
    assert "nDCG" in (up, down) and up != down
    press(page, "Move up", TITLES[3])
    assert check(page).startswith("Not yet: ")
    click(page, "Show an answer")
    first, second = (parse(f"{name}(max_grade=3)" if name == "ERR" else name) for name in (up, down))
    assert first.of(grades_of(page)) > first.of(BEN) and second.of(grades_of(page)) < second.of(BEN)
    assert verdict(page).startswith("Yes: ")
    click(page, "Undo")
    click(page, "Start again")
    click(page, "Make two disagree")
    assert page.inner_text(".ask") != task, "the next pair"


def test_state_is_stored_in_the_address(show):
    page = show(example(**SWAP), example("AP"))
    first = page.url
    press(page.locator(".play").first, "Swap", TITLES[5])
    press(page.locator(".play").first, "Swap", TITLES[1])
    page.locator(".chips button", has_text="ERR").click()
    press(page.locator(".play").nth(1), "Grade 3, press to change", TITLES[5])
    now, seen = [page.locator(".play > section").nth(i).inner_text() for i in (0, 1)], order(page)
    assert "ranking=" in page.url and "ranking2=" in page.url
    other = page.context.new_page()  # somebody who was sent the link; and a reload
    for one, go in ((other, lambda: other.goto(page.url)), (page, page.reload)):
        go()
        one.wait_for_selector(".play section")
        assert order(one) == seen and one.locator(".head strong").all_text_contents() == [re.search(r"\n?(\d\.\d+)", text)[1] for text in (t.split("\n", 2)[2] for t in now)]
        assert one.text_content(".count") == "1 of 1 change"
    click(page.locator(".play").first, "Start again")
    page.locator(".chips button", has_text="nDCG").click()
    click(page.locator(".play").nth(1), "Start again")
    assert page.url.rstrip("?") == first
    page.goto(f"{HOME}?ranking=nonsense")
    assert status(page.locator(".play").first).startswith("The address of this page names a list") and order(page)[:6] == TITLES


def test_a_new_list_and_a_task_can_be_shared(show):
    page = show(example(**SWAP))
    click(page, "New list")
    press(page, "Move down", order(page)[0])
    click(page, "Copy link")
    seen, asked = order(page), page.inner_text(".ask")
    page.reload()
    page.wait_for_selector(".play section")
    assert (order(page), page.inner_text(".ask"), page.text_content(".count")) == (seen, asked, "1 of 1 change")
    click(page, "Make two disagree")
    asked = page.inner_text(".ask")
    page.reload()
    page.wait_for_selector(".play section")
    assert page.inner_text(".ask") == asked != ""


def test_term_bar_and_row_light_up_together(show):
    page = show(example(**SWAP))
    lit = "[...document.querySelectorAll('.lit')].map(e => e.tagName + e.dataset.rank)"
    page.locator("li").nth(2).hover()
    assert page.evaluate(lit) == ["LI3", "SPAN3", "SPAN3", "TR3"], "its term, and that of the ideal order"
    page.locator(".steps span", has_text="3/log2(7)").hover()
    assert page.evaluate(lit) == ["LI6", "SPAN6", "TR6"]
    page.mouse.move(0, 0)
    assert page.evaluate(lit) == []
    page.get_by_role("button", name=f"Move up: {TITLES[1]}").focus()
    assert page.evaluate(lit) == ["LI2", "SPAN2", "SPAN2", "TR2"]


HANDLES = """<p>Ranks 1 and 6: <span class='handle' data-swap='1 6'>0.960</span>, <span class='handle' data-list='Cleo' data-measure='ERR'>0.652</span>,
  <span class='handle' data-k='2'>0.333</span></p>"""


def test_numbers_of_the_text_are_handles(show):
    page = show(example(**SWAP), HANDLES)
    press(page, "Move up", TITLES[3])
    for name, found in (("0.960", "nDCG"), ("0.652", "ERR"), ("0.333", "nDCG@2")):
        handle = page.get_by_role("button", name=name, exact=True)
        handle.focus()
        page.keyboard.press("Enter")
        assert page.text_content(".head span").startswith(found.split("@")[0]) and handle.evaluate("e => e === document.activeElement")
        if name != "0.333":
            assert value(page) == name
    assert page.text_content(".head span") == "nDCG@2"
    click(page, "Undo")
    click(page, "Undo")
    assert value(page) == "0.960"


def test_a_change_compares_the_same_measure_at_the_same_cutoff(show):
    handle = "<p><span class='handle' data-swap='1 6' data-k='6'>0.960</span></p>"
    page = show(example("nDCG@3", measures="nDCG nDCG@6"), handle)
    page.get_by_role("button", name="0.960").click()
    want = f"+{parse('nDCG@6').of([3, 1, 2, 0, 0, 1]) - parse('nDCG@6').of(BEN):.3f}"
    assert page.text_content(".head span") == "nDCG@6" and page.text_content(".head .change") == want
    assert page.locator(".chips .change").all_text_contents() == [want, want]
    page.get_by_role("slider").fill("3")
    assert page.text_content(".head .change") == "", "the list is the same"


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_a_handle_far_below_brings_the_ranking_into_view_and_leads_back(show, motion):
    page = show(example(**SWAP), "<div style='height: 5000px'></div>", HANDLES, "<div style='height: 900px'></div>", reduced_motion=motion)
    handle = page.get_by_role("button", name="0.960", exact=True)
    handle.click()
    inside = "e => { const box = e.getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight }"
    page.wait_for_function(f"({inside})(document.querySelector('.head strong'))")
    assert value(page) == "0.960"
    click(page, "Back to the text")
    page.wait_for_function(f"({inside})(document.querySelector('button.handle'))")
    assert handle.evaluate("e => e === document.activeElement")
    assert not page.get_by_role("button", name="Back to the text").is_visible()


def test_on_a_phone_the_value_stays_in_sight(show):
    page = show(example(**SWAP), "<div style='height: 900px'></div>", viewport={"width": 400, "height": 500}, has_touch=True)
    page.locator("li").last.scroll_into_view_if_needed()
    page.mouse.wheel(0, 120)
    page.wait_for_timeout(100)
    box = page.locator(".head strong").bounding_box()
    assert page.locator(".play > section").bounding_box()["y"] < -60 and 0 <= box["y"] < 60
    button = page.get_by_role("button", name=f"Move up: {TITLES[5]}")
    button.tap()
    assert value(page) == f"{parse('nDCG').of([1, 1, 2, 0, 3, 0]):.3f}"


def test_it_opens_within_600_pixels_and_the_tables_are_folded(show):
    page = show(example(**SWAP), viewport={"width": 820, "height": 900})
    assert page.locator(".play > section").bounding_box()["height"] <= 600
    assert not page.locator(".ranks").is_visible()
    unfold(page)
    assert page.locator(".ranks").is_visible() and page.locator(".measures").is_visible()


# ---- to be read, by everybody ----

ALL = [example("nDCG@5", **SWAP), example("AP"), example("ERR@4", grades=[2, None, 0, 3, 1, 0], measures="RR ERR"), example("AUC"),
       example("P@3", measures="P R F", ideal=[*BEN, 1]), example("nDCG(gain='exp')@3".replace("'", "&#39;"), measures="DCG(discount=&#39;jarvelin&#39;)@10")]  # fmt: skip


@pytest.mark.parametrize("theme", ["", "quarto-dark"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_at_any_width_in_both_themes(show, scheme, theme):
    page = show(*ALL, theme=theme, color_scheme=scheme)
    press(page.locator(".play").nth(0), "Move up", TITLES[5])
    for fold in page.locator(".play summary").all():
        fold.click()
    for width in 1000, 400, 320:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(WIDE) <= 0
        assert page.evaluate(CONTRAST) == [], f"contrast below 4.5 at {width} pixels"
        assert page.evaluate(SMALL) == [], "nothing says what this is"
        sizes = "all => all.map(e => e.getBoundingClientRect()).filter(b => b.width < 24 || b.height < 24).length"
        assert page.locator("button:visible, input:visible, summary").evaluate_all(sizes) == 0
        cut = "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent)"
        assert page.locator("td, th, .title, .number").evaluate_all(cut) == []


def test_it_follows_the_switch_of_the_page(show):
    page = show(example(), theme="quarto-light")
    ground = "getComputedStyle(document.querySelector('.play li')).backgroundColor"
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    page.evaluate("document.body.className = 'quarto-dark'")
    assert page.evaluate(ground) == "rgb(21, 25, 30)"


def test_titles_are_text_whatever_they_hold(show):
    page = show(example(titles=["&lt;img src=x onerror=alert(1)&gt;", "a & b", *TITLES[2:]]))
    assert order(page)[:2] == ["<img src=x onerror=alert(1)>", "a & b"] and page.locator(".play img").count() == 0


def test_another_language_takes_the_place_of_the_words(show):
    page = show(example())
    page.evaluate("""async () => {
      const {mount, words} = await import('/play.js');
      const german = {moved: (title, rank, n) => `${title}, jetzt Rang ${rank} von ${n}, `, up: title => `Hinauf: ${title}`};
      mount(document.querySelector('main').appendChild(document.createElement('div')), {grades: [0, 1], measure: 'AP', words: german});
    }""")
    press(page, "Hinauf", "d2")
    assert page.locator("[role=status]").nth(1).inner_text() == "d2, jetzt Rang 1 von 2, AP 1.000 (+0.500)"


def test_options_can_be_json_and_pages_can_have_two_rankings(show):
    config = {"measure": "RR", "grades": [0, 0, 1], "titles": ["x", "y", "z"], "question": "Why?"}
    page = show(f"<div class='play'><script type='application/json'>{json.dumps(config)}</script></div>", example("AP"))
    assert page.locator(".head strong").all_text_contents() == ["0.333", "0.917"]
    assert order(page)[:3] == ["x", "y", "z"] and page.text_content(".ask") == "Why?"


# ---- in a notebook ----

MODEL = """async state => {
  const {default: {render}} = await import('/play.js'), heard = {}, el = document.createElement('div');
  window.model = {
    state, saved: [],
    get: name => structuredClone(state[name]),
    set: (name, x) => { const is = JSON.stringify(state[name]) !== JSON.stringify(x); state[name] = x; if (is) heard[`change:${name}`]?.(); },
    on: (event, f) => { heard[event] = f; },
    save_changes: () => window.model.saved.push(structuredClone(state)),
  };
  render({model: window.model, el});
  document.querySelector('main').append(el);
}"""


def test_in_a_notebook_the_state_goes_to_python_and_comes_from_there(show):
    page = show()
    page.evaluate(MODEL, {"grades": [0, None, 3], "missed": [2], "lists": None, "goal": {"above": 0.9, "swaps": 1}, "question": "Lift **d3**.", "measure": "ERR(max_grade=3)@2", "measures": ["AP"], "titles": [], "value": 0})
    press(page, "Move up", "d3")
    (saved,) = page.evaluate("model.saved")
    want = parse("ERR(max_grade=3)@2").of([0, 3, None])
    assert (saved["grades"], saved["measure"]) == ([0, 3, None], "ERR(max_grade=3)@2") and abs(saved["value"] - want) < 1e-12
    page.get_by_role("slider").fill("1")
    assert page.evaluate("model.state.measure") == "ERR(max_grade=3)@1" and page.evaluate("model.state.value") == 0
    assert page.locator(".ask strong").text_content() == "d3" and check(page).startswith("Not yet: ")
    assert "ranking" not in page.url
    assert order(page) == ["d1", "d3", "d2"], "what comes from here does not begin anew"
    page.evaluate("model.set('grades', [1, 1])")
    assert page.locator(".grade").all_text_contents() == ["1", "1"] and page.locator(".play section").count() == 1
    page.evaluate("model.set('measure', 'RR')")
    assert page.text_content(".head span") == "RR" and value(page) == "1.000"


# ---- without a script ----


@pytest.mark.parametrize("how", ["no script", "from a file"])
def test_example_is_a_table_without_a_script(browser, tmp_path, how):
    loader = (NBS / "play/play.html").read_text(encoding="utf-8").replace("/play/play.js", "play.js")
    (tmp_path / "play.js").write_bytes((NBS / "play/play.js").read_bytes())
    (tmp_path / "page.html").write_text(page_of(example(**SWAP), script=loader), encoding="utf-8")
    context, said = browser.new_context(java_script_enabled=how == "from a file"), []
    page = context.new_page()
    page.on("console", lambda m: said.append(m.text))
    page.goto((tmp_path / "page.html").as_uri())
    page.wait_for_timeout(200)
    rows = page.locator(".play tbody tr").all_inner_texts()
    assert [row.split("\t") for row in rows] == [[f"{i}", t, f"{g}"] for i, (t, g) in enumerate(zip(TITLES, BEN, strict=True), 1)]
    assert page.inner_text(".play p") == "Which swap?"
    context.close()
    assert said == []


def test_invalid_options_are_errors_and_keep_the_table(show):
    page = show(example())
    text = page.evaluate("""async () => {
      const {mount} = await import('/play.js'), element = document.createElement('div');
      element.innerHTML = '<table><tbody><tr><td>a<td>1</table>';
      const tried = options => { try { mount(element, options); } catch (e) { return `${e.message}|${element.innerText}`; } };
      return [tried({measure: 'Foo'}), tried({measure: 'AP', goal: 1, lists: {A: [9]}, ideal: [0]})];
    }""")
    assert [one.split("|")[1].split() for one in text] == [["a1"], ["a1"]]
    assert "not a measure" in text[0] and "lacks a grade 1" in text[1]
