"""The API pages: one per module, and an index of the public names, made from the docstrings.

A page holds for each public name its signature (names and defaults), what it returns and raises, its parameters with
their types as the docstring words them, its methods, an example, and the way to where it is explained.
"""
import importlib
import inspect
import json
import re
import sys
from enum import Enum
from functools import cache
from pathlib import Path

from project import NBS, PACKAGE, ROOT, cells, file_of, module_of, notebooks, settings

SECTIONS = "Parameters Returns Raises Warns Yields Examples Attributes".split()
LONGEST = 60  # characters of a default or a value that is shown


@cache
def rooms():
    "{module: (notebook, the imported module)} of all that have public names, in reading order."
    found = {}
    for name in notebooks():
        if own := module_of(NBS / name):
            room = importlib.import_module(PACKAGE.name if own == "__init__" else f"{PACKAGE.name}.{own}")
            if room.__all__ and own != "__init__":
                found[own] = (name, room)
    return found


def title_of(name):
    "The title of a notebook."
    return cells(NBS / name)[0].source.split("\n")[0].lstrip("# ")


# ---- one name ----


def one_line(doc):
    "The first sentence or line of a docstring, as Markdown in one line."
    first = " ".join((doc or "").strip().split("\n\n")[0].split())
    return escape(first)


