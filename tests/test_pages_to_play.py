"""What a page to learn from shows can be copied and runs; its numbers may be changed; it has something to touch, to try and to work out.

A metric has two pages: one to learn it, and one with the code of the package."""
import ast
import json
import re
from pathlib import Path

import play
import pytest
from forks import pages
from project import NBS, cells, module_of, notebooks

CODE = [name for name in notebooks() if name.parts[0] == "metrics" and name.stem in ("sets", "ap", "dcg", "cascade", "auc")]
LEARNING = [Path("learn", name.name) for name in CODE]
PRACTICE = [name for name in notebooks() if name.parts[0] == "learn" and name not in LEARNING]  # drills, exam, formulas
ORDER = "The question|By hand|Interactive ranking|The formula|Plain code|When to use it|Try it|Exercises|References".split("|")
# What stands on many pages has one heading; whatever else is called like that would be another word for it.
ONE_WORD = {
    "At the edges": r"(the |at the )?(edges?|edge cases|boundar\w+( cases)?|corner cases)$",
    "By hand": r"(worked )?(by hand|calculation by hand|hand-worked|worked example)s?$",
    "Exercises": r"(exercises?|practice|problems|quiz|questions to answer)$",
    "References": r"(references?|sources|literature|bibliography|further reading|read more)$",
    "The question": r"the question( it answers)?$",
    "Try it": r"(try (it|this|next|yourself|them)|things to try|your turn|play with it)$",
    "Interactive ranking": r"(interactive rankings?|(under|in) your hands?)$",
    "When to use it": r"when to (use|take|choose) (it|this|them)$",
    "Where next": r"(where|what) next|next( steps| lesson)?$|see also|where to go",
    "Where tools and books disagree": r"where .*disagree",
}
MARKS = "right|convention|slip".split("|")  # of the forms of a formula that are printed
HOW_TO = "my_ndcg whose_number".split()  # recipes: they begin with what somebody has
TUTORIALS = [name for name in notebooks() if name.parts[0] == "tutorials"]
RECIPES = [name for name in TUTORIALS if name.stem in HOW_TO]
LESSONS = [name for name in TUTORIALS if name not in RECIPES]
PLAYED = [name for name in notebooks() if play.tagged(NBS / name, "play")]


def sections(name):
    "{heading of the second level: the places of its cells}, in the order of the page."
    found, now = {"": []}, ""
    for cell in cells(NBS / name):
        heads = re.findall(r"^## +(.*)$", cell.source, re.MULTILINE) if cell.kind == "markdown" else []
        found[now].append(cell.index)
        for now in heads:
            found[now] = [cell.index]
    return found


def test_all_lessons_and_the_pages_to_learn_a_metric_can_be_played_with():
    assert set(LEARNING) | set(LESSONS) <= set(PLAYED)
    assert len(LEARNING) == len(CODE) == 5
    assert len(RECIPES) == len(HOW_TO) == 2


@pytest.mark.parametrize("name", [*PLAYED, *RECIPES, *PRACTICE], ids=str)
def test_copied_cells_run_and_other_numbers_change_the_output(name):
    # The other numbers come in at once: running a page twice would show nothing more.
    alone = name in LEARNING + TUTORIALS + PRACTICE
    assert pages("play", "copied_and_played" if alone else "played", NBS / name) is None


def test_a_page_whose_imports_are_hidden_is_found(tmp_path):
    page = tmp_path / "page.ipynb"
    code = {"#| hide\nimport math": [], "math.pi": []}
    source = [{"cell_type": "code", "source": text, "outputs": out, "metadata": {}, "execution_count": None} for text, out in code.items()]
    page.write_text(json.dumps({"cells": source, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), encoding="utf-8")
    assert play.unseen(page) == {0}
    assert "name 'math' is not defined" in pages("play", "copied_and_played", page)
    assert pages("play", "played", page) is None


@pytest.mark.parametrize("name", LEARNING + TUTORIALS + PRACTICE, ids=str)
def test_notebooks_need_no_other_files_and_have_no_own_link(name):
    text = "\n".join(cell.source for cell in cells(NBS / name) if cell.kind == "markdown")
    assert "This page as a notebook" not in text, "the margin of the page has this link"
    assert not [cell.index for cell in cells(NBS / name) if cell.kind == "code" and re.search(r"""["'](?:\.\./|\w+\.mplstyle)""", cell.source)]


def test_landing_page_shows_how_to_install_the_lessons():
    text = (NBS / "learn/index.qmd").read_text(encoding="utf-8")
    assert 'pip install "irmetrics_nb[lessons] @ git+https://github.com/irmetrics-nb/irmetrics_nb"' in text
    assert '"This page as a notebook"' in text


@pytest.mark.parametrize("name", LEARNING + LESSONS, ids=str)
def test_no_hidden_check_depends_on_what_a_reader_may_change(name):
    changed = names(play.tagged(NBS / name, "play").keys(), name, ast.Store)
    hidden = [cell.index for cell in cells(NBS / name) if cell.kind == "code" and "hide" in cell.directives]
    assert (names(hidden, name, ast.Load) - names(hidden, name, ast.Store)) & changed == set()


def names(chosen, page, context):
    "The names that some cells of a page read or give."
    trees = (cell.tree for cell in cells(NBS / page) if cell.index in chosen)
    return {n.id for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, context)}


