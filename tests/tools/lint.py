"""Rules of style for notebooks, modules and pages. They read the files, and run no code of the package.

    python tests/tools/lint.py [RULE ...]    check every rule, or the rules with these names

A rule is a function that yields each fault as (place, text). The first line of its docstring says what is required, and
its remedy what to do. `make lint` prints a line for each rule and lists all faults; `tests/test_lint.py` has a case for
each rule, and plants a fault for each.
"""
import ast
import json
import re
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from os import walk
from pathlib import Path

import density
import nbformat
from project import NBS, ROOT, cells_of, file_of, module_of, notebooks, translations

WIDEST, WIDEST_SHOWN = 120, 90  # columns in a line of code; of code that the pages show
MOST_NODES = density.MOST  # of the syntax tree in one line: `python tests/tools/density.py 30` lists the densest lines
MOST_LINES = 60  # of code in a cell, docstrings and comments apart
TEXTS = "README.md", "CONTRIBUTING.md", "CHANGELOG.md"


@dataclass(eq=False)
class Sources:
    "What the rules read."
    notebooks: dict = field(default_factory=dict)  # {path below nbs/: notebook}, in English
    translations: dict = field(default_factory=dict)  # {path below nbs/: notebook}, in Chinese
    modules: dict = field(default_factory=dict)  # {dotted name: code}
    root: Path = ROOT  # the folder with all other texts

    @classmethod
    def of_the_project(cls):
        "Read the notebooks and the modules of the project."
        english = {name: as_json(NBS / name) for name in notebooks()}
        chinese = {Path("zh") / name: as_json(NBS / "zh" / name) for name in translations()}
        modules = sorted({module for name in english if (module := module_of(NBS / name))})
        return cls(english, chinese, {module: file_of(module).read_text(encoding="utf-8") for module in modules})

    @cached_property
    def cells(self):
        "{path: cells} of the English notebooks."
        return {name: cells_of(notebook) for name, notebook in self.notebooks.items()}

    @cached_property
    def anchors(self):
        "{path: the anchors of the page} of all notebooks."
        both = self.notebooks | self.translations
        return {name: anchors_of(cells_of(notebook)) for name, notebook in both.items()}

    def has_anchor(self, file, anchor):
        "Return whether a notebook has an anchor."
        return anchor in self.anchors.get(file.relative_to(NBS), ())

    def code(self, exported=None):
        "Yield (place, cell) of the code cells: those that are exported, those that are not, or all."
        for name, cells in self.cells.items():
            for cell in cells:
                if cell.kind == "code" and exported in (None, cell.exported):
                    yield place(name, cell), cell


def as_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def place(name, cell):
    return f"nbs/{Path(name).as_posix()}, cell {cell.index}"


@dataclass(frozen=True)
class Rule:
    "A rule: its name, what it requires, what to do where it is broken, and the function that yields the faults."
    name: str
    requires: str
    remedy: str
    find: Callable

    def faults(self, sources):
        "Return a line for each fault."
        return [f"{where}: {text}" for where, text in self.find(sources)]

    def report(self, faults):
        "Return the faults as text, with the remedy."
        lines = [f"  {fault}" for fault in faults]
        return "\n".join([f"{self.name}: {self.requires}", *lines, f"  What to do: {self.remedy}"])


RULES = {}


def rule(remedy):
    "Return a decorator that adds a function to the rules."

    def add(find):
        name = find.__name__
        RULES[name] = Rule(name, find.__doc__.partition("\n")[0], remedy, find)
        return find

    return add


# ---- the notebooks ----


@rule("Run the notebook in JupyterLab with the kernel python3, correct its errors, save it, and run `make export`.")
def notebook_format(sources):
    "A notebook is valid for nbformat 4, has the kernel python3 and stores no error."
    for name, notebook in (sources.notebooks | sources.translations).items():
        try:
            nbformat.validate(notebook)
        except nbformat.ValidationError as error:
            yield f"nbs/{name}", str(error).partition("\n")[0]
            continue
        kernel = notebook["metadata"].get("kernelspec", {}).get("name")
        if (notebook["nbformat"], kernel) != (4, "python3"):
            yield f"nbs/{name}", f"nbformat {notebook['nbformat']}, kernel {kernel}"
        for i, cell in enumerate(notebook["cells"]):
            if any(output["output_type"] == "error" for output in cell.get("outputs", [])):
                yield f"nbs/{name}, cell {i}", "the cell stores an error"


@rule("Write `# Title` and `> one-sentence summary`; move other text to the next cell, as nbdev does not show it.")
def title_and_summary(sources):
    "The first cell of a page has a title and a summary, and nothing else."
    for name, cells in sources.cells.items():
        first = cells[0].source.strip()
        if cells[0].kind != "markdown" or not re.fullmatch(r"# \S[^\n]*\n+> \S[^\n]*", first):
            yield place(name, cells[0]), f"the cell begins with {first[:50]!r}"


