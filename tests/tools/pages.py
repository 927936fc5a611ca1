"""What happens to a page between its notebook and Quarto: nothing is computed anew.

A definition gets a door (its name, which leads to its parameters) instead of a copy of its signature and docstring;
names in the prose lead to the API pages; parentheses grow with what they enclose; outputs in HTML are set so that
Quarto adds no script; references carry their DOI; code fits its column; what is marked so becomes tabs, or a page in
the page. In the guide and the reference the source of the package is folded.

    <!-- tabs: Python -->  …  <!-- tab: Command line -->  …  <!-- tabs end -->
    <!-- live -->
    [![What the picture shows.](../images/report.png)](https://…/samples/report.html)

In JupyterLab and on GitHub the marks do not show: there what would be tabs stands one below the other.
"""
import ast
import json
import re
from functools import cache
from urllib.parse import quote

from about import site_url
from api import one_line
from lines import narrowed
from project import NBS, Cell, cells, sidebar

# What is left as it is when names are linked: fences, headings, formulas, links, tags with what they enclose.
KEPT = re.compile(
    r"(^(?:```|~~~).*?^(?:```|~~~)[^\n]*$|^#{1,6} [^\n]*$|\$\$.*?\$\$|!?\[(?:[^\[\]]|\[[^\]]*\])*\]\([^)]*\)"
    r"|<(?:a|summary|pre|code)\b.*?</(?:a|summary|pre|code)>|<[^>\n]+>)",
    re.MULTILINE | re.DOTALL,
)
# What Pandoc shows as it is: fences, formulas, code, addresses of links, tags.
VERBATIM = re.compile(
    r"(^(?:```|~~~).*?^(?:```|~~~)[^\n]*$|\$\$.*?\$\$|`[^`\n]+`|(?<=\])\([^)\s]*\)"
    r"|<(?:pre|code|svg|style)\b.*?</(?:pre|code|svg|style)>|(?<!\\)<[/!\w][^>]*>"
    r"|(?<![\\$\w])\$(?=\S)[^$\n]*?(?<=\S)\$(?![\w$]))",
    re.MULTILINE | re.DOTALL,
)
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


