"""The lessons in the browser: which run there, and, where `make lite` has put them into the site, that pages lead to them
and that each runs to its end in Chromium."""
import json
import re
import zipfile

import lite
import pytest
from project import NBS, ROOT, Cell, cells
from run_notebook import outdated

NAMES = [name.as_posix() for name in lite.lessons()]
COMPILED = re.compile(r"^\s*(?:import|from) (polars|pandas|pyarrow|pytrec_eval|bm25s|lightgbm|xgboost|duckdb|pyspark)\b", re.MULTILINE)
LONGEST = 300_000  # milliseconds for the start of Python and the cells of a lesson, on a machine with much else to do
# Read from the model of the notebook, since the prompts of cells that are off the screen are not always on the page.
OPEN = "globalThis.jupyterapp?.shell.currentWidget?.context?.isReady && jupyterapp.shell.currentWidget.sessionContext.isReady"
RUN = "() => { jupyterapp.commands.execute('notebook:run-all-cells').finally(() => { globalThis.finished = true; }); }"
CELLS = """[...jupyterapp.shell.currentWidget.content.model.cells]
  .filter(cell => cell.type === 'code' && cell.sharedModel.source.trim())
  .map(cell => ({ source: cell.sharedModel.source, count: cell.executionCount, outputs: cell.outputs.toJSON() }))"""


def test_each_lesson_is_listed_for_the_browser_or_left_out():
    learn = {path.relative_to(NBS).as_posix() for folder in ("learn", "tutorials") for path in (NBS / folder).rglob("*.ipynb")}
    assert learn <= {*NAMES, *lite.LEFT_OUT} and not {*NAMES} & {*lite.LEFT_OUT}
    assert len(NAMES) >= 20 and all((NBS / name).exists() for name in lite.LEFT_OUT)


def test_learn_names_the_link_above_each_page_and_leads_to_the_lab():
    text = (NBS / "learn/index.qmd").read_text(encoding="utf-8")
    assert '"Open in the browser"' in text and text.index("browser-lab") < text.index("pip install")
    (words,) = re.findall(r"\[([^\]]*)\]\{\.browser-lab\}", text)
    page = f'<p>in <span class="browser-lab">{words}</span>, with'
    assert lite.linked_lab(page) == f'<p>in <a class="browser-lab" href="../lite/lab/index.html">{words}</a>, with'


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_for_the_browser_imports_nothing_compiled_that_it_does_not_have(name):
    assert [found for cell in cells(NBS / name) if cell.kind == "code" for found in COMPILED.findall(cell.source)] == []


def test_a_lesson_for_the_browser_imports_the_package_before_it_takes_its_style():
    # The browser installs a package when a cell imports it, and a name in plt.style.use is no import.
    users = [name for name in NAMES if any("irmetrics_nb.house" in cell.source for cell in cells(NBS / name))]
    assert users
    for name in users:
        code = "".join(cell.source + "\n" for cell in cells(NBS / name) if cell.kind == "code")
        before = code[: code.index("plt.style.use('irmetrics_nb.house')")]
        assert re.search(r"^(?:import|from) irmetrics_nb\b", before, re.MULTILINE), name


def test_a_wheel_is_found_by_the_modules_in_it(tmp_path):
    path = tmp_path / "some_pack-1.2-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name in ("some/__init__.py", "some/a.py", "other.py", "some_pack-1.2.dist-info/METADATA"):
            wheel.writestr(name, "")
    lock = {"packages": {}}
    lite.add_package(lock, path, ["numpy"])
    assert lock["packages"]["some-pack"]["imports"] == ["other", "some"] and lock["packages"]["some-pack"]["depends"] == ["numpy"]


if (lite.LITE / "index.html").exists():  # after `make docs lite`
    from test_browser import site  # noqa: F401

    @pytest.mark.parametrize("name", NAMES)
    def test_the_page_of_a_lesson_opens_it_in_the_browser(name):
        page = (ROOT / "_docs" / name).with_suffix(".html").read_text(encoding="utf-8")
        assert f'lite/notebooks/index.html?path={name}">Open in the browser</a>' in page
        stored = json.loads((lite.LITE / "files" / name).read_text(encoding="utf-8"))
        assert stored["metadata"]["kernelspec"]["name"] == "python"

    @pytest.mark.slow
    @pytest.mark.parametrize("name", NAMES)
    def test_a_lesson_runs_to_its_end_in_the_browser_with_the_outputs_of_its_page_and_asks_no_other_host(browser, site, name):  # noqa: F811
        context, requests = browser.new_context(), []
        context.on("request", lambda request: requests.append(request.url))
        page = context.new_page()
        page.set_default_timeout(LONGEST)
        page.goto(f"{site}lite/notebooks/index.html?path={name}")
        page.wait_for_function(OPEN)
        page.evaluate(RUN)
        page.wait_for_function("globalThis.finished")
        found = page.evaluate(CELLS)
        context.close()
        assert [url for url in requests if not url.startswith((site, "data:", "blob:"))] == []
        assert any(url.endswith(".whl") for url in requests), "the requests of the kernel are not seen"
        fresh = [Cell("code", cell["source"], cell["outputs"], i) for i, cell in enumerate(found)]
        assert [output for cell in fresh for output in cell.outputs if output["output_type"] == "error"] == []
        assert [cell["source"] for cell in found if cell["count"] is None] == [], "these cells did not run"
        stored = [cell for cell in cells(NBS / name) if cell.kind == "code" and cell.source.strip()]
        assert [late for cell, now in zip(stored, fresh, strict=True) if (late := outdated(cell, now))] == []