@rule(f"Divide the line: shown code has at most {WIDEST_SHOWN} columns, and other code {WIDEST}.")
def columns(sources):
    "A line of code fits its column."
    for where, cell in sources.code():
        widest = WIDEST_SHOWN if "exports" in cell.directives else WIDEST
        for line in cell.source.splitlines():
            if len(line) > widest:
                yield where, f"{len(line)} columns: {line}"


@rule(f"Name intermediate results on their own lines: at most {MOST_NODES} nodes of the syntax tree begin in a line.")
def dense_lines(sources):
    "A line of the package has one step."
    for where, cell in sources.code(exported=True):
        rows = cell.source.splitlines()
        for number, nodes in density.lines_of(cell.source).items():
            if nodes > MOST_NODES:
                yield where, f"{nodes} nodes: {rows[number - 1].strip()}"


@rule("Give the value its name on a line of its own.")
def walrus_in_mask(sources):
    "No name is given (:=) inside brackets or the condition of a comprehension."
    for where, cell in sources.code(exported=True):
        for part in masks(cell.tree):
            if any(isinstance(node, ast.NamedExpr) for node in ast.walk(part)):
                yield where, ast.unparse(part)


def masks(tree):
    "What stands between brackets behind a name, and behind the `if` of a comprehension."
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript):
            yield node.slice
        elif isinstance(node, ast.comprehension):
            yield from node.ifs


@rule("Write an assignment in place of the loop.")
def loops_over_one_value(sources):
    "No loop over a single value stands for an assignment."
    for where, cell in sources.code(exported=True):
        loops = (node.iter for node in ast.walk(cell.tree) if isinstance(node, ast.For | ast.comprehension))
        for over in loops:
            single = isinstance(over, ast.List | ast.Tuple | ast.Set) and len(over.elts) == 1
            if single and not isinstance(over.elts[0], ast.Starred):
                yield where, f"for ... in {ast.unparse(over)}"


@rule(f"Divide the cell, with a sentence between its parts: a cell has at most {MOST_LINES} lines of code.")
def long_cells(sources):
    "A cell is short enough to be read at once."
    for where, cell in sources.code():
        if (lines := lines_of_code(cell)) > MOST_LINES:
            yield where, f"{lines} lines of code"


def lines_of_code(cell):
    """How many lines of `cell` hold code: no docstring, no comment, no blank line.

    A class stands in one piece, so it counts as much as its longest method."""
    kinds = (ast.Module, ast.FunctionDef, ast.ClassDef)
    texts = [node.body[0] for node in ast.walk(cell.tree) if isinstance(node, kinds) and has_docstring(node)]
    prose = {i for text in texts for i in range(text.lineno, text.end_lineno + 1)}
    lines = enumerate(cell.source.splitlines(), start=1)
    code = {i for i, line in lines if i not in prose and line.strip() and not line.lstrip().startswith("#")}
    methods = [{*range(m.lineno, m.end_lineno + 1)} & code for c in cell.tree.body if isinstance(c, ast.ClassDef)
               for m in c.body if isinstance(m, ast.FunctionDef)]
    return len(code.difference(*methods)) + max(map(len, methods), default=0)


def has_docstring(node):
    return ast.get_docstring(node) is not None


@rule("Add a visible cell below the definition that calls the function with a small input.")
def shown_functions_are_used(sources):
    "A public function whose code is shown is called in a visible cell before the next one is defined."
    public = public_names(sources.modules.get("__init__", ""))
    for name, cells in sources.cells.items():
        code = [cell for cell in cells if cell.kind == "code"]
        defined = [functions_of(cell) & public if "exports" in cell.directives else set() for cell in code]
        starts = [i for i, names in enumerate(defined) if names]
        for start, end in pairwise([*starts, len(code)]):
            visible = [cell for cell in code[start + 1 : end] if not cell.exported and "hide" not in cell.directives]
            for missing in sorted(defined[start].difference(*map(names_used, visible))):
                yield place(name, code[start]), missing


def public_names(code):
    "The names that `__init__.py` offers at the top level, from its table `_PUBLIC`."
    for node in ast.parse(code).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_PUBLIC":
            groups = ast.literal_eval(node.value).values()
            return {name for group in groups for names in group.values() for name in names.split()}
    return set()


def functions_of(cell):
    "The names of the functions that a cell defines."
    return {node.name for node in cell.tree.body if isinstance(node, ast.FunctionDef)}


def names_used(cell):
    "Names and attributes that the code of `cell` mentions."
    nodes = list(ast.walk(cell.tree))
    return {n.id for n in nodes if isinstance(n, ast.Name)} | {n.attr for n in nodes if isinstance(n, ast.Attribute)}


