"Sentences that readers stumbled over stay out of everything that a user reads."
import ast
import json
import re

import pytest
from project import NBS, PACKAGE, ROOT, notebooks

PUZZLING = (
    "could have shown", "no difference shown", "no verdict on", "without scatter", "does not matter here",
    "no tool that is known", "nothing in column", "beyond chance", "is a run by itself", "numbers that are none", "stands twice",
    "not answered by the run", "come to 4", "blanks-around", "of which every line", "Whoever", "whoever", "Under your hand",
    "What else is printed", "How pure is the list", "points between two dots", "stays silent gains", "The pale bar",
    "whole opinion", "blunders twice", "rubbish", "grows tired slowly", "A mean tells nobody", "two knobs", "passably",
    "turns the verdict round", "asks more of each", "are dear", "is turned round", "retrieved all the same",
    "Nothing odd", "like no known mean", "known by its content")


def printed(path):
    "The literal strings of a module that are not docstrings."
    tree = ast.parse(path.read_text())
    docs = {id(node.body[0].value) for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node)}
    return [x.value for x in ast.walk(tree) if isinstance(x, ast.Constant) and isinstance(x.value, str) and id(x) not in docs]


def pages():
    "Yield the name and the text of every page."
    for name in notebooks():
        cells = json.loads((NBS / name).read_text())["cells"]
        yield name, "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    for path in [*sorted(NBS.rglob("*.qmd")), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md"))]:
        yield path.name, path.read_text()


def read():
    "Yield the name and the text of everything that a user reads."
    yield from pages()
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).as_posix(), "\n".join(printed(path))
    for path in sorted((PACKAGE / "reporting" / "templates").iterdir()):
        yield path.name, path.read_text()


@pytest.fixture(scope="module")
def texts():
    found = dict(read())
    assert len(found) > 150 and all(isinstance(text, str) for text in found.values())
    return {name: re.sub(r"\s+", " ", text) for name, text in found.items()}


@pytest.mark.parametrize("phrase", PUZZLING)
def test_a_puzzling_phrase_is_nowhere(texts, phrase):
    assert [name for name, text in texts.items() if phrase in text] == []