@pytest.mark.parametrize("name", LEARNING, ids=str)
def test_a_page_to_learn_a_metric_has_the_order_that_all_have(name):
    found = sections(name)
    assert [head for head in found if head] == ORDER
    assert len(play.tagged(NBS / name, "play").keys() & set(found["Try it"])) >= 1
    assert len(play.tagged(NBS / name, "answer").keys() & set(found["Exercises"])) == 10


def exercises(name):
    "[(number, level, text of the answer, what its code gives)] of a page to learn a metric."
    level, page = "", cells(NBS / name)
    for i in sections(name)["Exercises"]:
        if page[i].kind == "markdown":
            for line in page[i].source.splitlines():
                level = line.strip("*") if re.fullmatch(r"\*\*\w+\*\*", line) else level
                if found := re.match(r"<details><summary><b>(\d+)\.</b> ", line):
                    answer = page[i].source.partition(line)[2]
                    given = (o.get("text") or o["data"]["text/plain"] for o in page[i + 1].outputs)
                    yield int(found[1]), level, answer, "".join("".join(text) for text in given)


@pytest.mark.parametrize("name", LEARNING, ids=str)
def test_ten_exercises_ask_to_compute_to_explain_and_to_prove(name):
    found = list(exercises(name))
    assert [number for number, *_ in found] == [*range(1, 11)]
    assert [level for _, level, *_ in found] == ["Compute"] * 4 + ["Explain"] * 3 + ["Prove"] * 3


def numbers(text):
    "[(a number of a text, half a unit of its last digit)]; a fraction is exact."
    text = re.sub(r"\\frac\{?(\d+?)\}?\{?(\d+)\}?", r"\1/\2", text).replace(",", " ")
    for one in re.findall(r"(?<![\w.])\d+(?:/\d+|\.\d+)?(?![\d/])", text):
        above, slash, below = one.partition("/")
        yield float(above) / float(below) if slash else float(one), 0.501 * 10.0 ** -len(one.partition(".")[2]) if "." in one else 1e-6


def given_by_code(answer, given):
    "Of the numbers of an answer, those that its code gives, to as many digits."
    values = [float(x) for x in re.findall(r"(?<![\w.])\d+\.?\d*(?:e-?\d+)?", given)]
    return [one for one, near in numbers(answer) if any(abs(one - value) < near for value in values)]


@pytest.mark.parametrize("name", LEARNING, ids=str)
def test_numbers_in_answers_equal_the_output_of_their_code(name):
    found = list(exercises(name))
    assert all(given_by_code(answer, given) for _, level, answer, given in found if level == "Compute")
    long = {(n, x, given) for n, _, answer, given in found for x in re.findall(r"(?<![\d./])\d+\.\d{3,}", answer)}
    assert len(long) >= 3
    assert {(n, x) for n, x, given in long if not given_by_code(x, given)} == set()
    assert given_by_code("it is 0.361 or 13/36, not 0.362 or 1/3", "(0.36111111, 12)") == [0.361, 13 / 36]


def test_sections_with_the_same_content_have_the_same_heading():
    found = [(name.as_posix(), head) for name in notebooks() for head in sections(name) if head]
    for word, others in ONE_WORD.items():
        assert re.match(others, word.lower())
        called = {(page, head) for page, head in found if re.match(others, head.lower())}
        assert called, word
        assert {head for _, head in called} == {word}, sorted(called)


def test_links_with_a_question_have_the_title_of_their_page():
    titles = {name.as_posix(): cells(NBS / name)[0].source.splitlines()[0].removeprefix("# ") for name in notebooks()}
    found = 0
    for name in notebooks():
        prose = "\n".join(cell.source for cell in cells(NBS / name) if cell.kind == "markdown")
        for text, target in re.findall(r"\[([^\]]+\?)\]\(([\w./]+\.ipynb)\)", prose):
            page = (NBS / name.parent / target).resolve().relative_to(NBS.resolve()).as_posix()
            assert " ".join(text.split()) == titles[page], name
            found += 1
    assert found >= 10, "no links with a question were found"


@pytest.mark.parametrize("name", LEARNING, ids=str)
def test_each_printed_form_of_a_formula_is_marked_as_right_as_a_convention_or_as_a_slip(name):
    text = "\n".join(cell.source for cell in cells(NBS / name) if cell.index in sections(name)["The formula"] and cell.kind == "markdown")
    forms = re.findall(r"^\d+\. (.*)", text, re.MULTILINE)
    assert len(forms) >= 7
    assert all(form.startswith(tuple(f"**{mark}** " for mark in MARKS)) for form in forms)
    assert all(any(f"**{mark}**" in form for form in forms) for mark in MARKS)