def prepare(path, name, names, doi):
    "Prepare the processed notebook at `path`, made from `name`; `names` leads from code names to API pages."
    nb = json.loads(path.read_text(encoding="utf-8"))
    up = "../" * (len(name.parts) - 1)
    folded = sources(name) if name.as_posix() in used() else set()
    for cell in nb["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "raw":  # Pandoc has no words for zh-CN
            cell["source"] = text.replace("lang: zh-CN", "lang: zh-Hans").splitlines(keepends=True)
        elif cell["cell_type"] == "markdown":
            text = with_doi(linked(grown(described(in_tabs(live(text)))), names, up), doi)
            # No sign of Chinese begins a line after a formula.
            text = re.sub(r"\$(?=[，。；：、！？）])", "$\u2060", text)
            cell["source"] = at_home(text, up).splitlines(keepends=True)
        elif cell["cell_type"] == "code":
            fold = '#| code-fold: true\n#| code-summary: "Source"\n' * (cell.get("id") in folded)
            cell["source"] = (fold + narrowed(worded(text))).splitlines(keepends=True)
        for output in cell.get("outputs", []):
            if "data" in output:
                output["data"] = scriptless(output["data"])
    path.write_text(json.dumps(nb, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


# ---- doors ----


def door(cell: Cell, module):
    "The Markdown above (or, where the code is hidden, instead of) the definitions in `cell`; None without any."
    if not cell.defines:
        return None
    page = "index" if module == "__init__" else module
    links = {name: f"[`{name}`](../api/{page}.qmd#{name}){{#{name}}}" for name in cell.defines}
    if "exports" in cell.directives:
        text = " · ".join(links.values())
    else:
        text = "\n\n".join(f"{link}: {one_line(docstring(cell, name))}" for name, link in links.items())
    return f"::: {{.door}}\n\n{text}\n\n:::"


def docstring(cell, name):
    "The docstring of what `cell` defines as `name`."
    (node,) = (n for n in cell.tree.body if getattr(n, "name", None) == name)
    return ast.get_docstring(node) or ""


@cache
def used():
    "The pages on which the source is folded: the guide and the reference."
    return [entry.href for entry in sidebar() if entry.part in ("Guide", "Reference")]


def sources(name):
    "The ids of the cells of a notebook that hold code of the package."
    stored = json.loads((NBS / name).read_text(encoding="utf-8"))["cells"]
    return {stored[cell.index]["id"] for cell in cells(NBS / name) if cell.exported}


# ---- prose ----


def linked(text, names, up):
    "Markdown in which each code name, where it stands first, leads to its page; `up` leads from the page to the top."
    seen = set()

    def link(found):
        head = re.match(r"(?:irmetrics_nb\.)?([A-Za-z_][\w.]*)(\(.*\))?$", found[1])
        target = names.get(head[1]) if head else None
        if target is None or target in seen:
            return found[0]
        seen.add(target)
        return f"[{found[0]}]({up}{target})"

    parts = KEPT.split(text)
    parts[::2] = [SPAN.sub(link, part) for part in parts[::2]]
    return "".join(parts)


def described(text):
    """Markdown in which a picture on a line of its own keeps its words: Quarto makes them its caption alone.

    >>> print(described("![A ranking.](a.png)"))
    ![A ranking.](a.png){fig-alt="A ranking."}"""
    text = re.sub(r'(?m)^!\[([^\]"]+)\]\([^)\s]+\)$', r'\g<0>{fig-alt="\1"}', text)
    return re.sub(r'(?m)^\[(!\[([^\]"]+)\]\([^)\s]+\))(?=\]\([^)\s]+\)$)', r'[\1{fig-alt="\2"}', text)


def in_tabs(text):
    """Markdown whose marks for tabs are Quarto's.

    >>> print(in_tabs("<!-- tabs: Python -->").strip())
    ::: {.panel-tabset group="how"}
    <BLANKLINE>
    ## Python"""
    text = re.sub(r"(?m)^<!-- tabs: (.+?) -->$", r'\n::: {.panel-tabset group="how"}\n\n## \1\n', text)
    return re.sub(r"(?m)^<!-- tabs end -->$", "\n:::\n", re.sub(r"(?m)^<!-- tab: (.+?) -->$", r"\n## \1\n", text))


def live(text):
    "Markdown in which a picture marked as live is the page that it leads to."
    known = r"(?m)^<!-- live -->\n\[!\[([^\]]*)\]\([^)]*\)\]\(([^)]*)\)$"
    frame = r'<iframe class="live" src="\2" title="\1" loading="lazy"></iframe>\n\n[Open it as a page of its own](\2).'
    return re.sub(known, frame, text)


def at_home(text, up):
    "Markdown whose addresses of the site itself hold wherever the site stands: `up` leads to its top."
    return re.sub(rf"(\]\(|src=\"){re.escape(site_url())}/(?=[\w])", rf"\1{up}", text)


def grown(text):
    r"Markdown whose formulas have \left( and \right) around fractions."
    parts = re.split(r"(^(?:```|~~~).*?^(?:```|~~~)[^\n]*$|`[^`\n]+`)", text, flags=re.MULTILINE | re.DOTALL)
    math = re.compile(r"\$\$.*?\$\$|(?<![\\$\w])\$(?=\S)[^$\n]*?(?<=\S)\$(?![\w$])", re.DOTALL)
    parts[::2] = [math.sub(lambda m: grow(m[0]), part) for part in parts[::2]]
    return "".join(parts)


def grow(formula):
    r"""A formula in TeX with \left and \right at the parentheses around fractions.

    >>> print(grow(r'(1 - \frac12)^2 (x)'))
    \left(1 - \frac12\right)^2 (x)"""
    opened, pairs = [], []
    for found in re.finditer(r"(\\left|\\right|\\[bB]igg?[lr]?)?\s*([()])", formula):
        if found[1]:
            continue
        if found[2] == "(":
            opened.append(found.start(2))
        elif opened:
            pairs.append((opened.pop(), found.start(2)))
    marks = {}
    for start, end in pairs:
        inside = formula[start + 1 : end]
        if r"\frac" in inside and not re.search(r"&|\\\\", inside) and inside.count("{") == inside.count("}"):
            marks |= {start: r"\left(", end: r"\right)"}
    return "".join(marks.get(i, letter) for i, letter in enumerate(formula))


def with_doi(text, doi):
    "Markdown whose references carry their DOI; `doi` leads from a title to it."
    head, mark, tail = text.partition("## References")
    if not mark:
        return text
    items = re.split(r"(?m)^(?=- )", tail)
    return head + mark + "".join(signed(item, doi) for item in items)


def signed(item, doi):
    "One reference with its DOI, if `doi` knows its title."
    found = re.search(r"\*(.+?)\*", item, re.DOTALL)
    number = doi.get(plain(found[1])) if found else None
    if not number:
        return item
    body = item.rstrip()
    shown = re.sub("([<>])", r"\\\1", number)
    return f"{body} [doi:{shown}](<https://doi.org/{quote(number, safe='/:;()')}>){item[len(body):]}"


def plain(title):
    "A title without marks, brackets and capitals, to look it up."
    return " ".join(re.findall(r"[^\W_]+", title.lower()))


def dois(bib):
    "Title -> DOI of the entries of a BibTeX file."
    found = {}
    for entry in re.split(r"(?m)^@", bib)[1:]:
        fields = dict(re.findall(r"(?m)^\s*(\w+)\s*=\s*\{(.*)\},?\s*$", entry))
        if "doi" in fields:
            found[plain(fields["title"].replace("{", "").replace("}", ""))] = fields["doi"]
    return found


# ---- outputs ----


def worded(text):
    "Code in whose `#| fig-alt:` no per cent sign stands: Quarto takes one for a broken address."
    return re.sub(r"(?m)^#\|\s*fig-alt:.*$", lambda m: re.sub(r"\s?%", " percent", m[0]), text)


def straight(text):
    r"""Markdown in which quotation marks stay as they are, so that code and measures can be copied.

    >>> print(straight("use test='t' | `'` |"))
    use test=\'t\' | `'` |"""
    parts = VERBATIM.split(text)
    parts[::2] = [re.sub(r"(?<!\\)(['\"])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def scriptless(data):
    "The data of an output without HTML, for which Quarto would fetch scripts: a table is raw HTML in Markdown."
    if "text/markdown" in data:
        data = data | {"text/markdown": straight("".join(data["text/markdown"]))}
    if "text/html" not in data:
        return data
    kept = {kind: value for kind, value in data.items() if kind != "text/html"}
    if "text/markdown" in kept or any(kind.startswith("image/") for kind in kept):
        return kept
    html = "".join(data["text/html"])
    html = re.sub(r"<(style|script)\b.*?</\1>", "", html, flags=re.DOTALL | re.IGNORECASE).strip()
    html = re.sub(r' (?:border|style)="[^"]*"', lambda m: m[0] if "text-align" in m[0] else "", html)
    return kept | {"text/markdown": f"```{{=html}}\n{html}\n```\n".splitlines(keepends=True)}