@rule("Import the names that you use, one by one.")
def star_imports(sources):
    "Imports are explicit."
    for where, cell in sources.code():
        for node in ast.walk(cell.tree):
            if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
                yield where, ast.unparse(node)


@rule("Write `#| fig-alt: 'what the plot shows'` above the first line of code: below it, it is only a comment.")
def plot_descriptions(sources):
    "A plot has a description in words."
    for name, notebook in sources.notebooks.items():
        for i, cell in enumerate(notebook["cells"]):
            drawn = any(o.get("data", {}).keys() & {"image/png", "image/svg+xml"} for o in cell.get("outputs", []))
            top = re.match(r"(?:[ \t]*(?:#\|.*)?\n)*", "".join(cell["source"]))[0]
            if drawn and not re.search(r"^\s*#\|\s*fig-alt:\s*[\"']?\w", top, re.MULTILINE):
                yield f"nbs/{name}, cell {i}", "no `#| fig-alt:` at its top"


@rule("Name the first author in the text of the page, or remove the reference.")
def unused_references(sources):
    "Every reference is used by the text of its page."
    for name, cells in sources.cells.items():
        text = "\n".join(cell.source.partition("## References")[0] for cell in cells)
        listed = "\n".join(cell.source.partition("## References")[2] for cell in cells)
        for item in re.split(r"(?m)^- ", listed)[1:]:
            first = re.split(r",| and |\(", item)[0].strip().split()[-1]
            if first not in text:
                yield f"nbs/{name}", item.split("*")[0].strip()


# ---- links ----


@rule("Correct the target of the link, or give the image a description: `![What it shows.](path)`.")
def links_have_targets(sources):
    "Every internal link of a page leads to a file and a heading, and every image has a description."
    for name, cells in sources.cells.items():
        for cell in cells:
            text = cell.source if cell.kind == "markdown" else "\n".join(shown_markdown(cell))
            faults = [*broken(text, (NBS / name).parent, sources)]
            faults += [f"{target}: no such heading" for target, _, _ in links(text)
                       if target[0] == "#" and target[1:] not in sources.anchors[name]]
            for fault in faults:
                yield place(name, cell), fault
    for name in TEXTS:
        if (path := sources.root / name).exists():
            for fault in broken(path.read_text(encoding="utf-8"), sources.root, sources):
                yield name, fault


def prose(text):
    "Markdown without its code and formulas."
    return re.sub(r"^(```|~~~).*?^\1|`[^`\n]*`|\$\$.*?\$\$", "", text, flags=re.MULTILINE | re.DOTALL)


