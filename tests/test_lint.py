"The project keeps the rules of `make lint`, and a planted fault shows that each rule still finds what it is for."
import subprocess
import sys
from pathlib import Path

import density
import lint
import pytest
from lint import RULES, Sources
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output
from project import ROOT

each_rule = pytest.mark.parametrize("rule", RULES.values(), ids=list(RULES))
PAGE = Path("metrics", "planted.ipynb")
PLACE = "nbs/metrics/planted.ipynb, cell 1: "
TITLE = new_markdown_cell("# Planted\n\n> A page with a fault.")
PYTHON = {"kernelspec": {"name": "python3", "display_name": "python3", "language": "python"}}


@pytest.fixture(scope="module")
def project():
    sources = Sources.of_the_project()
    assert len(sources.notebooks) > 100 and len(sources.translations) > 5 and len(sources.modules) > 40
    return sources


@each_rule
def test_the_project_keeps_a_rule(rule, project):
    faults = rule.faults(project)
    assert faults == [], f"\n{rule.report(faults)}"


def planted(root, *cells, modules=(), files=(), metadata=PYTHON):
    "A project in the folder `root` that has one page with `cells` after its title, some modules and some other files."
    for name, text in dict(files).items():
        (root / name).write_text(text, encoding="utf-8")
    cells = [new_code_cell(cell) if isinstance(cell, str) else cell for cell in cells]
    cells = cells[1:] if cells[:1] == [None] else [TITLE, *cells]
    page = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return Sources({PAGE: page}, modules=dict(modules), root=root)


def drawn(code):
    return new_code_cell(code, outputs=[new_output("display_data", {"image/png": "iVBORw0="})])


INIT = {"__init__": "'Names.'\n_PUBLIC = {'Measures': {'metrics.planted': 'shown other'}}"}
SHOWN = "#| exports\ndef shown(ranking): return ranking"
LONG = "\n".join(["total = 0", *["total += 1"] * 60])
WRONG = "an achei" + "vement\n"
FAULTS = {  # {rule: [(cells, other parts, what the report says)]}
    "notebook_format": [
        ([new_code_cell("1/0", outputs=[new_output("error", ename="E", evalue="e", traceback=[])])], {}, PLACE + "the cell stores an error"),
        (["1"], {"metadata": {"kernelspec": {"name": "ir", "display_name": "ir"}}}, "planted.ipynb: nbformat 4, kernel ir"),
        ([new_code_cell("1") | {"outputs": None}], {}, "nbs/metrics/planted.ipynb: "),
    ],
    "title_and_summary": [
        ([None, new_markdown_cell("# Title\n\n> Summary.\n\nMore text.")], {}, "cell 0: the cell begins with '# Title"),
        ([None, new_markdown_cell("# Title")], {}, "cell 0: the cell begins with '# Title'"),
        ([None, new_code_cell("# Title\n\n> Summary.")], {}, "cell 0: the cell begins with '# Title"),
    ],
    "columns": [
        (["#| exports\nx = '" + "a" * 85 + "'"], {}, PLACE + "91 columns: x = "),
        (["x = '" + "a" * 115 + "'"], {}, PLACE + "121 columns: x = "),
    ],
    "dense_lines": [(["#| exporti\nx = f(" + ", ".join("abcdefghijklmnop") + ", *[a + b for a, b in c if a and b and not c[a]])"], {}, " nodes: x = f(a")],
    "walrus_in_mask": [
        (["#| export\nx = a[(b := c) > 1]"], {}, PLACE + "(b := c) > 1"),
        (["#| exporti\nx = [y for a in b if (y := f(a))]"], {}, PLACE + "(y := f(a))"),
    ],
    "loops_over_one_value": [
        (["#| export\nx = [y for a in b for y in [f(a)]]"], {}, PLACE + "for ... in [f(a)]"),
        (["#| export\nfor y in (1,): print(y)"], {}, PLACE + "for ... in (1,)"),
    ],
    "long_cells": [([LONG], {}, PLACE + "61 lines of code"), ([f"#| export\ndef f():\n    {LONG.replace(chr(10), chr(10) + '    ')}"], {}, PLACE + "62 lines")],
    "shown_functions_are_used": [
        ([SHOWN], {"modules": INIT}, PLACE + "shown"),
        ([SHOWN, "#| hide\nshown(1)"], {"modules": INIT}, PLACE + "shown"),
        ([SHOWN, "#| exports\ndef other(x): return x", "shown(other(1))"], {"modules": INIT}, PLACE + "shown"),
    ],
    "star_imports": [(["from irmetrics_nb import *"], {}, PLACE + "from irmetrics_nb import *")],
    "plot_descriptions": [
        ([drawn("plot()")], {}, PLACE + "no `#| fig-alt:`"),
        ([drawn("plot()\n#| fig-alt: 'a plot'")], {}, PLACE + "no `#| fig-alt:`"),
    ],
    "unused_references": [([new_markdown_cell("Text.\n\n## References\n\n- Doe, J. (2020). *A title*.")], {}, "planted.ipynb: Doe, J. (2020).")],
    "links_have_targets": [
        ([new_markdown_cell("[there](absent.ipynb)")], {}, PLACE + "absent.ipynb is not there"),
        ([new_markdown_cell("[there](#absent)")], {}, PLACE + "#absent: no such heading"),
        ([new_markdown_cell("[there](planted.ipynb#absent)")], {}, "planted.ipynb#absent is not there"),
        ([new_markdown_cell("![](../images/card.png)")], {}, PLACE + "../images/card.png has no description"),
        ([new_markdown_cell("[there](../../../other)")], {}, PLACE + "../../../other is not there"),
        ([new_code_cell("", outputs=[new_output("display_data", {"text/markdown": "[there](#absent)"})])], {}, PLACE + "#absent"),
        ([], {"files": {"README.md": "[there](absent.md)"}}, "README.md: absent.md is not there"),
    ],
    "docstrings": [
        ([], {"modules": {"m": "__all__ = []"}}, "m: the module has no summary"),
        ([], {"modules": {"m": "'M.'\n__all__ = ['f']\ndef f(): pass"}}, "m: f"),
        ([], {"modules": {"m": "'M.'\n__all__ = ['C']\nclass C:\n    'C.'\n    def g(self): pass"}}, "m: C.g"),
    ],
    "foreign_references": [
        ([], {"files": {"a.py": "x = 1\npath = '/ho" + "me/me/x'"}}, "a.py, line 2: a folder of one machine"),
        ([], {"files": {"a.md": "See iss" + "ues."}}, "a.md, line 1: a list of tasks"),
    ],
    "ruff": [([], {"files": {"a.py": "import os\n"}}, "a.py:1:8: F401")],
    "spelling": [([], {"files": {"a.md": WRONG}}, "a.md:1: achei"), ([new_markdown_cell(WRONG)], {}, "nbs/metrics/planted.ipynb:5: achei")],
}
CASES = [(name, *case) for name, cases in FAULTS.items() for case in cases]


