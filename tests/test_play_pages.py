"""The rankings to play with on the pages: each has a question that its list does not answer as it stands, and that can be answered as the
fold below it says. What is right is worked out here by the package, for every way there is, and not by the script of the page."""
import ast
import json
import re
from functools import cache
from html.parser import HTMLParser
from itertools import combinations, permutations

import pytest
from project import NBS, cells, notebooks
from test_play_browser import check, example, order, show, verdict  # noqa: F401

from irmetrics_nb import Judged, auc, load_example, parse
from irmetrics_nb.widget import value_of_list

PAGES = [f"learn/{name}.ipynb" for name in "sets ap dcg cascade auc subtopics".split()]
PAGES += ["tutorials/good_ranking.ipynb", "tutorials/bad_query.ipynb", "guide/which_metric.ipynb"]
RELATION = {"above": lambda x, y: x > y, "below": lambda x, y: x < y, "least": lambda x, y: x >= y, "equal": lambda x, y: x == y}


def shown(cell):
    "What a cell puts on its page as Markdown."
    return [cell.source] if cell.kind == "markdown" else ["".join(o.get("data", {}).get("text/markdown", "")) for o in cell.outputs]


class Ranking(HTMLParser):
    "A ranking to play with, read from the Markdown of its element."

    def __init__(self, text):
        super().__init__()
        self.text, self.data = text, {}
        self.feed(text[: text.index(">\n") + 2])
        rows = [line.strip("| ").split("|") for line in text.splitlines() if re.match(r"\| +\d", line)]
        self.titles = [row[1].strip() for row in rows]
        self.subtopics = self.data.get("subtopics", [])
        self.grades = [tuple(name for name in row[2].strip().split(", ") if name != "none") if self.subtopics else int(row[2]) for row in rows]
        self.goal = self.data.get("goal")
        self.ideal = self.data.get("ideal", self.grades)

    def handle_starttag(self, tag, attrs):
        for name, text in attrs:
            whole = name.removeprefix("data-") in ("goal", "ideal", "lists", "scale", "subtopics")
            self.data[name.removeprefix("data-")] = json.loads(text) if whole else text

    def value(self, measure, grades, k):
        "What the package says of a list."
        if self.subtopics:
            return round(value_of_list(f"{measure}@{k}" if k and "@" not in measure else measure, grades, subtopics=self.subtopics), 12)
        if measure == "AUC":
            return round(auc(grades, range(len(grades), 0, -1)), 12)
        known = parse(f"{measure}@{k}" if k and "@" not in measure else measure)
        if known.name == "ERR":
            known = known(max_grade=self.data["scale"])
        return round(float(known.of(Judged.from_grades([grades], ideal=[self.ideal]))[0]), 12)

    def answers(self, grades, k):
        "Is every wish of the question fulfilled?"
        main = self.data["measure"].partition("@")[0]
        return all(self.wish(wish, wish.get("measure", main), grades, k) for wish in self.goal.get("all", [self.goal]))

    def wish(self, wish, measure, grades, k):
        ((name, aim),) = ((name, wish[name]) for name in RELATION if name in wish)
        if isinstance(aim, str):
            lists = self.data.get("lists", {})
            aim = self.value(measure, lists[aim], k) if aim in lists else self.value(aim, grades, k)
        return RELATION[name](self.value(measure, grades, k), aim)

    @property
    def k(self):
        "Where the slider begins; None: at the whole list."
        cutoff = self.data["measure"].partition("@")[2]
        return int(cutoff) if cutoff else None

    def right(self):
        "{(grades, cutoff)} of all that answers the question with as many swaps as it allows."
        cutoffs = range(1, len(self.grades) + 1) if self.goal.get("k") else [self.k]
        reached = {tuple(self.grades)}
        for _ in range(self.goal["swaps"]):
            reached |= {swapped(grades, a, b) for grades in reached for a, b in combinations(range(len(grades)), 2)}
        return {(grades, k) for grades in reached for k in cutoffs if self.answers(grades, k)}


def swapped(grades, a, b):
    found = list(grades)
    found[a], found[b] = found[b], found[a]
    return tuple(found)