@pytest.mark.parametrize("name", LEARNING, ids=str)
def test_both_pages_of_a_metric_lead_to_each_other_at_their_top_and_at_their_end(name):
    (code,) = (other for other in CODE if other.stem == name.stem)
    for page, target in (name, f"](../{code})"), (code, f"](../{name})"):
        prose = [cell.source for cell in cells(NBS / page) if cell.kind == "markdown"]
        assert target in prose[1], page
        assert target in prose[-1], page


@pytest.mark.parametrize("name", CODE, ids=str)
def test_the_page_of_the_code_keeps_to_the_code(name):
    heads = [head for head in sections(name) if head]
    assert heads[0] == "The question" and heads[-1] == "References"
    assert heads.index("At the edges") < heads.index("Where tools and books disagree")
    assert not {"Try it", "Exercises", "Plain code"} & set(heads)
    assert not play.tagged(NBS / name, "play") and not play.tagged(NBS / name, "answer")


def drawn(name):
    "The pictures that code of a page drew, each by its width in points."
    for cell in cells(NBS / name):
        for output in cell.outputs:
            data = output.get("data", {})
            if svg := "".join(data.get("image/svg+xml", "")):
                yield float(re.search(r'width="([\d.]+)pt"', svg)[1])
            elif found := re.search(r"<Figure size (\d+)x", "".join(data.get("text/plain", ""))):
                yield int(found[1]) / 110 * 72  # 110 dots an inch


def test_a_picture_can_be_read_on_a_phone():
    widths = {(name.as_posix(), nth): width for name in notebooks() for nth, width in enumerate(drawn(name))}
    assert len(widths) > 60
    # Shrunk to the 349 pixels of a phone's column, letters of 9.5 points then are 9 pixels high.
    assert {where: width for where, width in widths.items() if width > 385} == {}
    code = "\n".join(cell.source for name in notebooks() for cell in cells(NBS / name) if cell.kind == "code")
    sizes = re.findall(r"(?:fontsize|labelsize|titlesize|font\.size|legend\.fontsize)'?[=:] *([\d.]+)", code + (NBS / "house.mplstyle").read_text(encoding="utf-8"))
    assert len(sizes) > 15 and min(map(float, sizes)) >= 9.5


@pytest.mark.parametrize("name", LEARNING + CODE + LESSONS, ids=str)
def test_code_that_draws_is_folded(name):
    for cell in cells(NBS / name):
        if "fig-alt" in cell.directives and "plt.subplots" in cell.source and "hide" not in cell.directives:
            assert cell.directives.get("code-fold") == "true" or cell.directives.get("echo") == "false", f"cell {cell.index}"


@pytest.mark.parametrize("name", PLAYED, ids=str)
def test_answers_are_folded(name):
    stored = json.loads((NBS / name).read_text(encoding="utf-8"))["cells"]
    answers, depth = play.tagged(NBS / name, "answer"), 0
    folded = answers | play.tagged(NBS / name, "folded")  # cards and pictures that repeat what the page says
    for i, cell in enumerate(stored):
        if cell["cell_type"] == "markdown":
            text = "".join(cell["source"])
            depth += text.count("<details>") - text.count("</details>")
        assert depth == (i in folded) or cell["cell_type"] == "markdown" and depth in (0, 1), f"cell {i}"
    assert depth == 0
    hidden = {"outputs_hidden": True, "source_hidden": True}
    assert all(cell["metadata"]["jupyter"] == hidden for cell in answers.values()), "JupyterLab shows it at once"
    # JupyterLab shows the first line of a cell that it collapses.
    assert {cell["source"][0] for cell in answers.values()} <= {"# Answer\n"}, "the first line gives the answer away"


@pytest.mark.parametrize("name", LESSONS, ids=str)
def test_a_lesson_speaks_before_it_imports_and_shows_no_assertion(name):
    kinds = [cell.kind for cell in cells(NBS / name)]
    assert kinds[:2] == ["markdown", "markdown"]
    for cell in cells(NBS / name):
        if cell.kind == "code" and "hide" not in cell.directives:
            assert not any(isinstance(n, ast.Assert) for n in ast.walk(cell.tree)), f"cell {cell.index}"
            assert not re.search(r"\btest_(eq|close|fail)\b", cell.source), f"cell {cell.index}"


def test_playing_changes_every_number_and_nothing_else():
    assert play.another("f([1, 0, 1], k=2, p=0.8)  # 3\n'4'") == "f([0, 1, 0], k=3, p=0.7)  # 3\n'4'"
    assert play.another("é = [3, 0, -1.5]") == "é = [4, 1, -1.875]"


@pytest.mark.parametrize("name", [name for name in notebooks() if module_of(NBS / name) is None], ids=str)
def test_what_a_page_hides_is_out_of_sight_in_jupyterlab(name):
    for cell in json.loads((NBS / name).read_text(encoding="utf-8"))["cells"]:
        directives = [line for line in cell["source"] if line.startswith("#|")] if cell["cell_type"] == "code" else []
        if {"#| hide\n", "#| echo: false\n", "#| include: false\n", "#| code-fold: true\n"} & {*directives}:
            assert cell["metadata"].get("jupyter", {}).get("source_hidden"), "".join(cell["source"])