def escape(text):
    r"""Plain text as Markdown; what stands between backticks stays code.

    >>> print(escape('g * (1 - p) and `a * b`, 2^n'))
    g \* (1 - p) and `a * b`, 2\^n
    >>> print(escape("ties='docid' and --ties"))
    ties=\'docid\' and \-\-ties"""
    parts = re.split(r"(`[^`]*`)", text)
    signs = r"""([\\*_^~<>$\[\]{}|@#'"]|-(?=-)|(?<=-)-|\.(?=\.\.))"""
    parts[::2] = [re.sub(signs, r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def signature(thing, name):
    "How `thing` is called: names and defaults; an empty text if Python does not know."
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    own = [p for p in found.parameters.values() if p.name not in ("self", "cls")]
    return name + spelled(own)


def spelled(parameters):
    "Parameters as they stand in a call, in lines if they are many."
    words, seen, positional = [], False, False
    for p in parameters:
        if positional and p.kind is not p.POSITIONAL_ONLY:
            words.append("/")
            positional = False
        if p.kind is p.KEYWORD_ONLY and not seen:
            words.append("*")
        seen = seen or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        positional = p.kind is p.POSITIONAL_ONLY
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        words.append(f"{star}{p.name}" + ("" if p.default is p.empty else f"={value(p.default)}"))
    words += ["/"] if positional else []
    line = f"({', '.join(words)})"
    return line if len(line) < LONGEST else "(\n    " + ", ".join(words) + ",\n)"


def value(thing):
    "A default or a constant as text; ... where that is long or says nothing."
    if inspect.isclass(thing) or inspect.isroutine(thing):
        return thing.__name__
    text = repr(thing)
    return "..." if len(text) > LONGEST or re.search(r"<|\bat 0x|\n", text) else text


def sections(doc):
    "A docstring in numpydoc's form as [(section, text)], the text before the first one under ''."
    head = rf"(?m)^({'|'.join(SECTIONS)})\n-+\n"
    parts = re.split(head, doc)
    return [("", parts[0]), *zip(parts[1::2], parts[2::2], strict=True)]


def body(doc):
    "A docstring as Markdown."
    return "\n\n".join(text for kind, part in sections(doc) if (text := section(kind, part)))


def section(kind, part):
    "One section of a docstring as Markdown."
    part, example = split_example(part)
    if kind in ("", "Examples"):
        text = "\n\n".join(paragraph(p) for p in part.strip("\n").split("\n\n") if p.strip())
    else:
        text = f"**{kind}**\n\n{entries(part)}"
    return "\n\n".join(t for t in (text, f"```python\n{example}\n```" if example else "") if t)


def split_example(text):
    "(what stands before the first >>>, the example)."
    prose, mark, example = text.partition(">>> ")
    return prose, (mark + example).rstrip() if mark else ""


def paragraph(text):
    "A paragraph of a docstring; an indented one is shown as it stands."
    if all(line.startswith("    ") or not line.strip() for line in text.split("\n")):
        return f"```\n{inspect.cleandoc(text)}\n```"
    return escape(text)


def entries(part):
    "The entries of a section (`name : type`, its text indented) as a definition list."
    found = re.split(r"(?m)^(?=\S)", part.strip("\n"))
    return "\n\n".join(entry(each) for each in found if each.strip())


def entry(text):
    "One entry as a term and its definition."
    head, _, rest = text.partition("\n")
    name, colon, kind = head.partition(" : ")
    term = f"`{name}`: {escape(kind)}" if colon else escape(head)
    return f"{term}\n\n:   {escape(' '.join(rest.split())) or '&nbsp;'}"


def described(name, thing, where):
    "The part of an API page on one public name."
    lines = [f"## `{name}` {{#{name}}}"]
    if inspect.isclass(thing) and issubclass(thing, Enum):
        lines.append("One of " + ", ".join(f"`{member.value}`" for member in thing) + ".")
    elif inspect.isclass(thing) or inspect.isroutine(thing):
        if called := signature(thing, name):
            lines.append(f"```{{.python .signature}}\n{called}\n```")
        lines.append(body(docstring(thing)))
        lines += [described_member(name, *each) for each in members(thing)]
        place = f"#{name}" if name in defined(where) else ""
        code = source_of(module_of(NBS / where), thing)
        lines.append(f"Explained on [{title_of(where)}](../{where.as_posix()}{place}) · [source]({code})")
    elif callable(getattr(thing, "metric", None)) or type(thing).__name__ == "Measure":
        lines.append(f"The measure `{thing}`: {escape(question(thing))}")
    elif (shown := value(thing)) != "...":
        lines.append(f"```python\n{name} = {shown}\n```")
    else:
        lines.append(f"A value of type `{type(thing).__name__}`, from [{title_of(where)}](../{where.as_posix()}).")
    return "\n\n".join(lines)


def docstring(thing):
    "The docstring of a function, or of a class its own and not that of what it inherits from."
    return inspect.getdoc(thing) or "" if not inspect.isclass(thing) or vars(thing).get("__doc__") else ""


@cache
def defined(name):
    "The names of functions and classes that the notebook `name` defines for the public."
    return {each for cell in cells(NBS / name) if cell.kind == "code" for each in cell.defines}


def question(measure):
    "What a measure asks of a ranking."
    return measure.kind.question if type(measure).__name__ == "Measure" else ""


def members(thing):
    "The public methods and properties of a class, also of base classes that are not public, as (name, member)."
    if not inspect.isclass(thing):
        return
    found = {}
    for owner in reversed([thing, *filter(internal, thing.__mro__[1:])]):
        found |= vars(owner)
    for name, member in found.items():
        kinds = (property, classmethod, staticmethod)
        if name[0] != "_" and (inspect.isfunction(member) or isinstance(member, kinds) or hasattr(member, "func")):
            yield name, member


def internal(base):
    "Whether a class of the package is not public, so that it has no entry of its own."
    return base.__module__.startswith("irmetrics_nb") and base.__name__ not in sys.modules[base.__module__].__all__


def described_member(owner, name, member):
    "One method or property of a class."
    plain = getattr(member, "__func__", getattr(member, "func", member))
    full = f"{owner}.{name}"
    read = isinstance(member, property) or hasattr(member, "func")  # a property, cached or not
    called = full if read else signature(plain, full)
    doc = inspect.getdoc(getattr(member, "fget", None) or plain) or ""
    return f"### `{full}` {{#{full}}}\n\n```{{.python .signature}}\n{called}\n```\n\n{body(doc)}"


# ---- the pages ----


def names(found=None):
    "{code name: its place on the API pages}, for links from the prose; plain words that are also names are left out."
    import irmetrics_nb

    top, targets = set(irmetrics_nb.__all__), {}
    for module, (_, room) in (found or rooms()).items():
        for name in room.__all__:
            thing, target = getattr(room, name), f"api/{module}.qmd#{name}"
            own = getattr(thing, "__module__", room.__name__) == room.__name__
            known = at_the_top(name, room) if name in top else re.search(r"_|[a-z][A-Z]", name)
            if own and len(name) > 1 and known:
                targets.setdefault(name, target)
                targets |= {f"{name}.{n}": f"api/{module}.qmd#{name}.{n}" for n, _ in members(thing)}
    return targets


def front(title, summary, **more):
    "The front matter of a page; text in JSON is YAML too."
    fields = {"title": title, "description": summary, "toc-depth": 2, "repo-actions": False} | more
    return "---\n" + "".join(f"{k}: {json.dumps(v, ensure_ascii=False)}\n" for k, v in fields.items()) + "---\n"


@cache
def inner():
    "The notebooks whose modules have no public name: the search leaves them and their API pages out."
    found = rooms().values()
    return {name.as_posix() for name, room in found if not any(at_the_top(each, room) for each in room.__all__)}


def at_the_top(name, room):
    "Is this what `from irmetrics_nb import name` gives? Spark has an `evaluate` of its own."
    import irmetrics_nb

    return name in irmetrics_nb.__all__ and getattr(irmetrics_nb, name) is getattr(room, name)


def in_order(room):
    "The names of a module as its page has them: those that can be imported from the top first."
    return sorted(room.__all__, key=lambda name: not at_the_top(name, room))


def page(module, name, room):
    "The API page of one module."
    public = [f"`{each}`" for each in in_order(room) if at_the_top(each, room)]
    summary = " ".join((room.__doc__ or "").strip().split("\n\n")[0].split())
    listed = ", ".join(public or [f"`{each}`" for each in room.__all__][:6]).replace("`", "")
    more = {"search": False} if name.as_posix() in inner() else {}
    says = f"Parameters, returns, errors and examples: {listed}. {summary}"
    head = front(f"API: {PACKAGE.name}.{module}", says, **more)
    ways = [
        f"Explained on [{title_of(name)}](../{name.as_posix()})",
        f"[source]({source_of(module)})",
    ]
    crumbs = f"[Reference](../reference/index.qmd) › [API](index.qmd) › {module}"
    lines = [head, f"::: {{.ways}}\n{crumbs}\n\n{' · '.join(ways)}\n:::"]
    links = ", ".join(f"[{each}](#{each[1:-1]})" for each in public)
    left = len(room.__all__) - len(public)
    if public:
        lines.append(f"From the top, by `from {PACKAGE.name} import ...`: {links}.")
    if left:
        more = f"{left} more" if public else "all of these"
        lines.append(f"From `{PACKAGE.name}.{module}`: {more}, for those who build on it.")
    entries = [described(each, getattr(room, each), name) for each in in_order(room)]
    return "\n\n".join([*lines, *entries]) + "\n"


def source_of(module, thing=None):
    "Where the code of a module stands on the web, or that of what it defines."
    have = settings()
    address = f"{have['git_url']}/blob/{have['branch']}/{file_of(module).relative_to(ROOT).as_posix()}"
    try:
        real = inspect.unwrap(thing)
        here = Path(inspect.getsourcefile(real) or "").resolve() == file_of(module).resolve()
        return f"{address}#L{inspect.getsourcelines(real)[1]}" if here else address
    except (OSError, TypeError):
        return address


def index(found):
    "The page of the public names, grouped by task as the package groups them."
    from irmetrics_nb import _PUBLIC

    parts = [front("API: all names", "The public names, grouped by task")]
    parts.append(f"You import each name from the top: `from {PACKAGE.name} import evaluate`.")
    for task, modules in _PUBLIC.items():
        rows = ["| Name | Description |", "|:--|:--|"]
        rows += [row(name, module, found) for module, names in modules.items() for name in names.split()]
        parts.append(f"## {task}\n\n::: {{.api-names}}\n\n" + "\n".join(rows) + "\n\n:::")
    parts.append("The pages [for developers](../reference/afternoon.ipynb) show the code and lead to all other names.")
    return "\n\n".join(parts) + "\n"


def row(name, module, found):
    "The row of a public name in the index."
    import irmetrics_nb

    thing = getattr(irmetrics_nb, name)
    words = one_line(docstring(thing)) if callable(thing) else "The conventions of other tools, by name."
    says = escape(question(thing)) or words
    return f"| [`{name}`]({module}.qmd#{name}) | {says} |"


def write(folder: Path):
    "Write the API pages into `folder`; returns {code name: place} for links."
    found = rooms()
    folder.mkdir(parents=True, exist_ok=True)
    for module, (name, room) in found.items():
        (folder / f"{module}.qmd").write_text(page(module, name, room), encoding="utf-8")
    (folder / "index.qmd").write_text(index(found), encoding="utf-8")
    return names(found)