def rankings(name):
    "The rankings to play with of a page."
    text = "\n".join(part for cell in cells(NBS / name) for part in shown(cell))
    return [Ranking(found) for found in re.findall(r'<div class="play".*?^</div>', text, re.DOTALL | re.MULTILINE)]


def only(name):
    (found,) = rankings(name)
    return found


SERVED = {"a": ("animal",), "b": ("animal", "car"), "t": ("team",), "o": ()}

# All lists and cutoffs that answer; and a try that comes near, as the pairs of ranks that are swapped, with a part of what is said of it.
ANSWERS = {
    "learn/sets.ipynb": {((3, 0, 0, 1, 2, 1), 5)},
    "learn/ap.ipynb": {((3, 1, 0, 1, 2, 0), None)},
    "learn/dcg.ipynb": {((3, 2, 1, 0, 0, 1), 3)},
    "learn/cascade.ipynb": {((1, 0, 3, 0, 2, 1), None), ((1, 0, 3, 1, 2, 0), None)},
    "learn/auc.ipynb": {((1, 0, 0, 1, 0, 1, 1, 0), None)},
    "learn/subtopics.ipynb": {(tuple(SERVED[letter] for letter in ranking), None) for ranking in "baoaat boaaat aboaat tobaaa atobaa taobaa".split()},
    "tutorials/good_ranking.ipynb": {((3, 1, 2, 0, 0, 1), None)},
    "tutorials/bad_query.ipynb": {((3, 2, 2, 2, 0, 0, 0, 0, 0, 0), 10)},
    "guide/which_metric.ipynb": {((2, 3, 0, 1, 2, 1), None), ((2, 3, 1, 1, 0, 2), None)},
}
TRIES = {
    "learn/sets.ipynb": ([(2, 4)], "That took 3 changes; the question allows none."),
    "learn/ap.ipynb": ([(2, 4)], "AP 0.817 is less than 0.88."),
    "learn/dcg.ipynb": ([(2, 5), (3, 6)], "nDCG@6 1.000 is not below 1."),
    "learn/cascade.ipynb": ([(1, 3)], "ERR 0.889 is not below 0.5."),
    "learn/auc.ipynb": ([(1, 7)], "AUC 0.438 is not equal to 0.5"),
    "learn/subtopics.ipynb": ([(1, 3)], "nDCG 0.975 is not below Ann’s 0.975."),
    "tutorials/good_ranking.ipynb": ([(3, 6)], "nDCG 0.740 is not above Cleo’s 0.893."),
    "tutorials/bad_query.ipynb": ([(1, 4)], "nDCG@10 0.610 is less than 0.7."),
    "guide/which_metric.ipynb": ([(1, 3), (2, 5)], "nDCG 0.915 is not below A’s 0.913."),
}


def test_every_metric_two_lessons_and_the_choice_of_a_metric_have_a_ranking_to_play_with():
    found = {name.as_posix(): len(rankings(name)) for name in notebooks()}
    assert {name: many for name, many in found.items() if many} == dict.fromkeys([*PAGES, "index.ipynb", "top_level/widget.ipynb"], 1)


@pytest.mark.parametrize("name", PAGES)
def test_a_question_is_open_at_the_beginning_and_has_the_answers_that_are_known(name):
    ranking = only(name)
    assert 6 <= len(ranking.grades) <= 10 and len(set(ranking.titles)) == len(ranking.grades)
    assert not ranking.answers(ranking.grades, ranking.k)
    assert ranking.right() == ANSWERS[name]


@pytest.mark.parametrize("name", PAGES)
def test_page_explains_a_failed_try_and_shows_a_right_answer(show, name):  # noqa: F811
    ranking, (way, why) = only(name), TRIES[name]
    data = {key: text for key, text in ranking.data.items() if key != "class"}
    page = show(example(data.pop("measure"), ranking.grades, ranking.titles, **data))
    for pair in way:
        swap_by_hand(page, *pair)
    assert verdict(page) == ""
    assert check(page).startswith(("Not yet: ", "That took")) and why in verdict(page)
    page.get_by_role("button", name="Show an answer").click()
    assert verdict(page).startswith("Yes: ")
    on = "lines => lines.map(line => [...line.querySelectorAll('.serves [aria-pressed=true]')].map(button => button.textContent))"
    served = tuple(map(tuple, page.locator(".play li").evaluate_all(on)))
    grades = served if ranking.subtopics else tuple(map(int, page.locator(".grade").all_text_contents()))
    k = int(page.get_by_role("slider").input_value()) if ranking.goal.get("k") else ranking.k
    assert (grades, k) in ANSWERS[name]


