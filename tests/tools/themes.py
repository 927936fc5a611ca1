"""The themes of the site without the rules that no page uses: Bootstrap styles much that the site does not have.

A rule stays if each class and each id of its selector is in a page or is a word of a script, since scripts set classes.
A custom property stays if it is used. What is inside of `:not()`, `:is()` and `:where()` is not looked at.
"""
import re
from pathlib import Path

THEMES = "site_libs/bootstrap/bootstrap-*.min.css"
MADE = ("aa-", "headroom")  # beginnings of classes that scripts put together
WORD = re.compile(r"[\w-]+")
SCRIPT = re.compile(r"<(?:script|style)\b[^>]*>(.*?)</(?:script|style)>", re.DOTALL)
PIECE = re.compile(r"/\*.*?\*/|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|[{};]|[^{};\"'/]+|/", re.DOTALL)
NAMED = re.compile(r"([.#])((?:[\w-]|\\.)+)")
FUNCTION = re.compile(r":(?:not|is|where|has)\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\]]*\]")
PROPERTY = re.compile(r"(?<=[{;])(--[\w-]+):(?:[^;{}\"']|\"[^\"]*\"|'[^']*')*(?:;|(?=}))")
EMPTY = re.compile(r"(?<=[{}])[^{}@;]+\{\}")
VARIABLE = re.compile(r"var\(\s*(--[\w-]+)")


def blocks(css):
    """Yield (head, body) of the rules of a style sheet; the body of a statement without a block is None.

    >>> list(blocks('@import "a;b";a,b{c:d}@media print{e{f:g}}'))
    [('@import "a;b"', None), ('a,b', 'c:d'), ('@media print', 'e{f:g}')]"""
    head, body, depth = [], [], 0
    for found in PIECE.finditer(css):
        piece = found[0]
        if piece.startswith("/*"):
            continue
        depth += (piece == "{") - (piece == "}")
        if piece == "{" and depth == 1:
            continue
        if piece == "}" and not depth:
            yield "".join(head).strip(), "".join(body)
            head, body = [], []
        elif depth:
            body.append(piece)
        elif piece == ";":
            yield "".join(head).strip(), None
            head = []
        else:
            head.append(piece)


def selectors(head):
    """The selectors of a rule, divided at commas that are not in brackets.

    >>> selectors("a:is(b, c), .d")
    ['a:is(b, c)', '.d']"""
    return [part.strip() for part in re.split(r",(?![^()]*\))", head)]


def is_used(selector, used):
    """Is each class and each id of a selector among the names in use?

    >>> is_used(".a > #b:not(.c)", {"a", "b"}), is_used(".a.c", {"a", "b"})
    (True, False)"""
    names = [name.replace("\\", "") for _, name in NAMED.findall(FUNCTION.sub("", selector))]
    return all(name in used or name.startswith(MADE) for name in names)


def purged(css, used):
    """A style sheet without the rules of unused selectors.

    >>> purged(".a,.b{c:d}.b{e:f}@media print{.b{g:h}}@font-face{i:j}", {"a"})
    '.a{c:d}@font-face{i:j}'"""
    made = []
    for head, body in blocks(css):
        if body is None:
            made.append(f"{head};")
        elif head.startswith(("@media", "@supports", "@layer")):
            inner = purged(body, used)
            made += [f"{head}{{{inner}}}"] * bool(inner)
        elif head.startswith("@"):
            made.append(f"{head}{{{body}}}")
        elif kept := [selector for selector in selectors(head) if is_used(selector, used)]:
            made.append(f"{','.join(kept)}{{{body}}}")
    return "".join(made)


def without_variables(css, used):
    """A style sheet without the custom properties that are used nowhere, and without rules that had nothing else.

    >>> without_variables(":root{--a: 1;--b: 2}c{d:var(--a)}e{--f: 3}", set())
    ':root{--a: 1}c{d:var(--a)}'"""
    while True:
        named = used | set(VARIABLE.findall(css))
        slim = PROPERTY.sub(lambda found, named=named: found[0] if found[1] in named else "", css)
        slim = EMPTY.sub("", slim.replace(";}", "}"))
        if slim == css:
            return css
        css = slim


def names_in(site: Path):
    "The classes, ids and custom properties that the pages, scripts and other styles of a site name."
    classes, words = set(), set()
    for path in site.rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        for value in re.findall(r"\b(?:class|id)=\"([^\"]*)\"", page):
            classes |= set(value.split())
        words |= set(WORD.findall("\n".join(SCRIPT.findall(page))))
        words |= set(re.findall(r"--[\w-]+", page))
    for path in [*site.rglob("*.js"), site / "styles.css"]:
        words |= set(WORD.findall(path.read_text(encoding="utf-8")))
    return classes | words


def slim_themes(site: Path):
    "Cut the themes of the rendered site down to the rules that are used; returns {file: its size in bytes}."
    used, sizes = names_in(site), {}
    for path in sorted(site.glob(THEMES)):
        css = path.read_text(encoding="utf-8")
        licence = re.match(r'(@charset "[^"]*";)?\s*/\*!.*?\*/', css, re.DOTALL)
        slim = without_variables(purged(css, used), used)
        path.write_text((licence[0] if licence else "") + slim, encoding="utf-8")
        sizes[path.name] = len(slim)
    return sizes
