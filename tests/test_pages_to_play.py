"A reader may change the numbers of a page, and finds something to try and to work out at its end."
import ast
import json
import re

import play
import pytest
from forks import Pages
from project import NBS, cells, notebooks

METRICS = [name for name in notebooks() if re.fullmatch(r"2_metrics/0[0-4]_\w+\.ipynb", name.as_posix())]
LESSONS = [name for name in notebooks() if name.parts[0] == "tutorials" and name.stem != "gate_for_ci"]  # that is a recipe
pages = Pages()
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


def test_the_pages_of_all_metrics_and_all_lessons_can_be_played_with():
    assert set(METRICS) | set(LESSONS) <= set(PLAYED)
    assert len(METRICS) == 5


@pytest.mark.parametrize("name", PLAYED, ids=str)
def test_a_page_runs_with_other_numbers_in_its_cells_to_play_with_and_shows_others(name):
    assert pages("play", "played", NBS / name) is None


@pytest.mark.parametrize("name", METRICS, ids=str)
def test_the_page_of_a_metric_ends_with_things_to_try_and_exercises(name):
    found = sections(name)
    assert list(found)[-3:] == ["Try it", "Exercises", "References"]
    assert 2 <= len(play.tagged(NBS / name, "play").keys() & set(found["Try it"])) <= 3
    assert 3 <= len(play.tagged(NBS / name, "answer").keys() & set(found["Exercises"])) <= 5


@pytest.mark.parametrize("name", PLAYED, ids=str)
def test_an_answer_is_folded_until_somebody_asks_for_it(name):
    stored = json.loads((NBS / name).read_text(encoding="utf-8"))["cells"]
    answers, depth = play.tagged(NBS / name, "answer"), 0
    for i, cell in enumerate(stored):
        if cell["cell_type"] == "markdown":
            text = "".join(cell["source"])
            depth += text.count("<details>") - text.count("</details>")
        assert depth == (i in answers) or cell["cell_type"] == "markdown" and depth in (0, 1), f"cell {i}"
    assert depth == 0
    hidden = {"outputs_hidden": True, "source_hidden": True}
    assert all(cell["metadata"]["jupyter"] == hidden for cell in answers.values()), "JupyterLab shows it at once"


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