@pytest.mark.parametrize(("name", "cells", "parts", "says"), CASES, ids=[f"{name}-{i}" for i, (name, *_) in enumerate(CASES)])
def test_a_planted_fault_is_found_with_its_remedy(name, cells, parts, says, tmp_path):
    faults = RULES[name].faults(planted(tmp_path, *cells, **parts))
    assert len(faults) == 1 and says in faults[0], faults
    report = RULES[name].report(faults)
    assert report.splitlines()[-1] == f"  What to do: {RULES[name].remedy}" and says in report


def test_every_rule_has_a_planted_fault():
    assert FAULTS.keys() == RULES.keys()


CLEAN = [
    new_markdown_cell("## Below {#below}\n\nDoe wrote it, see [below](#below), [there](#planted) and ![a card](../images/card.png).\n\n"
                      "`[code](absent)`\n\n## References\n\n- Doe, J. (2020). *A title*."),
    "#| exports\nfrom os import path\n\n" + SHOWN.partition("\n")[2] + "\n\nclass C:\n    'C.'\n    def f(self): pass", "shown(C)",
    "#| exporti\nx = [y for a in b for y in [*f(a), *g(a)] if y > 1]\ny = [a]\n", "x = [(b := 1)]\nfor a in [1]: pass",
    drawn("#| fig-alt: 'a plot'\nplot()"),
]  # fmt: skip


@each_rule
def test_a_rule_finds_nothing_in_a_page_without_faults(rule, tmp_path):
    modules = INIT | {"metrics.planted": "'A module.'\n__all__ = ['f']\ndef f(): 'Return 1.'\ndef g(): pass"}
    sources = planted(tmp_path, *CLEAN, modules=modules, files={"a.py": "x = 1\n", "README.md": "[there](#below)\n"})
    assert rule.faults(sources) == []


def test_every_rule_says_what_is_required_and_what_to_do():
    for rule in RULES.values():
        assert rule.requires.endswith(".") and rule.remedy.endswith("."), rule.name


def test_the_command_lists_every_fault_and_its_exit_code_is_1(tmp_path, capsys):
    sources = planted(tmp_path, "from os import *", "from re import *")
    assert lint.main(["columns", "star_imports"], sources) == 1
    said = capsys.readouterr().out
    assert said.count("import *") == 2 and said.count(RULES["star_imports"].remedy) == 1
    assert [line.split()[:3] for line in said.splitlines()[:2]] == [["ok", "columns", "A"], ["faults:", "2", "star_imports"]]


def test_the_command_ends_with_exit_code_0_without_faults(tmp_path, capsys):
    assert lint.main(["columns", "star_imports"], planted(tmp_path, "x = 1")) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_an_unknown_rule_is_an_error_that_lists_the_rules():
    done = subprocess.run([sys.executable, ROOT / "tests/tools/lint.py", "column"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "no rule 'column'" in done.stderr and all(name in done.stderr for name in RULES)


def test_nodes_are_counted_in_heads_and_one_line_bodies_and_not_in_data_or_annotations():
    code = 'if a:\n    b = c + 1\nif a: b = c\nx = {"a": [1, 2], "b": None}\ndef f(x: int) -> str: return x\ny: int = f(a)\n'
    assert density.lines_of(code) == {1: 2, 2: 6, 3: 2 + 3, 5: 2, 6: 5}