def swap_by_hand(page, a, b):
    "Swaps two ranks by the sign for it, or, where there is none, by moving both."
    upper, lower = order(page)[a - 1], order(page)[b - 1]
    if page.get_by_role("button", name=f"Swap: {upper}").count():
        page.get_by_role("button", name=f"Swap: {upper}").click()
        page.get_by_role("button", name=f"Swap: {lower}").click()
        return
    for _ in range(b - a):
        page.get_by_role("button", name=f"Move up: {lower}").click()
    for _ in range(b - a - 1):
        page.get_by_role("button", name=f"Move down: {upper}").click()


DISAGREE = """async ([options, seeds]) => {
  const {mount} = await import('/play.js'), play = mount(document.body.appendChild(document.createElement('div')), options), tasks = [];
  for (let seed = 1; seed <= seeds; seed++) {
    let state = seed;  // a generator of Lehmer, so that a run can be repeated
    Math.random = () => (state = state * 48271 % 2147483647) / 2147483647;
    play.measure = play.measures[seed % play.measures.length];
    play.deal();
    play.disagree();
    const {order} = play.start, place = item => options.titles.indexOf(item.title);
    tasks.push({asked: play.label(play.measure), pair: play.pair?.map(measure => play.label(measure, play.start.k)), start: order.map(place), way: play.pair ? play.answers()[0]?.way : null});
    play.move(play.order[0], 1);
    play.again();
    if (order.some((item, j) => item !== play.order[j])) throw new Error('it does not start again');
  }
  return tasks;
}"""


def test_measures_that_always_agree_have_no_button_to_make_them_disagree(show):  # noqa: F811
    page = show(example("P@3", measures="P@3 R@3 F@3"), example("DCG", measures="DCG nDCG"), example("AP", measures="AP nDCG"))
    counts = [page.locator(".play").nth(j).get_by_role("button", name="Make two disagree").count() for j in range(3)]
    assert counts == [0, 0, 1]


@pytest.mark.parametrize("name", [name for name in PAGES if name != "learn/sets.ipynb"])
def test_every_task_of_two_measures_that_disagree_can_be_solved(show, name):  # noqa: F811
    "Of 60 orders, each leads to a task; the package finds an answer of it among all orders, and checks that of the page."
    ranking = only(name)
    numbers = {key: int(ranking.data[key]) for key in ("scale",) if key in ranking.data}
    options = {"grades": ranking.grades, "titles": ranking.titles, "measure": ranking.data["measure"], "measures": ranking.data.get("measures", ""), "ideal": ranking.ideal} | numbers
    page = show(example(ranking.data["measure"], ranking.grades if not ranking.subtopics else [1, 0], ranking.titles))
    tasks = page.evaluate(DISAGREE, [options | {"subtopics": ranking.subtopics}, 60])
    orders = {tuple(ranking.grades[j] for j in ranks) for ranks in permutations(range(len(ranking.grades)))}

    @cache
    def value(measure, grades):
        return ranking.value(measure, grades, None)

    assert len(tasks) == 60 and [task for task in tasks if not task["pair"]] == []
    for task in tasks:
        up, down = task["pair"]
        grades = [ranking.grades[j] for j in task["start"]]
        better = [order for order in orders if value(up, order) > value(up, tuple(grades)) + 1e-9 and value(down, order) < value(down, tuple(grades)) - 1e-9]
        for a, b in task["way"]:
            grades[a - 1], grades[b - 1] = grades[b - 1], grades[a - 1]
        assert tuple(grades) in better, task


@pytest.mark.parametrize("name", PAGES)
def test_answer_is_folded_below_and_the_table_is_inside(name):
    text = "\n".join(part for cell in cells(NBS / name) for part in shown(cell))
    below = text[text.index(only(name).text) :].partition("</div>")[2]
    assert below.lstrip().startswith("<details><summary>Answer</summary>")
    question, rows = re.split(r"\n\n(?=\| rank \|)", only(name).text)
    assert "**" in question, "what is asked stands out"
    assert rows.endswith("\n\n</div>") and rows.count("\n") == len(only(name).grades) + 3


