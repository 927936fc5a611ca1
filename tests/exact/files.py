"""What `make vectors` writes: conformance/measures/*.json and conformance/separation.md."""

import json
import re

from exact.choice import candidates, chosen, names, never_differ, tried
from exact.measures import MEANINGS, MEASURES
from exact.mistakes import mistakes
from exact.search import with_found
from exact.settings import defaults, settings
from exact.tools import tools

VERSION = "1.0.0"
WIDTH = 116


def document(measure):
    "The content of the file of a measure, and the cases with all their values."
    known = names(measure)
    cases = chosen(with_found(measure, tried(measure, candidates(measure), known.computed), known.computed))
    known_as = MEASURES[measure]
    content = {
        "$schema": "../schema.json",
        "version": VERSION,
        "license": "CC0-1.0",
        "measure": measure,
        "name": known_as.name,
        "definition": known_as.sentence,
        "cutoff": known_as.cutoff,
        "defaults": defaults(measure),
        "settings": settings(measure),
        "tools": tools(measure),
        "mistakes": {name: of_mistake(mistake) for name, mistake in mistakes(measure).items()},
        "same_as": known.alike,
        "never_differ": [
            {"names": group, "because": why} for group, why in never_differ(measure, known.computed)
        ],
        "cases": [of_case(each) for each in cases],
    }
    return content, cases


def of_mistake(mistake):
    "What a mistake is, and what it is equal to or with which parameters it was computed."
    more = {} if mistake.same_as is None else {"equals": mistake.same_as}
    if mistake.beside:
        more["with"] = dict(mistake.beside)
    return {"is": mistake.says, **more}


def of_case(each):
    "A case with its value under the defaults, and all that differ from it."
    value, by_query = each.found["default"]
    others = {name: found[0] for name, found in each.found.items() if found[0] != value}
    content = {"name": each.case.name, "about": each.case.about, **each.case.data, "value": value, "other_values": others}
    if by_query is not None:
        queries = {name: found[1] for name, found in each.found.items() if name == "default" or found[1] != by_query}
        content["per_query"] = queries
    return content


def laid_out(value, indent=0):
    "JSON whose lists and objects stand in one line if they fit; else what is plain fills its lines."
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= WIDTH or not isinstance(value, dict | list):
        return line
    inner = indent + 1
    if isinstance(value, dict):
        parts = [f"{json.dumps(key, ensure_ascii=False)}: {laid_out(each, inner)}" for key, each in value.items()]
        plain = all(isinstance(each, str) for each in value.values()) and "version" not in value
    else:
        parts = [laid_out(each, inner) for each in value]
        plain = all(not isinstance(each, dict) for each in value)
    lines = filled(parts, WIDTH - inner) if plain else parts
    start, end = "{}" if isinstance(value, dict) else "[]"
    return f"{start}\n" + ",\n".join(" " * inner + each for each in lines) + f"\n{' ' * indent}{end}"


def filled(parts, width):
    "Several parts in a line, as many as fit."
    lines = []
    for part in parts:
        if lines and len(lines[-1]) + len(part) + 2 <= width:
            lines[-1] += f", {part}"
        else:
            lines.append(part)
    return lines


# ---- which case separates which pair ----

HEAD = f"""# Which case tells which pair apart

Made by `make vectors`, version {VERSION}. For each measure: all that is told apart (the default, each setting, the tools and
the mistakes whose answers are none of these), in rows and, by their numbers, in columns. A cell has the number of the first
case in which the two have different values; `=` says that they never differ, and why is said below the table. What has the
same answers as something else stands behind it in brackets.
"""


def separation(measure, cases, content):
    "The table of a measure as Markdown."
    rows = list(cases[0].found)
    others = {}
    for name, same in content["same_as"].items():
        others.setdefault(same, []).append(name)
    lines = [f"## {measure}", ""]
    lines += [f"{number}. {each.case.name}: {each.case.about}" for number, each in enumerate(cases, 1)]
    lines += ["", "| | " + " | ".join(["", *map(str, range(1, len(rows)))]) + " |", "|---|---|" + "--:|" * (len(rows) - 1)]
    for number, name in enumerate(rows, 1):
        shown = f"`{name}`" + (f" ({', '.join(others[name])})" if name in others else "")
        cells = [first_apart(cases, name, other) for other in rows[: number - 1]]
        lines.append(" | ".join([f"| {number}", shown, *cells]) + " |")
    lines += [""] + [f"- {', '.join(f'`{n}`' for n in each['names'])}: {'; '.join(each['because'])}." for each in content["never_differ"]]
    return "\n".join(lines).rstrip() + "\n"


def first_apart(cases, a, b):
    "The number of the first case in which two names have different values."
    return next((str(number) for number, each in enumerate(cases, 1) if each.found[a] != each.found[b]), "=")


# ---- the parameters on the page for readers ----


def parameters():
    "The table of all parameters as Markdown."
    lines = ["| parameter | of | answers |", "|---|---|---|"]
    for parameters_named, of, meaning in MEANINGS:
        shown = ", ".join(f"`{name}`" for name in parameters_named.split(", ") if name)
        lines.append(f"| {shown} | {of} | {meaning} |".replace("|  |", "| |"))
    return "\n".join(lines)


def with_parameters(page):
    "The page with this table in the place of the one that it has."
    table = re.compile(r"^\| parameter \| of \| answers \|\n(\|.*\n)*", re.MULTILINE)
    return table.sub(lambda _: parameters() + "\n", page)


def write(folder):
    "All files, into this folder."
    readme = folder / "README.md"
    if readme.exists():
        readme.write_text(with_parameters(readme.read_text(encoding="utf-8")), encoding="utf-8")
    measures = folder / "measures"
    measures.mkdir(parents=True, exist_ok=True)
    for path in measures.glob("*.json"):
        if path.stem not in MEASURES:
            path.unlink()
    tables = [HEAD]
    for measure in MEASURES:
        content, cases = document(measure)
        (measures / f"{measure}.json").write_text(laid_out(content) + "\n", encoding="utf-8")
        tables.append(separation(measure, cases, content))
    (folder / "separation.md").write_text("\n".join(tables), encoding="utf-8")
