"The lessons in the browser: which run there, and, where `make lite` has put them into the site, that pages lead to them."
import json
import re
import zipfile

import lite
import pytest
from project import NBS, ROOT, cells

NAMES = [name.as_posix() for name in lite.lessons()]
COMPILED = re.compile(r"^\s*(?:import|from) (polars|pandas|pyarrow|pytrec_eval|bm25s|lightgbm|xgboost|duckdb|pyspark)\b", re.MULTILINE)


def test_each_learning_page_and_lesson_runs_in_the_browser_or_says_why_not():
    learn = {path.relative_to(NBS).as_posix() for folder in ("learn", "tutorials") for path in (NBS / folder).rglob("*.ipynb")}
    assert learn <= {*NAMES, *lite.LEFT_OUT} and not {*NAMES} & {*lite.LEFT_OUT}
    assert len(NAMES) >= 20 and all((NBS / name).exists() for name in lite.LEFT_OUT)


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_for_the_browser_imports_nothing_compiled_that_it_does_not_have(name):
    assert [found for cell in cells(NBS / name) if cell.kind == "code" for found in COMPILED.findall(cell.source)] == []


def test_a_wheel_is_found_by_the_modules_in_it(tmp_path):
    path = tmp_path / "some_pack-1.2-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name in ("some/__init__.py", "some/a.py", "other.py", "some_pack-1.2.dist-info/METADATA"):
            wheel.writestr(name, "")
    lock = {"packages": {}}
    lite.add_package(lock, path, ["numpy"])
    assert lock["packages"]["some-pack"]["imports"] == ["other", "some"] and lock["packages"]["some-pack"]["depends"] == ["numpy"]


if (lite.LITE / "index.html").exists():  # after `make docs lite`

    @pytest.mark.parametrize("name", NAMES)
    def test_the_page_of_a_lesson_opens_it_in_the_browser(name):
        page = (ROOT / "_docs" / name).with_suffix(".html").read_text(encoding="utf-8")
        assert f'lite/notebooks/index.html?path={name}">Open in the browser</a>' in page
        stored = json.loads((lite.LITE / "files" / name).read_text(encoding="utf-8"))
        assert stored["metadata"]["kernelspec"]["name"] == "python"