def test_top_ten_of_the_lesson_equal_the_example():
    ranking, data = only("tutorials/bad_query.ipynb"), load_example()
    judged = data.qrels.to_dict()["q03"]
    run = sorted(data.runs["bm25"].to_dict()["q03"].items(), key=lambda pair: pair[::-1], reverse=True)[:10]
    assert (ranking.titles, ranking.grades) == ([d for d, _ in run], [judged[d] for d, _ in run])
    assert sorted(ranking.ideal) == sorted(g for g in judged.values() if g > 0)


@pytest.mark.parametrize("name, start, numbers", [
    ("tutorials/good_ranking.ipynb", "disagree about nearly one pair in five", ["0.187", "0.144"]), ("learn/dcg.ipynb", "No. The weights are", ["48"]),
    ("learn/ap.ipynb", "The mean of AP is more than $R/n$, and", ["0.450", "0.300", "0.293", "0.305"])])  # fmt: skip
def test_measured_numbers_in_answers_equal_their_output(name, start, numbers):
    page = cells(NBS / name)
    ((answer, code),) = ((cell.source.partition(start)[2], below) for cell, below in zip(page, page[1:], strict=False) if start in cell.source)
    given = "".join("".join(o.get("text", "") or o.get("data", {}).get("text/plain", "")) for o in code.outputs)
    assert [x for x in numbers if x not in answer or not re.search(rf"(?<![\d.]){re.escape(x)}(?!\d)", given)] == []


HANDLES = re.compile(r'<span class="handle" ([^>]*)>([^<]*)</span>')


@pytest.mark.parametrize("name", PAGES)
def test_number_on_a_button_equals_the_value_of_the_ranking(show, name):  # noqa: F811
    ranking, page = only(name), cells(NBS / name)
    handles = [found for cell in page if cell.kind == "markdown" for found in HANDLES.findall(cell.source)]
    assert handles and all(re.fullmatch(r"[01]\.\d{3}", number) for _, number in handles)
    data = {key: text for key, text in ranking.data.items() if key != "class"}
    spans = [f"<p><span class='handle' {how}>{number}</span></p>" for how, number in handles]
    shown = show(example(data.pop("measure"), ranking.grades, ranking.titles, **data), *spans)
    for place, (_, number) in enumerate(handles):
        shown.locator("button.handle").nth(place).click()
        assert shown.text_content(".head strong") == number


def test_the_head_of_a_ranking_sticks_to_the_page_in_the_output_of_a_cell(show):  # noqa: F811
    styles = (NBS / "styles.css").read_text(encoding="utf-8")
    ranking, style = only("tutorials/bad_query.ipynb"), f"<style>{styles}</style>"
    data = {key: text for key, text in ranking.data.items() if key != "class"}
    cell = f"<div class='cell-output-display'>{example(data.pop('measure'), ranking.grades, ranking.titles, **data)}</div>"
    page = show(style, cell, "<div style='height: 900px'></div>", viewport={"width": 400, "height": 600})
    for rank in range(6, 11):
        page.locator("li").nth(rank - 1).evaluate("e => e.scrollIntoView({block: 'center'})")
        box = page.locator(".head strong").bounding_box()
        assert 0 <= box["y"] < 80 and box["y"] + box["height"] < page.locator("li").nth(rank - 1).bounding_box()["y"], rank


def test_the_stored_ranking_of_a_page_asks_the_question_of_its_code():
    asked = 0
    for name in notebooks():
        for cell in cells(NBS / name):
            if cell.kind != "code" or not re.search(r"^play\(\[", cell.source, re.MULTILINE):
                continue
            questions = re.findall(r"question=((?:\s*'(?:[^'\\]|\\.)*')+)", cell.source)
            page = " ".join("".join("".join(output["data"].get(kind, "")) for kind in ("text/markdown", "text/html")) for output in cell.outputs if "data" in output)
            for question in questions:
                asked += 1
                assert " ".join(ast.literal_eval(f"({question.strip()})").split()) in " ".join(page.split()), name
    assert asked >= 9