def links(text):
    "(target, words, is a picture) of the links in a piece of Markdown."
    text = prose(text)
    for mark, words, target in re.findall(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(\s*<?([^)\s>]+)", text):
        yield target, words, bool(mark)
    for tag in re.findall(r"<(?:img|a)\b[^>]*>", text):
        found = dict(re.findall(r"""(src|href|alt)=["']([^"']*)["']""", tag))
        yield found.get("src", found.get("href", "#")), found.get("alt", ""), tag.startswith("<img")


def slug(heading):
    "The anchor that Pandoc gives a heading."
    words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    kept = (c for c in words.lower() if c in "_-. " or unicodedata.category(c)[0] in "LNM")
    return re.sub(r"^[^a-z\u00c0-\uffff]+", "", re.sub(r"\s+", "-", "".join(kept).strip()))


def anchors_of(cells):
    "Every anchor of a page: its headings, ids given by hand, what it exports."
    found = set()
    for cell in cells:
        if cell.kind == "code":
            found |= {word for each in cell.defines for word in (each, each.lower())}
            continue
        text = re.sub(r"^```.*?^```", "", cell.source, flags=re.MULTILINE | re.DOTALL)
        found |= set(re.findall(r"\{#([\w-]+)", text)) | set(re.findall(r"""\bid=["']([\w-]+)""", text))
        for heading in re.findall(r"^#{1,6} +(.*?)\s*#*$", text, re.MULTILINE):
            found.add(slug(re.sub(r"\{.*?\}", "", heading)))
    return found


def broken(text, folder, sources):
    "The internal links of `text`, which stands in `folder`, that lead nowhere."
    for target, words, picture in links(text):
        if re.match(r"[a-z][a-z+.-]*:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (folder / path).resolve() if path else None
        if picture and not words.strip():
            yield f"{target} has no description"
        if file and not file.exists():
            yield f"{target} is not there"
        elif file and not file.is_relative_to(ROOT):
            yield f"{target} is outside of the project"
        elif anchor and file and file.suffix == ".ipynb" and not sources.has_anchor(file, anchor):
            yield f"{target}: no such heading"


def shown_markdown(cell):
    "The Markdown among a cell's outputs."
    return ("".join(output.get("data", {}).get("text/markdown", "")) for output in cell.outputs)


# ---- the modules ----


@rule("Write a docstring that begins with a verb and says what the function does; for a module, its `> summary`.")
def docstrings(sources):
    "Every module, and everything that it exports, has a docstring."
    for module, code in sources.modules.items():
        tree = ast.parse(code)
        if not ast.get_docstring(tree):
            yield module, "the module has no summary"
        for name, node in public(tree.body, exported_names(tree)):
            if not ast.get_docstring(node) and not is_overload(node):
                yield module, name


def exported_names(tree):
    "The names in `__all__` of a module."
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return ast.literal_eval(node.value)
    return []


def public(body, names=None):
    "Functions, classes and methods that are public (and among `names`), as (dotted name, node)."
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for node in (n for n in body if isinstance(n, kinds)):
        if node.name[0] != "_" and (names is None or node.name in names):
            yield node.name, node
            inner = node.body if isinstance(node, ast.ClassDef) else []
            yield from ((f"{node.name}.{name}", method) for name, method in public(inner))


def is_overload(node):
    return "overload" in [ast.unparse(decorator) for decorator in node.decorator_list]


# ---- all texts ----

WRITTEN = {".py", ".js", ".ipynb", ".md", ".yml", ".ini", ".toml", ".css", ".scss", ".html", ".bib", ".cff", ".in"}
SKIPPED = {"_proc", "_docs", "build", "dist", "__pycache__"}
FOREIGN = {
    "a folder of one machine": r"(?<![\w.*])/(?:home|root|work|Users|mnt)/\w|[A-Z]:\\+Users",
    # not what Quarto calls a setting
    "a list of tasks that the reader does not have": r"(?i)(?<!/)\b" + "iss" + r"ues?\b(?! of\b|-url:|\])",
}


def texts(root):
    "Every text of the project, as (path, text); what is made or installed apart."
    for folder, inner, names in walk(root):
        inner[:] = sorted(name for name in inner if name not in SKIPPED and (name[0] != "." or name == ".ci"))
        for path in (Path(folder, name) for name in sorted(names)):
            if path.suffix in WRITTEN or path.name in ("Makefile", "run"):
                yield path.relative_to(root), path.read_text(encoding="utf-8")


@rule("Remove the mention: the text must make sense to a reader who has only the project.")
def foreign_references(sources):
    "No text mentions folders of one machine, or lists of tasks."
    for path, text in texts(sources.root):
        for number, line in enumerate(text.splitlines(), start=1):
            for what, pattern in FOREIGN.items():
                if re.search(pattern, line):
                    yield f"{path}, line {number}", f"{what}: {line.strip()[:90]}"


@rule("Correct the code; `python -m ruff check --fix .` corrects some of it.")
def ruff(sources):
    "ruff finds nothing."
    command = [sys.executable, "-m", "ruff", "check", "--output-format", "concise", "--quiet", "."]
    done = subprocess.run(command, cwd=sources.root, capture_output=True, text=True)
    for line in (done.stdout + done.stderr).splitlines():
        yield tuple(line.split(": ", 1)) if ": " in line else ("ruff", line)


@rule("Correct the word, or add it to `ignore-words-list` of codespell in pyproject.toml.")
def spelling(sources):
    "Words are spelt right, in English."
    with tempfile.TemporaryDirectory() as folder:
        words = {f"nbs/{name}": "\n\n".join(cell.source for cell in cells) for name, cells in sources.cells.items()}
        words |= {path: text for path, text in texts(sources.root) if path.suffix not in (".ipynb", ".html")}
        for path, text in words.items():
            copy = Path(folder, path)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "codespell_lib", "--toml", str(ROOT / "pyproject.toml"), "."]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    for line in (done.stdout + done.stderr).splitlines():
        yield tuple(line.removeprefix("./").split(": ", 1)) if ": " in line else ("codespell", line)


def main(names, sources=None):
    "Check the rules with these names, or all; return 1 if a rule is broken or unknown, otherwise 0."
    if unknown := [name for name in names if name not in RULES]:
        print(f"There is no rule {unknown[0]!r}; the rules are {', '.join(RULES)}.", file=sys.stderr)
        return 1
    sources = sources or Sources.of_the_project()
    reports = []
    for each in (RULES[name] for name in names or RULES):
        faults = each.faults(sources)
        print(f"{'faults: ' + str(len(faults)) if faults else 'ok':10} {each.name:26} {each.requires}", flush=True)
        if faults:
            reports.append(each.report(faults))
    print(*(f"\n{report}" for report in reports), sep="\n", end="\n" * bool(reports))
    return int(bool(reports))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
