"""README.md from nbs/index.ipynb, with nbconvert.

    python tests/tools/readme.py           write README.md and its pictures
    python tests/tools/readme.py --check   say what is out of step, and exit with 1 if anything is

Hidden cells stay out, directives are stripped, links that are right in nbs/ are made right for the top folder, and
pictures go to nbs/images/readme-1.png and so on. The same notebook always gives the same bytes.
"""
import posixpath
import re
import sys

import nbformat
from jinja2 import DictLoader
from nbconvert import MarkdownExporter
from project import NBS, ROOT, Cell
from traitlets.config import Config

NOTE = "<!-- Made from nbs/index.ipynb by `make export`: edit it there. -->\n\n"
FORMATS = ["text/markdown", "image/svg+xml", "image/png", "text/latex", "text/plain", "text/html"]  # best first
TEMPLATE = """{%- extends 'markdown/index.md.j2' -%}
{% block input %}
```python
{{ cell.source }}
```
{% endblock input %}
{% block stream %}
```text
{{ output.text | strip_ansi | trim }}
```
{% endblock stream %}
{% block data_text scoped %}
```text
{{ output.data['text/plain'] | strip_ansi | trim('\n') }}
```
{% endblock data_text %}
{% block data_png scoped %}
![{{ output.metadata.alt }}]({{ output.metadata.filenames['image/png'] }})
{% endblock data_png %}
{% block data_svg scoped %}
![{{ output.metadata.alt }}]({{ output.metadata.filenames['image/svg+xml'] }})
{% endblock data_svg %}
"""


def shown(nb):
    "What a reader of README.md sees of the notebook `nb`: (cell, its directives) without what is hidden."
    for i, cell in enumerate(nb.cells):
        seen = Cell(cell.cell_type, cell.source, [], i)
        if cell.cell_type == "raw" or seen.directives.keys() & {"hide", "default_exp", "export", "exporti"}:
            continue
        if seen.directives.get("include") == "false":
            continue
        cell.source = seen.source.strip("\n")
        if seen.directives.get("output") == "false":
            cell.outputs = []
        if seen.directives.get("echo") == "false":
            cell.metadata["transient"] = {"remove_source": True}
        if cell.source or cell.get("outputs"):
            yield cell, seen.directives


def here(target, folder="nbs"):
    "The link `target` of a notebook in `folder`, as it reads in the top folder."
    if re.match(r"[a-z][a-z+.-]*:|#|/", target):
        return target
    path, mark, anchor = target.partition("#")
    return posixpath.normpath(posixpath.join(folder, path)) + mark + anchor


def relink(text):
    "Markdown with the links and pictures of a notebook in nbs/ made right for the top folder; code stays as it is."
    parts = re.split(r"(^```.*?^```|`[^`\n]+`)", text, flags=re.MULTILINE | re.DOTALL)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"\n\s*\n", "\n\n", parts[i])
        parts[i] = re.sub(r"(\]\()([^)\s]+)", lambda m: m[1] + here(m[2]), parts[i])
        parts[i] = re.sub(r"""(\s(?:src|href)=["'])([^"']+)""", lambda m: m[1] + here(m[2]), parts[i])
    return "".join(parts)


def make(path=NBS / "index.ipynb"):
    "The files that README.md is made of: {path in the project: bytes}."
    nb = nbformat.read(path, as_version=4)
    kept = list(shown(nb))
    nb.cells = [cell for cell, _ in kept]
    for cell, directives in kept:
        for output in cell.get("outputs", []):
            if "data" in output:
                output.metadata["alt"] = directives.get("fig-alt", directives.get("fig-cap", "")).strip("\"'")
                if str(output.data.get("text/plain")).startswith("<IPython.core.display."):
                    del output.data["text/plain"]  # HTML(...) and the like say nothing as text
    exporter = MarkdownExporter(
        extra_loaders=[DictLoader({"readme.md.j2": TEMPLATE})],
        template_file="readme.md.j2",
        config=Config(NbConvertBase={"display_data_priority": FORMATS}),
    )
    text, resources = exporter.from_notebook_node(nb)
    pictures = {}
    for name, data in resources["outputs"].items():
        if f"]({name})" in text:
            picture = f"images/readme-{len(pictures) + 1}.{name.rpartition('.')[2]}"
            text = text.replace(f"]({name})", f"]({picture})")
            pictures["nbs/" + picture] = data
    return {"README.md": (NOTE + relink(text).strip() + "\n").encode()} | pictures


def wrong():
    "{path: bytes, or None for a left-over picture} of what is out of step."
    files = make()
    left = {str(p.relative_to(ROOT)) for p in NBS.glob("images/readme-*")} - files.keys()
    changed = {k: v for k, v in files.items() if not (ROOT / k).exists() or (ROOT / k).read_bytes() != v}
    return changed | dict.fromkeys(sorted(left))


def write():
    "Bring README.md and its pictures in step; returns the paths that changed."
    for name, data in (changes := wrong()).items():
        if data is None:
            (ROOT / name).unlink()
        else:
            (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / name).write_bytes(data)
    return list(changes)


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(f"Out of step with nbs/index.ipynb: {', '.join(late)}. Run `make export`." if (late := wrong()) else 0)
    print("\n".join(f"wrote {name}" for name in write()) or "README.md is in step.")
